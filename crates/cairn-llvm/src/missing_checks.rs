//! Checks that the compiler has taken away, or that were never in the code.
//!
//! Clang folds what is constant before any check of ours can see it: a signed sum wraps, a shift by too
//! much and a division by zero become `poison`. The optimiser folds more, and moves shifts to where
//! their results are not used. Where Cairn runs the compiler itself, [`check_flags`](crate::check_flags) has it keep the
//! checks; about a module that was compiled elsewhere, [`MissingChecks::lines`] says what cannot be known.

use crate::LowerOptions;
use crate::emit::BodyBuilder;
use crate::reader::Value;
use cairn_ir::{CheckKind, Operand};
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMTypeKind;
use std::ops::RangeInclusive;

/// What was seen of checks in the program's own functions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MissingChecks {
    /// Signed arithmetic that the sanitiser does not check.
    pub(crate) plain_arithmetic: bool,
    /// A part of the program has no check of the sanitiser for signed arithmetic.
    pub(crate) unchecked_part: bool,
    /// A shift by an unknown amount that is not checked.
    pub(crate) plain_shift: bool,
    /// The sanitiser's check of shifts.
    pub(crate) checked_shift: bool,
    /// A shift by a number that was made narrower, or wider without its sign, in code that was not optimised: too large a number may be
    /// a small one by then.
    pub(crate) converted_amount: bool,
    /// The sanitiser's check of classes (`-fsanitize=vptr`).
    pub(crate) classes: bool,
    /// A constant without a value in code that was not optimised.
    pub(crate) folded: bool,
}

/// The operand of a subprogram's node that is the compilation unit.
const UNIT_OF_SUBPROGRAM: usize = 5;

impl MissingChecks {
    /// Whether a shift by too much may look like one by less.
    pub(crate) fn hides_shift(self) -> bool {
        self.converted_amount && !self.checked_shift
    }

    /// What cannot be known about the program, one line each.
    pub(crate) fn lines(self, options: &LowerOptions) -> Vec<String> {
        let mut lines = Vec::new();
        let elsewhere = !options.compiled_for_checks;
        let arithmetic = options.check_signed_overflow && elsewhere;
        if arithmetic && (self.plain_arithmetic || self.unchecked_part) {
            lines.push(
                "overflows that the compiler has folded, or whose results optimised code does not use, are not \
                 seen: compile with -fsanitize=signed-integer-overflow"
                    .to_string(),
            );
        }
        if elsewhere && self.plain_shift && !self.checked_shift {
            lines.push(
                "shifts by the width or more are not looked for in optimised functions: compile \
                 with -O0 or -fsanitize=shift-exponent"
                    .to_string(),
            );
        }
        if elsewhere && self.converted_amount && !self.checked_shift {
            lines.push(
                "shifts by numbers of another width are looked at behind their conversion, which may have made a \
                 small number of a large one: compile with -fsanitize=shift-exponent"
                    .to_string(),
            );
        }
        if self.classes {
            lines.push(
                "whether objects are of the class that a call or cast says is not checked: the check \
                 of -fsanitize=vptr is not supported"
                    .to_string(),
            );
        }
        lines
    }
}

impl<'m> BodyBuilder<'_, 'm> {
    /// Whether LLVM's optimiser has seen the function: it leaves no variable in memory that could be
    /// in a register, and the compiler's front end leaves them all.
    pub(crate) fn was_optimized(&self) -> bool {
        let entry = self.function.blocks().next();
        let mut instructions = entry.into_iter().flat_map(|block| block.instructions());
        !instructions.any(|inst| matches!(inst.opcode(), LLVMAlloca) && is_plain_variable(inst))
    }

    /// Notes that the part of the program that the function is of may have no checks.
    pub(crate) fn note_part(&mut self) {
        if self.own {
            let part = self.part();
            self.cx.parts.entry(part).or_insert(false);
        }
    }

    /// What was compiled at once: the source file, as the debug information tells. Of a function without it nothing is known but
    /// what is in it.
    fn part(&self) -> Value<'m> {
        let unit = self.function.subprogram().and_then(|subprogram| {
            let operands = self.cx.module.metadata_operands(subprogram);
            operands.get(UNIT_OF_SUBPROGRAM).copied().flatten()
        });
        unit.unwrap_or(self.function)
    }

    /// Notes arithmetic and its checks.
    pub(crate) fn note_handler(&mut self, name: &str) {
        if !self.own {
            return;
        }
        match name {
            "add_overflow" | "sub_overflow" | "mul_overflow" | "negate_overflow" => {
                let part = self.part();
                self.cx.parts.insert(part, true);
            }
            "shift_out_of_bounds" => self.cx.missing_checks.checked_shift = true,
            _ => {}
        }
    }

    /// Notes a shift whose amount the front end has converted to the width of what is shifted.
    pub(crate) fn note_amount(&mut self, amount: Value<'_>) {
        if self.own && self.unoptimized && loses_bits(amount) {
            self.cx.missing_checks.converted_amount = true;
        }
    }

    /// A constant without a value: in code that was not optimised, the compiler's front end has folded
    /// an operation that has no result.
    pub(crate) fn folded_operation(&mut self) {
        if !self.own || !self.unoptimized {
            return;
        }
        self.cx.missing_checks.folded = true;
        if self.cx.options.check_folded {
            let message = "the compiler has folded an operation without a result, as a division by \
                           zero, a shift by too much or a number that does not fit";
            self.check(CheckKind::Undefined, Operand::Int(0), message);
        }
    }
}

/// Whether a number may be another one than that which it was converted from. That of an `int` to a wider type is large if it was
/// negative.
fn loses_bits(amount: Value<'_>) -> bool {
    if !amount.is_instruction() {
        return false;
    }
    match amount.opcode() {
        LLVMTrunc if is_integer(amount) => !is_below(amount.operand(0), amount.ty().int_width()),
        LLVMZExt if is_integer(amount) => SMALL.contains(&amount.operand(0).ty().int_width()),
        _ => false,
    }
}

fn is_integer(value: Value<'_>) -> bool {
    matches!(value.ty().kind(), LLVMTypeKind::LLVMIntegerTypeKind)
}

/// Widths of numbers that may be smaller than the width of a word when they are negative.
const SMALL: RangeInclusive<u32> = 2..=6;

/// Whether a number is masked so that so many bits hold it.
fn is_below(number: Value<'_>, bits: u32) -> bool {
    number.is_instruction()
        && number.opcode() == LLVMAnd
        && [0, 1]
            .into_iter()
            .filter_map(|i| number.operand(i).constant_int())
            .any(|mask| mask.checked_shr(bits).unwrap_or(0) == 0)
}

/// A variable of one word that is only loaded and stored.
fn is_plain_variable(alloca: Value<'_>) -> bool {
    let mut accessed = false;
    let plain = alloca.users().all(|user| {
        if !user.is_instruction() {
            return false;
        }
        match user.opcode() {
            LLVMLoad => {
                accessed = true;
                !user.is_volatile()
            }
            LLVMStore => {
                accessed = true;
                user.operand(0) != alloca && !user.is_volatile()
            }
            LLVMCall => user.callee().name().starts_with("llvm.lifetime."),
            _ => false,
        }
    });
    plain && accessed && alloca.allocated_type().is_scalar()
}
