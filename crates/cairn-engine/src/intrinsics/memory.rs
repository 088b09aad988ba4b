//! Library functions that are operations of the machine's memory.

use super::{Call, Family};
use crate::cases::Next;
use crate::space::Trouble;
use crate::state::State;
use crate::value::Value;
use crate::worker::Worker;
use cairn_ir::BinaryOp;
use cairn_machine::Domain;

pub(super) const FUNCTIONS: Family = &[
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

fn copy(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let (to, from) = (call.value(0), call.value(1));
    state.space.copy(&to, &from, &call.value(2), false)?;
    w.answer(state, call, to)
}

fn move_(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let (to, from) = (call.value(0), call.value(1));
    state.space.copy(&to, &from, &call.value(2), true)?;
    w.answer(state, call, to)
}

fn copy_to_end(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let (to, from, length) = (call.value(0), call.value(1), call.value(2));
    state.space.copy(&to, &from, &length, false)?;
    let end = state.space.binary(BinaryOp::Add, 64, &to, &length);
    w.answer(state, call, end)
}

fn copy_from(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let (from, to) = (call.value(0), call.value(1));
    state.space.copy(&to, &from, &call.value(2), true)?;
    w.answer(state, call, to)
}

fn fill(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let (to, byte) = (call.value(0), call.value(1));
    let width = call.width(1);
    let byte = state.space.cast(cairn_ir::CastOp::Trunc, width, 8, &byte);
    state.space.fill(&to, &byte, &call.value(2))?;
    w.answer(state, call, to)
}

fn zero(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let to = call.value(0);
    state.space.fill(&to, &Value::int(0), &call.value(1))?;
    w.answer(state, call, to)
}
