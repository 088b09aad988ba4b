//! Objects as arrays: what an access at an unknown offset reads and writes.
//!
//! # Problem
//!
//! A read at a symbolic offset may be of any byte of the object. An array of bytes is
//! always right, but an `int` is then four selects with four indices.
//!
//! # Idea
//!
//! An object is seen as an array of elements of the size of the access, if the offset
//! is a multiple of it for every input (its low bits are the constant zero). A write leaves the object as
//! that array, in the place of its bytes; which array that is, and of which elements, is the matter of
//! `memory/views.rs` and `memory/access_sizes.rs`. A read that is not of whole elements is of all that it can touch,
//! moved once.
//! An object of symbolic size is seen as one of the most bytes that it can have.
//!
//! # Soundness
//!
//! The access is inside of the object: that is a fact of the path before anything
//! here is asked. So the index has no more bits than the last element's number, and what the array
//! holds beyond the object's end is never read, or read and moved out of sight.

use crate::memory::array_addresses;
use crate::memory::few_offsets;
use crate::memory::owners;
use crate::memory::sizes;
use crate::memory::views;
use crate::memory::views::{Elements, View};
use crate::values::symbolic_domain::{AccessError, SymbolicDomain};
use crate::values::terms::number_like;
use cairn_expr::{Sort, Term, TermStore, low_zeros};
use cairn_memory::{Cell, ObjectId, ObjectInfo, ReadPart, Word};
use std::collections::VecDeque;

/// Bytes of an array's elements.
pub(crate) fn element_bytes(array: &Term) -> u32 {
    match array.sort() {
        Sort::Array { value, .. } => value / 8,
        Sort::Bool | Sort::BitVec(_) => unreachable!("only arrays have elements"),
    }
}

/// Bits of an array's index.
pub(crate) fn index_bits(array: &Term) -> u32 {
    match array.sort() {
        Sort::Array { index, .. } => index,
        Sort::Bool | Sort::BitVec(_) => unreachable!("only arrays have elements"),
    }
}

/// Whether an offset is a multiple of a power of two for every input.
pub(crate) fn is_multiple(offset: &Term, of: u32) -> bool {
    of == 1 || low_zeros(offset) >= of.trailing_zeros()
}

/// The index of the element of an offset.
pub(crate) fn index(store: &TermStore, array: &Term, offset: &Term) -> Term {
    let low = element_bytes(array).trailing_zeros();
    let high = (low + index_bits(array)).min(offset.width()) - 1;
    let index = store.extract(offset, high, low);
    crate::values::terms::widened(store, &index, index_bits(array))
}

/// Some bytes of an array from a known place on.
pub fn read_known(store: &TermStore, array: &Term, at: u64, length: u32) -> Term {
    let element = u64::from(element_bytes(array));
    let mut joined: Option<Term> = None;
    let (mut at, end) = (at, at + u64::from(length));
    while at < end {
        let place = store.bv(index_bits(array), at / element);
        let word = store.select(array, &place);
        let low = at % element;
        let high = (end - (at - low)).min(element);
        let part = store.extract(&word, 8 * high as u32 - 1, 8 * low as u32);
        joined = Some(match joined {
            Some(below) => store.concat(&part, &below),
            None => part,
        });
        at += high - low;
    }
    joined.expect("no read is empty")
}

/// Some bytes of an array from an unknown place on, which is inside.
pub(crate) fn read_from(store: &TermStore, array: &Term, offset: &Term, length: u32) -> Term {
    let element = element_bytes(array);
    if length.is_multiple_of(element) && is_multiple(offset, element) {
        let words = (0..length / element).map(|i| {
            let at = store.bv_add(offset, &number_like(store, offset, u64::from(i * element)));
            store.select(array, &index(store, array, &at))
        });
        return words
            .reduce(|below, above| store.concat(&above, &below))
            .expect("no read is empty");
    }
    // The last element that can be touched may be behind the end; then none of its bytes is wanted.
    let place = store.extract(offset, element.trailing_zeros() - 1, 0);
    let first = index(store, array, offset);
    let words = (0..=(length - 1).div_ceil(element)).map(|i| {
        let at = store.bv(index_bits(array), u64::from(i));
        store.select(array, &store.bv_add(&first, &at))
    });
    let joined = words
        .reduce(|below, above| store.concat(&above, &below))
        .expect("no read is empty");
    let width = joined.width();
    let by = store.concat(&place, &store.bv(3, 0));
    let by = crate::values::terms::widened(store, &by, width);
    store.extract(&store.bv_lshr(&joined, &by), 8 * length - 1, 0)
}

/// The largest power of two, up to 8, that an access of these bytes at this offset is in whole elements of,
/// for every input.
pub(crate) fn whole_elements(offset: &Term, length: u32) -> u32 {
    let zeros = length.trailing_zeros().min(3);
    1 << zeros.min(low_zeros(offset))
}

/// Reads bytes at an unknown offset that is inside of the object.
pub(crate) fn read_at(
    domain: &mut SymbolicDomain,
    info: &ObjectInfo,
    offset: &Term,
    length: u32,
) -> Term {
    if let Some(places) = few_offsets::few_places(domain, info, offset, u64::from(length))
        && let Ok(term) = few_offsets::read_chosen(domain, info, &places, length)
    {
        return term;
    }
    let elements = Elements {
        known: whole_elements(offset, length),
        array: None,
    };
    let seen = views::view(domain, info, elements);
    domain.cx.count_access(element_bytes(&seen.array));
    let store = &domain.cx.store;
    let offset = store.bv_add(offset, &store.bv(offset.width(), seen.shift));
    read_from(store, &seen.array, &offset, length)
}

/// Writes bytes at an unknown offset that is inside of the object.
pub(crate) fn write_at(
    domain: &mut SymbolicDomain,
    info: &ObjectInfo,
    offset: &Term,
    value: &Term,
    object: ObjectId,
) -> Result<(), AccessError> {
    let length = value.width() / 8;
    if let Some(places) = few_offsets::few_places(domain, info, offset, u64::from(length)) {
        return few_offsets::write_chosen(domain, info, &places, value, object);
    }
    let own = whole_elements(offset, length);
    let (start, size) = (views::start_of(domain, info), info.capacity);
    let smallest = domain.access_sizes.note(info.object, start, size, own);
    let elements = Elements {
        known: smallest,
        array: Some(smallest),
    };
    let View { mut array, shift } = views::view(domain, info, elements);
    let addresses = array_addresses::addresses_with(domain, info, shift, offset, value, object);
    let element = element_bytes(&array);
    domain.cx.count_access(element);
    let store = &domain.cx.store;
    let offset = store.bv_add(offset, &store.bv(offset.width(), shift));
    for i in 0..length / element {
        let low = 8 * element * i;
        let part = store.extract(value, low + 8 * element - 1, low);
        let at = store.bv_add(
            &offset,
            &number_like(store, &offset, u64::from(i * element)),
        );
        array = store.store(&array, &index(store, &array, &at), &part);
    }
    let start = Word {
        bits: info.address,
        object: info.object,
    };
    let cell = Cell::Array {
        array,
        index: shift,
        addresses,
    };
    sizes::with_all_bytes(domain, &[*info], |domain| {
        Ok(domain.memory.store_cell(start, info.capacity, cell)?)
    })
}

/// What was taken off the front of a list of parts.
pub(crate) enum TakenBytes {
    /// Known bytes, little-endian.
    Known(u64),
    /// Others.
    Term(Term),
}

/// Parts of memory, taken off a few bytes at a time.
pub(crate) struct PartQueue {
    parts: VecDeque<ReadPart>,
}

impl PartQueue {
    pub fn new(parts: Vec<ReadPart>) -> Self {
        PartQueue {
            parts: parts.into(),
        }
    }

    /// Takes this many bytes, at most 8 if they are all known.
    pub fn take(&mut self, domain: &mut SymbolicDomain, length: u32) -> TakenBytes {
        let mut taken: Option<TakenBytes> = None;
        let mut filled = 0;
        while filled < length {
            let part = self.parts.pop_front().expect("as many bytes as were read");
            let wanted = length - filled;
            let (piece, piece_length) = match part {
                ReadPart::Known { bytes, length } => {
                    let now = length.min(wanted);
                    if now < length {
                        self.parts.push_front(ReadPart::Known {
                            bytes: bytes >> (8 * now),
                            length: length - now,
                        });
                    }
                    (TakenBytes::Known(bytes & (u64::MAX >> (64 - 8 * now))), now)
                }
                ReadPart::Cell { cell, length } => {
                    let now = length.min(wanted);
                    if now < length {
                        self.parts.push_front(ReadPart::Cell {
                            cell: cell.advanced(u64::from(now)),
                            length: length - now,
                        });
                    }
                    (TakenBytes::Term(cell_term(domain, &cell, now)), now)
                }
            };
            let store = &domain.cx.store;
            taken = Some(match (taken, piece) {
                (None, piece) => piece,
                (Some(TakenBytes::Known(below)), TakenBytes::Known(above)) if length <= 8 => {
                    TakenBytes::Known(below | above << (8 * filled))
                }
                (Some(below), above) => {
                    let above = above.into_term(store, piece_length);
                    let below = below.into_term(store, filled);
                    TakenBytes::Term(store.concat(&above, &below))
                }
            });
            filled += piece_length;
        }
        taken.expect("no read is empty")
    }
}

impl TakenBytes {
    pub fn into_term(self, store: &TermStore, length: u32) -> Term {
        match self {
            TakenBytes::Known(bytes) => store.bv(8 * length, bytes),
            TakenBytes::Term(term) => term,
        }
    }
}

/// The first bytes of a cell as a term.
pub(crate) fn cell_term(domain: &mut SymbolicDomain, cell: &Cell, length: u32) -> Term {
    let store = &domain.cx.store;
    match cell {
        Cell::Term { term, skip, object } => {
            let part = store.extract(term, 8 * (skip + length) - 1, 8 * skip);
            owners::pointer_in_term(domain, part, *object)
        }
        Cell::Array { array, index, .. } => read_known(store, array, *index, length),
        Cell::Origin { origin, offset } => {
            domain
                .origins
                .read(&domain.cx.store, *origin, *offset, u64::from(length))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{read_from, read_known};
    use cairn_bv::BitVec;
    use cairn_expr::{Evaluator, Model, Sort, Table, TermStore, Value};

    /// Every read of every length, at every offset at which it is inside, against the bytes.
    #[test]
    fn reads_are_of_the_bytes_whatever_the_elements_are() {
        let bytes: Vec<u64> = (0..24).map(|i| (i * 37 + 11) % 256).collect();
        let store = TermStore::new();
        let offset = store.symbol("offset", Sort::BitVec(64));
        for element in [1, 2, 4, 8] {
            let word = |bytes: &[u64]| bytes.iter().rev().fold(0, |word, byte| word << 8 | byte);
            let values = bytes.chunks(element as usize).map(word);
            let values: Vec<BitVec> = values.map(|v| BitVec::new(8 * element, v)).collect();
            let bits = usize::BITS - (values.len() - 1).leading_zeros();
            let array = store.table(Table::new(bits, values, BitVec::zero(8 * element)));
            for length in 1..=8 {
                let unknown = read_from(&store, &array, &offset, length);
                for at in 0..=bytes.len() - length as usize {
                    let expected = word(&bytes[at..at + length as usize]);
                    let mut model = Model::new();
                    model.set(offset.clone(), Value::Bv(BitVec::new(64, at as u64)));
                    let mut evaluator = Evaluator::default();
                    evaluator.start();
                    assert_eq!(evaluator.eval_bv(&unknown, &model).low_u64(), expected);
                    let known = read_known(&store, &array, at as u64, length);
                    assert_eq!(known.as_const().map(BitVec::low_u64), Some(expected));
                }
            }
        }
    }
}
