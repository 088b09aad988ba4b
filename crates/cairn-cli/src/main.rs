//! The command `cairn`: flags, files and exit codes. Everything else is in the libraries.

mod exit;
mod run;
mod solve;

use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::process::ExitCode;

/// Explores programs on symbolic inputs: tests that reach their paths, errors with the input that
/// triggers them, and, where all was explored, the fact that there are none.
#[derive(Parser)]
#[command(name = "cairn", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs a program: C, C++, LLVM bitcode or assembly
    Run(Box<run::Options>),
    /// Decides SMT-LIB scripts (.smt2) and KQuery files (.kquery)
    Solve(solve::Options),
}

/// The command line, with the compiler's `-std=` spelled as an option of ours.
fn arguments() -> Vec<OsString> {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    for argument in arguments.iter_mut().take_while(|a| *a != "--") {
        if let Some(standard) = argument.to_str().and_then(|a| a.strip_prefix("-std=")) {
            *argument = format!("--std={standard}").into();
        }
    }
    arguments
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse_from(arguments()) {
        Ok(cli) => cli,
        Err(e) => {
            // Help and version are no errors; everything else is wrong usage.
            let code = if e.use_stderr() {
                exit::USAGE
            } else {
                exit::DONE
            };
            let _ = e.print();
            return ExitCode::from(code);
        }
    };
    std::panic::set_hook(Box::new(|_| {}));
    let outcome = std::panic::catch_unwind(|| match cli.command {
        Command::Run(options) => run::run(&options),
        Command::Solve(options) => solve::run(&options),
    });
    match outcome {
        Ok(Ok(code)) => ExitCode::from(code),
        Ok(Err(failure)) => {
            eprintln!("cairn: {:#}", failure.error);
            ExitCode::from(failure.code)
        }
        Err(panic) => {
            let what = panic
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_string()))
                .unwrap_or_default();
            eprintln!(
                "cairn: a bug in Cairn: {what}. Please report it with the input that caused it."
            );
            ExitCode::from(exit::BUG)
        }
    }
}
