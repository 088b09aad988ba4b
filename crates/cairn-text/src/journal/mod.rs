//! A journal of queries: what a solver was asked in a run, what it answered, and how long that took.
//!
//! # Problem
//!
//! Queries as SMT-LIB scripts repeat what they share: thousands of queries of one path are thousands of times its facts. And
//! a script has the address of an object in the place of its base, so that what is known of the object is lost.
//!
//! # Idea
//!
//! One stream of lines: a line for each node of a term when it is first needed, with the numbers of its operands, and a line for
//! each query with the numbers of its conjuncts. Bases keep all that they carry; symbols keep their names.
//!
//! # Soundness
//!
//! A journal is for measurements: it is no evidence. What did not fit is counted in its last line, never left out silently; a
//! journal without that line was cut off.
//!
//! # Cost
//!
//! One look into a table for each operand and conjunct; a line for each new node. The table has 24 bytes for each node, and at most
//! [`MOST_NODES`] nodes. Terms are not kept.

mod lines;

use cairn_expr::{Op, Sort, Term};
use rustc_hash::FxHashMap;
use std::fmt::Write as _;
use std::io::{self, BufRead, Write};
use std::time::Duration;

/// The first line.
const HEAD: &str = "cairn-query-journal 1";

/// Nodes that a journal has at most; queries that need more are counted and left out.
pub const MOST_NODES: usize = 1 << 22;

/// A node of a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalNode {
    /// The operator. A symbol is [`cairn_expr::Symbol::Named`], by the name that it is printed with.
    pub op: Op,
    /// The sort.
    pub sort: Sort,
    /// The numbers of the operands: their places in [`Journal::nodes`].
    pub args: Vec<u32>,
}

/// A query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalQuery {
    /// `sat`, `unsat` or `unknown`.
    pub verdict: String,
    /// What the answer took.
    pub time: Duration,
    /// The numbers of the conjuncts: their places in [`Journal::nodes`].
    pub conjuncts: Vec<u32>,
    /// Those that are unsatisfiable already; none if it is not known to be unsatisfiable.
    pub core: Vec<u32>,
}

/// What was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Journal {
    /// All nodes, operands before their users.
    pub nodes: Vec<JournalNode>,
    /// The queries in the order in which they were answered.
    pub queries: Vec<JournalQuery>,
    /// How many queries did not fit.
    pub left_out: u64,
    /// What these took.
    pub left_out_time: Duration,
    /// Whether the journal was ended.
    pub ended: bool,
}

/// A journal cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Reading failed.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A line is no line of a journal.
    #[error("line {0} is no line of a journal of queries")]
    Line(usize),
}

/// Writes a journal.
pub struct JournalWriter<W: Write> {
    out: W,
    /// The number of a node, by the store that it is of and its birth there.
    numbers: FxHashMap<(u64, u64), u32>,
    left_out: u64,
    left_out_time: Duration,
    line: String,
}

impl<W: Write> JournalWriter<W> {
    /// Begins a journal.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(mut out: W) -> io::Result<Self> {
        writeln!(out, "{HEAD}")?;
        Ok(JournalWriter {
            out,
            numbers: FxHashMap::default(),
            left_out: 0,
            left_out_time: Duration::ZERO,
            line: String::new(),
        })
    }

    /// Writes a query; `core` are those of its conjuncts that are unsatisfiable already. Terms of different stores come with
    /// different `source`s.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn query(
        &mut self,
        source: u64,
        conjuncts: &[Term],
        core: &[Term],
        verdict: &str,
        time: Duration,
    ) -> io::Result<()> {
        for term in conjuncts.iter().chain(core) {
            if !self.nodes_of(source, term)? {
                self.left_out += 1;
                self.left_out_time += time;
                return Ok(());
            }
        }
        self.line.clear();
        let (nanos, count) = (time.as_nanos(), conjuncts.len());
        let _ = write!(self.line, "q {verdict} {nanos} {count}");
        for term in conjuncts.iter().chain(core) {
            let _ = write!(self.line, " {}", self.numbers[&(source, term.birth())]);
        }
        self.line.push('\n');
        self.out.write_all(self.line.as_bytes())
    }

    /// Writes the nodes of a term that are not there yet; whether they fit.
    fn nodes_of(&mut self, source: u64, root: &Term) -> io::Result<bool> {
        let mut stack = vec![(root, 0)];
        while let Some((term, next)) = stack.last_mut() {
            let term = *term;
            let key = (source, term.birth());
            if *next == 0 && self.numbers.contains_key(&key) {
                stack.pop();
                continue;
            }
            if let Some(operand) = term.args().get(*next) {
                *next += 1;
                stack.push((operand, 0));
                continue;
            }
            stack.pop();
            if self.numbers.len() >= MOST_NODES {
                return Ok(false);
            }
            self.line.clear();
            lines::write_node(&mut self.line, term);
            for operand in term.args() {
                let _ = write!(self.line, " {}", self.numbers[&(source, operand.birth())]);
            }
            self.line.push('\n');
            self.out.write_all(self.line.as_bytes())?;
            let number = u32::try_from(self.numbers.len()).expect("at most MOST_NODES");
            self.numbers.insert(key, number);
        }
        Ok(true)
    }

    /// Ends the journal: nothing is written to it after that.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn end(&mut self) -> io::Result<()> {
        let nanos = self.left_out_time.as_nanos();
        writeln!(self.out, "end {} {nanos}", self.left_out)?;
        self.out.flush()
    }
}

impl Journal {
    /// Reads a journal, also one that was cut off.
    ///
    /// # Errors
    /// If it cannot be read, or is none. Of a line that is cut off in the middle nothing is known: it is an error too.
    pub fn read(input: impl BufRead) -> Result<Journal, JournalError> {
        let mut journal = Journal::default();
        for (at, line) in input.lines().enumerate() {
            let line = line?;
            let read = match at {
                0 => (line == HEAD).then_some(()),
                _ if journal.ended => None,
                _ => journal.take_line(&line),
            };
            read.ok_or(JournalError::Line(at + 1))?;
        }
        Ok(journal)
    }

    fn take_line(&mut self, line: &str) -> Option<()> {
        let (kind, rest) = line.split_once(' ')?;
        let nodes = self.nodes.len();
        match kind {
            "n" => self.nodes.push(lines::read_node(rest, nodes)?),
            "q" => {
                let mut words = rest.split(' ');
                let verdict = words.next()?.to_string();
                let time = Duration::from_nanos(words.next()?.parse().ok()?);
                let count = words.next()?.parse().ok()?;
                let mut conjuncts = lines::numbers(words, nodes)?;
                if count > conjuncts.len() {
                    return None;
                }
                let core = conjuncts.split_off(count);
                self.queries.push(JournalQuery {
                    verdict,
                    time,
                    conjuncts,
                    core,
                });
            }
            "end" => {
                let (queries, nanos) = rest.split_once(' ')?;
                self.left_out = queries.parse().ok()?;
                self.left_out_time = Duration::from_nanos(nanos.parse().ok()?);
                self.ended = true;
            }
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests;
