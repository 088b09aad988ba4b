//! Memory: objects on the stack, loads, stores and atomic updates. One thread runs, so atomic
//! accesses are plain ones.

use crate::emit::{BodyBuilder, ValueWord, ValueWords, one};
use crate::lowering::{Refusal, Unlowerable, number};
use crate::reader::Value;
use crate::types::{TypeLayout, TypeShape};
use cairn_bv::BitVec;
use cairn_ir::{BinaryOp, CompareOp, FloatBinaryOp, Inst, Operand};
use llvm_sys::LLVMAtomicRMWBinOp::*;
use std::rc::Rc;

/// Zero aggregates of more words than this are written as a run of zero bytes.
const WORDS_WRITTEN_ONE_BY_ONE: usize = 16;

impl<'m> BodyBuilder<'_, 'm> {
    pub(crate) fn alloca(&mut self, inst: Value<'m>) -> Refusal<ValueWords> {
        let layout = self.cx.types.layout(inst.allocated_type());
        if let TypeShape::Exotic(text) = &layout.shape {
            return Err(Unlowerable::new(format!("an object of type {text}")));
        }
        let count = inst.operand(0);
        let width = self.cx.layout(count).width;
        let count = self.scalar(count)?;
        let bits = self.pointer_bits();
        let count = self.resize(width, bits, count);
        let size = self.binary(BinaryOp::Mul, bits, count, number(bits, layout.size));
        let dst = self.local(bits);
        self.push(Inst::Alloca {
            dst,
            size,
            align: inst.alignment().max(1),
        });
        Ok(one(Operand::Local(dst)))
    }

    pub(crate) fn load(&mut self, inst: Value<'m>) -> Refusal<ValueWords> {
        let address = self.scalar(inst.operand(0))?;
        let layout = self.cx.layout(inst);
        layout.leaves()?;
        let mut pieces = ValueWords::new();
        self.load_value(&layout, address, &mut pieces);
        Ok(pieces)
    }

    pub(crate) fn store(&mut self, inst: Value<'m>) -> Refusal<ValueWords> {
        let value = inst.operand(0);
        let address = self.scalar(inst.operand(1))?;
        let layout = self.cx.layout(value);
        if value.is_poison() && matches!(layout.shape, TypeShape::Vector) {
            // Every lane is the result of an operation without one.
            self.folded_operation();
        }
        let pieces = if value.is_constant() && value.is_null() && is_aggregate(&layout) {
            let length = Operand::Int(layout.store_size);
            match layout.leaves() {
                Ok(leaves) if leaves.len() <= WORDS_WRITTEN_ONE_BY_ONE => self.pieces(value)?,
                _ => {
                    self.push(Inst::Fill {
                        to: address,
                        byte: Operand::Int(0),
                        length,
                    });
                    return Ok(ValueWords::new());
                }
            }
        } else {
            self.pieces(value)?
        };
        layout.leaves()?;
        self.store_value(&layout, address, &mut pieces.into_iter());
        Ok(ValueWords::new())
    }

    /// Reads the words of a value whose type has words.
    pub(crate) fn load_value(
        &mut self,
        layout: &TypeLayout<'m>,
        address: Operand,
        to: &mut ValueWords,
    ) {
        match &layout.shape {
            TypeShape::Void | TypeShape::Exotic(_) => {}
            TypeShape::Int | TypeShape::Pointer | TypeShape::Float(_) => {
                let stored = layout.width.next_multiple_of(8);
                let word = self.load_word(address, stored);
                let word = self.resize(stored, layout.width, word);
                to.push(ValueWord::Known(word));
            }
            TypeShape::Struct => {
                for (element, &offset) in layout.elements.iter().zip(&layout.offsets) {
                    let at = self.offset(address.clone(), offset);
                    self.load_value(element, at, to);
                }
            }
            TypeShape::Array => {
                let element = layout.elements[0].clone();
                for index in 0..counted(layout) {
                    let at = self.offset(address.clone(), index.wrapping_mul(element.size));
                    self.load_value(&element, at, to);
                }
            }
            TypeShape::Vector => {
                let lane = layout.elements[0].clone();
                if lane.width.is_multiple_of(8) {
                    for index in 0..layout.count {
                        let at = self.offset(address.clone(), index * u64::from(lane.width / 8));
                        self.load_value(&lane, at, to);
                    }
                    return;
                }
                let (stored, bits) = packed(layout);
                let word = self.load_word(address, stored);
                let word = self.resize(stored, bits, word);
                let lanes = self.split(word, lane.width, layout.count as usize);
                to.extend(lanes.into_iter().map(ValueWord::Known));
            }
        }
    }

    /// Writes the words of a value whose type has words.
    pub(crate) fn store_value(
        &mut self,
        layout: &TypeLayout<'m>,
        address: Operand,
        from: &mut impl Iterator<Item = ValueWord>,
    ) {
        match &layout.shape {
            TypeShape::Void | TypeShape::Exotic(_) => {}
            TypeShape::Int | TypeShape::Pointer | TypeShape::Float(_) => {
                let piece = from.next().unwrap_or(ValueWord::Undefined);
                let word = self.operand(&piece, layout.width);
                let stored = layout.width.next_multiple_of(8);
                let word = self.resize(layout.width, stored, word);
                self.store_word(word, stored, address);
            }
            TypeShape::Struct => {
                for (element, &offset) in layout.elements.iter().zip(&layout.offsets) {
                    let at = self.offset(address.clone(), offset);
                    self.store_value(element, at, from);
                }
            }
            TypeShape::Array => {
                let element = layout.elements[0].clone();
                for index in 0..counted(layout) {
                    let at = self.offset(address.clone(), index.wrapping_mul(element.size));
                    self.store_value(&element, at, from);
                }
            }
            TypeShape::Vector => {
                let lane = layout.elements[0].clone();
                if lane.width.is_multiple_of(8) {
                    for index in 0..layout.count {
                        let at = self.offset(address.clone(), index * u64::from(lane.width / 8));
                        self.store_value(&lane, at, from);
                    }
                    return;
                }
                let words: Vec<Operand> = (0..layout.count)
                    .map(|_| {
                        let piece = from.next().unwrap_or(ValueWord::Undefined);
                        self.operand(&piece, lane.width)
                    })
                    .collect();
                let (stored, bits) = packed(layout);
                let word = self.join(lane.width, &words);
                let word = self.resize(bits, stored, word);
                self.store_word(word, stored, address);
            }
        }
    }

    /// The old value and whether it was the expected one.
    pub(crate) fn compare_exchange(&mut self, inst: Value<'m>) -> Refusal<ValueWords> {
        let address = self.scalar(inst.operand(0))?;
        let layout = self.atomic_layout(inst.operand(1))?;
        let expected = self.scalar(inst.operand(1))?;
        let new = self.scalar(inst.operand(2))?;
        let old = self.load_word(address.clone(), layout.width);
        let equal = self.compare(CompareOp::Eq, layout.width, old.clone(), expected);
        let kept = self.select(layout.width, equal.clone(), new, old.clone());
        self.store_word(kept, layout.width, address);
        Ok(ValueWords::from_iter([
            ValueWord::Known(old),
            ValueWord::Known(equal),
        ]))
    }

    /// The old value; memory gets the new one.
    pub(crate) fn atomic_update(&mut self, inst: Value<'m>) -> Refusal<ValueWords> {
        let address = self.scalar(inst.operand(0))?;
        let operand = inst.operand(1);
        let layout = self.atomic_layout(operand)?;
        let width = layout.width;
        let value = self.scalar(operand)?;
        let old = self.load_word(address.clone(), width);
        let left = old.clone();
        let new = match inst.atomic_operation() {
            LLVMAtomicRMWBinOpXchg => value,
            LLVMAtomicRMWBinOpAdd => self.binary(BinaryOp::Add, width, left, value),
            LLVMAtomicRMWBinOpSub => self.binary(BinaryOp::Sub, width, left, value),
            LLVMAtomicRMWBinOpAnd => self.binary(BinaryOp::And, width, left, value),
            LLVMAtomicRMWBinOpNand => {
                let both = self.binary(BinaryOp::And, width, left, value);
                self.complement(width, both)
            }
            LLVMAtomicRMWBinOpOr => self.binary(BinaryOp::Or, width, left, value),
            LLVMAtomicRMWBinOpXor => self.binary(BinaryOp::Xor, width, left, value),
            LLVMAtomicRMWBinOpMax => self.larger(CompareOp::Slt, width, left, value),
            LLVMAtomicRMWBinOpMin => self.smaller(CompareOp::Slt, width, left, value),
            LLVMAtomicRMWBinOpUMax => self.larger(CompareOp::Ult, width, left, value),
            LLVMAtomicRMWBinOpUMin => self.smaller(CompareOp::Ult, width, left, value),
            LLVMAtomicRMWBinOpFAdd => {
                self.float_binary(FloatBinaryOp::Add, layout.format()?, left, value)
            }
            LLVMAtomicRMWBinOpFSub => {
                self.float_binary(FloatBinaryOp::Sub, layout.format()?, left, value)
            }
            LLVMAtomicRMWBinOpFMax => {
                self.float_binary(FloatBinaryOp::MaxNum, layout.format()?, left, value)
            }
            LLVMAtomicRMWBinOpFMin => {
                self.float_binary(FloatBinaryOp::MinNum, layout.format()?, left, value)
            }
            LLVMAtomicRMWBinOpUIncWrap => {
                let below = self.compare(CompareOp::Ult, width, left.clone(), value);
                let next = self.binary(BinaryOp::Add, width, left, number(width, 1));
                self.select(width, below, next, number(width, 0))
            }
            LLVMAtomicRMWBinOpUDecWrap => {
                let zero = self.compare(CompareOp::Eq, width, left.clone(), number(width, 0));
                let above = self.compare(CompareOp::Ult, width, value.clone(), left.clone());
                let wraps = self.binary(BinaryOp::Or, 1, zero, above);
                let minus_one = crate::lowering::constant(BitVec::ones(width));
                let next = self.binary(BinaryOp::Add, width, left, minus_one);
                self.select(width, wraps, value, next)
            }
        };
        self.store_word(new, width, address);
        Ok(one(old))
    }

    /// LLVM allows whole bytes only in atomic accesses; a vector may be updated as well, but no
    /// compiler emits that for this target.
    fn atomic_layout(&mut self, value: Value<'m>) -> Refusal<Rc<TypeLayout<'m>>> {
        let layout = self.cx.layout(value);
        if layout.width == 0 || !layout.width.is_multiple_of(8) {
            let text = value.ty().to_text();
            return Err(Unlowerable::new(format!("an atomic update of {text}")));
        }
        Ok(layout)
    }

    /// The smaller of two in an order.
    pub(crate) fn smaller(
        &mut self,
        order: CompareOp,
        width: u32,
        left: Operand,
        right: Operand,
    ) -> Operand {
        let below = self.compare(order, width, left.clone(), right.clone());
        self.select(width, below, left, right)
    }

    /// The larger of two in an order.
    pub(crate) fn larger(
        &mut self,
        order: CompareOp,
        width: u32,
        left: Operand,
        right: Operand,
    ) -> Operand {
        let below = self.compare(order, width, left.clone(), right.clone());
        self.select(width, below, right, left)
    }
}

/// Elements of an array that have to be visited: none if they have no words.
fn counted(layout: &TypeLayout<'_>) -> u64 {
    match layout.elements[0].leaves() {
        Ok(leaves) if !leaves.is_empty() => layout.count,
        _ => 0,
    }
}

fn is_aggregate(layout: &TypeLayout<'_>) -> bool {
    matches!(
        layout.shape,
        TypeShape::Struct | TypeShape::Array | TypeShape::Vector
    )
}

/// Bits in memory and bits in use of a vector whose lanes are packed bit by bit.
fn packed(layout: &TypeLayout<'_>) -> (u32, u32) {
    let bits = layout.elements[0].width * layout.count as u32;
    (bits.next_multiple_of(8), bits)
}
