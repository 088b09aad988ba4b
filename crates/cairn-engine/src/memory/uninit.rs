//! Uses of uninitialised values (`--check uninit`).
//!
//! # Problem
//!
//! Reading memory that was never written is no error as long as nothing depends on
//! it: structures are copied with their padding.
//!
//! # Idea
//!
//! Unwritten bytes and undefined values are symbols of their own (`memory/origins.rs`). What a
//! path does depends on them where a branch, a switch, an address, a length or the argument of a
//! library function does. A term may mention what it does not depend on: an object that is read at a symbolic
//! index is an array of all of its bytes, and machine code reads whole words and looks at some of their bytes. So the solver
//! is asked whether the outcome can be another one if the uninitialised bytes are something else. Inputs for which it
//! can are an error; those for which it is the same go on.
//!
//! # Soundness
//!
//! What a term does not mention it does not depend on; of what it mentions, both outcomes have a model. Where
//! uninitialised bytes happen to give the same outcome twice, a path goes on for inputs that are in the error too:
//! none is lost. Missed is what floating-point arithmetic narrowed before and what the solver does not decide; the summary
//! lists both. In machine code only heap objects begin unwritten: nothing says where variables on the stack are.
//!
//! # Cost
//!
//! A walk over the term of each such decision, and a query if it mentions uninitialised bytes; nothing if the check is
//! off.

use crate::calls::intrinsics::IntrinsicCall;
use crate::finding::{Finding, FindingKind, Outcome};
use crate::gate::{OnReplay, Verdict};
use crate::memory::access;
use crate::memory::sizes::SizeRequest;
use crate::omission::Omission;
use crate::path::cases::{Case, Effect, StepOutcome};
use crate::path::decisions::Decision;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::path::transition;
use crate::values::symbolic_domain::{AccessError, SymbolicDomain, Undecided};
use crate::values::value::{Value, Wide};
use cairn_expr::{Substitution, Symbol, Term, symbols_of};
use cairn_machine::{AnyValue, Stop, StopOf};
use cairn_memory::{Cell, ObjectInfo, OriginId, ReadPart, Word};

/// Objects larger than this are not searched for the bytes that a finding is about.
const SEARCHED_BYTES: u64 = 1 << 20;

/// Bytes of a library call's range that are looked at.
const EXAMINED_BYTES: u64 = 1 << 12;

/// The finding of a stop whose outcome depends on uninitialised memory.
pub(crate) fn unwritten_decision(
    step: &mut StepContext<'_>,
    state: &State,
    stop: &StopOf<SymbolicDomain>,
) -> Option<StepOutcome> {
    if !step.shared.config.check_uninit {
        return None;
    }
    match stop {
        Stop::Branch { condition, .. } => unwritten_value(step, state, "a branch", condition),
        Stop::Switch { value, .. } => unwritten_value(step, state, "a switch", value),
        Stop::CalleeUndecided { address } => {
            unwritten_value(step, state, "the address of a call", address)
        }
        // What an access must know is looked at elsewhere: `unwritten_undecided`.
        Stop::Access(_)
        | Stop::Limit
        | Stop::Arrived(_)
        | Stop::Returned(_)
        | Stop::CheckUndecided { .. }
        | Stop::CheckFailed { .. }
        | Stop::Bodiless { .. }
        | Stop::WrongType { .. }
        | Stop::Dead => None,
    }
}

/// The finding of an operation that must know an uninitialised value.
pub(crate) fn unwritten_undecided(
    step: &mut StepContext<'_>,
    state: &State,
    undecided: &Undecided,
) -> Option<StepOutcome> {
    match undecided {
        Undecided::Access { address, .. }
        | Undecided::Segment { address, .. }
        | Undecided::Choice { address, .. }
        | Undecided::Address { address, .. }
        | Undecided::Room { address, .. } => {
            unwritten_use(step, state, "the address of an access", &address.term)
        }
        Undecided::Number { term }
        | Undecided::Class { term, .. }
        | Undecided::Descriptor { term, .. }
        | Undecided::AtMost { term, .. }
        | Undecided::Size(SizeRequest { term, .. }) => unwritten_use(
            step,
            state,
            "a length or another number that must be known",
            term,
        ),
        // Sizes are known where this is looked for; addresses were decided before.
        Undecided::Word(_) | Undecided::Apart { .. } => None,
    }
}

/// The finding of a library call with an uninitialised argument.
pub(crate) fn unwritten_argument(
    step: &mut StepContext<'_>,
    state: &State,
    name: &str,
    call: &IntrinsicCall,
) -> Option<StepOutcome> {
    if !step.shared.config.check_uninit || !call.is_symbolic() {
        return None;
    }
    let what = format!("an argument of {name}");
    call.all().find_map(|any| match any {
        AnyValue::Value(value) => unwritten_value(step, state, &what, value),
        AnyValue::Wide(Wide::Term(term)) => unwritten_use(step, state, &what, term),
        AnyValue::Wide(Wide::Bits(_)) => None,
    })
}

/// The finding of a library call that reads uninitialised bytes.
pub(crate) fn unwritten_bytes(
    step: &mut StepContext<'_>,
    state: &mut State,
    name: &str,
    address: u64,
    length: u64,
) -> Result<Option<StepOutcome>, AccessError> {
    if !step.shared.config.check_uninit {
        return Ok(None);
    }
    let what = format!("what {name} does");
    for i in 0..length.clamp(1, EXAMINED_BYTES) {
        let at = Value::Word(Word::int(address + i));
        let byte = access::load_value(&mut state.domain, &at, 1)?;
        if let Some(next) = unwritten_value(step, state, &what, &byte) {
            return Ok(Some(next));
        }
    }
    Ok(None)
}

fn unwritten_value(
    step: &mut StepContext<'_>,
    state: &State,
    what: &str,
    value: &Value,
) -> Option<StepOutcome> {
    match value {
        Value::Word(_) => None,
        Value::Symbolic(symbolic) => unwritten_use(step, state, what, &symbolic.term),
    }
}

/// The finding of something that depends on a term, if a part of it is uninitialised.
fn unwritten_use(
    step: &mut StepContext<'_>,
    state: &State,
    what: &str,
    term: &Term,
) -> Option<StepOutcome> {
    if !step.shared.config.check_uninit {
        return None;
    }
    let symbols = symbols_of([term]);
    let mut sources = symbols.iter().filter_map(Term::as_symbol);
    let source = sources.find(|s| s.is_uninitialised())?;
    let differs = outcome_differs(step, term, &symbols);
    let same = step.cx.store.not(&differs);
    // Once decided, the term's outcome is the same by the path's facts, so it is not decided again.
    let decision = Decision::NoUse(term.shape_hash());
    let goes_on = Case::new(same, Effect::Retry, decision);
    if state.guide.is_replaying() {
        // A path that is run again came past this place; of other terms it was found that there is nothing to decide.
        let was_decided = state.guide.next_replayed() == Some(decision);
        return was_decided.then(|| StepOutcome::Cases(vec![goes_on]));
    }
    if !can_hold(step, state, what, &differs) {
        return None;
    }
    let of = match **source {
        Symbol::Named(_) | Symbol::Input { .. } => return None,
        Symbol::Undefined { .. } => "an uninitialised or undefined value".to_string(),
        Symbol::Uninitialised { origin, .. } => match holder(state, OriginId(origin)) {
            Some(info) => format!("uninitialised bytes of the {info}"),
            None => "uninitialised memory".to_string(),
        },
    };
    let finding = Finding {
        kind: FindingKind::Uninitialised,
        message: format!("{what} depends on {of}"),
        trace: transition::trace(step, state),
    };
    let is_input = |symbol: &Term| symbol.as_symbol().is_some_and(|s| !s.is_uninitialised());
    if !symbols.iter().any(is_input) {
        // It is one for all inputs.
        return Some(StepOutcome::End(Outcome::Error(finding)));
    }
    let is_use = Case::new(differs, Effect::Error(Box::new(finding)), Decision::Case(0));
    Some(StepOutcome::Cases(vec![is_use, goes_on]))
}

/// That a term has another value if the uninitialised bytes are something else.
fn outcome_differs(step: &StepContext<'_>, term: &Term, symbols: &[Term]) -> Term {
    let store = &step.cx.store;
    let mut other = Substitution::new();
    for symbol in symbols {
        if let Some(another) = symbol.as_symbol().and_then(|s| s.otherwise()) {
            other.insert(symbol.clone(), store.free(another, symbol.sort()));
        }
    }
    let changed = other.apply(store, term);
    store.not(&store.eq(term, &changed))
}

/// Whether that can be; what was not decided is listed.
fn can_hold(step: &mut StepContext<'_>, state: &State, what: &str, differs: &Term) -> bool {
    match step
        .gate
        .ask(&step.cx, state, differs, OnReplay::Impossible)
    {
        Verdict::Possible(_) => true,
        Verdict::Impossible(_) => false,
        Verdict::Undecided(reason) => {
            let (what, why) = (what.to_string(), reason.to_string());
            state.leave_out(step.shared, Omission::UndecidedUse(what, why));
            false
        }
    }
}

/// The live object that has unwritten bytes where they were from the start.
fn holder(state: &State, origin: OriginId) -> Option<ObjectInfo> {
    let memory = &state.domain.memory;
    let holds = |info: &ObjectInfo| {
        if info.capacity > SEARCHED_BYTES {
            return false;
        }
        let mut parts = Vec::new();
        if let Some(content) = memory.snapshot(info.object) {
            content.load_parts(0, info.capacity, &mut parts);
        }
        let mut position = 0;
        parts.iter().any(|part| {
            let here = position;
            match part {
                ReadPart::Known { length, .. } => {
                    position += u64::from(*length);
                    false
                }
                ReadPart::Cell { cell, length } => {
                    position += u64::from(*length);
                    let expected = Cell::Origin {
                        origin,
                        offset: here,
                    };
                    *cell == expected
                }
            }
        })
    };
    memory.objects().filter(holds).min_by_key(|e| e.address)
}
