//! Explores the paths of programs on symbolic inputs.
//!
//! A worker picks a state, runs it with the step function of `cairn-machine` on values that may be
//! terms (`space.rs`), and turns what it stopped at into cases (`transition.rs`, `resolve.rs`,
//! `calls.rs`). Features say which of them happen (`feature.rs`); `commit.rs` is the only place that
//! forks, grows the tree and adds facts. Searchers (`search/`) say which state runs next.
//!
//! Where to start reading: `cases.rs`, `state.rs`, `worker.rs`, `commit.rs`.

#![forbid(unsafe_code)]

mod access;
mod access_sizes;
mod address_notes;
mod address_sinks;
mod addresses;
mod announce;
mod arrays;
mod bases;
mod calls;
mod cases;
mod choices;
mod clocks;
mod commit;
mod config;
mod costs;
mod counters;
mod coverage;
mod cpu_time;
mod decisions;
mod descriptors;
mod ending;
mod explore;
mod externals;
mod feature;
mod features;
mod figures;
mod finding;
mod formats;
mod fuzz;
mod gate;
mod intrinsics;
mod leaks;
mod lengths;
mod machine_code;
mod makers;
mod moving;
mod omission;
mod operators;
mod origins;
mod pointers;
mod progress;
mod query_log;
mod report;
mod resolve;
pub mod rng;
pub mod search;
mod seeded;
mod self_check;
mod settled;
mod shared;
mod sizes;
mod space;
mod start;
mod state;
mod system;
mod terms;
mod tools;
mod tracer;
mod trail;
mod transition;
pub mod tree;
mod uninit;
mod value;
mod views;
mod visits;
mod windows;
mod worker;

pub use bases::Bases;
pub use cairn_linux::Setup as SystemSetup;
pub use cairn_machine::{Arrival, MachineCode};
pub use cairn_memory::{MemoryConfig, ObjectId, Reach};
pub use cases::{Case, Effect, Standing};
pub use config::{Config, Limits};
pub use costs::PlaceCosts;
pub use counters::{Counters, Own, Tally};
pub use coverage::{
    BranchCoverage, CoverageFigures, FunctionCoverage, LineCoverage, SourceCoverage, SourceMap,
};
pub use decisions::{Decision, Decisions, Step};
pub use explore::Explorer;
pub use externals::{
    ExternalArgument, ExternalCall, ExternalPolicy, ExternalReply, Externals, HOST_CALLED,
    PassedAs, Signature,
};
pub use feature::{Arrived, Context, CoveredBy, Departure, Feature, Moment, Ruling, Wants};
pub use features::{Seed, Seeding};
pub use figures::SolverCounters;
pub use finding::{Finding, Kind, Outcome, SourceLine};
pub use fuzz::{HARNESS, HARNESS_ENTRY, link_harness};
pub use gate::{
    FlawedReason, Gate, OnReplay, Reason, ReasonCounts, ReasonKind, Verdict as GateVerdict, Why,
};
pub use intrinsics::names as intrinsic_names;
pub use omission::{Limit, Omission, Question};
pub use origins::{Input, Origins};
pub use query_log::{Asked, QueryLog};
pub use report::{Exploration, LayerReport, Observer, Omitted, Share, TestCase};
pub use self_check::{Mismatch, SelfCheck, Skip, Verdict};
pub use shared::{FeatureMaker, Path, Reported, Shared};
pub use sizes::{SizeRequest, Sizing};
pub use space::{Space, Unwritten};
pub use state::{Guide, Known, Stage, State};
pub use system::Printed;
pub use tools::Tools;
pub use tracer::Upcoming;
pub use trail::FileLine;
pub use value::{Symbolic, Value, Wide};
pub use windows::Window;
pub use worker::StartError;
