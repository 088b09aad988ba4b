//! Generated machine code against QEMU: all registers, memory and output must be the same.
//!
//! A program is a number of rounds. Each loads all registers with chosen values, runs random instructions
//! and stores the registers; at the end everything is written out. Instructions come from the whole
//! table and from all short words; `x2`, `x8` and `x31` point into scratch memory and are never written,
//! so that loads and stores have somewhere to go. Some rounds have branches, loops, calls and jumps
//! through registers. Two of three programs look at the floating-point flags and change the rounding mode.

mod common;

use cairn_random::Random;
use cairn_riscv::{GuestInst, Opcode, OperandField, decode};
use common::{CODE, DATA, Operands, any_op, encode, executable, run_eagerly, run_here, run_qemu};

/// Registers that point into scratch memory.
const POINTERS: [u32; 3] = [2, 8, 31];

/// Where the parts of the data are: initial registers, scratch memory, and what is written out.
const SCRATCH: u64 = 0x8000;
const SCRATCH_BYTES: u64 = 0x2000;
const OUT: u64 = SCRATCH + SCRATCH_BYTES;

struct Program {
    random: Random,
    code: Vec<u8>,
    data: Vec<u8>,
    rounds: u64,
    /// Whether it looks at the floating-point flags and changes the rounding mode.
    controls: bool,
}

impl Program {
    fn word(&mut self, op: Opcode, operands: Operands) {
        self.code.extend(encode(op, operands).to_le_bytes());
    }

    /// Puts an address into a register.
    fn address(&mut self, rd: u32, address: u64) {
        let low = (address << 52) as i64 >> 52;
        let imm = address as i64 - low;
        self.word(
            Opcode::Lui,
            Operands {
                rd,
                imm,
                ..Operands::default()
            },
        );
        self.word(
            Opcode::Addi,
            Operands {
                rd,
                rs1: rd,
                imm: low,
                ..Operands::default()
            },
        );
    }

    /// A register that may be written.
    fn target(&mut self) -> u32 {
        loop {
            let register = self.random.below(31) as u32;
            // 30 counts loops, 1 is for returns.
            if !POINTERS.contains(&register) && register != 30 && register != 1 {
                return register;
            }
        }
    }

    /// A value for a register that is likely to matter.
    fn value(&mut self) -> u64 {
        let random = self.random.next();
        let special = [
            0,
            1,
            2,
            u64::MAX,
            1 << 63,
            (1 << 63) - 1,
            1 << 31,
            (1 << 31) - 1,
            0xffff_ffff_8000_0000,
            0xffff_ffff,
        ];
        match self.random.below(4) {
            0 => random,
            1 => *self.random.pick(&special),
            2 => random >> self.random.below(64),
            _ => (random as i64 >> self.random.below(64)) as u64,
        }
    }

    /// A number for a floating-point register.
    fn number(&mut self) -> u64 {
        let doubles = [
            0.0,
            -0.0,
            1.0,
            -1.5,
            0.1,
            2147483647.5,
            -2147483649.0,
            4294967296.0,
            9.223372036854776e18,
            1.8446744073709552e19,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            f64::MIN_POSITIVE,
            5e-324,
            f64::MAX,
        ];
        let random = self.random.next();
        let double = *self.random.pick(&doubles);
        let boxed = |single: u32| 0xffff_ffff_0000_0000 | u64::from(single);
        match self.random.below(7) {
            0 => random,
            1 => double.to_bits(),
            2 => boxed((double as f32).to_bits()),
            3 => boxed(random as u32),
            // Exponents near each other, so that sums cancel.
            4 => boxed(random as u32 & 0x81ff_ffff | 0x3e00_0000),
            5 => random & 0x801f_ffff_ffff_ffff | 0x3fe0_0000_0000_0000,
            // A signalling pattern.
            _ => 0x7ff0_0000_0000_0000 | random >> 14,
        }
    }

    /// A random instruction that goes on to the next.
    fn straight(&mut self) {
        if self.controls && self.random.one_in(8) {
            return self.control();
        }
        if self.random.one_in(4) {
            return self.short();
        }
        loop {
            let op = any_op(&mut self.random);
            let fields = op.row().fields;
            // Whether a store after `lr` makes `sc` fail is left to the processor.
            if matches!(op, Opcode::LrW | Opcode::LrD) {
                return self.reserved(op);
            }
            let controls = [
                Opcode::Jal,
                Opcode::Jalr,
                Opcode::Ecall,
                Opcode::Ebreak,
                Opcode::FenceI,
            ];
            let excluded = controls.contains(&op)
                || fields.contains(&OperandField::Branch)
                || fields.contains(&OperandField::Csr);
            if excluded {
                continue;
            }
            let mut o = Operands {
                rd: self.random.below(32) as u32,
                rs1: self.random.below(32) as u32,
                rs2: self.random.below(32) as u32,
                rs3: self.random.below(32) as u32,
                rm: *self.random.pick(&[0, 1, 2, 3, 4, 7, 7, 7]),
                imm: self.random.next() as i64,
            };
            if fields.contains(&OperandField::Rd) {
                o.rd = self.target();
            }
            if fields.contains(&OperandField::LoadAt) || fields.contains(&OperandField::StoreAt) {
                o.rs1 = *self.random.pick(&POINTERS);
            }
            if fields.contains(&OperandField::At) {
                o.rs1 = *self.random.pick(&POINTERS);
            }
            return self.word(op, o);
        }
    }

    /// Reads or writes flags, rounding mode or both; the mode stays one that there is.
    fn control(&mut self) {
        let rd = self.target();
        let register = self.random.below(32) as u32;
        let (flags, mode) = (self.random.below(32) as u32, self.random.below(5) as u32);
        let (op, rs1, imm) = *self.random.pick(&[
            (Opcode::Csrrs, 0, 1),
            (Opcode::Csrrs, 0, 2),
            (Opcode::Csrrs, 0, 3),
            (Opcode::Csrrw, register, 1),
            (Opcode::Csrrs, register, 1),
            (Opcode::Csrrc, register, 1),
            (Opcode::Csrrwi, flags, 1),
            (Opcode::Csrrsi, flags, 1),
            (Opcode::Csrrci, flags, 1),
            (Opcode::Csrrci, 31, 1),
            (Opcode::Csrrwi, mode, 2),
            (Opcode::Csrrwi, mode, 2),
            // To the even again, with some flags.
            (Opcode::Csrrwi, flags, 3),
        ]);
        let operands = Operands {
            rd,
            rs1,
            imm,
            ..Operands::default()
        };
        self.word(op, operands);
    }

    /// `lr` and `sc` of one width.
    fn reserved(&mut self, lr: Opcode) {
        let sc = if lr == Opcode::LrW {
            Opcode::ScW
        } else {
            Opcode::ScD
        };
        let rs1 = *self.random.pick(&POINTERS);
        for op in [lr, sc] {
            let operands = Operands {
                rd: self.target(),
                rs1,
                rs2: self.random.below(32) as u32,
                ..Operands::default()
            };
            self.word(op, operands);
        }
    }

    /// A random instruction of 16 bits.
    fn short(&mut self) {
        loop {
            let word = self.random.next() as u16;
            if word & 3 == 3 {
                continue;
            }
            let Some(inst) = decode(&word.to_le_bytes()) else {
                continue;
            };
            if self.allowed(&inst) {
                self.code.extend(word.to_le_bytes());
                return;
            }
        }
    }

    fn allowed(&self, inst: &GuestInst) -> bool {
        let fields = inst.op.row().fields;
        let controls = [
            Opcode::Jal,
            Opcode::Jalr,
            Opcode::Beq,
            Opcode::Bne,
            Opcode::Ebreak,
        ];
        let pointer = |register: u8| POINTERS.contains(&u32::from(register));
        let writes = fields.contains(&OperandField::Rd);
        let accesses =
            fields.contains(&OperandField::LoadAt) || fields.contains(&OperandField::StoreAt);
        !controls.contains(&inst.op)
            && !(writes && (pointer(inst.rd) || inst.rd == 1 || inst.rd == 30))
            && (!accesses || pointer(inst.rs1))
    }

    fn some(&mut self, most: usize) {
        for _ in 0..=self.random.below(most) {
            self.straight();
        }
    }

    /// Fills in the distance of a branch or jump that was emitted at a position.
    fn patch(&mut self, at: usize, op: Opcode, operands: Operands) {
        let imm = self.code.len() as i64 - at as i64;
        let word = encode(op, Operands { imm, ..operands });
        self.code[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }

    /// A branch over some instructions.
    fn branch(&mut self) {
        let op = *self.random.pick(&[
            Opcode::Beq,
            Opcode::Bne,
            Opcode::Blt,
            Opcode::Bge,
            Opcode::Bltu,
            Opcode::Bgeu,
        ]);
        let operands = Operands {
            rs1: self.random.below(32) as u32,
            rs2: self.random.below(32) as u32,
            ..Operands::default()
        };
        let at = self.code.len();
        self.word(op, operands);
        self.some(6);
        self.patch(at, op, operands);
    }

    /// A loop of a few rounds, with branches in it.
    fn repeat(&mut self) {
        let count = 1 + self.random.below(5) as i64;
        self.word(
            Opcode::Addi,
            Operands {
                rd: 30,
                imm: count,
                ..Operands::default()
            },
        );
        let start = self.code.len() as i64;
        self.some(6);
        self.branch();
        self.some(3);
        self.word(
            Opcode::Addi,
            Operands {
                rd: 30,
                rs1: 30,
                imm: -1,
                ..Operands::default()
            },
        );
        let imm = start - self.code.len() as i64;
        self.word(
            Opcode::Bne,
            Operands {
                rs1: 30,
                rs2: 0,
                imm,
                ..Operands::default()
            },
        );
    }

    /// A call of a function that stands beside, by its address or through a register.
    fn call(&mut self) {
        let over = self.code.len();
        self.word(Opcode::Jal, Operands::default());
        let function = self.code.len() as u64;
        self.some(8);
        let returns = Operands {
            rs1: 1,
            ..Operands::default()
        };
        self.word(Opcode::Jalr, returns);
        self.patch(over, Opcode::Jal, Operands::default());
        match self.random.below(3) {
            0 => {
                let imm = function as i64 - self.code.len() as i64;
                self.word(
                    Opcode::Jal,
                    Operands {
                        rd: 1,
                        imm,
                        ..Operands::default()
                    },
                );
            }
            1 => {
                self.address(1, CODE + function);
                self.word(
                    Opcode::Jalr,
                    Operands {
                        rd: 1,
                        rs1: 1,
                        ..Operands::default()
                    },
                );
            }
            _ => {
                // Through a register whose constant an instruction has hidden from constant propagation.
                self.address(30, CODE + function);
                let hidden = Operands {
                    rd: 30,
                    rs1: 30,
                    rs2: 0,
                    ..Operands::default()
                };
                self.word(Opcode::Xor, hidden);
                self.word(
                    Opcode::Jalr,
                    Operands {
                        rd: 1,
                        rs1: 30,
                        ..Operands::default()
                    },
                );
            }
        }
    }

    /// A jump through a register over some instructions.
    fn hop(&mut self) {
        let at = self.code.len();
        self.address(30, CODE);
        self.word(
            Opcode::Mul,
            Operands {
                rd: 0,
                ..Operands::default()
            },
        );
        self.word(
            Opcode::Jalr,
            Operands {
                rs1: 30,
                ..Operands::default()
            },
        );
        self.some(3);
        let to = self.code.len();
        let hidden = std::mem::take(&mut self.code);
        self.address(30, CODE + to as u64);
        let address = std::mem::replace(&mut self.code, hidden);
        self.code[at..at + 8].copy_from_slice(&address);
    }

    /// One round: all registers are loaded, changed and stored.
    fn round(&mut self, number: u64) {
        let words: Vec<u64> = (0..64)
            .map(|i| if i < 32 { self.value() } else { self.number() })
            .collect();
        self.data.extend(words.iter().flat_map(|w| w.to_le_bytes()));
        self.address(31, DATA + 512 * number + 256);
        for register in 0..32 {
            let imm = 8 * i64::from(register);
            self.word(
                Opcode::Fld,
                Operands {
                    rd: register,
                    rs1: 31,
                    imm,
                    ..Operands::default()
                },
            );
        }
        for register in 1..31 {
            let imm = 8 * i64::from(register) - 256;
            self.word(
                Opcode::Ld,
                Operands {
                    rd: register,
                    rs1: 31,
                    imm,
                    ..Operands::default()
                },
            );
        }
        for pointer in POINTERS {
            self.address(pointer, DATA + SCRATCH + SCRATCH_BYTES / 2);
        }
        for _ in 0..1 + self.random.below(5) {
            match self.random.below(6) {
                0..=1 => self.some(20),
                2 => self.branch(),
                3 => self.repeat(),
                4 => self.call(),
                _ => self.hop(),
            }
        }
        self.address(31, DATA + OUT + 512 * number + 256);
        for register in 0..32 {
            let imm = 8 * i64::from(register);
            self.word(
                Opcode::Fsd,
                Operands {
                    rs2: register,
                    rs1: 31,
                    imm,
                    ..Operands::default()
                },
            );
            let imm = imm - 256;
            self.word(
                Opcode::Sd,
                Operands {
                    rs2: register,
                    rs1: 31,
                    imm,
                    ..Operands::default()
                },
            );
        }
    }

    /// The whole program.
    fn make(seed: u64, rounds: u64) -> Vec<u8> {
        let mut program = Program {
            random: Random::new(seed),
            code: Vec::new(),
            data: Vec::new(),
            rounds,
            controls: !seed.is_multiple_of(3),
        };
        for number in 0..rounds {
            program.round(number);
        }
        program.data.resize(SCRATCH as usize, 0);
        for _ in 0..SCRATCH_BYTES / 8 {
            let value = program.number();
            program.data.extend(value.to_le_bytes());
        }
        let written = SCRATCH_BYTES + 512 * program.rounds;
        program.address(11, DATA + SCRATCH);
        program.address(12, written);
        for (rd, imm) in [(10, 1), (17, 64)] {
            program.word(
                Opcode::Addi,
                Operands {
                    rd,
                    imm,
                    ..Operands::default()
                },
            );
        }
        program.word(Opcode::Ecall, Operands::default());
        for (rd, imm) in [(10, 3), (17, 93)] {
            program.word(
                Opcode::Addi,
                Operands {
                    rd,
                    imm,
                    ..Operands::default()
                },
            );
        }
        program.word(Opcode::Ecall, Operands::default());
        executable(&program.code, &program.data, OUT + 512 * rounds)
    }
}

/// Compares a program; says where the first difference is.
fn compare(seed: u64, rounds: u64) {
    let file = Program::make(seed, rounds);
    let name = format!("generated-{seed}");
    let ours = if seed.is_multiple_of(2) {
        run_here(&name, &file, &[])
    } else {
        run_eagerly(&name, &file, &[])
    };
    let theirs = run_qemu(&name, &file, &[]);
    if ours == theirs {
        return;
    }
    let keep = common::scratch(&format!("differs-{seed}"));
    std::fs::write(&keep, &file).expect("a scratch file");
    assert_eq!(
        ours.end,
        theirs.end,
        "seed {seed}, kept as {}",
        keep.display()
    );
    let differs = ours
        .output
        .iter()
        .zip(&theirs.output)
        .position(|(a, b)| a != b);
    let at = differs.expect("a difference") & !7;
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight"));
    let place = match (at as u64).checked_sub(SCRATCH_BYTES) {
        None => format!("scratch memory at {at:#x}"),
        Some(offset) if offset % 512 < 256 => {
            format!("round {}, x{}", offset / 512, offset % 512 / 8)
        }
        Some(offset) => format!("round {}, f{}", offset / 512, offset % 512 / 8 - 32),
    };
    panic!(
        "seed {seed}, {place}: {:#x} here, {:#x} in QEMU; kept as {}",
        word(&ours.output),
        word(&theirs.output),
        keep.display()
    );
}

#[test]
fn generated_programs() {
    for seed in 1..=60 {
        compare(seed, 24);
    }
}

/// The tier by hand: two thousand programs, of 40 rounds each.
#[test]
#[ignore = "takes minutes; run by hand with --ignored"]
fn two_thousand_programs() {
    for seed in 10_000..12_000 {
        compare(seed, 40);
    }
}
