//! Which values of machine code depend on where its stack, its heap and its mappings are. Not: uses of addresses in programs with types
//! (`values/address_notes.rs`).
//!
//! # Problem
//!
//! The segments of a static executable have fixed addresses, but Linux chooses those of stack, heap and
//! mappings anew in each run. Registers do not say which numbers are addresses, and the libraries that are
//! part of an executable compute with addresses: `memcpy` joins two by exclusive or to compare their
//! alignment, compilers keep the distance of two objects, or subtract the low halves of two pointers.
//!
//! # Idea
//!
//! A word carries its provenance ([`ObjectId`]). The loader marks the stack pointer and the addresses that
//! it writes, the model of Linux marks the answers of `brk` and `mmap`, and every operator says what its
//! result depends on: a plain number, an address that moves with its object, the distance of two such
//! addresses, a value whose bits below [`ALIGNED`] are the same in every layout, or a value of which no bit
//! is. Unlike in LLVM programs the operator itself is not noted. Only the use of its result is: a
//! comparison, a switch, an address of an access, an argument of a system call, or the exit code.
//!
//! # Soundness
//!
//! Assumes that the distance of two addresses in one object is the same in every layout. The stack is one
//! object, so the length of arguments and environment is assumed to be as described; all memory that
//! `brk` gives is one object, too. A note may be about an effect that vanishes later. A note is missing where low
//! halves are subtracted of two objects, among more than 100,000, that agree in [`low_half`]. A sum of an address and a
//! distance of two addresses is taken for an address of the object that it is in.
//!
//! # Cost
//!
//! One comparison for an operator on words, as for the marks of LLVM programs. Only operators on words
//! that are no plain numbers come here.

use crate::values::address_notes;
use crate::values::chosen_places;
use crate::values::layouts::{
    ALIGNED, END_OF_ADDRESSES, GuestLayout, MovesWith, MovingAddress, OffsetReach, OperandOrigin,
    moving, origin_of,
};
use crate::values::symbolic_domain::SymbolicDomain;
use crate::values::value::{Symbolic, Value};
use cairn_ir::{BinaryOp, CompareOp};
use cairn_machine::words;
use cairn_memory::{ObjectId, Word};
use std::rc::Rc;

/// The mark of a value of which only the bits below [`ALIGNED`] are those of every layout.
pub(super) const LOW_PART: ObjectId = ObjectId::low_part(ALIGNED);

/// A random word of which so many bits are left is no other by accident.
const MOST_OF_A_WORD: u32 = 48;

/// Marks of values that are made from addresses or are not the same in every run: see [`OperandOrigin`].
pub(super) const DISTANCE: u32 = 2 << 18;
pub(super) const SUM: u32 = DISTANCE | 1;
/// A number less an address of the break, of which no object is known.
pub(super) const BREAK_TAKEN: u32 = DISTANCE | 2;
pub(super) const LOW_HALF: u32 = 3 << 18;
pub(super) const KINDS: u32 = 3 << 18;

/// Functions of libraries whose comparisons of addresses have no effect outside of them: copying forward and
/// backward is the same where objects do not overlap, and an address of the stack is more than any size that is
/// compared with it.
const SAME_IN_ALL: [&str; 4] = [
    "memmove",
    "__memmove_generic",
    "bcopy",
    "__libc_alloca_cutoff",
];

/// Whether what a function of this name compares is the same in all layouts.
pub(crate) fn is_same_in_all(function: &str) -> bool {
    SAME_IN_ALL.contains(&function)
}

/// The mark of the low 32 bits of an address of an object.
fn low_half(object: ObjectId) -> u32 {
    let mixed = (object.raw() ^ object.raw() >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 47) as u32
}

/// The mark of a value that depends on the layout: in all bits, or in all but the low ones.
fn mixed(low: bool) -> ObjectId {
    match low {
        true => LOW_PART,
        false => ObjectId::PART,
    }
}

/// Whether the program is machine code.
#[inline]
pub(crate) fn is_machine_code(domain: &SymbolicDomain) -> bool {
    domain.layout.is_some()
}

/// How far an address may be from its object where an operator looks at it.
fn reach_of(op: BinaryOp) -> OffsetReach {
    match op {
        BinaryOp::And | BinaryOp::Lshr | BinaryOp::Ashr => OffsetReach::Anywhere,
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Mul
        | BinaryOp::Udiv
        | BinaryOp::Sdiv
        | BinaryOp::Urem
        | BinaryOp::Srem
        | BinaryOp::Shl => OffsetReach::Objects,
    }
}

/// The provenance of an operator's result.
#[cold]
#[inline(never)]
pub(crate) fn mark_of(
    domain: &SymbolicDomain,
    op: BinaryOp,
    width: u32,
    a: &Value,
    b: &Value,
) -> ObjectId {
    let Some(layout) = domain.layout.as_deref() else {
        return ObjectId::NONE;
    };
    let reach = reach_of(op);
    let [left, right] = [a, b].map(|value| origin_of(domain, layout, value, reach));
    let low = left.keeps_low_bits() && right.keeps_low_bits();
    let keep = |of: &Value| of.object();
    match (op, left, right) {
        (BinaryOp::Add | BinaryOp::Sub, _, OperandOrigin::Number(_)) => keep(a),
        (BinaryOp::Sub, OperandOrigin::Number(_), OperandOrigin::Address(of)) => {
            taken(b.object(), of)
        }
        (BinaryOp::Add | BinaryOp::Sub, OperandOrigin::Number(_), _) => keep(b),
        (BinaryOp::Sub, OperandOrigin::Address(p), OperandOrigin::Address(q))
            if p.is_subtracted != q.is_subtracted =>
        {
            mixed(low)
        }
        (BinaryOp::Sub, OperandOrigin::Address(p), OperandOrigin::Address(q)) => {
            match p.moves_with(&q) {
                true => ObjectId::NONE,
                false => ObjectId::part_of_kind(DISTANCE),
            }
        }
        (BinaryOp::Add, OperandOrigin::Address(p), OperandOrigin::Address(q))
            if p.is_subtracted != q.is_subtracted =>
        {
            match p.moves_with(&q) {
                true => ObjectId::NONE,
                false => ObjectId::part_of_kind(DISTANCE),
            }
        }
        (BinaryOp::Sub, OperandOrigin::LowHalf(p), OperandOrigin::LowHalf(q))
            if p == q && width == 32 =>
        {
            ObjectId::NONE
        }
        (BinaryOp::Add, OperandOrigin::Address(p), OperandOrigin::Address(q))
            if p.is_near && q.is_near =>
        {
            ObjectId::part_of_kind(SUM)
        }
        (BinaryOp::Add | BinaryOp::Sub, OperandOrigin::Address(_), OperandOrigin::Distance)
        | (BinaryOp::Add, OperandOrigin::Distance, OperandOrigin::Address(_))
        | (BinaryOp::Sub, OperandOrigin::Sum, OperandOrigin::Address(_)) => {
            reached(domain, layout, op, a, b)
        }
        (BinaryOp::Mul | BinaryOp::And, _, _)
            if left.number() == Some(0) || right.number() == Some(0) =>
        {
            ObjectId::NONE
        }
        (BinaryOp::Mul, _, OperandOrigin::Number(Some(1))) => keep(a),
        (BinaryOp::And, of, OperandOrigin::Number(Some(mask))) => masked(keep(a), of, mask),
        (BinaryOp::And, OperandOrigin::Number(Some(mask)), of) => masked(keep(b), of, mask),
        (BinaryOp::Or | BinaryOp::Xor, _, OperandOrigin::Number(Some(0))) => keep(a),
        (BinaryOp::Or | BinaryOp::Xor, OperandOrigin::Number(Some(0)), _) => keep(b),
        (BinaryOp::Or, OperandOrigin::Address(of), OperandOrigin::Number(Some(bits)))
            if bits < of.align =>
        {
            keep(a)
        }
        (BinaryOp::Or, OperandOrigin::Number(Some(bits)), OperandOrigin::Address(of))
            if bits < of.align =>
        {
            keep(b)
        }
        (
            BinaryOp::Xor | BinaryOp::Sub,
            OperandOrigin::Random(Some(p)),
            OperandOrigin::Random(Some(q)),
        ) if is_same(p, q) => ObjectId::NONE,
        // A word is put together from bytes.
        (BinaryOp::Or, OperandOrigin::Random(_), OperandOrigin::Random(_)) => keep(a),
        (BinaryOp::Shl, OperandOrigin::Random(_), OperandOrigin::Number(_)) => keep(a),
        (BinaryOp::Urem, _, OperandOrigin::Number(Some(by)))
            if by.is_power_of_two() && by <= ALIGNED && left.keeps_low_bits() =>
        {
            ObjectId::NONE
        }
        (
            BinaryOp::Lshr | BinaryOp::Ashr,
            OperandOrigin::Address(of),
            OperandOrigin::Number(Some(by)),
        ) if of.is_near && by >= u64::from(END_OF_ADDRESSES.trailing_zeros()) => ObjectId::NONE,
        (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Or | BinaryOp::Xor | BinaryOp::And, _, _) => {
            both_numbers(left, right).unwrap_or(mixed(low))
        }
        (
            BinaryOp::Mul
            | BinaryOp::Udiv
            | BinaryOp::Sdiv
            | BinaryOp::Urem
            | BinaryOp::Srem
            | BinaryOp::Shl
            | BinaryOp::Lshr
            | BinaryOp::Ashr,
            _,
            _,
        ) => both_numbers(left, right).unwrap_or(ObjectId::PART),
    }
}

/// The mark of a number less an address, or less a number less an address.
fn taken(own: ObjectId, of: MovingAddress) -> ObjectId {
    if !own.object_unknown() {
        return own.taken();
    }
    match (of.place, of.is_subtracted) {
        (MovesWith::Break, false) => ObjectId::part_of_kind(BREAK_TAKEN),
        (MovesWith::Break, true) => ObjectId::ADDRESS,
        (MovesWith::Object(object), _) => object.taken(),
        (MovesWith::Gone(_) | MovesWith::Several, _) => LOW_PART,
    }
}

/// An address and the distance from its object to another: an address there.
fn reached(
    domain: &SymbolicDomain,
    layout: &GuestLayout,
    op: BinaryOp,
    a: &Value,
    b: &Value,
) -> ObjectId {
    let (Value::Word(a), Value::Word(b)) = (a, b) else {
        return LOW_PART;
    };
    let bits = words::arithmetic(op, 64, a.bits, b.bits);
    match moving(domain, layout, ObjectId::ADDRESS, Some(bits)) {
        OperandOrigin::Address(_) => ObjectId::ADDRESS,
        OperandOrigin::Number(_)
        | OperandOrigin::Distance
        | OperandOrigin::Sum
        | OperandOrigin::LowHalf(_)
        | OperandOrigin::Random(_)
        | OperandOrigin::Aligned
        | OperandOrigin::Any => LOW_PART,
    }
}

/// Whether what a comparison says depends on the layout.
pub(crate) fn orders_places(
    domain: &SymbolicDomain,
    op: CompareOp,
    a: &Value,
    b: &Value,
    reach: OffsetReach,
) -> bool {
    let Some(layout) = domain.layout.as_deref() else {
        return false;
    };
    let is_order = match op {
        CompareOp::Eq | CompareOp::Ne => false,
        CompareOp::Ult | CompareOp::Ule | CompareOp::Slt | CompareOp::Sle => true,
    };
    let [left, right] = [a, b].map(|value| origin_of(domain, layout, value, reach));
    match (left, right) {
        (OperandOrigin::Number(_), OperandOrigin::Number(_)) => false,
        (OperandOrigin::Random(Some(p)), OperandOrigin::Random(Some(q))) => {
            is_order || !is_same(p, q)
        }
        (OperandOrigin::Address(p), OperandOrigin::Address(q)) if p.moves_with(&q) => false,
        (OperandOrigin::Address(p), OperandOrigin::Address(q)) => {
            let near = p.is_near && q.is_near;
            let is_several = |of: MovingAddress| of.place == MovesWith::Several;
            match is_order {
                // Everything that moves is below the stack.
                true => !(near && p.is_stack != q.is_stack) || is_several(p) || is_several(q),
                false => p.is_edge || q.is_edge || !near,
            }
        }
        (OperandOrigin::Address(of), OperandOrigin::Number(Some(n)))
        | (OperandOrigin::Number(Some(n)), OperandOrigin::Address(of)) => {
            let is_outside = n < layout.first || n >= END_OF_ADDRESSES;
            !(of.is_near && is_outside)
        }
        // On the path where they are equal the number is an address.
        (OperandOrigin::Address(of), OperandOrigin::Number(None)) => {
            !(of.is_near && chosen_places::is_outside(layout, b))
        }
        (OperandOrigin::Number(None), OperandOrigin::Address(of)) => {
            !(of.is_near && chosen_places::is_outside(layout, a))
        }
        (
            OperandOrigin::Distance
            | OperandOrigin::Sum
            | OperandOrigin::LowHalf(_)
            | OperandOrigin::Random(_)
            | OperandOrigin::Aligned
            | OperandOrigin::Any,
            _,
        )
        | (
            _,
            OperandOrigin::Distance
            | OperandOrigin::Sum
            | OperandOrigin::LowHalf(_)
            | OperandOrigin::Random(_)
            | OperandOrigin::Aligned
            | OperandOrigin::Any,
        ) => true,
    }
}

/// The provenance of the low bits of a value.
#[cold]
#[inline(never)]
pub(crate) fn mark_of_cut(domain: &SymbolicDomain, to: u32, value: &Value) -> ObjectId {
    let Some(layout) = domain.layout.as_deref() else {
        return ObjectId::NONE;
    };
    match origin_of(domain, layout, value, OffsetReach::Objects) {
        OperandOrigin::Number(_) => ObjectId::NONE,
        OperandOrigin::Random(_) if to > 1 => ObjectId::RANDOM,
        // Four bits are of every layout.
        of if of.keeps_low_bits() && 1 << to.min(63) <= ALIGNED => ObjectId::NONE,
        OperandOrigin::Address(of) if to == 32 && of.place != MovesWith::Several => {
            let object = match of.place {
                MovesWith::Break | MovesWith::Several => ObjectId::ADDRESS,
                MovesWith::Object(object) | MovesWith::Gone(object) => object,
            };
            ObjectId::part_of_kind(LOW_HALF | low_half(object))
        }
        of @ (OperandOrigin::Address(_)
        | OperandOrigin::Distance
        | OperandOrigin::Sum
        | OperandOrigin::LowHalf(_)
        | OperandOrigin::Random(_)
        | OperandOrigin::Aligned
        | OperandOrigin::Any) => mixed(of.keeps_low_bits()),
    }
}

/// Whether a value is another in another layout.
pub(crate) fn is_of_layout(domain: &SymbolicDomain, value: &Value) -> bool {
    match domain.layout.as_deref() {
        Some(layout) => !matches!(
            origin_of(domain, layout, value, OffsetReach::Objects),
            OperandOrigin::Number(_)
        ),
        None => !value.object().is_number(),
    }
}

/// Notes an access at an address that is no pointer: what is there is something else in another layout.
/// Pointers to objects do not come here.
#[inline]
pub(crate) fn judge_access(domain: &mut SymbolicDomain, at: &Value) {
    if at.object().object_unknown() {
        judge_place(domain, at);
    }
}

#[inline(never)]
fn judge_place(domain: &mut SymbolicDomain, at: &Value) {
    let Some(layout) = domain.layout.as_deref() else {
        return;
    };
    let is_plain = |bits: u64| {
        let moves = bits >= layout.brk.start && bits < END_OF_ADDRESSES;
        moves && domain.memory.around(bits, 0).is_some()
    };
    let depends = match at {
        at if at.object().is_part() => true,
        Value::Word(word) => word.object.is_number() && is_plain(word.bits),
        // One that depends on inputs may be anywhere, in every layout.
        Value::Symbolic(_) => false,
    };
    if depends {
        address_notes::note_address(domain);
    }
}

/// A value with another mark.
pub(crate) fn marked(value: Value, object: ObjectId) -> Value {
    match value {
        Value::Word(word) => Value::Word(Word { object, ..word }),
        Value::Symbolic(symbolic) if symbolic.object == object => Value::Symbolic(symbolic),
        Value::Symbolic(symbolic) => Value::Symbolic(Rc::new(Symbolic {
            term: symbolic.term.clone(),
            object,
        })),
    }
}

/// Whether two words that were made from random ones are the same word: if most of its bits are there, they are
/// not equal by accident.
fn is_same(p: u64, q: u64) -> bool {
    p == q && p >> MOST_OF_A_WORD != 0
}

/// The mark of what is left of a value under a mask.
fn masked(own: ObjectId, of: OperandOrigin, mask: u64) -> ObjectId {
    match of {
        OperandOrigin::Number(_) => own,
        OperandOrigin::Address(of) if mask < of.align || mask & (END_OF_ADDRESSES - 1) == 0 => {
            match of.is_near || mask < of.align {
                true => ObjectId::NONE,
                false => ObjectId::PART,
            }
        }
        OperandOrigin::Address(of) if !mask < of.align => own,
        OperandOrigin::Random(_) if mask.count_ones() >= MOST_OF_A_WORD => own,
        OperandOrigin::Address(_)
        | OperandOrigin::Distance
        | OperandOrigin::Sum
        | OperandOrigin::LowHalf(_)
        | OperandOrigin::Aligned => match mask < ALIGNED {
            true => ObjectId::NONE,
            false => LOW_PART,
        },
        OperandOrigin::Random(_) | OperandOrigin::Any => ObjectId::PART,
    }
}

/// The mark of the result of an operator on numbers, of which one is the address of something that never
/// moves.
fn both_numbers(a: OperandOrigin, b: OperandOrigin) -> Option<ObjectId> {
    match (a, b) {
        (OperandOrigin::Number(_), OperandOrigin::Number(_)) => Some(ObjectId::NONE),
        (_, _) => None,
    }
}
