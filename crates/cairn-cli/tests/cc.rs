//! `cairn cc`, `cairn c++` and `cairn bitcode`: whatever a makefile says, the compiler does what it
//! does without us, and what it builds can be explored.

#[path = "cc/projects.rs"]
mod projects;
#[path = "cc/support.rs"]
mod support;

use support::{Place, code, err, out};

const MAIN: &str = "#include <klee/klee.h>\n#include <stdio.h>\nint square(int);\nint main(void) {\n  \
    int x = klee_range(0, 10, \"x\");\n  if (square(x) == 49)\n    puts(\"seven\");\n  return 0;\n}\n";
const SQUARE: &str = "int square(int x) { return x * x; }\n";

/// What `cairn run` says of a program that was built, and how many paths it found.
#[track_caller]
fn explored(place: &Place, program: &str, paths: u64) {
    let _ = std::fs::remove_dir_all(place.path(&format!("{program}.out")));
    let ran = place.cairn(&[
        "run",
        "--json",
        "--output-dir",
        &format!("{program}.out"),
        program,
    ]);
    assert_eq!(code(&ran), 0, "{}", err(&ran));
    assert_eq!(err(&ran), "");
    let wanted = format!("\"completed\": {paths}");
    assert!(out(&ran).contains(&wanted), "{}", out(&ran));
}

/// The parts of a program or object.
#[track_caller]
fn parts(place: &Place, file: &str) -> Vec<String> {
    let listed = place.cairn(&["bitcode", "--list", file]);
    assert_eq!(code(&listed), 0, "{}", err(&listed));
    let names = out(&listed);
    let names = names
        .lines()
        .map(|l| l.split(':').next().unwrap_or("").to_string());
    names.collect()
}

#[test]
fn programs_are_explored_however_they_were_built() {
    let place = Place::new("however");
    place.file("main.c", MAIN);
    place.file("square.c", SQUARE);
    place.cc(&["-c", "main.c", "square.c"]);
    place.cc(&["main.o", "square.o", "-o", "objects"]);
    place.cc(&["main.c", "square.c", "-o", "sources"]);
    place.cc(&["-O2", "main.c", "square.o", "-Wl,--gc-sections", "-omixed"]);
    place.cc(&["square.o", "main.c", "-static", "-o", "static"]);
    place.cc(&["-r", "-nostdlib", "main.o", "square.o", "-o", "both.o"]);
    place.cc(&["both.o", "-o", "relocated"]);
    place.cc(&["-flto", "-O2", "-c", "main.c", "-o", "lto.o"]);
    place.cc(&["-flto=thin", "lto.o", "square.c", "-o", "lto"]);
    for program in ["objects", "sources", "mixed", "static", "relocated", "lto"] {
        explored(&place, &format!("./{program}"), 2);
        let mut found = parts(&place, program);
        found.sort();
        assert_eq!(found, ["main.c", "square.c"], "{program}");
    }
    // In the order of the link.
    assert_eq!(parts(&place, "static"), ["square.c", "main.c"]);
    assert_eq!(parts(&place, "main.o"), ["main.c"]);
    // Nothing is left behind.
    let left = place.cairn(&["bitcode", "objects"]);
    assert_eq!(code(&left), 0, "{}", err(&left));
    assert!(place.exists("objects.bc"));
    assert!(!place.exists("main.o.part"));
}

#[test]
fn an_object_can_be_explored() {
    let place = Place::new("object");
    place.file("one.c", &MAIN.replace("int square(int);", SQUARE));
    place.cc(&["-c", "one.c"]);
    explored(&place, "one.o", 2);
}

#[test]
fn bitcode_is_written_to_a_file_that_runs() {
    let place = Place::new("written");
    place.file("main.c", MAIN);
    place.file("square.c", SQUARE);
    place.cc(&["main.c", "square.c", "-o", "prog"]);
    let written = place.cairn(&["bitcode", "prog", "-o", "whole.bc"]);
    assert_eq!((code(&written), err(&written)), (0, String::new()));
    explored(&place, "whole.bc", 2);
}

#[test]
fn what_has_no_bitcode_says_so_in_one_sentence() {
    let place = Place::new("without");
    place.file("main.c", "int main(void) { return 0; }\n");
    place.file("part.c", "int part(void) { return 1; }\n");
    place.run("clang-19", &["main.c", "-o", "plain"]);
    place.run("clang-19", &["-s", "main.c", "-o", "stripped"]);
    place.run("clang-19", &["-c", "part.c"]);
    place.run("ar", &["rcs", "lib.a", "part.o"]);
    place.file("text", "hello\n");
    let cases = [
        ("./plain", "no bitcode in it: build it with `cairn cc`\n"),
        (
            "./stripped",
            "no bitcode in it: build it with `cairn cc`, and do not strip it\n",
        ),
        ("lib.a", "a library is no program: link a program with it"),
        ("text", "built with `cairn cc`"),
        ("missing", "no such file"),
    ];
    for (file, sentence) in cases {
        for command in ["run", "bitcode"] {
            let ran = place.cairn(&[command, file]);
            assert_eq!(code(&ran), 65, "{command} {file}: {}", err(&ran));
            let said = err(&ran);
            assert!(said.starts_with(&format!("cairn: {file}: ")), "{said}");
            assert!(said.contains(sentence), "{said}");
            assert_eq!(said.lines().count(), 1, "{said}");
        }
    }
}

#[test]
fn missing_parts_are_named_in_one_warning() {
    let place = Place::new("missing");
    let main = "int part(void); int asm_part(void); int member(void);\n\
        int main(int argc, char **argv) { return argc > 9 ? part() + asm_part() + member() : 0; }\n";
    place.file("main.c", main);
    place.file("part.c", "int part(void) { return 1; }\n");
    place.file("member.c", "int member(void) { return 1; }\n");
    place.file("unused.c", "int unused(void) { return 1; }\n");
    place.file(
        "asm_part.s",
        ".globl asm_part\nasm_part:\n  xorl %eax, %eax\n  ret\n.section .note.GNU-stack\n",
    );
    place.run("clang-19", &["-c", "part.c", "member.c", "unused.c"]);
    place.run("ar", &["rcs", "libmember.a", "member.o", "unused.o"]);
    place.cc(&["-c", "asm_part.s", "main.c"]);
    place.cc(&[
        "main.o",
        "asm_part.o",
        "part.o",
        "-L.",
        "-lmember",
        "-o",
        "prog",
    ]);
    let ran = place.cairn(&["run", "./prog"]);
    let said = err(&ran);
    assert_eq!(code(&ran), 0, "{said}");
    let line = said.lines().next().unwrap_or_default();
    assert_eq!(
        line,
        "cairn: warning: ./prog: 3 parts have no bitcode, so that what they define is missing: \
         asm_part.s (an assembler source), part.o (not built with `cairn cc`), \
         ./libmember.a(member.o) (not built with `cairn cc`)"
    );
    // All of a command at once.
    place.cc(&[
        "main.c",
        "asm_part.s",
        "part.o",
        "libmember.a",
        "-o",
        "once",
    ]);
    let ran = place.cairn(&["run", "./once"]);
    assert!(
        err(&ran).contains("3 parts have no bitcode"),
        "{}",
        err(&ran)
    );
}

#[test]
fn only_the_linked_members_of_a_library_are_in() {
    let place = Place::new("members");
    place.file("main.c", MAIN);
    place.file("square.c", SQUARE);
    place.file("cube.c", "int cube(int x) { return x * x * x; }\n");
    place.file(
        "shift.c",
        "int cube(int); int shift(int x) { return cube(x) << 1; }\n",
    );
    place.cc(&["-c", "square.c", "cube.c", "shift.c", "main.c"]);
    place.run("ar", &["rcs", "libcalc.a", "square.o", "cube.o", "shift.o"]);
    place.cc(&["main.o", "-L.", "-lcalc", "-o", "prog"]);
    assert_eq!(parts(&place, "prog"), ["main.c", "square.c"]);
    explored(&place, "./prog", 2);
    // Stripping leaves what is no symbol and no debug information.
    place.run("strip", &["prog"]);
    explored(&place, "./prog", 2);
    place.run("objcopy", &["--remove-section=.cairn_bc", "prog"]);
    let ran = place.cairn(&["run", "./prog"]);
    assert!(err(&ran).contains("do not strip it"), "{}", err(&ran));
}

#[test]
fn the_compiler_answers_as_without_us() {
    let place = Place::new("answers");
    place.file(
        "good.c",
        "#include <stddef.h>\nint main(void) { return 3; }\n",
    );
    place.file("warns.c", "int f(int x) { int unused; return x; }\n");
    place.file("bad.c", "int main(void) { return undeclared; }\n");
    place.file(
        "undefined.c",
        "int g(void); int main(void) { return g(); }\n",
    );
    place.file("code.s", ".globl code\ncode:\n  ret\n");
    let commands: &[&[&str]] = &[
        &["--version"],
        &["-v"],
        &["-dumpmachine"],
        &["-print-search-dirs"],
        &["-print-file-name=libc.a"],
        &["-E", "good.c"],
        &["-S", "good.c", "-o", "-"],
        &["-M", "good.c"],
        &["-MM", "good.c"],
        &["-fsyntax-only", "-Wall", "warns.c"],
        &["-c", "-Wall", "warns.c"],
        &["-c", "-Wall", "-Werror", "warns.c"],
        &["-c", "bad.c"],
        &["bad.c"],
        &["undefined.c"],
        &["-c", "missing.c"],
        &["missing.o"],
        &["-c", "-Werror", "code.s"],
        &["-c", "good.c", "warns.c", "-o", "two.o"],
        &["-c", "-fno-such-flag", "good.c"],
        &["-c", "good.c", "-o", "/dev/null"],
        &["-c", "good.c", "-o", "no/such/folder.o"],
        &["-Wl,-O1", "-Werror", "good.c", "-o", "good"],
        &["-lnosuchlibrary", "good.c"],
        &[],
    ];
    let without_places = |text: String| {
        // Names of temporary files differ; and there is always one input, our library.
        let lines = text.lines().filter(|l| {
            !l.contains("/tmp/") && !l.starts_with("cairn cc: ") && !l.contains("no input files")
        });
        lines.map(str::to_string).collect::<Vec<_>>()
    };
    for command in commands {
        let theirs = place.output("clang-19", command);
        let ours = place.output("cairn", &[&["cc"], *command].concat());
        assert_eq!(code(&ours), code(&theirs), "{command:?}: {}", err(&ours));
        let same = command.contains(&"-M") || command.contains(&"-E");
        assert_eq!(out(&ours), out(&theirs), "{command:?}");
        assert!(!same || !out(&ours).is_empty());
        let (ours, theirs) = (without_places(err(&ours)), without_places(err(&theirs)));
        assert_eq!(ours, theirs, "{command:?}");
    }
    place.cc(&["good.c", "-o", "good"]);
    assert_eq!(place.output("./good", &[]).status.code(), Some(3));
}

#[test]
fn dependencies_are_written_once_and_name_files_that_stay() {
    let place = Place::new("dependencies");
    place.file("a.h", "#define A 1\n");
    place.file(
        "a.c",
        "#include \"a.h\"\n#include <klee/klee.h>\nint a = A;\n",
    );
    place.cc(&[
        "-MMD", "-MP", "-MF", "a.d", "-MT", "target", "-c", "a.c", "-o", "a.o",
    ]);
    let written = place.read("a.d");
    assert!(written.starts_with("target: a.c a.h"), "{written}");
    place.cc(&["-MD", "-c", "a.c", "-o", "b.o"]);
    let written = place.read("b.d");
    let header = written
        .split_whitespace()
        .find(|f| f.ends_with("klee/klee.h"));
    assert!(std::path::Path::new(header.expect("it is included")).is_file());
    assert_eq!(parts(&place, "a.o"), ["a.c"]);
}

#[test]
fn sources_from_standard_input_and_of_stated_languages() {
    let place = Place::new("stated");
    place.file("source.txt", &MAIN.replace("int square(int);", SQUARE));
    place.file("square.c", SQUARE);
    place.file(
        "words",
        "-x c\n\"source.txt\" '-DUNUSED=\"a b\"' -o from\\ file\n",
    );
    place.cc(&["-x", "c", "source.txt", "-o", "stated"]);
    place.cc(&["@words"]);
    let source = place.read("source.txt");
    let fed = place.fed(&["cc", "-xc", "-", "-o", "standard"], &source);
    assert_eq!(code(&fed), 0, "{}", err(&fed));
    let fed = place.fed(&["cc", "-c", "-xc", "-", "-o", "standard.o"], &source);
    assert_eq!(code(&fed), 0, "{}", err(&fed));
    let piped = place.fed(&["cc", "-E", "-xc", "-"], "int piped;\n");
    assert!(out(&piped).contains("int piped;"));
    for program in ["./stated", "./from file", "./standard", "standard.o"] {
        explored(&place, program, 2);
    }
    place.cc(&["-c", "--", "square.c"]);
    assert_eq!(parts(&place, "square.o"), ["square.c"]);
    // A flag that is left out may stand in a file, and a source after others.
    place.file("more", "-flto square.c");
    place.file("main.c", MAIN);
    place.cc(&["main.c", "@more", "-o", "more-words"]);
    explored(&place, "./more-words", 2);
}

#[test]
fn bitcode_is_for_exploring_whatever_the_program_is_for() {
    let place = Place::new("exploring");
    place.file(
        "level.c",
        "#ifdef __AVX2__\n#error vectors\n#endif\n#ifdef __OPTIMIZE__\nint fast(void);\nint fast(void) \
         { return 1; }\n#endif\nint main(int argc, char **argv) { char text[4] = {0}; \
         return text[argc & 3] + LEVEL; }\n",
    );
    let flags = [
        "-O3",
        "-DLEVEL=0",
        "-D_FORTIFY_SOURCE=2",
        "-fstack-protector-all",
    ];
    place.cc(&[
        &flags[..],
        &["-fsanitize=undefined", "level.c", "-o", "level"],
    ]
    .concat());
    let bitcode = place.cairn(&["bitcode", "level", "-o", "level.bc"]);
    assert_eq!(code(&bitcode), 0, "{}", err(&bitcode));
    place.run("llvm-dis-19", &["level.bc", "-o", "level.ll"]);
    let text = place.read("level.ll");
    // What macros say is as natively: which functions there are may depend on it.
    assert!(text.contains("@fast"), "{text}");
    for unwanted in ["ubsan", "optnone", "sspreq", "tail call"] {
        assert!(!text.contains(unwanted), "{unwanted} in\n{text}");
    }
    assert!(
        text.contains("alloca") && text.contains("!DILocation"),
        "{text}"
    );
    // What needs the instructions of some processors gets them.
    place.file(
        "needs.c",
        "#ifndef __AVX2__\n#error no vectors\n#endif\nint main(void) { return 0; }\n",
    );
    place.cc(&["-mavx2", "-c", "needs.c"]);
    assert_eq!(parts(&place, "needs.o"), ["needs.c"]);
    place.cc_with(
        &[("CAIRN_CC_OPT", "1")],
        &["-DLEVEL=0", "level.c", "-o", "level"],
    );
    place.cairn(&["bitcode", "level", "-o", "level.bc"]);
    place.run("llvm-dis-19", &["level.bc", "-o", "level.ll"]);
    assert!(place.read("level.ll").contains("@fast"));
    // A source that only compiles natively.
    place.file(
        "native.c",
        "#ifndef __SSP_ALL__\n#error careless\n#endif\nint f(void) { return 1; }\n",
    );
    place.cc(&["-fstack-protector-all", "-c", "native.c"]);
    let listed = out(&place.cairn(&["bitcode", "--list", "native.o"]));
    assert!(
        listed.starts_with("native.c: no bitcode: native.c:2:2: error"),
        "{listed}"
    );
}

#[test]
fn wrong_wishes_are_refused() {
    let place = Place::new("wishes");
    place.file("a.c", "int a;\n");
    for (name, value) in [
        ("CAIRN_CC_OPT", "fast"),
        ("CAIRN_CC_LIBC", "other"),
        ("CAIRN_LIBC", "/no/such/folder"),
    ] {
        let ran = place.with(
            &[("CAIRN_CC_LIBC", "musl"), (name, value)],
            &["cc", "-c", "a.c"],
        );
        assert_eq!(code(&ran), 64, "{}", err(&ran));
        assert!(
            err(&ran).contains(&format!("{name}={value}: expected")),
            "{}",
            err(&ran)
        );
    }
}

#[test]
fn two_strong_definitions_do_not_go_together() {
    let place = Place::new("twice");
    place.file(
        "main.c",
        "int main(void) { return 0; }\nint same(void) { return 1; }\n",
    );
    place.file("same.c", "int same(void) { return 2; }\n");
    place.cc(&[
        "main.c",
        "same.c",
        "-Wl,--allow-multiple-definition",
        "-o",
        "prog",
    ]);
    let ran = place.cairn(&["run", "./prog"]);
    assert_eq!(code(&ran), 65);
    let said = err(&ran);
    assert!(
        said.contains("same.c: cannot be linked") && said.contains("'same'"),
        "{said}"
    );
    // Of weak ones the first is taken, as by a linker.
    place.file(
        "weak1.c",
        "__attribute__((weak)) int pick(void) { return 0; }\n",
    );
    place.file(
        "weak2.c",
        "__attribute__((weak)) int pick(void) { return 1; }\n",
    );
    place.file(
        "user.c",
        "int pick(void);\nint main(void) { return pick(); }\n",
    );
    for (order, expected) in [(["weak1.c", "weak2.c"], 0), (["weak2.c", "weak1.c"], 1)] {
        place.cc(&[&order[..], &["user.c", "-o", "pick"]].concat());
        assert_eq!(code(&place.output("./pick", &[])), expected);
        assert_eq!(
            code(&place.cairn(&["run", "--concrete", "./pick"])),
            expected
        );
    }
}
