//! Calls of natives and of the system in a stretch that is traced.
//!
//! Both work on memory by themselves. The memory notes what they touch ([`cairn_memory::Touch`]); what they read is required,
//! what they copy keeps its sources, and what they write or return came from what is required. State that they
//! keep outside of memory is one cell.

use super::cells::CoarseCell;
use super::domain::{Traced, TracingDomain};
use super::sources::Sources;
use super::stretch::{TracedCode, Untraceable};
use super::target::MOST_BYTES;
use super::trace::Trace;
use crate::calls::dispatch::{DiscardedOutput, lift};
use crate::calls::new_objects;
use crate::calls::system;
use crate::values::address_notes;
use crate::values::value::{Value, Wide};
use cairn_bv::BitVec;
use cairn_linux::{ArgumentUse, Errno};
use cairn_machine::natives::{self, Ending, Library, Native, NativeContext, ReplyMeaning};
use cairn_machine::{AnyValue, Extra, FrameArguments, RUNTIME_PREFIX, Stop, StopOf, Thread};
use cairn_memory::{Fault, Touch, Word};

/// What became of a call.
pub(super) enum OutsideCall {
    /// The thread goes on after it, or in code that stands in for it.
    Returned,
    /// It does not return.
    Ended(Ending),
    /// It was not made: the stretch ends before it.
    NotTraced,
}

type TracedThread = Thread<Traced<Value>, Traced<Wide>>;
type TracedAny = AnyValue<Traced<Value>, Traced<Wide>>;

/// Makes the call at which a thread has stopped, if it is of a native or of the system and its arguments are known.
pub(super) fn call(
    code: &TracedCode,
    domain: &mut TracingDomain,
    library: &mut Library,
    thread: &mut TracedThread,
    stop: &StopOf<TracingDomain>,
) -> OutsideCall {
    let Stop::Bodiless {
        function,
        args,
        extra,
        results,
    } = stop
    else {
        return OutsideCall::NotTraced;
    };
    let all = || {
        let named = args.iter().map(|(value, _)| value);
        named.chain(extra.iter().map(|e| &e.value))
    };
    // A memory of objects of symbolic size is asked for more than its words.
    if !domain.inner.sizes.is_empty() {
        return OutsideCall::NotTraced;
    }
    for any in all() {
        match any {
            AnyValue::Value(value) => domain.require(value),
            AnyValue::Wide(wide) => domain.require(wide),
        }
    }
    let name = code.table.program().function(*function).name.as_str();
    if name == system::SYSTEM_CALL {
        let words: Vec<Option<Word>> = all().map(known_word).collect();
        return system_call(code, domain, library, thread, &words);
    }
    let Some(native) = code.natives.get(function.index()).copied().flatten() else {
        return OutsideCall::NotTraced;
    };
    let Some((args, extra)) = known_arguments(args, extra) else {
        return OutsideCall::NotTraced;
    };
    match call_native(code, domain, library, native, (args, extra), results) {
        Ok(answer) => {
            let answer = answer.into_iter().map(|any| match lift(any) {
                AnyValue::Value(value) => AnyValue::Value(Traced::constant(value)),
                AnyValue::Wide(wide) => AnyValue::Wide(Traced::constant(wide)),
            });
            thread.answer(&code.table, answer.collect());
            OutsideCall::Returned
        }
        Err(Ending::Fault(Fault::Symbolic { .. })) => {
            let program = code.table.program();
            let Some(body) = program.find_function(&format!("{RUNTIME_PREFIX}{name}")) else {
                return OutsideCall::NotTraced;
            };
            let wanted = program.function(body).params.len();
            let args = all().take(wanted).cloned().collect();
            match thread.divert(&code.table, domain, body, args) {
                Ok(()) => OutsideCall::Returned,
                Err(_) => OutsideCall::NotTraced,
            }
        }
        Err(ending) => OutsideCall::Ended(ending),
    }
}

fn known_word(any: &TracedAny) -> Option<Word> {
    match any {
        AnyValue::Value(value) => value.value.known(),
        AnyValue::Wide(_) => None,
    }
}

type KnownArguments = (FrameArguments<Word, BitVec>, Vec<Extra<Word, BitVec>>);

/// The arguments on concrete values, if all of them are known.
fn known_arguments(
    args: &FrameArguments<Traced<Value>, Traced<Wide>>,
    extra: &[Extra<Traced<Value>, Traced<Wide>>],
) -> Option<KnownArguments> {
    let one = |any: &TracedAny| match any {
        AnyValue::Value(value) => value.value.known().map(AnyValue::Value),
        AnyValue::Wide(wide) => match &wide.value {
            Wide::Bits(bits) => Some(AnyValue::Wide(bits.clone())),
            Wide::Term(_) => None,
        },
    };
    let args = args.iter().map(|(any, width)| Some((one(any)?, *width)));
    let extra = extra.iter().map(|e| {
        Some(Extra {
            value: one(&e.value)?,
            width: e.width,
            class: e.class,
        })
    });
    Some((args.collect::<Option<_>>()?, extra.collect::<Option<_>>()?))
}

/// Calls a native as a path does. Where that meets a byte that is not known, nothing has happened.
fn call_native(
    code: &TracedCode,
    domain: &mut TracingDomain,
    library: &mut Library,
    native: Native,
    (args, extra): KnownArguments,
    results: &[u32],
) -> Result<Vec<AnyValue<Word, BitVec>>, Ending> {
    let name = native.name();
    let first = match args.first() {
        Some((AnyValue::Value(word), _)) => Some(*word),
        Some((AnyValue::Wide(_), _)) | None => None,
    };
    let before = (domain.inner.memory.clone(), library.clone());
    cairn_memory::watch(&mut domain.inner.memory);
    let kept = new_objects::bytes_kept(&domain.inner, name, first);
    let functions = |address: u64| code.table.function_at(address);
    let mut around = NativeContext {
        memory: &mut domain.inner.memory,
        library,
        output: &mut DiscardedOutput,
        functions: &functions,
    };
    let mut result = natives::call(native, &mut around, args, extra, results);
    if let (Ok(answer), Some(kept)) = (&result, kept)
        && let Err(fault) =
            new_objects::leave_unwritten(&mut domain.inner, name, first, answer, kept)
    {
        result = Err(fault.into());
    }
    let touches = cairn_memory::unwatch(&mut domain.inner.memory);
    domain.trace().require_coarse(CoarseCell::Outside);
    if let Err(Ending::Fault(Fault::Symbolic { .. })) = result {
        (domain.inner.memory, *library) = before;
        look(domain.trace(), &touches);
    } else {
        follow(domain.trace(), &touches);
    }
    result
}

/// Makes a system call, if what the system looks at is known and it answers at once.
fn system_call(
    code: &TracedCode,
    domain: &mut TracingDomain,
    library: &mut Library,
    thread: &mut TracedThread,
    given: &[Option<Word>],
) -> OutsideCall {
    let Some(Some(number)) = given.first().map(|number| number.map(|word| word.bits)) else {
        return OutsideCall::NotTraced;
    };
    let before = (domain.inner.memory.clone(), library.clone());
    let Some(system) = library.system.as_mut() else {
        return OutsideCall::NotTraced;
    };
    let signature = system.abi().signature(number);
    let mut words = [Word::int(0); 6];
    for i in signature.order() {
        if signature.looks_at(i, &words) == ArgumentUse::Nothing {
            continue;
        }
        match given.get(i + 1) {
            Some(Some(word)) => words[i] = *word,
            Some(None) => return OutsideCall::NotTraced,
            None => {}
        }
        if words[i].object.is_part() {
            address_notes::note_address(&mut domain.inner);
        }
    }
    cairn_memory::watch(&mut domain.inner.memory);
    let reply = system.call(&mut domain.inner.memory, number, words);
    let touches = cairn_memory::unwatch(&mut domain.inner.memory);
    domain.trace().require_coarse(CoarseCell::Outside);
    let answer = match ReplyMeaning::from(reply) {
        ReplyMeaning::Return(word) => word,
        ReplyMeaning::Unknown(_) => Errno::ENOSYS.reply(),
        ReplyMeaning::Ends(Ending::Handler(_))
        | ReplyMeaning::Random { .. }
        | ReplyMeaning::Clock(_)
        | ReplyMeaning::Waited(..)
        | ReplyMeaning::Need(_) => {
            (domain.inner.memory, *library) = before;
            look(domain.trace(), &touches);
            return OutsideCall::NotTraced;
        }
        ReplyMeaning::Ends(ending) => {
            follow(domain.trace(), &touches);
            return OutsideCall::Ended(ending);
        }
    };
    follow(domain.trace(), &touches);
    domain.inner.forget_nowhere_and_classes();
    let answer = Traced::constant(Value::Word(answer));
    thread.answer(&code.table, vec![AnyValue::Value(answer)]);
    OutsideCall::Returned
}

/// What a call has looked at before it was undone: that it was is because of what was there.
fn look(trace: &mut Trace, touches: &[Touch]) {
    for touch in touches {
        match *touch {
            Touch::Copied {
                from: (object, offset),
                length,
                ..
            }
            | Touch::Read {
                object,
                offset,
                length,
            } => {
                if length > MOST_BYTES {
                    return trace.give_up(Untraceable::Large);
                }
                let read = trace.shadow.read(&mut trace.sets, object, offset, length);
                trace.require(read);
            }
            Touch::Wrote { .. } | Touch::Made(_) => {}
            Touch::LookedAt(_) | Touch::Room | Touch::Layout | Touch::Everything => {
                follow(trace, std::slice::from_ref(touch));
            }
        }
    }
}

/// Follows what a call has done with memory.
fn follow(trace: &mut Trace, touches: &[Touch]) {
    for touch in touches {
        match *touch {
            Touch::LookedAt(object) => trace.require_object(object),
            Touch::Read { length, .. }
            | Touch::Wrote { length, .. }
            | Touch::Copied { length, .. }
                if length > MOST_BYTES =>
            {
                trace.give_up(Untraceable::Large);
            }
            Touch::Read {
                object,
                offset,
                length,
            } => {
                let read = trace.shadow.read(&mut trace.sets, object, offset, length);
                trace.require(read);
            }
            Touch::Wrote {
                object,
                offset,
                length,
            } => trace.shadow.write(object, offset, length, Sources::NONE),
            Touch::Copied { to, from, length } => {
                trace.shadow.copy(&mut trace.sets, to, from, length);
            }
            Touch::Made(object) => trace.shadow.make(object),
            Touch::Room => trace.require_coarse(CoarseCell::Heap),
            Touch::Layout => trace.require_coarse(CoarseCell::Layout),
            Touch::Everything => trace.give_up(Untraceable::AllMemory),
        }
    }
}
