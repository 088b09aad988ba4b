//! The search stays below a state that was picked, depth first, for a while.
//!
//! # Problem
//!
//! A searcher that jumps between subtrees keeps many unfinished paths: on a program that forks a lot,
//! thousands of states, cold caches, and paths that end long after they could have. A batch of one
//! state (`batching`) helps only while the state lives; short paths end before the batch does.
//!
//! # Idea
//!
//! When the state of a batch ends, the batch goes on with the youngest state that was forked off in it.
//! So a small subtree is finished at once, and a large one is left when its instructions are used up.
//!
//! # Soundness
//!
//! A searcher only orders states (`search/mod.rs`). The limit counts the instructions of all states of the batch,
//! so it is deterministic.
//!
//! # Cost
//!
//! One access to a hash map a call, and a number for every state that is born.

use super::{Searcher, SearcherInfo, StateId};
use crate::path::tree::{NodeId, Tree};
use rustc_hash::FxHashMap;

/// Stays below what another searcher picked for a while.
pub struct Subtree {
    inner: Box<dyn Searcher>,
    instructions: u64,
    /// Instructions of every state when it was last told of.
    executed: FxHashMap<StateId, u64>,
    current: Option<StateId>,
    spent: u64,
    /// States that were born in this batch and not picked yet, the youngest last. Some may be gone,
    /// and their numbers given to others: those were born in the batch as well.
    born: Vec<StateId>,
}

impl Subtree {
    /// Leaves a subtree after this many instructions in it.
    pub fn new(inner: Box<dyn Searcher>, instructions: u64) -> Subtree {
        Subtree {
            inner,
            instructions,
            executed: FxHashMap::default(),
            current: None,
            spent: 0,
            born: Vec::new(),
        }
    }

    /// The youngest state of the batch that lives.
    fn youngest(&mut self) -> Option<StateId> {
        while let Some(state) = self.born.pop() {
            if self.executed.contains_key(&state) {
                return Some(state);
            }
        }
        None
    }
}

impl Searcher for Subtree {
    fn name(&self) -> String {
        format!("subtree={},{}", self.instructions, self.inner.name())
    }

    fn add(&mut self, state: StateId, info: &SearcherInfo) {
        self.executed.insert(state, info.instructions);
        if self.current.is_some() {
            self.born.push(state);
        }
        self.inner.add(state, info);
    }

    fn update(&mut self, state: StateId, info: &SearcherInfo) {
        if let Some(executed) = self.executed.get_mut(&state) {
            self.spent += info.instructions.saturating_sub(*executed);
            *executed = info.instructions;
        }
        self.inner.update(state, info);
    }

    fn remove(&mut self, state: StateId) {
        self.executed.remove(&state);
        if self.current == Some(state) {
            // Its last instructions were not told of: a path's end costs something too.
            self.spent += 1;
        }
        self.inner.remove(state);
    }

    fn pick(&mut self, tree: &Tree, states_at: &dyn Fn(NodeId) -> StateId) -> Option<StateId> {
        if let Some(state) = self.current
            && self.spent < self.instructions
        {
            if self.executed.contains_key(&state) {
                return Some(state);
            }
            if let Some(next) = self.youngest() {
                self.current = Some(next);
                return Some(next);
            }
        }
        self.born.clear();
        self.spent = 0;
        self.current = None;
        self.current = Some(self.inner.pick(tree, states_at)?);
        self.current
    }

    fn choose_to_send(&mut self) -> Option<StateId> {
        self.inner.choose_to_send()
    }
}
