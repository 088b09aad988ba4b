//! Arithmetic in integers, for every format.
//!
//! Formats without a unit of their own on the host go through here, and the tests hold the
//! host's arithmetic against it. Division and square root go digit by digit: the formats that
//! need them are rare, and this way is plainly right.

use crate::layout::{Finite, FormatLayout, NanRule, Number};
use crate::wide::U256;
use cairn_ir::{FloatBinaryOp, FloatCompareOp, FloatFormat, FloatUnaryOp};
use std::cmp::Ordering;

/// A number that need not be one of a format yet. The significand is exact, or jammed and some bits
/// longer than that of the format it is meant for.
#[derive(Clone, Copy)]
pub(crate) struct ExactNumber {
    pub(crate) negative: bool,
    pub(crate) significand: U256,
    pub(crate) exponent: i32,
}

impl From<Finite> for ExactNumber {
    fn from(number: Finite) -> ExactNumber {
        ExactNumber {
            negative: number.negative,
            significand: U256::new(number.significand),
            exponent: number.exponent,
        }
    }
}

/// An operator on two numbers.
pub(crate) fn binary(op: FloatBinaryOp, format: FloatFormat, a: u128, b: u128) -> u128 {
    let layout = FormatLayout::of(format);
    match op {
        FloatBinaryOp::Add => sum(layout, op, a, b, false),
        FloatBinaryOp::Sub => sum(layout, op, a, b, true),
        FloatBinaryOp::Mul => product(layout, a, b),
        FloatBinaryOp::Div => quotient(layout, a, b),
        FloatBinaryOp::Rem => remainder(layout, a, b),
        FloatBinaryOp::MinNum => extreme(layout, op, a, b, Ordering::Less, true),
        FloatBinaryOp::MaxNum => extreme(layout, op, a, b, Ordering::Greater, true),
        FloatBinaryOp::Minimum => extreme(layout, op, a, b, Ordering::Less, false),
        FloatBinaryOp::Maximum => extreme(layout, op, a, b, Ordering::Greater, false),
    }
}

/// The result of an operator with an operand that is not a number, or of an invalid one.
pub(crate) fn not_a_number(op: FloatBinaryOp, format: FloatFormat, a: u128, b: u128) -> u128 {
    nan_of(FormatLayout::of(format), op, a, b)
}

fn nan_of(layout: FormatLayout, op: FloatBinaryOp, a: u128, b: u128) -> u128 {
    let a_is = layout.unpack(a) == Number::Nan;
    let b_is = layout.unpack(b) == Number::Nan;
    if layout.is_unsupported(a) || layout.is_unsupported(b) {
        return layout.default_nan();
    }
    match (a_is, b_is) {
        (false, false) => layout.default_nan(),
        (true, false) => layout.quiet(a),
        (false, true) => layout.quiet(b),
        (true, true) => layout.quiet(if first_wins(layout, op, a, b) { a } else { b }),
    }
}

/// Of two operands that are not numbers, the first one's payload is the result's.
fn first_wins(layout: FormatLayout, op: FloatBinaryOp, a: u128, b: u128) -> bool {
    let by_significand = layout.fraction_of(a).cmp(&layout.fraction_of(b));
    match layout.nan_rule {
        NanRule::First => true,
        NanRule::Extended => match (layout.is_signalling(a), layout.is_signalling(b)) {
            (true, false) => false,
            (false, true) => true,
            (true, true) | (false, false) => match by_significand {
                Ordering::Greater => true,
                Ordering::Less => false,
                Ordering::Equal => !layout.is_negative(a),
            },
        },
        NanRule::Library => match by_significand {
            Ordering::Greater => true,
            Ordering::Less => false,
            Ordering::Equal => matches!(op, FloatBinaryOp::Add | FloatBinaryOp::Mul),
        },
    }
}

fn sum(layout: FormatLayout, op: FloatBinaryOp, a: u128, b: u128, subtract: bool) -> u128 {
    match (layout.unpack(a), layout.unpack(b)) {
        (Number::Nan, _) | (_, Number::Nan) => nan_of(layout, op, a, b),
        (Number::Infinite { negative: x }, Number::Infinite { negative: y }) => {
            if x == (y ^ subtract) {
                layout.infinity(x)
            } else {
                layout.default_nan()
            }
        }
        (Number::Infinite { negative }, Number::Finite(_)) => layout.infinity(negative),
        (Number::Finite(_), Number::Infinite { negative }) => layout.infinity(negative ^ subtract),
        (Number::Finite(x), Number::Finite(y)) => {
            let y = Finite {
                negative: y.negative ^ subtract,
                ..y
            };
            let total = add_exact(x.into(), y.into());
            layout.round(total.negative, total.significand, total.exponent)
        }
    }
}

/// Where significands have their leading one before they are added: a carry fits above, and what
/// is jammed is so far below that it cannot reach the digits kept. An exact significand has at
/// most 226 bits, so it ends in zeros here, and a shift by one or two, after which cancellation
/// may be deep, loses nothing.
const ALIGNED_TOP: u32 = 253;

fn align(number: ExactNumber) -> ExactNumber {
    let by = ALIGNED_TOP - number.significand.top().unwrap_or(ALIGNED_TOP);
    ExactNumber {
        significand: number.significand.shl(by),
        exponent: number.exponent - by as i32,
        ..number
    }
}

/// The sum, with a jammed significand.
pub(crate) fn add_exact(a: ExactNumber, b: ExactNumber) -> ExactNumber {
    match (a.significand.is_zero(), b.significand.is_zero()) {
        (true, true) => {
            return ExactNumber {
                negative: a.negative && b.negative,
                ..a
            };
        }
        (true, false) => return b,
        (false, true) => return a,
        (false, false) => {}
    }
    let (a, b) = (align(a), align(b));
    let (large, small) = if a.exponent >= b.exponent {
        (a, b)
    } else {
        (b, a)
    };
    let moved = small
        .significand
        .shr_jam((large.exponent - small.exponent).unsigned_abs());
    let (negative, significand) = if large.negative == small.negative {
        (large.negative, large.significand.plus(moved))
    } else {
        match large.significand.order(moved) {
            Ordering::Greater => (large.negative, large.significand.minus(moved)),
            Ordering::Less => (small.negative, moved.minus(large.significand)),
            Ordering::Equal => (false, U256::ZERO),
        }
    };
    ExactNumber {
        negative,
        significand,
        exponent: large.exponent,
    }
}

/// The exact product.
pub(crate) fn mul_exact(a: Finite, b: Finite) -> ExactNumber {
    ExactNumber {
        negative: a.negative ^ b.negative,
        significand: U256::product(a.significand, b.significand),
        exponent: a.exponent + b.exponent,
    }
}

fn product(layout: FormatLayout, a: u128, b: u128) -> u128 {
    let negative = layout.is_negative(a) ^ layout.is_negative(b);
    match (layout.unpack(a), layout.unpack(b)) {
        (Number::Nan, _) | (_, Number::Nan) => nan_of(layout, FloatBinaryOp::Mul, a, b),
        (Number::Infinite { .. }, Number::Infinite { .. }) => layout.infinity(negative),
        (Number::Infinite { .. }, Number::Finite(other))
        | (Number::Finite(other), Number::Infinite { .. }) => {
            if other.significand == 0 {
                layout.default_nan()
            } else {
                layout.infinity(negative)
            }
        }
        (Number::Finite(x), Number::Finite(y)) => {
            let exact = mul_exact(x, y);
            layout.round(negative, exact.significand, exact.exponent)
        }
    }
}

/// Moves the leading one of a significand that is not zero to bit 112.
fn normalize(number: Finite) -> (u128, i32) {
    let by = number.significand.leading_zeros() - 15;
    (number.significand << by, number.exponent - by as i32)
}

fn quotient(layout: FormatLayout, a: u128, b: u128) -> u128 {
    let negative = layout.is_negative(a) ^ layout.is_negative(b);
    let (x, y) = match (layout.unpack(a), layout.unpack(b)) {
        (Number::Nan, _) | (_, Number::Nan) => return nan_of(layout, FloatBinaryOp::Div, a, b),
        (Number::Infinite { .. }, Number::Infinite { .. }) => return layout.default_nan(),
        (Number::Infinite { .. }, Number::Finite(_)) => return layout.infinity(negative),
        (Number::Finite(_), Number::Infinite { .. }) => return layout.zero(negative),
        (Number::Finite(x), Number::Finite(y)) => (x, y),
    };
    match (x.significand, y.significand) {
        (0, 0) => return layout.default_nan(),
        (0, _) => return layout.zero(negative),
        (_, 0) => return layout.infinity(negative),
        (_, _) => {}
    }
    let exact = div_exact(layout, x, y);
    layout.round(negative, exact.significand, exact.exponent)
}

/// The quotient of numbers that are not zero, with a jammed significand.
pub(crate) fn div_exact(layout: FormatLayout, x: Finite, y: Finite) -> ExactNumber {
    let ((mut rest, x_exponent), (divisor, y_exponent)) = (normalize(x), normalize(y));
    let digits = layout.precision + 2;
    let mut result = 0u128;
    for _ in 0..=digits {
        result <<= 1;
        if rest >= divisor {
            rest -= divisor;
            result |= 1;
        }
        rest <<= 1;
    }
    result |= u128::from(rest != 0);
    ExactNumber {
        negative: x.negative ^ y.negative,
        significand: U256::new(result),
        exponent: x_exponent - y_exponent - digits as i32,
    }
}

fn remainder(layout: FormatLayout, a: u128, b: u128) -> u128 {
    let (x, y) = match (layout.unpack(a), layout.unpack(b)) {
        (Number::Nan, _) | (_, Number::Nan) => return nan_of(layout, FloatBinaryOp::Rem, a, b),
        (Number::Infinite { .. }, _) => return layout.default_nan(),
        (Number::Finite(x), Number::Infinite { .. }) => {
            return layout.round(x.negative, U256::new(x.significand), x.exponent);
        }
        (Number::Finite(x), Number::Finite(y)) => (x, y),
    };
    if y.significand == 0 {
        return layout.default_nan();
    }
    let (rest, exponent) = if x.exponent >= y.exponent {
        let mut rest = x.significand % y.significand;
        for _ in y.exponent..x.exponent {
            rest <<= 1;
            if rest >= y.significand {
                rest -= y.significand;
            }
        }
        (rest, y.exponent)
    } else {
        let by = (y.exponent - x.exponent).unsigned_abs();
        let rest = if by <= y.significand.leading_zeros() {
            x.significand % (y.significand << by)
        } else {
            x.significand
        };
        (rest, x.exponent)
    };
    layout.round(x.negative, U256::new(rest), exponent)
}

/// The smaller or larger of two; `wanted` is how the first compares if it is the result.
fn extreme(
    layout: FormatLayout,
    op: FloatBinaryOp,
    a: u128,
    b: u128,
    wanted: Ordering,
    prefer_numbers: bool,
) -> u128 {
    let a_is_nan = layout.unpack(a) == Number::Nan;
    let b_is_nan = layout.unpack(b) == Number::Nan;
    if prefer_numbers && a_is_nan != b_is_nan {
        return if a_is_nan { b } else { a };
    }
    let Some(order) = order(layout, a, b) else {
        return nan_of(layout, op, a, b);
    };
    // Equal numbers differ at most in the sign of a zero.
    let order = order.then_with(|| layout.is_negative(b).cmp(&layout.is_negative(a)));
    if order == wanted.reverse() { b } else { a }
}

/// How numbers compare; `None` if one is not a number.
fn order(layout: FormatLayout, a: u128, b: u128) -> Option<Ordering> {
    let side = |negative: bool, magnitude: Ordering| {
        if negative {
            magnitude.reverse()
        } else {
            magnitude
        }
    };
    match (layout.unpack(a), layout.unpack(b)) {
        (Number::Nan, _) | (_, Number::Nan) => None,
        (Number::Infinite { negative: x }, Number::Infinite { negative: y }) => Some(y.cmp(&x)),
        (Number::Infinite { negative }, Number::Finite(_)) => {
            Some(side(negative, Ordering::Greater))
        }
        (Number::Finite(_), Number::Infinite { negative }) => Some(side(negative, Ordering::Less)),
        (Number::Finite(x), Number::Finite(y)) => Some(match (x.significand, y.significand) {
            (0, 0) => Ordering::Equal,
            (0, _) => side(y.negative, Ordering::Less),
            (_, 0) => side(x.negative, Ordering::Greater),
            (_, _) if x.negative != y.negative => y.negative.cmp(&x.negative),
            (_, _) => {
                let ((xs, xe), (ys, ye)) = (normalize(x), normalize(y));
                side(x.negative, (xe, xs).cmp(&(ye, ys)))
            }
        }),
    }
}

/// A comparison.
pub(crate) fn compare(op: FloatCompareOp, format: FloatFormat, a: u128, b: u128) -> bool {
    match order(FormatLayout::of(format), a, b) {
        Some(Ordering::Less) => op.less,
        Some(Ordering::Equal) => op.equal,
        Some(Ordering::Greater) => op.greater,
        None => op.unordered,
    }
}

/// `a * b + c`, rounded once.
pub(crate) fn fma(format: FloatFormat, a: u128, b: u128, c: u128) -> u128 {
    let layout = FormatLayout::of(format);
    let negative = layout.is_negative(a) ^ layout.is_negative(b);
    let (x, y, z) = (layout.unpack(a), layout.unpack(b), layout.unpack(c));
    if x == Number::Nan || y == Number::Nan || z == Number::Nan {
        return fma_nan(layout, a, b, c);
    }
    let infinite_product = match (x, y) {
        (Number::Infinite { .. }, Number::Finite(other))
        | (Number::Finite(other), Number::Infinite { .. })
            if other.significand == 0 =>
        {
            return layout.default_nan();
        }
        (Number::Finite(p), Number::Finite(q)) => match z {
            Number::Finite(r) => {
                let total = add_exact(mul_exact(p, q), r.into());
                return layout.round(total.negative, total.significand, total.exponent);
            }
            Number::Infinite { .. } | Number::Nan => return c,
        },
        (_, _) => layout.infinity(negative),
    };
    match z {
        Number::Infinite { negative: other } if other != negative => layout.default_nan(),
        Number::Infinite { .. } | Number::Finite(_) | Number::Nan => infinite_product,
    }
}

/// `a * b + c` if one is not a number. Where a unit does it in one step, the first that is not a
/// number is taken; elsewhere libraries multiply and add.
pub(crate) fn fma_nan(layout: FormatLayout, a: u128, b: u128, c: u128) -> u128 {
    match layout.nan_rule {
        NanRule::First => [a, b, c]
            .into_iter()
            .find(|&bits| layout.unpack(bits) == Number::Nan)
            .map_or(layout.default_nan(), |bits| layout.quiet(bits)),
        NanRule::Extended | NanRule::Library => {
            sum(layout, FloatBinaryOp::Add, product(layout, a, b), c, false)
        }
    }
}

/// An operator on one number.
pub(crate) fn unary(op: FloatUnaryOp, format: FloatFormat, a: u128) -> u128 {
    let layout = FormatLayout::of(format);
    let number = match layout.unpack(a) {
        Number::Nan => return layout.quiet(a),
        Number::Infinite { negative } => {
            return match op {
                FloatUnaryOp::Sqrt if negative => layout.default_nan(),
                FloatUnaryOp::Sqrt
                | FloatUnaryOp::Floor
                | FloatUnaryOp::Ceil
                | FloatUnaryOp::Trunc
                | FloatUnaryOp::RoundEven
                | FloatUnaryOp::RoundAway => a,
            };
        }
        Number::Finite(number) => number,
    };
    if number.significand == 0 {
        return a;
    }
    match op {
        FloatUnaryOp::Sqrt => square_root(layout, number),
        FloatUnaryOp::Floor => integral(layout, number, |_, below| number.negative && below.any()),
        FloatUnaryOp::Ceil => integral(layout, number, |_, below| !number.negative && below.any()),
        FloatUnaryOp::Trunc => integral(layout, number, |_, _| false),
        FloatUnaryOp::RoundEven => integral(layout, number, |odd, below| match below {
            CutOff::Nothing | CutOff::Less => false,
            CutOff::Half => odd,
            CutOff::More => true,
        }),
        FloatUnaryOp::RoundAway => integral(layout, number, |_, below| match below {
            CutOff::Nothing | CutOff::Less => false,
            CutOff::Half | CutOff::More => true,
        }),
    }
}

/// How much of a unit was cut off.
#[derive(Clone, Copy)]
enum CutOff {
    Nothing,
    Less,
    Half,
    More,
}

impl CutOff {
    fn any(self) -> bool {
        !matches!(self, CutOff::Nothing)
    }
}

/// An integral number next to a number: the one with the larger magnitude if `up` says so of
/// whether the other is odd and what is between.
fn integral(layout: FormatLayout, number: Finite, up: impl Fn(bool, CutOff) -> bool) -> u128 {
    if number.exponent >= 0 {
        return layout.round(
            number.negative,
            U256::new(number.significand),
            number.exponent,
        );
    }
    let drop = number.exponent.unsigned_abs();
    let (whole, below) = if drop > 127 {
        (0, CutOff::Less)
    } else {
        let rest = number.significand & ((1 << drop) - 1);
        let below = match (rest, rest.cmp(&(1 << (drop - 1)))) {
            (0, _) => CutOff::Nothing,
            (_, Ordering::Less) => CutOff::Less,
            (_, Ordering::Equal) => CutOff::Half,
            (_, Ordering::Greater) => CutOff::More,
        };
        (number.significand >> drop, below)
    };
    let whole = whole + u128::from(up(whole & 1 == 1, below));
    layout.round(number.negative, U256::new(whole), 0)
}

fn square_root(layout: FormatLayout, number: Finite) -> u128 {
    if number.negative {
        return layout.default_nan();
    }
    let exact = sqrt_exact(layout, number);
    layout.round(false, exact.significand, exact.exponent)
}

/// The square root of a number above zero, with a jammed significand.
pub(crate) fn sqrt_exact(layout: FormatLayout, number: Finite) -> ExactNumber {
    // The radicand is a fraction of 128 bits times an even power of two.
    let by = number.significand.leading_zeros();
    let by = by - u32::from((number.exponent - by as i32) % 2 != 0);
    let mut radicand = number.significand << by;
    let exponent = number.exponent - by as i32 + 128;
    let digits = layout.precision + 3;
    let (mut result, mut rest) = (0u128, 0u128);
    for _ in 0..digits {
        rest = (rest << 2) | (radicand >> 126);
        radicand <<= 2;
        let trial = (result << 2) | 1;
        result <<= 1;
        if rest >= trial {
            rest -= trial;
            result |= 1;
        }
    }
    result |= u128::from(rest != 0 || radicand != 0);
    ExactNumber {
        negative: false,
        significand: U256::new(result),
        exponent: exponent / 2 - digits as i32,
    }
}
