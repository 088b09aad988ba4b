//! Reading and writing bit-vectors as decimal, binary and hexadecimal text.
//!
//! Text comes from outside the engine, so everything here that reads returns
//! `None` instead of panicking, whatever the text or the width asked for.

use std::fmt;

use crate::limbs;
use crate::repr::{BitVec, limb_count};

/// The largest power of ten in a limb, and how many digits it stands for:
/// decimal text is converted that many digits at a time.
const DEC_CHUNK: u64 = 10_000_000_000_000_000_000;
const DEC_CHUNK_DIGITS: usize = 19;

impl BitVec {
    /// Reads an unsigned decimal number, of ASCII digits only. `None` if it is
    /// not one, if it does not fit in `width` bits, or if there is no such
    /// width.
    #[must_use]
    pub fn parse_dec(width: u32, text: &str) -> Option<Self> {
        if width == 0 || width > Self::MAX_WIDTH || text.is_empty() {
            return None;
        }
        if !text.bytes().all(|c| c.is_ascii_digit()) {
            return None;
        }
        let mut value = vec![0u64; limb_count(width)];
        // Grown as needed, so that the cost follows the number and not the width.
        let mut used = 0;
        for chunk in text.as_bytes().chunks(DEC_CHUNK_DIGITS) {
            let (mut factor, mut addend) = (1u64, 0u64);
            for c in chunk {
                factor *= 10;
                addend = addend * 10 + u64::from(c - b'0');
            }
            let carry = limbs::mul_add_small(&mut value[..used], factor, addend);
            if carry != 0 {
                *value.get_mut(used)? = carry;
                used += 1;
            }
        }
        let fits = limbs::bit_length(&value) <= u64::from(width);
        fits.then(|| Self::from_limb_vec(width, value))
    }

    /// Reads binary digits without prefix; there are as many bits as digits.
    #[must_use]
    pub fn parse_bin(text: &str) -> Option<Self> {
        Self::parse_digits(text, 1)
    }

    /// Reads hexadecimal digits of either case without prefix; there are four
    /// bits to a digit.
    #[must_use]
    pub fn parse_hex(text: &str) -> Option<Self> {
        Self::parse_digits(text, 4)
    }

    /// Reads digits of `bits` bits each; `bits` must divide 64.
    fn parse_digits(text: &str, bits: u32) -> Option<Self> {
        let width = u32::try_from(text.len()).ok()?.checked_mul(bits)?;
        if width == 0 || width > Self::MAX_WIDTH {
            return None;
        }
        let per_limb = (64 / bits) as usize;
        let mut value = Vec::with_capacity(limb_count(width));
        for chunk in text.as_bytes().rchunks(per_limb) {
            let mut limb = 0;
            for &c in chunk {
                let digit = char::from(c).to_digit(1 << bits)?;
                limb = limb << bits | u64::from(digit);
            }
            value.push(limb);
        }
        Some(Self::from_limb_vec(width, value))
    }

    /// The unsigned value in decimal, without leading zeros.
    #[must_use]
    pub fn to_dec_string(&self) -> String {
        if let Some(value) = self.to_u128() {
            return value.to_string();
        }
        let mut rest = self.limbs().to_vec();
        let mut chunks = Vec::new();
        loop {
            rest.truncate(limbs::trim(&rest).len());
            if rest.is_empty() {
                break;
            }
            chunks.push(limbs::div_rem_small(&mut rest, DEC_CHUNK));
        }
        let mut text = String::with_capacity(chunks.len() * DEC_CHUNK_DIGITS);
        for chunk in chunks.iter().rev() {
            if text.is_empty() {
                text.push_str(&chunk.to_string());
            } else {
                text.push_str(&format!("{chunk:0DEC_CHUNK_DIGITS$}"));
            }
        }
        text
    }

    /// The bits, most significant first: exactly as many digits as the width.
    #[must_use]
    pub fn to_bin_string(&self) -> String {
        self.digits(1)
    }

    /// The value in lower-case hexadecimal, a digit for every four bits of the
    /// width; `None` if four does not divide it.
    #[must_use]
    pub fn to_hex_string(&self) -> Option<String> {
        self.width().is_multiple_of(4).then(|| self.digits(4))
    }

    /// The digits of `bits` bits each; `bits` must divide the width and 64.
    fn digits(&self, bits: u32) -> String {
        (0..self.width() / bits)
            .rev()
            .filter_map(|i| {
                let at = i * bits;
                let limb = self.limbs()[(at / 64) as usize];
                let digit = limb >> (at % 64) & ((1 << bits) - 1);
                char::from_digit(digit as u32, 1 << bits)
            })
            .collect()
    }
}

/// The SMT-LIB literal: `#x...` if four divides the width, `#b...` otherwise.
impl fmt::Display for BitVec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_hex_string() {
            Some(digits) => write!(f, "#x{digits}"),
            None => write!(f, "#b{}", self.to_bin_string()),
        }
    }
}

/// The same literal: it shows width and value, which is all there is.
impl fmt::Debug for BitVec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
