//! `run.istats`: what each source line cost, in callgrind's format, for `callgrind_annotate` and
//! KCachegrind. Events have KLEE's short names.
//!
//! The format has no word for "not known", so an event that the run does not know is not listed at
//! all. Costs are exclusive, per function and line; calls are not recorded. The file is replaced in
//! one step each time it is written, because viewers open it while a run goes on.

use crate::{Product, ReportError, atomic};
use std::fmt::Write;
use std::path::Path;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Instructions executed.
    Instructions,
    /// Instructions of the line that were executed at least once.
    Covered,
    /// Instructions of the line that were not.
    Uncovered,
    /// Forks.
    Forks,
    /// States that are there now.
    States,
    /// Queries to the solver.
    Queries,
    /// Microseconds spent on them.
    QueryTime,
}

impl Event {
    /// The short name and the long one.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Event::Instructions => ("I", "Instructions"),
            Event::Covered => ("Icov", "CoveredInstructions"),
            Event::Uncovered => ("Iuncov", "UncoveredInstructions"),
            Event::Forks => ("Forks", "Forks"),
            Event::States => ("States", "States"),
            Event::Queries => ("Q", "Queries"),
            Event::QueryTime => ("Qtime", "QueryTime"),
        }
    }

    fn of(self, costs: &InstructionCosts) -> u64 {
        match self {
            Event::Instructions => costs.instructions,
            Event::Covered => costs.covered,
            Event::Uncovered => costs.uncovered,
            Event::Forks => costs.forks,
            Event::States => costs.states,
            Event::Queries => costs.queries,
            Event::QueryTime => costs.query_micros,
        }
    }
}

/// What one line cost. Only the events that the profile lists are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InstructionCosts {
    /// Instructions executed.
    pub instructions: u64,
    /// Instructions of the line that were executed at least once.
    pub covered: u64,
    /// Instructions of the line that were not.
    pub uncovered: u64,
    /// Forks.
    pub forks: u64,
    /// States that are there now.
    pub states: u64,
    /// Queries to the solver.
    pub queries: u64,
    /// Microseconds spent on them.
    pub query_micros: u64,
}

/// A line of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineCosts {
    /// The source file, if it is not the function's (code that was inlined or included).
    pub file: Option<String>,
    /// The line; 0 if it is not known.
    pub line: u32,
    /// What it cost.
    pub costs: InstructionCosts,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionCosts {
    /// Its name.
    pub name: String,
    /// Its source file, if known.
    pub file: Option<String>,
    /// Its lines.
    pub lines: Vec<LineCosts>,
}

/// All of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Who wrote it.
    pub product: Product,
    /// The process; left out where files of two runs are to be the same.
    pub pid: Option<u32>,
    /// The command line.
    pub command: String,
    /// The program.
    pub object: String,
    /// What is counted, in the order of the columns.
    pub events: Vec<Event>,
    /// The functions.
    pub functions: Vec<FunctionCosts>,
}

/// How callgrind writes a source file that is not known.
const UNKNOWN_FILE: &str = "???";

impl Profile {
    /// The text of the file.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text)
            .expect("writing to a string cannot fail");
        text
    }

    /// Writes the file in one step.
    pub fn write_atomically(&self, path: &Path) -> Result<(), ReportError> {
        atomic::replace(path, self.to_text().as_bytes())
    }

    fn write(&self, text: &mut String) -> std::fmt::Result {
        writeln!(text, "# callgrind format")?;
        writeln!(text, "version: 1")?;
        writeln!(text, "creator: {}", self.product.prefix())?;
        if let Some(pid) = self.pid {
            writeln!(text, "pid: {pid}")?;
        }
        writeln!(text, "cmd: {}\n", one_line(&self.command))?;
        writeln!(text, "positions: line")?;
        for event in &self.events {
            let (short, long) = event.names();
            writeln!(text, "event: {short} : {long}")?;
        }
        let names: Vec<&str> = self.events.iter().map(|e| e.names().0).collect();
        writeln!(text, "events: {}", names.join(" "))?;
        let total = |event: &Event| {
            let lines = self.functions.iter().flat_map(|f| &f.lines);
            lines.fold(0u64, |sum, l| sum.saturating_add(event.of(&l.costs)))
        };
        let totals: Vec<String> = self.events.iter().map(|e| total(e).to_string()).collect();
        let totals = totals.join(" ");
        writeln!(text, "summary: {totals}\n")?;
        writeln!(text, "ob={}", one_line(&self.object))?;
        for function in &self.functions {
            let home = function.file.as_deref().unwrap_or(UNKNOWN_FILE);
            writeln!(text, "fl={}", one_line(home))?;
            writeln!(text, "fn={}", one_line(&function.name))?;
            let mut current = home;
            for line in &function.lines {
                let file = line.file.as_deref().unwrap_or(home);
                if file != current {
                    // `fe` leads back to the function's own file.
                    let word = if file == home { "fe" } else { "fi" };
                    writeln!(text, "{word}={}", one_line(file))?;
                    current = file;
                }
                write!(text, "{}", line.line)?;
                for event in &self.events {
                    write!(text, " {}", event.of(&line.costs))?;
                }
                writeln!(text)?;
            }
        }
        writeln!(text, "\ntotals: {totals}")
    }
}

/// Names with line breaks would be read as something else.
fn one_line(name: &str) -> String {
    name.replace(['\n', '\r'], " ")
}
