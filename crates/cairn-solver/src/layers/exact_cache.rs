//! Caching the answers of queries.
//!
//! # Problem
//! Different paths ask the same question: a sliced query does not depend on the path it was cut from, so two
//! paths that differ elsewhere ask it twice.
//!
//! # Idea
//! A query is the *set* of its conjuncts, facts and goal alike: neither their order nor which of them is the
//! goal matters. KLEE \[CadarDunbarEngler08\] keys its branch cache by the slice and the expression.
//!
//! # What differs
//! The set of a prefix is attached to the prefix as a persistent trie with a commutative hash, so that one more
//! fact costs one insertion instead of a walk over the path. The goal is a member like the others. Answers are
//! kept with their evidence.
//!
//! # Soundness
//! A hit needs the same set, compared term by term after the hashes agree. The same set has the same models and
//! the same unsat cores, so the evidence is returned as it is; only the role of the goal within a core is looked up
//! again. An entry holds its terms, so a birth number in a key always means the same term. UNKNOWN is never
//! stored, because it depends on the budget.
//!
//! # Cost
//! One insertion into a trie for each new fact; a hit on another path's list compares only what the two tries do
//! not share. Memory is bounded by weight (symbols and cells of models, members of cores) in two generations:
//! an entry that is not asked for during a whole generation is dropped.
//!
//! # Counters
//! `hits`, `misses`, `entries` stored, `generations` dropped.

use super::memo::FactSet;
use crate::{Answer, Layer, Query, Rest, UnsatCore, Want};
use cairn_expr::{Model, Term, Value, scramble};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The weight of a generation; two of them are kept.
const GENERATION_WEIGHT: usize = 1 << 20;
/// The number of entries of a generation.
const GENERATION_ENTRIES: usize = 1 << 15;

struct Entry {
    facts: Rc<FactSet>,
    /// `None` if the goal is one of the facts, or `true`.
    goal: Option<Term>,
    answer: Stored,
}

enum Stored {
    Sat(Rc<Model>),
    Unsat { members: Vec<Term>, minimised: bool },
}

impl Entry {
    fn answers(&self, facts: &Rc<FactSet>, goal: Option<&Term>) -> bool {
        if self.goal.as_ref() == goal {
            return self.facts.members.equal(&facts.members);
        }
        // Another member plays the goal.
        let size = |set: &FactSet, goal: Option<&Term>| set.members.len() + goal.iter().count();
        if size(&self.facts, self.goal.as_ref()) != size(facts, goal) {
            return false;
        }
        let whole = |set: &FactSet, goal: Option<&Term>| match goal {
            Some(goal) => set.with(goal),
            None => set.clone(),
        };
        whole(&self.facts, self.goal.as_ref())
            .members
            .equal(&whole(facts, goal).members)
    }

    /// The answer in the roles of another query over the same set.
    fn answer(&self, facts: &FactSet, query: &Query) -> Option<Answer> {
        match &self.answer {
            Stored::Sat(model) => Some(Answer::Sat(Rc::clone(model))),
            Stored::Unsat { members, minimised } => {
                if query.want == Want::Core && !minimised && members.len() > 1 {
                    return None;
                }
                let (listed, others): (Vec<Term>, Vec<Term>) =
                    members.iter().cloned().partition(|t| facts.contains(t));
                Some(Answer::Unsat(UnsatCore {
                    facts: listed,
                    goal: !others.is_empty(),
                }))
            }
        }
    }

    fn weight(&self) -> usize {
        1 + match &self.answer {
            Stored::Sat(model) => model
                .iter()
                .map(|(_, value)| match value {
                    Value::Bool(_) | Value::Bv(_) => 1,
                    Value::Array(a) => 1 + a.cells().count(),
                })
                .sum(),
            Stored::Unsat { members, .. } => members.len(),
        }
    }
}

#[derive(Default)]
struct Generation {
    entries: FxHashMap<u64, Vec<Entry>>,
    count: usize,
    weight: usize,
}

/// The layer; the module documentation describes it.
#[derive(Default)]
pub struct ExactCache {
    young: Generation,
    old: Generation,
    hits: u64,
    misses: u64,
    stored: u64,
    generations: u64,
}

impl ExactCache {
    /// The entry for a set, moved to the young generation if it was in the old one.
    fn find(&mut self, hash: u64, facts: &Rc<FactSet>, goal: Option<&Term>) -> Option<&Entry> {
        let place = |generation: &Generation| {
            generation
                .entries
                .get(&hash)?
                .iter()
                .position(|e| e.answers(facts, goal))
        };
        let at = match (place(&self.young), place(&self.old)) {
            (Some(at), _) => at,
            (None, Some(at)) => {
                let bucket = self.old.entries.get_mut(&hash)?;
                let entry = bucket.swap_remove(at);
                self.put(hash, entry);
                self.young.entries.get(&hash)?.len() - 1
            }
            (None, None) => return None,
        };
        self.young.entries.get(&hash)?.get(at)
    }

    fn put(&mut self, hash: u64, entry: Entry) {
        if self.young.count >= GENERATION_ENTRIES || self.young.weight >= GENERATION_WEIGHT {
            self.old = std::mem::take(&mut self.young);
            self.generations += 1;
        }
        self.young.count += 1;
        self.young.weight += entry.weight();
        self.young.entries.entry(hash).or_default().push(entry);
    }
}

impl Layer for ExactCache {
    fn name(&self) -> &'static str {
        "exact-cache"
    }

    fn solve(&mut self, query: &Query, rest: &mut Rest<'_>) -> Answer {
        let facts = FactSet::of(&query.facts);
        let goal = Some(&query.goal).filter(|g| !g.is_true() && !facts.contains(g));
        let hash = facts
            .hash
            .wrapping_add(goal.map_or(0, |g| scramble(g.birth())));
        let found = self
            .find(hash, &facts, goal)
            .and_then(|entry| entry.answer(&facts, query));
        if let Some(answer) = found {
            self.hits += 1;
            return answer;
        }
        self.misses += 1;
        let answer = rest.solve(query);
        let stored = match &answer {
            Answer::Sat(model) => Stored::Sat(Rc::clone(model)),
            Answer::Unsat(core) => {
                let mut members = core.facts.clone();
                if core.goal && !query.goal.is_true() {
                    members.push(query.goal.clone());
                }
                members.sort_unstable_by_key(Term::birth);
                members.dedup();
                Stored::Unsat {
                    members,
                    minimised: query.want == Want::Core,
                }
            }
            Answer::Unknown(_) => return answer,
        };
        let entry = Entry {
            facts: Rc::clone(&facts),
            goal: goal.cloned(),
            answer: stored,
        };
        // An unsat core that was not small enough for this query is replaced by the smaller one.
        if let Some(bucket) = self.young.entries.get_mut(&hash) {
            bucket.retain(|e| !e.answers(&facts, goal));
        }
        self.stored += 1;
        self.put(hash, entry);
        answer
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("hits", self.hits),
            ("misses", self.misses),
            ("entries", self.stored),
            ("generations", self.generations),
        ]
    }
}
