//! Static executables for RISC-V that depend on what Linux chooses anew in each run say so, and those
//! that only use addresses as addresses are complete.

mod guests;

use guests::{Explored, Folder};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs whose outcome is another in another layout, or in another run: none is complete.
const DEPENDENT: [(&str, &str); 32] = [
    (
        "prints a local",
        "int main(void) { int x; printf(\"%p\\n\", (void *)&x); return 0; }",
    ),
    (
        "prints an object",
        "int main(void) { printf(\"%p\\n\", malloc(10)); return 0; }",
    ),
    (
        "bit of the stack",
        "int main(void) { volatile int x; return (unsigned long)&x >> 12 & 1; }",
    ),
    (
        "hash of the heap",
        "int main(void) { unsigned long p = (unsigned long)malloc(9); return (p >> 4) * 2654435761u % 61 == 3; }",
    ),
    (
        "page of the break",
        "int main(void) { return ((unsigned long)sbrk(0) >> 12) % 97 == 13; }",
    ),
    (
        "break and a number",
        "int main(void) { return (unsigned long)sbrk(0) < 0x10000000; }",
    ),
    (
        "mapping",
        "int main(void) { void *p = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); return (unsigned long)p >> 13 & 1; }",
    ),
    (
        "random bytes",
        "int main(void) { return ((unsigned char *)getauxval(AT_RANDOM))[3] == 200; }",
    ),
    (
        "random output",
        "int main(void) { write(1, (void *)getauxval(AT_RANDOM), 4); return 0; }",
    ),
    (
        "input and address",
        "int main(void) { unsigned char c = 0; read(0, &c, 1); return c * ((unsigned long)&c >> 12 & 0xfff) == 12345; }",
    ),
    (
        "index of a table",
        "static int table[16]; int main(void) { int x; table[(unsigned long)&x >> 12 & 15] = 1; return table[5]; }",
    ),
    (
        "switch",
        "int main(void) { volatile int x; switch ((unsigned long)&x >> 12 & 7) { case 0: return 1; case 1: return 5; case 2: return 7; case 3: return 8; case 4: return 2; } return 0; }",
    ),
    (
        "float",
        "int main(void) { int x; return (double)(unsigned long)&x / 4096.0 > 67000000.0; }",
    ),
    (
        "order of objects",
        "int main(void) { char *p = malloc(8), *q = malloc(8); return p < q; }",
    ),
    (
        "distance of objects",
        "int main(void) { char *p = malloc(8), *q = malloc(8); return q - p == 32; }",
    ),
    (
        "exit code",
        "int main(void) { int x; _exit((int)(unsigned long)&x); }",
    ),
    (
        "number as an address",
        "int main(void) { return *(volatile char *)0x3fffffffe000; }",
    ),
    (
        "written pointer",
        "int main(void) { int x; void *p = &x; write(1, &p, sizeof p); return 0; }",
    ),
    (
        "static object or local",
        "static int g; int main(void) { unsigned char c = 0; int x; int *volatile t[2] = {&g, &x}; read(0, &c, 1); return (unsigned long)t[c & 1] >> 12 & 1; }",
    ),
    (
        "null or local",
        "int main(void) { unsigned char c = 0; int x; int *volatile t[2] = {0, &x}; read(0, &c, 1); return (unsigned long)t[c & 1] >> 12 & 1; }",
    ),
    (
        "distance of a choice",
        "static int g; int main(void) { unsigned char c = 0; int x; int *volatile t[2] = {&x, &g}; read(0, &c, 1); return ((unsigned long)t[c & 1] - (unsigned long)&x) >> 12 & 1; }",
    ),
    (
        "offset of a choice",
        "static int g[64]; int main(void) { unsigned char c[2] = {0}; int x[64]; int *volatile t[2] = {g, x}; read(0, c, 2); return (unsigned long)(t[c[0] & 1] + (c[1] & 63)) >> 12 & 1; }",
    ),
    (
        "equal to an input",
        "int main(void) { unsigned char c = 0; int x; read(0, &c, 1); return (unsigned long)&x == (unsigned long)c << 39; }",
    ),
    (
        "number less two addresses",
        "int main(void) { int x[2]; volatile unsigned long n = 100; unsigned long d = n - (unsigned long)&x[0]; __asm__(\"\" : \"+r\"(d)); return (d - (unsigned long)&x[1]) >> 14 & 1; }",
    ),
    (
        "input less two addresses",
        "int main(void) { unsigned char c = 0; int x[2]; read(0, &c, 1); unsigned long d = c - (unsigned long)&x[0]; __asm__(\"\" : \"+r\"(d)); return (d - (unsigned long)&x[1]) >> 14 & 1; }",
    ),
    (
        "address less an input",
        "int main(void) { unsigned char c = 0; int x; read(0, &c, 1); unsigned long d = (unsigned long)&x - ((unsigned long)c << 39); __asm__(\"\" : \"+r\"(d)); return d == 0; }",
    ),
    (
        "large number less two addresses",
        "int main(void) { int x[2]; volatile unsigned long n = 1ul << 40; unsigned long d = n - (unsigned long)&x[0]; __asm__(\"\" : \"+r\"(d)); return (d - (unsigned long)&x[1]) >> 14 & 1; }",
    ),
    (
        "number less the break",
        "int main(void) { volatile unsigned long n = 2 * (unsigned long)0x40000; unsigned long d = n - (unsigned long)sbrk(4096); __asm__(\"\" : \"+r\"(d)); return d == 0x30000; }",
    ),
    (
        "break less an input",
        "int main(void) { unsigned char c = 0; read(0, &c, 1); unsigned long d = (unsigned long)sbrk(4096) - ((unsigned long)c << 39); __asm__(\"\" : \"+r\"(d)); return d == 0; }",
    ),
    (
        "bits of the break less an input",
        "int main(void) { unsigned char c = 0; read(0, &c, 1); unsigned long d = (unsigned long)sbrk(4096) - ((unsigned long)c << 39); __asm__(\"\" : \"+r\"(d)); return d >> 50 & 1; }",
    ),
    (
        "word of an object of symbolic size",
        "int main(void) { unsigned char c[2] = {0}; int x, y; read(0, c, 2); int **t = malloc(((c[0] & 7) + 2) * sizeof *t); t[0] = &x; t[1] = &y; return (unsigned long)t[c[1] & 1] >> 12 & 1; }",
    ),
    (
        "word at the end of an object",
        "int main(void) { int x; int **t = malloc(8 + (unsigned)sizeof *t / 2); t[0] = &x; memcpy((char *)t + 8, t, 4); return ((unsigned long *)t)[1] >> 12 & 1; }",
    ),
];

/// Programs that use addresses as addresses, and what they print or return is the same in each run.
const INDEPENDENT: [(&str, &str); 17] = [
    (
        "printf",
        "int main(void) { printf(\"%d %s %.3f\\n\", 42, \"x\", 1.5); return 0; }",
    ),
    (
        "list",
        "struct n { int v; struct n *x; }; int main(void) { struct n *h = 0; int s = 0; for (int i = 0; i < 5; i++) { struct n *m = malloc(sizeof *m); m->v = i; m->x = h; h = m; } while (h) { struct n *t = h->x; s += h->v; free(h); h = t; } printf(\"%d\\n\", s); return s; }",
    ),
    (
        "qsort",
        "static int cmp(const void *a, const void *b) { return *(char *)a - *(char *)b; } int main(void) { char b[3]; if (read(0, b, 3) != 3) return 1; qsort(b, 3, 1, cmp); write(1, b, 3); return 0; }",
    ),
    (
        "end pointers",
        "int main(void) { volatile int a[8]; int s = 0; for (volatile int *p = a, *e = a + 8; p < e; p++) *p = p - a; for (volatile int *p = a; p != a + 8; p++) s += *p; return s; }",
    ),
    (
        "alignment",
        "int main(void) { char *p = malloc(100), *q = (char *)((unsigned long)(p + 15) & ~15ul); *q = 1; return ((unsigned long)p & 15) + (q - p); }",
    ),
    (
        "memmove",
        "int main(void) { char s[32] = \"hello world\"; char *p = malloc(32); memmove(p, s, 12); memmove(p + 1, p, 12); puts(p); return 0; }",
    ),
    (
        "strings",
        "int main(void) { char b[8] = \"\"; if (!fgets(b, 3, stdin)) return 1; return strcmp(b, \"ab\") == 0 ? 2 : strchr(b, 'x') != 0; }",
    ),
    (
        "realloc",
        "int main(void) { char *p = 0; for (int i = 1; i < 50; i++) { p = realloc(p, i * 100); p[i * 100 - 1] = i; } return p[99]; }",
    ),
    (
        "null and failure",
        "int main(void) { void *p = malloc(4), *m = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); return !p + 2 * (m == MAP_FAILED); }",
    ),
    (
        "longjmp",
        "static jmp_buf b; static void f(int n) { if (n == 0) longjmp(b, 3); f(n - 1); } int main(void) { int r = setjmp(b); if (r == 0) f(5); return r; }",
    ),
    (
        "difference in 32 bits",
        "int main(void) { char s[16] = \"a=b;c\"; int n = (int)(strchr(s, ';') - s); printf(\"%*d\\n\", n, n); return n; }",
    ),
    (
        "pointers in a table",
        "int main(void) { int x = 1, y = 2, *a[4] = {&x, &y, &x, &y}, n = 0; for (int i = 0; i < 4; i++) n += a[i] == &x; return n; }",
    ),
    (
        "static address",
        "static int x; int main(void) { return ((unsigned long)&x >> 4) * 31 % 7; }",
    ),
    (
        "array on the stack",
        "static int f(int n) { volatile char b[n]; for (int i = 0; i < n; i++) b[i] = i; return b[n - 1]; } int main(void) { unsigned char c = 0; read(0, &c, 1); return f((c & 3) + 1); }",
    ),
    (
        "a choice",
        "static int g; int main(void) { unsigned char c = 0; int x = 1; int *volatile t[4] = {&g, &x, &g, &x}; read(0, &c, 1); int *p = t[c & 3]; *p = 3; return 2 * (p == &x) + (p == &g) + x; }",
    ),
    (
        "equal to a byte",
        "int main(void) { unsigned char c = 0; int x; read(0, &c, 1); if ((unsigned long)&x == c) puts(\"never\"); return 0; }",
    ),
    (
        "number less the break and the break",
        "int main(void) { volatile unsigned long n = 100; char *p = sbrk(4096); unsigned long d = n - (unsigned long)p; __asm__(\"\" : \"+r\"(d)); return d + (unsigned long)(p + 5) == 105; }",
    ),
];

const HEADERS: [&str; 9] = [
    "setjmp.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "sys/auxv.h",
    "sys/mman.h",
    "time.h",
    "unistd.h",
    "sys/random.h",
];

fn build(folder: &Folder, source: &str, level: &str) -> PathBuf {
    let (file, program) = (folder.0.join("p.c"), folder.0.join("p"));
    let headers = HEADERS
        .map(|header| format!("#include <{header}>\n"))
        .concat();
    std::fs::write(&file, format!("{headers}{source}\n")).unwrap();
    let made = Command::new("riscv64-linux-gnu-gcc")
        .args(["-static", "-w", level, "-o"])
        .args([&program, &file])
        .status()
        .expect("gcc-riscv64-linux-gnu is installed");
    assert!(made.success());
    program
}

fn incomplete(explored: &Explored) -> String {
    explored.summary["incomplete"].to_string()
}

fn explore(folder: &Folder, program: &Path) -> Explored {
    folder.explore(program, &[], &["--sym-stdin", "3"])
}

#[test]
fn what_depends_on_addresses_or_random_bytes_is_not_complete() {
    let folder = Folder::new();
    for (i, (name, source)) in DEPENDENT.into_iter().enumerate() {
        let level = ["-O1", "-O0", "-O2"][i % 3];
        let explored = explore(&folder, &build(&folder, source, level));
        let said = incomplete(&explored);
        assert_ne!(explored.summary["status"], "complete", "{name}: {said}");
        assert_eq!(explored.code, Some(2), "{name}: {said}");
        assert!(said.contains("address"), "{name}: {said}");
    }
}

/// Equality with one object of a pointer that inputs choose among objects and null, computed by subtracting: it is the same in each
/// run, and is named all the same.
#[test]
fn a_choice_with_null_is_named_though_it_is_the_same_in_each_run() {
    let folder = Folder::new();
    let source = "static int g; int main(void) { unsigned char c = 0; int x = 1; int *volatile t[4] = {&g, &x, 0, &x}; read(0, &c, 1); int *p = t[c & 3]; if (!p) return 7; *p = 3; return 2 * (p == &x) + (p == &g) + x; }";
    let explored = explore(&folder, &build(&folder, source, "-O0"));
    assert_eq!(explored.summary["status"], "partial");
    assert!(incomplete(&explored).contains("address"));
}

#[test]
fn what_uses_addresses_as_addresses_is_complete() {
    let folder = Folder::new();
    for (i, (name, source)) in INDEPENDENT.into_iter().enumerate() {
        let level = ["-O2", "-O1", "-O0"][i % 3];
        let explored = explore(&folder, &build(&folder, source, level));
        let said = incomplete(&explored);
        assert_eq!(explored.summary["status"], "complete", "{name}: {said}");
        assert_eq!(explored.code, Some(0), "{name}: {said}");
    }
}

#[test]
fn clocks_random_numbers_and_processes_are_named_or_symbolic() {
    let folder = Folder::new();
    let clock = "int main(void) { return time(0) % 1000 == 7; }";
    let random = "int main(void) { unsigned char c = 0; getrandom(&c, 1, 0); return c == 3; }";
    let process = "int main(void) { return getpid() == 77; }";
    let counter = |name: &str| {
        format!("int main(void) {{ word t, u; __asm__ volatile(\"{name} %0\" : \"=r\"(t)); __asm__ volatile(\"{name} %0\" : \"=r\"(u)); if (u < t) _exit(9); if (t & 1) _exit(3); return 0; }}").replace("word", "unsigned long")
    };
    let counters = ["rdtime", "rdcycle", "rdinstret"].map(counter);
    let wait = "int main(void) { fd_set r; struct timeval t = {1, 0}; FD_ZERO(&r); FD_SET(0, &r); select(1, &r, 0, 0, &t); if (t.tv_sec) _exit(3); return 0; }";
    for (source, call, option) in [
        (clock, "clock_gettime", Some("--sym-clock")),
        (random, "getrandom", Some("--sym-random")),
        (process, "getpid", None),
        (&counters[0], "rdtime", Some("--sym-clock")),
        (&counters[1], "rdcycle", None),
        (&counters[2], "rdinstret", None),
        (wait, "pselect6", Some("--sym-clock")),
    ] {
        let program = build(&folder, source, "-O1");
        let explored = folder.explore(&program, &[], &[]);
        assert_eq!(explored.code, Some(2), "{call}");
        let said = incomplete(&explored);
        assert!(said.contains(call), "{said}");
        assert!(explored.tests("{\"exit\":9,").is_empty(), "{call}");
        if let Some(option) = option {
            let explored = folder.explore(&program, &[], &[option]);
            let said = incomplete(&explored);
            assert_eq!(explored.code, Some(0), "{option}: {said}");
            assert!(explored.tests("{\"exit\":9,").is_empty(), "{call}");
            let others = explored.tests("{\"exit\":3,").len();
            assert_eq!(others, usize::from(source.contains("_exit(3)")), "{call}");
        }
    }
}

/// Without a library, and without symbols: what the loader and the system say is followed all the same.
#[test]
fn bare_programs_are_looked_at_as_well() {
    let folder = Folder::new();
    let uses = [
        "__attribute__((used)) void begin(long *stack) { leave((word)stack >> 12 & 1); }",
        "__attribute__((used)) void begin(long *stack) { leave((stack[1] >> 4 & 15) == 3); }",
        "__attribute__((used)) void begin(long *stack) { leave(call(214, 0, 0, 0) % 4096000 == 0); }",
        "__attribute__((used)) void begin(long *stack) { say((char *)&stack); leave(0); }",
    ];
    let none = [
        "__attribute__((used)) void begin(long *stack) { char c[8]; leave(((word)c & 7) + *(char *)stack[1]); }",
        "__attribute__((used)) void begin(long *stack) { char *p = (char *)call(214, 0, 0, 0); leave(call(214, (long)p + 4096, 0, 0) - (long)p == 4096 ? p[9] : 1); }",
    ];
    let flags = ["-march=rv64gc", "-mabi=lp64d", "-O2", "-s"];
    for (sources, code) in [(&uses[..], 2), (&none[..], 0)] {
        for source in sources {
            let program = folder.build("p", &format!("{}{source}", guests::START), &flags);
            for args in [&["word"][..], &["--sym-arg", "1"]] {
                let explored = folder.explore(&program, &[], args);
                let said = incomplete(&explored);
                assert_eq!(explored.code, Some(code), "{source}: {said}");
            }
        }
    }
}
