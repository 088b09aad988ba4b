//! `cairn replay`: runs tests natively and says whether each recorded outcome was reached.

use crate::compiler::CompilerFlags;
use crate::exit::{self, Failure};
use crate::ktest;
use crate::output;
use crate::run::limits;
use crate::run::losses::write_whole;
use crate::say;
use cairn_replay::{
    BuildOptions, Expectation, Judgement, NativeProgram, Outcome, Prepared, REPLAY_SOURCE, Record,
    Records, RunError, RunOptions, Sanitizer, Verdict, install_headers,
};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The options of `cairn replay`.
#[derive(clap::Args)]
pub struct Options {
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

    /// A variable of the program's environment; tests of whole programs get no others
    #[arg(long, value_name = "NAME=VALUE", value_parser = clap::builder::OsStringValueParser::new())]
    env: Vec<OsString>,

    /// The folder that whole programs run in, which must be empty; what they leave there is
    /// removed. By default each test has a new one
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,

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
pub fn run(options: &Options) -> Result<u8, Failure> {
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
    let tests = find_tests(&options.tests)?;
    let build = BuildOptions {
        flags: options.compiler.flags(),
        entry: options.entry.clone(),
        sanitize: options.sanitize.iter().map(|s| (*s).into()).collect(),
    };
    let native =
        NativeProgram::build(program, &build).map_err(|e| Failure::new(exit::BAD_INPUT, e))?;
    if !native.warnings().is_empty() {
        say!("{}", native.warnings());
    }
    if options.gdb {
        return debug(&native, &tests, variables);
    }
    replay_all(&native, &tests, options, &variables)
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

/// What is told about one test.
struct Line {
    test: PathBuf,
    verdict: Verdict,
    /// How the run ended, unless there was none.
    end: Option<String>,
    recorded: String,
    /// How its outputs differ from what was recorded.
    differences: Vec<String>,
    /// What stands behind the name of the test.
    text: String,
}

fn replay_all(
    native: &NativeProgram,
    tests: &[PathBuf],
    options: &Options,
    variables: &Variables,
) -> Result<u8, Failure> {
    let mut records: BTreeMap<PathBuf, Records> = BTreeMap::new();
    let mut lines = Vec::new();
    for file in tests {
        let name = file.file_name().unwrap_or(file.as_os_str()).display();
        match replay_one(native, file, options, variables, &mut records)? {
            Some(line) => {
                if !options.json {
                    output::print_line(&format!("{name}: {}", line.text))?;
                }
                lines.push(line);
            }
            // It was told what is wrong with its file.
            None => continue,
        }
    }
    let count = |wanted: fn(&Verdict) -> bool| lines.iter().filter(|l| wanted(&l.verdict)).count();
    let reached = count(|verdict| *verdict == Verdict::Reached);
    let not_confirmed = count(|verdict| matches!(verdict, Verdict::NotConfirmed(_)));
    if options.json {
        output::print_line(&summary(&lines, tests.len(), reached, not_confirmed))?;
    } else if tests.len() > 1 {
        // Rounded down, so that it is 100 only if all are.
        let rate = 100 * reached / tests.len();
        let others = match not_confirmed {
            0 => String::new(),
            _ => format!(", {not_confirmed} not confirmed"),
        };
        say!(
            "cairn: {reached} of {} tests reached what was recorded ({rate}%){others}",
            tests.len()
        );
    }
    Ok(if lines.len() < tests.len() {
        exit::BAD_INPUT
    } else if reached == tests.len() {
        exit::DONE
    } else {
        exit::FOUND
    })
}

/// Replays one test. If its files cannot be read this is told, and there is no result: the others
/// may still be of use.
fn replay_one(
    native: &NativeProgram,
    file: &Path,
    options: &Options,
    variables: &Variables,
    records: &mut BTreeMap<PathBuf, Records>,
) -> Result<Option<Line>, Failure> {
    let test = match ktest::read(file) {
        Ok(test) => test,
        Err(failure) => {
            failure.say();
            return Ok(None);
        }
    };
    let expectation = match Expectation::beside(file) {
        Ok(expectation) => expectation,
        Err(e) => {
            let beside = file.with_extension("expect");
            say!("cairn: {}: {e}", beside.display());
            return Ok(None);
        }
    };
    let record = record_of(file, records)?;
    let recorded = match (&record, &expectation) {
        (Record::Error(kind), _) => kind.clone(),
        (Record::Normal, Some(expectation)) => expectation.to_string(),
        (Record::Normal, None) => "a normal end".to_string(),
    };
    let run_options = RunOptions {
        timeout: options.timeout,
        leaks: record.is_leak(),
        variables: variables.clone(),
        folder: options.folder.clone(),
    };
    let outcome = match native.run(&test, &run_options) {
        Ok(outcome) => outcome,
        Err(e @ RunError::Environment(_)) => {
            return Ok(Some(Line {
                test: file.to_path_buf(),
                verdict: Verdict::NotReached,
                end: None,
                recorded,
                differences: vec![e.to_string()],
                text: format!("not reached: {e}"),
            }));
        }
        Err(e @ (RunError::Process { .. } | RunError::NotLinked { .. })) => {
            return Err(Failure::new(exit::BAD_INPUT, e));
        }
    };
    if options.verbose {
        show(&outcome, options.json)?;
    }
    for note in &outcome.notes {
        say!("cairn: {}: {note}", file.display());
    }
    let mut judgement = match &expectation {
        Some(expectation) => expectation.judge(&record, &outcome, native),
        None => Judgement {
            verdict: record.judge(&outcome.end, native),
            output: None,
            errors: None,
        },
    };
    if options.strict && judgement.errors.is_some() {
        judgement.verdict = Verdict::NotReached;
    }
    let text = describe(&record, &recorded, &outcome, &judgement);
    let differences = judgement.output.iter().chain(&judgement.errors);
    Ok(Some(Line {
        test: file.to_path_buf(),
        end: Some(outcome.end.to_string()),
        recorded,
        differences: differences.map(|d| d.to_string()).collect(),
        text,
        verdict: judgement.verdict,
    }))
}

fn summary(lines: &[Line], total: usize, reached: usize, not_confirmed: usize) -> String {
    let tests = lines.iter().map(|line| {
        serde_json::json!({
            "test": line.test.to_string_lossy(),
            "verdict": match &line.verdict {
                Verdict::Reached => "reached",
                Verdict::NotReached => "not reached",
                Verdict::NotConfirmed(_) => "not confirmed",
            },
            "end": line.end,
            "recorded": line.recorded,
            "differences": line.differences,
        })
    });
    let summary = serde_json::json!({
        "total": total,
        "reached": reached,
        "not_confirmed": not_confirmed,
        "unreadable": total - lines.len(),
        "rate": reached as f64 / total.max(1) as f64,
        "tests": tests.collect::<Vec<_>>(),
    });
    format!("{summary:#}")
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

fn describe(record: &Record, recorded: &str, outcome: &Outcome, judgement: &Judgement) -> String {
    let end = &outcome.end;
    let different = match (&judgement.output, &judgement.errors) {
        (Some(output), _) => format!("; {output}"),
        (None, Some(errors)) => format!("; {errors}"),
        (None, None) => String::new(),
    };
    match (&judgement.verdict, record) {
        (Verdict::Reached, Record::Normal) => format!("reached: {end}{different}"),
        (Verdict::Reached, Record::Error(kind)) => format!("reached: {kind}: {end}{different}"),
        (Verdict::NotReached, _) if !different.is_empty() => {
            format!("not reached: {end}{different}")
        }
        (Verdict::NotReached, _) => format!("not reached: {end}; recorded {recorded}"),
        (Verdict::NotConfirmed(how), _) => {
            format!("not confirmed ({how}): {end}; recorded {recorded}")
        }
    }
}

/// The program's own output, before the line about it.
fn show(outcome: &Outcome, all_as_errors: bool) -> Result<(), Failure> {
    if all_as_errors {
        let _ = std::io::stderr().write_all(&outcome.output);
    } else {
        output::print(&outcome.output)?;
    }
    let _ = std::io::stderr().write_all(&outcome.errors);
    Ok(())
}

/// Starts the debugger in our place: an interrupt at the terminal is then its own matter. What was
/// built and laid out is removed when it ends.
const DEBUG: &str = r#"
command -v gdb >/dev/null || {
  echo "cairn: gdb is not there; install it, for example with: apt-get install gdb" >&2
  exit 65
}
trap : INT
gdb "$@"
code=$?
rm -rf "$CAIRN_REPLAY_SCRATCH"
exit $code
"#;

fn debug(native: &NativeProgram, tests: &[PathBuf], variables: Variables) -> Result<u8, Failure> {
    let [file] = tests else {
        let message = anyhow::anyhow!("--gdb: expected one test, found {}", tests.len());
        return Err(Failure::new(exit::USAGE, message));
    };
    let test = ktest::read(file)?;
    let options = RunOptions {
        variables: variables.clone(),
        ..RunOptions::default()
    };
    let folder = native.new_folder().map_err(|e| bad(file, e))?;
    let prepared = native
        .prepare(&test, &folder, &options)
        .map_err(|e| Failure::new(exit::BAD_INPUT, e))?;
    for note in &prepared.notes {
        say!("cairn: {}: {note}", file.display());
    }
    let mut command = Command::new("sh");
    command.args(["-c", DEBUG, "sh"]);
    if prepared.folder.is_some() {
        for words in debugger_commands(&prepared) {
            command.arg("-ex").arg(words);
        }
    } else {
        let absolute = std::path::absolute(file).map_err(|e| bad(file, e))?;
        command.envs(variables).env("KTEST_FILE", absolute);
    }
    let failed = command
        .arg("--args")
        .arg(native.executable())
        .args(&prepared.arguments)
        .env("CAIRN_REPLAY_SCRATCH", native.scratch_folder())
        .exec();
    let failed = anyhow::Error::from(failed).context("sh cannot be started");
    Err(Failure::new(exit::BAD_INPUT, failed))
}

/// What gives a program under the debugger its folder, standard input and variables. The debugger
/// puts the wrapper's words before the program's in a line for the shell.
fn debugger_commands(prepared: &Prepared) -> Vec<OsString> {
    let mut commands = Vec::new();
    if let Some(folder) = &prepared.folder {
        let mut command = OsString::from("set cwd ");
        command.push(folder);
        commands.push(command);
    }
    let mut wrapper = OsString::from("set exec-wrapper <");
    match &prepared.input {
        Some(input) => wrapper.push(shell_word(input.as_os_str())),
        None => wrapper.push("/dev/null"),
    }
    wrapper.push(" env -i");
    for (name, value) in &prepared.variables {
        let mut variable = name.clone();
        variable.push("=");
        variable.push(value);
        wrapper.push(" ");
        wrapper.push(shell_word(&variable));
    }
    commands.push(wrapper);
    commands
}

/// A word that the shell takes as it is.
fn shell_word(word: &OsStr) -> OsString {
    let mut quoted = vec![b'\''];
    for byte in word.as_bytes() {
        match byte {
            b'\'' => quoted.extend_from_slice(b"'\\''"),
            _ => quoted.push(*byte),
        }
    }
    quoted.push(b'\'');
    OsString::from_vec(quoted)
}
