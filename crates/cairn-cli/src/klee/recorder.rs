//! Writes tests and errors with KLEE's names and words as they come.

use super::voice::Voice;
use super::words;
use cairn_engine::{Finding, Observer, Outcome, SourceLine, TestCase};
use cairn_ir::Program;
use cairn_replay::{KTest, KTestObject, KTestWriter};
use std::cell::RefCell;
use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// What is written for each test.
pub struct Wanted {
    /// Anything at all.
    pub tests: bool,
    /// `testN.info`.
    pub info: bool,
    /// `testN.xml`.
    pub xml: bool,
    /// An error is said to be ignored at its place from now on.
    pub once_per_place: bool,
}

/// See the module's head.
pub struct Recorder {
    folder: PathBuf,
    wanted: Wanted,
    voice: Arc<Voice>,
    args: Vec<Vec<u8>>,
    start: Instant,
    complained: AtomicBool,
}

thread_local! {
    /// The buffer of each worker.
    static WRITER: RefCell<KTestWriter> = RefCell::default();
}

impl Recorder {
    /// Writes into a folder; tests name the arguments that the program was given.
    pub fn new(folder: PathBuf, wanted: Wanted, voice: Arc<Voice>, args: Vec<Vec<u8>>) -> Self {
        Recorder {
            folder,
            wanted,
            voice,
            args,
            start: Instant::now(),
            complained: AtomicBool::new(false),
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
            Outcome::Error(finding) => {
                let name = file(&format!("{}.err", finding.kind.word()));
                std::fs::write(name, error_text(finding, program))?;
            }
            Outcome::Stopped(_) => std::fs::write(file("early"), "Execution halting.\n")?,
            Outcome::Exit(_) | Outcome::Silent | Outcome::Contradiction => {}
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
        if self.wanted.xml {
            let error = matches!(outcome, Outcome::Error(_));
            std::fs::write(file("xml"), xml_text(test, error))?;
        }
        if self.wanted.info {
            let seconds = self.start.elapsed().as_secs_f64();
            let text = format!("Time to generate test case: {seconds:.6}s\n");
            std::fs::write(file("info"), text)?;
        }
        Ok(())
    }
}

impl Observer for Recorder {
    fn wants_test(&self, _outcome: &Outcome) -> bool {
        true
    }

    // Said with the test, so that every error is if all are wanted.
    fn found(&self, _finding: &Finding, _program: &Program) {}

    fn test(&self, number: u64, test: &TestCase, outcome: &Outcome, program: &Program) {
        if let Outcome::Error(finding) = outcome {
            let message = words::message(finding);
            let place = finding.place(program);
            if place.line == 0 {
                self.voice
                    .say(&format!("ERROR: (location information missing) {message}"));
            } else {
                let (file, line) = (&place.file, place.line);
                self.voice.say(&format!("ERROR: {file}:{line}: {message}"));
            }
            if self.wanted.once_per_place {
                self.voice
                    .say("NOTE: now ignoring this error at this location");
            }
        }
        if !self.wanted.tests {
            return;
        }
        if let Err(error) = self.write(number, test, outcome, program)
            && !self.complained.swap(true, Ordering::Relaxed)
        {
            let folder = self.folder.display();
            self.voice
                .warn(&format!("{folder}: {error}; tests are lost from now on"));
        }
    }

    fn message(&self, text: &str) {
        self.voice.warn(text);
    }

    fn warning(&self, text: &str) {
        self.voice.warn(text);
    }

    fn warning_once(&self, text: &str) {
        self.voice.warn_once(text, text);
    }
}

/// The content of a `.err` file, in KLEE's layout; our own words stand behind `Info:`.
fn error_text(finding: &Finding, program: &Program) -> String {
    let place = finding.place(program);
    let mut text = format!("Error: {}\n", words::message(finding));
    if place.line != 0 {
        let _ = writeln!(text, "File: {}\nLine: {}", place.file, place.line);
    }
    text += "Stack: \n";
    for (
        i,
        SourceLine {
            function,
            file,
            line,
        },
    ) in finding.lines(program).iter().enumerate()
    {
        let _ = write!(text, "\t#{i} in {function}()");
        if *line != 0 {
            let _ = write!(text, " at {file}:{line}");
        }
        text.push('\n');
    }
    if words::message(finding) != finding.message {
        let _ = writeln!(text, "Info: \n\t{}", finding.message);
    }
    text
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
