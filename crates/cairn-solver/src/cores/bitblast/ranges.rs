//! Sets of words as lists of ranges.
//!
//! What a comparison with a known word asks of the other side is one range, perhaps around zero;
//! what that asks of a variable below additions, products with constants, extensions and
//! reads of tables is a few. Everything here is exact or says `None`, except
//! sums and differences of sets, which may be larger where that is said.

use smallvec::SmallVec;

/// Longer lists are not kept.
const LONGEST: usize = 160;
/// Factors up to this are divided by, once around for every multiple of the modulus.
const LARGEST_FACTOR: u64 = 64;

/// A set of words of one width, at most 64 bits: disjoint ranges in order, with gaps between.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranges {
    width: u32,
    list: SmallVec<[(u64, u64); 4]>,
}

/// The largest word of a width.
pub fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

impl Ranges {
    /// No word.
    pub fn empty(width: u32) -> Self {
        debug_assert!((1..=64).contains(&width));
        Ranges {
            width,
            list: SmallVec::new(),
        }
    }

    /// The words from `low` to `high`; none if `low` is the larger.
    pub fn range(width: u32, low: u64, high: u64) -> Self {
        let mut set = Self::empty(width);
        if low <= high {
            debug_assert!(high <= mask(width));
            set.list.push((low, high));
        }
        set
    }

    /// Every word.
    pub fn full(width: u32) -> Self {
        Self::range(width, 0, mask(width))
    }

    /// One word.
    pub fn point(width: u32, word: u64) -> Self {
        Self::range(width, word, word)
    }

    /// The union of ranges; `None` if they are too many.
    pub fn from_ranges(width: u32, ranges: &[(u64, u64)]) -> Option<Self> {
        Self::collect(width, SmallVec::from_slice(ranges))
    }

    /// The union of ranges in any order; `None` if they are too many.
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
        (kept <= LONGEST).then_some(Ranges { width, list })
    }

    /// The indices of a given width at which an array holds a word of `elements`: its listed
    /// elements in order of index, and the one everywhere else.
    pub fn places(
        width: u32,
        elements: &Ranges,
        listed: impl Iterator<Item = Option<(u64, u64)>>,
        default: u64,
    ) -> Option<Ranges> {
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
            if list.len() > LONGEST {
                return None;
            }
        }
        let listed = Ranges { width, list };
        Some(if elsewhere {
            listed.complement()
        } else {
            listed
        })
    }

    /// The width of its words.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Whether it has no word.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether it has every word.
    pub fn is_full(&self) -> bool {
        self.list.as_slice() == [(0, mask(self.width))]
    }

    /// Its only word.
    pub fn as_point(&self) -> Option<u64> {
        match self.list.as_slice() {
            [(low, high)] if low == high => Some(*low),
            _ => None,
        }
    }

    /// Its smallest word.
    pub fn min(&self) -> Option<u64> {
        self.list.first().map(|r| r.0)
    }

    /// Its largest word.
    pub fn max(&self) -> Option<u64> {
        self.list.last().map(|r| r.1)
    }

    /// How many words it has; one less if that is 2^64.
    pub fn size(&self) -> u64 {
        self.list
            .iter()
            .fold(0, |n: u64, r| n.saturating_add(r.1 - r.0).saturating_add(1))
    }

    /// Its word nearest to another.
    pub fn nearest(&self, word: u64) -> Option<u64> {
        self.list
            .iter()
            .map(|&(low, high)| word.clamp(low, high))
            .min_by_key(|c| c.abs_diff(word))
    }

    /// Whether it has a word.
    pub fn contains(&self, word: u64) -> bool {
        self.list.iter().any(|r| r.0 <= word && word <= r.1)
    }

    /// Its ranges in order.
    pub fn ranges(&self) -> &[(u64, u64)] {
        &self.list
    }

    /// All other words.
    pub fn complement(&self) -> Ranges {
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

    /// What is in both; `None` if that has too many ranges.
    pub fn intersect(&self, other: &Ranges) -> Option<Ranges> {
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
        (both.list.len() <= LONGEST).then_some(both)
    }

    /// What is in one of them.
    pub fn union(&self, other: &Ranges) -> Option<Ranges> {
        let mut list = self.list.clone();
        list.extend_from_slice(&other.list);
        Self::collect(self.width, list)
    }

    /// The least range that has all of it.
    fn hull(&self) -> Ranges {
        match (self.min(), self.max()) {
            (Some(low), Some(high)) => Self::range(self.width, low, high),
            _ => self.clone(),
        }
    }

    /// Adds the words from `low` up to `high`, around zero if need be.
    fn push_cyclic(list: &mut SmallVec<[(u64, u64); 4]>, width: u32, low: u64, high: u64) {
        if low <= high {
            list.push((low, high));
        } else {
            list.push((0, high));
            list.push((low, mask(width)));
        }
    }

    /// All sums with a word of another set. Larger than that when both are long lists.
    pub fn plus(&self, other: &Ranges) -> Option<Ranges> {
        if self.list.len() * other.list.len() > LONGEST {
            return self.hull().plus(&other.hull());
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

    /// The negatives of its words.
    pub fn negated(&self) -> Ranges {
        let m = mask(self.width);
        let mut list = SmallVec::new();
        for &(a, b) in &self.list {
            let (low, high) = (b.wrapping_neg() & m, a.wrapping_neg() & m);
            Self::push_cyclic(&mut list, self.width, low, high);
        }
        Self::collect(self.width, list).unwrap_or_else(|| Self::full(self.width))
    }

    /// The complements of its words, bit by bit.
    pub fn inverted(&self) -> Ranges {
        let m = mask(self.width);
        let list = self.list.iter().rev().map(|&(a, b)| (m - b, m - a));
        Ranges {
            width: self.width,
            list: list.collect(),
        }
    }

    /// Words and their order moved so that signed order becomes unsigned order, or back.
    pub fn sign_flipped(&self) -> Option<Ranges> {
        self.plus(&Self::point(self.width, 1 << (self.width - 1)))
    }

    /// The products with a constant; larger than that where factors leave gaps.
    pub fn times(&self, factor: u64) -> Ranges {
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

    /// The bits from `lowest` on, `width` of them, of its words; larger than that if ranges reach
    /// over what is cut off.
    pub fn extracted(&self, lowest: u32, width: u32) -> Ranges {
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

    /// Its words before words of another set; larger than that where gaps are small.
    pub fn concatenated(&self, low: &Ranges) -> Ranges {
        let width = self.width + low.width;
        let (Some(least), Some(most)) = (low.min(), low.max()) else {
            return Self::empty(width);
        };
        let shift = low.width;
        let list = self.list.iter();
        let list = list.map(|&(a, b)| (a << shift | least, b << shift | most));
        Self::collect(width, list.collect()).unwrap_or_else(|| Self::full(width))
    }

    /// The words whose product with a constant is in the set.
    pub fn divided(&self, factor: u64) -> Option<Ranges> {
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
            return self.negated().divided(factor.wrapping_neg() & m);
        }
        let mut list = SmallVec::new();
        if factor <= LARGEST_FACTOR && factor as usize * self.list.len() <= LONGEST {
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
            if a != b || list.len() + (1 << twos.min(8)) > LONGEST {
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

    /// The words that become words of the set when `extra` zeros are put before them.
    pub fn before_zero_extension(&self, extra: u32) -> Option<Ranges> {
        let width = self.width - extra;
        let low = self.intersect(&Self::range(self.width, 0, mask(width)))?;
        Some(Ranges { width, ..low })
    }

    /// The words that become words of the set when their sign is put before them.
    pub fn before_sign_extension(&self, extra: u32) -> Option<Ranges> {
        let width = self.width - extra;
        let half = 1u64 << (width - 1);
        let (m, narrow) = (mask(self.width), mask(width));
        let negative = self.intersect(&Self::range(self.width, m - (half - 1), m))?;
        let mut both = self.intersect(&Self::range(self.width, 0, half - 1))?;
        both.list
            .extend(negative.list.iter().map(|&(a, b)| (a & narrow, b & narrow)));
        Self::collect(width, both.list)
    }

    /// Its words with zeros put before them.
    pub fn zero_extended(&self, extra: u32) -> Ranges {
        Ranges {
            width: self.width + extra,
            list: self.list.clone(),
        }
    }

    /// Its words with their signs put before them.
    pub fn sign_extended(&self, extra: u32) -> Option<Ranges> {
        let half = 1u64 << (self.width - 1);
        let high = mask(self.width + extra) - mask(self.width);
        let positive = self.intersect(&Self::range(self.width, 0, half - 1))?;
        let negative = self.intersect(&Self::range(self.width, half, mask(self.width)))?;
        let mut list = positive.list;
        list.extend(negative.list.iter().map(|&(a, b)| (a + high, b + high)));
        Self::collect(self.width + extra, list)
    }

    /// The words that are in the set with one of the words of `low` behind them.
    pub fn before_low_part(&self, low: &Ranges) -> Option<Ranges> {
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

    /// The words that are in the set with a certain word before them.
    pub fn before_high_part(&self, high: u64, width: u32) -> Option<Ranges> {
        let base = high << width;
        let part = self.intersect(&Self::range(self.width, base, base | mask(width)))?;
        let list = part.list.iter().map(|&(a, b)| (a - base, b - base));
        Self::collect(width, list.collect())
    }

    /// The words of a width whose bits from `lowest` on, as many as the set is wide, are in it.
    pub fn before_extraction(&self, width: u32, lowest: u32) -> Option<Ranges> {
        let above = width - lowest - self.width;
        if above > 7 || self.list.len() << above > LONGEST {
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

/// The inverse of an odd word modulo 2^64: five steps of Newton's iteration double three right
/// bits to ninety-six.
fn odd_inverse(odd: u64) -> u64 {
    let mut x = odd;
    for _ in 0..5 {
        x = x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x)));
    }
    x
}

#[cfg(test)]
#[path = "ranges_tests.rs"]
mod tests;
