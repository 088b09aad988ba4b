//! Writes tests and findings to the output folder as they come.
//!
//! A run may have tens of thousands of tests, so a test costs no more than its file: each worker has
//! one set of buffers for names and contents, and nothing of a test is copied but into the file's
//! bytes.

use super::terminal::Terminal;
use super::write_failures::WriteFailures;
use super::{error_file, path_files};
use cairn_engine::{Finding, Observer, Outcome, TestCase};
use cairn_expr::Term;
use cairn_ir::Program;
use cairn_llvm::Assembly;
use cairn_replay::{ExpectedOutput, KTestWriter};
use cairn_report::{MessageFile, MessageLog, OutputFolder};
use std::cell::RefCell;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is written beside the folder's other files.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// `.ktest`
    pub tests: bool,
    /// `.kquery`
    pub kqueries: bool,
    /// `.smt2`
    pub smt2s: bool,
    /// `.path`
    pub paths: bool,
    /// What the program says is shown on the terminal too.
    pub shows_messages: bool,
}

/// See the module's head.
pub struct Recorder {
    folder: PathBuf,
    /// The current folder: files below it are shown as they are named from there.
    here: String,
    /// The program and its arguments, as each test says.
    args: Vec<Vec<u8>>,
    wanted: Wanted,
    /// The program's assembly text, if it was written.
    assembly: Option<Assembly>,
    log: Option<MessageLog>,
    terminal: Arc<Terminal>,
    failures: Arc<WriteFailures>,
}

/// What a worker uses again for each test.
#[derive(Default)]
struct Buffers {
    tests: KTestWriter,
    path: PathBuf,
    name: String,
    text: String,
}

thread_local! {
    static BUFFERS: RefCell<Buffers> = RefCell::default();
}

impl Buffers {
    /// The path of a test's file.
    fn name(&mut self, folder: &Path, number: u64, ending: &str) {
        self.name.clear();
        let _ = write!(self.name, "test{number:06}.{ending}");
        self.path.clear();
        self.path.push(folder);
        self.path.push(&self.name);
    }
}

impl Recorder {
    /// Writes into a folder.
    pub fn new(
        folder: &OutputFolder,
        args: Vec<Vec<u8>>,
        wanted: Wanted,
        assembly: Option<Assembly>,
        terminal: Arc<Terminal>,
        failures: Arc<WriteFailures>,
    ) -> Self {
        Recorder {
            folder: folder.path().to_path_buf(),
            here: std::env::current_dir().map_or_else(
                |_| String::new(),
                |here| format!("{}/", here.to_string_lossy()),
            ),
            args,
            wanted,
            assembly,
            log: failures.check(MessageLog::create(folder)),
            terminal,
            failures,
        }
    }

    fn say(&self, stream: MessageFile, line: &str) {
        if let Some(log) = &self.log {
            self.failures.check(log.say(stream, line));
        }
    }

    /// Writes the buffered text to a file of a test.
    fn put_text(&self, buffers: &mut Buffers, number: u64, ending: &str) {
        buffers.name(&self.folder, number, ending);
        self.failures.write(&buffers.path, &buffers.text);
    }

    /// Writes what holds on the path.
    fn put_constraints(&self, buffers: &mut Buffers, number: u64, constraints: &[Term]) {
        if self.wanted.smt2s {
            buffers.text.clear();
            match path_files::smt2(&mut buffers.text, constraints) {
                Ok(()) => self.put_text(buffers, number, "smt2"),
                Err(error) => self.failures.note(&error),
            }
        }
        if self.wanted.kqueries {
            buffers.text.clear();
            match path_files::kquery(&mut buffers.text, constraints) {
                Ok(()) => self.put_text(buffers, number, "kquery"),
                Err(error) => self.say(
                    MessageFile::Warnings,
                    &format!("test{number:06}.kquery is not written: {error}"),
                ),
            }
        }
    }

    fn put(
        &self,
        buffers: &mut Buffers,
        number: u64,
        test: &TestCase,
        outcome: &Outcome,
        program: &Program,
    ) {
        let described = match outcome {
            Outcome::Error(finding) => Some((finding, finding.kind.word())),
            Outcome::Unsupported(finding) => Some((finding, "unsupported")),
            Outcome::Exit(_)
            | Outcome::Signal(_)
            | Outcome::Silent
            | Outcome::Stopped(_)
            | Outcome::Subsumed(_)
            | Outcome::Contradiction => None,
        };
        if let Some((finding, kind)) = described {
            buffers.text.clear();
            let assembly = self.assembly.as_ref();
            error_file::write(&mut buffers.text, finding, test, program, assembly);
            self.put_text(buffers, number, &format!("{kind}.err"));
        }
        let why_early = match outcome {
            Outcome::Stopped(omission) => Some(omission.to_string()),
            Outcome::Subsumed(by) => Some(format!("covered by {} {}", by.feature, by.entry)),
            Outcome::Exit(_)
            | Outcome::Signal(_)
            | Outcome::Silent
            | Outcome::Error(_)
            | Outcome::Unsupported(_)
            | Outcome::Contradiction => None,
        };
        if let Some(why) = &why_early {
            buffers.text.clear();
            buffers.text.push_str(why);
            buffers.text.push('\n');
            self.put_text(buffers, number, "early");
        }
        if let Some(constraints) = &test.constraints {
            self.put_constraints(buffers, number, constraints);
        }
        if let Some(decisions) = &test.decisions {
            buffers.text.clear();
            path_files::decisions(&mut buffers.text, decisions);
            self.put_text(buffers, number, "path");
        }
        if !self.wanted.tests {
            return;
        }
        if let Some(printed) = &test.printed {
            let expected = ExpectedOutput {
                exit: match outcome {
                    Outcome::Exit(code) => Some(code & 0xff),
                    Outcome::Signal(_)
                    | Outcome::Silent
                    | Outcome::Error(_)
                    | Outcome::Unsupported(_)
                    | Outcome::Stopped(_)
                    | Outcome::Subsumed(_)
                    | Outcome::Contradiction => None,
                },
                signal: match outcome {
                    Outcome::Signal(signal) => i32::try_from(*signal).ok(),
                    Outcome::Exit(_)
                    | Outcome::Silent
                    | Outcome::Error(_)
                    | Outcome::Unsupported(_)
                    | Outcome::Stopped(_)
                    | Outcome::Subsumed(_)
                    | Outcome::Contradiction => None,
                },
                stdout: printed.output.clone(),
                stderr: printed.errors.clone(),
                sockets: printed.sockets.clone(),
                ..ExpectedOutput::default()
            };
            buffers.name(&self.folder, number, "expect");
            if !self.failures.write(&buffers.path, expected.to_bytes()) {
                // Without what it is to print, the test would be judged by less than was recorded.
                self.failures.note_test(number, &"a test is incomplete");
                return;
            }
        }
        buffers.name(&self.folder, number, "ktest");
        let objects = test.objects.iter();
        let objects = objects.map(|(name, bytes)| (name.as_bytes(), bytes.as_slice()));
        let written = buffers
            .tests
            .write_parts(&self.args, objects, &buffers.path);
        if let Err(error) = written {
            let why = format!("cannot write {}: {error}", buffers.path.display());
            self.failures.note_test(number, &why);
            // What stands beside a test that is not there would only mislead.
            buffers.name(&self.folder, number, "expect");
            let _ = std::fs::remove_file(&buffers.path);
        }
    }
}

impl Observer for Recorder {
    fn wants_test(&self, outcome: &Outcome) -> bool {
        // Errors are described even if there are no tests.
        self.wanted.tests || matches!(outcome, Outcome::Error(_) | Outcome::Unsupported(_))
    }

    fn wants_constraints(&self) -> bool {
        self.wanted.kqueries || self.wanted.smt2s
    }

    fn wants_decisions(&self) -> bool {
        self.wanted.paths
    }

    fn found(&self, finding: &Finding, test: Option<u64>, program: &Program) {
        let place = finding.place(program);
        let (message, kind) = (&finding.message, finding.kind.word());
        let file = place.file.strip_prefix(&self.here).unwrap_or(&place.file);
        let test = test.filter(|_| self.wanted.tests);
        let test = test.map_or(String::new(), |number| format!(", test{number:06}"));
        let line = match place.line {
            0 => format!("{}: {message} ({kind}){test}", place.function),
            number => format!("{file}:{number}: {message} ({kind}){test}"),
        };
        self.terminal.say(&line);
        self.say(MessageFile::Messages, &line);
    }

    fn test(&self, number: u64, test: &TestCase, outcome: &Outcome, program: &Program) {
        BUFFERS.with_borrow_mut(|b| self.put(b, number, test, outcome, program));
    }

    fn message(&self, text: &str) {
        if self.wanted.shows_messages {
            self.terminal.say(&format!("cairn: {text}"));
        }
        self.say(MessageFile::Messages, text);
    }

    fn warning(&self, text: &str) {
        if self.wanted.shows_messages {
            self.terminal.say(&format!("cairn: warning: {text}"));
        }
        self.say(MessageFile::Warnings, text);
    }

    fn warning_once(&self, text: &str) {
        let Some(log) = &self.log else { return };
        let said = self
            .failures
            .check(log.say_once(MessageFile::Warnings, text, text));
        if said == Some(true) && self.wanted.shows_messages {
            self.terminal.say(&format!("cairn: warning: {text}"));
        }
    }
}
