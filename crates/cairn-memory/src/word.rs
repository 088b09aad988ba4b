//! Values with provenance.

use std::fmt;

/// The identity of an object, never given to another one: a slot of the object table in the low
/// 32 bits and the slot's generation in the high 32.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ObjectId(u64);

impl ObjectId {
    /// No object: the value is an integer, or a pointer whose object is not known.
    pub const NONE: ObjectId = ObjectId(0);

    #[inline]
    pub(crate) fn new(slot: u32, generation: u32) -> Self {
        ObjectId(u64::from(generation) << 32 | u64::from(slot))
    }

    #[inline]
    pub(crate) fn slot(self) -> u32 {
        self.0 as u32
    }

    #[inline]
    pub(crate) fn generation(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// The identity as a number.
    #[inline]
    pub fn raw(self) -> u64 {
        self.0
    }

    /// The identity of a number that [`raw`](Self::raw) gave. Any other number is no live object.
    #[inline]
    pub fn from_raw(raw: u64) -> Self {
        ObjectId(raw)
    }

    /// Whether this is [`NONE`](Self::NONE).
    #[inline]
    pub fn is_none(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            write!(f, "o-")
        } else {
            write!(f, "o{}.{}", self.slot(), self.generation())
        }
    }
}

/// Up to 64 bits, and the object that they point into if they are a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Word {
    /// The bits; of a pointer the true address.
    pub bits: u64,
    /// The object that a pointer belongs to, wherever it points.
    pub object: ObjectId,
}

impl Word {
    /// A number without provenance.
    #[inline]
    pub fn int(bits: u64) -> Self {
        Word {
            bits,
            object: ObjectId::NONE,
        }
    }
}
