//! Functions of the C library as code, for arguments that are not known.
//!
//! A native (`natives/`) needs every byte that it looks at. For the string functions,
//! conversions of numbers, character classes, sorting and searching there is also code in the
//! program form, compiled from `runtime/strings.c`: it runs on whatever values the machine has, and
//! decides byte by byte. It gives what the native of the same name gives; the tests compare them.

use cairn_ir::{LinkError, Program};

/// What the names of these functions start with in a program that they are linked into:
/// `cairn.runtime.strlen`. No name in C has a dot.
pub const RUNTIME_PREFIX: &str = "cairn.runtime.";

/// The functions as a program in text form.
pub fn runtime() -> &'static str {
    include_str!("../runtime/strings.cir")
}

/// Adds the functions to a program, under names with [`RUNTIME_PREFIX`]. They call `malloc`, `free`
/// and `__errno_location` of the program; what of these it does not have is declared.
///
/// # Errors
/// If the program has one of these three with another type. It is not changed then.
pub fn link_runtime(program: &mut Program) -> Result<(), LinkError> {
    let code = cairn_ir::text::parse(runtime()).expect("the runtime is tested to parse");
    program.link(code, RUNTIME_PREFIX)
}
