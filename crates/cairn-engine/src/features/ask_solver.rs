//! Which cases of a step can happen.
//!
//! # Idea
//!
//! A state carries a model of its facts. Exactly one guard of a step holds under it:
//! that case is feasible, and nothing was asked. The others are asked one by one; a case that is
//! feasible comes with a model of its own. So a branch costs at most one query, and a path that
//! ends needs none to get its test.
//!
//! # Soundness
//!
//! The guards exclude each other and leave nothing out. The model was evaluated
//! on every fact (by the solver's chain, or because the fact was chosen to hold under it).
//!
//! - **Answers.** Feasible with a model; infeasible with the kind of the reason (the gate keeps the reason and its unsat core, if reasons are
//!   wanted); postponed, if that takes more work than a
//!   question may take now; cut, if the solver did not decide.

use crate::explore::shared::Shared;
use crate::features::feature::{Context, Feature, Moment, Wants};
use crate::gate::Verdict;
use crate::omission::{Omission, Question, StopCause};
use crate::path::cases::{Case, Feasibility};
use cairn_solver::UnknownReason;
use std::rc::Rc;

/// See the module's head.
pub struct AskSolver;

/// What a run leaves out if it was not decided whether a case can happen.
pub(crate) fn undecided_case(shared: &Shared, reason: &UnknownReason) -> Omission {
    match reason {
        UnknownReason::Cancelled => Omission::LeftOut(shared.ended_by()),
        UnknownReason::Timeout if shared.over() => Omission::LeftOut(shared.ended_by()),
        UnknownReason::Timeout => Omission::LeftOut(StopCause::SolverTimeout),
        UnknownReason::Memory
        | UnknownReason::Conflicts
        | UnknownReason::Work
        | UnknownReason::NotDecided(_)
        | UnknownReason::Unsupported(_)
        | UnknownReason::SolverFailed(_)
        | UnknownReason::Internal(_) => Omission::undecided(Question::Case, reason),
    }
}

impl Feature for AskSolver {
    fn name(&self) -> &'static str {
        "ask-solver"
    }

    fn wants(&self) -> Wants {
        Wants::PENDING
    }

    fn on(&mut self, moment: &mut Moment<'_>, context: &mut Context<'_>) {
        let Moment::Pending { state, cases } = moment else {
            return;
        };
        let model = &state.domain.model;
        let is_undecided = |case: &Case| matches!(case.feasibility, Feasibility::Unknown);
        if !cases.iter().any(is_undecided) {
            return;
        }
        let holds = cases
            .iter()
            .position(|case| is_undecided(case) && context.cx.holds(model, &case.guard));
        for i in 0..cases.len() {
            if !matches!(cases[i].feasibility, Feasibility::Unknown) {
                continue;
            }
            if Some(i) == holds {
                cases[i].feasibility = Feasibility::Feasible(Rc::clone(model));
                continue;
            }
            let facts = state.facts();
            let verdict = context.gate.ask_solver(context.cx, facts, &cases[i].guard);
            cases[i].feasibility = match verdict {
                Verdict::Possible(model) => Feasibility::Feasible(model),
                Verdict::Impossible(why) => Feasibility::Infeasible(why.kind()),
                Verdict::Undecided(UnknownReason::Work) => Feasibility::Postponed,
                Verdict::Undecided(reason) => {
                    Feasibility::Cut(undecided_case(context.shared, &reason))
                }
            };
        }
    }
}
