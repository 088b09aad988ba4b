//! Checks of RISC-V executables besides single accesses: heap objects whose size is an input, leaks,
//! uninitialised memory; and a function that is called in place of `main`.

mod guests;

use guests::{Folder, concrete};
use std::process::Command;

/// The heap, as Cairn knows it.
const HEAP: &str = r#"
#define MADE(a, b) { void *made; __asm__ volatile("" : "=r"(made) : "r"(a), "r"(b)); return made; }
EMPTY void *malloc(word size) MADE(size, 0)
EMPTY void *calloc(word count, word size) MADE(count, size)
EMPTY void *realloc(void *at, word size) MADE(at, size)
EMPTY void free(void *at) { __asm__ volatile("" : : "r"(at) : "memory"); }
#line 1
"#;

/// The exit code of a command that was used wrongly.
const USAGE: i32 = 64;

fn kinds_and_lines(explored: &guests::Explored) -> Vec<(String, u64)> {
    let findings = explored.findings().into_iter();
    let mut all: Vec<_> = findings.map(|f| (f.0, f.2)).collect();
    all.sort();
    all
}

#[test]
fn all_sizes_of_a_heap_object_are_one_path() {
    let folder = Folder::new();
    let source = r#"__attribute__((used)) void begin(void) {
  unsigned char n, way;
  klee_make_symbolic(&n, 1, "n");
  klee_make_symbolic(&way, 1, "way");
  klee_assume(n >= 1 & n <= 40);
  volatile unsigned char *p = malloc(n);
  p[0] = 1;
  p[n - 1] = 2;
  if (way == 1) p[n] = 3;
  if (way == 2) {
    p = realloc((void *)p, n + 5);
    p[n + 4] = 7;
    leave(p[n - 1] == 2 ? 2 : 9);
  }
  if (way == 3) { free((void *)p); leave(3); }
  if (way == 4) { p[7] = 1; leave(4); }
  if (way == 5) { free((void *)p); p[n - 1] = 1; leave(9); }
  leave(0);
}"#;
    let program = folder.bare("sizes", &format!("{HEAP}{source}"));
    for jobs in ["1", "2"] {
        let explored = folder.explore(&program, &["--jobs", jobs, "--self-check"], &[]);
        let found = kinds_and_lines(&explored);
        let ptr = |line| ("ptr".to_string(), line);
        assert_eq!(found, [ptr(9), ptr(16), ptr(17)], "{}", explored.errors);
        for code in [2, 3, 4] {
            assert_eq!(explored.tests(&format!("{{\"exit\":{code},")).len(), 1);
        }
        assert!(explored.tests("{\"exit\":9,").is_empty());
        // Other values of `way` are below 1 or above 5: that is one path or two.
        assert!((4..=5).contains(&explored.completed()));
        assert_eq!(explored.incomplete(), "[]");
    }
}

/// String functions read aligned words, past the end of an object whose size is an input too.
#[test]
fn a_word_that_begins_in_an_object_of_unknown_size_has_zeros_behind_its_end() {
    let folder = Folder::new();
    let source = r#"__attribute__((used)) void begin(void) {
  unsigned char n, index, way;
  klee_make_symbolic(&n, 1, "n");
  klee_make_symbolic(&index, 1, "index");
  klee_make_symbolic(&way, 1, "way");
  klee_assume(n >= 1 & n <= 20 & index < n);
  char *text = calloc(n, 1);
  text[0] = 'a';
  if (way == 1) {
    word bytes = *(volatile word *)text;
    leave(bytes == 'a' ? 1 : 9);
  }
  if (way == 2) {
    word bytes = *(volatile word *)((word)(text + index) & -8ul);
    leave(bytes == (index < 8 ? 'a' : 0) ? 2 : 9);
  }
  if (way == 3) {
    text[n - 1] = 'z';
    word bytes = *(volatile word *)((word)(text + n - 1) & -8ul);
    unsigned shift = (n - 1) % 8 * 8;
    leave(bytes >> shift == 'z' ? 3 : 9);
  }
  if (way == 4) { (void)*(volatile word *)(text + 8); leave(4); }
  leave(0);
}"#;
    let program = folder.bare("partly", &format!("{HEAP}{source}"));
    let explored = folder.explore(&program, &["--self-check"], &[]);
    let found = kinds_and_lines(&explored);
    assert_eq!(found, [("ptr".to_string(), 23)], "{}", explored.errors);
    assert!(explored.tests("{\"exit\":9,").is_empty());
    for code in 0..5 {
        let ways = explored.tests(&format!("{{\"exit\":{code},")).len();
        assert!((1..8).contains(&ways), "{code}: {ways}");
    }
    assert_eq!(explored.incomplete(), "[]");
}

#[test]
fn heap_objects_that_nothing_points_to_are_leaks() {
    let folder = Folder::new();
    let source = r#"void *kept;
EMPTY void lose(word size) {
  volatile char *lost = malloc(size);
  lost[0] = 1;
}
EMPTY void fill(void) { volatile word room[32]; for (int i = 0; i < 32; i++) room[i] = 0; }
__attribute__((used)) void begin(void) {
  unsigned char way;
  klee_make_symbolic(&way, 1, "way");
  if (way == 1) lose(8);
  if (way == 2) kept = malloc(9);
  if (way == 3) free(malloc(10));
  if (way == 4) { void *volatile here = malloc(11); fill(); leave(here != 0); }
  if (way == 5) { void **outer = malloc(16); outer[1] = malloc(12); kept = outer + 1; }
  fill();
  leave(0);
}"#;
    let program = folder.bare("leaks", &format!("{HEAP}{source}"));
    let explored = folder.explore(&program, &[], &[]);
    assert_eq!(explored.code, Some(0), "{:?}", explored.findings());
    let explored = folder.explore(&program, &["--check", "leak"], &[]);
    let found = kinds_and_lines(&explored);
    assert_eq!(
        found,
        [("leak".to_string(), 3)],
        "{:?}",
        explored.findings()
    );
    assert_eq!(explored.completed(), 5);
}

#[test]
fn decisions_on_heap_memory_that_nobody_wrote_are_found() {
    let folder = Folder::new();
    let source = r#"EMPTY void look(word whole, volatile char *p) { if (whole > 5ul << 32) p[3] = 1; }
__attribute__((used)) void begin(void) {
  unsigned char way;
  klee_make_symbolic(&way, 1, "way");
  volatile char *p = malloc(16);
  p[0] = 'x';
  p[1] = 0;
  if (way == 1) { if (p[2] == 3) p[3] = 1; leave(1); }
  word whole = *(volatile word *)p;
  if (way == 2) leave((char)whole == 'x' ? 2 : 9);
  if (way == 3) {
    if (!((whole - 0x0101010101010101) & ~whole & 0x8080808080808080)) leave(9);
    leave(3);
  }
  if (way == 4) { *(volatile word *)(p + 8) = whole; leave(4); }
  if (way == 5) { look(whole, p); leave(5); }
  leave(0);
}"#;
    let program = folder.bare("uninit", &format!("{HEAP}{source}"));
    let explored = folder.explore(&program, &["--check", "uninit"], &[]);
    let found = kinds_and_lines(&explored);
    let uninit = |line| ("uninit".to_string(), line);
    assert_eq!(found, [uninit(1), uninit(8)], "{:?}", explored.findings());
    for code in [0, 2, 3, 4] {
        assert!(!explored.tests(&format!("{{\"exit\":{code},")).is_empty());
    }
    assert!(explored.tests("{\"exit\":9,").is_empty());
}

#[test]
fn what_only_a_source_has_is_refused_by_name() {
    let folder = Folder::new();
    let program = folder.bare(
        "refused",
        "__attribute__((used)) void begin(void) { leave(0); }",
    );
    for (words, why) in [
        (["--check", "overflow"], "--check overflow needs a source"),
        (["--entry", "LLVMFuzzerTestOneInput"], "needs a source"),
    ] {
        let done = Command::new(env!("CARGO_BIN_EXE_cairn"))
            .arg("run")
            .args(words)
            .arg(&program)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(USAGE), "{said}");
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn another_function_is_called_in_place_of_main() {
    let folder = Folder::new();
    let source = r#"#define PLAIN __attribute__((noinline, optnone, used))
volatile int one = 1;
PLAIN int main(int count, char **words) { return one; }
PLAIN int other(int count, char **words) {
  unsigned char byte;
  klee_make_symbolic(&byte, 1, "byte");
  return words[count] ? 9 : byte == 7 ? 40 + count : 50;
}
__attribute__((used)) void begin(long *stack) { leave(main(stack[0], (char **)(stack + 1))); }"#;
    let program = folder.bare("entry", source);
    let explored = folder.explore(&program, &["--entry", "other"], &["one"]);
    assert_eq!(explored.code, Some(0), "{}", explored.errors);
    assert_eq!(explored.completed(), 2);
    let [test] = &explored.tests("{\"exit\":42,")[..] else {
        panic!("{}", explored.summary)
    };
    let test = test.to_str().unwrap();
    let again = concrete(&program, &["--ktest", test, "--entry", "other"], &["one"]);
    assert_eq!(again.status.code(), Some(42));
    assert_eq!(concrete(&program, &[], &[]).status.code(), Some(1));
    let nobody = concrete(&program, &["--entry", "nobody"], &[]);
    let said = String::from_utf8_lossy(&nobody.stderr);
    assert!(said.contains("there is no function nobody"), "{said}");
}

/// A weak function of the header takes and gives numbers of all kinds, on both calling conventions.
#[test]
fn functions_of_the_header_give_numbers_of_all_kinds() {
    let folder = Folder::new();
    let headers = Command::new(env!("CARGO_BIN_EXE_cairn"))
        .arg("headers")
        .arg(&folder.0)
        .status();
    assert!(headers.unwrap().success());
    let include = format!("-I{}", folder.0.display());
    let source = r#"#include <cairn/riscv.h>
int main(void) {
  union { double number; unsigned long bits; } d = {__VERIFIER_nondet_double()};
  union { float number; unsigned bits; } f = {__VERIFIER_nondet_float()};
  unsigned __int128 wide = __VERIFIER_nondet_uint128();
  klee_print_expr("wide", wide);
  if (d.bits == 0x4009000000000000) return 1;
  if (f.bits == 0x40490000) return 2;
  if ((unsigned long)(wide >> 64) == 5 && (unsigned long)wide == 6) return 3;
  union { double number; unsigned long bits; } same = {klee_get_valued(2.5)};
  if (same.bits != 0x4004000000000000) return 9;
  if (__VERIFIER_nondet_u32() == 0x80000000u) reach_error();
  return 0;
}"#;
    for flags in [
        ["-march=rv64im", "-mabi=lp64"],
        ["-march=rv64gc", "-mabi=lp64d"],
    ] {
        let flags = [flags[0], flags[1], "-O1", "-g", &include, "-DCAIRN_START"];
        let program = folder.build("kinds", source, &flags);
        let explored = folder.explore(&program, &[], &[]);
        let found = kinds_and_lines(&explored);
        assert_eq!(found, [("assert".to_string(), 12)], "{}", explored.errors);
        for code in 0..4 {
            let tests = explored.tests(&format!("{{\"exit\":{code},"));
            let [test] = &tests[..] else {
                panic!("{code}: {}", explored.summary)
            };
            let test = test.to_str().unwrap();
            let again = concrete(&program, &["--ktest", test], &[]);
            assert_eq!(again.status.code(), Some(code));
        }
        assert_eq!(explored.completed(), 4);
    }
}
