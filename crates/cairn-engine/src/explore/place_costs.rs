//! What places of a program cost: forks, queries and their time.
//!
//! A worker counts for itself, at the operation that a state stopped at, and hands its table on when
//! it ends. How often blocks ran is counted by `WorkerContext`. *Cost:* a table entry for each step that
//! asked or forked; nothing for the others.

use cairn_ir::{FuncId, PlaceId};
use rustc_hash::FxHashMap;
use std::time::Duration;

/// What happened at one place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlaceCosts {
    /// Forks.
    pub forks: u64,
    /// Queries to the solver.
    pub queries: u64,
    /// Their time.
    pub query_time: Duration,
}

impl PlaceCosts {
    /// Adds what happened elsewhere.
    pub fn add(&mut self, other: &PlaceCosts) {
        self.forks += other.forks;
        self.queries += other.queries;
        self.query_time += other.query_time;
    }
}

/// Costs by function and place.
pub(crate) type CostTable = FxHashMap<(FuncId, PlaceId), PlaceCosts>;

/// Adds one table to another.
pub(crate) fn merge(into: &mut CostTable, from: CostTable) {
    for (place, costs) in from {
        into.entry(place).or_default().add(&costs);
    }
}
