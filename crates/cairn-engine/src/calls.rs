//! Calls of functions without a body: intrinsics, natives, or code that stands in for them.
//!
//! A native of the concrete machine works on known bytes. Where it meets a byte that is a term, the
//! same function as code of the program form runs in its place (`cairn.runtime.`), and the engine
//! explores it like the program's own. What has no such code is called with the values that its
//! arguments have under the state's model, which become facts, and the summary says so; what only
//! prints is called with those values and narrows nothing.

use crate::addresses::Purpose;
use crate::cases::Next;
use crate::finding::{Kind, Outcome};
use crate::formats::Formatted;
use crate::intrinsics::Call;
use crate::makers::size_arguments;
use crate::omission::Omission;
use crate::sizes::open_access;
use crate::space::{Trouble, Unwritten};
use crate::state::State;
use crate::value::{Value, Wide};
use crate::worker::{Provided, Worker};
use cairn_bv::BitVec;
use cairn_ir::FuncId;
use cairn_machine::natives::{self, Ending, Native, Output, Stream, Surroundings};
use cairn_machine::{Any, Arguments, Extra};
use cairn_memory::{Fault, Word};

/// What an explored program prints goes nowhere.
struct Nowhere;

impl Output for Nowhere {
    fn write(&mut self, _stream: Stream, _bytes: &[u8]) {}
}

/// Functions that print: if nobody looks at their result, what they print has no effect.
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

/// Functions that make objects whose content nobody wrote.
const MAKERS: &[&str] = &[
    "malloc",
    "aligned_alloc",
    "memalign",
    "valloc",
    "pvalloc",
    "_Znwm",
    "_Znam",
    "_ZnwmRKSt9nothrow_t",
    "_ZnamRKSt9nothrow_t",
    "_ZnwmSt11align_val_t",
    "_ZnamSt11align_val_t",
];

/// Functions whose arguments decide what memory there is: each value is a path.
fn decides_memory(name: &str) -> bool {
    MAKERS.contains(&name)
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
fn wanted_bytes(name: &str, args: &Arguments<Word, BitVec>) -> Option<u64> {
    let mut bytes = 1u64;
    for i in size_arguments(name)? {
        match args.get(i) {
            Some((Any::Value(word), _)) => bytes = bytes.checked_mul(word.bits)?,
            Some((Any::Wide(_), _)) | None => return None,
        }
    }
    Some(bytes)
}

/// Whether a function that makes objects made none.
fn is_null(name: &str, answer: &[Any<Word, BitVec>]) -> bool {
    match answer.first() {
        Some(Any::Value(word)) if name == "posix_memalign" => word.bits != 0,
        Some(Any::Value(word)) => word.bits == 0,
        Some(Any::Wide(_)) | None => false,
    }
}

/// Functions that end the program with a code.
const ENDERS: &[&str] = &["exit", "_exit", "_Exit", "quick_exit"];

/// Functions for the engine that decide how a path goes on.
const DECIDERS: &[&str] = &["klee_assume", "__VERIFIER_assume", "__VERIFIER_assert"];

const CHOSEN: &str = "a function of the library was called with one value of a symbolic argument";

impl Worker<'_> {
    /// A function without a body is called.
    pub(crate) fn external(
        &mut self,
        state: &mut State,
        function: FuncId,
        args: Arguments<Value, Wide>,
        extra: Vec<Extra<Value, Wide>>,
        results: &[u32],
    ) -> Next {
        let call = Call {
            args,
            extra,
            results: results.to_vec(),
        };
        if self.lower_now(state, function) {
            return Next::Go;
        }
        let outcome = match self.provided(function) {
            Provided::Intrinsic(intrinsic) => {
                let name = &self.shared.program.function(function).name;
                if DECIDERS.contains(&name.as_str())
                    && let Some(next) = self.unwritten_argument(state, name, &call)
                {
                    return next;
                }
                intrinsic(self, state, &call)
            }
            Provided::Native(native) => self.native(state, native, call),
            Provided::Translate => self.go_on_at(state, &call.value(0)),
            Provided::Nothing => {
                let name = &self.shared.program.function(function).name;
                self.note_given(state, name, &call);
                self.call_host(state, function, &call)
            }
        };
        outcome.unwrap_or_else(|trouble| self.trouble(state, trouble))
    }

    fn native(&mut self, state: &mut State, native: Native, call: Call) -> Result<Next, Trouble> {
        let name = native.name();
        self.note_given(state, name, &call);
        let symbolic = call.is_symbolic();
        if symbolic {
            if let Some(next) = self.unwritten_argument(state, name, &call) {
                return Ok(next);
            }
            if let Some(&function) = self.runtime.get(name) {
                return self.divert(state, function, call);
            }
            if ENDERS.contains(&name) {
                return Ok(self.exit_with(state, name, &call.value(0)));
            }
        }
        if (symbolic || !state.space.sizes.is_empty())
            && let Some(next) = self.sized(state, native, &call)?
        {
            return Ok(next);
        }
        self.run_native(state, native, call, None)
    }

    /// Calls a function of the concrete machine. What it makes gets a size that is a term, if one
    /// is given.
    pub(crate) fn run_native(
        &mut self,
        state: &mut State,
        native: Native,
        call: Call,
        size: Option<cairn_expr::Term>,
    ) -> Result<Next, Trouble> {
        let name = native.name();
        let before_call = self.size_before(state, name, &call);
        let formatted = Formatted::of(state, name, &call);
        if formatted
            .as_ref()
            .is_some_and(|f| f.prints_address(state, &call))
        {
            self.note_assumed(state, name, "an address is printed, and is one of many");
        }
        let only_prints =
            only_prints(name, &call) && formatted.is_none_or(|f| f.only_prints(&call));
        let (args, extra) = if !call.is_symbolic() {
            known(&call)
        } else if decides_memory(name) {
            for (i, value) in call.values().enumerate() {
                match i {
                    0 if frees(name) => state.space.known_address(value, Purpose::Free)?,
                    _ => state.space.number(value)?,
                };
            }
            self.numbers(state, &call)
        } else if only_prints {
            self.examples(state, &call)
        } else {
            self.chosen(state, &call)
        };
        let wanted = wanted_bytes(name, &args);
        // A function that stops in its middle has done nothing. Those that make and end objects
        // do not look at bytes, so they need no copy to go back to.
        let before = (!decides_memory(name) || name == "posix_memalign")
            .then(|| (state.space.memory.clone(), state.library.clone()));
        let result = {
            let table = &self.table;
            let functions = |address: u64| table.function_at(address);
            let mut around = Surroundings {
                memory: &mut state.space.memory,
                library: &mut state.library,
                output: &mut Nowhere,
                functions: &functions,
            };
            // Where an object was made is noted by its address, which the program may not look at.
            let results: &[u32] = match call.results.is_empty() && self.shared.config.check_leaks {
                true => &[64],
                false => &call.results,
            };
            natives::call(native, &mut around, args, extra, results)
        };
        match result {
            Ok(answer) => {
                if wanted.is_some_and(may_exist) && is_null(name, &answer) {
                    self.note_assumed(state, name, "memory is refused, as on a small machine");
                }
                if let Some(before) = before_call {
                    self.leave_unwritten(state, name, &call, &answer, before)?;
                }
                if let Some(size) = size
                    && let Some(made) = made(state, name, &call, &answer)?
                {
                    state.space.open_size(made.object, size);
                }
                if self.shared.config.check_leaks {
                    let words = answer.iter().filter_map(|any| match any {
                        Any::Value(word) => Some(*word),
                        Any::Wide(_) => None,
                    });
                    let arguments = call.values().filter_map(Value::known);
                    self.note_sites(state, words, arguments);
                }
                let answer = answer.into_iter().map(lift).collect();
                state.thread.answer(&self.table, answer);
                Ok(Next::Go)
            }
            Err(Ending::Fault(Fault::Symbolic { address, length })) => {
                if let Some((memory, library)) = before {
                    state.space.memory = memory;
                    state.library = library;
                }
                if let Some(next) = self.unwritten_bytes(state, name, address, length)? {
                    return Ok(next);
                }
                match self.runtime.get(name).copied() {
                    Some(function) => self.divert(state, function, call),
                    None if only_prints => {
                        // Whether printing runs off the end of the bytes is not looked at.
                        self.shared
                            .leave_out(Omission::PrintsSymbolic(name.to_string()));
                        Ok(Next::Go)
                    }
                    None => {
                        // The bytes get the values that they have under the model, and the call
                        // is tried again.
                        self.choose_bytes(state, Word::int(address), length)?;
                        state.thread.retry();
                        Ok(Next::Go)
                    }
                }
            }
            // Whether it is an error depends on the size of the object.
            Err(Ending::Fault(fault)) if open_access(&fault).is_some() => {
                if let Some((memory, library)) = before {
                    state.space.memory = memory;
                    state.library = library;
                }
                Err(Trouble::Fault(fault))
            }
            Err(ending) => Ok(self.library_end(state, ending)),
        }
    }

    /// Runs code of the program form in a native's place.
    fn divert(&mut self, state: &mut State, code: FuncId, call: Call) -> Result<Next, Trouble> {
        let args = call.args.into_iter().map(|(value, _)| value);
        let args = args.chain(call.extra.into_iter().map(|e| e.value));
        let wanted = self.shared.program.function(code).params.len();
        let args = args.take(wanted).collect();
        state
            .thread
            .divert(&self.table, &mut state.space, code, args)?;
        Ok(Next::Go)
    }

    fn library_end(&mut self, state: &mut State, ending: Ending) -> Next {
        match ending {
            Ending::Exit(code) => self.exit(state, code),
            Ending::ExitNow(code) => {
                state.returned = None;
                self.exited(state, code)
            }
            Ending::Signal(signal) => self.signal_end(state, signal),
            Ending::Handler(handler) => self
                .handle(state, &handler)
                .unwrap_or_else(|trouble| self.trouble(state, trouble)),
            Ending::Abort => self.error(state, Kind::Abort, "abort failure"),
            Ending::Assertion { condition, .. } => {
                let message = format!("ASSERTION FAIL: {condition}");
                self.error(state, Kind::Assertion, message)
            }
            Ending::Fault(fault) => Next::End(Outcome::Error(self.fault_finding(state, &fault))),
            Ending::Wrong(message) => self.error(state, Kind::User, message),
            Ending::Silent => Next::End(Outcome::Silent),
            Ending::Assumption(_) => Next::End(Outcome::Contradiction),
            Ending::ErrorCall(message) => self.error(state, Kind::Assertion, message),
            Ending::NotModelled(message) => self.error(state, Kind::Model, message),
        }
    }

    /// The program ends with a code that depends on inputs: that is no way of its own.
    pub(crate) fn exit_with(&mut self, state: &mut State, name: &str, code: &Value) -> Next {
        let term = code.term(&self.tools.store, 32);
        let number = self.exit_code(&state.space.model, &term);
        if name == "exit" {
            let next = self.exit(state, number);
            state.returned = Some(term);
            return next;
        }
        state.returned = Some(term);
        self.exited(state, number)
    }

    /// For a function that makes an object: how many bytes of it were there before the call.
    fn size_before(&self, state: &State, name: &str, call: &Call) -> Option<u64> {
        if self.shared.config.unwritten == Unwritten::Zero {
            return None;
        }
        match name {
            "realloc" | "reallocarray" => {
                let before = call
                    .value(0)
                    .known()
                    .map(|at| state.space.memory.extent(at));
                Some(before.and_then(Result::ok).map_or(0, |extent| extent.size))
            }
            "posix_memalign" => Some(0),
            _ => MAKERS.contains(&name).then_some(0),
        }
    }

    /// What a function made has content that nobody wrote, but for the bytes that were there before.
    fn leave_unwritten(
        &self,
        state: &mut State,
        name: &str,
        call: &Call,
        answer: &[Any<Word, BitVec>],
        before: u64,
    ) -> Result<(), Fault> {
        let Some(made) = made(state, name, call, answer)? else {
            return Ok(());
        };
        let size = state.space.memory.extent(made)?.size;
        let rest = Word {
            bits: made.bits + before.min(size),
            ..made
        };
        state
            .space
            .leave_unwritten(rest, size.saturating_sub(before))
    }

    /// Gives bytes the values that they have under the model. All of them are known afterwards, also
    /// those of a term that has one value only: the operation that is run again must not meet it.
    pub(crate) fn choose_bytes(
        &self,
        state: &mut State,
        at: Word,
        length: u64,
    ) -> Result<(), Trouble> {
        for i in 0..length.max(1) {
            let at = Word {
                bits: at.bits + i,
                ..at
            };
            if state.space.memory.load_word(at, 1).is_ok() {
                continue;
            }
            let byte = match &state.space.load_value(&Value::Word(at), 1)? {
                Value::Word(known) => known.bits,
                Value::Symbolic(symbolic) => state.space.choose(&symbolic.term, CHOSEN).low_u64(),
            };
            state.space.make_known(at, &[byte as u8])?;
        }
        Ok(())
    }

    /// Arguments with the numbers that were decided for them.
    fn numbers(&self, state: &State, call: &Call) -> NativeArguments {
        call.map(
            |value| state.space.number(value).expect("just decided"),
            |_| None,
        )
    }

    /// Arguments with the values that they have under the model.
    pub(crate) fn examples(&self, state: &State, call: &Call) -> NativeArguments {
        let tools = &self.tools;
        let model = &state.space.model;
        let value = |term: &cairn_expr::Term| tools.value(model, term);
        call.map(
            |v| match v {
                Value::Word(word) => *word,
                Value::Symbolic(s) => Word::int(value(&s.bits(&tools.store)).low_u64()),
            },
            |term| Some(value(term)),
        )
    }

    /// The same, made facts.
    pub(crate) fn chosen(&self, state: &mut State, call: &Call) -> NativeArguments {
        let space = std::cell::RefCell::new(&mut state.space);
        call.map(
            |v| match v {
                Value::Word(word) => *word,
                Value::Symbolic(s) => {
                    let bits = s.bits(&self.tools.store);
                    let chosen = space.borrow_mut().choose(&bits, CHOSEN);
                    Word::int(chosen.low_u64())
                }
            },
            |term| Some(space.borrow_mut().choose(term, CHOSEN)),
        )
    }
}

/// What a function made, which it returns or puts where it was told to.
fn made(
    state: &State,
    name: &str,
    call: &Call,
    answer: &[Any<Word, BitVec>],
) -> Result<Option<Word>, Fault> {
    let made = match (name, answer.first()) {
        ("posix_memalign", Some(Any::Value(Word { bits: 0, .. })) | None) => {
            match call.value(0).known() {
                Some(at) => state.space.memory.load_word(at, 8)?,
                None => return Ok(None),
            }
        }
        ("posix_memalign", Some(_)) | (_, Some(Any::Wide(_)) | None) => return Ok(None),
        (_, Some(Any::Value(at))) => *at,
    };
    Ok((made.bits != 0).then_some(made))
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
fn only_prints(name: &str, call: &Call) -> bool {
    let symbolic = |value: &Value| matches!(value, Value::Symbolic(_));
    let mut values = call.values().enumerate();
    PRINTERS.contains(&name)
        && call.results.is_empty()
        && !values.any(|(i, value)| reads_by(name, i) && symbolic(value))
}

pub(crate) type NativeArguments = (Arguments<Word, BitVec>, Vec<Extra<Word, BitVec>>);

/// Arguments that are all known.
pub(crate) fn known(call: &Call) -> NativeArguments {
    call.map(
        |value| value.known().expect("nothing is symbolic"),
        |_| None,
    )
}

fn lift(value: Any<Word, BitVec>) -> Any<Value, Wide> {
    match value {
        Any::Value(word) => Any::Value(Value::Word(word)),
        Any::Wide(bits) => Any::Wide(Wide::Bits(bits)),
    }
}
