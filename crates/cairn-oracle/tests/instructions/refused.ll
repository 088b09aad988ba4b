; What is refused, or is an error when it is reached. Each function gets the number of arguments of
; the program, and gets to it only if there are two.

%List = type { i32, i32, ptr, ptr }

; refused: the va_arg instruction
define i32 @va_arg_instruction(i32 %n) {
  %list = alloca %List
  %reached = icmp sgt i32 %n, 1
  br i1 %reached, label %there, label %done
there:
  %x = va_arg ptr %list, i32
  ret i32 %x
done:
  ret i32 0
}

; refused: inline assembly: cpuid
define i32 @assembly(i32 %n) {
  %reached = icmp sgt i32 %n, 1
  br i1 %reached, label %there, label %done
there:
  %x = call { i32, i32, i32, i32 } asm "cpuid", "={ax},={bx},={cx},={dx},0"(i32 0)
  br label %done
done:
  ret i32 0
}

; refused: inline assembly: jmp
define i32 @assembly_that_jumps(i32 %n) {
  %reached = icmp sgt i32 %n, 1
  br i1 %reached, label %there, label %done
there:
  callbr void asm sideeffect "jmp ${0:l}", "!i"() to label %through [label %done]
through:
  ret i32 0
done:
  ret i32 0
}

declare i32 @__gxx_personality_v0(...)
declare i32 @__CxxFrameHandler3(...)
declare void @__cxa_throw(ptr, ptr, ptr)
declare i32 @llvm.eh.typeid.for.p0(ptr)
@type = internal constant i8 0
define internal void @returns() {
  ret void
}

; refused: C++ exceptions
define i32 @throwing(i32 %n) personality ptr @__gxx_personality_v0 {
entry:
  %reached = icmp sgt i32 %n, 1
  invoke void @returns() to label %go unwind label %unwinding
go:
  br i1 %reached, label %there, label %done
there:
  invoke void @__cxa_throw(ptr @type, ptr @type, ptr null) to label %never unwind label %unwinding
unwinding:
  %pad = landingpad { ptr, i32 } cleanup catch ptr @type
  %id = call i32 @llvm.eh.typeid.for.p0(ptr @type)
  resume { ptr, i32 } %pad
never:
  unreachable
done:
  ret i32 0
}

; refused: C++ exceptions
define i32 @asking_for_an_exception(i32 %n) {
  %reached = icmp sgt i32 %n, 1
  br i1 %reached, label %there, label %done
there:
  %id = call i32 @llvm.eh.typeid.for.p0(ptr @type)
  ret i32 %id
done:
  ret i32 0
}

; The other family of instructions for exceptions is only reached by them, so nothing is refused.
; refused: trap
define i32 @funclets(i32 %n) personality ptr @__CxxFrameHandler3 {
entry:
  invoke void @returns() to label %go unwind label %dispatch
dispatch:
  %switch = catchswitch within none [label %handler] unwind label %cleanup
handler:
  %catch = catchpad within %switch [ptr null, i32 64, ptr null]
  catchret from %catch to label %done
cleanup:
  %pad = cleanuppad within none []
  cleanupret from %pad unwind to caller
go:
  %reached = icmp sgt i32 %n, 1
  br i1 %reached, label %there, label %done
there:
  call void @llvm.trap()
  unreachable
done:
  ret i32 0
}

declare void @llvm.trap()
declare void @llvm.debugtrap()
declare void @llvm.ubsantrap(i8)
; each $CALL: @llvm.trap() | @llvm.debugtrap()
; refused: trap
define i32 @trap_#(i32 %n) {
  %reached = icmp sgt i32 %n, 1
  br i1 %reached, label %there, label %done
there:
  call void $CALL
  ret i32 0
done:
  ret i32 0
}
; end

; A trap of the sanitiser says what it found.
; refused: divrem overflow
define i32 @sanitizer_trap(i32 %n) {
  %reached = icmp sgt i32 %n, 1
  br i1 %reached, label %there, label %done
there:
  call void @llvm.ubsantrap(i8 3)
  ret i32 0
done:
  ret i32 0
}

; Intrinsics that are not lowered.
declare void @llvm.masked.compressstore.v4i32(<4 x i32>, ptr, <4 x i1>)
declare void @llvm.write_register.i64(metadata, i64)
declare void @llvm.set.rounding(i32)
declare i32 @llvm.x86.sse42.crc32.32.8(i32, i8)
; each $NAME $CALL: llvm.masked.compressstore compressstore | llvm.write_register write | llvm.set.rounding rounding | llvm.x86.sse42.crc32.32.8 crc
; refused: $NAME
define i32 @unknown_$CALL(i32 %n) {
  %reached = icmp sgt i32 %n, 1
  br i1 %reached, label %there, label %done
there:
  call void @call_$CALL()
  ret i32 0
done:
  ret i32 0
}
; end
define internal void @call_compressstore() {
  call void @llvm.masked.compressstore.v4i32(<4 x i32> zeroinitializer, ptr null, <4 x i1> zeroinitializer)
  ret void
}
define internal void @call_write() {
  call void @llvm.write_register.i64(metadata !0, i64 0)
  ret void
}
define internal void @call_rounding() {
  call void @llvm.set.rounding(i32 0)
  ret void
}
define internal void @call_crc() {
  %x = call i32 @llvm.x86.sse42.crc32.32.8(i32 0, i8 0)
  ret void
}
!0 = !{!"rsp"}

; Values of types that have no words here.
; refused: a value of type <vscale x 4 x i32>
define i32 @scalable(i32 %n) {
  %reached = icmp sgt i32 %n, 1
  br i1 %reached, label %there, label %done
there:
  %x = load <vscale x 4 x i32>, ptr null
  ret i32 0
done:
  ret i32 0
}

; Variable arguments that are handed on as a whole.
define internal i32 @variadic(i32 %n, ...) {
  ret i32 %n
}
define internal i32 @handed_on(i32 %n, ...) {
  %r = musttail call i32 (i32, ...) @variadic(i32 %n, ...)
  ret i32 %r
}
; refused: variadic arguments that are handed on as a whole
define i32 @handing_on(i32 %n) {
  %reached = icmp sgt i32 %n, 1
  br i1 %reached, label %there, label %done
there:
  %x = call i32 (i32, ...) @handed_on(i32 %n, i32 5)
  ret i32 0
done:
  ret i32 0
}

; Functions that nobody has.
declare void @nobody_has_this()
; refused: nobody_has_this
define i32 @undefined_function(i32 %n) {
  %reached = icmp sgt i32 %n, 1
  br i1 %reached, label %there, label %done
there:
  call void @nobody_has_this()
  ret i32 0
done:
  ret i32 0
}

; Undefined behaviour that is always checked.
; each $NAME $TEXT $OP: by_zero zero udiv | rest_by_zero zero srem
; refused: $TEXT
define i32 @divide_$NAME(i32 %n) {
  %zero.if.two = sub i32 2, %n
  %x = $OP i32 7, %zero.if.two
  %y = sub i32 %x, %x
  ret i32 %y
}
; end
; refused: reach
define i32 @unreachable_reached(i32 %n) {
  %reached = icmp sgt i32 %n, 1
  br i1 %reached, label %there, label %done
there:
  unreachable
done:
  ret i32 0
}

; A function of the library that the machine does not provide.
; each $T $NAME: float exp10f | double exp10
declare $T @llvm.exp10.$T($T)
; refused: $NAME is not defined
define i32 @without_$NAME(i32 %n) {
  %reached = icmp sgt i32 %n, 1
  br i1 %reached, label %there, label %done
there:
  %x = sitofp i32 %n to $T
  %y = call $T @llvm.exp10.$T($T %x)
  ret i32 0
done:
  ret i32 0
}
; end
