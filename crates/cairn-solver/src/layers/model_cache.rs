//! Reusing models and unsat cores of other queries.
//!
//! # Problem
//! Most questions along a path have an answer already: a branch that the last input takes anyway, or one that
//! contradicts the same few facts as on a neighbouring path. Asking the core solver each time costs far more than a
//! lookup.
//!
//! # Idea
//! KLEE's counterexample cache \[CadarDunbarEngler08\]: a model of another query that satisfies this one proves
//! SAT; an unsat core of another query that this one contains proves UNSAT.
//!
//! # What differs
//! KLEE searches a set-trie for subsets and supersets of the constraint set. Here models are evaluated, which
//! also finds what supersets would find, and three things make that cheap. Each recent model keeps its own
//! evaluator, so a subterm is evaluated once per model. A prefix remembers which models satisfy it, so a child
//! evaluates only its new fact and the goal. A model remembers facts that it violates, so it is rejected by one
//! lookup on every path that has one of them. Cores are listed under each of their members: if the facts are
//! known to be satisfiable, a core inside the query contains the goal, and only such cores are tried.
//!
//! # Soundness
//! SAT: the goal evaluated to true under the returned model, and so did every fact, now or when its prefix noted
//! the model (or the rest of the chain returned it as a model of that prefix); a note names a model by a unique
//! number. UNSAT: the core is unsatisfiable, and all its members are conjuncts of this query. Terms in cores are
//! held, so a birth number always means the same term.
//!
//! # Cost
//! Up to [`RECENT`] evaluations of the goal, mostly of its new subterms, and of the facts since the last noted
//! prefix. Memory: an evaluator takes 24 bytes per term of the store, times [`RECENT`]; a prefix keeps at most
//! [`PER_PREFIX`] models, shared with its neighbours; cores live in two bounded generations.
//!
//! # Counters
//! `models` that answered, of those `inherited` from the path; `cores` that answered; `tried` models; models
//! `dismissed` by a violated fact; `stored_cores`.

use super::memo::FactSet;
use crate::{Answer, Facts, Layer, MemoKey, Query, Rest, UnsatCore, Want};
use cairn_expr::{Evaluator, Model, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::rc::Rc;

/// How many models have an evaluator, and at most how many are tried for a query.
const RECENT: usize = 8;
/// How many models a prefix keeps: one for each side of a branch, and one more.
const PER_PREFIX: usize = 3;
/// How far above a prefix with models the next one is looked for.
const FARTHEST: usize = 8;
/// How many models a prefix notes as satisfying it.
const NOTES: usize = 8;
/// How many violated facts a model remembers.
const VIOLATED: usize = 4;
/// Larger unsat cores are not kept: they hardly ever fit again.
const LARGEST_CORE: usize = 64;
/// How many unsat cores are listed under one member.
const CORES_PER_MEMBER: usize = 16;
/// The members of all unsat cores of a generation.
const GENERATION_MEMBERS: usize = 1 << 17;

/// A model with a unique number.
#[derive(Clone)]
struct NumberedModel {
    number: u64,
    model: Rc<Model>,
}

/// The models of a prefix, attached to it.
#[derive(Default)]
struct PrefixNotes {
    /// Models that satisfy it, newest last.
    models: RefCell<SmallVec<[NumberedModel; PER_PREFIX]>>,
    /// Numbers of models that satisfy it, newest last.
    notes: RefCell<SmallVec<[u64; NOTES]>>,
}

impl PrefixNotes {
    fn note(&self, number: u64) {
        let mut notes = self.notes.borrow_mut();
        if !notes.contains(&number) {
            if notes.len() == NOTES {
                notes.remove(0);
            }
            notes.push(number);
        }
    }

    fn keep(&self, known: &NumberedModel) {
        self.note(known.number);
        let mut models = self.models.borrow_mut();
        models.retain(|m| m.number != known.number);
        if models.len() == PER_PREFIX {
            models.remove(0);
        }
        models.push(known.clone());
    }
}

/// A model that was used lately.
struct RecentModel {
    known: NumberedModel,
    evaluator: Evaluator,
    violated: SmallVec<[Term; VIOLATED]>,
    used: u64,
}

impl RecentModel {
    fn holds(&mut self, term: &Term) -> bool {
        self.evaluator.eval_bool(term, &self.known.model)
    }
}

/// Terms that cannot hold together.
struct StoredCore {
    members: Vec<Term>,
    minimised: bool,
}

impl StoredCore {
    fn answers(&self, query: &Query, facts: &FactSet) -> bool {
        let small_enough = query.want != Want::Core || self.minimised || self.members.len() == 1;
        small_enough
            && self
                .members
                .iter()
                .all(|t| *t == query.goal || facts.contains(t))
    }
}

type CoreIndex = FxHashMap<u64, Vec<Rc<StoredCore>>>;

/// The layer; the module documentation describes it.
pub struct ModelCache {
    key: MemoKey,
    recent: Vec<RecentModel>,
    clock: u64,
    next_number: u64,
    young: CoreIndex,
    old: CoreIndex,
    young_members: usize,
    counts: Counts,
}

#[derive(Default)]
struct Counts {
    models: u64,
    inherited: u64,
    cores: u64,
    tried: u64,
    dismissed: u64,
    stored_cores: u64,
}

impl Default for ModelCache {
    fn default() -> Self {
        let mut cache = ModelCache {
            key: MemoKey::fresh(),
            recent: Vec::new(),
            clock: 0,
            next_number: 0,
            young: CoreIndex::default(),
            old: CoreIndex::default(),
            young_members: 0,
            counts: Counts::default(),
        };
        // The model of zeros costs nothing to find.
        let zeros = cache.numbered(Rc::new(Model::new()));
        cache.recent_index(&zeros);
        cache
    }
}

impl ModelCache {
    fn prefix(&self, facts: &Facts) -> Rc<PrefixNotes> {
        facts.memo(self.key).unwrap_or_else(|| {
            let fresh: Rc<PrefixNotes> = Rc::default();
            facts.set_memo(self.key, Rc::clone(&fresh));
            fresh
        })
    }

    /// The number of a model; the same as before if it is among the recent ones.
    fn numbered(&mut self, model: Rc<Model>) -> NumberedModel {
        if let Some(r) = self
            .recent
            .iter()
            .find(|r| Rc::ptr_eq(&r.known.model, &model))
        {
            return r.known.clone();
        }
        self.next_number += 1;
        NumberedModel {
            number: self.next_number,
            model,
        }
    }

    /// Where a model is among the recent ones; if it is not there, it takes the place of the one
    /// that was not used for longest.
    fn recent_index(&mut self, known: &NumberedModel) -> usize {
        self.clock += 1;
        let found = self
            .recent
            .iter()
            .position(|r| r.known.number == known.number);
        let at = match found {
            Some(at) => at,
            None if self.recent.len() < RECENT => {
                self.recent.push(RecentModel {
                    known: known.clone(),
                    evaluator: Evaluator::new(),
                    violated: SmallVec::new(),
                    used: 0,
                });
                self.recent.len() - 1
            }
            None => {
                let oldest = (0..self.recent.len())
                    .min_by_key(|i| self.recent[*i].used)
                    .unwrap_or(0);
                let r = &mut self.recent[oldest];
                r.known = known.clone();
                r.evaluator.start();
                r.violated.clear();
                oldest
            }
        };
        self.recent[at].used = self.clock;
        at
    }

    /// The models to try: those of the longest prefix that has any, then the recent ones. Not more
    /// than have an evaluator, so that trying one does not drive out the next.
    fn candidates(&self, facts: &Facts) -> (Vec<NumberedModel>, usize) {
        let mut list: Vec<NumberedModel> = Vec::with_capacity(RECENT);
        let mut seen: FxHashSet<u64> = FxHashSet::default();
        let mut found = 0;
        let mut far = 0;
        for prefix in facts.prefixes() {
            far += found;
            if far > FARTHEST {
                break;
            }
            let Some(memo) = prefix.memo::<PrefixNotes>(self.key) else {
                continue;
            };
            let models = memo.models.borrow();
            if models.is_empty() {
                continue;
            }
            list.extend(
                models
                    .iter()
                    .rev()
                    .filter(|m| seen.insert(m.number))
                    .cloned(),
            );
            // The list's own models and its parent's: the parent knows both sides of its branch.
            found += 1;
            if found == 2 {
                break;
            }
        }
        let inherited = list.len();
        let mut recent: Vec<&RecentModel> = self.recent.iter().collect();
        recent.sort_unstable_by_key(|r| std::cmp::Reverse(r.used));
        list.extend(
            recent
                .into_iter()
                .map(|r| r.known.clone())
                .filter(|k| seen.insert(k.number)),
        );
        list.truncate(RECENT);
        (list, inherited)
    }

    /// Whether a model satisfies the query. If so, the prefixes it was evaluated on note it.
    fn satisfies(&mut self, known: &NumberedModel, query: &Query, facts: &FactSet) -> bool {
        self.counts.tried += 1;
        let at = self.recent_index(known);
        let r = &mut self.recent[at];
        if !r.holds(&query.goal) {
            return false;
        }
        if r.violated.iter().any(|t| facts.contains(t)) {
            self.counts.dismissed += 1;
            return false;
        }
        let mut walked: Vec<&Facts> = Vec::new();
        for prefix in query.facts.prefixes() {
            let Some(fact) = prefix.last() else { break };
            let noted = prefix
                .memo::<PrefixNotes>(self.key)
                .is_some_and(|m| m.notes.borrow().contains(&known.number));
            if noted {
                break;
            }
            if !r.holds(fact) {
                if r.violated.len() == VIOLATED {
                    r.violated.remove(0);
                }
                r.violated.push(fact.clone());
                return false;
            }
            walked.push(prefix);
        }
        for prefix in walked {
            self.prefix(prefix).note(known.number);
        }
        true
    }

    fn model_for(&mut self, query: &Query, facts: &FactSet) -> Option<Rc<Model>> {
        let (candidates, inherited) = self.candidates(&query.facts);
        // Marks them as used, so that none of them is driven out by another one.
        for known in &candidates {
            if self.recent.iter().any(|r| r.known.number == known.number) {
                self.recent_index(known);
            }
        }
        for (i, known) in candidates.iter().enumerate() {
            if self.satisfies(known, query, facts) {
                self.counts.models += 1;
                self.counts.inherited += u64::from(i < inherited);
                self.prefix(&query.facts).keep(known);
                return Some(Rc::clone(&known.model));
            }
        }
        None
    }

    fn core_for(&mut self, query: &Query, facts: &FactSet) -> Option<UnsatCore> {
        let under = |t: &Term| {
            [&self.young, &self.old]
                .into_iter()
                .filter_map(|index| index.get(&t.birth()))
                .flatten()
                .find(|core| core.answers(query, facts))
        };
        let core = under(&query.goal).or_else(|| {
            // Satisfiable facts contain no core, so only others need to be gone through.
            (!query.facts_sat)
                .then(|| query.facts.iter().find_map(under))
                .flatten()
        })?;
        self.counts.cores += 1;
        let (listed, others): (Vec<Term>, Vec<Term>) = core
            .members
            .iter()
            .cloned()
            .partition(|t| facts.contains(t));
        Some(UnsatCore {
            facts: listed,
            goal: !others.is_empty(),
        })
    }

    fn store_core(&mut self, query: &Query, core: &UnsatCore) {
        let mut members = core.facts.clone();
        if core.goal && !query.goal.is_true() {
            members.push(query.goal.clone());
        }
        members.sort_unstable_by_key(Term::birth);
        members.dedup();
        if members.is_empty() || members.len() > LARGEST_CORE {
            return;
        }
        if self.young_members >= GENERATION_MEMBERS {
            self.old = std::mem::take(&mut self.young);
            self.young_members = 0;
        }
        self.young_members += members.len();
        self.counts.stored_cores += 1;
        let core = Rc::new(StoredCore {
            members,
            minimised: query.want == Want::Core,
        });
        for t in &core.members {
            let list = self.young.entry(t.birth()).or_default();
            if list.len() == CORES_PER_MEMBER {
                list.remove(0);
            }
            list.push(Rc::clone(&core));
        }
    }
}

impl Layer for ModelCache {
    fn name(&self) -> &'static str {
        "model-cache"
    }

    fn solve(&mut self, query: &Query, rest: &mut Rest<'_>) -> Answer {
        let facts = FactSet::of(&query.facts);
        if let Some(core) = self.core_for(query, &facts) {
            return Answer::Unsat(core);
        }
        if let Some(model) = self.model_for(query, &facts) {
            return Answer::Sat(model);
        }
        let answer = rest.solve(query);
        match &answer {
            Answer::Sat(model) => {
                let known = self.numbered(Rc::clone(model));
                self.recent_index(&known);
                self.prefix(&query.facts).keep(&known);
            }
            Answer::Unsat(core) => self.store_core(query, core),
            Answer::Unknown(_) => {}
        }
        answer
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        let c = &self.counts;
        vec![
            ("models", c.models),
            ("inherited", c.inherited),
            ("cores", c.cores),
            ("tried", c.tried),
            ("dismissed", c.dismissed),
            ("stored_cores", c.stored_cores),
        ]
    }
}
