//! The functions of `klee.h`.

use super::{Assumed, Call, Family};
use crate::cases::Next;
use crate::finding::{Finding, Kind, Outcome};
use crate::omission::{Omission, Question};
use crate::space::Trouble;
use crate::state::State;
use crate::value::Value;
use crate::worker::Worker;
use cairn_expr::Term;
use cairn_ir::CompareOp;
use cairn_machine::Domain;
use cairn_memory::{Cell, ObjectId, Word};

pub(super) const FUNCTIONS: Family = &[
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
    ("klee_open_merge", nothing),
    ("klee_close_merge", nothing),
    ("klee_stack_trace", stack_trace),
    ("klee_get_errno", errno),
];

/// Makes bytes at an address an input.
pub(crate) fn make_input(
    state: &mut State,
    at: Word,
    size: u64,
    name: &str,
) -> Result<(), Trouble> {
    state.space.tools.check_room(size)?;
    let origin = state.space.origins.input(name, size).origin;
    let cell = Cell::Origin { origin, offset: 0 };
    Ok(state.space.memory.initialise_cell(at, size, cell)?)
}

/// A new input of some bytes as a value.
pub(crate) fn input_term(w: &Worker<'_>, state: &mut State, bytes: u64, name: &str) -> Term {
    let origin = state.space.origins.input(name, bytes).origin;
    state.space.origins.read(&w.tools.store, origin, 0, bytes)
}

fn named(name: String) -> String {
    if name.is_empty() {
        "unnamed".to_string()
    } else {
        name
    }
}

fn make_symbolic(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let at = state.space.number(&call.value(0))?;
    let size = state.space.number(&call.value(1))?;
    let name = named(w.text(state, &call.value(2))?);
    if size.bits > 0 {
        state.space.memory.is_symbolic(at, size.bits)?;
    }
    make_input(state, at, size.bits, &name)?;
    w.answer(state, call, Value::int(0))
}

/// That an argument is not zero.
pub(super) fn truth(state: &mut State, call: &Call, i: usize) -> Term {
    let width = call.width(i);
    let value = call.value(i);
    let truth = state
        .space
        .compare(CompareOp::Ne, width, &value, &Value::int(0));
    state.space.condition(&truth)
}

/// Goes on under an assumption, or ends the path.
pub(crate) fn go_on(
    w: &mut Worker<'_>,
    state: &mut State,
    call: &Call,
    fact: &Term,
    value: Value,
) -> Result<Next, Trouble> {
    match w.assume(state, fact) {
        Assumed::Holds => w.answer(state, call, value),
        Assumed::Contradicts => Ok(Next::End(Outcome::Contradiction)),
        Assumed::Unknown(why) => Ok(Next::End(Outcome::Stopped(Omission::Undecided(
            Question::Way,
            why,
        )))),
    }
}

fn assume(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let fact = truth(state, call, 0);
    let assumed = if fact.is_false() {
        Assumed::Contradicts
    } else {
        w.assume(state, &fact)
    };
    match assumed {
        Assumed::Holds => w.answer(state, call, Value::int(0)),
        Assumed::Contradicts if w.shared.config.silent_assume => {
            Ok(Next::End(Outcome::Contradiction))
        }
        Assumed::Contradicts => {
            let message = "invalid klee_assume call (provably false)";
            Ok(w.error(state, Kind::User, message))
        }
        Assumed::Unknown(why) => Ok(Next::End(Outcome::Stopped(Omission::Undecided(
            Question::Way,
            why,
        )))),
    }
}

fn range(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let first = state.space.number(&call.value(0))?;
    let end = state.space.number(&call.value(1))?;
    let name = named(w.text(state, &call.value(2))?);
    let (first, end) = (first.bits as u32 as i32, end.bits as u32 as i32);
    if first >= end {
        return Ok(w.error(state, Kind::User, "invalid range in klee_range"));
    }
    // Nothing is open in a range of one, so there is no input.
    if end - 1 == first {
        return w.answer(state, call, Value::int(u64::from(first as u32)));
    }
    let term = input_term(w, state, 4, &name);
    let store = &w.tools.store;
    let number = |n: i32| store.bv(32, u64::from(n as u32));
    let fact = store.and(
        &store.bv_sle(&number(first), &term),
        &store.bv_slt(&term, &number(end)),
    );
    go_on(
        w,
        state,
        call,
        &fact,
        Value::from_term(term, ObjectId::NONE),
    )
}

fn int(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let name = named(w.text(state, &call.value(0))?);
    let term = input_term(w, state, 4, &name);
    w.answer(state, call, Value::from_term(term, ObjectId::NONE))
}

fn choose(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let term = input_term(w, state, 8, "klee_choose");
    let store = &w.tools.store;
    let fact = store.bv_ult(&term, &call.value(0).term(store, 64));
    go_on(
        w,
        state,
        call,
        &fact,
        Value::from_term(term, ObjectId::NONE),
    )
}

fn prefer(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let wish = truth(state, call, 1);
    if wish.as_bool().is_none() {
        state.preferred.push(wish);
    }
    w.answer(state, call, Value::int(0))
}

/// An example: the value under the model, which is not made a fact.
fn get_value(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let value = match call.value(0) {
        Value::Word(word) => Value::Word(word),
        Value::Symbolic(symbolic) => {
            state.space.origins.note_hidden();
            let example = state.space.example(&symbolic.bits(&w.tools.store));
            Value::int(example.low_u64())
        }
    };
    w.answer(state, call, value)
}

fn is_symbolic(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let symbolic = matches!(call.value(0), Value::Symbolic(_));
    if symbolic {
        // On a test nothing is.
        state.space.origins.note_hidden();
    }
    w.answer(state, call, Value::int(u64::from(symbolic)))
}

fn zero(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    w.answer(state, call, Value::int(0))
}

fn nothing(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    w.answer(state, call, Value::int(0))
}

fn abort(w: &mut Worker<'_>, state: &mut State, _call: &Call) -> Result<Next, Trouble> {
    Ok(w.error(state, Kind::Abort, "abort failure"))
}

fn silent_exit(_: &mut Worker<'_>, _: &mut State, _: &Call) -> Result<Next, Trouble> {
    Ok(Next::End(Outcome::Silent))
}

fn report_error(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let message = w.text(state, &call.value(2))?;
    Ok(w.error(state, Kind::User, message))
}

fn warning(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let text = w.text(state, &call.value(0))?;
    w.shared.observer.warning(&text);
    w.answer(state, call, Value::int(0))
}

fn warning_once(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let text = w.text(state, &call.value(0))?;
    w.shared.observer.warning_once(&text);
    w.answer(state, call, Value::int(0))
}

fn print(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let what = w.text(state, &call.value(0))?;
    let value = match call.value(1) {
        Value::Word(word) => format!("{}", word.bits),
        Value::Symbolic(symbolic) => format!("{:?}", symbolic.term),
    };
    w.shared.observer.message(&format!("{what}:{value}"));
    w.answer(state, call, Value::int(0))
}

/// Prints a value and, if it is not known, one example or all that it can be between.
fn print_range(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let what = w.text(state, &call.value(0))?;
    let value = match call.value(1) {
        Value::Word(word) => format!("{}", word.bits),
        Value::Symbolic(symbolic) => {
            let term = symbolic.bits(&w.tools.store);
            let shown = format!("{:?}", symbolic.term);
            match w.gate.look_at_bounds(&w.tools, &state.facts, &term) {
                Some(bounds) if bounds.min == bounds.max => {
                    format!("{shown} == {}", bounds.min.low_u64())
                }
                Some(bounds) => {
                    let example = w.tools.value(&state.space.model, &term);
                    let (low, high) = (bounds.min.low_u64(), bounds.max.low_u64());
                    format!("{shown} ~= {} (in [{low}, {high}])", example.low_u64())
                }
                None => format!("{shown} (its range was not decided)"),
            }
        }
    };
    w.shared.observer.message(&format!("{what}:{value}"));
    w.answer(state, call, Value::int(0))
}

fn stack_trace(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let here = Finding {
        kind: Kind::User,
        message: String::new(),
        trace: w.trace(state),
    };
    w.shared.observer.stack(&here, w.table.program());
    w.answer(state, call, Value::int(0))
}

fn check_access(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let size = state.space.number(&call.value(1))?;
    match call.value(0) {
        // No bytes can be accessed anywhere.
        _ if size.bits == 0 => {}
        Value::Word(at) => {
            state.space.memory.is_symbolic(at, size.bits)?;
        }
        at @ Value::Symbolic(_) => {
            state.space.load_any(&at, size.bits)?;
        }
    }
    w.answer(state, call, Value::int(0))
}

fn object_size(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let at = state.space.number(&call.value(0))?;
    let extent = state.space.memory.extent(at)?;
    let size = state.space.size_value(&extent);
    w.answer(state, call, size)
}

fn fixed_object(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let space = &mut state.space;
    let at = space.number(&call.value(0))?;
    let size = space.number(&call.value(1))?;
    match space.memory.allocate_fixed(at.bits, size.bits) {
        Ok(at) => {
            space.leave_unwritten(at, size.bits)?;
            w.answer(state, call, Value::int(0))
        }
        Err(why) => {
            let message = format!("klee_define_fixed_object: {why}");
            Ok(w.error(state, Kind::User, message))
        }
    }
}

fn set_forking(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let on = state.space.number(&call.value(0))?;
    state.may_fork = on.bits != 0;
    w.answer(state, call, Value::int(0))
}

fn errno(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let at = Value::Word(state.library.error_number());
    let value = state.space.load_value(&at, 4)?;
    w.answer(state, call, value)
}
