//! The text of floating-point numbers.

use super::decimal::Decimal;
use super::spec::Spec;
use crate::layout::{Finite, FormatLayout, Number};
use cairn_ir::FloatFormat;

/// A number's text, without its sign and without padding.
pub(super) struct FloatText {
    /// The sign is a minus, whatever else.
    pub(super) negative: bool,
    /// Neither an infinity nor not a number.
    pub(super) finite: bool,
    /// Before zeros that fill a field.
    pub(super) prefix: &'static [u8],
    /// The rest.
    pub(super) parts: Vec<TextPart>,
}

/// A part of a text.
pub(super) enum TextPart {
    Bytes(Vec<u8>),
    /// This many zeros: a precision may ask for more than anyone wants to store.
    Zeros(u64),
}

impl FloatText {
    /// The text of a `double`.
    pub(super) fn double(bits: u64, spec: &Spec, precision: Option<u64>) -> FloatText {
        text_of(FloatFormat::Double, bits.into(), spec, precision, 52)
    }

    /// The text of a `long double`. In hexadecimal its leading digit has four bits.
    pub(super) fn long_double(bits: u128, spec: &Spec, precision: Option<u64>) -> FloatText {
        let bits = bits & (u128::MAX >> 48);
        text_of(FloatFormat::X87, bits, spec, precision, 60)
    }

    /// How many bytes the parts have.
    pub(super) fn length(&self) -> u64 {
        self.parts
            .iter()
            .map(|part| match part {
                TextPart::Bytes(bytes) => bytes.len() as u64,
                TextPart::Zeros(count) => *count,
            })
            .sum()
    }
}

/// The text of a number that has so many bits below the point in hexadecimal.
fn text_of(
    format: FloatFormat,
    bits: u128,
    spec: &Spec,
    precision: Option<u64>,
    fraction_bits: u32,
) -> FloatText {
    let layout = FormatLayout::of(format);
    let upper = spec.conversion.is_ascii_uppercase();
    let negative = layout.is_negative(bits);
    let number = match layout.unpack(bits) {
        Number::Nan => return special(negative, if upper { b"NAN" } else { b"nan" }),
        Number::Infinite { .. } => return special(negative, if upper { b"INF" } else { b"inf" }),
        Number::Finite(number) => number,
    };
    let (mut prefix, mut parts): (&[u8], _) = (b"", Vec::new());
    let point = spec.flags.alternate;
    match spec.conversion.to_ascii_lowercase() {
        b'a' => {
            prefix = if upper { b"0X" } else { b"0x" };
            parts = hexadecimal(number, precision, point, upper, fraction_bits);
        }
        b'e' => scientific(
            &mut parts,
            &decimal(number),
            precision.unwrap_or(6),
            point,
            upper,
        ),
        b'g' => general(&mut parts, &decimal(number), precision, point, upper),
        _ => fixed(&mut parts, &decimal(number), precision.unwrap_or(6), point),
    }
    FloatText {
        negative,
        finite: true,
        prefix,
        parts,
    }
}

fn special(negative: bool, name: &[u8]) -> FloatText {
    FloatText {
        negative,
        finite: false,
        prefix: b"",
        parts: vec![TextPart::Bytes(name.to_vec())],
    }
}

fn decimal(number: Finite) -> Decimal {
    let significand = u64::try_from(number.significand).expect("printed formats have 64 bits");
    Decimal::new(significand, number.exponent)
}

fn text_digits(digits: &[u8]) -> TextPart {
    TextPart::Bytes(digits.iter().map(|digit| b'0' + digit).collect())
}

fn at_least(more: i64) -> u64 {
    u64::try_from(more).unwrap_or(0)
}

/// `%f`: `precision` digits below the point.
fn fixed(parts: &mut Vec<TextPart>, exact: &Decimal, precision: u64, point: bool) {
    let rounded = exact.round(exact.point.saturating_add_unsigned(precision));
    let above = usize::try_from(rounded.point).unwrap_or(0);
    let (whole, fraction) = rounded.digits.split_at(above.min(rounded.digits.len()));
    if whole.is_empty() {
        parts.push(TextPart::Bytes(vec![b'0']));
    } else {
        parts.push(text_digits(whole));
        parts.push(TextPart::Zeros((above - whole.len()) as u64));
    }
    if precision > 0 || point {
        parts.push(TextPart::Bytes(vec![b'.']));
    }
    let leading = if fraction.is_empty() {
        0
    } else {
        at_least(-rounded.point)
    };
    parts.push(TextPart::Zeros(leading));
    parts.push(text_digits(fraction));
    parts.push(TextPart::Zeros(precision - leading - fraction.len() as u64));
}

/// `%e`: one digit, `precision` digits below the point, and an exponent.
fn scientific(
    parts: &mut Vec<TextPart>,
    exact: &Decimal,
    precision: u64,
    point: bool,
    upper: bool,
) {
    let rounded = exact.round(1i64.saturating_add_unsigned(precision));
    let (first, rest) = rounded.digits.split_first().unwrap_or((&0, &[]));
    parts.push(text_digits(&[*first]));
    if precision > 0 || point {
        parts.push(TextPart::Bytes(vec![b'.']));
    }
    parts.push(text_digits(rest));
    parts.push(TextPart::Zeros(precision - rest.len() as u64));
    let exponent = if rounded.digits.is_empty() {
        0
    } else {
        rounded.point - 1
    };
    let letter = if upper { 'E' } else { 'e' };
    parts.push(TextPart::Bytes(
        format!("{letter}{}{:02}", sign_of(exponent), exponent.abs()).into_bytes(),
    ));
}

fn sign_of(exponent: i64) -> char {
    if exponent < 0 { '-' } else { '+' }
}

/// `%g`: `precision` digits, in the shorter of the two ways.
fn general(
    parts: &mut Vec<TextPart>,
    exact: &Decimal,
    precision: Option<u64>,
    point: bool,
    upper: bool,
) {
    let wanted = precision.unwrap_or(6).max(1);
    let rounded = exact.round(0i64.saturating_add_unsigned(wanted));
    let exponent = if rounded.digits.is_empty() {
        0
    } else {
        rounded.point - 1
    };
    // Without the flag there are no zeros at the end.
    let digits = if point {
        wanted
    } else {
        (rounded.digits.len() as u64).max(1)
    };
    if exponent < -4 || exponent >= 0i64.saturating_add_unsigned(wanted) {
        scientific(parts, &rounded, digits - 1, point, upper);
    } else {
        let below = 0i64.saturating_add_unsigned(digits) - 1 - exponent;
        fixed(parts, &rounded, at_least(below), point);
    }
}

/// `%a`: a digit, hexadecimal digits below the point, and a binary exponent.
fn hexadecimal(
    number: Finite,
    precision: Option<u64>,
    point: bool,
    upper: bool,
    fraction_bits: u32,
) -> Vec<TextPart> {
    let mut exponent = number.exponent + fraction_bits as i32;
    let mut significand = number.significand;
    if significand == 0 {
        exponent = 0;
    }
    let most = fraction_bits / 4;
    let digits = match precision {
        None => most - (significand.trailing_zeros().min(fraction_bits) / 4),
        Some(wanted) => {
            let kept = u32::try_from(wanted).unwrap_or(most).min(most);
            let drop = (most - kept) * 4;
            if drop > 0 {
                let (unit, half) = (1u128 << drop, 1u128 << (drop - 1));
                let below = significand & (unit - 1);
                significand -= below;
                if below > half || (below == half && significand & unit != 0) {
                    significand += unit;
                }
            }
            kept
        }
    };
    let mut leading = significand >> fraction_bits;
    if leading > 15 {
        leading = 1;
        exponent += 4;
    }
    let fraction = significand & ((1 << fraction_bits) - 1);
    let shown = fraction >> (fraction_bits - digits * 4);
    let digits = digits as usize;
    let mut text = if upper {
        format!("{leading:X}")
    } else {
        format!("{leading:x}")
    };
    if precision.unwrap_or(digits as u64) > 0 || point {
        text.push('.');
    }
    if digits > 0 {
        text += &if upper {
            format!("{shown:0digits$X}")
        } else {
            format!("{shown:0digits$x}")
        };
    }
    let zeros = precision.unwrap_or(0).saturating_sub(digits as u64);
    let letter = if upper { 'P' } else { 'p' };
    let sign = sign_of(exponent.into());
    vec![
        TextPart::Bytes(text.into_bytes()),
        TextPart::Zeros(zeros),
        TextPart::Bytes(format!("{letter}{sign}{}", exponent.abs()).into_bytes()),
    ]
}
