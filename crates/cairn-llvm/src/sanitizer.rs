//! Calls by which code that was compiled with the undefined-behaviour sanitiser reports: each is a
//! check that fails.

use crate::emit::{Builder, Piece, Pieces};
use crate::lowering::{Refusal, number};
use crate::reader::Value;
use cairn_ir::{CheckKind, CompareOp, Operand};
use smallvec::smallvec;

impl<'m> Builder<'_, 'm> {
    /// Lowers a call of a handler, by the rest of its name.
    pub(crate) fn sanitizer_report(&mut self, handler: &str, inst: Value<'m>) -> Refusal<Pieces> {
        let name = handler
            .trim_end_matches("_abort")
            .trim_end_matches("_minimal")
            .trim_end_matches("_v1");
        let message = format!("found by the sanitiser: {}", name.replace('_', " "));
        // Two handlers serve two kinds each, which the value they get tells apart: the pointer, or
        // the divisor.
        let told_apart = match name {
            "type_mismatch" => Some((1, CheckKind::Null)),
            "divrem_overflow" => Some((2, CheckKind::DivisionByZero)),
            _ => None,
        };
        if let Some((at, kind)) = told_apart
            && inst.argument_count() > at
        {
            let value = inst.operand(at);
            let width = self.cx.layout(value).width;
            let word = self.scalar(value)?;
            let holds = self.compare(CompareOp::Ne, width, word, number(width, 0));
            self.check(kind, holds, &message);
        }
        self.check(kind_of(name), Operand::Int(0), &message);
        let leaves = self.cx.layout(inst).leaves()?;
        Ok(smallvec![Piece::Undefined; leaves.len()])
    }
}

/// The kind that is left after what the arguments tell apart.
fn kind_of(handler: &str) -> CheckKind {
    match handler {
        "add_overflow" | "sub_overflow" | "mul_overflow" | "negate_overflow" => {
            CheckKind::SignedOverflow
        }
        "divrem_overflow" => CheckKind::DivisionOverflow,
        "shift_out_of_bounds" => CheckKind::Overshift,
        "out_of_bounds"
        | "load_invalid_value"
        | "float_cast_overflow"
        | "vla_bound_not_positive"
        | "implicit_conversion" => CheckKind::OutOfRange,
        "nonnull_arg" | "nonnull_return" | "nullability_arg" | "nullability_return" => {
            CheckKind::Null
        }
        "type_mismatch" | "alignment_assumption" => CheckKind::Misaligned,
        "builtin_unreachable" => CheckKind::Unreachable,
        "missing_return" | "function_type_mismatch" => CheckKind::FunctionType,
        "pointer_overflow" => CheckKind::PointerOverflow,
        _ => CheckKind::Undefined,
    }
}
