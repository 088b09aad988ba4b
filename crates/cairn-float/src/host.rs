//! Single and double precision on the host's arithmetic.
//!
//! The host rounds as the program's machine does. What is not a number is another matter: which
//! operand's payload a result has depends on the order in which the compiler hands operands to
//! the instruction, so such results, which are rare, are made anew by the rule in [`crate::soft`].

use crate::layout::FormatLayout;
use crate::soft;
use cairn_ir::{FloatBinaryOp, FloatCompareOp, FloatFormat, FloatUnaryOp};

macro_rules! host {
    ($float:ty, $bits:ty, $format:expr, $binary:ident, $unary:ident, $fma:ident, $compare:ident) => {
        #[doc = concat!("[`crate::binary`] of two `", stringify!($float), "`.")]
        #[inline]
        pub fn $binary(op: FloatBinaryOp, a: $bits, b: $bits) -> $bits {
            let (x, y) = (<$float>::from_bits(a), <$float>::from_bits(b));
            let result = match op {
                FloatBinaryOp::Add => x + y,
                FloatBinaryOp::Sub => x - y,
                FloatBinaryOp::Mul => x * y,
                FloatBinaryOp::Div => x / y,
                FloatBinaryOp::Rem => x % y,
                FloatBinaryOp::MinNum
                | FloatBinaryOp::MaxNum
                | FloatBinaryOp::Minimum
                | FloatBinaryOp::Maximum => {
                    return soft::binary(op, $format, a.into(), b.into()) as $bits;
                }
            };
            if result.is_nan() {
                return soft::not_a_number(op, $format, a.into(), b.into()) as $bits;
            }
            result.to_bits()
        }

        #[doc = concat!("[`crate::unary`] of a `", stringify!($float), "`.")]
        #[inline]
        pub fn $unary(op: FloatUnaryOp, a: $bits) -> $bits {
            let x = <$float>::from_bits(a);
            let result = match op {
                FloatUnaryOp::Sqrt => x.sqrt(),
                FloatUnaryOp::Floor => x.floor(),
                FloatUnaryOp::Ceil => x.ceil(),
                FloatUnaryOp::Trunc => x.trunc(),
                FloatUnaryOp::RoundEven => x.round_ties_even(),
                FloatUnaryOp::RoundAway => x.round(),
            };
            if result.is_nan() {
                return soft::unary(op, $format, a.into()) as $bits;
            }
            result.to_bits()
        }

        #[doc = concat!("[`crate::fma`] of three `", stringify!($float), "`.")]
        #[inline]
        pub fn $fma(a: $bits, b: $bits, c: $bits) -> $bits {
            let (x, y, z) = (
                <$float>::from_bits(a),
                <$float>::from_bits(b),
                <$float>::from_bits(c),
            );
            let result = x.mul_add(y, z);
            if result.is_nan() {
                return soft::fma_nan(FormatLayout::of($format), a.into(), b.into(), c.into())
                    as $bits;
            }
            result.to_bits()
        }

        #[doc = concat!("[`crate::compare`] of two `", stringify!($float), "`.")]
        #[inline]
        pub fn $compare(op: FloatCompareOp, a: $bits, b: $bits) -> bool {
            let (x, y) = (<$float>::from_bits(a), <$float>::from_bits(b));
            (op.less && x < y)
                || (op.equal && x == y)
                || (op.greater && x > y)
                || (op.unordered && (x.is_nan() || y.is_nan()))
        }
    };
}

host!(
    f32,
    u32,
    FloatFormat::Single,
    binary_f32,
    unary_f32,
    fma_f32,
    compare_f32
);
host!(
    f64,
    u64,
    FloatFormat::Double,
    binary_f64,
    unary_f64,
    fma_f64,
    compare_f64
);

#[cfg(test)]
mod tests {
    //! The host's arithmetic and ours in integers have to agree in every bit.

    use super::*;
    use crate::common::Operands;
    use crate::{binary, compare, fma, unary};
    use cairn_random::Random;

    const FORMATS: [FloatFormat; 2] = [FloatFormat::Single, FloatFormat::Double];

    #[test]
    fn two_numbers() {
        let mut random = Random::new(11);
        for _ in 0..400_000 {
            for format in FORMATS {
                let (a, b) = (random.number(format), random.number(format));
                for op in [
                    FloatBinaryOp::Add,
                    FloatBinaryOp::Sub,
                    FloatBinaryOp::Mul,
                    FloatBinaryOp::Div,
                    FloatBinaryOp::Rem,
                ] {
                    let (host, own) = (binary(op, format, a, b), soft::binary(op, format, a, b));
                    assert_eq!(host, own, "{op:?} {format:?} {a:#x} {b:#x}");
                }
                for bits in 1..16u32 {
                    let op = FloatCompareOp {
                        less: bits & 1 != 0,
                        equal: bits & 2 != 0,
                        greater: bits & 4 != 0,
                        unordered: bits & 8 != 0,
                    };
                    let host = compare(op, format, a, b);
                    assert_eq!(
                        host,
                        soft::compare(op, format, a, b),
                        "{op:?} {a:#x} {b:#x}"
                    );
                }
            }
        }
    }

    #[test]
    fn one_number() {
        let mut random = Random::new(12);
        for _ in 0..400_000 {
            for format in FORMATS {
                let a = random.number(format);
                for op in [
                    FloatUnaryOp::Sqrt,
                    FloatUnaryOp::Floor,
                    FloatUnaryOp::Ceil,
                    FloatUnaryOp::Trunc,
                    FloatUnaryOp::RoundEven,
                    FloatUnaryOp::RoundAway,
                ] {
                    let (host, own) = (unary(op, format, a), soft::unary(op, format, a));
                    assert_eq!(host, own, "{op:?} {format:?} {a:#x}");
                }
            }
        }
    }

    #[test]
    fn three_numbers() {
        let mut random = Random::new(13);
        for _ in 0..400_000 {
            for format in FORMATS {
                let (a, b) = (random.number(format), random.number(format));
                // The product's neighbourhood now and then: deep cancellation.
                let c = if random.one_in(3) {
                    let sign = 1u128 << (format.width() - 1);
                    binary(FloatBinaryOp::Mul, format, a, b)
                        ^ sign
                        ^ u128::from(random.below_u64(3))
                } else {
                    random.number(format)
                };
                let (host, own) = (fma(format, a, b, c), soft::fma(format, a, b, c));
                assert_eq!(host, own, "{format:?} {a:#x} {b:#x} {c:#x}");
            }
        }
    }
}
