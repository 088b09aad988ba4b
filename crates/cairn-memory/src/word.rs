//! Values with provenance.
//!
//! A [`Word`] is two registers. An identity is never zero as a number, so that an enumeration of a
//! word and a pointer to something else is two registers as well: the zero tells them apart.

use std::fmt;
use std::num::{NonZeroU32, NonZeroU64};

/// All of 8 bytes.
const ALL_BYTES: u32 = 0xff;

/// Set for a value that is made from a part of an address.
const PART_BIT: u32 = 0x100;

/// Set for one that is the lowest part.
const LOW_BIT: u32 = 0x200;

/// Set for a set of bytes that memory keeps beside the objects of halves of the word.
const HALVES_BIT: u32 = 1 << 31;

/// Where the kind of a part stands, and of the lowest part, which has no kind, the logarithm of the
/// address's alignment.
const KIND_SHIFT: u32 = 11;

/// The kind of random words.
const RANDOM_KIND: u32 = 1 << 18;

/// Set in the generation of a number that an address of the object was taken from. No slot has so many.
const TAKEN_BIT: u32 = 1 << 31;

/// The identity of an object, never given to another one: a slot of the object table in the high
/// 32 bits and the slot's generation, which is not 0, in the low 32.
///
/// A number less an address of the object is marked in the generation ([`taken`](Self::taken)): its bits do not tell it
/// from an address, and in another layout it is another number.
///
/// Generation 1 is never an object's. Such an identity says what else is known of a value: in the place
/// of the slot is a set of those of 8 bytes that are bytes of an address. The empty set is a plain
/// number ([`NONE`](Self::NONE)); all are an address whose object is not known
/// ([`ADDRESS`](Self::ADDRESS)); others, and those with a bit more, are parts of addresses.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ObjectId(NonZeroU64);

impl ObjectId {
    /// No object: the value is a plain number.
    pub const NONE: ObjectId = ObjectId(NonZeroU64::MIN);

    /// An address whose object is not known: it is found by the address.
    pub const ADDRESS: ObjectId = ObjectId::of_bytes(ALL_BYTES);

    /// A part of an address, or something that was made from one.
    pub const PART: ObjectId = ObjectId::of_bytes(PART_BIT | ALL_BYTES);

    /// What is one of many by chance, as an address is: a word that the system chose at random.
    pub const RANDOM: ObjectId =
        ObjectId::of_bytes(RANDOM_KIND << KIND_SHIFT | PART_BIT | ALL_BYTES);

    /// No object, and these bytes are an address's.
    const fn of_bytes(bytes: u32) -> Self {
        match NonZeroU64::new(1 | (bytes as u64) << 32) {
            Some(raw) => ObjectId(raw),
            None => unreachable!(),
        }
    }

    /// A part of an address of a kind that only who makes it tells apart: a number of 20 bits, which is not 0.
    pub fn part_of_kind(kind: u32) -> Self {
        debug_assert!(kind != 0 && kind < 1 << (u32::BITS - KIND_SHIFT - 1));
        ObjectId::of_bytes(kind << KIND_SHIFT | PART_BIT | ALL_BYTES)
    }

    /// The kind of a part of an address; 0 if it is of none.
    pub fn kind_of_part(self) -> u32 {
        match self.slot() & LOW_BIT {
            0 => self.in_place_of_kind(),
            _ => 0,
        }
    }

    /// What stands where parts have their kind: the lowest part has a number below 64 there,
    /// which is no kind.
    fn in_place_of_kind(self) -> u32 {
        (self.slot() & !HALVES_BIT) >> KIND_SHIFT
    }

    /// Whether it is [`RANDOM`](Self::RANDOM), or some bytes of a word are.
    #[inline]
    pub fn is_random(self) -> bool {
        self.object_unknown() && self.in_place_of_kind() == RANDOM_KIND
    }

    /// The low bits of an address that is so many bytes, a power of two, from the next one of its kind: its
    /// alignment is all that the low bits say in every layout.
    pub const fn low_part(alignment: u64) -> Self {
        let logarithm = alignment.trailing_zeros() << KIND_SHIFT;
        ObjectId::of_bytes(logarithm | LOW_BIT | PART_BIT | ALL_BYTES)
    }

    /// The alignment of the address that this is the low bits of, if it is that.
    pub fn low_alignment(self) -> Option<u64> {
        let is_low = self.object_unknown() && self.slot() & LOW_BIT != 0;
        is_low.then(|| 1 << self.in_place_of_kind())
    }

    /// What a word has of whose 8 bytes these are an address's.
    pub(crate) fn with_address_bytes(bytes: u8) -> Self {
        ObjectId::of_bytes(u32::from(bytes))
    }

    /// The same of which they are random.
    pub(crate) fn with_random_bytes(bytes: u8) -> Self {
        match bytes {
            0 => ObjectId::NONE,
            bytes => ObjectId::of_bytes(RANDOM_KIND << KIND_SHIFT | u32::from(bytes)),
        }
    }

    /// Which bytes of a word with this identity are an address's.
    #[inline]
    pub(crate) fn address_bytes(self) -> u8 {
        if self.object_unknown() {
            self.slot() as u8
        } else {
            ALL_BYTES as u8
        }
    }

    /// The same set of bytes, of a word whose halves have objects of their own; no bytes are none.
    pub(crate) fn of_halves(self) -> Self {
        match self.is_number() {
            true => self,
            false => ObjectId::of_bytes(self.slot() | HALVES_BIT),
        }
    }

    /// Whether this is a set of bytes of a word whose halves have objects of their own. True of objects with
    /// numbers above 2^31 too: this is one test of a sign.
    #[inline(always)]
    pub(crate) fn is_of_halves(self) -> bool {
        (self.0.get() as i64) < 0
    }

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

    /// Whether no object is known: the value is a number, a part of an address, random, or an address whose
    /// object is not known.
    #[inline]
    pub fn object_unknown(self) -> bool {
        self.generation() == 1
    }

    /// What a number less a value with this identity has: of an address of an object it is no address, and of what is none
    /// it is one again. What has no object stays as it is.
    #[must_use]
    pub fn taken(self) -> Self {
        match NonZeroU32::new(self.generation() ^ TAKEN_BIT) {
            Some(generation) if !self.object_unknown() => ObjectId::new(self.slot(), generation),
            Some(_) | None => self,
        }
    }

    /// Whether the value is a number less an address of the object.
    #[inline]
    pub fn is_taken(self) -> bool {
        self.generation() & TAKEN_BIT != 0
    }

    /// The object itself.
    #[inline]
    #[must_use]
    pub fn not_taken(self) -> Self {
        match self.is_taken() {
            true => self.taken(),
            false => self,
        }
    }

    /// Whether an object is known that the value is an address of.
    #[inline(always)]
    pub fn is_address_of_known(self) -> bool {
        // Both other sorts by one comparison: of generation 1, and with the bit of the sign.
        self.generation().cast_signed() > 1
    }

    /// Whether the value is a plain number: no address, nor a part of one.
    #[inline]
    pub fn is_number(self) -> bool {
        self == ObjectId::NONE
    }

    /// Whether the value is a part of an address.
    #[inline]
    pub fn is_part(self) -> bool {
        self.object_unknown() && !self.is_number() && self != ObjectId::ADDRESS
    }

    /// Whether both values are plain numbers ([`NONE`](Self::NONE)), by one comparison.
    #[inline]
    pub fn both_numbers(self, other: ObjectId) -> bool {
        // Neither number is 0: their bits together are 1 only if both are.
        self.0 | other.0 == ObjectId::NONE.0
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_number() {
            write!(f, "o-")
        } else if self.object_unknown() {
            write!(f, "o-{:x}", self.slot())
        } else if self.is_taken() {
            write!(f, "-{:?}", self.not_taken())
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

    /// A pointer moved by so many bytes. It belongs to the same object.
    #[inline]
    #[must_use]
    pub fn offset(self, by: u64) -> Self {
        Word {
            bits: self.bits.wrapping_add(by),
            object: self.object,
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
        let taken = some.taken();
        assert!(taken.is_taken() && !some.is_taken() && taken != some);
        assert!(taken.taken() == some && taken.not_taken() == some && some.not_taken() == some);
        assert!(!taken.object_unknown() && !taken.is_number() && !taken.is_part());
        assert!(some.is_address_of_known() && !taken.is_address_of_known());
        for none in [ObjectId::NONE, ObjectId::ADDRESS, ObjectId::PART] {
            assert!(none.taken() == none && !none.is_taken() && !none.is_address_of_known());
        }
        let zeroth = ObjectId::from_raw(2);
        assert!(!zeroth.object_unknown() && !zeroth.is_number());
        for part in [
            ObjectId::PART,
            ObjectId::low_part(1),
            ObjectId::low_part(64),
        ] {
            assert!(part.object_unknown() && part.is_part() && part.address_bytes() == 0xff);
        }
        assert_eq!(ObjectId::low_part(64).low_alignment(), Some(64));
        assert_eq!(ObjectId::PART.low_alignment(), None);
        assert_eq!(some.low_alignment(), None);
        let of_halves = ObjectId::low_part(1 << 63).of_halves();
        assert_eq!(of_halves.low_alignment(), Some(1 << 63));
        assert!(!of_halves.is_random() && of_halves.kind_of_part() == 0);
        assert!(ObjectId::RANDOM.is_random() && ObjectId::RANDOM.low_alignment().is_none());
        let of_kind = ObjectId::part_of_kind((1 << 20) - 1);
        assert_eq!(of_kind.kind_of_part(), (1 << 20) - 1);
        assert_eq!(of_kind.low_alignment(), None);
        assert!(ObjectId::ADDRESS.object_unknown() && !ObjectId::ADDRESS.is_part());
        assert_eq!(ObjectId::with_address_bytes(0), ObjectId::NONE);
        assert_eq!(ObjectId::with_address_bytes(0xff), ObjectId::ADDRESS);
        assert!(ObjectId::with_address_bytes(1).is_part() && !some.is_part());
        for (a, b, both) in [
            (ObjectId::NONE, ObjectId::NONE, true),
            (some, ObjectId::NONE, false),
            (ObjectId::NONE, zeroth, false),
            (ObjectId::NONE, ObjectId::PART, false),
            (some, some, false),
        ] {
            assert_eq!(a.both_numbers(b), both);
        }
    }
}
