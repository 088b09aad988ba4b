//! `cairn replay` on whole programs: tests with arguments, files and standard input, made by hand.

mod support;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use support::{cairn_in, text};

fn make(here: &Path, arguments: &[&str]) {
    let (output, errors, code) = text(&cairn_in(here, arguments));
    assert_eq!((&*output, &*errors, code), ("", "", Some(0)));
}

fn write(here: &Path, name: &str, content: &str) {
    std::fs::write(here.join(name), content).expect("the folder is writable");
}

/// Counts words, of standard input or of a file.
const WC: &str = r#"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
  FILE *file = argc > 1 ? fopen(argv[1], "r") : stdin;
  if (!file) {
    fprintf(stderr, "%s: %s: %s\n", argv[0], argv[1], strerror(errno));
    return 1;
  }
  int words = 0, inside = 0, byte;
  while ((byte = getc(file)) != EOF) {
    if (byte == '!')
      abort();
    words += !isspace(byte) && !inside;
    inside = !isspace(byte);
  }
  printf("%d\n", words);
  if (getenv("LOUD"))
    printf("%s\n", getenv("LOUD"));
  return 0;
}
"#;

/// A folder with the program, built natively, and a folder of tests.
fn folder(name: &str) -> PathBuf {
    let here = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&here);
    std::fs::create_dir_all(here.join("out")).expect("the folder is writable");
    write(&here, "wc.c", WC);
    write(&here, "three", "one two\nthree\n");
    let built = Command::new("clang-19")
        .args(["wc.c", "-g", "-o", "wc"])
        .current_dir(&here)
        .status();
    assert!(built.is_ok_and(|status| status.success()));
    here
}

#[test]
fn each_test_is_compared_with_what_was_recorded() {
    let here = folder("replay-whole");
    let generate = ["ktest", "--arg", "wc", "--gen"];
    let gen_test = |rest: &[&str]| make(&here, &[&generate[..], rest].concat());
    gen_test(&["out/test000001.ktest", "--sym-stdin", "three"]);
    write(
        &here,
        "out/test000001.expect",
        r#"{"exit": 0, "stdout": "3\n", "stderr": ""}"#,
    );
    gen_test(&["out/test000002.ktest", "--sym-file", "three", "--", "A"]);
    write(
        &here,
        "out/test000002.expect",
        r#"{"exit": 0, "stdout": "3\n"}"#,
    );
    gen_test(&["out/test000003.ktest", "--", "C"]);
    let missing = r#"{"exit": 1, "stdout": "", "stderr": "wc: C: not there\n"}"#;
    write(&here, "out/test000003.expect", missing);
    write(&here, "bang", "!");
    gen_test(&["out/test000004.ktest", "--sym-stdin", "bang"]);
    write(&here, "out/test000004.abort.err", "");
    let lines = "test000001.ktest: reached: exit 0\n\
                 test000002.ktest: reached: exit 0\n\
                 test000003.ktest: reached: exit 1; stderr differs at byte 7: expected \
                 \"not there\\n\", found \"No such file or \"\n\
                 test000004.ktest: reached: abort: SIGABRT\n";
    let total = "cairn: 4 of 4 tests reached what was recorded (100%)\n";
    // The executable, and the source.
    for program in ["./wc", "wc.c"] {
        let replayed = text(&cairn_in(&here, &["replay", program, "out"]));
        assert_eq!(replayed, (lines.to_string(), total.to_string(), Some(0)));
    }
    let strict = text(&cairn_in(
        &here,
        &["replay", "wc", "out/test000003.ktest", "--strict"],
    ));
    assert!(
        strict
            .0
            .contains("test000003.ktest: not reached: exit 1; stderr differs")
    );
    assert_eq!(strict.2, Some(1));

    // What differs.
    write(
        &here,
        "out/test000001.expect",
        r#"{"exit": 0, "stdout": "4\n"}"#,
    );
    write(
        &here,
        "out/test000002.expect",
        r#"{"exit": 7, "stdout": "3\n"}"#,
    );
    gen_test(&["out/test000005.ktest", "--arg", "--sym-arg"]);
    let lines = "test000001.ktest: not reached: exit 0; stdout differs at byte 0: expected \
                 \"4\\n\", found \"3\\n\"\n\
                 test000002.ktest: not reached: exit 0; recorded exit 7\n\
                 test000004.ktest: reached: abort: SIGABRT\n\
                 test000005.ktest: not reached: --sym-arg: expected a length after it in the \
                 arguments of the test\n";
    std::fs::remove_file(here.join("out/test000003.ktest")).expect("it is there");
    let total = "cairn: 1 of 4 tests reached what was recorded (25%)\n";
    let replayed = text(&cairn_in(&here, &["replay", "wc", "out"]));
    assert_eq!(replayed, (lines.to_string(), total.to_string(), Some(1)));

    let (json, errors, code) = text(&cairn_in(&here, &["replay", "wc", "out", "--json"]));
    assert_eq!((&*errors, code), ("", Some(1)));
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(json["reached"], 1);
    assert_eq!(json["total"], 4);
    assert_eq!(json["rate"], 0.25);
    assert_eq!(
        json["tests"][0],
        serde_json::json!({
            "test": "out/test000001.ktest",
            "verdict": "not reached",
            "end": "exit 0",
            "recorded": "exit 0",
            "differences": ["stdout differs at byte 0: expected \"4\\n\", found \"3\\n\""],
        })
    );
}

#[test]
fn variables_time_and_bad_records() {
    let here = folder("replay-whole-variables");
    let generate = ["ktest", "--gen", "t.ktest", "--sym-stdin", "three"];
    make(&here, &generate);
    write(&here, "t.expect", r#"{"exit": 0, "stdout": "3\nyes=no\n"}"#);
    let run = |more: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_cairn"))
            .args(["replay", "wc", "t.ktest"])
            .args(more)
            .current_dir(&here)
            .env("LOUD", "from outside")
            .stdin(Stdio::null())
            .output();
        text(&output.expect("the binary was built"))
    };
    let (lines, _, code) = run(&[]);
    assert!(
        lines.contains("differs at byte 2: expected \"yes=no\\n\", found its end"),
        "{lines}"
    );
    assert_eq!(code, Some(1));
    let (lines, _, code) = run(&["--env", "LOUD=yes=no"]);
    assert_eq!((&*lines, code), ("t.ktest: reached: exit 0\n", Some(0)));
    let (_, errors, code) = run(&["--env", "LOUD"]);
    assert_eq!(
        (&*errors, code),
        ("cairn: --env LOUD: expected NAME=VALUE\n", Some(64))
    );

    write(&here, "t.expect", r#"{"exits": 0}"#);
    let (lines, errors, code) = run(&[]);
    let sentence = "cairn: t.expect: key exits: expected one of exit, signal, stdout, stderr, sockets and \
                    cut\n";
    assert_eq!((&*lines, &*errors, code), ("", sentence, Some(65)));

    write(&here, "forever.c", "int main(void) { for (;;) ; }");
    std::fs::remove_file(here.join("t.expect")).expect("it is there");
    let late = cairn_in(
        &here,
        &["replay", "forever.c", "t.ktest", "--timeout", "200ms"],
    );
    let line = "t.ktest: not reached: still running after 200ms; recorded a normal end\n";
    assert_eq!(text(&late), (line.to_string(), String::new(), Some(1)));
}

#[test]
fn the_debugger_runs_the_program_with_its_folder_and_input() {
    let here = folder("replay-whole-gdb");
    let generate = [
        "ktest",
        "--gen",
        "t.ktest",
        "--sym-stdin",
        "three",
        "--sym-file",
        "wc.c",
    ];
    make(&here, &[&generate[..], &["--", "it's"]].concat());
    // A debugger that says what it was given, and what is there while it runs.
    let script = "#!/bin/sh\nwhile [ \"$1\" = -ex ]; do\n  case \"$2\" in\n  \
                  \"set cwd \"*) ls \"${2#set cwd }\"; echo \"${2#set cwd }\" > folder;;\n  \
                  \"set exec-wrapper <\"*) echo \"${2##*/}\";;\n  esac\n  shift 2\ndone\n\
                  echo \"$1 ${2##*/} $3\"\nexit 5\n";
    let gdb = here.join("gdb");
    write(&here, "gdb", script);
    std::fs::set_permissions(&gdb, std::fs::Permissions::from_mode(0o755)).expect("ours");
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new(env!("CARGO_BIN_EXE_cairn"))
        .args(["replay", "wc", "t.ktest", "--gdb", "--env", "X=it's"])
        .current_dir(&here)
        .env("PATH", format!("{}:{path}", here.display()))
        .stdin(Stdio::null())
        .output()
        .expect("the binary was built");
    let expected = "A\nstdin' env -i 'X=it'\\''s'\n--args wc it's\n";
    assert_eq!(
        text(&output),
        (expected.to_string(), String::new(), Some(5))
    );
    let folder = std::fs::read_to_string(here.join("folder")).expect("it was said");
    assert!(!Path::new(folder.trim_end()).exists(), "it is removed");
}

#[test]
fn tests_of_whole_programs_are_made_from_files() {
    let here = folder("replay-whole-gen");
    write(&here, "short", "s");
    let generate = [
        "ktest",
        "--gen",
        "t.ktest",
        "--arg",
        "p",
        "--arg",
        "-v",
        "--sym-file",
        "three",
        "--sym-file",
        "short",
        "--object",
        "x=int8:1",
        "--",
        "-a",
    ];
    let (_, errors, code) = text(&cairn_in(&here, &generate));
    assert_eq!(code, Some(0));
    assert_eq!(
        errors,
        "cairn: short: zeros were added up to 14 bytes, the length of the longest file\n"
    );
    let (printed, _, _) = text(&cairn_in(&here, &["ktest", "t.ktest"]));
    assert!(printed.starts_with(
        "ktest file : 't.ktest'\nargs       : ['p', '-v', '--sym-arg', '2', '--sym-files', '2', \
         '14']\nnum objects: 7\nobject 0: name: 'arg00'\nobject 0: size: 3\n"
    ), "{printed}");
    let names: Vec<&str> = printed
        .lines()
        .filter_map(|line| line.split_once("name: "))
        .map(|p| p.1)
        .collect();
    assert_eq!(
        names,
        [
            "'arg00'",
            "'A-data'",
            "'A-data-stat'",
            "'B-data'",
            "'B-data-stat'",
            "'model_version'",
            "'x'"
        ]
    );
    let (_, errors, code) = text(&cairn_in(
        &here,
        &["ktest", "--gen", "u", "--sym-stdin", "none"],
    ));
    assert_eq!(code, Some(65));
    assert!(errors.starts_with("cairn: none: No such file"), "{errors}");
    let (_, _, code) = text(&cairn_in(
        &here,
        &["ktest", "t.ktest", "--sym-stdin", "three"],
    ));
    assert_eq!(code, Some(64));
}
