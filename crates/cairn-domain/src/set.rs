//! Sets of words, and what can be said about them without any operator.
//!
//! - **Problem.** Comparisons with constants, additions and casts make unions of few intervals out
//!   of the values of an input; products and remainders make steps. One interval is too little, one
//!   step for the whole set (the paper) too.
//! - **Idea.** A sorted list of at most [`CAP`] disjoint [`Piece`]s, each with its own step. Pieces
//!   may interleave (`x % 4` is 1 or 2), so residue classes are sets like others.
//! - **Canonical.** Pieces that follow each other with the same step are one piece, a list that is
//!   one progression is one piece, and single words are not joined to steps above 1 unless the list
//!   would be too long. Sets of intervals have exactly one form; of sets with steps, different
//!   lists may be the same set, so only equal lists are known to be equal ([`ValueSet::is_subset`]
//!   decides).
//! - **Bounded.** Whatever would need more than [`CAP`] pieces says `None` or gives an enclosing
//!   set; nothing grows with the path.

use crate::piece::{Piece, gcd, mask};
use smallvec::SmallVec;

/// How many pieces a set has at most: a search through a few hundred words leaves that many gaps.
pub const CAP: usize = 256;
/// How many pieces are worked on before a list is given up.
const WORK: usize = 2 * CAP;

type List = SmallVec<[Piece; 2]>;

/// A set of words of one width of at most 64 bits. See the file's head.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ValueSet {
    width: u32,
    list: List,
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
        Self::of_piece(width, Piece::point(word & mask(width)))
    }

    /// The words from `low` to `high`; none if `low` is the larger.
    pub fn range(width: u32, low: u64, high: u64) -> Self {
        if low > high {
            return Self::empty(width);
        }
        Self::of_piece(width, Piece::range(low, high.min(mask(width))))
    }

    /// One piece.
    pub fn of_piece(width: u32, piece: Piece) -> Self {
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
        // Nothing is below 0: the printed rule would go around.
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
    pub fn from_pieces(width: u32, pieces: &[Piece]) -> Enclosure {
        let mut all = Collector::new(width);
        pieces.iter().for_each(|p| all.push(*p));
        all.enclosing()
    }

    /// The width of its words.
    #[inline]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Its pieces in order of their smallest words.
    #[inline]
    pub fn pieces(&self) -> &[Piece] {
        &self.list
    }

    /// Whether it has no word.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether it has every word.
    pub fn is_full(&self) -> bool {
        self.list.as_slice() == [Piece::range(0, mask(self.width))]
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
        self.list.iter().map(Piece::count).sum()
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
        let around = |p: &Piece| [p.at_most(word), p.at_least(word)];
        let near = self.list.iter().flat_map(around).flatten();
        near.min_by_key(|w| w.abs_diff(word))
    }

    /// Its words, piece by piece.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.list.iter().flat_map(Piece::iter)
    }

    /// What is in both; `None` if that has too many pieces.
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
                both.list.extend(a.intersect(b));
            }
        }
        both.disjoint().if_exact()
    }

    /// What is in both and perhaps more of this set.
    pub fn narrowed(&self, other: &ValueSet) -> ValueSet {
        self.intersect(other).unwrap_or_else(|| self.clone())
    }

    /// What is in one of them.
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
        let rest = Collector {
            width: self.width,
            list: left,
            exact: true,
        };
        rest.disjoint().if_exact()
    }

    /// Whether all its words are in another set; `false` also if that was too much work.
    pub fn is_subset(&self, other: &ValueSet) -> bool {
        if other.is_full() || self.list == other.list {
            return true;
        }
        let inside = |p: &Piece| {
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
        let apart = |a: &Piece| other.list.iter().all(|b| a.intersect(b).is_none());
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

    /// The least single interval with step that has all of it.
    pub fn hull(&self) -> ValueSet {
        let hull = self.list.iter().copied().reduce(|a, b| a.hull(&b));
        ValueSet {
            width: self.width,
            list: hull.into_iter().collect(),
        }
    }
}

impl Piece {
    /// How many words it has besides the first.
    pub(crate) fn count_minus_one(&self) -> u64 {
        (self.hi - self.lo) / self.stride()
    }
}

/// The word with only the sign bit.
pub(crate) fn sign_bit(width: u32) -> u64 {
    1 << (width - 1)
}

/// The words of some disjoint pieces that are in none of others.
fn subtract_all(from: &[Piece], others: &[Piece]) -> Option<Vec<Piece>> {
    let mut left: Vec<Piece> = from.to_vec();
    let mut next = Vec::new();
    for other in others {
        next.clear();
        for p in &left {
            if p.hi < other.lo || other.hi < p.lo {
                next.push(*p);
            } else {
                p.subtract(other, WORK, &mut next)?;
            }
        }
        if next.len() > WORK {
            return None;
        }
        std::mem::swap(&mut left, &mut next);
    }
    Some(left)
}

/// Pieces on their way to a set.
pub(crate) struct Collector {
    width: u32,
    list: Vec<Piece>,
    exact: bool,
}

impl Collector {
    pub(crate) fn new(width: u32) -> Self {
        Collector {
            width,
            list: Vec::new(),
            exact: true,
        }
    }

    pub(crate) fn push(&mut self, piece: Piece) {
        if self.list.len() > WORK {
            // Too many: one piece around all.
            let hull = self.list.iter().fold(piece, |a, b| a.hull(b));
            self.list.clear();
            self.list.push(hull);
            self.exact = false;
        } else {
            self.list.push(piece);
        }
    }

    pub(crate) fn push_set(&mut self, set: &ValueSet) {
        set.list.iter().for_each(|p| self.push(*p));
    }

    pub(crate) fn push_enclosure(&mut self, part: &Enclosure) {
        self.push_set(&part.set);
        self.exact &= part.exact;
    }

    /// Remembers that what is collected is larger than what it stands for.
    pub(crate) fn inexact(&mut self) {
        self.exact = false;
    }

    /// The words `from + i * step` for `i` up to `more`, modulo 2^w; `more * step` is below 2^w.
    pub(crate) fn push_wrapped(&mut self, from: u64, more: u64, step: u64) {
        let m = mask(self.width);
        let from = from & m;
        debug_assert!(u128::from(more) * u128::from(step) <= u128::from(m));
        if more == 0 {
            return self.push(Piece::point(from));
        }
        let length = more * step;
        if length <= m - from {
            return self.push(Piece::up_to(from, from + length, step));
        }
        // How many steps stay below 2^w.
        let fits = (m - from) / step;
        self.push(Piece::up_to(from, from + fits * step, step));
        let first = (u128::from(from) + (u128::from(fits) + 1) * u128::from(step)) & u128::from(m);
        let first = first as u64;
        self.push(Piece::up_to(first, first + (more - fits - 1) * step, step));
    }

    /// The set, if the pieces are known to share no word.
    pub(crate) fn disjoint(self) -> Enclosure {
        normal(self.width, self.list, self.exact)
    }

    /// The set of the images of disjoint pieces. Those of an injective operator share no word as long as
    /// each is exact, and need not be separated, which takes a step for every pair.
    pub(crate) fn of_images(self, injective: bool) -> Enclosure {
        if injective && self.exact {
            self.disjoint()
        } else {
            self.enclosing()
        }
    }

    /// The set of what was collected, or one around it.
    pub(crate) fn enclosing(mut self) -> Enclosure {
        if self.list.len() > 1 {
            self.list.sort_unstable();
            if self.list.iter().all(|p| p.step <= 1) {
                join_intervals(&mut self.list);
            } else {
                let overlap = self.list.windows(2).any(|w| w[1].lo <= w[0].hi);
                if overlap && !self.separate() {
                    let first = self.list[0];
                    let hull = self.list.iter().fold(first, |a, b| a.hull(b));
                    self.list = vec![hull];
                    self.exact = false;
                }
            }
        }
        normal(self.width, self.list, self.exact)
    }

    /// Makes the pieces disjoint; `false` if that is too much work.
    fn separate(&mut self) -> bool {
        let mut done: Vec<Piece> = Vec::with_capacity(self.list.len());
        // Large steps first would be cut by small ones; so small steps stay whole.
        self.list
            .sort_by_key(|p| if p.is_point() { u64::MAX } else { p.step });
        for p in &self.list {
            match subtract_all(&[*p], &done) {
                Some(rest) => done.extend(rest),
                None => return false,
            }
            if done.len() > WORK {
                return false;
            }
        }
        self.list = done;
        true
    }
}

/// Joins sorted intervals that touch or overlap.
fn join_intervals(list: &mut Vec<Piece>) {
    let mut kept = 0;
    for i in 1..list.len() {
        let next = list[i];
        let last = &mut list[kept];
        if next.lo <= last.hi.saturating_add(1) {
            *last = Piece::range(last.lo, last.hi.max(next.hi));
        } else {
            kept += 1;
            list[kept] = next;
        }
    }
    list.truncate(kept + 1);
}

/// Joins neighbours with one step; two single words only if `points` says so or they touch.
fn join_steps(list: &mut Vec<Piece>, points: bool) {
    let mut kept = 0;
    for i in 1..list.len() {
        let next = list[i];
        let last = &mut list[kept];
        let step = match (last.step, next.step) {
            (0, 0) if points => Some(next.lo - last.lo),
            (0, 0) => Some(1),
            (a, 0) | (0, a) => Some(a),
            (a, b) => (a == b).then_some(a),
        };
        let joined = step.filter(|s| next.lo > last.hi && next.lo - last.hi == *s);
        match joined {
            Some(step) => {
                *last = Piece {
                    lo: last.lo,
                    hi: next.hi,
                    step,
                }
            }
            None => {
                kept += 1;
                list[kept] = next;
            }
        }
    }
    list.truncate(kept + 1);
}

/// Disjoint pieces that are one progression become one piece: all are congruent modulo the
/// greatest common divisor, and there are as many as fit.
fn join_all(list: &mut Vec<Piece>) {
    let (Some(first), true) = (list.first().copied(), list.len() > 1) else {
        return;
    };
    let (mut step, mut hi, mut count) = (0, first.hi, 0u128);
    for p in list.iter() {
        step = gcd(gcd(step, p.step), p.lo - first.lo);
        hi = hi.max(p.hi);
        count += p.count();
    }
    let points = list.iter().all(|p| p.step == 0);
    if count == u128::from((hi - first.lo) / step) + 1 && (!points || step == 1) {
        list.clear();
        list.push(Piece {
            lo: first.lo,
            hi,
            step,
        });
    }
}

/// The set of disjoint pieces, or one around it if they are too many.
fn normal(width: u32, mut list: Vec<Piece>, mut exact: bool) -> Enclosure {
    if list.len() > 1 {
        list.sort_unstable();
        if list.iter().all(|p| p.step <= 1) {
            join_intervals(&mut list);
        } else {
            join_steps(&mut list, false);
            join_all(&mut list);
        }
    }
    if list.len() > CAP {
        join_steps(&mut list, true);
        join_all(&mut list);
    }
    if list.len() > CAP {
        exact = false;
        enclose(&mut list);
    }
    Enclosure {
        set: ValueSet {
            width,
            list: list.into_iter().collect(),
        },
        exact,
    }
}

/// Makes a list short enough by filling the smallest gaps.
fn enclose(list: &mut Vec<Piece>) {
    if list.windows(2).any(|w| w[1].lo <= w[0].hi) {
        let first = list[0];
        let hull = list.iter().fold(first, |a, b| a.hull(b));
        *list = vec![hull];
        return;
    }
    let mut gaps: Vec<u64> = list.windows(2).map(|w| w[1].lo - w[0].hi).collect();
    let fill = list.len() - CAP;
    let (_, limit, _) = gaps.select_nth_unstable(fill - 1);
    let limit = *limit;
    let mut left = fill;
    let mut kept = 0;
    for i in 1..list.len() {
        let next = list[i];
        if left > 0 && next.lo - list[kept].hi <= limit {
            list[kept] = list[kept].hull(&next);
            left -= 1;
        } else {
            kept += 1;
            list[kept] = next;
        }
    }
    list.truncate(kept + 1);
}
