//! Programs that were made from machine code.
//!
//! Such a program has more in its memory than its globals: the segments and the stack of an executable.
//! It begins in the function [`CODE_ENTRY`]. And it may grow while it runs: functions may get their bodies
//! when they are first called, and a jump may lead to code that was not known to be code. Then control
//! comes to the function [`TRANSLATE`], which has no body and takes an address; what runs the
//! program asks for the function there and calls it in its place.

use cairn_ir::{FuncId, PlaceId, Program};
use cairn_memory::{Fault, Memory, MemoryConfig, Word};
use std::ops::Range;
use std::sync::Arc;

/// What the names of functions and globals begin with that are added to an executable's own.
pub const CODE_PREFIX: &str = "machine_code.";

/// The function that runs an executable from its first instruction. It takes nothing.
pub const CODE_ENTRY: &str = "machine_code.start";

/// The function that stands for code which is not part of the program yet.
pub const TRANSLATE: &str = "machine_code.translate";

/// The function that calls the function at an address: a switch over all that are known.
pub const DISPATCH: &str = "machine_code.dispatch";

/// The executable that a program was made from, shared by all that run the program.
pub trait MachineCode: Send + Sync + std::fmt::Debug {
    /// Puts everything into a memory in which the program's globals are laid out.
    ///
    /// # Errors
    /// What does not fit, in one sentence.
    fn load(&self, memory: &mut Memory, globals: &[Word]) -> Result<(), String>;

    /// The program as far as it is known. A program that is held elsewhere is copied before it grows.
    fn program(&self) -> Arc<Program>;

    /// The function at an address that the program's dispatcher does not know, and the program with it:
    /// the same functions as before and others after them.
    ///
    /// # Errors
    /// Why there is none, in one sentence.
    fn translate(&self, address: u64) -> Result<(FuncId, Arc<Program>), String>;

    /// Whether a function is made from code of the executable, lowered already or not: what it is called
    /// says nothing about what it does.
    fn has_code(&self, function: FuncId) -> bool;

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

    /// The ranges whose content no longer counts when the program ends: frames of calls that have returned, and registers
    /// that no function keeps over a call. In order of address.
    fn left_behind(&self, memory: &Memory, globals: &[Word]) -> Vec<Range<u64>>;
}

/// Bytes that are counted for nested calls of a program that has a stack of its own: more than that has
/// room for, as each of its frames takes at least sixteen bytes.
const CALL_BYTES: u64 = 1 << 30;

/// An empty memory for a program, with pointers of its width. That of an executable
/// [goes by address](Memory::going_by_address).
pub fn memory_for(
    program: &Program,
    config: &MemoryConfig,
    code: Option<&dyn MachineCode>,
) -> Memory {
    let config = MemoryConfig {
        pointer_width: program.pointer_width,
        ..config.clone()
    };
    match code {
        None => Memory::new(config),
        Some(_) => Memory::new(MemoryConfig {
            stack_bytes: config.stack_bytes.max(CALL_BYTES),
            ..config
        })
        .going_by_address(),
    }
}

/// An access so far below the stack is one of a frame that does not fit.
const BELOW_STACK: u64 = 1 << 20;

/// Whether an access was refused because the stack of machine code is full.
pub fn is_below_stack(stack: &Range<u64>, fault: &Fault) -> bool {
    let Fault::OutOfBounds { address, .. } = fault else {
        return false;
    };
    (stack.start.saturating_sub(BELOW_STACK)..stack.start).contains(address)
}

/// What is wrong with an access, in words.
pub fn fault_text(code: Option<&dyn MachineCode>, fault: &Fault) -> String {
    match (code, fault) {
        (Some(code), Fault::OutOfBounds { address, .. })
            if is_below_stack(&code.stack(), fault) =>
        {
            let stack = code.stack();
            let bytes = stack.end - stack.start;
            format!("stack overflow: an access at {address:#x}, below the stack of {bytes} bytes")
        }
        (Some(code), Fault::ReadOnly { address, .. })
            if code.code().iter().any(|range| range.contains(address)) =>
        {
            format!("write to code at {address:#x}: self-modifying code is not supported")
        }
        (_, fault) => fault.to_string(),
    }
}

/// What is wrong with a jump to an address at which no code is, in words.
pub fn no_code_text(address: u64) -> String {
    match address {
        0 => "call of a null function pointer".to_string(),
        _ => format!("control comes to {address:#x}, where no code is"),
    }
}
