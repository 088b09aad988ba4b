//! Extraction, concatenation and extension.
//!
//! Canonical form of a concatenation: to the right, no zero constant on top (that is a zero
//! extension), no two adjacent constants, no two adjacent extractions that join.

use crate::{Op, Rule, Term, TermStore};
use cairn_bv::BitVec;

/// `(extract hi m+1 x)` and `(extract m lo x)`: the joined range.
fn joined(a: &Term, b: &Term) -> Option<(Term, u32, u32)> {
    match (a.op(), b.op()) {
        (Op::Extract { hi, lo }, Op::Extract { hi: m, lo: low })
            if a.arg(0) == b.arg(0) && *lo == m + 1 =>
        {
            Some((a.arg(0).clone(), *hi, *low))
        }
        _ => None,
    }
}

/// Whether an operand of low-bit arithmetic gets no larger by taking its low `k + 1` bits.
fn narrows(t: &Term, k: u32) -> bool {
    match t.op() {
        Op::Const(_) => true,
        Op::ZeroExtend(_) | Op::SignExtend(_) => t.arg(0).width() <= k + 1,
        _ => false,
    }
}

impl TermStore {
    /// Bits `hi` down to `lo` of `a`.
    pub fn extract(&self, a: &Term, hi: u32, lo: u32) -> Term {
        debug_assert!(lo <= hi && hi < a.width());
        let (mut a, mut hi, mut lo) = (a.clone(), hi, lo);
        // Descends as long as all bits lie in one operand.
        loop {
            if lo == 0 && hi == a.width() - 1 {
                self.fired(Rule::ExtractAll);
                return self.standing_alone(a);
            }
            let next = match a.op() {
                Op::Extract { lo: inner, .. } => {
                    self.fired(Rule::ExtractExtract);
                    hi += inner;
                    lo += inner;
                    a.arg(0).clone()
                }
                Op::Concat => {
                    let split = a.arg(1).width();
                    if lo >= split {
                        self.fired(Rule::ExtractConcatHigh);
                        hi -= split;
                        lo -= split;
                        a.arg(0).clone()
                    } else if hi < split {
                        self.fired(Rule::ExtractConcatLow);
                        a.arg(1).clone()
                    } else if let Some(_nested) = self.nest() {
                        return self.extract_across(&a, hi, lo);
                    } else {
                        break;
                    }
                }
                Op::ZeroExtend(_) | Op::SignExtend(_) if hi < a.arg(0).width() => {
                    self.fired(Rule::ExtractExtendLow);
                    a.arg(0).clone()
                }
                _ => break,
            };
            a = next;
        }
        let folded = self.fold_unary(&Op::Extract { hi, lo }, &a);
        if let Some(t) = folded.or_else(|| self.extract_table(&a, hi, lo)) {
            return t;
        }
        if let Some(_nested) = self.nest()
            && let Some(t) = self
                .extract_extended(&a, hi, lo)
                .or_else(|| self.extract_operator(&a, hi, lo))
        {
            return t;
        }
        self.unary(Op::Extract { hi, lo }, &a)
    }

    /// Bits on both sides of a concatenation, along the chain in a loop.
    fn extract_across(&self, a: &Term, hi: u32, lo: u32) -> Term {
        let mut parts = Vec::new();
        let mut rest = a.clone();
        let mut hi = hi;
        while matches!(rest.op(), Op::Concat) {
            let split = rest.arg(1).width();
            if hi >= split {
                self.fired(Rule::ExtractConcatBoth);
                if lo >= split {
                    parts.push(self.extract(rest.arg(0), hi - split, lo - split));
                    break;
                }
                parts.push(self.extract(rest.arg(0), hi - split, 0));
                hi = split - 1;
            }
            let next = rest.arg(1).clone();
            rest = next;
        }
        let mut result = if matches!(rest.op(), Op::Concat) {
            parts.pop().expect("the loop ended inside a high part")
        } else {
            self.extract(&rest, hi, lo)
        };
        while let Some(part) = parts.pop() {
            result = self.concat(&part, &result);
        }
        result
    }

    fn extract_extended(&self, a: &Term, hi: u32, lo: u32) -> Option<Term> {
        let signed = match a.op() {
            Op::ZeroExtend(_) => false,
            Op::SignExtend(_) => true,
            _ => return None,
        };
        let x = a.arg(0);
        let w = x.width();
        let len = hi - lo + 1;
        // `hi` is above x here: lower ones were taken before.
        if lo < w {
            self.fired(Rule::ExtractExtendBoth);
            let part = self.extract(x, w - 1, lo);
            let extra = len - part.width();
            return Some(if signed {
                self.sign_extend(&part, extra)
            } else {
                self.zero_extend(&part, extra)
            });
        }
        if signed {
            self.fired(Rule::ExtractSignExtendHigh);
            Some(self.sign_extend(&self.extract(x, w - 1, w - 1), len - 1))
        } else {
            self.fired(Rule::ExtractZeroExtendHigh);
            Some(self.constant(BitVec::zero(len)))
        }
    }

    /// Pushes an extraction below an operator where that makes the term smaller. One level only:
    /// an operand that is itself such an operator is left alone, so that no chain is walked.
    fn extract_operator(&self, a: &Term, hi: u32, lo: u32) -> Option<Term> {
        let shallow = |t: &Term| {
            !matches!(
                t.op(),
                Op::BvNot | Op::BvAnd | Op::BvOr | Op::BvXor | Op::BvAdd | Op::BvMul | Op::BvNeg
            )
        };
        match a.op() {
            Op::BvNot if shallow(a.arg(0)) => {
                self.fired(Rule::ExtractNot);
                Some(self.bv_not(&self.extract(a.arg(0), hi, lo)))
            }
            Op::BvAnd | Op::BvOr | Op::BvXor
                if a.arg(1).as_const().is_some() && shallow(a.arg(0)) =>
            {
                self.fired(Rule::ExtractBitwiseConst);
                let x = self.extract(a.arg(0), hi, lo);
                let c = self.extract(a.arg(1), hi, lo);
                Some(match a.op() {
                    Op::BvAnd => self.bv_and(&x, &c),
                    Op::BvOr => self.bv_or(&x, &c),
                    _ => self.bv_xor(&x, &c),
                })
            }
            Op::BvAdd | Op::BvMul | Op::BvNeg
                if lo == 0 && a.args().iter().all(|t| narrows(t, hi)) =>
            {
                self.fired(Rule::ExtractLowArith);
                let x = self.extract(a.arg(0), hi, 0);
                Some(match a.op() {
                    Op::BvAdd => self.bv_add(&x, &self.extract(a.arg(1), hi, 0)),
                    Op::BvMul => self.bv_mul(&x, &self.extract(a.arg(1), hi, 0)),
                    _ => self.bv_neg(&x),
                })
            }
            _ => None,
        }
    }

    /// `a` above `b`.
    pub fn concat(&self, a: &Term, b: &Term) -> Term {
        // A left chain is taken apart and put on top of `b` from its lowest part upward.
        let mut high: Vec<Term> = Vec::new();
        let mut top = a.clone();
        let mut zeros = 0;
        loop {
            match top.op() {
                Op::Concat => {
                    self.fired(Rule::ConcatRight);
                    high.push(top.arg(0).clone());
                    let next = top.arg(1).clone();
                    top = next;
                }
                Op::ZeroExtend(n) if high.is_empty() => {
                    self.fired(Rule::ConcatZeroExtend);
                    zeros += n;
                    let next = top.arg(0).clone();
                    top = next;
                }
                _ => break,
            }
        }
        let mut result = self.concat_part(&top, b);
        while let Some(part) = high.pop() {
            result = self.concat_part(&part, &result);
        }
        if zeros > 0 {
            result = self.zero_extend(&result, zeros);
        }
        result
    }

    /// Puts one part that is not a concatenation on top of a canonical term.
    fn concat_part(&self, a: &Term, b: &Term) -> Term {
        if let (Some(x), Some(y)) = (a.as_const(), b.as_const()) {
            return self.constant(x.concat(y));
        }
        if let Some(x) = a.as_const() {
            if x.is_zero() {
                self.fired(Rule::ConcatZero);
                return self.zero_extend(b, x.width());
            }
            if matches!(b.op(), Op::Concat)
                && let Some(y) = b.arg(0).as_const()
            {
                self.fired(Rule::ConcatConstants);
                return self.concat_part(&self.constant(x.concat(y)), b.arg(1));
            }
            if let Op::ZeroExtend(n) = b.op() {
                self.fired(Rule::ConcatConstZeroExtend);
                let c = self.constant(x.concat(&BitVec::zero(*n)));
                return self.concat_part(&c, b.arg(0));
            }
        }
        if let Some((x, hi, lo)) = joined(a, b) {
            self.fired(Rule::ConcatExtracts);
            return self.extract(&x, hi, lo);
        }
        if matches!(b.op(), Op::Concat)
            && let Some((x, hi, lo)) = joined(a, b.arg(0))
        {
            self.fired(Rule::ConcatExtractsInner);
            return self.concat(&self.extract(&x, hi, lo), b.arg(1));
        }
        if let Op::ZeroExtend(n) = b.op() {
            // Inside a concatenation zeros are a constant part, so that parts stay comparable.
            let mut zeros = BitVec::zero(*n);
            let mut rest = b.arg(0);
            if matches!(rest.op(), Op::Concat)
                && let Some(c) = rest.arg(0).as_const()
            {
                zeros = zeros.concat(c);
                rest = rest.arg(1);
            }
            let inner = self.binary(Op::Concat, &self.constant(zeros), rest);
            return self.binary(Op::Concat, a, &inner);
        }
        self.binary(Op::Concat, a, b)
    }

    /// The tail of a concatenation may start with zeros; standing alone it is a zero extension.
    fn standing_alone(&self, t: Term) -> Term {
        if matches!(t.op(), Op::Concat)
            && let Some(c) = t.arg(0).as_const()
            && c.is_zero()
        {
            return self.zero_extend(t.arg(1), c.width());
        }
        t
    }

    /// Zero extension by `n` bits.
    pub fn zero_extend(&self, a: &Term, n: u32) -> Term {
        if n == 0 {
            self.fired(Rule::ExtendByNothing);
            return a.clone();
        }
        if let Some(t) = self.fold_unary(&Op::ZeroExtend(n), a) {
            return t;
        }
        if let Op::ZeroExtend(m) = a.op() {
            self.fired(Rule::ZeroExtendTwice);
            return self.unary(Op::ZeroExtend(n + m), a.arg(0));
        }
        if matches!(a.op(), Op::Concat)
            && let Some(c) = a.arg(0).as_const()
            && c.is_zero()
        {
            self.fired(Rule::ConcatZero);
            return self.zero_extend(a.arg(1), n + c.width());
        }
        self.unary(Op::ZeroExtend(n), a)
    }

    /// Sign extension by `n` bits.
    pub fn sign_extend(&self, a: &Term, n: u32) -> Term {
        if n == 0 {
            self.fired(Rule::ExtendByNothing);
            return a.clone();
        }
        if let Some(t) = self.fold_unary(&Op::SignExtend(n), a) {
            return t;
        }
        if super::known_sign(a) == Some(false) {
            self.fired(Rule::SignExtendNonNegative);
            return self.zero_extend(a, n);
        }
        if let Op::SignExtend(m) = a.op() {
            self.fired(Rule::SignExtendTwice);
            return self.unary(Op::SignExtend(n + m), a.arg(0));
        }
        self.unary(Op::SignExtend(n), a)
    }
}
