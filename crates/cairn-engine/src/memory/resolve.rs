//! Which object a symbolic address is in.
//!
//! # Problem
//!
//! An address that is a term may be in any object, or in none.
//!
//! # Idea
//!
//! A pointer that came from an object belongs to it: the access is inside of that
//! object, or it is an error ([`cairn_memory::Reach::OwnObject`]; on request it is found by its value too, as
//! KLEE does it, and an error is what is in no object). An address whose object is not known (it was read at a symbolic
//! index, or made from numbers) is resolved by its value: the solver gives an address, memory
//! says which object is there, that object's range is left out of the next question, until no
//! address is left. A range without objects around an invalid address is left out as a
//! whole, so that each is found once. If the address can have one value only in an object, the
//! case is that it has this value, and later accesses know it (`memory/pointers.rs`).
//!
//! # Soundness
//!
//! Ranges of objects are disjoint, so the guards exclude each other; the last case is
//! that the address is in none of them. If the solver stops deciding, the rest is a case that is
//! cut and reported, never dropped silently.
//!
//! # Cost
//!
//! One query for an address that belongs to an object; otherwise one for each object
//! and each hole it can reach, and one more for each object unless the address's shape says which
//! values it has.

use crate::finding::{Finding, FindingKind, Outcome};
use crate::gate::find_all;
use crate::gate::{RemainderSpec, ValueClass, Verdict};
use crate::memory::addresses;
use crate::memory::bases::base_for;
use crate::memory::foreign;
use crate::memory::foreign::{ForeignAddresses, MOST_POSSIBLE, foreign_case, note_followed};
use crate::memory::member_cases;
use crate::memory::parts;
use crate::memory::pointer_flow::values_by_form;
use crate::memory::segment_cases;
use crate::memory::segments::Finder;
use crate::memory::windows;
use crate::omission::Question;
use crate::path::cases::{Case, Effect, Feasibility, StepOutcome};
use crate::path::decisions::Decision;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::path::transition;
use crate::values::terms::number_like;
use crate::values::value::Symbolic;
use cairn_expr::{BitVec, Model, Term, TermStore, possible_values};
use cairn_memory::{Bytes, Fault, ObjectId, ObjectInfo, ObjectKind, Word};
use cairn_solver::Facts;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The case that an address is in no object.
const OUTSIDE: u32 = 0;

/// The addresses that are in no object.
const OUTSIDE_OF_ALL: RemainderSpec = RemainderSpec {
    decision: Decision::Case(OUTSIDE),
    question: Question::Objects,
};

/// That an access of a length at an address is inside of the most bytes that an object can have.
pub(crate) fn inside_most(
    store: &TermStore,
    address: &Term,
    info: &ObjectInfo,
    length: u64,
) -> Term {
    if length > info.capacity {
        return store.false_();
    }
    let offset = store.bv_sub(address, &base_for(store, address, info));
    store.bv_ule(
        &offset,
        &number_like(store, address, info.capacity - length),
    )
}

/// That an access of a length at an address is inside of an object.
fn inside(
    store: &TermStore,
    state: &State,
    address: &Term,
    info: &ObjectInfo,
    length: u64,
) -> Term {
    let guard = inside_most(store, address, info, length);
    match state.domain.sizes.of(info.object) {
        Some(size) if info.open => {
            // The offset is less than the capacity, so the end does not wrap.
            let offset = store.bv_sub(address, &base_for(store, address, info));
            let end = store.bv_add(&offset, &number_like(store, address, length));
            store.and(&guard, &store.bv_ule(&end, size))
        }
        Some(_) | None => guard,
    }
}

/// The objects that an access may be to, and what is wrong with it otherwise.
pub(crate) fn resolve(
    step: &mut StepContext<'_>,
    state: &State,
    address: &Rc<Symbolic>,
    length: u64,
    write: bool,
) -> StepOutcome {
    if address.object.object_unknown() || state.domain.reaches_any {
        if !state.domain.reaches_any
            && let Some(next) = member_cases::moved_cases(step, state, address, length, write)
        {
            return next;
        }
        return resolve_by_value(step, state, &address.term, length, write, false);
    }
    let object = address.object;
    let info = match state.domain.memory.info(Word { bits: 0, object }) {
        Ok(info) => info,
        Err(_) => {
            let fault = example(step, state, &state.domain.model, address, length);
            return StepOutcome::End(Outcome::Error(transition::fault_finding(
                step, state, &fault,
            )));
        }
    };
    let store = &step.cx.store;
    let guard = inside(store, state, &address.term, &info, length);
    let outside = store.not(&guard);
    let good = access_case(step, state, guard, &address.term, length, write, &info);
    let length = Bytes(length);
    let message = format!("access of {length} that may be outside of the {info}");
    let finding = Finding {
        kind: FindingKind::Pointer,
        message,
        trace: transition::trace(step, state),
    };
    let bad = Case::new(
        outside,
        Effect::Error(Box::new(finding)),
        Decision::Case(OUTSIDE),
    );
    parts::in_parts(
        step,
        state,
        [good, bad],
        &address.term,
        &info,
        (&OUTSIDE_OF_ALL, write),
    )
}

/// The same for an access that is to several objects at once.
pub(crate) fn resolve_segment(
    step: &mut StepContext<'_>,
    state: &State,
    address: &Rc<Symbolic>,
    length: u64,
    write: bool,
) -> StepOutcome {
    if let Some(next) = member_cases::before_others(step, state, address, length, write) {
        return next;
    }
    resolve_by_value(step, state, &address.term, length, write, true)
}

/// The case that an access is to an object.
fn access_case(
    step: &StepContext<'_>,
    state: &State,
    guard: Term,
    address: &Term,
    length: u64,
    write: bool,
    info: &ObjectInfo,
) -> Case {
    let effect = if write && info.kind == ObjectKind::Constant {
        let fault = Fault::ReadOnly {
            address: info.address,
            length,
            object: *info,
        };
        Effect::Error(Box::new(transition::fault_finding(step, state, &fault)))
    } else {
        Effect::RetryAccess {
            address: address.clone(),
            length,
            object: info.object,
            window: None,
        }
    };
    Case::new(guard, effect, Decision::Object(info.object))
}

/// The case that an access is to an object, with all of its bytes or only the first of a word.
#[expect(clippy::too_many_arguments, reason = "what a case is made of")]
fn object_case(
    step: &StepContext<'_>,
    state: &State,
    address: &Term,
    length: u64,
    write: bool,
    info: &ObjectInfo,
    whole: bool,
    foreign: &ForeignAddresses,
) -> Case {
    let store = &step.cx.store;
    let mut guard = inside(store, state, address, info, length);
    for other in foreign.addresses() {
        let is_other = store.eq(address, &number_like(store, address, other));
        guard = store.and(&guard, &store.not(&is_other));
    }
    if whole {
        return access_case(step, state, guard, address, length, write, info);
    }
    let begins = inside(store, state, address, info, 1);
    let guard = store.and(&begins, &store.not(&guard));
    let mut case = access_case(step, state, guard, address, 1, write, info);
    case.decision = Decision::ObjectPartly(info.object);
    case
}

/// What is wrong with an access under a model.
pub(super) fn example(
    step: &StepContext<'_>,
    state: &State,
    model: &Rc<Model>,
    address: &Symbolic,
    length: u64,
) -> Fault {
    let value = step.cx.value(model, &address.term);
    let at = Word {
        bits: value.to_u64().expect("an address"),
        object: address.object,
    };
    let refused = state.domain.memory.is_symbolic(at, length.max(1));
    refused.err().unwrap_or(Fault::OutOfBounds {
        address: at.bits,
        length,
        object: None,
    })
}

/// The case of the next decision, of a path that is run again.
fn resolve_logged(
    step: &mut StepContext<'_>,
    state: &State,
    objects: &[ObjectInfo],
    address: &Term,
    length: u64,
    write: bool,
) -> Option<StepOutcome> {
    let last_address = state.domain.memory.pointer_width().last_address();
    match state.guide.next_replayed() {
        Some(Decision::Object(object)) => Some(resolve_replayed(
            step, state, address, length, write, object, true,
        )),
        Some(Decision::ObjectPartly(object)) => Some(resolve_replayed(
            step, state, address, length, write, object, false,
        )),
        Some(Decision::Part { slot, .. }) => {
            let found = objects.iter().find(|e| e.object.slot() == slot);
            let object = found.expect("the same objects as before").object;
            Some(resolve_replayed(
                step, state, address, length, write, object, true,
            ))
        }
        Some(Decision::Is(value)) => {
            let info = addresses::object_at(objects, value, length, last_address)
                .expect("the same as before");
            let foreign = ForeignAddresses::of(&state.domain, address);
            foreign::note_again(&state.domain, &foreign, &info);
            let case = only_case(step, state, address, value, length, write, &info);
            Some(StepOutcome::Cases(vec![case]))
        }
        Some(
            Decision::Case(_)
            | Decision::IsNot(_)
            | Decision::Call(_)
            | Decision::Window { .. }
            | Decision::Member(_)
            | Decision::NoUse(_),
        )
        | None => None,
    }
}

fn resolve_by_value(
    step: &mut StepContext<'_>,
    state: &State,
    address: &Term,
    length: u64,
    write: bool,
    as_segment: bool,
) -> StepOutcome {
    let last_address = state.domain.memory.pointer_width().last_address();
    let mut objects: Vec<ObjectInfo> = state.domain.memory.objects().collect();
    objects.sort_unstable_by_key(|e| e.address);
    windows::whole_words(state, &mut objects, address, length, write);
    let foreign = ForeignAddresses::of(&state.domain, address);
    if as_segment
        && let Some(next) =
            segment_cases::replayed(step, state, &objects, address, (length, write), &foreign)
    {
        return next;
    }
    if let Some(next) = resolve_logged(step, state, &objects, address, length, write) {
        return next;
    }
    let possible = values_of_form(state, address);
    let finder = as_segment.then(|| Finder::new(step, state, &objects, address, (length, write)));
    if let Some(info) = windows::certain_object(step, state, &objects, address, length) {
        let guard = inside(&step.cx.store, state, address, &info, length);
        let mut case = access_case(step, state, guard, address, length, write, &info);
        case.feasibility = Feasibility::Feasible(Rc::clone(&state.domain.model));
        return windows::in_windows(step, state, vec![case], write);
    }
    let class = |step: &mut StepContext<'_>, facts: &Facts, model: &Rc<Model>, value: u64| {
        if let Some(word) = foreign.word(value) {
            let case = foreign_case(step, state, address, value, length, word);
            return ValueClass::Case(case, value);
        }
        let info = match addresses::object_at(&objects, value, length, last_address) {
            Ok(info) => info,
            Err((first, last)) => {
                let store = &step.cx.store;
                let offset = store.bv_sub(address, &number_like(store, address, first));
                let size = number_like(store, address, last - first);
                return ValueClass::Remainder(store.bv_ule(&offset, &size));
            }
        };
        let segment = finder.as_ref();
        if let Some(members) = segment.and_then(|f| f.segment(state, &objects, &info)) {
            segment_cases::note_followed_all(step, state, &foreign, possible.as_ref(), &members);
            let case = segment_cases::inside(step, state, address, length, &members, &foreign);
            return ValueClass::Case(case, members[0].address);
        }
        let only = match &possible {
            _ if info.open => false,
            Some(values) => has_one_inside(values, address.width(), length, &info),
            None => is_only(step, state, facts, address, value, length, &info),
        };
        let least = windows::least_bytes(state, &info, address, length, write);
        if !exists(step, state, model, address, &info, least) {
            // Behind the end that an object of symbolic size has under the model.
            let store = &step.cx.store;
            let guard = inside(store, state, address, &info, least);
            let most = inside_most(store, address, &info, length);
            return ValueClass::Remainder(store.and(&most, &store.not(&guard)));
        }
        if only {
            note_followed(step, state, &foreign, possible.as_ref(), &info);
            let case = only_case(step, state, address, value, length, write, &info);
            return ValueClass::Case(case, value);
        }
        let whole = exists(step, state, model, address, &info, length);
        note_followed(step, state, &foreign, possible.as_ref(), &info);
        let case = object_case(step, state, address, length, write, &info, whole, &foreign);
        let (case, order) = match whole {
            true => parts::in_part(step, state, case, address, &info, value),
            // Where only the first bytes of a word are inside comes behind.
            false => (case, info.address + 1),
        };
        ValueClass::Case(case, order)
    };
    let nowhere = |step: &StepContext<'_>, value: u64| {
        let fault = match addresses::object_at(&objects, value, length, last_address) {
            Ok(info) => Fault::OutOfBounds {
                address: value,
                length,
                object: Some(info),
            },
            Err(_) => {
                let symbolic = Symbolic {
                    term: step.cx.store.bv(address.width(), value),
                    object: ObjectId::NONE,
                };
                example(step, state, &state.domain.model, &symbolic, length)
            }
        };
        Effect::Error(Box::new(transition::fault_finding(step, state, &fault)))
    };
    let cases = find_all::find_all(step, state, address, class, &OUTSIDE_OF_ALL, nowhere);
    windows::in_windows(step, state, cases, write)
}

/// The values that an address may have by its form, if they are few.
fn values_of_form(state: &State, address: &Term) -> Option<BTreeSet<BitVec>> {
    possible_values(address, MOST_POSSIBLE).or_else(|| {
        let values = values_by_form(&state.domain, address)?;
        let width = address.width();
        let values = values.into_iter().map(|value| BitVec::new(width, value));
        Some(values.collect())
    })
}

/// Whether only one of some values of an address is such that an access is inside of an object.
fn has_one_inside(values: &BTreeSet<BitVec>, width: u32, length: u64, info: &ObjectInfo) -> bool {
    let last = info.address + (info.capacity - length);
    let inside = BitVec::new(width, info.address)..=BitVec::new(width, last);
    values.range(inside).nth(1).is_none()
}

/// Whether an address can have no other value at which an access is inside of an object.
fn is_only(
    step: &mut StepContext<'_>,
    state: &State,
    facts: &Facts,
    address: &Term,
    value: u64,
    length: u64,
    info: &ObjectInfo,
) -> bool {
    let store = &step.cx.store;
    let other = store.not(&store.eq(address, &number_like(store, address, value)));
    let other = store.and(&inside_most(store, address, info, length), &other);
    let verdict = step.gate.ask_under(&step.cx, state, facts, &other);
    matches!(verdict, Verdict::Impossible(_))
}

/// The case that an address has a value, at which an object is.
fn only_case(
    step: &StepContext<'_>,
    state: &State,
    address: &Term,
    value: u64,
    length: u64,
    write: bool,
    info: &ObjectInfo,
) -> Case {
    let store = &step.cx.store;
    let guard = store.eq(address, &number_like(store, address, value));
    let mut case = access_case(step, state, guard, address, length, write, info);
    if let Effect::RetryAccess { .. } = case.effect {
        let address = address.clone();
        case.effect = Effect::RetryPointer { address, value };
    }
    case.decision = Decision::Is(value);
    case
}

/// The one case that a path went before.
fn resolve_replayed(
    step: &mut StepContext<'_>,
    state: &State,
    address: &Term,
    length: u64,
    write: bool,
    object: ObjectId,
    whole: bool,
) -> StepOutcome {
    let info = state.domain.memory.info(Word { bits: 0, object });
    let info = info.expect("the same objects as before");
    let foreign = ForeignAddresses::of(&state.domain, address);
    foreign::note_again(&state.domain, &foreign, &info);
    let case = object_case(step, state, address, length, write, &info, whole, &foreign);
    windows::in_windows(step, state, vec![case], write)
}

/// Whether an access is inside of an object under a model, if it is inside of the most bytes
/// that the object can have.
fn exists(
    step: &StepContext<'_>,
    state: &State,
    model: &Rc<Model>,
    address: &Term,
    info: &ObjectInfo,
    length: u64,
) -> bool {
    let store = &step.cx.store;
    !info.open
        || step
            .cx
            .holds(model, &inside(store, state, address, info, length))
}
