//! The 128-bit format and wide integers against the compiler's own libraries, if there is a C
//! compiler.

#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod common;

use cairn_bv::BitVec;
use cairn_float::{binary, compare, convert, fma, unary};
use cairn_ir::{FloatBinaryOp, FloatCompareOp, FloatConvertOp, FloatFormat, FloatUnaryOp};
use cairn_random::Random;
use common::Operands;

const QUAD: FloatFormat = FloatFormat::Quad;

/// A request to the program, and what we say.
struct Case {
    code: u8,
    operands: [u128; 3],
    ours: u128,
    /// The library may choose any payload of what is not a number.
    loose: Option<FloatFormat>,
    what: String,
}

fn is_nan(format: FloatFormat, bits: u128) -> bool {
    let unordered = FloatCompareOp {
        less: false,
        equal: false,
        greater: false,
        unordered: true,
    };
    compare(unordered, format, bits, bits)
}

fn check(cases: Vec<Case>) {
    let flags = ["-lm"];
    let Some(program) = common::compile("library", include_str!("library.c"), &flags) else {
        return;
    };
    let mut input = Vec::new();
    for case in &cases {
        input.push(case.code);
        for operand in case.operands {
            input.extend(operand.to_le_bytes());
        }
    }
    let output = common::run(&program, input);
    assert_eq!(output.len(), cases.len() * 16);
    for (case, answer) in cases.iter().zip(output.chunks_exact(16)) {
        let theirs = u128::from_le_bytes(answer.try_into().expect("sixteen bytes"));
        if let Some(format) = case.loose
            && is_nan(format, theirs)
            && is_nan(format, case.ours)
        {
            continue;
        }
        let [a, b, c] = case.operands;
        let (what, ours) = (&case.what, case.ours);
        assert_eq!(
            ours, theirs,
            "{what} {a:#x} {b:#x} {c:#x}: {ours:#x} {theirs:#x}"
        );
    }
}

#[test]
fn arithmetic() {
    let mut random = Random::new(41);
    let mut cases = Vec::new();
    let sign = 1u128 << 127;
    for _ in 0..60_000 {
        let a = random.number(QUAD);
        let b = if random.one_in(6) {
            a ^ sign ^ u128::from(random.below_u64(16))
        } else {
            random.number(QUAD)
        };
        for (code, op) in [
            (0, FloatBinaryOp::Add),
            (1, FloatBinaryOp::Sub),
            (2, FloatBinaryOp::Mul),
            (3, FloatBinaryOp::Div),
            (4, FloatBinaryOp::Rem),
        ] {
            cases.push(Case {
                code,
                operands: [a, b, 0],
                ours: binary(op, QUAD, a, b),
                loose: (op == FloatBinaryOp::Rem).then_some(QUAD),
                what: format!("{op:?}"),
            });
        }
        for (code, op) in [
            (5, FloatUnaryOp::Sqrt),
            (6, FloatUnaryOp::Floor),
            (7, FloatUnaryOp::Ceil),
            (8, FloatUnaryOp::Trunc),
            (9, FloatUnaryOp::RoundEven),
            (10, FloatUnaryOp::RoundAway),
        ] {
            cases.push(Case {
                code,
                operands: [a, 0, 0],
                ours: unary(op, QUAD, a),
                loose: Some(QUAD),
                what: format!("{op:?}"),
            });
        }
        let orders = [0, 1, 2, 3].map(|i| {
            let op = FloatCompareOp {
                less: i == 0,
                equal: i == 1,
                greater: i == 2,
                unordered: i == 3,
            };
            u128::from(compare(op, QUAD, a, b)) << i
        });
        cases.push(Case {
            code: 12,
            operands: [a, b, 0],
            ours: orders.iter().sum(),
            loose: None,
            what: "compare".into(),
        });
        for (code, format) in [(11, QUAD), (13, FloatFormat::X87)] {
            let (a, b) = (random.number(format), random.number(format));
            let c = if random.one_in(3) {
                let sign = 1u128 << (format.width() - 1);
                binary(FloatBinaryOp::Mul, format, a, b) ^ sign ^ u128::from(random.below_u64(3))
            } else {
                random.number(format)
            };
            cases.push(Case {
                code,
                operands: [a, b, c],
                ours: fma(format, a, b, c),
                loose: Some(format),
                what: format!("fma {format:?}"),
            });
        }
        let a = random.number(FloatFormat::X87);
        cases.push(Case {
            code: 14,
            operands: [a, 0, 0],
            ours: unary(FloatUnaryOp::RoundAway, FloatFormat::X87, a),
            loose: Some(FloatFormat::X87),
            what: "round".into(),
        });
    }
    check(cases);
}

fn converted(op: FloatConvertOp, width: u32, bits: u128) -> u128 {
    convert(op, &BitVec::from_u128(width, bits))
        .to_u128()
        .expect("at most 128 bits")
}

#[test]
fn formats() {
    use FloatFormat::{Double, Half, Quad, Single, X87};
    let mut random = Random::new(42);
    let mut cases = Vec::new();
    for _ in 0..60_000 {
        for (code, from, to) in [
            (20, Quad, Half),
            (21, Quad, Single),
            (22, Quad, Double),
            (23, Quad, X87),
            (24, Half, Quad),
            (25, Single, Quad),
            (26, Double, Quad),
            (27, X87, Quad),
            (28, X87, Half),
            (29, Double, Half),
            (30, Single, Half),
        ] {
            let mut bits = random.number(from);
            if random.one_in(2) {
                // Into the range of the other format.
                let op = FloatConvertOp::Format { from: to, to: from };
                bits =
                    converted(op, to.width(), random.number(to)) ^ u128::from(random.below_u64(4));
            }
            // The library takes pseudo-denormals for denormals; they come from no computation.
            if from == X87 && (bits >> 63) & 0xffff == 1 {
                continue;
            }
            cases.push(Case {
                code,
                operands: [bits, 0, 0],
                ours: converted(FloatConvertOp::Format { from, to }, from.width(), bits),
                loose: None,
                what: format!("{from:?} to {to:?}"),
            });
        }
    }
    check(cases);
}

#[test]
fn integers() {
    use FloatFormat::{Double, Half, Quad, Single, X87};
    let mut random = Random::new(43);
    let mut cases = Vec::new();
    for _ in 0..40_000 {
        for (code, from, signed, to) in [
            (40, Quad, true, 32),
            (41, Quad, false, 32),
            (42, Quad, true, 64),
            (43, Quad, false, 64),
            (44, Quad, true, 128),
            (45, Quad, false, 128),
            (46, Half, true, 128),
            (47, Half, false, 128),
            (48, Single, true, 128),
            (49, Single, false, 128),
            (50, Double, true, 128),
            (51, Double, false, 128),
            (52, X87, true, 128),
            (53, X87, false, 128),
        ] {
            let bits = if random.one_in(2) {
                random.number(from)
            } else {
                let op = FloatConvertOp::FromInt {
                    signed: true,
                    from: 128,
                    to: from,
                };
                let integer = random.pattern() as i128 >> random.below(128);
                converted(op, 128, integer as u128) ^ u128::from(random.below_u64(4))
            };
            let op = FloatConvertOp::ToInt {
                signed,
                from,
                to,
                saturating: false,
            };
            cases.push(Case {
                code,
                operands: [bits, 0, 0],
                ours: converted(op, from.width(), bits),
                loose: None,
                what: format!("{op:?}"),
            });
        }
        for (code, to) in [
            (60, Half),
            (62, Single),
            (64, Double),
            (66, X87),
            (68, Quad),
        ] {
            for signed in [true, false] {
                let bits = random.pattern() ^ u128::from(random.below_u64(4));
                let bits = (bits as i128 >> random.below(128)) as u128;
                let op = FloatConvertOp::FromInt {
                    signed,
                    from: 128,
                    to,
                };
                cases.push(Case {
                    code: code + u8::from(!signed),
                    operands: [bits, 0, 0],
                    ours: converted(op, 128, bits),
                    loose: None,
                    what: format!("{op:?}"),
                });
            }
        }
    }
    check(cases);
}
