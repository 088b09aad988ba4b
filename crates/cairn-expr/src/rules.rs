//! Every rewrite rule of the canonical constructors, in one table.
//!
//! A rule is stated as match, result and condition; `x y z` stand for any term, `c d k` for
//! constants, `w` for the width of the whole, `n` for an extension or a split. The code that
//! applies it is in `build/` and says `Rule::Name`. The test `tests/rules_proof.rs` builds every
//! operator over a pool of operand shapes at small widths, compares the result with the
//! operator's meaning under every assignment, and fails if a rule of this table was never applied.
//! Constant folding (all operands constant) applies to every operator and is not listed.
//!
//! **To add a rule**: a row here, the code in `build/`, and, if the proof's pool has no operand
//! shape that triggers it, a shape there.

use std::cell::Cell;

/// How a rule is stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleText {
    /// The pattern.
    pub matches: &'static str,
    /// The result.
    pub result: &'static str,
    /// When; empty if always.
    pub condition: &'static str,
}

macro_rules! rules {
    ($($name:ident: $m:literal => $r:literal $(if $c:literal)?;)*) => {
        /// The name of a rewrite rule.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Rule {
            $(
                #[doc = concat!("match `", $m, "` result `", $r, "`" $(, " when `", $c, "`")?)]
                $name,
            )*
        }

        impl Rule {
            /// All rules.
            pub const ALL: &'static [Rule] = &[$(Rule::$name),*];

            /// How the rule is stated.
            pub fn text(self) -> RuleText {
                match self {
                    $(Rule::$name => RuleText {
                        matches: $m,
                        result: $r,
                        condition: concat!("" $(, $c)?),
                    },)*
                }
            }
        }
    };
}

rules! {
    // Booleans.
    NotNot: "(not (not x))" => "x";
    AndTrue: "(and x true)" => "x";
    AndFalse: "(and x false)" => "false";
    AndSame: "(and x x)" => "x";
    AndContradiction: "(and x (not x))" => "false";
    AndAbsorbed: "(and x (and x y))" => "(and x y)";
    AndAbsorbedContradiction: "(and (not x) (and x y))" => "false";
    AndOrAbsorbed: "(and x (not (and (not x) y)))" => "x";
    AndOrResolved: "(and x (not (and x y)))" => "(and x (not y))";
    EqSame: "(= x x)" => "true";
    EqTrue: "(= x true)" => "x";
    EqFalse: "(= x false)" => "(not x)";
    EqComplement: "(= x (not x))" => "false";
    EqNotOut: "(= (not x) y)" => "(not (= x y))" if "x, y Boolean";
    // If-then-else.
    IteConstCondition: "(ite true x y)" => "x";
    IteSameBranches: "(ite x y y)" => "y";
    IteNotCondition: "(ite (not x) y z)" => "(ite x z y)";
    IteBoolThenTrue: "(ite x true y)" => "(or x y)";
    IteBoolThenFalse: "(ite x false y)" => "(and (not x) y)";
    IteBoolElseTrue: "(ite x y true)" => "(or (not x) y)";
    IteBoolElseFalse: "(ite x y false)" => "(and x y)";
    IteBoolComplement: "(ite x y (not y))" => "(= x y)";
    IteConditionInThen: "(ite x (ite x y z) u)" => "(ite x y u)";
    IteConditionInElse: "(ite x u (ite x y z))" => "(ite x u z)";
    LiftConstIteUnary: "(op (ite x c d))" => "(ite x (op c) (op d))" if "op takes one operand";
    LiftConstIteBinary: "(op (ite x c d) k)" => "(ite x (op c k) (op d k))" if "and with sides exchanged";
    // Equality of bit-vectors.
    EqBitZero: "(= x #b0)" => "(not (= x #b1))" if "w = 1";
    EqAddConst: "(= (bvadd x c) d)" => "(= x d-c)";
    EqNegConst: "(= (bvneg x) c)" => "(= x -c)";
    EqNotConst: "(= (bvnot x) c)" => "(= x (bvnot c))";
    EqXorConst: "(= (bvxor x c) d)" => "(= x (bvxor c d))";
    EqMulOddConst: "(= (bvmul x c) d)" => "(= x c^-1*d)" if "c is odd";
    EqZeroExtendConst: "(= (zero_extend x) c)" => "(= x c[low])" if "the high bits of c are zero; else false";
    EqSignExtendConst: "(= (sign_extend x) c)" => "(= x c[low])" if "c is the extension of its low bits; else false";
    EqConcatConst: "(= (concat x y) c)" => "(and (= x c[high]) (= y c[low]))";
    EqAbove: "(= x c)" => "false" if "no value of x reaches c";
    EqNothingElse: "(= x 0)" => "true" if "no value of x is larger";
    EqBothExtended: "(= (extend x) (extend y))" => "(= x y)" if "same extension of the same width";
    EqAddSame: "(= (bvadd x y) x)" => "(= y 0)";
    EqDifferenceZero: "(= (bvsub x y) 0)" => "(= x y)";
    EqXorZero: "(= (bvxor x y) 0)" => "(= x y)";
    EqBvNotSame: "(= (bvnot x) x)" => "false";
    EqUdivConst: "(= (bvudiv x d) c)" => "(bvult (bvadd x -c*d) d)" if "d > 0, up to 64 bits; the range ends at the last word; false if c*d is above it";
    EqSdivConst: "(= (bvsdiv x d) c)" => "(bvult (bvadd x -low) length)" if "d > 0, up to 64 bits; low is the first x whose quotient is c";
    EqSdivChain: "(= (bvsdiv (bvsdiv x d) e) 0)" => "(= (bvsdiv x d*e) 0)" if "d, e > 0 and d*e is a positive word";
    // Unsigned order.
    UltSame: "(bvult x x)" => "false";
    UltZero: "(bvult x 0)" => "false";
    UltOne: "(bvult x 1)" => "(= x 0)";
    UltZeroLeft: "(bvult 0 x)" => "(not (= x 0))";
    UltOnes: "(bvult x ones)" => "(not (= x ones))";
    UltAlmostOnesLeft: "(bvult ones-1 x)" => "(= x ones)";
    UltAbove: "(bvult x c)" => "true" if "no value of x reaches c";
    UltAboveLeft: "(bvult c x)" => "false" if "no value of x exceeds c";
    UltBothExtended: "(bvult (extend x) (extend y))" => "(bvult x y)" if "same extension of the same width";
    UltZeroExtendConst: "(bvult (zero_extend x) c)" => "(bvult x c[low])" if "c fits; else true";
    UltConstZeroExtend: "(bvult c (zero_extend x))" => "(bvult c[low] x)" if "c fits; else false";
    UltBit: "(bvult x y)" => "(and (= x 0) (= y 1))" if "w = 1";
    UltConcatConst: "(bvult (concat x y) c)" => "(bvult x c[high])" if "c[low] = 0";
    UltUdivConst: "(bvult (bvudiv x d) c)" => "(bvult x c*d)" if "d > 0, up to 64 bits; true if c*d is above the last word; (bvult c (bvudiv x d)) => (bvult (c+1)*d-1 x)";
    UltExtractQuotient: "(bvult (extract k 0 x) c)" => "(bvult x c)" if "x is such a quotient and has no value of more than k+1 bits; and with sides exchanged";
    UltMulInverse: "(bvult (bvmul x m) c)" => "(= (bvurem x d) 0)" if "m is the inverse of d >= 3 and c-1 the last word divided by d; and negated for (bvult c-1 (bvmul x m))";
    UltConstConcat: "(bvult c (concat x y))" => "(bvult c[high] x)" if "c[low] = ones";
    // Signed order.
    SltSame: "(bvslt x x)" => "false";
    SltMin: "(bvslt x min)" => "false";
    SltMaxLeft: "(bvslt max x)" => "false";
    SltBothZeroExtended: "(bvslt x y)" => "(bvult x y)" if "both sign bits are known to be zero";
    SltSignKnown: "(bvslt x y)" => "true or false" if "the sign bits are known and differ";
    SltBothSignExtended: "(bvslt (sign_extend x) (sign_extend y))" => "(bvslt x y)" if "same width";
    SltSignExtendConst: "(bvslt (sign_extend x) c)" => "(bvslt x c[low])" if "c is the extension of its low bits; else known by the sign of c";
    SltConstSignExtend: "(bvslt c (sign_extend x))" => "(bvslt c[low] x)" if "c is the extension of its low bits; else known by the sign of c";
    SltDifferenceZero: "(bvslt (bvsub x y) 0)" => "(bvslt x y)" if "x and y are not negative, or both sign extended";
    SltDifferenceOne: "(bvslt (bvsub x y) 1)" => "(not (bvslt y x))" if "as above";
    SltZeroDifference: "(bvslt 0 (bvsub x y))" => "(bvslt y x)" if "as above";
    SltOnesDifference: "(bvslt ones (bvsub x y))" => "(not (bvslt x y))" if "as above";
    SltSdivConst: "(bvslt (bvsdiv x d) c)" => "(bvslt x first)" if "d > 0, up to 64 bits; first is the first x whose quotient is c or more; true or false beyond the words; and with sides exchanged";
    SltBit: "(bvslt x y)" => "(and (= x 1) (= y 0))" if "w = 1";
    // Addition, negation, multiplication.
    AddZero: "(bvadd x 0)" => "x";
    AddConstants: "(bvadd (bvadd x c) d)" => "(bvadd x c+d)";
    AddConstOut: "(bvadd (bvadd x c) y)" => "(bvadd (bvadd x y) c)";
    AddNegation: "(bvadd x (bvneg x))" => "0";
    AddCancel: "(bvadd (bvadd x y) (bvneg x))" => "y";
    AddNegCancel: "(bvadd (bvadd (bvneg x) y) x)" => "y";
    AddComplement: "(bvadd x (bvnot x))" => "ones";
    AddBit: "(bvadd x y)" => "(bvxor x y)" if "w = 1";
    AddDisjoint: "(bvadd x y)" => "(bvor x y)" if "one is a concat with zero low bits that covers the other";
    NegNeg: "(bvneg (bvneg x))" => "x";
    NegBit: "(bvneg x)" => "x" if "w = 1";
    NegAddConst: "(bvneg (bvadd x c))" => "(bvadd (bvneg x) -c)";
    NegMulConst: "(bvneg (bvmul x c))" => "(bvmul x -c)";
    MulZero: "(bvmul x 0)" => "0";
    MulOne: "(bvmul x 1)" => "x";
    MulOnes: "(bvmul x ones)" => "(bvneg x)";
    MulPowerOfTwo: "(bvmul x 2^k)" => "(bvshl x k)";
    MulConstants: "(bvmul (bvmul x c) d)" => "(bvmul x c*d)";
    MulAddConst: "(bvmul (bvadd x c) d)" => "(bvadd (bvmul x d) c*d)";
    MulNegConst: "(bvmul (bvneg x) c)" => "(bvmul x -c)";
    MulBit: "(bvmul x y)" => "(bvand x y)" if "w = 1";
    // Division and remainder.
    UdivOne: "(bvudiv x 1)" => "x";
    UdivZero: "(bvudiv x 0)" => "ones";
    UdivPowerOfTwo: "(bvudiv x 2^k)" => "(bvlshr x k)";
    UdivLess: "(bvudiv x c)" => "0" if "no value of x reaches c";
    UdivNarrow: "(bvudiv x c)" => "(zero_extend (bvudiv (extract x) c[low]))" if "the high bits of x are known to be zero and c fits";
    UremLess: "(bvurem x c)" => "x" if "no value of x reaches c";
    UremNarrow: "(bvurem x c)" => "(zero_extend (bvurem (extract x) c[low]))" if "the high bits of x are known to be zero and c fits";
    UremOne: "(bvurem x 1)" => "0";
    UremZero: "(bvurem x 0)" => "x";
    UremSame: "(bvurem x x)" => "0";
    UremPowerOfTwo: "(bvurem x 2^k)" => "(zero_extend (extract k-1 0 x))";
    SdivOne: "(bvsdiv x 1)" => "x";
    SdivMinusOne: "(bvsdiv x ones)" => "(bvneg x)";
    SdivNonNegative: "(bvsdiv x y)" => "(bvudiv x y)" if "both sign bits are known to be zero";
    SremOne: "(bvsrem x 1)" => "0" if "or by -1";
    SremNonNegative: "(bvsrem x y)" => "(bvurem x y)" if "both sign bits are known to be zero";
    SmodNonNegative: "(bvsmod x y)" => "(bvurem x y)" if "both sign bits are known to be zero";
    // Bitwise.
    BvNotNot: "(bvnot (bvnot x))" => "x";
    BvAndSame: "(bvand x x)" => "x";
    BvAndZero: "(bvand x 0)" => "0";
    BvAndOnes: "(bvand x ones)" => "x";
    BvAndComplement: "(bvand x (bvnot x))" => "0";
    BvAndConstants: "(bvand (bvand x c) d)" => "(bvand x c&d)";
    BvAndMask: "(bvand x c)" => "(concat 0 (extract x) 0)" if "the ones of c are contiguous";
    BvOrSame: "(bvor x x)" => "x";
    BvOrZero: "(bvor x 0)" => "x";
    BvOrOnes: "(bvor x ones)" => "ones";
    BvOrComplement: "(bvor x (bvnot x))" => "ones";
    BvOrConstants: "(bvor (bvor x c) d)" => "(bvor x c|d)";
    BvOrMask: "(bvor x c)" => "(concat (extract x) ones (extract x))" if "the ones of c are contiguous";
    BvXorSame: "(bvxor x x)" => "0";
    BvXorZero: "(bvxor x 0)" => "x";
    BvXorOnes: "(bvxor x ones)" => "(bvnot x)";
    BvXorComplement: "(bvxor x (bvnot x))" => "ones";
    BvXorConstants: "(bvxor (bvxor x c) d)" => "(bvxor x c^d)";
    BvXorNotOut: "(bvxor (bvnot x) y)" => "(bvnot (bvxor x y))";
    BitwiseConcatConst: "(op (concat x y) c)" => "(concat (op x c[high]) (op y c[low]))" if "op is bvand, bvor or bvxor";
    BitwiseZeroExtendConst: "(op (zero_extend x) c)" => "(concat (op 0 c[high]) (op x c[low]))" if "op is bvand, bvor or bvxor";
    OrDisjointConcat: "(op (concat x 0) (zero_extend y))" => "(concat x (zero_extend y))" if "op is bvor or bvxor and y fits into the zeros";
    // Shifts.
    ShiftZero: "(shift x 0)" => "x";
    ShiftOut: "(shift x c)" => "0" if "c >= w, logical";
    AshrOut: "(bvashr x c)" => "(sign_extend (extract w-1 w-1 x))" if "c >= w";
    ShlConst: "(bvshl x c)" => "(concat (extract w-1-c 0 x) 0)" if "c < w";
    LshrConst: "(bvlshr x c)" => "(zero_extend (extract w-1 c x))" if "c < w";
    AshrConst: "(bvashr x c)" => "(sign_extend (extract w-1 c x))" if "c < w";
    ShiftOfZero: "(shift 0 x)" => "0";
    AshrNonNegative: "(bvashr x y)" => "(bvlshr x y)" if "the sign bit of x is known to be zero";
    // Structure.
    ExtractAll: "(extract w-1 0 x)" => "x";
    ExtractExtract: "(extract (extract x))" => "(extract x)";
    ExtractConcatHigh: "(extract (concat x y))" => "(extract x)" if "all bits are in x";
    ExtractConcatLow: "(extract (concat x y))" => "(extract y)" if "all bits are in y";
    ExtractConcatBoth: "(extract (concat x y))" => "(concat (extract x) (extract y))" if "bits are in both";
    ExtractExtendLow: "(extract (extend x))" => "(extract x)" if "all bits are in x";
    ExtractZeroExtendHigh: "(extract (zero_extend x))" => "0" if "no bit is in x";
    ExtractExtendBoth: "(extract (extend x))" => "(extend (extract x))" if "bits are in both";
    ExtractSignExtendHigh: "(extract (sign_extend x))" => "(sign_extend (extract w-1 w-1 x))" if "no bit is in x";
    ExtractNot: "(extract (bvnot x))" => "(bvnot (extract x))";
    ExtractBitwiseConst: "(extract (op x c))" => "(op (extract x) c[..])" if "op is bvand, bvor or bvxor";
    ExtractLowArith: "(extract k 0 (op x y))" => "(op (extract k 0 x) (extract k 0 y))" if "op is bvadd, bvmul or bvneg and both are constants or extended from at most k+1 bits";
    ConcatExtracts: "(concat (extract hi m+1 x) (extract m lo x))" => "(extract hi lo x)";
    ConcatZero: "(concat 0 x)" => "(zero_extend x)";
    ConcatZeroExtend: "(concat (zero_extend x) y)" => "(zero_extend (concat x y))";
    ConcatRight: "(concat (concat x y) z)" => "(concat x (concat y z))";
    ConcatConstants: "(concat c (concat d x))" => "(concat cd x)";
    ConcatExtractsInner: "(concat (extract hi m+1 x) (concat (extract m lo x) y))" => "(concat (extract hi lo x) y)";
    ConcatConstZeroExtend: "(concat c (zero_extend x))" => "(concat c0 x)";
    ExtendByNothing: "(extend x)" => "x" if "by 0 bits";
    ZeroExtendTwice: "(zero_extend (zero_extend x))" => "(zero_extend x)";
    SignExtendTwice: "(sign_extend (sign_extend x))" => "(sign_extend x)";
    SignExtendNonNegative: "(sign_extend x)" => "(zero_extend x)" if "the sign bit of x is known to be zero";
    // Arrays.
    SelectStoreSame: "(select (store a i v) i)" => "v";
    SelectStoreOther: "(select (store a i v) j)" => "(select a j)" if "i and j differ by a non-zero constant";
    SelectConstArray: "(select (const v) i)" => "v";
    SelectTable: "(select table c)" => "table[c]";
    CompareTable: "(op (f (select table x)) c)" => "(or (bvule (bvsub x first) length) …)" if "op is =, bvult or bvslt, and with sides exchanged; f has constants besides; up to 4 ranges of x, or of those where it is false, and 1024 elements";
    ExtractTable: "(extract (select table x))" => "c" if "all of up to 1024 elements have these bits";
    SelectIteConst: "(select (ite x a b) c)" => "(ite x (select a c) (select b c))" if "a, b are tables or constant arrays";
    StoreTwice: "(store (store a i v) i u)" => "(store a i u)";
    StoreOwnValue: "(store a i (select a i))" => "a";
    StoreIntoTable: "(store table c d)" => "table" if "with the element replaced, up to 1024 elements";
    ConstArrayOfConst: "(const c)" => "table";
}

pub(crate) struct RuleCounters(Vec<Cell<u64>>);

impl Default for RuleCounters {
    fn default() -> Self {
        RuleCounters(vec![Cell::new(0); Rule::ALL.len()])
    }
}

impl RuleCounters {
    #[inline]
    pub(crate) fn bump(&self, rule: Rule) {
        let cell = &self.0[rule as usize];
        cell.set(cell.get() + 1);
    }

    pub(crate) fn get(&self, rule: Rule) -> u64 {
        self.0[rule as usize].get()
    }
}
