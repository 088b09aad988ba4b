//! Operators on the bits themselves: bitwise logic, shifts, and taking vectors
//! apart and putting them together.
//!
//! Every operator that makes a vector wider goes through `checked_width`, so
//! the bound on widths cannot be passed by composing operators.

use crate::limbs;
use crate::repr::{BitVec, Pair, checked_width, limb_count, mask};

impl BitVec {
    /// Applies a limb-wise operation; bits it sets above the width are dropped.
    #[inline]
    #[track_caller]
    fn bitwise(&self, other: &BitVec, op: impl Fn(u64, u64) -> u64) -> BitVec {
        match self.pair(other) {
            Pair::Small(a, b) => BitVec::small(self.width(), op(a, b)),
            Pair::Wide(a, b) => {
                let limbs = a.iter().zip(b).map(|(&x, &y)| op(x, y)).collect();
                BitVec::from_limb_vec(self.width(), limbs)
            }
        }
    }

    /// `bvnot`: every bit flipped.
    #[inline]
    pub fn not(&self) -> BitVec {
        match self.inline_value() {
            Some(value) => BitVec::small(self.width(), !value),
            None => {
                let limbs = self.limbs().iter().map(|&limb| !limb).collect();
                BitVec::from_limb_vec(self.width(), limbs)
            }
        }
    }

    /// `bvand`.
    #[inline]
    #[track_caller]
    pub fn and(&self, other: &BitVec) -> BitVec {
        self.bitwise(other, |a, b| a & b)
    }

    /// `bvor`.
    #[inline]
    #[track_caller]
    pub fn or(&self, other: &BitVec) -> BitVec {
        self.bitwise(other, |a, b| a | b)
    }

    /// `bvxor`.
    #[inline]
    #[track_caller]
    pub fn xor(&self, other: &BitVec) -> BitVec {
        self.bitwise(other, |a, b| a ^ b)
    }

    /// `bvnand`.
    #[inline]
    #[track_caller]
    pub fn nand(&self, other: &BitVec) -> BitVec {
        self.bitwise(other, |a, b| !(a & b))
    }

    /// `bvnor`.
    #[inline]
    #[track_caller]
    pub fn nor(&self, other: &BitVec) -> BitVec {
        self.bitwise(other, |a, b| !(a | b))
    }

    /// `bvxnor` of two operands.
    #[inline]
    #[track_caller]
    pub fn xnor(&self, other: &BitVec) -> BitVec {
        self.bitwise(other, |a, b| !(a ^ b))
    }

    /// The value as a shift amount, if it is below the width.
    #[inline]
    fn shift_amount(&self) -> Option<u32> {
        match self.to_u64() {
            Some(amount) if amount < u64::from(self.width()) => Some(amount as u32),
            Some(_) | None => None,
        }
    }

    /// `bvshl`: multiplication by `2^amount`; zero from the width on.
    #[inline]
    #[track_caller]
    pub fn shl(&self, amount: &BitVec) -> BitVec {
        match self.pair(amount) {
            Pair::Small(a, n) if n < u64::from(self.width()) => BitVec::small(self.width(), a << n),
            Pair::Small(..) => BitVec::small(self.width(), 0),
            Pair::Wide(a, _) => {
                let mut limbs = vec![0; a.len()];
                if let Some(n) = amount.shift_amount() {
                    limbs::or_shifted(&mut limbs, a, u64::from(n));
                }
                BitVec::from_limb_vec(self.width(), limbs)
            }
        }
    }

    /// `bvlshr`: unsigned division by `2^amount`; zero from the width on.
    #[inline]
    #[track_caller]
    pub fn lshr(&self, amount: &BitVec) -> BitVec {
        match self.pair(amount) {
            Pair::Small(a, n) if n < u64::from(self.width()) => BitVec::small(self.width(), a >> n),
            Pair::Small(..) => BitVec::small(self.width(), 0),
            Pair::Wide(..) => match amount.shift_amount() {
                Some(0) => self.clone(),
                Some(n) => self.extract(self.width() - 1, n).zext(n),
                None => BitVec::zero(self.width()),
            },
        }
    }

    /// `bvashr`: right shift filling with the most significant bit; only copies
    /// of that bit from the width on.
    #[inline]
    #[track_caller]
    pub fn ashr(&self, amount: &BitVec) -> BitVec {
        match self.pair(amount) {
            Pair::Small(a, n) => {
                // Saturating at 63 is enough: by then only sign bits are left.
                let n = n.min(63);
                BitVec::small(self.width(), (sign_extended(self.width(), a) >> n) as u64)
            }
            Pair::Wide(..) => match amount.shift_amount() {
                Some(0) => self.clone(),
                Some(n) => self.extract(self.width() - 1, n).sext(n),
                None if self.msb() => BitVec::ones(self.width()),
                None => BitVec::zero(self.width()),
            },
        }
    }

    /// `concat`: `self` becomes the high bits, `low` the low ones.
    ///
    /// # Panics
    /// Like every operator that makes a wider vector, if the result would be
    /// wider than [`MAX_WIDTH`](Self::MAX_WIDTH).
    #[inline]
    #[track_caller]
    pub fn concat(&self, low: &BitVec) -> BitVec {
        let width = checked_width(u64::from(self.width()) + u64::from(low.width()));
        if width <= 64 {
            // The high part has a bit, so the low part has at most 63.
            return BitVec::small(width, self.low_u64() << low.width() | low.low_u64());
        }
        let mut limbs = vec![0; limb_count(width)];
        limbs::or_shifted(&mut limbs, low.limbs(), 0);
        limbs::or_shifted(&mut limbs, self.limbs(), u64::from(low.width()));
        BitVec::from_limb_vec(width, limbs)
    }

    /// `(_ extract hi lo)`: bits `hi` down to `lo`, both included.
    ///
    /// # Panics
    /// Unless `lo <= hi < width`.
    #[inline]
    #[track_caller]
    pub fn extract(&self, hi: u32, lo: u32) -> BitVec {
        assert!(lo <= hi && hi < self.width(), "extraction out of range");
        let width = hi - lo + 1;
        match self.inline_value() {
            Some(value) => BitVec::small(width, value >> lo),
            None if width <= 64 => BitVec::small(width, limbs::window(self.limbs(), u64::from(lo))),
            None => {
                let limbs = (0..limb_count(width) as u64)
                    .map(|i| limbs::window(self.limbs(), u64::from(lo) + 64 * i))
                    .collect();
                BitVec::from_limb_vec(width, limbs)
            }
        }
    }

    /// `(_ zero_extend extra)`.
    #[inline]
    #[track_caller]
    pub fn zext(&self, extra: u32) -> BitVec {
        let width = checked_width(u64::from(self.width()) + u64::from(extra));
        if width <= 64 {
            BitVec::small(width, self.low_u64())
        } else {
            BitVec::from_limbs(width, self.limbs())
        }
    }

    /// `(_ sign_extend extra)`.
    #[inline]
    #[track_caller]
    pub fn sext(&self, extra: u32) -> BitVec {
        let width = checked_width(u64::from(self.width()) + u64::from(extra));
        if width <= 64 {
            let value = sign_extended(self.width(), self.low_u64());
            BitVec::small(width, value as u64)
        } else if self.msb() {
            // Extending the complement with zeros extends the value with ones.
            self.not().zext(extra).not()
        } else {
            self.zext(extra)
        }
    }

    /// `(_ rotate_left n)`, for any `n`: it counts modulo the width.
    #[inline]
    pub fn rotate_left(&self, n: u32) -> BitVec {
        let width = self.width();
        let n = n % width;
        if n == 0 {
            return self.clone();
        }
        match self.inline_value() {
            Some(value) => BitVec::small(width, value << n | value >> (width - n)),
            None => self
                .extract(width - n - 1, 0)
                .concat(&self.extract(width - 1, width - n)),
        }
    }

    /// `(_ rotate_right n)`, for any `n`: it counts modulo the width.
    #[inline]
    pub fn rotate_right(&self, n: u32) -> BitVec {
        self.rotate_left(self.width() - n % self.width())
    }

    /// `(_ repeat n)`: `n` copies side by side.
    ///
    /// # Panics
    /// If `n` is zero, or the result too wide.
    #[track_caller]
    pub fn repeat(&self, n: u32) -> BitVec {
        let width = checked_width(u64::from(self.width()) * u64::from(n));
        if width <= 64 {
            // One factor with a bit at the start of every copy.
            let starts = (0..n).fold(0, |bits, i| bits | 1u64 << (i * self.width()));
            return BitVec::small(width, self.low_u64() * starts);
        }
        let mut limbs = vec![0; limb_count(width)];
        for i in 0..u64::from(n) {
            limbs::or_shifted(&mut limbs, self.limbs(), i * u64::from(self.width()));
        }
        BitVec::from_limb_vec(width, limbs)
    }
}

/// The two's complement reading of a value of `width` bits, at most 64.
#[inline]
pub(crate) fn sign_extended(width: u32, value: u64) -> i64 {
    debug_assert_eq!(value & !mask(width), 0);
    let unused = 64 - width;
    (value << unused) as i64 >> unused
}
