//! Asks for the unsat core of every reason, to measure what that costs: no technique that uses reasons asks for more.

use crate::features::feature::{Context, Feature, Moment, Wants};

/// See the module's head.
pub(crate) struct EveryCore;

impl Feature for EveryCore {
    fn name(&self) -> &'static str {
        "every-core"
    }

    fn wants(&self) -> Wants {
        Wants {
            pending: false,
            tree: false,
            reasons: true,
        }
    }

    fn on(&mut self, moment: &mut Moment<'_>, context: &mut Context<'_>) {
        if let Moment::Infeasible { reason, .. } = moment {
            std::hint::black_box(context.gate.core_of(context.cx, reason));
        }
    }
}
