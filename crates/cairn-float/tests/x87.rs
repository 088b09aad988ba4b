//! The 80-bit format against the 80-bit unit.

#![cfg(target_arch = "x86_64")]

mod common;

use cairn_bv::BitVec;
use cairn_float::{binary, compare, convert, unary};
use cairn_ir::{FloatBinaryOp, FloatCompareOp, FloatConvertOp, FloatFormat, FloatUnaryOp};
use cairn_random::Random;
use common::Operands;
use std::arch::asm;

const X87: FloatFormat = FloatFormat::X87;

#[repr(C, align(16))]
struct Place([u8; 16]);

impl Place {
    fn new(bits: u128) -> Place {
        Place(bits.to_le_bytes())
    }

    fn bits(&self) -> u128 {
        u128::from_le_bytes(self.0)
    }
}

/// Runs instructions of the 80-bit unit: two numbers in, `a` on top, one number out.
macro_rules! unit {
    ($a:expr, $b:expr, $($line:literal),+) => {{
        let (a, b, mut result) = (Place::new($a), Place::new($b), Place::new(0));
        // SAFETY: the code reads and writes just these places, needs an empty register stack,
        // as there always is between statements, and leaves it empty.
        unsafe {
            asm!(
                "fld tbyte ptr [{b}]",
                "fld tbyte ptr [{a}]",
                $($line,)+
                "fstp tbyte ptr [{result}]",
                "fstp st(0)",
                a = in(reg) &a,
                b = in(reg) &b,
                result = in(reg) &mut result,
                out("ax") _,
                out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
            );
        }
        result.bits()
    }};
}

fn unit_binary(op: FloatBinaryOp, a: u128, b: u128) -> u128 {
    match op {
        FloatBinaryOp::Add => unit!(a, b, "fadd st(0), st(1)"),
        FloatBinaryOp::Sub => unit!(a, b, "fsub st(0), st(1)"),
        FloatBinaryOp::Mul => unit!(a, b, "fmul st(0), st(1)"),
        FloatBinaryOp::Div => unit!(a, b, "fdiv st(0), st(1)"),
        FloatBinaryOp::Rem => unit!(a, b, "2:", "fprem", "fnstsw ax", "test ah, 4", "jnz 2b"),
        FloatBinaryOp::MinNum
        | FloatBinaryOp::MaxNum
        | FloatBinaryOp::Minimum
        | FloatBinaryOp::Maximum => unreachable!("the unit has no such instruction"),
    }
}

/// Rounds to an integral number with the rounding mode that the control word says.
fn unit_round(a: u128, control: u16) -> u128 {
    let (a, mut result) = (Place::new(a), Place::new(0));
    let old = 0u16;
    // SAFETY: as above; the control word is as before afterwards.
    unsafe {
        asm!(
            "fnstcw word ptr [{old}]",
            "fldcw word ptr [{control}]",
            "fld tbyte ptr [{a}]",
            "frndint",
            "fstp tbyte ptr [{result}]",
            "fldcw word ptr [{old}]",
            old = in(reg) &old,
            control = in(reg) &control,
            a = in(reg) &a,
            result = in(reg) &mut result,
            out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
            out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
        );
    }
    result.bits()
}

/// Loads from one place and stores to another, as another type.
macro_rules! unit_convert {
    ($value:expr, $load:literal, $store:literal) => {{
        let (value, mut result) = (Place::new($value), Place::new(0));
        // SAFETY: as above.
        unsafe {
            asm!(
                concat!($load, " ptr [{value}]"),
                concat!($store, " ptr [{result}]"),
                value = in(reg) &value,
                result = in(reg) &mut result,
                out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
            );
        }
        result.bits()
    }};
}

/// Less, equal, greater, unordered.
fn unit_compare(a: u128, b: u128) -> [bool; 4] {
    let (a, b) = (Place::new(a), Place::new(b));
    let (below, zero, parity): (u8, u8, u8);
    // SAFETY: as above.
    unsafe {
        asm!(
            "fld tbyte ptr [{b}]",
            "fld tbyte ptr [{a}]",
            "fucomip st(0), st(1)",
            "setb {below}",
            "setz {zero}",
            "setp {parity}",
            "fstp st(0)",
            a = in(reg) &a,
            b = in(reg) &b,
            below = out(reg_byte) below,
            zero = out(reg_byte) zero,
            parity = out(reg_byte) parity,
            out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
            out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
        );
    }
    match (below, zero, parity) {
        (1, 1, 1) => [false, false, false, true],
        (1, 0, 0) => [true, false, false, false],
        (0, 1, 0) => [false, true, false, false],
        (0, 0, 0) => [false, false, true, false],
        other => panic!("flags {other:?}"),
    }
}

const SIGN: u128 = 1 << 79;

/// Numbers at the borders, unsupported encodings among them.
fn special() -> Vec<u128> {
    let word = |exponent: u128, significand: u128| (exponent << 64) | significand;
    let one = 1 << 63;
    let mut all = vec![
        0,
        1,
        2,
        one - 1,
        one,
        one + 1,
        word(0, (one << 1) - 1),
        word(1, one),
        word(1, one + 1),
        word(1, (one << 1) - 1),
        word(0x3ffe, one),
        word(0x3ffe, (one << 1) - 1),
        word(0x3fff, one),
        word(0x3fff, one + 1),
        word(0x3fff, one | one >> 1),
        word(0x4000, one | one >> 1),
        word(0x403d, (one << 1) - 1),
        word(0x403e, one),
        word(0x403e, one + 1),
        word(0x7ffe, one),
        word(0x7ffe, (one << 1) - 1),
        word(0x7fff, one),
        // Not numbers: signalling and quiet, small and large.
        word(0x7fff, one + 1),
        word(0x7fff, one | ((one >> 1) - 1)),
        word(0x7fff, one | one >> 1),
        word(0x7fff, (one | one >> 1) + 1),
        word(0x7fff, (one << 1) - 1),
        // Unsupported.
        word(0x7fff, 0),
        word(0x7fff, 1),
        word(0x7fff, one >> 1),
        word(1, 0),
        word(1, one - 1),
        word(0x3fff, 5),
        word(0x7ffe, one >> 1),
    ];
    all.extend(all.clone().into_iter().map(|bits| bits | SIGN));
    all
}

fn pairs(seed: u64, count: u32, mut test: impl FnMut(u128, u128)) {
    let special = special();
    for &a in &special {
        for &b in &special {
            test(a, b);
        }
    }
    let mut random = Random::new(seed);
    for _ in 0..count {
        let a = random.number(X87);
        let b = match random.below(8) {
            // Close to the other: sums cancel.
            0 => a ^ SIGN ^ u128::from(random.below_u64(16)),
            1 => special[random.below(special.len())],
            _ => random.number(X87),
        };
        test(a, b);
        test(b, a);
    }
}

#[test]
fn arithmetic() {
    for op in [
        FloatBinaryOp::Add,
        FloatBinaryOp::Sub,
        FloatBinaryOp::Mul,
        FloatBinaryOp::Div,
    ] {
        pairs(1, 200_000, |a, b| {
            let (ours, theirs) = (binary(op, X87, a, b), unit_binary(op, a, b));
            assert_eq!(ours, theirs, "{op:?} {a:#x} {b:#x}: {ours:#x} {theirs:#x}");
        });
    }
}

#[test]
fn remainder() {
    let op = FloatBinaryOp::Rem;
    pairs(2, 20_000, |a, b| {
        let (ours, theirs) = (binary(op, X87, a, b), unit_binary(op, a, b));
        assert_eq!(ours, theirs, "{op:?} {a:#x} {b:#x}: {ours:#x} {theirs:#x}");
    });
}

#[test]
fn comparison() {
    pairs(3, 100_000, |a, b| {
        let ours = [0, 1, 2, 3].map(|i| {
            let op = FloatCompareOp {
                less: i == 0,
                equal: i == 1,
                greater: i == 2,
                unordered: i == 3,
            };
            compare(op, X87, a, b)
        });
        assert_eq!(ours, unit_compare(a, b), "{a:#x} {b:#x}");
    });
}

fn each(seed: u64, mut test: impl FnMut(u128)) {
    special().into_iter().for_each(&mut test);
    let mut random = Random::new(seed);
    for _ in 0..200_000 {
        test(random.number(X87));
    }
}

#[test]
fn roots_and_rounding() {
    each(4, |a| {
        let theirs = [
            (FloatUnaryOp::Sqrt, unit!(a, 0, "fsqrt")),
            (FloatUnaryOp::RoundEven, unit_round(a, 0x037f)),
            (FloatUnaryOp::Floor, unit_round(a, 0x077f)),
            (FloatUnaryOp::Ceil, unit_round(a, 0x0b7f)),
            (FloatUnaryOp::Trunc, unit_round(a, 0x0f7f)),
        ];
        for (op, theirs) in theirs {
            let ours = unary(op, X87, a);
            assert_eq!(ours, theirs, "{op:?} {a:#x}: {ours:#x} {theirs:#x}");
        }
    });
}

#[test]
fn formats() {
    let ours = |from: FloatFormat, to: FloatFormat, bits: u128| {
        convert(
            FloatConvertOp::Format { from, to },
            &BitVec::from_u128(from.width(), bits),
        )
        .to_u128()
        .expect("at most 128 bits")
    };
    each(5, |a| {
        let double = unit_convert!(a, "fld tbyte", "fstp qword");
        assert_eq!(ours(X87, FloatFormat::Double, a), double, "{a:#x}");
        let single = unit_convert!(a, "fld tbyte", "fstp dword");
        assert_eq!(ours(X87, FloatFormat::Single, a), single, "{a:#x}");
    });
    let mut random = Random::new(6);
    for _ in 0..200_000 {
        let a = random.number(FloatFormat::Double);
        let extended = unit_convert!(a, "fld qword", "fstp tbyte");
        assert_eq!(ours(FloatFormat::Double, X87, a), extended, "{a:#x}");
        let a = random.number(FloatFormat::Single);
        let extended = unit_convert!(a, "fld dword", "fstp tbyte");
        assert_eq!(ours(FloatFormat::Single, X87, a), extended, "{a:#x}");
    }
}

#[test]
fn integers() {
    let to = |width: u32, bits: u128| {
        let op = FloatConvertOp::ToInt {
            signed: true,
            from: X87,
            to: width,
            saturating: false,
        };
        convert(op, &BitVec::from_u128(80, bits)).low_u64()
    };
    each(7, |a| {
        let theirs = unit_convert!(a, "fld tbyte", "fisttp qword") as u64;
        assert_eq!(to(64, a), theirs, "{a:#x}");
        let theirs = unit_convert!(a, "fld tbyte", "fisttp dword") as u64;
        assert_eq!(to(32, a), theirs, "{a:#x}");
        assert_eq!(to(24, a), theirs & 0xff_ffff, "{a:#x}");
        let theirs = unit_convert!(a, "fld tbyte", "fisttp word") as u64;
        assert_eq!(to(16, a), theirs, "{a:#x}");
        assert_eq!(to(8, a), theirs & 0xff, "{a:#x}");
    });
    let mut random = Random::new(8);
    for _ in 0..100_000 {
        let value = random.pattern() as u64;
        let op = FloatConvertOp::FromInt {
            signed: true,
            from: 64,
            to: X87,
        };
        let ours = convert(op, &BitVec::new(64, value)).to_u128();
        let theirs = unit_convert!(u128::from(value), "fild qword", "fstp tbyte");
        assert_eq!(ours, Some(theirs), "{value:#x}");
    }
}
