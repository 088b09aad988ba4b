//! If-then-else over all sorts.

use crate::{Op, Rule, Sort, Term, TermStore};
use smallvec::smallvec;

impl TermStore {
    /// `if c then a else b`.
    pub fn ite(&self, c: &Term, a: &Term, b: &Term) -> Term {
        debug_assert_eq!(c.sort(), Sort::Bool);
        debug_assert_eq!(a.sort(), b.sort());
        if let Some(c) = c.as_bool() {
            self.fired(Rule::IteConstCondition);
            return if c { a } else { b }.clone();
        }
        if a == b {
            self.fired(Rule::IteSameBranches);
            return a.clone();
        }
        if matches!(c.op(), Op::Not) {
            self.fired(Rule::IteNotCondition);
            return self.ite(c.arg(0), b, a);
        }
        if matches!(a.op(), Op::Ite) && a.arg(0) == c {
            self.fired(Rule::IteConditionInThen);
            return self.ite(c, a.arg(1), b);
        }
        if matches!(b.op(), Op::Ite) && b.arg(0) == c {
            self.fired(Rule::IteConditionInElse);
            return self.ite(c, a, b.arg(2));
        }
        if a.sort() == Sort::Bool
            && let Some(t) = self.ite_bool(c, a, b)
        {
            return t;
        }
        self.node(Op::Ite, smallvec![c.clone(), a.clone(), b.clone()])
    }

    fn ite_bool(&self, c: &Term, a: &Term, b: &Term) -> Option<Term> {
        match (a.as_bool(), b.as_bool()) {
            (Some(true), _) => {
                self.fired(Rule::IteBoolThenTrue);
                Some(self.or(c, b))
            }
            (Some(false), _) => {
                self.fired(Rule::IteBoolThenFalse);
                Some(self.and(&self.not(c), b))
            }
            (None, Some(true)) => {
                self.fired(Rule::IteBoolElseTrue);
                Some(self.implies(c, a))
            }
            (None, Some(false)) => {
                self.fired(Rule::IteBoolElseFalse);
                Some(self.and(c, a))
            }
            (None, None) if super::are_complements(a, b, &Op::Not) => {
                self.fired(Rule::IteBoolComplement);
                Some(self.eq(c, a))
            }
            (None, None) => None,
        }
    }
}
