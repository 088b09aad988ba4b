//! Sets of source cells, as values carry them: a number each.
//!
//! A set is a leaf (one cell) or the union of two sets; equal unions are one node, so that a loop that
//! adds the same cell again makes nothing new. Which cells a set has is asked only when something
//! depends on it, and each node is walked once in a stretch, however often it is asked for.

use super::cells::SourceCell;
use rustc_hash::FxHashMap;

/// A set of cells; see the module's head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Sources(u32);

impl Sources {
    /// The empty set.
    pub const NONE: Sources = Sources(0);
}

#[derive(Clone, Copy)]
enum SourceNode {
    Leaf(SourceCell),
    Union(Sources, Sources),
}

/// The sets of one stretch.
#[derive(Default)]
pub struct SourceSets {
    /// Set `n` is at `n - 1`.
    nodes: Vec<SourceNode>,
    leaves: FxHashMap<SourceCell, Sources>,
    unions: FxHashMap<(u32, u32), Sources>,
}

/// Which nodes were walked.
#[derive(Default)]
pub struct Walked(Vec<bool>);

impl SourceSets {
    fn add(&mut self, node: SourceNode) -> Sources {
        self.nodes.push(node);
        Sources(self.nodes.len() as u32)
    }

    /// How many sets there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The set of one cell.
    pub fn leaf(&mut self, cell: SourceCell) -> Sources {
        if let Some(known) = self.leaves.get(&cell) {
            return *known;
        }
        let made = self.add(SourceNode::Leaf(cell));
        self.leaves.insert(cell, made);
        made
    }

    /// The cells of both sets.
    pub fn union(&mut self, a: Sources, b: Sources) -> Sources {
        if a == b || b == Sources::NONE {
            return a;
        }
        if a == Sources::NONE {
            return b;
        }
        let key = (a.0.min(b.0), a.0.max(b.0));
        if let Some(known) = self.unions.get(&key) {
            return *known;
        }
        let made = self.add(SourceNode::Union(a, b));
        self.unions.insert(key, made);
        made
    }

    /// Tells the cells of a set that are in no set that was walked before.
    pub fn walk(&self, set: Sources, walked: &mut Walked, mut tell: impl FnMut(SourceCell)) {
        let mut stack = vec![set];
        while let Some(next) = stack.pop() {
            let Some(index) = (next.0 as usize).checked_sub(1) else {
                continue;
            };
            if walked.0.len() <= index {
                walked.0.resize(self.nodes.len(), false);
            }
            if std::mem::replace(&mut walked.0[index], true) {
                continue;
            }
            match self.nodes[index] {
                SourceNode::Leaf(cell) => tell(cell),
                SourceNode::Union(a, b) => stack.extend([a, b]),
            }
        }
    }
}
