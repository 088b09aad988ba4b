//! Loads and stores of words: what an interpreter does every other instruction.
//!
//! The way of a good access is in functions that are inlined; everything else (a pointer without
//! provenance, a word across pages, a page that does not exist yet, a fault) is a call away.

use crate::watch;
use crate::{Cell, Fault, Memory, ObjectId, ObjectInfo, ObjectKind, OriginId, Word};

/// Whether a store may write constants.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writer {
    /// The program: it may not.
    Program,
    /// The loader of the program: it may.
    Loader,
}

impl Memory {
    /// The slot and offset of a write.
    pub(crate) fn find_writable(
        &self,
        at: Word,
        length: u64,
        writer: Writer,
    ) -> Result<(u32, u64), Fault> {
        let (slot, offset) = self.find(at, length)?;
        if self.objects.slot(slot).kind == ObjectKind::Constant && writer == Writer::Program {
            return Err(Fault::ReadOnly {
                address: at.bits,
                length,
                object: self.objects.info(slot),
            });
        }
        Ok((slot, offset))
    }

    /// Checks that a range can be read. No bytes can be read anywhere.
    ///
    /// # Errors
    /// [`Fault::Null`], [`Fault::OutOfBounds`], [`Fault::UseAfterFree`] or [`Fault::UseAfterScope`].
    pub fn check_readable(&self, at: Word, length: u64) -> Result<(), Fault> {
        if length != 0 {
            self.find(at, length)?;
        }
        Ok(())
    }

    /// Checks that a range can be written by the program. No bytes can be written anywhere.
    ///
    /// # Errors
    /// As [`check_readable`](Self::check_readable), and [`Fault::ReadOnly`].
    pub fn check_writable(&self, at: Word, length: u64) -> Result<(), Fault> {
        if length != 0 {
            self.find_writable(at, length, Writer::Program)?;
        }
        Ok(())
    }

    /// Reads 1 to 8 bytes, little-endian, with zeros above. The result has the provenance of the
    /// pointer that was stored there, if all bytes of it are read and the address is a multiple
    /// of its width.
    ///
    /// # Errors
    /// [`Fault::Null`], [`Fault::OutOfBounds`], [`Fault::UseAfterFree`] or [`Fault::Symbolic`].
    ///
    /// # Panics
    /// If `bytes` is more than 8.
    #[inline(always)]
    pub fn load_word(&self, at: Word, bytes: u32) -> Result<Word, Fault> {
        match self.load_word_quick(at, bytes) {
            Some(word) if !self.watch.is_on() => Ok(word),
            Some(_) | None => self.load_word_slow(at, bytes),
        }
    }

    /// [`load_word`](Self::load_word), if nothing is unusual about it. For callers that want the
    /// word in registers: a result that may be a fault is built in memory.
    ///
    /// # Panics
    /// If `bytes` is more than 8.
    #[inline(always)]
    pub fn load_word_quick(&self, at: Word, bytes: u32) -> Option<Word> {
        let slot = self.objects.get(at.object.slot())?;
        if slot.generation != at.object.generation() {
            return None;
        }
        let offset = slot.offset_of(at.bits, u64::from(bytes))?;
        slot.content.load(offset, bytes as usize)
    }

    #[inline(never)]
    fn load_word_slow(&self, at: Word, bytes: u32) -> Result<Word, Fault> {
        let (slot, offset) = match self.find(at, u64::from(bytes)) {
            Ok(found) => found,
            Err(fault) => return self.load_partly(at, bytes).ok_or(fault),
        };
        watch::was_read(self, slot, offset, u64::from(bytes));
        let content = &self.objects.slot(slot).content;
        // A pointer without provenance is mostly all that was unusual.
        if let Some(word) = content.load(offset, bytes as usize) {
            return Ok(word);
        }
        if u64::from(bytes) > content.run_from(offset) {
            let mut all = [0; 8];
            self.load_bytes(at, &mut all[..bytes as usize])?;
            return Ok(Word {
                bits: u64::from_le_bytes(all),
                object: self.marks(at, u64::from(bytes)),
            });
        }
        let (view, place) = content.view(offset);
        if view.touch(place as u32, place as u32 + bytes) {
            if let Some((Cell::Origin { origin, .. }, _)) = self.cell_around(at, bytes)
                && *origin == OriginId::MISSING
            {
                return Err(self.missing(at, bytes));
            }
            return Err(Fault::Symbolic {
                address: at.bits,
                length: u64::from(bytes),
            });
        }
        Ok(view.word(place, bytes as usize))
    }

    /// What is wrong with a read of bytes that are [missing](OriginId::MISSING): those before them are all
    /// that there is.
    pub fn missing(&self, at: Word, bytes: u32) -> Fault {
        let object = self.info(at).ok().map(|info| ObjectInfo {
            size: at.bits - info.address,
            ..info
        });
        Fault::OutOfBounds {
            address: at.bits,
            length: u64::from(bytes),
            object,
        }
    }

    /// Reads a word of which only the first bytes are inside of a heap object, with zeros above. Only where
    /// the address alone decides, and the word is aligned: machine code that looks for the end of
    /// a text reads whole words, which never leave a page, and ignores what is past the end.
    fn load_partly(&self, at: Word, bytes: u32) -> Option<Word> {
        let aligned = bytes.is_power_of_two() && at.bits.is_multiple_of(u64::from(bytes));
        if !self.goes_by_address() || !aligned {
            return None;
        }
        let (slot, offset) = self.find(Word::int(at.bits), 1).ok()?;
        let object = self.objects.slot(slot);
        // How many bytes an open object has is known elsewhere.
        if object.kind != ObjectKind::Heap || object.open() {
            return None;
        }
        let inside = (object.size - offset).min(u64::from(bytes)) as usize;
        let mut all = [0; 8];
        self.load_bytes(Word::int(at.bits), &mut all[..inside])
            .ok()?;
        Some(Word {
            bits: u64::from_le_bytes(all),
            object: self.marks(Word::int(at.bits), inside as u64),
        })
    }

    /// Writes the low 1 to 8 bytes of a word, little-endian. The provenance is kept if a
    /// whole pointer is written and the address is a multiple of its width.
    ///
    /// # Errors
    /// [`Fault::Null`], [`Fault::OutOfBounds`], [`Fault::UseAfterFree`], [`Fault::ReadOnly`], or
    /// [`Fault::OutOfMemory`] where a large object is written for the first time.
    ///
    /// # Panics
    /// If `bytes` is more than 8.
    #[inline(always)]
    pub fn store_word(&mut self, at: Word, bytes: u32, value: Word) -> Result<(), Fault> {
        if !self.watch.is_on() && self.store_word_quick(at, bytes, value) {
            return Ok(());
        }
        self.store_word_slow(at, bytes, value, Writer::Program)
    }

    /// [`store_word`](Self::store_word), if nothing is unusual about it; whether it was done.
    ///
    /// # Panics
    /// If `bytes` is more than 8.
    #[inline(always)]
    pub fn store_word_quick(&mut self, at: Word, bytes: u32, value: Word) -> bool {
        if let Some(slot) = self.objects.get_unshared(at.object.slot())
            && slot.generation == at.object.generation()
            && let Some(offset) = slot.offset_of(at.bits, u64::from(bytes))
            && slot.kind != ObjectKind::Constant
        {
            return slot
                .content
                .store(offset, bytes as usize, value, &self.pointer_width);
        }
        false
    }

    #[inline(never)]
    fn store_word_slow(
        &mut self,
        at: Word,
        bytes: u32,
        value: Word,
        writer: Writer,
    ) -> Result<(), Fault> {
        let (slot, offset) = self.find_writable(at, u64::from(bytes), writer)?;
        watch::was_written(self, slot, offset, u64::from(bytes));
        let run = self.objects.slot(slot).content.run_from(offset);
        if u64::from(bytes) <= run {
            return self.objects.write_word(
                slot,
                offset,
                bytes as usize,
                value,
                &self.pointer_width,
            );
        }
        self.store_bytes_as(at, &value.bits.to_le_bytes()[..bytes as usize], writer)?;
        if !value.object.is_number() {
            for byte in 0..u64::from(bytes) {
                let bits = value.bits >> (8 * byte);
                let part = Word {
                    object: ObjectId::PART,
                    bits: bits & 0xff,
                };
                let offset = offset + byte;
                self.objects
                    .write_word(slot, offset, 1, part, &self.pointer_width)?;
            }
        }
        Ok(())
    }

    /// Writes a word as [`store_word`](Self::store_word), also to a constant: for the loader of a
    /// program.
    ///
    /// # Errors
    /// As [`store_word`](Self::store_word), without [`Fault::ReadOnly`].
    pub fn initialise_word(&mut self, at: Word, bytes: u32, value: Word) -> Result<(), Fault> {
        self.store_word_slow(at, bytes, value, Writer::Loader)
    }

    /// Writes a pointer as [`initialise_word`](Self::initialise_word).
    ///
    /// # Errors
    /// As [`initialise_word`](Self::initialise_word).
    pub fn initialise_pointer(&mut self, at: Word, value: Word) -> Result<(), Fault> {
        self.initialise_word(at, self.pointer_width.bytes(), value)
    }

    /// Reads a pointer as [`load_word`](Self::load_word).
    ///
    /// # Errors
    /// As [`load_word`](Self::load_word).
    pub fn load_pointer(&self, at: Word) -> Result<Word, Fault> {
        self.load_word(at, self.pointer_width.bytes())
    }

    /// Writes a pointer as [`store_word`](Self::store_word).
    ///
    /// # Errors
    /// As [`store_word`](Self::store_word).
    pub fn store_pointer(&mut self, at: Word, value: Word) -> Result<(), Fault> {
        self.store_word(at, self.pointer_width.bytes(), value)
    }
}
