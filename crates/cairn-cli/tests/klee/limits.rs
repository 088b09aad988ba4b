//! Searchers, limits, and which errors end a run.

use crate::{DIVIDES, Place};
#[test]
fn searchers_limits_and_output_have_effect() {
    let place = Place::new(
        "limits",
        r#"
#include <klee/klee.h>
int main(void) {
  unsigned char b[8];
  int n = 0;
  klee_make_symbolic(b, sizeof b, "b");
  for (int i = 0; i < 8; i++)
    if (b[i] > 100) n++;
  return n;
}
"#,
    );
    for search in [
        "dfs",
        "bfs",
        "random-state",
        "random-path",
        "nurs:covnew",
        "nurs:md2u",
    ] {
        let search = format!("--search={search}");
        let run = place.klee(&[&search, "--output-dir=out", "--use-batching-search"]);
        assert_eq!(run.done("completed paths"), 256, "{search}: {}", run.err());
        assert!(place.has("out/test000256.ktest") && !place.has("klee-out-0"));
        std::fs::remove_dir_all(place.folder.join("out")).expect("it was written");
    }
    let run = place.klee(&["--write-no-tests"]);
    assert_eq!(
        (run.done("completed paths"), run.done("generated tests")),
        (256, 0)
    );
    assert!(!place.has("klee-last/test000001.ktest"));
    let run = place.klee(&["--max-tests=5", "--dump-states-on-halt=false"]);
    assert_eq!(run.done("generated tests"), 5, "{}", run.err());
    let run = place.klee(&["--max-depth=3", "--search=dfs"]);
    assert_eq!(run.done("completed paths"), 8, "{}", run.err());
    // What a limit ends gets a test too.
    let run = place.klee(&["--search=bfs", "--max-instructions=2000"]);
    assert!(run.done("partially completed paths") > 0, "{}", run.err());
    // A way that was just being asked about has none.
    let all = run.done("completed paths") + run.done("partially completed paths");
    assert!(run.done("generated tests") + 1 >= all, "{}", run.err());
    assert!(place.has("klee-last/test000001.early"));
    assert!(
        run.err().contains("KLEE: halting execution"),
        "{}",
        run.err()
    );
}

#[test]
fn errors_end_the_run_where_asked() {
    let program = r#"
#include <klee/klee.h>
#include <stdlib.h>
int main(void) {
  int a;
  klee_make_symbolic(&a, sizeof a, "a");
  for (int i = 0; i < 50; i++)
    if (a == i) {
      if (i == 3) abort();
      if (i == 6) return 10 / (a - 6);
      return i;
    }
  return 0;
}
"#;
    let place = Place::new("exit-on", program);
    let all = place.klee(&["--search=dfs"]);
    assert_eq!(all.errors(), ["abort failure", "divide by zero"]);
    assert_eq!(all.done("completed paths"), 49);
    for flag in [
        "--exit-on-error",
        "--exit-on-error-type=Abort",
        "--exit-on-error-type=assert,abort",
    ] {
        let run = place.klee(&[flag, "--search=dfs"]);
        assert_eq!(run.code(), 0);
        assert!(run.done("completed paths") < 49, "{flag}: {}", run.err());
    }
    let run = place.klee(&["--exit-on-error-type=Ptr"]);
    assert_eq!(run.errors(), ["abort failure", "divide by zero"]);
    assert_eq!(run.done("completed paths"), 49);
}

#[test]
fn checks_can_be_turned_off_and_errors_all_be_reported() {
    let place = Place::new("checks", DIVIDES);
    let run = place.klee(&["--check-div-zero=false"]);
    assert!(run.errors().is_empty(), "{}", run.err());
    assert_eq!(run.done("completed paths"), 2);
    let place = Place::new(
        "all-errors",
        r#"
#include <klee/klee.h>
int main(void) {
  int a, b;
  klee_make_symbolic(&a, sizeof a, "a");
  klee_make_symbolic(&b, sizeof b, "b");
  int c = 0;
  if (a) c = 1;
  return c / b;
}
"#,
    );
    let run = place.klee(&[]);
    assert_eq!(run.errors().len(), 1);
    let run = place.klee(&["--emit-all-errors"]);
    assert_eq!(run.errors().len(), 2);
    assert!(!run.err().contains("now ignoring"));
}

#[test]
fn searchers_by_count_prefer_what_ran_seldom() {
    let place = Place::new(
        "counts",
        r#"
#include <klee/klee.h>
static int rare(const unsigned char *c) {
  if (c[1] != 'a') return 1;
  if (c[2] != 'b') return 2;
  if (c[3] != 'c') return 3;
  if (c[4] != 'd') return 4;
  if (c[5] != 'e') return 5;
  klee_assert(0);
  return 0;
}
int main(void) {
  unsigned char c[40];
  int n = 0;
  klee_make_symbolic(c, sizeof c, "c");
  if (c[0] == 'x') return rare(c);
  for (int i = 1; i < 40; i++)
    if (c[i] & 1) n++;
  return n;
}
"#,
    );
    // A random choice among all states needs hundreds of forks.
    for search in ["--search=nurs:icnt", "--search=nurs:cpicnt"] {
        let run = place.klee(&[search, "--max-forks=60", "--exit-on-error"]);
        assert_eq!(run.errors().len(), 1, "{search}: {}", run.err());
    }
}
