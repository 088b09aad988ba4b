//! Copies and fills of a length that is not known, without a path for each length.
//!
//! - **Idea.** If the length is at most what the objects have room for (otherwise it is an error),
//!   byte `i` of the target is the new one if `i` is below the length, and what it was if not.
//! - **Soundness.** That is what copying means, byte by byte; the bound is a fact of the path.
//! - **Cost.** A choice for each byte up to the largest length that can happen. Beyond [`MOST`]
//!   bytes of room each length is a path of its own.

use crate::space::{Open, Space, Trouble};
use crate::value::{Symbolic, Value};
use cairn_expr::Term;
use cairn_machine::Domain;
use cairn_memory::{Fault, ObjectKind, Word};
use std::rc::Rc;

/// The most room, in bytes, for which bytes become choices.
const MOST: u64 = 4096;

impl Space {
    /// Bytes from a pointer to the end of its object, and what is wrong with one more.
    /// A pointer that may not be used has room for none: no bytes can be copied from and to anywhere.
    fn room(&self, at: Word, write: bool) -> (u64, Fault) {
        let extent = match self.memory.extent(at) {
            Ok(extent) => extent,
            Err(fault) => return (0, fault),
        };
        if write && extent.kind == ObjectKind::Constant {
            let fault = Fault::ReadOnly {
                address: at.bits,
                length: 1,
                object: extent,
            };
            return (0, fault);
        }
        let offset = at.bits.wrapping_sub(extent.base);
        let room = extent.size.saturating_sub(offset);
        let fault = Fault::OutOfBounds {
            address: at.bits,
            length: room + 1,
            object: Some(extent),
        };
        (if offset > extent.size { 0 } else { room }, fault)
    }

    /// The bound of a length that is not known; `None` if another way must be taken.
    fn bound(
        &self,
        length: &Value,
        to: Word,
        from: Option<Word>,
    ) -> Result<Option<(Rc<Symbolic>, u64)>, Trouble> {
        let Value::Symbolic(symbolic) = length else {
            return Ok(None);
        };
        if self.number(length).is_ok() {
            return Ok(None);
        }
        if let Some(most) = self.settled_at_most(&symbolic.term) {
            return Ok(Some((Rc::clone(symbolic), most)));
        }
        let mut least = self.room(to, true);
        if let Some(from) = from {
            let room = self.room(from, false);
            if room.0 < least.0 {
                least = room;
            }
        }
        let (limit, fault) = least;
        if limit > MOST {
            return Ok(None);
        }
        Err(Trouble::Open(Open::AtMost {
            term: symbolic.term.clone(),
            limit,
            fault,
        }))
    }

    /// Whether a byte is below the length.
    fn below(&self, i: u64, length: &Term) -> Term {
        let store = &self.tools.store;
        store.bv_ult(&store.bv(64, i), length)
    }

    /// Copies as many bytes as a term says; `None` if the length must be known.
    pub(crate) fn copy_some(
        &mut self,
        to: &Value,
        from: &Value,
        length: &Value,
        overlapping: bool,
    ) -> Result<Option<()>, Trouble> {
        let (Value::Word(to), Value::Word(from)) = (to, from) else {
            return Ok(None);
        };
        let Some((length, most)) = self.bound(length, *to, Some(*from))? else {
            return Ok(None);
        };
        let distance = to.bits.abs_diff(from.bits);
        if !overlapping && distance != 0 && distance < most {
            // Some lengths overlap, which is an error, and others do not.
            return Ok(None);
        }
        // All is read before anything is written: the ranges may overlap.
        let mut bytes = Vec::with_capacity(most as usize);
        for i in 0..most {
            bytes.push(self.load_value(&Value::Word(moved(*from, i)), 1)?);
        }
        for (i, byte) in (0..).zip(&bytes) {
            self.put_if_below(moved(*to, i), i, &length.term, byte)?;
        }
        Ok(Some(()))
    }

    /// Fills as many bytes as a term says; `None` if the length must be known.
    pub(crate) fn fill_some(
        &mut self,
        to: &Value,
        byte: &Value,
        length: &Value,
    ) -> Result<Option<()>, Trouble> {
        let Value::Word(to) = to else {
            return Ok(None);
        };
        let Some((length, most)) = self.bound(length, *to, None)? else {
            return Ok(None);
        };
        for i in 0..most {
            self.put_if_below(moved(*to, i), i, &length.term, byte)?;
        }
        Ok(Some(()))
    }

    fn put_if_below(
        &mut self,
        at: Word,
        i: u64,
        length: &Term,
        byte: &Value,
    ) -> Result<(), Trouble> {
        let at = Value::Word(at);
        let before = self.load_value(&at, 1)?;
        let condition = self.truth(&self.below(i, length));
        let after = self.select(8, &condition, byte, &before);
        self.store_value(&at, 1, &after)
    }
}

fn moved(at: Word, by: u64) -> Word {
    Word {
        bits: at.bits.wrapping_add(by),
        ..at
    }
}
