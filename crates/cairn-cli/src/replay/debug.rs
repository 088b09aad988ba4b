//! `cairn replay --gdb`: one test under the debugger.

use super::{Variables, bad};
use crate::exit::{self, Failure};
use crate::ktest;
use crate::say;
use cairn_replay::{LaidOutTest, NativeProgram, RunOptions};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

/// Starts the debugger in our place: an interrupt at the terminal is then its own matter. What was
/// built and laid out is removed when it ends.
const DEBUG: &str = r#"
command -v gdb >/dev/null || {
  echo "cairn: gdb is not there; install it, for example with: apt-get install gdb" >&2
  exit 65
}
trap : INT
gdb "$@"
code=$?
rm -rf "$CAIRN_REPLAY_SCRATCH"
exit $code
"#;

/// Starts the debugger on the one test given.
pub fn debug(
    native: &NativeProgram,
    tests: &[PathBuf],
    variables: Variables,
) -> Result<u8, Failure> {
    let [file] = tests else {
        let message = anyhow::anyhow!("--gdb: expected one test, found {}", tests.len());
        return Err(Failure::new(exit::USAGE, message));
    };
    let test = ktest::read(file)?;
    let options = RunOptions {
        variables: variables.clone(),
        ..RunOptions::default()
    };
    let folder = native.new_folder().map_err(|e| bad(file, e))?;
    let prepared = native
        .prepare(&test, &folder, &options)
        .map_err(|e| Failure::new(exit::BAD_INPUT, e))?;
    for note in &prepared.notes {
        say!("cairn: {}: {note}", file.display());
    }
    let mut command = Command::new("sh");
    command.args(["-c", DEBUG, "sh"]);
    if prepared.folder.is_some() {
        for words in debugger_commands(&prepared) {
            command.arg("-ex").arg(words);
        }
    } else {
        let absolute = std::path::absolute(file).map_err(|e| bad(file, e))?;
        command.envs(variables).env("KTEST_FILE", absolute);
    }
    let failed = command
        .arg("--args")
        .arg(native.executable())
        .args(&prepared.arguments)
        .env("CAIRN_REPLAY_SCRATCH", native.scratch_folder())
        .exec();
    let failed = anyhow::Error::from(failed).context("sh cannot be started");
    Err(Failure::new(exit::BAD_INPUT, failed))
}

/// What gives a program under the debugger its folder, standard input and variables. The debugger
/// puts the wrapper's words before the program's in a line for the shell.
fn debugger_commands(prepared: &LaidOutTest) -> Vec<OsString> {
    let mut commands = Vec::new();
    if let Some(folder) = &prepared.folder {
        let mut command = OsString::from("set cwd ");
        command.push(folder);
        commands.push(command);
    }
    let mut wrapper = OsString::from("set exec-wrapper <");
    match &prepared.input {
        Some(input) => wrapper.push(shell_word(input.as_os_str())),
        None => wrapper.push("/dev/null"),
    }
    wrapper.push(" env -i");
    for (name, value) in &prepared.variables {
        let mut variable = name.clone();
        variable.push("=");
        variable.push(value);
        wrapper.push(" ");
        wrapper.push(shell_word(&variable));
    }
    commands.push(wrapper);
    commands
}

/// A word that the shell takes as it is.
fn shell_word(word: &OsStr) -> OsString {
    let mut quoted = vec![b'\''];
    for byte in word.as_bytes() {
        match byte {
            b'\'' => quoted.extend_from_slice(b"'\\''"),
            _ => quoted.push(*byte),
        }
    }
    quoted.push(b'\'');
    OsString::from_vec(quoted)
}
