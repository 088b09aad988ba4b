//! The state of a processor core as numbered words, and which of them an instruction touches.
//!
//! Words 1 to 31 are the integer registers, 32 to 63 the floating-point registers (a single-precision
//! number has ones above it, as the manual asks), then the parts of the floating-point status and
//! the address that `lr` reserved. All of them live in one object of the program, the register file;
//! see `lower.rs` for when.

use crate::decode::GuestInst;
use crate::table::{Opcode, OperandField};

/// A set of words of the register file.
pub(crate) type Set = u128;

/// The first floating-point register.
pub(crate) const FLOATS: usize = 32;
/// The dynamic rounding mode.
pub(crate) const ROUNDING: usize = 64;
/// The exception flags as the program last wrote them.
pub(crate) const FLAGS: usize = 65;
/// The flags that instructions raised since, or that it is not known which (`control.rs`).
pub(crate) const RAISED: usize = 66;
/// The address that `lr` reserved; all ones if none is.
pub(crate) const RESERVED: usize = 67;
/// How many words there are. After them the register file has a pointer to each segment, and the record
/// of a signal (`signals.rs`).
pub(crate) const COUNT: usize = 68;

/// The set of one word.
pub(crate) fn one(register: usize) -> Set {
    1 << register
}

/// The members of a set, in order.
pub(crate) fn members(set: Set) -> impl Iterator<Item = usize> {
    let mut left = set;
    std::iter::from_fn(move || {
        if left == 0 {
            return None;
        }
        let next = left.trailing_zeros() as usize;
        left &= left - 1;
        Some(next)
    })
}

/// The words that an instruction reads, and those that it writes.
pub(crate) fn effects(inst: &GuestInst) -> (Set, Set) {
    let (mut reads, mut writes) = (0, 0);
    let integer = |number: u8| one(usize::from(number)) & !1;
    let float = |number: u8| one(FLOATS + usize::from(number));
    for field in inst.op.row().fields {
        match field {
            OperandField::Rd => writes |= integer(inst.rd),
            OperandField::Fd => writes |= float(inst.rd),
            OperandField::Rs1 | OperandField::LoadAt | OperandField::StoreAt | OperandField::At => {
                reads |= integer(inst.rs1)
            }
            OperandField::Fs1 => reads |= float(inst.rs1),
            OperandField::Rs2 => reads |= integer(inst.rs2),
            OperandField::Fs2 => reads |= float(inst.rs2),
            OperandField::Fs3 => reads |= float(inst.rs3),
            OperandField::Rm => {
                reads |= one(RAISED);
                writes |= one(RAISED);
                if inst.rm == 7 {
                    reads |= one(ROUNDING);
                }
            }
            OperandField::Csr => {
                reads |= one(ROUNDING) | one(FLAGS) | one(RAISED);
                writes |= one(ROUNDING) | one(FLAGS) | one(RAISED);
            }
            OperandField::Imm
            | OperandField::Shamt5
            | OperandField::Shamt6
            | OperandField::Upper
            | OperandField::Branch
            | OperandField::Jump
            | OperandField::Zimm
            | OperandField::Fence => {}
        }
    }
    match inst.op {
        Opcode::LrW | Opcode::LrD => writes |= one(RESERVED),
        Opcode::ScW | Opcode::ScD => {
            reads |= one(RESERVED);
            writes |= one(RESERVED);
        }
        // The number of the call and six arguments.
        Opcode::Ecall => {
            reads |= 0b1011_1111 << 10;
            writes |= one(10);
        }
        // Comparisons, minima and maxima may raise flags too.
        Opcode::FminS
        | Opcode::FmaxS
        | Opcode::FminD
        | Opcode::FmaxD
        | Opcode::FeqS
        | Opcode::FltS
        | Opcode::FleS
        | Opcode::FeqD
        | Opcode::FltD
        | Opcode::FleD => {
            reads |= one(RAISED);
            writes |= one(RAISED);
        }
        _ => {}
    }
    (reads, writes)
}
