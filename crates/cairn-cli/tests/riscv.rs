//! `cairn run --concrete` on RISC-V executables.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Writes a sentence and exits with the number of its arguments; with two of them it goes wrong.
const SOURCE: &str = r#"
static long call(long number, long a, long b, long c) {
  register long a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c;
  register long a7 __asm__("a7") = number;
  __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
  return a0;
}
__attribute__((used)) void begin(long *stack) {
  call(64, 1, (long)"from a guest\n", 13);
  if (stack[0] > 2) *(volatile char *)8 = 1;
  call(93, stack[0], 0, 0);
}
__attribute__((naked)) void _start(void) { __asm__("mv a0, sp\n call begin"); }
"#;

fn build(folder: &Path) -> PathBuf {
    std::fs::create_dir_all(folder).unwrap();
    let (source, program) = (folder.join("guest.c"), folder.join("guest.elf"));
    std::fs::write(&source, SOURCE).unwrap();
    let made = Command::new("clang-19")
        .args(["--target=riscv64-unknown-elf", "-march=rv64gc", "-O1", "-g"])
        .args(["-nostdlib", "-ffreestanding", "-fuse-ld=lld", "-static"])
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .output()
        .expect("clang-19 is installed");
    let said = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "{said}");
    program
}

fn cairn(words: &[&str], program: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cairn"))
        .arg("run")
        .args(words)
        .arg(program)
        .arg("--")
        .args(args)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn an_executable_runs_with_its_arguments_and_errors_have_their_place() {
    let folder = std::env::temp_dir().join(format!("cairn-riscv-{}", std::process::id()));
    let program = build(&folder);
    let good = cairn(&["--concrete"], &program, &["one"]);
    assert_eq!(String::from_utf8_lossy(&good.stdout), "from a guest\n");
    assert_eq!(good.status.code(), Some(2));

    let bad = cairn(&["--concrete"], &program, &["one", "two"]);
    let said = String::from_utf8_lossy(&bad.stderr);
    assert_eq!(bad.status.code(), Some(1), "{said}");
    assert!(
        said.contains("null") && said.contains("guest.c:10"),
        "{said}"
    );

    let explored = cairn(&[], &program, &[]);
    let said = String::from_utf8_lossy(&explored.stderr);
    assert_eq!(explored.status.code(), Some(65), "{said}");
    assert!(said.contains("--concrete"), "{said}");
    std::fs::remove_dir_all(&folder).unwrap();
}
