//! Properties that need no reference: smaller and larger, brain floats, integers of any width.

mod common;

use cairn_bv::BitVec;
use cairn_float::{binary, convert};
use cairn_ir::{FloatBinaryOp, FloatConvertOp, FloatFormat};
use cairn_random::Random;
use common::Operands;

const FORMATS: [FloatFormat; 6] = [
    FloatFormat::Half,
    FloatFormat::Bfloat,
    FloatFormat::Single,
    FloatFormat::Double,
    FloatFormat::X87,
    FloatFormat::Quad,
];

/// A double in another format.
fn as_format(format: FloatFormat, number: f64) -> u128 {
    let op = FloatConvertOp::Format {
        from: FloatFormat::Double,
        to: format,
    };
    let bits = convert(op, &BitVec::new(64, number.to_bits()));
    bits.to_u128().expect("at most 128 bits")
}

#[test]
fn smaller_and_larger() {
    let signalling = f64::from_bits(0x7ff0_0000_0000_0001);
    for format in FORMATS {
        let bits = |number: f64| as_format(format, number);
        let check = |op, a: u128, b: u128, expected: u128| {
            assert_eq!(
                binary(op, format, a, b),
                expected,
                "{op:?} {format:?} {a:#x} {b:#x}"
            );
        };
        let ascending = [
            f64::NEG_INFINITY,
            -2.5,
            -1.0,
            -0.0,
            0.0,
            1.0,
            2.5,
            f64::INFINITY,
        ];
        for (i, &a) in ascending.iter().enumerate() {
            for (j, &b) in ascending.iter().enumerate() {
                let (a, b) = (bits(a), bits(b));
                let (low, high) = (bits(ascending[i.min(j)]), bits(ascending[i.max(j)]));
                check(FloatBinaryOp::MinNum, a, b, low);
                check(FloatBinaryOp::Minimum, a, b, low);
                check(FloatBinaryOp::MaxNum, a, b, high);
                check(FloatBinaryOp::Maximum, a, b, high);
            }
            for nan in [f64::NAN, -f64::NAN, signalling] {
                let (number, nan) = (bits(a), bits(nan));
                for op in [FloatBinaryOp::MinNum, FloatBinaryOp::MaxNum] {
                    check(op, number, nan, number);
                    check(op, nan, number, number);
                    check(op, nan, nan, nan);
                }
                for op in [FloatBinaryOp::Minimum, FloatBinaryOp::Maximum] {
                    check(op, number, nan, nan);
                    check(op, nan, number, nan);
                }
            }
        }
    }
}

#[test]
fn brain_floats() {
    let bfloat = FloatFormat::Bfloat;
    let narrow = |single: u32| {
        let op = FloatConvertOp::Format {
            from: FloatFormat::Single,
            to: bfloat,
        };
        convert(op, &BitVec::new(32, single.into())).low_u64() as u32
    };
    // The definition: the upper half, rounded by the lower one.
    let rounded = |single: u32| {
        if f32::from_bits(single).is_nan() {
            return (single >> 16) | 0x40;
        }
        let (upper, lower) = (single >> 16, single & 0xffff);
        upper + u32::from(lower > 0x8000 || (lower == 0x8000 && upper & 1 == 1))
    };
    let mut random = Random::new(71);
    for _ in 0..300_000 {
        let single = random.number(FloatFormat::Single) as u32;
        assert_eq!(narrow(single), rounded(single), "{single:#x}");
        let (a, b) = (random.number(bfloat) as u32, random.number(bfloat) as u32);
        let (x, y) = (f32::from_bits(a << 16), f32::from_bits(b << 16));
        for (op, result) in [
            (FloatBinaryOp::Add, x + y),
            (FloatBinaryOp::Sub, x - y),
            (FloatBinaryOp::Mul, x * y),
            (FloatBinaryOp::Div, x / y),
            (FloatBinaryOp::Rem, x % y),
        ] {
            if !result.is_nan() {
                let ours = binary(op, bfloat, a.into(), b.into());
                assert_eq!(
                    ours,
                    rounded(result.to_bits()).into(),
                    "{op:?} {a:#x} {b:#x}"
                );
            }
        }
    }
}

/// A shift left into a wider vector.
fn widened(value: &BitVec, shift: u32) -> BitVec {
    if shift == 0 {
        value.clone()
    } else {
        value.concat(&BitVec::zero(shift))
    }
}

#[test]
fn integers_of_any_width() {
    let mut random = Random::new(72);
    for _ in 0..100_000 {
        let width = random.below(128) as u32 + 1;
        let signed = random.one_in(2);
        let value = BitVec::from_u128(width, random.pattern() & (u128::MAX >> (128 - width)));
        let format = FORMATS[random.below(6)];
        let from = |value: &BitVec, to| {
            let op = FloatConvertOp::FromInt {
                signed,
                from: value.width(),
                to,
            };
            convert(op, value)
        };
        // A wider type does not change the number.
        let extra = random.below(200) as u32 + 1;
        let wider = if signed {
            value.sext(extra)
        } else {
            value.zext(extra)
        };
        let number = from(&value, format);
        assert_eq!(number, from(&wider, format), "{value} {format:?}");
        // A power of two changes the exponent only, as long as there is one that large.
        let shift = random.below(900) as u32;
        let shifted = from(&widened(&value, shift), FloatFormat::Quad);
        let exact = from(&value, FloatFormat::Quad);
        if !value.is_zero() {
            let moved = BitVec::from_u128(128, u128::from(shift) << 112);
            assert_eq!(shifted, exact.add(&moved), "{value} {shift}");
        }
        // And back, if nothing was rounded.
        let significant = value.width() - value.trailing_zeros();
        if significant <= 113 && shift + width > 0 {
            for saturating in [true, false] {
                let op = FloatConvertOp::ToInt {
                    signed,
                    from: FloatFormat::Quad,
                    to: shift + width,
                    saturating,
                };
                assert_eq!(
                    convert(op, &shifted),
                    widened(&value, shift),
                    "{value} {shift}"
                );
            }
        }
    }
}

#[test]
fn saturating() {
    let to = |signed, width, number: f64| {
        let op = FloatConvertOp::ToInt {
            signed,
            from: FloatFormat::Double,
            to: width,
            saturating: true,
        };
        convert(op, &BitVec::new(64, number.to_bits()))
    };
    for width in [1, 7, 8, 31, 32, 33, 63, 64, 65, 127, 128, 129, 300] {
        assert_eq!(to(true, width, f64::INFINITY), BitVec::max_signed(width));
        assert_eq!(
            to(true, width, f64::NEG_INFINITY),
            BitVec::min_signed(width)
        );
        assert_eq!(to(false, width, f64::INFINITY), BitVec::ones(width));
        assert_eq!(to(false, width, -5.0), BitVec::zero(width));
        assert_eq!(to(false, width, f64::NAN), BitVec::zero(width));
        assert_eq!(to(true, width, f64::NAN), BitVec::zero(width));
        assert_eq!(to(true, width, -0.75), BitVec::zero(width));
        let least = -(2f64.powi(width as i32 - 1));
        assert_eq!(to(true, width, least), BitVec::min_signed(width));
        assert_eq!(to(true, width, -least), BitVec::max_signed(width));
        assert_eq!(to(false, width, -least), BitVec::min_signed(width));
    }
}
