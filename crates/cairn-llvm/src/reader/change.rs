//! What is done to a module before it is lowered: libraries are linked, and it is optimised.
//!
//! - **Libraries.** A module is linked as a whole. Of an archive only the members that define something
//!   that is missing, again and again until none does, as linkers do.
//! - **Optimising** runs LLVM's own pipeline without making vectors: a vector is taken apart again when
//!   it is lowered, so it gains nothing and makes terms larger.

use super::{Diagnostics, Module, collect_diagnostic, parse};
use crate::archive;
use crate::error::LoadError;
use llvm_sys::core::*;
use llvm_sys::linker::LLVMLinkModules2;
use llvm_sys::prelude::*;
use llvm_sys::transforms::pass_builder::*;
use std::collections::BTreeSet;
use std::ptr;

/// LLVM's pipeline that KLEE's users know as `-O2`.
const PIPELINE: &std::ffi::CStr = c"default<O2>";

/// A member of an archive that nobody has asked for yet.
struct Member {
    name: String,
    module: LLVMModuleRef,
    defines: BTreeSet<String>,
}

impl Module {
    /// Links a library: bitcode, assembly text, or an archive of them.
    pub(crate) fn link(&mut self, name: &str, bytes: &[u8]) -> Result<(), LoadError> {
        if !archive::is_archive(bytes) {
            let module = parse(self.context, name, bytes)?;
            return self.take_in(name, module);
        }
        let members = archive::members(bytes).map_err(|why| link_error(name, why))?;
        let mut waiting = Vec::new();
        for (member, content) in members {
            let name = format!("{name}({member})");
            match parse(self.context, &name, content) {
                Ok(module) => waiting.push(Member {
                    name,
                    module,
                    defines: symbols(module, true),
                }),
                Err(error) => {
                    dispose(waiting);
                    return Err(error);
                }
            }
        }
        loop {
            let missing = symbols(self.module, false);
            let wanted = waiting
                .iter()
                .position(|member| !member.defines.is_disjoint(&missing));
            let Some(at) = wanted else { break };
            let member = waiting.remove(at);
            if let Err(error) = self.take_in(&member.name, member.module) {
                dispose(waiting);
                return Err(error);
            }
        }
        dispose(waiting);
        Ok(())
    }

    /// Moves all of a module of the same context into this one.
    fn take_in(&mut self, name: &str, module: LLVMModuleRef) -> Result<(), LoadError> {
        let mut diagnostics = Box::new(Diagnostics(Vec::new()));
        // SAFETY: both modules are of one context, and the source is used up by linking; the
        // diagnostics outlive the linking, after which the handler is taken away again.
        let failed = unsafe {
            LLVMContextSetDiagnosticHandler(
                self.context,
                Some(collect_diagnostic),
                ptr::from_mut(diagnostics.as_mut()).cast(),
            );
            let failed = LLVMLinkModules2(self.module, module) != 0;
            LLVMContextSetDiagnosticHandler(self.context, None, ptr::null_mut());
            failed
        };
        match diagnostics.0.first() {
            Some(why) => Err(link_error(name, why)),
            None if failed => Err(link_error(name, "LLVM's linker does not say why")),
            None => Ok(()),
        }
    }

    /// Runs LLVM's optimiser.
    pub(crate) fn optimize(&mut self, name: &str) -> Result<(), LoadError> {
        // SAFETY: the module is alive and nothing refers into it yet; options and error are freed
        // once.
        let message = unsafe {
            let options = LLVMCreatePassBuilderOptions();
            LLVMPassBuilderOptionsSetLoopVectorization(options, 0);
            LLVMPassBuilderOptionsSetSLPVectorization(options, 0);
            let error = LLVMRunPasses(self.module, PIPELINE.as_ptr(), ptr::null_mut(), options);
            LLVMDisposePassBuilderOptions(options);
            (!error.is_null()).then(|| {
                let text = llvm_sys::error::LLVMGetErrorMessage(error);
                let copy = std::ffi::CStr::from_ptr(text)
                    .to_string_lossy()
                    .into_owned();
                llvm_sys::error::LLVMDisposeErrorMessage(text);
                copy
            })
        };
        match message {
            None => Ok(()),
            Some(message) => Err(LoadError::Optimize {
                file: name.to_string(),
                message,
            }),
        }
    }
}

fn dispose(members: Vec<Member>) {
    for member in members {
        // SAFETY: nobody else has the module.
        unsafe { LLVMDisposeModule(member.module) };
    }
}

fn link_error(name: &str, why: &str) -> LoadError {
    LoadError::Link {
        file: name.to_string(),
        message: why.to_string(),
    }
}

/// The names that a module defines for others, or that it needs.
fn symbols(module: LLVMModuleRef, defined: bool) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut look = |value: LLVMValueRef| {
        // SAFETY: a global value of a living module; the text is copied.
        unsafe {
            let local = matches!(
                LLVMGetLinkage(value),
                llvm_sys::LLVMLinkage::LLVMInternalLinkage
                    | llvm_sys::LLVMLinkage::LLVMPrivateLinkage
            );
            if !local && (LLVMIsDeclaration(value) == 0) == defined {
                let mut length = 0;
                let start = LLVMGetValueName2(value, &mut length);
                let name = super::text(start, length);
                if !name.starts_with("llvm.") {
                    names.insert(name);
                }
            }
        }
    };
    // SAFETY: walks the lists of a living module.
    unsafe {
        let mut function = LLVMGetFirstFunction(module);
        while !function.is_null() {
            look(function);
            function = LLVMGetNextFunction(function);
        }
        let mut global = LLVMGetFirstGlobal(module);
        while !global.is_null() {
            look(global);
            global = LLVMGetNextGlobal(global);
        }
        let mut alias = LLVMGetFirstGlobalAlias(module);
        while !alias.is_null() {
            look(alias);
            alias = LLVMGetNextGlobalAlias(alias);
        }
    }
    names
}
