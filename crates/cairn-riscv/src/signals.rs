//! Handlers of signals that a program sends itself, as Linux calls them.
//!
//! No other process sends signals, so a signal arrives during a system call (or `abort`, which stands for
//! one). The model of Linux then leaves a [record](cairn_linux::delivery) after the register file, and the
//! code after every call looks for it. If there is one, [`deliver`] does what the kernel does: it puts a
//! frame with all registers on the stack, and jumps to the handler with a return address that stands for the
//! kernel's own code. When the handler returns there, the registers are restored from the frame, and the
//! signals are blocked that the frame says.
//!
//! - **Registers.** Before a system call all words that changed are stored, so the register file is the
//!   whole state. Code after the call goes on with its locals. That is right as long as the handler left
//!   the frame as it was; a handler that changes it is refused by name.
//! - **Leaving a handler** with `longjmp` is a return to somewhere else, as from any call (`lower.rs`).
//! - **Flags** of floating-point exceptions are not in the frame, but are restored.
//!
//! It costs a load and a comparison for every system call.

use crate::build::{RegionBuilder, target};
use crate::helpers::{DISPATCH, SETTLE, call};
use crate::region::{BlockEnd, GuestBlock, Region};
use crate::registers::{COUNT, FLOATS, ROUNDING};
use crate::values::address_of;
use cairn_ir::{
    BinaryOp, BlockId, Body, CheckKind, CompareOp, FuncId, Inst, Operand, PlaceId, Target,
    Terminator,
};
use cairn_linux::delivery;

/// The function that runs a handler: it takes what the system call returned and the address after it, and
/// returns the same, or an address and 1 if the handler went elsewhere.
pub(crate) const DELIVER: &str = "machine_code.signal";

/// Where handlers return to: no code is there, and no memory.
const RETURN_ADDRESS: u64 = 0x3fff_ffff_f800;

/// Bytes of a frame: `siginfo_t` and `ucontext_t`.
const FRAME: u64 = 128 + 960;
/// Where in a frame the context is, and in that its parts.
const CONTEXT: u64 = 128;
const CONTEXT_STACK: u64 = CONTEXT + 16;
const CONTEXT_MASK: u64 = CONTEXT + 40;
/// The program counter, after it the registers from the first on.
const CONTEXT_REGISTERS: u64 = CONTEXT + 176;
const CONTEXT_FLOATS: u64 = CONTEXT_REGISTERS + 256;
const CONTEXT_STATUS: u64 = CONTEXT_FLOATS + 256;

/// The registers of the return address, the stack and the first arguments.
const RA: usize = 1;
const SP: usize = 2;
const A0: usize = 10;

/// How a program makes system calls, and where it finds out that a signal has arrived.
#[derive(Clone, Copy)]
pub(crate) struct SystemCallEntry {
    /// The function that answers Linux's system calls.
    pub function: FuncId,
    /// The function that answers the program's, if its convention is another.
    pub guest: FuncId,
    /// The word of the register file at which the record of a signal begins.
    pub record: usize,
}

impl SystemCallEntry {
    /// A system call.
    pub fn ask(self, b: &mut RegionBuilder, number: Operand, args: Vec<Operand>) -> Operand {
        let args = [number].into_iter().chain(args).map(|a| (a, 64)).collect();
        call(b, self.function, args, &[64]).remove(0)
    }

    /// A system call of the program.
    ///
    /// The libraries of conventions that are not Linux's are a function for each call, which says nothing to the
    /// reader: then the call has no place, and what is wrong with it is wrong where that function is called.
    pub fn answer(
        mut self,
        b: &mut RegionBuilder,
        region: &Region,
        number: Operand,
        args: Vec<Operand>,
    ) -> Operand {
        if self.guest == self.function {
            return self.ask(b, number, args);
        }
        let returns =
            |block: &GuestBlock| matches!(block.end, BlockEnd::Indirect { returns: true, .. });
        let place = b.place;
        if region.called().next().is_none() && region.blocks.values().any(returns) {
            b.place = PlaceId::UNKNOWN;
        }
        self.function = self.guest;
        let answer = self.ask(b, number, args);
        b.place = place;
        answer
    }

    /// A call of those that deliver signals.
    pub fn tell(self, b: &mut RegionBuilder, number: u64, given: &[Operand]) -> Operand {
        let mut args = vec![Operand::Int(0); 6];
        args[..given.len()].clone_from_slice(given);
        self.ask(b, Operand::Int(number), args)
    }

    /// Says where the record is.
    pub fn register(self, b: &mut RegionBuilder) {
        self.tell(b, delivery::CALL_SET_RECORD, &[address_of(self.record)]);
    }

    /// A word of the record.
    fn word(self, b: &mut RegionBuilder, word: usize) -> Operand {
        b.load(64, address_of(self.record + word))
    }

    /// Whether a handler is to run.
    pub fn waits(self, b: &mut RegionBuilder) -> Operand {
        let handler = self.word(b, delivery::RECORD_HANDLER);
        b.compare(CompareOp::Ne, 64, handler, Operand::Int(0))
    }
}

fn moved(b: &mut RegionBuilder, at: &Operand, by: u64) -> Operand {
    b.binary(BinaryOp::Add, 64, at.clone(), Operand::Int(by))
}

/// The body of [`DELIVER`].
pub(crate) fn deliver(system_calls: SystemCallEntry, itself: FuncId) -> Body {
    let mut b = RegionBuilder::new(8);
    let [entry, next, first, run, other, back, away, done] = [0, 1, 2, 3, 4, 5, 6, 7].map(BlockId);
    let value = Operand::Local(b.param(entry, 64));
    let pc = Operand::Local(b.param(entry, 64));
    let elsewhere = Operand::Local(b.param(away, 64));
    // All that is restored; the first register is none.
    let mut kept: Vec<Operand> = vec![Operand::Int(0)];
    kept.extend((1..COUNT).map(|word| b.load(64, address_of(word))));
    kept[A0] = value.clone();
    b.end(Terminator::Jump(target(next)));

    b.block = next;
    let frame = put_frame(&mut b, system_calls, &kept, &pc);
    let handler = system_calls.word(&mut b, delivery::RECORD_HANDLER);
    let signal = system_calls.word(&mut b, delivery::RECORD_SIGNAL);
    let ended = system_calls.word(&mut b, delivery::RECORD_ON_STACK);
    b.store(
        64,
        Operand::Int(0),
        address_of(system_calls.record + delivery::RECORD_HANDLER),
    );
    let home = Operand::Int(RETURN_ADDRESS);
    // Another signal that need not wait interrupts the handler at its beginning.
    system_calls.tell(&mut b, delivery::CALL_HANDLER_STARTS, &[]);
    let interrupted = system_calls.waits(&mut b);
    b.branch(interrupted, first, run);
    b.block = first;
    let args = vec![(signal, 64), (handler.clone(), 64)];
    let results = call(&mut b, itself, args, &[64, 1]);
    b.end(Terminator::Branch {
        condition: results[1].clone(),
        then: Target {
            block: away,
            args: vec![results[0].clone()],
        },
        otherwise: target(run),
    });

    b.block = run;
    let results = call(&mut b, DISPATCH, vec![(handler, 64)], &[64, 1]);
    let here = b.compare(CompareOp::Eq, 64, results[0].clone(), home.clone());
    b.branch(here, back, other);

    b.block = other;
    let mut args: Vec<_> = results.into_iter().zip([64, 1]).collect();
    args.push((home, 64));
    let results = call(&mut b, SETTLE, args, &[64, 1]);
    b.end(Terminator::Branch {
        condition: results[1].clone(),
        then: target(back),
        otherwise: Target {
            block: away,
            args: vec![results[0].clone()],
        },
    });
    b.block = away;
    b.end(Terminator::Return(vec![elsewhere, Operand::Int(1)]));

    b.block = back;
    check_frame(&mut b, &frame, &kept, &pc);
    for (word, value) in kept.iter().enumerate().skip(1) {
        b.store(64, value.clone(), address_of(word));
    }
    let mask = moved(&mut b, &frame, CONTEXT_MASK);
    let mask = b.load(64, mask);
    system_calls.tell(&mut b, delivery::CALL_HANDLER_RETURNED, &[mask, ended]);
    let again = system_calls.waits(&mut b);
    b.branch(again, next, done);
    b.block = done;
    b.end(Terminator::Return(vec![value, Operand::Int(0)]));
    b.body
}

/// Puts a frame on the stack and sets the registers that a handler begins with; the frame's address.
fn put_frame(
    b: &mut RegionBuilder,
    system_calls: SystemCallEntry,
    kept: &[Operand],
    pc: &Operand,
) -> Operand {
    let [signal, code, sender, mask, stack, flags, size, on_stack] = [
        delivery::RECORD_SIGNAL,
        delivery::RECORD_CODE,
        delivery::RECORD_SENDER,
        delivery::RECORD_MASK,
        delivery::RECORD_STACK,
        delivery::RECORD_STACK_FLAGS,
        delivery::RECORD_STACK_SIZE,
        delivery::RECORD_ON_STACK,
    ]
    .map(|word| system_calls.word(b, word));
    let sp = kept[SP].clone();
    let wanted = b.compare(CompareOp::Ne, 64, on_stack, Operand::Int(0));
    // Only then it matters where the stack is.
    let looked_at = b.select(64, wanted.clone(), sp.clone(), Operand::Int(0));
    let depth = b.binary(BinaryOp::Sub, 64, looked_at, stack.clone());
    let outside = b.compare(CompareOp::Ule, 64, size.clone(), depth);
    let moves = b.binary(BinaryOp::And, 1, wanted, outside);
    let end = b.binary(BinaryOp::Add, 64, stack.clone(), size.clone());
    let top = b.select(64, moves, end, sp);
    let low = b.binary(BinaryOp::Sub, 64, top, Operand::Int(FRAME));
    let frame = b.binary(BinaryOp::And, 64, low, Operand::Int(!15));
    b.emit(Inst::Fill {
        to: frame.clone(),
        byte: Operand::Int(0),
        length: Operand::Int(FRAME),
    });
    let narrow =
        |b: &mut RegionBuilder, value: Operand| b.cast(cairn_ir::CastOp::Trunc, 64, 32, value);
    let put = |b: &mut RegionBuilder, offset: u64, width: u32, value: Operand| {
        let at = moved(b, &frame, offset);
        b.store(width, value, at);
    };
    let number = narrow(b, signal.clone());
    put(b, 0, 32, number);
    let code = narrow(b, code);
    put(b, 8, 32, code);
    put(b, 16, 64, sender);
    put(b, CONTEXT_STACK, 64, stack);
    let flags = narrow(b, flags);
    put(b, CONTEXT_STACK + 8, 32, flags);
    put(b, CONTEXT_STACK + 16, 64, size);
    put(b, CONTEXT_MASK, 64, mask);
    for (offset, value) in words_of_frame(kept, pc) {
        put(b, offset, 64, value);
    }
    let rounding = narrow(b, kept[ROUNDING].clone());
    let status = b.binary(BinaryOp::Shl, 32, rounding, Operand::Int(5));
    put(b, CONTEXT_STATUS, 32, status);
    let context = moved(b, &frame, CONTEXT);
    let begins = [
        (RA, Operand::Int(RETURN_ADDRESS)),
        (SP, frame.clone()),
        (A0, signal),
        (A0 + 1, frame.clone()),
        (A0 + 2, context),
    ];
    for (register, value) in begins {
        b.store(64, value, address_of(register));
    }
    frame
}

/// The words of a frame that are registers, each with its offset.
fn words_of_frame(kept: &[Operand], pc: &Operand) -> Vec<(u64, Operand)> {
    let integers = (1..FLOATS).map(|r| (CONTEXT_REGISTERS + 8 * r as u64, kept[r].clone()));
    let floats = (0..32).map(|r| (CONTEXT_FLOATS + 8 * r as u64, kept[FLOATS + r].clone()));
    [(CONTEXT_REGISTERS, pc.clone())]
        .into_iter()
        .chain(integers)
        .chain(floats)
        .collect()
}

/// Checks that a handler came back as it should, with the registers in its frame as they were.
fn check_frame(b: &mut RegionBuilder, frame: &Operand, kept: &[Operand], pc: &Operand) {
    let sp = b.load(64, address_of(SP));
    let same = b.compare(CompareOp::Eq, 64, sp, frame.clone());
    let message = "a handler of a signal that returns with another stack pointer";
    b.check(CheckKind::Unsupported, same, message);
    let mut differs = Operand::Int(0);
    for (offset, value) in words_of_frame(kept, pc) {
        let at = moved(b, frame, offset);
        let now = b.load(64, at);
        let other = b.compare(CompareOp::Ne, 64, now, value);
        differs = b.binary(BinaryOp::Or, 1, differs, other);
    }
    let same = b.compare(CompareOp::Eq, 1, differs, Operand::Int(0));
    let message = "a handler of a signal that changes registers of what it interrupts";
    b.check(CheckKind::Unsupported, same, message);
}

/// What stands in for `abort`: the handler of its signal, if there is one, then the function that ends the
/// program.
pub(crate) fn abort(end: FuncId, system_calls: SystemCallEntry, deliver: FuncId) -> Body {
    let mut b = RegionBuilder::new(4);
    let [handle, last, away] = [1, 2, 3].map(BlockId);
    let elsewhere = Operand::Local(b.param(away, 64));
    let sent = system_calls.tell(&mut b, delivery::CALL_ABORT, &[]);
    let handled = b.compare(CompareOp::Eq, 64, sent, Operand::Int(1));
    b.branch(handled, handle, last);
    b.block = handle;
    let pc = b.load(64, address_of(RA));
    let args = vec![(Operand::Int(0), 64), (pc, 64)];
    let results = call(&mut b, deliver, args, &[64, 1]);
    b.end(Terminator::Branch {
        condition: results[1].clone(),
        then: Target {
            block: away,
            args: vec![results[0].clone()],
        },
        otherwise: target(last),
    });
    b.block = away;
    b.end(Terminator::Return(vec![elsewhere, Operand::Int(0)]));
    b.block = last;
    call(&mut b, end, Vec::new(), &[]);
    b.end(Terminator::Stop);
    b.body
}
