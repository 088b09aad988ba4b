//! Instructions of 16 bits, each as the one of 32 bits that it stands for.
//!
//! The quadrant (two lowest bits) and the three highest bits choose the form. Immediates are
//! scattered; each form lists from which bits of the word its own bits come. Words that the manual
//! reserves are no instruction; those that it leaves as hints change nothing because they write `x0`
//! or shift by zero, and are expanded like their neighbours.

use crate::decode::GuestInst;
use crate::table::Opcode;

/// Collects bits: each triple is (highest bit in the word, how many, lowest bit in the result).
fn gather(word: u16, parts: &[(u32, u32, u32)]) -> i64 {
    let word = u32::from(word);
    let bits = parts.iter().map(|&(high, count, to)| {
        let piece = word >> (high + 1 - count) & ((1 << count) - 1);
        piece << to
    });
    i64::from(bits.fold(0, |all, piece| all | piece))
}

/// Takes the lowest `width` bits as a signed number.
fn signed(width: u32, value: i64) -> i64 {
    value << (64 - width) >> (64 - width)
}

/// The instruction that a word of 16 bits stands for; `None` if it is reserved or one of 32 bits.
pub fn expand(word: u16) -> Option<GuestInst> {
    let mut inst = match word & 3 {
        0 => quadrant_0(word)?,
        1 => quadrant_1(word)?,
        2 => quadrant_2(word)?,
        _ => return None,
    };
    inst.length = 2;
    Some(inst)
}

/// The register in three bits.
fn short(word: u16, low: u32) -> u8 {
    (word >> low & 7) as u8 + 8
}

/// The register in five bits.
fn long(word: u16, low: u32) -> u8 {
    (word >> low & 31) as u8
}

fn load(op: Opcode, rd: u8, rs1: u8, imm: i64) -> GuestInst {
    GuestInst {
        rd,
        rs1,
        imm,
        ..GuestInst::new(op)
    }
}

fn store(op: Opcode, rs2: u8, rs1: u8, imm: i64) -> GuestInst {
    GuestInst {
        rs2,
        rs1,
        imm,
        ..GuestInst::new(op)
    }
}

fn register(op: Opcode, rd: u8, rs1: u8, rs2: u8) -> GuestInst {
    GuestInst {
        rd,
        rs1,
        rs2,
        ..GuestInst::new(op)
    }
}

const WORD: &[(u32, u32, u32)] = &[(12, 3, 3), (6, 1, 2), (5, 1, 6)];
const DOUBLE: &[(u32, u32, u32)] = &[(12, 3, 3), (6, 2, 6)];

/// Loads and stores through the eight common registers, and addresses of the stack.
fn quadrant_0(word: u16) -> Option<GuestInst> {
    let (low, base) = (short(word, 2), short(word, 7));
    let (at_word, at_double) = (gather(word, WORD), gather(word, DOUBLE));
    Some(match word >> 13 {
        0 => {
            let imm = gather(word, &[(12, 2, 4), (10, 4, 6), (6, 1, 2), (5, 1, 3)]);
            if imm == 0 {
                return None;
            }
            load(Opcode::Addi, low, 2, imm)
        }
        1 => load(Opcode::Fld, low, base, at_double),
        2 => load(Opcode::Lw, low, base, at_word),
        3 => load(Opcode::Ld, low, base, at_double),
        5 => store(Opcode::Fsd, low, base, at_double),
        6 => store(Opcode::Sw, low, base, at_word),
        7 => store(Opcode::Sd, low, base, at_double),
        _ => return None,
    })
}

/// Constants, arithmetic, jumps and branches.
fn quadrant_1(word: u16) -> Option<GuestInst> {
    let rd = long(word, 7);
    let imm = signed(6, gather(word, &[(12, 1, 5), (6, 5, 0)]));
    Some(match word >> 13 {
        0 => load(Opcode::Addi, rd, rd, imm),
        1 if rd == 0 => return None,
        1 => load(Opcode::Addiw, rd, rd, imm),
        2 => load(Opcode::Addi, rd, 0, imm),
        3 if rd == 2 => {
            let parts = &[(12, 1, 9), (6, 1, 4), (5, 1, 6), (4, 2, 7), (2, 1, 5)];
            let imm = signed(10, gather(word, parts));
            if imm == 0 {
                return None;
            }
            load(Opcode::Addi, 2, 2, imm)
        }
        3 if imm == 0 => return None,
        3 => load(Opcode::Lui, rd, 0, imm << 12),
        4 => arithmetic(word)?,
        5 => {
            let parts = &[
                (12, 1, 11),
                (11, 1, 4),
                (10, 2, 8),
                (8, 1, 10),
                (7, 1, 6),
                (6, 1, 7),
                (5, 3, 1),
                (2, 1, 5),
            ];
            load(Opcode::Jal, 0, 0, signed(12, gather(word, parts)))
        }
        branch => {
            let parts = &[(12, 1, 8), (11, 2, 3), (6, 2, 6), (4, 2, 1), (2, 1, 5)];
            let op = if branch == 6 {
                Opcode::Beq
            } else {
                Opcode::Bne
            };
            store(op, 0, short(word, 7), signed(9, gather(word, parts)))
        }
    })
}

/// Arithmetic on the eight common registers.
fn arithmetic(word: u16) -> Option<GuestInst> {
    let (rd, rs2) = (short(word, 7), short(word, 2));
    let shamt = gather(word, &[(12, 1, 5), (6, 5, 0)]);
    Some(match word >> 10 & 3 {
        0 => load(Opcode::Srli, rd, rd, shamt),
        1 => load(Opcode::Srai, rd, rd, shamt),
        2 => load(Opcode::Andi, rd, rd, signed(6, shamt)),
        _ => {
            let op = match (word >> 12 & 1, word >> 5 & 3) {
                (0, 0) => Opcode::Sub,
                (0, 1) => Opcode::Xor,
                (0, 2) => Opcode::Or,
                (0, _) => Opcode::And,
                (_, 0) => Opcode::Subw,
                (_, 1) => Opcode::Addw,
                (_, _) => return None,
            };
            register(op, rd, rd, rs2)
        }
    })
}

/// Loads and stores through the stack pointer, moves, jumps to registers.
fn quadrant_2(word: u16) -> Option<GuestInst> {
    let (rd, rs2) = (long(word, 7), long(word, 2));
    let from_word = gather(word, &[(12, 1, 5), (6, 3, 2), (3, 2, 6)]);
    let from_double = gather(word, &[(12, 1, 5), (6, 2, 3), (4, 3, 6)]);
    let to_word = gather(word, &[(12, 4, 2), (8, 2, 6)]);
    let to_double = gather(word, &[(12, 3, 3), (9, 3, 6)]);
    Some(match word >> 13 {
        0 => load(Opcode::Slli, rd, rd, gather(word, &[(12, 1, 5), (6, 5, 0)])),
        1 => load(Opcode::Fld, rd, 2, from_double),
        2 if rd != 0 => load(Opcode::Lw, rd, 2, from_word),
        3 if rd != 0 => load(Opcode::Ld, rd, 2, from_double),
        4 => match (word >> 12 & 1, rd, rs2) {
            (0, 0, 0) => return None,
            (0, _, 0) => load(Opcode::Jalr, 0, rd, 0),
            (0, _, _) => register(Opcode::Add, rd, 0, rs2),
            (_, 0, 0) => GuestInst::new(Opcode::Ebreak),
            (_, _, 0) => load(Opcode::Jalr, 1, rd, 0),
            (_, _, _) => register(Opcode::Add, rd, rd, rs2),
        },
        5 => store(Opcode::Fsd, rs2, 2, to_double),
        6 => store(Opcode::Sw, rs2, 2, to_word),
        7 => store(Opcode::Sd, rs2, 2, to_double),
        _ => return None,
    })
}
