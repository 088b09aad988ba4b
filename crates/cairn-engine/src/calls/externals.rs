//! Calls of functions of the host, where a run allows them.
//!
//! # Problem
//!
//! A program calls a function that neither the program nor Cairn defines.
//!
//! # Idea
//!
//! [`Externals`] knows which functions of the host there are and how their arguments are
//! passed. The engine hands it known values and copies of the objects that pointers point into; it
//! gives back the result and the objects as they are afterwards.
//!
//! # Soundness
//!
//! A call has known arguments: a symbolic one is an error of the path, or gets the
//! value it has under the path's model, which becomes a fact and is noted, as the policy says.
//! What the host answers is outside of Cairn: a path with such a call holds for that answer only,
//! which is noted too. A path that is run again is told what it was told before (`calls/host_answers.rs`). Pointers inside
//! of objects are not followed.
//!
//! # Cost
//!
//! A copy of each object to and fro.

use crate::calls::dispatch;
use crate::calls::dispatch::{NativeArguments, known_arguments};
use crate::calls::host_answers::HostAnswer;
use crate::calls::intrinsics::IntrinsicCall;
use crate::calls::machine_code;
use crate::finding::FindingKind;
use crate::gate::{OnReplay, Verdict};
use crate::memory::sizes;
use crate::omission::Omission;
use crate::path::cases::StepOutcome;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::path::transition;
use crate::values::symbolic_domain::AccessError;
use crate::values::value::{Value, Wide};
use cairn_bv::BitVec;
use cairn_ir::FuncId;
use cairn_linux::ClockReading;
use cairn_machine::AnyValue;
use cairn_memory::{Fault, ObjectInfo, ObjectKind, Word};
use std::fmt::Debug;
use std::sync::Arc;

/// Bytes of an object that is copied to the host.
const LARGEST: u64 = 64 << 20;

/// How the notes of calls end that say that a path holds for one answer of the host only.
pub const HOST_CALLED: &str = "of the host was called";

/// The error of a call where none is made.
pub(crate) const DISALLOWED: &str = "external calls disallowed";

/// Which calls of the host are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExternalPolicy {
    /// None.
    Never,
    /// Those with known arguments.
    Concrete,
    /// All; symbolic arguments get one of their values.
    All,
}

/// How a value is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassedAs {
    /// An integer of at most 64 bits.
    Integer,
    /// The address of an object, or null.
    Pointer,
    /// A double.
    Double,
}

/// What a function of the host takes and gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Its parameters.
    pub params: Vec<PassedAs>,
    /// Its result, if it has one.
    pub result: Option<PassedAs>,
}

/// A value that a function of the host is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExternalArgument {
    /// How it is passed.
    pub passed: PassedAs,
    /// Its bits; of a pointer the program's address.
    pub bits: u64,
}

/// A call of a function of the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalCall {
    /// The function.
    pub name: String,
    /// Its arguments.
    pub args: Vec<ExternalArgument>,
    /// How its result is passed.
    pub result: Option<PassedAs>,
    /// Objects that arguments point into: first address and bytes.
    pub objects: Vec<(u64, Vec<u8>)>,
}

/// What a function of the host did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExternalReply {
    /// Its result; a pointer into an object is an address of the program.
    pub result: u64,
    /// The objects' bytes now, in the order of the call.
    pub objects: Vec<Vec<u8>>,
}

/// The host, as far as a run may use it.
pub trait Externals: Send + Sync + Debug {
    /// Which calls are made.
    fn policy(&self) -> ExternalPolicy;
    /// How a function is called; `None` if there is no such function or it is not known how.
    fn signature(&self, name: &str) -> Option<Signature>;
    /// Calls it, and gives up when told to.
    ///
    /// # Errors
    /// Why there is no answer: the function crashed, the host is gone, or it was given up.
    fn call(
        &self,
        call: &ExternalCall,
        give_up: &dyn Fn() -> bool,
    ) -> Result<ExternalReply, String>;
    /// Says that a function is called: its name, its arguments, and where.
    fn calling(&self, name: &str, args: &[u64], place: &str);
}

/// Answers that a test holds at most.
const MOST_TOLD: usize = 1000;

/// What an answer is in a test, where a native run can be told it again: a time or the number of the
/// process. What a generator of random numbers answers depends on its seed, and native programs have
/// their own.
fn recorded_answer(call: &ExternalCall, reply: &ExternalReply) -> Option<(&'static str, Vec<u8>)> {
    const REALTIME: u32 = 0;
    const PROCESS: u32 = 2;
    // The words that an argument points to, as they are now.
    let words = |i: usize| -> Option<[u64; 2]> {
        let at = call.args.get(i)?.bits;
        call.objects
            .iter()
            .zip(&reply.objects)
            .find_map(|(o, now)| {
                let rest = now.get(usize::try_from(at.checked_sub(o.0)?).ok()?..)?;
                let (words, _) = rest.as_chunks::<8>();
                Some([
                    u64::from_le_bytes(*words.first()?),
                    u64::from_le_bytes(*words.get(1)?),
                ])
            })
    };
    let (clock, [seconds, nanos]) = match (call.name.as_str(), reply.result) {
        ("getpid", pid) => return Some(("pid", (pid as u32).to_le_bytes().to_vec())),
        ("time", now) => (REALTIME, [now, 0]),
        ("clock", micros) => (PROCESS, [micros / 1_000_000, micros % 1_000_000 * 1000]),
        ("gettimeofday", 0) => {
            let [seconds, micros] = words(0)?;
            (REALTIME, [seconds, micros.checked_mul(1000)?])
        }
        ("clock_gettime", 0) => (call.args.first()?.bits as u32, words(1)?),
        _ => return None,
    };
    let bytes = [seconds, nanos].into_iter().flat_map(u64::to_le_bytes);
    Some((ClockReading::name(clock), bytes.collect()))
}

/// The path ends: a function of the host cannot be called.
fn fails(
    step: &mut StepContext<'_>,
    state: &mut State,
    message: String,
) -> Result<StepOutcome, AccessError> {
    let kind = FindingKind::External;
    Ok(transition::error(step, state, kind, message))
}

/// A function without a definition is called.
pub(crate) fn call_host(
    step: &mut StepContext<'_>,
    state: &mut State,
    function: FuncId,
    call: &IntrinsicCall,
) -> Result<StepOutcome, AccessError> {
    let function = step.shared.program.function(function);
    let name = function.name.clone();
    let Some(host) = step.shared.config.externals.clone() else {
        let message = format!("{name} is not defined and not provided");
        return fails(step, state, message);
    };
    if host.policy() == ExternalPolicy::Never {
        return Ok(transition::error(
            step,
            state,
            FindingKind::User,
            DISALLOWED,
        ));
    }
    let signature = host.signature(&name);
    let Some(signature) = signature.filter(|s| s.params.len() == call.args.len()) else {
        let message = format!("failed external call: {name}");
        return fails(step, state, message);
    };
    let again = state.guide.answers.front().cloned();
    let Some((words, chose)) = arguments(step, state, call, host.policy(), again.as_deref()) else {
        let message = format!("external call with symbolic argument: {name}");
        return fails(step, state, message);
    };
    let mut infos: Vec<ObjectInfo> = Vec::new();
    let mut objects = Vec::new();
    for (word, passed) in words.iter().zip(&signature.params) {
        if *passed != PassedAs::Pointer || word.bits == 0 {
            continue;
        }
        let info = state.domain.memory.info(*word)?;
        let info = sizes::closed(&mut state.domain, info)?;
        if infos.iter().any(|known| known.address == info.address) {
            continue;
        }
        if info.size > LARGEST {
            let message = format!("failed external call: {name}");
            return fails(step, state, message);
        }
        objects.push((info.address, bytes_of(state, &info)?));
        infos.push(info);
    }
    let answer = match again {
        Some(answer) => {
            state.guide.answers.pop_front();
            answer
        }
        None => match ask(step, state, &*host, &name, &signature, (&words, objects))? {
            Some(reply) => Arc::new(HostAnswer {
                args: words,
                chose,
                ..reply
            }),
            None => {
                let message = format!("failed external call: {name}");
                return fails(step, state, message);
            }
        },
    };
    // Not all of what the host answered is in the test.
    state.domain.origins.note_hidden();
    if let Some(told) = &answer.told
        && state.told.len() < MOST_TOLD
    {
        state.told.push(told.clone());
    }
    for (info, new) in infos.iter().zip(&answer.objects) {
        if let Some(new) = new
            && info.kind != ObjectKind::Constant
        {
            let at = Word {
                bits: info.address,
                object: info.object,
            };
            state.domain.memory.store_bytes(at, new)?;
        }
    }
    let result = answer.result;
    state.host_answers.push(answer);
    let answer = |width: u32| {
        if width > 64 {
            return AnyValue::Wide(Wide::Bits(BitVec::zero(width)));
        }
        let mask = cairn_bv::mask(width);
        AnyValue::Value(Value::int(result & mask))
    };
    let answers = call.results.iter().map(|width| answer(*width)).collect();
    state.thread.answer(&step.table, answers);
    Ok(StepOutcome::Go)
}

/// The arguments of a call, and whether they were given one of their values for it; `None` if they must be known
/// and are not. A path that is run again has those that it had.
fn arguments(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
    policy: ExternalPolicy,
    again: Option<&HostAnswer>,
) -> Option<(Vec<Word>, bool)> {
    let words = |(args, _): NativeArguments| {
        let word = |any: &AnyValue<Word, BitVec>| match any {
            AnyValue::Value(word) => *word,
            AnyValue::Wide(_) => Word::int(0),
        };
        args.iter().map(|(any, _)| word(any)).collect()
    };
    if let Some(again) = again {
        if again.chose {
            // It becomes known what was chosen.
            dispatch::chosen(step, state, call);
        }
        return Some((again.args.clone(), again.chose));
    }
    if !call.is_symbolic() {
        Some((words(known_arguments(call)), false))
    } else if have_one_value(step, state, call) {
        Some((words(dispatch::examples(step, state, call)), false))
    } else if policy == ExternalPolicy::All {
        Some((words(dispatch::chosen(step, state, call)), true))
    } else {
        None
    }
}

/// Calls a function of the host; nothing if it gave no answer.
fn ask(
    step: &StepContext<'_>,
    state: &State,
    host: &dyn Externals,
    name: &str,
    signature: &Signature,
    (words, objects): (&[Word], Vec<(u64, Vec<u8>)>),
) -> Result<Option<HostAnswer>, AccessError> {
    let bits: Vec<u64> = words.iter().map(|w| w.bits).collect();
    let place = transition::trace(step, state)
        .first()
        .map(|(_, place)| *place);
    let place = place.map(|p| machine_code::place_text(step, p));
    let place = place.unwrap_or_default();
    host.calling(name, &bits, &place);
    let pairs = bits.iter().zip(&signature.params);
    let request = ExternalCall {
        name: name.to_string(),
        args: pairs
            .map(|(&bits, &passed)| ExternalArgument { passed, bits })
            .collect(),
        result: signature.result,
        objects,
    };
    let reply = match host.call(&request, &|| step.shared.over()) {
        Ok(reply) => reply,
        Err(_) if step.shared.over() => {
            return Err(AccessError::Interrupted(step.shared.ended_by()));
        }
        Err(_) => return Ok(None),
    };
    state.leave_out(step.shared, Omission::HostCalled(place, name.to_string()));
    let told = recorded_answer(&request, &reply);
    let pairs = reply.objects.into_iter().zip(&request.objects);
    Ok(Some(HostAnswer {
        result: reply.result,
        objects: pairs
            .map(|(new, (_, old))| (new != *old).then_some(new))
            .collect(),
        told,
        ..HostAnswer::default()
    }))
}

/// Whether the facts leave each argument one value.
fn have_one_value(step: &mut StepContext<'_>, state: &State, call: &IntrinsicCall) -> bool {
    let store = &step.cx.store;
    let wide = call.args.iter().any(|(any, _)| match any {
        AnyValue::Wide(Wide::Term(_)) => true,
        AnyValue::Wide(Wide::Bits(_)) | AnyValue::Value(_) => false,
    });
    // A number of more than a word is no argument of a function that can be called.
    !wide
        && call.values().all(|value| match value {
            Value::Word(_) => true,
            Value::Symbolic(symbolic) => {
                let term = &symbolic.term;
                let example = step.cx.value(&state.domain.model, term);
                let other = store.not(&store.eq(term, &store.constant(example)));
                let again = OnReplay::Impossible;
                let verdict = step.gate.ask(&step.cx, state, &other, again);
                matches!(verdict, Verdict::Impossible(_))
            }
        })
}

/// The bytes of an object; symbolic ones get the values that they have under the model.
fn bytes_of(state: &mut State, info: &ObjectInfo) -> Result<Vec<u8>, AccessError> {
    let at = Word {
        bits: info.address,
        object: info.object,
    };
    let mut bytes = vec![0; info.size as usize];
    loop {
        match state.domain.memory.load_bytes(at, &mut bytes) {
            Ok(()) => return Ok(bytes),
            Err(Fault::Symbolic { address, length }) => {
                dispatch::choose_bytes(state, Word::int(address), length)?;
            }
            Err(fault) => return Err(fault.into()),
        }
    }
}
