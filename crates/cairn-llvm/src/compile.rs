//! Running clang.

use crate::error::CompileError;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// Compiles a C or C++ source file to bitcode with debug information, without optimisation unless
/// the flags say otherwise. Warnings go to standard error.
///
/// # Errors
/// If clang is missing or refuses the source.
pub fn compile(source: &Path, flags: &[String], output: &Path) -> Result<(), CompileError> {
    let extension = source.extension().and_then(|e| e.to_str()).unwrap_or("");
    let compiler = match extension {
        "cc" | "cpp" | "cxx" | "c++" | "C" => "clang++-19",
        _ => "clang-19",
    };
    let mut command = Command::new(compiler);
    command.args(["-g", "-emit-llvm", "-c"]);
    if !flags.iter().any(|flag| flag.starts_with("-O")) {
        command.arg("-O0");
    }
    command.args(flags).arg("-o").arg(output).arg(source);
    let ran = command.stdin(Stdio::null()).output().map_err(|error| {
        let compiler = compiler.to_string();
        match error.kind() {
            ErrorKind::NotFound => CompileError::Missing { compiler },
            _ => CompileError::Start {
                compiler,
                source: error,
            },
        }
    })?;
    let messages = String::from_utf8_lossy(&ran.stderr);
    if !ran.status.success() {
        return Err(CompileError::Failed {
            file: source.to_string_lossy().into_owned(),
            compiler: compiler.to_string(),
            messages: messages.trim_end().to_string(),
        });
    }
    // Warnings that cannot be shown are no reason to stop.
    let _ = std::io::stderr().write_all(messages.as_bytes());
    Ok(())
}
