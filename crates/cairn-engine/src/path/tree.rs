//! The execution tree: which fork led to which path, and what of it is still alive.
//!
//! # Problem
//!
//! Searchers want to walk the forks at random, features want to hang what they
//! learnt on a fork and be told when everything below it was explored. A run may fork 10^8
//! times, so what is done must be given back.
//!
//! # Idea
//!
//! One arena. A node is a leaf (a state that runs) or a fork. When a leaf ends, it and
//! every ancestor with nothing alive below are removed, and their slots are used again. An id
//! carries the generation of its slot, so an old id is never taken for a new node. Data of
//! features lives in [`SideTable`]s.
//!
//! - **Long chains.** Most forks of a deep path have one living child left. A walk must not visit
//!   them one by one. A *stretch* is a maximal chain of nodes in which each has the next as its
//!   only living child. Its first node knows its last, and the last knows the first. The last node
//!   is a leaf or has at least two living children, so a walk visits only nodes with a choice.
//!
//! # Soundness
//!
//! Stretches change in two places only: a fork (the leaf was the last node
//! of its stretch; with one child the stretch grows, otherwise each child starts one) and the end
//! of a leaf (its whole stretch is done; if the fork above it is left with one living child, two
//! stretches become one).
//!
//! # Cost
//!
//! A fork is linear in its children, an end in the nodes it removes, so both are
//! constant per node over a run. Each choice of [`Tree::random_leaf`] between k children adds
//! log2 k bits to the entropy of the leaf it arrives at, which is at most log2 of the number of
//! leaves: a walk expects at most that many steps, whatever the depth. A node takes 64 bytes.
//! What stays in memory is the living leaves and their ancestors.

use crate::rng::Rng;
use rustc_hash::FxHashMap;

/// A node of a [`Tree`]. Ids are never used again for another node (within 2^32 uses of a slot).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NodeId {
    slot: u32,
    generation: u32,
}

/// How much of what is below a node was explored here when the node is gone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Explored {
    /// All of it.
    Wholly,
    /// Something has left ([`Tree::leave`]) or was not followed ([`Tree::mark_partial`]).
    Partly,
}

/// No node: the parent of the root, the end of the free list.
const NONE: u32 = u32::MAX;

/// The execution tree. See the head of this file.
#[derive(Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    /// The first free slot, which knows the next.
    free: u32,
    /// The root's slot, or [`NONE`] when everything is done.
    root: u32,
    leaves: usize,
    living: usize,
}

#[derive(Debug)]
struct Node {
    generation: u32,
    parent: u32,
    depth: u32,
    /// Which child of its fork it is.
    ordinal: u32,
    /// Where it is among the living children of its fork.
    place: u32,
    /// For the last node of a stretch: the first.
    first: u32,
    /// For the first node of a stretch: the last.
    last: u32,
    /// Something below it has left, or was not followed.
    is_partial: bool,
    kind: NodeKind,
}

#[derive(Debug)]
enum NodeKind {
    Free { next: u32 },
    Leaf,
    Fork(LivingChildren),
}

const _: () = assert!(size_of::<Node>() <= 64, "the head of this file promises it");

/// The living children of a fork, in any order. Nearly all forks have two and need no allocation.
#[derive(Debug)]
enum LivingChildren {
    Few { slots: [u32; 2], len: u8 },
    Many(Vec<u32>),
}

impl LivingChildren {
    fn new(slots: &[u32]) -> LivingChildren {
        match *slots {
            [only] => LivingChildren::Few {
                slots: [only, NONE],
                len: 1,
            },
            [first, second] => LivingChildren::Few {
                slots: [first, second],
                len: 2,
            },
            _ => LivingChildren::Many(slots.to_vec()),
        }
    }

    fn as_slice(&self) -> &[u32] {
        match self {
            LivingChildren::Few { slots, len } => &slots[..usize::from(*len)],
            LivingChildren::Many(slots) => slots,
        }
    }

    /// Removes the child at a place. The last child moves there.
    fn swap_remove(&mut self, place: usize) {
        match self {
            LivingChildren::Few { slots, len } => {
                *len -= 1;
                slots[place] = slots[usize::from(*len)];
            }
            LivingChildren::Many(slots) => {
                slots.swap_remove(place);
            }
        }
    }
}

impl Tree {
    /// A tree of one leaf, and that leaf.
    pub fn new() -> (Tree, NodeId) {
        let mut tree = Tree {
            nodes: Vec::new(),
            free: NONE,
            root: 0,
            leaves: 1,
            living: 0,
        };
        let root = tree.allocate(NONE, 0, 0);
        (tree, tree_id(root, 0))
    }

    /// Makes a leaf a fork with this many children, and returns them in order.
    ///
    /// # Panics
    /// If `leaf` is not a living leaf, or without children: a path that ends is [`Tree::end`].
    pub fn fork(&mut self, leaf: NodeId, children: usize) -> Vec<NodeId> {
        assert!(children > 0, "a fork has at least one child");
        let parent = self.leaf_slot(leaf);
        let depth = self.nodes[parent as usize].depth + 1;
        let slots: Vec<u32> = (0..children)
            .map(|ordinal| self.allocate(parent, depth, slot_number(ordinal)))
            .collect();
        if let [only] = *slots {
            let first = self.nodes[parent as usize].first;
            self.join(first, only);
        }
        self.nodes[parent as usize].kind = NodeKind::Fork(LivingChildren::new(&slots));
        self.leaves += children - 1;
        slots.into_iter().map(|slot| self.id(slot)).collect()
    }

    /// Begins again with one leaf, which is none of the nodes there were before.
    ///
    /// # Panics
    /// If something lives.
    pub fn plant(&mut self) -> NodeId {
        assert!(self.root == NONE, "a tree has one root");
        self.root = self.allocate(NONE, 0, 0);
        self.leaves = 1;
        self.id(self.root)
    }

    /// A leaf has ended. Calls `gone` for every node below which nothing is alive any more: the
    /// leaf, then its parent, and so on upwards. Returns the node above the last of them, which is
    /// the lowest ancestor that still lives, if there is one.
    ///
    /// # Panics
    /// If `leaf` is not a living leaf.
    pub fn end(&mut self, leaf: NodeId, gone: &mut dyn FnMut(NodeId, Explored)) -> Option<NodeId> {
        self.remove(leaf, Explored::Wholly, gone)
    }

    /// A leaf has left, unexplored: what is below it is explored elsewhere, later or not at all. The nodes above it
    /// are explored partly at most. Otherwise the same as [`Tree::end`].
    ///
    /// # Panics
    /// If `leaf` is not a living leaf.
    pub fn leave(
        &mut self,
        leaf: NodeId,
        gone: &mut dyn FnMut(NodeId, Explored),
    ) -> Option<NodeId> {
        self.remove(leaf, Explored::Partly, gone)
    }

    /// Something of what a leaf could do is not followed, though the leaf lives: it is explored partly at most, and so are
    /// the nodes above it. What it forks into later may be explored wholly.
    ///
    /// # Panics
    /// If `leaf` is not a living leaf.
    pub fn mark_partial(&mut self, leaf: NodeId) {
        let slot = self.leaf_slot(leaf);
        self.nodes[slot as usize].is_partial = true;
    }

    fn remove(
        &mut self,
        leaf: NodeId,
        leaf_is: Explored,
        gone: &mut dyn FnMut(NodeId, Explored),
    ) -> Option<NodeId> {
        let mut slot = self.leaf_slot(leaf);
        let first = self.nodes[slot as usize].first;
        let place = self.nodes[first as usize].place as usize;
        self.leaves -= 1;
        let mut explored = leaf_is;
        loop {
            let above = self.nodes[slot as usize].parent;
            if self.nodes[slot as usize].is_partial {
                explored = Explored::Partly;
            }
            gone(self.release(slot), explored);
            if slot != first {
                slot = above;
                continue;
            }
            if above == NONE {
                self.root = NONE;
                return None;
            }
            if explored == Explored::Partly {
                self.nodes[above as usize].is_partial = true;
            }
            self.forget_child(above, place);
            return Some(self.id(above));
        }
    }

    /// Takes a child from a fork with at least two living ones.
    fn forget_child(&mut self, fork: u32, place: usize) {
        let NodeKind::Fork(living) = &mut self.nodes[fork as usize].kind else {
            unreachable!("only forks have children");
        };
        living.swap_remove(place);
        let moved = living.as_slice().get(place).copied();
        let only = match *living.as_slice() {
            [only] => Some(only),
            _ => None,
        };
        if let Some(moved) = moved {
            self.nodes[moved as usize].place = slot_number(place);
        }
        if let Some(only) = only {
            let last = self.nodes[only as usize].last;
            let first = self.nodes[fork as usize].first;
            self.join(first, last);
        }
    }

    /// Makes two nodes the ends of one stretch.
    fn join(&mut self, first: u32, last: u32) {
        self.nodes[first as usize].last = last;
        self.nodes[last as usize].first = first;
    }

    /// The root, unless everything is done.
    pub fn root(&self) -> Option<NodeId> {
        (self.root != NONE).then(|| self.id(self.root))
    }

    /// Whether something below this node, or the node itself, is still to be explored.
    pub fn is_live(&self, node: NodeId) -> bool {
        self.slot(node).is_some()
    }

    /// Whether this is a leaf that lives.
    pub fn is_leaf(&self, node: NodeId) -> bool {
        self.slot(node)
            .is_some_and(|slot| matches!(self.nodes[slot as usize].kind, NodeKind::Leaf))
    }

    /// The fork that made a living node. `None` for the root and for nodes that are done.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        let parent = self.nodes[self.slot(node)? as usize].parent;
        (parent != NONE).then(|| self.id(parent))
    }

    /// The living children of a node, in the order of its fork. Sorts them.
    pub fn children(&self, node: NodeId) -> Vec<NodeId> {
        let Some(slot) = self.slot(node) else {
            return Vec::new();
        };
        let mut slots = self.living_children(slot).to_vec();
        slots.sort_unstable_by_key(|&child| self.nodes[child as usize].ordinal);
        slots.into_iter().map(|child| self.id(child)).collect()
    }

    /// Which child of its fork a living node is, counted from 0 with children that are done. The
    /// root is 0. `None` for nodes that are done.
    pub fn ordinal(&self, node: NodeId) -> Option<u32> {
        Some(self.nodes[self.slot(node)? as usize].ordinal)
    }

    /// How many forks led to a living node. `None` for nodes that are done.
    pub fn depth(&self, node: NodeId) -> Option<u32> {
        Some(self.nodes[self.slot(node)? as usize].depth)
    }

    /// How many leaves live.
    pub fn leaf_count(&self) -> usize {
        self.leaves
    }

    /// How many nodes live.
    pub fn node_count(&self) -> usize {
        self.living
    }

    /// How many leaves live at or below a node. Counted when asked, because keeping the numbers
    /// would make a fork as expensive as its path is deep: linear in the answer, and in the forks
    /// with one living child right below `node`.
    pub fn live_leaves(&self, node: NodeId) -> usize {
        let Some(mut slot) = self.slot(node) else {
            return 0;
        };
        while let [only] = *self.living_children(slot) {
            slot = only;
        }
        let mut found = 0;
        let mut open = vec![slot];
        while let Some(slot) = open.pop() {
            match self.living_children(slot) {
                [] => found += 1,
                children => {
                    open.extend(
                        children
                            .iter()
                            .map(|&child| self.nodes[child as usize].last),
                    );
                }
            }
        }
        found
    }

    /// Walks from the root to a leaf. At each fork every living child is equally likely, however
    /// many leaves are below it. `None` if everything is done.
    pub fn random_leaf(&self, rng: &mut Rng) -> Option<NodeId> {
        if self.root == NONE {
            return None;
        }
        let mut slot = self.nodes[self.root as usize].last;
        loop {
            match self.living_children(slot) {
                [] => return Some(self.id(slot)),
                children => {
                    let child = children[rng.index(children.len())];
                    slot = self.nodes[child as usize].last;
                }
            }
        }
    }

    /// The living children of a living node: none for a leaf.
    fn living_children(&self, slot: u32) -> &[u32] {
        match &self.nodes[slot as usize].kind {
            NodeKind::Fork(living) => living.as_slice(),
            NodeKind::Leaf => &[],
            NodeKind::Free { .. } => unreachable!("a free slot is no node"),
        }
    }

    fn id(&self, slot: u32) -> NodeId {
        tree_id(slot, self.nodes[slot as usize].generation)
    }

    /// The slot of a living node.
    fn slot(&self, node: NodeId) -> Option<u32> {
        let found = self.nodes.get(node.slot as usize)?;
        let lives =
            found.generation == node.generation && !matches!(found.kind, NodeKind::Free { .. });
        lives.then_some(node.slot)
    }

    fn leaf_slot(&self, leaf: NodeId) -> u32 {
        assert!(
            self.is_leaf(leaf),
            "{leaf:?} is not a living leaf of the execution tree"
        );
        leaf.slot
    }

    /// A new leaf that is a stretch of its own, at the place of its ordinal.
    fn allocate(&mut self, parent: u32, depth: u32, ordinal: u32) -> u32 {
        self.living += 1;
        let reused = self.free;
        let slot = if reused == NONE {
            slot_number(self.nodes.len())
        } else {
            reused
        };
        let mut node = Node {
            generation: 0,
            parent,
            depth,
            ordinal,
            place: ordinal,
            first: slot,
            last: slot,
            is_partial: false,
            kind: NodeKind::Leaf,
        };
        match self.nodes.get_mut(slot as usize) {
            None => self.nodes.push(node),
            Some(old) => {
                let NodeKind::Free { next } = old.kind else {
                    unreachable!("only free slots are listed")
                };
                self.free = next;
                node.generation = old.generation;
                *old = node;
            }
        }
        slot
    }

    /// Gives a slot back. Returns the id that its node had.
    fn release(&mut self, slot: u32) -> NodeId {
        let id = self.id(slot);
        let node = &mut self.nodes[slot as usize];
        node.generation = node.generation.wrapping_add(1);
        node.kind = NodeKind::Free { next: self.free };
        self.free = slot;
        self.living -= 1;
        id
    }
}

fn tree_id(slot: u32, generation: u32) -> NodeId {
    NodeId { slot, generation }
}

fn slot_number(index: usize) -> u32 {
    match u32::try_from(index) {
        Ok(number) if number != NONE => number,
        _ => panic!("the execution tree has room for 2^32 - 1 living nodes"),
    }
}

/// What a feature knows about nodes of the tree. The owner of the table removes the entry of each
/// node that [`Tree::end`] reports; an entry that was forgotten there is never seen again under
/// another node's id, it only takes space.
#[derive(Clone, Debug)]
pub struct SideTable<T> {
    entries: FxHashMap<NodeId, T>,
}

impl<T> SideTable<T> {
    /// A table without entries.
    pub fn new() -> SideTable<T> {
        SideTable {
            entries: FxHashMap::default(),
        }
    }

    /// Sets the entry of a node, and returns the one it had.
    pub fn insert(&mut self, node: NodeId, entry: T) -> Option<T> {
        self.entries.insert(node, entry)
    }

    /// The entry of a node.
    pub fn get(&self, node: NodeId) -> Option<&T> {
        self.entries.get(&node)
    }

    /// The entry of a node, to be changed.
    pub fn get_mut(&mut self, node: NodeId) -> Option<&mut T> {
        self.entries.get_mut(&node)
    }

    /// The entry of a node, made first if there is none.
    pub fn get_or_insert_with(&mut self, node: NodeId, make: impl FnOnce() -> T) -> &mut T {
        self.entries.entry(node).or_insert_with(make)
    }

    /// Takes the entry of a node out: to be called when the node is done.
    pub fn remove(&mut self, node: NodeId) -> Option<T> {
        self.entries.remove(&node)
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl<T> Default for SideTable<T> {
    fn default() -> Self {
        SideTable::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_used_again() {
        let (mut tree, root) = Tree::new();
        // Depth first through a complete binary tree of depth 16.
        let mut open = vec![root];
        let mut done = 0;
        while let Some(leaf) = open.pop() {
            if tree.depth(leaf) == Some(16) {
                tree.end(leaf, &mut |_, _| done += 1);
            } else {
                open.extend(tree.fork(leaf, 2));
            }
        }
        assert_eq!(done, (1 << 17) - 1);
        assert_eq!(
            (tree.node_count(), tree.leaf_count(), tree.root()),
            (0, 0, None)
        );
        assert!(tree.nodes.len() <= 2 * 16 + 1, "{} slots", tree.nodes.len());
    }
}
