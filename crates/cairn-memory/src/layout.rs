//! Which addresses are for what.
//!
//! - below 4096: nothing, so that an access near the null pointer is one
//! - below 4 GiB: objects at addresses that the program names (`fixed.rs`); they may also be where
//!   nothing else is, above the heap and above the stack
//! - from 4 GiB: globals, one above the other
//! - from 2^42: the heap. Region `k` starts at `k * 2^40` and is divided into places of `2^k`
//!   bytes, each for one object, so that an address tells its place by arithmetic
//! - [`CODE_REGION`]: addresses of functions, which are not objects, and constants that stand beside
//!   them (`fixed.rs`)
//! - below 2^47: the stack, downwards
//!
//! Between two objects are at least [`GAP`] bytes, so that a pointer just behind one that lost its
//! provenance is not taken for a pointer to the next.

use crate::Fault;
use std::ops::Range;

/// The addresses of functions.
pub const CODE_REGION: Range<u64> = 0x5500_0000_0000..0x5600_0000_0000;

/// Bytes below the first valid address.
pub(crate) const NULL_BYTES: u64 = 4096;

/// Bytes that share one provenance; bases of objects are multiples.
pub(crate) const GRANULE: u64 = 8;

/// Bytes between objects.
pub(crate) const GAP: u64 = 16;

/// Addresses of globals.
pub(crate) const GLOBALS: Range<u64> = 4 << 30..4 << 40;

/// Addresses of stack objects; the upper end is where the stack starts.
pub(crate) const STACK: Range<u64> = 0x7f00_0000_0000..0x7fff_ffff_f000;

/// Size classes of the heap: logarithms of the sizes of places.
pub(crate) const CLASSES: Range<u32> = 5..40;

/// Logarithm of the bytes of a heap region.
pub(crate) const REGION_BITS: u32 = 40;

/// The largest alignment of an object.
const MAX_ALIGN: u64 = 1 << 20;

/// The alignment an object gets: a power of two, and at least a granule of provenance, so that
/// granules are the same by address and by offset.
#[inline]
pub(crate) fn alignment(align: u64) -> Result<u64, Fault> {
    if align > MAX_ALIGN || !align.is_power_of_two() {
        return Err(Fault::InvalidAlignment { align });
    }
    Ok(align.max(GRANULE))
}

/// What the addresses of a range are for, if one of them is for something.
pub(crate) fn reserved(range: Range<u64>) -> Option<&'static str> {
    let bytes = |class: u32| u64::from(class) << REGION_BITS;
    let regions = [
        (0..NULL_BYTES, "null pointers"),
        (GLOBALS, "globals"),
        (bytes(CLASSES.start)..bytes(CLASSES.end), "heap objects"),
        (CODE_REGION, "functions"),
        (STACK, "stack objects"),
    ];
    // An object of no bytes has an address too.
    let end = range.end.max(range.start.saturating_add(1));
    let touched = |(region, _): &(Range<u64>, _)| range.start < region.end && region.start < end;
    regions.into_iter().find(touched).map(|(_, name)| name)
}

/// A place for a heap object: a size class and the number of the place in its region.
#[derive(Clone, Copy)]
pub(crate) struct HeapPlace {
    pub class: u32,
    pub number: u32,
}

impl HeapPlace {
    /// The largest object that a place can have.
    pub const MOST: u64 = (1 << (CLASSES.end - 1)) - GAP;

    /// The class of places for a size and alignment, if there is one so large.
    pub fn class_for(size: u64, align: u64) -> Option<u32> {
        let bytes = size.checked_add(GAP)?.max(align);
        let class = bytes.checked_next_power_of_two()?.trailing_zeros();
        let class = class.max(CLASSES.start);
        CLASSES.contains(&class).then_some(class)
    }

    /// How many places a class has.
    pub fn count(class: u32) -> u32 {
        // One less than 2^32 at most: the last number is a mark for "no place".
        u32::try_from(1u64 << (REGION_BITS - class)).unwrap_or(u32::MAX)
    }

    /// The place that contains an address, if it is one of the heap's.
    #[inline]
    pub fn containing(address: u64) -> Option<Self> {
        let class = u32::try_from(address >> REGION_BITS).ok()?;
        if !CLASSES.contains(&class) {
            return None;
        }
        let number = (address & ((1 << REGION_BITS) - 1)) >> class;
        let number = u32::try_from(number).ok()?;
        Some(HeapPlace { class, number })
    }

    /// The first address of the place, which is the base of its object.
    pub fn base(self) -> u64 {
        (u64::from(self.class) << REGION_BITS) + (u64::from(self.number) << self.class)
    }
}
