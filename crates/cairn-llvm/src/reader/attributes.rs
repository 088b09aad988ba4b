//! Attributes of functions and calls.

use super::{Module, Type};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::ffi::c_uint;
use std::marker::PhantomData;

/// Where an attribute stands.
#[derive(Clone, Copy)]
pub(crate) enum AttributeAt {
    /// At the function or call as a whole.
    Whole,
    /// At a parameter or argument.
    Parameter(u32),
}

impl AttributeAt {
    pub(super) fn index(self) -> c_uint {
        match self {
            AttributeAt::Whole => llvm_sys::LLVMAttributeFunctionIndex,
            AttributeAt::Parameter(at) => at + 1,
        }
    }
}

/// An attribute.
#[derive(Clone, Copy)]
pub(crate) struct Attribute<'m> {
    raw: LLVMAttributeRef,
    module: PhantomData<&'m Module>,
}

impl<'m> Attribute<'m> {
    pub(super) fn new(raw: LLVMAttributeRef) -> Self {
        Attribute {
            raw,
            module: PhantomData,
        }
    }

    /// The number of an attribute that has one.
    pub(crate) fn number(self) -> u64 {
        // SAFETY: callers ask attributes with numbers only.
        unsafe { LLVMGetEnumAttributeValue(self.raw) }
    }

    /// The type of an attribute that has one.
    pub(crate) fn ty(self) -> Type<'m> {
        // SAFETY: callers ask attributes with types only.
        Type::new(unsafe { LLVMGetTypeAttributeValue(self.raw) })
    }
}
