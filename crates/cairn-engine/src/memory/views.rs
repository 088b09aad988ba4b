//! Which array an object is seen as.
//!
//! # Problem
//!
//! An object that was written at an unknown offset is an array. What happens to it then may
//! not fit: some of its bytes are written at known offsets, an access has another size than its
//! elements, a part of a segment is looked at that begins elsewhere than the array did. Written down
//! anew, an array of a thousand elements is a thousand stores of what was selected from the array
//! before, and the next change makes a thousand of these.
//!
//! # Idea
//!
//! The array that most of the bytes come from is kept. What was written over it at known offsets
//! are stores at known places; a part that begins elsewhere is the same array, seen with a shift; if its
//! elements are larger than a write, its table and each of its stores are taken apart, so it is as if it
//! always had smaller elements. They only become smaller: see `memory/access_sizes.rs`. An object of
//! which more is known than comes from an array is a table of the known elements with stores of the others.
//!
//! # Soundness
//!
//! A view has the object's bytes at the places of its part, with the shift: each comes from
//! the array at its own place, or from a store for its element. What it has elsewhere is never read. All
//! places have an index that the array can have, or it is not used.
//!
//! # Cost
//!
//! One pass over the object's parts for the first access after a change, and a store for each
//! element that is not the array's; if it holds bytes of an input, also after inputs were divided further.
//! 1,000 `int`s, written at two unknown and twenty known places in turn: see docs/arrays.md.

use crate::memory::arrays::{PartQueue, TakenBytes, element_bytes, index_bits};
use crate::memory::origins::{Division, Origins};
use crate::values::symbolic_domain::SymbolicDomain;
use cairn_bv::BitVec;
use cairn_expr::{Op, Table, Term, TermStore};
use cairn_memory::{Cell, ObjectId, ObjectInfo, ReadPart, Snapshot, Word};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// An array that has the bytes of a part of an object: its first byte is the array's byte `shift`, a
/// multiple of the size of elements.
#[derive(Clone)]
pub(crate) struct View {
    pub array: Term,
    pub shift: u64,
}

/// Bytes of the elements to see an object with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Elements {
    /// If it is known rather than an array.
    pub known: u32,
    /// At most, if it is an array and must have no larger ones.
    pub array: Option<u32>,
}

/// Arrays that were made last.
#[derive(Default)]
pub struct ViewCache {
    recent: VecDeque<CachedView>,
}

struct CachedView {
    object: ObjectId,
    /// Which bytes of the object.
    range: (u64, u64),
    elements: Elements,
    content: Snapshot,
    seen: View,
    /// How the inputs were divided that it has bytes of, if it has any: another path with the same
    /// content may have divided them in another way, or not at all.
    division: Option<Division>,
}

/// How many arrays are kept.
const KEPT: usize = 64;

/// Bits of an index of the largest table that is written out.
const LARGEST_TABLE: u32 = 24;

impl ViewCache {
    fn find(
        &self,
        object: ObjectId,
        range: (u64, u64),
        elements: Elements,
        content: &Snapshot,
        origins: &Origins,
    ) -> Option<View> {
        let view = self.recent.iter().find(|v| {
            v.object == object
                && v.range == range
                && v.elements == elements
                && Snapshot::same(&v.content, content)
        })?;
        let is_ours = |division: &Division| origins.is_divided_so(division);
        view.division
            .as_ref()
            .is_none_or(is_ours)
            .then(|| view.seen.clone())
    }

    fn keep(&mut self, view: CachedView) {
        self.recent.retain(|v| {
            (v.object, v.range, v.elements) != (view.object, view.range, view.elements)
        });
        if self.recent.len() == KEPT {
            self.recent.pop_front();
        }
        self.recent.push_back(view);
    }
}

/// The bytes of a part.
pub(crate) fn length_of(part: &ReadPart) -> u64 {
    match part {
        ReadPart::Known { length, .. } | ReadPart::Cell { length, .. } => u64::from(*length),
    }
}

/// Which array a part is of, and with which shift, if it is of one; the part begins at this place.
pub(crate) fn array_of(part: &ReadPart, place: u64) -> Option<(&Term, u64)> {
    match part {
        ReadPart::Cell {
            cell: Cell::Array { array, index, .. },
            ..
        } => Some((array, index.wrapping_sub(place))),
        ReadPart::Cell {
            cell: Cell::Term { .. } | Cell::Origin { .. },
            ..
        }
        | ReadPart::Known { .. } => None,
    }
}

/// The array that most bytes of some parts come from, if no fewer do than are known.
fn main_array(parts: &[ReadPart]) -> Option<View> {
    let mut bytes: FxHashMap<(u32, u64), u64> = FxHashMap::default();
    let mut best: Option<(u64, View)> = None;
    let (mut place, mut known) = (0, 0);
    for part in parts {
        let length = length_of(part);
        if let Some((array, shift)) = array_of(part, place) {
            let sum = bytes.entry((array.id(), shift)).or_default();
            *sum += length;
            if best.as_ref().is_none_or(|(most, _)| most < sum) {
                let array = array.clone();
                best = Some((*sum, View { array, shift }));
            }
        } else if matches!(part, ReadPart::Known { .. }) {
            known += length;
        }
        place += length;
    }
    best.filter(|(most, _)| *most >= known)
        .map(|(_, seen)| seen)
}

/// Whether an array has an element for every byte of a part.
pub(crate) fn has_room(seen: &View, size: u64) -> bool {
    let elements = 1u128 << index_bits(&seen.array).min(64);
    let room = elements * u128::from(element_bytes(&seen.array));
    u128::from(seen.shift) + u128::from(size) <= room
}

/// The pieces of a constant, the lowest first.
fn pieces(value: &BitVec, element: u32) -> impl Iterator<Item = BitVec> + '_ {
    let count = value.width() / (8 * element);
    (0..count).map(move |i| value.extract(8 * element * (i + 1) - 1, 8 * element * i))
}

/// The same bytes as an array of smaller elements, if it is a table, or one value everywhere, with stores.
pub(crate) fn taken_apart(store: &TermStore, array: &Term, element: u32) -> Option<Term> {
    let ratio = element_bytes(array) / element;
    let more = ratio.trailing_zeros();
    let bits = index_bits(array) + more;
    let mut stores = Vec::new();
    let mut at = array;
    while matches!(at.op(), Op::Store) {
        stores.push(at);
        at = at.arg(0);
    }
    let Op::Table(table) = at.op() else {
        return None;
    };
    let (values, rest) = (table.values(), table.default_value());
    let default = rest.extract(8 * element - 1, 0);
    // A table that has a value of its own for every index has the last one for all others.
    let named = match pieces(rest, element).all(|p| p == default) {
        true => values.len(),
        false if index_bits(array) <= LARGEST_TABLE => 1 << index_bits(array),
        false => return None,
    };
    let all = values.iter().chain(std::iter::repeat(rest)).take(named);
    let all = all.flat_map(|v| pieces(v, element)).collect();
    let mut apart = store.table(Table::new(bits, all, default));
    for written in stores.into_iter().rev() {
        let (index, value) = (written.arg(1), written.arg(2));
        for i in 0..ratio {
            let index = store.concat(index, &store.bv(more, u64::from(i)));
            let low = 8 * element * i;
            let piece = store.extract(value, low + 8 * element - 1, low);
            apart = store.store(&apart, &index, &piece);
        }
    }
    Some(apart)
}

/// The object as an array.
pub(crate) fn view(domain: &mut SymbolicDomain, info: &ObjectInfo, elements: Elements) -> View {
    let content = domain.memory.snapshot(info.object);
    let content = content.expect("the object is live");
    let range = (start_of(domain, info), info.capacity);
    let cached = domain.cx.views.borrow();
    let origins = &domain.origins;
    if let Some(seen) = cached.find(info.object, range, elements, &content, origins) {
        return seen;
    }
    drop(cached);
    let mut parts = Vec::new();
    content.load_parts(range.0, range.1, &mut parts);
    let seen = over_array(domain, &content, range, &parts, elements.array);
    let seen = seen.unwrap_or_else(|| over_table(domain, range.1, parts.clone(), elements.known));
    // Looking at bytes for the first time may have changed nothing but what origins know.
    let is_input = |part: &ReadPart| {
        let ReadPart::Cell { cell, .. } = part else {
            return false;
        };
        matches!(cell, Cell::Origin { .. })
    };
    let division = parts
        .iter()
        .any(is_input)
        .then(|| domain.origins.division());
    let view = CachedView {
        object: info.object,
        range,
        elements,
        content,
        seen: seen.clone(),
        division,
    };
    domain.cx.views.borrow_mut().keep(view);
    seen
}

/// Where in its object a part of it begins.
pub(crate) fn start_of(domain: &SymbolicDomain, info: &ObjectInfo) -> u64 {
    let object = info.object;
    let whole = domain.memory.info(Word { bits: 0, object });
    whole.map_or(0, |whole| info.address - whole.address)
}

/// The array that most of the bytes come from, with stores of the others.
fn over_array(
    domain: &mut SymbolicDomain,
    content: &Snapshot,
    (start, size): (u64, u64),
    parts: &[ReadPart],
    most: Option<u32>,
) -> Option<View> {
    let base = main_array(parts).filter(|base| has_room(base, size))?;
    let own = element_bytes(&base.array);
    let aligned = 1 << base.shift.trailing_zeros().min(3);
    let element = most.unwrap_or(own).min(own).min(aligned);
    let mut array = match element == own {
        true => base.array.clone(),
        false => taken_apart(&domain.cx.store, &base.array, element)?,
    };
    let bytes = u64::from(element);
    let (mut place, mut next) = (0, 0);
    for part in parts {
        let end = place + length_of(part);
        let is_base =
            array_of(part, place).is_some_and(|(a, s)| *a == base.array && s == base.shift);
        if !is_base {
            for i in next.max(place / bytes)..end.div_ceil(bytes) {
                let length = bytes.min(size - i * bytes);
                let mut pieces = Vec::new();
                content.load_parts(start + i * bytes, length, &mut pieces);
                let value = PartQueue::new(pieces).take(domain, length as u32);
                let store = &domain.cx.store;
                let value = value.into_term(store, length as u32);
                let value = crate::values::terms::widened(store, &value, 8 * element);
                let index = store.bv(index_bits(&array), base.shift / bytes + i);
                array = store.store(&array, &index, &value);
                next = i + 1;
            }
        }
        place = end;
    }
    let shift = base.shift;
    Some(View { array, shift })
}

/// A table of the known elements, with stores of the others.
fn over_table(domain: &mut SymbolicDomain, size: u64, parts: Vec<ReadPart>, element: u32) -> View {
    let count = size.div_ceil(u64::from(element));
    let bits = (u64::BITS - (count - 1).leading_zeros()).max(1);
    let mut elements: Vec<BitVec> = Vec::with_capacity(count as usize);
    let mut symbolic: Vec<(u64, Term)> = Vec::new();
    let mut parts = PartQueue::new(parts);
    for i in 0..count {
        let at = i * u64::from(element);
        let length = (size - at).min(u64::from(element)) as u32;
        match parts.take(domain, length) {
            TakenBytes::Known(bytes) => elements.push(BitVec::new(8 * element, bytes)),
            TakenBytes::Term(term) => {
                let term = crate::values::terms::widened(&domain.cx.store, &term, 8 * element);
                symbolic.push((i, term));
                elements.push(BitVec::zero(8 * element));
            }
        }
    }
    let store = &domain.cx.store;
    let zero = BitVec::zero(8 * element);
    let table = store.table(Table::new(bits, elements, zero));
    let array = symbolic.into_iter().fold(table, |array, (i, term)| {
        store.store(&array, &store.bv(bits, i), &term)
    });
    View { array, shift: 0 }
}

#[cfg(test)]
mod tests {
    use super::{View, has_room, main_array, taken_apart};
    use crate::memory::arrays::read_known;
    use cairn_bv::BitVec;
    use cairn_expr::{Evaluator, Model, Sort, Table, Term, TermStore, Value};
    use cairn_memory::{Cell, ReadPart};

    fn table(store: &TermStore, bits: u32, values: &[u64]) -> Term {
        let values = values.iter().map(|v| BitVec::new(32, *v)).collect();
        store.table(Table::new(bits, values, BitVec::zero(32)))
    }

    /// Tables that end early, that have a value for every index, and stores at unknown places: every byte.
    #[test]
    fn smaller_elements_have_the_same_bytes() {
        let store = TermStore::new();
        let i = store.symbol("i", Sort::BitVec(2));
        let v = store.symbol("v", Sort::BitVec(32));
        for values in [&[0x0102_0304, 7][..], &[1, 2, 3, 0x0506_0708]] {
            let array = table(&store, 2, values);
            let array = store.store(&array, &i, &v);
            let array = store.store(&array, &store.bv(2, 1), &store.bv(32, 0xaabb_ccdd));
            for element in [1, 2] {
                let apart = taken_apart(&store, &array, element).expect("a table with stores");
                for (index, at) in (0..4).flat_map(|i| (0..16).map(move |at| (i, at))) {
                    let mut model = Model::new();
                    model.set(i.clone(), Value::Bv(BitVec::new(2, index)));
                    model.set(v.clone(), Value::Bv(BitVec::new(32, 0x1122_3344)));
                    let mut evaluator = Evaluator::default();
                    evaluator.start();
                    let before = read_known(&store, &array, at, 1);
                    let after = read_known(&store, &apart, at, 1);
                    let before = evaluator.eval_bv(&before, &model);
                    assert_eq!(before, evaluator.eval_bv(&after, &model), "{index} {at}");
                }
            }
        }
    }

    #[test]
    fn the_array_of_most_bytes_is_kept_with_its_shift() {
        let store = TermStore::new();
        let (small, large) = (table(&store, 2, &[1]), table(&store, 4, &[2]));
        let part = |array: &Term, index, length| ReadPart::Cell {
            cell: Cell::Array {
                array: array.clone(),
                index,
                addresses: None,
            },
            length,
        };
        let known = |length| ReadPart::Known { bytes: 0, length };
        let parts = [
            part(&small, 8, 4),
            part(&large, 12, 3),
            known(2),
            part(&large, 17, 3),
        ];
        let base = main_array(&parts).expect("as many bytes as are known");
        assert_eq!((&base.array, base.shift), (&large, 8));
        assert!(has_room(&base, 56) && !has_room(&base, 57));
        assert!(main_array(&[part(&small, 0, 4), known(8)]).is_none());
        // A part that begins before the array does.
        let before = main_array(&[known(4), part(&small, 0, 8)]);
        assert!(before.is_some_and(|seen: View| !has_room(&seen, 12)));
    }
}
