//! Control-flow graphs: successors, predecessors, reverse postorder.
//!
//! Edges are stored in two flat tables, by source and by target, so that a graph of a large
//! function is four allocations. An edge occurs once, however often a switch names its target.

use super::table::ListTable;
use crate::{BlockId, Body};

/// Node numbers of a graph; the block's number for a body.
pub type GraphNode = u32;

/// A directed graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    successors: ListTable<GraphNode>,
    predecessors: ListTable<GraphNode>,
}

impl Graph {
    /// The graph with the given edges; one given twice occurs once, where it came first.
    ///
    /// # Panics
    /// If an edge names a node that is not below `nodes`.
    pub fn new(nodes: usize, edges: &[(GraphNode, GraphNode)]) -> Self {
        let all = ListTable::new(nodes, edges);
        // Who last saw a node as a successor: finds what comes twice in linear time.
        let mut seen_by = vec![GraphNode::MAX; nodes];
        let mut distinct = Vec::with_capacity(edges.len());
        for from in 0..nodes as GraphNode {
            for &to in all.of(from) {
                if seen_by[to as usize] != from {
                    seen_by[to as usize] = from;
                    distinct.push((from, to));
                }
            }
        }
        let reversed: Vec<_> = distinct.iter().map(|&(from, to)| (to, from)).collect();
        Graph {
            successors: ListTable::new(nodes, &distinct),
            predecessors: ListTable::new(nodes, &reversed),
        }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.successors.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where a node leads, each once.
    pub fn successors(&self, node: GraphNode) -> &[GraphNode] {
        self.successors.of(node)
    }

    /// What leads to a node, each once, in ascending order.
    pub fn predecessors(&self, node: GraphNode) -> &[GraphNode] {
        self.predecessors.of(node)
    }

    /// Every edge, by its source.
    pub fn edges(&self) -> impl Iterator<Item = (GraphNode, GraphNode)> {
        (0..self.len() as GraphNode)
            .flat_map(|from| self.successors(from).iter().map(move |&to| (from, to)))
    }

    /// The nodes reached from a root in reverse postorder of a depth-first search that takes
    /// successors in order: a node comes before its successors, but for edges back.
    pub fn reverse_postorder(&self, root: GraphNode) -> Vec<GraphNode> {
        let mut order = Vec::new();
        let mut seen = vec![false; self.len()];
        let mut stack = vec![(root, 0)];
        seen[root as usize] = true;
        while let Some((node, next)) = stack.last_mut() {
            match self.successors(*node).get(*next) {
                Some(&to) => {
                    *next += 1;
                    if !seen[to as usize] {
                        seen[to as usize] = true;
                        stack.push((to, 0));
                    }
                }
                None => {
                    order.push(*node);
                    stack.pop();
                }
            }
        }
        order.reverse();
        order
    }

    /// The strongly connected components of all nodes, each after those it leads to.
    pub fn components(&self) -> Vec<Vec<GraphNode>> {
        // Tarjan's algorithm with its own stack.
        const UNSEEN: u32 = u32::MAX;
        let mut number = vec![UNSEEN; self.len()];
        let mut low = vec![0u32; self.len()];
        let mut on_path = vec![false; self.len()];
        let (mut path, mut stack, mut components) = (Vec::new(), Vec::new(), Vec::new());
        let mut next_number = 0;
        for root in 0..self.len() as GraphNode {
            if number[root as usize] != UNSEEN {
                continue;
            }
            stack.push((root, 0));
            while let Some(&mut (node, ref mut next)) = stack.last_mut() {
                let at = node as usize;
                if *next == 0 {
                    number[at] = next_number;
                    low[at] = next_number;
                    next_number += 1;
                    on_path[at] = true;
                    path.push(node);
                }
                if let Some(&to) = self.successors(node).get(*next) {
                    *next += 1;
                    let to = to as usize;
                    if number[to] == UNSEEN {
                        stack.push((to as GraphNode, 0));
                    } else if on_path[to] {
                        low[at] = low[at].min(number[to]);
                    }
                    continue;
                }
                stack.pop();
                if let Some(&(parent, _)) = stack.last() {
                    low[parent as usize] = low[parent as usize].min(low[at]);
                }
                if low[at] == number[at] {
                    let start = path.iter().rposition(|n| *n == node).unwrap_or(0);
                    let component = path.split_off(start);
                    for member in &component {
                        on_path[*member as usize] = false;
                    }
                    components.push(component);
                }
            }
        }
        components
    }
}

/// The control-flow graph of a body.
#[derive(Clone, Debug)]
pub struct Cfg {
    graph: Graph,
    reverse_postorder: Vec<GraphNode>,
    /// Position in the reverse postorder; `u32::MAX` if not reached from the entry.
    position: Vec<u32>,
}

impl Cfg {
    /// The graph of a body; targets that are no blocks are left out.
    pub fn new(body: &Body) -> Self {
        let count = body.blocks.len();
        let mut edges = Vec::new();
        for (from, block) in body.blocks.iter().enumerate() {
            for target in block.terminator.0.targets() {
                if target.block.index() < count {
                    edges.push((from as GraphNode, target.block.0));
                }
            }
        }
        let graph = Graph::new(count, &edges);
        let reverse_postorder = match graph.is_empty() {
            true => Vec::new(),
            false => graph.reverse_postorder(0),
        };
        let mut position = vec![u32::MAX; count];
        for (i, &node) in reverse_postorder.iter().enumerate() {
            position[node as usize] = i as u32;
        }
        Cfg {
            graph,
            reverse_postorder,
            position,
        }
    }

    /// The graph over block numbers.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Where a block leads, each once.
    pub fn successors(&self, block: BlockId) -> impl Iterator<Item = BlockId> {
        self.graph.successors(block.0).iter().copied().map(BlockId)
    }

    /// What leads to a block, each once.
    pub fn predecessors(&self, block: BlockId) -> impl Iterator<Item = BlockId> {
        self.graph
            .predecessors(block.0)
            .iter()
            .copied()
            .map(BlockId)
    }

    /// The blocks reached from the entry, in reverse postorder.
    pub fn reverse_postorder(&self) -> impl DoubleEndedIterator<Item = BlockId> {
        self.reverse_postorder.iter().copied().map(BlockId)
    }

    /// Where a block stands in the reverse postorder, if it is reached from the entry.
    pub fn position(&self, block: BlockId) -> Option<u32> {
        Some(self.position[block.index()]).filter(|position| *position != u32::MAX)
    }

    /// Whether a block is reached from the entry.
    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.position[block.index()] != u32::MAX
    }
}
