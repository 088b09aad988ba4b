//! Operations that are run again must get somewhere.
//!
//! # Problem
//!
//! An operation with an undecided value is run again once the value was decided. If the decision changes
//! nothing that the operation looks at, it asks the same question again, for ever.
//!
//! # Idea
//!
//! Every retry must have changed something: a fact was added, or bytes of memory became known, or
//! another answer than the last one was remembered (`path/decided.rs`, `memory/pointers.rs`), which is all that a
//! decision that follows from the facts changes. More than 100 retries in a row without a change are
//! a bug in Cairn, which is reported as one and ends the path. A loop that accesses a table at a new index
//! in each iteration remembers a new answer each time, and may go on; a single operation that does so
//! more than 200 times in a row goes round in a circle of answers, and ends the path too.
//!
//! # Soundness
//!
//! It may end a path that would get further, and reports that; it never claims that such a path was
//! explored to its end. Retries terminate: bytes of an operation's operands become known once; facts that
//! are added rule out the path's last model or narrow it; all other retries are counted here.
//!
//! # Cost
//!
//! Some numbers are compared when an operation stops.

use crate::path::state::State;
use cairn_ir::FuncId;

/// The most retries in a row that change neither facts nor memory nor what is remembered. An operation has
/// far fewer operands.
const MOST: u32 = 100;

/// The most retries in a row of one and the same operation, which may go round in a circle of answers. A
/// state is looked at for at most 256 steps at a time.
const MOST_AT_ONE_PLACE: u32 = 200;

/// The most that running one operation again adds to the count of what was executed.
const ONE_OPERATION: u64 = 2;

/// What a path has reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Progress {
    retried: u64,
    executed: u64,
    position: Option<(FuncId, u32)>,
    facts: usize,
    known_count: u64,
    remembered: (u32, u32),
}

/// Counts retries in a row that changed nothing.
#[derive(Default)]
pub(crate) struct Stall {
    retries: u32,
    at_one_place: u32,
}

impl Progress {
    pub fn of(state: &State) -> Self {
        Progress {
            retried: state.thread.retried,
            executed: state.thread.executed,
            position: state.thread.position(),
            facts: state.facts.len(),
            known_count: state.domain.known_count,
            remembered: state.domain.newest_answers(),
        }
    }

    /// Whether the path went back to an operation since, and knows no more than before.
    fn only_retried(&self, after: &Progress) -> bool {
        after.retried != self.retried
            && after.facts == self.facts
            && after.known_count == self.known_count
    }

    /// Whether it ran no other operation.
    fn is_same_operation(&self, after: &Progress) -> bool {
        after.position == self.position && after.executed - self.executed <= ONE_OPERATION
    }
}

impl Stall {
    /// Whether the last step changed nothing.
    pub fn is_counting(&self) -> bool {
        self.retries > 0 || self.at_one_place > 0
    }

    /// Notes what a step did; whether the path does not get any further.
    pub fn note(&mut self, before: &Progress, after: &Progress) -> bool {
        let only_retried = before.only_retried(after);
        let count = |so_far: u32, stalls: bool| if stalls { so_far + 1 } else { 0 };
        let remembers_new = after.remembered != before.remembered;
        self.retries = count(self.retries, only_retried && !remembers_new);
        let same = before.is_same_operation(after);
        self.at_one_place = count(self.at_one_place, only_retried && same);
        self.retries > MOST || self.at_one_place > MOST_AT_ONE_PLACE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps that retry, each with what it executes, where it is and what it remembers; after how many of
    /// them the path is said to stall.
    fn stalls_after(step: impl Fn(u32) -> (u64, u32, u32)) -> Option<u32> {
        let mut stall = Stall::default();
        let mut now = Progress {
            retried: 0,
            executed: 0,
            position: Some((FuncId::new(0), 0)),
            facts: 0,
            known_count: 0,
            remembered: (0, 0),
        };
        (0..250).find(|&i| {
            let (executed, at, remembered) = step(i);
            let after = Progress {
                retried: now.retried + 1,
                executed: now.executed + executed,
                position: Some((FuncId::new(0), at)),
                remembered: (remembered, 0),
                ..now
            };
            let stalls = stall.note(&now, &after);
            now = after;
            stalls
        })
    }

    #[test]
    fn an_operation_that_gets_nowhere_stalls_and_a_loop_over_a_table_does_not() {
        // The same question again and again.
        assert_eq!(stalls_after(|_| (1, 0, 7)), Some(MOST + 1));
        // Two questions that make each other forgotten.
        assert_eq!(stalls_after(|i| (1, 0, i % 2)), Some(MOST_AT_ONE_PLACE));
        // A loop that asks about another index in each round, at one place or at several.
        assert_eq!(stalls_after(|i| (5, 0, i)), None);
        assert_eq!(stalls_after(|i| (1, i % 2, i)), None);
    }
}
