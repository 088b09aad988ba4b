//! Replaying tests, several at a time, with results in the order of the tests.
//!
//! A hundred thousand tests are usual. Each worker takes the next test; one thread prints a result as soon as
//! all results before it are printed. A worker that is far ahead of a slow test waits, so that few results
//! wait to be printed.

use super::{ReplayOptions, Variables, bad};
use crate::exit::{self, Failure};
use crate::ktest;
use crate::output;
use crate::run::terminal::Terminal;
use crate::say;
use cairn_replay::{
    Agreement, ExpectedEnd, ExpectedEnds, ExpectedOutput, Judgement, NativeProgram, NativeRun,
    RunError, RunOptions,
};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How many tests a worker may be ahead of the one that is printed next, for each worker.
const AHEAD: usize = 64;

/// Between two lines of progress.
const PROGRESS: Duration = Duration::from_millis(500);

/// How tests are run.
pub struct ReplaySettings<'a> {
    /// What was asked for.
    pub options: &'a ReplayOptions,
    /// Variables of the program's environment.
    pub variables: Variables,
    /// Whether the program is confined.
    pub sandbox: bool,
}

/// What came of one test.
#[derive(Default)]
struct Replayed {
    /// The result; none if its files cannot be read.
    line: Option<Line>,
    /// What goes to standard error.
    message: String,
    /// What the program printed, if that is to be shown.
    shown: Option<(Vec<u8>, Vec<u8>)>,
}

/// What is told about one test.
struct Line {
    test: PathBuf,
    agreement: Agreement,
    /// How the run ended, unless there was none.
    end: Option<String>,
    recorded: String,
    /// How its outputs differ from what was recorded.
    differences: Vec<String>,
    /// What stands after the name of the test.
    text: String,
}

/// Who runs which test.
struct Queue<'a> {
    tests: &'a [PathBuf],
    next: AtomicUsize,
    /// How many results were printed.
    printed: Mutex<usize>,
    moved: Condvar,
    over: AtomicBool,
    ahead: usize,
}

impl Queue<'_> {
    /// The next test, when it is not too far ahead.
    fn take(&self) -> Option<usize> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        if number >= self.tests.len() {
            return None;
        }
        let printed = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
        let early = |printed: &mut usize| {
            number >= *printed + self.ahead && !self.over.load(Ordering::Relaxed)
        };
        let waited = self.moved.wait_while(printed, early);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
        (!self.over.load(Ordering::Relaxed)).then_some(number)
    }

    fn note_printed(&self, count: usize) {
        *self.printed.lock().unwrap_or_else(PoisonError::into_inner) = count;
        self.moved.notify_all();
    }

    /// No other test is run.
    fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
        // After the lock was taken no thread is between its test of `over` and its wait.
        let printed = *self.printed.lock().unwrap_or_else(PoisonError::into_inner);
        self.note_printed(printed);
    }
}

/// Replays all tests; the result is the exit code.
pub fn replay_all(
    native: &NativeProgram,
    tests: &[PathBuf],
    settings: &ReplaySettings<'_>,
) -> Result<u8, Failure> {
    let records = RecordedEnds::of(tests)?;
    let jobs = settings.options.jobs.min(tests.len()).max(1);
    let queue = Queue {
        tests,
        next: AtomicUsize::new(0),
        printed: Mutex::new(0),
        moved: Condvar::new(),
        over: AtomicBool::new(false),
        ahead: AHEAD * jobs,
    };
    let mut totals = Totals::new(settings.options, tests.len());
    let (results, received) = channel();
    let printed = std::thread::scope(|scope| {
        for _ in 0..jobs {
            let (results, queue, records) = (results.clone(), &queue, &records);
            scope.spawn(move || work(native, queue, records, settings, &results));
        }
        drop(results);
        let mut early = BTreeMap::new();
        let mut count = 0;
        for (number, result) in received {
            early.insert(number, result);
            while let Some(result) = early.remove(&count) {
                if let Err(failure) =
                    result.and_then(|replayed| totals.tell(&tests[count], replayed))
                {
                    queue.end();
                    return Err(failure);
                }
                count += 1;
                queue.note_printed(count);
            }
        }
        Ok(())
    });
    totals.terminal.erase();
    printed?;
    totals.finish()
}

/// Runs tests until there are none left.
fn work(
    native: &NativeProgram,
    queue: &Queue<'_>,
    records: &RecordedEnds,
    settings: &ReplaySettings<'_>,
    results: &Sender<(usize, Result<Replayed, Failure>)>,
) {
    while let Some(number) = queue.take() {
        let result = replay_one(native, &queue.tests[number], records, settings);
        if results.send((number, result)).is_err() {
            // The command has failed.
            return;
        }
    }
}

/// What all tests came to.
struct Totals<'a> {
    options: &'a ReplayOptions,
    terminal: Terminal,
    all: usize,
    reported: usize,
    reached: usize,
    not_confirmed: usize,
    unreadable: usize,
    /// For the summary in JSON.
    lines: Vec<serde_json::Value>,
    progress_due: Instant,
}

impl<'a> Totals<'a> {
    fn new(options: &'a ReplayOptions, all: usize) -> Self {
        Totals {
            options,
            terminal: Terminal::new(all > 1),
            all,
            reported: 0,
            reached: 0,
            not_confirmed: 0,
            unreadable: 0,
            lines: Vec::new(),
            progress_due: Instant::now() + PROGRESS,
        }
    }

    /// Prints a result.
    fn tell(&mut self, test: &Path, replayed: Replayed) -> Result<(), Failure> {
        self.reported += 1;
        if !replayed.message.is_empty() {
            self.terminal.say(replayed.message.trim_end());
        }
        if let Some((output, errors)) = &replayed.shown {
            show(output, errors, self.options.json)?;
        }
        let Some(line) = replayed.line else {
            self.unreadable += 1;
            return Ok(());
        };
        match &line.agreement {
            Agreement::Reached => self.reached += 1,
            Agreement::NotConfirmed(_) => self.not_confirmed += 1,
            Agreement::NotReached => {}
        }
        if self.options.json {
            self.lines.push(in_json(&line));
        } else {
            let name = test.file_name().unwrap_or(test.as_os_str()).display();
            self.terminal.erase();
            output::print_line(&format!("{name}: {}", line.text))?;
        }
        let now = Instant::now();
        if now >= self.progress_due {
            self.progress_due = now + PROGRESS;
            let (reported, all) = (self.reported, self.all);
            self.terminal.progress(&format!(
                "{reported} of {all} tests, {} reached what was recorded",
                self.reached
            ));
        }
        Ok(())
    }

    /// Prints the summary; the exit code.
    fn finish(self) -> Result<u8, Failure> {
        let (all, reached) = (self.all, self.reached);
        if self.options.json {
            let summary = serde_json::json!({
                "total": all,
                "reached": reached,
                "not_confirmed": self.not_confirmed,
                "unreadable": self.unreadable,
                "rate": reached as f64 / all.max(1) as f64,
                "tests": self.lines,
            });
            output::print_line(&format!("{summary:#}"))?;
        } else if all > 1 {
            // Rounded down, so that it is 100 only if all are.
            let rate = 100 * reached / all;
            let others = match self.not_confirmed {
                0 => String::new(),
                number => format!(", {number} not confirmed"),
            };
            say!("cairn: {reached} of {all} tests reached what was recorded ({rate}%){others}");
        }
        Ok(if self.unreadable > 0 {
            exit::BAD_INPUT
        } else if reached == all {
            exit::DONE
        } else {
            exit::FOUND
        })
    }
}

fn in_json(line: &Line) -> serde_json::Value {
    serde_json::json!({
        "test": line.test.to_string_lossy(),
        "verdict": match &line.agreement {
            Agreement::Reached => "reached",
            Agreement::NotReached => "not reached",
            Agreement::NotConfirmed(_) => "not confirmed",
        },
        "end": line.end,
        "recorded": line.recorded,
        "differences": line.differences,
    })
}

/// Replays one test. If its files cannot be read this is reported, and there is no result: the others may
/// still be of use.
fn replay_one(
    native: &NativeProgram,
    file: &Path,
    records: &RecordedEnds,
    settings: &ReplaySettings<'_>,
) -> Result<Replayed, Failure> {
    let options = settings.options;
    let unreadable = |why: String| {
        Ok(Replayed {
            message: format!("cairn: {why}\n"),
            ..Replayed::default()
        })
    };
    let test = match ktest::read(file) {
        Ok(test) => test,
        Err(failure) => return unreadable(failure.text()),
    };
    let expectation = match ExpectedOutput::beside(file) {
        Ok(expectation) => expectation,
        Err(e) => {
            let beside = file.with_extension("expect");
            return unreadable(format!("{}: {e}", beside.display()));
        }
    };
    let record = records.of_test(file);
    let recorded = match (&record, &expectation) {
        (ExpectedEnd::Error(kind), _) => kind.clone(),
        (ExpectedEnd::Normal, Some(expectation)) => expectation.to_string(),
        (ExpectedEnd::Normal, None) => "a normal end".to_string(),
        (ExpectedEnd::Early, _) => "a path that was not followed to its end".to_string(),
    };
    let run_options = RunOptions {
        timeout: options.timeout,
        leaks: record.is_leak(),
        variables: settings.variables.clone(),
        folder: options.folder.clone(),
        sandbox: settings.sandbox,
    };
    let native_run = match native.run(&test, &run_options) {
        Ok(native_run) => native_run,
        Err(e @ RunError::Environment(_)) => {
            let line = Line {
                test: file.to_path_buf(),
                agreement: Agreement::NotReached,
                end: None,
                recorded,
                differences: vec![e.to_string()],
                text: format!("not reached: {e}"),
            };
            return Ok(Replayed {
                line: Some(line),
                ..Replayed::default()
            });
        }
        Err(e @ (RunError::Process { .. } | RunError::NotLinked { .. })) => {
            return Err(Failure::new(exit::BAD_INPUT, e));
        }
    };
    let notes = native_run.notes.iter();
    let notes = notes.map(|note| format!("cairn: {}: {note}\n", file.display()));
    let message = notes.collect();
    let mut judgement = match &expectation {
        Some(expectation) => expectation.judge(&record, &native_run, native),
        None => Judgement {
            agreement: record.judge(&native_run.end, native),
            output: None,
            errors: None,
        },
    };
    if options.strict && judgement.errors.is_some() {
        judgement.agreement = Agreement::NotReached;
    }
    let text = describe(&record, &recorded, &native_run, &judgement);
    let differences = judgement.output.iter().chain(&judgement.errors);
    let line = Line {
        test: file.to_path_buf(),
        end: Some(native_run.end.to_string()),
        recorded,
        differences: differences.map(|d| d.to_string()).collect(),
        text,
        agreement: judgement.agreement,
    };
    Ok(Replayed {
        line: Some(line),
        message,
        shown: options
            .verbose
            .then_some((native_run.output, native_run.errors)),
    })
}

/// What is recorded beside tests, by folder.
struct RecordedEnds(BTreeMap<PathBuf, ExpectedEnds>);

impl RecordedEnds {
    /// Reads each folder once.
    fn of(tests: &[PathBuf]) -> Result<RecordedEnds, Failure> {
        let mut known: BTreeMap<PathBuf, ExpectedEnds> = BTreeMap::new();
        for test in tests {
            let folder = folder_of(test);
            if !known.contains_key(folder) {
                let records = ExpectedEnds::of_folder(folder).map_err(|e| bad(folder, e))?;
                known.insert(folder.to_path_buf(), records);
            }
        }
        Ok(RecordedEnds(known))
    }

    fn of_test(&self, test: &Path) -> ExpectedEnd {
        let records = self.0.get(folder_of(test));
        records.map_or(ExpectedEnd::Normal, |records| records.of_test(test))
    }
}

fn folder_of(test: &Path) -> &Path {
    match test.parent() {
        Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
        Some(folder) => folder,
        None => Path::new("/"),
    }
}

fn describe(
    record: &ExpectedEnd,
    recorded: &str,
    native_run: &NativeRun,
    judgement: &Judgement,
) -> String {
    let end = &native_run.end;
    let different = match (&judgement.output, &judgement.errors) {
        (Some(output), _) => format!("; {output}"),
        (None, Some(errors)) => format!("; {errors}"),
        (None, None) => String::new(),
    };
    match (&judgement.agreement, record) {
        (Agreement::Reached, ExpectedEnd::Normal) => format!("reached: {end}{different}"),
        (Agreement::Reached, ExpectedEnd::Early) => format!("ran: {end}; recorded {recorded}"),
        (Agreement::Reached, ExpectedEnd::Error(kind)) => {
            format!("reached: {kind}: {end}{different}")
        }
        (Agreement::NotReached, _) if !different.is_empty() => {
            format!("not reached: {end}{different}")
        }
        (Agreement::NotReached, _) => format!("not reached: {end}; recorded {recorded}"),
        (Agreement::NotConfirmed(how), _) => {
            format!("not confirmed ({how}): {end}; recorded {recorded}")
        }
    }
}

/// The program's own output, before the line about it.
fn show(output: &[u8], errors: &[u8], all_as_errors: bool) -> Result<(), Failure> {
    if all_as_errors {
        let _ = std::io::stderr().write_all(output);
    } else {
        output::print(output)?;
    }
    let _ = std::io::stderr().write_all(errors);
    Ok(())
}
