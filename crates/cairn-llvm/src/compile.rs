//! Running clang.

use crate::error::CompileError;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Between two looks at a compiler that has a deadline.
const PAUSE: Duration = Duration::from_millis(2);

/// Compiles a C or C++ source file to bitcode with debug information, without optimisation unless
/// the flags say otherwise. Warnings go to standard error.
///
/// # Errors
/// If clang is missing or refuses the source.
pub fn compile(source: &Path, flags: &[String], output: &Path) -> Result<(), CompileError> {
    compile_until(source, flags, output, None)
}

/// The same, but the compiler is ended at a deadline.
///
/// # Errors
/// If clang is missing, refuses the source or takes too long.
pub fn compile_until(
    source: &Path,
    flags: &[String],
    output: &Path,
    deadline: Option<Instant>,
) -> Result<(), CompileError> {
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
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let unstartable = |error: std::io::Error| {
        let compiler = compiler.to_string();
        match error.kind() {
            ErrorKind::NotFound => CompileError::Missing { compiler },
            _ => CompileError::Start {
                compiler,
                source: error,
            },
        }
    };
    let mut child = command.spawn().map_err(unstartable)?;
    let ran = wait_until(&mut child, deadline).map_err(unstartable)?;
    let Some((status, messages)) = ran else {
        return Err(CompileError::OutOfTime {
            file: source.to_string_lossy().into_owned(),
            compiler: compiler.to_string(),
        });
    };
    let messages = String::from_utf8_lossy(&messages);
    if !status.success() {
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

/// Waits for a process and reads what it says; nothing if it had to be ended at the deadline.
fn wait_until(
    child: &mut Child,
    deadline: Option<Instant>,
) -> std::io::Result<Option<(ExitStatus, Vec<u8>)>> {
    let mut errors = child.stderr.take();
    std::thread::scope(|scope| {
        // Read on the side: a full pipe would keep the process from its end.
        let reader = scope.spawn(move || {
            let mut messages = Vec::new();
            if let Some(errors) = &mut errors {
                // What cannot be read is not shown.
                let _ = errors.read_to_end(&mut messages);
            }
            messages
        });
        let status = match deadline {
            None => Some(child.wait()?),
            Some(deadline) => loop {
                if let Some(status) = child.try_wait()? {
                    break Some(status);
                }
                if Instant::now() >= deadline {
                    child.kill()?;
                    child.wait()?;
                    break None;
                }
                std::thread::sleep(PAUSE);
            },
        };
        let messages = reader.join().unwrap_or_default();
        Ok(status.map(|status| (status, messages)))
    })
}
