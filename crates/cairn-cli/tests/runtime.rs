//! The string functions that are checked in as code are what their source compiles to.

use std::path::Path;
use std::process::Command;

#[test]
fn the_checked_in_code_is_up_to_date() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cairn-machine/runtime");
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join("strings.cir");
    let made = Command::new("sh")
        .arg(folder.join("make.sh"))
        .arg(&output)
        .env("CAIRN", env!("CARGO_BIN_EXE_cairn"))
        .output()
        .expect("sh runs");
    let messages = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "{messages}");
    let fresh = std::fs::read_to_string(&output).expect("it was written");
    let kept = std::fs::read_to_string(folder.join("strings.cir")).expect("it is checked in");
    assert!(
        fresh == kept,
        "crates/cairn-machine/runtime/strings.cir is not what strings.c compiles to: run make.sh"
    );
}
