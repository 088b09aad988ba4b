//! Visiting the nodes of terms without recursion, each once, operands before users.

use crate::{Op, Term};
use rustc_hash::FxHashSet;

/// Iterates over the distinct nodes below some roots in post-order.
pub struct PostOrder {
    /// By birth, not by id: a root may die while the walk goes on with the next one.
    seen: FxHashSet<u64>,
    stack: Vec<(Term, usize)>,
}

impl PostOrder {
    /// A walk over one term.
    pub fn new(root: &Term) -> Self {
        Self::of([root])
    }

    /// A walk over several terms; the first root is finished first.
    pub fn of<'a>(roots: impl IntoIterator<Item = &'a Term>) -> Self {
        let mut stack: Vec<(Term, usize)> = roots.into_iter().map(|t| (t.clone(), 0)).collect();
        stack.reverse();
        PostOrder {
            seen: FxHashSet::default(),
            stack,
        }
    }
}

impl Iterator for PostOrder {
    type Item = Term;

    fn next(&mut self) -> Option<Term> {
        loop {
            let (term, next) = self.stack.last_mut()?;
            if *next == 0 && self.seen.contains(&term.birth()) {
                self.stack.pop();
                continue;
            }
            if let Some(arg) = term.args().get(*next) {
                *next += 1;
                if !self.seen.contains(&arg.birth()) {
                    let arg = arg.clone();
                    self.stack.push((arg, 0));
                }
                continue;
            }
            let (term, _) = self.stack.pop().expect("the loop looked at it");
            if self.seen.insert(term.birth()) {
                return Some(term);
            }
        }
    }
}

/// The number of distinct nodes of a term.
pub fn dag_size(term: &Term) -> usize {
    PostOrder::new(term).count()
}

/// The symbols that occur in some terms, each once, in order of first occurrence.
pub fn symbols_of<'a>(roots: impl IntoIterator<Item = &'a Term>) -> Vec<Term> {
    PostOrder::of(roots)
        .filter(|t| matches!(t.op(), Op::Symbol(_)))
        .collect()
}
