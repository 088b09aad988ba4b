//! LLVM bitcode and assembly lowered to the program form. This is the only crate that knows LLVM.
//!
//! [`load`] reads a module, has LLVM verify it, and lowers it to a [`cairn_ir::Program`]. Values
//! are taken apart into words; what LLVM leaves undefined becomes a check or an arbitrary value;
//! what cannot be lowered becomes a check that fails where it would run, and is listed in
//! [`Lowered::unsupported`]. [`compile`] runs clang.
//!
//! - `reader/`: safe wrappers of LLVM's C interface; `guard`: its crashes; `error`: why a program cannot be read or compiled.
//! - `compile`: clang.
//! - `link_modules`: modules of a program made one; `link_archive`: what a program needs of an archive with a table of symbols
//!   (`indexed_archive`: the C library); `archive_members`: archives without one, which users name.
//! - `lowering`: what is known while a module is lowered; `types`: how types lie in memory and become words; `globals`, `constants`:
//!   objects and their bytes; `replaced_new`: what C++ does with `operator new` of the program; `function_types`: what the compiler stores about types of functions.
//! - `function`: the blocks of a function; `emit`: one method for each kind of instruction of the program form.
//! - `arith`, `float`, `vector`, `memory`, `scopes`, `calls`, `exceptions`: LLVM's instructions by kind.
//! - `intrinsics` and beside it `int_intrinsics`, `float_intrinsics`, `vector_intrinsics`: calls that LLVM gives a meaning;
//!   `sanitizer`: reports of sanitised code as checks; `missing_checks`: what the compiler has taken away;
//!   `overflows`: arithmetic that optimised code may compute without using it.
//! - `debug`, `assembly`: source places and lines of assembly text.
//!
//! LLVM's reader is not made for hostile input: [`guarded`] turns its crashes into an exit with a
//! message.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod archive_members;
mod arith;
mod assembly;
mod calls;
mod compile;
mod constants;
mod debug;
mod emit;
mod error;
mod exceptions;
mod float;
mod float_intrinsics;
mod function;
mod function_types;
mod globals;
mod guard;
mod indexed_archive;
mod int_intrinsics;
mod intrinsics;
mod link_archive;
mod link_modules;
mod lowering;
mod memory;
mod missing_checks;
mod overflows;
mod reader;
mod replaced_new;
mod sanitizer;
mod scopes;
mod types;
mod vector;
mod vector_intrinsics;

pub use compile::{CompilerNotes, check_flags, compile, compile_until};
pub use error::{CompileError, LoadError};
pub use guard::{EXIT_BAD_INPUT, guarded};
pub use indexed_archive::IndexedArchive;
pub use link_archive::LibraryLink;
pub use link_modules::{LinkModule, Linked, link_parts};
pub use lowering::Unsupported;

use cairn_ir::{PlaceId, Program, Symbol};
use lowering::Lowering;
use reader::{Module, Value};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::path::Path;

/// Where shifts by the width or more are checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overshift {
    /// Nowhere.
    Never,
    /// In functions that were not optimised. Optimised code may shift too far and then not use the
    /// result, which is no error.
    #[default]
    Unoptimized,
    /// Everywhere in the module's own functions; in libraries where they were not optimised.
    Own,
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
    /// Constants without a value in code that was not optimised: the compiler has folded an operation
    /// that has no result.
    pub check_folded: bool,
    /// Accesses to variables whose scopes were left.
    pub check_scopes: bool,
    /// The module was compiled with [`check_flags`], which keep the checks.
    pub compiled_for_checks: bool,
    /// Divisions and shifts that were promised to lose nothing (`exact`).
    pub check_exact: bool,
    /// Address computations that were promised to stay in their object (`inbounds`) must not wrap
    /// around.
    pub check_inbounds: bool,
    /// Conditions that the compiler was told to assume.
    pub check_assumptions: bool,
    /// Keep the module's assembly text in [`Lowered::assembly`]. Then each instruction has a place of its
    /// own.
    pub keep_assembly: bool,
    /// Libraries that are linked to the module.
    pub libraries: Vec<UserLibrary>,
    /// Run LLVM's optimiser on the module and its libraries.
    pub optimize: bool,
    /// Functions that exist though no module defines them. A weak name that is not among them has
    /// the address 0, as the linker would give it. Default is none.
    pub defined_elsewhere: BTreeSet<String>,
}

/// A library that the user names: bitcode, assembly text, or an archive of them, linked as a whole or by what is missing. The
/// C library, of which only what is needed is read, is an [`IndexedArchive`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserLibrary {
    /// Its name, for messages.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// A module as LLVM's assembly text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assembly {
    /// The text.
    pub text: String,
    /// The line of the text that a place of the program stands for, from 1; 0 if it is not known.
    lines: Vec<u32>,
}

impl Assembly {
    /// The line of the text that a place stands for.
    pub fn line(&self, place: PlaceId) -> Option<u32> {
        let line = self.lines.get(place.index()).copied();
        line.filter(|line| *line != 0)
    }
}

/// A lowered module.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// What is not supported, where. Paths that get there end with an error that says so.
    pub unsupported: Vec<Unsupported>,
    /// Errors that cannot be found because the compiler has taken the checks away: one line each.
    pub missing_checks: Vec<String>,
    /// The compiler has folded an operation without a result in code that it did not optimise, or converted the amount of a shift:
    /// compiling again with [`check_flags`] shows which.
    pub folded: bool,
    /// The module's assembly text, if it was asked for.
    pub assembly: Option<Assembly>,
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
    prepare(name, bytes, options, None)
}

/// Reads a module, links what the options name and a library of its own, optimises and lowers it.
fn prepare(
    name: &str,
    bytes: &[u8],
    options: &LowerOptions,
    with: Option<LibraryLink<'_>>,
) -> Result<Lowered, LoadError> {
    let module = Module::read(name, bytes)?;
    let defined = module.functions().filter(|f| !f.is_declaration());
    let own = defined.map(Value::name).collect();
    for library in &options.libraries {
        module.link(&library.name, &library.bytes)?;
    }
    if let Some(with) = with {
        link_archive::link(name, &module, with)?;
    }
    if options.optimize {
        module.optimize(name)?;
    }
    Ok(lower(&module, options, own))
}

/// Reads bitcode or assembly text, links it with a library and lowers both.
///
/// # Errors
/// As for [`load_bytes`], and if the library is damaged or does not fit the program.
pub fn load_linked(
    name: &str,
    bytes: &[u8],
    options: &LowerOptions,
    with: LibraryLink<'_>,
) -> Result<Lowered, LoadError> {
    prepare(name, bytes, options, Some(with))
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

fn lower(module: &Module, options: &LowerOptions, own: FxHashSet<String>) -> Lowered {
    let mut cx = Lowering::new(module, options);
    cx.own = own;
    let text = options.keep_assembly.then(|| module.to_text());
    if let Some(text) = &text {
        cx.places.number_lines(assembly::lines(module, text));
    }
    cx.declare();
    cx.fill_globals();
    cx.fill_prefixes();
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
    cx.forward_to_replaced_new();
    let inline = module.inline_assembly();
    if !inline.trim().is_empty() {
        cx.report("assembly outside functions", "", PlaceId::UNKNOWN);
    }
    cx.complete_prefixes();
    cx.missing_checks.unchecked_part = cx.parts.values().any(|checked| !checked);
    Lowered {
        program: cx.program,
        unsupported: cx.unsupported,
        missing_checks: cx.missing_checks.lines(options),
        folded: cx.missing_checks.folded || cx.missing_checks.hides_shift(),
        assembly: text.map(|text| Assembly {
            text,
            lines: cx.places.assembly_lines(),
        }),
    }
}
