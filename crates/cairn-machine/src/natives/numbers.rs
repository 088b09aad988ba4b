//! Numbers from strings, and small integer functions.

use super::{Ending, NativeCall, NativeFamily, NativeResult, int32};
use cairn_memory::Word;

pub(super) const FUNCTIONS: NativeFamily = &[
    ("atoi", atol),
    ("atol", atol),
    ("atoll", atol),
    ("strtol", |c| convert(c, Standard::C11, SIGNED)),
    ("strtoll", |c| convert(c, Standard::C11, SIGNED)),
    ("strtoul", |c| convert(c, Standard::C11, UNSIGNED)),
    ("strtoull", |c| convert(c, Standard::C11, UNSIGNED)),
    ("__isoc23_strtol", |c| convert(c, Standard::C23, SIGNED)),
    ("__isoc23_strtoll", |c| convert(c, Standard::C23, SIGNED)),
    ("__isoc23_strtoul", |c| convert(c, Standard::C23, UNSIGNED)),
    ("__isoc23_strtoull", |c| convert(c, Standard::C23, UNSIGNED)),
    ("abs", abs),
    ("labs", labs),
    ("llabs", labs),
    ("__errno_location", errno),
];

/// `ERANGE` of Linux.
const OUT_OF_RANGE: i32 = 34;
/// `EINVAL` of Linux.
const INVALID: i32 = 22;

/// Which prefixes a number may have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standard {
    /// `0x`, and `0` for octal.
    C11,
    /// Also `0b`.
    C23,
}

/// What becomes of a number: its bits, or those of the nearest that there is.
type Clamped = fn(&Number) -> Result<u64, u64>;

const SIGNED: Clamped = |n| {
    let limit = i64::MAX as u64 + u64::from(n.negative);
    if n.overflow || n.magnitude > limit {
        Err(n.signed() as u64)
    } else {
        Ok(n.signed() as u64)
    }
};

const UNSIGNED: Clamped = |n| {
    if n.overflow {
        Err(u64::MAX)
    } else if n.negative {
        Ok(n.magnitude.wrapping_neg())
    } else {
        Ok(n.magnitude)
    }
};

/// A number that a string starts with.
struct Number {
    negative: bool,
    /// Its magnitude, clamped.
    magnitude: u64,
    overflow: bool,
    /// Bytes that belong to it; 0 if there is none.
    length: u64,
}

impl Number {
    /// As a signed number, clamped.
    fn signed(&self) -> i64 {
        if self.negative {
            0i64.checked_sub_unsigned(self.magnitude)
                .unwrap_or(i64::MIN)
        } else {
            i64::try_from(self.magnitude).unwrap_or(i64::MAX)
        }
    }
}

/// Reads the number at the start of the first argument.
fn parse(call: &NativeCall<'_>, base: u32, standard: Standard) -> Result<Number, Ending> {
    let text = call.string(call.word(0))?;
    let spaces = text
        .iter()
        .take_while(|b| matches!(b, b' ' | b'\t'..=b'\r'))
        .count();
    let mut at = spaces;
    let negative = text.get(at) == Some(&b'-');
    if matches!(text.get(at), Some(b'-' | b'+')) {
        at += 1;
    }
    let digit = |i: usize, base: u32| {
        let c = char::from(*text.get(i)?);
        c.to_digit(base.clamp(2, 36)).map(u64::from)
    };
    let prefix = |letter: u8, base: u32| {
        text.get(at) == Some(&b'0')
            && text.get(at + 1).map(u8::to_ascii_lowercase) == Some(letter)
            && digit(at + 2, base).is_some()
    };
    let base = match base {
        0 | 16 if prefix(b'x', 16) => {
            at += 2;
            16
        }
        0 | 2 if standard == Standard::C23 && prefix(b'b', 2) => {
            at += 2;
            2
        }
        0 if text.get(at) == Some(&b'0') => 8,
        0 => 10,
        other => other,
    };
    let first = at;
    let (mut magnitude, mut overflow) = (0u64, false);
    while let Some(d) = digit(at, base) {
        match magnitude
            .checked_mul(u64::from(base))
            .and_then(|m| m.checked_add(d))
        {
            Some(m) => magnitude = m,
            None => overflow = true,
        }
        at += 1;
    }
    Ok(Number {
        negative,
        magnitude: if overflow { u64::MAX } else { magnitude },
        overflow,
        length: if at == first { 0 } else { at as u64 },
    })
}

/// What `strtol` and `strtoul` do besides reading: the end, and `errno`.
fn convert(call: &mut NativeCall<'_>, standard: Standard, clamped: Clamped) -> NativeResult {
    let base = call.bits(2) as u32;
    if base == 1 || base > 36 {
        return set_errno(call, INVALID, 0);
    }
    let number = parse(call, base, standard)?;
    let (start, end) = (call.word(0), call.word(1));
    if end.bits != 0 {
        let to = start.offset(number.length);
        call.memory.store_pointer(end, to)?;
    }
    finish(call, clamped(&number))
}

/// As the GNU library has it: `strtol`, whose result loses its upper half if it is an `int`.
fn atol(call: &mut NativeCall<'_>) -> NativeResult {
    let number = parse(call, 10, Standard::C11)?;
    finish(call, SIGNED(&number))
}

fn finish(call: &mut NativeCall<'_>, clamped: Result<u64, u64>) -> NativeResult {
    match clamped {
        Ok(bits) => Ok(Word::int(bits)),
        Err(nearest) => set_errno(call, OUT_OF_RANGE, nearest),
    }
}

fn set_errno(call: &mut NativeCall<'_>, error: i32, result: u64) -> NativeResult {
    let at = call.library.error_number;
    call.memory.store_word(at, 4, int32(error))?;
    Ok(Word::int(result))
}

fn abs(call: &mut NativeCall<'_>) -> NativeResult {
    Ok(int32((call.bits(0) as u32 as i32).wrapping_abs()))
}

fn labs(call: &mut NativeCall<'_>) -> NativeResult {
    Ok(Word::int((call.bits(0) as i64).wrapping_abs() as u64))
}

fn errno(call: &mut NativeCall<'_>) -> NativeResult {
    Ok(call.library.error_number)
}
