//! Half precision against exact arithmetic: doubles hold sums and products of its numbers
//! exactly, and a table of all numbers finds the nearest.

mod common;

use cairn_bv::BitVec;
use cairn_float::{binary, convert, unary};
use cairn_ir::{FloatBinaryOp, FloatConvertOp, FloatFormat, FloatUnaryOp};
use cairn_random::Random;

const HALF: FloatFormat = FloatFormat::Half;

/// The number that bits stand for, from the definition.
fn value(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let fraction = f64::from(bits & 0x3ff);
    match (bits >> 10) & 31 {
        0 => sign * fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN,
        exponent => sign * (1024.0 + fraction) * 2f64.powi(i32::from(exponent) - 25),
    }
}

/// All numbers from zero up.
fn table() -> Vec<f64> {
    (0..0x7c00).map(value).collect()
}

/// The nearest number, ties to even, by search.
fn nearest(table: &[f64], number: f64) -> u16 {
    let sign = if number.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = number.abs();
    if number.is_nan() {
        return 0xfe00;
    }
    // Half a unit above the largest number.
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    let above = table.partition_point(|&other| other <= magnitude);
    let below = above - 1;
    let Some(&upper) = table.get(above) else {
        return sign | below as u16;
    };
    let (down, up) = (magnitude - table[below], upper - magnitude);
    let index = if down < up || (down == up && below % 2 == 0) {
        below
    } else {
        above
    };
    sign | index as u16
}

fn check_pairs(step: usize) {
    let table = table();
    for b in (0..=u16::MAX).step_by(step) {
        for a in 0..=u16::MAX {
            let (x, y) = (value(a), value(b));
            if x.is_nan() || y.is_nan() {
                continue;
            }
            let expected = [
                (FloatBinaryOp::Add, x + y),
                (FloatBinaryOp::Sub, x - y),
                (FloatBinaryOp::Mul, x * y),
                // Rounding the quotient twice is rounding once: doubles have enough digits.
                (FloatBinaryOp::Div, x / y),
            ];
            for (op, result) in expected {
                let ours = binary(op, HALF, a.into(), b.into());
                let expected = nearest(&table, result);
                assert_eq!(ours, expected.into(), "{op:?} {a:#x} {b:#x}");
            }
        }
    }
}

#[test]
fn many_pairs() {
    check_pairs(1021);
}

#[test]
#[ignore = "a thousand million operations take minutes; `./test long` runs them"]
fn more_pairs() {
    check_pairs(17);
}

#[test]
fn all_numbers() {
    let table = table();
    for a in 0..=u16::MAX {
        let x = value(a);
        let to_double = FloatConvertOp::Format {
            from: HALF,
            to: FloatFormat::Double,
        };
        let double = convert(to_double, &BitVec::new(16, a.into())).low_u64();
        if x.is_nan() {
            let payload = u64::from(a & 0x3ff) << 42;
            let expected = (u64::from(a >> 15) << 63) | 0x7ff8 << 48 | payload;
            assert_eq!(double, expected);
            continue;
        }
        assert_eq!(double, x.to_bits(), "{a:#x}");
        let ours = |op| unary(op, HALF, a.into());
        for (op, expected) in [
            (FloatUnaryOp::Sqrt, x.sqrt()),
            (FloatUnaryOp::Floor, x.floor()),
            (FloatUnaryOp::Ceil, x.ceil()),
            (FloatUnaryOp::Trunc, x.trunc()),
            (FloatUnaryOp::RoundEven, x.round_ties_even()),
            (FloatUnaryOp::RoundAway, x.round()),
        ] {
            assert_eq!(ours(op), nearest(&table, expected).into(), "{op:?} {a:#x}");
        }
        for (signed, width) in [(true, 8), (false, 8), (true, 13), (false, 16), (true, 64)] {
            let op = FloatConvertOp::ToInt {
                signed,
                from: HALF,
                to: width,
                saturating: true,
            };
            let low = if signed {
                -(2f64.powi(width as i32 - 1))
            } else {
                0.0
            };
            let high = low + 2f64.powi(width as i32) - 1.0;
            let expected = x.trunc().clamp(low, high) as i128 as u64;
            let ours = convert(op, &BitVec::new(16, a.into()));
            // The largest double below 2^63 is not the largest integer.
            if x != f64::INFINITY || width < 64 {
                assert_eq!(ours, BitVec::new(width, expected), "{a:#x} {width}");
            }
        }
    }
}

#[test]
fn doubles_to_halves() {
    let table = table();
    let op = FloatConvertOp::Format {
        from: FloatFormat::Double,
        to: HALF,
    };
    let check = |number: f64| {
        let ours = convert(op, &BitVec::new(64, number.to_bits())).low_u64();
        assert_eq!(ours, nearest(&table, number).into(), "{number:e}");
    };
    for pair in table.windows(2) {
        // Next to a tie by less than single precision sees: rounding twice would go wrong.
        let tie = (pair[0] + pair[1]) / 2.0;
        for number in [pair[0], tie, tie.next_up(), tie.next_down()] {
            check(number);
            check(-number);
        }
    }
    let mut random = Random::new(31);
    for _ in 0..100_000 {
        check(f64::from_bits(
            (random.below_u64(80) + 980) << 52 | random.below_u64(1 << 52),
        ));
    }
    for number in [65519.999, 65520.0, 1e300, 1e-300, f64::INFINITY] {
        check(number);
    }
}

#[test]
fn integers_to_halves() {
    let table = table();
    for number in -70000..70000i64 {
        let op = FloatConvertOp::FromInt {
            signed: true,
            from: 40,
            to: HALF,
        };
        let ours = convert(op, &BitVec::from_i64(40, number)).low_u64();
        assert_eq!(ours, nearest(&table, number as f64).into(), "{number}");
    }
}
