//! Accesses by a pointer that chooses between several objects, as one path.
//!
//! # Problem
//!
//! An access through an element of a table of pointers may be to any of their objects. A path for each
//! multiplies all that comes after it: a look-up in a hash table with a thousand buckets is a thousand paths, of which a few differ.
//!
//! # Idea
//!
//! The pointer is a choice between addresses that are written in its term (`memory/pointer_flow.rs`). Each of them is looked
//! up in memory as a known one would be: it is inside of an object, or wrong in some way. Those that are inside
//! are one case of the step, those that are wrong in the same way one each. In the first case a read is the same choice
//! between what is read at each, and a write changes each under the condition that the pointer has that address. If a
//! symbolic number is added to the choice, each object is accessed at that distance from where the pointer points to.
//!
//! # Soundness
//!
//! The cases are those of the address that the pointer has, whichever it is: they exclude each other and leave nothing out. What
//! memory says of an address holds as long as memory does not change; it is looked up again for each access, and the condition
//! that the access is inside of an object is used only if it is the one that was decided. A pointer without an object
//! belongs to the object at the address that was chosen, before a number is added to it.
//!
//! # Cost
//!
//! For each access a walk of the pointer's term and a look-up of each address. A read makes a term as large as the
//! pointer's, a write one for each address.

use crate::memory::access;
use crate::memory::array_addresses::marks_at;
use crate::memory::arrays;
use crate::memory::dangling;
use crate::memory::few_offsets;
use crate::memory::owners;
use crate::memory::pointer_flow::{Flow, split};
use crate::memory::policy::MemoryPolicy;
use crate::memory::positions::InsideOffsets;
use crate::values::operators::either;
use crate::values::symbolic_domain::{AccessError, SymbolicDomain, Undecided};
use crate::values::terms::{number_like, widened};
use crate::values::value::{Symbolic, Value};
use cairn_expr::{Term, TermStore};
use cairn_memory::{Cell, Fault, ObjectId, ObjectInfo, ObjectKind, OriginId, Word};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::mem::discriminant;
use std::rc::Rc;

/// Addresses that a pointer may choose between, at most.
const MOST_ADDRESSES: usize = 1 << 12;

/// Objects that are accessed at a symbolic distance as one path, at most.
const MOST_MOVED: usize = 16;

/// The same with a path for each.
const MOST_MOVED_APART: usize = 1 << 10;

/// Addresses that are compared one by one in a condition.
const MOST_COMPARED: usize = 4;

/// The width of the number of a class of addresses.
pub(super) const CLASS_BITS: u32 = 32;

/// What is wrong with some of a pointer's addresses.
pub(super) enum WrongAddresses {
    /// With each of them.
    Fault(Fault),
    /// At some distances.
    Outside { objects: usize, one: ObjectInfo },
}

/// The addresses of one access.
pub(super) struct Members<'a> {
    /// The term that chooses.
    choice: Term,
    flow: Flow<'a>,
    /// What is added to it, if that is symbolic.
    pub(super) distance: Option<Term>,
    /// Where each address that is not wrong points to, with its object.
    pub(super) places: BTreeMap<u64, Word>,
    pub(super) objects: Vec<ObjectInfo>,
    /// That the access is inside of an object.
    pub(super) inside: Term,
    /// When it is not.
    pub(super) wrong: Vec<(Term, WrongAddresses)>,
}

/// Whether accesses by this pointer may be one path.
pub(crate) fn is_choice(domain: &SymbolicDomain, at: &Symbolic) -> bool {
    domain.policy.has_choices()
        && domain.segments.by_form()
        && at.object.object_unknown()
        && !domain.reaches_any
}

/// Looks an access up, if it is by a choice of at least two places.
pub(super) fn members<'a>(
    domain: &SymbolicDomain,
    inside: &'a InsideOffsets,
    address: &'a Term,
    length: u64,
    write: bool,
) -> Option<Members<'a>> {
    let is_one_path = |found: &Members<'_>| {
        found.places.len() >= 2
            && match found.distance {
                None => true,
                Some(_) => {
                    found.objects.len() <= MOST_MOVED && !found.objects.iter().any(|o| o.open)
                }
            }
    };
    looked_up(domain, inside, address, length, write).filter(is_one_path)
}

/// The same, with a place at least.
pub(super) fn looked_up<'a>(
    domain: &SymbolicDomain,
    inside: &'a InsideOffsets,
    address: &'a Term,
    length: u64,
    write: bool,
) -> Option<Members<'a>> {
    let store = &domain.cx.store;
    if address.width() != u64::BITS {
        return None;
    }
    let is_address = |at: u64| domain.memory.object_at(at).is_some();
    let (flow, distance) = split(store, address, inside, is_address)?;
    let flow = match domain.policy {
        MemoryPolicy::Ite => flow.compared(),
        MemoryPolicy::Fork
        | MemoryPolicy::Segments
        | MemoryPolicy::Split { .. }
        | MemoryPolicy::PointsTo
        | MemoryPolicy::Adaptive { .. } => flow,
    };
    if flow.addresses.len() > MOST_ADDRESSES {
        return None;
    }
    let choice = flow.choice().clone();
    let mut places = BTreeMap::new();
    let mut objects = BTreeMap::new();
    let mut classes: Vec<(Fault, Vec<u64>)> = Vec::new();
    for (&at, leaves) in &flow.addresses {
        let word = dangling::word_of(domain, leaves, at)?;
        let looked_up = match distance {
            None => look_up(domain, word, length, write)?,
            Some(_) => look_up_object(domain, word, length)?,
        };
        match looked_up {
            Ok((word, info)) => {
                places.insert(at, word);
                objects.insert(info.address, info);
            }
            Err(fault) => match classes.iter_mut().find(|(f, _)| is_same(f, &fault)) {
                Some((_, all)) => all.push(at),
                None => classes.push((fault, vec![at])),
            },
        }
    }
    if places.is_empty() || distance.is_some() && objects.len() > MOST_MOVED_APART {
        return None;
    }
    let conditions = conditions(store, &flow, &classes)?;
    let mut inside = conditions.iter().fold(store.true_(), |all, wrong| {
        store.and(&all, &store.not(wrong))
    });
    let faults = classes
        .into_iter()
        .map(|(fault, _)| WrongAddresses::Fault(fault));
    let mut wrong: Vec<(Term, WrongAddresses)> = conditions.into_iter().zip(faults).collect();
    let mut found = Members {
        choice,
        flow,
        distance,
        places,
        objects: objects.into_values().collect(),
        inside: store.true_(),
        wrong: Vec::new(),
    };
    if found.distance.is_some() {
        let fits = fits(domain, &found, length)?;
        let outside = WrongAddresses::Outside {
            objects: found.objects.len(),
            one: found.objects[0],
        };
        wrong.push((store.and(&inside, &store.not(&fits)), outside));
        inside = store.and(&inside, &fits);
        if write {
            inside = writable(store, &found, inside, length, &mut wrong)?;
        }
    }
    (found.inside, found.wrong) = (inside, wrong);
    Some(found)
}

/// That an access that is inside is not to a constant; what is wrong with it otherwise.
fn writable(
    store: &TermStore,
    members: &Members<'_>,
    inside: Term,
    length: u64,
    wrong: &mut Vec<(Term, WrongAddresses)>,
) -> Option<Term> {
    let mut to_others = inside.clone();
    for (number, &object) in members.objects.iter().enumerate() {
        if object.kind != ObjectKind::Constant {
            continue;
        }
        let is = members.is_object(store, number)?;
        let address = object.address;
        let fault = Fault::ReadOnly {
            address,
            length,
            object,
        };
        wrong.push((store.and(&inside, &is), WrongAddresses::Fault(fault)));
        to_others = store.and(&to_others, &store.not(&is));
    }
    Some(to_others)
}

/// Whether two faults are one finding.
fn is_same(a: &Fault, b: &Fault) -> bool {
    let object = |fault: &Fault| match fault {
        Fault::OutOfBounds { object, .. } => object.map(|o| o.object),
        Fault::UseAfterFree { freed, .. } => freed.map(|o| o.object),
        Fault::UseAfterScope { object, .. } | Fault::ReadOnly { object, .. } => Some(object.object),
        Fault::Null { .. }
        | Fault::Symbolic { .. }
        | Fault::Overlap { .. }
        | Fault::InvalidFree { .. }
        | Fault::DoubleFree { .. }
        | Fault::MismatchedFree { .. }
        | Fault::StackOverflow { .. }
        | Fault::OutOfMemory { .. }
        | Fault::InvalidAlignment { .. } => None,
    };
    discriminant(a) == discriminant(b) && object(a) == object(b)
}

type FoundObject = Result<(Word, ObjectInfo), Fault>;

/// What is at an address; `None` if that is not decided yet.
fn look_up(domain: &SymbolicDomain, word: Word, length: u64, write: bool) -> Option<FoundObject> {
    let memory = &domain.memory;
    let known = memory.info(word);
    if known.is_ok_and(|info| info.open) {
        return None;
    }
    if !write && reads_missing(domain, word, length) {
        return None;
    }
    let refused = match write {
        true => memory.check_writable(word, length),
        false => memory.is_symbolic(word, length).map(|_| ()),
    };
    if let Err(fault) = refused {
        return Some(Err(fault));
    }
    let info = known.ok()?;
    let object = info.object;
    Some(Ok((Word { object, ..word }, info)))
}

/// Whether a read is of arguments that were not passed, which is an error of its own.
fn reads_missing(domain: &SymbolicDomain, at: Word, length: u64) -> bool {
    let Ok(info) = domain.memory.info(at) else {
        return false;
    };
    let object = info.object;
    let cell = domain
        .memory
        .cell_around(Word { object, ..at }, length as u32);
    matches!(cell, Some((Cell::Origin { origin, .. }, _)) if *origin == OriginId::MISSING)
}

/// The object that an address is in to which a number is added.
fn look_up_object(domain: &SymbolicDomain, word: Word, length: u64) -> Option<FoundObject> {
    let at = word.bits;
    let here = domain.memory.object_at(at);
    if word.bits != at || !word.object.object_unknown() && domain.memory.info(word).is_err() {
        return domain.memory.is_symbolic(word, length).err().map(Err);
    }
    // Outside of its object, or at its end, it may be moved into that.
    let own = (!word.object.object_unknown()).then_some(word.object);
    let behind = || domain.memory.around(at, 0).map(|info| info.object);
    let info = match own.or(here).or_else(behind) {
        Some(object) => domain.memory.info(Word { bits: at, object }).ok()?,
        None => match domain.memory.is_symbolic(Word::int(at), length) {
            // Which object it may be moved into is not known.
            Err(Fault::OutOfBounds { .. }) | Ok(_) => return None,
            Err(fault) => return Some(Err(fault)),
        },
    };
    if !info.open && info.size < length {
        return Some(Err(Fault::OutOfBounds {
            address: at,
            length,
            object: Some(info),
        }));
    }
    let object = info.object;
    Some(Ok((Word { bits: at, object }, info)))
}

/// When a pointer has an address of each class.
fn conditions(
    store: &TermStore,
    flow: &Flow<'_>,
    classes: &[(Fault, Vec<u64>)],
) -> Option<Vec<Term>> {
    let wrong: usize = classes.iter().map(|(_, all)| all.len()).sum();
    let choice = flow.choice();
    // With a number of its own added, the term is not the address before it was moved.
    if wrong <= MOST_COMPARED && !flow.is_moved() {
        let is = |at: &u64| store.eq(choice, &store.bv(choice.width(), *at));
        let one_of = |all: &Vec<u64>| {
            all.iter()
                .map(is)
                .fold(store.false_(), |any, is| store.or(&any, &is))
        };
        return Some(classes.iter().map(|(_, all)| one_of(all)).collect());
    }
    let numbers = (1..).zip(classes);
    let numbers: FxHashMap<u64, u64> = numbers
        .flat_map(|(number, (_, all))| all.iter().map(move |at| (*at, number)))
        .collect();
    let number = |at: u64| store.bv(CLASS_BITS, numbers.get(&at).copied().unwrap_or(0));
    let class = flow.map(store, &number)?;
    let is = |number: usize| store.eq(&class, &store.bv(CLASS_BITS, number as u64));
    Some((1..=classes.len()).map(is).collect())
}

impl Members<'_> {
    fn word(&self, at: u64) -> Option<&Word> {
        self.places.get(&at)
    }

    fn info(&self, at: u64) -> Option<&ObjectInfo> {
        let object = self.word(at)?.object;
        self.objects.iter().find(|o| o.object == object)
    }

    /// How far from the beginning of its object the access is.
    fn offset(&self, store: &TermStore, distance: &Term) -> Option<Term> {
        let of = |at: u64| {
            let from = self
                .info(at)
                .map_or(0, |info| at.wrapping_sub(info.address));
            number_like(store, distance, from)
        };
        Some(store.bv_add(&self.flow.map(store, &of)?, distance))
    }

    /// That the object of the choice is the one of this number.
    fn is_object(&self, store: &TermStore, number: usize) -> Option<Term> {
        let which = self.which(store)?;
        Some(store.eq(&which, &store.bv(CLASS_BITS, number as u64)))
    }

    /// The number of the object of the choice.
    pub(super) fn which(&self, store: &TermStore) -> Option<Term> {
        let of = |at: u64| {
            let object = self.word(at).map(|word| word.object);
            let found = self.objects.iter().position(|o| Some(o.object) == object);
            store.bv(CLASS_BITS, found.unwrap_or(0) as u64)
        };
        self.flow.map(store, &of)
    }
}

/// That an access at a distance from a choice is inside of the object that was chosen.
fn fits(domain: &SymbolicDomain, members: &Members<'_>, length: u64) -> Option<Term> {
    let store = &domain.cx.store;
    let distance = members.distance.as_ref()?;
    let offset = members.offset(store, distance)?;
    // How many places are inside of an object, less one of those whose size is known.
    let any_open = members.objects.iter().any(|info| info.open);
    let places = |at: u64| {
        let info = members.info(at);
        let size = info.and_then(|info| domain.sizes.of(info.object).filter(|_| info.open));
        match (info, size) {
            (Some(_), Some(size)) => {
                let length = number_like(store, size, length);
                let before = store.bv_sub(size, &length);
                let count = store.bv_add(&before, &number_like(store, size, 1));
                let none = number_like(store, size, 0);
                store.ite(&store.bv_ule(&length, size), &count, &none)
            }
            (Some(info), None) => {
                let last = info.size - length;
                number_like(store, distance, last + u64::from(any_open))
            }
            (None, _) => number_like(store, distance, 0),
        }
    };
    let places = members.flow.map(store, &places)?;
    // What it needs to be read or written with.
    members.is_object(store, 0)?;
    Some(match any_open {
        true => store.bv_ult(&offset, &places),
        false => store.bv_ule(&offset, &places),
    })
}

/// The places of an access that is inside, if it is by a choice.
pub(super) fn decided_members<'a>(
    domain: &SymbolicDomain,
    inside: &'a InsideOffsets,
    at: &'a Rc<Symbolic>,
    length: u64,
    write: bool,
    is_wanted: impl Fn(&Members<'_>) -> bool,
) -> Result<Option<Members<'a>>, AccessError> {
    if !is_choice(domain, at) || domain.decided_access(at, length).is_some() {
        return Ok(None);
    }
    let rent = domain.policy.most_rented();
    if rent.is_some_and(|most| domain.rents.reach(most, &at.term)) {
        return Ok(None);
    }
    let members = members(domain, inside, &at.term, length, write).filter(is_wanted);
    let Some(members) = members else {
        return Ok(None);
    };
    if !members.inside.is_true() && !domain.decided_holds(&members.inside) {
        return Err(AccessError::Undecided(Undecided::Choice {
            address: Rc::clone(at),
            length,
            write,
        }));
    }
    Ok(Some(members))
}

/// Counts an access to all objects of a choice.
pub(super) fn count(domain: &mut SymbolicDomain, at: &Symbolic, members: &Members<'_>) {
    domain.cx.count_choice(&members.objects);
    if domain.policy.most_rented().is_some() {
        domain.rents.pay(&at.term);
    }
}

/// Reads by a choice; `None` if the pointer is none.
pub(crate) fn load(
    domain: &mut SymbolicDomain,
    at: &Rc<Symbolic>,
    bytes: u32,
) -> Result<Option<Value>, AccessError> {
    let inside = domain.inside_offsets.clone();
    let length = u64::from(bytes);
    let Some(members) = decided_members(domain, &inside, at, length, false, |_| true)? else {
        return Ok(None);
    };
    count(domain, at, &members);
    let Some(distance) = &members.distance else {
        return load_places(domain, &members, 0, bytes).map(Some);
    };
    let cx = Rc::clone(&domain.cx);
    let store = &cx.store;
    let offset = members.offset(store, distance).expect("it was made before");
    let mut object = None;
    let mut chosen: Option<Term> = None;
    for (number, info) in members.objects.iter().enumerate() {
        let read = arrays::read_at(domain, info, &offset, bytes);
        let marks = marks_at(domain, info, &offset, bytes);
        object = Some(object.map_or(marks, |before| either(before, marks)));
        chosen = Some(match chosen {
            None => read,
            Some(others) => {
                let is = members
                    .is_object(store, number)
                    .expect("it was made before");
                store.ite(&is, &read, &others)
            }
        });
    }
    let chosen = chosen.expect("there is an object");
    let object = object.unwrap_or(ObjectId::NONE);
    Ok(Some(owners::value_of_part(domain, chosen, object)))
}

/// Reads at one of the addresses of a choice, or so many bytes behind it.
pub(super) fn load_places(
    domain: &mut SymbolicDomain,
    members: &Members<'_>,
    behind: u64,
    bytes: u32,
) -> Result<Value, AccessError> {
    let width = 8 * bytes;
    let mut results: FxHashMap<u64, Term> = FxHashMap::default();
    let mut object = None;
    for (at, word) in &members.places {
        let value = access::load_value(domain, &Value::Word(word.offset(behind)), bytes)?;
        dangling::note_value(domain, &value);
        let marks = value.object();
        object = Some(object.map_or(marks, |before| either(before, marks)));
        let store = &domain.cx.store;
        let term = widened(store, &owners::part_of_choice(domain, &value, width), width);
        results.insert(*at, term);
    }
    let store = &domain.cx.store;
    // Under the condition that the access is inside no other address is chosen.
    let any = results.values().next().expect("there is a place").clone();
    let result = |at: u64| results.get(&at).unwrap_or(&any).clone();
    let term = members.flow.map(store, &result).unwrap_or_else(|| {
        members.places.keys().fold(any.clone(), |others, at| {
            let is = store.eq(&members.choice, &number_like(store, &members.choice, *at));
            store.ite(&is, &results[at], &others)
        })
    });
    let object = object.unwrap_or(ObjectId::NONE);
    Ok(owners::value_of_part(domain, term, object))
}

/// Writes by a choice; whether the pointer is one.
pub(crate) fn store(
    domain: &mut SymbolicDomain,
    at: &Rc<Symbolic>,
    value: &Term,
    object: ObjectId,
) -> Result<bool, AccessError> {
    let length = u64::from(value.width() / 8);
    let inside = domain.inside_offsets.clone();
    let Some(members) = decided_members(domain, &inside, at, length, true, |_| true)? else {
        return Ok(false);
    };
    count(domain, at, &members);
    let cx = Rc::clone(&domain.cx);
    let store = &cx.store;
    let Some(distance) = &members.distance else {
        store_places(domain, &members, 0, value, object)?;
        return Ok(true);
    };
    let offset = members.offset(store, distance).expect("it was made before");
    let nowhere = number_like(store, &offset, 0);
    let all = members.objects.iter().enumerate();
    for (number, info) in all.filter(|(_, info)| info.kind != ObjectKind::Constant) {
        let is = members
            .is_object(store, number)
            .expect("it was made before");
        // The offset may be outside of an object that is not the one.
        let here = store.ite(&is, &offset, &nowhere);
        let before = arrays::read_at(domain, info, &here, value.width() / 8);
        let marks = marks_at(domain, info, &here, value.width() / 8);
        let after = store.ite(&is, value, &before);
        arrays::write_at(domain, info, &here, &after, either(object, marks))?;
    }
    Ok(true)
}

/// Writes to one of the addresses of a choice, or so many bytes behind it.
pub(super) fn store_places(
    domain: &mut SymbolicDomain,
    members: &Members<'_>,
    behind: u64,
    value: &Term,
    object: ObjectId,
) -> Result<(), AccessError> {
    let store = &domain.cx.store;
    let choice = &members.choice;
    let places = members.places.iter().map(|(at, word)| {
        let when = store.eq(choice, &number_like(store, choice, *at));
        few_offsets::GuardedPlace::new(when, word.offset(behind))
    });
    let places: Vec<few_offsets::GuardedPlace> = places.collect();
    few_offsets::write_places(domain, &places, value, object)
}
