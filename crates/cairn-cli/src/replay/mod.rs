//! `cairn replay`: runs tests natively and says whether each recorded outcome was reached.

mod all;
mod debug;

use crate::compiler::CompilerFlags;
use crate::exit::{self, Failure};
use crate::prepare::Libc;
use crate::recorder::write_failures::write_whole;
use crate::run::limits;
use crate::say;
use all::{ReplaySettings, replay_all};
use cairn_home::{REPLAY_SOURCE, install_headers};
use cairn_replay::{BuildOptions, NativeProgram, Sanitizer};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What `--help` says about the rights of programs.
const RIGHTS: &str = "\
The program runs natively, and does what its tests make it do. In a sandbox it has no network, no other
processes and no rights beyond yours; it sees the system's programs and libraries and its own folder
read-only, and what it writes to the current folder or to /tmp is forgotten. Without one (--sandbox off, or
auto where the kernel refuses) it runs with your rights. --gdb has no sandbox.";

/// The options of `cairn replay`.
#[derive(clap::Args)]
#[command(after_help = RIGHTS)]
pub struct ReplayOptions {
    /// The program: C or C++ source, LLVM bitcode (.bc) or assembly (.ll), or an executable; one
    /// that makes symbolic objects itself must be linked with the replay library
    #[arg(required_unless_present = "emit_library")]
    program: Option<PathBuf>,

    /// Tests (.ktest), or folders of them
    #[arg(value_name = "TEST", required_unless_present = "emit_library")]
    tests: Vec<PathBuf>,

    /// The function to start with
    #[arg(long, value_name = "FUNCTION")]
    entry: Option<String>,

    #[command(flatten)]
    compiler: CompilerFlags,

    /// Builds with sanitizers, which see errors that do not crash: address, undefined, memory
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    sanitize: Vec<SanitizerName>,

    /// Ends a test that runs longer (s, ms and m are units)
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = limits::some_time)]
    timeout: Duration,

    /// The C library that a source is built with. auto: the one that its tests were made with, as the
    /// summary beside them says; the host's with --sanitize
    #[arg(long, value_name = "LIBRARY", default_value = "auto")]
    libc: LibraryChoice,

    /// A variable of the program's environment; tests of whole programs get no others
    #[arg(long, value_name = "NAME=VALUE", value_parser = clap::builder::OsStringValueParser::new())]
    env: Vec<OsString>,

    /// The folder that whole programs run in, which must be empty; what they leave there is
    /// removed. By default each test has a new one
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,

    /// Runs the program where it can do no harm: no network, no other processes, your files read-only.
    /// auto: where the kernel allows it; on: or not at all; off: with your rights
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    sandbox: SandboxChoice,

    /// The same as --sandbox off
    #[arg(long, conflicts_with = "sandbox")]
    no_sandbox: bool,

    /// Tests that run at the same time, from 1 to 256
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = limits::jobs)]
    jobs: usize,

    /// Also expects the recorded standard error, which mostly has the C library's own wording
    #[arg(long)]
    strict: bool,

    /// Prints the results as JSON, and nothing else on standard output
    #[arg(long, conflicts_with = "gdb")]
    json: bool,

    /// Shows what the program prints
    #[arg(long)]
    verbose: bool,

    /// Starts the debugger on the one test given
    #[arg(long)]
    gdb: bool,

    /// Writes the replay library (replay.c) and its headers to a folder, to link programs with
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["program", "tests"])]
    emit_library: Option<PathBuf>,
}

/// Which C library a source is built with.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum LibraryChoice {
    /// The one that its tests were made with
    Auto,
    /// musl, and libc++ for C++
    Musl,
    /// The host's
    Host,
}

/// When programs run in a sandbox.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum SandboxChoice {
    /// Where the kernel allows it
    Auto,
    /// Or not at all
    On,
    /// Never
    Off,
}

/// Sanitizers by name.
#[derive(Clone, Copy, clap::ValueEnum)]
enum SanitizerName {
    Address,
    Undefined,
    Memory,
}

impl From<SanitizerName> for Sanitizer {
    fn from(name: SanitizerName) -> Self {
        match name {
            SanitizerName::Address => Sanitizer::Address,
            SanitizerName::Undefined => Sanitizer::Undefined,
            SanitizerName::Memory => Sanitizer::Memory,
        }
    }
}

/// Runs the command; the result is the exit code.
pub fn run(options: &ReplayOptions) -> Result<u8, Failure> {
    if let Some(folder) = &options.emit_library {
        install_headers(folder)
            .and_then(|()| write_whole(&folder.join("replay.c"), REPLAY_SOURCE.as_bytes()))
            .map_err(|e| Failure::unwritable(folder, &e))?;
        return Ok(exit::DONE);
    }
    let Some(program) = &options.program else {
        let message = anyhow::anyhow!("expected a program and its tests");
        return Err(Failure::new(exit::USAGE, message));
    };
    let variables = parse_variables(&options.env)?;
    if let Some(folder) = &options.folder {
        let mut entries = std::fs::read_dir(folder).map_err(|e| bad(folder, e))?;
        if entries.next().is_some() {
            return Err(bad(folder, "expected an empty folder to run tests in"));
        }
    }
    if options.folder.is_some() && options.jobs > 1 {
        let message = anyhow::anyhow!("--folder is for one test at a time: leave out --jobs");
        return Err(Failure::new(exit::USAGE, message));
    }
    let tests = find_tests(&options.tests)?;
    let native = build(program, &tests, options)?;
    if !native.warnings().is_empty() {
        say!("{}", native.warnings());
    }
    if options.gdb {
        return debug::debug(&native, &tests, variables);
    }
    let settings = ReplaySettings {
        options,
        variables,
        sandbox: is_confined(&native, options)?,
    };
    replay_all(&native, &tests, &settings)
}

/// Builds the program, with the C library that it was explored with if that is to be had.
fn build(
    program: &Path,
    tests: &[PathBuf],
    options: &ReplayOptions,
) -> Result<NativeProgram, Failure> {
    let with_musl = match options.libc {
        LibraryChoice::Auto => made_with_musl(tests) && Libc::find().is_ok(),
        LibraryChoice::Musl => {
            Libc::find().map_err(|e| Failure::new(exit::USAGE, e))?;
            true
        }
        LibraryChoice::Host => false,
    };
    let mut build = BuildOptions {
        flags: options.compiler.flags(),
        entry: options.entry.clone(),
        sanitize: options.sanitize.iter().map(|s| (*s).into()).collect(),
        driver: std::env::current_exe().ok().filter(|_| with_musl),
    };
    let refused = |e| Failure::new(exit::BAD_INPUT, e);
    match NativeProgram::build(program, &build) {
        // Headers of the host have what musl's do not.
        Err(_) if build.driver.is_some() && options.libc == LibraryChoice::Auto => {
            build.driver = None;
            let native = NativeProgram::build(program, &build).map_err(refused)?;
            say!(
                "cairn: warning: {} was explored with musl and is built with the host's C library, \
                 because it does not compile with musl's headers",
                program.display()
            );
            Ok(native)
        }
        built => built.map_err(refused),
    }
}

/// Whether the summary beside tests says that the program was explored with musl.
fn made_with_musl(tests: &[PathBuf]) -> bool {
    let beside = tests.first().and_then(|test| test.parent());
    let summary = beside.and_then(|folder| std::fs::read(folder.join("summary.json")).ok());
    let summary = summary.and_then(|text| serde_json::from_slice::<serde_json::Value>(&text).ok());
    let libc = summary
        .as_ref()
        .and_then(|summary| summary["libc"].as_str());
    libc.is_some_and(|libc| libc.starts_with("musl"))
}

/// Whether the program runs in a sandbox.
fn is_confined(native: &NativeProgram, options: &ReplayOptions) -> Result<bool, Failure> {
    let wanted = match options.no_sandbox {
        true => SandboxChoice::Off,
        false => options.sandbox,
    };
    if wanted == SandboxChoice::Off {
        return Ok(false);
    }
    let Err(why) = native.check_sandbox() else {
        return Ok(true);
    };
    let sentence = format!("the program cannot be confined on this machine ({why})");
    if wanted == SandboxChoice::On {
        let message =
            anyhow::anyhow!("--sandbox on: {sentence}; --sandbox off runs it nevertheless");
        return Err(Failure::new(exit::USAGE, message));
    }
    say!(
        "cairn: warning: {sentence}, and runs with your rights; --sandbox off keeps this message away"
    );
    Ok(false)
}

type Variables = Vec<(OsString, OsString)>;

fn parse_variables(given: &[OsString]) -> Result<Variables, Failure> {
    let mut variables = Variables::new();
    for text in given {
        let bytes = text.as_bytes();
        match bytes.iter().position(|b| *b == b'=') {
            Some(split @ 1..) => variables.push((
                OsStr::from_bytes(&bytes[..split]).to_os_string(),
                OsStr::from_bytes(&bytes[split + 1..]).to_os_string(),
            )),
            Some(0) | None => {
                let message = anyhow::anyhow!("--env {}: expected NAME=VALUE", text.display());
                return Err(Failure::new(exit::USAGE, message));
            }
        }
    }
    Ok(variables)
}

fn bad(file: &Path, why: impl std::fmt::Display) -> Failure {
    let message = anyhow::anyhow!("{}: {why}", file.display());
    Failure::new(exit::BAD_INPUT, message)
}

/// The files that are meant: a folder stands for the tests in it, in the order of their names.
fn find_tests(given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut tests = Vec::new();
    for path in given {
        if !path.is_dir() {
            tests.push(path.clone());
            continue;
        }
        let before = tests.len();
        for entry in std::fs::read_dir(path).map_err(|e| bad(path, e))? {
            let file = entry.map_err(|e| bad(path, e))?.path();
            if file.extension().is_some_and(|e| e == "ktest") {
                tests.push(file);
            }
        }
        if tests.len() == before {
            return Err(bad(path, "there is no file that ends in .ktest"));
        }
        tests[before..].sort();
    }
    Ok(tests)
}
