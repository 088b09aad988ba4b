//! Addresses of a pointer that belong to another object than the one at their place.
//!
//! # Problem
//!
//! A pointer that is a term is resolved by its value. The value may be in an object that the pointer does not belong to: the own
//! object has ended, or a constant was added that leads out of it into a neighbour.
//!
//! # Idea
//!
//! The numbers that each address was before constants were added are written in the term (`memory/pointer_flow.rs`), and whose they
//! are memory knows (`memory/dangling.rs`). Such an address is an error of its own. Where the term does not say whose an address
//! is, it is followed to the object at its place, and the run says so.
//!
//! # Soundness
//!
//! An address is an error only if all numbers that it was belong to another object, or to one that was freed. One that belongs
//! to its place or not, depending on inputs, is followed and listed. A term that is not a choice of addresses has no foreign addresses: the access goes to the object at its value.
//!
//! # Cost
//!
//! A walk of the term for each access that is resolved by value.

use crate::calls::machine_code;
use crate::memory::bases::Bases;
use crate::memory::dangling;
use crate::memory::dangling::Owner;
use crate::memory::pointer_flow::{Flow, Leaf};
use crate::memory::resolve::example;
use crate::path::cases::{Case, Effect};
use crate::path::decisions::Decision;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::path::transition;
use crate::values::address_notes;
use crate::values::symbolic_domain::SymbolicDomain;
use crate::values::terms::number_like;
use crate::values::value::Symbolic;
use cairn_expr::{BitVec, Term, possible_values};
use cairn_memory::{ObjectInfo, Word};
use std::collections::{BTreeMap, BTreeSet};

/// Values of an address that are looked at one by one.
pub(super) const MOST_POSSIBLE: usize = 1024;

/// Whose the addresses of a pointer are, where that is not the object at their place.
#[derive(Default)]
pub(super) struct ForeignAddresses {
    /// Each with a word whose access is the error that it is.
    others: BTreeMap<u64, Word>,
    /// Those of which the term does not say it.
    unsaid: BTreeSet<u64>,
    /// Whether the term has beginnings of objects and does not say to which of its addresses they belong.
    is_unsaid: bool,
}

impl ForeignAddresses {
    /// Those of a pointer.
    pub fn of(domain: &SymbolicDomain, address: &Term) -> ForeignAddresses {
        let mut found = ForeignAddresses::default();
        if domain.reaches_any {
            return found;
        }
        if let Some(flow) = Flow::of(address, &domain.inside_offsets) {
            let moved = flow.addresses.iter();
            let moved =
                moved.filter(|(at, leaves)| leaves.iter().any(|leaf| *leaf != Leaf::from(**at)));
            for (&at, leaves) in moved {
                let Some(here) = domain.memory.object_at(at) else {
                    continue;
                };
                match dangling::word_of(domain, leaves, at) {
                    Some(word) if word.bits != at => drop(found.others.insert(at, word)),
                    Some(word) if word.object.object_unknown() || word.object == here => {}
                    Some(word) => drop(found.others.insert(at, word)),
                    None => drop(found.unsaid.insert(at)),
                }
            }
        } else {
            found.is_unsaid = address.attributes().has_base && domain.bases == Bases::Values;
        }
        if dangling::any(domain) {
            found.add_ended(domain, address);
        }
        found
    }

    /// Those whose object on the stack has ended.
    fn add_ended(&mut self, domain: &SymbolicDomain, address: &Term) {
        let possible = possible_values(address, MOST_POSSIBLE);
        let values = possible.into_iter().flatten();
        for bits in values.filter_map(|value| value.to_u64()) {
            if let Some(Owner::Ended(object)) = dangling::owner(domain, bits) {
                self.others.insert(bits, Word { bits, object });
            }
        }
    }

    /// The word of an address that belongs to another object.
    pub fn word(&self, address: u64) -> Option<Word> {
        self.others.get(&address).copied()
    }

    /// All addresses that belong to another object.
    pub fn addresses(&self) -> impl Iterator<Item = u64> {
        self.others.keys().copied()
    }

    /// Whether the term does not say of some address in an object whose it is.
    pub fn are_unsaid_in(&self, info: &ObjectInfo) -> bool {
        let last = info.address + info.capacity;
        self.is_unsaid || self.unsaid.range(info.address..last).next().is_some()
    }
}

/// The case that an address has the value of a word that belongs to another object.
pub(super) fn foreign_case(
    step: &StepContext<'_>,
    state: &State,
    address: &Term,
    value: u64,
    length: u64,
    word: Word,
) -> Case {
    let store = &step.cx.store;
    let guard = store.eq(address, &number_like(store, address, value));
    let symbolic = Symbolic {
        term: store.bv(address.width(), word.bits),
        object: word.object,
    };
    let fault = example(step, state, &state.domain.model, &symbolic, length);
    let finding = transition::fault_finding(step, state, &fault);
    Case::new(
        guard,
        Effect::Error(Box::new(finding)),
        Decision::IsNot(value),
    )
}

/// Says so if an address in an object may be that of one that has ended, or of another one.
pub(super) fn note_followed(
    step: &StepContext<'_>,
    state: &State,
    foreign: &ForeignAddresses,
    possible: Option<&BTreeSet<BitVec>>,
    info: &ObjectInfo,
) {
    let domain = &state.domain;
    if domain.reaches_any {
        return;
    }
    let (first, last) = (info.address, info.address + info.capacity);
    let is_either = dangling::any(domain)
        && match possible {
            Some(values) => values
                .iter()
                .filter_map(BitVec::to_u64)
                .filter(|value| (first..=last).contains(value))
                .any(|value| dangling::owner(domain, value) == Some(Owner::Either)),
            None => dangling::may_be_other(domain, info.object, first, last),
        };
    let why = match is_either {
        true => dangling::IN_ITS_PLACE,
        false if foreign.are_unsaid_in(info) => dangling::BY_ADDRESS,
        false => return,
    };
    let at = transition::trace(step, state);
    let at = at
        .first()
        .map(|(_, place)| machine_code::place_text(step, *place));
    state.leave_out(step.shared, address_notes::followed(at, why));
    state.domain.origins.note_hidden();
    state.one_of_many.set(true);
}

/// An access to an object, of a path that is run again. If it may be to another one, that was listed when it was decided; that the
/// test may end otherwise is asked at the end.
pub(super) fn note_again(domain: &SymbolicDomain, foreign: &ForeignAddresses, info: &ObjectInfo) {
    let (first, last) = (info.address, info.address + info.capacity);
    let is_either = || dangling::may_be_other(domain, info.object, first, last);
    if !domain.reaches_any && (is_either() || foreign.are_unsaid_in(info)) {
        domain.origins.note_hidden();
    }
}
