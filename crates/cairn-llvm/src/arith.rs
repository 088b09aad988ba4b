//! Integer arithmetic, comparisons, casts and address computation, lane by lane. What LLVM leaves
//! undefined becomes a check before the operator, as far as the options ask for it.

use crate::Overshift;
use crate::emit::{BodyBuilder, ValueWord, ValueWords, literal};
use crate::lowering::{Refusal, Unlowerable, constant, number};
use crate::reader::{Type, Value};
use crate::types::TypeShape;
use cairn_bv::BitVec;
use cairn_ir::{BinaryOp, CastOp, CheckKind, CompareOp, Operand};
use llvm_sys::LLVMIntPredicate::*;
use llvm_sys::LLVMOpcode::{self, *};
use llvm_sys::LLVMTypeKind::LLVMPointerTypeKind;

/// Two ways to read a word as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IntegerSign {
    Signed,
    Unsigned,
}

impl<'m> BodyBuilder<'_, 'm> {
    /// An operation that may stand in a constant expression or be an instruction.
    pub(crate) fn operation(
        &mut self,
        opcode: LLVMOpcode,
        value: Value<'m>,
    ) -> Refusal<ValueWords> {
        match opcode {
            LLVMAdd | LLVMSub | LLVMMul | LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem | LLVMShl
            | LLVMLShr | LLVMAShr | LLVMAnd | LLVMOr | LLVMXor => self.int_operation(opcode, value),
            LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFRem | LLVMFNeg | LLVMFCmp
            | LLVMFPToUI | LLVMFPToSI | LLVMUIToFP | LLVMSIToFP | LLVMFPTrunc | LLVMFPExt => {
                self.float_operation(opcode, value)
            }
            LLVMTrunc | LLVMZExt | LLVMSExt | LLVMPtrToInt | LLVMIntToPtr => {
                let op = match opcode {
                    LLVMSExt => CastOp::Sext,
                    _ => CastOp::Zext,
                };
                let from = self.cx.layout(value.operand(0)).lane().width;
                let to = self.cx.layout(value).lane().width;
                let op = if to < from { CastOp::Trunc } else { op };
                self.lanes(&[value.operand(0)], |this, words| {
                    let word = this.cast(op, from, to, words[0].clone());
                    // What was computed as a number may lead to any object.
                    Ok(match opcode {
                        LLVMIntToPtr => this.plain_number(word),
                        _ => word,
                    })
                })
            }
            LLVMAddrSpaceCast => self.pieces(value.operand(0)),
            LLVMBitCast => self.bitcast(value),
            LLVMICmp => {
                let predicate = value.int_predicate();
                let width = self.cx.layout(value.operand(0)).lane().width;
                let is_pointer = matches!(value.operand(0).ty().kind(), LLVMPointerTypeKind);
                self.lanes(&[value.operand(0), value.operand(1)], |this, words| {
                    let (left, right) = (words[0].clone(), words[1].clone());
                    let (op, left, right) = match predicate {
                        LLVMIntEQ => (CompareOp::Eq, left, right),
                        LLVMIntNE => (CompareOp::Ne, left, right),
                        LLVMIntUGT => (CompareOp::Ult, right, left),
                        LLVMIntUGE => (CompareOp::Ule, right, left),
                        LLVMIntULT => (CompareOp::Ult, left, right),
                        LLVMIntULE => (CompareOp::Ule, left, right),
                        LLVMIntSGT => (CompareOp::Slt, right, left),
                        LLVMIntSGE => (CompareOp::Sle, right, left),
                        LLVMIntSLT => (CompareOp::Slt, left, right),
                        LLVMIntSLE => (CompareOp::Sle, left, right),
                    };
                    // A pointer is compared with null from the left; a number, which may be made from one, from
                    // the right. So the machine can tell whether to look at it.
                    let is_zero = matches!(right, Operand::Int(0)) && !is_pointer;
                    match op {
                        CompareOp::Eq | CompareOp::Ne
                            if is_zero && width == this.pointer_bits() =>
                        {
                            Ok(this.compare(op, width, right, left))
                        }
                        _ => Ok(this.compare(op, width, left, right)),
                    }
                })
            }
            LLVMSelect => self.select_operation(value),
            LLVMGetElementPtr => self.address(value),
            LLVMExtractElement | LLVMInsertElement | LLVMShuffleVector | LLVMExtractValue
            | LLVMInsertValue => self.rearrange(opcode, value),
            _ => Err(Unlowerable::new(format!(
                "the instruction {}",
                value.to_text().trim()
            ))),
        }
    }

    /// Does the same to each lane; a scalar stands for all lanes.
    pub(crate) fn lanes(
        &mut self,
        values: &[Value<'m>],
        mut each: impl FnMut(&mut Self, &[Operand]) -> Refusal<Operand>,
    ) -> Refusal<ValueWords> {
        let mut columns = Vec::with_capacity(values.len());
        let mut count = 1;
        for &value in values {
            let layout = self.cx.layout(value);
            let lanes = layout.lanes();
            let pieces = self.pieces(value)?;
            if pieces.len() != lanes || layout.lane().width == 0 {
                let text = value.ty().to_text();
                return Err(Unlowerable::new(format!("arithmetic on {text}")));
            }
            count = count.max(lanes);
            columns.push((pieces, layout.lane().width));
        }
        let mut result = ValueWords::new();
        let mut words = Vec::with_capacity(columns.len());
        for lane in 0..count {
            words.clear();
            for (pieces, width) in &columns {
                let piece = &pieces[if pieces.len() == 1 { 0 } else { lane }];
                words.push(self.operand(piece, *width));
            }
            result.push(ValueWord::Known(each(self, &words)?));
        }
        Ok(result)
    }

    fn int_operation(&mut self, opcode: LLVMOpcode, value: Value<'m>) -> Refusal<ValueWords> {
        let width = self.cx.layout(value).lane().width;
        let instruction = !value.is_constant();
        let (mut signed, mut unsigned, mut exact) = (false, false, false);
        if instruction {
            if matches!(opcode, LLVMShl | LLVMLShr | LLVMAShr) {
                self.note_amount(value.operand(1));
            }
            match opcode {
                LLVMAdd | LLVMSub | LLVMMul | LLVMShl => {
                    let options = &self.cx.options;
                    signed = options.check_signed_overflow && value.no_signed_wrap();
                    self.cx.missing_checks.plain_arithmetic |= signed && self.own;
                    let options = &self.cx.options;
                    unsigned = options.check_unsigned_overflow && value.no_unsigned_wrap();
                }
                LLVMUDiv | LLVMSDiv | LLVMLShr | LLVMAShr => {
                    exact = self.cx.options.check_exact && value.is_exact();
                }
                _ => {}
            }
        }
        self.lanes(&[value.operand(0), value.operand(1)], |this, words| {
            let (left, right) = (words[0].clone(), words[1].clone());
            let op = match opcode {
                LLVMAdd => BinaryOp::Add,
                LLVMSub => BinaryOp::Sub,
                LLVMMul => BinaryOp::Mul,
                LLVMAnd => BinaryOp::And,
                LLVMOr => BinaryOp::Or,
                LLVMXor => BinaryOp::Xor,
                LLVMUDiv => BinaryOp::Udiv,
                LLVMSDiv => BinaryOp::Sdiv,
                LLVMURem => BinaryOp::Urem,
                LLVMSRem => BinaryOp::Srem,
                LLVMShl => BinaryOp::Shl,
                LLVMLShr => BinaryOp::Lshr,
                LLVMAShr => BinaryOp::Ashr,
                _ => return Err(Unlowerable::new("an unknown integer operator")),
            };
            match op {
                BinaryOp::Udiv | BinaryOp::Urem => this.check_divisor(width, &right),
                BinaryOp::Sdiv | BinaryOp::Srem => {
                    this.check_divisor(width, &right);
                    this.check_quotient(width, &left, &right);
                }
                BinaryOp::Shl | BinaryOp::Lshr | BinaryOp::Ashr => {
                    this.check_amount(width, &right);
                }
                _ => {}
            }
            if signed {
                let holds = this.keeps(op, IntegerSign::Signed, width, &left, &right);
                this.check_no_wrap(value, holds);
            }
            if unsigned {
                let holds = this.keeps(op, IntegerSign::Unsigned, width, &left, &right);
                this.check(CheckKind::UnsignedOverflow, holds, "");
            }
            if exact {
                this.check_exact(op, width, &left, &right);
            }
            Ok(this.binary(op, width, left, right))
        })
    }

    fn check_divisor(&mut self, width: u32, divisor: &Operand) {
        let holds = self.compare(CompareOp::Ne, width, divisor.clone(), number(width, 0));
        self.check(CheckKind::DivisionByZero, holds, "");
    }

    fn check_quotient(&mut self, width: u32, left: &Operand, right: &Operand) {
        let least = BitVec::min_signed(width);
        if literal(width, right).is_some_and(|value| !value.is_ones())
            || literal(width, left).is_some_and(|value| value != least)
        {
            return;
        }
        let not_least = self.compare(CompareOp::Ne, width, left.clone(), constant(least));
        let minus_one = constant(BitVec::ones(width));
        let not_minus_one = self.compare(CompareOp::Ne, width, right.clone(), minus_one);
        let holds = self.binary(BinaryOp::Or, 1, not_least, not_minus_one);
        self.check(CheckKind::DivisionOverflow, holds, "");
    }

    /// Optimised code may compute a shift that it then does not use, so only unoptimised code is
    /// checked unless told otherwise.
    fn check_amount(&mut self, width: u32, amount: &Operand) {
        let wanted = match self.cx.options.check_overshift {
            Overshift::Never => false,
            Overshift::Unoptimized => self.unoptimized,
            Overshift::Own => self.unoptimized || self.own,
            Overshift::Always => true,
        };
        let limit = number(width, u64::from(width));
        if !wanted {
            let left_out = self.cx.options.check_overshift != Overshift::Never;
            let small = literal(width, amount).zip(literal(width, &limit));
            let small = small.is_some_and(|(amount, limit)| amount.ult(&limit));
            self.cx.missing_checks.plain_shift |= self.own && left_out && !small;
            return;
        }
        let holds = self.compare(CompareOp::Ult, width, amount.clone(), limit);
        self.check(CheckKind::Overshift, holds, "");
    }

    /// Whether the result is in its range.
    fn keeps(
        &mut self,
        op: BinaryOp,
        sign: IntegerSign,
        width: u32,
        left: &Operand,
        right: &Operand,
    ) -> Operand {
        if let BinaryOp::Shl = op {
            let back = match sign {
                IntegerSign::Signed => BinaryOp::Ashr,
                IntegerSign::Unsigned => BinaryOp::Lshr,
            };
            let shifted = self.binary(op, width, left.clone(), right.clone());
            let restored = self.binary(back, width, shifted, right.clone());
            self.compare(CompareOp::Eq, width, restored, left.clone())
        } else {
            let (_, wraps) = self.overflowing(op, sign, width, left.clone(), right.clone());
            self.not(wraps)
        }
    }

    fn check_exact(&mut self, op: BinaryOp, width: u32, left: &Operand, right: &Operand) {
        let (inverse, product) = match op {
            BinaryOp::Udiv | BinaryOp::Sdiv => (BinaryOp::Mul, op),
            _ => (BinaryOp::Shl, op),
        };
        let result = self.binary(product, width, left.clone(), right.clone());
        let restored = self.binary(inverse, width, result, right.clone());
        let holds = self.compare(CompareOp::Eq, width, restored, left.clone());
        self.check(CheckKind::Inexact, holds, "");
    }

    /// A sum, difference or product and whether it leaves the range.
    pub(crate) fn overflowing(
        &mut self,
        op: BinaryOp,
        sign: IntegerSign,
        width: u32,
        left: Operand,
        right: Operand,
    ) -> (Operand, Operand) {
        let result = self.binary(op, width, left.clone(), right.clone());
        let wraps = match (op, sign) {
            (BinaryOp::Add, IntegerSign::Unsigned) => {
                self.compare(CompareOp::Ult, width, result.clone(), left)
            }
            (BinaryOp::Sub, IntegerSign::Unsigned) => {
                self.compare(CompareOp::Ult, width, left, right)
            }
            (BinaryOp::Add, IntegerSign::Signed) => {
                // The result's sign differs from both operands' signs.
                let one = self.binary(BinaryOp::Xor, width, left, result.clone());
                let other = self.binary(BinaryOp::Xor, width, right, result.clone());
                let both = self.binary(BinaryOp::And, width, one, other);
                self.sign(width, both)
            }
            (BinaryOp::Sub, IntegerSign::Signed) => {
                let one = self.binary(BinaryOp::Xor, width, left.clone(), right);
                let other = self.binary(BinaryOp::Xor, width, left, result.clone());
                let both = self.binary(BinaryOp::And, width, one, other);
                self.sign(width, both)
            }
            (_, sign) => {
                let extend = match sign {
                    IntegerSign::Signed => CastOp::Sext,
                    IntegerSign::Unsigned => CastOp::Zext,
                };
                let left = self.cast(extend, width, 2 * width, left);
                let right = self.cast(extend, width, 2 * width, right);
                let product = self.binary(BinaryOp::Mul, 2 * width, left, right);
                let kept = self.cast(extend, width, 2 * width, result.clone());
                self.compare(CompareOp::Ne, 2 * width, product, kept)
            }
        };
        (result, wraps)
    }

    /// The same bits as lanes of another width; lane 0 is lowest.
    fn bitcast(&mut self, value: Value<'m>) -> Refusal<ValueWords> {
        let source = value.operand(0);
        let from = self.cx.layout(source);
        let to = self.cx.layout(value);
        if from.leaves()? == to.leaves()? {
            return self.pieces(source);
        }
        let words: Vec<Operand> = self.operands(source)?.into_iter().map(|(o, _)| o).collect();
        let joined = self.join(from.lane().width, &words);
        let parts = self.split(joined, to.lane().width, to.lanes());
        Ok(parts.into_iter().map(ValueWord::Known).collect())
    }

    fn select_operation(&mut self, value: Value<'m>) -> Refusal<ValueWords> {
        let (condition, then, otherwise) = (value.operand(0), value.operand(1), value.operand(2));
        let widths = self.cx.layout(value).leaves()?;
        let conditions = self.operands(condition)?;
        let then = self.pieces(then)?;
        let otherwise = self.pieces(otherwise)?;
        let mut result = ValueWords::new();
        for (at, &width) in widths.iter().enumerate() {
            let (condition, _) = &conditions[if conditions.len() == 1 { 0 } else { at }];
            let condition = condition.clone();
            let then = self.operand(&then[at], width);
            let otherwise = self.operand(&otherwise[at], width);
            result.push(ValueWord::Known(
                self.select(width, condition, then, otherwise),
            ));
        }
        Ok(result)
    }

    /// An address computation: a sum of the base, a constant and scaled indices.
    fn address(&mut self, value: Value<'m>) -> Refusal<ValueWords> {
        let base = value.operand(0);
        let count = self.cx.layout(value).lanes();
        let bits = self.pointer_bits();
        let mut columns = vec![self.pieces(base)?];
        for at in 1..value.operand_count() {
            columns.push(self.pieces(value.operand(at))?);
        }
        let in_bounds =
            self.cx.options.check_inbounds && !value.is_constant() && value.is_in_bounds();
        let mut result = ValueWords::new();
        for lane in 0..count {
            let pick =
                |pieces: &ValueWords| pieces[if pieces.len() == 1 { 0 } else { lane }].clone();
            let start = pick(&columns[0]);
            let start = self.operand(&start, bits);
            let indices: Vec<ValueWord> = columns[1..].iter().map(pick).collect();
            let (fixed, moving) = self.displacement(value, &indices)?;
            let mut address = start.clone();
            let constant_base = !matches!(address, Operand::Local(_));
            if constant_base {
                address = self.offset(address, fixed as u64);
            }
            for term in &moving {
                address = self.binary(BinaryOp::Add, bits, address, term.clone());
            }
            if !constant_base {
                address = self.offset(address, fixed as u64);
            }
            if in_bounds {
                self.check_displacement(start, fixed, moving, address.clone());
            }
            result.push(ValueWord::Known(address));
        }
        Ok(result)
    }

    /// The constant part of a displacement and the terms that are not constant.
    fn displacement(
        &mut self,
        value: Value<'m>,
        indices: &[ValueWord],
    ) -> Refusal<(i64, Vec<Operand>)> {
        let bits = self.pointer_bits();
        let mut stepped = self.cx.types.layout(value.stepped_type());
        let (mut fixed, mut moving) = (0i64, Vec::new());
        for (at, piece) in indices.iter().enumerate() {
            let width = self.index_width(value.operand(at as u32 + 1).ty());
            let index = self.operand(piece, width);
            let index = self.resize_signed(width, bits, index);
            let size = if at == 0 {
                stepped.size
            } else if let TypeShape::Struct = stepped.shape {
                let Operand::Int(index) = index else {
                    return Err(Unlowerable::new("a computed member of a struct"));
                };
                fixed = fixed.wrapping_add(stepped.offsets[index as usize] as i64);
                stepped = stepped.element(index).clone();
                continue;
            } else {
                stepped = stepped.element(0).clone();
                stepped.size
            };
            if let TypeShape::Exotic(text) = &stepped.shape {
                return Err(Unlowerable::new(format!("an address in {text}")));
            }
            match index {
                Operand::Int(index) => {
                    // A constant of the width has zeros above: its sign comes first.
                    let index = (index << (64 - bits)) as i64 >> (64 - bits);
                    fixed = fixed.wrapping_add(index.wrapping_mul(size as i64));
                }
                index => moving.push(self.binary(BinaryOp::Mul, bits, index, number(bits, size))),
            }
        }
        Ok((fixed, moving))
    }

    fn index_width(&mut self, ty: Type<'m>) -> u32 {
        self.cx.types.layout(ty).lane().width
    }

    /// The address does not wrap around: it is below the base if the displacement is negative,
    /// and not below otherwise.
    fn check_displacement(
        &mut self,
        base: Operand,
        fixed: i64,
        moving: Vec<Operand>,
        address: Operand,
    ) {
        let bits = self.pointer_bits();
        let mut sum = number(bits, fixed as u64);
        for term in moving {
            sum = self.binary(BinaryOp::Add, bits, sum, term);
        }
        let negative = self.compare(CompareOp::Slt, bits, sum, Operand::Int(0));
        let below = self.compare(CompareOp::Ult, bits, address, base);
        let holds = self.compare(CompareOp::Eq, 1, negative, below);
        self.check(CheckKind::PointerOverflow, holds, "");
    }
}
