//! The interface of techniques that take part in exploring (`feature.rs`, `moments.rs`), and those that the engine brings.
//!
//! `features` in `explore/start.rs` lists those that every run has, in their order. `kept_tree.rs` and `every_core.rs` are in a run only
//! if they are asked for.

pub(crate) mod ask_solver;
mod bytes;
mod every_core;
pub(crate) mod feature;
mod fixed_inputs;
mod kept_tree;
mod known;
pub(crate) mod limits;
pub(crate) mod moments;
mod seeds;

pub use ask_solver::AskSolver;
pub(crate) use bytes::ByteTables;
pub use bytes::{ByteSets, KnownBytes};
pub(crate) use every_core::EveryCore;
pub use fixed_inputs::{FixedInputs, KnownInputs};
pub(crate) use kept_tree::TreeKeeper;
pub use kept_tree::{ForkKind, KeptCounts, KeptEnd, KeptFork, KeptNode, KeptTree};
pub use known::KnownConditions;
pub use limits::ForkLimits;
pub use seeds::{Seed, Seeding, Seeds};
