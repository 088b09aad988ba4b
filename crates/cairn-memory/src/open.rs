//! Open objects: their size is decided elsewhere (in the engine it is a term).
//!
//! # Problem
//!
//! The number of bytes that a program allocates may depend on its inputs. Then memory cannot decide whether
//! an access is inside of the object.
//!
//! # Idea
//!
//! Such an object is made with the most bytes that it can have, its capacity, and *opened*: from then on no
//! byte of it is known to exist. The engine, which has the term of the size, raises the number of bytes that
//! exist. An access beyond them is refused as out of bounds; the fault says that the object is
//! [open](ObjectInfo::open) and what its capacity is, so that the engine can raise the number and try again.
//!
//! # Soundness
//!
//! Memory never accesses a byte that is not known to exist. An access that is refused may still be inside
//! of the object: that is decided by the engine.
//!
//! # Cost
//!
//! Nothing for other objects: the test of an access is the same for all.

use crate::{Memory, ObjectId, ObjectInfo};

impl Memory {
    /// Opens a live object: its capacity is what its size was, and from now on none of its bytes is known to
    /// exist. Content and address stay. False, and nothing happens, if there is no such object or it
    /// has 4 GiB or more.
    pub fn make_size_symbolic(&mut self, object: ObjectId) -> bool {
        let Some(slot) = self.live_slot(object) else {
            return false;
        };
        let slot = self.objects.slot_mut(slot);
        let possible = slot.set_size(0);
        if possible {
            slot.set_open(true);
        }
        possible
    }

    /// Says how many bytes of an open object are known to exist, more or fewer than before: at most
    /// its capacity. Gives the object as it was; `None`, and nothing happens, if it is not open.
    pub fn set_known_size(&mut self, object: ObjectId, bytes: u64) -> Option<ObjectInfo> {
        let number = self.live_slot(object)?;
        let before = self.objects.info(number);
        if !before.open {
            return None;
        }
        let bytes = bytes.min(before.capacity);
        self.objects.slot_mut(number).set_size(bytes);
        Some(before)
    }

    /// Gives an open object its size, at most its capacity: it is as any other now, but its content
    /// still takes the room of its capacity.
    pub fn fix_size(&mut self, object: ObjectId, size: u64) {
        if self.set_known_size(object, size).is_some() {
            self.objects.slot_mut(object.slot()).set_open(false);
        }
    }
}
