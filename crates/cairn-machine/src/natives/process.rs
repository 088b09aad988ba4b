//! How programs end, and small questions to the system.

use super::{Ending, NativeCall, NativeFamily, NativeResult, Stream, int32, null};
use crate::signals::SignalHandler;
use cairn_linux::Kernel;
use cairn_memory::Word;

pub(super) const FUNCTIONS: NativeFamily = &[
    ("abort", abort),
    ("exit", exit),
    ("_exit", exit_now),
    ("_Exit", exit_now),
    ("quick_exit", exit_now),
    ("atexit", at_exit),
    ("__cxa_atexit", cxa_at_exit),
    ("__cxa_thread_atexit", cxa_at_exit),
    ("__assert_fail", assert_fail),
    ("__assert", assert_fail),
    ("getenv", getenv),
];

/// Ends the program, after the handler of its signal if there is one.
fn abort(call: &mut NativeCall<'_>) -> NativeResult {
    let system = call.library.system.as_mut();
    Err(match system.and_then(Kernel::take_abort_handler) {
        Some(delivery) => Ending::Handler(SignalHandler {
            delivery,
            value: None,
        }),
        None => Ending::Abort,
    })
}

fn exit(call: &mut NativeCall<'_>) -> NativeResult {
    Err(Ending::Exit(call.bits(0) as u32 as i32))
}

fn exit_now(call: &mut NativeCall<'_>) -> NativeResult {
    call.library.left_at_once = true;
    Err(Ending::ExitNow(call.bits(0) as u32 as i32))
}

fn register(call: &mut NativeCall<'_>, argument: Option<Word>) -> NativeResult {
    let address = call.bits(0);
    let Some(function) = (call.functions)(address) else {
        return Err(Ending::Wrong(format!(
            "{address:#x}, registered to run at the end, is no function"
        )));
    };
    call.library.at_exit.push((function, argument));
    Ok(int32(0))
}

fn at_exit(call: &mut NativeCall<'_>) -> NativeResult {
    register(call, None)
}

fn cxa_at_exit(call: &mut NativeCall<'_>) -> NativeResult {
    register(call, Some(call.word(1)))
}

fn assert_fail(call: &mut NativeCall<'_>) -> NativeResult {
    let text = |i: usize| -> Result<String, Ending> {
        if call.bits(i) == 0 {
            return Ok("?".to_string());
        }
        let bytes = call.string(call.word(i))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let (condition, file, function) = (text(0)?, text(1)?, text(3)?);
    let line = call.bits(2) as u32;
    let message = format!("{file}:{line}: {function}: Assertion `{condition}' failed.\n");
    call.output.flush();
    call.output.write(Stream::Errors, message.as_bytes());
    Err(Ending::Assertion {
        condition,
        file,
        line,
        function,
    })
}

/// The environment of a program is empty.
fn getenv(call: &mut NativeCall<'_>) -> NativeResult {
    call.string(call.word(0))?;
    Ok(null())
}
