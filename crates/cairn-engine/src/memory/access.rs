//! Loads, stores, copies and fills, where bytes or addresses may be terms.

use crate::memory::array_addresses;
use crate::memory::arrays;
use crate::memory::arrays::{PartQueue, TakenBytes};
use crate::memory::bases::base_for;
use crate::memory::dangling;
use crate::memory::member_copies;
use crate::memory::members;
use crate::memory::owners;
use crate::memory::segments;
use crate::memory::windows;
use crate::values::address_notes;
use crate::values::symbolic_domain::{AccessError, SymbolicDomain, Undecided};
use crate::values::value::{Symbolic, Value, Wide};
use cairn_bv::BitVec;
use cairn_expr::Term;
use cairn_memory::{Cell, Fault, ObjectId, ObjectInfo, ObjectKind, OriginId, ReadPart, Word};
use std::rc::Rc;

/// Bytes that are copied or filled between two looks at the clock.
const STRETCH: u64 = 16 << 20;

/// The object of an access by a symbolic address, if that was decided.
fn decided(
    domain: &SymbolicDomain,
    at: &Rc<Symbolic>,
    length: u64,
    write: bool,
) -> Result<ObjectInfo, AccessError> {
    let Some((object, window)) = domain.decided_access(at, length) else {
        return Err(AccessError::Undecided(Undecided::Access {
            address: Rc::clone(at),
            length,
            write,
        }));
    };
    let info = domain.memory.info(Word { bits: 0, object })?;
    if write && info.kind == ObjectKind::Constant {
        return Err(AccessError::Fault(Fault::ReadOnly {
            address: info.address,
            length,
            object: info,
        }));
    }
    Ok(window.map_or(info, |window| window.of(&info)))
}

/// The value of an address, if it is known on this path.
fn located(domain: &mut SymbolicDomain, at: &Symbolic) -> Option<Word> {
    let (bits, leaf, because) = domain.pointers.find_moved(&at.term)?;
    domain.cx.rely_on(because);
    if at.object.object_unknown() && !domain.reaches_any {
        let by_form = owners::word_of_term(domain, &at.term, bits);
        match by_form.or_else(|| dangling::word_of_leaf(domain, leaf.into(), bits)) {
            Some(word) if word.object.object_unknown() && word.bits == bits => {}
            Some(word) => return Some(word),
            None => address_notes::note_followed(domain, dangling::why_followed(domain, leaf)),
        }
    }
    Some(Word {
        bits,
        object: at.object,
    })
}

/// The same of one that may not be a term at all.
fn decided_place(domain: &mut SymbolicDomain, at: &Value) -> Value {
    match at {
        Value::Word(at) => Value::Word(*at),
        Value::Symbolic(at) => match located(domain, at) {
            Some(at) => Value::Word(at),
            None => Value::Symbolic(Rc::clone(at)),
        },
    }
}

/// An address as the offset into its object.
fn offset(domain: &SymbolicDomain, at: &Symbolic, info: &ObjectInfo) -> Term {
    let store = &domain.cx.store;
    store.bv_sub(&at.term, &base_for(store, &at.term, info))
}

pub(crate) fn load_value(
    domain: &mut SymbolicDomain,
    at: &Value,
    bytes: u32,
) -> Result<Value, AccessError> {
    let at = match at {
        Value::Word(at) => *at,
        Value::Symbolic(at) => match located(domain, at) {
            Some(at) => at,
            None => {
                if let Some(word) = windows::load_partly_at(domain, at, bytes) {
                    return Ok(word);
                }
                if let Some(chosen) = members::load(domain, at, bytes)? {
                    return Ok(chosen);
                }
                if let Some(one) = segments::load(domain, at, bytes)? {
                    return Ok(dangling::with_object(domain, one));
                }
                let info = decided(domain, at, u64::from(bytes), false)?;
                let offset = offset(domain, at, &info);
                domain.inside_offsets.note(&offset, bytes);
                let term = arrays::read_at(domain, &info, &offset, bytes);
                let object = array_addresses::marks_at(domain, &info, &offset, bytes);
                return Ok(owners::value_of_part(domain, term, object));
            }
        },
    };
    match domain.memory.cell_around(at, bytes) {
        Some((
            Cell::Term {
                term,
                skip: 0,
                object,
            },
            0,
        )) if term.width() == 8 * bytes => {
            return Ok(Value::Symbolic(Rc::new(Symbolic {
                term: term.clone(),
                object: *object,
            })));
        }
        Some((Cell::Origin { origin, .. }, _)) if *origin == OriginId::MISSING => {
            return Err(domain.memory.missing(at, bytes).into());
        }
        Some((Cell::Origin { origin, offset }, first)) => {
            let (origin, offset) = (*origin, offset + u64::from(first));
            let store = &domain.cx.store;
            let term = domain.origins.read(store, origin, offset, u64::from(bytes));
            return Ok(Value::from_term(term, ObjectId::NONE));
        }
        Some((Cell::Term { .. } | Cell::Array { .. }, _)) | None => {}
    }
    match domain.memory.load_word(at, bytes) {
        Ok(word) => Ok(Value::Word(word)),
        Err(Fault::Symbolic { .. }) => Ok(load_cells(domain, at, bytes)?),
        Err(fault) => match windows::load_partly(domain, at, bytes) {
            Some(value) => Ok(value),
            None => Err(windows::open_word(domain, fault)),
        },
    }
}

fn load_cells(domain: &mut SymbolicDomain, at: Word, bytes: u32) -> Result<Value, Fault> {
    let mut parts = Vec::new();
    domain.memory.load_parts(at, u64::from(bytes), &mut parts)?;
    if let [
        ReadPart::Cell {
            cell:
                Cell::Term {
                    term,
                    skip: 0,
                    object,
                },
            ..
        },
    ] = &parts[..]
        && term.width() == 8 * bytes
    {
        return Ok(Value::from_term(term.clone(), *object));
    }
    let object = address_notes::marks(domain, at, bytes);
    Ok(match PartQueue::new(parts).take(domain, bytes) {
        TakenBytes::Known(bits) => {
            dangling::with_object(domain, Value::Word(Word { bits, object }))
        }
        TakenBytes::Term(term) => owners::value_of_part(domain, term, object),
    })
}

pub(crate) fn store_value(
    domain: &mut SymbolicDomain,
    at: &Value,
    bytes: u32,
    value: &Value,
) -> Result<(), AccessError> {
    let at = match at {
        Value::Word(at) => *at,
        Value::Symbolic(at) => match located(domain, at) {
            Some(at) => at,
            None => {
                let term = part_term(domain, value, bytes);
                dangling::note_value(domain, value);
                if members::store(domain, at, &term, value.object())? {
                    return Ok(());
                }
                if segments::store(domain, at, &term, value.object())? {
                    return Ok(());
                }
                let info = decided(domain, at, u64::from(bytes), true)?;
                let offset = offset(domain, at, &info);
                return arrays::write_at(domain, &info, &offset, &term, value.object());
            }
        },
    };
    match value {
        Value::Word(value) => Ok(domain.memory.store_word(at, bytes, *value)?),
        Value::Symbolic(symbolic) => {
            let cell = term_cell(byte_term(domain, value, bytes), symbolic.object);
            Ok(domain.memory.store_cell(at, u64::from(bytes), cell)?)
        }
    }
}

/// A value as a term of whole bytes: what is narrower has zeros above.
pub(super) fn byte_term(domain: &SymbolicDomain, value: &Value, bytes: u32) -> Term {
    let store = &domain.cx.store;
    let term = domain.operand(value, 8 * bytes);
    crate::values::terms::widened(store, &term, 8 * bytes)
}

/// The same of one that becomes a part of a choice between values.
pub(super) fn part_term(domain: &SymbolicDomain, value: &Value, bytes: u32) -> Term {
    let store = &domain.cx.store;
    let term = owners::part_of_choice(domain, value, 8 * bytes);
    crate::values::terms::widened(store, &term, 8 * bytes)
}

/// A wide number from memory. It does not know what it belongs to, so that it is used as a number if that
/// is anything.
pub(crate) fn load_any(
    domain: &mut SymbolicDomain,
    at: &Value,
    length: u64,
) -> Result<Wide, AccessError> {
    let at = decided_place(domain, at);
    if let Value::Symbolic(symbolic) = &at
        && let Some((content, is_marked)) = member_copies::load_wide(domain, symbolic, length)?
    {
        if is_marked {
            address_notes::note_address(domain);
        }
        return Ok(content);
    }
    let (content, marks) = load_marked(domain, &at, length)?;
    if marks.iter().any(|object| !object.is_number()) {
        address_notes::note_address(domain);
    }
    Ok(content)
}

/// Bytes as a wide number, and what each 8 of them belong to: nothing if there are none.
fn load_marked(
    domain: &mut SymbolicDomain,
    at: &Value,
    length: u64,
) -> Result<(Wide, Vec<ObjectId>), AccessError> {
    let at = decided_place(domain, at);
    match &at {
        Value::Word(known) => {
            let content = load_known(domain, *known, length)?;
            Ok((
                content,
                array_addresses::marks_of_copy(domain, &at, None, length),
            ))
        }
        Value::Symbolic(symbolic) => {
            let info = decided(domain, symbolic, length, false)?;
            let offset = offset(domain, symbolic, &info);
            let term = arrays::read_at(domain, &info, &offset, length as u32);
            let marks = array_addresses::marks_of_copy(domain, &at, Some((&info, &offset)), length);
            Ok((Wide::from_term(term), marks))
        }
    }
}

fn load_known(domain: &mut SymbolicDomain, at: Word, length: u64) -> Result<Wide, AccessError> {
    let mut parts = Vec::new();
    domain.memory.load_parts(at, length, &mut parts)?;
    if parts.iter().any(|p| matches!(p, ReadPart::Cell { .. })) {
        return Ok(match PartQueue::new(parts).take(domain, length as u32) {
            TakenBytes::Known(bits) => Wide::Bits(BitVec::new(8 * length as u32, bits)),
            TakenBytes::Term(term) => Wide::from_term(term),
        });
    }
    let mut bytes = vec![0u8; (length as usize).next_multiple_of(8)];
    domain
        .memory
        .load_bytes(at, &mut bytes[..length as usize])?;
    let limbs = bytes.as_chunks::<8>().0.iter();
    let limbs: Vec<u64> = limbs.map(|c| u64::from_le_bytes(*c)).collect();
    Ok(Wide::Bits(BitVec::from_limbs(8 * length as u32, &limbs)))
}

pub(crate) fn store_any(
    domain: &mut SymbolicDomain,
    at: &Value,
    value: &Wide,
) -> Result<(), AccessError> {
    let bytes = value.width().div_ceil(8);
    let at = &decided_place(domain, at);
    if let (Value::Word(at), Wide::Bits(bits)) = (at, value) {
        let limbs = bits.limbs().iter();
        let all: Vec<u8> = limbs.flat_map(|limb| limb.to_le_bytes()).collect();
        return Ok(domain.memory.store_bytes(*at, &all[..bytes as usize])?);
    }
    let term = value.term(&domain.cx.store);
    let term = crate::values::terms::widened(&domain.cx.store, &term, 8 * bytes);
    match at {
        Value::Word(at) => {
            let cell = term_cell(term, ObjectId::NONE);
            Ok(domain.memory.store_cell(*at, u64::from(bytes), cell)?)
        }
        Value::Symbolic(at) => {
            if member_copies::store_wide(domain, at, &term)? {
                return Ok(());
            }
            let info = decided(domain, at, u64::from(bytes), true)?;
            let offset = offset(domain, at, &info);
            arrays::write_at(domain, &info, &offset, &term, ObjectId::NONE)
        }
    }
}

pub(crate) fn copy_bytes(
    domain: &mut SymbolicDomain,
    to: &Value,
    from: &Value,
    length: u64,
    overlapping: bool,
) -> Result<(), AccessError> {
    if length == 0 {
        return Ok(());
    }
    let (to, from) = match (decided_place(domain, to), decided_place(domain, from)) {
        (Value::Word(to), Value::Word(from)) => {
            return copy_known(domain, to, from, length, overlapping);
        }
        (to, from) => (to, from),
    };
    if member_copies::copy(domain, &to, &from, length, overlapping)? {
        return Ok(());
    }
    // All is read before anything is written, so it does not matter whether ranges overlap.
    let (content, marks) = load_marked(domain, &from, length)?;
    let place = match &to {
        Value::Word(_) => None,
        Value::Symbolic(at) => {
            let info = decided(domain, at, length, true)?;
            Some((info, offset(domain, at, &info)))
        }
    };
    if !overlapping {
        decide_apart(domain, &to, &from, length)?;
    }
    store_any(domain, &to, &content)?;
    let place = place.as_ref().map(|(info, offset)| (info, offset));
    array_addresses::store_marks(domain, &to, place, &content, &marks)
}

/// That the bytes of a copy are the same or do not overlap, if both sides are in one object.
fn decide_apart(
    domain: &SymbolicDomain,
    to: &Value,
    from: &Value,
    length: u64,
) -> Result<(), AccessError> {
    let object = |at: &Value| match at {
        Value::Word(word) => domain.memory.info(*word).ok().map(|info| info.object),
        Value::Symbolic(at) => domain.decided_access(at, length).map(|(object, _)| object),
    };
    if object(to).is_none() || object(to) != object(from) {
        return Ok(());
    }
    let store = &domain.cx.store;
    let width = domain.memory.pointer_width().bits();
    let (target, source) = (domain.operand(to, width), domain.operand(from, width));
    let distance = store.bv_sub(&target, &source);
    let least = store.bv(width, length);
    // Both are inside of the object, so one of the differences is the distance and the other is very large.
    let is_far = store.and(
        &store.bv_ule(&least, &distance),
        &store.bv_ule(&least, &store.bv_neg(&distance)),
    );
    let apart = store.or(&is_far, &store.eq(&target, &source));
    if apart.is_true() || domain.decided_holds(&apart) {
        return Ok(());
    }
    let bits = |term: &Term| domain.cx.value(&domain.model, term).low_u64();
    let (to, from) = (bits(&target), bits(&source));
    let fault = Fault::Overlap { to, from, length };
    Err(AccessError::Undecided(Undecided::Apart { apart, fault }))
}

fn copy_known(
    domain: &mut SymbolicDomain,
    to: Word,
    from: Word,
    length: u64,
    overlapping: bool,
) -> Result<(), AccessError> {
    if length <= STRETCH || to.object == from.object {
        return Ok(domain.memory.copy(to, from, length, overlapping)?);
    }
    // What is wrong with the whole is wrong, whatever happens to the stretches.
    domain.memory.is_symbolic(from, length)?;
    domain.memory.is_symbolic(to, length)?;
    for start in (0..length).step_by(STRETCH as usize) {
        domain.cx.check_time()?;
        let part = STRETCH.min(length - start);
        let (to, from) = (to.offset(start), from.offset(start));
        domain.memory.copy(to, from, part, overlapping)?;
    }
    Ok(())
}

pub(crate) fn fill_bytes(
    domain: &mut SymbolicDomain,
    to: &Value,
    byte: &Value,
    length: u64,
) -> Result<(), AccessError> {
    if length == 0 {
        return Ok(());
    }
    if !byte.object().is_number() {
        // Many copies of a part of an address do not know what they belong to.
        address_notes::note_address(domain);
    }
    let (at, byte) = match (decided_place(domain, to), byte) {
        (Value::Word(at), Value::Word(byte)) => (at, byte.bits as u8),
        (Value::Symbolic(at), byte) if member_copies::fill(domain, &at, byte, length)? => {
            return Ok(());
        }
        (to, byte) => return fill_term(domain, &to, byte, length),
    };
    if length > STRETCH {
        domain.memory.is_symbolic(at, length)?;
    }
    for start in (0..length).step_by(STRETCH as usize) {
        if length > STRETCH {
            domain.cx.check_time()?;
        }
        let part = STRETCH.min(length - start);
        domain.memory.fill(at.offset(start), byte, part)?;
    }
    Ok(())
}

fn fill_term(
    domain: &mut SymbolicDomain,
    to: &Value,
    byte: &Value,
    length: u64,
) -> Result<(), AccessError> {
    let at = match to {
        Value::Word(at) => *at,
        Value::Symbolic(_) => {
            let byte = byte.term(&domain.cx.store, 8);
            let all = domain.cx.store.repeat(&byte, length as u32);
            return store_any(domain, to, &Wide::from_term(all));
        }
    };
    // An array that has the byte everywhere stands for as many as there are.
    domain.memory.is_symbolic(at, length)?;
    let term = byte.term(&domain.cx.store, 8);
    let array = domain.cx.store.const_array(64, &term);
    if domain.memory.info(at)?.size == length {
        let cell = Cell::Array {
            array,
            index: 0,
            addresses: None,
        };
        return Ok(domain.memory.store_cell(at, length, cell)?);
    }
    for start in (0..length).step_by(STRETCH as usize) {
        if length > STRETCH {
            domain.cx.check_time()?;
        }
        let cell = Cell::Array {
            array: array.clone(),
            index: start,
            addresses: None,
        };
        let part = STRETCH.min(length - start);
        domain.memory.store_cell(at.offset(start), part, cell)?;
    }
    Ok(())
}

/// The bytes of a term, and the object it points into if it is a pointer.
fn term_cell(term: Term, object: ObjectId) -> Cell {
    Cell::Term {
        term,
        skip: 0,
        object,
    }
}
