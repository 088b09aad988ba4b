//! Which terms of a journal look at where objects are.
//!
//! A term is free of the layout if its value (a pointer: its object and how far it is from there) is the same wherever the objects
//! are that it mentions. This is a judgement of its own, stricter than needed: what is not known to be free counts as layout-sensitive.
//!
//! - A base and a constant that stays inside of the object is a pointer; a choice between pointers, and what an array of pointers has, is one.
//! - Two pointers inside of objects are equal if they are the same place of the same object, provided that no two of the
//!   query's objects share an address ([`share_addresses`]); a pointer is never null.
//! - Anything else that is done to a pointer looks at the layout.

use cairn_expr::{Base, Op};
use cairn_text::journal::Journal;

/// What a node is, as far as the layout goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayoutUse {
    /// No base below it reaches its value: a constant other than null, an input, or what was computed without the layout.
    Free,
    /// The null pointer, or an array of nothing else.
    Null,
    /// Pointers, perhaps null too: each at least `from` bytes behind its base and `room` before the end of its object.
    Pointer { from: i128, room: i128 },
    /// A pointer at an unknown offset, or a choice between a pointer and a number.
    Loose,
    /// It looks at the layout.
    Sensitive,
}

use LayoutUse::{Free, Loose, Null, Pointer, Sensitive};

fn join(a: LayoutUse, b: LayoutUse) -> LayoutUse {
    match (a, b) {
        (Sensitive, _) | (_, Sensitive) => Sensitive,
        (Free | Null, Free) | (Free, Null) => Free,
        (Null, Null) => Null,
        (Pointer { from, room }, Pointer { from: f, room: r }) => Pointer {
            from: from.min(f),
            room: room.min(r),
        },
        (pointer @ Pointer { .. }, Null) | (Null, pointer @ Pointer { .. }) => pointer,
        (Pointer { .. } | Loose, Free | Loose | Null | Pointer { .. })
        | (Free | Null, Pointer { .. } | Loose) => Loose,
    }
}

fn is_pointer(one: LayoutUse) -> bool {
    match one {
        Pointer { .. } | Loose => true,
        Free | Null | Sensitive => false,
    }
}

fn is_inside(one: LayoutUse) -> bool {
    match one {
        Pointer { from, room } => from >= 0 && room > 0,
        Null => true,
        Free | Loose | Sensitive => false,
    }
}

fn equality(a: LayoutUse, b: LayoutUse) -> LayoutUse {
    match is_pointer(a) || is_pointer(b) {
        true if is_inside(a) && is_inside(b) => Free,
        true => Sensitive,
        false => Free,
    }
}

/// A sum: at most one pointer; `by` is the other operand if it is a constant.
fn sum(a: LayoutUse, b: LayoutUse, by: Option<i64>) -> LayoutUse {
    match (a, b, by) {
        (Pointer { from, room }, Free | Null, Some(by)) => Pointer {
            from: from + i128::from(by),
            room: room - i128::from(by),
        },
        (Pointer { .. } | Loose, Free | Null, _) => Loose,
        (Free | Null, Free | Null, _) => Free,
        (Free | Null | Pointer { .. } | Loose | Sensitive, _, _) => Sensitive,
    }
}

/// What every node of a journal is.
pub fn uses(journal: &Journal) -> Vec<LayoutUse> {
    let mut all: Vec<LayoutUse> = Vec::with_capacity(journal.nodes.len());
    for node in &journal.nodes {
        let of = |i: usize| all[node.args[i] as usize];
        let number = |i: usize| match &journal.nodes[node.args[i] as usize].op {
            Op::Const(value) => value.to_u64().map(u64::cast_signed),
            _ => None,
        };
        let any = |what: LayoutUse| node.args.iter().any(|a| all[*a as usize] == what);
        let one = match &node.op {
            _ if any(Sensitive) => Sensitive,
            Op::Base(base) => Pointer {
                from: 0,
                room: i128::from(base.capacity),
            },
            Op::Const(value) if value.is_zero() => Null,
            Op::Table(table) if table.values().is_empty() && table.default_value().is_zero() => {
                Null
            }
            Op::Bool(_) | Op::Const(_) | Op::Symbol(_) | Op::Table(_) => Free,
            Op::Ite if is_pointer(of(0)) => Sensitive,
            Op::Ite => join(of(1), of(2)),
            Op::Eq => equality(of(0), of(1)),
            Op::BvAdd if is_pointer(of(0)) => sum(of(0), of(1), number(1)),
            Op::BvAdd => sum(of(1), of(0), number(0)),
            Op::ConstArray { .. } => of(0),
            Op::Select if is_pointer(of(1)) => Sensitive,
            Op::Select => of(0),
            Op::Store if is_pointer(of(1)) => Sensitive,
            Op::Store => join(of(0), of(2)),
            Op::Not
            | Op::And
            | Op::BvNot
            | Op::BvNeg
            | Op::BvAnd
            | Op::BvOr
            | Op::BvXor
            | Op::BvMul
            | Op::BvUdiv
            | Op::BvUrem
            | Op::BvSdiv
            | Op::BvSrem
            | Op::BvSmod
            | Op::BvShl
            | Op::BvLshr
            | Op::BvAshr
            | Op::Concat
            | Op::Extract { .. }
            | Op::ZeroExtend(_)
            | Op::SignExtend(_)
            | Op::BvUlt
            | Op::BvSlt => match (0..node.args.len()).any(|i| is_pointer(of(i))) {
                true => Sensitive,
                false => Free,
            },
        };
        all.push(one);
    }
    all
}

/// Whether two of some objects share an address, or one ends where the next begins: they did not live at the same time, or their sizes are
/// not what the terms say.
pub fn share_addresses(bases: &[&Base]) -> bool {
    let mut sorted = bases.to_vec();
    sorted.sort_unstable_by_key(|base| base.address);
    let mut neighbours = sorted.windows(2);
    neighbours.any(|two| two[0].address.saturating_add(two[0].capacity) >= two[1].address)
}

#[cfg(test)]
mod tests;
