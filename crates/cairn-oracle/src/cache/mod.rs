//! Caches that recognise the same question under other names: queries and programs that try to fool them.
//!
//! # Problem
//!
//! A cache that answers a query with the answer of another one, in which objects and inputs have other names, is wrong if the two
//! differ in anything that matters: where objects are, if the query looks at that; a size, an alignment, a sort, a number; whether two
//! leaves are one. A wrong UNSAT is a path that is never seen, and no test shows it.
//!
//! # Idea
//!
//! Queries ([`queries`]): recipes of small queries, made again and again with other names, other places of objects (in another order, next to each
//! other, at one address one after the other), and with one difference, all asked of one chain. Programs ([`programs`]): C that
//! compares, subtracts, masks and frees pointers, and asks the same of several objects and inputs, explored with and without the cache.
//!
//! # Soundness
//!
//! Inputs of queries are so narrow that every answer is decided by trying all their values, with an evaluation of its own; a sample goes to
//! Z3, too. Of programs, paths, errors, ends and completeness must be the same with and without the cache, and every test is run again.
//!
//! # Cost
//!
//! Some ten microseconds for a query; two explorations of a tenth of a second for a program.

mod campaign;
mod draft;
mod program;
mod queries;
mod recipe;

pub use campaign::{ProgramReport, ProgramSettings, programs};
pub use program::text_of;
pub use queries::{QueryReport, QuerySettings, queries};
