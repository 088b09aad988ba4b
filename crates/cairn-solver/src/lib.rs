//! Deciding queries: the chain of layers and the cores at its end.
//!
//! A [`Query`] asks whether some [`Facts`] and a goal can hold together. A [`Chain`] is a list of
//! [`Layer`]s, built by name; each answers what it can and hands the rest on, the last one is a
//! core that answers everything. An [`Answer`] carries its evidence: a model or a core of facts.
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
//! Where to look: `query.rs`, `facts.rs`, `answer.rs` the vocabulary; `layer.rs` what a layer is;
//! `chain.rs` timing, counting, budgets, checking; `presets.rs` the names; `layers/` one file per
//! technique; `cores/bitblast/` our own core; `cores/z3/`, `cores/smtlib.rs` the others.
//!
//! **This crate knows no memory, no program and no state of an execution.**

mod answer;
mod budget;
mod chain;
pub mod cores;
mod facts;
mod layer;
pub mod layers;
mod presets;
mod query;

pub use answer::{Answer, Bounds, Reason, UnsatCore};
pub use budget::{Budget, Cancel, ProcessorTime};
pub use chain::{Chain, ChainConfig, LayerStats};
pub use facts::{Facts, MemoKey};
pub use layer::{Layer, Rest};
pub use presets::{
    ArraySetting, ChainError, DEFAULT_LAYERS, LayerEntry, SCRIPT_LAYERS, build_core, build_layer,
    list_array_settings, list_layers, list_value_set_presets, with_arrays, with_value_sets,
};
pub use query::{Query, Want};
