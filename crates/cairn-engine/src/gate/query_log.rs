//! Queries for a log: those that the engine asks, and those that reach
//! the core solver after all layers.
//!
//! *Cost:* nothing unless there is a log, then two system calls for each query of the core solver. The layer of the core solver's queries stands last before it.

use crate::explore::test_rerun::thread_time;
use cairn_expr::Term;
use cairn_solver::{Answer, Layer, Query, Rest};
use std::sync::Arc;
use std::time::Duration;

/// Which queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoggedQueries {
    /// Those that the engine asks.
    OfChain,
    /// Those that reach the core solver.
    OfCoreSolver,
}

/// Who writes queries down, from several threads.
pub trait QueryLog: Send + Sync + std::fmt::Debug {
    /// Whether it wants these.
    fn wants(&self, asked: LoggedQueries) -> bool;
    /// A query was answered: what should hold together, the answer, and the time it took (of the core
    /// solver the thread's processor time).
    fn answered(&self, asked: LoggedQueries, conjuncts: &[Term], answer: &Answer, time: Duration);
}

/// The name of the layer that logs.
pub(crate) const LAYER: &str = "query-log";

/// Logs what the core solver is asked.
pub(crate) struct LogLayer(pub Arc<dyn QueryLog>);

impl Layer for LogLayer {
    fn name(&self) -> &'static str {
        LAYER
    }

    fn solve(&mut self, query: &Query, rest: &mut Rest<'_>) -> Answer {
        let start = thread_time();
        let answer = rest.solve(query);
        let time = thread_time() - start;
        self.0.answered(
            LoggedQueries::OfCoreSolver,
            &query.conjuncts(),
            &answer,
            time,
        );
        answer
    }
}
