//! `--write-hard-queries`: the queries that took the core solver long, each as a script of its own.
//!
//! A script's facts come first, the goal of the query is its last assertion: `cairn-bench recorded` measures such folders.

use crate::recorder::path_files;
use crate::recorder::write_failures::WriteFailures;
use cairn_engine::{LoggedQueries, QueryLog};
use cairn_expr::Term;
use cairn_report::OutputFolder;
use cairn_solver::Answer;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The folder among the results.
const FOLDER: &str = "hard-queries";

/// See the module's head. Workers share it.
#[derive(Debug)]
pub struct HardQueries {
    folder: PathBuf,
    at_least: Duration,
    /// Queries so far.
    written: AtomicU64,
    failures: Arc<WriteFailures>,
}

impl HardQueries {
    /// Makes the folder. `None` if it cannot be made; then a warning says so.
    pub fn create(
        folder: &OutputFolder,
        at_least: Duration,
        failures: Arc<WriteFailures>,
    ) -> Option<Arc<dyn QueryLog>> {
        let folder = folder.file(FOLDER);
        let made = std::fs::create_dir(&folder);
        failures.check(made.map_err(|e| format!("cannot make {}: {e}", folder.display())))?;
        Some(Arc::new(HardQueries {
            folder,
            at_least,
            written: AtomicU64::new(0),
            failures,
        }))
    }
}

impl QueryLog for HardQueries {
    fn wants(&self, asked: LoggedQueries) -> bool {
        asked == LoggedQueries::OfCoreSolver
    }

    fn answered(&self, _: LoggedQueries, conjuncts: &[Term], answer: &Answer, time: Duration) {
        if time < self.at_least {
            return;
        }
        let number = self.written.fetch_add(1, Ordering::Relaxed) + 1;
        let mut text = format!(
            "; {} after {:.6} s\n(set-info :status {})\n",
            answer.verdict(),
            time.as_secs_f64(),
            answer.verdict()
        );
        if let Err(why) = path_files::smt2(&mut text, conjuncts) {
            text = format!("; not written: {why}\n");
        }
        let file = self.folder.join(format!("query{number:06}.smt2"));
        self.failures.write(&file, text);
    }
}
