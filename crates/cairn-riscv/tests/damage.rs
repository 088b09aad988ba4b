//! Damaged executables: any bytes give a run that ends or an error with a reason, soon.

mod common;

use cairn_random::Random;
use cairn_riscv::{ElfError, Executable, Opcode};
use common::{CODE, Operands, encode, executable, run_eagerly, run_here};
use std::process::Command;
use std::time::{Duration, Instant};

/// A small program with symbols and lines to damage; ours has neither.
fn compiled() -> Vec<u8> {
    let (from, to) = (common::scratch("damage.c"), common::scratch("damage.elf"));
    let source = "static int table[4] = {3, 1, 2, 0}; static int f(int n) { return table[n & 3] + n; }\n\
                  void _start(void) { int n = 0; for (int i = 0; i < 9; i++) n = f(n) * 3;\n\
                  register long a7 __asm__(\"a7\") = 93, a0 __asm__(\"a0\") = n & 63;\n\
                  __asm__ volatile(\"ecall\" :: \"r\"(a7), \"r\"(a0)); }\n";
    std::fs::write(&from, source).expect("a scratch file");
    let made = Command::new("clang-19")
        .args([
            "--target=riscv64",
            "-nostdlib",
            "-static",
            "-g",
            "-O1",
            "-fuse-ld=lld-19",
            "-w",
        ])
        .arg(&from)
        .arg("-o")
        .arg(&to)
        .status()
        .expect("clang-19 and lld-19 are installed");
    assert!(made.success());
    std::fs::read(&to).expect("the compiled program")
}

/// A few bytes changed, cut off or doubled; mostly in the headers.
fn damaged(random: &mut Random, file: &[u8]) -> Vec<u8> {
    let mut bytes = file.to_vec();
    for _ in 0..=random.below(4) {
        let length = bytes.len();
        if length == 0 {
            return bytes;
        }
        let at = match random.below(3) {
            0 => random.below(length.min(64)),
            1 => random.below(length.min(512)),
            _ => random.below(length),
        };
        match random.below(6) {
            0 => bytes[at] = random.next() as u8,
            1 => bytes[at] ^= 1 << random.below(8),
            2 => bytes[at] = *random.pick(&[0, 1, 127, 128, 255]),
            3 => {
                let (all, last) = (length as u64, length as u64 - 1);
                let value = *random.pick(&[0, 1, u64::MAX, 1 << 63, 1 << 31, all, last]);
                let end = (at + 8).min(bytes.len());
                let count = end - at;
                bytes[at..end].copy_from_slice(&value.to_le_bytes()[..count]);
            }
            4 => bytes.truncate(at),
            _ => {
                let from = random.below(length);
                let count = random.below(64).min(length - from);
                let count = count.min(bytes.len() - at);
                bytes.copy_within(from..from + count, at);
            }
        }
    }
    bytes
}

fn damage(count: u64, seed: u64) {
    let mut code = Vec::new();
    for (rd, imm) in [(10, 5), (17, 93)] {
        let o = Operands {
            rd,
            imm,
            ..Operands::default()
        };
        code.extend(encode(Opcode::Addi, o).to_le_bytes());
    }
    code.extend(encode(Opcode::Ecall, Operands::default()).to_le_bytes());
    let files = [executable(&code, &[1, 2, 3], 4096), compiled()];
    let mut random = Random::new(seed);
    for round in 0..count {
        let file = damaged(&mut random, &files[(round % 2) as usize]);
        let begin = Instant::now();
        // No panic, and an end that says something.
        let outcome = match round % 8 {
            0 | 1 => run_eagerly("damaged", &file, &[]),
            _ => run_here("damaged", &file, &[]),
        };
        assert!(!outcome.end.is_empty());
        let took = begin.elapsed();
        assert!(
            took < Duration::from_secs(60),
            "round {round} of seed {seed} took {took:?}"
        );
    }
}

#[test]
fn damaged_executables() {
    damage(10_000, 1);
}

#[test]
fn errors_say_what_is_wrong() {
    let good = executable(&[0x73, 0, 0, 0], &[], 8);
    let change = |at: usize, bytes: &[u8]| {
        let mut file = good.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        Executable::read(&file)
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    };
    assert!(Executable::read(&good).is_ok());
    assert_eq!(Executable::read(b"#!/bin/sh").err(), Some(ElfError::NotElf));
    let cases = [
        (
            change(4, &[1]),
            "the class is 1, but only class 2 (64 bits) can be run",
        ),
        (
            change(5, &[2]),
            "the byte order is 2, but only 1 (little-endian) can be run",
        ),
        (
            change(18, &[62]),
            "the machine is 62, but only 243 (RISC-V) can be run",
        ),
        (
            change(16, &[1]),
            "the type is 1, but only a linked program (type 2 or 3) can be run",
        ),
        (
            change(56, &[0]),
            "the ELF file has no segment to load; is it an object file?",
        ),
        (
            change(24, &[1]),
            "the program starts at 0x10001, which is in no executable segment",
        ),
        (
            change(64 + 16, &[0, 0, 0, 0]),
            "segment 0 takes 4 bytes at 0x0; addresses from 0x1000 to 0xefffffff can be used",
        ),
        (
            change(64 + 56 + 16, &CODE.to_le_bytes()),
            "segment 1 takes 8 bytes at 0x10000; it overlaps another one",
        ),
    ];
    for (found, expected) in cases {
        assert_eq!(found, expected);
    }
    let cut = Executable::read(&good[..100])
        .err()
        .map(|error| error.to_string());
    let expected =
        "the ELF file is cut off: the table of program headers would be at bytes 64 to 176 of 100";
    assert_eq!(cut.as_deref(), Some(expected));
}
