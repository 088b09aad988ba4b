//! Library functions that are operations of the machine's memory.

use super::{IntrinsicCall, IntrinsicFamily};
use crate::calls::intrinsics;
use crate::path::cases::StepOutcome;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::values::symbolic_domain::AccessError;
use crate::values::value::Value;
use cairn_ir::BinaryOp;
use cairn_machine::Domain;

pub(super) const FUNCTIONS: IntrinsicFamily = &[
    ("memcpy", copy),
    ("__memcpy_chk", copy),
    ("memmove", move_),
    ("__memmove_chk", move_),
    ("mempcpy", copy_to_end),
    ("__mempcpy_chk", copy_to_end),
    ("bcopy", copy_from),
    ("memset", fill),
    ("__memset_chk", fill),
    ("bzero", zero),
    ("explicit_bzero", zero),
];

fn copy(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let (to, from) = (call.value(0), call.value(1));
    state.domain.copy(&to, &from, &call.value(2), false)?;
    intrinsics::answer(step, state, call, to)
}

fn move_(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let (to, from) = (call.value(0), call.value(1));
    state.domain.copy(&to, &from, &call.value(2), true)?;
    intrinsics::answer(step, state, call, to)
}

fn copy_to_end(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let (to, from, length) = (call.value(0), call.value(1), call.value(2));
    state.domain.copy(&to, &from, &length, false)?;
    let bits = state.domain.memory.pointer_width().bits();
    let end = state.domain.binary(BinaryOp::Add, bits, &to, &length);
    intrinsics::answer(step, state, call, end)
}

fn copy_from(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let (from, to) = (call.value(0), call.value(1));
    state.domain.copy(&to, &from, &call.value(2), true)?;
    intrinsics::answer(step, state, call, to)
}

fn fill(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let (to, byte) = (call.value(0), call.value(1));
    let width = call.width(1);
    let byte = state.domain.cast(cairn_ir::CastOp::Trunc, width, 8, &byte);
    state.domain.fill(&to, &byte, &call.value(2))?;
    intrinsics::answer(step, state, call, to)
}

fn zero(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let to = call.value(0);
    state.domain.fill(&to, &Value::int(0), &call.value(1))?;
    intrinsics::answer(step, state, call, to)
}
