//! The circuit of a worker: terms as gates, gates as clauses.
//!
//! `gates.rs` is the and-inverter graph, `operators.rs` the circuits of bit-vector operators, `blast.rs`
//! the translation of terms, `cnf.rs` that of gates into clauses, and `roots.rs` the facts and goals that
//! queries consist of.

mod blast;
mod cnf;
mod gates;
mod operators;
mod roots;

pub use blast::{Blaster, constant};
pub use cnf::{ClauseSink, Cnf, SatLit};
pub use gates::{GateFunction, Gates, Lit};
pub use roots::{Circuit, Root, TermSet};
