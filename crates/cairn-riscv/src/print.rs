//! Instructions as assembly text, with the operands spelled out.
//!
//! One instruction has one text: no abbreviations (`addi a0, zero, 1`, not `li a0, 1`), targets of
//! branches as addresses. Messages and listings use it, and the tests compare it with LLVM's.

use crate::decode::GuestInst;
use crate::table::OperandField;
use std::fmt::Write;

const INTEGER: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4",
    "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4",
    "t5", "t6",
];

const FLOAT: [&str; 32] = [
    "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0", "fa1", "fa2",
    "fa3", "fa4", "fa5", "fa6", "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9",
    "fs10", "fs11", "ft8", "ft9", "ft10", "ft11",
];

/// The name of an integer register.
pub fn integer_register(number: u8) -> &'static str {
    INTEGER[usize::from(number & 31)]
}

/// The name of a floating-point register.
pub fn float_register(number: u8) -> &'static str {
    FLOAT[usize::from(number & 31)]
}

/// The text of an instruction at an address.
pub fn assembly(inst: &GuestInst, address: u64) -> String {
    let row = inst.op.row();
    let mut text = row.name.to_string();
    if inst.order != 0 {
        text.push_str([".rl", ".aq", ".aqrl"][usize::from(inst.order) - 1]);
    }
    for (i, field) in row.fields.iter().enumerate() {
        text.push_str(if i == 0 { " " } else { ", " });
        operand(&mut text, inst, address, *field);
    }
    text
}

/// A signed number in hexadecimal digits.
fn hex(value: i64) -> String {
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}{:#x}", value.unsigned_abs())
}

fn operand(text: &mut String, inst: &GuestInst, address: u64, field: OperandField) {
    let done = match field {
        OperandField::Rd => write!(text, "{}", integer_register(inst.rd)),
        OperandField::Fd => write!(text, "{}", float_register(inst.rd)),
        OperandField::Rs1 => write!(text, "{}", integer_register(inst.rs1)),
        OperandField::Fs1 => write!(text, "{}", float_register(inst.rs1)),
        OperandField::Rs2 => write!(text, "{}", integer_register(inst.rs2)),
        OperandField::Fs2 => write!(text, "{}", float_register(inst.rs2)),
        OperandField::Fs3 => write!(text, "{}", float_register(inst.rs3)),
        OperandField::Imm | OperandField::Shamt5 | OperandField::Shamt6 => {
            write!(text, "{}", hex(inst.imm))
        }
        OperandField::Upper => write!(text, "{:#x}", inst.imm >> 12 & 0xfffff),
        OperandField::Branch | OperandField::Jump => {
            write!(text, "{:#x}", address.wrapping_add_signed(inst.imm))
        }
        OperandField::LoadAt | OperandField::StoreAt => {
            write!(text, "{}({})", hex(inst.imm), integer_register(inst.rs1))
        }
        OperandField::At => write!(text, "({})", integer_register(inst.rs1)),
        OperandField::Csr => write!(text, "{:#x}", inst.imm),
        OperandField::Zimm => write!(text, "{:#x}", inst.rs1),
        OperandField::Rm => {
            let names = ["rne", "rtz", "rdn", "rup", "rmm", "?", "?", "dyn"];
            write!(text, "{}", names[usize::from(inst.rm & 7)])
        }
        OperandField::Fence => {
            let set = |bits: i64| -> String {
                let letters = [(8, 'i'), (4, 'o'), (2, 'r'), (1, 'w')];
                let named = letters.iter().filter(|(bit, _)| bits & bit != 0);
                let all: String = named.map(|(_, letter)| letter).collect();
                if all.is_empty() { "0".to_string() } else { all }
            };
            write!(text, "{}, {}", set(inst.imm >> 4), set(inst.imm & 15))
        }
    };
    done.expect("writing to a string succeeds");
}
