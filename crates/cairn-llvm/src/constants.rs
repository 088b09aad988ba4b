//! Constants as words in a function. Constant expressions are lowered like instructions at the
//! place of use; the builder folds them as far as they are known.

use crate::emit::{BodyBuilder, ValueWord, ValueWords, one};
use crate::lowering::{GlobalMeaning, Lowering, Refusal, Unlowerable, constant, number};
use crate::reader::Value;
use cairn_bv::BitVec;
use cairn_ir::{Call, Callee, Inst, Operand};
use llvm_sys::LLVMValueKind::*;
use smallvec::smallvec;

impl<'m> Lowering<'m> {
    /// The value of an integer constant.
    pub(crate) fn int_constant(&self, value: Value<'m>, width: u32) -> BitVec {
        if width <= 64 {
            return BitVec::new(width, value.int_value());
        }
        // The C interface hands out 64 bits only, so longer ones go through their text, which is
        // the type and a decimal number.
        let text = value.to_text();
        let digits = text.rsplit(' ').next().unwrap_or_default();
        let (negative, digits) = match digits.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, digits),
        };
        let magnitude = match digits {
            "true" => BitVec::one(width),
            "false" => BitVec::zero(width),
            _ => parse_magnitude(width, digits),
        };
        if negative { magnitude.neg() } else { magnitude }
    }

    /// The bits of a floating-point constant.
    pub(crate) fn float_constant(&self, value: Value<'m>, width: u32) -> BitVec {
        let bits = value.float_bits(self.module.int_type(width));
        self.int_constant(bits, width)
    }
}

/// Decimal digits modulo 2^width: the smallest negative number's magnitude needs the top bit.
fn parse_magnitude(width: u32, digits: &str) -> BitVec {
    let ten = BitVec::new(width, 10);
    digits
        .bytes()
        .filter(u8::is_ascii_digit)
        .fold(BitVec::zero(width), |sum, digit| {
            sum.mul(&ten)
                .add(&BitVec::new(width, u64::from(digit - b'0')))
        })
}

impl<'m> BodyBuilder<'_, 'm> {
    /// The words of a constant.
    pub(crate) fn constant_pieces(&mut self, value: Value<'m>) -> Refusal<ValueWords> {
        match value.kind() {
            LLVMConstantIntValueKind => {
                let layout = self.cx.layout(value);
                layout.leaves()?;
                let bits = self.cx.int_constant(value, layout.lane().width);
                Ok(smallvec![ValueWord::Known(constant(bits)); layout.lanes()])
            }
            LLVMConstantFPValueKind => {
                let layout = self.cx.layout(value);
                layout.leaves()?;
                let width = layout.lane().width;
                if layout.lanes() != 1 {
                    return Err(Unlowerable::new("a vector constant of one number"));
                }
                Ok(one(constant(self.cx.float_constant(value, width))))
            }
            LLVMConstantPointerNullValueKind => {
                let layout = self.cx.layout(value);
                layout.leaves()?;
                Ok(one(Operand::Int(0)))
            }
            LLVMUndefValueValueKind | LLVMPoisonValueKind => {
                if value.is_poison() && value.ty().is_scalar() {
                    self.folded_operation();
                }
                let leaves = self.cx.layout(value).leaves()?;
                Ok(smallvec![ValueWord::Undefined; leaves.len()])
            }
            LLVMConstantAggregateZeroValueKind => {
                let leaves = self.cx.layout(value).leaves()?;
                Ok(leaves
                    .iter()
                    .map(|&width| ValueWord::Known(number(width, 0)))
                    .collect())
            }
            LLVMConstantStructValueKind
            | LLVMConstantArrayValueKind
            | LLVMConstantVectorValueKind
            | LLVMConstantDataArrayValueKind
            | LLVMConstantDataVectorValueKind => {
                self.cx.layout(value).leaves()?;
                let mut pieces = ValueWords::new();
                let mut index = 0;
                while let Some(element) = value.element(index) {
                    pieces.extend(self.pieces(element)?);
                    index += 1;
                }
                Ok(pieces)
            }
            LLVMFunctionValueKind | LLVMGlobalVariableValueKind => {
                Ok(one(self.global_address(value)?))
            }
            LLVMGlobalAliasValueKind => self.pieces(value.aliasee()),
            LLVMGlobalIFuncValueKind => self.resolve_ifunc(value),
            LLVMBlockAddressValueKind => {
                let number = self.cx.block_number(value.block_address());
                Ok(one(Operand::Int(number)))
            }
            LLVMConstantExprValueKind => self.operation(value.constant_opcode(), value),
            // The C interface calls the two wrappers of functions (dso_local_equivalent, no_cfi)
            // instructions; as addresses they are the function.
            LLVMInstructionValueKind => self.pieces(value.operand(0)),
            LLVMConstantTokenNoneValueKind
            | LLVMConstantTargetNoneValueKind
            | LLVMConstantPtrAuthValueKind
            | LLVMArgumentValueKind
            | LLVMBasicBlockValueKind
            | LLVMMemoryUseValueKind
            | LLVMMemoryDefValueKind
            | LLVMMemoryPhiValueKind
            | LLVMMetadataAsValueValueKind
            | LLVMInlineAsmValueKind => Err(Unlowerable::new(format!(
                "the constant {}",
                value.to_text()
            ))),
        }
    }

    fn global_address(&self, value: Value<'m>) -> Refusal<Operand> {
        match self.cx.meanings.get(&value) {
            Some(GlobalMeaning::Null) => Ok(Operand::Int(0)),
            _ => match self.cx.symbol(value) {
                Some(symbol) => Ok(Operand::Address(symbol, 0)),
                None => Err(Unlowerable::new(format!("the address of {}", value.name()))),
            },
        }
    }

    /// The function that an indirect function stands for: its resolver says so.
    fn resolve_ifunc(&mut self, value: Value<'m>) -> Refusal<ValueWords> {
        let refused = || Unlowerable::new(format!("the indirect function {}", value.name()));
        let resolver = value.resolver().ok_or_else(refused)?;
        let Operand::Address(cairn_ir::Symbol::Function(resolver), 0) = self.scalar(resolver)?
        else {
            return Err(refused());
        };
        let pointer = self.pointer_bits();
        let resolved = self.cx.program.function(resolver);
        if !resolved.params.is_empty() || resolved.results != [pointer] || resolved.variadic {
            return Err(refused());
        }
        let result = self.local(pointer);
        self.push(Inst::Call(Box::new(Call {
            callee: Callee::Direct(resolver),
            args: Vec::new(),
            variadic: Vec::new(),
            results: vec![result],
        })));
        Ok(one(Operand::Local(result)))
    }
}
