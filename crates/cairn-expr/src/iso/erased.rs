//! The hash of a term without the names of its leaves.

use super::leaf_hash;
use crate::store::{mix, operator_hash};
use crate::{Support, Term};
use rustc_hash::FxHashMap;

/// How many hashes are remembered; then all are forgotten.
const MOST_REMEMBERED: usize = 1 << 20;

/// Hashes of terms in which leaves of one class are alike and the order of operands of commutative operators does not
/// matter; remembered for each term that was asked about. The hash is the same in every store and every run.
#[derive(Default)]
pub struct ErasedHashes {
    /// By birth: few of a store's terms are asked about, and no other term has the same.
    known: FxHashMap<u64, u64>,
}

/// Whether no leaf is below that could be renamed.
pub(super) fn is_rigid(term: &Term) -> bool {
    let attributes = term.attributes();
    let symbols = match &attributes.support {
        Support::Keys(keys) => !keys.is_empty(),
        Support::Many => true,
    };
    !symbols && !attributes.has_base
}

impl ErasedHashes {
    /// The hash of a term.
    pub fn of(&mut self, root: &Term) -> u64 {
        if let Some(known) = self.known(root) {
            return known;
        }
        if self.known.len() >= MOST_REMEMBERED {
            self.known.clear();
        }
        let mut stack: Vec<&Term> = vec![root];
        while let Some(&term) = stack.last() {
            if self.known(term).is_some() {
                stack.pop();
                continue;
            }
            let before = stack.len();
            if !is_rigid(term) {
                stack.extend(term.args().iter().filter(|a| self.known(a).is_none()));
            }
            if stack.len() == before {
                stack.pop();
                let hash = self.computed(term);
                self.known.insert(term.birth(), hash);
            }
        }
        self.known(root).expect("it was computed")
    }

    fn computed(&self, term: &Term) -> u64 {
        if let Some(leaf) = leaf_hash(term) {
            return leaf;
        }
        if is_rigid(term) {
            return mix(3, term.shape_hash());
        }
        let of = |i: usize| self.known(term.arg(i)).expect("operands come first");
        let own = operator_hash(term.op(), term.sort());
        if term.op().info().commutative {
            let (a, b) = (of(0), of(1));
            return mix(mix(own, a.min(b)), a.max(b));
        }
        (0..term.args().len()).fold(own, |h, i| mix(h, of(i)))
    }

    #[inline]
    fn known(&self, term: &Term) -> Option<u64> {
        self.known.get(&term.birth()).copied()
    }
}
