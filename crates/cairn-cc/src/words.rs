//! The command line of a compiler: what goes in, what comes out, what is done.
//!
//! # Problem
//!
//! To put bitcode beside machine code we must know the sources of a command, where its
//! objects go and whether it links, for any command that a makefile may contain.
//!
//! # Idea
//!
//! The words are read as clang reads them, as far as that matters here: which take the next
//! word, what the language of a source is, which ask for something else than objects. Everything else
//! is left to clang, which gets the command as it was given.
//!
//! # Soundness
//!
//! What we take for something else is compiled as it always was: at worst a part
//! has no bitcode, which is reported when the program is explored.

use crate::flags;
use crate::response::{CommandArgument, expand};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// What a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandTask {
    /// Compiles each source to an object.
    Compile,
    /// Makes a program or library of sources and objects.
    Link,
    /// Something that leaves neither behind.
    Other,
}

/// What a source is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceLanguage {
    /// C, Objective-C, LLVM's forms: what needs no library of C++.
    C,
    /// C++ and Objective-C++.
    Cxx,
    /// Assembler.
    Assembler,
    /// A header that is compiled for itself.
    Header,
    /// A language whose bitcode is not for this machine.
    Foreign,
}

/// A source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its file, or `-`.
    pub file: PathBuf,
    /// What `-x` said about it.
    pub stated: Option<OsString>,
    /// What it is written in.
    pub language: SourceLanguage,
    /// The index of its word.
    word: usize,
}

/// A command line.
#[derive(Debug)]
pub struct CommandLine {
    arguments: Vec<OsString>,
    words: Vec<CommandArgument>,
    /// Which words are flags of how to compile, for a compiler that makes bitcode.
    compile_flags: Vec<(usize, usize)>,
    /// What it does.
    pub task: CommandTask,
    /// Its sources.
    pub sources: Vec<SourceFile>,
    /// Objects, archives and whatever else goes to the linker.
    pub objects: Vec<PathBuf>,
    /// Libraries by name (`-l`).
    pub libraries: Vec<OsString>,
    /// Folders of libraries (`-L`).
    pub library_folders: Vec<PathBuf>,
    /// Where the result goes, if that was said.
    pub output: Option<PathBuf>,
    /// The flags as text, without their values.
    flags: Vec<String>,
    /// Where `--` is: what is after it are files, whatever they look like.
    only_inputs_from: Option<usize>,
}

impl CommandLine {
    /// Reads the arguments of a compiler. If it is the one for C++, C sources are C++ too.
    pub fn read(arguments: &[OsString], for_cxx: bool) -> CommandLine {
        let words = expand(arguments);
        let mut line = CommandLine {
            arguments: arguments.to_vec(),
            compile_flags: Vec::new(),
            task: CommandTask::Link,
            sources: Vec::new(),
            objects: Vec::new(),
            libraries: Vec::new(),
            library_folders: Vec::new(),
            output: None,
            flags: Vec::new(),
            only_inputs_from: None,
            words: Vec::new(),
        };
        let mut stated: Option<OsString> = None;
        let mut only_inputs = false;
        let mut at = 0;
        while at < words.len() {
            let word = &words[at].text;
            let bytes = word.as_bytes();
            let is_flag = !only_inputs && bytes.len() > 1 && bytes[0] == b'-';
            if !is_flag {
                line.input(word, at, stated.as_deref(), for_cxx);
                at += 1;
                continue;
            }
            if bytes == b"--" {
                only_inputs = true;
                line.only_inputs_from = Some(at);
                at += 1;
                continue;
            }
            let flag = word.to_string_lossy().into_owned();
            let length = if flags::takes_next(&flag) && at + 1 < words.len() {
                2
            } else {
                1
            };
            let value = words.get(at + 1).map(|w| w.text.clone());
            line.flag(&flag, word, value.filter(|_| length == 2), &mut stated);
            if !flags::is_left_out(&flag) {
                line.compile_flags.push((at, length));
            }
            line.flags.push(flag);
            at += length;
        }
        line.words = words;
        if line.has("-c") || line.has("--compile") {
            line.task = CommandTask::Compile;
        }
        let other = line.flags.iter().any(|f| flags::asks_for_no_object(f));
        let nothing = line.sources.is_empty() && line.objects.is_empty();
        let only_libraries =
            nothing && !line.libraries.is_empty() && line.task == CommandTask::Link;
        let odd = line
            .sources
            .iter()
            .any(|s| matches!(s.language, SourceLanguage::Header | SourceLanguage::Foreign));
        if other || odd || (nothing && !only_libraries) {
            line.task = CommandTask::Other;
        }
        line
    }

    fn flag(
        &mut self,
        flag: &str,
        word: &OsStr,
        value: Option<OsString>,
        stated: &mut Option<OsString>,
    ) {
        // The value, in the next word or after the flag.
        let attached = |length: usize| OsString::from_vec(word.as_bytes()[length..].to_vec());
        let joined = |length: usize| value.clone().unwrap_or_else(|| attached(length));
        if flag == "-o" || flag == "--output" {
            self.output = value.map(PathBuf::from);
        } else if let Some(path) = flag.strip_prefix("--output=") {
            self.output = Some(PathBuf::from(path));
        } else if flag.starts_with("-o") && !flag.starts_with("-obj") {
            self.output = Some(PathBuf::from(attached(2)));
        } else if flag.starts_with("-x") || flag == "--language" {
            let said = joined(2);
            *stated = (said != "none").then_some(said);
        } else if let Some(said) = flag.strip_prefix("--language=") {
            *stated = Some(said.into());
        } else if flag.starts_with("-l") {
            self.libraries.push(joined(2));
        } else if flag.starts_with("-L") {
            self.library_folders.push(PathBuf::from(joined(2)));
        }
    }

    fn input(&mut self, word: &OsStr, at: usize, stated: Option<&OsStr>, for_cxx: bool) {
        let file = PathBuf::from(word);
        let language = match stated {
            Some(stated) => language_of(&stated.to_string_lossy()),
            None if word == "-" => Some(SourceLanguage::Foreign),
            None => language_of_file(&file),
        };
        match language {
            Some(language) => self.sources.push(SourceFile {
                language: match language {
                    SourceLanguage::C if for_cxx => SourceLanguage::Cxx,
                    other => other,
                },
                file,
                stated: stated.map(OsStr::to_os_string),
                word: at,
            }),
            None => self.objects.push(file),
        }
    }

    /// Is this flag there, in this spelling?
    pub fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|f| f == flag)
    }

    /// Is there such a flag?
    pub fn has_flag(&self, is_it: impl Fn(&str) -> bool) -> bool {
        self.flags.iter().any(|f| is_it(f))
    }

    /// Is the native code optimised? The last word about it counts.
    pub fn is_optimised(&self) -> bool {
        let mut levels = self.flags.iter().rev().filter_map(|f| f.strip_prefix("-O"));
        levels.next().is_some_and(|level| level != "0")
    }

    /// Does a source come from standard input?
    pub fn reads_standard_input(&self) -> bool {
        self.sources.iter().any(|s| s.file == Path::new("-"))
    }

    /// Where the object of a source goes when it is only compiled.
    pub fn object_of(&self, source: &SourceFile) -> PathBuf {
        if let Some(output) = &self.output {
            return output.clone();
        }
        let mut name = match source.file.file_stem() {
            Some(stem) if source.file != Path::new("-") => stem.to_os_string(),
            Some(_) | None => "-".into(),
        };
        name.push(".o");
        PathBuf::from(name)
    }

    /// The command for the native compiler: as it was given, without the flags that `leave_out` says,
    /// and with a file for the linker after some sources. Files of arguments are named as they were,
    /// unless something in them changes.
    pub fn native(
        &self,
        leave_out: impl Fn(&str) -> bool,
        behind: impl Fn(usize) -> Option<PathBuf>,
    ) -> Vec<OsString> {
        let source_at: HashMap<usize, usize> = (self.sources.iter().enumerate())
            .map(|(index, source)| (source.word, index))
            .collect();
        let mut native = Vec::new();
        let mut at = 0;
        for words in self.words.chunk_by(|a, b| a.origin == b.origin) {
            let mut changed = Vec::new();
            let mut same = true;
            for word in words {
                let text = word.text.to_string_lossy();
                let dashed = text.len() > 1 && text.starts_with('-');
                let after = self.only_inputs_from.map(|from| at.cmp(&from));
                match after {
                    // Flags of ours are to come after it.
                    Some(Ordering::Equal) => same = false,
                    Some(Ordering::Greater) if dashed => {
                        changed.push(Path::new(".").join(&word.text).into_os_string());
                        same = false;
                    }
                    Some(Ordering::Less) | None if dashed && leave_out(&text) => same = false,
                    Some(Ordering::Greater | Ordering::Less) | None => {
                        changed.push(word.text.clone());
                    }
                }
                if let Some(file) = source_at.get(&at).and_then(|index| behind(*index)) {
                    changed.extend(for_linker(file));
                    same = false;
                }
                at += 1;
            }
            if same {
                changed = vec![self.arguments[words[0].origin].clone()];
            }
            native.extend(changed);
        }
        native
    }

    /// The flags that say how to compile, without those that `leave_out` says.
    pub fn compile_flags(&self, leave_out: impl Fn(&str) -> bool) -> Vec<&OsStr> {
        let kept = self.compile_flags.iter().filter(|(at, _)| {
            let flag = self.words[*at].text.to_string_lossy();
            !leave_out(&flag)
        });
        let words = kept.flat_map(|(at, length)| &self.words[*at..*at + *length]);
        words.map(|word| word.text.as_os_str()).collect()
    }
}

/// A file as a word for the linker alone: a language that was stated is not its own.
pub fn for_linker(file: PathBuf) -> [OsString; 2] {
    ["-Xlinker".into(), file.into_os_string()]
}

/// The language that `-x` names. Nothing if it is one that we know nothing of.
fn language_of(stated: &str) -> Option<SourceLanguage> {
    Some(match stated {
        "c" | "cpp-output" | "objective-c" | "objective-c-cpp-output" | "ir" => SourceLanguage::C,
        "c++" | "c++-cpp-output" | "objective-c++" | "objective-c++-cpp-output" => {
            SourceLanguage::Cxx
        }
        "assembler" | "assembler-with-cpp" => SourceLanguage::Assembler,
        header if header.contains("header") => SourceLanguage::Header,
        _ => SourceLanguage::Foreign,
    })
}

/// The language of a file by its name; nothing for what goes to the linker.
fn language_of_file(file: &Path) -> Option<SourceLanguage> {
    Some(match file.extension()?.to_str()? {
        "c" | "i" | "m" | "mi" | "ll" | "bc" => SourceLanguage::C,
        "C" | "cc" | "CC" | "cp" | "cpp" | "CPP" | "cxx" | "CXX" | "c++" | "C++" | "ii" | "M"
        | "mm" | "mii" | "ixx" | "cppm" => SourceLanguage::Cxx,
        "s" | "S" | "sx" | "asm" => SourceLanguage::Assembler,
        "h" | "hh" | "H" | "hp" | "hpp" | "hxx" | "h++" | "tcc" => SourceLanguage::Header,
        "cu" | "cui" | "cl" | "clcpp" | "hip" | "f" | "F" | "f90" | "F90" | "f95" | "F95"
        | "ast" | "pcm" | "pch" | "gch" => SourceLanguage::Foreign,
        _ => return None,
    })
}
