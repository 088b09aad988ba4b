//! The states a searcher knows.
//!
//! # Problem
//!
//! Every searcher finds its own entry for a state, sees whether the state has
//! forked, and must say which state to give away. One worker never asks that, so it
//! should cost nothing then.
//!
//! # Idea
//!
//! A map from state to node, depth, age and the searcher's own entry. The heap of
//! (depth, age) is made when a state is first asked for; from then on every change pushes an
//! entry and old entries are skipped when they come to the top.
//!
//! # Soundness
//!
//! An entry of the heap counts only if the map has the same depth and age
//! for its state; ages are never used twice, so an entry of an earlier state of the same number
//! does not match. The present entry of every state is in the heap. Since (depth, age) is
//! unique, the order of the map is not visible.
//!
//! # Cost
//!
//! One access to a hash map; giving away is logarithmic, amortised. The heap is made
//! again when more than half of it is old.

use super::{SearcherInfo, StateId};
use crate::path::tree::NodeId;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The states a searcher knows, each with the searcher's own entry.
#[derive(Debug)]
pub(super) struct Roster<T> {
    members: FxHashMap<StateId, Member<T>>,
    next_age: u64,
    shallowest: Option<BinaryHeap<Reverse<(u32, u64, StateId)>>>,
}

#[derive(Debug)]
struct Member<T> {
    node: NodeId,
    depth: u32,
    age: u64,
    entry: T,
}

/// Heaps smaller than this are not worth cleaning.
const SMALL_HEAP: usize = 64;

impl<T> Roster<T> {
    pub(super) fn new() -> Roster<T> {
        Roster {
            members: FxHashMap::default(),
            next_age: 0,
            shallowest: None,
        }
    }

    pub(super) fn contains(&self, state: StateId) -> bool {
        self.members.contains_key(&state)
    }

    pub(super) fn get(&self, state: StateId) -> Option<&T> {
        self.members.get(&state).map(|member| &member.entry)
    }

    pub(super) fn get_mut(&mut self, state: StateId) -> Option<&mut T> {
        self.members.get_mut(&state).map(|member| &mut member.entry)
    }

    /// The leaf a state is at.
    pub(super) fn node(&self, state: StateId) -> Option<NodeId> {
        self.members.get(&state).map(|member| member.node)
    }

    /// Adds a state that is not known.
    pub(super) fn add(&mut self, state: StateId, info: &SearcherInfo, entry: T) {
        let age = self.next_age;
        self.next_age += 1;
        let member = Member {
            node: info.node,
            depth: info.depth,
            age,
            entry,
        };
        self.members.insert(state, member);
        self.note_depth(info.depth, age, state);
    }

    /// Notes where a known state is now. Returns its entry and whether it has forked since.
    pub(super) fn update(&mut self, state: StateId, info: &SearcherInfo) -> Option<(&mut T, bool)> {
        let member = self.members.get_mut(&state)?;
        let forked = member.node != info.node;
        let deeper = member.depth != info.depth;
        member.node = info.node;
        member.depth = info.depth;
        let age = member.age;
        if deeper {
            self.note_depth(info.depth, age, state);
        }
        self.members
            .get_mut(&state)
            .map(|member| (&mut member.entry, forked))
    }

    pub(super) fn remove(&mut self, state: StateId) -> Option<T> {
        self.members.remove(&state).map(|member| member.entry)
    }

    /// The state with the smallest depth; the oldest of several.
    pub(super) fn shallowest(&mut self) -> Option<StateId> {
        let members = &self.members;
        let heap = self.shallowest.get_or_insert_with(|| heap_of(members));
        while let Some(Reverse((depth, age, state))) = heap.peek() {
            match members.get(state) {
                Some(member) if (member.depth, member.age) == (*depth, *age) => {
                    return Some(*state);
                }
                Some(_) | None => {
                    heap.pop();
                }
            }
        }
        None
    }

    fn note_depth(&mut self, depth: u32, age: u64, state: StateId) {
        let Some(heap) = &mut self.shallowest else {
            return;
        };
        heap.push(Reverse((depth, age, state)));
        if heap.len() > SMALL_HEAP.max(2 * self.members.len()) {
            *heap = heap_of(&self.members);
        }
    }
}

fn heap_of<T>(members: &FxHashMap<StateId, Member<T>>) -> BinaryHeap<Reverse<(u32, u64, StateId)>> {
    members
        .iter()
        .map(|(state, member)| Reverse((member.depth, member.age, *state)))
        .collect()
}
