//! The columns of the table: klee-stats's titles, what they mean, and how each is computed from the last row of
//! `run.stats` and from the run as a whole. A figure that is not known, or would be a division by zero, is blank.

use cairn_report::{ReportError, StatsCell, StatsReader};
use std::collections::{BTreeSet, HashMap};

/// A value in the table.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnValue {
    /// Not known.
    Blank,
    /// A whole number.
    Count(i64),
    /// A number with two decimals.
    Number(f64),
    /// A text.
    Text(String),
}

/// How a column is computed.
#[derive(Clone, Copy)]
enum ColumnSource {
    /// As stored.
    Stored(&'static str),
    /// Stored in microseconds, shown in seconds.
    Seconds(&'static str),
    /// A time in percent of the time that passed.
    Share(&'static str),
    /// Stored in bytes, shown in mebibytes.
    Mebibytes(&'static str),
    /// The largest value over the run.
    Maximum(&'static str),
    /// The average over the rows of the run.
    Average(&'static str),
    /// The largest value over the run, in mebibytes.
    MaximumMebibytes(&'static str),
    /// The average over the rows of the run, in mebibytes.
    AverageMebibytes(&'static str),
    /// Covered instructions in percent.
    InstructionCoverage,
    /// Taken sides of branches in percent.
    BranchCoverage,
    /// Instructions, covered or not.
    InstructionCount,
    /// Operators per query to the core solver.
    QuerySize,
}

impl ColumnSource {
    /// The stored columns it is computed from.
    fn sources(self) -> Vec<&'static str> {
        match self {
            ColumnSource::Stored(name)
            | ColumnSource::Seconds(name)
            | ColumnSource::Mebibytes(name)
            | ColumnSource::Maximum(name)
            | ColumnSource::Average(name)
            | ColumnSource::MaximumMebibytes(name)
            | ColumnSource::AverageMebibytes(name) => vec![name],
            ColumnSource::Share(name) => vec![name, "WallTime"],
            ColumnSource::InstructionCoverage | ColumnSource::InstructionCount => {
                vec!["CoveredInstructions", "UncoveredInstructions"]
            }
            ColumnSource::BranchCoverage => vec!["FullBranches", "PartialBranches", "NumBranches"],
            ColumnSource::QuerySize => vec!["NumQueryConstructs", "SolverQueries"],
        }
    }
}

/// A column that is known here.
pub struct ColumnMeaning {
    title: &'static str,
    meaning: &'static str,
    figure: ColumnSource,
}

const fn known(title: &'static str, figure: ColumnSource, meaning: &'static str) -> ColumnMeaning {
    ColumnMeaning {
        title,
        meaning,
        figure,
    }
}

use ColumnSource::{
    Average, AverageMebibytes, BranchCoverage, InstructionCount, InstructionCoverage, Maximum,
    MaximumMebibytes, Mebibytes, QuerySize, Seconds, Share, Stored,
};

/// All columns that are known here, in the order of the table.
static KNOWN: &[ColumnMeaning] = &[
    known("Instrs", Stored("Instructions"), "instructions executed"),
    known("Time(s)", Seconds("WallTime"), "time that passed"),
    known(
        "ICov(%)",
        InstructionCoverage,
        "instructions of the program that were executed",
    ),
    known(
        "BCov(%)",
        BranchCoverage,
        "sides of conditional branches that were taken",
    ),
    known("ICount", InstructionCount, "instructions of the program"),
    known(
        "TSolver(%)",
        Share("SolverTime"),
        "time in the solver chain",
    ),
    known(
        "ICovered",
        Stored("CoveredInstructions"),
        "instructions of the program that were executed",
    ),
    known(
        "IUncovered",
        Stored("UncoveredInstructions"),
        "instructions of the program that were not executed",
    ),
    known(
        "Branches",
        Stored("NumBranches"),
        "conditional branches of the program",
    ),
    known(
        "FullBranches",
        Stored("FullBranches"),
        "branches of which both sides were taken",
    ),
    known(
        "PartialBranches",
        Stored("PartialBranches"),
        "branches of which one side was taken",
    ),
    known(
        "ExternalCalls",
        Stored("ExternalCalls"),
        "calls of functions outside the program",
    ),
    known(
        "TUser(s)",
        Seconds("UserTime"),
        "time of the processor in user mode",
    ),
    known(
        "TResolve(s)",
        Seconds("ResolveTime"),
        "time spent on finding the objects of pointers",
    ),
    known(
        "TResolve(%)",
        Share("ResolveTime"),
        "the same, in percent of the time that passed",
    ),
    known(
        "TCex(s)",
        Seconds("CexCacheTime"),
        "time in the cache of models and the layers after it",
    ),
    known(
        "TCex(%)",
        Share("CexCacheTime"),
        "the same, in percent of the time that passed",
    ),
    known("TQuery(s)", Seconds("QueryTime"), "time in the core solver"),
    known(
        "TSolver(s)",
        Seconds("SolverTime"),
        "time in the solver chain, the core solver included",
    ),
    known("States", Stored("States"), "states that were created"),
    known("ActiveStates", Stored("NumStates"), "states that are alive"),
    known(
        "MaxActiveStates",
        Maximum("NumStates"),
        "the most states that were alive",
    ),
    known(
        "AvgActiveStates",
        Average("NumStates"),
        "states that were alive on average",
    ),
    known(
        "InhibitedForks",
        Stored("InhibitedForks"),
        "forks that a limit prevented",
    ),
    known("Queries", Stored("Queries"), "queries to the solver chain"),
    known(
        "SolverQueries",
        Stored("SolverQueries"),
        "queries that reached the core solver",
    ),
    known(
        "SolverQueryConstructs",
        Stored("NumQueryConstructs"),
        "operators in the queries that reached the core solver",
    ),
    known(
        "AvgSolverQuerySize",
        QuerySize,
        "operators per query that reached the core solver",
    ),
    known(
        "QCacheMisses",
        Stored("QueryCacheMisses"),
        "queries that the exact cache did not answer",
    ),
    known(
        "QCacheHits",
        Stored("QueryCacheHits"),
        "queries that the exact cache answered",
    ),
    known(
        "QCexCacheMisses",
        Stored("QueryCexCacheMisses"),
        "queries that the cache of models did not answer",
    ),
    known(
        "QCexCacheHits",
        Stored("QueryCexCacheHits"),
        "queries that the cache of models answered",
    ),
    known(
        "Allocations",
        Stored("Allocations"),
        "objects that the program allocated",
    ),
    known("Mem(MiB)", Mebibytes("MallocUsage"), "memory in use"),
    known(
        "MaxMem(MiB)",
        MaximumMebibytes("MallocUsage"),
        "the most memory that was in use",
    ),
    known(
        "AvgMem(MiB)",
        AverageMebibytes("MallocUsage"),
        "memory in use on average",
    ),
    known(
        "BrConditional",
        Stored("BranchesConditional"),
        "forks at conditional branches",
    ),
    known(
        "BrIndirect",
        Stored("BranchesIndirect"),
        "forks at indirect branches",
    ),
    known("BrSwitch", Stored("BranchesSwitch"), "forks at switches"),
    known(
        "BrCall",
        Stored("BranchesCall"),
        "forks at calls through pointers",
    ),
    known(
        "BrMemOp",
        Stored("BranchesMemOp"),
        "forks at accesses to memory",
    ),
    known(
        "BrResolvePointer",
        Stored("BranchesResolvePointer"),
        "forks at pointers with several objects",
    ),
    known(
        "BrAlloc",
        Stored("BranchesAlloc"),
        "forks at allocations of symbolic size",
    ),
    known(
        "BrRealloc",
        Stored("BranchesRealloc"),
        "forks at reallocations of symbolic size",
    ),
    known(
        "BrFree",
        Stored("BranchesFree"),
        "forks at frees of symbolic pointers",
    ),
    known(
        "BrGetVal",
        Stored("BranchesGetVal"),
        "forks where the program asked for a value",
    ),
    known(
        "TermExit",
        Stored("TerminationExit"),
        "paths that ran to the program's end",
    ),
    known(
        "TermEarly",
        Stored("TerminationEarly"),
        "paths that a limit ended",
    ),
    known(
        "TermSolverErr",
        Stored("TerminationSolverError"),
        "paths that ended because the solver failed",
    ),
    known(
        "TermProgrErr",
        Stored("TerminationProgramError"),
        "paths that ended in an error of the program",
    ),
    known(
        "TermUserErr",
        Stored("TerminationUserError"),
        "paths that ended in a wrong use of the engine's functions",
    ),
    known(
        "TermExecErr",
        Stored("TerminationExecutionError"),
        "paths that ended at something unsupported",
    ),
    known(
        "TermEarlyAlgo",
        Stored("TerminationEarlyAlgorithm"),
        "paths that merging, pruning or replaying ended",
    ),
    known(
        "TermEarlyUser",
        Stored("TerminationEarlyUser"),
        "paths that ended by klee_silent_exit",
    ),
    known(
        "TArrayHash(s)",
        Seconds("ArrayHashTime"),
        "time spent on hashing arrays",
    ),
    known("TFork(s)", Seconds("ForkTime"), "time spent on forking"),
    known(
        "TFork(%)",
        Share("ForkTime"),
        "the same, in percent of the time that passed",
    ),
    known(
        "TUser(%)",
        Share("UserTime"),
        "time of the processor, in percent of the time that passed",
    ),
];

/// What is shown if nothing is asked for.
pub const DEFAULT: &[&str] = &[
    "Instrs",
    "Time(s)",
    "ICov(%)",
    "BCov(%)",
    "ICount",
    "TSolver(%)",
];
/// `--print-more`.
pub const MORE: &[&str] = &[
    "Instrs",
    "Time(s)",
    "ICov(%)",
    "BCov(%)",
    "ICount",
    "TSolver(%)",
    "ActiveStates",
    "MaxActiveStates",
    "Mem(MiB)",
    "MaxMem(MiB)",
];
/// `--print-rel-times`.
pub const RELATIVE_TIMES: &[&str] = &[
    "Time(s)",
    "TSolver(%)",
    "TResolve(%)",
    "TCex(%)",
    "TFork(%)",
    "TUser(%)",
];
/// `--print-abs-times`.
pub const ABSOLUTE_TIMES: &[&str] = &[
    "Time(s)",
    "TUser(s)",
    "TResolve(s)",
    "TCex(s)",
    "TSolver(s)",
    "TFork(s)",
];

/// A column of a table.
#[derive(Clone)]
pub enum Column {
    /// The folder.
    Path,
    /// One that is known here.
    Known(&'static ColumnMeaning),
    /// One that some `run.stats` has beyond those, as it is stored.
    Other(String),
}

impl Column {
    /// The heading.
    pub fn title(&self) -> &str {
        match self {
            Column::Path => "Path",
            Column::Known(known) => known.title,
            Column::Other(name) => name,
        }
    }
}

/// The path and these columns.
pub fn named(titles: &[&str]) -> Vec<Column> {
    let chosen = KNOWN.iter().filter(|k| titles.contains(&k.title));
    std::iter::once(Column::Path)
        .chain(chosen.map(Column::Known))
        .collect()
}

/// Every column that at least one run has, in the order of the table, unknown ones at the end.
pub fn available(records: &[Record]) -> Vec<Column> {
    let has = |name: &str| records.iter().any(|r| r.last.contains_key(name));
    let sources: BTreeSet<&str> = KNOWN.iter().flat_map(|k| k.figure.sources()).collect();
    let known = KNOWN
        .iter()
        .filter(|k| k.figure.sources().iter().all(|s| has(s)));
    let stored: BTreeSet<&String> = records.iter().flat_map(|r| r.last.keys()).collect();
    let other = stored.into_iter().filter(|n| !sources.contains(n.as_str()));
    std::iter::once(Column::Path)
        .chain(known.map(Column::Known))
        .chain(other.map(|n| Column::Other(n.clone())))
        .collect()
}

/// What the columns mean, for the help.
pub fn legend() -> String {
    let width = KNOWN.iter().map(|k| k.title.len()).max().unwrap_or(0);
    let line = |k: &ColumnMeaning| format!("  {:width$}  {}", k.title, k.meaning);
    let lines: Vec<String> = KNOWN.iter().map(line).collect();
    format!("Columns:\n{}", lines.join("\n"))
}

/// A run: its newest row and the figures over all rows.
pub struct Record {
    path: String,
    last: HashMap<String, StatsCell>,
    maximum: HashMap<&'static str, StatsCell>,
    average: HashMap<&'static str, StatsCell>,
}

impl Record {
    /// Reads what the columns need.
    pub fn read(path: String, reader: &StatsReader) -> Result<Record, ReportError> {
        let names = reader.columns();
        let cells = reader
            .last()?
            .unwrap_or_else(|| vec![StatsCell::Missing; names.len()]);
        let mut record = Record {
            path,
            last: names.iter().cloned().zip(cells).collect(),
            maximum: HashMap::new(),
            average: HashMap::new(),
        };
        for column in ["NumStates", "MallocUsage"] {
            record.maximum.insert(column, reader.maximum(column)?);
            record.average.insert(column, reader.average(column)?);
        }
        Ok(record)
    }

    /// The value of a column.
    pub fn value(&self, column: &Column) -> ColumnValue {
        match column {
            Column::Path => ColumnValue::Text(self.path.clone()),
            Column::Known(known) => self.figure(known.figure),
            Column::Other(name) => as_stored(self.last.get(name)),
        }
    }

    fn figure(&self, figure: ColumnSource) -> ColumnValue {
        let mebibytes = |bytes: f64| bytes / f64::from(1 << 20);
        match figure {
            ColumnSource::Stored(name) => as_stored(self.last.get(name)),
            ColumnSource::Seconds(name) => number(self.time(name)),
            ColumnSource::Share(name) => number(percent(self.time(name), self.time("WallTime"))),
            ColumnSource::Mebibytes(name) => number(self.number(name).map(mebibytes)),
            ColumnSource::Maximum(name) => as_stored(self.maximum.get(name)),
            ColumnSource::Average(name) => {
                number(self.average.get(name).and_then(StatsCell::number))
            }
            ColumnSource::MaximumMebibytes(name) => number(
                self.maximum
                    .get(name)
                    .and_then(StatsCell::number)
                    .map(mebibytes),
            ),
            ColumnSource::AverageMebibytes(name) => number(
                self.average
                    .get(name)
                    .and_then(StatsCell::number)
                    .map(mebibytes),
            ),
            ColumnSource::InstructionCoverage => number(percent(
                self.number("CoveredInstructions"),
                self.instruction_count(),
            )),
            ColumnSource::BranchCoverage => number(self.branch_coverage()),
            ColumnSource::InstructionCount => whole(self.instruction_count()),
            ColumnSource::QuerySize => {
                let constructs = self.number("NumQueryConstructs");
                let queries = self.number("SolverQueries").filter(|q| *q > 0.0);
                whole(constructs.zip(queries).map(|(c, q)| (c / q).floor()))
            }
        }
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.last.get(name).and_then(StatsCell::number)
    }

    /// A time in seconds. KLEE stores -1 for times that it was not built to measure.
    fn time(&self, name: &str) -> Option<f64> {
        let micros = self.number(name).filter(|t| *t >= 0.0);
        micros.map(|t| t / 1e6)
    }

    fn instruction_count(&self) -> Option<f64> {
        let uncovered = self.number("UncoveredInstructions");
        Some(self.number("CoveredInstructions")? + uncovered?)
    }

    /// A program without branches has all of them covered.
    fn branch_coverage(&self) -> Option<f64> {
        let branches = self.number("NumBranches")?;
        let taken = 2.0 * self.number("FullBranches")? + self.number("PartialBranches")?;
        if branches == 0.0 {
            return Some(100.0);
        }
        Some(100.0 * taken / (2.0 * branches))
    }
}

fn percent(part: Option<f64>, all: Option<f64>) -> Option<f64> {
    let all = all.filter(|a| *a > 0.0);
    Some(100.0 * part? / all?)
}

fn number(value: Option<f64>) -> ColumnValue {
    value.map_or(ColumnValue::Blank, ColumnValue::Number)
}

fn whole(value: Option<f64>) -> ColumnValue {
    value.map_or(ColumnValue::Blank, |v| ColumnValue::Count(v as i64))
}

fn as_stored(cell: Option<&StatsCell>) -> ColumnValue {
    match cell {
        None | Some(StatsCell::Missing) => ColumnValue::Blank,
        Some(StatsCell::Integer(value)) => ColumnValue::Count(*value),
        Some(StatsCell::Real(value)) => ColumnValue::Number(*value),
        Some(StatsCell::Text(text)) => ColumnValue::Text(text.clone()),
    }
}

/// The last line of a table: averages of averages and shares, the largest of maxima, sums of the
/// rest. Runs that do not know a figure do not count.
pub fn total(columns: &[Column], rows: &[Vec<ColumnValue>]) -> Vec<ColumnValue> {
    let one = |(i, column): (usize, &Column)| match column {
        Column::Path => ColumnValue::Text(format!("Total ({})", rows.len())),
        Column::Known(_) | Column::Other(_) => total_of(column.title(), rows.iter().map(|r| &r[i])),
    };
    columns.iter().enumerate().map(one).collect()
}

fn total_of<'a>(title: &str, values: impl Iterator<Item = &'a ColumnValue>) -> ColumnValue {
    let mut counts = Vec::new();
    let mut numbers = Vec::new();
    for value in values {
        match value {
            ColumnValue::Count(count) => {
                counts.push(*count);
                numbers.push(*count as f64);
            }
            ColumnValue::Number(value) => numbers.push(*value),
            ColumnValue::Blank | ColumnValue::Text(_) => {}
        }
    }
    if numbers.is_empty() {
        return ColumnValue::Blank;
    }
    let all_whole = counts.len() == numbers.len();
    if title.starts_with("Avg") || title.ends_with("(%)") {
        ColumnValue::Number(numbers.iter().sum::<f64>() / numbers.len() as f64)
    } else if title.starts_with("Max") {
        match counts.iter().max() {
            Some(most) if all_whole => ColumnValue::Count(*most),
            _ => ColumnValue::Number(numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
        }
    } else if all_whole {
        let sum = counts.iter().fold(0i64, |a, b| a.saturating_add(*b));
        ColumnValue::Count(sum)
    } else {
        ColumnValue::Number(numbers.iter().sum())
    }
}
