//! Lists of terms that become a part of another list when leaves are put in for theirs.
//!
//! # Problem
//! Queries along two paths are hardly ever the same as wholes, and what contradicts in them often is: a few facts and the
//! goal, with other inputs.
//!
//! # Idea
//! The members of a pattern are matched to members of a query one after the other, and each match says what leaves stand
//! for. Where several members fit, or operands may be exchanged, one is tried after the other.
//!
//! # What differs
//! The thesis \[Trabish24\] (section 4.3) compares whole queries. Two symbols of a pattern may stand for one symbol of the query: what has no
//! model has none with two inputs equal.
//!
//! # Soundness
//! If a match is found, each member of the pattern with the leaves put in is the member of the query that it is matched to: every
//! node of the pattern has one counterpart, with the same operator over the counterparts of its operands, in either order
//! where that does not matter. A pattern that has no model has no instance that has one. Bases stand for themselves.
//!
//! # Cost
//! Bounded by [`MOST_STEPS`] pairs of nodes; then there is no match.

use super::erased::{ErasedHashes, is_rigid};
use crate::{Op, Term};
use rustc_hash::FxHashMap;

/// How many pairs of nodes are compared.
const MOST_STEPS: usize = 4096;

/// A point to come back to.
struct Choice {
    /// What else could be done; each is pairs of nodes to be compared.
    left: Vec<Vec<(Term, Term)>>,
    /// The pairs that are to be compared whatever is chosen.
    work: Vec<(Term, Term)>,
    /// How many nodes had a counterpart.
    trail: usize,
    /// How many members are taken up then.
    members: usize,
}

/// What a comparison of two nodes came to.
enum Step {
    Fits,
    Differs,
    /// One of these lists of pairs must fit.
    Either([Vec<(Term, Term)>; 2]),
}

struct Search<'a> {
    hashes: &'a mut ErasedHashes,
    /// Counterparts, by the births of the pattern's nodes.
    counterpart: FxHashMap<u64, Term>,
    trail: Vec<u64>,
    work: Vec<(Term, Term)>,
    choices: Vec<Choice>,
}

/// The members of a list that a pattern's members become when other leaves are put in for theirs, in the pattern's order. Which of
/// the list come into question is told by their hashes without names.
pub fn instance_of(
    pattern: &[Term],
    by_hash: &FxHashMap<u64, Vec<Term>>,
    hashes: &mut ErasedHashes,
) -> Option<Vec<Term>> {
    let mut search = Search {
        hashes,
        counterpart: FxHashMap::default(),
        trail: Vec::new(),
        work: Vec::new(),
        choices: Vec::new(),
    };
    let mut taken = 0;
    for _ in 0..MOST_STEPS {
        let fits = match search.work.pop() {
            Some((p, t)) => search.compare(&p, &t, taken),
            None => {
                let Some(member) = pattern.get(taken) else {
                    let found = pattern.iter().map(|m| search.counterpart.get(&m.birth()));
                    return found.map(|t| t.cloned()).collect();
                };
                let candidates = by_hash.get(&search.hashes.of(member));
                let pairs = candidates.into_iter().flatten();
                let left = pairs.map(|t| vec![(member.clone(), t.clone())]).collect();
                search.branch(left, taken + 1);
                false
            }
        };
        if !fits {
            taken = search.next_choice()?;
        }
    }
    None
}

impl Search<'_> {
    /// Notes that one of several lists of pairs must fit.
    fn branch(&mut self, mut left: Vec<Vec<(Term, Term)>>, members: usize) {
        left.reverse();
        self.choices.push(Choice {
            left,
            work: self.work.clone(),
            trail: self.trail.len(),
            members,
        });
    }

    /// Goes back to the last choice that leaves something; says how many members are taken up then.
    fn next_choice(&mut self) -> Option<usize> {
        loop {
            let choice = self.choices.last_mut()?;
            let Some(pairs) = choice.left.pop() else {
                self.choices.pop();
                continue;
            };
            self.work.clone_from(&choice.work);
            let (members, trail) = (choice.members, choice.trail);
            self.work.extend(pairs);
            for birth in self.trail.drain(trail..) {
                self.counterpart.remove(&birth);
            }
            return Some(members);
        }
    }

    fn bind(&mut self, p: &Term, t: &Term) {
        self.counterpart.insert(p.birth(), t.clone());
        self.trail.push(p.birth());
    }

    /// Compares two nodes, and notes what else must be compared.
    fn compare(&mut self, p: &Term, t: &Term, members: usize) -> bool {
        match self.step(p, t) {
            Step::Fits => true,
            Step::Differs => false,
            Step::Either(both) => {
                self.branch(both.to_vec(), members);
                false
            }
        }
    }

    fn step(&mut self, p: &Term, t: &Term) -> Step {
        if let Some(known) = self.counterpart.get(&p.birth()) {
            return if known == t {
                Step::Fits
            } else {
                Step::Differs
            };
        }
        if is_rigid(p) || matches!(p.op(), Op::Base(_)) {
            if p == t {
                self.bind(p, t);
                return Step::Fits;
            }
            return Step::Differs;
        }
        if self.hashes.of(p) != self.hashes.of(t) || p.sort() != t.sort() {
            return Step::Differs;
        }
        if let (Op::Symbol(_), Op::Symbol(_)) = (p.op(), t.op()) {
            self.bind(p, t);
            return Step::Fits;
        }
        let same = p.op() == t.op() && p.args().len() == t.args().len();
        if !same || p.args().is_empty() {
            return Step::Differs;
        }
        self.bind(p, t);
        if !p.op().info().commutative {
            let pairs = p.args().iter().cloned().zip(t.args().iter().cloned());
            self.work.extend(pairs);
            return Step::Fits;
        }
        let [a, b] = [p.arg(0).clone(), p.arg(1).clone()];
        let [c, d] = [t.arg(0).clone(), t.arg(1).clone()];
        let straight = vec![(a.clone(), c.clone()), (b.clone(), d.clone())];
        let crossed = vec![(a.clone(), d), (b.clone(), c.clone())];
        let of = self.hashes.of(&a);
        if of == self.hashes.of(&b) && t.arg(0) != t.arg(1) {
            return Step::Either([straight, crossed]);
        }
        let pairs = if of == self.hashes.of(&c) {
            straight
        } else {
            crossed
        };
        self.work.extend(pairs);
        Step::Fits
    }
}
