//! The features that every exploration has.

mod bytes;
mod feasibility;
mod known;
mod limits;
mod points;
mod seeds;

pub use bytes::{ByteSets, KnownBytes};
pub use feasibility::Feasibility;
pub use known::KnownConditions;
pub use limits::ForkLimits;
pub use points::{KnownPoints, Points};
pub use seeds::{Seed, Seeding, Seeds};
