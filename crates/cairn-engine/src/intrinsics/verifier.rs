//! The functions of the software verification competition.

use super::klee::{go_on, input_term, truth};
use super::{Call, Family, Intrinsic};
use crate::cases::Next;
use crate::finding::Kind;
use crate::space::Trouble;
use crate::state::State;
use crate::terms;
use crate::value::Value;
use crate::worker::Worker;
use cairn_ir::CastOp;
use cairn_memory::ObjectId;

pub(super) const FUNCTIONS: Family = &[
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
                $($suffix => Some(|w, state, call| input(w, state, call, $suffix, $bytes)),)*
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
    w: &mut Worker<'_>,
    state: &mut State,
    call: &Call,
    suffix: &str,
    bytes: u64,
) -> Result<Next, Trouble> {
    let term = input_term(w, state, bytes, &format!("nondet_{suffix}"));
    let store = &w.tools.store;
    let fact = if matches!(suffix, "bool" | "_Bool") {
        store.bv_ult(&term, &store.bv(8, 2))
    } else {
        store.true_()
    };
    let Some(&width) = call.results.first() else {
        return w.answer(state, call, Value::int(0));
    };
    let term = match width {
        w if w < term.width() => terms::cast(store, CastOp::Trunc, w, &term),
        w if w > term.width() => terms::cast(store, CastOp::Zext, w, &term),
        _ => term,
    };
    if width > 64 {
        let results = vec![cairn_machine::Any::Wide(crate::value::Wide::from_term(
            term,
        ))];
        state.thread.answer(&w.table, results);
        return Ok(Next::Go);
    }
    go_on(
        w,
        state,
        call,
        &fact,
        Value::from_term(term, ObjectId::NONE),
    )
}

fn assume(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let fact = truth(state, call, 0);
    go_on(w, state, call, &fact, Value::int(0))
}

fn verifier_error(w: &mut Worker<'_>, state: &mut State, _call: &Call) -> Result<Next, Trouble> {
    Ok(w.error(state, Kind::Assertion, "__VERIFIER_error was called"))
}

fn reach_error(w: &mut Worker<'_>, state: &mut State, _call: &Call) -> Result<Next, Trouble> {
    Ok(w.error(state, Kind::Assertion, "reach_error was called"))
}

fn assert(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let holds = truth(state, call, 0);
    if holds.is_true() {
        return w.answer(state, call, Value::int(0));
    }
    let finding = crate::finding::Finding {
        kind: Kind::Assertion,
        message: "ASSERTION FAIL: __VERIFIER_assert".to_string(),
        trace: w.trace(state),
    };
    let fails = w.tools.store.not(&holds);
    Ok(Next::Cases(vec![
        crate::cases::Case::new(
            holds,
            crate::cases::Effect::Proceed,
            crate::decisions::Decision::Way(0),
        ),
        crate::cases::Case::new(
            fails,
            crate::cases::Effect::Error(Box::new(finding)),
            crate::decisions::Decision::Way(1),
        ),
    ]))
}

fn nothing(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    w.answer(state, call, Value::int(0))
}
