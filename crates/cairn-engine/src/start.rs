//! What a worker starts with: its features, distances, and why it may not start at all.

use crate::feature::Feature;
use crate::features::{ByteSets, Feasibility, ForkLimits, KnownConditions, Points, Seeds};
use crate::shared::Shared;
use cairn_ir::Program;
use cairn_ir::analysis::callgraph::CallGraph;
use cairn_ir::analysis::distance::Distances;

/// Why a worker cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The solver cannot be built.
    #[error(transparent)]
    Solver(#[from] cairn_solver::ChainError),
    /// There is no such searcher.
    #[error(transparent)]
    Search(#[from] crate::search::SearchError),
    /// The program does not fit into memory.
    #[error("the program does not fit: {0}")]
    Layout(#[from] cairn_memory::Fault),
    /// What lies beside its globals does not.
    #[error("the program cannot be loaded: {0}")]
    Load(String),
    /// The program's environment cannot be set up.
    #[error(transparent)]
    System(#[from] cairn_linux::SetupError),
    /// The system starts no more threads.
    #[error("worker {number} cannot be started: {source}; ask for fewer with --jobs")]
    Thread {
        /// Which one.
        number: usize,
        /// What the system said.
        source: std::io::Error,
    },
    /// There is no such function.
    #[error("no function {0}; --entry names another")]
    NoEntry(String),
}

/// Distances to all of the program's own code.
pub(crate) fn distances(program: &Program) -> Distances {
    Distances::new(program, &CallGraph::new(program), |function, _| {
        !program.function(function).name.starts_with("cairn.")
    })
}

/// The features of a run, in the order in which they see what is pending: those that were asked
/// for, then those that decide, the cheapest first, then those that look at what was decided.
pub(crate) fn features(shared: &Shared) -> Vec<Box<dyn Feature>> {
    let limits = &shared.config.limits;
    let mut all: Vec<Box<dyn Feature>> = shared.features.iter().map(|make| make()).collect();
    if let Some(seeding) = &shared.config.seeding {
        all.push(Box::new(Seeds::new(std::sync::Arc::clone(seeding))));
    }
    all.push(Box::new(KnownConditions));
    all.push(Box::new(ByteSets::default()));
    all.push(Box::new(Points));
    all.push(Box::new(Feasibility));
    all.push(Box::new(ForkLimits {
        depth: limits.depth,
        forks: limits.forks,
    }));
    all.extend(shared.features_behind.iter().map(|make| make()));
    all
}
