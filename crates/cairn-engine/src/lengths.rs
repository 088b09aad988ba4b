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
use cairn_memory::{Fault, Word};
use std::rc::Rc;

/// The most room, in bytes, for which bytes become choices.
const MOST: u64 = 4096;

impl Space {
    /// Bytes from a pointer to the end of its object, and what is wrong with one more.
    fn room(&self, at: Word) -> Result<(u64, Fault), Fault> {
        let extent = self.memory.extent(at)?;
        let offset = at.bits.wrapping_sub(extent.base);
        let room = extent.size.saturating_sub(offset);
        let fault = Fault::OutOfBounds {
            address: at.bits,
            length: room + 1,
            object: Some(extent),
        };
        Ok((if offset > extent.size { 0 } else { room }, fault))
    }

    /// The bound of a length that is not known; `None` if another way must be taken.
    fn bound(
        &self,
        length: &Value,
        ranges: &[Word],
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
        let mut least: Option<(u64, Fault)> = None;
        for &at in ranges {
            let room = self.room(at)?;
            if least.as_ref().is_none_or(|l| room.0 < l.0) {
                least = Some(room);
            }
        }
        match least {
            Some((limit, fault)) if limit <= MOST => Err(Trouble::Open(Open::AtMost {
                term: symbolic.term.clone(),
                limit,
                fault,
            })),
            Some(_) | None => Ok(None),
        }
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
    ) -> Result<Option<()>, Trouble> {
        let (Value::Word(to), Value::Word(from)) = (to, from) else {
            return Ok(None);
        };
        let Some((length, most)) = self.bound(length, &[*to, *from])? else {
            return Ok(None);
        };
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
        let Some((length, most)) = self.bound(length, &[*to])? else {
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
