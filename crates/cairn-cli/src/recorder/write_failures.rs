//! Results that could not be written.
//!
//! A full disk does not end a run: what it finds from then on is still in its summary, which goes to
//! standard error when anything was lost. The first failure is reported at once, so that a user can make
//! room or stop the run.

use crate::exit;
use crate::output;
use crate::run::summary::test_name;
use cairn_report::Summary;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Says a sentence to the user.
type Speaker = Box<dyn Fn(&str) + Send + Sync>;

/// See the module's head. Workers share it.
pub struct WriteFailures {
    speaker: Speaker,
    any: AtomicBool,
    /// The numbers of tests that are not there.
    tests: Mutex<BTreeSet<u64>>,
}

impl std::fmt::Debug for WriteFailures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let any = self.any.load(Ordering::Relaxed);
        f.debug_struct("WriteFailures").field("any", &any).finish()
    }
}

impl WriteFailures {
    /// Nothing is lost yet; the first loss is reported through `speaker`.
    pub fn new(speaker: impl Fn(&str) + Send + Sync + 'static) -> Self {
        WriteFailures {
            speaker: Box::new(speaker),
            any: AtomicBool::new(false),
            tests: Mutex::default(),
        }
    }

    /// Something could not be written, for this reason.
    pub fn note(&self, why: &dyn Display) {
        if !self.any.swap(true, Ordering::Relaxed) {
            let rest = "results are lost from now on, and the summary will be printed here";
            (self.speaker)(&format!("{why}; {rest}"));
        }
    }

    /// A test could not be written.
    pub fn note_test(&self, number: u64, why: &dyn Display) {
        self.note(why);
        let mut tests = self.tests.lock().unwrap_or_else(PoisonError::into_inner);
        tests.insert(number);
    }

    /// What was written, or nothing: then the failure is noted.
    pub fn check<T, E: Display>(&self, written: Result<T, E>) -> Option<T> {
        written.inspect_err(|why| self.note(why)).ok()
    }

    /// Writes a file as a whole or not at all: part of one would be read as the whole.
    pub fn write(&self, path: &Path, content: impl AsRef<[u8]>) -> bool {
        let written = write_whole(path, content.as_ref());
        let written = written.map_err(|e| format!("cannot write {}: {e}", path.display()));
        self.check(written).is_some()
    }

    /// Takes tests that are not there out of a summary.
    pub fn correct(&self, summary: &mut Summary) {
        let lost = self.tests.lock().unwrap_or_else(PoisonError::into_inner);
        summary.tests = summary
            .tests
            .map(|tests| tests.saturating_sub(lost.len() as u64));
        let names: BTreeSet<String> = lost.iter().map(|number| test_name(*number)).collect();
        for finding in &mut summary.findings {
            finding.test = finding.test.take().filter(|test| !names.contains(test));
        }
    }

    /// The exit code of a run that would have this one. If anything was lost, the summary goes to
    /// standard error; a bug in Cairn and an error in the program, which was printed, are still the more
    /// important news.
    pub fn exit_code(&self, code: u8, summary: &Summary) -> u8 {
        if !self.any.load(Ordering::Relaxed) {
            return code;
        }
        output::errors(&summary.to_json());
        match code {
            exit::BUG | exit::FOUND => code,
            _ => exit::UNWRITABLE,
        }
    }
}

/// Writes a file; what is left of one that could not be written is removed.
pub fn write_whole(path: &Path, content: &[u8]) -> std::io::Result<()> {
    std::fs::write(path, content).inspect_err(|_| {
        // It may never have been made. Other things than files (devices) stay.
        if path.is_file() {
            let _ = std::fs::remove_file(path);
        }
    })
}
