//! Which things an address of machine code may be in that depends on inputs.
//!
//! # Problem
//!
//! A word that is read from a table at a symbolic index is an address under one model, and null or the address
//! of something that never moves under another.
//!
//! # Idea
//!
//! Its term mostly shows all of its values, or the addresses that an offset is added to. If they move together, it
//! moves with them. If not, it is an address of one of several things, which moves with nothing.
//!
//! # Soundness
//!
//! All values of a term count, not only those that the path's facts leave. Of a term that does not show where its
//! values begin, the value under the path's model stands for all, but never as a number that does not move.
//!
//! # Cost
//!
//! A walk of the term ([`candidates`]).

use crate::memory::array_addresses::is_within;
use crate::memory::positions::InsideOffsets;
use crate::values::address_notes::{NEAREST_BEYOND, may_be_beyond};
use crate::values::candidates::candidates;
use crate::values::layouts::{
    ALIGNED, END_OF_ADDRESSES, GuestLayout, MovesWith, MovingAddress, OffsetReach, OperandOrigin,
    PAGE, moving,
};
use crate::values::symbolic_domain::SymbolicDomain;
use crate::values::value::{Symbolic, Value};
use cairn_expr::{Op, Term};
use cairn_memory::ObjectId;

/// Parts of a sum that are looked at.
const MOST_PARTS: usize = 64;

/// How an address depends on the layout whose object depends on inputs.
pub(super) fn chosen(
    domain: &SymbolicDomain,
    layout: &GuestLayout,
    value: &Symbolic,
    reach: OffsetReach,
) -> OperandOrigin {
    let term = value.bits(&domain.cx.store);
    match among_places(domain, layout, &term) {
        OperandOrigin::Address(of)
            if reach == OffsetReach::Anywhere && may_be_beyond_places(domain, value).is_some() =>
        {
            OperandOrigin::Address(MovingAddress {
                is_near: false,
                ..of
            })
        }
        made => made,
    }
}

/// The condition that an address whose object depends on inputs, or is not known, is outside of everything that moves; `None` if its form
/// excludes that: then a number that may be as large as an address was added or taken away.
pub(crate) fn may_be_beyond_places(domain: &SymbolicDomain, symbolic: &Symbolic) -> Option<Term> {
    let layout = domain.layout.as_deref()?;
    let store = &domain.cx.store;
    let term = symbolic.bits(store);
    let is_address = symbolic.object == ObjectId::ADDRESS && term.width() == 64;
    if !is_address || candidates(&term, &InsideOffsets::default()).is_some() {
        return None;
    }
    let all = bases(&term)?;
    let offset = store.bv_sub(&term, &store.bv(64, *all.first()?));
    if is_within(&offset, NEAREST_BEYOND) {
        return None;
    }
    let in_break = |bits: &u64| layout.brk.contains(bits) || *bits == layout.brk.end;
    let places = match all.iter().all(in_break) {
        true => layout.brk.clone(),
        false => layout.first..END_OF_ADDRESSES,
    };
    let first = places.start.saturating_sub(PAGE);
    let length = (places.end + PAGE).wrapping_sub(first);
    let from_first = store.bv_sub(&term, &store.bv(64, first));
    Some(store.bv_ult(&store.bv(64, length), &from_first))
}

fn among_places(domain: &SymbolicDomain, layout: &GuestLayout, term: &Term) -> OperandOrigin {
    let of_value = |bits: u64| match bits < PAGE {
        // Null in place of a pointer.
        true => OperandOrigin::Number(None),
        false => moving(domain, layout, ObjectId::NONE, Some(bits)),
    };
    if let Some(all) = candidates(term, &InsideOffsets::default()) {
        let all = all.into_iter().map(of_value);
        return all.reduce(either).unwrap_or(OperandOrigin::Any);
    }
    let example = of_value(domain.cx.value(&domain.model, term).low_u64());
    let all = bases(term).unwrap_or_default();
    match all.into_iter().map(of_value).fold(example, either) {
        OperandOrigin::Number(_) => OperandOrigin::Address(MovingAddress {
            place: MovesWith::Several,
            align: ALIGNED,
            is_near: true,
            is_edge: false,
            is_subtracted: false,
            is_stack: false,
        }),
        made => made,
    }
}

/// Whether a number that is not known is an address in no layout: it is near 0, on either side.
pub(super) fn is_outside(layout: &GuestLayout, value: &Value) -> bool {
    match value {
        Value::Word(_) => false,
        Value::Symbolic(symbolic) => is_within(&symbolic.term, layout.first),
    }
}

/// The same of an address whose object is known.
pub(super) fn somewhere(
    domain: &SymbolicDomain,
    layout: &GuestLayout,
    value: &Value,
    reach: OffsetReach,
) -> OperandOrigin {
    match moving(domain, layout, value.object(), None) {
        OperandOrigin::Address(of) => {
            let is_beyond =
                || reach == OffsetReach::Anywhere && may_be_beyond(domain, value).is_some();
            OperandOrigin::Address(MovingAddress {
                is_near: of.is_near && !is_beyond(),
                ..of
            })
        }
        made => made,
    }
}

/// What is one of two.
fn either(a: OperandOrigin, b: OperandOrigin) -> OperandOrigin {
    match (a, b) {
        (OperandOrigin::Number(_), OperandOrigin::Number(_)) => OperandOrigin::Number(None),
        (OperandOrigin::Address(of), OperandOrigin::Number(_))
        | (OperandOrigin::Number(_), OperandOrigin::Address(of)) => match of.is_subtracted {
            true => OperandOrigin::Any,
            false => OperandOrigin::Address(MovingAddress {
                place: MovesWith::Several,
                ..of
            }),
        },
        (OperandOrigin::Address(p), OperandOrigin::Address(q))
            if p.is_subtracted == q.is_subtracted =>
        {
            let place = match p.place == q.place {
                true => p.place,
                false => MovesWith::Several,
            };
            OperandOrigin::Address(MovingAddress {
                place,
                align: p.align.min(q.align),
                is_near: p.is_near && q.is_near,
                is_edge: p.is_edge || q.is_edge,
                is_subtracted: p.is_subtracted,
                is_stack: p.is_stack && q.is_stack,
            })
        }
        (
            OperandOrigin::Number(_)
            | OperandOrigin::Address(_)
            | OperandOrigin::Distance
            | OperandOrigin::Sum
            | OperandOrigin::LowHalf(_)
            | OperandOrigin::Random(_)
            | OperandOrigin::Aligned
            | OperandOrigin::Any,
            _,
        ) => OperandOrigin::Any,
    }
}

/// The addresses that a sum begins at: all values of the one of its parts that shows them and has addresses.
pub(super) fn bases(term: &Term) -> Option<Vec<u64>> {
    let mut open = vec![term];
    let mut found = Vec::new();
    let is_address = |bits: &u64| (PAGE..END_OF_ADDRESSES).contains(bits);
    for _ in 0..MOST_PARTS {
        let Some(part) = open.pop() else {
            break;
        };
        match candidates(part, &InsideOffsets::default()) {
            Some(all) if all.iter().any(is_address) => {
                found.push(all);
            }
            Some(_) => {}
            None if matches!(part.op(), Op::BvAdd) => open.extend([part.arg(0), part.arg(1)]),
            None => {}
        }
    }
    match found.len() {
        1 => found.pop(),
        _ => None,
    }
}
