//! Instances of array axioms that a search could need: counted, and added at once where they are few.
//!
//! # Problem
//! A read of a table that is no circuit takes one round of the search for each axiom that an assignment
//! violates, though the facts may leave a handful of indices.
//!
//! # Idea
//! Before the first round, for each read: the elements at indices that the domains of the path
//! (`../words/domains.rs`) and the form of the index (`index_sum.rs`) allow, and the pairs of reads of one
//! array whose indices can be equal. Reads with at most [`FEW`] such elements get all their instances.
//! \[ShuaiEtAl21, algorithm 4\] counts the same instances; the example of its section 2 has 156 and 20.
//!
//! # Soundness
//! Facts choose which instances are added and are no part of them: each instance is valid in all models.
//! An instance that was not added is still added when an assignment violates it.
//!
//! # Cost
//! Reads times ranges, and pairs of at most [`MOST_COMPARED`] reads of an array.
//!
//! # Counters
//! `candidates` (instances counted), `lemmas` (instances added).

use super::{Lemma, table_axiom};
use crate::cores::native::circuit::{Blaster, Root, TermSet};
use crate::cores::native::words::DomainStore;
use crate::cores::native::{Conjuncts, CoreState};
use crate::{Budget, UnknownReason};
use cairn_domain::RangeSet;
use cairn_expr::{BitVec, Op, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// A read that can reach at most this many elements gets all their instances at once.
const FEW: u64 = 16;
/// For an array with more reads, all pairs count as possible: a statistic is not worth more.
const MOST_COMPARED: usize = 8;

/// A read that can reach few elements.
struct FewElements {
    read: Term,
    /// The values that the index can have.
    indices: Vec<u64>,
}

/// The instances that a search could need.
#[derive(Default)]
struct Instances {
    /// "A read at this index is the element there."
    elements: u64,
    /// "Two reads at the same index are equal."
    pairs: u64,
    /// Reads that can reach few elements.
    few: Vec<FewElements>,
}

/// The values below a bound that an index can have under the facts and by its form: how many, and which
/// if they are few.
fn indices(
    blaster: &mut Blaster,
    facts: &DomainStore,
    index: &Term,
    below: u64,
) -> (u64, Vec<u64>) {
    let all = (below, Vec::new());
    let Some(sum) = blaster.sum(index) else {
        return all;
    };
    let form = sum.values();
    let Some(last) = below.checked_sub(1) else {
        return (0, Vec::new());
    };
    let full = || RangeSet::full(index.width());
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

/// Counts the instances that some reads could need; `facts` are the domains of the path.
fn count(blaster: &mut Blaster, facts: &DomainStore, reads: &[Term]) -> Instances {
    let mut found = Instances::default();
    let mut arrays: FxHashMap<u32, Vec<&Term>> = FxHashMap::default();
    for read in reads {
        match read.arg(0).op() {
            Op::Table(table) => {
                let listed = table.values().len() as u64;
                let (count, indices) = indices(blaster, facts, read.arg(1), listed);
                found.elements += count;
                if blaster.arrays.is_typed() && count <= FEW {
                    let read = read.clone();
                    found.few.push(FewElements { read, indices });
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
        let sets: Vec<Option<RangeSet>> = reads.iter().map(|r| facts.values(r.arg(1))).collect();
        for (i, one) in reads.iter().enumerate() {
            for (j, other) in reads.iter().enumerate().take(i) {
                let disjoint = || match (&sets[i], &sets[j]) {
                    (Some(a), Some(b)) => a.intersect(b).is_some_and(|both| both.is_empty()),
                    (None, _) | (_, None) => false,
                };
                let never = blaster.never_equal(one.arg(1), other.arg(1)) || disjoint();
                found.pairs += u64::from(!never);
            }
        }
    }
    found
}

/// Counts the instances that the reads of a query's roots could need, and makes those of reads that can
/// reach few elements, each once as long as `made` is kept.
pub fn instantiate_few(
    shared: &mut CoreState,
    conjuncts: &Conjuncts<'_>,
    roots: &[Rc<Root>],
    made: &mut FxHashSet<(u64, u64)>,
) -> Result<Vec<Lemma>, UnknownReason> {
    let facts = &mut shared.domains;
    // The domains of a contradiction are of no use, and the search will find it.
    if facts.enter(&conjuncts.terms).is_some() {
        return Ok(Vec::new());
    }
    let mut reads = TermSet::default();
    for read in roots.iter().flat_map(|r| r.reads.iter()) {
        reads.insert(read);
    }
    let blaster = &mut shared.circuit.blaster;
    let found = count(blaster, facts, reads.as_slice());
    shared.counts.candidates += found.elements + found.pairs;
    let mut axioms = Vec::new();
    for few in found.few {
        axioms.extend(few.axioms(blaster, made, &conjuncts.query.budget)?);
    }
    shared.counts.lemmas += axioms.len() as u64;
    Ok(axioms)
}

impl FewElements {
    /// All instances about the read that were not added before.
    fn axioms(
        &self,
        blaster: &mut Blaster,
        made: &mut FxHashSet<(u64, u64)>,
        budget: &Budget,
    ) -> Result<Vec<Lemma>, UnknownReason> {
        let Op::Table(table) = self.read.arg(0).op() else {
            return Ok(Vec::new());
        };
        let mut axioms = Vec::new();
        let mut covered: Option<u64> = None;
        for &place in &self.indices {
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
