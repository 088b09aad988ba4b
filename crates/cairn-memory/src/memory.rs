//! The memory of a program: making, finding and ending objects.

mod merge;
mod stack_objects;

pub use merge::{DifferingBytes, MemoriesApart, is_not_older, merged_memory};

use crate::chunked::Chunked;
use crate::fixed;
use crate::heap::{Heap, Occupant};
use crate::layout::{self, GAP, MemoryLayout, NULL_BYTES};
use crate::no_object;
use crate::objects::Objects;
use crate::stack::Stack;
use crate::watch::{self, Touch, Watch};
use crate::{AllocatorFamily, Fault, ObjectId, ObjectInfo, ObjectKind, PointerWidth, Word};
use std::rc::Rc;

/// Limits of a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryConfig {
    /// How wide pointers are.
    pub pointer_width: PointerWidth,
    /// Bytes that frames and stack objects may take.
    pub stack_bytes: u64,
    /// Bytes that the contents of live objects may take. Large objects count what was written of
    /// them, in pages.
    pub heap_bytes: u64,
    /// Bytes that one heap object may have, written or not.
    pub object_bytes: u64,
    /// What a pointer may reach outside of the object it was made from.
    pub reach: Reach,
    /// What [`Memory::leave_uninitialised`] fills new objects with; `None` leaves zeros.
    pub uninitialised: Option<u8>,
}

/// Objects above this size are left as zeros by [`Memory::fill_uninitialised`]: the pages of a larger one would
/// take memory that the program never asks for.
const LARGEST_FILLED: u64 = 64 << 20;

/// What a pointer may reach outside of the object it was made from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Nothing: the access is an error.
    #[default]
    OwnObject,
    /// Whatever object is at its address, as in a process.
    AnyObject,
}

impl Default for MemoryConfig {
    fn default() -> Self {
        MemoryConfig {
            pointer_width: PointerWidth::default(),
            stack_bytes: 8 << 20,
            heap_bytes: 4 << 30,
            object_bytes: 64 << 30,
            reach: Reach::default(),
            uninitialised: None,
        }
    }
}

/// A global and its address.
#[derive(Clone, Copy, Default)]
pub(crate) struct GlobalEntry {
    pub base: u64,
    pub slot: u32,
}

/// The memory of a program. A clone shares everything with the original: it is a handful of counted
/// references, however many objects there are. A write to something shared copies what it changes,
/// a page or a node of a table on each level.
#[derive(Clone)]
pub struct Memory {
    pub(crate) objects: Objects,
    pub(crate) heap: Heap,
    pub(crate) stack: Stack,
    /// In order of address.
    pub(crate) globals: Chunked<GlobalEntry, 64>,
    /// The end of the last global.
    globals_end: u64,
    /// Objects at addresses that the program names, in order of address.
    pub(crate) fixed: Rc<Vec<GlobalEntry>>,
    object_bytes: u64,
    pub(crate) pointer_width: PointerWidth,
    pub(crate) layout: &'static MemoryLayout,
    reach: Reach,
    uninitialised: Option<u8>,
    /// An access belongs to the object at its address, whatever the pointer was made from.
    by_address: bool,
    pub(crate) watch: Watch,
}

impl Memory {
    /// A memory without objects.
    pub fn new(config: MemoryConfig) -> Self {
        let layout = MemoryLayout::of(config.pointer_width);
        Memory {
            objects: Objects::new(config.heap_bytes),
            heap: Heap::new(layout),
            stack: Stack::new(config.stack_bytes, layout.stack.clone()),
            globals: Chunked::new(),
            globals_end: layout.globals.start,
            fixed: Rc::default(),
            object_bytes: config.object_bytes,
            pointer_width: config.pointer_width,
            layout,
            reach: config.reach,
            uninitialised: config.uninitialised,
            by_address: false,
            watch: Watch::default(),
        }
    }

    /// How wide pointers are.
    #[inline]
    pub fn pointer_width(&self) -> PointerWidth {
        self.pointer_width
    }

    /// The same memory, in which the address alone decides which object an access belongs to. That is
    /// how machine code sees memory: compilers may reach one object from a pointer to another by adding
    /// their distance. The object that a pointer was made from only saves the search. An access
    /// outside of all objects is still an error, and so is one to a place that was freed. Only an
    /// aligned word of which the first bytes are in a heap object may be read whole: string functions
    /// do that.
    #[must_use]
    pub fn going_by_address(mut self) -> Self {
        self.by_address = true;
        self
    }

    /// Whether the address alone decides which object an access belongs to.
    pub fn goes_by_address(&self) -> bool {
        self.by_address
    }

    /// A pointer as this memory takes it: without the object it was made from, if that does not
    /// decide and the access is not inside.
    #[inline]
    pub(crate) fn normalised(&self, at: Word, length: u64) -> Word {
        if !self.by_address || at.object.object_unknown() {
            return at;
        }
        let slot = self
            .live_slot(at.object)
            .map(|slot| self.objects.slot(slot));
        match slot.and_then(|slot| slot.offset_of(at.bits, length)) {
            Some(_) => at,
            None => Word::int(at.bits),
        }
    }

    /// Makes an object of zeros and gives its address. An object of no bytes has an address of its
    /// own too, but cannot be accessed. A stack object belongs to the present frame.
    ///
    /// # Errors
    /// [`Fault::OutOfMemory`], [`Fault::StackOverflow`] or [`Fault::InvalidAlignment`].
    pub fn allocate(&mut self, kind: ObjectKind, size: u64, align: u64) -> Result<Word, Fault> {
        self.watch.note(Touch::Room);
        let made = match kind {
            ObjectKind::Heap | ObjectKind::Mapped | ObjectKind::Kernel => {
                allocate_heap(self, kind, size, align)
            }
            ObjectKind::Stack => self.stack_allocate(size, align),
            ObjectKind::Global | ObjectKind::Constant => allocate_global(self, kind, size, align),
        }?;
        self.watch.note(Touch::Made(made.object));
        Ok(made)
    }

    /// Ends a heap object. Nothing happens if the pointer is null.
    ///
    /// # Errors
    /// [`Fault::DoubleFree`] if the object has ended before; [`Fault::InvalidFree`] if the pointer
    /// is not the first address of a heap object.
    pub fn free(&mut self, at: Word) -> Result<(), Fault> {
        if at.bits == 0 {
            return Ok(());
        }
        self.watch.note(Touch::Room);
        watch::searched(self, at);
        let at = self.normalised(at, 1);
        let address = at.bits;
        let slot = freeable(self, at)?;
        let info = self.objects.info(slot);
        if info.kind != ObjectKind::Heap || info.address != address {
            let object = Some(info);
            return Err(Fault::InvalidFree { address, object });
        }
        self.end_placed(slot);
        Ok(())
    }

    /// Ends the object of a slot, which has a place on the heap.
    fn end_placed(&mut self, slot: u32) {
        if let Some(place) = self.layout.place_at(self.objects.info(slot).address) {
            self.heap.vacate(place);
        }
        self.objects.end(slot);
    }

    /// Ends an object that was made as [`Mapped`](ObjectKind::Mapped) or
    /// [`Kernel`](ObjectKind::Kernel): for the operating system. False, and nothing happens, if the
    /// pointer was not made from such an object or it has ended.
    pub fn release(&mut self, at: Word) -> bool {
        self.watch.note(Touch::Room);
        watch::searched(self, at);
        let Some(slot) = self.live_slot(at.object) else {
            return false;
        };
        let releasable = match self.objects.slot(slot).kind {
            ObjectKind::Mapped | ObjectKind::Kernel => true,
            ObjectKind::Heap | ObjectKind::Stack | ObjectKind::Global | ObjectKind::Constant => {
                false
            }
        };
        if releasable {
            self.end_placed(slot);
        }
        releasable
    }

    /// Gives an object of the [operating system](ObjectKind::Kernel) to the program as
    /// [mapped memory](ObjectKind::Mapped), or takes it back. False, and nothing happens, if it is
    /// neither.
    pub fn set_mapped(&mut self, at: Word, mapped: bool) -> bool {
        self.watch.note(Touch::Room);
        watch::searched(self, at);
        let Some(slot) = self.live_slot(at.object) else {
            return false;
        };
        let (from, to) = if mapped {
            (ObjectKind::Kernel, ObjectKind::Mapped)
        } else {
            (ObjectKind::Mapped, ObjectKind::Kernel)
        };
        let kind = self.objects.slot(slot).kind;
        if kind == from {
            self.objects.set_kind(slot, to);
        }
        kind == from || kind == to
    }

    /// The slot of an object, if it is live. What is a number less an address is an address of its object far from it.
    #[inline]
    pub(crate) fn live_slot(&self, object: ObjectId) -> Option<u32> {
        let object = object.not_taken();
        let slot = self.objects.get(object.slot())?;
        (slot.live() && slot.generation == object.generation()).then_some(object.slot())
    }

    /// The live object that a pointer belongs to: that of its provenance wherever it points,
    /// without provenance the one at its address.
    ///
    /// # Errors
    /// [`Fault::Null`], [`Fault::UseAfterFree`], or [`Fault::OutOfBounds`] if there is none.
    pub fn info(&self, at: Word) -> Result<ObjectInfo, Fault> {
        watch::searched(self, at);
        let outside = self.normalised(at, 0).object != at.object;
        if outside && let Some(other) = self.object_at(at.bits) {
            return Ok(self.objects.info(other.slot()));
        }
        let slot = match self.live_slot(at.object) {
            Some(slot) => slot,
            None => slot_by_address(self, at, 0)?,
        };
        Ok(self.objects.info(slot))
    }

    /// The live object that contains an address. An object of no bytes counts as containing its
    /// address.
    pub fn object_at(&self, address: u64) -> Option<ObjectId> {
        self.watch.note(Touch::Layout);
        let info = self.objects.info(nearest(self, address)?);
        let offset = address - info.address;
        (offset < info.capacity || offset == 0).then_some(info.object)
    }

    /// The live object that an address is inside of, or that ends at most so many bytes before it, where
    /// no other object is.
    pub fn around(&self, address: u64, behind: u64) -> Option<ObjectInfo> {
        self.watch.note(Touch::Layout);
        let info = self.objects.info(nearest(self, address)?);
        (address - info.address <= info.capacity + behind).then_some(info)
    }

    /// The slot and offset of an access; what is wrong with it if it is not possible.
    #[inline(never)]
    pub(crate) fn find(&self, at: Word, length: u64) -> Result<(u32, u64), Fault> {
        watch::searched(self, at);
        let at = self.normalised(at, length);
        let mut slot = match self.live_slot(at.object) {
            Some(slot) => slot,
            None => slot_by_address(self, at, length)?,
        };
        if let Some(offset) = self.objects.slot(slot).offset_of(at.bits, length) {
            return Ok((slot, offset));
        }
        if self.reach == Reach::AnyObject
            && let Ok(other) = slot_by_address(self, Word::int(at.bits), length)
        {
            let found = self.objects.slot(other);
            if let Some(offset) = found.offset_of(at.bits, length) {
                return Ok((other, offset));
            }
            // Whether the access is inside of an open object is decided elsewhere.
            if found.open() {
                slot = other;
            }
        }
        Err(Fault::OutOfBounds {
            address: at.bits,
            length,
            object: Some(self.objects.info(slot)),
        })
    }

    /// The live heap objects in order of address.
    pub fn heap_objects(&self) -> impl Iterator<Item = ObjectInfo> {
        self.watch.note(Touch::Everything);
        let placed = self.heap.live().map(|slot| self.objects.info(slot));
        placed.filter(|info| info.kind == ObjectKind::Heap)
    }

    /// Bytes that the contents of live objects take.
    pub fn held_bytes(&self) -> u64 {
        self.watch.note(Touch::Room);
        self.objects.held_bytes()
    }

    /// Fills uninitialised bytes of a new object, unless the object is large.
    ///
    /// # Errors
    /// If they are not inside of an object, or there is no memory for them.
    pub fn fill_uninitialised(&mut self, at: Word, byte: u8, length: u64) -> Result<(), Fault> {
        if length == 0 || self.info(at)?.size > LARGEST_FILLED {
            return Ok(());
        }
        self.fill(at, byte, length)
    }

    /// Leaves bytes of a new object uninitialised: they get what the configuration fills such bytes with.
    ///
    /// # Errors
    /// As [`Memory::fill_uninitialised`].
    pub fn leave_uninitialised(&mut self, at: Word, length: u64) -> Result<(), Fault> {
        match self.uninitialised {
            Some(byte) => self.fill_uninitialised(at, byte, length),
            None => Ok(()),
        }
    }

    /// Bytes that contents and the table of objects take: of many small objects the table is the most.
    pub fn taken_bytes(&self) -> u64 {
        self.watch.note(Touch::Room);
        self.objects.held_bytes() + self.objects.table_bytes()
    }

    /// All live objects of the program, in no particular order.
    pub fn objects(&self) -> impl Iterator<Item = ObjectInfo> {
        self.watch.note(Touch::Everything);
        let live = self.objects.live();
        live.filter(|info| info.kind != ObjectKind::Kernel)
    }

    /// What a pointer may reach outside of the object it was made from.
    pub fn reach(&self) -> Reach {
        self.reach
    }

    /// The largest object that the heap can ever have.
    pub fn heap_object_limit(&self) -> u64 {
        self.object_bytes.min(self.layout.largest_heap_object())
    }
}

fn allocate_heap(
    memory: &mut Memory,
    kind: ObjectKind,
    size: u64,
    align: u64,
) -> Result<Word, Fault> {
    let asked = align;
    let align = layout::alignment(align)?;
    let too_large = Fault::OutOfMemory {
        size,
        limit: memory.object_bytes,
    };
    if size > memory.object_bytes {
        return Err(too_large);
    }
    memory.objects.check_room(size)?;
    let place = memory
        .layout
        .class_for(size, align)
        .and_then(|class| memory.heap.next_place(class))
        .ok_or(too_large)?;
    let base = memory.layout.base(place);
    let object = memory.objects.create(kind, base, size, asked)?;
    memory.heap.occupy(place, object.slot());
    Ok(Word { bits: base, object })
}

fn allocate_global(
    memory: &mut Memory,
    kind: ObjectKind,
    size: u64,
    align: u64,
) -> Result<Word, Fault> {
    let asked = align;
    let align = layout::alignment(align)?;
    memory.objects.check_room(size)?;
    // Ends are far below 2^63, so that neither the gap nor the alignment overflows.
    let base = (memory.globals_end + GAP).next_multiple_of(align);
    let end = base
        .checked_add(size)
        .filter(|&end| end <= memory.layout.globals.end)
        .ok_or(Fault::OutOfMemory {
            size,
            limit: memory.layout.globals.end - memory.layout.globals.start,
        })?;
    let object = memory.objects.create(kind, base, size, asked)?;
    let slot = object.slot();
    memory.globals.push(GlobalEntry { base, slot });
    memory.globals_end = end;
    Ok(Word { bits: base, object })
}

/// Says which functions made a new heap object; without it `malloc` did.
pub fn set_allocator(memory: &mut Memory, at: Word, family: AllocatorFamily) {
    if let Some(slot) = memory.live_slot(at.object) {
        memory.objects.set_family(slot, family);
    }
}

/// Whether these functions may free what a pointer leads to. A pointer that cannot be freed at all is left to [`Memory::free`].
///
/// # Errors
/// [`Fault::MismatchedFree`] if others made the object.
pub fn check_allocator(memory: &Memory, at: Word, by: AllocatorFamily) -> Result<(), Fault> {
    if at.bits == 0 {
        return Ok(());
    }
    watch::searched(memory, at);
    let at = memory.normalised(at, 1);
    let Ok(slot) = freeable(memory, at) else {
        return Ok(());
    };
    let entry = memory.objects.slot(slot);
    let (address, made) = (at.bits, entry.family);
    if entry.kind == ObjectKind::Heap && entry.base == address && made != by {
        return Err(Fault::MismatchedFree { address, made, by });
    }
    Ok(())
}

/// The slot of the live object that a pointer to be freed belongs to.
fn freeable(memory: &Memory, at: Word) -> Result<u32, Fault> {
    let address = at.bits;
    if let Some(slot) = memory.live_slot(at.object) {
        return Ok(slot);
    }
    let place = memory.layout.place_at(address);
    let occupant = place.and_then(|place| memory.heap.occupant(place));
    let first = place.is_some_and(|place| memory.layout.base(place) == address);
    // A pointer whose provenance is not live belongs to a dead object, even if another object has
    // its address now.
    let ended = !at.object.object_unknown();
    match occupant {
        Some(Occupant::Live(slot)) if !ended => Ok(slot),
        Some(Occupant::Live(_) | Occupant::Freed { .. }) if first => {
            Err(Fault::DoubleFree { address })
        }
        Some(_) | None => {
            let object = memory.object_at(address).filter(|_| !ended);
            let object = object.map(|object| memory.objects.info(object.slot()));
            Err(Fault::InvalidFree { address, object })
        }
    }
}

/// The slot of the live object whose base is the last at an address or below, among those of
/// its kind; on the heap the one whose place contains the address.
fn nearest(memory: &Memory, address: u64) -> Option<u32> {
    if let Some(place) = memory.layout.place_at(address) {
        match memory.heap.occupant(place)? {
            Occupant::Live(slot) => {
                (memory.objects.slot(slot).kind != ObjectKind::Kernel).then_some(slot)
            }
            Occupant::Freed { .. } => None,
        }
    } else if memory.layout.globals.contains(&address) {
        let above = memory
            .globals
            .partition_point_in(0..memory.globals.len(), |g| g.base <= address);
        Some(memory.globals.get(above.checked_sub(1)?)?.slot)
    } else if memory.layout.stack.contains(&address) {
        let nearest = memory.stack.nearest(address);
        nearest.filter(|slot| memory.objects.slot(*slot).live())
    } else {
        fixed::nearest_fixed(memory, address)
    }
}

/// The slot that a pointer belongs to by its address, which is right only without provenance.
pub(crate) fn slot_by_address(memory: &Memory, at: Word, length: u64) -> Result<u32, Fault> {
    let address = at.bits;
    let object = at.object.not_taken();
    if let Some(object) = memory.objects.suspended(object) {
        return Err(Fault::UseAfterScope {
            address,
            length,
            object,
        });
    }
    if !at.object.object_unknown() {
        return Err(Fault::UseAfterFree {
            address,
            length,
            freed: memory.objects.ended(object),
        });
    }
    if address < NULL_BYTES {
        return Err(Fault::Null { address, length });
    }
    if let Some(object) = memory.object_at(address) {
        return Ok(object.slot());
    }
    if let Some(object) = no_object::out_of_scope_at(memory, address) {
        return Err(Fault::UseAfterScope {
            address,
            length,
            object,
        });
    }
    let freed_place = memory
        .layout
        .place_at(address)
        .and_then(|place| memory.heap.occupant(place))
        .is_some_and(|occupant| matches!(occupant, Occupant::Freed { .. }));
    if freed_place || memory.stack.was_used(address) {
        return Err(Fault::UseAfterFree {
            address,
            length,
            freed: None,
        });
    }
    let object = nearest(memory, address)
        .map(|slot| memory.objects.info(slot))
        .filter(|info| address - info.address - info.capacity < GAP);
    Err(Fault::OutOfBounds {
        address,
        length,
        object,
    })
}
