//! The features that every exploration has.

pub(crate) mod ask_solver;
mod bytes;
mod every_core;
pub(crate) mod feature;
mod kept_tree;
mod known;
pub(crate) mod limits;
pub(crate) mod moments;
mod points;
mod seeds;

pub use ask_solver::AskSolver;
pub(crate) use bytes::ByteTables;
pub use bytes::{ByteSets, KnownBytes};
pub(crate) use every_core::EveryCore;
pub(crate) use kept_tree::TreeKeeper;
pub use kept_tree::{ForkKind, KeptCounts, KeptEnd, KeptFork, KeptNode, KeptTree};
pub use known::KnownConditions;
pub use limits::ForkLimits;
pub use points::{KnownPoints, Points};
pub use seeds::{Seed, Seeding, Seeds};
