//! The functions of the software verification competition.

use super::klee::{go_on, input_term, truth};
use super::{Intrinsic, IntrinsicCall, IntrinsicFamily};
use crate::calls::intrinsics;
use crate::config::PlainEnd;
use crate::finding::FindingKind;
use crate::gate::Why;
use crate::path::cases::StepOutcome;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::path::transition;
use crate::values::symbolic_domain::AccessError;
use crate::values::terms;
use crate::values::value::Value;
use cairn_ir::CastOp;
use cairn_memory::ObjectId;

/// What a finding says of a call of `reach_error`.
pub const REACHED: &str = "reach_error was called";

pub(super) const FUNCTIONS: IntrinsicFamily = &[
    ("__VERIFIER_assume", assume),
    ("__VERIFIER_error", verifier_error),
    ("reach_error", reach_error),
    ("__VERIFIER_assert", assert),
    ("__VERIFIER_atomic_begin", nothing),
    ("__VERIFIER_atomic_end", nothing),
];

macro_rules! inputs {
    ($($suffix:literal $bytes:literal),* $(,)?) => {
        /// The intrinsic that makes an input of a type.
        pub(super) fn nondet(name: &str) -> Option<Intrinsic> {
            let suffix = name.strip_prefix("__VERIFIER_nondet_")?;
            match suffix {
                $($suffix => Some(|step, state, call| input(step, state, call, $suffix, $bytes)),)*
                _ => None,
            }
        }
    };
}

inputs! {
    "bool" 1, "_Bool" 1, "char" 1, "uchar" 1, "schar" 1, "unsigned_char" 1, "u8" 1, "S8" 1,
    "short" 2, "ushort" 2, "unsigned_short" 2, "u16" 2,
    "int" 4, "uint" 4, "unsigned" 4, "unsigned_int" 4, "u32" 4, "float" 4, "sector_t" 8,
    "long" 8, "ulong" 8, "unsigned_long" 8, "longlong" 8, "ulonglong" 8, "u64" 8, "size_t" 8,
    "loff_t" 8, "pointer" 8, "pchar" 8, "double" 8, "pthread_t" 8, "int128" 16, "uint128" 16,
}

fn input(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
    suffix: &str,
    bytes: u64,
) -> Result<StepOutcome, AccessError> {
    let term = input_term(step, state, bytes, &format!("nondet_{suffix}"));
    let place = state.thread.place(&step.table);
    state.domain.origins.note_place(place);
    let store = &step.cx.store;
    let fact = if matches!(suffix, "bool" | "_Bool") {
        store.bv_ult(&term, &store.bv(8, 2))
    } else {
        store.true_()
    };
    let Some(&width) = call.results.first() else {
        return intrinsics::answer(step, state, call, Value::int(0));
    };
    let term = match width {
        step if step < term.width() => terms::cast(store, CastOp::Trunc, step, &term),
        step if step > term.width() => terms::cast(store, CastOp::Zext, step, &term),
        _ => term,
    };
    if width > 64 {
        let results = vec![cairn_machine::AnyValue::Wide(
            crate::values::value::Wide::from_term(term),
        )];
        state.thread.answer(&step.table, results);
        return Ok(StepOutcome::Go);
    }
    go_on(
        step,
        state,
        call,
        &fact,
        Value::from_term(term, ObjectId::NONE),
    )
}

fn assume(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let fact = truth(state, call, 0);
    go_on(step, state, call, &fact, Value::int(0))
}

fn verifier_error(
    step: &mut StepContext<'_>,
    state: &mut State,
    _call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    Ok(transition::error(
        step,
        state,
        FindingKind::Assertion,
        "__VERIFIER_error was called",
    ))
}

fn reach_error(
    step: &mut StepContext<'_>,
    state: &mut State,
    _call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let message = REACHED.to_string();
    Ok(transition::ended_by_itself(
        step,
        state,
        PlainEnd::ErrorCall,
        message,
    ))
}

fn assert(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let holds = truth(state, call, 0);
    if holds.is_true() {
        let fails = step.cx.store.false_();
        step.gate.conclude(state.facts(), &fails, || Why::Folded);
        return intrinsics::answer(step, state, call, Value::int(0));
    }
    let finding = crate::finding::Finding {
        kind: FindingKind::Assertion,
        message: "ASSERTION FAIL: __VERIFIER_assert".to_string(),
        trace: transition::trace(step, state),
    };
    let fails = step.cx.store.not(&holds);
    Ok(StepOutcome::Cases(vec![
        crate::path::cases::Case::new(
            holds,
            crate::path::cases::Effect::Proceed,
            crate::path::decisions::Decision::Case(0),
        ),
        crate::path::cases::Case::new(
            fails,
            crate::path::cases::Effect::Error(Box::new(finding)),
            crate::path::decisions::Decision::Case(1),
        ),
    ]))
}

fn nothing(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    intrinsics::answer(step, state, call, Value::int(0))
}
