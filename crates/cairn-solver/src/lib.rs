//! Deciding queries: the chain of layers and the core solvers at its end.
//!
//! A [`Query`] asks whether some [`Facts`] and a goal can hold together. A [`Chain`] is a list of
//! [`Layer`]s; each answers what it can and passes the rest on, and the last one is a core solver that decides
//! everything it supports. An [`Answer`] carries its evidence: a model, or an unsat core.
//!
//! ```
//! use cairn_expr::{Sort, TermStore};
//! use cairn_solver::{Answer, Chain, Facts, Query};
//! let s = TermStore::new();
//! let x = s.symbol("x", Sort::BitVec(8));
//! let facts = Facts::new().with(s.bv_ult(&x, &s.bv(8, 10)));
//! let mut chain = Chain::default();
//! let query = Query::new(facts, s.bv_ult(&s.bv(8, 20), &x));
//! assert!(matches!(chain.solve(&s, &query), Answer::Unsat(_)));
//! ```
//!
//! Where to look: `query.rs`, `facts.rs` and `answer.rs` have the vocabulary, `layer.rs` the trait,
//! `chain.rs` timing, counting, budgets and checks, `names.rs` the names of layers and core solvers, `presets.rs`
//! the default chain, `layers/` one module per technique, `answer_file/` answers that runs share, `cores/native/` the native core, and
//! `cores/z3/` and `cores/smtlib/` the external ones. Citations such as `[EenSorensson03]` are listed in
//! `docs/references.md`.
//!
//! **This crate knows no memory, no program and no state of an execution.**

mod answer;
pub mod answer_file;
mod budget;
mod chain;
pub mod cores;
mod facts;
mod layer;
pub mod layers;
mod nameless;
mod names;
mod presets;
mod query;

pub use answer::{Answer, Bounds, UnknownReason, UnsatCore};
pub use answer_file::{AnswerFile, AnswerFileError, FileCounts};
pub use budget::{Budget, Cancel, ProcessorTime};
pub use chain::{Chain, ChainConfig, LayerStats};
pub use facts::{Facts, MemoKey};
pub use layer::{Layer, Rest};
pub use names::{CoreName, LayerList, LayerName};
pub use presets::{
    ArraySetting, ChainError, list_array_settings, with_arrays, with_renaming, with_value_sets,
};
pub use query::{Query, Want};
