//! Floating-point arithmetic in any rounding direction, for programs that were made from machine code.
//!
//! Both functions take the number of an operation, that of a rounding direction, and three operands
//! ([`cairn_float::rounded`]). A number that stands for nothing gives zero: what makes programs checks it.

use super::{NativeCall, NativeFamily};
use cairn_float::rounded::{Operation, Rounding};
use cairn_memory::Word;

/// The function that gives the result.
pub const ROUNDED: &str = "cairn.float.rounded";
/// The function that says what is raised.
pub const RAISED: &str = "cairn.float.raised";

pub(super) const FUNCTIONS: NativeFamily = &[
    (ROUNDED, |c| Ok(Word::int(apply(c).0))),
    (RAISED, |c| Ok(Word::int(apply(c).1))),
];

fn apply(call: &mut NativeCall<'_>) -> (u64, u64) {
    let operation = Operation::from_code(call.bits(0));
    let number = usize::try_from(call.bits(1)).unwrap_or(usize::MAX);
    let rounding = Rounding::ALL.get(number);
    match (operation, rounding) {
        (Some(operation), Some(rounding)) => {
            operation.apply(*rounding, call.bits(2), call.bits(3), call.bits(4))
        }
        (_, _) => (0, 0),
    }
}
