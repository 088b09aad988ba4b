//! Errors in a text, with their position.

/// A place in a text, counted from one; columns count bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TextPosition {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// A text that could not be read: the place and one sentence.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct TextError {
    /// The line, counted from one.
    pub line: u32,
    /// The byte in the line, counted from one.
    pub column: u32,
    /// The message: what was found and what was expected.
    pub message: String,
    /// Whether nothing after this place can be read: the text ends inside a command, or the
    /// source failed. Otherwise a reader may go on with the next command.
    pub fatal: bool,
}

impl TextError {
    /// An error inside one command.
    pub(crate) fn new(at: TextPosition, message: impl Into<String>) -> Self {
        TextError {
            line: at.line,
            column: at.column,
            message: message.into(),
            fatal: false,
        }
    }

    /// An error after which nothing can be read.
    pub(crate) fn fatal_at(at: TextPosition, message: impl Into<String>) -> Self {
        TextError {
            fatal: true,
            ..Self::new(at, message)
        }
    }
}

/// A piece of the input for a message: as text, and not too long.
pub(crate) fn shown(bytes: &[u8]) -> String {
    const LONGEST: usize = 60;
    if bytes.len() <= LONGEST {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    format!("{}...", String::from_utf8_lossy(&bytes[..LONGEST]))
}
