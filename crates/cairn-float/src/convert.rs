//! Conversions between formats, and from and to integers of any width.
//!
//! C leaves the conversion of a number to an integer type that cannot hold it undefined, but
//! programs run on, and a machine that is to do what the program does needs what x86-64 code
//! gives. That is not one rule but what compilers make of the instructions that there are:
//!
//! - The instructions convert to signed integers of 32 and 64 bits (from the 80-bit format also
//!   of 16), and give the smallest integer for everything out of range and for what is not a
//!   number. Narrower types use the next wider conversion and take the low bits, and so do
//!   unsigned types of just 16 (from the 80-bit format) and 32 bits.
//! - Unsigned 64 bits, from all but the 80-bit format: Clang converts the number and the number
//!   minus 2^63, and takes `first | (second & first >> 63)`. So negative numbers in the signed
//!   range wrap around, and everything else is 2^63.
//! - Unsigned 64 bits, from the 80-bit format: Clang subtracts 2^63 if the number is not below
//!   it, converts, and flips the top bit if it subtracted. So negative numbers in the signed
//!   range wrap around, smaller ones are 2^63, and those from 2^64 up and what is not a number
//!   are zero.
//! - 65 to 128 bits use libgcc's conversions to 128 bits, see [`dividing_library`].
//! - From the 128-bit format everything is libgcc's, as from half precision to more than 64 bits:
//!   it gives the nearest integer, and takes what is not a number for an infinity of its sign.
//! - Beyond 128 bits compilers have no rule that is worth following: the nearest integer, and
//!   zero for what is not a number.

use crate::layout::{Finite, FormatLayout, Number};
use crate::wide::U256;
use cairn_bv::BitVec;
use cairn_ir::{FloatConvertOp, FloatFormat};

/// A conversion; `value` has the width that the operator says, and so has the result.
///
/// # Panics
/// If `value` has another width.
pub fn convert(op: FloatConvertOp, value: &BitVec) -> BitVec {
    let expected = match op {
        FloatConvertOp::Format { from, .. } | FloatConvertOp::ToInt { from, .. } => from.width(),
        FloatConvertOp::FromInt { from, .. } => from,
    };
    assert_eq!(value.width(), expected, "operand of a conversion");
    if let Some(word) = value.to_u64()
        && let Some(result) = convert_word(op, word)
    {
        return BitVec::new(result_width(op), result);
    }
    match op {
        FloatConvertOp::Format { from, to } => {
            BitVec::from_u128(to.width(), convert_format(from, to, bits_of(value)))
        }
        FloatConvertOp::FromInt { signed, to, .. } => {
            BitVec::from_u128(to.width(), from_int(signed, to, value))
        }
        FloatConvertOp::ToInt {
            signed,
            from,
            to,
            saturating,
        } => to_int(signed, from, to, saturating, bits_of(value)),
    }
}

fn result_width(op: FloatConvertOp) -> u32 {
    match op {
        FloatConvertOp::Format { to, .. } | FloatConvertOp::FromInt { to, .. } => to.width(),
        FloatConvertOp::ToInt { to, .. } => to,
    }
}

fn bits_of(value: &BitVec) -> u128 {
    let limbs = value.limbs();
    u128::from(limbs[0]) | limbs.get(1).map_or(0, |&high| u128::from(high) << 64)
}

/// A conversion between single or double precision and each other or integers of at most 64
/// bits; `None` if it is another one. Bits of `value` above its width are ignored, those of the
/// result are zero.
#[inline]
pub fn convert_word(op: FloatConvertOp, value: u64) -> Option<u64> {
    match op {
        FloatConvertOp::Format { from, to } => {
            let (single, double) = (f32::from_bits(value as u32), f64::from_bits(value));
            match (from, to) {
                (FloatFormat::Single, FloatFormat::Double) if !single.is_nan() => {
                    Some(f64::from(single).to_bits())
                }
                (FloatFormat::Double, FloatFormat::Single) if !double.is_nan() => {
                    Some((double as f32).to_bits().into())
                }
                (
                    FloatFormat::Single | FloatFormat::Double,
                    FloatFormat::Single | FloatFormat::Double,
                ) => {
                    let value = if from == FloatFormat::Single {
                        value & u64::from(u32::MAX)
                    } else {
                        value
                    };
                    Some(convert_format(from, to, value.into()) as u64)
                }
                (_, _) => None,
            }
        }
        FloatConvertOp::FromInt { signed, from, to } => {
            if !(1..=64).contains(&from) {
                return None;
            }
            let unused = 64 - from;
            let unsigned = (value << unused) >> unused;
            let signed_value = ((value << unused) as i64) >> unused;
            match (to, signed) {
                (FloatFormat::Single, true) => Some((signed_value as f32).to_bits().into()),
                (FloatFormat::Single, false) => Some((unsigned as f32).to_bits().into()),
                (FloatFormat::Double, true) => Some((signed_value as f64).to_bits()),
                (FloatFormat::Double, false) => Some((unsigned as f64).to_bits()),
                (
                    FloatFormat::Half | FloatFormat::Bfloat | FloatFormat::X87 | FloatFormat::Quad,
                    _,
                ) => None,
            }
        }
        FloatConvertOp::ToInt {
            signed,
            from,
            to,
            saturating,
        } => {
            // Single precision is part of double precision: range checks are the same.
            let number = match from {
                FloatFormat::Single => f64::from(f32::from_bits(value as u32)),
                FloatFormat::Double => f64::from_bits(value),
                FloatFormat::Half | FloatFormat::Bfloat | FloatFormat::X87 | FloatFormat::Quad => {
                    return None;
                }
            };
            if !(1..=64).contains(&to) {
                return None;
            }
            let whole = number.trunc();
            let mask = u64::MAX >> (64 - to);
            let power = |n: u32| f64::from_bits(u64::from(1023 + n) << 52);
            let (low, high) = if signed {
                (-power(to - 1), power(to - 1))
            } else {
                (0.0, power(to))
            };
            // The upper end is out of the range, the lower one is in it.
            if low <= whole && whole < high {
                let bits = if signed {
                    whole as i64 as u64
                } else {
                    whole as u64
                };
                return Some(bits & mask);
            }
            if saturating {
                let (least, most) = if signed {
                    (1 << (to - 1), mask >> 1)
                } else {
                    (0, mask)
                };
                return Some(if whole.is_nan() {
                    0
                } else if whole < low {
                    least
                } else {
                    most
                });
            }
            let instruction = instruction_width(signed, from, to);
            let least = 1 << (instruction - 1);
            if -power(instruction - 1) <= whole && whole < power(instruction - 1) {
                return Some(whole as i64 as u64 & mask);
            }
            Some(least & mask)
        }
    }
}

/// The width of the signed conversion that compilers use for an integer of at most 64 bits.
fn instruction_width(signed: bool, from: FloatFormat, to: u32) -> u32 {
    let fits = |width: u32| to < width || (signed && to == width);
    if from == FloatFormat::X87 && fits(16) {
        16
    } else if fits(32) {
        32
    } else {
        64
    }
}

/// Bits of the nearest number of another format.
pub(crate) fn convert_format(from: FloatFormat, to: FloatFormat, bits: u128) -> u128 {
    let (source, target) = (FormatLayout::of(from), FormatLayout::of(to));
    match source.unpack(bits) {
        Number::Nan => source.convert_nan(bits, target),
        Number::Infinite { negative } => target.infinity(negative),
        Number::Finite(number) => target.round(
            number.negative,
            U256::new(number.significand),
            number.exponent,
        ),
    }
}

/// The nearest number to an integer.
fn from_int(signed: bool, to: FloatFormat, value: &BitVec) -> u128 {
    let negative = signed && value.msb();
    let magnitude = if negative { value.neg() } else { value.clone() };
    let limbs = magnitude.limbs();
    let Some(top) = limbs.iter().rposition(|&limb| limb != 0) else {
        return FormatLayout::of(to).zero(false);
    };
    // Three words hold the longest significand with bits to spare; the rest is jammed.
    let first = top.saturating_sub(2);
    let jam = limbs[..first].iter().any(|&limb| limb != 0);
    let significand = limbs[first..=top]
        .iter()
        .rev()
        .fold(U256::ZERO, |sum, &limb| {
            sum.shl(64).plus(U256::new(limb.into()))
        });
    let significand = significand.shl(1).plus(U256::new(jam.into()));
    let exponent = i32::try_from(first * 64).expect("a bit-vector has at most 2^20 bits") - 1;
    FormatLayout::of(to).round(negative, significand, exponent)
}

/// An integer towards zero, of any width.
fn to_int(signed: bool, from: FloatFormat, to: u32, saturating: bool, bits: u128) -> BitVec {
    let layout = FormatLayout::of(from);
    let number = layout.unpack(bits);
    if let Some(exact) = whole(number, signed, to) {
        return exact;
    }
    let negative = layout.is_negative(bits);
    if saturating || to > 128 {
        return match number {
            Number::Nan => BitVec::zero(to),
            Number::Infinite { .. } | Number::Finite(_) => nearest(signed, to, negative),
        };
    }
    let converted = match (from, to) {
        (FloatFormat::Quad, _) | (FloatFormat::Half, 65..) => {
            clamping_library(signed, to, number, negative)
        }
        (_, 65..) => dividing_library(signed, from, number),
        (_, _) => instruction(signed, from, to, number, negative),
    };
    low_bits(&converted, to)
}

/// The integer part, if an integer of the type holds it.
fn whole(number: Number, signed: bool, width: u32) -> Option<BitVec> {
    let Number::Finite(number) = number else {
        return None;
    };
    let significand = if number.exponent < 0 {
        number
            .significand
            .checked_shr(number.exponent.unsigned_abs())
            .unwrap_or(0)
    } else {
        number.significand
    };
    if significand == 0 {
        return Some(BitVec::zero(width));
    }
    let shift = number.exponent.max(0).unsigned_abs();
    let length = 128 - significand.leading_zeros() + shift;
    let power_of_two = significand.is_power_of_two();
    let fits = match (signed, number.negative) {
        (false, false) => length <= width,
        (false, true) => false,
        (true, false) => length < width,
        (true, true) => length < width || (length == width && power_of_two),
    };
    if !fits {
        return None;
    }
    // One of the two may be wider than the other before the shift.
    let room = width.max(128);
    let value = BitVec::from_u128(room, significand).shl(&BitVec::new(room, shift.into()));
    let value = low_bits(&value, width);
    Some(if number.negative { value.neg() } else { value })
}

/// The smallest or largest integer of a type.
fn nearest(signed: bool, width: u32, negative: bool) -> BitVec {
    match (signed, negative) {
        (true, true) => BitVec::min_signed(width),
        (true, false) => BitVec::max_signed(width),
        (false, true) => BitVec::zero(width),
        (false, false) => BitVec::ones(width),
    }
}

/// The low bits, at most as many as there are.
fn low_bits(value: &BitVec, width: u32) -> BitVec {
    if width == value.width() {
        value.clone()
    } else {
        value.extract(width - 1, 0)
    }
}

/// By an instruction: to at most 64 bits, the number out of the range of the type.
fn instruction(signed: bool, from: FloatFormat, to: u32, number: Number, negative: bool) -> BitVec {
    let width = instruction_width(signed, from, to);
    if let Some(exact) = whole(number, true, width) {
        return exact;
    }
    let below = negative && number != Number::Nan;
    if from == FloatFormat::X87 && !signed && to == 64 && !below {
        return BitVec::zero(64);
    }
    BitVec::min_signed(width)
}

/// By the library's conversions that give the nearest integer: from the 128-bit format, and from
/// half precision to more than 64 bits.
fn clamping_library(signed: bool, to: u32, number: Number, negative: bool) -> BitVec {
    let width = match to {
        0..=32 => 32,
        33..=64 => 64,
        65.. => 128,
    };
    // Compilers use a signed conversion where a wider one has room for the unsigned type.
    let signed = signed || (to < width && width < 128);
    whole(number, signed, width).unwrap_or_else(|| nearest(signed, width, negative))
}

/// By the library's conversions to 128 bits that take the number apart at 2^64. The signed ones
/// convert the magnitude and negate. The unsigned ones give zero from 2^128 up; of negative
/// numbers the one from the 80-bit format gives zero, and the others convert each half by an
/// instruction, where the lower one is out of range as soon as the upper one is not zero.
fn dividing_library(signed: bool, from: FloatFormat, number: Number) -> BitVec {
    let invalid = BitVec::min_signed(64);
    match number {
        Number::Nan => invalid.concat(&invalid),
        Number::Infinite { negative: false } => BitVec::zero(128),
        Number::Infinite { negative: true } => {
            if signed || from == FloatFormat::X87 {
                BitVec::zero(128)
            } else {
                invalid.concat(&invalid)
            }
        }
        Number::Finite(finite) => {
            let magnitude = Finite {
                negative: false,
                ..finite
            };
            let unsigned = |number: Finite| {
                whole(Number::Finite(number), false, 128).unwrap_or_else(|| BitVec::zero(128))
            };
            match (finite.negative, signed) {
                (false, _) => unsigned(finite),
                (true, true) => unsigned(magnitude).neg(),
                (true, false) if from == FloatFormat::X87 => BitVec::zero(128),
                (true, false) => {
                    let half = |number: Finite| {
                        whole(Number::Finite(number), true, 64).unwrap_or_else(|| invalid.clone())
                    };
                    let high = half(Finite {
                        exponent: finite.exponent - 64,
                        ..finite
                    });
                    let low = if high.is_zero() {
                        half(finite)
                    } else {
                        invalid.clone()
                    };
                    high.concat(&low)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    //! The fast path and the general one have to agree in every bit.

    use super::*;
    use crate::common::Operands;
    use cairn_random::Random;

    #[test]
    fn words() {
        let mut random = Random::new(61);
        for _ in 0..300_000 {
            let signed = random.one_in(2);
            let width = random.below(64) as u32 + 1;
            for (format, other) in [
                (FloatFormat::Single, FloatFormat::Double),
                (FloatFormat::Double, FloatFormat::Single),
            ] {
                let op = FloatConvertOp::FromInt {
                    signed,
                    from: width,
                    to: format,
                };
                let value = random.pattern() as u64 & (u64::MAX >> (64 - width));
                let slow = from_int(signed, format, &BitVec::new(width, value));
                assert_eq!(
                    convert_word(op, value),
                    Some(slow as u64),
                    "{op:?} {value:#x}"
                );

                let bits = if random.one_in(2) {
                    random.number(format)
                } else {
                    slow ^ u128::from(random.below_u64(4))
                };
                let op = FloatConvertOp::Format {
                    from: format,
                    to: other,
                };
                let slow = convert_format(format, other, bits);
                assert_eq!(
                    convert_word(op, bits as u64),
                    Some(slow as u64),
                    "{bits:#x}"
                );

                let saturating = random.one_in(2);
                let op = FloatConvertOp::ToInt {
                    signed,
                    from: format,
                    to: width,
                    saturating,
                };
                let slow = to_int(signed, format, width, saturating, bits);
                let fast = convert_word(op, bits as u64);
                assert_eq!(fast, slow.to_u64(), "{op:?} {bits:#x}");
            }
        }
    }
}
