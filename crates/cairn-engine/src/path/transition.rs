//! From a stop of the step function to the cases of the step.

use crate::calls::address_sinks;
use crate::calls::arguments;
use crate::calls::descriptors;
use crate::calls::dispatch;
use crate::calls::machine_code;
use crate::config::PlainEnd;
use crate::finding::{CallTrace, Finding, FindingKind, Outcome};
use crate::gate::Bisection;
use crate::memory::addresses;
use crate::memory::callees;
use crate::memory::leaks::{self, Unfreed};
use crate::memory::member_cases;
use crate::memory::resolve;
use crate::memory::sizes;
use crate::memory::uninit;
use crate::memory::windows;
use crate::omission::Omission;
use crate::path::cases::{Case, Effect, StepOutcome};
use crate::path::decisions::Decision;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::values::operators;
use crate::values::symbolic_domain::{AccessError, SymbolicDomain, Undecided};
use crate::values::terms::number_like;
use crate::values::value::Value;
use cairn_expr::Term;
use cairn_ir::CheckKind;
use cairn_machine::{AnyValue, NextCall, Stage, Stop, StopOf, natives};
use cairn_memory::{Bytes, Fault, Word};

/// What a stop leads to.
pub(crate) fn transition(
    step: &mut StepContext<'_>,
    state: &mut State,
    stop: StopOf<SymbolicDomain>,
) -> StepOutcome {
    if let Some(next) = uninit::unwritten_decision(step, state, &stop) {
        return next;
    }
    match stop {
        // Stop points were ruled about.
        Stop::Limit | Stop::Arrived(_) => StepOutcome::Go,
        Stop::Returned(results) => returned(step, state, &results),
        Stop::Branch {
            condition,
            then,
            otherwise,
        } => {
            let (condition, not) = operators::both_ways(&state.domain, &condition);
            StepOutcome::Cases(vec![
                Case::new(condition, Effect::GoTo(then), Decision::Case(0)),
                Case::new(not, Effect::GoTo(otherwise), Decision::Case(1)),
            ])
        }
        Stop::Switch { value, table } => {
            step.gate.limit_work(state.round);
            match machine_code::dispatch(step, state, &value, table) {
                Some(next) => next,
                None => switch(step, state, &value, table),
            }
        }
        Stop::CheckUndecided {
            condition,
            kind,
            message,
        } => {
            if unchecked(step, kind) {
                return StepOutcome::Go;
            }
            let (condition, not) = operators::both_ways(&state.domain, &condition);
            let finding = check_finding(step, state, kind, &message);
            StepOutcome::Cases(vec![
                Case::new(condition, Effect::Proceed, Decision::Case(0)),
                Case::new(not, Effect::Error(Box::new(finding)), Decision::Case(1)),
            ])
        }
        Stop::CheckFailed { kind, .. } if unchecked(step, kind) => StepOutcome::Go,
        Stop::CheckFailed { kind, message } => {
            StepOutcome::End(Outcome::Error(check_finding(step, state, kind, &message)))
        }
        Stop::Bodiless {
            function,
            args,
            extra,
            results,
        } => dispatch::bodiless(step, state, function, args, extra, &results),
        Stop::CalleeUndecided { address } => {
            step.gate.limit_work(state.round);
            callees::undecided_callee(step, state, &address)
        }
        Stop::WrongType { function } => {
            let name = &step.shared.program.function(function).name;
            if let Some(message) = natives::unimplemented_virtual(name) {
                let message = message.to_string();
                return ended_by_itself(step, state, PlainEnd::Abort, message);
            }
            let message = format!("{name} is called with another function type than it has");
            error(step, state, FindingKind::Execution, message)
        }
        Stop::Access(error) => access_error(step, state, error),
        Stop::Dead => {
            let message = "a function that does not return did";
            error(step, state, FindingKind::Execution, message)
        }
    }
}

/// The path ends with an error here.
pub(crate) fn error(
    step: &StepContext<'_>,
    state: &State,
    kind: FindingKind,
    message: impl Into<String>,
) -> StepOutcome {
    StepOutcome::End(Outcome::Error(Finding {
        kind,
        message: message.into(),
        trace: trace(step, state),
    }))
}

/// Whether the run was told not to check for this.
fn unchecked(step: &StepContext<'_>, kind: CheckKind) -> bool {
    step.shared
        .config
        .unchecked
        .contains(&FindingKind::of_check(kind))
}

/// The calls that have not returned.
pub(crate) fn trace(step: &StepContext<'_>, state: &State) -> CallTrace {
    state.thread.trace(&step.table)
}

fn check_finding(step: &StepContext<'_>, state: &State, kind: CheckKind, message: &str) -> Finding {
    Finding {
        kind: FindingKind::of_check(kind),
        message: natives::check_text(kind, message),
        trace: trace(step, state),
    }
}

/// The finding of a refused access. One to a global without a definition is not the program's
/// error.
pub(crate) fn fault_finding(step: &StepContext<'_>, state: &State, fault: &Fault) -> Finding {
    let undefined = cairn_machine::undefined_global(&step.shared.program, &step.globals, fault);
    let (kind, message) = match undefined {
        Some(name) => (
            FindingKind::External,
            format!("{name} is not defined and not provided"),
        ),
        None => (
            machine_code::kind_of_fault(step, fault),
            machine_code::fault_text(step, fault),
        ),
    };
    Finding {
        kind,
        message,
        trace: trace(step, state),
    }
}

/// What became of an operation that did not happen.
pub(crate) fn access_error(
    step: &mut StepContext<'_>,
    state: &mut State,
    error: AccessError,
) -> StepOutcome {
    // What follows only asks: it can be asked again with more work.
    step.gate.limit_work(state.round);
    if let AccessError::Undecided(undecided) = &error
        && let Some(next) = uninit::unwritten_undecided(step, state, undecided)
    {
        return next;
    }
    match error {
        AccessError::Fault(fault) if !state.domain.sizes.is_empty() => {
            sizes::open_cases(step, state, &fault)
                .or_else(|| sizes::maybe_full(state, &fault))
                .unwrap_or_else(|| {
                    StepOutcome::End(Outcome::Error(fault_finding(step, state, &fault)))
                })
        }
        AccessError::Fault(fault) => {
            StepOutcome::End(Outcome::Error(fault_finding(step, state, &fault)))
        }
        AccessError::Interrupted(limit) => {
            let limit = step.shared.stopped_by().unwrap_or(limit);
            StepOutcome::End(Outcome::Stopped(Omission::LeftOut(limit)))
        }
        AccessError::Undecided(Undecided::Number { term, .. }) => number_cases(step, state, &term),
        AccessError::Undecided(Undecided::AtMost {
            term,
            limit,
            within,
            fault,
        }) => at_most_cases(step, state, &term, limit, within, &fault),
        AccessError::Undecided(Undecided::Apart { apart, fault }) => {
            apart_cases(step, state, &apart, &fault)
        }
        AccessError::Undecided(Undecided::Address { address, purpose }) => {
            addresses::address_cases(step, state, &address, purpose)
        }
        AccessError::Undecided(Undecided::Descriptor { term, role }) => {
            descriptors::descriptor_cases(step, state, &term, role)
        }
        AccessError::Undecided(Undecided::Class { term, classes }) => {
            arguments::class_cases(step, state, &term, &classes)
        }
        AccessError::Undecided(Undecided::Room {
            address,
            length,
            info,
        }) => arguments::room_cases(step, state, &address, length, &info),
        AccessError::Undecided(Undecided::Size(request)) => {
            sizes::size_cases(step, state, &request)
        }
        AccessError::Undecided(Undecided::Word(fault)) => windows::word_cases(step, state, &fault),
        AccessError::Undecided(Undecided::Access {
            address,
            length,
            write,
        }) => resolve::resolve(step, state, &address, length, write),
        AccessError::Undecided(Undecided::Segment {
            address,
            length,
            write,
        }) => resolve::resolve_segment(step, state, &address, length, write),
        AccessError::Undecided(Undecided::Choice {
            address,
            length,
            write,
        }) => member_cases::member_cases(step, state, &address, length, write),
    }
}

/// A copy whose bytes must not overlap.
fn apart_cases(
    step: &mut StepContext<'_>,
    state: &State,
    apart: &Term,
    fault: &Fault,
) -> StepOutcome {
    let mut finding = fault_finding(step, state, fault);
    if let Fault::Overlap { length, .. } = fault {
        finding.message = format!("copy of {} to where it may overlap", Bytes(*length));
    }
    let condition = apart.clone();
    let knowing = Effect::RetryKnowing { condition };
    let error = Effect::Error(Box::new(finding));
    let overlap = step.cx.store.not(apart);
    StepOutcome::Cases(vec![
        Case::new(apart.clone(), knowing, Decision::Case(0)),
        Case::new(overlap, error, Decision::Case(1)),
    ])
}

/// A length that must not be more than what there is room for.
fn at_most_cases(
    step: &mut StepContext<'_>,
    state: &State,
    term: &Term,
    limit: u64,
    within: Term,
    fault: &Fault,
) -> StepOutcome {
    let store = &step.cx.store;
    let beyond = store.not(&within);
    // The largest that can happen: fewer bytes to choose.
    let above = |length: u64| {
        let above = store.bv_ult(&number_like(store, term, length), term);
        store.and(&above, &within)
    };
    let bisection = Bisection {
        low: 0,
        high: limit,
        first: limit / 2,
    };
    let cx = &step.cx;
    let high = step.gate.logged_or(state, limit, |gate| {
        gate.least_upper_bound(cx, state, bisection, above)
    });
    let known = Effect::RetryAtMost {
        length: term.clone(),
        within: within.clone(),
        most: high,
    };
    let mut finding = fault_finding(step, state, fault);
    if let Some(message) = fault.with_symbolic_length() {
        finding.message = message;
    }
    StepOutcome::Cases(vec![
        Case::new(within, known, Decision::Is(high)),
        Case::new(beyond, Effect::Error(Box::new(finding)), Decision::Case(1)),
    ])
}

/// A term that must be known: it has the value of the model, or another.
fn number_cases(step: &mut StepContext<'_>, state: &State, term: &Term) -> StepOutcome {
    let store = &step.cx.store;
    let value = state.guide.next_decision().and_then(Decision::value);
    let value = value.unwrap_or_else(|| {
        let value = step.cx.value(&state.domain.model, term);
        value.to_u64().expect("a word")
    });
    let is = store.eq(term, &store.bv(term.width(), value));
    let is_not = store.not(&is);
    let known = Effect::RetryNumber {
        term: term.clone(),
        value,
    };
    StepOutcome::Cases(vec![
        Case::new(is, known, Decision::Is(value)),
        Case::new(is_not, Effect::Retry, Decision::IsNot(value)),
    ])
}

fn switch(step: &mut StepContext<'_>, state: &State, value: &Value, table: u32) -> StepOutcome {
    let (cases, default) = state.thread.switch(&step.table, table);
    let store = &step.cx.store;
    let term = match value {
        Value::Symbolic(symbolic) => &symbolic.bits(store),
        Value::Word(_) => unreachable!("the switch was undecided"),
    };
    let width = term.width();
    // Values that lead to the same place are one case.
    let mut places: Vec<(u32, Term)> = Vec::new();
    let mut listed = store.false_();
    for (case, position) in cases {
        let is = store.eq(term, &store.bv(width, case));
        if position == default {
            continue;
        }
        listed = store.or(&listed, &is);
        match places.iter_mut().find(|(p, _)| *p == position) {
            Some((_, guard)) => *guard = store.or(guard, &is),
            None => places.push((position, is)),
        }
    }
    places.push((default, store.not(&listed)));
    let places = places
        .into_iter()
        .enumerate()
        .map(|(i, (position, guard))| {
            Case::new(guard, Effect::GoTo(position), Decision::Case(i as u32))
        });
    StepOutcome::Cases(places.collect())
}

/// The function of the present stage returned.
fn returned(
    step: &mut StepContext<'_>,
    state: &mut State,
    results: &[AnyValue<Value, crate::values::value::Wide>],
) -> StepOutcome {
    let code = match (state.stage, results.first()) {
        (Stage::Entry, Some(AnyValue::Value(code))) => {
            address_sinks::note_exit(step, state, code);
            match code {
                Value::Word(code) => code.bits as u32 as i32,
                Value::Symbolic(symbolic) => {
                    state.returned = Some(symbolic.term.clone());
                    exit_code(step, &state.domain.model, &symbolic.term)
                }
            }
        }
        (_, _) => 0,
    };
    begin(step, state, state.stage.after_return(code))
}

/// The exit code that a term is under a model.
pub(crate) fn exit_code(
    step: &StepContext<'_>,
    model: &std::rc::Rc<cairn_expr::Model>,
    term: &Term,
) -> i32 {
    step.cx.value(model, term).low_u64() as u32 as i32
}

/// Starts a stage, or the next one that has something to run.
pub(crate) fn begin(step: &mut StepContext<'_>, state: &mut State, stage: Stage) -> StepOutcome {
    // Borrowed: a count of owners would move from core to core with the program's first line.
    let program = &step.shared.program;
    let (stage, function, args) = match stage.begin(program, &mut state.library) {
        NextCall::Entry => {
            let takes = program.function(step.entry).params.len();
            let args: Vec<Word> = step.arguments.iter().take(takes).copied().collect();
            (Stage::Entry, step.entry, args)
        }
        NextCall::Call(stage, function, argument) => {
            (stage, function, argument.into_iter().collect())
        }
        NextCall::End(code) => return exited(step, state, code),
    };
    state.stage = stage;
    let args = args.into_iter().map(|w| AnyValue::Value(Value::Word(w)));
    let started = state
        .thread
        .start(&step.table, &mut state.domain, function, args.collect());
    match started {
        Ok(()) => StepOutcome::Go,
        Err(error) => access_error(step, state, error),
    }
}

/// The exit code that a shell shows for an abort.
pub(crate) const ABORTED: i32 = 134;

/// The program is at its end.
pub(crate) fn exited(step: &mut StepContext<'_>, state: &State, code: i32) -> StepOutcome {
    let unfreed = match step.shared.config.check_unfreed {
        true => Unfreed::Always,
        false => Unfreed::IfUnreachable,
    };
    leaks::program_ends(step, state, code, unfreed)
}

/// The program ends with an error of its own: an abort, a failed assertion. That is an end like another if the run was told
/// so.
pub(crate) fn ended_by_itself(
    step: &mut StepContext<'_>,
    state: &mut State,
    end: PlainEnd,
    message: String,
) -> StepOutcome {
    if !step.shared.config.plain_ends.contains(&end) {
        return error(step, state, end.kind(), message);
    }
    state.returned = None;
    let next = leaks::program_ends(step, state, ABORTED, Unfreed::IfUnreachable);
    let mut objects = state.domain.memory.heap_objects();
    if step.shared.config.check_unfreed && objects.next().is_some() {
        let what =
            "memory was not freed when the program aborted: whether that counts is not defined";
        state.leave_out(step.shared, Omission::Said(what.to_string()));
    }
    next
}

/// `exit`: what was registered runs, then the destructors. Calls that have not returned never
/// do; their objects stay.
pub(crate) fn exit(step: &mut StepContext<'_>, state: &mut State, code: i32) -> StepOutcome {
    state.thread.abandon(&step.table);
    state.returned = None;
    match state.stage.after_exit(code) {
        Some(stage) => begin(step, state, stage),
        None => exited(step, state, code),
    }
}
