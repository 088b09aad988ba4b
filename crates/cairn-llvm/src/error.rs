//! Why a program cannot be read or compiled: one sentence each.

use thiserror::Error;

/// Why a file cannot be loaded.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The file cannot be read.
    #[error("{file}: {source}")]
    Read {
        /// The file.
        file: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// The content is not a valid module.
    #[error("{file}: not a valid LLVM module: {message}")]
    Invalid {
        /// The file, with line and column if they are known.
        file: String,
        /// What is wrong.
        message: String,
    },
    /// LLVM's optimiser failed.
    #[error("{file}: cannot be optimised: {message}")]
    Optimize {
        /// The file.
        file: String,
        /// What LLVM says.
        message: String,
    },
    /// The module is for another machine.
    #[error("{file}: compiled for {target}, but only x86-64 is supported")]
    Target {
        /// The file.
        file: String,
        /// What it is for.
        target: String,
    },
    /// The module's pointers have a width that is not supported.
    #[error("{file}: its pointers have {bytes} bytes, but only pointers of 8 bytes are supported")]
    PointerWidth {
        /// The file.
        file: String,
        /// Bytes of a pointer.
        bytes: u32,
    },
    /// A library is no archive.
    #[error("{file}: no archive with a table of symbols; run scripts/libc.sh again")]
    Archive {
        /// The file.
        file: String,
    },
    /// Modules do not fit together.
    #[error("{file}: cannot be linked: {message}")]
    Linking {
        /// The program or the library.
        file: String,
        /// What LLVM says.
        message: String,
    },
    /// A program reaches into the files of another library.
    #[error(
        "{file}: uses {symbol}, which is the inside of a FILE in glibc; compile it with the headers \
         of musl to link it with musl"
    )]
    InsideFile {
        /// The program.
        file: String,
        /// The function or variable.
        symbol: String,
    },
}

/// Why a source file cannot be compiled.
#[derive(Debug, Error)]
pub enum CompileError {
    /// The compiler is not installed.
    #[error("{compiler} not found; on Debian it is in the package clang-19")]
    Missing {
        /// Its command.
        compiler: String,
    },
    /// The compiler could not be started.
    #[error("{compiler}: {source}")]
    Start {
        /// Its command.
        compiler: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// The compiler did not come to an end in time, and was ended.
    #[error("{file}: {compiler} was still compiling when the time was over")]
    OutOfTime {
        /// The source.
        file: String,
        /// The compiler's command.
        compiler: String,
    },
    /// The compiler refused the source.
    #[error("{file}: {compiler} failed\n{messages}")]
    Failed {
        /// The source.
        file: String,
        /// The compiler's command.
        compiler: String,
        /// What it says.
        messages: String,
    },
}
