//! The command `cairn`: flags, files and exit codes. Everything else is in the libraries.

// They panic where nothing can be written; `output.rs` says what is done instead.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod answers;
mod bitcode;
mod compiler;
mod environment;
mod exit;
mod hints;
mod klee;
mod ktest;
mod output;
mod prepare;
mod recorder;
mod replay;
mod run;
mod signals;
mod solve;
mod stats;
mod verify;

use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::io::Write;
use std::panic::UnwindSafe;
use std::path::PathBuf;
use std::process::ExitCode;

/// Forking makes and drops many small things: with the system's allocator a third of the time of
/// fork-heavy runs is spent in it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What `--help` says about exit codes and variables; `docs/command-line.md` says more.
const AFTER_HELP: &str = "\
Exit codes:
  0    everything was explored, answered or reached, and nothing is wrong
  1    an error in the program was found, or a test did not reach what was recorded
  2    not everything was explored or answered
  64   wrong usage
  65   a bad input file
  70   a bug in Cairn
  74   results could not be written (a full disk); the summary of a run goes to standard error
  141  the reader of standard output closed its pipe
  run --concrete: the program's own; cc, c++: the compiler's; klee: KLEE's

Variables:
  CAIRN_HOME        the folder whose .deps holds musl and Z3; by default above the binary
  CAIRN_LIBC        the folder of musl
  CAIRN_Z3_LIBRARY  the file of Z3's library
  CAIRN_CC_LIBC     the C library of cc: musl or host";

/// Explores programs on symbolic inputs: tests that reach their paths, errors with the input that
/// triggers them, and, where all was explored, the fact that there are none.
#[derive(Parser)]
#[command(name = "cairn", version, max_term_width = 100, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Explores a program (C, C++, LLVM bitcode or assembly) on symbolic inputs; --concrete runs it once
    Run(Box<run::RunArguments>),
    /// Decides a verification task: a verdict, a witness, a test suite
    Verify(Box<verify::VerifyOptions>),
    /// Decides SMT-LIB scripts (.smt2) and KQuery files (.kquery)
    Solve(solve::SolveOptions),
    /// Runs tests natively, in a sandbox where that works, and says whether each recorded outcome was
    /// reached
    Replay(replay::ReplayOptions),
    /// Takes KLEE's command line, and prints and writes what KLEE does
    #[command(disable_help_flag = true)]
    Klee {
        /// KLEE's options, the program, and its arguments
        #[arg(
            trailing_var_arg = true,
            allow_hyphen_values = true,
            value_name = "WORD"
        )]
        words: Vec<OsString>,
    },
    /// Compiles and links C so that `cairn run ./program` can explore it: ./configure CC="cairn cc"
    #[command(disable_help_flag = true)]
    Cc {
        /// The compiler's arguments
        #[arg(
            trailing_var_arg = true,
            allow_hyphen_values = true,
            value_name = "WORD"
        )]
        words: Vec<OsString>,
    },
    /// Compiles and links C++ so that `cairn run ./program` can explore it
    #[command(name = "c++", disable_help_flag = true)]
    Cxx {
        /// The compiler's arguments
        #[arg(
            trailing_var_arg = true,
            allow_hyphen_values = true,
            value_name = "WORD"
        )]
        words: Vec<OsString>,
    },
    /// Takes the bitcode out of a program that was built with `cairn cc`
    Bitcode(bitcode::BitcodeOptions),
    /// Prints tests (.ktest files), or makes one
    Ktest(ktest::KtestOptions),
    /// Prints tables of runs: what was executed, covered and asked, and how long it took
    Stats(stats::StatsOptions),
    /// Writes the headers that programs include (klee/klee.h, cairn/cairn.h, cairn/riscv.h) to a folder
    Headers {
        /// The folder, for the compiler's -I
        folder: PathBuf,
    },
}

/// The command line, with the compiler's `-std=` spelled as an option of ours.
fn arguments() -> Vec<OsString> {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    for argument in arguments.iter_mut().take_while(|a| *a != "--") {
        if let Some(standard) = argument.to_str().and_then(|a| a.strip_prefix("-std=")) {
            *argument = format!("--std={standard}").into();
        }
    }
    if arguments.get(1).is_some_and(|command| command == "run") {
        arguments = environment::behind_dashes(arguments);
    }
    arguments
}

/// What the command line asks for if its words are not ours: KLEE's, a compiler's or a call server's.
/// It is read here, because such words are not ours to change.
fn foreign(mut words: impl Iterator<Item = OsString>) -> Option<Foreign> {
    let called = PathBuf::from(words.next()?);
    let name = called.file_name()?.to_str()?.to_string();
    match name.as_str() {
        "klee" => return Some(Foreign::Klee(words.collect())),
        "cairn-cc" => return Some(Foreign::Compiler(words.collect(), false)),
        "cairn-c++" => return Some(Foreign::Compiler(words.collect(), true)),
        _ => {}
    }
    match words.next()?.to_str()? {
        klee::SERVER => Some(Foreign::CallServer),
        "klee" => Some(Foreign::Klee(words.collect())),
        "cc" => Some(Foreign::Compiler(words.collect(), false)),
        "c++" => Some(Foreign::Compiler(words.collect(), true)),
        _ => None,
    }
}

/// See [`foreign`].
enum Foreign {
    Klee(Vec<OsString>),
    /// A compiler, and whether it is that of C++.
    Compiler(Vec<OsString>, bool),
    CallServer,
}

fn main() -> ExitCode {
    signals::write_errors_instead_of_signals();
    match foreign(std::env::args_os()) {
        Some(Foreign::CallServer) => return klee::serve(),
        Some(Foreign::Klee(words)) => return guarded(|| klee::run(&words)),
        Some(Foreign::Compiler(words, for_cxx)) => return guarded(|| compile(&words, for_cxx)),
        None => {}
    }
    let cli = match Cli::try_parse_from(arguments()) {
        Ok(cli) => cli,
        Err(e) => {
            // Help and version are no errors; everything else is wrong usage.
            let code = if e.use_stderr() {
                exit::USAGE
            } else {
                exit::DONE
            };
            return match e.print().and_then(|()| std::io::stdout().flush()) {
                Err(unprinted) if !e.use_stderr() => finish(Err(output::unprintable(&unprinted))),
                Ok(()) | Err(_) => ExitCode::from(code),
            };
        }
    };
    guarded(|| match cli.command {
        Command::Run(options) => run::run(&options),
        Command::Verify(options) => verify::run(&options),
        Command::Solve(options) => solve::run(&options),
        Command::Replay(options) => replay::run(&options),
        Command::Ktest(options) => ktest::run(&options),
        Command::Klee { words } => klee::run(&words),
        Command::Stats(options) => stats::run(&options),
        Command::Cc { words } => compile(&words, false),
        Command::Cxx { words } => compile(&words, true),
        Command::Bitcode(options) => bitcode::run(&options),
        Command::Headers { folder } => headers(&folder),
    })
}

/// Writes the headers to a folder.
fn headers(folder: &std::path::Path) -> Result<u8, exit::Failure> {
    cairn_home::install_headers(folder).map_err(|e| exit::Failure::unwritable(folder, &e))?;
    Ok(exit::DONE)
}

/// Runs a compiler driver.
fn compile(words: &[OsString], for_cxx: bool) -> Result<u8, exit::Failure> {
    cairn_cc::run(words, for_cxx).map_err(|e| exit::Failure::new(e.exit_code(), e))
}

/// The exit code of a command; prints its error.
fn finish(result: Result<u8, exit::Failure>) -> ExitCode {
    ExitCode::from(result.unwrap_or_else(|failure| {
        failure.say();
        failure.code
    }))
}

/// Runs a command: its exit code, its error, or a bug of ours in one sentence.
fn guarded(command: impl FnOnce() -> Result<u8, exit::Failure> + UnwindSafe) -> ExitCode {
    std::panic::set_hook(Box::new(|_| {}));
    match std::panic::catch_unwind(command) {
        Ok(result) => finish(result),
        Err(panic) => {
            let what = panic
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_string()))
                .unwrap_or_default();
            say!("cairn: a bug in Cairn: {what}. Please report it with the input that caused it.");
            ExitCode::from(exit::BUG)
        }
    }
}
