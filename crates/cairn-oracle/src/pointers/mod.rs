//! Programs that access memory by pointers which inputs choose, explored with a path for each object and with one path
//! for all.
//!
//! # Problem
//!
//! An access by a chosen pointer that is one path (`--memory segments`, `ite`, `adaptive`) must find the errors that a path for each object finds,
//! and must leave in memory what each of them leaves.
//!
//! # Idea
//!
//! Random programs have tables of pointers to the heap, the stack, globals and constants, to what was freed or
//! returned from, and null; they read, write, copy, move and free by them, and end in one of four ways that depends on
//! what was read ([`random`]). Under every policy the errors (kind and line), the ends and the completeness must be the
//! same. Every test is run again on the concrete machine by `cairn run`, which judges each access by the object that a pointer
//! was made from; the tests of programs without errors are also replayed natively.
//!
//! # Soundness
//!
//! Everything follows from the seed. A difference is a bug in one of the policies, an exit code of 70 one that both may have;
//! what both miss and no test shows goes unseen.

mod campaign;
mod program;

pub use campaign::{Report, Settings, run};
pub(crate) use campaign::{RunOutput, compare, explore, replay};
pub use program::{Program, random};
