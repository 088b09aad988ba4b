//! Floating-point instructions. Fast-math flags only allow other results; the strict one is
//! always among those allowed.

use crate::emit::{BodyBuilder, ValueWords};
use crate::lowering::{Refusal, Unlowerable, constant};
use crate::reader::Value;
use cairn_bv::BitVec;
use cairn_ir::{
    BinaryOp, FloatBinaryOp, FloatCompareOp, FloatConvertOp, FloatFormat, FloatUnaryOp, Inst,
    Operand,
};
use llvm_sys::LLVMOpcode::{self, *};

impl<'m> BodyBuilder<'_, 'm> {
    pub(crate) fn float_operation(
        &mut self,
        opcode: LLVMOpcode,
        value: Value<'m>,
    ) -> Refusal<ValueWords> {
        let source = self.cx.layout(value.operand(0));
        let result = self.cx.layout(value);
        let op = match opcode {
            LLVMFAdd => FloatBinaryOp::Add,
            LLVMFSub => FloatBinaryOp::Sub,
            LLVMFMul => FloatBinaryOp::Mul,
            LLVMFDiv => FloatBinaryOp::Div,
            LLVMFRem => FloatBinaryOp::Rem,
            LLVMFNeg => {
                let width = result.format()?.width();
                return self.lanes(&[value.operand(0)], |this, words| {
                    Ok(this.flip_sign(width, words[0].clone()))
                });
            }
            LLVMFCmp => {
                // The predicate's number has one bit for each relation.
                let bits = value.float_predicate() as u32;
                return self.float_comparison(bits, value);
            }
            LLVMFPToUI | LLVMFPToSI => {
                let op = FloatConvertOp::ToInt {
                    signed: matches!(opcode, LLVMFPToSI),
                    from: source.format()?,
                    to: result.lane().width,
                    saturating: false,
                };
                return self.conversion(op, result.lane().width, value.operand(0));
            }
            LLVMUIToFP | LLVMSIToFP => {
                let op = FloatConvertOp::FromInt {
                    signed: matches!(opcode, LLVMSIToFP),
                    from: source.lane().width,
                    to: result.format()?,
                };
                return self.conversion(op, result.lane().width, value.operand(0));
            }
            LLVMFPTrunc | LLVMFPExt => {
                let op = FloatConvertOp::Format {
                    from: source.format()?,
                    to: result.format()?,
                };
                return self.conversion(op, result.lane().width, value.operand(0));
            }
            _ => return Err(Unlowerable::new("an unknown floating-point operator")),
        };
        self.float_lanes(op, value.operand(0), value.operand(1))
    }

    /// An operator on two numbers, lane by lane.
    pub(crate) fn float_lanes(
        &mut self,
        op: FloatBinaryOp,
        left: Value<'m>,
        right: Value<'m>,
    ) -> Refusal<ValueWords> {
        let format = self.cx.layout(left).format()?;
        self.lanes(&[left, right], |this, words| {
            Ok(this.float_binary(op, format, words[0].clone(), words[1].clone()))
        })
    }

    /// A comparison by LLVM's number of the predicate: 1 equal, 2 greater, 4 less, 8 unordered.
    pub(crate) fn float_comparison(&mut self, bits: u32, value: Value<'m>) -> Refusal<ValueWords> {
        let op = FloatCompareOp {
            equal: bits & 1 != 0,
            greater: bits & 2 != 0,
            less: bits & 4 != 0,
            unordered: bits & 8 != 0,
        };
        let format = self.cx.layout(value.operand(0)).format()?;
        self.lanes(&[value.operand(0), value.operand(1)], |this, words| {
            Ok(match bits {
                0 => Operand::Int(0),
                15 => Operand::Int(1),
                _ => this.float_compare(op, format, words[0].clone(), words[1].clone()),
            })
        })
    }

    pub(crate) fn conversion(
        &mut self,
        op: FloatConvertOp,
        width: u32,
        value: Value<'m>,
    ) -> Refusal<ValueWords> {
        self.lanes(&[value], |this, words| {
            Ok(this.float_convert(op, width, words[0].clone()))
        })
    }

    // Single instructions.

    pub(crate) fn float_binary(
        &mut self,
        op: FloatBinaryOp,
        format: FloatFormat,
        left: Operand,
        right: Operand,
    ) -> Operand {
        let dst = self.local(format.width());
        self.push(Inst::FloatBinary {
            op,
            format,
            dst,
            left,
            right,
        });
        Operand::Local(dst)
    }

    pub(crate) fn float_unary(
        &mut self,
        op: FloatUnaryOp,
        format: FloatFormat,
        value: Operand,
    ) -> Operand {
        let dst = self.local(format.width());
        self.push(Inst::FloatUnary {
            op,
            format,
            dst,
            value,
        });
        Operand::Local(dst)
    }

    pub(crate) fn float_compare(
        &mut self,
        op: FloatCompareOp,
        format: FloatFormat,
        left: Operand,
        right: Operand,
    ) -> Operand {
        let dst = self.local(1);
        self.push(Inst::FloatCompare {
            op,
            format,
            dst,
            left,
            right,
        });
        Operand::Local(dst)
    }

    pub(crate) fn float_convert(
        &mut self,
        op: FloatConvertOp,
        width: u32,
        value: Operand,
    ) -> Operand {
        let dst = self.local(width);
        self.push(Inst::FloatConvert { op, dst, value });
        Operand::Local(dst)
    }

    pub(crate) fn float_fma(
        &mut self,
        format: FloatFormat,
        a: Operand,
        b: Operand,
        c: Operand,
    ) -> Operand {
        let dst = self.local(format.width());
        self.push(Inst::FloatFma {
            format,
            dst,
            a,
            b,
            c,
        });
        Operand::Local(dst)
    }

    pub(crate) fn flip_sign(&mut self, width: u32, value: Operand) -> Operand {
        let sign = constant(BitVec::min_signed(width));
        self.binary(BinaryOp::Xor, width, value, sign)
    }

    pub(crate) fn clear_sign(&mut self, width: u32, value: Operand) -> Operand {
        let rest = constant(BitVec::max_signed(width));
        self.binary(BinaryOp::And, width, value, rest)
    }

    pub(crate) fn copy_sign(&mut self, width: u32, value: Operand, sign: Operand) -> Operand {
        let magnitude = self.clear_sign(width, value);
        let mask = constant(BitVec::min_signed(width));
        let sign = self.binary(BinaryOp::And, width, sign, mask);
        self.binary(BinaryOp::Or, width, magnitude, sign)
    }
}
