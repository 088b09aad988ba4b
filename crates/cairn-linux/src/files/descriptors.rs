//! What a process has open.
//!
//! A descriptor is a number for an opening of a file; several numbers may share one opening, and
//! with it its position.

use super::InodeId;
use crate::Errno;

/// Flags of `open`, which are the same on both architectures.
pub(crate) mod flags {
    pub const ACCESS: u32 = 0o3;
    pub const WRITE_ONLY: u32 = 0o1;
    pub const READ_WRITE: u32 = 0o2;
    pub const CREATE: u32 = 0o100;
    pub const EXCLUSIVE: u32 = 0o200;
    pub const TRUNCATE: u32 = 0o1000;
    pub const APPEND: u32 = 0o2000;
    pub const NONBLOCK: u32 = 0o4000;
    pub const ASYNC: u32 = 0o20000;
    pub const DIRECT: u32 = 0o40000;
    pub const LARGE: u32 = 0o100000;
    pub const DIRECTORY: u32 = 0o200000;
    pub const NOFOLLOW: u32 = 0o400000;
    pub const NOATIME: u32 = 0o1000000;
    pub const CLOEXEC: u32 = 0o2000000;
    pub const PATH: u32 = 0o10000000;
    pub const TMPFILE: u32 = 0o20000000;
}

/// An opening of a file.
#[derive(Clone, Debug)]
pub(crate) struct OpenFile {
    pub node: InodeId,
    /// The position; in a folder the number of the last entry read.
    pub offset: u64,
    /// Access and status, as `F_GETFL` gives them.
    pub flags: u32,
    /// How many descriptors share it.
    shared: u32,
}

impl OpenFile {
    pub fn new(node: InodeId, flags: u32) -> Self {
        OpenFile {
            node,
            offset: 0,
            flags,
            shared: 0,
        }
    }

    pub fn path_only(&self) -> bool {
        self.flags & flags::PATH != 0
    }

    pub fn readable(&self) -> bool {
        matches!(self.flags & flags::ACCESS, 0 | flags::READ_WRITE) && !self.path_only()
    }

    pub fn writable(&self) -> bool {
        let access = self.flags & flags::ACCESS;
        matches!(access, flags::WRITE_ONLY | flags::READ_WRITE) && !self.path_only()
    }

    pub fn append(&self) -> bool {
        self.flags & flags::APPEND != 0
    }

    pub fn nonblocking(&self) -> bool {
        self.flags & flags::NONBLOCK != 0
    }
}

#[derive(Clone, Copy, Debug)]
struct Descriptor {
    open: usize,
    close_on_exec: bool,
}

/// All descriptors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Descriptors {
    numbers: Vec<Option<Descriptor>>,
    opens: Vec<Option<OpenFile>>,
}

impl Descriptors {
    fn descriptor(&self, number: u32) -> Result<Descriptor, Errno> {
        let entry = self.numbers.get(number as usize).copied().flatten();
        entry.ok_or(Errno::EBADF)
    }

    /// What a descriptor has open.
    pub fn get(&self, number: u32) -> Result<&OpenFile, Errno> {
        let open = self.descriptor(number)?.open;
        self.opens[open].as_ref().ok_or(Errno::EBADF)
    }

    pub fn get_mut(&mut self, number: u32) -> Result<&mut OpenFile, Errno> {
        let open = self.descriptor(number)?.open;
        self.opens[open].as_mut().ok_or(Errno::EBADF)
    }

    pub fn close_on_exec(&self, number: u32) -> Result<bool, Errno> {
        Ok(self.descriptor(number)?.close_on_exec)
    }

    pub fn set_close_on_exec(&mut self, number: u32, value: bool) -> Result<(), Errno> {
        self.descriptor(number)?;
        if let Some(Some(entry)) = self.numbers.get_mut(number as usize) {
            entry.close_on_exec = value;
        }
        Ok(())
    }

    /// The lowest free number from one on, below a limit.
    pub fn free_number(&self, from: u32, limit: u64) -> Result<u32, Errno> {
        let mut number = from;
        while self.descriptor(number).is_ok() {
            number += 1;
        }
        if u64::from(number) >= limit {
            return Err(Errno::EMFILE);
        }
        Ok(number)
    }

    fn place(&mut self, number: u32, open: usize, close_on_exec: bool) {
        let index = number as usize;
        if index >= self.numbers.len() {
            self.numbers.resize(index + 1, None);
        }
        self.numbers[index] = Some(Descriptor {
            open,
            close_on_exec,
        });
        if let Some(open) = &mut self.opens[open] {
            open.shared += 1;
        }
    }

    /// Gives an opening a number, which is free.
    pub fn insert(&mut self, number: u32, open: OpenFile, close_on_exec: bool) {
        let free = self.opens.iter().position(Option::is_none);
        let index = free.unwrap_or(self.opens.len());
        if index == self.opens.len() {
            self.opens.push(None);
        }
        self.opens[index] = Some(open);
        self.place(number, index, close_on_exec);
    }

    /// Gives the opening of a number a second one, which is free.
    pub fn share(&mut self, old: u32, new: u32, close_on_exec: bool) -> Result<(), Errno> {
        let open = self.descriptor(old)?.open;
        self.place(new, open, close_on_exec);
        Ok(())
    }

    /// Frees a number; gives the opening if that was its last.
    pub fn remove(&mut self, number: u32) -> Result<Option<OpenFile>, Errno> {
        let index = self.descriptor(number)?.open;
        self.numbers[number as usize] = None;
        let Some(open) = &mut self.opens[index] else {
            return Ok(None);
        };
        open.shared -= 1;
        if open.shared > 0 {
            return Ok(None);
        }
        Ok(self.opens[index].take())
    }

    /// The numbers in use, in order.
    pub fn numbers(&self) -> impl Iterator<Item = u32> {
        let used = self.numbers.iter().enumerate();
        used.filter_map(|(number, entry)| entry.map(|_| number as u32))
    }
}
