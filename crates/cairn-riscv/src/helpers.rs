//! Functions that every lowered program has: the dispatcher, what follows jumps, the start.

use crate::build::{RegionBuilder, target};
use crate::signals::SystemCallEntry;
use cairn_ir::{Body, Call, Callee, CompareOp, FuncId, Inst, Operand, Switch, Target, Terminator};
use std::collections::BTreeMap;

/// The functions that every lowered program begins with, in this order.
const TRANSLATE: FuncId = FuncId(0);
pub(crate) const DISPATCH: FuncId = FuncId(1);
pub(crate) const SETTLE: FuncId = FuncId(2);

/// Calls a function; its results.
pub(crate) fn call(
    b: &mut RegionBuilder,
    function: FuncId,
    args: Vec<(Operand, u32)>,
    results: &[u32],
) -> Vec<Operand> {
    let results: Vec<_> = results.iter().map(|&width| b.body.local(width)).collect();
    b.emit(Inst::Call(Box::new(Call {
        callee: Callee::Direct(function),
        args,
        variadic: Vec::new(),
        results: results.clone(),
    })));
    results.into_iter().map(Operand::Local).collect()
}

/// A switch over all functions; the rest is to be translated.
pub(crate) fn dispatcher(functions: &BTreeMap<u64, FuncId>) -> Body {
    let mut b = RegionBuilder::new(2);
    let entry = b.block;
    let address = Operand::Local(b.param(entry, 64));
    let mut cases = Vec::with_capacity(functions.len());
    for (&at, &function) in functions {
        b.block = b.new_block();
        cases.push((at, target(b.block)));
        let results = call(&mut b, function, Vec::new(), &[64, 1]);
        b.end(Terminator::Return(results));
    }
    b.block = entry;
    b.end(Terminator::Switch(Box::new(Switch {
        value: address.clone(),
        width: 64,
        cases,
        default: target(cairn_ir::BlockId(1)),
    })));
    b.block = cairn_ir::BlockId(1);
    let results = call(&mut b, TRANSLATE, vec![(address, 64)], &[64, 1]);
    b.end(Terminator::Return(results));
    b.body
}

/// Follows jumps until the guest is back or returns elsewhere.
pub(crate) fn settle() -> Body {
    let mut b = RegionBuilder::new(5);
    let [entry, look, go, back, away] = [0, 1, 2, 3, 4].map(cairn_ir::BlockId);
    let at = b.param(entry, 64);
    let jumps = b.param(entry, 1);
    let wanted = Operand::Local(b.param(entry, 64));
    let now = b.param(look, 64);
    let jumping = b.param(look, 1);
    b.end(Terminator::Jump(Target {
        block: look,
        args: vec![Operand::Local(at), Operand::Local(jumps)],
    }));
    b.block = look;
    b.branch(Operand::Local(jumping), go, away);
    b.block = go;
    let results = call(&mut b, DISPATCH, vec![(Operand::Local(now), 64)], &[64, 1]);
    let here = b.compare(CompareOp::Eq, 64, results[0].clone(), wanted.clone());
    b.end(Terminator::Branch {
        condition: here,
        then: target(back),
        otherwise: Target {
            block: look,
            args: results,
        },
    });
    b.block = back;
    b.end(Terminator::Return(vec![wanted, Operand::Int(1)]));
    b.block = away;
    b.end(Terminator::Return(vec![
        Operand::Local(now),
        Operand::Int(0),
    ]));
    b.body
}

/// Goes on at an address.
pub(crate) fn jump_to(address: u64) -> Body {
    let mut b = RegionBuilder::new(1);
    b.end(Terminator::Return(vec![
        Operand::Int(address),
        Operand::Int(1),
    ]));
    b.body
}

/// Runs the guest from its entry, for ever, after what prepares it. Its system learns where to ask for
/// handlers of signals.
pub(crate) fn start(address: u64, prepare: Option<FuncId>, system_calls: SystemCallEntry) -> Body {
    let mut b = RegionBuilder::new(2);
    let run = cairn_ir::BlockId(1);
    let at = b.param(run, 64);
    system_calls.register(&mut b);
    if let Some(prepare) = prepare {
        call(&mut b, prepare, Vec::new(), &[]);
    }
    b.end(Terminator::Jump(Target {
        block: run,
        args: vec![Operand::Int(address)],
    }));
    b.block = run;
    let results = call(&mut b, DISPATCH, vec![(Operand::Local(at), 64)], &[64, 1]);
    b.end(Terminator::Jump(Target {
        block: run,
        args: vec![results[0].clone()],
    }));
    b.body
}
