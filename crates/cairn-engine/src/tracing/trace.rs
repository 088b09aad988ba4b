//! What a stretch that is traced has found out so far.

use super::cells::{ByteRun, ByteSet, CoarseCell, RequiredCells, SourceCell};
use super::shadow::ShadowBytes;
use super::sources::{SourceSets, Sources, Walked};
use super::stretch::Untraceable;
use crate::values::value::{Value, Wide};
use cairn_machine::{AnyValue, ThreadCell};
use cairn_memory::{Memory, ObjectId, Word};
use std::collections::{BTreeMap, BTreeSet};

/// Sets of sources that a stretch may make.
const MOST_SETS: usize = 4 << 20;

/// Cells by what they are.
#[derive(Default)]
struct Cells {
    walked: Walked,
    thread: BTreeSet<ThreadCell>,
    bytes: BTreeMap<u64, ByteSet>,
}

impl Cells {
    fn add(&mut self, sets: &SourceSets, set: Sources) {
        let (thread, bytes) = (&mut self.thread, &mut self.bytes);
        sets.walk(set, &mut self.walked, |cell| match cell {
            SourceCell::Thread(cell) => {
                thread.insert(cell);
            }
            SourceCell::Bytes {
                object,
                offset,
                length,
            } => {
                let set = bytes.entry(object.raw()).or_default();
                set.insert(offset..offset + u64::from(length));
            }
        });
    }
}

/// See the module's head.
#[derive(Default)]
pub struct Trace {
    pub sets: SourceSets,
    pub shadow: ShadowBytes,
    required: Cells,
    known: Cells,
    objects: BTreeSet<u64>,
    coarse: BTreeSet<CoarseCell>,
    /// Of all decisions of control, in order.
    path: u64,
    untraceable: Option<Untraceable>,
}

impl Trace {
    /// Control, an access or the stop depends on these cells.
    pub fn require(&mut self, set: Sources) {
        self.required.add(&self.sets, set);
    }

    /// It matters that these cells are known, not what they are.
    pub fn require_known(&mut self, set: Sources) {
        self.known.add(&self.sets, set);
    }

    /// It depends on state that is one cell.
    pub fn require_coarse(&mut self, cell: CoarseCell) {
        self.coarse.insert(cell);
    }

    /// It depends on where an object is, how large, of which kind, and whether it lives.
    pub fn require_object(&mut self, object: ObjectId) {
        if !object.object_unknown() && !self.shadow.was_made(object) {
            self.objects.insert(object.raw());
        }
    }

    /// The cells of both sets.
    pub fn union(&mut self, a: Sources, b: Sources) -> Sources {
        if self.sets.len() > MOST_SETS {
            self.give_up(Untraceable::Large);
            return Sources::NONE;
        }
        self.sets.union(a, b)
    }

    /// The stretch does something that is not traced.
    pub fn give_up(&mut self, cause: Untraceable) {
        self.untraceable.get_or_insert(cause);
    }

    /// Control goes on by this.
    pub fn pass(&mut self, by: u64) {
        self.path = (self.path.rotate_left(5) ^ by).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    /// A number of the path that control took.
    pub fn path(&self) -> u64 {
        self.path
    }

    /// The cells with what they held when the stretch began.
    ///
    /// # Errors
    /// If the stretch could not be traced.
    pub fn finish(
        self,
        memory: &Memory,
        values: &BTreeMap<ThreadCell, AnyValue<Value, Wide>>,
    ) -> Result<RequiredCells, Untraceable> {
        if let Some(cause) = self.untraceable {
            return Err(cause);
        }
        let held = |cell: &ThreadCell| -> Option<(ThreadCell, AnyValue<Value, Wide>)> {
            Some((*cell, values.get(cell)?.clone()))
        };
        let at = |object: u64| Word {
            bits: 0,
            object: ObjectId::from_raw(object),
        };
        let bytes = self.required.bytes.into_iter().map(|(object, set)| {
            let base = memory.info(at(object)).map_or(0, |info| info.address);
            let ranges = set.ranges().map(|range| {
                let mut parts = Vec::new();
                let first = Word {
                    bits: base + range.start,
                    ..at(object)
                };
                // What was read is inside of its object.
                let _ = memory.load_parts(first, range.end - range.start, &mut parts);
                ByteRun {
                    range,
                    content: parts,
                }
            });
            (object, ranges.collect())
        });
        let objects = self.objects.into_iter();
        Ok(RequiredCells {
            thread: self.required.thread.iter().filter_map(held).collect(),
            bytes: bytes.collect(),
            objects: objects.map(|o| (o, memory.info(at(o)).ok())).collect(),
            coarse: self.coarse,
            known: self.known.thread,
            known_bytes: self.known.bytes,
        })
    }
}
