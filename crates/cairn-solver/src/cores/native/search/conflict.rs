//! Conflict analysis of the cone solver: learnt clauses and failed assumptions.

use super::cone_solver::{CodedLiteral, ConeSolver, NO_REASON, Var, var_of};
use crate::cores::native::circuit::SatLit;

impl ConeSolver {
    /// Learns the clause of the first unique implication point. Returns the clause, whose first literal
    /// is asserting, and the level to backtrack to.
    pub(super) fn analyse(&mut self, conflict: u32) -> (Vec<CodedLiteral>, usize) {
        let current = self.limits.len() as u32;
        let mut learnt: Vec<CodedLiteral> = vec![0];
        let mut open = 0;
        let mut at = self.trail.len();
        let mut clause = conflict;
        let mut resolved: Option<CodedLiteral> = None;
        let mut marked: Vec<Var> = Vec::new();
        loop {
            for i in 0..self.clause_lits(clause).len() {
                let c = self.clause_lits(clause)[i];
                if resolved == Some(c) {
                    continue;
                }
                let v = var_of(c);
                if self.seen[v as usize] || self.level[v as usize] == 0 {
                    continue;
                }
                self.seen[v as usize] = true;
                marked.push(v);
                self.raise(v);
                if self.level[v as usize] == current {
                    open += 1;
                } else {
                    learnt.push(c);
                }
            }
            loop {
                at -= 1;
                if self.seen[var_of(self.trail[at]) as usize] {
                    break;
                }
            }
            let c = self.trail[at];
            open -= 1;
            if open == 0 {
                learnt[0] = c ^ 1;
                break;
            }
            resolved = Some(c);
            clause = self.reason[var_of(c) as usize];
        }
        // A literal is redundant if the other literals imply it.
        let mut kept = vec![learnt[0]];
        for &c in &learnt[1..] {
            let reason = self.reason[var_of(c) as usize];
            let redundant = reason != NO_REASON
                && self.clause_lits(reason).iter().all(|&r| {
                    r == c ^ 1
                        || self.seen[var_of(r) as usize]
                        || self.level[var_of(r) as usize] == 0
                });
            if !redundant {
                kept.push(c);
            }
        }
        for v in marked {
            self.seen[v as usize] = false;
        }
        let mut back = 0;
        for i in 1..kept.len() {
            let l = self.level[var_of(kept[i]) as usize] as usize;
            if l > back {
                back = l;
                kept.swap(1, i);
            }
        }
        (kept, back)
    }

    /// The assumptions that imply the falsity of `failed`, itself included.
    pub(super) fn failed_assumptions(&mut self, failed: CodedLiteral) -> Vec<SatLit> {
        let as_lit = |c: CodedLiteral| {
            let v = SatLit::try_from(var_of(c)).expect("a variable");
            if c & 1 == 1 { -v } else { v }
        };
        let mut core = vec![as_lit(failed)];
        let v = var_of(failed) as usize;
        if self.level[v] == 0 {
            return core;
        }
        self.seen[v] = true;
        for i in (self.limits[0]..self.trail.len()).rev() {
            let c = self.trail[i];
            let v = var_of(c) as usize;
            if !self.seen[v] {
                continue;
            }
            self.seen[v] = false;
            let reason = self.reason[v];
            if reason == NO_REASON {
                // A decision at or below the assumption levels is an assumption.
                if c != failed {
                    core.push(as_lit(c));
                }
            } else {
                for j in 0..self.clause_lits(reason).len() {
                    let r = var_of(self.clause_lits(reason)[j]) as usize;
                    if self.level[r] > 0 {
                        self.seen[r] = true;
                    }
                }
                self.seen[v] = false;
            }
        }
        core
    }
}
