//! Unsigned integers of 256 bits: room for the exact product of two significands.
//!
//! Shifts to the right *jam*: the lowest bit of the result is set if any one was shifted out.
//! A significand with some bits to spare that was jammed rounds as the exact one does, because
//! rounding only asks whether anything non-zero is below the half.

use std::cmp::Ordering;

/// An unsigned integer of 256 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct U256 {
    high: u128,
    low: u128,
}

impl U256 {
    /// Zero.
    pub(crate) const ZERO: U256 = U256 { high: 0, low: 0 };

    /// The same number.
    pub(crate) fn new(value: u128) -> U256 {
        U256 {
            high: 0,
            low: value,
        }
    }

    /// The exact product.
    pub(crate) fn product(a: u128, b: u128) -> U256 {
        let mask = u128::from(u64::MAX);
        let (a1, a0, b1, b0) = (a >> 64, a & mask, b >> 64, b & mask);
        let lowest = a0 * b0;
        // Each cross product is at most (2^64 - 1)^2, so it takes two more words in.
        let middle = a1 * b0 + (lowest >> 64);
        let other = a0 * b1 + (middle & mask);
        U256 {
            high: a1 * b1 + (middle >> 64) + (other >> 64),
            low: (other << 64) | (lowest & mask),
        }
    }

    /// It is zero.
    pub(crate) fn is_zero(self) -> bool {
        self.high == 0 && self.low == 0
    }

    /// The low half.
    pub(crate) fn low(self) -> u128 {
        self.low
    }

    /// Position of the highest one; `None` of zero.
    pub(crate) fn top(self) -> Option<u32> {
        match (self.high, self.low) {
            (0, 0) => None,
            (0, low) => Some(127 - low.leading_zeros()),
            (high, _) => Some(255 - high.leading_zeros()),
        }
    }

    /// Shifted left; no one may leave at the top.
    pub(crate) fn shl(self, by: u32) -> U256 {
        match by {
            0 => self,
            1..=127 => U256 {
                high: (self.high << by) | (self.low >> (128 - by)),
                low: self.low << by,
            },
            _ => U256 {
                high: self.low.checked_shl(by - 128).unwrap_or(0),
                low: 0,
            },
        }
    }

    /// Shifted right, with the lowest bit set if any one was shifted out.
    pub(crate) fn shr_jam(self, by: u32) -> U256 {
        let (shifted, lost) = match by {
            0 => return self,
            1..=127 => (
                U256 {
                    high: self.high >> by,
                    low: (self.low >> by) | (self.high << (128 - by)),
                },
                self.low << (128 - by) != 0,
            ),
            128 => (U256::new(self.high), self.low != 0),
            129..=255 => (
                U256::new(self.high >> (by - 128)),
                self.low != 0 || self.high << (256 - by) != 0,
            ),
            256.. => (U256::ZERO, !self.is_zero()),
        };
        U256 {
            high: shifted.high,
            low: shifted.low | u128::from(lost),
        }
    }

    /// Sum; it may not overflow.
    pub(crate) fn plus(self, other: U256) -> U256 {
        let (low, carry) = self.low.overflowing_add(other.low);
        U256 {
            high: self.high + other.high + u128::from(carry),
            low,
        }
    }

    /// Difference from a number that is not larger.
    pub(crate) fn minus(self, other: U256) -> U256 {
        let (low, borrow) = self.low.overflowing_sub(other.low);
        U256 {
            high: self.high - other.high - u128::from(borrow),
            low,
        }
    }

    /// Order as numbers.
    pub(crate) fn order(self, other: U256) -> Ordering {
        (self.high, self.low).cmp(&(other.high, other.low))
    }
}
