//! What each instruction becomes.

mod support;

use support::{body, expect, lower, lower_all};

#[test]
fn integer_arithmetic() {
    let text = "
define i32 @all(i32 %a, i32 %b) {
  %1 = add nsw i32 %a, %b
  %2 = sub nuw i32 %1, %b
  %3 = mul i32 %2, -3
  %4 = and i32 %3, %a
  %5 = or disjoint i32 %4, 1
  %6 = xor i32 %5, %b
  %7 = shl i32 %6, %a
  %8 = lshr i32 %7, 3
  %9 = ashr exact i32 %8, %b
  ret i32 %9
}";
    expect(
        &lower_all(text),
        "all",
        &[
            "b0:",
            "%2: i32 = add %0, %1",
            "%3: i32 = sub %2, %1",
            "%4: i32 = mul %3, -3",
            "%5: i32 = and %4, %0",
            "%6: i32 = or %5, 1",
            "%7: i32 = xor %6, %1",
            "%8: i32 = shl %7, %0",
            "%9: i32 = lshr %8, 3",
            "%10: i32 = ashr %9, %1",
            "return %10",
        ],
    );
}

#[test]
fn division_is_checked_unless_the_divisor_is_harmless() {
    let text = "
define i8 @u(i8 %a, i8 %b) {
  %1 = udiv i8 %a, %b
  %2 = urem i8 %1, 7
  ret i8 %2
}
define i8 @s(i8 %a, i8 %b) {
  %1 = sdiv i8 %a, %b
  %2 = srem i8 %1, 7
  %3 = sdiv i8 %2, -1
  %4 = sdiv i8 5, %b
  %5 = udiv i8 %4, 0
  ret i8 %5
}";
    let lowered = lower_all(text);
    expect(
        &lowered,
        "u",
        &[
            "b0:",
            "%2: i1 = ne i8 %1, 0",
            "check division_by_zero %2",
            "%3: i8 = udiv %0, %1",
            "%4: i8 = urem %3, 7",
            "return %4",
        ],
    );
    expect(
        &lowered,
        "s",
        &[
            "b0:",
            "%2: i1 = ne i8 %1, 0",
            "check division_by_zero %2",
            "%3: i1 = ne i8 %0, 128",
            "%4: i1 = ne i8 %1, -1",
            "%5: i1 = or %3, %4",
            "check division_overflow %5",
            "%6: i8 = sdiv %0, %1",
            "%7: i8 = srem %6, 7",
            "%8: i1 = ne i8 %7, 128",
            "check division_overflow %8",
            "%9: i8 = sdiv %7, -1",
            "%10: i1 = ne i8 %1, 0",
            "check division_by_zero %10",
            "%11: i8 = sdiv 5, %1",
            "check division_by_zero 0",
            "%12: i8 = udiv %11, 0",
            "return %12",
        ],
    );
}

#[test]
fn comparisons_and_casts() {
    let text = "
define i1 @compare(i16 %a, i16 %b, ptr %p) {
  %1 = icmp sgt i16 %a, %b
  %2 = icmp uge i16 %a, %b
  %3 = icmp eq ptr %p, null
  %4 = and i1 %1, %2
  %5 = select i1 %4, i1 %3, i1 true
  ret i1 %5
}
define i64 @cast(i32 %a, ptr %p) {
  %1 = zext nneg i32 %a to i64
  %2 = sext i32 %a to i100
  %3 = trunc i100 %2 to i64
  %4 = ptrtoint ptr %p to i32
  %5 = inttoptr i32 %4 to ptr
  %6 = ptrtoint ptr %5 to i64
  %7 = add i64 %1, %3
  %8 = add i64 %7, %6
  ret i64 %8
}";
    let lowered = lower_all(text);
    expect(
        &lowered,
        "compare",
        &[
            "b0:",
            "%3: i1 = slt i16 %1, %0",
            "%4: i1 = ule i16 %1, %0",
            "%5: i1 = eq i64 %2, 0",
            "%6: i1 = and %3, %4",
            "%7: i1 = select %6, %5, 1",
            "return %7",
        ],
    );
    expect(
        &lowered,
        "cast",
        &[
            "b0:",
            "%2: i64 = zext i32 %0",
            "%3: i100 = sext i32 %0",
            "%4: i64 = trunc i100 %3",
            "%5: i32 = trunc i64 %1",
            "%6: i64 = zext i32 %5",
            "%7: i64 = mul %6, 1",
            "%8: i64 = add %2, %4",
            "%9: i64 = add %8, %7",
            "return %9",
        ],
    );
}

#[test]
fn wide_constants_are_exact() {
    let text = "
define i128 @f(i128 %a) {
  %1 = add i128 %a, 170141183460469231731687303715884105727
  %2 = xor i128 %1, -170141183460469231731687303715884105728
  %3 = and i128 %2, -2
  ret i128 %3
}";
    let lowered = lower_all(text);
    let lines = body(&lowered, "f").join("\n");
    for digits in [
        "7fffffffffffffffffffffffffffffff",
        "80000000000000000000000000000000",
        "fffffffffffffffffffffffffffffffe",
    ] {
        assert!(lines.contains(digits), "{digits} in\n{lines}");
    }
}

#[test]
fn memory() {
    let text = "
%S = type { i8, i32, [2 x i16] }
define i32 @f(ptr %p, i1 %b, i64 %n) {
  %x = alloca %S, align 8
  %y = alloca i32, i64 %n, align 4
  store i1 %b, ptr %p
  %1 = load i1, ptr %p
  %2 = load %S, ptr %p
  store %S %2, ptr %x
  %3 = load x86_fp80, ptr %p
  store x86_fp80 %3, ptr %x
  %4 = load atomic i32, ptr %p acquire, align 4
  store volatile i32 %4, ptr %y
  fence seq_cst
  ret i32 %4
}";
    expect(
        &lower_all(text),
        "f",
        &[
            "b0:",
            "%3: i64 = alloca 12 align 8",
            "%4: i64 = mul %2, 4",
            "%5: i64 = alloca %4 align 4",
            "%6: i8 = zext i1 %1",
            "store i8 %6 to %0",
            "%7: i8 = load %0",
            "%8: i1 = trunc i8 %7",
            "%9: i8 = load %0",
            "%10: i64 = add %0, 4",
            "%11: i32 = load %10",
            "%12: i64 = add %0, 8",
            "%13: i16 = load %12",
            "%14: i64 = add %12, 2",
            "%15: i16 = load %14",
            "store i8 %9 to %3",
            "%16: i64 = add %3, 4",
            "store i32 %11 to %16",
            "%17: i64 = add %3, 8",
            "store i16 %13 to %17",
            "%18: i64 = add %17, 2",
            "store i16 %15 to %18",
            "%19: i80 = load %0",
            "store i80 %19 to %3",
            "%20: i32 = load %0",
            "store i32 %20 to %5",
            "return %20",
        ],
    );
}

#[test]
fn a_large_zero_is_one_fill() {
    let text = "
define void @f(ptr %p) {
  store [1000000 x i64] zeroinitializer, ptr %p
  store { i32, i32 } zeroinitializer, ptr %p
  ret void
}";
    expect(
        &lower_all(text),
        "f",
        &[
            "b0:",
            "fill %0, 0, 8000000",
            "store i32 0 to %0",
            "%1: i64 = add %0, 4",
            "store i32 0 to %1",
            "return",
        ],
    );
}

#[test]
fn addresses() {
    let text = "
%S = type { i8, i32, [10 x { i64, i16 }] }
@g = global [4 x %S] zeroinitializer
define ptr @f(ptr %p, i32 %i, i128 %j) {
  %1 = getelementptr inbounds %S, ptr %p, i32 %i, i32 2, i128 %j, i32 1
  %2 = getelementptr %S, ptr @g, i64 1, i32 1
  %3 = getelementptr i8, ptr getelementptr (%S, ptr @g, i64 2), i32 %i
  store ptr %2, ptr %1
  ret ptr %3
}";
    expect(
        &lower_all(text),
        "f",
        &[
            "b0:",
            "%3: i64 = sext i32 %1",
            "%4: i64 = mul %3, 168",
            "%5: i64 = trunc i128 %2",
            "%6: i64 = mul %5, 16",
            "%7: i64 = add %0, %4",
            "%8: i64 = add %7, %6",
            "%9: i64 = add %8, 16",
            "%10: i64 = sext i32 %1",
            "%11: i64 = add @g + 336, %10",
            "store i64 @g + 172 to %9",
            "return %11",
        ],
    );
}

#[test]
fn control_flow() {
    let text = "
define i32 @f(i32 %n, i1 %c) {
entry:
  br i1 %c, label %loop, label %out
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ], [ %next, %loop ], [ %next, %loop ]
  %u = phi i32 [ undef, %entry ], [ %i, %loop ], [ %i, %loop ], [ %i, %loop ]
  %next = add i32 %i, 1
  switch i32 %next, label %out [ i32 1, label %loop
                                 i32 2, label %loop
                                 i32 -1, label %loop ]
out:
  %r = phi i32 [ %n, %entry ], [ %u, %loop ]
  ret i32 %r
dead:
  %d = add i32 %d, 1
  br label %out2
out2:
  br label %dead
}";
    expect(
        &lower_all(text),
        "f",
        &[
            "b0:",
            "%5: i32 = arbitrary",
            "branch %1, b1(0, %5), b2(%0)",
            "b1(%2: i32, %3: i32):",
            "%6: i32 = add %2, 1",
            "switch i32 %6 [1: b1(%6, %2), 2: b1(%6, %2), -1: b1(%6, %2)] else b2(%3)",
            "b2(%4: i32):",
            "return %4",
        ],
    );
}

#[test]
fn a_wide_switch_compares() {
    let text = "
define i32 @f(i128 %n) {
  switch i128 %n, label %a [ i128 1, label %b
                             i128 36893488147419103232, label %b ]
a:
  ret i32 1
b:
  ret i32 2
}";
    let lines = body(&lower_all(text), "f").join("\n");
    assert_eq!(lines.matches("eq i128").count(), 2, "{lines}");
}

#[test]
fn indirect_branches_are_switches() {
    let text = "
@table = constant [2 x ptr] [ptr blockaddress(@f, %b), ptr blockaddress(@f, %a)]
define i32 @f(i64 %n) {
  %p = getelementptr ptr, ptr @table, i64 %n
  %t = load ptr, ptr %p
  indirectbr ptr %t, [label %a, label %b, label %a]
a:
  ret i32 1
b:
  ret i32 2
}";
    let lowered = lower_all(text);
    let lines = body(&lowered, "f").join("\n");
    assert!(lines.contains("[2: b2, 3: b1] else b3"), "{lines}");
    assert!(lines.contains("check undefined 0"), "{lines}");
    let content = lowered.program.globals[0].content.clone().unwrap();
    assert_eq!(content.bytes, [3, 0, 0, 0, 0, 0, 0, 0, 2]);
}

#[test]
fn unreachable_code() {
    let text = "
declare void @exit(i32) noreturn
declare void @other(i32)
define void @a() {
  unreachable
}
define void @b() {
  call void @exit(i32 1)
  unreachable
}
define void @c() {
  call void @other(i32 1)
  unreachable
}";
    let lowered = lower_all(text);
    expect(&lowered, "a", &["b0:", "check unreachable 0", "stop"]);
    expect(&lowered, "b", &["b0:", "call @exit(i32 1)", "stop"]);
    expect(
        &lowered,
        "c",
        &["b0:", "call @other(i32 1)", "check unreachable 0", "stop"],
    );
}

#[test]
fn aggregates_are_bookkeeping() {
    let text = "
define { i32, [2 x i8] } @f({ i32, [2 x i8] } %a, i8 %b) {
  %1 = extractvalue { i32, [2 x i8] } %a, 1
  %2 = extractvalue [2 x i8] %1, 1
  %3 = insertvalue { i32, [2 x i8] } poison, i8 %2, 1, 0
  %4 = insertvalue { i32, [2 x i8] } %3, i32 7, 0
  %5 = insertvalue { i32, [2 x i8] } %4, i8 %b, 1, 1
  ret { i32, [2 x i8] } %5
}";
    let lowered = lower_all(text);
    expect(&lowered, "f", &["b0:", "return 7, %2, %3"]);
    assert_eq!(lowered.program.functions[0].results, [32, 8, 8]);
}

#[test]
fn values_without_words() {
    let text = "
declare {} @g({}, [0 x i32])
define {} @f(ptr %p, {} %a, i1 %c) {
entry:
  br i1 %c, label %x, label %y
x:
  %1 = load { {}, [0 x i8] }, ptr %p
  %2 = extractvalue { {}, [0 x i8] } %1, 0
  br label %y
y:
  %3 = phi {} [ %2, %x ], [ zeroinitializer, %entry ]
  store {} %3, ptr %p
  %4 = freeze {} %3
  %5 = call {} @g({} %4, [0 x i32] undef)
  %6 = load [100000000000 x {}], ptr %p
  store [100000000000 x {}] %6, ptr %p
  ret {} %5
}";
    expect(
        &lower_all(text),
        "f",
        &[
            "b0:",
            "branch %1, b1, b2",
            "b1:",
            "jump b2",
            "b2:",
            "call @g()",
            "return",
        ],
    );
}

#[test]
fn undefined_values() {
    let text = "
define i32 @f() {
  %1 = add i32 undef, undef
  %2 = freeze i32 poison
  %3 = xor i32 %2, %2
  %4 = freeze i32 %3
  ret i32 %4
}";
    expect(
        &lower_all(text),
        "f",
        &[
            "b0:",
            "%0: i32 = arbitrary",
            "%1: i32 = arbitrary",
            "%2: i32 = add %0, %1",
            "%3: i32 = arbitrary",
            "%4: i32 = xor %3, %3",
            "return %4",
        ],
    );
}

#[test]
fn vectors() {
    let text = "
define <2 x i16> @lanes(<2 x i16> %a, <2 x i16> %b, i16 %c) {
  %1 = add <2 x i16> %a, <i16 1, i16 2>
  %2 = shufflevector <2 x i16> %1, <2 x i16> %b, <2 x i32> <i32 3, i32 0>
  %3 = insertelement <2 x i16> %2, i16 %c, i32 1
  %4 = icmp ult <2 x i16> %3, %b
  %5 = select <2 x i1> %4, <2 x i16> %3, <2 x i16> zeroinitializer
  ret <2 x i16> %5
}
define i16 @computed(<2 x i16> %a, i16 %b, i8 %i) {
  %1 = insertelement <2 x i16> %a, i16 %b, i8 %i
  %2 = extractelement <2 x i16> %1, i8 %i
  ret i16 %2
}
define i32 @bits(<2 x i16> %a, ptr %p, <8 x i1> %m) {
  %1 = bitcast <2 x i16> %a to i32
  %2 = bitcast i32 %1 to <4 x i8>
  store <4 x i8> %2, ptr %p
  store <8 x i1> %m, ptr %p
  %3 = load <3 x i1>, ptr %p
  %4 = bitcast <8 x i1> %m to i8
  %5 = bitcast i32 %1 to float
  %6 = bitcast float %5 to i32
  ret i32 %6
}
define <2 x ptr> @address(ptr %p, <2 x i64> %i, <2 x ptr> %q) {
  %1 = getelementptr i32, ptr %p, <2 x i64> %i
  %2 = getelementptr { i8, i32 }, <2 x ptr> %q, i64 3, i32 1
  %3 = select i1 true, <2 x ptr> %1, <2 x ptr> %2
  ret <2 x ptr> %3
}";
    let lowered = lower_all(text);
    expect(
        &lowered,
        "lanes",
        &[
            "b0:",
            "%5: i16 = add %0, 1",
            "%6: i16 = add %1, 2",
            "%7: i1 = ult i16 %3, %2",
            "%8: i1 = ult i16 %4, %3",
            "%9: i16 = select %7, %3, 0",
            "%10: i16 = select %8, %4, 0",
            "return %9, %10",
        ],
    );
    let lines = body(&lowered, "computed").join("\n");
    assert_eq!(lines.matches("select").count(), 3, "{lines}");
    assert_eq!(lines.matches("check vector_index").count(), 2, "{lines}");
    let lines = body(&lowered, "bits").join("\n");
    assert!(lines.contains("i32 = concat"), "{lines}");
    assert!(lines.contains("i3 = trunc i8"), "{lines}");
    let lines = body(&lowered, "address").join("\n");
    assert!(lines.contains("mul %1, 4"), "{lines}");
    assert!(lines.contains("add %3, 28"), "{lines}");
}

#[test]
fn floats() {
    let text = "
define double @f(double %a, double %b, float %c, i32 %i) {
  %1 = fadd fast double %a, %b
  %2 = fsub double %1, 2.5
  %3 = fmul double %2, %a
  %4 = fdiv double %3, %b
  %5 = frem double %4, %b
  %6 = fneg double %5
  %7 = fpext float %c to double
  %8 = fadd double %6, %7
  %9 = fptrunc double %8 to half
  %10 = fpext half %9 to x86_fp80
  %11 = fptrunc x86_fp80 %10 to double
  %12 = sitofp i32 %i to double
  %13 = uitofp i32 %i to fp128
  %14 = fptosi double %11 to i32
  %15 = fptoui fp128 %13 to i8
  %16 = fcmp ogt double %a, %b
  %17 = fcmp une double %a, %b
  %18 = fcmp true double %a, %b
  %19 = fcmp uno float %c, 1.0
  %20 = select i1 %16, double %12, double %8
  ret double %20
}
define x86_fp80 @constants(ptr %p) {
  store half 0xH3C00, ptr %p
  store bfloat 0xR3F80, ptr %p
  store float 0x7FF4000000000000, ptr %p
  store fp128 0xL00000000000000013FFF000000000000, ptr %p
  ret x86_fp80 0xK4000C000000000000000
}";
    let lowered = lower_all(text);
    let lines = body(&lowered, "f").join("\n");
    assert!(lines.contains("4612811918334230528"), "2.5 in\n{lines}");
    assert!(lines.contains("xor %"), "negation in\n{lines}");
    let lines = body(&lowered, "constants").join("\n");
    for bits in [
        "store i16 15360",
        "store i16 16256",
        "store i32 2141192192",
        "3fff0000000000000000000000000001",
        "4000c000000000000000",
    ] {
        assert!(lines.contains(bits), "{bits} in\n{lines}");
    }
}

#[test]
fn atomics() {
    let mut text = String::from(
        "define { i32, i1 } @exchange(ptr %p, i32 %a, i32 %b) {
  %1 = cmpxchg weak ptr %p, i32 %a, i32 %b acq_rel monotonic
  ret { i32, i1 } %1
}
define { ptr, i1 } @pointers(ptr %p, ptr %a, ptr %b) {
  %1 = cmpxchg ptr %p, ptr %a, ptr %b seq_cst seq_cst
  ret { ptr, i1 } %1
}
",
    );
    let integer = [
        "xchg",
        "add",
        "sub",
        "and",
        "nand",
        "or",
        "xor",
        "max",
        "min",
        "umax",
        "umin",
        "uinc_wrap",
        "udec_wrap",
    ];
    for op in integer {
        text.push_str(&format!(
            "define i32 @{op}(ptr %p, i32 %v) {{
  %1 = atomicrmw {op} ptr %p, i32 %v seq_cst
  ret i32 %1
}}
"
        ));
    }
    for op in ["fadd", "fsub", "fmax", "fmin", "xchg"] {
        text.push_str(&format!(
            "define double @float_{op}(ptr %p, double %v) {{
  %1 = atomicrmw volatile {op} ptr %p, double %v monotonic
  ret double %1
}}
"
        ));
    }
    let lowered = lower_all(&text);
    expect(
        &lowered,
        "exchange",
        &[
            "b0:",
            "%3: i32 = load %0",
            "%4: i1 = eq i32 %3, %1",
            "%5: i32 = select %4, %2, %3",
            "store i32 %5 to %0",
            "return %3, %4",
        ],
    );
    expect(
        &lowered,
        "max",
        &[
            "b0:",
            "%2: i32 = load %0",
            "%3: i1 = slt i32 %2, %1",
            "%4: i32 = select %3, %1, %2",
            "store i32 %4 to %0",
            "return %2",
        ],
    );
}

#[test]
fn constant_expressions_are_lowered_where_they_are_used() {
    let text = "
@a = global i32 0
@b = global [10 x i32] zeroinitializer
define i64 @f(i1 %c) {
entry:
  br i1 %c, label %x, label %y
x:
  br label %y
y:
  %1 = phi i64 [ sub (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr @b to i64)), %entry ], [ ptrtoint (ptr getelementptr (i32, ptr @b, i64 3) to i64), %x ]
  %2 = trunc i64 ptrtoint (ptr @a to i64) to i32
  ret i64 %1
}";
    expect(
        &lower_all(text),
        "f",
        &[
            "b0:",
            "%2: i64 = sub @a, @b",
            "branch %0, b1, b2(%2)",
            "b1:",
            "jump b2(@b + 12)",
            "b2(%1: i64):",
            "%3: i32 = trunc i64 @a",
            "return %1",
        ],
    );
}

#[test]
fn exceptions_are_left_out() {
    let text = "
declare i32 @may_throw(i32)
declare i32 @__gxx_personality_v0(...)
declare void @__cxa_throw(ptr, ptr, ptr) noreturn
define i32 @f(i32 %a) personality ptr @__gxx_personality_v0 {
  %1 = invoke i32 @may_throw(i32 %a) to label %ok unwind label %bad
ok:
  ret i32 %1
bad:
  %2 = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %2
}
define void @throws(ptr %p) {
  call void @__cxa_throw(ptr %p, ptr null, ptr null)
  unreachable
}";
    let lowered = lower(text);
    expect(
        &lowered,
        "f",
        &[
            "b0:",
            "%1: i32 = call @may_throw(i32 %0)",
            "jump b1",
            "b1:",
            "return %1",
        ],
    );
    assert_eq!(lowered.unsupported.len(), 1);
    assert_eq!(lowered.unsupported[0].function, "throws");
}

#[test]
fn what_has_no_words_is_refused_where_it_runs() {
    let text = "
define void @f(<vscale x 4 x i32> %a, ptr %p, i1 %c) {
entry:
  br i1 %c, label %x, label %y
x:
  %1 = add <vscale x 4 x i32> %a, %a
  store <vscale x 4 x i32> %1, ptr %p
  store <vscale x 4 x i32> zeroinitializer, ptr %p
  br label %y
y:
  %2 = phi <vscale x 4 x i32> [ %1, %x ], [ zeroinitializer, %entry ]
  %3 = va_arg ptr %p, i32
  ret void
}
define i32 @segment(ptr addrspace(257) %p) {
  %1 = load i32, ptr addrspace(257) %p
  ret i32 %1
}
define i32 @caller(<vscale x 4 x i32> %a, ptr %p) {
  call void @f(<vscale x 4 x i32> %a, ptr %p, i1 false)
  ret i32 3
}
define i9000000 @wide(ptr %p) {
  ret i9000000 0
}";
    let text = text.replace("i9000000", "i8000000");
    let lowered = lower(&text);
    let what: Vec<_> = lowered
        .unsupported
        .iter()
        .map(|u| u.what.as_str())
        .collect();
    assert!(what.contains(&"the va_arg instruction"), "{what:?}");
    assert!(what.len() >= 7, "{what:?}");
    assert!(
        body(&lowered, "f")
            .iter()
            .any(|line| line.starts_with("check unsupported 0"))
    );
}
