//! Several modules made one, as a linker would.
//!
//! - **Problem.** A program that was built from many sources is many modules.
//! - **How.** LLVM's own linker moves one module after the other into the first.
//! - **Why it is right.** It knows the meaning of every linkage: of definitions that may be replaced the
//!   first stays, as with a linker; what two modules define for good is an error. Names local to a module
//!   stay apart.
//! - **Cost.** About that of reading the modules.

use crate::error::LoadError;
use crate::reader::Module;
use std::collections::BTreeSet;

/// A module that is to be linked.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// Its name in messages.
    pub name: &'a str,
    /// Bitcode or assembly text.
    pub bytes: &'a [u8],
}

/// A program made of parts.
#[derive(Clone, Debug)]
pub struct Linked {
    /// Its bitcode.
    pub bitcode: Vec<u8>,
    /// What its parts use and none of them defines.
    pub undefined: BTreeSet<String>,
}

/// Links modules in their order.
///
/// # Errors
/// If one is not a valid module, is for another machine, or does not go with those before.
pub fn link_parts(name: &str, parts: &[Part]) -> Result<Linked, LoadError> {
    let Some((first, rest)) = parts.split_first() else {
        return Err(LoadError::Invalid {
            file: name.to_string(),
            message: "there is nothing to link".to_string(),
        });
    };
    let module = Module::read(first.name, first.bytes)?;
    for part in rest {
        module.link(part.name, part.bytes)?;
    }
    Ok(Linked {
        undefined: module.symbols().needed.into_iter().collect(),
        bitcode: module.to_bitcode(),
    })
}
