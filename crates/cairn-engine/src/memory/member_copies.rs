//! Copies, fills and wide accesses by a pointer that chooses between several objects, as one path.
//!
//! # Problem
//!
//! `*to = *from` of structures is a copy of many bytes. If one of the pointers chooses between objects, a path for each of them
//! multiplies all that comes after, as for an access of a word (`memory/members.rs`).
//!
//! # Idea
//!
//! That all bytes are inside of an object is decided at once. Then pieces of at most a word are read and written as single
//! accesses by the choice are. A piece is as large as what each object has there as one value, so that pointers and inputs stay whole.
//!
//! # Soundness
//!
//! Everything is read before anything is written, so ranges may overlap where the program allows it; where it does not and some
//! of the addresses overlap, a path is made for each object. A piece that cuts through a pointer is not copied in this way.
//!
//! # Cost
//!
//! As much as an access for each piece, up to [`MOST_PIECES`] of all objects; beyond, a path is made for each.

use crate::memory::access;
use crate::memory::dangling;
use crate::memory::members::{self, Members};
use crate::memory::positions::InsideOffsets;
use crate::values::symbolic_domain::{AccessError, SymbolicDomain};
use crate::values::value::{Symbolic, Value, Wide};
use cairn_expr::Term;
use cairn_memory::{Cell, ObjectId, Word};
use std::rc::Rc;

/// Words of all objects together, at most.
const MOST_PIECES: u64 = 1 << 12;

/// Where bytes are copied from or to.
enum CopyPlace<'a> {
    Known(Word),
    Chosen(Members<'a>),
}

impl CopyPlace<'_> {
    fn words(&self) -> impl Iterator<Item = Word> {
        let (known, chosen) = match self {
            CopyPlace::Known(word) => (Some(*word), None),
            CopyPlace::Chosen(members) => (None, Some(members.places.values().copied())),
        };
        known.into_iter().chain(chosen.into_iter().flatten())
    }
}

/// Some bytes of a copy.
#[derive(Clone, Copy)]
struct CopyPiece {
    from: u64,
    bytes: u32,
}

/// A choice whose places are inside, if all bytes at each of them may be accessed piece by piece.
fn chosen<'a>(
    domain: &SymbolicDomain,
    inside: &'a InsideOffsets,
    at: &'a Rc<Symbolic>,
    length: u64,
    write: bool,
) -> Result<Option<Members<'a>>, AccessError> {
    let is_small = |members: &Members<'_>| {
        members.distance.is_none()
            && length
                .div_ceil(8)
                .saturating_mul(members.places.len() as u64)
                <= MOST_PIECES
    };
    members::decided_members(domain, inside, at, length, write, is_small)
}

/// One side of a copy; `None` if it is neither known nor a choice.
fn place<'a>(
    domain: &SymbolicDomain,
    inside: &'a InsideOffsets,
    at: &'a Value,
    length: u64,
    write: bool,
) -> Result<Option<CopyPlace<'a>>, AccessError> {
    let word = match at {
        Value::Symbolic(at) => {
            let found = chosen(domain, inside, at, length, write)?;
            return Ok(found.map(CopyPlace::Chosen));
        }
        Value::Word(word) => *word,
    };
    if domain.memory.info(word).is_ok_and(|info| info.open) || length.div_ceil(8) > MOST_PIECES {
        return Ok(None);
    }
    match write {
        true => domain.memory.check_writable(word, length)?,
        false => drop(domain.memory.is_symbolic(word, length)?),
    }
    Ok(Some(CopyPlace::Known(word)))
}

/// Whether some bytes are one value: a known word that is no part of a pointer, or a term.
fn is_whole(domain: &SymbolicDomain, at: Word, bytes: u32) -> bool {
    match domain.memory.cell_around(at, bytes) {
        Some((Cell::Term { term, skip: 0, .. }, 0)) => term.width() == 8 * bytes,
        Some(_) => false,
        None => {
            let word = domain.memory.load_word(at, bytes);
            word.is_ok_and(|word| !word.object.is_part())
        }
    }
}

/// The pieces in which bytes are copied from some places; `None` if one would cut through a pointer.
fn pieces(domain: &SymbolicDomain, source: &CopyPlace<'_>, length: u64) -> Option<Vec<CopyPiece>> {
    let mut all = Vec::new();
    let mut from = 0;
    while from < length {
        let fits = |bytes: &u32| u64::from(*bytes) <= length - from;
        let is_one = |bytes: &u32| {
            let mut words = source.words();
            words.all(|word| is_whole(domain, word.offset(from), *bytes))
        };
        let whole = [8, 4, 2]
            .into_iter()
            .find(|bytes| fits(bytes) && is_one(bytes));
        let bytes = whole.unwrap_or(1);
        let cuts = |word: Word| !domain.memory.marks(word.offset(from), 1).is_number();
        if bytes == 1 && source.words().any(cuts) {
            return None;
        }
        all.push(CopyPiece { from, bytes });
        from += u64::from(bytes);
    }
    Some(all)
}

/// Pieces of at most a word.
fn words(length: u64) -> impl Iterator<Item = CopyPiece> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let left = length.checked_sub(from).filter(|left| *left > 0)?;
        let bytes = [8, 4, 2, 1].into_iter().find(|bytes| *bytes <= left)?;
        let piece = CopyPiece {
            from,
            bytes: bytes as u32,
        };
        from += bytes;
        Some(piece)
    })
}

fn read(
    domain: &mut SymbolicDomain,
    source: &CopyPlace<'_>,
    piece: CopyPiece,
) -> Result<Value, AccessError> {
    match source {
        CopyPlace::Known(word) => {
            let at = Value::Word(word.offset(piece.from));
            access::load_value(domain, &at, piece.bytes)
        }
        CopyPlace::Chosen(members) => {
            members::load_places(domain, members, piece.from, piece.bytes)
        }
    }
}

fn write(
    domain: &mut SymbolicDomain,
    target: &CopyPlace<'_>,
    piece: CopyPiece,
    value: &Value,
) -> Result<(), AccessError> {
    match target {
        CopyPlace::Known(word) => {
            let at = Value::Word(word.offset(piece.from));
            access::store_value(domain, &at, piece.bytes, value)
        }
        CopyPlace::Chosen(members) => {
            let term = access::part_term(domain, value, piece.bytes);
            dangling::note_value(domain, value);
            members::store_places(domain, members, piece.from, &term, value.object())
        }
    }
}

/// Copies bytes of which one side at least is a choice; whether it did.
pub(crate) fn copy(
    domain: &mut SymbolicDomain,
    to: &Value,
    from: &Value,
    length: u64,
    overlapping: bool,
) -> Result<bool, AccessError> {
    let inside = domain.inside_offsets.clone();
    let Some(source) = place(domain, &inside, from, length, false)? else {
        return Ok(false);
    };
    let Some(target) = place(domain, &inside, to, length, true)? else {
        return Ok(false);
    };
    let overlaps = |from: Word| {
        let mut targets = target.words();
        targets.any(|to| (1..length).contains(&to.bits.abs_diff(from.bits)))
    };
    if !overlapping && source.words().any(overlaps) {
        return Ok(false);
    }
    let Some(pieces) = pieces(domain, &source, length) else {
        return Ok(false);
    };
    for (at, place) in [(to, &target), (from, &source)] {
        if let (Value::Symbolic(at), CopyPlace::Chosen(members)) = (at, place) {
            members::count(domain, at, members);
        }
    }
    let mut values = Vec::with_capacity(pieces.len());
    for piece in &pieces {
        values.push(read(domain, &source, *piece)?);
    }
    for (piece, value) in pieces.iter().zip(&values) {
        write(domain, &target, *piece, value)?;
    }
    Ok(true)
}

/// Fills bytes by a choice; whether it did.
pub(crate) fn fill(
    domain: &mut SymbolicDomain,
    to: &Rc<Symbolic>,
    byte: &Value,
    length: u64,
) -> Result<bool, AccessError> {
    let inside = domain.inside_offsets.clone();
    let Some(members) = chosen(domain, &inside, to, length, true)? else {
        return Ok(false);
    };
    members::count(domain, to, &members);
    let byte = byte.term(&domain.cx.store, 8);
    for piece in words(length) {
        let all = domain.cx.store.repeat(&byte, piece.bytes);
        members::store_places(domain, &members, piece.from, &all, ObjectId::NONE)?;
    }
    Ok(true)
}

/// Reads a wide number by a choice, and whether a part of it belongs to something.
pub(crate) fn load_wide(
    domain: &mut SymbolicDomain,
    at: &Rc<Symbolic>,
    length: u64,
) -> Result<Option<(Wide, bool)>, AccessError> {
    let inside = domain.inside_offsets.clone();
    let Some(members) = chosen(domain, &inside, at, length, false)? else {
        return Ok(None);
    };
    members::count(domain, at, &members);
    let source = CopyPlace::Chosen(members);
    let mut joined: Option<Term> = None;
    let mut is_marked = false;
    for piece in words(length) {
        let value = read(domain, &source, piece)?;
        is_marked |= !value.object().is_number();
        let term = access::byte_term(domain, &value, piece.bytes);
        joined = Some(match joined {
            Some(below) => domain.cx.store.concat(&term, &below),
            None => term,
        });
    }
    Ok(joined.map(|term| (Wide::from_term(term), is_marked)))
}

/// Writes a wide number by a choice; whether it did.
pub(crate) fn store_wide(
    domain: &mut SymbolicDomain,
    at: &Rc<Symbolic>,
    value: &Term,
) -> Result<bool, AccessError> {
    let length = u64::from(value.width() / 8);
    let inside = domain.inside_offsets.clone();
    let Some(members) = chosen(domain, &inside, at, length, true)? else {
        return Ok(false);
    };
    members::count(domain, at, &members);
    for CopyPiece { from, bytes } in words(length) {
        let low = 8 * from as u32;
        let part = domain.cx.store.extract(value, low + 8 * bytes - 1, low);
        members::store_places(domain, &members, from, &part, ObjectId::NONE)?;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_are_all_bytes_in_order() {
        for length in 0..40 {
            let mut end = 0;
            for piece in words(length) {
                assert_eq!(piece.from, end);
                assert!(piece.bytes.is_power_of_two() && piece.bytes <= 8);
                end += u64::from(piece.bytes);
            }
            assert_eq!(end, length);
        }
    }
}
