//! Control in programs that were made from machine code.
//!
//! - **Jumps to addresses that depend on inputs** come to the program's dispatcher, a switch over all
//!   functions. Its cases are not asked for one by one, because there are thousands: the path forks on
//!   *the address that the state's model has* or *another one*, until none is
//!   left. If it can be an address without code, that is an error, and other such addresses are not followed.
//! - **Code that was not seen before** is added to the program when a path comes there: all workers share
//!   one program that grows, and each goes on with what it has until it needs more.

use crate::finding::{Finding, FindingKind, Outcome};
use crate::gate::{OnReplay, Verdict};
use crate::omission::Omission;
use crate::path::cases::{Case, Effect, Feasibility, StepOutcome};
use crate::path::decisions::Decision;
use crate::path::state::State;
use crate::path::step_context::{BodilessFunction, StepContext};
use crate::path::transition;
use crate::values::symbolic_domain::AccessError;
use crate::values::value::Value;
use cairn_expr::Term;
use cairn_ir::{FuncId, PlaceId, Program};
use cairn_machine::{DISPATCH, is_below_stack, no_code_text};
use cairn_memory::Fault;
use std::sync::Arc;

/// The decision that an address is one where no code is.
const NO_CODE: u32 = 0;
/// The decision that it is any other.
const ELSEWHERE: u32 = 1;
/// The decision that it is null.
const NULL: u32 = 2;

/// What a function without a body is.
pub(crate) fn bodiless(step: &StepContext<'_>, function: FuncId) -> BodilessFunction {
    let known = step.bodiless.get(function.index());
    known.copied().unwrap_or(BodilessFunction::Nothing)
}

/// Whether a function was there when the run began: what a program grew by has no distance.
pub(crate) fn was_there(step: &StepContext<'_>, function: FuncId) -> bool {
    let functions = &step.shared.program.functions;
    let function = functions.get(function.index());
    function.is_some_and(|f| f.body.is_some())
}

/// A place in words.
pub(crate) fn place_text(step: &StepContext<'_>, place: PlaceId) -> String {
    let text = step.table.program().place_text(place);
    match &step.shared.config.code {
        Some(code) => format!("{text} ({:#x})", code.address_of(place)),
        None => text,
    }
}

/// Where a state is, in words.
pub(crate) fn where_is(step: &StepContext<'_>, state: &State) -> String {
    let trace = transition::trace(step, state);
    let mut places = trace.iter().map(|(_, place)| *place);
    let known = places.find(|p| *p != PlaceId::UNKNOWN);
    known.map_or_else(String::new, |place| place_text(step, place))
}

/// A finding in machine code says at which instruction.
pub(crate) fn located(step: &StepContext<'_>, outcome: &Outcome) -> Option<Outcome> {
    let code = step.shared.config.code.as_ref()?;
    let Outcome::Error(finding) = outcome else {
        return None;
    };
    let mut places = finding.trace.iter().map(|(_, place)| *place);
    let place = places.find(|p| *p != PlaceId::UNKNOWN)?;
    let address = code.address_of(place);
    let message = format!("{} (at {address:#x})", finding.message);
    Some(Outcome::Error(Finding {
        message,
        ..finding.clone()
    }))
}

/// Goes on at an address that the dispatcher does not know.
pub(crate) fn go_on_at(
    step: &mut StepContext<'_>,
    state: &mut State,
    address: &Value,
) -> Result<StepOutcome, AccessError> {
    let address = state.domain.number(address)?.bits;
    let Some(code) = &step.shared.config.code else {
        let message = "a jump to an address in a program that has none";
        return Ok(transition::error(step, state, FindingKind::Model, message));
    };
    if !code.code().iter().any(|range| range.contains(&address)) {
        let finding = no_code(step, state, Some(address));
        return Ok(StepOutcome::End(Outcome::Error(finding)));
    }
    match code.translate(address) {
        Ok((function, program)) => {
            grow(step, program);
            let (table, domain) = (&step.table, &mut state.domain);
            state.thread.divert(table, domain, function, Vec::new())?;
            Ok(StepOutcome::Go)
        }
        Err(why) => {
            let what = Omission::NoCode(where_is(step, state), why.to_string());
            Ok(StepOutcome::End(Outcome::Stopped(what)))
        }
    }
}

/// Gives a function of machine code its body, if that is what is missing, and calls it again.
pub(crate) fn lower_now(step: &mut StepContext<'_>, state: &mut State, function: FuncId) -> bool {
    let missing = matches!(bodiless(step, function), BodilessFunction::Nothing);
    let Some(code) = step.shared.config.code.as_ref().filter(|_| missing) else {
        return false;
    };
    let Some(program) = code.lower(function) else {
        return false;
    };
    grow(step, program);
    state.thread.retry();
    true
}

/// Goes on with a program that has grown.
fn grow(step: &mut StepContext<'_>, program: Arc<Program>) {
    step.shared.note_grown(&program);
    step.table.exchange(program);
    step.table.cover_more(step.shared.cover_now());
}

/// The cases of the dispatcher; `None` if it is another switch that is open.
pub(crate) fn dispatch(
    step: &mut StepContext<'_>,
    state: &State,
    value: &Value,
    table: u32,
) -> Option<StepOutcome> {
    let code = step.shared.config.code.as_ref()?;
    let (function, _) = state.thread.position()?;
    if step.table.program().function(function).name != DISPATCH {
        return None;
    }
    let Value::Symbolic(symbolic) = value else {
        return None;
    };
    let store = &step.cx.store;
    let term = symbolic.bits(store);
    let ranges = code.code();
    let in_code: Vec<Term> = ranges
        .iter()
        .map(|range| {
            let offset = store.bv_sub(&term, &store.bv(64, range.start));
            store.bv_ult(&offset, &store.bv(64, range.end - range.start))
        })
        .collect();
    let in_code = store.or_all(&in_code);
    let wild = store.not(&in_code);
    let is_code = |address: u64| ranges.iter().any(|range| range.contains(&address));
    let found = step.cx.value(&state.domain.model, &term).low_u64();
    let address = match state.guide.next_decision() {
        Some(decision) => decision.value(),
        None if !is_code(found) => None,
        // The log has a decision if the path is run again.
        None => match step.gate.ask(&step.cx, state, &wild, OnReplay::Impossible) {
            Verdict::Impossible(_) => Some(found),
            Verdict::Possible(_) | Verdict::Undecided(_) => None,
        },
    };
    let Some(address) = address else {
        // Inputs decide where control goes: that is the finding; the other targets would repeat it.
        let null = store.and(&wild, &store.eq(&term, &store.bv(64, 0)));
        let finding = Box::new(no_code(step, state, Some(0)));
        let nowhere = Case::new(null, Effect::Error(finding), Decision::Case(NULL));
        let other = store.and(&wild, &store.not(&store.eq(&term, &store.bv(64, 0))));
        let finding = Box::new(no_code(step, state, None));
        let error = Case::new(other, Effect::Error(finding), Decision::Case(NO_CODE));
        let mut rest = Case::new(in_code, Effect::Retry, Decision::Case(ELSEWHERE));
        rest.feasibility = Feasibility::Cut(Omission::AnyJump(where_is(step, state)));
        return Some(StepOutcome::Cases(vec![nowhere, error, rest]));
    };
    let (cases, default) = state.thread.switch(&step.table, table);
    let known = cases.iter().find(|(case, _)| *case == address);
    let position = known.map_or(default, |(_, position)| *position);
    let is = store.eq(&term, &store.bv(64, address));
    let other = store.not(&is);
    Some(StepOutcome::Cases(vec![
        Case::new(is, Effect::GoTo(position), Decision::Is(address)),
        Case::new(other, Effect::Retry, Decision::IsNot(address)),
    ]))
}

/// What kind of error a refused access is: below the stack of machine code it is a full stack.
pub(crate) fn kind_of_fault(step: &StepContext<'_>, fault: &Fault) -> FindingKind {
    match below_stack(step, fault) {
        true => FindingKind::Stack,
        false => FindingKind::of_fault(fault),
    }
}

fn below_stack(step: &StepContext<'_>, fault: &Fault) -> bool {
    let code = step.shared.config.code.as_ref();
    code.is_some_and(|code| is_below_stack(&code.stack(), fault))
}

/// What is wrong with an access, in words.
pub(crate) fn fault_text(step: &StepContext<'_>, fault: &Fault) -> String {
    cairn_machine::fault_text(step.shared.config.code.as_deref(), fault)
}

/// The finding of a jump to where no code is.
fn no_code(step: &StepContext<'_>, state: &State, address: Option<u64>) -> Finding {
    let message = match address {
        Some(address) => no_code_text(address),
        None => "control comes to an address that depends on inputs, where no code is".to_string(),
    };
    Finding {
        kind: match address {
            Some(0) => FindingKind::Pointer,
            Some(_) | None => FindingKind::Execution,
        },
        message,
        trace: transition::trace(step, state),
    }
}
