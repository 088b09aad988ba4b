//! What a call of `printf` and its relatives does besides printing.
//!
//! A function that prints is called with one value of each symbolic argument where only what it prints
//! depends on them, because an explored program's output goes nowhere. `%n` stores how much was printed,
//! so a format with it is no such call; one that is not known may have it. `%p`, and numbers that are
//! addresses, show where objects are, which is one layout of many.

use crate::intrinsics::Call;
use crate::state::State;
use crate::value::{Value, Wide};
use cairn_machine::Any;

/// The longest format that is looked at.
const LONGEST: u64 = 1 << 16;

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
    let mut letters = Vec::new();
    let mut rest = format.iter();
    while let Some(byte) = rest.next() {
        if *byte != b'%' {
            continue;
        }
        for byte in rest.by_ref() {
            match byte {
                // A width or precision is an argument of its own.
                b'*' => letters.push(b'*'),
                b'0'..=b'9' | b'-' | b'+' | b' ' | b'#' | b'\'' | b'.' | b'$' => {}
                b'h' | b'l' | b'L' | b'j' | b'z' | b't' | b'q' => {}
                b'%' => break,
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
}

impl Formatted {
    /// Of a call; `None` if the function takes no format.
    pub fn of(state: &State, name: &str, call: &Call) -> Option<Self> {
        let index = format_argument(name)?;
        let memory = &state.space.memory;
        let read = || {
            let at = call.value(index).known()?;
            let length = memory.find_byte(at, 0, LONGEST).ok()??;
            let mut bytes = vec![0; length as usize];
            memory.load_bytes(at, &mut bytes).ok()?;
            Some(conversions(&bytes))
        };
        Some(Formatted { letters: read() })
    }

    /// Whether only what is printed depends on the symbolic arguments: no count is stored, and none of them
    /// says where bytes are read or how many.
    pub fn only_prints(&self, call: &Call) -> bool {
        let Some(letters) = &self.letters else {
            return false;
        };
        let plain = |(letter, value): (&u8, &Any<Value, Wide>)| {
            b"diuxXoceEfFgGaA".contains(letter) || !is_symbolic(value)
        };
        let passed = call.extra.iter().map(|extra| &extra.value);
        let fixed = call.args.iter().all(|(value, _)| !is_symbolic(value));
        fixed && !letters.contains(&b'n') && letters.iter().zip(passed).all(plain)
    }

    /// Whether it prints where an object is.
    pub fn prints_address(&self, call: &Call) -> bool {
        let letters = self.letters.iter().flatten();
        let mut arguments = call.extra.iter();
        letters.into_iter().any(|letter| {
            let given = arguments.next().map(|extra| &extra.value);
            let is_address = match given {
                Some(Any::Value(value)) => has_object(value),
                Some(Any::Wide(_)) | None => false,
            };
            match letter {
                b'p' => true,
                b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'c' => is_address,
                _ => false,
            }
        })
    }
}

fn is_symbolic(value: &Any<Value, Wide>) -> bool {
    match value {
        Any::Value(Value::Symbolic(_)) | Any::Wide(Wide::Term(_)) => true,
        Any::Value(Value::Word(_)) | Any::Wide(Wide::Bits(_)) => false,
    }
}

fn has_object(value: &Value) -> bool {
    !value.object().is_none()
}

#[cfg(test)]
mod tests {
    use super::conversions;

    #[test]
    fn each_argument_of_a_format_has_a_letter() {
        let letters = |format: &str| String::from_utf8(conversions(format.as_bytes()));
        assert_eq!(letters("a %d%% %-5.3s|%*.*f %lln %p").unwrap(), "ds**fnp");
        assert_eq!(letters("none, 100%").unwrap(), "");
    }
}
