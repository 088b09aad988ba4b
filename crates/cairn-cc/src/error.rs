//! Why a driver cannot do its work, apart from what the compiler itself says: one sentence each.

use std::io;
use thiserror::Error;

/// Why a driver failed.
#[derive(Debug, Error)]
pub enum DriverError {
    /// A variable of the environment has a value that means nothing.
    #[error("{variable}={value}: {expected}")]
    Variable {
        /// Its name.
        variable: &'static str,
        /// What it says.
        value: String,
        /// What was expected, and what to do.
        expected: String,
    },
    /// The compiler is missing or cannot be started.
    #[error("{compiler} cannot be started ({source}); on Debian it is in the package clang-19")]
    Compiler {
        /// Its command.
        compiler: &'static str,
        /// What the system says.
        source: io::Error,
    },
    /// Standard input cannot be read.
    #[error("standard input cannot be read: {0}")]
    Input(io::Error),
    /// There is no room for files that are needed for a while.
    #[error("no room to link: {0}")]
    Scratch(io::Error),
    /// An object was written, but cannot be changed.
    #[error("{file}: the bitcode cannot be put in: {source}")]
    Attach {
        /// The object.
        file: String,
        /// What the system says.
        source: io::Error,
    },
}

impl DriverError {
    /// The exit code: 64 for what the user said, 65 for files, 74 for a disk that is full.
    pub fn exit_code(&self) -> u8 {
        match self {
            DriverError::Variable { .. } | DriverError::Compiler { .. } | DriverError::Input(_) => {
                64
            }
            DriverError::Scratch(source) | DriverError::Attach { source, .. } => {
                match source.kind() {
                    io::ErrorKind::StorageFull
                    | io::ErrorKind::QuotaExceeded
                    | io::ErrorKind::FileTooLarge => 74,
                    _ => 65,
                }
            }
        }
    }
}
