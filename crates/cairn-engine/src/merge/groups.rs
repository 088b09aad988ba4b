//! Groups and their members.
//!
//! A state that is a member holds its memberships; a copy of the state holds them too. So a group knows how many
//! members live, whatever becomes of them.

use crate::config::Config;
use crate::merge::MergeMode;
use crate::merge::check::MergeCheck;
use crate::merge::counts::{MergeCounts, WentBy};
use crate::merge::shapes::Shapes;
use crate::path::state::State;
use crate::search::StateId;
use cairn_ir::analysis::loops::LoopId;
use cairn_ir::{BlockId, FuncId};
use cairn_solver::ChainError;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A call of a thread: how deep it is, and the number that no other call has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CallKey {
    pub depth: usize,
    pub function: FuncId,
    pub entered: u64,
}

/// Where a group closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closing {
    /// At a call of `klee_close_merge`.
    Mark,
    /// At a block.
    Join(CallKey, BlockId),
    /// At the first block outside of a loop.
    LoopExit(CallKey, LoopId),
}

/// See the module's head.
pub(super) struct MergeGroup {
    pub closing: Closing,
    /// States that are members; those that wait are among them.
    living: Cell<usize>,
    /// The states that wait.
    pub waiting: RefCell<Vec<StateId>>,
    /// Operations that its worker had executed when the first one began to wait.
    pub waits_since: Cell<u64>,
    /// It takes no more members to wait.
    pub released: Cell<bool>,
    /// The worker must look whether any member is still on its way.
    changed: Rc<Cell<bool>>,
}

impl MergeGroup {
    /// Whether all members that live wait.
    pub fn is_complete(&self) -> bool {
        self.living.get() == self.waiting.borrow().len()
    }

    pub fn living(&self) -> usize {
        self.living.get()
    }
}

/// That a state is a member of a group.
pub(super) struct Membership(Rc<MergeGroup>);

impl Membership {
    pub fn group(&self) -> &Rc<MergeGroup> {
        &self.0
    }
}

impl Clone for Membership {
    fn clone(&self) -> Self {
        self.0.living.set(self.0.living.get() + 1);
        Membership(Rc::clone(&self.0))
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        self.0.living.set(self.0.living.get() - 1);
        self.0.changed.set(true);
    }
}

/// The groups of a state, the innermost last.
#[derive(Clone, Default)]
pub(crate) struct Groups {
    pub(super) members: Vec<Membership>,
    /// It has come to `klee_close_merge` of the group that it must wait for now.
    pub(super) at_mark: bool,
    /// It stands for several paths, so its decisions do not lead to it.
    merged: bool,
}

impl Groups {
    /// Whether the state stands for several paths.
    pub fn is_merged(&self) -> bool {
        self.merged
    }

    /// It does not wait at a mark any more.
    pub(crate) fn pass_mark(&mut self) {
        self.at_mark = false;
    }

    /// Whether it must wait at a mark.
    pub fn waits_at_mark(&self) -> bool {
        self.at_mark
    }

    pub(super) fn note_merged(&mut self) {
        self.merged = true;
    }

    /// Whether two states are members of the same groups.
    pub(super) fn are_same(&self, other: &Groups) -> bool {
        self.members.len() == other.members.len()
            && self
                .members
                .iter()
                .zip(&other.members)
                .all(|(a, b)| Rc::ptr_eq(&a.0, &b.0))
    }

    pub(super) fn innermost(&self) -> Option<&Rc<MergeGroup>> {
        self.members.last().map(Membership::group)
    }
}

/// What a worker has for merging.
pub(crate) struct Merger {
    pub(super) mode: MergeMode,
    pub(super) counts: MergeCounts,
    pub(super) shapes: Shapes,
    /// Groups for which states wait.
    pub(super) waited_for: Vec<Rc<MergeGroup>>,
    pub(super) changed: Rc<Cell<bool>>,
    /// When groups are looked at again for whether they are too old.
    pub(super) look_again: u64,
    /// Proves merges, only with `--self-check`.
    pub(super) check: Option<Box<MergeCheck>>,
}

impl Merger {
    /// For a run as it is configured. Paths that seeds or a user give are not merged.
    pub fn of(config: &Config) -> Result<Merger, ChainError> {
        let mode = match config.seeding.is_some() || config.replayed.is_some() {
            true => MergeMode::None,
            false => config.merge,
        };
        let check = match config.check_reasons && mode != MergeMode::None {
            true => Some(Box::new(MergeCheck::new()?)),
            false => None,
        };
        Ok(Merger {
            mode,
            counts: MergeCounts::default(),
            shapes: Shapes::default(),
            waited_for: Vec::new(),
            changed: Rc::default(),
            look_again: 0,
            check,
        })
    }

    /// Which paths are merged.
    pub fn mode(&self) -> MergeMode {
        self.mode
    }

    /// Whether states wait for some group.
    #[inline]
    pub fn is_waited_for(&self) -> bool {
        !self.waited_for.is_empty()
    }

    /// What happened so far.
    pub fn counts(&self) -> &MergeCounts {
        &self.counts
    }

    /// A member is no more, or not here: those that wait do not wait for it.
    pub fn note_gone(&mut self, state: &State, how: WentBy) {
        for _ in &state.groups.members {
            self.counts.leave(how);
        }
    }

    /// Makes states members of a new group.
    pub(super) fn open<'s>(
        &mut self,
        closing: Closing,
        states: impl Iterator<Item = &'s mut State>,
    ) {
        self.counts.groups += 1;
        let group = Rc::new(MergeGroup {
            closing,
            living: Cell::new(0),
            waiting: RefCell::default(),
            waits_since: Cell::new(0),
            released: Cell::new(false),
            changed: Rc::clone(&self.changed),
        });
        for state in states {
            group.living.set(group.living.get() + 1);
            state.groups.members.push(Membership(Rc::clone(&group)));
        }
    }

    /// `klee_open_merge`.
    pub fn open_mark(&mut self, state: &mut State) {
        if self.mode == MergeMode::Marked && !state.is_replayed() && !state.guide.given {
            self.open(Closing::Mark, std::iter::once(state));
        }
    }

    /// `klee_close_merge`: the state must wait, unless it is alone.
    pub fn close_mark(&mut self, state: &mut State) {
        state.decisions.note_arrival();
        if state.guide.meets_here(state.decisions.arrivals()).is_some() {
            state.groups.at_mark = true;
            return;
        }
        let Some(group) = state.groups.innermost() else {
            return;
        };
        if group.living() == 1 || group.released.get() {
            state.groups.members.pop();
        } else {
            state.groups.at_mark = true;
        }
    }
}
