//! A random walk down the execution tree.
//!
//! # Idea
//!
//! KLEE's: walk from the root, at each fork every living child is equally likely. States
//! high in the tree, with few facts and much unexplored below, are preferred, and a loop that
//! forks often shares the chance of its subtree however many states it makes.
//!
//! [`Tree::random_leaf`], which skips forks without a choice. The tree may hold leaves
//! this searcher does not have, because a searcher around it set them aside. Then it walks again,
//! which gives each of its states the chance it had relative to the others. If that fails often,
//! nearly all of the tree is set aside, and it takes any of its states.
//!
//! # Cost
//!
//! Expected steps of a walk: at most log2 of the number of states, whatever the depth.

use super::random_state::RandomState;
use super::{Searcher, SearcherInfo, StateId};
use crate::path::tree::{NodeId, Tree};
use crate::rng::Rng;

/// How often to walk before any state is taken.
const WALKS: u32 = 64;

/// Random-path search.
#[derive(Debug)]
pub struct RandomPath {
    states: RandomState,
    rng: Rng,
}

impl RandomPath {
    /// Without states.
    pub fn new(rng: Rng) -> RandomPath {
        RandomPath {
            states: RandomState::new(rng.stream(0)),
            rng,
        }
    }
}

impl Searcher for RandomPath {
    fn name(&self) -> String {
        "random-path".to_owned()
    }

    fn add(&mut self, state: StateId, info: &SearcherInfo) {
        self.states.add(state, info);
    }

    fn update(&mut self, state: StateId, info: &SearcherInfo) {
        self.states.update(state, info);
    }

    fn remove(&mut self, state: StateId) {
        self.states.remove(state);
    }

    fn pick(&mut self, tree: &Tree, states_at: &dyn Fn(NodeId) -> StateId) -> Option<StateId> {
        for _ in 0..WALKS {
            let Some(leaf) = tree.random_leaf(&mut self.rng) else {
                break;
            };
            let state = states_at(leaf);
            if self.states.contains(state) {
                return Some(state);
            }
        }
        self.states.draw()
    }

    fn choose_to_send(&mut self) -> Option<StateId> {
        self.states.choose_to_send()
    }
}
