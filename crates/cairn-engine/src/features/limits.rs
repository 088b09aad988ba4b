//! Limits on forking.
//!
//! A path at its limit goes on in one case only: the one that its model takes. The other cases that
//! can happen are cut, and the summary says so. It comes after feasibility, so that nothing is
//! called cut that cannot happen anyway.

use crate::explore::shared::Shared;
use crate::features::feature::{Context, Feature, Moment, Wants};
use crate::omission::{Omission, StopCause};
use crate::path::cases::Feasibility;
use crate::path::state::State;
use std::rc::Rc;

/// See the module's head.
pub struct ForkLimits {
    /// Forks of one path.
    pub depth: Option<u32>,
    /// Forks of all paths together.
    pub forks: Option<u64>,
}

impl ForkLimits {
    /// The limit that keeps a path from going on in more than one case.
    pub(crate) fn reached(&self, state: &State, shared: &Shared) -> Option<StopCause> {
        if !state.may_fork {
            Some(StopCause::SetForking)
        } else if self.depth.is_some_and(|most| state.depth >= most) {
            Some(StopCause::Depth)
        } else if self
            .forks
            .is_some_and(|most| shared.counters.forks() >= most)
        {
            Some(StopCause::Forks)
        } else {
            None
        }
    }
}

impl Feature for ForkLimits {
    fn name(&self) -> &'static str {
        "limits"
    }

    fn wants(&self) -> Wants {
        Wants::PENDING
    }

    fn on(&mut self, moment: &mut Moment<'_>, context: &mut Context<'_>) {
        let Moment::Pending { state, cases } = moment else {
            return;
        };
        let Some(limit) = self.reached(state, context.shared) else {
            return;
        };
        for case in cases.iter_mut() {
            if let Feasibility::Feasible(model) = &case.feasibility
                && !Rc::ptr_eq(model, &state.domain.model)
            {
                case.feasibility = Feasibility::Cut(Omission::LeftOut(limit));
            }
        }
    }
}
