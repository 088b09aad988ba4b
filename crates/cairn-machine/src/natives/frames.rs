//! What compilers ask of a frame of the stack: where it is, where it returns to, how many cycles have passed.
//!
//! A machine for programs has none of these; what stands for them is no null pointer, and goes up.

use super::{NativeCall, NativeFamily, NativeResult};
use cairn_memory::{ObjectId, ObjectKind, PointerWidth, Word, code_region};

/// Where a frame is.
pub const FRAME_ADDRESS: &str = "__cairn_frame_address";
/// Where a call returns to.
pub const RETURN_ADDRESS: &str = "__cairn_return_address";
/// How many cycles the processor has counted.
pub const CYCLES: &str = "__cairn_cycles";

/// Bytes of a frame that may be looked at: the address of the frame before, and where the call returns to.
pub const FRAME_BYTES: u64 = 16;

pub(super) const FUNCTIONS: NativeFamily = &[
    (FRAME_ADDRESS, frame),
    (RETURN_ADDRESS, returns),
    (CYCLES, cycles),
];

/// What stands for an address that a call returns to: it is inside of code.
pub fn return_address(width: PointerWidth) -> u64 {
    code_region(width).start + 1
}

fn frame(call: &mut NativeCall<'_>) -> NativeResult {
    Ok(call.memory.allocate(ObjectKind::Stack, FRAME_BYTES, 16)?)
}

fn returns(call: &mut NativeCall<'_>) -> NativeResult {
    Ok(Word {
        bits: return_address(call.memory.pointer_width()),
        object: ObjectId::ADDRESS,
    })
}

fn cycles(call: &mut NativeCall<'_>) -> NativeResult {
    Ok(Word::int(call.library.next_cycles()))
}
