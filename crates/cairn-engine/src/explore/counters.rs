//! Numbers that grow while a run goes on.
//!
//! # Problem
//!
//! Every fork and every end of a path is counted. A number that all workers write moves
//! from core to core each time, which costs two workers a tenth of their time on programs that do
//! little else than fork.
//!
//! # Idea
//!
//! What is counted often, each worker counts in a cache line of its own; a reader
//! adds them up. What is counted seldom, or must be unique (the numbers of
//! tests), is one number for all.
//!
//! # Soundness
//!
//! Only its worker writes a worker's line, so no count is lost. A sum that is
//! taken while workers run may lack what they count at that moment; at the end it is exact.

use crate::explore::solver_figures::SolverCounters;
use crate::values::worker_context::Accesses;
use std::sync::atomic::{AtomicU64, Ordering};

/// What one worker counts, in a line of memory that no other writes.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct WorkerCounters {
    /// Paths that ran to the program's end.
    pub completed: Tally,
    /// Paths that ended in an error.
    pub errors: Tally,
    /// Paths that were not followed to their end.
    pub stopped: Tally,
    /// Paths that others cover.
    pub subsumed: Tally,
    /// Operations executed.
    pub instructions: Tally,
    /// Forks.
    pub forks: Tally,
    /// The most forks of one path.
    pub max_depth: Tally,
    /// States that were taken up.
    pub taken_up: Tally,
    /// States that were taken up and live no longer.
    pub gone: Tally,
}

/// A number that one worker writes and anybody may read.
#[derive(Debug, Default)]
pub struct Tally(AtomicU64);

impl Tally {
    /// Adds to it. Only its worker may.
    #[inline]
    pub fn add(&self, more: u64) {
        self.0.store(self.read() + more, Ordering::Relaxed);
    }

    /// Raises it to a number if it is less. Only its worker may.
    #[inline]
    pub fn raise(&self, to: u64) {
        if to > self.read() {
            self.0.store(to, Ordering::Relaxed);
        }
    }

    pub(crate) fn read(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// See the module's head.
#[derive(Debug)]
pub struct Counters {
    workers: Box<[WorkerCounters]>,
    /// Tests handed to the observer.
    pub tests: AtomicU64,
    /// Tests that were run again on the concrete machine.
    pub reruns: AtomicU64,
    /// Tests that could not be compared.
    pub not_compared: AtomicU64,
    /// Findings at different places.
    pub findings: AtomicU64,
    /// Queries asked.
    pub queries: AtomicU64,
    /// Queries that were not decided in time.
    pub timeouts: AtomicU64,
    /// Accesses at unknown offsets of arrays with elements of 1, 2, 4 and 8 bytes.
    pub accesses: [AtomicU64; 4],
    /// Accesses by a choice between addresses.
    pub choices: AtomicU64,
    /// The most bytes of the objects of one of those.
    pub largest_choice: AtomicU64,
    /// The bytes of the largest object that was accessed in parts.
    pub largest_split: AtomicU64,
    /// Queries by which objects of addresses were found.
    pub resolutions: AtomicU64,
    /// What else is known of the solver.
    pub solver: SolverCounters,
}

impl Counters {
    /// For so many workers, all zero.
    pub fn new(workers: usize) -> Self {
        Counters {
            workers: (0..workers.max(1))
                .map(|_| WorkerCounters::default())
                .collect(),
            tests: AtomicU64::default(),
            reruns: AtomicU64::default(),
            not_compared: AtomicU64::default(),
            findings: AtomicU64::default(),
            queries: AtomicU64::default(),
            timeouts: AtomicU64::default(),
            accesses: Default::default(),
            choices: AtomicU64::default(),
            largest_choice: AtomicU64::default(),
            largest_split: AtomicU64::default(),
            resolutions: AtomicU64::default(),
            solver: SolverCounters::default(),
        }
    }

    /// Adds accesses by symbolic addresses.
    pub(crate) fn add_accesses(&self, more: Accesses) {
        for (sum, more) in self.accesses.iter().zip(more.of_bytes) {
            sum.fetch_add(more, Ordering::Relaxed);
        }
        self.choices.fetch_add(more.by_choice, Ordering::Relaxed);
        self.largest_choice
            .fetch_max(more.largest_choice, Ordering::Relaxed);
        self.largest_split
            .fetch_max(more.largest_split, Ordering::Relaxed);
        self.resolutions
            .fetch_add(more.resolutions, Ordering::Relaxed);
    }

    /// Those of all workers.
    pub(crate) fn accesses(&self) -> Accesses {
        Accesses {
            of_bytes: std::array::from_fn(|i| self.accesses[i].load(Ordering::Relaxed)),
            by_choice: self.choices.load(Ordering::Relaxed),
            largest_choice: self.largest_choice.load(Ordering::Relaxed),
            largest_split: self.largest_split.load(Ordering::Relaxed),
            resolutions: self.resolutions.load(Ordering::Relaxed),
        }
    }

    /// What a worker counts by itself.
    pub fn of(&self, worker: usize) -> &WorkerCounters {
        &self.workers[worker]
    }

    fn sum(&self, which: impl Fn(&WorkerCounters) -> &Tally) -> u64 {
        self.workers.iter().map(|own| which(own).read()).sum()
    }

    /// Paths that ran to the program's end.
    pub fn completed(&self) -> u64 {
        self.sum(|own| &own.completed)
    }

    /// Paths that ended in an error.
    pub fn errors(&self) -> u64 {
        self.sum(|own| &own.errors)
    }

    /// Paths whose rest other paths cover.
    pub fn subsumed(&self) -> u64 {
        self.sum(|own| &own.subsumed)
    }

    /// Paths that were not followed to their end.
    pub fn stopped(&self) -> u64 {
        self.sum(|own| &own.stopped)
    }

    /// Operations executed.
    pub fn instructions(&self) -> u64 {
        self.sum(|own| &own.instructions)
    }

    /// Forks.
    pub fn forks(&self) -> u64 {
        self.sum(|own| &own.forks)
    }

    /// The most forks of one path.
    pub fn max_depth(&self) -> u64 {
        let depths = self.workers.iter().map(|own| own.max_depth.read());
        depths.max().unwrap_or(0)
    }

    /// States that live.
    pub fn states(&self) -> u64 {
        let gone = self.sum(|own| &own.gone);
        self.sum(|own| &own.taken_up).saturating_sub(gone)
    }
}
