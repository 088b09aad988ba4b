//! Running the native compiler, with what it says and returns left as it is.

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};

/// The compiler's command.
pub fn compiler_name(for_cxx: bool) -> &'static str {
    if for_cxx { "clang++-19" } else { "clang-19" }
}

/// The compiler in place of this process. It only comes back with an error.
pub fn become_compiler(for_cxx: bool, arguments: Vec<OsString>) -> io::Error {
    Command::new(compiler_name(for_cxx)).args(arguments).exec()
}

/// Starts the compiler.
pub fn start(for_cxx: bool, arguments: Vec<OsString>, input: Option<&[u8]>) -> io::Result<Child> {
    let mut command = Command::new(compiler_name(for_cxx));
    command.args(arguments);
    if input.is_some() {
        command.stdin(Stdio::piped());
    }
    let mut child = command.spawn()?;
    feed(&mut child, input);
    Ok(child)
}

/// Gives a process its standard input. Sources that come this way are small: they fit into the pipe,
/// or the compiler reads them before it does anything else.
pub fn feed(child: &mut Child, input: Option<&[u8]>) {
    if let (Some(mut pipe), Some(input)) = (child.stdin.take(), input) {
        // A compiler that does not want it has said why.
        let _ = pipe.write_all(input);
    }
}

/// The exit code, as a shell would say it.
pub fn code(status: ExitStatus) -> u8 {
    let signal = status.signal().map(|signal| 128 + signal);
    let code = status.code().or(signal).unwrap_or(1);
    u8::try_from(code).unwrap_or(1)
}
