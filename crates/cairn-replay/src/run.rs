//! Running a program on a test, in a process of its own.
//!
//! - **Problem.** The program may crash, hang, flood its output or leave children behind, and it may
//!   end with any exit code, so the code alone says little.
//! - **How.** It runs in a process group of its own with its output in pipes that threads read; at
//!   its end or when the time is over the whole group is killed. Ends that are the replay library's
//!   come as a word in a file, and so do the sanitizers' reports.
//! - **Why it is right.** The group is killed while its leader is dead or alive but not yet waited
//!   for, so its number cannot belong to anybody else. Output beyond a limit is read and dropped.
//! - **Cost.** A process, two threads and a folder with a file or two per test.

use crate::build::NativeProgram;
use crate::ktest::KTest;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How much of each output is kept.
const KEPT: usize = 1 << 20;
/// How the names of sanitizers' reports begin.
const SANITIZER_LOG: &str = "sanitizer";

/// How to run.
#[derive(Clone, Copy, Debug)]
pub struct RunOptions {
    /// When to give up.
    pub timeout: Duration,
    /// Are leaks looked for (with the address sanitizer)?
    pub leaks: bool,
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions {
            timeout: Duration::from_secs(10),
            leaks: false,
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
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// Its standard output, up to a megabyte.
    pub output: Vec<u8>,
    /// Its standard error, up to a megabyte, with the sanitizers' reports.
    pub errors: Vec<u8>,
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
    /// The test asks for a symbolic environment.
    #[error("{option}: symbolic arguments and files are not replayed natively")]
    Environment {
        /// The option in the test's arguments.
        option: String,
    },
}

impl NativeProgram {
    /// Runs the program on a test, with the test's arguments.
    ///
    /// # Errors
    /// If it cannot be run at all, or the test is of a kind that cannot be replayed.
    pub fn run(&self, test: &KTest, options: &RunOptions) -> Result<Outcome, RunError> {
        let mut command = self.command(test, Path::new(""))?;
        let number = self.runs.fetch_add(1, Ordering::Relaxed);
        let folder = self.scratch.path().join(format!("run{number}"));
        let started = std::fs::create_dir(&folder);
        let outcome = started.and_then(|()| run_in(&folder, &mut command, test, options));
        // Whether it is there or not: the run is over.
        let _ = std::fs::remove_dir_all(&folder);
        outcome.map_err(|source| RunError::Process {
            program: self.executable.clone(),
            source,
        })
    }

    /// The command that runs the program on a test in a file, for whoever wants to run it himself.
    ///
    /// # Errors
    /// If the test is of a kind that cannot be replayed.
    pub fn command(&self, test: &KTest, file: &Path) -> Result<Command, RunError> {
        let mut command = Command::new(&self.executable);
        command.args(self.arguments(test)?).env("KTEST_FILE", file);
        if let Some(name) = test.args.first() {
            command.arg0(OsStr::from_bytes(name));
        }
        Ok(command)
    }

    /// The arguments behind the program's name.
    ///
    /// # Errors
    /// If the test is of a kind that cannot be replayed.
    pub fn arguments(&self, test: &KTest) -> Result<Vec<OsString>, RunError> {
        if !self.reads_tests && !test.objects.is_empty() {
            return Err(RunError::NotLinked {
                program: self.executable.clone(),
            });
        }
        let arguments = test.args.get(1..).unwrap_or_default();
        if let Some(option) = arguments.iter().find(|a| is_symbolic_environment(a)) {
            return Err(RunError::Environment {
                option: String::from_utf8_lossy(option).into_owned(),
            });
        }
        Ok(arguments
            .iter()
            .map(|a| OsStr::from_bytes(a).to_os_string())
            .collect())
    }
}

/// Runs the command with its files in a folder.
fn run_in(
    folder: &Path,
    command: &mut Command,
    test: &KTest,
    options: &RunOptions,
) -> io::Result<Outcome> {
    let file = folder.join("test.ktest");
    let report = folder.join("report");
    std::fs::write(&file, test.write())?;
    configure_sanitizers(command, folder, options.leaks);
    let mut child = command
        .env("KTEST_FILE", &file)
        .env("CAIRN_REPLAY_REPORT", &report)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let watched = watch(&mut child, options.timeout)?;

    let mut errors = watched.errors;
    let end = if watched.timed_out {
        End::TimedOut(options.timeout)
    } else if let Some(end) = read_report(&report) {
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
    Ok(Outcome {
        end,
        output: watched.output,
        errors,
    })
}

/// Reports go to files, and the first one ends the run.
fn configure_sanitizers(command: &mut Command, folder: &Path, leaks: bool) {
    let log = folder.join(SANITIZER_LOG);
    let common = format!(
        "log_path=\"{}\":abort_on_error=1:halt_on_error=1:print_stacktrace=1",
        log.display()
    );
    let leaks = u8::from(leaks);
    command
        .env(
            "ASAN_OPTIONS",
            // Large allocations fail as they do without it.
            format!("{common}:detect_leaks={leaks}:allocator_may_return_null=1"),
        )
        .env("UBSAN_OPTIONS", &common)
        .env("MSAN_OPTIONS", &common);
}

/// Options by which a symbolic environment is asked for, as KLEE's and ours are spelled.
fn is_symbolic_environment(argument: &[u8]) -> bool {
    let name = argument
        .strip_prefix(b"--")
        .or_else(|| argument.strip_prefix(b"-"));
    matches!(
        name,
        Some(b"sym-arg" | b"sym-args" | b"sym-stdin" | b"sym-stdout" | b"sym-files" | b"max-fail")
    )
}

/// What a process left.
struct Watched {
    status: std::process::ExitStatus,
    timed_out: bool,
    output: Vec<u8>,
    errors: Vec<u8>,
}

/// Reads a child's output until it ends or the time is over, then ends its whole group.
fn watch(child: &mut Child, timeout: Duration) -> io::Result<Watched> {
    let deadline = Instant::now() + timeout;
    let (done, finished) = channel();
    let output = keep(child.stdout.take(), done.clone());
    let errors = keep(child.stderr.take(), done);
    let group = Pid::from_child(child);
    // Both outputs end when the process does, unless it left children: so waiting for them is
    // waiting for it, and a look at the process now and then is enough for the rest.
    let mut patience = Duration::from_millis(1);
    let timed_out = loop {
        let left = deadline.saturating_duration_since(Instant::now());
        pause(&finished, patience.min(left));
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        if waitid(WaitId::Pid(group), options)?.is_some() {
            break false;
        }
        if left.is_zero() {
            break true;
        }
        patience = (patience * 2).min(Duration::from_millis(20));
    };
    // Its leader was not waited for, so the group is still its own. If nobody is left in it: good.
    let _ = kill_process_group(group, Signal::KILL);
    let status = child.wait()?;
    // Whoever left the group may hold the pipes open for ever.
    for _ in 0..2 {
        pause(&finished, Duration::from_millis(200));
    }
    Ok(Watched {
        status,
        timed_out,
        output: taken(&output),
        errors: taken(&errors),
    })
}

/// Waits until one output has ended, or that long.
fn pause(finished: &Receiver<()>, time: Duration) {
    match finished.recv_timeout(time) {
        Ok(()) | Err(RecvTimeoutError::Timeout) => {}
        // Both have ended: what is left is the process itself.
        Err(RecvTimeoutError::Disconnected) => {
            std::thread::sleep(time.min(Duration::from_micros(200)));
        }
    }
}

type Kept = Arc<Mutex<Vec<u8>>>;

/// Reads all of an output and keeps its beginning.
fn keep(source: Option<impl Read + Send + 'static>, done: Sender<()>) -> Kept {
    let kept = Kept::default();
    let shared = Arc::clone(&kept);
    if let Some(mut source) = source {
        std::thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(count @ 1..) = source.read(&mut buffer) {
                let mut kept = shared.lock().unwrap_or_else(|e| e.into_inner());
                let room = KEPT - kept.len();
                kept.extend_from_slice(&buffer[..count.min(room)]);
            }
            // Nobody may be waiting any more.
            let _ = done.send(());
        });
    }
    kept
}

fn taken(kept: &Kept) -> Vec<u8> {
    std::mem::take(&mut kept.lock().unwrap_or_else(|e| e.into_inner()))
}

/// What the replay library said: a word and a message.
fn read_report(file: &Path) -> Option<End> {
    let text = std::fs::read(file).ok()?;
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
            let text = std::fs::read(entry.path())?;
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
