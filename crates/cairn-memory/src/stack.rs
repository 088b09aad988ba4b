//! Frames and the addresses of stack objects.
//!
//! Objects lie one below the other. What they use of the stack's size is counted without the gaps
//! between them, which a native stack does not have either: a program that has room there has
//! room here.

use crate::Fault;
use crate::chunked::Chunked;
use crate::layout::GAP;
use std::ops::Range;

/// What a frame takes besides its objects: a return address and a saved frame pointer.
const FRAME_BYTES: u64 = 16;

#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct StackEntry {
    base: u64,
    slot: u32,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct StackFrame {
    /// How many objects are in the frames around.
    first: usize,
    /// Where the stack stood when the frame was made.
    pointer: u64,
    /// Bytes that it takes besides its objects.
    taken: u64,
}

/// The live stack objects and whose they are.
#[derive(Clone)]
pub(crate) struct Stack {
    entries: Chunked<StackEntry, 128>,
    /// The frames inside of the outermost one, which is always there.
    frames: Chunked<StackFrame, 128>,
    frame: StackFrame,
    /// The lowest base of a live object, or where the first one will be below.
    pointer: u64,
    /// The lowest that it ever was.
    lowest: u64,
    used: u64,
    limit: u64,
    /// Addresses of stack objects.
    region: Range<u64>,
}

/// What an object of some size takes of the stack's size.
#[inline]
pub fn cost(size: u64) -> u64 {
    size.max(1).saturating_add(7) & !7
}

impl Stack {
    pub fn new(limit: u64, region: Range<u64>) -> Self {
        Stack {
            entries: Chunked::new(),
            frames: Chunked::new(),
            frame: StackFrame {
                first: 0,
                pointer: region.end,
                taken: 0,
            },
            pointer: region.end,
            lowest: region.end,
            used: 0,
            limit,
            region,
        }
    }

    fn overflow(&self, size: u64) -> Fault {
        Fault::StackOverflow {
            size: Some(size),
            limit: self.limit,
        }
    }

    /// That an object does not fit whose size is not known.
    pub fn overflow_of_unknown_size(&self) -> Fault {
        Fault::StackOverflow {
            size: None,
            limit: self.limit,
        }
    }

    #[inline]
    pub fn push_frame(&mut self, taken: u64) -> Result<(), Fault> {
        let taken = FRAME_BYTES.saturating_add(taken);
        if taken > self.limit - self.used {
            return Err(self.overflow(taken));
        }
        self.used += taken;
        self.frames.push(self.frame);
        self.frame = StackFrame {
            first: self.entries.len(),
            pointer: self.pointer,
            taken,
        };
        Ok(())
    }

    /// Leaves a frame whose objects have ended. The outermost one stays.
    #[inline]
    pub fn pop_frame(&mut self) {
        if let Some(last) = self.frames.len().checked_sub(1) {
            self.used -= self.frame.taken;
            self.frame = *self.frames.get(last).expect("a frame below the last");
            self.frames.truncate(last);
        }
    }

    /// How many objects are in the frames around the present one.
    #[inline]
    pub fn frame_start(&self) -> usize {
        self.frame.first
    }

    /// The base for a new object.
    #[inline]
    pub fn place(&self, size: u64, align: u64) -> Result<u64, Fault> {
        let room = self.limit - self.used;
        self.pointer
            .checked_sub(GAP)
            .and_then(|end| end.checked_sub(size))
            .map(|base| base & !(align - 1))
            .filter(|&base| base >= self.region.start && cost(size) <= room)
            .ok_or_else(|| self.overflow(size))
    }

    /// The largest object that there is room for.
    pub fn room(&self) -> u64 {
        (self.limit - self.used) & !7
    }

    /// Adds the object that was made at a place.
    #[inline]
    pub fn push(&mut self, base: u64, size: u64, slot: u32) {
        self.entries.push(StackEntry { base, slot });
        self.used += cost(size);
        self.pointer = base;
        self.lowest = self.lowest.min(base);
    }

    /// How many objects there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The slot of the last object.
    #[inline]
    pub fn last(&self) -> Option<u32> {
        let last = self.entries.len().checked_sub(1)?;
        Some(self.entries.get(last)?.slot)
    }

    /// Removes the last object, which was of some size.
    #[inline]
    pub fn pop(&mut self, size: u64) {
        let Some(last) = self.entries.len().checked_sub(1) else {
            return;
        };
        self.entries.truncate(last);
        self.used -= cost(size);
        self.pointer = if last == self.frame.first {
            self.frame.pointer
        } else {
            self.base(last - 1)
        };
    }

    #[inline]
    fn base(&self, index: usize) -> u64 {
        self.entries.get(index).map_or(self.region.end, |e| e.base)
    }

    #[inline]
    pub fn mark(&self) -> u64 {
        self.pointer
    }

    /// How many objects there were at a mark of the present frame.
    pub fn length_at(&self, mark: u64) -> Option<usize> {
        let objects = self.frame.first..self.entries.len();
        if mark == self.frame.pointer {
            return Some(objects.start);
        }
        let index = self.first_at_or_below(objects.clone(), mark);
        (index < objects.end && self.base(index) == mark).then_some(index + 1)
    }

    /// The first of some objects whose base is an address or below it: bases descend.
    fn first_at_or_below(&self, objects: std::ops::Range<usize>, address: u64) -> usize {
        let above = |entry: &StackEntry| entry.base > address;
        self.entries.partition_point_in(objects, above)
    }

    /// The slot of the object with the last base at an address or below.
    pub fn nearest(&self, address: u64) -> Option<u32> {
        let index = self.first_at_or_below(0..self.entries.len(), address);
        if index >= self.entries.len() {
            return None;
        }
        Some(self.entries.get(index)?.slot)
    }

    /// The addresses around one for which [`nearest`](Self::nearest) and [`was_used`](Self::was_used)
    /// answer the same, from the first to the last.
    pub fn alike(&self, address: u64) -> (u64, u64) {
        let index = self.first_at_or_below(0..self.entries.len(), address);
        let base = |index| self.entries.get(index).map(|entry: &StackEntry| entry.base);
        let above = index.checked_sub(1).and_then(base);
        let last = above.unwrap_or(self.region.end) - 1;
        if index < self.entries.len() {
            return (base(index).expect("there is one"), last);
        }
        if address < self.lowest {
            (self.region.start, last.min(self.lowest - 1))
        } else if address < self.pointer {
            (self.lowest, last.min(self.pointer - 1))
        } else {
            (self.pointer, last)
        }
    }

    /// The stacks of several paths, which must have the same frames and objects at the same places.
    pub fn merged(all: &[&Stack]) -> Option<Stack> {
        let mut merged = (*all.first()?).clone();
        for other in &all[1..] {
            let same = merged.frame == other.frame
                && merged.pointer == other.pointer
                && merged.used == other.used
                && merged.frames.equal(&other.frames)
                && merged.entries.equal(&other.entries);
            if !same {
                return None;
            }
            merged.lowest = merged.lowest.min(other.lowest);
        }
        Some(merged)
    }

    /// Whether an address was once in use and is not any more.
    pub fn was_used(&self, address: u64) -> bool {
        (self.lowest..self.pointer).contains(&address)
    }
}
