//! Debug information.

use super::{Metadata, Value, text};
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use std::ffi::c_uint;

impl<'m> Metadata<'m> {
    /// Line and column of a location.
    pub(crate) fn line_and_column(self) -> (u32, u32) {
        // SAFETY: callers have a location.
        unsafe {
            (
                LLVMDILocationGetLine(self.raw),
                LLVMDILocationGetColumn(self.raw),
            )
        }
    }

    /// Scope of a location.
    pub(crate) fn scope(self) -> Metadata<'m> {
        // SAFETY: callers have a location; it always has a scope.
        Metadata::new(unsafe { LLVMDILocationGetScope(self.raw) })
    }

    /// Where the function of a location was inlined.
    pub(crate) fn inlined_at(self) -> Option<Metadata<'m>> {
        // SAFETY: callers have a location.
        Metadata::optional(unsafe { LLVMDILocationGetInlinedAt(self.raw) })
    }

    /// File of a scope.
    pub(crate) fn file(self) -> Option<Metadata<'m>> {
        // SAFETY: callers have a scope.
        Metadata::optional(unsafe { LLVMDIScopeGetFile(self.raw) })
    }

    /// Directory and name of a file.
    pub(crate) fn file_name(self) -> (String, String) {
        let (mut first, mut second): (c_uint, c_uint) = (0, 0);
        // SAFETY: callers have a file; the texts are copied.
        unsafe {
            let directory = LLVMDIFileGetDirectory(self.raw, &mut first);
            let name = LLVMDIFileGetFilename(self.raw, &mut second);
            (text(directory, first as usize), text(name, second as usize))
        }
    }

    /// File and line of a variable.
    pub(crate) fn variable_place(self) -> (Option<Metadata<'m>>, u32) {
        // SAFETY: callers have a variable.
        unsafe {
            (
                Metadata::optional(LLVMDIVariableGetFile(self.raw)),
                LLVMDIVariableGetLine(self.raw),
            )
        }
    }

    /// Line of a subprogram.
    pub(crate) fn subprogram_line(self) -> u32 {
        // SAFETY: callers have a subprogram.
        unsafe { LLVMDISubprogramGetLine(self.raw) }
    }

    pub(crate) fn kind(self) -> llvm_sys::debuginfo::LLVMMetadataKind {
        // SAFETY: any metadata has a kind.
        unsafe { LLVMGetMetadataKind(self.raw) }
    }

    /// The node that a value wraps.
    pub(crate) fn of_value(value: Value<'m>) -> Metadata<'m> {
        // SAFETY: LLVM unwraps metadata values and wraps others.
        Metadata::new(unsafe { LLVMValueAsMetadata(value.raw) })
    }
}
