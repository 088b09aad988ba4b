//! First contents of globals, constructors, names.

mod support;

use cairn_ir::{Content, Symbol};
use support::{lower, lower_all};

fn content(lowered: &cairn_llvm::Lowered, name: &str) -> Content {
    let found = lowered.program.globals.iter().find(|g| g.name == name);
    found.unwrap().content.clone().unwrap()
}

#[test]
fn bytes() {
    let text = r#"
@string = private constant [6 x i8] c"a\00bc\00\00"
@zero = common global [1000000000000 x i8] zeroinitializer, align 32
@tail = global { [3 x i8], [4000000000 x i8] } { [3 x i8] c"xyz", [4000000000 x i8] zeroinitializer }
@struct = global { i8, i32, i16 } { i8 1, i32 -2, i16 3 }
@packed = global <{ i8, i32 }> <{ i8 1, i32 -2 }>
@numbers = global [3 x i16] [i16 1, i16 undef, i16 3]
@wide = global i128 -2
@odd = global i20 -1
@long = global x86_fp80 0xK4000C000000000000000
@float = global [2 x float] [float 1.0, float -0.0]
@bits = global <10 x i1> <i1 1, i1 0, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0, i1 1>
@lanes = global <2 x i24> <i24 1, i24 2>
@extern = external global i32
@opaque = external global %opaque
%opaque = type opaque
@thread = thread_local global i32 7
@0 = private global i8 1
@1 = private global i8 2
"#;
    let lowered = lower_all(text);
    let bytes = |name: &str| content(&lowered, name).bytes;
    assert_eq!(bytes("string"), b"a\0bc");
    assert_eq!(bytes("zero"), b"");
    assert_eq!(bytes("tail"), b"xyz");
    assert_eq!(bytes("struct"), [1, 0, 0, 0, 254, 255, 255, 255, 3]);
    assert_eq!(bytes("packed"), [1, 254, 255, 255, 255]);
    assert_eq!(bytes("numbers"), [1, 0, 0, 0, 3]);
    assert_eq!(bytes("wide")[..2], [254, 255]);
    assert_eq!(bytes("wide").len(), 16);
    assert_eq!(bytes("odd"), [255, 255, 15]);
    assert_eq!(bytes("long"), [0, 0, 0, 0, 0, 0, 0, 0xC0, 0, 0x40]);
    assert_eq!(bytes("float"), [0, 0, 0x80, 0x3F, 0, 0, 0, 0x80]);
    assert_eq!(bytes("bits"), [0b0000_1101, 0b10]);
    assert_eq!(bytes("lanes"), [1, 0, 0, 2]);
    let global = |name: &str| {
        lowered
            .program
            .globals
            .iter()
            .find(|g| g.name == name)
            .unwrap()
    };
    assert_eq!(global("zero").size, 1_000_000_000_000);
    assert_eq!(global("zero").align, 32);
    assert!(global("string").constant);
    assert!(global("extern").content.is_none());
    assert_eq!(global("opaque").size, 0);
    assert!(global("thread").thread_local);
    assert_eq!(global("unnamed.0").size, 1);
    assert_eq!(global("unnamed.1").size, 1);
}

#[test]
fn addresses_and_differences() {
    let text = "
@a = global [4 x i32] zeroinitializer
@b = global i32 1
declare void @f()
@table = global { ptr, i64, ptr, i32, i64, ptr } {
  ptr getelementptr ([4 x i32], ptr @a, i64 0, i64 3),
  i64 add (i64 ptrtoint (ptr @b to i64), i64 5),
  ptr @f,
  i32 trunc (i64 sub (i64 ptrtoint (ptr @f to i64), i64 ptrtoint (ptr getelementptr (i8, ptr @a, i64 4) to i64)) to i32),
  i64 sub (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr @b to i64)),
  ptr inttoptr (i64 4096 to ptr)
}
@vector = global <2 x ptr> <ptr @a, ptr null>
@equivalent = global ptr dso_local_equivalent @f
";
    let lowered = lower_all(text);
    let table = content(&lowered, "table");
    let found: Vec<_> = table
        .relocations
        .iter()
        .map(|r| (r.offset, r.addend))
        .collect();
    assert_eq!(found, [(0, 12), (8, 5), (16, 0)]);
    let found: Vec<_> = table
        .differences
        .iter()
        .map(|d| (d.offset, d.bytes, d.addend))
        .collect();
    assert_eq!(found, [(24, 4, -4), (32, 8, 0)]);
    assert_eq!(table.bytes[40..], [0, 16]);
    assert!(matches!(table.differences[0].symbol, Symbol::Function(_)));
    assert_eq!(content(&lowered, "vector").relocations.len(), 1);
    assert_eq!(content(&lowered, "equivalent").relocations.len(), 1);
}

#[test]
fn what_cannot_be_written_is_listed() {
    let text = "
@a = global i32 0
@half = global i32 ptrtoint (ptr @a to i32)
@chosen = ifunc void (), ptr @choose
@late = global ptr @chosen
define ptr @choose() {
  ret ptr null
}";
    let lowered = lower(text);
    let names: Vec<_> = lowered
        .unsupported
        .iter()
        .map(|u| u.function.as_str())
        .collect();
    assert_eq!(names, ["half", "late"]);
}

#[test]
fn constructors_by_priority() {
    let text = "
@llvm.global_ctors = appending global [3 x { i32, ptr, ptr }] [
  { i32, ptr, ptr } { i32 65535, ptr @c, ptr null },
  { i32, ptr, ptr } { i32 101, ptr @a, ptr null },
  { i32, ptr, ptr } { i32 65535, ptr @b, ptr null }]
@llvm.global_dtors = appending global [2 x { i32, ptr, ptr }] [
  { i32, ptr, ptr } { i32 101, ptr @a, ptr null },
  { i32, ptr, ptr } { i32 65535, ptr @b, ptr null }]
@llvm.used = appending global [1 x ptr] [ptr @a], section \"llvm.metadata\"
define void @a() {
  ret void
}
define void @b() {
  ret void
}
define void @c() {
  ret void
}";
    let lowered = lower_all(text);
    let program = &lowered.program;
    let names = |ids: &[cairn_ir::FuncId]| -> Vec<String> {
        ids.iter()
            .map(|&id| program.function(id).name.clone())
            .collect()
    };
    assert_eq!(names(&program.constructors), ["a", "c", "b"]);
    assert_eq!(names(&program.destructors), ["b", "a"]);
    assert!(program.globals.is_empty());
}

#[test]
fn names_stay_unique() {
    let text = "
@0 = global i8 1
@unnamed.0 = global i8 2
@sin = global i8 3
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @1, ptr null }]
declare double @llvm.sin.f64(double)
define void @1(i32 %a) {
  ret void
}
define double @f(double %a) {
  %1 = call double @llvm.sin.f64(double %a)
  ret double %1
}";
    let lowered = lower(text);
    let names: Vec<_> = lowered
        .program
        .globals
        .iter()
        .map(|g| g.name.as_str())
        .collect();
    assert_eq!(names, ["unnamed.2", "unnamed.0", "sin"]);
    assert_eq!(lowered.unsupported.len(), 1);
}

#[test]
fn places() {
    let text = r#"
@g = global i32 1, !dbg !20
define i32 @outer(i32 %a) !dbg !4 {
  %1 = add i32 %a, 1, !dbg !10
  %2 = mul i32 %1, 2, !dbg !11
  ret i32 %2
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug, globals: !22)
!1 = !DIFile(filename: "dir/a.c", directory: "/home/x")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DIFile(filename: "/usr/include/h.h", directory: "/home/x")
!4 = distinct !DISubprogram(name: "outer", linkageName: "_Z5outeri", file: !1, line: 3, unit: !0, spFlags: DISPFlagDefinition)
!5 = distinct !DISubprogram(name: "inner", file: !3, line: 30, unit: !0, spFlags: DISPFlagDefinition)
!6 = distinct !DILexicalBlock(scope: !5, file: !3, line: 31)
!7 = !DILexicalBlockFile(scope: !6, file: !3, discriminator: 1)
!10 = !DILocation(line: 33, column: 9, scope: !7, inlinedAt: !12)
!11 = !DILocation(line: 5, column: 2, scope: !4)
!12 = distinct !DILocation(line: 4, column: 7, scope: !4)
!20 = !DIGlobalVariableExpression(var: !21, expr: !DIExpression())
!21 = distinct !DIGlobalVariable(name: "g", scope: !0, file: !1, line: 1, type: !23, isDefinition: true)
!22 = !{!20}
!23 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
"#;
    let lowered = lower_all(text);
    let program = &lowered.program;
    let function = &program.functions[0];
    assert_eq!(program.place_text(function.place), "/home/x/dir/a.c:3");
    assert_eq!(
        program.place_text(program.globals[0].place),
        "/home/x/dir/a.c:1"
    );
    let insts = &function.body.as_ref().unwrap().blocks[0].insts;
    assert_eq!(program.place_text(insts[0].1), "/usr/include/h.h:33:9");
    let place = program.place(insts[0].1);
    assert_eq!(program.names[place.function as usize], "inner");
    let around = place.inlined_at.unwrap();
    assert_eq!(program.place_text(around), "/home/x/dir/a.c:4:7");
    assert_eq!(
        program.names[program.place(around).function as usize],
        "outer"
    );
    assert_eq!(program.place_text(insts[1].1), "/home/x/dir/a.c:5:2");
}
