//! Indices as sums: where an index can be, and whether two can be the same place.
//!
//! - **Problem.** The bytes of an integer are read at `4 * i`, `4 * i + 1` and so on. A read at one of
//!   them has nothing to do with a write at another, but the comparison of the two indices is two
//!   adders, and an axiom about the read carries it along.
//! - **Idea.** An index is a sum of multiples of terms and a number, modulo 2^w. Two indices are apart if
//!   their difference is never zero: it is a number; or all of its multiples have a factor 2^k that the
//!   number does not have; or the bounds of its terms leave no multiple of 2^w.
//! - **Source.** The types and intervals of ISSTA'21, §4.3. There two bytes are apart by the size of the
//!   access: that is wrong for an unaligned access and for a cast pointer. Here the factors of the
//!   sum itself say it.
//! - **Soundness.** A sum equals its term under every assignment whatever the facts are, because a
//!   part is taken out of a narrower operator only where it does not wrap around or where what wraps is
//!   multiplied out of the word. Bounds of terms are those of their form. So what follows may stand in
//!   axioms for ever.
//! - **Cost.** One look at the upper parts of an index, once.

use super::ranges::mask;
use cairn_expr::{Op, Sort, Term, low_zeros};
use smallvec::SmallVec;

/// How deep an index is looked into.
const DEEPEST: u32 = 12;
/// A sum of more terms is one term.
const MOST_PARTS: usize = 8;

/// A multiple of a term.
#[derive(Clone, Debug)]
struct Part {
    term: Term,
    factor: u64,
    /// Low bits of the term that are always zero.
    zeros: u32,
}

/// A term of at most 64 bits as a sum.
#[derive(Clone, Debug)]
pub struct IndexSum {
    width: u32,
    /// In the order of the terms' ids; no factor is zero.
    parts: SmallVec<[Part; 2]>,
    constant: u64,
    /// Something was left out because there is too much.
    full: bool,
}

/// The words that a sum can be: from first to last, those that have a remainder modulo 2^`twos`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Places {
    /// The least.
    pub first: u64,
    /// The largest.
    pub last: u64,
    /// Low bits that are known.
    pub twos: u32,
    /// What they are.
    pub remainder: u64,
}

impl Places {
    /// How many of them lie between two words.
    pub fn between(&self, low: u64, high: u64) -> u64 {
        let (low, high) = (low.max(self.first), high.min(self.last));
        if low > high {
            return 0;
        }
        if self.twos >= 64 {
            return u64::from((low..=high).contains(&self.remainder));
        }
        // Words up to x that have the remainder.
        let up_to = |x: u64| match x.checked_sub(self.remainder) {
            Some(above) => (u128::from(above) >> self.twos) + 1,
            None => 0,
        };
        let below = low.checked_sub(1).map_or(0, up_to);
        u64::try_from(up_to(high) - below).unwrap_or(u64::MAX)
    }
}

/// Whether a number has no more bits than that.
fn fits(value: Option<u64>, width: u32) -> bool {
    value.is_some_and(|v| u64::BITS - v.leading_zeros() <= width)
}

impl IndexSum {
    /// The sum of an index; `None` if it is wider than 64 bits.
    pub fn of(term: &Term) -> Option<IndexSum> {
        Self::with_depth(term, DEEPEST)
    }

    fn with_depth(term: &Term, depth: u32) -> Option<IndexSum> {
        let width = match term.sort() {
            Sort::BitVec(w) if w <= 64 => w,
            Sort::Bool | Sort::BitVec(_) | Sort::Array { .. } => return None,
        };
        let mut sum = IndexSum {
            width,
            parts: SmallVec::new(),
            constant: 0,
            full: false,
        };
        sum.collect(term, 1, depth);
        if sum.full {
            sum.parts.clear();
            sum.constant = 0;
            sum.add_part(term, 1);
        }
        Some(sum)
    }

    fn add_constant(&mut self, number: u64) {
        self.constant = self.constant.wrapping_add(number) & mask(self.width);
    }

    fn add_part(&mut self, term: &Term, factor: u64) {
        let zeros = low_zeros(term);
        let term = term.clone();
        self.add(Part {
            term,
            factor,
            zeros,
        });
    }

    fn add(&mut self, part: Part) {
        let id = part.term.id();
        match self.parts.binary_search_by_key(&id, |p| p.term.id()) {
            Ok(at) => {
                let joined = self.parts[at].factor.wrapping_add(part.factor) & mask(self.width);
                match joined {
                    0 => drop(self.parts.remove(at)),
                    joined => self.parts[at].factor = joined,
                }
            }
            Err(at) => self.parts.insert(at, part),
        }
    }

    /// Adds the number of a term, times a factor. The term may be narrower than the sum.
    fn collect(&mut self, term: &Term, factor: u64, depth: u32) {
        let factor = factor & mask(self.width);
        if factor == 0 {
            return;
        }
        if let Some(c) = term.as_const() {
            return self.add_constant(factor.wrapping_mul(c.low_u64()));
        }
        let Some(below) = depth.checked_sub(1) else {
            return self.add_part(term, factor);
        };
        self.full |= self.parts.len() > MOST_PARTS;
        if self.full {
            return;
        }
        let width = term.width();
        // Around the end of the term is a multiple of 2^w: nobody can see it.
        let wraps_unseen = factor.trailing_zeros() + width >= self.width;
        let largest = |i: usize| term.arg(i).attributes().largest;
        let number = |i: usize| term.arg(i).as_const().map(|c| c.low_u64());
        match term.op() {
            Op::BvAdd if wraps_unseen || fits(largest(0).checked_add(largest(1)), width) => {
                self.collect(term.arg(0), factor, below);
                self.collect(term.arg(1), factor, below);
            }
            Op::BvMul => {
                let (part, by) = match (number(0), number(1)) {
                    (Some(by), _) => (1, by),
                    (_, Some(by)) => (0, by),
                    (None, None) => return self.add_part(term, factor),
                };
                match wraps_unseen || fits(largest(part).checked_mul(by), width) {
                    true => self.collect(term.arg(part), factor.wrapping_mul(by), below),
                    false => self.add_part(term, factor),
                }
            }
            Op::BvShl => match number(1) {
                Some(by) if by < u64::from(width) => {
                    let times = 1u64 << by;
                    match wraps_unseen || fits(largest(0).checked_mul(times), width) {
                        true => self.collect(term.arg(0), factor.wrapping_mul(times), below),
                        false => self.add_part(term, factor),
                    }
                }
                Some(_) => {}
                None => self.add_part(term, factor),
            },
            Op::BvNeg if wraps_unseen => {
                self.collect(term.arg(0), factor.wrapping_neg(), below);
            }
            // What is left to all ones.
            Op::BvNot => {
                self.add_constant(factor.wrapping_mul(mask(width)));
                self.collect(term.arg(0), factor.wrapping_neg(), below);
            }
            Op::ZeroExtend(_) => self.collect(term.arg(0), factor, below),
            Op::SignExtend(_) if fits(Some(largest(0)), term.arg(0).width() - 1) => {
                self.collect(term.arg(0), factor, below);
            }
            Op::Concat => {
                let low = term.arg(1);
                self.collect(term.arg(0), factor.wrapping_shl(low.width()), below);
                self.collect(low, factor, below);
            }
            Op::Extract { lo: 0, .. }
                if term.arg(0).width() <= 64 && (wraps_unseen || fits(Some(largest(0)), width)) =>
            {
                self.collect(term.arg(0), factor, below);
            }
            Op::Extract { lo, .. } if wraps_unseen => {
                match Self::with_depth(term.arg(0), below).filter(|s| s.is_multiple(*lo)) {
                    Some(whole) => {
                        // The number below is cut off, and no multiple reaches down there.
                        self.add_constant(factor.wrapping_mul(whole.constant >> lo));
                        for part in whole.parts {
                            let times = factor.wrapping_mul(part.factor >> lo);
                            let factor = times & mask(self.width);
                            if factor != 0 {
                                self.add(Part { factor, ..part });
                            }
                        }
                    }
                    None => self.add_part(term, factor),
                }
            }
            Op::Bool(_)
            | Op::Const(_)
            | Op::Base(_)
            | Op::Symbol(_)
            | Op::Table(_)
            | Op::ConstArray { .. }
            | Op::Store
            | Op::Select
            | Op::Ite
            | Op::Not
            | Op::And
            | Op::Eq
            | Op::Extract { .. }
            | Op::SignExtend(_)
            | Op::BvAnd
            | Op::BvOr
            | Op::BvXor
            | Op::BvNeg
            | Op::BvAdd
            | Op::BvUdiv
            | Op::BvUrem
            | Op::BvSdiv
            | Op::BvSrem
            | Op::BvSmod
            | Op::BvLshr
            | Op::BvAshr
            | Op::BvUlt
            | Op::BvSlt => self.add_part(term, factor),
        }
    }

    /// Whether all factors are multiples of a power of two.
    fn is_multiple(&self, twos: u32) -> bool {
        self.parts.iter().all(|p| p.factor.trailing_zeros() >= twos)
    }

    /// A factor or number of the sum, by the nearest of zero that is the same modulo 2^w.
    fn signed(&self, factor: u64) -> i128 {
        let modulus = 1i128 << self.width;
        match i128::from(factor) {
            f if 2 * f > modulus => f - modulus,
            f => f,
        }
    }

    /// Between which integers the sum lies before it is taken modulo 2^w.
    fn range(&self) -> Option<(i128, i128)> {
        let start = i128::from(self.constant);
        self.parts.iter().try_fold((start, start), |range, part| {
            let factor = self.signed(part.factor);
            let most = factor.checked_mul(i128::from(part.term.attributes().largest))?;
            let (down, up) = (most.min(0), most.max(0));
            Some((range.0.checked_add(down)?, range.1.checked_add(up)?))
        })
    }

    /// Low bits that are those of the number, whatever the terms are.
    fn known_twos(&self) -> u32 {
        let of = |p: &Part| p.factor.trailing_zeros() + p.zeros;
        let least = self.parts.iter().map(of).min();
        least.unwrap_or(self.width).min(self.width)
    }

    /// Where the sum can be.
    pub fn places(&self) -> Places {
        let modulus = 1i128 << self.width;
        let (mut first, mut last) = (0, mask(self.width));
        if let Some((low, high)) = self.range() {
            let around = low.div_euclid(modulus);
            if high.div_euclid(modulus) == around {
                first = (low - around * modulus) as u64;
                last = (high - around * modulus) as u64;
            }
        }
        let twos = self.known_twos();
        let low = if twos == 0 { 0 } else { mask(twos) };
        Places {
            first,
            last,
            twos,
            remainder: self.constant & low,
        }
    }

    /// Whether two sums of the same width are different under every assignment.
    pub fn is_apart(&self, other: &IndexSum) -> bool {
        if self.width != other.width {
            return false;
        }
        let mut difference = self.clone();
        for part in &other.parts {
            difference.add(Part {
                factor: part.factor.wrapping_neg() & mask(self.width),
                ..part.clone()
            });
        }
        difference.add_constant(other.constant.wrapping_neg());
        let twos = difference.known_twos();
        if twos > 0 && difference.constant & mask(twos) != 0 {
            return true;
        }
        let modulus = 1i128 << self.width;
        // No multiple of 2^w is in the range.
        difference
            .range()
            .is_some_and(|(low, high)| high.div_euclid(modulus) * modulus < low)
    }
}

#[cfg(test)]
#[path = "sums_tests.rs"]
mod tests;
