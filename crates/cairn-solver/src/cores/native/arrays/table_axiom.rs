//! Axioms about reads of large constant tables: one for a whole run of elements.
//!
//! # Problem
//! A table that is too large for a circuit takes one axiom, and one round of the search, for every element
//! that a candidate gets wrong.
//!
//! # Idea
//! The axiom is about the longest run of indices around the wrong one at which the elements are equal, or
//! rise by a constant step: "if the index is in the run, the element is `step * index + c`".
//!
//! # What differs
//! \[ShuaiEtAl21\] compress tables by types of elements; here the axiom's form follows from the elements.
//!
//! # Soundness
//! The axiom holds for every index of the run, whatever the facts are.

use super::Lemma;
use crate::cores::native::circuit::{Blaster, Lit, constant};
use crate::{Budget, UnknownReason};
use cairn_bv::mask;
use cairn_expr::{BitVec, Table, Term};

/// A rising run with fewer elements than this is not worth an adder.
const SHORTEST_LINE: usize = 4;

/// A range of indices at which the elements of a table rise by a constant step, modulo 2^w. The step is 0
/// where they are equal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// The first index.
    pub first: BitVec,
    /// The last one.
    pub last: BitVec,
    step: u64,
}

impl Run {
    /// A single index.
    fn point(index: &BitVec) -> Run {
        Run {
            first: index.clone(),
            last: index.clone(),
            step: 0,
        }
    }

    /// The longest run around an index: of equal elements, or of rising ones if that is longer. Indices
    /// that are not listed have the default element and form one run up to the largest index.
    pub fn around(table: &Table, index: &BitVec) -> Run {
        let width = table.index_width();
        let values = table.values();
        let Some(at) = index.to_u64().filter(|i| *i < values.len() as u64) else {
            return Run {
                first: BitVec::new(width, values.len() as u64),
                last: BitVec::ones(width),
                step: 0,
            };
        };
        let at = at as usize;
        let run = |step: u64| {
            let rises = |i: usize| difference(&values[i], &values[i + 1]) == Some(step);
            let below = (0..at).rev().take_while(|i| rises(*i)).count();
            let above = (at..values.len() - 1).take_while(|i| rises(*i)).count();
            (at - below, at + above, step)
        };
        let length = |run: &(usize, usize, u64)| run.1 - run.0 + 1;
        let mut best = run(0);
        let next = values.get(at + 1).map(|next| (&values[at], next));
        let before = at.checked_sub(1).map(|b| (&values[b], &values[at]));
        for (one, other) in next.into_iter().chain(before) {
            let Some(step) = difference(one, other) else {
                continue;
            };
            let line = run(step);
            if length(&line) >= SHORTEST_LINE && length(&line) > length(&best) {
                best = line;
            }
        }
        Run {
            first: BitVec::new(width, best.0 as u64),
            last: BitVec::new(width, best.1 as u64),
            step: best.2,
        }
    }
}

/// The difference of two elements modulo 2^w; of elements wider than 64 bits only zero is recognised.
fn difference(one: &BitVec, next: &BitVec) -> Option<u64> {
    match one.width() {
        w @ 1..=64 => Some(next.low_u64().wrapping_sub(one.low_u64()) & mask(w)),
        _ => (one == next).then_some(0),
    }
}

/// The axiom about a read that reached a table at an index, after a path; and the run that it covers.
pub fn table_axiom(
    blaster: &mut Blaster,
    read: &Term,
    table: &Table,
    index: &BitVec,
    mut path: Vec<Lit>,
    budget: &Budget,
) -> Result<(Lemma, Run), UnknownReason> {
    let run = match blaster.arrays.is_typed() {
        true => Run::around(table, index),
        false => Run::point(index),
    };
    let word = blaster.bits(read).to_vec();
    let at = blaster.bits(read.arg(1)).to_vec();
    let mut e = blaster.circuits(budget);
    path.push(!e.ult(&at, &constant(&run.first)));
    path.push(!e.ult(&constant(&run.last), &at));
    let element = table.get(&run.first);
    let right = if run.step == 0 {
        constant(element)
    } else {
        // step * index + (element - step * first)
        let width = element.width();
        let mut place = at;
        place.resize(width as usize, Lit::FALSE);
        let step = BitVec::new(width, run.step);
        let risen = e.mul(&place, &constant(&step))?;
        let start = run.step.wrapping_mul(run.first.low_u64());
        let start = element.low_u64().wrapping_sub(start) & mask(width);
        e.add(&risen, &constant(&BitVec::new(width, start)))
    };
    let lemma = Lemma {
        read: Some(read.clone()),
        other: None,
        path,
        left: word,
        right,
    };
    Ok((lemma, run))
}
