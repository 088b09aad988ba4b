//! Equality and order of bit-vectors. `<=`, `>`, `>=` are written with `<`.

use super::{are_complements, is_below, known_sign, with_const};
use crate::{Op, Rule, Sort, Term, TermStore};
use cairn_bv::BitVec;

/// Both operands extended in the same way from the same width.
fn both_extended<'a>(a: &'a Term, b: &'a Term) -> Option<(&'a Term, &'a Term)> {
    match (a.op(), b.op()) {
        (Op::ZeroExtend(n), Op::ZeroExtend(m)) | (Op::SignExtend(n), Op::SignExtend(m))
            if n == m =>
        {
            Some((a.arg(0), b.arg(0)))
        }
        _ => None,
    }
}

/// The low `w` bits of `c` if `c` is their zero extension.
fn as_zero_extended(c: &BitVec, w: u32) -> Option<BitVec> {
    (c.leading_zeros() >= c.width() - w).then(|| c.extract(w - 1, 0))
}

/// The low `w` bits of `c` if `c` is their sign extension.
fn as_sign_extended(c: &BitVec, w: u32) -> Option<BitVec> {
    let low = c.extract(w - 1, 0);
    (low.sext(c.width() - w) == *c).then_some(low)
}

/// The operands of a difference.
fn difference(t: &Term) -> Option<(&Term, &Term)> {
    let Op::BvAdd = t.op() else { return None };
    match (t.arg(0).op(), t.arg(1).op()) {
        (_, Op::BvNeg) => Some((t.arg(0), t.arg(1).arg(0))),
        (Op::BvNeg, _) => Some((t.arg(1), t.arg(0).arg(0))),
        _ => None,
    }
}

/// The operands of a difference that is their difference as numbers too, because it has a bit more than it
/// needs: neither operand is negative, or both are extended by their sign.
fn exact_difference(t: &Term) -> Option<(&Term, &Term)> {
    let (x, y) = difference(t)?;
    let extended = |t: &Term| matches!(t.op(), Op::SignExtend(_));
    let positive = |t: &Term| known_sign(t) == Some(false);
    (positive(x) && positive(y) || extended(x) && extended(y)).then_some((x, y))
}

/// The inverse of an odd number modulo 2^w, by Newton's iteration: each step doubles the number
/// of right bits.
fn odd_inverse(c: &BitVec) -> BitVec {
    let two = BitVec::new(c.width(), 2);
    let mut inverse = c.clone();
    let mut bits = 3;
    while bits < c.width() {
        inverse = inverse.mul(&two.sub(&c.mul(&inverse)));
        bits *= 2;
    }
    inverse
}

impl TermStore {
    /// `a = b`, any sort.
    pub fn eq(&self, a: &Term, b: &Term) -> Term {
        debug_assert_eq!(a.sort(), b.sort());
        if a == b {
            self.fired(Rule::EqSame);
            return self.true_();
        }
        match a.sort() {
            Sort::Bool => self.eq_bool(a, b),
            Sort::Array { .. } => self.commutative(Op::Eq, a, b),
            Sort::BitVec(_) => {
                if let Some(t) = self.fold_binary(&Op::Eq, a, b) {
                    return t;
                }
                if let Some(c) = b.as_const() {
                    self.eq_const(a, c)
                } else if let Some(c) = a.as_const() {
                    self.eq_const(b, c)
                } else {
                    self.eq_terms(a, b)
                }
            }
        }
    }

    /// Peels invertible operators off the left side in a loop: the chain can be long.
    fn eq_const(&self, a: &Term, c: &BitVec) -> Term {
        let mut a = a.clone();
        let mut c = c.clone();
        loop {
            let (rule, next_a, next_c) = if let Some((x, d)) = with_const(&a, &Op::BvAdd) {
                (Rule::EqAddConst, x.clone(), c.sub(d))
            } else if let Some((x, d)) = with_const(&a, &Op::BvXor) {
                (Rule::EqXorConst, x.clone(), c.xor(d))
            } else if let Some((x, d)) = with_const(&a, &Op::BvMul)
                && d.bit(0)
            {
                (Rule::EqMulOddConst, x.clone(), odd_inverse(d).mul(&c))
            } else {
                match a.op() {
                    Op::BvNeg => (Rule::EqNegConst, a.arg(0).clone(), c.neg()),
                    Op::BvNot => (Rule::EqNotConst, a.arg(0).clone(), c.not()),
                    Op::ZeroExtend(_) => match as_zero_extended(&c, a.arg(0).width()) {
                        Some(low) => (Rule::EqZeroExtendConst, a.arg(0).clone(), low),
                        None => {
                            self.fired(Rule::EqZeroExtendConst);
                            return self.false_();
                        }
                    },
                    Op::SignExtend(_) => match as_sign_extended(&c, a.arg(0).width()) {
                        Some(low) => (Rule::EqSignExtendConst, a.arg(0).clone(), low),
                        None => {
                            self.fired(Rule::EqSignExtendConst);
                            return self.false_();
                        }
                    },
                    _ => break,
                }
            };
            self.fired(rule);
            a = next_a;
            c = next_c;
        }
        let c_term = self.constant(c);
        let c = c_term.as_const().expect("just made");
        if is_below(&a, c) {
            self.fired(Rule::EqAbove);
            return self.false_();
        }
        if c.is_zero() && a.width() <= 64 && a.attributes().largest == 0 {
            self.fired(Rule::EqNothingElse);
            return self.true_();
        }
        let folded = self.fold_binary(&Op::Eq, &a, &c_term);
        if let Some(t) = folded.or_else(|| self.compare_table(&Op::Eq, &a, &c_term)) {
            return t;
        }
        if let Some(t) = self.eq_quotient(&a, c) {
            return t;
        }
        if matches!(a.op(), Op::Concat)
            && let Some(_nested) = self.nest()
        {
            return self.eq_concat_const(&a, c);
        }
        if c.is_zero()
            && let Some((x, y)) = difference(&a)
            && let Some(_nested) = self.nest()
        {
            self.fired(Rule::EqDifferenceZero);
            return self.eq(x, y);
        }
        if c.is_zero()
            && matches!(a.op(), Op::BvXor)
            && let Some(_nested) = self.nest()
        {
            self.fired(Rule::EqXorZero);
            return self.eq(a.arg(0), a.arg(1));
        }
        if c.width() == 1 && c.is_zero() {
            self.fired(Rule::EqBitZero);
            return self.not(&self.commutative(Op::Eq, &a, &self.bv(1, 1)));
        }
        self.commutative(Op::Eq, &a, &c_term)
    }

    /// Splits along a chain of concatenations in a loop: the chain can be long. A part can hold
    /// another chain (below a complement, say), which is where the nesting is counted.
    fn eq_concat_const(&self, a: &Term, c: &BitVec) -> Term {
        let mut parts = Vec::new();
        let mut rest = a;
        while matches!(rest.op(), Op::Concat) {
            self.fired(Rule::EqConcatConst);
            let low = rest.arg(1);
            let high = c.extract(rest.width() - 1, low.width());
            parts.push(self.eq(rest.arg(0), &self.constant(high)));
            rest = low;
        }
        let last = c.extract(rest.width() - 1, 0);
        parts.push(self.eq(rest, &self.constant(last)));
        self.and_all(&parts)
    }

    fn eq_terms(&self, a: &Term, b: &Term) -> Term {
        if let Some((x, y)) = both_extended(a, b) {
            self.fired(Rule::EqBothExtended);
            return self.eq(x, y);
        }
        if are_complements(a, b, &Op::BvNot) {
            self.fired(Rule::EqBvNotSame);
            return self.false_();
        }
        for (x, y) in [(a, b), (b, a)] {
            if matches!(x.op(), Op::BvAdd) {
                for (p, q) in [(0, 1), (1, 0)] {
                    if x.arg(p) == y {
                        self.fired(Rule::EqAddSame);
                        let zero = self.constant(BitVec::zero(y.width()));
                        return self.eq(x.arg(q), &zero);
                    }
                }
            }
        }
        self.commutative(Op::Eq, a, b)
    }

    /// Unsigned `a < b`.
    pub fn bv_ult(&self, a: &Term, b: &Term) -> Term {
        if a == b {
            self.fired(Rule::UltSame);
            return self.false_();
        }
        let folded = self.fold_binary(&Op::BvUlt, a, b);
        if let Some(t) = folded.or_else(|| self.compare_table(&Op::BvUlt, a, b)) {
            return t;
        }
        if a.width() == 1 {
            self.fired(Rule::UltBit);
            let (zero, one) = (self.bv(1, 0), self.bv(1, 1));
            return self.and(&self.eq(a, &zero), &self.eq(b, &one));
        }
        if let Some(c) = b.as_const()
            && let Some(t) = self.ult_const(a, c)
        {
            return t;
        }
        if let Some(c) = a.as_const()
            && let Some(t) = self.const_ult(c, b)
        {
            return t;
        }
        if let Some((x, y)) = both_extended(a, b) {
            self.fired(Rule::UltBothExtended);
            return self.bv_ult(x, y);
        }
        self.binary(Op::BvUlt, a, b)
    }

    fn ult_const(&self, a: &Term, c: &BitVec) -> Option<Term> {
        if is_below(a, c) {
            self.fired(Rule::UltAbove);
            return Some(self.true_());
        }
        if c.is_zero() {
            self.fired(Rule::UltZero);
            return Some(self.false_());
        }
        if c.is_one() {
            self.fired(Rule::UltOne);
            return Some(self.eq(a, &self.constant(BitVec::zero(c.width()))));
        }
        if matches!(a.op(), Op::ZeroExtend(_)) {
            self.fired(Rule::UltZeroExtendConst);
            return Some(match as_zero_extended(c, a.arg(0).width()) {
                Some(low) => self.bv_ult(a.arg(0), &self.constant(low)),
                None => self.true_(),
            });
        }
        if c.is_ones() {
            self.fired(Rule::UltOnes);
            return Some(self.not(&self.eq(a, &self.constant(c.clone()))));
        }
        if matches!(a.op(), Op::Concat) {
            let low = a.arg(1).width();
            if c.trailing_zeros() >= low {
                self.fired(Rule::UltConcatConst);
                let high = self.constant(c.extract(c.width() - 1, low));
                return Some(self.bv_ult(a.arg(0), &high));
            }
        }
        self.ult_quotient(a, c, false)
            .or_else(|| self.is_multiple(a, c))
    }

    fn const_ult(&self, c: &BitVec, b: &Term) -> Option<Term> {
        let within = b.width() <= 64 && c.to_u64().is_some_and(|c| b.attributes().largest <= c);
        if within || c.is_ones() {
            self.fired(Rule::UltAboveLeft);
            return Some(self.false_());
        }
        if c.is_zero() {
            self.fired(Rule::UltZeroLeft);
            return Some(self.not(&self.eq(b, &self.constant(c.clone()))));
        }
        if matches!(b.op(), Op::ZeroExtend(_)) {
            self.fired(Rule::UltConstZeroExtend);
            return Some(match as_zero_extended(c, b.arg(0).width()) {
                Some(low) => self.bv_ult(&self.constant(low), b.arg(0)),
                None => self.false_(),
            });
        }
        if c.not().is_one() {
            self.fired(Rule::UltAlmostOnesLeft);
            return Some(self.eq(b, &self.constant(BitVec::ones(c.width()))));
        }
        if matches!(b.op(), Op::Concat) {
            let low = b.arg(1).width();
            if c.extract(low - 1, 0).is_ones() {
                self.fired(Rule::UltConstConcat);
                let high = self.constant(c.extract(c.width() - 1, low));
                return Some(self.bv_ult(&high, b.arg(0)));
            }
        }
        let next = c.add(&BitVec::one(c.width()));
        self.ult_quotient(b, c, true)
            .or_else(|| Some(self.not(&self.is_multiple(b, &next)?)))
    }

    /// Signed `a < b`.
    pub fn bv_slt(&self, a: &Term, b: &Term) -> Term {
        if a == b {
            self.fired(Rule::SltSame);
            return self.false_();
        }
        let folded = self.fold_binary(&Op::BvSlt, a, b);
        if let Some(t) = folded.or_else(|| self.compare_table(&Op::BvSlt, a, b)) {
            return t;
        }
        let w = a.width();
        if w == 1 {
            self.fired(Rule::SltBit);
            let (zero, one) = (self.bv(1, 0), self.bv(1, 1));
            return self.and(&self.eq(a, &one), &self.eq(b, &zero));
        }
        match (known_sign(a), known_sign(b)) {
            (Some(false), Some(false)) => {
                self.fired(Rule::SltBothZeroExtended);
                return self.bv_ult(a, b);
            }
            (Some(sa), Some(sb)) if sa != sb => {
                self.fired(Rule::SltSignKnown);
                return self.bool(sa);
            }
            _ => {}
        }
        if let Some(t) = self.slt_const(a, b) {
            return t;
        }
        if let (Op::SignExtend(n), Op::SignExtend(m)) = (a.op(), b.op())
            && n == m
        {
            self.fired(Rule::SltBothSignExtended);
            return self.bv_slt(a.arg(0), b.arg(0));
        }
        self.binary(Op::BvSlt, a, b)
    }

    fn slt_const(&self, a: &Term, b: &Term) -> Option<Term> {
        if let Some(c) = b.as_const() {
            if *c == BitVec::min_signed(c.width()) {
                self.fired(Rule::SltMin);
                return Some(self.false_());
            }
            if matches!(a.op(), Op::SignExtend(_)) {
                self.fired(Rule::SltSignExtendConst);
                return Some(match as_sign_extended(c, a.arg(0).width()) {
                    Some(low) => self.bv_slt(a.arg(0), &self.constant(low)),
                    // c is beyond everything that can be extended: above if positive.
                    None => self.bool(!c.msb()),
                });
            }
            if let Some((x, y)) = exact_difference(a) {
                if c.is_zero() {
                    self.fired(Rule::SltDifferenceZero);
                    return Some(self.bv_slt(x, y));
                }
                if *c == BitVec::one(c.width()) {
                    self.fired(Rule::SltDifferenceOne);
                    return Some(self.not(&self.bv_slt(y, x)));
                }
            }
            return self.slt_quotient(a, c, false);
        }
        if let Some(c) = a.as_const() {
            if *c == BitVec::max_signed(c.width()) {
                self.fired(Rule::SltMaxLeft);
                return Some(self.false_());
            }
            if matches!(b.op(), Op::SignExtend(_)) {
                self.fired(Rule::SltConstSignExtend);
                return Some(match as_sign_extended(c, b.arg(0).width()) {
                    Some(low) => self.bv_slt(&self.constant(low), b.arg(0)),
                    None => self.bool(c.msb()),
                });
            }
            if let Some((x, y)) = exact_difference(b) {
                if c.is_zero() {
                    self.fired(Rule::SltZeroDifference);
                    return Some(self.bv_slt(y, x));
                }
                if c.is_ones() {
                    self.fired(Rule::SltOnesDifference);
                    return Some(self.not(&self.bv_slt(x, y)));
                }
            }
            return self.slt_quotient(b, c, true);
        }
        None
    }
}
