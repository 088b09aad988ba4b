//! Questions about paths, asked of the solver.

use crate::config::Limits;
use crate::gate::query_log::{LogLayer, LoggedQueries, QueryLog};
use crate::gate::round::Round;
use cairn_expr::{Model, Term, TermStore};
use cairn_solver::{
    Answer, AnswerFile, Bounds, Budget, Cancel, Chain, ChainError, CoreName, Facts, LayerList,
    ProcessorTime, Query, UnknownReason,
};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The time of a proof that the end of the run interrupted.
const LAST_MOMENT: Duration = Duration::from_millis(200);

/// A worker's solver. Only the gate asks it.
pub(super) struct Oracle {
    chain: Chain,
    /// Set when the run ends.
    cancel: Cancel,
    per_query: Option<Duration>,
    /// The work that a question may take.
    pub round: Option<Round>,
    /// A question took more.
    pub too_hard: bool,
    deadline: Option<Instant>,
    /// Queries asked.
    pub asked: u64,
    /// Queries that were not decided in time.
    pub timeouts: u64,
    log: Option<Arc<dyn QueryLog>>,
    /// Time of all queries.
    spent: Duration,
    /// The part that was reported already.
    reported: Duration,
}

impl Oracle {
    /// A solver made of these layers and this core solver.
    pub fn new(
        layers: &LayerList,
        core: &CoreName,
        limits: &Limits,
        cancel: Arc<AtomicBool>,
    ) -> Result<Self, ChainError> {
        Ok(Oracle {
            chain: Chain::build(layers, core)?,
            cancel: Cancel::new(cancel),
            per_query: limits.solver,
            round: None,
            too_hard: false,
            deadline: limits.deadline(),
            asked: 0,
            timeouts: 0,
            log: None,
            spent: Duration::ZERO,
            reported: Duration::ZERO,
        })
    }

    /// Takes answers from a file, and adds its own.
    pub fn keep_answers_in(&mut self, file: &Arc<AnswerFile>) {
        self.chain.keep_answers_in(file);
    }

    /// Has queries written down.
    pub fn log_to(&mut self, log: &Arc<dyn QueryLog>) {
        if log.wants(LoggedQueries::OfCoreSolver) {
            self.chain
                .before_core_solver(Box::new(LogLayer(Arc::clone(log))));
        }
        if log.wants(LoggedQueries::OfChain) {
            self.log = Some(Arc::clone(log));
        }
    }

    /// Whether facts, which are satisfiable, and a goal can hold together.
    pub fn ask(&mut self, store: &TermStore, facts: &Facts, goal: &Term) -> Answer {
        let query = Query::new(facts.clone(), goal.clone()).assuming_facts_sat();
        self.solve(store, query)
    }

    /// A model of facts that are not known to be satisfiable.
    pub fn model(&mut self, store: &TermStore, facts: &Facts) -> Result<Rc<Model>, Answer> {
        match self.solve(store, Query::new(facts.clone(), store.true_())) {
            Answer::Sat(model) => Ok(model),
            other => Err(other),
        }
    }

    /// The time of queries since this was last asked.
    pub fn take_spent(&mut self) -> Duration {
        let since = self.spent - self.reported;
        self.reported = self.spent;
        since
    }

    /// The time of all queries.
    pub fn spent_in_all(&self) -> Duration {
        self.spent
    }

    /// The smallest and the largest value of a term under facts.
    pub fn bounds(
        &mut self,
        store: &TermStore,
        facts: &Facts,
        term: &Term,
    ) -> Result<Bounds, Answer> {
        let start = Instant::now();
        let query = Query::new(facts.clone(), store.true_()).assuming_facts_sat();
        let query = query.within(self.budget());
        let bounds = self.chain.bounds(store, &query, term);
        self.too_hard |= matches!(bounds, Err(Answer::Unknown(UnknownReason::Work)));
        self.asked += 1;
        self.spent += start.elapsed();
        bounds
    }

    /// Bounds that every value of a term keeps, as far as a layer knows them; nothing is solved.
    pub fn enclosing(&mut self, facts: &Facts, goal: &Term, term: &Term) -> Option<Bounds> {
        let query = Query::new(facts.clone(), goal.clone()).assuming_facts_sat();
        self.chain.enclosing_bounds(&query, term)
    }

    /// What one query may cost.
    pub(super) fn budget(&self) -> Budget {
        Budget {
            deadline: self.deadline,
            processor: self.per_query.map(ProcessorTime::new),
            work: self.round.and_then(Round::work),
            cancel: Some(self.cancel.clone()),
            ..Budget::default()
        }
    }

    /// Whether the run is over, so that queries are interrupted.
    pub(super) fn is_ended(&self) -> bool {
        self.cancel.is_set() || self.deadline.is_some_and(|end| Instant::now() >= end)
    }

    /// What a proof may cost that the end of the run interrupted: a moment, so that the run still keeps to its limit.
    pub(super) fn last_budget(&self) -> Budget {
        Budget {
            deadline: Some(Instant::now() + LAST_MOMENT),
            ..Budget::default()
        }
    }

    fn solve(&mut self, store: &TermStore, query: Query) -> Answer {
        self.asked += 1;
        let start = Instant::now();
        let query = query.within(self.budget());
        let answer = self.chain.solve(store, &query);
        match &answer {
            Answer::Unknown(UnknownReason::Timeout) => self.timeouts += 1,
            Answer::Unknown(UnknownReason::Work) => self.too_hard = true,
            Answer::Unknown(_) | Answer::Sat(_) | Answer::Unsat(_) => {}
        }
        let time = start.elapsed();
        self.spent += time;
        if let Some(log) = &self.log {
            log.answered(LoggedQueries::OfChain, &query.conjuncts(), &answer, time);
        }
        answer
    }

    /// What the layers did.
    pub fn chain(&self) -> &Chain {
        &self.chain
    }
}
