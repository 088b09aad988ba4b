//! Whole SMT-LIB scripts, for measurements.
//!
//! # Problem
//! A fair comparison of solving times leaves the time for reading the text aside.
//!
//! # Idea
//! Z3 reads the script once; each check runs on a fresh solver with the assertions as
//! they stand at the script's end. The script's own `check-sat` is not run.
//!
//! # Soundness
//! Verdicts are Z3's own; no part of Cairn's translation is involved, which also
//! makes this an independent witness in tests of the translation.
//!
//! # Cost
//! Asserting again for every check, which is counted as solving.

use super::Z3Setting;
use super::handles::{Ast, Z3Context};
use super::library;
use super::solver::{CheckResult, Solver};
use crate::{Budget, UnknownReason};

/// A script that Z3 has read.
pub struct Z3Script {
    ctx: Z3Context,
    assertions: Vec<Ast>,
}

/// Z3's verdict on a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptVerdict {
    /// Satisfiable.
    Sat,
    /// Unsatisfiable.
    Unsat,
    /// Not decided, and why.
    Unknown(UnknownReason),
}

impl Z3Script {
    /// Reads a script's declarations and assertions.
    pub fn parse(text: &str) -> Result<Self, String> {
        let ctx = Z3Context::new(library::api()?)?;
        let assertions = ctx
            .parse(text)
            .map_err(|e| format!("Z3 does not read the script: {}", e.trim()))?;
        Ok(Z3Script { ctx, assertions })
    }

    /// How many assertions it has.
    pub fn len(&self) -> usize {
        self.assertions.len()
    }

    /// Whether it asserts nothing.
    pub fn is_empty(&self) -> bool {
        self.assertions.is_empty()
    }

    /// Decides the assertions on a fresh solver. After an unknown, read the script again before
    /// the next check: Z3 may keep an interruption.
    pub fn check(&self, setting: &Z3Setting, budget: &Budget) -> ScriptVerdict {
        let ready = Solver::new(&self.ctx, setting).and_then(|solver| {
            for assertion in &self.assertions {
                solver.assert(assertion)?;
            }
            Ok(solver)
        });
        match ready.map(|solver| solver.check(&[], budget)) {
            Ok(CheckResult::Sat) => ScriptVerdict::Sat,
            Ok(CheckResult::Unsat) => ScriptVerdict::Unsat,
            Ok(CheckResult::Unknown(reason)) => ScriptVerdict::Unknown(reason),
            Err(why) => ScriptVerdict::Unknown(UnknownReason::SolverFailed(format!("Z3: {why}"))),
        }
    }
}
