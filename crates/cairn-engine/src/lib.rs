//! Explores the paths of programs on symbolic inputs.
//!
//! A worker (`explore/worker.rs`) picks a state and runs it with the step function of `cairn-machine` on
//! values that may be terms (`values/symbolic_domain.rs`). Where the step function stops, the stop becomes
//! cases: a guard and an effect each (`path/transition.rs`, `memory/resolve.rs`, `calls/dispatch.rs`).
//! Features decide which cases can happen (`features/`), through the gate, which alone has the solver
//! (`gate/`). `path/commit.rs` forks, grows the execution tree and adds facts. Searchers (`search/`) choose
//! the state that runs next.
//!
//! Where to start reading: `path/cases.rs`, `path/state.rs`, `path/step_context.rs`, `path/commit.rs`,
//! `explore/worker.rs`.

#![forbid(unsafe_code)]

mod calls;
mod config;
mod explore;
mod features;
mod finding;
mod gate;
mod memory;
mod merge;
mod omission;
mod path;
mod report;
pub mod rng;
pub mod search;
mod tracing;
mod values;

pub use path::tree;

pub use cairn_linux::Setup as SystemSetup;
pub use cairn_machine::{Arrival, MachineCode, Stage};
pub use cairn_memory::{MemoryConfig, ObjectId, Reach};
pub use calls::externals::{
    ExternalArgument, ExternalCall, ExternalPolicy, ExternalReply, Externals, HOST_CALLED,
    PassedAs, Signature,
};
pub use calls::fuzz_harness::{HARNESS, HARNESS_ENTRY, link_harness};
pub use calls::intrinsics::{REACHED, names as intrinsic_names};
pub use calls::system::PrintedOutput;
pub use config::{Config, Limits, PlainEnd, StoppedTests};
pub use explore::counters::{Counters, Tally, WorkerCounters};
pub use explore::coverage::{
    BranchCoverage, CoverageFigures, FunctionCoverage, LineCoverage, SourceCoverage, SourceMap,
    was_entered,
};
pub use explore::exploration::Explorer;
pub use explore::moving::PortablePath;
pub use explore::place_costs::PlaceCosts;
pub use explore::shared::{FeatureMaker, Reported, Shared};
pub use explore::solver_figures::SolverCounters;
pub use explore::test_rerun::{Mismatch, RerunVerdict, Skip, TestRerun};
pub use explore::tracer::Upcoming;
pub use explore::trail::FileLine;
pub use explore::worker::StartError;
pub use features::feature::{
    Arrived, Context, Departure, Feature, Moment, Ruling, SubsumedBy, Wants,
};
pub use features::{ForkKind, KeptCounts, KeptEnd, KeptFork, KeptNode, KeptTree, Seed, Seeding};
pub use finding::{Finding, FindingKind, Outcome, SourceLine};
pub use gate::query_log::{LoggedQueries, QueryLog};
pub use gate::{
    FlawedReason, Gate, OnReplay, Reason, ReasonCounts, ReasonKind, Verdict as GateVerdict, Why,
};
pub use memory::bases::Bases;
pub use memory::origins::{Input, Origins};
pub use memory::policy::{MemoryPolicy, UnknownPolicy};
pub use memory::segments::{Resolution, UnknownResolution};
pub use memory::sizes::{SizeRequest, Sizing};
pub use memory::windows::Window;
pub use merge::{MergeCounts, MergeFault, MergeMode, MergeRefusal, UnknownMergeMode, WentBy};
pub use omission::{Omission, Question, StopCause};
pub use path::cases::{Case, Effect, Feasibility};
pub use path::decisions::{Decision, Decisions, LoggedDecision};
pub use path::state::{RecentConditions, ReplayGuide, State};
pub use report::{Exploration, LayerReport, Observer, Omitted, Share, TestCase, stack_message};
pub use tracing::{
    ByteRun, ByteSet, CoarseCell, ConcreteReason, RequiredCells, StretchEnd, StretchStart,
    TracedCode, TracedStretch, Untraceable,
};
pub use values::symbolic_domain::{SymbolicDomain, Unwritten};
pub use values::value::{Symbolic, Value, Wide};
pub use values::worker_context::{Accesses, WorkerContext};
