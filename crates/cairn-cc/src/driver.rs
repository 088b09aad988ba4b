//! `cairn cc` and `cairn c++`: compilers whose programs can be explored.
//!
//! # Problem
//!
//! Programs are built by scripts and makefiles. To explore such a program, the bitcode of all its sources
//! is needed, compiled with their flags, without a change to the build.
//!
//! # Idea
//!
//! The command is passed on to clang unchanged. In addition each source is compiled to bitcode
//! (`step.rs`), which goes into a section of the object; from then on archives and linkers carry it along
//! with the machine code. A command that compiles and links leaves no objects, so the linker gets the
//! bitcode in an extra object beside each source, at the same place of its order.
//!
//! # Soundness
//!
//! Output, messages and exit code are the compiler's own: it runs once, with the given arguments. A part
//! without bitcode says so in its section.
//!
//! # Cost
//!
//! One more run of clang for each source. The test programs of configure scripts (`conftest.c`) are only
//! compiled natively: they are never explored, and compiling them is most of the work of such scripts.

use crate::attach::{attach, carrier};
use crate::elf::{self, LinkInput};
use crate::error::DriverError;
use crate::frame::{BitcodeFrame, FrameContent, LinkedLibrary};
use crate::shelf::SupportFolder;
use crate::step::BitcodeStep;
use crate::sysroot::{self, LinkKind, Sysroot};
use crate::words::{self, CommandLine, CommandTask, SourceFile, SourceLanguage};
use crate::{flags, native};
use cairn_home::ScratchFolder;
use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Levels of optimisation that `CAIRN_CC_OPT` may name.
const LEVELS: [&str; 6] = ["0", "1", "2", "3", "s", "z"];

/// Runs the compiler; the result is its exit code. Without bitcode to make it does not return.
///
/// # Errors
/// If the compiler cannot be started, or a variable of the environment has no meaning. Errors in the
/// sources are reported by the compiler itself.
pub fn run(arguments: &[OsString], for_cxx: bool) -> Result<u8, DriverError> {
    let line = CommandLine::read(arguments, for_cxx);
    let level = level()?;
    let sysroot = Sysroot::find()?;
    let wants_cxx = needs_cxx(&line, for_cxx);
    let command = Command {
        for_cxx,
        lacks_library: sysroot.is_none() && !wants_cxx && !sysroot::host_is_wanted(),
        says: line.has("-v"),
        sysroot: sysroot
            .filter(|_| !needs_host(&line) && !is_for_another_machine(&line))
            .and_then(|sysroot| match wants_cxx {
                true => sysroot.with_cxx(),
                false => Some(sysroot),
            }),
        shelf: SupportFolder::open().ok(),
        line,
        level,
    };
    if command.says {
        command.introduce(wants_cxx);
    }
    command.run()
}

fn level() -> Result<String, DriverError> {
    let level = std::env::var("CAIRN_CC_OPT").unwrap_or_default();
    let level = level.strip_prefix("-O").unwrap_or(&level);
    match level {
        "" => Ok("0".to_string()),
        _ if LEVELS.contains(&level) => Ok(level.to_string()),
        _ => Err(DriverError::Variable {
            variable: "CAIRN_CC_OPT",
            value: level.to_string(),
            expected: "expected one of 0, 1, 2, 3, s, z".to_string(),
        }),
    }
}

/// Does the command need the library of C++?
fn needs_cxx(line: &CommandLine, for_cxx: bool) -> bool {
    let cxx = |source: &SourceFile| source.language == SourceLanguage::Cxx;
    let libraries = ["stdc++", "c++"];
    for_cxx
        || line.sources.iter().any(cxx)
        || line
            .libraries
            .iter()
            .any(|l| libraries.iter().any(|n| l == n))
}

/// Does the command add libraries of the compiler's that are made for the host's library of C?
fn needs_host(line: &CommandLine) -> bool {
    let watches = [
        "-fsanitize=",
        "-fprofile-",
        "-fcoverage-mapping",
        "-fopenmp",
        "-fxray-i",
    ];
    ["--coverage", "-pg"].iter().any(|flag| line.has(flag))
        || line.has_flag(|flag| watches.iter().any(|start| flag.starts_with(start)))
}

fn is_for_another_machine(line: &CommandLine) -> bool {
    ["-m32", "-mx32", "-m16"].iter().any(|flag| line.has(flag))
        || line.has("-target")
        || line.has_flag(|flag| flag.starts_with("--target="))
}

/// Do configure scripts try something out?
fn is_probe(source: &SourceFile) -> bool {
    let by_name = source
        .file
        .file_stem()
        .is_some_and(|stem| stem == "conftest");
    let folder = std::env::current_dir().unwrap_or_default();
    let path = folder.join(&source.file);
    let mut parts = path.components().map(|part| part.as_os_str().to_owned());
    by_name || parts.any(|part| part == "CMakeScratch" || part == "CMakeTmp")
}

/// A command with what it is run with.
struct Command {
    line: CommandLine,
    for_cxx: bool,
    /// Were we asked to say what we do?
    says: bool,
    sysroot: Option<Sysroot>,
    /// The C library that is wanted was not set up.
    lacks_library: bool,
    /// Without one, headers and functions of ours are not found.
    shelf: Option<SupportFolder>,
    level: String,
}

impl Command {
    fn introduce(&self, wants_cxx: bool) {
        let name = if self.for_cxx { "c++" } else { "cc" };
        match (&self.sysroot, wants_cxx) {
            (Some(sysroot), _) => {
                let folder = sysroot.folder().display();
                say!("cairn {name}: headers and library of C: {folder}");
                if let Some(folder) = sysroot.cxx_folder() {
                    let folder = folder.display();
                    say!("cairn {name}: headers and library of C++: {folder}");
                }
            }
            (None, true) => {
                say!("cairn {name}: headers and libraries of C and C++: the host's");
            }
            (None, false) => say!("cairn {name}: headers and library of C: the host's"),
        }
    }

    fn run(&self) -> Result<u8, DriverError> {
        let only_probes = self.line.sources.iter().all(is_probe);
        match self.line.task {
            CommandTask::Other => self.only_natively(),
            CommandTask::Compile if only_probes => self.only_natively(),
            CommandTask::Compile => self.compile(),
            CommandTask::Link => {
                // Configure scripts take any message for a failure of what they try out.
                if self.lacks_library && !only_probes {
                    say!("cairn cc: {}", sysroot::MISSING);
                }
                self.link(only_probes)
            }
        }
    }

    /// Where headers are.
    fn header_flags(&self) -> Vec<OsString> {
        let mut flags = Vec::new();
        if let Some(sysroot) = &self.sysroot
            && !self.line.has("-nostdinc")
        {
            flags = sysroot.compile_flags();
        }
        if let Some(shelf) = &self.shelf {
            flags.extend(["-idirafter".into(), shelf.headers().into_os_string()]);
        }
        flags
    }

    /// What is linked. A link without the usual libraries gets none of ours.
    fn link_kind(&self) -> LinkKind {
        let has = |flags: &[&str]| flags.iter().any(|flag| self.line.has(flag));
        let is_program = !has(&["-shared", "--shared", "-r"]);
        let bare = has(&["-nostdlib", "--no-standard-libraries"]);
        LinkKind {
            is_program,
            wants_start: is_program && !bare && !has(&["-nostartfiles"]),
            wants_libraries: is_program && !bare && !has(&["-nodefaultlibs", "-nolibc"]),
        }
    }

    /// The arguments of the native compiler, with these files for the linker after the sources and
    /// at the end.
    fn native_arguments(&self, behind: &[PathBuf], last: Option<PathBuf>) -> Vec<OsString> {
        let links = self.line.task == CommandTask::Link;
        let fixed = self.sysroot.is_some() && links;
        let leave_out = |flag: &str| {
            flags::is_link_time_optimisation(flag)
                || (fixed && ["-pie", "-static-pie"].contains(&flag))
        };
        let given = (self.line).native(leave_out, |index| behind.get(index).cloned());
        if self.line.has("-cc1") || self.line.has("-cc1as") {
            return given;
        }
        let kind = self.link_kind();
        let mut arguments = Vec::new();
        if let (Some(sysroot), true) = (&self.sysroot, links) {
            arguments.extend(sysroot.before(&kind));
        }
        arguments.extend(given);
        // The user did not give them, so there is no warning that an assembler source does not need them.
        arguments.push("--start-no-unused-arguments".into());
        arguments.extend(self.header_flags());
        arguments.push("--end-no-unused-arguments".into());
        if links {
            arguments.extend(self.link_end(&kind, last));
        }
        arguments
    }

    /// What comes after the arguments of a link.
    fn link_end(&self, kind: &LinkKind, last: Option<PathBuf>) -> Vec<OsString> {
        let mut arguments = Vec::new();
        arguments.extend(last.into_iter().flat_map(words::for_linker));
        if let (Some(shelf), true) = (&self.shelf, kind.wants_libraries) {
            match shelf.native_library(self.sysroot.as_ref()) {
                Ok(archive) => arguments.extend(words::for_linker(archive)),
                Err(why) if self.says => {
                    say!("cairn cc: the functions of klee.h cannot be linked: {why}");
                }
                Err(_) => {}
            }
        }
        if let Some(sysroot) = &self.sysroot {
            let needed = self.shelf.as_ref().filter(|_| kind.wants_libraries);
            let libraries = needed
                .map(SupportFolder::compiler_libraries)
                .unwrap_or_default();
            arguments.extend(sysroot.behind(kind, &libraries));
        }
        arguments
    }

    /// Runs the compiler in place of this process.
    fn only_natively(&self) -> Result<u8, DriverError> {
        let arguments = self.native_arguments(&[], None);
        Err(self.unstartable(native::become_compiler(self.for_cxx, arguments)))
    }

    fn unstartable(&self, source: io::Error) -> DriverError {
        DriverError::Compiler {
            compiler: native::compiler_name(self.for_cxx),
            source,
        }
    }

    /// What comes from standard input, for both compilations.
    fn standard_input(&self) -> Result<Option<Vec<u8>>, DriverError> {
        if !self.line.reads_standard_input() {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        cairn_home::bounded(io::stdin().lock())
            .read_to_end(&mut bytes)
            .map_err(DriverError::Input)?;
        Ok(Some(bytes))
    }

    fn step<'a>(&'a self, headers: &'a [OsString], input: Option<&'a [u8]>) -> BitcodeStep<'a> {
        BitcodeStep {
            line: &self.line,
            for_cxx: self.for_cxx,
            headers,
            library: sysroot::library(self.sysroot.as_ref()),
            input,
            level: &self.level,
        }
    }

    /// Compiles sources to objects, to machine code and to bitcode at the same time.
    fn compile(&self) -> Result<u8, DriverError> {
        let outputs: Vec<PathBuf> = (self.line.sources.iter())
            .map(|source| self.line.object_of(source))
            .collect();
        // With an output such as /dev/null or standard output the user does not want an object.
        let is_no_file = |file: &PathBuf| {
            file == Path::new("-") && self.line.output.is_some() || file.exists() && !file.is_file()
        };
        if outputs.iter().any(is_no_file) {
            return self.only_natively();
        }
        let input = self.standard_input()?;
        let mut native = native::start(
            self.for_cxx,
            self.native_arguments(&[], None),
            input.as_deref(),
        )
        .map_err(|e| self.unstartable(e))?;
        let headers = self.header_flags();
        let step = self.step(&headers, input.as_deref());
        let frames: Vec<BitcodeFrame> = (self.line.sources.iter())
            .map(|source| step.frame(source))
            .collect();
        let status = native.wait().map_err(|e| self.unstartable(e))?;
        if !status.success() {
            return Ok(native::code(status));
        }
        for (output, frame) in outputs.iter().zip(frames) {
            self.put_in(output, frame)?;
        }
        Ok(0)
    }

    fn put_in(&self, output: &Path, frame: BitcodeFrame) -> Result<(), DriverError> {
        if let (FrameContent::Absent(why), true) = (&frame.content, self.says) {
            say!("cairn cc: {}: no bitcode: {why}", frame.name);
        }
        match attach(output, &[frame]) {
            Ok(_) => Ok(()),
            // The compiler was told to write something else, in words that we do not know.
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(source) => Err(DriverError::Attach {
                file: output.display().to_string(),
                source,
            }),
        }
    }

    /// Links, after the sources have been compiled to bitcode.
    fn link(&self, only_probes: bool) -> Result<u8, DriverError> {
        let foreign = if only_probes && !self.line.sources.is_empty() {
            Vec::new()
        } else {
            self.foreign_objects()
        };
        let no_sources = only_probes || self.line.sources.is_empty();
        if no_sources && foreign.is_empty() {
            return self.only_natively();
        }
        let no_room = DriverError::Scratch;
        let scratch = ScratchFolder::new().map_err(no_room)?;
        let keep = |name: String, frames: &[BitcodeFrame]| {
            let file = scratch.path().join(name);
            std::fs::write(&file, carrier(frames)).map(|()| file)
        };
        let input = self.standard_input()?;
        let headers = self.header_flags();
        let step = self.step(&headers, input.as_deref());
        let mut carriers = Vec::new();
        for (index, source) in self.line.sources.iter().enumerate() {
            let frame = step.frame(source);
            carriers.push(keep(format!("{index}.o"), &[frame]).map_err(no_room)?);
        }
        let last = match foreign.is_empty() {
            true => None,
            false => Some(keep("foreign.o".to_string(), &foreign).map_err(no_room)?),
        };
        let arguments = self.native_arguments(&carriers, last);
        let mut native = native::start(self.for_cxx, arguments, input.as_deref())
            .map_err(|e| self.unstartable(e))?;
        let status = native.wait().map_err(|e| self.unstartable(e))?;
        Ok(native::code(status))
    }

    /// The objects of a link that carry no frames, from the command line and from archives that are
    /// not the system's. C objects that were compiled with other headers than the library that is
    /// linked are told of.
    fn foreign_objects(&self) -> Vec<BitcodeFrame> {
        let library = sysroot::library(self.sysroot.as_ref());
        let frame = |name: String, defines: Vec<String>| BitcodeFrame {
            name,
            library,
            content: FrameContent::Foreign(defines),
        };
        let mut found = Vec::new();
        let mut mixed = None;
        let objects = self.line.objects.iter().cloned();
        for file in objects.chain(self.archives_by_name()) {
            let name = file.display().to_string();
            match elf::inspect(&file) {
                LinkInput::Framed(compiled) if compiled != library => {
                    mixed = mixed.or(Some((name, compiled)));
                }
                LinkInput::Framed(_) | LinkInput::Other => {}
                LinkInput::Foreign => found.push(frame(name, Vec::new())),
                LinkInput::Archive(members) => found.extend(
                    members
                        .into_iter()
                        .map(|member| frame(format!("{name}({})", member.name), member.defines)),
                ),
            }
        }
        if let (Some((name, LinkedLibrary::Musl)), true) = (mixed, self.link_kind().wants_libraries)
        {
            say!(
                "cairn: warning: {name} was compiled with musl's headers, and this links the host's \
                 library: set CAIRN_CC_LIBC=host and build everything again"
            );
        }
        found
    }

    /// The archives that `-l` finds in the folders that `-L` names.
    fn archives_by_name(&self) -> Vec<PathBuf> {
        let is_static = self.line.has("-static") || self.sysroot.is_some();
        let find = |library: &OsString| {
            let mut archive = OsString::from("lib");
            archive.push(library);
            let mut loaded = archive.clone();
            archive.push(".a");
            loaded.push(".so");
            let mut folders = self.line.library_folders.iter();
            let folder = folders.find(|folder| {
                folder.join(&archive).is_file() || (!is_static && folder.join(&loaded).is_file())
            })?;
            let is_loaded = !is_static && folder.join(&loaded).is_file();
            (!is_loaded).then(|| folder.join(archive))
        };
        self.line.libraries.iter().filter_map(find).collect()
    }
}
