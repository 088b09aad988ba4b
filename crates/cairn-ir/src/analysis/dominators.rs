//! Dominators and post-dominators.
//!
//! `a` dominates `b` if every path from the root to `b` passes `a`. Dominators come from the
//! algorithm of Lengauer and Tarjan with path compression: its bound, edges times the logarithm of
//! nodes, also holds for the long ladders of checks that front ends make, where the simpler
//! iterative algorithms are quadratic.
//!
//! `a` post-dominates `b` if every path from `b` to the end of the function passes `a`. A virtual
//! exit follows every block without successors. From an infinite loop the exit is not reached, and
//! the definition would say nothing about it nor about what leads only there; so each such loop (a
//! strongly connected component that no edge leaves) gets an assumed edge to the exit, from its
//! block that comes first in reverse postorder: its header, if it is a natural loop.

use super::cfg::{Cfg, Graph, GraphNode};
use crate::BlockId;

const NONE: u32 = u32::MAX;

/// The dominator tree of the part of a graph that is reached from a root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomTree {
    root: GraphNode,
    /// Immediate dominator; `NONE` for the root and what is not reached.
    parent: Vec<GraphNode>,
    /// When a walk over the tree enters and leaves a node; entering is `NONE` if not reached.
    enter: Vec<u32>,
    leave: Vec<u32>,
    depth: Vec<u32>,
}

impl DomTree {
    /// The dominator tree of a graph.
    ///
    /// # Panics
    /// If `root` is no node of it.
    pub fn new(graph: &Graph, root: GraphNode) -> Self {
        let (vertex, parent) = immediate_dominators(graph, root);
        DomTree::from_parents(root, parent, &vertex)
    }

    /// Numbers the tree; `order` has dominators before what they dominate.
    fn from_parents(root: GraphNode, parent: Vec<GraphNode>, order: &[GraphNode]) -> Self {
        let count = parent.len();
        let mut size = vec![1u32; count];
        for &node in order.iter().rev() {
            if parent[node as usize] != NONE {
                size[parent[node as usize] as usize] += size[node as usize];
            }
        }
        // Children take consecutive ranges of their parent's range.
        let mut enter = vec![NONE; count];
        let mut leave = vec![0; count];
        let mut free = vec![0; count];
        let mut depth = vec![0; count];
        for &node in order {
            let at = node as usize;
            enter[at] = match parent[at] {
                NONE => 0,
                parent => {
                    let parent = parent as usize;
                    depth[at] = depth[parent] + 1;
                    let start = free[parent];
                    free[parent] += size[at];
                    start
                }
            };
            free[at] = enter[at] + 1;
            leave[at] = enter[at] + size[at];
        }
        DomTree {
            root,
            parent,
            enter,
            leave,
            depth,
        }
    }

    /// Where the paths start.
    pub fn root(&self) -> GraphNode {
        self.root
    }

    /// Whether a node is reached from the root.
    pub fn is_reachable(&self, node: GraphNode) -> bool {
        self.enter[node as usize] != NONE
    }

    /// The closest dominator of a node other than itself; none for the root and for what is not
    /// reached.
    pub fn immediate(&self, node: GraphNode) -> Option<GraphNode> {
        Some(self.parent[node as usize]).filter(|parent| *parent != NONE)
    }

    /// Whether every path from the root to `b` passes `a`; false if either is not reached.
    pub fn dominates(&self, a: GraphNode, b: GraphNode) -> bool {
        let (a, at) = (a as usize, self.enter[b as usize]);
        at != NONE && self.enter[a] <= at && at < self.leave[a]
    }

    /// Whether `a` dominates `b` and is not `b`.
    pub fn strictly_dominates(&self, a: GraphNode, b: GraphNode) -> bool {
        a != b && self.dominates(a, b)
    }

    /// How many strict dominators a node has.
    pub fn depth(&self, node: GraphNode) -> u32 {
        self.depth[node as usize]
    }

    /// The closest node that dominates both; none if either is not reached.
    pub fn common(&self, mut a: GraphNode, mut b: GraphNode) -> Option<GraphNode> {
        if !self.is_reachable(a) || !self.is_reachable(b) {
            return None;
        }
        while a != b {
            let deeper = if self.depth(a) < self.depth(b) {
                &mut b
            } else {
                &mut a
            };
            *deeper = self.parent[*deeper as usize];
        }
        Some(a)
    }
}

/// The nodes in depth-first preorder, and each node's immediate dominator.
fn immediate_dominators(graph: &Graph, root: GraphNode) -> (Vec<GraphNode>, Vec<GraphNode>) {
    let count = graph.len();
    // From here on nodes are named by their preorder number.
    let mut number = vec![NONE; count];
    let mut vertex = Vec::new();
    let mut tree_parent = Vec::new();
    let mut stack = vec![(root, 0)];
    number[root as usize] = 0;
    vertex.push(root);
    tree_parent.push(0);
    while let Some((node, next)) = stack.last_mut() {
        let node = *node;
        let Some(&to) = graph.successors(node).get(*next) else {
            stack.pop();
            continue;
        };
        *next += 1;
        if number[to as usize] == NONE {
            number[to as usize] = vertex.len() as u32;
            vertex.push(to);
            tree_parent.push(number[node as usize]);
            stack.push((to, 0));
        }
    }
    let reached = vertex.len();
    let mut forest = Forest {
        ancestor: vec![NONE; reached],
        label: (0..reached as u32).collect(),
        semi: (0..reached as u32).collect(),
        path: Vec::new(),
    };
    // Nodes whose semidominator is the index, as linked lists.
    let mut bucket = vec![NONE; reached];
    let mut next_in_bucket = vec![NONE; reached];
    let mut dominator: Vec<u32> = vec![0; reached];
    for w in (1..reached as u32).rev() {
        let at = w as usize;
        for &pred in graph.predecessors(vertex[at]) {
            let pred = number[pred as usize];
            if pred != NONE {
                let best = forest.eval(pred);
                forest.semi[at] = forest.semi[at].min(forest.semi[best as usize]);
            }
        }
        let semi = forest.semi[at] as usize;
        next_in_bucket[at] = bucket[semi];
        bucket[semi] = w;
        let parent = tree_parent[at];
        forest.ancestor[at] = parent;
        let mut v = std::mem::replace(&mut bucket[parent as usize], NONE);
        while v != NONE {
            let best = forest.eval(v);
            let closer = forest.semi[best as usize] < forest.semi[v as usize];
            dominator[v as usize] = if closer { best } else { parent };
            v = next_in_bucket[v as usize];
        }
    }
    let mut immediate = vec![NONE; count];
    for w in 1..reached {
        if dominator[w] != forest.semi[w] {
            dominator[w] = dominator[dominator[w] as usize];
        }
        immediate[vertex[w] as usize] = vertex[dominator[w] as usize];
    }
    (vertex, immediate)
}

/// The forest of the nodes handled so far.
struct Forest {
    ancestor: Vec<u32>,
    /// The node with the least semidominator between a node and its ancestor.
    label: Vec<u32>,
    semi: Vec<u32>,
    /// Scratch.
    path: Vec<u32>,
}

impl Forest {
    /// The node with the least semidominator on the way from `v` up to below its tree's root.
    fn eval(&mut self, v: u32) -> u32 {
        if self.ancestor[v as usize] == NONE {
            return v;
        }
        // Compress: from the top down, every node on the way gets the root as its ancestor.
        let mut at = v;
        while self.ancestor[self.ancestor[at as usize] as usize] != NONE {
            self.path.push(at);
            at = self.ancestor[at as usize];
        }
        while let Some(node) = self.path.pop() {
            let node = node as usize;
            let above = self.ancestor[node] as usize;
            let (own, other) = (self.label[node] as usize, self.label[above]);
            if self.semi[other as usize] < self.semi[own] {
                self.label[node] = other;
            }
            self.ancestor[node] = self.ancestor[above];
        }
        self.label[v as usize]
    }
}

/// The dominators of a body's blocks.
#[derive(Clone, Debug)]
pub struct Dominators {
    tree: Option<DomTree>,
}

impl Dominators {
    /// The dominators of a graph.
    pub fn new(cfg: &Cfg) -> Self {
        let graph = cfg.graph();
        Dominators {
            tree: (!graph.is_empty()).then(|| DomTree::new(graph, 0)),
        }
    }

    /// The tree over block numbers; none without blocks.
    pub fn tree(&self) -> Option<&DomTree> {
        self.tree.as_ref()
    }

    /// Whether every path from the entry to `b` passes `a`; false if either is not reached.
    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        self.tree
            .as_ref()
            .is_some_and(|tree| tree.dominates(a.0, b.0))
    }

    /// The closest dominator of a block other than itself.
    pub fn immediate(&self, block: BlockId) -> Option<BlockId> {
        self.tree.as_ref()?.immediate(block.0).map(BlockId)
    }
}

/// The post-dominators of a body's blocks.
#[derive(Clone, Debug)]
pub struct PostDominators {
    tree: DomTree,
    /// The number of the virtual exit: one more than the last block's.
    exit: GraphNode,
    assumed_exits: Vec<BlockId>,
}

impl PostDominators {
    /// The post-dominators of a graph.
    pub fn new(cfg: &Cfg) -> Self {
        let graph = cfg.graph();
        let exit = graph.len() as GraphNode;
        let mut reversed: Vec<(GraphNode, GraphNode)> = Vec::new();
        let mut assumed_exits = Vec::new();
        let mut component_of = vec![0; graph.len()];
        for (i, component) in graph.components().iter().enumerate() {
            for &node in component {
                component_of[node as usize] = i;
            }
            // Components come after those they lead to, so these are numbered already.
            let escapes = component.iter().any(|&node| {
                let to = graph.successors(node);
                to.is_empty() || to.iter().any(|to| component_of[*to as usize] != i)
            });
            if escapes {
                continue;
            }
            let first = component.iter().copied().min_by_key(|&node| {
                let position = cfg.position(BlockId(node)).unwrap_or(u32::MAX);
                (position, node)
            });
            assumed_exits.extend(first.map(BlockId));
        }
        assumed_exits.sort_unstable();
        reversed.extend(assumed_exits.iter().map(|block| (exit, block.0)));
        for node in 0..exit {
            if graph.successors(node).is_empty() {
                reversed.push((exit, node));
            }
        }
        reversed.extend(graph.edges().map(|(from, to)| (to, from)));
        PostDominators {
            tree: DomTree::new(&Graph::new(graph.len() + 1, &reversed), exit),
            exit,
            assumed_exits,
        }
    }

    /// Whether every path from `b` to the exit passes `a`.
    pub fn post_dominates(&self, a: BlockId, b: BlockId) -> bool {
        self.tree.dominates(a.0, b.0)
    }

    /// The closest post-dominator of a block other than itself; none if that is the virtual exit.
    pub fn immediate(&self, block: BlockId) -> Option<BlockId> {
        let parent = self.tree.immediate(block.0)?;
        (parent != self.exit).then_some(BlockId(parent))
    }

    /// The closest block that post-dominates both; none if that is the virtual exit.
    pub fn common(&self, a: BlockId, b: BlockId) -> Option<BlockId> {
        let common = self.tree.common(a.0, b.0)?;
        (common != self.exit).then_some(BlockId(common))
    }

    /// Blocks of infinite loops that were assumed to lead to the exit, in ascending order.
    pub fn assumed_exits(&self) -> &[BlockId] {
        &self.assumed_exits
    }
}
