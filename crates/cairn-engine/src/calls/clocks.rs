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
use cairn_expr::Term;
use cairn_linux::{ClockForm, ClockReading};
use cairn_memory::ObjectId;

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
        // The last time and what has passed since, without a product: those are hard to solve.
        let (whole, rest) = (reading.passed / NANOS, reading.passed % NANOS);
        let sum = store.bv_add(&last.nanos, &store.bv(64, rest));
        let carries = store.bv_ule(&store.bv(64, NANOS), &sum);
        let carry = store.ite(&carries, &store.bv(64, 1), &store.bv(64, 0));
        let least_seconds = store.bv_add(&last.seconds, &store.bv(64, whole));
        let least_seconds = store.bv_add(&least_seconds, &carry);
        let wrapped = store.bv_sub(&sum, &store.bv(64, NANOS));
        let least_nanos = store.ite(&carries, &wrapped, &sum);
        let later = store.bv_ult(&least_seconds, &seconds);
        let same = store.eq(&least_seconds, &seconds);
        let not_before = store.bv_ule(&least_nanos, &nanos);
        facts.push(store.or(&later, &store.and(&same, &not_before)));
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
    state.clocks.retain(|shown| shown.clock != reading.clock);
    state.clocks.push(ShownTime {
        clock: reading.clock,
        seconds: seconds.clone(),
        nanos: nanos.clone(),
    });
    let store = &step.cx.store;
    let value = |term: Term| Value::from_term(term, ObjectId::NONE);
    if let Some((to, form)) = reading.to {
        let behind = Value::Word(to.offset(8));
        let fraction = match form {
            ClockForm::Seconds => None,
            ClockForm::Nanoseconds => Some(nanos),
            ClockForm::Microseconds => Some(store.bv_udiv(&nanos, &store.bv(64, 1000))),
        };
        access::store_value(
            &mut state.domain,
            &Value::Word(to),
            8,
            &value(seconds.clone()),
        )?;
        if let Some(fraction) = fraction {
            access::store_value(&mut state.domain, &behind, 8, &value(fraction))?;
        }
    }
    let result = match reading.returns_seconds {
        true => value(seconds),
        false => Value::int(0),
    };
    intrinsics::answer(step, state, call, result)
}
