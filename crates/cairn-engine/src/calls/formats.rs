//! What a call of `printf` and its relatives does besides printing.
//!
//! A function that prints is called with one value of each symbolic argument where only what it prints
//! depends on them, because an explored program's output goes nowhere. `%n` stores how much was printed,
//! so a format with it is no such call; one that is not known may have it. `%p`, and numbers that are
//! addresses, show where objects are, which is one layout of many.

use crate::calls::address_sinks::string_holds_address;
use crate::calls::intrinsics::IntrinsicCall;
use crate::path::state::State;
use crate::values::value::{Value, Wide};
use cairn_machine::AnyValue;
use cairn_memory::{Memory, Word};

/// The longest format that is looked at.
const LONGEST: u64 = 1 << 16;

/// The letter of a conversion of a `long double`, which is no letter of a format.
const LONG_DOUBLE: u8 = b'L';

/// Which argument is the format.
fn format_argument(name: &str) -> Option<usize> {
    match name {
        "printf" | "vprintf" => Some(0),
        "fprintf" | "vfprintf" | "dprintf" | "vdprintf" | "__printf_chk" | "__vprintf_chk"
        | "sprintf" | "vsprintf" => Some(1),
        "__fprintf_chk" | "__vfprintf_chk" | "snprintf" | "vsnprintf" => Some(2),
        "__sprintf_chk" | "__vsprintf_chk" => Some(3),
        "__snprintf_chk" | "__vsnprintf_chk" => Some(4),
        _ => None,
    }
}

/// The letters of a format's conversions, one for each argument that it takes.
fn conversions(format: &[u8]) -> Vec<u8> {
    let mut letters: Vec<u8> = Vec::new();
    let mut rest = format.iter();
    while let Some(byte) = rest.next() {
        if *byte != b'%' {
            continue;
        }
        let mut long = false;
        for byte in rest.by_ref() {
            long |= *byte == b'L';
            match byte {
                // A width or precision is an argument of its own.
                b'*' => letters.push(b'*'),
                b'0'..=b'9' | b'-' | b'+' | b' ' | b'#' | b'\'' | b'.' | b'$' => {}
                b'h' | b'l' | b'L' | b'j' | b'z' | b't' | b'q' => {}
                b'%' => break,
                b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' if long => {
                    letters.push(LONG_DOUBLE);
                    break;
                }
                letter => {
                    letters.push(*letter);
                    break;
                }
            }
        }
    }
    letters
}

/// What a call prints by, if it is one that takes a format.
pub(crate) struct Formatted {
    /// The conversions, if the format is known.
    letters: Option<Vec<u8>>,
    /// The argument behind the format is where the others are.
    list: Option<usize>,
}

impl Formatted {
    /// Of a call; `None` if the function takes no format.
    pub fn of(state: &State, name: &str, call: &IntrinsicCall) -> Option<Self> {
        let index = format_argument(name)?;
        let memory = &state.domain.memory;
        let read = || {
            let at = call.value(index).known()?;
            let length = memory.find_byte(at, 0, LONGEST).ok()??;
            let mut bytes = vec![0; length as usize];
            memory.load_bytes(at, &mut bytes).ok()?;
            Some(conversions(&bytes))
        };
        let is_list = name.trim_start_matches('_').starts_with('v');
        Some(Formatted {
            letters: read(),
            list: is_list.then_some(index + 1),
        })
    }

    /// Whether only what is printed depends on the symbolic arguments: no count is stored, and none of them
    /// says where bytes are read or how many.
    pub fn only_prints(&self, call: &IntrinsicCall) -> bool {
        let Some(letters) = &self.letters else {
            return false;
        };
        let plain = |(letter, value): (&u8, &AnyValue<Value, Wide>)| {
            b"diuxXoceEfFgGaAL".contains(letter) || !is_symbolic(value)
        };
        let passed = call.extra.iter().map(|extra| &extra.value);
        let fixed = call.args.iter().all(|(value, _)| !is_symbolic(value));
        fixed && !letters.contains(&b'n') && letters.iter().zip(passed).all(plain)
    }

    /// Whether it prints where an object is.
    pub fn prints_address(&self, state: &State, call: &IntrinsicCall) -> bool {
        let letters = self.letters.as_deref().unwrap_or_default();
        let list = self.list.map(|list| call.value(list).known());
        let mut listed = match list {
            Some(Some(at)) => List::at(&state.domain.memory, at),
            Some(None) | None => None,
        };
        let mut passed = call.extra.iter();
        letters.iter().any(|letter| {
            let is_address = match &mut listed {
                Some(list) => list.next_is_address(*letter),
                None => match passed.next().map(|extra| &extra.value) {
                    Some(AnyValue::Value(value)) if *letter == b's' => {
                        string_holds_address(state, value)
                    }
                    Some(AnyValue::Value(value)) => !value.object().is_number(),
                    Some(AnyValue::Wide(_)) | None => false,
                },
            };
            match letter {
                b'p' => true,
                b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'c' | b'*' => is_address,
                b's' => is_address && listed.is_none(),
                _ => false,
            }
        })
    }
}

/// The arguments that a `va_list` has left, as the x86-64 ABI has it.
struct List<'m> {
    memory: &'m Memory,
    /// How many bytes of the saved registers are behind: general ones, and floating-point ones.
    used: [u64; 2],
    saved: Word,
    overflow: Word,
}

/// Where the saved registers of each kind end, and the bytes of each.
const GENERAL: (u64, u64) = (48, 8);
const FLOAT: (u64, u64) = (176, 16);

impl<'m> List<'m> {
    fn at(memory: &'m Memory, list: Word) -> Option<Self> {
        let field = |by: u64, bytes| memory.load_word(list.offset(by), bytes).ok();
        Some(List {
            memory,
            used: [field(0, 4)?.bits, field(4, 4)?.bits],
            overflow: field(8, 8)?,
            saved: field(16, 8)?,
        })
    }

    /// Whether the argument of a letter, which comes next, is an address or a part of one.
    fn next_is_address(&mut self, letter: u8) -> bool {
        let (kind, (end, bytes)) = match letter {
            b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => (1, FLOAT),
            LONG_DOUBLE => {
                let at = self.overflow.bits.next_multiple_of(16);
                self.overflow.bits = at + 16;
                return false;
            }
            _ => (0, GENERAL),
        };
        let at = if self.used[kind] < end {
            self.used[kind] += bytes;
            self.saved.offset(self.used[kind] - bytes)
        } else {
            self.overflow.bits += 8;
            self.overflow.offset(8u64.wrapping_neg())
        };
        let whole = self.memory.address_bytes(at, 8, 1);
        // An `int` in memory has no more bytes than its own.
        whole + self.memory.address_bytes(at, 4, 1) != 0
    }
}

fn is_symbolic(value: &AnyValue<Value, Wide>) -> bool {
    match value {
        AnyValue::Value(Value::Symbolic(_)) | AnyValue::Wide(Wide::Term(_)) => true,
        AnyValue::Value(Value::Word(_)) | AnyValue::Wide(Wide::Bits(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::conversions;

    #[test]
    fn each_argument_of_a_format_has_a_letter() {
        let letters = |format: &str| String::from_utf8(conversions(format.as_bytes()));
        assert_eq!(letters("a %d%% %-5.3s|%*.*f %lln %p").unwrap(), "ds**fnp");
        assert_eq!(letters("%5.2Lf %Lx").unwrap(), "Lx");
        assert_eq!(letters("none, 100%").unwrap(), "");
    }
}
