//! Which function a call by a symbolic address is to.
//!
//! # Problem
//!
//! The address of a called function may be a term.
//!
//! # Idea
//!
//! The functions that it can be are found one by one; every address that is no function's is one case, an error.
//!
//! # Soundness
//!
//! Addresses of functions are distinct, so the cases exclude each other; the last one is that the address is none of those found.
//!
//! # Cost
//!
//! A query for each function, and one more.

use crate::finding::{Finding, FindingKind, Outcome};
use crate::gate::find_all;
use crate::gate::{RemainderSpec, ValueClass};
use crate::omission::Question;
use crate::path::cases::{Case, Effect, StepOutcome};
use crate::path::decisions::Decision;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::path::transition;
use crate::values::terms::number_like;
use crate::values::value::Value;
use cairn_expr::Model;
use cairn_solver::Facts;
use std::rc::Rc;

/// The case that an address is no function's.
const NO_FUNCTION: u32 = 0;

/// The functions that a call may be to.
pub(crate) fn undecided_callee(
    step: &mut StepContext<'_>,
    state: &State,
    address: &Value,
) -> StepOutcome {
    let term = match address {
        Value::Word(word) => {
            let finding = no_function(step, state, word.bits);
            return StepOutcome::End(Outcome::Error(finding));
        }
        Value::Symbolic(symbolic) => &symbolic.term,
    };
    if let Some(Decision::Call(bits)) = state.guide.next_replayed() {
        let store = &step.cx.store;
        let guard = store.eq(term, &number_like(store, term, bits));
        let decision = Decision::Call(bits);
        return StepOutcome::Cases(vec![Case::new(guard, Effect::Call(bits), decision)]);
    }
    // Addresses of functions are found one by one; everything else is one case.
    let functions = step.shared.program.functions.len() as u64;
    let class = |step: &mut StepContext<'_>, _: &Facts, _: &Rc<Model>, bits: u64| {
        let store = &step.cx.store;
        if step.table.function_at(bits).is_some() {
            let guard = store.eq(term, &number_like(store, term, bits));
            let case = Case::new(guard, Effect::Call(bits), Decision::Call(bits));
            return ValueClass::Case(case, bits);
        }
        let width = step.shared.program.pointer_width;
        let first = cairn_machine::function_address(width, cairn_ir::FuncId::new(0));
        let offset = store.bv_sub(term, &number_like(store, term, first));
        let region = store.bv_ult(&offset, &number_like(store, term, 16 * functions));
        let aligned = store.eq(&store.extract(&offset, 3, 0), &store.bv(4, 0));
        ValueClass::Remainder(store.not(&store.and(&region, &aligned)))
    };
    let wrong =
        |step: &StepContext<'_>, bits: u64| Effect::Error(Box::new(no_function(step, state, bits)));
    let remainder = RemainderSpec {
        decision: Decision::Case(NO_FUNCTION),
        question: Question::Functions,
    };
    StepOutcome::Cases(find_all::find_all(
        step, state, term, class, &remainder, wrong,
    ))
}

/// The finding of a call to an address where no function is.
fn no_function(step: &StepContext<'_>, state: &State, bits: u64) -> Finding {
    let (kind, message) = match bits {
        0 => (
            FindingKind::Pointer,
            "call of a null function pointer".to_string(),
        ),
        _ => (
            FindingKind::Execution,
            format!("call of {bits:#x}, which is no function"),
        ),
    };
    Finding {
        kind,
        message,
        trace: transition::trace(step, state),
    }
}
