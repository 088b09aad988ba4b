//! The inputs of terms that have too many of them to list.
//!
//! # Problem
//! A term with more than [`Support::LIMIT`] inputs does not list them, so finding them needs a walk. A byte read
//! at an unknown index of a large buffer is such a term, and so is every fact about a value computed from it. A
//! branch asks about a condition and its negation, each of which is assigned to its part, and one becomes a fact:
//! many walks of one term.
//!
//! # Idea
//! The inputs found are kept by the term's birth. A walk stops at terms that were walked before, and arrays that
//! values are read from are walked by themselves: the array after the next store is one step from the array
//! before it.
//!
//! # Soundness
//! No two terms have the same birth. The caller holds the term, so the symbols that the keys name are alive.
//!
//! # Cost
//! At most [`MOST_KEYS`] keys of 24 bytes; then all are dropped.

use cairn_expr::{Support, SupportKey, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Keys that are kept in all.
const MOST_KEYS: usize = 1 << 20;
/// Arrays in one term that are walked for themselves; a term of more is walked as a whole.
const MOST_ARRAYS: usize = 64;

/// See the module's head.
#[derive(Default)]
pub(super) struct ManyKeys {
    known: FxHashMap<u64, Rc<[SupportKey]>>,
    held: usize,
    walks: u64,
}

impl ManyKeys {
    /// The keys a term depends on, sorted.
    pub(super) fn of(&mut self, term: &Term) -> Rc<[SupportKey]> {
        if let Support::Keys(keys) = &term.attributes().support {
            return Rc::clone(keys);
        }
        if let Some(keys) = self.known.get(&term.birth()) {
            return Rc::clone(keys);
        }
        let mut found = FxHashSet::default();
        let mut arrays = Vec::new();
        self.walk(term, &mut found, Some(&mut arrays));
        if arrays.len() > MOST_ARRAYS {
            self.walk(term, &mut found, None);
        } else {
            // What is older may be inside of what is younger.
            arrays.sort_unstable_by_key(Term::birth);
            for array in arrays {
                let keys = match self.known.get(&array.birth()) {
                    Some(keys) => Rc::clone(keys),
                    None => {
                        let mut inside = FxHashSet::default();
                        self.walk(&array, &mut inside, None);
                        self.keep(&array, inside)
                    }
                };
                found.extend(keys.iter().copied());
            }
        }
        self.keep(term, found)
    }

    /// How often a term was walked.
    pub(super) fn walks(&self) -> u64 {
        self.walks
    }

    /// Collects the keys of a term, or those outside of its arrays, and these arrays.
    fn walk(
        &mut self,
        term: &Term,
        found: &mut FxHashSet<SupportKey>,
        mut arrays: Option<&mut Vec<Term>>,
    ) {
        self.walks += 1;
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let mut work = vec![term.clone()];
        while let Some(t) = work.pop() {
            if !seen.insert(t.id()) {
                continue;
            }
            match (&t.attributes().support, self.known.get(&t.birth())) {
                (Support::Keys(keys), _) | (Support::Many, Some(keys)) => {
                    found.extend(keys.iter().copied());
                }
                (Support::Many, None) => match &mut arrays {
                    Some(arrays) if t.sort().is_array() => arrays.push(t),
                    Some(_) | None => work.extend(t.args().iter().cloned()),
                },
            }
        }
    }

    fn keep(&mut self, term: &Term, found: FxHashSet<SupportKey>) -> Rc<[SupportKey]> {
        let mut keys: Vec<SupportKey> = found.into_iter().collect();
        keys.sort_unstable();
        let keys: Rc<[SupportKey]> = keys.into();
        if self.held + keys.len() > MOST_KEYS {
            self.known.clear();
            self.held = 0;
        }
        self.held += keys.len();
        self.known.insert(term.birth(), Rc::clone(&keys));
        keys
    }
}

#[cfg(test)]
mod tests {
    use super::ManyKeys;
    use cairn_expr::{Sort, Support, Term, TermStore};

    fn names(store: &TermStore, count: u64) -> Vec<Term> {
        let name = |i| store.symbol(&format!("x{i}"), Sort::BitVec(8));
        (0..count).map(name).collect()
    }

    /// Writes of all inputs at unknown places, read in two conditions: each array is walked once, and the
    /// keys are all inputs, sorted.
    #[test]
    fn terms_that_were_walked_are_not_walked_again() {
        let store = TermStore::new();
        let inputs = names(&store, 400);
        let write = |array: Term, x: &Term| store.store(&array, x, x);
        let array = store.const_array(8, &store.bv(8, 0));
        let before = inputs.iter().take(399).fold(array, write);
        let after = write(before.clone(), &inputs[399]);
        let condition = |array: &Term| {
            let read = store.select(array, &inputs[3]);
            store.eq(&read, &store.bv(8, 5))
        };
        let (old, new) = (condition(&before), condition(&after));
        assert!(matches!(new.attributes().support, Support::Many));
        let mut keys = ManyKeys::default();
        let mut expected: Vec<u32> = inputs.iter().map(Term::id).collect();
        expected.sort_unstable();
        let found = |keys: &mut ManyKeys, of: &Term| -> Vec<u32> {
            keys.of(of).iter().map(|k| k.symbol).collect()
        };
        assert_eq!(found(&mut keys, &old).len(), 399);
        assert_eq!(keys.walks(), 2);
        assert_eq!(found(&mut keys, &new), expected);
        assert_eq!(found(&mut keys, &store.not(&new)), expected);
        assert_eq!(found(&mut keys, &new), expected);
        assert_eq!(keys.walks(), 5);
        // A term of more arrays than are walked for themselves.
        let reads = (0..100).map(|i| {
            let array = store.store(&after, &store.bv(8, i), &inputs[i as usize]);
            store.select(&array, &inputs[7])
        });
        let sum = reads.reduce(|a, b| store.bv_add(&a, &b)).expect("some");
        let sum = store.eq(&sum, &store.bv(8, 0));
        assert_eq!(found(&mut ManyKeys::default(), &sum), expected);
    }
}
