//! A state that was picked goes on for a while.
//!
//! # Problem
//!
//! Changing the state costs more than the pick: the next queries share little with the last ones, so
//! what the solver keeps from them (circuits, the last model) is of less use, and caches are cold.
//!
//! # Idea
//!
//! KLEE's batching search \[CadarDunbarEngler08\]: keep the state until it has run for a given number of
//! instructions, or a given time, whichever comes first. The batch follows the state's number through
//! forks, and ends when the state is removed.
//!
//! # Soundness
//!
//! A searcher only orders states (`search/mod.rs`). The instructions are those of the state's own path, so a batch
//! without a limit of time is deterministic.
//!
//! # Cost
//!
//! One access to a hash map a call.

use super::{Clock, Searcher, SearcherInfo, StateId};
use crate::path::tree::{NodeId, Tree};
use rustc_hash::FxHashMap;
use std::time::Duration;

/// Keeps what another searcher picked for a while.
pub struct Batching {
    inner: Box<dyn Searcher>,
    instructions: Option<u64>,
    time: Option<(Duration, Clock)>,
    /// Instructions of every state when it was last told of.
    executed: FxHashMap<StateId, u64>,
    current: Option<Batch>,
}

struct Batch {
    state: StateId,
    first_instruction: u64,
    started: Duration,
}

impl Batching {
    /// A batch ends after this many instructions, or this much time on a clock. With neither it
    /// ends with its state.
    pub fn new(
        inner: Box<dyn Searcher>,
        instructions: Option<u64>,
        time: Option<(Duration, Clock)>,
    ) -> Batching {
        Batching {
            inner,
            instructions,
            time,
            executed: FxHashMap::default(),
            current: None,
        }
    }

    fn executed(&self, state: StateId) -> u64 {
        self.executed.get(&state).copied().unwrap_or(0)
    }

    fn is_over(&self, batch: &Batch) -> bool {
        let ran = self
            .executed(batch.state)
            .saturating_sub(batch.first_instruction);
        self.instructions.is_some_and(|limit| ran >= limit)
            || self
                .time
                .as_ref()
                .is_some_and(|(limit, clock)| clock.now().saturating_sub(batch.started) >= *limit)
    }
}

impl Searcher for Batching {
    fn name(&self) -> String {
        let instructions = self.instructions.map(|limit| format!("batching={limit},"));
        let time = self
            .time
            .as_ref()
            .map(|(limit, _)| format!("batching={limit:?},"));
        let limits = instructions.unwrap_or_default() + &time.unwrap_or_default();
        limits + &self.inner.name()
    }

    fn add(&mut self, state: StateId, info: &SearcherInfo) {
        self.executed.insert(state, info.instructions);
        self.inner.add(state, info);
    }

    fn update(&mut self, state: StateId, info: &SearcherInfo) {
        if let Some(executed) = self.executed.get_mut(&state) {
            *executed = info.instructions;
        }
        self.inner.update(state, info);
    }

    fn remove(&mut self, state: StateId) {
        self.executed.remove(&state);
        if self
            .current
            .as_ref()
            .is_some_and(|batch| batch.state == state)
        {
            self.current = None;
        }
        self.inner.remove(state);
    }

    fn pick(&mut self, tree: &Tree, states_at: &dyn Fn(NodeId) -> StateId) -> Option<StateId> {
        if let Some(batch) = &self.current
            && !self.is_over(batch)
        {
            return Some(batch.state);
        }
        let state = self.inner.pick(tree, states_at)?;
        let started = self
            .time
            .as_ref()
            .map(|(_, clock)| clock.now())
            .unwrap_or_default();
        let first_instruction = self.executed(state);
        self.current = Some(Batch {
            state,
            first_instruction,
            started,
        });
        Some(state)
    }

    fn choose_to_send(&mut self) -> Option<StateId> {
        self.inner.choose_to_send()
    }
}
