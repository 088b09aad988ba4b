//! Graph analyses against their definitions, on thousands of small random graphs.

mod common;

use std::collections::BTreeSet;

use cairn_ir::analysis::cfg::{Cfg, Graph};
use cairn_ir::analysis::dominators::{DomTree, Dominators, PostDominators};
use cairn_ir::analysis::liveness::Liveness;
use cairn_ir::analysis::loops::{LoopId, Loops};
use cairn_ir::{BlockId, Body, Local};
use cairn_random::Random;
use common::{body_of_edges, program, random_edges};

type Set = BTreeSet<u32>;

/// What is reached from some nodes without entering `avoid`.
fn reach(edges: &[(u32, u32)], from: impl IntoIterator<Item = u32>, avoid: Option<u32>) -> Set {
    let mut seen: Set = from.into_iter().filter(|n| Some(*n) != avoid).collect();
    loop {
        let more: Vec<u32> = edges
            .iter()
            .filter(|(a, b)| seen.contains(a) && !seen.contains(b) && Some(*b) != avoid)
            .map(|e| e.1)
            .collect();
        if more.is_empty() {
            return seen;
        }
        seen.extend(more);
    }
}

fn reversed(edges: &[(u32, u32)]) -> Vec<(u32, u32)> {
    edges.iter().map(|&(a, b)| (b, a)).collect()
}

/// Runs a test on random graphs: nodes, edges (maybe with repetitions), and their body.
fn graphs(count: u64, mut test: impl FnMut(usize, &[(u32, u32)], &Body)) {
    for seed in 0..count {
        let mut rng = Random::new(seed);
        // Some are larger, for long paths to be compressed.
        let nodes = 1 + rng.below(if seed % 10 == 9 { 24 } else { 9 });
        let wanted = rng.below(2 * nodes + 2);
        let edges = random_edges(&mut rng, nodes, wanted, seed % 4 < 2);
        test(nodes, &edges, &body_of_edges(nodes, &edges));
    }
}

#[test]
fn edges_and_orders() {
    graphs(4000, |nodes, edges, body| {
        let cfg = Cfg::new(body);
        let distinct: BTreeSet<_> = edges.iter().copied().collect();
        let found: Vec<_> = cfg.graph().edges().collect();
        assert_eq!(found.len(), distinct.len());
        assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), distinct);
        for node in 0..nodes as u32 {
            let preds: Set = cfg.predecessors(BlockId(node)).map(|b| b.0).collect();
            let expected: Set = edges.iter().filter(|e| e.1 == node).map(|e| e.0).collect();
            assert_eq!(preds, expected);
            assert_eq!(cfg.graph().predecessors(node).len(), expected.len());
        }
        let reached = reach(edges, [0], None);
        let order: Vec<u32> = cfg.reverse_postorder().map(|b| b.0).collect();
        assert_eq!(order.iter().copied().collect::<Set>(), reached);
        assert_eq!(order.len(), reached.len());
        assert_eq!(order[0], 0);
        for node in 0..nodes as u32 {
            assert_eq!(cfg.is_reachable(BlockId(node)), reached.contains(&node));
        }
        // Without cycles it is a topological order.
        let cyclic = |n: u32| {
            let next = edges.iter().filter(|e| e.0 == n).map(|e| e.1);
            reach(edges, next, None).contains(&n)
        };
        if !reached.iter().any(|n| cyclic(*n)) {
            for (a, b) in edges.iter().filter(|e| reached.contains(&e.0)) {
                assert!(cfg.position(BlockId(*a)) < cfg.position(BlockId(*b)));
            }
        }
    });
}

#[test]
fn components_are_what_reaches_each_other() {
    graphs(4000, |nodes, edges, body| {
        let graph = Cfg::new(body);
        let components = graph.graph().components();
        let from: Vec<Set> = (0..nodes as u32).map(|n| reach(edges, [n], None)).collect();
        let mut place = vec![usize::MAX; nodes];
        for (i, component) in components.iter().enumerate() {
            for node in component {
                assert_eq!(place[*node as usize], usize::MAX);
                place[*node as usize] = i;
            }
        }
        for a in 0..nodes {
            for b in 0..nodes {
                let both = from[a].contains(&(b as u32)) && from[b].contains(&(a as u32));
                assert_eq!(both, place[a] == place[b]);
                if from[a].contains(&(b as u32)) {
                    assert!(place[a] >= place[b]);
                }
            }
        }
    });
}

/// Checks a tree against: `a` dominates `b` if `b` is not reached without `a`.
fn check_tree(tree: &DomTree, nodes: usize, edges: &[(u32, u32)], root: u32) {
    let reached = reach(edges, [root], None);
    let without: Vec<Set> = (0..nodes as u32)
        .map(|a| reach(edges, [root], Some(a)))
        .collect();
    let dominates = |a: u32, b: u32| {
        reached.contains(&a) && reached.contains(&b) && !without[a as usize].contains(&b)
    };
    for a in 0..nodes as u32 {
        for b in 0..nodes as u32 {
            assert_eq!(tree.dominates(a, b), dominates(a, b), "{a} {b} {edges:?}");
            assert_eq!(tree.strictly_dominates(a, b), a != b && dominates(a, b));
            let common = (0..nodes as u32)
                .filter(|c| dominates(*c, a) && dominates(*c, b))
                .max_by_key(|c| (0..nodes as u32).filter(|d| dominates(*d, *c)).count());
            assert_eq!(tree.common(a, b), common);
        }
        // The immediate dominator is the strict one that all others dominate.
        let strict: Vec<u32> = (0..nodes as u32)
            .filter(|s| *s != a && dominates(*s, a))
            .collect();
        let immediate = strict
            .iter()
            .copied()
            .find(|i| strict.iter().all(|s| dominates(*s, *i)));
        assert_eq!(tree.immediate(a), immediate, "{a} {edges:?}");
        assert_eq!(tree.is_reachable(a), reached.contains(&a));
        if reached.contains(&a) {
            assert_eq!(tree.depth(a) as usize, strict.len());
        }
    }
}

#[test]
fn dominators_are_what_every_path_passes() {
    graphs(6000, |nodes, edges, body| {
        let cfg = Cfg::new(body);
        let dominators = Dominators::new(&cfg);
        let tree = dominators.tree().unwrap();
        check_tree(tree, nodes, edges, 0);
        // Any root will do.
        let root = nodes as u32 - 1;
        check_tree(
            &DomTree::new(&Graph::new(nodes, edges), root),
            nodes,
            edges,
            root,
        );
    });
}

#[test]
fn post_dominators_are_what_every_path_to_the_exit_passes() {
    let mut assumed = 0;
    graphs(6000, |nodes, edges, body| {
        let cfg = Cfg::new(body);
        let post = PostDominators::new(&cfg);
        // The exit, after what has no successors and after one node of each infinite loop.
        let exit = nodes as u32;
        let mut all = edges.to_vec();
        let stuck: Vec<Set> = (0..nodes as u32)
            .map(|n| reach(edges, [n], None))
            .filter(|set| set.iter().all(|n| reach(edges, [*n], None) == *set))
            .collect();
        let infinite: BTreeSet<Set> = stuck
            .into_iter()
            .filter(|set| edges.iter().any(|(a, _)| set.contains(a)))
            .collect();
        assert_eq!(infinite.len(), post.assumed_exits().len());
        for set in &infinite {
            let chosen: Vec<_> = post
                .assumed_exits()
                .iter()
                .filter(|b| set.contains(&b.0))
                .collect();
            assert_eq!(chosen.len(), 1);
            let position = cfg.position(*chosen[0]);
            for other in set {
                let other = cfg.position(BlockId(*other));
                assert!(other.is_none() || position.is_some() && position <= other);
            }
            all.push((chosen[0].0, exit));
        }
        assumed += infinite.len();
        for node in 0..exit {
            if !edges.iter().any(|e| e.0 == node) {
                all.push((node, exit));
            }
        }
        let back = reversed(&all);
        assert_eq!(reach(&back, [exit], None).len(), nodes + 1);
        let without: Vec<Set> = (0..exit).map(|a| reach(&back, [exit], Some(a))).collect();
        for a in 0..exit {
            for b in 0..exit {
                let expected = !without[a as usize].contains(&b);
                assert_eq!(post.post_dominates(BlockId(a), BlockId(b)), expected);
            }
        }
        for a in 0..exit {
            let strict: Vec<u32> = (0..exit)
                .filter(|s| *s != a && !without[*s as usize].contains(&a))
                .collect();
            let immediate = strict
                .iter()
                .find(|i| strict.iter().all(|s| !without[*s as usize].contains(i)));
            assert_eq!(post.immediate(BlockId(a)), immediate.map(|i| BlockId(*i)));
            for b in 0..exit {
                let common = (0..exit)
                    .filter(|c| [a, b].iter().all(|n| !without[*c as usize].contains(n)))
                    .max_by_key(|c| {
                        (0..exit)
                            .filter(|d| !without[*d as usize].contains(c))
                            .count()
                    });
                assert_eq!(post.common(BlockId(a), BlockId(b)), common.map(BlockId));
            }
        }
    });
    assert!(assumed > 500);
}

/// The edges of a graph between nodes that are reached, and which of them are back edges by definition: their
/// target dominates their source.
struct ReachedEdges {
    all: Vec<(u32, u32)>,
    back: Vec<(u32, u32)>,
}

impl ReachedEdges {
    fn new(edges: &[(u32, u32)], dominators: &Dominators) -> ReachedEdges {
        let reached = reach(edges, [0], None);
        let all: Vec<(u32, u32)> = edges
            .iter()
            .copied()
            .filter(|(a, b)| reached.contains(a) && reached.contains(b))
            .collect();
        let dominates = |a: u32, b: u32| dominators.dominates(BlockId(a), BlockId(b));
        let back = all.iter().copied();
        let back = back.filter(|(a, b)| dominates(*b, *a)).collect();
        ReachedEdges { all, back }
    }

    /// The headers of loops: the targets of back edges.
    fn headers(&self) -> Set {
        self.back.iter().map(|e| e.1).collect()
    }

    /// The sources of back edges to a header.
    fn latches(&self, header: u32) -> Set {
        let to_it = self.back.iter().filter(|(_, b)| *b == header);
        to_it.map(|e| e.0).collect()
    }

    /// The edges that are no back edges.
    fn forward(&self) -> Vec<(u32, u32)> {
        let edges = self.all.iter().copied();
        edges.filter(|edge| !self.back.contains(edge)).collect()
    }
}

/// Whether some edge lies on a cycle.
fn is_cyclic(edges: &[(u32, u32)]) -> bool {
    edges
        .iter()
        .any(|(a, b)| reach(edges, [*b], None).contains(a))
}

/// Checks one loop against its definition; the result is its blocks.
fn check_loop(edges: &ReachedEdges, loops: &Loops, id: LoopId, nodes: usize) -> Set {
    let natural = loops.get(id);
    let header = natural.header.0;
    let latches = edges.latches(header);
    let mut blocks = reach(&reversed(&edges.all), latches.clone(), Some(header));
    blocks.insert(header);
    let found = loops.blocks(id);
    assert_eq!(
        found.iter().map(|b| b.0).collect::<Set>(),
        blocks,
        "{:?}",
        edges.all
    );
    assert_eq!(found.len(), blocks.len());
    assert_eq!(found[0].0, header);
    assert_eq!(
        natural.latches.iter().map(|b| b.0).collect::<Set>(),
        latches
    );
    assert_eq!(loops.of_header(natural.header), Some(id));
    let exits: BTreeSet<_> = edges
        .all
        .iter()
        .copied()
        .filter(|(a, b)| blocks.contains(a) && !blocks.contains(b))
        .collect();
    let found: BTreeSet<_> = natural.exits.iter().map(|(a, b)| (a.0, b.0)).collect();
    assert_eq!(found, exits);
    assert_eq!(natural.exits.len(), exits.len());
    for node in 0..nodes as u32 {
        assert_eq!(loops.contains(id, BlockId(node)), blocks.contains(&node));
    }
    blocks
}

/// Checks which loop is inside of which; the result is the sum of their depths.
fn check_nesting(loops: &Loops, bodies: &[(LoopId, Set)], nodes: usize) -> usize {
    let mut nested = 0;
    for (id, blocks) in bodies {
        // The smallest other loop that contains it.
        let around = bodies
            .iter()
            .filter(|(i, b)| i != id && b.is_superset(blocks));
        let depth = around.clone().count();
        let parent = around.min_by_key(|(_, b)| b.len()).map(|(i, _)| *i);
        assert_eq!(loops.get(*id).parent, parent);
        assert_eq!(loops.get(*id).depth as usize, depth);
        nested += depth;
    }
    for node in 0..nodes as u32 {
        let around = bodies.iter().filter(|(_, b)| b.contains(&node));
        let smallest = around.min_by_key(|(_, b)| b.len()).map(|(i, _)| *i);
        assert_eq!(loops.innermost(BlockId(node)), smallest);
    }
    nested
}

/// Checks the edges that make a graph irreducible: there are some if cycles are left once the back edges are taken
/// away, and without them there are none. The result is whether there are some.
fn check_irreducible_edges(edges: &ReachedEdges, loops: &Loops) -> bool {
    let forward = edges.forward();
    let cyclic = is_cyclic(&forward);
    let reported = loops.irreducible_edges();
    assert_eq!(reported.is_empty(), !cyclic, "{:?}", edges.all);
    let rest: Vec<_> = forward
        .into_iter()
        .filter(|(a, b)| !reported.contains(&(BlockId(*a), BlockId(*b))))
        .collect();
    assert!(!is_cyclic(&rest));
    cyclic
}

#[test]
fn loops_are_what_reaches_back_edges() {
    let (mut nested, mut irreducible) = (0, 0);
    graphs(8000, |nodes, edges, body| {
        let cfg = Cfg::new(body);
        let dominators = Dominators::new(&cfg);
        let loops = Loops::new(&cfg, &dominators);
        let edges = ReachedEdges::new(edges, &dominators);
        let headers = edges.headers();
        assert_eq!(
            loops.iter().map(|(_, l)| l.header.0).collect::<Set>(),
            headers
        );
        assert_eq!(loops.len(), headers.len());
        let ids = loops.iter().map(|(id, _)| id);
        let bodies: Vec<(LoopId, Set)> = ids
            .map(|id| (id, check_loop(&edges, &loops, id, nodes)))
            .collect();
        nested += check_nesting(&loops, &bodies, nodes);
        irreducible += usize::from(check_irreducible_edges(&edges, &loops));
    });
    assert!(nested > 300 && irreducible > 300, "{nested} {irreducible}");
}

/// Live into `block` by definition: a path from its start reads the local before defining it.
fn is_live_in(body: &Body, edges: &[(u32, u32)], block: u32, local: Local) -> bool {
    let defines = |b: u32| {
        let block = &body.blocks[b as usize];
        let results = block.insts.iter().flat_map(|(inst, _)| inst.results());
        block.params.iter().chain(results).any(|l| *l == local)
    };
    // Definitions dominate uses, so a block that defines a local does not read it before.
    let reads = |b: u32| {
        let block = &body.blocks[b as usize];
        let mut found = false;
        for (inst, _) in &block.insts {
            inst.for_each_use(|l| found |= l == local);
        }
        block.terminator.0.for_each_use(|l| found |= l == local);
        found && !defines(b)
    };
    let passing: Vec<_> = edges
        .iter()
        .copied()
        .filter(|(a, b)| !defines(*a) && !defines(*b))
        .collect();
    !defines(block) && reach(&passing, [block], None).iter().any(|b| reads(*b))
}

#[test]
fn liveness_is_a_path_to_a_use() {
    let mut live = 0;
    for seed in 0..2500 {
        let program = program(&mut Random::new(seed), false);
        for body in program.functions.iter().filter_map(|f| f.body.as_ref()) {
            let cfg = Cfg::new(body);
            let edges: Vec<_> = cfg.graph().edges().collect();
            let liveness = Liveness::new(body, &cfg);
            for block in (0..body.blocks.len() as u32).map(BlockId) {
                let expected: Vec<Local> = (0..body.widths.len())
                    .map(Local::new)
                    .filter(|l| is_live_in(body, &edges, block.0, *l))
                    .collect();
                assert_eq!(liveness.live_in(block), expected);
                let mut out: Vec<Local> = cfg
                    .successors(block)
                    .flat_map(|b| liveness.live_in(b).to_vec())
                    .collect();
                out.sort_unstable();
                out.dedup();
                assert_eq!(liveness.live_out(block), out);
                for local in (0..body.widths.len()).map(Local::new) {
                    assert_eq!(liveness.is_live_in(block, local), expected.contains(&local));
                    assert_eq!(liveness.is_live_out(block, local), out.contains(&local));
                }
                live += expected.len();
                // At the start what is live are the live-in locals and the parameters in use.
                let start = liveness.live_before(body, block, 0);
                let params = &body.block(block).params;
                let without: Vec<Local> = start
                    .iter()
                    .copied()
                    .filter(|l| !params.contains(l))
                    .collect();
                assert_eq!(without, expected);
                // Step by step: live before is what is live after, less results, and the uses.
                for (i, (inst, _)) in body.block(block).insts.iter().enumerate() {
                    let mut step = liveness.live_before(body, block, i + 1);
                    step.retain(|l| !inst.results().contains(l));
                    inst.for_each_use(|l| step.push(l));
                    step.sort_unstable();
                    step.dedup();
                    assert_eq!(liveness.live_before(body, block, i), step);
                }
            }
        }
    }
    assert!(live > 1000, "{live}");
}

#[test]
fn wild_bodies_do_not_make_analyses_panic() {
    for seed in 0..2000 {
        let program = program(&mut Random::new(seed), true);
        for body in program.functions.iter().filter_map(|f| f.body.as_ref()) {
            let cfg = Cfg::new(body);
            let dominators = Dominators::new(&cfg);
            let _ = Loops::new(&cfg, &dominators);
            let _ = PostDominators::new(&cfg);
            let liveness = Liveness::new(body, &cfg);
            let _ = liveness.live_in(BlockId(0)).len();
        }
    }
    let empty = Body::default();
    let cfg = Cfg::new(&empty);
    assert!(Loops::new(&cfg, &Dominators::new(&cfg)).is_empty());
    let _ = PostDominators::new(&cfg);
    let _ = Liveness::new(&empty, &cfg);
}

#[test]
fn long_ladders_are_no_problem() {
    // A chain whose every node also goes to the last, and one that goes back to the first.
    let nodes = 200_000u32;
    let mut edges: Vec<_> = (0..nodes - 1).map(|n| (n, n + 1)).collect();
    edges.extend((0..nodes).map(|n| (n, nodes - 1)));
    edges.extend((2..nodes).map(|n| (n, 1)));
    let graph = Graph::new(nodes as usize, &edges);
    let tree = DomTree::new(&graph, 0);
    assert_eq!(tree.immediate(nodes - 1), Some(0));
    assert_eq!(tree.immediate(2), Some(1));
    assert_eq!(graph.components().len(), 2);
}
