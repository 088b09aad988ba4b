//! What features are told, and what they rule: stop points, parked, subsumed and replaced states, that every node of the tree is
//! gone exactly once (when it is done: `subtrees.rs`), and that a reason is told of the state whose facts it is about.

mod common;

use cairn_engine::tree::NodeId;
use cairn_engine::{
    Arrival, Arrived, Config, Context, Exploration, Explorer, Feature, Moment, ReasonKind, Ruling,
    State, SubsumedBy, Wants,
};
use cairn_ir::{FuncId, Program};
use common::Silent;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// A loop over the bits of an input, with a join in its body, and a function without stop points.
const PROGRAM: &str = r#"
global @name { bytes "x\00" }
extern func @klee_int(i64) -> i32
func @other(%a: i32) -> i32 {
entry:
  %c: i1 = ult i32 %a, 3
  branch %c, few, many
few:
  jump end(1)
many:
  jump end(2)
end(%r: i32):
  return %r
}
func @main() -> i32 {
entry:
  %x: i32 = call @klee_int(i64 @name)
  jump head(0, 0)
head(%i: i32, %n: i32):
  %more: i1 = ult i32 %i, 3
  branch %more, body, out
body:
  %bit: i32 = lshr %x, %i
  %low: i32 = and %bit, 1
  %set: i1 = eq i32 %low, 1
  branch %set, one, zero
one:
  %more1: i32 = add %n, 1
  jump next(%more1)
zero:
  jump next(%n)
next(%m: i32):
  %j: i32 = add %i, 1
  jump head(%j, %m)
out:
  %o: i32 = call @other(i32 %n)
  return %o
}
"#;

#[derive(Default)]
struct Seen {
    arrivals: Vec<(String, Arrival)>,
    /// How often each node was announced as a child, and was gone.
    made: HashMap<NodeId, u32>,
    gone: HashMap<NodeId, u32>,
    ended: u64,
    partly: u64,
}

/// What the feature rules at a join.
#[derive(Clone, Copy, PartialEq)]
enum Rule {
    GoOn,
    Park,
    /// Only the first state that arrives at a join for each number of forks goes on.
    SubsumeLater,
    Replace,
}

struct Probe {
    seen: Arc<Mutex<Seen>>,
    rule: Rule,
    stops: Arrival,
    depths: Vec<u64>,
}

impl Feature for Probe {
    fn name(&self) -> &'static str {
        "probe"
    }

    fn wants(&self) -> Wants {
        Wants {
            pending: false,
            tree: true,
            reasons: false,
        }
    }

    fn stops(&self, program: &Program, function: FuncId) -> Arrival {
        match program.function(function).name.as_str() {
            "main" => self.stops,
            _ => Arrival::NOWHERE,
        }
    }

    fn on(&mut self, moment: &mut Moment<'_>, _context: &mut Context<'_>) {
        let mut seen = self.seen.lock().expect("no worker panics");
        match moment {
            Moment::Forked { children, .. } => {
                for child in *children {
                    *seen.made.entry(*child).or_default() += 1;
                }
            }
            Moment::Ended { .. } => seen.ended += 1,
            Moment::SubtreeDone(node) => *seen.gone.entry(*node).or_default() += 1,
            Moment::SubtreeGone(node) => {
                *seen.gone.entry(*node).or_default() += 1;
                seen.partly += 1;
            }
            Moment::Pending { .. }
            | Moment::Infeasible { .. }
            | Moment::Assumed { .. }
            | Moment::Chose { .. }
            | Moment::Cut { .. }
            | Moment::Left { .. } => {}
        }
    }

    fn arrived(&mut self, state: &State, at: &Arrived, context: &mut Context<'_>) -> Ruling {
        let program = context.shared.program_now();
        let name = program.function(at.function).name.clone();
        let mut seen = self.seen.lock().expect("no worker panics");
        seen.arrivals.push((name, at.arrival));
        match self.rule {
            Rule::GoOn => Ruling::GoOn,
            // It arrives here again only after it ran on.
            Rule::Park => Ruling::Park,
            Rule::SubsumeLater => {
                let executed = state.thread.executed;
                if self.depths.contains(&executed) {
                    return Ruling::Subsumed(SubsumedBy {
                        feature: "probe",
                        entry: executed,
                    });
                }
                self.depths.push(executed);
                Ruling::GoOn
            }
            Rule::Replace => Ruling::Replace(Box::new(state.clone())),
        }
    }
}

fn explore(rule: Rule, stops: Arrival, jobs: usize, search: &str) -> (Exploration, Seen) {
    let program = cairn_ir::text::parse(PROGRAM).expect("the program is right");
    let config = Config {
        jobs,
        search: search.parse().expect("a list of searchers"),
        ..Config::default()
    };
    let seen: Arc<Mutex<Seen>> = Arc::default();
    let kept = Arc::clone(&seen);
    let explorer = Explorer::new(Arc::new(program), config, Box::new(Silent));
    let explorer = explorer.with_feature(Box::new(move || {
        Box::new(Probe {
            seen: Arc::clone(&kept),
            rule,
            stops,
            depths: Vec::new(),
        })
    }));
    let result = explorer.run().expect("it starts");
    drop(explorer);
    let seen = std::mem::take(&mut *seen.lock().expect("all workers have ended"));
    (result, seen)
}

const JOINS: Arrival = Arrival {
    join: true,
    ..Arrival::NOWHERE
};

/// Every node that was announced as a child is gone exactly once; the root is gone once too, unannounced.
fn check_tree(seen: &Seen) {
    for (node, times) in &seen.made {
        assert_eq!(*times, 1, "{node:?} was made twice");
        assert_eq!(seen.gone.get(node), Some(&1), "{node:?} is gone once");
    }
    assert!(seen.gone.values().all(|times| *times == 1));
}

#[test]
fn states_stop_where_a_feature_asked_and_nowhere_else() {
    let (without, seen) = explore(Rule::GoOn, Arrival::NOWHERE, 1, "dfs");
    assert!(seen.arrivals.is_empty());
    assert_eq!(without.completed, 8);
    check_tree(&seen);
    let heads = Arrival {
        loop_head: true,
        ..Arrival::NOWHERE
    };
    let (with, seen) = explore(Rule::GoOn, heads, 1, "dfs");
    // The paths and what they execute are the same; 1 arrival from outside, then one after each of the
    // 2 + 4 + 8 bodies.
    assert_eq!(with.completed, 8);
    assert_eq!(with.instructions, without.instructions);
    assert_eq!(seen.arrivals.len(), 1 + 2 + 4 + 8);
    assert!(
        seen.arrivals
            .iter()
            .all(|(name, at)| name == "main" && at.loop_head)
    );
    let (_, seen) = explore(Rule::GoOn, JOINS, 1, "dfs");
    let exits = seen.arrivals.iter().filter(|(_, at)| at.loop_exit).count();
    // Joins are the loop's head and the block after both ways of the body.
    assert_eq!(seen.arrivals.len(), (1 + 2 + 4 + 8) + (2 + 4 + 8));
    assert_eq!(exits, 0);
    let outs = Arrival {
        loop_exit: true,
        ..Arrival::NOWHERE
    };
    let (_, seen) = explore(Rule::GoOn, outs, 1, "dfs");
    assert_eq!(seen.arrivals.len(), 8);
}

#[test]
fn parked_states_are_not_lost() {
    for search in ["dfs", "bfs", "random-path", "random-state"] {
        let (result, seen) = explore(Rule::Park, JOINS, 1, search);
        assert_eq!((result.completed, result.stopped), (8, 0), "{search}");
        assert!(result.incomplete.is_empty(), "{search}");
        check_tree(&seen);
    }
}

#[test]
fn subsumed_states_end_and_are_counted() {
    let (result, seen) = explore(Rule::SubsumeLater, JOINS, 1, "dfs");
    assert!(result.subsumed > 0);
    assert_eq!(result.completed + result.subsumed, seen.ended);
    assert!(result.completed < 8);
    check_tree(&seen);
}

#[test]
fn a_state_that_replaces_another_goes_on_in_its_place() {
    let (result, seen) = explore(Rule::Replace, JOINS, 1, "dfs");
    assert_eq!(result.completed, 8);
    check_tree(&seen);
}

#[test]
fn with_several_workers_all_paths_end_once() {
    for _ in 0..20 {
        let (result, seen) = explore(Rule::Park, JOINS, 3, "dfs");
        assert_eq!((result.completed, seen.ended), (8, 8));
    }
}

/// Branches that earlier ones decide, about one input byte, about two, and about an address.
const DECIDED: &str = r#"
global @name { bytes "x\00" }
extern func @klee_int(i64) -> i32
func @main() -> i32 {
entry:
  %x: i32 = call @klee_int(i64 @name)
  %y: i32 = call @klee_int(i64 @name)
  %a: i1 = ult i32 %x, 7
  branch %a, low, end
low:
  %b: i1 = ult i32 %y, %x
  branch %b, less, end
less:
  %c: i1 = ult i32 %y, 9
  branch %c, again, never
again:
  %d: i1 = ult i32 %x, 7
  branch %d, end, never
never:
  return 1
end:
  return 0
}
"#;

/// A run whose reasons a second solver checks, with a fact dropped from one core in so many.
fn reasons(drop_one_in: Option<usize>) -> Exploration {
    let program = cairn_ir::text::parse(DECIDED).expect("the program is right");
    let config = Config {
        check_reasons: true,
        drop_from_reasons: drop_one_in,
        ..Config::default()
    };
    let explorer = Explorer::new(Arc::new(program), config, Box::new(Silent));
    explorer.run().expect("it starts")
}

#[test]
fn reasons_hold_and_one_that_lacks_a_fact_is_seen() {
    let right = reasons(None);
    assert_eq!(right.completed, 3);
    let proved: u64 = right.reasons.proved.values().sum();
    assert!(proved >= 2, "{:?}", right.reasons);
    assert!(right.reasons.flawed.is_empty() && right.bugs.is_empty());
    let wrong = reasons(Some(1));
    assert_eq!(wrong.completed, 3);
    let mut flawed = wrong.reasons.flawed.iter();
    assert!(flawed.any(|f| f.kind != ReasonKind::Concrete) && !wrong.bugs.is_empty());
}

/// An address that is in one of two objects: that it has only one value in the first is refuted at once, whether it can be in the
/// other is a question about a product of primes, for which the step is postponed.
const POSTPONED: &str = r#"
global @x { bytes "x\00" }
global @a align 32 size 8
global @b align 32 size 8
extern func @klee_int(i64) -> i32
extern func @__VERIFIER_nondet_ulong() -> i64
extern func @__VERIFIER_assume(i32)
func @main() -> i32 {
entry:
  %p: i32 = call @klee_int(i64 @x)
  %q: i32 = call @klee_int(i64 @x)
  %m: i32 = call @klee_int(i64 @x)
  %s: i32 = call @klee_int(i64 @x)
  %right: i1 = ult i32 %s, 7
  branch %right, go, end
go:
  %low: i32 = and %p, 1048575
  %high: i32 = and %q, 1048575
  %x: i64 = zext i32 %low
  %y: i64 = zext i32 %high
  %product: i64 = mul %x, %y
  %hard: i1 = eq i64 %product, 68715282487
  %one: i64 = zext i1 %hard
  %wide: i64 = zext i32 %m
  %some: i64 = and %wide, 1
  %times: i64 = mul %one, %some
  %offset: i64 = shl %times, 5
  %n: i64 = call @__VERIFIER_nondet_ulong()
  %from: i64 = sub %n, @a
  %same: i1 = eq i64 %from, %offset
  %is: i32 = zext i1 %same
  call @__VERIFIER_assume(i32 %is)
  %v: i32 = load %n
  return %v
end:
  %t: i1 = ult i32 %s, 9
  branch %t, few, many
few:
  return 1
many:
  return 2
}
"#;

/// Of the reasons that are told: how many there are, and how many are about the facts of another state.
#[derive(Clone, Copy, Default)]
struct Told {
    reasons: u64,
    strange: u64,
}

struct ListensForReasons(Arc<Mutex<Told>>);

impl Feature for ListensForReasons {
    fn name(&self) -> &'static str {
        "listens for reasons"
    }

    fn wants(&self) -> Wants {
        Wants {
            reasons: true,
            ..Wants::default()
        }
    }

    fn on(&mut self, moment: &mut Moment<'_>, _context: &mut Context<'_>) {
        if let Moment::Infeasible { state, reason } = moment {
            let facts = state.facts();
            let is_its = facts.is_empty() || reason.facts.prefixes().any(|list| list.same(facts));
            let mut told = self.0.lock().expect("no worker panics");
            told.reasons += 1;
            told.strange += u64::from(!is_its);
        }
    }
}

#[test]
fn reasons_are_told_of_their_state_though_its_step_is_postponed() {
    let told: Arc<Mutex<Told>> = Arc::default();
    for search in ["dfs", "bfs"] {
        let program = cairn_ir::text::parse(POSTPONED).expect("the program is right");
        let config = Config {
            search: search.parse().expect("a searcher"),
            ..Config::default()
        };
        let explorer = Explorer::new(Arc::new(program), config, Box::new(Silent));
        let kept = Arc::clone(&told);
        let explorer = explorer.with_feature(Box::new(move || {
            Box::new(ListensForReasons(Arc::clone(&kept)))
        }));
        let result = explorer.run().expect("it starts");
        assert_eq!(
            result.completed, 4,
            "both objects, and the two small numbers"
        );
    }
    let told = *told.lock().expect("all workers have ended");
    assert!(told.reasons > 4, "some while the step was postponed");
    assert_eq!(told.strange, 0);
}
