//! From a file to a verified program.

use super::{CheckName, Options};
use crate::bitcode;
use crate::exit::{self, Failure};
use crate::libc::{Libc, LibcChoice};
use cairn_cc::MachineCode;
use cairn_ir::Program;
use cairn_llvm::{Assembly, CompileError, Link, LowerOptions, Lowered, Unsupported};
use cairn_replay::{ScratchFolder, install_headers};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

/// A program and what in it is not supported.
pub struct Loaded {
    /// The program, verified.
    pub program: Program,
    /// One line each: what, and where.
    pub unsupported: Vec<String>,
    /// Errors that cannot be found because the compiler has taken the checks away: one line each.
    pub lost: Vec<String>,
    /// LLVM's assembly text, if it was asked for and there is one.
    pub assembly: Option<Assembly>,
    /// Which parts of the program are missing.
    pub warning: Option<String>,
    /// What else there is of an executable.
    pub guest: Option<super::riscv::Surroundings>,
}

/// Kinds of files, by their names.
enum Kind {
    Source,
    Llvm,
    Own,
    MachineCode,
}

fn kind(file: &Path) -> Result<Kind, Failure> {
    match file.extension().and_then(|e| e.to_str()) {
        Some("c" | "i" | "cc" | "cpp" | "cxx" | "C" | "c++" | "ii") => Ok(Kind::Source),
        Some("bc" | "ll") => Ok(Kind::Llvm),
        Some("cir") => Ok(Kind::Own),
        Some(_) | None if MachineCode::of(file).is_some() => Ok(Kind::MachineCode),
        Some(_) | None if !file.exists() => Err(bad(file, "no such file")),
        Some(_) | None => Err(bad(
            file,
            "expected a name that ends in .c, .cc, .cpp, .bc, .ll or .cir, or a program that was \
             built with `cairn cc`",
        )),
    }
}

/// Whether a file is a source in C++.
fn is_cxx(file: &Path) -> bool {
    let extension = file.extension().and_then(|e| e.to_str());
    matches!(extension, Some("cc" | "cpp" | "cxx" | "C" | "c++" | "ii"))
}

fn bad(file: &Path, why: impl std::fmt::Display) -> Failure {
    Failure::new(
        exit::BAD_INPUT,
        anyhow::anyhow!("{}: {why}", file.display()),
    )
}

/// Loads the program that the options name.
pub fn load(options: &Options, deadline: Option<Instant>) -> Result<Loaded, Failure> {
    let checks = LowerOptions {
        check_signed_overflow: options.check.contains(&CheckName::Overflow),
        check_folded: true,
        check_scopes: true,
        keep_assembly: options.explore.write_ll,
        ..LowerOptions::default()
    };
    load_linked(
        &options.program,
        options.compiler.flags(),
        checks,
        options.libc()?,
        deadline,
    )
}

/// Loads a file and links it with a C library: a source is compiled with these flags and the library's
/// headers, at most until the deadline; a module is lowered with these checks.
pub fn load_linked(
    file: &Path,
    mut flags: Vec<String>,
    checks: LowerOptions,
    libc: LibcChoice,
    deadline: Option<Instant>,
) -> Result<Loaded, Failure> {
    let libc = match libc {
        LibcChoice::None => None,
        LibcChoice::Musl => Some(Libc::find().map_err(|e| Failure::new(exit::USAGE, e))?),
    };
    if let Some(libc) = &libc {
        let mut own = libc.compiler_flags().to_vec();
        if is_cxx(file) {
            let cxx = libc.cxx_compiler_flags();
            let cxx = cxx.map_err(|e| Failure::new(exit::USAGE, e))?;
            own.splice(0..0, cxx);
        }
        flags.splice(0..0, own);
    }
    let loaded = match kind(file)? {
        Kind::Source => {
            if !file.exists() {
                return Err(bad(file, "no such file"));
            }
            cairn_replay::check_file(file).map_err(|e| bad(file, e))?;
            compile_and_lower(file, flags, checks, libc.as_ref(), deadline)?
        }
        Kind::Llvm => {
            let bytes = cairn_replay::read_file(file).map_err(|e| bad(file, e))?;
            lower(&bytes, file, checks, libc.as_ref())?
        }
        Kind::MachineCode => {
            let assembled = bitcode::assemble(file)?;
            Loaded {
                warning: assembled.warning,
                ..lower(&assembled.bitcode, file, checks, libc.as_ref())?
            }
        }
        Kind::Own => {
            let text = cairn_replay::read_text(file).map_err(|e| bad(file, e))?;
            Loaded {
                program: cairn_ir::text::parse(&text).map_err(|e| bad(file, e))?,
                unsupported: Vec::new(),
                lost: Vec::new(),
                assembly: None,
                warning: None,
                guest: None,
            }
        }
    };
    if let Err(errors) = cairn_ir::verify::verify(&loaded.program) {
        let first = errors.first().map(ToString::to_string).unwrap_or_default();
        let code = match kind(file)? {
            Kind::Own => exit::BAD_INPUT,
            Kind::Source | Kind::Llvm | Kind::MachineCode => exit::BUG,
        };
        let message = anyhow::anyhow!("{}: not a valid program: {first}", file.display());
        return Err(Failure::new(code, message));
    }
    Ok(loaded)
}

/// Compiles a source file in a folder of its own, where it also finds our headers.
fn compile_and_lower(
    file: &Path,
    mut flags: Vec<String>,
    checks: LowerOptions,
    libc: Option<&Libc>,
    deadline: Option<Instant>,
) -> Result<Loaded, Failure> {
    let checks = LowerOptions {
        compiled_for_checks: true,
        ..checks
    };
    let no_room = |e: std::io::Error| {
        let code = match exit::write_code(&e) {
            exit::UNWRITABLE => exit::UNWRITABLE,
            _ => exit::BAD_INPUT,
        };
        Failure::new(code, anyhow::Error::from(e).context("no room to compile"))
    };
    let scratch = ScratchFolder::new().map_err(no_room)?;
    install_headers(scratch.path()).map_err(no_room)?;
    // Behind the user's own folders, so that a klee.h of his comes first.
    flags.push(format!("-I{}", scratch.path().display()));
    let output = scratch.path().join("program.bc");
    let out_of_time = |e: CompileError| match &e {
        CompileError::OutOfTime { .. } => {
            let message = anyhow::anyhow!("{e}: nothing was explored within max-time");
            Failure::new(exit::INCOMPLETE, message)
        }
        CompileError::Missing { .. } | CompileError::Start { .. } | CompileError::Failed { .. } => {
            Failure::new(exit::BAD_INPUT, e)
        }
    };
    let compile = |after_folding: bool| {
        let mut all = cairn_llvm::check_flags(&flags, &checks, after_folding);
        all.extend(flags.iter().cloned());
        cairn_llvm::compile_until(file, &all, &output, deadline).map_err(out_of_time)?;
        std::fs::read(&output).map_err(no_room)
    };
    let lowered = lower_module(&compile(false)?, file, &checks, libc)?;
    if lowered.folded && checks.check_folded {
        return Ok(lower_module(&compile(true)?, file, &checks, libc)?.into());
    }
    Ok(lowered.into())
}

/// Lowers a module. It is named as the user named its file: the name stands in messages and in the
/// assembly text, which must be the same for the same run.
fn lower(
    bytes: &[u8],
    named: &Path,
    checks: LowerOptions,
    libc: Option<&Libc>,
) -> Result<Loaded, Failure> {
    Ok(lower_module(bytes, named, &checks, libc)?.into())
}

fn lower_module(
    bytes: &[u8],
    named: &Path,
    checks: &LowerOptions,
    libc: Option<&Libc>,
) -> Result<Lowered, Failure> {
    let own: BTreeSet<&str> = match libc {
        None => cairn_machine::provided().collect(),
        Some(_) => cairn_machine::provided_beside_libc().collect(),
    };
    let lower_options = LowerOptions {
        provided: own
            .into_iter()
            .chain(cairn_engine::intrinsic_names())
            .map(str::to_string)
            .collect(),
        ..checks.clone()
    };
    let only_c = matches!(kind(named), Ok(Kind::Source)) && !is_cxx(named);
    let library = libc.map(|libc| libc.open(only_c)).transpose();
    let library = library.map_err(|e| Failure::new(exit::USAGE, e))?;
    let name = named.to_string_lossy();
    cairn_llvm::guarded(named, || match &library {
        None => cairn_llvm::load_bytes(&name, bytes, &lower_options),
        Some(library) => {
            let with = Link {
                library,
                start: cairn_machine::START,
            };
            cairn_llvm::load_linked(&name, bytes, &lower_options, with)
        }
    })
    .map_err(|e| Failure::new(exit::BAD_INPUT, e))
}

impl From<Lowered> for Loaded {
    fn from(lowered: Lowered) -> Self {
        let line = |u: &Unsupported| format!("{}: {} in {}", u.place, u.what, u.function);
        Loaded {
            program: lowered.program,
            unsupported: lowered.unsupported.iter().map(line).collect(),
            lost: lowered.lost,
            assembly: lowered.assembly,
            warning: None,
            guest: None,
        }
    }
}
