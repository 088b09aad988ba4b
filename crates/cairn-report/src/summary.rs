//! `summary.json`: what a run found, for programs. The keys are stable and in a fixed order; a figure
//! that is not known is null.
//!
//! That everything was explored is the one claim in it that must not be wrong, so writing checks it:
//! a run that a limit stopped, or that left something out, is written as partial ([`Summary::is_partial`]).

use crate::{ReportError, atomic};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::path::Path;

/// What a run found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The version of Cairn.
    pub cairn: String,
    /// The program, as the user named it.
    pub program: Option<String>,
    /// What read it.
    pub frontend: Option<Frontend>,
    /// The C library that it is linked with: none, musl, or musl and libc++.
    pub libc: Option<String>,
    /// Whose system calls a RISC-V executable makes: linux, selfie or selfie-ase.
    pub abi: Option<String>,
    /// Whether everything was explored; written as partial if anything below says so.
    pub status: Status,
    /// The limit that ended the run, by the name of its option.
    pub stopped_by: Option<String>,
    /// Paths, by how they ended.
    pub paths: PathCounts,
    /// What became of paths that met again.
    pub merging: MergeSummary,
    /// Instructions that were executed.
    pub instructions: Option<u64>,
    /// Forks.
    pub forks: Option<u64>,
    /// Tests that were written.
    pub tests: Option<u64>,
    /// The most forks on one path.
    pub max_depth: Option<u64>,
    /// What was reached of the program.
    pub coverage: Coverage,
    /// Accesses at offsets that depend on inputs, by the bytes of the elements that the object was seen with.
    pub symbolic_accesses: AccessCounts,
    /// What the solver was asked.
    pub queries: QueryCounts,
    /// Time from start to end.
    pub seconds: Option<f64>,
    /// Time of all processors.
    pub cpu_seconds: Option<f64>,
    /// The most memory that was in use.
    pub peak_rss_bytes: Option<u64>,
    /// The errors in the program, each place once.
    pub findings: Vec<FindingSummary>,
    /// What was not explored, and why: one line each.
    pub incomplete: Vec<String>,
}

/// Which front end read the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Frontend {
    /// C, C++ or LLVM.
    Llvm,
    /// A RISC-V binary.
    Riscv,
}

/// Whether everything was explored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Everything was.
    Complete,
    /// Something was left out.
    #[default]
    Partial,
}

/// Paths, by how they ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PathCounts {
    /// At the program's end.
    pub completed: Option<u64>,
    /// In an error of the program.
    pub errors: Option<u64>,
    /// Cut short: at a limit, by what is not supported, or because the solver did not decide.
    pub stopped: Option<u64>,
    /// Subsumed: the rest of them could do only what was done on other paths.
    pub pruned: Option<u64>,
    /// Joined with another path.
    pub merged: Option<u64>,
}

/// What became of paths that met again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MergeSummary {
    /// Groups of paths that were to become one.
    pub groups: Option<u64>,
    /// States that came of several.
    pub merges: Option<u64>,
    /// Merges of states whose memories differed.
    pub differing_memories: Option<u64>,
    /// How often two states were not merged, by reason.
    pub refused: BTreeMap<String, u64>,
    /// Paths that did not get to where their group closes, by what they did instead.
    pub left: BTreeMap<String, u64>,
}

/// What was reached of the program: each pair is what was covered and how much there is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// Instructions.
    pub instructions: Option<(u64, u64)>,
    /// Sides of conditional branches.
    pub branches: Option<(u64, u64)>,
    /// Lines of source.
    pub lines: Option<(u64, u64)>,
    /// Functions.
    pub functions: Option<(u64, u64)>,
}

/// Accesses of arrays, by the bytes of their elements.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AccessCounts {
    /// Bytes.
    pub of_1: Option<u64>,
    /// Elements of two bytes.
    pub of_2: Option<u64>,
    /// Elements of four bytes.
    pub of_4: Option<u64>,
    /// Elements of eight bytes.
    pub of_8: Option<u64>,
    /// Accesses by a choice between addresses that were one path (`--memory segments`).
    pub by_choice: Option<u64>,
    /// The most bytes of all objects of one of those.
    pub largest_choice_bytes: Option<u64>,
    /// The bytes of the largest object that was accessed in parts (`--memory split:N`).
    pub largest_split_bytes: Option<u64>,
    /// Queries by which the objects of addresses were found.
    pub resolution_queries: Option<u64>,
}

/// What the solver was asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct QueryCounts {
    /// Queries to the chain.
    pub asked: Option<u64>,
    /// What each layer answered, in the order of the chain.
    #[serde(serialize_with = "as_map")]
    pub by_layer: Vec<(String, LayerCounts)>,
    /// Queries that reached the core solver.
    pub core: Option<u64>,
    /// Queries that ran into their time limit.
    pub timeouts: Option<u64>,
}

/// What one layer answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LayerCounts {
    /// Satisfiable.
    pub sat: Option<u64>,
    /// Unsatisfiable.
    pub unsat: Option<u64>,
    /// Time spent in it.
    pub seconds: Option<f64>,
}

/// An error in the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FindingSummary {
    /// What kind: the middle part of `test000001.ptr.err`.
    pub kind: String,
    /// What happened, in a sentence.
    pub message: String,
    /// The source file.
    pub file: Option<String>,
    /// The line in it.
    pub line: Option<u64>,
    /// The function.
    pub function: Option<String>,
    /// The test that triggers it.
    pub test: Option<String>,
    /// How sure it is: `exact` if the test leads there.
    pub certainty: Option<String>,
}

/// Pairs as an object, in their own order.
fn as_map<S: Serializer>(
    pairs: &[(String, LayerCounts)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(name, counts)| (name, counts)))
}

impl Default for Summary {
    /// Nothing is known but the version.
    fn default() -> Summary {
        Summary {
            cairn: env!("CARGO_PKG_VERSION").to_string(),
            program: None,
            frontend: None,
            libc: None,
            abi: None,
            status: Status::default(),
            stopped_by: None,
            paths: PathCounts::default(),
            merging: MergeSummary::default(),
            instructions: None,
            forks: None,
            tests: None,
            max_depth: None,
            coverage: Coverage::default(),
            symbolic_accesses: AccessCounts::default(),
            queries: QueryCounts::default(),
            seconds: None,
            cpu_seconds: None,
            peak_rss_bytes: None,
            findings: Vec::new(),
            incomplete: Vec::new(),
        }
    }
}

impl Summary {
    /// Whether something was left out: a limit ended the run, something was not explored, or its status says so.
    /// The status in the document and the exit code of `cairn run` both follow from this.
    pub fn is_partial(&self) -> bool {
        self.status == Status::Partial || self.stopped_by.is_some() || !self.incomplete.is_empty()
    }

    /// The document, with a newline at its end.
    pub fn to_json(&self) -> String {
        let mut checked = self.clone();
        if self.is_partial() {
            checked.status = Status::Partial;
        }
        let mut json = serde_json::to_string_pretty(&checked)
            .expect("a summary has only string keys and no failing parts");
        json.push('\n');
        json
    }

    /// Writes the document in one step: a reader finds all of it or none.
    pub fn write_atomically(&self, path: &Path) -> Result<(), ReportError> {
        atomic::replace(path, self.to_json().as_bytes())
    }
}
