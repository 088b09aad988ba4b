//! The execution tree that a run leaves behind if it is asked to: every node once, each below the decision that led to it.

mod common;

use cairn_engine::{
    Config, Context, Decision, Exploration, Explorer, Feasibility, Feature, FindingKind, ForkKind,
    KeptEnd, KeptNode, KeptTree, Limits, Moment, Wants,
};
use common::Silent;
use std::sync::Arc;

/// Three branches on a byte each, after work that is enough for paths to be given away; the last divides by
/// the byte.
const PROGRAM: &str = r#"
extern func @__VERIFIER_nondet_uchar() -> i8
func @main() -> i32 {
entry:
  jump burn(0)
burn(%k: i32):
  %k1: i32 = add %k, 1
  %burnt: i1 = eq i32 %k1, 300000
  branch %burnt, start, burn(%k1)
start:
  %a: i8 = call @__VERIFIER_nondet_uchar()
  %a0: i1 = ult i8 %a, 10
  branch %a0, second(1), second(2)
second(%x: i32):
  %b: i8 = call @__VERIFIER_nondet_uchar()
  %b0: i1 = ult i8 %b, 10
  branch %b0, third(%x), third(3)
third(%y: i32):
  %c: i8 = call @__VERIFIER_nondet_uchar()
  %c0: i1 = ne i8 %c, 0
  check division_by_zero %c0
  %d: i8 = udiv 100, %c
  %d0: i1 = eq i8 %d, 5
  branch %d0, left, right
left:
  return 1
right:
  return %y
}
"#;

fn explore(keep: Option<usize>, jobs: usize) -> Exploration {
    let program = cairn_ir::text::parse(PROGRAM).expect("the program is right");
    let config = Config {
        jobs,
        keep_tree: keep,
        ..Config::default()
    };
    let explorer = Explorer::new(Arc::new(program), config, Box::new(Silent));
    explorer.run().expect("the program starts")
}

fn tree(keep: usize, jobs: usize) -> (Exploration, KeptTree) {
    let mut result = explore(Some(keep), jobs);
    let tree = result.tree.take().expect("it was asked for");
    (result, tree)
}

#[test]
fn every_node_is_kept() {
    for jobs in [1, 4] {
        let (result, tree) = tree(1000, jobs);
        assert_eq!((result.completed, result.errors), (8, 4), "{jobs} workers");
        assert_eq!(tree.not_kept, 0);
        let nodes = &tree.nodes;
        let roots = nodes.iter().filter(|node| node.parent.is_none());
        assert_eq!(roots.count(), 1, "{jobs} workers");
        let ends = |wanted: fn(&KeptEnd) -> bool| {
            let ends = nodes.iter().filter_map(|node| node.end.as_ref());
            ends.filter(|end| wanted(end)).count() as u64
        };
        let errors = ends(|end| matches!(end, KeptEnd::Error(_)));
        let exits = ends(|end| matches!(end, KeptEnd::Exit(_)));
        assert_eq!((exits, errors), (8, 4), "{jobs} workers");
        let root = &nodes[0].below;
        assert_eq!((root.paths, root.errors, root.stopped), (12, 4, 0));
        // 2 branches on a and b: 1 + 2 forks; 4 divisions with an error; 4 branches after them.
        let forks = nodes.iter().filter_map(|node| node.fork);
        let forks: Vec<_> = forks.collect();
        assert!(forks.iter().all(|fork| fork.kind == ForkKind::Control));
        assert_eq!(forks.len(), 11, "{jobs} workers");
        assert!(forks.iter().any(|fork| fork.place.is_some()));
        for node in nodes {
            assert!(node.fork.is_some() != node.end.is_some(), "{node:?}");
            if let Some(parent) = node.parent {
                assert!(nodes[parent].fork.is_some() == node.by.is_some());
            }
        }
    }
}

#[test]
fn no_more_than_wanted_are_kept() {
    let (_, all) = tree(1000, 1);
    let (result, some) = tree(6, 1);
    assert_eq!((result.completed, result.errors), (8, 4));
    assert_eq!(some.nodes.len(), 6);
    assert_eq!(some.not_kept as usize, all.nodes.len() - 6);
    assert!(explore(None, 1).tree.is_none());
}

/// Functions that are called through a table with null in it: two cases go on, one is an error at once. Where it returns, the
/// bits of another input decide.
const CALLS: &str = r#"
func @one() -> i32 {
entry:
  return 1
}
func @two() -> i32 {
entry:
  return 2
}
global @x { bytes "x\00" }
extern func @klee_range(i32, i32, i64) -> i32
extern func @__VERIFIER_nondet_uint() -> i32
global @table align 8 size 24 { at 8 address @one at 16 address @two }
func @main() -> i32 {
entry:
  %x: i32 = call @klee_range(i32 0, i32 3, i64 @x)
  %i: i64 = zext i32 %x
  %o: i64 = mul %i, 8
  %at: i64 = add @table, %o
  %p: i64 = load %at
  %r: i32 = call %p()
  %y: i32 = call @__VERIFIER_nondet_uint()
  %few: i1 = ult i32 %y, 7
  branch %few, low, high
low:
  return %r
high:
  %s: i32 = add %r, 10
  return %s
}
"#;

/// Postpones a case of every step that has more than one, whatever is known of it.
struct Postpones;

impl Feature for Postpones {
    fn name(&self) -> &'static str {
        "postpones"
    }

    fn wants(&self) -> Wants {
        Wants {
            pending: true,
            ..Wants::default()
        }
    }

    fn on(&mut self, moment: &mut Moment<'_>, context: &mut Context<'_>) {
        if let Moment::Pending { state, cases } = moment
            && cases.len() > 1
            // Postponed cases are those that do not hold under the state's model.
            && let Some(case) = cases.iter_mut().find(|case| {
                matches!(
                    case.feasibility,
                    Feasibility::Unknown | Feasibility::Feasible(_)
                ) && !context.cx.holds(&state.domain.model, &case.guard)
            })
        {
            case.feasibility = Feasibility::Postponed;
        }
    }
}

/// How each path ended and by which function's call, counted in the order of addresses; and what ended at once.
fn ends(tree: &KeptTree) -> Vec<(Option<usize>, KeptEnd)> {
    let call_of = |node: &KeptNode| {
        let mut node = node.clone();
        loop {
            if let Some(Decision::Call(address)) = node.by {
                return Some(address);
            }
            node = tree.nodes[node.parent?].clone();
        }
    };
    let mut addresses: Vec<u64> = tree.nodes.iter().filter_map(call_of).collect();
    addresses.sort_unstable();
    addresses.dedup();
    let number = |address| addresses.iter().position(|a| *a == address);
    let ended = tree.nodes.iter();
    let ended = ended.filter_map(|node| Some((call_of(node).and_then(number), node.end?)));
    let mut ends: Vec<_> = ended.collect();
    ends.sort_by_key(|end| format!("{end:?}"));
    ends
}

fn tree_with_postponed_cases(limits: Limits) -> (Exploration, KeptTree) {
    let program = cairn_ir::text::parse(CALLS).expect("the program is right");
    let config = Config {
        keep_tree: Some(1000),
        limits,
        ..Config::default()
    };
    let explorer = Explorer::new(Arc::new(program), config, Box::new(Silent));
    let explorer = explorer.with_feature(Box::new(|| Box::new(Postpones)));
    let mut result = explorer.run().expect("the program starts");
    let tree = result.tree.take().expect("it was asked for");
    (result, tree)
}

#[test]
fn cases_that_wait_are_nodes_below_their_own_decisions() {
    let (result, tree) = tree_with_postponed_cases(Limits::default());
    // Null, and two functions with two ways each.
    assert_eq!((result.completed, result.errors), (4, 1));
    assert_eq!(tree.nodes[0].below.paths, 5);
    assert!(
        tree.nodes
            .iter()
            .all(|n| n.fork.is_some() != n.end.is_some())
    );
    let seen = ends(&tree);
    let expected = [
        // That the table is read beyond its end.
        (None, KeptEnd::Impossible),
        (None, KeptEnd::Error(FindingKind::Pointer)),
        (Some(0), KeptEnd::Exit(1)),
        (Some(0), KeptEnd::Exit(11)),
        (Some(1), KeptEnd::Exit(12)),
        (Some(1), KeptEnd::Exit(2)),
    ];
    let mut expected = expected.to_vec();
    expected.sort_by_key(|end| format!("{end:?}"));
    assert_eq!(seen, expected);
}

#[test]
fn cases_that_are_cut_after_they_waited_are_stopped() {
    let (result, tree) = tree_with_postponed_cases(Limits {
        depth: Some(1),
        ..Limits::default()
    });
    let root = &tree.nodes[0].below;
    assert_eq!(
        (root.paths, root.errors, root.stopped),
        (
            result.completed + result.errors + result.stopped,
            result.errors,
            result.stopped
        )
    );
    assert!(
        tree.nodes
            .iter()
            .all(|n| n.fork.is_some() != n.end.is_some())
    );
    let stopped = tree
        .nodes
        .iter()
        .filter(|n| n.end == Some(KeptEnd::Stopped));
    assert_eq!(stopped.count() as u64, result.stopped);
    assert!(result.stopped > 0);
}
