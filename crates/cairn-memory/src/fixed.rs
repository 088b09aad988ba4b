//! Objects at addresses that the program names: registers of a device, segments of an executable.
//!
//! They live for ever, like globals, and have an address that is none of the memory's own regions
//! (`layout.rs`), so that nothing that is made later gets in their way. They are few: a sorted list,
//! which clones share until one of them adds to it.

use crate::layout::GRANULE;
use crate::memory::{GlobalEntry, Memory};
use crate::{Fault, ObjectInfo, ObjectKind, Touch, Word};
use std::rc::Rc;
use thiserror::Error;

/// Why there cannot be an object at an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum FixedError {
    /// The addresses are for something else.
    #[error(
        "an object of {size} bytes at {base:#x} would lie where {region} are; addresses from 0x1000 \
         to {last_free:#x} are free"
    )]
    Reserved {
        /// Its first address.
        base: u64,
        /// Its size in bytes.
        size: u64,
        /// What the addresses are for.
        region: &'static str,
        /// The last of the addresses above the null pointers that are for nothing else.
        last_free: u64,
    },
    /// It would reach beyond the last address.
    #[error("an object of {size} bytes at {base:#x} would reach beyond the last address")]
    Beyond {
        /// Its first address.
        base: u64,
        /// Its size in bytes.
        size: u64,
    },
    /// There is another one.
    #[error("an object of {size} bytes at {base:#x} would overlap the {object}")]
    Overlap {
        /// Its first address.
        base: u64,
        /// Its size in bytes.
        size: u64,
        /// The other one.
        object: ObjectInfo,
    },
    /// The address is not aligned.
    #[error("an object cannot start at {base:#x}, which is not a multiple of {GRANULE}")]
    Unaligned {
        /// Its first address.
        base: u64,
    },
    /// There is no room for its content.
    #[error(transparent)]
    Full(#[from] Fault),
}

impl Memory {
    /// Makes an object of zeros at a given address, for ever.
    ///
    /// # Errors
    /// [`FixedError`]; nothing has happened then.
    pub fn allocate_fixed(&mut self, base: u64, size: u64) -> Result<Word, FixedError> {
        self.allocate_fixed_as(ObjectKind::Global, base, size)
    }

    /// The same for an object of a kind: a constant cannot be written by the program.
    ///
    /// # Errors
    /// [`FixedError`]; nothing has happened then.
    pub fn allocate_fixed_as(
        &mut self,
        kind: ObjectKind,
        base: u64,
        size: u64,
    ) -> Result<Word, FixedError> {
        let end = end_of(self, base, size)?;
        if let Some(region) = self.layout.reserved(base..end) {
            return Err(reserved(self, base, size, region));
        }
        place_fixed(self, kind, base, size)
    }

    /// Makes a constant of zeros among the addresses of functions: data that stands beside code.
    ///
    /// # Errors
    /// [`FixedError`]; nothing has happened then.
    pub fn allocate_beside_code(&mut self, base: u64, size: u64) -> Result<Word, FixedError> {
        let end = end_of(self, base, size)?;
        if base < self.layout.code.start || end > self.layout.code.end {
            let region = "no functions";
            return Err(reserved(self, base, size, region));
        }
        place_fixed(self, ObjectKind::Constant, base, size)
    }

    /// Gives an object at a given address another size. What it holds stays, as far as there is room;
    /// what is added is zero.
    ///
    /// # Errors
    /// [`FixedError`]; nothing has happened then. [`FixedError::Unaligned`] also if it is not an
    /// object that [`allocate_fixed`](Self::allocate_fixed) made.
    pub fn resize_fixed(&mut self, at: Word, size: u64) -> Result<(), FixedError> {
        // Which bytes it keeps is not noted.
        self.watch.note(Touch::Everything);
        let base = at.bits;
        let position = self.fixed.iter().position(|f| f.base == base);
        let position = position.ok_or(FixedError::Unaligned { base })?;
        let end = end_of(self, base, size)?;
        if let Some(region) = self.layout.reserved(base..end) {
            return Err(reserved(self, base, size, region));
        }
        if let Some(above) = self.fixed.get(position + 1)
            && above.base < end
        {
            let object = self.objects.info(above.slot);
            return Err(FixedError::Overlap { base, size, object });
        }
        let slot = self.fixed[position].slot;
        let before = self.objects.slot(slot).size;
        if self.objects.resize_large(slot, size) {
            return Ok(());
        }
        self.objects.check_room(size)?;
        let old = self.objects.replace_sized(slot, size)?;
        let copied = self.copy_forward((slot, 0), (old, 0), before.min(size));
        if copied.is_err() {
            // What was there fitted before.
            self.objects.exchange(slot, old);
        }
        self.objects.end(old);
        Ok(copied?)
    }
}

fn reserved(memory: &Memory, base: u64, size: u64, region: &'static str) -> FixedError {
    FixedError::Reserved {
        base,
        size,
        region,
        last_free: memory.layout.globals.start - 1,
    }
}

/// Where an object ends, if all of it has addresses.
fn end_of(memory: &Memory, base: u64, size: u64) -> Result<u64, FixedError> {
    let end = base.checked_add(size);
    let end = end.filter(|end| end.saturating_sub(1) <= memory.layout.last);
    end.ok_or(FixedError::Beyond { base, size })
}

/// An object at an address that was found to be free for it, other fixed objects aside.
fn place_fixed(
    memory: &mut Memory,
    kind: ObjectKind,
    base: u64,
    size: u64,
) -> Result<Word, FixedError> {
    memory.watch.note(Touch::Room);
    memory.watch.note(Touch::Layout);
    let end = base + size;
    if !base.is_multiple_of(GRANULE) {
        return Err(FixedError::Unaligned { base });
    }
    let position = memory.fixed.partition_point(|f| f.base <= base);
    let below = position.checked_sub(1).map(|i| memory.fixed[i].slot);
    let above = memory.fixed.get(position).map(|f| f.slot);
    for slot in [below, above].into_iter().flatten() {
        let object = memory.objects.info(slot);
        let apart = object.address + object.size <= base || end <= object.address;
        if !apart || object.address == base {
            return Err(FixedError::Overlap { base, size, object });
        }
    }
    memory.objects.check_room(size)?;
    let object = memory.objects.create(kind, base, size, 1)?;
    let entry = GlobalEntry {
        base,
        slot: object.slot(),
    };
    Rc::make_mut(&mut memory.fixed).insert(position, entry);
    memory.watch.note(Touch::Made(object));
    Ok(Word { bits: base, object })
}

/// The slot of the last fixed object at an address or below.
pub(crate) fn nearest_fixed(memory: &Memory, address: u64) -> Option<u32> {
    let above = memory.fixed.partition_point(|f| f.base <= address);
    Some(memory.fixed[above.checked_sub(1)?].slot)
}
