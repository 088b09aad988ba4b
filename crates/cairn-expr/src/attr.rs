//! Attributes: values that are computed once for every term when it is interned.
//!
//! # Problem
//! Every technique needs some fold over a term (its size, its inputs, whether it reads an array). Computing it on
//! demand is quadratic along a path, and storing it from each constructor means editing every constructor.
//!
//! # Idea
//! One table, filled at interning from the operands' rows. A new attribute is a field here and a line in
//! [`Attributes::compute`].
//!
//! # Soundness
//! Terms are immutable, so a row never gets stale. [`Attributes::support`] and [`Attributes::largest`] contain too
//! much, never too little: an input that occurs need not matter, and a term need not reach its largest value.
//!
//! # Cost
//! A union of two small sorted sets per node, shared when one contains the other. Sets over [`Support::LIMIT`] keys
//! are not kept ([`Support::Many`]); a caller that needs them walks the term.

use crate::{Op, Sort, Term, largest};
use std::rc::Rc;

/// One input that a term depends on: a scalar symbol, a cell of an array symbol, or all of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SupportKey {
    /// The symbol's id ([`Term::id`]); valid as long as a term that mentions it is alive.
    pub symbol: u32,
    /// `None`: the whole symbol. `Some(i)`: only the array's element at constant index `i`.
    pub cell: Option<u64>,
}

/// The inputs a term depends on.
#[derive(Clone, Debug)]
pub enum Support {
    /// All of them, sorted.
    Keys(Rc<[SupportKey]>),
    /// More than [`Support::LIMIT`]: walk the term.
    Many,
}

impl Support {
    /// The largest set that is kept with a term.
    pub const LIMIT: usize = 256;

    fn union(&self, other: &Support) -> Support {
        let (Support::Keys(a), Support::Keys(b)) = (self, other) else {
            return Support::Many;
        };
        if Rc::ptr_eq(a, b) || contains_all(a, b) {
            return self.clone();
        }
        if contains_all(b, a) {
            return other.clone();
        }
        let mut all: Vec<SupportKey> = Vec::with_capacity(a.len() + b.len());
        all.extend(a.iter().copied());
        all.extend(b.iter().copied());
        all.sort_unstable();
        all.dedup();
        if all.len() > Self::LIMIT {
            Support::Many
        } else {
            Support::Keys(all.into())
        }
    }
}

fn contains_all(big: &[SupportKey], small: &[SupportKey]) -> bool {
    small.len() <= big.len() && small.iter().all(|k| big.binary_search(k).is_ok())
}

/// The row of attributes of a term.
#[derive(Clone, Debug)]
pub struct Attributes {
    /// Number of operator applications when written out as a tree; saturating.
    pub tree_size: u64,
    /// Which inputs the term depends on.
    pub support: Support,
    /// Whether an array-sorted term occurs anywhere in it.
    pub has_array: bool,
    /// Whether an equality between arrays occurs anywhere in it.
    pub has_array_equality: bool,
    /// Whether a read of a constant table occurs anywhere in it.
    pub reads_table: bool,
    /// Whether where an object begins occurs anywhere in it.
    pub has_base: bool,
    /// The largest value it can have, as an unsigned number; of an array, that its elements can
    /// have. `u64::MAX` also stands for what is wider.
    pub largest: u64,
}

impl Attributes {
    pub(crate) fn compute(
        op: &Op,
        args: &[Term],
        id: u32,
        sort: Sort,
        empty: &Rc<[SupportKey]>,
    ) -> Attributes {
        let mut tree_size: u64 = 1;
        let mut has_array = sort.is_array();
        let mut has_array_equality = matches!(op, Op::Eq) && args[0].sort().is_array();
        let mut reads_table = matches!(op, Op::Select) && matches!(args[0].op(), Op::Table(_));
        let mut has_base = matches!(op, Op::Base(_));
        for a in args {
            has_base |= a.attributes().has_base;
            tree_size = tree_size.saturating_add(a.attributes().tree_size);
            has_array |= a.attributes().has_array;
            has_array_equality |= a.attributes().has_array_equality;
            reads_table |= a.attributes().reads_table;
        }
        let support = match (op, args) {
            (Op::Symbol(_), _) => Support::Keys(Rc::new([SupportKey {
                symbol: id,
                cell: None,
            }])),
            (Op::Select, [array, index])
                if matches!(array.op(), Op::Symbol(_))
                    && index.as_const().is_some_and(|c| c.to_u64().is_some()) =>
            {
                Support::Keys(Rc::new([SupportKey {
                    symbol: array.id(),
                    cell: index.as_const().and_then(|c| c.to_u64()),
                }]))
            }
            (_, []) => Support::Keys(Rc::clone(empty)),
            (_, [first, rest @ ..]) => rest
                .iter()
                .fold(first.attributes().support.clone(), |acc, t| {
                    acc.union(&t.attributes().support)
                }),
        };
        Attributes {
            tree_size,
            support,
            has_array,
            has_array_equality,
            reads_table,
            has_base,
            largest: largest::largest(op, args, sort),
        }
    }
}
