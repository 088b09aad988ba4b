//! Tests that are given: seeds, replayed tests, and paths.

use crate::{Place, SIGN};
use cairn_replay::KTest;
#[test]
fn seeds_are_followed_and_tests_replayed() {
    let place = Place::new("seeds", SIGN);
    place.klee(&["--search=dfs", "--output-dir=first"]);
    let tests = ["first/test000001.ktest", "first/test000002.ktest"];
    let seed = |n: usize| format!("--seed-file={}", tests[n]);
    let run = place.klee(&[&seed(0), "--only-replay-seeds"]);
    assert_eq!(run.done("completed paths"), 1, "{}", run.err());
    let bytes = std::fs::read(place.folder.join(tests[0])).expect("a test");
    assert_eq!(
        place.test(1).objects,
        KTest::read(&bytes).expect("a test").objects
    );
    let run = place.klee(&[&seed(0), &seed(1), "--only-replay-seeds"]);
    assert_eq!(run.done("completed paths"), 2, "{}", run.err());
    // A seed twice is one path; without the flag all is explored.
    let run = place.klee(&[&seed(0), &seed(0), "--only-replay-seeds"]);
    assert_eq!(run.done("completed paths"), 1, "{}", run.err());
    let run = place.klee(&[&seed(1)]);
    assert_eq!(run.done("completed paths"), 3, "{}", run.err());
    let run = place.klee(&["--replay-ktest-dir=first"]);
    assert_eq!(run.done("completed paths"), 3, "{}", run.err());
    let run = place.klee(&["--replay-ktest-file", tests[1]]);
    let said = format!("KLEE: replaying: {} (4 bytes) (1/1)\n", tests[1]);
    assert!(run.err().contains(&said), "{}", run.err());
    assert_eq!(run.done("completed paths"), 1, "{}", run.err());
}

#[test]
fn seeds_of_other_sizes_are_taken_as_asked() {
    let place = Place::new("sizes", SIGN);
    let write = |name: &str, objects: &[(&str, &[u8])]| {
        let objects = objects
            .iter()
            .map(|(name, bytes)| cairn_replay::KTestObject {
                name: name.as_bytes().to_vec(),
                bytes: bytes.to_vec(),
            });
        let test = KTest {
            objects: objects.collect(),
            ..KTest::default()
        };
        std::fs::write(place.folder.join(name), test.write()).expect("writable");
    };
    write("short.ktest", &[("a", &[5])]);
    write("long.ktest", &[("a", &[0xff; 9])]);
    write("named.ktest", &[("b", &[0; 4]), ("a", &[0xff; 4])]);
    let run = place.klee(&["--seed-file=short.ktest", "--only-replay-seeds"]);
    assert!(run.err().contains("short.ktest"), "{}", run.err());
    assert_eq!(run.done("completed paths"), 0);
    let extend = [
        "--seed-file=short.ktest",
        "--only-replay-seeds",
        "--allow-seed-extension",
    ];
    assert_eq!(place.klee(&extend).done("completed paths"), 1);
    assert_eq!(place.values(1), [5]);
    let truncate = [
        "--seed-file=long.ktest",
        "--only-replay-seeds",
        "--allow-seed-truncation",
    ];
    assert_eq!(place.klee(&truncate).done("completed paths"), 1);
    assert_eq!(place.values(1), [-1]);
    let named = [
        "--seed-file=named.ktest",
        "--only-replay-seeds",
        "--named-seed-matching",
    ];
    assert_eq!(place.klee(&named).done("completed paths"), 1);
    assert_eq!(place.values(1), [-1]);
}

/// Four bytes: sixteen paths, of which one is an error.
const WORD: &str = r#"
#include <klee/klee.h>
int main(void) {
  unsigned char c[4];
  int n = 0;
  klee_make_symbolic(c, sizeof c, "c");
  for (int i = 0; i < 4; i++)
    if (c[i] == 'a' + i)
      n++;
  klee_assert(n != 4);
  return n;
}
"#;

fn write_seed(place: &Place, bytes: &[u8]) {
    let test = KTest {
        objects: vec![cairn_replay::KTestObject {
            name: b"c".to_vec(),
            bytes: bytes.to_vec(),
        }],
        ..KTest::default()
    };
    std::fs::write(place.folder.join("seed.ktest"), test.write()).expect("writable");
}

#[test]
fn seeds_go_first() {
    let place = Place::new("first", WORD);
    write_seed(&place, b"abcd");
    for search in ["dfs", "bfs", "random-path", "nurs:covnew"] {
        let search = format!("--search={search}");
        let run = place.klee(&["--seed-file=seed.ktest", &search]);
        assert_eq!(run.done("completed paths"), 15, "{}", run.err());
        assert!(place.has("klee-last/test000001.assert.err"), "{search}");
        assert!(
            run.err().contains("KLEE: seeding done (4 states remain)\n"),
            "{}",
            run.err()
        );
    }
    let run = place.klee(&["--seed-file=seed.ktest", "--only-seed"]);
    assert_eq!(run.done("completed paths"), 0, "{}", run.err());
    // The error, and the four ways beside the seed's.
    assert_eq!(run.done("partially completed paths"), 5, "{}", run.err());
    assert_eq!(run.done("generated tests"), 5);
}

#[test]
fn seeds_have_their_time() {
    let place = Place::new("seed-time", WORD);
    write_seed(&place, b"abcd");
    let run = place.klee(&["--seed-file=seed.ktest", "--seed-time=1us"]);
    assert!(
        run.err().contains("KLEE: seed time expired"),
        "{}",
        run.err()
    );
    assert_eq!(run.done("completed paths"), 15, "{}", run.err());
    let run = place.klee(&["--seed-file=seed.ktest", "--seed-time=1h"]);
    assert!(!run.err().contains("seed time expired"), "{}", run.err());
}

#[test]
fn a_path_that_was_written_is_followed() {
    let place = Place::new(
        "replay-path",
        r#"
#include <klee/klee.h>
#include <stdlib.h>
int main(void) {
  int a, list[3] = {0, 1, 2};
  unsigned at, size;
  klee_make_symbolic(&a, sizeof a, "a");
  klee_make_symbolic(&at, sizeof at, "at");
  klee_make_symbolic(&size, sizeof size, "size");
  if (a > 7) return list[at];
  switch (a) { case 1: return 1; case 2: return 5; case 3: return 9; default: break; }
  if (size < 4) return malloc(size) == 0;
  return 2;
}
"#,
    );
    place.klee(&["--write-paths", "--output-dir=all"]);
    let mut paths = 0;
    for number in 1.. {
        let path = format!("all/test{number:06}.path");
        if !place.has(&path) {
            break;
        }
        paths += 1;
        let run = place.klee(&[&format!("--replay-path={path}"), "--write-paths"]);
        assert_eq!(run.done("generated tests"), 1, "{path}: {}", run.err());
        assert_eq!(run.lines("KLEE: WARNING: not"), [""; 0], "{path}");
        assert_eq!(place.text("klee-last/test000001.path"), place.text(&path));
        let error = place.has(&format!("all/test{number:06}.ptr.err"));
        assert_eq!(!run.errors().is_empty(), error, "{path}");
    }
    assert!(paths >= 6, "{paths}");
}

#[test]
fn a_path_that_does_not_fit_is_said() {
    let place = Place::new("wrong-path", SIGN);
    for (path, why) in [
        ("0\n", "ends before the program does"),
        ("0\n4\n", "does not fit the program"),
        ("object 0x1\n", "does not fit the program"),
    ] {
        place.write("given.path", path);
        let run = place.klee(&["--replay-path=given.path"]);
        assert_eq!(run.code(), 0);
        assert_eq!(run.done("completed paths"), 0, "{path}");
        assert!(run.err().contains(why), "{path}: {}", run.err());
    }
    let contradiction = Place::new(
        "impossible-path",
        r#"
#include <klee/klee.h>
int main(void) {
  int a;
  klee_make_symbolic(&a, sizeof a, "a");
  if (a == 0) { if (a > 0) return 1; return 2; }
  return 3;
}
"#,
    );
    contradiction.write("given.path", "1\n1\n");
    let run = contradiction.klee(&["--replay-path=given.path"]);
    assert!(run.err().contains("cannot be taken"), "{}", run.err());
    for (path, why) in [("perhaps\n", "given.path:1: expected"), ("", "ends before")] {
        place.write("given.path", path);
        let run = place.klee(&["--replay-path=given.path"]);
        assert!(run.err().contains(why), "{path}: {}", run.err());
    }
}
