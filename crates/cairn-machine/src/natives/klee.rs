//! The functions of `klee.h` on known values.
//!
//! Inputs are the objects of a test (`inputs.rs`). Nothing is symbolic, and what only guides a
//! search does nothing.

use super::{Ending, NativeCall, NativeFamily, NativeResult, Stream, int32, string};
use crate::HARNESS;
use cairn_memory::{ObjectKind, Word};

pub(super) const FUNCTIONS: NativeFamily = &[
    ("klee_make_symbolic", make_symbolic),
    ("klee_assume", assume),
    ("klee_range", range),
    ("klee_int", int),
    ("klee_choose", choose),
    ("klee_prefer_cex", nothing),
    ("klee_posix_prefer_cex", nothing),
    ("klee_get_value_f", same),
    ("klee_get_value_d", same),
    ("klee_get_valuef", same),
    ("klee_get_valued", same),
    ("klee_get_valuel", same),
    ("klee_get_valuell", same),
    ("klee_get_value_l", same),
    ("klee_get_value_ll", same),
    ("klee_get_value_i32", same),
    ("klee_get_value_i64", same),
    ("klee_is_symbolic", nothing),
    ("klee_is_replay", nothing),
    ("klee_abort", abort),
    ("klee_silent_exit", silent_exit),
    ("klee_report_error", report_error),
    ("klee_warning", message),
    ("klee_warning_once", message),
    ("klee_print_expr", print),
    ("klee_print_range", print),
    ("klee_check_memory_access", check_access),
    ("klee_get_obj_size", object_size),
    ("klee_define_fixed_object", fixed_object),
    ("cairn.input_size", input_size),
    ("cairn.input_known", input_known),
    ("cairn.input_data", input_data),
    ("cairn.input_end", input_end),
    ("klee_mark_global", nothing),
    ("klee_set_forking", nothing),
    ("klee_open_merge", nothing),
    ("klee_close_merge", nothing),
    ("klee_stack_trace", nothing),
    ("klee_get_errno", errno),
    ("machine_code.print_value", print_value),
];

/// The longest text that is read: a name or message that never ends is cut here.
const LONGEST: u64 = 1 << 16;

fn text(call: &NativeCall<'_>, i: usize) -> Result<String, Ending> {
    if call.bits(i) == 0 {
        return Ok(String::new());
    }
    let bytes = string(call.memory, call.word(i), Some(LONGEST))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The name of an input.
fn name(call: &NativeCall<'_>, i: usize) -> Result<String, Ending> {
    let name = text(call, i)?;
    Ok(if name.is_empty() {
        "unnamed".to_string()
    } else {
        name
    })
}

fn make_symbolic(call: &mut NativeCall<'_>) -> NativeResult {
    let (at, size) = (call.word(0), call.bits(1));
    let name = name(call, 2)?;
    if size > 0 {
        // The access is checked before anything of this size is made.
        call.memory.is_symbolic(at, size)?;
    }
    let bytes = call.input("klee_make_symbolic", &name, size)?;
    call.memory.initialise(at, &bytes)?;
    Ok(Word::int(0))
}

/// The end of a run whose input does not satisfy an assumption.
fn assumed(what: impl Into<String>) -> Ending {
    Ending::Assumption(what.into())
}

fn assume(call: &mut NativeCall<'_>) -> NativeResult {
    if call.bits(0) == 0 {
        return Err(assumed("a condition that klee_assume was given is false"));
    }
    Ok(Word::int(0))
}

fn range(call: &mut NativeCall<'_>) -> NativeResult {
    let (first, end) = (call.bits(0) as u32 as i32, call.bits(1) as u32 as i32);
    let name = name(call, 2)?;
    if first >= end {
        return Err(Ending::Wrong("invalid range in klee_range".to_string()));
    }
    // Nothing is open in a range of one, so there is no object.
    if end - 1 == first {
        return Ok(int32(first));
    }
    let value = call.input_number("klee_range", &name, 4)? as u32 as i32;
    if !(first..end).contains(&value) {
        return Err(assumed(format!(
            "{name} is {value}, outside of klee_range from {first} to {end}"
        )));
    }
    Ok(int32(value))
}

fn int(call: &mut NativeCall<'_>) -> NativeResult {
    let name = name(call, 0)?;
    let value = call.input_number("klee_int", &name, 4)?;
    Ok(Word::int(value as u64))
}

fn choose(call: &mut NativeCall<'_>) -> NativeResult {
    let below = call.bits(0);
    let value = call.input_number("klee_choose", "klee_choose", 8)? as u64;
    if value >= below {
        return Err(assumed(format!(
            "klee_choose is {value}, not less than {below}"
        )));
    }
    Ok(Word::int(value))
}

fn same(call: &mut NativeCall<'_>) -> NativeResult {
    Ok(call.word(0))
}

fn nothing(_: &mut NativeCall<'_>) -> NativeResult {
    Ok(Word::int(0))
}

fn abort(_: &mut NativeCall<'_>) -> NativeResult {
    Err(Ending::Abort)
}

fn silent_exit(_: &mut NativeCall<'_>) -> NativeResult {
    Err(Ending::Silent)
}

fn report_error(call: &mut NativeCall<'_>) -> NativeResult {
    Err(Ending::Wrong(text(call, 2)?))
}

fn say(call: &mut NativeCall<'_>, text: &str) {
    let line = format!("cairn: {text}\n");
    call.output.write(Stream::Errors, line.as_bytes());
}

fn message(call: &mut NativeCall<'_>) -> NativeResult {
    let text = text(call, 0)?;
    say(call, &text);
    Ok(Word::int(0))
}

fn print(call: &mut NativeCall<'_>) -> NativeResult {
    let line = format!("{}:{}", text(call, 0)?, call.bits(1));
    say(call, &line);
    Ok(Word::int(0))
}

fn print_value(call: &mut NativeCall<'_>) -> NativeResult {
    let line = format!("printsv {}:{}", call.bits(0), call.bits(1));
    say(call, &line);
    Ok(Word::int(0))
}

fn check_access(call: &mut NativeCall<'_>) -> NativeResult {
    call.memory.is_symbolic(call.word(0), call.bits(1))?;
    Ok(Word::int(0))
}

fn object_size(call: &mut NativeCall<'_>) -> NativeResult {
    Ok(Word::int(call.memory.info(call.word(0))?.size))
}

fn fixed_object(call: &mut NativeCall<'_>) -> NativeResult {
    let (at, size) = (call.bits(0), call.bits(1));
    match call.memory.allocate_fixed(at, size) {
        Ok(at) => {
            call.memory.leave_uninitialised(at, size)?;
            Ok(Word::int(0))
        }
        Err(why) => Err(Ending::Wrong(format!("klee_define_fixed_object: {why}"))),
    }
}

// What the entry calls that is linked to a fuzzing harness, with the objects of a test.

fn input_size(call: &mut NativeCall<'_>) -> NativeResult {
    Ok(Word::int(call.input_number(HARNESS, "size", 8)? as u64))
}

fn input_known(call: &mut NativeCall<'_>) -> NativeResult {
    Ok(call.word(0))
}

fn input_data(call: &mut NativeCall<'_>) -> NativeResult {
    let size = call.bits(0);
    let at = call.memory.allocate(ObjectKind::Heap, size, 16)?;
    let bytes = call.input(HARNESS, "data", size)?;
    call.memory.initialise(at, &bytes)?;
    Ok(at)
}

fn input_end(call: &mut NativeCall<'_>) -> NativeResult {
    let at = call.word(0);
    // A harness that frees its input has done it for us.
    if call.memory.info(at).is_ok() {
        call.memory.free(at)?;
    }
    Ok(Word::int(0))
}

fn errno(call: &mut NativeCall<'_>) -> NativeResult {
    Ok(call.memory.load_word(call.library.error_number, 4)?)
}
