//! How often the code that a state is at has run: what the searchers `icnt` and `cpicnt` weigh by.
//!
//! - `icnt`: how often control entered the block of the state's next instruction, by all states of the
//!   worker. A block's instructions run one after the other, so that is how often the
//!   instruction ran, or will have.
//! - `cpicnt`: how many operations ran under the state's call path (the calls that have not returned).
//!   A stretch that a state runs without a stop is counted where it ends.
//!
//! *Cost:* nothing unless such a searcher was asked for.

use crate::explore::worker::Worker;
use crate::path::state::State;
use crate::search::{Plain, SearchSpec, WeightBy};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// What is counted.
pub(crate) struct Visits {
    /// Whether a searcher wants to know of blocks, which are counted in any case.
    of_blocks: bool,
    /// Operations by call path, if a searcher wants to know.
    of_call_paths: Option<FxHashMap<u64, u64>>,
}

impl Visits {
    /// What these searchers need.
    pub fn new(search: &SearchSpec) -> Self {
        let wanted = |by| search.has(Plain::Weighted(by));
        Visits {
            of_blocks: wanted(WeightBy::InstructionCount),
            of_call_paths: wanted(WeightBy::CallPathCount).then(FxHashMap::default),
        }
    }
}

/// How often the code that a state is at has run; zeros if no searcher wants to know.
#[derive(Clone, Copy, Default)]
pub(crate) struct Visited {
    /// The block of its next instruction.
    pub instruction: u64,
    /// All under its call path.
    pub call_path: u64,
}

impl Worker<'_> {
    /// Counts operations that a state ran, if a searcher wants to know.
    pub(crate) fn count_visits(&mut self, state: &State, executed: u64) {
        if let Some(counts) = &mut self.visits.of_call_paths {
            *counts.entry(call_path(state)).or_default() += executed;
        }
    }

    /// How often the code that a state is at has run.
    pub(crate) fn visits_of(&self, state: &State) -> Visited {
        let mut visited = Visited::default();
        if self.visits.of_blocks
            && let Some(at) = state.thread.points(&self.step.table).first()
        {
            let point = self.step.shared.cover_now().block(at.function, at.block);
            visited.instruction = self.step.cx.passes(point);
        }
        if let Some(counts) = &self.visits.of_call_paths {
            visited.call_path = counts.get(&call_path(state)).copied().unwrap_or(0);
        }
        visited
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
