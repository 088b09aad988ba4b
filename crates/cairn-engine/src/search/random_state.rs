//! Any state, each equally likely.
//!
//! # Idea
//!
//! A list in any order. A state that leaves is replaced by the last one, so every call
//! takes constant time.
//!
//! - **Bias.** Loops that fork often make many states and get most of the time.

use super::roster::Roster;
use super::{Searcher, SearcherInfo, StateId};
use crate::path::tree::{NodeId, Tree};
use crate::rng::Rng;

/// Uniform random choice of a state.
#[derive(Debug)]
pub struct RandomState {
    /// Where each state is in the list.
    roster: Roster<usize>,
    list: Vec<StateId>,
    rng: Rng,
}

impl RandomState {
    /// Without states.
    pub fn new(rng: Rng) -> RandomState {
        RandomState {
            roster: Roster::new(),
            list: Vec::new(),
            rng,
        }
    }

    /// Whether a state is known.
    pub(super) fn contains(&self, state: StateId) -> bool {
        self.roster.contains(state)
    }

    /// One of the states.
    pub(super) fn draw(&mut self) -> Option<StateId> {
        if self.list.is_empty() {
            return None;
        }
        Some(self.list[self.rng.index(self.list.len())])
    }
}

impl Searcher for RandomState {
    fn name(&self) -> String {
        "random-state".to_owned()
    }

    fn add(&mut self, state: StateId, info: &SearcherInfo) {
        if self.roster.contains(state) {
            return self.update(state, info);
        }
        self.roster.add(state, info, self.list.len());
        self.list.push(state);
    }

    fn update(&mut self, state: StateId, info: &SearcherInfo) {
        self.roster.update(state, info);
    }

    fn remove(&mut self, state: StateId) {
        let Some(place) = self.roster.remove(state) else {
            return;
        };
        self.list.swap_remove(place);
        if let Some(moved) = self.list.get(place)
            && let Some(entry) = self.roster.get_mut(*moved)
        {
            *entry = place;
        }
    }

    fn pick(&mut self, _: &Tree, _: &dyn Fn(NodeId) -> StateId) -> Option<StateId> {
        self.draw()
    }

    fn choose_to_send(&mut self) -> Option<StateId> {
        self.roster.shallowest()
    }
}
