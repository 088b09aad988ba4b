//! Calls, parameters by value, variable arguments, inline assembly, names with other meanings.

mod support;

use cairn_ir::{CheckKind, Inst, Symbol};
use support::{body, expect, lower, lower_all};

#[test]
fn direct_and_indirect() {
    let text = "
declare { i64, i32 } @pair(i32, <2 x float>)
define i64 @f(ptr %p, <2 x float> %v) {
  %1 = call { i64, i32 } @pair(i32 1, <2 x float> %v)
  %2 = extractvalue { i64, i32 } %1, 0
  %3 = call i64 %p(i64 %2)
  %4 = call i64 null(i64 %3)
  ret i64 %4
}";
    expect(
        &lower_all(text),
        "f",
        &[
            "b0:",
            "%3: i64, %4: i32 = call @pair(i32 1, i32 %1, i32 %2)",
            "%5: i64 = call %0(i64 %3)",
            "%6: i64 = select 1, 0, 0",
            "%7: i64 = call %6(i64 %5)",
            "return %7",
        ],
    );
}

#[test]
fn a_call_with_another_type_goes_through_the_address() {
    let text = "
declare i32 @old()
define i32 @f() {
  %1 = call i32 @old(i32 1)
  %2 = call i32 (...) @old(i32 1)
  %3 = call i32 @old()
  ret i32 %3
}";
    let lines = body(&lower_all(text), "f").join("\n");
    assert_eq!(lines.matches("select 1, @old, @old").count(), 2, "{lines}");
    assert_eq!(lines.matches("= call @old()").count(), 1, "{lines}");
}

#[test]
fn parameters_by_value_are_copied_on_entry() {
    let text = "
define i32 @f(i32 %a, ptr byval({ i64, i32 }) align 16 %s) {
  %1 = load i32, ptr %s
  ret i32 %1
}";
    expect(
        &lower_all(text),
        "f",
        &[
            "b0:",
            "%2: i64 = alloca 16 align 16",
            "copy %2, %1, 16",
            "%3: i32 = load %2",
            "return %3",
        ],
    );
}

#[test]
fn variadic_arguments_go_as_the_convention_says() {
    let text = "
declare void @v(i32, ...)
define void @f(ptr %p, double %d, x86_fp80 %l, fp128 %q, i128 %w, <4 x float> %x, i8 %c) {
  call void (i32, ...) @v(i32 1, i32 2, ptr %p, double %d, x86_fp80 %l, fp128 %q, ptr byval([24 x i8]) align 8 %p, i128 %w, <4 x float> %x, i8 %c, i128 %w, i64 7)
  ret void
}";
    let lines = body(&lower_all(text), "f");
    let call = lines.iter().find(|line| line.starts_with("call")).unwrap();
    // Registers: 1 named, 2 and p, the halves of w; then one is left, which i8 takes.
    let parts: Vec<&str> = call.split(" ... ").nth(1).unwrap().split(", ").collect();
    let classes: Vec<&str> = parts
        .iter()
        .map(|part| part.trim_end_matches(')').split_once(' ').unwrap().1)
        .map(|rest| rest.split_once(' ').unwrap().1)
        .collect();
    assert_eq!(
        classes,
        [
            "general",
            "general",
            "float",
            "memory 16",
            "float",
            "bytes 24 align 8",
            "general",
            "general",
            "float",
            "general",
            "memory 16",
            "general"
        ],
        "{call}"
    );
}

#[test]
fn va_start_knows_the_registers_of_the_named() {
    let text = "
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_copy.p0(ptr, ptr)
declare void @llvm.va_end.p0(ptr)
define void @f(i32 %a, double %d, ptr byval(i64) %s, x86_fp80 %l, i128 %w, { i64, double } %p, ...) {
  %l1 = alloca [24 x i8]
  %l2 = alloca [24 x i8]
  call void @llvm.va_start.p0(ptr %l1)
  call void @llvm.va_copy.p0(ptr %l2, ptr %l1)
  call void @llvm.va_end.p0(ptr %l1)
  ret void
}";
    let lowered = lower_all(text);
    let body = lowered.program.functions[0].body.as_ref().unwrap();
    let found = body.blocks[0]
        .insts
        .iter()
        .find_map(|(inst, _)| match inst {
            Inst::VaStart { general, float, .. } => Some((*general, *float)),
            _ => None,
        });
    assert_eq!(found, Some((4, 2)));
}

#[test]
fn inline_assembly() {
    let text = r##"
define i32 @f(i32 %a, ptr %p) {
  call void asm sideeffect "", "~{memory},~{dirflag}"()
  %1 = call i32 asm sideeffect "# nothing", "=r,0,~{memory}"(i32 %a)
  %2 = call { i32, ptr } asm "", "=r,=r,1,0"(ptr %p, i32 %1)
  %3 = extractvalue { i32, ptr } %2, 0
  call void asm sideeffect "", "=*m,r"(ptr elementtype(i32) %p, i32 %a)
  call void asm sideeffect "pause", ""()
  ret i32 %3
}
define i32 @g(i32 %a) {
  %1 = call i32 asm "bswap $0", "=r,0"(i32 %a)
  callbr void asm "", "!i"() to label %on [label %other]
on:
  ret i32 %1
other:
  ret i32 0
}"##;
    let lowered = lower(text);
    expect(&lowered, "f", &["b0:", "return %0"]);
    assert_eq!(lowered.unsupported.len(), 1);
    assert_eq!(lowered.unsupported[0].what, "inline assembly: bswap $0");
}

#[test]
fn aliases_and_indirect_functions() {
    let text = "
@x = global [2 x i32] [i32 1, i32 2]
@y = alias i32, getelementptr (i32, ptr @x, i64 1)
@main = alias i32 (i32), ptr @real
@table = global [2 x ptr] [ptr @main, ptr @y]
@chosen = ifunc i32 (i32), ptr @choose
define i32 @real(i32 %a) {
  %1 = load i32, ptr @y
  ret i32 %1
}
define ptr @choose() {
  ret ptr @real
}
define i32 @f(ptr %p) {
  %1 = call i32 @main(i32 1)
  %2 = call i32 @chosen(i32 %1)
  store ptr @chosen, ptr %p
  ret i32 %2
}";
    let lowered = lower_all(text);
    expect(
        &lowered,
        "real",
        &["b0:", "%1: i32 = load @x + 4", "return %1"],
    );
    expect(
        &lowered,
        "f",
        &[
            "b0:",
            "%1: i32 = call @real(i32 1)",
            "%2: i64 = call @choose()",
            "%3: i32 = call %2(i32 %1)",
            "%4: i64 = call @choose()",
            "store i64 %4 to %0",
            "return %3",
        ],
    );
    expect(
        &lowered,
        "main",
        &["b0:", "%1: i32 = call @real(i32 %0)", "return %1"],
    );
    let program = &lowered.program;
    let real = program.find_function("real").unwrap();
    let relocations = &program.globals[1].content.as_ref().unwrap().relocations;
    assert_eq!(relocations[0].symbol, Symbol::Function(real));
    assert_eq!(relocations[1].addend, 4);
}

#[test]
fn weak_names_without_definition_are_null() {
    let text = "
declare extern_weak void @perhaps()
@maybe = extern_weak global i32
define i1 @f() {
  %1 = icmp ne ptr @perhaps, null
  %2 = icmp ne ptr @maybe, null
  %3 = or i1 %1, %2
  ret i1 %3
}";
    expect(&lower_all(text), "f", &["b0:", "return 0"]);
}

#[test]
fn sanitizer_reports_are_failing_checks() {
    let handlers = [
        ("add_overflow", "i64, i64", CheckKind::SignedOverflow),
        ("sub_overflow_abort", "i64, i64", CheckKind::SignedOverflow),
        (
            "mul_overflow_minimal",
            "i64, i64",
            CheckKind::SignedOverflow,
        ),
        ("negate_overflow", "i64", CheckKind::SignedOverflow),
        ("divrem_overflow", "i64, i64", CheckKind::DivisionOverflow),
        ("shift_out_of_bounds", "i64, i64", CheckKind::Overshift),
        ("out_of_bounds_abort", "i64", CheckKind::OutOfBounds),
        ("type_mismatch_v1", "i64", CheckKind::Misaligned),
        ("type_mismatch_v1_abort", "i64", CheckKind::Misaligned),
        ("builtin_unreachable", "", CheckKind::Unreachable),
        ("missing_return", "", CheckKind::Unreachable),
        ("load_invalid_value", "i64", CheckKind::OutOfRange),
        ("nonnull_arg", "", CheckKind::Null),
        ("nonnull_return_v1_abort", "ptr", CheckKind::Null),
        ("pointer_overflow", "i64, i64", CheckKind::PointerOverflow),
        ("float_cast_overflow", "i64", CheckKind::OutOfRange),
        ("vla_bound_not_positive", "i64", CheckKind::OutOfRange),
        ("function_type_mismatch", "i64", CheckKind::FunctionType),
        ("something_new", "i64", CheckKind::Undefined),
    ];
    for (handler, rest, kind) in handlers {
        let params = if rest.is_empty() {
            "ptr".to_string()
        } else {
            format!("ptr, {rest}")
        };
        let args = params
            .split(", ")
            .enumerate()
            .map(|(at, ty)| {
                if ty == "ptr" {
                    "ptr null".into()
                } else {
                    format!("{ty} {at}")
                }
            })
            .collect::<Vec<_>>()
            .join(", ");
        let text = format!(
            "declare void @__ubsan_handle_{handler}({params})
define void @f() {{
  call void @__ubsan_handle_{handler}({args})
  ret void
}}"
        );
        let lowered = lower_all(&text);
        let function = lowered.program.find_function("f").unwrap();
        let body = lowered.program.function(function).body.clone().unwrap();
        let last = body.blocks[0]
            .insts
            .iter()
            .rev()
            .find_map(|(inst, _)| match inst {
                Inst::Check(check) => Some(check.kind),
                _ => None,
            });
        assert_eq!(last, Some(kind), "{handler}");
    }
}
