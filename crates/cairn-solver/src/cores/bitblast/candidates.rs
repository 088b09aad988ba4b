//! Axioms about arrays that a search could need: counted, and made at once where they are few.
//!
//! - **Problem.** A read of a table that is no circuit takes one round of the search for each axiom that
//!   a candidate violates, though the facts may leave a handful of indices. And how much types and
//!   intervals save is to be seen of the core itself.
//! - **Idea.** Before the first round: of each read the elements at indices that the facts leave
//!   (`bounds.rs`) and that the form of the index allows (`sums.rs`), and the pairs of reads of one array
//!   whose indices can be the same. Reads with at most [`FEW`] such elements get all their axioms.
//! - **Source.** ISSTA'21, algorithm 4, which counts the same axioms; the example of its §2 has 156 and
//!   20.
//! - **Soundness.** Facts choose which axioms are made, and are no part of them: each is valid for ever,
//!   and what was not made is still made when a candidate violates it.
//! - **Cost.** Reads times ranges, and pairs of at most [`MOST_COMPARED`] reads of an array.

use super::Counts;
use super::arrays::{Lemma, table_axiom};
use super::blast::Blaster;
use super::bounds::Bounds;
use super::context::{Context, Root, TermSet};
use super::ranges::Ranges;
use crate::{Budget, Query, Reason};
use cairn_expr::{BitVec, Op, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// A read with at most this many elements gets all their axioms at once.
const FEW: u64 = 16;
/// Of an array with more reads, all pairs are taken for possible: it is a count, not worth more.
const MOST_COMPARED: usize = 8;

/// A read whose elements are few.
struct FewElements {
    read: Term,
    /// The words that the index can be.
    places: Vec<u64>,
}

/// What a search could need.
#[derive(Default)]
struct Candidates {
    /// A read at an index is the element there.
    elements: u64,
    /// Two reads at the same index are the same.
    pairs: u64,
    /// Reads with few elements.
    few: Vec<FewElements>,
}

/// The words that an index can be under the facts and by its form, below a number; how many, and which
/// if they are few.
fn places(blaster: &mut Blaster, facts: &Bounds, index: &Term, below: u64) -> (u64, Vec<u64>) {
    let all = (below, Vec::new());
    let Some(sum) = blaster.sum(index) else {
        return all;
    };
    let form = sum.places();
    let Some(last) = below.checked_sub(1) else {
        return (0, Vec::new());
    };
    let full = || Ranges::full(index.width());
    let ranges = facts.values(index).unwrap_or_else(full);
    let clipped = || ranges.ranges().iter().map(|&(a, b)| (a, b.min(last)));
    let count = clipped().map(|(a, b)| form.between(a, b)).sum();
    let mut listed = Vec::new();
    if count <= FEW {
        let step = 1u64.checked_shl(form.twos).unwrap_or(u64::MAX);
        for (from, to) in clipped() {
            let from = from.max(form.first);
            let past = from.wrapping_sub(form.remainder) & (step - 1);
            let first = match past {
                0 => Some(from),
                past => from.checked_add(step - past),
            };
            let steps = std::iter::successors(first, |at| at.checked_add(step));
            listed.extend(steps.take_while(|at| *at <= to.min(form.last)));
        }
    }
    (count, listed)
}

/// Counts what the reads of a search could need; `facts` are the sets of its path.
fn count(blaster: &mut Blaster, facts: &Bounds, reads: &[Term]) -> Candidates {
    let mut found = Candidates::default();
    let mut arrays: FxHashMap<u32, Vec<&Term>> = FxHashMap::default();
    for read in reads {
        match read.arg(0).op() {
            Op::Table(table) => {
                let listed = table.values().len() as u64;
                let (count, places) = places(blaster, facts, read.arg(1), listed);
                found.elements += count;
                if blaster.arrays.is_typed() && count <= FEW {
                    let read = read.clone();
                    found.few.push(FewElements { read, places });
                }
            }
            Op::Symbol(_) => {}
            _ => continue,
        }
        arrays.entry(read.arg(0).id()).or_default().push(read);
    }
    for reads in arrays.values() {
        if reads.len() > MOST_COMPARED || !blaster.arrays.is_typed() {
            found.pairs += (reads.len() * (reads.len() - 1) / 2) as u64;
            continue;
        }
        let sets: Vec<Option<Ranges>> = reads.iter().map(|r| facts.values(r.arg(1))).collect();
        for (i, one) in reads.iter().enumerate() {
            for (j, other) in reads.iter().enumerate().take(i) {
                let disjoint = || match (&sets[i], &sets[j]) {
                    (Some(a), Some(b)) => a.intersect(b).is_some_and(|both| both.is_empty()),
                    (None, _) | (_, None) => false,
                };
                let never = blaster.are_apart(one.arg(1), other.arg(1)) || disjoint();
                found.pairs += u64::from(!never);
            }
        }
    }
    found
}

/// Counts the axioms that the reads of a query's roots could need, and makes those of reads that have
/// few, each once for as long as `made` is kept.
pub fn few(
    cx: &mut Context,
    facts: &mut Bounds,
    roots: &[Rc<Root>],
    terms: &[&Term],
    made: &mut FxHashSet<(u64, u64)>,
    query: &Query,
    counts: &mut Counts,
) -> Result<Vec<Lemma>, Reason> {
    // The sets of a contradiction are of no use, and the search will find it.
    if facts.enter(terms).is_some() {
        return Ok(Vec::new());
    }
    let mut reads = TermSet::default();
    roots.iter().flat_map(|r| r.reads.iter()).for_each(|read| {
        reads.insert(read);
    });
    let found = count(&mut cx.blaster, facts, reads.as_slice());
    counts.candidates += found.elements + found.pairs;
    let mut axioms = Vec::new();
    for few in found.few {
        axioms.extend(few.axioms(&mut cx.blaster, made, &query.budget)?);
    }
    counts.lemmas += axioms.len() as u64;
    Ok(axioms)
}

impl FewElements {
    /// All axioms about the read that were not made before, each once.
    fn axioms(
        &self,
        blaster: &mut Blaster,
        made: &mut FxHashSet<(u64, u64)>,
        budget: &Budget,
    ) -> Result<Vec<Lemma>, Reason> {
        let Op::Table(table) = self.read.arg(0).op() else {
            return Ok(Vec::new());
        };
        let mut axioms = Vec::new();
        let mut covered: Option<u64> = None;
        for &place in &self.places {
            let new = made.insert((self.read.birth(), place));
            if !new || covered.is_some_and(|last| place <= last) {
                continue;
            }
            let index = BitVec::new(table.index_width(), place);
            let (lemma, run) = table_axiom(blaster, &self.read, table, &index, Vec::new(), budget)?;
            covered = run.last.to_u64();
            axioms.push(lemma);
        }
        Ok(axioms)
    }
}
