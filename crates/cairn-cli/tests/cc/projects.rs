//! Projects that are built by scripts, in C++, with the library of C that Cairn brings along.

use super::support::{Place, code, err, out};
use super::{explored, parts};
use std::path::Path;

/// The drivers as a script calls them: `cairn-cc` and `cairn-c++`, links to the binary.
fn drivers(place: &Place) {
    for name in ["cairn-cc", "cairn-c++"] {
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_cairn"), place.path(name))
            .expect("the folder is writable");
    }
}

#[test]
fn a_project_with_a_configure_script_and_a_makefile() {
    let place = Place::new("project");
    drivers(&place);
    // What autoconf's scripts do: compile, link and run small programs, look at exit codes and files.
    place.file(
        "configure",
        r#"#!/bin/sh
CC=${CC:-cc}
try() { printf '%s\n' "$1" > conftest.c; $CC -o conftest $3 conftest.c $2 >conftest.log 2>&1; }
try 'int main(void) { return 0; }' || { echo "no compiler"; exit 77; }
test -f conftest && ./conftest || exit 78
try 'this is no program' && exit 79
try 'int no_such_function(void); int main(void) { return no_such_function(); }' && exit 80
try '#include <no/such/header.h>' '' -c && exit 81
try '#include <math.h>
int main(int c, char **v) { return (int)cos(c) != 0; }' -lm || exit 82
try 'int main(void) { return 0; }' '' '-Werror -fno-such-flag-exists' && exit 83
printf 'int x;\n' > conftest.c && $CC -c conftest.c && test -f conftest.o || exit 84
$CC --version >/dev/null || exit 85
echo "int main(void){return 0;}" | $CC -E -x c - >/dev/null || exit 86
rm -f conftest*
echo "CC = $CC" > config.mk
echo '#define LIMIT 3' > config.h
"#,
    );
    place.file(
        "Makefile",
        "include config.mk\nOBJECTS = lib/first.o lib/second.o lib/third.o\n\
         all: prog other\nprog: main.o libparts.a\n\t$(CC) -o $@ main.o -L. -lparts\n\
         other: other.c libparts.a\n\t$(CC) -I. -o $@ other.c libparts.a\n\
         libparts.a: $(OBJECTS)\n\trm -f $@\n\tar rcs $@ $(OBJECTS)\n\
         .c.o:\n\t$(CC) -O2 -Wall -I. -MMD -c -o $@ $<\n",
    );
    place.file(
        "main.c",
        "#include \"config.h\"\n#include <klee/klee.h>\nint first(int);\nint main(void) {\n  \
         int x = klee_range(0, 9, \"x\");\n  return first(x) > LIMIT ? 0 : 0 * x;\n}\n",
    );
    place.file(
        "other.c",
        "int third(int);\nint main(void) { return third(0); }\n",
    );
    place.file(
        "lib/first.c",
        "int second(int);\nint first(int x) { return second(x) ? 4 : 1; }\n",
    );
    place.file("lib/second.c", "int second(int x) { return x == 5; }\n");
    place.file("lib/third.c", "int third(int x) { return x; }\n");
    let mut configure = place.command("sh", &["./configure"]);
    let configured = configure.env("CC", "./cairn-cc").output().expect("sh runs");
    assert_eq!(
        code(&configured),
        0,
        "{}{}",
        out(&configured),
        err(&configured)
    );
    let made = place.output("make", &["-j4"]);
    assert_eq!(
        (code(&made), err(&made)),
        (0, String::new()),
        "{}",
        out(&made)
    );
    assert_eq!(
        parts(&place, "prog"),
        ["main.c", "lib/first.c", "lib/second.c"]
    );
    assert_eq!(parts(&place, "other"), ["other.c", "lib/third.c"]);
    explored(&place, "./prog", 2);
    explored(&place, "./other", 1);
    // Nothing is left behind by parallel commands.
    let scratch = place.path("scratch");
    std::fs::create_dir_all(&scratch).expect("writable");
    let mut again = place.command("make", &["-B", "-j4"]);
    let again = again.env("TMPDIR", &scratch).output().expect("make runs");
    assert_eq!(code(&again), 0, "{}", err(&again));
    let left: Vec<_> = std::fs::read_dir(&scratch).expect("it is there").collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn cxx_programs_with_templates_in_several_sources() {
    let place = Place::new("cxx");
    drivers(&place);
    place.file(
        "pick.h",
        "template <class T> struct Pick { T value; T get() const { return value; } };\n\
         inline int doubled(int x) { return 2 * x; }\n",
    );
    place.file(
        "main.cc",
        "#include \"pick.h\"\n#include <klee/klee.h>\nint from_other(int);\nint main() {\n  \
         Pick<int> p{klee_range(0, 4, \"x\")};\n  if (p.get() == doubled(1)) return from_other(0);\n  \
         return 0;\n}\n",
    );
    place.file(
        "other.cc",
        "#include \"pick.h\"\nstruct Counter { int n; Counter() : n(doubled(0)) {} } counter;\n\
         int from_other(int x) { return Pick<int>{x}.get() + doubled(x) + counter.n; }\n",
    );
    place.run("./cairn-c++", &["-O2", "-c", "main.cc", "-o", "main.o"]);
    place.run("./cairn-c++", &["main.o", "other.cc", "-o", "prog"]);
    assert_eq!(parts(&place, "prog"), ["main.cc", "other.cc"]);
    explored(&place, "./prog", 2);
    // The library is said: the host's here, and libc++ on musl unless told otherwise.
    let mut says = place.command("cairn", &["c++", "-v", "-c", "other.cc"]);
    let host = says.output().expect("it was built");
    let line = "cairn c++: headers and libraries of C and C++: the host's";
    assert!(err(&host).lines().any(|l| l == line), "{}", err(&host));
    let own = says
        .env_remove("CAIRN_CC_LIBC")
        .output()
        .expect("it was built");
    let line = "cairn c++: headers and library of C++: ";
    assert!(
        err(&own).lines().any(|l| l.starts_with(line)),
        "{}",
        err(&own)
    );
}

#[test]
fn a_native_program_runs_on_a_test_that_was_found() {
    let place = Place::new("replayed");
    place.file(
        "main.c",
        "#include <klee/klee.h>\nint main(void) {\n  int x;\n  \
         klee_make_symbolic(&x, sizeof x, \"x\");\n  klee_assert(x != 4711);\n  return 0;\n}\n",
    );
    place.cc(&["-O2", "main.c", "-o", "prog"]);
    let ran = place.cairn(&["run", "--output-dir", "found", "./prog"]);
    assert_eq!(code(&ran), 1, "{}", err(&ran));
    let replayed = place.cairn(&["replay", "./prog", "found"]);
    assert_eq!(code(&replayed), 0, "{}{}", out(&replayed), err(&replayed));
}

#[test]
fn with_the_library_that_comes_along() {
    let place = Place::new("musl");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.deps/musl");
    if !root.join("lib/libc.a").is_file() {
        assert!(
            std::env::var_os("CI").is_none(),
            "musl is not set up: run ./setup"
        );
        eprintln!("skipped: .deps/musl was not set up");
        return;
    }
    let root = root.to_str().expect("utf-8");
    let variables = [("CAIRN_CC_LIBC", "musl"), ("CAIRN_LIBC", root)];
    place.file(
        "main.c",
        "#include <klee/klee.h>\n#include <math.h>\n#include <stdio.h>\n#include <stdarg.h>\n\
         #ifdef __GLIBC__\n#error the host's headers\n#endif\nint main(void) {\n  \
         int x = klee_range(0, 3, \"x\");\n  return x == 2 ? puts(\"two\") < 0 : 0;\n}\n",
    );
    place.file(
        "plain.c",
        "#include <stdio.h>\nint main(void) { return printf(\"hello\\n\") != 6; }\n",
    );
    place.cc_with(&variables, &["-O2", "-c", "main.c"]);
    place.cc_with(&variables, &["main.o", "-lm", "-lpthread", "-o", "prog"]);
    place.cc_with(
        &variables,
        &["-pie", "-x", "c", "plain.c", "-lm", "-o", "plain"],
    );
    let listed = out(&place.cairn(&["bitcode", "--list", "prog"]));
    assert!(listed.trim_end().ends_with("bytes, musl"), "{listed}");
    let native = place.output("./plain", &[]);
    assert_eq!((code(&native), out(&native)), (0, "hello\n".to_string()));
    explored(&place, "./prog", 2);
    let replayed = place.output("./prog", &[]);
    assert_eq!(code(&replayed), 63, "no test was given: {}", err(&replayed));
    // Its objects do not go with the host's library.
    let linked = place.cairn(&["cc", "main.o", "-o", "mixed"]);
    assert!(
        err(&linked).contains("main.o was compiled with musl's headers"),
        "{}",
        err(&linked)
    );
}
