//! Programs in text form run on the concrete machine.

use cairn_ir::CheckKind;
use cairn_machine::{Cause, End, Machine, MachineConfig, Report};
use std::sync::Arc;

/// Runs a program's `main`; how it ended and what it printed.
fn run_with(text: &str, config: MachineConfig) -> (End, String) {
    let program = cairn_ir::text::parse(text).expect("the test's program parses");
    let entry = program.find_function("main").expect("it has a main");
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let mut machine = Machine::new(Arc::new(program), config, &mut output, &mut errors)
        .expect("it fits into memory");
    let end = machine.run(entry, &[b"test".to_vec(), b"argument".to_vec()]);
    drop(machine);
    output.extend(errors);
    (end, String::from_utf8(output).expect("text"))
}

fn run(text: &str) -> (End, String) {
    run_with(text, MachineConfig::default())
}

/// The exit code of a `main` with this body.
fn code_of(body: &str) -> i32 {
    let text = format!("func @main() -> i32 {{\nentry:\n{body}\n}}");
    match run(&text).0 {
        End::Exit(code) => code,
        other => panic!("{body} ended with {other:?}"),
    }
}

fn error_of(text: &str) -> Report {
    match run(text).0 {
        End::Error(report) => report,
        other => panic!("{text} ended with {other:?}"),
    }
}

#[test]
fn operators_are_those_of_the_bit_vector_library() {
    use cairn_bv::BitVec;
    type Meaning = fn(&BitVec, &BitVec) -> BitVec;
    let operators: [(&str, Meaning); 13] = [
        ("add", BitVec::add),
        ("sub", BitVec::sub),
        ("mul", BitVec::mul),
        ("udiv", BitVec::udiv),
        ("sdiv", BitVec::sdiv),
        ("urem", BitVec::urem),
        ("srem", BitVec::srem),
        ("shl", BitVec::shl),
        ("lshr", BitVec::lshr),
        ("ashr", BitVec::ashr),
        ("and", BitVec::and),
        ("or", BitVec::or),
        ("xor", BitVec::xor),
    ];
    // The same operator on registers, and on values that are wider than a register.
    for (name, meaning) in operators {
        for width in [1u32, 7, 32, 64, 65, 128] {
            let edge = BitVec::min_signed(width);
            let values = [
                BitVec::zero(width),
                BitVec::one(width),
                BitVec::ones(width),
                edge.clone(),
                BitVec::max_signed(width),
                BitVec::from_u128(width, 0x1234_5678_9ABC_DEF0_0FED_CBA9),
            ];
            for a in &values {
                for b in &values {
                    let expected = meaning(a, b);
                    let body = format!(
                        "  %a: i{width} = {name} {}, {}\n  %same: i1 = eq i{width} %a, {}\n  \
                         %code: i32 = zext i1 %same\n  return %code",
                        number(a),
                        number(b),
                        number(&expected),
                    );
                    assert_eq!(code_of(&body), 1, "{body}");
                }
            }
        }
    }
}

/// A constant of the text form.
fn number(value: &cairn_bv::BitVec) -> String {
    format!("{}i{}", value.to_dec_string(), value.width())
}

#[test]
fn comparisons_look_at_signs() {
    for (name, expected) in [
        ("eq", 0),
        ("ne", 1),
        ("ult", 0),
        ("ule", 0),
        ("slt", 1),
        ("sle", 1),
    ] {
        for width in [8, 64, 100] {
            let body = format!(
                "  %c: i1 = {name} i{width} -3, 5\n  %code: i32 = zext i1 %c\n  return %code"
            );
            assert_eq!(code_of(&body), expected, "{body}");
        }
    }
}

#[test]
fn moves_on_an_edge_happen_at_once() {
    // Three values rotate; any order of single moves would lose one.
    let end = code_of(
        "  jump loop(1, 2, 3, 0)
loop(%a: i32, %b: i32, %c: i32, %n: i32):
  %n1: i32 = add %n, 1
  %more: i1 = ult i32 %n, 4
  branch %more, loop(%b, %c, %a, %n1), done
done:
  %x: i32 = mul %a, 100
  %y: i32 = mul %b, 10
  %z: i32 = add %x, %y
  %r: i32 = add %z, %c
  return %r",
    );
    assert_eq!(end, 231);
}

#[test]
fn wide_values_move_on_edges_too() {
    let end = code_of(
        "  jump loop(1, 2, 0)
loop(%a: i128, %b: i128, %n: i32):
  %n1: i32 = add %n, 1
  %more: i1 = ult i32 %n, 3
  branch %more, loop(%b, %a, %n1), done
done:
  %r: i32 = trunc i128 %a
  return %r",
    );
    assert_eq!(end, 2);
}

#[test]
fn an_overflow_into_a_neighbour_is_seen() {
    let report = error_of(
        "global @a align 8 size 8 { }
global @b align 8 size 8 { }
func @main() -> i32 {
entry:
  %d: i64 = sub @b, @a
  %p: i64 = add @a, %d
  %q: i64 = add @a, 24
  store i32 1 to %q
  return 0
}",
    );
    assert!(
        report.message.contains("outside of the global object"),
        "{}",
        report.message
    );
    assert_eq!(report.trace.len(), 1);
}

#[test]
fn a_pointer_survives_memory_and_masks() {
    let end = code_of(
        "  %object: i64 = alloca 16 align 16
  %place: i64 = alloca 8 align 8
  store i64 %object to %place
  %loaded: i64 = load %place
  %tagged: i64 = or %loaded, 1
  %clean: i64 = and %tagged, -16
  %at: i64 = add %clean, 12
  store i32 77 to %at
  %r: i32 = load %at
  return %r",
    );
    assert_eq!(end, 77);
}

#[test]
fn failed_checks_say_what_and_where() {
    let report = error_of(
        "file 1 \"a.c\"
name 1 \"main\"
place p1 = file 1 line 3 column 5 in 1
func @main() -> i32 {
entry:
  check division_by_zero 0 !p1
  return 0
}",
    );
    assert_eq!(report.cause, Cause::Check(CheckKind::DivisionByZero));
    assert_eq!(report.message, "division by zero");
    assert_eq!(report.trace[0].1.0, 1);
}

#[test]
fn recursion_without_end_is_an_error() {
    let report = error_of(
        "func @f(%n: i64) -> i64 {
entry:
  %p: i64 = alloca 64 align 8
  %r: i64 = call @f(i64 %n)
  return %r
}
func @main() -> i32 {
entry:
  %r: i64 = call @f(i64 1)
  return 0
}",
    );
    assert!(report.message.contains("stack"), "{}", report.message);
}

#[test]
fn a_limit_ends_a_loop() {
    let config = MachineConfig {
        limit: Some(1_000),
        ..MachineConfig::default()
    };
    let (end, _) = run_with(
        "func @main() -> i32 {\nentry:\n  jump again\nagain:\n  jump again\n}",
        config,
    );
    assert_eq!(end, End::Limit);
}

#[test]
fn calls_through_pointers_are_checked() {
    let program = |width: u32| {
        format!(
            "func @f(%n: i32) -> i32 {{
entry:
  %r: i32 = add %n, 1
  return %r
}}
func @main() -> i32 {{
entry:
  %p: i64 = add @f, 0
  %r: i32 = call %p(i{width} 41)
  return %r
}}"
        )
    };
    assert_eq!(run(&program(32)).0, End::Exit(42));
    let report = error_of(&program(64));
    assert_eq!(report.cause, Cause::Check(CheckKind::FunctionType));
}

#[test]
fn functions_that_nobody_provides_are_named() {
    let report = error_of(
        "extern func @mystery() -> i32
func @main() -> i32 {
entry:
  %r: i32 = call @mystery()
  return %r
}",
    );
    assert_eq!(report.cause, Cause::Undefined);
    assert!(report.message.contains("mystery"), "{}", report.message);
}

#[test]
fn the_end_of_a_program_runs_what_was_registered() {
    let (end, output) = run("extern func @putchar(i32) -> i32
extern func @atexit(i64) -> i32
extern func @exit(i32)
constructor @before
destructor @after
func @say(%c: i32) {
entry:
  %r: i32 = call @putchar(i32 %c)
  return
}
func @before() {
entry:
  call @say(i32 65)
  return
}
func @first() {
entry:
  call @say(i32 67)
  return
}
func @second() {
entry:
  call @say(i32 66)
  return
}
func @after() {
entry:
  call @say(i32 68)
  return
}
func @main() -> i32 {
entry:
  %a: i32 = call @atexit(i64 @first)
  %b: i32 = call @atexit(i64 @second)
  call @exit(i32 3)
  stop
}");
    assert_eq!((end, output.as_str()), (End::Exit(3), "ABCD"));
}

#[test]
fn globals_that_nobody_defines_have_an_address_and_nothing_else() {
    let program = |use_of_it: &str| {
        format!(
            "extern global @elsewhere align 8 size 8
func @main() -> i32 {{
entry:
  %known: i1 = ne i64 @elsewhere, 0
  {use_of_it}
  %code: i32 = zext i1 %known
  return %code
}}"
        )
    };
    assert_eq!(run(&program("")).0, End::Exit(1));
    let report = error_of(&program("%v: i32 = load @elsewhere"));
    assert_eq!(report.cause, Cause::Undefined);
    assert!(report.message.contains("elsewhere"), "{}", report.message);
}
