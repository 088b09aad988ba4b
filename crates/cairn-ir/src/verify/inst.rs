//! The rules about instructions: widths, and what each asks of its parts.

use super::VerifierRule;
use super::body::Checker;
use crate::{
    Call, Callee, CastOp, FloatConvertOp, FloatFormat, Inst, Local, Operand, PointerWidth, SlotId,
    UnaryOp, VarArg, VarClass,
};

/// Registers that pass arguments on x86-64.
const GENERAL_REGISTERS: u32 = 6;
const FLOAT_REGISTERS: u32 = 8;

impl Checker<'_> {
    /// Checks that a result has a width.
    fn result(&mut self, dst: Local, width: u32) {
        if let Some(own) = self.width_of(dst)
            && own != width
        {
            let message = format!("result {dst} has {own} bits, not {width}");
            self.fail(VerifierRule::ResultWidth, message);
        }
    }

    /// Checks operands that have the width of the result.
    fn like_result(&mut self, dst: Local, operands: &[&Operand]) {
        // A result that there is not was reported where it is defined.
        if let Some(width) = self.width_of(dst) {
            for operand in operands {
                self.operand(operand, width);
            }
        }
    }

    /// Checks operands of a format.
    fn floats(&mut self, format: FloatFormat, operands: &[&Operand]) {
        for operand in operands {
            self.operand(operand, format.width());
        }
    }

    /// Checks addresses and lengths.
    fn words(&mut self, operands: &[&Operand]) {
        for operand in operands {
            self.operand(operand, self.pointer_bits());
        }
    }

    /// Bits of an address or a length.
    fn pointer_bits(&self) -> u32 {
        self.program.pointer_width.bits()
    }

    fn whole_bytes(&mut self, width: u32) {
        if !width.is_multiple_of(8) {
            self.fail(
                VerifierRule::WholeBytes,
                format!("{width} bits are not whole bytes"),
            );
        }
    }

    fn align(&mut self, align: u64) {
        if !align.is_power_of_two() {
            let message = format!("the alignment {align} is no power of two");
            self.fail(VerifierRule::Align, message);
        }
    }

    fn slot_width(&mut self, slot: SlotId) -> Option<u32> {
        let width = self.program.slots.get(slot.index()).map(|slot| slot.width);
        if width.is_none() {
            self.fail(
                VerifierRule::SymbolRange,
                format!("there is no slot {slot}"),
            );
        }
        width
    }

    /// Checks an instruction.
    pub fn inst(&mut self, inst: &Inst) {
        match inst {
            Inst::Binary {
                op: _,
                dst,
                left,
                right,
            } => self.like_result(*dst, &[left, right]),
            Inst::Unary { op, dst, value } => {
                self.like_result(*dst, &[value]);
                match (op, self.width_of(*dst)) {
                    (UnaryOp::ByteSwap, Some(width)) => self.whole_bytes(width),
                    (UnaryOp::ByteSwap, None)
                    | (UnaryOp::Popcount, _)
                    | (UnaryOp::LeadingZeros, _)
                    | (UnaryOp::TrailingZeros, _)
                    | (UnaryOp::BitReverse, _) => {}
                }
            }
            Inst::Compare {
                op: _,
                dst,
                width,
                left,
                right,
            } => {
                self.result(*dst, 1);
                if self.named_width(*width) {
                    self.operand(left, *width);
                    self.operand(right, *width);
                }
            }
            Inst::Cast {
                op,
                dst,
                from,
                value,
            } => self.cast(*op, *dst, *from, value),
            Inst::Extract {
                dst,
                from,
                value,
                low,
            } => {
                if !self.named_width(*from) {
                    return;
                }
                self.operand(value, *from);
                if let Some(width) = self.width_of(*dst)
                    && low.checked_add(width).is_none_or(|end| end > *from)
                {
                    let message = format!("{width} bits from bit {low} of {from} bits");
                    self.fail(VerifierRule::ExtractRange, message);
                }
            }
            Inst::Concat {
                dst,
                high,
                low,
                low_width,
            } => {
                if !self.named_width(*low_width) {
                    return;
                }
                self.operand(low, *low_width);
                let Some(width) = self.width_of(*dst) else {
                    return;
                };
                match width.checked_sub(*low_width).filter(|high| *high > 0) {
                    Some(high_width) => self.operand(high, high_width),
                    None => {
                        let message = format!("a lower part of {low_width} of {width} bits");
                        self.fail(VerifierRule::ConcatWidths, message);
                    }
                }
            }
            Inst::Select {
                dst,
                condition,
                then,
                otherwise,
            } => {
                self.operand(condition, 1);
                self.like_result(*dst, &[then, otherwise]);
            }
            Inst::FloatBinary {
                op: _,
                format,
                dst,
                left,
                right,
            } => {
                self.result(*dst, format.width());
                self.floats(*format, &[left, right]);
            }
            Inst::FloatUnary {
                op: _,
                format,
                dst,
                value,
            } => {
                self.result(*dst, format.width());
                self.floats(*format, &[value]);
            }
            Inst::FloatFma {
                format,
                dst,
                a,
                b,
                c,
            } => {
                self.result(*dst, format.width());
                self.floats(*format, &[a, b, c]);
            }
            Inst::FloatCompare {
                op: _,
                format,
                dst,
                left,
                right,
            } => {
                self.result(*dst, 1);
                self.floats(*format, &[left, right]);
            }
            Inst::FloatConvert { op, dst, value } => self.float_convert(*op, *dst, value),
            Inst::Arbitrary { dst: _ } => {}
            Inst::Load { dst, address } => {
                self.words(&[address]);
                if let Some(width) = self.width_of(*dst) {
                    self.whole_bytes(width);
                }
            }
            Inst::Store {
                value,
                width,
                address,
            } => {
                self.words(&[address]);
                if self.named_width(*width) {
                    self.operand(value, *width);
                    self.whole_bytes(*width);
                }
            }
            Inst::Alloca { dst, size, align } => {
                self.result(*dst, self.pointer_bits());
                self.words(&[size]);
                self.align(*align);
            }
            Inst::StackSave { dst } => self.result(*dst, self.pointer_bits()),
            Inst::StackRestore { mark } => self.words(&[mark]),
            Inst::Scope { address, begins: _ } => self.words(&[address]),
            Inst::Copy {
                to,
                from,
                length,
                overlapping: _,
            } => self.words(&[to, from, length]),
            Inst::Fill { to, byte, length } => {
                self.words(&[to, length]);
                self.operand(byte, 8);
            }
            Inst::Call(call) => self.call(call),
            Inst::VaStart {
                list,
                general,
                float,
            } => {
                self.words(&[list]);
                if self.program.pointer_width != PointerWidth::Eight {
                    self.fail(
                        VerifierRule::VaStart,
                        "an x86-64 list has pointers of 8 bytes",
                    );
                }
                if !self.function.variadic {
                    self.fail(VerifierRule::VaStart, "the function is not variadic");
                }
                if *general > GENERAL_REGISTERS || *float > FLOAT_REGISTERS {
                    let message = format!("{general} general and {float} float registers");
                    self.fail(VerifierRule::VaStart, message);
                }
            }
            Inst::Check(check) => self.operand(&check.condition, 1),
            Inst::ReadSlot { dst, slot } => {
                if let Some(width) = self.slot_width(*slot) {
                    self.result(*dst, width);
                }
            }
            Inst::WriteSlot { slot, value } => {
                if let Some(width) = self.slot_width(*slot) {
                    self.operand(value, width);
                }
            }
        }
    }

    fn cast(&mut self, op: CastOp, dst: Local, from: u32, value: &Operand) {
        if !self.named_width(from) {
            return;
        }
        self.operand(value, from);
        let Some(to) = self.width_of(dst) else {
            return;
        };
        let fits = match op {
            CastOp::Zext | CastOp::Sext => from < to,
            CastOp::Trunc => from > to,
        };
        if !fits {
            let message = format!("{} from {from} to {to} bits", op.word());
            self.fail(VerifierRule::CastWidths, message);
        }
    }

    fn float_convert(&mut self, op: FloatConvertOp, dst: Local, value: &Operand) {
        let (from, to) = match op {
            FloatConvertOp::Format { from, to } => (from.width(), to.width()),
            FloatConvertOp::FromInt {
                signed: _,
                from,
                to,
            } => (from, to.width()),
            FloatConvertOp::ToInt {
                signed: _,
                from,
                to,
                saturating: _,
            } => (from.width(), to),
        };
        if self.named_width(from) {
            self.operand(value, from);
        }
        if self.named_width(to) {
            self.result(dst, to);
        }
    }

    fn call(&mut self, call: &Call) {
        for (value, width) in &call.args {
            if self.named_width(*width) {
                self.operand(value, *width);
            }
        }
        for arg in &call.variadic {
            self.variadic_arg(arg);
        }
        let program = self.program;
        let callee = match call.callee {
            Callee::Indirect(local) => return self.use_local(local, self.pointer_bits()),
            Callee::Direct(id) => match program.functions.get(id.index()) {
                Some(callee) => callee,
                None => {
                    return self.fail(
                        VerifierRule::SymbolRange,
                        format!("there is no function {id}"),
                    );
                }
            },
        };
        if !call.args.iter().map(|(_, width)| width).eq(&callee.params) {
            let message = format!("the arguments are not as `{}` takes them", callee.name);
            self.fail(VerifierRule::CallArgs, message);
        }
        let results = call.results.iter().map(|local| self.width_of(*local));
        if !results.eq(callee.results.iter().map(|width| Some(*width))) {
            let message = format!("the results are not as `{}` gives them", callee.name);
            self.fail(VerifierRule::CallResults, message);
        }
        if !call.variadic.is_empty() && !callee.variadic {
            let message = format!("`{}` is not variadic", callee.name);
            self.fail(VerifierRule::CallVariadic, message);
        }
    }

    fn variadic_arg(&mut self, arg: &VarArg) {
        if self.named_width(arg.width) {
            self.operand(&arg.value, arg.width);
        }
        match arg.class {
            VarClass::General | VarClass::Float => {}
            VarClass::Memory(align) => self.align(u64::from(align)),
            VarClass::Bytes { size: _, align } => {
                self.align(u64::from(align));
                if arg.width != self.pointer_bits() {
                    let message = format!("the address of bytes has {} bits", arg.width);
                    self.fail(VerifierRule::CallVariadic, message);
                }
            }
        }
    }
}
