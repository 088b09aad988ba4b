//! Boolean connectives. Only `not` and `and` are nodes: more terms are then the same term.

use super::are_complements;
use crate::{Op, Rule, Sort, Term, TermStore};

impl TermStore {
    /// `not a`.
    pub fn not(&self, a: &Term) -> Term {
        debug_assert_eq!(a.sort(), Sort::Bool);
        match a.op() {
            Op::Bool(b) => self.bool(!b),
            Op::Not => {
                self.fired(Rule::NotNot);
                a.arg(0).clone()
            }
            _ => self.unary(Op::Not, a),
        }
    }

    /// `a and b`.
    pub fn and(&self, a: &Term, b: &Term) -> Term {
        debug_assert_eq!((a.sort(), b.sort()), (Sort::Bool, Sort::Bool));
        for (x, y) in [(a, b), (b, a)] {
            match x.as_bool() {
                Some(true) => {
                    self.fired(Rule::AndTrue);
                    return y.clone();
                }
                Some(false) => {
                    self.fired(Rule::AndFalse);
                    return self.false_();
                }
                None => {}
            }
        }
        if a == b {
            self.fired(Rule::AndSame);
            return a.clone();
        }
        if are_complements(a, b, &Op::Not) {
            self.fired(Rule::AndContradiction);
            return self.false_();
        }
        for (x, y) in [(a, b), (b, a)] {
            if let Some(t) = self.and_nested(x, y) {
                return t;
            }
        }
        self.commutative(Op::And, a, b)
    }

    /// Rules where `y` is a conjunction, or a negated one, that mentions `x`.
    fn and_nested(&self, x: &Term, y: &Term) -> Option<Term> {
        if matches!(y.op(), Op::And) {
            if y.args().contains(x) {
                self.fired(Rule::AndAbsorbed);
                return Some(y.clone());
            }
            if y.args().iter().any(|p| are_complements(p, x, &Op::Not)) {
                self.fired(Rule::AndAbsorbedContradiction);
                return Some(self.false_());
            }
        }
        if matches!(y.op(), Op::Not) && matches!(y.arg(0).op(), Op::And) {
            let inner = y.arg(0);
            for (p, q) in [(0, 1), (1, 0)] {
                if are_complements(inner.arg(p), x, &Op::Not) {
                    self.fired(Rule::AndOrAbsorbed);
                    return Some(x.clone());
                }
                if inner.arg(p) == x {
                    self.fired(Rule::AndOrResolved);
                    return Some(self.and(x, &self.not(inner.arg(q))));
                }
            }
        }
        None
    }

    /// `a or b`.
    pub fn or(&self, a: &Term, b: &Term) -> Term {
        self.not(&self.and(&self.not(a), &self.not(b)))
    }

    /// `a xor b` on Booleans.
    pub fn xor(&self, a: &Term, b: &Term) -> Term {
        self.not(&self.eq(a, b))
    }

    /// `a implies b`.
    pub fn implies(&self, a: &Term, b: &Term) -> Term {
        self.not(&self.and(a, &self.not(b)))
    }

    /// Conjunction of any number of terms, balanced so that it stays shallow.
    pub fn and_all(&self, terms: &[Term]) -> Term {
        match terms {
            [] => self.true_(),
            [t] => t.clone(),
            _ => {
                let (left, right) = terms.split_at(terms.len() / 2);
                self.and(&self.and_all(left), &self.and_all(right))
            }
        }
    }

    /// Disjunction of any number of terms.
    pub fn or_all(&self, terms: &[Term]) -> Term {
        let negated: Vec<Term> = terms.iter().map(|t| self.not(t)).collect();
        self.not(&self.and_all(&negated))
    }

    /// Equality of Booleans.
    pub(super) fn eq_bool(&self, a: &Term, b: &Term) -> Term {
        for (x, y) in [(a, b), (b, a)] {
            match x.as_bool() {
                Some(true) => {
                    self.fired(Rule::EqTrue);
                    return y.clone();
                }
                Some(false) => {
                    self.fired(Rule::EqFalse);
                    return self.not(y);
                }
                None => {}
            }
        }
        if are_complements(a, b, &Op::Not) {
            self.fired(Rule::EqComplement);
            return self.false_();
        }
        for (x, y) in [(a, b), (b, a)] {
            if matches!(x.op(), Op::Not) {
                self.fired(Rule::EqNotOut);
                return self.not(&self.eq(x.arg(0), y));
            }
        }
        self.commutative(Op::Eq, a, b)
    }
}
