//! Compiler drivers whose programs carry their bitcode, and the way back to it.
//!
//! - [`run`] is a compiler for C or C++: clang, and bitcode in a section of each object.
//! - [`parts`] takes the bitcode out of a program or object; [`LinkedFile`] says what a file is.
//!
//! It knows no LLVM library: the driver runs a thousand times in a build, and loading that library takes
//! half as long as compiling a small file. So there is also a program of its own for it, `cairn-cc`.

#![deny(clippy::print_stdout, clippy::print_stderr)]

/// Prints a line to standard error. `eprintln!` panics where it cannot be written, and a message that
/// cannot be shown must not end a build.
macro_rules! say {
    ($($part:tt)*) => {{
        let line = format!("{}\n", format_args!($($part)*));
        let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
    }};
}

mod attach;
mod driver;
mod elf;
mod error;
mod flags;
mod frame;
mod native;
mod response;
mod shelf;
mod step;
mod sysroot;
mod words;

pub use driver::run;
pub use elf::{LinkedFile, parts};
pub use error::DriverError;
pub use frame::{BitcodeFrame, FrameContent, LinkedLibrary};
