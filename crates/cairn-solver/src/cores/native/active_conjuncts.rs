//! Facts added on demand: the conjuncts that the start model violates, which the stages after it have to satisfy, and to which the
//! gate-level stages add.
//!
//! # Problem
//! Giving all facts of a path to a search costs the whole path for every branch, though the start model
//! satisfies nearly all of them and a change of a few inputs touches few.
//!
//! # Idea
//! A search gets only the conjuncts that the start model violates. The facts that share a changed input
//! with its result are evaluated; those that are violated become active, and the search is repeated. So
//! facts are refined as axioms are: on demand, and all at once when a search meets conflicts, which mostly
//! stem from facts it was not given.
//!
//! # Soundness
//! UNSAT: the active conjuncts contradict each other, so all conjuncts do. SAT: every conjunct evaluated
//! to true under the answer, or was true under the start model and shares no changed input with the answer.

use super::warm::WarmStart;
use super::{Conjuncts, CoreState};
use crate::UnknownReason;
use crate::cores::native::circuit::Root;
use cairn_expr::{Evaluator, Model};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// The conjuncts that a search must satisfy, and the model that satisfies the others.
pub struct ActiveConjuncts {
    /// The model that a search starts from.
    pub start_model: Rc<Model>,
    /// Positions of the active conjuncts.
    pub positions: Vec<usize>,
    /// Whether the next violated fact makes all facts active.
    pub all_at_next: bool,
}

impl ActiveConjuncts {
    /// The conjuncts that a model violates, and the goal; nothing if the model violates none.
    ///
    /// From a cold start all facts are active as soon as one is violated: a model of another path
    /// satisfies the rest only by chance.
    pub fn violated_by(
        start: WarmStart,
        evaluator: &mut Evaluator,
        conjuncts: &Conjuncts<'_>,
    ) -> Self {
        let goal = conjuncts.goal_position();
        let facts = match &start {
            WarmStart::Satisfied(_) => goal..goal,
            WarmStart::Near(_) | WarmStart::Cold(_) => 0..goal,
        };
        let cold = matches!(start, WarmStart::Cold(_));
        let (WarmStart::Satisfied(start_model)
        | WarmStart::Near(start_model)
        | WarmStart::Cold(start_model)) = start;
        evaluator.start();
        let violated: Vec<usize> = facts
            .clone()
            .filter(|&i| !evaluator.eval_bool(conjuncts.terms[i], &start_model))
            .collect();
        let mut positions = if cold && !violated.is_empty() {
            facts.collect()
        } else {
            violated
        };
        if !positions.is_empty() || !evaluator.eval_bool(conjuncts.terms[goal], &start_model) {
            positions.push(goal);
        }
        ActiveConjuncts {
            start_model,
            positions,
            all_at_next: false,
        }
    }

    /// The active conjuncts as roots of the circuit.
    pub fn roots(
        &self,
        shared: &mut CoreState,
        conjuncts: &Conjuncts<'_>,
    ) -> Result<Vec<Rc<Root>>, UnknownReason> {
        let budget = &conjuncts.query.budget;
        let mut roots: Vec<Rc<Root>> = Vec::with_capacity(self.positions.len());
        for &i in &self.positions {
            let term = conjuncts.terms[i];
            roots.push(shared.circuit.root(conjuncts.store, term, budget)?);
            // Blasting a small root does not look at the clock, and there may be many of them.
            budget.check()?;
        }
        Ok(roots)
    }

    /// Makes facts active that a candidate model violates: these, or all if searching without them did
    /// not pay.
    pub fn activate(&mut self, violated: Vec<usize>, conjuncts: &Conjuncts<'_>) {
        if self.all_at_next {
            self.activate_all(conjuncts);
        } else {
            self.positions.extend(violated);
        }
    }

    /// Makes all conjuncts active.
    pub fn activate_all(&mut self, conjuncts: &Conjuncts<'_>) {
        let listed: FxHashSet<usize> = self.positions.iter().copied().collect();
        let all = 0..conjuncts.terms.len();
        self.positions.extend(all.filter(|i| !listed.contains(i)));
    }
}
