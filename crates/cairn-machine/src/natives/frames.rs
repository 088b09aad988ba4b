//! What compilers ask of a frame of the stack: where it is, where it returns to, what the processor's
//! counters show.
//!
//! A machine for programs has none of these; what stands for them is no null pointer, and goes up.

use super::{NativeCall, NativeFamily, NativeResult};
use cairn_linux::Kernel;
use cairn_memory::{ObjectId, ObjectKind, PointerWidth, Word, code_region};

/// Where a frame is.
pub const FRAME_ADDRESS: &str = "__cairn_frame_address";
/// Where a call returns to.
pub const RETURN_ADDRESS: &str = "__cairn_return_address";
/// How many cycles the processor has counted.
pub const CYCLES: &str = "__cairn_cycles";

/// What a counter of a RISC-V processor shows, whose control register's number is given.
pub const COUNTER: &str = "machine_code.counter";
/// The counter that goes with the time, and what its readings are called in tests.
pub const TIME_COUNTER: u64 = 0xc01;
/// See [`TIME_COUNTER`].
pub const TIME_COUNTER_NAME: &str = "rdtime";

/// Bytes of a frame that may be looked at: the address of the frame before, and where the call returns to.
pub const FRAME_BYTES: u64 = 16;

pub(super) const FUNCTIONS: NativeFamily = &[
    (FRAME_ADDRESS, frame),
    (RETURN_ADDRESS, returns),
    (CYCLES, cycles),
    (COUNTER, counter),
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

fn counter(call: &mut NativeCall<'_>) -> NativeResult {
    let system = call.library.system.as_ref();
    if call.bits(0) == TIME_COUNTER && system.is_some_and(Kernel::has_symbolic_clock) {
        let bytes = call.input("the processor", TIME_COUNTER_NAME, 8)?;
        let bytes = bytes.as_slice().try_into().expect("eight bytes");
        return Ok(Word::int(u64::from_le_bytes(bytes)));
    }
    cycles(call)
}
