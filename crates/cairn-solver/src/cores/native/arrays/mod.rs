//! Arrays: reads are free words, and axioms about them are added on demand.
//!
//! `encoding.rs` has the choice of what is written out before the first search, `refinement.rs` the check
//! of an assignment with one function per axiom, `table_axiom.rs` the axiom about large tables,
//! `instantiation.rs` the instances that are added before the first search, and `index_sum.rs` what the
//! form of an index says about the elements that it can reach.

mod encoding;
mod index_sum;
mod instantiation;
mod refinement;
mod table_axiom;

use super::circuit::Lit;
use cairn_expr::Term;
pub use encoding::{ArrayEncoding, ArrayOptions};
pub use index_sum::IndexSum;
pub use instantiation::instantiate_few;
pub use refinement::{ReachedCells, check_reads};
use table_axiom::table_axiom;

/// An instance of an array axiom: if all of `path` hold, `left` equals `right`.
pub struct Lemma {
    /// The read that disagreed; `None` for an instance about an equality between arrays.
    pub read: Option<Term>,
    /// The other read of the same symbol, for an instance of congruence.
    pub other: Option<Term>,
    /// The conditions under which the read gets its element from where it did.
    pub path: Vec<Lit>,
    /// The read's word.
    pub left: Vec<Lit>,
    /// The word that it must equal.
    pub right: Vec<Lit>,
}
