//! The command line of `cairn run`: output, messages and exit codes, as a user meets them.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use support::{cairn, code, err, out};

/// A file with this content for one test.
fn file(name: &str, content: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).expect("the folder is writable");
    path.to_str().expect("utf-8").to_string()
}

fn example(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = root.join("examples").join(name);
    path.to_str().expect("utf-8").to_string()
}

#[test]
fn a_program_prints_and_ends_as_it_would_by_itself() {
    let program = example("average.c");
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        let output = cairn(&["run", "--concrete", level, &program, "--", "3", "5", "10"]);
        assert_eq!(code(&output), 0, "{}", err(&output));
        assert_eq!(out(&output), "average 6\n");
        assert_eq!(err(&output), "");
    }
}

#[test]
fn the_readme_shows_what_is_printed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("there is a README");
    let output = Command::new(env!("CARGO_BIN_EXE_cairn"))
        .args(["run", "--concrete", "examples/average.c"])
        .current_dir(&root)
        .output()
        .expect("the binary was built");
    let printed = err(&output);
    assert_eq!(code(&output), 1, "{printed}");
    assert!(
        readme.contains(printed.trim_end()),
        "README must show:\n{printed}"
    );
}

#[test]
fn an_error_is_reported_with_its_place_and_the_output_before_it_is_kept() {
    let program = file(
        "late.c",
        "#include <stdio.h>\nint main(int argc, char **argv) {\n  printf(\"before\\n\");\n  \
         int a[4] = {0};\n  return a[argc + 3];\n}\n",
    );
    let output = cairn(&["run", "--concrete", &program]);
    assert_eq!(code(&output), 1);
    assert_eq!(out(&output), "before\n");
    let message = err(&output);
    assert!(
        message.contains("outside of the stack object of 16 bytes"),
        "{message}"
    );
    assert!(message.contains("late.c:5:10"), "{message}");
}

#[test]
fn flags_reach_the_compiler() {
    let program = file(
        "flags.c",
        "int main(void) { for (int i = 0; i < 1; i++) {} return CODE; }\n",
    );
    let output = cairn(&["run", "--concrete", "-DCODE=42", "-std=c99", &program]);
    assert_eq!(code(&output), 42, "{}", err(&output));
    let output = cairn(&["run", "--concrete", "--cc-flag=-DCODE=43", &program]);
    assert_eq!(code(&output), 43, "{}", err(&output));
}

#[test]
fn signed_overflow_is_checked_on_request() {
    let program = file(
        "overflow.c",
        "int main(int argc, char **argv) { int x = 2147483646 + argc; return x + argc > 0; }\n",
    );
    assert_eq!(code(&cairn(&["run", "--concrete", &program])), 0);
    let output = cairn(&["run", "--concrete", "--check", "overflow", &program]);
    assert_eq!(code(&output), 1);
    assert!(err(&output).contains("signed overflow"), "{}", err(&output));
}

#[test]
fn bad_input_gets_one_sentence() {
    let cases = [
        (file("garbage.bc", "no bitcode"), "not a valid LLVM module"),
        (file("broken.ll", "define i32 @main( {"), "broken.ll:1:"),
        (file("broken.cir", "func @main( {"), "broken.cir"),
        (
            file("broken.c", "int main(void) { return }"),
            "broken.c:1:25",
        ),
        (file("program.txt", ""), "expected a name that ends in"),
        ("/nonexistent/program.c".to_string(), "no such file"),
        ("/nonexistent/program.bc".to_string(), "program.bc"),
        (file("empty.ll", "\n; nothing\n"), "no function main"),
    ];
    for (program, expected) in cases {
        let output = cairn(&["run", "--concrete", &program]);
        let message = err(&output);
        assert_eq!(code(&output), 65, "{program}: {message}");
        assert!(message.contains(expected), "{program}: {message}");
        assert!(message.starts_with("cairn: "), "{message}");
    }
    let source = file("plain.c", "int main(void) { return 0; }\n");
    let output = cairn(&["run", &source, "--layers", "slice,slice"]);
    let said = "cairn: layer \"slice\" is listed twice; list each layer once\n";
    assert_eq!((code(&output), err(&output).as_str()), (64, said));
    assert_eq!(code(&cairn(&["run"])), 64);
}

#[test]
fn only_a_path_that_reaches_something_unsupported_ends() {
    let program = file(
        "assembly.c",
        "int main(int argc, char **argv) {\n  if (argc > 1) {\n    unsigned x;\n    \
         __asm__ volatile(\"rdtsc\" : \"=a\"(x) : : \"edx\");\n    return x;\n  }\n  return 5;\n}\n",
    );
    assert_eq!(code(&cairn(&["run", "--concrete", &program])), 5);
    let output = cairn(&["run", "--concrete", &program, "--", "x"]);
    assert_eq!(code(&output), 1);
    assert!(err(&output).contains("rdtsc"), "{}", err(&output));
    let listed = cairn(&["run", "--list-unsupported", &program]);
    assert_eq!(code(&listed), 0);
    assert!(
        out(&listed).contains("rdtsc") && out(&listed).contains("main"),
        "{}",
        out(&listed)
    );
}

#[test]
fn a_limit_ends_a_program_that_does_not() {
    let program = file("forever.c", "int main(void) { for (;;) {} }\n");
    let output = cairn(&[
        "run",
        "--concrete",
        "--max-instructions",
        "100000",
        &program,
    ]);
    assert_eq!(code(&output), 2, "{}", err(&output));
}

#[test]
fn a_program_in_our_own_form_runs_too() {
    let program = file("small.c", "int main(void) { return 9; }\n");
    let text = program.replace("small.c", "small.cir");
    let output = cairn(&["run", "--emit-cir", &text, &program]);
    assert_eq!(code(&output), 0, "{}", err(&output));
    let output = cairn(&["run", "--concrete", &text]);
    assert_eq!(code(&output), 9, "{}", err(&output));
}

#[test]
fn aborting_is_told_as_a_shell_tells_it() {
    let program = file(
        "assert.c",
        "#include <assert.h>\nint main(int argc, char **argv) { assert(argc > 5); return 0; }\n",
    );
    let output = cairn(&["run", "--concrete", &program]);
    assert_eq!(code(&output), 134);
    assert!(
        err(&output).contains("Assertion `argc > 5' failed"),
        "{}",
        err(&output)
    );
}

#[test]
fn asking_for_more_arguments_than_were_passed_is_an_error() {
    let program = file(
        "varargs.c",
        "#include <stdarg.h>\n#include <stdlib.h>\nstatic int sum(int n, ...) {\n  va_list l;\n  \
         va_start(l, n);\n  int s = 0;\n  for (int i = 0; i < n; i++) s += va_arg(l, int);\n  \
         va_end(l);\n  return s;\n}\nint main(int argc, char **argv) {\n  \
         return sum(atoi(argv[1]), 1, 2, 3, 4, 5, 6, 7, 8) + sum(argc, 1, 2);\n}\n",
    );
    let output = cairn(&["run", "--concrete", &program, "--", "8"]);
    assert_eq!(code(&output), 39, "{}", err(&output));
    let output = cairn(&["run", "--concrete", &program, "--", "9"]);
    assert_eq!(code(&output), 1, "{}", err(&output));
    let output = cairn(&["run", "--concrete", &program, "--", "8", "one more"]);
    assert_eq!(code(&output), 1, "{}", err(&output));
}

#[test]
fn weak_names_are_there_if_they_are_natives() {
    let program = file(
        "weak.c",
        "extern int puts(const char *) __attribute__((weak));\n\
         extern int missing(void) __attribute__((weak));\n\
         int main(void) { if (puts) puts(\"yes\"); return missing ? missing() : 3; }\n",
    );
    let output = cairn(&["run", "--concrete", &program]);
    assert_eq!(code(&output), 3, "{}", err(&output));
    assert_eq!(out(&output), "yes\n");
}

#[test]
fn leaving_at_once_runs_no_destructor() {
    let program = |how: &str| {
        file(
            &format!("leave{how}.c"),
            &format!(
                "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n\
                 __attribute__((destructor)) static void late(void) {{ puts(\"late\"); }}\n\
                 static void registered(void) {{ puts(\"registered\"); }}\n\
                 int main(void) {{ atexit(registered); {how}(4); }}\n"
            ),
        )
    };
    let output = cairn(&["run", "--concrete", &program("exit")]);
    assert_eq!(
        (code(&output), out(&output).as_str()),
        (4, "registered\nlate\n")
    );
    let output = cairn(&["run", "--concrete", &program("_exit")]);
    assert_eq!((code(&output), out(&output).as_str()), (4, ""));
}

#[test]
fn classes_of_characters_are_the_c_librarys() {
    let program = file(
        "classes.c",
        "#include <ctype.h>\n#include <stdio.h>\nint main(void) {\n  \
         for (int c = -1; c < 256; c++)\n    \
         printf(\"%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d\\n\", c, isupper(c), \
         islower(c), isalpha(c), isdigit(c), isxdigit(c), isspace(c), isprint(c), isgraph(c), \
         isblank(c), iscntrl(c), ispunct(c), isalnum(c), toupper(c), tolower(c), \
         (isalpha)(c));\n  return 0;\n}\n",
    );
    let native = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("classes");
    let built = Command::new("clang-19")
        .arg("-w")
        .arg(&program)
        .arg("-o")
        .arg(&native)
        .status()
        .expect("clang-19 is installed");
    assert!(built.success());
    let expected = Command::new(&native).output().expect("it runs");
    let output = cairn(&["run", "--concrete", &program]);
    assert_eq!(code(&output), 0, "{}", err(&output));
    assert_eq!(out(&output), out(&expected));
}

#[test]
fn the_readme_shows_what_exploring_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("there is a README");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme-maze");
    let _ = std::fs::remove_dir_all(&folder);
    let output = Command::new(env!("CARGO_BIN_EXE_cairn"))
        .args(["run", "examples/maze.c", "--output-dir"])
        .arg(&folder)
        .current_dir(&root)
        .output()
        .expect("the binary was built");
    assert_eq!(code(&output), 1, "{}", err(&output));
    // Times and how many tests fit into them vary.
    let printed = out(&output);
    let paths = printed.lines().next().expect("a line");
    assert!(readme.contains(paths), "README must show: {paths}");
    let found = err(&output);
    let found = found.lines().next().expect("a finding");
    assert!(readme.contains(found), "README must show: {found}");
}
