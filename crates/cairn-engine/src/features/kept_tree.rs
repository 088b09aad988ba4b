//! The whole execution tree of a run, for a report that draws it.
//!
//! # Problem
//!
//! Nodes of [`crate::tree::Tree`] are freed when nothing below them lives, so that a run can
//! fork without a limit. A report that draws the tree needs them all.
//!
//! # Idea
//!
//! A feature that is active only on request ([`crate::Config::keep_tree`]) records each node: its
//! parent, the decision that led to it, the kind and place of its fork, how its path ended. A case whose question is
//! postponed is a node, too; it may turn out that there is no path.
//!
//! - **Paths that move** between workers are recorded by the worker that has them. The node at which a path
//!   left one worker and the node at which another took it up have the same decisions: by these they are
//!   joined when the run is over.
//!
//! - **Limit.** Only the first nodes are kept, up to a given number; the others are counted.
//!
//! # Soundness
//!
//! The feature only listens: it edits no case, so a run explores the same paths with and without it. Decisions
//! are compared by their hash, so a collision would draw a subtree at the wrong place.
//!
//! # Cost
//!
//! A few hundred bytes for each node; nothing if the tree is not requested.

use crate::features::feature::{Context, Departure, Feature, Moment, Wants};
use crate::finding::{FindingKind, Outcome};
use crate::path::cases::{Case, Effect, Feasibility};
use crate::path::decisions::Decision;
use crate::path::state::State;
use crate::path::tree::NodeId;
use cairn_ir::{BlockId, FuncId};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The nodes of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptTree {
    /// The nodes; the first is where the run began, if there is one.
    pub nodes: Vec<KeptNode>,
    /// How many more there were.
    pub not_kept: u64,
}

/// A node of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptNode {
    /// The node above. Only where the run began there is none.
    pub parent: Option<usize>,
    /// The decision at the fork above; none for a path that was taken up again.
    pub by: Option<Decision>,
    /// The fork that it became.
    pub fork: Option<KeptFork>,
    /// How its path ended, or left its worker; none for a fork, and for what lived when a limit ended the run.
    pub end: Option<KeptEnd>,
    /// What ended below it, itself included.
    pub below: KeptCounts,
}

/// A fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptFork {
    /// What depended on inputs.
    pub kind: ForkKind,
    /// Function and block, as far as they are known.
    pub place: Option<(FuncId, BlockId)>,
    /// Operations that its path had executed.
    pub instructions: u64,
}

/// What depends on inputs where a path forks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForkKind {
    /// Where control goes: a branch, a switch, a check, or a function that is called.
    Control,
    /// The object or the value of an address.
    Address,
    /// A size, or a length.
    Size,
    /// A number or bytes that must be known.
    Value,
    /// What a function of the environment answers.
    Answer,
    /// All cases are errors.
    Errors,
}

/// How a path ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptEnd {
    /// The program ended with this code.
    Exit(i32),
    /// A signal that is no error ended it.
    Signal(u32),
    /// It ended without a word.
    Silent,
    /// An error.
    Error(FindingKind),
    /// What Cairn does not support.
    Unsupported(FindingKind),
    /// It was not followed to its end.
    Stopped,
    /// An assumption does not hold.
    Contradiction,
    /// Other paths do the same.
    Subsumed,
    /// There is no path: a case that had been postponed is impossible.
    Impossible,
    /// It left its worker; a node that was taken up again is below it.
    Left(Departure),
}

/// How many paths ended below a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeptCounts {
    /// All of them.
    pub paths: u64,
    /// Those with errors.
    pub errors: u64,
    /// Those that were not followed to their end.
    pub stopped: u64,
}

/// What all workers have written down.
#[derive(Default)]
struct SharedTree {
    tree: KeptTree,
    /// Nodes that left, and nodes that were taken up, by the decisions that lead there.
    left_worker: Vec<(u64, usize)>,
    taken_up: Vec<(u64, usize)>,
}

/// Makes the feature for each worker, and has what they wrote down.
#[derive(Clone)]
pub(crate) struct TreeKeeper {
    most: usize,
    kept: Arc<Mutex<SharedTree>>,
}

fn lock(kept: &Mutex<SharedTree>) -> MutexGuard<'_, SharedTree> {
    // A worker that panicked leaves a tree that lacks nodes at worst.
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TreeKeeper {
    /// Keeps so many nodes.
    pub(crate) fn new(most: usize) -> Self {
        TreeKeeper {
            most,
            kept: Arc::default(),
        }
    }

    /// The feature of a worker.
    pub(crate) fn feature(&self) -> Box<dyn Feature> {
        Box::new(KeepTree {
            keeper: self.clone(),
            nodes: FxHashMap::default(),
            pending: None,
        })
    }

    /// The tree, when all workers have ended.
    pub(crate) fn tree(&self) -> KeptTree {
        let mut kept = lock(&self.kept);
        let kept = &mut *kept;
        let mut left: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
        for (key, node) in kept.left_worker.drain(..).rev() {
            left.entry(key).or_default().push(node);
        }
        for (key, node) in kept.taken_up.drain(..) {
            let above = left.get_mut(&key).and_then(Vec::pop);
            kept.tree.nodes[node].parent = above.filter(|above| *above != node);
        }
        count_below(&mut kept.tree.nodes);
        std::mem::take(&mut kept.tree)
    }
}

/// Adds up what ended below each node, from the leaves upwards.
fn count_below(nodes: &mut [KeptNode]) {
    let mut children = vec![0u32; nodes.len()];
    for node in nodes.iter() {
        if let Some(parent) = node.parent {
            children[parent] += 1;
        }
    }
    let mut ready: Vec<usize> = (0..nodes.len()).filter(|&i| children[i] == 0).collect();
    while let Some(i) = ready.pop() {
        let below = nodes[i].below;
        if let Some(parent) = nodes[i].parent {
            let sum = &mut nodes[parent].below;
            sum.paths += below.paths;
            sum.errors += below.errors;
            sum.stopped += below.stopped;
            children[parent] -= 1;
            if children[parent] == 0 {
                ready.push(parent);
            }
        }
    }
}

/// The step that is pending: if it forks, this is what forked.
struct Step {
    fork: KeptFork,
    /// The decisions of the cases that get a node, in the order of the fork's children ([`Moment::Forked`]).
    decisions: Vec<Decision>,
}

/// See the module's head.
struct KeepTree {
    keeper: TreeKeeper,
    /// Nodes that live and are kept.
    nodes: FxHashMap<NodeId, usize>,
    pending: Option<Step>,
}

impl KeepTree {
    /// Where a node is kept. One that is not known was taken up from elsewhere.
    fn find(&mut self, kept: &mut SharedTree, node: NodeId, state: &State) -> Option<usize> {
        if let Some(known) = self.nodes.get(&node) {
            return Some(*known);
        }
        let made = add(kept, self.keeper.most, None, None)?;
        // The run began without any decision; what is below it may leave as well.
        if made > 0 {
            kept.taken_up.push((key(state), made));
        }
        self.nodes.insert(node, made);
        Some(made)
    }

    fn end(&mut self, node: NodeId, state: &State, end: KeptEnd, counts: KeptCounts) {
        let kept = Arc::clone(&self.keeper.kept);
        let mut kept = lock(&kept);
        if let Some(i) = self.find(&mut kept, node, state) {
            let node = &mut kept.tree.nodes[i];
            node.end = Some(end);
            node.below = counts;
            if let KeptEnd::Left(_) = end {
                kept.left_worker.push((key(state), i));
            }
        }
    }

    /// A node was taken off the tree. If nothing was heard of its path, it had been postponed, or all its cases were cut.
    fn end_node(&mut self, node: NodeId, end: KeptEnd, counts: KeptCounts) {
        let Some(i) = self.nodes.remove(&node) else {
            return;
        };
        let node = &mut lock(&self.keeper.kept).tree.nodes[i];
        if node.fork.is_none() && node.end.is_none() {
            node.end = Some(end);
            node.below = counts;
        }
    }

    fn forked(&mut self, node: NodeId, children: &[NodeId], step: Step) {
        let kept = Arc::clone(&self.keeper.kept);
        let mut kept = lock(&kept);
        let Some(&parent) = self.nodes.get(&node) else {
            kept.tree.not_kept += children.len() as u64;
            return;
        };
        kept.tree.nodes[parent].fork = Some(step.fork);
        for (child, decision) in children.iter().zip(step.decisions) {
            if let Some(i) = add(&mut kept, self.keeper.most, Some(parent), Some(decision)) {
                self.nodes.insert(*child, i);
            }
        }
    }
}

/// One more node, if there is room. A full tree stays full, so a node whose fork was not kept is never
/// mistaken for one that was taken up from another worker.
fn add(
    kept: &mut SharedTree,
    most: usize,
    parent: Option<usize>,
    by: Option<Decision>,
) -> Option<usize> {
    let nodes = &mut kept.tree.nodes;
    if nodes.len() >= most {
        // Nodes that are not kept are asked for more than once, but made by one fork.
        kept.tree.not_kept += u64::from(parent.is_some());
        return None;
    }
    nodes.push(KeptNode {
        parent,
        by,
        fork: None,
        end: None,
        below: KeptCounts::default(),
    });
    Some(nodes.len() - 1)
}

/// A hash of the decisions of a path. While it is replayed, the decisions that are still to come count too.
fn key(state: &State) -> u64 {
    let mut hasher = FxHasher::default();
    let taken = state.decisions.to_vec();
    for step in taken.iter().chain(&state.guide.decisions) {
        step.hash(&mut hasher);
    }
    hasher.finish()
}

/// What depends on inputs, by the effect of the first case that goes on.
fn kind(cases: &[Case]) -> ForkKind {
    let mut kinds = cases.iter().filter_map(|case| match &case.effect {
        Effect::Error(_) | Effect::End { .. } => None,
        Effect::Proceed | Effect::GoTo(_) | Effect::Call(_) => Some(ForkKind::Control),
        Effect::RetryAccess { .. }
        | Effect::RetrySegment { .. }
        | Effect::RetryPointer { .. }
        | Effect::RetryKnowing { .. }
        | Effect::RetryNowhere { .. } => Some(ForkKind::Address),
        Effect::RetryAtMost { .. } | Effect::RetrySize { .. } | Effect::RetryWithSize { .. } => {
            Some(ForkKind::Size)
        }
        Effect::Retry
        | Effect::RetryNumber { .. }
        | Effect::RetryClass { .. }
        | Effect::RetryWithBytes { .. }
        | Effect::RetryChoosing { .. }
        | Effect::RetryChoosingNumber { .. } => Some(ForkKind::Value),
        Effect::ReturnValue { .. } => Some(ForkKind::Answer),
    });
    kinds.next().unwrap_or(ForkKind::Errors)
}

/// The decisions of the cases that get a node if there is more than one, in the order of the nodes.
fn decisions_of_children(cases: &[Case]) -> Vec<Decision> {
    let (mut live, mut postponed, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    for case in cases {
        match (&case.feasibility, &case.effect) {
            (Feasibility::Feasible(_), Effect::Error(_) | Effect::End { .. }) => {
                ends.push(case.decision);
            }
            (Feasibility::Feasible(_), _) => live.push(case.decision),
            (Feasibility::Postponed, _) => postponed.push(case.decision),
            (
                Feasibility::Unknown
                | Feasibility::Infeasible(_)
                | Feasibility::Cut(_)
                | Feasibility::Excluded,
                _,
            ) => {}
        }
    }
    live.extend(postponed);
    live.extend(ends);
    live
}

/// How a path ended, and what it counts for.
fn end_of(outcome: &Outcome) -> (KeptEnd, KeptCounts) {
    let mut counts = KeptCounts {
        paths: 1,
        ..KeptCounts::default()
    };
    let end = match outcome {
        Outcome::Exit(code) => KeptEnd::Exit(*code),
        Outcome::Signal(number) => KeptEnd::Signal(*number),
        Outcome::Silent => KeptEnd::Silent,
        Outcome::Error(finding) => {
            counts.errors = 1;
            KeptEnd::Error(finding.kind)
        }
        Outcome::Unsupported(finding) => {
            counts.stopped = 1;
            KeptEnd::Unsupported(finding.kind)
        }
        Outcome::Stopped(_) => {
            counts.stopped = 1;
            KeptEnd::Stopped
        }
        Outcome::Contradiction => KeptEnd::Contradiction,
        Outcome::Subsumed(_) | Outcome::Merged => KeptEnd::Subsumed,
    };
    (end, counts)
}

impl Feature for KeepTree {
    fn name(&self) -> &'static str {
        "kept-tree"
    }

    fn wants(&self) -> Wants {
        Wants {
            pending: true,
            tree: true,
            reasons: false,
        }
    }

    fn on(&mut self, moment: &mut Moment<'_>, context: &mut Context<'_>) {
        match moment {
            Moment::Pending { state, cases } => {
                let kept = Arc::clone(&self.keeper.kept);
                self.find(&mut lock(&kept), state.node, state);
                let decisions = decisions_of_children(cases);
                if decisions.len() < 2 {
                    // No fork.
                    return;
                }
                self.pending = Some(Step {
                    fork: KeptFork {
                        kind: kind(cases),
                        place: context.shared.cover_now().block_of(state.domain.last_point),
                        instructions: state.thread.executed,
                    },
                    decisions,
                });
            }
            Moment::Forked { node, children } => {
                if let Some(step) = self.pending.take() {
                    self.forked(*node, children, step);
                }
            }
            Moment::Ended {
                node,
                state,
                outcome,
            } => {
                let (end, counts) = end_of(outcome);
                self.end(*node, state, end, counts);
            }
            Moment::Left { state, departure } => {
                let end = KeptEnd::Left(*departure);
                self.end(state.node, state, end, KeptCounts::default());
            }
            Moment::SubtreeDone(node) => {
                self.end_node(*node, KeptEnd::Impossible, KeptCounts::default());
            }
            Moment::SubtreeGone(node) => {
                let counts = KeptCounts {
                    paths: 1,
                    errors: 0,
                    stopped: 1,
                };
                self.end_node(*node, KeptEnd::Stopped, counts);
            }
            Moment::Infeasible { .. }
            | Moment::Assumed { .. }
            | Moment::Chose { .. }
            | Moment::Cut { .. } => {}
        }
    }
}
