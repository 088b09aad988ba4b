//! RISC-U: the fourteen instructions that Selfie's compilers use, and `xor`, as words.

/// A register, by its number.
pub(super) type Reg = u32;

pub(super) const ZERO: Reg = 0;
pub(super) const RA: Reg = 1;
pub(super) const SP: Reg = 2;
pub(super) const GP: Reg = 3;
pub(super) const FP: Reg = 8;
pub(super) const A0: Reg = 10;
pub(super) const A7: Reg = 17;
/// Registers for what is computed.
pub(super) const TEMPORARIES: [Reg; 7] = [5, 6, 7, 28, 29, 30, 31];

/// An operation on two registers: its function codes.
#[derive(Clone, Copy)]
pub(super) struct Two(u32, u32);

pub(super) const ADD: Two = Two(0, 0);
pub(super) const SUB: Two = Two(32, 0);
pub(super) const SLTU: Two = Two(0, 3);
pub(super) const MUL: Two = Two(1, 0);
pub(super) const DIVU: Two = Two(1, 5);
pub(super) const REMU: Two = Two(1, 7);

pub(super) fn two(operation: Two, rd: Reg, left: Reg, right: Reg) -> u32 {
    operation.0 << 25 | right << 20 | left << 15 | operation.1 << 12 | rd << 7 | 0x33
}

/// The lowest bits of a number with a sign.
fn low(value: i64, bits: u32) -> u32 {
    let room = 1i64 << (bits - 1);
    assert!(
        (-room..room).contains(&value),
        "{value} does not fit into {bits} bits"
    );
    (value as u32) & (u32::MAX >> (32 - bits))
}

pub(super) fn addi(rd: Reg, from: Reg, by: i64) -> u32 {
    low(by, 12) << 20 | from << 15 | rd << 7 | 0x13
}

pub(super) fn ld(rd: Reg, base: Reg, offset: i64) -> u32 {
    low(offset, 12) << 20 | base << 15 | 3 << 12 | rd << 7 | 0x03
}

pub(super) fn sd(value: Reg, base: Reg, offset: i64) -> u32 {
    let offset = low(offset, 12);
    (offset >> 5) << 25 | value << 20 | base << 15 | 3 << 12 | (offset & 31) << 7 | 0x23
}

pub(super) fn lui(rd: Reg, upper: u32) -> u32 {
    (upper & 0xfffff) << 12 | rd << 7 | 0x37
}

/// A branch that is taken if two registers are equal.
pub(super) fn beq(left: Reg, right: Reg, distance: i64) -> u32 {
    let d = low(distance, 13);
    let (high, rest) = (d >> 12 & 1, d >> 5 & 0x3f);
    let (fourth, first) = (d >> 11 & 1, d >> 1 & 15);
    high << 31 | rest << 25 | right << 20 | left << 15 | first << 8 | fourth << 7 | 0x63
}

pub(super) fn jal(rd: Reg, distance: i64) -> u32 {
    let d = low(distance, 21);
    let (sign, ten) = (d >> 20 & 1, d >> 1 & 0x3ff);
    let (eleventh, rest) = (d >> 11 & 1, d >> 12 & 0xff);
    sign << 31 | ten << 21 | eleventh << 20 | rest << 12 | rd << 7 | 0x6f
}

/// A return.
pub(super) const RET: u32 = RA << 15 | 0x67;
pub(super) const ECALL: u32 = 0x73;
pub(super) const NOP: u32 = 0x13;

/// A number of at most 31 bits, and one instruction more for each further part of eleven bits.
pub(super) fn constant(rd: Reg, value: u64) -> Vec<u32> {
    if value < 1 << 11 {
        return vec![addi(rd, ZERO, value as i64)];
    }
    if value < 1 << 30 {
        let upper = (value + 0x800) >> 12;
        let rest = value as i64 - ((upper as i64) << 12);
        return vec![lui(rd, upper as u32), addi(rd, rd, rest)];
    }
    // Shifted to the left by doubling.
    let mut code = constant(rd, value >> 11);
    code.extend([two(ADD, rd, rd, rd); 11]);
    code.push(addi(rd, rd, 0));
    let last = code.len() - 1;
    let rest = (value & 0x7ff) as i64;
    code[last] = addi(rd, rd, rest);
    code
}
