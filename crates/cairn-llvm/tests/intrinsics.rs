//! Every intrinsic that is supported lowers and verifies; some are looked at.

mod support;

use std::collections::BTreeSet;
use support::{body, expect, lower, lower_all};

/// A module that calls each of these: result type, name, argument types.
fn calls(list: &[(&str, &str, &[&str])]) -> String {
    let mut declarations = BTreeSet::new();
    let mut functions = String::new();
    for (number, (result, name, args)) in list.iter().enumerate() {
        let mut parameters = Vec::new();
        let mut values = Vec::new();
        let mut types = Vec::new();
        for (at, arg) in args.iter().enumerate() {
            // "i1 true" is a constant, "i32" is passed through from the caller.
            match arg.split_once(' ').filter(|_| !arg.starts_with('<')) {
                Some((ty, _)) => {
                    types.push(ty.to_string());
                    values.push(arg.to_string());
                }
                None => {
                    types.push(arg.to_string());
                    parameters.push(format!("{arg} %a{at}"));
                    values.push(format!("{arg} %a{at}"));
                }
            }
        }
        declarations.insert(format!("declare {result} @{name}({})\n", types.join(", ")));
        let (assign, ret) = match *result {
            "void" => ("", "ret void".to_string()),
            _ => ("%r = ", format!("ret {result} %r")),
        };
        functions.push_str(&format!(
            "define {result} @f{number}({}) {{\n  {assign}call {result} @{name}({})\n  {ret}\n}}\n",
            parameters.join(", "),
            values.join(", ")
        ));
    }
    declarations.into_iter().collect::<String>() + &functions
}

#[test]
fn memory_and_lifetimes() {
    lower_all(&calls(&[
        (
            "void",
            "llvm.memcpy.p0.p0.i64",
            &["ptr", "ptr", "i64", "i1 false"],
        ),
        (
            "void",
            "llvm.memcpy.p0.p0.i32",
            &["ptr", "ptr", "i32", "i1 false"],
        ),
        (
            "void",
            "llvm.memcpy.inline.p0.p0.i64",
            &["ptr", "ptr", "i64 8", "i1 false"],
        ),
        (
            "void",
            "llvm.memmove.p0.p0.i64",
            &["ptr", "ptr", "i64", "i1 true"],
        ),
        (
            "void",
            "llvm.memset.p0.i64",
            &["ptr", "i8", "i64", "i1 false"],
        ),
        (
            "void",
            "llvm.memset.inline.p0.i64",
            &["ptr", "i8", "i64 8", "i1 false"],
        ),
        ("void", "llvm.lifetime.start.p0", &["i64 8", "ptr"]),
        ("void", "llvm.lifetime.end.p0", &["i64 8", "ptr"]),
        ("ptr", "llvm.invariant.start.p0", &["i64 8", "ptr"]),
        ("void", "llvm.invariant.end.p0", &["ptr", "i64 8", "ptr"]),
        ("ptr", "llvm.launder.invariant.group.p0", &["ptr"]),
        ("ptr", "llvm.strip.invariant.group.p0", &["ptr"]),
    ]));
}

#[test]
fn hints_and_the_machine() {
    lower_all(&calls(&[
        ("void", "llvm.assume", &["i1"]),
        ("i64", "llvm.expect.i64", &["i64", "i64"]),
        (
            "i1",
            "llvm.expect.with.probability.i1",
            &["i1", "i1", "double 0.5"],
        ),
        ("void", "llvm.sideeffect", &[]),
        ("void", "llvm.donothing", &[]),
        (
            "void",
            "llvm.prefetch.p0",
            &["ptr", "i32 0", "i32 3", "i32 1"],
        ),
        (
            "void",
            "llvm.pseudoprobe",
            &["i64 1", "i64 2", "i32 0", "i64 -1"],
        ),
        ("i1", "llvm.is.constant.i32", &["i32"]),
        (
            "i64",
            "llvm.objectsize.i64.p0",
            &["ptr", "i1 false", "i1 true", "i1 false"],
        ),
        (
            "i32",
            "llvm.objectsize.i32.p0",
            &["ptr", "i1 true", "i1 true", "i1 false"],
        ),
        ("ptr", "llvm.stacksave.p0", &[]),
        ("void", "llvm.stackrestore.p0", &["ptr"]),
        ("ptr", "llvm.ptrmask.p0.i64", &["ptr", "i64"]),
        ("void", "llvm.trap", &[]),
        ("void", "llvm.debugtrap", &[]),
        ("void", "llvm.ubsantrap", &["i8 3"]),
        ("ptr", "llvm.load.relative.i64", &["ptr", "i64"]),
        ("ptr", "llvm.returnaddress", &["i32 0"]),
        ("ptr", "llvm.frameaddress.p0", &["i32 0"]),
        ("i32", "llvm.get.rounding", &[]),
        ("i64", "llvm.readcyclecounter", &[]),
        ("void", "llvm.clear_cache", &["ptr", "ptr"]),
        ("void", "llvm.x86.sse2.pause", &[]),
        (
            "i32",
            "llvm.annotation.i32.p0",
            &["i32", "ptr", "ptr", "i32"],
        ),
        (
            "void",
            "llvm.var.annotation.p0.p0",
            &["ptr", "ptr", "ptr", "i32", "ptr"],
        ),
        (
            "ptr",
            "llvm.ptr.annotation.p0.p0",
            &["ptr", "ptr", "ptr", "i32", "ptr"],
        ),
        ("i32", "llvm.ssa.copy.i32", &["i32"]),
        ("double", "llvm.arithmetic.fence.f64", &["double"]),
        ("i1", "llvm.allow.ubsan.check", &["i8 1"]),
    ]));
}

#[test]
fn the_address_of_a_thread_local_variable_is_the_variable() {
    let text = "
@t = thread_local global i32 0
declare ptr @llvm.threadlocal.address.p0(ptr)
define ptr @f() {
  %1 = call ptr @llvm.threadlocal.address.p0(ptr @t)
  ret ptr %1
}";
    expect(&lower_all(text), "f", &["b0:", "return @t"]);
}

#[test]
fn integers() {
    let mut list: Vec<(&str, String, Vec<&str>)> = Vec::new();
    for (ty, suffix) in [
        ("i32", "i32"),
        ("i7", "i7"),
        ("i128", "i128"),
        ("<3 x i16>", "v3i16"),
    ] {
        for name in ["ctpop", "bitreverse"] {
            list.push((ty, format!("llvm.{name}.{suffix}"), vec![ty]));
        }
        for name in ["ctlz", "cttz", "abs"] {
            list.push((ty, format!("llvm.{name}.{suffix}"), vec![ty, "i1 true"]));
        }
        for name in [
            "sadd.sat", "uadd.sat", "ssub.sat", "usub.sat", "sshl.sat", "ushl.sat", "smin", "smax",
            "umin", "umax",
        ] {
            list.push((ty, format!("llvm.{name}.{suffix}"), vec![ty, ty]));
        }
        for name in ["fshl", "fshr"] {
            list.push((ty, format!("llvm.{name}.{suffix}"), vec![ty, ty, ty]));
        }
        if suffix != "i7" {
            list.push((ty, format!("llvm.bswap.{suffix}"), vec![ty]));
        }
    }
    for op in ["sadd", "uadd", "ssub", "usub", "smul", "umul"] {
        list.push((
            "{ i32, i1 }",
            format!("llvm.{op}.with.overflow.i32"),
            vec!["i32", "i32"],
        ));
        list.push((
            "{ <2 x i64>, <2 x i1> }",
            format!("llvm.{op}.with.overflow.v2i64"),
            vec!["<2 x i64>", "<2 x i64>"],
        ));
    }
    for op in ["scmp", "ucmp"] {
        list.push(("i8", format!("llvm.{op}.i8.i32"), vec!["i32", "i32"]));
    }
    let list: Vec<(&str, &str, &[&str])> = list
        .iter()
        .map(|(r, n, a)| (*r, n.as_str(), a.as_slice()))
        .collect();
    lower_all(&calls(&list));
}

#[test]
fn rotation_counts_modulo_the_width() {
    let lowered = lower_all(&calls(&[(
        "i32",
        "llvm.fshl.i32",
        &["i32", "i32", "i32 33"],
    )]));
    expect(
        &lowered,
        "f0",
        &[
            "b0:",
            "%2: i32 = shl %0, 1",
            "%3: i32 = lshr %1, 31",
            "%4: i32 = or %2, %3",
            "return %4",
        ],
    );
}

#[test]
fn saturation_and_overflow() {
    let lowered = lower_all(&calls(&[
        ("i8", "llvm.ssub.sat.i8", &["i8", "i8"]),
        ("{ i8, i1 }", "llvm.umul.with.overflow.i8", &["i8", "i8"]),
    ]));
    expect(
        &lowered,
        "f0",
        &[
            "b0:",
            "%2: i8 = sub %0, %1",
            "%3: i8 = xor %0, %1",
            "%4: i8 = xor %0, %2",
            "%5: i8 = and %3, %4",
            "%6: i1 = extract i8 %5 from 7",
            "%7: i1 = slt i8 %0, 0",
            "%8: i8 = select %7, 128, 127",
            "%9: i8 = select %6, %8, %2",
            "return %9",
        ],
    );
    expect(
        &lowered,
        "f1",
        &[
            "b0:",
            "%2: i8 = mul %0, %1",
            "%3: i16 = zext i8 %0",
            "%4: i16 = zext i8 %1",
            "%5: i16 = mul %3, %4",
            "%6: i16 = zext i8 %2",
            "%7: i1 = ne i16 %5, %6",
            "return %2, %7",
        ],
    );
}

#[test]
fn floats() {
    let formats = [
        ("half", "f16"),
        ("bfloat", "bf16"),
        ("float", "f32"),
        ("double", "f64"),
        ("x86_fp80", "f80"),
        ("fp128", "f128"),
        ("<2 x float>", "v2f32"),
    ];
    let mut list: Vec<(&str, String, Vec<&str>)> = Vec::new();
    for (ty, suffix) in formats {
        for name in [
            "sqrt",
            "floor",
            "ceil",
            "trunc",
            "rint",
            "nearbyint",
            "round",
            "roundeven",
            "fabs",
            "canonicalize",
            "sin",
            "cos",
            "tan",
            "exp",
            "exp2",
            "exp10",
            "log",
            "log2",
            "log10",
            "asin",
            "acos",
            "atan",
            "sinh",
            "cosh",
            "tanh",
        ] {
            list.push((ty, format!("llvm.{name}.{suffix}"), vec![ty]));
        }
        for name in ["copysign", "minnum", "maxnum", "minimum", "maximum", "pow"] {
            list.push((ty, format!("llvm.{name}.{suffix}"), vec![ty, ty]));
        }
        for name in ["fma", "fmuladd"] {
            list.push((ty, format!("llvm.{name}.{suffix}"), vec![ty, ty, ty]));
        }
        list.push((ty, format!("llvm.powi.{suffix}.i32"), vec![ty, "i32"]));
        if suffix != "v2f32" {
            list.push((ty, format!("llvm.ldexp.{suffix}.i32"), vec![ty, "i32"]));
            list.push(("i64", format!("llvm.fptosi.sat.i64.{suffix}"), vec![ty]));
            list.push(("i7", format!("llvm.fptoui.sat.i7.{suffix}"), vec![ty]));
            for name in ["lrint", "llrint", "lround", "llround"] {
                list.push(("i64", format!("llvm.{name}.i64.{suffix}"), vec![ty]));
            }
            for class in [
                "i32 3", "i32 264", "i32 519", "i32 1023", "i32 144", "i32 96",
            ] {
                list.push(("i1", format!("llvm.is.fpclass.{suffix}"), vec![ty, class]));
            }
        }
    }
    list.push((
        "{ double, i32 }",
        "llvm.frexp.f64.i32".into(),
        vec!["double"],
    ));
    list.push(("{ half, i32 }", "llvm.frexp.f16.i32".into(), vec!["half"]));
    list.push((
        "{ <2 x float>, <2 x i32> }",
        "llvm.frexp.v2f32.v2i32".into(),
        vec!["<2 x float>"],
    ));
    let list: Vec<(&str, &str, &[&str])> = list
        .iter()
        .map(|(r, n, a)| (*r, n.as_str(), a.as_slice()))
        .collect();
    let lowered = lower_all(&calls(&list));
    let program = &lowered.program;
    for name in [
        "sin",
        "sinf",
        "sinl",
        "sinf128",
        "powl",
        "__powidf2",
        "__powixf2",
        "ldexpf",
        "frexpf",
    ] {
        let id = program
            .find_function(name)
            .unwrap_or_else(|| panic!("{name}"));
        assert!(program.function(id).body.is_none());
    }
}

#[test]
fn library_functions_of_the_module_are_used() {
    let text = "
declare double @llvm.sin.f64(double)
declare float @llvm.cos.f32(float)
define double @sin(double %x) {
  ret double %x
}
define void @cosf(i32 %x) {
  ret void
}
define double @f(double %x, float %y) {
  %1 = call float @llvm.cos.f32(float %y)
  %2 = call double @llvm.sin.f64(double %x)
  ret double %2
}";
    expect(
        &lower_all(text),
        "f",
        &[
            "b0:",
            "%2: i64 = select 1, @cosf, @cosf",
            "%3: i32 = call %2(i32 %1)",
            "%4: i64 = call @sin(i64 %0)",
            "return %4",
        ],
    );
}

#[test]
fn constrained_arithmetic() {
    let text = r#"
declare double @llvm.experimental.constrained.fadd.f64(double, double, metadata, metadata)
declare i32 @llvm.experimental.constrained.fptosi.i32.f64(double, metadata)
declare double @llvm.experimental.constrained.sitofp.f64.i32(i32, metadata, metadata)
declare i1 @llvm.experimental.constrained.fcmp.f64(double, double, metadata, metadata)
declare i1 @llvm.experimental.constrained.fcmps.f64(double, double, metadata, metadata)
declare double @llvm.experimental.constrained.sqrt.f64(double, metadata, metadata)
declare double @llvm.experimental.constrained.fma.f64(double, double, double, metadata, metadata)
declare double @llvm.experimental.constrained.sin.f64(double, metadata, metadata)
declare i64 @llvm.experimental.constrained.lrint.i64.f64(double, metadata, metadata)
define i1 @f(double %a, double %b) strictfp {
  %1 = call double @llvm.experimental.constrained.fadd.f64(double %a, double %b, metadata !"round.dynamic", metadata !"fpexcept.strict")
  %2 = call i32 @llvm.experimental.constrained.fptosi.i32.f64(double %1, metadata !"fpexcept.strict")
  %3 = call double @llvm.experimental.constrained.sitofp.f64.i32(i32 %2, metadata !"round.dynamic", metadata !"fpexcept.strict")
  %4 = call i1 @llvm.experimental.constrained.fcmp.f64(double %a, double %3, metadata !"olt", metadata !"fpexcept.strict")
  %5 = call i1 @llvm.experimental.constrained.fcmps.f64(double %a, double %3, metadata !"une", metadata !"fpexcept.strict")
  %6 = call double @llvm.experimental.constrained.sqrt.f64(double %a, metadata !"round.dynamic", metadata !"fpexcept.strict")
  %7 = call double @llvm.experimental.constrained.fma.f64(double %a, double %b, double %6, metadata !"round.dynamic", metadata !"fpexcept.strict")
  %8 = call double @llvm.experimental.constrained.sin.f64(double %7, metadata !"round.dynamic", metadata !"fpexcept.strict")
  %9 = call i64 @llvm.experimental.constrained.lrint.i64.f64(double %8, metadata !"round.dynamic", metadata !"fpexcept.strict")
  ret i1 %4
}"#;
    let lines = body(&lower_all(text), "f").join("\n");
    assert!(lines.contains("fma"), "{lines}");
}

#[test]
fn vectors() {
    let mut list: Vec<(&str, String, Vec<&str>)> = Vec::new();
    for op in [
        "add", "mul", "and", "or", "xor", "smax", "smin", "umax", "umin",
    ] {
        list.push((
            "i16",
            format!("llvm.vector.reduce.{op}.v4i16"),
            vec!["<4 x i16>"],
        ));
    }
    for op in ["fmax", "fmin", "fmaximum", "fminimum"] {
        list.push((
            "float",
            format!("llvm.vector.reduce.{op}.v4f32"),
            vec!["<4 x float>"],
        ));
    }
    for op in ["fadd", "fmul"] {
        let args = vec!["float", "<4 x float>"];
        list.push(("float", format!("llvm.vector.reduce.{op}.v4f32"), args));
    }
    for (mask, ty, suffix) in [
        ("<2 x i1>", "<2 x i32>", "v2i32"),
        ("<2 x i1>", "<2 x ptr>", "v2p0"),
    ] {
        list.push((
            ty,
            format!("llvm.masked.load.{suffix}.p0"),
            vec!["ptr", "i32 4", mask, ty],
        ));
        list.push((
            "void",
            format!("llvm.masked.store.{suffix}.p0"),
            vec![ty, "ptr", "i32 4", mask],
        ));
        list.push((
            ty,
            format!("llvm.masked.gather.{suffix}.v2p0"),
            vec!["<2 x ptr>", "i32 4", mask, ty],
        ));
        list.push((
            "void",
            format!("llvm.masked.scatter.{suffix}.v2p0"),
            vec![ty, "<2 x ptr>", "i32 4", mask],
        ));
    }
    let list: Vec<(&str, &str, &[&str])> = list
        .iter()
        .map(|(r, n, a)| (*r, n.as_str(), a.as_slice()))
        .collect();
    lower_all(&calls(&list));
    let text = "
declare <2 x i8> @llvm.masked.load.v2i8.p0(ptr, i32, <2 x i1>, <2 x i8>)
define <2 x i8> @f(ptr %p, i1 %c) {
  %m = insertelement <2 x i1> <i1 true, i1 true>, i1 %c, i32 1
  %1 = call <2 x i8> @llvm.masked.load.v2i8.p0(ptr %p, i32 1, <2 x i1> %m, <2 x i8> zeroinitializer)
  ret <2 x i8> %1
}";
    expect(
        &lower_all(text),
        "f",
        &[
            "b0:",
            "%2: i64 = add %0, 1",
            "%3: i8 = load %0",
            "branch %1, b1, b2(0)",
            "b1:",
            "%5: i8 = load %2",
            "jump b2(%5)",
            "b2(%4: i8):",
            "return %3, %4",
        ],
    );
}

#[test]
fn others_are_refused_by_name() {
    let text = calls(&[
        (
            "void",
            "llvm.memcpy.element.unordered.atomic.p0.p0.i64",
            &["ptr align 4 null", "ptr align 4 null", "i64", "i32 4"],
        ),
        ("i32", "llvm.smul.fix.i32", &["i32", "i32", "i32 3"]),
        (
            "<4 x i32>",
            "llvm.vp.add.v4i32",
            &["<4 x i32>", "<4 x i32>", "<4 x i1>", "i32"],
        ),
        ("i32", "llvm.eh.typeid.for.p0", &["ptr null"]),
        (
            "<16 x i8>",
            "llvm.x86.ssse3.pshuf.b.128",
            &["<16 x i8>", "<16 x i8>"],
        ),
    ]);
    let lowered = lower(&text);
    let what: Vec<_> = lowered
        .unsupported
        .iter()
        .map(|u| u.what.as_str())
        .collect();
    assert_eq!(
        what,
        [
            "the intrinsic llvm.memcpy.element.unordered.atomic",
            "the intrinsic llvm.smul.fix",
            "the intrinsic llvm.vp.add",
            "C++ exceptions",
            "the intrinsic llvm.x86.ssse3.pshuf.b.128",
        ]
    );
}
