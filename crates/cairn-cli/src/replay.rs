//! `cairn replay`: runs tests natively and says whether each recorded outcome was reached.

use crate::compiler::CompilerFlags;
use crate::exit::{self, Failure};
use crate::ktest;
use cairn_replay::{
    BuildOptions, NativeProgram, Outcome, REPLAY_SOURCE, Record, Records, RunError, RunOptions,
    Sanitizer, Verdict, install_headers,
};
use std::collections::BTreeMap;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The options of `cairn replay`.
#[derive(clap::Args)]
pub struct Options {
    /// The program: C or C++ source, LLVM bitcode (.bc) or assembly (.ll), or an executable that is
    /// linked with the replay library
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
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_time)]
    timeout: Duration,

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

fn parse_time(text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.find(|c: char| c.is_ascii_alphabetic()) {
        Some(split) => text.split_at(split),
        None => (text, "s"),
    };
    let factor = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" | "min" => 60.0,
        _ => return Err("expected a time such as 10s, 500ms or 2m".to_string()),
    };
    number
        .parse()
        .ok()
        .and_then(|number: f64| Duration::try_from_secs_f64(number * factor).ok())
        .filter(|time| !time.is_zero())
        .ok_or_else(|| "expected a time such as 10s, 500ms or 2m".to_string())
}

/// Runs the command; the result is the exit code.
pub fn run(options: &Options) -> Result<u8, Failure> {
    if let Some(folder) = &options.emit_library {
        install_headers(folder)
            .and_then(|()| std::fs::write(folder.join("replay.c"), REPLAY_SOURCE))
            .map_err(|e| bad(folder, e))?;
        return Ok(exit::DONE);
    }
    let Some(program) = &options.program else {
        let message = anyhow::anyhow!("expected a program and its tests");
        return Err(Failure::new(exit::USAGE, message));
    };
    let tests = find_tests(&options.tests)?;
    let build = BuildOptions {
        flags: options.compiler.flags(),
        entry: options.entry.clone(),
        sanitize: options.sanitize.iter().map(|s| (*s).into()).collect(),
    };
    let native =
        NativeProgram::build(program, &build).map_err(|e| Failure::new(exit::BAD_INPUT, e))?;
    if !native.warnings().is_empty() {
        eprintln!("{}", native.warnings());
    }
    if options.gdb {
        return debug(&native, &tests);
    }
    replay_all(&native, &tests, options)
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

fn replay_all(native: &NativeProgram, tests: &[PathBuf], options: &Options) -> Result<u8, Failure> {
    let mut records: BTreeMap<PathBuf, Records> = BTreeMap::new();
    let (mut reached, mut bad_file) = (0, false);
    for file in tests {
        let test = match ktest::read(file) {
            Ok(test) => test,
            // The others may still be of use.
            Err(failure) => {
                eprintln!("cairn: {:#}", failure.error);
                bad_file = true;
                continue;
            }
        };
        let record = record_of(file, &mut records)?;
        let run_options = RunOptions {
            timeout: options.timeout,
            leaks: record.is_leak(),
        };
        let name = file.file_name().unwrap_or(file.as_os_str()).display();
        let outcome = match native.run(&test, &run_options) {
            Ok(outcome) => outcome,
            Err(e @ RunError::Environment { .. }) => {
                say(&format!("{name}: not reached: {e}"));
                continue;
            }
            Err(e @ (RunError::Process { .. } | RunError::NotLinked { .. })) => {
                return Err(Failure::new(exit::BAD_INPUT, e));
            }
        };
        if options.verbose {
            show(&outcome);
        }
        let verdict = record.judge(&outcome.end, native);
        say(&format!(
            "{name}: {}",
            describe(&record, &outcome, &verdict)
        ));
        reached += usize::from(verdict == Verdict::Reached);
    }
    if tests.len() > 1 {
        eprintln!(
            "cairn: {reached} of {} tests reached what was recorded",
            tests.len()
        );
    }
    Ok(if bad_file {
        exit::BAD_INPUT
    } else if reached == tests.len() {
        exit::DONE
    } else {
        exit::FOUND
    })
}

/// What is recorded beside a test; each folder is read once.
fn record_of(test: &Path, known: &mut BTreeMap<PathBuf, Records>) -> Result<Record, Failure> {
    let folder = match test.parent() {
        Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
        Some(folder) => folder,
        None => Path::new("/"),
    };
    if !known.contains_key(folder) {
        let records = Records::of_folder(folder).map_err(|e| bad(folder, e))?;
        known.insert(folder.to_path_buf(), records);
    }
    Ok(known
        .get(folder)
        .map_or(Record::Normal, |records| records.of_test(test)))
}

fn describe(record: &Record, outcome: &Outcome, verdict: &Verdict) -> String {
    let end = &outcome.end;
    let recorded = match record {
        Record::Normal => "recorded a normal end".to_string(),
        Record::Error(kind) => format!("recorded {kind}"),
    };
    match (verdict, record) {
        (Verdict::Reached, Record::Normal) => format!("reached: {end}"),
        (Verdict::Reached, Record::Error(kind)) => format!("reached: {kind}: {end}"),
        (Verdict::NotReached, _) => format!("not reached: {end}; {recorded}"),
        (Verdict::NotConfirmed(how), _) => format!("not confirmed ({how}): {end}; {recorded}"),
    }
}

/// A line on standard output. If nobody reads it any more, the exit code still counts.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// The program's own output, before the line about it.
fn show(outcome: &Outcome) {
    // If nobody listens, nothing is lost.
    let _ = std::io::stdout().write_all(&outcome.output);
    let _ = std::io::stdout().flush();
    let _ = std::io::stderr().write_all(&outcome.errors);
}

/// Starts the debugger in our place: an interrupt at the terminal is then its own matter. What was
/// built is removed when it ends.
const DEBUG: &str = r#"
command -v gdb >/dev/null || {
  echo "cairn: gdb is not there; install it, for example with: apt-get install gdb" >&2
  exit 65
}
trap : INT
gdb --args "$@"
code=$?
rm -rf "$CAIRN_REPLAY_SCRATCH"
exit $code
"#;

fn debug(native: &NativeProgram, tests: &[PathBuf]) -> Result<u8, Failure> {
    let [file] = tests else {
        let message = anyhow::anyhow!("--gdb: expected one test, found {}", tests.len());
        return Err(Failure::new(exit::USAGE, message));
    };
    let test = ktest::read(file)?;
    let arguments = native
        .arguments(&test)
        .map_err(|e| Failure::new(exit::BAD_INPUT, e))?;
    let absolute = std::path::absolute(file).map_err(|e| bad(file, e))?;
    let failed = Command::new("sh")
        .args(["-c", DEBUG, "sh"])
        .arg(native.executable())
        .args(arguments)
        .env("KTEST_FILE", absolute)
        .env("CAIRN_REPLAY_SCRATCH", native.scratch_folder())
        .exec();
    let failed = anyhow::Error::from(failed).context("sh cannot be started");
    Err(Failure::new(exit::BAD_INPUT, failed))
}
