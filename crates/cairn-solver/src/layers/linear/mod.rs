//! A pre-check by linear arithmetic over the integers.
//!
//! # Problem
//! `a[i] + a[j] > 10` with `i + j > 4` and both at most 3 is impossible because the elements that can be read
//! are at most 5. As gates that takes the table, two adders and a search; as arithmetic it takes two lines.
//!
//! # Idea
//! The pre-check of \[ShuaiEtAl21, algorithm 3\]. Facts become linear inequalities over the integers
//! (`abstraction.rs`); the bounds of indices are narrowed, then those of the elements read there, and a
//! contradiction is searched for (`system.rs`).
//!
//! # What differs
//! Arithmetic is exact, signed operators are included, and rules that are wrong in the paper are corrected
//! (`abstraction.rs` lists them). The alignment of an index is not taken from the type of an access, which a cast
//! makes wrong, but from the factors of its sum: `4 * i + 3` is congruent to 3 modulo 4 if it does not wrap
//! around, and modulo the power of two that remains if it may.
//!
//! # Soundness
//! Only UNSAT is answered, and enclosing bounds. Every solution of the facts satisfies the inequalities, so if
//! these have no solution, the facts have none. The facts that the contradiction follows from are the core.
//!
//! # Cost
//! Only queries about arrays with at most [`MOST_FACTS`] facts are considered. Work is counted in operations on
//! numbers and paid from an account that answers fill. The result for a system is kept and reused for every query
//! with the same system: variables are numbered in order of appearance, so names do not matter.
//!
//! # Counters
//! `refuted`: UNSAT, of these `remembered`; `passed` on; `spared` because the account was empty.

mod abstraction;
mod system;

use super::memo::along;
use crate::{Answer, Bounds, Facts, Layer, MemoKey, Query, Rest, UnsatCore, Want};
use abstraction::Abstraction;
use cairn_expr::{BitVec, Term};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use system::{FactPositions, LinearVerdict, System};

/// Most facts considered, the newest first.
const MOST_FACTS: usize = 48;
/// Larger facts are not.
const LARGEST: u64 = 400;
/// Work for one query.
const WORK: u64 = 20_000;
/// Initial balance of the account.
const START: i64 = 40_000;
/// The most it holds.
const MOST: i64 = 10_000_000;
/// Credit for an answer.
const ANSWER: i64 = 50_000;
/// Credit for a query that was passed on unseen.
const PASSED: i64 = 50;
/// Systems that are remembered.
const MOST_REMEMBERED: usize = 10_000;

/// Whether a list has a fact about arrays.
struct ReadsArrays(bool);

/// The layer; the module documentation describes it.
pub struct Linear {
    arrays: MemoKey,
    remembered: FxHashMap<System, Option<FactPositions>>,
    account: i64,
    refuted: u64,
    reused: u64,
    passed: u64,
    spared: u64,
}

impl Default for Linear {
    fn default() -> Self {
        Linear {
            arrays: MemoKey::fresh(),
            remembered: FxHashMap::default(),
            account: START,
            refuted: 0,
            reused: 0,
            passed: 0,
            spared: 0,
        }
    }
}

/// Facts of a query in the order they are numbered in, the goal first.
fn listed(query: &Query) -> Vec<&Term> {
    let small = |t: &&Term| t.attributes().tree_size <= LARGEST;
    let facts = query.facts.iter().filter(small).take(MOST_FACTS);
    let mut all = vec![&query.goal];
    all.extend(facts);
    all
}

impl Linear {
    fn about_arrays(&self, facts: &Facts, goal: &Term) -> bool {
        let start = Rc::new(ReadsArrays(false));
        let known = along(facts, self.arrays, &start, |before, _, fact| {
            match before.0 || !fact.attributes().has_array {
                true => Rc::clone(before),
                false => Rc::new(ReadsArrays(true)),
            }
        });
        known.0 || goal.attributes().has_array
    }

    /// Positions in the list of terms that contradict each other.
    fn refute(&mut self, terms: &[&Term]) -> Option<FactPositions> {
        let mut abstraction = Abstraction::new();
        for (i, term) in terms.iter().enumerate() {
            abstraction.add(term, i as u32);
        }
        let mut system = abstraction.system;
        self.account -= 4 * (system.variables.len() + system.rows.len()) as i64;
        if let Some(known) = self.remembered.get(&system) {
            self.reused += u64::from(known.is_some());
            return known.clone();
        }
        let key = system.clone();
        let mut work = WORK;
        let found = match system.refute(&mut work) {
            LinearVerdict::Contradiction(why) => Some(why),
            LinearVerdict::Nothing => None,
        };
        self.account -= (WORK - work) as i64;
        if self.remembered.len() >= MOST_REMEMBERED {
            self.remembered.clear();
        }
        self.remembered.insert(key, found.clone());
        found
    }
}

impl Layer for Linear {
    fn name(&self) -> &'static str {
        "linear"
    }

    fn solve(&mut self, query: &Query, rest: &mut Rest<'_>) -> Answer {
        if !self.about_arrays(&query.facts, &query.goal) {
            return rest.solve(query);
        }
        if self.account <= 0 {
            self.account += PASSED;
            self.spared += 1;
            return rest.solve(query);
        }
        let terms = listed(query);
        let why = self.refute(&terms);
        if let Some(why) = why
            && (query.want != Want::Core || why.len() < 2)
        {
            self.refuted += 1;
            self.account = (self.account + ANSWER).min(MOST);
            let facts = why.iter().filter(|p| **p > 0);
            return Answer::Unsat(UnsatCore {
                facts: facts.map(|p| terms[*p as usize].clone()).collect(),
                goal: why.contains(&0),
            });
        }
        self.passed += 1;
        rest.solve(query)
    }

    fn enclosing_bounds(&mut self, query: &Query, term: &Term) -> Option<Bounds> {
        let mut abstraction = Abstraction::new();
        for (i, fact) in listed(query).iter().enumerate() {
            abstraction.add(fact, i as u32);
        }
        let sum = abstraction.sum(term)?;
        let mut system = abstraction.system;
        let mut work = WORK;
        if system.narrow(&mut work).is_some() {
            return None;
        }
        let (low, high) = system.range(&sum)?;
        let width = term.width();
        let most = (1i128 << width) - 1;
        let word = |value: i128| u64::try_from(value).ok().map(|v| BitVec::new(width, v));
        Some(Bounds {
            min: word(low.max(0))?,
            max: word(high.min(most))?,
        })
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("refuted", self.refuted),
            ("remembered", self.reused),
            ("passed", self.passed),
            ("spared", self.spared),
        ]
    }
}
