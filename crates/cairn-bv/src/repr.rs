//! The representation of a bit-vector, its constructors and its accessors.
//!
//! Everything that knows how a value is stored is here, so that the invariant
//! (the storage form follows from the width, and bits above the width are
//! zero) is established in one place. Derived equality and hashing are only
//! right because of that invariant.

use std::cmp::Ordering;

use crate::limbs;

/// A concrete bit-vector: a width in bits and an unsigned value below
/// `2^width`.
///
/// Values are ordered by width first and by unsigned value second, which is a
/// total order over all bit-vectors; the SMT-LIB comparisons, which need equal
/// widths, are the methods [`ult`](Self::ult), [`slt`](Self::slt) and so on.
#[derive(Clone, PartialEq, Eq, Hash)]
#[must_use]
pub struct BitVec {
    width: u32,
    repr: Repr,
}

/// Storage; which variant is used depends on the width alone.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    /// Widths up to 64.
    Small(u64),
    /// Widths above 64: exactly `ceil(width / 64)` limbs, least significant
    /// first.
    Wide(Box<[u64]>),
}

/// Two operands of equal width, taken apart once so that each operator is one
/// two-armed match.
pub(crate) enum Pair<'a> {
    Small(u64, u64),
    Wide(&'a [u64], &'a [u64]),
}

/// The largest word of `width` bits: as many ones. The width is from 1 to 64.
#[inline]
pub fn mask(width: u32) -> u64 {
    debug_assert!((1..=64).contains(&width));
    u64::MAX >> (64 - width)
}

/// How many limbs a value of `width` bits takes.
#[inline]
pub(crate) fn limb_count(width: u32) -> usize {
    width.div_ceil(64) as usize
}

#[cold]
#[inline(never)]
#[track_caller]
fn bad_width(width: u64) -> ! {
    panic!(
        "bit-vector width {width} is not in 1..={}",
        BitVec::MAX_WIDTH
    )
}

#[cold]
#[inline(never)]
#[track_caller]
fn width_mismatch(left: u32, right: u32) -> ! {
    panic!("bit-vector operands of different widths: {left} and {right}")
}

/// Checks a width computed without overflow and narrows it.
#[inline]
#[track_caller]
pub(crate) fn checked_width(width: u64) -> u32 {
    if width == 0 || width > u64::from(BitVec::MAX_WIDTH) {
        bad_width(width);
    }
    width as u32
}

// Construction.
impl BitVec {
    /// The largest supported width, in bits.
    ///
    /// A bound exists so that a hostile input (`(_ zero_extend 4000000000)`)
    /// cannot ask for gigabytes; readers of text must check against it.
    pub const MAX_WIDTH: u32 = 1 << 20;

    /// Inline value of a width known to be in 1..=64; `value` is wrapped.
    #[inline]
    pub(crate) fn small(width: u32, value: u64) -> Self {
        BitVec {
            width,
            repr: Repr::Small(value & mask(width)),
        }
    }

    /// Takes ownership of computed limbs for a valid width of any size; missing
    /// limbs are zero and excess bits are dropped.
    pub(crate) fn from_limb_vec(width: u32, mut limbs: Vec<u64>) -> Self {
        if width <= 64 {
            return Self::small(width, limbs.first().copied().unwrap_or(0));
        }
        limbs.resize(limb_count(width), 0);
        let excess = limbs.len() as u32 * 64 - width;
        if let Some(top) = limbs.last_mut() {
            *top &= u64::MAX >> excess;
        }
        BitVec {
            width,
            repr: Repr::Wide(limbs.into_boxed_slice()),
        }
    }

    /// `value` modulo `2^width`, zero-extended to `width` bits.
    ///
    /// # Panics
    /// Like every constructor taking a width, if it is not in
    /// 1..=[`MAX_WIDTH`](Self::MAX_WIDTH).
    #[inline]
    #[track_caller]
    pub fn new(width: u32, value: u64) -> Self {
        let width = checked_width(u64::from(width));
        if width <= 64 {
            Self::small(width, value)
        } else {
            Self::from_limb_vec(width, vec![value])
        }
    }

    /// `value` modulo `2^width`, zero-extended to `width` bits.
    #[inline]
    #[track_caller]
    pub fn from_u128(width: u32, value: u128) -> Self {
        Self::from_limbs(width, &[value as u64, (value >> 64) as u64])
    }

    /// The two's complement of `value`: sign-extended or wrapped to `width`
    /// bits.
    #[inline]
    #[track_caller]
    pub fn from_i64(width: u32, value: i64) -> Self {
        let width = checked_width(u64::from(width));
        if width <= 64 {
            return Self::small(width, value as u64);
        }
        let fill = if value < 0 { u64::MAX } else { 0 };
        let mut limbs = vec![fill; limb_count(width)];
        limbs[0] = value as u64;
        Self::from_limb_vec(width, limbs)
    }

    /// The value with the given limbs, least significant first. Missing limbs
    /// are zero; bits above the width are dropped.
    #[inline]
    #[track_caller]
    pub fn from_limbs(width: u32, limbs: &[u64]) -> Self {
        let width = checked_width(u64::from(width));
        if width <= 64 {
            return Self::small(width, limbs.first().copied().unwrap_or(0));
        }
        let count = limb_count(width);
        let mut owned = Vec::with_capacity(count);
        owned.extend_from_slice(&limbs[..limbs.len().min(count)]);
        Self::from_limb_vec(width, owned)
    }

    /// One bit: 1 for true, 0 for false.
    #[inline]
    pub fn from_bool(b: bool) -> Self {
        Self::small(1, u64::from(b))
    }

    /// The value 0.
    #[inline]
    #[track_caller]
    pub fn zero(width: u32) -> Self {
        Self::new(width, 0)
    }

    /// The value 1.
    #[inline]
    #[track_caller]
    pub fn one(width: u32) -> Self {
        Self::new(width, 1)
    }

    /// All bits set: the largest unsigned value, and -1 as a signed one.
    #[inline]
    #[track_caller]
    pub fn ones(width: u32) -> Self {
        Self::from_i64(width, -1)
    }

    /// Only the most significant bit set: `-2^(width-1)`.
    #[inline]
    #[track_caller]
    pub fn min_signed(width: u32) -> Self {
        let width = checked_width(u64::from(width));
        if width <= 64 {
            return Self::small(width, 1 << (width - 1));
        }
        let mut limbs = vec![0; limb_count(width)];
        limbs[((width - 1) / 64) as usize] = 1 << ((width - 1) % 64);
        Self::from_limb_vec(width, limbs)
    }

    /// All bits set but the most significant one: `2^(width-1) - 1`.
    #[inline]
    #[track_caller]
    pub fn max_signed(width: u32) -> Self {
        Self::min_signed(width).not()
    }
}

// Access.
impl BitVec {
    /// The width in bits.
    #[inline]
    #[must_use]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The value as exactly `ceil(width / 64)` limbs, least significant first;
    /// bits above the width are zero.
    #[inline]
    #[must_use]
    pub fn limbs(&self) -> &[u64] {
        match &self.repr {
            Repr::Small(value) => std::slice::from_ref(value),
            Repr::Wide(limbs) => limbs,
        }
    }

    /// The value if it is stored inline, which is exactly when the width is at
    /// most 64.
    #[inline]
    pub(crate) fn inline_value(&self) -> Option<u64> {
        match self.repr {
            Repr::Small(value) => Some(value),
            Repr::Wide(_) => None,
        }
    }

    /// Panics unless both have one width. Checked in all builds: it is one
    /// compare, against silently mixing sorts.
    #[inline]
    #[track_caller]
    pub(crate) fn require_same_width(&self, other: &BitVec) {
        if self.width != other.width {
            width_mismatch(self.width, other.width);
        }
    }

    /// Both operands of an operator that needs equal widths.
    #[inline]
    #[track_caller]
    pub(crate) fn pair<'a>(&'a self, other: &'a BitVec) -> Pair<'a> {
        self.require_same_width(other);
        match (&self.repr, &other.repr) {
            (Repr::Small(a), Repr::Small(b)) => Pair::Small(*a, *b),
            (Repr::Small(_) | Repr::Wide(_), Repr::Small(_) | Repr::Wide(_)) => {
                Pair::Wide(self.limbs(), other.limbs())
            }
        }
    }

    /// Whether all bits are 0.
    #[inline]
    #[must_use]
    pub fn is_zero(&self) -> bool {
        match &self.repr {
            Repr::Small(value) => *value == 0,
            Repr::Wide(limbs) => limbs.iter().all(|&limb| limb == 0),
        }
    }

    /// Whether the value is 1.
    #[inline]
    #[must_use]
    pub fn is_one(&self) -> bool {
        self.to_u64() == Some(1)
    }

    /// Whether all bits are 1.
    #[inline]
    #[must_use]
    pub fn is_ones(&self) -> bool {
        match &self.repr {
            Repr::Small(value) => *value == mask(self.width),
            Repr::Wide(_) => self.count_ones() == self.width,
        }
    }

    /// The most significant bit: the sign of the value read as two's
    /// complement.
    #[inline]
    #[must_use]
    pub fn msb(&self) -> bool {
        self.bit(self.width - 1)
    }

    /// Bit `i`, counted from the least significant one.
    ///
    /// # Panics
    /// If `i` is not below the width.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn bit(&self, i: u32) -> bool {
        assert!(i < self.width, "bit index out of range");
        match &self.repr {
            Repr::Small(value) => value >> i & 1 == 1,
            Repr::Wide(limbs) => limbs[(i / 64) as usize] >> (i % 64) & 1 == 1,
        }
    }

    /// The unsigned value, if it fits in 64 bits (whatever the width).
    #[inline]
    #[must_use]
    pub fn to_u64(&self) -> Option<u64> {
        match &self.repr {
            Repr::Small(value) => Some(*value),
            Repr::Wide(limbs) => limbs[1..].iter().all(|&limb| limb == 0).then(|| limbs[0]),
        }
    }

    /// The unsigned value, if it fits in 128 bits (whatever the width).
    #[inline]
    #[must_use]
    pub fn to_u128(&self) -> Option<u128> {
        match &self.repr {
            Repr::Small(value) => Some(u128::from(*value)),
            Repr::Wide(limbs) => limbs[2..]
                .iter()
                .all(|&limb| limb == 0)
                .then(|| u128::from(limbs[1]) << 64 | u128::from(limbs[0])),
        }
    }

    /// The low 64 bits of the value.
    #[inline]
    #[must_use]
    pub fn low_u64(&self) -> u64 {
        match &self.repr {
            Repr::Small(value) => *value,
            Repr::Wide(limbs) => limbs[0],
        }
    }

    /// How many bits are 0 below the lowest set bit; the width if none is set.
    #[inline]
    #[must_use]
    pub fn trailing_zeros(&self) -> u32 {
        match &self.repr {
            Repr::Small(value) => value.trailing_zeros().min(self.width),
            Repr::Wide(limbs) => match limbs.iter().position(|&limb| limb != 0) {
                Some(i) => i as u32 * 64 + limbs[i].trailing_zeros(),
                None => self.width,
            },
        }
    }

    /// How many bits are 0 above the highest set bit; the width if none is set.
    #[inline]
    #[must_use]
    pub fn leading_zeros(&self) -> u32 {
        match &self.repr {
            Repr::Small(value) => value.leading_zeros() - (64 - self.width),
            Repr::Wide(limbs) => self.width - limbs::bit_length(limbs) as u32,
        }
    }

    /// How many bits are 1.
    #[inline]
    #[must_use]
    pub fn count_ones(&self) -> u32 {
        match &self.repr {
            Repr::Small(value) => value.count_ones(),
            Repr::Wide(limbs) => limbs.iter().map(|limb| limb.count_ones()).sum(),
        }
    }

    /// `Some(k)` exactly when the unsigned value is `2^k`.
    #[inline]
    #[must_use]
    pub fn exact_log2(&self) -> Option<u32> {
        (self.count_ones() == 1).then(|| self.trailing_zeros())
    }
}

impl Ord for BitVec {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        // Not derivable: limbs are stored least significant first.
        self.width
            .cmp(&other.width)
            .then_with(|| limbs::compare(self.limbs(), other.limbs()))
    }
}

impl PartialOrd for BitVec {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stays_three_words() {
        // Expression nodes embed constants; growth here is growth everywhere.
        assert_eq!(size_of::<BitVec>(), 24);
    }
}
