//! The program: its memory, its functions, what is linked to it, and how it is optimised.

use crate::{Place, Run, SIGN};
use std::process::Command;
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
int many(int a, char **b, char **c, int d) { klee_abort(); return d; }
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
    for entry in ["--entry-point=other", "--entry-point=many"] {
        let run = place.klee(&[entry]);
        assert_eq!(run.errors(), ["abort failure"], "{}", run.err());
    }
}

#[test]
fn libraries_are_linked() {
    let place = Place::new(
        "link",
        r#"
#include <klee/klee.h>
int twice(int);
int main(void) {
  int i;
  klee_make_symbolic(&i, sizeof i, "i");
  return twice(i) == 10;
}
"#,
    );
    place.write(
        "a.c",
        "int same(int); int twice(int x) { return same(x) + same(x); }",
    );
    place.write("b.c", "int same(int x) { return x; }");
    // Its symbols are not needed; if it were linked, there would be two of the same name.
    place.write(
        "c.c",
        "int unwanted(void) { return 0; } int main(void) { return 3; }",
    );
    for name in ["a", "b", "c"] {
        let (source, output) = (format!("{name}.c"), format!("{name}.bc"));
        place.tool(&["clang-19", "-c", "-emit-llvm", &source, "-o", &output]);
    }
    place.tool(&["llvm-ar-19", "rc", "lib.a", "c.bc", "b.bc", "a.bc"]);
    let missing = place.klee(&["--exit-on-error"]);
    assert!(
        missing
            .err()
            .contains("undefined reference to function: twice")
    );
    for flags in [
        &["--link-llvm-lib=lib.a"][..],
        &["--link-llvm-lib=a.bc", "--link-llvm-lib=b.bc"],
    ] {
        let run = place.klee(flags);
        assert_eq!(run.lines("KLEE: WARNING: "), [""; 0]);
        assert_eq!(run.done("completed paths"), 1, "{flags:?}: {}", run.err());
    }
    place.write("broken.a", "!<arch>\nnothing");
    for (library, why) in [
        ("c.bc", "main"),
        ("absent.bc", "absent.bc: expected a library"),
        ("broken.a", "broken.a: cannot be linked"),
        ("p.c", "p.c"),
    ] {
        let run = place.klee(&[&format!("--link-llvm-lib={library}")]);
        assert_eq!(run.code(), 1, "{library}: {}", run.err());
        assert!(run.err().contains(why), "{library}: {}", run.err());
    }
}

#[test]
fn programs_are_optimised_on_request() {
    let place = Place::new(
        "optimize",
        r#"
#include <klee/klee.h>
static int in_order(int a, int b) { return a < b; }
int main(void) {
  int a, sum = 0;
  klee_make_symbolic(&a, sizeof a, "a");
  for (int i = 0; i < 100; i++)
    sum += i;
  klee_assert(in_order(a, sum) || a != 5000);
  return 0;
}
"#,
    );
    let plain = place.klee(&[]);
    let optimised = place.klee(&["--optimize"]);
    assert_eq!(optimised.lines("KLEE: WARNING: "), [""; 0]);
    let instructions = |run: &Run| run.done("total instructions");
    assert!(
        instructions(&optimised) * 4 < instructions(&plain),
        "{}",
        optimised.err()
    );
    // The sum is 4950.
    assert_eq!(plain.errors().len(), 1);
    assert_eq!(optimised.errors(), plain.errors());
    assert!(!place.text("klee-last/assembly.ll").contains("@in_order"));
}

#[test]
fn what_the_sanitiser_finds_has_klees_words() {
    let place = Place::new(
        "ubsan",
        r#"
int klee_int(const char *name);
int main(void) {
  int a = klee_int("a"), b = klee_int("b");
  int list[4] = {1, 2, 3, 4};
  switch (b) {
  case 1: return a + 1;
  case 2: return 1 << a;
  case 3: return 10 / a;
  case 4: return list[a & 7];
  default: return 0;
  }
}
"#,
    );
    let sanitised = ["-fsanitize=undefined", "p.c", "-o", "p.bc"];
    let mut words = vec!["clang-19", "-c", "-g", "-emit-llvm"];
    words.extend(sanitised);
    place.tool(&words);
    let run = place.cairn(&["klee", "--ubsan-runtime", "p.bc"]);
    assert_eq!(run.lines("KLEE: WARNING: "), [""; 0]);
    let expected = [
        "integer-divide-by-zero",
        "invalid-shift-base",
        "invalid-shift-exponent",
        "out-of-bounds-index",
        "signed-integer-overflow",
    ];
    let mut errors = run.errors();
    errors.dedup();
    assert_eq!(errors, expected, "{}", run.err());
}

#[test]
fn shifts_are_checked_in_code_that_may_be_optimised_later() {
    let source = r#"
int klee_int(const char *name);
int amount;
int shifted(void) { return 1 << amount; }
int main(void) {
  amount = klee_int("amount");
  return shifted();
}
"#;
    let place = Place::new("overshift", source);
    place.tool(&[
        "clang-19",
        "-c",
        "-g",
        "-emit-llvm",
        "-Xclang",
        "-disable-O0-optnone",
        "p.c",
        "-o",
        "p.bc",
    ]);
    let run = place.cairn(&["klee", "p.bc"]);
    assert_eq!(run.errors(), ["overshift error"], "{}", run.err());
    let run = place.cairn(&["klee", "--check-overshift=false", "p.bc"]);
    assert_eq!(run.errors(), [""; 0], "{}", run.err());
}

#[test]
fn a_c_library_that_is_not_there_is_said() {
    let place = Place::new("libc", SIGN);
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    command.args(["klee", "--libc=uclibc", "p.c"]);
    let run = Run::of(
        command
            .current_dir(&place.folder)
            .env("CAIRN_LIBC", "absent"),
    );
    let warnings = run.lines("KLEE: WARNING: ");
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0].contains("--libc=uclibc does nothing"),
        "{warnings:?}"
    );
    assert_eq!(run.done("completed paths"), 3);
    for built_in in ["--libc=klee", "--libc=none"] {
        let run = place.klee(&[built_in]);
        assert_eq!(run.lines("KLEE: WARNING: "), [""; 0], "{built_in}");
    }
}
