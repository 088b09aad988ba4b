//! Types.

use super::{Type, take_message};
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;
use std::ptr;

impl<'m> Type<'m> {
    pub(crate) fn kind(self) -> LLVMTypeKind {
        // SAFETY: any type has a kind.
        unsafe { LLVMGetTypeKind(self.raw) }
    }

    /// Values of the type are one word or number.
    pub(crate) fn is_scalar(self) -> bool {
        use LLVMTypeKind::*;
        matches!(
            self.kind(),
            LLVMIntegerTypeKind
                | LLVMPointerTypeKind
                | LLVMFloatTypeKind
                | LLVMDoubleTypeKind
                | LLVMX86_FP80TypeKind
        )
    }

    pub(crate) fn is_sized(self) -> bool {
        // SAFETY: any type may be asked.
        unsafe { LLVMTypeIsSized(self.raw) != 0 }
    }

    /// Bits of an integer type.
    pub(crate) fn int_width(self) -> u32 {
        // SAFETY: callers have an integer type.
        unsafe { LLVMGetIntTypeWidth(self.raw) }
    }

    /// The address space of a pointer type.
    pub(crate) fn address_space(self) -> u32 {
        // SAFETY: callers have a pointer type.
        unsafe { LLVMGetPointerAddressSpace(self.raw) }
    }

    /// Elements of a struct type.
    pub(crate) fn struct_elements(self) -> Vec<Type<'m>> {
        // SAFETY: callers have a struct type with a body.
        unsafe {
            let count = LLVMCountStructElementTypes(self.raw);
            (0..count)
                .map(|i| Type::new(LLVMStructGetTypeAtIndex(self.raw, i)))
                .collect()
        }
    }

    /// Element type of an array or vector type.
    pub(crate) fn element(self) -> Type<'m> {
        // SAFETY: callers have an array or vector type.
        Type::new(unsafe { LLVMGetElementType(self.raw) })
    }

    /// Elements of an array type.
    pub(crate) fn array_length(self) -> u64 {
        // SAFETY: callers have an array type.
        unsafe { LLVMGetArrayLength2(self.raw) }
    }

    /// Lanes of a vector type.
    pub(crate) fn vector_length(self) -> u32 {
        // SAFETY: callers have a vector type.
        unsafe { LLVMGetVectorSize(self.raw) }
    }

    /// Result of a function type.
    pub(crate) fn result(self) -> Type<'m> {
        // SAFETY: callers have a function type.
        Type::new(unsafe { LLVMGetReturnType(self.raw) })
    }

    /// Parameters of a function type.
    pub(crate) fn parameters(self) -> Vec<Type<'m>> {
        // SAFETY: callers have a function type; LLVM fills as many as it counts.
        unsafe {
            let mut types = vec![ptr::null_mut(); LLVMCountParamTypes(self.raw) as usize];
            LLVMGetParamTypes(self.raw, types.as_mut_ptr());
            types.into_iter().map(Type::new).collect()
        }
    }

    /// A function type takes further arguments.
    pub(crate) fn is_variadic(self) -> bool {
        // SAFETY: callers have a function type.
        unsafe { LLVMIsFunctionVarArg(self.raw) != 0 }
    }

    pub(crate) fn to_text(self) -> String {
        // SAFETY: any type prints; the message is freed.
        unsafe { take_message(LLVMPrintTypeToString(self.raw)) }
    }
}
