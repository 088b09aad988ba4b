//! Accesses to bytes that may not be known, and snapshots of contents.

use crate::access::Writer;
use crate::content::ObjectContent;
use crate::pages::PAGE;
use crate::watch;
use crate::{Cell, Fault, Memory, ObjectId, ReadPart, Touch, Word};

/// The content of an object as it was. While it is held, a write to the object makes its content
/// another one.
#[derive(Clone)]
pub struct Snapshot {
    content: ObjectContent,
    size: u64,
}

impl Snapshot {
    /// Whether both are one content: then no byte differs. If not, bytes may still be equal.
    pub fn same(&self, other: &Snapshot) -> bool {
        self.size == other.size && self.content.same(&other.content)
    }

    /// The size of the object; of an [open](Memory::make_size_symbolic) one the most it can be.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Appends a range as [`Memory::load_parts`] does. False, and nothing is appended, if it is
    /// not inside of the object.
    pub fn load_parts(&self, offset: u64, length: u64, out: &mut Vec<ReadPart>) -> bool {
        let inside = offset <= self.size && length <= self.size - offset;
        if inside {
            append_parts(&self.content, offset, length, out);
        }
        inside
    }
}

/// Appends a range inside of a content as parts.
fn append_parts(content: &ObjectContent, mut offset: u64, length: u64, out: &mut Vec<ReadPart>) {
    let first = out.len();
    let mut rest = length;
    while rest > 0 {
        let run = content.run_from(offset).min(rest);
        let (view, at) = content.view(offset);
        view.parts(at as u32, (at as u64 + run) as u32, first, out);
        offset += run;
        rest -= run;
    }
}

/// Where a range is among the bytes that its object has room for: of an [open](Memory::open) object also those
/// that are not known to exist.
fn find_in_capacity(memory: &Memory, at: Word, length: u64) -> Option<(u32, u64)> {
    match memory.find(at, length) {
        Ok(found) => Some(found),
        Err(Fault::OutOfBounds {
            object: Some(info), ..
        }) if info.open => {
            let offset = at.bits.checked_sub(info.address)?;
            let end = offset.checked_add(length)?;
            (end <= info.capacity).then_some((info.object.slot(), offset))
        }
        Err(_) => None,
    }
}

impl Memory {
    /// Overwrites a range by a cell. No bytes can be written anywhere. A whole object becomes a
    /// cell at once, however large it is.
    ///
    /// # Errors
    /// As [`store_bytes`](Self::store_bytes).
    ///
    /// # Panics
    /// If the cell is of a term that has not so many whole bytes after those that are skipped, or
    /// of an array that is not one of bytes with indices of 64 bits.
    pub fn store_cell(&mut self, at: Word, length: u64, cell: Cell) -> Result<(), Fault> {
        self.store_cell_as(at, length, cell, Writer::Program)
    }

    /// Overwrites a range as [`store_cell`](Self::store_cell), also of a constant.
    ///
    /// # Errors
    /// As [`store_cell`](Self::store_cell), without [`Fault::ReadOnly`].
    ///
    /// # Panics
    /// As [`store_cell`](Self::store_cell).
    pub fn initialise_cell(&mut self, at: Word, length: u64, cell: Cell) -> Result<(), Fault> {
        self.store_cell_as(at, length, cell, Writer::Loader)
    }

    fn store_cell_as(
        &mut self,
        at: Word,
        length: u64,
        mut cell: Cell,
        writer: Writer,
    ) -> Result<(), Fault> {
        cell.check(length);
        if length == 0 {
            return Ok(());
        }
        let (slot, mut offset) = self.find_writable(at, length, writer)?;
        watch::was_written(self, slot, offset, length);
        let size = self.objects.slot(slot).capacity();
        if length == size && size > PAGE as u64 {
            self.objects
                .replace_large(slot, ObjectContent::background(cell));
            return Ok(());
        }
        let mut rest = length;
        loop {
            let run = self.objects.slot(slot).content.run_from(offset).min(rest);
            rest -= run;
            if rest == 0 {
                return self.objects.put_cell(slot, offset, run, cell);
            }
            let behind = cell.advanced(run);
            self.objects.put_cell(slot, offset, run, cell)?;
            cell = behind;
            offset += run;
        }
    }

    /// Reads a range, known or not, and appends its parts in order. Known bytes that lie together
    /// come in parts of 8 and a rest; cells that continue each other are one part. No bytes can be
    /// read anywhere.
    ///
    /// # Errors
    /// [`Fault::Null`], [`Fault::OutOfBounds`] or [`Fault::UseAfterFree`]; nothing is appended.
    pub fn load_parts(&self, at: Word, length: u64, out: &mut Vec<ReadPart>) -> Result<(), Fault> {
        if length == 0 {
            return Ok(());
        }
        let (slot, offset) = self.find(at, length)?;
        watch::was_read(self, slot, offset, length);
        append_parts(&self.objects.slot(slot).content, offset, length, out);
        Ok(())
    }

    /// The cell of a small object that a range is inside of, and where in it the range starts: what was
    /// stored is loaded as it was stored, or an input is read. `None` if it is neither, or the access is
    /// wrong.
    #[inline(always)]
    pub fn cell_around(&self, at: Word, bytes: u32) -> Option<(&Cell, u32)> {
        let slot = self.objects.get(at.object.slot())?;
        if slot.generation != at.object.generation() {
            return None;
        }
        let offset = slot.offset_of(at.bits, u64::from(bytes))?;
        slot.content.cell_around(offset, u64::from(bytes))
    }

    /// Whether a range has a byte that is not known.
    ///
    /// # Errors
    /// As [`load_parts`](Self::load_parts).
    pub fn is_symbolic(&self, at: Word, length: u64) -> Result<bool, Fault> {
        if length == 0 {
            return Ok(false);
        }
        let (slot, mut offset) = self.find(at, length)?;
        watch::was_read(self, slot, offset, length);
        let content = &self.objects.slot(slot).content;
        if content.is_plain() {
            return Ok(false);
        }
        let mut rest = length;
        while rest > 0 {
            let run = content.run_from(offset).min(rest);
            let (view, place) = content.view(offset);
            if view.touch(place as u32, (place as u64 + run) as u32) {
                return Ok(true);
            }
            offset += run;
            rest -= run;
        }
        Ok(false)
    }

    /// How many bytes of a range, of which at most this many are counted, are parts of addresses, known
    /// or not. None of a range that cannot be read; bytes of an open object count that may exist.
    pub fn address_bytes(&self, at: Word, length: u64, most: u64) -> u64 {
        let Some((slot, mut offset)) = find_in_capacity(self, at, length) else {
            return 0;
        };
        watch::was_read(self, slot, offset, length);
        let content = &self.objects.slot(slot).content;
        let (mut rest, mut count) = (length, 0);
        while rest > 0 && count < most {
            let run = content.run_from(offset).min(rest);
            let (view, place) = content.view(offset);
            count += view.address_bytes(place, run as usize) as u64;
            offset += run;
            rest -= run;
        }
        count
    }

    /// What a word of up to 8 bytes belongs to, if that is no object: an address, a part of one, or nothing.
    pub fn marks(&self, at: Word, bytes: u64) -> ObjectId {
        let pointer = u64::from(self.pointer_width.bytes());
        match self.address_bytes(at, bytes, bytes) {
            0 => ObjectId::NONE,
            count if count == pointer && bytes == pointer && !self.is_of_parts(at, bytes) => {
                ObjectId::ADDRESS
            }
            _ => ObjectId::PART,
        }
    }

    /// Whether bytes are of an array that holds not only whole addresses.
    fn is_of_parts(&self, at: Word, length: u64) -> bool {
        let mut parts = Vec::new();
        let of_parts = |part: &ReadPart| match part {
            ReadPart::Cell {
                cell:
                    Cell::Array {
                        addresses: Some(addresses),
                        ..
                    },
                ..
            } => addresses.has_parts(),
            ReadPart::Cell { .. } | ReadPart::Known { .. } => false,
        };
        let Some((slot, offset)) = find_in_capacity(self, at, length) else {
            return false;
        };
        watch::was_read(self, slot, offset, length);
        append_parts(&self.objects.slot(slot).content, offset, length, &mut parts);
        parts.iter().any(of_parts)
    }

    /// The content of a live object as it is now.
    pub fn snapshot(&self, object: ObjectId) -> Option<Snapshot> {
        self.watch.note(Touch::Everything);
        let slot = self.objects.slot(self.live_slot(object)?);
        Some(Snapshot {
            content: slot.content.clone(),
            size: slot.capacity(),
        })
    }
}
