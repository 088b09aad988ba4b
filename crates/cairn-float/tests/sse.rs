//! Single and double precision against the instructions themselves, payloads included.

#![cfg(target_arch = "x86_64")]

mod common;

use cairn_bv::BitVec;
use cairn_float::{binary, convert, convert_word, fma, unary};
use cairn_ir::{FloatBinaryOp, FloatConvertOp, FloatFormat, FloatUnaryOp};
use cairn_random::Random;
use common::Operands;
use std::arch::asm;

/// One instruction on the low lanes of two registers; the first is the result.
macro_rules! instruction {
    ($name:literal, $a:expr, $b:expr) => {{
        let mut a: u64 = $a;
        // SAFETY: the instruction touches registers only.
        unsafe {
            asm!(
                "movq {x}, {a}",
                "movq {y}, {b}",
                concat!($name, " {x}, {y}"),
                "movq {a}, {x}",
                a = inout(reg) a,
                b = in(reg) $b,
                x = out(xmm_reg) _,
                y = out(xmm_reg) _,
            );
        }
        a
    }};
}

/// A conversion to an integer.
macro_rules! to_integer {
    ($name:literal, $size:literal, $a:expr) => {{
        let mut a: u64 = $a;
        // SAFETY: the instruction touches registers only.
        unsafe {
            asm!(
                "movq {x}, {a}",
                concat!($name, " {a:", $size, "}, {x}"),
                a = inout(reg) a,
                x = out(xmm_reg) _,
            );
        }
        a
    }};
}

#[test]
fn arithmetic() {
    let mut random = Random::new(21);
    for _ in 0..200_000 {
        let (a, b) = (
            random.number(FloatFormat::Double) as u64,
            random.number(FloatFormat::Double) as u64,
        );
        let ours = |op| binary(op, FloatFormat::Double, a.into(), b.into()) as u64;
        assert_eq!(ours(FloatBinaryOp::Add), instruction!("addsd", a, b));
        assert_eq!(ours(FloatBinaryOp::Sub), instruction!("subsd", a, b));
        assert_eq!(ours(FloatBinaryOp::Mul), instruction!("mulsd", a, b));
        assert_eq!(ours(FloatBinaryOp::Div), instruction!("divsd", a, b));
        let root = unary(FloatUnaryOp::Sqrt, FloatFormat::Double, b.into()) as u64;
        assert_eq!(root, instruction!("sqrtsd", a, b));
        let (a, b) = (
            random.number(FloatFormat::Single) as u64,
            random.number(FloatFormat::Single) as u64,
        );
        let ours = |op| binary(op, FloatFormat::Single, a.into(), b.into()) as u64;
        let low = |bits: u64| bits & u64::from(u32::MAX);
        assert_eq!(ours(FloatBinaryOp::Add), low(instruction!("addss", a, b)));
        assert_eq!(ours(FloatBinaryOp::Sub), low(instruction!("subss", a, b)));
        assert_eq!(ours(FloatBinaryOp::Mul), low(instruction!("mulss", a, b)));
        assert_eq!(ours(FloatBinaryOp::Div), low(instruction!("divss", a, b)));
        let root = unary(FloatUnaryOp::Sqrt, FloatFormat::Single, b.into()) as u64;
        assert_eq!(root, low(instruction!("sqrtss", a, b)));
    }
}

#[test]
fn multiply_and_add() {
    if !std::arch::is_x86_feature_detected!("fma") {
        eprintln!("skipped: no such instruction");
        return;
    }
    let mut random = Random::new(22);
    for _ in 0..200_000 {
        let [a, b, c] = [(); 3].map(|()| random.number(FloatFormat::Double) as u64);
        let mut theirs = a;
        // SAFETY: the instruction is there and touches registers only.
        unsafe {
            asm!(
                "movq {x}, {a}",
                "movq {y}, {b}",
                "movq {z}, {c}",
                // The form that C's library uses; forms differ in whose payload is kept.
                "vfmadd132sd {x}, {z}, {y}",
                "movq {a}, {x}",
                a = inout(reg) theirs,
                b = in(reg) b,
                c = in(reg) c,
                x = out(xmm_reg) _,
                y = out(xmm_reg) _,
                z = out(xmm_reg) _,
            );
        }
        let ours = fma(FloatFormat::Double, a.into(), b.into(), c.into()) as u64;
        assert_eq!(ours, theirs, "{a:#x} {b:#x} {c:#x}");
    }
}

#[test]
fn conversions() {
    let (single, double) = (FloatFormat::Single, FloatFormat::Double);
    let mut random = Random::new(23);
    for _ in 0..300_000 {
        let a = random.number(double) as u64;
        let op = FloatConvertOp::Format {
            from: double,
            to: single,
        };
        let theirs = instruction!("cvtsd2ss", 0, a);
        assert_eq!(convert_word(op, a), Some(theirs), "{a:#x}");
        let to = |to: u32, from| FloatConvertOp::ToInt {
            signed: true,
            from,
            to,
            saturating: false,
        };
        let long = to_integer!("cvttsd2si", "r", a);
        assert_eq!(convert_word(to(64, double), a), Some(long), "{a:#x}");
        let short = to_integer!("cvttsd2si", "e", a);
        assert_eq!(convert_word(to(32, double), a), Some(short), "{a:#x}");
        assert_eq!(convert_word(to(8, double), a), Some(short & 0xff), "{a:#x}");
        let unsigned = FloatConvertOp::ToInt {
            signed: false,
            from: double,
            to: 64,
            saturating: false,
        };
        // The sequence that the module of conversions tells of.
        let moved = binary(
            FloatBinaryOp::Sub,
            double,
            a.into(),
            (2f64.powi(63)).to_bits().into(),
        );
        let second = to_integer!("cvttsd2si", "r", moved as u64);
        let sequence = long | (second & ((long as i64) >> 63) as u64);
        assert_eq!(convert_word(unsigned, a), Some(sequence), "{a:#x}");

        let a = random.number(single) as u64;
        let op = FloatConvertOp::Format {
            from: single,
            to: double,
        };
        let theirs = instruction!("cvtss2sd", 0, a);
        assert_eq!(convert_word(op, a), Some(theirs), "{a:#x}");
        let long = to_integer!("cvttss2si", "r", a);
        assert_eq!(convert_word(to(64, single), a), Some(long), "{a:#x}");
    }
}

#[test]
fn half_precision() {
    if !std::arch::is_x86_feature_detected!("f16c") {
        eprintln!("skipped: no such instruction");
        return;
    }
    let op = |from, to| FloatConvertOp::Format { from, to };
    let (half, single) = (FloatFormat::Half, FloatFormat::Single);
    for a in 0..=u64::from(u16::MAX) {
        let theirs = instruction!("vcvtph2ps", 0, a) & u64::from(u32::MAX);
        let ours = convert(op(half, single), &BitVec::new(16, a));
        assert_eq!(ours.low_u64(), theirs, "{a:#x}");
    }
    let mut random = Random::new(24);
    for i in 0..1_000_000u64 {
        // Patterns, and all upper halves with all kinds of ties below.
        let a = if i % 2 == 0 {
            random.number(single) as u64
        } else {
            (random.below_u64(1 << 19) << 13)
                + [0, 1, 0xfff, 0x1000, 0x1001, 0x1fff][i as usize % 6]
        };
        let mut theirs = a;
        // SAFETY: the instruction is there and touches registers only.
        unsafe {
            asm!(
                "movq {x}, {a}",
                "vcvtps2ph {x}, {x}, 0",
                "movq {a}, {x}",
                a = inout(reg) theirs,
                x = out(xmm_reg) _,
            );
        }
        let ours = convert(op(single, half), &BitVec::new(32, a));
        assert_eq!(ours.low_u64(), theirs & 0xffff, "{a:#x}");
    }
}
