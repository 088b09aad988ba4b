//! Functions: blocks in an order in which values come before their uses, phis as block
//! parameters, and how blocks end.
//!
//! Blocks that nothing reaches are left out. If nothing throws, that takes in the code that only an
//! exception would reach; how exceptions are lowered is told in `exceptions.rs`.

use crate::emit::{BodyBuilder, ValueWord, ValueWords, plain_target};
use crate::lowering::{Lowering, Refusal, Unlowerable, constant, number};
use crate::reader::{AttributeAt, BasicBlock, Value};
use crate::scopes::default_is_never_taken;
use cairn_ir::{
    BlockId, Body, CheckKind, CompareOp, FuncId, Inst, Operand, Switch, Target, Terminator,
};
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMValueKind::{LLVMPoisonValueKind, LLVMUndefValueValueKind};
use rustc_hash::FxHashSet;
use smallvec::smallvec;

/// Lowers the body of a function.
pub(crate) fn lower<'m>(cx: &mut Lowering<'m>, function: Value<'m>, id: FuncId) -> Body {
    let throws = cx.landings.is_some();
    let order = reverse_postorder(function, throws);
    let mut builder = BodyBuilder::new(cx, id, function);
    let kind = builder.cx.attributes.optnone;
    let optnone = function.function_attribute(AttributeAt::Whole, kind);
    builder.unoptimized = optnone.is_some() || !builder.was_optimized();
    builder.own = builder.cx.own.contains(&function.name());
    builder.note_part();
    builder.find_scopes();
    builder.find_overflows(&order);
    for &block in &order {
        let id = builder.new_block();
        builder.blocks.insert(block, id);
    }
    builder.place = builder.cx.program.function(id).place;
    builder.parameters();
    let ends = order.iter().map(|block| block.terminator().opcode());
    builder.landing_record(ends.into_iter().any(|opcode| matches!(opcode, LLVMInvoke)));
    for &block in &order {
        builder.phis(block);
    }
    for &block in &order {
        builder.block(block);
    }
    builder.body
}

/// Where a block may go on, as far as it is lowered.
fn successors(block: BasicBlock<'_>, throws: bool) -> Vec<BasicBlock<'_>> {
    let end = block.terminator();
    match end.opcode() {
        LLVMInvoke if throws => vec![end.unwind_destination(), end.normal_destination()],
        LLVMInvoke => vec![end.normal_destination()],
        LLVMCallBr => vec![end.default_destination()],
        LLVMSwitch if default_is_never_taken(end) => (1..end.successor_count())
            .map(|i| end.successor(i))
            .collect(),
        LLVMBr | LLVMSwitch | LLVMIndirectBr => (0..end.successor_count())
            .map(|i| end.successor(i))
            .collect(),
        _ => Vec::new(),
    }
}

/// The reachable blocks, each after those that dominate it.
fn reverse_postorder(function: Value<'_>, throws: bool) -> Vec<BasicBlock<'_>> {
    let Some(entry) = function.blocks().next() else {
        return Vec::new();
    };
    let mut seen = FxHashSet::default();
    seen.insert(entry);
    let mut order = Vec::new();
    let mut stack = vec![(entry, successors(entry, throws))];
    while let Some((block, rest)) = stack.last_mut() {
        // Taken from the end, so that the order follows the first successor last and the result
        // has it first.
        match rest.pop() {
            Some(next) => {
                if seen.insert(next) {
                    let after = successors(next, throws);
                    stack.push((next, after));
                }
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

impl<'m> BodyBuilder<'_, 'm> {
    /// Parameters are the entry's parameters. What is passed by value is copied on entry.
    fn parameters(&mut self) {
        let byval = self.cx.attributes.byval;
        let align = self.cx.attributes.align;
        for (at, parameter) in self.function.parameters().into_iter().enumerate() {
            let Ok(leaves) = self.cx.layout(parameter).leaves() else {
                continue;
            };
            let mut pieces = ValueWords::new();
            for &width in leaves.iter() {
                let local = self.local(width);
                self.body.blocks[0].params.push(local);
                pieces.push(ValueWord::Known(Operand::Local(local)));
            }
            self.define(parameter, &pieces);
            let at = AttributeAt::Parameter(at as u32);
            if let Some(attribute) = self.function.function_attribute(at, byval) {
                let layout = self.cx.types.layout(attribute.ty());
                let stated = self.function.function_attribute(at, align);
                let align = stated.map_or(layout.align, |a| a.number());
                let ValueWord::Known(from) = pieces[0].clone() else {
                    continue;
                };
                let dst = self.local(self.pointer_bits());
                self.push(Inst::Alloca {
                    dst,
                    size: Operand::Int(layout.size),
                    align,
                });
                self.push(Inst::Copy {
                    to: Operand::Local(dst),
                    from,
                    length: Operand::Int(layout.size),
                    overlapping: false,
                });
                self.define(parameter, &[ValueWord::Known(Operand::Local(dst))]);
            }
        }
    }

    /// Makes the phis of a block its parameters and notes what they get from where.
    fn phis(&mut self, block: BasicBlock<'m>) {
        let id = self.blocks[&block];
        let phis = block
            .instructions()
            .take_while(|inst| matches!(inst.opcode(), LLVMPHI));
        for (number, phi) in phis.enumerate() {
            for (from, value) in phi.incoming() {
                let values = self.incoming.entry((from, block)).or_default();
                // A block may be named several times, always with the same value.
                if values.len() == number {
                    values.push(value);
                }
            }
            let Ok(leaves) = self.cx.layout(phi).leaves() else {
                continue;
            };
            let mut pieces = ValueWords::new();
            for &width in leaves.iter() {
                let local = self.local(width);
                self.body.blocks[id.index()].params.push(local);
                pieces.push(ValueWord::Known(Operand::Local(local)));
            }
            self.define(phi, &pieces);
            let bit = self.overflow_of_phi(phi);
            self.body.blocks[id.index()].params.extend(bit);
        }
    }

    fn block(&mut self, block: BasicBlock<'m>) {
        self.current = self.blocks[&block];
        for inst in block.instructions() {
            let opcode = inst.opcode();
            if let LLVMPHI = opcode {
                continue;
            }
            self.place = self.cx.places.of_instruction(&mut self.cx.program, inst);
            self.check_overflows_used(inst);
            let outcome = match opcode {
                LLVMRet | LLVMBr | LLVMSwitch | LLVMIndirectBr | LLVMUnreachable | LLVMResume
                | LLVMCleanupRet | LLVMCatchRet | LLVMCatchSwitch => self.terminator(block, inst),
                LLVMInvoke => self.invoke(block, inst),
                LLVMCallBr => self.call_and_go_on(block, inst, inst.default_destination()),
                LLVMStore | LLVMFence => self.instruction(inst).map(|_| ()),
                // Also what has no words, like an empty struct, is a value that others may use.
                _ => self
                    .instruction(inst)
                    .map(|pieces| self.define(inst, &pieces)),
            };
            self.carry_overflows(inst);
            if let Err(refused) = outcome {
                self.refuse(&refused);
                if let Ok(leaves) = self.cx.layout(inst).leaves() {
                    let pieces: ValueWords = smallvec![ValueWord::Undefined; leaves.len()];
                    self.define(inst, &pieces);
                }
                // Every path ends at the refusal; going on keeps the blocks after it reachable, whose
                // values others may use.
                match opcode {
                    LLVMInvoke => self.jump(block, inst.normal_destination()),
                    LLVMCallBr => self.jump(block, inst.default_destination()),
                    _ => {}
                }
            }
        }
    }

    pub(crate) fn call_and_go_on(
        &mut self,
        block: BasicBlock<'m>,
        inst: Value<'m>,
        to: BasicBlock<'m>,
    ) -> Refusal<()> {
        let pieces = self.call(inst)?;
        self.define(inst, &pieces);
        self.jump(block, to);
        Ok(())
    }

    fn jump(&mut self, from: BasicBlock<'m>, to: BasicBlock<'m>) {
        let target = self.edge(from, to);
        self.end(Terminator::Jump(target));
    }

    /// A block with what its phis get. What cannot be lowered there is refused on the spot.
    pub(crate) fn edge(&mut self, from: BasicBlock<'m>, to: BasicBlock<'m>) -> Target {
        let block = self.blocks[&to];
        let Some(values) = self.incoming.get(&(from, to)).cloned() else {
            return plain_target(block);
        };
        let mut args = Vec::with_capacity(values.len());
        for (phi, value) in to.instructions().zip(values) {
            let Ok(leaves) = self.cx.layout(value).leaves() else {
                continue;
            };
            if !self.own && matches!(value.kind(), LLVMUndefValueValueKind | LLVMPoisonValueKind) {
                // The optimiser has moved an operation to where the result is not used, or it would be an
                // error of the library. One of the values that it may have does, and needs no input.
                args.extend(leaves.iter().map(|&width| number(width, 0)));
                args.extend(self.overflow_for_phi(phi, value));
                continue;
            }
            match self.operands(value) {
                Ok(operands) => args.extend(operands.into_iter().map(|(operand, _)| operand)),
                Err(refused) => {
                    self.refuse(&refused);
                    for &width in leaves.iter() {
                        args.push(self.arbitrary(width));
                    }
                }
            }
            args.extend(self.overflow_for_phi(phi, value));
        }
        Target { block, args }
    }

    fn terminator(&mut self, block: BasicBlock<'m>, inst: Value<'m>) -> Refusal<()> {
        match inst.opcode() {
            LLVMRet => {
                let mut results = Vec::new();
                if inst.operand_count() == 1 {
                    let operands = self.operands(inst.operand(0))?;
                    results.extend(operands.into_iter().map(|(operand, _)| operand));
                }
                self.end(Terminator::Return(results));
                Ok(())
            }
            LLVMBr if inst.successor_count() == 1 => {
                self.jump(block, inst.successor(0));
                Ok(())
            }
            LLVMBr => {
                let condition = self.scalar(inst.operand(0))?;
                let then = self.edge(block, inst.successor(0));
                let otherwise = self.edge(block, inst.successor(1));
                self.end(Terminator::Branch {
                    condition,
                    then,
                    otherwise,
                });
                Ok(())
            }
            LLVMSwitch => self.switch(block, inst),
            LLVMIndirectBr => self.indirect_branch(block, inst),
            LLVMUnreachable => {
                let noreturn = self.cx.attributes.noreturn;
                let after_call = inst.previous().is_some_and(|before| {
                    matches!(before.opcode(), LLVMCall) && self.cx.call_is(before, noreturn)
                });
                if !after_call {
                    self.check(CheckKind::Unreachable, Operand::Int(0), "");
                }
                self.end(Terminator::Stop);
                Ok(())
            }
            LLVMResume => self.resume(inst),
            _ => Err(Unlowerable::new("C++ exceptions that are not Itanium's")),
        }
    }

    fn switch(&mut self, block: BasicBlock<'m>, inst: Value<'m>) -> Refusal<()> {
        let scrutinee = inst.operand(0);
        let value = self.scalar(scrutinee)?;
        let width = self.cx.layout(scrutinee).width;
        let mut case_count = inst.successor_count() - 1;
        let default = if default_is_never_taken(inst) {
            // The last of the cases is what is left.
            case_count -= 1;
            inst.successor(case_count + 1)
        } else {
            inst.successor(0)
        };
        let default = self.edge(block, default);
        if width > 64 {
            // Too wide for a table: one comparison after the other.
            for case in 0..case_count {
                let literal = self.cx.int_constant(inst.operand(2 + 2 * case), width);
                let then = self.edge(block, inst.successor(case + 1));
                let condition =
                    self.compare(CompareOp::Eq, width, value.clone(), constant(literal));
                let next = self.new_block();
                let otherwise = plain_target(next);
                self.end(Terminator::Branch {
                    condition,
                    then,
                    otherwise,
                });
                self.current = next;
            }
            self.end(Terminator::Jump(default));
            return Ok(());
        }
        let cases = (0..case_count)
            .map(|case| {
                let literal = inst.operand(2 + 2 * case).int_value();
                (literal, self.edge(block, inst.successor(case + 1)))
            })
            .collect();
        self.end(Terminator::Switch(Box::new(Switch {
            value,
            width,
            cases,
            default,
        })));
        Ok(())
    }

    /// Addresses of blocks are numbers, so a jump to one is a switch.
    fn indirect_branch(&mut self, block: BasicBlock<'m>, inst: Value<'m>) -> Refusal<()> {
        let value = self.scalar(inst.operand(0))?;
        let mut cases: Vec<(u64, Target)> = Vec::new();
        for at in 0..inst.successor_count() {
            let to = inst.successor(at);
            let number = self.cx.block_number(to);
            if cases.iter().all(|&(known, _)| known != number) {
                cases.push((number, self.edge(block, to)));
            }
        }
        let elsewhere = self.new_block();
        let default = plain_target(elsewhere);
        self.end(Terminator::Switch(Box::new(Switch {
            value,
            width: self.pointer_bits(),
            cases,
            default,
        })));
        self.stop_at(elsewhere, "an indirect jump to none of its labels");
        Ok(())
    }

    /// Fills a block that must not be reached.
    fn stop_at(&mut self, block: BlockId, message: &str) {
        self.current = block;
        self.check(CheckKind::Undefined, Operand::Int(0), message);
        self.end(Terminator::Stop);
    }

    /// Instructions that are not constant expressions too, and do not end a block.
    fn instruction(&mut self, inst: Value<'m>) -> Refusal<ValueWords> {
        match inst.opcode() {
            LLVMAlloca => self.alloca(inst),
            LLVMLoad => self.load(inst),
            LLVMStore => self.store(inst),
            LLVMAtomicCmpXchg => self.compare_exchange(inst),
            LLVMAtomicRMW => self.atomic_update(inst),
            LLVMFence => Ok(ValueWords::new()),
            LLVMCall => self.call(inst),
            LLVMFreeze if inst.operand(0).is_poison() => {
                // Some value, which the source may ask for.
                let leaves = self.cx.layout(inst).leaves()?;
                let words = leaves.iter().map(|&width| self.arbitrary(width));
                Ok(words.map(ValueWord::Known).collect())
            }
            LLVMFreeze => {
                let operands = self.operands(inst.operand(0))?;
                Ok(operands
                    .into_iter()
                    .map(|(o, _)| ValueWord::Known(o))
                    .collect())
            }
            LLVMVAArg => Err(Unlowerable::new("the va_arg instruction")),
            LLVMLandingPad => self.landing_pad(),
            LLVMCatchPad | LLVMCleanupPad => {
                Err(Unlowerable::new("C++ exceptions that are not Itanium's"))
            }
            opcode => self.operation(opcode, inst),
        }
    }
}
