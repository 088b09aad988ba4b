//! Conditions that were decided before on the path are not decided again.
//!
//! # Problem
//!
//! Loops and calls ask the same of the same bytes.
//!
//! # Idea
//!
//! A guard that is one of the last conditions known to hold on the path is the case that is taken; the others are not.
//!
//! # Soundness
//!
//! It says feasible with the state's model, and infeasible. A condition is kept when it becomes a fact, or follows from the facts;
//! facts only grow, so it holds for the rest of the path, and under the model, which satisfies them. The guards of a step exclude
//! each other, so where one of them holds the others are false.
//!
//! # Cost
//!
//! A comparison of each guard with each condition that is kept, by identity of terms.

use crate::features::feature::{Context, Feature, Moment, Wants};
use crate::gate::{Gate, ReasonKind, Why};
use crate::path::cases::{Case, Feasibility};
use crate::path::state::State;
use std::rc::Rc;

/// Tells why the others are not taken.
#[cold]
fn conclude(gate: &mut Gate, state: &State, cases: &[Case], taken: usize) {
    for (i, case) in cases.iter().enumerate() {
        if i != taken && matches!(case.feasibility, Feasibility::Unknown) {
            gate.conclude(state.facts(), &case.guard, || {
                let condition = cases[taken].guard.clone();
                Why::Known { condition }
            });
        }
    }
}

/// See the module's head.
pub struct KnownConditions;

impl Feature for KnownConditions {
    fn name(&self) -> &'static str {
        "known-conditions"
    }

    fn wants(&self) -> Wants {
        Wants::PENDING
    }

    fn on(&mut self, moment: &mut Moment<'_>, context: &mut Context<'_>) {
        let Moment::Pending { state, cases } = moment else {
            return;
        };
        let Some(taken) = cases.iter().position(|case| state.known.has(&case.guard)) else {
            return;
        };
        if context.gate.wants_reasons() {
            conclude(context.gate, state, cases, taken);
        }
        for (i, case) in cases.iter_mut().enumerate() {
            if !matches!(case.feasibility, Feasibility::Unknown) {
                continue;
            }
            case.feasibility = if i == taken {
                Feasibility::Feasible(Rc::clone(&state.domain.model))
            } else {
                Feasibility::Infeasible(ReasonKind::Known)
            };
        }
    }
}
