//! Reports of code that was compiled with the undefined-behaviour sanitiser: each is a check that
//! fails. They come as calls of handlers that know what happened, of handlers that are told nothing
//! (`-fsanitize-minimal-runtime`), and as traps with the number of a handler (`-fsanitize-trap`).
//!
//! Some handlers serve several kinds. What they are told tells the kinds apart; where they are told
//! nothing, the branch that leads to the report does.

use crate::emit::{BodyBuilder, ValueWord, ValueWords};
use crate::lowering::{Refusal, number};
use crate::reader::Value;
use cairn_ir::{BinaryOp, CheckKind, CompareOp, Operand};
use llvm_sys::LLVMIntPredicate::*;
use llvm_sys::LLVMOpcode::*;
use smallvec::smallvec;

/// The handlers by the numbers that traps have.
const HANDLERS: [&str; 25] = [
    "add_overflow",
    "builtin_unreachable",
    "cfi_check_fail",
    "divrem_overflow",
    "dynamic_type_cache_miss",
    "float_cast_overflow",
    "function_type_mismatch",
    "implicit_conversion",
    "invalid_builtin",
    "invalid_objc_cast",
    "load_invalid_value",
    "missing_return",
    "mul_overflow",
    "negate_overflow",
    "nullability_arg",
    "nullability_return",
    "nonnull_arg",
    "nonnull_return",
    "out_of_bounds",
    "pointer_overflow",
    "shift_out_of_bounds",
    "sub_overflow",
    "type_mismatch",
    "alignment_assumption",
    "vla_bound_not_positive",
];

/// How far back a condition is followed.
const MOST_CONDITIONS: usize = 32;

impl<'m> BodyBuilder<'_, 'm> {
    /// Lowers a call of a handler, by the rest of its name.
    pub(crate) fn sanitizer_report(
        &mut self,
        handler: &str,
        inst: Value<'m>,
    ) -> Refusal<ValueWords> {
        let name = handler.strip_suffix("_abort").unwrap_or(handler);
        let name = name.strip_suffix("_minimal").unwrap_or(name);
        let name = name.strip_suffix("_v1").unwrap_or(name);
        let leaves = self.cx.layout(inst).leaves()?;
        // The handler looks whether the object's class derives from the one that is wanted, and
        // returns if it does.
        if name == "dynamic_type_cache_miss" {
            self.cx.missing_checks.classes |= self.own;
        } else {
            self.report_of(name, inst)?;
        }
        Ok(smallvec![ValueWord::Undefined; leaves.len()])
    }

    /// Lowers a trap, by the number of the handler that it stands for.
    pub(crate) fn sanitizer_trap(&mut self, inst: Value<'m>) -> Refusal<()> {
        let number = inst.operand(0).int_value();
        match HANDLERS.get(number as usize) {
            Some(name) => self.report_of(name, inst),
            None => {
                self.check(CheckKind::Undefined, Operand::Int(0), "trap");
                Ok(())
            }
        }
    }

    /// A check that fails, of the kind that a handler's name and what is known beside it tell.
    fn report_of(&mut self, name: &str, inst: Value<'m>) -> Refusal<()> {
        self.note_handler(name);
        let message = format!("found by the sanitiser: {}", name.replace('_', " "));
        // Traps have one operand, the handler's number; minimal handlers have none.
        let arguments = inst.argument_count();
        let told = arguments > 1;
        let mut kind = kind_of(name);
        match name {
            "divrem_overflow" => {
                let divisor = match arguments > 2 {
                    true => Some(inst.operand(2)),
                    false => compared_with_zero(inst),
                };
                if let Some(divisor) = divisor {
                    self.check_not_zero(CheckKind::DivisionByZero, divisor, &message)?;
                }
            }
            "type_mismatch" => {
                let pointer = match told {
                    true => Some(inst.operand(1)),
                    false => compared_with_zero(inst),
                };
                if let Some(pointer) = pointer {
                    self.check_not_zero(CheckKind::Null, pointer, &message)?;
                    if let Some(align) = told.then(|| stated_alignment(inst)).flatten() {
                        let word = self.scalar(pointer)?;
                        let bits = self.pointer_bits();
                        let low = number(bits, align.wrapping_sub(1));
                        let low = self.binary(BinaryOp::And, bits, word, low);
                        let aligned = self.compare(CompareOp::Eq, bits, low, Operand::Int(0));
                        self.check(CheckKind::Misaligned, aligned, &message);
                        kind = CheckKind::OutOfBounds;
                    }
                }
            }
            "add_overflow" | "sub_overflow" | "mul_overflow" => {
                let unsigned = match told {
                    true => integer_type(inst, 1).is_some_and(|(signed, _)| !signed),
                    false => overflow_is_unsigned(inst),
                };
                if unsigned {
                    kind = CheckKind::UnsignedOverflow;
                }
            }
            "shift_out_of_bounds" if arguments > 2 => {
                // By less than the width: what is lost is the trouble.
                if let Some((_, bits)) = integer_type(inst, 1) {
                    let amount = inst.operand(2);
                    let width = self.cx.layout(amount).width;
                    let word = self.scalar(amount)?;
                    let limit = number(width, bits);
                    let small = self.compare(CompareOp::Ult, width, word, limit);
                    self.check(CheckKind::Overshift, small, &message);
                    kind = CheckKind::SignedOverflow;
                }
            }
            "shift_out_of_bounds" => {
                let conditions = conditions(inst);
                if let Some((amount_fits, polarity)) = conditions.iter().find_map(compares_amount) {
                    let fits = self.scalar(amount_fits)?;
                    let fits = if polarity { fits } else { self.not(fits) };
                    self.check(CheckKind::Overshift, fits, &message);
                    kind = CheckKind::SignedOverflow;
                } else if conditions.iter().any(is_phi) {
                    // The amount was looked at before, and what is shifted only if it is small.
                    kind = CheckKind::SignedOverflow;
                }
            }
            _ => {}
        }
        self.check(kind, Operand::Int(0), &message);
        Ok(())
    }

    fn check_not_zero(&mut self, kind: CheckKind, value: Value<'m>, message: &str) -> Refusal<()> {
        let width = self.cx.layout(value).width;
        let word = self.scalar(value)?;
        let holds = self.compare(CompareOp::Ne, width, word, number(width, 0));
        self.check(kind, holds, message);
        Ok(())
    }
}

/// The kind that is left after what else is known.
fn kind_of(handler: &str) -> CheckKind {
    match handler {
        "add_overflow" | "sub_overflow" | "mul_overflow" | "negate_overflow" => {
            CheckKind::SignedOverflow
        }
        "divrem_overflow" => CheckKind::DivisionOverflow,
        "shift_out_of_bounds" => CheckKind::Overshift,
        "out_of_bounds" | "local_out_of_bounds" => CheckKind::OutOfBounds,
        "load_invalid_value"
        | "float_cast_overflow"
        | "vla_bound_not_positive"
        | "implicit_conversion" => CheckKind::OutOfRange,
        "nonnull_arg" | "nonnull_return" | "nullability_arg" | "nullability_return" => {
            CheckKind::Null
        }
        "type_mismatch" | "alignment_assumption" => CheckKind::Misaligned,
        "builtin_unreachable" | "missing_return" => CheckKind::Unreachable,
        "function_type_mismatch" | "cfi_check_fail" | "cfi_bad_type" => CheckKind::FunctionType,
        "pointer_overflow" => CheckKind::PointerOverflow,
        _ => CheckKind::Undefined,
    }
}

/// An element of the constant that a handler's first argument points to.
fn told_element(inst: Value<'_>, index: u32) -> Option<Value<'_>> {
    let data = inst.operand(0);
    data.is_global_variable().then_some(())?;
    data.initializer()?.element(index)
}

/// The alignment in bytes that a handler is told was wanted.
fn stated_alignment(inst: Value<'_>) -> Option<u64> {
    let logarithm = told_element(inst, 2)?;
    1u64.checked_shl(logarithm.constant_int()? as u32)
}

/// Signedness and bits of the integer type that a handler is told of.
fn integer_type(inst: Value<'_>, index: u32) -> Option<(bool, u64)> {
    let descriptor = told_element(inst, index)?;
    descriptor.is_global_variable().then_some(())?;
    let descriptor = descriptor.initializer()?;
    let kind = descriptor.element(0)?.constant_int()?;
    let about = descriptor.element(1)?.constant_int()?;
    // Kind 0 is an integer; about it, the lowest bit is the sign and above is the width's logarithm.
    (kind == 0).then_some(())?;
    Some((about & 1 != 0, 1u64.checked_shl((about >> 1) as u32)?))
}

/// The conditions that the condition of the one branch to a report's block is made of.
fn conditions<'m>(inst: Value<'m>) -> Vec<Value<'m>> {
    let mut found: Vec<Value<'m>> = inst.block().only_condition().into_iter().collect();
    let mut at = 0;
    while at < found.len() && found.len() < MOST_CONDITIONS {
        let value = found[at];
        at += 1;
        if !value.is_instruction() {
            continue;
        }
        match value.opcode() {
            LLVMAnd | LLVMOr | LLVMXor => found.extend([value.operand(0), value.operand(1)]),
            LLVMSelect => found.extend((0..3).map(|i| value.operand(i))),
            LLVMFreeze | LLVMExtractValue => found.push(value.operand(0)),
            _ => {}
        }
    }
    found
}

/// What is compared with zero or null for equality on the way to a report.
fn compared_with_zero(inst: Value<'_>) -> Option<Value<'_>> {
    conditions(inst).into_iter().find_map(|value| {
        let compares = value.is_instruction()
            && matches!(value.opcode(), LLVMICmp)
            && matches!(value.int_predicate(), LLVMIntEQ | LLVMIntNE);
        let found = compares.then(|| value.operand(0))?;
        let zero = value.operand(1);
        let computed = !found.is_instruction() || !matches!(found.opcode(), LLVMAnd);
        (zero.is_constant() && zero.is_null() && computed).then_some(found)
    })
}

/// A comparison of an amount with a limit, and what it gives if the amount is below.
fn compares_amount<'m>(value: &Value<'m>) -> Option<(Value<'m>, bool)> {
    let compares = value.is_instruction()
        && matches!(value.opcode(), LLVMICmp)
        && value.operand(1).constant_int().is_some();
    let below = match compares.then(|| value.int_predicate())? {
        LLVMIntULT | LLVMIntULE => true,
        LLVMIntUGT | LLVMIntUGE => false,
        _ => return None,
    };
    Some((*value, below))
}

fn is_phi(value: &Value<'_>) -> bool {
    value.is_instruction() && matches!(value.opcode(), LLVMPHI)
}

/// Whether the overflow that leads to a report is one of unsigned arithmetic.
fn overflow_is_unsigned(inst: Value<'_>) -> bool {
    conditions(inst).into_iter().any(|value| {
        value.is_instruction()
            && matches!(value.opcode(), LLVMCall)
            && value.callee().name().starts_with("llvm.u")
    })
}
