//! Accesses to ranges of bytes.
//!
//! A range is worked on in runs: parts that lie together in a buffer or a page.

use crate::access::Writer;
use crate::content::ObjectContent;
use crate::pages::PAGE;
use crate::watch;
use crate::{Fault, Memory, Word};

impl Memory {
    /// Reads bytes. No bytes can be read anywhere.
    ///
    /// # Errors
    /// [`Fault::Null`], [`Fault::OutOfBounds`], [`Fault::UseAfterFree`] or [`Fault::Symbolic`]. What
    /// `out` holds afterwards is not said.
    pub fn load_bytes(&self, at: Word, out: &mut [u8]) -> Result<(), Fault> {
        if out.is_empty() {
            return Ok(());
        }
        let symbolic = Fault::Symbolic {
            address: at.bits,
            length: out.len() as u64,
        };
        let (slot, mut offset) = self.find(at, out.len() as u64)?;
        watch::was_read(self, slot, offset, out.len() as u64);
        let content = &self.objects.slot(slot).content;
        let mut rest = out;
        while !rest.is_empty() {
            let length = content.run_from(offset).min(rest.len() as u64);
            let (part, others) = rest.split_at_mut(length as usize);
            let (view, place) = content.view(offset);
            if view.touch(place as u32, (place + part.len()) as u32) {
                return Err(symbolic);
            }
            match view.bytes {
                Some(bytes) => part.copy_from_slice(&bytes[place..][..part.len()]),
                None => part.fill(0),
            }
            rest = others;
            offset += length;
        }
        Ok(())
    }

    /// Writes bytes, without provenance. No bytes can be written anywhere.
    ///
    /// # Errors
    /// [`Fault::Null`], [`Fault::OutOfBounds`], [`Fault::UseAfterFree`], [`Fault::ReadOnly`] or
    /// [`Fault::OutOfMemory`].
    pub fn store_bytes(&mut self, at: Word, bytes: &[u8]) -> Result<(), Fault> {
        self.store_bytes_as(at, bytes, Writer::Program)
    }

    /// Writes bytes as [`store_bytes`](Self::store_bytes), also to a constant: for the loader of a
    /// program.
    ///
    /// # Errors
    /// As [`store_bytes`](Self::store_bytes), without [`Fault::ReadOnly`].
    pub fn initialise(&mut self, at: Word, bytes: &[u8]) -> Result<(), Fault> {
        self.store_bytes_as(at, bytes, Writer::Loader)
    }

    pub(crate) fn store_bytes_as(
        &mut self,
        at: Word,
        bytes: &[u8],
        writer: Writer,
    ) -> Result<(), Fault> {
        if bytes.is_empty() {
            return Ok(());
        }
        let (slot, mut offset) = self.find_writable(at, bytes.len() as u64, writer)?;
        watch::was_written(self, slot, offset, bytes.len() as u64);
        let mut rest = bytes;
        while !rest.is_empty() {
            let run = self.objects.slot(slot).content.run_from(offset);
            let length = run.min(rest.len() as u64);
            let (part, others) = rest.split_at(length as usize);
            self.objects.write(slot, offset, part)?;
            rest = others;
            offset += length;
        }
        Ok(())
    }

    /// Writes one byte many times. No bytes can be written anywhere.
    ///
    /// # Errors
    /// As [`store_bytes`](Self::store_bytes).
    pub fn fill(&mut self, to: Word, byte: u8, length: u64) -> Result<(), Fault> {
        if length == 0 {
            return Ok(());
        }
        let (slot, mut offset) = self.find_writable(to, length, Writer::Program)?;
        watch::was_written(self, slot, offset, length);
        let size = self.objects.slot(slot).capacity();
        if byte == 0 && length == size && size > PAGE as u64 {
            self.objects.replace_large(slot, ObjectContent::EMPTY);
            return Ok(());
        }
        let mut rest = length;
        while rest > 0 {
            let run = self.objects.slot(slot).content.run_from(offset).min(rest);
            self.objects.fill(slot, offset, byte, run as usize)?;
            rest -= run;
            offset += run;
        }
        Ok(())
    }

    /// Copies bytes, known or not. Pointers keep their provenance if they are copied as a whole and
    /// both addresses are the same modulo 8. No bytes can be copied from anywhere to anywhere.
    ///
    /// # Errors
    /// As [`load_parts`](Self::load_parts) and [`store_bytes`](Self::store_bytes), and
    /// [`Fault::Overlap`] if the ranges overlap, are not the same, and may not be `overlapping`.
    pub fn copy(
        &mut self,
        to: Word,
        from: Word,
        length: u64,
        overlapping: bool,
    ) -> Result<(), Fault> {
        if length == 0 {
            return Ok(());
        }
        let source = self.find(from, length)?;
        let target = self.find_writable(to, length, Writer::Program)?;
        if source == target {
            return Ok(());
        }
        let overlap = source.0 == target.0 && source.1.abs_diff(target.1) < length;
        if overlap && !overlapping {
            return Err(Fault::Overlap {
                to: to.bits,
                from: from.bits,
                length,
            });
        }
        watch::was_copied(self, target, source, length);
        if overlap && target.1 > source.1 {
            self.copy_backward(target, source, length)
        } else {
            self.copy_forward(target, source, length)
        }
    }

    pub(crate) fn copy_forward(
        &mut self,
        (to, mut to_offset): (u32, u64),
        (from, mut from_offset): (u32, u64),
        length: u64,
    ) -> Result<(), Fault> {
        let mut rest = length;
        while rest > 0 {
            let to_run = self.objects.slot(to).content.run_from(to_offset);
            let from_run = self.objects.slot(from).content.run_from(from_offset);
            let run = rest.min(to_run).min(from_run);
            let source = (from, from_offset);
            self.objects.copy((to, to_offset), source, run as usize)?;
            to_offset += run;
            from_offset += run;
            rest -= run;
        }
        Ok(())
    }

    /// Copies the last bytes first, as is needed if the target starts inside of the source.
    fn copy_backward(
        &mut self,
        (to, to_offset): (u32, u64),
        (from, from_offset): (u32, u64),
        length: u64,
    ) -> Result<(), Fault> {
        let mut rest = length;
        while rest > 0 {
            let to_run = self.objects.slot(to).content.run_before(to_offset + rest);
            let from_content = &self.objects.slot(from).content;
            let from_run = from_content.run_before(from_offset + rest);
            let run = rest.min(to_run).min(from_run);
            rest -= run;
            let target = (to, to_offset + rest);
            self.objects
                .copy(target, (from, from_offset + rest), run as usize)?;
        }
        Ok(())
    }

    /// The offset of the first byte of a value among at most `limit` bytes; `None` if it is not
    /// among them. Nothing is read if the limit is 0.
    ///
    /// # Errors
    /// [`Fault::OutOfBounds`] if the object ends before the byte and before the limit, with the
    /// length up to the first byte outside; [`Fault::Symbolic`] if a byte before it is not known,
    /// with the address of that one; [`Fault::Null`] or [`Fault::UseAfterFree`].
    pub fn find_byte(&self, at: Word, byte: u8, limit: u64) -> Result<Option<u64>, Fault> {
        if limit == 0 {
            return Ok(None);
        }
        let (slot_number, start) = self.find(at, 1)?;
        let slot = self.objects.slot(slot_number);
        let available = (slot.size - start).min(limit);
        let mut done = 0;
        while done < available {
            let offset = start + done;
            let length = slot.content.run_from(offset).min(available - done);
            let (view, place) = slot.content.view(offset);
            let cell = view.first_in(place as u32, place as u32 + length as u32);
            let known = match &cell {
                Some(span) => span.start as usize - place,
                None => length as usize,
            };
            let found = match view.bytes {
                Some(bytes) => position(&bytes[place..][..known], byte),
                None => (byte == 0 && known > 0).then_some(0),
            };
            if let Some(index) = found {
                watch::was_read(self, slot_number, start, done + index as u64 + 1);
                return Ok(Some(done + index as u64));
            }
            if cell.is_some() {
                watch::was_read(self, slot_number, start, done + known as u64 + 1);
                return Err(Fault::Symbolic {
                    address: at.bits + done + known as u64,
                    length: 1,
                });
            }
            done += length;
        }
        watch::was_read(self, slot_number, start, available);
        if available < limit {
            // The byte after the last one is what is read next.
            self.find(at, available + 1)?;
        }
        Ok(None)
    }
}

/// The first place of a byte. Blocks are looked at as a whole, which compiles to wide compares.
fn position(bytes: &[u8], byte: u8) -> Option<usize> {
    const BLOCK: usize = 32;
    let (blocks, _) = bytes.as_chunks::<BLOCK>();
    let clean = blocks
        .iter()
        .take_while(|block| !block.iter().fold(false, |hit, &b| hit | (b == byte)))
        .count();
    let start = clean * BLOCK;
    let rest = &bytes[start..];
    rest.iter().position(|&b| b == byte).map(|at| start + at)
}
