//! The symbolic environment of a whole program, turned into a real one.
//!
//! # Problem
//!
//! A program is explored with words after its name that stand for symbolic arguments, files and standard
//! input (`--sym-args 0 2 8 --sym-stdin 16`). Its test holds those words and an object for each of these
//! inputs; the native program needs arguments, files and a file for standard input.
//!
//! # Idea
//!
//! The words are read in their order, and each takes the objects that were made for it:
//! `n_args` and `arg00`, `arg01`, … for arguments, `A-data` and `A-data-stat` for files, `stdin`,
//! `stdout`, `model_version`. Names and order are KLEE's; older spellings (`A_data`, `arg0`,
//! `n_args_1`) are read too. All other objects belong to the program itself.
//!
//! # Soundness
//!
//! Nothing is guessed: an object that a word needs and that is missing, has another number or does not fit
//! is an error that names it. Properties that a real file cannot have are listed in
//! [`RecordedEnvironment::notes`].
//!
//! # Cost
//!
//! One pass over the objects per thing that is taken; there are few of them.

mod end_of_reading;

use crate::ktest::{KTest, KTestObject};
use crate::stat::FileStat;
use std::fs::{File, FileTimes, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The permissions of a file about which nothing is known.
const USUAL_MODE: u32 = 0o644;

/// A file that the program finds.
#[derive(Clone, Debug, PartialEq, Eq)]
struct InputFile {
    name: String,
    bytes: Vec<u8>,
    stat: Option<FileStat>,
}

/// The environment of a program in one test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedEnvironment {
    /// The arguments after the program's name.
    pub arguments: Vec<Vec<u8>>,
    /// Standard input, if it was open.
    pub input: Option<Vec<u8>>,
    /// The test without the objects that stand for the environment: those of the program itself.
    pub rest: KTest,
    /// Differences of the real environment from that of the test, one sentence each.
    pub notes: Vec<String>,
    /// The bytes that each peer of the program's sockets sends, in the order in which the program meets
    /// the peers.
    pub peers: Vec<Vec<u8>>,
    files: Vec<InputFile>,
}

/// Why a test has no real environment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnvironmentError {
    /// A word without its numbers.
    #[error("{word}: expected {expected} after it in the arguments of the test")]
    Word {
        /// The word.
        word: String,
        /// What should follow.
        expected: &'static str,
    },
    /// An object that a word asks for is not there.
    #[error("the test has no object {object}, which {word} needs")]
    Missing {
        /// The object.
        object: String,
        /// The word.
        word: String,
    },
    /// An object does not fit what the words say.
    #[error("the object {object} does not fit {word}: expected {expected}")]
    Misfit {
        /// The object.
        object: String,
        /// The word.
        word: String,
        /// What was expected.
        expected: String,
    },
    /// System calls that are made to fail, or to do less.
    #[error("{word}: system calls that fail or do less are not replayed natively")]
    Failures {
        /// The word.
        word: String,
    },
}

/// Where the parts of an environment were written.
#[derive(Clone, Debug)]
pub struct LaidOut {
    /// The folder to run in, with the files and nothing else.
    pub folder: PathBuf,
    /// The file that is standard input.
    pub input: Option<PathBuf>,
}

/// The words that ask for something open, without their dashes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OptionWord {
    Argument,
    Arguments,
    Files,
    Sockets,
    Input,
    Output,
    SaveAllWrites,
    MaxFailures,
    DescriptorFailure,
    ShortReads,
    BadAddresses,
    Clock,
    Random,
}

impl OptionWord {
    fn read(argument: &[u8]) -> Option<OptionWord> {
        let name = argument
            .strip_prefix(b"--")
            .or_else(|| argument.strip_prefix(b"-"))?;
        match name {
            b"sym-arg" => Some(OptionWord::Argument),
            b"sym-args" => Some(OptionWord::Arguments),
            b"sym-files" => Some(OptionWord::Files),
            b"sym-sockets" => Some(OptionWord::Sockets),
            b"sym-stdin" => Some(OptionWord::Input),
            b"sym-stdout" => Some(OptionWord::Output),
            b"save-all-writes" => Some(OptionWord::SaveAllWrites),
            b"max-fail" => Some(OptionWord::MaxFailures),
            b"fd-fail" => Some(OptionWord::DescriptorFailure),
            b"short-reads" => Some(OptionWord::ShortReads),
            b"efault" => Some(OptionWord::BadAddresses),
            b"sym-clock" => Some(OptionWord::Clock),
            b"sym-random" => Some(OptionWord::Random),
            _ => None,
        }
    }

    /// How many numbers follow it, and what they are.
    fn numbers(self) -> (usize, &'static str) {
        match self {
            OptionWord::Argument => (1, "a length"),
            OptionWord::Arguments => (3, "the least and the greatest number and a length"),
            OptionWord::Files | OptionWord::Sockets => (2, "a number and a length"),
            OptionWord::Input => (1, "a length"),
            OptionWord::MaxFailures => (1, "a number"),
            OptionWord::Output
            | OptionWord::SaveAllWrites
            | OptionWord::DescriptorFailure
            | OptionWord::ShortReads
            | OptionWord::BadAddresses
            | OptionWord::Clock
            | OptionWord::Random => (0, "nothing"),
        }
    }
}

impl RecordedEnvironment {
    /// The environment in a test, if it has one: if its arguments have one of the words, or if
    /// it has an object for a file or for standard input together with its `stat`.
    ///
    /// # Errors
    /// If words and objects do not fit together, or ask for what cannot be done natively.
    pub fn of(test: &KTest) -> Result<Option<RecordedEnvironment>, EnvironmentError> {
        let words = test.args.get(1..).unwrap_or_default();
        let mut objects = Objects::of(test);
        let has_word = words.iter().any(|word| OptionWord::read(word).is_some());
        if !has_word && !objects.has_file() {
            return Ok(None);
        }
        let mut reading = Reading {
            objects: &mut objects,
            arguments: Vec::new(),
            taken_arguments: 0,
            file_count: 0,
            peers: Vec::new(),
            files_word: String::new(),
            input_word: None,
            failures_word: None,
            short_reads_word: None,
        };
        let mut left = words;
        while let Some((word, behind)) = left.split_first() {
            left = match OptionWord::read(word) {
                Some(known) => reading.word(known, word, behind)?,
                None => {
                    reading.arguments.push(word.clone());
                    behind
                }
            };
        }
        reading.finish(test).map(Some)
    }

    /// Writes standard input below a folder that is there, and the files into one that is empty, or
    /// else into a new one below it.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn lay_out(&self, below: &Path, empty: Option<&Path>) -> io::Result<LaidOut> {
        let folder = match empty {
            Some(folder) => folder.to_path_buf(),
            None => {
                let folder = below.join("files");
                std::fs::DirBuilder::new().mode(0o755).create(&folder)?;
                folder
            }
        };
        for file in &self.files {
            write_file(&folder.join(&file.name), &file.bytes, file.stat)?;
        }
        let input = match &self.input {
            Some(bytes) => {
                let path = below.join("stdin");
                write_file(&path, bytes, None)?;
                Some(path)
            }
            None => None,
        };
        Ok(LaidOut { folder, input })
    }
}

fn write_file(path: &Path, bytes: &[u8], stat: Option<FileStat>) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(bytes)?;
    let times = stat.and_then(|stat| Some((stat.accessed()?, stat.modified()?)));
    if let Some((accessed, modified)) = times {
        let times = FileTimes::new()
            .set_accessed(accessed)
            .set_modified(modified);
        // A file system may not know such times; the file is there all the same.
        let _ = file.set_times(times);
    }
    // A mode of zero is that of a `stat` that was not filled in.
    let mode = stat.map(|stat| stat.mode).filter(|mode| *mode != 0);
    let mode = mode.unwrap_or(USUAL_MODE) & 0o777;
    file.set_permissions(Permissions::from_mode(mode))
}

/// The objects of a test, and which were taken.
struct Objects<'a> {
    all: &'a [KTestObject],
    taken: Vec<bool>,
}

impl<'a> Objects<'a> {
    fn of(test: &'a KTest) -> Self {
        Objects {
            all: &test.objects,
            taken: vec![false; test.objects.len()],
        }
    }

    fn find(&self, fits: impl Fn(&[u8]) -> bool) -> Option<usize> {
        (0..self.all.len()).find(|index| !self.taken[*index] && fits(&self.all[*index].name))
    }

    /// The first object that is not taken yet and whose name fits.
    fn take(&mut self, fits: impl Fn(&[u8]) -> bool) -> Option<&'a KTestObject> {
        let index = self.find(fits)?;
        self.taken[index] = true;
        Some(&self.all[index])
    }

    /// Is there a file with its `stat`?
    fn has_file(&self) -> bool {
        self.all.iter().any(|object| {
            let is_content = object.name == b"stdin" || file_name(&object.name).is_some();
            is_content && self.find(|name| is_stat_of(name, &object.name)).is_some()
        })
    }

    /// Takes the `stat` of a file.
    fn take_stat(&mut self, content_name: &[u8]) -> Option<FileStat> {
        let object = self.take(|name| is_stat_of(name, content_name))?;
        FileStat::read(&object.bytes)
    }

    fn left(&self) -> Vec<KTestObject> {
        let pairs = self.all.iter().zip(&self.taken);
        pairs
            .filter(|(_, taken)| !**taken)
            .map(|(object, _)| object.clone())
            .collect()
    }
}

/// Is this the name, or the name with a number after it that tells later objects apart?
fn is_called(name: &[u8], wanted: &str) -> bool {
    match name.strip_prefix(wanted.as_bytes()) {
        Some([]) => true,
        Some([b'_', number @ ..]) => !number.is_empty() && number.iter().all(u8::is_ascii_digit),
        Some(_) | None => false,
    }
}

/// `A` for `A-data` or `A_data`. KLEE counts on after `Z` in the order of ASCII.
fn file_name(object: &[u8]) -> Option<char> {
    match object {
        [letter @ b'A'..=b'~', b'-' | b'_', b'd', b'a', b't', b'a'] => Some(char::from(*letter)),
        _ => None,
    }
}

fn is_stat_of(name: &[u8], content: &[u8]) -> bool {
    let behind = name.strip_prefix(content);
    matches!(behind, Some(b"-stat" | b"_stat"))
}

/// The number of an argument's object: `arg7` and `arg07` have one, `arg` alone has none.
fn argument_number(name: &[u8]) -> Option<Option<usize>> {
    let behind = name.strip_prefix(b"arg")?;
    if is_called(name, "arg") {
        return Some(None);
    }
    let digits = behind.iter().take_while(|b| b.is_ascii_digit()).count();
    let number = std::str::from_utf8(&behind[..digits]).ok()?;
    is_called(behind, number).then_some(())?;
    Some(Some(number.parse().ok()?))
}

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The words that were read so far.
struct Reading<'o, 'a> {
    objects: &'o mut Objects<'a>,
    arguments: Vec<Vec<u8>>,
    taken_arguments: usize,
    file_count: usize,
    peers: Vec<Vec<u8>>,
    files_word: String,
    /// The word that asks for standard input, if its length is not zero.
    input_word: Option<String>,
    failures_word: Option<String>,
    short_reads_word: Option<String>,
}

impl Reading<'_, '_> {
    /// Reads a word with its numbers; the result is what follows.
    fn word<'w>(
        &mut self,
        word: OptionWord,
        text: &[u8],
        behind: &'w [Vec<u8>],
    ) -> Result<&'w [Vec<u8>], EnvironmentError> {
        let (count, expected) = word.numbers();
        let wrong = || EnvironmentError::Word {
            word: shown(text),
            expected,
        };
        let (given, left) = behind.split_at_checked(count).ok_or_else(wrong)?;
        let numbers: Option<Vec<usize>> = given.iter().map(|n| read_number(n)).collect();
        let numbers = numbers.ok_or_else(wrong)?;
        let spelled = || {
            let given = given.iter().map(|number| shown(number));
            let words: Vec<String> = std::iter::once(shown(text)).chain(given).collect();
            words.join(" ")
        };
        match (word, numbers.as_slice()) {
            (OptionWord::Argument, [length]) => self.argument(*length, &spelled())?,
            (OptionWord::Arguments, [least, most, length]) => {
                for _ in 0..self.argument_count(*least, *most, &spelled())? {
                    self.argument(*length, &spelled())?;
                }
            }
            (OptionWord::Files, [count, _]) => {
                self.file_count = *count;
                self.files_word = spelled();
            }
            (OptionWord::Sockets, [count, _]) => self.take_peers(*count, &spelled())?,
            (OptionWord::Input, [length]) => self.input_word = (*length > 0).then(spelled),
            (OptionWord::MaxFailures, [0]) => self.failures_word = None,
            (OptionWord::ShortReads, _) => self.short_reads_word = Some(spelled()),
            (OptionWord::MaxFailures | OptionWord::DescriptorFailure, _) => {
                self.failures_word = Some(spelled());
            }
            // The content of standard output is what it was before anything was written to it.
            // Linux does with bad addresses what it does.
            // Clocks and random bytes are the replay library's, which finds them in the test.
            (
                OptionWord::Output
                | OptionWord::SaveAllWrites
                | OptionWord::BadAddresses
                | OptionWord::Clock
                | OptionWord::Random,
                _,
            ) => {}
            (
                OptionWord::Argument
                | OptionWord::Arguments
                | OptionWord::Files
                | OptionWord::Sockets
                | OptionWord::Input,
                _,
            ) => {
                return Err(wrong());
            }
        }
        Ok(left)
    }

    fn argument_count(
        &mut self,
        least: usize,
        most: usize,
        word: &str,
    ) -> Result<usize, EnvironmentError> {
        let Some(object) = self.objects.take(|name| is_called(name, "n_args")) else {
            // Nothing is open in a range of one, so there is no object.
            if least == most {
                return Ok(least);
            }
            return Err(EnvironmentError::Missing {
                object: "n_args".to_string(),
                word: word.to_string(),
            });
        };
        let count = object.bytes.as_slice().try_into().map(u32::from_le_bytes);
        match count.map(|count| count as usize) {
            Ok(count) if (least..=most).contains(&count) => Ok(count),
            Ok(_) | Err(_) => Err(EnvironmentError::Misfit {
                object: shown(&object.name),
                word: word.to_string(),
                expected: format!("4 bytes with a number from {least} to {most}"),
            }),
        }
    }

    /// Those at the other ends of sockets.
    fn take_peers(&mut self, count: usize, word: &str) -> Result<(), EnvironmentError> {
        for number in 0..count {
            let wanted = format!("socket{number}");
            let object = self.objects.take(|name| name == wanted.as_bytes());
            let object = object.ok_or_else(|| EnvironmentError::Missing {
                object: wanted,
                word: word.to_string(),
            })?;
            self.peers.push(object.bytes.clone());
        }
        Ok(())
    }

    /// The next argument: it ends at its first zero.
    fn argument(&mut self, length: usize, word: &str) -> Result<(), EnvironmentError> {
        let number = self.taken_arguments;
        let wanted = format!("arg{number:02}");
        let missing = || EnvironmentError::Missing {
            object: wanted.clone(),
            word: word.to_string(),
        };
        let object = self.objects.take(|name| argument_number(name).is_some());
        let object = object.ok_or_else(missing)?;
        let found = argument_number(&object.name).flatten();
        if found.is_some_and(|found| found != number) {
            return Err(missing());
        }
        if object.bytes.len() > length.saturating_add(1) {
            return Err(EnvironmentError::Misfit {
                object: shown(&object.name),
                word: word.to_string(),
                expected: format!("at most {length} bytes and a zero"),
            });
        }
        // The last byte was overwritten by a zero, whatever the object holds there.
        let bytes = &object.bytes[..object.bytes.len().min(length)];
        let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
        self.arguments.push(bytes[..end].to_vec());
        self.taken_arguments += 1;
        Ok(())
    }
}

fn note_kind(name: &str, stat: Option<FileStat>, notes: &mut Vec<String>) {
    if let Some(kind) = stat.and_then(|stat| stat.special_kind()) {
        notes.push(format!(
            "{name} is {kind} in the test, but a regular file in the replay"
        ));
    }
}

/// A number as KLEE takes it: decimal, or hexadecimal after `0x`.
fn read_number(text: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(text).ok()?;
    let (digits, base) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    // `from_str_radix` takes a sign, which is no digit here.
    let number = u32::from_str_radix(digits, base).ok()?;
    (!digits.starts_with('+')).then_some(number as usize)
}
