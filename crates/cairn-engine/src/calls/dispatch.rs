//! Calls of functions without a body: intrinsics, natives, or code that stands in for them.
//!
//! A native of the concrete machine works on known bytes. Where it meets a byte that is a term, the
//! same function as code of the program form runs in its place (`cairn.runtime.`), and the engine
//! explores it like the program's own. What has no such code is called with the values that its
//! arguments have under the state's model, which become facts, and the summary says so; what only
//! prints is called with those values and narrows nothing.

use crate::calls::address_sinks;
use crate::calls::address_sinks::PRINTED;
use crate::calls::allocators;
use crate::calls::allocators::size_arguments;
use crate::calls::assumptions;
use crate::calls::externals;
use crate::calls::formats::Formatted;
use crate::calls::intrinsics::IntrinsicCall;
use crate::calls::machine_code;
use crate::calls::new_objects;
use crate::calls::system;
use crate::config::PlainEnd;
use crate::finding::{FindingKind, Outcome};
use crate::memory::access;
use crate::memory::addresses;
use crate::memory::addresses::AddressPurpose;
use crate::memory::leaks;
use crate::memory::segments;
use crate::memory::sizes;
use crate::memory::sizes::open_access;
use crate::memory::uninit;
use crate::omission::Omission;
use crate::path::cases::StepOutcome;
use crate::path::state::State;
use crate::path::step_context::{BodilessFunction, StepContext};
use crate::path::transition;
use crate::values::symbolic_domain::AccessError;
use crate::values::value::{Value, Wide};
use cairn_bv::BitVec;
use cairn_ir::FuncId;
use cairn_machine::natives::{self, Ending, Native, NativeContext, StandardStreams, Stream};
use cairn_machine::{AnyValue, Extra, FrameArguments};
use cairn_memory::{Fault, Word};

/// What an explored program prints goes nowhere.
pub(crate) struct DiscardedOutput;

impl StandardStreams for DiscardedOutput {
    fn write(&mut self, _stream: Stream, _bytes: &[u8]) {}
}

/// Functions that print: if their result is not used, what they print has no effect.
const PRINTERS: &[&str] = &[
    "printf",
    "puts",
    "putchar",
    "putc",
    "fputc",
    "fputs",
    "fprintf",
    "vprintf",
    "vfprintf",
    "fwrite",
    "perror",
    "fflush",
    "putchar_unlocked",
    "putc_unlocked",
    "__printf_chk",
    "__fprintf_chk",
    "__vprintf_chk",
    "__vfprintf_chk",
    "dprintf",
    "write",
];

/// Functions whose arguments decide what memory there is: each value is a path.
fn decides_memory(name: &str) -> bool {
    new_objects::MAKERS.contains(&name)
        || matches!(
            name,
            "calloc" | "realloc" | "reallocarray" | "posix_memalign" | "free" | "cfree"
        )
        || name.starts_with("_Zd")
}

/// Functions whose first argument is an object that they free or move.
pub(crate) fn frees(name: &str) -> bool {
    matches!(name, "free" | "cfree" | "realloc" | "reallocarray") || name.starts_with("_Zd")
}

/// Whether some machine has an object of so many bytes: one with much memory does, and no machine has one
/// of more than a process has addresses for.
fn may_exist(bytes: u64) -> bool {
    (1..1 << 47).contains(&bytes)
}

/// How many bytes a function is asked to make.
fn wanted_bytes(name: &str, args: &FrameArguments<Word, BitVec>) -> Option<u64> {
    let mut bytes = 1u64;
    for i in size_arguments(name)? {
        match args.get(i) {
            Some((AnyValue::Value(word), _)) => bytes = bytes.checked_mul(word.bits)?,
            Some((AnyValue::Wide(_), _)) | None => return None,
        }
    }
    Some(bytes)
}

/// Whether a function that makes objects had no room for one.
fn is_null(name: &str, answer: &[AnyValue<Word, BitVec>]) -> bool {
    match answer.first() {
        Some(AnyValue::Value(word)) if name == "posix_memalign" => {
            word.bits == natives::NO_MEMORY as u64
        }
        Some(AnyValue::Value(word)) => word.bits == 0,
        Some(AnyValue::Wide(_)) | None => false,
    }
}

/// Functions that end the program with a code.
const ENDERS: &[&str] = &["exit", "_exit", "_Exit", "quick_exit"];

/// Functions for the engine that decide how a path goes on.
const DECIDERS: &[&str] = &["klee_assume", "__VERIFIER_assume", "__VERIFIER_assert"];

const REFUSED: &str = "memory is refused, as on a small machine";

const CHOSEN: &str = "a function of the library was called with one value of a symbolic argument";

/// A bodiless function is called.
pub(crate) fn bodiless(
    step: &mut StepContext<'_>,
    state: &mut State,
    function: FuncId,
    args: FrameArguments<Value, Wide>,
    extra: Vec<Extra<Value, Wide>>,
    results: &[u32],
) -> StepOutcome {
    let call = IntrinsicCall {
        args,
        extra,
        results: results.to_vec(),
    };
    if machine_code::lower_now(step, state, function) {
        return StepOutcome::Go;
    }
    let outcome = match machine_code::bodiless(step, function) {
        BodilessFunction::Intrinsic(intrinsic) => {
            let name = &step.shared.program.function(function).name;
            if DECIDERS.contains(&name.as_str())
                && let Some(next) = uninit::unwritten_argument(step, state, name, &call)
            {
                return next;
            }
            intrinsic(step, state, &call)
        }
        BodilessFunction::Native(native) => call_native(step, state, native, call),
        BodilessFunction::Translate => machine_code::go_on_at(step, state, &call.value(0)),
        BodilessFunction::Nothing => {
            let name = &step.shared.program.function(function).name;
            address_sinks::note_given(step, state, name, &call);
            externals::call_host(step, state, function, &call)
        }
    };
    outcome.unwrap_or_else(|error| transition::access_error(step, state, error))
}

fn call_native(
    step: &mut StepContext<'_>,
    state: &mut State,
    native: Native,
    call: IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let name = native.name();
    if let Some(message) = natives::unimplemented_virtual(name) {
        let message = message.to_string();
        return Ok(transition::ended_by_itself(
            step,
            state,
            PlainEnd::Abort,
            message,
        ));
    }
    address_sinks::note_given(step, state, name, &call);
    let symbolic = call.is_symbolic();
    if symbolic {
        if let Some(next) = uninit::unwritten_argument(step, state, name, &call) {
            return Ok(next);
        }
        if let Some(&function) = step.runtime.get(name) {
            return divert(step, state, function, call);
        }
        if ENDERS.contains(&name) {
            return Ok(exit_with(step, state, name, &call.value(0)));
        }
    }
    if (symbolic || !state.domain.sizes.is_empty())
        && let Some(next) = allocators::sized(step, state, native, &call)?
    {
        return Ok(next);
    }
    run_native(step, state, native, call, None)
}

/// Notes where the objects were made that a function was given or gives, if leaks are looked for.
fn note_sites(
    step: &StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
    answer: &[AnyValue<Word, BitVec>],
) {
    if !step.shared.config.check_leaks {
        return;
    }
    let words = answer.iter().filter_map(|any| match any {
        AnyValue::Value(word) => Some(*word),
        AnyValue::Wide(_) => None,
    });
    let arguments = call.values().filter_map(Value::known);
    leaks::note_sites(step, state, words, arguments);
}

/// Calls a function of the concrete machine. What it makes gets a size that is a term, if one
/// is given.
pub(crate) fn run_native(
    step: &mut StepContext<'_>,
    state: &mut State,
    native: Native,
    call: IntrinsicCall,
    size: Option<cairn_expr::Term>,
) -> Result<StepOutcome, AccessError> {
    let name = native.name();
    let first = call.value(0).known();
    let kept = new_objects::bytes_kept(&state.domain, name, first);
    let formatted = Formatted::of(state, name, &call);
    if formatted
        .as_ref()
        .is_some_and(|f| f.prints_address(state, &call))
    {
        assumptions::note_at_caller(step, state, name, PRINTED);
    }
    let only_prints = only_prints(name, &call) && formatted.is_none_or(|f| f.only_prints(&call));
    let (args, extra) = if !call.is_symbolic() {
        known_arguments(&call)
    } else if decides_memory(name) {
        for (i, value) in call.values().enumerate() {
            match i {
                0 if frees(name) => {
                    addresses::known_address(&state.domain, value, AddressPurpose::Free)?
                }
                _ => state.domain.number(value)?,
            };
        }
        numbers(state, &call)
    } else if only_prints {
        examples(step, state, &call)
    } else {
        chosen(step, state, &call)
    };
    let wanted = wanted_bytes(name, &args);
    // A function that stops in its middle has done nothing. Those that make and end objects
    // do not look at bytes, so they need no copy to go back to.
    let before = (!decides_memory(name) || name == "posix_memalign")
        .then(|| (state.domain.memory.clone(), state.library.clone()));
    let result = {
        let table = &step.table;
        let functions = |address: u64| table.function_at(address);
        let mut around = NativeContext {
            memory: &mut state.domain.memory,
            library: &mut state.library,
            output: &mut DiscardedOutput,
            functions: &functions,
        };
        // Where an object was made is noted by its address, which the program may not look at.
        let results: &[u32] = match call.results.is_empty() && step.shared.config.check_leaks {
            true => &[step.shared.program.pointer_width.bits()],
            false => &call.results,
        };
        natives::call(native, &mut around, args, extra, results)
    };
    match result {
        Ok(answer) => {
            if wanted.is_some_and(may_exist) && is_null(name, &answer) {
                assumptions::note_assumed(step, state, name, REFUSED);
            }
            if let Some(kept) = kept {
                new_objects::leave_unwritten(&mut state.domain, name, first, &answer, kept)?;
            }
            if let Some(size) = size
                && let Some(made) = new_objects::new_object(&state.domain, name, first, &answer)?
            {
                sizes::open_size(&mut state.domain, made.object, size);
            }
            note_sites(step, state, &call, &answer);
            segments::note_made(step, state, &answer);
            let answer = answer.into_iter().map(lift).collect();
            state.thread.answer(&step.table, answer);
            Ok(StepOutcome::Go)
        }
        Err(Ending::Fault(Fault::Symbolic { address, length })) => {
            if let Some((memory, library)) = before {
                state.domain.memory = memory;
                state.library = library;
            }
            over_unknown_bytes(step, state, name, call, only_prints, (address, length))
        }
        // Whether it is an error depends on the size of the object.
        Err(Ending::Fault(fault)) if open_access(&fault).is_some() => {
            if let Some((memory, library)) = before {
                state.domain.memory = memory;
                state.library = library;
            }
            Err(AccessError::Fault(fault))
        }
        Err(ending) => Ok(library_end(step, state, ending)),
    }
}

/// A native comes to bytes that are not known: code does what it would, or they get values, or what only
/// prints is left out.
fn over_unknown_bytes(
    step: &mut StepContext<'_>,
    state: &mut State,
    name: &str,
    call: IntrinsicCall,
    only_prints: bool,
    (address, length): (u64, u64),
) -> Result<StepOutcome, AccessError> {
    if let Some(next) = uninit::unwritten_bytes(step, state, name, address, length)? {
        return Ok(next);
    }
    match step.runtime.get(name).copied() {
        Some(function) => divert(step, state, function, call),
        None if only_prints => {
            // Whether printing runs off the end of the bytes is not looked at.
            let what = Omission::PrintsSymbolic(name.to_string());
            state.leave_out(step.shared, what);
            Ok(StepOutcome::Go)
        }
        None => {
            // The bytes get the values that they have under the model, and the call
            // is tried again.
            choose_bytes(state, Word::int(address), length)?;
            state.thread.retry();
            Ok(StepOutcome::Go)
        }
    }
}

/// Runs code of the program form in a native's place.
fn divert(
    step: &mut StepContext<'_>,
    state: &mut State,
    code: FuncId,
    call: IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let args = call.args.into_iter().map(|(value, _)| value);
    let args = args.chain(call.extra.into_iter().map(|e| e.value));
    let wanted = step.shared.program.function(code).params.len();
    let args = args.take(wanted).collect();
    state
        .thread
        .divert(&step.table, &mut state.domain, code, args)?;
    Ok(StepOutcome::Go)
}

pub(crate) fn library_end(
    step: &mut StepContext<'_>,
    state: &mut State,
    ending: Ending,
) -> StepOutcome {
    match ending {
        Ending::Exit(code) => transition::exit(step, state, code),
        Ending::ExitNow(code) => {
            state.returned = None;
            transition::exited(step, state, code)
        }
        Ending::Signal(signal) => system::signal_end(step, state, signal),
        Ending::Handler(handler) => system::handle(step, state, &handler)
            .unwrap_or_else(|error| transition::access_error(step, state, error)),
        Ending::Abort => {
            let message = "abort failure".to_string();
            transition::ended_by_itself(step, state, PlainEnd::Abort, message)
        }
        Ending::Assertion { condition, .. } => {
            let message = format!("ASSERTION FAIL: {condition}");
            transition::ended_by_itself(step, state, PlainEnd::Assertion, message)
        }
        Ending::Fault(fault) => StepOutcome::End(Outcome::Error(transition::fault_finding(
            step, state, &fault,
        ))),
        Ending::Wrong(message) => transition::error(step, state, FindingKind::User, message),
        Ending::Silent => StepOutcome::End(Outcome::Silent),
        Ending::Assumption(_) => StepOutcome::End(Outcome::Contradiction),
        Ending::ErrorCall(message) => {
            transition::error(step, state, FindingKind::Assertion, message)
        }
        Ending::NotModelled(message) => transition::error(step, state, FindingKind::Model, message),
    }
}

/// The program ends with a code that depends on inputs: that is no case of its own.
pub(crate) fn exit_with(
    step: &mut StepContext<'_>,
    state: &mut State,
    name: &str,
    code: &Value,
) -> StepOutcome {
    let term = code.term(&step.cx.store, 32);
    let number = transition::exit_code(step, &state.domain.model, &term);
    if name == "exit" {
        let next = transition::exit(step, state, number);
        state.returned = Some(term);
        return next;
    }
    state.returned = Some(term);
    transition::exited(step, state, number)
}

/// Gives bytes the values that they have under the model. All of them are known afterwards, also
/// those of a term that has one value only: the operation that is run again must not meet it.
pub(crate) fn choose_bytes(state: &mut State, at: Word, length: u64) -> Result<(), AccessError> {
    for i in 0..length.max(1) {
        let at = at.offset(i);
        if state.domain.memory.load_word(at, 1).is_ok() {
            continue;
        }
        let byte = match &access::load_value(&mut state.domain, &Value::Word(at), 1)? {
            Value::Word(known) => known.bits,
            Value::Symbolic(symbolic) => state.domain.choose(&symbolic.term, CHOSEN).low_u64(),
        };
        state.domain.make_known(at, &[byte as u8])?;
    }
    Ok(())
}

/// Arguments with the numbers that were decided for them.
fn numbers(state: &State, call: &IntrinsicCall) -> NativeArguments {
    call.map(
        |value| state.domain.number(value).expect("just decided"),
        |_| None,
    )
}

/// Arguments with the values that they have under the model.
pub(crate) fn examples(
    step: &StepContext<'_>,
    state: &State,
    call: &IntrinsicCall,
) -> NativeArguments {
    let cx = &step.cx;
    let model = &state.domain.model;
    let value = |term: &cairn_expr::Term| cx.value(model, term);
    call.map(
        |v| match v {
            Value::Word(word) => *word,
            Value::Symbolic(s) => Word::int(value(&s.bits(&cx.store)).low_u64()),
        },
        |term| Some(value(term)),
    )
}

/// The same, made facts.
pub(crate) fn chosen(
    step: &StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> NativeArguments {
    let domain = std::cell::RefCell::new(&mut state.domain);
    call.map(
        |v| match v {
            Value::Word(word) => *word,
            Value::Symbolic(s) => {
                let bits = s.bits(&step.cx.store);
                let chosen = domain.borrow_mut().choose(&bits, CHOSEN);
                Word::int(chosen.low_u64())
            }
        },
        |term| Some(domain.borrow_mut().choose(term, CHOSEN)),
    )
}

/// Printers of bytes in memory: which of their arguments say where the bytes are or how many.
fn reads_by(name: &str, argument: usize) -> bool {
    match name {
        "puts" | "fputs" | "perror" => argument == 0,
        "fwrite" => argument < 3,
        "write" => argument > 0,
        _ => false,
    }
}

/// Whether a call does nothing but print. If the result is used, it matters what is printed; and bytes
/// that may not be there must be looked at.
fn only_prints(name: &str, call: &IntrinsicCall) -> bool {
    let symbolic = |value: &Value| matches!(value, Value::Symbolic(_));
    let mut values = call.values().enumerate();
    PRINTERS.contains(&name)
        && call.results.is_empty()
        && !values.any(|(i, value)| reads_by(name, i) && symbolic(value))
}

pub(crate) type NativeArguments = (FrameArguments<Word, BitVec>, Vec<Extra<Word, BitVec>>);

/// Arguments that are all known.
pub(crate) fn known_arguments(call: &IntrinsicCall) -> NativeArguments {
    call.map(
        |value| value.known().expect("nothing is symbolic"),
        |_| None,
    )
}

pub(crate) fn lift(value: AnyValue<Word, BitVec>) -> AnyValue<Value, Wide> {
    match value {
        AnyValue::Value(word) => AnyValue::Value(Value::Word(word)),
        AnyValue::Wide(bits) => AnyValue::Wide(Wide::Bits(bits)),
    }
}
