//! Bisection of domains where the constraint network is cyclic.
//!
//! # Problem
//! A scanner that reads a byte, finds no longer token and reads it again for the next token has two relations
//! about one byte. Each value of each domain has rows in every relation, and still no row agrees with all others.
//!
//! # Idea
//! Maintaining arc consistency \[SabinFreuder94\] with conflict-directed backjumping \[Prosser93\]: a variable that
//! several relations share is restricted to one half of its domain, and the consequences are propagated; then to
//! the other half. If both halves contradict the facts, the facts are contradictory. When every shared variable
//! has one value, all relations agree.
//!
//! # What differs
//! Reasons are sets of facts anyway; an assumption is one more number in them, and a contradiction that does not
//! depend on it excludes the other half too.
//!
//! # Soundness
//! A variable has one of its values if the facts in its reason hold. The reasons that refute the two halves, each
//! without the assumption, together with that reason refute both. A network that was found is a candidate, which
//! is evaluated.
//!
//! # Cost
//! A number of rows given by the caller.

use super::net::{Net, ReasonSet, union};
use cairn_expr::Term;
use rustc_hash::FxHashSet;

/// Numbers from here on are assumptions, no positions of facts.
const ASSUMPTION: u32 = 1 << 31;

/// Assumptions that hold at the same time.
const DEEPEST: u32 = 1_000;

/// The result of a bisection.
pub(super) enum BisectionResult {
    /// Every variable of several relations has one word.
    Net(Box<Net>),
    /// These facts contradict each other.
    Refuted(ReasonSet),
    /// Too much work.
    Nothing,
}

/// Looks for words that all relations agree with, with at most so much work.
pub(super) fn search(net: &Net, limit: u64, work: &mut u64) -> BisectionResult {
    let mut seen = FxHashSet::default();
    let mut shared = Vec::new();
    for relation in (0..net.count).filter_map(|n| net.relations.get(u64::from(n))) {
        for column in &relation.columns {
            let variable = net.variables.get(column.birth());
            let several = variable.is_some_and(|v| v.relations.len() > 1);
            if several && seen.insert(column.birth()) {
                shared.push(column.clone());
            }
        }
    }
    let mut search = Bisection {
        shared,
        end: work.saturating_add(limit),
        work,
    };
    search.node(net, 0)
}

struct Bisection<'a> {
    shared: Vec<Term>,
    end: u64,
    work: &'a mut u64,
}

impl Bisection<'_> {
    /// The shared variable with the fewest words for the relations that have it.
    fn next(&self, net: &Net) -> Option<Term> {
        let open = self.shared.iter().filter_map(|term| {
            let variable = net.variables.get(term.birth())?;
            let words = variable.values.len();
            (words > 1).then(|| (words * 64 / variable.relations.len(), term))
        });
        let (_, term) = open.min_by_key(|(weight, term)| (*weight, term.birth()))?;
        Some(term.clone())
    }

    fn node(&mut self, net: &Net, depth: u32) -> BisectionResult {
        let Some(term) = self.next(net) else {
            return BisectionResult::Net(Box::new(net.clone()));
        };
        let variable = net.variables.get(term.birth()).expect("it is open");
        let assumption = ASSUMPTION + depth;
        let mut refuted: ReasonSet = std::rc::Rc::clone(&variable.why);
        let (low, high) = variable.values.split_at(variable.values.len() / 2);
        for half in [low, high] {
            *self.work += self.shared.len() as u64;
            if *self.work > self.end || depth > DEEPEST {
                return BisectionResult::Nothing;
            }
            let mut next = net.clone();
            next.narrow(
                &term,
                half.to_vec(),
                ReasonSet::from([assumption]),
                self.work,
            );
            let found = match next.refuted.take() {
                Some(why) => BisectionResult::Refuted(why),
                None => self.node(&next, depth + 1),
            };
            match found {
                BisectionResult::Net(_) | BisectionResult::Nothing => return found,
                BisectionResult::Refuted(why) => {
                    if why.last() != Some(&assumption) {
                        return BisectionResult::Refuted(why);
                    }
                    refuted = union(&refuted, &ReasonSet::from(&why[..why.len() - 1]));
                }
            }
        }
        BisectionResult::Refuted(refuted)
    }
}
