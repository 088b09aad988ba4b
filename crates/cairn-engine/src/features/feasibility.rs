//! Which ways of a step can happen.
//!
//! - **Idea.** A state carries a model of its facts. Exactly one guard of a step holds under it:
//!   that way is feasible, and nothing was asked. The others are asked one by one; a way that is
//!   feasible comes with a model of its own. So a branch costs at most one query, and a path that
//!   ends needs none to get its test.
//! - **Soundness.** The guards exclude each other and leave nothing out. The model was evaluated
//!   on every fact (by the solver's chain, or because the fact was chosen to hold under it).
//! - **Answers.** Feasible with a model; infeasible with a core; cut, if the solver did not decide.

use crate::cases::{Case, Standing};
use crate::feature::{Context, Feature, Moment, Wants};
use crate::gate::Verdict;
use crate::omission::{Limit, Omission, Question};
use cairn_solver::Reason;
use std::rc::Rc;

/// See the module's head.
pub struct Feasibility;

impl Feature for Feasibility {
    fn name(&self) -> &'static str {
        "feasibility"
    }

    fn wants(&self) -> Wants {
        Wants::PENDING
    }

    fn on(&mut self, moment: &mut Moment<'_>, context: &mut Context<'_>) {
        let Moment::Pending { state, cases } = moment else {
            return;
        };
        let model = &state.space.model;
        let open = |case: &Case| matches!(case.standing, Standing::Open);
        if !cases.iter().any(open) {
            return;
        }
        let holds = cases
            .iter()
            .position(|case| open(case) && context.tools.holds(model, &case.guard));
        for i in 0..cases.len() {
            if !matches!(cases[i].standing, Standing::Open) {
                continue;
            }
            if Some(i) == holds {
                cases[i].standing = Standing::Feasible(Rc::clone(model));
                continue;
            }
            let facts = &state.facts;
            let verdict = context
                .gate
                .ask_beside(context.tools, facts, facts, &cases[i].guard);
            cases[i].standing = match verdict {
                Verdict::Possible(model) => Standing::Feasible(model),
                Verdict::Impossible(why) => Standing::Infeasible(why.kind()),
                Verdict::Undecided(Reason::Cancelled) => {
                    Standing::Cut(Omission::LeftOut(context.shared.ended_by()))
                }
                Verdict::Undecided(Reason::Timeout) => Standing::Cut(if context.shared.over() {
                    Omission::LeftOut(context.shared.ended_by())
                } else {
                    Omission::LeftOut(Limit::SolverTimeout)
                }),
                Verdict::Undecided(reason) => {
                    Standing::Cut(Omission::undecided(Question::Way, &reason))
                }
            };
        }
    }
}
