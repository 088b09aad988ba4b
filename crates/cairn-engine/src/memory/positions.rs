//! Which elements of an array an index can be of.
//!
//! # Problem
//!
//! A table of structures of 24 bytes, read as words of 8, has a pointer in every third element. All others would count as
//! addresses of the pointer that is read.
//!
//! # Idea
//!
//! The index is made from an offset, mostly of the form `c + i * size`; only those elements count that such
//! an offset can be at.
//!
//! # Soundness
//!
//! An index is some bits of a term. What the form says of the term holds modulo the power of two that these bits
//! count up to; that is always right, but a size that is no power of two says nothing then. It does for a term that is an
//! offset at which an object was accessed on this path: it is as small as the object. So those offsets are
//! remembered ([`InsideOffsets`]), as long as the path lives: the access was inside since then.
//!
//! # Cost
//!
//! A walk of the index's form, and of a list of the last offsets.

use crate::memory::array_addresses::Offsets;
use cairn_expr::{BitVec, Op, Term};
use std::rc::Rc;

/// How many offsets are remembered.
const KEPT: usize = 64;

/// Objects are smaller, and so are the places of theirs in arrays.
const SMALL: u64 = 1 << 47;

/// The offset and those before it; the list is as long as the number says.
struct OffsetNode {
    offset: Term,
    before: Option<Rc<OffsetNode>>,
    length: usize,
}

/// Offsets of accesses that are inside of their objects.
#[derive(Clone, Default)]
pub(crate) struct InsideOffsets {
    last: Option<Rc<OffsetNode>>,
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

impl InsideOffsets {
    /// From now on accesses at this offset are inside of an object.
    pub fn note(&mut self, offset: &Term, bytes: u32) {
        let is_stride = Offsets::of(offset).step > u64::from(bytes);
        if offset.width() != u64::BITS || !is_stride || self.is_known(offset) {
            return;
        }
        let before = self.last.take();
        let length = before.as_ref().map_or(0, |node| node.length) + 1;
        let mut node = OffsetNode {
            offset: offset.clone(),
            before,
            length,
        };
        if length > KEPT {
            // All are forgotten at once: a list that loses its end is copied whole.
            node.before = None;
            node.length = 1;
        }
        self.last = Some(Rc::new(node));
    }

    /// Whether none is remembered.
    pub fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    fn is_known(&self, offset: &Term) -> bool {
        let (term, constant) = split(offset);
        let mut all = std::iter::successors(self.last.as_deref(), |node| node.before.as_deref());
        all.any(|node| {
            let (known, from) = split(&node.offset);
            known == term && constant.wrapping_sub(from) < SMALL
        })
    }
}

/// Elements of an array that an index can be of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Positions {
    offsets: Offsets,
    /// The logarithm of an element's bytes.
    low: u32,
}

impl Positions {
    /// Those of an index.
    pub fn of(index: &Term, inside: &InsideOffsets) -> Positions {
        match index.op() {
            Op::ZeroExtend(_) => Positions::of(index.arg(0), inside),
            Op::Concat if index.arg(0).as_const().is_some_and(BitVec::is_zero) => {
                Positions::of(index.arg(1), inside)
            }
            Op::Extract { hi, lo } if *lo < 8 && index.arg(0).width() <= 64 => {
                let term = index.arg(0);
                let offsets = match term.width() == u64::BITS && inside.is_known(term) {
                    true => Offsets::of(term),
                    false => Offsets::modulo(term, hi + 1),
                };
                Positions { offsets, low: *lo }
            }
            _ => Positions {
                offsets: Offsets::modulo(index, index.width()),
                low: 0,
            },
        }
    }

    fn from(self, first: u64) -> impl Iterator<Item = u64> {
        let Offsets { first: start, step } = self.offsets;
        let from = first.saturating_mul(1 << self.low);
        // Every element, if some lie nearer than an element's bytes.
        let step = match step {
            0 => 0,
            step => step.max(1 << self.low),
        };
        let start = match step {
            0 => start,
            step if step == 1 << self.low => from,
            step => {
                let missing = from.saturating_sub(start).div_ceil(step);
                start.saturating_add(missing.saturating_mul(step))
            }
        };
        let next = move |at: &u64| match step {
            0 => None,
            step => at.checked_add(step),
        };
        std::iter::successors((start >= from).then_some(start), next).map(move |at| at >> self.low)
    }

    /// Those below a number.
    pub fn below(self, end: usize) -> impl Iterator<Item = usize> {
        self.from(0)
            .take_while(move |i| *i < end as u64)
            .map(|i| i as usize)
    }

    /// The first of those from a number on that an index of so many bits can be.
    pub fn beyond(self, start: usize, bits: u32) -> Option<usize> {
        let first = self.from(start as u64).next()?;
        (bits >= u64::BITS || first < 1 << bits).then_some(first as usize)
    }
}
