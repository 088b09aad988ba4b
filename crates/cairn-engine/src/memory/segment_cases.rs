//! The case that an access is to a segment, and what is noted with it.
//!
//! The guard is that the address is inside of one of the members and none of those that belong to objects that have ended. The
//! decision names the first member, and behind it those that belong to the segment from now on (`path/decisions.rs`).

use crate::calls::machine_code;
use crate::memory::foreign::{self, ForeignAddresses, note_followed};
use crate::memory::policy::MemoryPolicy;
use crate::memory::resolve::inside_most;
use crate::memory::segments;
use crate::path::cases::{Case, Effect, StepOutcome};
use crate::path::decisions::Decision;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::path::transition;
use crate::values::address_notes;
use crate::values::terms::number_like;
use cairn_expr::{BitVec, Term, TermStore};
use cairn_memory::{ObjectId, ObjectInfo};
use std::collections::BTreeSet;

/// The case that an access is inside of one of several objects.
pub(super) fn inside(
    step: &StepContext<'_>,
    state: &State,
    address: &Term,
    length: u64,
    members: &[ObjectInfo],
    foreign: &ForeignAddresses,
) -> Case {
    let store = &step.cx.store;
    let inside = |info| inside_most(store, address, info, length);
    let inside: Vec<Term> = members.iter().map(inside).collect();
    let without: Vec<u64> = foreign.addresses().collect();
    inside_one_of(store, state, address, length, members, (inside, &without))
}

/// The case of the segment that a path accessed before which is run again.
pub(super) fn replayed(
    step: &StepContext<'_>,
    state: &State,
    objects: &[ObjectInfo],
    address: &Term,
    access: (u64, bool),
    foreign: &ForeignAddresses,
) -> Option<StepOutcome> {
    let first = match state.guide.next_replayed()? {
        Decision::Object(first) => first,
        Decision::Case(_)
        | Decision::ObjectPartly(_)
        | Decision::Part { .. }
        | Decision::Window { .. }
        | Decision::Member(_)
        | Decision::Call(_)
        | Decision::Is(_)
        | Decision::IsNot(_)
        | Decision::NoUse(_) => return None,
    };
    let members = segments::replayed(state, objects, first, access)?;
    for info in &members {
        foreign::note_again(&state.domain, foreign, info);
    }
    if !is_by_form(state) {
        state.domain.origins.note_hidden();
    }
    let case = inside(step, state, address, access.0, &members, foreign);
    Some(StepOutcome::Cases(vec![case]))
}

/// Says so if an address in one of several objects may be that of one that has ended, or of another one.
pub(super) fn note_followed_all(
    step: &StepContext<'_>,
    state: &State,
    foreign: &ForeignAddresses,
    possible: Option<&BTreeSet<BitVec>>,
    members: &[ObjectInfo],
) {
    let is_possible = |member: &&ObjectInfo| {
        let range = member.address..=member.address + member.capacity;
        let mut values = possible.into_iter().flatten().filter_map(BitVec::to_u64);
        possible.is_none() || values.any(|value| range.contains(&value))
    };
    if !is_by_form(state) {
        note_not_by_form(step, state);
    }
    for member in members.iter().filter(is_possible) {
        note_followed(step, state, foreign, possible, member);
    }
}

/// Why a run is not complete in which objects of accesses are found by queries or classes.
const NOT_BY_FORM: &str = "its objects were not found by the form of the pointer, which alone shows that it left its own object";

/// Whether the form of pointers says which objects they are to.
fn is_by_form(state: &State) -> bool {
    state.domain.segments.by_form() && state.domain.policy != MemoryPolicy::PointsTo
}

/// Says that an access is to objects that were found otherwise than by the form of the pointer.
fn note_not_by_form(step: &StepContext<'_>, state: &State) {
    let trace = transition::trace(step, state);
    let at = trace.first();
    let at = at.map(|(_, place)| machine_code::place_text(step, *place));
    state.leave_out(step.shared, address_notes::followed(at, NOT_BY_FORM));
    state.domain.origins.note_hidden();
    state.one_of_many.set(true);
}

/// The case that an access is inside of one of the members; `without` are addresses that are not meant.
fn inside_one_of(
    store: &TermStore,
    state: &State,
    address: &Term,
    length: u64,
    members: &[ObjectInfo],
    (inside, without): (Vec<Term>, &[u64]),
) -> Case {
    let mut guard = store.or_all(&inside);
    for other in without {
        let is_other = store.eq(address, &number_like(store, address, *other));
        guard = store.and(&guard, &store.not(&is_other));
    }
    let first = members[0].object;
    let segments = &state.domain.segments;
    let group = segments.group(first);
    let ids = members.iter().map(|info| info.object);
    let is_new = |object: &ObjectId| *object != first && !group.contains(object);
    let mut joined: Vec<ObjectId> = match segments.by_form() {
        true => Vec::new(),
        false => ids.clone().filter(is_new).collect(),
    };
    // What is named tells a segment from one object, also if nothing new belongs to it.
    if joined.is_empty() {
        joined.push(first);
    }
    let effect = Effect::RetrySegment {
        address: address.clone(),
        length,
        members: ids.collect(),
        joined: joined.into(),
    };
    Case::new(guard, effect, Decision::Object(first))
}
