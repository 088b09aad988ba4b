//! Programs that are linked with a C library of their own.
//!
//! Such a program begins in the library's function [`START`], which prepares the library and calls
//! back: the entry function and what runs before and after it. The library only declares those functions;
//! [`begin_with`] makes them. Of the functions that stand in for a library (`natives/`) only those that work on
//! memory alone are used then: two libraries would each have their own
//! `errno` and files.

use cairn_ir::{
    Block, Body, Call, Callee, CastOp, FuncId, Inst, Operand, PlaceId, Program, Terminator,
};

/// The function that a program with its own library begins in.
pub const START: &str = "__cairn_start";

/// The functions that the library calls back.
const MAIN: &str = "__cairn_main";
const BEFORE: &str = "__cairn_constructors";
const AFTER: &str = "__cairn_destructors";

/// Whether a program is linked with a library of its own.
pub fn has_libc(program: &Program) -> bool {
    let start = program.find_function(START);
    start.is_some_and(|f| program.function(f).body.is_some())
}

/// Lets a program that has a library of its own begin in it, and run an entry function of at most
/// three parameters: `argc`, `argv` and `envp`. The result is the function to start with: the entry
/// itself if there is no such library.
pub fn begin_with(program: &mut Program, entry: FuncId) -> FuncId {
    let Some(start) = program.find_function(START).filter(|_| has_libc(program)) else {
        return entry;
    };
    let before = std::mem::take(&mut program.constructors);
    let after = std::mem::take(&mut program.destructors);
    define(program, MAIN, |program| call_entry(program, entry));
    define(program, BEFORE, |_| call_all(&before));
    define(program, AFTER, |_| call_all(&after));
    crate::signals::link(program);
    start
}

/// Gives a function its body, if anything refers to it.
fn define(program: &mut Program, name: &str, body: impl FnOnce(&Program) -> Body) {
    if let Some(function) = program.find_function(name) {
        let body = body(program);
        program.functions[function.index()].body = Some(body);
    }
}

fn call(function: FuncId, args: Vec<(Operand, u32)>, results: Vec<cairn_ir::Local>) -> Inst {
    Inst::Call(Box::new(Call {
        callee: Callee::Direct(function),
        args,
        variadic: Vec::new(),
        results,
    }))
}

/// Calls functions without parameters, one after the other.
fn call_all(functions: &[FuncId]) -> Body {
    let calls = functions.iter();
    let calls = calls.map(|f| (call(*f, Vec::new(), Vec::new()), PlaceId::UNKNOWN));
    Body {
        widths: Vec::new(),
        blocks: vec![Block {
            params: Vec::new(),
            insts: calls.collect(),
            terminator: (Terminator::Return(Vec::new()), PlaceId::UNKNOWN),
        }],
    }
}

/// Calls the entry function with as many of `argc`, `argv` and `envp` as it takes. Its result is the
/// exit code, 0 if it has none.
fn call_entry(program: &Program, entry: FuncId) -> Body {
    let function = program.function(entry);
    let mut body = Body::default();
    let pointer = program.pointer_width.bits();
    let given = [32, pointer, pointer];
    let params = given.map(|width| body.local(width));
    let mut insts = Vec::new();
    let mut args = Vec::new();
    for ((&wanted, width), param) in function.params.iter().zip(given).zip(params) {
        let value = resized(&mut body, &mut insts, Operand::Local(param), width, wanted);
        args.push((value, wanted));
    }
    let widths = function.results.iter();
    let results: Vec<_> = widths.map(|&width| body.local(width)).collect();
    insts.push(call(entry, args, results.clone()));
    let code = match (results.first(), function.results.first()) {
        (Some(&result), Some(&width)) => {
            resized(&mut body, &mut insts, Operand::Local(result), width, 32)
        }
        _ => Operand::Int(0),
    };
    body.blocks.push(Block {
        params: params.to_vec(),
        insts: insts
            .into_iter()
            .map(|inst| (inst, PlaceId::UNKNOWN))
            .collect(),
        terminator: (Terminator::Return(vec![code]), PlaceId::UNKNOWN),
    });
    body
}

/// A value cut or filled with zeros to a width.
fn resized(body: &mut Body, insts: &mut Vec<Inst>, value: Operand, from: u32, to: u32) -> Operand {
    if from == to {
        return value;
    }
    let dst = body.local(to);
    let op = if from < to {
        CastOp::Zext
    } else {
        CastOp::Trunc
    };
    insts.push(Inst::Cast {
        op,
        dst,
        from,
        value,
    });
    Operand::Local(dst)
}
