//! Taking a format apart.

use super::PrintFailure;

/// A part of a format.
#[derive(Clone, Debug)]
pub(super) enum FormatPiece<'a> {
    /// Printed as it is.
    Text(&'a [u8]),
    /// A conversion.
    Spec(Spec),
    /// The format is broken here; this piece is the last.
    Failure(PrintFailure),
}

impl FormatPiece<'_> {
    /// A conversion that names an argument by its number.
    pub(super) fn is_numbered(&self) -> bool {
        let FormatPiece::Spec(spec) = self else {
            return false;
        };
        let numbered = |amount: Amount| matches!(amount, Amount::Argument(Some(_)));
        spec.position.is_some() || numbered(spec.width) || numbered(spec.precision)
    }
}

/// A conversion.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spec {
    /// The number of its argument, from 1.
    pub(super) position: Option<u32>,
    pub(super) flags: Flags,
    pub(super) width: Amount,
    pub(super) precision: Amount,
    pub(super) length: Length,
    /// The letter that names it.
    pub(super) conversion: u8,
}

impl Spec {
    /// The library has such a conversion.
    pub(super) fn is_known(&self) -> bool {
        b"diouxXcCsSpnm%eEfFgGaA".contains(&self.conversion)
    }
}

/// Flags before the width.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flags {
    pub(super) left: bool,
    pub(super) plus: bool,
    pub(super) space: bool,
    pub(super) alternate: bool,
    pub(super) zero: bool,
    /// Of no effect in the C locale.
    pub(super) group: bool,
    /// Of no effect in the C locale.
    pub(super) native_digits: bool,
}

/// A width or a precision.
#[derive(Clone, Copy, Debug)]
pub(super) enum Amount {
    None,
    Fixed(i32),
    /// From an argument, which may have a number.
    Argument(Option<u32>),
}

/// What a conversion says about its argument's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    /// `hh`
    Char,
    /// `h`
    Short,
    /// None.
    Int,
    /// `l`, and what is a synonym: `j`, `z`, `t`.
    Long,
    /// `ll`, `q` and `L`.
    LongLong,
}

impl Length {
    /// Size of the integer.
    pub(super) fn bytes(self) -> u32 {
        match self {
            Length::Char => 1,
            Length::Short => 2,
            Length::Int => 4,
            Length::Long | Length::LongLong => 8,
        }
    }

    /// The argument as a signed integer.
    pub(super) fn signed(self, value: u64) -> i64 {
        let unused = 64 - self.bytes() * 8;
        ((value << unused) as i64) >> unused
    }

    /// The argument as an unsigned integer.
    pub(super) fn unsigned(self, value: u64) -> u64 {
        let unused = 64 - self.bytes() * 8;
        (value << unused) >> unused
    }
}

/// Takes a format apart, up to its end or its first zero byte.
pub(super) fn parse(format: &[u8]) -> Vec<FormatPiece<'_>> {
    let end = format.iter().position(|&byte| byte == 0);
    let mut rest = &format[..end.unwrap_or(format.len())];
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let text = rest.iter().position(|&byte| byte == b'%');
        let (before, after) = rest.split_at(text.unwrap_or(rest.len()));
        if !before.is_empty() {
            pieces.push(FormatPiece::Text(before));
        }
        if after.is_empty() {
            break;
        }
        let mut reader = Reader { rest: &after[1..] };
        match reader.spec() {
            Ok(spec) => pieces.push(FormatPiece::Spec(spec)),
            Err(failure) => {
                pieces.push(FormatPiece::Failure(failure));
                break;
            }
        }
        rest = reader.rest;
    }
    pieces
}

/// What is left of a format.
struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn eat(&mut self, byte: u8) -> bool {
        match self.rest.split_first() {
            Some((&first, rest)) if first == byte => {
                self.rest = rest;
                true
            }
            Some(_) | None => false,
        }
    }

    fn spec(&mut self) -> Result<Spec, PrintFailure> {
        let position = self.position();
        let flags = self.flags();
        let width = match self.amount()? {
            Amount::Fixed(0) => Amount::None,
            other => other,
        };
        let precision = if self.eat(b'.') {
            match self.amount()? {
                Amount::None => Amount::Fixed(0),
                other => other,
            }
        } else {
            Amount::None
        };
        let length = self.length();
        let (&conversion, rest) = self.rest.split_first().ok_or(PrintFailure::Invalid)?;
        self.rest = rest;
        Ok(Spec {
            position,
            flags,
            width,
            precision,
            length,
            conversion,
        })
    }

    /// Digits and a dollar sign.
    fn position(&mut self) -> Option<u32> {
        let start = self.rest;
        // Digits without the sign are flags and a width, which are looked at again.
        if let Ok(Some(number)) = self.digits()
            && number != 0
            && self.eat(b'$')
        {
            return Some(number.unsigned_abs());
        }
        self.rest = start;
        None
    }

    fn flags(&mut self) -> Flags {
        let mut flags = Flags::default();
        while let Some((&first, rest)) = self.rest.split_first() {
            let flag = match first {
                b'-' => &mut flags.left,
                b'+' => &mut flags.plus,
                b' ' => &mut flags.space,
                b'#' => &mut flags.alternate,
                b'0' => &mut flags.zero,
                b'\'' => &mut flags.group,
                b'I' => &mut flags.native_digits,
                _ => break,
            };
            *flag = true;
            self.rest = rest;
        }
        flags
    }

    fn amount(&mut self) -> Result<Amount, PrintFailure> {
        if self.eat(b'*') {
            return Ok(Amount::Argument(self.position()));
        }
        Ok(self.digits()?.map_or(Amount::None, Amount::Fixed))
    }

    /// A number, if there is one here.
    fn digits(&mut self) -> Result<Option<i32>, PrintFailure> {
        let mut number = None;
        while let Some((&digit, rest)) = self.rest.split_first()
            && digit.is_ascii_digit()
        {
            number = number
                .unwrap_or(0i32)
                .checked_mul(10)
                .and_then(|tens| tens.checked_add(i32::from(digit - b'0')))
                .map(Some)
                .ok_or(PrintFailure::Overflow)?;
            self.rest = rest;
        }
        Ok(number)
    }

    fn length(&mut self) -> Length {
        if self.eat(b'h') {
            if self.eat(b'h') {
                Length::Char
            } else {
                Length::Short
            }
        } else if self.eat(b'l') {
            if self.eat(b'l') {
                Length::LongLong
            } else {
                Length::Long
            }
        } else if self.eat(b'L') || self.eat(b'q') {
            Length::LongLong
        } else if [b'j', b'z', b'Z', b't']
            .into_iter()
            .any(|letter| self.eat(letter))
        {
            Length::Long
        } else {
            Length::Int
        }
    }
}
