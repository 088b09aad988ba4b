//! Exit codes, as documented in docs/command-line.md. What one means depends on the command.

/// `run`: everything was explored and nothing is wrong. `solve`: every check was answered. `replay`: every test reached what was
/// recorded.
pub const DONE: u8 = 0;
/// `run`: an error in the program was found. `replay`: a test did not reach what was recorded.
pub const FOUND: u8 = 1;
/// `run`: nothing was found, but something was left out ([`cairn_report::Summary::is_partial`]). `solve`: a check was unknown.
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
/// Results could not be written: a full disk, a file size limit, a device that failed.
pub const UNWRITABLE: u8 = 74;
/// The reader of standard output closed its pipe: what a shell reports for SIGPIPE. No message is printed.
pub const CLOSED: u8 = SIGNALLED + 13;

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

    /// A file of results that could not be written; the sentence names it.
    pub fn unwritable(file: &std::path::Path, error: &std::io::Error) -> Self {
        let message = anyhow::anyhow!("{} cannot be written: {error}", file.display());
        Failure::new(write_code(error), message)
    }

    /// Says what went wrong, on standard error. A closed pipe is not worth a word.
    pub fn say(&self) {
        if self.code != CLOSED {
            crate::say!("cairn: {}", self.text());
        }
    }

    /// The error and its causes, each once: many sentences end with what the system said already.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for cause in self.error.chain().map(ToString::to_string) {
            if text.is_empty() {
                text = cause;
            } else if !text.contains(&cause) {
                text = format!("{text}: {cause}");
            }
        }
        crate::hints::with_hint(&text)
    }
}

/// The exit code for a file that could not be written: a name that cannot be one is wrong usage,
/// everything else is a result that is lost.
pub fn write_code(error: &std::io::Error) -> u8 {
    use std::io::ErrorKind::{
        AlreadyExists, InvalidFilename, InvalidInput, IsADirectory, NotADirectory, NotFound,
        PermissionDenied,
    };
    match error.kind() {
        AlreadyExists | InvalidFilename | InvalidInput | IsADirectory | NotADirectory
        | NotFound | PermissionDenied => USAGE,
        _ => UNWRITABLE,
    }
}
