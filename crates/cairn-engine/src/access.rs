//! Loads, stores, copies and fills, where bytes or addresses may be terms.

use crate::arrays::{Pieces, Taken};
use crate::bases::base_for;
use crate::space::{Open, Space, Trouble};
use crate::value::{Symbolic, Value, Wide};
use cairn_bv::BitVec;
use cairn_expr::Term;
use cairn_memory::{Cell, Extent, Fault, ObjectId, ObjectKind, OriginId, Part, Word};
use std::rc::Rc;

/// Bytes that are copied or filled between two looks at the clock.
const STRETCH: u64 = 16 << 20;

impl Space {
    /// The object of an access by a symbolic address, if that was decided.
    fn settled(&self, at: &Rc<Symbolic>, length: u64, write: bool) -> Result<Extent, Trouble> {
        let Some((object, window)) = self.settled_access(at, length) else {
            return Err(Trouble::Open(Open::Access {
                address: Rc::clone(at),
                length,
                write,
            }));
        };
        let extent = self.memory.extent(Word { bits: 0, object })?;
        if write && extent.kind == ObjectKind::Constant {
            return Err(Trouble::Fault(Fault::ReadOnly {
                address: extent.base,
                length,
                object: extent,
            }));
        }
        Ok(window.map_or(extent, |window| window.of(&extent)))
    }

    /// The value of an address, if it is known on this path.
    fn located(&self, at: &Symbolic) -> Option<Word> {
        let (bits, because) = self.pointers.find(&at.term)?;
        self.tools.rely_on(because);
        Some(Word {
            bits,
            object: at.object,
        })
    }

    /// The same of one that may not be a term at all.
    fn settled_place(&self, at: &Value) -> Value {
        match at {
            Value::Word(at) => Value::Word(*at),
            Value::Symbolic(at) => match self.located(at) {
                Some(at) => Value::Word(at),
                None => Value::Symbolic(Rc::clone(at)),
            },
        }
    }

    /// An address as the offset into its object.
    fn offset(&self, at: &Symbolic, extent: &Extent) -> Term {
        let store = &self.tools.store;
        store.bv_sub(&at.term, &base_for(store, &at.term, extent))
    }

    pub(crate) fn load_value(&mut self, at: &Value, bytes: u32) -> Result<Value, Trouble> {
        let at = match at {
            Value::Word(at) => *at,
            Value::Symbolic(at) => match self.located(at) {
                Some(at) => at,
                None => {
                    if let Some(word) = self.load_partly_at(at, bytes) {
                        return Ok(word);
                    }
                    let extent = self.settled(at, u64::from(bytes), false)?;
                    let offset = self.offset(at, &extent);
                    let term = self.read_at(&extent, &offset, bytes);
                    let object = self.marks_at(&extent, &offset, &term, bytes);
                    return Ok(Value::from_term(term, object));
                }
            },
        };
        match self.memory.cell_around(at, bytes) {
            Some((
                Cell::Term {
                    term,
                    skip: 0,
                    object,
                },
                0,
            )) if term.width() == 8 * bytes => {
                return Ok(Value::Symbolic(Rc::new(Symbolic {
                    term: term.clone(),
                    object: *object,
                })));
            }
            Some((Cell::Origin { origin, .. }, _)) if *origin == OriginId::MISSING => {
                return Err(self.memory.missing(at, bytes).into());
            }
            Some((Cell::Origin { origin, offset }, first)) => {
                let (origin, offset) = (*origin, offset + u64::from(first));
                let store = &self.tools.store;
                let term = self.origins.read(store, origin, offset, u64::from(bytes));
                return Ok(Value::from_term(term, ObjectId::NONE));
            }
            Some((Cell::Term { .. } | Cell::Array { .. }, _)) | None => {}
        }
        match self.memory.load_word(at, bytes) {
            Ok(word) => Ok(Value::Word(word)),
            Err(Fault::Symbolic { .. }) => Ok(self.load_cells(at, bytes)?),
            Err(fault) => match self.load_partly(at, bytes) {
                Some(value) => Ok(value),
                None => Err(self.open_word(fault)),
            },
        }
    }

    fn load_cells(&mut self, at: Word, bytes: u32) -> Result<Value, Fault> {
        let mut parts = Vec::new();
        self.memory.load_parts(at, u64::from(bytes), &mut parts)?;
        if let [
            Part::Cell {
                cell:
                    Cell::Term {
                        term,
                        skip: 0,
                        object,
                    },
                ..
            },
        ] = &parts[..]
            && term.width() == 8 * bytes
        {
            return Ok(Value::from_term(term.clone(), *object));
        }
        let object = self.marks(at, bytes);
        Ok(match Pieces::new(parts).take(self, bytes) {
            Taken::Known(bits) => Value::Word(Word { bits, object }),
            Taken::Term(term) => {
                let object = match object.is_plain() {
                    true => self.marks_in_array(at, &term),
                    false => object,
                };
                Value::from_term(term, object)
            }
        })
    }

    pub(crate) fn store_value(
        &mut self,
        at: &Value,
        bytes: u32,
        value: &Value,
    ) -> Result<(), Trouble> {
        let at = match at {
            Value::Word(at) => *at,
            Value::Symbolic(at) => match self.located(at) {
                Some(at) => at,
                None => {
                    let extent = self.settled(at, u64::from(bytes), true)?;
                    let offset = self.offset(at, &extent);
                    let term = self.byte_term(value, bytes);
                    return self.write_at(&extent, &offset, &term, value.object());
                }
            },
        };
        match value {
            Value::Word(value) => Ok(self.memory.store_word(at, bytes, *value)?),
            Value::Symbolic(symbolic) => {
                let cell = term_cell(self.byte_term(value, bytes), symbolic.object);
                Ok(self.memory.store_cell(at, u64::from(bytes), cell)?)
            }
        }
    }

    /// A value as a term of whole bytes: what is narrower has zeros above.
    fn byte_term(&self, value: &Value, bytes: u32) -> Term {
        let store = &self.tools.store;
        let term = self.operand(value, 8 * bytes);
        crate::terms::widened(store, &term, 8 * bytes)
    }

    pub(crate) fn load_any(&mut self, at: &Value, length: u64) -> Result<Wide, Trouble> {
        let at = match at {
            Value::Word(at) => *at,
            Value::Symbolic(at) => match self.located(at) {
                Some(at) => at,
                None => {
                    let extent = self.settled(at, length, false)?;
                    let offset = self.offset(at, &extent);
                    let term = self.read_at(&extent, &offset, length as u32);
                    return Ok(Wide::from_term(term));
                }
            },
        };
        let mut parts = Vec::new();
        self.memory.load_parts(at, length, &mut parts)?;
        if self.tracks_addresses && self.memory.address_bytes(at, length, 1) != 0 {
            // Wide numbers do not know what they belong to.
            self.note_address();
        }
        if parts.iter().any(|p| matches!(p, Part::Cell { .. })) {
            return Ok(match Pieces::new(parts).take(self, length as u32) {
                Taken::Known(bits) => Wide::Bits(BitVec::new(8 * length as u32, bits)),
                Taken::Term(term) => Wide::from_term(term),
            });
        }
        let mut bytes = vec![0u8; (length as usize).next_multiple_of(8)];
        self.memory.load_bytes(at, &mut bytes[..length as usize])?;
        let limbs = bytes.as_chunks::<8>().0.iter();
        let limbs: Vec<u64> = limbs.map(|c| u64::from_le_bytes(*c)).collect();
        Ok(Wide::Bits(BitVec::from_limbs(8 * length as u32, &limbs)))
    }

    pub(crate) fn store_any(&mut self, at: &Value, value: &Wide) -> Result<(), Trouble> {
        let bytes = value.width().div_ceil(8);
        let at = &self.settled_place(at);
        if let (Value::Word(at), Wide::Bits(bits)) = (at, value) {
            let limbs = bits.limbs().iter();
            let all: Vec<u8> = limbs.flat_map(|limb| limb.to_le_bytes()).collect();
            return Ok(self.memory.store_bytes(*at, &all[..bytes as usize])?);
        }
        let term = value.term(&self.tools.store);
        let term = crate::terms::widened(&self.tools.store, &term, 8 * bytes);
        match at {
            Value::Word(at) => {
                let cell = term_cell(term, ObjectId::NONE);
                Ok(self.memory.store_cell(*at, u64::from(bytes), cell)?)
            }
            Value::Symbolic(at) => {
                let extent = self.settled(at, u64::from(bytes), true)?;
                let offset = self.offset(at, &extent);
                self.write_at(&extent, &offset, &term, ObjectId::NONE)
            }
        }
    }

    pub(crate) fn copy_bytes(
        &mut self,
        to: &Value,
        from: &Value,
        length: u64,
        overlapping: bool,
    ) -> Result<(), Trouble> {
        if length == 0 {
            return Ok(());
        }
        let (to, from) = match (self.settled_place(to), self.settled_place(from)) {
            (Value::Word(to), Value::Word(from)) => {
                return self.copy_known(to, from, length, overlapping);
            }
            (to, from) => (to, from),
        };
        // All is read before anything is written, so it does not matter whether ranges overlap.
        let content = self.load_any(&from, length)?;
        if let Value::Symbolic(at) = &to {
            self.settled(at, length, true)?;
        }
        self.store_any(&to, &content)
    }

    fn copy_known(
        &mut self,
        to: Word,
        from: Word,
        length: u64,
        overlapping: bool,
    ) -> Result<(), Trouble> {
        if length <= STRETCH || to.object == from.object {
            return Ok(self.memory.copy(to, from, length, overlapping)?);
        }
        // What is wrong with the whole is wrong, whatever happens to the stretches.
        self.memory.is_symbolic(from, length)?;
        self.memory.is_symbolic(to, length)?;
        for start in (0..length).step_by(STRETCH as usize) {
            self.tools.check_time()?;
            let part = STRETCH.min(length - start);
            let (to, from) = (moved(to, start), moved(from, start));
            self.memory.copy(to, from, part, overlapping)?;
        }
        Ok(())
    }

    pub(crate) fn fill_bytes(
        &mut self,
        to: &Value,
        byte: &Value,
        length: u64,
    ) -> Result<(), Trouble> {
        if length == 0 {
            return Ok(());
        }
        let (at, byte) = match (self.settled_place(to), byte) {
            (Value::Word(at), Value::Word(byte)) => (at, byte.bits as u8),
            (to, byte) => return self.fill_term(&to, byte, length),
        };
        if length > STRETCH {
            self.memory.is_symbolic(at, length)?;
        }
        for start in (0..length).step_by(STRETCH as usize) {
            if length > STRETCH {
                self.tools.check_time()?;
            }
            let part = STRETCH.min(length - start);
            self.memory.fill(moved(at, start), byte, part)?;
        }
        Ok(())
    }

    fn fill_term(&mut self, to: &Value, byte: &Value, length: u64) -> Result<(), Trouble> {
        let at = match to {
            Value::Word(at) => *at,
            Value::Symbolic(_) => {
                let byte = byte.term(&self.tools.store, 8);
                let all = self.tools.store.repeat(&byte, length as u32);
                return self.store_any(to, &Wide::from_term(all));
            }
        };
        // An array that has the byte everywhere stands for as many as there are.
        self.memory.is_symbolic(at, length)?;
        let term = byte.term(&self.tools.store, 8);
        let array = self.tools.store.const_array(64, &term);
        if self.memory.extent(at)?.size == length {
            let cell = Cell::Array { array, index: 0 };
            return Ok(self.memory.store_cell(at, length, cell)?);
        }
        for start in (0..length).step_by(STRETCH as usize) {
            if length > STRETCH {
                self.tools.check_time()?;
            }
            let cell = Cell::Array {
                array: array.clone(),
                index: start,
            };
            let part = STRETCH.min(length - start);
            self.memory.store_cell(moved(at, start), part, cell)?;
        }
        Ok(())
    }
}

fn moved(at: Word, by: u64) -> Word {
    Word {
        bits: at.bits.wrapping_add(by),
        ..at
    }
}

/// The bytes of a term, and the object it points into if it is a pointer.
fn term_cell(term: Term, object: ObjectId) -> Cell {
    Cell::Term {
        term,
        skip: 0,
        object,
    }
}
