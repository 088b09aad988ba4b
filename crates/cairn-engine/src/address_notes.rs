//! Where a path used an address as a number (`cairn_machine::words::uses_address`): what was explored holds
//! for one layout of many, and the run says so.
//!
//! An operation does not know its place; the last point that was passed tells the block.

use crate::omission::Omission;
use crate::space::Space;
use crate::state::State;
use crate::value::Value;
use crate::worker::Worker;
use cairn_expr::Term;
use cairn_ir::{BinaryOp, BlockId, CompareOp, FuncId, PlaceId, Program};
use cairn_machine::words::{self, Operand};
use cairn_memory::{Extent, ObjectId, Word};
use std::rc::Rc;

/// How an address was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// As a number.
    Number,
    /// In a comparison with another, or with a number.
    Comparison,
}

/// Files of the C++ library whose comparisons of addresses only ask whether one is in a range.
const RANGE_TESTS: [&str; 2] = ["/is_pointer_in_range.h:", "/fallback_malloc.cpp:"];

/// Bytes of a page; addresses below are null pointers with an offset.
const PAGE: u64 = 4096;

/// Functions that lay out what a program finds at its start.
const STARTS: [&str; 6] = [
    "__cairn_start",
    "__cairn_arguments",
    "static_init_tls",
    "__copy_tls",
    "__init_libc",
    "__init_ssp",
];

/// A value as a word with what it belongs to. The bits of one that is not known are none: what looks at
/// them is asked again with the value itself.
pub(crate) fn unknown(value: &Value) -> Word {
    match value {
        Value::Word(word) => *word,
        Value::Symbolic(symbolic) => Word {
            bits: u64::MAX,
            object: symbolic.object,
        },
    }
}

impl Space {
    /// What a value is that an operator uses.
    fn operand_of(&self, value: &Value) -> Operand {
        let (known, object) = match value {
            Value::Word(word) => (Some(word.bits), word.object),
            Value::Symbolic(symbolic) => (None, symbolic.object),
        };
        if object.is_plain() {
            return Operand::Number(known);
        }
        if object.is_part() {
            return Operand::Part(object == ObjectId::LOW_PART);
        }
        if !object.is_none() {
            return match self.memory.extent(Word { bits: 0, object }) {
                Ok(extent) => Operand::Object(extent, known),
                Err(_) => Operand::Gone(known.unwrap_or(0)),
            };
        }
        // Which object it is in may depend on inputs; one of them stands for all.
        let bits = match value {
            Value::Word(word) => word.bits,
            Value::Symbolic(symbolic) => self.under_model(&symbolic.bits(&self.tools.store)),
        };
        if words::is_code(bits) {
            return Operand::Code(bits);
        }
        // One that is rounded up, to a page at most, still means its object.
        match self.memory.around(bits, PAGE) {
            Some(extent) => Operand::Object(extent, Some(bits)),
            // Null, or another number that stands in a pointer's place.
            None if bits < PAGE => Operand::Number(Some(bits)),
            None => Operand::Gone(bits),
        }
    }

    /// The value of a term under the path's model; nothing is decided by it.
    fn under_model(&self, term: &Term) -> u64 {
        self.tools.value(&self.model, term).low_u64()
    }

    /// Notes the operator on two values, of which one at least is no plain number, if it is a use.
    #[cold]
    #[inline(never)]
    pub(crate) fn judge(&mut self, op: BinaryOp, a: &Value, b: &Value) {
        if self.tracks_addresses && words::is_use(op, &self.operand_of(a), &self.operand_of(b)) {
            self.note_address();
        }
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn judge_words(&mut self, op: BinaryOp, a: Word, b: Word) {
        self.judge(op, &Value::Word(a), &Value::Word(b));
    }

    /// The same of a comparison.
    #[cold]
    #[inline(never)]
    pub(crate) fn judge_order(&mut self, op: CompareOp, a: &Value, b: &Value) {
        let is_layout = || words::is_layout(op, &self.operand_of(a), &self.operand_of(b));
        if self.tracks_addresses && is_layout() {
            self.note_use(Use::Comparison);
        }
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn judge_order_of_words(&mut self, op: CompareOp, a: Word, b: Word) {
        self.judge_order(op, &Value::Word(a), &Value::Word(b));
    }

    /// What is no plain number gets a smaller width: one bit of a part of an address is a condition.
    #[cold]
    #[inline(never)]
    pub(crate) fn judge_cut(&mut self, to: u32, object: ObjectId) {
        if to == 1 && object.is_part() && object != ObjectId::LOW_PART {
            self.note_address();
        }
    }

    /// What bytes of memory belong to that are loaded as one value, if that is no object.
    pub(crate) fn marks(&self, at: Word, bytes: u32) -> ObjectId {
        match self.tracks_addresses && bytes <= 8 {
            true => self.memory.marks(at, u64::from(bytes)),
            false => ObjectId::NONE,
        }
    }

    /// The same of a value that was read at an unknown offset of an object.
    ///
    /// A word of an object that holds pointers is one if it points to something, or is null, under the
    /// path's model; a smaller value is a part of one if it is at its place there.
    pub(crate) fn marks_at(
        &self,
        extent: &Extent,
        offset: &Term,
        value: &Term,
        bytes: u32,
    ) -> ObjectId {
        let start = Word {
            bits: extent.base,
            object: extent.object,
        };
        if !self.tracks_addresses || bytes > 8 {
            return ObjectId::NONE;
        }
        let holds = self.memory.address_bytes(start, extent.capacity, 1) != 0;
        let dissolved = self.is_dissolved(extent.object);
        if bytes == 8 && (holds || dissolved) {
            return self.mark_of_word(value);
        }
        if !holds {
            return ObjectId::NONE;
        }
        let at = extent.base.wrapping_add(self.under_model(offset));
        self.memory
            .marks(Word { bits: at, ..start }, u64::from(bytes))
    }

    fn mark_of_word(&self, value: &Term) -> ObjectId {
        let bits = self.under_model(value);
        let null = bits == 0 && value.as_const().is_none();
        match null || words::is_code(bits) || self.memory.around(bits, 0).is_some() {
            true => ObjectId::ADDRESS,
            false => ObjectId::NONE,
        }
    }

    /// The same of a value at a known place, of which bytes are an array's.
    pub(crate) fn marks_in_array(&self, at: Word, value: &Term) -> ObjectId {
        let is_ours = |extent: Extent| self.is_dissolved(extent.object);
        let whole = self.tracks_addresses && value.width() == 64 && self.dissolved.is_some();
        match whole && self.memory.extent(at).is_ok_and(is_ours) {
            true => self.mark_of_word(value),
            false => ObjectId::NONE,
        }
    }

    /// An object becomes an array, which does not know what its bytes belong to, and one is written that
    /// belongs to something.
    pub(crate) fn note_dissolved(&mut self, extent: &Extent, written: ObjectId) {
        if !self.tracks_addresses || self.is_dissolved(extent.object) {
            return;
        }
        let start = Word {
            bits: extent.base,
            object: extent.object,
        };
        let holds = || self.memory.address_bytes(start, extent.capacity, 1) != 0;
        if !written.is_plain() || holds() {
            Rc::make_mut(self.dissolved.get_or_insert_default()).push(extent.object);
        }
    }

    fn is_dissolved(&self, object: ObjectId) -> bool {
        self.dissolved
            .as_ref()
            .is_some_and(|all| all.contains(&object))
    }

    /// The result of an operation depends on where objects are, which is one layout of many.
    #[cold]
    pub(crate) fn note_address(&mut self) {
        self.note_use(Use::Number);
    }

    fn note_use(&mut self, what: Use) {
        let noted = (self.last_point, what);
        if self.tracks_addresses && !self.addresses_used.contains(&noted) {
            self.addresses_used.push(noted);
        }
    }
}

impl Worker<'_> {
    /// Addresses were used as numbers, in output or in conditions: another layout has others.
    #[cold]
    pub(crate) fn note_addresses(&self, state: &mut State) {
        let cover = self.shared.cover_now();
        let program = self.shared.program_now();
        for (point, what) in std::mem::take(&mut state.space.addresses_used) {
            let block = cover.block_of(point);
            let starts =
                |function: FuncId| STARTS.contains(&program.function(function).name.as_str());
            if block.is_some_and(|(function, _)| starts(function)) {
                continue;
            }
            if what == Use::Comparison && block.is_some_and(|at| self.is_range_test(&program, at)) {
                continue;
            }
            let place = block.and_then(|(function, block)| {
                let body = program.function(function).body.as_ref()?;
                let block = body.block(block);
                let mut places = block.insts.iter().map(|(_, place)| *place);
                let known = places.find(|place| *place != PlaceId::UNKNOWN);
                Some(self.place_text(known.unwrap_or(block.terminator.1)))
            });
            self.shared.leave_out(Omission::AddressUsed(place));
        }
    }

    /// Whether a block asks whether a pointer is in a range, as code of the library does: whichever way
    /// objects of different places are ordered, it is not.
    fn is_range_test(&self, program: &Program, (function, block): (FuncId, BlockId)) -> bool {
        let Some(body) = program.function(function).body.as_ref() else {
            return false;
        };
        let block = body.block(block);
        let places = block.insts.iter().map(|(_, place)| *place);
        let mut places = places.chain([block.terminator.1]);
        places.any(|place| {
            let text = self.place_text(place);
            RANGE_TESTS.iter().any(|file| text.contains(file))
        })
    }
}
