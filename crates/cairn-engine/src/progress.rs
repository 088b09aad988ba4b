//! Operations that are run again must get somewhere.
//!
//! - **Problem.** An operation that needs to know something is run again once that was decided. If the
//!   decision leaves no trace that the operation sees, it asks the same again, for ever.
//! - **Idea.** Every retry must have changed something: a fact was added, or bytes of memory became
//!   known, or another answer than the last one was remembered (`settled.rs`, `pointers.rs`): a decision
//!   that follows from the facts changes nothing else. So many retries in a row without a change are a
//!   bug in Cairn, which is reported as one and ends the path. A loop that accesses a table at a new
//!   index in each round remembers a new answer in each.
//! - **Why it ends.** Bytes of an operation's operands become known once; facts that are added rule out
//!   the path's last model or narrow it; the rest is counted here.
//! - **Cost.** Some numbers are compared when an operation stops.

use crate::state::State;

/// The most retries of one operation that change neither facts nor memory. An operation has far fewer
/// operands.
const MOST: u32 = 100;

/// What a path had reached before an operation.
pub(crate) struct Progress {
    retried: u64,
    facts: usize,
    made_known: u64,
    remembered: (u32, u32),
}

/// Counts retries in a row that changed nothing.
#[derive(Default)]
pub(crate) struct Stall {
    retries: u32,
}

impl Progress {
    pub fn of(state: &State) -> Self {
        Progress {
            retried: state.thread.retried,
            facts: state.facts.len(),
            made_known: state.space.made_known,
            remembered: state.space.newest_answers(),
        }
    }

    /// Whether the path did nothing since but go back to the same operation.
    fn is_all(&self, state: &State) -> bool {
        state.thread.retried != self.retried
            && state.facts.len() == self.facts
            && state.space.made_known == self.made_known
            && state.space.newest_answers() == self.remembered
    }
}

impl Stall {
    /// Notes what a step did; whether the path does not get any further.
    pub fn note(&mut self, before: &Progress, state: &State) -> bool {
        self.retries = match before.is_all(state) {
            true => self.retries + 1,
            false => 0,
        };
        self.retries > MOST
    }
}
