//! Distances and call graphs against runs over explicit stacks, on small random programs.

mod common;

use std::collections::{HashSet, VecDeque};
use std::time::Instant;

use cairn_ir::analysis::callgraph::CallGraph;
use cairn_ir::analysis::distance::{Distances, Point};
use cairn_ir::text::parse;
use cairn_ir::verify::verify;
use cairn_ir::*;
use cairn_random::Random;
use common::{body_of_edges, program, random_edges};

/// Functions of two signatures (one parameter of 64 bits, or none) that call each other.
fn callers(rng: &mut Random) -> Program {
    let mut program = Program::new();
    let count = 1 + rng.below(3);
    for i in 0..count {
        let params = if rng.chance(70) { vec![64] } else { Vec::new() };
        program.functions.push(Function {
            name: format!("f{i}"),
            params,
            results: Vec::new(),
            variadic: false,
            place: PlaceId::UNKNOWN,
            body: None,
        });
    }
    for i in 0..count {
        if i > 0 && rng.chance(15) {
            continue;
        }
        let nodes = 1 + rng.below(4);
        let wanted = rng.below(2 * nodes);
        let edges = random_edges(rng, nodes, wanted, true);
        let mut body = body_of_edges(nodes, &edges);
        let params = program.functions[i].params.clone();
        body.blocks[0].params = params.iter().map(|w| body.local(*w)).collect();
        for block in &mut body.blocks {
            if matches!(block.terminator.0, Terminator::Return(_)) && rng.chance(25) {
                block.terminator.0 = Terminator::Stop;
            }
            for _ in 0..rng.below(3) {
                let inst = inst(rng, &program, !params.is_empty());
                block.insts.push((inst, PlaceId::UNKNOWN));
            }
        }
        program.functions[i].body = Some(body);
    }
    program
}

fn inst(rng: &mut Random, program: &Program, has_param: bool) -> Inst {
    let target = FuncId::new(rng.below(program.functions.len()));
    let params = &program.function(target).params;
    let args = params.iter().map(|w| (Operand::Int(0), *w)).collect();
    let callee = match rng.below(4) {
        0 => Callee::Direct(target),
        1 if has_param => Callee::Indirect(Local(0)),
        2 => {
            return Inst::StackRestore {
                mark: Operand::Address(Symbol::Function(target), 0),
            };
        }
        _ => {
            return Inst::StackRestore {
                mark: Operand::Int(0),
            };
        }
    };
    Inst::Call(Box::new(Call {
        callee,
        args,
        variadic: Vec::new(),
        results: Vec::new(),
    }))
}

type Frame = (usize, usize, usize);

/// The functions that a call may reach, by definition.
fn reached(program: &Program, call: &Call) -> Vec<usize> {
    if let Callee::Direct(id) = call.callee {
        return vec![id.index()];
    }
    let taken = |f: usize| {
        let address = Operand::Address(Symbol::Function(FuncId::new(f)), 0);
        let bodies = program.functions.iter().filter_map(|f| f.body.as_ref());
        let mut insts = bodies.flat_map(|b| b.blocks.iter().flat_map(|b| &b.insts));
        insts.any(|(inst, _)| matches!(inst, Inst::StackRestore { mark } if *mark == address))
    };
    let widths: Vec<u32> = call.args.iter().map(|a| a.1).collect();
    (0..program.functions.len())
        .filter(|f| taken(*f) && program.functions[*f].params == widths)
        .collect()
}

/// What one step from a stack (innermost last) may lead to.
fn steps(program: &Program, stack: &[Frame]) -> Vec<Vec<Frame>> {
    let Some((&(f, b, i), rest)) = stack.split_last() else {
        return Vec::new();
    };
    let block = &program.functions[f].body.as_ref().unwrap().blocks[b];
    let at = |frames: &[Frame]| {
        let mut next = rest.to_vec();
        next.extend_from_slice(frames);
        next
    };
    match block.insts.get(i) {
        Some((Inst::Call(call), _)) => {
            let targets = reached(program, call);
            let has_body = |t: &usize| program.functions[*t].body.is_some();
            let mut next: Vec<_> = targets
                .iter()
                .filter(|t| has_body(t))
                .map(|t| at(&[(f, b, i + 1), (*t, 0, 0)]))
                .collect();
            if targets.is_empty() || !targets.iter().all(has_body) {
                next.push(at(&[(f, b, i + 1)]));
            }
            next
        }
        Some(_) => vec![at(&[(f, b, i + 1)])],
        None => match &block.terminator.0 {
            Terminator::Return(_) => vec![rest.to_vec()],
            other => other
                .targets()
                .map(|t| at(&[(f, t.block.index(), 0)]))
                .collect(),
        },
    }
}

/// The least number of steps from a stack to a goal. A shortest way never has a function twice
/// above the given frames, which bounds the stacks to look at.
fn shortest(program: &Program, start: &[Frame], goal: impl Fn(&[Frame]) -> bool) -> Option<u64> {
    let limit = start.len() + program.functions.len();
    let mut seen = HashSet::from([start.to_vec()]);
    let mut queue = VecDeque::from([(start.to_vec(), 0)]);
    while let Some((stack, steps_so_far)) = queue.pop_front() {
        if goal(&stack) {
            return Some(steps_so_far);
        }
        for next in steps(program, &stack) {
            if next.len() <= limit && seen.insert(next.clone()) {
                queue.push_back((next, steps_so_far + 1));
            }
        }
    }
    None
}

fn blocks(program: &Program) -> Vec<(usize, usize)> {
    let functions = program.functions.iter().enumerate();
    functions
        .flat_map(|(f, function)| {
            let count = function.body.as_ref().map_or(0, |b| b.blocks.len());
            (0..count).map(move |b| (f, b))
        })
        .collect()
}

fn point((f, b, i): Frame) -> Point {
    Point {
        function: FuncId::new(f),
        block: BlockId::new(b),
        inst: i as u32,
    }
}

#[test]
fn distances_are_shortest_runs() {
    let (mut found, mut unreachable) = (0, 0);
    for seed in 0..1500 {
        let mut rng = Random::new(seed);
        let program = callers(&mut rng);
        verify(&program).unwrap();
        let all = blocks(&program);
        let mut uncovered: Vec<_> = all.iter().copied().filter(|_| rng.chance(25)).collect();
        let calls = CallGraph::new(&program);
        let is_in =
            |list: &[(usize, usize)], f: FuncId, b: BlockId| list.contains(&(f.index(), b.index()));
        let mut distances = Distances::new(&program, &calls, |f, b| is_in(&uncovered, f, b));
        loop {
            let new = |stack: &[Frame]| matches!(stack.last(), Some((f, b, 0)) if uncovered.contains(&(*f, *b)));
            for &(f, b) in &all {
                let (function, block) = (FuncId::new(f), BlockId::new(b));
                let expected = shortest(&program, &[(f, b, 0)], new);
                assert_eq!(
                    distances.to_uncovered(function, block),
                    expected,
                    "seed {seed}"
                );
                let expected = shortest(&program, &[(f, b, 0)], <[Frame]>::is_empty);
                assert_eq!(
                    distances.to_return(function, block),
                    expected,
                    "seed {seed}"
                );
                found += 1;
                unreachable += usize::from(expected.is_none());
            }
            for _ in 0..4 {
                let stack: Vec<Frame> = (0..1 + rng.below(3))
                    .map(|_| {
                        let (f, b) = *rng.pick(&all);
                        let body = program.functions[f].body.as_ref().unwrap();
                        (f, b, rng.below(body.blocks[b].insts.len() + 1))
                    })
                    .collect();
                let expected = shortest(&program, &stack, new);
                let points = stack.iter().rev().copied().map(point);
                assert_eq!(
                    distances.from_stack(points),
                    expected,
                    "seed {seed} {stack:?}"
                );
                let top = *stack.last().unwrap();
                let expected = shortest(&program, &[top], new);
                assert_eq!(
                    distances.from_point(point(top)),
                    expected,
                    "seed {seed} {top:?}"
                );
            }
            if uncovered.is_empty() {
                break;
            }
            let (f, b) = uncovered.swap_remove(rng.below(uncovered.len()));
            assert!(distances.is_uncovered(FuncId::new(f), BlockId::new(b)));
            distances.cover(FuncId::new(f), BlockId::new(b));
        }
    }
    assert!(
        found > 10_000 && unreachable > 1000,
        "{found} {unreachable}"
    );
}

#[test]
fn call_graphs_are_as_defined() {
    for seed in 0..2000 {
        let program = callers(&mut Random::new(seed));
        let calls = CallGraph::new(&program);
        let mut pairs = HashSet::new();
        for (f, function) in program.functions.iter().enumerate() {
            let id = FuncId::new(f);
            let mut sites = calls.sites(id).iter();
            let bodies = function
                .body
                .iter()
                .flat_map(|b| b.blocks.iter().enumerate());
            for (b, block) in bodies {
                for (i, (inst, _)) in block.insts.iter().enumerate() {
                    let Inst::Call(call) = inst else {
                        continue;
                    };
                    let site = sites.next().unwrap();
                    assert_eq!((site.block.index(), site.inst as usize), (b, i));
                    let targets: Vec<usize> =
                        calls.targets(site).iter().map(|t| t.index()).collect();
                    assert_eq!(targets, reached(&program, call));
                    pairs.extend(targets.iter().map(|t| (f, *t)));
                }
            }
            assert!(sites.next().is_none());
        }
        for a in 0..program.functions.len() {
            for b in 0..program.functions.len() {
                let (from, to) = (FuncId::new(a), FuncId::new(b));
                assert_eq!(calls.callees(from).contains(&to), pairs.contains(&(a, b)));
                assert_eq!(calls.callers(to).contains(&from), pairs.contains(&(a, b)));
            }
        }
    }
}

#[test]
fn addresses_in_globals_count_as_taken() {
    let text = "global @t size 16 { at 0 address @a at 8 difference 8 @b - @c }
        extern func @a() extern func @b() extern func @c() extern func @d()
        extern func @e(i8, ...) extern func @g(i8)
        func @main(%p: i64) { x: call @d() call %p() call %p(i8 1 ... i8 1 general)
            stack_restore @e call %p(i8 1) jump y(@g) y(%q: i64): return }";
    let program = parse(text).unwrap();
    verify(&program).unwrap();
    let calls = CallGraph::new(&program);
    let names = |ids: &[FuncId]| -> Vec<String> {
        ids.iter()
            .map(|id| program.function(*id).name.clone())
            .collect()
    };
    assert_eq!(names(calls.address_taken()), ["a", "b", "c", "e", "g"]);
    let main = program.find_function("main").unwrap();
    let sites = calls.sites(main);
    assert_eq!(names(calls.targets(&sites[0])), ["d"]);
    assert_eq!(names(calls.targets(&sites[1])), ["a", "b", "c"]);
    assert_eq!(names(calls.targets(&sites[2])), ["e"]);
    assert_eq!(names(calls.targets(&sites[3])), ["e", "g"]);
}

#[test]
fn costs_do_not_overflow() {
    // Each function calls the next twice: the way through the first has 2^200 instructions.
    let mut text = String::new();
    for i in 0..200 {
        text += &format!(
            "func @f{i}() {{ b: call @f{n}() call @f{n}() return }}\n",
            n = i + 1
        );
    }
    text += "func @f200() { b: return } func @never() { b: jump c c: jump c }
             func @stuck() { b: call @never() jump d d: return }";
    let program = parse(&text).unwrap();
    let calls = CallGraph::new(&program);
    let stuck = program.find_function("stuck").unwrap();
    let last = FuncId(200);
    let mut distances = Distances::new(&program, &calls, |f, b| {
        f == last || (f == stuck && b == BlockId(1))
    });
    assert_eq!(distances.to_return(FuncId(199), BlockId(0)), Some(5));
    assert_eq!(distances.to_return(FuncId(198), BlockId(0)), Some(13));
    assert_eq!(
        distances.to_return(FuncId(0), BlockId(0)),
        Some(u64::MAX - 1)
    );
    assert_eq!(distances.to_uncovered(FuncId(0), BlockId(0)), Some(200));
    assert_eq!(distances.to_return(stuck, BlockId(0)), None);
    assert_eq!(distances.to_uncovered(stuck, BlockId(0)), None);
    distances.cover(last, BlockId(0));
    assert_eq!(distances.to_uncovered(FuncId(0), BlockId(0)), None);
}

#[test]
fn wild_programs_do_not_panic() {
    for seed in 0..2000 {
        let program = program(&mut Random::new(seed), true);
        let calls = CallGraph::new(&program);
        let mut distances = Distances::new(&program, &calls, |_, b| b.0 % 2 == 1);
        for (f, b) in blocks(&program) {
            distances.cover(FuncId::new(f), BlockId::new(b));
            let _ = distances.from_point(point((f, b, 100)));
        }
    }
}

#[test]
fn covering_a_large_program_block_by_block_is_cheap() {
    // 500 functions of 200 blocks, each a ladder that calls the next function.
    let mut text = String::new();
    for f in 0..500 {
        text += &format!("func @f{f}() {{\n");
        for b in 0..199 {
            let call = if b == 100 {
                format!("call @f{}()", (f + 1) % 500)
            } else {
                String::new()
            };
            text += &format!("b{b}: {call} branch 1, b{}, b199\n", b + 1);
        }
        text += "b199: return }\n";
    }
    let start = Instant::now();
    let program = parse(&text).unwrap();
    println!("parsed {} bytes in {:?}", text.len(), start.elapsed());
    let calls = CallGraph::new(&program);
    let start = Instant::now();
    let mut distances = Distances::new(&program, &calls, |_, _| true);
    println!("made in {:?}", start.elapsed());
    let start = Instant::now();
    for (i, (f, b)) in blocks(&program).into_iter().enumerate() {
        // The last block of every tenth function stays.
        if b != 199 || f % 10 != 0 {
            distances.cover(FuncId::new(f), BlockId::new(b));
        }
        if i % 10_000 == 0 {
            let fresh = Distances::new(&program, &calls, |f, b| distances.is_uncovered(f, b));
            for (f, b) in blocks(&program).into_iter().step_by(97) {
                let (f, b) = (FuncId::new(f), BlockId::new(b));
                assert_eq!(distances.to_uncovered(f, b), fresh.to_uncovered(f, b));
            }
        }
    }
    println!(
        "100000 blocks covered (and checked ten times) in {:?}",
        start.elapsed()
    );
}
