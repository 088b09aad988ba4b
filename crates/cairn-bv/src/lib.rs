//! Concrete bit-vectors of 1 to 2^20 bits with the semantics of SMT-LIB.
//!
//! This crate is the single place where Cairn says what a bit-vector operator
//! *means*: constant folding, model evaluation and every check of a solver's
//! answer go through it. It therefore favours being obviously right over being
//! clever, except at widths up to 64 bits, where values are held inline and
//! every operator is a few machine instructions without allocation.
//!
//! Operators that SMT-LIB defines as total are total here too: division by
//! zero and shifts by the width or more have the values the standard gives
//! them. What the standard rules out by sort (operands of different widths, an
//! extraction out of range, a width of zero) is a bug of the caller and panics.
//! Text is different, since it comes from outside: parsing returns `None`.
//!
//! ```
//! use cairn_bv::BitVec;
//!
//! let a = BitVec::new(8, 200);
//! let b = BitVec::new(8, 100);
//! assert_eq!(a.add(&b), BitVec::new(8, 44));
//! assert!(a.uaddo(&b));
//! assert!(a.slt(&b));
//! assert_eq!(a.udiv(&BitVec::zero(8)), BitVec::ones(8));
//! assert_eq!(a.concat(&b).to_string(), "#xc864");
//! ```

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod arith;
mod bits;
mod compare;
mod limbs;
mod pointer_width;
mod repr;
mod text;

pub use pointer_width::PointerWidth;
pub use repr::{BitVec, mask};
