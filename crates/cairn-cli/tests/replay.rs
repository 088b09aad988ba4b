//! The command line of `cairn replay`, and the page of the documentation about tests.

mod pages;
mod support;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use support::{cairn_in, folder, text};

fn make(here: &Path, name: &str, objects: &[&str]) {
    let mut arguments = vec!["ktest", "--gen", name, "--arg", "program"];
    for object in objects {
        arguments.extend(["--object", object]);
    }
    let (_, errors, code) = text(&cairn_in(here, &arguments));
    assert_eq!(code, Some(0), "{errors}");
}

const PROGRAM: &str = r#"
#include <klee/klee.h>
#include <stdio.h>
int table[4];
int main(void) {
  int i = klee_range(0, 10, "i");
  printf("i is %d\n", i + LESS);
  klee_assert(i != 9);
  return table[i] == 12345 + LESS;
}
"#;

#[test]
fn each_test_gets_a_line_and_the_exit_code_sums_up() {
    let here = folder("replay-lines");
    std::fs::create_dir(here.join("out")).expect("writable");
    std::fs::write(here.join("p.c"), PROGRAM).expect("writable");
    make(&here, "out/test000001.ktest", &["i=int:1"]);
    make(&here, "out/test000002.ktest", &["i=int:9"]);
    std::fs::write(here.join("out/test000002.assert.err"), "").expect("writable");
    let good = cairn_in(&here, &["replay", "p.c", "out", "-DLESS=0", "--verbose"]);
    assert_eq!(
        text(&good),
        (
            "i is 1\ntest000001.ktest: reached: exit 0\n\
             i is 9\ntest000002.ktest: reached: assert: SIGABRT\n"
                .to_string(),
            "program: p.c:8: int main(void): Assertion `i != 9' failed.\n\
             cairn: 2 of 2 tests reached what was recorded (100%)\n"
                .to_string(),
            Some(0)
        )
    );

    // A memory error that does not crash, one that is not there, and a test of another program.
    make(&here, "out/test000003.ktest", &["i=int:4"]);
    std::fs::write(here.join("out/test000003.ptr.err"), "").expect("writable");
    make(&here, "out/test000004.ktest", &["i=int:2"]);
    std::fs::write(here.join("out/test000004.div.err"), "").expect("writable");
    make(&here, "out/test000005.ktest", &["j=int:2"]);
    let mixed = cairn_in(&here, &["replay", "p.c", "out", "-DLESS=0"]);
    assert_eq!(
        text(&mixed),
        (
            "test000001.ktest: reached: exit 0\n\
             test000002.ktest: reached: assert: SIGABRT\n\
             test000003.ktest: not confirmed (build with --sanitize address): exit 0; recorded ptr\n\
             test000004.ktest: not reached: exit 0; recorded div\n\
             test000005.ktest: not reached: the test has no object i left: the program took another \
             path; recorded a normal end\n"
                .to_string(),
            "cairn: 2 of 5 tests reached what was recorded (40%), 1 not confirmed\n".to_string(),
            Some(1)
        )
    );
    let sanitized = cairn_in(
        &here,
        &[
            "replay",
            "p.c",
            "out/test000003.ktest",
            "-DLESS=0",
            "--sanitize",
            "address",
        ],
    );
    let line =
        "test000003.ktest: reached: ptr: sanitizer: AddressSanitizer: global-buffer-overflow\n";
    assert_eq!(text(&sanitized), (line.to_string(), String::new(), Some(0)));
}

#[test]
fn what_cannot_be_replayed_is_one_sentence() {
    let here = folder("replay-bad");
    std::fs::create_dir(here.join("out")).expect("writable");
    std::fs::write(here.join("p.c"), PROGRAM).expect("writable");
    std::fs::write(here.join("out/bad.ktest"), "KTEST").expect("writable");
    make(&here, "good.ktest", &["i=int:1"]);
    let bad = cairn_in(
        &here,
        &["replay", "p.c", "out/bad.ktest", "good.ktest", "-DLESS=0"],
    );
    let (output, errors, code) = text(&bad);
    assert_eq!(
        (&*output, code),
        ("good.ktest: reached: exit 0\n", Some(65))
    );
    assert!(
        errors.starts_with("cairn: out/bad.ktest: offset 5: expected the version (4 bytes)"),
        "{errors}"
    );

    let unbuilt = text(&cairn_in(&here, &["replay", "p.c", "good.ktest"]));
    assert_eq!(unbuilt.2, Some(65));
    assert!(
        unbuilt.1.contains("use of undeclared identifier 'LESS'"),
        "{}",
        unbuilt.1
    );
    for (arguments, code, expected) in [
        (
            vec!["replay", "no.c", "good.ktest"],
            65,
            "no.c: No such file",
        ),
        (vec!["replay", "p.c", "."], 0, ""),
        (
            vec!["replay", "good.ktest", "good.ktest"],
            65,
            "expected a program",
        ),
        (vec!["replay", "p.c"], 64, "required"),
        (
            vec!["replay", "p.c", "good.ktest", "--timeout", "soon"],
            64,
            "for example 60s",
        ),
    ] {
        let arguments: Vec<&str> = arguments.into_iter().chain(["-DLESS=0"]).collect();
        let (_, errors, found) = text(&cairn_in(&here, &arguments));
        assert_eq!(found, Some(code), "{arguments:?}: {errors}");
        assert!(errors.contains(expected), "{errors}");
    }
}

#[test]
fn the_debugger_gets_the_program_and_the_test() {
    let here = folder("replay-gdb");
    std::fs::write(here.join("p.c"), PROGRAM).expect("writable");
    make(&here, "t.ktest", &["i=int:1"]);
    // A debugger that says what it was given.
    let gdb = here.join("gdb");
    let script =
        "#!/bin/sh\necho \"$1 $KTEST_FILE\"\nshift\n\"$@\"\necho \"$1\" > program\nexit 5\n";
    std::fs::write(&gdb, script).expect("writable");
    std::fs::set_permissions(&gdb, std::fs::Permissions::from_mode(0o755)).expect("ours");
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new(env!("CARGO_BIN_EXE_cairn"))
        .args(["replay", "p.c", "t.ktest", "-DLESS=0", "--gdb"])
        .current_dir(&here)
        .env("PATH", format!("{}:{path}", here.display()))
        .stdin(Stdio::null())
        .output()
        .expect("the binary was built");
    let expected = format!("--args {}\ni is 1\n", here.join("t.ktest").display());
    assert_eq!(text(&output), (expected, String::new(), Some(5)));
    let program = std::fs::read_to_string(here.join("program")).expect("it was said");
    assert!(
        !Path::new(program.trim_end()).exists(),
        "what was built is removed"
    );
}

#[test]
fn run_finds_the_headers_without_flags() {
    let here = folder("replay-headers");
    let program =
        "#include <klee/klee.h>\n#include <cairn/cairn.h>\nint main(void) { return 6; }\n";
    for name in ["h.c", "h.cc"] {
        std::fs::write(here.join(name), program).expect("writable");
        let (_, errors, code) = text(&cairn_in(&here, &["run", "--concrete", name]));
        assert_eq!(code, Some(6), "{errors}");
    }
}

#[test]
fn the_page_about_tests_shows_what_happens() {
    let commands = pages::follow("tests.md", &folder("replay-page"));
    assert!(commands >= 5, "the page has commands");
}
