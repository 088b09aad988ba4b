//! Accesses to ranges of bytes.
//!
//! A range is worked on in runs: parts that lie together in a buffer or a page.

use crate::access::Writer;
use crate::content::PAGE;
use crate::{Fault, Memory, Word};

impl Memory {
    /// Reads bytes. No bytes can be read anywhere.
    ///
    /// # Errors
    /// [`Fault::Null`], [`Fault::OutOfBounds`] or [`Fault::UseAfterFree`].
    pub fn load_bytes(&self, at: Word, out: &mut [u8]) -> Result<(), Fault> {
        if out.is_empty() {
            return Ok(());
        }
        let (slot, mut offset) = self.find(at, out.len() as u64)?;
        let content = &self.objects.slot(slot).content;
        let mut rest = out;
        while !rest.is_empty() {
            let length = content.run_from(offset).min(rest.len() as u64);
            let (part, others) = rest.split_at_mut(length as usize);
            match content.bytes_from(offset) {
                Some(bytes) => part.copy_from_slice(&bytes[..part.len()]),
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
        let mut rest = bytes;
        while !rest.is_empty() {
            self.objects.prepare_write(slot, offset)?;
            let content = self.objects.content_mut(slot);
            let length = content.run_from(offset).min(rest.len() as u64);
            let (part, others) = rest.split_at(length as usize);
            content.write(offset, part);
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
        let mut rest = length;
        while rest > 0 {
            let run = self.objects.slot(slot).content.run_from(offset).min(rest);
            if byte == 0 {
                self.fill_zero(slot, offset, run as usize);
            } else {
                self.objects.prepare_write(slot, offset)?;
                let content = self.objects.content_mut(slot);
                content.fill(offset, byte, run as usize);
            }
            rest -= run;
            offset += run;
        }
        Ok(())
    }

    /// Makes a part of one run zero: pages that need not exist do not.
    fn fill_zero(&mut self, slot: u32, offset: u64, length: usize) {
        let content = &self.objects.slot(slot).content;
        if content.lacks_page(offset) {
            return;
        }
        if length == PAGE && content.buffer_bytes() == 0 {
            self.objects.remove_page(slot, offset);
        } else {
            self.objects.content_mut(slot).fill(offset, 0, length);
        }
    }

    /// Copies bytes. Pointers keep their provenance if they are copied as a whole and both
    /// addresses are the same modulo 8. No bytes can be copied from anywhere to anywhere.
    ///
    /// # Errors
    /// As [`load_bytes`](Self::load_bytes) and [`store_bytes`](Self::store_bytes), and
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
        if overlap && target.1 > source.1 {
            self.copy_backward(target, source, length)
        } else {
            self.copy_forward(target, source, length)
        }
    }

    fn copy_forward(
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
            self.copy_run((to, to_offset), (from, from_offset), run as usize)?;
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
            self.copy_run(target, (from, from_offset + rest), run as usize)?;
        }
        Ok(())
    }

    /// Copies from one run to one run.
    fn copy_run(
        &mut self,
        (to, to_offset): (u32, u64),
        (from, from_offset): (u32, u64),
        length: usize,
    ) -> Result<(), Fault> {
        let content = &self.objects.slot(from).content;
        let same_run = to == from && content.same_run(to_offset, from_offset);
        if same_run && !content.lacks_page(from_offset) {
            let content = self.objects.content_mut(to);
            content.copy_within(to_offset, from_offset, length);
            return Ok(());
        }
        let Some(piece) = content.piece(from_offset) else {
            self.fill_zero(to, to_offset, length);
            return Ok(());
        };
        self.objects.prepare_write(to, to_offset)?;
        let content = self.objects.content_mut(to);
        content.copy_from(to_offset, &piece, from_offset, length);
        Ok(())
    }

    /// The offset of the first byte of a value among at most `limit` bytes; `None` if it is not
    /// among them. Nothing is read if the limit is 0.
    ///
    /// # Errors
    /// [`Fault::OutOfBounds`] if the object ends before the byte and before the limit, with the
    /// length up to the first byte outside; [`Fault::Null`] or [`Fault::UseAfterFree`].
    pub fn find_byte(&self, at: Word, byte: u8, limit: u64) -> Result<Option<u64>, Fault> {
        if limit == 0 {
            return Ok(None);
        }
        let (slot, start) = self.find(at, 1)?;
        let slot = self.objects.slot(slot);
        let available = (slot.size - start).min(limit);
        let mut done = 0;
        while done < available {
            let offset = start + done;
            let length = slot.content.run_from(offset).min(available - done);
            let found = match slot.content.bytes_from(offset) {
                Some(bytes) => position(&bytes[..length as usize], byte),
                None => (byte == 0).then_some(0),
            };
            if let Some(index) = found {
                return Ok(Some(done + index as u64));
            }
            done += length;
        }
        if available < limit {
            // The byte behind the last one is what is read next.
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
