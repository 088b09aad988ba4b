//! Linking modules and writing bitcode.

use super::{Diagnostics, Module, X86_64_LAYOUT, collect_diagnostic, is_bitcode, parse};
use crate::error::LoadError;
use llvm_sys::bit_writer::LLVMWriteBitcodeToMemoryBuffer;
use llvm_sys::core::{
    LLVMContextSetDiagnosticHandler, LLVMContextSetDiscardValueNames, LLVMDisposeMemoryBuffer,
    LLVMGetBufferSize, LLVMGetBufferStart, LLVMGetDataLayoutStr, LLVMSetDataLayout,
};
use llvm_sys::linker::LLVMLinkModules2;
use std::ptr;

impl Module {
    /// Reads another module and links it into this one. The name stands in messages. After an error
    /// this module is of no use.
    pub(crate) fn absorb(&mut self, name: &str, bytes: &[u8]) -> Result<(), LoadError> {
        let mut diagnostics = Box::new(Diagnostics(Vec::new()));
        // SAFETY: the context is alive; the diagnostics outlive the reading and linking, after which
        // the handler is taken away again; the linker takes the other module over.
        let failed = unsafe {
            LLVMContextSetDiagnosticHandler(
                self.context,
                Some(collect_diagnostic),
                ptr::from_mut(diagnostics.as_mut()).cast(),
            );
            // Text is read by its names.
            LLVMContextSetDiscardValueNames(self.context, i32::from(is_bitcode(bytes)));
            let linked = parse(self.context, name, bytes).map(|other| {
                if LLVMGetDataLayoutStr(other).read() == 0 {
                    LLVMSetDataLayout(other, X86_64_LAYOUT.as_ptr());
                }
                LLVMLinkModules2(self.module, other) != 0
            });
            LLVMContextSetDiagnosticHandler(self.context, None, ptr::null_mut());
            linked?
        };
        match diagnostics.0.first() {
            None if !failed => Ok(()),
            first => Err(LoadError::Link {
                file: name.to_string(),
                message: first.cloned().unwrap_or_default(),
            }),
        }
    }

    /// The module as bitcode.
    pub(crate) fn to_bitcode(&self) -> Vec<u8> {
        // SAFETY: the module is alive; the buffer is copied before it is freed.
        unsafe {
            let buffer = LLVMWriteBitcodeToMemoryBuffer(self.module);
            let start = LLVMGetBufferStart(buffer).cast::<u8>();
            let bytes = std::slice::from_raw_parts(start, LLVMGetBufferSize(buffer)).to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            bytes
        }
    }
}
