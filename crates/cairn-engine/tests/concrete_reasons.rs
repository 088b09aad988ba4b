//! The cells that concrete stretches of paths stand on are tried out, and one that is left out is seen.

use cairn_engine::{
    Config, Exploration, Explorer, Finding, Observer, Outcome, ReasonKind, TestCase, Untraceable,
};
use cairn_ir::Program;
use std::sync::Arc;

/// A loop whose bound is in memory, on a path that forks.
const PROGRAM: &str = r#"
global @name { bytes "x\00" }
global @bound align 8 size 8
extern func @klee_int(i64) -> i32
func @main() -> i32 {
entry:
  store i32 5 to @bound
  %x: i32 = call @klee_int(i64 @name)
  %few: i1 = ult i32 %x, 3
  branch %few, yes, no
yes:
  jump head(0)
head(%i: i32):
  %n: i32 = load @bound
  %more: i1 = ult i32 %i, %n
  branch %more, body, no
body:
  %j: i32 = add %i, 1
  jump head(%j)
no:
  %y: i32 = call @klee_int(i64 @name)
  %same: i1 = eq i32 %x, %y
  branch %same, one, other
one:
  return 1
other:
  return 0
}
"#;

struct Silent;

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

fn explore(checked: bool, drop_one_in: Option<usize>) -> Exploration {
    let program = cairn_ir::text::parse(PROGRAM).expect("the program is right");
    let config = Config {
        check_reasons: checked,
        drop_from_reasons: drop_one_in,
        ..Config::default()
    };
    let explorer = Explorer::new(Arc::new(program), config, Box::new(Silent));
    explorer.run().expect("it starts")
}

#[test]
fn stretches_stand_on_their_required_cells() {
    let result = explore(true, None);
    assert_eq!(result.completed, 4);
    let reasons = &result.reasons;
    assert!(reasons.flawed.is_empty() && result.bugs.is_empty());
    let concrete = reasons.proved.get(&ReasonKind::Concrete);
    assert!(concrete.is_some_and(|n| *n >= 5), "{reasons:?}");
    let calls = reasons.untraced.get(&Untraceable::Call);
    assert_eq!(calls, Some(&3), "{reasons:?}");
}

#[test]
fn a_cell_that_is_left_out_is_named() {
    let result = explore(true, Some(1));
    let mut flawed = result.reasons.flawed.iter();
    let flaw = flawed.find(|f| f.kind == ReasonKind::Concrete && f.what.contains("bytes 0..8"));
    assert!(flaw.is_some(), "{:?}", result.reasons.flawed);
    assert!(!result.bugs.is_empty());
}

#[test]
fn without_the_check_nothing_is_traced() {
    let result = explore(false, None);
    assert_eq!(result.completed, 4);
    assert!(result.reasons.proved.is_empty() && result.reasons.untraced.is_empty());
}
