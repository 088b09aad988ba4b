//! Paths that leave a worker: for one that has no work, or because memory is short.
//!
//! A path is its decisions, or those of paths that became one (`explore/rejoin.rs`): it is run again from the start wherever it is taken up. A path that is sent takes the values of
//! bit-vectors from its model along (those of Booleans and arrays are dropped); if they do not satisfy its facts at the end of its
//! decisions, the solver is asked once. States that are set aside for memory stay with their worker and share the decisions that they have in
//! common; their models are dropped and looked for again when they come back, the last first. Nothing
//! is lost: what a run does not get to is counted when it ends.

use crate::calls::host_answers::{HostAnswer, HostAnswers};
use crate::explore::rejoin::portable_joins;
use crate::explore::worker::Worker;
use crate::features::feature::Departure;
use crate::features::moments;
use crate::finding::Outcome;
use crate::omission::{Omission, StopCause};
use crate::path::decisions::{Decisions, LoggedDecision};
use crate::path::path_end;
use cairn_bv::BitVec;
use cairn_expr::{Symbol, Value as ModelValue};
use cairn_home::resident_bytes;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time between two looks at memory: what was let go needs a moment to be given back.
const MEMORY_INTERVAL: Duration = Duration::from_millis(20);

/// How long a process may stay far above its memory limit with one state left.
const FAR_ABOVE: Duration = Duration::from_secs(1);

/// A path in a form that any worker can run again: its decisions and what goes with them, without terms.
#[derive(Clone, Debug, Default)]
pub struct PortablePath {
    /// Paths that it goes on for: each join behind those that it needs. The decisions begin with the last.
    pub(crate) joins: Vec<PortableJoin>,
    /// What was decided.
    pub decisions: Vec<LoggedDecision>,
    /// What operations chose.
    pub chosen_values: Vec<BitVec>,
    /// What the host answered.
    pub(crate) answers: Vec<Arc<HostAnswer>>,
    /// Values of symbols under which the path is taken.
    pub model: Vec<(Arc<Symbol>, BitVec)>,
    /// Forks so far.
    pub depth: u32,
    /// It covered something that no test has.
    pub covered_new: bool,
    /// The decisions come from a user (see `ReplayGuide`).
    pub given: bool,
}

/// Paths that became one.
pub(crate) type PortableJoin = Vec<PortableMember>;

/// One of the paths that became one.
#[derive(Clone, Debug)]
pub(crate) struct PortableMember {
    /// The join that it begins with; with the program if there is none.
    pub start: Option<usize>,
    /// What was decided since.
    pub decisions: Vec<LoggedDecision>,
    /// Arrivals after the last decision.
    pub arrivals: u32,
}

/// A state that was set aside: what is needed to run its path again. Its decisions are shared with
/// those that it has in common with others; a model is looked for when it comes back.
pub(crate) struct SetAsidePath {
    pub decisions: Decisions,
    pub chosen_values: Vec<BitVec>,
    pub answers: HostAnswers,
    pub depth: u32,
    /// It covered something that no test has.
    pub covered_new: bool,
}

impl SetAsidePath {
    fn into_path(self) -> PortablePath {
        PortablePath {
            joins: portable_joins(&self.decisions),
            decisions: self.decisions.to_vec(),
            chosen_values: self.chosen_values,
            answers: self.answers.to_vec(),
            model: Vec::new(),
            depth: self.depth,
            covered_new: self.covered_new,
            given: false,
        }
    }
}

impl Worker<'_> {
    /// A path to take up: one that was set aside here, the last first, or one of the others'.
    pub(crate) fn next_path(&mut self) -> Option<PortablePath> {
        match self.aside.pop() {
            Some(aside) => Some(aside.into_path()),
            None => self.step.shared.receive(),
        }
    }

    /// Gives a state to a worker that has none.
    pub(crate) fn offer_path(&mut self) {
        if self.by_node.len() >= 2 {
            self.send_state();
        } else if let Some(aside) = self.aside.pop() {
            self.step.shared.send(aside.into_path());
        }
    }

    /// Whether the process has more memory than it may. Looks now and then, and when states have grown by a
    /// good part of the limit: a program that fills large blocks takes gigabytes in a second.
    pub(crate) fn short_of_memory(&mut self) -> bool {
        let config = &self.step.shared.config;
        if let Some(turns) = config.set_aside_after {
            self.turns += 1;
            return self.turns.is_multiple_of(turns);
        }
        let Some(limit) = config.limits.memory else {
            return false;
        };
        if self.grown < limit / 32 && self.looked_at_memory.elapsed() < MEMORY_INTERVAL {
            return false;
        }
        self.looked_at_memory = Instant::now();
        self.grown = 0;
        let over = self.step.cx.over_memory();
        if !over {
            self.far_above_since = None;
        }
        over
    }

    /// Memory is short: half of the states are kept as their decisions only, and come back when
    /// the others are done. A state that is alone and holds much itself is ended.
    pub(crate) fn set_aside(&mut self) {
        let living = self.by_node.len();
        if living == 1 {
            self.end_if_large();
            return;
        }
        for _ in 0..living / 2 {
            let Some(id) = self.searcher.choose_to_send() else {
                break;
            };
            let state = self.states[id.0 as usize].take().expect("it lives");
            self.aside.push(SetAsidePath {
                decisions: state.decisions.clone(),
                chosen_values: state.domain.chosen_values.clone(),
                answers: state.answers_of_host(),
                depth: state.depth,
                covered_new: state.domain.covered_new,
            });
            self.forget(id, state.node);
            moments::leave(&mut self.step, state, Departure::SetAside);
        }
        self.step.cx.store.sweep();
    }

    /// Ends the only state if it is what takes the memory, or if the process stays far above its limit
    /// although there is nothing else to let go.
    fn end_if_large(&mut self) {
        let Some(id) = self.pick() else { return };
        let state = self.states[id.0 as usize].take().expect("it lives");
        let limit = self.step.shared.config.limits.memory.unwrap_or(u64::MAX);
        let held = state.domain.memory.taken_bytes() + state.domain.origins.taken_bytes();
        let is_large = held >= limit / 4;
        if !is_large && !self.stays_far_above(limit) {
            // What others held is given back in a moment.
            self.states[id.0 as usize] = Some(state);
            return;
        }
        self.forget(id, state.node);
        path_end::finish(
            &mut self.step,
            state,
            &Outcome::Stopped(Omission::LeftOut(StopCause::Memory)),
        );
    }

    /// Whether the process has been far above its limit for a while, at every look.
    fn stays_far_above(&mut self, limit: u64) -> bool {
        let far = limit.saturating_add(limit / 4);
        let Some(resident) = resident_bytes().filter(|bytes| *bytes > far) else {
            self.far_above_since = None;
            return false;
        };
        // It was above at the last look, too, and a path that grows fast does not wait for a second one.
        let doubled = self.far_above_since.is_some() && resident / 2 > limit;
        if self.far_above_since.is_none() {
            // Terms that nothing holds any more are memory that can be given back.
            self.step.cx.store.sweep();
        }
        let since = *self.far_above_since.get_or_insert_with(Instant::now);
        doubled || since.elapsed() >= FAR_ABOVE
    }

    /// Sends a state to another worker: its decisions, what was chosen and answered, and the values of bit-vectors from its model.
    fn send_state(&mut self) {
        let Some(id) = self.searcher.choose_to_send() else {
            return;
        };
        let state = self.states[id.0 as usize].take().expect("it lives");
        let values = state.domain.model.iter().filter_map(|(symbol, value)| {
            let symbol = symbol.as_symbol()?;
            match value {
                ModelValue::Bv(bits) => Some((Arc::clone(symbol), bits.clone())),
                ModelValue::Bool(_) | ModelValue::Array(_) => None,
            }
        });
        let path = PortablePath {
            joins: portable_joins(&state.decisions),
            decisions: state.decisions.to_vec(),
            chosen_values: state.domain.chosen_values.clone(),
            answers: state.answers_of_host().to_vec(),
            model: values.collect(),
            depth: state.depth,
            covered_new: state.domain.covered_new,
            given: false,
        };
        self.forget(id, state.node);
        moments::leave(&mut self.step, state, Departure::Moved);
        self.step.shared.send(path);
    }
}
