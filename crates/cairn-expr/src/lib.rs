//! Terms: hash-consed typed expressions over a program's inputs.
//!
//! A [`TermStore`] belongs to one worker. A [`Term`] is a counted reference into it: cloning is
//! one non-atomic increment, equality is one pointer comparison, and the store's sweep frees terms that are
//! not referenced any more. Terms are not `Send`: the compiler keeps a worker's terms with that worker;
//! [`Portable`] moves them.
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
//! Where to look: `op.rs` has the operators, `symbol.rs` the meanings of symbols, `store.rs` interning and
//! freeing, `attr.rs` the attributes of every term, `build/` the canonical constructors, `rules.rs` all
//! rewrite rules in one table, `eval.rs` evaluation under a model, `largest.rs` upper bounds, `shape.rs`
//! facts that follow from a term's form, `iso/` equality up to a renaming of leaves, `subst.rs` substitution, and `portable.rs` the transfer of terms
//! between workers.
//!
//! **This crate does no solving and no input or output.**
#![forbid(unsafe_code)]

mod attr;
mod build;
mod eval;
mod iso;
mod largest;
mod model;
mod op;
mod persistent_map;
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
pub use eval::{Evaluator, apply_operator, apply_to_words};
pub use iso::{ErasedHashes, NormalForm, Structure, instance_of, is_layout_sensitive};
pub use model::{ArrayValue, Model, Value};
pub use op::{Base, BaseKind, Op, OpInfo};
pub use persistent_map::{PersistentMap, scramble};
pub use portable::Portable;
pub use rules::{Rule, RuleText};
pub use shape::{low_zeros, possible_values};
pub use sort::{Sort, SortError};
pub use store::{StoreStats, TermStore};
pub use subst::Substitution;
pub use symbol::{Name, Symbol};
pub use table::{Spread, Table};
pub use term::Term;
pub use walk::{PostOrder, dag_size, symbols_of};

pub use cairn_bv::BitVec;
