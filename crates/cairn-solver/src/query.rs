//! Queries.
//!
//! A query asks whether facts and goal can hold *together*: UNSAT says that the negated goal follows from the facts. A
//! KQuery file asks the other way around, whether its constraints *imply* its goal (`ValidityQuery` of `cairn-text`): its
//! goal is negated before it is asked here, and UNSAT then says that it is valid.

use crate::{Budget, Facts};
use cairn_expr::Term;

/// The evidence that is needed besides the verdict. An answer may carry more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Want {
    /// Only the verdict.
    Verdict,
    /// A model if satisfiable.
    Model,
    /// A small unsat core if unsatisfiable: the core solver minimises it.
    Core,
    /// The smallest and the largest value of a bit-vector term; see [`crate::Chain::bounds`] and, for
    /// what is known without solving, [`crate::Chain::enclosing_bounds`].
    Bounds(Term),
}

/// Can the facts and the goal hold together?
#[derive(Clone, Debug)]
pub struct Query {
    /// The path condition.
    pub facts: Facts,
    /// Whether the facts are known to be satisfiable. Only then may a layer leave out facts that
    /// share no symbol with the goal and still say SAT.
    pub facts_sat: bool,
    /// The condition in question; `true` to ask about the facts alone.
    pub goal: Term,
    /// The evidence that is needed.
    pub want: Want,
    /// Limits on the work.
    pub budget: Budget,
}

impl Query {
    /// A query about facts that are not known to be satisfiable, with no limit.
    pub fn new(facts: Facts, goal: Term) -> Self {
        Query {
            facts,
            facts_sat: false,
            goal,
            want: Want::Model,
            budget: Budget::unlimited(),
        }
    }

    /// The same query with the facts known to be satisfiable.
    #[must_use]
    pub fn assuming_facts_sat(mut self) -> Self {
        self.facts_sat = true;
        self
    }

    /// The same query wanting something else.
    #[must_use]
    pub fn wanting(mut self, want: Want) -> Self {
        self.want = want;
        self
    }

    /// The same query with a budget.
    #[must_use]
    pub fn within(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// Another goal under the same facts and budget.
    #[must_use]
    pub fn with_goal(&self, goal: Term) -> Self {
        Query {
            goal,
            ..self.clone()
        }
    }

    /// All conjuncts: the facts oldest first, then the goal.
    pub fn conjuncts(&self) -> Vec<Term> {
        let mut all = self.facts.to_vec();
        all.push(self.goal.clone());
        all
    }
}
