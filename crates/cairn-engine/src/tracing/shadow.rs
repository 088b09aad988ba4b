//! What the bytes came from that a stretch has written.

use super::cells::SourceCell;
use super::sources::{SourceSets, Sources};
use cairn_memory::ObjectId;
use rustc_hash::{FxHashMap, FxHashSet};

/// See the module's head. A byte that is not here and belongs to an object that was there before is its own
/// source.
#[derive(Default)]
pub struct ShadowBytes {
    written: FxHashMap<(ObjectId, u64), Sources>,
    /// Objects that the stretch made: what it has not written of them came from nowhere.
    made: FxHashSet<ObjectId>,
}

impl ShadowBytes {
    /// An object was made.
    pub fn make(&mut self, object: ObjectId) {
        self.made.insert(object);
    }

    /// Whether the stretch made an object.
    pub fn was_made(&self, object: ObjectId) -> bool {
        self.made.contains(&object)
    }

    /// Bytes were written.
    pub fn write(&mut self, object: ObjectId, offset: u64, length: u64, from: Sources) {
        #[cfg(test)]
        if super::tests::forgets_stores() {
            return;
        }
        for at in offset..offset + length {
            self.written.insert((object, at), from);
        }
    }

    /// Some of these bytes may have been written. They are one array from then on, and what is read of it is simplified
    /// by all that the array holds: each came from there or from where any of them was.
    pub fn write_some(
        &mut self,
        sets: &mut SourceSets,
        object: ObjectId,
        offset: u64,
        length: u64,
        from: Sources,
    ) {
        let before = self.read(sets, object, offset, length);
        let all = sets.union(before, from);
        for at in offset..offset + length {
            self.written.insert((object, at), all);
        }
    }

    /// What bytes came from.
    pub fn read(
        &self,
        sets: &mut SourceSets,
        object: ObjectId,
        offset: u64,
        length: u64,
    ) -> Sources {
        let mut all = Sources::NONE;
        let own = !self.was_made(object);
        let end = offset + length;
        let mut at = offset;
        while at < end {
            if let Some(&from) = self.written.get(&(object, at)) {
                all = sets.union(all, from);
                at += 1;
                continue;
            }
            let first = at;
            while at < end && !self.written.contains_key(&(object, at)) {
                at += 1;
            }
            if own {
                let leaf = sets.leaf(SourceCell::Bytes {
                    object,
                    offset: first,
                    length: (at - first) as u32,
                });
                all = sets.union(all, leaf);
            }
        }
        all
    }

    /// Bytes were copied. All is read before anything is written.
    pub fn copy(
        &mut self,
        sets: &mut SourceSets,
        to: (ObjectId, u64),
        from: (ObjectId, u64),
        length: u64,
    ) {
        let read: Vec<Sources> = (0..length)
            .map(|i| self.read(sets, from.0, from.1 + i, 1))
            .collect();
        for (i, sources) in (0..).zip(read) {
            self.written.insert((to.0, to.1 + i), sources);
        }
    }
}
