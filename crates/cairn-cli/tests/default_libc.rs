//! The C library that a program gets if the user names none: musl where it needs a function that
//! Cairn's own do not have.

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use support::root;

/// A folder for a test, with a program in it.
fn folder(name: &str, program: &str) -> PathBuf {
    let libc = root().join(".deps/musl/libc.bca");
    assert!(libc.is_file(), "musl is not set up: run ./setup");
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("default-libc-{name}"));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("the folder is writable");
    std::fs::write(path.join("p.c"), program).expect("writable");
    path
}

fn run(here: &Path, binary: &Path, arguments: &[&str]) -> Output {
    Command::new(binary)
        .args(arguments)
        .current_dir(here)
        .stdin(Stdio::null())
        .output()
        .expect("it can be started")
}

/// Runs `cairn` in a folder: its exit code, summary or output, and messages.
#[track_caller]
fn cairn(here: &Path, arguments: &[&str]) -> (i32, String, String) {
    let ran = run(here, Path::new(env!("CARGO_BIN_EXE_cairn")), arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = ran.status.code().expect("no signal");
    (code, text(&ran.stdout), text(&ran.stderr))
}

#[track_caller]
fn clang(here: &Path, arguments: &[&str]) {
    let ran = run(here, Path::new("clang-19"), arguments);
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
}

const ORDERED: &str = r#"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void klee_make_symbolic(void *, size_t, const char *);
static int compare(const void *a, const void *b) {
  return *(const unsigned char *)a - *(const unsigned char *)b;
}
int main(void) {
  unsigned char v[3];
  klee_make_symbolic(v, sizeof v, "v");
  qsort(v, 3, 1, compare);
  assert(v[0] <= v[1] && v[1] <= v[2]);
  char text[] = "a,b,c";
  int words = 0, number = 0;
  for (char *word = strtok(text, ","); word; word = strtok(NULL, ","))
    words++;
  sscanf("17 x", "%d", &number);
  assert(words == 3 && number == 17);
  return 0;
}
"#;

#[test]
fn a_function_that_is_missing_brings_musl() {
    let here = folder("ordered", ORDERED);
    let (code, out, err) = cairn(&here, &["run", "--self-check", "p.c"]);
    assert_eq!(code, 0, "{out}{err}");
    let line = "C library: musl, which the program needs for sscanf, qsort and strtok\n";
    assert!(out.starts_with(line), "{out}");
    let info = std::fs::read_to_string(here.join("cairn-last/info")).expect("written");
    assert!(info.contains(line), "{info}");
    let (code, out, _) = cairn(&here, &["run", "--json", "p.c"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("\"libc\": \"musl\""), "{out}");
    // The same as if musl had been asked for.
    let (asked, named, _) = cairn(&here, &["run", "--json", "--libc", "musl", "p.c"]);
    let figure = |text: &str, key: &str| {
        let line = text.lines().find(|l| l.trim_start().starts_with(key));
        line.map(str::to_string).unwrap_or_default()
    };
    assert_eq!(asked, 0);
    for key in ["\"instructions\"", "\"completed\"", "\"forks\""] {
        assert_eq!(figure(&out, key), figure(&named, key));
    }
}

const PRINTS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void klee_make_symbolic(void *, size_t, const char *);
int main(void) {
  unsigned char c;
  klee_make_symbolic(&c, sizeof c, "c");
  for (int i = 0; i < 3; i++) {
    char *copy = strdup("text");
    printf("%s %d\n", copy, i);
    fflush(stdout);
    free(copy);
    if (c == i)
      return i;
  }
  return 9;
}
"#;

/// What a path does by natives and system calls has reasons: only the calls that make inputs have none.
#[test]
fn calls_of_the_system_have_reasons() {
    let here = folder("prints", PRINTS);
    let arguments = ["run", "--self-check", "--libc", "musl", "p.c"];
    let (code, out, err) = cairn(&here, &arguments);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.starts_with("4 paths to the end"), "{out}");
    let without = "concrete steps without a reason: 2 calls that the engine answers\n";
    assert!(out.contains(without), "{out}");
}

#[test]
fn what_the_user_says_is_obeyed() {
    let here = folder("obeyed", ORDERED);
    let (code, out, err) = cairn(&here, &["run", "--json", "--libc", "none", "p.c"]);
    assert_ne!(code, 0);
    assert!(out.contains("\"libc\": \"none\""), "{out}{err}");
    assert!(out.contains("qsort is not defined"), "{out}{err}");
}

#[test]
fn a_program_that_misses_nothing_gets_no_library() {
    let source = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n  char *p = malloc(4);\n  \
                  if (p) printf(\"%d\", 4);\n  free(p);\n  return 0;\n}\n";
    let here = folder("nothing", source);
    let (code, out, err) = cairn(&here, &["run", "--json", "p.c"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("\"libc\": \"none\""), "{out}");
    // Nor does one that misses what no library has.
    let source = "int elsewhere(void);\nint main(void) { return elsewhere(); }\n";
    std::fs::write(here.join("p.c"), source).expect("writable");
    let (_, out, err) = cairn(&here, &["run", "--json", "p.c"]);
    assert!(!err.contains("warning"), "{err}");
    assert!(out.contains("\"libc\": \"none\""), "{out}");
}

#[test]
fn a_concrete_run_gets_it_too_and_warnings_are_said_once() {
    let source = "#include <stdlib.h>\n#include <stdio.h>\n#include <string.h>\n\
                  int main(void) {\n  char t[] = \"x y\";\n  int unused = strtok(t, \" \") == 0;\n  \
                  puts(strtok(NULL, \" \"));\n  return 3;\n}\n";
    let here = folder("concrete", source);
    let (code, out, err) = cairn(&here, &["run", "--concrete", "--cc-flag=-Wall", "p.c"]);
    assert_eq!((code, out.as_str()), (3, "y\n"), "{err}");
    assert_eq!(err.matches("unused variable").count(), 1, "{err}");
}

#[test]
fn bitcode_is_linked_unless_that_would_be_wrong() {
    let here = folder("bitcode", ORDERED);
    clang(&here, &["-g", "-emit-llvm", "-c", "p.c", "-o", "p.bc"]);
    let (code, out, err) = cairn(&here, &["run", "--json", "p.bc"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("\"libc\": \"musl"), "{out}");
    // glibc's strerror_r gives a text, musl's a number.
    let source = "#define _GNU_SOURCE\n#include <string.h>\nint main(void) {\n  char b[80];\n  \
                  return strerror_r(2, b, sizeof b)[0] == 0;\n}\n";
    std::fs::write(here.join("e.c"), source).expect("writable");
    clang(&here, &["-g", "-emit-llvm", "-c", "e.c", "-o", "e.bc"]);
    let (code, out, err) = cairn(&here, &["run", "--json", "e.bc"]);
    assert_ne!(code, 0, "{out}");
    assert!(
        err.starts_with("cairn: warning: e.bc: not linked with musl, which has strerror_r"),
        "{err}"
    );
    assert_eq!(err.matches("warning").count(), 1, "{err}");
    // The inside of a FILE is glibc's.
    let source = "#include <stdio.h>\n#include <string.h>\nint main(void) {\n  char t[] = \"a b\";\n  \
                  return getc_unlocked(stdin) + (strtok(t, \" \") == 0);\n}\n";
    std::fs::write(here.join("f.c"), source).expect("writable");
    clang(&here, &["-O2", "-emit-llvm", "-c", "f.c", "-o", "f.bc"]);
    let (_, out, err) = cairn(&here, &["run", "--json", "f.bc"]);
    assert!(out.contains("\"libc\": \"none\""), "{out}");
    assert!(err.contains("__uflow"), "{err}");
    assert_eq!(err.matches("warning").count(), 1, "{err}");
}

#[test]
fn a_harness_of_the_compiler_gets_it() {
    let source = r#"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char text[4] = {0};
  memcpy(text, data, size < 3 ? size : 3);
  if (strtod(text, NULL) > 1e99)
    abort();
  return 0;
}
"#;
    let here = folder("harness", source);
    let (code, _, err) = cairn(&here, &["cc", "-g", "-fsanitize=fuzzer", "p.c", "-o", "p"]);
    assert_eq!(code, 0, "{err}");
    let limit = ["--fuzz-size", "1", "--max-instructions", "3000000"];
    let (_, out, err) = cairn(&here, &[&["run", "--json", "./p"], &limit[..]].concat());
    assert!(out.contains("\"libc\": \"musl"), "{out}{err}");
    assert!(!out.contains("not defined"), "{out}");
    assert!(out.contains("\"errors\": 0"), "{out}");
}

/// Far away from the repository there is no library, and a sentence says how to get it.
#[test]
fn a_library_that_is_not_set_up_is_asked_for_in_one_sentence() {
    folder("away", "");
    let here = std::env::temp_dir().join(format!("cairn-away-{}", std::process::id()));
    std::fs::create_dir_all(&here).expect("writable");
    let binary = here.join("cairn");
    std::fs::copy(env!("CARGO_BIN_EXE_cairn"), &binary).expect("there is room");
    std::fs::write(here.join("p.c"), ORDERED).expect("writable");
    let ran = Command::new(&binary)
        .args(["run", "--json", "p.c"])
        .current_dir(&here)
        .env("CAIRN_HOME", &here)
        .env_remove("CAIRN_LIBC")
        .stdin(Stdio::null())
        .output();
    let _ = std::fs::remove_dir_all(&here);
    let err = String::from_utf8_lossy(&ran.expect("it starts").stderr).into_owned();
    assert!(err.starts_with("cairn: warning: p.c: "), "{err}");
    assert!(err.contains("qsort") && err.contains("./setup"), "{err}");
    assert_eq!(err.matches("warning").count(), 1, "{err}");
}
