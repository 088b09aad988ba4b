//! Comparisons of reads of constant tables with constants.
//!
//! # Problem
//! `isalpha(c)` is a bit of an element of a table. A procedure that looks for the values of `c` sees a read, and a
//! solver sees a table.
//!
//! # Idea
//! A comparison with a constant, of a term whose only unknown is one read of a constant table, is decided for every
//! element. If the indices at which it holds, or those at which it does not, are few ranges, it becomes "the index is
//! in these ranges".
//!
//! # Soundness
//! Every index is considered: those of listed elements one by one, all others at once, since they have the default
//! element.
//!
//! # Cost
//! One pass over the table for each new comparison; equal neighbours are computed once. The result is kept and reused
//! for any other index: a scanner compares elements of its tables with the same few constants on every path.

use crate::{Op, Rule, Table, Term, TermStore, apply_operator};
use cairn_bv::BitVec;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::RefCell;

/// A table that is looked through has at most this many elements.
const LARGEST: usize = 1024;

/// How many operators may stand between the comparison and the read.
const DEEPEST: usize = 6;

/// How many ranges an index is compared with.
const MOST_RANGES: usize = 4;

/// How many comparisons are kept; then all are forgotten.
const MOST_KEPT: usize = 8192;

/// A comparison of what is done to an element of a table, whatever the index is.
#[derive(PartialEq, Eq, Hash)]
struct Comparison {
    op: Op,
    constant: BitVec,
    constant_first: bool,
    /// The birth of the table's term.
    table: u64,
    steps: SmallVec<[Step; 2]>,
}

/// An operator with its constant arguments.
type Step = (Op, SmallVec<[Option<BitVec>; 2]>);

/// The indices at which a comparison holds, or those at which it does not; `None` if both have too many ranges.
type IndexRanges = Option<(bool, Ranges)>;

/// Cache of comparisons of tables.
#[derive(Default)]
pub(crate) struct KnownComparisons(RefCell<FxHashMap<Comparison, IndexRanges>>);

/// A term whose only unknown is one read of a table.
struct OfTable<'a> {
    array: &'a Term,
    table: &'a Table,
    index: &'a Term,
    /// The operators applied to the element, the last one first.
    steps: SmallVec<[&'a Term; DEEPEST]>,
}

/// A read of a table that is not too large: the table and the index.
fn table_read(term: &Term) -> Option<(&Table, &Term)> {
    if !matches!(term.op(), Op::Select) {
        return None;
    }
    match term.arg(0).op() {
        Op::Table(table) if table.values().len() <= LARGEST => Some((table, term.arg(1))),
        _ => None,
    }
}

impl<'a> OfTable<'a> {
    fn find(term: &'a Term) -> Option<Self> {
        let mut steps = SmallVec::new();
        let mut at = term;
        loop {
            if let Some((table, index)) = table_read(at) {
                return Some(OfTable {
                    array: at.arg(0),
                    table,
                    index,
                    steps,
                });
            }
            if steps.len() == DEEPEST || !is_bits(at) {
                return None;
            }
            let mut unknown = at.args().iter().filter(|a| a.as_const().is_none());
            let (below, more) = (unknown.next()?, unknown.next());
            if more.is_some() {
                return None;
            }
            steps.push(at);
            at = below;
        }
    }

    /// The value of the term if the read yields an element.
    fn value(&self, element: &BitVec) -> BitVec {
        let mut value = element.clone();
        for step in self.steps.iter().rev() {
            value = {
                let args = step.args().iter();
                let args = args.map(|a| a.as_const().unwrap_or(&value));
                apply_operator(step.op(), &args.collect::<SmallVec<[&BitVec; 2]>>())
            };
        }
        value
    }

    /// The comparison as it is kept.
    fn comparison(&self, op: &Op, constant: &BitVec, constant_first: bool) -> Comparison {
        let known = |step: &&Term| {
            let args = step.args().iter().map(|a| a.as_const().cloned());
            (step.op().clone(), args.collect())
        };
        Comparison {
            op: op.clone(),
            constant: constant.clone(),
            constant_first,
            table: self.array.birth(),
            steps: self.steps.iter().map(known).collect(),
        }
    }

    /// The indices at which a comparison is true, or those at which it is false, whichever are
    /// fewer, as ranges from first to last. Nothing if both are many.
    fn ranges(&self, holds: &dyn Fn(&BitVec) -> bool) -> IndexRanges {
        let mut found = [Ranges::new(), Ranges::new()];
        let mut add = |which: bool, first: u64, last: u64| {
            let ranges = &mut found[usize::from(!which)];
            match ranges.last_mut() {
                Some((_, end)) if *end + 1 == first => *end = last,
                _ => ranges.push((first, last)),
            }
            found.iter().any(|ranges| ranges.len() <= MOST_RANGES)
        };
        let mut before: Option<(&BitVec, bool)> = None;
        for (i, element) in self.table.values().iter().enumerate() {
            let truth = match before {
                Some((same, truth)) if same == element => truth,
                _ => holds(&self.value(element)),
            };
            before = Some((element, truth));
            if !add(truth, i as u64, i as u64) {
                return None;
            }
        }
        let last = u64::MAX >> (64 - self.table.index_width());
        let first = self.table.values().len() as u64;
        if first <= last {
            let truth = holds(&self.value(self.table.default_value()));
            if !add(truth, first, last) {
                return None;
            }
        }
        let [yes, no] = found;
        Some(match yes.len() <= no.len() {
            true => (true, yes),
            false => (false, no),
        })
    }
}

type Ranges = SmallVec<[(u64, u64); MOST_RANGES]>;

/// Operators on bit-vectors that give a bit-vector.
fn is_bits(term: &Term) -> bool {
    match term.op() {
        Op::BvNot
        | Op::BvNeg
        | Op::BvAnd
        | Op::BvOr
        | Op::BvXor
        | Op::BvAdd
        | Op::BvMul
        | Op::BvUdiv
        | Op::BvUrem
        | Op::BvSdiv
        | Op::BvSrem
        | Op::BvSmod
        | Op::BvShl
        | Op::BvLshr
        | Op::BvAshr
        | Op::Concat
        | Op::Extract { .. }
        | Op::ZeroExtend(_)
        | Op::SignExtend(_) => true,
        Op::Bool(_)
        | Op::Const(_)
        | Op::Base(_)
        | Op::Symbol(_)
        | Op::Table(_)
        | Op::Not
        | Op::And
        | Op::Eq
        | Op::Ite
        | Op::BvUlt
        | Op::BvSlt
        | Op::ConstArray { .. }
        | Op::Select
        | Op::Store => false,
    }
}

impl TermStore {
    /// A comparison of two terms, one of them constant, as ranges of a table's index.
    pub(super) fn compare_table(&self, op: &Op, a: &Term, b: &Term) -> Option<Term> {
        let (term, constant, constant_first) = match (a.as_const(), b.as_const()) {
            (None, Some(c)) => (a, c, false),
            (Some(c), None) => (b, c, true),
            (Some(_), Some(_)) | (None, None) => return None,
        };
        let of = OfTable::find(term)?;
        if of.table.index_width() > 64 {
            return None;
        }
        let _nested = self.nest()?;
        let comparison = of.comparison(op, constant, constant_first);
        let kept = self.comparisons.0.borrow().get(&comparison).cloned();
        let places = kept.unwrap_or_else(|| {
            let holds = |v: &BitVec| match constant_first {
                true => apply_operator(op, &[constant, v]).is_one(),
                false => apply_operator(op, &[v, constant]).is_one(),
            };
            let places = of.ranges(&holds);
            let mut known = self.comparisons.0.borrow_mut();
            if known.len() >= MOST_KEPT {
                known.clear();
            }
            known.insert(comparison, places.clone());
            places
        });
        let (holds, ranges) = places?;
        self.fired(Rule::CompareTable);
        let all = ranges.iter().map(|r| self.in_range(of.index, *r));
        let within = self.or_all(&all.collect::<SmallVec<[Term; MOST_RANGES]>>());
        Some(if holds { within } else { self.not(&within) })
    }

    /// That a term is from first to last.
    fn in_range(&self, term: &Term, (first, last): (u64, u64)) -> Term {
        let constant = |value| self.bv(term.width(), value);
        if first == last {
            return self.eq(term, &constant(first));
        }
        if last == u64::MAX >> (64 - term.width()) {
            return self.bv_uge(term, &constant(first));
        }
        let offset = self.bv_sub(term, &constant(first));
        self.bv_ule(&offset, &constant(last - first))
    }

    /// Bits of a table's element that all elements have.
    pub(super) fn extract_table(&self, a: &Term, hi: u32, lo: u32) -> Option<Term> {
        let (table, _) = table_read(a)?;
        let bits = table.default_value().extract(hi, lo);
        let same = table.values().iter().all(|v| v.extract(hi, lo) == bits);
        same.then(|| {
            self.fired(Rule::ExtractTable);
            self.constant(bits)
        })
    }
}
