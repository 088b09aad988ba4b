//! Facts about functions that do not depend on values: machines, features and searchers ask for
//! them, front ends never do.
//!
//! Everything works on a [`Graph`](cfg::Graph) of dense numbers; [`Cfg`](cfg::Cfg) makes one of a
//! body. Each analysis is computed once, is immutable after that (but for
//! [`Distances`](distance::Distances), which follow coverage), and takes time about linear in the
//! function. None recurses, none panics on a body whose ids are in range, whether or not it
//! verifies.

pub mod callgraph;
pub mod cfg;
mod costs;
pub mod distance;
pub mod dominators;
pub mod initialised;
pub mod liveness;
pub mod loops;
pub mod points_to;
mod table;
