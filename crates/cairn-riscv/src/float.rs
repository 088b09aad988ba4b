//! The meaning of the floating-point instructions (F and D).
//!
//! Arithmetic is that of the program form, rounded to nearest even. RISC-V differs from it in what is not
//! a number: every such result is the one canonical pattern, whatever the operands were. A
//! single-precision register that has not all ones above its number counts as not a number.
//! Other rounding modes are calls of a function that the machine provides, `cairn.float.rounded`; where
//! the mode is in a register it is asked for, in executables that can change it. What is
//! raised is the answer of another one, `cairn.float.raised`, in executables that look at it; see
//! `control.rs`.

mod conversions;

use crate::build::mask;
use crate::build::target;
use crate::control::UNKNOWN;
use crate::decode::GuestInst;
use crate::helpers::call;
use crate::integer::address;
use crate::print::assembly;
use crate::registers::{FLOATS, RAISED, ROUNDING};
use crate::table::Opcode;
use crate::values::{RegisterForms, WordForms};
use cairn_float::rounded::{Operation, OperationKind};
use cairn_ir::{
    BinaryOp, CastOp, CheckKind, CompareOp, FloatBinaryOp, FloatCompareOp, FloatFormat,
    FloatUnaryOp, Inst as Ir, Operand, Target, Terminator,
};
use conversions::{between, from_integer, to_integer};

const SINGLE: FloatFormat = FloatFormat::Single;
const DOUBLE: FloatFormat = FloatFormat::Double;

/// Lowers a floating-point instruction; false if it is another one.
pub(crate) fn lower(v: &mut RegisterForms<'_>, at: u64, inst: &GuestInst) -> bool {
    let rd = usize::from(inst.rd);
    match inst.op {
        Opcode::Flw => {
            let address = address(v, inst);
            let value = v.builder.load(32, address);
            v.set(FLOATS + rd, WordForms::single(value));
        }
        Opcode::Fld => {
            let address = address(v, inst);
            let value = v.builder.load(64, address);
            v.set(FLOATS + rd, WordForms::wide(value));
        }
        Opcode::Fsw => {
            let value = v.low(FLOATS + usize::from(inst.rs2));
            let address = address(v, inst);
            v.builder.store(32, value, address);
        }
        Opcode::Fsd => {
            let value = v.wide(FLOATS + usize::from(inst.rs2));
            let address = address(v, inst);
            v.builder.store(64, value, address);
        }
        Opcode::FmvXW => {
            let value = v.low(FLOATS + usize::from(inst.rs1));
            v.set(rd, WordForms::narrow(value));
        }
        Opcode::FmvXD => {
            let value = v.wide(FLOATS + usize::from(inst.rs1));
            v.set(rd, WordForms::wide(value));
        }
        Opcode::FmvWX => {
            let value = v.low(inst.rs1.into());
            v.set(FLOATS + rd, WordForms::single(value));
        }
        Opcode::FmvDX => {
            let value = v.wide(inst.rs1.into());
            v.set(FLOATS + rd, WordForms::wide(value));
        }
        _ => return computes(v, at, inst),
    }
    true
}

/// Instructions that look at numbers.
fn computes(v: &mut RegisterForms<'_>, at: u64, inst: &GuestInst) -> bool {
    use FloatBinaryOp::{Add, Div, MaxNum, MinNum, Mul, Sub};
    match inst.op {
        Opcode::FaddS => binary(v, at, inst, SINGLE, Add),
        Opcode::FsubS => binary(v, at, inst, SINGLE, Sub),
        Opcode::FmulS => binary(v, at, inst, SINGLE, Mul),
        Opcode::FdivS => binary(v, at, inst, SINGLE, Div),
        Opcode::FminS => binary(v, at, inst, SINGLE, MinNum),
        Opcode::FmaxS => binary(v, at, inst, SINGLE, MaxNum),
        Opcode::FaddD => binary(v, at, inst, DOUBLE, Add),
        Opcode::FsubD => binary(v, at, inst, DOUBLE, Sub),
        Opcode::FmulD => binary(v, at, inst, DOUBLE, Mul),
        Opcode::FdivD => binary(v, at, inst, DOUBLE, Div),
        Opcode::FminD => binary(v, at, inst, DOUBLE, MinNum),
        Opcode::FmaxD => binary(v, at, inst, DOUBLE, MaxNum),
        Opcode::FsqrtS => square_root(v, at, inst, SINGLE),
        Opcode::FsqrtD => square_root(v, at, inst, DOUBLE),
        Opcode::FmaddS => fused(v, at, inst, SINGLE, false, false),
        Opcode::FmsubS => fused(v, at, inst, SINGLE, false, true),
        Opcode::FnmsubS => fused(v, at, inst, SINGLE, true, false),
        Opcode::FnmaddS => fused(v, at, inst, SINGLE, true, true),
        Opcode::FmaddD => fused(v, at, inst, DOUBLE, false, false),
        Opcode::FmsubD => fused(v, at, inst, DOUBLE, false, true),
        Opcode::FnmsubD => fused(v, at, inst, DOUBLE, true, false),
        Opcode::FnmaddD => fused(v, at, inst, DOUBLE, true, true),
        Opcode::FsgnjS | Opcode::FsgnjnS | Opcode::FsgnjxS => sign(v, inst, SINGLE),
        Opcode::FsgnjD | Opcode::FsgnjnD | Opcode::FsgnjxD => sign(v, inst, DOUBLE),
        Opcode::FeqS => compare(v, inst, SINGLE, false, true),
        Opcode::FltS => compare(v, inst, SINGLE, true, false),
        Opcode::FleS => compare(v, inst, SINGLE, true, true),
        Opcode::FeqD => compare(v, inst, DOUBLE, false, true),
        Opcode::FltD => compare(v, inst, DOUBLE, true, false),
        Opcode::FleD => compare(v, inst, DOUBLE, true, true),
        Opcode::FclassS => classify(v, inst, SINGLE),
        Opcode::FclassD => classify(v, inst, DOUBLE),
        Opcode::FcvtSD => between(v, at, inst, DOUBLE, SINGLE),
        Opcode::FcvtDS => between(v, at, inst, SINGLE, DOUBLE),
        Opcode::FcvtWS => to_integer(v, at, inst, SINGLE, 32, true),
        Opcode::FcvtWuS => to_integer(v, at, inst, SINGLE, 32, false),
        Opcode::FcvtLS => to_integer(v, at, inst, SINGLE, 64, true),
        Opcode::FcvtLuS => to_integer(v, at, inst, SINGLE, 64, false),
        Opcode::FcvtWD => to_integer(v, at, inst, DOUBLE, 32, true),
        Opcode::FcvtWuD => to_integer(v, at, inst, DOUBLE, 32, false),
        Opcode::FcvtLD => to_integer(v, at, inst, DOUBLE, 64, true),
        Opcode::FcvtLuD => to_integer(v, at, inst, DOUBLE, 64, false),
        Opcode::FcvtSW => from_integer(v, at, inst, SINGLE, 32, true),
        Opcode::FcvtSWu => from_integer(v, at, inst, SINGLE, 32, false),
        Opcode::FcvtSL => from_integer(v, at, inst, SINGLE, 64, true),
        Opcode::FcvtSLu => from_integer(v, at, inst, SINGLE, 64, false),
        Opcode::FcvtDW => from_integer(v, at, inst, DOUBLE, 32, true),
        Opcode::FcvtDWu => from_integer(v, at, inst, DOUBLE, 32, false),
        Opcode::FcvtDL => from_integer(v, at, inst, DOUBLE, 64, true),
        Opcode::FcvtDLu => from_integer(v, at, inst, DOUBLE, 64, false),
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
fn number(v: &mut RegisterForms<'_>, register: u8, format: FloatFormat) -> Operand {
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

fn set_number(v: &mut RegisterForms<'_>, register: u8, format: FloatFormat, value: Operand) {
    let value = match format {
        FloatFormat::Single => WordForms::single(value),
        _ => WordForms::wide(value),
    };
    v.set(FLOATS + usize::from(register), value);
}

/// Whether a value is not a number.
fn unordered(v: &mut RegisterForms<'_>, format: FloatFormat, value: Operand) -> Operand {
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
fn computed(v: &mut RegisterForms<'_>, rd: u8, format: FloatFormat, value: Operand) {
    let wrong = unordered(v, format, value.clone());
    let value = v
        .builder
        .select(format.width(), wrong, canonical(format), value);
    set_number(v, rd, format, value);
}

/// An operation and its operands, as the functions that the machine provides take them.
struct FloatOperation {
    operation: Operation,
    operands: [Operand; 3],
}

impl FloatOperation {
    /// An operation on numbers of a format.
    fn new(
        v: &mut RegisterForms<'_>,
        what: OperationKind,
        format: FloatFormat,
        width: u32,
        operands: &[&Operand],
    ) -> Self {
        let double = format == DOUBLE;
        let mut all = [Operand::Int(0), Operand::Int(0), Operand::Int(0)];
        for (to, from) in all.iter_mut().zip(operands) {
            *to = match width {
                64 => (*from).clone(),
                _ => v.builder.cast(CastOp::Zext, width, 64, (*from).clone()),
            };
        }
        FloatOperation {
            operation: Operation { what, double },
            operands: all,
        }
    }

    fn args(&self, mode: Operand) -> Vec<(Operand, u32)> {
        let code = Operand::Int(self.operation.code());
        let [a, b, c] = self.operands.clone();
        [code, mode, a, b, c].map(|operand| (operand, 64)).to_vec()
    }
}

/// The rounding mode of an instruction.
fn mode(v: &mut RegisterForms<'_>, inst: &GuestInst) -> Operand {
    match inst.rm {
        7 if v.floats.rounding_changes => v.wide(ROUNDING),
        7 => Operand::Int(0),
        fixed => Operand::Int(fixed.into()),
    }
}

/// Whether the machine is asked about an instruction, which may round.
fn asks(v: &RegisterForms<'_>, inst: &GuestInst, rounds: bool) -> bool {
    let otherwise = match inst.rm {
        0 => false,
        7 => v.floats.rounding_changes,
        _ => true,
    };
    v.floats.looks_at_flags || (rounds && otherwise)
}

/// A trap: there are no rounding modes from 5 on.
fn check_mode(v: &mut RegisterForms<'_>, at: u64, inst: &GuestInst, mode: Operand) {
    let text = assembly(inst, at);
    let known = v.builder.compare(CompareOp::Ult, 64, mode, Operand::Int(5));
    let message = format!("a trap: {text} at {at:#x} with a rounding mode that does not exist");
    v.builder.check(CheckKind::Unreachable, known, &message);
}

/// The result in the rounding mode of the instruction. `nearest` is that of rounding to nearest even.
fn rounded(
    v: &mut RegisterForms<'_>,
    at: u64,
    inst: &GuestInst,
    asked: Option<&FloatOperation>,
    width: u32,
    nearest: impl FnOnce(&mut RegisterForms<'_>) -> Operand,
) -> Operand {
    let (Some(asked), Some(function)) = (asked, v.floats.rounded) else {
        return nearest(v);
    };
    let mode = mode(v, inst);
    let slow = |v: &mut RegisterForms<'_>, mode: Operand| {
        let results = call(&mut v.builder, function, asked.args(mode), &[64]);
        match width {
            64 => results[0].clone(),
            _ => v.builder.cast(CastOp::Trunc, 64, width, results[0].clone()),
        }
    };
    match mode {
        Operand::Int(0) => nearest(v),
        Operand::Int(fixed) => {
            if fixed > 4 {
                check_mode(v, at, inst, mode.clone());
            }
            slow(v, mode)
        }
        mode => {
            let fast = nearest(v);
            let zero = v
                .builder
                .compare(CompareOp::Eq, 64, mode.clone(), Operand::Int(0));
            let (other, join) = (v.builder.new_block(), v.builder.new_block());
            let result = v.builder.param(join, width);
            let place = std::mem::replace(&mut v.builder.place, cairn_ir::PlaceId::UNKNOWN);
            v.builder.end(Terminator::Branch {
                condition: zero,
                then: Target {
                    block: join,
                    args: vec![fast],
                },
                otherwise: target(other),
            });
            v.builder.place = place;
            v.builder.block = other;
            check_mode(v, at, inst, mode.clone());
            let value = slow(v, mode);
            v.builder.end(Terminator::Jump(Target {
                block: join,
                args: vec![value],
            }));
            v.builder.block = join;
            Operand::Local(result)
        }
    }
}

/// Notes what an instruction raises.
fn raise(v: &mut RegisterForms<'_>, inst: &GuestInst, asked: Option<&FloatOperation>) {
    let (Some(asked), Some(function), true) = (asked, v.floats.raised, v.floats.looks_at_flags)
    else {
        v.set(RAISED, WordForms::constant(UNKNOWN));
        return;
    };
    let mode = mode(v, inst);
    let results = call(&mut v.builder, function, asked.args(mode), &[64]);
    let before = v.wide(RAISED);
    let after = v
        .builder
        .binary(BinaryOp::Or, 64, before, results[0].clone());
    v.set(RAISED, WordForms::wide(after));
}

fn binary(
    v: &mut RegisterForms<'_>,
    at: u64,
    inst: &GuestInst,
    format: FloatFormat,
    op: FloatBinaryOp,
) {
    let (left, right) = (number(v, inst.rs1, format), number(v, inst.rs2, format));
    let (what, rounds) = match op {
        FloatBinaryOp::Add => (OperationKind::Add, true),
        FloatBinaryOp::Sub => (OperationKind::Sub, true),
        FloatBinaryOp::Mul => (OperationKind::Mul, true),
        FloatBinaryOp::Div => (OperationKind::Div, true),
        _ => (OperationKind::Quiet, false),
    };
    let width = format.width();
    let asked = asks(v, inst, rounds)
        .then(|| FloatOperation::new(v, what, format, width, &[&left, &right]));
    let plain = |v: &mut RegisterForms<'_>| {
        let dst = v.builder.body.local(width);
        v.builder.emit(Ir::FloatBinary {
            op,
            format,
            dst,
            left,
            right,
        });
        Operand::Local(dst)
    };
    let value = match rounds {
        true => rounded(v, at, inst, asked.as_ref(), width, plain),
        false => plain(v),
    };
    computed(v, inst.rd, format, value);
    raise(v, inst, asked.as_ref());
}

fn square_root(v: &mut RegisterForms<'_>, at: u64, inst: &GuestInst, format: FloatFormat) {
    let value = number(v, inst.rs1, format);
    let width = format.width();
    let asked = asks(v, inst, true)
        .then(|| FloatOperation::new(v, OperationKind::Sqrt, format, width, &[&value]));
    let plain = |v: &mut RegisterForms<'_>| {
        let dst = v.builder.body.local(width);
        v.builder.emit(Ir::FloatUnary {
            op: FloatUnaryOp::Sqrt,
            format,
            dst,
            value,
        });
        Operand::Local(dst)
    };
    let value = rounded(v, at, inst, asked.as_ref(), width, plain);
    computed(v, inst.rd, format, value);
    raise(v, inst, asked.as_ref());
}

/// The opposite of a number, if wanted.
fn negated(
    v: &mut RegisterForms<'_>,
    format: FloatFormat,
    value: Operand,
    negate: bool,
) -> Operand {
    if !negate {
        return value;
    }
    let sign = Operand::Int(1 << (format.width() - 1));
    v.builder.binary(BinaryOp::Xor, format.width(), value, sign)
}

/// A product and a sum, each negated or not.
fn fused(
    v: &mut RegisterForms<'_>,
    at: u64,
    inst: &GuestInst,
    format: FloatFormat,
    product: bool,
    sum: bool,
) {
    let a = number(v, inst.rs1, format);
    let a = negated(v, format, a, product);
    let b = number(v, inst.rs2, format);
    let c = number(v, inst.rs3, format);
    let c = negated(v, format, c, sum);
    let width = format.width();
    let asked = asks(v, inst, true)
        .then(|| FloatOperation::new(v, OperationKind::Fma, format, width, &[&a, &b, &c]));
    let plain = |v: &mut RegisterForms<'_>| {
        let dst = v.builder.body.local(width);
        v.builder.emit(Ir::FloatFma {
            format,
            dst,
            a,
            b,
            c,
        });
        Operand::Local(dst)
    };
    let value = rounded(v, at, inst, asked.as_ref(), width, plain);
    computed(v, inst.rd, format, value);
    raise(v, inst, asked.as_ref());
}

/// The first number with a sign made from that of the second.
fn sign(v: &mut RegisterForms<'_>, inst: &GuestInst, format: FloatFormat) {
    let width = format.width();
    let bit = 1u64 << (width - 1);
    let (a, b) = (number(v, inst.rs1, format), number(v, inst.rs2, format));
    let value = match inst.op {
        Opcode::FsgnjxS | Opcode::FsgnjxD => {
            let other = v.builder.binary(BinaryOp::And, width, b, Operand::Int(bit));
            v.builder.binary(BinaryOp::Xor, width, a, other)
        }
        // A copy, which is what these are mostly used for.
        Opcode::FsgnjS | Opcode::FsgnjD if inst.rs1 == inst.rs2 => a,
        _ => {
            let size = v
                .builder
                .binary(BinaryOp::And, width, a, Operand::Int(bit - 1));
            let other = v.builder.binary(BinaryOp::And, width, b, Operand::Int(bit));
            let other = match inst.op {
                Opcode::FsgnjnS | Opcode::FsgnjnD => {
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

fn compare(
    v: &mut RegisterForms<'_>,
    inst: &GuestInst,
    format: FloatFormat,
    less: bool,
    equal: bool,
) {
    let (left, right) = (number(v, inst.rs1, format), number(v, inst.rs2, format));
    let what = if less {
        OperationKind::Signalling
    } else {
        OperationKind::Quiet
    };
    let asked = asks(v, inst, false)
        .then(|| FloatOperation::new(v, what, format, format.width(), &[&left, &right]));
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
    v.set(inst.rd.into(), WordForms::bit(Operand::Local(dst)));
    raise(v, inst, asked.as_ref());
}

/// One of ten bits says what kind of number it is.
fn classify(v: &mut RegisterForms<'_>, inst: &GuestInst, format: FloatFormat) {
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
    v.set(inst.rd.into(), WordForms::wide(result));
}
