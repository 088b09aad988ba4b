//! What compilers ask of a frame of the stack: where it is, where it returns to, what the
//! processor's counters show.
//!
//! A machine for programs has none of these, and each is one of many: the answer is listed where it is asked for.

use super::{IntrinsicCall, IntrinsicFamily};
use crate::calls::assumptions;
use crate::calls::clocks;
use crate::calls::intrinsics;
use crate::path::cases::StepOutcome;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::values::symbolic_domain::AccessError;
use crate::values::value::Value;
use cairn_linux::Kernel;
use cairn_machine::natives::{
    COUNTER, CYCLES, FRAME_ADDRESS, FRAME_BYTES, RETURN_ADDRESS, TIME_COUNTER, TIME_COUNTER_NAME,
    return_address,
};
use cairn_memory::{ObjectId, Word};

pub(super) const FUNCTIONS: IntrinsicFamily = &[
    (FRAME_ADDRESS, frame),
    (RETURN_ADDRESS, returns),
    (CYCLES, cycles),
    (COUNTER, counter),
];

fn frame(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let what = "where the stack is is one of many";
    assumptions::note_assumed(step, state, "__builtin_frame_address", what);
    let at = state.domain.memory.stack_allocate(FRAME_BYTES, 16)?;
    state.domain.leave_unwritten(at, FRAME_BYTES)?;
    intrinsics::answer(step, state, call, Value::Word(at))
}

fn returns(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let what = "where code is is one of many";
    assumptions::note_assumed(step, state, "__builtin_return_address", what);
    let address = Word {
        bits: return_address(state.domain.memory.pointer_width()),
        object: ObjectId::ADDRESS,
    };
    intrinsics::answer(step, state, call, Value::Word(address))
}

fn cycles(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let what = "the number of cycles is one of many";
    assumptions::note_assumed(step, state, "__builtin_readcyclecounter", what);
    let count = state.library.next_cycles();
    intrinsics::answer(step, state, call, Value::int(count))
}

/// A counter of a RISC-V processor.
fn counter(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let number = state.domain.number(&call.value(0))?.bits;
    let system = state.library.system.as_ref();
    if number == TIME_COUNTER && system.is_some_and(Kernel::has_symbolic_clock) {
        return clocks::read_counter(step, state, call, TIME_COUNTER_NAME);
    }
    let (asked, what) = match number {
        TIME_COUNTER => (TIME_COUNTER_NAME, cairn_linux::CLOCK),
        0xc00 => ("rdcycle", "the number of cycles is one of many"),
        _ => ("rdinstret", "the number of instructions is one of many"),
    };
    assumptions::note_assumed(step, state, asked, what);
    let count = state.library.next_cycles();
    intrinsics::answer(step, state, call, Value::int(count))
}
