//! What `run` writes of tests and findings, and where its messages go: the terminal, `messages.txt` and
//! `warnings.txt`.

use super::error_file;
use super::terminal::Terminal;
use crate::recorder::path_files;
use crate::recorder::write_failures::WriteFailures;
use crate::recorder::{DescribedError, FilesOfTest, OutputLayout, TestFiles};
use cairn_engine::{Finding, LoggedDecision, Outcome, TestCase, stack_message};
use cairn_ir::Program;
use cairn_llvm::Assembly;
use cairn_replay::ExpectedOutput;
use cairn_report::{MessageFile, MessageLog, OutputFolder};
use std::sync::Arc;

/// See the module's head.
pub struct RunLayout {
    /// The current folder: files below it are shown as they are named from there.
    here: String,
    log: Option<MessageLog>,
    /// What the program says is shown on the terminal too.
    shows_messages: bool,
    terminal: Arc<Terminal>,
    failures: Arc<WriteFailures>,
}

impl RunLayout {
    /// Opens the files of messages of a folder.
    pub fn new(
        folder: &OutputFolder,
        shows_messages: bool,
        terminal: Arc<Terminal>,
        failures: Arc<WriteFailures>,
    ) -> Self {
        RunLayout {
            here: std::env::current_dir().map_or_else(
                |_| String::new(),
                |here| format!("{}/", here.to_string_lossy()),
            ),
            log: failures.check(MessageLog::create(folder)),
            shows_messages,
            terminal,
            failures,
        }
    }

    fn say(&self, file: MessageFile, line: &str) {
        if let Some(log) = &self.log {
            self.failures.check(log.say(file, line));
        }
    }
}

/// What a native run of a test is to print, and how it is to end.
fn expected_output(test: &TestCase, outcome: &Outcome) -> Option<ExpectedOutput> {
    let printed = test.printed.as_ref()?;
    let (exit, signal) = match outcome {
        Outcome::Exit(code) => (Some(code & 0xff), None),
        Outcome::Signal(signal) => (None, i32::try_from(*signal).ok()),
        Outcome::Silent
        | Outcome::Error(_)
        | Outcome::Unsupported(_)
        | Outcome::Stopped(_)
        | Outcome::Subsumed(_)
        | Outcome::Merged
        | Outcome::Contradiction => (None, None),
    };
    Some(ExpectedOutput {
        exit,
        signal,
        stdout: printed.output.clone(),
        stderr: printed.errors.clone(),
        sockets: printed.sockets.clone(),
        ..ExpectedOutput::default()
    })
}

impl OutputLayout for RunLayout {
    const DESCRIBES_ERRORS_WITHOUT_TESTS: bool = true;

    fn unsupported_word(_finding: &Finding) -> &'static str {
        "unsupported"
    }

    fn wants_test(&self, files: &TestFiles, outcome: &Outcome) -> bool {
        // Errors are described even if there are no tests.
        files.tests || matches!(outcome, Outcome::Error(_) | Outcome::Unsupported(_))
    }

    fn describe_error(&self, text: &mut String, error: &DescribedError<'_>) {
        error_file::write(text, error);
    }

    fn describe_early_end(&self, text: &mut String, why: &str) {
        text.push_str(why);
        text.push('\n');
    }

    fn put_decisions(&self, text: &mut String, steps: &mut dyn Iterator<Item = &LoggedDecision>) {
        path_files::decisions(text, steps);
    }

    fn put_before_test(
        &self,
        files: &mut FilesOfTest<'_>,
        test: &TestCase,
        outcome: &Outcome,
    ) -> bool {
        let Some(expected) = expected_output(test, outcome) else {
            return true;
        };
        let written = files.put("expect", expected.to_bytes());
        if !written {
            // Without what it is to print, the test would be judged by less than was recorded.
            files.lost("a test is incomplete");
        }
        written
    }

    fn found(&self, finding: &Finding, test: Option<u64>, program: &Program) {
        let place = finding.place(program);
        let (message, kind) = (&finding.message, finding.kind.word());
        let file = place.file.strip_prefix(&self.here).unwrap_or(&place.file);
        let test = test.map_or(String::new(), |number| format!(", test{number:06}"));
        let line = match place.line {
            0 => format!("{}: {message} ({kind}){test}", place.function),
            number => format!("{file}:{number}: {message} ({kind}){test}"),
        };
        self.terminal.say(&line);
        self.say(MessageFile::Messages, &line);
    }

    fn message(&self, text: &str) {
        if self.shows_messages {
            self.terminal.say(&format!("cairn: {text}"));
        }
        self.say(MessageFile::Messages, text);
    }

    fn progress(&self, text: &str) {
        self.message(text);
    }

    fn stack(&self, here: &Finding, program: &Program, _assembly: Option<&Assembly>) {
        self.message(&stack_message(here, program));
    }

    fn warning(&self, text: &str) {
        if self.shows_messages {
            self.terminal.say(&format!("cairn: warning: {text}"));
        }
        self.say(MessageFile::Warnings, text);
    }

    fn warning_once(&self, text: &str) {
        let Some(log) = &self.log else { return };
        let said = self
            .failures
            .check(log.say_once(MessageFile::Warnings, text, text));
        if said == Some(true) && self.shows_messages {
            self.terminal.say(&format!("cairn: warning: {text}"));
        }
    }

    fn not_written(&self, text: &str) {
        self.say(MessageFile::Warnings, text);
    }
}
