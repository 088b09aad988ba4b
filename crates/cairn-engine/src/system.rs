//! System calls of an explored program, and what of its environment is an input.
//!
//! - **Problem.** A program with a C library of its own reaches files, arguments and streams by system
//!   calls. Their bytes may be inputs; so may numbers that it passes, and names of files. Addresses and
//!   descriptors are in `addresses.rs` and `descriptors.rs`.
//! - **Idea.** The system (`cairn-linux`) works on the state's memory, where an unknown byte is copied
//!   like any other. What it must know, it asks for before it changes anything: a number becomes a
//!   path for each of its values, bytes get one of their values (said in the summary), and a name
//!   becomes cases:
//!   - it is one of the names that exist, or empty, `.` or `..`, each a case; its bytes are known
//!     then;
//!   - it is a plain name (no slash, at most 255 bytes) of nothing that exists, and the call fails
//!     with the same error for all such names: one case, and nothing becomes known but that. Only if
//!     the system says that it listed all plain names that exist;
//!   - it is any other name: it gets one of its values, and the summary says so;
//!   - it has no end inside of its object: an error.
//! - **Why it is right.** The guards exclude each other and leave nothing out. That all plain names that
//!   do not exist fail alike is tried with one of them, on a copy of the system; the kernel's
//!   answer depends on such a name only by what exists. `tests/environment.rs` of the command has a
//!   program for each exception.

use crate::cases::{Case, Effect, Next};
use crate::decisions::Decision;
use crate::finding::{Kind, Outcome};
use crate::gate::Why;
use crate::intrinsics::{Assumed, Call, Family, klee};
use crate::omission::Omission;
use crate::shared::LIBRARY_FILES;
use crate::sizes::open_access;
use crate::space::Trouble;
use crate::state::State;
use crate::value::Value;
use crate::worker::Worker;
use cairn_expr::Term;
use cairn_linux::{self as linux, Abi, Errno, Kernel, Need, Relation, Reply, SIGNAL_ABORT, Stream};
use cairn_machine::Handler;
use cairn_memory::{Fault, Word};

pub(crate) const FUNCTIONS: Family = &[
    ("__cairn_syscall", system_call),
    ("__cairn_environment", environment),
    ("__cairn_assumed", assumed),
    ("__cairn_unsupported", unsupported),
];

/// The longest name of a file with its folders, and the longest without.
const LONGEST_NAME: u64 = 4096;
const LONGEST_PLAIN: usize = 255;

/// Signals that say that a program is wrong, whoever sent them: SIGILL, SIGBUS, SIGFPE, SIGSEGV.
const SIGNALS_OF_ERRORS: [u32; 4] = [4, 7, 8, 11];

/// What a program printed on a path, under a model. Nothing is said of a stream with bytes that no
/// test holds, nor if the program was told the time or the like, which may be part of what it prints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// To standard output.
    pub output: Option<Vec<u8>>,
    /// To standard error.
    pub errors: Option<Vec<u8>>,
    /// To each of those at the other ends of its sockets, if there are any.
    pub sockets: Option<Vec<Vec<u8>>>,
}

fn offset(at: Word, by: u64) -> Word {
    Word {
        bits: at.bits.wrapping_add(by),
        ..at
    }
}

/// Whether a call ends the program with its first argument.
fn ends(abi: Abi, number: u64) -> bool {
    match abi {
        Abi::X86_64 => matches!(number, 60 | 231),
        Abi::Riscv64 => matches!(number, 93 | 94),
    }
}

fn system_call(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let number = state.space.number(&call.value(0))?.bits;
    let Some(abi) = state.library.system.as_ref().map(Kernel::abi) else {
        return Ok(w.error(state, Kind::Model, "a system call without a system"));
    };
    if ends(abi, number) {
        w.note_exit(state, &call.value(1));
    }
    if ends(abi, number)
        && let Value::Symbolic(_) = call.value(1)
    {
        let code = call.value(1);
        let low = w.tools.store.extract(&code.term(&w.tools.store, 64), 7, 0);
        let code = Value::from_term(w.tools.store.zero_extend(&low, 24), Word::int(0).object);
        return Ok(w.exit_with(state, "_exit", &code));
    }
    let args = w.system_arguments(state, call, abi, number)?;
    for i in 0..args.len() {
        // Hardly ever one, so this is asked first.
        let is_part = call.value(i + 1).object().is_part();
        if is_part && abi.takes(number, &args[..i]) != linux::Takes::Nothing {
            state.space.note_address();
        }
    }
    let system = state.library.system.as_mut().expect("just looked at");
    let reply = system.call(&mut state.space.memory, number, args);
    if let (Reply::Return(_), linux::Answer::OneOf(what)) = (&reply, system.answered()) {
        w.note_assumed(state, abi.name(number).unwrap_or("a system call"), what);
    }
    if let Reply::Return(_) = reply {
        w.note_told(state, abi.name(number).unwrap_or(""), &args);
    }
    if !matches!(reply, Reply::Need(_)) {
        // What is nowhere now may be in an object that is made later, or be opened.
        state.space.forget_nowhere();
    }
    let system = state.library.system.as_mut().expect("just looked at");
    match reply {
        Reply::Return(word) => {
            if matches!(abi.name(number), Some("alarm" | "setitimer")) && system.has_timer() {
                w.shared.leave_out(Omission::TimerSignal);
            }
            w.answer(state, call, Value::Word(word))
        }
        Reply::Fault(fault) => Err(Trouble::Fault(fault)),
        Reply::Exit(code) => {
            state.returned = None;
            Ok(w.exited(state, code))
        }
        Reply::Signal(signal) => Ok(w.signal_end(state, signal)),
        Reply::Handle {
            signal,
            handler,
            information,
            value,
        } => {
            if w.shared.config.code.is_some() {
                let what = Omission::SignalHandler(signal);
                return Ok(Next::End(Outcome::Stopped(what)));
            }
            let handler = Handler {
                signal,
                address: handler,
                information,
                value: Some(value),
            };
            w.handle(state, &handler)
        }
        Reply::Random { at, length } => {
            klee::make_input(state, at, length, "random")?;
            w.answer(state, call, Value::int(length))
        }
        Reply::Clock(reading) => w.read_clock(state, call, &reading),
        Reply::Need(Need::Bytes { at, length }) => {
            w.choose_bytes(state, at, length)?;
            state.thread.retry();
            Ok(Next::Go)
        }
        Reply::Need(Need::Number { at, bytes }) => {
            let value = state.space.load_value(&Value::Word(at), bytes)?;
            let number = state.space.number(&value)?;
            state.space.make_known_word(at, number)?;
            state.thread.retry();
            Ok(Next::Go)
        }
        Reply::Need(need @ (Need::Address { .. } | Need::Descriptor { .. })) => {
            w.give_system(state, &need)
        }
        Reply::Need(Need::Path {
            at,
            mut candidates,
            all_plain,
        }) => {
            for special in [&b""[..], b".", b".."] {
                if !candidates.iter().any(|name| name == special) {
                    candidates.push(special.to_vec());
                }
            }
            let failed = if all_plain {
                w.fails_alike(state, (number, args), at, &candidates)
            } else {
                None
            };
            w.name_cases(state, call, at, &candidates, failed)
        }
        Reply::Need(Need::Input) => {
            let what = "standard input that comes while the program runs";
            Ok(w.error(state, Kind::Model, what))
        }
        Reply::Need(Need::Equal { at, bytes, value }) => {
            system.note_decided();
            let width = 8 * bytes;
            let found = state.space.load_value(&Value::Word(at), bytes)?;
            let store = &w.tools.store;
            let is = store.eq(&found.term(store, width), &store.bv(width, value));
            let is_not = store.not(&is);
            let bytes = value.to_le_bytes()[..bytes as usize].to_vec();
            let known = Effect::RetryKnowing { at, bytes };
            let mut cases = vec![
                Case::new(is_not, Effect::Retry, Decision::Way(0)),
                Case::new(is, known, Decision::Way(1)),
            ];
            w.gate.drop_folded(state, &mut cases);
            Ok(Next::Cases(cases))
        }
        Reply::Unknown { number, name } => {
            let name = name.map_or_else(|| format!("number {number}"), str::to_string);
            w.shared.leave_out(Omission::SystemCall(name));
            w.answer(state, call, Value::Word(Errno::ENOSYS.reply()))
        }
        Reply::Unsupported { what } => Ok(w.error(state, Kind::Model, what)),
    }
}

/// The library answers a question of the program in one of several ways.
fn assumed(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let what = w.text(state, &call.value(0))?;
    // The function that answers is on top of the calls.
    let function = w.trace(state).first().map(|(function, _)| *function);
    let asked = function.map_or("", |f| w.table.program().function(f).name.as_str());
    w.note_assumed(state, asked.trim_start_matches('_'), &what);
    w.answer(state, call, Value::int(0))
}

/// The program needs something that is not modelled.
fn unsupported(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let what = w.text(state, &call.value(0))?;
    Ok(w.error(state, Kind::Model, what))
}

/// Makes what is unknown of the system inputs, of which holds what the system says.
fn environment(w: &mut Worker<'_>, state: &mut State, call: &Call) -> Result<Next, Trouble> {
    let objects = match &state.library.system {
        Some(system) => system.symbolic().to_vec(),
        None => Vec::new(),
    };
    let mut facts = Vec::new();
    for object in objects {
        klee::make_input(state, object.at, object.size, &object.name)?;
        for rule in object.rules.iter().filter(|rule| rule.required) {
            let at = Value::Word(offset(object.at, rule.offset));
            let number = state.space.load_value(&at, rule.bytes)?;
            let store = &w.tools.store;
            let width = 8 * rule.bytes;
            let number = number.term(store, width);
            let meant = store.bv_and(&number, &store.bv(width, rule.mask));
            facts.push(match rule.relation {
                Relation::Equal(bits) => store.eq(&meant, &store.bv(width, bits & rule.mask)),
                Relation::OneBit => {
                    let below = store.bv_sub(&meant, &store.bv(width, 1));
                    store.and_all(&[
                        store.eq(&number, &meant),
                        store.not(&store.eq(&meant, &store.bv(width, 0))),
                        store.eq(&store.bv_and(&meant, &below), &store.bv(width, 0)),
                    ])
                }
                Relation::NotZero => store.not(&store.eq(&meant, &store.bv(width, 0))),
            });
        }
    }
    let all = w.tools.store.and_all(&facts);
    match w.assume(state, &all) {
        Assumed::Holds => w.answer(state, call, Value::int(0)),
        Assumed::Contradicts | Assumed::Unknown(_) => Ok(w.error(
            state,
            Kind::Model,
            "what is unknown of the environment cannot be made",
        )),
    }
}

/// A name of a file with bytes that are not known.
struct Name {
    bytes: Vec<Term>,
    /// What is wrong if it has no end there.
    endless: Option<Fault>,
}

/// How the names of the files of the C++ library begin.
const CXX_LIBRARY_FILES: &str = "llvm/";

/// Functions of C libraries that ask the system for their own sake: for their start, how a stream is
/// to be buffered, and which thread initialises a static variable. What they are told does not reach the
/// program.
const LIBRARY_ASKS: [&str; 23] = [
    "__cxa_guard_acquire",
    "__init_tp",
    "__init_libc",
    "__stdout_write",
    "__fdopen",
    "_IO_file_doallocate",
    "__libc_setup_tls",
    "__libc_init_secure",
    "__libc_init_first",
    "__libc_early_init",
    "__libc_initial",
    "_dl_non_dynamic_init",
    "_dl_relocate_static_pie",
    "_dl_discover_osversion",
    "__tunables_init",
    "tcache_key_initialize",
    "ptmalloc_init",
    "nearbyint",
    "nearbyintf",
    "nearbyintl",
    "lrint",
    "llrint",
    "fmal",
];

impl Worker<'_> {
    /// An answer of the system stands for others: what was explored is not everything.
    pub(crate) fn note_assumed(&self, state: &State, asked: &str, what: &str) {
        if self.shared.config.unsupported_are_errors {
            return;
        }
        let program = self.table.program();
        let mut place = None;
        for (function, at) in self.trace(state) {
            let name = program.function(function).name.as_str();
            let text = self.place_text(at);
            let executable = self.shared.config.code.is_some();
            let in_library = executable
                || text.starts_with(LIBRARY_FILES)
                || text.starts_with(CXX_LIBRARY_FILES);
            if in_library && LIBRARY_ASKS.contains(&name) {
                return;
            }
            if executable {
                // Files do not tell an executable's library from its program.
                place.get_or_insert(text);
                if name == "main" {
                    break;
                }
            } else if name == "main" || !text.starts_with(LIBRARY_FILES) {
                place = Some(text);
                break;
            }
        }
        self.shared.leave_out(Omission::Assumed {
            at: place,
            asked: asked.to_string(),
            what: what.to_string(),
        });
    }

    /// An `int` that `syscall` was given where a word is taken: it is variadic, so the upper half of the
    /// argument's place was never written, and processors put zeros there. Every other caller of the system
    /// passes words, whose unwritten bytes are an error to find.
    pub(crate) fn without_unwritten(&self, state: &State, given: &Value) -> Value {
        let store = &self.tools.store;
        let unwritten = match given {
            Value::Word(_) => false,
            Value::Symbolic(symbolic) => {
                let bits = symbolic.bits(store);
                let half = |high, low| {
                    state
                        .space
                        .origins
                        .is_hidden(&store.extract(&bits, high, low))
                };
                let caller = self.trace(state).first().map(|(function, _)| *function);
                let variadic = caller.is_some_and(|function| {
                    self.table.program().function(function).name == "syscall"
                });
                variadic && bits.width() == 64 && half(63, 32) && !half(31, 0)
            }
        };
        match unwritten {
            true => self.lower_half(given),
            false => given.clone(),
        }
    }

    /// The lower 32 bits of a value, as a word.
    pub(crate) fn lower_half(&self, given: &Value) -> Value {
        match given {
            Value::Word(_) => given.clone(),
            Value::Symbolic(_) => {
                let store = &self.tools.store;
                let low = store.extract(&given.term(store, 64), 31, 0);
                Value::from_term(store.zero_extend(&low, 32), Word::int(0).object)
            }
        }
    }

    /// A signal that the program sent itself ends it.
    pub(crate) fn signal_end(&self, state: &mut State, signal: u32) -> Next {
        if signal == SIGNAL_ABORT {
            return self.error(state, Kind::Abort, "abort failure");
        }
        if SIGNALS_OF_ERRORS.contains(&signal) {
            let message = format!("signal {signal} ends the program");
            return self.error(state, Kind::User, message);
        }
        state.returned = None;
        Next::End(Outcome::Signal(signal))
    }

    /// Lets the handler of a signal run in place of the call that sent it.
    pub(crate) fn handle(&self, state: &mut State, handler: &Handler) -> Result<Next, Trouble> {
        let space = &mut state.space;
        state
            .thread
            .handle(&self.table, space, handler, Value::Word)?;
        Ok(Next::Go)
    }

    fn read_name(&self, state: &mut State, at: Word) -> Result<Name, Trouble> {
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < LONGEST_NAME {
            let here = Value::Word(offset(at, bytes.len() as u64));
            match state.space.load_value(&here, 1) {
                Ok(Value::Word(word)) if word.bits == 0 => {
                    return Ok(Name {
                        bytes,
                        endless: None,
                    });
                }
                Ok(value) => bytes.push(value.term(&self.tools.store, 8)),
                // Whether an object of unknown size has this byte is decided first.
                Err(Trouble::Fault(fault)) if open_access(&fault).is_none() => {
                    return Ok(Name {
                        bytes,
                        endless: Some(fault),
                    });
                }
                Err(trouble) => return Err(trouble),
            }
        }
        Ok(Name {
            bytes,
            endless: None,
        })
    }

    /// That a name is this one.
    fn is_name(&self, name: &Name, wanted: &[u8]) -> Term {
        let store = &self.tools.store;
        let mut all = Vec::with_capacity(wanted.len() + 1);
        for (i, byte) in wanted.iter().chain([&0]).enumerate() {
            match name.bytes.get(i) {
                Some(term) => all.push(store.eq(term, &store.bv(8, u64::from(*byte)))),
                // Behind the last byte is a known zero.
                None if i == wanted.len() && name.endless.is_none() => {}
                None => return store.false_(),
            }
        }
        store.and_all(&all)
    }

    /// The ways to go on with a name that is not known. `failed` is what the call returns for every
    /// plain name that is no candidate, if it is the same.
    fn name_cases(
        &mut self,
        state: &mut State,
        call: &Call,
        at: Word,
        candidates: &[Vec<u8>],
        failed: Option<Word>,
    ) -> Result<Next, Trouble> {
        let name = self.read_name(state, at)?;
        let mut cases = Vec::new();
        let mut way = 0;
        let mut next_way = || {
            way += 1;
            Decision::Way(way - 1)
        };
        let mut named = Vec::new();
        for candidate in candidates {
            let guard = self.is_name(&name, candidate);
            let decision = next_way();
            if guard.is_false() {
                self.gate.conclude(&state.facts, &guard, || Why::Folded);
                continue;
            }
            named.push(guard.clone());
            let mut bytes = candidate.clone();
            bytes.push(0);
            cases.push(Case::new(
                guard,
                Effect::RetryKnowing { at, bytes },
                decision,
            ));
        }
        let store = &self.tools.store;
        let endless = match &name.endless {
            Some(_) => {
                let zero = store.bv(8, 0);
                let ends = name.bytes.iter().map(|b| store.eq(b, &zero));
                store.not(&store.or_all(&ends.collect::<Vec<_>>()))
            }
            None => store.false_(),
        };
        let mut others = named;
        others.push(endless.clone());
        let decision = next_way();
        if let Some(failed) = failed.filter(|_| name.bytes.len() <= LONGEST_PLAIN) {
            let slash = store.bv(8, u64::from(b'/'));
            let slashes = name.bytes.iter().map(|b| store.eq(b, &slash));
            let mut special: Vec<Term> = slashes.collect();
            special.extend(others.iter().cloned());
            let plain = store.not(&store.or_all(&special));
            others.push(plain.clone());
            let answer = Effect::Answer {
                value: failed,
                results: call.results.len(),
            };
            cases.push(Case::new(plain, answer, decision));
        }
        let store = &self.tools.store;
        let rest = store.not(&store.or_all(&others));
        let length = name.bytes.len() as u64;
        cases.push(Case::new(
            rest,
            Effect::RetryChoosing { at, length },
            next_way(),
        ));
        if let Some(fault) = &name.endless {
            let finding = self.fault_finding(state, fault);
            cases.push(Case::new(
                endless,
                Effect::Error(Box::new(finding)),
                next_way(),
            ));
        }
        self.gate.drop_folded(state, &mut cases);
        Ok(Next::Cases(cases))
    }

    /// What a call returns for every plain name of nothing that exists, if it fails for them.
    fn fails_alike(
        &self,
        state: &State,
        (number, args): (u64, [Word; 6]),
        at: Word,
        candidates: &[Vec<u8>],
    ) -> Option<Word> {
        let mut system = state.library.system.clone()?;
        let mut memory = state.space.memory.clone();
        let free = (1..32u8).find(|byte| !candidates.contains(&vec![*byte]))?;
        memory.initialise(at, &[free, 0]).ok()?;
        match system.call(&mut memory, number, args) {
            Reply::Return(word) if (word.bits as i64) < 0 => Some(word),
            Reply::Return(_)
            | Reply::Fault(_)
            | Reply::Exit(_)
            | Reply::Signal(_)
            | Reply::Handle { .. }
            | Reply::Random { .. }
            | Reply::Clock(_)
            | Reply::Need(_)
            | Reply::Unknown { .. }
            | Reply::Unsupported { .. } => None,
        }
    }

    /// What the program printed on a path, under a model.
    pub(crate) fn printed(
        &self,
        state: &State,
        model: &std::rc::Rc<cairn_expr::Model>,
    ) -> Option<Printed> {
        let system = state.library.system.as_ref()?;
        if system.varies() {
            return Some(Printed::default());
        }
        let mut copy = state.space.clone();
        let mut text = |(object, size): (Option<Word>, u64)| -> Option<Vec<u8>> {
            let mut bytes = Vec::with_capacity(size as usize);
            for i in 0..object.map_or(0, |_| size) {
                let at = Value::Word(offset(object.expect("there is one"), i));
                bytes.push(match copy.load_value(&at, 1).ok()? {
                    Value::Word(word) => word.bits as u8,
                    Value::Symbolic(symbolic) => {
                        let term = symbolic.bits(&self.tools.store);
                        if copy.origins.is_hidden(&term) {
                            return None;
                        }
                        self.tools.value(model, &term).low_u64() as u8
                    }
                });
            }
            Some(bytes)
        };
        let sent = system.sent();
        Some(Printed {
            output: text(system.output(Stream::Output)),
            errors: text(system.output(Stream::Errors)),
            sockets: match sent.is_empty() {
                true => None,
                false => sent.into_iter().map(text).collect(),
            },
        })
    }
}
