; Calls: by name and by pointer, of all types of arguments and results, with variable arguments, by
; value, and of assembly without instructions.

; each $T: i1 | i7 | i32 | i128 | i200 | half | float | x86_fp80 | fp128 | <4 x i32> | { i8, i64, i200 } | [3 x i16] | <3 x i1>
define internal $T @second_#(i8 %x, $T %y, i64 %z) noinline {
  ret $T %y
}
define $T @passed_#($T %a, i8 %b) {
  %r = call $T @second_#(i8 %b, $T %a, i64 5)
  ret $T %r
}
define $T @passed_by_pointer_#($T %a, i8 %b) {
  %p = alloca ptr
  store ptr @second_#, ptr %p
  %f = load ptr, ptr %p
  %r = call $T %f(i8 %b, $T %a, i64 5)
  ret $T %r
}
; end

define internal void @nothing() {
  ret void
}
define internal i64 @many(i8 %a, i16 %b, i32 %c, i64 %d, i8 %e, i16 %f, i32 %g, i64 %h, double %i, float %j) {
  %1 = zext i8 %a to i64
  %2 = zext i16 %b to i64
  %3 = zext i32 %c to i64
  %4 = zext i8 %e to i64
  %5 = zext i16 %f to i64
  %6 = zext i32 %g to i64
  %7 = mul i64 %1, 3
  %8 = add i64 %7, %2
  %9 = mul i64 %8, 5
  %10 = add i64 %9, %3
  %11 = mul i64 %10, 7
  %12 = add i64 %11, %d
  %13 = mul i64 %12, 11
  %14 = add i64 %13, %4
  %15 = mul i64 %14, 13
  %16 = add i64 %15, %5
  %17 = mul i64 %16, 17
  %18 = add i64 %17, %6
  %19 = xor i64 %18, %h
  %20 = bitcast double %i to i64
  %21 = bitcast float %j to i32
  %22 = zext i32 %21 to i64
  %23 = add i64 %19, %20
  %24 = xor i64 %23, %22
  ret i64 %24
}
define i64 @many_arguments(i8 %a, i16 %b, i64 %d, double %i) {
  call void @nothing()
  %r = call i64 @many(i8 %a, i16 %b, i32 77, i64 %d, i8 3, i16 %b, i32 9, i64 %d, double %i, float 1.5)
  ret i64 %r
}
define internal i64 @factorial(i64 %n) {
entry:
  %small = icmp ult i64 %n, 2
  br i1 %small, label %one, label %more
one:
  ret i64 1
more:
  %less = sub i64 %n, 1
  %x = call i64 @factorial(i64 %less)
  %r = mul i64 %x, %n
  ret i64 %r
}
define i64 @recursion(i8 %n) {
  %few = and i8 %n, 31
  %wide = zext i8 %few to i64
  %r = call i64 @factorial(i64 %wide)
  ret i64 %r
}
define internal fastcc i32 @fast(i32 signext %a) {
  %r = add i32 %a, 1
  ret i32 %r
}
define internal i32 @in_tail(i32 %a, i32 %b) {
  %x = mul i32 %a, %b
  %r = musttail call i32 @at_end(i32 %x, i32 %b)
  ret i32 %r
}
define internal i32 @at_end(i32 %a, i32 %b) {
  %r = sub i32 %a, %b
  ret i32 %r
}
define i32 @conventions(i32 %a, i32 %b) {
  %x = call fastcc i32 @fast(i32 %a)
  %y = tail call i32 @in_tail(i32 %x, i32 %b)
  %z = notail call i32 @at_end(i32 %y, i32 %a)
  ret i32 %z
}

; Functions in a table.

define internal i32 @plus(i32 %a, i32 %b) {
  %r = add i32 %a, %b
  ret i32 %r
}
define internal i32 @times(i32 %a, i32 %b) {
  %r = mul i32 %a, %b
  ret i32 %r
}
@table = internal constant [3 x ptr] [ptr @plus, ptr @times, ptr @at_end]
define i32 @chosen(i32 %a, i32 %b, i8 %n) {
  %few = urem i8 %n, 3
  %p = getelementptr ptr, ptr @table, i8 %few
  %f = load ptr, ptr %p
  %r = call i32 %f(i32 %a, i32 %b)
  %same = icmp eq ptr %f, @times
  %s = select i1 %same, i32 1, i32 %r
  ret i32 %s
}

; Memory as arguments.

%Big = type { i64, [3 x i32], i8 }
define internal i64 @changes_its_copy(ptr byval(%Big) align 8 %p, i64 %a) {
  %q = getelementptr %Big, ptr %p, i32 0, i32 1, i32 1
  %x = load i32, ptr %q
  store i32 1, ptr %q
  %y = load i32, ptr %q
  %sum = add i32 %x, %y
  %wide = sext i32 %sum to i64
  %r = add i64 %wide, %a
  ret i64 %r
}
define { i64, i32 } @by_value(i32 %a) {
  %object = alloca %Big
  store %Big { i64 1, [3 x i32] [i32 2, i32 3, i32 4], i8 5 }, ptr %object
  %q = getelementptr %Big, ptr %object, i32 0, i32 1, i32 1
  store i32 %a, ptr %q
  %x = call i64 @changes_its_copy(ptr byval(%Big) align 8 %object, i64 9)
  %y = load i32, ptr %q
  %1 = insertvalue { i64, i32 } poison, i64 %x, 0
  %2 = insertvalue { i64, i32 } %1, i32 %y, 1
  ret { i64, i32 } %2
}
define internal void @fills(ptr sret(%Big) %p, i32 %a) {
  store %Big zeroinitializer, ptr %p
  %q = getelementptr %Big, ptr %p, i32 0, i32 1, i32 2
  store i32 %a, ptr %q
  ret void
}
define i32 @returned_in_memory(i32 %a) {
  %object = alloca %Big
  call void @fills(ptr sret(%Big) %object, i32 %a)
  %q = getelementptr %Big, ptr %object, i32 0, i32 1, i32 2
  %r = load i32, ptr %q
  ret i32 %r
}

; Variable arguments, read as compiled code reads them: registers first, then memory.

%List = type { i32, i32, ptr, ptr }
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_copy.p0(ptr, ptr)
declare void @llvm.va_end.p0(ptr)
define internal i64 @next_general(ptr %list) {
entry:
  %offset = load i32, ptr %list
  %fits = icmp ule i32 %offset, 40
  br i1 %fits, label %register, label %stack
register:
  %save.field = getelementptr %List, ptr %list, i32 0, i32 3
  %save = load ptr, ptr %save.field
  %from.register = getelementptr i8, ptr %save, i32 %offset
  %after = add i32 %offset, 8
  store i32 %after, ptr %list
  br label %done
stack:
  %from.stack = call ptr @next_on_stack(ptr %list, i64 8, i64 8)
  br label %done
done:
  %place = phi ptr [ %from.register, %register ], [ %from.stack, %stack ]
  %r = load i64, ptr %place
  ret i64 %r
}
define internal double @next_float(ptr %list) {
entry:
  %field = getelementptr %List, ptr %list, i32 0, i32 1
  %offset = load i32, ptr %field
  %fits = icmp ule i32 %offset, 160
  br i1 %fits, label %register, label %stack
register:
  %save.field = getelementptr %List, ptr %list, i32 0, i32 3
  %save = load ptr, ptr %save.field
  %from.register = getelementptr i8, ptr %save, i32 %offset
  %after = add i32 %offset, 16
  store i32 %after, ptr %field
  br label %done
stack:
  %from.stack = call ptr @next_on_stack(ptr %list, i64 8, i64 8)
  br label %done
done:
  %place = phi ptr [ %from.register, %register ], [ %from.stack, %stack ]
  %r = load double, ptr %place
  ret double %r
}
define internal ptr @next_on_stack(ptr %list, i64 %size, i64 %align) {
  %field = getelementptr %List, ptr %list, i32 0, i32 2
  %next = load ptr, ptr %field
  %more = sub i64 %align, 1
  %beyond = getelementptr i8, ptr %next, i64 %more
  %mask = sub i64 0, %align
  %place = call ptr @llvm.ptrmask.p0.i64(ptr %beyond, i64 %mask)
  %after = getelementptr i8, ptr %place, i64 %size
  store ptr %after, ptr %field
  ret ptr %place
}
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)

define internal i64 @sum_general(i32 %count, ...) {
entry:
  %list = alloca %List, align 8
  %copy = alloca %List, align 8
  call void @llvm.va_start.p0(ptr %list)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %added, %loop ]
  call void @llvm.va_copy.p0(ptr %copy, ptr %list)
  %ahead = call i64 @next_general(ptr %copy)
  call void @llvm.va_end.p0(ptr %copy)
  %x = call i64 @next_general(ptr %list)
  %tripled = mul i64 %sum, 3
  %plus.ahead = add i64 %tripled, %ahead
  %added = add i64 %plus.ahead, %x
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %count
  br i1 %more, label %loop, label %done
done:
  call void @llvm.va_end.p0(ptr %list)
  ret i64 %added
}
define i64 @variadic_general(i64 %a, i64 %b, i8 %n) {
  %few = urem i8 %n, 9
  %count = zext i8 %few to i32
  %r = call i64 (i32, ...) @sum_general(i32 %count, i64 %a, i64 %b, i64 3, i64 %a, i64 5, i64 %b, i64 7, i64 %a, i64 9)
  ret i64 %r
}
define internal double @sum_mixed(i8 %named, double %also, ...) {
  %list = alloca %List, align 8
  call void @llvm.va_start.p0(ptr %list)
  %a = call double @next_float(ptr %list)
  %b = call i64 @next_general(ptr %list)
  %c.place = call ptr @next_on_stack(ptr %list, i64 16, i64 16)
  %c = load x86_fp80, ptr %c.place
  %d = call double @next_float(ptr %list)
  %e.low = call i64 @next_general(ptr %list)
  %e.high = call i64 @next_general(ptr %list)
  %f.place = call ptr @next_on_stack(ptr %list, i64 24, i64 8)
  %f = load i64, ptr %f.place
  call void @llvm.va_end.p0(ptr %list)
  %b.float = sitofp i64 %b to double
  %c.float = fptrunc x86_fp80 %c to double
  %e = xor i64 %e.low, %e.high
  %e.float = uitofp i64 %e to double
  %f.float = sitofp i64 %f to double
  %1 = fmul double %also, %a
  %2 = fadd double %1, %b.float
  %3 = fmul double %2, %c.float
  %4 = fadd double %3, %d
  %5 = fsub double %4, %e.float
  %6 = fadd double %5, %f.float
  ret double %6
}
define double @variadic_mixed(i64 %a, double %b, i128 %c) {
  %object = alloca %Big
  store %Big { i64 12345, [3 x i32] [i32 2, i32 3, i32 4], i8 5 }, ptr %object
  %r = call double (i8, double, ...) @sum_mixed(i8 1, double 2.5, double %b, i64 %a, x86_fp80 0xK4000C90FDAA22168C235, double %b, i128 %c, ptr byval(%Big) align 8 %object)
  ret double %r
}
define internal double @sum_floats(double %named, ...) {
entry:
  %list = alloca %List, align 8
  call void @llvm.va_start.p0(ptr %list)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %sum = phi double [ %named, %entry ], [ %added, %loop ]
  %x = call double @next_float(ptr %list)
  %halved = fmul double %sum, 0.5
  %added = fadd double %halved, %x
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, 10
  br i1 %more, label %loop, label %done
done:
  call void @llvm.va_end.p0(ptr %list)
  ret double %added
}
define double @variadic_floats(double %a, double %b) {
  %r = call double (double, ...) @sum_floats(double 1.0, double %a, double 2.0, double %b, double 4.0, double 5.0, double %a, double 7.0, double 8.0, double %b, double 10.0)
  ret double %r
}

; What named parameters leave of the registers.

; each $TYPES $P: i64 i64%p0 | i8,i16,i32,i64,i8,i16 i8%p0,i16%p1,i32%p2,i64%p3,i8%p4,i16%p5 | i32,i32,i32,i32,i32,i32,i32 i32%p0,i32%p1,i32%p2,i32%p3,i32%p4,i32%p5,i32%p6 | i128 i128%p0 | i64,i128 i64%p0,i128%p1 | i64,i64,i64,i64,i64,i128 i64%p0,i64%p1,i64%p2,i64%p3,i64%p4,i128%p5 | i64,i64,i64,i64,i64,i128,i64 i64%p0,i64%p1,i64%p2,i64%p3,i64%p4,i128%p5,i64%p6 | i64,i64,i64,i64,i128 i64%p0,i64%p1,i64%p2,i64%p3,i128%p4 | {i64,double} {i64,double}%p0 | x86_fp80,i32 x86_fp80%p0,i32%p1 | fp128 fp128%p0 | half,float,double half%p0,float%p1,double%p2 | double,double,double,double,double,double,double,double double%p0,double%p1,double%p2,double%p3,double%p4,double%p5,double%p6,double%p7 | double,double,double,double,double,double,double,double,double double%p0,double%p1,double%p2,double%p3,double%p4,double%p5,double%p6,double%p7,double%p8 | float,float,float,float,float,float,float,i64,i64,i64,i64,i64 float%p0,float%p1,float%p2,float%p3,float%p4,float%p5,float%p6,i64%p7,i64%p8,i64%p9,i64%p10,i64%p11 | i1,x86_fp80,i128 i1%p0,x86_fp80%p1,i128%p2 | {i32,float,x86_fp80} {i32,float,x86_fp80}%p0
define internal { i64, double, i64, double, i64 } @after_named_#($P, ...) {
  %list = alloca %List, align 8
  call void @llvm.va_start.p0(ptr %list)
  %a = call i64 @next_general(ptr %list)
  %b = call double @next_float(ptr %list)
  %c = call i64 @next_general(ptr %list)
  %d = call double @next_float(ptr %list)
  %e = call i64 @next_general(ptr %list)
  call void @llvm.va_end.p0(ptr %list)
  %1 = insertvalue { i64, double, i64, double, i64 } poison, i64 %a, 0
  %2 = insertvalue { i64, double, i64, double, i64 } %1, double %b, 1
  %3 = insertvalue { i64, double, i64, double, i64 } %2, i64 %c, 2
  %4 = insertvalue { i64, double, i64, double, i64 } %3, double %d, 3
  %5 = insertvalue { i64, double, i64, double, i64 } %4, i64 %e, 4
  ret { i64, double, i64, double, i64 } %5
}
define { i64, double, i64, double, i64 } @variadic_after_#($P, i64 %a, double %b) {
  %r = call { i64, double, i64, double, i64 } ($TYPES, ...) @after_named_#($P, i64 %a, double %b, i64 77, double 2.5, i64 %a)
  ret { i64, double, i64, double, i64 } %r
}
; end

; Wide numbers and vectors among variable arguments.

define internal i64 @halves(i32 %skipped, ...) {
entry:
  %list = alloca %List, align 8
  call void @llvm.va_start.p0(ptr %list)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %again ]
  %more = icmp ult i32 %i, %skipped
  br i1 %more, label %again, label %wide
again:
  %x = call i64 @next_general(ptr %list)
  %next = add i32 %i, 1
  br label %loop
wide:
  %taken = load i32, ptr %list
  %fits = icmp ule i32 %taken, 32
  br i1 %fits, label %registers, label %stack
registers:
  %low.register = call i64 @next_general(ptr %list)
  %high.register = call i64 @next_general(ptr %list)
  br label %done
stack:
  %place = call ptr @next_on_stack(ptr %list, i64 16, i64 16)
  %low.stack = load i64, ptr %place
  %second = getelementptr i64, ptr %place, i64 1
  %high.stack = load i64, ptr %second
  br label %done
done:
  %low = phi i64 [ %low.register, %registers ], [ %low.stack, %stack ]
  %high = phi i64 [ %high.register, %registers ], [ %high.stack, %stack ]
  %last = call i64 @next_general(ptr %list)
  %1 = mul i64 %low, 3
  %2 = add i64 %1, %high
  %3 = mul i64 %2, 5
  %r = add i64 %3, %last
  ret i64 %r
}
; (With one register left, the code generator and compiled code disagree on what follows.)
define i64 @variadic_wide(i128 %a, i64 %b) {
  %1 = call i64 (i32, ...) @halves(i32 0, i128 %a, i64 %b)
  %2 = call i64 (i32, ...) @halves(i32 3, i64 1, i64 2, i64 3, i128 %a, i64 %b)
  %3 = call i64 (i32, ...) @halves(i32 5, i64 1, i64 2, i64 3, i64 4, i64 5, i128 %a, i64 %b)
  %4 = call i64 (i32, ...) @halves(i32 6, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i128 %a, i64 %b)
  %5 = xor i64 %1, %2
  %6 = add i64 %5, %3
  %7 = xor i64 %6, %4
  ret i64 %7
}
define internal double @second_lane(i32 %named, ...) {
  %list = alloca %List, align 8
  call void @llvm.va_start.p0(ptr %list)
  %save.field = getelementptr %List, ptr %list, i32 0, i32 3
  %save = load ptr, ptr %save.field
  %field = getelementptr %List, ptr %list, i32 0, i32 1
  %offset = load i32, ptr %field
  %place = getelementptr i8, ptr %save, i32 %offset
  %second = getelementptr double, ptr %place, i64 1
  %x = load double, ptr %second
  %after = add i32 %offset, 16
  store i32 %after, ptr %field
  %y = call double @next_float(ptr %list)
  %r = fsub double %x, %y
  ret double %r
}
define double @variadic_lanes(<2 x double> %a, double %b) {
  %r = call double (i32, ...) @second_lane(i32 1, <2 x double> %a, double %b)
  ret double %r
}
define i64 @variadic_struct({ i64, double } %a, i64 %b) {
  %r = call i64 (i32, ...) @sum_general(i32 2, { i64, double } %a, i64 %b, i64 5)
  ret i64 %r
}

; Assembly that does nothing.

define i32 @barrier(i32 %a, i32 %b) {
  %p = alloca i32
  store i32 %a, ptr %p
  call void asm sideeffect "", "~{memory},~{dirflag},~{fpsr},~{flags}"()
  call void asm sideeffect "", "*m,r"(ptr elementtype(i32) %p, i32 %b)
  %x = call i32 asm "", "=r,0,~{dirflag}"(i32 %b)
  call void asm sideeffect "nop", ""()
  call void asm sideeffect "pause", ""()
  call void asm sideeffect "mfence; lfence\0A sfence", "~{memory}"()
  %y = load i32, ptr %p
  %r = sub i32 %x, %y
  ret i32 %r
}
define i64 @barrier_with_two_results(i64 %a, i64 %b) {
  %both = call { i64, i64 } asm "", "=r,=r,1,0"(i64 %a, i64 %b)
  %x = extractvalue { i64, i64 } %both, 0
  %y = extractvalue { i64, i64 } %both, 1
  %1 = mul i64 %x, 3
  %r = add i64 %1, %y
  ret i64 %r
}
