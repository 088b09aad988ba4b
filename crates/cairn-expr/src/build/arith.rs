//! Addition, negation, multiplication, division, remainder. Subtraction is `a + (-b)`.

use super::{are_complements, is_below, is_op_of, known_sign, with_const};
use crate::{Op, Rule, Term, TermStore};
use cairn_bv::BitVec;

/// How many high bits are known to be zero.
fn unused_bits(a: &Term) -> u32 {
    match a.op() {
        Op::ZeroExtend(n) if a.width() > 64 => n + unused_bits(a.arg(0)),
        _ if a.width() > 64 => 0,
        _ => a.attributes().largest.leading_zeros() - (64 - a.width()),
    }
}

impl TermStore {
    fn zero_like(&self, t: &Term) -> Term {
        self.constant(BitVec::zero(t.width()))
    }

    /// `a + b`.
    pub fn bv_add(&self, a: &Term, b: &Term) -> Term {
        if let Some(t) = self.fold_binary(&Op::BvAdd, a, b) {
            return t;
        }
        if a.width() == 1 {
            self.fired(Rule::AddBit);
            return self.bv_xor(a, b);
        }
        let (a, b) = if a.as_const().is_some() {
            (b, a)
        } else {
            (a, b)
        };
        if let Some(c) = b.as_const() {
            if c.is_zero() {
                self.fired(Rule::AddZero);
                return a.clone();
            }
            if let Some((x, d)) = with_const(a, &Op::BvAdd) {
                self.fired(Rule::AddConstants);
                return self.bv_add(x, &self.constant(c.add(d)));
            }
        } else {
            if let Some(t) = self.add_terms(a, b) {
                return t;
            }
        }
        if let Some(t) = self.or_disjoint(a, b) {
            self.fired(Rule::AddDisjoint);
            return t;
        }
        self.commutative(Op::BvAdd, a, b)
    }

    fn add_terms(&self, a: &Term, b: &Term) -> Option<Term> {
        if are_complements(a, b, &Op::BvNeg) {
            self.fired(Rule::AddNegation);
            return Some(self.zero_like(a));
        }
        if are_complements(a, b, &Op::BvNot) {
            self.fired(Rule::AddComplement);
            return Some(self.constant(BitVec::ones(a.width())));
        }
        for (x, y) in [(a, b), (b, a)] {
            if let Some((p, c)) = with_const(x, &Op::BvAdd) {
                self.fired(Rule::AddConstOut);
                return Some(self.bv_add(&self.bv_add(p, y), &self.constant(c.clone())));
            }
            if matches!(x.op(), Op::BvAdd) {
                for (p, q) in [(0, 1), (1, 0)] {
                    if is_op_of(y, &Op::BvNeg, x.arg(p)) {
                        self.fired(Rule::AddCancel);
                        return Some(x.arg(q).clone());
                    }
                    if is_op_of(x.arg(p), &Op::BvNeg, y) {
                        self.fired(Rule::AddNegCancel);
                        return Some(x.arg(q).clone());
                    }
                }
            }
        }
        None
    }

    /// `-a`.
    pub fn bv_neg(&self, a: &Term) -> Term {
        if let Some(t) = self.fold_unary(&Op::BvNeg, a) {
            return t;
        }
        if matches!(a.op(), Op::BvNeg) {
            self.fired(Rule::NegNeg);
            return a.arg(0).clone();
        }
        if a.width() == 1 {
            self.fired(Rule::NegBit);
            return a.clone();
        }
        if let Some((x, c)) = with_const(a, &Op::BvAdd) {
            self.fired(Rule::NegAddConst);
            return self.bv_add(&self.bv_neg(x), &self.constant(c.neg()));
        }
        if let Some((x, c)) = with_const(a, &Op::BvMul) {
            self.fired(Rule::NegMulConst);
            return self.bv_mul(x, &self.constant(c.neg()));
        }
        self.unary(Op::BvNeg, a)
    }

    /// `a - b`.
    pub fn bv_sub(&self, a: &Term, b: &Term) -> Term {
        self.bv_add(a, &self.bv_neg(b))
    }

    /// `a * b`.
    pub fn bv_mul(&self, a: &Term, b: &Term) -> Term {
        if let Some(t) = self.fold_binary(&Op::BvMul, a, b) {
            return t;
        }
        if a.width() == 1 {
            self.fired(Rule::MulBit);
            return self.bv_and(a, b);
        }
        let (a, b) = if a.as_const().is_some() {
            (b, a)
        } else {
            (a, b)
        };
        if let Some(c) = b.as_const()
            && let Some(t) = self.mul_const(a, c)
        {
            return t;
        }
        self.commutative(Op::BvMul, a, b)
    }

    fn mul_const(&self, a: &Term, c: &BitVec) -> Option<Term> {
        if c.is_zero() {
            self.fired(Rule::MulZero);
            return Some(self.zero_like(a));
        }
        if c.is_one() {
            self.fired(Rule::MulOne);
            return Some(a.clone());
        }
        if c.is_ones() {
            self.fired(Rule::MulOnes);
            return Some(self.bv_neg(a));
        }
        if let Some((x, d)) = with_const(a, &Op::BvMul) {
            self.fired(Rule::MulConstants);
            return Some(self.bv_mul(x, &self.constant(c.mul(d))));
        }
        if let Some((x, d)) = with_const(a, &Op::BvAdd) {
            self.fired(Rule::MulAddConst);
            let scaled = self.bv_mul(x, &self.constant(c.clone()));
            return Some(self.bv_add(&scaled, &self.constant(c.mul(d))));
        }
        if let Some(k) = c.exact_log2() {
            self.fired(Rule::MulPowerOfTwo);
            return Some(self.bv_shl(a, &self.bv(a.width(), u64::from(k))));
        }
        if matches!(a.op(), Op::BvNeg) {
            self.fired(Rule::MulNegConst);
            return Some(self.bv_mul(a.arg(0), &self.constant(c.neg())));
        }
        None
    }

    /// Unsigned `a / b`; all ones if `b` is zero.
    pub fn bv_udiv(&self, a: &Term, b: &Term) -> Term {
        if let Some(t) = self.fold_binary(&Op::BvUdiv, a, b) {
            return t;
        }
        if let Some(c) = b.as_const() {
            if c.is_zero() {
                self.fired(Rule::UdivZero);
                return self.constant(BitVec::ones(c.width()));
            }
            if c.is_one() {
                self.fired(Rule::UdivOne);
                return a.clone();
            }
            if let Some(k) = c.exact_log2() {
                self.fired(Rule::UdivPowerOfTwo);
                return self.bv_lshr(a, &self.bv(a.width(), u64::from(k)));
            }
            let n = unused_bits(a);
            if is_below(a, c) || c.leading_zeros() < n {
                self.fired(Rule::UdivLess);
                return self.zero_like(a);
            }
            if n > 0 {
                self.fired(Rule::UdivNarrow);
                let top = a.width() - n - 1;
                let low = self.constant(c.extract(top, 0));
                return self.zero_extend(&self.bv_udiv(&self.extract(a, top, 0), &low), n);
            }
        }
        self.binary(Op::BvUdiv, a, b)
    }

    /// Unsigned remainder; `a` if `b` is zero.
    pub fn bv_urem(&self, a: &Term, b: &Term) -> Term {
        if a == b {
            self.fired(Rule::UremSame);
            return self.zero_like(a);
        }
        if let Some(t) = self.fold_binary(&Op::BvUrem, a, b) {
            return t;
        }
        if let Some(c) = b.as_const() {
            if c.is_zero() {
                self.fired(Rule::UremZero);
                return a.clone();
            }
            if c.is_one() {
                self.fired(Rule::UremOne);
                return self.zero_like(a);
            }
            if let Some(k) = c.exact_log2() {
                self.fired(Rule::UremPowerOfTwo);
                return self.zero_extend(&self.extract(a, k - 1, 0), a.width() - k);
            }
            let n = unused_bits(a);
            if is_below(a, c) || c.leading_zeros() < n {
                self.fired(Rule::UremLess);
                return a.clone();
            }
            if n > 0 {
                self.fired(Rule::UremNarrow);
                let top = a.width() - n - 1;
                let low = self.constant(c.extract(top, 0));
                return self.zero_extend(&self.bv_urem(&self.extract(a, top, 0), &low), n);
            }
        }
        self.binary(Op::BvUrem, a, b)
    }

    /// Signed division, truncating toward zero.
    pub fn bv_sdiv(&self, a: &Term, b: &Term) -> Term {
        if let Some(t) = self.fold_binary(&Op::BvSdiv, a, b) {
            return t;
        }
        if known_sign(a) == Some(false) && known_sign(b) == Some(false) {
            self.fired(Rule::SdivNonNegative);
            return self.bv_udiv(a, b);
        }
        if let Some(c) = b.as_const() {
            // At width 1 the constant 1 is also -1, and -x is x: either rule is right.
            if c.is_one() {
                self.fired(Rule::SdivOne);
                return a.clone();
            }
            if c.is_ones() {
                self.fired(Rule::SdivMinusOne);
                return self.bv_neg(a);
            }
        }
        self.binary(Op::BvSdiv, a, b)
    }

    /// Signed remainder with the dividend's sign.
    pub fn bv_srem(&self, a: &Term, b: &Term) -> Term {
        if let Some(t) = self.fold_binary(&Op::BvSrem, a, b) {
            return t;
        }
        if known_sign(a) == Some(false) && known_sign(b) == Some(false) {
            self.fired(Rule::SremNonNegative);
            return self.bv_urem(a, b);
        }
        if b.as_const().is_some_and(|c| c.is_one() || c.is_ones()) {
            self.fired(Rule::SremOne);
            return self.zero_like(a);
        }
        self.binary(Op::BvSrem, a, b)
    }

    /// Signed remainder with the divisor's sign.
    pub fn bv_smod(&self, a: &Term, b: &Term) -> Term {
        if let Some(t) = self.fold_binary(&Op::BvSmod, a, b) {
            return t;
        }
        if known_sign(a) == Some(false) && known_sign(b) == Some(false) {
            self.fired(Rule::SmodNonNegative);
            return self.bv_urem(a, b);
        }
        self.binary(Op::BvSmod, a, b)
    }
}
