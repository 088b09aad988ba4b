//! Shows every instruction before it runs.
//!
//! # Idea
//!
//! The state runs one operation at a time (`cairn_machine::step`); the code table knows which
//! instructions of the program form an operation is made of.
//!
//! # Cost
//!
//! Many times the cost of a run that is not traced; nothing otherwise.

use crate::explore::shared::Shared;
use crate::path::state::State;
use crate::values::symbolic_domain::SymbolicDomain;
use crate::values::value::Value;
use cairn_ir::{BlockId, FuncId, PlaceId, Program};
use cairn_machine::{CodeTable, Stop, StopOf, step};

/// An instruction that is about to run.
pub struct Upcoming<'a> {
    /// The program.
    pub program: &'a Program,
    /// The function.
    pub function: FuncId,
    /// The block.
    pub block: BlockId,
    /// Its number in the block; after the last instruction stands the terminator.
    pub index: usize,
    /// The number of the state.
    pub state: u64,
}

impl Upcoming<'_> {
    /// Where it stands in the source.
    pub fn place(&self) -> PlaceId {
        let body = self.program.function(self.function).body.as_ref();
        let block = body.expect("it runs").block(self.block);
        let inst = block.insts.get(self.index).map(|(_, place)| *place);
        inst.unwrap_or(block.terminator.1)
    }
}

/// See the module's head.
#[derive(Default)]
pub(crate) struct Tracer {
    /// The state, its calls and the operation that was shown last: one that runs again is not shown
    /// again.
    last: Option<(u64, usize, u32)>,
}

impl Tracer {
    /// Runs a state as `cairn_machine::run` does.
    pub fn run(
        &mut self,
        table: &CodeTable<Value>,
        state: &mut State,
        shared: &Shared,
        limit: u64,
    ) -> StopOf<SymbolicDomain> {
        let end = state.thread.executed.saturating_add(limit);
        loop {
            self.show(table, state, shared);
            let stop = step(table, &mut state.domain, &mut state.thread);
            match stop {
                Stop::Limit if state.thread.executed < end => {}
                stop => return stop,
            }
        }
    }

    fn show(&mut self, table: &CodeTable<Value>, state: &State, shared: &Shared) {
        let Some((function, at)) = state.thread.position() else {
            return;
        };
        let now = Some((state.number, state.thread.depth(), at));
        if std::mem::replace(&mut self.last, now) == now
            || !crate::explore::coverage::is_users_code(table.program(), function)
        {
            return;
        }
        let (block, instructions) = table.instructions_at(function, at);
        for index in instructions {
            shared.observer.instruction(&Upcoming {
                program: table.program(),
                function,
                block,
                index,
                state: state.number,
            });
        }
    }
}
