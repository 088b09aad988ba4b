//! Proves merges with another solver (`--self-check`).
//!
//! # Problem
//!
//! A merge that leaves out a way, or gives a way the value of another, is a wrong answer without a symptom.
//!
//! # Idea
//!
//! Each merge is a few claims: its facts and the disjunction of its members' are the same; no two members have an input in
//! common; under the facts of each member what the merged state holds is what the member held.
//!
//! # Soundness
//!
//! A claim counts as proved only if Z3, without any layer, refutes its negation. A model is reported as a flaw.
//!
//! # Cost
//!
//! A query for each claim.

use crate::merge::alternatives::Alternatives;
use crate::merge::counts::MergeCounts;
use crate::path::step_context::StepContext;
use cairn_expr::Term;
use cairn_solver::{
    Answer, Budget, Chain, ChainError, CoreName, Facts, LayerList, ProcessorTime, Query,
};
use std::time::Duration;

/// Processor time for the claims of one merge; those that are left then are undecided.
const LONGEST_PROOF: Duration = Duration::from_secs(5);

/// How many flaws are described.
const MOST_DESCRIBED: usize = 16;

/// What is claimed of a merge: each is a name, facts and what cannot hold under them.
pub(super) struct Claims {
    shared: Facts,
    /// What each member knows beside what all share.
    members: Vec<Term>,
    impossible: Vec<(&'static str, Facts, Term)>,
}

impl Claims {
    pub fn new(step: &StepContext<'_>, alternatives: &Alternatives) -> Claims {
        let store = &step.cx.store;
        let own = alternatives.own().iter();
        let members: Vec<Term> = own.map(|facts| store.and_all(facts)).collect();
        let mut claims = Claims {
            shared: alternatives.shared().clone(),
            members,
            impossible: Vec::new(),
        };
        // Those behind a member, from the last on.
        let mut any = store.bool(false);
        for member in claims.members.iter().rev() {
            let both = store.and(member, &any);
            any = store.or(member, &any);
            let name = "two members have an input in common";
            claims.impossible.push((name, claims.shared.clone(), both));
        }
        claims
    }

    /// That the merged value is each member's under its facts.
    pub fn value(
        &mut self,
        step: &StepContext<'_>,
        merged: &Term,
        values: impl Iterator<Item = Term>,
    ) {
        let store = &step.cx.store;
        let mut wrong = store.bool(false);
        for (member, value) in self.members.iter().zip(values) {
            let differs = store.not(&store.eq(merged, &value));
            wrong = store.or(&store.and(member, &differs), &wrong);
        }
        let name = "a value is not that of a member";
        self.impossible.push((name, self.shared.clone(), wrong));
    }

    /// That the merged facts are the disjunction of the members'.
    pub fn of_facts(mut self, step: &StepContext<'_>, merged: &Facts) -> Claims {
        let store = &step.cx.store;
        let mut own: Vec<Term> = merged
            .iter()
            .take(merged.len().saturating_sub(self.shared.len()))
            .cloned()
            .collect();
        own.reverse();
        let merged = store.and_all(&own);
        let members = self.members.iter();
        let any = members.fold(store.bool(false), |any, member| store.or(member, &any));
        let differs = store.not(&store.eq(&merged, &any));
        let name = "the facts are not those of the members";
        self.impossible.push((name, self.shared.clone(), differs));
        self
    }
}

/// See the module's head.
pub(crate) struct MergeCheck {
    second: Chain,
}

impl MergeCheck {
    pub fn new() -> Result<Self, ChainError> {
        let second = Chain::build(&LayerList::none(), &CoreName::Z3)?;
        Ok(MergeCheck { second })
    }

    /// Proves what is claimed of a merge.
    pub(super) fn prove(
        &mut self,
        step: &StepContext<'_>,
        claims: Claims,
        at: impl Fn() -> String,
        counts: &mut MergeCounts,
    ) {
        // For all claims of the merge together.
        let budget = Budget {
            processor: Some(ProcessorTime::new(LONGEST_PROOF)),
            ..step.gate.proof_budget()
        };
        for (name, facts, impossible) in claims.impossible {
            if impossible.is_false() {
                counts.proved += 1;
                continue;
            }
            let query = Query::new(facts, impossible).within(budget.clone());
            match self.second.solve(&step.cx.store, &query) {
                Answer::Unsat(_) => counts.proved += 1,
                Answer::Unknown(_) => counts.undecided += 1,
                Answer::Sat(_) if counts.flawed.len() < MOST_DESCRIBED => {
                    counts.flawed.push(format!("{}: {name}", at()));
                }
                Answer::Sat(_) => {}
            }
        }
    }
}
