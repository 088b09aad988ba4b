//! Questions about paths, asked of the solver.

use crate::config::Limits;
use cairn_expr::{Model, Term, TermStore};
use cairn_solver::{Answer, Budget, Chain, ChainError, Facts, Query, Reason};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// A worker's solver.
pub struct Oracle {
    chain: Chain,
    /// Set when the run ends.
    cancel: Arc<AtomicBool>,
    per_query: Option<Duration>,
    deadline: Option<Instant>,
    /// Queries asked.
    pub asked: u64,
    /// Queries that were not decided in time.
    pub timeouts: u64,
}

impl Oracle {
    /// A solver of these layers and core.
    pub fn new(
        layers: &str,
        core: &str,
        limits: &Limits,
        cancel: Arc<AtomicBool>,
    ) -> Result<Self, ChainError> {
        Ok(Oracle {
            chain: Chain::from_names(layers, core)?,
            cancel,
            per_query: limits.solver,
            deadline: limits.deadline(),
            asked: 0,
            timeouts: 0,
        })
    }

    /// Re-asks every UNSAT of another core.
    pub fn cross_check(&mut self) -> Result<(), ChainError> {
        self.chain.cross_check_with(cairn_solver::build_core("z3")?);
        Ok(())
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

    fn solve(&mut self, store: &TermStore, query: Query) -> Answer {
        self.asked += 1;
        let own = self.per_query.map(|limit| Instant::now() + limit);
        let deadline = match (own, self.deadline) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let query = query.within(Budget {
            deadline,
            cancel: Some(Arc::clone(&self.cancel)),
            ..Budget::default()
        });
        let answer = self.chain.solve(store, &query);
        if let Answer::Unknown(Reason::Timeout) = &answer {
            self.timeouts += 1;
        }
        answer
    }

    /// What the layers did.
    pub fn chain(&self) -> &Chain {
        &self.chain
    }
}
