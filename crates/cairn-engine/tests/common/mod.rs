//! What several tests of the engine need.

use cairn_engine::{Finding, Observer, Outcome, TestCase};
use cairn_ir::Program;

/// Hears of nothing and wants no tests.
pub struct Silent;

impl Observer for Silent {
    fn wants_test(&self, _outcome: &Outcome) -> bool {
        false
    }
    fn found(&self, _finding: &Finding, _test: Option<u64>, _program: &Program) {}
    fn test(&self, _number: u64, _test: &TestCase, _outcome: &Outcome, _program: &Program) {}
    fn message(&self, _text: &str) {}
    fn warning(&self, _text: &str) {}
    fn warning_once(&self, _text: &str) {}
}
