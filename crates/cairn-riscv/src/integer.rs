//! The meaning of the integer instructions (RV64I without control, and M).

use crate::decode::GuestInst;
use crate::table::Opcode;
use crate::values::{RegisterForms, WordForms};
use cairn_ir::{BinaryOp, CastOp, CheckKind, CompareOp, Inst as Ir, Operand};

/// Lowers an integer instruction; false if it is another one.
pub(crate) fn lower(v: &mut RegisterForms<'_>, at: u64, inst: &GuestInst) -> bool {
    let (rd, rs1, rs2) = (inst.rd.into(), usize::from(inst.rs1), usize::from(inst.rs2));
    let imm = inst.imm as u64;
    check_division(v, inst);
    let value = match inst.op {
        Opcode::Lui => WordForms::constant(imm),
        Opcode::Auipc => WordForms::constant(at.wrapping_add(imm)),
        Opcode::Addi if imm == 0 => copy(v, rs1),
        Opcode::Addi => immediate(v, BinaryOp::Add, rs1, imm),
        Opcode::Xori => bitwise_immediate(v, BinaryOp::Xor, rs1, imm),
        Opcode::Ori => bitwise_immediate(v, BinaryOp::Or, rs1, imm),
        Opcode::Andi => bitwise_immediate(v, BinaryOp::And, rs1, imm),
        Opcode::Slli => immediate(v, BinaryOp::Shl, rs1, imm),
        Opcode::Srli => immediate(v, BinaryOp::Lshr, rs1, imm),
        Opcode::Srai => immediate(v, BinaryOp::Ashr, rs1, imm),
        Opcode::Slti => compare_immediate(v, CompareOp::Slt, rs1, imm),
        Opcode::Sltiu => compare_immediate(v, CompareOp::Ult, rs1, imm),
        Opcode::Slt => compare(v, CompareOp::Slt, rs1, rs2),
        Opcode::Sltu => compare(v, CompareOp::Ult, rs1, rs2),
        Opcode::Add if rs1 == 0 => copy(v, rs2),
        Opcode::Add if rs2 == 0 => copy(v, rs1),
        Opcode::Add => registers(v, BinaryOp::Add, rs1, rs2),
        Opcode::Sub => registers(v, BinaryOp::Sub, rs1, rs2),
        Opcode::Xor => bitwise(v, BinaryOp::Xor, rs1, rs2),
        Opcode::Or => bitwise(v, BinaryOp::Or, rs1, rs2),
        Opcode::And => bitwise(v, BinaryOp::And, rs1, rs2),
        Opcode::Mul => registers(v, BinaryOp::Mul, rs1, rs2),
        Opcode::Divu => registers(v, BinaryOp::Udiv, rs1, rs2),
        Opcode::Remu => registers(v, BinaryOp::Urem, rs1, rs2),
        Opcode::Rem => registers(v, BinaryOp::Srem, rs1, rs2),
        Opcode::Div => {
            let (a, b) = (v.wide(rs1), v.wide(rs2));
            WordForms::wide(signed_quotient(v, 64, a, b))
        }
        Opcode::Sll => shift(v, BinaryOp::Shl, rs1, rs2),
        Opcode::Srl => shift(v, BinaryOp::Lshr, rs1, rs2),
        Opcode::Sra => shift(v, BinaryOp::Ashr, rs1, rs2),
        Opcode::Mulh => high_product(v, rs1, rs2, CastOp::Sext, CastOp::Sext),
        Opcode::Mulhsu => high_product(v, rs1, rs2, CastOp::Sext, CastOp::Zext),
        Opcode::Mulhu => high_product(v, rs1, rs2, CastOp::Zext, CastOp::Zext),
        Opcode::Addiw => {
            let a = v.low(rs1);
            let low = Operand::Int(imm & 0xffff_ffff);
            WordForms::narrow(v.builder.binary(BinaryOp::Add, 32, a, low))
        }
        Opcode::Slliw => shift_immediate_word(v, BinaryOp::Shl, rs1, imm),
        Opcode::Srliw => shift_immediate_word(v, BinaryOp::Lshr, rs1, imm),
        Opcode::Sraiw => shift_immediate_word(v, BinaryOp::Ashr, rs1, imm),
        Opcode::Addw => word(v, BinaryOp::Add, rs1, rs2),
        Opcode::Subw => word(v, BinaryOp::Sub, rs1, rs2),
        Opcode::Mulw => word(v, BinaryOp::Mul, rs1, rs2),
        Opcode::Divuw => word(v, BinaryOp::Udiv, rs1, rs2),
        Opcode::Remuw => word(v, BinaryOp::Urem, rs1, rs2),
        Opcode::Remw => word(v, BinaryOp::Srem, rs1, rs2),
        Opcode::Divw => {
            let (a, b) = (v.low(rs1), v.low(rs2));
            WordForms::narrow(signed_quotient(v, 32, a, b))
        }
        Opcode::Sllw => shift_word(v, BinaryOp::Shl, rs1, rs2),
        Opcode::Srlw => shift_word(v, BinaryOp::Lshr, rs1, rs2),
        Opcode::Sraw => shift_word(v, BinaryOp::Ashr, rs1, rs2),
        Opcode::Lb => load(v, inst, 8, CastOp::Sext),
        Opcode::Lh => load(v, inst, 16, CastOp::Sext),
        Opcode::Lw => load(v, inst, 32, CastOp::Sext),
        Opcode::Ld => load(v, inst, 64, CastOp::Sext),
        Opcode::Lbu => load(v, inst, 8, CastOp::Zext),
        Opcode::Lhu => load(v, inst, 16, CastOp::Zext),
        Opcode::Lwu => load(v, inst, 32, CastOp::Zext),
        Opcode::Sb => return store(v, inst, 8),
        Opcode::Sh => return store(v, inst, 16),
        Opcode::Sw => return store(v, inst, 32),
        Opcode::Sd => return store(v, inst, 64),
        _ => return false,
    };
    v.set(rd, value);
    true
}

/// The address of a load or store.
pub(crate) fn address(v: &mut RegisterForms<'_>, inst: &GuestInst) -> Operand {
    let base = usize::from(inst.rs1);
    let offset = inst.imm as u64;
    if let Some(constant) = v.constant(base) {
        return v.pointer(constant.wrapping_add(offset));
    }
    let base = v.wide(base);
    v.builder
        .binary(BinaryOp::Add, 64, base, Operand::Int(offset))
}

fn copy(v: &mut RegisterForms<'_>, from: usize) -> WordForms {
    if let Some(constant) = v.constant(from) {
        return WordForms::constant(constant);
    }
    if let Some(narrow) = v.narrow(from) {
        return WordForms::narrow(narrow);
    }
    if let Some(low) = v.unsigned(from) {
        return WordForms::unsigned(low);
    }
    if let Some(bit) = v.bit(from) {
        return WordForms::bit(bit);
    }
    WordForms::wide(v.wide(from))
}

/// An operator on a word and a constant. A sum of constants is a constant again.
fn immediate(v: &mut RegisterForms<'_>, op: BinaryOp, rs1: usize, imm: u64) -> WordForms {
    let a = match v.constant(rs1) {
        Some(constant) => Operand::Int(constant),
        None => v.wide(rs1),
    };
    WordForms::wide(v.builder.binary(op, 64, a, Operand::Int(imm)))
}

fn registers(v: &mut RegisterForms<'_>, op: BinaryOp, rs1: usize, rs2: usize) -> WordForms {
    let (a, b) = match (v.constant(rs1), v.constant(rs2)) {
        (Some(a), Some(b)) => (Operand::Int(a), Operand::Int(b)),
        (_, _) => (v.wide(rs1), v.wide(rs2)),
    };
    WordForms::wide(v.builder.binary(op, 64, a, b))
}

/// An operator on each bit: of two sign-extensions it is one again, of the operator's 32 bits. The same of
/// zeros above.
fn bitwise(v: &mut RegisterForms<'_>, op: BinaryOp, rs1: usize, rs2: usize) -> WordForms {
    if let (Some(a), Some(b)) = (v.narrow(rs1), v.narrow(rs2)) {
        return WordForms::narrow(v.builder.binary(op, 32, a, b));
    }
    if let (Some(a), Some(b)) = (v.unsigned(rs1), v.unsigned(rs2)) {
        return WordForms::unsigned(v.builder.binary(op, 32, a, b));
    }
    registers(v, op, rs1, rs2)
}

/// [`bitwise`] with a constant, which is a sign-extension of 12 bits.
fn bitwise_immediate(v: &mut RegisterForms<'_>, op: BinaryOp, rs1: usize, imm: u64) -> WordForms {
    match v.narrow(rs1) {
        Some(a) => {
            let low = Operand::Int(imm & 0xffff_ffff);
            WordForms::narrow(v.builder.binary(op, 32, a, low))
        }
        None => immediate(v, op, rs1, imm),
    }
}

fn compare(v: &mut RegisterForms<'_>, op: CompareOp, rs1: usize, rs2: usize) -> WordForms {
    // `sltu rd, zero, rs` of a comparison is the comparison.
    if op == CompareOp::Ult
        && rs1 == 0
        && let Some(bit) = v.bit(rs2)
    {
        return WordForms::bit(bit);
    }
    if let (Some(a), Some(b)) = (v.narrow(rs1), v.narrow(rs2)) {
        return WordForms::bit(v.builder.compare(op, 32, a, b));
    }
    let (a, b) = (v.wide(rs1), v.wide(rs2));
    WordForms::bit(v.builder.compare(op, 64, a, b))
}

fn compare_immediate(v: &mut RegisterForms<'_>, op: CompareOp, rs1: usize, imm: u64) -> WordForms {
    // `sltiu rd, rs, 1` of a comparison is its opposite.
    if op == CompareOp::Ult
        && imm == 1
        && let Some(bit) = v.bit(rs1)
    {
        return WordForms::bit(v.builder.compare(CompareOp::Eq, 1, bit, Operand::Int(0)));
    }
    if let Some(a) = v.narrow(rs1) {
        let b = Operand::Int(imm & 0xffff_ffff);
        return WordForms::bit(v.builder.compare(op, 32, a, b));
    }
    let a = v.wide(rs1);
    WordForms::bit(v.builder.compare(op, 64, a, Operand::Int(imm)))
}

fn word(v: &mut RegisterForms<'_>, op: BinaryOp, rs1: usize, rs2: usize) -> WordForms {
    let (a, b) = (v.low(rs1), v.low(rs2));
    WordForms::narrow(v.builder.binary(op, 32, a, b))
}

/// Checks what C does not define about a division, if that is wanted.
fn check_division(v: &mut RegisterForms<'_>, inst: &GuestInst) {
    if !v.checks_division {
        return;
    }
    let (rs1, rs2) = (usize::from(inst.rs1), usize::from(inst.rs2));
    let (width, signed) = match inst.op {
        // x0 divided for nothing is a hint to the processor, and no division of a source.
        _ if inst.rd == 0 => return,
        Opcode::Div | Opcode::Rem => (64, true),
        Opcode::Divu | Opcode::Remu => (64, false),
        Opcode::Divw | Opcode::Remw => (32, true),
        Opcode::Divuw | Opcode::Remuw => (32, false),
        _ => return,
    };
    let (a, b) = match width {
        32 => (v.low(rs1), v.low(rs2)),
        _ => (v.wide(rs1), v.wide(rs2)),
    };
    if matches!(b, Operand::Int(divisor) if divisor != 0 && divisor != crate::build::mask(width)) {
        return;
    }
    let other = v
        .builder
        .compare(CompareOp::Ne, width, b.clone(), Operand::Int(0));
    v.builder.check(CheckKind::DivisionByZero, other, "");
    if signed {
        let ones = Operand::Int(crate::build::mask(width));
        let smallest = Operand::Int(1 << (width - 1));
        let other = v.builder.compare(CompareOp::Ne, width, b, ones);
        let above = v.builder.compare(CompareOp::Ne, width, a, smallest);
        let fits = v.builder.binary(BinaryOp::Or, 1, other, above);
        v.builder.check(CheckKind::DivisionOverflow, fits, "");
    }
}

/// Division by zero is all ones; the rest is as the program form has it.
fn signed_quotient(v: &mut RegisterForms<'_>, width: u32, a: Operand, b: Operand) -> Operand {
    let ones = Operand::Int(crate::build::mask(width));
    let quotient = v.builder.binary(BinaryOp::Sdiv, width, a, b.clone());
    if matches!(b, Operand::Int(divisor) if divisor != 0) {
        return quotient;
    }
    let zero = v.builder.compare(CompareOp::Eq, width, b, Operand::Int(0));
    v.builder.select(width, zero, ones, quotient)
}

/// A shift by the lowest bits of a word.
fn shift(v: &mut RegisterForms<'_>, op: BinaryOp, rs1: usize, rs2: usize) -> WordForms {
    let (a, by) = (v.wide(rs1), v.wide(rs2));
    let by = v.builder.binary(BinaryOp::And, 64, by, Operand::Int(63));
    WordForms::wide(v.builder.binary(op, 64, a, by))
}

fn shift_word(v: &mut RegisterForms<'_>, op: BinaryOp, rs1: usize, rs2: usize) -> WordForms {
    let (a, by) = (v.low(rs1), v.low(rs2));
    let by = v.builder.binary(BinaryOp::And, 32, by, Operand::Int(31));
    WordForms::narrow(v.builder.binary(op, 32, a, by))
}

fn shift_immediate_word(v: &mut RegisterForms<'_>, op: BinaryOp, rs1: usize, by: u64) -> WordForms {
    let a = v.low(rs1);
    WordForms::narrow(v.builder.binary(op, 32, a, Operand::Int(by)))
}

/// The upper half of a product of 128 bits.
fn high_product(
    v: &mut RegisterForms<'_>,
    rs1: usize,
    rs2: usize,
    first: CastOp,
    second: CastOp,
) -> WordForms {
    let (a, b) = (v.wide(rs1), v.wide(rs2));
    let mut widen = |op, value| {
        let dst = v.builder.body.local(128);
        v.builder.emit(Ir::Cast {
            op,
            dst,
            from: 64,
            value,
        });
        Operand::Local(dst)
    };
    let (left, right) = (widen(first, a), widen(second, b));
    let product = v.builder.body.local(128);
    v.builder.emit(Ir::Binary {
        op: BinaryOp::Mul,
        dst: product,
        left,
        right,
    });
    let high = v.builder.body.local(64);
    v.builder.emit(Ir::Extract {
        dst: high,
        from: 128,
        value: Operand::Local(product),
        low: 64,
    });
    WordForms::wide(Operand::Local(high))
}

fn load(v: &mut RegisterForms<'_>, inst: &GuestInst, width: u32, extend: CastOp) -> WordForms {
    let address = address(v, inst);
    let value = v.builder.load(width, address);
    if width == 32 {
        return match extend {
            CastOp::Sext => WordForms::narrow(value),
            CastOp::Zext | CastOp::Trunc => WordForms::unsigned(value),
        };
    }
    WordForms::wide(v.builder.cast(extend, width, 64, value))
}

fn store(v: &mut RegisterForms<'_>, inst: &GuestInst, width: u32) -> bool {
    let from = usize::from(inst.rs2);
    let value = match width {
        64 => v.wide(from),
        32 => v.low(from),
        _ => match v.constant(from) {
            Some(constant) => Operand::Int(constant & crate::build::mask(width)),
            None => {
                let value = v.wide(from);
                v.builder.cast(CastOp::Trunc, 64, width, value)
            }
        },
    };
    let address = address(v, inst);
    v.builder.store(width, value, address);
    true
}
