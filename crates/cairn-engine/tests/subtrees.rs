//! When a node of the execution tree is announced as done: only if all below it was explored here.

mod common;

use cairn_engine::tree::NodeId;
use cairn_engine::{
    Config, Context, Exploration, Explorer, Feasibility, Feature, Limits, Moment, Outcome, Wants,
};
use common::Silent;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Branches with two cases each, of which the last has one. One path ends because of what Cairn does not support.
const BRANCHES: &str = r#"
global @name { bytes "x\00" }
extern func @klee_int(i64) -> i32
func @main() -> i32 {
entry:
  %x: i32 = call @klee_int(i64 @name)
  %few: i1 = ult i32 %x, 7
  branch %few, low, high
low:
  %three: i1 = ult i32 %x, 3
  branch %three, one, two
high:
  %nine: i1 = ult i32 %x, 9
  branch %nine, three, four
one:
  return 1
two:
  return 2
three:
  check unsupported 0 "inline assembly"
  return 3
four:
  %never: i1 = ult i32 %x, 5
  branch %never, one, five
five:
  return 5
}
"#;

/// What was heard of the tree.
#[derive(Default)]
struct Heard {
    /// The node above each.
    above: HashMap<NodeId, NodeId>,
    /// Nodes at which something was not followed.
    lacks: Vec<NodeId>,
    ended: Vec<NodeId>,
    done: Vec<NodeId>,
    gone: Vec<NodeId>,
}

impl Heard {
    /// Whether something at a node or below was not followed.
    fn lacks_below(&self, node: NodeId) -> bool {
        self.lacks.iter().any(|&lacking| {
            let mut at = Some(lacking);
            while let Some(here) = at {
                if here == node {
                    return true;
                }
                at = self.above.get(&here).copied();
            }
            false
        })
    }
}

/// Postpones the first undecided case of a step that does not hold under the state's model, if it is to, and listens.
struct Listens {
    heard: Arc<Mutex<Heard>>,
    postpones: bool,
}

impl Feature for Listens {
    fn name(&self) -> &'static str {
        "listens"
    }

    fn wants(&self) -> Wants {
        Wants {
            pending: true,
            tree: true,
            reasons: false,
        }
    }

    fn on(&mut self, moment: &mut Moment<'_>, context: &mut Context<'_>) {
        let mut heard = self.heard.lock().expect("no worker panics");
        match moment {
            Moment::Pending { state, cases } => {
                let model = &state.domain.model;
                let mut undecided = cases.iter_mut().filter(|case| {
                    matches!(case.feasibility, Feasibility::Unknown)
                        && !context.cx.holds(model, &case.guard)
                });
                if let Some(case) = undecided.next()
                    && self.postpones
                {
                    case.feasibility = Feasibility::Postponed;
                }
            }
            Moment::Forked { node, children } => {
                for child in *children {
                    heard.above.insert(*child, *node);
                }
            }
            Moment::Cut { state, .. } | Moment::Chose { state, .. } => heard.lacks.push(state.node),
            Moment::Ended { node, outcome, .. } => {
                heard.ended.push(*node);
                let is_whole = match outcome {
                    Outcome::Error(finding) => !finding.kind.is_unsupported(),
                    Outcome::Stopped(_) | Outcome::Unsupported(_) => false,
                    _ => true,
                };
                if !is_whole {
                    heard.lacks.push(*node);
                }
            }
            Moment::SubtreeDone(node) => heard.done.push(*node),
            Moment::SubtreeGone(node) => heard.gone.push(*node),
            Moment::Infeasible { .. } | Moment::Assumed { .. } | Moment::Left { .. } => {}
        }
    }
}

fn listen(program: &str, postpones: bool, depth: Option<u32>) -> (Exploration, Heard) {
    let program = cairn_ir::text::parse(program).expect("the program is right");
    let config = Config {
        limits: Limits {
            depth,
            ..Limits::default()
        },
        ..Config::default()
    };
    let explorer = Explorer::new(Arc::new(program), config, Box::new(Silent));
    let heard: Arc<Mutex<Heard>> = Arc::default();
    let kept = Arc::clone(&heard);
    let explorer = explorer.with_feature(Box::new(move || {
        Box::new(Listens {
            heard: Arc::clone(&kept),
            postpones,
        })
    }));
    let result = explorer.run().expect("it starts");
    drop(explorer);
    let heard = std::mem::take(&mut *heard.lock().expect("all workers have ended"));
    (result, heard)
}

#[test]
fn a_node_is_done_only_if_all_below_it_was_explored() {
    for (postpones, depth, stopped) in [
        (false, None, 1),
        (true, None, 1),
        (false, Some(1), 3),
        (true, Some(1), 2),
        (false, Some(0), 2),
        (true, Some(0), 2),
    ] {
        let (result, heard) = listen(BRANCHES, postpones, depth);
        let run = format!("postponed: {postpones}, depth: {depth:?}");
        assert_eq!(result.stopped, stopped, "{run}");
        for &node in &heard.done {
            assert!(!heard.lacks_below(node), "{run}: {node:?} is not done");
        }
        for &node in &heard.gone {
            assert!(heard.lacks_below(node), "{run}: {node:?} is done");
        }
        // A case that waited and is impossible has no path, and is done.
        let is_fork = |node: &&NodeId| heard.above.values().any(|above| above == *node);
        let leaves = heard.done.iter().filter(|node| !is_fork(node));
        let silent = leaves.filter(|leaf| !heard.ended.contains(leaf));
        let impossible = usize::from(postpones && depth.is_none());
        assert_eq!(silent.count(), impossible, "{run}");
        // All nodes, and the root.
        let nodes = heard.above.len() + 1;
        assert_eq!(heard.done.len() + heard.gone.len(), nodes, "{run}");
    }
}

/// Three branches after work that is enough for other workers to ask for paths.
const MOVES: &str = r#"
global @name { bytes "x\00" }
extern func @klee_int(i64) -> i32
func @main() -> i32 {
entry:
  %x: i32 = call @klee_int(i64 @name)
  jump burn(0)
burn(%k: i32):
  %k1: i32 = add %k, 1
  %burnt: i1 = eq i32 %k1, 300000
  branch %burnt, start, burn(%k1)
start:
  %a: i1 = ult i32 %x, 100
  branch %a, second(1), second(2)
second(%n: i32):
  %low: i32 = and %x, 255
  %b: i1 = ult i32 %low, 50
  branch %b, third(%n), third(3)
third(%m: i32):
  %bit: i32 = and %x, 1
  %c: i1 = eq i32 %bit, 0
  branch %c, even, odd
even:
  return %m
odd:
  return 0
}
"#;

/// What all workers' features heard: roots that are done, roots that are gone, paths that left.
#[derive(Default)]
struct Roots {
    done: u64,
    gone: u64,
    left: u64,
}

/// The feature of one worker, whose nodes are its own.
struct WatchesRoots {
    children: Vec<NodeId>,
    roots: Arc<Mutex<Roots>>,
}

impl Feature for WatchesRoots {
    fn name(&self) -> &'static str {
        "watches roots"
    }

    fn wants(&self) -> Wants {
        Wants {
            tree: true,
            ..Wants::default()
        }
    }

    fn on(&mut self, moment: &mut Moment<'_>, _context: &mut Context<'_>) {
        let mut roots = self.roots.lock().expect("no worker panics");
        match moment {
            Moment::Forked { children, .. } => self.children.extend_from_slice(children),
            Moment::SubtreeDone(node) if !self.children.contains(node) => roots.done += 1,
            Moment::SubtreeGone(node) if !self.children.contains(node) => roots.gone += 1,
            Moment::Left { .. } => roots.left += 1,
            _ => {}
        }
    }
}

#[test]
fn a_path_that_is_taken_up_again_does_not_stand_for_all_that_begins_where_it_began() {
    let mut moved = false;
    for _ in 0..100 {
        let program = cairn_ir::text::parse(MOVES).expect("the program is right");
        let config = Config {
            jobs: 4,
            ..Config::default()
        };
        let explorer = Explorer::new(Arc::new(program), config, Box::new(Silent));
        let roots: Arc<Mutex<Roots>> = Arc::default();
        let kept = Arc::clone(&roots);
        let explorer = explorer.with_feature(Box::new(move || {
            Box::new(WatchesRoots {
                children: Vec::new(),
                roots: Arc::clone(&kept),
            })
        }));
        let result = explorer.run().expect("it starts");
        assert_eq!(result.completed, 8);
        let roots = std::mem::take(&mut *roots.lock().expect("all workers have ended"));
        let alone = u64::from(roots.left == 0);
        assert_eq!((roots.done, roots.gone), (alone, 1 - alone + roots.left));
        moved |= roots.left > 0;
        if moved {
            break;
        }
    }
    assert!(moved, "no path was given to another worker");
}
