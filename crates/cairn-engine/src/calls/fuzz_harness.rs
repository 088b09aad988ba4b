//! Fuzzing harnesses as programs: `LLVMFuzzerTestOneInput(data, size)`. Their names are in `cairn-machine/src/harness.rs`.
//!
//! A harness has no `main`. A function of ours is linked to the program that does what a fuzzer
//! does: it makes an input and calls the harness with it. The input is two objects of a test, `data`
//! and `size`. Each size is a path of its own, as a buffer is exactly that large, so that a read
//! past its end is seen; `Config::fuzz_bytes` is the largest.

use crate::calls::intrinsics;
use crate::calls::intrinsics::klee::{go_on, input_term, make_input};
use crate::calls::intrinsics::{IntrinsicCall, IntrinsicFamily};
use crate::path::cases::StepOutcome;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::values::symbolic_domain::AccessError;
use crate::values::value::Value;
use cairn_ir::{LinkError, Program};
pub use cairn_machine::HARNESS;
use cairn_machine::HARNESS_PREPARATION;
use cairn_memory::{ObjectId, ObjectKind};

/// The function to start a program with that was given to [`link_harness`].
pub const HARNESS_ENTRY: &str = "cairn.harness";

/// What the names of the added functions start with. No name in C has a dot.
const PREFIX: &str = "cairn.";

/// The functions that the entry calls.
pub(crate) const FUNCTIONS: IntrinsicFamily = &[
    ("cairn.input_size", input_size),
    ("cairn.input_known", input_known),
    ("cairn.input_data", input_data),
    ("cairn.input_end", input_end),
];

/// Adds a function that makes an input and calls the program's harness with it.
///
/// # Errors
/// If the harness has another type than fuzzers expect. The program is not changed then.
pub fn link_harness(program: &mut Program) -> Result<(), LinkError> {
    let defined = |name: &str| {
        let function = program.find_function(name);
        function.is_some_and(|f| program.function(f).body.is_some())
    };
    let (declaration, call) = match defined(HARNESS_PREPARATION) {
        true => (
            format!("extern func @{HARNESS_PREPARATION}(i64, i64) -> i32\n"),
            format!("%started: i32 = call @{HARNESS_PREPARATION}(i64 %argc_at, i64 %argv_at)"),
        ),
        false => Default::default(),
    };
    // The data's address is kept in memory, so that it is no leak if the harness exits.
    let text = format!(
        "extern func @{HARNESS}(i64, i64) -> i32
         extern func @cairn.input_size() -> i64
         extern func @cairn.input_known(i64) -> i64
         extern func @cairn.input_data(i64) -> i64
         extern func @cairn.input_end(i64)
         {declaration}
         func @harness(%argc: i32, %argv: i64) -> i32 {{
         entry:
           %argc_at: i64 = alloca 4 align 4
           %argv_at: i64 = alloca 8 align 8
           %data_at: i64 = alloca 8 align 8
           store i32 %argc to %argc_at
           store i64 %argv to %argv_at
           {call}
           %any: i64 = call @cairn.input_size()
           %size: i64 = call @cairn.input_known(i64 %any)
           %data: i64 = call @cairn.input_data(i64 %size)
           store i64 %data to %data_at
           %result: i32 = call @{HARNESS}(i64 %data, i64 %size)
           call @cairn.input_end(i64 %data)
           return 0
         }}
"
    );
    let code = cairn_ir::text::parse(&text).expect("it is tested to parse");
    program.link(code, PREFIX)
}

fn input_size(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let term = input_term(step, state, 8, "size");
    let store = &step.cx.store;
    let fact = store.bv_ule(&term, &store.bv(64, step.shared.config.fuzz_bytes));
    let value = Value::from_term(term, ObjectId::NONE);
    go_on(step, state, call, &fact, value)
}

/// The size as a number: each is a path.
fn input_known(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let size = state.domain.number(&call.value(0))?;
    intrinsics::answer(step, state, call, Value::Word(size))
}

fn input_data(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let size = state.domain.number(&call.value(0))?;
    let at = state
        .domain
        .memory
        .allocate(ObjectKind::Heap, size.bits, 16)?;
    make_input(state, at, size.bits, "data")?;
    intrinsics::answer(step, state, call, Value::Word(at))
}

fn input_end(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let at = state.domain.number(&call.value(0))?;
    // A harness that frees its input has done it for us.
    if state.domain.memory.info(at).is_ok() {
        state.domain.memory.free(at)?;
    }
    intrinsics::answer(step, state, call, Value::int(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(functions: &str) -> Program {
        cairn_ir::text::parse(functions).expect("a program")
    }

    #[test]
    fn a_harness_gets_an_entry() {
        let function = |name| format!("func @{name}(%a: i64, %b: i64) -> i32 {{ b0: return 0 }}\n");
        let (harness, start) = (function(HARNESS), function(HARNESS_PREPARATION));
        for text in [harness.clone(), format!("{harness}{start}")] {
            let mut program = program(&text);
            link_harness(&mut program).expect("it fits");
            let entry = program.find_function(HARNESS_ENTRY).expect("it was added");
            assert_eq!(program.function(entry).params, [32, 64]);
            cairn_ir::verify::verify(&program).expect("it is right");
        }
    }

    #[test]
    fn a_harness_of_another_type_is_refused() {
        let text = format!("func @{HARNESS}(%d: i64) -> i32 {{ b0: return 0 }}");
        let mut program = program(&text);
        let before = program.functions.len();
        let error = link_harness(&mut program).expect_err("another type");
        assert!(error.to_string().contains(HARNESS), "{error}");
        assert_eq!(program.functions.len(), before);
    }
}
