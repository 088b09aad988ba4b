//! Paths that meet again become one.
//!
//! # Problem
//!
//! Two branches that do not depend on each other make four paths, and thirty a billion, although the program is at the same
//! place behind each of them.
//!
//! # Idea
//!
//! Merging of states, as [Trabish24, chapter 5] and many before it. A *group* is opened where paths part; its *members* are all
//! paths that come of it. A member that gets to where the group closes waits there. When no member is on its way any more,
//! those that wait at the same place become one state: what differs between them is a choice between their values.
//!
//! - `groups.rs`: who is a member of what, and who waits.
//! - `schedule.rs`: what a worker does with states that wait.
//! - `alternatives.rs`: under which conditions the merged state stands for which member.
//! - `states.rs`, `parts.rs`: the parts of a state, each merged or refused.
//! - `shapes.rs`: where the paths of a function meet.
//! - `check.rs`: proves merges with another solver.
//! - `counts.rs`: what is counted.
//! - `faults.rs`: ways to break merging, for tests.
//!
//! # What differs
//!
//! Conditions come from the facts of the members since they parted, with all that was assumed, chosen and found inside of
//! bounds, not from the conditions of branches alone. They make a tree with the shape of the execution tree, and so do the choices
//! between values: two sides of a branch need its condition, not the conditions of their whole paths. Calls and
//! nested loops inside of a group need nothing special, because groups nest.
//!
//! # Soundness
//!
//! Guards of a step exclude each other, so under the facts that all members share each input is of one member at most, and the
//! merged state has there what that member has. What cannot be expressed so is refused, and the states go on as they were.
//! Whatever rested on facts that only grow is met again (what all members know) or forgotten. A dropped membership counts
//! by itself, so that no group waits for a path that is gone. The decisions of a merged state are a join of those of its members, which
//! are run again and merged again where it is taken up (`explore/rejoin.rs`).
//!
//! # Cost
//!
//! Without merging one test where a path leaves the step function, and an empty list in each state. A merge takes time in
//! what differs between its members.
//!
//! # Counters
//!
//! `paths.merged` and `merging` in `summary.json`.

mod alternatives;
mod check;
mod counts;
mod faults;
mod groups;
mod parts;
mod schedule;
mod shapes;
mod states;

pub use counts::{MergeCounts, MergeRefusal, WentBy};
pub(crate) use counts::{add_merges, merges_of};
pub use faults::MergeFault;
pub(crate) use groups::{Groups, Merger};
pub(crate) use schedule::{commit, merge_again, merge_complete, wait_to_merge, waits_at};
pub(crate) use shapes::MergePoints;

use std::str::FromStr;

/// Which paths are merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MergeMode {
    /// None.
    #[default]
    None,
    /// Those that the program marks, with `klee_open_merge` and `klee_close_merge`.
    Marked,
    /// Those that part in a loop, where they leave it.
    Loops,
    /// Those that part anywhere, where all ways meet again in the same function.
    Joins,
}

/// There is no such mode.
#[derive(Clone, Debug, thiserror::Error)]
#[error("no mode of merging {0}: none, marked, loops or joins")]
pub struct UnknownMergeMode(String);

impl FromStr for MergeMode {
    type Err = UnknownMergeMode;

    fn from_str(text: &str) -> Result<Self, UnknownMergeMode> {
        match text {
            "none" => Ok(MergeMode::None),
            "marked" => Ok(MergeMode::Marked),
            "loops" => Ok(MergeMode::Loops),
            "joins" => Ok(MergeMode::Joins),
            other => Err(UnknownMergeMode(other.to_string())),
        }
    }
}
