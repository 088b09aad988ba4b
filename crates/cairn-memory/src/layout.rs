//! Which addresses are for what.
//!
//! With pointers of 8 bytes:
//!
//! - below 4096: nothing, so that an access near the null pointer is one
//! - below 4 GiB: objects at addresses that the program names (`fixed.rs`); they may also be where
//!   nothing else is, above the heap and above the stack
//! - from 4 GiB: globals, one above the other
//! - from 2^42: the heap. Region `k` starts at `k * 2^40` and is divided into places of `2^k`
//!   bytes, each for one object, so that an address tells its place by arithmetic
//! - [`code_region`]: addresses of functions, which are not objects, and constants that stand beside
//!   them (`fixed.rs`)
//! - below 2^47: the stack, downwards
//!
//! With pointers of 4 bytes the order is the same, and the regions are smaller ([`NARROW`]).
//!
//! Between two objects are at least [`GAP`] bytes, so that a pointer just past one that lost its
//! provenance is not taken for a pointer to the next.

use crate::Fault;
use cairn_bv::PointerWidth;
use std::ops::Range;

/// Bytes below the first valid address.
pub(crate) const NULL_BYTES: u64 = 4096;

/// Bytes that share one entry of the provenance of wide pointers; bases of objects are multiples.
pub(crate) const GRANULE: u64 = 8;

/// Bytes between objects.
pub(crate) const GAP: u64 = 16;

/// The largest alignment of an object.
const MAX_ALIGN: u64 = 1 << 20;

/// Which addresses are for what.
pub(crate) struct MemoryLayout {
    /// The last address.
    pub last: u64,
    /// Addresses of globals.
    pub globals: Range<u64>,
    /// Size classes of the heap: logarithms of the sizes of places.
    pub classes: Range<u32>,
    /// The number of the first class's region.
    first_region: u64,
    /// Logarithm of the bytes of a heap region.
    pub region_bits: u32,
    /// Addresses of functions.
    pub code: Range<u64>,
    /// Addresses of stack objects; the upper end is where the stack starts.
    pub stack: Range<u64>,
}

/// With pointers of 8 bytes.
static WIDE: MemoryLayout = MemoryLayout {
    last: PointerWidth::Eight.last_address(),
    globals: 4 << 30..4 << 40,
    classes: 5..40,
    first_region: 5,
    region_bits: 40,
    code: 0x5500_0000_0000..0x5600_0000_0000,
    stack: 0x7f00_0000_0000..0x7fff_ffff_f000,
};

/// With pointers of 4 bytes: a heap object has at most 128 MiB.
static NARROW: MemoryLayout = MemoryLayout {
    last: PointerWidth::Four.last_address(),
    globals: 0x1000_0000..0x2000_0000,
    classes: 5..28,
    first_region: 4,
    region_bits: 27,
    code: 0xe000_0000..0xf000_0000,
    stack: 0xf000_0000..0xffff_f000,
};

/// Where objects of the stack are.
pub fn stack_region(width: PointerWidth) -> Range<u64> {
    MemoryLayout::of(width).stack.clone()
}

/// The addresses of functions.
pub fn code_region(width: PointerWidth) -> Range<u64> {
    MemoryLayout::of(width).code.clone()
}

/// The first address that a memory gives an object on its own: those below are the program's to name.
pub fn first_own_address(width: PointerWidth) -> u64 {
    MemoryLayout::of(width).globals.start
}

/// The alignment an object gets: a power of two, and at least a granule of provenance, so that
/// granules are the same by address and by offset.
#[inline]
pub(crate) fn alignment(align: u64) -> Result<u64, Fault> {
    if align > MAX_ALIGN || !align.is_power_of_two() {
        return Err(Fault::InvalidAlignment { align });
    }
    Ok(align.max(GRANULE))
}

/// A place for a heap object: a size class and the number of the place in its region.
#[derive(Clone, Copy)]
pub(crate) struct HeapPlace {
    pub class: u32,
    pub number: u32,
}

impl MemoryLayout {
    /// The layout for pointers of a width.
    pub fn of(width: PointerWidth) -> &'static MemoryLayout {
        match width {
            PointerWidth::Four => &NARROW,
            PointerWidth::Eight => &WIDE,
        }
    }

    /// All addresses of the heap.
    pub fn heap(&self) -> Range<u64> {
        self.region(self.classes.start)..self.region(self.classes.end)
    }

    /// The first address of a class's region.
    #[inline]
    pub fn region(&self, class: u32) -> u64 {
        (self.first_region + u64::from(class - self.classes.start)) << self.region_bits
    }

    /// The class whose region an address is in, if it is one of the heap's.
    #[inline]
    pub fn class_at(&self, address: u64) -> Option<u32> {
        let number = (address >> self.region_bits).checked_sub(self.first_region)?;
        let class = self
            .classes
            .start
            .checked_add(u32::try_from(number).ok()?)?;
        self.classes.contains(&class).then_some(class)
    }

    /// What the addresses of a range are for, if one of them is for something.
    pub fn reserved(&self, range: Range<u64>) -> Option<&'static str> {
        let regions = [
            (0..NULL_BYTES, "null pointers"),
            (self.globals.clone(), "globals"),
            (self.heap(), "heap objects"),
            (self.code.clone(), "functions"),
            (self.stack.clone(), "stack objects"),
        ];
        // An object of no bytes has an address too.
        let end = range.end.max(range.start.saturating_add(1));
        let touched =
            |(region, _): &(Range<u64>, _)| range.start < region.end && region.start < end;
        regions.into_iter().find(touched).map(|(_, name)| name)
    }

    /// The largest object that a place can have.
    pub fn largest_heap_object(&self) -> u64 {
        (1 << (self.classes.end - 1)) - GAP
    }

    /// The class of places for a size and alignment, if there is one so large.
    pub fn class_for(&self, size: u64, align: u64) -> Option<u32> {
        let bytes = size.checked_add(GAP)?.max(align);
        let class = bytes.checked_next_power_of_two()?.trailing_zeros();
        let class = class.max(self.classes.start);
        self.classes.contains(&class).then_some(class)
    }

    /// How many places a class has.
    pub fn places(&self, class: u32) -> u32 {
        // One less than 2^32 at most: the last number is a mark for "no place".
        u32::try_from(1u64 << (self.region_bits - class)).unwrap_or(u32::MAX)
    }

    /// The place that contains an address, if it is one of the heap's.
    #[inline]
    pub fn place_at(&self, address: u64) -> Option<HeapPlace> {
        let class = self.class_at(address)?;
        let number = (address & ((1 << self.region_bits) - 1)) >> class;
        let number = u32::try_from(number).ok()?;
        Some(HeapPlace { class, number })
    }

    /// The first address of a place, which is the base of its object.
    #[inline]
    pub fn base(&self, place: HeapPlace) -> u64 {
        self.region(place.class) + (u64::from(place.number) << place.class)
    }
}
