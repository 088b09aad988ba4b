//! Sets of words as unions of plain ranges.
//!
//! # Problem
//! The native core propagates through a handful of operators for every fact of every query, so a step
//! may cost a few hundred instructions at most. [`ValueSet`](crate::ValueSet) is more precise: it keeps
//! strides, cuts blocks, and encloses what is not exact. It also costs several times as much.
//!
//! # Idea
//! A comparison with a constant leaves one range, which may wrap around zero. Additions, products with
//! constants, extensions, extractions and reads of tables turn it into a few more. So a list of disjoint
//! ranges without strides is enough.
//!
//! # What differs
//! From [`ValueSet`](crate::ValueSet): there are no strides, and an operation that would need too many
//! ranges returns `None` instead of an enclosure. The caller then leaves the condition out.
//!
//! # Soundness
//! Preimages are exact, or over-approximate where their comment says so. Images of sums, negations,
//! products, extractions and concatenations may be larger than the exact set, never smaller.

use crate::piece::odd_inverse;
use cairn_bv::mask;
use smallvec::SmallVec;

/// An operation whose result has more ranges than this gives up.
const MOST_RANGES: usize = 160;
/// Products with factors up to this are inverted wrap by wrap: one range for each multiple of 2^w.
const LARGEST_FACTOR: u64 = 64;

/// A set of words of one width of at most 64 bits: disjoint, non-adjacent ranges in ascending order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RangeSet {
    width: u32,
    list: SmallVec<[(u64, u64); 4]>,
}

impl RangeSet {
    /// The empty set.
    #[inline]
    pub fn empty(width: u32) -> Self {
        debug_assert!((1..=64).contains(&width));
        RangeSet {
            width,
            list: SmallVec::new(),
        }
    }

    /// The words from `low` to `high` inclusive; empty if `low > high`.
    #[inline]
    pub fn range(width: u32, low: u64, high: u64) -> Self {
        let mut set = Self::empty(width);
        if low <= high {
            debug_assert!(high <= mask(width));
            set.list.push((low, high));
        }
        set
    }

    /// All words of a width.
    #[inline]
    pub fn full(width: u32) -> Self {
        Self::range(width, 0, mask(width))
    }

    /// A single word.
    #[inline]
    pub fn point(width: u32, word: u64) -> Self {
        Self::range(width, word, word)
    }

    /// The union of some ranges; `None` if too many are left.
    pub fn from_ranges(width: u32, ranges: &[(u64, u64)]) -> Option<Self> {
        Self::collect(width, SmallVec::from_slice(ranges))
    }

    /// Sorts and joins ranges; `None` if too many are left.
    fn collect(width: u32, mut list: SmallVec<[(u64, u64); 4]>) -> Option<Self> {
        if !list.is_sorted() {
            list.sort_unstable();
        }
        let mut kept = 0;
        for i in 0..list.len() {
            let (low, high) = list[i];
            if kept > 0 && low <= list[kept - 1].1.saturating_add(1) {
                list[kept - 1].1 = list[kept - 1].1.max(high);
            } else {
                list[kept] = (low, high);
                kept += 1;
            }
        }
        list.truncate(kept);
        (kept <= MOST_RANGES).then_some(RangeSet { width, list })
    }

    /// The indices of a given width at which an array holds a word of `elements`. `listed` are the
    /// array's cells in order of index; all other cells hold `default`.
    pub fn indices_holding(
        width: u32,
        elements: &RangeSet,
        listed: impl Iterator<Item = Option<(u64, u64)>>,
        default: u64,
    ) -> Option<RangeSet> {
        let elsewhere = elements.contains(default);
        let mut list: SmallVec<[(u64, u64); 4]> = SmallVec::new();
        for cell in listed {
            let (index, element) = cell?;
            if elements.contains(element) == elsewhere {
                continue;
            }
            match list.last_mut() {
                Some(last) if last.1 + 1 == index => last.1 = index,
                _ => list.push((index, index)),
            }
            if list.len() > MOST_RANGES {
                return None;
            }
        }
        let listed = RangeSet { width, list };
        Some(if elsewhere {
            listed.complement()
        } else {
            listed
        })
    }

    /// The width of its words.
    #[inline]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Whether it is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether it contains all words of its width.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.list.as_slice() == [(0, mask(self.width))]
    }

    /// The word of a singleton.
    #[inline]
    pub fn as_point(&self) -> Option<u64> {
        match self.list.as_slice() {
            [(low, high)] if low == high => Some(*low),
            _ => None,
        }
    }

    /// Its smallest word.
    #[inline]
    pub fn min(&self) -> Option<u64> {
        self.list.first().map(|r| r.0)
    }

    /// Its largest word.
    #[inline]
    pub fn max(&self) -> Option<u64> {
        self.list.last().map(|r| r.1)
    }

    /// The number of words, saturated at 2^64 - 1.
    pub fn size(&self) -> u64 {
        self.list
            .iter()
            .fold(0, |n: u64, r| n.saturating_add(r.1 - r.0).saturating_add(1))
    }

    /// The member nearest to a word.
    pub fn nearest(&self, word: u64) -> Option<u64> {
        self.list
            .iter()
            .map(|&(low, high)| word.clamp(low, high))
            .min_by_key(|c| c.abs_diff(word))
    }

    /// Whether it contains a word.
    #[inline]
    pub fn contains(&self, word: u64) -> bool {
        self.list.iter().any(|r| r.0 <= word && word <= r.1)
    }

    /// Its ranges in order.
    #[inline]
    pub fn ranges(&self) -> &[(u64, u64)] {
        &self.list
    }

    /// The words of the width that are not in the set.
    pub fn complement(&self) -> RangeSet {
        let mut rest = Self::empty(self.width);
        let mut next = Some(0);
        for &(low, high) in &self.list {
            if let Some(from) = next
                && from < low
            {
                rest.list.push((from, low - 1));
            }
            next = (high < mask(self.width)).then(|| high + 1);
        }
        if let Some(from) = next {
            rest.list.push((from, mask(self.width)));
        }
        rest
    }

    /// The intersection; `None` if it has too many ranges.
    pub fn intersect(&self, other: &RangeSet) -> Option<RangeSet> {
        debug_assert_eq!(self.width, other.width);
        let mut both = Self::empty(self.width);
        let (mut i, mut j) = (0, 0);
        while i < self.list.len() && j < other.list.len() {
            let (a, b) = (self.list[i], other.list[j]);
            let (low, high) = (a.0.max(b.0), a.1.min(b.1));
            if low <= high {
                both.list.push((low, high));
            }
            if a.1 < b.1 {
                i += 1;
            } else {
                j += 1;
            }
        }
        (both.list.len() <= MOST_RANGES).then_some(both)
    }

    /// The union; `None` if it has too many ranges.
    pub fn union(&self, other: &RangeSet) -> Option<RangeSet> {
        let mut list = self.list.clone();
        list.extend_from_slice(&other.list);
        Self::collect(self.width, list)
    }

    /// The smallest range that contains the set.
    fn hull(&self) -> RangeSet {
        match (self.min(), self.max()) {
            (Some(low), Some(high)) => Self::range(self.width, low, high),
            _ => self.clone(),
        }
    }

    /// Appends the words from `low` up to `high`, which wraps around zero if `low > high`.
    fn push_cyclic(list: &mut SmallVec<[(u64, u64); 4]>, width: u32, low: u64, high: u64) {
        if low <= high {
            list.push((low, high));
        } else {
            list.push((0, high));
            list.push((low, mask(width)));
        }
    }

    /// `{ a + b }` modulo 2^w; over-approximated when both lists are long.
    pub fn image_add(&self, other: &RangeSet) -> Option<RangeSet> {
        if self.list.len() * other.list.len() > MOST_RANGES {
            return self.hull().image_add(&other.hull());
        }
        let m = mask(self.width);
        let mut list = SmallVec::new();
        for &(a, b) in &self.list {
            for &(c, d) in &other.list {
                if u128::from(b - a) + u128::from(d - c) >= u128::from(m) {
                    return Some(Self::full(self.width));
                }
                let (low, high) = (a.wrapping_add(c) & m, b.wrapping_add(d) & m);
                Self::push_cyclic(&mut list, self.width, low, high);
            }
        }
        Self::collect(self.width, list)
    }

    /// `{ -a }`; all words if that has more than 160 ranges, because a range around zero is cut in two.
    pub fn image_neg(&self) -> RangeSet {
        let m = mask(self.width);
        let mut list = SmallVec::new();
        for &(a, b) in &self.list {
            let (low, high) = (b.wrapping_neg() & m, a.wrapping_neg() & m);
            Self::push_cyclic(&mut list, self.width, low, high);
        }
        Self::collect(self.width, list).unwrap_or_else(|| Self::full(self.width))
    }

    /// `{ ~a }`.
    pub fn image_not(&self) -> RangeSet {
        let m = mask(self.width);
        let list = self.list.iter().rev().map(|&(a, b)| (m - b, m - a));
        RangeSet {
            width: self.width,
            list: list.collect(),
        }
    }

    /// `{ a + 2^(w-1) }`: maps signed order to unsigned order and back.
    pub fn sign_flipped(&self) -> Option<RangeSet> {
        self.image_add(&Self::point(self.width, 1 << (self.width - 1)))
    }

    /// `{ a * factor }`; over-approximated, because the gaps between products are filled.
    pub fn image_mul(&self, factor: u64) -> RangeSet {
        let m = u128::from(mask(self.width));
        let factor = u128::from(factor);
        let mut list = SmallVec::new();
        for &(low, high) in &self.list {
            let (low, high) = (u128::from(low) * factor, u128::from(high) * factor);
            if high - low >= m {
                return Self::full(self.width);
            }
            let (low, high) = ((low & m) as u64, (high & m) as u64);
            Self::push_cyclic(&mut list, self.width, low, high);
        }
        Self::collect(self.width, list).unwrap_or_else(|| Self::full(self.width))
    }

    /// `{ a / k }`, unsigned, `k` above zero.
    pub fn image_udiv(&self, k: u64) -> RangeSet {
        let list = self.list.iter().map(|&(low, high)| (low / k, high / k));
        // Quotients are no further apart than the words were.
        Self::collect(self.width, list.collect()).unwrap_or_else(|| Self::full(self.width))
    }

    /// `{ a % k }`, unsigned, `k` above zero; all remainders if that has more than 160 ranges.
    pub fn image_urem(&self, k: u64) -> RangeSet {
        let mut list = SmallVec::new();
        for &(low, high) in &self.list {
            let (first, last) = (low % k, high % k);
            if high - low >= k - 1 {
                return Self::range(self.width, 0, k - 1);
            }
            if first <= last {
                list.push((first, last));
            } else {
                list.push((0, last));
                list.push((first, k - 1));
            }
        }
        Self::collect(self.width, list).unwrap_or_else(|| Self::range(self.width, 0, k - 1))
    }

    /// What an operator makes of signed words that treats a negative one like its magnitude and gives the result its sign:
    /// division and remainder by a positive number. `None` if there are too many ranges.
    pub fn image_by_sign(&self, magnitudes: impl Fn(&RangeSet) -> RangeSet) -> Option<RangeSet> {
        let top = 1 << (self.width - 1);
        let positive = self.intersect(&Self::range(self.width, 0, top - 1))?;
        let negative = self.intersect(&Self::range(self.width, top, mask(self.width)))?;
        magnitudes(&positive).union(&magnitudes(&negative.image_neg()).image_neg())
    }

    /// `width` bits of each word, from bit `lowest` on; over-approximated where a range crosses a
    /// multiple of what is cut off.
    pub fn image_extract(&self, lowest: u32, width: u32) -> RangeSet {
        let mut list = SmallVec::new();
        for &(low, high) in &self.list {
            let (low, high) = (low >> lowest, high >> lowest);
            if high - low >= mask(width) {
                return Self::full(width);
            }
            Self::push_cyclic(&mut list, width, low & mask(width), high & mask(width));
        }
        Self::collect(width, list).unwrap_or_else(|| Self::full(width))
    }

    /// The concatenations of a word of this set (high bits) with a word of `low`; gaps in `low` are filled.
    pub fn image_concat(&self, low: &RangeSet) -> RangeSet {
        let width = self.width + low.width;
        let (Some(least), Some(most)) = (low.min(), low.max()) else {
            return Self::empty(width);
        };
        let shift = low.width;
        let list = self.list.iter();
        let list = list.map(|&(a, b)| (a << shift | least, b << shift | most));
        Self::collect(width, list.collect()).unwrap_or_else(|| Self::full(width))
    }

    /// `{ x | x * factor in self }`; `None` if that has too many ranges. Over-approximated for factors above half of all
    /// words where [`RangeSet::image_neg`] is: then it is all words.
    pub fn preimage_mul(&self, factor: u64) -> Option<RangeSet> {
        let m = mask(self.width);
        if self.is_full() || self.is_empty() {
            return Some(self.clone());
        }
        if factor == 0 {
            let all = self.contains(0);
            return Some(if all {
                Self::full(self.width)
            } else {
                Self::empty(self.width)
            });
        }
        if factor > m / 2 + 1 {
            return self.image_neg().preimage_mul(factor.wrapping_neg() & m);
        }
        let mut list = SmallVec::new();
        if factor <= LARGEST_FACTOR && factor as usize * self.list.len() <= MOST_RANGES {
            let k = u128::from(factor);
            for around in 0..k {
                let zero = around << self.width;
                for &(a, b) in &self.list {
                    let low = (zero + u128::from(a)).div_ceil(k);
                    let high = (zero + u128::from(b)) / k;
                    if low <= high {
                        list.push((low as u64, high as u64));
                    }
                }
            }
            return Self::collect(self.width, list);
        }
        let twos = factor.trailing_zeros();
        let inverse = odd_inverse(factor >> twos);
        for &(a, b) in &self.list {
            if a != b || list.len() + (1 << twos.min(8)) > MOST_RANGES {
                return None;
            }
            if a & mask(twos.max(1)) != 0 && twos > 0 {
                continue;
            }
            let rest = self.width - twos;
            let least = (a >> twos).wrapping_mul(inverse) & mask(rest);
            for i in 0..1u64 << twos {
                // Without a factor of two there is one word, and nothing to shift.
                let word = if twos == 0 { least } else { least | i << rest };
                list.push((word, word));
            }
        }
        Self::collect(self.width, list)
    }

    /// The words whose zero extension by `extra` bits is in the set.
    pub fn preimage_zero_extend(&self, extra: u32) -> Option<RangeSet> {
        let width = self.width - extra;
        let low = self.intersect(&Self::range(self.width, 0, mask(width)))?;
        Some(RangeSet { width, ..low })
    }

    /// The words whose sign extension by `extra` bits is in the set.
    pub fn preimage_sign_extend(&self, extra: u32) -> Option<RangeSet> {
        let width = self.width - extra;
        let half = 1u64 << (width - 1);
        let (m, narrow) = (mask(self.width), mask(width));
        let negative = self.intersect(&Self::range(self.width, m - (half - 1), m))?;
        let mut both = self.intersect(&Self::range(self.width, 0, half - 1))?;
        both.list
            .extend(negative.list.iter().map(|&(a, b)| (a & narrow, b & narrow)));
        Self::collect(width, both.list)
    }

    /// The zero extensions of its words.
    pub fn image_zero_extend(&self, extra: u32) -> RangeSet {
        RangeSet {
            width: self.width + extra,
            list: self.list.clone(),
        }
    }

    /// The sign extensions of its words.
    pub fn image_sign_extend(&self, extra: u32) -> Option<RangeSet> {
        let half = 1u64 << (self.width - 1);
        let high = mask(self.width + extra) - mask(self.width);
        let positive = self.intersect(&Self::range(self.width, 0, half - 1))?;
        let negative = self.intersect(&Self::range(self.width, half, mask(self.width)))?;
        let mut list = positive.list;
        list.extend(negative.list.iter().map(|&(a, b)| (a + high, b + high)));
        Self::collect(self.width + extra, list)
    }

    /// The high parts `x` for which `x ++ l` is in the set for some `l` between the bounds of `low`.
    pub fn preimage_concat_high(&self, low: &RangeSet) -> Option<RangeSet> {
        let shift = low.width;
        let (Some(least), Some(most)) = (low.min(), low.max()) else {
            return Some(Self::empty(self.width - shift));
        };
        let mut list = SmallVec::new();
        for &(a, b) in &self.list {
            // x << shift | l for some l in least..=most lies in a..=b
            let from = (u128::from(a).saturating_sub(u128::from(most))).div_ceil(1 << shift);
            if b >= least {
                let to = u128::from(b - least) >> shift;
                if from <= to {
                    list.push((from as u64, to as u64));
                }
            }
        }
        Self::collect(self.width - shift, list)
    }

    /// The low parts `x` of `width` bits for which `high ++ x` is in the set.
    pub fn preimage_concat_low(&self, high: u64, width: u32) -> Option<RangeSet> {
        let base = high << width;
        let part = self.intersect(&Self::range(self.width, base, base | mask(width)))?;
        let list = part.list.iter().map(|&(a, b)| (a - base, b - base));
        Self::collect(width, list.collect())
    }

    /// The words of `width` bits whose extraction from bit `lowest` on is in the set.
    pub fn preimage_extract(&self, width: u32, lowest: u32) -> Option<RangeSet> {
        let above = width - lowest - self.width;
        if above > 7 || self.list.len() << above > MOST_RANGES {
            return (self.is_full()).then(|| Self::full(width));
        }
        let mut list = SmallVec::new();
        for top in 0..1u64 << above {
            for &(a, b) in &self.list {
                let high = if above == 0 {
                    0
                } else {
                    top << (lowest + self.width)
                };
                let low = if lowest == 0 { 0 } else { mask(lowest) };
                list.push((high | a << lowest, high | b << lowest | low));
            }
        }
        Self::collect(width, list)
    }
}

#[cfg(test)]
#[path = "range_set_tests.rs"]
mod tests;
