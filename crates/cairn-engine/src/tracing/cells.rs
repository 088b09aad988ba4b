//! Source cells: what a state holds when a stretch begins; and those that its control path stands on.

use crate::values::value::{Value, Wide};
use cairn_machine::{AnyValue, ThreadCell};
use cairn_memory::{ObjectId, ObjectInfo, ReadPart};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What a value of a stretch came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SourceCell {
    /// A register, wide local or argument of a call.
    Thread(ThreadCell),
    /// Bytes of an object.
    Bytes {
        /// The object.
        object: ObjectId,
        /// The first byte.
        offset: u64,
        /// How many.
        length: u32,
    },
}

/// State that is one cell as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CoarseCell {
    /// How much room the stack has: calls and stack objects were made.
    Stack,
    /// Where objects are: an address was used as a number, or a number as an address.
    Layout,
    /// The numbers of calls and the heights of the stack that a jump goes back to.
    Calls,
    /// What the path decided about terms before: an access at a symbolic address went on because of it.
    Decided,
    /// The machine's slots.
    Slots,
    /// How full the heap is, and where it has room.
    Heap,
    /// What the C library and the system keep outside of the program's memory: descriptors, streams, functions to
    /// call at the end.
    Outside,
}

/// Bytes of an object that lie together, and what was there when the stretch began.
#[derive(Clone)]
pub struct ByteRun {
    /// Which.
    pub range: Range<u64>,
    /// What was there.
    pub content: Vec<ReadPart>,
}

/// The cells that a stretch's control path and stop stand on.
///
/// Any state at the same point with the same calls that agrees on them takes the same path to the same
/// stop. What it holds elsewhere may be any word, and any term unless the cell is among the
/// [`known`](Self::known) ones.
#[derive(Clone, Default)]
pub struct RequiredCells {
    /// Places of the thread, each with what it held.
    pub thread: BTreeMap<ThreadCell, AnyValue<Value, Wide>>,
    /// Bytes of objects by the number of the object, each with what was there.
    pub bytes: BTreeMap<u64, Vec<ByteRun>>,
    /// Objects that were there when the stretch began and were accessed: address, size and kind; nothing
    /// if it had ended before or was out of scope.
    pub objects: BTreeMap<u64, Option<ObjectInfo>>,
    /// State that is one cell.
    pub coarse: BTreeSet<CoarseCell>,
    /// Places of the thread that must hold words, whichever: an operator on a term would choose a value.
    pub known: BTreeSet<ThreadCell>,
    /// The same of bytes.
    pub known_bytes: BTreeMap<u64, ByteSet>,
}

impl RequiredCells {
    /// How many cells there are, a run of bytes being one.
    pub fn count(&self) -> usize {
        let bytes: usize = self.bytes.values().map(Vec::len).sum();
        self.thread.len() + bytes + self.objects.len() + self.coarse.len()
    }

    /// Whether a byte is required.
    pub fn has_byte(&self, object: ObjectId, offset: u64) -> bool {
        let ranges = self.bytes.get(&object.raw());
        ranges.is_some_and(|ranges| {
            let behind = ranges.partition_point(|run| run.range.start <= offset);
            behind > 0 && ranges[behind - 1].range.contains(&offset)
        })
    }

    /// Whether a byte must be known, whatever it is.
    pub fn must_be_known(&self, object: ObjectId, offset: u64) -> bool {
        let set = self.known_bytes.get(&object.raw());
        set.is_some_and(|set| set.contains(offset))
    }
}

/// A set of bytes of an object, as ranges that do not touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ByteSet(BTreeMap<u64, u64>);

impl ByteSet {
    /// Adds a range.
    pub fn insert(&mut self, mut range: Range<u64>) {
        while let Some((&start, &end)) = self.0.range(..=range.end).next_back() {
            if end < range.start {
                break;
            }
            self.0.remove(&start);
            range = range.start.min(start)..range.end.max(end);
        }
        self.0.insert(range.start, range.end);
    }

    /// Whether a byte is in it.
    pub fn contains(&self, offset: u64) -> bool {
        let below = self.0.range(..=offset).next_back();
        below.is_some_and(|(_, end)| offset < *end)
    }

    /// The ranges in order.
    pub fn ranges(&self) -> impl Iterator<Item = Range<u64>> {
        self.0.iter().map(|(start, end)| *start..*end)
    }
}
