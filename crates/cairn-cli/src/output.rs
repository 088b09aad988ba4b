//! Writing to standard output and standard error, and handling failures to do so.
//!
//! - **Standard output** is checked: every text is written and flushed before the command goes on.
//!   A reader that closed its pipe ends the command without a message ([`exit::CLOSED`]); any other
//!   failure, such as a full disk, is one sentence and [`exit::UNWRITABLE`].
//! - **Standard error** is not: a message that cannot be shown must not end a command that works, nor
//!   change its exit code.
//!
//! `print!` and its relatives panic in both cases, so this crate does not use them (a lint says so).

use crate::exit::{self, Failure};
use std::io::{self, ErrorKind, Write};

/// Prints a line to standard error; a failure to do so is ignored.
#[macro_export]
macro_rules! say {
    ($($part:tt)*) => {
        $crate::output::errors(&format!("{}\n", format_args!($($part)*)))
    };
}

/// Prints text to standard error; a failure to do so is ignored.
pub fn errors(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Prints text to standard output.
///
/// # Errors
/// If it cannot be written.
pub fn print(text: impl AsRef<[u8]>) -> Result<(), Failure> {
    print_to(&mut io::stdout().lock(), text.as_ref()).map_err(|e| unprintable(&e))
}

/// Prints a line to standard output.
///
/// # Errors
/// If it cannot be written.
pub fn print_line(text: &str) -> Result<(), Failure> {
    print(format!("{text}\n"))
}

fn print_to(out: &mut dyn Write, text: &[u8]) -> io::Result<()> {
    out.write_all(text)?;
    out.flush()
}

/// The failure of a command whose standard output cannot be written.
pub fn unprintable(error: &io::Error) -> Failure {
    let code = match error.kind() {
        ErrorKind::BrokenPipe => exit::CLOSED,
        _ => exit::UNWRITABLE,
    };
    let message = anyhow::anyhow!("standard output cannot be written: {error}");
    Failure::new(code, message)
}

/// Standard output of a program that runs on the concrete machine. As natively, a reader that closed
/// its pipe ends the program; other failures are remembered, because the program was told that its
/// output was written.
#[derive(Default)]
pub struct ProgramOutput {
    failure: Option<io::Error>,
}

impl ProgramOutput {
    /// What went wrong with the program's output, if something did.
    ///
    /// # Errors
    /// The first failure.
    pub fn finish(self) -> Result<(), Failure> {
        match self.failure {
            None => Ok(()),
            Some(error) => Err(unprintable(&error)),
        }
    }

    fn note<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result {
            match error.kind() {
                ErrorKind::Interrupted => {}
                ErrorKind::BrokenPipe => std::process::exit(exit::CLOSED.into()),
                kind => {
                    self.failure.get_or_insert_with(|| {
                        let number = error.raw_os_error();
                        number.map_or_else(|| kind.into(), io::Error::from_raw_os_error)
                    });
                }
            }
        }
        result
    }
}

impl Write for ProgramOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = io::stdout().write(bytes);
        self.note(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = io::stdout().flush();
        self.note(flushed)
    }
}
