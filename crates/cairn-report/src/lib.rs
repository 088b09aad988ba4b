//! The results of a run: the output folder and the files in it.
//!
//! - [`OutputFolder`]: `cairn-out-N` and the link `cairn-last`, or a folder that the user names.
//! - [`MessageLog`]: `messages.txt` and `warnings.txt`, each line at most once where that is asked for.
//! - [`InfoFile`]: `info`, who ran what, when, and what came of it.
//! - [`StatsWriter`] and [`StatsReader`]: `run.stats`, figures over time in SQLite.
//! - [`Profile`]: `run.istats`, costs per source line in callgrind's format.
//! - [`Tracefile`]: `coverage.info`, what was covered of the source, as lcov says it.
//! - [`Summary`]: `summary.json`, for programs.
//!
//! Names, columns and forms are KLEE's, so that tools written for it read our folders. All of it is
//! written from plain data: *invariant:* this crate knows no program, no engine, no solver. An unknown
//! figure is absent or null, never 0.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod atomic;
mod error;
mod folder;
mod info;
mod istats;
mod lcov;
mod messages;
mod stats_reader;
mod stats_row;
mod stats_writer;
mod summary;

pub use error::ReportError;
pub use folder::{OutputFolder, Product};
pub use info::{InfoFile, QueryTotals, RunEnd, RunStart, RunTotals};
pub use istats::{Event, FunctionCosts, InstructionCosts, LineCosts, Profile};
pub use lcov::{TracedBranch, TracedFile, TracedFunction, Tracefile};
pub use messages::{MessageFile, MessageLog};
pub use stats_reader::{StatsCell, StatsReader};
pub use stats_row::StatsRow;
pub use stats_writer::StatsWriter;
pub use summary::{
    AccessCounts, Coverage, FindingSummary, Frontend, LayerCounts, MergeSummary, PathCounts,
    QueryCounts, Status, Summary,
};
