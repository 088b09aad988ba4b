//! Arithmetic in single and double precision as IEEE 754 has it in full: five rounding directions, and
//! what an operation raises.
//!
//! # Problem
//!
//! Processors keep exception flags of their operations, and round in the direction that a register gives.
//! The host's arithmetic rounds to nearest, and its flags cannot be read.
//!
//! # Idea
//!
//! The exact result, or one with all lower bits joined to a sticky bit some places below the last digit
//! (`soft.rs`), is rounded here, once. The digits that are lost then decide which flags
//! of rounding are raised.
//!
//! # Soundness
//!
//! Results and flags are those of IEEE 754. Where it leaves a choice: a result is tiny if it is so
//! after rounding without a bound on exponents; zero times infinity is invalid whatever is added; NaN is
//! the positive quiet pattern; a conversion to an integer that does not fit gives the nearest
//! integer that there is, the largest for NaN, and raises invalid and nothing else.
//!
//! # Cost
//!
//! Tens of nanoseconds, division and roots some hundred.

use crate::layout::{Finite, FormatLayout, Number};
use crate::soft::{self, ExactNumber};
use crate::wide::U256;
use cairn_ir::FloatFormat;

/// A result was not exact.
pub const INEXACT: u64 = 1;
/// A result was tiny and not exact.
pub const UNDERFLOW: u64 = 2;
/// A result was too large.
pub const OVERFLOW: u64 = 4;
/// A number was divided by zero.
pub const BY_ZERO: u64 = 8;
/// An operation had no result.
pub const INVALID: u64 = 16;

/// A rounding direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// To the nearest, to the even one of two.
    Even,
    /// Towards zero.
    Zero,
    /// Towards minus infinity.
    Down,
    /// Towards plus infinity.
    Up,
    /// To the nearest, to the larger magnitude of two.
    Away,
}

impl Rounding {
    /// All, by their numbers in [`Operation::code`]'s arguments.
    pub const ALL: [Rounding; 5] = [
        Rounding::Even,
        Rounding::Zero,
        Rounding::Down,
        Rounding::Up,
        Rounding::Away,
    ];

    /// Whether a magnitude is rounded up: the last digit kept is odd, and below it are the half and
    /// whether there is anything else.
    fn is_up(self, negative: bool, odd: bool, below: u128) -> bool {
        match self {
            Rounding::Even => below == 3 || (below == 2 && odd),
            Rounding::Zero => false,
            Rounding::Down => negative && below != 0,
            Rounding::Up => !negative && below != 0,
            Rounding::Away => below >= 2,
        }
    }
}

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationKind {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`
    Div,
    /// The square root of `a`.
    Sqrt,
    /// `a * b + c`
    Fma,
    /// `a` in the other of the two formats.
    Convert,
    /// `a` as an integer; of 32 bits it is given with zeros above.
    ToInt {
        /// 64 bits, or 32.
        wide: bool,
        /// Whether it has a sign.
        signed: bool,
    },
    /// The integer `a` as a number.
    FromInt {
        /// 64 bits, or 32.
        wide: bool,
        /// Whether it has a sign.
        signed: bool,
    },
    /// Only what is raised by looking whether two numbers are equal, or for the smaller or larger one.
    Quiet,
    /// Only what is raised by looking which of two numbers is smaller.
    Signalling,
}

/// Operators without parameters, by their numbers.
const PLAIN: [OperationKind; 9] = [
    OperationKind::Add,
    OperationKind::Sub,
    OperationKind::Mul,
    OperationKind::Div,
    OperationKind::Sqrt,
    OperationKind::Fma,
    OperationKind::Convert,
    OperationKind::Quiet,
    OperationKind::Signalling,
];

/// An operation on numbers of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// What is computed.
    pub what: OperationKind,
    /// Double precision, or single. For conversions it is that of the operand; from an integer
    /// that of the result.
    pub double: bool,
}

const FROM_INT: u64 = 1 << 7;
const TO_INT: u64 = 1 << 6;
const WIDE: u64 = 1 << 5;
const SIGNED: u64 = 1 << 4;

impl Operation {
    /// The operation as a number.
    pub fn code(self) -> u64 {
        let sort = |wide: bool, signed: bool| {
            let wide = if wide { WIDE } else { 0 };
            wide | if signed { SIGNED } else { 0 }
        };
        let what = match self.what {
            OperationKind::ToInt { wide, signed } => TO_INT | sort(wide, signed),
            OperationKind::FromInt { wide, signed } => FROM_INT | sort(wide, signed),
            plain => {
                let at = PLAIN.iter().position(|p| *p == plain);
                at.expect("every plain operator is listed") as u64
            }
        };
        what << 1 | u64::from(self.double)
    }

    /// The operation of a number; `None` if there is none.
    pub fn from_code(code: u64) -> Option<Operation> {
        let what = code >> 1;
        let (wide, signed) = (what & WIDE != 0, what & SIGNED != 0);
        let what = match what {
            _ if what & !(WIDE | SIGNED) == TO_INT => OperationKind::ToInt { wide, signed },
            _ if what & !(WIDE | SIGNED) == FROM_INT => OperationKind::FromInt { wide, signed },
            plain => *PLAIN.get(usize::try_from(plain).ok()?)?,
        };
        let double = code & 1 == 1;
        Some(Operation { what, double })
    }

    /// The result and what is raised. Bits above the operands' widths are ignored.
    pub fn apply(self, rounding: Rounding, a: u64, b: u64, c: u64) -> (u64, u64) {
        let format = match self.double {
            true => FloatFormat::Double,
            false => FloatFormat::Single,
        };
        let layout = FormatLayout::of(format);
        let whole = a;
        let [a, b, c] = [a, b, c].map(|bits| crate::cut(format, bits.into()));
        let round = |exact: ExactNumber| round(layout, rounding, exact);
        let result = match self.what {
            OperationKind::Add => sum(layout, rounding, a, b),
            OperationKind::Sub => sum(layout, rounding, a, b ^ layout.sign_bit()),
            OperationKind::Mul => product(layout, a, b).unwrap_or_else(round),
            OperationKind::Div => quotient(layout, a, b).unwrap_or_else(round),
            OperationKind::Sqrt => root(layout, a).unwrap_or_else(round),
            OperationKind::Fma => fused(layout, rounding, a, b, c),
            OperationKind::Convert => {
                let to = match self.double {
                    true => FloatFormat::Single,
                    false => FloatFormat::Double,
                };
                converted(layout, FormatLayout::of(to), rounding, a)
            }
            OperationKind::ToInt { wide, signed } => integer(layout, rounding, a, wide, signed),
            OperationKind::FromInt { wide, signed } => {
                number(layout, rounding, whole, wide, signed)
            }
            OperationKind::Quiet => (0, signalling(layout, &[a, b])),
            OperationKind::Signalling => {
                let wrong = is_nan(layout, a) || is_nan(layout, b);
                (0, if wrong { INVALID } else { 0 })
            }
        };
        (result.0 as u64, result.1)
    }
}

fn is_nan(layout: FormatLayout, bits: u128) -> bool {
    layout.unpack(bits) == Number::Nan
}

/// What is raised by operands that may not be used without notice.
fn signalling(layout: FormatLayout, operands: &[u128]) -> u64 {
    let mut operands = operands.iter();
    let wrong = operands.any(|&o| is_nan(layout, o) && layout.is_signalling(o));
    if wrong { INVALID } else { 0 }
}

/// The one pattern of what is not a number.
fn nan(layout: FormatLayout) -> u128 {
    layout.infinity(false) | layout.quiet_bit()
}

/// The result of operands of which one is not a number.
fn passed(layout: FormatLayout, operands: &[u128]) -> (u128, u64) {
    (nan(layout), signalling(layout, operands))
}

/// Rounds a number to a format. What was jammed is so at least two bits below the last digit.
fn round(layout: FormatLayout, rounding: Rounding, number: ExactNumber) -> (u128, u64) {
    let ExactNumber {
        negative,
        significand,
        exponent,
    } = number;
    let Some(top) = significand.top() else {
        return (layout.zero(negative), 0);
    };
    // The digits above a unit, under which which two bits stay below: the half, and whether there is more.
    let at = |unit: i32| {
        let drop = unit - 2 - exponent;
        let kept = if drop > 0 {
            significand.shr_jam(drop.unsigned_abs())
        } else {
            significand.shl(drop.unsigned_abs())
        }
        .low();
        let (digits, below) = (kept >> 2, kept & 3);
        let up = rounding.is_up(negative, digits & 1 == 1, below);
        (digits + u128::from(up), below != 0)
    };
    let carried = layout.leading_one() << 1;
    let free = exponent + top as i32 - (layout.precision as i32 - 1);
    let mut unit = free.max(layout.lowest());
    let (mut digits, inexact) = at(unit);
    if digits == carried {
        digits >>= 1;
        unit += 1;
    }
    let field = match digits < layout.leading_one() {
        true => 0,
        false => (unit - layout.lowest()) as u128 + 1,
    };
    if field >= layout.top_exponent() {
        let to_infinity = match rounding {
            Rounding::Even | Rounding::Away => true,
            Rounding::Zero => false,
            Rounding::Down => negative,
            Rounding::Up => !negative,
        };
        let infinity = layout.infinity(negative);
        // The largest number stands right below infinity.
        let bits = if to_infinity { infinity } else { infinity - 1 };
        return (bits, OVERFLOW | INEXACT);
    }
    let bits = layout.zero(negative) | (field << layout.fraction) | layout.fraction_of(digits);
    let mut raised = 0;
    if inexact {
        raised |= INEXACT;
        // Without a bound on exponents it might have become as large as the smallest normal number.
        let normal = free + 1 == layout.lowest() && at(free).0 == carried;
        if free < layout.lowest() && !normal {
            raised |= UNDERFLOW;
        }
    }
    (bits, raised)
}

/// The sign of a sum that is zero, of two that are opposite.
fn zero_sign(rounding: Rounding, a: bool, b: bool) -> bool {
    match a == b {
        true => a,
        false => rounding == Rounding::Down,
    }
}

fn total(layout: FormatLayout, rounding: Rounding, a: ExactNumber, b: ExactNumber) -> (u128, u64) {
    let exact = soft::add_exact(a, b);
    if exact.significand.is_zero() {
        let negative = zero_sign(rounding, a.negative, b.negative);
        return (layout.zero(negative), 0);
    }
    round(layout, rounding, exact)
}

fn sum(layout: FormatLayout, rounding: Rounding, a: u128, b: u128) -> (u128, u64) {
    match (layout.unpack(a), layout.unpack(b)) {
        (Number::Nan, _) | (_, Number::Nan) => passed(layout, &[a, b]),
        (Number::Infinite { negative: x }, Number::Infinite { negative: y }) if x != y => {
            (nan(layout), INVALID)
        }
        (Number::Infinite { .. }, _) => (a, 0),
        (_, Number::Infinite { .. }) => (b, 0),
        (Number::Finite(x), Number::Finite(y)) => total(layout, rounding, x.into(), y.into()),
    }
}

/// The result, or the exact number that is to be rounded.
type EarlyResult = Result<(u128, u64), ExactNumber>;

fn product(layout: FormatLayout, a: u128, b: u128) -> EarlyResult {
    let negative = layout.is_negative(a) ^ layout.is_negative(b);
    match (layout.unpack(a), layout.unpack(b)) {
        (Number::Nan, _) | (_, Number::Nan) => Ok(passed(layout, &[a, b])),
        (Number::Infinite { .. }, Number::Finite(other))
        | (Number::Finite(other), Number::Infinite { .. })
            if other.significand == 0 =>
        {
            Ok((nan(layout), INVALID))
        }
        (Number::Infinite { .. }, _) | (_, Number::Infinite { .. }) => {
            Ok((layout.infinity(negative), 0))
        }
        (Number::Finite(x), Number::Finite(y)) => Err(soft::mul_exact(x, y)),
    }
}

fn quotient(layout: FormatLayout, a: u128, b: u128) -> EarlyResult {
    let negative = layout.is_negative(a) ^ layout.is_negative(b);
    let (x, y) = match (layout.unpack(a), layout.unpack(b)) {
        (Number::Nan, _) | (_, Number::Nan) => return Ok(passed(layout, &[a, b])),
        (Number::Infinite { .. }, Number::Infinite { .. }) => return Ok((nan(layout), INVALID)),
        (Number::Infinite { .. }, Number::Finite(_)) => return Ok((layout.infinity(negative), 0)),
        (Number::Finite(_), Number::Infinite { .. }) => return Ok((layout.zero(negative), 0)),
        (Number::Finite(x), Number::Finite(y)) => (x, y),
    };
    match (x.significand, y.significand) {
        (0, 0) => Ok((nan(layout), INVALID)),
        (0, _) => Ok((layout.zero(negative), 0)),
        (_, 0) => Ok((layout.infinity(negative), BY_ZERO)),
        (_, _) => Err(soft::div_exact(layout, x, y)),
    }
}

fn root(layout: FormatLayout, a: u128) -> EarlyResult {
    match layout.unpack(a) {
        Number::Nan => Ok(passed(layout, &[a])),
        Number::Finite(Finite { significand: 0, .. }) => Ok((a, 0)),
        Number::Infinite { negative: true } | Number::Finite(Finite { negative: true, .. }) => {
            Ok((nan(layout), INVALID))
        }
        Number::Infinite { negative: false } => Ok((a, 0)),
        Number::Finite(number) => Err(soft::sqrt_exact(layout, number)),
    }
}

fn fused(layout: FormatLayout, rounding: Rounding, a: u128, b: u128, c: u128) -> (u128, u64) {
    let product = match (layout.unpack(a), layout.unpack(b)) {
        (Number::Infinite { .. }, Number::Finite(other))
        | (Number::Finite(other), Number::Infinite { .. })
            if other.significand == 0 =>
        {
            return (nan(layout), INVALID);
        }
        (Number::Nan, _) | (_, Number::Nan) => return passed(layout, &[a, b, c]),
        (Number::Finite(x), Number::Finite(y)) => Some(soft::mul_exact(x, y)),
        (Number::Infinite { .. }, _) | (_, Number::Infinite { .. }) => None,
    };
    let negative = layout.is_negative(a) ^ layout.is_negative(b);
    match (product, layout.unpack(c)) {
        (_, Number::Nan) => passed(layout, &[a, b, c]),
        (None, Number::Infinite { negative: other }) if other != negative => (nan(layout), INVALID),
        (None, _) => (layout.infinity(negative), 0),
        (Some(_), Number::Infinite { .. }) => (c, 0),
        (Some(product), Number::Finite(z)) => total(layout, rounding, product, z.into()),
    }
}

fn converted(from: FormatLayout, to: FormatLayout, rounding: Rounding, a: u128) -> (u128, u64) {
    match from.unpack(a) {
        Number::Nan => (nan(to), signalling(from, &[a])),
        Number::Infinite { negative } => (to.infinity(negative), 0),
        Number::Finite(number) => round(to, rounding, number.into()),
    }
}

/// To an integer.
fn integer(
    layout: FormatLayout,
    rounding: Rounding,
    a: u128,
    wide: bool,
    signed: bool,
) -> (u128, u64) {
    let width = if wide { 64 } else { 32 };
    let most = (1u128 << (width - u32::from(signed))) - 1;
    let least = if signed { 1u128 << (width - 1) } else { 0 };
    let mask = (1u128 << width) - 1;
    // The nearest that there is, of a sign.
    let limit = |negative: bool| match negative {
        true => (least.wrapping_neg() & mask, INVALID),
        false => (most, INVALID),
    };
    let number = match layout.unpack(a) {
        Number::Nan => return (most, INVALID),
        Number::Infinite { negative } => return limit(negative),
        Number::Finite(number) => number,
    };
    let negative = number.negative;
    let (magnitude, inexact) = if number.exponent >= 0 {
        if number.significand != 0 && number.exponent > 64 {
            return limit(negative);
        }
        (number.significand << number.exponent, false)
    } else {
        let kept = U256::new(number.significand << 2).shr_jam(number.exponent.unsigned_abs());
        let (whole, below) = (kept.low() >> 2, kept.low() & 3);
        let up = rounding.is_up(negative, whole & 1 == 1, below);
        (whole + u128::from(up), below != 0)
    };
    if magnitude > if negative { least } else { most } {
        return limit(negative);
    }
    let value = match negative {
        true => magnitude.wrapping_neg() & mask,
        false => magnitude,
    };
    (value, if inexact { INEXACT } else { 0 })
}

/// From an integer.
fn number(
    layout: FormatLayout,
    rounding: Rounding,
    a: u64,
    wide: bool,
    signed: bool,
) -> (u128, u64) {
    let value = match (wide, signed) {
        (true, true) => i128::from(a as i64),
        (true, false) => i128::from(a),
        (false, true) => i128::from(a as u32 as i32),
        (false, false) => i128::from(a as u32),
    };
    let exact = ExactNumber {
        negative: value < 0,
        significand: U256::new(value.unsigned_abs()),
        exponent: 0,
    };
    round(layout, rounding, exact)
}
