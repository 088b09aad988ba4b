//! Operators with one unknown operand, the other being a constant.
//!
//! [`Unary::image`] computes the words that an operator makes of a set, and [`Unary::preimage`] (in `preimage.rs`)
//! the words of a domain whose results are in a set. Both return an [`Enclosure`]: never too small, and marked as
//! exact or not. Division and shifts by any constant follow SMT-LIB; [`Unary::apply`] is the definition.
//!
//! # What differs
//! Corrections to the rules as published \[SoriaDustmannWehrleCadar18\] \[AbyanehKirsch21\]:
//!
//! - (6) and §3.4.7, products: a product may wrap around many times. Then the words are a coset of 2^t if there are
//!   enough of them, and enclosed by it if not.
//! - (7), quotients: with a step of at least k that is no multiple of it, the published step loses words
//!   ({0,5,10,15}/2). Here few words are listed, and more have step 1.
//! - (8), remainders: the test with the least common multiple is a test on the number of words, without overflow;
//!   intervals that cross few multiples of k are cut there.
//! - §3.4.4, narrowing: not truncated but taken modulo 2^n, like a remainder.

use crate::collector::Collector;
use crate::piece::StridedInterval;
use crate::piece_image::{and_mask, divide, flip, multiply, negate, remainder};
use crate::set::{Enclosure, ValueSet, sign_bit};
use cairn_bv::{BitVec, mask};

/// Up to this many words are listed one by one where no rule is exact.
pub(crate) const LISTED: u128 = 64;
/// Up to this many parts an interval is cut into.
pub(crate) const PARTS: u64 = 64;

/// An operator applied to an unknown word `x` and a constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    /// `-x`
    Neg,
    /// `~x`
    Not,
    /// `x + c`
    Add(u64),
    /// `x * c`
    Mul(u64),
    /// `x / c`, unsigned
    Udiv(u64),
    /// `x % c`, unsigned
    Urem(u64),
    /// `x / c`, signed, truncating
    Sdiv(u64),
    /// `x % c`, sign of `x`
    Srem(u64),
    /// `x mod c`, sign of `c`
    Smod(u64),
    /// `x & c`
    And(u64),
    /// `x | c`
    Or(u64),
    /// `x ^ c`
    Xor(u64),
    /// `x << c`
    Shl(u64),
    /// `x >> c`, logical
    Lshr(u64),
    /// `x >> c`, arithmetic
    Ashr(u64),
    /// That many zeros before `x`
    ZeroExtend(u32),
    /// The sign that many times before `x`
    SignExtend(u32),
    /// Bits `hi` down to `lo`
    Extract {
        /// Highest bit taken.
        hi: u32,
        /// Lowest bit taken.
        lo: u32,
    },
    /// `c ++ x`
    Prepend {
        /// The constant.
        value: u64,
        /// Its width.
        width: u32,
    },
    /// `x ++ c`
    Append {
        /// The constant.
        value: u64,
        /// Its width.
        width: u32,
    },
}

impl Unary {
    /// The width of the result for an operand of a width; the caller sees to it that neither is
    /// over 64.
    pub fn result_width(self, width: u32) -> u32 {
        match self {
            Unary::ZeroExtend(n) | Unary::SignExtend(n) => width + n,
            Unary::Prepend { width: n, .. } | Unary::Append { width: n, .. } => width + n,
            Unary::Extract { hi, lo } => hi - lo + 1,
            Unary::Neg
            | Unary::Not
            | Unary::Add(_)
            | Unary::Mul(_)
            | Unary::Udiv(_)
            | Unary::Urem(_)
            | Unary::Sdiv(_)
            | Unary::Srem(_)
            | Unary::Smod(_)
            | Unary::And(_)
            | Unary::Or(_)
            | Unary::Xor(_)
            | Unary::Shl(_)
            | Unary::Lshr(_)
            | Unary::Ashr(_) => width,
        }
    }

    /// The result for one word: what the operator means.
    pub fn apply(self, width: u32, word: u64) -> u64 {
        let x = BitVec::new(width, word);
        let c = |value: u64| BitVec::new(width, value);
        let result = match self {
            Unary::Neg => x.neg(),
            Unary::Not => x.not(),
            Unary::Add(k) => x.add(&c(k)),
            Unary::Mul(k) => x.mul(&c(k)),
            Unary::Udiv(k) => x.udiv(&c(k)),
            Unary::Urem(k) => x.urem(&c(k)),
            Unary::Sdiv(k) => x.sdiv(&c(k)),
            Unary::Srem(k) => x.srem(&c(k)),
            Unary::Smod(k) => x.smod(&c(k)),
            Unary::And(k) => x.and(&c(k)),
            Unary::Or(k) => x.or(&c(k)),
            Unary::Xor(k) => x.xor(&c(k)),
            Unary::Shl(k) => x.shl(&c(k)),
            Unary::Lshr(k) => x.lshr(&c(k)),
            Unary::Ashr(k) => x.ashr(&c(k)),
            Unary::ZeroExtend(n) => x.zext(n),
            Unary::SignExtend(n) => x.sext(n),
            Unary::Extract { hi, lo } => x.extract(hi, lo),
            Unary::Prepend { value, width } => BitVec::new(width, value).concat(&x),
            Unary::Append { value, width } => x.concat(&BitVec::new(width, value)),
        };
        result.low_u64()
    }

    /// The words the operator makes of a set.
    pub fn image(self, set: &ValueSet) -> Enclosure {
        let w = set.width();
        let out = self.result_width(w);
        if let Some(word) = set.as_point() {
            return Enclosure::exact(ValueSet::point(out, self.apply(w, word)));
        }
        let mut all = Collector::new(out);
        match self {
            Unary::Neg => negate(set, &mut all),
            Unary::Not => {
                let m = mask(w);
                for p in set.pieces() {
                    all.push(StridedInterval {
                        lo: m - p.hi,
                        hi: m - p.lo,
                        step: p.step,
                    });
                }
            }
            Unary::Add(k) => {
                for p in set.pieces() {
                    all.push_wrapped(p.lo.wrapping_add(k), p.count_minus_one(), p.stride());
                }
            }
            Unary::Mul(k) => set
                .pieces()
                .iter()
                .for_each(|p| multiply(w, p, k, &mut all)),
            Unary::Shl(k) if k >= u64::from(w) => return Unary::Mul(0).image(set),
            Unary::Shl(k) => return Unary::Mul(1 << k).image(set),
            Unary::Udiv(0) => return constant(set, mask(w)),
            Unary::Udiv(k) => set.pieces().iter().for_each(|p| divide(p, k, &mut all)),
            Unary::Lshr(k) if k >= u64::from(w) => return constant(set, 0),
            Unary::Lshr(k) => return Unary::Udiv(1 << k).image(set),
            Unary::Urem(0) => return Enclosure::exact(set.clone()),
            Unary::Urem(k) => set.pieces().iter().for_each(|p| remainder(p, k, &mut all)),
            Unary::Sdiv(_) | Unary::Srem(_) | Unary::Smod(_) => return self.signed_image(set),
            Unary::Ashr(k) => {
                let (positive, negative) = by_sign(set);
                let logical = Unary::Lshr(k.min(u64::from(w) - 1));
                all.push_enclosure(&logical.image(&positive));
                let flipped = logical.image(&Unary::Not.image(&negative).set);
                all.push_enclosure(&through(Unary::Not, flipped));
            }
            Unary::And(k) => set
                .pieces()
                .iter()
                .for_each(|p| and_mask(w, p, k & mask(w), &mut all)),
            Unary::Or(k) => {
                let inverted = Unary::Not.image(set);
                return through(Unary::Not, through(Unary::And(!k), inverted));
            }
            Unary::Xor(k) => {
                let mut parts = PARTS;
                for p in set.pieces() {
                    flip(p, k & mask(w), &mut parts, &mut all);
                }
            }
            Unary::ZeroExtend(_)
            | Unary::SignExtend(_)
            | Unary::Extract { .. }
            | Unary::Prepend { .. }
            | Unary::Append { .. } => self.width_change(set, &mut all),
        }
        if self.is_injective() {
            all.apart_if_exact()
        } else {
            all.enclosing()
        }
    }

    /// The image under an operator that changes the width.
    fn width_change(self, set: &ValueSet, all: &mut Collector) {
        let (w, out) = (set.width(), self.result_width(set.width()));
        match self {
            Unary::ZeroExtend(_) => all.push_set(set),
            Unary::SignExtend(_) => {
                let (positive, negative) = by_sign(set);
                let high = mask(out) - mask(w);
                all.push_set(&positive);
                for p in negative.pieces() {
                    all.push(StridedInterval {
                        lo: p.lo + high,
                        hi: p.hi + high,
                        step: p.step,
                    });
                }
            }
            Unary::Extract { lo, .. } => {
                let shifted = Unary::Lshr(u64::from(lo)).image(set);
                if !shifted.exact {
                    all.inexact();
                }
                for p in shifted.set.pieces() {
                    if out == 64 {
                        all.push(*p);
                    } else {
                        remainder(p, 1 << out, all);
                    }
                }
            }
            Unary::Prepend { value, .. } => {
                let high = if w == 64 { 0 } else { value << w };
                for p in set.pieces() {
                    all.push(StridedInterval {
                        lo: p.lo | high,
                        hi: p.hi | high,
                        step: p.step,
                    });
                }
            }
            Unary::Append { value, width } => {
                for p in set.pieces() {
                    let (lo, hi) = (p.lo << width | value, p.hi << width | value);
                    all.push(StridedInterval {
                        lo,
                        hi,
                        step: p.step << width,
                    });
                }
            }
            Unary::Neg
            | Unary::Not
            | Unary::Add(_)
            | Unary::Mul(_)
            | Unary::Udiv(_)
            | Unary::Urem(_)
            | Unary::Sdiv(_)
            | Unary::Srem(_)
            | Unary::Smod(_)
            | Unary::And(_)
            | Unary::Or(_)
            | Unary::Xor(_)
            | Unary::Shl(_)
            | Unary::Lshr(_)
            | Unary::Ashr(_) => unreachable!("{self:?} keeps the width"),
        }
    }

    /// Whether it makes different words of different ones, so that of disjoint pieces it makes disjoint
    /// pieces.
    fn is_injective(self) -> bool {
        match self {
            Unary::Neg
            | Unary::Not
            | Unary::Add(_)
            | Unary::Xor(_)
            | Unary::ZeroExtend(_)
            | Unary::SignExtend(_)
            | Unary::Prepend { .. }
            | Unary::Append { .. } => true,
            Unary::Mul(k) => k % 2 == 1,
            Unary::Udiv(_)
            | Unary::Urem(_)
            | Unary::Sdiv(_)
            | Unary::Srem(_)
            | Unary::Smod(_)
            | Unary::And(_)
            | Unary::Or(_)
            | Unary::Shl(_)
            | Unary::Lshr(_)
            | Unary::Ashr(_)
            | Unary::Extract { .. } => false,
        }
    }

    /// Signed division and remainders are unsigned ones of the magnitudes, with signs put right.
    fn signed_image(self, set: &ValueSet) -> Enclosure {
        let mut all = Collector::new(set.width());
        let (positive, negative) = by_sign(set);
        let magnitudes = Unary::Neg.image(&negative).set;
        for (part, below_zero) in [(positive, false), (magnitudes, true)] {
            let Some((unsigned, sign)) = self.by_magnitude(set.width(), below_zero) else {
                continue;
            };
            let made = unsigned.image(&part);
            all.push_enclosure(&sign.apply_to(&made));
        }
        all.enclosing()
    }

    /// The unsigned operator that a signed one applies to the magnitudes of words of one sign.
    pub(crate) fn by_magnitude(self, width: u32, below_zero: bool) -> Option<(Unary, Sign)> {
        let m = mask(width);
        let magnitude = |k: u64| {
            let k = k & m;
            let negative = k & sign_bit(width) != 0;
            (if negative { k.wrapping_neg() & m } else { k }, negative)
        };
        match self {
            Unary::Sdiv(k) => {
                let (size, negative) = magnitude(k);
                Some((
                    Unary::Udiv(size),
                    Sign {
                        negate: negative != below_zero,
                        offset: 0,
                    },
                ))
            }
            Unary::Srem(k) => {
                let (size, _) = magnitude(k);
                Some((
                    Unary::Urem(size),
                    Sign {
                        negate: below_zero,
                        offset: 0,
                    },
                ))
            }
            Unary::Smod(k) => {
                let (size, negative) = magnitude(k);
                let offset = if negative != below_zero { k & m } else { 0 };
                Some((
                    Unary::Urem(size),
                    Sign {
                        negate: below_zero,
                        offset,
                    },
                ))
            }
            _ => None,
        }
    }
}

/// How a magnitude becomes a result: zero stays zero, others are negated and moved.
#[derive(Clone, Copy)]
pub(crate) struct Sign {
    pub(crate) negate: bool,
    pub(crate) offset: u64,
}

impl Sign {
    /// The results for magnitudes.
    fn apply_to(self, magnitudes: &Enclosure) -> Enclosure {
        let w = magnitudes.set.width();
        let mut all = Collector::new(w);
        let zero = magnitudes.set.contains(0);
        let rest = if zero && self.offset != 0 {
            // Not more pieces than before.
            magnitudes.set.narrowed(&ValueSet::above(w, 0))
        } else {
            magnitudes.set.clone()
        };
        let rest = Enclosure {
            set: rest,
            exact: magnitudes.exact,
        };
        let signed = if self.negate {
            through(Unary::Neg, rest)
        } else {
            rest
        };
        all.push_enclosure(&through(Unary::Add(self.offset), signed));
        if zero {
            all.push(StridedInterval::point(0));
        }
        all.enclosing()
    }

    /// The magnitudes that become words of a set. They go through [`Unary::preimage`], so only
    /// those that are results of the unsigned operator matter.
    pub(crate) fn undo(self, set: &ValueSet) -> Enclosure {
        let moved = Unary::Add(self.offset.wrapping_neg()).image(set);
        let signed = if self.negate {
            through(Unary::Neg, moved)
        } else {
            moved
        };
        if self.offset == 0 {
            return signed;
        }
        let w = set.width();
        let mut all = Collector::new(w);
        match signed.set.intersect(&ValueSet::above(w, 0)) {
            Some(rest) => all.push_set(&rest),
            None => {
                all.push_set(&signed.set);
                all.inexact();
            }
        }
        if set.contains(0) {
            all.push(StridedInterval::point(0));
        }
        if !signed.exact {
            all.inexact();
        }
        all.enclosing()
    }
}

/// An operator on what encloses its operand.
pub(crate) fn through(f: Unary, operand: Enclosure) -> Enclosure {
    let made = f.image(&operand.set);
    Enclosure {
        exact: made.exact && operand.exact,
        ..made
    }
}

fn constant(set: &ValueSet, word: u64) -> Enclosure {
    Enclosure::exact(if set.is_empty() {
        ValueSet::empty(set.width())
    } else {
        ValueSet::point(set.width(), word)
    })
}

/// The words without and those with the sign bit.
pub(crate) fn by_sign(set: &ValueSet) -> (ValueSet, ValueSet) {
    let w = set.width();
    let half = sign_bit(w);
    let part = |low, high| {
        let mut all = Collector::new(w);
        for p in set.pieces() {
            if let Some(p) = p.between(low, high) {
                all.push(p);
            }
        }
        // Cutting makes no more pieces than there were.
        all.disjoint().set
    };
    (part(0, half - 1), part(half, mask(w)))
}
