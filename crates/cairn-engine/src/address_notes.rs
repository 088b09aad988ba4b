//! Where a path used an address as a number (`cairn_machine::words::uses_address`): what was explored holds
//! for one layout of many, and the run says so.
//!
//! An operation does not know its place; the last point that was passed tells the block.

use crate::space::Space;
use crate::state::State;
use crate::value::Value;
use crate::worker::Worker;
use cairn_ir::{CompareOp, FuncId, PlaceId};
use cairn_memory::Word;

/// Functions that lay out what a program finds at its start.
const STARTS: [&str; 6] = [
    "__cairn_start",
    "__cairn_arguments",
    "static_init_tls",
    "__copy_tls",
    "__init_libc",
    "__init_ssp",
];

/// Stands for the bits of a value that is not known: neither small, nor a mask of low or high bits, nor
/// where code is.
const ANYWHERE: u64 = 0x2aaa_aaaa_aaaa;

/// A value as a word with its object, which stands for all that it can be.
pub(crate) fn unknown(value: &Value) -> Word {
    match value {
        Value::Word(word) => *word,
        Value::Symbolic(symbolic) => Word {
            bits: ANYWHERE,
            object: symbolic.object,
        },
    }
}

impl Space {
    /// Whether what a comparison of the addresses of two objects, or of an address and a number, says
    /// depends on where objects are: their order always does. Whether they are equal does if the place
    /// of one may be the other's: it has ended, or the address is that of its end.
    #[cold]
    pub(crate) fn is_layout(&self, op: CompareOp, a: Word, b: Word) -> bool {
        let is_place = |at: Word| match self.memory.extent(Word { bits: 0, ..at }) {
            // A symbolic one may be anywhere in its object, and at its end.
            Ok(extent) => at.bits == ANYWHERE || at.bits == extent.base + extent.capacity,
            Err(_) => true,
        };
        match op {
            CompareOp::Ult | CompareOp::Ule | CompareOp::Slt | CompareOp::Sle => true,
            CompareOp::Eq | CompareOp::Ne => is_place(a) || is_place(b),
        }
    }

    /// The result of an operation depends on where objects are, which is one layout of many.
    #[cold]
    pub(crate) fn note_address(&mut self) {
        let known = self.addresses_used.contains(&self.last_point);
        if self.tracks_addresses && !known {
            self.addresses_used.push(self.last_point);
        }
    }
}

impl Worker<'_> {
    /// Addresses were used as numbers, in output or in conditions: another layout has others.
    #[cold]
    pub(crate) fn note_addresses(&self, state: &mut State) {
        let cover = self.shared.cover_now();
        let program = self.shared.program_now();
        for point in std::mem::take(&mut state.space.addresses_used) {
            let block = cover.block_of(point);
            let starts =
                |function: FuncId| STARTS.contains(&program.function(function).name.as_str());
            if block.is_some_and(|(function, _)| starts(function)) {
                continue;
            }
            let place = block.and_then(|(function, block)| {
                let body = program.function(function).body.as_ref()?;
                let block = body.block(block);
                let mut places = block.insts.iter().map(|(_, place)| *place);
                let known = places.find(|place| *place != PlaceId::UNKNOWN);
                Some(self.place_text(known.unwrap_or(block.terminator.1)))
            });
            let place = place.map_or_else(String::new, |place| format!("{place}: "));
            self.shared.incomplete(&format!(
                "{place}an address is used as a number, and is one of many"
            ));
        }
    }
}
