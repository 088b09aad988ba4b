//! The bytes of a file: an object of the program's memory.
//!
//! Reading and writing are copies between that object and the program's buffer, so unknown bytes are
//! copied in both directions like all others, and a clone of the memory is a clone of all files.
//!
//! - *Invariant:* bytes of the object after the file's size are zero, unless the program has the file
//!   mapped; so after a write beyond the end the bytes between the old size and the write read as zeros.
//! - *Cost:* a file that grows gets an object of twice the size; bytes are copied once on average.

use crate::Errno;
use cairn_memory::{Memory, ObjectKind, Word};
use std::sync::Arc;

/// The smallest object of a file that is written.
const SMALLEST: u64 = 128;

/// The largest file.
pub(crate) const MAX_SIZE: u64 = 1 << 36;

/// The bytes of a file.
#[derive(Clone, Debug)]
pub(crate) struct FileContent {
    object: Store,
    size: u64,
    /// How often the program has it mapped; the object must stay while it has.
    mapped: u32,
}

#[derive(Clone, Debug)]
enum Store {
    Empty,
    /// Bytes of the host that were not accessed yet: they have no object.
    Host(Arc<[u8]>),
    Object {
        at: Word,
        capacity: u64,
    },
}

impl FileContent {
    pub const EMPTY: FileContent = FileContent {
        object: Store::Empty,
        size: 0,
        mapped: 0,
    };

    /// Bytes that enter the memory when they are first needed.
    pub fn host(bytes: Arc<[u8]>) -> Self {
        FileContent {
            size: bytes.len() as u64,
            object: Store::Host(bytes),
            mapped: 0,
        }
    }

    /// An object of exactly this size, to be filled in.
    pub fn reserved(memory: &mut Memory, size: u64) -> Result<(Self, Word), Errno> {
        let at = allocate(memory, size)?;
        let content = FileContent {
            object: Store::Object { at, capacity: size },
            size,
            mapped: 0,
        };
        Ok((content, at))
    }

    pub fn size(&self) -> u64 {
        self.size
    }

    /// The object, if there is one.
    pub fn object(&self) -> Option<Word> {
        match self.object {
            Store::Object { at, .. } => Some(at),
            Store::Empty | Store::Host(_) => None,
        }
    }

    /// Whether the file can have a size. While the program has its object mapped it cannot outgrow the
    /// object, because the program's pointers would still point to the old one.
    pub fn fits(&self, size: u64) -> bool {
        match self.object {
            Store::Object { capacity, .. } => self.mapped == 0 || size <= capacity,
            Store::Empty | Store::Host(_) => true,
        }
    }

    /// The object of a file that has bytes; it is made at the first access.
    pub fn materialise(&mut self, memory: &mut Memory) -> Result<Word, Errno> {
        self.reserve(memory, self.size)
    }

    /// Sees to it that there is an object of some size at least.
    fn reserve(&mut self, memory: &mut Memory, needed: u64) -> Result<Word, Errno> {
        if let Store::Object { at, capacity } = self.object
            && capacity >= needed
        {
            return Ok(at);
        }
        if needed > MAX_SIZE {
            return Err(Errno::EFBIG);
        }
        debug_assert!(self.fits(needed), "callers have asked");
        let capacity = match &self.object {
            Store::Host(_) if needed <= self.size => self.size,
            Store::Object { capacity, .. } => needed.max(2 * *capacity).clamp(SMALLEST, MAX_SIZE),
            Store::Empty | Store::Host(_) => needed.max(SMALLEST),
        };
        self.move_to(memory, capacity)
    }

    /// Moves the bytes to an object of exactly some size, which has room for them.
    fn move_to(&mut self, memory: &mut Memory, capacity: u64) -> Result<Word, Errno> {
        let at = allocate(memory, capacity)?;
        let filled = match &self.object {
            Store::Host(bytes) => memory.store_bytes(at, bytes),
            Store::Object { at: old, .. } => memory.copy(at, *old, self.size, false),
            Store::Empty => Ok(()),
        };
        if filled.is_err() {
            memory.release(at);
            return Err(Errno::ENOSPC);
        }
        if let Store::Object { at: old, .. } = self.object {
            memory.release(old);
        }
        self.object = Store::Object { at, capacity };
        Ok(at)
    }

    /// Copies bytes of the file, all of which it has, to a place that was checked.
    pub fn read(
        &mut self,
        memory: &mut Memory,
        from: u64,
        to: Word,
        length: u64,
    ) -> Result<(), Errno> {
        if length == 0 {
            return Ok(());
        }
        let object = self.materialise(memory)?;
        let copied = memory.copy(to, object.offset(from), length, true);
        copied.map_err(|_| Errno::ENOMEM)
    }

    /// Copies bytes from a place that was checked into the file, which grows if need be.
    pub fn write(
        &mut self,
        memory: &mut Memory,
        to: u64,
        from: Word,
        length: u64,
    ) -> Result<(), Errno> {
        if length == 0 {
            return Ok(());
        }
        let end = to.checked_add(length).ok_or(Errno::EFBIG)?;
        let object = self.reserve(memory, end.max(self.size))?;
        let copied = memory.copy(object.offset(to), from, length, true);
        copied.map_err(|_| Errno::ENOSPC)?;
        self.size = self.size.max(end);
        Ok(())
    }

    /// Puts bytes of the caller's after all others.
    pub fn append(&mut self, memory: &mut Memory, bytes: &[u8]) -> Result<(), Errno> {
        let end = self.size + bytes.len() as u64;
        let object = self.reserve(memory, end)?;
        let stored = memory.store_bytes(object.offset(self.size), bytes);
        stored.map_err(|_| Errno::ENOSPC)?;
        self.size = end;
        Ok(())
    }

    /// Makes the file shorter or longer; new bytes are zero.
    pub fn set_size(&mut self, memory: &mut Memory, size: u64) -> Result<(), Errno> {
        if size > self.size {
            self.reserve(memory, size)?;
        } else if size < self.size {
            self.zero(memory, size, self.size - size)?;
        }
        self.size = size;
        Ok(())
    }

    /// Makes bytes of the file zero.
    pub fn zero(&mut self, memory: &mut Memory, from: u64, length: u64) -> Result<(), Errno> {
        match &self.object {
            Store::Empty => Ok(()),
            Store::Host(_) if from == 0 && length == self.size => {
                self.object = Store::Empty;
                Ok(())
            }
            Store::Host(_) | Store::Object { .. } => {
                let object = self.reserve(memory, self.size)?;
                let filled = memory.fill(object.offset(from), 0, length);
                filled.map_err(|_| Errno::ENOSPC)
            }
        }
    }

    /// Gives the object to the program, with room for a mapping of some length and no more, so that
    /// an access past it is seen.
    pub fn map(&mut self, memory: &mut Memory, length: u64) -> Result<Word, Errno> {
        let wanted = length.max(self.size.next_multiple_of(4096));
        let object = match self.object {
            Store::Object { at, capacity } if capacity == wanted || self.mapped > 0 => at,
            Store::Object { .. } | Store::Empty | Store::Host(_) => {
                let moved = self.move_to(memory, wanted);
                moved.map_err(|_| Errno::ENOMEM)?
            }
        };
        memory.set_mapped(object, true);
        self.mapped += 1;
        Ok(object)
    }

    /// Takes the object back once.
    pub fn unmap(&mut self, memory: &mut Memory) {
        self.mapped = self.mapped.saturating_sub(1);
        if self.mapped == 0
            && let Store::Object { at, capacity } = self.object
        {
            memory.set_mapped(at, false);
            // Bytes that the program wrote after the end are not part of the file.
            let _ = memory.fill(at.offset(self.size), 0, capacity - self.size);
        }
    }

    /// Ends the object.
    pub fn release(&mut self, memory: &mut Memory) {
        if let Store::Object { at, .. } = self.object {
            memory.release(at);
        }
        *self = FileContent::EMPTY;
    }
}

fn allocate(memory: &mut Memory, size: u64) -> Result<Word, Errno> {
    // Page alignment, so that the object can be mapped.
    let at = memory.allocate(ObjectKind::Kernel, size, 4096);
    at.map_err(|_| Errno::ENOSPC)
}
