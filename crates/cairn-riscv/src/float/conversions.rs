//! Conversions between integers and floating-point numbers, and between formats.

use super::{
    FloatOperation, SINGLE, asks, computed, number, raise, rounded, set_number, unordered,
};
use crate::build::mask;
use crate::decode::GuestInst;
use crate::values::{RegisterForms, WordForms};
use cairn_float::rounded::OperationKind;
use cairn_ir::{FloatConvertOp, FloatFormat, FloatUnaryOp, Inst as Ir, Operand};

pub(super) fn convert(
    v: &mut RegisterForms<'_>,
    op: FloatConvertOp,
    width: u32,
    value: Operand,
) -> Operand {
    let dst = v.builder.body.local(width);
    v.builder.emit(Ir::FloatConvert { op, dst, value });
    Operand::Local(dst)
}

pub(super) fn between(
    v: &mut RegisterForms<'_>,
    at: u64,
    inst: &GuestInst,
    from: FloatFormat,
    to: FloatFormat,
) {
    let value = number(v, inst.rs1, from);
    // To the wider format it is exact.
    let rounds = to == SINGLE;
    let asked = asks(v, inst, rounds)
        .then(|| FloatOperation::new(v, OperationKind::Convert, from, from.width(), &[&value]));
    let plain = |v: &mut RegisterForms<'_>| {
        convert(v, FloatConvertOp::Format { from, to }, to.width(), value)
    };
    let value = match rounds {
        true => rounded(v, at, inst, asked.as_ref(), to.width(), plain),
        false => plain(v),
    };
    computed(v, inst.rd, to, value);
    raise(v, inst, asked.as_ref());
}

/// To an integer: rounded to a whole number first, then the nearest one in the range; the largest if
/// it is not a number.
pub(super) fn to_integer(
    v: &mut RegisterForms<'_>,
    at: u64,
    inst: &GuestInst,
    from: FloatFormat,
    to: u32,
    signed: bool,
) {
    let value = number(v, inst.rs1, from);
    // Modes that an instruction has by itself are operators of the program form.
    let asked =
        (v.floats.looks_at_flags || (inst.rm == 7 && v.floats.rounding_changes) || inst.rm > 4)
            .then(|| {
                let wide = to == 64;
                let what = OperationKind::ToInt { wide, signed };
                FloatOperation::new(v, what, from, from.width(), &[&value])
            });
    let plain = |v: &mut RegisterForms<'_>| plain_integer(v, inst.rm, from, to, signed, value);
    let result = match inst.rm {
        0..=4 => plain(v),
        _ => rounded(v, at, inst, asked.as_ref(), to, plain),
    };
    let result = match to {
        32 => WordForms::narrow(result),
        _ => WordForms::wide(result),
    };
    v.set(inst.rd.into(), result);
    raise(v, inst, asked.as_ref());
}

pub(super) fn plain_integer(
    v: &mut RegisterForms<'_>,
    mode: u8,
    from: FloatFormat,
    to: u32,
    signed: bool,
    value: Operand,
) -> Operand {
    let wrong = unordered(v, from, value.clone());
    let rounding = match mode {
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
    v.builder.select(to, wrong, largest, integer)
}

pub(super) fn from_integer(
    v: &mut RegisterForms<'_>,
    at: u64,
    inst: &GuestInst,
    to: FloatFormat,
    from: u32,
    signed: bool,
) {
    let value = match from {
        32 => v.low(inst.rs1.into()),
        _ => v.wide(inst.rs1.into()),
    };
    // Every integer of 32 bits is a number of double precision.
    let rounds = to == SINGLE || from == 64;
    let asked = asks(v, inst, rounds).then(|| {
        let wide = from == 64;
        FloatOperation::new(
            v,
            OperationKind::FromInt { wide, signed },
            to,
            from,
            &[&value],
        )
    });
    let op = FloatConvertOp::FromInt { signed, from, to };
    let plain = |v: &mut RegisterForms<'_>| convert(v, op, to.width(), value);
    let value = match rounds {
        true => rounded(v, at, inst, asked.as_ref(), to.width(), plain),
        false => plain(v),
    };
    set_number(v, inst.rd, to, value);
    raise(v, inst, asked.as_ref());
}
