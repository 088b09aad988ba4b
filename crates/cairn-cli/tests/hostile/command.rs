//! Running the binary with streams, limits and signals as a shell would set them up.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The binary.
pub const CAIRN: &str = env!("CARGO_BIN_EXE_cairn");

/// Two ends and one error.
pub const PROGRAM: &str = "#include <klee/klee.h>
#include <assert.h>
int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, 1, \"x\");
  if (x < 9) return 1;
  assert(x != 77);
  return 0;
}
";

/// An empty folder for a test.
pub fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("hostile-{name}"));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("the folder is writable");
    path
}

/// A folder with the program `p.c`.
pub fn folder_with_program(name: &str) -> PathBuf {
    let here = folder(name);
    std::fs::write(here.join("p.c"), PROGRAM).expect("writable");
    here
}

/// A line for the shell in a folder, in which `cairn` is the binary.
pub fn shell(here: &Path, line: &str) -> Output {
    Command::new("bash")
        .arg("-c")
        .arg(format!("cairn() {{ \"$CAIRN\" \"$@\"; }}; {line}"))
        .env("CAIRN", CAIRN)
        .current_dir(here)
        .stdin(Stdio::null())
        .output()
        .expect("there is a shell")
}

/// Standard output as text.
pub fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Standard error as text.
pub fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The JSON document in a text that has other lines before it.
pub fn json_in(text: &str) -> serde_json::Value {
    let begin = text
        .find("{\n")
        .unwrap_or_else(|| panic!("no document in {text}"));
    serde_json::from_str(&text[begin..]).unwrap_or_else(|e| panic!("{e} in {text}"))
}
