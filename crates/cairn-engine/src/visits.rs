//! How often the code that a state is at has run: what the searchers `icnt` and `cpicnt` weigh by.
//!
//! - `icnt`: how often control entered the block of the state's next instruction, by all states of the
//!   worker. A block's instructions run one after the other, so that is how often the
//!   instruction ran, or will have.
//! - `cpicnt`: how many operations ran under the state's call path (the calls that have not returned).
//!   A stretch that a state runs without a stop is counted where it ends.
//!
//! *Cost:* nothing unless such a searcher was asked for.

use crate::state::State;
use crate::worker::Worker;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// What is counted.
#[derive(Default)]
pub(crate) enum Visits {
    /// Nothing.
    #[default]
    Unwanted,
    /// Blocks, which somebody else counts.
    Blocks,
    /// Operations by call path.
    CallPaths(FxHashMap<u64, u64>),
}

impl Visits {
    /// What these searchers need.
    pub fn new(search: &str) -> Self {
        if search.contains("cpicnt") {
            Visits::CallPaths(FxHashMap::default())
        } else if search.contains("icnt") {
            Visits::Blocks
        } else {
            Visits::Unwanted
        }
    }
}

impl Worker<'_> {
    /// Counts operations that a state ran, if somebody wants to know.
    pub(crate) fn count_visits(&mut self, state: &State, executed: u64) {
        if let Visits::CallPaths(counts) = &mut self.visits {
            *counts.entry(call_path(state)).or_default() += executed;
        }
    }

    /// How often the code that a state is at has run.
    pub(crate) fn visits_of(&self, state: &State) -> u64 {
        match &self.visits {
            Visits::Unwanted => 0,
            Visits::Blocks => {
                let point = state.thread.points(&self.table).into_iter().next();
                point.map_or(0, |p| {
                    self.tools
                        .passes(self.shared.cover.block(p.function, p.block))
                })
            }
            Visits::CallPaths(counts) => counts.get(&call_path(state)).copied().unwrap_or(0),
        }
    }
}

/// A number for the calls that have not returned. Two call paths with the same number, which is
/// unlikely, are counted together.
fn call_path(state: &State) -> u64 {
    let mut hasher = FxHasher::default();
    for call in state.thread.calls() {
        call.hash(&mut hasher);
    }
    hasher.finish()
}
