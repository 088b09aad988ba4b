//! The execution tree that a run leaves behind if it is asked to.

use cairn_engine::{
    Config, Exploration, Explorer, Finding, ForkKind, KeptEnd, KeptTree, Observer, Outcome,
    TestCase,
};
use cairn_ir::Program;
use std::sync::Arc;

/// Three branches on a byte each, behind work that is enough for paths to be given away; the last divides by
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
        // 2 branches on a and b: 1 + 2 forks; 4 divisions with an error; 4 branches behind them.
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
