//! Programs that were made from machine code.
//!
//! Such a program has more in its memory than its globals: the segments and the stack of an executable.
//! And it may grow while it runs: a jump may lead to code that nobody had seen to be code. Then control
//! comes to the function [`TRANSLATE`], which has no body and takes an address; whoever runs the
//! program asks for the function there and calls it in its place.

use cairn_ir::{FuncId, PlaceId, Program};
use cairn_memory::{Memory, MemoryConfig, Word};
use std::ops::Range;
use std::sync::Arc;

/// The function that stands for code which is not part of the program yet.
pub const TRANSLATE: &str = "riscv.translate";

/// The function that calls the function at an address: a switch over all that are known.
pub const DISPATCH: &str = "riscv.dispatch";

/// The executable that a program was made from, shared by everybody who runs the program.
pub trait MachineCode: Send + Sync + std::fmt::Debug {
    /// Puts everything into a memory in which the program's globals are laid out.
    ///
    /// # Errors
    /// What does not fit, in one sentence.
    fn load(&self, memory: &mut Memory, globals: &[Word]) -> Result<(), String>;

    /// The function at an address that the program's dispatcher does not know, and the program with it:
    /// the same functions as before and others behind them.
    ///
    /// # Errors
    /// Why there is none, in one sentence.
    fn translate(&self, address: u64) -> Result<(FuncId, Arc<Program>), String>;

    /// The program in which a function that had no body has one; `None` if there is no code for it.
    fn lower(&self, function: FuncId) -> Option<Arc<Program>>;

    /// The program with a dispatcher that knows all functions so far; for who has not begun.
    fn whole(&self) -> Arc<Program>;

    /// The address of the instruction at a place; 0 if there is none.
    fn address_of(&self, place: PlaceId) -> u64;

    /// Where the stack is.
    fn stack(&self) -> Range<u64>;

    /// Where code is.
    fn code(&self) -> Vec<Range<u64>>;

    /// Where memory holds nothing any more when the program ends: what is left of frames that were left,
    /// and registers that nobody keeps over a call. In order of address.
    fn left_behind(&self, memory: &Memory, globals: &[Word]) -> Vec<Range<u64>>;
}

/// Bytes that are counted for nested calls of a program that has a stack of its own: more than that has
/// room for, as each of its frames takes at least sixteen bytes.
const CALL_BYTES: u64 = 1 << 30;

/// An empty memory for a program that was made from machine code: it
/// [goes by address](Memory::going_by_address).
pub fn guest_memory(config: &MemoryConfig) -> Memory {
    Memory::new(MemoryConfig {
        stack_bytes: config.stack_bytes.max(CALL_BYTES),
        ..config.clone()
    })
    .going_by_address()
}

/// An empty memory for a program.
pub fn memory_for(config: &MemoryConfig, code: Option<&dyn MachineCode>) -> Memory {
    match code {
        None => Memory::new(config.clone()),
        Some(_) => guest_memory(config),
    }
}
