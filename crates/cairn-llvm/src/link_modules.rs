//! Several modules made one, as a linker would.
//!
//! # Problem
//!
//! A program that was built from many sources is many modules.
//!
//! # Idea
//!
//! LLVM's own linker moves one module after the other into the first. Each time it looks
//! through all that is there already, so of many modules some neighbours are linked to each other
//! first, and then added together.
//!
//! # Soundness
//!
//! It knows the meaning of every linkage: of definitions that may be replaced the
//! first stays, as with a linker; what two modules define for good is an error. Names local to a module
//! stay apart. Neighbours stay neighbours, so what comes first in the end came first before.
//!
//! # Cost
//!
//! About that of reading the modules, twice if they are many.

use crate::error::LoadError;
use crate::reader::Module;
use std::collections::BTreeSet;

/// So many modules are linked to each other before they are added to the others.
const TOGETHER: usize = 32;

/// A module that is to be linked.
#[derive(Clone, Copy, Debug)]
pub struct LinkModule<'a> {
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
pub fn link_parts(name: &str, parts: &[LinkModule]) -> Result<Linked, LoadError> {
    let mut groups = parts.chunks(TOGETHER);
    let Some((first, rest)) = groups.next().and_then(<[LinkModule]>::split_first) else {
        return Err(LoadError::Invalid {
            file: name.to_string(),
            message: "there is nothing to link".to_string(),
        });
    };
    let module = Module::read(first.name, first.bytes)?;
    for part in rest {
        module.add(part.name, module.checked_member(part.name, part.bytes)?)?;
    }
    for group in groups {
        let [first, rest @ ..] = group else { continue };
        let together = module.checked_member(first.name, first.bytes)?;
        for part in rest {
            together.add(part.name, module.checked_member(part.name, part.bytes)?)?;
        }
        let name = format!("one of {} and the {} after it", first.name, rest.len());
        module.add(&name, together)?;
    }
    Ok(Linked {
        undefined: module.symbols().needed.into_iter().collect(),
        bitcode: module.to_bitcode(),
    })
}
