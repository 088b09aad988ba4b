//! The table of objects.
//!
//! An object's identity is its slot and the slot's generation, which grows when the object ends:
//! an identity is valid if its generation is that of the slot. Free slots are used again, the last
//! one first: calls make and end the same objects over and over, and find the slot, and in it the
//! buffer, that they had before.
//!
//! An [open](crate::Memory::make_size_symbolic) object has more content than may be accessed: its size is the
//! number of bytes that are known to exist. So an access is tested as that to any other object.

mod merge;

use crate::cells::Cell;
use crate::chunked::Chunked;
use crate::content::{CopySource, ObjectContent};
use crate::pages::PAGE;
use crate::{AllocatorFamily, Fault, ObjectId, ObjectInfo, ObjectKind, PointerWidth, Word};
use std::num::NonZeroU32;

/// The end of the list of free slots.
const NO_SLOT: u32 = u32::MAX;

/// The generation of a slot that has no object any more and never will: those above are for marks ([`ObjectId::taken`]).
const NO_GENERATION: u32 = u32::MAX >> 1;

/// Bytes of buffers that free slots keep for the next objects.
const POOL_BYTES: usize = 1 << 20;

/// An object, or room for one: a line of the processor's cache.
#[derive(Clone)]
#[repr(align(64))]
pub(crate) struct ObjectSlot {
    pub base: u64,
    /// Bytes that may be accessed.
    pub size: u64,
    pub content: ObjectContent,
    pub generation: u32,
    /// If it is free the next free slot; else the bytes of the content after the accessible ones.
    next_or_spare: u32,
    /// How many pages the content has.
    pages: u32,
    pub kind: ObjectKind,
    life: SlotUse,
    /// The logarithm of the alignment that was asked for.
    align: u8,
    /// What made a heap object. With it the last four fields are copied as one word, and slots are copied often.
    pub family: AllocatorFamily,
}

/// What is in a slot.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SlotUse {
    /// An object.
    Live,
    /// An object whose size is decided elsewhere.
    Open,
    /// An object out of its scope, which may come back. Its generation is one higher than it was, so
    /// that no pointer to it is valid.
    Suspended,
    /// None any more, if there ever was one.
    Over,
    /// None any more, and the size of the last one was decided elsewhere.
    OpenOver,
}

impl Default for ObjectSlot {
    fn default() -> Self {
        ObjectSlot {
            base: 0,
            size: 0,
            content: ObjectContent::EMPTY,
            generation: 0,
            next_or_spare: NO_SLOT,
            pages: 0,
            kind: ObjectKind::Constant,
            life: SlotUse::Over,
            align: 0,
            family: AllocatorFamily::Malloc,
        }
    }
}

impl ObjectSlot {
    /// The bytes from the object's first to the address, if this many from there are inside.
    #[inline(always)]
    pub fn offset_of(&self, address: u64, length: u64) -> Option<u64> {
        let offset = address.wrapping_sub(self.base);
        (offset <= self.size && length <= self.size - offset).then_some(offset)
    }

    /// Whether there is an object.
    #[inline]
    pub fn live(&self) -> bool {
        matches!(self.life, SlotUse::Live | SlotUse::Open)
    }

    /// Whether there is an object whose size is decided elsewhere.
    #[inline]
    pub fn open(&self) -> bool {
        self.life == SlotUse::Open
    }

    /// Bytes of a live object's content.
    #[inline]
    pub fn capacity(&self) -> u64 {
        self.size + u64::from(self.next_or_spare)
    }

    /// Marks the size of a live object as decided outside of memory, or as no longer so.
    pub fn set_open(&mut self, open: bool) {
        self.life = if open { SlotUse::Open } else { SlotUse::Live };
    }

    /// Says how many bytes of a live object's content may be accessed: less than 4 GiB fewer than
    /// it has. False, and nothing happens, if that is not so.
    pub fn set_size(&mut self, size: u64) -> bool {
        let spare = self.capacity().checked_sub(size);
        let Some(spare) = spare.and_then(|spare| u32::try_from(spare).ok()) else {
            return false;
        };
        self.size = size;
        self.next_or_spare = spare;
        true
    }

    /// The identity of the object in this slot, whose number is given.
    #[inline]
    fn identity(&self, number: u32) -> ObjectId {
        // A slot in use is of generation 2 at least: those that are no object's have 1.
        let generation = NonZeroU32::new(self.generation).unwrap_or(NonZeroU32::MIN);
        ObjectId::new(number, generation)
    }

    fn info(&self, object: ObjectId) -> ObjectInfo {
        let (open, capacity) = match self.life {
            SlotUse::Live | SlotUse::Suspended | SlotUse::Over => (false, self.size),
            SlotUse::Open => (true, self.capacity()),
            // When it ended, its size became the most that it was.
            SlotUse::OpenOver => (true, self.size),
        };
        ObjectInfo {
            address: self.base,
            size: self.size,
            capacity,
            open,
            kind: self.kind,
            align: 1 << self.align,
            object,
        }
    }
}

/// All objects, and the room they take.
#[derive(Clone)]
pub(crate) struct Objects {
    slots: Chunked<ObjectSlot, 16>,
    /// The first free slot.
    free: u32,
    /// Bytes of buffers in free slots.
    pooled: usize,
    /// Bytes of buffers and pages of live objects.
    held: u64,
    limit: u64,
}

impl Objects {
    pub fn new(limit: u64) -> Self {
        let mut slots = Chunked::new();
        // Numbers look for their object in slot 0 (generation 1), and must find none.
        slots.push(ObjectSlot {
            generation: NO_GENERATION,
            ..ObjectSlot::default()
        });
        Objects {
            slots,
            free: NO_SLOT,
            pooled: 0,
            held: 0,
            limit,
        }
    }

    /// The slot of a number; of any number, as identities can be made from raw ones.
    #[inline(always)]
    pub fn get(&self, slot: u32) -> Option<&ObjectSlot> {
        self.slots.get(slot as usize)
    }

    /// As [`get`](Self::get), to be changed; `None` also if the slot's chunk is shared.
    #[inline(always)]
    pub fn get_unshared(&mut self, slot: u32) -> Option<&mut ObjectSlot> {
        self.slots.get_unshared(slot as usize)
    }

    /// As [`slot`](Self::slot), to be changed.
    pub fn slot_mut(&mut self, slot: u32) -> &mut ObjectSlot {
        self.slots.at_mut(slot as usize)
    }

    /// The slot of an object.
    #[inline]
    pub fn slot(&self, slot: u32) -> &ObjectSlot {
        self.slots.get(slot as usize).expect("a slot in use")
    }

    /// The object in a slot.
    pub fn info(&self, slot: u32) -> ObjectInfo {
        let entry = self.slot(slot);
        entry.info(entry.identity(slot))
    }

    /// Bytes of buffers and pages of live objects.
    pub fn held_bytes(&self) -> u64 {
        self.held
    }

    /// Bytes of the table of objects, whatever they contain.
    pub fn table_bytes(&self) -> u64 {
        (self.slots.len() * size_of::<ObjectSlot>()) as u64
    }

    /// All live objects.
    pub fn live(&self) -> impl Iterator<Item = ObjectInfo> {
        let slots = self
            .slots
            .iter()
            .enumerate()
            .filter(|(_, slot)| slot.live());
        slots.map(|(number, slot)| slot.info(slot.identity(number as u32)))
    }

    /// What is left to know of an object that has ended: something, while its slot is free.
    pub fn ended(&self, object: ObjectId) -> Option<ObjectInfo> {
        let slot = self.get(object.slot())?;
        let last = slot.generation == object.generation().wrapping_add(1);
        (last && !object.object_unknown() && !slot.live()).then(|| slot.info(object))
    }

    fn out_of_memory(&self, size: u64) -> Fault {
        Fault::OutOfMemory {
            size,
            limit: self.limit,
        }
    }

    /// Makes an object one of another kind.
    pub fn set_kind(&mut self, number: u32, kind: ObjectKind) {
        self.slots.at_mut(number as usize).kind = kind;
    }

    /// Says what made an object.
    pub fn set_family(&mut self, number: u32, family: AllocatorFamily) {
        self.slots.at_mut(number as usize).family = family;
    }

    /// Whether content of this size can be made now.
    pub fn check_room(&self, size: u64) -> Result<(), Fault> {
        let now = if size <= PAGE as u64 { size } else { 0 };
        if self.held.saturating_add(now) > self.limit {
            return Err(self.out_of_memory(size));
        }
        Ok(())
    }

    /// Makes an object of zeros.
    #[inline]
    pub fn create(
        &mut self,
        kind: ObjectKind,
        base: u64,
        size: u64,
        align: u64,
    ) -> Result<ObjectId, Fault> {
        let number = match self.free {
            NO_SLOT => self.new_slot(size)?,
            free => free,
        };
        let slot = self.slots.at_mut(number as usize);
        self.free = slot.next_or_spare;
        slot.base = base;
        slot.size = size;
        slot.next_or_spare = 0;
        slot.kind = kind;
        slot.life = SlotUse::Live;
        slot.align = align.trailing_zeros() as u8;
        slot.family = AllocatorFamily::Malloc;
        let before = slot.content.buffer_bytes();
        self.pooled -= before;
        if size > PAGE as u64 || size == 0 {
            slot.content = ObjectContent::EMPTY;
        } else {
            let bytes = (size as usize).next_multiple_of(16);
            // A longer buffer serves as well, but not so long that many of them were a waste.
            if !slot.content.zero_again(bytes, 2 * bytes + 64) {
                slot.content = ObjectContent::zeroed(bytes);
            }
            self.held += slot.content.buffer_bytes() as u64;
        }
        Ok(slot.identity(number))
    }

    #[cold]
    fn new_slot(&mut self, size: u64) -> Result<u32, Fault> {
        let number = u32::try_from(self.slots.len())
            .ok()
            .filter(|&number| number != NO_SLOT)
            .ok_or_else(|| self.out_of_memory(size))?;
        self.slots.push(ObjectSlot {
            generation: 2,
            ..ObjectSlot::default()
        });
        Ok(number)
    }

    /// Puts an object out of its scope. Nothing happens if its size is decided elsewhere, or if this is
    /// the last generation of its slot.
    pub fn suspend(&mut self, number: u32) {
        let slot = self.slots.at_mut(number as usize);
        if slot.life == SlotUse::Live && slot.generation + 1 != NO_GENERATION {
            slot.life = SlotUse::Suspended;
            slot.generation += 1;
        }
    }

    /// Brings an object back that is out of its scope; whether there is one of this identity.
    pub fn resume(&mut self, object: ObjectId) -> bool {
        if self.suspended(object).is_none() {
            return false;
        }
        let slot = self.slots.at_mut(object.slot() as usize);
        slot.life = SlotUse::Live;
        slot.generation -= 1;
        true
    }

    /// The object of an identity, if it is out of its scope.
    pub fn suspended(&self, object: ObjectId) -> Option<ObjectInfo> {
        let slot = self.get(object.slot())?;
        let last = slot.generation == object.generation().wrapping_add(1);
        let suspended = last && slot.life == SlotUse::Suspended && !object.object_unknown();
        suspended.then(|| slot.info(object))
    }

    /// Ends the object of a slot; gives the size of its content.
    #[inline]
    pub fn end(&mut self, number: u32) -> u64 {
        let slot = self.slots.at_mut(number as usize);
        if slot.life == SlotUse::Suspended {
            slot.generation -= 1;
        }
        let capacity = slot.capacity();
        slot.life = if slot.open() {
            slot.size = capacity;
            SlotUse::OpenOver
        } else {
            SlotUse::Over
        };
        slot.generation += 1;
        let buffer = slot.content.buffer_bytes();
        self.held -= buffer as u64 + u64::from(slot.pages) * PAGE as u64;
        slot.pages = 0;
        let kept =
            slot.generation != NO_GENERATION && buffer != 0 && self.pooled + buffer <= POOL_BYTES;
        if kept {
            slot.content.forget_cells();
            self.pooled += buffer;
        } else {
            slot.content = ObjectContent::EMPTY;
        }
        if slot.generation != NO_GENERATION {
            slot.next_or_spare = self.free;
            self.free = number;
        }
        capacity
    }

    /// The content of an object to be changed, and its size.
    #[inline]
    fn sized_content(&mut self, number: u32) -> (&mut ObjectContent, u64) {
        let slot = self.slots.at_mut(number as usize);
        let size = slot.capacity();
        (&mut slot.content, size)
    }

    /// Sees to it that the run of an offset has bytes.
    fn prepare_write(&mut self, number: u32, offset: u64) -> Result<(), Fault> {
        if !self.slot(number).content.has_bytes(offset) {
            self.add_page(number, offset)?;
        }
        Ok(())
    }

    #[cold]
    fn add_page(&mut self, number: u32, offset: u64) -> Result<(), Fault> {
        let held = self.held.saturating_add(PAGE as u64);
        if held > self.limit {
            return Err(self.out_of_memory(PAGE as u64));
        }
        self.held = held;
        let slot = self.slots.at_mut(number as usize);
        slot.pages += 1;
        let size = slot.capacity();
        slot.content.add_page(offset, size);
        Ok(())
    }

    /// Does something to the run of an offset after which it may have no bytes any more.
    fn may_release(
        &mut self,
        number: u32,
        offset: u64,
        change: impl FnOnce(&mut ObjectContent, u64) -> bool,
    ) -> bool {
        let slot = self.slots.at_mut(number as usize);
        let before = slot.content.has_bytes(offset);
        let size = slot.capacity();
        let done = change(&mut slot.content, size);
        if before && !slot.content.has_bytes(offset) {
            slot.pages -= 1;
            self.held -= PAGE as u64;
        }
        done
    }

    /// Gives up all bytes of a large object, which becomes something else.
    pub fn replace_large(&mut self, number: u32, content: ObjectContent) {
        let slot = self.slots.at_mut(number as usize);
        self.held -= u64::from(slot.pages) * PAGE as u64;
        slot.pages = 0;
        slot.content = content;
    }

    /// Gives a large object without cells another size that is large too. False, and nothing has
    /// happened, if one of them is not.
    pub fn resize_large(&mut self, number: u32, size: u64) -> bool {
        let slot = self.slots.at_mut(number as usize);
        let before = slot.size;
        let large = PAGE as u64;
        if before <= large || size <= large || !slot.content.grow_plain(size) {
            return false;
        }
        // What is cut off must be zero if the object grows again.
        let mut offset = size;
        while offset < before {
            let run = self.slot(number).content.run_from(offset);
            if run == large {
                self.may_release(number, offset, |content, _| content.remove_page(offset));
            } else if !self.slot(number).content.lacks_page(offset) {
                let length = run.min(before - offset) as usize;
                let (content, size) = self.sized_content(number);
                content.fill(offset, 0, length, size);
            }
            offset += run;
        }
        self.slots.at_mut(number as usize).size = size;
        true
    }

    /// Makes an object one of zeros of another size; what it was is in the slot that is returned,
    /// which no address leads to.
    pub fn replace_sized(&mut self, number: u32, size: u64) -> Result<u32, Fault> {
        let other = self.create(ObjectKind::Kernel, 0, size, 1)?.slot();
        self.exchange(number, other);
        Ok(other)
    }

    /// Lets two objects have each other's content and size.
    pub fn exchange(&mut self, one: u32, other: u32) {
        let take = |slot: &ObjectSlot| (slot.content.clone(), slot.size, slot.pages);
        let (first, second) = (take(self.slot(one)), take(self.slot(other)));
        for (number, (content, size, pages)) in [(one, second), (other, first)] {
            let slot = self.slots.at_mut(number as usize);
            slot.content = content;
            slot.size = size;
            slot.pages = pages;
        }
    }

    // What follows works on a range in one run of an object.

    /// Writes a word.
    pub fn write_word(
        &mut self,
        number: u32,
        offset: u64,
        bytes: usize,
        value: Word,
        pointer: &PointerWidth,
    ) -> Result<(), Fault> {
        self.prepare_write(number, offset)?;
        let (content, size) = self.sized_content(number);
        content.write_word(offset, bytes, value, size, pointer);
        Ok(())
    }

    /// Writes bytes.
    pub fn write(&mut self, number: u32, offset: u64, bytes: &[u8]) -> Result<(), Fault> {
        self.prepare_write(number, offset)?;
        let (content, size) = self.sized_content(number);
        content.write(offset, bytes, size);
        Ok(())
    }

    /// Writes one byte many times. Pages of zeros that need not exist do not.
    pub fn fill(&mut self, number: u32, offset: u64, byte: u8, length: usize) -> Result<(), Fault> {
        if byte == 0 {
            let content = &self.slot(number).content;
            if content.lacks_page(offset) {
                return Ok(());
            }
            let page = length == PAGE && content.buffer_bytes() == 0;
            if page && self.may_release(number, offset, |content, _| content.remove_page(offset)) {
                return Ok(());
            }
        }
        self.prepare_write(number, offset)?;
        let (content, size) = self.sized_content(number);
        content.fill(offset, byte, length, size);
        Ok(())
    }

    /// Puts a cell.
    pub fn put_cell(
        &mut self,
        number: u32,
        offset: u64,
        length: u64,
        cell: Cell,
    ) -> Result<(), Fault> {
        let slot = self.slot(number);
        if !slot.content.takes_cell(offset, length, slot.capacity()) {
            self.add_page(number, offset)?;
        }
        self.may_release(number, offset, |content, size| {
            content.put_cell(offset, length, cell, size);
            true
        });
        Ok(())
    }

    /// Copies from one run to one run.
    pub fn copy(
        &mut self,
        (to, to_offset): (u32, u64),
        (from, from_offset): (u32, u64),
        length: usize,
    ) -> Result<(), Fault> {
        let content = &self.slot(from).content;
        let same_run = to == from && content.same_run(to_offset, from_offset);
        if same_run && content.has_bytes(from_offset) {
            self.may_release(to, to_offset, |content, size| {
                content.copy_within(to_offset, from_offset, length, size);
                true
            });
            return Ok(());
        }
        let piece: CopySource = content.piece(from_offset, length);
        if piece.is_zero() {
            return self.fill(to, to_offset, 0, length);
        }
        if let Some((cells, start)) = piece.only_cells(from_offset, length) {
            for span in cells {
                let offset = to_offset + u64::from(span.start - start);
                let bytes = u64::from(span.end - span.start);
                self.put_cell(to, offset, bytes, span.cell.clone())?;
            }
            return Ok(());
        }
        self.prepare_write(to, to_offset)?;
        self.may_release(to, to_offset, |content, size| {
            content.copy_from(to_offset, &piece, from_offset, length, size);
            true
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests;
