//! The order in which ways of exploring are tried on a task.
//!
//! # Problem
//!
//! A loop of thirty turns with a branch in each has a billion paths, and one if paths are merged where they meet again. A sort has some
//! hundred paths, each of which is decided without the solver; merged, it is one path with a question that no solver answers soon. Which
//! of the two a task is, is not seen before.
//!
//! # Idea
//!
//! Attempts from the start of the program, in turns with paths apart and with paths merged, each pair with four times the limit
//! of the pair before. Errors near the beginning are met by the first attempt; what only one of the ways decides takes at most a few times
//! what that way takes by itself.
//!
//! # Soundness
//!
//! An attempt is an exploration like any other, and a verdict stands on one attempt alone: `TRUE` on one that was complete, `FALSE`
//! on a test that was run again. An attempt that was ended by its limit decides nothing.
//!
//! # Cost
//!
//! Attempts that decide nothing are lost: with limits that grow fourfold, at most about two thirds of the time.

use cairn_engine::search::{SearchError, SearchSpec};
use cairn_engine::{Config, Exploration, Limits, MergeMode, StopCause};
use std::time::Duration;

/// Which paths first if they stay apart: some of each kind, so that errors near the beginning and deep ones are both met early.
const SEARCH_APART: &str = "random-path,bfs,subtree=4000,covnew";

/// Operations of the first attempts.
const FIRST_OPERATIONS: u64 = 1_000_000;

/// Processor time of the first attempts, for programs whose questions take the solver long.
const FIRST_TIME: Duration = Duration::from_millis(250);

/// How much larger the limits of the next attempts are.
const GROWTH: u32 = 4;

/// What the next attempt is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Apart,
    Merged,
}

/// See the module's head.
pub(super) struct Attempts {
    way: Way,
    /// Limits of an attempt. `None`: those of the task alone.
    share: Option<(u64, Duration)>,
    /// Merging may still decide the task.
    merging: bool,
    made: u32,
}

impl Attempts {
    /// With `one_alone` a single attempt with paths apart: for test suites, which want the tests of all paths.
    pub fn new(one_alone: bool) -> Attempts {
        Attempts {
            way: Way::Apart,
            share: (!one_alone).then_some((FIRST_OPERATIONS, FIRST_TIME)),
            merging: !one_alone,
            made: 1,
        }
    }

    /// How many there were, the one that runs now included.
    pub fn made(&self) -> u32 {
        self.made
    }

    /// What the next attempt is told, if so much processor time is left for the task.
    ///
    /// # Errors
    /// If the user's list of searchers is none.
    pub fn config(
        &self,
        task: &Config,
        search: Option<&str>,
        left: Option<Duration>,
    ) -> Result<Config, SearchError> {
        let (operations, time) = self.share.unzip();
        Ok(Config {
            search: match (search, self.way) {
                (Some(list), _) => list.parse()?,
                (None, Way::Apart) => SEARCH_APART.parse()?,
                (None, Way::Merged) => SearchSpec::default(),
            },
            merge: match self.way {
                Way::Apart => MergeMode::None,
                Way::Merged => MergeMode::Joins,
            },
            limits: Limits {
                instructions: operations,
                cpu_time: time.into_iter().chain(left).min(),
                ..task.limits.clone()
            },
            ..task.clone()
        })
    }

    /// Whether there is another attempt after this one, which has decided nothing, if so much processor time is left for the
    /// task.
    pub fn go_on(&mut self, result: &Exploration, left: Option<Duration>) -> bool {
        self.go_on_after(result.stopped_by, result.merges.merged > 0, left)
    }

    fn go_on_after(
        &mut self,
        stopped_by: Option<StopCause>,
        merged: bool,
        left: Option<Duration>,
    ) -> bool {
        let of_attempt = match stopped_by {
            Some(StopCause::Instructions | StopCause::CpuTime) => left != Some(Duration::ZERO),
            _ => false,
        };
        match self.way {
            // All was explored that can be, or the task's own limit was met.
            Way::Apart if !of_attempt => return false,
            Way::Apart => {}
            // Merging may make what it cannot follow: only paths apart tell whether the program has it.
            Way::Merged if stopped_by.is_some() && !of_attempt => return false,
            Way::Merged => self.merging &= of_attempt && merged,
        }
        self.made += 1;
        match (self.way, self.merging) {
            (Way::Apart, true) => self.way = Way::Merged,
            (Way::Apart | Way::Merged, false) => {
                self.way = Way::Apart;
                self.share = None;
            }
            (Way::Merged, true) => {
                self.way = Way::Apart;
                self.share = self.share.map(|(operations, time)| {
                    (operations.saturating_mul(u64::from(GROWTH)), time * GROWTH)
                });
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the next attempt is told: merging, its operations.
    fn told(attempts: &Attempts) -> (MergeMode, Option<u64>) {
        let config = attempts.config(&Config::default(), None, None);
        let config = config.expect("the searchers are known");
        (config.merge, config.limits.instructions)
    }

    #[test]
    fn limits_grow_while_both_ways_meet_theirs() {
        let mut attempts = Attempts::new(false);
        let mut operations = FIRST_OPERATIONS;
        for _ in 0..5 {
            assert_eq!(told(&attempts), (MergeMode::None, Some(operations)));
            assert!(attempts.go_on_after(Some(StopCause::Instructions), false, None));
            assert_eq!(told(&attempts), (MergeMode::Joins, Some(operations)));
            assert!(attempts.go_on_after(Some(StopCause::CpuTime), true, None));
            operations *= u64::from(GROWTH);
        }
        assert_eq!(attempts.made(), 11);
    }

    #[test]
    fn what_merging_does_not_decide_is_left_to_paths_apart() {
        // Nothing merges, or what merges cannot be followed: then there is one more attempt, without a limit of its own.
        for (stopped_by, merged) in [(Some(StopCause::Instructions), false), (None, true)] {
            let mut attempts = Attempts::new(false);
            assert!(attempts.go_on_after(Some(StopCause::Instructions), false, None));
            assert!(attempts.go_on_after(stopped_by, merged, None));
            assert_eq!(told(&attempts), (MergeMode::None, None));
            assert!(!attempts.go_on_after(Some(StopCause::Time), false, None));
        }
    }

    #[test]
    fn limits_of_the_task_end_it() {
        for stopped_by in [None, Some(StopCause::Time), Some(StopCause::Interrupt)] {
            assert!(!Attempts::new(false).go_on_after(stopped_by, false, None));
        }
        let used_up = Some(Duration::ZERO);
        assert!(!Attempts::new(false).go_on_after(Some(StopCause::CpuTime), false, used_up));
        let left = Duration::from_millis(7);
        let config = Attempts::new(true).config(&Config::default(), None, Some(left));
        let limits = config.expect("the searchers are known").limits;
        assert_eq!((limits.instructions, limits.cpu_time), (None, Some(left)));
    }
}
