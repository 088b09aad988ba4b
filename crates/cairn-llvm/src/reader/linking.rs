//! Modules that are added to others.

use super::change::run_passes;
use super::{Diagnostics, Module, Value, collect_diagnostic, take_message};
use crate::error::LoadError;
use llvm_sys::LLVMLinkage;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::ffi::CString;
use std::marker::PhantomData;
use std::ptr;

/// The names that modules know each other by.
pub(crate) struct Symbols {
    /// Defined here, for others to use.
    pub(crate) defined: Vec<String>,
    /// Used here and not defined. Weak uses are not among them: they ask for nothing.
    pub(crate) needed: Vec<String>,
}

/// A module that lives in the context of another, to be added to it.
pub(crate) struct Member<'m> {
    raw: LLVMModuleRef,
    context: PhantomData<&'m Module>,
}

impl Member<'_> {
    /// Owns a module, which must have no other owner. Its context must live as long as the result.
    pub(super) fn new(raw: LLVMModuleRef) -> Self {
        Member {
            raw,
            context: PhantomData,
        }
    }

    pub(crate) fn functions(&self) -> impl Iterator<Item = Value<'_>> {
        functions(self.raw)
    }

    pub(crate) fn symbols(&self) -> Symbols {
        symbols(self.raw)
    }

    /// Adds another module of the same context to this one.
    pub(crate) fn add(&self, name: &str, other: Self) -> Result<(), LoadError> {
        add(self.raw, name, other)
    }
}

/// Adds a module to another of its context.
fn add(into: LLVMModuleRef, name: &str, member: Member<'_>) -> Result<(), LoadError> {
    let raw = member.raw;
    // The linker disposes of what it adds.
    std::mem::forget(member);
    let mut diagnostics = Box::new(Diagnostics(Vec::new()));
    // SAFETY: both modules are alive and of one context; the diagnostics outlive the linking, after
    // which the handler is taken away again.
    let failed = unsafe {
        let context = LLVMGetModuleContext(into);
        LLVMContextSetDiagnosticHandler(
            context,
            Some(collect_diagnostic),
            ptr::from_mut(diagnostics.as_mut()).cast(),
        );
        let failed = llvm_sys::linker::LLVMLinkModules2(into, raw);
        LLVMContextSetDiagnosticHandler(context, None, ptr::null_mut());
        failed != 0
    };
    if !failed {
        return Ok(());
    }
    let message = diagnostics.0.first().cloned().unwrap_or_default();
    Err(LoadError::Linking {
        file: name.to_string(),
        message,
    })
}

impl Drop for Member<'_> {
    fn drop(&mut self) {
        // SAFETY: nothing refers into it: references borrow it.
        unsafe { LLVMDisposeModule(self.raw) };
    }
}

pub(super) fn functions<'m>(module: LLVMModuleRef) -> impl Iterator<Item = Value<'m>> {
    // SAFETY: walks the list of a living module: callers give references no longer life than it has.
    let first = Value::optional(unsafe { LLVMGetFirstFunction(module) });
    std::iter::successors(first, |f| {
        Value::optional(unsafe { LLVMGetNextFunction(f.raw) })
    })
}

pub(super) fn globals<'m>(module: LLVMModuleRef) -> impl Iterator<Item = Value<'m>> {
    // SAFETY: as for functions.
    let first = Value::optional(unsafe { LLVMGetFirstGlobal(module) });
    std::iter::successors(first, |g| {
        Value::optional(unsafe { LLVMGetNextGlobal(g.raw) })
    })
}

pub(super) fn aliases<'m>(module: LLVMModuleRef) -> impl Iterator<Item = Value<'m>> {
    // SAFETY: as for functions.
    let first = Value::optional(unsafe { LLVMGetFirstGlobalAlias(module) });
    std::iter::successors(first, |a| {
        Value::optional(unsafe { LLVMGetNextGlobalAlias(a.raw) })
    })
}

fn symbols(module: LLVMModuleRef) -> Symbols {
    let mut symbols = Symbols {
        defined: Vec::new(),
        needed: Vec::new(),
    };
    for value in functions(module)
        .chain(globals(module))
        .chain(aliases(module))
    {
        match value.linkage() {
            LLVMLinkage::LLVMInternalLinkage
            | LLVMLinkage::LLVMPrivateLinkage
            | LLVMLinkage::LLVMExternalWeakLinkage
            | LLVMLinkage::LLVMAppendingLinkage => continue,
            _ => {}
        }
        let name = value.name();
        if name.starts_with("llvm.") {
            continue;
        }
        if value.is_declaration() {
            symbols.needed.push(name);
        } else {
            symbols.defined.push(name);
        }
    }
    symbols
}

impl Module {
    /// What others can use of this module, and what it needs.
    pub(crate) fn symbols(&self) -> Symbols {
        symbols(self.module)
    }

    /// Reads a module of bitcode that can be added to this one. It is trusted to be sound: it comes
    /// from the library that was set up.
    pub(crate) fn read_member(&self, name: &str, bytes: &[u8]) -> Result<Member<'_>, LoadError> {
        let c_name = CString::new(name.replace('\0', "?")).unwrap_or_default();
        // SAFETY: the buffer is a copy, which the reader takes over; the context is alive.
        unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                bytes.as_ptr().cast(),
                bytes.len(),
                c_name.as_ptr(),
            );
            let mut raw = ptr::null_mut();
            let mut message = ptr::null_mut();
            let failed = llvm_sys::ir_reader::LLVMParseIRInContext(
                self.context,
                buffer,
                &mut raw,
                &mut message,
            );
            let message = take_message(message);
            if failed != 0 {
                return Err(LoadError::Invalid {
                    file: name.to_string(),
                    message,
                });
            }
            Ok(Member::new(raw))
        }
    }

    /// Adds a module to this one. That takes time for all that is in it already: of many modules,
    /// link some to each other first.
    pub(crate) fn add(&self, name: &str, member: Member<'_>) -> Result<(), LoadError> {
        add(self.module, name, member)
    }

    /// The module as bitcode.
    pub(crate) fn to_bitcode(&self) -> Vec<u8> {
        // SAFETY: the module is alive; the buffer is copied before it is freed.
        unsafe {
            let buffer = llvm_sys::bit_writer::LLVMWriteBitcodeToMemoryBuffer(self.module);
            let start = LLVMGetBufferStart(buffer).cast::<u8>();
            let bytes = std::slice::from_raw_parts(start, LLVMGetBufferSize(buffer)).to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            bytes
        }
    }

    /// Removes functions and globals that are neither referred to nor visible to other modules.
    pub(crate) fn remove_unused(&self) -> Result<(), String> {
        run_passes(self.module, c"globaldce")
    }
}

impl Value<'_> {
    /// Hides a global value from other modules.
    pub(crate) fn make_internal(self) {
        // SAFETY: callers have a global value that is defined.
        unsafe {
            LLVMSetVisibility(self.raw, llvm_sys::LLVMVisibility::LLVMDefaultVisibility);
            LLVMSetLinkage(self.raw, LLVMLinkage::LLVMInternalLinkage);
        }
    }
}
