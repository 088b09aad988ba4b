//! Handlers of signals, which run in the middle of a call.
//!
//! A program sends itself a signal by a call (`raise`, `abort`); no other process sends signals. So the
//! handler runs in place of that call: a small function (`runtime/signals.cir`) calls the handler and
//! returns the call's result. It is a call like any other, which `longjmp` may leave. The handler gets
//! the number of the signal; the rest of `siginfo_t` and the `ucontext_t` are zeros.

use crate::Domain;
use crate::runtime::RUNTIME_PREFIX;
use crate::table::CodeTable;
use crate::thread::{Any, Thread};
use cairn_ir::{FuncId, Program};
use cairn_memory::Word;

/// A handler that is to be called in place of the call that sent the signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handler {
    /// The signal.
    pub signal: u32,
    /// The address of the handler.
    pub address: Word,
    /// Whether it takes three arguments (`SA_SIGINFO`) and not one.
    pub information: bool,
    /// What the call returns afterwards; nothing if it is made again, as `abort` is.
    pub value: Option<Word>,
}

/// Adds the functions that call handlers.
pub(crate) fn link(program: &mut Program) {
    let code = cairn_ir::text::parse(include_str!("../runtime/signals.cir"));
    let code = code.expect("it is tested to parse");
    let linked = program.link(code, RUNTIME_PREFIX);
    linked.expect("it needs nothing, and no name in C has a dot");
}

fn caller(program: &Program, information: bool) -> FuncId {
    let name = if information {
        "handle_information"
    } else {
        "handle"
    };
    let function = program.find_function(&format!("{RUNTIME_PREFIX}{name}"));
    function.expect("whoever has a C library has them")
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
        handler: &Handler,
        word: impl Fn(Word) -> V,
    ) -> Result<(), D::AccessError>
    where
        D: Domain<Value = V, Wide = W>,
    {
        let function = caller(table.program(), handler.information);
        let args = [
            handler.address,
            Word::int(u64::from(handler.signal)),
            handler.value.unwrap_or(Word::int(0)),
        ];
        let args = args.map(|arg| Any::Value(word(arg))).to_vec();
        self.divert(table, domain, function, args)?;
        if handler.value.is_none() {
            let calls = self.frames.len();
            self.frames[calls - 2].at -= 1;
        }
        Ok(())
    }
}
