//! Clocks whose time is an input (`--sym-clock`).
//!
//! - **Problem.** What a program does may depend on the time, of which a run without this sees one value.
//! - **Idea.** Each look at a clock is an input of 16 bytes: seconds and nanoseconds. It is called by the
//!   clock's number (`clock0` is the time of day), because a native run may look at others too. Nanoseconds
//!   are fewer than a second has, and no clock shows an earlier time than at the last look, nor less
//!   than the program has slept since.
//! - **Soundness.** Clocks are independent of each other, as they are where one of them is set while the
//!   program runs; so no time that Linux can show is left out, up to the year 2242.
//! - **Cost.** Two symbols and a few facts for each look.

use crate::cases::Next;
use crate::finding::Kind;
use crate::intrinsics::{Assumed, Call};
use crate::space::Trouble;
use crate::state::State;
use crate::value::Value;
use crate::worker::Worker;
use cairn_expr::Term;
use cairn_linux::{ClockForm, ClockReading};
use cairn_memory::{ObjectId, Word};

/// The bytes of a reading.
const BYTES: u64 = 16;

/// Seconds are below this power of two, so that no sum of times wraps.
const SECONDS_BITS: u32 = 33;
const NANOS: u64 = 1_000_000_000;

/// What a clock showed last.
#[derive(Clone)]
pub(crate) struct Shown {
    clock: u32,
    seconds: Term,
    nanos: Term,
}

impl Worker<'_> {
    /// The program looks at a clock.
    pub(crate) fn read_clock(
        &mut self,
        state: &mut State,
        call: &Call,
        reading: &ClockReading,
    ) -> Result<Next, Trouble> {
        let name = ClockReading::name(reading.clock);
        let origin = state.space.origins.input(name, BYTES).origin;
        let origins = &mut state.space.origins;
        let store = &self.tools.store;
        let seconds = origins.read(store, origin, 0, 8);
        let nanos = origins.read(store, origin, 8, 8);
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
        }
        let all = store.and_all(&facts);
        match self.assume(state, &all) {
            Assumed::Holds => {}
            Assumed::Contradicts | Assumed::Unknown(_) => {
                let what = "a time after all that the program has slept";
                return Ok(self.error(state, Kind::Model, what));
            }
        }
        state.clocks.retain(|shown| shown.clock != reading.clock);
        state.clocks.push(Shown {
            clock: reading.clock,
            seconds: seconds.clone(),
            nanos: nanos.clone(),
        });
        let store = &self.tools.store;
        let value = |term: Term| Value::from_term(term, ObjectId::NONE);
        if let Some((to, form)) = reading.to {
            let behind = Value::Word(Word {
                bits: to.bits + 8,
                ..to
            });
            let fraction = match form {
                ClockForm::Seconds => None,
                ClockForm::Nanoseconds => Some(nanos),
                ClockForm::Microseconds => Some(store.bv_udiv(&nanos, &store.bv(64, 1000))),
            };
            state
                .space
                .store_value(&Value::Word(to), 8, &value(seconds.clone()))?;
            if let Some(fraction) = fraction {
                state.space.store_value(&behind, 8, &value(fraction))?;
            }
        }
        let result = match reading.returns_seconds {
            true => value(seconds),
            false => Value::int(0),
        };
        self.answer(state, call, result)
    }
}
