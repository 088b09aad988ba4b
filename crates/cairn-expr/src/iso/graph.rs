//! The nodes of a list of terms, numbered.

use super::leaf_hash;
use crate::store::{mix, operator_hash};
use crate::{Op, Term};
use rustc_hash::FxHashMap;

/// A node: a term, and where its operands are.
pub(super) struct RenamableNode {
    pub term: Term,
    /// Its operator's hash, a leaf's class.
    pub own: u64,
    /// Where its operands begin in [`TermGraph::args`].
    args: u32,
    pub commutative: bool,
}

/// The distinct nodes below a list of terms, operands before their users.
pub(super) struct TermGraph {
    pub nodes: Vec<RenamableNode>,
    args: Vec<u32>,
    /// The nodes of the list, in its order.
    pub roots: Vec<u32>,
    /// The nodes that can be renamed.
    pub leaves: Vec<u32>,
}

impl TermGraph {
    /// The nodes below a list of terms; `None` if there are more than `most`.
    pub fn of(list: &[Term], most: usize) -> Option<TermGraph> {
        let mut graph = TermGraph {
            nodes: Vec::new(),
            args: Vec::new(),
            roots: Vec::with_capacity(list.len()),
            leaves: Vec::new(),
        };
        let mut number: FxHashMap<u64, u32> = FxHashMap::default();
        let mut stack: Vec<&Term> = Vec::new();
        for root in list {
            stack.push(root);
            while let Some(&term) = stack.last() {
                if number.contains_key(&term.birth()) {
                    stack.pop();
                    continue;
                }
                let before = stack.len();
                let args = term.args().iter().rev();
                stack.extend(args.filter(|a| !number.contains_key(&a.birth())));
                if stack.len() > before {
                    continue;
                }
                stack.pop();
                if graph.nodes.len() == most {
                    return None;
                }
                let at = graph.nodes.len() as u32;
                graph.add(term, at, &number);
                number.insert(term.birth(), at);
            }
            graph.roots.push(number[&root.birth()]);
        }
        Some(graph)
    }

    fn add(&mut self, term: &Term, at: u32, number: &FxHashMap<u64, u32>) {
        let leaf = leaf_hash(term);
        if leaf.is_some() {
            self.leaves.push(at);
        }
        let own = leaf.unwrap_or_else(|| match term.op() {
            // Computed when the term was made.
            Op::Bool(_) | Op::Const(_) | Op::Table(_) => mix(3, term.shape_hash()),
            op => operator_hash(op, term.sort()),
        });
        self.nodes.push(RenamableNode {
            term: term.clone(),
            own,
            args: self.args.len() as u32,
            commutative: term.op().info().commutative,
        });
        let args = term.args().iter().map(|a| number[&a.birth()]);
        self.args.extend(args);
    }

    /// The operands of a node.
    #[inline]
    pub fn args(&self, node: usize) -> &[u32] {
        let from = self.nodes[node].args as usize;
        &self.args[from..from + self.nodes[node].term.args().len()]
    }
}
