//! Whether the equality of two addresses is the same in every layout, where inputs choose their objects or how far they are in them.
//!
//! # Problem
//!
//! Addresses inside of two live objects are equal in no layout, whatever their offsets are. One just behind an object is
//! where another one begins in some layouts. A term may be either, and mostly the path's facts say which.
//!
//! # Idea
//!
//! The comparison is a use of an address for inputs under which one of the two is no place inside of an object, the other is no null
//! pointer, they differ, and they are not in one object or behind it. That is asked of the solver.
//!
//! # Soundness
//!
//! Objects have a gap between them, so that an address that is inside of an object here, or behind it, was made from that object, unless a number
//! led it farther: for that see [`may_be_beyond`](crate::values::address_notes::may_be_beyond). Only objects that a term can be in by its form
//! count; if the form does not show them, all that live. If these are too many, nothing is proved.
//!
//! # Cost
//!
//! A walk over each term, and a query unless all values that the terms show are inside of objects.

use crate::memory::bases::base_for;
use crate::values::candidates::candidates;
use crate::values::chosen_places::bases;
use crate::values::symbolic_domain::SymbolicDomain;
use crate::values::terms::number_like;
use crate::values::value::Value;
use cairn_expr::Term;
use cairn_machine::words;
use cairn_memory::{ObjectId, ObjectInfo, Word, code_region, first_own_address};

/// Bytes of a page; addresses below are null pointers with an offset.
const PAGE: u64 = 4096;

/// The most objects that a question is about.
const MOST_OBJECTS: usize = 64;

/// What is known about the equality of two addresses.
pub(super) enum LayoutEquality {
    /// It is the same in every layout.
    Same,
    /// It is not, for inputs under which this holds.
    DependsIf(Term),
    /// It may depend on the layout.
    Depends,
}

/// What is known about the equality of two addresses of which one at least is a term; `None` if this cannot tell.
pub(super) fn equality(domain: &SymbolicDomain, a: &Value, b: &Value) -> Option<LayoutEquality> {
    let sides = [side(domain, a)?, side(domain, b)?];
    if sides.iter().all(|side| side.is_inside) {
        return Some(LayoutEquality::Same);
    }
    let mut objects: Vec<ObjectInfo> = Vec::new();
    let listed = sides.iter().map(|side| side.objects.as_deref());
    match listed.collect::<Option<Vec<_>>>() {
        Some(all) => {
            for info in all.into_iter().flatten() {
                if !objects.iter().any(|other| other.object == info.object) {
                    objects.push(*info);
                }
            }
        }
        None => objects.extend(domain.memory.objects().take(MOST_OBJECTS + 1)),
    }
    if objects.len() > MOST_OBJECTS {
        return Some(LayoutEquality::Depends);
    }
    let store = &domain.cx.store;
    let [p, q] = [&sides[0].term, &sides[1].term];
    // Whether an address is in an object: at its end, too, or not.
    let within = |at: &Term, info: &ObjectInfo, with_end: bool| {
        let offset = store.bv_sub(at, &base_for(store, at, info));
        // Of an object of symbolic size not all bytes are sure to exist.
        match with_end {
            true => store.bv_ule(&offset, &number_like(store, at, info.capacity)),
            false => store.bv_ult(&offset, &number_like(store, at, info.size)),
        }
    };
    let code = code_region(domain.memory.pointer_width());
    let is_code = |at: &Term| {
        let from = store.bv_sub(at, &number_like(store, at, code.start));
        store.bv_ult(&from, &number_like(store, at, code.end - code.start))
    };
    let is_place = |at: &Term| {
        let mut inside: Vec<Term> = objects.iter().map(|o| within(at, o, false)).collect();
        inside.push(is_code(at));
        store.not(&store.or_all(&inside))
    };
    let is_null = |at: &Term| store.bv_ult(at, &number_like(store, at, PAGE));
    let in_one = |info: &ObjectInfo| store.and(&within(p, info, true), &within(q, info, true));
    let same: Vec<Term> = [store.eq(p, q), is_null(p), is_null(q)]
        .into_iter()
        .chain(objects.iter().map(in_one))
        .collect();
    let claim = store.and(
        &store.not(&store.or_all(&same)),
        &store.or(&is_place(p), &is_place(q)),
    );
    Some(match claim.is_false() {
        true => LayoutEquality::Same,
        false => LayoutEquality::DependsIf(claim),
    })
}

/// One of the two addresses.
struct Side {
    term: Term,
    /// The objects that it can be in; `None` if it can be in any.
    objects: Option<Vec<ObjectInfo>>,
    /// All of its values are inside of objects, functions, or null.
    is_inside: bool,
}

/// What is compared, if it is an address without a tag.
fn side(domain: &SymbolicDomain, value: &Value) -> Option<Side> {
    let object = value.object();
    let width = domain.memory.pointer_width();
    let store = &domain.cx.store;
    let term = domain.operand(value, width.bits());
    if object.is_number() || object.is_part() || object.is_taken() || term.width() != width.bits() {
        return None;
    }
    let bits = match value {
        Value::Word(word) => word.bits,
        Value::Symbolic(_) => domain.cx.value(&domain.model, &term).low_u64(),
    };
    if words::tag_of(width, bits) != 0 {
        return None;
    }
    if object != ObjectId::ADDRESS {
        let info = domain.memory.info(Word { bits: 0, object }).ok()?;
        let offset = store.bv_sub(&term, &base_for(store, &term, &info));
        let size = number_like(store, &term, info.size);
        if info.address < first_own_address(width) {
            return None;
        }
        return Some(Side {
            is_inside: store.bv_ult(&offset, &size).is_true(),
            objects: Some(vec![info]),
            term,
        });
    }
    let all = candidates(&term, &domain.inside_offsets);
    let is_listed = all.is_some();
    let Some(all) = all.or_else(|| bases(&term)) else {
        return Some(Side {
            term,
            objects: None,
            is_inside: false,
        });
    };
    let mut side = Side {
        term,
        objects: Some(Vec::new()),
        is_inside: is_listed,
    };
    for bits in all.into_iter().filter(|bits| *bits >= PAGE) {
        if words::is_code(width, bits) {
            continue;
        }
        let Some(info) = domain.memory.around(bits, PAGE) else {
            side.is_inside = false;
            continue;
        };
        side.is_inside &= bits - info.address < info.size;
        side.objects.get_or_insert_default().push(info);
    }
    Some(side)
}
