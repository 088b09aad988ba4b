//! Where addresses leave a program other than by its operators: what it prints, what functions of the
//! library and the system are given, and how it ends.
//!
//! A part of an address may be copied freely; given to a function that is no code of the program it is
//! used. A pointer may be given to anybody, but its bytes must not be printed or compared by their order.

use crate::intrinsics::Call;
use crate::state::State;
use crate::value::Value;
use crate::worker::Worker;
use cairn_machine::Any;
use cairn_memory::Word;

const PRINTED: &str = "an address is printed, and is one of many";

/// The most bytes and buffers that are looked at.
const MOST_BYTES: u64 = 1 << 20;
const MOST_BUFFERS: u64 = 1024;

fn moved(at: Word, by: u64) -> Word {
    Word {
        bits: at.bits.wrapping_add(by),
        ..at
    }
}

/// Whether memory holds a part of an address there.
fn holds_address(state: &State, at: &Value, length: u64) -> bool {
    let memory = &state.space.memory;
    let length = length.min(MOST_BYTES);
    at.known()
        .is_some_and(|at| memory.address_bytes(at, length, 1) != 0)
}

/// Whether one of so many buffers (`struct iovec`) holds a part of an address.
fn buffers_hold_address(state: &State, at: Word, count: u64) -> bool {
    (0..count.min(MOST_BUFFERS)).any(|i| {
        let word = |by| state.space.memory.load_word(moved(at, 16 * i + by), 8);
        match (word(0), word(8)) {
            (Ok(at), Ok(length)) => holds_address(state, &Value::Word(at), length.bits),
            (_, _) => false,
        }
    })
}

/// Whether the first byte that differs is of an address: then the order is that of addresses.
fn order_of_addresses(state: &State, a: Word, b: Word, length: u64) -> bool {
    let memory = &state.space.memory;
    let byte = |at: Word, i: u64| memory.load_word(moved(at, i), 1).ok();
    let length = length.min(MOST_BYTES);
    if memory.address_bytes(a, length, 1) + memory.address_bytes(b, length, 1) == 0 {
        return false;
    }
    let pairs = (0..length).map(|i| byte(a, i).zip(byte(b, i)));
    let different = |pair: &Option<(Word, Word)>| pair.is_none_or(|(x, y)| x.bits != y.bits);
    let first = pairs.into_iter().find(different).flatten();
    first.is_some_and(|(x, y)| !x.object.is_plain() || !y.object.is_plain())
}

impl Worker<'_> {
    /// A function that is no code of the program is called.
    #[inline(always)]
    pub(crate) fn note_given(&self, state: &mut State, name: &str, call: &Call) {
        let given = call.args.iter().map(|(value, _)| value);
        let mut given = given.chain(call.extra.iter().map(|extra| &extra.value));
        let marked = given.any(|any| match any {
            Any::Value(value) => !value.object().is_plain(),
            Any::Wide(_) => false,
        });
        if marked && state.space.tracks_addresses {
            self.note_marked(state, name, call);
        }
    }

    #[inline(never)]
    fn note_marked(&self, state: &mut State, name: &str, call: &Call) {
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
            self.note_assumed(state, name, PRINTED);
        }
        let compares = match (name, call.value(0).known(), call.value(1).known()) {
            ("memcmp" | "bcmp", Some(a), Some(b)) => order_of_addresses(state, a, b, number(2)),
            (_, _, _) => false,
        };
        let ends = matches!(name, "exit" | "_exit" | "_Exit" | "quick_exit");
        let is_used = |value: &Value| {
            let object = value.object();
            object.is_part() || (ends && !object.is_plain())
        };
        if compares || call.values().any(is_used) {
            state.space.note_address();
            // The program may end here.
            self.note_addresses(state);
        }
    }

    /// What a program is at its end belongs to something.
    pub(crate) fn note_exit(&self, state: &mut State, code: &Value) {
        if !code.object().is_plain() {
            state.space.note_address();
            self.note_addresses(state);
        }
    }

    /// The system was called.
    pub(crate) fn note_told(&self, state: &State, name: &str, args: &[Word; 6]) {
        if !state.space.tracks_addresses {
            return;
        }
        let value = |word: Word| Value::Word(word);
        let prints = match name {
            "write" | "pwrite64" | "sendto" => holds_address(state, &value(args[1]), args[2].bits),
            "writev" | "pwritev" | "pwritev2" => buffers_hold_address(state, args[1], args[2].bits),
            "sendmsg" => {
                // `msg_iov` and `msg_iovlen` of `struct msghdr`.
                let word = |by| state.space.memory.load_word(moved(args[1], by), 8);
                match (word(16), word(24)) {
                    (Ok(at), Ok(count)) => buffers_hold_address(state, at, count.bits),
                    (_, _) => false,
                }
            }
            _ => false,
        };
        if prints {
            self.note_assumed(state, name, PRINTED);
        }
    }
}
