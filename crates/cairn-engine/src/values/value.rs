//! Values of a program that is explored: machine words, pointers, or terms.
//!
//! A value that does not depend on an input is a [`Word`]: 16 bytes, no counting, no allocation.
//! Everything else is a term behind a counted reference, with the object that it points into if it
//! came from a pointer. Code that touches no input never enters the term layer.

use crate::memory::bases::without_inputs;
use cairn_bv::BitVec;
use cairn_expr::{Sort, Term, TermStore};
use cairn_memory::{ObjectId, Word};
use std::rc::Rc;

/// A value of at most 64 bits.
#[derive(Clone, Debug)]
pub enum Value {
    /// Known bits, and the object they point into.
    Word(Word),
    /// A term.
    Symbolic(Rc<Symbolic>),
}

/// A value that depends on inputs.
#[derive(Clone, Debug)]
pub struct Symbolic {
    /// A bit-vector of the value's width; of one bit it may be a truth value instead, so that a
    /// comparison that is branched on is never turned into a bit and back.
    pub term: Term,
    /// The object that a pointer belongs to, wherever it points.
    pub object: ObjectId,
}

/// A value of any width.
#[derive(Clone, Debug)]
pub enum Wide {
    /// Known bits.
    Bits(BitVec),
    /// A term.
    Term(Term),
}

impl Value {
    /// A number.
    #[inline]
    pub fn int(bits: u64) -> Self {
        Value::Word(Word::int(bits))
    }

    /// A term of at most 64 bits, which may turn out to be a constant.
    pub fn from_term(term: Term, object: ObjectId) -> Self {
        let known = term.as_const().and_then(BitVec::to_u64);
        match known.or_else(|| without_inputs(&term)?.to_u64()) {
            Some(bits) => Value::Word(Word { bits, object }),
            None => Value::Symbolic(Rc::new(Symbolic { term, object })),
        }
    }

    /// The object that a pointer belongs to.
    #[inline]
    pub fn object(&self) -> ObjectId {
        match self {
            Value::Word(word) => word.object,
            Value::Symbolic(symbolic) => symbolic.object,
        }
    }

    /// The value as a term of a width.
    pub fn term(&self, store: &TermStore, width: u32) -> Term {
        match self {
            Value::Word(word) => store.bv(width, word.bits),
            Value::Symbolic(symbolic) => symbolic.bits(store),
        }
    }

    /// The bits, if they are known.
    #[inline]
    pub fn known(&self) -> Option<Word> {
        match self {
            Value::Word(word) => Some(*word),
            Value::Symbolic(_) => None,
        }
    }
}

impl Symbolic {
    /// The value as a bit-vector.
    pub fn bits(&self, store: &TermStore) -> Term {
        match self.term.sort() {
            Sort::Bool => store.bool_to_bit(&self.term),
            Sort::BitVec(_) | Sort::Array { .. } => self.term.clone(),
        }
    }
}

impl Wide {
    /// A term, which may turn out to be a constant.
    pub fn from_term(term: Term) -> Self {
        match term.as_const() {
            Some(bits) => Wide::Bits(bits.clone()),
            None => Wide::Term(term),
        }
    }

    /// The value as a term.
    pub fn term(&self, store: &TermStore) -> Term {
        match self {
            Wide::Bits(bits) => store.constant(bits.clone()),
            Wide::Term(term) => term.clone(),
        }
    }

    /// Its width.
    pub fn width(&self) -> u32 {
        match self {
            Wide::Bits(bits) => bits.width(),
            Wide::Term(term) => term.width(),
        }
    }
}
