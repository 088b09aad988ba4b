//! Native replay: small programs, tests made for them, and how the runs end.

use cairn_home::{ScratchFolder, install_headers};
use cairn_replay::{
    Agreement, BuildError, BuildOptions, End, ExpectedEnd, ExpectedEnds, KTest, KTestObject,
    NativeProgram, NativeRun, RunError, RunOptions, Sanitizer,
};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

fn source(name: &str, text: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("native");
    std::fs::create_dir_all(&folder).expect("the folder is writable");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("the folder is writable");
    path
}

fn build_with(name: &str, text: &str, options: &BuildOptions) -> NativeProgram {
    NativeProgram::build(&source(name, text), options).unwrap_or_else(|e| panic!("{e}"))
}

fn build(name: &str, text: &str) -> NativeProgram {
    build_with(name, text, &BuildOptions::default())
}

fn test(objects: &[(&str, &[u8])]) -> KTest {
    KTest {
        args: vec![b"program".to_vec()],
        objects: objects
            .iter()
            .map(|(name, bytes)| KTestObject {
                name: name.as_bytes().to_vec(),
                bytes: bytes.to_vec(),
            })
            .collect(),
        ..KTest::default()
    }
}

fn run(program: &NativeProgram, objects: &[(&str, &[u8])]) -> NativeRun {
    program
        .run(&test(objects), &RunOptions::default())
        .unwrap_or_else(|e| panic!("{e}"))
}

fn error(kind: &str) -> ExpectedEnd {
    ExpectedEnd::Error(kind.to_string())
}

#[test]
fn every_function_of_the_headers_is_there_in_c_and_in_cxx() {
    let body = r#"
#include <stdio.h>
#include <cairn/cairn.h>
#include <klee/klee.h>
int main(int argc, char **argv) {
  int fixed = 0, a, b;
  klee_make_symbolic(&a, sizeof a, "x");
  klee_make_symbolic(&b, sizeof b, "x");
  int unnamed = klee_int(0), range = klee_range(1, 5, "r"), one = klee_range(7, 8, "none");
  uintptr_t choice = klee_choose(3);
  klee_assume(a == 1);
  klee_prefer_cex(&a, a > 0);
  klee_posix_prefer_cex(&a, a > 0);
  klee_assert(a == 1);
  klee_check_memory_access(&fixed, sizeof fixed);
  klee_define_fixed_object((void *)0x70000010, 16);
  *(volatile int *)0x70000010 = 3;
  klee_mark_global(&fixed);
  klee_set_forking(0);
  klee_open_merge();
  klee_close_merge();
  klee_warning("warned");
  klee_warning_once("once");
  klee_warning_once("once");
  klee_print_expr("expression", a);
  klee_print_range("range", a);
  klee_stack_trace();
  printf("%d %d %d %d %d %d\n", a, b, unnamed, range, one, (int)choice);
  printf("%d %d %d\n", (int)klee_is_symbolic(a), (int)klee_is_replay(), klee_get_errno());
  printf("%g %g %ld %lld %d %d\n", klee_get_valuef(1.5f), klee_get_valued(2.5), klee_get_valuel(3),
         klee_get_valuell(4), klee_get_value_i32(5), (int)klee_get_value_i64(6));
  printf("%d %d %s\n", __VERIFIER_nondet_bool(), __VERIFIER_nondet_char(), argv[argc - 1]);
  printf("%g %g %llx\n", __VERIFIER_nondet_float(), __VERIFIER_nondet_double(),
         __VERIFIER_nondet_ulonglong());
  __VERIFIER_assume(1);
  klee_silent_exit(4);
}
"#;
    for name in ["all.c", "all.cc"] {
        let program = build(name, body);
        let mut test = test(&[
            ("model_version", &[1, 0, 0, 0]),
            ("x", &[1, 0, 0, 0]),
            ("x_1", &[2, 0, 0, 0]),
            ("unnamed", &[0xff; 4]),
            ("r", &[4, 0, 0, 0]),
            ("klee_choose", &[2, 0, 0, 0, 0, 0, 0, 0]),
            ("nondet_bool", &[1]),
            ("nondet_char", &[0xfe]),
            ("nondet_float", &1.25f32.to_le_bytes()),
            ("nondet_double", &(-8.5f64).to_le_bytes()),
            ("nondet_ulonglong", &[8, 7, 6, 5, 4, 3, 2, 1]),
        ]);
        test.args.push(b"last argument".to_vec());
        let outcome = program.run(&test, &RunOptions::default()).expect("it runs");
        let errors = String::from_utf8_lossy(&outcome.errors).into_owned();
        assert_eq!(outcome.end, End::Exit(4), "{name}: {errors}");
        // The order in which C evaluates arguments is the compiler's; names keep them apart.
        assert_eq!(
            String::from_utf8_lossy(&outcome.output),
            "1 2 -1 4 7 2\n0 1 0\n1.5 2.5 3 4 5 6\n1 -2 last argument\n1.25 -8.5 102030405060708\n"
        );
        assert_eq!(errors.matches("once").count(), 1, "{errors}");
    }
}

#[test]
fn each_end_is_told_apart_from_exit_codes_of_the_program() {
    let program = build(
        "ends.c",
        r#"
#include <klee/klee.h>
#include <stdlib.h>
void reach_error(void);
void __VERIFIER_error(void);
int main(void) {
  int how = klee_int("how");
  volatile int zero = 0;
  switch (how) {
  case 0: exit(60);
  case 1: klee_assume(0); break;
  case 2: klee_report_error("f.c", 3, "own words", "mine.err");
  case 3: klee_abort();
  case 4: klee_assert(how != 4); break;
  case 5: return 1 / zero;
  case 6: return *(volatile int *)8;
  case 7: reach_error(); break;
  case 8: __VERIFIER_error(); break;
  case 9: return klee_int("missing");
  case 10: klee_alias_function("a", "b"); break;
  case 11: return klee_get_obj_size(&how);
  case 12: { long wide; klee_make_symbolic(&wide, sizeof wide, "wide"); break; }
  }
  return 7;
}
"#,
    );
    let reported = |message: &str| End::Reported(message.to_string());
    // How it ends, the kind that would be recorded, and whether the run confirms it.
    let cases: [(i32, End, &str, bool); 14] = [
        (0, End::Exit(60), "assert", false),
        (1, End::AssumptionFailed, "assert", false),
        (2, reported("f.c:3: own words (mine.err)"), "mine", true),
        (3, End::Signal(6), "abort", true),
        (4, End::Signal(6), "assert", true),
        (5, End::Signal(8), "div", true),
        (6, End::Signal(11), "ptr", true),
        (6, End::Signal(11), "assert", false),
        (7, reported("reach_error was called"), "assert", true),
        (8, reported("__VERIFIER_error was called"), "abort", true),
        (
            9,
            End::Misfit(
                "the test has no object missing left: the program took another path".into(),
            ),
            "ptr",
            false,
        ),
        (
            10,
            End::Unsupported(
                "klee_alias_function has no native counterpart: calls are bound when the program \
                 is built"
                    .into(),
            ),
            "ptr",
            false,
        ),
        (
            11,
            End::Unsupported("klee_get_obj_size needs a build with --sanitize address".into()),
            "ptr",
            false,
        ),
        (
            12,
            End::Misfit("the object wide has 4 bytes in the test, but 8 in the program".into()),
            "ptr",
            false,
        ),
    ];
    for (how, end, kind, confirmed) in cases {
        let outcome = run(&program, &[("how", &how.to_le_bytes()), ("wide", &[0; 4])]);
        assert_eq!(outcome.end, end, "case {how}");
        let reached = error(kind).judge(&end, &program) == Agreement::Reached;
        assert_eq!(reached, confirmed, "case {how} as {kind}");
        let normal = ExpectedEnd::Normal.judge(&end, &program) == Agreement::Reached;
        assert_eq!(normal, matches!(end, End::Exit(_)), "case {how}");
    }
    let outcome = run(&program, &[("how", &[13, 0, 0, 0])]);
    assert_eq!(outcome.end, End::Exit(7));
}

const OUTSIDE: &str = r#"
#include <klee/klee.h>
#include <stdlib.h>
int main(void) {
  unsigned i = klee_int("i");
  volatile char *p = malloc(4);
  if (i == 100) { p = malloc(8); p = 0; return 0; }
  if (i == 200) { volatile int big = 2147483647; big += klee_int("i"); return 0; }
  if (i == 300) return klee_get_obj_size((void *)p);
  p[0] = p[i];
  free((void *)p);
  return 0;
}
"#;

#[test]
fn what_does_not_crash_needs_a_sanitizer_to_be_confirmed() {
    let outside: [(&str, &[u8]); 1] = [("i", &[4, 0, 0, 0])];
    let program = build("outside.c", OUTSIDE);
    let outcome = run(&program, &outside);
    assert_eq!(outcome.end, End::Exit(0));
    assert_eq!(
        error("ptr").judge(&outcome.end, &program),
        Agreement::NotConfirmed("build with --sanitize address".to_string())
    );

    let options = BuildOptions {
        sanitize: vec![Sanitizer::Address, Sanitizer::Undefined],
        ..BuildOptions::default()
    };
    let program = build_with("outside.c", OUTSIDE, &options);
    let outcome = run(&program, &outside);
    let report = "AddressSanitizer: heap-buffer-overflow".to_string();
    assert_eq!(outcome.end, End::Sanitizer(report));
    assert_eq!(
        error("ptr").judge(&outcome.end, &program),
        Agreement::Reached
    );
    assert_eq!(
        error("assert").judge(&outcome.end, &program),
        Agreement::NotReached
    );
    assert!(String::from_utf8_lossy(&outcome.errors).contains("outside.c"));
    // Inside, it has nothing to say; then the record is refuted.
    let outcome = run(&program, &[("i", &[3, 0, 0, 0])]);
    assert_eq!(outcome.end, End::Exit(0));
    assert_eq!(
        error("ptr").judge(&outcome.end, &program),
        Agreement::NotReached
    );

    let outcome = run(&program, &[("i", &[200, 0, 0, 0]), ("i_1", &[1, 0, 0, 0])]);
    let End::Sanitizer(report) = &outcome.end else {
        panic!("{:?}", outcome.end);
    };
    assert!(report.starts_with("signed integer overflow"), "{report}");
    let leak: [(&str, &[u8]); 1] = [("i", &[100, 0, 0, 0])];
    assert_eq!(run(&program, &leak).end, End::Exit(0));
    let options = RunOptions {
        leaks: true,
        ..RunOptions::default()
    };
    let outcome = program.run(&test(&leak), &options).expect("it runs");
    assert_eq!(
        error("leak").judge(&outcome.end, &program),
        Agreement::Reached,
        "{:?}",
        outcome.end
    );
    assert_eq!(run(&program, &[("i", &[44, 1, 0, 0])]).end, End::Exit(4));
}

#[test]
fn harnesses_and_other_entries_are_started() {
    let harness = r#"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  printf("%zu:%.*s\n", size, (int)size, (const char *)data);
  if (size == 3 && data[0] == '!') abort();
  return 0;
}
"#;
    let program = build("harness.c", harness);
    let outcome = run(&program, &[("data", b"hello")]);
    assert_eq!(
        (outcome.end, &*outcome.output),
        (End::Exit(0), &b"5:hello\n"[..])
    );
    let size = 3u64.to_le_bytes();
    let outcome = run(&program, &[("data", b"!ello"), ("size", &size)]);
    assert_eq!(
        (outcome.end, &*outcome.output),
        (End::Signal(6), &b"3:!el\n"[..])
    );
    let size = 6u64.to_le_bytes();
    let outcome = run(&program, &[("data", b"hello"), ("size", &size)]);
    assert_eq!(
        outcome.end,
        End::Misfit("size is 6, but data has 5 bytes".to_string())
    );

    // A main of the program's own does not stand in the way of another entry.
    let entries = format!(
        "{harness}\n#include <klee/klee.h>\nvoid other(int argc, char **argv) {{ printf(\"%d %s\", \
         klee_int(\"x\"), argv[argc - 1]); }}\nint main(void) {{ return 9; }}\n"
    );
    let start = |entry: &str| BuildOptions {
        entry: Some(entry.to_string()),
        ..BuildOptions::default()
    };
    let program = build_with("entries.c", &entries, &start("other"));
    let mut given = test(&[("x", &[5, 0, 0, 0])]);
    given.args.push(b"arg".to_vec());
    let outcome = program
        .run(&given, &RunOptions::default())
        .expect("it runs");
    assert_eq!(
        (outcome.end, &*outcome.output),
        (End::Exit(0), &b"5 arg"[..])
    );
    let program = build_with("entries.c", &entries, &start("LLVMFuzzerTestOneInput"));
    assert_eq!(run(&program, &[("data", b"a")]).output, b"1:a\n");
    let program = build_with("entries.c", &entries, &start("main"));
    assert_eq!(run(&program, &[]).end, End::Exit(9));

    let path = source("entries.c", &entries);
    let refused = NativeProgram::build(&path, &start("no_such")).expect_err("it is not there");
    assert!(refused.to_string().contains("no_such"), "{refused}");
    let refused = NativeProgram::build(&path, &start("a b")).expect_err("no name");
    assert!(matches!(refused, BuildError::Entry { .. }));
}

#[test]
fn a_program_that_hangs_or_floods_ends_in_time_with_its_children() {
    let program = build(
        "hang.c",
        "#include <stdio.h>\n#include <unistd.h>\nint main(void) {\n  if (fork() == 0) pause();\n  \
         for (;;) puts(\"more and more\");\n}\n",
    );
    let options = RunOptions {
        timeout: Duration::from_secs(1),
        ..RunOptions::default()
    };
    let outcome = program.run(&test(&[]), &options).expect("it runs");
    assert_eq!(outcome.end, End::TimedOut(options.timeout));
    assert!(!outcome.output.is_empty() && outcome.output.len() <= 1 << 20);

    // A child that holds the output open does not hold the replay.
    let program = build(
        "left.c",
        "#include <unistd.h>\nint main(void) {\n  if (fork() == 0) sleep(300);\n  return 3;\n}\n",
    );
    let start = Instant::now();
    assert_eq!(run(&program, &[]).end, End::Exit(3));
    assert!(start.elapsed() < Duration::from_secs(60));
}

const SIGN: &str = "#include <klee/klee.h>\nint main(void) { return klee_int(\"x\") < 0; }\n";

#[test]
fn bitcode_and_executables_are_replayed_too() {
    let scratch = ScratchFolder::new().expect("there is room");
    install_headers(scratch.path()).expect("there is room");
    let path = source("sign.c", SIGN);
    let compile = |flags: &[&str], output: &Path| {
        let status = Command::new("clang-19")
            .args(flags)
            .arg("-I")
            .arg(scratch.path())
            .arg("-o")
            .arg(output)
            .arg(&path)
            .status()
            .expect("clang is there");
        assert!(status.success());
    };
    for (flags, name) in [
        (["-c", "-emit-llvm"], "sign.bc"),
        (["-S", "-emit-llvm"], "sign.ll"),
    ] {
        let module = scratch.path().join(name);
        compile(&flags, &module);
        let program = NativeProgram::build(&module, &BuildOptions::default()).expect("it builds");
        assert_eq!(run(&program, &[("x", &[0xff; 4])]).end, End::Exit(1));
        assert_eq!(run(&program, &[("x", &[0; 4])]).end, End::Exit(0));
        // Sanitizers would not be in it, and their silence would mean nothing.
        let options = BuildOptions {
            sanitize: vec![Sanitizer::Address],
            ..BuildOptions::default()
        };
        let refused = NativeProgram::build(&module, &options).expect_err("no source");
        assert!(matches!(refused, BuildError::NeedsSource { .. }));
    }
    let library = scratch.path().join("replay.c");
    std::fs::write(&library, cairn_home::REPLAY_SOURCE).expect("there is room");
    let executable = scratch.path().join("sign");
    let library = library.to_str().expect("utf-8");
    compile(&[library, "-fsanitize=address"], &executable);
    let program = NativeProgram::build(&executable, &BuildOptions::default()).expect("it opens");
    assert!(program.has(Sanitizer::Address) && !program.has(Sanitizer::Undefined));
    assert_eq!(run(&program, &[("x", &[0xff; 4])]).end, End::Exit(1));

    // An executable that reads no tests would say the same on all of them.
    let program = NativeProgram::build(Path::new("/bin/true"), &BuildOptions::default());
    let program = program.expect("it opens");
    let refused = program.run(&test(&[("x", &[0])]), &RunOptions::default());
    assert!(matches!(refused, Err(RunError::NotLinked { .. })));
    assert_eq!(run(&program, &[]).end, End::Exit(0));
    let refused = NativeProgram::build(Path::new("/etc/passwd"), &BuildOptions::default());
    assert!(matches!(refused, Err(BuildError::NotAProgram { .. })));
}

#[test]
fn without_a_test_the_library_says_what_it_needs() {
    let program = build("sign2.c", SIGN);
    let bad = source("bad.ktest", "KTEST\0\0\0\x09");
    for (file, expected) in [
        (None, "the variable KTEST_FILE must name the test"),
        (Some("/no/such/file"), "/no/such/file: cannot be opened"),
        (bad.to_str(), "expected version 1, 2 or 3, found 9"),
    ] {
        let mut command = Command::new(program.executable());
        command.env_remove("KTEST_FILE");
        if let Some(file) = file {
            command.env("KTEST_FILE", file);
        }
        let output = command.output().expect("it runs");
        assert_eq!(output.status.code(), Some(63));
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn records_are_the_names_beside_a_test() {
    let scratch = ScratchFolder::new().expect("there is room");
    for name in [
        "test000001.ktest",
        "test000002.ktest",
        "test000002.ptr.err",
        "info",
    ] {
        std::fs::write(scratch.path().join(name), "").expect("there is room");
    }
    let records = ExpectedEnds::of_folder(scratch.path()).expect("it is there");
    let of = |name: &str| records.of_test(&scratch.path().join(name));
    assert_eq!(of("test000001.ktest"), ExpectedEnd::Normal);
    assert_eq!(of("test000002.ktest"), error("ptr"));
}
