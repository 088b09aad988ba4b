//! From a file to a verified program.

use super::{CheckName, Options};
use crate::exit::{self, Failure};
use cairn_ir::Program;
use cairn_llvm::LowerOptions;
use std::path::{Path, PathBuf};

/// A program and what in it is not supported.
pub struct Loaded {
    /// The program, verified.
    pub program: Program,
    /// One line each: what, and where.
    pub unsupported: Vec<String>,
}

/// Kinds of files, by their names.
enum Kind {
    Source,
    Llvm,
    Own,
}

fn kind(file: &Path) -> Result<Kind, Failure> {
    match file.extension().and_then(|e| e.to_str()) {
        Some("c" | "i" | "cc" | "cpp" | "cxx" | "C" | "c++" | "ii") => Ok(Kind::Source),
        Some("bc" | "ll") => Ok(Kind::Llvm),
        Some("cir") => Ok(Kind::Own),
        Some(_) | None => Err(bad(
            file,
            "expected a name that ends in .c, .cc, .cpp, .bc, .ll or .cir",
        )),
    }
}

fn bad(file: &Path, why: impl std::fmt::Display) -> Failure {
    Failure::new(
        exit::BAD_INPUT,
        anyhow::anyhow!("{}: {why}", file.display()),
    )
}

/// Loads the program that the options name.
pub fn load(options: &Options) -> Result<Loaded, Failure> {
    let file = &options.program;
    let loaded = match kind(file)? {
        Kind::Source => {
            if !file.exists() {
                return Err(bad(file, "no such file"));
            }
            let output = Scratch::new()?;
            cairn_llvm::compile(file, &options.compiler_flags(), &output.0)
                .map_err(|e| Failure::new(exit::BAD_INPUT, e))?;
            lower(&output.0, options)?
        }
        Kind::Llvm => lower(file, options)?,
        Kind::Own => {
            let text = std::fs::read_to_string(file).map_err(|e| bad(file, e))?;
            Loaded {
                program: cairn_ir::text::parse(&text).map_err(|e| bad(file, e))?,
                unsupported: Vec::new(),
            }
        }
    };
    if let Err(errors) = cairn_ir::verify::verify(&loaded.program) {
        let first = errors.first().map(ToString::to_string).unwrap_or_default();
        let code = match kind(file)? {
            Kind::Own => exit::BAD_INPUT,
            Kind::Source | Kind::Llvm => exit::BUG,
        };
        let message = anyhow::anyhow!("{}: not a valid program: {first}", file.display());
        return Err(Failure::new(code, message));
    }
    Ok(loaded)
}

fn lower(file: &Path, options: &Options) -> Result<Loaded, Failure> {
    let lower_options = LowerOptions {
        check_signed_overflow: options.check.contains(&CheckName::Overflow),
        provided: cairn_machine::provided().map(str::to_string).collect(),
        ..LowerOptions::default()
    };
    let lowered = cairn_llvm::guarded(file, || cairn_llvm::load(file, &lower_options))
        .map_err(|e| Failure::new(exit::BAD_INPUT, e))?;
    Ok(Loaded {
        program: lowered.program,
        unsupported: lowered
            .unsupported
            .iter()
            .map(|u| format!("{}: {} in {}", u.place, u.what, u.function))
            .collect(),
    })
}

/// A file for the compiler's output that goes away again.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self, Failure> {
        let folder = std::env::temp_dir();
        let name = format!("cairn-{}.bc", std::process::id());
        Ok(Scratch(folder.join(name)))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If it is not there, nothing is to be done.
        let _ = std::fs::remove_file(&self.0);
    }
}
