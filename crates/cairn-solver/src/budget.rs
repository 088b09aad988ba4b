//! How much work a query may cost.
//!
//! Work is counted (conflicts) where an answer must not depend on the machine's speed; the
//! deadline, the memory limit and the cancel flag only stop.

use crate::Reason;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Limits for one query. Default is no limit at all.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// When to stop.
    pub deadline: Option<Instant>,
    /// How many conflicts a SAT search may have.
    pub conflicts: Option<u64>,
    /// How many bytes the process may have resident.
    pub memory: Option<u64>,
    /// Set by somebody else to stop the query.
    pub cancel: Option<Cancel>,
}

/// A flag that somebody else sets to stop queries.
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

    /// The reason to stop now, if there is one. Memory is looked at by [`Budget::exhausted_memory`],
    /// which is dearer.
    #[inline]
    pub fn exhausted(&self) -> Option<Reason> {
        if let Some(cancel) = &self.cancel
            && cancel.is_set()
        {
            return Some(Reason::Cancelled);
        }
        if let Some(deadline) = self.deadline
            && Instant::now() >= deadline
        {
            return Some(Reason::Timeout);
        }
        None
    }

    /// Whether the process has grown over the memory limit. Reads a kernel file: some
    /// microseconds, so call it every few milliseconds only.
    pub fn exhausted_memory(&self) -> Option<Reason> {
        let limit = self.memory?;
        (resident_bytes()? > limit).then_some(Reason::Memory)
    }

    /// Whether nothing is limited, so that polling can be left out.
    pub fn is_unlimited(&self) -> bool {
        self.deadline.is_none() && self.memory.is_none() && self.cancel.is_none()
    }
}

/// The process's resident memory, where the kernel tells it.
fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}
