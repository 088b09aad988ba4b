//! LLVM bitcode and assembly lowered to the program form. This is the only crate that knows LLVM.
//!
//! [`load`] reads a module, has LLVM verify it, and lowers it to a [`cairn_ir::Program`]. Values
//! are taken apart into words; what LLVM leaves undefined becomes a check or an arbitrary value;
//! what cannot be lowered becomes a check that fails where it would run, and is listed in
//! [`Lowered::unsupported`]. [`compile`] runs clang. [`link()`] makes one module of many.
//!
//! LLVM's reader is not made for hostile input: [`guarded`] turns its crashes into an exit with a
//! message.

mod arith;
mod calls;
mod compile;
mod constants;
mod debug;
mod emit;
mod error;
mod float;
mod float_intrinsics;
mod function;
mod globals;
mod guard;
mod int_intrinsics;
mod intrinsics;
mod link;
mod lowering;
mod memory;
mod reader;
mod sanitizer;
mod types;
mod vector;
mod vector_intrinsics;

pub use compile::compile;
pub use error::{CompileError, LoadError};
pub use guard::{EXIT_BAD_INPUT, guarded};
pub use link::{Linked, Part, link};
pub use lowering::Unsupported;

use cairn_ir::{PlaceId, Program, Symbol};
use lowering::Lowering;
use reader::Module;
use std::collections::BTreeSet;
use std::path::Path;

/// Where shifts by the width or more are checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overshift {
    /// Nowhere.
    Never,
    /// In functions that the compiler left unoptimised. Optimised code may shift too far and then
    /// not use the result, which is no error.
    #[default]
    Unoptimized,
    /// Everywhere.
    Always,
}

/// Which promises of the compiler are checked. Division by zero and reaching what was promised to
/// be unreachable always are. By default the others are not: optimised code may break a promise
/// whose result it does not use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LowerOptions {
    /// Arithmetic that was promised not to wrap as signed (`nsw`).
    pub check_signed_overflow: bool,
    /// Arithmetic that was promised not to wrap as unsigned (`nuw`).
    pub check_unsigned_overflow: bool,
    /// Shifts by the width or more.
    pub check_overshift: Overshift,
    /// Divisions and shifts that were promised to lose nothing (`exact`).
    pub check_exact: bool,
    /// Address computations that were promised to stay in their object (`inbounds`) must not wrap
    /// around.
    pub check_inbounds: bool,
    /// Conditions that the compiler was told to assume.
    pub check_assumptions: bool,
    /// Keep the module's assembly text in [`Lowered::assembly`].
    pub keep_assembly: bool,
    /// Functions that exist though no module defines them. A weak name that is not among them has
    /// the address 0, as the linker would give it. Default is none.
    pub provided: BTreeSet<String>,
}

/// A lowered module.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// What is not supported, where. Paths that get there end with an error that says so.
    pub unsupported: Vec<Unsupported>,
    /// The module's assembly text, if it was asked for.
    pub assembly: Option<String>,
}

/// Reads and lowers a file of bitcode or assembly text; which of them it is shows in its content.
///
/// # Errors
/// If the file cannot be read, is not a valid module, or is for another machine.
pub fn load(path: &Path, options: &LowerOptions) -> Result<Lowered, LoadError> {
    load_bytes(&path.to_string_lossy(), &read_file(path)?, options)
}

/// Reads and lowers bitcode or assembly text. The name stands in messages.
///
/// # Errors
/// If the bytes are not a valid module or are for another machine.
pub fn load_bytes(name: &str, bytes: &[u8], options: &LowerOptions) -> Result<Lowered, LoadError> {
    let module = Module::read(name, bytes)?;
    Ok(lower(&module, options))
}

/// The assembly text of a file of bitcode or assembly text.
///
/// # Errors
/// As for [`load`].
pub fn to_text(path: &Path) -> Result<String, LoadError> {
    let bytes = read_file(path)?;
    Ok(Module::read(&path.to_string_lossy(), &bytes)?.to_text())
}

fn read_file(path: &Path) -> Result<Vec<u8>, LoadError> {
    std::fs::read(path).map_err(|source| LoadError::Read {
        file: path.to_string_lossy().into_owned(),
        source,
    })
}

fn lower(module: &Module, options: &LowerOptions) -> Lowered {
    let mut cx = Lowering::new(module, options);
    cx.declare();
    cx.fill_globals();
    cx.forward_aliases();
    for value in module.functions() {
        if value.is_declaration() {
            continue;
        }
        if let Some(Symbol::Function(id)) = cx.symbol(value) {
            let body = function::lower(&mut cx, value, id);
            cx.program.functions[id.index()].body = Some(body);
        }
    }
    let assembly = module.inline_assembly();
    if !assembly.trim().is_empty() {
        cx.report("assembly outside functions", "", PlaceId::UNKNOWN);
    }
    Lowered {
        program: cx.program,
        unsupported: cx.unsupported,
        assembly: options.keep_assembly.then(|| module.to_text()),
    }
}
