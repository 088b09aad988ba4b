//! Answers: a verdict with its evidence.

use cairn_expr::{BitVec, Model, Term};
use std::rc::Rc;

/// The answer to a query.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Facts and goal hold together under this model.
    Sat(Rc<Model>),
    /// They contradict each other; this is an unsat core.
    Unsat(UnsatCore),
    /// Not decided, and why.
    Unknown(UnknownReason),
}

/// Facts and possibly the goal that cannot hold together: a subset of the query's, not
/// necessarily the smallest.
#[derive(Clone, Debug, Default)]
pub struct UnsatCore {
    /// The facts, as they stand in the query.
    pub facts: Vec<Term>,
    /// Whether the goal is needed.
    pub goal: bool,
}

/// The smallest and the largest value of a term, unsigned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The smallest value it takes.
    pub min: BitVec,
    /// The largest value it takes.
    pub max: BitVec,
}

/// Why a query was not decided.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownReason {
    /// The deadline passed.
    #[error("the time limit was reached")]
    Timeout,
    /// The process is over its memory limit.
    #[error("the memory limit was reached")]
    Memory,
    /// The allowed number of conflicts was used up.
    #[error("the conflict limit was reached")]
    Conflicts,
    /// The allowed work was used up.
    #[error("the limit on work was reached")]
    Work,
    /// The query was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The chain has no core solver that decides such a query.
    #[error("no layer decides this query: {0}")]
    NotDecided(String),
    /// The core solver does not know this construct.
    #[error("not supported by this core solver: {0}")]
    Unsupported(String),
    /// An external solver failed.
    #[error("the solver failed: {0}")]
    SolverFailed(String),
    /// A check of Cairn's own found a contradiction: a bug in Cairn.
    #[error("internal error, please report: {0}")]
    Internal(String),
}

impl Answer {
    /// Whether the answer is SAT.
    pub fn is_sat(&self) -> bool {
        matches!(self, Answer::Sat(_))
    }

    /// Whether the answer is UNSAT.
    pub fn is_unsat(&self) -> bool {
        matches!(self, Answer::Unsat(_))
    }

    /// `sat`, `unsat` or `unknown`.
    pub fn verdict(&self) -> &'static str {
        match self {
            Answer::Sat(_) => "sat",
            Answer::Unsat(_) => "unsat",
            Answer::Unknown(_) => "unknown",
        }
    }
}
