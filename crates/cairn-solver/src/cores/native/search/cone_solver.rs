//! A small CDCL solver that assigns only what a query mentions.
//!
//! # Problem
//! A general SAT solver ends a satisfiable search by assigning every variable it has ever seen. In symbolic
//! execution the circuit is large, the question is small, and the previous model nearly answers it.
//!
//! # Idea
//! Clause learning in the scheme of MiniSat \[EenSorensson03\], restricted to a *cone*: the variables below
//! the roots in question. Only inputs of the cone are decided, starting from given phases (the start model),
//! and implications never leave the cone. When every input of the cone is assigned without conflict, every
//! gate of the cone is assigned too. Circuit solvers and Z3's relevancy propagation restrict decisions in
//! the same way.
//!
//! # Soundness
//! UNSAT is derived by resolution from valid clauses and the assumptions alone, so it holds whatever the
//! cone leaves out. SAT means that the definitions of the cone hold. Definitions outside extend any
//! assignment of inputs; array lemmas outside hold in every array. The caller evaluates the resulting model
//! on terms.
//!
//! # Cost
//! Linear in the cone for a search without conflicts. It gives up after a number of conflicts.
//!
//! # Counters
//! `conflicts`, and `variables` for the size.

use super::heap::DecisionHeap;
use crate::cores::native::circuit::{ClauseSink, SatLit};
use crate::{Budget, UnknownReason};

pub(super) type Var = u32;
/// A literal: variable times two plus sign.
pub(super) type CodedLiteral = u32;

pub(super) const NO_REASON: u32 = u32::MAX;
const UNASSIGNED: u8 = 2;

#[inline]
fn code(lit: SatLit) -> CodedLiteral {
    lit.unsigned_abs() << 1 | u32::from(lit < 0)
}

#[inline]
pub(super) fn var_of(c: CodedLiteral) -> Var {
    c >> 1
}

/// A watched clause of four or more literals.
#[derive(Clone, Copy)]
struct Watch {
    clause: u32,
    blocker: CodedLiteral,
}

/// The rest of a clause of two or three literals, seen from one of them. Gates are defined by
/// such clauses; all their literals have one, so they never move and are never written.
#[derive(Clone, Copy)]
struct ShortClause {
    a: CodedLiteral,
    /// The same as `a` in a clause of two.
    b: CodedLiteral,
    clause: u32,
}

/// The result of a search.
#[derive(Debug, PartialEq, Eq)]
pub enum SearchResult {
    /// The cone is assigned without conflict.
    Assignment,
    /// These assumptions contradict each other.
    Unsat(Vec<SatLit>),
    /// Too many conflicts.
    GaveUp,
}

/// The solver; the module documentation describes it.
pub struct ConeSolver {
    /// Clauses one after the other: length, then literals.
    arena: Vec<CodedLiteral>,
    watches: Vec<Vec<Watch>>,
    shorts: Vec<Vec<ShortClause>>,
    /// By literal code: 1 true, 0 false, 2 unassigned.
    values: Vec<u8>,
    pub(super) level: Vec<u32>,
    pub(super) reason: Vec<u32>,
    phase: Vec<bool>,
    activity: Vec<f32>,
    cone: Vec<u32>,
    cone_variables: Vec<Var>,
    pub(super) seen: Vec<bool>,
    pub(super) trail: Vec<CodedLiteral>,
    /// Where each decision level starts in the trail.
    pub(super) limits: Vec<usize>,
    head: usize,
    heap: DecisionHeap,
    stamp: u32,
    bump: f32,
    contradiction: bool,
    learnt: Vec<u32>,
    conflicts: u64,
}

/// After this many conflicts gates are decided too, not only inputs: a search that is not short
/// needs proofs about carries and comparisons, and those are exponentially longer over inputs.
const WIDEN: u64 = 8;

/// Learnt clauses are forgotten, the long ones, when there are this many.
const MOST_LEARNT: usize = 4_000;

impl ClauseSink for ConeSolver {
    fn variable(&mut self) -> SatLit {
        let v = self.level.len() as u32;
        self.watches.extend([Vec::new(), Vec::new()]);
        self.shorts.extend([Vec::new(), Vec::new()]);
        self.values.extend([UNASSIGNED; 2]);
        self.level.push(0);
        self.reason.push(NO_REASON);
        self.phase.push(false);
        self.activity.push(0.0);
        self.cone.push(0);
        self.seen.push(false);
        self.heap.grow();
        SatLit::try_from(v).expect("fewer than 2^31 variables")
    }

    fn clause(&mut self, lits: &[SatLit]) {
        debug_assert!(self.limits.is_empty(), "clauses are added between searches");
        // Simplified by the assignments of level 0.
        let mut kept: smallvec::SmallVec<[CodedLiteral; 8]> = smallvec::SmallVec::new();
        for &l in lits {
            let c = code(l);
            match self.values[c as usize] {
                1 => return,
                0 => {}
                _ => {
                    if kept.contains(&(c ^ 1)) {
                        return;
                    }
                    if !kept.contains(&c) {
                        kept.push(c);
                    }
                }
            }
        }
        match kept.as_slice() {
            [] => self.contradiction = true,
            [unit] => {
                let unit = *unit;
                self.enqueue(unit, NO_REASON);
            }
            _ => {
                self.attach(&kept);
            }
        }
    }
}

impl ConeSolver {
    /// No variables, no clauses.
    pub fn new() -> Self {
        let mut s = ConeSolver {
            arena: Vec::new(),
            watches: Vec::new(),
            shorts: Vec::new(),
            values: Vec::new(),
            level: Vec::new(),
            reason: Vec::new(),
            phase: Vec::new(),
            activity: Vec::new(),
            cone: Vec::new(),
            cone_variables: Vec::new(),
            seen: Vec::new(),
            trail: Vec::new(),
            limits: Vec::new(),
            head: 0,
            heap: DecisionHeap::default(),
            stamp: 0,
            bump: 1.0,
            contradiction: false,
            learnt: Vec::new(),
            conflicts: 0,
        };
        // Variable 0 does not exist in DIMACS.
        s.variable();
        s
    }

    /// Number of variables.
    pub fn variables(&self) -> usize {
        self.level.len() - 1
    }

    /// Conflicts so far.
    pub fn conflicts(&self) -> u64 {
        self.conflicts
    }

    fn attach(&mut self, lits: &[CodedLiteral]) -> u32 {
        let at = u32::try_from(self.arena.len()).expect("fewer than 2^32 literals in clauses");
        self.arena.push(lits.len() as u32);
        self.arena.extend_from_slice(lits);
        match *lits {
            [x, y] => {
                self.short(x, y, y, at);
                self.short(y, x, x, at);
            }
            [x, y, z] => {
                self.short(x, y, z, at);
                self.short(y, x, z, at);
                self.short(z, x, y, at);
            }
            _ => {
                for (watched, blocker) in [(lits[0], lits[1]), (lits[1], lits[0])] {
                    self.watches[watched as usize].push(Watch {
                        clause: at,
                        blocker,
                    });
                }
            }
        }
        at
    }

    fn short(&mut self, watched: CodedLiteral, a: CodedLiteral, b: CodedLiteral, clause: u32) {
        self.shorts[watched as usize].push(ShortClause { a, b, clause });
    }

    /// Starts a new cone: nothing belongs to it.
    pub fn start_cone(&mut self) {
        self.backtrack(0);
        self.stamp += 1;
        self.cone_variables.clear();
        self.heap.clear();
    }

    /// Adds variables to the cone; `inputs` may be decided.
    pub fn extend_cone(&mut self, variables: &[Var], inputs: &[Var]) {
        for &v in variables {
            if self.cone[v as usize] != self.stamp {
                self.cone[v as usize] = self.stamp;
                self.cone_variables.push(v);
            }
        }
        for &v in inputs {
            self.cone[v as usize] = self.stamp;
            self.heap.insert(v, &self.activity);
        }
    }

    /// How many variables the cone has.
    pub fn cone_size(&self) -> usize {
        self.cone_variables.len()
    }

    /// Which value a decision tries first.
    #[inline]
    pub fn set_phase(&mut self, variable: Var, value: bool) {
        self.phase[variable as usize] = value;
    }

    /// The value of a literal; unassigned counts as false for the variable.
    #[inline]
    pub fn value(&self, lit: SatLit) -> bool {
        let positive = self.values[(lit.unsigned_abs() << 1) as usize] == 1;
        positive ^ (lit < 0)
    }

    #[inline]
    fn enqueue(&mut self, c: CodedLiteral, reason: u32) {
        self.values[c as usize] = 1;
        self.values[(c ^ 1) as usize] = 0;
        let v = var_of(c) as usize;
        self.level[v] = self.limits.len() as u32;
        self.reason[v] = reason;
        self.trail.push(c);
    }

    fn backtrack(&mut self, level: usize) {
        if self.limits.len() <= level {
            return;
        }
        let keep = self.limits[level];
        for i in (keep..self.trail.len()).rev() {
            let c = self.trail[i];
            let v = var_of(c);
            self.values[c as usize] = UNASSIGNED;
            self.values[(c ^ 1) as usize] = UNASSIGNED;
            self.phase[v as usize] = c & 1 == 0;
            self.heap.back(v, &self.activity);
        }
        self.trail.truncate(keep);
        self.limits.truncate(level);
        self.head = keep;
    }

    /// Propagates inside the cone; returns a clause all of whose literals are false.
    fn propagate(&mut self) -> Option<u32> {
        while self.head < self.trail.len() {
            let falsified = self.trail[self.head] ^ 1;
            self.head += 1;
            if let Some(clause) = self.propagate_short(falsified) {
                return Some(clause);
            }
            if let Some(clause) = self.propagate_long(falsified) {
                return Some(clause);
            }
        }
        None
    }

    /// Enqueues an implied literal if it belongs to the cone. At level 0 all literals are enqueued.
    #[inline]
    fn imply(&mut self, unit: CodedLiteral, clause: u32) {
        if self.cone[var_of(unit) as usize] == self.stamp || self.limits.is_empty() {
            self.enqueue(unit, clause);
        }
    }

    fn propagate_short(&mut self, falsified: CodedLiteral) -> Option<u32> {
        // Taken out for the loop: nothing in it changes the list.
        let list = std::mem::take(&mut self.shorts[falsified as usize]);
        let mut conflict = None;
        for s in &list {
            let a = self.values[s.a as usize];
            let b = self.values[s.b as usize];
            if a == 1 || b == 1 {
                continue;
            }
            match (a, b) {
                (0, 0) => {
                    conflict = Some(s.clause);
                    break;
                }
                (0, _) => self.imply(s.b, s.clause),
                (_, 0) => self.imply(s.a, s.clause),
                _ if s.a == s.b => self.imply(s.a, s.clause),
                _ => {}
            }
        }
        self.shorts[falsified as usize] = list;
        conflict
    }

    fn propagate_long(&mut self, falsified: CodedLiteral) -> Option<u32> {
        let mut list = std::mem::take(&mut self.watches[falsified as usize]);
        let (mut read, mut write) = (0, 0);
        let mut conflict = None;
        while read < list.len() {
            let w = list[read];
            read += 1;
            if self.values[w.blocker as usize] == 1 {
                list[write] = w;
                write += 1;
                continue;
            }
            let (blocker, unit) = match self.move_watch(&w, falsified) {
                WatchMove::Moved => continue,
                WatchMove::Satisfied(blocker) => (blocker, None),
                WatchMove::Unit(lit) => (lit, Some(lit)),
            };
            list[write] = Watch { blocker, ..w };
            write += 1;
            if let Some(unit) = unit {
                if self.values[unit as usize] == 0 {
                    conflict = Some(w.clause);
                    break;
                }
                self.imply(unit, w.clause);
            }
        }
        while read < list.len() {
            list[write] = list[read];
            write += 1;
            read += 1;
        }
        list.truncate(write);
        self.watches[falsified as usize] = list;
        conflict
    }

    /// Looks for another literal to watch; the falsified one stands second afterwards.
    fn move_watch(&mut self, w: &Watch, falsified: CodedLiteral) -> WatchMove {
        let at = w.clause as usize;
        let len = self.arena[at] as usize;
        let lits = &mut self.arena[at + 1..at + 1 + len];
        if lits[0] == falsified {
            lits.swap(0, 1);
        }
        let first = lits[0];
        if self.values[first as usize] == 1 {
            return WatchMove::Satisfied(first);
        }
        for i in 2..len {
            let candidate = lits[i];
            if self.values[candidate as usize] != 0 {
                lits.swap(1, i);
                self.watches[candidate as usize].push(Watch {
                    clause: w.clause,
                    blocker: first,
                });
                return WatchMove::Moved;
            }
        }
        WatchMove::Unit(first)
    }

    pub(super) fn clause_lits(&self, clause: u32) -> &[CodedLiteral] {
        let at = clause as usize;
        let len = self.arena[at] as usize;
        &self.arena[at + 1..at + 1 + len]
    }

    pub(super) fn raise(&mut self, v: Var) {
        self.activity[v as usize] += self.bump;
        if self.activity[v as usize] > 1e30 {
            for a in &mut self.activity {
                *a *= 1e-30;
            }
            self.bump *= 1e-30;
        }
        self.heap.raised(v, &self.activity);
    }

    /// Searches for an assignment of the cone under assumptions, with at most `effort` conflicts.
    pub fn solve(
        &mut self,
        assumptions: &[SatLit],
        effort: u64,
        budget: &Budget,
    ) -> Result<SearchResult, UnknownReason> {
        self.backtrack(0);
        self.forget();
        if self.contradiction || self.propagate().is_some() {
            self.contradiction = true;
            return Ok(SearchResult::Unsat(Vec::new()));
        }
        let mut conflicts: u64 = 0;
        let mut steps = 0u32;
        loop {
            if let Some(clause) = self.propagate() {
                conflicts += 1;
                self.conflicts += 1;
                if self.limits.is_empty() {
                    self.contradiction = true;
                    return Ok(SearchResult::Unsat(Vec::new()));
                }
                let (learnt, back) = self.analyse(clause);
                self.backtrack(back);
                self.learn(&learnt);
                self.bump /= 0.95;
                if conflicts.is_multiple_of(64)
                    && let Some(reason) = budget.exhausted()
                {
                    self.backtrack(0);
                    return Err(reason);
                }
                if conflicts == WIDEN {
                    for i in 0..self.cone_variables.len() {
                        self.heap.insert(self.cone_variables[i], &self.activity);
                    }
                }
                if conflicts > effort {
                    self.backtrack(0);
                    return Ok(SearchResult::GaveUp);
                }
                continue;
            }
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(4096)
                && let Some(reason) = budget.exhausted().or_else(|| budget.exhausted_memory())
            {
                self.backtrack(0);
                return Err(reason);
            }
            let decision = match assumptions.get(self.limits.len()) {
                Some(&lit) => {
                    let c = code(lit);
                    match self.values[c as usize] {
                        0 => return Ok(SearchResult::Unsat(self.failed_assumptions(c))),
                        1 => {
                            // Holds already: an empty level keeps levels and assumptions in step.
                            self.limits.push(self.trail.len());
                            continue;
                        }
                        _ => c,
                    }
                }
                None => match self.next_input() {
                    Some(v) => v << 1 | u32::from(!self.phase[v as usize]),
                    None => return Ok(SearchResult::Assignment),
                },
            };
            self.limits.push(self.trail.len());
            self.enqueue(decision, NO_REASON);
        }
    }

    fn next_input(&mut self) -> Option<Var> {
        while let Some(v) = self.heap.pop(&self.activity) {
            if self.values[(v << 1) as usize] == UNASSIGNED {
                return Some(v);
            }
        }
        None
    }

    fn learn(&mut self, lits: &[CodedLiteral]) {
        match lits {
            [unit] => self.enqueue(*unit, NO_REASON),
            _ => {
                let clause = self.attach(lits);
                self.learnt.push(clause);
                self.enqueue(lits[0], clause);
            }
        }
    }

    /// Forgets long learnt clauses when there are too many; only between searches, where no
    /// clause is a reason above level 0.
    fn forget(&mut self) {
        if self.learnt.len() < MOST_LEARNT {
            return;
        }
        let mut dropped = rustc_hash::FxHashSet::default();
        self.learnt.retain(|&c| {
            let keep = self.arena[c as usize] <= 4;
            if !keep {
                dropped.insert(c);
            }
            keep
        });
        if self.learnt.len() > MOST_LEARNT / 2 {
            dropped.extend(self.learnt.drain(..MOST_LEARNT / 4));
        }
        for list in &mut self.watches {
            list.retain(|w| !dropped.contains(&w.clause));
        }
        for list in &mut self.shorts {
            list.retain(|s| !dropped.contains(&s.clause));
        }
        for &c in &self.trail {
            self.reason[var_of(c) as usize] = NO_REASON;
        }
    }
}

/// The result of looking for another literal to watch.
enum WatchMove {
    /// Another literal is watched now.
    Moved,
    /// This literal is true.
    Satisfied(CodedLiteral),
    /// All others are false.
    Unit(CodedLiteral),
}

#[cfg(test)]
#[path = "cone_solver_tests.rs"]
mod tests;
