//! `mem*` and `str*`.

use super::{Ending, NativeCall, NativeFamily, NativeResult, int32, null};
use cairn_memory::Word;

pub(super) const FUNCTIONS: NativeFamily = &[
    ("memcpy", memcpy),
    ("__memcpy_chk", memcpy),
    ("mempcpy", mempcpy),
    ("__mempcpy_chk", mempcpy),
    ("memmove", memmove),
    ("__memmove_chk", memmove),
    ("bcopy", bcopy),
    ("memset", memset),
    ("__memset_chk", memset),
    ("bzero", bzero),
    ("explicit_bzero", bzero),
    ("memcmp", memcmp),
    ("bcmp", memcmp),
    ("memchr", memchr),
    ("strlen", strlen),
    ("strnlen", strnlen),
    ("strcpy", strcpy),
    ("__strcpy_chk", strcpy),
    ("stpcpy", stpcpy),
    ("strncpy", strncpy),
    ("__strncpy_chk", strncpy),
    ("strcat", strcat),
    ("__strcat_chk", strcat),
    ("strncat", strncat),
    ("strcmp", strcmp),
    ("strncmp", strncmp),
    ("strchr", strchr),
    ("strrchr", strrchr),
    ("strstr", strstr),
    ("strdup", strdup),
    ("strndup", strndup),
    ("strspn", strspn),
    ("strcspn", strcspn),
    ("strpbrk", strpbrk),
];

/// Those of them that copy and fill: the explorer has them as operations of its memory. So that both provide
/// the same, a program gets them also if its own C library lacks them (`__memcpy_chk`).
pub(super) const MEMORY_OPERATIONS: [&str; 11] = [
    "memcpy",
    "__memcpy_chk",
    "mempcpy",
    "__mempcpy_chk",
    "memmove",
    "__memmove_chk",
    "bcopy",
    "memset",
    "__memset_chk",
    "bzero",
    "explicit_bzero",
];

fn memcpy(call: &mut NativeCall<'_>) -> NativeResult {
    let (to, from, length) = (call.word(0), call.word(1), call.bits(2));
    call.memory.copy(to, from, length, false)?;
    Ok(to)
}

fn mempcpy(call: &mut NativeCall<'_>) -> NativeResult {
    memcpy(call)?;
    Ok(call.word(0).offset(call.bits(2)))
}

fn memmove(call: &mut NativeCall<'_>) -> NativeResult {
    let (to, from, length) = (call.word(0), call.word(1), call.bits(2));
    call.memory.copy(to, from, length, true)?;
    Ok(to)
}

fn bcopy(call: &mut NativeCall<'_>) -> NativeResult {
    let (from, to, length) = (call.word(0), call.word(1), call.bits(2));
    call.memory.copy(to, from, length, true)?;
    Ok(to)
}

fn memset(call: &mut NativeCall<'_>) -> NativeResult {
    let (to, byte, length) = (call.word(0), call.bits(1) as u8, call.bits(2));
    call.memory.fill(to, byte, length)?;
    Ok(to)
}

fn bzero(call: &mut NativeCall<'_>) -> NativeResult {
    let (to, length) = (call.word(0), call.bits(1));
    call.memory.fill(to, 0, length)?;
    Ok(to)
}

fn byte(call: &NativeCall<'_>, at: Word, index: u64) -> Result<u8, Ending> {
    let word = call.memory.load_word(at.offset(index), 1)?;
    Ok(word.bits as u8)
}

/// Stops at the first difference, as every library does; what is after it is not looked at.
fn memcmp(call: &mut NativeCall<'_>) -> NativeResult {
    let (a, b, length) = (call.word(0), call.word(1), call.bits(2));
    for i in 0..length {
        let (x, y) = (byte(call, a, i)?, byte(call, b, i)?);
        if x != y {
            return Ok(int32(i32::from(x) - i32::from(y)));
        }
    }
    Ok(int32(0))
}

fn memchr(call: &mut NativeCall<'_>) -> NativeResult {
    let (at, wanted, length) = (call.word(0), call.bits(1) as u8, call.bits(2));
    let found = call.memory.find_byte(at, wanted, length)?;
    Ok(found.map_or_else(null, |i| at.offset(i)))
}

fn length_of(call: &NativeCall<'_>, at: Word, limit: u64) -> Result<u64, Ending> {
    let found = call.memory.find_byte(at, 0, limit)?;
    Ok(found.unwrap_or(limit))
}

fn strlen(call: &mut NativeCall<'_>) -> NativeResult {
    Ok(Word::int(length_of(call, call.word(0), u64::MAX)?))
}

fn strnlen(call: &mut NativeCall<'_>) -> NativeResult {
    Ok(Word::int(length_of(call, call.word(0), call.bits(1))?))
}

/// Copies a string with its end to a place; its length.
fn copy_string(call: &mut NativeCall<'_>, to: Word, from: Word) -> Result<u64, Ending> {
    let length = length_of(call, from, u64::MAX)?;
    call.memory.copy(to, from, length + 1, false)?;
    Ok(length)
}

fn strcpy(call: &mut NativeCall<'_>) -> NativeResult {
    copy_string(call, call.word(0), call.word(1))?;
    Ok(call.word(0))
}

fn stpcpy(call: &mut NativeCall<'_>) -> NativeResult {
    let length = copy_string(call, call.word(0), call.word(1))?;
    Ok(call.word(0).offset(length))
}

fn strncpy(call: &mut NativeCall<'_>) -> NativeResult {
    let (to, from, size) = (call.word(0), call.word(1), call.bits(2));
    let length = length_of(call, from, size)?;
    let memory = &mut *call.memory;
    memory.copy(to, from, length, false)?;
    memory.fill(to.offset(length), 0, size - length)?;
    Ok(to)
}

fn strcat(call: &mut NativeCall<'_>) -> NativeResult {
    let end = length_of(call, call.word(0), u64::MAX)?;
    copy_string(call, call.word(0).offset(end), call.word(1))?;
    Ok(call.word(0))
}

fn strncat(call: &mut NativeCall<'_>) -> NativeResult {
    let (to, from, most) = (call.word(0), call.word(1), call.bits(2));
    let end = to.offset(length_of(call, to, u64::MAX)?);
    let length = length_of(call, from, most)?;
    let memory = &mut *call.memory;
    memory.copy(end, from, length, false)?;
    memory.fill(end.offset(length), 0, 1)?;
    Ok(to)
}

fn compare(call: &NativeCall<'_>, limit: u64) -> NativeResult {
    let (a, b) = (call.word(0), call.word(1));
    for i in 0..limit {
        let (x, y) = (byte(call, a, i)?, byte(call, b, i)?);
        if x != y {
            return Ok(int32(i32::from(x) - i32::from(y)));
        }
        if x == 0 {
            break;
        }
    }
    Ok(int32(0))
}

fn strcmp(call: &mut NativeCall<'_>) -> NativeResult {
    compare(call, u64::MAX)
}

fn strncmp(call: &mut NativeCall<'_>) -> NativeResult {
    compare(call, call.bits(2))
}

/// A pointer into the first argument at a position, or null.
fn position(call: &NativeCall<'_>, found: Option<usize>) -> NativeResult {
    Ok(found.map_or_else(null, |i| call.word(0).offset(i as u64)))
}

fn strchr(call: &mut NativeCall<'_>) -> NativeResult {
    let mut text = call.string(call.word(0))?;
    text.push(0);
    let wanted = call.bits(1) as u8;
    position(call, text.iter().position(|b| *b == wanted))
}

fn strrchr(call: &mut NativeCall<'_>) -> NativeResult {
    let mut text = call.string(call.word(0))?;
    text.push(0);
    let wanted = call.bits(1) as u8;
    position(call, text.iter().rposition(|b| *b == wanted))
}

fn strstr(call: &mut NativeCall<'_>) -> NativeResult {
    let (text, wanted) = (call.string(call.word(0))?, call.string(call.word(1))?);
    if wanted.is_empty() {
        return Ok(call.word(0));
    }
    let found = text.windows(wanted.len()).position(|w| w == wanted);
    position(call, found)
}

fn duplicate(call: &mut NativeCall<'_>, limit: u64) -> NativeResult {
    let length = length_of(call, call.word(0), limit)?;
    let new = super::heap::allocate(call, length + 1, super::heap::ALIGN)?;
    if new.bits != 0 {
        let from = call.word(0);
        call.memory.copy(new, from, length, false)?;
    }
    Ok(new)
}

fn strdup(call: &mut NativeCall<'_>) -> NativeResult {
    duplicate(call, u64::MAX)
}

fn strndup(call: &mut NativeCall<'_>) -> NativeResult {
    duplicate(call, call.bits(1))
}

fn strspn(call: &mut NativeCall<'_>) -> NativeResult {
    let (text, set) = (call.string(call.word(0))?, call.string(call.word(1))?);
    let length = text.iter().take_while(|b| set.contains(b)).count();
    Ok(Word::int(length as u64))
}

fn strcspn(call: &mut NativeCall<'_>) -> NativeResult {
    let (text, set) = (call.string(call.word(0))?, call.string(call.word(1))?);
    let length = text.iter().take_while(|b| !set.contains(b)).count();
    Ok(Word::int(length as u64))
}

fn strpbrk(call: &mut NativeCall<'_>) -> NativeResult {
    let (text, set) = (call.string(call.word(0))?, call.string(call.word(1))?);
    position(call, text.iter().position(|b| set.contains(b)))
}
