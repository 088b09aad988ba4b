//! Verifying a program costs in proportion to its size, whatever its shape.

use cairn_ir::verify::verify;
use cairn_ir::*;
use cairn_random::thread_time;
use std::time::Duration;

/// Many functions and one of many blocks, as large programs have.
fn large(blocks: usize, insts: usize, functions: usize) -> Program {
    let mut program = Program::new();
    let place = PlaceId::UNKNOWN;
    for f in 0..functions {
        let mut body = Body::default();
        let mut value = body.local(32);
        let params = vec![value];
        for b in 0..blocks {
            let mut block = Block {
                params: if b == 0 { params.clone() } else { Vec::new() },
                insts: Vec::new(),
                terminator: (Terminator::Stop, place),
            };
            for i in 0..insts {
                let dst = body.local(32);
                let inst = Inst::Binary {
                    op: BinaryOp::Add,
                    dst,
                    left: Operand::Local(value),
                    right: Operand::Int(i as u64),
                };
                block.insts.push((inst, place));
                value = dst;
            }
            // Every block may go to the last: the shape that quadratic algorithms dislike.
            let target = |block: usize| Target {
                block: BlockId::new(block),
                args: Vec::new(),
            };
            if b + 1 < blocks {
                block.terminator.0 = Terminator::Branch {
                    condition: Operand::Int(1),
                    then: target(b + 1),
                    otherwise: target(blocks - 1),
                };
            }
            body.blocks.push(block);
            value = params[0];
        }
        program.functions.push(Function {
            name: format!("f{f}"),
            params: vec![32],
            results: Vec::new(),
            variadic: false,
            place,
            body: Some(body),
        });
    }
    program
}

#[test]
fn three_hundred_thousand_instructions_take_no_time() {
    for (blocks, insts, functions) in [(30_000, 10, 1), (10, 10, 3_000), (100_000, 3, 1)] {
        let program = large(blocks, insts, functions);
        let before = thread_time();
        assert!(verify(&program).is_ok());
        let taken = thread_time() - before;
        println!("{blocks} blocks of {insts} in {functions} functions: {taken:?}");
        assert!(taken < Duration::from_millis(500), "{taken:?}");
    }
}
