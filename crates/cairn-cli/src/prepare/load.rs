//! From a file to a verified program.

use super::bad;
use super::choose_libc::{self, LibcUse};
use super::executable::{AbiUse, LoadedExecutable};
use super::libc::{Libc, LibcChoice};
use crate::bitcode;
use crate::exit::{self, Failure};
use cairn_cc::LinkedFile;
use cairn_home::{ScratchFolder, install_headers};
use cairn_ir::Program;
use cairn_llvm::{
    Assembly, CompileError, CompilerNotes, LibraryLink, LowerOptions, Lowered, Unsupported,
};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

/// A program and what in it is not supported.
pub struct LoadedProgram {
    /// The program, verified.
    pub program: Program,
    /// One line each: what, and where.
    pub unsupported: Vec<String>,
    /// Errors that cannot be found because the compiler has taken the checks away: one line each.
    pub missing_checks: Vec<String>,
    /// LLVM's assembly text, if it was asked for and there is one.
    pub assembly: Option<Assembly>,
    /// Which parts of the program are missing.
    pub warning: Option<String>,
    /// What else there is of an executable.
    pub(super) executable: Option<LoadedExecutable>,
    /// What the system calls of an executable mean.
    pub abi: Option<AbiUse>,
    /// The C library that it is linked with.
    pub libc: LibcUse,
}

/// Kinds of files, by their names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    /// C or C++.
    Source,
    /// Bitcode or its text.
    Llvm,
    /// Cairn's own form.
    Own,
    /// What `cairn cc` built.
    MachineCode,
}

pub(super) fn kind(file: &Path) -> Result<FileKind, Failure> {
    match file.extension().and_then(|e| e.to_str()) {
        Some("c" | "i" | "cc" | "cpp" | "cxx" | "C" | "c++" | "ii") => Ok(FileKind::Source),
        Some("bc" | "ll") => Ok(FileKind::Llvm),
        Some("cir") => Ok(FileKind::Own),
        Some(_) | None if LinkedFile::of(file).is_some() => Ok(FileKind::MachineCode),
        Some(_) | None if !file.exists() => Err(bad(file, "no such file")),
        Some(_) | None => Err(bad(
            file,
            "expected a name that ends in .c, .cc, .cpp, .bc, .ll or .cir, or a program that was \
             built with `cairn cc`",
        )),
    }
}

/// Whether a file is a source in C++.
pub(super) fn is_cxx(file: &Path) -> bool {
    let extension = file.extension().and_then(|e| e.to_str());
    matches!(extension, Some("cc" | "cpp" | "cxx" | "C" | "c++" | "ii"))
}

/// A file to load, and how.
pub struct Request<'a> {
    /// The file.
    pub file: &'a Path,
    /// What the compiler of a source is told.
    pub flags: Vec<String>,
    /// How a module is lowered.
    pub checks: LowerOptions,
    /// The C library that it is linked with; nothing if what it needs decides.
    pub libc: Option<LibcChoice>,
    /// When a compiler must be done.
    pub deadline: Option<Instant>,
}

impl LoadedProgram {
    /// A program without a C library, which needs no message.
    pub(super) fn of(program: Program) -> Self {
        LoadedProgram {
            program,
            unsupported: Vec::new(),
            missing_checks: Vec::new(),
            assembly: None,
            warning: None,
            executable: None,
            abi: None,
            libc: LibcUse::default(),
        }
    }
}

/// Loads a file and links it with a C library, or where none is named with the one that it needs.
///
/// # Errors
/// Why it cannot be loaded.
pub fn load(mut request: Request<'_>) -> Result<LoadedProgram, Failure> {
    let file = request.file;
    request.checks.compiled_for_checks |= matches!(kind(file)?, FileKind::Source);
    let loaded = match request.libc {
        Some(LibcChoice::None) => request.lower(&request.read(Headers::Host)?, None)?,
        Some(LibcChoice::Musl) => {
            let libc = Libc::find().map_err(|e| Failure::new(exit::USAGE, e))?;
            request.lower(&request.read(Headers::Of(&libc))?, Some(&libc))?
        }
        None => choose_libc::load_where_needed(&request)?,
    };
    if let Err(errors) = cairn_ir::verify::verify(&loaded.program) {
        let first = errors.first().map(ToString::to_string).unwrap_or_default();
        let code = match kind(file)? {
            FileKind::Own => exit::BAD_INPUT,
            FileKind::Source | FileKind::Llvm | FileKind::MachineCode => exit::BUG,
        };
        let message = anyhow::anyhow!("{}: not a valid program: {first}", file.display());
        return Err(Failure::new(code, message));
    }
    Ok(loaded)
}

/// Whose headers a source is compiled with.
#[derive(Clone, Copy)]
pub(super) enum Headers<'a> {
    /// Those that the compiler finds by itself.
    Host,
    /// Those of a library that was set up.
    Of(&'a Libc),
    /// The same, for a source that was compiled before: what the compiler warns of was said.
    Again(&'a Libc),
}

/// A program as a front end takes it.
pub(super) enum FrontEndInput {
    /// A source that was compiled to a module of LLVM with these flags, and what the compiler said.
    Compiled(Vec<u8>, Vec<String>, CompilerNotes),
    /// A module of LLVM, and which parts of the program are missing.
    Module(Vec<u8>, Option<String>),
    /// Cairn's own form.
    Own(Program),
}

impl Request<'_> {
    /// Reads the file; a source is compiled with these headers.
    pub(super) fn read(&self, headers: Headers<'_>) -> Result<FrontEndInput, Failure> {
        let file = self.file;
        match kind(file)? {
            FileKind::Source => {
                if !file.exists() {
                    return Err(bad(file, "no such file"));
                }
                cairn_home::check_file(file).map_err(|e| bad(file, e))?;
                let flags = self.compiler_flags(headers)?;
                let (bytes, notes) = self.compile(&flags, false)?;
                Ok(FrontEndInput::Compiled(bytes, flags, notes))
            }
            FileKind::Llvm => {
                let bytes = cairn_home::read_file(file).map_err(|e| bad(file, e))?;
                Ok(FrontEndInput::Module(bytes, None))
            }
            FileKind::MachineCode => {
                let assembled = bitcode::assemble(file)?;
                Ok(FrontEndInput::Module(assembled.bitcode, assembled.warning))
            }
            FileKind::Own => {
                let text = cairn_home::read_text(file).map_err(|e| bad(file, e))?;
                let program = cairn_ir::text::parse(&text).map_err(|e| bad(file, e))?;
                Ok(FrontEndInput::Own(program))
            }
        }
    }

    /// Lowers what was read; a module is linked with this library.
    pub(super) fn lower(
        &self,
        input: &FrontEndInput,
        link: Option<&Libc>,
    ) -> Result<LoadedProgram, Failure> {
        match input {
            FrontEndInput::Compiled(bytes, flags, notes) => {
                let lowered = self.lower_module(bytes, link)?;
                let folded = lowered.folded || notes.shifts_too_far;
                let kept = |again| cairn_llvm::check_flags(flags, &self.checks, again);
                if !(folded && self.checks.check_folded) || kept(true) == kept(false) {
                    return Ok(self.loaded(lowered, link));
                }
                // The compiler has folded what a check would have found.
                let quiet = [flags.as_slice(), &["-w".to_string()]].concat();
                let (bytes, _) = self.compile(&quiet, true)?;
                Ok(self.loaded(self.lower_module(&bytes, link)?, link))
            }
            FrontEndInput::Module(bytes, warning) => Ok(LoadedProgram {
                warning: warning.clone(),
                ..self.loaded(self.lower_module(bytes, link)?, link)
            }),
            FrontEndInput::Own(program) => Ok(LoadedProgram {
                abi: None,
                libc: LibcUse::none(),
                ..LoadedProgram::of(program.clone())
            }),
        }
    }

    fn compiler_flags(&self, headers: Headers<'_>) -> Result<Vec<String>, Failure> {
        let (libc, again) = match headers {
            Headers::Host => return Ok(self.flags.clone()),
            Headers::Of(libc) => (libc, false),
            Headers::Again(libc) => (libc, true),
        };
        let mut flags = Vec::new();
        if is_cxx(self.file) {
            let cxx = libc.cxx_compiler_flags();
            flags.extend(cxx.map_err(|e| Failure::new(exit::USAGE, e))?);
        }
        flags.extend(libc.compiler_flags());
        flags.extend(self.flags.iter().cloned());
        if again {
            flags.push("-w".to_string());
        }
        Ok(flags)
    }

    /// Compiles the source in a folder of its own, where it also finds our headers.
    fn compile(
        &self,
        flags: &[String],
        after_folding: bool,
    ) -> Result<(Vec<u8>, CompilerNotes), Failure> {
        let no_room = |e: std::io::Error| {
            let code = match exit::write_code(&e) {
                exit::UNWRITABLE => exit::UNWRITABLE,
                _ => exit::BAD_INPUT,
            };
            Failure::new(code, anyhow::Error::from(e).context("no room to compile"))
        };
        let scratch = ScratchFolder::new().map_err(no_room)?;
        install_headers(scratch.path()).map_err(no_room)?;
        let mut all = cairn_llvm::check_flags(flags, &self.checks, after_folding);
        all.extend(flags.iter().cloned());
        // After the user's own folders, so that a klee.h of the user comes first.
        all.push(format!("-I{}", scratch.path().display()));
        let output = scratch.path().join("program.bc");
        let compiled = cairn_llvm::compile_until(self.file, &all, &output, self.deadline);
        let notes = compiled.map_err(|e| match &e {
            CompileError::OutOfTime { .. } => {
                let message = anyhow::anyhow!("{e}: nothing was explored within max-time");
                Failure::new(exit::INCOMPLETE, message)
            }
            CompileError::Missing { .. }
            | CompileError::Start { .. }
            | CompileError::Failed { .. } => Failure::new(exit::BAD_INPUT, e),
        })?;
        let bytes = std::fs::read(&output).map_err(no_room)?;
        Ok((bytes, notes))
    }

    /// Whether it is a source in C, which needs nothing of C++'s library.
    fn is_only_c(&self) -> bool {
        matches!(kind(self.file), Ok(FileKind::Source)) && !is_cxx(self.file)
    }

    /// Lowers a module. It is named as the user named its file: the name stands in messages and in the
    /// assembly text, which must be the same for the same run.
    fn lower_module(&self, bytes: &[u8], libc: Option<&Libc>) -> Result<Lowered, Failure> {
        let own: BTreeSet<&str> = match libc {
            None => cairn_machine::native_names().collect(),
            Some(_) => cairn_machine::native_names_beside_libc().collect(),
        };
        let lower_options = LowerOptions {
            defined_elsewhere: own
                .into_iter()
                .chain(cairn_engine::intrinsic_names())
                .map(str::to_string)
                .collect(),
            ..self.checks.clone()
        };
        let library = libc.map(|libc| libc.open(self.is_only_c())).transpose();
        let library = library.map_err(|e| Failure::new(exit::USAGE, e))?;
        let name = self.file.to_string_lossy();
        cairn_llvm::guarded(self.file, || match &library {
            None => cairn_llvm::load_bytes(&name, bytes, &lower_options),
            Some(library) => {
                let with = LibraryLink {
                    library,
                    start: cairn_machine::START,
                };
                cairn_llvm::load_linked(&name, bytes, &lower_options, with)
            }
        })
        .map_err(|e| Failure::new(exit::BAD_INPUT, e))
    }

    fn loaded(&self, lowered: Lowered, libc: Option<&Libc>) -> LoadedProgram {
        let line = |u: &Unsupported| format!("{}: {} in {}", u.place, u.what, u.function);
        LoadedProgram {
            unsupported: lowered.unsupported.iter().map(line).collect(),
            missing_checks: lowered.missing_checks,
            assembly: lowered.assembly,
            abi: None,
            libc: match libc {
                None => LibcUse::none(),
                Some(libc) => LibcUse::linked(libc, self.is_only_c()),
            },
            ..LoadedProgram::of(lowered.program)
        }
    }
}
