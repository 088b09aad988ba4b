//! Which operations on words depend on where objects are.
//!
//! # Problem
//!
//! An address is one of many: the system and the library choose it anew in each run. A program behaves the
//! same in every run only as long as no number depends on an address.
//!
//! # Idea
//!
//! A value has bits and provenance (`ObjectId`): an object, an address whose object is not known, a part
//! of an address, or none of them. Equality of addresses, order and differences within an object, offsets
//! and the alignment that was asked for are the same in every layout. The result of every other operator
//! depends on the layout: the operator is a *use* of the address and is reported before it runs. Copying a
//! part of an address is no use: memory knows which bytes are parts of addresses, and operators on them
//! are uses.
//!
//! # Soundness
//!
//! It may report a use whose effect vanishes again (exclusive or with the same number, twice). It misses
//! the order of two addresses of one object, of which a symbolic number that may be as large as an address was
//! added to one; and a difference of an address and a large number that became a pointer without a cast
//! (undefined in C) and is compared with null.
//!
//! # Cost
//!
//! One comparison for an operator on words, two for the most frequent. Operators that may be a use take
//! a slow path ([`result_depends_on_layout`], [`comparison_depends_on_layout`]), which looks up the objects.

use cairn_ir::{BinaryOp, CastOp, CompareOp};
use cairn_memory::{ObjectId, ObjectInfo, PointerWidth, Word, code_region, first_own_address};

/// Numbers below this are no addresses: results of system calls and flags are compared with them.
const FIRST_ADDRESS: u64 = 4096;

/// Nor are those from here on: the upper half of the addresses of 8 bytes belongs to the system. Any
/// of 4 bytes may be an address.
const fn end_of_addresses(width: PointerWidth) -> u64 {
    match width {
        PointerWidth::Four => 1 << PointerWidth::Four.bits(),
        PointerWidth::Eight => 1 << 47,
    }
}

/// The alignment of a function.
const CODE_ALIGNMENT: u64 = 16;

/// Two addresses in an object have all bits above this one in common.
const LARGEST_DISTANCE: u32 = 40;

/// How far from its object an address still means it: one before the first element.
const NEAR: u64 = 4096;

/// The largest number that an address is taken from: a size, or a position in a file.
const LARGEST_NUMBER: u64 = 1 << 32;

/// Where an address is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum At {
    /// At a known place.
    Known(u64),
    /// Anywhere in its object, with these bits above the address: a tag, or zero.
    Anywhere(u64),
    /// Anywhere at all: a number that may be as large as an address was added or taken away.
    Beyond,
}

/// An operand of an operator, by how it depends on the layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A number, if it is known.
    Number(Option<u64>),
    /// A part of an address, or made from one; of the lowest part the alignment of the address.
    Part(Option<u64>),
    /// An address of a live object.
    Object(ObjectInfo, At),
    /// An address of some object, or a number: which one depends on inputs. The alignment that all of them have,
    /// and the bits above the address, if they are the same in all of them.
    Chosen(u64, Option<u64>),
    /// A function.
    Code(u64),
    /// An address where no object is any more.
    Gone(u64),
}

impl Operand {
    fn is_part(&self) -> bool {
        matches!(self, Operand::Part(_))
    }

    /// Whether it is at an address that every layout has: one that the program names.
    fn is_fixed(&self, width: PointerWidth) -> bool {
        matches!(self, Operand::Object(info, _) if info.base < first_own_address(width))
    }

    /// The alignment that it has in every layout.
    pub fn alignment(&self) -> u64 {
        match self {
            Operand::Object(info, _) => info.align,
            Operand::Code(_) => CODE_ALIGNMENT,
            Operand::Part(alignment) => alignment.unwrap_or(1),
            Operand::Chosen(alignment, _) => *alignment,
            Operand::Number(_) | Operand::Gone(_) => 1,
        }
    }

    /// Whether it is an address in its object or near it, as every address is that no number was subtracted
    /// from. The bits above an address may be a tag. What has no object, or is anywhere in it, counts as near.
    pub fn is_near_object(&self, width: PointerWidth) -> bool {
        match self {
            Operand::Object(info, At::Known(bits)) => {
                let first = info.base - NEAR.min(info.base);
                let address = without_tag(width, *bits);
                (first..=info.base + info.capacity + NEAR).contains(&address)
            }
            Operand::Object(_, At::Beyond) => false,
            Operand::Gone(bits) => *bits < end_of_addresses(width),
            Operand::Number(_)
            | Operand::Part(_)
            | Operand::Object(_, At::Anywhere(_))
            | Operand::Chosen(..)
            | Operand::Code(_) => true,
        }
    }

    /// The bits above the address, if they are known: a tag, or zero.
    fn tag(&self, width: PointerWidth) -> Option<u64> {
        match self {
            Operand::Object(_, At::Known(bits)) => Some(tag_of(width, *bits)),
            Operand::Object(_, At::Anywhere(tag)) => Some(*tag),
            Operand::Object(_, At::Beyond) => None,
            Operand::Chosen(_, tag) => *tag,
            Operand::Number(_) | Operand::Part(_) | Operand::Code(_) | Operand::Gone(_) => Some(0),
        }
    }

    /// Whether both are addresses below tags that differ, so that they are equal in no layout. What is far from
    /// its object has no tag: the bits above it change with the layout.
    fn has_another_tag(&self, other: &Operand, width: PointerWidth) -> bool {
        let near = |operand: &Operand| operand.is_near_object(width);
        let differ = |own: u64| other.tag(width).is_some_and(|tag| tag != own);
        near(self) && near(other) && self.tag(width).is_some_and(differ)
    }

    /// Whether it is a number in some layout, or on another side of it than in others.
    fn may_be(&self, width: PointerWidth, number: u64) -> bool {
        let tag = tag_of(width, number);
        self.tag(width).is_none_or(|own| own == tag) && without_tag(width, number) >= FIRST_ADDRESS
    }

    /// Whether it is a number less an address of its object: compilers make `n + (q - p)`, which is the same
    /// in every layout, from `n - p` and `q`. Of 4 bytes it cannot be told from an address: then it
    /// counts as none, and its use as one of an address.
    fn is_subtracted(&self, width: PointerWidth) -> bool {
        match self {
            Operand::Object(..) if width == PointerWidth::Four => false,
            Operand::Object(info, At::Known(bits)) => {
                let address = bits.wrapping_neg();
                let first = info.base - LARGEST_NUMBER.min(info.base);
                (first..=info.base + info.capacity).contains(&address)
            }
            Operand::Number(_)
            | Operand::Part(_)
            | Operand::Object(_, At::Anywhere(_) | At::Beyond)
            | Operand::Chosen(..)
            | Operand::Code(_)
            | Operand::Gone(_) => false,
        }
    }

    /// Whether it is a number less an address, and is another number in no layout: it would need the object
    /// to be where none is. `q - p` is compared so where `q` may be null and the optimiser does not wait for
    /// the answer.
    fn never_is(&self, width: PointerWidth, number: u64) -> bool {
        let end = end_of_addresses(width);
        match self {
            Operand::Object(info, At::Known(bits)) if self.is_subtracted(width) => {
                // Where the object would have to be, counted from the end of all addresses: from there up to
                // the last number and on from 0 there are none.
                let needed = |address: u64| {
                    let at = bits.wrapping_add(address).wrapping_sub(number);
                    at.wrapping_sub(end)
                };
                let (first, last) = (needed(info.base), needed(info.base + info.capacity));
                first <= last && last < FIRST_ADDRESS.wrapping_sub(end)
            }
            Operand::Number(_)
            | Operand::Part(_)
            | Operand::Object(_, _)
            | Operand::Chosen(..)
            | Operand::Code(_)
            | Operand::Gone(_) => false,
        }
    }

    /// Whether something else may be at the same place in another layout: it has ended, or the address is
    /// not inside of it, but at its end or anywhere else.
    fn is_place(&self, width: PointerWidth) -> bool {
        match self {
            Operand::Object(info, At::Known(bits)) => {
                let offset = without_tag(width, *bits).wrapping_sub(info.base);
                offset >= info.capacity
            }
            Operand::Object(_, At::Anywhere(_) | At::Beyond) | Operand::Gone(_) => true,
            Operand::Number(_) | Operand::Part(_) | Operand::Chosen(..) | Operand::Code(_) => false,
        }
    }

    /// Whether both are addresses of one thing.
    pub fn same_object(&self, other: &Operand) -> bool {
        match (self, other) {
            (Operand::Object(a, _), Operand::Object(b, _)) => a.object == b.object,
            (Operand::Code(a), Operand::Code(b)) | (Operand::Gone(a), Operand::Gone(b)) => a == b,
            (_, _) => false,
        }
    }
}

/// The address below a tag.
pub fn without_tag(width: PointerWidth, bits: u64) -> u64 {
    bits % end_of_addresses(width)
}

/// The bits above an address.
pub fn tag_of(width: PointerWidth, bits: u64) -> u64 {
    bits / end_of_addresses(width)
}

/// Whether a number is the address of a function.
pub fn is_code(width: PointerWidth, bits: u64) -> bool {
    code_region(width).contains(&bits)
}

/// Whether the result of an operator on words may depend on where objects are without being an address
/// itself; [`result_depends_on_layout`] decides.
#[inline(always)]
pub fn uses_address(op: BinaryOp, a: Word, b: Word) -> bool {
    match op {
        // The most frequent by far: an offset is added. The sum of a part and a number is a part.
        BinaryOp::Add => !a.object.is_number() && !b.object.is_number(),
        BinaryOp::Sub => {
            let both = !a.object.is_number() && !b.object.is_number();
            // A number less an address is far from all addresses.
            let near = (a.bits ^ b.bits) >> LARGEST_DISTANCE == 0;
            both && (a.object != b.object || a.object.is_no_object() || !near)
        }
        BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Mul
        | BinaryOp::Udiv
        | BinaryOp::Sdiv
        | BinaryOp::Urem
        | BinaryOp::Srem
        | BinaryOp::Shl
        | BinaryOp::Lshr
        | BinaryOp::Ashr => !a.object.both_numbers(b.object),
    }
}

/// Whether the result of an operator depends on where objects are; for operands of which one is no
/// number, in a program with pointers of a width.
pub fn result_depends_on_layout(
    width: PointerWidth,
    op: BinaryOp,
    a: &Operand,
    b: &Operand,
) -> bool {
    if a.is_fixed(width) || b.is_fixed(width) {
        return false;
    }
    let number = match (a, b) {
        (_, Operand::Number(number)) | (Operand::Number(number), _) => *number,
        (_, _) => None,
    };
    // Whether neither operand is a number.
    let both = !matches!(a, Operand::Number(_)) && !matches!(b, Operand::Number(_));
    let align = a.alignment().max(b.alignment());
    let end = end_of_addresses(width);
    let below = |number: u64| number & (end - 1) < align;
    let part = a.is_part() || b.is_part();
    // The bits above an address are the same in every layout, unless a number was subtracted from it.
    let near = a.is_near_object(width) && b.is_near_object(width);
    match (op, number) {
        (BinaryOp::Sub, _) => {
            part || !a.same_object(b) || a.is_subtracted(width) != b.is_subtracted(width)
        }
        (BinaryOp::Add, _) if both => {
            !(a.same_object(b) && a.is_subtracted(width) != b.is_subtracted(width))
        }
        (_, _) if both => true,
        // How a front end says that a number is no pointer.
        (BinaryOp::Mul, Some(1)) => false,
        // The low bits are those of every layout, what is above an address too.
        (BinaryOp::And, Some(mask)) => {
            let rest = !mask;
            let low = below(mask) && mask < end;
            !(low || !part && (near && below(mask) || below(rest)))
        }
        (BinaryOp::Or, Some(bits)) => part || !below(bits),
        (BinaryOp::Urem | BinaryOp::Srem, Some(by)) => {
            let first = matches!(b, Operand::Number(_));
            !(first && by.is_power_of_two() && by <= align)
        }
        (BinaryOp::Lshr | BinaryOp::Ashr, Some(by)) => {
            let first = matches!(b, Operand::Number(_));
            part || !near || !first || by < u64::from(end.trailing_zeros())
        }
        (
            BinaryOp::Add
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Mul
            | BinaryOp::Udiv
            | BinaryOp::Sdiv
            | BinaryOp::Urem
            | BinaryOp::Srem
            | BinaryOp::Shl
            | BinaryOp::Lshr
            | BinaryOp::Ashr,
            _,
        ) => true,
    }
}

/// Whether a comparison of words may depend on where objects are; [`comparison_depends_on_layout`] decides.
#[inline(always)]
pub fn compares_addresses(op: CompareOp, a: Word, b: Word) -> bool {
    let is_order = match op {
        CompareOp::Eq | CompareOp::Ne => false,
        CompareOp::Ult | CompareOp::Ule | CompareOp::Slt | CompareOp::Sle => true,
    };
    // Mostly both are numbers, or addresses in one object: no object is so large that they are further apart.
    let near = !is_order || (a.bits ^ b.bits) >> LARGEST_DISTANCE == 0;
    if a.object.both_numbers(b.object) || (a.object == b.object && !a.object.is_no_object() && near)
    {
        return false;
    }
    // A pointer is compared with null. A number that may be made from one is on the other side (`cairn-llvm`
    // sees to it).
    is_order || b.bits != 0 || a.object.is_no_object() || !b.object.is_number()
}

/// Whether what a comparison says depends on where objects are; for operands of which one is no number.
/// The order of addresses of different objects always does, and of an address and a number that may
/// be one. Whether addresses are equal does if the place of one may be the other's.
pub fn comparison_depends_on_layout(
    width: PointerWidth,
    op: CompareOp,
    a: &Operand,
    b: &Operand,
) -> bool {
    if a.is_part() || b.is_part() {
        return true;
    }
    if a.is_fixed(width) || b.is_fixed(width) {
        return false;
    }
    let is_order = match op {
        CompareOp::Eq | CompareOp::Ne => false,
        CompareOp::Ult | CompareOp::Ule | CompareOp::Slt | CompareOp::Sle => true,
    };
    let is_signed = matches!(op, CompareOp::Slt | CompareOp::Sle);
    if a.same_object(b) {
        let one_tag = a.tag(width).is_some() && a.tag(width) == b.tag(width);
        let near = a.is_near_object(width) && b.is_near_object(width) && one_tag;
        return is_order && !near && !(a.is_subtracted(width) && b.is_subtracted(width));
    }
    match (a, b) {
        (Operand::Number(number), address) | (address, Operand::Number(number)) => match number {
            // Any address of 4 bytes may have the bit that is a sign.
            Some(_) if is_signed && width == PointerWidth::Four => true,
            Some(number) if address.is_near_object(width) => address.may_be(width, *number),
            Some(number) => is_order || !address.never_is(width, *number),
            // On the path where they are equal the number is an address.
            None => true,
        },
        (_, _) if a.has_another_tag(b, width) => is_order,
        (_, _) => is_order || a.is_place(width) || b.is_place(width),
    }
}

/// Whether a change of width makes less of what is no plain number.
#[inline(always)]
pub fn converts_address(op: CastOp, value: Word) -> bool {
    matches!(op, CastOp::Trunc) && !value.object.is_number()
}

/// The provenance of the low bits of a value that is no plain number.
pub fn object_of_low(of: &Operand) -> ObjectId {
    match of {
        Operand::Part(None) => ObjectId::PART,
        Operand::Number(_)
        | Operand::Part(Some(_))
        | Operand::Object(_, _)
        | Operand::Chosen(..)
        | Operand::Code(_)
        | Operand::Gone(_) => ObjectId::low_part(of.alignment()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_memory::{Memory, MemoryConfig, ObjectKind};

    fn uses(memory: &Memory, op: BinaryOp, a: Word, b: Word) -> bool {
        let (left, right) = (operand(memory, a), operand(memory, b));
        uses_address(op, a, b) && result_depends_on_layout(PointerWidth::Eight, op, &left, &right)
    }

    fn compares(memory: &Memory, op: CompareOp, a: Word, b: Word) -> bool {
        let (left, right) = (operand(memory, a), operand(memory, b));
        compares_addresses(op, a, b)
            && comparison_depends_on_layout(PointerWidth::Eight, op, &left, &right)
    }

    fn operand(memory: &Memory, word: Word) -> Operand {
        if word.object.is_number() {
            Operand::Number(Some(word.bits))
        } else if word.object.is_part() {
            Operand::Part(word.object.low_alignment())
        } else if is_code(PointerWidth::Eight, word.bits) {
            Operand::Code(word.bits)
        } else {
            Operand::Object(memory.info(word).expect("live"), At::Known(word.bits))
        }
    }

    #[test]
    fn alignment_and_offsets_are_in_every_layout_and_other_numbers_are_not() {
        let mut memory = Memory::new(MemoryConfig::default());
        let mut make = |align| memory.allocate(ObjectKind::Heap, 64, align).expect("room");
        let (p, q, aligned) = (make(16), make(16), make(64));
        let n = Word::int;
        let beyond = Word {
            bits: p.bits + 8,
            ..p
        };
        let address = Word {
            object: ObjectId::ADDRESS,
            ..p
        };
        let part = Word {
            bits: 7,
            object: ObjectId::PART,
        };
        let low = Word {
            bits: 7,
            object: ObjectId::low_part(16),
        };
        let subtracted = Word {
            bits: 1000u64.wrapping_sub(p.bits),
            ..p
        };
        let function = Word {
            bits: code_region(PointerWidth::Eight).start + 32,
            object: ObjectId::ADDRESS,
        };
        let moved = Word {
            bits: p.bits - (1 << 40),
            ..p
        };
        let tagged = Word {
            bits: p.bits | 0xabc << 48,
            ..p
        };
        let text = Word {
            bits: 7,
            object: ObjectId::low_part(1),
        };
        let uses = |op, a, b| uses(&memory, op, a, b);
        for (op, a, b) in [
            (BinaryOp::Add, p, n(8)),
            (BinaryOp::Sub, p, n(8)),
            (BinaryOp::Sub, beyond, p),
            (BinaryOp::Sub, beyond, address),
            (BinaryOp::And, p, n(15)),
            (BinaryOp::And, p, n(!15)),
            (BinaryOp::And, p, n(0xffff << 48)),
            (BinaryOp::And, aligned, n(63)),
            (BinaryOp::And, low, n(15)),
            (BinaryOp::Or, p, n(1)),
            (BinaryOp::Or, p, n(1 << 63)),
            (BinaryOp::Urem, p, n(16)),
            (BinaryOp::Lshr, p, n(47)),
            (BinaryOp::Lshr, tagged, n(48)),
            (BinaryOp::And, moved, n(7)),
            (BinaryOp::Mul, p, n(1)),
            (BinaryOp::Mul, n(1 << 40), n(3)),
            (BinaryOp::Add, part, n(1)),
            (BinaryOp::Add, subtracted, beyond),
        ] {
            assert!(!uses(op, a, b), "{op:?} {a:?} {b:?}");
        }
        for (op, a, b) in [
            (BinaryOp::Sub, p, q),
            (BinaryOp::Sub, q, address),
            (BinaryOp::And, p, n(0xff0)),
            (BinaryOp::And, p, n(32)),
            (BinaryOp::And, address, n(0xff0)),
            (BinaryOp::And, part, n(15)),
            (BinaryOp::And, low, n(0xff)),
            (BinaryOp::Urem, p, n(61)),
            (BinaryOp::Urem, n(61), p),
            (BinaryOp::Xor, p, n(0x5555)),
            (BinaryOp::Lshr, p, n(4)),
            (BinaryOp::Mul, p, n(31)),
            (BinaryOp::Mul, address, n(31)),
            (BinaryOp::Urem, function, n(61)),
            (BinaryOp::Add, p, part),
            (BinaryOp::Add, p, beyond),
            (BinaryOp::Add, subtracted, q),
            (BinaryOp::Add, subtracted, subtracted),
            (BinaryOp::Lshr, moved, n(63)),
            (BinaryOp::And, moved, n(1 << 63)),
            (BinaryOp::And, text, n(1)),
            (BinaryOp::Sub, part, part),
            (BinaryOp::Shl, part, n(8)),
        ] {
            assert!(uses(op, a, b), "{op:?} {a:?} {b:?}");
        }
        let compares = |op, a, b| compares(&memory, op, a, b);
        let negated = Word {
            bits: p.bits.wrapping_neg(),
            ..p
        };
        for (op, a, b) in [
            (CompareOp::Eq, n(0), p),
            (CompareOp::Eq, n(0), tagged),
            (CompareOp::Ult, tagged, n(1 << 40)),
            (CompareOp::Ult, p, beyond),
            (CompareOp::Ult, address, beyond),
            (CompareOp::Ult, p, n(-4095i64 as u64)),
            (CompareOp::Slt, p, n(0)),
            (CompareOp::Eq, p, n(0)),
            (CompareOp::Eq, p, n(u64::MAX)),
            (CompareOp::Eq, p, n(0xdead_beef_dead_beef)),
            (CompareOp::Eq, p, q),
            (CompareOp::Eq, p, beyond),
            (CompareOp::Eq, beyond, q),
            (CompareOp::Eq, tagged, q),
            (CompareOp::Eq, address, q),
            (CompareOp::Eq, address, n(0)),
            (CompareOp::Eq, function, n(0)),
            (CompareOp::Eq, n(1 << 40), n(1 << 41)),
            (CompareOp::Eq, negated, n(12)),
            (CompareOp::Ne, negated, n(0)),
        ] {
            assert!(!compares(op, a, b), "{op:?} {a:?} {b:?}");
        }
        let end = Word {
            bits: q.bits + 64,
            ..q
        };
        let past = Word {
            bits: p.bits + 72,
            ..p
        };
        let before = Word {
            bits: q.bits - 1,
            ..q
        };
        for (op, a, b) in [
            (CompareOp::Eq, past, q),
            (CompareOp::Ne, q, past),
            (CompareOp::Eq, p, before),
            (CompareOp::Eq, subtracted, q),
            (CompareOp::Ult, p, q),
            (CompareOp::Ult, p, n(1 << 33)),
            (CompareOp::Ult, moved, p),
            (CompareOp::Ne, n(0), moved),
            (CompareOp::Ult, moved, n(64)),
            (CompareOp::Eq, moved, n(64)),
            (CompareOp::Slt, negated, n(12)),
            (CompareOp::Eq, negated, n(-(1i64 << 40) as u64)),
            (CompareOp::Eq, subtracted, n(-4000i64 as u64)),
            (CompareOp::Eq, p, n(0x0123_4560)),
            (CompareOp::Eq, p, end),
            (CompareOp::Eq, part, n(0)),
            (CompareOp::Eq, part, part),
            (CompareOp::Ult, function, address),
        ] {
            assert!(compares(op, a, b), "{op:?} {a:?} {b:?}");
        }
        assert!(converts_address(CastOp::Trunc, p) && converts_address(CastOp::Trunc, part));
        assert!(!converts_address(CastOp::Zext, p));
        assert!(!converts_address(CastOp::Trunc, n(1 << 40)));
    }

    #[test]
    fn what_is_far_from_its_object_has_a_tag_or_a_sign_depends_on_the_layout() {
        let mut memory = Memory::new(MemoryConfig::default());
        let p = memory.allocate(ObjectKind::Heap, 64, 16).expect("room");
        let info = memory.info(p).expect("live");
        let subtracted = Word {
            bits: 1000u64.wrapping_sub(p.bits),
            ..p
        };
        let of = |word: Word| Operand::Object(info, At::Known(word.bits));
        let width = PointerWidth::Eight;
        let uses = |op, a: &Operand, b: &Operand| result_depends_on_layout(width, op, a, b);
        assert!(uses_address(BinaryOp::Sub, subtracted, p));
        assert!(uses(BinaryOp::Sub, &of(subtracted), &of(p)));
        assert!(!uses(BinaryOp::Sub, &of(p), &of(p)));
        let number = |bits| Operand::Number(Some(bits));
        let is_below = |w, op, of: &Operand, n| comparison_depends_on_layout(w, op, of, &number(n));
        let limit = 1 << 48 | 0x7ff0_0000_0000;
        for (tag, depends) in [(0, false), (2, true)] {
            let tagged = Operand::Object(info, At::Anywhere(tag));
            assert_eq!(is_below(width, CompareOp::Ult, &tagged, limit), depends);
            let chosen = Operand::Chosen(16, Some(tag));
            assert_eq!(is_below(width, CompareOp::Ult, &chosen, limit), depends);
        }
        let unknown = Operand::Chosen(16, None);
        assert!(is_below(width, CompareOp::Ult, &unknown, limit));
        let beyond = Operand::Object(info, At::Beyond);
        assert!(is_below(width, CompareOp::Eq, &beyond, 0));
        let q = memory.allocate(ObjectKind::Heap, 64, 16).expect("room");
        let other = Operand::Object(memory.info(q).expect("live"), At::Known(q.bits));
        assert!(comparison_depends_on_layout(
            width,
            CompareOp::Eq,
            &beyond,
            &other
        ));
        assert!(uses(BinaryOp::Lshr, &beyond, &number(50)));
        assert!(!uses(BinaryOp::And, &beyond, &number(15)));
        let narrow = Operand::Object(info, At::Anywhere(0));
        assert!(is_below(PointerWidth::Four, CompareOp::Slt, &narrow, 5));
        assert!(!is_below(PointerWidth::Four, CompareOp::Ult, &narrow, 5));
    }
}
