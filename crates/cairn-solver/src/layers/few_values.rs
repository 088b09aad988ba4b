//! Case splitting on a byte with few values, for large goals.
//!
//! # Problem
//! `strtod` of an unknown digit computes with words of nine digits in an array that was not written yet. After
//! some hundred steps a goal is a term of millions of operators (as a tree) that mentions the array, though the
//! digit decides everything. Blasting it takes a second.
//!
//! # Idea
//! The small facts about the digit alone leave it nine values. Each value is substituted into the goal and into
//! large facts, which are rebuilt by the canonical constructors: everything computed from the digit becomes a
//! constant, and reads find what was stored. If one of the terms becomes false, that value is excluded;
//! otherwise the rebuilt terms, which are small now, are passed on with the other facts and "the digit has this
//! value".
//!
//! # What differs
//! Case splitting is standard; here the canonical constructors do the work that a solver would.
//!
//! # Soundness
//! UNSAT: the values are all that satisfy the small facts about the byte alone (each is evaluated), and for each
//! value the goal or a large fact is false, or the rest of the chain refutes the query. The core consists of
//! these facts, those of the answers of the rest, and the goal. SAT: a model of "the byte has this value" and of
//! a term with that value substituted is a model of the term.
//!
//! # Cost
//! Rebuilding terms for each value; they are kept for the next goal about the same byte, most of whose terms are
//! the same. Only queries with a term of at least [`LARGE`] operators are considered, and only one in [`SELDOM`]
//! after [`PATIENCE`] failures in a row.
//!
//! # Counters
//! `split`: goals decided by their cases; `left`: goals passed on whole; `elements`: goals that an element of a table is a
//! model of (`layers/elements.rs`), which are looked at first.

use super::elements;
use crate::{Answer, Facts, Layer, Query, Rest, UnsatCore, Want};
use cairn_expr::{
    BitVec, Evaluator, Model, Sort, Substitution, Support, Term, TermStore, Value, symbols_of,
};

use std::rc::Rc;

/// Smaller terms, as trees, are left to others.
const LARGE: u64 = 2_000;
/// Values that are tried.
const MOST_VALUES: usize = 16;
/// A term must become smaller by this factor to be handed on for one value.
const SMALLER: u64 = 16;
/// Failures in a row after which most goals are skipped.
const PATIENCE: u32 = 8;
/// After that many failures, one goal in this many is tried.
const SELDOM: u32 = 32;
/// Goals for which what was built is kept.
const KEPT: u32 = 256;

/// The byte that was split last, and what became of terms under its values.
struct Split {
    symbol: Term,
    under: Vec<(u64, Substitution)>,
    goals: u32,
}

/// The layer; the module documentation describes it.
pub struct FewValues {
    large: u64,
    smaller: u64,
    last: Option<Split>,
    evaluator: Evaluator,
    silent: u32,
    skipped: u32,
    split: u64,
    left: u64,
    elements: u64,
}

impl Default for FewValues {
    fn default() -> Self {
        FewValues::with_limits(LARGE, SMALLER)
    }
}

/// Terms with a value substituted.
struct Substituted {
    value: u64,
    became: Vec<Term>,
}

/// A byte with the values that facts leave it, and these facts.
struct Byte {
    symbol: Term,
    values: Vec<u64>,
    facts: Vec<Term>,
}

/// Whether a fact mentions one symbol only.
fn is_about(fact: &Term, symbol: &Term) -> bool {
    let id = symbol.id();
    matches!(&fact.attributes().support, Support::Keys(keys) if keys.len() == 1 && keys[0].symbol == id)
}

impl FewValues {
    /// The layer for terms of at least so many operators that become smaller by a factor; 0 for any.
    pub fn with_limits(large: u64, smaller: u64) -> Self {
        FewValues {
            large,
            smaller,
            last: None,
            evaluator: Evaluator::new(),
            silent: 0,
            skipped: 0,
            split: 0,
            left: 0,
            elements: 0,
        }
    }

    fn wants(&mut self, query: &Query) -> bool {
        let all = [&query.goal].into_iter().chain(query.facts.iter());
        let small = !all.into_iter().any(|t| self.is_large(t));
        if small || query.want == Want::Core {
            return false;
        }
        self.skipped += 1;
        let now = self.silent < PATIENCE || self.skipped >= SELDOM;
        if now {
            self.skipped = 0;
        }
        now
    }

    fn is_large(&self, term: &Term) -> bool {
        term.attributes().tree_size >= self.large
    }

    /// The byte of the goal with the fewest values.
    fn byte(&mut self, query: &Query) -> Option<Byte> {
        let mut best: Option<Byte> = None;
        // Words that were never written are many inputs of a goal, and no byte.
        for symbol in symbols_of([&query.goal]) {
            let width = match symbol.sort() {
                Sort::BitVec(width) if width <= 8 => width,
                Sort::BitVec(_) | Sort::Bool | Sort::Array { .. } => continue,
            };
            let about = |f: &&Term| is_about(f, &symbol) && !self.is_large(f);
            let facts: Vec<Term> = query.facts.iter().filter(about).cloned().collect();
            if facts.is_empty() {
                continue;
            }
            let mut model = Model::new();
            let mut holds = |value: &u64| {
                let word = Value::Bv(BitVec::new(width, *value));
                model.set(symbol.clone(), word);
                self.evaluator.start();
                facts.iter().all(|f| self.evaluator.eval_bool(f, &model))
            };
            let values: Vec<u64> = (0..1u64 << width).filter(|v| holds(v)).collect();
            let fewer = best.as_ref().is_none_or(|b| values.len() < b.values.len());
            if values.len() <= MOST_VALUES && fewer {
                best = Some(Byte {
                    symbol,
                    values,
                    facts,
                });
            }
        }
        best
    }

    /// Terms under each value; nothing for values under which one is false. `None` if they do not become
    /// small.
    fn under(
        &mut self,
        store: &TermStore,
        byte: &Byte,
        terms: &[Term],
    ) -> Option<Vec<Substituted>> {
        let kept = self.last.take();
        let kept = kept.filter(|s| s.symbol == byte.symbol && s.goals < KEPT);
        let split = self.last.insert(kept.unwrap_or_else(|| Split {
            symbol: byte.symbol.clone(),
            under: Vec::new(),
            goals: 0,
        }));
        split.goals += 1;
        let mut left = Vec::new();
        for &value in &byte.values {
            let at = split.under.iter().position(|(v, _)| *v == value);
            let at = at.unwrap_or_else(|| {
                let mut under = Substitution::new();
                let word = store.bv(byte.symbol.width(), value);
                under.insert(byte.symbol.clone(), word);
                split.under.push((value, under));
                split.under.len() - 1
            });
            let mut became = Vec::with_capacity(terms.len());
            for term in terms {
                let under = split.under[at].1.apply(store, term);
                if under.is_false() {
                    break;
                }
                let size = |t: &Term| t.attributes().tree_size;
                let remains = size(&under).saturating_mul(self.smaller);
                if size(term) >= self.large && remains > size(term) {
                    return None;
                }
                became.push(under);
            }
            if became.len() == terms.len() {
                left.push(Substituted { value, became });
            }
        }
        Some(left)
    }

    /// Decides a query value by value.
    fn by_values(&mut self, query: &Query, rest: &mut Rest<'_>) -> Option<Answer> {
        let byte = self.byte(query)?;
        // The goal, and facts that are large: they are built again.
        let mut terms = vec![query.goal.clone()];
        let large = query.facts.iter().filter(|f| self.is_large(f));
        terms.extend(large.cloned());
        let left = self.under(rest.store(), &byte, &terms)?;
        let others: Vec<Term> = query.facts.to_vec();
        let others = others.into_iter().filter(|f| !terms[1..].contains(f));
        let others: Facts = others.collect();
        let mut core = byte.facts;
        core.extend_from_slice(&terms[1..]);
        for Substituted { value, became } in left {
            let store = rest.store();
            let word = store.bv(byte.symbol.width(), value);
            let is = store.eq(&byte.symbol, &word);
            let mut asked = query.with_goal(store.and(&is, &became[0]));
            asked.facts = became[1..]
                .iter()
                .fold(others.clone(), |f, t| f.with(t.clone()));
            // These facts were not asked about in this form before.
            asked.facts_sat = false;
            match rest.solve(&asked) {
                Answer::Sat(model) => return Some(Answer::Sat(model)),
                // A rewritten large fact is in the core as the fact itself.
                Answer::Unsat(behind) => {
                    let ours = |f: &Term| !became[1..].contains(f);
                    core.extend(behind.facts.into_iter().filter(ours));
                }
                Answer::Unknown(reason) => return Some(Answer::Unknown(reason)),
            }
        }
        core.sort_unstable_by_key(Term::birth);
        core.dedup();
        Some(Answer::Unsat(UnsatCore {
            facts: core,
            goal: true,
        }))
    }
}

impl Layer for FewValues {
    fn name(&self) -> &'static str {
        "few-values"
    }

    fn solve(&mut self, query: &Query, rest: &mut Rest<'_>) -> Answer {
        if query.want != Want::Core
            && let Some(model) = elements::model(query, &mut self.evaluator)
        {
            self.elements += 1;
            return Answer::Sat(Rc::new(model));
        }
        if !self.wants(query) {
            return rest.solve(query);
        }
        match self.by_values(query, rest) {
            Some(answer) => {
                self.split += 1;
                self.silent = 0;
                answer
            }
            None => {
                self.left += 1;
                self.silent += 1;
                rest.solve(query)
            }
        }
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("split", self.split),
            ("left", self.left),
            ("elements", self.elements),
        ]
    }
}
