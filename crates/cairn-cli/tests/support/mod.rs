//! What the tests of the command share: running it, folders, and what it said.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The root of the source tree, where the set-up is.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// An empty folder of this name.
pub fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("the folder is writable");
    path
}

/// Runs `cairn`.
pub fn cairn(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cairn"))
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("the binary was built")
}

/// Runs `cairn` in a folder, with the set-up of this source tree.
pub fn cairn_in(here: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cairn"))
        .args(arguments)
        .current_dir(here)
        .env("CAIRN_HOME", root())
        .stdin(Stdio::null())
        .output()
        .expect("the binary was built")
}

/// Standard output.
pub fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Standard error.
pub fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The exit code.
pub fn code(output: &Output) -> i32 {
    output.status.code().expect("no signal")
}

/// Standard output, standard error and the exit code, if there is one.
pub fn text(output: &Output) -> (String, String, Option<i32>) {
    (out(output), err(output), output.status.code())
}
