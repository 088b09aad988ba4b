//! Conditions on one variable that stands on both sides, or twice on one.
//!
//! Both sides are `k * x + c` with everything else known. Where neither product passes a multiple
//! of the modulus they are straight lines, so a comparison is decided by one bound on `x`; there
//! are about as many such pieces as the factors together say. The result is exact, so its
//! complement is too; what cannot be exact (more ranges than a set may have) is `None`.

use super::inverse::View;
use super::ranges::{Ranges, mask};
use cairn_expr::{Op, Term};

/// Larger factors have too many pieces.
const LARGEST_FACTOR: u64 = 64;

/// `factor * x + offset` modulo 2^w.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    pub factor: u64,
    pub offset: u64,
}

/// How two lines are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    Equal,
    Less,
    LessSigned,
}

/// A term as a line in the variable, which must be as wide as the term.
pub fn line(term: &Term, view: &mut impl View) -> Option<Line> {
    let w = term.width();
    if w > 64 {
        return None;
    }
    let m = mask(w);
    if view.is_variable(term) {
        return (view.width() == w).then_some(Line {
            factor: 1 & m,
            offset: 0,
        });
    }
    if !view.mentions(term) {
        let offset = view.values(term)?.as_point()?;
        return Some(Line { factor: 0, offset });
    }
    let scaled = |l: Line, k: u64| Line {
        factor: l.factor.wrapping_mul(k) & m,
        offset: l.offset.wrapping_mul(k) & m,
    };
    match term.op() {
        Op::BvAdd => {
            let (a, b) = (line(term.arg(0), view)?, line(term.arg(1), view)?);
            Some(Line {
                factor: a.factor.wrapping_add(b.factor) & m,
                offset: a.offset.wrapping_add(b.offset) & m,
            })
        }
        Op::BvMul => {
            let (a, b) = (line(term.arg(0), view)?, line(term.arg(1), view)?);
            match (a.factor, b.factor) {
                (0, _) => Some(scaled(b, a.offset)),
                (_, 0) => Some(scaled(a, b.offset)),
                _ => None,
            }
        }
        Op::BvNeg => Some(scaled(line(term.arg(0), view)?, m)),
        // A multiple of a power of two: the low bits moved up.
        Op::Concat => {
            let (high, low) = (term.arg(0), term.arg(1));
            let Op::Extract { lo: 0, .. } = high.op() else {
                return None;
            };
            if high.arg(0).width() != w || view.mentions(low) {
                return None;
            }
            let offset = view.values(low)?.as_point()?;
            let moved = scaled(line(high.arg(0), view)?, 1 << low.width());
            Some(Line {
                offset: moved.offset.wrapping_add(offset) & m,
                ..moved
            })
        }
        _ => None,
    }
}

/// The words for which a comparison of two lines is `want`.
pub fn compare(width: u32, a: Line, b: Line, how: Comparison, want: bool) -> Option<Ranges> {
    let m = mask(width);
    let holds = match how {
        Comparison::Equal => {
            let difference = b.offset.wrapping_sub(a.offset) & m;
            Ranges::point(width, difference).divided(a.factor.wrapping_sub(b.factor) & m)?
        }
        Comparison::Less => less(width, a, b)?,
        Comparison::LessSigned => {
            let flipped = |l: Line| Line {
                offset: l.offset ^ 1 << (width - 1),
                ..l
            };
            less(width, flipped(a), flipped(b))?
        }
    };
    Some(if want { holds } else { holds.complement() })
}

fn less(width: u32, a: Line, b: Line) -> Option<Ranges> {
    if a.factor > LARGEST_FACTOR || b.factor > LARGEST_FACTOR {
        return None;
    }
    let modulus = 1i128 << width;
    let mut found: Vec<(u64, u64)> = Vec::new();
    let mut from: i128 = 0;
    while from < modulus {
        // The piece from here to where one of the lines reaches the next multiple.
        let at = |l: Line| i128::from(l.factor) * from + i128::from(l.offset);
        let around = |l: Line| at(l) / modulus;
        let end = |l: Line| match i128::from(l.factor) {
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
    Ranges::from_ranges(width, &found)
}

#[cfg(test)]
#[path = "linear_tests.rs"]
mod tests;
