//! A state: one path as far as it was followed.

use crate::calls::host_answers::{HostAnswer, HostAnswers};
use crate::explore::shared::Shared;
use crate::explore::trail::Trail;
use crate::explore::visits::Visited;
use crate::features::{KnownBytes, KnownInputs};
use crate::gate::Round;
use crate::memory::leaks::Sites;
use crate::memory::windows::Window;
use crate::merge::Groups;
use crate::omission::Omission;
use crate::path::decisions::{Decision, Decisions, LoggedDecision};
use crate::path::tree::NodeId;
use crate::search::SearcherInfo;
use crate::values::symbolic_domain::SymbolicDomain;
use crate::values::value::{Value, Wide};
use cairn_expr::Term;
use cairn_machine::natives::Library;
use cairn_machine::{Stage, Thread};
use cairn_solver::Facts;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// Where a path that is run again becomes one with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Meeting {
    /// The number of the join, and of the path among its members.
    pub join: usize,
    pub member: usize,
    /// Arrivals after the last decision.
    pub arrivals: u32,
}

/// A path that is run again until it becomes one with others.
#[derive(Clone, Debug)]
pub(crate) struct JoinMember {
    /// Decisions that were not met yet.
    pub decisions: VecDeque<LoggedDecision>,
    pub meets: Meeting,
}

/// What a path that is run again must do.
#[derive(Debug, Default)]
pub struct ReplayGuide {
    /// Where it waits for others after the last decision, if it does.
    pub(crate) meets: Option<Meeting>,
    /// Operations that it had executed when it stopped at the step that it takes again: a call is known by how many there were
    /// before.
    pub(crate) executed: Option<u64>,
    /// Paths that made the same decisions so far.
    pub(crate) others: Vec<JoinMember>,
    /// Decisions that were not met yet.
    pub decisions: VecDeque<LoggedDecision>,
    /// They come from a user: they may not fit the program, and nothing is known about them. Where
    /// they end, so does the path.
    pub given: bool,
    /// What the host answered, and was not asked for yet.
    pub(crate) answers: VecDeque<Arc<HostAnswer>>,
}

impl Clone for ReplayGuide {
    /// Most paths are not run again: each fork copies this, and copying queues takes time even if they are empty.
    fn clone(&self) -> Self {
        fn copy<T: Clone>(queue: &VecDeque<T>) -> VecDeque<T> {
            if queue.is_empty() {
                VecDeque::new()
            } else {
                queue.clone()
            }
        }
        ReplayGuide {
            meets: self.meets,
            executed: self.executed,
            others: self.others.clone(),
            decisions: copy(&self.decisions),
            given: self.given,
            answers: copy(&self.answers),
        }
    }
}

impl ReplayGuide {
    /// Whether the decisions of a path that was taken before are still to be taken again: until then nothing needs to be asked.
    pub fn is_replaying(&self) -> bool {
        !self.given && (!self.decisions.is_empty() || self.meets.is_some())
    }

    /// The next decision of a path that was taken before.
    pub fn next_replayed(&self) -> Option<Decision> {
        if self.given {
            None
        } else {
            self.next_decision()
        }
    }

    /// The bytes that the next access of a path that was taken before is inside of; the whole object, if
    /// the log names none.
    pub fn replayed_window(&self) -> Option<Window> {
        match self.decisions.get(1)?.decision {
            Decision::Window { address, size } => Some(Window {
                address,
                size: u64::from(size),
            }),
            Decision::Case(_)
            | Decision::Object(_)
            | Decision::ObjectPartly(_)
            | Decision::Part { .. }
            | Decision::Member(_)
            | Decision::Call(_)
            | Decision::Is(_)
            | Decision::IsNot(_)
            | Decision::NoUse(_) => None,
        }
    }

    /// The objects that belong to the segment of the next access of a path that was taken before, but for the first.
    pub(crate) fn replayed_members(&self) -> impl Iterator<Item = cairn_memory::ObjectId> {
        let behind = self.decisions.iter().skip(1);
        behind.map_while(|taken| taken.decision.member())
    }

    /// Goes past those.
    pub(crate) fn pass_members(&mut self) {
        while self
            .next_decision()
            .is_some_and(|next| next.member().is_some())
        {
            self.decisions.pop_front();
        }
    }

    /// Where it becomes one with others, if that is here.
    pub(crate) fn meets_here(&self, arrivals: u32) -> Option<Meeting> {
        let here = |meets: &Meeting| self.decisions.is_empty() && meets.arrivals == arrivals;
        self.meets.filter(here)
    }

    /// Lets the other paths go past what this one went past: so many decisions were left before.
    pub(crate) fn pass_with(&mut self, left: usize) {
        let passed = left - self.decisions.len();
        for other in &mut self.others {
            other.decisions.drain(..passed.min(other.decisions.len()));
        }
    }

    /// Goes past the window of an access of a path that was taken before.
    pub(crate) fn pass_window(&mut self) {
        if let Some(Decision::Window { .. }) = self.next_decision() {
            self.decisions.pop_front();
        }
    }

    /// The next decision, of an earlier run or of the user.
    pub fn next_decision(&self) -> Option<Decision> {
        self.decisions.front().map(|taken| taken.decision)
    }
}

/// Conditions that hold on a path, the last few: a loop or a call asks the same again and again.
#[derive(Clone, Default)]
pub struct RecentConditions {
    holds: Vec<Term>,
    next: usize,
}

impl RecentConditions {
    /// How many conditions are kept.
    const KEPT: usize = 64;

    /// A condition holds.
    pub fn note(&mut self, condition: &Term) {
        if self.has(condition) {
            return;
        }
        if self.holds.len() < Self::KEPT {
            self.holds.push(condition.clone());
        } else {
            self.holds[self.next] = condition.clone();
            self.next = (self.next + 1) % Self::KEPT;
        }
    }

    /// Keeps those that hold on another path too.
    pub(crate) fn retain_known_to(&mut self, other: &RecentConditions) {
        self.holds.retain(|condition| other.has(condition));
        self.next = 0;
    }

    /// The conditions.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Term> {
        self.holds.iter()
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
    pub domain: SymbolicDomain,
    /// What the C library keeps.
    pub library: Library,
    /// What is known on the path; satisfiable.
    pub(in crate::path) facts: Facts,
    /// What was decided.
    pub decisions: Decisions,
    /// What runs.
    pub stage: Stage,
    /// What the entry returned, if that depends on inputs: the exit code is its value.
    pub returned: Option<Term>,
    /// What clocks showed last, if their time is an input.
    pub(crate) clocks: Vec<crate::calls::clocks::ShownTime>,
    /// What the host answered that a test holds, in order: a name and the bytes.
    pub(crate) told: Vec<(&'static str, Vec<u8>)>,
    /// What the host answered, to be told again if the path is run again.
    pub(crate) host_answers: HostAnswers,
    /// The leaf of the execution tree.
    pub node: NodeId,
    /// The node at which it last parted from other states, by which searchers know it: a fork whose other
    /// cases are errors makes a new leaf and parts from no other state.
    pub parted_at: NodeId,
    /// Forks so far.
    pub depth: u32,
    /// Operations executed when the state last covered something new.
    pub covered_at: u64,
    /// What the user would like of inputs in tests, newest last.
    pub preferred: Vec<Term>,
    /// What it must do while it is run again.
    pub guide: ReplayGuide,
    /// Conditions that were decided last: they are so for the rest of the path.
    pub known: RecentConditions,
    /// What the facts say about single bytes; filled on the first question.
    pub bytes: RefCell<KnownBytes>,
    /// Inputs that the facts leave one value.
    pub fixed_inputs: RefCell<KnownInputs>,
    /// What the path has passed, if the observer wants it.
    pub(crate) trail: Trail,
    /// The work that the questions of its next step may take.
    pub(crate) round: Round,
    /// The time of the queries on its path.
    pub query_time: Duration,
    /// Its number among the states of its worker, from 1.
    pub number: u64,
    /// A seed follows its path.
    pub on_seed: bool,
    /// Whether it may fork (`klee_set_forking`).
    pub may_fork: bool,
    /// Whether it had an answer of the environment, or an address, that is one of many.
    pub(crate) one_of_many: Cell<bool>,
    /// Whether something was left out here that the tree does not know of yet (`moments::note_left_out`).
    pub(crate) left_out: Cell<bool>,
    /// Where heap objects were made; only if leaks are looked for.
    pub(crate) sites: Sites,
    /// The groups of paths that it is a member of.
    pub(crate) groups: Groups,
}

impl State {
    /// The state before the program starts, at the root of a tree.
    pub(crate) fn first(domain: SymbolicDomain, library: Library, root: NodeId) -> State {
        State {
            thread: Thread::default(),
            domain,
            library,
            facts: Facts::new(),
            decisions: Default::default(),
            stage: Stage::Constructor(0),
            returned: None,
            clocks: Vec::new(),
            told: Vec::new(),
            host_answers: Default::default(),
            node: root,
            parted_at: root,
            depth: 0,
            covered_at: 0,
            preferred: Vec::new(),
            guide: ReplayGuide::default(),
            known: Default::default(),
            bytes: Default::default(),
            fixed_inputs: Default::default(),
            trail: Default::default(),
            round: Round::default(),
            query_time: Duration::ZERO,
            number: 0,
            on_seed: false,
            may_fork: true,
            one_of_many: Default::default(),
            left_out: Default::default(),
            sites: Default::default(),
            groups: Groups::default(),
        }
    }

    /// The path condition. `commit::learn` alone adds to it.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Whether it is run again from its decisions, and not at their end yet.
    pub fn is_replayed(&self) -> bool {
        self.guide.is_replaying()
    }

    /// What the host answered, and will answer while the path is run again.
    pub(crate) fn answers_of_host(&self) -> HostAnswers {
        let mut all = self.host_answers.clone();
        let rest = self.guide.answers.iter();
        rest.for_each(|answer| all.push(Arc::clone(answer)));
        all
    }

    /// Whether other values than those that are known here could lead along the same path: Cairn chose one, or
    /// the environment did. What is false here is not proved to be false always.
    pub(crate) fn knows_by_choice(&self) -> bool {
        self.one_of_many.get() || !self.domain.chosen_values.is_empty()
    }

    /// Its path goes on, but not with all that it could do here: says so, and the node of the tree will not count as
    /// explored wholly.
    pub(crate) fn leave_out(&self, shared: &Shared, what: Omission) {
        self.left_out.set(true);
        shared.leave_out(what);
    }

    /// What a searcher sees of the state.
    pub(crate) fn for_searcher(&self, distance: Option<u32>, visited: Visited) -> SearcherInfo {
        SearcherInfo {
            node: self.parted_at,
            depth: self.depth,
            instructions: self.thread.executed,
            since_new: self.thread.executed.saturating_sub(self.covered_at),
            covered_new: self.domain.covered_new,
            distance,
            query_seconds: self.query_time.as_secs_f64(),
            call_depth: self.thread.depth() as u32,
            instruction_count: visited.instruction,
            call_path_count: visited.call_path,
        }
    }
}
