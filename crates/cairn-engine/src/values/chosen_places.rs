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
use crate::values::address_notes::may_be_beyond;
use crate::values::candidates::candidates;
use crate::values::layouts::{
    ALIGNED, END_OF_ADDRESSES, Layout, Made, Moving, PAGE, Place, Reach, moving,
};
use crate::values::symbolic_domain::SymbolicDomain;
use crate::values::value::Value;
use cairn_expr::{Op, Term};
use cairn_memory::ObjectId;

/// Parts of a sum that are looked at.
const MOST_PARTS: usize = 64;

/// How an address depends on the layout whose object depends on inputs.
pub(super) fn chosen(domain: &SymbolicDomain, layout: &Layout, term: &Term) -> Made {
    let of_value = |bits: u64| match bits < PAGE {
        // Null in place of a pointer.
        true => Made::Number(None),
        false => moving(domain, layout, ObjectId::NONE, Some(bits)),
    };
    if let Some(all) = candidates(term, &InsideOffsets::default()) {
        let all = all.into_iter().map(of_value);
        return all.reduce(either).unwrap_or(Made::Any);
    }
    let example = of_value(domain.cx.value(&domain.model, term).low_u64());
    let all = bases(term).unwrap_or_default();
    match all.into_iter().map(of_value).fold(example, either) {
        Made::Number(_) => Made::Address(Moving {
            place: Place::Several,
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
pub(super) fn is_outside(layout: &Layout, value: &Value) -> bool {
    match value {
        Value::Word(_) => false,
        Value::Symbolic(symbolic) => is_within(&symbolic.term, layout.first),
    }
}

/// The same of an address whose object is known. Whether it is a number less an address is so under the path's
/// model.
pub(super) fn somewhere(
    domain: &SymbolicDomain,
    layout: &Layout,
    value: &Value,
    reach: Reach,
) -> Made {
    let Value::Symbolic(symbolic) = value else {
        unreachable!("a known address");
    };
    let bits = domain
        .cx
        .value(&domain.model, &symbolic.bits(&domain.cx.store));
    let example = moving(domain, layout, symbolic.object, Some(bits.low_u64()));
    match (moving(domain, layout, symbolic.object, None), example) {
        (Made::Address(of), Made::Address(example)) => {
            let is_beyond = || reach == Reach::Anywhere && may_be_beyond(domain, value).is_some();
            Made::Address(Moving {
                is_subtracted: example.is_subtracted,
                is_near: of.is_near && !example.is_subtracted && !is_beyond(),
                ..of
            })
        }
        (made, _) => made,
    }
}

/// What is one of two.
fn either(a: Made, b: Made) -> Made {
    match (a, b) {
        (Made::Number(_), Made::Number(_)) => Made::Number(None),
        (Made::Address(of), Made::Number(_)) | (Made::Number(_), Made::Address(of)) => {
            match of.is_subtracted {
                true => Made::Any,
                false => Made::Address(Moving {
                    place: Place::Several,
                    ..of
                }),
            }
        }
        (Made::Address(p), Made::Address(q)) if p.is_subtracted == q.is_subtracted => {
            let place = match p.place == q.place {
                true => p.place,
                false => Place::Several,
            };
            Made::Address(Moving {
                place,
                align: p.align.min(q.align),
                is_near: p.is_near && q.is_near,
                is_edge: p.is_edge || q.is_edge,
                is_subtracted: p.is_subtracted,
                is_stack: p.is_stack && q.is_stack,
            })
        }
        (
            Made::Number(_)
            | Made::Address(_)
            | Made::Distance
            | Made::Sum
            | Made::LowHalf(_)
            | Made::Random(_)
            | Made::Aligned
            | Made::Any,
            _,
        ) => Made::Any,
    }
}

/// The addresses that a sum begins at: all values of the one of its parts that shows them and has addresses.
fn bases(term: &Term) -> Option<Vec<u64>> {
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
