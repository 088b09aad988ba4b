//! From bytes to instructions.
//!
//! A word of 32 bits is looked up in the [`TABLE`]: the rows of its major opcode, of which at most
//! one matches. A word of 16 bits is one of 32 bits written shorter, and becomes it
//! (`compressed.rs`). So there is one set of instructions to give a meaning to.

use crate::compressed;
use crate::table::{Opcode, OpcodeRow, OperandField, TABLE};

/// A decoded instruction. Fields that the instruction does not have are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuestInst {
    /// Which.
    pub op: Opcode,
    /// Number of the destination register.
    pub rd: u8,
    /// Number of the first source.
    pub rs1: u8,
    /// Number of the second source.
    pub rs2: u8,
    /// Number of the third source.
    pub rs3: u8,
    /// Rounding mode.
    pub rm: u8,
    /// Immediate: sign-extended; of `lui` and `auipc` the whole word; the number of a control
    /// register; what a fence orders.
    pub imm: i64,
    /// The order bits of an atomic instruction: acquire is 2, release is 1.
    pub order: u8,
    /// Bytes that it takes: 2 or 4.
    pub length: u8,
}

impl GuestInst {
    /// An instruction without operands.
    pub(crate) fn new(op: Opcode) -> Self {
        GuestInst {
            op,
            rd: 0,
            rs1: 0,
            rs2: 0,
            rs3: 0,
            rm: 0,
            imm: 0,
            order: 0,
            length: 4,
        }
    }
}

/// How many bytes the instruction takes that starts with these 16 bits: 2 or 4.
pub fn length_of(first: u16) -> u64 {
    if first & 3 == 3 { 4 } else { 2 }
}

/// Decodes the instruction at the start of some bytes; `None` if they are too few or no
/// instruction of RV64GC for programs.
pub fn decode(bytes: &[u8]) -> Option<GuestInst> {
    let first = u16::from_le_bytes(bytes.get(..2)?.try_into().ok()?);
    if length_of(first) == 2 {
        return compressed::expand(first);
    }
    decode_word(u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?))
}

/// Decodes 32 bits.
pub fn decode_word(word: u32) -> Option<GuestInst> {
    let row = TABLE.iter().find(|row| word & row.mask == row.bits)?;
    fields(row, word)
}

/// Takes the operands of a row out of a word; `None` if one of them is reserved.
fn fields(row: &OpcodeRow, word: u32) -> Option<GuestInst> {
    let mut inst = GuestInst::new(row.op);
    let five = |low: u32| (word >> low & 31) as u8;
    let signed = word as i32;
    if row.bits & 0x7f == 0x2f {
        inst.order = (word >> 25 & 3) as u8;
    }
    for field in row.fields {
        match field {
            OperandField::Rd | OperandField::Fd => inst.rd = five(7),
            OperandField::Rs1 | OperandField::Fs1 | OperandField::At | OperandField::Zimm => {
                inst.rs1 = five(15)
            }
            OperandField::Rs2 | OperandField::Fs2 => inst.rs2 = five(20),
            OperandField::Fs3 => inst.rs3 = five(27),
            OperandField::Imm => inst.imm = i64::from(signed >> 20),
            OperandField::Shamt5 => inst.imm = i64::from(word >> 20 & 31),
            OperandField::Shamt6 => inst.imm = i64::from(word >> 20 & 63),
            OperandField::Upper => inst.imm = i64::from(signed & !0xfff),
            OperandField::Branch => {
                let low = word >> 7 & 0x1e | word >> 20 & 0x7e0 | word << 4 & 0x800;
                inst.imm = i64::from(signed >> 31 << 12 | low as i32);
            }
            OperandField::Jump => {
                let low = word >> 20 & 0x7fe | word >> 9 & 0x800 | word & 0xff000;
                inst.imm = i64::from(signed >> 31 << 20 | low as i32);
            }
            OperandField::LoadAt => {
                inst.rs1 = five(15);
                inst.imm = i64::from(signed >> 20);
            }
            OperandField::StoreAt => {
                inst.rs1 = five(15);
                inst.imm = i64::from(signed >> 25 << 5) | i64::from(five(7));
            }
            OperandField::Csr => inst.imm = i64::from(word >> 20),
            OperandField::Rm => {
                inst.rm = (word >> 12 & 7) as u8;
                if inst.rm == 5 || inst.rm == 6 {
                    return None;
                }
            }
            OperandField::Fence => inst.imm = i64::from(word >> 20 & 0xff),
        }
    }
    Some(inst)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_order_and_apart() {
        for (i, row) in TABLE.iter().enumerate() {
            assert_eq!(row.op as usize, i);
            assert_eq!(row.bits & !row.mask, 0, "{}", row.name);
            for other in &TABLE[..i] {
                let common = row.mask & other.mask;
                assert_ne!(
                    row.bits & common,
                    other.bits & common,
                    "{} {}",
                    row.name,
                    other.name
                );
            }
        }
    }

    #[test]
    fn immediates_are_signed() {
        // addi a0, a0, -1; sd ra, -8(sp); beq zero, zero, -4; jal zero, -2
        assert_eq!(decode_word(0xfff5_0513).map(|i| i.imm), Some(-1));
        assert_eq!(decode_word(0xfe11_3c23).map(|i| i.imm), Some(-8));
        assert_eq!(decode_word(0xfe00_0ee3).map(|i| i.imm), Some(-4));
        assert_eq!(decode_word(0xffff_f06f).map(|i| i.imm), Some(-2));
    }

    #[test]
    fn too_few_bytes_are_no_instruction() {
        assert_eq!(decode(&[]), None);
        assert_eq!(decode(&[0x13]), None);
        assert_eq!(decode(&[0x13, 0x05, 0x00]), None);
        assert_eq!(decode(&[0x01, 0x00]).map(|i| i.length), Some(2));
    }
}
