//! Iterative deepening by time: every path gets a second before any gets two.
//!
//! # Problem
//!
//! One path that never ends, or whose queries are hard, holds up a search that
//! follows it.
//!
//! # Idea
//!
//! KLEE's. A state that has used the time of the round is set aside; when all are, the
//! time doubles and they go on. KLEE times single steps; here the time of the whole path counts,
//! and a child starts with the time of its parent. Otherwise a loop that forks each time round
//! would have a fresh child for ever, and the round would never end.
//!
//! A state's time is what passes between its pick and what is next told of it. States
//! that are added while a state runs are its children; one that comes from elsewhere at that
//! moment is taken for one, which at worst sets it aside for a round.
//!
//! # Soundness
//!
//! Rounds end if single runs do: each path uses up its time. Nothing is
//! lost: states set aside come back in the order in which they left.
//!
//! # Cost
//!
//! Logarithmic, and one `add` and `remove` of the inner searcher per state and round.

use super::roster::Roster;
use super::{Clock, Searcher, SearcherInfo, StateId};
use crate::path::tree::{NodeId, Tree};
use std::collections::BTreeMap;
use std::time::Duration;

/// Sets states aside that have used the time of the round.
pub struct IterativeDeepening {
    inner: Box<dyn Searcher>,
    clock: Clock,
    first_round: Duration,
    /// The time that a path may have used in this round.
    round: Duration,
    roster: Roster<Entry>,
    aside: BTreeMap<u64, (StateId, SearcherInfo)>,
    next_turn: u64,
    running: Option<Running>,
}

/// What is known of a state.
struct Entry {
    /// The time its path has used.
    used: Duration,
    /// Its turn among the states set aside, if it is one.
    aside: Option<u64>,
}

/// The state that was picked last. It is remembered when it is gone: its children come then.
struct Running {
    state: StateId,
    used: Duration,
    since: Duration,
}

impl IterativeDeepening {
    /// The first round gives every path this much time on the clock.
    ///
    /// # Panics
    /// If that is no time at all, which does not double.
    pub fn new(inner: Box<dyn Searcher>, first_round: Duration, clock: Clock) -> Self {
        assert!(
            !first_round.is_zero(),
            "the first round of iterative deepening takes some time"
        );
        IterativeDeepening {
            inner,
            clock,
            first_round,
            round: first_round,
            roster: Roster::new(),
            aside: BTreeMap::new(),
            next_turn: 0,
            running: None,
        }
    }

    /// The time that a path may use in the present round.
    pub fn round(&self) -> Duration {
        self.round
    }

    /// The time used by the path that runs now.
    fn used_by_running(&self) -> Duration {
        match &self.running {
            Some(running) => running.used + self.clock.now().saturating_sub(running.since),
            None => Duration::ZERO,
        }
    }

    fn set_aside(&mut self, state: StateId, info: &SearcherInfo) -> u64 {
        let turn = self.next_turn;
        self.next_turn += 1;
        self.aside.insert(turn, (state, info.clone()));
        turn
    }

    /// Begins the next round that lets a state go on.
    fn begin_round(&mut self) {
        let states = std::mem::take(&mut self.aside);
        let least = states
            .values()
            .filter_map(|(state, _)| self.roster.get(*state).map(|entry| entry.used))
            .min();
        while least.is_some_and(|least| least >= self.round) {
            self.round = self.round.saturating_mul(2);
        }
        for (turn, (state, info)) in states {
            let Some(entry) = self.roster.get_mut(state) else {
                continue;
            };
            if entry.used < self.round {
                entry.aside = None;
                self.inner.add(state, &info);
            } else {
                self.aside.insert(turn, (state, info));
            }
        }
    }
}

impl Searcher for IterativeDeepening {
    fn name(&self) -> String {
        format!("deepening={:?},{}", self.first_round, self.inner.name())
    }

    fn add(&mut self, state: StateId, info: &SearcherInfo) {
        if self.roster.contains(state) {
            return self.update(state, info);
        }
        let used = self.used_by_running();
        let aside = (used >= self.round).then(|| self.set_aside(state, info));
        self.roster.add(state, info, Entry { used, aside });
        if aside.is_none() {
            self.inner.add(state, info);
        }
    }

    fn update(&mut self, state: StateId, info: &SearcherInfo) {
        let is_running = self
            .running
            .as_ref()
            .is_some_and(|running| running.state == state);
        let used = self.used_by_running();
        let round = self.round;
        let Some((entry, _)) = self.roster.update(state, info) else {
            return;
        };
        if let Some(turn) = entry.aside {
            self.aside.insert(turn, (state, info.clone()));
            return;
        }
        if is_running {
            entry.used = used;
        }
        if entry.used < round {
            self.inner.update(state, info);
            return;
        }
        self.inner.remove(state);
        let turn = self.set_aside(state, info);
        if let Some(entry) = self.roster.get_mut(state) {
            entry.aside = Some(turn);
        }
    }

    fn remove(&mut self, state: StateId) {
        match self.roster.remove(state) {
            Some(Entry {
                aside: Some(turn), ..
            }) => {
                self.aside.remove(&turn);
            }
            Some(Entry { aside: None, .. }) => self.inner.remove(state),
            None => {}
        }
    }

    fn pick(&mut self, tree: &Tree, states_at: &dyn Fn(NodeId) -> StateId) -> Option<StateId> {
        let mut picked = self.inner.pick(tree, states_at);
        if picked.is_none() && !self.aside.is_empty() {
            self.begin_round();
            picked = self.inner.pick(tree, states_at);
        }
        self.running = picked.map(|state| Running {
            state,
            used: self
                .roster
                .get(state)
                .map(|entry| entry.used)
                .unwrap_or_default(),
            since: self.clock.now(),
        });
        picked
    }

    fn choose_to_send(&mut self) -> Option<StateId> {
        self.roster.shallowest()
    }
}
