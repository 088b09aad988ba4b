//! The chain: layers in order, and everything that no layer does for itself.
//!
//! Timing, counting, budgets and cross-checks are here and nowhere else. Every model that leaves the chain was evaluated
//! on the whole query; in self-check a reference core solver checks every UNSAT core. A failed check is a bug in Cairn and
//! becomes [`UnknownReason::Internal`], never an answer.

use crate::layer::Rest;
use crate::layers::memo::Mentions;
use crate::{
    Answer, AnswerFile, Bounds, CoreName, Facts, Layer, LayerList, MemoKey, Query, UnknownReason,
    UnsatCore, Want,
};
use cairn_expr::{BitVec, Evaluator, Model, Support, Term, TermStore};
use rustc_hash::FxHashSet;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// From this many facts on, those that mention an input are looked up; fewer are looked through.
const INDEXED: usize = 64;

/// How far a model of a prefix is looked for; further back the last one that was checked serves as well.
const NEAR: usize = 16;

/// Statistics of a layer.
#[derive(Clone, Copy, Debug, Default)]
pub struct LayerStats {
    /// Queries it was given.
    pub asked: u64,
    /// Queries it answered SAT without asking further.
    pub sat: u64,
    /// Queries it answered UNSAT without asking further.
    pub unsat: u64,
    /// Queries it gave up on without asking further.
    pub unknown: u64,
    /// Time in the layer itself, without the layers after it.
    pub time: Duration,
}

pub(crate) struct ChainSlot {
    pub(crate) layer: Box<dyn Layer>,
    pub(crate) stats: LayerStats,
}

impl ChainSlot {
    /// Asks this layer; returns the answer and the total time, including the layers after it.
    pub(crate) fn solve(
        &mut self,
        store: &TermStore,
        later: &mut [ChainSlot],
        query: &Query,
    ) -> (Answer, Duration) {
        let start = Instant::now();
        let mut rest = Rest {
            store,
            layers: later,
            asked: false,
            time_later: Duration::ZERO,
        };
        let answer = self.layer.solve(query, &mut rest);
        let total = start.elapsed();
        let (asked, inner) = (rest.asked, rest.time_later);
        self.stats.asked += 1;
        self.stats.time += total.saturating_sub(inner);
        if !asked {
            match &answer {
                Answer::Sat(_) => self.stats.sat += 1,
                Answer::Unsat(_) => self.stats.unsat += 1,
                Answer::Unknown(_) => self.stats.unknown += 1,
            }
        }
        (answer, total)
    }
}

/// How a chain checks itself.
#[derive(Clone, Copy, Debug)]
pub struct ChainConfig {
    /// Evaluate every model on the whole query. Default is true; only measurements of the check's
    /// own cost turn it off.
    pub check_models: bool,
}

impl Default for ChainConfig {
    fn default() -> Self {
        ChainConfig { check_models: true }
    }
}

/// A list of layers that decides queries for one worker.
pub struct Chain {
    slots: Vec<ChainSlot>,
    config: ChainConfig,
    reference: Option<ChainSlot>,
    /// UNSAT answers that the reference core solver could not decide.
    unconfirmed: u64,
    evaluator: Evaluator,
    /// The model whose values the evaluator has.
    evaluated: Option<Rc<Model>>,
    /// The last model that was checked, and the facts that it satisfies.
    last: Option<(Facts, Rc<Model>)>,
    /// Under this key each list of facts has a model that was seen to satisfy it.
    checked: MemoKey,
    /// The store whose terms the layers have tables about.
    store: Option<u64>,
}

impl Default for Chain {
    /// The default layers over the native core.
    fn default() -> Self {
        Chain::build(&LayerList::default(), &CoreName::default())
            .expect("the native core is always available")
    }
}

impl Chain {
    /// A chain of given layers, the first one asked first.
    pub fn new(layers: Vec<Box<dyn Layer>>, config: ChainConfig) -> Self {
        Chain {
            slots: layers
                .into_iter()
                .map(|layer| ChainSlot {
                    layer,
                    stats: LayerStats::default(),
                })
                .collect(),
            config,
            reference: None,
            unconfirmed: 0,
            evaluator: Evaluator::new(),
            evaluated: None,
            last: None,
            checked: MemoKey::fresh(),
            store: None,
        }
    }

    /// Adds a layer right before the core solver.
    pub fn before_core_solver(&mut self, layer: Box<dyn Layer>) {
        let at = self.slots.len().saturating_sub(1);
        self.slots.insert(
            at,
            ChainSlot {
                layer,
                stats: LayerStats::default(),
            },
        );
    }

    /// Has layers that keep answers take some from a file, and add theirs.
    pub fn keep_answers_in(&mut self, file: &Arc<AnswerFile>) {
        for slot in &mut self.slots {
            slot.layer.keep_answers_in(file);
        }
    }

    /// Re-asks every UNSAT of another core solver, and refuses to answer if they disagree.
    pub fn cross_check_with(&mut self, reference: Box<dyn Layer>) {
        self.reference = Some(ChainSlot {
            layer: reference,
            stats: LayerStats::default(),
        });
    }

    /// Decides a query. All queries of a chain must be about terms of one store.
    pub fn solve(&mut self, store: &TermStore, query: &Query) -> Answer {
        if *self.store.get_or_insert(store.serial()) != store.serial() {
            return Answer::Unknown(UnknownReason::Internal(
                "a chain was asked about terms of two stores".to_string(),
            ));
        }
        if query.goal.is_false() {
            return Answer::Unsat(UnsatCore {
                facts: Vec::new(),
                goal: true,
            });
        }
        let mut rest = Rest {
            store,
            layers: &mut self.slots,
            asked: false,
            time_later: Duration::ZERO,
        };
        let answer = rest.solve(query);
        match answer {
            Answer::Sat(model) => self.checked_sat(query, model),
            Answer::Unsat(core) => self.checked_unsat(store, query, core),
            Answer::Unknown(reason) => Answer::Unknown(reason),
        }
    }

    fn checked_sat(&mut self, query: &Query, model: Rc<Model>) -> Answer {
        if !self.config.check_models {
            return Answer::Sat(model);
        }
        // Facts that an earlier model of the path satisfied need no second look where no input changed.
        let (known, changed) = self.checked_before(&query.facts, &model);
        if self
            .evaluated
            .as_ref()
            .is_none_or(|last| !Rc::ptr_eq(last, &model))
        {
            self.evaluator.start();
        }
        let evaluator = &mut self.evaluator;
        let mut violates = |t: &Term| !evaluator.eval_bool(t, &model);
        let mut newest = query.facts.iter();
        let length = query.facts.len();
        let mut violated = newest
            .by_ref()
            .take(length - known)
            .find(|t| violates(t))
            .cloned();
        if violated.is_none() && known > 0 && !changed.is_empty() {
            violated = if known < INDEXED || known / 8 < changed.len() {
                let mentions = |t: &Term| match &t.attributes().support {
                    Support::Keys(keys) => keys.iter().any(|k| changed.contains(&k.symbol)),
                    Support::Many => true,
                };
                newest.find(|t| mentions(t) && violates(t)).cloned()
            } else {
                let index = Mentions::of(&query.facts);
                let mut old = index.mentioning(changed.iter().copied());
                old.find(|t| violates(t)).cloned()
            };
        }
        if violated.is_none() && violates(&query.goal) {
            violated = Some(query.goal.clone());
        }
        self.evaluated = Some(Rc::clone(&model));
        if violated.is_none() {
            query.facts.set_memo(self.checked, Rc::clone(&model));
            self.last = Some((query.facts.clone(), Rc::clone(&model)));
        }
        match violated {
            None => Answer::Sat(model),
            Some(t) => Answer::Unknown(UnknownReason::Internal(format!(
                "a model does not satisfy {t:?}"
            ))),
        }
    }

    /// How many facts some earlier model is known to satisfy, and the symbols that have another value than in that one.
    fn checked_before(&self, facts: &Facts, model: &Rc<Model>) -> (usize, FxHashSet<u32>) {
        let known = |prefix: &Facts| Some((prefix.len(), prefix.memo::<Model>(self.checked)?));
        let near = facts.prefixes().take(NEAR).find_map(known);
        let last = || {
            let (last, model) = self.last.as_ref()?;
            Some((last.common_prefix(facts), Rc::clone(model)))
        };
        match near.or_else(last) {
            Some((length, last)) if Rc::ptr_eq(&last, model) => (length, FxHashSet::default()),
            Some((length, last)) => (length, model.changed_symbols(&last)),
            None => (0, FxHashSet::default()),
        }
    }

    fn checked_unsat(&mut self, store: &TermStore, query: &Query, core: UnsatCore) -> Answer {
        let Some(reference) = &mut self.reference else {
            return Answer::Unsat(core);
        };
        let goal = if core.goal {
            query.goal.clone()
        } else {
            store.true_()
        };
        let again = Query {
            facts: core.facts.iter().cloned().collect(),
            facts_sat: false,
            goal,
            ..query.clone()
        };
        let listed: std::collections::HashSet<Term> = query.facts.iter().cloned().collect();
        if let Some(t) = core.facts.iter().find(|t| !listed.contains(t)) {
            return Answer::Unknown(UnknownReason::Internal(format!(
                "an unsat core contains {t:?}, which is no fact of the query"
            )));
        }
        match reference.solve(store, &mut [], &again).0 {
            Answer::Sat(_) => Answer::Unknown(UnknownReason::Internal(
                "the reference core solver finds a model of what was answered as an unsat core"
                    .to_string(),
            )),
            Answer::Unsat(_) => Answer::Unsat(core),
            Answer::Unknown(_) => {
                self.unconfirmed += 1;
                Answer::Unsat(core)
            }
        }
    }

    /// How many UNSAT answers the reference core solver could not confirm because it did not decide.
    pub fn unconfirmed(&self) -> u64 {
        self.unconfirmed
    }

    /// The smallest and the largest value of a bit-vector term under the facts and the goal:
    /// exact, by bisection. `Err` says why there are none (unsatisfiable, or unknown).
    pub fn bounds(
        &mut self,
        store: &TermStore,
        query: &Query,
        term: &Term,
    ) -> Result<Bounds, Answer> {
        let first = match self.solve(store, &query.clone().wanting(Want::Model)) {
            Answer::Sat(model) => {
                self.evaluator.start();
                self.evaluator.eval_bv(term, &model)
            }
            other => return Err(other),
        };
        let w = term.width();
        let limits = self.enclosing_bounds(query, term).unwrap_or(Bounds {
            min: BitVec::zero(w),
            max: BitVec::ones(w),
        });
        let min = self.extreme(store, query, term, first.clone(), limits.min, false)?;
        let max = self.extreme(store, query, term, first, limits.max, true)?;
        Ok(Bounds { min, max })
    }

    /// Bounds that every value of a bit-vector term keeps under the facts and the goal, as far as
    /// some layer knows them: nothing is solved for it. They need not be reached.
    pub fn enclosing_bounds(&mut self, query: &Query, term: &Term) -> Option<Bounds> {
        self.slots
            .iter_mut()
            .find_map(|slot| slot.layer.enclosing_bounds(query, term))
    }

    /// Bisects between `best`, which is reached, and `limit`, which may be.
    fn extreme(
        &mut self,
        store: &TermStore,
        query: &Query,
        term: &Term,
        mut best: BitVec,
        mut limit: BitVec,
        up: bool,
    ) -> Result<BitVec, Answer> {
        let w = term.width();
        while best != limit {
            // The half away from `best`, at least one step.
            let distance = if up {
                limit.sub(&best)
            } else {
                best.sub(&limit)
            };
            let half = distance.sub(&distance.lshr(&BitVec::one(w)));
            let probe = if up { best.add(&half) } else { best.sub(&half) };
            let probe_term = store.constant(probe.clone());
            let beyond = if up {
                store.bv_uge(term, &probe_term)
            } else {
                store.bv_ule(term, &probe_term)
            };
            let asked = query
                .with_goal(store.and(&query.goal, &beyond))
                .wanting(Want::Model);
            match self.solve(store, &asked) {
                Answer::Sat(model) => {
                    self.evaluator.start();
                    best = self.evaluator.eval_bv(term, &model);
                }
                Answer::Unsat(_) => {
                    let one = BitVec::one(w);
                    limit = if up { probe.sub(&one) } else { probe.add(&one) };
                }
                unknown => return Err(unknown),
            }
        }
        Ok(best)
    }

    /// The statistics of each layer, in order.
    pub fn stats(&self) -> Vec<(&'static str, LayerStats)> {
        self.slots
            .iter()
            .map(|s| (s.layer.name(), s.stats))
            .collect()
    }

    /// Counters of the layers' own, in order.
    pub fn counters(&self) -> Vec<(&'static str, Vec<(&'static str, u64)>)> {
        self.slots
            .iter()
            .map(|s| (s.layer.name(), s.layer.counters()))
            .collect()
    }
}
