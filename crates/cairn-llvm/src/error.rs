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
    /// The module does not go with those that it is linked with.
    #[error("{file}: cannot be linked with the other parts: {message}")]
    Link {
        /// The module.
        file: String,
        /// What LLVM's linker says.
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
