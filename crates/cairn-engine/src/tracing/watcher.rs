//! Runs of states that are watched: instructions are shown, stretches are traced.

use super::check::ConcreteCheck;
use crate::explore::shared::Shared;
use crate::explore::tracer::Tracer;
use crate::gate::ReasonCounts;
use crate::path::state::State;
use crate::values::symbolic_domain::SymbolicDomain;
use crate::values::value::Value;
use cairn_machine::{CodeTable, StopOf, run};

/// See the module's head.
pub(crate) struct Watcher {
    tracer: Option<Tracer>,
    check: Option<ConcreteCheck>,
}

impl Watcher {
    /// As the run was told to; `None` if nothing is watched.
    pub fn new(shared: &Shared, table: &CodeTable<Value>, limit: u64) -> Option<Self> {
        let shows = shared.observer.wants_instructions();
        let checks = shared.config.check_reasons;
        (shows || checks).then(|| Watcher {
            tracer: shows.then(Tracer::default),
            check: checks.then(|| {
                let drop_one_in = shared.config.drop_from_reasons;
                ConcreteCheck::new(table, limit, drop_one_in)
            }),
        })
    }

    /// Runs a state as `cairn_machine::run` does.
    pub fn run(
        &mut self,
        table: &CodeTable<Value>,
        state: &mut State,
        shared: &Shared,
        limit: u64,
    ) -> StopOf<SymbolicDomain> {
        let reason = self.check.as_mut().and_then(|check| check.begin(state));
        let before = state.thread.executed;
        let stop = match &mut self.tracer {
            Some(tracer) => tracer.run(table, state, shared, limit),
            None => run(table, &mut state.domain, &mut state.thread, limit),
        };
        if let Some(check) = &mut self.check {
            check.count(state.thread.executed - before);
            if let Some(reason) = reason {
                check.check(table, &reason, state);
            }
        }
        stop
    }

    /// What was tried.
    pub fn reason_counts(&self) -> Option<&ReasonCounts> {
        self.check.as_ref().map(ConcreteCheck::counts)
    }
}
