//! Operators with two unknown operands: images.
//!
//! Exactness is about *unrelated* operands: for sets X and Y, the words `x ∘ y` with x in X and y in Y. For terms
//! that share an input (`x - x`) only the enclosing set is valid.
//!
//! # What differs
//! Corrections to the rules as published \[AbyanehKirsch21\]:
//!
//! - (3) with (4): a sum of lengths over 2^w gives the coset of the power of two in the step, not the step. (5) is
//!   right given (4).

use crate::collector::Collector;
use crate::piece::{StridedInterval, gcd};
use crate::set::{Enclosure, ValueSet};
use crate::unary::{LISTED, Unary};
use cairn_bv::{BitVec, mask};

/// An operator on two unknown words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    /// `a + b`
    Add,
    /// `a * b`
    Mul,
    /// `a & b`
    And,
    /// `a | b`
    Or,
    /// `a ^ b`
    Xor,
    /// `a / b`, unsigned
    Udiv,
    /// `a % b`, unsigned
    Urem,
    /// `a / b`, signed, truncating
    Sdiv,
    /// `a % b`, sign of `a`
    Srem,
    /// `a mod b`, sign of `b`
    Smod,
    /// `a << b`
    Shl,
    /// `a >> b`, logical
    Lshr,
    /// `a >> b`, arithmetic
    Ashr,
    /// `a` before `b`
    Concat,
}

impl Binary {
    /// The operator with a constant on its right.
    pub fn with_right(self, width: u32, word: u64) -> Unary {
        match self {
            Binary::Add => Unary::Add(word),
            Binary::Mul => Unary::Mul(word),
            Binary::And => Unary::And(word),
            Binary::Or => Unary::Or(word),
            Binary::Xor => Unary::Xor(word),
            Binary::Udiv => Unary::Udiv(word),
            Binary::Urem => Unary::Urem(word),
            Binary::Sdiv => Unary::Sdiv(word),
            Binary::Srem => Unary::Srem(word),
            Binary::Smod => Unary::Smod(word),
            Binary::Shl => Unary::Shl(word),
            Binary::Lshr => Unary::Lshr(word),
            Binary::Ashr => Unary::Ashr(word),
            Binary::Concat => Unary::Append { value: word, width },
        }
    }

    /// The operator with a constant of a width on its left, if that is an operator on one word.
    pub fn with_left(self, width: u32, word: u64) -> Option<Unary> {
        match self {
            Binary::Add => Some(Unary::Add(word)),
            Binary::Mul => Some(Unary::Mul(word)),
            Binary::And => Some(Unary::And(word)),
            Binary::Or => Some(Unary::Or(word)),
            Binary::Xor => Some(Unary::Xor(word)),
            Binary::Concat => Some(Unary::Prepend { value: word, width }),
            Binary::Udiv
            | Binary::Urem
            | Binary::Sdiv
            | Binary::Srem
            | Binary::Smod
            | Binary::Shl
            | Binary::Lshr
            | Binary::Ashr => None,
        }
    }

    /// The result for two words: what the operator means.
    pub fn apply(self, widths: (u32, u32), a: u64, b: u64) -> u64 {
        let (x, y) = (BitVec::new(widths.0, a), BitVec::new(widths.1, b));
        let result = match self {
            Binary::Add => x.add(&y),
            Binary::Mul => x.mul(&y),
            Binary::And => x.and(&y),
            Binary::Or => x.or(&y),
            Binary::Xor => x.xor(&y),
            Binary::Udiv => x.udiv(&y),
            Binary::Urem => x.urem(&y),
            Binary::Sdiv => x.sdiv(&y),
            Binary::Srem => x.srem(&y),
            Binary::Smod => x.smod(&y),
            Binary::Shl => x.shl(&y),
            Binary::Lshr => x.lshr(&y),
            Binary::Ashr => x.ashr(&y),
            Binary::Concat => x.concat(&y),
        };
        result.low_u64()
    }

    /// The words the operator makes of two sets; exact only if the operands are unrelated.
    pub fn image(self, a: &ValueSet, b: &ValueSet) -> Enclosure {
        let widths = (a.width(), b.width());
        let out = match self {
            Binary::Concat => widths.0 + widths.1,
            _ => widths.0,
        };
        if a.is_empty() || b.is_empty() {
            return Enclosure::exact(ValueSet::empty(out));
        }
        if let Some(word) = b.as_point() {
            return self.with_right(widths.1, word).image(a);
        }
        if let Some(word) = a.as_point()
            && let Some(unary) = self.with_left(widths.0, word)
        {
            return unary.image(b);
        }
        let enclosed = self.enclose(out, a, b);
        if enclosed.exact || a.count().saturating_mul(b.count()) > LISTED {
            return enclosed;
        }
        let mut all = Collector::new(out);
        for x in a.iter() {
            for y in b.iter() {
                all.push(StridedInterval::point(self.apply(widths, x, y)));
            }
        }
        let listed = all.enclosing();
        if listed.exact { listed } else { enclosed }
    }

    fn enclose(self, out: u32, a: &ValueSet, b: &ValueSet) -> Enclosure {
        let m = mask(out);
        let within = |low: u64, high: u64| Enclosure {
            set: ValueSet::range(out, low, high.min(m)),
            exact: false,
        };
        let (Some(min_a), Some(max_a)) = (a.min(), a.max()) else {
            return Enclosure::exact(ValueSet::empty(out));
        };
        let (Some(min_b), Some(max_b)) = (b.min(), b.max()) else {
            return Enclosure::exact(ValueSet::empty(out));
        };
        let half = 1u64 << (out - 1);
        match self {
            Binary::Add | Binary::Concat => {
                let each = |a: &ValueSet, b: &ValueSet| {
                    let mut all = Collector::new(out);
                    for p in a.pieces() {
                        for q in b.pieces() {
                            match self {
                                Binary::Add => add(out, p, q, &mut all),
                                _ => concat(p, q, b.width(), &mut all),
                            }
                        }
                    }
                    all.enclosing()
                };
                if (a.pieces().len() * b.pieces().len()) as u128 > LISTED {
                    let rough = each(&a.hull(), &b.hull());
                    return Enclosure {
                        exact: false,
                        ..rough
                    };
                }
                each(a, b)
            }
            Binary::Mul => {
                let most = u128::from(max_a) * u128::from(max_b);
                if most <= u128::from(m) {
                    within(min_a * min_b, most as u64)
                } else {
                    within(0, m)
                }
            }
            Binary::And => within(0, max_a.min(max_b)),
            Binary::Or => within(min_a.max(min_b), ones_over(max_a | max_b)),
            Binary::Xor => within(0, ones_over(max_a | max_b)),
            Binary::Udiv if min_b > 0 => within(min_a / max_b, max_a / min_b),
            Binary::Udiv => within(min_a / max_b, m),
            Binary::Urem if min_b > 0 => within(0, max_a.min(max_b - 1)),
            Binary::Urem => within(0, max_a),
            Binary::Sdiv if max_a < half && max_b < half && min_b > 0 => {
                within(min_a / max_b, max_a / min_b)
            }
            Binary::Srem | Binary::Smod if max_a < half && max_b < half && min_b > 0 => {
                within(0, max_a.min(max_b - 1))
            }
            Binary::Srem if max_a < half => within(0, max_a),
            Binary::Lshr => within(shifted(min_a, max_b), shifted(max_a, min_b)),
            Binary::Ashr if max_a < half => within(shifted(min_a, max_b), shifted(max_a, min_b)),
            Binary::Sdiv | Binary::Srem | Binary::Smod | Binary::Shl | Binary::Ashr => within(0, m),
        }
    }
}

/// All ones up to the highest one of a word.
fn ones_over(word: u64) -> u64 {
    if word == 0 {
        0
    } else {
        mask(64 - word.leading_zeros())
    }
}

fn shifted(word: u64, amount: u64) -> u64 {
    if amount >= 64 { 0 } else { word >> amount }
}

/// Formula (3): sums of two progressions.
fn add(w: u32, p: &StridedInterval, q: &StridedInterval, all: &mut Collector) {
    let m = mask(w);
    let step = gcd(p.step, q.step).max(1);
    let fine = |coarse: &StridedInterval, fine: &StridedInterval| {
        coarse.step.is_multiple_of(fine.stride())
            && fine.count() >= u128::from(coarse.step / fine.stride())
    };
    let exact = p.is_point() || q.is_point() || fine(p, q) || fine(q, p);
    if !exact {
        all.inexact();
    }
    let length = u128::from(p.hi - p.lo) + u128::from(q.hi - q.lo);
    let first = p.lo.wrapping_add(q.lo);
    if length <= u128::from(m) {
        return all.push_wrapped(first, length as u64 / step, step);
    }
    let spacing = 1u64 << step.trailing_zeros();
    if spacing != step {
        all.inexact();
    }
    all.push(StridedInterval::up_to(first & (spacing - 1), m, spacing));
}

/// Words `x << n | y`.
fn concat(p: &StridedInterval, q: &StridedInterval, n: u32, all: &mut Collector) {
    if p.is_point() {
        let high = p.lo << n;
        return all.push(StridedInterval {
            lo: q.lo | high,
            hi: q.hi | high,
            step: q.step,
        });
    }
    if q.is_point() {
        let (lo, hi) = (p.lo << n | q.lo, p.hi << n | q.lo);
        return all.push(StridedInterval {
            lo,
            hi,
            step: p.step << n,
        });
    }
    let (lo, hi) = (p.lo << n | q.lo, p.hi << n | q.hi);
    // The low part goes through all its places and on in the next block.
    let whole = q.step.is_power_of_two() && q.lo < q.step && mask(n) - q.hi < q.step;
    if whole && p.step == 1 {
        return all.push(StridedInterval {
            lo,
            hi,
            step: q.step,
        });
    }
    if p.count() <= LISTED / 2 {
        return p
            .iter()
            .for_each(|x| concat(&StridedInterval::point(x), q, n, all));
    }
    all.inexact();
    all.push(StridedInterval {
        lo,
        hi,
        step: gcd(q.step, p.step << n),
    });
}
