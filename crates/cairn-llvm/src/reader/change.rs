//! What is done to a module before it is lowered: libraries are linked, and it is optimised.
//!
//! - **Libraries** are a user's: they are checked as programs are. A module is linked as a whole; of an
//!   archive, which needs no table of symbols, only the members that define something that is
//!   missing, again and again until none does, as linkers do.
//! - **Optimising** runs LLVM's own pipeline without making vectors: a vector is taken apart again when
//!   it is lowered, so it gains nothing and makes terms larger.

use super::linking::Member;
use super::{Module, parse};
use crate::archive_members;
use crate::error::LoadError;
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use llvm_sys::prelude::LLVMModuleRef;
use llvm_sys::transforms::pass_builder::*;
use std::collections::BTreeSet;
use std::ffi::CStr;
use std::ptr;

impl Module {
    /// Links a library: bitcode, assembly text, or an archive of them.
    pub(crate) fn link(&self, name: &str, bytes: &[u8]) -> Result<(), LoadError> {
        if !archive_members::is_archive(bytes) {
            return self.add(name, self.checked_member(name, bytes)?);
        }
        let members = archive_members::members(bytes).map_err(|why| LoadError::Linking {
            file: name.to_string(),
            message: why.to_string(),
        })?;
        let mut waiting = Vec::new();
        for (member, content) in members {
            let name = format!("{name}({member})");
            let member = self.checked_member(&name, content)?;
            let defined: BTreeSet<String> = member.symbols().defined.into_iter().collect();
            waiting.push((name, member, defined));
        }
        loop {
            let missing = self.symbols().needed;
            let wanted = waiting
                .iter()
                .position(|(_, _, defined)| missing.iter().any(|name| defined.contains(name)));
            let Some(at) = wanted else { return Ok(()) };
            let (name, member, _) = waiting.remove(at);
            self.add(&name, member)?;
        }
    }

    /// Reads a module that can be added to this one, and checks it.
    pub(crate) fn checked_member(&self, name: &str, bytes: &[u8]) -> Result<Member<'_>, LoadError> {
        parse(self.context, name, bytes).map(Member::new)
    }

    /// Runs LLVM's optimiser.
    pub(crate) fn optimize(&self, name: &str) -> Result<(), LoadError> {
        run_passes(self.module, c"default<O2>").map_err(|message| LoadError::Optimize {
            file: name.to_string(),
            message,
        })
    }
}

/// Runs passes, given in LLVM's words, on a module that nothing refers into yet.
pub(super) fn run_passes(module: LLVMModuleRef, passes: &CStr) -> Result<(), String> {
    // SAFETY: the module is alive; options and error are freed once, and the message is copied.
    unsafe {
        let options = LLVMCreatePassBuilderOptions();
        LLVMPassBuilderOptionsSetLoopVectorization(options, 0);
        LLVMPassBuilderOptionsSetSLPVectorization(options, 0);
        let error = LLVMRunPasses(module, passes.as_ptr(), ptr::null_mut(), options);
        LLVMDisposePassBuilderOptions(options);
        if error.is_null() {
            return Ok(());
        }
        let message = LLVMGetErrorMessage(error);
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(message);
        Err(text)
    }
}
