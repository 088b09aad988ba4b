//! Floating-point arithmetic, bit-exact in every format that C programs use.
//!
//! A program's floating-point numbers are their bits, so this crate is functions on bits: what
//! x86-64 and the compilers' libraries for it compute, rounded to nearest even.
//!
//! - Single and double precision run on the host's arithmetic ([`binary_f64`] and its like).
//! - The other formats are computed in integers and rounded once. For half precision and
//!   brain floats that equals what compilers do, who go through single precision: it has more
//!   than twice the digits, so that rounding twice is rounding once.
//! - What is not a number follows the rules of the unit that would compute it: which operand's
//!   payload the result keeps, always quiet, and the negative default for invalid operations.
//! - `fmin` and `fmax` may take either zero in C; here -0 is below +0.
//! - [`rounded`] has all rounding directions and tells what was raised.
//! - [`printf`] prints numbers as C's library does.

#![forbid(unsafe_code)]

#[cfg(test)]
#[path = "../tests/common/mod.rs"]
mod common;
mod convert;
mod host;
mod layout;
pub mod printf;
pub mod rounded;
mod soft;
mod wide;

pub use convert::{convert, convert_word};
pub use host::{
    binary_f32, binary_f64, compare_f32, compare_f64, fma_f32, fma_f64, unary_f32, unary_f64,
};

use cairn_ir::{FloatBinaryOp, FloatCompareOp, FloatFormat, FloatUnaryOp};

/// An operator on two numbers of a format. Bits above the format's width are ignored.
pub fn binary(op: FloatBinaryOp, format: FloatFormat, a: u128, b: u128) -> u128 {
    match format {
        FloatFormat::Single => binary_f32(op, a as u32, b as u32).into(),
        FloatFormat::Double => binary_f64(op, a as u64, b as u64).into(),
        FloatFormat::Half | FloatFormat::Bfloat | FloatFormat::X87 | FloatFormat::Quad => {
            soft::binary(op, format, cut(format, a), cut(format, b))
        }
    }
}

/// An operator on one number of a format. Bits above the format's width are ignored.
pub fn unary(op: FloatUnaryOp, format: FloatFormat, a: u128) -> u128 {
    match format {
        FloatFormat::Single => unary_f32(op, a as u32).into(),
        FloatFormat::Double => unary_f64(op, a as u64).into(),
        FloatFormat::Half | FloatFormat::Bfloat | FloatFormat::X87 | FloatFormat::Quad => {
            soft::unary(op, format, cut(format, a))
        }
    }
}

/// `a * b + c`, rounded once. Bits above the format's width are ignored.
pub fn fma(format: FloatFormat, a: u128, b: u128, c: u128) -> u128 {
    match format {
        FloatFormat::Single => fma_f32(a as u32, b as u32, c as u32).into(),
        FloatFormat::Double => fma_f64(a as u64, b as u64, c as u64).into(),
        FloatFormat::Half | FloatFormat::Bfloat | FloatFormat::X87 | FloatFormat::Quad => {
            soft::fma(format, cut(format, a), cut(format, b), cut(format, c))
        }
    }
}

/// A comparison of two numbers of a format. Bits above the format's width are ignored.
pub fn compare(op: FloatCompareOp, format: FloatFormat, a: u128, b: u128) -> bool {
    match format {
        FloatFormat::Single => compare_f32(op, a as u32, b as u32),
        FloatFormat::Double => compare_f64(op, a as u64, b as u64),
        FloatFormat::Half | FloatFormat::Bfloat | FloatFormat::X87 | FloatFormat::Quad => {
            soft::compare(op, format, cut(format, a), cut(format, b))
        }
    }
}

/// The low bits that the format has.
fn cut(format: FloatFormat, bits: u128) -> u128 {
    bits & (u128::MAX >> (128 - format.width()))
}
