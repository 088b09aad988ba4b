//! Sets of machine words: few strided intervals, and what operators do to them.
//!
//! A [`ValueSet`] is a bounded list of strided intervals of words of at most 64 bits.
//! [`Unary`] takes operators with one unknown operand forward and backward, [`Binary`] those with
//! two (forward), [`Relation`] compares two sets. [`Exact`], [`Under`] and [`Over`] say in the type
//! what a set is about: all and only the values of something, some of them, or at least them.
//!
//! ```
//! use cairn_domain::{Over, Unary, ValueSet};
//! // Which bytes x have x * 3 + 1 < 100?
//! let allowed = Over::new(ValueSet::below(8, 100));
//! let product = allowed.preimage(Unary::Add(1), &Over::full(8));
//! let x = product.preimage(Unary::Mul(3), &Over::full(8));
//! assert!(x.set().contains(0) && !x.set().contains(50) && x.set().contains(86));
//! ```
//!
//! Both published domains are contained in this one: multi-intervals (PARTI, ASE'18: sets whose
//! steps are all 1) and strided value intervals (ASE'21). Their printed rules are corrected where
//! exhaustive checking found them wrong; `unary.rs`, `preimage.rs` and `relation.rs` list how.
//!
//! **This crate knows words only: no terms, no queries.**
#![forbid(unsafe_code)]

mod binary;
mod collector;
mod kinds;
mod piece;
mod preimage;
mod relation;
mod sense;
mod set;
mod unary;

pub use binary::Binary;
pub use collector::CAP;
pub use kinds::{Exact, Over, Under};
pub use piece::{Piece, mask};
pub use relation::{Relation, Split, Truth};
pub use sense::Sense;
pub use set::{Enclosure, ValueSet};
pub use unary::Unary;
