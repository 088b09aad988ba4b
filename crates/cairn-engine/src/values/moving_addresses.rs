//! Which values of machine code depend on where its stack, its heap and its mappings are.
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
//! `brk` gives is one object, too. A note may be about an effect that vanishes later. A note is missing in two
//! cases: where an address is subtracted from a number and another of the same object from the result, which
//! looks like a difference; and where low halves are subtracted of two objects, among more than 100,000,
//! that agree in [`low_half`]. A sum of an address and a distance of two addresses is taken for an
//! address of the object that it is in.
//!
//! # Cost
//!
//! One comparison for an operator on words, as for the marks of LLVM programs. Only operators on words
//! that are no plain numbers come here.

use crate::config::Config;
use crate::values::address_notes;
use crate::values::symbolic_domain::SymbolicDomain;
use crate::values::value::{Symbolic, Value};
use cairn_ir::{BinaryOp, CompareOp};
use cairn_machine::{MachineCode, words};
use cairn_memory::{ObjectId, ObjectKind, Word};
use std::ops::Range;
use std::rc::Rc;

/// The alignment of everything that moves: Linux moves the stack by that, and `malloc` promises it.
const ALIGNED: u64 = 16;

/// The mark of a value of which only the bits below [`ALIGNED`] are those of every layout.
const LOW_PART: ObjectId = ObjectId::low_part(ALIGNED);

/// The alignment of what `brk` and `mmap` give.
const PAGE: u64 = 4096;

/// The upper half of all addresses is the system's.
const END_OF_ADDRESSES: u64 = 1 << 47;

/// A random word of which so many bits are left is no other by accident.
const MOST_OF_A_WORD: u32 = 48;

/// Marks of values that are made from addresses or are not the same in every run: see [`Made`].
const DISTANCE: u32 = 2 << 18;
const SUM: u32 = DISTANCE | 1;
const LOW_HALF: u32 = 3 << 18;
const KINDS: u32 = 3 << 18;

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

/// Where the things are that have a place of their own in every layout, and those that do not.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// Addresses of the break. Segments are below, everything else that moves is above.
    brk: Range<u64>,
    /// The stack, which is above everything else.
    stack: Range<u64>,
    /// Nothing that moves is below this.
    first: u64,
}

impl Layout {
    /// The layout of an executable: where its segments are is part of it.
    pub fn new(code: &dyn MachineCode, config: &Config) -> Self {
        let stack = code.stack();
        match &config.system {
            Some(setup) => Layout {
                brk: setup.brk.clone(),
                stack,
                first: setup.brk.start,
            },
            // No call gives memory.
            None => Layout {
                brk: u64::MAX..u64::MAX,
                stack,
                first: PAGE,
            },
        }
    }
}

/// The thing that an address moves with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The memory that `brk` gives.
    Break,
    /// An object.
    Object(ObjectId),
    /// A dead object.
    Gone(ObjectId),
}

/// An address that is not the same in every layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Moving {
    place: Place,
    align: u64,
    /// Whether it is in the object or near it: only offsets were added.
    is_near: bool,
    /// Whether something else may begin or have been there.
    is_edge: bool,
    /// Whether it is a number less an address.
    is_subtracted: bool,
    is_stack: bool,
}

/// A value that an operator uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Made {
    /// The same in every layout; the number if it is known.
    Number(Option<u64>),
    /// An address.
    Address(Moving),
    /// The distance of two addresses of different objects, and a number.
    Distance,
    /// The sum of two addresses, and a number: compilers compute `p + (q - r)` in this order.
    Sum,
    /// The low 32 bits of an address of an object of this number, and a number ([`low_half`]).
    LowHalf(u32),
    /// A word that the system chose at random, most of its bits.
    Random(Option<u64>),
    /// The lowest bits, below [`ALIGNED`], are those of every layout.
    Aligned,
    /// Nothing of it is.
    Any,
}

impl Made {
    fn keeps_low_bits(self) -> bool {
        match self {
            Made::Number(_)
            | Made::Address(_)
            | Made::Distance
            | Made::Sum
            | Made::LowHalf(_)
            | Made::Aligned => true,
            Made::Random(_) | Made::Any => false,
        }
    }

    fn number(self) -> Option<u64> {
        match self {
            Made::Number(number) => number,
            Made::Address(_)
            | Made::Distance
            | Made::Sum
            | Made::LowHalf(_)
            | Made::Random(_)
            | Made::Aligned
            | Made::Any => None,
        }
    }
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

fn moving(domain: &SymbolicDomain, layout: &Layout, object: ObjectId, bits: Option<u64>) -> Made {
    if object.is_no_object() {
        let Some(bits) = bits else {
            return Made::Any;
        };
        let in_break = |bits: u64| layout.brk.contains(&bits) || bits == layout.brk.end;
        let is_subtracted = bits.cast_signed() < 0;
        if in_break(bits) || in_break(bits.wrapping_neg()) {
            return Made::Address(Moving {
                place: Place::Break,
                align: PAGE,
                is_near: !is_subtracted,
                is_edge: false,
                is_subtracted,
                is_stack: false,
            });
        }
        let address = match is_subtracted {
            true => bits.wrapping_neg(),
            false => bits,
        };
        return match domain.memory.around(address, PAGE) {
            Some(extent) => moving(domain, layout, extent.object, Some(bits)),
            None => Made::Any,
        };
    }
    let Ok(extent) = domain.memory.info(Word { bits: 0, object }) else {
        return Made::Address(Moving {
            place: Place::Gone(object),
            align: ALIGNED,
            is_near: true,
            is_edge: true,
            is_subtracted: false,
            is_stack: false,
        });
    };
    let fixed = match extent.kind {
        ObjectKind::Global | ObjectKind::Constant => {
            extent.base < layout.brk.start && !layout.stack.contains(&extent.base)
        }
        ObjectKind::Heap | ObjectKind::Stack | ObjectKind::Mapped | ObjectKind::Kernel => false,
    };
    if fixed {
        return Made::Number(bits);
    }
    let is_break = layout.brk.contains(&extent.base);
    let end = extent.base + extent.capacity;
    let first = extent.base.saturating_sub(PAGE);
    let is_near = bits.is_none_or(|bits| (first..=end + PAGE).contains(&bits))
        || is_break && bits.is_some_and(|bits| layout.brk.contains(&bits));
    let below = extent.base.saturating_sub(1 << 32);
    let is_negative = |bits: u64| (below..=end).contains(&bits.wrapping_neg());
    Made::Address(Moving {
        place: match is_break {
            true => Place::Break,
            false => Place::Object(object),
        },
        align: match extent.kind {
            ObjectKind::Mapped => PAGE,
            ObjectKind::Global | ObjectKind::Constant if is_break => PAGE,
            ObjectKind::Heap
            | ObjectKind::Stack
            | ObjectKind::Global
            | ObjectKind::Constant
            | ObjectKind::Kernel => extent.align.max(ALIGNED),
        },
        is_near,
        is_edge: bits.is_none_or(|bits| bits == end),
        is_subtracted: bits.is_some_and(is_negative),
        is_stack: layout.stack.contains(&extent.base),
    })
}

/// How a value depends on the layout. A symbolic address may be in several objects; the one that it is in
/// under the path's model stands for them.
fn made(domain: &SymbolicDomain, layout: &Layout, value: &Value) -> Made {
    let (bits, object) = match value {
        Value::Word(word) => (Some(word.bits), word.object),
        Value::Symbolic(symbolic) => (None, symbolic.object),
    };
    if object.is_number() {
        return Made::Number(bits);
    }
    if object.is_part() {
        if object.is_random() {
            return Made::Random(bits);
        }
        let kind = object.kind_of_part();
        return match kind & KINDS {
            DISTANCE if kind == SUM => Made::Sum,
            DISTANCE => Made::Distance,
            LOW_HALF => Made::LowHalf(kind & !KINDS),
            _ if object == LOW_PART => Made::Aligned,
            _ => Made::Any,
        };
    }
    let example = match value {
        Value::Symbolic(symbolic) if object.is_no_object() => {
            let term = symbolic.bits(&domain.cx.store);
            Some(domain.cx.value(&domain.model, &term).low_u64())
        }
        Value::Word(_) | Value::Symbolic(_) => bits,
    };
    match (object.is_no_object(), example) {
        // Null in place of a pointer: one of several words was read.
        (true, Some(small)) if small < PAGE && bits.is_none() => Made::Number(None),
        (_, _) => moving(domain, layout, object, example),
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
    let (left, right) = (made(domain, layout, a), made(domain, layout, b));
    let low = left.keeps_low_bits() && right.keeps_low_bits();
    let keep = |of: &Value| of.object();
    match (op, left, right) {
        (BinaryOp::Add | BinaryOp::Sub, _, Made::Number(_)) => keep(a),
        (BinaryOp::Add | BinaryOp::Sub, Made::Number(_), _) => keep(b),
        (BinaryOp::Sub, Made::Address(p), Made::Address(q)) => match p.place == q.place {
            true => ObjectId::NONE,
            false => ObjectId::part_of_kind(DISTANCE),
        },
        (BinaryOp::Add, Made::Address(p), Made::Address(q))
            if p.is_subtracted != q.is_subtracted =>
        {
            match p.place == q.place {
                true => ObjectId::NONE,
                false => ObjectId::part_of_kind(DISTANCE),
            }
        }
        (BinaryOp::Sub, Made::LowHalf(p), Made::LowHalf(q)) if p == q && width == 32 => {
            ObjectId::NONE
        }
        (BinaryOp::Add, Made::Address(p), Made::Address(q)) if p.is_near && q.is_near => {
            ObjectId::part_of_kind(SUM)
        }
        (BinaryOp::Add | BinaryOp::Sub, Made::Address(_), Made::Distance)
        | (BinaryOp::Add, Made::Distance, Made::Address(_))
        | (BinaryOp::Sub, Made::Sum, Made::Address(_)) => reached(domain, layout, op, a, b),
        (BinaryOp::Mul | BinaryOp::And, _, _)
            if left.number() == Some(0) || right.number() == Some(0) =>
        {
            ObjectId::NONE
        }
        (BinaryOp::Mul, _, Made::Number(Some(1))) => keep(a),
        (BinaryOp::And, of, Made::Number(Some(mask))) => masked(keep(a), of, mask),
        (BinaryOp::And, Made::Number(Some(mask)), of) => masked(keep(b), of, mask),
        (BinaryOp::Or | BinaryOp::Xor, _, Made::Number(Some(0))) => keep(a),
        (BinaryOp::Or | BinaryOp::Xor, Made::Number(Some(0)), _) => keep(b),
        (BinaryOp::Or, Made::Address(of), Made::Number(Some(bits))) if bits < of.align => keep(a),
        (BinaryOp::Or, Made::Number(Some(bits)), Made::Address(of)) if bits < of.align => keep(b),
        (BinaryOp::Xor | BinaryOp::Sub, Made::Random(Some(p)), Made::Random(Some(q)))
            if is_same(p, q) =>
        {
            ObjectId::NONE
        }
        // A word is put together from bytes.
        (BinaryOp::Or, Made::Random(_), Made::Random(_)) => keep(a),
        (BinaryOp::Shl, Made::Random(_), Made::Number(_)) => keep(a),
        (BinaryOp::Urem, _, Made::Number(Some(by)))
            if by.is_power_of_two() && by <= ALIGNED && left.keeps_low_bits() =>
        {
            ObjectId::NONE
        }
        (BinaryOp::Lshr | BinaryOp::Ashr, Made::Address(of), Made::Number(Some(by)))
            if of.is_near && by >= u64::from(END_OF_ADDRESSES.trailing_zeros()) =>
        {
            ObjectId::NONE
        }
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

/// An address and the distance from its object to another: an address there.
fn reached(
    domain: &SymbolicDomain,
    layout: &Layout,
    op: BinaryOp,
    a: &Value,
    b: &Value,
) -> ObjectId {
    let (Value::Word(a), Value::Word(b)) = (a, b) else {
        return LOW_PART;
    };
    let bits = words::arithmetic(op, 64, a.bits, b.bits);
    match moving(domain, layout, ObjectId::ADDRESS, Some(bits)) {
        Made::Address(_) => ObjectId::ADDRESS,
        Made::Number(_)
        | Made::Distance
        | Made::Sum
        | Made::LowHalf(_)
        | Made::Random(_)
        | Made::Aligned
        | Made::Any => LOW_PART,
    }
}

/// Whether what a comparison says depends on the layout.
pub(crate) fn orders_places(domain: &SymbolicDomain, op: CompareOp, a: &Value, b: &Value) -> bool {
    let Some(layout) = domain.layout.as_deref() else {
        return false;
    };
    let is_order = match op {
        CompareOp::Eq | CompareOp::Ne => false,
        CompareOp::Ult | CompareOp::Ule | CompareOp::Slt | CompareOp::Sle => true,
    };
    match (made(domain, layout, a), made(domain, layout, b)) {
        (Made::Number(_), Made::Number(_)) => false,
        (Made::Random(Some(p)), Made::Random(Some(q))) => is_order || !is_same(p, q),
        (Made::Address(p), Made::Address(q)) if p.place == q.place => false,
        (Made::Address(p), Made::Address(q)) => {
            let near = p.is_near && q.is_near;
            match is_order {
                // Everything that moves is below the stack.
                true => !(near && p.is_stack != q.is_stack),
                false => p.is_edge || q.is_edge || !near,
            }
        }
        (Made::Address(of), Made::Number(Some(n))) | (Made::Number(Some(n)), Made::Address(of)) => {
            let is_outside = n < layout.first || n >= END_OF_ADDRESSES;
            !(of.is_near && is_outside)
        }
        // Both answers are possible in every layout.
        (Made::Address(_), Made::Number(None)) | (Made::Number(None), Made::Address(_)) => is_order,
        (
            Made::Distance
            | Made::Sum
            | Made::LowHalf(_)
            | Made::Random(_)
            | Made::Aligned
            | Made::Any,
            _,
        )
        | (
            _,
            Made::Distance
            | Made::Sum
            | Made::LowHalf(_)
            | Made::Random(_)
            | Made::Aligned
            | Made::Any,
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
    match made(domain, layout, value) {
        Made::Number(_) => ObjectId::NONE,
        Made::Random(_) if to > 1 => ObjectId::RANDOM,
        // Four bits are of every layout.
        of if of.keeps_low_bits() && 1 << to.min(63) <= ALIGNED => ObjectId::NONE,
        Made::Address(of) if to == 32 => {
            let object = match of.place {
                Place::Break => ObjectId::ADDRESS,
                Place::Object(object) | Place::Gone(object) => object,
            };
            ObjectId::part_of_kind(LOW_HALF | low_half(object))
        }
        of @ (Made::Address(_)
        | Made::Distance
        | Made::Sum
        | Made::LowHalf(_)
        | Made::Random(_)
        | Made::Aligned
        | Made::Any) => mixed(of.keeps_low_bits()),
    }
}

/// Whether a value is another in another layout.
pub(crate) fn is_of_layout(domain: &SymbolicDomain, value: &Value) -> bool {
    match domain.layout.as_deref() {
        Some(layout) => !matches!(made(domain, layout, value), Made::Number(_)),
        None => !value.object().is_number(),
    }
}

/// Notes an access at an address that is no pointer: what is there is something else in another layout.
/// Pointers to objects do not come here.
#[inline]
pub(crate) fn judge_access(domain: &mut SymbolicDomain, at: &Value) {
    if at.object().is_no_object() {
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
fn masked(own: ObjectId, of: Made, mask: u64) -> ObjectId {
    match of {
        Made::Number(_) => own,
        Made::Address(of) if mask < of.align || mask & (END_OF_ADDRESSES - 1) == 0 => {
            match of.is_near || mask < of.align {
                true => ObjectId::NONE,
                false => ObjectId::PART,
            }
        }
        Made::Address(of) if !mask < of.align => own,
        Made::Random(_) if mask.count_ones() >= MOST_OF_A_WORD => own,
        Made::Address(_) | Made::Distance | Made::Sum | Made::LowHalf(_) | Made::Aligned => {
            match mask < ALIGNED {
                true => ObjectId::NONE,
                false => LOW_PART,
            }
        }
        Made::Random(_) | Made::Any => ObjectId::PART,
    }
}

/// The mark of the result of an operator on numbers, of which one is the address of something that never
/// moves.
fn both_numbers(a: Made, b: Made) -> Option<ObjectId> {
    match (a, b) {
        (Made::Number(_), Made::Number(_)) => Some(ObjectId::NONE),
        (_, _) => None,
    }
}
