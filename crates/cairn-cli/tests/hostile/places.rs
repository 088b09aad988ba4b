//! The binary works from anywhere, and says what it does not find.

use crate::command::{CAIRN, err, folder, json_in, out};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Uses musl, and asks Z3.
const PROGRAM: &str = "#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], \"ab\")) puts(\"found\");
  return 0;
}
";

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the tree is there")
}

fn start(binary: &Path, here: &Path, words: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(binary);
    for name in [
        "CAIRN_HOME",
        "CAIRN_LIBC",
        "CAIRN_CC_LIBC",
        "CAIRN_Z3_LIBRARY",
    ] {
        command.env_remove(name);
    }
    command
        .args(words)
        .envs(variables.iter().copied())
        .current_dir(here)
        .output()
        .expect("the binary was built")
}

/// A folder outside of the source tree.
fn elsewhere(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("cairn-test-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("writable");
    std::fs::write(path.join("p.c"), PROGRAM).expect("writable");
    path
}

#[test]
fn a_binary_that_was_copied_or_linked_finds_what_it_needs() {
    assert!(
        root().join(".deps/musl/libc.bca").is_file(),
        "this test needs musl: scripts/libc.sh"
    );
    let here = elsewhere("places");
    let (copy, link) = (here.join("copy"), here.join("link"));
    std::fs::copy(CAIRN, &copy).expect("it can be copied");
    std::os::unix::fs::symlink(CAIRN, &link).expect("it can be linked");
    let words = ["run", "p.c", "--json", "--sym-arg", "2"];
    let root = root();
    let home = [("CAIRN_HOME", root.to_str().expect("a text"))];
    for (binary, variables) in [(&copy, &home[..]), (&copy, &[][..]), (&link, &[][..])] {
        let done = start(binary, &here, &words, variables);
        assert_eq!(done.status.code(), Some(0), "{}", err(&done));
        assert!(json_in(&out(&done))["paths"]["completed"].as_u64() > Some(1));
        let words = [
            "run",
            "p.c",
            "--self-check",
            "--core",
            "z3",
            "--sym-arg",
            "2",
        ];
        let done = start(binary, &here, &words, variables);
        assert_eq!(done.status.code(), Some(0), "{}", err(&done));
        let done = start(binary, &here, &["cc", "p.c", "-o", "prog"], variables);
        assert_eq!((done.status.code(), err(&done).as_str()), (Some(0), ""));
        let done = start(binary, &here, &["run", "prog", "--sym-arg", "2"], variables);
        assert_eq!(done.status.code(), Some(0), "{}", err(&done));
    }
    std::fs::remove_dir_all(here).expect("it is ours");
}

#[test]
fn a_library_that_is_named_but_missing_is_said_in_a_sentence() {
    let here = folder("no-musl");
    std::fs::write(here.join("p.c"), PROGRAM).expect("writable");
    let nowhere = [("CAIRN_LIBC", "/no/such/folder")];
    for (words, code) in [
        (&["cc", "p.c", "-o", "prog"][..], 64),
        (&["run", "p.c", "--libc", "musl"], 64),
    ] {
        let done = start(Path::new(CAIRN), &here, words, &nowhere);
        assert_eq!(done.status.code(), Some(code), "{}", err(&done));
        assert_eq!(err(&done).lines().count(), 1, "{}", err(&done));
        assert!(err(&done).contains("CAIRN_LIBC"), "{}", err(&done));
    }
}

#[test]
fn a_program_that_is_linked_without_musl_says_so() {
    let here = folder("hidden-musl");
    std::fs::write(here.join("p.c"), PROGRAM).expect("writable");
    std::fs::write(here.join("conftest.c"), PROGRAM).expect("writable");
    // In a view of the files in which there is no set-up.
    let line = "mount -t tmpfs tmpfs \"$ROOT/.deps\" || exit 99; \"$CAIRN\" cc p.c -o prog; echo $?; \
                \"$CAIRN\" cc conftest.c -o probe; CAIRN_CC_LIBC=host \"$CAIRN\" cc p.c -o prog; \
                \"$CAIRN\" run p.c --libc musl; echo $?";
    let done = Command::new("unshare")
        .args(["--mount", "sh", "-c", line])
        .env("ROOT", root())
        .env("CAIRN", CAIRN)
        .env_remove("CAIRN_HOME")
        .env_remove("CAIRN_LIBC")
        .env_remove("CAIRN_CC_LIBC")
        .current_dir(&here)
        .output()
        .expect("there is unshare");
    let errors = err(&done);
    assert_ne!(
        done.status.code(),
        Some(99),
        "this test needs root: {errors}"
    );
    assert_eq!(out(&done), "0\n64\n", "{errors}");
    let said: Vec<&str> = errors.lines().collect();
    assert_eq!(said.len(), 2, "{errors}");
    assert!(
        said[0].starts_with("cairn cc: musl was not found"),
        "{errors}"
    );
    assert!(said[1].starts_with("cairn: musl was not found"), "{errors}");
}
