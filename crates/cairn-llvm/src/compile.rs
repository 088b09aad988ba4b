//! Running clang, and the flags by which it keeps the checks that are asked for.

use crate::error::CompileError;
use crate::{LowerOptions, Overshift};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Between two looks at a compiler that has a deadline.
const PAUSE: Duration = Duration::from_millis(2);

/// Flags by which signed arithmetic is promised to wrap: then nothing is wrong with it.
const WRAPS: [&str; 2] = ["-fwrapv", "-fno-strict-overflow"];

/// The warning of a constant amount of a shift that is too large. Without optimising, the amount is cut to the width of what is
/// shifted (`1 << 4294967297L`), and the warning is all that tells.
const SHIFT_WARNING: &str = "shift-count-overflow";

/// The flag that turns all warnings off, also those that others turn on.
const QUIET: &str = "-w";

/// What the compiler said of a source that it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompilerNotes {
    /// A shift has a constant amount that is too large: compiling again with [`check_flags`] shows where.
    pub shifts_too_far: bool,
}

/// Flags for the compiler, to stand before the user's own, by which it keeps the checks that are asked
/// for. If the first compilation shows that it has folded something undefined ([`crate::Lowered::folded`]),
/// the second one is `after_folding`.
pub fn check_flags(flags: &[String], checks: &LowerOptions, after_folding: bool) -> Vec<String> {
    let wraps = flags.iter().any(|flag| WRAPS.contains(&flag.as_str()));
    let level = flags.iter().rev().find_map(|flag| flag.strip_prefix("-O"));
    let optimized = level.is_some_and(|level| level != "0");
    let mut kept = Vec::new();
    if checks.check_signed_overflow && !wraps {
        kept.push("signed-integer-overflow");
    }
    if checks.check_overshift != Overshift::Never && (optimized || after_folding) {
        kept.push("shift-exponent");
    }
    if optimized || after_folding {
        kept.push("integer-divide-by-zero");
    }
    let mut all = Vec::new();
    if !kept.is_empty() {
        all.push(format!("-fsanitize={}", kept.join(",")));
    }
    if checks.check_scopes {
        // Has the front end mark scopes without optimising, too; without the address sanitiser it has
        // no other effect.
        all.extend(["-Xclang", "-fsanitize-address-use-after-scope"].map(str::to_string));
    }
    all
}

/// Compiles a C or C++ source file to bitcode with debug information, without optimisation unless
/// the flags say otherwise. Warnings go to standard error.
///
/// # Errors
/// If clang is missing or refuses the source.
pub fn compile(
    source: &Path,
    flags: &[String],
    output: &Path,
) -> Result<CompilerNotes, CompileError> {
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
) -> Result<CompilerNotes, CompileError> {
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
    let quiet = flags.iter().any(|flag| flag == QUIET);
    command.args(flags.iter().map(|flag| match flag == QUIET {
        true => "-Wno-everything",
        false => flag.as_str(),
    }));
    command.args([
        format!("-W{SHIFT_WARNING}"),
        format!("-Wno-error={SHIFT_WARNING}"),
    ]);
    command.arg("-o").arg(output).arg(source);
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
    if !quiet {
        // Warnings that cannot be shown are no reason to stop.
        let _ = std::io::stderr().write_all(messages.as_bytes());
    }
    Ok(CompilerNotes {
        shifts_too_far: messages.contains(&format!("[-W{SHIFT_WARNING}]")),
    })
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
