//! Limits on the work of a query.
//!
//! Conflicts and work ([`Budget::work`]) are counted, so that where they end a query does not depend on the machine's speed; the
//! deadline, the processor time, the memory limit and the cancel flag only stop a query.

use crate::UnknownReason;
use rustix::time::{ClockId, clock_gettime};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The fewest conflicts that a limit on work leaves a search: with less it learns nothing.
const FEWEST_CONFLICTS: u64 = 20;

/// What a gate costs, in the same measure: it is made, gets clauses, and is given back.
const WORK_OF_GATE: u64 = 256;

/// Limits for one query. Default is no limit at all.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// When to stop.
    pub deadline: Option<Instant>,
    /// The processor time that the querying thread may take, so that the load of the machine changes no
    /// answer.
    pub processor: Option<ProcessorTime>,
    /// How many conflicts a SAT search may have.
    pub conflicts: Option<u64>,
    /// How much work each search and each new root may take: it limits them one by one, not their sum. A search takes its
    /// conflicts times the variables that it searches, because a conflict in a large circuit costs as much as hundreds in a small
    /// one; it may have `FEWEST_CONFLICTS` in any case. A root that a query puts into the circuit takes `WORK_OF_GATE` for each
    /// gate that is made for it and, again, for each that gets clauses. An enumeration takes some for each term and assignment that it
    /// computes. What words decide takes none, and external core solvers count none.
    pub work: Option<u64>,
    /// How many bytes the process may have resident.
    pub memory: Option<u64>,
    /// Set by another thread to stop the query.
    pub cancel: Option<Cancel>,
}

/// A limit on the processor time of the thread that made it.
///
/// A thread's clock never runs faster than the wall's, so the limit cannot be reached before as much wall
/// time has passed: until then only the wall clock is read, which needs no system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessorTime {
    /// The thread's processor time at the limit.
    until: Duration,
    /// Before this moment it cannot be reached.
    not_before: Instant,
}

impl ProcessorTime {
    /// A limit from now on.
    pub fn new(limit: Duration) -> Self {
        ProcessorTime {
            until: thread_time().saturating_add(limit),
            not_before: Instant::now() + limit,
        }
    }

    fn is_over(&self, now: Instant) -> bool {
        now >= self.not_before && thread_time() >= self.until
    }
}

/// The processor time of the present thread.
fn thread_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec as u32)
}

/// A flag that another thread sets to stop queries.
///
/// Every query has a copy, and the count of copies would move between the cores of workers that
/// share a flag: each worker makes its `Cancel` once and copies that, whose count is its own.
#[derive(Clone, Debug)]
#[expect(
    clippy::redundant_allocation,
    reason = "the outer count is the worker's own"
)]
pub struct Cancel(Arc<Arc<AtomicBool>>);

impl Cancel {
    /// For a flag.
    pub fn new(flag: Arc<AtomicBool>) -> Self {
        Cancel(Arc::new(flag))
    }

    /// Whether it is set.
    #[inline]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Budget {
    /// No limit.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// A limit on time from now on.
    pub fn timeout(limit: Duration) -> Self {
        Budget {
            deadline: Some(Instant::now() + limit),
            ..Self::default()
        }
    }

    /// How many conflicts a search over so many variables may have.
    pub(crate) fn conflicts_among(&self, variables: usize) -> Option<u64> {
        let by_work = self
            .work
            .map(|work| (work / (variables as u64).max(1)).max(FEWEST_CONFLICTS));
        match (self.conflicts, by_work) {
            (Some(conflicts), Some(by_work)) => Some(conflicts.min(by_work)),
            (conflicts, by_work) => conflicts.or(by_work),
        }
    }

    /// Fails if so many gates are more than may be made and searched.
    #[inline]
    pub(crate) fn check_gates(&self, gates: usize) -> Result<(), UnknownReason> {
        let too_many = |work| gates as u64 > work / WORK_OF_GATE;
        match self.work.is_some_and(too_many) {
            true => Err(UnknownReason::Work),
            false => Ok(()),
        }
    }

    /// Why a search ended that had all the conflicts it might have.
    pub(crate) fn out_of_conflicts(&self) -> UnknownReason {
        match self.work {
            Some(_) => UnknownReason::Work,
            None => UnknownReason::Conflicts,
        }
    }

    /// The reason to stop now, if there is one. [`Budget::exhausted_memory`] checks memory, which is more
    /// expensive.
    #[inline]
    pub fn exhausted(&self) -> Option<UnknownReason> {
        if let Some(cancel) = &self.cancel
            && cancel.is_set()
        {
            return Some(UnknownReason::Cancelled);
        }
        if self.deadline.is_none() && self.processor.is_none() {
            return None;
        }
        let now = Instant::now();
        let late = self.deadline.is_some_and(|deadline| now >= deadline);
        let spent = || self.processor.is_some_and(|limit| limit.is_over(now));
        (late || spent()).then_some(UnknownReason::Timeout)
    }

    /// Fails with the reason to stop now, if there is one.
    #[inline]
    pub(crate) fn check(&self) -> Result<(), UnknownReason> {
        match self.exhausted() {
            Some(reason) => Err(reason),
            None => Ok(()),
        }
    }

    /// The same limits, with processor time counted by the wall clock: for solvers that work in another
    /// thread or process, whose time the querying thread's clock does not count.
    #[must_use]
    pub fn by_wall_clock(&self) -> Budget {
        let own = self.processor.map(|limit| limit.not_before);
        Budget {
            deadline: match (own, self.deadline) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            },
            processor: None,
            ..self.clone()
        }
    }

    /// Whether the process has grown over the memory limit. Reads a kernel file: some
    /// microseconds, so call it every few milliseconds only.
    pub fn exhausted_memory(&self) -> Option<UnknownReason> {
        let limit = self.memory?;
        (cairn_home::resident_bytes()? > limit).then_some(UnknownReason::Memory)
    }

    /// Whether there is no limit, so that polling is unnecessary.
    pub fn is_unlimited(&self) -> bool {
        let timed = self.deadline.is_some() || self.processor.is_some();
        !timed && self.memory.is_none() && self.cancel.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limited(limit: Duration) -> Budget {
        Budget {
            processor: Some(ProcessorTime::new(limit)),
            ..Budget::default()
        }
    }

    /// Time in which the thread does not run is not counted, but by the wall clock it is.
    #[test]
    fn waiting_costs_no_processor_time() {
        let budget = limited(Duration::from_millis(50));
        std::thread::sleep(Duration::from_millis(80));
        assert_eq!(budget.exhausted(), None);
        assert_eq!(
            budget.by_wall_clock().exhausted(),
            Some(UnknownReason::Timeout)
        );
        assert!(!budget.is_unlimited());
    }

    #[test]
    fn working_does() {
        let limit = Duration::from_millis(50);
        let start = thread_time();
        let budget = limited(limit);
        while budget.exhausted().is_none() {
            assert!(thread_time() - start < 100 * limit, "it is never exhausted");
        }
        assert!(thread_time() - start >= limit);
    }
}
