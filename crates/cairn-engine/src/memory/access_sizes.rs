//! With which sizes an object is accessed at unknown offsets.
//!
//! # Problem
//!
//! An object that is written at an unknown offset becomes an array, and an array has
//! elements of one size. If they are larger than a write, an element is what was read before with a piece
//! exchanged, and so on for every write; if they are smaller, an access is several reads and several
//! axioms. Which size is right depends on all writes, not on the one in hand.
//!
//! # Idea
//!
//! \[ShuaiEtAl21, section 3.2\] infers the smallest size of loads, stores and casts of an object. Here the
//! smallest write so far is kept on each path, and the array has elements of that size. An
//! access counts with the largest power of two, up to 8, that divides both its length and its offset for
//! every input: an `int` at a multiple of four counts as four bytes, one that may lie anywhere as one byte.
//!
//! # What differs
//!
//! The paper concludes that indices are multiples of the size; casts and packed structures make that
//! wrong. Here the multiple is proved of the offset's term.
//!
//! Reads do not count. Known bytes are read with the read's own size. To read a part of an element is
//! one extraction from one select, which costs less than smaller elements cost every write: 0.17 instead
//! of 0.27 s for unaligned words among four writes (`tests/programs/array_mixed_sizes.c` is such a program).
//! Accesses at known offsets do not count either: bytes are concatenated to elements of any size without a
//! shift. Machine code has no objects, so sizes are kept for the parts of a segment that accesses can
//! reach (`memory/windows.rs`); parts that overlap become one.
//!
//! # Soundness
//!
//! The size only chooses the array's representation. Nothing is concluded from it about an index, and
//! elements of any size are right.
//!
//! # Cost
//!
//! A path shares the table with the one it forked from until it changes, which it does at the first
//! such write to an object and when a smaller one comes.

use cairn_memory::ObjectId;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Objects whose sizes are kept on a path; beyond, all are forgotten.
const MOST: usize = 1024;

/// A part of an object and the smallest write to it.
#[derive(Clone, Copy)]
struct Accessed {
    start: u64,
    end: u64,
    smallest: u32,
}

/// The smallest write to each object, on one path.
#[derive(Clone, Default)]
pub(crate) struct AccessSizes {
    parts: Rc<FxHashMap<ObjectId, Vec<Accessed>>>,
}

impl AccessSizes {
    /// Notes a write of elements of this many bytes that can be anywhere in a part of an object; returns
    /// the smallest one of the part so far.
    pub fn note(&mut self, object: ObjectId, start: u64, length: u64, bytes: u32) -> u32 {
        let end = start.saturating_add(length);
        let parts = self.parts.get(&object).map_or(&[][..], |parts| parts);
        let within = |p: &&Accessed| p.start <= start && end <= p.end && p.smallest <= bytes;
        if let Some(known) = parts.iter().find(within) {
            return known.smallest;
        }
        if self.parts.len() >= MOST {
            self.parts = Rc::default();
        }
        let parts = Rc::make_mut(&mut self.parts).entry(object).or_default();
        let mut all = Accessed {
            start,
            end,
            smallest: bytes,
        };
        // Those that are apart from each other stay so, unless the new one meets both.
        parts.retain(|p| {
            let apart = p.end <= start || end <= p.start;
            if !apart {
                all.start = all.start.min(p.start);
                all.end = all.end.max(p.end);
                all.smallest = all.smallest.min(p.smallest);
            }
            apart
        });
        parts.push(all);
        all.smallest
    }
}

#[cfg(test)]
mod tests {
    use super::AccessSizes;
    use cairn_memory::ObjectId;

    const OBJECT: ObjectId = ObjectId::NONE;

    #[test]
    fn the_smallest_write_counts_on_its_own_path() {
        let mut path = AccessSizes::default();
        assert_eq!(path.note(OBJECT, 0, 64, 4), 4);
        let mut fork = path.clone();
        assert_eq!(fork.note(OBJECT, 0, 64, 1), 1);
        assert_eq!(fork.note(OBJECT, 0, 64, 8), 1);
        assert_eq!(path.note(OBJECT, 0, 64, 8), 4);
    }

    #[test]
    fn parts_of_a_segment_are_told_apart_until_a_write_reaches_both() {
        let mut path = AccessSizes::default();
        assert_eq!(path.note(OBJECT, 0, 64, 1), 1);
        assert_eq!(path.note(OBJECT, 64, 64, 8), 8);
        assert_eq!(path.note(OBJECT, 72, 8, 8), 8);
        assert_eq!(path.note(OBJECT, 60, 8, 4), 1);
        assert_eq!(path.note(OBJECT, 72, 8, 8), 1);
    }
}
