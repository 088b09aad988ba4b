//! The cells that concrete stretches of paths stand on are tried out, and one that is left out is seen.

mod common;

use cairn_engine::{
    Arrival, Arrived, ConcreteReason, Config, Context, Exploration, Explorer, Feature, Moment,
    ReasonKind, Ruling, State, StretchStart, Untraceable, Wants,
};
use cairn_ir::{FuncId, Program};
use common::Silent;
use std::sync::{Arc, Mutex};

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

/// Keeps where the turns of loops begin, and asks at the end of each path what they stood on.
#[derive(Default)]
struct Turns {
    began: Vec<ConcreteReason>,
    /// For each turn how many places of the thread and how many bytes of objects it stands on.
    found: Arc<Mutex<Vec<(usize, u64)>>>,
}

impl Feature for Turns {
    fn name(&self) -> &'static str {
        "turns"
    }

    fn wants(&self) -> Wants {
        Wants {
            tree: true,
            ..Wants::default()
        }
    }

    fn stops(&self, _program: &Program, _function: FuncId) -> Arrival {
        Arrival {
            loop_head: true,
            ..Arrival::NOWHERE
        }
    }

    fn on(&mut self, moment: &mut Moment<'_>, context: &mut Context<'_>) {
        if !matches!(moment, Moment::Ended { .. }) {
            return;
        }
        for turn in self.began.drain(..) {
            let cells = context.cells(&turn).expect("the loop is traced");
            let bytes = cells.required.bytes.values().flatten();
            let bytes = bytes.map(|run| run.range.end - run.range.start).sum();
            let mut found = self.found.lock().expect("no worker panics");
            found.push((cells.required.thread.len(), bytes));
        }
    }

    fn arrived(&mut self, state: &State, _at: &Arrived, _context: &mut Context<'_>) -> Ruling {
        let start = StretchStart::of(state);
        self.began.push(ConcreteReason::new(start, 1000));
        Ruling::GoOn
    }
}

#[test]
fn a_feature_asks_for_the_cells_of_a_stretch_that_is_over() {
    let program = cairn_ir::text::parse(PROGRAM).expect("the program is right");
    let found: Arc<Mutex<Vec<(usize, u64)>>> = Arc::default();
    let kept = Arc::clone(&found);
    let explorer = Explorer::new(Arc::new(program), Config::default(), Box::new(Silent));
    let explorer = explorer.with_feature(Box::new(move || {
        Box::new(Turns {
            found: Arc::clone(&kept),
            ..Turns::default()
        })
    }));
    assert_eq!(explorer.run().expect("it starts").completed, 4);
    let found = found.lock().expect("all workers have ended");
    // Six arrivals at the head: five turns of the body and the one that leaves, which ends at the call after the
    // loop. Each stands on the counter and on the four bytes of the bound.
    assert_eq!(found.len(), 6);
    assert!(found.iter().all(|cells| *cells == (1, 4)), "{found:?}");
}
