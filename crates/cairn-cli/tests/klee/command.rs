//! Lines on the terminal, exit codes, words of errors.

use crate::{DIVIDES, Place, Run, SIGN};
use std::path::PathBuf;
use std::process::Command;
#[test]
fn a_run_prints_and_writes_what_klee_does() {
    let place = Place::new("plain", SIGN);
    let run = place.klee(&[]);
    assert_eq!(run.code(), 0);
    let err = run.err();
    let lines: Vec<&str> = err.lines().collect();
    let folder = place.folder.join("klee-out-0");
    let first = format!("KLEE: output directory is \"{}\"", folder.display());
    assert_eq!(lines[0], first);
    assert_eq!(lines[1], "KLEE: Using Cairn solver backend");
    assert_eq!(lines[2], "");
    assert!(lines[3].starts_with("KLEE: done: total instructions = "));
    assert_eq!(lines[4], "KLEE: done: completed paths = 3");
    assert_eq!(lines[5], "KLEE: done: partially completed paths = 0");
    assert_eq!(lines[6], "KLEE: done: generated tests = 3");
    assert_eq!(lines.len(), 7);
    assert_eq!(run.output.stdout, b"");
    for file in ["info", "messages.txt", "warnings.txt", "run.stats"] {
        assert!(place.has(&format!("klee-last/{file}")), "{file}");
    }
    assert!(place.text("klee-last/info").contains("klee p.c"));
    assert!(place.text("klee-last/messages.txt").starts_with(&first));
    let values = place.values(3);
    assert!(
        values[0] < 0 && values[1] == 0 && values[2] > 0,
        "{values:?}"
    );
    assert_eq!(place.test(1).args, [b"p.c".to_vec()]);
    // The next run has the next number, and the link leads to it.
    place.klee(&[]);
    let link = std::fs::read_link(place.folder.join("klee-last")).expect("a link");
    assert_eq!(link, PathBuf::from("klee-out-1"));
}

#[test]
fn an_error_is_named_once_with_klees_words() {
    let place = Place::new("error", DIVIDES);
    let run = place.klee(&[]);
    assert_eq!(run.code(), 0);
    let errors = run.lines("KLEE: ERROR: ");
    assert_eq!(errors.len(), 1, "{}", run.err());
    assert!(errors[0].ends_with("p.c:7: divide by zero"), "{errors:?}");
    let note = "KLEE: NOTE: now ignoring this error at this location";
    assert!(run.err().contains(note));
    assert_eq!(run.done("completed paths"), 2);
    assert_eq!(run.done("partially completed paths"), 1);
    let file = (1..=3).map(|n| format!("klee-last/test{n:06}.div.err"));
    let file = file
        .into_iter()
        .find(|f| place.has(f))
        .expect("an .err file");
    let text = place.text(&file);
    assert!(text.starts_with("Error: divide by zero\nFile: "), "{text}");
    assert!(
        text.contains("Line: 7\n") && text.contains(" in main() at "),
        "{text}"
    );
}

#[test]
fn every_kind_has_klees_words() {
    let place = Place::new(
        "kinds",
        r#"
#include <klee/klee.h>
#include <assert.h>
#include <stdlib.h>
int main(void) {
  int w;
  char buf[4];
  klee_make_symbolic(&w, sizeof w, "w");
  switch (w) {
  case 1: return buf[w + 9];
  case 2: return *(volatile int *)0;
  case 3: { char *p = malloc(4); free(p); return p[1]; }
  case 4: { char *p = malloc(4); free(p); free(p); return 0; }
  case 5: { void *p = buf; free(p); return 0; }
  case 6: ((char *)"abc")[0] = 'x'; return 0;
  case 7: abort();
  case 8: klee_assume(w == 9); return 0;
  case 9: return 1 << (w + 30);
  case 10: klee_report_error("p.c", 99, "my own words", "mine");
  case 11: assert(w == 3); return 0;
  }
  return 0;
}
"#,
    );
    let run = place.klee(&[]);
    assert_eq!(
        run.errors(),
        [
            "ASSERTION FAIL: w == 3",
            "abort failure",
            "free of alloca",
            "invalid klee_assume call (provably false)",
            "memory error: invalid pointer: free",
            "memory error: null page access",
            "memory error: object read only",
            "memory error: out of bound pointer",
            "memory error: use after free",
            "my own words",
            "overshift error",
        ],
        "{}",
        run.err()
    );
    assert_eq!(run.done("completed paths"), 1);
    assert_eq!(run.done("partially completed paths"), 11);
    let silent = place.klee(&["--silent-klee-assume", "--check-overshift=false"]);
    assert_eq!(silent.errors().len(), 9, "{}", silent.err());
}

#[test]
fn wrong_usage_ends_as_klees_does() {
    let place = Place::new("usage", SIGN);
    for words in [
        &["klee", "--max-time=soon", "p.c"][..],
        &["klee"],
        &["klee", "absent.bc"],
        &["klee", "--entry-point=absent", "p.c"],
        &["klee", "--seed-file=absent.ktest", "p.c"],
        &["klee", "--search=absent", "p.c"],
    ] {
        let run = place.cairn(words);
        assert_eq!(run.code(), 1, "{words:?}: {}", run.err());
        assert!(
            run.err().contains("KLEE: ERROR: "),
            "{words:?}: {}",
            run.err()
        );
    }
}

#[test]
fn called_as_klee_it_is_klee() {
    let place = Place::new("name", SIGN);
    let klee = place.folder.join("klee");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_cairn"), &klee).expect("a link");
    let run = Run::of(Command::new(&klee).arg("p.c").current_dir(&place.folder));
    assert_eq!(run.code(), 0, "{}", run.err());
    assert_eq!(run.done("generated tests"), 3);
    let help = Run::of(Command::new(&klee).arg("--help"));
    let text = String::from_utf8_lossy(&help.output.stdout).into_owned();
    assert!(text.contains("--only-output-states-covering-new"));
}
