//! Depth first: a path is followed to its end before another is begun.
//!
//! # Problem
//!
//! "The newest state first" leaves open which child of a fork goes first, and the
//! first child may be the state that forked, under its old number. The order must be that of a
//! recursive walk: the first child to its end, then the second.
//!
//! # Idea
//!
//! A stack. States that are new, or have forked, wait until the next pick. Then they are
//! put on the stack fork by fork in the order in which the forks happened, the children of each
//! from last to first, so that the first child of the latest fork is on top. Which fork a state
//! comes from is its parent in the tree.
//!
//! # Soundness
//!
//! If only the top runs, everything it leaves on the stack was forked off
//! after everything below, and a later fork of the same run lies below an earlier one in the
//! tree. Other searchers may run other states in between: what they fork is newer, so it is on
//! top.
//!
//! # Cost
//!
//! The stack is a tree by height, because a state may leave from the middle:
//! logarithmic. Children of one fork are sorted.

use super::roster::Roster;
use super::{Searcher, SearcherInfo, StateId};
use crate::path::tree::{NodeId, Tree};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Depth-first search.
#[derive(Debug)]
pub struct Dfs {
    roster: Roster<StatePlace>,
    stack: BTreeMap<u64, StateId>,
    /// New and forked states in the order in which they were told of; some may be gone.
    waiting: Vec<(u64, StateId)>,
    /// The next height of the stack, or ticket of the waiting list.
    next: u64,
}

/// Where a state is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum StatePlace {
    /// On the stack, at a height.
    Stack(u64),
    /// In the waiting list, with a ticket: entries with another ticket are old.
    Waiting(u64),
}

impl Dfs {
    /// Without states.
    pub fn new() -> Dfs {
        Dfs {
            roster: Roster::new(),
            stack: BTreeMap::new(),
            waiting: Vec::new(),
            next: 0,
        }
    }

    fn next(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn wait(&mut self, state: StateId) -> StatePlace {
        let ticket = self.next();
        self.waiting.push((ticket, state));
        StatePlace::Waiting(ticket)
    }

    fn push(&mut self, state: StateId) {
        let height = self.next();
        self.stack.insert(height, state);
        if let Some(place) = self.roster.get_mut(state) {
            *place = StatePlace::Stack(height);
        }
    }

    /// Puts the waiting states on the stack.
    fn stack_waiting(&mut self, tree: &Tree) {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.retain(|&(ticket, state)| {
            self.roster.get(state) == Some(&StatePlace::Waiting(ticket))
        });
        if let [(_, only)] = *waiting {
            self.push(only);
        } else {
            let mut forks: FxHashMap<NodeId, usize> = FxHashMap::default();
            let mut families: Vec<Vec<(u32, StateId)>> = Vec::new();
            for &(_, state) in &waiting {
                let node = self.roster.node(state);
                let ordinal = node.and_then(|node| tree.ordinal(node)).unwrap_or(0);
                let family = match node.and_then(|node| tree.parent(node)) {
                    Some(fork) => *forks.entry(fork).or_insert(families.len()),
                    None => families.len(),
                };
                if family == families.len() {
                    families.push(Vec::new());
                }
                families[family].push((ordinal, state));
            }
            for mut family in families {
                family.sort_unstable();
                for (_, state) in family.into_iter().rev() {
                    self.push(state);
                }
            }
        }
        // Its memory is used again: every fork comes here.
        waiting.clear();
        self.waiting = waiting;
    }
}

impl Default for Dfs {
    fn default() -> Self {
        Dfs::new()
    }
}

impl Searcher for Dfs {
    fn name(&self) -> String {
        "dfs".to_owned()
    }

    fn add(&mut self, state: StateId, info: &SearcherInfo) {
        if self.roster.contains(state) {
            return self.update(state, info);
        }
        let place = self.wait(state);
        self.roster.add(state, info, place);
    }

    fn update(&mut self, state: StateId, info: &SearcherInfo) {
        let Some((&mut old, true)) = self.roster.update(state, info) else {
            return;
        };
        if let StatePlace::Stack(height) = old {
            self.stack.remove(&height);
        }
        let place = self.wait(state);
        if let Some(entry) = self.roster.get_mut(state) {
            *entry = place;
        }
    }

    fn remove(&mut self, state: StateId) {
        match self.roster.remove(state) {
            Some(StatePlace::Stack(height)) => {
                self.stack.remove(&height);
            }
            Some(StatePlace::Waiting(_)) | None => {}
        }
    }

    fn pick(&mut self, tree: &Tree, _: &dyn Fn(NodeId) -> StateId) -> Option<StateId> {
        if !self.waiting.is_empty() {
            self.stack_waiting(tree);
        }
        self.stack.last_key_value().map(|(_, state)| *state)
    }

    fn choose_to_send(&mut self) -> Option<StateId> {
        self.roster.shallowest()
    }
}
