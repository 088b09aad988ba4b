//! Whose an address is that a term chooses: the object's that has its place now, or that of one that has ended.
//!
//! # Problem
//!
//! A word in memory knows the object that it points into. In a term it is a number, and the object is found by its
//! address when it is used. A place on the stack is used again at once, so a pointer to a variable of a function that has
//! returned would be one to a variable of the next.
//!
//! # Idea
//!
//! When a pointer to the stack becomes a part of a term, its object is noted. An address that such an object had, and that has
//! ended, belongs to that object: an access is the error that it is for a word. If both the object that has ended and the one in
//! its place were noted for an address, the term does not say which is meant: the path goes on with the one that lives, and
//! the run says so.
//!
//! Objects of the heap and globals need none of this: a freed place is used again only after 65,536 others of its
//! size, and is known as freed until then.
//!
//! A pointer that is made an integer and a pointer again belongs to no object: it is found by its address. In a term it cannot be
//! told from one that was not. So the addresses of such pointers are noted as well; where a constant leads one of them out of the
//! object that is there, the run says that it may belong to that object or not, and follows it by its address.
//!
//! So are the addresses of pointers that were led into another object than their own, before they became a part of a term: such an
//! address may be one of either object.
//!
//! Where a path went on with one of two objects, its test may end otherwise: it is not compared.
//!
//! # Soundness
//!
//! Every operation that makes a term of words in memory or of values notes them: reads at unknown offsets, choices between
//! values, writes at unknown places. A pointer that was put together from bytes counts for the object at its address at that
//! time. An object whose size is not known any more when it is noted stands for all addresses around it.
//!
//! # Cost
//!
//! Only pointers to the stack are noted, each object once; a list without entries costs a comparison.

use crate::memory::owners;
use crate::memory::pointer_flow::{Flow, Leaf, Leaves};
use crate::values::address_notes;
use crate::values::symbolic_domain::SymbolicDomain;
use crate::values::value::{Symbolic, Value};
use cairn_memory::{Fault, ObjectId, Word};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What `incomplete` says of an access that may be to an object that has ended.
pub(crate) const IN_ITS_PLACE: &str = "a pointer may be to an object that has ended or to the one in its place: the second was followed";

/// What `incomplete` says of an access out of an object by a pointer that may belong to no object.
pub(crate) const BY_ADDRESS: &str = "a pointer that may come from an integer leaves an object: it was followed to where its address is";

/// Bytes before and behind an address whose object is not known any more.
const AROUND: u64 = 4096;

/// An object on the stack that a pointer was to, and the addresses that it had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StackObject {
    object: ObjectId,
    first: u64,
    last: u64,
}

/// Objects on the stack that terms may point into.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct StackPointers {
    noted: RefCell<Rc<Vec<StackObject>>>,
    /// Addresses in terms that pointers have which belong to no object.
    free: RefCell<Rc<BTreeSet<u64>>>,
    /// Addresses in terms of pointers that were outside of their own object, with that; none if they are of several.
    strayed: RefCell<Rc<BTreeMap<u64, Option<ObjectId>>>>,
}

impl StackPointers {
    /// Adds what another path noted.
    pub fn join(&mut self, other: &StackPointers) {
        let (noted, theirs) = (self.noted.get_mut(), other.noted.borrow());
        if !Rc::ptr_eq(noted, &theirs) {
            for object in theirs
                .iter()
                .filter(|o| !noted.contains(o))
                .copied()
                .collect::<Vec<_>>()
            {
                Rc::make_mut(noted).push(object);
            }
        }
        let (free, theirs) = (self.free.get_mut(), other.free.borrow());
        if !Rc::ptr_eq(free, &theirs) {
            Rc::make_mut(free).extend(theirs.iter().copied());
        }
        let (strayed, theirs) = (self.strayed.get_mut(), other.strayed.borrow());
        if !Rc::ptr_eq(strayed, &theirs) {
            let strayed = Rc::make_mut(strayed);
            for (address, own) in theirs.iter() {
                add_strayed(strayed, *address, *own);
            }
        }
    }
}

/// One more object that a pointer outside of it belongs to.
fn add_strayed(all: &mut BTreeMap<u64, Option<ObjectId>>, address: u64, own: Option<ObjectId>) {
    let known = all.entry(address).or_insert(own);
    if *known != own {
        *known = None;
    }
}

/// Whose an address in a term is, if it is not only that of the object at its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Owner {
    /// Of an object that has ended.
    Ended(ObjectId),
    /// Of one that it is outside of, and in no other.
    Outside(ObjectId),
    /// Of one that has ended or that the pointer left, or of the one in its place.
    Either,
}

fn is_on_stack(domain: &SymbolicDomain, address: u64) -> bool {
    cairn_memory::stack_region(domain.memory.pointer_width()).contains(&address)
}

/// Notes a word that becomes a part of a term.
pub(crate) fn note_word(domain: &SymbolicDomain, word: Word) {
    let memory = &domain.memory;
    if word.object == ObjectId::ADDRESS && memory.object_at(word.bits).is_some() {
        note_free(domain, std::iter::once(word.bits));
    }
    if word.object.is_number() {
        return;
    }
    note_strayed(domain, word);
    if !is_on_stack(domain, word.bits) {
        return;
    }
    let object = match word.object.object_unknown() {
        false => word.object,
        true => match memory.object_at(word.bits) {
            Some(object) => object,
            None => return,
        },
    };
    let (bits, pointers) = (word.bits, &domain.stack_pointers);
    let known =
        |noted: &StackObject| noted.object == object && noted.first <= bits && bits <= noted.last;
    if pointers.noted.borrow().iter().any(known) {
        return;
    }
    let (first, last) = match owners::object(domain, Word { bits, object }) {
        Some(info) => (info.address, info.address + info.capacity),
        None => (bits.saturating_sub(AROUND), bits.saturating_add(AROUND)),
    };
    let (first, last) = (first.min(bits), last.max(bits));
    Rc::make_mut(&mut pointers.noted.borrow_mut()).push(StackObject {
        object,
        first,
        last,
    });
}

/// Notes a pointer that left its object, which lives: its address alone does not say that.
fn note_strayed(domain: &SymbolicDomain, word: Word) {
    if word.object.object_unknown() || domain.reaches_any {
        return;
    }
    let Ok(own) = domain.memory.info(word) else {
        return;
    };
    let is_in_own = word.bits.wrapping_sub(own.address) <= own.capacity;
    let mut strayed = domain.stack_pointers.strayed.borrow_mut();
    if !is_in_own
        && !matches!(strayed.get(&word.bits), Some(own) if own.is_none_or(|own| own == word.object))
    {
        add_strayed(Rc::make_mut(&mut strayed), word.bits, Some(word.object));
    }
}

/// Notes addresses in terms that pointers have which belong to no object.
fn note_free(domain: &SymbolicDomain, addresses: impl Iterator<Item = u64>) {
    if domain.reaches_any {
        return;
    }
    let mut free = domain.stack_pointers.free.borrow_mut();
    for address in addresses {
        if !free.contains(&address) {
            Rc::make_mut(&mut free).insert(address);
        }
    }
}

/// Notes a choice of addresses that is made an integer.
pub(crate) fn note_integer(domain: &SymbolicDomain, symbolic: &Symbolic) {
    if symbolic.object == ObjectId::ADDRESS
        && let Some(flow) = Flow::of(&symbolic.term, &domain.inside_offsets)
    {
        let leaves = flow.addresses.values().flatten().map(|leaf| leaf.number);
        note_free(domain, flow.addresses.keys().copied().chain(leaves));
    }
}

/// Whether a pointer may belong to no object that was this number in a term.
fn is_free(domain: &SymbolicDomain, leaf: u64) -> bool {
    domain.stack_pointers.free.borrow().contains(&leaf)
}

/// Notes a value that becomes a part of a term.
pub(crate) fn note_value(domain: &SymbolicDomain, value: &Value) {
    match value {
        Value::Word(word) => note_word(domain, *word),
        Value::Symbolic(_) => {}
    }
}

/// What some bytes in memory belong to that become a part of a term.
pub(crate) fn marks_noted(domain: &SymbolicDomain, at: Word, bytes: u64) -> ObjectId {
    let marks = domain.memory.marks(at, bytes);
    if marks == ObjectId::ADDRESS
        && let Ok(word) = domain.memory.load_word(at, bytes as u32)
    {
        note_word(domain, word);
    }
    marks
}

/// A value that was read from an array, or put together, with the object that it points into if it is a known address.
pub(crate) fn with_object(domain: &mut SymbolicDomain, value: Value) -> Value {
    match value {
        Value::Word(word) => Value::Word(known_with_object(domain, word)),
        Value::Symbolic(_) => value,
    }
}

/// The same of a word.
pub(crate) fn known_with_object(domain: &mut SymbolicDomain, word: Word) -> Word {
    if word.object != ObjectId::ADDRESS || domain.reaches_any {
        return word;
    }
    let object = match owner(domain, word.bits) {
        Some(Owner::Ended(object) | Owner::Outside(object)) => Some(object),
        Some(Owner::Either) => {
            address_notes::note_followed(domain, IN_ITS_PLACE);
            None
        }
        // It may be the end of an object.
        None => domain.memory.around(word.bits, 0).map(|info| info.object),
    };
    Word {
        object: object.unwrap_or(word.object),
        ..word
    }
}

/// Whether any object was noted.
pub(crate) fn any(domain: &SymbolicDomain) -> bool {
    let pointers = &domain.stack_pointers;
    !pointers.noted.borrow().is_empty() || !pointers.strayed.borrow().is_empty()
}

/// Whose an address is that a term has as one of its values.
pub(crate) fn owner(domain: &SymbolicDomain, address: u64) -> Option<Owner> {
    if let Some(own) = domain.stack_pointers.strayed.borrow().get(&address) {
        let noted = domain.stack_pointers.noted.borrow();
        let is_other = |object: ObjectId| *own != Some(object);
        // A pointer of another one may be at its end, or may have been to what was there.
        let may_be_of_another = domain
            .memory
            .around(address, 0)
            .is_some_and(|info| is_other(info.object))
            || noted
                .iter()
                .any(|n| n.first <= address && address <= n.last && is_other(n.object))
            || is_free(domain, address);
        return Some(match own {
            Some(own) if !may_be_of_another => Owner::Outside(*own),
            Some(_) | None => Owner::Either,
        });
    }
    let all = domain.stack_pointers.noted.borrow();
    if all.is_empty() || !is_on_stack(domain, address) {
        return None;
    }
    let here = domain.memory.object_at(address)?;
    let mut of_address = all
        .iter()
        .filter(|n| n.first <= address && address <= n.last);
    let ended = of_address.clone().find(|noted| noted.object != here)?;
    match of_address.any(|noted| noted.object == here) {
        true => Some(Owner::Either),
        false => Some(Owner::Ended(ended.object)),
    }
}

/// Why an access goes to the object at an address, where the term of the pointer does not tell which object the address `leaf` in it belongs to.
pub(crate) fn why_followed(domain: &SymbolicDomain, leaf: u64) -> &'static str {
    match owner(domain, leaf) {
        Some(Owner::Either) => IN_ITS_PLACE,
        Some(Owner::Ended(_) | Owner::Outside(_)) | None => BY_ADDRESS,
    }
}

/// Whose an address is, as a word, that was this number in a term before a constant was added; `None` if the term does not
/// say it.
pub(crate) fn word_of_leaf(domain: &SymbolicDomain, leaf: Leaf, address: u64) -> Option<Word> {
    let of = |object| Word {
        bits: address,
        object,
    };
    if leaf.of.is_address_of_known() {
        return Some(of(leaf.of));
    }
    let leaf = leaf.number;
    match owner(domain, leaf) {
        Some(Owner::Either) => return None,
        Some(Owner::Ended(object) | Owner::Outside(object)) => return Some(of(object)),
        None if leaf == address => return Some(Word::int(address)),
        None if is_free(domain, leaf) => {
            let object = |at: u64| domain.memory.around(at, 0).map(|info| info.object);
            return match object(leaf) == object(address) {
                true => Some(Word::int(address)),
                false => None,
            };
        }
        None => {}
    }
    // It may be the end of an object.
    match domain.memory.around(leaf, 0) {
        Some(info) => Some(of(info.object)),
        None => match domain.memory.is_symbolic(Word::int(leaf), 1) {
            // Which object it was is not known; it has ended.
            Err(Fault::UseAfterFree { .. } | Fault::UseAfterScope { .. }) => Some(Word::int(leaf)),
            Err(_) | Ok(_) => Some(Word::int(address)),
        },
    }
}

/// The same of all numbers that an address was.
pub(crate) fn word_of(domain: &SymbolicDomain, leaves: &Leaves, address: u64) -> Option<Word> {
    let mut words = leaves
        .iter()
        .map(|leaf| word_of_leaf(domain, *leaf, address));
    let first = words.next()??;
    let here = domain.memory.object_at(address);
    // Without an object it is that of the place.
    let same = |word: Word| {
        let object = |word: Word| match word.object.object_unknown() {
            true => here,
            false => Some(word.object),
        };
        object(word) == object(first) && word.bits == first.bits
    };
    words.all(|word| word.is_some_and(same)).then_some(first)
}

/// Whether an address in some bytes may be that of an object that is not the one there.
pub(crate) fn may_be_other(domain: &SymbolicDomain, here: ObjectId, first: u64, last: u64) -> bool {
    let all = domain.stack_pointers.noted.borrow();
    let other = |n: &StackObject| n.object != here && n.first <= last && first <= n.last;
    let strayed = domain.stack_pointers.strayed.borrow();
    all.iter().any(other) || strayed.range(first..=last).next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_any_path_noted_is_noted_when_they_are_one() {
        let of = |object: u64| ObjectId::from_raw(object << 32 | 2);
        let with = |free: u64, strayed: u64, object: u64| StackPointers {
            noted: RefCell::new(Rc::new(vec![StackObject {
                object: of(object),
                first: 16 * object,
                last: 16 * object + 8,
            }])),
            free: RefCell::new(Rc::new(BTreeSet::from([free]))),
            strayed: RefCell::new(Rc::new(BTreeMap::from([
                (strayed, Some(of(object))),
                (100, Some(of(object))),
            ]))),
        };
        let (one, other) = (with(1, 2, 3), with(4, 5, 6));
        let mut joined = one.clone();
        joined.join(&one);
        assert_eq!(joined, one);
        joined.join(&other);
        assert_eq!(**joined.free.borrow(), BTreeSet::from([1, 4]));
        // What strayed from different objects is of several.
        let strayed = [(2, Some(of(3))), (5, Some(of(6))), (100, None)];
        assert_eq!(**joined.strayed.borrow(), BTreeMap::from(strayed));
        assert_eq!(joined.noted.borrow().len(), 2);
        let all = joined.clone();
        joined.join(&other);
        assert_eq!(joined, all);
    }
}
