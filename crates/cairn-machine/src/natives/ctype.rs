//! Classes of characters in the C locale, by functions and by the tables that the GNU headers look
//! into. The bits of a class are the GNU library's, so that a program that prints them prints the
//! same.

use super::{NativeCall, NativeFamily, NativeResult};
use cairn_memory::{Fault, Memory, ObjectKind, Word};

pub(super) const FUNCTIONS: NativeFamily = &[
    ("isupper", |c| class(c, UPPER)),
    ("islower", |c| class(c, LOWER)),
    ("isalpha", |c| class(c, ALPHA)),
    ("isdigit", |c| class(c, DIGIT)),
    ("isxdigit", |c| class(c, HEXADECIMAL)),
    ("isspace", |c| class(c, SPACE)),
    ("isprint", |c| class(c, PRINT)),
    ("isgraph", |c| class(c, GRAPH)),
    ("isblank", |c| class(c, BLANK)),
    ("iscntrl", |c| class(c, CONTROL)),
    ("ispunct", |c| class(c, PUNCTUATION)),
    ("isalnum", |c| class(c, ALPHANUMERIC)),
    ("toupper", |c| changed(c, upper)),
    ("tolower", |c| changed(c, lower)),
    ("__ctype_b_loc", |c| {
        table(c, 0, 2, |n| u32::from(classes(n)))
    }),
    ("__ctype_toupper_loc", |c| table(c, 1, 4, upper)),
    ("__ctype_tolower_loc", |c| table(c, 2, 4, lower)),
];

const UPPER: u16 = 1 << 8;
const LOWER: u16 = 1 << 9;
const ALPHA: u16 = 1 << 10;
const DIGIT: u16 = 1 << 11;
const HEXADECIMAL: u16 = 1 << 12;
const SPACE: u16 = 1 << 13;
const PRINT: u16 = 1 << 14;
const GRAPH: u16 = 1 << 15;
const BLANK: u16 = 1;
const CONTROL: u16 = 1 << 1;
const PUNCTUATION: u16 = 1 << 2;
const ALPHANUMERIC: u16 = 1 << 3;

/// The classes of a character; none for what is no character of the C locale.
fn classes(c: i32) -> u16 {
    let Ok(c) = u8::try_from(c) else {
        return 0;
    };
    [
        (UPPER, c.is_ascii_uppercase()),
        (LOWER, c.is_ascii_lowercase()),
        (ALPHA, c.is_ascii_alphabetic()),
        (DIGIT, c.is_ascii_digit()),
        (HEXADECIMAL, c.is_ascii_hexdigit()),
        (SPACE, matches!(c, b' ' | b'\t'..=b'\r')),
        (PRINT, matches!(c, b' '..=b'~')),
        (GRAPH, c.is_ascii_graphic()),
        (BLANK, matches!(c, b' ' | b'\t')),
        (CONTROL, c.is_ascii_control()),
        (PUNCTUATION, c.is_ascii_punctuation()),
        (ALPHANUMERIC, c.is_ascii_alphanumeric()),
    ]
    .iter()
    .filter(|(_, belongs)| *belongs)
    .fold(0, |all, (bit, _)| all | bit)
}

fn upper(c: i32) -> u32 {
    u8::try_from(c).map_or(c as u32, |c| u32::from(c.to_ascii_uppercase()))
}

fn lower(c: i32) -> u32 {
    u8::try_from(c).map_or(c as u32, |c| u32::from(c.to_ascii_lowercase()))
}

fn argument(call: &NativeCall<'_>) -> i32 {
    call.bits(0) as u32 as i32
}

fn class(call: &mut NativeCall<'_>, bit: u16) -> NativeResult {
    Ok(Word::int(u64::from(classes(argument(call)) & bit)))
}

fn changed(call: &mut NativeCall<'_>, change: fn(i32) -> u32) -> NativeResult {
    Ok(Word::int(u64::from(change(argument(call)))))
}

/// A table for the characters from -128 to 255, and a pointer to its entry for 0; the result is
/// where the pointer is.
fn table(
    call: &mut NativeCall<'_>,
    which: usize,
    bytes: u32,
    entry: fn(i32) -> u32,
) -> NativeResult {
    if let Some(known) = call.library.tables[which] {
        return Ok(known);
    }
    let place = make(call.memory, bytes, entry)?;
    call.library.tables[which] = Some(place);
    Ok(place)
}

fn make(memory: &mut Memory, bytes: u32, entry: fn(i32) -> u32) -> Result<Word, Fault> {
    const FIRST: i32 = -128;
    let content: Vec<u8> = (FIRST..256)
        .flat_map(|c| entry(c).to_le_bytes()[..bytes as usize].to_vec())
        .collect();
    let table = memory.allocate(ObjectKind::Constant, content.len() as u64, 8)?;
    memory.initialise(table, &content)?;
    let pointer = u64::from(memory.pointer_width().bytes());
    let place = memory.allocate(ObjectKind::Constant, pointer, pointer)?;
    let zero = table.offset(u64::from(FIRST.unsigned_abs()) * u64::from(bytes));
    memory.initialise_pointer(place, zero)?;
    Ok(place)
}
