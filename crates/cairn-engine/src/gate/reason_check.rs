//! Proves every reason again with another solver (`--self-check`).
//!
//! # Problem
//!
//! A reason that leaves out a fact it stands on is a wrong answer without a symptom: the
//! path goes on as it should, and what is pruned by the reason later is lost.
//!
//! # Idea
//!
//! The unsat core of each reason and its claim are given to a second solver, which must refute them,
//! and each member of the unsat core must be a fact of the path.
//!
//! - **Mutation.** On request one fact is dropped from unsat cores at random, which must be seen: that shows
//!   that the check can fail.
//!
//! # Soundness
//!
//! A reason counts as proved only if the second solver (Z3 without any layer) refutes unsat core and claim. If it
//! gives a model the reason is flawed, which is reported; if it gives up, the reason is counted as undecided.
//!
//! # Cost
//!
//! One more query to the second solver for each reason.

use super::{Gate, Reason, ReasonKind};
use crate::rng::Rng;
use crate::tracing::Untraceable;
use crate::values::worker_context::WorkerContext;
use cairn_expr::Term;
use cairn_solver::{Answer, Chain, ChainError, CoreName, Facts, LayerList, Query};
use std::collections::BTreeMap;

/// How many reasons were proved again.
#[derive(Clone, Debug, Default)]
pub struct ReasonCounts {
    /// Proved, by kind.
    pub proved: BTreeMap<ReasonKind, u64>,
    /// Those that the second solver did not decide.
    pub undecided: u64,
    /// Wrong ones.
    pub flawed: Vec<FlawedReason>,
    /// How many facts unsat cores had, and how many their paths had.
    pub named: (u64, u64),
    /// Concrete stretches and steps that have no reason, by cause.
    pub untraced: BTreeMap<Untraceable, u64>,
}

/// A reason that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlawedReason {
    /// Its kind.
    pub kind: ReasonKind,
    /// What is wrong.
    pub what: String,
}

impl ReasonCounts {
    /// Adds those of another worker.
    pub fn add(&mut self, other: &ReasonCounts) {
        for (kind, count) in &other.proved {
            *self.proved.entry(*kind).or_default() += count;
        }
        self.undecided += other.undecided;
        self.flawed.extend(other.flawed.iter().cloned());
        self.named.0 += other.named.0;
        self.named.1 += other.named.1;
        for (cause, count) in &other.untraced {
            *self.untraced.entry(*cause).or_default() += count;
        }
    }
}

/// See the module's head.
pub(super) struct ReasonCheck {
    second: Chain,
    counts: ReasonCounts,
    /// Drops a fact from one unsat core in so many, chosen at random.
    mutation: Option<(Rng, usize)>,
}

/// How many flawed reasons are described.
const MOST_DESCRIBED: usize = 16;

impl ReasonCheck {
    pub(super) fn new(drop_one_in: Option<usize>) -> Result<Self, ChainError> {
        Ok(ReasonCheck {
            second: Chain::build(&LayerList::none(), &CoreName::Z3)?,
            counts: ReasonCounts::default(),
            mutation: drop_one_in.map(|n| (Rng::new(1), n)),
        })
    }

    pub(super) fn counts(&self) -> &ReasonCounts {
        &self.counts
    }

    pub(super) fn prove(&mut self, gate: &mut Gate, cx: &WorkerContext, reason: &Reason) {
        let mut core = gate.core_of(cx, reason);
        if let Some((rng, one_in)) = &mut self.mutation
            && !core.is_empty()
            && rng.index(*one_in) == 0
        {
            core.swap_remove(rng.index(core.len()));
        }
        let kind = reason.why.kind();
        self.counts.named.0 += core.len() as u64;
        self.counts.named.1 += reason.facts.len() as u64;
        let stranger = core
            .iter()
            .find(|member| !reason.facts.iter().any(|fact| fact == *member));
        if let Some(stranger) = stranger {
            self.flaw(kind, format!("{stranger:?} is no fact of its path"));
            return;
        }
        let facts: Facts = core.into_iter().collect();
        let query = Query::new(facts, reason.claim.clone());
        let first = query.clone().within(gate.oracle.budget());
        let mut answer = self.second.solve(&cx.store, &first);
        if matches!(answer, Answer::Unknown(_)) && gate.oracle.is_ended() {
            let last = query.within(gate.oracle.last_budget());
            answer = self.second.solve(&cx.store, &last);
        }
        match answer {
            Answer::Unsat(_) => *self.counts.proved.entry(kind).or_default() += 1,
            Answer::Unknown(_) => self.counts.undecided += 1,
            Answer::Sat(_) => {
                let claim: &Term = &reason.claim;
                self.flaw(kind, format!("{claim:?} can hold under its core"));
            }
        }
    }

    fn flaw(&mut self, kind: ReasonKind, what: String) {
        if self.counts.flawed.len() < MOST_DESCRIBED {
            self.counts.flawed.push(FlawedReason { kind, what });
        }
    }
}
