//! Descriptors that the system is given.
//!
//! # Problem
//!
//! A symbolic descriptor has up to 2^32 values, of which a process has a handful open. A
//! path for each value is nearly always one that ends in `EBADF` like all others.
//!
//! # Idea
//!
//! Each descriptor that is open is a case, and all that are not are one case, for which one
//! number stands. Where `AT_FDCWD` means the working directory it is a case of its own. Of those that
//! `poll` waits for, negative ones are left out and are another case. The number of a descriptor that
//! `dup2` and `dup3` make is an open one, one beyond the limit (all fail alike), or a free one: that
//! gets one of its values, and the summary says so, because it matters later which number it is.
//!
//! # Soundness
//!
//! The guards exclude each other and leave nothing out. The number that stands for those
//! that are not open is never open: it is negative, or the largest `int`, beyond every limit. `dup3`
//! fails in another way if both numbers are the same: there a known one is a case for the other, and
//! of two that are not known the first is a path for each value.
//!
//! # Cost
//!
//! A guard for each descriptor that is open.

use crate::calls::arguments;
use crate::calls::arguments::KnownNumber;
use crate::memory::access;
use crate::memory::addresses;
use crate::memory::addresses::AddressPurpose;
use crate::path::cases::{Case, Effect, StepOutcome};
use crate::path::decisions::Decision;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::values::symbolic_domain::{AccessError, SymbolicDomain, Undecided};
use crate::values::value::Value;
use cairn_expr::Term;
use cairn_linux::{Kernel, Need};
use cairn_memory::Word;

/// What a descriptor is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It is used. This number is a case of its own, even if it is not open.
    Used(Option<u32>),
    /// It is waited for.
    Polled,
    /// It is made, and is not this one.
    Made(u32),
}

/// The working directory, in place of a descriptor.
pub(crate) const AT_FDCWD: u32 = -100i32 as u32;

/// Stands for descriptors that are not open, and for those beyond the limit.
const NONE: u32 = u32::MAX;

/// Stands for descriptors that are not open and not negative.
const NONE_OPEN: u32 = i32::MAX as u32;

/// Why other numbers of a new descriptor were not explored.
pub(crate) const NEW_NUMBER: &str = "the number of a new descriptor (dup2) got one value";

/// A descriptor, or one that stands for all that mean the same.
fn known_descriptor(domain: &SymbolicDomain, term: &Term, role: Role) -> Result<Word, AccessError> {
    if let Some(known) = term.as_const().and_then(|bits| bits.to_u64()) {
        return Ok(Word::int(known));
    }
    let known = domain
        .decided_number(term)
        .or_else(|| domain.decided_nowhere(term));
    known.map(Word::int).ok_or_else(|| {
        AccessError::Undecided(Undecided::Descriptor {
            term: term.clone(),
            role,
        })
    })
}

pub(crate) fn descriptor(
    step: &StepContext<'_>,
    state: &State,
    given: &Value,
    role: Role,
) -> Result<Word, AccessError> {
    match given {
        Value::Word(word) => Ok(*word),
        Value::Symbolic(_) => {
            let store = &step.cx.store;
            let low = store.extract(&given.term(store, 64), 31, 0);
            known_descriptor(&state.domain, &low, role)
        }
    }
}

/// Gives the system what it needs to know of an address, a descriptor or a length in memory.
pub(crate) fn give_system(
    step: &StepContext<'_>,
    state: &mut State,
    need: &Need,
) -> Result<StepOutcome, AccessError> {
    let (at, word) = match need {
        Need::Address { at } => {
            let value = access::load_value(&mut state.domain, &Value::Word(*at), 8)?;
            (
                *at,
                addresses::known_address(&state.domain, &value, AddressPurpose::System)?,
            )
        }
        Need::Descriptor { at } => {
            let value = access::load_value(&mut state.domain, &Value::Word(*at), 4)?;
            let term = value.term(&step.cx.store, 32);
            (*at, known_descriptor(&state.domain, &term, Role::Polled)?)
        }
        Need::Number { at, bytes, classes } => {
            let value = access::load_value(&mut state.domain, &Value::Word(*at), *bytes)?;
            let known = match classes {
                Some(classes) => arguments::number_of_class(&state.domain, &value, classes)?,
                None => KnownNumber::Value(state.domain.number(&value)?),
            };
            match known {
                KnownNumber::StandsFor(word) => (*at, word),
                KnownNumber::Value(word) => {
                    state.domain.make_known_word(*at, *bytes, word)?;
                    state.thread.retry();
                    return Ok(StepOutcome::Go);
                }
            }
        }
        Need::Bytes { .. } | Need::Path { .. } | Need::Input | Need::Equal { .. } => {
            unreachable!("these become known in memory")
        }
    };
    let system = state.library.system.as_mut().expect("it asked");
    system.give(at, word);
    state.domain.known_count += 1;
    state.thread.retry();
    Ok(StepOutcome::Go)
}

/// What a descriptor may be.
pub(crate) fn descriptor_cases(
    step: &mut StepContext<'_>,
    state: &State,
    term: &Term,
    role: Role,
) -> StepOutcome {
    let store = &step.cx.store;
    let limit = system(state).map_or(0, Kernel::descriptor_limit);
    let open = system(state).map(Kernel::descriptors);
    let mut named: Vec<u32> = open.into_iter().flatten().collect();
    let also = match role {
        Role::Used(also) => also,
        Role::Made(other) => Some(other),
        Role::Polled => None,
    };
    named.extend(also.filter(|also| !named.contains(also)));
    let mut cases = Vec::with_capacity(named.len() + 2);
    let mut guards = Vec::with_capacity(named.len());
    for number in named {
        let guard = store.eq(term, &store.bv(32, u64::from(number)));
        guards.push(guard.clone());
        let value = u64::from(number);
        let term = term.clone();
        let effect = Effect::RetryNumber { term, value };
        cases.push(Case::new(guard, effect, Decision::Is(value)));
    }
    let other = store.not(&store.or_all(&guards));
    let stands = |value: u32| Effect::RetryNowhere {
        address: term.clone(),
        value: u64::from(value),
    };
    let below = |bound: u64| store.bv_ult(term, &store.bv(32, bound));
    match role {
        Role::Used(_) => cases.push(Case::new(other, stands(NONE), Decision::Case(0))),
        Role::Polled => {
            let positive = below(1 << 31);
            let negative = store.and_all(&[other.clone(), store.not(&positive)]);
            let positive = store.and_all(&[other, positive]);
            cases.push(Case::new(negative, stands(NONE), Decision::Case(0)));
            cases.push(Case::new(positive, stands(NONE_OPEN), Decision::Case(1)));
        }
        Role::Made(_) => {
            let within = below(limit);
            let beyond = store.and_all(&[other.clone(), store.not(&within)]);
            let free = store.and_all(&[other, within]);
            let term = term.clone();
            cases.push(Case::new(beyond, stands(NONE), Decision::Case(0)));
            let choosing = Effect::RetryChoosingNumber { term };
            cases.push(Case::new(free, choosing, Decision::Case(1)));
        }
    }
    step.gate.drop_folded(state, &mut cases);
    StepOutcome::Cases(cases)
}

pub(crate) fn system(state: &State) -> Option<&Kernel> {
    state.library.system.as_ref()
}
