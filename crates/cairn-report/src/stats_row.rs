//! One row of `run.stats`: every column once, with its name in KLEE 3.x, its type there and its unit.
//!
//! Times are in microseconds. KLEE declares two of them `REAL`; so do we, because tools compare
//! schemas. A column that the run does not know is NULL.

use rusqlite::types::Value;
use std::time::Duration;

/// A column as SQLite is told of it.
pub(crate) struct StoredColumn {
    pub(crate) name: &'static str,
    pub(crate) declared: &'static str,
}

/// How a kind of figure is declared and stored.
macro_rules! kind {
    (type Count) => {
        u64
    };
    (type Time) => {
        Duration
    };
    (type Clock) => {
        Duration
    };
    (declared Count) => {
        "INTEGER"
    };
    (declared Time) => {
        "INTEGER"
    };
    (declared Clock) => {
        "REAL"
    };
    (stored Count $value:expr) => {
        Value::Integer(saturated($value.into()))
    };
    (stored Time $value:expr) => {
        Value::Integer(saturated($value.as_micros()))
    };
    (stored Clock $value:expr) => {
        Value::Real($value.as_micros() as f64)
    };
}

macro_rules! columns {
    ($($(#[$doc:meta])* $field:ident: $kind:ident = $name:literal,)*) => {
        /// The figures of a run at one moment.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct StatsRow {
            $($(#[$doc])* pub $field: Option<kind!(type $kind)>,)*
        }

        /// All columns, in order.
        pub(crate) const COLUMNS: &[StoredColumn] = &[
            $(StoredColumn { name: $name, declared: kind!(declared $kind) },)*
        ];

        impl StatsRow {
            /// The values of all columns, in order.
            pub(crate) fn values(&self) -> Vec<Value> {
                vec![$(
                    self.$field.map_or(Value::Null, |value| kind!(stored $kind value)),
                )*]
            }
        }
    };
}

/// SQLite's integers are signed. No counter gets that far.
fn saturated(value: u128) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

columns! {
    /// Instructions executed.
    instructions: Count = "Instructions",
    /// Conditional branches of the program of which both sides were taken.
    full_branches: Count = "FullBranches",
    /// Conditional branches of which one side was taken.
    partial_branches: Count = "PartialBranches",
    /// Conditional branches.
    branches: Count = "NumBranches",
    /// Time of the processor in user mode.
    user_time: Clock = "UserTime",
    /// States that are alive.
    active_states: Count = "NumStates",
    /// Bytes of memory in use.
    memory: Count = "MallocUsage",
    /// Queries to the chain.
    queries: Count = "Queries",
    /// Queries that reached the core solver.
    core_queries: Count = "SolverQueries",
    /// Operators in the queries that reached the core solver.
    query_constructs: Count = "NumQueryConstructs",
    /// Time since the start.
    wall_time: Clock = "WallTime",
    /// Instructions of the program that were executed at least once.
    covered_instructions: Count = "CoveredInstructions",
    /// Instructions of the program that were not.
    uncovered_instructions: Count = "UncoveredInstructions",
    /// Time in the core solver.
    core_time: Time = "QueryTime",
    /// Time in the chain, the core solver included.
    solver_time: Time = "SolverTime",
    /// Time in the cache of models and the layers after it.
    model_cache_time: Time = "CexCacheTime",
    /// Time spent on forking.
    fork_time: Time = "ForkTime",
    /// Time spent on finding the objects of pointers.
    resolve_time: Time = "ResolveTime",
    /// Queries that the exact cache did not answer.
    exact_cache_misses: Count = "QueryCacheMisses",
    /// Queries that it answered.
    exact_cache_hits: Count = "QueryCacheHits",
    /// Queries that the cache of models did not answer.
    model_cache_misses: Count = "QueryCexCacheMisses",
    /// Queries that it answered.
    model_cache_hits: Count = "QueryCexCacheHits",
    /// Forks that a limit prevented.
    inhibited_forks: Count = "InhibitedForks",
    /// Calls of functions outside the program.
    external_calls: Count = "ExternalCalls",
    /// Objects that the program allocated on its heap.
    allocations: Count = "Allocations",
    /// States that were ever created.
    states: Count = "States",
    /// Forks at conditional branches.
    forks_conditional: Count = "BranchesConditional",
    /// Forks at indirect branches.
    forks_indirect: Count = "BranchesIndirect",
    /// Forks at switches.
    forks_switch: Count = "BranchesSwitch",
    /// Forks at calls through pointers.
    forks_call: Count = "BranchesCall",
    /// Forks at accesses to memory.
    forks_memory: Count = "BranchesMemOp",
    /// Forks at pointers with several objects.
    forks_pointer: Count = "BranchesResolvePointer",
    /// Forks at allocations of symbolic size.
    forks_alloc: Count = "BranchesAlloc",
    /// Forks at reallocations of symbolic size.
    forks_realloc: Count = "BranchesRealloc",
    /// Forks at frees of symbolic pointers.
    forks_free: Count = "BranchesFree",
    /// Forks where the program asked for a value.
    forks_value: Count = "BranchesGetVal",
    /// Paths that ran to the program's end.
    ended_exit: Count = "TerminationExit",
    /// Paths that a limit ended.
    ended_early: Count = "TerminationEarly",
    /// Paths that ended because the solver failed.
    ended_solver_error: Count = "TerminationSolverError",
    /// Paths that ended in an error of the program.
    ended_program_error: Count = "TerminationProgramError",
    /// Paths that ended in a wrong use of the program's interface to the engine.
    ended_user_error: Count = "TerminationUserError",
    /// Paths that ended at something unsupported.
    ended_execution_error: Count = "TerminationExecutionError",
    /// Paths that a technique ended: merging, pruning, replaying.
    ended_by_technique: Count = "TerminationEarlyAlgorithm",
    /// Paths that ended by `klee_silent_exit`.
    ended_silently: Count = "TerminationEarlyUser",
    /// Time spent on hashing arrays.
    array_hash_time: Time = "ArrayHashTime",
}
