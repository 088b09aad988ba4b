//! What is told of an object: where it is, how large, of which kind.

use crate::{Bytes, ObjectId, ObjectKind};
use std::fmt;

/// An object as seen from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ObjectInfo {
    /// Its first address.
    pub address: u64,
    /// Its size in bytes; of an [open](crate::Memory::make_size_symbolic) one how many are known to exist.
    pub size: u64,
    /// Bytes that it has at most: more than its size only if it is open.
    pub capacity: u64,
    /// Whether its size is not decided here.
    pub open: bool,
    /// Where it lives.
    pub kind: ObjectKind,
    /// The alignment that was asked for.
    pub align: u64,
    /// Its identity.
    pub object: ObjectId,
}

impl fmt::Display for ObjectInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, address) = (self.kind, self.address);
        if self.open {
            let most = Bytes(self.capacity);
            write!(
                f,
                "{kind} of symbolic size (at most {most}) at {address:#x}"
            )
        } else {
            write!(f, "{kind} of {} at {address:#x}", Bytes(self.size))
        }
    }
}
