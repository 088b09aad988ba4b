//! What a system call is given: its arguments, or values that stand for them.
//!
//! # Problem
//!
//! The model of Linux works on known words. An argument that is not known has up to 2^64 values,
//! nearly all of which the call answers alike, and a buffer at an unknown place in an object is the
//! same buffer wherever it is.
//!
//! # Idea
//!
//! What an argument means decides, not its value. Descriptors and addresses have their classes
//! (`calls/descriptors.rs`, `memory/addresses.rs`); for lengths, bounds and least numbers the model says which values
//! are alike ([`cairn_linux::Kernel::classes`]), and one of them stands for all. A buffer that is somewhere in one object, with
//! room for all of its bytes, is handed over as an object of its own: bytes that the call reads are
//! copied there before it, bytes that it has written are copied back from there, at the unknown offset.
//!
//! # Soundness
//!
//! A class is a case of its own, guarded by its bounds. The bytes of a buffer are all that
//! a call touches of it. If there is no room for all of them, wherever that is, the call says so before
//! it looks at which bytes they are.
//!
//! # Cost
//!
//! A case for each class; a read or write of the buffer at an unknown offset.

use crate::calls::descriptors;
use crate::calls::descriptors::{AT_FDCWD, Role, system};
use crate::calls::intrinsics::{IntrinsicCall, klee};
use crate::memory::access;
use crate::memory::addresses;
use crate::memory::addresses::AddressPurpose;
use crate::path::cases::{Case, Effect, StepOutcome};
use crate::path::decisions::Decision;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::path::transition;
use crate::values::symbolic_domain::{AccessError, SymbolicDomain, Undecided};
use crate::values::value::{Symbolic, Value};
use cairn_expr::Term;
use cairn_linux::{ArgumentUse, CallSignature, Classes, Reply};
use cairn_memory::{ObjectInfo, ObjectKind, Word};
use std::rc::Rc;

/// Bytes of a buffer that are read or written at an unknown offset; a larger one is a path for each place.
const MOST_STAGED: u64 = 256;

/// What is known of a number.
pub(crate) enum KnownNumber {
    /// Its value.
    Value(Word),
    /// One that the system answers alike.
    StandsFor(Word),
}

/// The arguments of a call.
pub(crate) struct SystemArguments {
    pub(crate) words: [Word; 6],
    /// The buffer that is somewhere in an object: which argument, and where.
    buffer: Option<Buffer>,
}

struct Buffer {
    index: usize,
    at: Rc<Symbolic>,
    length: u64,
    written: bool,
}

/// The arguments of a call as the system is given them.
pub(crate) struct StagedArguments {
    pub(crate) words: [Word; 6],
    buffer: Option<(Buffer, Word)>,
}

impl SystemArguments {
    /// Makes an object for a buffer that is somewhere in another.
    pub(crate) fn stage(self, state: &mut State) -> Result<StagedArguments, AccessError> {
        let mut words = self.words;
        let Some(buffer) = self.buffer else {
            return Ok(StagedArguments {
                words,
                buffer: None,
            });
        };
        let domain = &mut state.domain;
        let stage = domain
            .memory
            .allocate(ObjectKind::Kernel, buffer.length, 8)?;
        if !buffer.written {
            let from = Value::Symbolic(Rc::clone(&buffer.at));
            access::copy_bytes(domain, &Value::Word(stage), &from, buffer.length, false)?;
        }
        words[buffer.index] = stage;
        Ok(StagedArguments {
            words,
            buffer: Some((buffer, stage)),
        })
    }
}

impl StagedArguments {
    /// Copies what the system has written to where it belongs. Random bytes that are to be an input
    /// become one first.
    pub(crate) fn take_back(&self, state: &mut State, reply: &Reply) -> Result<(), AccessError> {
        if let Reply::Random { at, length } = reply {
            klee::make_input(state, *at, *length, "random")?;
        }
        let Some((buffer, stage)) = &self.buffer else {
            return Ok(());
        };
        let length = match reply {
            Reply::Return(count) if (count.bits as i64) > 0 => count.bits.min(buffer.length),
            Reply::Random { length, .. } => *length,
            Reply::Return(_)
            | Reply::Fault(_)
            | Reply::Exit(_)
            | Reply::Signal(_)
            | Reply::Handle { .. }
            | Reply::Clock(_)
            | Reply::Waited(..)
            | Reply::Need(_)
            | Reply::NotModelled { .. }
            | Reply::Unsupported { .. } => 0,
        };
        let domain = &mut state.domain;
        if buffer.written && length > 0 {
            let to = Value::Symbolic(Rc::clone(&buffer.at));
            access::copy_bytes(domain, &to, &Value::Word(*stage), length, false)?;
        }
        domain.memory.release(*stage);
        Ok(())
    }
}

/// A number of which classes of values are alike.
pub(crate) fn number_of_class(
    domain: &SymbolicDomain,
    value: &Value,
    classes: &Classes,
) -> Result<KnownNumber, AccessError> {
    let symbolic = match value {
        Value::Word(word) => return Ok(KnownNumber::Value(*word)),
        Value::Symbolic(symbolic) => symbolic,
    };
    let term = symbolic.bits(&domain.cx.store);
    if let Some(known) = domain.decided_number(&term) {
        return Ok(KnownNumber::Value(Word::int(known)));
    }
    match domain.decided_class(&term, classes) {
        Some(range) => Ok(KnownNumber::StandsFor(Word::int(classes.stands(range)))),
        None => Err(AccessError::Undecided(Undecided::Class {
            term,
            classes: Box::new(classes.clone()),
        })),
    }
}

/// The arguments of a system call, or words that stand for them.
pub(crate) fn system_arguments(
    step: &StepContext<'_>,
    state: &State,
    call: &IntrinsicCall,
    signature: &CallSignature,
    number: u64,
) -> Result<SystemArguments, AccessError> {
    let mut given = SystemArguments {
        words: [Word::int(0); 6],
        buffer: None,
    };
    for i in signature.order() {
        let takes = signature.looks_at(i, &given.words);
        if takes == ArgumentUse::Nothing {
            continue;
        }
        let value = call.value(i + 1);
        given.words[i] = match &value {
            Value::Word(word) => *word,
            Value::Symbolic(_) => {
                symbolic_argument(step, state, call, (number, takes, i), &value, &mut given)?
            }
        };
    }
    Ok(given)
}

/// An argument that is not known.
fn symbolic_argument(
    step: &StepContext<'_>,
    state: &State,
    call: &IntrinsicCall,
    (number, takes, i): (u64, ArgumentUse, usize),
    value: &Value,
    given: &mut SystemArguments,
) -> Result<Word, AccessError> {
    let name = || system(state).and_then(|system| system.abi().name(number));
    match takes {
        ArgumentUse::Nothing => Ok(Word::int(0)),
        ArgumentUse::Int => {
            if name() == Some("close_range") && i == 0 && !is_range(step, state, call)? {
                // From a higher number to a lower one, whatever they are.
                return Ok(match lower_half(step, &call.value(2)) {
                    Value::Word(last) => Word::int(u64::from(last.bits as u32) + 1),
                    Value::Symbolic(_) => Word::int(1),
                });
            }
            if name() == Some("close_range") && i == 1 && !is_range(step, state, call)? {
                return Ok(Word::int(
                    u64::from(given.words[0].bits as u32).saturating_sub(1),
                ));
            }
            class_argument(state, number, i, &lower_half(step, value), given)
        }
        ArgumentUse::Word => {
            let value = without_unwritten(step, state, value);
            class_argument(state, number, i, &value, given)
        }
        ArgumentUse::Address => {
            let value = without_unwritten(step, state, value);
            addresses::known_address(&state.domain, &value, AddressPurpose::System)
        }
        ArgumentUse::Buffer { written } => {
            let value = without_unwritten(step, state, value);
            let length = match without_unwritten(step, state, &call.value(i + 2)) {
                Value::Word(length) => Some(length.bits),
                Value::Symbolic(_) => None,
            };
            match (value, length) {
                (Value::Symbolic(at), Some(length)) => {
                    buffer_argument(step, state, (i, at, length, written), given)
                }
                (value, _) => {
                    addresses::known_address(&state.domain, &value, AddressPurpose::System)
                }
            }
        }
        ArgumentUse::Folder => {
            descriptors::descriptor(step, state, value, Role::Used(Some(AT_FDCWD)))
        }
        ArgumentUse::Descriptor if name() == Some("dup3") => {
            match lower_half(step, &call.value(i + 2)) {
                Value::Word(new) => {
                    descriptors::descriptor(step, state, value, Role::Used(Some(new.bits as u32)))
                }
                Value::Symbolic(_) => state.domain.number(&lower_half(step, value)),
            }
        }
        ArgumentUse::Descriptor => descriptors::descriptor(step, state, value, Role::Used(None)),
        ArgumentUse::NewDescriptor => {
            let old = given.words[i - 1].bits as u32;
            let open = system(state).is_some_and(|s| s.descriptors().any(|n| n == old));
            if !open && name() == Some("dup2") {
                // It fails, whatever the new number would be.
                return Ok(Word::int(0));
            }
            descriptors::descriptor(step, state, value, Role::Made(old))
        }
    }
}

/// Whether the first of two numbers is not the higher one: those of `close_range`.
fn is_range(
    step: &StepContext<'_>,
    state: &State,
    call: &IntrinsicCall,
) -> Result<bool, AccessError> {
    let store = &step.cx.store;
    let [first, last] = [1, 2].map(|i| store.extract(&call.value(i).term(store, 64), 31, 0));
    let (one, none) = (store.bv(64, 1), store.bv(64, 0));
    let is = store.ite(&store.bv_ule(&first, &last), &one, &none);
    let is = state
        .domain
        .number(&Value::from_term(is, Word::int(0).object))?;
    Ok(is.bits == 1)
}

/// A number, or one that the call answers alike.
fn class_argument(
    state: &State,
    number: u64,
    i: usize,
    value: &Value,
    given: &SystemArguments,
) -> Result<Word, AccessError> {
    let memory = &state.domain.memory;
    // A buffer that is not at a known place has room for all of its bytes.
    let classes = match given.buffer {
        None => system(state).and_then(|s| s.classes(memory, number, &given.words, i)),
        Some(_) => None,
    };
    match classes {
        None => state.domain.number(value),
        Some(classes) => Ok(match number_of_class(&state.domain, value, &classes)? {
            KnownNumber::Value(word) | KnownNumber::StandsFor(word) => word,
        }),
    }
}

/// The address of a buffer of a known length.
fn buffer_argument(
    step: &StepContext<'_>,
    state: &State,
    (index, at, length, written): (usize, Rc<Symbolic>, u64, bool),
    given: &mut SystemArguments,
) -> Result<Word, AccessError> {
    let domain = &state.domain;
    let value = Value::Symbolic(Rc::clone(&at));
    let known =
        domain.number(&value).is_ok() || domain.decided_nowhere(&at.bits(&step.cx.store)).is_some();
    if known {
        return addresses::known_address(domain, &value, AddressPurpose::System);
    }
    let Some((object, window)) = domain.decided_access(&at, 0) else {
        return addresses::known_address(domain, &value, AddressPurpose::System);
    };
    let info = domain.memory.info(Word { bits: 0, object })?;
    // Bytes of addresses are told apart by where they are.
    let start = Word {
        bits: info.address,
        object: info.object,
    };
    let holds_addresses =
        domain.tracks_addresses && domain.memory.address_bytes(start, info.capacity, 1) != 0;
    let ordinary = window.is_none()
        && !holds_addresses
        && step.shared.config.code.is_none()
        && !domain.reaches_any
        && !info.open
        && info.size <= MOST_STAGED * 16
        && (1..=MOST_STAGED).contains(&length)
        && (!written || info.kind != ObjectKind::Constant);
    if !ordinary {
        return addresses::known_address(domain, &value, AddressPurpose::System);
    }
    if domain.decided_access(&at, length).is_none() {
        return Err(AccessError::Undecided(Undecided::Room {
            address: at,
            length,
            info,
        }));
    }
    given.buffer = Some(Buffer {
        index,
        at,
        length,
        written,
    });
    // What it is replaced by is made when all arguments are known.
    Ok(Word::int(0))
}

/// Where in an object a buffer is: with room for all of its bytes, or not.
pub(crate) fn room_cases(
    step: &mut StepContext<'_>,
    state: &State,
    address: &Symbolic,
    length: u64,
    info: &ObjectInfo,
) -> StepOutcome {
    let store = &step.cx.store;
    let term = address.bits(store);
    let offset = store.bv_sub(&term, &store.bv(64, info.address));
    let last = info.size.checked_sub(length);
    let fits = match last {
        Some(last) => store.bv_ule(&offset, &store.bv(64, last)),
        None => store.false_(),
    };
    let too_near_the_end = Effect::RetryNowhere {
        address: term.clone(),
        value: info.address + last.map_or(0, |last| last + 1),
    };
    let inside = Effect::RetryAccess {
        address: address.term.clone(),
        length,
        object: info.object,
        window: None,
    };
    let mut cases = vec![
        Case::new(fits.clone(), inside, Decision::Case(0)),
        Case::new(store.not(&fits), too_near_the_end, Decision::Case(1)),
    ];
    step.gate.drop_folded(state, &mut cases);
    StepOutcome::Cases(cases)
}

/// A number that must be known up to its class: it is in the class of the model's value, or in
/// another.
pub(crate) fn class_cases(
    step: &mut StepContext<'_>,
    state: &State,
    term: &Term,
    classes: &Classes,
) -> StepOutcome {
    let store = &step.cx.store;
    let value = state.guide.next_decision().and_then(Decision::value);
    let value = value.unwrap_or_else(|| {
        let value = step.cx.value(&state.domain.model, term);
        value.to_u64().expect("a word")
    });
    let (first, last) = classes.of(value);
    let (is, effect) = if first == last {
        let known = Effect::RetryNumber {
            term: term.clone(),
            value,
        };
        (store.eq(term, &store.bv(64, value)), known)
    } else {
        let offset = store.bv_sub(term, &store.bv(64, first));
        let known = Effect::RetryClass {
            term: term.clone(),
            classes: Box::new(classes.clone()),
            range: (first, last),
        };
        (store.bv_ule(&offset, &store.bv(64, last - first)), known)
    };
    let is_not = store.not(&is);
    StepOutcome::Cases(vec![
        Case::new(is, effect, Decision::Is(first)),
        Case::new(is_not, Effect::Retry, Decision::IsNot(first)),
    ])
}

/// An `int` that `syscall` was given where a word is taken: it is variadic, so the upper half of the
/// argument's place was never written, and processors put zeros there. Every other caller of the system
/// passes words, whose unwritten bytes are an error to find.
pub(crate) fn without_unwritten(step: &StepContext<'_>, state: &State, given: &Value) -> Value {
    let store = &step.cx.store;
    let unwritten = match given {
        Value::Word(_) => false,
        Value::Symbolic(symbolic) => {
            let bits = symbolic.bits(store);
            let half = |high, low| {
                state
                    .domain
                    .origins
                    .is_hidden(&store.extract(&bits, high, low))
            };
            let caller = transition::trace(step, state)
                .first()
                .map(|(function, _)| *function);
            let variadic = caller
                .is_some_and(|function| step.table.program().function(function).name == "syscall");
            variadic && bits.width() == 64 && half(63, 32) && !half(31, 0)
        }
    };
    match unwritten {
        true => lower_half(step, given),
        false => given.clone(),
    }
}

/// The lower 32 bits of a value, as a word.
pub(crate) fn lower_half(step: &StepContext<'_>, given: &Value) -> Value {
    match given {
        Value::Word(_) => given.clone(),
        Value::Symbolic(_) => {
            let store = &step.cx.store;
            let low = store.extract(&given.term(store, 64), 31, 0);
            Value::from_term(store.zero_extend(&low, 32), Word::int(0).object)
        }
    }
}
