//! What a path knows without asking the solver.
//!
//! The features that decide cases keep what they know with the path: conditions that were decided, the
//! values that single bytes have left, inputs that have one value. A question beside the cases of a step
//! (an object of a pointer, a bound, a size) looks there too, before the solver is asked: inputs with one value before bytes, the other
//! way round than the features (`explore/start.rs`), because they are a look at a list. Only the kind of the reason depends on the order.
//!
//! *Soundness:* each of them refutes under the path's own facts, so the claim is refuted under any more.
//! Only refutations are taken: a model comes from the solver, as it would have otherwise.

use super::{Gate, Why};
use crate::path::state::State;
use crate::values::worker_context::WorkerContext;
use cairn_expr::Term;
use cairn_solver::Bounds;

impl Gate {
    /// Why a claim cannot hold, if the path knows that.
    pub(super) fn refuted_by_path(
        &mut self,
        cx: &WorkerContext,
        state: &State,
        claim: &Term,
    ) -> Option<Why> {
        if claim.is_false() {
            return Some(Why::Folded);
        }
        let condition = cx.store.not(claim);
        if state.known.has(&condition) {
            return Some(Why::Known { condition });
        }
        let fixed = state.fixed_inputs.borrow();
        if fixed.decide(claim) && !cx.holds(&state.domain.model, claim) {
            return Some(Why::FixedInputs(fixed.because(claim, state.facts())));
        }
        drop(fixed);
        let symbol = self.bytes.refutes(&state.bytes, state.facts(), claim)?;
        Some(Why::NoValue { symbol })
    }

    /// The only value of a term, if the path knows that it has no other.
    pub(super) fn only_value(
        &mut self,
        cx: &WorkerContext,
        state: &State,
        term: &Term,
    ) -> Option<Bounds> {
        let fixed = state.fixed_inputs.borrow();
        if !fixed.decide(term) {
            return None;
        }
        let value = cx.value(&state.domain.model, term);
        if self.keeps_reasons {
            let store = &cx.store;
            let other = store.not(&store.eq(term, &store.constant(value.clone())));
            self.conclude(state.facts(), &other, || {
                Why::FixedInputs(fixed.because(term, state.facts()))
            });
        }
        Some(Bounds {
            min: value.clone(),
            max: value,
        })
    }
}
