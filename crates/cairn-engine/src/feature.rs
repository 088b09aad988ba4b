//! Moments and features: how techniques take part without the engine knowing them.
//!
//! The engine announces what is about to happen and what happened. A feature says which moments
//! it wants; it may change what is pending, and keeps what it learns in tables of its own. Order
//! matters for what is pending: a feature sees what those before it left open.

use crate::cases::Case;
use crate::finding::Outcome;
use crate::gate::{Gate, Reason};
use crate::shared::Shared;
use crate::state::State;
use crate::tools::Tools;
use crate::tree::NodeId;

/// What the engine announces.
pub enum Moment<'a> {
    /// A step depends on inputs; nothing has happened yet.
    Pending {
        /// The state before the step.
        state: &'a State,
        /// The ways to go on.
        cases: &'a mut Vec<Case>,
    },
    /// Something cannot happen; announced if somebody wants reasons.
    Infeasible {
        /// The state.
        state: &'a State,
        /// What, and why.
        reason: &'a Reason,
    },
    /// A leaf of the tree became a fork.
    Forked {
        /// The leaf that was.
        node: NodeId,
        /// Its children.
        children: &'a [NodeId],
    },
    /// A path ended.
    Ended {
        /// The state as it was.
        state: &'a State,
        /// How.
        outcome: &'a Outcome,
    },
    /// All paths below a node have ended.
    SubtreeDone(NodeId),
}

/// What a feature may use.
pub struct Context<'a> {
    /// Terms and coverage of the worker.
    pub tools: &'a Tools,
    /// Who decides what can happen.
    pub gate: &'a mut Gate,
    /// What all workers share.
    pub shared: &'a Shared,
}

/// A technique that takes part in the exploration.
pub trait Feature {
    /// Its name, for messages.
    fn name(&self) -> &'static str;
    /// A moment. Features that do not care do nothing.
    fn on(&mut self, moment: &mut Moment<'_>, context: &mut Context<'_>);
}
