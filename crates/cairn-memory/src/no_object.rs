//! Addresses where no object is, as ranges of which the same can be said.
//!
//! A system may refuse an address that is far from everything, and take one that is near an object, or
//! where an object was, for an error of the program. Who follows a symbolic address needs to know up to
//! which other addresses that is the same ([`Memory::no_object_at`]).

use crate::heap::Occupant;
use crate::layout::{GAP, HeapPlace, NULL_BYTES};
use crate::memory;
use crate::memory::Memory;
use crate::watch;
use crate::{Fault, ObjectInfo};
use crate::{ObjectId, Touch, Word};
use std::num::NonZeroU32;

/// What can be said of an address that is in no object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoObject {
    /// It belongs to an object in which it is not, is right after one, or something was there: what an
    /// access to it hits cannot be known.
    pub by_an_object: bool,
    /// The first address around it of which the same can be said, or which is in an object.
    pub first: u64,
    /// The last one.
    pub last: u64,
}

impl Memory {
    /// What can be said of an address in no object.
    pub fn no_object_at(&self, at: Word) -> NoObject {
        watch::searched(self, at);
        self.watch.note(Touch::Layout);
        let at = self.normalised(at, 1);
        if !at.object.object_unknown() {
            // It belongs to an object that is live or was.
            return NoObject {
                by_an_object: true,
                first: 0,
                last: self.layout.last,
            };
        }
        let by_an_object = match memory::slot_by_address(self, at, 1) {
            Ok(_) => true,
            Err(Fault::OutOfBounds { object, .. }) => object.is_some(),
            Err(Fault::Null { .. }) => false,
            Err(_) => true,
        };
        let (first, last) = alike(self, at.bits);
        NoObject {
            by_an_object,
            first,
            last,
        }
    }
}

/// The variable in a slot, if it is out of its scope.
fn out_of_scope(memory: &Memory, slot: u32) -> Option<ObjectInfo> {
    // Its generation was one less when it was in scope.
    let generation = NonZeroU32::new(memory.objects.slot(slot).generation.checked_sub(1)?)?;
    memory.objects.suspended(ObjectId::new(slot, generation))
}

/// The variable out of its scope that an address is in, or right after.
pub(crate) fn out_of_scope_at(memory: &Memory, address: u64) -> Option<ObjectInfo> {
    if !memory.layout.stack.contains(&address) {
        return None;
    }
    let info = out_of_scope(memory, memory.stack.nearest(address)?)?;
    (address - info.address < info.capacity + GAP).then_some(info)
}

/// The addresses around one that find the same object, or none for the same reason.
fn alike(memory: &Memory, address: u64) -> (u64, u64) {
    if address < NULL_BYTES {
        return (0, NULL_BYTES - 1);
    }
    let (slot, first, last) = if let Some(place) = memory.layout.place_at(address) {
        return alike_on_the_heap(memory, place, address);
    } else if let Some(class) = memory.layout.class_at(address) {
        // Places of small objects have too many numbers: the last ones are never given.
        let first = memory.layout.region(class);
        let last = first + ((1 << memory.layout.region_bits) - 1);
        return (first + (1 << (32 + class)), last);
    } else if memory.layout.globals.contains(&address) {
        let count = memory.globals.len();
        let above = memory
            .globals
            .partition_point_in(0..count, |g| g.base <= address);
        let below = above.checked_sub(1).and_then(|i| memory.globals.get(i));
        let next = memory.globals.get(above).filter(|_| above < count);
        (
            below.map(|g| g.slot),
            below.map_or(memory.layout.globals.start, |g| g.base),
            next.map_or(memory.layout.globals.end, |g| g.base) - 1,
        )
    } else if memory.layout.stack.contains(&address) {
        let (first, last) = memory.stack.alike(address);
        let slot = memory.stack.nearest(address);
        let is_there =
            |slot: &u32| memory.objects.slot(*slot).live() || out_of_scope(memory, *slot).is_some();
        (slot.filter(is_there), first, last)
    } else {
        let (start, end) = unreserved(memory, address);
        let above = memory.fixed.partition_point(|f| f.base <= address);
        let below = above.checked_sub(1).map(|i| memory.fixed[i]);
        let next = memory.fixed.get(above).map_or(end, |f| end.min(f.base - 1));
        let first = below.map_or(start, |f| f.base.max(start));
        (below.map(|f| f.slot), first, next)
    };
    match slot {
        Some(slot) => around_object(memory, slot, address, first, last),
        None => (first, last),
    }
}

fn alike_on_the_heap(memory: &Memory, place: HeapPlace, address: u64) -> (u64, u64) {
    let class = place.class;
    let at = |number: u32| HeapPlace { class, number };
    let base = |number: u32| memory.layout.base(at(number));
    let places = memory.heap.places(class);
    let freed = |number: u32| {
        let occupant = memory.heap.occupant(at(number));
        matches!(occupant, Some(Occupant::Freed { .. }))
    };
    match memory.heap.occupant(place) {
        None => {
            let end = memory.layout.region(class) + (1 << memory.layout.region_bits);
            (base(places), end - 1)
        }
        Some(Occupant::Live(slot)) => {
            let first = memory.layout.base(place);
            around_object(memory, slot, address, first, first + ((1 << class) - 1))
        }
        Some(Occupant::Freed { .. }) => {
            let (mut first, mut last) = (place.number, place.number);
            while first > 0 && freed(first - 1) {
                first -= 1;
            }
            while last + 1 < places && freed(last + 1) {
                last += 1;
            }
            (base(first), base(last) + ((1 << class) - 1))
        }
    }
}

/// Of the addresses from a first to a last one, which are as near to the object below as one is.
fn around_object(memory: &Memory, slot: u32, address: u64, first: u64, last: u64) -> (u64, u64) {
    let info = memory.objects.info(slot);
    let far = (info.address + info.capacity).saturating_add(GAP);
    match address < far {
        true => (first, last.min(far - 1)),
        false => (first.max(far), last),
    }
}

/// The addresses around one that are for nothing else either, which it is known to be.
fn unreserved(memory: &Memory, address: u64) -> (u64, u64) {
    let layout = memory.layout;
    let (globals, stack) = (layout.globals.clone(), layout.stack.clone());
    let reserved = [0..NULL_BYTES, globals, layout.heap(), stack];
    let below = reserved.iter().map(|r| r.end).filter(|&end| end <= address);
    let above = reserved
        .iter()
        .map(|r| r.start)
        .filter(|&start| start > address);
    (
        below.max().unwrap_or(0),
        above.min().map_or(layout.last, |start| start - 1),
    )
}
