//! Terms in transit to another worker, or to disk.
//!
//! A term lives in its worker's store. The portable form is a flat list of nodes in which operands precede their users;
//! importing interns them one by one. Canonical operand order depends on structure alone, so a term that is canonical
//! in one store is canonical in the other.

use crate::term::Args;
use crate::{Op, PostOrder, Sort, Term, TermStore};
use rustc_hash::FxHashMap;

/// A bundle of terms that may cross threads.
#[derive(Clone, Debug, Default)]
pub struct Portable {
    nodes: Vec<(Op, Sort, Vec<u32>)>,
    roots: Vec<u32>,
}

impl Portable {
    /// Packs terms, sharing what they share.
    pub fn export<'a>(roots: impl IntoIterator<Item = &'a Term>) -> Self {
        let roots: Vec<&Term> = roots.into_iter().collect();
        let mut position: FxHashMap<u32, u32> = FxHashMap::default();
        let mut nodes = Vec::new();
        for term in PostOrder::of(roots.iter().copied()) {
            let args = term.args().iter().map(|a| position[&a.id()]).collect();
            position.insert(
                term.id(),
                u32::try_from(nodes.len()).expect("a store has fewer than 2^32 terms"),
            );
            nodes.push((term.op().clone(), term.sort(), args));
        }
        Portable {
            nodes,
            roots: roots.iter().map(|t| position[&t.id()]).collect(),
        }
    }

    /// Unpacks the terms into a store, in the order they were given to [`Portable::export`].
    pub fn import(&self, store: &TermStore) -> Vec<Term> {
        let mut terms: Vec<Term> = Vec::with_capacity(self.nodes.len());
        for (op, sort, args) in &self.nodes {
            let args: Args = args.iter().map(|i| terms[*i as usize].clone()).collect();
            terms.push(store.intern(op.clone(), args, *sort));
        }
        self.roots
            .iter()
            .map(|i| terms[*i as usize].clone())
            .collect()
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether nothing was packed.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}
