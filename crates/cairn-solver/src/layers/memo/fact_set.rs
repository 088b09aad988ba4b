//! The facts of a list as a set, with a hash that does not depend on their order.

use super::along;
use crate::{Facts, MemoKey};
use cairn_expr::{PersistentMap, Term, scramble};
use std::rc::Rc;
use std::sync::OnceLock;

/// The facts of a list as a set.
#[derive(Clone, Default)]
pub(in crate::layers) struct FactSet {
    pub(in crate::layers) members: PersistentMap<Term>,
    /// The sum of the members' scrambled births: it does not depend on the order.
    pub(in crate::layers) hash: u64,
}

impl FactSet {
    /// The set of a list. It depends on the list alone, so all layers share one memo of it.
    pub(in crate::layers) fn of(facts: &Facts) -> Rc<FactSet> {
        static KEY: OnceLock<MemoKey> = OnceLock::new();
        let key = *KEY.get_or_init(MemoKey::fresh);
        along(facts, key, &Rc::default(), |parent, _, fact| {
            if parent.contains(fact) {
                Rc::clone(parent)
            } else {
                Rc::new(parent.with(fact))
            }
        })
    }

    pub(in crate::layers) fn contains(&self, term: &Term) -> bool {
        self.members.get(term.birth()) == Some(term)
    }

    pub(in crate::layers) fn with(&self, term: &Term) -> FactSet {
        let mut more = self.clone();
        more.members.insert(term.birth(), term.clone());
        more.hash = more.hash.wrapping_add(scramble(term.birth()));
        more
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_expr::{Sort, TermStore};

    #[test]
    fn a_set_of_facts_forgets_order_and_repetition() {
        let s = TermStore::new();
        let t: Vec<Term> = (0..3)
            .map(|i| s.symbol(&format!("p{i}"), Sort::Bool))
            .collect();
        let list = |order: &[usize]| -> Facts { order.iter().map(|i| t[*i].clone()).collect() };
        let a = FactSet::of(&list(&[0, 1, 2]));
        let b = FactSet::of(&list(&[2, 1, 2, 0, 0]));
        assert_eq!(a.hash, b.hash);
        assert!(a.members.equal(&b.members));
        assert_ne!(FactSet::of(&list(&[0, 1])).hash, a.hash);
    }
}
