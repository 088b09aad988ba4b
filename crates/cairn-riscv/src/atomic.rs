//! The meaning of the atomic instructions, as plain accesses: there is one thread.
//!
//! `sc` succeeds if the last `lr` had the same address and no `sc` came between. It writes in both cases,
//! what was there if it fails, so that an address that may not be written is found either way.

use crate::decode::GuestInst;
use crate::registers::RESERVED;
use crate::table::Opcode;
use crate::values::{RegisterForms, WordForms};
use cairn_ir::{BinaryOp, CheckKind, CompareOp, Operand};

/// What an atomic instruction writes.
enum Update {
    /// The second source.
    Swap,
    /// An operator on what was there and the second source.
    Operator(BinaryOp),
    /// What was there if the comparison holds, otherwise the second source.
    Choice(CompareOp),
    /// What was there if the comparison does not hold, otherwise the second source.
    Opposite(CompareOp),
}

/// Lowers an atomic instruction; false if it is another one.
pub(crate) fn lower(v: &mut RegisterForms<'_>, inst: &GuestInst) -> bool {
    let (width, update) = match inst.op {
        Opcode::LrW => return reserve(v, inst, 32),
        Opcode::LrD => return reserve(v, inst, 64),
        Opcode::ScW => return conditional(v, inst, 32),
        Opcode::ScD => return conditional(v, inst, 64),
        Opcode::AmoswapW => (32, Update::Swap),
        Opcode::AmoswapD => (64, Update::Swap),
        Opcode::AmoaddW => (32, Update::Operator(BinaryOp::Add)),
        Opcode::AmoaddD => (64, Update::Operator(BinaryOp::Add)),
        Opcode::AmoxorW => (32, Update::Operator(BinaryOp::Xor)),
        Opcode::AmoxorD => (64, Update::Operator(BinaryOp::Xor)),
        Opcode::AmoandW => (32, Update::Operator(BinaryOp::And)),
        Opcode::AmoandD => (64, Update::Operator(BinaryOp::And)),
        Opcode::AmoorW => (32, Update::Operator(BinaryOp::Or)),
        Opcode::AmoorD => (64, Update::Operator(BinaryOp::Or)),
        Opcode::AmominW => (32, Update::Choice(CompareOp::Sle)),
        Opcode::AmominD => (64, Update::Choice(CompareOp::Sle)),
        Opcode::AmomaxW => (32, Update::Opposite(CompareOp::Sle)),
        Opcode::AmomaxD => (64, Update::Opposite(CompareOp::Sle)),
        Opcode::AmominuW => (32, Update::Choice(CompareOp::Ule)),
        Opcode::AmominuD => (64, Update::Choice(CompareOp::Ule)),
        Opcode::AmomaxuW => (32, Update::Opposite(CompareOp::Ule)),
        Opcode::AmomaxuD => (64, Update::Opposite(CompareOp::Ule)),
        _ => return false,
    };
    let at = address(v, inst, width);
    let other = source(v, inst, width);
    let before = v.builder.load(width, at.clone());
    let after = match update {
        Update::Swap => other,
        Update::Operator(op) => v.builder.binary(op, width, before.clone(), other),
        Update::Choice(op) => {
            let keep = v.builder.compare(op, width, before.clone(), other.clone());
            v.builder.select(width, keep, before.clone(), other)
        }
        Update::Opposite(op) => {
            let replace = v.builder.compare(op, width, before.clone(), other.clone());
            v.builder.select(width, replace, other, before.clone())
        }
    };
    v.builder.store(width, after, at);
    v.set(inst.rd.into(), result(width, before));
    true
}

fn result(width: u32, value: Operand) -> WordForms {
    match width {
        32 => WordForms::narrow(value),
        _ => WordForms::wide(value),
    }
}

fn source(v: &mut RegisterForms<'_>, inst: &GuestInst, width: u32) -> Operand {
    match width {
        32 => v.low(inst.rs2.into()),
        _ => v.wide(inst.rs2.into()),
    }
}

/// The address, which must be aligned.
fn address(v: &mut RegisterForms<'_>, inst: &GuestInst, width: u32) -> Operand {
    let at = v.wide(inst.rs1.into());
    let mask = Operand::Int(u64::from(width / 8 - 1));
    let low = v.builder.binary(BinaryOp::And, 64, at.clone(), mask);
    let aligned = v.builder.compare(CompareOp::Eq, 64, low, Operand::Int(0));
    let name = inst.op.row().name;
    let message = format!(
        "{name} at an address that is not a multiple of {}",
        width / 8
    );
    v.builder.check(CheckKind::Misaligned, aligned, &message);
    at
}

fn reserve(v: &mut RegisterForms<'_>, inst: &GuestInst, width: u32) -> bool {
    let at = address(v, inst, width);
    let value = v.builder.load(width, at.clone());
    v.set(RESERVED, WordForms::wide(at));
    v.set(inst.rd.into(), result(width, value));
    true
}

fn conditional(v: &mut RegisterForms<'_>, inst: &GuestInst, width: u32) -> bool {
    let at = address(v, inst, width);
    let new = source(v, inst, width);
    let reserved = v.wide(RESERVED);
    let fails = v.builder.compare(CompareOp::Ne, 64, reserved, at.clone());
    let before = v.builder.load(width, at.clone());
    let after = v.builder.select(width, fails.clone(), before, new);
    v.builder.store(width, after, at);
    v.set(RESERVED, WordForms::constant(u64::MAX));
    v.set(inst.rd.into(), WordForms::bit(fails));
    true
}
