//! Checks that are off by default, and harnesses, as a user of `cairn run` meets them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs `cairn run` on a file, with results in a folder of this name; its exit code, its summary, and what it wrote to
/// standard error.
fn run(folder: &Path, name: &str, file: &Path, flags: &[&str]) -> (i32, serde_json::Value, String) {
    let results = folder.join(format!("{name}-results"));
    let _ = std::fs::remove_dir_all(&results);
    let output = Command::new(env!("CARGO_BIN_EXE_cairn"))
        .args(["run", "--json", "--output-dir"])
        .arg(&results)
        .args(flags)
        .arg(file)
        .stdin(Stdio::null())
        .output()
        .expect("the binary was built");
    let code = output.status.code().expect("no signal");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let summary = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (code, summary, text)
}

/// Explores a program; its exit code, its summary, and what it said to standard error.
fn explore(name: &str, source: &str, flags: &[&str]) -> (i32, serde_json::Value, String) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join(format!("{name}.c"));
    std::fs::write(&file, source).expect("the folder is writable");
    run(&folder, name, &file, flags)
}

/// Kind, line and message of each finding, by line.
fn findings(summary: &serde_json::Value) -> Vec<(String, u64, String)> {
    let all = summary["findings"].as_array().expect("a list");
    let text = |v: &serde_json::Value| v.as_str().expect("a text").to_string();
    let mut all: Vec<_> = all
        .iter()
        .map(|f| {
            let line = f["line"].as_u64().expect("a line");
            (text(&f["kind"]), line, text(&f["message"]))
        })
        .collect();
    all.sort();
    all
}

fn kinds_and_lines(summary: &serde_json::Value) -> Vec<(String, u64)> {
    let all = findings(summary).into_iter();
    all.map(|(kind, line, _)| (kind, line)).collect()
}

fn expected(list: &[(&str, u64)]) -> Vec<(String, u64)> {
    list.iter().map(|(k, l)| (k.to_string(), *l)).collect()
}

#[test]
fn every_place_that_leaks_is_reported() {
    let source = "#include <stdlib.h>
#include <string.h>
struct node { struct node *next; char *text; };
static struct node *list;
static struct node *make(void) {
  struct node *n = malloc(sizeof *n);
  n->text = strdup(\"abc\");
  n->next = list;
  return n;
}
int main(void) {
  list = make();
  list = make();          /* the first is reached through the second */
  char *lost = malloc(5);
  char *also = calloc(3, 1);
  lost = also = 0;
  void *out;
  if (posix_memalign(&out, 16, 40)) return 1;
  out = 0;
  return lost == also;
}
";
    let (code, summary, said) = explore("leaks", source, &["--check", "leak"]);
    assert_eq!(said.matches("(leak), test00000").count(), 3, "{said}");
    let places = expected(&[("leak", 14), ("leak", 15), ("leak", 18)]);
    assert_eq!(kinds_and_lines(&summary), places);
    let first = &findings(&summary)[0].2;
    assert!(first.contains("heap object of 5 bytes"), "{first}");
    assert_eq!(summary["paths"]["errors"], 1);
    assert_eq!(summary["tests"], 3);
    assert_eq!(code, 1);
    // Off unless asked for.
    let (code, summary, _) = explore("leaks-off", source, &[]);
    assert_eq!((code, findings(&summary).len()), (0, 0));
}

#[test]
fn what_exit_leaves_behind_is_not_lost() {
    let source = "#include <stdlib.h>
static void deep(char *p) { char **slot = malloc(sizeof *slot); *slot = p; exit(0); }
int main(void) { deep(malloc(3)); }
";
    let (code, summary, _) = explore("leak-exit", source, &["--check", "leak"]);
    assert_eq!((code, findings(&summary).len()), (0, 0), "{summary}");
}

#[test]
fn uses_of_what_nobody_wrote_are_reported_by_what_they_are() {
    let source = "#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <klee/klee.h>
struct pair { char c; int i; };
int main(void) {
  int which = klee_int(\"which\"), x[4], table[4] = {1, 2, 3, 4};
  struct pair a = {0, 0}, b;
  b.c = 1; b.i = 2;
  a = b;                    /* padding may be copied */
  x[1] = 5;
  if (which == 0)
    if (x[0] > 3) return 1;
  if (which == 1)
    switch (x[2]) { case 1: return 2; case 5: return 3; }
  if (which == 2)
    return table[x[3] & 3];
  if (which == 3)
    return strlen((char *)x) > 2;
  if (which == 4)
    putchar(x[0]);
  if (which == 5)
    free(malloc(x[0]));
  return a.i + x[1] + (x[0] & 0);
}
";
    let (code, summary, text) = explore("uninit", source, &["--check", "uninit"]);
    let found = findings(&summary);
    assert!(found.iter().all(|f| f.0 == "uninit"), "{found:?} {text}");
    let lines: Vec<u64> = found.iter().map(|f| f.1).collect();
    assert_eq!(lines, [13, 15, 17, 19, 21, 23], "{found:?}");
    for (finding, what) in found.iter().zip([
        "a branch",
        "a switch",
        "address",
        "uninitialised",
        "putchar",
        "malloc",
    ]) {
        assert!(finding.2.contains(what), "{finding:?}");
    }
    assert!(
        found[0].2.contains("stack object of 16 bytes"),
        "{:?}",
        found[0]
    );
    assert_eq!(summary["paths"]["completed"], 1);
    assert_eq!(code, 1);
}

#[test]
fn an_uninitialised_check_needs_uninitialised_memory() {
    let flags = ["--check", "uninit", "--uninit", "zero"];
    let (code, _, text) = explore("uninit-zero", "int main(void) { return 0; }", &flags);
    assert_eq!(code, 64);
    assert!(text.contains("--check uninit"), "{text}");
}

#[test]
fn the_input_of_a_harness_is_as_large_as_it_says() {
    let source = "#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size != 3) return 0;
  return data[2] == 'x' ? data[3] : 0;
}
";
    let (code, summary, _) = explore("harness", source, &["--fuzz-size", "4"]);
    assert_eq!(kinds_and_lines(&summary), expected(&[("ptr", 5)]));
    // Sizes 0, 1, 2, 4, and 3 with another byte.
    assert_eq!(summary["paths"]["completed"], 5);
    assert_eq!(summary["paths"]["errors"], 1);
    assert_eq!(code, 1);
    let wrong = "int LLVMFuzzerTestOneInput(int x) { return x; }";
    let (code, _, text) = explore("harness-wrong", wrong, &[]);
    assert_eq!(code, 65);
    assert!(text.contains("LLVMFuzzerTestOneInput"), "{text}");
}

#[test]
fn fixed_objects_that_are_not_possible_are_refused_by_name() {
    let source = "#include <klee/klee.h>
int main(void) {
  klee_define_fixed_object((void *)0x20000000, 8);
  klee_define_fixed_object((void *)0x20000004, 8);
  return 0;
}
";
    let (_, summary, _) = explore("fixed", source, &[]);
    let found = findings(&summary);
    assert_eq!((found[0].0.as_str(), found[0].1), ("user", 4));
    assert!(found[0].2.contains("klee_define_fixed_object"), "{found:?}");
}

/// Explores the bitcode that the compiler makes of a source with these flags.
fn explore_bitcode(
    name: &str,
    source: &str,
    compiler: &[&str],
    flags: &[&str],
) -> (i32, serde_json::Value) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join(format!("{name}.c"));
    let bitcode = folder.join(format!("{name}.bc"));
    std::fs::write(&file, source).expect("the folder is writable");
    let compiled = Command::new("clang-19")
        .args(["-w", "-g", "-c", "-emit-llvm", "-o"])
        .args([&bitcode, &file])
        .args(compiler)
        .status();
    assert!(compiled.expect("clang is there").success());
    let (code, summary, _) = run(&folder, name, &bitcode, flags);
    (code, summary)
}

#[test]
fn bitcode_says_which_checks_it_has_lost() {
    let source = "int main(void) { const int most = 2147483647; return most + 1 == 3; }";
    let overflow = ["--check", "overflow"];
    let (code, summary) = explore_bitcode("lost-overflow", source, &[], &overflow);
    assert_eq!(code, 2, "{summary}");
    let said = summary["incomplete"][0].as_str().unwrap_or_default();
    assert!(
        said.contains("-fsanitize=signed-integer-overflow"),
        "{said}"
    );
    let kept = ["-fsanitize=signed-integer-overflow"];
    let (code, summary) = explore_bitcode("kept-overflow", source, &kept, &overflow);
    assert_eq!(code, 1, "{summary}");
    assert_eq!(summary["incomplete"], serde_json::json!([]));
    let (code, summary) = explore_bitcode("no-overflow", source, &[], &[]);
    assert_eq!(code, 0, "{summary}");

    // In 32 bits the amount is 1.
    let source = "int main(void) { volatile long n = 0x100000001; return (1 << n) == 3; }";
    let (code, summary) = explore_bitcode("narrowed-shift", source, &[], &[]);
    assert_eq!(code, 2, "{summary}");
    let said = summary["incomplete"][0].as_str().unwrap_or_default();
    assert!(said.contains("-fsanitize=shift-exponent"), "{said}");
    let kept = ["-fsanitize=shift-exponent"];
    let (code, summary) = explore_bitcode("narrowed-shift-kept", source, &kept, &[]);
    assert_eq!(code, 1, "{summary}");

    let source = "int main(int argc, char **argv) { return 1u << argc; }";
    let (code, summary) = explore_bitcode("lost-shift", source, &["-O2"], &[]);
    assert_eq!(code, 2, "{summary}");
    let said = summary["incomplete"][0].as_str().unwrap_or_default();
    assert!(said.contains("-fsanitize=shift-exponent"), "{said}");
    let kept = ["-O2", "-fsanitize=shift-exponent"];
    let (code, summary) = explore_bitcode("kept-shift", source, &kept, &[]);
    assert_eq!(code, 0, "{summary}");

    let source = "int main(void) {\n  return 5 / 0;\n}";
    let (code, summary) = explore_bitcode("folded", source, &[], &[]);
    assert_eq!(code, 1, "{summary}");
    assert_eq!(kinds_and_lines(&summary), expected(&[("exec", 2)]));
}

#[test]
fn folded_overflows_are_errors_of_concrete_runs_too() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join("concrete-overflow.c");
    let source = "int main(void) { const int most = 2147483647; return most + 1 == 3; }";
    std::fs::write(&file, source).expect("the folder is writable");
    let run = |flags: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_cairn"))
            .args(["run", "--concrete", "--cc-flag", "-w"])
            .args(flags)
            .arg(&file)
            .output()
            .expect("the binary was built");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert_eq!(run(&[]), "");
    let said = run(&["--check", "overflow"]);
    assert!(said.contains("signed overflow"), "{said}");
}

#[test]
fn an_overflow_in_optimised_bitcode_is_an_error_where_its_result_is_used() {
    let overflow = ["--check", "overflow"];
    let program = |body: &str| {
        format!(
            "#include <klee/klee.h>
int kept;
__attribute__((noinline)) int f(int c, int x) {{
{body}
}}
int main(void) {{
  int c = klee_int(\"c\"), x = klee_int(\"x\");
  klee_assume((c == 0) | ((x < 100) & (x > -100)));
  return f(c, x) == 7;
}}
"
        )
    };
    let include = format!("-I{}/../cairn-home/include", env!("CARGO_MANIFEST_DIR"));
    let cases: [(&str, &str, &[u64]); 8] = [
        // The sum is computed before the choice.
        ("chosen", "  return c ? x + 1 : 0;", &[]),
        ("abs", "  return c ? __builtin_abs(x) : 0;", &[]),
        (
            "vanishes",
            "  int y = c ? x + 1 : 3;\n  return y * (c & 1);",
            &[],
        ),
        ("returned", "  return c ? 0 : x + 1;", &[4]),
        ("stored", "  kept = c ? 4 : x + 1;\n  return c;", &[4]),
        (
            "branched",
            "  if ((c ? 4 : x + 1) < kept) return 5;\n  return c;",
            &[4],
        ),
        (
            "summed",
            "  int s = x;\n  for (int i = 0; i < (c & 3); i++) s += i;\n  return c ? 0 : s + 9;",
            &[6],
        ),
        ("divisor", "  return 9 / ((c ? 8 : x + 1) | 1);", &[4]),
    ];
    for (name, body, lines) in cases {
        for level in ["-O1", "-O2"] {
            let flags = [level, include.as_str()];
            let file = format!("optimised-overflow-{name}");
            let (code, summary) = explore_bitcode(&file, &program(body), &flags, &overflow);
            let found = kinds_and_lines(&summary);
            let lines: Vec<_> = lines.iter().map(|line| ("overflow", *line)).collect();
            assert_eq!(found, expected(&lines), "{name} {level}: {summary}");
            assert_eq!(code, if lines.is_empty() { 2 } else { 1 }, "{name} {level}");
        }
    }
}

#[test]
fn an_overflow_that_vectors_carry_through_a_loop_is_not_lost() {
    // Two sums of a loop become one of vectors, which only a phi has in the end.
    let source = "struct P { int x, y; };
void klee_make_symbolic(void *, unsigned long, const char *);
__attribute__((noinline)) void sums(struct P *p, const int *a, int n) {
  int x = p->x, y = p->y;
  for (int i = 0; i < n; i++) { x += a[2 * i]; y += a[2 * i + 1]; }
  p->x = x; p->y = y;
}
int main(void) {
  struct P p = {2147483647, 0};
  int a[4] = {0}, v;
  klee_make_symbolic(&v, sizeof v, \"v\");
  if (v != 1 && v != 0) return 0;
  a[0] = v;
  sums(&p, a, 2);
  return p.x == 7;
}
";
    for level in ["-O1", "-O2"] {
        let overflow = ["--check", "overflow"];
        let name = "vector-overflow";
        let (_, summary) = explore_bitcode(name, source, &[level], &overflow);
        let is_found = kinds_and_lines(&summary) == expected(&[("overflow", 5)]);
        let said = summary["incomplete"].to_string();
        let is_said = said.contains("whether the result of a signed overflow");
        assert!(is_found || is_said, "{level}: {summary}");
    }
}

#[test]
fn a_part_compiled_without_the_check_is_said_beside_one_with_it() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let sources = [
        (
            "part-plain",
            "int plain(void) { const int most = 2147483647; return most + 1; }",
            "",
        ),
        (
            "part-checked",
            "int plain(void); int main(int argc, char **argv) { return plain() == argc + 1; }",
            "-fsanitize=signed-integer-overflow",
        ),
    ];
    let compile = |flag: &str| {
        let mut parts = Vec::new();
        for (name, source, own) in sources {
            let file = folder.join(format!("{name}.c"));
            let bitcode = folder.join(format!("{name}.bc"));
            std::fs::write(&file, source).expect("the folder is writable");
            let mut command = Command::new("clang-19");
            command
                .args(["-w", "-c", "-emit-llvm", "-g", "-o"])
                .args([&bitcode, &file]);
            command.args([flag, own].iter().filter(|flag| !flag.is_empty()));
            assert!(command.status().expect("clang is there").success());
            parts.push(bitcode);
        }
        let whole = folder.join("part-whole.bc");
        let linked = Command::new("llvm-link-19")
            .arg("-o")
            .arg(&whole)
            .args(&parts)
            .status();
        assert!(linked.expect("LLVM is there").success());
        let (code, summary, _) = run(&folder, "part-whole", &whole, &["--check", "overflow"]);
        (
            code,
            summary["incomplete"].to_string(),
            kinds_and_lines(&summary),
        )
    };
    let (code, said, _) = compile("");
    assert_eq!(code, 2, "{said}");
    assert!(
        said.contains("-fsanitize=signed-integer-overflow"),
        "{said}"
    );
    let (code, said, found) = compile("-fsanitize=signed-integer-overflow");
    assert_eq!((code, said.as_str()), (1, "[]"));
    assert_eq!(found, expected(&[("overflow", 1)]));
}
