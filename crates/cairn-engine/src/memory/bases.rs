//! Where objects begin, as terms.
//!
//! # Problem
//!
//! A pointer in a term is usually its address: two runs, or two objects, that differ only
//! in where memory was given to them have different terms, and nothing that is learned about one
//! serves the other.
//!
//! # Idea
//!
//! On request ([`Bases::Terms`]) a pointer that becomes part of a term is where its object
//! begins, an operator of its own ([`cairn_expr::Op::Base`]), and how far it is from there. How far an
//! access is inside of its object is then free of addresses: the base cancels out.
//!
//! # Soundness
//!
//! The operator has the object's address as its value for everybody who asks: a term and
//! its form with addresses have equal values. A term without inputs is never kept as a term.
//!
//! # Cost
//!
//! Nothing for words. In a term one operand more for a pointer, and rules that compute with
//! constants do not see through it. By default pointers in terms are addresses.
//!
//! # Source
//!
//! Relocatable addresses, the thesis on memory models of symbolic execution, chapter 3; this is
//! what they will stand on.

use crate::values::symbolic_domain::SymbolicDomain;
use crate::values::terms::number_like;
use crate::values::value::Value;
use cairn_expr::{Base, BaseKind, BitVec, Evaluator, Model, Support, Term, TermStore};
use cairn_memory::{ObjectInfo, ObjectKind, Word};

/// What stands for the beginning of an object in terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Bases {
    /// Its address.
    #[default]
    Values,
    /// A term that has the address as its value.
    Terms,
}

/// The term of an object's beginning, of the width of an address.
pub(super) fn base_of(store: &TermStore, width: u32, info: &ObjectInfo) -> Term {
    let base = store.base(Base {
        birth: info.object.raw(),
        address: info.address,
        capacity: info.capacity,
        alignment: info.align,
        kind: match info.kind {
            ObjectKind::Heap => BaseKind::Heap,
            ObjectKind::Stack => BaseKind::Stack,
            ObjectKind::Global => BaseKind::Global,
            ObjectKind::Constant => BaseKind::Constant,
            ObjectKind::Mapped => BaseKind::Mapped,
            ObjectKind::Kernel => BaseKind::Kernel,
        },
    });
    // Of 64 bits whatever the width of pointers; an address is what fits.
    store.extract(&base, width - 1, 0)
}

/// Where an object begins, in the way that an address is written that is compared with it.
pub(crate) fn base_for(store: &TermStore, address: &Term, info: &ObjectInfo) -> Term {
    if address.attributes().has_base {
        base_of(store, address.width(), info)
    } else {
        number_like(store, address, info.address)
    }
}

/// The value of a term that has bases but no inputs.
pub(crate) fn without_inputs(term: &Term) -> Option<BitVec> {
    let attributes = term.attributes();
    let none = matches!(&attributes.support, Support::Keys(keys) if keys.is_empty());
    if !attributes.has_base || !none || term.sort().is_array() {
        return None;
    }
    let mut evaluator = Evaluator::new();
    evaluator.start();
    Some(match term.sort() {
        cairn_expr::Sort::Bool => BitVec::from_bool(evaluator.eval_bool(term, &Model::new())),
        cairn_expr::Sort::BitVec(_) | cairn_expr::Sort::Array { .. } => {
            evaluator.eval_bv(term, &Model::new())
        }
    })
}

impl SymbolicDomain {
    /// A value as a term of a width, a pointer as the bases of objects are written.
    pub(crate) fn operand(&self, value: &Value, width: u32) -> Term {
        let store = &self.cx.store;
        match (self.bases, value) {
            (Bases::Terms, Value::Word(word))
                if !word.object.object_unknown() && width == self.memory.pointer_width().bits() =>
            {
                let object = word.object;
                match self.memory.info(Word { bits: 0, object }) {
                    Ok(info) => {
                        let base = base_of(store, width, &info);
                        if object.is_taken() {
                            let number = word.bits.wrapping_add(info.address);
                            return store.bv_sub(&store.bv(width, number), &base);
                        }
                        let offset = word.bits.wrapping_sub(info.address);
                        store.bv_add(&base, &store.bv(width, offset))
                    }
                    // Freed: there is no object to be relative to.
                    Err(_) => value.term(store, width),
                }
            }
            (Bases::Terms | Bases::Values, _) => value.term(store, width),
        }
    }
}
