//! Objects whose size is decided elsewhere.
//!
//! # Problem
//!
//! How many bytes a program asked for may depend on its inputs. Then whether an
//! access is inside of the object is a question that memory cannot answer.
//!
//! # Idea
//!
//! Such an object is made with the most bytes that it can have, and *opened*: from then
//! on no byte of it is known to exist. Whoever knows its size raises the number of bytes that
//! do. An access beyond them is refused as one that is out of bounds, with the object as
//! [open](Extent::open) and its capacity, so that whoever knows better can raise the number and
//! try again.
//!
//! # Cost
//!
//! Nothing for other objects: the test of an access is the same for all.

use crate::{Extent, Memory, ObjectId};

impl Memory {
    /// Leaves the size of a live object to somebody else: from now on none of its bytes is known to
    /// exist, and its size is its capacity. Content and place stay. False, and nothing happens, if
    /// there is no such object or it has 4 GiB or more.
    pub fn open(&mut self, object: ObjectId) -> bool {
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
    pub fn set_known(&mut self, object: ObjectId, bytes: u64) -> Option<Extent> {
        let number = self.live_slot(object)?;
        let before = self.objects.extent(number);
        if !before.open {
            return None;
        }
        let bytes = bytes.min(before.capacity);
        self.objects.slot_mut(number).set_size(bytes);
        Some(before)
    }

    /// Gives an open object its size, at most its capacity: it is as any other now, but its content
    /// still takes the room of its capacity.
    pub fn close(&mut self, object: ObjectId, size: u64) {
        if self.set_known(object, size).is_some() {
            self.objects.slot_mut(object.slot()).set_open(false);
        }
    }
}
