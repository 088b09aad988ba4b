//! `cairn run` on RISC-V executables: on concrete words, and explored.

mod guests;
mod pages;

use guests::{Folder, START, concrete};
use std::path::Path;

#[test]
fn an_executable_runs_with_its_arguments_and_errors_have_their_place() {
    let folder = Folder::new();
    let program = folder.bare(
        "guest",
        r#"__attribute__((used)) void begin(long *stack) {
  say("from a guest\n");
  if (stack[0] > 2) *(volatile char *)8 = 1;
  leave(stack[0]);
}"#,
    );
    let good = concrete(&program, &[], &["one"]);
    assert_eq!(String::from_utf8_lossy(&good.stdout), "from a guest\n");
    assert_eq!(good.status.code(), Some(2));
    let bad = concrete(&program, &[], &["one", "two"]);
    let said = String::from_utf8_lossy(&bad.stderr);
    assert_eq!(bad.status.code(), Some(1), "{said}");
    assert!(
        said.contains("null") && said.contains("guest.c:3"),
        "{said}"
    );
}

/// A run is the same with a test that it needs nothing of.
#[test]
fn a_concrete_run_is_the_same_with_a_test_and_without() {
    let folder = Folder::new();
    let test = folder.0.join("any.ktest");
    let made = std::process::Command::new(env!("CARGO_BIN_EXE_cairn"))
        .args(["ktest", "--arg", "prog", "--object", "x=int:1", "--gen"])
        .arg(&test)
        .status()
        .unwrap();
    assert!(made.success());
    let program = folder.bare(
        "same",
        r#"volatile int zero;
__attribute__((used)) void begin(long *stack) {
  if (stack[0] == 2) leave(7 / zero);
  if (stack[0] == 3) ((void (*)(void))0x5000)();
  if (stack[0] == 4) *(volatile char *)(word)begin = 1;
  if (stack[0] == 5) call(129, call(172, 0, 0, 0), 9, 0);
  if (stack[0] == 6) { if (call(9999, 0, 0, 0) != -38) leave(1); }
  say("done\n");
  leave(42);
}"#,
    );
    let cases: [(&[&str], i32, &str); 6] = [
        (&[], 42, ""),
        (&["1"], 1, "division by zero"),
        (&["1", "2"], 1, "0x5000, where no code is"),
        (&["1", "2", "3"], 1, "self-modifying code is not supported"),
        (&["1", "2", "3", "4"], 128 + 9, ""),
        (
            &["1", "2", "3", "4", "5"],
            42,
            "number 9999 is not modelled",
        ),
    ];
    for (args, code, said) in cases {
        let alone = concrete(&program, &[], args);
        let with = concrete(&program, &["--ktest", test.to_str().unwrap()], args);
        let errors = String::from_utf8_lossy(&alone.stderr).into_owned();
        assert_eq!(alone.status.code(), Some(code), "{errors}");
        assert!(errors.contains(said), "{errors}");
        assert_eq!(alone, with);
    }
    // The processor has a result.
    let defined = concrete(&program, &["--defined-division"], &["1"]);
    assert_eq!(defined.status.code(), Some(255));
}

/// Code of the program runs even if it is called as a function that Cairn provides, and is lowered only
/// when control comes there.
#[test]
fn a_function_of_the_program_is_not_taken_for_a_native() {
    let folder = Folder::new();
    let program = folder.bare(
        "names",
        r#"__attribute__((used, noinline)) int puts(const char *text) { say("own "); say(text); return 5; }
// An address that is no function's, so that it is not known for one.
word hidden = (word)puts + 1;
__attribute__((used)) void begin(void) {
  leave(((int (*)(const char *))(*(volatile word *)&hidden - 1))("text\n"));
}"#,
    );
    let ran = concrete(&program, &[], &[]);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "own text\n");
    assert_eq!(ran.status.code(), Some(5));
    let explored = folder.explore(&program, &[], &[]);
    assert_eq!(
        explored.tests("{\"exit\":5,").len(),
        1,
        "{}",
        explored.errors
    );
}

/// Programs of `tests/algo` have as many paths as an enumeration counts, and no query of them needs the
/// core where none does through LLVM.
#[test]
fn algorithms_have_the_paths_that_were_counted() {
    let folder = Folder::new();
    let algo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/algo");
    let include = format!("-I{}", algo.display());
    let start = format!(
        "{START}\nint main(void);\n__attribute__((used)) void begin(void) {{ leave(main()); }}\n"
    );
    let names = [
        "fibonacci",
        "half",
        "binary_search_all",
        "insertion_sort_1",
        "dijkstra",
    ];
    let machines = [
        ("-march=rv64im", "-mabi=lp64", "-O0", "1"),
        ("-march=rv64gc", "-mabi=lp64d", "-O0", "2"),
    ];
    for (machine, abi, level, jobs) in machines {
        for name in names {
            let expected = std::fs::read_to_string(algo.join(format!("{name}.expect"))).unwrap();
            let paths = expected.lines().find_map(|l| l.strip_prefix("paths: "));
            let paths: u64 = paths.unwrap().parse().unwrap();
            let source = std::fs::read_to_string(algo.join(format!("{name}.c"))).unwrap();
            // The header declares what the start defines.
            let source = format!("{start}\n{source}");
            let program = folder.build(name, &source, &[machine, abi, level, &include]);
            let words = ["--search", "dfs", "--no-tests", "--jobs", jobs];
            let explored = folder.explore(&program, &words, &[]);
            assert_eq!(
                explored.completed(),
                paths,
                "{name} {machine}: {}",
                explored.errors
            );
            assert_eq!(
                explored.code,
                Some(0),
                "{name} {machine}: {}",
                explored.incomplete()
            );
            assert_eq!(explored.summary["frontend"], "riscv");
            let core = explored.summary["queries"]["core"].as_u64();
            assert!(
                core == Some(0) || name == "dijkstra",
                "{name} {machine}: {core:?}"
            );
        }
    }
}

#[test]
fn a_word_on_standard_input_is_found_without_symbols() {
    let folder = Folder::new();
    let source = r#"
static const unsigned char want[8] = {'c' ^ 53, 'a' ^ 54, 'i' ^ 55, 'r' ^ 56, 'n' ^ 57, '?' ^ 58, '!' ^ 59, '.' ^ 60};
static int right(unsigned char *s) {
  for (int i = 0; i < 8; i++) if ((s[i] ^ (53 + i)) != want[i]) return 0;
  return 1;
}
static int wrong(unsigned char *s) { return 0; }
int (*check[2])(unsigned char *) = {wrong, right};
__attribute__((used)) void begin(void) {
  unsigned char line[16];
  long n = call(63, 0, (long)line, 16);
  if (check[n >= 8](line)) { say("yes\n"); leave(42); }
  say("no\n");
  leave(1);
}"#;
    let flags = ["-march=rv64gc", "-mabi=lp64d", "-O2", "-s"];
    let program = folder.build("crackme", &format!("{START}{source}"), &flags);
    let explored = folder.explore(&program, &[], &["--sym-stdin", "8"]);
    assert_eq!(explored.completed(), 9, "{}", explored.errors);
    let solved = explored.tests("yes");
    let [test] = &solved[..] else {
        panic!("{solved:?}")
    };
    let bytes = std::fs::read(test).unwrap();
    assert!(bytes.windows(8).any(|w| w == b"cairn?!."));
    // The same executable on that test.
    let test = test.to_str().unwrap();
    let again = concrete(&program, &["--ktest", test], &["--sym-stdin", "8"]);
    assert_eq!(String::from_utf8_lossy(&again.stdout), "yes\n");
    assert_eq!(again.status.code(), Some(42));
}

#[test]
fn input_through_a_library_of_c_has_few_paths_and_all_of_them() {
    let folder = Folder::new();
    let source = "#include <stdio.h>
int main(void) {
  int c = getchar();
  if (c == 'a') return 1;
  if (c == 'b') return 2;
  return 0;
}
";
    let (file, program) = (folder.0.join("p.c"), folder.0.join("p"));
    std::fs::write(&file, source).unwrap();
    let made = std::process::Command::new("riscv64-linux-gnu-gcc")
        .args(["-static", "-O1", "-o"])
        .args([&program, &file])
        .status()
        .expect("gcc-riscv64-linux-gnu is installed");
    assert!(made.success());
    // A letter or another, and the size of the buffer that the library makes: a power of two.
    let explored = folder.explore(&program, &[], &["--sym-stdin", "2"]);
    assert!(
        (3..50).contains(&explored.completed()),
        "{}",
        explored.errors
    );
    assert_eq!(
        explored.summary["status"], "complete",
        "{}",
        explored.summary
    );
}

#[test]
fn arguments_are_inputs_and_so_is_their_number() {
    let folder = Folder::new();
    let program = folder.bare(
        "words",
        r#"__attribute__((used)) void begin(long *stack) {
  long count = stack[0];
  char **words = (char **)(stack + 1);
  if ((word)stack % 16) leave(9);
  if (words[count] || !words[count + 1] || words[count + 2]) leave(8);
  for (long i = 1; i < count; i++) if (words[i][0] == 'x') leave(10 + i);
  leave(count);
}"#,
    );
    let words = ["--env", "A=b"];
    let explored = folder.explore(&program, &words, &["--sym-args", "0", "2", "1", "end"]);
    assert_eq!(explored.code, Some(0), "{}", explored.errors);
    let mut exits: Vec<usize> = [2, 3, 4, 8, 9, 11, 12]
        .into_iter()
        .flat_map(|code| vec![code; explored.tests(&format!("{{\"exit\":{code},")).len()])
        .collect();
    exits.sort_unstable();
    // No argument but the last; one, `x` or not; two, of which the first is `x`, the second, or none.
    assert_eq!(exits, [2, 3, 4, 11, 11, 12]);
}

#[test]
fn errors_are_found_where_they_are() {
    let folder = Folder::new();
    let program = folder.bare(
        "errors",
        r#"EMPTY void *malloc(word size) { void *at; __asm__ volatile("" : "=r"(at) : "r"(size)); return at; }
EMPTY void free(void *at) { __asm__ volatile("" : : "r"(at) : "memory"); }
int table[4] = {1, 2, 3, 4};
__attribute__((used)) void begin(void) {
  int way, index;
  klee_make_symbolic(&way, sizeof way, "way");
  klee_make_symbolic(&index, sizeof index, "index");
  volatile char *bytes = malloc(4);
  if (way == 1) { bytes[4] = 1; leave(1); }
  if (way == 2) { free((void *)bytes); free((void *)bytes); }
  if (way == 3) { free((void *)bytes); leave(bytes[0]); }
  if (way == 4) abort();
  if (way == 5) ((void (*)(void))(word)index)();
  if (way == 6) { klee_assume(index >= 0 & index < 4); if (table[index] == 3) say("three"); leave(table[index]); }
  leave(0);
}"#,
    );
    let explored = folder.explore(&program, &[], &[]);
    let findings = explored.findings();
    let places: Vec<(&str, u64)> = findings.iter().map(|f| (f.0.as_str(), f.2)).collect();
    assert_eq!(
        places,
        [
            ("abort", 12),
            ("exec", 13),
            ("free", 10),
            ("ptr", 9),
            ("ptr", 11),
            ("ptr", 13)
        ],
        "{findings:#?}"
    );
    assert!(findings.iter().all(|f| f.1 == "begin"), "{findings:#?}");
    assert!(
        findings.iter().all(|f| f.3.contains("(at 0x")),
        "{findings:#?}"
    );
    assert_eq!(explored.completed(), 3);
    assert_eq!(explored.tests("three").len(), 1);
    assert_eq!(explored.code, Some(1), "{}", explored.incomplete());
    assert!(
        explored
            .incomplete()
            .contains("a jump to any address is not followed")
    );
}

/// Machine code has no arrays: an unknown index reaches only as far as it can, and the words beside
/// the array stay what they are.
#[test]
fn a_write_at_an_unknown_index_leaves_its_neighbours_alone() {
    let folder = Folder::new();
    let source = r#"__attribute__((used)) void begin(void) {
  volatile int before = 11;
  int array[4] = {1, 2, 3, 4};
  volatile int behind = 22;
  int index, sum = 0;
  klee_make_symbolic(&index, sizeof index, "index");
  klee_assume(index >= 0 & index < 4);
  array[index] = 9;
  for (int i = 0; i < 4; i++) sum += array[i];
  if (sum != 19 - array[3] && array[index] != 9) leave(5);
  if (before != 11 || behind != 22) leave(6);
  if (array[2] == 9) leave(2);
  leave(0);
}"#;
    let source = format!("{START}\n#line 1\n{source}");
    for level in ["-O0", "-O1"] {
        let flags = ["-march=rv64im", "-mabi=lp64", level];
        let program = folder.build("windows", &source, &flags);
        let explored = folder.explore(&program, &[], &[]);
        assert_eq!(
            explored.code,
            Some(0),
            "{}{}",
            explored.errors,
            explored.incomplete()
        );
        assert_eq!(explored.tests("{\"exit\":2,").len(), 1);
        assert!(explored.tests("{\"exit\":5,").is_empty());
        assert!(explored.tests("{\"exit\":6,").is_empty());
    }
}

#[test]
fn code_that_nothing_names_is_found_when_a_path_comes_there() {
    let folder = Folder::new();
    let source = r#"
volatile word distance = 8;
__attribute__((naked, used)) void hidden(void) {
  __asm__(".option norvc\n li a0, 1\n ret\n li a0, 7\n ret\n");
}
__attribute__((used)) void begin(void) {
  unsigned char byte;
  klee_make_symbolic(&byte, 1, "byte");
  word at = (word)hidden + (byte < 100 ? distance : 0);
  leave(((long (*)(void))at)());
}"#;
    let program = folder.bare("hidden", source);
    for jobs in ["1", "2"] {
        let explored = folder.explore(&program, &["--jobs", jobs], &[]);
        assert_eq!(
            explored.code,
            Some(0),
            "{}{}",
            explored.errors,
            explored.incomplete()
        );
        assert_eq!(explored.tests("{\"exit\":1,").len(), 1);
        assert_eq!(explored.tests("{\"exit\":7,").len(), 1);
        // It counts as the rest does.
        let coverage = &explored.summary["coverage"];
        assert_eq!(coverage["functions"], serde_json::json!([5, 5]));
        let profile = std::fs::read_to_string(explored.results.join("run.istats")).unwrap();
        assert!(profile.contains("fn=code@"), "{profile}");
    }
}

#[test]
fn code_that_changes_itself_is_refused_by_name() {
    let folder = Folder::new();
    let source = r#"
__attribute__((section(".data"), aligned(4))) unsigned int code[2] = {0x00700513, 0x00008067};
__attribute__((used)) void begin(void) {
  unsigned int number;
  klee_make_symbolic(&number, sizeof number, "number");
  if (number == 3) leave(3);
  code[0] = 0x00800513;
  leave(((long (*)(void))code)());
}"#;
    let program = folder.build(
        "changing",
        &format!("{START}{source}"),
        &["-march=rv64im", "-mabi=lp64", "-O1", "-Wl,-N"],
    );
    let explored = folder.explore(&program, &[], &[]);
    assert_eq!(explored.completed(), 1);
    assert_ne!(explored.code, Some(0));
    let said = format!("{:?}{}", explored.findings(), explored.incomplete());
    assert!(
        said.contains("self-modifying code is not supported"),
        "{said}"
    );
}

#[test]
fn words_of_an_interval_are_inputs() {
    let folder = Folder::new();
    let program = folder.bare(
        "interval",
        r#"EMPTY void interval(word *x, word lo, word hi, word step) {
  __asm__ volatile("" : : "r"(x), "r"(lo), "r"(hi), "r"(step) : "memory");
}
__attribute__((used)) void begin(void) {
  word x;
  interval(&x, 10, 20, 4);
  if (x == 10) say("ten");
  else if (x == 14) say("fourteen");
  else if (x == 18) say("eighteen");
  else say("other");
  leave(0);
}"#,
    );
    let explored = folder.explore(&program, &[], &[]);
    assert_eq!(explored.completed(), 3, "{}", explored.errors);
    assert!(explored.tests("other").is_empty());
}

#[test]
fn the_page_shows_what_happens() {
    let folder = Folder::new();
    let commands = pages::follow("riscv.md", &folder.0);
    assert_eq!(commands, 9);
}

/// String functions read whole words, past the ends of texts.
#[test]
fn a_word_may_be_read_whole_if_it_begins_in_a_heap_object() {
    let folder = Folder::new();
    let program = folder.bare(
        "words",
        r#"EMPTY void *malloc(word size) { void *at; __asm__ volatile("" : "=r"(at) : "r"(size)); return at; }
EMPTY void free(void *at) { __asm__ volatile("" : : "r"(at) : "memory"); }
__attribute__((used)) void begin(void) {
  unsigned char index;
  klee_make_symbolic(&index, 1, "index");
  klee_assume(index < 13);
  char *text = malloc(13);
  for (int i = 0; i < 13; i++) text[i] = i + 1;
  word *from = (word *)((word)(text + index) & -8ul);
  word bytes = *from;
  if (bytes == 0x0807060504030201) say("first");
  else if (bytes == 0x0d0c0b0a09) say("second");
  else say("other");
  leave(0);
}"#,
    );
    let explored = folder.explore(&program, &[], &[]);
    assert_eq!(
        explored.code,
        Some(0),
        "{}{:?}",
        explored.errors,
        explored.findings()
    );
    assert_eq!(explored.completed(), 2);
    assert!(explored.tests("other").is_empty());
}

#[test]
fn handlers_of_signals_run_on_each_path() {
    let folder = Folder::new();
    let program = folder.bare(
        "signals",
        r#"static volatile int order, at;
static void first(int signal) { order = 10 * order + 1; }
static void second(int signal) { order = 10 * order + 2; }
static long call4(long number, long a, long b, long c, long d) {
  register long a3 asm("a3") = d;
  register long a0 asm("a0") = a, a1 asm("a1") = b, a2 asm("a2") = c, a7 asm("a7") = number;
  asm volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a3), "r"(a7) : "memory");
  return a0;
}
static void on(int signal, void (*handler)(int)) {
  word action[3] = {(word)handler, 0, 0};
  call4(134, signal, (word)action, 0, 8);
}
__attribute__((used)) void begin(long *stack) {
  char **words = (char **)(stack + 1);
  word set = 1 << 9 | 1 << 11, none = 0, now;
  word own = call(172, 0, 0, 0);
  on(10, first);
  on(12, second);
  call4(135, 2, (word)&set, 0, 8);
  call(129, own, 12, 0);
  if (words[1][0] == 'x') call(129, own, 10, 0);
  call4(135, 2, (word)&none, (word)&now, 8);
  if (now != set) leave(99);
  call4(135, 2, 0, (word)&now, 8);
  leave(now ? 98 : order);
}"#,
    );
    let explored = folder.explore(&program, &[], &["--sym-arg", "1"]);
    assert_eq!(explored.code, Some(2), "{}", explored.errors);
    for code in [2, 21] {
        let ends = explored.tests(&format!("{{\"exit\":{code}}}"));
        // The frame of the second is upon that of the first.
        assert_eq!(ends.len(), 1, "{}", explored.summary);
    }
    let said = &explored.summary["incomplete"];
    assert!(!said.to_string().contains("address"), "{said}");
}
