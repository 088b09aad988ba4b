//! What is known of the solver while a run goes on.
//!
//! # Problem
//!
//! The observer of a run wants to know how many queries were asked and how long they
//! took. Counting each of them where all workers see it would cost every query.
//!
//! # Idea
//!
//! Workers count for themselves and hand their figures on when the observer asked
//! (`Shared::ask_for_figures`), and at the end. Between two states a worker reads one number to
//! know whether it did.
//!
//! # Soundness
//!
//! A worker adds what has grown since it last did, so the sums are exact at the
//! end; before, they lag behind by at most what one state runs without a break.

use crate::explore::counters::Counters;
use crate::gate::Gate;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

macro_rules! figures {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Figures of the solver, summed over workers.
        #[derive(Debug, Default)]
        pub struct SolverCounters {
            $($(#[$doc])* pub $name: AtomicU64,)*
        }

        /// The figures of one worker.
        #[derive(Clone, Copy, Default)]
        struct Figures {
            queries: u64,
            timeouts: u64,
            $($name: u64,)*
        }

        impl Figures {
            /// Adds what has grown since an earlier moment.
            fn add_since(&self, before: &Figures, counters: &Counters) {
                let add = |counter: &AtomicU64, now: u64, before: u64| {
                    counter.fetch_add(now - before, Ordering::Relaxed);
                };
                add(&counters.queries, self.queries, before.queries);
                add(&counters.timeouts, self.timeouts, before.timeouts);
                $(add(&counters.solver.$name, self.$name, before.$name);)*
            }
        }
    };
}

figures! {
    /// Nanoseconds in the chain.
    chain_nanos,
    /// Nanoseconds in the core solver.
    core_nanos,
    /// Queries that reached the core solver.
    core_queries,
    /// Queries that the exact cache answered.
    exact_cache_hits,
    /// Queries that it did not answer.
    exact_cache_misses,
    /// Queries that the cache of models answered.
    model_cache_hits,
    /// Queries that it did not answer.
    model_cache_misses,
}

/// What a worker has handed on.
#[derive(Default)]
pub(crate) struct Published {
    /// The wish that was last fulfilled.
    pub(crate) wish: u64,
    figures: Figures,
}

impl Published {
    /// Hands on what the worker's solver did since the last time.
    pub(crate) fn publish(&mut self, gate: &Gate, counters: &Counters) {
        let mut now = Figures {
            queries: gate.asked(),
            timeouts: gate.timeouts(),
            ..Figures::default()
        };
        let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let layers = gate.chain().stats();
        for (name, stats) in &layers {
            now.chain_nanos += nanos(stats.time);
            let hits = stats.sat + stats.unsat;
            match *name {
                "exact-cache" => {
                    now.exact_cache_hits = hits;
                    now.exact_cache_misses = stats.asked - hits;
                }
                "model-cache" => {
                    now.model_cache_hits = hits;
                    now.model_cache_misses = stats.asked - hits;
                }
                _ => {}
            }
        }
        if let Some((_, core)) = layers.last() {
            now.core_nanos = nanos(core.time);
            now.core_queries = core.asked;
        }
        now.add_since(&self.figures, counters);
        self.figures = now;
    }
}
