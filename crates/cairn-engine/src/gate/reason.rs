//! Why something cannot happen on a path.
//!
//! A reason names the claim, the facts of the path when it was refuted, and how ([`Why`]). Which of the
//! facts it stands on, its unsat core, often comes with it: the solver's answer has one. For the others it is found on
//! request, by a query ([`super::Gate::core_of`]): most reasons are never looked at.

use cairn_expr::{Support, Term};
use cairn_solver::{Facts, UnsatCore};
use std::rc::Rc;

/// How a claim was refuted. The claim is false under the facts of its path in every case.
#[derive(Clone, Debug)]
pub enum Why {
    /// By the solver: these facts contradict it.
    Refuted(UnsatCore),
    /// A condition that holds on the path excludes it: a fact, or implied by the facts.
    Known {
        /// The condition.
        condition: Term,
    },
    /// The facts about one small symbol leave it no value under which the claim holds.
    NoValue {
        /// The symbol's id.
        symbol: u32,
    },
    /// All its symbols have one value, because of these facts.
    FixedInputs(Rc<[Term]>),
    /// It is outside of bounds that a layer of the solver keeps.
    Bounds,
    /// A constructor of terms folded it to false: it depends on no input, only on words that the path
    /// has computed.
    Folded,
    /// The path came past it before, and is run again.
    Replayed,
}

/// The kinds of reasons, for counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReasonKind {
    /// [`Why::Refuted`].
    Refuted,
    /// [`Why::Known`].
    Known,
    /// [`Why::NoValue`].
    NoValue,
    /// [`Why::FixedInputs`].
    FixedInputs,
    /// [`Why::Bounds`].
    Bounds,
    /// [`Why::Folded`].
    Folded,
    /// [`Why::Replayed`].
    Replayed,
    /// All was words: the cells that they came from ([`crate::ConcreteReason`]).
    Concrete,
}

impl ReasonKind {
    /// All kinds.
    pub const ALL: [ReasonKind; 8] = [
        ReasonKind::Refuted,
        ReasonKind::Known,
        ReasonKind::NoValue,
        ReasonKind::FixedInputs,
        ReasonKind::Bounds,
        ReasonKind::Folded,
        ReasonKind::Replayed,
        ReasonKind::Concrete,
    ];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            ReasonKind::Refuted => "refuted by the solver",
            ReasonKind::Known => "excluded by a known condition",
            ReasonKind::NoValue => "no value of a byte is left",
            ReasonKind::FixedInputs => "inputs with one value",
            ReasonKind::Bounds => "outside of bounds",
            ReasonKind::Folded => "folded",
            ReasonKind::Replayed => "replayed",
            ReasonKind::Concrete => "concrete",
        }
    }
}

impl Why {
    /// Its kind.
    pub fn kind(&self) -> ReasonKind {
        match self {
            Why::Refuted(_) => ReasonKind::Refuted,
            Why::Known { .. } => ReasonKind::Known,
            Why::NoValue { .. } => ReasonKind::NoValue,
            Why::FixedInputs(_) => ReasonKind::FixedInputs,
            Why::Bounds => ReasonKind::Bounds,
            Why::Folded => ReasonKind::Folded,
            Why::Replayed => ReasonKind::Replayed,
        }
    }

    /// The same for a claim that contains all facts beyond those of a path.
    pub(super) fn within(self, path: &Facts) -> Why {
        match self {
            Why::Refuted(mut core) => {
                core.facts.retain(|fact| path.iter().any(|f| f == fact));
                core.goal = true;
                Why::Refuted(core)
            }
            Why::Known { .. }
            | Why::NoValue { .. }
            | Why::FixedInputs(_)
            | Why::Bounds
            | Why::Folded
            | Why::Replayed => self,
        }
    }
}

/// A claim that cannot hold on a path, and why.
#[derive(Clone)]
pub struct Reason {
    /// What the path knew.
    pub facts: Facts,
    /// What cannot hold.
    pub claim: Term,
    /// Why.
    pub why: Why,
}

/// The facts about a symbol alone.
pub(crate) fn facts_alone(facts: &Facts, symbol: u32) -> Vec<Term> {
    let about = |fact: &&Term| match &fact.attributes().support {
        Support::Keys(keys) => {
            keys.len() == 1 && keys[0].symbol == symbol && keys[0].cell.is_none()
        }
        Support::Many => false,
    };
    facts.iter().filter(about).cloned().collect()
}

impl Reason {
    /// The facts that it stands on, if the part that refuted the claim knows them.
    pub(super) fn named_core(&self) -> Option<Vec<Term>> {
        match &self.why {
            Why::Refuted(core) => Some(core.facts.clone()),
            Why::Known { condition } => {
                let is_fact = self.facts.iter().any(|fact| fact == condition);
                is_fact.then(|| vec![condition.clone()])
            }
            Why::NoValue { symbol } => Some(facts_alone(&self.facts, *symbol)),
            Why::FixedInputs(facts) => Some(facts.to_vec()),
            Why::Folded => Some(Vec::new()),
            Why::Bounds | Why::Replayed => None,
        }
    }
}
