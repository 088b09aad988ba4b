//! The functions of `klee.h`.

use super::{Assumed, IntrinsicCall, IntrinsicFamily};
use crate::calls::assumptions;
use crate::calls::intrinsics;
use crate::calls::machine_code;
use crate::finding::{Finding, FindingKind, Outcome};
use crate::memory::access;
use crate::memory::sizes;
use crate::omission::{Omission, Question};
use crate::path::cases::StepOutcome;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::path::transition;
use crate::values::symbolic_domain::AccessError;
use crate::values::value::Value;
use cairn_bv::BitVec;
use cairn_expr::Term;
use cairn_ir::CompareOp;
use cairn_machine::Domain;
use cairn_memory::{Cell, ObjectId, Word};
use cairn_solver::Answer;

pub(super) const FUNCTIONS: IntrinsicFamily = &[
    ("klee_make_symbolic", make_symbolic),
    ("klee_assume", assume),
    ("klee_range", range),
    ("klee_int", int),
    ("klee_choose", choose),
    ("klee_prefer_cex", prefer),
    ("klee_posix_prefer_cex", prefer),
    ("klee_get_value_f", get_value),
    ("klee_get_value_d", get_value),
    ("klee_get_valuef", get_value),
    ("klee_get_valued", get_value),
    ("klee_get_valuel", get_value),
    ("klee_get_valuell", get_value),
    ("klee_get_value_l", get_value),
    ("klee_get_value_ll", get_value),
    ("klee_get_value_i32", get_value),
    ("klee_get_value_i64", get_value),
    ("klee_is_symbolic", is_symbolic),
    ("klee_is_replay", zero),
    ("klee_abort", abort),
    ("klee_silent_exit", silent_exit),
    ("klee_report_error", report_error),
    ("klee_warning", warning),
    ("klee_warning_once", warning_once),
    ("klee_print_expr", print),
    ("klee_print_range", print_range),
    ("klee_check_memory_access", check_access),
    ("klee_get_obj_size", object_size),
    ("klee_define_fixed_object", fixed_object),
    ("klee_mark_global", nothing),
    ("klee_set_forking", set_forking),
    ("klee_open_merge", open_merge),
    ("klee_close_merge", close_merge),
    ("klee_stack_trace", stack_trace),
    ("klee_get_errno", errno),
    ("machine_code.print_value", print_value),
];

const FALSE_BY_CHOICE: &str =
    "klee_assume is false for values that were chosen on the path, and may be true for others";

const EXAMPLE: &str = "its value is one of several";
const SYMBOLIC: &str = "nothing is symbolic when a test or the program itself is run";

/// Makes bytes at an address an input.
pub(crate) fn make_input(
    state: &mut State,
    at: Word,
    size: u64,
    name: &str,
) -> Result<(), AccessError> {
    state.domain.cx.check_room(size)?;
    let origin = state.domain.origins.input(name, size).origin;
    let cell = Cell::Origin { origin, offset: 0 };
    Ok(state.domain.memory.initialise_cell(at, size, cell)?)
}

/// A new input of some bytes as a value.
pub(crate) fn input_term(
    step: &StepContext<'_>,
    state: &mut State,
    bytes: u64,
    name: &str,
) -> Term {
    let origin = state.domain.origins.input(name, bytes).origin;
    state.domain.origins.read(&step.cx.store, origin, 0, bytes)
}

fn named(name: String) -> String {
    if name.is_empty() {
        "unnamed".to_string()
    } else {
        name
    }
}

fn make_symbolic(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let at = state.domain.number(&call.value(0))?;
    let size = state.domain.number(&call.value(1))?;
    let name = named(intrinsics::text(state, &call.value(2))?);
    if size.bits > 0 {
        state.domain.memory.is_symbolic(at, size.bits)?;
    }
    make_input(state, at, size.bits, &name)?;
    intrinsics::answer(step, state, call, Value::int(0))
}

/// That an argument is not zero.
pub(super) fn truth(state: &mut State, call: &IntrinsicCall, i: usize) -> Term {
    let width = call.width(i);
    let value = call.value(i);
    let truth = state
        .domain
        .compare(CompareOp::Ne, width, &value, &Value::int(0));
    state.domain.condition(&truth)
}

/// Goes on under an assumption, or ends the path.
pub(crate) fn go_on(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
    fact: &Term,
    value: Value,
) -> Result<StepOutcome, AccessError> {
    match intrinsics::assume(step, state, fact) {
        Assumed::Holds => intrinsics::answer(step, state, call, value),
        Assumed::Contradicts => Ok(StepOutcome::End(Outcome::Contradiction)),
        Assumed::Unknown(why) => Ok(StepOutcome::End(Outcome::Stopped(Omission::Undecided(
            Question::Case,
            why,
        )))),
    }
}

fn assume(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let fact = truth(state, call, 0);
    step.gate.limit_work(state.round);
    match intrinsics::assume(step, state, &fact) {
        Assumed::Holds => intrinsics::answer(step, state, call, Value::int(0)),
        Assumed::Contradicts if step.shared.config.silent_assume => {
            Ok(StepOutcome::End(Outcome::Contradiction))
        }
        Assumed::Contradicts if state.knows_by_choice() => {
            let at = transition::trace(step, state);
            let at = at.first().map(|(_, place)| *place);
            let at = at.map_or_else(String::new, |at| machine_code::place_text(step, at));
            let what = Omission::Narrowed(at, FALSE_BY_CHOICE);
            Ok(StepOutcome::End(Outcome::Stopped(what)))
        }
        Assumed::Contradicts => {
            let message = "invalid klee_assume call (provably false)";
            Ok(transition::error(step, state, FindingKind::User, message))
        }
        Assumed::Unknown(why) => Ok(StepOutcome::End(Outcome::Stopped(Omission::Undecided(
            Question::Case,
            why,
        )))),
    }
}

fn range(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let first = state.domain.number(&call.value(0))?;
    let end = state.domain.number(&call.value(1))?;
    let name = named(intrinsics::text(state, &call.value(2))?);
    let (first, end) = (first.bits as u32 as i32, end.bits as u32 as i32);
    if first >= end {
        return Ok(transition::error(
            step,
            state,
            FindingKind::User,
            "invalid range in klee_range",
        ));
    }
    // Nothing is open in a range of one, so there is no input.
    if end - 1 == first {
        return intrinsics::answer(step, state, call, Value::int(u64::from(first as u32)));
    }
    let term = input_term(step, state, 4, &name);
    let store = &step.cx.store;
    let number = |n: i32| store.bv(32, u64::from(n as u32));
    let fact = store.and(
        &store.bv_sle(&number(first), &term),
        &store.bv_slt(&term, &number(end)),
    );
    go_on(
        step,
        state,
        call,
        &fact,
        Value::from_term(term, ObjectId::NONE),
    )
}

fn int(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let name = named(intrinsics::text(state, &call.value(0))?);
    let term = input_term(step, state, 4, &name);
    intrinsics::answer(step, state, call, Value::from_term(term, ObjectId::NONE))
}

fn choose(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let term = input_term(step, state, 8, "klee_choose");
    let store = &step.cx.store;
    let fact = store.bv_ult(&term, &call.value(0).term(store, 64));
    go_on(
        step,
        state,
        call,
        &fact,
        Value::from_term(term, ObjectId::NONE),
    )
}

fn prefer(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let wish = truth(state, call, 1);
    if wish.as_bool().is_none() {
        state.preferred.push(wish);
    }
    intrinsics::answer(step, state, call, Value::int(0))
}

/// An example: the value under the model, which is not made a fact.
fn get_value(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let value = match call.value(0) {
        Value::Word(word) => Value::Word(word),
        Value::Symbolic(symbolic) => {
            let term = symbolic.bits(&step.cx.store);
            let example = state.domain.example(&term);
            if !is_only_value(step, state, &term, &example) {
                tell_hidden(step, state, "klee_get_value", EXAMPLE);
            }
            Value::int(example.low_u64())
        }
    };
    intrinsics::answer(step, state, call, value)
}

/// The program is told something that no test holds, and that may be otherwise. Where programs are run as KLEE does, that
/// is what they ask for.
fn tell_hidden(step: &StepContext<'_>, state: &State, asked: &str, what: &str) {
    state.domain.origins.note_hidden();
    if !step.shared.config.unsupported_are_errors {
        assumptions::note_at_caller(step, state, asked, what);
    }
}

/// Whether a term has no value but this.
fn is_only_value(step: &mut StepContext<'_>, state: &State, term: &Term, value: &BitVec) -> bool {
    let store = &step.cx.store;
    let other = store.not(&store.eq(term, &store.constant(value.clone())));
    let answer = step.gate.model(store, &state.facts().with(other));
    matches!(answer, Err(Answer::Unsat(_)))
}

fn is_symbolic(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let symbolic = matches!(call.value(0), Value::Symbolic(_));
    if symbolic {
        // When a test is run nothing is symbolic, so the answer differs.
        tell_hidden(step, state, "klee_is_symbolic", SYMBOLIC);
    }
    intrinsics::answer(step, state, call, Value::int(u64::from(symbolic)))
}

fn zero(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    intrinsics::answer(step, state, call, Value::int(0))
}

fn nothing(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    intrinsics::answer(step, state, call, Value::int(0))
}

fn open_merge(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    step.merger.open_mark(state);
    intrinsics::answer(step, state, call, Value::int(0))
}

fn close_merge(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    step.merger.close_mark(state);
    intrinsics::answer(step, state, call, Value::int(0))
}

fn abort(
    step: &mut StepContext<'_>,
    state: &mut State,
    _call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    Ok(transition::error(
        step,
        state,
        FindingKind::Abort,
        "abort failure",
    ))
}

fn silent_exit(
    _: &mut StepContext<'_>,
    _: &mut State,
    _: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    Ok(StepOutcome::End(Outcome::Silent))
}

fn report_error(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let message = intrinsics::text(state, &call.value(2))?;
    Ok(transition::error(step, state, FindingKind::User, message))
}

fn warning(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let text = intrinsics::text(state, &call.value(0))?;
    step.shared.observer.warning(&text);
    intrinsics::answer(step, state, call, Value::int(0))
}

fn warning_once(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let text = intrinsics::text(state, &call.value(0))?;
    step.shared.observer.warning_once(&text);
    intrinsics::answer(step, state, call, Value::int(0))
}

fn print(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let what = intrinsics::text(state, &call.value(0))?;
    let value = match call.value(1) {
        Value::Word(word) => format!("{}", word.bits),
        Value::Symbolic(symbolic) => format!("{:?}", symbolic.term),
    };
    step.shared.observer.message(&format!("{what}:{value}"));
    intrinsics::answer(step, state, call, Value::int(0))
}

/// Prints a value and, if it is not known, one example or all that it can be between.
fn print_range(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let what = intrinsics::text(state, &call.value(0))?;
    let shown = with_range(step, state, call.value(1));
    step.shared.observer.message(&format!("{what}:{shown}"));
    intrinsics::answer(step, state, call, Value::int(0))
}

/// What executables of Selfie's fork ask to be printed: a number that tells calls apart, and a value.
fn print_value(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let number = with_range(step, state, call.value(0));
    let shown = with_range(step, state, call.value(1));
    let text = format!("printsv {number}:{shown}");
    step.shared.observer.message(&text);
    intrinsics::answer(step, state, call, Value::int(0))
}

/// A value, or its term with what it can be between.
fn with_range(step: &mut StepContext<'_>, state: &mut State, value: Value) -> String {
    match value {
        Value::Word(word) => format!("{}", word.bits),
        Value::Symbolic(symbolic) => {
            let term = symbolic.bits(&step.cx.store);
            let shown = format!("{:?}", symbolic.term);
            match step.gate.look_at_bounds(&step.cx, state.facts(), &term) {
                Some(bounds) if bounds.min == bounds.max => {
                    format!("{shown} == {}", bounds.min.low_u64())
                }
                Some(bounds) => {
                    let example = step.cx.value(&state.domain.model, &term);
                    let (low, high) = (bounds.min.low_u64(), bounds.max.low_u64());
                    format!("{shown} ~= {} (in [{low}, {high}])", example.low_u64())
                }
                None => format!("{shown} (its range was not decided)"),
            }
        }
    }
}

fn stack_trace(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let here = Finding {
        kind: FindingKind::User,
        message: String::new(),
        trace: transition::trace(step, state),
    };
    step.shared.observer.stack(&here, step.table.program());
    intrinsics::answer(step, state, call, Value::int(0))
}

fn check_access(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let size = state.domain.number(&call.value(1))?;
    match call.value(0) {
        // No bytes can be accessed anywhere.
        _ if size.bits == 0 => {}
        Value::Word(at) => {
            state.domain.memory.is_symbolic(at, size.bits)?;
        }
        at @ Value::Symbolic(_) => {
            access::load_any(&mut state.domain, &at, size.bits)?;
        }
    }
    intrinsics::answer(step, state, call, Value::int(0))
}

fn object_size(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let at = state.domain.number(&call.value(0))?;
    let info = state.domain.memory.info(at)?;
    let size = sizes::size_value(&state.domain, &info);
    intrinsics::answer(step, state, call, size)
}

fn fixed_object(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let domain = &mut state.domain;
    let at = domain.number(&call.value(0))?;
    let size = domain.number(&call.value(1))?;
    match domain.memory.allocate_fixed(at.bits, size.bits) {
        Ok(at) => {
            domain.leave_unwritten(at, size.bits)?;
            intrinsics::answer(step, state, call, Value::int(0))
        }
        Err(why) => {
            let message = format!("klee_define_fixed_object: {why}");
            Ok(transition::error(step, state, FindingKind::User, message))
        }
    }
}

fn set_forking(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let on = state.domain.number(&call.value(0))?;
    state.may_fork = on.bits != 0;
    intrinsics::answer(step, state, call, Value::int(0))
}

fn errno(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let at = Value::Word(state.library.error_number());
    let value = access::load_value(&mut state.domain, &at, 4)?;
    intrinsics::answer(step, state, call, value)
}
