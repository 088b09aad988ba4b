//! Writes tests and findings to the output folder as they come, for `run` and for `klee`.
//!
//! Which files a test has and what becomes of one that cannot be written is the same for both: it is
//! here. An [`OutputLayout`] has what differs: the words, the files that only one of the two knows, and where
//! messages go.
//!
//! A run may have tens of thousands of tests, so a test costs no more than its file: each worker has
//! one set of buffers for names and contents, and nothing of a test is copied but into the file's
//! bytes.

pub(crate) mod path_files;
pub(crate) mod write_failures;

use cairn_engine::{Finding, LoggedDecision, Observer, Outcome, TestCase, Upcoming};
use cairn_expr::Term;
use cairn_ir::Program;
use cairn_llvm::Assembly;
use cairn_replay::KTestWriter;
use std::cell::RefCell;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use write_failures::WriteFailures;

/// Which files a test has.
#[derive(Clone, Copy, Debug, Default)]
pub struct TestFiles {
    /// `.ktest`, and what the layout writes beside it.
    pub tests: bool,
    /// `.kquery`
    pub kqueries: bool,
    /// `.smt2`
    pub smt2s: bool,
    /// `.path`
    pub paths: bool,
    /// `.sym.path`: the decisions at which the path forked.
    pub sym_paths: bool,
    /// `.cov`
    pub lines: bool,
}

/// What differs between the outputs of the two commands.
pub trait OutputLayout: Send + Sync {
    /// Whether errors are described in files even if no tests are written.
    const DESCRIBES_ERRORS_WITHOUT_TESTS: bool;

    /// What the `.err` file of something unsupported is called by.
    fn unsupported_word(finding: &Finding) -> &'static str;

    /// Whether the test of a path that ended so is wanted.
    fn wants_test(&self, files: &TestFiles, outcome: &Outcome) -> bool;

    /// The text of an `.err` file.
    fn describe_error(&self, text: &mut String, error: &DescribedError<'_>);

    /// The text of an `.early` file: why the path was not followed to its end.
    fn describe_early_end(&self, text: &mut String, why: &str);

    /// Decisions as a file holds them.
    fn put_decisions(&self, text: &mut String, steps: &mut dyn Iterator<Item = &LoggedDecision>);

    /// A path ended, before any of its files is written.
    fn ended(&self, outcome: &Outcome, program: &Program) {
        let _ = (outcome, program);
    }

    /// Writes what a test is judged by. A test without it would be judged wrongly and is not written.
    fn put_before_test(
        &self,
        files: &mut FilesOfTest<'_>,
        test: &TestCase,
        outcome: &Outcome,
    ) -> bool {
        let _ = (files, test, outcome);
        true
    }

    /// Writes what stands beside a test that was written.
    fn put_after_test(&self, files: &mut FilesOfTest<'_>, test: &TestCase, outcome: &Outcome) {
        let _ = (files, test, outcome);
    }

    /// Whether instructions are shown before they run.
    fn wants_instructions(&self) -> bool {
        false
    }

    /// Shows an instruction.
    fn instruction(&self, instruction: &Upcoming<'_>, assembly: Option<&Assembly>) {
        let _ = (instruction, assembly);
    }

    /// The first path ended in an error at a place; the test's number, if it was written.
    fn found(&self, finding: &Finding, test: Option<u64>, program: &Program);

    /// The program says something.
    fn message(&self, text: &str);

    /// The run says something.
    fn progress(&self, text: &str);

    /// The program shows the calls that have not returned.
    fn stack(&self, here: &Finding, program: &Program, assembly: Option<&Assembly>);

    /// The program, or the recorder, warns.
    fn warning(&self, text: &str);

    /// The program warns, once with the same text.
    fn warning_once(&self, text: &str);

    /// A file of a test cannot be made, for a reason that is not the disk.
    fn not_written(&self, text: &str);
}

/// An error and what its description needs.
pub struct DescribedError<'a> {
    pub finding: &'a Finding,
    pub test: &'a TestCase,
    pub program: &'a Program,
    /// The program's assembly text, if it was written.
    pub assembly: Option<&'a Assembly>,
}

/// See the module's head.
pub struct Recorder<L> {
    folder: PathBuf,
    files: TestFiles,
    /// The program and its arguments, as each test says.
    args: Vec<Vec<u8>>,
    /// The program's assembly text, if it was written.
    assembly: Option<Assembly>,
    failures: Arc<WriteFailures>,
    layout: L,
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

/// The files of one test.
pub struct FilesOfTest<'a> {
    buffers: &'a mut Buffers,
    folder: &'a Path,
    failures: &'a WriteFailures,
    number: u64,
}

impl FilesOfTest<'_> {
    /// Makes the path of the file with this ending the buffers' one.
    fn name(&mut self, ending: &str) -> &Path {
        let Buffers { path, name, .. } = &mut *self.buffers;
        name.clear();
        let _ = write!(name, "test{:06}.{ending}", self.number);
        path.clear();
        path.push(self.folder);
        path.push(&*name);
        path
    }

    /// Writes a file whose text is made in a buffer.
    pub fn put_text(&mut self, ending: &str, make: impl FnOnce(&mut String)) {
        let mut text = std::mem::take(&mut self.buffers.text);
        text.clear();
        make(&mut text);
        self.put(ending, &text);
        self.buffers.text = text;
    }

    /// Writes a file; whether it is there. If not, that is noted.
    pub fn put(&mut self, ending: &str, content: impl AsRef<[u8]>) -> bool {
        let failures = self.failures;
        failures.write(self.name(ending), content)
    }

    /// Notes that the test is not there.
    pub fn lost(&self, why: &str) {
        self.failures.note_test(self.number, &why);
    }

    /// Takes a file away that would mislead without its test.
    pub fn remove(&mut self, ending: &str) {
        let _ = std::fs::remove_file(self.name(ending));
    }
}

impl<L: OutputLayout> Recorder<L> {
    /// Writes into a folder; tests name the arguments that the program was given.
    pub fn new(
        folder: &Path,
        files: TestFiles,
        args: Vec<Vec<u8>>,
        assembly: Option<Assembly>,
        failures: Arc<WriteFailures>,
        layout: L,
    ) -> Self {
        Recorder {
            folder: folder.to_path_buf(),
            files,
            args,
            assembly,
            failures,
            layout,
        }
    }

    fn put(
        &self,
        files: &mut FilesOfTest<'_>,
        test: &TestCase,
        outcome: &Outcome,
        program: &Program,
    ) {
        self.put_end(files, test, outcome, program);
        if let Some(constraints) = &test.constraints {
            self.put_constraints(files, constraints);
        }
        if let Some(steps) = &test.decisions {
            if self.files.paths {
                files.put_text("path", |text| {
                    self.layout.put_decisions(text, &mut steps.iter())
                });
            }
            if self.files.sym_paths {
                let mut forks = steps.iter().filter(|step| step.forked);
                files.put_text("sym.path", |text| {
                    self.layout.put_decisions(text, &mut forks)
                });
            }
        }
        if let Some(lines) = &test.lines {
            files.put_text("cov", |text| path_files::lines(text, lines, program));
        }
        if !self.files.tests || !self.layout.put_before_test(files, test, outcome) {
            return;
        }
        if self.put_test(files, test) {
            self.layout.put_after_test(files, test, outcome);
        }
    }

    /// Writes how a path ended, if it did not end as programs do.
    fn put_end(
        &self,
        files: &mut FilesOfTest<'_>,
        test: &TestCase,
        outcome: &Outcome,
        program: &Program,
    ) {
        let error = |finding| DescribedError {
            finding,
            test,
            program,
            assembly: self.assembly.as_ref(),
        };
        match outcome {
            Outcome::Error(finding) => {
                let ending = format!("{}.err", finding.kind.word());
                files.put_text(&ending, |text| {
                    self.layout.describe_error(text, &error(finding))
                });
            }
            Outcome::Unsupported(finding) => {
                let ending = format!("{}.err", L::unsupported_word(finding));
                files.put_text(&ending, |text| {
                    self.layout.describe_error(text, &error(finding))
                });
            }
            Outcome::Stopped(omission) => {
                let why = omission.to_string();
                files.put_text("early", |text| self.layout.describe_early_end(text, &why));
            }
            Outcome::Subsumed(by) => {
                let why = format!("covered by {} {}", by.feature, by.entry);
                files.put_text("early", |text| self.layout.describe_early_end(text, &why));
            }
            Outcome::Merged => {
                let why = "merged with other paths, which go on as one";
                files.put_text("early", |text| self.layout.describe_early_end(text, why));
            }
            Outcome::Exit(_) | Outcome::Signal(_) | Outcome::Silent | Outcome::Contradiction => {}
        }
    }

    /// Writes what holds on the path.
    fn put_constraints(&self, files: &mut FilesOfTest<'_>, constraints: &[Term]) {
        let mut text = std::mem::take(&mut files.buffers.text);
        if self.files.smt2s {
            text.clear();
            match path_files::smt2(&mut text, constraints) {
                Ok(()) => {
                    files.put("smt2", &text);
                }
                Err(error) => self.failures.note(&error),
            }
        }
        if self.files.kqueries {
            text.clear();
            match path_files::kquery(&mut text, constraints) {
                Ok(()) => {
                    files.put("kquery", &text);
                }
                Err(why) => {
                    let number = files.number;
                    let line = format!("test{number:06}.kquery is not written: {why}");
                    self.layout.not_written(&line);
                }
            }
        }
        files.buffers.text = text;
    }

    /// Writes the test itself; whether it is there.
    fn put_test(&self, files: &mut FilesOfTest<'_>, test: &TestCase) -> bool {
        files.name("ktest");
        let objects = test.objects.iter();
        let objects = objects.map(|(name, bytes)| (name.as_bytes(), bytes.as_slice()));
        let Buffers { tests, path, .. } = &mut *files.buffers;
        let Err(error) = tests.write_parts(&self.args, objects, path) else {
            return true;
        };
        let why = format!("cannot write {}: {error}", path.display());
        files.lost(&why);
        // What stands beside a test that is not there would only mislead.
        files.remove("expect");
        false
    }
}

impl<L: OutputLayout> Observer for Recorder<L> {
    fn wants_test(&self, outcome: &Outcome) -> bool {
        self.layout.wants_test(&self.files, outcome)
    }

    fn wants_constraints(&self) -> bool {
        self.files.kqueries || self.files.smt2s
    }

    fn wants_decisions(&self) -> bool {
        self.files.paths || self.files.sym_paths
    }

    fn wants_lines(&self) -> bool {
        self.files.lines
    }

    fn wants_instructions(&self) -> bool {
        self.layout.wants_instructions()
    }

    fn instruction(&self, instruction: &Upcoming<'_>) {
        self.layout.instruction(instruction, self.assembly.as_ref());
    }

    fn found(&self, finding: &Finding, test: Option<u64>, program: &Program) {
        self.layout
            .found(finding, test.filter(|_| self.files.tests), program);
    }

    fn test(&self, number: u64, test: &TestCase, outcome: &Outcome, program: &Program) {
        self.layout.ended(outcome, program);
        if !self.files.tests && !L::DESCRIBES_ERRORS_WITHOUT_TESTS {
            return;
        }
        BUFFERS.with_borrow_mut(|buffers| {
            let mut files = FilesOfTest {
                buffers,
                folder: &self.folder,
                failures: &self.failures,
                number,
            };
            self.put(&mut files, test, outcome, program);
        });
    }

    fn message(&self, text: &str) {
        self.layout.message(text);
    }

    fn progress(&self, text: &str) {
        self.layout.progress(text);
    }

    fn stack(&self, here: &Finding, program: &Program) {
        self.layout.stack(here, program, self.assembly.as_ref());
    }

    fn warning(&self, text: &str) {
        self.layout.warning(text);
    }

    fn warning_once(&self, text: &str) {
        self.layout.warning_once(text);
    }
}
