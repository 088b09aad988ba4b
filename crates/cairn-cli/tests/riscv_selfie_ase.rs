//! Executables in the layout of the fork of Selfie that the ASE paper measures: one segment at byte 0x80 and address
//! 0x10000, no sections, no symbols, and system calls of their own.

mod guests;

use cairn_replay::{KTest, KTestObject};
use guests::{Explored, Folder};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The start and the library, as the fork's compiler makes them: a function for each system call, and a `malloc` that gives the
/// program what `brk` answers.
const LIBRARY: &str = r#"
typedef unsigned long uint64_t;
__asm__("start: call begin\n .globl start");
#define CALL(result, name, number, ...) \
  __attribute__((naked, noinline)) result name(__VA_ARGS__) { __asm__("li a7, " #number "\n ecall\n ret"); }
CALL(void, exit, 93, uint64_t code)
CALL(uint64_t, read, 63, uint64_t fd, void *to, uint64_t size)
CALL(uint64_t, write, 64, uint64_t fd, void *from, uint64_t size)
CALL(uint64_t, open, 1024, char *name, uint64_t flags, uint64_t mode)
CALL(uint64_t, brk, 214, uint64_t to)
CALL(uint64_t, interval, 42, uint64_t *at, uint64_t low, uint64_t high, uint64_t step)
CALL(uint64_t, printsv, 43, uint64_t number, uint64_t value)
CALL(void, assert_begin, 44, void)
CALL(void, assert, 45, uint64_t value)
CALL(void, assert_end, 46, void)
CALL(uint64_t, unknown, 172, uint64_t value)
uint64_t bump = 1;
uint64_t *malloc(uint64_t size) {
  if (bump == 1) bump = brk(0);
  uint64_t next = bump + (size + 7) / 8 * 8;
  uint64_t *block = (uint64_t *)brk(next);
  bump = next;
  return block;
}
uint64_t main(void);
void begin(void) { exit(main()); }
#line 1
"#;

/// Code, then data, without a gap.
const SCRIPT: &str = "
SECTIONS {
  . = 0x10000;
  .all : { *(.text*) . = ALIGN(8); *(.rodata*) *(.sdata*) *(.data*) *(.sbss*) *(.bss*) *(COMMON) . = ALIGN(8); }
  /DISCARD/ : { *(.comment) *(.riscv.attributes) *(.note*) *(.eh_frame*) }
}";

/// Builds a program in the fork's layout.
fn build(folder: &Folder, source: &str) -> PathBuf {
    let script = folder.0.join("script");
    std::fs::write(&script, SCRIPT).unwrap();
    let script = format!("-Wl,-T,{}", script.display());
    let flags = ["-march=rv64im", "-mabi=lp64", "-mno-relax", "-O0", &script];
    let linked = folder.build("linked", &format!("{LIBRARY}{source}"), &flags);
    let flat = folder.0.join("flat");
    let copied = Command::new("llvm-objcopy-19")
        .args(["-O", "binary", "-j", ".all"])
        .args([&linked, &flat])
        .status()
        .expect("LLVM's tools are installed");
    assert!(copied.success());
    let program = folder.0.join("program.m");
    std::fs::write(&program, in_layout(&std::fs::read(&flat).unwrap())).unwrap();
    program
}

/// The file: a header, one program header, a word that says how long the code is, the segment.
fn in_layout(segment: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    file.extend(*b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0");
    file.extend([2, 0, 243, 0, 1, 0, 0, 0]);
    let size = segment.len() as u64;
    let sections: u64 = 0;
    for word in [0x10000, 64, sections] {
        file.extend(word.to_le_bytes());
    }
    for half in [0u16, 0, 64, 56, 1, 0, 0, 0] {
        file.extend(half.to_le_bytes());
    }
    file.extend([1, 0, 0, 0, 7, 0, 0, 0]);
    for word in [0x80, 0x10000, 0, size, size, 0x1000, size] {
        file.extend(word.to_le_bytes());
    }
    assert_eq!(file.len(), 0x80);
    file.extend(segment);
    file
}

fn concrete(program: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cairn"))
        .args(["run", "--concrete"])
        .args(words)
        .arg(program)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Explores, and what the paths end with is in order.
fn exits(explored: &Explored) -> Vec<i64> {
    let files = std::fs::read_dir(&explored.results).unwrap();
    let files = files.map(|f| f.unwrap().path());
    let files = files.filter(|f| f.extension().is_some_and(|e| e == "expect"));
    let mut all: Vec<i64> = files
        .filter_map(|file| {
            let text = std::fs::read_to_string(file).unwrap();
            let value: serde_json::Value = serde_json::from_str(&text).unwrap();
            value["exit"].as_i64()
        })
        .collect();
    all.sort_unstable();
    all
}

fn is_complete(explored: &Explored) {
    let said = (explored.incomplete(), &explored.errors);
    assert_eq!(explored.summary["status"], "complete", "{said:?}");
    assert_eq!(explored.summary["abi"], "selfie-ase");
}

/// `brk` answers with the break before it, so blocks begin where they should. Under the other conventions the same
/// code gets the end of each block, and the blocks overlap: that is what it means there.
#[test]
fn blocks_do_not_overlap() {
    let folder = Folder::new();
    let program = build(
        &folder,
        "uint64_t main(void) {
  uint64_t *p = malloc(16), *q = malloc(8);
  *q = 1;
  *(p + 1) = 7;
  return *q;
}",
    );
    for (words, code) in [
        (&[][..], 1),
        (&["--abi", "selfie-ase"], 1),
        (&["--abi", "selfie"], 7),
        (&["--abi", "linux"], 7),
    ] {
        assert_eq!(
            concrete(&program, words).status.code(),
            Some(code),
            "{words:?}"
        );
        let explored = folder.explore(&program, words, &[]);
        assert_eq!(exits(&explored), [i64::from(code)], "{words:?}");
        assert_eq!(explored.code, Some(0), "{}", explored.incomplete());
        let name = words.get(1).copied().unwrap_or("selfie-ase");
        assert_eq!(explored.summary["abi"], name);
    }
    let printed = Command::new(env!("CARGO_BIN_EXE_cairn"))
        .args(["run", "--output-dir"])
        .args([&folder.0.join("printed"), &program])
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
    let line = "convention of system calls: selfie-ase, assumed by the layout of the file";
    assert!(printed.contains(line), "{printed}");
}

/// What the break may be: more than it was, a multiple of eight, and not far beyond; its answers are what it was.
#[test]
fn the_break_only_moves_up() {
    let folder = Folder::new();
    let program = build(
        &folder,
        "uint64_t main(void) {
  uint64_t start = brk(0);
  if (brk(start + 16) - start) return 1;
  if (brk(start + 8) - start - 16) return 2;
  if (brk(start + 28) - start - 16) return 3;
  if (brk(0) - start - 16) return 5;
  if (brk(start + 16) - start - 16) return 6;
  if (brk(start + 8192) - start - 16) return 7;
  *(uint64_t *)(start + 8184) = 3;
  return 8 + (brk(0) - start == 8192);
}",
    );
    assert_eq!(concrete(&program, &[]).status.code(), Some(9));
    let explored = folder.explore(&program, &[], &[]);
    is_complete(&explored);
    assert_eq!(exits(&explored), [9]);
    // Upstream's answer is the break after the call.
    let upstream = concrete(&program, &["--abi", "selfie"]).status.code();
    assert_eq!(upstream, Some(1));
    let program = build(
        &folder,
        "uint64_t main(void) {
  uint64_t start = brk(0);
  if (brk(start + 16) != start + 16) return 1;
  if (brk(start + 8) != start + 16) return 2;
  if (brk(start + 28) != start + 16) return 3;
  return brk(start + 32) == start + 32;
}",
    );
    let upstream = concrete(&program, &["--abi", "selfie"]).status.code();
    assert_eq!(upstream, Some(1));
    // Linux's goes down, and anywhere.
    assert_eq!(
        concrete(&program, &["--abi", "linux"]).status.code(),
        Some(2)
    );
    let far = "uint64_t main(void) {
  uint64_t start = brk(0);
  return brk(start + 5000000000) == start && brk(0) == start;
}";
    let program = build(&folder, far);
    assert_eq!(concrete(&program, &[]).status.code(), Some(1));
    let program = build(
        &folder,
        "uint64_t main(void) { brk(brk(0) + 3000000000); return 0; }",
    );
    let explored = folder.explore(&program, &[], &[]);
    assert_eq!(explored.code, Some(2));
    let said = explored.incomplete();
    assert!(
        said.contains("brk: more memory than the system gives"),
        "{said}"
    );
}

/// An input has every value from the first on, in steps, up to the last.
#[test]
fn inputs_have_the_values_of_their_interval() {
    let folder = Folder::new();
    let program = build(
        &folder,
        "uint64_t main(void) {
  uint64_t x, *a = malloc(16);
  interval(&x, 10, 29, 5);
  if (x == 10) return 1;
  if (x == 15) return 2;
  if (x == 20) return 3;
  if (x != 25) return 99;
  interval(a + 1, 18446744073709551614, 18446744073709551615, 1);
  return a[1] + 6;
}",
    );
    let explored = folder.explore(&program, &[], &[]);
    is_complete(&explored);
    assert_eq!(explored.completed(), 4);
    let found = exits(&explored);
    assert_eq!(found[..3], [1, 2, 3]);
    assert!([4, 5].contains(&found[3]), "{found:?}");
    for (i, code) in found.iter().enumerate() {
        let [test] = &explored.tests(&format!("{{\"exit\":{code},"))[..] else {
            panic!("{i}: {found:?}")
        };
        let ran = concrete(&program, &["--ktest", test.to_str().unwrap()]);
        assert_eq!(ran.status.code(), i32::try_from(*code).ok());
    }
}

/// An input without a value is one error in a sentence, at the call.
#[test]
fn an_interval_needs_a_step_and_a_number() {
    let folder = Folder::new();
    for (call, message) in [
        (
            "interval(&x, 0, 9, 0)",
            "interval with step 0: a step is at least 1",
        ),
        (
            "interval(&x, 9, 8, 1)",
            "interval with a first number above the last",
        ),
    ] {
        let program = build(
            &folder,
            &format!("uint64_t main(void) {{ uint64_t x; {call}; return 0; }}"),
        );
        let explored = folder.explore(&program, &[], &[]);
        let findings = explored.findings();
        let [(kind, _, _, said)] = &findings[..] else {
            panic!("{findings:?}")
        };
        assert_eq!(kind, "user");
        assert!(said.starts_with(message), "{said}");
        let ran = concrete(&program, &[]);
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(ran.status.code(), Some(1));
        assert!(said.contains(message), "{said}");
    }
    // Some of its values are wrong, the others go on.
    let program = build(
        &folder,
        "uint64_t main(void) {
  uint64_t x, y;
  interval(&x, 0, 6, 1);
  interval(&y, 3, x, x / 2);
  if (y == 5) return 1;
  return 0;
}",
    );
    let explored = folder.explore(&program, &[], &[]);
    assert_eq!(explored.completed(), 2, "{}", explored.incomplete());
    let messages = explored.findings().into_iter().map(|f| f.3);
    assert_eq!(messages.count(), 1, "both are at one call");
    assert_eq!(explored.summary["paths"]["errors"], 2);
    assert_eq!(exits(&explored), [0, 1]);
}

/// An assertion is checked in a zone and outside of one alike; each that can fail is a finding of its own, at the call. What follows
/// it holds.
#[test]
fn assertions_that_can_fail_are_findings() {
    let folder = Folder::new();
    let program = build(
        &folder,
        "uint64_t main(void) {
  uint64_t x;
  interval(&x, 0, 9, 1);
  assert(x < 10);
  assert(x < 8);
  assert_begin();
  assert(x <= 7);
  assert(x != 3);
  assert_end();
  return x == 3;
}",
    );
    let explored = folder.explore(&program, &[], &[]);
    let findings = explored.findings();
    assert_eq!(findings.len(), 2, "{findings:?}");
    assert!(findings.iter().all(|f| f.0 == "assert"), "{findings:?}");
    assert_ne!(findings[0].3, findings[1].3, "each says where it is");
    assert_eq!(exits(&explored), [0]);
    assert_eq!(explored.summary["paths"]["errors"], 2);
    assert_eq!(explored.summary["incomplete"], serde_json::json!([]));
    let tests = explored.tests("assert");
    assert!(tests.is_empty(), "errors have no expectation");
}

/// Values are shown with what they can be; the other calls leave `a0` as it is.
#[test]
fn values_are_shown_and_registers_stay() {
    let folder = Folder::new();
    let program = build(
        &folder,
        "uint64_t main(void) {
  uint64_t x, kept;
  interval(&x, 3, 5, 2);
  kept = printsv(21, x);
  if (kept != 21) return 1;
  if (interval(&x, 4, 4, 1) != (uint64_t)&x) return 2;
  printsv(22, x + 1);
  return 0;
}",
    );
    let explored = folder.explore(&program, &[], &[]);
    is_complete(&explored);
    assert_eq!(exits(&explored), [0]);
    let messages = std::fs::read_to_string(explored.results.join("messages.txt")).unwrap();
    let shown: Vec<&str> = messages.lines().filter(|l| l.contains("printsv")).collect();
    assert!(
        shown[0].starts_with("printsv 21:") && shown[0].contains("(in [3, 5])"),
        "{shown:?}"
    );
    assert!(
        shown[1].starts_with("printsv 22:") && shown[1].ends_with("== 5"),
        "{shown:?}"
    );
    let [test] = &explored.tests("{\"exit\":0,")[..] else {
        panic!("one path")
    };
    let ran = concrete(&program, &["--ktest", test.to_str().unwrap()]);
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(said.contains("printsv 22:5"), "{said}");
}

/// Files, and calls that fail.
#[test]
fn files_are_opened_and_failures_are_minus_one() {
    let folder = Folder::new();
    let program = build(
        &folder,
        r#"uint64_t main(void) {
  uint64_t word = 0;
  uint64_t fd = open("A", 0, 0);
  if (open("nowhere", 0, 0) != -1ul) return 1;
  if (read(77, &word, 8) != 0xffffffff) return 2;
  if (write(77, &word, 8) != 0xffffffff) return 3;
  if (read(fd, &word, 4) != 4) return 4;
  if (write(1, "text", 4) != 4) return 5;
  if (word == 0x64636261) return 6;
  return 7;
}"#,
    );
    let explored = folder.explore(&program, &[], &["--sym-files", "1", "4"]);
    assert_eq!(explored.errors, "");
    assert_eq!(exits(&explored), [6, 7], "{}", explored.incomplete());
    // The others of Linux's calls are not among them.
    let program = build(&folder, "uint64_t main(void) { return unknown(3); }");
    let explored = folder.explore(&program, &[], &[]);
    assert_eq!(explored.code, Some(2));
    let said = explored.incomplete();
    assert!(
        said.contains("a system call that the convention selfie-ase does not have"),
        "{said}"
    );
    assert_eq!(
        folder
            .explore(&program, &["--abi", "selfie"], &[])
            .completed(),
        1
    );
}

/// A division by zero has one answer, however the program is run and whatever its convention.
#[test]
fn a_division_by_zero_has_one_answer() {
    let folder = Folder::new();
    let program = build(
        &folder,
        "uint64_t main(void) { uint64_t x = 0; interval(&x, 0, 1, 1); return (7 / x) % 256; }",
    );
    let explored = folder.explore(&program, &[], &[]);
    let findings = explored.findings();
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0].0, "div");
    assert_eq!(exits(&explored), [7]);
    let test = folder.0.join("zero.ktest");
    let zero = KTestObject {
        name: b"interval".to_vec(),
        bytes: vec![0; 8],
    };
    let made = KTest {
        args: vec![b"p".to_vec()],
        objects: vec![zero],
        ..KTest::default()
    };
    made.write_atomically(&test).unwrap();
    let on_test = ["--ktest", test.to_str().unwrap()];
    assert_eq!(concrete(&program, &on_test).status.code(), Some(1));
    let defined = [&on_test[..], &["--defined-division"]].concat();
    assert_eq!(concrete(&program, &defined).status.code(), Some(255));
    let program = build(
        &folder,
        "uint64_t main(void) { uint64_t x = 0; return (7 / x) % 256; }",
    );
    for abi in ["linux", "selfie", "selfie-ase"] {
        let words = ["--abi", abi];
        let found = folder.explore(&program, &words, &[]).findings();
        assert_eq!(found.len(), 1, "{abi}");
        assert_eq!(concrete(&program, &words).status.code(), Some(1), "{abi}");
        let with_test = [&words[..], &on_test].concat();
        assert_eq!(
            concrete(&program, &with_test).status.code(),
            Some(1),
            "{abi}"
        );
        let defined = [&words[..], &["--defined-division"]].concat();
        assert_eq!(
            concrete(&program, &defined).status.code(),
            Some(255),
            "{abi}"
        );
    }
}

/// Only what is about executables takes the option.
#[test]
fn the_option_is_for_executables() {
    let folder = Folder::new();
    let source = folder.0.join("p.c");
    std::fs::write(&source, "int main(void) { return 0; }").unwrap();
    let ran = concrete(&source, &["--abi", "linux"]);
    assert_eq!(ran.status.code(), Some(64));
}
