//! The words of the text form for operators and kinds: printer and parser read one table.

use crate::{
    BinaryOp, CastOp, CheckKind, CompareOp, FloatBinaryOp, FloatCompareOp, FloatFormat,
    FloatUnaryOp, UnaryOp,
};

macro_rules! words {
    ($type:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        impl $type {
            /// Every one of them, in the order of their definition.
            pub const ALL: &'static [$type] = &[$($type::$variant),+];

            /// Its word in the text form.
            pub fn word(self) -> &'static str {
                match self {
                    $($type::$variant => $word),+
                }
            }

            /// The one of a word of the text form.
            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some($type::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

words!(BinaryOp {
    Add = "add",
    Sub = "sub",
    Mul = "mul",
    Udiv = "udiv",
    Sdiv = "sdiv",
    Urem = "urem",
    Srem = "srem",
    Shl = "shl",
    Lshr = "lshr",
    Ashr = "ashr",
    And = "and",
    Or = "or",
    Xor = "xor",
});

words!(UnaryOp {
    Popcount = "popcount",
    LeadingZeros = "leading_zeros",
    TrailingZeros = "trailing_zeros",
    ByteSwap = "byte_swap",
    BitReverse = "bit_reverse",
});

words!(CompareOp {
    Eq = "eq",
    Ne = "ne",
    Ult = "ult",
    Ule = "ule",
    Slt = "slt",
    Sle = "sle",
});

words!(CastOp {
    Zext = "zext",
    Sext = "sext",
    Trunc = "trunc",
});

words!(FloatFormat {
    Half = "half",
    Bfloat = "bfloat",
    Single = "single",
    Double = "double",
    X87 = "x87",
    Quad = "quad",
});

words!(FloatBinaryOp {
    Add = "fadd",
    Sub = "fsub",
    Mul = "fmul",
    Div = "fdiv",
    Rem = "frem",
    MinNum = "fminnum",
    MaxNum = "fmaxnum",
    Minimum = "fminimum",
    Maximum = "fmaximum",
});

words!(FloatUnaryOp {
    Sqrt = "fsqrt",
    Floor = "ffloor",
    Ceil = "fceil",
    Trunc = "ftrunc",
    RoundEven = "fround_even",
    RoundAway = "fround_away",
});

words!(CheckKind {
    DivisionByZero = "division_by_zero",
    DivisionOverflow = "division_overflow",
    Overshift = "overshift",
    SignedOverflow = "signed_overflow",
    UnsignedOverflow = "unsigned_overflow",
    Inexact = "inexact",
    PointerOverflow = "pointer_overflow",
    Unreachable = "unreachable",
    Assumption = "assumption",
    OutOfBounds = "out_of_bounds",
    OutOfRange = "out_of_range",
    VectorIndex = "vector_index",
    Null = "null",
    Misaligned = "misaligned",
    FunctionType = "function_type",
    Undefined = "undefined",
    Unsupported = "unsupported",
});

/// The words of floating-point comparisons by the bits less, equal, greater, unordered (from the
/// lowest); they are the usual ones: `o` asks for numbers, `u` accepts what is not one.
const FLOAT_COMPARES: [&str; 16] = [
    "never", "olt", "oeq", "ole", "ogt", "one", "oge", "ord", "uno", "ult", "ueq", "ule", "ugt",
    "une", "uge", "always",
];

impl FloatCompareOp {
    /// The comparison of four bits: less, equal, greater, unordered (from the lowest).
    pub fn from_bits(bits: u8) -> Self {
        FloatCompareOp {
            less: bits & 1 != 0,
            equal: bits & 2 != 0,
            greater: bits & 4 != 0,
            unordered: bits & 8 != 0,
        }
    }

    /// Its word in the text form, after `fcmp`.
    pub fn word(self) -> &'static str {
        let bits = usize::from(self.less)
            | usize::from(self.equal) << 1
            | usize::from(self.greater) << 2
            | usize::from(self.unordered) << 3;
        FLOAT_COMPARES[bits]
    }

    /// The one of a word of the text form.
    pub fn from_word(word: &str) -> Option<Self> {
        let bits = FLOAT_COMPARES.iter().position(|w| *w == word)?;
        Some(Self::from_bits(bits as u8))
    }
}
