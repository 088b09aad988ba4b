//! What `klee` writes of tests and errors, with KLEE's names and words, and where its messages go.

use super::error_messages;
use super::instructions::InstructionLog;
use super::messages::Messages;
use crate::recorder::path_files;
use crate::recorder::write_failures::WriteFailures;
use crate::recorder::{DescribedError, FilesOfTest, OutputLayout, TestFiles};
use cairn_engine::{Finding, LoggedDecision, Outcome, TestCase, Upcoming};
use cairn_ir::Program;
use cairn_llvm::Assembly;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::Instant;

/// See the module's head.
pub struct KleeLayout {
    /// `testN.info` is written.
    pub info: bool,
    /// `testN.xml` is written.
    pub xml: bool,
    /// Each error is reported once for a place; a note says that later ones there are ignored.
    pub once_per_place: bool,
    pub messages: Arc<Messages>,
    pub instructions: Option<Arc<InstructionLog>>,
    pub start: Instant,
    pub failures: Arc<WriteFailures>,
}

impl OutputLayout for KleeLayout {
    const DESCRIBES_ERRORS_WITHOUT_TESTS: bool = false;

    fn unsupported_word(finding: &Finding) -> &'static str {
        finding.kind.word()
    }

    // Errors are said with their tests, whether these are written or not.
    fn wants_test(&self, _files: &TestFiles, _outcome: &Outcome) -> bool {
        true
    }

    fn describe_error(&self, text: &mut String, error: &DescribedError<'_>) {
        put_error(text, error);
    }

    fn describe_early_end(&self, text: &mut String, _why: &str) {
        text.push_str("Execution halting.\n");
    }

    fn put_decisions(&self, text: &mut String, steps: &mut dyn Iterator<Item = &LoggedDecision>) {
        path_files::klee_decisions(text, steps);
    }

    fn ended(&self, outcome: &Outcome, program: &Program) {
        let Outcome::Error(finding) = outcome else {
            return;
        };
        let message = error_messages::message(finding);
        let place = finding.place(program);
        if place.line == 0 {
            self.messages
                .say(&format!("ERROR: (location information missing) {message}"));
        } else {
            let (file, line) = (&place.file, place.line);
            self.messages
                .say(&format!("ERROR: {file}:{line}: {message}"));
        }
        if self.once_per_place {
            self.messages
                .say("NOTE: now ignoring this error at this location");
        }
    }

    fn put_after_test(&self, files: &mut FilesOfTest<'_>, test: &TestCase, outcome: &Outcome) {
        if self.xml {
            let error = matches!(outcome, Outcome::Error(_));
            files.put("xml", xml_text(test, error));
        }
        if self.info {
            let seconds = self.start.elapsed().as_secs_f64();
            files.put(
                "info",
                format!("Time to generate test case: {seconds:.6}s\n"),
            );
        }
    }

    fn wants_instructions(&self) -> bool {
        self.instructions.is_some()
    }

    fn instruction(&self, instruction: &Upcoming<'_>, assembly: Option<&Assembly>) {
        if let Some(log) = &self.instructions {
            self.failures.check(log.print(instruction, assembly));
        }
    }

    // Said with the test, so that every error is if all are wanted.
    fn found(&self, _finding: &Finding, _test: Option<u64>, _program: &Program) {}

    // Printed bare, as KLEE does.
    fn message(&self, text: &str) {
        self.messages.repeat(text);
    }

    fn progress(&self, text: &str) {
        self.messages.say(text);
    }

    fn stack(&self, here: &Finding, program: &Program, assembly: Option<&Assembly>) {
        let mut text = String::new();
        put_stack(&mut text, here, program, assembly);
        // KLEE prints it on standard output; a closed pipe must not end the run.
        let _ = io::stdout().write_all(text.as_bytes());
    }

    fn warning(&self, text: &str) {
        self.messages.warn(text);
    }

    fn warning_once(&self, text: &str) {
        self.messages.warn_once(text, text);
    }

    fn not_written(&self, text: &str) {
        self.messages.warn(text);
    }
}

/// The content of a `.err` file, in KLEE's layout; our own words stand after `Info:`.
fn put_error(text: &mut String, error: &DescribedError<'_>) {
    let DescribedError {
        finding,
        test,
        program,
        assembly,
    } = *error;
    let place = finding.place(program);
    let _ = writeln!(text, "Error: {}", error_messages::message(finding));
    if place.line != 0 {
        let _ = writeln!(text, "File: {}\nLine: {}", place.file, place.line);
    }
    let calls = finding.calls(program);
    let in_text = assembly.zip(calls.first()).and_then(|(a, c)| a.line(c.1));
    if let Some(line) = in_text {
        let _ = writeln!(text, "assembly.ll line: {line}");
    }
    let _ = writeln!(text, "State: {}", test.state);
    text.push_str("Stack: \n");
    put_stack(text, finding, program, assembly);
    if error_messages::message(finding) != finding.message {
        let _ = writeln!(text, "Info: \n\t{}", finding.message);
    }
}

/// The calls that have not returned: number, line in the assembly text, function, place.
fn put_stack(text: &mut String, finding: &Finding, program: &Program, assembly: Option<&Assembly>) {
    for (i, (call, at)) in finding.calls(program).iter().enumerate() {
        let _ = write!(text, "\t#{i}");
        if let Some(line) = assembly.and_then(|a| a.line(*at)) {
            let _ = write!(text, "{line:08}");
        }
        let _ = write!(text, " in {}()", call.function);
        if call.line != 0 {
            let _ = write!(text, " at {}:{}", call.file, call.line);
        }
        text.push('\n');
    }
}

/// A test in the format of Test-Comp: one number for each input, in their order.
fn xml_text(test: &TestCase, error: bool) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
         <!DOCTYPE testcase PUBLIC \"+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN\" \
         \"https://sosy-lab.org/test-format/testcase-1.1.dtd\">\n",
    );
    text += if error {
        "<testcase coversError=\"true\">\n"
    } else {
        "<testcase>\n"
    };
    for (name, bytes) in &test.objects {
        let name = name
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('"', "&quot;");
        let _ = write!(
            text,
            "\t<input variable=\"{name}\" size=\"{}\">",
            bytes.len()
        );
        if bytes.len() <= 8 {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            let _ = write!(text, "{}", u64::from_le_bytes(word));
        } else {
            text += "0x";
            for byte in bytes.iter().rev() {
                let _ = write!(text, "{byte:02x}");
            }
        }
        text += "</input>\n";
    }
    text + "</testcase>\n"
}
