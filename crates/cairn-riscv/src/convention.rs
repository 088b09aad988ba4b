//! What `ecall` means: Linux's system calls, or those of the machines that the Selfie project's programs run on.
//!
//! # Problem
//!
//! Programs of the Selfie project are made for its own emulator, and those of the evaluation of \[AbyanehKirsch21\] for the
//! emulator of a fork. Numbers and arguments are mostly Linux's, but not all that they mean. `brk` of the fork
//! answers with the break as it was before, and the fork's `malloc` gives the program that answer; under Linux's
//! meaning each block would begin where it should end, in the next one. Other numbers of the fork have no meaning in Linux, or another.
//!
//! # Idea
//!
//! A guest whose convention is not Linux's asks a function of its program in place of the system. The
//! function does what the convention says, with what there is for every program: inputs, assumptions,
//! failed assertions, Linux's own calls. So a path, a concrete run and a test that is run again have one meaning.
//!
//! | number | `selfie` | `selfie-ase` |
//! |---|---|---|
//! | 42 | – | `interval(address, first, last, step)`: the word there is an input: `first`, `first + step`, … up to `last` |
//! | 43 | – | `printsv(number, value)`: prints the value |
//! | 44, 46 | – | a zone of assertions begins, ends |
//! | 45 | – | `assert(value)`: an error if it is zero |
//! | 63, 64, 93 | as Linux | `read`, `write` and `exit` as Linux; what fails is -1 (of 32 bits) |
//! | 214 | `brk`: the break after the call | `brk`: the break before the call |
//! | 1024 | `open(name, flags, mode)` | the same; what fails is -1 |
//! | others | as Linux | refused by name |
//!
//! - **`brk`.** The break only moves up, to multiples of eight, and below 4 GiB; anything else leaves it where it is and is
//!   answered with that. Room that there would be in those 4 GiB, and is not here, is refused by name.
//! - **Zones.** The fork's engine looks at comparisons in a zone to find out whether both sides can be reached, which
//!   is how its `assert` knows; it is of no use outside of one. Here an assertion is checked for all inputs of its path wherever it stands, so
//!   a zone changes nothing.
//! - **Registers.** `a0` stays as it was where the table names no answer.
//!
//! # Soundness
//!
//! The convention is recognised by the layout that the compilers give their files ([`Convention::of_layout`]), which is a guess: Selfie
//! made files of one segment, too, before it made two, and they are told apart by their `malloc` only. So the summary of a run says what was
//! assumed, and `--abi` decides otherwise. Distances of the break are computed within what `brk` gives, so no answer depends on where Linux
//! would put it.

use crate::arguments::{declared, text};
use crate::build::{RegionBuilder, target};
use crate::helpers::call;
use crate::recognised::INTERVAL;
use cairn_ir::{
    BinaryOp, Body, CheckKind, CompareOp, FuncId, Function, Operand, PlaceId, Program, Switch,
    Terminator,
};

/// Whose system calls a program makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Convention {
    /// Linux's.
    #[default]
    Linux,
    /// Those of Selfie: Linux's, as far as Selfie has them.
    Selfie,
    /// Those of the fork of Selfie whose programs \[AbyanehKirsch21\] measures.
    SelfieAse,
}

/// A segment of a file that is loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loadable {
    /// Where it is in the file.
    pub offset: u64,
    /// Where it is in memory.
    pub address: u64,
    /// Whether it may be written.
    pub write: bool,
    /// Whether it is code.
    pub execute: bool,
}

/// Where both compilers put code.
const CODE: u64 = 0x10000;

/// Where the fork's files have it: after two headers and the length of the code.
const BEHIND_HEADERS: u64 = 0x80;

/// Memory of both emulators ends here.
const MEMORY_END: u64 = 1 << 32;

/// `addi a7, zero, 214` and `ecall`; what is fixed of `beq`; the register of the answer.
const BRK_TO_A7: u32 = 0x0d60_0893;
const ECALL: u32 = 0x73;
const BEQ: u32 = 0x63;
const A0: u32 = 10;

const READ: u64 = 63;
const WRITE: u64 = 64;
const EXIT: u64 = 93;
const OPENAT: u64 = 56;
const BRK: u64 = 214;
const OPEN: u64 = 1024;
const INPUT: u64 = 42;
const PRINT: u64 = 43;
const ZONE_BEGINS: u64 = 44;
const ASSERT: u64 = 45;
const ZONE_ENDS: u64 = 46;

/// The working directory, as Linux's `openat` is told.
const WORKING_DIRECTORY: u64 = -100i64 as u64;

/// The function that prints a value.
const PRINT_VALUE: &str = "machine_code.print_value";

impl Convention {
    /// All of them.
    pub const ALL: [Convention; 3] = [Convention::Linux, Convention::Selfie, Convention::SelfieAse];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Convention::Linux => "linux",
            Convention::Selfie => "selfie",
            Convention::SelfieAse => "selfie-ase",
        }
    }

    /// The convention of a file without section headers, by its segments: Selfie's files have code at 0x10000 and
    /// data in a second segment, the fork's have one segment at 0x10000 that begins at byte 0x80. So had Selfie's
    /// once; their `malloc` compares what `brk` answers with the break before, which says that it is the break after.
    /// `code` is the content of the first segment.
    pub(crate) fn of_layout(segments: &[Loadable], code: &[u8]) -> Self {
        match segments {
            [all] if all.offset == BEHIND_HEADERS && all.address == CODE => {
                match compares_breaks(code) {
                    true => Convention::Selfie,
                    false => Convention::SelfieAse,
                }
            }
            [code, data]
                if code.address == CODE
                    && (code.execute && !code.write)
                    && (data.write && !data.execute) =>
            {
                Convention::Selfie
            }
            _ => Convention::Linux,
        }
    }

    /// Adds the function that answers a guest's system calls to a program; `linux` is the one that answers Linux's.
    pub(crate) fn answered_by(self, program: &mut Program, linux: FuncId) -> FuncId {
        let ase = match self {
            Convention::Linux => return linux,
            Convention::Selfie => false,
            Convention::SelfieAse => true,
        };
        let mut answers = Answers::new(linux);
        match ase {
            false => answers.selfie(),
            true => answers.selfie_ase(program),
        }
        program.functions.push(Function {
            name: "machine_code.system_call".to_string(),
            params: vec![64; 7],
            results: vec![64],
            variadic: false,
            place: PlaceId::UNKNOWN,
            body: Some(answers.finish()),
        });
        FuncId::new(program.functions.len() - 1)
    }
}

/// Whether code compares, right after a call of `brk`, the answer with another register.
fn compares_breaks(code: &[u8]) -> bool {
    let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("four bytes"));
    let words: Vec<u32> = code.chunks_exact(4).map(word).collect();
    words.windows(3).any(|three| {
        let [number, calls, then] = [three[0], three[1], three[2]];
        let (left, right) = (then >> 15 & 31, then >> 20 & 31);
        let compares = then & 0x707f == BEQ && (left == A0 || right == A0);
        number == BRK_TO_A7 && calls == ECALL && compares && left != 0 && right != 0
    })
}

/// The function that answers system calls on its way. It has no place: what is wrong with a call is wrong where
/// the call is.
struct Answers {
    b: RegionBuilder,
    linux: FuncId,
    number: Operand,
    args: [Operand; 6],
    cases: Vec<(u64, cairn_ir::Target)>,
}

impl Answers {
    fn new(linux: FuncId) -> Self {
        let mut b = RegionBuilder::new(1);
        let entry = b.block;
        let number = Operand::Local(b.param(entry, 64));
        let args = [(); 6].map(|()| Operand::Local(b.param(entry, 64)));
        Answers {
            b,
            linux,
            number,
            args,
            cases: Vec::new(),
        }
    }

    /// The numbers of Selfie.
    fn selfie(&mut self) {
        self.on(BRK);
        self.brk(false);
        self.on(OPEN);
        let opened = self.open();
        self.answer(opened);
    }

    /// The numbers of the fork.
    fn selfie_ase(&mut self, program: &mut Program) {
        self.on(EXIT);
        let ended = self.linux(EXIT, &[0]);
        self.answer(ended);
        for number in [READ, WRITE] {
            self.on(number);
            let done = self.linux(number, &[0, 1, 2]);
            self.answer_or(done, u64::from(u32::MAX));
        }
        self.on(OPEN);
        let opened = self.open();
        self.answer_or(opened, u64::MAX);
        self.on(BRK);
        self.brk(true);
        self.on(INPUT);
        self.input(program);
        self.on(PRINT);
        let print = declared(program, PRINT_VALUE, &[64, 64], &[]);
        let shown = self.args[..2].iter().map(|a| (a.clone(), 64)).collect();
        call(&mut self.b, print, shown, &[]);
        self.unanswered();
        for number in [ZONE_BEGINS, ZONE_ENDS] {
            self.on(number);
            self.unanswered();
        }
        self.on(ASSERT);
        self.assertion(program);
        self.b.block = cairn_ir::BlockId::new(0);
    }

    /// What follows is done for a number.
    fn on(&mut self, number: u64) {
        self.b.block = self.b.new_block();
        self.cases.push((number, target(self.b.block)));
    }

    /// One of Linux's calls with some of the arguments.
    fn linux(&mut self, number: u64, with: &[usize]) -> Operand {
        let mut args = vec![(Operand::Int(number), 64)];
        args.extend(with.iter().map(|i| (self.args[*i].clone(), 64)));
        args.resize(7, (Operand::Int(0), 64));
        call(&mut self.b, self.linux, args, &[64]).remove(0)
    }

    fn open(&mut self) -> Operand {
        let mut args = vec![
            (Operand::Int(OPENAT), 64),
            (Operand::Int(WORKING_DIRECTORY), 64),
        ];
        args.extend(self.args[..3].iter().map(|a| (a.clone(), 64)));
        args.resize(7, (Operand::Int(0), 64));
        call(&mut self.b, self.linux, args, &[64]).remove(0)
    }

    fn answer(&mut self, value: Operand) {
        self.b.end(Terminator::Return(vec![value]));
    }

    /// The register of the answer keeps what it held.
    fn unanswered(&mut self) {
        let same = self.args[0].clone();
        self.answer(same);
    }

    /// Linux's answer, or another number if that is an error.
    fn answer_or(&mut self, value: Operand, failed: u64) {
        let least = Operand::Int(-4095i64 as u64);
        let fails = self.b.compare(CompareOp::Ule, 64, least, value.clone());
        let value = self.b.select(64, fails, Operand::Int(failed), value);
        self.answer(value);
    }

    /// Moves the break up. The answer is the break after that, or before.
    fn brk(&mut self, answers_before: bool) {
        let wanted = self.args[0].clone();
        let mut ask = vec![(Operand::Int(BRK), 64)];
        ask.resize(7, (Operand::Int(0), 64));
        let now = call(&mut self.b, self.linux, ask, &[64]).remove(0);
        let [look, move_it, moved, stay] = [(); 4].map(|()| self.b.new_block());
        // Programs ask for zero to learn where the break is: no number is compared with an address.
        let zero = Operand::Int(0);
        let asks = self.b.compare(CompareOp::Eq, 64, wanted.clone(), zero);
        self.b.branch(asks, stay, look);

        self.b.block = look;
        let up = self
            .b
            .binary(BinaryOp::Sub, 64, wanted.clone(), now.clone());
        let below = Operand::Int(MEMORY_END);
        let fits = self.b.compare(CompareOp::Ult, 64, up, below);
        let low = self
            .b
            .binary(BinaryOp::And, 64, wanted.clone(), Operand::Int(7));
        let aligned = self.b.compare(CompareOp::Eq, 64, low, Operand::Int(0));
        let valid = self.b.binary(BinaryOp::And, 1, fits, aligned);
        self.b.branch(valid, move_it, stay);

        self.b.block = move_it;
        let after = self.linux(BRK, &[0]);
        let there = self.b.compare(CompareOp::Eq, 64, after.clone(), wanted);
        let message = "brk: more memory than the system gives";
        self.b.check(CheckKind::Unsupported, there, message);
        self.b.end(Terminator::Jump(target(moved)));

        self.b.block = moved;
        self.answer(if answers_before { now.clone() } else { after });
        self.b.block = stay;
        self.answer(now);
    }

    fn input(&mut self, program: &mut Program) {
        let interval = declared(program, INTERVAL, &[64; 4], &[]);
        let args = self.args[..4].iter().map(|a| (a.clone(), 64)).collect();
        call(&mut self.b, interval, args, &[]);
        self.unanswered();
    }

    fn assertion(&mut self, program: &mut Program) {
        let fail = declared(program, "__assert_fail", &[64, 64, 32, 64], &[]);
        let [fails, holds] = [(); 2].map(|()| self.b.new_block());
        let value = self.args[0].clone();
        let is_zero = self.b.compare(CompareOp::Eq, 64, value, Operand::Int(0));
        self.b.branch(is_zero, fails, holds);
        self.b.block = fails;
        let condition = text(program, "the argument is not zero");
        let file = text(program, "system call 45");
        let function = text(program, "assert");
        let args = vec![
            (condition, 64),
            (file, 64),
            (Operand::Int(0), 32),
            (function, 64),
        ];
        call(&mut self.b, fail, args, &[]);
        self.b.end(Terminator::Stop);
        self.b.block = holds;
        self.unanswered();
    }

    /// The whole function: of a number without a case, Linux answers, or it is refused.
    fn finish(mut self) -> Body {
        let ase = self.cases.iter().any(|(number, _)| *number == ASSERT);
        self.b.block = self.b.new_block();
        let rest = self.b.block;
        if ase {
            let message = "a system call that the convention selfie-ase does not have";
            self.b
                .check(CheckKind::Unsupported, Operand::Int(0), message);
            self.b.end(Terminator::Stop);
        } else {
            let args = [&self.number].into_iter().chain(&self.args);
            let args = args.map(|a| (a.clone(), 64)).collect();
            let answer = call(&mut self.b, self.linux, args, &[64]).remove(0);
            self.answer(answer);
        }
        self.b.block = cairn_ir::BlockId::new(0);
        self.b.end(Terminator::Switch(Box::new(Switch {
            value: self.number,
            width: 64,
            cases: self.cases,
            default: target(rest),
        })));
        self.b.body
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(offset: u64, address: u64, write: bool, execute: bool) -> Loadable {
        Loadable {
            offset,
            address,
            write,
            execute,
        }
    }

    #[test]
    fn layouts_are_told_apart() {
        let one = segment(0x80, 0x10000, true, true);
        let code = segment(0x1000, 0x10000, false, true);
        let data = segment(0x2000, 0x11000, true, false);
        for (segments, convention) in [
            (&[one][..], Convention::SelfieAse),
            (&[code, data], Convention::Selfie),
            (&[code], Convention::Linux),
            (&[data, code], Convention::Linux),
            (&[one, data], Convention::Linux),
            (
                &[Loadable {
                    offset: 0x78,
                    ..one
                }],
                Convention::Linux,
            ),
            (
                &[Loadable {
                    address: 0x10080,
                    ..one
                }],
                Convention::Linux,
            ),
            (&[], Convention::Linux),
        ] {
            assert_eq!(
                Convention::of_layout(segments, &[]),
                convention,
                "{segments:?}"
            );
        }
    }

    /// `malloc` of the first versions of Selfie, and of the fork.
    #[test]
    fn files_of_one_segment_are_told_apart_by_what_brk_is_used_for() {
        let one = [segment(0x80, 0x10000, true, true)];
        let beq = |left: u32, right: u32| 8 << 7 | left << 15 | right << 20 | BEQ;
        let of = |then: u32| {
            let words = [0x13, BRK_TO_A7, ECALL, then];
            let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            Convention::of_layout(&one, &code)
        };
        assert_eq!(of(beq(A0, 6)), Convention::Selfie);
        assert_eq!(of(beq(6, A0)), Convention::Selfie);
        // With null, of other registers, and what the fork does.
        assert_eq!(of(beq(A0, 0)), Convention::SelfieAse);
        assert_eq!(of(beq(5, 6)), Convention::SelfieAse);
        assert_eq!(of(0xff81_0113), Convention::SelfieAse);
    }
}
