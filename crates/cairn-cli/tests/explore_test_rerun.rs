//! Tests are run again on the concrete machine: by the exploration, and by the user.

mod support;

use cairn_engine::{
    Config, Finding, FindingKind, Outcome, RerunVerdict, Skip, TestCase, TestRerun,
};
use std::path::Path;
use std::sync::Arc;
use support::{cairn, folder, text};

fn corpus(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    root.join(name).to_str().expect("utf-8").to_string()
}

/// Programs of all kinds: exits, errors of each family, library code, harder memory.
const PROGRAMS: [&str; 19] = [
    "abort_in_callee.c",
    "assert_fails.c",
    "choose_three.c",
    "destructor_order.cc",
    "divide_signed.c",
    "double_free.c",
    "exit_handlers.c",
    "heap_read_behind.c",
    "index_after_fork.c",
    "index_same_place.c",
    "index_write_read.c",
    "klee_assert_fails.c",
    "nondet_wide.c",
    "overshift_left.c",
    "pointer_table.c",
    "range_and_int.c",
    "report_error.c",
    "strcmp_finds_word.c",
    "virtual_call.cc",
];

#[test]
fn every_test_of_these_programs_is_confirmed() {
    let here = folder("self-check-corpus");
    for name in PROGRAMS {
        let program = corpus(name);
        let out = here.join(name);
        let out = out.to_str().expect("utf-8");
        let output = cairn(&["run", &program, "--self-check", "--output-dir", out]);
        let (printed, errors, code) = text(&output);
        assert!(matches!(code, Some(0 | 1)), "{name}: {code:?} {errors}");
        let files = std::fs::read_dir(out).expect("results");
        let tests = files
            .filter_map(|f| f.ok()?.file_name().into_string().ok())
            .filter(|f| f.ends_with(".ktest"))
            .count();
        assert!(tests > 0, "{name}: no tests");
        let expected = match tests {
            1 => "1 test was run again on the concrete machine\n".to_string(),
            n => format!("{n} tests were run again on the concrete machine\n"),
        };
        assert!(printed.contains(&expected), "{name}: {printed}");
    }
}

#[test]
fn paths_on_memory_that_was_never_written_are_counted_and_not_compared() {
    let here = folder("self-check-hidden");
    let out = here.join("out");
    let out = out.to_str().expect("utf-8");
    let program = corpus("uninitialised_branch.c");
    let output = cairn(&["run", &program, "--self-check", "--output-dir", out]);
    let (printed, errors, code) = text(&output);
    assert_ne!(code, Some(70), "{errors}");
    assert!(
        printed.contains("depend on values that no test holds"),
        "{printed}"
    );
}

/// A wish about inputs must not lead a test away from the error that it is of.
#[test]
fn preferences_keep_a_test_on_its_path() {
    let here = folder("self-check-preference");
    let program = here.join("wish.c");
    let source = r#"
#include <klee/klee.h>
int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_prefer_cex(&x, x == 7);
  return 10 / (x & 1 ? 1 : 0);
}
"#;
    std::fs::write(&program, source).expect("writable");
    let (program, out) = (program.to_str().unwrap(), here.join("out"));
    let out = out.to_str().expect("utf-8");
    let output = cairn(&["run", program, "--self-check", "--output-dir", out]);
    let (_, errors, code) = text(&output);
    assert_eq!(code, Some(1), "{errors}");
}

/// A program with an input `x` of one byte: ends with 3 if it is 0, divides by zero if it is 1.
const SMALL: &str = r#"
file 1 "small.c"
name 1 "main"
place p1 = file 1 line 3 column 5 in 1
place p2 = file 1 line 4 column 5 in 1
extern func @klee_make_symbolic(i64, i64, i64)
global @x const align 1 size 2 { bytes "x" }
func @main() -> i32 {
entry:
  %p: i64 = alloca 1 align 1
  call @klee_make_symbolic(i64 %p, i64 1, i64 @x) !p1
  %v: i8 = load %p
  %ok: i1 = ne i8 %v, 1
  check division_by_zero %ok !p2
  return 3
}
"#;

fn checker() -> TestRerun {
    let program = cairn_ir::text::parse(SMALL).unwrap_or_else(|e| panic!("{e}"));
    TestRerun::new(Arc::new(program), &Config::default()).expect("it fits")
}

fn test_of(name: &str, byte: u8) -> TestCase {
    TestCase {
        objects: vec![(name.into(), vec![byte])],
        hidden: false,
        ..TestCase::default()
    }
}

/// The division by zero, or another error in its place.
fn error(kind: FindingKind, line: u32) -> Outcome {
    let program = cairn_ir::text::parse(SMALL).unwrap_or_else(|e| panic!("{e}"));
    let main = program.find_function("main").expect("it is there");
    let places = 0..program.places.len() as u32;
    let place = places
        .map(cairn_ir::PlaceId)
        .find(|p| program.place(*p).line == line)
        .expect("the line is there");
    Outcome::Error(Finding {
        kind,
        message: "planted".to_string(),
        trace: vec![(main, place)],
    })
}

#[test]
fn what_is_recorded_rightly_is_confirmed() {
    let check = checker();
    let verdict = |test: &TestCase, outcome: &Outcome| check.check(test, outcome, 10, &|| false);
    assert_eq!(
        verdict(&test_of("x", 0), &Outcome::Exit(3)),
        RerunVerdict::Agree
    );
    let division = error(FindingKind::Division, 4);
    assert_eq!(verdict(&test_of("x", 1), &division), RerunVerdict::Agree);
    let hidden = TestCase {
        hidden: true,
        ..test_of("x", 1)
    };
    let skipped = RerunVerdict::Skipped(Skip::Hidden);
    assert_eq!(verdict(&hidden, &Outcome::Exit(3)), skipped);
}

#[test]
fn planted_mistakes_are_seen() {
    let check = checker();
    let planted = [
        (test_of("x", 0), Outcome::Exit(4), "exits with code 3"),
        (test_of("x", 0), Outcome::Silent, "exits with code 3"),
        (
            test_of("x", 0),
            error(FindingKind::Division, 4),
            "exits with code 3",
        ),
        (test_of("x", 1), Outcome::Exit(3), "kind div at small.c:4"),
        (
            test_of("x", 1),
            error(FindingKind::Overflow, 4),
            "kind div at small.c:4",
        ),
        (
            test_of("x", 1),
            error(FindingKind::Division, 3),
            "kind div at small.c:4",
        ),
        (test_of("y", 0), Outcome::Exit(3), "no object x left"),
    ];
    for (test, outcome, expected) in planted {
        match check.check(&test, &outcome, 10, &|| false) {
            RerunVerdict::Differ { happened, .. } => {
                assert!(happened.contains(expected), "{outcome:?}: {happened}");
            }
            verdict => panic!("{outcome:?}: {verdict:?}"),
        }
    }
}

#[test]
fn a_test_can_be_run_by_hand() {
    let here = folder("run-ktest");
    let program = corpus("divide_signed.c");
    let out = here.join("out");
    let out_text = out.to_str().expect("utf-8");
    let (_, errors, code) = text(&cairn(&["run", &program, "--output-dir", out_text]));
    assert_eq!(code, Some(1), "{errors}");
    // Without a test the missing input is named.
    let (_, errors, code) = text(&cairn(&["run", "--concrete", &program]));
    assert_eq!(code, Some(1), "{errors}");
    assert!(errors.contains("--ktest FILE"), "{errors}");
    // Every test ends as its files say.
    let mut seen = [0, 0];
    for entry in std::fs::read_dir(&out).expect("results") {
        let file = entry.expect("readable").path();
        if file.extension().is_none_or(|e| e != "ktest") {
            continue;
        }
        let failing = ["div", "overflow"]
            .iter()
            .any(|kind| file.with_extension(format!("{kind}.err")).exists());
        let test = file.to_str().expect("utf-8");
        let output = cairn(&["run", "--concrete", &program, "--ktest", test]);
        let (_, errors, code) = text(&output);
        assert_eq!(errors.contains("cairn: error: "), failing, "{errors}");
        assert!(!failing || code == Some(1), "{test}: {code:?} {errors}");
        seen[usize::from(failing)] += 1;
    }
    assert!(seen.iter().all(|n| *n > 0), "{seen:?}");
}

#[test]
fn a_harness_runs_on_a_test() {
    let here = folder("run-ktest-harness");
    let program = corpus("fuzz_entry.c");
    let test = here.join("t.ktest");
    let test = test.to_str().expect("utf-8");
    for (data, expected) in [("FUZ", 134), ("FUN", 0)] {
        let object = format!("data=str:{data}");
        let made = cairn(&["ktest", "--gen", test, "--arg", "p", "--object", &object]);
        let (_, errors, code) = text(&made);
        assert_eq!(code, Some(0), "{errors}");
        let output = cairn(&["run", "--concrete", &program, "--ktest", test]);
        let (_, errors, code) = text(&output);
        assert_eq!(code, Some(expected), "{errors}");
    }
}

#[test]
fn a_bad_test_gets_one_sentence() {
    let here = folder("run-ktest-bad");
    let program = corpus("divide_signed.c");
    let test = here.join("bad.ktest");
    std::fs::write(&test, "no test").expect("writable");
    let test = test.to_str().expect("utf-8");
    let (_, errors, code) = text(&cairn(&["run", "--concrete", &program, "--ktest", test]));
    assert_eq!(code, Some(65), "{errors}");
    assert!(errors.contains("bad.ktest: not a test"), "{errors}");
    let (_, errors, code) = text(&cairn(&["run", &program, "--ktest", test]));
    assert_eq!(code, Some(64), "{errors}");
    assert!(errors.contains("--concrete"), "{errors}");
}
