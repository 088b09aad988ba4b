//! `cairn klee`: KLEE's lines, files and exit codes, as a script written for KLEE meets them.

use cairn_replay::KTest;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder of one test, empty at its start, with a program in it.
struct Place {
    folder: PathBuf,
}

impl Place {
    fn new(name: &str, program: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("klee-{name}"));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("the folder is writable");
        std::fs::write(folder.join("p.c"), program).expect("the folder is writable");
        Place { folder }
    }

    /// Runs KLEE's command line on the program.
    fn klee(&self, flags: &[&str]) -> Run {
        let mut words = vec!["klee"];
        words.extend(flags);
        words.push("p.c");
        self.cairn(&words)
    }

    fn cairn(&self, words: &[&str]) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
        Run::of(command.args(words).current_dir(&self.folder))
    }

    fn has(&self, file: &str) -> bool {
        self.folder.join(file).exists()
    }

    fn text(&self, file: &str) -> String {
        let path = self.folder.join(file);
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    fn test(&self, number: u32) -> KTest {
        let path = self.folder.join(format!("klee-last/test{number:06}.ktest"));
        let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        KTest::read(&bytes).expect("a test")
    }

    /// All values of an input of four bytes, in order.
    fn values(&self, tests: u32) -> Vec<i32> {
        let value = |n| {
            let bytes = &self.test(n).objects[0].bytes;
            i32::from_le_bytes(bytes[..4].try_into().expect("four bytes"))
        };
        let mut values: Vec<i32> = (1..=tests).map(value).collect();
        values.sort_unstable();
        values
    }
}

struct Run {
    output: Output,
}

impl Run {
    fn of(command: &mut Command) -> Run {
        let output = command.stdin(Stdio::null()).output();
        Run {
            output: output.expect("the binary was built"),
        }
    }

    fn err(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    fn code(&self) -> i32 {
        self.output.status.code().expect("no signal")
    }

    /// Lines that begin so, without that beginning.
    fn lines(&self, start: &str) -> Vec<String> {
        let err = self.err();
        let lines = err.lines().filter_map(|l| l.strip_prefix(start));
        lines.map(str::to_string).collect()
    }

    /// Messages of errors, without their places, in order of the alphabet.
    fn errors(&self) -> Vec<String> {
        let lines = self.lines("KLEE: ERROR: ").into_iter();
        let mut errors: Vec<String> = lines
            .map(|l| l.split_once(": ").map_or(l.clone(), |(_, m)| m.to_string()))
            .collect();
        errors.sort();
        errors
    }

    fn done(&self, what: &str) -> u64 {
        let start = format!("KLEE: done: {what} = ");
        let lines = self.lines(&start);
        assert_eq!(lines.len(), 1, "{what}: {}", self.err());
        lines[0].parse().expect("a number")
    }
}

const SIGN: &str = r#"
#include <klee/klee.h>
int main(void) {
  int a;
  klee_make_symbolic(&a, sizeof a, "a");
  if (a == 0) return 0;
  if (a < 0) return -1;
  return 1;
}
"#;

const DIVIDES: &str = r#"
#include <klee/klee.h>
int main(void) {
  int a;
  klee_make_symbolic(&a, sizeof a, "a");
  if (a > 5) return 7;
  return 10 / a;
}
"#;

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
fn flags_that_are_not_known_or_do_nothing_are_named() {
    let place = Place::new("unknown", SIGN);
    let run = place.klee(&[
        "--frobnicate=3",
        "-write-kqueries",
        "--libc=uclibc",
        "-optimize=false",
    ]);
    assert_eq!(run.code(), 0);
    let warnings = run.lines("KLEE: WARNING: ");
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    assert!(warnings[0].contains("--frobnicate"), "{warnings:?}");
    assert!(warnings[1].contains("--write-kqueries"), "{warnings:?}");
    assert!(warnings[2].contains("--libc=uclibc"), "{warnings:?}");
    assert_eq!(run.done("completed paths"), 3);
    let quiet = place.klee(&["--frobnicate", "--warnings-only-to-file"]);
    assert!(!quiet.err().contains("frobnicate"));
    assert!(place.text("klee-last/warnings.txt").contains("frobnicate"));
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

#[test]
fn functions_of_the_host_are_called_in_another_process() {
    let place = Place::new(
        "host",
        r#"
#include <klee/klee.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int nowhere(int);
int main(void) {
  int w;
  klee_make_symbolic(&w, sizeof w, "w");
  if (w == 1) { time_t t = 0; time_t r = time(&t); klee_assert(r == t && r > 1000000); return 0; }
  if (w == 2) { klee_assert(getppid() > 0); return 0; }
  if (w == 3) return nowhere(3);
  if (w == 4) { double d = erf(0.5); klee_assert(d > 0.5204 && d < 0.5206); return 0; }
  if (w == 5) {
    time_t t = 86400;
    struct tm m;
    klee_assert(gmtime_r(&t, &m) == &m);
    klee_assert(m.tm_mday == 2 && m.tm_year == 70);
    return 0;
  }
  if (w == 6) return (int)mktime((struct tm *)calloc(1, 1)) & 0;
  if (w == 7) return usleep(w);
  if (w > 100) return sleep(w & 0x100000 ? 0 : w & 0);
  return 0;
}
"#,
    );
    let run = place.klee(&[]);
    let expected = ["failed external call: nowhere"];
    let errors = run.errors();
    assert!(errors.contains(&expected[0].to_string()), "{}", run.err());
    assert!(!run.err().contains("ASSERTION FAIL"), "{}", run.err());
    assert!(
        run.err()
            .contains("KLEE: WARNING: undefined reference to function: nowhere")
    );
    let symbolic = "external call with symbolic argument: usleep".to_string();
    assert!(
        !errors.contains(&symbolic),
        "7 is known on that path: {}",
        run.err()
    );
    assert!(
        run.lines("KLEE: WARNING ONCE: calling external: ").len() >= 4,
        "{}",
        run.err()
    );
    let none = place.klee(&["--external-calls=none"]);
    assert!(
        none.errors()
            .iter()
            .any(|e| e == "external calls disallowed"),
        "{}",
        none.err()
    );
}

#[test]
fn calls_of_the_host_that_crash_or_hang_cost_one_path() {
    let place = Place::new(
        "crash",
        r#"
#include <klee/klee.h>
#include <fnmatch.h>
#include <unistd.h>
int main(void) {
  int w;
  klee_make_symbolic(&w, sizeof w, "w");
  if (w == 1) return fnmatch((char *)0, (char *)0, 0);
  if (w == 2) return getppid() <= 0;
  if (w != 3) return 0;
  return sleep(1000);
}
"#,
    );
    let start = std::time::Instant::now();
    let run = place.klee(&["--search=dfs", "--max-time=2s"]);
    assert!(start.elapsed().as_secs() < 20, "the limit is kept");
    assert_eq!(run.code(), 0);
    assert_eq!(
        run.errors(),
        ["failed external call: fnmatch"],
        "{}",
        run.err()
    );
    assert_eq!(run.done("completed paths"), 2, "{}", run.err());
    assert_eq!(run.done("partially completed paths"), 2, "{}", run.err());
    assert!(
        run.err().contains("KLEE: HaltTimer invoked"),
        "{}",
        run.err()
    );
}

#[test]
fn symbolic_arguments_of_the_host_follow_the_policy() {
    let place = Place::new(
        "policy",
        r#"
#include <klee/klee.h>
#include <unistd.h>
int main(void) {
  int w;
  klee_make_symbolic(&w, sizeof w, "w");
  klee_assume(w > 0);
  klee_assume(w < 20);
  return usleep(w);
}
"#,
    );
    let run = place.klee(&[]);
    assert_eq!(
        run.errors(),
        ["external call with symbolic argument: usleep"],
        "{}",
        run.err()
    );
    let run = place.klee(&["--external-calls=all"]);
    assert!(run.errors().is_empty(), "{}", run.err());
    assert_eq!(run.done("completed paths"), 1);
}

#[test]
fn memory_that_was_not_written_is_as_in_klee() {
    let place = Place::new(
        "unwritten",
        r#"
#include <klee/klee.h>
#include <stdlib.h>
static int of(volatile unsigned char *at) { return at[0] == 0xAB && at[3] == 0xAB; }
int main(void) {
  unsigned char local[4];
  unsigned char *heap = malloc(4);
  klee_assert(of(local) && of(heap));
  return 0;
}
"#,
    );
    let run = place.klee(&[]);
    assert!(run.errors().is_empty(), "{}", run.err());
    assert_eq!(run.done("completed paths"), 1);
}

#[test]
fn functions_are_replaced_and_entries_chosen() {
    let place = Place::new(
        "alias",
        r#"
#include <klee/klee.h>
int old(int x) { return x; }
int replacement(int x) { klee_assert(0); return x; }
int main(void) { return old(3); }
int other(void) { klee_abort(); return 0; }
"#,
    );
    let run = place.klee(&["--function-alias=old:replacement"]);
    assert_eq!(run.errors(), ["ASSERTION FAIL: 0"], "{}", run.err());
    let run = place.klee(&["--function-alias=old:absent"]);
    assert!(
        run.errors().is_empty() && run.err().contains("absent"),
        "{}",
        run.err()
    );
    let run = place.klee(&["--entry-point=other"]);
    assert_eq!(run.errors(), ["abort failure"], "{}", run.err());
}

#[test]
fn tests_are_also_written_for_test_comp() {
    let place = Place::new("xml", SIGN);
    place.klee(&["--write-xml-tests", "--write-test-info", "--search=dfs"]);
    let text = place.text("klee-last/test000001.xml");
    assert!(text.contains("<input variable=\"a\" size=\"4\">"), "{text}");
    assert!(
        place
            .text("klee-last/metadata.xml")
            .contains("<programfile>p.c</programfile>")
    );
    assert!(place.has("klee-last/test000003.info"));
}

/// Flags that users of KLEE rely on.
const PROMISED: &[&str] = &[
    "output-dir",
    "exit-on-error",
    "exit-on-error-type",
    "libc",
    "posix-runtime",
    "search",
    "use-batching-search",
    "batch-instructions",
    "batch-time",
    "use-iterative-deepening-time-search",
    "write-kqueries",
    "write-smt2s",
    "write-cvcs",
    "write-no-tests",
    "write-paths",
    "write-sym-paths",
    "write-test-info",
    "write-xml-tests",
    "write-cov",
    "emit-all-errors",
    "optimize",
    "entry-point",
    "external-calls",
    "function-alias",
    "check-div-zero",
    "check-overshift",
    "ubsan-runtime",
    "max-time",
    "max-memory",
    "max-depth",
    "max-forks",
    "max-instructions",
    "max-tests",
    "max-solver-time",
    "max-stack-frames",
    "max-static-fork-pct",
    "max-static-solve-pct",
    "max-static-cpfork-pct",
    "max-static-cpsolve-pct",
    "max-memory-inhibit",
    "seed-file",
    "seed-dir",
    "allow-seed-extension",
    "allow-seed-truncation",
    "zero-seed-extension",
    "named-seed-matching",
    "only-replay-seeds",
    "only-seed",
    "seed-time",
    "replay-ktest-file",
    "replay-ktest-dir",
    "replay-path",
    "use-query-log",
    "use-cex-cache",
    "use-independent-solver",
    "solver-backend",
    "switch-type",
    "debug-print-instructions",
    "only-output-states-covering-new",
    "dump-states-on-halt",
    "silent-klee-assume",
    "use-merge",
    "run-in-dir",
    "warnings-only-to-file",
    "rng-initial-seed",
    "link-llvm-lib",
    "istats-write-interval",
    "stats-write-interval",
    "output-stats",
    "output-istats",
];

#[test]
fn the_documentation_has_the_table_and_the_table_all_flags() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/klee.md")).expect("there is a page");
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    let help = Run::of(command.args(["klee", "--help"]));
    let help = String::from_utf8_lossy(&help.output.stdout).into_owned();
    let table = &help[help.find("| flag |").expect("a table")..];
    assert!(
        page.contains(table),
        "docs/klee.md differs from `cairn klee --help`; copy the table"
    );
    for flag in PROMISED {
        let alone = format!("| `--{flag}` |");
        let valued = format!("| `--{flag}=…` |");
        assert!(
            table.contains(&alone) || table.contains(&valued),
            "--{flag}"
        );
    }
}
