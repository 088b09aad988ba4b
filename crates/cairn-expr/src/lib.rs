//! Terms: what Cairn knows about a program's values, as hash-consed typed expressions.
//!
//! A [`TermStore`] belongs to one worker. A [`Term`] is a counted reference into it: cloning is
//! one non-atomic increment, equality is one pointer comparison, and a term that nobody holds is
//! given back by the store's sweep. Terms are not `Send`: the compiler keeps a worker's terms
//! with that worker, and what must move goes through [`Portable`].
//!
//! ```
//! use cairn_expr::{Sort, TermStore};
//! let s = TermStore::new();
//! let x = s.symbol("x", Sort::BitVec(8));
//! let two = s.bv(8, 2);
//! // Constructors canonicalise: x + 2 + 254 is x again.
//! assert_eq!(s.bv_add(&s.bv_add(&x, &two), &s.bv(8, 254)), x);
//! ```
//!
//! Where to look: `op.rs` the operators, `symbol.rs` what symbols stand for, `store.rs` interning and giving back, `attr.rs` what is
//! computed for every term, `build/` the canonical constructors, `rules.rs` every rewrite rule in
//! one table, `eval.rs` evaluation under a model, `largest.rs` bounds, `shape.rs` what a term's shape says about its values, `subst.rs` substitution, `portable.rs` moving
//! terms between workers.
//!
//! **This crate does no solving and no input or output.**
#![forbid(unsafe_code)]

mod attr;
mod build;
mod eval;
mod largest;
mod model;
mod op;
mod portable;
mod rules;
mod shape;
mod sort;
mod store;
mod subst;
mod symbol;
mod table;
mod term;
mod walk;

pub use attr::{Attributes, Support, SupportKey};
pub use eval::{Evaluator, apply_operator};
pub use model::{ArrayValue, Model, Value};
pub use op::{Base, BaseKind, Op, OpInfo};
pub use portable::Portable;
pub use rules::{Rule, RuleText};
pub use shape::{low_zeros, possible_values};
pub use sort::{Sort, SortError};
pub use store::{StoreStats, TermStore};
pub use subst::Substitution;
pub use symbol::{Name, Symbol};
pub use table::Table;
pub use term::Term;
pub use walk::{PostOrder, dag_size, symbols_of};

pub use cairn_bv::BitVec;
