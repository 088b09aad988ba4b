//! Mathematical functions of `long double` (80 bits), as far as they are exact.

use super::{NativeCall, NativeFamily, NativeResult};
use cairn_bv::BitVec;
use cairn_float as float;
use cairn_ir::{FloatBinaryOp, FloatFormat, FloatUnaryOp};
use cairn_memory::Word;

const FORMAT: FloatFormat = FloatFormat::X87;

pub(super) const FUNCTIONS: NativeFamily = &[
    ("sqrtl", |c| unary(c, FloatUnaryOp::Sqrt)),
    ("floorl", |c| unary(c, FloatUnaryOp::Floor)),
    ("ceill", |c| unary(c, FloatUnaryOp::Ceil)),
    ("truncl", |c| unary(c, FloatUnaryOp::Trunc)),
    ("roundl", |c| unary(c, FloatUnaryOp::RoundAway)),
    ("rintl", |c| unary(c, FloatUnaryOp::RoundEven)),
    ("nearbyintl", |c| unary(c, FloatUnaryOp::RoundEven)),
    ("fmodl", |c| binary(c, FloatBinaryOp::Rem)),
    ("fminl", |c| binary(c, FloatBinaryOp::MinNum)),
    ("fmaxl", |c| binary(c, FloatBinaryOp::MaxNum)),
    ("fmal", fma),
    ("fabsl", fabs),
    ("copysignl", copysign),
];

/// The bit above the exponent.
const SIGN: u128 = 1 << 79;

fn result(call: &mut NativeCall<'_>, bits: u128) -> NativeResult {
    call.wide_result = Some(BitVec::from_u128(FORMAT.width(), bits));
    Ok(Word::int(0))
}

fn unary(call: &mut NativeCall<'_>, op: FloatUnaryOp) -> NativeResult {
    let bits = float::unary(op, FORMAT, call.wide(0));
    result(call, bits)
}

fn binary(call: &mut NativeCall<'_>, op: FloatBinaryOp) -> NativeResult {
    let bits = float::binary(op, FORMAT, call.wide(0), call.wide(1));
    result(call, bits)
}

fn fma(call: &mut NativeCall<'_>) -> NativeResult {
    let bits = float::fma(FORMAT, call.wide(0), call.wide(1), call.wide(2));
    result(call, bits)
}

fn fabs(call: &mut NativeCall<'_>) -> NativeResult {
    let bits = call.wide(0) & !SIGN;
    result(call, bits)
}

fn copysign(call: &mut NativeCall<'_>) -> NativeResult {
    let bits = call.wide(0) & !SIGN | call.wide(1) & SIGN;
    result(call, bits)
}
