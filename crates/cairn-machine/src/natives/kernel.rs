//! System calls of a program that has a C library of its own, and what else such a library asks of
//! the machine.
//!
//! The system is a model of Linux (`cairn-linux`) that works on the program's memory. What it is given
//! to print is handed on after each call.

use super::{Ending, NativeCall, NativeFamily, NativeResult, Stream, int32};
use crate::signals::SignalHandler;
use cairn_linux::{ClockForm, ClockReading, Errno, Need, Reply, SIGNAL_ABORT, Waited};
use cairn_memory::{Fault, Word};

pub(super) const FUNCTIONS: NativeFamily = &[
    ("__cairn_syscall", system_call),
    ("__cairn_environment", environment),
    ("__cairn_has_argument", has_argument),
    ("__cairn_assumed", assumed),
    ("__cairn_unsupported", unsupported),
];

/// What a reply of the system means to the program, whether its values are known or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyMeaning {
    /// The call returns this.
    Return(Word),
    /// The call does not return, or not yet.
    Ends(Ending),
    /// The call returns so many bytes, which are inputs.
    Random {
        /// Where they are written.
        at: Word,
        /// How many.
        length: u64,
    },
    /// The call tells the time, which is an input.
    Clock(ClockReading),
    /// The call has waited, and how long is an input; then it means this.
    Waited(Waited, Box<ReplyMeaning>),
    /// The system must know something before it can answer; nothing has happened.
    Need(Need),
    /// There is no model of the call, whose name or number this is: it fails as one that Linux does not
    /// have.
    Unknown(String),
}

impl From<Reply> for ReplyMeaning {
    fn from(reply: Reply) -> Self {
        match reply {
            Reply::Return(word) => ReplyMeaning::Return(word),
            Reply::Fault(fault) => ReplyMeaning::Ends(Ending::Fault(fault)),
            Reply::Exit(code) => ReplyMeaning::Ends(Ending::ExitNow(code)),
            Reply::Signal(SIGNAL_ABORT) => ReplyMeaning::Ends(Ending::Abort),
            Reply::Signal(signal) => ReplyMeaning::Ends(Ending::Signal(signal)),
            Reply::Handle { delivery, value } => {
                ReplyMeaning::Ends(Ending::Handler(SignalHandler {
                    delivery,
                    value: Some(value),
                }))
            }
            Reply::Random { at, length } => ReplyMeaning::Random { at, length },
            Reply::Clock(reading) => ReplyMeaning::Clock(reading),
            Reply::Waited(waited, then) => {
                ReplyMeaning::Waited(waited, Box::new(ReplyMeaning::from(*then)))
            }
            Reply::Need(need) => ReplyMeaning::Need(need),
            Reply::NotModelled { number, name } => ReplyMeaning::Unknown(
                name.map_or_else(|| format!("number {number}"), str::to_string),
            ),
            Reply::Unsupported { what } => {
                ReplyMeaning::Ends(Ending::NotModelled(what.to_string()))
            }
        }
    }
}

fn system_call(call: &mut NativeCall<'_>) -> NativeResult {
    let number = call.bits(0);
    let args = std::array::from_fn(|i| call.word(i + 1));
    let Some(system) = &mut call.library.system else {
        return Err(Ending::NotModelled(
            "a system call without a system".to_string(),
        ));
    };
    let mut reply = system.call(call.memory, number, args);
    if reply == Reply::Need(Need::Input) {
        // A prompt must be visible before its answer is awaited.
        call.output.flush();
        let input = call.output.next_input();
        reply = match system.give_input(call.memory, &input) {
            Ok(()) => system.call(call.memory, number, args),
            Err(errno) => Reply::error(errno),
        };
    }
    print(call)?;
    returned(call, ReplyMeaning::from(reply))
}

/// The call has happened.
fn returned(call: &mut NativeCall<'_>, answered: ReplyMeaning) -> NativeResult {
    match answered {
        ReplyMeaning::Return(word) => Ok(word),
        ReplyMeaning::Ends(ending) => {
            call.library.left_at_once |= matches!(ending, Ending::ExitNow(_));
            Err(ending)
        }
        ReplyMeaning::Random { at, length } => {
            let bytes = call.input("the system", "random", length)?;
            call.memory.store_bytes(at, &bytes)?;
            Ok(Word::int(length))
        }
        ReplyMeaning::Clock(reading) => read_clock(call, &reading),
        ReplyMeaning::Waited(waited, then) => {
            leave_time(call, &waited)?;
            returned(call, *then)
        }
        ReplyMeaning::Need(_) => Err(Ending::NotModelled(
            "a system call with bytes that are not known".to_string(),
        )),
        ReplyMeaning::Unknown(name) => {
            if !call.library.unknown_calls.contains(&name) {
                call.library.unknown_calls.push(name);
            }
            Ok(Errno::ENOSYS.reply())
        }
    }
}

/// Puts the time that a test holds where the program wants it.
fn read_clock(call: &mut NativeCall<'_>, reading: &ClockReading) -> NativeResult {
    let mut name = ClockReading::name(reading.clock);
    let inputs = call.library.inputs.as_ref();
    if inputs.is_some_and(|inputs| !inputs.has(name) && inputs.has(ClockReading::OLD_NAME)) {
        name = ClockReading::OLD_NAME;
    }
    let (seconds, nanos) = input_time(call, name)?;
    if let Some((to, form)) = reading.to {
        store_time(call, to, form, (seconds, nanos))?;
    }
    Ok(Word::int(match reading.returns_seconds {
        true => seconds,
        false => 0,
    }))
}

/// Seconds and nanoseconds that a test holds.
fn input_time(call: &mut NativeCall<'_>, name: &str) -> Result<(u64, u64), Ending> {
    let bytes = call.input("the system", name, 16)?;
    let (seconds, nanos) = bytes.split_at(8);
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    Ok((number(seconds), number(nanos)))
}

fn store_time(
    call: &mut NativeCall<'_>,
    to: Word,
    form: ClockForm,
    (seconds, nanos): (u64, u64),
) -> Result<(), Ending> {
    let fraction = match form {
        ClockForm::Seconds => None,
        ClockForm::Nanoseconds => Some(nanos),
        ClockForm::Microseconds => Some(nanos / 1000),
    };
    call.memory.store_bytes(to, &seconds.to_le_bytes())?;
    if let Some(fraction) = fraction {
        call.memory
            .store_bytes(to.offset(8), &fraction.to_le_bytes())?;
    }
    Ok(())
}

/// Puts what a test says that is left of a time where the program wants it.
fn leave_time(call: &mut NativeCall<'_>, waited: &Waited) -> Result<(), Ending> {
    match *waited {
        Waited::Until { .. } => Ok(()),
        Waited::Partly { to, form, .. } => {
            let left = input_time(call, Waited::LEFT)?;
            store_time(call, to, form, left)
        }
    }
}

/// Hands on what the system was given to print since the last call.
fn print(call: &mut NativeCall<'_>) -> Result<(), Fault> {
    let Some(system) = &call.library.system else {
        return Ok(());
    };
    for (i, stream) in [Stream::Output, Stream::Errors].into_iter().enumerate() {
        let (object, size) = system.output(stream);
        let printed = &mut call.library.printed[i];
        let Some(object) = object.filter(|_| size > *printed) else {
            continue;
        };
        let mut bytes = vec![0; (size - *printed) as usize];
        call.memory
            .load_bytes(object.offset(*printed), &mut bytes)?;
        *printed = size;
        if stream == Stream::Errors {
            call.output.flush();
        }
        call.output.write(stream, &bytes);
    }
    Ok(())
}

/// Fills in what of the system is an input of the program.
fn environment(call: &mut NativeCall<'_>) -> NativeResult {
    let system = call.library.system.as_ref();
    let unknown = system.map(|system| system.symbolic().to_vec());
    for object in unknown.unwrap_or_default() {
        let bytes = call.input("the environment", &object.name, object.size)?;
        call.memory.initialise(object.at, &bytes)?;
    }
    Ok(int32(0))
}

/// The library says that its answer is one of several: only an exploration cares.
fn assumed(_: &mut NativeCall<'_>) -> NativeResult {
    Ok(int32(0))
}

/// The program needs something that is not modelled.
fn unsupported(call: &mut NativeCall<'_>) -> NativeResult {
    let what = call.string(call.word(0))?;
    Err(Ending::NotModelled(
        String::from_utf8_lossy(&what).into_owned(),
    ))
}

/// Bytes of a `va_list`'s area for general registers.
const REGISTERS: u64 = 48;

/// Whether a list of arguments has another word. The machine makes the areas that such a list points
/// to just as large as the arguments are.
fn has_argument(call: &mut NativeCall<'_>) -> NativeResult {
    let list = call.word(0);
    let used = call.memory.load_word(list, 4)?.bits;
    let at = if used < REGISTERS {
        (call.memory.load_word(list.offset(16), 8)?).offset(used)
    } else {
        call.memory.load_word(list.offset(8), 8)?
    };
    let fits = match call.memory.info(at) {
        Ok(info) => at.bits + 8 <= info.address + info.size,
        Err(Fault::OutOfBounds { .. }) => false,
        Err(fault) => return Err(fault.into()),
    };
    Ok(int32(i32::from(fits)))
}
