//! The meaning of the floating-point instructions (F and D).
//!
//! Arithmetic is that of the program form, rounded to nearest even. RISC-V differs from it in what is not
//! a number: every such result is the one canonical pattern, whatever the operands were. A
//! single-precision register that has not all ones above its number counts as not a number.
//! Other rounding modes are supported where a number becomes an integer, and where the result is exact;
//! elsewhere they are refused by name. Exception flags: see `control.rs`.

use crate::build::mask;
use crate::decode::Inst;
use crate::integer::address;
use crate::print::assembly;
use crate::registers::{FLOATS, RAISED};
use crate::table::Op;
use crate::values::{Value, Values};
use cairn_ir::{
    BinaryOp, CastOp, CheckKind, CompareOp, FloatBinaryOp, FloatCompareOp, FloatConvertOp,
    FloatFormat, FloatUnaryOp, Inst as Ir, Operand,
};

const SINGLE: FloatFormat = FloatFormat::Single;
const DOUBLE: FloatFormat = FloatFormat::Double;

/// Lowers a floating-point instruction; false if it is another one.
pub(crate) fn lower(v: &mut Values<'_>, at: u64, inst: &Inst) -> bool {
    let rd = usize::from(inst.rd);
    match inst.op {
        Op::Flw => {
            let address = address(v, inst);
            let value = v.builder.load(32, address);
            v.set(FLOATS + rd, Value::single(value));
        }
        Op::Fld => {
            let address = address(v, inst);
            let value = v.builder.load(64, address);
            v.set(FLOATS + rd, Value::wide(value));
        }
        Op::Fsw => {
            let value = v.low(FLOATS + usize::from(inst.rs2));
            let address = address(v, inst);
            v.builder.store(32, value, address);
        }
        Op::Fsd => {
            let value = v.wide(FLOATS + usize::from(inst.rs2));
            let address = address(v, inst);
            v.builder.store(64, value, address);
        }
        Op::FmvXW => {
            let value = v.low(FLOATS + usize::from(inst.rs1));
            v.set(rd, Value::narrow(value));
        }
        Op::FmvXD => {
            let value = v.wide(FLOATS + usize::from(inst.rs1));
            v.set(rd, Value::wide(value));
        }
        Op::FmvWX => {
            let value = v.low(inst.rs1.into());
            v.set(FLOATS + rd, Value::single(value));
        }
        Op::FmvDX => {
            let value = v.wide(inst.rs1.into());
            v.set(FLOATS + rd, Value::wide(value));
        }
        _ => return computes(v, at, inst),
    }
    true
}

/// Instructions that look at numbers.
fn computes(v: &mut Values<'_>, at: u64, inst: &Inst) -> bool {
    use FloatBinaryOp::{Add, Div, MaxNum, MinNum, Mul, Sub};
    match inst.op {
        Op::FaddS => binary(v, at, inst, SINGLE, Add),
        Op::FsubS => binary(v, at, inst, SINGLE, Sub),
        Op::FmulS => binary(v, at, inst, SINGLE, Mul),
        Op::FdivS => binary(v, at, inst, SINGLE, Div),
        Op::FminS => binary(v, at, inst, SINGLE, MinNum),
        Op::FmaxS => binary(v, at, inst, SINGLE, MaxNum),
        Op::FaddD => binary(v, at, inst, DOUBLE, Add),
        Op::FsubD => binary(v, at, inst, DOUBLE, Sub),
        Op::FmulD => binary(v, at, inst, DOUBLE, Mul),
        Op::FdivD => binary(v, at, inst, DOUBLE, Div),
        Op::FminD => binary(v, at, inst, DOUBLE, MinNum),
        Op::FmaxD => binary(v, at, inst, DOUBLE, MaxNum),
        Op::FsqrtS => square_root(v, at, inst, SINGLE),
        Op::FsqrtD => square_root(v, at, inst, DOUBLE),
        Op::FmaddS => fused(v, at, inst, SINGLE, false, false),
        Op::FmsubS => fused(v, at, inst, SINGLE, false, true),
        Op::FnmsubS => fused(v, at, inst, SINGLE, true, false),
        Op::FnmaddS => fused(v, at, inst, SINGLE, true, true),
        Op::FmaddD => fused(v, at, inst, DOUBLE, false, false),
        Op::FmsubD => fused(v, at, inst, DOUBLE, false, true),
        Op::FnmsubD => fused(v, at, inst, DOUBLE, true, false),
        Op::FnmaddD => fused(v, at, inst, DOUBLE, true, true),
        Op::FsgnjS | Op::FsgnjnS | Op::FsgnjxS => sign(v, inst, SINGLE),
        Op::FsgnjD | Op::FsgnjnD | Op::FsgnjxD => sign(v, inst, DOUBLE),
        Op::FeqS => compare(v, inst, SINGLE, false, true),
        Op::FltS => compare(v, inst, SINGLE, true, false),
        Op::FleS => compare(v, inst, SINGLE, true, true),
        Op::FeqD => compare(v, inst, DOUBLE, false, true),
        Op::FltD => compare(v, inst, DOUBLE, true, false),
        Op::FleD => compare(v, inst, DOUBLE, true, true),
        Op::FclassS => classify(v, inst, SINGLE),
        Op::FclassD => classify(v, inst, DOUBLE),
        Op::FcvtSD => between(v, at, inst, DOUBLE, SINGLE),
        Op::FcvtDS => between(v, at, inst, SINGLE, DOUBLE),
        Op::FcvtWS => to_integer(v, inst, SINGLE, 32, true),
        Op::FcvtWuS => to_integer(v, inst, SINGLE, 32, false),
        Op::FcvtLS => to_integer(v, inst, SINGLE, 64, true),
        Op::FcvtLuS => to_integer(v, inst, SINGLE, 64, false),
        Op::FcvtWD => to_integer(v, inst, DOUBLE, 32, true),
        Op::FcvtWuD => to_integer(v, inst, DOUBLE, 32, false),
        Op::FcvtLD => to_integer(v, inst, DOUBLE, 64, true),
        Op::FcvtLuD => to_integer(v, inst, DOUBLE, 64, false),
        Op::FcvtSW => from_integer(v, at, inst, SINGLE, 32, true),
        Op::FcvtSWu => from_integer(v, at, inst, SINGLE, 32, false),
        Op::FcvtSL => from_integer(v, at, inst, SINGLE, 64, true),
        Op::FcvtSLu => from_integer(v, at, inst, SINGLE, 64, false),
        Op::FcvtDW => from_integer(v, at, inst, DOUBLE, 32, true),
        Op::FcvtDWu => from_integer(v, at, inst, DOUBLE, 32, false),
        Op::FcvtDL => from_integer(v, at, inst, DOUBLE, 64, true),
        Op::FcvtDLu => from_integer(v, at, inst, DOUBLE, 64, false),
        _ => return false,
    }
    true
}

/// The canonical pattern of what is not a number.
fn canonical(format: FloatFormat) -> Operand {
    Operand::Int(match format {
        FloatFormat::Single => 0x7fc0_0000,
        _ => 0x7ff8_0000_0000_0000,
    })
}

/// The number in a register.
fn number(v: &mut Values<'_>, register: u8, format: FloatFormat) -> Operand {
    let register = FLOATS + usize::from(register);
    if format == DOUBLE {
        return v.wide(register);
    }
    if let Some(single) = v.single(register) {
        return single;
    }
    let word = v.wide(register);
    let above = v
        .builder
        .binary(BinaryOp::Lshr, 64, word.clone(), Operand::Int(32));
    let boxed = v
        .builder
        .compare(CompareOp::Eq, 64, above, Operand::Int(0xffff_ffff));
    let low = v.builder.cast(CastOp::Trunc, 64, 32, word);
    v.builder.select(32, boxed, low, canonical(SINGLE))
}

fn set_number(v: &mut Values<'_>, register: u8, format: FloatFormat, value: Operand) {
    let value = match format {
        FloatFormat::Single => Value::single(value),
        _ => Value::wide(value),
    };
    v.set(FLOATS + usize::from(register), value);
}

/// Whether a value is not a number.
fn unordered(v: &mut Values<'_>, format: FloatFormat, value: Operand) -> Operand {
    let dst = v.builder.body.local(1);
    v.builder.emit(Ir::FloatCompare {
        op: FloatCompareOp {
            less: false,
            equal: false,
            greater: false,
            unordered: true,
        },
        format,
        dst,
        left: value.clone(),
        right: value,
    });
    Operand::Local(dst)
}

/// The result of arithmetic: canonical if it is not a number.
fn computed(v: &mut Values<'_>, rd: u8, format: FloatFormat, value: Operand) {
    let wrong = unordered(v, format, value.clone());
    let value = v
        .builder
        .select(format.width(), wrong, canonical(format), value);
    set_number(v, rd, format, value);
    v.set(RAISED, Value::constant(1));
}

/// Refuses a rounding mode that arithmetic does not have. The dynamic one is checked before.
fn nearest_only(v: &mut Values<'_>, at: u64, inst: &Inst) {
    if inst.rm != 0 && inst.rm != 7 {
        let text = assembly(inst, at);
        let message = format!("{text} at {at:#x}: arithmetic rounds to nearest even only");
        v.builder
            .check(CheckKind::Unsupported, Operand::Int(0), &message);
    }
}

fn binary(v: &mut Values<'_>, at: u64, inst: &Inst, format: FloatFormat, op: FloatBinaryOp) {
    match op {
        FloatBinaryOp::MinNum | FloatBinaryOp::MaxNum => {}
        _ => nearest_only(v, at, inst),
    }
    let (left, right) = (number(v, inst.rs1, format), number(v, inst.rs2, format));
    let dst = v.builder.body.local(format.width());
    v.builder.emit(Ir::FloatBinary {
        op,
        format,
        dst,
        left,
        right,
    });
    computed(v, inst.rd, format, Operand::Local(dst));
}

fn square_root(v: &mut Values<'_>, at: u64, inst: &Inst, format: FloatFormat) {
    nearest_only(v, at, inst);
    let value = number(v, inst.rs1, format);
    let dst = v.builder.body.local(format.width());
    v.builder.emit(Ir::FloatUnary {
        op: FloatUnaryOp::Sqrt,
        format,
        dst,
        value,
    });
    computed(v, inst.rd, format, Operand::Local(dst));
}

/// The opposite of a number, if wanted.
fn negated(v: &mut Values<'_>, format: FloatFormat, value: Operand, negate: bool) -> Operand {
    if !negate {
        return value;
    }
    let sign = Operand::Int(1 << (format.width() - 1));
    v.builder.binary(BinaryOp::Xor, format.width(), value, sign)
}

/// A product and a sum, each negated or not.
fn fused(v: &mut Values<'_>, at: u64, inst: &Inst, format: FloatFormat, product: bool, sum: bool) {
    nearest_only(v, at, inst);
    let a = number(v, inst.rs1, format);
    let a = negated(v, format, a, product);
    let b = number(v, inst.rs2, format);
    let c = number(v, inst.rs3, format);
    let c = negated(v, format, c, sum);
    let dst = v.builder.body.local(format.width());
    v.builder.emit(Ir::FloatFma {
        format,
        dst,
        a,
        b,
        c,
    });
    computed(v, inst.rd, format, Operand::Local(dst));
}

/// The first number with a sign made from that of the second.
fn sign(v: &mut Values<'_>, inst: &Inst, format: FloatFormat) {
    let width = format.width();
    let bit = 1u64 << (width - 1);
    let (a, b) = (number(v, inst.rs1, format), number(v, inst.rs2, format));
    let value = match inst.op {
        Op::FsgnjxS | Op::FsgnjxD => {
            let other = v.builder.binary(BinaryOp::And, width, b, Operand::Int(bit));
            v.builder.binary(BinaryOp::Xor, width, a, other)
        }
        // A copy, which is what these are mostly used for.
        Op::FsgnjS | Op::FsgnjD if inst.rs1 == inst.rs2 => a,
        _ => {
            let size = v
                .builder
                .binary(BinaryOp::And, width, a, Operand::Int(bit - 1));
            let other = v.builder.binary(BinaryOp::And, width, b, Operand::Int(bit));
            let other = match inst.op {
                Op::FsgnjnS | Op::FsgnjnD => {
                    v.builder
                        .binary(BinaryOp::Xor, width, other, Operand::Int(bit))
                }
                _ => other,
            };
            v.builder.binary(BinaryOp::Or, width, size, other)
        }
    };
    set_number(v, inst.rd, format, value);
}

fn compare(v: &mut Values<'_>, inst: &Inst, format: FloatFormat, less: bool, equal: bool) {
    let (left, right) = (number(v, inst.rs1, format), number(v, inst.rs2, format));
    let dst = v.builder.body.local(1);
    v.builder.emit(Ir::FloatCompare {
        op: FloatCompareOp {
            less,
            equal,
            greater: false,
            unordered: false,
        },
        format,
        dst,
        left,
        right,
    });
    v.set(inst.rd.into(), Value::bit(Operand::Local(dst)));
    v.set(RAISED, Value::constant(1));
}

/// One of ten bits says what kind of number it is.
fn classify(v: &mut Values<'_>, inst: &Inst, format: FloatFormat) {
    let width = format.width();
    let fraction_bits = if format == SINGLE { 23 } else { 52 };
    let value = number(v, inst.rs1, format);
    let sign = Operand::Int(1 << (width - 1));
    let negative = v.builder.binary(BinaryOp::And, width, value.clone(), sign);
    let negative = v
        .builder
        .compare(CompareOp::Ne, width, negative, Operand::Int(0));
    let size = Operand::Int(mask(width - 1));
    let size = v.builder.binary(BinaryOp::And, width, value, size);
    // The ranges of sizes, lowest first: each with its bits if negative and if positive.
    let infinite = mask(width - 1) >> fraction_bits << fraction_bits;
    let quiet = infinite | 1 << (fraction_bits - 1);
    let ranges = [
        (1 << fraction_bits, 1 << 2, 1 << 5),
        (infinite, 1 << 1, 1 << 6),
        (infinite + 1, 1 << 0, 1 << 7),
        (quiet, 1 << 8, 1 << 8),
    ];
    let mut result = Operand::Int(1 << 9);
    for (end, below, above) in ranges.into_iter().rev() {
        let inside = v
            .builder
            .compare(CompareOp::Ult, width, size.clone(), Operand::Int(end));
        let kind = v.builder.select(
            64,
            negative.clone(),
            Operand::Int(below),
            Operand::Int(above),
        );
        result = v.builder.select(64, inside, kind, result);
    }
    let zero = v
        .builder
        .compare(CompareOp::Eq, width, size, Operand::Int(0));
    let kind = v
        .builder
        .select(64, negative, Operand::Int(1 << 3), Operand::Int(1 << 4));
    let result = v.builder.select(64, zero, kind, result);
    v.set(inst.rd.into(), Value::wide(result));
}

fn convert(v: &mut Values<'_>, op: FloatConvertOp, width: u32, value: Operand) -> Operand {
    let dst = v.builder.body.local(width);
    v.builder.emit(Ir::FloatConvert { op, dst, value });
    Operand::Local(dst)
}

fn between(v: &mut Values<'_>, at: u64, inst: &Inst, from: FloatFormat, to: FloatFormat) {
    // To the wider format it is exact.
    if to == SINGLE {
        nearest_only(v, at, inst);
    }
    let value = number(v, inst.rs1, from);
    let op = FloatConvertOp::Format { from, to };
    let value = convert(v, op, to.width(), value);
    computed(v, inst.rd, to, value);
}

/// To an integer: rounded to a whole number first, then the nearest one in the range; the largest if
/// it is not a number.
fn to_integer(v: &mut Values<'_>, inst: &Inst, from: FloatFormat, to: u32, signed: bool) {
    let value = number(v, inst.rs1, from);
    let wrong = unordered(v, from, value.clone());
    let rounding = match inst.rm {
        1 => None,
        2 => Some(FloatUnaryOp::Floor),
        3 => Some(FloatUnaryOp::Ceil),
        4 => Some(FloatUnaryOp::RoundAway),
        _ => Some(FloatUnaryOp::RoundEven),
    };
    let whole = match rounding {
        None => value,
        Some(op) => {
            let dst = v.builder.body.local(from.width());
            v.builder.emit(Ir::FloatUnary {
                op,
                format: from,
                dst,
                value,
            });
            Operand::Local(dst)
        }
    };
    let op = FloatConvertOp::ToInt {
        signed,
        from,
        to,
        saturating: true,
    };
    let integer = convert(v, op, to, whole);
    let largest = Operand::Int(mask(to) >> u32::from(signed));
    let result = v.builder.select(to, wrong, largest, integer);
    let result = match to {
        32 => Value::narrow(result),
        _ => Value::wide(result),
    };
    v.set(inst.rd.into(), result);
    v.set(RAISED, Value::constant(1));
}

fn from_integer(
    v: &mut Values<'_>,
    at: u64,
    inst: &Inst,
    to: FloatFormat,
    from: u32,
    signed: bool,
) {
    // Every integer of 32 bits is a number of double precision.
    if to == SINGLE || from == 64 {
        nearest_only(v, at, inst);
    }
    let value = match from {
        32 => v.low(inst.rs1.into()),
        _ => v.wide(inst.rs1.into()),
    };
    let op = FloatConvertOp::FromInt { signed, from, to };
    let value = convert(v, op, to.width(), value);
    set_number(v, inst.rd, to, value);
    v.set(RAISED, Value::constant(1));
}
