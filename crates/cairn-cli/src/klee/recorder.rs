//! Writes tests and errors with KLEE's names and words as they come.

use super::error_messages;
use super::instructions::InstructionLog;
use super::messages::Messages;
use crate::run::path_files;
use crate::run::summary::test_name;
use crate::run::write_failures::{WriteFailures, write_whole};
use cairn_engine::{Finding, Observer, Outcome, TestCase, Upcoming};
use cairn_expr::Term;
use cairn_ir::Program;
use cairn_llvm::Assembly;
use cairn_replay::{KTest, KTestObject, KTestWriter};
use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// What is written for each test.
pub struct Wanted {
    /// Anything at all.
    pub tests: bool,
    /// `testN.info`.
    pub info: bool,
    /// `testN.xml`.
    pub xml: bool,
    /// `testN.kquery`.
    pub kqueries: bool,
    /// `testN.smt2`.
    pub smt2s: bool,
    /// `testN.path`.
    pub paths: bool,
    /// `testN.sym.path`.
    pub sym_paths: bool,
    /// `testN.cov`.
    pub lines: bool,
    /// An error is said to be ignored at its place from now on.
    pub once_per_place: bool,
}

/// See the module's head.
pub struct Recorder {
    folder: PathBuf,
    wanted: Wanted,
    messages: Arc<Messages>,
    args: Vec<Vec<u8>>,
    /// The program's assembly text.
    assembly: Option<Assembly>,
    instructions: Option<Arc<InstructionLog>>,
    start: Instant,
    failures: Arc<WriteFailures>,
}

/// Writes a file of a test.
fn put(file: PathBuf, content: impl AsRef<[u8]>) -> io::Result<()> {
    write_whole(&file, content.as_ref())
}

thread_local! {
    /// The buffer of each worker.
    static WRITER: RefCell<KTestWriter> = RefCell::default();
}

impl Recorder {
    /// Writes into a folder; tests name the arguments that the program was given.
    pub fn new(
        folder: PathBuf,
        wanted: Wanted,
        messages: Arc<Messages>,
        args: Vec<Vec<u8>>,
        assembly: Option<Assembly>,
        instructions: Option<Arc<InstructionLog>>,
        failures: Arc<WriteFailures>,
    ) -> Self {
        Recorder {
            folder,
            wanted,
            messages,
            args,
            assembly,
            instructions,
            start: Instant::now(),
            failures,
        }
    }

    fn write(
        &self,
        number: u64,
        test: &TestCase,
        outcome: &Outcome,
        program: &Program,
    ) -> io::Result<()> {
        let file = |end: &str| self.folder.join(format!("test{number:06}.{end}"));
        match outcome {
            Outcome::Error(finding) | Outcome::Unsupported(finding) => {
                let name = file(&format!("{}.err", finding.kind.word()));
                put(
                    name,
                    error_text(finding, test.state, program, self.assembly.as_ref()),
                )?;
            }
            Outcome::Stopped(_) | Outcome::Subsumed(_) => {
                put(file("early"), "Execution halting.\n")?
            }
            Outcome::Exit(_) | Outcome::Signal(_) | Outcome::Silent | Outcome::Contradiction => {}
        }
        let objects = test.objects.iter().map(|(name, bytes)| KTestObject {
            name: name.as_bytes().to_vec(),
            bytes: bytes.clone(),
        });
        let ktest = KTest {
            args: self.args.clone(),
            objects: objects.collect(),
            ..KTest::default()
        };
        WRITER.with(|w| w.borrow_mut().write(&ktest, &file("ktest")))?;
        self.write_path(number, test, program)?;
        if self.wanted.xml {
            let error = matches!(outcome, Outcome::Error(_));
            put(file("xml"), xml_text(test, error))?;
        }
        if self.wanted.info {
            let seconds = self.start.elapsed().as_secs_f64();
            let text = format!("Time to generate test case: {seconds:.6}s\n");
            put(file("info"), text)?;
        }
        Ok(())
    }
}

impl Recorder {
    /// Writes what is known of the test's path.
    fn write_path(&self, number: u64, test: &TestCase, program: &Program) -> io::Result<()> {
        let mut text = String::new();
        let file = |end: &str| self.folder.join(format!("test{number:06}.{end}"));
        let constraints = test.constraints.as_deref().unwrap_or_default();
        type Writer = fn(&mut String, &[Term]) -> Result<(), String>;
        let forms: [(bool, &str, Writer); 2] = [
            (self.wanted.kqueries, "kquery", path_files::kquery),
            (self.wanted.smt2s, "smt2", path_files::smt2),
        ];
        for (_, end, write) in forms.iter().filter(|(wanted, _, _)| *wanted) {
            text.clear();
            match write(&mut text, constraints) {
                Ok(()) => put(file(end), &text)?,
                Err(why) => self
                    .messages
                    .warn(&format!("test{number:06}.{end} is not written: {why}")),
            }
        }
        let steps = test.decisions.as_deref().unwrap_or_default();
        if self.wanted.paths {
            text.clear();
            path_files::klee_decisions(&mut text, steps);
            put(file("path"), &text)?;
        }
        if self.wanted.sym_paths {
            text.clear();
            path_files::klee_decisions(&mut text, steps.iter().filter(|step| step.forked));
            put(file("sym.path"), &text)?;
        }
        if let Some(lines) = &test.lines {
            text.clear();
            path_files::lines(&mut text, lines, program);
            put(file("cov"), &text)?;
        }
        Ok(())
    }
}

impl Observer for Recorder {
    fn wants_constraints(&self) -> bool {
        self.wanted.kqueries || self.wanted.smt2s
    }

    fn wants_decisions(&self) -> bool {
        self.wanted.paths || self.wanted.sym_paths
    }

    fn wants_lines(&self) -> bool {
        self.wanted.lines
    }

    fn wants_instructions(&self) -> bool {
        self.instructions.is_some()
    }

    fn instruction(&self, instruction: &Upcoming<'_>) {
        if let Some(log) = &self.instructions {
            self.failures
                .check(log.print(instruction, self.assembly.as_ref()));
        }
    }

    fn wants_test(&self, _outcome: &Outcome) -> bool {
        true
    }

    // Said with the test, so that every error is if all are wanted.
    fn found(&self, _finding: &Finding, _test: Option<u64>, _program: &Program) {}

    fn test(&self, number: u64, test: &TestCase, outcome: &Outcome, program: &Program) {
        if let Outcome::Error(finding) = outcome {
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
            if self.wanted.once_per_place {
                self.messages
                    .say("NOTE: now ignoring this error at this location");
            }
        }
        if !self.wanted.tests {
            return;
        }
        if let Err(error) = self.write(number, test, outcome, program) {
            let why = format!("cannot write test{number:06}: {error}");
            if self.folder.join(test_name(number)).exists() {
                self.failures.note(&why);
            } else {
                self.failures.note_test(number, &why);
            }
        }
    }

    // Printed bare, as KLEE does.
    fn message(&self, text: &str) {
        self.messages.repeat(text);
    }

    fn progress(&self, text: &str) {
        self.messages.say(text);
    }

    fn stack(&self, here: &Finding, program: &Program) {
        let mut text = String::new();
        put_stack(&mut text, here, program, self.assembly.as_ref());
        // KLEE prints it on standard output; a closed pipe must not end the run.
        let _ = io::stdout().write_all(text.as_bytes());
    }

    fn warning(&self, text: &str) {
        self.messages.warn(text);
    }

    fn warning_once(&self, text: &str) {
        self.messages.warn_once(text, text);
    }
}

/// The content of a `.err` file, in KLEE's layout; our own words stand behind `Info:`.
fn error_text(
    finding: &Finding,
    state: u64,
    program: &Program,
    assembly: Option<&Assembly>,
) -> String {
    let place = finding.place(program);
    let mut text = format!("Error: {}\n", error_messages::message(finding));
    if place.line != 0 {
        let _ = writeln!(text, "File: {}\nLine: {}", place.file, place.line);
    }
    let calls = finding.calls(program);
    let in_text = assembly.zip(calls.first()).and_then(|(a, c)| a.line(c.1));
    if let Some(line) = in_text {
        let _ = writeln!(text, "assembly.ll line: {line}");
    }
    let _ = writeln!(text, "State: {state}");
    text += "Stack: \n";
    put_stack(&mut text, finding, program, assembly);
    if error_messages::message(finding) != finding.message {
        let _ = writeln!(text, "Info: \n\t{}", finding.message);
    }
    text
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
