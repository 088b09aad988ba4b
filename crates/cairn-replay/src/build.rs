//! From a program to an executable that runs on tests.
//!
//! # Problem
//!
//! A test is trusted when the program, compiled by an ordinary compiler, behaves on it as the engine
//! recorded.
//!
//! # Idea
//!
//! The replay library (`native/replay.c`) is compiled separately, as C, and linked after the program, once
//! per [`NativeProgram`]. Both are in a folder that is removed with the value.
//!
//! # Soundness
//!
//! Sanitizers are part of compiling a source file. Bitcode and executables would silently go without, so
//! there a request for sanitizers is refused. The sanitizers that an executable was built with are read
//! from the names in it.
//!
//! # Cost
//!
//! Two runs of clang.

use cairn_home::{REPLAY_SOURCE, ScratchFolder, install_headers};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicU64;

const C_COMPILER: &str = "clang-19";
const CXX_COMPILER: &str = "clang++-19";
/// The entry of fuzzing harnesses.
const HARNESS: &str = "LLVMFuzzerTestOneInput";

/// What the compiler can add to a program to see errors where they happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sanitizer {
    /// Accesses outside of objects, use after free, leaks.
    Address,
    /// What C leaves undefined: overflow, shifts, division.
    Undefined,
    /// Reads of memory that was never written.
    Memory,
}

impl Sanitizer {
    /// Its name, as the compiler knows it.
    pub fn name(self) -> &'static str {
        match self {
            Sanitizer::Address => "address",
            Sanitizer::Undefined => "undefined",
            Sanitizer::Memory => "memory",
        }
    }

    /// What an executable was built with, by the names in it. The library of the address
    /// sanitizer brings that of the other along, so its names say nothing.
    fn in_executable(content: &[u8]) -> Vec<Sanitizer> {
        let traces: [(Sanitizer, &[u8]); 2] = [
            (Sanitizer::Address, b"__asan_init"),
            (Sanitizer::Memory, b"__msan_init"),
        ];
        let found = traces
            .into_iter()
            .filter(|(_, name)| contains(content, name));
        found.map(|(sanitizer, _)| sanitizer).collect()
    }
}

/// Kinds of programs, by the names of their files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramKind {
    /// C source.
    C,
    /// C++ source.
    Cxx,
    /// LLVM bitcode or assembly.
    Llvm,
    /// Anything else is taken for an executable.
    Executable,
}

impl ProgramKind {
    /// The kind of a file.
    pub fn of(file: &Path) -> ProgramKind {
        match file.extension().and_then(|e| e.to_str()) {
            Some("c" | "i") => ProgramKind::C,
            Some("cc" | "cpp" | "cxx" | "c++" | "C" | "ii") => ProgramKind::Cxx,
            Some("bc" | "ll") => ProgramKind::Llvm,
            Some(_) | None => ProgramKind::Executable,
        }
    }
}

/// How to build.
#[derive(Clone, Debug, Default)]
pub struct BuildOptions {
    /// Flags for the compiler.
    pub flags: Vec<String>,
    /// The function to start with, if it is not `main`. It gets what `main` would get; that it
    /// returns is a normal end.
    pub entry: Option<String>,
    /// Sanitizers to add.
    pub sanitize: Vec<Sanitizer>,
    /// The binary whose commands `cc` and `c++` compile and link sources, with the C library that the
    /// program was explored with; without it, clang and the host's library.
    pub driver: Option<PathBuf>,
}

/// What compiles.
struct Compiler<'a> {
    /// Clang's, or how the driver's is called.
    name: &'static str,
    driver: Option<(&'a Path, &'static str)>,
}

impl<'a> Compiler<'a> {
    fn clang(name: &'static str) -> Self {
        Compiler { name, driver: None }
    }

    fn driver(binary: &'a Path, word: &'static str, name: &'static str) -> Self {
        Compiler {
            name,
            driver: Some((binary, word)),
        }
    }

    fn command(&self) -> Command {
        match self.driver {
            None => Command::new(self.name),
            Some((binary, word)) => {
                let mut command = Command::new(binary);
                command.arg(word);
                command
            }
        }
    }
}

/// Why a program cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The program cannot be read.
    #[error("{file}: {source}")]
    Read {
        /// The program.
        file: String,
        /// Why.
        source: io::Error,
    },
    /// It is no executable.
    #[error(
        "{file}: expected a program: a name that ends in .c, .cc, .cpp, .bc or .ll, or an executable"
    )]
    NotAProgram {
        /// The program.
        file: String,
    },
    /// An option that only makes sense when something is compiled from source.
    #[error("{file}: {option} needs the source: give the .c or .cc file")]
    NeedsSource {
        /// The program.
        file: String,
        /// The option.
        option: &'static str,
    },
    /// An entry that is not a name of C.
    #[error("--entry {entry}: expected the name of a C function")]
    Entry {
        /// What was given.
        entry: String,
    },
    /// The compiler is missing.
    #[error(
        "{compiler} cannot be started ({source}); install it, for example with: apt-get install clang-19"
    )]
    Compiler {
        /// Its name.
        compiler: &'static str,
        /// Why.
        source: io::Error,
    },
    /// The compiler or linker refused the program.
    #[error("{file}: {compiler} refused it:\n{messages}{hint}")]
    Refused {
        /// The program.
        file: String,
        /// The compiler.
        compiler: &'static str,
        /// What it said.
        messages: String,
        /// What to do, if that is known.
        hint: &'static str,
    },
    /// No folder for what is built.
    #[error("no room to build: {0}")]
    Scratch(#[from] io::Error),
}

/// A program that runs on tests.
#[derive(Debug)]
pub struct NativeProgram {
    pub(crate) executable: PathBuf,
    /// What it was built with.
    pub(crate) sanitizers: Vec<Sanitizer>,
    /// Does it read tests at all? An executable may have been linked without the library.
    pub(crate) reads_tests: bool,
    pub(crate) scratch: ScratchFolder,
    /// How many runs there were: each has files of its own.
    pub(crate) runs: AtomicU64,
    /// What the compiler said, though it built the program.
    warnings: String,
}

impl NativeProgram {
    /// Builds a source file, bitcode or assembly with the replay library, or opens an executable
    /// that was linked with it.
    ///
    /// # Errors
    /// If the program cannot be read or built, or an option does not apply to it.
    pub fn build(program: &Path, options: &BuildOptions) -> Result<NativeProgram, BuildError> {
        let file = || program.display().to_string();
        let content = cairn_home::read_file(program).map_err(|source| BuildError::Read {
            file: file(),
            source,
        })?;
        let kind = ProgramKind::of(program);
        let needs_source = |option| BuildError::NeedsSource {
            file: file(),
            option,
        };
        let compiler = match kind {
            ProgramKind::Executable => {
                if !options.sanitize.is_empty() {
                    return Err(needs_source("--sanitize"));
                }
                if options.entry.is_some() {
                    return Err(needs_source("--entry"));
                }
                return Self::open(program, &content);
            }
            ProgramKind::Llvm => {
                if !options.sanitize.is_empty() {
                    return Err(needs_source("--sanitize"));
                }
                // Mangled names need the C++ library; linking it to a program in C does no harm.
                if contains(&content, b"_Z") {
                    CXX_COMPILER
                } else {
                    C_COMPILER
                }
            }
            ProgramKind::C => C_COMPILER,
            ProgramKind::Cxx => CXX_COMPILER,
        };
        let driver = options.driver.as_deref().filter(|_| {
            options.sanitize.is_empty() && matches!(kind, ProgramKind::C | ProgramKind::Cxx)
        });
        let for_library = match driver {
            None => Compiler::clang(C_COMPILER),
            Some(binary) => Compiler::driver(binary, "cc", "cairn cc"),
        };
        let compiler = match (driver, kind) {
            (None, _) => Compiler::clang(compiler),
            (Some(binary), ProgramKind::Cxx) => Compiler::driver(binary, "c++", "cairn c++"),
            (Some(binary), _) => Compiler::driver(binary, "cc", "cairn cc"),
        };
        let scratch = ScratchFolder::new()?;
        install_headers(scratch.path())?;
        let sanitize = sanitizer_flags(&options.sanitize);
        let library = compile_library(
            &scratch,
            &for_library,
            options.entry.as_deref(),
            &sanitize,
            &file(),
        )?;

        let executable = scratch.path().join("program");
        let mut command = compiler.command();
        command.arg("-g");
        if !options.flags.iter().any(|flag| flag.starts_with("-O")) {
            command.arg("-O0");
        }
        command.args(&sanitize).args(&options.flags);
        command.arg("-I").arg(scratch.path());
        command.arg("-o").arg(&executable).arg(program).arg(library);
        // Libraries that many programs need; linking them without need does no harm.
        command.args(["-lm", "-lpthread"]);
        let warnings = finish(command, compiler.name, &file())?;
        Ok(NativeProgram {
            executable,
            sanitizers: options.sanitize.clone(),
            reads_tests: true,
            scratch,
            runs: AtomicU64::new(0),
            warnings,
        })
    }

    fn open(program: &Path, content: &[u8]) -> Result<NativeProgram, BuildError> {
        if !(content.starts_with(b"\x7fELF") || content.starts_with(b"#!")) {
            return Err(BuildError::NotAProgram {
                file: program.display().to_string(),
            });
        }
        // A name without a folder would be looked for in PATH.
        let executable = std::path::absolute(program)?;
        Ok(NativeProgram {
            executable,
            sanitizers: Sanitizer::in_executable(content),
            // Linked with our library, or with another that fills objects from a test.
            reads_tests: contains(content, b"KTEST_FILE")
                || contains(content, b"klee_make_symbolic")
                || content.starts_with(b"#!"),
            scratch: ScratchFolder::new()?,
            runs: AtomicU64::new(0),
            warnings: String::new(),
        })
    }

    /// Where the executable is, for as long as this value lives.
    pub fn executable(&self) -> &Path {
        &self.executable
    }

    /// The folder that goes away with this value.
    pub fn scratch_folder(&self) -> &Path {
        self.scratch.path()
    }

    /// The compiler's warnings.
    pub fn warnings(&self) -> &str {
        &self.warnings
    }

    /// Was it built with this sanitizer?
    pub fn has(&self, sanitizer: Sanitizer) -> bool {
        self.sanitizers.contains(&sanitizer)
    }
}

fn sanitizer_flags(sanitizers: &[Sanitizer]) -> Vec<String> {
    if sanitizers.is_empty() {
        return Vec::new();
    }
    let names: Vec<&str> = sanitizers.iter().map(|s| s.name()).collect();
    vec![
        format!("-fsanitize={}", names.join(",")),
        // The first report ends the run.
        "-fno-sanitize-recover=all".to_string(),
        "-fno-omit-frame-pointer".to_string(),
    ]
}

fn compile_library(
    scratch: &ScratchFolder,
    compiler: &Compiler<'_>,
    entry: Option<&str>,
    sanitize: &[String],
    file: &str,
) -> Result<PathBuf, BuildError> {
    let source = scratch.path().join("replay.c");
    let object = scratch.path().join("replay.o");
    std::fs::write(&source, REPLAY_SOURCE)?;
    let mut command = compiler.command();
    command.args(["-c", "-g", "-O1"]).args(sanitize);
    match entry {
        None | Some("main") => {}
        Some(HARNESS) => {
            command.arg("-DCAIRN_REPLAY_HARNESS");
        }
        Some(name) => {
            if !is_c_name(name) {
                let entry = name.to_string();
                return Err(BuildError::Entry { entry });
            }
            command.arg(format!("-DCAIRN_REPLAY_ENTRY={name}"));
        }
    }
    command.arg("-I").arg(scratch.path());
    command.arg("-o").arg(&object).arg(&source);
    finish(command, compiler.name, file)?;
    Ok(object)
}

/// Runs the compiler; the result is what it said.
fn finish(mut command: Command, compiler: &'static str, file: &str) -> Result<String, BuildError> {
    let ran = command
        .stdin(Stdio::null())
        .output()
        .map_err(|source| BuildError::Compiler { compiler, source })?;
    let messages = String::from_utf8_lossy(&ran.stderr).trim_end().to_string();
    if ran.status.success() {
        return Ok(messages);
    }
    let hint = if messages.contains("libclang_rt") {
        "\nThe sanitizers' libraries are missing; install them, for example with: \
         apt-get install libclang-rt-19-dev"
    } else {
        ""
    };
    Err(BuildError::Refused {
        file: file.to_string(),
        compiler,
        messages,
        hint,
    })
}

fn is_c_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes
        .next()
        .is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn contains(content: &[u8], what: &[u8]) -> bool {
    content.windows(what.len()).any(|window| window == what)
}
