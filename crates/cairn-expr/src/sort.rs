//! The types of terms.

use std::fmt;

/// The type of a term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Sort {
    /// True or false.
    Bool,
    /// Bit-vectors of the given width, at least 1.
    BitVec(u32),
    /// Total maps from bit-vectors to bit-vectors.
    Array {
        /// Width of an index.
        index: u32,
        /// Width of an element.
        value: u32,
    },
}

impl Sort {
    /// The width of a bit-vector sort.
    ///
    /// # Panics
    /// If the sort is not a bit-vector; callers check untrusted input before building terms.
    #[inline]
    pub fn width(self) -> u32 {
        match self {
            Sort::BitVec(w) => w,
            Sort::Bool | Sort::Array { .. } => panic!("expected a bit-vector sort, got {self}"),
        }
    }

    /// Whether this is an array sort.
    #[inline]
    pub fn is_array(self) -> bool {
        matches!(self, Sort::Array { .. })
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Sort::Bool => write!(f, "Bool"),
            Sort::BitVec(w) => write!(f, "(_ BitVec {w})"),
            Sort::Array { index, value } => {
                write!(f, "(Array (_ BitVec {index}) (_ BitVec {value}))")
            }
        }
    }
}

/// An operator was applied to operands it does not take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{operator} expects {expected}, found {found}")]
pub struct SortError {
    /// The operator, as SMT-LIB writes it.
    pub operator: String,
    /// The expected sorts.
    pub expected: String,
    /// The sorts found.
    pub found: String,
}
