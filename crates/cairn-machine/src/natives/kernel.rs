//! System calls of a program that has a C library of its own, and what else such a library asks of
//! the machine.
//!
//! The system is a model of Linux (`cairn-linux`) that works on the program's memory. What it is given
//! to print is handed on after each call.

use super::{Call, Ending, Family, Stream, int32, offset};
use crate::signals::Handler;
use cairn_linux::{ClockForm, ClockReading, Errno, Need, Reply, SIGNAL_ABORT};
use cairn_memory::{Fault, Word};

pub(super) const FUNCTIONS: Family = &[
    ("__cairn_syscall", system_call),
    ("__cairn_environment", environment),
    ("__cairn_has_argument", has_argument),
    ("__cairn_assumed", assumed),
    ("__cairn_unsupported", unsupported),
];

fn system_call(call: &mut Call<'_>) -> Result<Word, Ending> {
    let number = call.bits(0);
    let args = std::array::from_fn(|i| call.word(i + 1));
    let Some(system) = &mut call.library.system else {
        return Err(Ending::NotModelled(
            "a system call without a system".to_string(),
        ));
    };
    let mut reply = system.call(call.memory, number, args);
    if reply == Reply::Need(Need::Input) {
        // Whoever types wants to see what he is asked for.
        call.output.flush();
        let input = call.output.next_input();
        reply = match system.give_input(call.memory, &input) {
            Ok(()) => system.call(call.memory, number, args),
            Err(errno) => Reply::error(errno),
        };
    }
    print(call)?;
    match reply {
        Reply::Return(word) => Ok(word),
        Reply::Fault(fault) => Err(Ending::Fault(fault)),
        Reply::Exit(code) => {
            call.library.left_at_once = true;
            Err(Ending::ExitNow(code))
        }
        Reply::Signal(SIGNAL_ABORT) => Err(Ending::Abort),
        Reply::Signal(signal) => Err(Ending::Signal(signal)),
        Reply::Handle {
            signal,
            handler,
            information,
            value,
        } => Err(Ending::Handler(Handler {
            signal,
            address: handler,
            information,
            value: Some(value),
        })),
        Reply::Random { at, length } => {
            let bytes = call.input("the system", "random", length)?;
            call.memory.store_bytes(at, &bytes)?;
            Ok(Word::int(length))
        }
        Reply::Clock(reading) => read_clock(call, &reading),
        Reply::Need(_) => Err(Ending::NotModelled(
            "a system call with bytes that are not known".to_string(),
        )),
        Reply::Unknown { number, name } => {
            let name = name.map_or_else(|| format!("number {number}"), str::to_string);
            if !call.library.unknown_calls.contains(&name) {
                call.library.unknown_calls.push(name);
            }
            Ok(Errno::ENOSYS.reply())
        }
        Reply::Unsupported { what } => Err(Ending::NotModelled(what.to_string())),
    }
}

/// Puts the time that a test holds where the program wants it.
fn read_clock(call: &mut Call<'_>, reading: &ClockReading) -> Result<Word, Ending> {
    let mut name = ClockReading::name(reading.clock);
    let inputs = call.library.inputs.as_ref();
    if inputs.is_some_and(|inputs| !inputs.has(name) && inputs.has(ClockReading::OLD_NAME)) {
        name = ClockReading::OLD_NAME;
    }
    let seconds = call.input("the system", name, 16)?;
    let (seconds, nanos) = seconds.split_at(8);
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    let (seconds, nanos) = (number(seconds), number(nanos));
    if let Some((to, form)) = reading.to {
        let fraction = match form {
            ClockForm::Seconds => None,
            ClockForm::Nanoseconds => Some(nanos),
            ClockForm::Microseconds => Some(nanos / 1000),
        };
        call.memory.store_bytes(to, &seconds.to_le_bytes())?;
        if let Some(fraction) = fraction {
            call.memory
                .store_bytes(offset(to, 8), &fraction.to_le_bytes())?;
        }
    }
    Ok(Word::int(match reading.returns_seconds {
        true => seconds,
        false => 0,
    }))
}

/// Hands on what the system was given to print since the last call.
fn print(call: &mut Call<'_>) -> Result<(), Fault> {
    let Some(system) = &call.library.system else {
        return Ok(());
    };
    let streams = [
        (cairn_linux::Stream::Output, Stream::Output),
        (cairn_linux::Stream::Errors, Stream::Errors),
    ];
    for (i, (from, to)) in streams.into_iter().enumerate() {
        let (object, size) = system.output(from);
        let printed = &mut call.library.printed[i];
        let Some(object) = object.filter(|_| size > *printed) else {
            continue;
        };
        let mut bytes = vec![0; (size - *printed) as usize];
        call.memory
            .load_bytes(offset(object, *printed), &mut bytes)?;
        *printed = size;
        if to == Stream::Errors {
            call.output.flush();
        }
        call.output.write(to, &bytes);
    }
    Ok(())
}

/// Fills in what of the system is an input of the program.
fn environment(call: &mut Call<'_>) -> Result<Word, Ending> {
    let system = call.library.system.as_ref();
    let unknown = system.map(|system| system.symbolic().to_vec());
    for object in unknown.unwrap_or_default() {
        let bytes = call.input("the environment", &object.name, object.size)?;
        call.memory.initialise(object.at, &bytes)?;
    }
    Ok(int32(0))
}

/// The library says that its answer is one of several: only an exploration cares.
fn assumed(_: &mut Call<'_>) -> Result<Word, Ending> {
    Ok(int32(0))
}

/// The program needs something that is not modelled.
fn unsupported(call: &mut Call<'_>) -> Result<Word, Ending> {
    let what = call.string(call.word(0))?;
    Err(Ending::NotModelled(
        String::from_utf8_lossy(&what).into_owned(),
    ))
}

/// Bytes of a `va_list`'s area for general registers.
const REGISTERS: u64 = 48;

/// Whether a list of arguments has another word. The machine makes the areas that such a list points
/// to just as large as the arguments are.
fn has_argument(call: &mut Call<'_>) -> Result<Word, Ending> {
    let list = call.word(0);
    let used = call.memory.load_word(list, 4)?.bits;
    let at = if used < REGISTERS {
        offset(call.memory.load_word(offset(list, 16), 8)?, used)
    } else {
        call.memory.load_word(offset(list, 8), 8)?
    };
    let fits = match call.memory.extent(at) {
        Ok(extent) => at.bits + 8 <= extent.base + extent.size,
        Err(Fault::OutOfBounds { .. }) => false,
        Err(fault) => return Err(fault.into()),
    };
    Ok(int32(i32::from(fits)))
}
