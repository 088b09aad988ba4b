//! Executables of one segment that may be written and executed: data beside the code is data, code is not.

mod common;

use cairn_riscv::Opcode;
use common::{CODE, Operands, encode, one_segment, run_here, run_qemu};

/// Code that stores 7 at an offset from its start, loads it again and ends with what it loaded.
fn stores_at(offset: i64) -> Vec<u8> {
    let word = |op, rd, rs1, rs2, imm| {
        encode(
            op,
            Operands {
                rd,
                rs1,
                rs2,
                imm,
                ..Operands::default()
            },
        )
        .to_le_bytes()
    };
    let words = [
        word(Opcode::Lui, 5, 0, 0, CODE as i64),
        word(Opcode::Addi, 6, 0, 0, 7),
        word(Opcode::Sd, 0, 5, 6, offset),
        word(Opcode::Ld, 10, 5, 0, offset),
        word(Opcode::Addi, 17, 0, 0, 93),
        word(Opcode::Ecall, 0, 0, 0, 0),
    ];
    let mut bytes = words.concat();
    bytes.resize(256, 0);
    one_segment(&bytes)
}

#[test]
fn data_beside_code_can_be_written() {
    let file = stores_at(128);
    let ours = run_here("beside", &file, &[]);
    assert_eq!(ours.end, "exit 7");
    assert_eq!(ours, run_qemu("beside", &file, &[]));
}

#[test]
fn code_cannot() {
    let end = run_here("changes", &stores_at(16), &[]).end;
    assert!(
        end.contains("write to code at 0x10010: self-modifying code is not supported"),
        "{end}"
    );
}

/// Code that a program writes beside what was lowered is not run.
#[test]
fn made_code_is_not_run() {
    let word = |op, rd, rs1, rs2, imm| {
        encode(
            op,
            Operands {
                rd,
                rs1,
                rs2,
                imm,
                ..Operands::default()
            },
        )
        .to_le_bytes()
    };
    // Where it jumps to stands `ecall`; it makes that another instruction first.
    let mut bytes = [
        word(Opcode::Lui, 5, 0, 0, CODE as i64),
        word(Opcode::Addi, 6, 0, 0, 0x13),
        word(Opcode::Sw, 0, 5, 6, 128),
        word(Opcode::Addi, 5, 5, 0, 128),
        word(Opcode::Xor, 5, 5, 0, 0),
        word(Opcode::Jalr, 0, 5, 0, 0),
    ]
    .concat();
    bytes.resize(128, 0);
    bytes.extend(word(Opcode::Ecall, 0, 0, 0, 0));
    bytes.resize(256, 0);
    let end = run_here("made", &one_segment(&bytes), &[]).end;
    assert!(
        end.contains("0x10080, in memory that can be written"),
        "{end}"
    );
}
