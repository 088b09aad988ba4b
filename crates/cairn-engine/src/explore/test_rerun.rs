//! Each test is run once more, on the concrete machine, after it was written.
//!
//! # Problem
//!
//! A test says: with these inputs the program ends like this. It comes out of terms,
//! queries and models; a bug in any of them would be told as a fact about the user's program.
//!
//! # Idea
//!
//! The concrete machine shares with the engine the step function and the memory, but no
//! term, no solver and no model. It runs the program on the test's bytes alone, and what happens
//! is compared with what was recorded: the exit code, or the kind and line of the error.
//!
//! # Soundness
//!
//! The machine does the same given the same inputs. What a test does not
//! hold (memory that was never written, `klee_get_value`, `klee_is_symbolic`, what a function of the
//! host answered) may differ, so a test whose path read such a thing is not compared, and counted.
//! Where memory that was never written holds a certain byte, it does so on both. Everything else
//! that differs is a bug in Cairn.
//!
//! # Cost
//!
//! A run without terms. The program is laid out once per worker. Unless all tests are
//! wanted, checks take at most [`SHARE`] of the worker's processor time ([`RerunBudget`]).

use crate::calls::externals::DISALLOWED;
use crate::config::Config;
use crate::explore::worker::StartError;
use crate::finding::{Finding, FindingKind, Outcome};
use crate::path::transition;
use crate::report::TestCase;
use crate::values::symbolic_domain::Unwritten;
use cairn_ir::{CheckKind, FuncId, Program};
use cairn_machine::{Cause, End, Image, MachineConfig, Report, is_below_stack};
use cairn_memory::MemoryConfig;
use rustix::time::{ClockId, clock_gettime};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// One part in this many of a worker's time goes into checks: 5%.
const SHARE: u32 = 20;

/// Operations that a run may take beyond a multiple of the path's own: some functions are code to
/// one of the two, and not to the other.
const ALLOWANCE: u64 = 1_000_000;

/// What running a test again told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RerunVerdict {
    /// It ends as recorded.
    Agree,
    /// It ends in another way: a bug in Cairn.
    Differ {
        /// What was recorded.
        expected: String,
        /// What happened.
        happened: String,
    },
    /// It was not compared.
    Skipped(Skip),
}

/// Why a test is not compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skip {
    /// The path may depend on values that no test holds.
    Hidden,
    /// The path was not followed to an end.
    NoEnd,
    /// The exploration ended before the test did.
    Interrupted,
}

/// A test that the concrete machine does not confirm: a bug in Cairn.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mismatch {
    /// The test's number.
    pub test: u64,
    /// What was recorded.
    pub expected: String,
    /// What happened.
    pub happened: String,
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "test{:06} was recorded as {}, but the concrete machine {}",
            self.test, self.expected, self.happened
        )
    }
}

/// Runs tests of one program again.
pub struct TestRerun {
    program: Arc<Program>,
    image: Image,
    entry: FuncId,
    args: Vec<Vec<u8>>,
    /// Where the stack of machine code is.
    stack: Option<Range<u64>>,
    /// Errors that are ends like others.
    plain_ends: Vec<FindingKind>,
}

impl TestRerun {
    /// Lays the program out.
    ///
    /// # Errors
    /// If it has no such entry, or does not fit into memory.
    pub fn new(program: Arc<Program>, config: &Config) -> Result<Self, StartError> {
        let entry = program
            .find_function(&config.entry)
            .ok_or_else(|| StartError::NoEntry(config.entry.clone()))?;
        let machine = MachineConfig {
            memory: MemoryConfig {
                uninitialised: match config.unwritten {
                    Unwritten::Filled(byte) => Some(byte),
                    // Paths that depend on what was never written are not compared.
                    Unwritten::Anything | Unwritten::Zero => None,
                },
                ..config.memory.clone()
            },
            limit: None,
            variables: config.variables.clone(),
            code: config.code.clone(),
            unchecked: {
                let all = CheckKind::ALL.iter().copied();
                let passed =
                    |kind: &CheckKind| config.unchecked.contains(&FindingKind::of_check(*kind));
                all.filter(passed).collect()
            },
        };
        let mut image = Image::new(Arc::clone(&program), machine)?;
        if let Some(setup) = &config.system {
            image = image.with_system(setup)?;
        }
        Ok(TestRerun {
            image,
            program,
            entry,
            args: config.args.clone(),
            stack: config.code.as_ref().map(|code| code.stack()),
            plain_ends: config.plain_ends.iter().map(|end| end.kind()).collect(),
        })
    }

    /// Whether it has all functions of a program that may have grown.
    pub fn is_of(&self, program: &Program) -> bool {
        self.program.functions.len() >= program.functions.len()
            && self.program.places.len() >= program.places.len()
    }

    /// Runs a test and compares. `executed` is what the path took; `stop` says when to give up.
    pub fn check(
        &self,
        test: &TestCase,
        outcome: &Outcome,
        executed: u64,
        stop: &dyn Fn() -> bool,
    ) -> RerunVerdict {
        // Uninitialised memory is zero on the concrete machine, and such a use is no error.
        let unwritten = |finding: &Finding| finding.kind == FindingKind::Uninitialised;
        if test.hidden || matches!(outcome, Outcome::Error(finding) if unwritten(finding)) {
            return RerunVerdict::Skipped(Skip::Hidden);
        }
        let expected = match outcome {
            Outcome::Exit(_)
            | Outcome::Signal(_)
            | Outcome::Silent
            | Outcome::Error(_)
            | Outcome::Unsupported(_) => self.recorded(outcome),
            Outcome::Stopped(_)
            | Outcome::Subsumed(_)
            | Outcome::Merged
            | Outcome::Contradiction => {
                return RerunVerdict::Skipped(Skip::NoEnd);
            }
        };
        let limit = executed.saturating_mul(4).saturating_add(ALLOWANCE);
        let (mut output, mut errors) = (std::io::sink(), std::io::sink());
        let mut machine = self
            .image
            .machine(&mut output, &mut errors)
            .with_inputs(
                test.objects
                    .iter()
                    .map(|(name, bytes)| (name.to_string(), bytes.clone()))
                    .collect(),
            )
            .with_limit(limit)
            .stopping_when(stop);
        let end = self.plain(outcome, machine.run(self.entry, &self.args));
        if end == End::Limit && stop() {
            return RerunVerdict::Skipped(Skip::Interrupted);
        }
        let differ = |happened: String| RerunVerdict::Differ {
            expected: expected.clone(),
            happened,
        };
        // With other inputs it is another path, even if it ends in the same way.
        if let Some(misfit) = machine.misfit() {
            return differ(format!("went another way: {misfit}"));
        }
        let agrees = match (outcome, &end) {
            (Outcome::Exit(recorded), End::Exit(code)) => recorded == code,
            (Outcome::Signal(recorded), End::Signal(signal, _)) => recorded == signal,
            (Outcome::Silent, End::Silent) => true,
            // Leaks are seen only by the check for leaks; the program itself ends as always.
            (Outcome::Error(finding), End::Exit(_)) => {
                finding.kind == FindingKind::Leak && machine.leaks()
            }
            (
                Outcome::Error(finding) | Outcome::Unsupported(finding),
                End::Error(report)
                | End::Signal(_, report)
                | End::Abort(report)
                | End::Assumption(report),
            ) => self.same_error(finding, report),
            (
                Outcome::Exit(_)
                | Outcome::Signal(_)
                | Outcome::Silent
                | Outcome::Error(_)
                | Outcome::Unsupported(_),
                End::Exit(_)
                | End::Signal(..)
                | End::Silent
                | End::Error(_)
                | End::Abort(_)
                | End::Assumption(_)
                | End::Limit,
            )
            | (
                Outcome::Stopped(_)
                | Outcome::Subsumed(_)
                | Outcome::Merged
                | Outcome::Contradiction,
                _,
            ) => false,
        };
        if agrees {
            RerunVerdict::Agree
        } else {
            differ(self.happened(&end, limit))
        }
    }

    /// An end that paths take for one like others, unless it is the one that was recorded.
    fn plain(&self, recorded: &Outcome, end: End) -> End {
        let plain = |report: &Report| {
            let kind = FindingKind::of_cause(&report.cause);
            let is_recorded = matches!(recorded, Outcome::Error(f) if f.kind == kind);
            self.plain_ends.contains(&kind) && !is_recorded
        };
        match &end {
            End::Error(report) | End::Abort(report) if plain(report) => {
                End::Exit(transition::ABORTED)
            }
            End::Exit(_)
            | End::Signal(..)
            | End::Silent
            | End::Error(_)
            | End::Abort(_)
            | End::Assumption(_)
            | End::Limit => end,
        }
    }

    fn same_error(&self, finding: &Finding, report: &Report) -> bool {
        let mut other = Finding::of_report(report);
        if let (Some(stack), Cause::Fault(fault)) = (&self.stack, &report.cause)
            && is_below_stack(stack, fault)
        {
            other.kind = FindingKind::Stack;
        }
        if finding.message == DISALLOWED && report.cause == Cause::Undefined {
            // The concrete machine has no host that it could be forbidden to call.
            other.kind = finding.kind;
        }
        let (here, there) = (finding.place(&self.program), other.place(&self.program));
        finding.kind == other.kind && (here.file, here.line) == (there.file, there.line)
    }

    fn error(&self, finding: &Finding) -> String {
        let place = finding.place(&self.program);
        format!(
            "an error of kind {} at {}:{} ({})",
            finding.kind.word(),
            place.file,
            place.line,
            finding.message
        )
    }

    fn recorded(&self, outcome: &Outcome) -> String {
        match outcome {
            Outcome::Exit(code) => format!("an exit with code {code}"),
            Outcome::Signal(signal) => format!("an end by signal {signal}"),
            Outcome::Silent => "a silent exit".to_string(),
            Outcome::Error(finding) | Outcome::Unsupported(finding) => self.error(finding),
            Outcome::Stopped(_) => "a path that was not followed".to_string(),
            Outcome::Subsumed(by) => format!("a path that {} covers", by.feature),
            Outcome::Merged => "a path that goes on as one with others".to_string(),
            Outcome::Contradiction => "a path that does not exist".to_string(),
        }
    }

    fn happened(&self, end: &End, limit: u64) -> String {
        match end {
            End::Exit(code) => format!("exits with code {code}"),
            End::Signal(signal, _) => format!("ends by signal {signal}"),
            End::Silent => "exits without a word".to_string(),
            End::Error(report) | End::Abort(report) => {
                format!("meets {}", self.error(&Finding::of_report(report)))
            }
            End::Assumption(report) => {
                let place = Finding::of_report(report).place(&self.program);
                format!(
                    "says at {}:{} that {}",
                    place.file, place.line, report.message
                )
            }
            End::Limit => format!("does not end within {limit} instructions"),
        }
    }
}

/// How much of a worker's time goes into checks.
pub struct RerunBudget {
    everything: bool,
    started: Duration,
    spent: Duration,
    first: bool,
}

impl RerunBudget {
    /// A budget that starts now; `everything` is no limit.
    pub fn new(everything: bool) -> Self {
        Self::starting(everything, thread_time())
    }

    fn starting(everything: bool, started: Duration) -> Self {
        RerunBudget {
            everything,
            started,
            spent: Duration::ZERO,
            first: true,
        }
    }

    /// Does work if there is time for it. The first piece of work is always done.
    pub fn spend<T>(&mut self, work: impl FnOnce() -> T) -> Option<T> {
        self.spend_by(thread_time, work)
    }

    fn spend_by<T>(&mut self, clock: impl Fn() -> Duration, work: impl FnOnce() -> T) -> Option<T> {
        let before = clock();
        let so_far = before.saturating_sub(self.started);
        if !(self.everything || self.first || self.spent * SHARE < so_far) {
            return None;
        }
        self.first = false;
        let result = work();
        self.spent += clock().saturating_sub(before);
        Some(result)
    }
}

/// Processor time of the present thread: what other threads do costs no check.
pub(crate) fn thread_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Between two tests pass `between` units of time; running one again takes `check`. How many of
    /// `tests` are, and how much of all time that took.
    fn simulate(everything: bool, tests: u32, between: u64, check: u64) -> (u32, f64) {
        let now = Cell::new(0);
        let clock = || Duration::from_micros(now.get());
        let mut budget = RerunBudget::starting(everything, clock());
        let mut checked = 0;
        for _ in 0..tests {
            now.set(now.get() + between);
            let work = || now.set(now.get() + check);
            checked += u32::from(budget.spend_by(clock, work).is_some());
        }
        (
            checked,
            u64::from(checked) as f64 * check as f64 / now.get() as f64,
        )
    }

    #[test]
    fn checks_take_their_share_of_the_time() {
        // Cheap ones are all done, dear ones until the share is used up.
        assert_eq!(simulate(false, 1000, 100, 1).0, 1000);
        let (checked, share) = simulate(false, 1000, 100, 50);
        assert!(checked > 50, "{checked}");
        assert!((0.04..0.055).contains(&share), "{share}");
    }

    #[test]
    fn the_first_test_is_always_checked_and_all_are_on_request() {
        assert_eq!(simulate(false, 3, 1, 1_000_000).0, 1);
        assert_eq!(simulate(true, 100, 1, 1_000_000).0, 100);
    }
}
