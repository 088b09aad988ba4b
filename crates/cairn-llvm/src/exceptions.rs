//! C++ exceptions: calls with a landing pad, landing pads, and going on with an exception.
//!
//! # Problem
//!
//! A call may end by an exception and go on at its landing pad. The program form knows
//! calls that return, and `setjmp` and `longjmp`.
//!
//! # Idea
//!
//! A function with such calls has a record in its frame. Before such a call the record is put
//! in front of the list that `__cairn_landings` begins, with a table of what the landing pad catches,
//! and the place is marked by `setjmp`; after it the record is taken out again. Throwing, which is
//! code (`libc/cxx/unwind.cpp`), looks through that list as an unwinder looks through frames, and comes
//! back by `longjmp` with the exception and the number of the type that catches it in the record.
//!
//! # Soundness
//!
//! The list is the stack of calls with landing pads, innermost first. A call that
//! has none is left by `longjmp` without a word, which is what unwinding it means. After the call
//! there is a second way to the landing pad, which is never taken: what the landing pad needs is
//! alive during the call by it, also where registers are shared.
//!
//! - **Where nothing throws** (`__cairn_landings` is not linked) a call with a landing pad is a call.
//!
//! # Cost
//!
//! Some fifteen instructions for each such call.

use crate::emit::{BodyBuilder, ValueWord, ValueWords, plain_target};
use crate::lowering::{Refusal, Unlowerable, number};
use crate::reader::{BasicBlock, Value};
use cairn_ir::{
    CompareOp, Content, Global, GlobalId, Inst, Operand, PlaceId, Relocation, Symbol, Terminator,
};
use llvm_sys::LLVMOpcode::LLVMLandingPad;
use llvm_sys::LLVMTypeKind::LLVMPointerTypeKind;

/// The global that begins the list of records.
pub(crate) const LANDINGS: &str = "__cairn_landings";

/// The function that goes on with an exception after a cleanup.
pub(crate) const RESUME: &str = "_Unwind_Resume";

// The layout of a record, which `libc/cxx/unwind.cpp` knows too.
const OUTER: u64 = 0;
const CLAUSES: u64 = 8;
const COUNT: u64 = 16;
const EXCEPTION: u64 = 24;
const SELECTOR: u64 = 32;
const PLACE: u64 = 40;
/// Its bytes: the place takes those of a `jmp_buf` of musl.
const RECORD: u64 = PLACE + 200;

/// Bytes of an entry of a table of clauses: the type, and its number in the function.
const CLAUSE: u64 = 16;

impl<'m> BodyBuilder<'_, 'm> {
    /// Makes the record of a function that has calls with landing pads.
    pub(crate) fn landing_record(&mut self, invokes: bool) {
        if self.cx.landings.is_none() || !invokes {
            return;
        }
        let dst = self.local(self.pointer_bits());
        self.push(Inst::Alloca {
            dst,
            size: Operand::Int(RECORD),
            align: 16,
        });
        self.record = Some(Operand::Local(dst));
    }

    /// A call with a landing pad.
    pub(crate) fn invoke(&mut self, block: BasicBlock<'m>, inst: Value<'m>) -> Refusal<()> {
        let normal = inst.normal_destination();
        let (Some(landings), Some(record)) = (self.cx.landings, self.record.clone()) else {
            return self.call_and_go_on(block, inst, normal);
        };
        let pad = inst.unwind_destination();
        let (table, count) = self.clauses(pad)?;
        let bits = self.pointer_bits();
        let list = Operand::Address(landings, 0);
        let outer = self.load_word(list.clone(), bits);
        for (at, word) in [
            (OUTER, outer.clone()),
            (CLAUSES, Operand::Address(table, 0)),
            (COUNT, Operand::Int(count)),
            (EXCEPTION, Operand::Int(0)),
        ] {
            let to = self.offset(record.clone(), at);
            self.store_word(word, bits, to);
        }
        let place = self.offset(record.clone(), PLACE);
        let jumped = self.library_call("setjmp", vec![(place, bits)], &[32]);
        let jumped = self.operand(&jumped[0], 32);
        let condition = self.compare(CompareOp::Ne, 32, jumped, number(32, 0));
        let then = self.edge(block, pad);
        let calling = self.new_block();
        self.end(Terminator::Branch {
            condition,
            then,
            otherwise: plain_target(calling),
        });
        self.current = calling;
        self.store_word(record.clone(), bits, list.clone());
        let pieces = self.call(inst)?;
        self.define(inst, &pieces);
        self.store_word(outer, bits, list);
        let at = self.offset(record, EXCEPTION);
        let thrown = self.load_word(at, bits);
        let condition = self.compare(CompareOp::Ne, bits, thrown, Operand::Int(0));
        let then = self.edge(block, pad);
        let otherwise = self.edge(block, normal);
        self.end(Terminator::Branch {
            condition,
            then,
            otherwise,
        });
        Ok(())
    }

    /// What a landing pad gives: the exception, and the number of the type that catches it.
    pub(crate) fn landing_pad(&mut self) -> Refusal<ValueWords> {
        let record = self.record.clone();
        let record = record.ok_or_else(|| Unlowerable::new("C++ exceptions"))?;
        let at = self.offset(record.clone(), EXCEPTION);
        let exception = self.load_word(at, self.pointer_bits());
        let at = self.offset(record, SELECTOR);
        let selector = self.load_word(at, 32);
        Ok([exception, selector]
            .map(ValueWord::Known)
            .into_iter()
            .collect())
    }

    /// Goes on with an exception.
    pub(crate) fn resume(&mut self, inst: Value<'m>) -> Refusal<()> {
        if self.cx.landings.is_none() {
            return Err(Unlowerable::new("C++ exceptions"));
        }
        let words = self.operands(inst.operand(0))?;
        let exception = words.into_iter().take(1).collect();
        self.library_call(RESUME, exception, &[]);
        self.end(Terminator::Stop);
        Ok(())
    }

    /// The number by which a function knows a type that it catches.
    pub(crate) fn type_number(&mut self, ty: Value<'m>) -> u64 {
        let next = self.type_numbers.len() as u64 + 1;
        *self.type_numbers.entry(ty).or_insert(next)
    }

    /// The table of what a landing pad catches, and how many entries it has.
    fn clauses(&mut self, block: BasicBlock<'m>) -> Refusal<(Symbol, u64)> {
        if let Some(known) = self.clause_tables.get(&block) {
            return Ok(*known);
        }
        let mut instructions = block.instructions();
        let pad = instructions.find(|inst| matches!(inst.opcode(), LLVMLandingPad));
        let pad = pad.ok_or_else(|| Unlowerable::new("C++ exceptions that are not Itanium's"))?;
        let mut content = Content::default();
        let mut count = 0;
        for clause in pad.clauses() {
            if !matches!(clause.ty().kind(), LLVMPointerTypeKind) {
                return Err(Unlowerable::new(
                    "a list of the exceptions that a function throws",
                ));
            }
            let number = self.type_number(clause);
            if !clause.is_null() {
                let symbol = self.cx.symbol(clause);
                let symbol = symbol.ok_or_else(|| Unlowerable::new("a type that is caught"))?;
                content.relocations.push(Relocation {
                    offset: CLAUSE * count,
                    symbol,
                    addend: 0,
                });
            }
            content.bytes.extend(0u64.to_le_bytes());
            content.bytes.extend(number.to_le_bytes());
            count += 1;
        }
        if pad.is_cleanup() {
            content.bytes.extend([0; CLAUSE as usize]);
            count += 1;
        }
        let id = GlobalId::new(self.cx.program.globals.len());
        self.cx.program.globals.push(Global {
            name: format!("{LANDINGS}.{}", id.index()),
            size: CLAUSE * count.max(1),
            align: 8,
            constant: true,
            thread_local: false,
            place: PlaceId::UNKNOWN,
            content: Some(content),
        });
        let table = (Symbol::Global(id), count);
        self.clause_tables.insert(block, table);
        Ok(table)
    }
}
