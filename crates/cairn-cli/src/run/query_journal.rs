//! `--query-journal`: what reaches the core solver, for measurements (`cairn-bench cache`).

use crate::recorder::write_failures::WriteFailures;
use cairn_engine::{LoggedQueries, QueryLog};
use cairn_expr::Term;
use cairn_solver::Answer;
use cairn_text::journal::JournalWriter;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::ThreadId;
use std::time::Duration;

struct OpenJournal {
    writer: JournalWriter<BufWriter<File>>,
    /// Workers: each has a store of its own.
    workers: Vec<ThreadId>,
    /// Whether something could not be written; nothing is after that.
    failed: bool,
}

/// See the module's head. Workers share it.
pub struct QueryJournal {
    open: Mutex<OpenJournal>,
    failures: Arc<WriteFailures>,
}

impl std::fmt::Debug for QueryJournal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("QueryJournal")
    }
}

impl QueryJournal {
    /// Begins the file. `None` if it cannot be written; then a warning says so.
    pub fn create(file: &Path, failures: Arc<WriteFailures>) -> Option<Arc<QueryJournal>> {
        let begun = File::create(file).and_then(|out| JournalWriter::new(BufWriter::new(out)));
        let begun = begun.map_err(|e| format!("cannot write {}: {e}", file.display()));
        let writer = failures.check(begun)?;
        let open = OpenJournal {
            writer,
            workers: Vec::new(),
            failed: false,
        };
        Some(Arc::new(QueryJournal {
            open: Mutex::new(open),
            failures,
        }))
    }

    /// Writes the last line.
    pub fn end(&self) {
        self.write(|open| open.writer.end());
    }

    fn write(&self, write: impl FnOnce(&mut OpenJournal) -> io::Result<()>) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.failed {
            return;
        }
        let written = write(&mut open);
        open.failed = written.is_err();
        let written = written.map_err(|e| format!("cannot write the journal of queries: {e}"));
        self.failures.check(written);
    }
}

impl QueryLog for QueryJournal {
    fn wants(&self, asked: LoggedQueries) -> bool {
        asked == LoggedQueries::OfCoreSolver
    }

    fn answered(&self, _: LoggedQueries, conjuncts: &[Term], answer: &Answer, time: Duration) {
        let worker = std::thread::current().id();
        self.write(|open| {
            let known = open.workers.iter().position(|known| *known == worker);
            let source = known.unwrap_or(open.workers.len());
            if known.is_none() {
                open.workers.push(worker);
            }
            let core = match answer {
                Answer::Unsat(core) => {
                    let goal = conjuncts.last().filter(|_| core.goal);
                    core.facts.iter().chain(goal).cloned().collect()
                }
                Answer::Sat(_) | Answer::Unknown(_) => Vec::new(),
            };
            let verdict = answer.verdict();
            open.writer
                .query(source as u64, conjuncts, &core, verdict, time)
        });
    }
}
