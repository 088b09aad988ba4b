//! Handlers of signals, which run in the middle of a call.
//!
//! A program sends itself a signal by a call (`raise`, `abort`); no other process sends signals. So the
//! handler runs in place of that call: a small function (`runtime/signals.cir`) calls the handler and
//! returns the call's result. It is a call like any other, which `longjmp` may leave. As the kernel would,
//! it delivers what else need not wait before the handler starts, and blocks afterwards what the frame of the handler says.
//!
//! The registers in `ucontext_t` are addresses of nothing the program has: what depends on them is listed as the
//! use of an address. A handler that changes them is refused by name.
//!
//! `sigsetjmp` keeps the blocked signals as musl does: after each call of it, when it returns for the first
//! time and when `longjmp` comes back ([`keep_masks`]).

use crate::Domain;
use crate::runtime::RUNTIME_PREFIX;
use crate::table::CodeTable;
use crate::thread::{AnyValue, Thread};
use cairn_ir::{Call, Callee, FuncId, Inst, Local, Operand, Program};
use cairn_linux::delivery::Delivery;
use cairn_memory::Word;

/// A handler that is to be called in place of the call that sent the signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignalHandler {
    /// The handler, and what is told to it.
    pub delivery: Delivery,
    /// What the call returns afterwards; nothing if it is made again, as `abort` is.
    pub value: Option<Word>,
}

/// Adds the functions that call handlers.
pub(crate) fn link(program: &mut Program) {
    let code = cairn_ir::text::parse(include_str!("../runtime/signals.cir"));
    let code = code.expect("it is tested to parse");
    let linked = program.link(code, RUNTIME_PREFIX);
    linked.expect("it declares system calls, and no name in C has a dot");
    keep_masks(program);
}

/// Calls what keeps blocked signals after each call of `sigsetjmp`.
fn keep_masks(program: &mut Program) {
    let names = ["sigsetjmp", "__sigsetjmp"];
    let saving = names.map(|name| program.find_function(name));
    let keep = program.find_function(&format!("{RUNTIME_PREFIX}keep_mask"));
    let keep = keep.expect("just linked");
    let bodies = program.functions.iter_mut().filter_map(|f| f.body.as_mut());
    for body in bodies {
        for block in 0..body.blocks.len() {
            let mut at = 0;
            while at < body.blocks[block].insts.len() {
                let (inst, place) = &mut body.blocks[block].insts[at];
                at += 1;
                let Inst::Call(call) = inst else { continue };
                let Callee::Direct(callee) = call.callee else {
                    continue;
                };
                let ([buffer, saves], true) = (&call.args[..], saving.contains(&Some(callee)))
                else {
                    continue;
                };
                let (buffer, saves, place) = (buffer.clone(), saves.clone(), *place);
                let returned = match call.results.first() {
                    Some(result) => *result,
                    None => {
                        body.widths.push(32);
                        let result = Local::new(body.widths.len() - 1);
                        call.results.push(result);
                        result
                    }
                };
                let kept = Call {
                    callee: Callee::Direct(keep),
                    args: vec![buffer, saves, (Operand::Local(returned), 32)],
                    variadic: Vec::new(),
                    results: Vec::new(),
                };
                let insts = &mut body.blocks[block].insts;
                insts.insert(at, (Inst::Call(Box::new(kept)), place));
                at += 1;
            }
        }
    }
}

fn caller(program: &Program, information: bool) -> FuncId {
    let name = if information {
        "handle_information"
    } else {
        "handle"
    };
    let function = program.find_function(&format!("{RUNTIME_PREFIX}{name}"));
    function.expect("a program with a C library has them")
}

impl<V: Clone, W: Clone> Thread<V, W> {
    /// Runs a handler in place of the call that stopped.
    ///
    /// # Errors
    /// If there is no room for one more call.
    pub fn handle<D>(
        &mut self,
        table: &CodeTable<V>,
        domain: &mut D,
        handler: &SignalHandler,
        word: impl Fn(Word) -> V,
    ) -> Result<(), D::AccessError>
    where
        D: Domain<Value = V, Wide = W>,
    {
        let delivery = &handler.delivery;
        let function = caller(table.program(), delivery.information);
        let (stack, flags, size) = delivery.stack;
        let args = [
            delivery.handler,
            Word::int(u64::from(delivery.signal)),
            handler.value.unwrap_or(Word::int(0)),
            Word::int(delivery.blocked),
            Word::int(delivery.returned()),
            Word::int(u64::from(delivery.code as u32)),
            Word::int(delivery.sender),
            stack,
            Word::int(u64::from(flags)),
            Word::int(size),
        ];
        let takes = table.program().function(function).params.len();
        let args = args[..takes].iter();
        let args = args.map(|arg| AnyValue::Value(word(*arg))).collect();
        self.divert(table, domain, function, args)?;
        if handler.value.is_none() {
            let calls = self.frames.len();
            self.frames[calls - 2].at -= 1;
        }
        Ok(())
    }
}
