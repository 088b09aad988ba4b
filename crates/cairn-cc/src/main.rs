//! The program `cairn-cc`: `cairn cc` without the rest of Cairn, which starts faster. Called as
//! `cairn-c++` it is `cairn c++`.

#![deny(clippy::print_stdout, clippy::print_stderr)]

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args_os();
    let called = words.next().unwrap_or_default();
    let for_cxx = Path::new(&called)
        .file_name()
        .is_some_and(|name| name == "cairn-c++");
    let arguments: Vec<OsString> = words.collect();
    match cairn_cc::run(&arguments, for_cxx) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            // A message that cannot be shown must not change the exit code.
            let _ = writeln!(std::io::stderr(), "cairn: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}
