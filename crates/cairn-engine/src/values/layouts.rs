//! What of a value of machine code is the same in every layout: places, and what moves with them.
//!
//! `values/moving_addresses.rs` says what operators make of such values.

use crate::config::Config;
use crate::values::chosen_places;
use crate::values::moving_addresses::{BREAK_TAKEN, DISTANCE, KINDS, LOW_HALF, LOW_PART, SUM};
use crate::values::symbolic_domain::SymbolicDomain;
use crate::values::value::Value;
use cairn_machine::MachineCode;
use cairn_memory::{ObjectId, ObjectKind, Word};
use std::ops::Range;

/// The alignment of everything that moves: Linux moves the stack by that, and `malloc` promises it.
pub(super) const ALIGNED: u64 = 16;

/// The alignment of what `brk` and `mmap` give.
pub(super) const PAGE: u64 = 4096;

/// The upper half of all addresses is the system's.
pub(super) const END_OF_ADDRESSES: u64 = 1 << 47;

/// Where the things are that have a place of their own in every layout, and those that do not.
#[derive(Clone, Debug)]
pub(crate) struct GuestLayout {
    /// Addresses of the break. Segments are below, everything else that moves is above.
    pub(super) brk: Range<u64>,
    /// The stack, which is above everything else.
    stack: Range<u64>,
    /// Nothing that moves is below this.
    pub(super) first: u64,
}

impl GuestLayout {
    /// The layout of an executable: where its segments are is part of it.
    pub fn new(code: &dyn MachineCode, config: &Config) -> Self {
        let stack = code.stack();
        match &config.system {
            Some(setup) => GuestLayout {
                brk: setup.brk.clone(),
                stack,
                first: setup.brk.start,
            },
            // No call gives memory.
            None => GuestLayout {
                brk: u64::MAX..u64::MAX,
                stack,
                first: PAGE,
            },
        }
    }
}

/// The thing that an address moves with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MovesWith {
    /// The memory that `brk` gives.
    Break,
    /// An object.
    Object(ObjectId),
    /// A dead object.
    Gone(ObjectId),
    /// One of several of those, or of things that do not move: which one depends on inputs.
    Several,
}

/// An address that is not the same in every layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MovingAddress {
    pub place: MovesWith,
    pub align: u64,
    /// Whether it is in the object or near it: only offsets were added.
    pub is_near: bool,
    /// Whether something else may begin or have been there.
    pub is_edge: bool,
    /// Whether it is a number less an address.
    pub is_subtracted: bool,
    pub is_stack: bool,
}

impl MovingAddress {
    /// Whether two addresses move together.
    pub fn moves_with(&self, other: &MovingAddress) -> bool {
        self.place == other.place && self.place != MovesWith::Several
    }
}

/// A value that an operator uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OperandOrigin {
    /// The same in every layout; the number if it is known.
    Number(Option<u64>),
    /// An address.
    Address(MovingAddress),
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

impl OperandOrigin {
    pub fn keeps_low_bits(self) -> bool {
        match self {
            OperandOrigin::Number(_)
            | OperandOrigin::Address(_)
            | OperandOrigin::Distance
            | OperandOrigin::Sum
            | OperandOrigin::LowHalf(_)
            | OperandOrigin::Aligned => true,
            OperandOrigin::Random(_) | OperandOrigin::Any => false,
        }
    }

    pub fn number(self) -> Option<u64> {
        match self {
            OperandOrigin::Number(number) => number,
            OperandOrigin::Address(_)
            | OperandOrigin::Distance
            | OperandOrigin::Sum
            | OperandOrigin::LowHalf(_)
            | OperandOrigin::Random(_)
            | OperandOrigin::Aligned
            | OperandOrigin::Any => None,
        }
    }
}

/// An address of the break of which no object is known, or a number less one.
fn in_break(is_address: bool) -> MovingAddress {
    MovingAddress {
        place: MovesWith::Break,
        align: PAGE,
        is_near: is_address,
        is_edge: false,
        is_subtracted: !is_address,
        is_stack: false,
    }
}

pub(super) fn moving(
    domain: &SymbolicDomain,
    layout: &GuestLayout,
    object: ObjectId,
    bits: Option<u64>,
) -> OperandOrigin {
    if object.object_unknown() {
        let Some(bits) = bits else {
            return OperandOrigin::Any;
        };
        if layout.brk.contains(&bits) || bits == layout.brk.end {
            return OperandOrigin::Address(in_break(true));
        }
        return match domain.memory.around(bits, PAGE) {
            Some(info) => moving(domain, layout, info.object, Some(bits)),
            None => OperandOrigin::Any,
        };
    }
    let Ok(info) = domain.memory.info(Word { bits: 0, object }) else {
        return OperandOrigin::Address(MovingAddress {
            place: MovesWith::Gone(object.not_taken()),
            align: ALIGNED,
            is_near: !object.is_taken(),
            is_edge: true,
            is_subtracted: object.is_taken(),
            is_stack: false,
        });
    };
    let fixed = match info.kind {
        ObjectKind::Global | ObjectKind::Constant => {
            info.address < layout.brk.start && !layout.stack.contains(&info.address)
        }
        ObjectKind::Heap | ObjectKind::Stack | ObjectKind::Mapped | ObjectKind::Kernel => false,
    };
    if fixed {
        return OperandOrigin::Number(bits);
    }
    let is_break = layout.brk.contains(&info.address);
    let end = info.address + info.capacity;
    let first = info.address.saturating_sub(PAGE);
    let is_near = bits.is_none_or(|bits| (first..=end + PAGE).contains(&bits))
        || is_break && bits.is_some_and(|bits| layout.brk.contains(&bits));
    OperandOrigin::Address(MovingAddress {
        place: match is_break {
            true => MovesWith::Break,
            false => MovesWith::Object(info.object),
        },
        align: match info.kind {
            ObjectKind::Mapped => PAGE,
            ObjectKind::Global | ObjectKind::Constant if is_break => PAGE,
            ObjectKind::Heap
            | ObjectKind::Stack
            | ObjectKind::Global
            | ObjectKind::Constant
            | ObjectKind::Kernel => info.align.max(ALIGNED),
        },
        is_near: is_near && !object.is_taken(),
        is_edge: bits.is_none_or(|bits| bits == end),
        is_subtracted: object.is_taken(),
        is_stack: layout.stack.contains(&info.address),
    })
}

/// How far from its object an address may be to which a symbolic number was added.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OffsetReach {
    /// In it or near it.
    Objects,
    /// Anywhere, if the number may be as large as an address.
    Anywhere,
}

/// How a value depends on the layout. A symbolic address may be in several objects (`chosen_places.rs`).
pub(super) fn origin_of(
    domain: &SymbolicDomain,
    layout: &GuestLayout,
    value: &Value,
    reach: OffsetReach,
) -> OperandOrigin {
    let (bits, object) = match value {
        Value::Word(word) => (Some(word.bits), word.object),
        Value::Symbolic(symbolic) => (None, symbolic.object),
    };
    if object.is_number() {
        return OperandOrigin::Number(bits);
    }
    if object.is_part() {
        if object.is_random() {
            return OperandOrigin::Random(bits);
        }
        let kind = object.kind_of_part();
        return match kind & KINDS {
            DISTANCE if kind == SUM => OperandOrigin::Sum,
            DISTANCE if kind == BREAK_TAKEN => OperandOrigin::Address(in_break(false)),
            DISTANCE => OperandOrigin::Distance,
            LOW_HALF => OperandOrigin::LowHalf(kind & !KINDS),
            _ if object == LOW_PART => OperandOrigin::Aligned,
            _ => OperandOrigin::Any,
        };
    }
    match value {
        Value::Symbolic(symbolic) if object.object_unknown() => {
            chosen_places::chosen(domain, layout, symbolic, reach)
        }
        Value::Symbolic(_) => chosen_places::somewhere(domain, layout, value, reach),
        Value::Word(_) => moving(domain, layout, object, bits),
    }
}
