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

/// The letters of a format's conversions, one for each argument that it takes. None of a format that says by numbers which
/// arguments it takes.
fn conversions(format: &[u8]) -> Option<Vec<u8>> {
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
                b'$' => return None,
                b'0'..=b'9' | b'-' | b'+' | b' ' | b'#' | b'\'' | b'.' => {}
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
    Some(letters)
}

/// What a call prints by, if it is one that takes a format.
pub(crate) struct Formatted {
    /// The conversions, if the format is known and takes its arguments in their order.
    letters: Option<Vec<u8>>,
    /// The argument after the format is where the others are.
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
            conversions(&bytes)
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
        let passed = call.extra.iter().map(|extra| &extra.value);
        let is_address = |value: &AnyValue<Value, Wide>, letter: u8| match value {
            AnyValue::Value(value) if letter == b's' => string_holds_address(state, value),
            AnyValue::Value(value) => !value.object().is_number(),
            AnyValue::Wide(_) => false,
        };
        let shows = |letter: u8, is_address: bool| match letter {
            b'p' => true,
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'c' | b'*' | b's' => is_address,
            _ => false,
        };
        let memory = &state.domain.memory;
        match (&self.letters, self.list) {
            (Some(letters), None) => {
                let mut pairs = letters.iter().zip(passed);
                letters.contains(&b'p')
                    || pairs.any(|(letter, value)| shows(*letter, is_address(value, *letter)))
            }
            (Some(letters), Some(list)) => {
                let list = call.value(list).known();
                let Some(mut list) = list.and_then(|at| List::at(memory, at)) else {
                    // What it has is not known.
                    return !letters.is_empty();
                };
                letters.iter().any(|letter| {
                    let at = list.next(*letter);
                    shows(*letter, list_has_address(state, at, *letter))
                })
            }
            // AnyValue of them may be printed, as a number or as text.
            (None, None) => {
                let mut passed = passed;
                passed.any(|value| is_address(value, b'd') || is_address(value, b's'))
            }
            (None, Some(_)) => true,
        }
    }
}

/// The arguments that a `va_list` has left, as the x86-64 ABI has it.
struct List {
    /// How many bytes of the saved registers were taken: general ones, and floating-point ones.
    used: [u64; 2],
    saved: Word,
    overflow: Word,
}

/// Where the saved registers of each kind end, and the bytes of each.
const GENERAL: (u64, u64) = (48, 8);
const FLOAT: (u64, u64) = (176, 16);

impl List {
    fn at(memory: &Memory, list: Word) -> Option<Self> {
        let field = |by: u64, bytes| memory.load_word(list.offset(by), bytes).ok();
        Some(List {
            used: [field(0, 4)?.bits, field(4, 4)?.bits],
            overflow: field(8, 8)?,
            saved: field(16, 8)?,
        })
    }

    /// The address of the next argument, which has this letter; `None` for a `long double`, whose place is not followed.
    fn next(&mut self, letter: u8) -> Option<Word> {
        let (kind, (end, bytes)) = match letter {
            b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => (1, FLOAT),
            LONG_DOUBLE => {
                let at = self.overflow.bits.next_multiple_of(16);
                self.overflow.bits = at + 16;
                return None;
            }
            _ => (0, GENERAL),
        };
        Some(if self.used[kind] < end {
            self.used[kind] += bytes;
            self.saved.offset(self.used[kind] - bytes)
        } else {
            self.overflow.bits += 8;
            self.overflow.offset(8u64.wrapping_neg())
        })
    }
}

/// Whether the argument of a letter that is there in memory is an address or a part of one; of text, whether it has one.
fn list_has_address(state: &State, at: Option<Word>, letter: u8) -> bool {
    let Some(at) = at else {
        return false;
    };
    let memory = &state.domain.memory;
    if letter == b's' {
        // If inputs choose the text, the call concretises its address and `incomplete` lists that.
        let text = memory.load_word(at, 8);
        return text.is_ok_and(|text| string_holds_address(state, &Value::Word(text)));
    }
    let whole = memory.address_bytes(at, 8, 1);
    // An `int` in memory has no more bytes than its own.
    whole + memory.address_bytes(at, 4, 1) != 0
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
        let letters = |format: &str| {
            let letters = conversions(format.as_bytes())?;
            String::from_utf8(letters).ok()
        };
        assert_eq!(letters("a %d%% %-5.3s|%*.*f %lln %p").unwrap(), "ds**fnp");
        assert_eq!(letters("%5.2Lf %Lx").unwrap(), "Lx");
        assert_eq!(letters("none, 100%").unwrap(), "");
        assert_eq!(letters("$ %d").unwrap(), "d");
        assert_eq!(letters("%2$s %1$d"), None);
    }
}
