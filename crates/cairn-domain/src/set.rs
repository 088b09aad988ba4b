//! Sets of words as lists of strided intervals, and their operations without operators.
//!
//! # Problem
//! Comparisons with constants, additions and casts make unions of few intervals out of the values of an input;
//! products and remainders make steps. One interval is too little, and so is one step for the whole set
//! \[AbyanehKirsch21\].
//!
//! # Idea
//! A sorted list of at most [`MOST_PIECES`](crate::MOST_PIECES) disjoint [`StridedInterval`]s, each with its own step. Pieces may interleave
//! (`x % 4` is 1 or 2), so residue classes are sets like others.
//!
//! Adjacent pieces with the same step are joined, a list that is one progression is one piece, and single words are
//! not joined to steps above 1 unless the list would be too long. Sets of intervals have exactly one form; sets with
//! steps may have several, so only equal lists are known to be equal sets ([`ValueSet::is_subset`] decides).
//!
//! # Soundness
//! A result is exact or encloses the exact one: it contains too much, never too little. [`Enclosure`] says which.
//!
//! # Cost
//! An operation that would need more than [`MOST_PIECES`](crate::MOST_PIECES) pieces returns `None` or an enclosing set; nothing
//! grows with the path.

use crate::collector::{Collector, List, enclosed, subtract_all};
use crate::piece::StridedInterval;
use cairn_bv::mask;

/// A set of words of one width of at most 64 bits. See the file's head.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct ValueSet {
    width: u32,
    list: List,
}

impl Clone for ValueSet {
    /// By hand: the list's own goes piece by piece.
    fn clone(&self) -> Self {
        ValueSet {
            width: self.width,
            list: List::from_slice(&self.list),
        }
    }
}

/// A set that has all words of another, and whether it has no others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enclosure {
    /// The set.
    pub set: ValueSet,
    /// Whether it is exactly what it encloses.
    pub exact: bool,
}

impl Enclosure {
    /// The set itself.
    pub fn exact(set: ValueSet) -> Self {
        Enclosure { set, exact: true }
    }

    /// The set if it is exact.
    pub fn if_exact(self) -> Option<ValueSet> {
        self.exact.then_some(self.set)
    }
}

impl ValueSet {
    /// The set of a list that is as the file's head says.
    pub(crate) fn of_list(width: u32, list: List) -> Self {
        ValueSet { width, list }
    }

    /// No word.
    pub fn empty(width: u32) -> Self {
        assert!((1..=64).contains(&width), "a value set has 1 to 64 bits");
        ValueSet {
            width,
            list: List::new(),
        }
    }

    /// Every word.
    pub fn full(width: u32) -> Self {
        Self::range(width, 0, mask(width))
    }

    /// One word.
    pub fn point(width: u32, word: u64) -> Self {
        Self::of_piece(width, StridedInterval::point(word & mask(width)))
    }

    /// The words from `low` to `high`; none if `low` is the larger.
    pub fn range(width: u32, low: u64, high: u64) -> Self {
        if low > high {
            return Self::empty(width);
        }
        Self::of_piece(width, StridedInterval::range(low, high.min(mask(width))))
    }

    /// One piece.
    pub fn of_piece(width: u32, piece: StridedInterval) -> Self {
        let mut set = Self::empty(width);
        debug_assert!(piece.hi <= mask(width));
        set.list.push(piece);
        set
    }

    /// The words `from`, `from + step`, … around zero if need be, up to `to`: a wrapped strided
    /// interval. `step` is at least 1.
    pub fn wrapped(width: u32, from: u64, to: u64, step: u64) -> Self {
        let mut all = Collector::new(width);
        let count = (to.wrapping_sub(from) & mask(width)) / step;
        all.push_wrapped(from, count, step);
        all.enclosing().set
    }

    /// The words below another, unsigned.
    pub fn below(width: u32, word: u64) -> Self {
        // Nothing is below 0: the rule as published would go around.
        match word.checked_sub(1) {
            Some(last) => Self::range(width, 0, last),
            None => Self::empty(width),
        }
    }

    /// The words above another, unsigned.
    pub fn above(width: u32, word: u64) -> Self {
        match word.checked_add(1) {
            Some(first) if word < mask(width) => Self::range(width, first, mask(width)),
            Some(_) | None => Self::empty(width),
        }
    }

    /// The words below another, signed.
    pub fn signed_below(width: u32, word: u64) -> Self {
        Self::below(width, word ^ sign_bit(width))
            .sign_flipped()
            .set
    }

    /// The words above another, signed.
    pub fn signed_above(width: u32, word: u64) -> Self {
        Self::above(width, word ^ sign_bit(width))
            .sign_flipped()
            .set
    }

    /// The union of pieces in any order, which may overlap.
    pub fn from_pieces(width: u32, pieces: &[StridedInterval]) -> Enclosure {
        let mut all = Collector::new(width);
        pieces.iter().for_each(|p| all.push(*p));
        all.enclosing()
    }

    /// The same words at a width that has them all.
    pub(crate) fn at_width(&self, width: u32) -> ValueSet {
        debug_assert!(self.max().is_none_or(|most| most <= mask(width)));
        ValueSet {
            width,
            ..self.clone()
        }
    }

    /// The width of its words.
    #[inline]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Its pieces in order of their smallest words.
    #[inline]
    pub fn pieces(&self) -> &[StridedInterval] {
        &self.list
    }

    /// Whether it has no word.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether it has every word.
    pub fn is_full(&self) -> bool {
        self.list.as_slice() == [StridedInterval::range(0, mask(self.width))]
    }

    /// Whether all its pieces are intervals without steps.
    pub fn is_intervals(&self) -> bool {
        self.list.iter().all(|p| p.step <= 1)
    }

    /// Its only word.
    pub fn as_point(&self) -> Option<u64> {
        match self.list.as_slice() {
            [one] if one.is_point() => Some(one.lo),
            _ => None,
        }
    }

    /// How many words it has.
    pub fn count(&self) -> u128 {
        self.list.iter().map(StridedInterval::count).sum()
    }

    /// Whether it has a word.
    pub fn contains(&self, word: u64) -> bool {
        self.list.iter().any(|p| p.contains(word))
    }

    /// The smallest word, unsigned.
    pub fn min(&self) -> Option<u64> {
        self.list.first().map(|p| p.lo)
    }

    /// The largest word, unsigned.
    pub fn max(&self) -> Option<u64> {
        self.list.iter().map(|p| p.hi).max()
    }

    /// The smallest word, signed.
    pub fn signed_min(&self) -> Option<u64> {
        let negative = self
            .list
            .iter()
            .filter_map(|p| p.at_least(sign_bit(self.width)));
        negative.min().or(self.min())
    }

    /// The largest word, signed.
    pub fn signed_max(&self) -> Option<u64> {
        let positive = self
            .list
            .iter()
            .filter_map(|p| p.at_most(sign_bit(self.width) - 1));
        positive.max().or(self.max())
    }

    /// A word from its middle: of all words in order of pieces, the one half way.
    pub fn middle(&self) -> Option<u64> {
        let mut half = self.count() / 2;
        for p in &self.list {
            if half < p.count() {
                return Some(p.lo + p.stride() * half as u64);
            }
            half -= p.count();
        }
        None
    }

    /// Its word nearest to another.
    pub fn nearest(&self, word: u64) -> Option<u64> {
        let around = |p: &StridedInterval| [p.at_most(word), p.at_least(word)];
        let near = self.list.iter().flat_map(around).flatten();
        near.min_by_key(|w| w.abs_diff(word))
    }

    /// Its words, piece by piece.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.list.iter().flat_map(StridedInterval::iter)
    }

    /// The intersection; `None` if it has too many pieces.
    pub fn intersect(&self, other: &ValueSet) -> Option<ValueSet> {
        debug_assert_eq!(self.width, other.width);
        if other.is_full() || self == other {
            return Some(self.clone());
        }
        if self.is_full() {
            return Some(other.clone());
        }
        let mut both = Collector::new(self.width);
        for a in &self.list {
            for b in &other.list {
                if b.lo > a.hi {
                    break;
                }
                if let Some(piece) = a.intersect(b) {
                    both.push(piece);
                }
            }
        }
        both.disjoint().if_exact()
    }

    /// The intersection, perhaps with more words of this set.
    pub fn narrowed(&self, other: &ValueSet) -> ValueSet {
        self.intersect(other).unwrap_or_else(|| self.clone())
    }

    /// The union.
    pub fn union(&self, other: &ValueSet) -> Enclosure {
        debug_assert_eq!(self.width, other.width);
        let mut all = Collector::new(self.width);
        self.list
            .iter()
            .chain(&other.list)
            .for_each(|p| all.push(*p));
        all.enclosing()
    }

    /// All other words; `None` if these are too many pieces.
    pub fn complement(&self) -> Option<ValueSet> {
        Self::full(self.width).without(self)
    }

    /// The words of this set that are not in another; `None` if these are too many pieces.
    pub fn without(&self, other: &ValueSet) -> Option<ValueSet> {
        debug_assert_eq!(self.width, other.width);
        let left = subtract_all(&self.list, &other.list)?;
        Collector::of_parts(self.width, left).disjoint().if_exact()
    }

    /// Whether all its words are in another set; `false` also if that was too much work.
    pub fn is_subset(&self, other: &ValueSet) -> bool {
        if other.is_full() || self.list == other.list {
            return true;
        }
        let inside = |p: &StridedInterval| {
            let one = other
                .list
                .iter()
                .any(|q| p.intersect(q).as_ref() == Some(p));
            one || subtract_all(&[*p], &other.list).is_some_and(|left| left.is_empty())
        };
        self.list.iter().all(inside)
    }

    /// Whether no word is in both.
    pub fn is_disjoint(&self, other: &ValueSet) -> bool {
        let apart = |a: &StridedInterval| other.list.iter().all(|b| a.intersect(b).is_none());
        self.list.iter().all(apart)
    }

    /// The set with signed order made unsigned order, or back.
    pub fn sign_flipped(&self) -> Enclosure {
        let mut all = Collector::new(self.width);
        for p in &self.list {
            let from = p.lo ^ sign_bit(self.width);
            all.push_wrapped(from, p.count_minus_one(), p.stride());
        }
        all.enclosing()
    }

    /// A set of at most so many pieces that has all of it: itself, or with its smallest gaps filled.
    pub fn enclosed(&self, most: usize) -> ValueSet {
        if self.list.len() <= most {
            return self.clone();
        }
        Self::of_list(self.width, enclosed(&self.list, most))
    }

    /// The least single interval with step that has all of it.
    pub fn hull(&self) -> ValueSet {
        let hull = self.list.iter().copied().reduce(|a, b| a.hull(&b));
        ValueSet {
            width: self.width,
            list: hull.into_iter().collect(),
        }
    }
}

impl StridedInterval {
    /// How many words it has besides the first.
    pub(crate) fn count_minus_one(&self) -> u64 {
        (self.hi - self.lo) / self.stride()
    }
}

/// The word with only the sign bit.
pub(crate) fn sign_bit(width: u32) -> u64 {
    1 << (width - 1)
}
