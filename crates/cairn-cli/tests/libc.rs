//! Programs that are linked with musl (`--libc musl`), as a user of `cairn run` meets them.
//!
//! Where musl is not set up, the tests that need it say so and pass, but in CI.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Whether musl was set up where the binary finds it.
fn is_set_up() -> bool {
    let named = std::env::var_os("CAIRN_LIBC").map(PathBuf::from);
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let above = here.ancestors().map(|folder| folder.join(".deps/musl"));
    let mut folders = named.into_iter().chain(above);
    let found = folders.any(|folder| folder.join("libc.bca").is_file());
    if !found {
        assert!(
            std::env::var_os("CI").is_none(),
            "musl is not set up: run ./setup"
        );
        eprintln!("musl is not set up: nothing is tested; run scripts/libc.sh");
    }
    found
}

/// Runs `cairn run` on a source in the repository's folder, above which musl is found.
fn cairn(name: &str, source: &str, flags: &[&str], args: &[&str]) -> Output {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join(format!("libc-{name}.c"));
    std::fs::write(&file, source).expect("the folder is writable");
    let results = folder.join(format!("libc-{name}-results"));
    let _ = std::fs::remove_dir_all(&results);
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    command.arg("run").args(flags);
    if !flags.contains(&"--concrete") {
        command.args(["--json", "--self-check", "--output-dir"]);
        command.arg(&results);
    }
    command
        .arg(&file)
        .arg("--")
        .args(args)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::null())
        .output()
        .expect("the binary was built")
}

fn texts(output: &Output) -> (String, String, i32) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().expect("no signal");
    (text(&output.stdout), text(&output.stderr), code)
}

#[test]
fn a_program_runs_with_musl() {
    if !is_set_up() {
        return;
    }
    let source = r#"
        #include <locale.h>
        #include <stdio.h>
        #include <stdlib.h>
        static void last(void) { puts("last"); }
        int main(int argc, char **argv) {
            atexit(last);
            printf("%s %.3Lf %s\n", argv[1], 2.0L / 3, setlocale(LC_ALL, "C"));
            fprintf(stderr, "errors %d\n", argc);
            return 5;
        }"#;
    let ran = cairn(
        "plain",
        source,
        &["--concrete", "--libc", "musl"],
        &["word"],
    );
    let (output, errors, code) = texts(&ran);
    assert_eq!(output, "word 0.667 C\nlast\n");
    assert_eq!((errors.as_str(), code), ("errors 2\n", 5));
}

/// Errors in calls of the library are found where the library makes the access, with the calls that
/// led there.
#[test]
fn errors_are_found_inside_of_the_library() {
    if !is_set_up() {
        return;
    }
    let source = "#include <string.h>
int main(void) {
  char text[4];
  strcpy(text, \"four\");
  return 0;
}";
    let flags = ["--concrete", "--libc", "musl", "--cc-flag=-fno-builtin"];
    let (_, errors, code) = texts(&cairn("inside", source, &flags, &[]));
    assert_eq!(code, 1, "{errors}");
    assert!(errors.contains("access of 1 byte"), "{errors}");
    assert!(errors.contains("in main at"), "{errors}");
    assert!(errors.contains("musl/src/string/stpcpy.c"), "{errors}");
}

#[test]
fn a_program_is_explored_with_musl() {
    if !is_set_up() {
        return;
    }
    let source = r#"
        #include <klee/klee.h>
        #include <setjmp.h>
        #include <stdlib.h>
        #include <string.h>
        static jmp_buf back;
        static void check(int c) { if (c == 'x') longjmp(back, c); }
        int main(void) {
            char s[4];
            klee_make_symbolic(s, sizeof s, "s");
            s[3] = 0;
            int jumped = setjmp(back);
            if (jumped) return jumped == 'x' ? 2 : 3;
            check(s[0]);
            if (strtol(s, 0, 10) == 42) abort();
            return strspn(s, "ab") == 3;
        }"#;
    let ran = cairn("explored", source, &["--libc", "musl"], &[]);
    let (output, errors, code) = texts(&ran);
    let summary: serde_json::Value = serde_json::from_str(&output).expect("a summary");
    assert_eq!(code, 1, "{errors}{output}");
    let findings = summary["findings"].as_array().expect("a list");
    assert_eq!(findings.len(), 1, "{output}");
    assert_eq!(findings[0]["kind"], "abort", "{output}");
    assert_eq!(
        summary["incomplete"].as_array().map(Vec::len),
        Some(0),
        "{output}"
    );
}

/// A fuzzing harness has no `main`; the library is prepared all the same.
#[test]
fn a_harness_is_explored_with_musl() {
    if !is_set_up() {
        return;
    }
    let source = r#"
        #include <errno.h>
        #include <stdint.h>
        #include <stdlib.h>
        int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
            errno = (int)size;
            if (size == 1 && data[0] == 'q' && errno == 1) abort();
            return 0;
        }"#;
    let flags = ["--libc", "musl", "--fuzz-size", "2"];
    let (output, errors, code) = texts(&cairn("harness", source, &flags, &[]));
    let summary: serde_json::Value = serde_json::from_str(&output).expect("a summary");
    assert_eq!(code, 1, "{errors}{output}");
    assert_eq!(summary["findings"][0]["kind"], "abort", "{output}");
}

#[test]
fn a_library_that_is_missing_is_said_to_be() {
    let folder = env!("CARGO_TARGET_TMPDIR");
    let file = Path::new(folder).join("libc-missing.c");
    std::fs::write(&file, "int main(void) { return 0; }").expect("the folder is writable");
    let run = |libc: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
        command.args(["run", "--concrete", "--libc", libc]);
        command.arg(&file).env("CAIRN_LIBC", "/dev/null");
        texts(&command.output().expect("the binary was built"))
    };
    let (_, errors, code) = run("musl");
    assert_eq!(code, 64, "{errors}");
    assert!(errors.contains("CAIRN_LIBC names /dev/null"), "{errors}");
    assert_eq!(run("none").2, 0);
}
