//! Running a program on a test, in a process of its own.
//!
//! # Problem
//!
//! The program may crash, hang, flood its output or leave children behind, and it may
//! end with any exit code, so the code alone says little.
//!
//! # Idea
//!
//! It runs in a process group of its own that is watched (`watch.rs`). If the replay library ends the
//! program, it writes the cause to a file; the sanitizers' reports go to files too. A test of a whole program
//! ([`RecordedEnvironment`]) runs in a folder of its own with just the test's files in it, and with no variables
//! but the requested ones; any other test runs in the caller's folder, as if the caller had started it.
//!
//! # Soundness
//!
//! All files that are not the program's are outside of the folder it runs in, and the library takes its own
//! variables out of the environment before the program starts.
//!
//! # Cost
//!
//! A process, two threads and a folder with a few files per test.

use crate::build::NativeProgram;
use crate::build::Sanitizer;
use crate::environment::{EnvironmentError, RecordedEnvironment};
use crate::ktest::KTest;
use crate::peers::Peers;
use crate::sandbox::Sandbox;
use crate::watch::{limit, watch};
use cairn_home::{empty_folder, remove_folder};
use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How the names of sanitizers' reports begin.
const SANITIZER_LOG: &str = "sanitizer";
/// The file in which the replay library says how a run ended, and the variable that names it.
const REPORT: &str = "report";
const REPORT_VARIABLE: &str = "CAIRN_REPLAY_REPORT";

/// Tests with peers at their sockets run one at a time.
static WITH_PEERS: Mutex<()> = Mutex::new(());

/// How to run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// When to give up.
    pub timeout: Duration,
    /// Are leaks looked for (with the address sanitizer)?
    pub leaks: bool,
    /// Variables of the program's environment, besides the caller's for a test without an
    /// environment of its own.
    pub variables: Vec<(OsString, OsString)>,
    /// An empty folder that tests with an environment of their own run in, one after the other;
    /// what they leave there is removed. By default each has a new one.
    pub folder: Option<PathBuf>,
    /// Is the program confined, so that it can do no harm?
    pub sandbox: bool,
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions {
            timeout: Duration::from_secs(10),
            leaks: false,
            variables: Vec::new(),
            folder: None,
            sandbox: false,
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The program ended by itself.
    Exit(i32),
    /// A signal ended it.
    Signal(i32),
    /// A condition that it assumed is false.
    AssumptionFailed,
    /// It reported an error of its own.
    Reported(String),
    /// A sanitizer stopped it; the text is the first line of the report.
    Sanitizer(String),
    /// The test does not fit the program.
    Misfit(String),
    /// The program asks for something that has no native counterpart.
    Unsupported(String),
    /// It was still running when the time was over.
    TimedOut(Duration),
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Exit(code) => write!(f, "exit {code}"),
            End::Signal(signal) => match signal_name(*signal) {
                Some(name) => write!(f, "{name}"),
                None => write!(f, "signal {signal}"),
            },
            End::AssumptionFailed => write!(f, "a condition that was assumed is false"),
            End::Reported(message) => write!(f, "error: {message}"),
            End::Sanitizer(report) => write!(f, "sanitizer: {report}"),
            End::Misfit(message) | End::Unsupported(message) => write!(f, "{message}"),
            End::TimedOut(after) => write!(f, "still running after {after:?}"),
        }
    }
}

fn signal_name(signal: i32) -> Option<&'static str> {
    match signal {
        4 => Some("SIGILL"),
        5 => Some("SIGTRAP"),
        6 => Some("SIGABRT"),
        7 => Some("SIGBUS"),
        8 => Some("SIGFPE"),
        9 => Some("SIGKILL"),
        11 => Some("SIGSEGV"),
        13 => Some("SIGPIPE"),
        14 => Some("SIGALRM"),
        15 => Some("SIGTERM"),
        _ => None,
    }
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct NativeRun {
    /// How it ended.
    pub end: End,
    /// Its standard output, up to a megabyte.
    pub output: Vec<u8>,
    /// Its standard error, up to a megabyte, with the sanitizers' reports.
    pub errors: Vec<u8>,
    /// The bytes that each peer of its sockets was sent, up to a megabyte.
    pub sent: Vec<Vec<u8>>,
    /// Differences of the real environment from that of the test that were found, one sentence each.
    pub notes: Vec<String>,
}

/// Why a test cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The process cannot be started or watched.
    #[error("{program} cannot be run: {source}")]
    Process {
        /// The executable.
        program: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The executable would ignore the test.
    #[error(
        "{program} was not linked with the replay library and would ignore the test: link it with \
         the file that `cairn replay --emit-library FOLDER` writes"
    )]
    NotLinked {
        /// The executable.
        program: PathBuf,
    },
    /// The test's environment does not fit together, or cannot be made.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
}

/// A test as a process gets it, laid out below a folder.
#[derive(Clone, Debug)]
pub struct LaidOutTest {
    /// The program's name as it sees it, if the test has one.
    pub name: Option<OsString>,
    /// The arguments after it.
    pub arguments: Vec<OsString>,
    /// The folder to run in, if it is not the caller's. Then it also gets no variables but those
    /// here.
    pub folder: Option<PathBuf>,
    /// The file that is standard input, if there is one.
    pub input: Option<PathBuf>,
    /// Variables for the library, and those that were asked for.
    pub variables: Vec<(OsString, OsString)>,
    /// The bytes that each peer of its sockets sends.
    pub peers: Vec<Vec<u8>>,
    /// Differences of the real environment from that of the test, one sentence each.
    pub notes: Vec<String>,
}

impl NativeProgram {
    /// Runs the program on a test, with the test's arguments.
    ///
    /// # Errors
    /// If it cannot be run at all, or the test is of a kind that cannot be replayed.
    pub fn run(&self, test: &KTest, options: &RunOptions) -> Result<NativeRun, RunError> {
        let folder = self.new_folder().map_err(|e| self.cannot_run(e))?;
        let native_run = self
            .prepare(test, &folder, options)
            .and_then(|prepared| self.start(prepared, &folder, options));
        if let Some(folder) = &options.folder {
            empty_folder(folder).map_err(|e| self.cannot_run(e))?;
        }
        // Whether it is there or not: the run is over.
        let _ = remove_folder(&folder);
        native_run
    }

    /// A new folder for one run, which goes away with this value at the latest.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn new_folder(&self) -> io::Result<PathBuf> {
        let number = self.runs.fetch_add(1, Ordering::Relaxed);
        let folder = self.scratch.path().join(format!("run{number}"));
        std::fs::create_dir(&folder)?;
        Ok(folder)
    }

    /// Tries whether programs can be confined on this machine.
    ///
    /// # Errors
    /// Why not.
    pub fn check_sandbox(&self) -> io::Result<()> {
        let folder = self.new_folder()?;
        let checked = Sandbox::check(&self.sandbox_root()?, &folder);
        // Whether it is there or not: it is not needed any more.
        let _ = remove_folder(&folder);
        checked
    }

    /// The folder at which programs that are confined have their root; for each it is another one.
    fn sandbox_root(&self) -> io::Result<PathBuf> {
        let root = self.scratch.path().join("root");
        match std::fs::create_dir(&root) {
            Err(e) if e.kind() != io::ErrorKind::AlreadyExists => Err(e),
            Ok(()) | Err(_) => Ok(root),
        }
    }

    /// Writes what a run on a test needs below a folder that is there.
    ///
    /// # Errors
    /// If it cannot be written, or the test is of a kind that cannot be replayed.
    pub fn prepare(
        &self,
        test: &KTest,
        folder: &Path,
        options: &RunOptions,
    ) -> Result<LaidOutTest, RunError> {
        let environment = RecordedEnvironment::of(test)?;
        let own = environment.as_ref().map_or(test, |found| &found.rest);
        if !self.reads_tests && !own.objects.is_empty() {
            return Err(RunError::NotLinked {
                program: self.executable.clone(),
            });
        }
        let file = folder.join("test.ktest");
        std::fs::write(&file, own.write()).map_err(|e| self.cannot_run(e))?;
        let mut variables: Vec<(OsString, OsString)> = Vec::new();
        let mut set = |name: &str, value: OsString| variables.push((name.into(), value));
        if self.reads_tests {
            set("KTEST_FILE", file.into());
            set(REPORT_VARIABLE, folder.join(REPORT).into());
        }
        let name = test
            .args
            .first()
            .map(|name| OsString::from_vec(name.clone()));
        let to_arguments = |words: &[Vec<u8>]| -> Vec<OsString> {
            let words = words.iter().cloned();
            words.map(OsString::from_vec).collect()
        };
        let Some(environment) = environment else {
            variables.extend(options.variables.iter().cloned());
            return Ok(LaidOutTest {
                name,
                arguments: to_arguments(test.args.get(1..).unwrap_or_default()),
                folder: None,
                input: None,
                variables,
                peers: Vec::new(),
                notes: Vec::new(),
            });
        };
        if self.reads_tests {
            set("CAIRN_REPLAY_HIDDEN", "1".into());
        }
        variables.extend(options.variables.iter().cloned());
        let laid_out = environment
            .lay_out(folder, options.folder.as_deref())
            .map_err(|e| self.cannot_run(e))?;
        Ok(LaidOutTest {
            name,
            arguments: to_arguments(&environment.arguments),
            folder: Some(laid_out.folder),
            input: laid_out.input,
            variables,
            peers: environment.peers,
            notes: environment.notes,
        })
    }

    fn cannot_run(&self, source: io::Error) -> RunError {
        RunError::Process {
            program: self.executable.clone(),
            source,
        }
    }

    fn start(
        &self,
        prepared: LaidOutTest,
        folder: &Path,
        options: &RunOptions,
    ) -> Result<NativeRun, RunError> {
        self.start_in(prepared, folder, options)
            .map_err(|e| self.cannot_run(e))
    }

    fn start_in(
        &self,
        prepared: LaidOutTest,
        folder: &Path,
        options: &RunOptions,
    ) -> io::Result<NativeRun> {
        // In a sandbox a relative name may lead elsewhere.
        let mut command = Command::new(match options.sandbox {
            true => std::path::absolute(&self.executable)?,
            false => self.executable.clone(),
        });
        command.args(&prepared.arguments);
        command.arg0(
            prepared
                .name
                .as_deref()
                .unwrap_or(self.executable.as_os_str()),
        );
        if let Some(folder) = &prepared.folder {
            command.current_dir(folder).env_clear();
        }
        let any_sanitizer = prepared.folder.is_none();
        command.envs(self.sanitizer_variables(folder, options.leaks, any_sanitizer));
        command.envs(prepared.variables);
        // A file and not a pipe, because the program may seek in it.
        command.stdin(match &prepared.input {
            Some(input) => Stdio::from(File::open(input)?),
            None => Stdio::null(),
        });
        command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        // Peers of two programs would meet either.
        let _one_at_a_time = (!prepared.peers.is_empty())
            .then(|| WITH_PEERS.lock().unwrap_or_else(PoisonError::into_inner));
        if options.sandbox {
            let mut writable = vec![folder];
            writable.extend(options.folder.as_deref());
            Sandbox {
                root: &self.sandbox_root()?,
                executable: &self.executable,
                folder: prepared.folder.as_deref(),
                writable: &writable,
                has_peers: !prepared.peers.is_empty(),
            }
            .confine(&mut command)?;
        }
        let mut child = command.spawn()?;
        limit(&child);
        let folder_of_run = prepared.folder.as_deref();
        let peers = Peers::start(&child, folder_of_run, &prepared.peers);
        let watched = watch(&mut child, options.timeout, || peers.finish())?;

        let mut errors = watched.errors;
        let end = if watched.timed_out {
            End::TimedOut(options.timeout)
        } else if let Some(end) = read_report(&folder.join(REPORT)) {
            end
        } else if let Some(text) = sanitizer_report(folder)? {
            errors.extend_from_slice(text.as_bytes());
            End::Sanitizer(first_line(&text))
        } else {
            match (watched.status.code(), watched.status.signal()) {
                (Some(code), _) => End::Exit(code),
                (None, signal) => End::Signal(signal.unwrap_or(0)),
            }
        };
        Ok(NativeRun {
            end,
            output: watched.output,
            errors,
            sent: watched.at_end,
            notes: prepared.notes,
        })
    }

    /// Reports go to files, and the first one ends the run. With `any` the variables of all sanitizers are
    /// set, because the names in an executable do not show all sanitizers that are in it. A program with an
    /// environment of its own would see the variables: it gets only those of sanitizers known to be in it.
    fn sanitizer_variables(
        &self,
        folder: &Path,
        leaks: bool,
        any: bool,
    ) -> impl Iterator<Item = (&'static str, String)> {
        let log = folder.join(SANITIZER_LOG);
        let common = format!(
            "log_path=\"{}\":abort_on_error=1:halt_on_error=1:print_stacktrace=1",
            log.display()
        );
        let leaks = u8::from(leaks);
        // Large allocations fail as they do without it.
        let address = format!("{common}:detect_leaks={leaks}:allocator_may_return_null=1");
        let variables = [
            (Sanitizer::Address, "ASAN_OPTIONS", address),
            (Sanitizer::Undefined, "UBSAN_OPTIONS", common.clone()),
            (Sanitizer::Memory, "MSAN_OPTIONS", common),
        ];
        variables
            .into_iter()
            .filter(move |(sanitizer, ..)| any || self.has(*sanitizer))
            .map(|(_, name, value)| (name, value))
    }
}

/// What the replay library said: a word and a message.
fn read_report(file: &Path) -> Option<End> {
    let text = cairn_home::read_file(file).ok()?;
    let text = String::from_utf8_lossy(&text);
    let (word, message) = text.trim_end().split_once(' ')?;
    let message = message.to_string();
    match word {
        "assume" => Some(End::AssumptionFailed),
        "error" => Some(End::Reported(message)),
        "misfit" | "no-test" => Some(End::Misfit(message)),
        "unsupported" => Some(End::Unsupported(message)),
        _ => None,
    }
}

/// The report of the process, or of one that it started: their numbers are in the files' names.
fn sanitizer_report(folder: &Path) -> io::Result<Option<String>> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry
            .file_name()
            .as_bytes()
            .starts_with(SANITIZER_LOG.as_bytes())
        {
            let text = cairn_home::read_file(&entry.path())?;
            return Ok(Some(String::from_utf8_lossy(&text).into_owned()));
        }
    }
    Ok(None)
}

/// The line that says what it is, without process numbers and addresses.
fn first_line(report: &str) -> String {
    let line = report
        .lines()
        .find(|line| line.contains("Sanitizer:") || line.contains("runtime error:"))
        .unwrap_or_default();
    let line = match (
        line.split_once("ERROR: "),
        line.split_once("runtime error: "),
    ) {
        (Some((_, rest)), _) | (None, Some((_, rest))) => rest,
        (None, None) => line,
    };
    line.split(" on address")
        .next()
        .unwrap_or(line)
        .trim()
        .to_string()
}
