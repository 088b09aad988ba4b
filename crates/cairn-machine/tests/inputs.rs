//! Programs that ask for inputs, run on the objects of a test.

use cairn_machine::{Cause, End, HARNESS, Machine, MachineConfig};
use std::sync::Arc;

const DECLARATIONS: &str = r#"
extern func @klee_make_symbolic(i64, i64, i64)
extern func @klee_assume(i64)
extern func @klee_range(i32, i32, i64) -> i32
extern func @klee_int(i64) -> i32
extern func @klee_choose(i64) -> i64
extern func @klee_is_symbolic(i64) -> i32
extern func @klee_is_replay() -> i32
extern func @klee_get_value_i32(i32) -> i32
extern func @klee_abort()
extern func @klee_silent_exit(i32)
extern func @klee_report_error(i64, i32, i64, i64)
extern func @klee_get_obj_size(i64) -> i64
extern func @klee_check_memory_access(i64, i64)
extern func @klee_define_fixed_object(i64, i64)
extern func @__VERIFIER_nondet_int() -> i32
extern func @__VERIFIER_nondet_bool() -> i8
extern func @__VERIFIER_nondet_uint128() -> i128
extern func @__VERIFIER_assume(i32)
extern func @__VERIFIER_error()
extern func @__VERIFIER_assert(i32)
extern func @reach_error()
global @x const align 1 size 2 { bytes "x" }
"#;

/// The objects of a test.
type Objects<'a> = &'a [(&'a str, &'a [u8])];

/// How a `main` with this body ends on a test, and where it did not fit.
fn run(body: &str, test: Option<Objects<'_>>) -> (End, Option<String>) {
    let text = format!("{DECLARATIONS}\nfunc @main() -> i32 {{\nentry:\n{body}\n}}");
    let program = cairn_ir::text::parse(&text).unwrap_or_else(|e| panic!("{body}: {e}"));
    let entry = program.find_function("main").expect("it has a main");
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let config = MachineConfig::default();
    let mut machine = Machine::new(Arc::new(program), config, &mut output, &mut errors)
        .expect("it fits into memory");
    if let Some(objects) = test {
        let owned = objects.iter().map(|(n, b)| (n.to_string(), b.to_vec()));
        machine = machine.with_inputs(owned.collect());
    }
    let end = machine.run(entry, &[]);
    (end, machine.misfit().map(str::to_string))
}

/// The exit code on a test that fits.
fn code(body: &str, test: Objects<'_>) -> i32 {
    match run(body, Some(test)) {
        (End::Exit(code), None) => code,
        other => panic!("{body} ended with {other:?}"),
    }
}

/// What kind of error a program ends with.
fn cause(body: &str, test: Objects<'_>) -> Cause {
    match run(body, Some(test)).0 {
        End::Error(report) | End::Abort(report) | End::Assumption(report) => report.cause,
        other => panic!("{body} ended with {other:?}"),
    }
}

const TWICE: &str = "  %p: i64 = alloca 4 align 4
  call @klee_make_symbolic(i64 %p, i64 4, i64 @x)
  %a: i32 = load %p
  call @klee_make_symbolic(i64 %p, i64 4, i64 @x)
  %b: i32 = load %p
  %t: i32 = mul %a, 100
  %r: i32 = add %t, %b
  return %r";

#[test]
fn memory_gets_the_objects_of_its_name_in_order() {
    let test: Objects<'_> = &[("y", &[9; 4]), ("x", &[3, 0, 0, 0]), ("x_1", &[4, 0, 0, 0])];
    assert_eq!(code(TWICE, test), 304);
}

#[test]
fn what_the_test_does_not_hold_is_zero_and_said() {
    let (end, misfit) = run(TWICE, Some(&[("x", &[3, 0, 0, 0])]));
    assert_eq!(end, End::Exit(300));
    let misfit = misfit.expect("one object is missing");
    assert!(misfit.contains("no object x left"), "{misfit}");
}

#[test]
fn without_a_test_the_input_is_named() {
    let End::Error(report) = run(TWICE, None).0 else {
        panic!("there is no input");
    };
    assert!(report.message.contains("input x"), "{}", report.message);
    assert!(
        report.message.contains("no test was given"),
        "{}",
        report.message
    );
}

#[test]
fn an_input_goes_only_where_the_object_is() {
    let body = "  %p: i64 = alloca 4 align 4
  call @klee_make_symbolic(i64 %p, i64 5, i64 @x)
  return 0";
    assert!(matches!(cause(body, &[("x", &[0; 5])]), Cause::Fault(_)));
}

#[test]
fn numbers() {
    let minus_two: &[u8] = &[0xfe, 0xff, 0xff, 0xff];
    let body = "  %r: i32 = call @klee_int(i64 @x)\n  return %r";
    assert_eq!(code(body, &[("x", minus_two)]), -2);
    let body = "  %r: i32 = call @__VERIFIER_nondet_int()\n  return %r";
    assert_eq!(code(body, &[("nondet_int", minus_two)]), -2);
    let body = "  %c: i64 = call @klee_choose(i64 3)\n  %r: i32 = trunc i64 %c\n  return %r";
    assert_eq!(code(body, &[("klee_choose", &[2, 0, 0, 0, 0, 0, 0, 0])]), 2);
    let body = "  %w: i128 = call @__VERIFIER_nondet_uint128()
  %h: i128 = lshr %w, 120
  %r: i32 = trunc i128 %h
  return %r";
    let mut wide = [0; 16];
    wide[15] = 77;
    assert_eq!(code(body, &[("nondet_uint128", &wide)]), 77);
}

#[test]
fn a_range_of_one_has_no_object() {
    let body = "  %a: i32 = call @klee_range(i32 5, i32 6, i64 @x)
  %b: i32 = call @klee_range(i32 0, i32 6, i64 @x)
  %t: i32 = mul %a, 10
  %r: i32 = add %t, %b
  return %r";
    assert_eq!(code(body, &[("x", &[3, 0, 0, 0])]), 53);
}

#[test]
fn assumptions_that_do_not_hold_end_the_run_as_such() {
    let cases: [(&str, Objects<'_>); 5] = [
        ("  call @klee_assume(i64 0)\n  return 0", &[]),
        ("  call @__VERIFIER_assume(i32 0)\n  return 0", &[]),
        (
            "  %r: i32 = call @klee_range(i32 0, i32 6, i64 @x)\n  return %r",
            &[("x", &[6, 0, 0, 0])],
        ),
        (
            "  %r: i64 = call @klee_choose(i64 2)\n  return 0",
            &[("klee_choose", &[2, 0, 0, 0, 0, 0, 0, 0])],
        ),
        (
            "  %r: i8 = call @__VERIFIER_nondet_bool()\n  return 0",
            &[("nondet_bool", &[2])],
        ),
    ];
    for (body, test) in cases {
        let end = run(body, Some(test)).0;
        assert!(matches!(end, End::Assumption(_)), "{body}: {end:?}");
    }
    let body = "  call @klee_assume(i64 8)\n  call @__VERIFIER_assume(i32 1)\n  return 0";
    assert_eq!(code(body, &[]), 0);
}

#[test]
fn errors_have_their_causes() {
    let cases = [
        ("call @klee_abort()", Cause::Abort),
        (
            "call @klee_report_error(i64 0, i32 1, i64 @x, i64 0)",
            Cause::Reported,
        ),
        ("call @__VERIFIER_error()", Cause::Assertion),
        ("call @reach_error()", Cause::Assertion),
        ("call @__VERIFIER_assert(i32 0)", Cause::Assertion),
        (
            "call @klee_define_fixed_object(i64 64, i64 8)",
            Cause::Reported,
        ),
        (
            "%r: i32 = call @klee_range(i32 1, i32 1, i64 @x)",
            Cause::Reported,
        ),
    ];
    for (call, expected) in cases {
        assert_eq!(
            cause(&format!("  {call}\n  return 0"), &[]),
            expected,
            "{call}"
        );
    }
    let outside = cause(
        "  call @klee_check_memory_access(i64 @x, i64 3)\n  return 0",
        &[],
    );
    assert!(matches!(outside, Cause::Fault(_)), "{outside:?}");
}

#[test]
fn nothing_is_symbolic_here() {
    let body = "  %s: i32 = call @klee_is_symbolic(i64 7)
  %r: i32 = call @klee_is_replay()
  %v: i32 = call @klee_get_value_i32(i32 40)
  %o: i64 = call @klee_get_obj_size(i64 @x)
  call @klee_check_memory_access(i64 @x, i64 2)
  call @__VERIFIER_assert(i32 1)
  %n: i32 = trunc i64 %o
  %a: i32 = add %s, %r
  %b: i32 = add %v, %n
  %c: i32 = add %a, %b
  return %c";
    assert_eq!(code(body, &[]), 42);
    let end = run("  call @klee_silent_exit(i32 3)\n  return 0", None).0;
    assert_eq!(end, End::Silent);
}

/// Runs a harness that reads the byte at `size - 1 + beyond`.
fn harness(beyond: u64, test: Objects<'_>) -> (End, Vec<u8>) {
    let text = format!(
        "extern func @putchar(i32) -> i32
func @{HARNESS}(%data: i64, %size: i64) -> i32 {{
entry:
  %end: i64 = add %data, %size
  %shift: i64 = sub {beyond}, 1
  %at: i64 = add %end, %shift
  %last: i8 = load %at
  %c: i32 = zext i8 %last
  %r: i32 = call @putchar(i32 %c)
  return 5
}}"
    );
    let program = cairn_ir::text::parse(&text).unwrap_or_else(|e| panic!("{e}"));
    let entry = program.find_function(HARNESS).expect("it is there");
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let owned = test.iter().map(|(n, b)| (n.to_string(), b.to_vec()));
    let config = MachineConfig::default();
    let mut machine = Machine::new(Arc::new(program), config, &mut output, &mut errors)
        .expect("it fits into memory")
        .with_inputs(owned.collect());
    let end = machine.run_harness(entry, &[b"program".to_vec()]);
    drop(machine);
    (end, output)
}

#[test]
fn a_harness_gets_just_the_bytes_of_the_test() {
    let data: (&str, &[u8]) = ("data", b"abc");
    let size: (&str, &[u8]) = ("size", &[2, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(harness(0, &[data]), (End::Exit(0), b"c".to_vec()));
    assert_eq!(harness(0, &[data, size]), (End::Exit(0), b"b".to_vec()));
    for test in [&[data][..], &[data, size][..]] {
        let (end, _) = harness(1, test);
        let End::Error(report) = end else {
            panic!("{end:?}");
        };
        assert!(matches!(report.cause, Cause::Fault(_)), "{report:?}");
    }
}
