//! Replacing subterms.

use crate::{Term, TermStore};
use rustc_hash::FxHashMap;

/// A simultaneous replacement of terms by terms, remembered across calls.
///
/// The result is rebuilt with the canonical constructors, so it is simplified as if it had been
/// built that way in the first place.
#[derive(Default)]
pub struct Substitution {
    map: FxHashMap<Term, Term>,
    done: FxHashMap<Term, Term>,
}

impl Substitution {
    /// The identity.
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces `from` by `to` wherever it occurs as a subterm.
    pub fn insert(&mut self, from: Term, to: Term) {
        assert_eq!(from.sort(), to.sort(), "a replacement keeps the sort");
        self.map.insert(from, to);
        self.done.clear();
    }

    /// Whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// The direct replacement of a term.
    pub fn get(&self, from: &Term) -> Option<&Term> {
        self.map.get(from)
    }

    /// The term after replacement.
    pub fn apply(&mut self, store: &TermStore, root: &Term) -> Term {
        let mut stack = vec![root.clone()];
        while let Some(term) = stack.last().cloned() {
            if self.done.contains_key(&term) {
                stack.pop();
                continue;
            }
            if let Some(to) = self.map.get(&term) {
                self.done.insert(term, to.clone());
                stack.pop();
                continue;
            }
            let before = stack.len();
            for arg in term.args() {
                if !self.done.contains_key(arg) {
                    stack.push(arg.clone());
                }
            }
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let changed = term.args().iter().any(|a| self.done[a] != *a);
            let result = if changed {
                let args: Vec<Term> = term.args().iter().map(|a| self.done[a].clone()).collect();
                store.rebuild(&term, &args)
            } else {
                term.clone()
            };
            self.done.insert(term, result);
        }
        self.done[root].clone()
    }
}
