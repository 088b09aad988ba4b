//! Comparisons, and the overflow predicates of SMT-LIB 2.7.
//!
//! An overflow predicate says that the exact result of an operation has no
//! representation in the width. For multiplication that exact result is
//! computed; for the others the signs of the operands are enough to tell.

use std::cmp::Ordering;

use crate::bits::sign_extended;
use crate::limbs;
use crate::repr::{BitVec, Pair, mask};

impl BitVec {
    #[inline]
    #[track_caller]
    fn unsigned_cmp(&self, other: &BitVec) -> Ordering {
        match self.pair(other) {
            Pair::Small(a, b) => a.cmp(&b),
            Pair::Wide(a, b) => limbs::compare(a, b),
        }
    }

    #[inline]
    #[track_caller]
    fn signed_cmp(&self, other: &BitVec) -> Ordering {
        match self.pair(other) {
            Pair::Small(a, b) => {
                sign_extended(self.width(), a).cmp(&sign_extended(self.width(), b))
            }
            // A set sign bit means smaller; with equal signs two's complement
            // orders as unsigned.
            Pair::Wide(a, b) => other
                .msb()
                .cmp(&self.msb())
                .then_with(|| limbs::compare(a, b)),
        }
    }

    /// `bvcomp`: one bit, 1 exactly when the operands are equal.
    #[inline]
    #[track_caller]
    pub fn comp(&self, other: &BitVec) -> BitVec {
        BitVec::from_bool(self.unsigned_cmp(other).is_eq())
    }

    /// `bvult`: unsigned less than.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn ult(&self, other: &BitVec) -> bool {
        self.unsigned_cmp(other).is_lt()
    }

    /// `bvule`: unsigned less than or equal.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn ule(&self, other: &BitVec) -> bool {
        self.unsigned_cmp(other).is_le()
    }

    /// `bvugt`: unsigned greater than.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn ugt(&self, other: &BitVec) -> bool {
        self.unsigned_cmp(other).is_gt()
    }

    /// `bvuge`: unsigned greater than or equal.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn uge(&self, other: &BitVec) -> bool {
        self.unsigned_cmp(other).is_ge()
    }

    /// `bvslt`: signed less than.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn slt(&self, other: &BitVec) -> bool {
        self.signed_cmp(other).is_lt()
    }

    /// `bvsle`: signed less than or equal.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn sle(&self, other: &BitVec) -> bool {
        self.signed_cmp(other).is_le()
    }

    /// `bvsgt`: signed greater than.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn sgt(&self, other: &BitVec) -> bool {
        self.signed_cmp(other).is_gt()
    }

    /// `bvsge`: signed greater than or equal.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn sge(&self, other: &BitVec) -> bool {
        self.signed_cmp(other).is_ge()
    }

    /// `bvnego`: negation overflows, which it does for the most negative value
    /// only.
    #[inline]
    #[must_use]
    pub fn nego(&self) -> bool {
        self.exact_log2() == Some(self.width() - 1)
    }

    /// `bvuaddo`: unsigned addition overflows.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn uaddo(&self, other: &BitVec) -> bool {
        // `!other` is how much room there is above `other`.
        self.ugt(&other.not())
    }

    /// `bvsaddo`: signed addition overflows, upwards or downwards.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn saddo(&self, other: &BitVec) -> bool {
        // Only operands of one sign can, and then the sign comes out wrong.
        let sum = self.add(other);
        self.msb() == other.msb() && sum.msb() != self.msb()
    }

    /// `bvumulo`: unsigned multiplication overflows.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn umulo(&self, other: &BitVec) -> bool {
        match self.pair(other) {
            Pair::Small(a, b) => u128::from(a) * u128::from(b) > u128::from(mask(self.width())),
            Pair::Wide(a, b) => limbs::bit_length(&full_product(a, b)) > u64::from(self.width()),
        }
    }

    /// `bvsmulo`: signed multiplication overflows, upwards or downwards.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn smulo(&self, other: &BitVec) -> bool {
        match self.pair(other) {
            Pair::Small(a, b) => {
                let a = i128::from(sign_extended(self.width(), a));
                let b = i128::from(sign_extended(self.width(), b));
                let bound = 1i128 << (self.width() - 1);
                !(-bound..bound).contains(&(a * b))
            }
            Pair::Wide(..) => {
                let magnitude = full_product(self.abs().limbs(), other.abs().limbs());
                let length = limbs::bit_length(&magnitude);
                let width = u64::from(self.width());
                // Below 2^(width-1) either sign fits; that value itself fits
                // when negative.
                if length < width {
                    return false;
                }
                let is_bound = length == width
                    && magnitude.iter().map(|limb| limb.count_ones()).sum::<u32>() == 1;
                !(is_bound && self.msb() != other.msb())
            }
        }
    }

    /// `bvusubo`: unsigned subtraction goes below zero.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn usubo(&self, other: &BitVec) -> bool {
        self.ult(other)
    }

    /// `bvssubo`: signed subtraction overflows, upwards or downwards.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn ssubo(&self, other: &BitVec) -> bool {
        // Only operands of different signs can, and then the sign comes out
        // wrong.
        let difference = self.sub(other);
        self.msb() != other.msb() && difference.msb() != self.msb()
    }

    /// `bvsdivo`: signed division overflows, which it does for the most
    /// negative value divided by -1 only.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn sdivo(&self, other: &BitVec) -> bool {
        self.require_same_width(other);
        self.nego() && other.is_ones()
    }
}

/// The product without any wrapping.
fn full_product(a: &[u64], b: &[u64]) -> Vec<u64> {
    limbs::mul(a, b, a.len() + b.len())
}
