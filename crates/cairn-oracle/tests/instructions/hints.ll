; Intrinsics that tell or ask the compiler something: they hand a value through, do nothing, or
; have a fixed answer.

@text = internal constant [2 x i8] c"a\00"
@anything = internal global i64 9

declare i64 @llvm.expect.i64(i64, i64)
declare i64 @llvm.annotation.i64.p0(i64, ptr, ptr, i32)
declare ptr @llvm.ptr.annotation.p0.p0(ptr, ptr, ptr, i32, ptr)
declare ptr @llvm.launder.invariant.group.p0(ptr)
declare ptr @llvm.strip.invariant.group.p0(ptr)
define i64 @expected(i64 %a) {
  %1 = call i64 @llvm.expect.i64(i64 %a, i64 1)
  %r = call i64 @llvm.annotation.i64.p0(i64 %1, ptr @text, ptr @text, i32 7)
  ret i64 %r
}
define i64 @pointers_handed_through(i64 %a) {
  %p = alloca i64
  store i64 %a, ptr %p
  %q = call ptr @llvm.ptr.annotation.p0.p0(ptr %p, ptr @text, ptr @text, i32 7, ptr null)
  %s = call ptr @llvm.launder.invariant.group.p0(ptr %q)
  %t = call ptr @llvm.strip.invariant.group.p0(ptr %s)
  %r = load i64, ptr %t
  ret i64 %r
}

declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)
declare ptr @llvm.invariant.start.p0(i64, ptr)
declare void @llvm.invariant.end.p0(ptr, i64, ptr)
declare void @llvm.sideeffect()
declare void @llvm.donothing()
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare void @llvm.var.annotation.p0.p0(ptr, ptr, ptr, i32, ptr)
declare void @llvm.experimental.noalias.scope.decl(metadata)
declare void @llvm.clear_cache(ptr, ptr)
declare void @llvm.x86.sse2.pause()
declare void @llvm.x86.sse2.mfence()
declare void @llvm.x86.sse2.lfence()
declare void @llvm.x86.sse.sfence()
declare void @llvm.assume(i1)
declare void @llvm.codeview.annotation(metadata)
declare void @llvm.pseudoprobe(i64, i64, i32, i64)
define i64 @without_effect(i64 %a) {
  %p = alloca i64
  call void @llvm.lifetime.start.p0(i64 8, ptr %p)
  store i64 %a, ptr %p
  %mark = call ptr @llvm.invariant.start.p0(i64 8, ptr %p)
  %r = load i64, ptr %p
  call void @llvm.invariant.end.p0(ptr %mark, i64 8, ptr %p)
  call void @llvm.sideeffect()
  call void @llvm.donothing()
  call void @llvm.prefetch.p0(ptr %p, i32 0, i32 3, i32 1)
  call void @llvm.var.annotation.p0.p0(ptr %p, ptr @text, ptr @text, i32 7, ptr null)
  call void @llvm.experimental.noalias.scope.decl(metadata !2)
  call void @llvm.clear_cache(ptr %p, ptr %p)
  call void @llvm.x86.sse2.pause()
  call void @llvm.x86.sse2.mfence()
  call void @llvm.x86.sse2.lfence()
  call void @llvm.x86.sse.sfence()
  call void @llvm.codeview.annotation(metadata !3)
  call void @llvm.pseudoprobe(i64 1, i64 1, i32 0, i64 -1)
  call void @llvm.lifetime.end.p0(i64 8, ptr %p)
  ret i64 %r
}
define i64 @invoked_nothing(i64 %a) personality ptr @__gcc_personality_v0 {
  invoke void @llvm.donothing() to label %normal unwind label %unwinding
normal:
  ret i64 %a
unwinding:
  %pad = landingpad { ptr, i32 } cleanup
  ret i64 0
}
declare i32 @__gcc_personality_v0(...)
define i64 @assumed(i64 %a) {
  %p = alloca i64
  %small = and i64 %a, 255
  %holds = icmp ult i64 %small, 256
  call void @llvm.assume(i1 %holds)
  call void @llvm.assume(i1 true) [ "align"(ptr %p, i64 8), "nonnull"(ptr %p) ]
  ret i64 %small
}

declare i1 @llvm.is.constant.i64(i64)
declare i32 @llvm.get.rounding()
declare i1 @llvm.allow.runtime.check(metadata)
declare i1 @llvm.allow.ubsan.check(i8)
define { i1, i32, i1, i1 } @answers(i64 %a) {
  %known = call i1 @llvm.is.constant.i64(i64 %a)
  %rounding = call i32 @llvm.get.rounding()
  %checked = call i1 @llvm.allow.runtime.check(metadata !"some")
  %sanitized = call i1 @llvm.allow.ubsan.check(i8 3)
  %1 = insertvalue { i1, i32, i1, i1 } poison, i1 %known, 0
  %2 = insertvalue { i1, i32, i1, i1 } %1, i32 %rounding, 1
  %3 = insertvalue { i1, i32, i1, i1 } %2, i1 %checked, 2
  %4 = insertvalue { i1, i32, i1, i1 } %3, i1 %sanitized, 3
  ret { i1, i32, i1, i1 } %4
}
declare i64 @llvm.objectsize.i64.p0(ptr, i1, i1, i1)
declare i32 @llvm.objectsize.i32.p0(ptr, i1, i1, i1)
@somewhere = internal global ptr @anything
define { i64, i64, i32 } @object_of_unknown_size() {
  %p = load volatile ptr, ptr @somewhere
  %most = call i64 @llvm.objectsize.i64.p0(ptr %p, i1 false, i1 true, i1 false)
  %least = call i64 @llvm.objectsize.i64.p0(ptr %p, i1 true, i1 true, i1 false)
  %narrow = call i32 @llvm.objectsize.i32.p0(ptr %p, i1 false, i1 true, i1 false)
  %1 = insertvalue { i64, i64, i32 } poison, i64 %most, 0
  %2 = insertvalue { i64, i64, i32 } %1, i64 %least, 1
  %3 = insertvalue { i64, i64, i32 } %2, i32 %narrow, 2
  ret { i64, i64, i32 } %3
}

; What these answer is nobody's business, but they may be asked.
declare i64 @llvm.readcyclecounter()
declare i64 @llvm.readsteadycounter()
declare ptr @llvm.returnaddress(i32)
declare ptr @llvm.frameaddress.p0(i32)
declare ptr @llvm.addressofreturnaddress.p0()
define i64 @asked(i64 %a) {
  %1 = call i64 @llvm.readcyclecounter()
  %2 = call i64 @llvm.readsteadycounter()
  %3 = call ptr @llvm.returnaddress(i32 0)
  %4 = call ptr @llvm.frameaddress.p0(i32 0)
  %5 = call ptr @llvm.addressofreturnaddress.p0()
  ret i64 %a
}

; Debug information.

declare void @llvm.dbg.declare(metadata, metadata, metadata)
declare void @llvm.dbg.value(metadata, metadata, metadata)
declare void @llvm.dbg.assign(metadata, metadata, metadata, metadata, metadata, metadata)
declare void @llvm.dbg.label(metadata)
define i64 @described(i64 %a) !dbg !12 {
  %p = alloca i64, !DIAssignID !18
  call void @llvm.dbg.declare(metadata ptr %p, metadata !15, metadata !DIExpression()), !dbg !17
  store i64 %a, ptr %p, !dbg !17, !DIAssignID !19
  call void @llvm.dbg.assign(metadata i64 %a, metadata !20, metadata !DIExpression(), metadata !19, metadata ptr %p, metadata !DIExpression()), !dbg !17
  call void @llvm.dbg.value(metadata i64 %a, metadata !15, metadata !DIExpression()), !dbg !17
  call void @llvm.dbg.label(metadata !16), !dbg !17
  %r = load i64, ptr %p, !dbg !17
  ret i64 %r, !dbg !17
}

!0 = distinct !{!0, !"domain"}
!1 = distinct !{!1, !0, !"scope"}
!2 = !{!1}
!3 = !{!"annotated"}
!llvm.dbg.cu = !{!10}
!llvm.module.flags = !{!21, !22}
!10 = distinct !DICompileUnit(language: DW_LANG_C99, file: !11, producer: "tests", emissionKind: FullDebug)
!11 = !DIFile(filename: "hints.c", directory: "/")
!12 = distinct !DISubprogram(name: "described", scope: !11, file: !11, line: 1, type: !13, unit: !10, spFlags: DISPFlagDefinition, retainedNodes: !{})
!13 = !DISubroutineType(types: !{!14, !14})
!14 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
!15 = !DILocalVariable(name: "v", scope: !12, file: !11, line: 2, type: !14)
!16 = !DILabel(scope: !12, name: "here", file: !11, line: 3)
!17 = !DILocation(line: 2, column: 3, scope: !12)
!18 = distinct !DIAssignID()
!19 = distinct !DIAssignID()
!20 = !DILocalVariable(name: "w", scope: !12, file: !11, line: 2, type: !14)
!21 = !{i32 2, !"Debug Info Version", i32 3}
!22 = !{i32 7, !"debug-info-assignment-tracking", i1 true}
