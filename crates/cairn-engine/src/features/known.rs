//! Conditions that were decided before on the path are not decided again.
//!
//! Loops and calls ask the same of the same bytes. A guard that is one of the last conditions known
//! to hold on the path is the way that is gone; the guards exclude each other, so the others are not.

use crate::cases::Standing;
use crate::feature::{Context, Feature, Moment};
use std::rc::Rc;

/// See the module's head.
pub struct KnownConditions;

impl Feature for KnownConditions {
    fn name(&self) -> &'static str {
        "known-conditions"
    }

    fn on(&mut self, moment: &mut Moment<'_>, _context: &mut Context<'_>) {
        let Moment::Pending { state, cases } = moment else {
            return;
        };
        let Some(way) = cases.iter().position(|case| state.known.has(&case.guard)) else {
            return;
        };
        for (i, case) in cases.iter_mut().enumerate() {
            if !matches!(case.standing, Standing::Open) {
                continue;
            }
            case.standing = if i == way {
                Standing::Feasible(Rc::clone(&state.space.model))
            } else {
                Standing::Infeasible(None)
            };
        }
    }
}
