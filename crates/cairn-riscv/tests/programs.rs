//! Compiled C programs: those of the GNU tools against QEMU, and small ones without a library whose
//! errors must be found at the right place.

mod common;

use common::{Outcome, run_eagerly, run_here, run_on_test, run_qemu, scratch};
use std::fs;
use std::process::Command;

/// What a program without a library starts with.
const BEGIN: &str = r#"
__asm__(".globl _start\n_start:\n.option push\n.option norelax\nlla gp, __global_pointer$\n"
        ".option pop\nmv a0, sp\ncall begin\n");
static long ask(long number, long a, long b, long c) {
  register long a7 __asm__("a7") = number, a0 __asm__("a0") = a, a1 __asm__("a1") = b,
                a2 __asm__("a2") = c;
  __asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2) : "memory");
  return a0;
}
static void print(long n) {
  char text[24]; int at = 24; text[--at] = '\n';
  unsigned long left = n < 0 ? -(unsigned long)n : (unsigned long)n;
  do { text[--at] = '0' + left % 10; left /= 10; } while (left);
  if (n < 0) text[--at] = '-';
  ask(64, 1, (long)(text + at), 24 - at);
}
int main(int argc, char **argv);
#ifdef RELOCATE
extern char __ehdr_start[] __attribute__((visibility("hidden")));
extern unsigned long _DYNAMIC[] __attribute__((visibility("hidden")));
#endif
__attribute__((used)) void begin(long *stack) {
#ifdef RELOCATE
  unsigned long base = (unsigned long)__ehdr_start, *from = 0, size = 0;
  for (unsigned long *d = _DYNAMIC; *d; d += 2) {
    if (d[0] == 7) from = (unsigned long *)(base + d[1]);
    if (d[0] == 8) size = d[1];
  }
  for (unsigned long i = 0; i < size / 8; i += 3) *(unsigned long *)(base + from[i]) = base + from[i + 2];
#endif
  ask(93, main((int)stack[0], (char **)(stack + 1)), 0, 0);
}
"#;

/// Compiles with clang, without a library.
fn bare(name: &str, source: &str, flags: &[&str]) -> Vec<u8> {
    let (from, to) = (
        scratch(&format!("{name}.c")),
        scratch(&format!("{name}.elf")),
    );
    fs::write(&from, format!("{BEGIN}\n#line 1 \"{name}.c\"\n{source}")).expect("a scratch file");
    let made = Command::new("clang-19")
        .args([
            "--target=riscv64-linux-gnu",
            "-nostdlib",
            "-fuse-ld=lld-19",
            "-fno-builtin",
        ])
        .args(["-fno-stack-protector", "-w"])
        .args(if flags.contains(&"-static-pie") {
            [].as_slice()
        } else {
            &["-static", "-fno-pie"]
        })
        .args(flags)
        .arg(&from)
        .arg("-o")
        .arg(&to)
        .status()
        .expect("clang-19 and lld-19 are installed");
    assert!(made.success());
    fs::read(&to).expect("the compiled program")
}

/// Compiles with the GNU cross-compiler and its library.
fn gnu(name: &str, source: &str, flags: &[&str]) -> Vec<u8> {
    let (from, to) = (
        scratch(&format!("{name}.c")),
        scratch(&format!("{name}.elf")),
    );
    fs::write(&from, source).expect("a scratch file");
    let made = Command::new("riscv64-linux-gnu-gcc")
        .arg("-static")
        .args(flags)
        .arg(&from)
        .arg("-o")
        .arg(&to)
        .arg("-lm")
        .status()
        .expect("riscv64-linux-gnu-gcc is installed (package gcc-riscv64-linux-gnu)");
    assert!(made.success());
    fs::read(&to).expect("the compiled program")
}

fn same_as_qemu(name: &str, file: &[u8], args: &[&str]) {
    let theirs = run_qemu(name, file, args);
    assert_eq!(run_here(name, file, args), theirs, "{name}");
    assert_eq!(
        run_eagerly(name, file, args),
        theirs,
        "{name}, all lowered at once"
    );
}

const WORK: &str = r#"
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static double table[5] = {1.5, -2.25, 1e300, 0.1, 3};
static float small[3] = {0.1f, 16777217.0f, -3.5f};
__attribute__((noinline)) static int pick(int x) {
  switch (x) {
  case 0: return 5; case 1: return 77; case 2: return 3; case 3: return 123;
  case 4: return 9; case 5: return 1; case 6: return -4; default: return x * 3;
  }
}
typedef long (*operation)(long, long);
static long add(long a, long b) { return a + b; }
static long sub(long a, long b) { return a - b; }
static long mul(long a, long b) { return a * b; }
static long divide(long a, long b) { return a / b; }
static long rest(long a, long b) { return a % b; }
static operation operations[] = {add, sub, mul, divide, rest};
__attribute__((noinline)) static long even(long n);
__attribute__((noinline)) static long odd(long n) { if (n == 0) return 0; return even(n - 1); }
__attribute__((noinline)) static long even(long n) { if (n == 0) return 1; return odd(n - 1); }
__attribute__((noinline)) static long nest(long n, volatile char *below) {
  volatile char here = n;
  return n ? nest(n - 1, &here) + *below : *below;
}
static unsigned long memory[64];
int main(int argc, char **argv) {
  print(fib(15));
  long sum = 0;
  for (int i = 0; i < 10; i++) sum = sum * 7 + pick(i);
  print(sum);
  for (int i = 0; i < 5; i++) print(operations[i](-1000000007, 13));
  double product = 1;
  for (int i = 0; i < 5; i++) product = product * table[i] + i;
  print((long)(product / 1e290));
  float f = 0;
  for (int i = 0; i < 3; i++) f += small[i] * small[i];
  print((long)(f * 16));
  double root;
  __asm__("fsqrt.d %0, %1" : "=f"(root) : "f"(2.0 * argc));
  print(root * 1e6);
  for (int i = 0; i < 64; i++) memory[i] = memory[(i * 5 + 3) % 64] * 6364136223846793005ul + i;
  print(memory[63] >> 3);
  print(even(100001) + 2 * odd(70001));
  char first = 3;
  print(nest(60000, &first));
  print((unsigned __int128)memory[62] * memory[63] >> 64);
  for (char **a = argv + 1; *a; a++) { int n = 0; while ((*a)[n]) n++; print(n * 256 + (*a)[0]); }
  print(__atomic_fetch_add(&memory[1], 5, __ATOMIC_SEQ_CST) != memory[1]);
  unsigned expected = 0;
  static unsigned word;
  long flags;
  __asm__ volatile("fdiv.d %1, %1, %1\nfsflagsi 0\ncsrsi fflags, 9\ncsrci fflags, 1\nfrflags %0" : "=r"(flags), "+f"(root));
  print(flags);
  __asm__ volatile("fdiv.d %1, %1, %1\ncsrci fflags, 31\nfrflags %0" : "=r"(flags), "+f"(root));
  print(flags);
  __asm__ volatile("fsrmi %0, 1\nfrcsr %0\nfsrm zero" : "=r"(flags));
  print(flags);
  print(__atomic_compare_exchange_n(&word, &expected, 9, 0, 5, 5) + word);
  return argc;
}
"#;

#[test]
fn compiled_without_a_library() {
    let sets: [&[&str]; 6] = [
        &["-O0", "-march=rv64gc", "-mabi=lp64d"],
        &["-O2", "-march=rv64gc", "-mabi=lp64d"],
        &["-Os", "-march=rv64gc", "-mabi=lp64d"],
        &["-O2", "-march=rv64imafd", "-mabi=lp64d", "-mno-relax"],
        &[
            "-O0",
            "-march=rv64gc",
            "-mabi=lp64d",
            "-static-pie",
            "-fPIE",
            "-DRELOCATE",
        ],
        &[
            "-O2",
            "-march=rv64gc",
            "-mabi=lp64d",
            "-static-pie",
            "-fPIE",
            "-DRELOCATE",
        ],
    ];
    for (i, flags) in sets.iter().enumerate() {
        let name = format!("bare-{i}");
        let file = bare(&name, WORK, flags);
        same_as_qemu(&name, &file, &["one", "two words", ""]);
    }
}

const LIBRARY: &str = r#"
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static jmp_buf place;
static void deep(int n) { if (n == 0) longjmp(place, 7); deep(n - 1); }
int main(int argc, char **argv) {
  int v[10] = {5, 3, 9, 1, 0, 22, -4, 8, 7, 6};
  qsort(v, 10, sizeof *v, by_value);
  for (int i = 0; i < 10; i++) printf("%d ", v[i]);
  printf("\n%s %d %.3f %g %x\n", argv[1], argc, 3.14159 * argc, 1e100 / argc, 0xbeef);
  char *text = malloc(100), *copy;
  strcpy(text, "from the heap");
  copy = strdup(text);
  text = realloc(text, 4000);
  printf("%s, %s, %zu\n", text, copy, strlen(text));
  free(text); free(copy);
  printf("%.6f %.6f %.6f\n", sqrt(2.0 * argc), pow(argc, 2.5), exp(-1.0) + log(10));
  for (volatile int i = 0; i < 3; i++) {
    int back = setjmp(place);
    if (back == 0) deep(20 + i); else printf("back %d in round %d\n", back, i);
  }
  char line[64];
  snprintf(line, sizeof line, "%ld %s", strtol("-12345", 0, 10), strchr("a=b", '='));
  puts(line);
  fprintf(stderr, "done\n");
  return 42;
}
"#;

#[test]
fn compiled_with_the_gnu_library() {
    for level in ["-O0", "-O2"] {
        let file = gnu(&format!("library{level}"), LIBRARY, &[level]);
        same_as_qemu(&format!("library-run{level}"), &file, &["first", "second"]);
    }
}

/// How a program without a library ends.
fn ends(name: &str, source: &str) -> String {
    let file = bare(name, source, &["-O1", "-g", "-march=rv64gc", "-mabi=lp64d"]);
    let Outcome { end, .. } = run_here(name, &file, &[]);
    end
}

fn assert_found(end: &str, message: &str, place: &str) {
    assert!(end.contains(message) && end.contains(place), "{end}");
}

#[test]
fn errors_are_found_where_they_are() {
    // The allocator is never called: its symbols are enough.
    let heap = "void *malloc(unsigned long); void free(void *); __asm__(\".globl malloc, free\\n\
                .type malloc, @function\\n.type free, @function\\nmalloc: ebreak\\nfree: ebreak\\n\");\n";
    let program = |body: &str| format!("{heap}int main(int argc, char **argv) {{\n{body}\n}}");
    let cases = [
        (
            "over",
            "volatile char *p = malloc(10);\nreturn p[10];",
            "heap object of 10 bytes",
            "over.c:4",
        ),
        (
            "under",
            "volatile char *p = malloc(10);\np[0] = 1;\nreturn p[-1];",
            "outside of",
            "under.c:5",
        ),
        (
            "after",
            "volatile char *p = malloc(10);\nfree((void *)p);\nreturn *p;",
            "an object that has ended",
            "after.c:5",
        ),
        (
            "twice",
            "char *p = malloc(10);\nfree(p);\nfree(p);\nreturn 0;",
            "was freed before",
            "twice.c:5",
        ),
        (
            "inner",
            "char *p = malloc(10);\nfree(p + 1);\nreturn 0;",
            "free",
            "inner.c:4",
        ),
        (
            "null",
            "return *(volatile int *)(long)(argc - 1);",
            "null pointer",
            "null.c:3",
        ),
        (
            "wild",
            "return *(volatile int *)0x123456789000;",
            "outside of",
            "wild.c:3",
        ),
        (
            "constant",
            "*(volatile char *)\"text\" = 1;\nreturn 0;",
            "constant",
            "constant.c:3",
        ),
    ];
    for (name, body, message, place) in cases {
        let end = ends(name, &program(body));
        assert_found(&end, message, place);
    }
}

#[test]
fn what_cannot_be_run_is_named() {
    let main = |body: &str| format!("int main(int argc, char **argv) {{\n{body}\nreturn 0;\n}}");
    let cases = [
        ("trap", "__builtin_trap();", "trap (unimp)"),
        (
            "breakpoint",
            "__asm__ volatile(\"ebreak\");",
            "breakpoint (ebreak)",
        ),
        ("privileged", "__asm__ volatile(\"mret\");", "0x30200073"),
        (
            "vector",
            "__asm__ volatile(\".insn 4, 0x0d0572d7\");",
            "no instruction of RV64GC",
        ),
        (
            "status",
            "__asm__ volatile(\"csrr a0, mstatus\" ::: \"a0\");",
            "control register",
        ),
        (
            "mode",
            "__asm__ volatile(\"fsrmi 5\\nfadd.d fa0, fa0, fa0\" ::: \"fa0\");",
            "a rounding mode that does not exist",
        ),
        ("code", "*(volatile int *)main = 0;", "self-modifying code"),
        (
            "nowhere",
            "((void (*)(void))0x5000)();",
            "0x5000, where no code is",
        ),
        (
            "unaligned",
            "__asm__ volatile(\"amoadd.w a0, a0, (%0)\" :: \"r\"((long)argv + 2) : \"a0\");",
            "multiple of 4",
        ),
        (
            "call",
            "ask(9999, 0, 0, 0);",
            "system call number 9999 is not modelled",
        ),
    ];
    for (name, body, message) in cases {
        assert_found(&ends(name, &main(body)), message, "");
    }
}

/// What a program asks Cairn for by symbol is answered from a test.
#[test]
fn inputs_come_from_a_test() {
    let source = "void klee_make_symbolic(void *, unsigned long, const char *); void klee_assume(unsigned long);\n\
        int klee_range(int, int, const char *); unsigned char __VERIFIER_nondet_uchar(void);\n\
        __asm__(\".globl klee_make_symbolic, klee_assume, klee_range, __VERIFIER_nondet_uchar\\n\"\n\
        \"klee_make_symbolic: ebreak\\nklee_assume: ebreak\\nklee_range: ebreak\\n__VERIFIER_nondet_uchar: ebreak\\n\");\n\
        int main(int argc, char **argv) { int x; klee_make_symbolic(&x, sizeof x, \"x\"); klee_assume(x < 0);\n\
        print(x); print(klee_range(-5, 5, \"y\")); print(__VERIFIER_nondet_uchar()); return 0; }";
    let file = bare("inputs", source, &["-O1", "-march=rv64gc", "-mabi=lp64d"]);
    let objects = [
        ("x", (-77i32).to_le_bytes().to_vec()),
        ("y", (-3i32).to_le_bytes().to_vec()),
        ("nondet_uchar", vec![200]),
    ];
    let objects = objects.map(|(name, bytes)| (name.to_string(), bytes));
    let ran = run_on_test("inputs", &file, &[], false, Some(objects.to_vec()));
    assert_eq!(ran.end, "exit 0");
    assert_eq!(String::from_utf8_lossy(&ran.output), "-77\n-3\n200\n");
}

/// The tier by hand: generated C programs, each compiled twice.
#[test]
#[ignore = "takes minutes; run by hand with --ignored"]
fn generated_c_programs() {
    let mut compared = 0;
    for seed in 1..=100 {
        let generated = Command::new("csmith")
            .args(["--seed", &seed.to_string()])
            .output()
            .expect("csmith is installed");
        let source = String::from_utf8(generated.stdout).expect("text");
        for level in ["-O0", "-O2"] {
            let name = format!("csmith-{seed}{level}");
            let file = gnu(&name, &source, &[level, "-w", "-I/usr/include/csmith"]);
            // Some programs never end; ours then stops at its limit.
            let ours = run_here(&name, &file, &[]);
            if ours.end != "limit" {
                assert_eq!(ours, run_qemu(&name, &file, &[]), "{name}");
                compared += 1;
            }
        }
    }
    assert!(compared > 100, "only {compared} programs ended");
}
