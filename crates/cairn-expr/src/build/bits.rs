//! Bitwise operators. Constants are pushed to the bits they concern: a mask becomes an
//! extraction, so that later procedures see which input bits matter.

use super::{are_complements, with_const};
use crate::{Op, Rule, Term, TermStore};
use cairn_bv::BitVec;

/// Position and length of the ones of `c` if they are contiguous.
fn contiguous_ones(c: &BitVec) -> Option<(u32, u32)> {
    let low = c.trailing_zeros();
    let high = c.width() - c.leading_zeros();
    (low < high && c.count_ones() == high - low).then(|| (low, high - low))
}

impl TermStore {
    /// Bitwise complement.
    pub fn bv_not(&self, a: &Term) -> Term {
        if let Some(t) = self.fold_unary(&Op::BvNot, a) {
            return t;
        }
        if matches!(a.op(), Op::BvNot) {
            self.fired(Rule::BvNotNot);
            return a.arg(0).clone();
        }
        self.unary(Op::BvNot, a)
    }

    /// Bitwise and.
    pub fn bv_and(&self, a: &Term, b: &Term) -> Term {
        if a == b {
            self.fired(Rule::BvAndSame);
            return a.clone();
        }
        if let Some(t) = self.fold_binary(&Op::BvAnd, a, b) {
            return t;
        }
        let (a, b) = if a.as_const().is_some() {
            (b, a)
        } else {
            (a, b)
        };
        if let Some(c) = b.as_const() {
            if c.is_zero() {
                self.fired(Rule::BvAndZero);
                return b.clone();
            }
            if c.is_ones() {
                self.fired(Rule::BvAndOnes);
                return a.clone();
            }
            if let Some((x, d)) = with_const(a, &Op::BvAnd) {
                self.fired(Rule::BvAndConstants);
                return self.bv_and(x, &self.constant(c.and(d)));
            }
            if let Some((low, len)) = contiguous_ones(c) {
                self.fired(Rule::BvAndMask);
                let part = self.extract(a, low + len - 1, low);
                let shifted = if low == 0 {
                    part
                } else {
                    self.concat(&part, &self.constant(BitVec::zero(low)))
                };
                return self.zero_extend(&shifted, a.width() - low - len);
            }
            if let Some(t) = self.bitwise_const(&Op::BvAnd, a, c) {
                return t;
            }
        } else if are_complements(a, b, &Op::BvNot) {
            self.fired(Rule::BvAndComplement);
            return self.constant(BitVec::zero(a.width()));
        }
        self.commutative(Op::BvAnd, a, b)
    }

    /// Bitwise or.
    pub fn bv_or(&self, a: &Term, b: &Term) -> Term {
        if a == b {
            self.fired(Rule::BvOrSame);
            return a.clone();
        }
        if let Some(t) = self.fold_binary(&Op::BvOr, a, b) {
            return t;
        }
        let (a, b) = if a.as_const().is_some() {
            (b, a)
        } else {
            (a, b)
        };
        if let Some(c) = b.as_const() {
            if c.is_zero() {
                self.fired(Rule::BvOrZero);
                return a.clone();
            }
            if c.is_ones() {
                self.fired(Rule::BvOrOnes);
                return b.clone();
            }
            if let Some((x, d)) = with_const(a, &Op::BvOr) {
                self.fired(Rule::BvOrConstants);
                return self.bv_or(x, &self.constant(c.or(d)));
            }
            if let Some((low, len)) = contiguous_ones(c) {
                self.fired(Rule::BvOrMask);
                return self.or_mask(a, low, len);
            }
            if let Some(t) = self.bitwise_const(&Op::BvOr, a, c) {
                return t;
            }
        } else {
            if are_complements(a, b, &Op::BvNot) {
                self.fired(Rule::BvOrComplement);
                return self.constant(BitVec::ones(a.width()));
            }
            if let Some(t) = self.or_disjoint(a, b) {
                self.fired(Rule::OrDisjointConcat);
                return t;
            }
        }
        self.commutative(Op::BvOr, a, b)
    }

    fn or_mask(&self, a: &Term, low: u32, len: u32) -> Term {
        let w = a.width();
        let mut t = self.constant(BitVec::ones(len));
        if low > 0 {
            t = self.concat(&t, &self.extract(a, low - 1, 0));
        }
        if low + len < w {
            t = self.concat(&self.extract(a, w - 1, low + len), &t);
        }
        t
    }

    /// Bitwise exclusive or.
    pub fn bv_xor(&self, a: &Term, b: &Term) -> Term {
        if a == b {
            self.fired(Rule::BvXorSame);
            return self.constant(BitVec::zero(a.width()));
        }
        if let Some(t) = self.fold_binary(&Op::BvXor, a, b) {
            return t;
        }
        let (a, b) = if a.as_const().is_some() {
            (b, a)
        } else {
            (a, b)
        };
        if let Some(c) = b.as_const() {
            if c.is_zero() {
                self.fired(Rule::BvXorZero);
                return a.clone();
            }
            if c.is_ones() {
                self.fired(Rule::BvXorOnes);
                return self.bv_not(a);
            }
            if let Some((x, d)) = with_const(a, &Op::BvXor) {
                self.fired(Rule::BvXorConstants);
                return self.bv_xor(x, &self.constant(c.xor(d)));
            }
            if let Some(t) = self.bitwise_const(&Op::BvXor, a, c) {
                return t;
            }
        } else {
            if are_complements(a, b, &Op::BvNot) {
                self.fired(Rule::BvXorComplement);
                return self.constant(BitVec::ones(a.width()));
            }
            if let Some(t) = self.or_disjoint(a, b) {
                self.fired(Rule::OrDisjointConcat);
                return t;
            }
        }
        for (x, y) in [(a, b), (b, a)] {
            if matches!(x.op(), Op::BvNot) {
                self.fired(Rule::BvXorNotOut);
                return self.bv_not(&self.bv_xor(x.arg(0), y));
            }
        }
        self.commutative(Op::BvXor, a, b)
    }

    fn bitwise(&self, op: &Op, a: &Term, b: &Term) -> Term {
        match op {
            Op::BvAnd => self.bv_and(a, b),
            Op::BvOr => self.bv_or(a, b),
            Op::BvXor => self.bv_xor(a, b),
            _ => unreachable!("{op:?} is not bitwise"),
        }
    }

    /// Splits `(op (concat x y) c)` and `(op (zero_extend x) c)` along the operand, in a loop:
    /// the chain of parts can be long.
    fn bitwise_const(&self, op: &Op, a: &Term, c: &BitVec) -> Option<Term> {
        let mut parts: Vec<Term> = Vec::new();
        let mut rest = a.clone();
        loop {
            let (high, low) = match rest.op() {
                Op::Concat => {
                    self.fired(Rule::BitwiseConcatConst);
                    (rest.arg(0).clone(), rest.arg(1).clone())
                }
                Op::ZeroExtend(n) => {
                    self.fired(Rule::BitwiseZeroExtendConst);
                    (self.constant(BitVec::zero(*n)), rest.arg(0).clone())
                }
                _ => break,
            };
            let c_high = self.constant(c.extract(rest.width() - 1, low.width()));
            parts.push(self.bitwise(op, &high, &c_high));
            rest = low;
        }
        if parts.is_empty() {
            return None;
        }
        let c_rest = self.constant(c.extract(rest.width() - 1, 0));
        let mut result = self.bitwise(op, &rest, &c_rest);
        while let Some(part) = parts.pop() {
            result = self.concat(&part, &result);
        }
        Some(result)
    }

    /// `a | b` as a concatenation if one ends in zeros that cover the other: how programs
    /// assemble words from bytes.
    pub(super) fn or_disjoint(&self, a: &Term, b: &Term) -> Option<Term> {
        for (x, y) in [(a, b), (b, a)] {
            let (inner, top) = match x.op() {
                Op::ZeroExtend(n) => (x.arg(0), *n),
                _ => (x, 0),
            };
            if !matches!(inner.op(), Op::Concat) || !matches!(y.op(), Op::ZeroExtend(_)) {
                continue;
            }
            let (high, low) = (inner.arg(0), inner.arg(1));
            let part = y.arg(0);
            if low.as_const().is_some_and(BitVec::is_zero) && part.width() <= low.width() {
                let filled = self.zero_extend(part, low.width() - part.width());
                return Some(self.zero_extend(&self.concat(high, &filled), top));
            }
        }
        None
    }
}
