//! The trait of solving methods, and the rest of a chain.

use crate::chain::ChainSlot;
use crate::{Answer, AnswerFile, Bounds, Query, UnknownReason};
use cairn_expr::{Term, TermStore};
use std::sync::Arc;

/// One solving method.
///
/// Laws:
/// - A layer that answers by itself must be right, with evidence: a model of all facts and the
///   goal, or an unsat core that is a subset of them.
/// - A layer that hands on must only hand on queries whose answers it can map back.
/// - It does not time its queries, count its answers or check itself; the chain does. It may count events of its own.
/// - It honours `query.budget` (and passes it on).
pub trait Layer {
    /// The name in `--layers` and in statistics.
    fn name(&self) -> &'static str;

    /// Answers the query, or maps it, hands it to `rest` and maps the answer back.
    fn solve(&mut self, query: &Query, rest: &mut Rest<'_>) -> Answer;

    /// Bounds that every value of a bit-vector term keeps under the query's facts and goal, as far as
    /// the layer knows them without solving.
    fn enclosing_bounds(&mut self, query: &Query, term: &Term) -> Option<Bounds> {
        let _ = (query, term);
        None
    }

    /// Takes answers from a file from now on, and adds its own; layers that keep no answers ignore it.
    fn keep_answers_in(&mut self, file: &Arc<AnswerFile>) {
        let _ = file;
    }

    /// Counters of the layer's own, for statistics.
    fn counters(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}

/// The layers after the current one.
pub struct Rest<'a> {
    pub(crate) store: &'a TermStore,
    pub(crate) layers: &'a mut [ChainSlot],
    /// Whether this was called at all, for the statistics of the layer before.
    pub(crate) asked: bool,
    /// Time spent in them, for the statistics of the layer before.
    pub(crate) time_later: std::time::Duration,
}

impl Rest<'_> {
    /// The store of the terms.
    pub fn store(&self) -> &TermStore {
        self.store
    }

    /// Asks the next layer.
    pub fn solve(&mut self, query: &Query) -> Answer {
        self.asked = true;
        if let Some(reason) = query.budget.exhausted() {
            return Answer::Unknown(reason);
        }
        let Some((first, later)) = self.layers.split_first_mut() else {
            return Answer::Unknown(UnknownReason::NotDecided(
                "the chain ends without a core solver".to_string(),
            ));
        };
        let (answer, time) = first.solve(self.store, later, query);
        self.time_later += time;
        answer
    }
}
