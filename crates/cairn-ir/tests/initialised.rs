//! Stack objects that are written before they are read, against walks along all paths.

mod common;

use cairn_ir::analysis::cfg::Cfg;
use cairn_ir::analysis::initialised::Initialised;
use cairn_ir::{BlockId, Body, Inst, Local, Operand, PlaceId};
use cairn_random::Random;
use common::{body_of_edges, program, random_edges};
use std::collections::BTreeSet;

fn define(body: &mut Body, width: u32) -> Local {
    body.widths.push(width);
    Local(body.widths.len() as u32 - 1)
}

fn push(body: &mut Body, block: usize, inst: Inst) {
    body.blocks[block].insts.push((inst, PlaceId::UNKNOWN));
}

fn alloca(dst: Local, size: u64) -> Inst {
    Inst::Alloca {
        dst,
        size: Operand::Int(size),
        align: 8,
    }
}

fn store(value: Operand, width: u32, at: Local) -> Inst {
    Inst::Store {
        value,
        width,
        address: Operand::Local(at),
    }
}

fn load(dst: Local, at: Local) -> Inst {
    Inst::Load {
        dst,
        address: Operand::Local(at),
    }
}

/// Whether some path from the entry reads the object while it is not written.
fn some_path_misses(body: &Body, edges: &[(u32, u32)], at: Local) -> bool {
    let mut seen = BTreeSet::new();
    let mut work = vec![(0u32, false)];
    while let Some((block, mut written)) = work.pop() {
        if !seen.insert((block, written)) {
            continue;
        }
        for (inst, _) in &body.block(BlockId(block)).insts {
            match inst {
                Inst::Alloca { dst, .. } if *dst == at => written = false,
                Inst::Store { address, .. } if *address == Operand::Local(at) => written = true,
                Inst::Load { address, .. } if *address == Operand::Local(at) && !written => {
                    return true;
                }
                _ => {}
            }
        }
        let next = edges.iter().filter(|e| e.0 == block);
        work.extend(next.map(|e| (e.1, written)));
    }
    false
}

#[test]
fn certain_is_what_no_path_reads_unwritten() {
    let (mut yes, mut no) = (0, 0);
    for seed in 0..6000 {
        let mut rng = Random::new(seed);
        let nodes = 1 + rng.below(8);
        let wanted = rng.below(2 * nodes + 2);
        let edges = random_edges(&mut rng, nodes, wanted, seed % 4 < 3);
        let mut body = body_of_edges(nodes, &edges);
        // Some have more objects than a word has bits.
        let count = 1 + rng.below(if seed % 50 == 49 { 150 } else { 4 });
        let objects: Vec<Local> = (0..count).map(|_| define(&mut body, 64)).collect();
        for &object in &objects {
            // In the entry as compilers do, or in a loop.
            let at = if rng.chance(80) { 0 } else { rng.below(nodes) };
            push(&mut body, at, alloca(object, 4));
        }
        for block in 0..nodes {
            for _ in 0..rng.below(1 + 2 * count) {
                let object = *rng.pick(&objects);
                if rng.chance(60) {
                    push(&mut body, block, store(Operand::Int(7), 32, object));
                } else {
                    let dst = define(&mut body, 32);
                    push(&mut body, block, load(dst, object));
                }
            }
        }
        let found = Initialised::new(&body, &Cfg::new(&body));
        for &object in &objects {
            let certain = !some_path_misses(&body, &edges, object);
            assert_eq!(found.is_certain(object), certain, "seed {seed}, {object:?}");
            assert_eq!(found.certain().contains(&object), certain);
            if certain { yes += 1 } else { no += 1 }
        }
    }
    assert!(yes > 1000 && no > 1000, "{yes} certain, {no} not");
}

#[test]
fn only_whole_accesses_by_the_address_itself_qualify() {
    let check = |expected: bool, more: &dyn Fn(&mut Body, Local)| {
        let mut body = body_of_edges(1, &[]);
        let object = define(&mut body, 64);
        push(&mut body, 0, alloca(object, 4));
        push(&mut body, 0, store(Operand::Int(1), 32, object));
        more(&mut body, object);
        let found = Initialised::new(&body, &Cfg::new(&body));
        assert_eq!(found.is_certain(object), expected);
    };
    check(true, &|_, _| {});
    check(true, &|body, at| {
        let dst = define(body, 32);
        push(body, 0, load(dst, at));
    });
    // A part, and more than there is.
    check(false, &|body, at| {
        let dst = define(body, 8);
        push(body, 0, load(dst, at));
    });
    check(false, &|body, at| {
        push(body, 0, store(Operand::Int(1), 64, at))
    });
    // The address is kept somewhere, here even in the object itself.
    check(false, &|body, at| {
        push(body, 0, store(Operand::Local(at), 32, at));
    });
    check(false, &|body, at| {
        let dst = define(body, 64);
        let left = Operand::Local(at);
        let right = Operand::Int(2);
        let op = cairn_ir::BinaryOp::Add;
        push(
            body,
            0,
            Inst::Binary {
                op,
                dst,
                left,
                right,
            },
        );
    });
    check(false, &|body, at| {
        body.blocks[0].terminator.0 = cairn_ir::Terminator::Return(vec![Operand::Local(at)]);
    });
}

#[test]
fn sizes_that_are_not_known_do_not_qualify() {
    let mut body = body_of_edges(1, &[]);
    let (size, object) = (define(&mut body, 64), define(&mut body, 64));
    body.blocks[0].params.push(size);
    let inst = Inst::Alloca {
        dst: object,
        size: Operand::Local(size),
        align: 8,
    };
    push(&mut body, 0, inst);
    let found = Initialised::new(&body, &Cfg::new(&body));
    assert!(found.certain().is_empty());
}

#[test]
fn wild_bodies_are_no_problem() {
    for seed in 0..2000 {
        let program = program(&mut Random::new(seed), true);
        for body in program.functions.iter().filter_map(|f| f.body.as_ref()) {
            let in_range = |local: &Local| local.index() < body.widths.len();
            let found = Initialised::new(body, &Cfg::new(body));
            assert!(found.certain().iter().all(in_range));
        }
    }
}
