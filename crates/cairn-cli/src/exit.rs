//! Exit codes, as documented in the README.

/// Everything was answered.
pub const DONE: u8 = 0;
/// An error in the program was found.
pub const FOUND: u8 = 1;
/// Something was not decided.
pub const INCOMPLETE: u8 = 2;
/// Wrong usage.
pub const USAGE: u8 = 64;
/// A bad input file.
pub const BAD_INPUT: u8 = 65;
/// The program aborted: what a shell reports for the signal.
pub const ABORTED: u8 = 128 + 6;
/// A signal ended the program: what a shell reports, with the signal's number added.
pub const SIGNALLED: u8 = 128;
/// A bug in Cairn.
pub const BUG: u8 = 70;

/// An error that ends the command, with its exit code.
pub struct Failure {
    /// The exit code.
    pub code: u8,
    /// What to say.
    pub error: anyhow::Error,
}

impl Failure {
    /// An error with an exit code.
    pub fn new(code: u8, error: impl Into<anyhow::Error>) -> Self {
        Failure {
            code,
            error: error.into(),
        }
    }
}
