//! Builder of [`ValueSet`]: makes pieces disjoint, joins adjacent ones, and bounds their number.
//!
//! # Soundness
//! The result contains every word of every piece that was added. Where it may contain more, because there were too
//! many pieces or a piece was inexact already, the [`Enclosure`] is marked as not exact.

use crate::piece::{StridedInterval, gcd};
use crate::set::{Enclosure, ValueSet};
use cairn_bv::mask;
use smallvec::SmallVec;

/// How many pieces a set has at most: a search through a few hundred words leaves that many gaps.
pub const MOST_PIECES: usize = 256;
/// How many pieces are worked on before a list is given up.
const WORK: usize = 2 * MOST_PIECES;

/// The pieces of a set: most have one or two.
pub(crate) type List = SmallVec<[StridedInterval; 2]>;
/// Pieces that are worked on: a few need no memory of their own.
pub(crate) type Parts = SmallVec<[StridedInterval; 6]>;

/// The words of some disjoint pieces that are in none of others.
pub(crate) fn subtract_all(from: &[StridedInterval], others: &[StridedInterval]) -> Option<Parts> {
    let mut left = Parts::from_slice(from);
    let mut next = Parts::new();
    for other in others {
        next.clear();
        for p in &left {
            if p.hi < other.lo || other.hi < p.lo {
                next.push(*p);
            } else {
                p.subtract(other, WORK, |rest| next.push(rest))?;
            }
        }
        if next.len() > WORK {
            return None;
        }
        std::mem::swap(&mut left, &mut next);
    }
    Some(left)
}

/// The pieces of a set that is being built.
pub(crate) struct Collector {
    width: u32,
    list: Parts,
    exact: bool,
}

impl Collector {
    pub(crate) fn new(width: u32) -> Self {
        Self::of_parts(width, Parts::new())
    }

    pub(crate) fn of_parts(width: u32, list: Parts) -> Self {
        Collector {
            width,
            list,
            exact: true,
        }
    }

    pub(crate) fn push(&mut self, piece: StridedInterval) {
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
        set.pieces().iter().for_each(|p| self.push(*p));
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
            return self.push(StridedInterval::point(from));
        }
        let length = more * step;
        if length <= m - from {
            return self.push(StridedInterval::up_to(from, from + length, step));
        }
        // How many steps stay below 2^w.
        let fits = (m - from) / step;
        self.push(StridedInterval::up_to(from, from + fits * step, step));
        let first = (u128::from(from) + (u128::from(fits) + 1) * u128::from(step)) & u128::from(m);
        let first = first as u64;
        self.push(StridedInterval::up_to(
            first,
            first + (more - fits - 1) * step,
            step,
        ));
    }

    /// The set, if the pieces are known to share no word.
    pub(crate) fn disjoint(self) -> Enclosure {
        normal(self.width, self.list, self.exact)
    }

    /// The set of parts that share no word as long as each is exact: what an operator makes words of
    /// disjoint pieces of, or what an injective one makes of them. Separating takes a step for every pair.
    pub(crate) fn apart_if_exact(self) -> Enclosure {
        if self.exact {
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
                    self.list.clear();
                    self.list.push(hull);
                    self.exact = false;
                }
            }
        }
        normal(self.width, self.list, self.exact)
    }

    /// Makes the pieces disjoint; `false` if that is too much work.
    fn separate(&mut self) -> bool {
        let mut done = Parts::with_capacity(self.list.len());
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
fn join_intervals(list: &mut Parts) {
    let mut kept = 0;
    for i in 1..list.len() {
        let next = list[i];
        let last = &mut list[kept];
        if next.lo <= last.hi.saturating_add(1) {
            *last = StridedInterval::range(last.lo, last.hi.max(next.hi));
        } else {
            kept += 1;
            list[kept] = next;
        }
    }
    list.truncate(kept + 1);
}

/// Joins neighbours with one step; two single words only if `points` says so or they touch.
fn join_steps(list: &mut Parts, points: bool) {
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
                *last = StridedInterval {
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
fn join_all(list: &mut Parts) {
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
        list.push(StridedInterval {
            lo: first.lo,
            hi,
            step,
        });
    }
}

/// The set of disjoint pieces, or one around it if they are too many.
fn normal(width: u32, mut list: Parts, mut exact: bool) -> Enclosure {
    if list.len() > 1 {
        list.sort_unstable();
        if list.iter().all(|p| p.step <= 1) {
            join_intervals(&mut list);
        } else {
            join_steps(&mut list, false);
            join_all(&mut list);
        }
    }
    if list.len() > MOST_PIECES {
        join_steps(&mut list, true);
        join_all(&mut list);
    }
    if list.len() > MOST_PIECES {
        exact = false;
        enclose(&mut list, MOST_PIECES);
    }
    Enclosure {
        set: ValueSet::of_list(width, compact(list)),
        exact,
    }
}

/// The list where it fits into the set itself.
fn compact(list: Parts) -> List {
    if list.spilled() && list.len() > 2 {
        return List::from_vec(list.into_vec());
    }
    List::from_slice(&list)
}

/// A list of at most so many pieces around a longer one.
pub(crate) fn enclosed(list: &[StridedInterval], most: usize) -> List {
    let mut list = Parts::from_slice(list);
    enclose(&mut list, most);
    compact(list)
}

/// Makes a list as short as `most` by filling the smallest gaps.
fn enclose(list: &mut Parts, most: usize) {
    if list.windows(2).any(|w| w[1].lo <= w[0].hi) {
        let first = list[0];
        let hull = list.iter().fold(first, |a, b| a.hull(b));
        list.clear();
        list.push(hull);
        return;
    }
    let mut gaps: Vec<u64> = list.windows(2).map(|w| w[1].lo - w[0].hi).collect();
    let fill = list.len() - most;
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
