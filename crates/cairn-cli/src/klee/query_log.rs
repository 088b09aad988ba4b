//! `--use-query-log`: queries as KQuery or SMT-LIB, in files of KLEE's names: `all-queries` are those that
//! the engine asks, `solver-queries` those that reach the core solver.
//!
//! A query asks whether its constraints contradict; a comment after it says what was answered. A file
//! is a script that `cairn solve` reads.

use crate::recorder::path_files;
use crate::recorder::write_failures::WriteFailures;
use cairn_engine::{LoggedQueries, QueryLog};
use cairn_expr::Term;
use cairn_report::OutputFolder;
use cairn_solver::{Answer, UnknownReason};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How queries are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// KLEE's own.
    KQuery,
    /// SMT-LIB.
    SmtLib,
}

/// One file that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WantedLog {
    /// Which queries.
    pub asked: LoggedQueries,
    /// How they are written.
    pub form: LogFormat,
}

impl WantedLog {
    /// Reads KLEE's word, such as `all:kquery`.
    pub fn read(word: &str) -> Option<WantedLog> {
        let (asked, form) = word.split_once(':')?;
        Some(WantedLog {
            asked: match asked {
                "all" => LoggedQueries::OfChain,
                "solver" => LoggedQueries::OfCoreSolver,
                _ => return None,
            },
            form: match form {
                "kquery" => LogFormat::KQuery,
                "smt2" => LogFormat::SmtLib,
                _ => return None,
            },
        })
    }

    fn file_name(self) -> &'static str {
        match (self.asked, self.form) {
            (LoggedQueries::OfChain, LogFormat::KQuery) => "all-queries.kquery",
            (LoggedQueries::OfChain, LogFormat::SmtLib) => "all-queries.smt2",
            (LoggedQueries::OfCoreSolver, LogFormat::KQuery) => "solver-queries.kquery",
            (LoggedQueries::OfCoreSolver, LogFormat::SmtLib) => "solver-queries.smt2",
        }
    }
}

#[derive(Debug)]
struct LogFile {
    file: File,
    /// Queries so far.
    queries: u64,
}

/// The files of a run.
#[derive(Debug)]
pub struct QueryFiles {
    files: Vec<(WantedLog, Mutex<LogFile>)>,
    /// Queries that took less are not written.
    at_least: Duration,
    /// Queries that were not decided are written too.
    timed_out: bool,
    failures: Arc<WriteFailures>,
}

impl QueryFiles {
    /// Makes the files.
    pub fn create(
        folder: &OutputFolder,
        wanted: &[WantedLog],
        at_least: Duration,
        timed_out: bool,
        failures: Arc<WriteFailures>,
    ) -> io::Result<Self> {
        let mut files = Vec::new();
        for log in wanted {
            let file = File::create(folder.file(log.file_name()))?;
            let open = LogFile { file, queries: 0 };
            files.push((*log, Mutex::new(open)));
        }
        Ok(QueryFiles {
            files,
            at_least,
            timed_out,
            failures,
        })
    }
}

impl QueryLog for QueryFiles {
    fn wants(&self, asked: LoggedQueries) -> bool {
        self.files.iter().any(|(log, _)| log.asked == asked)
    }

    fn answered(&self, asked: LoggedQueries, conjuncts: &[Term], answer: &Answer, time: Duration) {
        let timed_out = matches!(answer, Answer::Unknown(_));
        if (timed_out && !self.timed_out) || (!timed_out && time < self.at_least) {
            return;
        }
        for (log, open) in self.files.iter().filter(|(log, _)| log.asked == asked) {
            let mut text = String::new();
            let (comment, written) = match log.form {
                LogFormat::KQuery => ('#', path_files::kquery(&mut text, conjuncts)),
                LogFormat::SmtLib => (';', path_files::smt2(&mut text, conjuncts)),
            };
            if let Err(why) = written {
                text = format!("{comment} not written: {why}\n");
            }
            let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
            let mut all = format!("{comment} Query {} -- Type: Validity\n", open.queries);
            all += &text;
            let (state, solvable) = match answer {
                Answer::Sat(_) => ("OK", Some(true)),
                Answer::Unsat(_) => ("OK", Some(false)),
                Answer::Unknown(UnknownReason::Timeout) => ("TIMEOUT", None),
                Answer::Unknown(_) => ("FAIL", None),
            };
            let seconds = time.as_secs_f64();
            let _ = writeln!(all, "{comment}   {state} -- Elapsed: {seconds:.6}s");
            if let Some(solvable) = solvable {
                let _ = writeln!(all, "{comment}   Solvable: {solvable}");
            }
            if log.form == LogFormat::SmtLib {
                all += "(reset)\n";
            }
            all.push('\n');
            open.queries += 1;
            let written = open.file.write_all(all.as_bytes());
            self.failures
                .check(written.map_err(|e| format!("cannot write {}: {e}", log.file_name())));
        }
    }
}
