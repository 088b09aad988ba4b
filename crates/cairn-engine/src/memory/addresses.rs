//! Addresses that must be known as a whole: those that are freed, and those that the system is given. Not: accesses (`memory/resolve.rs`),
//! or addresses that are used as numbers (`values/address_notes.rs`).
//!
//! # Problem
//!
//! `free` and system calls work on known addresses. A path for each value that a symbolic
//! address can have is one for each of up to 2^64 values, nearly all of which mean the same: nothing
//! is there.
//!
//! # Idea
//!
//! Values that mean the same are one case. For `free` that is null, the beginning of each heap
//! object, and everything else, which is an error. For the system it is null, each object (inside of
//! which each value is a path of its own, unless the address is that of a buffer: `calls/arguments.rs`), and everything that is in no object, for which one value
//! stands: whatever the call does with such an address, it does with all of them. Where the system
//! refuses an address with `EFAULT` those near an object, or where one was, are a case of their own: they
//! stay an error of the program.
//!
//! # Soundness
//!
//! The guards exclude each other; the last one is that none of the others holds. An
//! address that belongs to an object is only compared with that object, as in `memory/resolve.rs`. If the
//! solver stops deciding, the rest is a case that is cut and reported.
//!
//! # Cost
//!
//! A query for each object, and each hole between objects, that the address can be in.

use crate::gate::find_all;
use crate::gate::{RemainderSpec, ValueClass};
use crate::omission::Question;
use crate::path::cases::{Case, Effect, StepOutcome};
use crate::path::decisions::Decision;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::path::transition;
use crate::values::symbolic_domain::{AccessError, SymbolicDomain, Undecided};
use crate::values::terms::number_like;
use crate::values::value::{Symbolic, Value};
use cairn_expr::{Model, Term};
use cairn_memory::{ObjectInfo, ObjectKind, Word};
use cairn_solver::Facts;
use std::rc::Rc;

/// What an address is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressPurpose {
    /// The object that begins there is freed.
    Free,
    /// The system is told it.
    System,
}

/// The decision that an address is none of those that mean something.
const OTHER: u32 = 0;

/// The decision that it is none of them, but so near to one that the system does not refuse it.
const NEAR: u32 = 1;

/// An address that must be known as a whole.
pub(crate) fn known_address(
    domain: &SymbolicDomain,
    value: &Value,
    purpose: AddressPurpose,
) -> Result<Word, AccessError> {
    let symbolic = match value {
        Value::Word(word) => return Ok(*word),
        Value::Symbolic(symbolic) => symbolic,
    };
    if let Ok(known) = domain.number(value) {
        return Ok(known);
    }
    let wanted = symbolic.bits(&domain.cx.store);
    if purpose == AddressPurpose::System
        && let Some(bits) = domain.decided_nowhere(&wanted)
    {
        return Ok(Word {
            bits,
            object: symbolic.object,
        });
    }
    if purpose == AddressPurpose::System && domain.decided_access(symbolic, 0).is_some() {
        return domain.number(value);
    }
    Err(AccessError::Undecided(Undecided::Address {
        address: Rc::clone(symbolic),
        purpose,
    }))
}

/// What a value of an address means.
enum AddressMeaning {
    /// It is a case of its own.
    Itself,
    /// It is in this object.
    Inside(ObjectInfo),
    /// All values from the first to the last mean nothing.
    Nothing(u64, u64),
}

/// The values of an address that mean something: null, and these.
struct Targets {
    /// In order of their addresses.
    objects: Vec<ObjectInfo>,
    purpose: AddressPurpose,
    /// Whether it is known which object the address belongs to. Then the end of that object is a place
    /// of no bytes in it; otherwise it may be the beginning of another.
    own: bool,
    /// The last address that there is.
    last_address: u64,
}

impl Targets {
    /// The last address in an object, counted from its beginning.
    fn last(&self, info: &ObjectInfo) -> u64 {
        match (self.purpose, self.own) {
            (AddressPurpose::Free, _) => 0,
            (AddressPurpose::System, true) => info.capacity,
            (AddressPurpose::System, false) => info.capacity - 1,
        }
    }

    fn meaning(&self, value: u64) -> AddressMeaning {
        if value == 0 {
            return AddressMeaning::Itself;
        }
        let above = self.objects.partition_point(|e| e.address <= value);
        let end = |e: &ObjectInfo| e.address + self.last(e);
        let below = above.checked_sub(1).map(|i| &self.objects[i]);
        match below {
            Some(info) if value <= end(info) => match self.purpose {
                AddressPurpose::Free => AddressMeaning::Itself,
                AddressPurpose::System => AddressMeaning::Inside(*info),
            },
            Some(_) | None => {
                let first = below.map_or(1, |e| end(e) + 1);
                let last = self.objects.get(above);
                let last = last.map_or(self.last_address, |e| e.address - 1);
                AddressMeaning::Nothing(first, last)
            }
        }
    }
}

/// What an address may be.
pub(crate) fn address_cases(
    step: &mut StepContext<'_>,
    state: &State,
    address: &Symbolic,
    purpose: AddressPurpose,
) -> StepOutcome {
    let term = address.bits(&step.cx.store);
    let targets = targets(state, address, purpose);
    match state.guide.next_replayed() {
        Some(Decision::Is(value)) => {
            return StepOutcome::Cases(vec![value_case(step, &term, value)]);
        }
        Some(Decision::Object(object)) => {
            let found = targets.objects.iter().find(|e| e.object == object);
            let info = found.expect("the same objects as before");
            return StepOutcome::Cases(vec![inside_case(step, &term, info, targets.last(info))]);
        }
        Some(
            Decision::Case(_)
            | Decision::IsNot(_)
            | Decision::ObjectPartly(_)
            | Decision::Part { .. }
            | Decision::Window { .. }
            | Decision::NoUse(_)
            | Decision::Member(_)
            | Decision::Call(_),
        )
        | None => {}
    }
    let system = state.library.system.as_ref();
    let refused = purpose == AddressPurpose::System
        && system.is_some_and(cairn_linux::Kernel::refuses_addresses);
    let class = |step: &mut StepContext<'_>, _: &Facts, _: &Rc<Model>, value: u64| {
        let store = &step.cx.store;
        match targets.meaning(value) {
            AddressMeaning::Nothing(mut first, mut last) => {
                let near = refused && {
                    let at = Word {
                        bits: value,
                        object: address.object,
                    };
                    let elsewhere = state.domain.memory.no_object_at(at);
                    first = first.max(elsewhere.first);
                    last = last.min(elsewhere.last);
                    elsewhere.by_an_object
                };
                let offset = store.bv_sub(&term, &number_like(store, &term, first));
                let values = store.bv_ule(&offset, &number_like(store, &term, last - first));
                match near {
                    true => ValueClass::Apart(values, Decision::Case(NEAR)),
                    false => ValueClass::Remainder(values),
                }
            }
            AddressMeaning::Inside(info) => {
                let case = inside_case(step, &term, &info, targets.last(&info));
                ValueClass::Case(case, info.address)
            }
            AddressMeaning::Itself => ValueClass::Case(value_case(step, &term, value), value),
        }
    };
    let other = |step: &StepContext<'_>, value: u64| {
        other_effect(step, state, address, &term, value, purpose)
    };
    let remainder = RemainderSpec {
        decision: Decision::Case(OTHER),
        question: Question::Addresses,
    };
    StepOutcome::Cases(find_all::find_all(
        step, state, &term, class, &remainder, other,
    ))
}

/// The case that an address has a value.
fn value_case(step: &StepContext<'_>, term: &Term, value: u64) -> Case {
    let store = &step.cx.store;
    let known = Effect::RetryNumber {
        term: term.clone(),
        value,
    };
    let guard = store.eq(term, &number_like(store, term, value));
    Case::new(guard, known, Decision::Is(value))
}

/// The case that an address is in an object, at most so far from its beginning.
fn inside_case(step: &StepContext<'_>, term: &Term, info: &ObjectInfo, last: u64) -> Case {
    let store = &step.cx.store;
    let offset = store.bv_sub(term, &number_like(store, term, info.address));
    let guard = store.bv_ule(&offset, &number_like(store, term, last));
    let effect = Effect::RetryAccess {
        address: term.clone(),
        length: 0,
        object: info.object,
        window: None,
    };
    Case::new(guard, effect, Decision::Object(info.object))
}

/// What happens with all values that mean nothing, of which this is one.
fn other_effect(
    step: &StepContext<'_>,
    state: &State,
    address: &Symbolic,
    term: &Term,
    value: u64,
    purpose: AddressPurpose,
) -> Effect {
    let at = Word {
        bits: value,
        object: address.object,
    };
    match purpose {
        AddressPurpose::System => Effect::RetryNowhere {
            address: term.clone(),
            value,
        },
        AddressPurpose::Free => {
            let refused = state.domain.memory.clone().free(at);
            let fault = refused.expect_err("nothing that can be freed is there");
            Effect::Error(Box::new(transition::fault_finding(step, state, &fault)))
        }
    }
}

/// The objects that an address may mean.
fn targets(state: &State, address: &Symbolic, purpose: AddressPurpose) -> Targets {
    let memory = &state.domain.memory;
    let own = address.object.not_taken();
    let any = own.object_unknown() || state.domain.reaches_any;
    let is_meant = |e: &ObjectInfo| {
        let wanted = match purpose {
            AddressPurpose::Free => e.kind == ObjectKind::Heap,
            AddressPurpose::System => e.kind != ObjectKind::Kernel && (e.capacity > 0 || !any),
        };
        wanted && (any || e.object == own)
    };
    let mut objects: Vec<ObjectInfo> = memory.objects().filter(is_meant).collect();
    objects.sort_unstable_by_key(|e| e.address);
    Targets {
        objects,
        purpose,
        own: !any,
        last_address: memory.pointer_width().last_address(),
    }
}

/// The object that an access is inside of; otherwise the first and last address around it at
/// which an access of that length is inside of none.
pub(super) fn object_at(
    objects: &[ObjectInfo],
    address: u64,
    length: u64,
    last_address: u64,
) -> Result<ObjectInfo, (u64, u64)> {
    let above = objects.partition_point(|e| e.address <= address);
    // Objects that are too small for the access do not count.
    let fits = |e: &&ObjectInfo| e.capacity >= length && length > 0;
    let below = objects[..above].iter().rev().find(fits);
    let first = match below {
        Some(info) if address - info.address <= info.capacity - length => return Ok(*info),
        Some(info) => info.address + (info.capacity - length) + 1,
        None => 0,
    };
    let last = objects[above..].iter().find(fits);
    Err((first, last.map_or(last_address, |e| e.address - 1)))
}
