//! Enumeration: all values of a few bytes, where searches over gates do not end.
//!
//! # Problem
//! A number of a few digits is multiplied, divided and compared (`factor`, `strtod`). A circuit of such arithmetic is thousands of
//! gates that learn little from each other, though the digits have a thousand values together, and each branch of
//! the path asks about the same digits again.
//!
//! # Idea
//! Once the guided search had many conflicts, the bytes of the path's facts are enumerated: one after the other gets each of its
//! values, and an assignment is dropped as soon as a fact is false whatever the other inputs are (`program.rs`). What is left is a table
//! of rows that hangs on the facts like the warm models do. A later query of the path only looks which rows are left by
//! its goal, before gates are searched.
//!
//! # What differs
//! Splitting cases is usual; here the solutions of a path's prefix are kept, so that each further condition is a filter.
//!
//! # Soundness
//! UNSAT: every assignment of the bytes made a fact or the goal false for all values of the other inputs. The facts that
//! dropped an assignment, on the way from the first table to this, are the core together with the goal. SAT: the caller's model was
//! evaluated under all conjuncts that its changes touch.
//!
//! # Cost
//! One step for each node and assignment that has to be computed. With a limit on work a step costs [`WORK_OF_STEP`]; without
//! one there are at most [`MOST_STEPS`]. At most [`MOST_ROWS`] rows are kept, and terms have at most [`MOST_NODES`] nodes. Where this is too little, the facts
//! remember it, and their descendants try again only with four times as much.
//!
//! # Counters
//! `enumerated`: queries that were answered; `rows`: rows that were looked at for them.

mod program;
#[cfg(test)]
mod tests;

use super::active_conjuncts::ActiveConjuncts;
use super::candidate_model::CandidateModel;
use super::{Conjuncts, CoreState, StageResult};
use crate::{Budget, Facts, MemoKey};
use cairn_expr::{BitVec, Model, Sort, Support, Term, Value, symbols_of};
use program::ByteProgram;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Conflicts of the guided search after which the bytes of a path are enumerated.
const HARD: u64 = 60;
/// What a step costs in the measure of [`Budget::work`].
const WORK_OF_STEP: u64 = 8;
/// Steps of a query without a limit on work.
const MOST_STEPS: u64 = 1 << 24;
/// Steps of a query whose gates were not searched.
const FEW_STEPS: u64 = 1 << 16;
/// Rows of a table.
const MOST_ROWS: usize = 1 << 14;
/// Bytes that are enumerated.
const MOST_BYTES: usize = 12;
/// Nodes of the terms that are evaluated.
const MOST_NODES: usize = 1 << 16;
/// Prefixes that are searched for a table.
const MOST_PREFIXES: usize = 64;
/// Models of rows that are tried where a fact is not decided by the bytes.
const MOST_TRIED: usize = 8;
/// After so many steps the limits on time are looked at.
const STEPS_BETWEEN_CHECKS: u64 = 1 << 16;

/// The assignments of some bytes that facts leave.
struct Table {
    /// The bytes, in the order of a row.
    symbols: Vec<Term>,
    /// The rows, one after the other.
    rows: Vec<u8>,
    /// The facts that dropped an assignment.
    used: Vec<Term>,
}

/// What hangs on a list of facts.
enum KeptRows {
    Table(Table),
    /// So many steps were too few.
    TooHard(u64),
}

/// An enumeration ended early.
struct GaveUp;

/// How many steps a query may take.
fn steps_of(budget: &Budget) -> u64 {
    budget
        .work
        .map_or(MOST_STEPS, |work| (work / WORK_OF_STEP).min(MOST_STEPS))
}

/// The enumeration of a native core.
pub struct Enumeration {
    memo: MemoKey,
    /// Rows that were looked at.
    pub rows: u64,
}

/// What is asked of assignments.
struct Filter {
    program: ByteProgram,
    /// The facts, each with its node, and whether it dropped an assignment.
    facts: Vec<(Term, u32, bool)>,
    steps: u64,
    next_check: u64,
}

impl Filter {
    fn new(symbols: &[Term], terms: &[Term], steps: u64) -> Result<Self, GaveUp> {
        let mut program = ByteProgram::new(symbols);
        let mut facts = Vec::with_capacity(terms.len());
        for term in terms {
            facts.push((term.clone(), program.add(term), false));
            if program.len() > MOST_NODES {
                return Err(GaveUp);
            }
        }
        Ok(Filter {
            program,
            facts,
            steps,
            next_check: STEPS_BETWEEN_CHECKS,
        })
    }

    /// Gives a byte a value. Whether no fact is false with that.
    fn accepts(
        &mut self,
        at: usize,
        symbol: &Term,
        value: u64,
        budget: &Budget,
    ) -> Result<bool, GaveUp> {
        self.program.set(at, symbol, value);
        if self.program.steps > self.steps {
            return Err(GaveUp);
        }
        if self.program.steps > self.next_check {
            self.next_check = self.program.steps + STEPS_BETWEEN_CHECKS;
            if budget.exhausted().is_some() {
                return Err(GaveUp);
            }
        }
        for (_, node, dropped) in &mut self.facts {
            let depends = self.program.bytes_of(*node) >> at & 1 == 1;
            if depends && self.program.truth(*node, at) == Some(false) {
                *dropped = true;
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether all facts are known to be true with all bytes of a row.
    fn all_hold(&self, last: usize) -> bool {
        let truth = |(_, node, _): &(Term, u32, bool)| self.program.truth(*node, last);
        self.facts.iter().all(|f| truth(f) == Some(true))
    }
}

/// Whether a symbol may be enumerated.
fn is_byte(symbol: &Term) -> bool {
    matches!(symbol.sort(), Sort::BitVec(w) if w <= 8)
}

/// The bytes of some facts that a list has not yet, those of the oldest facts first.
fn new_bytes(facts: &[Term], known: &[Term]) -> Vec<Term> {
    let mut seen: FxHashSet<u32> = known.iter().map(Term::id).collect();
    let mut found = Vec::new();
    for fact in facts {
        let listed = match &fact.attributes().support {
            Support::Keys(keys) => keys.iter().all(|k| seen.contains(&k.symbol)),
            Support::Many => false,
        };
        if listed {
            continue;
        }
        let mut symbols = symbols_of([fact]);
        symbols.retain(|s| is_byte(s) && seen.insert(s.id()));
        symbols.sort_unstable_by_key(Term::birth);
        found.append(&mut symbols);
    }
    found
}

impl Enumeration {
    /// Without tables.
    pub fn new() -> Self {
        Enumeration {
            memo: MemoKey::fresh(),
            rows: 0,
        }
    }

    /// The table of the nearest prefix that has one, and the facts since, oldest first.
    fn nearest(&self, facts: &Facts) -> Option<(Rc<KeptRows>, Vec<Term>)> {
        let mut since = Vec::new();
        for prefix in facts.prefixes().take(MOST_PREFIXES) {
            if let Some(kept) = prefix.memo::<KeptRows>(self.memo) {
                since.reverse();
                return Some((kept, since));
            }
            since.extend(prefix.last().cloned());
        }
        None
    }

    /// Decides a query by the rows that its path has already, before gates are searched: with little work.
    pub fn decide_by_rows(
        &mut self,
        shared: &mut CoreState,
        conjuncts: &Conjuncts<'_>,
        active: &ActiveConjuncts,
    ) -> Option<StageResult> {
        let query = conjuncts.query;
        let (kept, since) = self.nearest(&query.facts)?;
        let KeptRows::Table(table) = &*kept else {
            return None;
        };
        let steps = FEW_STEPS.min(steps_of(&query.budget));
        if since.is_empty() {
            return self.ask(shared, conjuncts, active, table, steps);
        }
        let table = self.extend(table, &since, steps, &query.budget).ok()?;
        let table = Rc::new(KeptRows::Table(table));
        query.facts.set_memo(self.memo, Rc::clone(&table));
        let KeptRows::Table(table) = &*table else {
            unreachable!("a table")
        };
        self.ask(shared, conjuncts, active, table, steps)
    }

    /// Decides a query that gates did not decide.
    pub fn decide(
        &mut self,
        shared: &mut CoreState,
        conjuncts: &Conjuncts<'_>,
        active: &ActiveConjuncts,
    ) -> Option<StageResult> {
        let query = conjuncts.query;
        let steps = steps_of(&query.budget);
        match &*self.prepare(&query.facts, &query.budget)? {
            KeptRows::Table(table) => self.ask(shared, conjuncts, active, table, steps),
            KeptRows::TooHard(_) => None,
        }
    }

    /// Sees to it that facts have a table, because a search over gates took long. Nothing if that was too much before.
    fn prepare(&mut self, facts: &Facts, budget: &Budget) -> Option<Rc<KeptRows>> {
        let steps = steps_of(budget);
        let empty = Table {
            symbols: Vec::new(),
            rows: Vec::new(),
            used: Vec::new(),
        };
        let found = self.nearest(facts);
        let made = match found.as_ref().map(|(kept, since)| (&**kept, since)) {
            Some((KeptRows::Table(_), since)) if since.is_empty() => return found.map(|f| f.0),
            Some((KeptRows::TooHard(before), _)) if steps / 4 < *before => return None,
            Some((KeptRows::Table(table), since)) => self.extend(table, since, steps, budget),
            Some((KeptRows::TooHard(_), _)) | None => {
                self.extend(&empty, &facts.to_vec(), steps, budget)
            }
        };
        let kept = Rc::new(made.map_or(KeptRows::TooHard(steps), KeptRows::Table));
        facts.set_memo(self.memo, Rc::clone(&kept));
        Some(kept)
    }

    /// A query was decided after so many conflicts: if they were many, later ones of the path find a table.
    pub fn note_conflicts(&mut self, conjuncts: &Conjuncts<'_>, conflicts: u64) {
        if conflicts >= HARD {
            let query = conjuncts.query;
            let _ = self.prepare(&query.facts, &query.budget);
        }
    }

    /// The rows of a table, with the bytes of more facts, that these facts leave.
    fn extend(
        &mut self,
        table: &Table,
        facts: &[Term],
        steps: u64,
        budget: &Budget,
    ) -> Result<Table, GaveUp> {
        let mut symbols = table.symbols.clone();
        symbols.extend(new_bytes(facts, &table.symbols));
        if symbols.len() > MOST_BYTES {
            return Err(GaveUp);
        }
        let mut filter = Filter::new(&symbols, facts, steps)?;
        let mut rows: Vec<u8> = Vec::new();
        self.each_row(table, &symbols, &mut filter, budget, |_, row| {
            rows.extend_from_slice(row);
            rows.len() <= MOST_ROWS * symbols.len().max(1)
        })?;
        if rows.len() > MOST_ROWS * symbols.len().max(1) {
            return Err(GaveUp);
        }
        let mut used = table.used.clone();
        let dropping = filter.facts.into_iter().filter(|(_, _, dropped)| *dropped);
        used.extend(dropping.map(|(fact, _, _)| fact));
        Ok(Table {
            symbols,
            rows,
            used,
        })
    }

    /// Visits the assignments of the symbols that extend a row of the table and that the filter accepts, until the visitor
    /// has enough.
    fn each_row(
        &mut self,
        table: &Table,
        symbols: &[Term],
        filter: &mut Filter,
        budget: &Budget,
        mut visit: impl FnMut(&Filter, &[u8]) -> bool,
    ) -> Result<(), GaveUp> {
        let old = table.symbols.len();
        let no_bytes: &[u8] = &[];
        let starts: Vec<&[u8]> = match old {
            0 => vec![no_bytes],
            _ => table.rows.chunks_exact(old).collect(),
        };
        let mut last: &[u8] = no_bytes;
        let mut row = vec![0u8; symbols.len()];
        for start in starts {
            self.rows += 1;
            // Bytes at the front that the last row had too keep their values; a row that ended early says where it did.
            let same = last.iter().zip(start).take_while(|(a, b)| a == b).count();
            let mut accepted = true;
            let mut reached = same;
            while accepted && reached < old {
                row[reached] = start[reached];
                let value = u64::from(start[reached]);
                accepted = filter.accepts(reached, &symbols[reached], value, budget)?;
                reached += 1;
            }
            last = &start[..reached];
            if !accepted {
                // The byte that was refused is tried again if the next row has it, which refuses it again.
                last = &start[..reached - 1];
                continue;
            }
            if !every_tail(symbols, old, &mut row, filter, budget, &mut visit)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Whether a row satisfies the goal.
    fn ask(
        &mut self,
        shared: &mut CoreState,
        conjuncts: &Conjuncts<'_>,
        active: &ActiveConjuncts,
        table: &Table,
        steps: u64,
    ) -> Option<StageResult> {
        let query = conjuncts.query;
        let goal = std::slice::from_ref(&query.goal);
        let mut symbols = table.symbols.clone();
        symbols.extend(new_bytes(goal, &table.symbols));
        if symbols.len() > MOST_BYTES {
            return None;
        }
        let mut filter = Filter::new(&symbols, goal, steps).ok()?;
        let mut candidates: Vec<Vec<u8>> = Vec::new();
        let seen = self.each_row(table, &symbols, &mut filter, &query.budget, |f, row| {
            let holds = symbols.is_empty() || f.all_hold(symbols.len() - 1);
            if holds {
                candidates.insert(0, row.to_vec());
            } else {
                candidates.push(row.to_vec());
            }
            candidates.truncate(MOST_TRIED);
            !holds
        });
        if seen.is_err() {
            return None;
        }
        if candidates.is_empty() {
            shared.counts.enumerated += 1;
            return Some(StageResult::Unsat(positions(conjuncts, &table.used)));
        }
        for row in candidates {
            if let Some(model) = confirmed(shared, conjuncts, active, &symbols, &row) {
                shared.counts.enumerated += 1;
                return Some(StageResult::Sat(Rc::new(model)));
            }
        }
        None
    }
}

/// Visits all values of the bytes from a position on. Whether the visitor wants more.
fn every_tail(
    symbols: &[Term],
    from: usize,
    row: &mut [u8],
    filter: &mut Filter,
    budget: &Budget,
    visit: &mut impl FnMut(&Filter, &[u8]) -> bool,
) -> Result<bool, GaveUp> {
    if from == symbols.len() {
        return Ok(visit(filter, row));
    }
    // The next value of each byte from there on.
    let mut next: Vec<u64> = vec![0];
    while !next.is_empty() {
        let at = from + next.len() - 1;
        let value = &mut next[at - from];
        let symbol = &symbols[at];
        if *value >> symbol.width() != 0 {
            next.pop();
            continue;
        }
        let tried = *value;
        *value += 1;
        if !filter.accepts(at, symbol, tried, budget)? {
            continue;
        }
        row[at] = u8::try_from(tried).expect("at most eight bits");
        if at + 1 < symbols.len() {
            next.push(0);
        } else if !visit(filter, row) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The positions of some facts, and the goal's.
fn positions(conjuncts: &Conjuncts<'_>, facts: &[Term]) -> Vec<usize> {
    let at: FxHashMap<u64, usize> = (conjuncts.terms.iter().enumerate())
        .map(|(i, t)| (t.birth(), i))
        .collect();
    let mut found: Vec<usize> = facts.iter().map(|f| at[&f.birth()]).collect();
    found.push(conjuncts.goal_position());
    found.sort_unstable();
    found.dedup();
    found
}

/// The start model with the bytes of a row, if it satisfies all conjuncts.
fn confirmed(
    shared: &mut CoreState,
    conjuncts: &Conjuncts<'_>,
    active: &ActiveConjuncts,
    symbols: &[Term],
    row: &[u8],
) -> Option<Model> {
    let mut candidate = CandidateModel::unchanged(&active.start_model);
    for (symbol, &byte) in symbols.iter().zip(row) {
        let word = BitVec::new(symbol.width(), u64::from(byte));
        candidate.set(symbol, Value::Bv(word));
    }
    let (terms, evaluator) = (&conjuncts.terms, &mut shared.evaluator);
    // What the start model violates is evaluated too, whether the row changes it or not.
    let holds = candidate.violated(evaluator, terms, &[]).is_empty()
        && (active.positions.iter()).all(|&i| evaluator.eval_bool(terms[i], &candidate.model));
    evaluator.start();
    holds.then_some(candidate.model)
}
