//! Where the parts of a number are in its bits, and the one place that rounds.
//!
//! Every finite number is an integer times a power of two. Arithmetic works on such pairs,
//! exactly or with a jammed lowest bit (see [`crate::wide`]), and [`FormatLayout::round`] makes the
//! bits of the nearest number of a format from the pair.
//!
//! The 80-bit format keeps its leading one in the bits, so it has encodings that other formats
//! do not: a *pseudo-denormal* has the lowest exponent and a leading one, and is taken for the
//! number that it says. Encodings with a higher exponent and no leading one are *unsupported*:
//! the 80-bit unit takes each for an invalid operand, and so do we.

use crate::wide::U256;
use cairn_ir::FloatFormat;

/// Parameters of a format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FormatLayout {
    /// Bits of a significand, with the leading one.
    pub(crate) precision: u32,
    /// Bits below the exponent.
    pub(crate) fraction: u32,
    /// Bits of the exponent.
    exponent: u32,
    /// Which operand's payload a result that is not a number has.
    pub(crate) nan_rule: NanRule,
}

/// Which operand's payload a result that is not a number has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NanRule {
    /// The first that is not a number, as SSE has it.
    First,
    /// As the 80-bit unit has it: a quiet one before a signalling one, then the larger
    /// significand, then the positive one.
    Extended,
    /// As the compilers' library for 128-bit numbers has it: the larger significand, then the
    /// first operand of a sum or product and the second of a difference or quotient.
    Library,
}

/// What bits stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    /// Not a number, or an unsupported encoding.
    Nan,
    /// An infinity.
    Infinite {
        /// Below zero.
        negative: bool,
    },
    /// `significand * 2^exponent`, which may be zero.
    Finite(Finite),
}

/// A finite number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Finite {
    /// Below zero, or minus zero.
    pub(crate) negative: bool,
    /// Below 2^113.
    pub(crate) significand: u128,
    /// The power of two that it is multiplied with.
    pub(crate) exponent: i32,
}

impl FormatLayout {
    /// The parameters of a format.
    pub(crate) const fn of(format: FloatFormat) -> FormatLayout {
        let (precision, fraction, exponent, nan_rule) = match format {
            FloatFormat::Half => (11, 10, 5, NanRule::First),
            FloatFormat::Bfloat => (8, 7, 8, NanRule::First),
            FloatFormat::Single => (24, 23, 8, NanRule::First),
            FloatFormat::Double => (53, 52, 11, NanRule::First),
            FloatFormat::X87 => (64, 64, 15, NanRule::Extended),
            FloatFormat::Quad => (113, 112, 15, NanRule::Library),
        };
        FormatLayout {
            precision,
            fraction,
            exponent,
            nan_rule,
        }
    }

    /// The leading one is in the bits.
    fn explicit(self) -> bool {
        self.fraction == self.precision
    }

    /// The exponent of an infinity, as it is in the bits.
    pub(crate) fn top_exponent(self) -> u128 {
        (1 << self.exponent) - 1
    }

    /// Exponent of the lowest bit of the smallest numbers.
    pub(crate) fn lowest(self) -> i32 {
        let bias = (1i32 << (self.exponent - 1)) - 1;
        1 - bias - (self.precision as i32 - 1)
    }

    /// The leading one of a significand.
    pub(crate) fn leading_one(self) -> u128 {
        1 << (self.precision - 1)
    }

    /// The bit that tells quiet from signalling.
    pub(crate) fn quiet_bit(self) -> u128 {
        1 << (self.precision - 2)
    }

    /// The sign's bit.
    pub(crate) fn sign_bit(self) -> u128 {
        1 << (self.fraction + self.exponent)
    }

    /// Bits from the fraction or significand, without sign and exponent.
    pub(crate) fn fraction_of(self, bits: u128) -> u128 {
        bits & ((1 << self.fraction) - 1)
    }

    /// The sign.
    pub(crate) fn is_negative(self, bits: u128) -> bool {
        bits & self.sign_bit() != 0
    }

    fn exponent_of(self, bits: u128) -> u128 {
        (bits >> self.fraction) & self.top_exponent()
    }

    /// What bits stand for.
    pub(crate) fn unpack(self, bits: u128) -> Number {
        let negative = self.is_negative(bits);
        let fraction = self.fraction_of(bits);
        let field = self.exponent_of(bits);
        let has_one = !self.explicit() || fraction & self.leading_one() != 0;
        if field == self.top_exponent() {
            // Without the explicit one: zero is an infinity, the rest is not a number.
            if has_one && fraction & (self.leading_one() - 1) == 0 {
                return Number::Infinite { negative };
            }
            return Number::Nan;
        }
        if field == 0 {
            return Number::Finite(Finite {
                negative,
                significand: fraction,
                exponent: self.lowest(),
            });
        }
        if !has_one {
            return Number::Nan;
        }
        Number::Finite(Finite {
            negative,
            significand: fraction | self.leading_one(),
            exponent: self.lowest() + (field as i32 - 1),
        })
    }

    /// The encoding means nothing to the 80-bit unit.
    pub(crate) fn is_unsupported(self, bits: u128) -> bool {
        self.explicit()
            && self.exponent_of(bits) != 0
            && self.fraction_of(bits) & self.leading_one() == 0
    }

    /// Not a number, and it may not be used without notice. Only asked of what is not a number.
    pub(crate) fn is_signalling(self, bits: u128) -> bool {
        bits & self.quiet_bit() == 0
    }

    /// A zero.
    pub(crate) fn zero(self, negative: bool) -> u128 {
        if negative { self.sign_bit() } else { 0 }
    }

    /// An infinity.
    pub(crate) fn infinity(self, negative: bool) -> u128 {
        let one = if self.explicit() {
            self.leading_one()
        } else {
            0
        };
        self.zero(negative) | (self.top_exponent() << self.fraction) | one
    }

    /// What x86-64 gives for an invalid operation.
    pub(crate) fn default_nan(self) -> u128 {
        self.infinity(true) | self.quiet_bit()
    }

    /// The nearest number to `significand * 2^exponent`, ties to even. The significand is exact,
    /// or jammed and at least two bits longer than the format's.
    pub(crate) fn round(self, negative: bool, significand: U256, exponent: i32) -> u128 {
        let Some(top) = significand.top() else {
            return self.zero(negative);
        };
        let precision = self.precision as i32;
        let unit = (exponent + top as i32 - (precision - 1)).max(self.lowest());
        // Two bits stay below the unit: the half, and whether there is anything else.
        let drop = unit - 2 - exponent;
        let kept = if drop > 0 {
            significand.shr_jam(drop.unsigned_abs())
        } else {
            significand.shl(drop.unsigned_abs())
        }
        .low();
        let (mut rounded, below) = (kept >> 2, kept & 3);
        if below == 3 || (below == 2 && rounded & 1 == 1) {
            rounded += 1;
        }
        let mut unit = unit;
        if rounded == self.leading_one() << 1 {
            rounded >>= 1;
            unit += 1;
        }
        let field = if rounded < self.leading_one() {
            0
        } else {
            (unit - self.lowest()) as u128 + 1
        };
        if field >= self.top_exponent() {
            return self.infinity(negative);
        }
        self.zero(negative) | (field << self.fraction) | self.fraction_of(rounded)
    }

    /// The quiet form of what is not a number; the default of an unsupported encoding.
    pub(crate) fn quiet(self, bits: u128) -> u128 {
        if self.is_unsupported(bits) {
            self.default_nan()
        } else {
            bits | self.quiet_bit()
        }
    }

    /// What is not a number, in another format: sign and upper payload stay, and it is quiet.
    pub(crate) fn convert_nan(self, bits: u128, to: FormatLayout) -> u128 {
        if self.is_unsupported(bits) {
            return to.default_nan();
        }
        let payload = self.fraction_of(bits) & (self.leading_one() - 1);
        let moved = if to.precision >= self.precision {
            payload << (to.precision - self.precision)
        } else {
            payload >> (self.precision - to.precision)
        };
        to.infinity(self.is_negative(bits)) | moved | to.quiet_bit()
    }
}
