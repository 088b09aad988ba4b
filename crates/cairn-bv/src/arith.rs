//! Arithmetic: addition, multiplication and the division family.
//!
//! The signed divisions are written as the standard defines them, by cases on
//! the signs over the unsigned ones, so that what they give for a zero divisor
//! and for the most negative value follows from those definitions instead of
//! being a special case here.

use crate::limbs;
use crate::repr::{BitVec, Pair};

impl BitVec {
    /// `bvneg`: `2^width - self`, wrapped.
    #[inline]
    pub fn neg(&self) -> BitVec {
        match self.inline_value() {
            Some(value) => BitVec::small(self.width(), value.wrapping_neg()),
            None => BitVec::zero(self.width()).sub(self),
        }
    }

    /// `bvadd`: sum modulo `2^width`.
    #[inline]
    #[track_caller]
    pub fn add(&self, other: &BitVec) -> BitVec {
        match self.pair(other) {
            Pair::Small(a, b) => BitVec::small(self.width(), a.wrapping_add(b)),
            Pair::Wide(a, b) => BitVec::from_limb_vec(self.width(), limbs::add(a, b)),
        }
    }

    /// `bvsub`: difference modulo `2^width`.
    #[inline]
    #[track_caller]
    pub fn sub(&self, other: &BitVec) -> BitVec {
        match self.pair(other) {
            Pair::Small(a, b) => BitVec::small(self.width(), a.wrapping_sub(b)),
            Pair::Wide(a, b) => BitVec::from_limb_vec(self.width(), limbs::sub(a, b)),
        }
    }

    /// `bvmul`: product modulo `2^width`.
    #[inline]
    #[track_caller]
    pub fn mul(&self, other: &BitVec) -> BitVec {
        match self.pair(other) {
            Pair::Small(a, b) => BitVec::small(self.width(), a.wrapping_mul(b)),
            Pair::Wide(a, b) => BitVec::from_limb_vec(self.width(), limbs::mul(a, b, a.len())),
        }
    }

    /// `bvudiv`: unsigned quotient; all ones when dividing by zero.
    #[inline]
    #[track_caller]
    pub fn udiv(&self, other: &BitVec) -> BitVec {
        match self.pair(other) {
            Pair::Small(a, b) => BitVec::small(self.width(), a.checked_div(b).unwrap_or(u64::MAX)),
            Pair::Wide(a, b) => {
                if other.is_zero() {
                    return BitVec::ones(self.width());
                }
                BitVec::from_limb_vec(self.width(), limbs::div_rem(a, b).0)
            }
        }
    }

    /// `bvurem`: unsigned remainder; the dividend when dividing by zero.
    #[inline]
    #[track_caller]
    pub fn urem(&self, other: &BitVec) -> BitVec {
        match self.pair(other) {
            Pair::Small(a, b) => BitVec::small(self.width(), a.checked_rem(b).unwrap_or(a)),
            Pair::Wide(a, b) => {
                if other.is_zero() {
                    return self.clone();
                }
                BitVec::from_limb_vec(self.width(), limbs::div_rem(a, b).1)
            }
        }
    }

    /// The absolute value, read as unsigned: that of the most negative value is
    /// itself, `2^(width-1)`.
    #[inline]
    pub(crate) fn abs(&self) -> BitVec {
        if self.msb() { self.neg() } else { self.clone() }
    }

    /// `bvsdiv`: signed quotient, rounded towards zero. Dividing by zero gives
    /// -1 for a dividend that is not negative and 1 for a negative one; the
    /// most negative value divided by -1 is itself.
    #[inline]
    #[track_caller]
    pub fn sdiv(&self, other: &BitVec) -> BitVec {
        let magnitude = self.abs().udiv(&other.abs());
        if self.msb() == other.msb() {
            magnitude
        } else {
            magnitude.neg()
        }
    }

    /// `bvsrem`: signed remainder with the sign of the dividend; the dividend
    /// when dividing by zero.
    #[inline]
    #[track_caller]
    pub fn srem(&self, other: &BitVec) -> BitVec {
        let magnitude = self.abs().urem(&other.abs());
        if self.msb() {
            magnitude.neg()
        } else {
            magnitude
        }
    }

    /// `bvsmod`: signed remainder with the sign of the divisor; the dividend
    /// when dividing by zero.
    #[inline]
    #[track_caller]
    pub fn smod(&self, other: &BitVec) -> BitVec {
        let magnitude = self.abs().urem(&other.abs());
        if magnitude.is_zero() {
            return magnitude;
        }
        match (self.msb(), other.msb()) {
            (false, false) => magnitude,
            (true, false) => magnitude.neg().add(other),
            (false, true) => magnitude.add(other),
            (true, true) => magnitude.neg(),
        }
    }
}
