//! Seeds first: states that a seed follows run before all others.
//!
//! A worker keeps the states that a seed follows on a stack and picks from there until the seeds'
//! paths have ended or their time is over; then the searcher picks. A state leaves the stack when it
//! is found at its top and no seed follows it any more. Which way seeds go is the business of
//! `features/seeds.rs`.

use crate::explore::worker::Worker;
use crate::omission::StopCause;
use crate::search::StateId;

/// States that seeds follow.
#[derive(Default)]
pub(crate) struct SeededFirst {
    states: Vec<StateId>,
    /// Seeds have no precedence any more.
    over: bool,
    /// Nothing runs after them.
    ended_run: bool,
}

impl SeededFirst {
    /// A seed follows this state.
    pub fn add(&mut self, state: StateId) {
        if !self.over {
            self.states.push(state);
        }
    }

    /// Whether the run was to end with the seeds' paths, and they have ended.
    pub fn ended_run(&self) -> bool {
        self.ended_run
    }
}

impl Worker<'_> {
    /// The state of a seed to run next.
    pub(crate) fn pick_seeded(&mut self) -> Option<StateId> {
        let seeding = self.step.shared.config.seeding.as_ref()?;
        if self.seeded.over {
            return None;
        }
        let start = self.step.shared.config.limits.start;
        let late = |time| start.is_some_and(|start| start.elapsed() >= time);
        let observer = &self.step.shared.observer;
        if seeding.time.is_some_and(late) {
            let left = self.seeded.states.len();
            observer.progress(&format!(
                "seed time expired, seeds remain over {left} states"
            ));
        } else {
            while let Some(&id) = self.seeded.states.last() {
                let state = self.states[id.0 as usize].as_ref();
                if state.is_some_and(|state| state.on_seed) {
                    return Some(id);
                }
                self.seeded.states.pop();
            }
            // If only the paths of seeds are followed, no state is left.
            if !seeding.only {
                let left = self.by_node.len();
                observer.progress(&format!("seeding done ({left} states remain)"));
            }
        }
        self.seeded.over = true;
        self.seeded.states.clear();
        if seeding.then_end && !self.by_node.is_empty() {
            self.seeded.ended_run = true;
            self.step.shared.stop_by(StopCause::OnlySeed);
        }
        None
    }
}
