//! Breadth first: the oldest state first.
//!
//! # Idea
//!
//! A queue. The state in front runs until it forks or ends; when it forks, it goes to
//! the back, where its siblings are. So all states with n forks behind them run before any with
//! n + 1, as in KLEE, and every state has its turn if every state forks or ends at some time.
//!
//! # Cost
//!
//! The queue is a tree by turn, because a state may leave from the middle: logarithmic.

use super::roster::Roster;
use super::{Searcher, SearcherInfo, StateId};
use crate::path::tree::{NodeId, Tree};
use std::collections::BTreeMap;

/// Breadth-first search.
#[derive(Debug)]
pub struct Bfs {
    /// The turn of each state.
    roster: Roster<u64>,
    queue: BTreeMap<u64, StateId>,
    next_turn: u64,
}

impl Bfs {
    /// Without states.
    pub fn new() -> Bfs {
        Bfs {
            roster: Roster::new(),
            queue: BTreeMap::new(),
            next_turn: 0,
        }
    }

    fn enqueue(&mut self, state: StateId) -> u64 {
        let turn = self.next_turn;
        self.next_turn += 1;
        self.queue.insert(turn, state);
        turn
    }
}

impl Default for Bfs {
    fn default() -> Self {
        Bfs::new()
    }
}

impl Searcher for Bfs {
    fn name(&self) -> String {
        "bfs".to_owned()
    }

    fn add(&mut self, state: StateId, info: &SearcherInfo) {
        if self.roster.contains(state) {
            return self.update(state, info);
        }
        let turn = self.enqueue(state);
        self.roster.add(state, info, turn);
    }

    fn update(&mut self, state: StateId, info: &SearcherInfo) {
        let Some((&mut old, true)) = self.roster.update(state, info) else {
            return;
        };
        self.queue.remove(&old);
        let turn = self.enqueue(state);
        if let Some(entry) = self.roster.get_mut(state) {
            *entry = turn;
        }
    }

    fn remove(&mut self, state: StateId) {
        if let Some(turn) = self.roster.remove(state) {
            self.queue.remove(&turn);
        }
    }

    fn pick(&mut self, _: &Tree, _: &dyn Fn(NodeId) -> StateId) -> Option<StateId> {
        self.queue.first_key_value().map(|(_, state)| *state)
    }

    fn choose_to_send(&mut self) -> Option<StateId> {
        self.roster.shallowest()
    }
}
