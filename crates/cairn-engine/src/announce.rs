//! Telling features what happens, and doing what they rule.

use crate::cases::Case;
use crate::feature::{Arrived, Context, Departure, Feature, Moment, Ruling, Wants};
use crate::gate::Why;
use crate::state::State;
use crate::tree::{Explored, NodeId};
use crate::worker::Worker;
use cairn_ir::{BlockId, Program};
use cairn_machine::{Arrival, StopPoints};

/// The features of a worker, in the order in which they see what is pending.
pub(crate) struct Features {
    all: Vec<(Box<dyn Feature>, Wants)>,
    /// What at least one of them wants.
    wanted: Wants,
}

impl Features {
    pub(crate) fn new(all: Vec<Box<dyn Feature>>) -> Self {
        let all: Vec<_> = all.into_iter().map(|f| (f.wants(), f)).collect();
        let mut wanted = Wants::default();
        for (wants, _) in &all {
            wanted.pending |= wants.pending;
            wanted.tree |= wants.tree;
            wanted.reasons |= wants.reasons;
        }
        let all = all.into_iter().map(|(wants, f)| (f, wants)).collect();
        Features { all, wanted }
    }

    /// Whether one of them wants to know why things are impossible.
    pub(crate) fn want_reasons(&self) -> bool {
        self.wanted.reasons
    }

    /// Where states stop for them.
    pub(crate) fn stop_points(&self, program: &Program) -> StopPoints {
        StopPoints::new(program, |function| {
            let asked = self.all.iter().map(|(f, _)| f.stops(program, function));
            asked.fold(Arrival::NOWHERE, Arrival::or)
        })
    }
}

impl Worker<'_> {
    /// The features, and what they may use.
    fn with_features(&mut self) -> (&mut Features, Context<'_>) {
        let context = Context {
            tools: &self.tools,
            gate: &mut self.gate,
            shared: self.shared,
            released: &mut self.released,
        };
        (&mut self.features, context)
    }

    /// Lets features say what they know of a step.
    pub(crate) fn announce_pending(&mut self, state: &State, cases: &mut Vec<Case>) {
        let (features, mut context) = self.with_features();
        let mut moment = Moment::Pending { state, cases };
        for (feature, wants) in &mut features.all {
            if wants.pending {
                feature.on(&mut moment, &mut context);
            }
        }
    }

    /// Announces what happens to paths and to the tree.
    #[inline]
    pub(crate) fn announce<'m>(&mut self, moment: impl FnOnce() -> Moment<'m>) {
        if self.features.wanted.tree {
            self.announce_to(moment(), |wants| wants.tree);
        }
    }

    #[cold]
    fn announce_to(&mut self, mut moment: Moment<'_>, is_meant: impl Fn(&Wants) -> bool) {
        let (features, mut context) = self.with_features();
        for (feature, wants) in &mut features.all {
            if is_meant(wants) {
                feature.on(&mut moment, &mut context);
            }
        }
    }

    /// Announces what was concluded impossible, if somebody wants to know.
    #[inline(always)]
    pub(crate) fn announce_conclusions(&mut self, state: &State) {
        if self.gate.wants_reasons() {
            self.announce_reasons(state);
        }
    }

    #[cold]
    fn announce_reasons(&mut self, state: &State) {
        for condition in self.tools.take_relied_on() {
            let otherwise = self.tools.store.not(&condition);
            self.gate
                .conclude(&state.facts, &otherwise, || Why::Known { condition });
        }
        for reason in &self.gate.take_concluded(&self.tools) {
            self.announce_to(Moment::Infeasible { state, reason }, |wants| wants.reasons);
        }
    }

    /// What becomes of a state that arrived at a stop point.
    pub(crate) fn rule(&mut self, state: &State, block: BlockId) -> Ruling {
        let Some((function, _)) = state.thread.position() else {
            return Ruling::GoOn;
        };
        let Some(arrival) = self.table.arrival(function, block) else {
            return Ruling::GoOn;
        };
        let at = Arrived {
            function,
            block,
            arrival,
        };
        let (features, mut context) = self.with_features();
        for (feature, _) in &mut features.all {
            match feature.arrived(state, &at, &mut context) {
                Ruling::GoOn => {}
                other => return other,
            }
        }
        Ruling::GoOn
    }

    /// A leaf of the tree is done: its path has ended.
    pub(crate) fn end_node(&mut self, leaf: NodeId) {
        if !self.features.wanted.tree {
            self.tree.end(leaf, &mut |_, _| {});
            return;
        }
        let mut gone = Vec::new();
        self.tree
            .end(leaf, &mut |node, explored| gone.push((node, explored)));
        self.announce_gone(gone);
    }

    /// A state leaves before its path has ended.
    pub(crate) fn leave(&mut self, state: Box<State>, departure: Departure) {
        self.announce(|| Moment::Left {
            state: &state,
            departure,
        });
        let mut gone = Vec::new();
        self.tree.leave(state.node, &mut |node, explored| {
            gone.push((node, explored))
        });
        drop(state);
        self.announce_gone(gone);
    }

    fn announce_gone(&mut self, gone: Vec<(NodeId, Explored)>) {
        for (node, explored) in gone {
            self.announce(|| match explored {
                Explored::Wholly => Moment::SubtreeDone(node),
                Explored::Partly => Moment::SubtreeGone(node),
            });
        }
    }
}
