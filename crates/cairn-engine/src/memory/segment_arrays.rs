//! Several objects as arrays: what an access at an unknown address in one of them reads and writes.
//!
//! # Problem
//!
//! An access that may be to many objects should not be a choice between as many arrays.
//!
//! # Idea
//!
//! Objects that are near each other in memory are one array, whose index is the distance from the first of them; what lies between
//! them is any number. A write leaves each of them as that array, seen with a shift, so that the next access finds it again. Objects that are
//! far from each other, as globals and the heap are, are arrays of their own, and the address says which one is meant.
//!
//! # Soundness
//!
//! The access is inside of one of the objects: that was decided. The bytes of each object are in the array at its distance from
//! the first one, and what is between them is never read. A write that is to another array changes nothing here: it writes what was there.
//! Objects begin at multiples of 8 bytes, so that an element has bytes of one object only.
//!
//! # Cost
//!
//! One pass over the objects for the first access after a change, and a look at the content of each for every access.

use crate::memory::array_addresses::{addresses_with, marks_at, marks_at_places};
use crate::memory::arrays::whole_elements;
use crate::memory::arrays::{PartQueue, TakenBytes, element_bytes, index, index_bits, read_from};
use crate::memory::bases::base_for;
use crate::memory::origins::Division;
use crate::memory::views::{View, array_of, has_room, length_of, taken_apart};
use crate::values::operators::either;
use crate::values::symbolic_domain::{AccessError, SymbolicDomain};
use crate::values::terms::{number_like, widened};
use crate::values::value::Value;
use cairn_bv::BitVec;
use cairn_expr::{Table, Term, possible_values};
use cairn_memory::{Cell, ObjectId, ObjectInfo, ReadPart, Snapshot, Word};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Bytes between objects of one array, at most.
const GAP: u64 = 1 << 12;

/// Bytes of an array, at most.
const SPAN: u64 = 1 << 20;

/// Arrays of a segment, at most.
const MOST_ARRAYS: usize = 16;

/// Values of an address that are looked at one by one.
const MOST_VALUES: usize = 1024;

/// Arrays that are kept.
const KEPT: usize = 16;

/// Objects that are one array.
type Near<'a> = &'a [ObjectInfo];

/// The objects of a segment, in order of addresses, by those that are one array.
fn arrays(members: &[ObjectInfo]) -> Vec<Near<'_>> {
    let mut all = Vec::new();
    let mut first = 0;
    for i in 1..=members.len() {
        let ends = members.get(i).is_none_or(|next| {
            let end = members[i - 1].address + members[i - 1].capacity;
            let span = next.address + next.capacity - members[first].address;
            next.address - end > GAP || span > SPAN
        });
        if ends {
            all.push(&members[first..i]);
            first = i;
        }
    }
    all
}

/// Whether the objects of a segment are few enough arrays.
pub(crate) fn are_few(members: &[ObjectInfo]) -> bool {
    members.iter().all(|info| info.capacity <= SPAN) && arrays(members).len() <= MOST_ARRAYS
}

/// Bytes from the first to the last of some objects.
fn span(near: Near<'_>) -> u64 {
    let last = near[near.len() - 1];
    last.address + last.capacity - near[0].address
}

/// Arrays that were made last.
#[derive(Default)]
pub(crate) struct SegmentViews {
    recent: VecDeque<CachedView>,
}

struct CachedView {
    contents: Vec<(ObjectId, Snapshot)>,
    element: u32,
    most: Option<u32>,
    seen: View,
    /// How the inputs were divided that it has bytes of, if it has any.
    division: Option<Division>,
}

impl CachedView {
    fn is_of(&self, contents: &[(ObjectId, Snapshot)]) -> bool {
        let same = |(a, b): (&(ObjectId, Snapshot), &(ObjectId, Snapshot))| {
            a.0 == b.0 && Snapshot::same(&a.1, &b.1)
        };
        self.contents.len() == contents.len() && self.contents.iter().zip(contents).all(same)
    }
}

/// The array of some objects: with elements of so many bytes if they are known, and at most so many if they are an array.
fn view(domain: &mut SymbolicDomain, near: Near<'_>, element: u32, most: Option<u32>) -> View {
    let contents: Vec<(ObjectId, Snapshot)> = near
        .iter()
        .map(|info| {
            let content = domain.memory.snapshot(info.object);
            (info.object, content.expect("the object is live"))
        })
        .collect();
    let views = domain.cx.segment_views.borrow();
    let origins = &domain.origins;
    let known = views.recent.iter().find(|view| {
        let is_ours = |division: &Division| origins.is_divided_so(division);
        (view.element, view.most) == (element, most)
            && view.is_of(&contents)
            && view.division.as_ref().is_none_or(is_ours)
    });
    if let Some(known) = known {
        return known.seen.clone();
    }
    drop(views);
    let parts: Vec<Vec<ReadPart>> = near
        .iter()
        .zip(&contents)
        .map(|(info, (_, content))| {
            let mut parts = Vec::new();
            content.load_parts(0, info.capacity, &mut parts);
            parts
        })
        .collect();
    let seen = over_array(domain, near, &contents, &parts, most)
        .unwrap_or_else(|| over_table(domain, near, &parts, element));
    let is_input = |part: &ReadPart| match part {
        ReadPart::Cell { cell, .. } => matches!(cell, Cell::Origin { .. }),
        ReadPart::Known { .. } => false,
    };
    let division = parts
        .iter()
        .flatten()
        .any(is_input)
        .then(|| domain.origins.division());
    let mut views = domain.cx.segment_views.borrow_mut();
    if views.recent.len() == KEPT {
        views.recent.pop_front();
    }
    views.recent.push_back(CachedView {
        contents,
        element,
        most,
        seen: seen.clone(),
        division,
    });
    seen
}

/// The array that most bytes of some objects come from, if no fewer do than are known.
fn main_array(near: Near<'_>, parts: &[Vec<ReadPart>]) -> Option<View> {
    let mut bytes: FxHashMap<(u32, u64), u64> = FxHashMap::default();
    let mut best: Option<(u64, View)> = None;
    let mut known = 0;
    for (info, parts) in near.iter().zip(parts) {
        let mut place = info.address - near[0].address;
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
    }
    best.filter(|(most, _)| *most >= known)
        .map(|(_, seen)| seen)
}

/// The array that most of the bytes come from, with stores of the others.
fn over_array(
    domain: &mut SymbolicDomain,
    near: Near<'_>,
    contents: &[(ObjectId, Snapshot)],
    parts: &[Vec<ReadPart>],
    most: Option<u32>,
) -> Option<View> {
    let base = main_array(near, parts).filter(|base| has_room(base, span(near)))?;
    let own = element_bytes(&base.array);
    let aligned = 1 << base.shift.trailing_zeros().min(3);
    let element = most.unwrap_or(own).min(own).min(aligned);
    let mut array = match element == own {
        true => base.array.clone(),
        false => taken_apart(&domain.cx.store, &base.array, element)?,
    };
    let bytes = u64::from(element);
    for ((info, (_, content)), parts) in near.iter().zip(contents).zip(parts) {
        let start = info.address - near[0].address;
        let (mut place, mut next) = (0, 0);
        for part in parts {
            let end = place + length_of(part);
            let is_base = array_of(part, start + place)
                .is_some_and(|(a, s)| *a == base.array && s == base.shift);
            if !is_base {
                for i in next.max(place / bytes)..end.div_ceil(bytes) {
                    let length = bytes.min(info.capacity - i * bytes);
                    let mut pieces = Vec::new();
                    content.load_parts(i * bytes, length, &mut pieces);
                    let value = PartQueue::new(pieces).take(domain, length as u32);
                    let store = &domain.cx.store;
                    let value = widened(store, &value.into_term(store, length as u32), 8 * element);
                    let at = (base.shift + start) / bytes + i;
                    array = store.store(&array, &store.bv(index_bits(&array), at), &value);
                    next = i + 1;
                }
            }
            place = end;
        }
    }
    let shift = base.shift;
    Some(View { array, shift })
}

/// A table of the known elements, with stores of the others.
fn over_table(
    domain: &mut SymbolicDomain,
    near: Near<'_>,
    parts: &[Vec<ReadPart>],
    element: u32,
) -> View {
    let bytes = u64::from(element);
    let count = span(near).div_ceil(bytes);
    let bits = (u64::BITS - (count - 1).leading_zeros()).max(1);
    let mut elements = vec![BitVec::zero(8 * element); count as usize];
    let mut symbolic: Vec<(u64, Term)> = Vec::new();
    for (info, parts) in near.iter().zip(parts) {
        let first = (info.address - near[0].address) / bytes;
        let mut parts = PartQueue::new(parts.clone());
        for i in 0..info.capacity.div_ceil(bytes) {
            let length = (info.capacity - i * bytes).min(bytes) as u32;
            match parts.take(domain, length) {
                TakenBytes::Known(known) => {
                    elements[(first + i) as usize] = BitVec::new(8 * element, known);
                }
                TakenBytes::Term(term) => {
                    symbolic.push((first + i, widened(&domain.cx.store, &term, 8 * element)));
                }
            }
        }
    }
    let store = &domain.cx.store;
    let table = store.table(Table::new(bits, elements, BitVec::zero(8 * element)));
    let array = symbolic.into_iter().fold(table, |array, (i, term)| {
        store.store(&array, &store.bv(bits, i), &term)
    });
    View { array, shift: 0 }
}

/// How far an address is from the first of some objects.
fn distance(domain: &SymbolicDomain, address: &Term, from: &ObjectInfo) -> Term {
    let store = &domain.cx.store;
    store.bv_sub(address, &base_for(store, address, from))
}

/// That an access is inside of the part of memory that some objects are in.
fn is_here(domain: &SymbolicDomain, offset: &Term, near: Near<'_>, length: u64) -> Term {
    let last = number_like(&domain.cx.store, offset, span(near) - length);
    domain.cx.store.bv_ule(offset, &last)
}

/// Whose a value may be that is read in one of some objects.
fn marks(domain: &mut SymbolicDomain, near: Near<'_>, address: &Term, bytes: u32) -> ObjectId {
    let mut all: Option<ObjectId> = None;
    // The values of a choice are better known than how far they are from each object.
    let values = possible_values(address, MOST_VALUES);
    for info in near {
        let marks = match &values {
            Some(values) => {
                let last = info.capacity - u64::from(bytes);
                let offset = |value: &BitVec| value.to_u64()?.checked_sub(info.address);
                let places = values.iter().filter_map(offset).filter(|at| *at <= last);
                marks_at_places(domain, info, places, u64::from(bytes))
            }
            None => {
                let offset = distance(domain, address, info);
                marks_at(domain, info, &offset, bytes)
            }
        };
        all = Some(all.map_or(marks, |before| either(before, marks)));
    }
    all.unwrap_or(ObjectId::NONE)
}

/// Reads at an address that is inside of one of the objects.
pub(crate) fn read(
    domain: &mut SymbolicDomain,
    members: &[ObjectInfo],
    address: &Term,
    bytes: u32,
) -> Value {
    let marks = marks(domain, members, address, bytes);
    let mut chosen: Option<Term> = None;
    for near in arrays(members) {
        let offset = distance(domain, address, &near[0]);
        let element = whole_elements(&offset, bytes);
        let seen = view(domain, near, element, None);
        domain.cx.count_access(element_bytes(&seen.array));
        let store = &domain.cx.store;
        let at = store.bv_add(&offset, &number_like(store, &offset, seen.shift));
        let found = read_from(store, &seen.array, &at, bytes);
        chosen = Some(match chosen {
            None => found,
            Some(others) => {
                let is_here = is_here(domain, &offset, near, u64::from(bytes));
                domain.cx.store.ite(&is_here, &found, &others)
            }
        });
    }
    Value::from_term(chosen.expect("there is an object"), marks)
}

/// Writes at an address that is inside of one of the objects.
pub(crate) fn write(
    domain: &mut SymbolicDomain,
    members: &[ObjectInfo],
    address: &Term,
    value: &Term,
    object: ObjectId,
) -> Result<(), AccessError> {
    let length = value.width() / 8;
    let all = arrays(members);
    for near in &all {
        let offset = distance(domain, address, &near[0]);
        let own = whole_elements(&offset, length);
        let smallest = near.iter().fold(own, |least, info| {
            let sizes = &mut domain.access_sizes;
            least.min(sizes.note(info.object, 0, info.capacity, own))
        });
        let View { mut array, shift } = view(domain, near, smallest, Some(smallest));
        let element = element_bytes(&array);
        domain.cx.count_access(element);
        let here = is_here(domain, &offset, near, u64::from(length));
        let store = &domain.cx.store;
        let from = match all.len() {
            1 => offset,
            _ => store.ite(&here, &offset, &number_like(store, &offset, 0)),
        };
        let from = store.bv_add(&from, &number_like(store, &from, shift));
        let before = array.clone();
        for i in 0..length / element {
            let low = 8 * element * i;
            let part = store.extract(value, low + 8 * element - 1, low);
            let at = store.bv_add(&from, &number_like(store, &from, u64::from(i * element)));
            let at = index(store, &array, &at);
            let part = match all.len() {
                1 => part,
                _ => store.ite(&here, &part, &store.select(&before, &at)),
            };
            array = store.store(&array, &at, &part);
        }
        for info in near.iter() {
            leave(
                domain,
                info,
                &array,
                shift + (info.address - near[0].address),
                (address, value, object),
            )?;
        }
    }
    Ok(())
}

/// Leaves an object as a part of an array that a value was written to.
fn leave(
    domain: &mut SymbolicDomain,
    info: &ObjectInfo,
    array: &Term,
    shift: u64,
    (address, value, object): (&Term, &Term, ObjectId),
) -> Result<(), AccessError> {
    let offset = distance(domain, address, info);
    let addresses = addresses_with(domain, info, shift, &offset, value, object);
    let start = Word {
        bits: info.address,
        object: info.object,
    };
    let cell = Cell::Array {
        array: array.clone(),
        index: shift,
        addresses,
    };
    Ok(domain.memory.store_cell(start, info.capacity, cell)?)
}

#[cfg(test)]
mod tests {
    use super::{GAP, SPAN, are_few, arrays};
    use cairn_memory::{ObjectId, ObjectInfo, ObjectKind};

    fn object(address: u64, size: u64) -> ObjectInfo {
        ObjectInfo {
            address,
            size,
            capacity: size,
            open: false,
            kind: ObjectKind::Heap,
            align: 8,
            object: ObjectId::NONE,
        }
    }

    #[test]
    fn objects_are_one_array_if_they_are_near() {
        let near = [object(0x1000, 24), object(0x1040, 24), object(0x1080, 24)];
        assert_eq!(arrays(&near).len(), 1);
        let apart = [
            near[0],
            object(near[0].address + 24 + GAP + 1, 8),
            object(1 << 40, 8),
        ];
        let lengths: Vec<usize> = arrays(&apart).iter().map(|near| near.len()).collect();
        assert_eq!(lengths, [1, 1, 1]);
        let wide = [object(0x1000, SPAN - 64), object(0x1000 + SPAN - 32, 64)];
        assert_eq!(arrays(&wide).len(), 2);
        assert!(are_few(&wide) && are_few(&near));
        let many: Vec<ObjectInfo> = (1..20).map(|i| object(i << 20, 8)).collect();
        assert!(!are_few(&many) && !are_few(&[object(0x1000, SPAN + 1)]));
    }
}
