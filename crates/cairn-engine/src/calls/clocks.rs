//! Clocks whose time is an input (`--sym-clock`).
//!
//! # Problem
//!
//! What a program does may depend on the time, of which a run without this sees one value.
//!
//! # Idea
//!
//! Each look at a clock is an input of 16 bytes: seconds and nanoseconds. It is called by the
//! clock's number (`clock0` is the time of day), because a native run may look at others too. Nanoseconds
//! are fewer than a second has, and no clock shows an earlier time than at the last look, nor less
//! than the program has slept since.
//!
//! A wait that may end before its time leaves what is left of it as an input (`time_left`), at most what was given;
//! all clocks have moved on by the difference. One that ends at a time (`clock_nanosleep` with `TIMER_ABSTIME`) has
//! its clock show that time or a later one.
//!
//! # Soundness
//!
//! Clocks are independent of each other, as they are where one of them is set while the
//! program runs; so no time that Linux can show is left out, up to the year 2242.
//! The order of two looks is a fact about nanoseconds too: it follows from the other and leaves out nothing.
//!
//! # Cost
//!
//! Two symbols and a few facts for each look.

use crate::calls::intrinsics;
use crate::calls::intrinsics::{Assumed, IntrinsicCall};
use crate::finding::FindingKind;
use crate::memory::access;
use crate::path::cases::StepOutcome;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::path::transition;
use crate::values::symbolic_domain::AccessError;
use crate::values::value::Value;
use cairn_expr::{Term, TermStore};
use cairn_linux::{ClockForm, ClockReading, Waited};
use cairn_memory::{ObjectId, Word};

/// The bytes of a reading.
const BYTES: u64 = 16;

/// Seconds are below this power of two, so that no sum of times wraps.
const SECONDS_BITS: u32 = 33;
const NANOS: u64 = 1_000_000_000;

/// What a clock showed last.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ShownTime {
    clock: u32,
    seconds: Term,
    nanos: Term,
}

/// The program looks at a clock.
pub(crate) fn read_clock(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
    reading: &ClockReading,
) -> Result<StepOutcome, AccessError> {
    let name = ClockReading::name(reading.clock);
    let origin = state.domain.origins.input(name, BYTES).origin;
    let origins = &mut state.domain.origins;
    let store = &step.cx.store;
    let seconds = origins.read(store, origin, 0, 8);
    let nanos = origins.read(store, origin, 8, 8);
    let mut implied = None;
    let mut facts = vec![
        store.bv_ult(&seconds, &store.bv(64, 1 << SECONDS_BITS)),
        store.bv_ult(&nanos, &store.bv(64, NANOS)),
    ];
    let last = state
        .clocks
        .iter()
        .find(|shown| shown.clock == reading.clock);
    if let Some(last) = last {
        let least = later(
            store,
            (&last.seconds, &last.nanos),
            time_term(store, reading.passed),
        );
        facts.push(is_not_before(
            store,
            (&least.0, &least.1),
            (&seconds, &nanos),
        ));
        // The same in nanoseconds, as programs compare times. It follows, because no sum wraps, but
        // not easily.
        let whole = |seconds: &Term, nanos: &Term| {
            store.bv_add(&store.bv_mul(seconds, &store.bv(64, NANOS)), nanos)
        };
        let before = whole(&last.seconds, &last.nanos);
        implied = Some(store.not(&store.bv_slt(&whole(&seconds, &nanos), &before)));
    }
    let all = store.and_all(&facts);
    match intrinsics::assume(step, state, &all) {
        Assumed::Holds => {}
        Assumed::Contradicts | Assumed::Unknown(_) => {
            let what = "a time after all that the program has slept";
            return Ok(transition::error(step, state, FindingKind::Model, what));
        }
    }
    if let Some(implied) = implied {
        // It holds under the model of the facts above.
        let _ = intrinsics::assume(step, state, &implied);
    }
    show(state, reading.clock, (seconds.clone(), nanos.clone()));
    if let Some((to, form)) = reading.to {
        store_time(step, state, to, form, (&seconds, &nanos))?;
    }
    let result = match reading.returns_seconds {
        true => Value::from_term(seconds, ObjectId::NONE),
        false => Value::int(0),
    };
    intrinsics::answer(step, state, call, result)
}

/// In place of a clock's number: the processor's counter of time, whose steps are of no known length.
const COUNTER: u32 = u32::MAX;

/// The program looks at the processor's counter of time: it does not go back.
pub(crate) fn read_counter(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
    name: &str,
) -> Result<StepOutcome, AccessError> {
    let store = &step.cx.store;
    let origins = &mut state.domain.origins;
    let origin = origins.input(name, 8).origin;
    let count = origins.read(store, origin, 0, 8);
    // Far from where it would begin again.
    let mut facts = vec![store.bv_ult(&count, &store.bv(64, 1 << 63))];
    let last = state.clocks.iter().find(|shown| shown.clock == COUNTER);
    if let Some(last) = last {
        facts.push(store.bv_ule(&last.seconds, &count));
    }
    let all = store.and_all(&facts);
    let zero = store.bv(64, 0);
    match intrinsics::assume(step, state, &all) {
        Assumed::Holds => {}
        Assumed::Contradicts | Assumed::Unknown(_) => {
            let what = "a time after all others";
            return Ok(transition::error(step, state, FindingKind::Model, what));
        }
    }
    show(state, COUNTER, (count.clone(), zero));
    let value = Value::from_term(count, ObjectId::NONE);
    intrinsics::answer(step, state, call, value)
}

/// Seconds and nanoseconds that are known.
fn time_term(store: &TermStore, nanos: u64) -> (Term, Term) {
    (store.bv(64, nanos / NANOS), store.bv(64, nanos % NANOS))
}

/// A time and what has passed since, without a product: those are hard to solve.
fn later(
    store: &TermStore,
    (seconds, nanos): (&Term, &Term),
    passed: (Term, Term),
) -> (Term, Term) {
    let sum = store.bv_add(nanos, &passed.1);
    let carries = store.bv_ule(&store.bv(64, NANOS), &sum);
    let carry = store.ite(&carries, &store.bv(64, 1), &store.bv(64, 0));
    let least_seconds = store.bv_add(seconds, &passed.0);
    let wrapped = store.bv_sub(&sum, &store.bv(64, NANOS));
    (
        store.bv_add(&least_seconds, &carry),
        store.ite(&carries, &wrapped, &sum),
    )
}

/// That the second of two times is not before the first.
fn is_not_before(store: &TermStore, first: (&Term, &Term), second: (&Term, &Term)) -> Term {
    let later = store.bv_ult(first.0, second.0);
    let same = store.eq(first.0, second.0);
    let not_before = store.bv_ule(first.1, second.1);
    store.or(&later, &store.and(&same, &not_before))
}

/// Notes the least that a clock shows from now on.
fn show(state: &mut State, clock: u32, (seconds, nanos): (Term, Term)) {
    state.clocks.retain(|shown| shown.clock != clock);
    state.clocks.push(ShownTime {
        clock,
        seconds,
        nanos,
    });
}

fn store_time(
    step: &StepContext<'_>,
    state: &mut State,
    to: Word,
    form: ClockForm,
    (seconds, nanos): (&Term, &Term),
) -> Result<(), AccessError> {
    let store = &step.cx.store;
    let value = |term: &Term| Value::from_term(term.clone(), ObjectId::NONE);
    let fraction = match form {
        ClockForm::Seconds => None,
        ClockForm::Nanoseconds => Some(nanos.clone()),
        ClockForm::Microseconds => Some(store.bv_udiv(nanos, &store.bv(64, 1000))),
    };
    let behind = Value::Word(to.offset(8));
    access::store_value(&mut state.domain, &Value::Word(to), 8, &value(seconds))?;
    if let Some(fraction) = fraction {
        access::store_value(&mut state.domain, &behind, 8, &value(&fraction))?;
    }
    Ok(())
}

/// The program has waited. The end of the path if nothing can be after it.
pub(crate) fn wait(
    step: &mut StepContext<'_>,
    state: &mut State,
    waited: &Waited,
) -> Result<Option<StepOutcome>, AccessError> {
    match *waited {
        Waited::Until {
            clock,
            passed,
            time,
        } => {
            wait_until(step, state, (clock, passed), time);
            Ok(None)
        }
        Waited::Partly { most, to, form } => leave_time(step, state, most, (to, form)),
    }
}

/// A clock shows a time or a later one now.
fn wait_until(
    step: &StepContext<'_>,
    state: &mut State,
    (clock, passed): (u32, u64),
    (seconds, nanos): (u64, u32),
) {
    let store = &step.cx.store;
    let until = (store.bv(64, seconds), store.bv(64, u64::from(nanos)));
    let last = state.clocks.iter().find(|shown| shown.clock == clock);
    let least = match last {
        None => until,
        Some(last) => {
            let last = (&last.seconds, &last.nanos);
            let least = later(store, last, time_term(store, passed));
            let is_over = is_not_before(store, (&until.0, &until.1), (&least.0, &least.1));
            (
                store.ite(&is_over, &least.0, &until.0),
                store.ite(&is_over, &least.1, &until.1),
            )
        }
    };
    show(state, clock, least);
}

/// Clocks that a wait tells nothing about: those of the processor time that was used, and those that move by ticks
/// or steps.
const UNTOUCHED: [u32; 5] = [2, 3, 5, 6, COUNTER];

/// What is left of a time is one of all times up to what was given.
fn leave_time(
    step: &mut StepContext<'_>,
    state: &mut State,
    most: (u64, u32),
    (to, form): (Word, ClockForm),
) -> Result<Option<StepOutcome>, AccessError> {
    let origin = state.domain.origins.input(Waited::LEFT, BYTES).origin;
    let origins = &mut state.domain.origins;
    let store = &step.cx.store;
    let seconds = origins.read(store, origin, 0, 8);
    let nanos = origins.read(store, origin, 8, 8);
    let most = (store.bv(64, most.0), store.bv(64, u64::from(most.1)));
    let facts = [
        store.bv_ult(&nanos, &store.bv(64, NANOS)),
        is_not_before(store, (&seconds, &nanos), (&most.0, &most.1)),
    ];
    let all = store.and_all(&facts);
    match intrinsics::assume(step, state, &all) {
        Assumed::Holds => {}
        Assumed::Contradicts | Assumed::Unknown(_) => {
            let what = "what is left of a time";
            let ended = transition::error(step, state, FindingKind::Model, what);
            return Ok(Some(ended));
        }
    }
    // What was given without what is left.
    let store = &step.cx.store;
    let borrows = store.bv_ult(&most.1, &nanos);
    let borrowed = store.ite(&borrows, &store.bv(64, 1), &store.bv(64, 0));
    let difference = store.bv_sub(&most.1, &nanos);
    let around = store.bv_add(&difference, &store.bv(64, NANOS));
    let passed = (
        store.bv_sub(&store.bv_sub(&most.0, &seconds), &borrowed),
        store.ite(&borrows, &around, &difference),
    );
    for shown in &mut state.clocks {
        if !UNTOUCHED.contains(&shown.clock) {
            let shows = (&shown.seconds, &shown.nanos);
            (shown.seconds, shown.nanos) = later(store, shows, passed.clone());
        }
    }
    store_time(step, state, to, form, (&seconds, &nanos))?;
    Ok(None)
}
