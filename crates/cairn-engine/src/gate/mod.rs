//! The gate: the one place that decides what can happen on a path.
//!
//! - **Problem.** Branches, addresses, sizes, lengths and assumptions all ask what a path's facts allow.
//!   Techniques that do not walk a path again need to know why something was impossible, wherever that
//!   was concluded.
//! - **Idea.** Everybody states a question and the gate answers it: from the path's log while it is run
//!   again, from what features know of the path, then from the solver. "Impossible" is a value that
//!   carries why ([`Why`]). If somebody wants reasons, the gate keeps each with the claim and the facts
//!   that it stands on ([`Reason`]), so that no place can drop one.
//! - **Answers.** [`Verdict::Possible`] comes with a model that the solver's chain has evaluated on facts
//!   and claim. [`Verdict::Impossible`] is UNSAT. Everything else is [`Verdict::Undecided`], which the
//!   asker must report.
//! - **Cost.** Nothing beyond the query if reasons are not wanted: facts, claim and core are dropped.

mod find_all;
mod oracle;
mod range;
mod reason;
mod reason_check;

pub(crate) use find_all::{Class, Remainder};
pub(crate) use range::Search;
pub use reason::{Reason, ReasonKind, Why};
pub use reason_check::{FlawedReason, ReasonCounts};

use crate::cases::Case;
use crate::config::Config;
use crate::decisions::Decision;
use crate::state::State;
use crate::tools::Tools;
use cairn_expr::{Model, Term, TermStore};
use cairn_solver::{Answer, Bounds, Chain, ChainError, Facts, Query, Want};
use oracle::Oracle;
use reason_check::ReasonCheck;
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
    Undecided(cairn_solver::Reason),
}

/// What a question answers while its path is run again: the path came past it once.
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
    /// Conclusions since they were last taken; kept only if somebody wants reasons.
    concluded: Vec<Reason>,
    wanted: bool,
    /// Finds the cores of reasons that name none. It is not the solver of the paths, because further
    /// questions would change the models that that one gives.
    cores: Option<Box<Chain>>,
    check: Option<Box<ReasonCheck>>,
}

impl Gate {
    /// The gate of a worker.
    pub fn new(config: &Config, stop: &Arc<AtomicBool>) -> Result<Self, ChainError> {
        let mut oracle = Oracle::new(
            &config.layers,
            &config.core,
            &config.limits,
            Arc::clone(stop),
        )?;
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
            wanted: check.is_some(),
            cores: None,
            check,
        })
    }

    /// From now on conclusions are kept with their reasons.
    pub fn want_reasons(&mut self) {
        self.wanted = true;
    }

    /// Whether somebody wants reasons.
    pub fn wants_reasons(&self) -> bool {
        self.wanted
    }

    /// Whether a claim can hold on a path. While the path is run again nothing is asked.
    pub fn ask(&mut self, tools: &Tools, state: &State, claim: &Term, again: OnReplay) -> Verdict {
        if state.guide.runs_again() {
            return match again {
                OnReplay::Possible => Verdict::Possible(Rc::clone(&state.space.model)),
                OnReplay::Impossible => Verdict::Impossible(Why::Replayed),
            };
        }
        self.ask_beside(tools, &state.facts, &state.facts, claim)
    }

    /// Whether a claim can hold under facts that begin with those of a path. The path is not run again.
    pub(crate) fn ask_beside(
        &mut self,
        tools: &Tools,
        path: &Facts,
        facts: &Facts,
        claim: &Term,
    ) -> Verdict {
        match self.oracle.ask(&tools.store, facts, claim) {
            Answer::Sat(model) => Verdict::Possible(model),
            Answer::Unsat(core) => {
                let why = match claim.is_false() {
                    true => Why::Folded,
                    false => Why::Refuted(core),
                };
                if self.wanted {
                    self.conclude_beside(tools, path, facts, claim, why.clone());
                }
                Verdict::Impossible(why)
            }
            Answer::Unknown(reason) => Verdict::Undecided(reason),
        }
    }

    /// A model for what changes nothing on the path, such as a test that somebody would like better.
    pub fn look(&mut self, store: &TermStore, facts: &Facts, claim: &Term) -> Option<Rc<Model>> {
        match self.oracle.ask(store, facts, claim) {
            Answer::Sat(model) => Some(model),
            Answer::Unsat(_) | Answer::Unknown(_) => None,
        }
    }

    /// A model of facts that are not known to be satisfiable.
    pub fn model(&mut self, store: &TermStore, facts: &Facts) -> Option<Rc<Model>> {
        self.oracle.model(store, facts).ok()
    }

    /// The smallest and the largest value of a term, for what changes nothing on the path.
    pub fn look_at_bounds(&mut self, tools: &Tools, facts: &Facts, term: &Term) -> Option<Bounds> {
        self.oracle.bounds(&tools.store, facts, term).ok()
    }

    /// The smallest and the largest value of a term under facts that begin with those of a path.
    pub fn bounds(
        &mut self,
        tools: &Tools,
        path: &Facts,
        facts: &Facts,
        term: &Term,
    ) -> Option<Bounds> {
        let bounds = self.oracle.bounds(&tools.store, facts, term).ok()?;
        self.conclude_bounds(tools, path, facts, term, &bounds);
        Some(bounds)
    }

    /// Bounds that every value of a term keeps, as far as a layer knows them; nothing is solved.
    pub fn enclosing(
        &mut self,
        tools: &Tools,
        path: &Facts,
        facts: &Facts,
        term: &Term,
    ) -> Option<Bounds> {
        let bounds = self.oracle.enclosing(facts, &tools.store.true_(), term)?;
        self.conclude_bounds(tools, path, facts, term, &bounds);
        Some(bounds)
    }

    fn conclude_bounds(
        &mut self,
        tools: &Tools,
        path: &Facts,
        facts: &Facts,
        term: &Term,
        bounds: &Bounds,
    ) {
        if !self.wanted {
            return;
        }
        let store = &tools.store;
        let below = store.bv_ult(term, &store.constant(bounds.min.clone()));
        let above = store.bv_ult(&store.constant(bounds.max.clone()), term);
        let outside = store.or(&below, &above);
        self.conclude_beside(tools, path, facts, &outside, Why::Bounds);
    }

    /// The number that a path took here, if it is run again.
    pub(crate) fn logged(state: &State) -> Logged {
        let Some(decision) = state.guide.again() else {
            return Logged::Nothing;
        };
        match decision.value() {
            Some(number) if decision == Decision::Is(number) => Logged::Number(number),
            Some(_) | None => Logged::Other,
        }
    }

    /// Keeps a conclusion under facts that begin with those of a path: what is beyond those is part of the
    /// claim.
    fn conclude_beside(
        &mut self,
        tools: &Tools,
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
                whole = tools.store.and(&whole, more);
            }
            why = why.within(path);
        }
        self.conclude(path, &whole, || why);
    }

    /// Keeps a conclusion about a path. Features that decide by themselves tell it here.
    #[inline]
    pub fn conclude(&mut self, facts: &Facts, claim: &Term, why: impl FnOnce() -> Why) {
        if self.wanted {
            self.concluded.push(Reason {
                facts: facts.clone(),
                claim: claim.clone(),
                why: why(),
            });
        }
    }

    /// The conclusions since they were last taken, proved again if that is wanted.
    pub(crate) fn take_concluded(&mut self, tools: &Tools) -> Vec<Reason> {
        if self.concluded.is_empty() {
            return Vec::new();
        }
        let concluded = std::mem::take(&mut self.concluded);
        if let Some(mut check) = self.check.take() {
            for reason in &concluded {
                check.prove(self, tools, reason);
            }
            self.check = Some(check);
        }
        concluded
    }

    /// The facts that a reason stands on: a subset of its path's. If the reason does not name them, the solver
    /// is asked for a core; if it does not decide, they are all facts of the path.
    pub fn core_of(&mut self, tools: &Tools, reason: &Reason) -> Vec<Term> {
        if let Some(named) = reason.named_core() {
            return named;
        }
        let cores = self.cores.get_or_insert_with(Box::default);
        let query = Query::new(reason.facts.clone(), reason.claim.clone()).wanting(Want::Core);
        let query = query.within(self.oracle.budget());
        match cores.solve(&tools.store, &query) {
            Answer::Unsat(core) => core.facts,
            Answer::Sat(_) | Answer::Unknown(_) => reason.facts.to_vec(),
        }
    }

    /// Takes out the cases whose guards no input can make true.
    pub(crate) fn drop_folded(&mut self, state: &State, cases: &mut Vec<Case>) {
        cases.retain(|case| {
            let folded = case.guard.is_false();
            if folded {
                self.conclude(&state.facts, &case.guard, || Why::Folded);
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
