//! Copies and fills of a length that is not known, without a path for each length.
//!
//! # Idea
//!
//! If the length is at most what the objects have room for (otherwise it is an error),
//! byte `i` of the target is the new one if `i` is below the length, and what it was if not.
//! An object of symbolic size has room for as much as that size: that is a fact of the path too.
//!
//! # Soundness
//!
//! That is what copying means, byte by byte; the bound is a fact of the path.
//!
//! # Cost
//!
//! A choice for each byte up to the largest length that can happen. Beyond [`MOST`]
//! bytes of room each length is a path of its own.

use crate::memory::access;
use crate::memory::sizes;
use crate::values::symbolic_domain::{AccessError, SymbolicDomain, Undecided};
use crate::values::terms::number_like;
use crate::values::value::{Symbolic, Value};
use cairn_expr::Term;
use cairn_machine::Domain;
use cairn_memory::{Fault, ObjectInfo, ObjectKind, Word};
use std::rc::Rc;

/// The most room, in bytes, for which bytes become choices.
const MOST: u64 = 4096;

/// Bytes from a pointer to the end of its object.
/// A pointer that may not be used has room for none: no bytes can be copied from and to anywhere.
struct Room {
    /// How many, at most.
    bytes: u64,
    /// The pointer's place in the object.
    offset: u64,
    object: Option<ObjectInfo>,
    /// What is wrong with one more.
    fault: Fault,
}

/// A length that is not known, and what it is a length of.
struct Bound {
    length: Rc<Symbolic>,
    /// The most it can be.
    most: u64,
    /// Whether it is the size of the target, which is a whole object: then there is nothing behind.
    whole: bool,
    objects: Vec<ObjectInfo>,
}

/// The bytes behind a pointer.
fn room(domain: &SymbolicDomain, at: Word, write: bool) -> Room {
    let none = |fault| Room {
        bytes: 0,
        offset: 0,
        object: None,
        fault,
    };
    let info = match domain.memory.info(at) {
        Ok(info) => info,
        Err(fault) => return none(fault),
    };
    if write && info.kind == ObjectKind::Constant {
        let fault = Fault::ReadOnly {
            address: at.bits,
            length: 1,
            object: info,
        };
        return none(fault);
    }
    let offset = at.bits.wrapping_sub(info.address);
    let bytes = info.capacity.saturating_sub(offset);
    let fault = Fault::OutOfBounds {
        address: at.bits,
        length: bytes + 1,
        object: Some(info),
    };
    Room {
        bytes,
        offset,
        object: Some(info),
        fault,
    }
}

/// That a length is not more than the room, if that depends on the size of the object.
fn fits(domain: &SymbolicDomain, length: &Term, room: &Room) -> Option<Term> {
    let info = room.object.filter(|e| e.open)?;
    let size = domain.sizes.of(info.object)?;
    let store = &domain.cx.store;
    if room.offset == 0 {
        return Some(store.bv_ule(length, size));
    }
    // The length is at most the room, so the sum does not wrap.
    let end = store.bv_add(&number_like(store, length, room.offset), length);
    let none = store.eq(length, &number_like(store, length, 0));
    Some(store.or(&none, &store.bv_ule(&end, size)))
}

/// The bound of a length that is not known; `None` if another way must be taken.
fn bound(
    domain: &SymbolicDomain,
    length: &Value,
    to: Word,
    from: Option<Word>,
) -> Result<Option<Bound>, AccessError> {
    let Value::Symbolic(symbolic) = length else {
        return Ok(None);
    };
    if domain.number(length).is_ok() {
        return Ok(None);
    }
    let length = &symbolic.term;
    let target = room(domain, to, true);
    let source = from.map(|from| room(domain, from, false));
    let rooms: Vec<&Room> = [&target].into_iter().chain(&source).collect();
    let least = rooms.iter().min_by_key(|room| room.bytes);
    let limit = least.map_or(0, |room| room.bytes);
    if limit > MOST {
        return Ok(None);
    }
    let store = &domain.cx.store;
    let mut within = store.bv_ule(length, &number_like(store, length, limit));
    let mut narrowest = least.map_or(target.fault, |room| room.fault);
    for room in &rooms {
        if let Some(fits) = fits(domain, length, room) {
            within = store.and(&within, &fits);
            narrowest = room.fault;
        }
    }
    let Some(most) = domain.decided_at_most(length, &within) else {
        return Err(AccessError::Undecided(Undecided::AtMost {
            term: length.clone(),
            limit,
            within,
            fault: narrowest,
        }));
    };
    // Bytes past the symbolic size do not exist.
    let size = target.object.and_then(|e| domain.sizes.of(e.object));
    Ok(Some(Bound {
        most,
        whole: target.offset == 0 && size == Some(length),
        length: Rc::clone(symbolic),
        objects: rooms.iter().filter_map(|room| room.object).collect(),
    }))
}

/// Whether a byte is below the length.
fn below(domain: &SymbolicDomain, i: u64, length: &Term) -> Term {
    let store = &domain.cx.store;
    store.bv_ult(&number_like(store, length, i), length)
}

/// Copies as many bytes as a term says; `None` if the length must be known.
pub(crate) fn copy_some(
    domain: &mut SymbolicDomain,
    to: &Value,
    from: &Value,
    length: &Value,
    overlapping: bool,
) -> Result<Option<()>, AccessError> {
    let (Value::Word(to), Value::Word(from)) = (to, from) else {
        return Ok(None);
    };
    let Some(bound) = bound(domain, length, *to, Some(*from))? else {
        return Ok(None);
    };
    let most = bound.most;
    let distance = to.bits.abs_diff(from.bits);
    if !overlapping && distance != 0 && distance < most {
        // Some lengths overlap, which is an error, and others do not.
        return Ok(None);
    }
    // All is read before anything is written: the ranges may overlap.
    sizes::with_all_bytes(domain, &bound.objects, |domain| {
        let mut bytes = Vec::with_capacity(most as usize);
        for i in 0..most {
            bytes.push(access::load_value(domain, &Value::Word(from.offset(i)), 1)?);
        }
        for (i, byte) in (0..).zip(&bytes) {
            put_if_within(domain, to.offset(i), i, &bound, byte)?;
        }
        clear_behind(domain, *to, &bound)?;
        Ok(Some(()))
    })
}

/// Fills as many bytes as a term says; `None` if the length must be known.
pub(crate) fn fill_some(
    domain: &mut SymbolicDomain,
    to: &Value,
    byte: &Value,
    length: &Value,
) -> Result<Option<()>, AccessError> {
    let Value::Word(to) = to else {
        return Ok(None);
    };
    let Some(bound) = bound(domain, length, *to, None)? else {
        return Ok(None);
    };
    sizes::with_all_bytes(domain, &bound.objects, |domain| {
        for i in 0..bound.most {
            put_if_within(domain, to.offset(i), i, &bound, byte)?;
        }
        clear_behind(domain, *to, &bound)?;
        Ok(Some(()))
    })
}

/// Makes what is behind a whole object zero: it is never read, and zeros are simpler than what
/// was never written.
fn clear_behind(domain: &mut SymbolicDomain, to: Word, bound: &Bound) -> Result<(), AccessError> {
    if !bound.whole {
        return Ok(());
    }
    let capacity = domain.memory.info(to)?.capacity;
    let rest = capacity.saturating_sub(bound.most);
    Ok(domain.memory.fill(to.offset(bound.most), 0, rest)?)
}

fn put_if_within(
    domain: &mut SymbolicDomain,
    at: Word,
    i: u64,
    bound: &Bound,
    byte: &Value,
) -> Result<(), AccessError> {
    if bound.whole {
        return access::store_value(domain, &Value::Word(at), 1, byte);
    }
    put_if_below(domain, at, i, &bound.length.term, byte)
}

/// Writes a byte if its number is below a length.
pub(crate) fn put_if_below(
    domain: &mut SymbolicDomain,
    at: Word,
    i: u64,
    length: &Term,
    byte: &Value,
) -> Result<(), AccessError> {
    let at = Value::Word(at);
    let before = access::load_value(domain, &at, 1)?;
    let condition = domain.truth(&below(domain, i, length));
    let after = domain.select(8, &condition, byte, &before);
    access::store_value(domain, &at, 1, &after)
}
