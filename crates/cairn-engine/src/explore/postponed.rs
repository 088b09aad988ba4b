//! States that wait with a question that takes the solver long.
//!
//! # Problem
//!
//! A few questions take nearly all the time of many runs: a division by a constant inside of `localtime`, the
//! digits of `strtod`. The worker waits for the answer while thousands of cheap paths wait for the worker.
//!
//! # Idea
//!
//! Each question has a budget of work ([`crate::gate::Round`]). Where it is used up, the question is postponed
//! with its state and the worker goes on:
//!
//! - the case of a fork that is not decided waits by itself, as a leaf of the tree; the other cases go on
//!   (`path/commit.rs`);
//! - an operation that could not find out what it must know (objects of a pointer, the bound of a length, an
//!   assumption) waits as a whole, and is run again.
//!
//! They come back, those with the smallest budget first and the oldest of these, with a larger budget: when
//! nothing else is left to run, and before that as long as they took less than a part of the run's work,
//! because what waits may be the way to most of the program.
//!
//! # Soundness
//!
//! Nothing is concluded from work that ran out. A case that waits is in no other state's facts: those that went on have
//! their own guard as a fact. A step that waits as a whole has not happened: what it chose is taken back. A run that
//! ends with questions that wait says so (`Omission::Postponed`).
//!
//! # Cost
//!
//! A clone of the state for each case that waits. Nothing for a run without hard questions.

use crate::explore::worker::Worker;
use crate::features::ask_solver::undecided_case;
use crate::features::limits::ForkLimits;
use crate::features::moments;
use crate::gate::{Round, Verdict};
use crate::omission::Omission;
use crate::path::cases::Case;
use crate::path::commit;
use crate::path::state::State;
use crate::path::step_context::{self, Choosing};
use crate::path::tree::Explored;
use crate::search::StateId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What waiting questions may take of a run's work while other states can run: one part in so many.
const SHARE: u64 = 8;

/// The solver's work that takes as long as one operation of a state.
const WORK_OF_OPERATION: u64 = 100;

/// The state of a question that waits, and the case that it is about if it is one case of a fork.
struct WaitingQuestion {
    round: Round,
    /// In the order of coming.
    number: u64,
    id: StateId,
    case: Option<Box<Case>>,
}

impl PartialEq for WaitingQuestion {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for WaitingQuestion {}

impl PartialOrd for WaitingQuestion {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for WaitingQuestion {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.round, self.number).cmp(&(other.round, other.number))
    }
}

/// The states that wait, and what was spent on them.
#[derive(Default)]
pub(crate) struct Postponed {
    waiting: BinaryHeap<Reverse<WaitingQuestion>>,
    number: u64,
    /// Operations that the work on waiting questions stands for.
    spent: u64,
}

impl Postponed {
    fn push(&mut self, round: Round, id: StateId, case: Option<Box<Case>>) {
        self.number += 1;
        self.waiting.push(Reverse(WaitingQuestion {
            round,
            number: self.number,
            id,
            case,
        }));
    }

    /// Whether the first one may be asked again although other states can run, after so many operations of
    /// the worker.
    fn is_due(&self, executed: u64) -> bool {
        let Some(Reverse(first)) = self.waiting.peek() else {
            return false;
        };
        let Some(work) = first.round.work() else {
            return false;
        };
        self.spent.saturating_add(work / WORK_OF_OPERATION) <= executed / SHARE
    }
}

impl Worker<'_> {
    /// Takes up the cases that a step left undecided.
    pub(crate) fn adopt_postponed(&mut self) {
        for (mut state, case) in std::mem::take(&mut self.step.postponed_cases) {
            let round = state.round.next();
            state.round = round;
            let id = self.new_id();
            self.by_node.insert(state.node, id);
            if case.on_seed {
                state.on_seed = true;
            }
            self.states[id.0 as usize] = Some(state);
            self.step.counters().taken_up.add(1);
            self.postponed.push(round, id, Some(Box::new(case)));
        }
    }

    /// Lets a state wait with its next step, which has not happened.
    pub(crate) fn postpone(&mut self, id: StateId, mut state: Box<State>) {
        let round = state.round.next();
        state.round = round;
        self.searcher.remove(id);
        self.states[id.0 as usize] = Some(state);
        self.postponed.push(round, id, None);
    }

    /// Asks again what waits, while that takes only its share of the work.
    pub(crate) fn resume_postponed_in_turn(&mut self) {
        while self
            .postponed
            .is_due(self.step.counters().instructions.read())
        {
            self.resume_first_postponed();
        }
    }

    /// Asks the first of the waiting questions again, with more work. Whether there was one.
    pub(crate) fn resume_first_postponed(&mut self) -> bool {
        let Some(Reverse(first)) = self.postponed.waiting.pop() else {
            return false;
        };
        let WaitingQuestion {
            round, id, case, ..
        } = first;
        self.postponed.spent += round.work().unwrap_or_default() / WORK_OF_OPERATION;
        match case {
            None => {
                let state = self.states[id.0 as usize].as_deref().expect("it waits");
                let info = state.for_searcher(self.distance(state), self.visits_of(state));
                self.searcher.add(id, &info);
            }
            Some(case) => self.ask_case(round, id, case),
        }
        true
    }

    /// The run must end: what waits is left out. Cases that were not decided have no model, so no test.
    pub(crate) fn stop_postponed(&mut self, omission: &Omission) {
        for Reverse(waiting) in std::mem::take(&mut self.postponed.waiting) {
            self.step.shared.leave_out(Omission::Postponed);
            if waiting.case.is_some() {
                self.states[waiting.id.0 as usize] = None;
                self.step.shared.leave_out(omission.clone());
                self.step.counters().gone.add(1);
                self.step.counters().stopped.add(1);
            }
        }
    }

    /// Asks whether a case can happen.
    fn ask_case(&mut self, round: Round, id: StateId, case: Box<Case>) {
        let mut state = self.states[id.0 as usize].take().expect("it waits");
        let node = state.node;
        self.step.gate.limit_work(round);
        let step = &mut self.step;
        let verdict = step.gate.ask_solver(&step.cx, state.facts(), &case.guard);
        step.gate.lift_limits();
        step.gate.take_too_hard();
        state.query_time += step.gate.take_spent();
        moments::announce_conclusions(step, &state);
        let limits = &step.shared.config.limits;
        let limit = ForkLimits {
            depth: limits.depth,
            forks: limits.forks,
        };
        let omission = match verdict {
            Verdict::Possible(model) => match limit.reached(&state, step.shared) {
                None => {
                    let went_on = commit::go_postponed(step, state, *case, model);
                    self.forget(id, node);
                    if let Some(mut state) = went_on {
                        step_context::take_choices(&mut self.step, &mut state, Choosing::Stopped);
                        self.adopt([state]);
                    }
                    return;
                }
                Some(limit) => Omission::LeftOut(limit),
            },
            Verdict::Impossible(_) => {
                self.forget(id, node);
                drop(state);
                // There was no path: nothing ends, and nothing was left out.
                return moments::end_node(&mut self.step, node, Explored::Wholly);
            }
            Verdict::Undecided(cairn_solver::UnknownReason::Work) => {
                state.round = round.next();
                self.states[id.0 as usize] = Some(state);
                return self.postponed.push(round.next(), id, Some(case));
            }
            Verdict::Undecided(_) if step.shared.over() => {
                // It is among what the run leaves out.
                self.states[id.0 as usize] = Some(state);
                return self.postponed.push(round, id, Some(case));
            }
            Verdict::Undecided(reason) => undecided_case(step.shared, &reason),
        };
        self.forget(id, node);
        commit::omit_postponed(&mut self.step, state, omission);
    }
}
