//! Shifts. By a constant they are concatenations and extractions.

use super::known_sign;
use crate::{Op, Rule, Term, TermStore};
use cairn_bv::BitVec;

impl TermStore {
    /// The constant amount if it is below the width; `Err` if the whole value is shifted out.
    fn shift_amount(&self, a: &Term, b: &Term) -> Option<Result<u32, ()>> {
        let c = b.as_const()?;
        Some(match c.to_u64() {
            Some(k) if k < u64::from(a.width()) => Ok(k as u32),
            Some(_) | None => Err(()),
        })
    }

    fn shift_common(&self, op: &Op, a: &Term, b: &Term) -> Option<Term> {
        if let Some(t) = self.fold_binary(op, a, b) {
            return Some(t);
        }
        if b.as_const().is_some_and(BitVec::is_zero) {
            self.fired(Rule::ShiftZero);
            return Some(a.clone());
        }
        if a.as_const().is_some_and(BitVec::is_zero) {
            self.fired(Rule::ShiftOfZero);
            return Some(a.clone());
        }
        None
    }

    /// Shift left; zero if `b` is at least the width.
    pub fn bv_shl(&self, a: &Term, b: &Term) -> Term {
        if let Some(t) = self.shift_common(&Op::BvShl, a, b) {
            return t;
        }
        match self.shift_amount(a, b) {
            Some(Ok(k)) => {
                self.fired(Rule::ShlConst);
                let kept = self.extract(a, a.width() - 1 - k, 0);
                self.concat(&kept, &self.constant(BitVec::zero(k)))
            }
            Some(Err(())) => {
                self.fired(Rule::ShiftOut);
                self.constant(BitVec::zero(a.width()))
            }
            None => self.binary(Op::BvShl, a, b),
        }
    }

    /// Logical shift right.
    pub fn bv_lshr(&self, a: &Term, b: &Term) -> Term {
        if let Some(t) = self.shift_common(&Op::BvLshr, a, b) {
            return t;
        }
        match self.shift_amount(a, b) {
            Some(Ok(k)) => {
                self.fired(Rule::LshrConst);
                self.zero_extend(&self.extract(a, a.width() - 1, k), k)
            }
            Some(Err(())) => {
                self.fired(Rule::ShiftOut);
                self.constant(BitVec::zero(a.width()))
            }
            None => self.binary(Op::BvLshr, a, b),
        }
    }

    /// Arithmetic shift right.
    pub fn bv_ashr(&self, a: &Term, b: &Term) -> Term {
        if let Some(t) = self.shift_common(&Op::BvAshr, a, b) {
            return t;
        }
        let w = a.width();
        match self.shift_amount(a, b) {
            Some(Ok(k)) => {
                self.fired(Rule::AshrConst);
                return self.sign_extend(&self.extract(a, w - 1, k), k);
            }
            Some(Err(())) => {
                self.fired(Rule::AshrOut);
                return self.sign_extend(&self.extract(a, w - 1, w - 1), w - 1);
            }
            None => {}
        }
        if known_sign(a) == Some(false) {
            self.fired(Rule::AshrNonNegative);
            return self.bv_lshr(a, b);
        }
        self.binary(Op::BvAshr, a, b)
    }
}
