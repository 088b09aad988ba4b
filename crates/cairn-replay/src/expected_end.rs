//! What the engine said about a test, and whether the native run agrees.
//!
//! # Problem
//!
//! `testNNNNNN.KIND.err` beside a test says that the program fails on it, `testNNNNNN.early` that its path
//! was not followed to its end; without either it ends normally. A native run shows some failures by itself (signals, reports of its own) and
//! others not at all: a read outside of an object mostly goes unnoticed.
//!
//! # Idea
//!
//! Per kind there are the ends that confirm it, and the sanitizer that would make it
//! visible. If that one was not built in, a quiet run contradicts nothing: it is not confirmed.
//!
//! # Soundness
//!
//! A run counts as reached only on evidence of its own. Any exit code is a
//! normal end, because the exit code is part of the program, not of the error. Of a path that was not
//! followed to its end nothing is recorded that a run could contradict, except that the input fits.

use crate::build::{NativeProgram, Sanitizer};
use crate::run::End;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// What the engine recorded for a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpectedEnd {
    /// The program ends normally.
    Normal,
    /// It fails with an error of this kind.
    Error(String),
    /// A limit ended its path: how the program ends is not known.
    Early,
}

/// Whether the record was reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// Yes.
    Reached,
    /// No: something else happened.
    NotReached,
    /// The run says nothing about it; the text says what would.
    NotConfirmed(String),
}

/// The records of a folder of tests.
#[derive(Clone, Debug, Default)]
pub struct ExpectedEnds {
    /// From the name without `.ktest` to what is recorded.
    records: BTreeMap<String, ExpectedEnd>,
}

impl ExpectedEnds {
    /// Reads the names in a folder.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn of_folder(folder: &Path) -> io::Result<ExpectedEnds> {
        let mut records = BTreeMap::new();
        for entry in std::fs::read_dir(folder)? {
            let name = entry?.file_name();
            let Some(name) = name.to_str() else { continue };
            if let Some(stem) = name.strip_suffix(".early") {
                records.insert(stem.to_string(), ExpectedEnd::Early);
            }
            let parts = name.strip_suffix(".err");
            if let Some((stem, kind)) = parts.and_then(|name| name.rsplit_once('.')) {
                records.insert(stem.to_string(), ExpectedEnd::Error(kind.to_string()));
            }
        }
        Ok(ExpectedEnds { records })
    }

    /// What was recorded for a test in this folder.
    pub fn of_test(&self, test: &Path) -> ExpectedEnd {
        test.file_stem()
            .and_then(|stem| stem.to_str())
            .and_then(|stem| self.records.get(stem).cloned())
            .unwrap_or(ExpectedEnd::Normal)
    }
}

/// Signals by which a process dies of its own doing.
const SIGILL: i32 = 4;
const SIGTRAP: i32 = 5;
const SIGABRT: i32 = 6;
const SIGBUS: i32 = 7;
const SIGFPE: i32 = 8;
const SIGSEGV: i32 = 11;

/// What makes an error of a kind visible natively.
enum Visible {
    /// It always is.
    Always,
    /// It is for sure only with a sanitizer.
    With(Sanitizer),
    /// It is about the engine, not about the program.
    Never,
}

/// How errors of a kind show.
struct Evidence {
    visible: Visible,
    /// The signals that confirm it.
    signals: &'static [i32],
    /// Does a sanitizer's report?
    sanitizer: bool,
    /// Does an error that the program reports itself?
    report: bool,
}

fn evidence(kind: &str) -> Evidence {
    let of = |visible, signals, sanitizer, report| Evidence {
        visible,
        signals,
        sanitizer,
        report,
    };
    match kind {
        "assert" | "abort" => of(Visible::Always, &[SIGABRT], false, true),
        "uncaught_exception" => of(Visible::Always, &[SIGABRT], false, false),
        "div" => of(Visible::Always, &[SIGFPE, SIGILL, SIGTRAP], true, false),
        "stack" => of(Visible::Always, &[SIGSEGV, SIGBUS], true, false),
        // The C library aborts when it finds its lists destroyed.
        "ptr" | "free" => of(
            Visible::With(Sanitizer::Address),
            &[SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGTRAP],
            true,
            false,
        ),
        "readonly" => of(
            Visible::With(Sanitizer::Address),
            &[SIGSEGV, SIGBUS],
            true,
            false,
        ),
        "overflow" | "overshift" => of(
            Visible::With(Sanitizer::Undefined),
            &[SIGILL, SIGTRAP],
            true,
            false,
        ),
        "leak" => of(Visible::With(Sanitizer::Address), &[], true, false),
        "uninit" => of(Visible::With(Sanitizer::Memory), &[], true, false),
        "exec" | "external" | "model" | "unsupported" | "bad_vector_access" => {
            of(Visible::Never, &[], true, false)
        }
        // What the program itself says is wrong: by a report, or by a signal that it sends itself.
        "user" => of(
            Visible::Always,
            &[SIGSEGV, SIGBUS, SIGFPE, SIGILL],
            false,
            true,
        ),
        // The program names kinds of its own with klee_report_error.
        _ => of(Visible::Always, &[], false, true),
    }
}

impl ExpectedEnd {
    /// Compares with how a native run ended.
    pub fn judge(&self, end: &End, program: &NativeProgram) -> Agreement {
        let kind = match (self, end) {
            (ExpectedEnd::Normal | ExpectedEnd::Early, End::Exit(_)) => return Agreement::Reached,
            (
                ExpectedEnd::Early,
                End::Signal(_) | End::Reported(_) | End::Sanitizer(_) | End::TimedOut(_),
            ) => return Agreement::Reached,
            (
                ExpectedEnd::Normal,
                End::Signal(_) | End::Reported(_) | End::Sanitizer(_) | End::TimedOut(_),
            )
            | (
                ExpectedEnd::Normal | ExpectedEnd::Early,
                End::AssumptionFailed | End::Misfit(_) | End::Unsupported(_),
            ) => return Agreement::NotReached,
            (ExpectedEnd::Error(kind), _) => kind,
        };
        let evidence = evidence(kind);
        let confirmed = match end {
            End::Signal(signal) => evidence.signals.contains(signal),
            End::Sanitizer(_) => evidence.sanitizer,
            End::Reported(_) => evidence.report,
            End::Exit(_)
            | End::AssumptionFailed
            | End::Misfit(_)
            | End::Unsupported(_)
            | End::TimedOut(_) => false,
        };
        if confirmed {
            return Agreement::Reached;
        }
        if !matches!(end, End::Exit(_)) {
            return Agreement::NotReached;
        }
        match evidence.visible {
            Visible::Always => Agreement::NotReached,
            Visible::With(sanitizer) if program.has(sanitizer) => Agreement::NotReached,
            Visible::With(sanitizer) => {
                Agreement::NotConfirmed(format!("build with --sanitize {}", sanitizer.name()))
            }
            Visible::Never => {
                Agreement::NotConfirmed(format!("{kind} errors do not show natively"))
            }
        }
    }

    /// Would leaks be what is looked for?
    pub fn is_leak(&self) -> bool {
        matches!(self, ExpectedEnd::Error(kind) if kind == "leak")
    }
}
