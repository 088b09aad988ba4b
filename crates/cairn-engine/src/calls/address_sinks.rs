//! Where addresses leave a program other than by its operators: what it prints, what functions of the
//! library and the system are given, and how it ends. Not: its operators (`values/address_notes.rs`).
//!
//! A part of an address may be copied freely; given to a function that is no code of the program it is
//! used. A pointer may be given to anybody, but its bytes must not be printed or compared by their order.

use crate::calls::assumptions;
use crate::calls::intrinsics::IntrinsicCall;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::values::address_notes;
use crate::values::address_places;
use crate::values::moving_addresses;
use crate::values::value::Value;
use cairn_machine::AnyValue;
use cairn_memory::Word;

pub(crate) const PRINTED: &str = "an address is printed, and is one of many";
const NAMED: &str = "an address is in the name of a file, and is one of many";

/// System calls that take names of files, and which of their arguments those are, sorted by the calls' names.
const NAMES: [(&str, &[usize]); 48] = [
    ("access", &[0]),
    ("chdir", &[0]),
    ("chmod", &[0]),
    ("chown", &[0]),
    ("creat", &[0]),
    ("execve", &[0]),
    ("execveat", &[1]),
    ("faccessat", &[1]),
    ("faccessat2", &[1]),
    ("fchmodat", &[1]),
    ("fchmodat2", &[1]),
    ("fchownat", &[1]),
    ("getxattr", &[0]),
    ("lchown", &[0]),
    ("lgetxattr", &[0]),
    ("link", &[0, 1]),
    ("linkat", &[1, 3]),
    ("listxattr", &[0]),
    ("llistxattr", &[0]),
    ("lremovexattr", &[0]),
    ("lsetxattr", &[0]),
    ("lstat", &[0]),
    ("mkdir", &[0]),
    ("mkdirat", &[1]),
    ("mknod", &[0]),
    ("mknodat", &[1]),
    ("newfstatat", &[1]),
    ("open", &[0]),
    ("openat", &[1]),
    ("readlink", &[0]),
    ("readlinkat", &[1]),
    ("removexattr", &[0]),
    ("rename", &[0, 1]),
    ("renameat", &[1, 3]),
    ("renameat2", &[1, 3]),
    ("rmdir", &[0]),
    ("setxattr", &[0]),
    ("stat", &[0]),
    ("statfs", &[0]),
    ("statx", &[1]),
    ("symlink", &[0, 1]),
    ("symlinkat", &[0, 2]),
    ("truncate", &[0]),
    ("unlink", &[0]),
    ("unlinkat", &[1]),
    ("utime", &[0]),
    ("utimensat", &[1]),
    ("utimes", &[0]),
];

/// The most buffers that the system takes at once.
const MOST_BUFFERS: u64 = 1024;

/// Functions that look at each byte of the strings that they are given. Those with a length look at no more
/// than that, so that they may be named though they look at no part of an address.
const READ_STRINGS: [&str; 33] = [
    "strlen",
    "strnlen",
    "strcpy",
    "__strcpy_chk",
    "stpcpy",
    "strncpy",
    "__strncpy_chk",
    "strcat",
    "__strcat_chk",
    "strncat",
    "strcmp",
    "strncmp",
    "strchr",
    "strrchr",
    "strstr",
    "strdup",
    "strndup",
    "strspn",
    "strcspn",
    "strpbrk",
    "memchr",
    "puts",
    "atoi",
    "atol",
    "atoll",
    "strtol",
    "strtoll",
    "strtoul",
    "strtoull",
    "__isoc23_strtol",
    "__isoc23_strtoll",
    "__isoc23_strtoul",
    "__isoc23_strtoull",
];

/// Whether memory holds a part of an address there.
fn holds_address(state: &State, at: &Value, length: u64) -> bool {
    let memory = &state.domain.memory;
    at.known()
        .is_some_and(|at| memory.address_bytes(at, length, 1) != 0)
}

/// Whether a string, or the bytes up to its object's end, have a part of an address.
pub(crate) fn string_holds_address(state: &State, at: &Value) -> bool {
    let memory = &state.domain.memory;
    let Some(at) = at.known().filter(|at| !at.object.is_number()) else {
        return false;
    };
    let Ok(info) = memory.info(at) else {
        return false;
    };
    let rest = (info.address + info.capacity).saturating_sub(at.bits);
    if rest == 0 || memory.address_bytes(at, rest, 1) == 0 {
        return false;
    }
    let known = (info.address + info.size).saturating_sub(at.bits);
    let end = memory.find_byte(at, 0, known).ok().flatten();
    let length = end.map_or(rest, |end| end + 1);
    memory.address_bytes(at, length, 1) != 0
}

/// A word of a structure that the system was given: its value in memory, or the one that was chosen for it.
fn given_word(state: &State, at: Word, chosen: &[(u64, Word)]) -> Option<Word> {
    let (_, value) = chosen
        .iter()
        .find(|(place, _)| *place == at.bits)
        .copied()
        .unzip();
    value.or_else(|| state.domain.memory.load_word(at, 8).ok())
}

/// Whether one of so many buffers (`struct iovec`) holds a part of an address. One of which it is not known
/// where it is may.
fn buffers_hold_address(state: &State, at: Word, count: u64, chosen: &[(u64, Word)]) -> bool {
    (0..count.min(MOST_BUFFERS)).any(|i| {
        let word = |by| given_word(state, at.offset(16 * i + by), chosen);
        match (word(0), word(8)) {
            (Some(at), Some(length)) => holds_address(state, &Value::Word(at), length.bits),
            (_, _) => true,
        }
    })
}

/// Whether a message (`struct msghdr`) holds a part of an address.
fn message_holds_address(state: &State, at: Word, chosen: &[(u64, Word)]) -> bool {
    // `msg_iov` and `msg_iovlen`.
    let word = |by| given_word(state, at.offset(by), chosen);
    match (word(16), word(24)) {
        (Some(at), Some(count)) => buffers_hold_address(state, at, count.bits, chosen),
        (_, _) => true,
    }
}

/// Whether the first byte that differs is of an address: then the order is that of addresses.
fn order_of_addresses(state: &State, a: Word, b: Word, length: u64) -> bool {
    let memory = &state.domain.memory;
    let byte = |at: Word, i: u64| memory.load_word(at.offset(i), 1).ok();
    if memory.address_bytes(a, length, 1) + memory.address_bytes(b, length, 1) == 0 {
        return false;
    }
    let pairs = (0..length).map(|i| byte(a, i).zip(byte(b, i)));
    let different = |pair: &Option<(Word, Word)>| pair.is_none_or(|(x, y)| x.bits != y.bits);
    let first = pairs.into_iter().find(different).flatten();
    first.is_some_and(|(x, y)| !x.object.is_number() || !y.object.is_number())
}

/// A function that is no code of the program is called.
#[inline(always)]
pub(crate) fn note_given(
    step: &StepContext<'_>,
    state: &mut State,
    name: &str,
    call: &IntrinsicCall,
) {
    let given = call.args.iter().map(|(value, _)| value);
    let mut given = given.chain(call.extra.iter().map(|extra| &extra.value));
    let marked = given.any(|any| match any {
        AnyValue::Value(value) => !value.object().is_number(),
        AnyValue::Wide(_) => false,
    });
    if marked && state.domain.tracks_addresses {
        note_marked(step, state, name, call);
    }
}

#[inline(never)]
fn note_marked(step: &StepContext<'_>, state: &mut State, name: &str, call: &IntrinsicCall) {
    let number = |i: usize| call.value(i).known().map_or(0, |word| word.bits);
    let prints = match name {
        "fwrite" => {
            let length = number(1).saturating_mul(number(2));
            holds_address(state, &call.value(0), length)
        }
        "write" => holds_address(state, &call.value(1), number(2)),
        _ => false,
    };
    if prints {
        assumptions::note_at_caller(step, state, name, PRINTED);
    }
    let compares = match (name, call.value(0).known(), call.value(1).known()) {
        ("memcmp" | "bcmp", Some(a), Some(b)) => order_of_addresses(state, a, b, number(2)),
        (_, _, _) => false,
    };
    let reads = match name {
        "fputs" => string_holds_address(state, &call.value(0)),
        name if READ_STRINGS.contains(&name) => call
            .values()
            .any(|value| string_holds_address(state, value)),
        _ => false,
    };
    let ends = matches!(name, "exit" | "_exit" | "_Exit" | "quick_exit");
    let is_used = |value: &Value| {
        let object = value.object();
        object.is_part() || (ends && !object.is_number())
    };
    if compares || reads || call.values().any(is_used) {
        address_notes::note_address(&mut state.domain);
        // The program may end here.
        address_places::note_addresses(step, state);
    }
}

/// What a program is at its end belongs to something.
pub(crate) fn note_exit(step: &StepContext<'_>, state: &mut State, code: &Value) {
    if !code.object().is_number() && moving_addresses::is_of_layout(&state.domain, code) {
        address_notes::note_address(&mut state.domain);
        address_places::note_addresses(step, state);
    }
}

/// The system was called, with some words in memory that were chosen for it, and has answered.
pub(crate) fn note_told(
    step: &StepContext<'_>,
    state: &State,
    name: &str,
    args: &[Word; 6],
    chosen: &[(u64, Word)],
    answer: Word,
) {
    if !state.domain.tracks_addresses {
        return;
    }
    let is_error = (answer.bits as i64) < 0;
    let prints = match name {
        // Nothing was.
        _ if is_error => false,
        "write" | "pwrite64" | "sendto" => {
            holds_address(state, &Value::Word(args[1]), args[2].bits)
        }
        "writev" | "pwritev" | "pwritev2" => {
            buffers_hold_address(state, args[1], args[2].bits, chosen)
        }
        "sendmsg" => message_holds_address(state, args[1], chosen),
        _ => false,
    };
    if prints {
        assumptions::note_at_caller(step, state, name, PRINTED);
    }
    if let Some(named) = names_address(state, name, args) {
        assumptions::note_at_caller(step, state, name, named);
    }
}

/// The note on a call that is given a name with a part of an address.
pub(crate) fn names_address(state: &State, name: &str, args: &[Word; 6]) -> Option<&'static str> {
    let found = NAMES.binary_search_by_key(&name, |(call, _)| call).ok()?;
    let (_, names) = NAMES[found];
    let holds = |i: &usize| string_holds_address(state, &Value::Word(args[*i]));
    (state.domain.tracks_addresses && names.iter().any(holds)).then_some(NAMED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_linux::Abi;
    use std::collections::BTreeSet;

    #[test]
    fn every_call_that_takes_names_is_modelled_and_stands_in_its_place() {
        let modelled: BTreeSet<&str> = Abi::X86_64.modelled().collect();
        let names: BTreeSet<&str> = NAMES.iter().map(|(name, _)| *name).collect();
        let sorted = NAMES.is_sorted_by(|(a, _), (b, _)| a < b);
        assert!(sorted, "names stand twice or out of order");
        let unknown: Vec<_> = names.difference(&modelled).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}
