//! The table of objects.
//!
//! An object's identity is its slot and the slot's generation, which grows when the object ends:
//! an identity is valid if its generation is that of the slot. Free slots are used again, the last
//! one first: calls make and end the same objects over and over, and find the slot, and in it the
//! buffer, that they had before.

use crate::chunked::Chunked;
use crate::content::{Content, PAGE};
use crate::{Extent, Fault, ObjectId, ObjectKind};

/// The end of the list of free slots.
const NO_SLOT: u32 = u32::MAX;

/// The generation of a slot that has no object any more and never will.
const NO_GENERATION: u32 = u32::MAX;

/// Bytes of buffers that free slots keep for the next objects.
const POOL_BYTES: usize = 1 << 20;

/// An object, or room for one: a line of the processor's cache.
#[derive(Clone)]
#[repr(align(64))]
pub(crate) struct Slot {
    pub base: u64,
    pub size: u64,
    pub content: Content,
    pub generation: u32,
    /// The next free slot, if this one is free.
    next_free: u32,
    /// How many pages the content has.
    pages: u32,
    pub kind: ObjectKind,
    pub live: bool,
}

impl Default for Slot {
    fn default() -> Self {
        Slot {
            base: 0,
            size: 0,
            content: Content::Paged(None),
            generation: 0,
            next_free: NO_SLOT,
            pages: 0,
            kind: ObjectKind::Constant,
            live: false,
        }
    }
}

impl Slot {
    /// The bytes from the object's first to the address, if this many from there are inside.
    #[inline(always)]
    pub fn offset_of(&self, address: u64, length: u64) -> Option<u64> {
        let offset = address.wrapping_sub(self.base);
        (offset <= self.size && length <= self.size - offset).then_some(offset)
    }

    fn extent(&self, object: ObjectId) -> Extent {
        Extent {
            base: self.base,
            size: self.size,
            kind: self.kind,
            object,
        }
    }
}

/// All objects, and the room they take.
#[derive(Clone)]
pub(crate) struct Objects {
    slots: Chunked<Slot, 64>,
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
        // The identity "none" has slot 0 and generation 0, and must match nothing.
        slots.push(Slot {
            generation: NO_GENERATION,
            ..Slot::default()
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
    pub fn get(&self, slot: u32) -> Option<&Slot> {
        self.slots.get(slot as usize)
    }

    /// As [`get`](Self::get), to be changed; `None` also if the slot's chunk is shared.
    #[inline(always)]
    pub fn get_unshared(&mut self, slot: u32) -> Option<&mut Slot> {
        self.slots.get_unshared(slot as usize)
    }

    /// The slot of an object.
    #[inline]
    pub fn slot(&self, slot: u32) -> &Slot {
        self.slots.get(slot as usize).expect("a slot in use")
    }

    #[inline]
    pub fn content_mut(&mut self, slot: u32) -> &mut Content {
        &mut self.slots.at_mut(slot as usize).content
    }

    /// The object in a slot.
    pub fn extent(&self, slot: u32) -> Extent {
        let entry = self.slot(slot);
        entry.extent(ObjectId::new(slot, entry.generation))
    }

    /// What is left to know of an object that has ended: something, while its slot is free.
    pub fn ended(&self, object: ObjectId) -> Option<Extent> {
        let slot = self.get(object.slot())?;
        let last = slot.generation == object.generation().wrapping_add(1);
        (last && !slot.live).then(|| slot.extent(object))
    }

    fn out_of_memory(&self, size: u64) -> Fault {
        Fault::OutOfMemory {
            size,
            limit: self.limit,
        }
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
    pub fn create(&mut self, kind: ObjectKind, base: u64, size: u64) -> Result<ObjectId, Fault> {
        let number = match self.free {
            NO_SLOT => self.new_slot(size)?,
            free => free,
        };
        let slot = self.slots.at_mut(number as usize);
        self.free = slot.next_free;
        slot.base = base;
        slot.size = size;
        slot.kind = kind;
        slot.live = true;
        let before = slot.content.buffer_bytes();
        self.pooled -= before;
        if size > PAGE as u64 || size == 0 {
            slot.content = Content::Paged(None);
        } else {
            let bytes = (size as usize).next_multiple_of(16);
            // A longer buffer serves as well, but not so long that many of them were a waste.
            if !slot.content.zero_again(bytes, 2 * bytes + 64) {
                slot.content = Content::zeroed(bytes);
            }
            self.held += slot.content.buffer_bytes() as u64;
        }
        Ok(ObjectId::new(number, slot.generation))
    }

    #[cold]
    fn new_slot(&mut self, size: u64) -> Result<u32, Fault> {
        let number = u32::try_from(self.slots.len())
            .ok()
            .filter(|&number| number != NO_SLOT)
            .ok_or_else(|| self.out_of_memory(size))?;
        self.slots.push(Slot {
            generation: 1,
            ..Slot::default()
        });
        Ok(number)
    }

    /// Ends the object of a slot; gives its size.
    #[inline]
    pub fn end(&mut self, number: u32) -> u64 {
        let slot = self.slots.at_mut(number as usize);
        slot.live = false;
        slot.generation += 1;
        let buffer = slot.content.buffer_bytes();
        self.held -= buffer as u64 + u64::from(slot.pages) * PAGE as u64;
        slot.pages = 0;
        let kept =
            slot.generation != NO_GENERATION && buffer != 0 && self.pooled + buffer <= POOL_BYTES;
        if kept {
            self.pooled += buffer;
        } else {
            slot.content = Content::Paged(None);
        }
        if slot.generation != NO_GENERATION {
            slot.next_free = self.free;
            self.free = number;
        }
        slot.size
    }

    /// Sees to it that the run of an offset exists and is not shared.
    pub fn prepare_write(&mut self, number: u32, offset: u64) -> Result<(), Fault> {
        if self.slot(number).content.lacks_page(offset) {
            self.add_page(number, offset)?;
        }
        self.content_mut(number).unshare(offset);
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
        slot.content.add_page(offset, slot.size);
        Ok(())
    }

    /// Gives up the page of an offset, which exists.
    pub fn remove_page(&mut self, number: u32, offset: u64) {
        self.held -= PAGE as u64;
        let slot = self.slots.at_mut(number as usize);
        slot.pages -= 1;
        slot.content.remove_page(offset);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_without_generations_left_is_not_used_again() {
        let mut objects = Objects::new(1 << 20);
        let first = objects.create(ObjectKind::Heap, 0x1000, 8).expect("room");
        let slot = first.slot();
        objects.slots.at_mut(slot as usize).generation = NO_GENERATION - 1;
        objects.end(slot);
        let second = objects.create(ObjectKind::Heap, 0x2000, 8).expect("room");
        assert_ne!(second.slot(), slot);
        assert!(!objects.slot(slot).live);
    }

    #[test]
    fn the_pool_is_bounded() {
        let mut objects = Objects::new(1 << 30);
        let made: Vec<ObjectId> = (0..2000)
            .map(|i| objects.create(ObjectKind::Heap, i << 20, 4096))
            .collect::<Result<_, _>>()
            .expect("room");
        for object in made {
            objects.end(object.slot());
        }
        assert_eq!(objects.pooled, POOL_BYTES);
        assert_eq!(objects.held, 0);
        for i in 0..2000 {
            objects.create(ObjectKind::Heap, i << 20, 8).expect("room");
        }
        assert_eq!(objects.pooled, 0);
        assert_eq!(objects.held, 2000 * 16);
    }
}
