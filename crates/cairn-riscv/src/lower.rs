//! From a region of guest code to a function of the program form.
//!
//! - **Registers.** The state of the core is an object, the register file (`registers.rs`). Inside a
//!   function its words are locals (`flow.rs`, `values.rs`); whenever control leaves, those that may
//!   have changed are stored. So between functions the register file is the whole state of the guest, and
//!   frames of the machine that runs the program hold nothing but where to go on.
//! - **Calls.** A function takes nothing and returns an address and one bit: where the guest goes on, and
//!   whether that is a jump (1) or a return (0). A caller compares the address with the one after its
//!   call. If it is another one, `machine_code.settle` follows jumps through the dispatcher until the
//!   guest comes back or returns elsewhere; then the caller gives the address to its own caller.
//!   `longjmp`, tail calls, returns to computed addresses all work this way, and a guest that
//!   misuses the return address is followed rather than trusted.
//! - **Indirect jumps** are a switch over the addresses that `region.rs` found; every other address
//!   leaves the function. The dispatcher `machine_code.dispatch` is a switch over all functions that are known; any
//!   other address is handed to `machine_code.translate`, which has no body: what runs the program lowers
//!   more (`Guest::extend`) and calls that in its place.
//! - **Memory.** Guest addresses are addresses of the machine's memory, where segments, stack and heap lie
//!   as they do in the guest. Constants that point into a segment are made from a pointer to it: that
//!   saves the search by address and changes no meaning where memory goes by address.
//! - **Traps.** What is no instruction, or one that is not supported, is a failing check that names it.
//!
//! A region costs time and room in proportion to its instructions, and stores that its callees may not
//! need: nothing is assumed about calling conventions.

use crate::build::{RegionBuilder, target};
use crate::decode::{GuestInst, decode};
use crate::elf::Executable;
use crate::flow::{RegionFlow, ValueOrigin};
use crate::print::assembly;
use crate::region::{BlockEnd, GuestBlock, Region};
use crate::registers::{Set, effects, members};
use crate::signals::SystemCallEntry;
use crate::table::Opcode;
use crate::values::{Floats, RegisterForms, WordForms};
use cairn_ir::{
    BinaryOp, BlockId, Body, Call, Callee, CheckKind, CompareOp, FuncId, Local, Operand, PlaceId,
    Switch, Target, Terminator,
};
use std::collections::BTreeMap;

/// The functions that lowered code calls.
pub(crate) struct Callees<'f> {
    /// The function of a region's entry.
    pub regions: &'f BTreeMap<u64, FuncId>,
    /// Runs the function at an address.
    pub dispatch: FuncId,
    /// Goes on after a call that did not come back.
    pub settle: FuncId,
    /// Answers system calls.
    pub system_calls: SystemCallEntry,
    /// Runs the handler of a signal.
    pub deliver: FuncId,
    /// How floating-point instructions are lowered.
    pub floats: Floats,
    /// Tells what a counter of the processor shows.
    pub counter: Option<FuncId>,
    /// Whether a division that C does not define is an error.
    pub checks_division: bool,
}

/// Lowers a region. `place` gives the place of an address.
pub(crate) fn lower(
    executable: &Executable,
    region: &Region,
    callees: &Callees<'_>,
    place: &mut dyn FnMut(u64) -> PlaceId,
) -> Body {
    let flow = RegionFlow::new(region);
    let count = flow.order.len();
    let mut builder = RegionBuilder::new(count + 1);
    let mut params = vec![BTreeMap::new(); count];
    for (block, locals) in params.iter_mut().enumerate() {
        for register in members(flow.params[block]) {
            let local = builder.param(BlockId::new(block + 1), 64);
            locals.insert(register, local);
        }
    }
    let mut lowering = Lowering {
        executable,
        region,
        flow,
        callees,
        params,
        ends: vec![Vec::new(); count],
        entry: BTreeMap::new(),
        values: RegisterForms::new(builder, executable, callees.floats),
        leave: None,
    };
    lowering.values.checks_division = callees.checks_division;
    lowering.values.counter = callees.counter;
    lowering.enter(place(region.entry));
    for block in 0..count {
        lowering.block(block, place);
    }
    lowering.values.builder.body
}

struct Lowering<'e> {
    executable: &'e Executable,
    region: &'e Region,
    flow: RegionFlow,
    callees: &'e Callees<'e>,
    /// The locals of the parameters of each block.
    params: Vec<BTreeMap<usize, Local>>,
    /// The words at the end of each block.
    ends: Vec<Vec<Option<WordForms>>>,
    /// What was loaded on entry.
    entry: BTreeMap<usize, Operand>,
    values: RegisterForms<'e>,
    /// The block that returns its parameter to the caller.
    leave: Option<BlockId>,
}

impl Lowering<'_> {
    /// The entry: loads what the first block needs.
    fn enter(&mut self, place: PlaceId) {
        self.values.builder.place = place;
        for register in members(self.flow.needed[0] & !1) {
            let value = self
                .values
                .builder
                .load(64, crate::values::address_of(register));
            self.entry.insert(register, value);
        }
        let args = members(self.flow.params[0]).map(|r| self.entry[&r].clone());
        let to = Target {
            block: BlockId::new(1),
            args: args.collect(),
        };
        self.values.builder.end(Terminator::Jump(to));
    }

    fn block(&mut self, block: usize, place: &mut dyn FnMut(u64) -> PlaceId) {
        let at = self.flow.order[block];
        let region = self.region;
        let guest = &region.blocks[&at];
        self.values.builder.block = BlockId::new(block + 1);
        self.values.now.fill(None);
        for register in members(self.flow.needed[block]) {
            let value = match self.flow.source(block, register) {
                ValueOrigin::Nowhere => continue,
                ValueOrigin::Entry => WordForms::wide(self.entry[&register].clone()),
                ValueOrigin::Param(of) => {
                    WordForms::wide(Operand::Local(self.params[of][&register]))
                }
                ValueOrigin::Block(of) => match &self.ends[of][register] {
                    Some(value) => value.clone(),
                    None => continue,
                },
            };
            self.values.set(register, value);
        }
        let mut kept = None;
        for (i, (at, inst)) in guest.insts.iter().enumerate() {
            self.values.builder.place = place(*at);
            match kept {
                // Where flags are computed, there is nothing to save.
                None if self.values.floats.looks_at_flags => {}
                None => kept = crate::control::keeps_flags(&guest.insts[i..]),
                Some(_) => kept = kept.map(|left| left - 1),
            }
            match kept {
                Some(left) if crate::control::keep_flags(&mut self.values, inst, left) => {}
                Some(_) | None if inst.op == Opcode::Ecall => {
                    let before = guest.insts[..i].iter();
                    let written = before.fold(0, |all, (_, inst)| all | effects(inst).1);
                    self.system_call(self.flow.changed(block) | written, *at + 4);
                }
                Some(_) | None => self.instruction(*at, inst),
            }
            kept = kept.filter(|left| *left > 0);
        }
        self.end(block, guest, place);
        self.ends[block] = std::mem::take(&mut self.values.now);
        self.values.now = vec![None; crate::registers::COUNT];
    }

    /// An edge to a block, with the values of its parameters.
    fn edge(&mut self, to: u64) -> Target {
        let number = self.flow.number[&to];
        let args = members(self.flow.params[number]);
        let args = args.map(|register| self.values.wide(register)).collect();
        Target {
            block: BlockId::new(number + 1),
            args,
        }
    }

    /// The words that successors find in locals have all 64 bits before the block ends.
    fn settle_values(&mut self, guest: &GuestBlock) {
        let needed = guest
            .successors()
            .iter()
            .fold(0, |all, to| all | self.flow.needed[self.flow.number[to]]);
        for register in members(needed & !1) {
            // Constants stay what they are: they cost little everywhere.
            if self.values.constant(register).is_none() {
                self.values.wide(register);
            }
        }
    }

    fn end(&mut self, block: usize, guest: &GuestBlock, place: &mut dyn FnMut(u64) -> PlaceId) {
        let changed = self.flow.changed_at_end(block);
        match &guest.end {
            BlockEnd::Jump(to) => {
                let jump = guest
                    .insts
                    .last()
                    .filter(|(_, inst)| inst.op == Opcode::Jalr);
                match jump {
                    Some((at, inst)) if self.known_target(*at, inst) != Some(*to) => {
                        self.indirect(block, guest, *at, inst, &[*to], false);
                    }
                    Some(_) | None => {
                        self.settle_values(guest);
                        let to = self.edge(*to);
                        self.values.builder.end(Terminator::Jump(to));
                    }
                }
            }
            BlockEnd::Branch { taken, next } => {
                let (_, inst) = guest.insts.last().expect("a branch");
                // The comparison comes last: machines run it and the branch as one.
                self.settle_values(guest);
                let (taken, next) = (self.edge(*taken), self.edge(*next));
                let (condition, swap) = self.condition(inst);
                let (then, otherwise) = if swap { (next, taken) } else { (taken, next) };
                self.values.builder.end(Terminator::Branch {
                    condition,
                    then,
                    otherwise,
                });
            }
            BlockEnd::Call { target, back } => {
                let (at, inst) = *guest.insts.last().expect("a call");
                let address = self.jump_address(at, &inst);
                self.values.set(
                    usize::from(inst.rd),
                    WordForms::constant(at + u64::from(inst.length)),
                );
                self.call(block, address, *target, *back);
            }
            BlockEnd::Tail(to) => {
                let (at, inst) = *guest.insts.last().expect("a jump");
                if self.known_target(at, &inst) == Some(*to) {
                    self.values.store_all(changed);
                    let results = vec![Operand::Int(*to), Operand::Int(1)];
                    self.values.builder.end(Terminator::Return(results));
                } else {
                    self.indirect(block, guest, at, &inst, &[], false);
                }
            }
            BlockEnd::Indirect { targets, returns } => {
                let (at, inst) = *guest.insts.last().expect("a jump");
                self.indirect(block, guest, at, &inst, targets, *returns);
            }
            BlockEnd::Illegal(at) => {
                self.values.builder.place = place(*at);
                let (kind, message) = self.illegal(*at);
                let builder = &mut self.values.builder;
                builder.check(kind, Operand::Int(0), &message);
                builder.end(Terminator::Stop);
            }
        }
    }

    /// What is wrong with the instruction at an address.
    fn illegal(&self, at: u64) -> (CheckKind, String) {
        let Some(bytes) = self.executable.code_at(at) else {
            let message = format!("control comes to {at:#x}, where no code is");
            return (CheckKind::Undefined, message);
        };
        match decode(bytes) {
            Some(inst) if inst.op == Opcode::Ebreak => {
                let message = format!("a breakpoint (ebreak) at {at:#x}");
                (CheckKind::Unreachable, message)
            }
            Some(_) => {
                let message = format!("the function around {at:#x} is too long");
                (CheckKind::Unsupported, message)
            }
            // All zeros are the short form of `unimp`, which compilers put where nothing comes.
            None if bytes.starts_with(&[0, 0]) => {
                let message = format!("a trap (unimp) at {at:#x}");
                (CheckKind::Unreachable, message)
            }
            None => {
                let short = bytes.first().is_some_and(|b| b & 3 != 3);
                let word: String = bytes
                    .iter()
                    .take(if short { 2 } else { 4 })
                    .rev()
                    .map(|b| format!("{b:02x}"))
                    .collect();
                let message = format!("0x{word} at {at:#x} is no instruction of RV64GC");
                (CheckKind::Unsupported, message)
            }
        }
    }

    /// The address that a jump or call leads to, if it is known.
    fn known_target(&self, at: u64, inst: &GuestInst) -> Option<u64> {
        match inst.op {
            Opcode::Jal => Some(at.wrapping_add_signed(inst.imm)),
            _ => {
                let base = self.values.constant(usize::from(inst.rs1))?;
                Some(base.wrapping_add_signed(inst.imm) & !1)
            }
        }
    }

    /// The address that a jump or call leads to.
    fn jump_address(&mut self, at: u64, inst: &GuestInst) -> Operand {
        if let Some(known) = self.known_target(at, inst) {
            return Operand::Int(known);
        }
        let base = self.values.wide(usize::from(inst.rs1));
        let builder = &mut self.values.builder;
        let sum = builder.binary(BinaryOp::Add, 64, base, Operand::Int(inst.imm as u64));
        builder.binary(BinaryOp::And, 64, sum, Operand::Int(!1))
    }

    /// A jump through a register: to one of the targets, or out of the function.
    fn indirect(
        &mut self,
        block: usize,
        guest: &GuestBlock,
        at: u64,
        inst: &GuestInst,
        targets: &[u64],
        returns: bool,
    ) {
        let changed = self.flow.changed_at_end(block);
        let address = self.jump_address(at, inst);
        if !targets.is_empty() {
            self.settle_values(guest);
            let cases = targets.iter().map(|to| (*to, self.edge(*to))).collect();
            let outside = self.values.builder.new_block();
            self.values.builder.end(Terminator::Switch(Box::new(Switch {
                value: address.clone(),
                width: 64,
                cases,
                default: target(outside),
            })));
            // What is made outside is not there for the targets.
            let inside = self.values.now.clone();
            self.values.builder.block = outside;
            self.values.store_all(changed);
            self.values.now = inside;
        } else {
            self.values.store_all(changed);
        }
        let jumps = Operand::Int(u64::from(!returns));
        self.values
            .builder
            .end(Terminator::Return(vec![address, jumps]));
    }

    /// A call: stores, calls, compares where the guest comes back to, loads.
    fn call(&mut self, block: usize, address: Operand, target_address: Option<u64>, back: u64) {
        let changed = self.flow.changed_at_end(block);
        self.values.store_all(changed);
        let known = match (&address, target_address) {
            (Operand::Int(to), _) => self.callees.regions.get(to).copied(),
            (_, _) => None,
        };
        let (callee, args) = match known {
            Some(function) => (function, Vec::new()),
            None => (self.callees.dispatch, vec![(address, 64)]),
        };
        let builder = &mut self.values.builder;
        let (at, jumps) = (builder.body.local(64), builder.body.local(1));
        builder.emit(cairn_ir::Inst::Call(Box::new(Call {
            callee: Callee::Direct(callee),
            args,
            variadic: Vec::new(),
            results: vec![at, jumps],
        })));
        let came_back = builder.compare(CompareOp::Eq, 64, Operand::Local(at), Operand::Int(back));
        let (on, other) = (builder.new_block(), builder.new_block());
        // What is asked after a call is no branch of the guest's.
        let place = std::mem::replace(&mut builder.place, PlaceId::UNKNOWN);
        builder.branch(came_back, on, other);
        builder.place = place;
        builder.block = other;
        let (settled, done) = (builder.body.local(64), builder.body.local(1));
        let args = [(at, 64), (jumps, 1)];
        let args = args.map(|(local, width)| (Operand::Local(local), width));
        let mut args = args.to_vec();
        args.push((Operand::Int(back), 64));
        builder.emit(cairn_ir::Inst::Call(Box::new(Call {
            callee: Callee::Direct(self.callees.settle),
            args,
            variadic: Vec::new(),
            results: vec![settled, done],
        })));
        let leave = self.leave();
        self.values.builder.place = PlaceId::UNKNOWN;
        self.values.builder.end(Terminator::Branch {
            condition: Operand::Local(done),
            then: target(on),
            otherwise: Target {
                block: leave,
                args: vec![Operand::Local(settled)],
            },
        });
        self.values.builder.place = place;
        self.values.builder.block = on;
        let next = self.flow.number[&back];
        let needed = self.flow.needed[next];
        self.values.load_all(needed);
        let to = self.edge(back);
        self.values.builder.end(Terminator::Jump(to));
    }

    /// The block that hands an address to the caller.
    fn leave(&mut self) -> BlockId {
        if let Some(block) = self.leave {
            return block;
        }
        let builder = &mut self.values.builder;
        let here = builder.block;
        let block = builder.new_block();
        let address = builder.param(block, 64);
        builder.block = block;
        let results = vec![Operand::Local(address), Operand::Int(0)];
        builder.end(Terminator::Return(results));
        builder.block = here;
        self.leave = Some(block);
        block
    }

    /// The condition of a branch, and whether its directions are swapped.
    fn condition(&mut self, inst: &GuestInst) -> (Operand, bool) {
        let (a, b) = (usize::from(inst.rs1), usize::from(inst.rs2));
        let (op, left, right, swap) = match inst.op {
            Opcode::Beq => (CompareOp::Eq, a, b, false),
            Opcode::Bne => (CompareOp::Ne, a, b, false),
            Opcode::Blt => (CompareOp::Slt, a, b, false),
            Opcode::Bge => (CompareOp::Sle, b, a, false),
            Opcode::Bltu => (CompareOp::Ult, a, b, false),
            _ => (CompareOp::Ule, b, a, false),
        };
        // A comparison that is compared with zero is its own condition.
        if matches!(inst.op, Opcode::Beq | Opcode::Bne) {
            let bit = match (a, b) {
                (a, 0) => self.values.bit(a),
                (0, b) => self.values.bit(b),
                (_, _) => None,
            };
            if let Some(bit) = bit {
                return (bit, inst.op == Opcode::Beq);
            }
        }
        (self.compare(op, left, right), swap)
    }

    /// A comparison of two words; on 32 bits if both are sign-extensions, which keep every order.
    pub(crate) fn compare(&mut self, op: CompareOp, left: usize, right: usize) -> Operand {
        let narrow = (self.values.narrow(left), self.values.narrow(right));
        if let (Some(a), Some(b)) = narrow {
            return self.values.builder.compare(op, 32, a, b);
        }
        let (a, b) = (self.values.wide(left), self.values.wide(right));
        self.values.builder.compare(op, 64, a, b)
    }

    /// One instruction that does not end a block, or whose end is lowered elsewhere.
    fn instruction(&mut self, at: u64, inst: &GuestInst) {
        if crate::integer::lower(&mut self.values, at, inst) {
            return;
        }
        match inst.op {
            Opcode::Csrrw
            | Opcode::Csrrs
            | Opcode::Csrrc
            | Opcode::Csrrwi
            | Opcode::Csrrsi
            | Opcode::Csrrci => {
                crate::control::lower(&mut self.values, at, inst);
            }
            // Ends of blocks, and what is lowered elsewhere.
            Opcode::Jal | Opcode::Jalr | Opcode::Ebreak | Opcode::Ecall => {}
            Opcode::Beq | Opcode::Bne | Opcode::Blt | Opcode::Bge | Opcode::Bltu | Opcode::Bgeu => {
            }
            // Nothing else runs, and code does not change.
            Opcode::Fence | Opcode::FenceTso | Opcode::FenceI => {}
            _ => {
                let values = &mut self.values;
                let known =
                    crate::float::lower(values, at, inst) || crate::atomic::lower(values, inst);
                if !known {
                    let message = format!("{} at {at:#x}", assembly(inst, at));
                    let builder = &mut self.values.builder;
                    builder.check(CheckKind::Unsupported, Operand::Int(0), &message);
                }
            }
        }
    }

    /// A system call: number in `a7`, six arguments from `a0` on, the answer to `a0`. After it a handler of
    /// a signal may run, which finds everything that changed in the register file (`signals.rs`).
    fn system_call(&mut self, changed: Set, next: u64) {
        self.values.store_all(changed);
        let request = self.values.wide(17);
        let args = (10..16).map(|register| self.values.wide(register));
        let args = args.collect();
        let system_calls = self.callees.system_calls;
        let builder = &mut self.values.builder;
        let result = system_calls.answer(builder, self.region, request, args);
        // What is asked after a call is no branch of the guest's.
        let place = std::mem::replace(&mut builder.place, PlaceId::UNKNOWN);
        let waits = system_calls.waits(builder);
        let (handle, on) = (builder.new_block(), builder.new_block());
        builder.branch(waits, handle, on);
        builder.block = handle;
        builder.place = place;
        let args = vec![(result.clone(), 64), (Operand::Int(next), 64)];
        let left = crate::helpers::call(builder, self.callees.deliver, args, &[64, 1]);
        builder.place = PlaceId::UNKNOWN;
        let leave = self.leave();
        let builder = &mut self.values.builder;
        builder.end(Terminator::Branch {
            condition: left[1].clone(),
            then: Target {
                block: leave,
                args: vec![left[0].clone()],
            },
            otherwise: target(on),
        });
        builder.block = on;
        builder.place = place;
        self.values.set(10, WordForms::wide(result));
    }
}

#[cfg(test)]
mod tests;
