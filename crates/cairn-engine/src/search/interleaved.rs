//! Several searchers take turns.
//!
//! # Idea
//!
//! KLEE's: where one strategy is stuck, the next one is not. If one of n searchers is
//! fair, the whole is: each nth pick is its own.
//!
//! All are told of everything; each pick asks the next one.
//!
//! # Cost
//!
//! The sum of all for `add`, `update` and `remove`; one of them for `pick`.

use super::{Searcher, SearcherInfo, StateId};
use crate::path::tree::{NodeId, Tree};

/// A round robin over searchers.
pub struct Interleaved {
    searchers: Vec<Box<dyn Searcher>>,
    turn: usize,
}

impl Interleaved {
    /// The searchers must not know of states yet. The first one has the first pick.
    pub fn new(searchers: Vec<Box<dyn Searcher>>) -> Interleaved {
        Interleaved { searchers, turn: 0 }
    }
}

impl Searcher for Interleaved {
    fn name(&self) -> String {
        let names: Vec<String> = self
            .searchers
            .iter()
            .map(|searcher| searcher.name())
            .collect();
        names.join(",")
    }

    fn add(&mut self, state: StateId, info: &SearcherInfo) {
        for searcher in &mut self.searchers {
            searcher.add(state, info);
        }
    }

    fn update(&mut self, state: StateId, info: &SearcherInfo) {
        for searcher in &mut self.searchers {
            searcher.update(state, info);
        }
    }

    fn remove(&mut self, state: StateId) {
        for searcher in &mut self.searchers {
            searcher.remove(state);
        }
    }

    fn pick(&mut self, tree: &Tree, states_at: &dyn Fn(NodeId) -> StateId) -> Option<StateId> {
        let count = self.searchers.len();
        let searcher = self.searchers.get_mut(self.turn)?;
        self.turn = (self.turn + 1) % count;
        searcher.pick(tree, states_at)
    }

    fn choose_to_send(&mut self) -> Option<StateId> {
        // All know the same states.
        self.searchers.first_mut()?.choose_to_send()
    }
}
