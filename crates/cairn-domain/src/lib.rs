//! Sets of machine words, and the images and preimages of operators.
//!
//! A [`ValueSet`] is a bounded list of strided intervals of words of at most 64 bits. [`Unary`] computes images and
//! preimages of operators with one unknown operand, [`Binary`] images of those with two, and [`Relation`] compares
//! two sets. The types [`Exact`], [`Under`] and [`Over`] say whether a set has all and only the values of something,
//! some of them, or at least them. [`RangeSet`] is the cheaper set without strides that the native core propagates.
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
//! `ValueSet` contains two published domains: multi-intervals \[SoriaDustmannWehrleCadar18\], whose steps are all 1,
//! and strided value intervals \[AbyanehKirsch21\]. Exhaustive checking found some rules wrong as published; `unary.rs`,
//! `binary.rs`, `preimage.rs` and `relation.rs` list the corrections. Citations are listed in
//! `docs/references.md`.
//!
//! **This crate knows words only: no terms, no queries.**
#![forbid(unsafe_code)]

mod binary;
mod collector;
mod kinds;
mod piece;
mod piece_image;
mod preimage;
mod range_set;
mod relation;
mod set;
mod signedness;
mod unary;

pub use binary::Binary;
pub use collector::MOST_PIECES;
pub use kinds::{Exact, Over, Under};
pub use piece::StridedInterval;
pub use range_set::RangeSet;
pub use relation::{Relation, Split, Truth};
pub use set::{Enclosure, ValueSet};
pub use signedness::Signedness;
pub use unary::Unary;
