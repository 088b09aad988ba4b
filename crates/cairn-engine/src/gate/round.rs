//! Rounds: how much work a question may take before other questions have their turn.
//!
//! # Problem
//!
//! Some questions take the solver a minute where most take microseconds. A worker that waits for one of them
//! explores nothing meanwhile, and most runs end with time still left to the paths beside it.
//!
//! # Idea
//!
//! A question has a budget of work. If that is used up the question is postponed, with its state, and
//! asked again with four times the budget (`explore/postponed.rs` says when). Budgets that grow by a factor are the
//! usual answer to not knowing what a search will take: in all they cost a constant factor more than the right one.
//!
//! # Soundness
//!
//! A question that ran out of work has no answer: no case is followed or dropped because of it. What is
//! still postponed when the run ends is an omission.
//!
//! # Cost
//!
//! Work is counted as [`cairn_solver::Budget::work`] says, never by a clock, so a seed gives the same run again. All rounds before the last take a third of the last one's work; the core solver keeps what it
//! learnt meanwhile.

/// The work of the first round. Of the questions that reach a search nearly all take less.
const FIRST: u64 = 1 << 22;

/// The factor from one round to the next, as a power of two.
const GROWTH: u32 = 2;

/// The round in which a question may take as much as it needs.
const LAST: u8 = 14;

/// How often a question was postponed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Round(u8);

impl Round {
    /// What a question may take in this round, as the solver counts it; no limit in the last.
    pub fn work(self) -> Option<u64> {
        (self.0 < LAST).then(|| FIRST << (u32::from(self.0) * GROWTH))
    }

    /// The next round.
    pub fn next(self) -> Round {
        Round((self.0 + 1).min(LAST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_grow_until_there_is_none() {
        let mut round = Round::default();
        let mut spent = 0;
        while let Some(work) = round.work() {
            assert!(work > 2 * spent, "earlier rounds cost a part of this one");
            spent += work;
            assert!(round.next() > round);
            round = round.next();
        }
        assert_eq!(round.next(), round);
    }
}
