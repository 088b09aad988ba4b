//! Programs in C*, the language of the Selfie project, as executables in the layout and with the system calls of the
//! fork of Selfie that \[AbyanehKirsch21\] measures.
//!
//! # Problem
//!
//! Such executables have no symbols, no sections and conventions of their own. That Cairn runs and explores them as
//! their source means needs sources, executables, and somebody who knows what they do.
//!
//! # Idea
//!
//! A random text ([`generate`]) is read ([`parse`]) and compiled ([`compile`]) here. Two references, both without Cairn, give its
//! meaning: evaluating the tree ([`run`] of the values of inputs, [`all_runs`] of all that there are), and compiling the
//! text with a C compiler. A campaign ([`check`]) then compares:
//!
//! - every run on the tree with its native run;
//! - the paths of `cairn run` with the lists of branches of all runs: how many there are, how each ends, and that each test ends as its
//!   inputs do on the tree;
//! - the findings with the places at which runs go wrong: kind and address, no more and no fewer;
//! - some runs of `cairn run --concrete` on chosen inputs.
//!
//! # Soundness
//!
//! Paths are counted by brute force, so programs whose inputs have too many values together are left out. The parser is
//! shared by the tree and the code; the C compiler is what checks it.

mod campaign;
mod compile;
mod encode;
mod generate;
mod interpret;
mod native;
mod parse;
mod syntax;

pub use campaign::{Report, Settings, run as check};
pub use compile::{Compiled, compile, in_layout};
pub use generate::generate;
pub use interpret::{EvaluationEnd, EvaluationError, EvaluationResult, Run, all_runs, run};
pub use parse::parse;
pub use syntax::{Callee, Expr, Operator, Procedure, Program, Site, Statement, Variable};
