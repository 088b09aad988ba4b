//! Moments and features: how techniques take part without the engine knowing them.
//!
//! The engine announces what is about to happen and what happened. A feature says which moments it wants
//! ([`Feature::wants`]) and keeps what it learns in tables of its own, but for what a fork has to inherit: known conditions, byte
//! sets, fixed inputs and whether a seed follows the path are fields of [`State`]. Moments that no feature wants cost
//! nothing. Order matters for what is pending: a feature sees what those before it left undecided. A feature
//! that asked for stop points also says what becomes of a state that arrives at one ([`Ruling`]).
//!
//! Every node of the tree but the roots is announced as the child of a fork, and is gone exactly once:
//! [`Moment::SubtreeDone`] if all below it was explored here, [`Moment::SubtreeGone`] if something below it left or was not
//! followed. A path that ends, with an error or without, is a leaf, and ends ([`Moment::Ended`]) before that. Two sorts of
//! leaves are gone without having ended: a case that was postponed and turned out impossible is done (there was no path; its reason
//! was told of the state that waited), and one whose cases are all cut, or that is cut itself after it was postponed, is gone
//! after [`Moment::Cut`].
//!
//! When a limit ends the run, what still lives is not announced as done or gone, because there may be hundreds of thousands of
//! nodes: those of its paths that get a test are heard to end ([`Outcome::Stopped`]), the others are not heard of again.
//!
//! A path that is taken up from another worker, or was set aside, begins at a root of its own and is run again from its decisions.
//! No moment says that it came. Until its decisions are used up its features hear no [`Moment::Pending`] and no
//! [`Moment::Forked`]; they do hear what the program assumes and what is chosen ([`Moment::Assumed`], [`Moment::Chose`]), and are
//! asked at stop points, also there ([`State::is_replayed`] tells). [`Moment::Infeasible`] they hear there only where nothing had to be
//! asked: of guards that fold to false, and of answers that rest on a condition of the path. Its root is never done
//! ([`Moment::SubtreeGone`]), because the other cases of the decisions that were taken again are explored elsewhere; nodes that it
//! forks into later may be. If it cannot be taken up they hear that it was lost.

use crate::explore::shared::Shared;
use crate::finding::Outcome;
use crate::gate::{Gate, Reason};
use crate::omission::Omission;
use crate::path::cases::Case;
use crate::path::state::State;
use crate::path::tree::NodeId;
use crate::tracing::{ConcreteReason, TracedCode, TracedStretch, Untraceable};
use crate::values::value::Value;
use crate::values::worker_context::WorkerContext;
use cairn_expr::Term;
use cairn_ir::{BlockId, FuncId, Program};
use cairn_machine::{Arrival, CodeTable};

/// What the engine announces.
pub enum Moment<'a> {
    /// A step depends on inputs; nothing has happened yet.
    Pending {
        /// The state before the step.
        state: &'a State,
        /// The cases of the step.
        cases: &'a mut Vec<Case>,
    },
    /// Something cannot happen.
    Infeasible {
        /// The state.
        state: &'a State,
        /// What, and why.
        reason: &'a Reason,
    },
    /// The program or the user restricted a path: what holds from now on.
    Assumed {
        /// The state before.
        state: &'a State,
        /// What was assumed.
        fact: &'a Term,
    },
    /// A symbolic value was given one of its values: other values are not followed.
    Chose {
        /// The state before.
        state: &'a State,
        /// That the value is the one that was chosen.
        fact: &'a Term,
    },
    /// A case that may be possible is not followed.
    Cut {
        /// The state before the step.
        state: &'a State,
        /// Why.
        omission: &'a Omission,
    },
    /// A leaf of the tree became a fork. A child is a case that goes on, one that waits with a question that was postponed, or
    /// one that ends in an error at once. They are in this order, and those of one sort in the order of the cases.
    Forked {
        /// The leaf that was.
        node: NodeId,
        /// Its children.
        children: &'a [NodeId],
    },
    /// A path ended.
    Ended {
        /// Its leaf.
        node: NodeId,
        /// The state as it was before its last step.
        state: &'a State,
        /// How.
        outcome: &'a Outcome,
    },
    /// A state leaves this worker before its path has ended.
    Left {
        /// The state.
        state: &'a State,
        /// Where to.
        departure: Departure,
    },
    /// A node is gone from the tree, and all that could happen below it was explored here: every path there was followed to its end, or to
    /// where others cover it ([`Outcome::Subsumed`]: the feature that ruled so knows whether those are done). From this node on no case was
    /// cut or excluded, no value was chosen, and nothing else that could happen was left out ([`Omission`]).
    SubtreeDone(NodeId),
    /// A node is gone from the tree, and something below it left, was not followed, or stands for others that were not.
    SubtreeGone(NodeId),
}

/// Where a state goes that leaves a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// To another worker.
    Moved,
    /// It is kept as its decisions, because memory is short, and run again later.
    SetAside,
    /// Nowhere: it could not be taken up again, and is reported as not explored.
    Lost,
}

/// A stop point that a state has arrived at.
#[derive(Clone, Copy, Debug)]
pub struct Arrived {
    /// The function.
    pub function: FuncId,
    /// The block, whose first instruction is next.
    pub block: BlockId,
    /// What the block is.
    pub arrival: Arrival,
}

/// What becomes of a state that arrived at a stop point.
pub enum Ruling {
    /// It runs on.
    GoOn,
    /// It waits until [`Context::release`] names its number. States that wait when the searcher has none left
    /// are all released, before questions that were postponed are asked again.
    Park,
    /// It ends here, because all that it could do was done on other paths: by what.
    Subsumed(SubsumedBy),
    /// Another state goes on in its place, at its node.
    Replace(Box<State>),
}

/// What covers a path that was not followed further.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubsumedBy {
    /// The feature that says so.
    pub feature: &'static str,
    /// Its entry.
    pub entry: u64,
}

/// Which moments a feature wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// Steps before they happen.
    pub pending: bool,
    /// What happens to paths and to the tree.
    pub tree: bool,
    /// Why things are impossible.
    pub reasons: bool,
}

impl Wants {
    /// Only what is pending.
    pub const PENDING: Wants = Wants {
        pending: true,
        tree: false,
        reasons: false,
    };
}

/// What a feature may use.
pub struct Context<'a> {
    /// Terms and coverage of the worker.
    pub cx: &'a WorkerContext,
    /// Who decides what can happen.
    pub gate: &'a mut Gate,
    /// What all workers share.
    pub shared: &'a Shared,
    pub(crate) released: &'a mut Vec<u64>,
    /// The program's code, and the same for traced values, once a feature asks for cells.
    pub(crate) table: &'a CodeTable<Value>,
    pub(crate) traced: &'a mut Option<TracedCode>,
}

impl Context<'_> {
    /// The cells that a concrete stretch stands on, and where it ends. A feature keeps the reason where the
    /// stretch begins (`ConcreteReason::new(StretchStart::of(state), …)`, at a stop point or after a fork), and asks
    /// when it needs them: the stretch is run once more then.
    ///
    /// # Errors
    /// If the stretch does something that is not traced.
    pub fn cells<'r>(
        &mut self,
        reason: &'r ConcreteReason,
    ) -> Result<&'r TracedStretch, Untraceable> {
        let table = self.table;
        if self.traced.as_ref().is_some_and(|code| !code.is_of(table)) {
            *self.traced = None;
        }
        let code = self.traced.get_or_insert_with(|| TracedCode::of(table));
        reason.found(table, code)
    }

    /// Lets a state that was parked run on: the one of this number.
    pub fn release(&mut self, state: u64) {
        self.released.push(state);
    }
}

/// A technique that takes part in the exploration.
pub trait Feature {
    /// Its name, for messages.
    fn name(&self) -> &'static str;

    /// Which moments it wants; asked once.
    fn wants(&self) -> Wants;

    /// At which blocks of a function states stop for it; asked once for each function.
    fn stops(&self, _program: &Program, _function: FuncId) -> Arrival {
        Arrival::NOWHERE
    }

    /// A moment.
    fn on(&mut self, moment: &mut Moment<'_>, context: &mut Context<'_>);

    /// A state arrived at a stop point. The first feature that does not say [`Ruling::GoOn`] decides.
    fn arrived(&mut self, _state: &State, _at: &Arrived, _context: &mut Context<'_>) -> Ruling {
        Ruling::GoOn
    }
}
