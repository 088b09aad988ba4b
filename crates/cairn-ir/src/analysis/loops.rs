//! Natural loops and how they nest.
//!
//! An edge to a block that dominates its source is a back edge. The natural loop of a header is
//! the header and every block that reaches a source of a back edge to it without passing it; back
//! edges to one header make one loop. Two loops are disjoint or nested, always: that needs no
//! assumption about the graph.
//!
//! A cycle that can be entered at more than one block is no natural loop and does not appear as
//! one (natural loops inside it do). Graphs with such cycles are called irreducible. They are
//! detected exactly: some depth-first search has an edge back to one of its open blocks that does
//! not dominate the source if and only if every one has. Such edges are reported in
//! [`Loops::irreducible_edges`]; an analysis that must bound every cycle of such a function has to
//! treat the targets of these edges as loop heads too.

use super::cfg::{Cfg, GraphNode};
use super::dominators::Dominators;
use crate::BlockId;

const NONE: u32 = u32::MAX;

/// A loop of a body: index into [`Loops`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoopId(pub u32);

/// A natural loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The block that every way into the loop passes.
    pub header: BlockId,
    /// Sources of its back edges, in ascending order.
    pub latches: Vec<BlockId>,
    /// The smallest loop around it.
    pub parent: Option<LoopId>,
    /// How many loops are around it.
    pub depth: u32,
    /// Edges that leave it.
    pub exits: Vec<(BlockId, BlockId)>,
    /// Its range in the order of blocks by loops.
    start: u32,
    end: u32,
}

/// The loops of a body.
#[derive(Clone, Debug)]
pub struct Loops {
    loops: Vec<Loop>,
    /// The smallest loop around each block, or `NONE`.
    innermost: Vec<u32>,
    /// Blocks ordered such that those of each loop, inner loops included, stand together.
    order: Vec<BlockId>,
    irreducible_edges: Vec<(BlockId, BlockId)>,
}

impl Loops {
    /// The loops of a graph.
    pub fn new(cfg: &Cfg, dominators: &Dominators) -> Self {
        let graph = cfg.graph();
        let mut result = Loops {
            loops: Vec::new(),
            innermost: vec![NONE; graph.len()],
            order: Vec::new(),
            irreducible_edges: Vec::new(),
        };
        let Some(tree) = dominators.tree() else {
            return result;
        };
        // Headers in reverse of the reverse postorder: inner loops come before outer ones, since
        // an outer header dominates an inner one and so comes before it.
        let mut work = Vec::new();
        for header in cfg.reverse_postorder().rev() {
            let mut latches = Vec::new();
            for &pred in graph.predecessors(header.0) {
                if tree.dominates(header.0, pred) {
                    latches.push(BlockId(pred));
                } else if cfg.is_reachable(BlockId(pred))
                    && cfg.position(BlockId(pred)) >= cfg.position(header)
                {
                    result.irreducible_edges.push((BlockId(pred), header));
                }
            }
            if latches.is_empty() {
                continue;
            }
            let id = result.loops.len() as u32;
            work.extend(latches.iter().map(|block| block.0));
            result.loops.push(Loop {
                header,
                latches,
                parent: None,
                depth: 0,
                exits: Vec::new(),
                start: 0,
                end: 0,
            });
            result.fill(id, header.0, cfg, &mut work);
        }
        result.irreducible_edges.sort_unstable();
        result.outer_first();
        result.order_blocks(cfg);
        result.find_exits(cfg);
        result
    }

    /// Gives the loop `id` the blocks that reach `work` without passing its header; whole inner
    /// loops are taken at once.
    fn fill(&mut self, id: u32, header: GraphNode, cfg: &Cfg, work: &mut Vec<GraphNode>) {
        while let Some(node) = work.pop() {
            if !cfg.is_reachable(BlockId(node)) {
                continue;
            }
            let at = node as usize;
            let enter = match self.innermost[at] {
                NONE => {
                    self.innermost[at] = id;
                    node
                }
                inner => {
                    let outermost = self.outermost(inner);
                    if outermost == id {
                        continue;
                    }
                    self.loops[outermost as usize].parent = Some(LoopId(id));
                    self.loops[outermost as usize].header.0
                }
            };
            if enter != header {
                work.extend_from_slice(cfg.graph().predecessors(enter));
            }
        }
    }

    /// The outermost loop known so far around a loop.
    fn outermost(&self, mut id: u32) -> u32 {
        while let Some(parent) = self.loops[id as usize].parent {
            id = parent.0;
        }
        id
    }

    /// Renumbers loops such that outer ones come first, and sets their depths.
    fn outer_first(&mut self) {
        self.loops.reverse();
        let last = (self.loops.len() as u32).wrapping_sub(1);
        for inner in self.innermost.iter_mut().filter(|inner| **inner != NONE) {
            *inner = last - *inner;
        }
        for i in 0..self.loops.len() {
            let parent = self.loops[i].parent.map(|parent| LoopId(last - parent.0));
            self.loops[i].parent = parent;
            if let Some(parent) = parent {
                self.loops[i].depth = self.loops[parent.0 as usize].depth + 1;
            }
        }
    }

    fn order_blocks(&mut self, cfg: &Cfg) {
        // First how many blocks each loop has, then ranges inside the parents' ranges.
        let mut own = vec![0u32; self.loops.len()];
        for inner in self.innermost.iter().filter(|inner| **inner != NONE) {
            own[*inner as usize] += 1;
        }
        let mut total = own.clone();
        for (i, inner) in self.loops.iter().enumerate().rev() {
            if let Some(parent) = inner.parent {
                total[parent.0 as usize] += total[i];
            }
        }
        let mut free = vec![0u32; self.loops.len()];
        let mut outer_free = 0;
        for i in 0..self.loops.len() {
            let place = match self.loops[i].parent {
                Some(parent) => &mut free[parent.0 as usize],
                None => &mut outer_free,
            };
            let start = *place;
            *place += total[i];
            self.loops[i].start = start;
            self.loops[i].end = start + total[i];
            // A loop's own blocks come first, inner loops after them.
            free[i] = start + own[i];
        }
        let mut next: Vec<u32> = self.loops.iter().map(|l| l.start).collect();
        self.order = vec![BlockId(0); outer_free as usize];
        for block in cfg.reverse_postorder() {
            let inner = self.innermost[block.index()];
            if inner != NONE {
                let at = &mut next[inner as usize];
                self.order[*at as usize] = block;
                *at += 1;
            }
        }
    }

    fn find_exits(&mut self, cfg: &Cfg) {
        for from in cfg.reverse_postorder() {
            for to in cfg.successors(from) {
                let mut at = self.innermost(from);
                while let Some(id) = at {
                    if self.contains(id, to) {
                        break;
                    }
                    let left = &mut self.loops[id.0 as usize];
                    left.exits.push((from, to));
                    at = left.parent;
                }
            }
        }
    }

    /// All loops; outer ones before inner ones.
    pub fn iter(&self) -> impl Iterator<Item = (LoopId, &Loop)> {
        let ids = (0..self.loops.len() as u32).map(LoopId);
        ids.zip(&self.loops)
    }

    /// A loop.
    pub fn get(&self, id: LoopId) -> &Loop {
        &self.loops[id.0 as usize]
    }

    /// How many loops there are.
    pub fn len(&self) -> usize {
        self.loops.len()
    }

    /// Whether there are no natural loops.
    pub fn is_empty(&self) -> bool {
        self.loops.is_empty()
    }

    /// The smallest loop around a block.
    pub fn innermost(&self, block: BlockId) -> Option<LoopId> {
        let id = self.innermost[block.index()];
        (id != NONE).then_some(LoopId(id))
    }

    /// The loop of a header.
    pub fn of_header(&self, block: BlockId) -> Option<LoopId> {
        // A header's smallest loop is its own.
        self.innermost(block)
            .filter(|id| self.get(*id).header == block)
    }

    /// The blocks of a loop and of the loops inside; its header is the first.
    pub fn blocks(&self, id: LoopId) -> &[BlockId] {
        let Loop { start, end, .. } = *self.get(id);
        &self.order[start as usize..end as usize]
    }

    /// Whether a block is in a loop.
    pub fn contains(&self, id: LoopId, block: BlockId) -> bool {
        let Some(mut inner) = self.innermost(block) else {
            return false;
        };
        // Inner loops have larger numbers.
        while inner > id {
            match self.get(inner).parent {
                Some(parent) => inner = parent,
                None => return false,
            }
        }
        inner == id
    }

    /// Edges that close a cycle which can be entered at more than one block, in ascending order;
    /// empty if and only if the graph is reducible.
    pub fn irreducible_edges(&self) -> &[(BlockId, BlockId)] {
        &self.irreducible_edges
    }
}
