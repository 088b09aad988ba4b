//! Numbers from strings, and small integer functions.

use super::{Call, Family, int32, offset};
use crate::machine::Ending;
use cairn_memory::Word;

pub(super) const FUNCTIONS: Family = &[
    ("atoi", |c| Ok(int32(parse(c, Base::Ten)?.signed() as i32))),
    ("atol", |c| {
        Ok(Word::int(parse(c, Base::Ten)?.signed() as u64))
    }),
    ("atoll", |c| {
        Ok(Word::int(parse(c, Base::Ten)?.signed() as u64))
    }),
    ("strtol", strtol),
    ("strtoll", strtol),
    ("strtoul", strtoul),
    ("strtoull", strtoul),
    ("__isoc23_strtol", strtol),
    ("__isoc23_strtoll", strtol),
    ("__isoc23_strtoul", strtoul),
    ("__isoc23_strtoull", strtoul),
    ("abs", abs),
    ("labs", labs),
    ("llabs", labs),
    ("__errno_location", errno),
];

type Outcome = Result<Word, Ending>;

/// `ERANGE` of Linux.
const OUT_OF_RANGE: i32 = 34;
/// `EINVAL` of Linux.
const INVALID: i32 = 22;

/// Where the base of a number comes from.
enum Base {
    Ten,
    /// The third argument, as `strtol` has it.
    Argument,
}

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

    fn signed_fits(&self) -> bool {
        let limit = i64::MAX as u64 + u64::from(self.negative);
        !self.overflow && self.magnitude <= limit
    }
}

/// Reads the number at the start of the first argument.
fn parse(call: &Call<'_, '_>, base: Base) -> Result<Number, Ending> {
    let text = call.string(call.word(0))?;
    let base = match base {
        Base::Ten => 10,
        Base::Argument => call.bits(2) as u32,
    };
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
    let hexadecimal = text.get(at) == Some(&b'0')
        && matches!(text.get(at + 1), Some(b'x' | b'X'))
        && digit(at + 2, 16).is_some();
    let base = match base {
        0 | 16 if hexadecimal => {
            at += 2;
            16
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
fn convert(
    call: &mut Call<'_, '_>,
    value: fn(&Number) -> Option<u64>,
    limit: fn(&Number) -> u64,
) -> Outcome {
    let base = call.bits(2) as u32;
    if base == 1 || base > 36 {
        return set_errno(call, INVALID, 0);
    }
    let number = parse(call, Base::Argument)?;
    let (start, end) = (call.word(0), call.word(1));
    if end.bits != 0 {
        let memory = &mut call.machine.domain.memory;
        memory.store_word(end, 8, offset(start, number.length))?;
    }
    match value(&number) {
        Some(bits) => Ok(Word::int(bits)),
        None => set_errno(call, OUT_OF_RANGE, limit(&number)),
    }
}

fn set_errno(call: &mut Call<'_, '_>, error: i32, result: u64) -> Outcome {
    let at = call.machine.world.error_number;
    call.machine.domain.memory.store_word(at, 4, int32(error))?;
    Ok(Word::int(result))
}

fn strtol(call: &mut Call<'_, '_>) -> Outcome {
    convert(
        call,
        |n| n.signed_fits().then(|| n.signed() as u64),
        |n| n.signed() as u64,
    )
}

fn strtoul(call: &mut Call<'_, '_>) -> Outcome {
    convert(
        call,
        |n| {
            let bits = if n.negative {
                n.magnitude.wrapping_neg()
            } else {
                n.magnitude
            };
            (!n.overflow).then_some(bits)
        },
        |_| u64::MAX,
    )
}

fn abs(call: &mut Call<'_, '_>) -> Outcome {
    Ok(int32((call.bits(0) as u32 as i32).wrapping_abs()))
}

fn labs(call: &mut Call<'_, '_>) -> Outcome {
    Ok(Word::int((call.bits(0) as i64).wrapping_abs() as u64))
}

fn errno(call: &mut Call<'_, '_>) -> Outcome {
    Ok(call.machine.world.error_number)
}
