//! Pointers that are terms, and whose value is known on a path all the same.
//!
//! # Problem
//!
//! A pointer that was read from a table at an unknown index is a term. Once a path has
//! decided which object it is in, it often can have one value only; but as a term it makes every
//! access by it one at an unknown offset, and everything that is read so a term too.
//!
//! # Idea
//!
//! The value is remembered with the term. An access by the term, or by the term plus a
//! constant, is then one at a known address.
//!
//! # Soundness
//!
//! That the term has the value follows from the path's facts, and facts are
//! never taken back.
//!
//! # Cost
//!
//! A walk along a list for an access by a term; copies share the list.

use cairn_expr::{BitVec, Op, Term};
use std::rc::Rc;

/// How far back is looked.
const KEPT: usize = 64;

struct PointerNode {
    term: Term,
    value: u64,
    /// The condition that this follows from.
    because: Term,
    before: Option<Rc<PointerNode>>,
}

/// See the module's head.
#[derive(Clone, Default)]
pub struct Pointers {
    last: Option<Rc<PointerNode>>,
}

/// A term as a sum of a term and a constant.
fn split(term: &Term) -> (&Term, u64) {
    if matches!(term.op(), Op::BvAdd)
        && let Some(constant) = term.arg(1).as_const().and_then(BitVec::to_u64)
    {
        return (term.arg(0), constant);
    }
    (term, 0)
}

/// A number as wide as an address.
fn wrapped(address: &Term, number: u64) -> u64 {
    number & (u64::MAX >> (u64::BITS - address.width()))
}

impl Pointers {
    /// From now on an address has this value.
    pub fn note(&mut self, address: &Term, value: u64, because: &Term) {
        let (term, constant) = split(address);
        self.last = Some(Rc::new(PointerNode {
            term: term.clone(),
            value: wrapped(address, value.wrapping_sub(constant)),
            because: because.clone(),
            before: self.last.take(),
        }));
    }

    /// The pointer whose value is the newest.
    pub fn newest(&self) -> Option<&Term> {
        self.last.as_ref().map(|node| &node.term)
    }

    /// The conditions that the values follow from, as far back as is looked.
    pub(crate) fn follow_from(&self) -> impl Iterator<Item = &Term> {
        let first = self.last.as_deref();
        let all = std::iter::successors(first, |node| node.before.as_deref());
        all.take(KEPT).map(|node| &node.because)
    }

    /// The value of an address, if it is known, and the condition that it follows from.
    pub fn find(&self, address: &Term) -> Option<(u64, &Term)> {
        let (value, _, because) = self.find_moved(address)?;
        Some((value, because))
    }

    /// The same, with the value before a constant was added.
    pub fn find_moved(&self, address: &Term) -> Option<(u64, u64, &Term)> {
        let (term, constant) = split(address);
        let first = self.last.as_deref();
        let mut all = std::iter::successors(first, |node| node.before.as_deref()).take(KEPT);
        let known = all.find(|node| node.term == *term)?;
        let value = known.value.wrapping_add(constant);
        Some((wrapped(address, value), known.value, &known.because))
    }
}

impl Drop for PointerNode {
    /// Frees a long list without recursion.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(node) = next {
            next = Rc::into_inner(node).and_then(|mut node| node.before.take());
        }
    }
}
