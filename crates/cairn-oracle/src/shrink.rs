//! Making a failing query small.
//!
//! First the history: a fresh chain, else fewer of the queries before. Then each query that is
//! left, the last one first: fewer facts, and subterms replaced by their operands or by constants.
//! Each step is kept if something is still wrong with the last answer, whatever it is.

use crate::configurations::Configuration;
use crate::judge::{Reference, ask, fault, verdict};
use cairn_expr::{BitVec, PostOrder, Sort, Substitution, Term, TermStore, dag_size};
use cairn_solver::{Budget, Facts, Query, Want};
use std::time::{Duration, Instant};

/// A failing query that was made small.
pub struct Shrunk {
    /// Queries to ask before it.
    pub history: Vec<Query>,
    /// The query.
    pub query: Query,
    /// What is wrong.
    pub problem: String,
}

struct Shrinker<'a> {
    store: &'a TermStore,
    configuration: &'a Configuration,
    reference: &'a mut Reference,
    timeout: Duration,
    until: Instant,
}

/// Shrinks the last query of a trace, for at most that long. `None` if it does not fail again.
pub fn shrink(
    store: &TermStore,
    trace: &[Query],
    configuration: &Configuration,
    reference: &mut Reference,
    timeout: Duration,
    limit: Duration,
) -> Option<Shrunk> {
    let mut s = Shrinker {
        store,
        configuration,
        reference,
        timeout,
        until: Instant::now() + limit,
    };
    let mut trace = trace.to_vec();
    let last = vec![trace.last()?.clone()];
    if s.problem(&last).is_some() {
        trace = last;
    } else {
        s.problem(&trace)?;
        s.shorten(&mut trace);
    }
    loop {
        let before: usize = trace.iter().map(size).sum();
        for at in (0..trace.len()).rev() {
            s.shrink_query(&mut trace, at);
        }
        s.shorten(&mut trace);
        let after: usize = trace.iter().map(size).sum();
        if after >= before || Instant::now() >= s.until {
            break;
        }
    }
    let problem = s.problem(&trace)?;
    let query = trace.pop()?;
    Some(Shrunk {
        history: trace,
        query,
        problem,
    })
}

impl Shrinker<'_> {
    /// What is wrong with the answer to the last query after those before it.
    fn problem(&mut self, trace: &[Query]) -> Option<String> {
        let (query, history) = trace.split_last()?;
        let mut chain = self.configuration.chain();
        let limited = |q: &Query| {
            q.clone().within(Budget {
                conflicts: q.budget.conflicts,
                ..Budget::timeout(self.timeout)
            })
        };
        for before in history {
            ask(&mut chain, self.store, &limited(before));
        }
        let answer = ask(&mut chain, self.store, &limited(query));
        let expected = match self.reference.decide(self.store, query) {
            Ok(answer) => verdict(&answer),
            Err(_) => None,
        };
        fault(self.store, query, &answer, expected, self.reference)
    }

    /// Leaves out queries before the last.
    fn shorten(&mut self, trace: &mut Vec<Query>) {
        let mut count = trace.len().div_ceil(2);
        while count > 0 {
            let mut at = 0;
            while at + 1 < trace.len() && Instant::now() < self.until {
                let mut fewer = trace.clone();
                fewer.drain(at..(at + count).min(trace.len() - 1));
                if self.problem(&fewer).is_some() {
                    *trace = fewer;
                } else {
                    at += count;
                }
            }
            count = if count == 1 { 0 } else { count.div_ceil(2) };
        }
    }

    /// Puts the candidate at its place if the trace still fails; says so.
    fn try_query(&mut self, trace: &mut [Query], at: usize, mut candidate: Query) -> bool {
        if Instant::now() >= self.until {
            return false;
        }
        if candidate.facts_sat {
            let alone = candidate.with_goal(self.store.true_());
            let sat = self.reference.decide(self.store, &alone);
            candidate.facts_sat = sat.is_ok_and(|a| a.is_sat());
        }
        let old = std::mem::replace(&mut trace[at], candidate);
        if self.problem(trace).is_some() {
            return true;
        }
        trace[at] = old;
        false
    }

    fn shrink_query(&mut self, trace: &mut [Query], at: usize) {
        let untold = Query {
            facts_sat: false,
            ..trace[at].clone()
        };
        self.try_query(trace, at, untold);
        let verdict = trace[at].clone().wanting(Want::Verdict);
        self.try_query(trace, at, verdict);
        loop {
            let before = size(&trace[at]);
            self.fewer_facts(trace, at);
            self.smaller_terms(trace, at);
            if size(&trace[at]) >= before || Instant::now() >= self.until {
                return;
            }
        }
    }

    fn fewer_facts(&mut self, trace: &mut [Query], at: usize) {
        let without_goal = trace[at].with_goal(self.store.true_());
        self.try_query(trace, at, without_goal);
        let mut n = 0;
        while n < trace[at].facts.len() {
            let mut facts = trace[at].facts.to_vec();
            facts.remove(n);
            let candidate = Query {
                facts: facts.into_iter().collect(),
                ..trace[at].clone()
            };
            if !self.try_query(trace, at, candidate) {
                n += 1;
            }
        }
    }

    fn smaller_terms(&mut self, trace: &mut [Query], at: usize) {
        let conjuncts = trace[at].conjuncts();
        let mut subterms: Vec<Term> = PostOrder::of(&conjuncts).collect();
        subterms.reverse();
        for term in subterms {
            if Instant::now() >= self.until {
                return;
            }
            for smaller in self.replacements(&term) {
                let mut substitution = Substitution::new();
                substitution.insert(term.clone(), smaller);
                let conjuncts = trace[at].conjuncts();
                let mut all: Vec<Term> = conjuncts
                    .iter()
                    .map(|t| substitution.apply(self.store, t))
                    .collect();
                if all == conjuncts {
                    break;
                }
                let goal = all.pop().expect("the goal is last");
                let candidate = Query {
                    facts: all.into_iter().collect::<Facts>(),
                    goal,
                    ..trace[at].clone()
                };
                if size(&candidate) < size(&trace[at]) && self.try_query(trace, at, candidate) {
                    break;
                }
            }
        }
    }

    fn replacements(&self, term: &Term) -> Vec<Term> {
        let s = self.store;
        let mut all: Vec<Term> = match term.sort() {
            Sort::Bool => vec![s.true_(), s.false_()],
            Sort::BitVec(w) => vec![
                s.constant(BitVec::zero(w)),
                s.constant(BitVec::one(w)),
                s.constant(BitVec::ones(w)),
            ],
            Sort::Array { .. } => Vec::new(),
        };
        let operands = term.args().iter().filter(|a| a.sort() == term.sort());
        all.extend(operands.cloned());
        all.retain(|t| t != term);
        all
    }
}

fn size(query: &Query) -> usize {
    query.conjuncts().iter().map(dag_size).sum()
}
