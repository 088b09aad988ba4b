//! A state: one path as far as it was followed.

use crate::decisions::Decisions;
use crate::features::KnownBytes;
use crate::leaks::Sites;
use crate::search::StateFacts;
use crate::space::Space;
use crate::tree::NodeId;
use crate::value::{Value, Wide};
use cairn_expr::Term;
use cairn_machine::Thread;
use cairn_machine::natives::Library;
use cairn_solver::Facts;
use std::cell::RefCell;
use std::collections::VecDeque;

/// What of a program is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// A function that runs before the entry: its number.
    Constructor(usize),
    /// The entry.
    Entry,
    /// What was registered to run at the end, with the exit code.
    AtExit(i32),
    /// A function that runs after the entry: its number, and the exit code.
    Destructor(usize, i32),
}

/// What a path that is run again must do.
#[derive(Clone, Debug, Default)]
pub struct Guide {
    /// Decisions that were not met yet.
    pub decisions: VecDeque<crate::decisions::Decision>,
}

/// Conditions that hold on a path, the last few: a loop or a call asks the same again and again.
#[derive(Clone, Default)]
pub struct Known {
    holds: Vec<Term>,
    next: usize,
}

impl Known {
    /// How many conditions are kept.
    const KEPT: usize = 64;

    /// A condition holds.
    pub fn note(&mut self, condition: &Term) {
        if self.holds.len() < Self::KEPT {
            self.holds.push(condition.clone());
        } else {
            self.holds[self.next] = condition.clone();
            self.next = (self.next + 1) % Self::KEPT;
        }
    }

    /// Whether a condition is known to hold.
    pub fn has(&self, condition: &Term) -> bool {
        self.holds.iter().any(|known| known == condition)
    }
}

/// See the module's head.
#[derive(Clone)]
pub struct State {
    /// Calls and their values.
    pub thread: Thread<Value, Wide>,
    /// Values and memory.
    pub space: Space,
    /// What the C library keeps.
    pub library: Library,
    /// What is known on the path; satisfiable.
    pub facts: Facts,
    /// What was decided.
    pub decisions: Decisions,
    /// What runs.
    pub stage: Stage,
    /// What the entry returned, if that depends on inputs: the exit code is its value.
    pub returned: Option<Term>,
    /// The leaf of the execution tree.
    pub node: NodeId,
    /// Forks so far.
    pub depth: u32,
    /// Operations executed when the state last covered something new.
    pub covered_at: u64,
    /// What the user would like of inputs in tests, newest last.
    pub preferred: Vec<Term>,
    /// What it must do while it is run again.
    pub guide: Guide,
    /// Conditions that were decided last: they are so for the rest of the path.
    pub known: Known,
    /// What the facts say about single bytes; filled when somebody asks.
    pub bytes: RefCell<KnownBytes>,
    /// Whether it may fork (`klee_set_forking`).
    pub may_fork: bool,
    /// Where heap objects were made; only if leaks are looked for.
    pub(crate) sites: Sites,
}

impl State {
    /// What a searcher may know.
    pub fn facts_for_search(&self, distance: Option<u32>, visits: u64) -> StateFacts {
        StateFacts {
            node: self.node,
            depth: self.depth,
            instructions: self.thread.executed,
            since_new: self.thread.executed - self.covered_at,
            covered_new: self.space.covered_new,
            distance,
            query_seconds: 0.0,
            call_depth: self.thread.depth() as u32,
            instruction_count: visits,
        }
    }
}
