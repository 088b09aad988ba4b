//! Which state runs next.
//!
//! # Problem
//!
//! A program has more paths than time. The order in which states run decides what
//! is found first, and no order is best for every program.
//!
//! # Idea
//!
//! A [`Searcher`] is told of states by id and asked for one. It never sees a state: what
//! it may know is [`SearcherInfo`], and the tree. Searchers are values that wrap one another:
//! [`SearchSpec::build`] makes them from a list of names, and each has its own file.
//!
//! - **Protocol.** The engine adds the first state, then repeats: `pick`, run, and tell what
//!   became of it. If it lives, `update`; if it ended, `remove`. At a fork, the state goes on as the
//!   first child (`update` with its new node) and the others are added in order; or it is removed
//!   and all children are added in order. Every searcher understands both, and calls for states it
//!   does not know are ignored (adding a state twice is an update), so that a state may be told of
//!   again without harm.
//!
//! # Soundness
//!
//! A searcher only orders: a complete run has the same paths under each.
//! `pick` gives a state that was added and not removed, and gives one if there is one.
//!
//! - **Determinism.** Each searcher has a generator of its own, seeded. No order of a hash map is
//!   visible. Only `qc`, time budgets of batching and iterative deepening look at clocks; runs with
//!   them differ from each other.
//!
//! # Cost
//!
//! At most logarithmic in the number of states for every call (random walks: expected).

mod batching;
mod bfs;
mod clock;
mod deepening;
mod dfs;
mod interleaved;
mod random_path;
mod random_state;
mod roster;
mod spec;
mod subtree;
mod sum_tree;
mod weighted;

pub use batching::Batching;
pub use bfs::Bfs;
pub use clock::Clock;
pub use deepening::IterativeDeepening;
pub use dfs::Dfs;
pub use interleaved::Interleaved;
pub use random_path::RandomPath;
pub use random_state::RandomState;
pub use spec::{DEFAULT, Plain, SearchError, SearchSpec, names};
pub use subtree::Subtree;
pub use weighted::{WeightBy, Weighted};

use crate::path::tree::{NodeId, Tree};

/// A state, as the engine numbers them. A number may be used again after `remove`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StateId(pub u32);

/// What a searcher sees of a state when it is added or updated.
#[derive(Clone, Debug)]
pub struct SearcherInfo {
    /// Its leaf of the tree.
    pub node: NodeId,
    /// How many forks led to it.
    pub depth: u32,
    /// Instructions executed on its path.
    pub instructions: u64,
    /// Instructions since its path covered new code. Means nothing unless `covered_new`.
    pub since_new: u64,
    /// Whether its path has ever covered new code.
    pub covered_new: bool,
    /// Instructions to the nearest code that is not covered; `None` if none can be reached.
    pub distance: Option<u32>,
    /// What the queries of its path took.
    pub query_seconds: f64,
    /// How many calls it is in.
    pub call_depth: u32,
    /// How often the instruction it is at was executed, by all states.
    pub instruction_count: u64,
    /// How many instructions ran under its call path, by all states.
    pub call_path_count: u64,
}

/// Decides which state runs next. See the head of this module for who calls what when.
pub trait Searcher {
    /// Its name, with those of the searchers it wraps, as a [`SearchSpec`] would be read from where it can.
    fn name(&self) -> String;

    /// There is a new state.
    fn add(&mut self, state: StateId, info: &SearcherInfo);

    /// A state ran and is still alive, or something else about it has changed.
    fn update(&mut self, state: StateId, info: &SearcherInfo);

    /// A state has ended, or another worker has it now.
    fn remove(&mut self, state: StateId);

    /// The state to run next. It stays known. `states_at` tells which state a living leaf of the
    /// tree belongs to.
    fn pick(&mut self, tree: &Tree, states_at: &dyn Fn(NodeId) -> StateId) -> Option<StateId>;

    /// The state to give to another worker: the one with the fewest forks behind it, because most
    /// is expected below it; the oldest of several. It stays known.
    fn choose_to_send(&mut self) -> Option<StateId>;
}
