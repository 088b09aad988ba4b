//! The gate: the only way to the solver, and where every refutation becomes a reason, if reasons are wanted.
//!
//! # Problem
//!
//! Branches, addresses, sizes, lengths and assumptions all ask what a path's facts allow.
//! Techniques that do not walk a path again need to know why something was impossible, wherever that
//! was concluded.
//!
//! # Idea
//!
//! All parts of the engine state their questions to the gate. It answers without the solver while the path
//! is replayed, otherwise from what features know of the path, and then from the solver. "Impossible" is a
//! value that says why ([`Why`]). If a feature or the self-check wants reasons, the gate keeps each with the
//! claim and the facts of the path ([`Reason`]) until features are told of it, so that no asker can lose one.
//!
//! | question | on replay | path's knowledge first | keeps a reason | limits of work |
//! |---|---|---|---|---|
//! | [`Gate::ask`] | what the asker says ([`OnReplay`]) | yes | yes | the round's |
//! | [`Gate::ask_under`], the same under more facts | must not be | yes | yes | the round's |
//! | [`Gate::ask_solver`], for features that decide cases | must not be | no: features before it said it | yes | the round's |
//! | [`Gate::bounds`] | must not be | yes, of terms with one value | yes | the round's |
//! | [`Gate::enclosing`], nothing is solved | must not be | yes, of terms with one value | yes | none needed |
//! | [`Gate::look`], [`Gate::look_at_bounds`], [`Gate::model`]: change nothing on the path | may be | no | no | the round's |
//! | [`Gate::excludes`], for facts of several paths | must not be | no | no | the first round's |
//! | [`Gate::core_of`], by a solver of its own | may be | no | no: it explains one | the round's |
//!
//! [`find_all::find_all`] and `range.rs` ask by [`Gate::ask_under`], again and again. On replay their callers read the decision
//! of the log themselves, numbers by [`Gate::logged`].
//!
//! The limits of a round hold from [`Gate::limit_work`] to [`Gate::lift_limits`]: for the cases of a step (`path/commit.rs`), the
//! questions of a transition (`path/transition.rs`, `calls/intrinsics/klee.rs`), and what had been postponed
//! (`explore/postponed.rs`). Elsewhere questions have no limit of work.
//!
//! # Soundness
//!
//! [`Verdict::Possible`] comes with a model that the solver's chain has evaluated on facts and claim; while a path is
//! replayed, with the state's model as it is then, which is checked when the replay is over.
//! [`Verdict::Impossible`] is UNSAT. Everything else is [`Verdict::Undecided`], which the asker must report.
//!
//! # Cost
//!
//! Nothing beyond the query if reasons are not wanted: facts, claim and unsat core are dropped.

pub(crate) mod find_all;
mod knowledge;
mod oracle;
pub(crate) mod query_log;
mod range;
mod reason;
mod reason_check;
mod round;

pub(crate) use find_all::{RemainderSpec, ValueClass};
pub(crate) use range::Bisection;
pub(crate) use reason::facts_alone;
pub use reason::{Reason, ReasonKind, Why};
pub use reason_check::{FlawedReason, ReasonCounts};
pub(crate) use round::Round;

use crate::config::Config;
use crate::features::ByteTables;
use crate::path::cases::Case;
use crate::path::decisions::Decision;
use crate::path::state::State;
use crate::values::worker_context::WorkerContext;
use cairn_expr::{Model, Term, TermStore};
use cairn_solver::{Answer, Bounds, Budget, Chain, ChainError, Facts, Query, Want};
use oracle::Oracle;
use reason_check::ReasonCheck;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Whether a claim can hold on a path.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It can: a model of the facts and the claim.
    Possible(Rc<Model>),
    /// It cannot, and why.
    Impossible(Why),
    /// The solver did not decide.
    Undecided(cairn_solver::UnknownReason),
}

/// The answer to a question while its path is replayed: the path has passed it before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnReplay {
    /// The claim held.
    Possible,
    /// The claim was refuted.
    Impossible,
}

/// A number in the log of a path that is run again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Logged {
    /// The path is not run again.
    Nothing,
    /// The next decision is this number.
    Number(u64),
    /// The next decision is another one.
    Other,
}

/// See the module's head.
pub struct Gate {
    oracle: Oracle,
    /// Conclusions since they were last taken; kept only if reasons are wanted.
    concluded: Vec<Reason>,
    keeps_reasons: bool,
    /// Conditions on single bytes, tried on all values.
    pub(crate) bytes: ByteTables,
    /// Finds the unsat cores of reasons that name none. It is not the solver of the paths, because further
    /// questions would change the models that that one gives.
    core_finder: Option<Box<Chain>>,
    /// The last unsat cores that it found, by claim: they hold wherever they are facts.
    found_cores: FxHashMap<Term, Vec<Term>>,
    check: Option<Box<ReasonCheck>>,
}

/// How many unsat cores are remembered.
const MOST_CORES: usize = 1 << 12;

impl Gate {
    /// The gate of a worker.
    pub fn new(config: &Config, stop: &Arc<AtomicBool>) -> Result<Self, ChainError> {
        let mut oracle = Oracle::new(
            &config.layers,
            &config.core,
            &config.limits,
            Arc::clone(stop),
        )?;
        if let Some(file) = &config.answers {
            oracle.keep_answers_in(file);
        }
        if let Some(log) = &config.query_log {
            oracle.log_to(log);
        }
        let check = match config.check_reasons {
            true => Some(Box::new(ReasonCheck::new(config.drop_from_reasons)?)),
            false => None,
        };
        Ok(Gate {
            oracle,
            concluded: Vec::new(),
            bytes: ByteTables::default(),
            keeps_reasons: check.is_some(),
            core_finder: None,
            found_cores: FxHashMap::default(),
            check,
        })
    }

    /// What a proof by another solver may take: it ends with the run.
    pub(crate) fn proof_budget(&self) -> Budget {
        self.oracle.budget()
    }

    /// From now on conclusions are kept with their reasons.
    pub fn want_reasons(&mut self) {
        self.keeps_reasons = true;
    }

    /// Whether reasons are wanted.
    pub fn wants_reasons(&self) -> bool {
        self.keeps_reasons
    }

    /// Whether a claim can hold on a path. While the path is run again nothing is asked.
    pub fn ask(
        &mut self,
        cx: &WorkerContext,
        state: &State,
        claim: &Term,
        again: OnReplay,
    ) -> Verdict {
        if state.guide.is_replaying() {
            return match again {
                OnReplay::Possible => Verdict::Possible(Rc::clone(&state.domain.model)),
                OnReplay::Impossible => Verdict::Impossible(Why::Replayed),
            };
        }
        self.ask_under(cx, state, state.facts(), claim)
    }

    /// Whether a claim can hold under facts that begin with those of a path. The path is not run again.
    /// Features that know something of the path are asked before the solver.
    pub(crate) fn ask_under(
        &mut self,
        cx: &WorkerContext,
        state: &State,
        facts: &Facts,
        claim: &Term,
    ) -> Verdict {
        if let Some(why) = self.refuted_by_path(cx, state, claim) {
            self.conclude(state.facts(), claim, || why.clone());
            return Verdict::Impossible(why);
        }
        self.solve_under(cx, state.facts(), facts, claim)
    }

    /// The same for a feature that decides the cases of a step, where those before it said all that the
    /// path knows.
    pub(crate) fn ask_solver(&mut self, cx: &WorkerContext, path: &Facts, claim: &Term) -> Verdict {
        self.solve_under(cx, path, path, claim)
    }

    fn solve_under(
        &mut self,
        cx: &WorkerContext,
        path: &Facts,
        facts: &Facts,
        claim: &Term,
    ) -> Verdict {
        if claim.is_false() {
            self.conclude(path, claim, || Why::Folded);
            return Verdict::Impossible(Why::Folded);
        }
        match self.oracle.ask(&cx.store, facts, claim) {
            Answer::Sat(model) => Verdict::Possible(model),
            Answer::Unsat(core) => {
                let why = Why::Refuted(core);
                if self.keeps_reasons {
                    self.conclude_under(cx, path, facts, claim, why.clone());
                }
                Verdict::Impossible(why)
            }
            Answer::Unknown(reason) => Verdict::Undecided(reason),
        }
    }

    /// A model for what changes nothing on the path, such as a test that the user prefers.
    pub fn look(&mut self, store: &TermStore, facts: &Facts, claim: &Term) -> Option<Rc<Model>> {
        match self.oracle.ask(store, facts, claim) {
            Answer::Sat(model) => Some(model),
            Answer::Unsat(_) | Answer::Unknown(_) => None,
        }
    }

    /// Whether facts refute a claim, for what concludes nothing about a path; may be false if that takes much work.
    pub(crate) fn excludes(&mut self, store: &TermStore, facts: &Facts, claim: &Term) -> bool {
        if claim.is_false() {
            return true;
        }
        self.limit_work(Round::default());
        let answer = self.oracle.ask(store, facts, claim);
        self.lift_limits();
        self.take_too_hard();
        matches!(answer, Answer::Unsat(_))
    }

    /// A model of facts that are not known to be satisfiable, or why there is none.
    pub fn model(&mut self, store: &TermStore, facts: &Facts) -> Result<Rc<Model>, Answer> {
        self.oracle.model(store, facts)
    }

    /// From now on questions may take as much work as they need.
    pub(crate) fn lift_limits(&mut self) {
        self.oracle.round = None;
    }

    /// From now on questions may take the work of a round. The asker must see to it that what was not decided for
    /// this reason is asked again ([`Gate::take_too_hard`]).
    pub(crate) fn limit_work(&mut self, round: Round) {
        self.oracle.round = Some(round);
    }

    /// Whether a question took more work than it might since this was last taken.
    pub(crate) fn too_hard(&self) -> bool {
        self.oracle.too_hard
    }

    /// The same, and forgets it.
    pub(crate) fn take_too_hard(&mut self) -> bool {
        std::mem::take(&mut self.oracle.too_hard)
    }

    /// The asker takes its step again later, as if a question had taken too much work.
    pub(crate) fn put_off(&mut self) {
        self.oracle.too_hard = true;
    }

    /// Whether the run is over, so that questions are not answered any more.
    pub(crate) fn is_run_over(&self) -> bool {
        self.oracle.is_ended()
    }

    /// The smallest and the largest value of a term, for what changes nothing on the path.
    pub fn look_at_bounds(
        &mut self,
        cx: &WorkerContext,
        facts: &Facts,
        term: &Term,
    ) -> Option<Bounds> {
        self.oracle.bounds(&cx.store, facts, term).ok()
    }

    /// The smallest and the largest value of a term under facts that begin with those of a path. The path
    /// is not run again.
    pub fn bounds(
        &mut self,
        cx: &WorkerContext,
        state: &State,
        facts: &Facts,
        term: &Term,
    ) -> Option<Bounds> {
        if let Some(only) = self.only_value(cx, state, term) {
            return Some(only);
        }
        let bounds = self.oracle.bounds(&cx.store, facts, term).ok()?;
        self.conclude_bounds(cx, state.facts(), facts, term, &bounds);
        Some(bounds)
    }

    /// Bounds that every value of a term keeps, as far as a layer knows them; nothing is solved.
    pub fn enclosing(
        &mut self,
        cx: &WorkerContext,
        state: &State,
        facts: &Facts,
        term: &Term,
    ) -> Option<Bounds> {
        if let Some(only) = self.only_value(cx, state, term) {
            return Some(only);
        }
        let bounds = self.oracle.enclosing(facts, &cx.store.true_(), term)?;
        self.conclude_bounds(cx, state.facts(), facts, term, &bounds);
        Some(bounds)
    }

    /// Bounds that every value of a term keeps that some facts allow, as far as a layer knows them. For a part of what
    /// a path knows.
    pub(crate) fn enclosing_alone(
        &mut self,
        cx: &WorkerContext,
        facts: &Facts,
        term: &Term,
    ) -> Option<Bounds> {
        self.oracle.enclosing(facts, &cx.store.true_(), term)
    }

    fn conclude_bounds(
        &mut self,
        cx: &WorkerContext,
        path: &Facts,
        facts: &Facts,
        term: &Term,
        bounds: &Bounds,
    ) {
        if !self.keeps_reasons {
            return;
        }
        let store = &cx.store;
        let below = store.bv_ult(term, &store.constant(bounds.min.clone()));
        let above = store.bv_ult(&store.constant(bounds.max.clone()), term);
        let outside = store.or(&below, &above);
        self.conclude_under(cx, path, facts, &outside, Why::Bounds);
    }

    /// The number that a path took here, if it is run again.
    pub(crate) fn logged(state: &State) -> Logged {
        let Some(decision) = state.guide.next_replayed() else {
            return Logged::Nothing;
        };
        match decision.value() {
            Some(number) if decision == Decision::Is(number) => Logged::Number(number),
            Some(_) | None => Logged::Other,
        }
    }

    /// Keeps a conclusion under facts that begin with those of a path: what is beyond those is part of the
    /// claim.
    fn conclude_under(
        &mut self,
        cx: &WorkerContext,
        path: &Facts,
        facts: &Facts,
        claim: &Term,
        why: Why,
    ) {
        let mut whole = claim.clone();
        let mut why = why;
        if !facts.same(path) {
            let added = facts.len() - path.len();
            for more in facts.iter().take(added) {
                whole = cx.store.and(&whole, more);
            }
            why = why.within(path);
        }
        self.conclude(path, &whole, || why);
    }

    /// Keeps a conclusion about a path. Features that decide by themselves tell it here.
    #[inline]
    pub fn conclude(&mut self, facts: &Facts, claim: &Term, why: impl FnOnce() -> Why) {
        if self.keeps_reasons {
            self.concluded.push(Reason {
                facts: facts.clone(),
                claim: claim.clone(),
                why: why(),
            });
        }
    }

    /// The conclusions since they were last taken, proved again if that is wanted.
    pub(crate) fn take_concluded(&mut self, cx: &WorkerContext) -> Vec<Reason> {
        if self.concluded.is_empty() {
            return Vec::new();
        }
        let concluded = std::mem::take(&mut self.concluded);
        if let Some(mut check) = self.check.take() {
            for reason in &concluded {
                check.prove(self, cx, reason);
            }
            self.check = Some(check);
        }
        concluded
    }

    /// Gives back the room of a list that was taken.
    pub(crate) fn reuse_concluded(&mut self, mut list: Vec<Reason>) {
        list.clear();
        if self.concluded.is_empty() && list.capacity() > 0 {
            self.concluded = list;
        }
    }

    /// The facts that a reason stands on: a subset of its path's. If the reason does not name them, the solver
    /// is asked for an unsat core; if it does not decide, they are all facts of the path.
    pub fn core_of(&mut self, cx: &WorkerContext, reason: &Reason) -> Vec<Term> {
        if let Some(named) = reason.named_core() {
            return named;
        }
        let is_fact = |member: &Term| reason.facts.iter().any(|fact| fact == member);
        if let Some(core) = self.found_cores.get(&reason.claim)
            && core.iter().all(is_fact)
        {
            return core.clone();
        }
        let finder = self.core_finder.get_or_insert_with(Box::default);
        let query = Query::new(reason.facts.clone(), reason.claim.clone()).wanting(Want::Core);
        let query = query.within(self.oracle.budget());
        match finder.solve(&cx.store, &query) {
            Answer::Unsat(core) => {
                if self.found_cores.len() >= MOST_CORES {
                    self.found_cores.clear();
                }
                let claim = reason.claim.clone();
                self.found_cores.insert(claim, core.facts.clone());
                core.facts
            }
            Answer::Sat(_) | Answer::Unknown(_) => reason.facts.to_vec(),
        }
    }

    /// Takes out the cases whose guards no input can make true.
    pub(crate) fn drop_folded(&mut self, state: &State, cases: &mut Vec<Case>) {
        cases.retain(|case| {
            let folded = case.guard.is_false();
            if folded {
                self.conclude(state.facts(), &case.guard, || Why::Folded);
            }
            !folded
        });
    }

    /// What was proved again so far.
    pub fn reason_counts(&self) -> Option<&ReasonCounts> {
        self.check.as_ref().map(|check| check.counts())
    }

    /// Queries asked.
    pub fn asked(&self) -> u64 {
        self.oracle.asked
    }

    /// Queries that were not decided in time.
    pub fn timeouts(&self) -> u64 {
        self.oracle.timeouts
    }

    /// The time of queries since this was last asked.
    pub fn take_spent(&mut self) -> Duration {
        self.oracle.take_spent()
    }

    /// The time of all queries.
    pub fn spent_in_all(&self) -> Duration {
        self.oracle.spent_in_all()
    }

    /// What the layers did.
    pub fn chain(&self) -> &Chain {
        self.oracle.chain()
    }
}
