//! System calls of an explored program, and what of its environment is an input.
//!
//! # Problem
//!
//! A program with a C library of its own reaches files, arguments and streams by system
//! calls. Their bytes may be inputs; so may numbers that it passes, and names of files. Addresses and
//! descriptors are in `memory/addresses.rs` and `calls/descriptors.rs`.
//!
//! # Idea
//!
//! The system (`cairn-linux`) works on the state's memory, where an unknown byte is copied
//! like any other. What it must know, it asks for before it changes anything: a number becomes a
//! path for each of its values, bytes get one of their values (said in the summary), and a name
//! becomes cases:
//! - it is one of the names that exist, or empty, `.` or `..`, each a case; its bytes are known
//!   then;
//! - it is a plain name (no slash, at most 255 bytes) of nothing that exists, and the call fails
//!   with the same error for all such names: one case, and nothing becomes known but that. Only if
//!   the system says that it listed all plain names that exist;
//! - it is any other name: it gets one of its values, and the summary says so;
//! - it has no end inside of its object: an error.
//!
//! # Soundness
//!
//! The guards exclude each other and leave nothing out. That all plain names that
//! do not exist fail alike is tried with one of them, on a copy of the system; the kernel's
//! answer depends on such a name only by what exists. `tests/environment.rs` of the command has a
//! program for each exception.

use crate::calls::address_sinks;
use crate::calls::arguments;
use crate::calls::assumptions;
use crate::calls::clocks;
use crate::calls::descriptors;
use crate::calls::dispatch;
use crate::calls::intrinsics;
use crate::calls::intrinsics::{Assumed, IntrinsicCall, IntrinsicFamily, klee};
use crate::finding::{FindingKind, Outcome};
use crate::gate::Why;
use crate::memory::access;
use crate::memory::sizes::open_access;
use crate::omission::Omission;
use crate::path::cases::{Case, Effect, StepOutcome};
use crate::path::decisions::Decision;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::path::transition;
use crate::values::address_notes;
use crate::values::moving_addresses;
use crate::values::symbolic_domain::AccessError;
use crate::values::value::Value;
use cairn_expr::Term;
use cairn_linux::{self as linux, BitsRelation, Errno, Kernel, Need, Reply, SIGNAL_ABORT, Stream};
use cairn_machine::SignalHandler;
use cairn_machine::natives::{Ending, ReplyMeaning};
use cairn_memory::{Fault, ObjectId, Word};

/// The function by which a C library calls the system.
pub(crate) const SYSTEM_CALL: &str = "__cairn_syscall";

pub(crate) const FUNCTIONS: IntrinsicFamily = &[
    (SYSTEM_CALL, system_call),
    ("__cairn_environment", environment),
    ("__cairn_assumed", assumed),
    ("__cairn_unsupported", unsupported),
];

/// The longest name of a file with its folders, and the longest without.
const LONGEST_NAME: u64 = 4096;
const LONGEST_PLAIN: usize = 255;

/// Signals that say that a program is wrong, whichever process sent them: SIGILL, SIGBUS, SIGFPE, SIGSEGV.
const SIGNALS_OF_ERRORS: [u32; 4] = [4, 7, 8, 11];

/// What a program printed on a path, under a model. A stream is `None` if it has bytes that no
/// test holds, or if the program was told the time or the like, which may be part of what it prints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrintedOutput {
    /// To standard output.
    pub output: Option<Vec<u8>>,
    /// To standard error.
    pub errors: Option<Vec<u8>>,
    /// To each of those at the other ends of its sockets, if there are any.
    pub sockets: Option<Vec<Vec<u8>>>,
}

fn system_call(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let number = state.domain.number(&call.value(0))?.bits;
    let Some(abi) = state.library.system.as_ref().map(Kernel::abi) else {
        return Ok(transition::error(
            step,
            state,
            FindingKind::Model,
            "a system call without a system",
        ));
    };
    if abi.ends_program(number) {
        address_sinks::note_exit(step, state, &call.value(1));
    }
    if abi.ends_program(number)
        && let Value::Symbolic(_) = call.value(1)
    {
        let code = call.value(1);
        let low = step.cx.store.extract(&code.term(&step.cx.store, 64), 7, 0);
        let code = Value::from_term(step.cx.store.zero_extend(&low, 24), Word::int(0).object);
        return Ok(dispatch::exit_with(step, state, "_exit", &code));
    }
    let signature = abi.signature(number);
    let given = arguments::system_arguments(step, state, call, signature, number)?;
    let args = given.words;
    for i in 0..args.len() {
        // Hardly ever one, so this is asked first.
        let is_part = call.value(i + 1).object().is_part();
        if is_part && signature.looks_at(i, &args) != linux::ArgumentUse::Nothing {
            address_notes::note_address(&mut state.domain);
        }
    }
    let staged = given.stage(state)?;
    let args = staged.words;
    let system = state.library.system.as_mut().expect("just looked at");
    let chosen = system.given().to_vec();
    let reply = system.call(&mut state.domain.memory, number, args);
    let name = abi.name(number);
    if let (
        Reply::Return(_) | Reply::Handle { .. } | Reply::Waited(..),
        linux::Exactness::OneOf(what),
    ) = (&reply, system.exactness())
    {
        assumptions::note_system(step, state, name, what);
    }
    if let Reply::Return(answer) = reply {
        let name = name.unwrap_or("");
        address_sinks::note_told(step, state, name, &args, &chosen, answer);
    }
    staged.take_back(state, &reply)?;
    match ReplyMeaning::from(reply) {
        ReplyMeaning::Need(need) => need_cases(step, state, call, (number, args), need),
        answered => {
            // What is nowhere now may be in an object that is made later, or be opened.
            state.domain.forget_nowhere_and_classes();
            returned(step, state, call, name, answered)
        }
    }
}

/// The call has happened.
fn returned(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
    name: Option<&'static str>,
    answered: ReplyMeaning,
) -> Result<StepOutcome, AccessError> {
    match answered {
        ReplyMeaning::Return(word) => {
            let system = state.library.system.as_ref().expect("it answered");
            if matches!(name, Some("alarm" | "setitimer")) && system.has_timer() {
                state.leave_out(step.shared, Omission::TimerSignal);
            }
            let word = match name {
                Some("brk") if moving_addresses::is_machine_code(&state.domain) => Word {
                    object: ObjectId::ADDRESS,
                    ..word
                },
                _ => word,
            };
            intrinsics::answer(step, state, call, Value::Word(word))
        }
        ReplyMeaning::Ends(Ending::Fault(fault)) => Err(AccessError::Fault(fault)),
        ReplyMeaning::Ends(Ending::Handler(handler)) if step.shared.config.code.is_some() => {
            let what = Omission::SignalHandler(handler.delivery.signal);
            Ok(StepOutcome::End(Outcome::Stopped(what)))
        }
        ReplyMeaning::Ends(ending) => Ok(dispatch::library_end(step, state, ending)),
        ReplyMeaning::Random { length, .. } => {
            intrinsics::answer(step, state, call, Value::int(length))
        }
        ReplyMeaning::Clock(reading) => clocks::read_clock(step, state, call, &reading),
        ReplyMeaning::Waited(waited, then) => match clocks::wait(step, state, &waited)? {
            Some(ended) => Ok(ended),
            None => returned(step, state, call, name, *then),
        },
        ReplyMeaning::Unknown(name) => {
            state.leave_out(step.shared, Omission::SystemCall(name));
            intrinsics::answer(step, state, call, Value::Word(Errno::ENOSYS.reply()))
        }
        ReplyMeaning::Need(_) => unreachable!("nothing has happened"),
    }
}

/// Nothing has happened: the call must know something first.
fn need_cases(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
    (number, args): (u64, [Word; 6]),
    need: Need,
) -> Result<StepOutcome, AccessError> {
    match need {
        Need::Bytes { at, length } => {
            dispatch::choose_bytes(state, at, length)?;
            state.thread.retry();
            Ok(StepOutcome::Go)
        }
        need @ (Need::Address { .. } | Need::Descriptor { .. } | Need::Number { .. }) => {
            descriptors::give_system(step, state, &need)
        }
        Need::Path {
            at,
            mut candidates,
            all_plain,
        } => {
            for special in [&b""[..], b".", b".."] {
                if !candidates.iter().any(|name| name == special) {
                    candidates.push(special.to_vec());
                }
            }
            let failed = match all_plain {
                true => fails_alike(state, (number, args), at, &candidates),
                false => None,
            };
            name_cases(step, state, call, at, &candidates, failed)
        }
        Need::Input => {
            let what = "standard input that comes while the program runs";
            Ok(transition::error(step, state, FindingKind::Model, what))
        }
        Need::Equal { at, bytes, value } => {
            let system = state.library.system.as_mut().expect("it asks");
            system.note_decided();
            let width = 8 * bytes;
            let found = access::load_value(&mut state.domain, &Value::Word(at), bytes)?;
            let store = &step.cx.store;
            let is = store.eq(&found.term(store, width), &store.bv(width, value));
            let is_not = store.not(&is);
            let bytes = value.to_le_bytes()[..bytes as usize].to_vec();
            let known = Effect::RetryWithBytes { at, bytes };
            let mut cases = vec![
                Case::new(is_not, Effect::Retry, Decision::Case(0)),
                Case::new(is, known, Decision::Case(1)),
            ];
            step.gate.drop_folded(state, &mut cases);
            Ok(StepOutcome::Cases(cases))
        }
    }
}

/// The library answers a question of the program in one of several cases.
fn assumed(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let what = intrinsics::text(state, &call.value(0))?;
    // The function that answers is on top of the calls.
    let function = transition::trace(step, state)
        .first()
        .map(|(function, _)| *function);
    let asked = function.map_or("", |f| step.table.program().function(f).name.as_str());
    assumptions::note_assumed(step, state, asked.trim_start_matches('_'), &what);
    intrinsics::answer(step, state, call, Value::int(0))
}

/// The program needs something that is not modelled.
fn unsupported(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let what = intrinsics::text(state, &call.value(0))?;
    Ok(transition::error(step, state, FindingKind::Model, what))
}

/// Makes what is unknown of the system inputs, of which holds what the system says.
fn environment(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let objects = match &state.library.system {
        Some(system) => system.symbolic().to_vec(),
        None => Vec::new(),
    };
    let mut facts = Vec::new();
    for object in objects {
        klee::make_input(state, object.at, object.size, &object.name)?;
        for rule in object.rules.iter().filter(|rule| rule.required) {
            let at = Value::Word(object.at.offset(rule.offset));
            let number = access::load_value(&mut state.domain, &at, rule.bytes)?;
            let store = &step.cx.store;
            let width = 8 * rule.bytes;
            let number = number.term(store, width);
            let meant = store.bv_and(&number, &store.bv(width, rule.mask));
            facts.push(match rule.relation {
                BitsRelation::Equal(bits) => store.eq(&meant, &store.bv(width, bits & rule.mask)),
                BitsRelation::OneBit => {
                    let below = store.bv_sub(&meant, &store.bv(width, 1));
                    store.and_all(&[
                        store.eq(&number, &meant),
                        store.not(&store.eq(&meant, &store.bv(width, 0))),
                        store.eq(&store.bv_and(&meant, &below), &store.bv(width, 0)),
                    ])
                }
                BitsRelation::NotZero => store.not(&store.eq(&meant, &store.bv(width, 0))),
            });
        }
    }
    let all = step.cx.store.and_all(&facts);
    match intrinsics::assume(step, state, &all) {
        Assumed::Holds => intrinsics::answer(step, state, call, Value::int(0)),
        Assumed::Contradicts | Assumed::Unknown(_) => Ok(transition::error(
            step,
            state,
            FindingKind::Model,
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

/// A signal that the program sent itself ends it.
pub(crate) fn signal_end(step: &StepContext<'_>, state: &mut State, signal: u32) -> StepOutcome {
    if signal == SIGNAL_ABORT {
        return transition::error(step, state, FindingKind::Abort, "abort failure");
    }
    if SIGNALS_OF_ERRORS.contains(&signal) {
        let message = format!("signal {signal} ends the program");
        return transition::error(step, state, FindingKind::User, message);
    }
    state.returned = None;
    StepOutcome::End(Outcome::Signal(signal))
}

/// Lets the handler of a signal run in place of the call that sent it.
pub(crate) fn handle(
    step: &StepContext<'_>,
    state: &mut State,
    handler: &SignalHandler,
) -> Result<StepOutcome, AccessError> {
    let domain = &mut state.domain;
    state
        .thread
        .handle(&step.table, domain, handler, Value::Word)?;
    Ok(StepOutcome::Go)
}

fn read_name(step: &StepContext<'_>, state: &mut State, at: Word) -> Result<Name, AccessError> {
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < LONGEST_NAME {
        let here = Value::Word(at.offset(bytes.len() as u64));
        match access::load_value(&mut state.domain, &here, 1) {
            Ok(Value::Word(word)) if word.bits == 0 => {
                return Ok(Name {
                    bytes,
                    endless: None,
                });
            }
            Ok(value) => bytes.push(value.term(&step.cx.store, 8)),
            // Whether an object of unknown size has this byte is decided first.
            Err(AccessError::Fault(fault)) if open_access(&fault).is_none() => {
                return Ok(Name {
                    bytes,
                    endless: Some(fault),
                });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Name {
        bytes,
        endless: None,
    })
}

/// That a name is this one.
fn is_name(step: &StepContext<'_>, name: &Name, wanted: &[u8]) -> Term {
    let store = &step.cx.store;
    let mut all = Vec::with_capacity(wanted.len() + 1);
    for (i, byte) in wanted.iter().chain([&0]).enumerate() {
        match name.bytes.get(i) {
            Some(term) => all.push(store.eq(term, &store.bv(8, u64::from(*byte)))),
            // After the last byte is a known zero.
            None if i == wanted.len() && name.endless.is_none() => {}
            None => return store.false_(),
        }
    }
    store.and_all(&all)
}

/// How a call fails for every plain name of nothing that exists.
struct FailedCall {
    value: Word,
    /// The name of the call, and what its answer assumes.
    assumed: (&'static str, Vec<&'static str>),
}

/// The cases of a name that is not known. `failed` is how the call fails for every
/// plain name that is no candidate, if it fails alike.
fn name_cases(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
    at: Word,
    candidates: &[Vec<u8>],
    failed: Option<FailedCall>,
) -> Result<StepOutcome, AccessError> {
    let name = read_name(step, state, at)?;
    let mut cases = Vec::new();
    let mut case_number = 0;
    let mut next_case = || {
        case_number += 1;
        Decision::Case(case_number - 1)
    };
    let mut named = Vec::new();
    for candidate in candidates {
        let guard = is_name(step, &name, candidate);
        let decision = next_case();
        if guard.is_false() {
            step.gate.conclude(state.facts(), &guard, || Why::Folded);
            continue;
        }
        named.push(guard.clone());
        let mut bytes = candidate.clone();
        bytes.push(0);
        cases.push(Case::new(
            guard,
            Effect::RetryWithBytes { at, bytes },
            decision,
        ));
    }
    let store = &step.cx.store;
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
    let decision = next_case();
    if let Some(failed) = failed.filter(|_| name.bytes.len() <= LONGEST_PLAIN) {
        let slash = store.bv(8, u64::from(b'/'));
        let slashes = name.bytes.iter().map(|b| store.eq(b, &slash));
        let mut special: Vec<Term> = slashes.collect();
        special.extend(others.iter().cloned());
        let plain = store.not(&store.or_all(&special));
        others.push(plain.clone());
        let answer = Effect::ReturnValue {
            value: failed.value,
            results: call.results.len(),
            assumed: failed.assumed,
        };
        cases.push(Case::new(plain, answer, decision));
    }
    let store = &step.cx.store;
    let rest = store.not(&store.or_all(&others));
    let length = name.bytes.len() as u64;
    cases.push(Case::new(
        rest,
        Effect::RetryChoosing { at, length },
        next_case(),
    ));
    if let Some(fault) = &name.endless {
        let finding = transition::fault_finding(step, state, fault);
        cases.push(Case::new(
            endless,
            Effect::Error(Box::new(finding)),
            next_case(),
        ));
    }
    step.gate.drop_folded(state, &mut cases);
    Ok(StepOutcome::Cases(cases))
}

/// How a call fails for every plain name of nothing that exists, if it does.
fn fails_alike(
    state: &State,
    (number, args): (u64, [Word; 6]),
    at: Word,
    candidates: &[Vec<u8>],
) -> Option<FailedCall> {
    let mut system = state.library.system.clone()?;
    let mut memory = state.domain.memory.clone();
    let free = (1..32u8).find(|byte| !candidates.contains(&vec![*byte]))?;
    memory.initialise(at, &[free, 0]).ok()?;
    match system.call(&mut memory, number, args) {
        Reply::Return(value) if (value.bits as i64) < 0 => {
            let name = system.abi().name(number).unwrap_or("a system call");
            let own = match system.exactness() {
                linux::Exactness::OneOf(what) => Some(what),
                linux::Exactness::Exact => None,
            };
            let named = address_sinks::names_address(state, name, &args);
            let assumed = own.into_iter().chain(named).collect();
            Some(FailedCall {
                value,
                assumed: (name, assumed),
            })
        }
        Reply::Return(_)
        | Reply::Fault(_)
        | Reply::Exit(_)
        | Reply::Signal(_)
        | Reply::Handle { .. }
        | Reply::Random { .. }
        | Reply::Clock(_)
        | Reply::Waited(..)
        | Reply::Need(_)
        | Reply::NotModelled { .. }
        | Reply::Unsupported { .. } => None,
    }
}

/// What the program printed on a path, under a model.
pub(crate) fn printed(
    step: &StepContext<'_>,
    state: &State,
    model: &std::rc::Rc<cairn_expr::Model>,
) -> Option<PrintedOutput> {
    let system = state.library.system.as_ref()?;
    if system.output_is_incomparable() {
        return Some(PrintedOutput::default());
    }
    let mut copy = state.domain.clone();
    let mut text = |(object, size): (Option<Word>, u64)| -> Option<Vec<u8>> {
        let mut bytes = Vec::with_capacity(size as usize);
        for i in 0..object.map_or(0, |_| size) {
            let at = Value::Word(object.expect("there is one").offset(i));
            bytes.push(match access::load_value(&mut copy, &at, 1).ok()? {
                Value::Word(word) => word.bits as u8,
                Value::Symbolic(symbolic) => {
                    let term = symbolic.bits(&step.cx.store);
                    if copy.origins.is_hidden(&term) {
                        return None;
                    }
                    step.cx.value(model, &term).low_u64() as u8
                }
            });
        }
        Some(bytes)
    };
    let sent = system.sent();
    Some(PrintedOutput {
        output: text(system.output(Stream::Output)),
        errors: text(system.output(Stream::Errors)),
        sockets: match sent.is_empty() {
            true => None,
            false => sent.into_iter().map(text).collect(),
        },
    })
}
