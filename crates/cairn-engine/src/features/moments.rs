//! Telling features what happens, and doing what they rule.

use crate::features::feature::{Arrived, Context, Departure, Feature, Moment, Ruling, Wants};
use crate::gate::Why;
use crate::memory::sizes;
use crate::merge::WentBy;
use crate::path::cases::Case;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::path::tree::{Explored, NodeId};
use cairn_ir::{BlockId, Program};
use cairn_machine::{Arrival, StopPoints};

/// The features of a worker, in the order in which they see what is pending.
pub(crate) struct Features {
    all: Vec<(Box<dyn Feature>, Wants)>,
    /// Which of them want to know what is pending: a feature that does not costs nothing there.
    pending: Vec<usize>,
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
        let pending = |(i, (wants, _)): (usize, &(Wants, _))| wants.pending.then_some(i);
        let pending = all.iter().enumerate().filter_map(pending).collect();
        let all = all.into_iter().map(|(wants, f)| (f, wants)).collect();
        Features {
            all,
            pending,
            wanted,
        }
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

impl StepContext<'_> {
    /// The features, and what they may use.
    fn with_features(&mut self) -> (&mut Features, Context<'_>) {
        let context = Context {
            cx: &self.cx,
            gate: &mut self.gate,
            shared: self.shared,
            released: &mut self.released,
            table: &self.table,
            traced: &mut self.traced,
        };
        (&mut self.features, context)
    }
}

/// Lets features say what they know of a step.
pub(crate) fn announce_pending(step: &mut StepContext<'_>, state: &State, cases: &mut Vec<Case>) {
    let (features, mut context) = step.with_features();
    let mut moment = Moment::Pending { state, cases };
    for &i in &features.pending {
        features.all[i].0.on(&mut moment, &mut context);
    }
}

/// Announces what happens to paths and to the tree.
#[inline]
pub(crate) fn announce<'m>(step: &mut StepContext<'_>, moment: impl FnOnce() -> Moment<'m>) {
    if step.features.wanted.tree {
        announce_to(step, moment(), |wants| wants.tree);
    }
}

#[cold]
fn announce_to(
    step: &mut StepContext<'_>,
    mut moment: Moment<'_>,
    is_meant: impl Fn(&Wants) -> bool,
) {
    let (features, mut context) = step.with_features();
    for (feature, wants) in &mut features.all {
        if is_meant(wants) {
            feature.on(&mut moment, &mut context);
        }
    }
}

/// Announces what was concluded impossible, if reasons are wanted.
#[inline(always)]
pub(crate) fn announce_conclusions(step: &mut StepContext<'_>, state: &State) {
    if step.gate.wants_reasons() {
        announce_reasons(step, state);
    }
}

#[cold]
fn announce_reasons(step: &mut StepContext<'_>, state: &State) {
    if !state.domain.sizes.is_empty() {
        sizes::rely_on_known_bytes(&state.domain, state.node);
    }
    let mut relied_on = step.cx.take_relied_on();
    for condition in relied_on.drain(..) {
        let otherwise = step.cx.store.not(&condition);
        step.gate
            .conclude(state.facts(), &otherwise, || Why::Known { condition });
    }
    step.cx.reuse_relied_on(relied_on);
    let concluded = step.gate.take_concluded(&step.cx);
    for reason in &concluded {
        announce_to(step, Moment::Infeasible { state, reason }, |wants| {
            wants.reasons
        });
    }
    step.gate.reuse_concluded(concluded);
}

/// What becomes of a state that arrived at a stop point.
pub(crate) fn rule(step: &mut StepContext<'_>, state: &State, block: BlockId) -> Ruling {
    // Another state may take its place.
    note_left_out(step, state);
    let Some((function, _)) = state.thread.position() else {
        return Ruling::GoOn;
    };
    let Some(arrival) = step.table.arrival(function, block) else {
        return Ruling::GoOn;
    };
    let at = Arrived {
        function,
        block,
        arrival,
    };
    let (features, mut context) = step.with_features();
    for (feature, _) in &mut features.all {
        match feature.arrived(state, &at, &mut context) {
            Ruling::GoOn => {}
            other => return other,
        }
    }
    Ruling::GoOn
}

/// What was left out at a state since its last step makes its node one that is explored partly.
#[inline]
pub(crate) fn note_left_out(step: &mut StepContext<'_>, state: &State) {
    if state.left_out.take() {
        step.tree.mark_partial(state.node);
    }
}

/// Takes a leaf off the tree: its path has ended, or it never had one. `explored` says whether all that it could do was explored.
pub(crate) fn end_node(step: &mut StepContext<'_>, leaf: NodeId, explored: Explored) {
    let mut gone = Vec::new();
    let wanted = step.features.wanted.tree;
    let mut note = |node, explored| {
        if wanted {
            gone.push((node, explored));
        }
    };
    match explored {
        Explored::Wholly => step.tree.end(leaf, &mut note),
        Explored::Partly => step.tree.leave(leaf, &mut note),
    };
    announce_gone(step, gone);
}

/// A state leaves before its path has ended.
pub(crate) fn leave(step: &mut StepContext<'_>, state: Box<State>, departure: Departure) {
    announce(step, || Moment::Left {
        state: &state,
        departure,
    });
    step.merger.note_gone(&state, WentBy::Departure);
    let mut gone = Vec::new();
    step.tree.leave(state.node, &mut |node, explored| {
        gone.push((node, explored))
    });
    drop(state);
    announce_gone(step, gone);
}

fn announce_gone(step: &mut StepContext<'_>, gone: Vec<(NodeId, Explored)>) {
    for (node, explored) in gone {
        announce(step, || match explored {
            Explored::Wholly => Moment::SubtreeDone(node),
            Explored::Partly => Moment::SubtreeGone(node),
        });
    }
}
