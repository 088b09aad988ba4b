//! Terms that are equal up to a renaming of their leaves.
//!
//! # Problem
//! `x[0] = 97` and `x[1] = 97` are one question, and so are questions about two objects that differ only in where they
//! are. A table that compares terms by identity answers one of them and not the other.
//!
//! # Idea
//! A list of terms has a normal form in which no leaf has a name ([`NormalForm`]): two lists with one normal form are
//! equal up to a bijection of their leaves, and the bijection is read off the order in which both list them. Leaves are
//! symbols, which are renamed to symbols of their sort, and bases of objects, which are renamed to bases of one
//! capacity, alignment and kind. The thesis \[Trabish24\] (section 4.3) compares two queries side by side and renames
//! bases only.
//!
//! # What differs
//! The order of leaves must not depend on their names, while operands of commutative operators stand in an order that does
//! (by the full hash). So leaves get colours, as vertices do where graphs are compared: a leaf's colour is refined by the
//! places in which it stands until no more leaves are told apart, and if some are still alike one of them is chosen
//! (`colours.rs`). A wrong choice makes two lists look different that are not: a miss. A hash of a term without its leaves
//! ([`ErasedHashes`]) finds candidates without any of this.
//!
//! # Soundness
//! The normal form is the whole structure, written down: operators with all that they carry, constants, tables, sorts of
//! symbols, and size, alignment and kind of bases. Two lists with one normal form are one list with leaves put in, whatever the
//! colours were: only the order in which things are written depends on them. Exchanged are nothing but the operands of
//! commutative operators and the members of the list. So a model of one list, renamed, is a model of the other, if all
//! leaves are symbols. A base has a value, and that value differs: what follows from it is not the same under
//! another base unless the terms do not look at it ([`is_layout_sensitive`]).
//!
//! # Cost
//! Two passes over all nodes for each refinement, mostly two or three; the number of refinements is bounded. The erased hash
//! of a term is computed once per term and table, on request: a term that is not asked about costs nothing.
//!
//! A list of which some members are equal to a smaller list up to a renaming is found by another search ([`instance_of`]).

mod colours;
mod erased;
mod graph;
mod instance;
mod layout;
mod normal_form;

pub use erased::ErasedHashes;
pub use instance::instance_of;
pub use layout::is_layout_sensitive;
pub use normal_form::{NormalForm, Structure};

use crate::store::{mix, sort_hash};
use crate::{Op, Term};

/// What is left of a leaf when its name is erased: leaves with different hashes are never renamed to each other.
/// `None` if the term is no leaf.
fn leaf_hash(term: &Term) -> Option<u64> {
    match term.op() {
        Op::Symbol(_) => Some(mix(mix(1, sort_hash(term.sort())), 0)),
        Op::Base(base) => Some(mix(
            mix(mix(2, base.capacity), base.alignment),
            base.kind as u64,
        )),
        _ => None,
    }
}
