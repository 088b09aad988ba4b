//! Constants, globals and functions.

use super::{Attribute, AttributeAt, BasicBlock, Metadata, Type, Value, take_message, text};
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::{LLVMLinkage, LLVMOpcode, LLVMValueKind};
use std::ffi::c_uint;
use std::ptr;

/// LLVM's fixed number of the kind of metadata that `!dbg` is.
const DEBUG_METADATA: c_uint = 0;

impl<'m> Value<'m> {
    pub(crate) fn ty(self) -> Type<'m> {
        // SAFETY: any value has a type.
        Type::new(unsafe { LLVMTypeOf(self.raw) })
    }

    pub(crate) fn kind(self) -> LLVMValueKind {
        // SAFETY: any value has a kind.
        unsafe { LLVMGetValueKind(self.raw) }
    }

    pub(crate) fn is_constant(self) -> bool {
        // SAFETY: any value may be asked.
        unsafe { LLVMIsConstant(self.raw) != 0 }
    }

    /// A constant is all zero.
    pub(crate) fn is_null(self) -> bool {
        // SAFETY: any value may be asked.
        unsafe { LLVMIsNull(self.raw) != 0 }
    }

    pub(crate) fn name(self) -> String {
        let mut length = 0;
        // SAFETY: any value may be asked; the text is copied.
        unsafe {
            let start = LLVMGetValueName2(self.raw, &mut length);
            text(start, length)
        }
    }

    pub(crate) fn to_text(self) -> String {
        // SAFETY: any value prints; the message is freed.
        unsafe { take_message(LLVMPrintValueToString(self.raw)) }
    }

    /// An operand of an instruction or constant expression.
    pub(crate) fn operand(self, index: u32) -> Value<'m> {
        // SAFETY: callers stay within the number of operands of the opcode.
        Value::new(unsafe { LLVMGetOperand(self.raw, index) })
    }

    pub(crate) fn operand_count(self) -> u32 {
        // SAFETY: users have operands; other values have none.
        unsafe { LLVMGetNumOperands(self.raw) as u32 }
    }

    /// Low 64 bits of an integer constant of at most 64 bits.
    pub(crate) fn int_value(self) -> u64 {
        // SAFETY: callers have an integer constant.
        unsafe { LLVMConstIntGetZExtValue(self.raw) }
    }

    /// A floating-point constant as the integer of its bits.
    pub(crate) fn float_bits(self, integer: Type<'m>) -> Value<'m> {
        // SAFETY: callers have a constant and an integer type of its width; LLVM folds this.
        Value::new(unsafe { LLVMConstBitCast(self.raw, integer.raw) })
    }

    /// An element of a constant aggregate.
    pub(crate) fn element(self, index: u32) -> Option<Value<'m>> {
        // SAFETY: callers have a constant aggregate; LLVM answers null for what is not there.
        Value::optional(unsafe { LLVMGetAggregateElement(self.raw, index) })
    }

    /// The bytes of a constant array of bytes, if it is stored as such.
    pub(crate) fn byte_string(self) -> Option<&'m [u8]> {
        // SAFETY: the kind is asked first; the bytes live as long as the context.
        unsafe {
            if LLVMIsConstantString(self.raw) == 0 {
                return None;
            }
            let mut length = 0;
            let start = LLVMGetAsString(self.raw, &mut length);
            Some(std::slice::from_raw_parts(start.cast(), length))
        }
    }

    /// The opcode of a constant expression.
    pub(crate) fn constant_opcode(self) -> LLVMOpcode {
        // SAFETY: callers have a constant expression.
        unsafe { LLVMGetConstOpcode(self.raw) }
    }

    /// The block of a block address.
    pub(crate) fn block_address(self) -> BasicBlock<'m> {
        // SAFETY: callers have a block address.
        BasicBlock::new(unsafe { LLVMGetBlockAddressBasicBlock(self.raw) })
    }

    /// Low 64 bits of a value, if it is an integer constant of at most 64 bits.
    pub(crate) fn constant_int(self) -> Option<u64> {
        // SAFETY: any value may be asked what it is; an integer constant has an integer type.
        unsafe {
            let constant = LLVMIsAConstantInt(self.raw);
            (!constant.is_null() && LLVMGetIntTypeWidth(LLVMTypeOf(constant)) <= 64)
                .then(|| LLVMConstIntGetZExtValue(constant))
        }
    }

    pub(crate) fn is_poison(self) -> bool {
        matches!(self.kind(), LLVMValueKind::LLVMPoisonValueKind)
    }

    pub(crate) fn is_global_variable(self) -> bool {
        matches!(self.kind(), LLVMValueKind::LLVMGlobalVariableValueKind)
    }

    pub(crate) fn is_instruction(self) -> bool {
        matches!(self.kind(), LLVMValueKind::LLVMInstructionValueKind)
    }

    // Globals and functions.

    /// Data right before the first instruction of a function.
    pub(crate) fn prefix_data(self) -> Option<Value<'m>> {
        // SAFETY: callers have a function; it is asked whether it has such data first.
        unsafe {
            (LLVMHasPrefixData(self.raw) != 0).then(|| Value::new(LLVMGetPrefixData(self.raw)))
        }
    }

    /// A function has data in place of its first instructions.
    pub(crate) fn has_prologue_data(self) -> bool {
        // SAFETY: callers have a function.
        unsafe { LLVMHasPrologueData(self.raw) != 0 }
    }

    pub(crate) fn is_declaration(self) -> bool {
        // SAFETY: callers have a global value.
        unsafe { LLVMIsDeclaration(self.raw) != 0 }
    }

    /// Linkage of a global value.
    pub(crate) fn linkage(self) -> LLVMLinkage {
        // SAFETY: callers have a global value.
        unsafe { LLVMGetLinkage(self.raw) }
    }

    /// Type of what a global value stands for.
    pub(crate) fn value_type(self) -> Type<'m> {
        // SAFETY: callers have a global value.
        Type::new(unsafe { LLVMGlobalGetValueType(self.raw) })
    }

    /// Alignment of a global, an alloca or a memory access; 0 if not stated.
    pub(crate) fn alignment(self) -> u64 {
        // SAFETY: callers have one of these.
        u64::from(unsafe { LLVMGetAlignment(self.raw) })
    }

    /// First content of a global variable.
    pub(crate) fn initializer(self) -> Option<Value<'m>> {
        // SAFETY: callers have a global variable.
        Value::optional(unsafe { LLVMGetInitializer(self.raw) })
    }

    pub(crate) fn is_thread_local(self) -> bool {
        // SAFETY: callers have a global variable.
        unsafe { LLVMIsThreadLocal(self.raw) != 0 }
    }

    pub(crate) fn is_constant_global(self) -> bool {
        // SAFETY: callers have a global variable.
        unsafe { LLVMIsGlobalConstant(self.raw) != 0 }
    }

    /// What an alias stands for.
    pub(crate) fn aliasee(self) -> Value<'m> {
        // SAFETY: callers have an alias.
        Value::new(unsafe { LLVMAliasGetAliasee(self.raw) })
    }

    /// The function that finds what an indirect function stands for.
    pub(crate) fn resolver(self) -> Option<Value<'m>> {
        // SAFETY: callers have an ifunc.
        Value::optional(unsafe { LLVMGetGlobalIFuncResolver(self.raw) })
    }

    /// The intrinsic's name without type suffixes, if a function is one.
    pub(crate) fn intrinsic_name(self) -> Option<String> {
        // SAFETY: callers have a function; the text is copied.
        unsafe {
            let id = LLVMGetIntrinsicID(self.raw);
            if id == 0 {
                return Some(self.name()).filter(|name| name.starts_with("llvm."));
            }
            let mut length = 0;
            let start = LLVMIntrinsicGetName(id, &mut length);
            Some(text(start, length))
        }
    }

    pub(crate) fn parameters(self) -> Vec<Value<'m>> {
        // SAFETY: callers have a function; LLVM fills as many as it counts.
        unsafe {
            let mut parameters = vec![ptr::null_mut(); LLVMCountParams(self.raw) as usize];
            LLVMGetParams(self.raw, parameters.as_mut_ptr());
            parameters.into_iter().map(Value::new).collect()
        }
    }

    /// A function has an attribute at a place (see [`AttributeAt`]).
    pub(crate) fn function_attribute(self, at: AttributeAt, kind: u32) -> Option<Attribute<'m>> {
        // SAFETY: callers have a function; LLVM answers null for what is not there.
        let raw = unsafe { LLVMGetEnumAttributeAtIndex(self.raw, at.index(), kind) };
        (!raw.is_null()).then(|| Attribute::new(raw))
    }

    /// A call has an attribute at a place.
    pub(crate) fn call_attribute(self, at: AttributeAt, kind: u32) -> Option<Attribute<'m>> {
        // SAFETY: callers have a call; LLVM answers null for what is not there.
        let raw = unsafe { LLVMGetCallSiteEnumAttribute(self.raw, at.index(), kind) };
        (!raw.is_null()).then(|| Attribute::new(raw))
    }

    pub(crate) fn blocks(self) -> impl Iterator<Item = BasicBlock<'m>> {
        // SAFETY: callers have a function; walks its list.
        let first = BasicBlock::optional(unsafe { LLVMGetFirstBasicBlock(self.raw) });
        std::iter::successors(first, |b| {
            BasicBlock::optional(unsafe { LLVMGetNextBasicBlock(b.raw) })
        })
    }

    pub(crate) fn subprogram(self) -> Option<Metadata<'m>> {
        // SAFETY: callers have a function.
        Metadata::optional(unsafe { LLVMGetSubprogram(self.raw) })
    }

    /// The source variable of a global variable.
    pub(crate) fn debug_variable(self) -> Option<Metadata<'m>> {
        let mut count = 0;
        // SAFETY: callers have a global; the entries are freed after they were looked at.
        unsafe {
            let entries = LLVMGlobalCopyAllMetadata(self.raw, &mut count);
            let found = (0..count as c_uint)
                .filter(|&i| LLVMValueMetadataEntriesGetKind(entries, i) == DEBUG_METADATA)
                .map(|i| LLVMValueMetadataEntriesGetMetadata(entries, i))
                .find(|&node| {
                    let kind = LLVMGetMetadataKind(node);
                    matches!(
                        kind,
                        LLVMMetadataKind::LLVMDIGlobalVariableExpressionMetadataKind
                    )
                })
                .map(|node| LLVMDIGlobalVariableExpressionGetVariable(node));
            LLVMDisposeValueMetadataEntries(entries);
            found.and_then(Metadata::optional)
        }
    }
}
