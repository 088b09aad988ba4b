//! Indices as linear sums modulo 2^w: which values an index can have, and whether two can be equal.
//!
//! # Problem
//! The bytes of an integer are read at `4 * i`, `4 * i + 1` and so on. A read at one of them has nothing to
//! do with a store at another, but the comparison of the two indices is two adders, and an axiom about the
//! read carries it along.
//!
//! # Idea
//! An index is a sum of multiples of terms and a constant, modulo 2^w. Two indices are never equal if their
//! difference is never zero: it is a constant other than zero; or all its factors are multiples of a 2^k
//! that does not divide the constant; or the bounds of its terms leave no multiple of 2^w. The question is
//! that of the types and intervals of \[ShuaiEtAl21, section 4.3\].
//!
//! # What differs
//! There, two bytes differ by the size of the access; that is wrong for an unaligned access and for a cast
//! pointer. Here the factors of the sum itself are the proof. The sum is taken modulo 2^w over terms that
//! may be narrower than the index, which the sums of value sets (`layers/value_sets/difference.rs`, two
//! terms and a constant) and of linear arithmetic (`layers/linear/system.rs`, over the integers) are not;
//! so the three have no representation in common.
//!
//! # Soundness
//! A sum equals its term under every assignment, whatever the facts are: a part is taken out of a narrower
//! operator only where that operator does not wrap around, or where the factor shifts the wrapped bits out
//! of the word. The bounds of terms follow from their form alone. So conclusions may stand in axioms that
//! stay in the circuit.
//!
//! # Cost
//! One walk over the upper part of an index, once.

use cairn_bv::mask;
use cairn_expr::{Op, Sort, Term, low_zeros};
use smallvec::SmallVec;

/// Operators below this depth of an index are not taken apart.
const DEEPEST: u32 = 12;
/// A sum of more terms is kept as one term.
const MOST_PARTS: usize = 8;

/// A multiple of a term.
#[derive(Clone, Debug)]
struct Summand {
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
    parts: SmallVec<[Summand; 2]>,
    constant: u64,
    /// Too many parts: the sum is not complete.
    full: bool,
}

/// The words from `first` to `last` that are equal to `remainder` modulo 2^`twos`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StridedRange {
    /// The least.
    pub first: u64,
    /// The largest.
    pub last: u64,
    /// How many low bits are known.
    pub twos: u32,
    /// The known low bits.
    pub remainder: u64,
}

impl StridedRange {
    /// How many of them lie between two words, inclusive.
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

/// Whether a number is known and fits into `width` bits.
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
        self.add(Summand {
            term,
            factor,
            zeros,
        });
    }

    fn add(&mut self, part: Summand) {
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

    /// Adds a term, times a factor. The term may be narrower than the sum.
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
        let wraps_unseen = self.hides_wrapping(width, factor);
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
                self.collect_product(term, term.arg(part), by, factor, below);
            }
            Op::BvShl => match number(1) {
                Some(by) if by < u64::from(width) => {
                    self.collect_product(term, term.arg(0), 1 << by, factor, below);
                }
                Some(_) => {}
                None => self.add_part(term, factor),
            },
            Op::BvNeg if wraps_unseen => {
                self.collect(term.arg(0), factor.wrapping_neg(), below);
            }
            // ~x is all ones minus x.
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
                self.collect_high_bits(term, *lo, factor, below);
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

    /// Whether a term of this width may wrap around without changing the sum: it changes by a multiple
    /// of 2^w then.
    fn hides_wrapping(&self, width: u32, factor: u64) -> bool {
        factor.trailing_zeros() + width >= self.width
    }

    /// Adds `factor * term`, where the term is `operand * by`.
    fn collect_product(&mut self, term: &Term, operand: &Term, by: u64, factor: u64, depth: u32) {
        let width = term.width();
        let largest = operand.attributes().largest;
        match self.hides_wrapping(width, factor) || fits(largest.checked_mul(by), width) {
            true => self.collect(operand, factor.wrapping_mul(by), depth),
            false => self.add_part(term, factor),
        }
    }

    /// Adds `factor * term`, where the term is the bits of its operand from `lowest` on.
    fn collect_high_bits(&mut self, term: &Term, lowest: u32, factor: u64, depth: u32) {
        let whole = Self::with_depth(term.arg(0), depth);
        let Some(whole) = whole.filter(|s| s.is_multiple(lowest)) else {
            return self.add_part(term, factor);
        };
        // The low bits of the constant are cut off; no part has bits there.
        self.add_constant(factor.wrapping_mul(whole.constant >> lowest));
        for part in whole.parts {
            let times = factor.wrapping_mul(part.factor >> lowest);
            let factor = times & mask(self.width);
            if factor != 0 {
                self.add(Summand { factor, ..part });
            }
        }
    }

    /// Whether all factors are multiples of a power of two.
    fn is_multiple(&self, twos: u32) -> bool {
        self.parts.iter().all(|p| p.factor.trailing_zeros() >= twos)
    }

    /// The integer nearest to zero that equals a factor modulo 2^w.
    fn signed(&self, factor: u64) -> i128 {
        let modulus = 1i128 << self.width;
        match i128::from(factor) {
            f if 2 * f > modulus => f - modulus,
            f => f,
        }
    }

    /// Bounds of the sum over the integers, before it is taken modulo 2^w.
    fn range(&self) -> Option<(i128, i128)> {
        let start = i128::from(self.constant);
        self.parts.iter().try_fold((start, start), |range, part| {
            let factor = self.signed(part.factor);
            let most = factor.checked_mul(i128::from(part.term.attributes().largest))?;
            let (down, up) = (most.min(0), most.max(0));
            Some((range.0.checked_add(down)?, range.1.checked_add(up)?))
        })
    }

    /// How many low bits equal those of the constant, whatever the terms are.
    fn known_twos(&self) -> u32 {
        let of = |p: &Summand| p.factor.trailing_zeros() + p.zeros;
        let least = self.parts.iter().map(of).min();
        least.unwrap_or(self.width).min(self.width)
    }

    /// The values that the sum can have.
    pub fn values(&self) -> StridedRange {
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
        StridedRange {
            first,
            last,
            twos,
            remainder: self.constant & low,
        }
    }

    /// Whether two sums of the same width differ under every assignment.
    pub fn is_never_equal(&self, other: &IndexSum) -> bool {
        if self.width != other.width {
            return false;
        }
        let mut difference = self.clone();
        for part in &other.parts {
            difference.add(Summand {
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
#[path = "index_sum_tests.rs"]
mod tests;
