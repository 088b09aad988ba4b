//! KQuery, the query language of KLEE.
//!
//! A query asks whether its constraints imply its goal ([`ValidityQuery`]). A solver's query asks whether facts and goal can
//! hold together, so the negated goal is what a solver is asked, and UNSAT says that the KQuery goal is valid. KQuery has one sort of values,
//! bit-vectors, and calls Booleans `w1`; terms distinguish the two. Comparisons, `true` and
//! `false` are read as Booleans, an extraction of one bit or `(w1 0)` as a bit-vector of width 1,
//! and where both meet the bit is compared with 1. Arrays are total maps; the size in a
//! declaration is kept but bounds nothing, and a constant array is 0 beyond what it lists.

mod build;
mod lexer;
mod print;
mod read;

pub use print::{WriteError, write, write_satisfiability};
pub use read::{ArrayDeclaration, ValidityQuery, read, read_with_limits};
