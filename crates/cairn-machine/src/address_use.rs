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
//! are uses. A number less an address of an object is marked (`ObjectId::taken`): compilers make `(n - p) + q` of `n + (q - p)`,
//! which is the same in every layout. A number that leads far away from an object ([`FARTHEST`]) is a use where it is
//! added, so that addresses are near their objects wherever else they are looked at.
//!
//! # Soundness
//!
//! It may report a use whose effect vanishes again (exclusive or with the same number, twice; the difference of two
//! truncated addresses of one object; a large number that is added and taken away). It misses a way out of an object in very
//! many steps of less than [`FARTHEST`]. That a symbolic number may lead there is for who knows the terms to ask.
//!
//! # Cost
//!
//! One comparison for an operator on words, two for the most frequent. Operators that may be a use take
//! a slow path ([`result_depends_on_layout`], [`comparison_depends_on_layout`]), which looks up the objects.

use crate::concrete::of_both;
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

/// Exclusive or with a number below this changes the offset in an object of the usual alignment.
const LEAST_ALIGNMENT: u64 = 16;

/// The alignment of a function.
const CODE_ALIGNMENT: u64 = 16;

/// Two addresses in an object have all bits above this one in common.
const LARGEST_DISTANCE: u32 = 40;

/// How far from its object an address still means it: one before the first element.
const NEAR: u64 = 4096;

/// A number from here on leads so far from an object that where it leads to may be anything, in other layouts null. No
/// address that Linux gives is below. A power of two.
pub const FARTHEST: u64 = 1 << 22;

/// The largest number of which one less an address is taken for less than 0: a size, or a position in a file.
const LARGEST_NUMBER: u64 = 1 << 32;

/// Where an address is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AddressPlace {
    /// At a known place.
    Known(u64),
    /// Anywhere in its object, with these bits above the address: a tag, or zero.
    Anywhere(u64),
    /// Anywhere at all: a number that may be as large as an address was added or taken away.
    Beyond,
}

/// An operand of an operator, by how it depends on the layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LayoutOperand {
    /// A number, if it is known.
    Number(Option<u64>),
    /// A part of an address, or made from one; of the lowest part the alignment of the address.
    Part(Option<u64>),
    /// An address of a live object.
    Object(ObjectInfo, AddressPlace),
    /// A number less an address of a live object, if it is known.
    Taken(ObjectInfo, Option<u64>),
    /// An address of some object, or a number: which one depends on inputs. The alignment that all of them have,
    /// and the bits above the address, if they are the same in all of them.
    Chosen(u64, Option<u64>),
    /// A function.
    Code(u64),
    /// An address where no object is any more.
    Gone(u64),
}

impl LayoutOperand {
    fn is_part(&self) -> bool {
        matches!(self, LayoutOperand::Part(_))
    }

    /// Whether it is at an address that every layout has: one that the program names.
    fn is_fixed(&self, width: PointerWidth) -> bool {
        let info = match self {
            LayoutOperand::Object(info, _) | LayoutOperand::Taken(info, _) => info,
            LayoutOperand::Number(_)
            | LayoutOperand::Part(_)
            | LayoutOperand::Chosen(..)
            | LayoutOperand::Code(_)
            | LayoutOperand::Gone(_) => return false,
        };
        info.address < first_own_address(width)
    }

    /// The alignment that it has in every layout.
    pub fn alignment(&self) -> u64 {
        match self {
            LayoutOperand::Object(info, _) | LayoutOperand::Taken(info, _) => info.align,
            LayoutOperand::Code(_) => CODE_ALIGNMENT,
            LayoutOperand::Part(alignment) => alignment.unwrap_or(1),
            LayoutOperand::Chosen(alignment, _) => *alignment,
            LayoutOperand::Number(_) | LayoutOperand::Gone(_) => 1,
        }
    }

    /// Whether it is an address in its object or near it, as every address is that no number was subtracted
    /// from. The bits above an address may be a tag. What has no object, or is anywhere in it, counts as near.
    pub fn is_near_object(&self, width: PointerWidth) -> bool {
        match self {
            LayoutOperand::Object(info, AddressPlace::Known(bits)) => {
                let first = info.address - NEAR.min(info.address);
                let address = without_tag(width, *bits);
                (first..=info.address + info.capacity + NEAR).contains(&address)
            }
            LayoutOperand::Object(_, AddressPlace::Beyond) | LayoutOperand::Taken(..) => false,
            LayoutOperand::Gone(bits) => *bits < end_of_addresses(width),
            LayoutOperand::Number(_)
            | LayoutOperand::Part(_)
            | LayoutOperand::Object(_, AddressPlace::Anywhere(_))
            | LayoutOperand::Chosen(..)
            | LayoutOperand::Code(_) => true,
        }
    }

    /// The bits above the address, if they are known: a tag, or zero.
    fn tag(&self, width: PointerWidth) -> Option<u64> {
        match self {
            LayoutOperand::Object(_, AddressPlace::Known(bits)) => Some(tag_of(width, *bits)),
            LayoutOperand::Object(_, AddressPlace::Anywhere(tag)) => Some(*tag),
            LayoutOperand::Object(_, AddressPlace::Beyond) | LayoutOperand::Taken(..) => None,
            LayoutOperand::Chosen(_, tag) => *tag,
            LayoutOperand::Number(_)
            | LayoutOperand::Part(_)
            | LayoutOperand::Code(_)
            | LayoutOperand::Gone(_) => Some(0),
        }
    }

    /// Whether both are addresses below tags that differ, so that they are equal in no layout. What is far from
    /// its object has no tag: the bits above it change with the layout.
    fn has_another_tag(&self, other: &LayoutOperand, width: PointerWidth) -> bool {
        let near = |operand: &LayoutOperand| operand.is_near_object(width);
        let differ = |own: u64| other.tag(width).is_some_and(|tag| tag != own);
        near(self) && near(other) && self.tag(width).is_some_and(differ)
    }

    /// Whether it is a number in some layout, or on another side of it than in others.
    fn may_be(&self, width: PointerWidth, number: u64) -> bool {
        let tag = tag_of(width, number);
        self.tag(width).is_none_or(|own| own == tag) && without_tag(width, number) >= FIRST_ADDRESS
    }

    /// Whether it is a number less an address of its object: compilers make `n + (q - p)`, which is the same
    /// in every layout, from `n - p` and `q`.
    pub fn is_taken(&self) -> bool {
        matches!(self, LayoutOperand::Taken(..))
    }

    /// Whether it is a number less an address, and the number is smaller than every address. Of one that is not known
    /// who knows its term finds out.
    fn is_below_zero(&self, width: PointerWidth) -> bool {
        match self {
            LayoutOperand::Taken(..) if width == PointerWidth::Four => false,
            LayoutOperand::Taken(_, None) => true,
            LayoutOperand::Taken(info, Some(bits)) => {
                let address = bits.wrapping_neg();
                let first = info.address.saturating_sub(LARGEST_NUMBER);
                let end = info.address + info.capacity + LARGEST_NUMBER;
                (first..=end).contains(&address)
            }
            LayoutOperand::Number(_)
            | LayoutOperand::Part(_)
            | LayoutOperand::Object(..)
            | LayoutOperand::Chosen(..)
            | LayoutOperand::Code(_)
            | LayoutOperand::Gone(_) => false,
        }
    }

    /// Whether it is a number less an address, and is another number in no layout: it would need the object
    /// to be where none is. `q - p` is compared so where `q` may be null and the optimiser does not wait for
    /// the answer.
    fn never_is(&self, width: PointerWidth, number: u64) -> bool {
        let end = end_of_addresses(width);
        match self {
            LayoutOperand::Taken(_, Some(_)) if width == PointerWidth::Four => false,
            LayoutOperand::Taken(info, Some(bits)) => {
                // Where the object would have to be, counted from the end of all addresses: from there up to
                // the last number and on from 0 there are none.
                let needed = |address: u64| {
                    let at = bits.wrapping_add(address).wrapping_sub(number);
                    at.wrapping_sub(end)
                };
                let (first, last) = (needed(info.address), needed(info.address + info.capacity));
                first <= last && last < FIRST_ADDRESS.wrapping_sub(end)
            }
            LayoutOperand::Number(_)
            | LayoutOperand::Part(_)
            | LayoutOperand::Object(_, _)
            | LayoutOperand::Taken(_, None)
            | LayoutOperand::Chosen(..)
            | LayoutOperand::Code(_)
            | LayoutOperand::Gone(_) => false,
        }
    }

    /// Whether something else may be at the same place in another layout: it has ended, or the address is
    /// not inside of it, but at its end or anywhere else.
    fn is_place(&self, width: PointerWidth) -> bool {
        match self {
            LayoutOperand::Object(info, AddressPlace::Known(bits)) => {
                let offset = without_tag(width, *bits).wrapping_sub(info.address);
                offset >= info.capacity
            }
            LayoutOperand::Object(_, AddressPlace::Anywhere(_) | AddressPlace::Beyond)
            | LayoutOperand::Taken(..)
            | LayoutOperand::Gone(_) => true,
            LayoutOperand::Number(_)
            | LayoutOperand::Part(_)
            | LayoutOperand::Chosen(..)
            | LayoutOperand::Code(_) => false,
        }
    }

    /// Whether both are addresses of one thing, or numbers less such.
    pub fn same_object(&self, other: &LayoutOperand) -> bool {
        match (self, other) {
            (
                LayoutOperand::Object(a, _) | LayoutOperand::Taken(a, _),
                LayoutOperand::Object(b, _) | LayoutOperand::Taken(b, _),
            ) => a.object == b.object,
            (LayoutOperand::Code(a), LayoutOperand::Code(b))
            | (LayoutOperand::Gone(a), LayoutOperand::Gone(b)) => a == b,
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

/// Whether a number, or what it is less than 0, is [`FARTHEST`] or more.
#[inline(always)]
fn leads_far(number: u64) -> bool {
    number.wrapping_add(FARTHEST - 1) > 2 * (FARTHEST - 1)
}

/// Whether the result of an operator on words may depend on where objects are without being an address
/// itself; [`result_depends_on_layout`] decides.
#[inline(always)]
pub fn uses_address(op: BinaryOp, a: Word, b: Word) -> bool {
    match op {
        // The most frequent by far: an offset is added. The sum of a part and a number is a part.
        BinaryOp::Add => match (a.object.is_number(), b.object.is_number()) {
            (true, true) => false,
            (false, true) => leads_far(b.bits),
            (true, false) => leads_far(a.bits),
            (false, false) => true,
        },
        BinaryOp::Sub => match (a.object.is_number(), b.object.is_number()) {
            (true, true) => false,
            (false, true) => leads_far(b.bits),
            (true, false) => true,
            (false, false) => a.object != b.object || a.object.object_unknown(),
        },
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

/// Whether exclusive or changes the offset of an address in its object alone: optimisers make it of a sum of which only
/// low bits are wanted.
pub(crate) fn flips_offset(a: Word, b: Word) -> bool {
    let is_low = |by: Word| by.object.is_number() && by.bits < LEAST_ALIGNMENT;
    is_low(a) || is_low(b)
}

/// Whether both are the lowest parts of addresses.
fn are_low_parts(a: &LayoutOperand, b: &LayoutOperand) -> bool {
    let is_low = |operand: &LayoutOperand| matches!(operand, LayoutOperand::Part(Some(_)));
    is_low(a) && is_low(b)
}

/// Whether the result of an operator depends on where objects are; for operands of which one is no
/// number, in a program with pointers of a width.
pub fn result_depends_on_layout(
    width: PointerWidth,
    op: BinaryOp,
    a: &LayoutOperand,
    b: &LayoutOperand,
) -> bool {
    if a.is_fixed(width) || b.is_fixed(width) {
        return false;
    }
    let number = match (a, b) {
        (_, LayoutOperand::Number(number)) | (LayoutOperand::Number(number), _) => *number,
        (_, _) => None,
    };
    // Whether neither operand is a number.
    let both = !matches!(a, LayoutOperand::Number(_)) && !matches!(b, LayoutOperand::Number(_));
    let align = a.alignment().max(b.alignment());
    let end = end_of_addresses(width);
    let below = |number: u64| number & (end - 1) < align;
    let part = a.is_part() || b.is_part();
    // The bits above an address are the same in every layout, unless a number was subtracted from it.
    let near = a.is_near_object(width) && b.is_near_object(width);
    match (op, number) {
        (BinaryOp::Add | BinaryOp::Sub, _) if !both => sum_leaves_object(width, op, a, b),
        // Their low bits are those of every layout, and what the result belongs to says so.
        (BinaryOp::Sub | BinaryOp::Add, _) if are_low_parts(a, b) => false,
        // Wherever in their object.
        (BinaryOp::Sub, _) => part || !a.same_object(b) || a.is_taken() != b.is_taken(),
        (BinaryOp::Add, _) if both => !(a.same_object(b) && a.is_taken() != b.is_taken()),
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
        (BinaryOp::Xor, Some(bits)) if bits < LEAST_ALIGNMENT => !below(bits),
        (BinaryOp::Urem | BinaryOp::Srem, Some(by)) => {
            let first = matches!(b, LayoutOperand::Number(_));
            !(first && by.is_power_of_two() && by <= align)
        }
        (BinaryOp::Lshr | BinaryOp::Ashr, Some(by)) => {
            let first = matches!(b, LayoutOperand::Number(_));
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

/// Whether the sum or difference of a number and what is none is an address far from its object. Numbers that are not known
/// are for who knows their terms.
fn sum_leaves_object(
    width: PointerWidth,
    op: BinaryOp,
    a: &LayoutOperand,
    b: &LayoutOperand,
) -> bool {
    let (address, number) = match (a, b) {
        (address, LayoutOperand::Number(Some(number))) => match op {
            BinaryOp::Sub => (address, number.wrapping_neg()),
            _ => (address, *number),
        },
        (LayoutOperand::Number(Some(number)), address) => match (op, address) {
            // A number less a number less an address is an address.
            (BinaryOp::Sub, LayoutOperand::Taken(info, Some(bits))) => {
                let at = AddressPlace::Known(width.wrap(number.wrapping_sub(*bits)));
                return !LayoutOperand::Object(*info, at).is_near_object(width);
            }
            (BinaryOp::Sub, _) => return false,
            _ => (address, *number),
        },
        (_, _) => return false,
    };
    // What is above an address may be a tag.
    let by = without_tag(width, number);
    let reaches = |length: u64| by <= length || end_of_addresses(width) - by <= length;
    match address {
        LayoutOperand::Object(info, AddressPlace::Known(bits)) => {
            let at = AddressPlace::Known(width.wrap(bits.wrapping_add(number)));
            leads_far(number) && !LayoutOperand::Object(*info, at).is_near_object(width)
        }
        LayoutOperand::Object(info, AddressPlace::Anywhere(_)) => {
            !reaches(info.capacity.max(FARTHEST))
        }
        LayoutOperand::Chosen(..) | LayoutOperand::Code(_) | LayoutOperand::Gone(_) => {
            !reaches(FARTHEST)
        }
        LayoutOperand::Number(_)
        | LayoutOperand::Part(_)
        | LayoutOperand::Object(_, AddressPlace::Beyond)
        | LayoutOperand::Taken(..) => false,
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
    if a.object.both_numbers(b.object)
        || (a.object == b.object && a.object.is_address_of_known() && near)
    {
        return false;
    }
    // A pointer is compared with null. A number that may be made from one is on the other side (`cairn-llvm`
    // sees to it).
    is_order || b.bits != 0 || !a.object.is_address_of_known() || !b.object.is_number()
}

/// Whether what a comparison says depends on where objects are; for operands of which one is no number.
/// The order of addresses of different objects always does, and of an address and a number that may
/// be one. Whether addresses are equal does if the place of one may be the other's.
pub fn comparison_depends_on_layout(
    width: PointerWidth,
    op: CompareOp,
    a: &LayoutOperand,
    b: &LayoutOperand,
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
        let both_below = a.is_below_zero(width) && b.is_below_zero(width);
        return a.is_taken() != b.is_taken() || is_order && !near && !both_below;
    }
    match (a, b) {
        (LayoutOperand::Number(number), address) | (address, LayoutOperand::Number(number)) => {
            match number {
                // Any address of 4 bytes may have the bit that is a sign.
                Some(_) if is_signed && width == PointerWidth::Four => true,
                Some(number) if address.is_near_object(width) => address.may_be(width, *number),
                Some(number) => is_order || !address.never_is(width, *number),
                // On the path where they are equal the number is an address.
                None => true,
            }
        }
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
pub fn object_of_low(of: &LayoutOperand) -> ObjectId {
    match of {
        LayoutOperand::Part(None) => ObjectId::PART,
        LayoutOperand::Number(_)
        | LayoutOperand::Part(Some(_))
        | LayoutOperand::Object(_, _)
        | LayoutOperand::Taken(..)
        | LayoutOperand::Chosen(..)
        | LayoutOperand::Code(_)
        | LayoutOperand::Gone(_) => ObjectId::low_part(of.alignment()),
    }
}

/// The object of a value less one that is no number.
#[inline(never)]
pub(crate) fn object_of_difference(a: ObjectId, b: ObjectId) -> ObjectId {
    match a.is_number() {
        true => b.taken(),
        false => of_both(a, b),
    }
}

#[cfg(test)]
mod tests;
