//! Random choice of a state by weight.
//!
//! # Idea
//!
//! KLEE's non-uniform random searches (`nurs:…`); the weights are KLEE's, so that results
//! compare.
//!
//! A place in a [`SumTree`] per state. Places of states that left are used again.
//!
//! - **What a weight knows.** The facts at the last `add` or `update` of the state. Coverage by other
//!   states changes distances and counts meanwhile; a state is weighed again when it has run, as in
//!   KLEE. The engine may `update` more often.
//!
//! - **Fairness.** Every weight is positive, so every state has its turn at some time.
//!
//! # Cost
//!
//! Logarithmic.
//!
//! | name | weight |
//! |---|---|
//! | `covnew` | (1 / max(1, since\_new - 1000))² if the path covered new code, plus the weight of `md2u` |
//! | `md2u` | (1 / distance to uncovered code)², with 10,000 if none can be reached |
//! | `depth` | depth |
//! | `rp` | 2^-depth |
//! | `icnt` | (1 / executions of the present instruction)² |
//! | `cpicnt` | 1 / instructions executed under the present call path |
//! | `qc` | 1 / seconds of queries, 1 below a tenth of a second |

use super::roster::Roster;
use super::sum_tree::{SumTree, Weight};
use super::{Searcher, SearcherInfo, StateId};
use crate::path::tree::{NodeId, Tree};
use crate::rng::Rng;

/// What makes a state likely. The head of this file's module lists the weights.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WeightBy {
    /// New code was covered not long ago, or is near.
    CoveringNew,
    /// Uncovered code is near.
    Distance,
    /// Many forks.
    Depth,
    /// Few forks.
    HalfPerFork,
    /// The present instruction was seldom executed.
    InstructionCount,
    /// Little was executed under the present call path.
    CallPathCount,
    /// Queries of the path were cheap.
    QueryCost,
}

/// Distance that stands for unreachable.
const UNREACHABLE: f64 = 10_000.0;

/// Instructions for which new coverage counts fully.
const FRESH: u64 = 1000;

/// Seconds of queries that count as nothing.
const CHEAP: f64 = 0.1;

impl WeightBy {
    /// All weights.
    pub const ALL: [WeightBy; 7] = [
        WeightBy::CoveringNew,
        WeightBy::Distance,
        WeightBy::Depth,
        WeightBy::HalfPerFork,
        WeightBy::InstructionCount,
        WeightBy::CallPathCount,
        WeightBy::QueryCost,
    ];

    /// The name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            WeightBy::CoveringNew => "covnew",
            WeightBy::Distance => "md2u",
            WeightBy::Depth => "depth",
            WeightBy::HalfPerFork => "rp",
            WeightBy::InstructionCount => "icnt",
            WeightBy::CallPathCount => "cpicnt",
            WeightBy::QueryCost => "qc",
        }
    }

    fn weigh(self, info: &SearcherInfo) -> Weight {
        match self {
            WeightBy::CoveringNew => {
                let recent = if info.covered_new {
                    one_over(info.since_new.saturating_sub(FRESH))
                } else {
                    0.0
                };
                Weight::new(recent * recent + nearness(info))
            }
            WeightBy::Distance => Weight::new(nearness(info)),
            // The state without forks is alone, but a weight of zero would not be a weight.
            WeightBy::Depth => Weight::new(f64::from(info.depth.max(1))),
            WeightBy::HalfPerFork => Weight::power_of_two(-i64::from(info.depth)),
            WeightBy::InstructionCount => {
                let rarity = one_over(info.instruction_count);
                Weight::new(rarity * rarity)
            }
            WeightBy::CallPathCount => Weight::new(one_over(info.call_path_count)),
            WeightBy::QueryCost if info.query_seconds >= CHEAP => {
                Weight::new(1.0 / info.query_seconds)
            }
            WeightBy::QueryCost => Weight::new(1.0),
        }
    }
}

fn one_over(count: u64) -> f64 {
    1.0 / count.max(1) as f64
}

fn nearness(info: &SearcherInfo) -> f64 {
    let inverse = match info.distance {
        Some(distance) => one_over(u64::from(distance)),
        None => 1.0 / UNREACHABLE,
    };
    inverse * inverse
}

/// Weighted random choice of a state.
#[derive(Debug)]
pub struct Weighted {
    by: WeightBy,
    /// The place of each state.
    roster: Roster<usize>,
    weights: SumTree,
    /// The state at each place, which means nothing for a place without a weight.
    states: Vec<StateId>,
    free: Vec<usize>,
    rng: Rng,
}

impl Weighted {
    /// Without states.
    pub fn new(by: WeightBy, rng: Rng) -> Weighted {
        Weighted {
            by,
            roster: Roster::new(),
            weights: SumTree::new(),
            states: Vec::new(),
            free: Vec::new(),
            rng,
        }
    }
}

impl Searcher for Weighted {
    fn name(&self) -> String {
        self.by.name().to_owned()
    }

    fn add(&mut self, state: StateId, info: &SearcherInfo) {
        if self.roster.contains(state) {
            return self.update(state, info);
        }
        let place = self.free.pop().unwrap_or_else(|| {
            self.states.push(state);
            self.states.len() - 1
        });
        self.states[place] = state;
        self.weights.set(place, self.by.weigh(info));
        self.roster.add(state, info, place);
    }

    fn update(&mut self, state: StateId, info: &SearcherInfo) {
        if let Some((&mut place, _)) = self.roster.update(state, info) {
            self.weights.set(place, self.by.weigh(info));
        }
    }

    fn remove(&mut self, state: StateId) {
        if let Some(place) = self.roster.remove(state) {
            self.weights.clear(place);
            self.free.push(place);
        }
    }

    fn pick(&mut self, _: &Tree, _: &dyn Fn(NodeId) -> StateId) -> Option<StateId> {
        self.weights
            .choose(&mut self.rng)
            .map(|place| self.states[place])
    }

    fn choose_to_send(&mut self) -> Option<StateId> {
        self.roster.shallowest()
    }
}
