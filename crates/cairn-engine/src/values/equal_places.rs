//! Whether the equality of two addresses is the same in every layout, where inputs choose their objects or how far they are in them.
//!
//! # Problem
//!
//! Addresses inside of two live objects are equal in no layout, whatever their offsets are. One just behind an object is
//! where another one begins in some layouts. A term may be either, and mostly the path's facts say which.
//!
//! # Idea
//!
//! Constants with the same bytes up to their ends may be one object: linkers merge strings. Otherwise
//! the comparison is a use of an address for inputs under which one of the two is no place inside of an object, the other is no null
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
//! A walk over each term, and a query unless all values that the terms show are inside of objects, of which no two are constants that
//! end alike. The ends of constants are compared each with each.

use crate::memory::bases::base_for;
use crate::values::candidates::candidates;
use crate::values::chosen_places::bases;
use crate::values::symbolic_domain::SymbolicDomain;
use crate::values::terms::number_like;
use crate::values::value::Value;
use cairn_expr::Term;
use cairn_machine::words;
use cairn_memory::{ObjectId, ObjectInfo, ObjectKind, Word, code_region, first_own_address};

/// Bytes of a page; addresses below are null pointers with an offset.
const PAGE: u64 = 4096;

/// The most objects that a question is about.
const MOST_OBJECTS: usize = 64;

/// The most bytes at the ends of two constants that are compared.
const MOST_BYTES: u64 = 4096;

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
    let merged = merged_claim(domain, &sides);
    if sides.iter().all(|side| side.is_inside) {
        return Some(match merged {
            Some(claim) if !claim.is_false() => LayoutEquality::DependsIf(claim),
            Some(_) => LayoutEquality::Same,
            None => LayoutEquality::Depends,
        });
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
    let Some(merged) = merged else {
        return Some(LayoutEquality::Depends);
    };
    let claim = store.or(&claim, &merged);
    Some(match claim.is_false() {
        true => LayoutEquality::Same,
        false => LayoutEquality::DependsIf(claim),
    })
}

/// That the two addresses are in different constants that have the same bytes from there on: linkers make one of such strings. `None`
/// if there are too many to look at.
fn merged_claim(domain: &SymbolicDomain, sides: &[Side; 2]) -> Option<Term> {
    let store = &domain.cx.store;
    let constants = sides.each_ref().map(|side| {
        let mut constants: Vec<ObjectInfo> = match &side.objects {
            Some(objects) => objects.clone(),
            None => domain.memory.objects().collect(),
        };
        constants.retain(|info| info.kind == ObjectKind::Constant && info.size > 0);
        constants.sort_unstable_by_key(|info| info.address);
        constants.dedup_by_key(|info| info.object);
        constants
    });
    if constants.iter().any(|all| all.len() > MOST_OBJECTS) {
        return None;
    }
    let ends = constants.each_ref().map(|all| {
        let ends = all.iter().map(|info| last_bytes(domain, info));
        ends.collect::<Vec<Vec<u8>>>()
    });
    let from_end = |at: &Term, info: &ObjectInfo| {
        let end = store.bv_add(
            &base_for(store, at, info),
            &number_like(store, at, info.size),
        );
        store.bv_sub(&end, at)
    };
    let mut claims = Vec::new();
    for (a, end_of_a) in constants[0].iter().zip(&ends[0]) {
        for (b, end_of_b) in constants[1].iter().zip(&ends[1]) {
            let backwards = end_of_a.iter().rev().zip(end_of_b.iter().rev());
            let same = backwards.take_while(|(a, b)| a == b).count() as u64;
            if a.object == b.object || same == 0 {
                continue;
            }
            // More may be the same than was looked at.
            let same = match same == MOST_BYTES {
                true => a.size.min(b.size),
                false => same,
            };
            let [p, q] = [&sides[0].term, &sides[1].term];
            let (left, right) = (from_end(p, a), from_end(q, b));
            let before = store.bv_sub(&left, &number_like(store, p, 1));
            let is_near_end = store.bv_ult(&before, &number_like(store, p, same));
            claims.push(store.and(&store.eq(&left, &right), &is_near_end));
        }
    }
    Some(store.or_all(&claims))
}

/// The last bytes of a constant, as far as they are looked at; none if they hold addresses.
fn last_bytes(domain: &SymbolicDomain, info: &ObjectInfo) -> Vec<u8> {
    let length = info.size.min(MOST_BYTES);
    let at = Word {
        bits: info.address + (info.size - length),
        object: info.object,
    };
    let mut bytes = vec![0; length as usize];
    match domain.memory.load_bytes(at, &mut bytes) {
        Ok(()) => bytes,
        Err(_) => Vec::new(),
    }
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
