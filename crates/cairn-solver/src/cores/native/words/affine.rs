//! Comparisons whose sides are affine in one variable that occurs on both sides, or twice on one.
//!
//! # Idea
//! Both sides are `k * x + c`, everything else being known. Between two multiples of the modulus both are
//! straight lines, so the comparison is one bound on `x`; there are about as many such pieces as the
//! factors together.
//!
//! # Soundness
//! The result is exact, so its complement is too. A result that needs too many ranges is `None`.

use super::inverse::VariableView;
use cairn_bv::mask;
use cairn_domain::RangeSet;
use cairn_expr::{Op, Term};

/// Larger factors have too many linear pieces.
const LARGEST_FACTOR: u64 = 64;

/// `factor * x + offset` modulo 2^w, where `x` is the variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Affine {
    pub factor: u64,
    pub offset: u64,
}

/// A comparison of two affine terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    Equal,
    Less,
    LessSigned,
}

/// A term as an affine function of the variable, which must be as wide as the term.
pub fn affine(term: &Term, view: &mut impl VariableView) -> Option<Affine> {
    let w = term.width();
    if w > 64 {
        return None;
    }
    let m = mask(w);
    if view.is_variable(term) {
        return (view.width() == w).then_some(Affine {
            factor: 1 & m,
            offset: 0,
        });
    }
    if !view.mentions(term) {
        let offset = view.values(term)?.as_point()?;
        return Some(Affine { factor: 0, offset });
    }
    let scaled = |l: Affine, k: u64| Affine {
        factor: l.factor.wrapping_mul(k) & m,
        offset: l.offset.wrapping_mul(k) & m,
    };
    match term.op() {
        Op::BvAdd => {
            let (a, b) = (affine(term.arg(0), view)?, affine(term.arg(1), view)?);
            Some(Affine {
                factor: a.factor.wrapping_add(b.factor) & m,
                offset: a.offset.wrapping_add(b.offset) & m,
            })
        }
        Op::BvMul => {
            let (a, b) = (affine(term.arg(0), view)?, affine(term.arg(1), view)?);
            match (a.factor, b.factor) {
                (0, _) => Some(scaled(b, a.offset)),
                (_, 0) => Some(scaled(a, b.offset)),
                _ => None,
            }
        }
        Op::BvNeg => Some(scaled(affine(term.arg(0), view)?, m)),
        // `x[..] ++ 0…0` is a multiple of x.
        Op::Concat => {
            let (high, low) = (term.arg(0), term.arg(1));
            let Op::Extract { lo: 0, .. } = high.op() else {
                return None;
            };
            if high.arg(0).width() != w || view.mentions(low) {
                return None;
            }
            let offset = view.values(low)?.as_point()?;
            let moved = scaled(affine(high.arg(0), view)?, 1 << low.width());
            Some(Affine {
                offset: moved.offset.wrapping_add(offset) & m,
                ..moved
            })
        }
        _ => None,
    }
}

/// The values of the variable for which a comparison of two affine terms is `want`.
pub fn compare(width: u32, a: Affine, b: Affine, how: Comparison, want: bool) -> Option<RangeSet> {
    let m = mask(width);
    let holds = match how {
        Comparison::Equal => {
            let difference = b.offset.wrapping_sub(a.offset) & m;
            RangeSet::point(width, difference).preimage_mul(a.factor.wrapping_sub(b.factor) & m)?
        }
        Comparison::Less => less(width, a, b)?,
        Comparison::LessSigned => {
            let flipped = |l: Affine| Affine {
                offset: l.offset ^ 1 << (width - 1),
                ..l
            };
            less(width, flipped(a), flipped(b))?
        }
    };
    Some(if want { holds } else { holds.complement() })
}

fn less(width: u32, a: Affine, b: Affine) -> Option<RangeSet> {
    if a.factor > LARGEST_FACTOR || b.factor > LARGEST_FACTOR {
        return None;
    }
    let modulus = 1i128 << width;
    let mut found: Vec<(u64, u64)> = Vec::new();
    let mut from: i128 = 0;
    while from < modulus {
        // The piece from here to where one of the terms wraps around next.
        let at = |l: Affine| i128::from(l.factor) * from + i128::from(l.offset);
        let around = |l: Affine| at(l) / modulus;
        let end = |l: Affine| match i128::from(l.factor) {
            0 => modulus,
            // The first x with k * x + c >= (q + 1) * modulus.
            k => ((around(l) + 1) * modulus - i128::from(l.offset) + k - 1) / k,
        };
        let to = end(a).min(end(b)).min(modulus) - 1;
        // slope * x < rest on the piece
        let slope = i128::from(a.factor) - i128::from(b.factor);
        let rest = (i128::from(b.offset) - around(b) * modulus)
            - (i128::from(a.offset) - around(a) * modulus);
        let (low, high) = match slope {
            0 if rest > 0 => (from, to),
            0 => (1, 0),
            s if s > 0 => (from, to.min((rest - 1).div_euclid(s))),
            // x > rest / slope
            s => (from.max((-rest).div_euclid(-s) + 1), to),
        };
        if low <= high {
            found.push((low as u64, high as u64));
        }
        from = to + 1;
    }
    RangeSet::from_ranges(width, &found)
}

#[cfg(test)]
#[path = "affine_tests.rs"]
mod tests;
