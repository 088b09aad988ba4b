//! Values with provenance.
//!
//! A [`Word`] is two registers. An identity is never zero as a number, so that an enumeration of a
//! word and a pointer to something else is two registers as well: the zero tells them apart.

use std::fmt;
use std::num::{NonZeroU32, NonZeroU64};

/// The identity of an object, never given to another one: a slot of the object table in the high
/// 32 bits and the slot's generation, which is not 0, in the low 32.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ObjectId(NonZeroU64);

impl ObjectId {
    /// No object: the value is an integer, or a pointer whose object is not known.
    pub const NONE: ObjectId = ObjectId(NonZeroU64::MIN);

    #[inline]
    pub(crate) fn new(slot: u32, generation: NonZeroU32) -> Self {
        ObjectId(NonZeroU64::from(generation) | u64::from(slot) << 32)
    }

    /// The place in the table of objects, which objects that are made later may get too.
    #[inline]
    pub fn slot(self) -> u32 {
        (self.0.get() >> 32) as u32
    }

    #[inline]
    pub(crate) fn generation(self) -> u32 {
        self.0.get() as u32
    }

    /// The identity as a number, which is not 0.
    #[inline]
    pub fn raw(self) -> u64 {
        self.0.get()
    }

    /// The identity of a number that [`raw`](Self::raw) gave. Any other number is no live object.
    #[inline]
    pub fn from_raw(raw: u64) -> Self {
        match NonZeroU32::new(raw as u32) {
            Some(generation) => ObjectId::new((raw >> 32) as u32, generation),
            None => ObjectId::NONE,
        }
    }

    /// Whether this is [`NONE`](Self::NONE).
    #[inline]
    pub fn is_none(self) -> bool {
        self == ObjectId::NONE
    }

    /// Whether both are [`NONE`](Self::NONE), by one comparison.
    #[inline]
    pub fn are_none(self, other: ObjectId) -> bool {
        // Neither number is 0: their bits together are 1 only if both are.
        self.0 | other.0 == ObjectId::NONE.0
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    #[test]
    fn a_word_or_something_else_has_two_registers() {
        enum Value {
            Word(Word),
            Other(Rc<String>),
        }
        assert_eq!(size_of::<Word>(), 16);
        assert_eq!(size_of::<Value>(), 16);
        let values = [
            Value::Word(Word::int(0)),
            Value::Other(Rc::new("other".into())),
        ];
        for (index, value) in values.iter().enumerate() {
            match value {
                Value::Word(word) => assert_eq!((index, word.bits), (0, 0)),
                Value::Other(text) => assert_eq!((index, text.as_str()), (1, "other")),
            }
        }
    }

    #[test]
    fn identities_are_numbers() {
        let some = ObjectId::new(7, NonZeroU32::new(3).expect("not 0"));
        assert_eq!((some.slot(), some.generation()), (7, 3));
        assert_eq!(ObjectId::from_raw(some.raw()), some);
        assert_eq!(ObjectId::from_raw(ObjectId::NONE.raw()), ObjectId::NONE);
        assert_eq!(ObjectId::from_raw(0), ObjectId::NONE);
        assert_eq!(ObjectId::from_raw(7 << 32), ObjectId::NONE);
        let zeroth = ObjectId::from_raw(2);
        for (a, b, both) in [
            (ObjectId::NONE, ObjectId::NONE, true),
            (some, ObjectId::NONE, false),
            (ObjectId::NONE, zeroth, false),
            (some, some, false),
        ] {
            assert_eq!(a.are_none(b), both);
        }
    }
}
