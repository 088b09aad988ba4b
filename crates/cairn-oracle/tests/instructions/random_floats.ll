; Floating-point operations on many random numbers. Each snippet folds its results into one word;
; what is not a number counts as zero. The second operand has an exponent near the first one's, so
; that digits meet.

; The next random word.
define internal i64 @next(i64 %s) {
  %1 = shl i64 %s, 13
  %2 = xor i64 %s, %1
  %3 = lshr i64 %2, 7
  %4 = xor i64 %2, %3
  %5 = shl i64 %4, 17
  %6 = xor i64 %4, %5
  ret i64 %6
}
; 128 random bits of a word.
define internal i128 @spread(i64 %s, i128 %by) {
  %1 = zext i64 %s to i128
  %2 = mul i128 %1, %by
  %3 = lshr i128 %2, 41
  %4 = xor i128 %2, %3
  %5 = mul i128 %4, u0x9E3779B97F4A7C15F39CC0605CEDC835
  %6 = lshr i128 %5, 64
  %7 = xor i128 %5, %6
  ret i128 %7
}

; each $T $I $NEAR $SET: half i16 u0xFFF 0 | bfloat i16 u0x7FF 0 | float i32 u0x7FFFFFF 0 | double i64 u0xFFFFFFFFFFFFFF 0 | x86_fp80 i80 u0xFFFFFFFFFFFFFFFFF u0x8000000000000000 | fp128 i128 u0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFF 0
define internal $T @first_$T(i64 %s) {
  %wide = call i128 @spread(i64 %s, i128 u0xD1B54A32D192ED03AEF17502108EF2D9)
  %wider = zext i128 %wide to i256
  %some = trunc i256 %wider to $I
  %bits = or $I %some, $SET
  %r = bitcast $I %bits to $T
  ret $T %r
}
define internal $T @near_$T($T %a, i64 %s) {
  %wide = call i128 @spread(i64 %s, i128 u0x2545F4914F6CDD1DDA942042E4DD58B5)
  %wider = zext i128 %wide to i256
  %some = trunc i256 %wider to $I
  %change = and $I %some, $NEAR
  %bits.a = bitcast $T %a to $I
  %changed = xor $I %bits.a, %change
  %bits = or $I %changed, $SET
  %r = bitcast $I %bits to $T
  ret $T %r
}
define internal i64 @fold_$T(i64 %sum, $T %x) {
  %nan = fcmp uno $T %x, %x
  %number = select i1 %nan, $T zeroinitializer, $T %x
  %bits = bitcast $T %number to $I
  %wide = zext $I %bits to i256
  %low = trunc i256 %wide to i64
  %up = lshr i256 %wide, 64
  %high = trunc i256 %up to i64
  %1 = mul i64 %sum, 6364136223846793005
  %2 = add i64 %1, %low
  %3 = mul i64 %2, 6364136223846793005
  %4 = add i64 %3, %high
  ret i64 %4
}
; end

; each $OP $T: fadd half | fsub half | fmul half | fdiv half | fadd bfloat | fmul bfloat | fdiv bfloat | fadd float | fsub float | fmul float | fdiv float | frem float | fadd double | fsub double | fmul double | fdiv double | frem double | fadd x86_fp80 | fsub x86_fp80 | fmul x86_fp80 | fdiv x86_fp80 | frem x86_fp80 | fadd fp128 | fsub fp128 | fmul fp128 | fdiv fp128
define i64 @many_$OP_$T(i64 %seed) {
entry:
  %start = add i64 %seed, 88172645463325252
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %s = phi i64 [ %start, %entry ], [ %s.next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %loop ]
  %a = call $T @first_$T(i64 %s)
  %b = call $T @near_$T($T %a, i64 %s)
  %r = $OP $T %a, %b
  %sum.next = call i64 @fold_$T(i64 %sum, $T %r)
  %s.next = call i64 @next(i64 %s)
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, 300
  br i1 %more, label %loop, label %done
done:
  ret i64 %sum.next
}
; end

; each $T: float | double | x86_fp80
declare $T @llvm.fma.$T($T, $T, $T)
declare $T @llvm.sqrt.$T($T)
define i64 @many_fma_$T(i64 %seed) {
entry:
  %start = add i64 %seed, 88172645463325252
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %s = phi i64 [ %start, %entry ], [ %s.next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %sum.2, %loop ]
  %a = call $T @first_$T(i64 %s)
  %one = sitofp i32 1 to $T
  %b = call $T @near_$T($T %one, i64 %s)
  %s.next = call i64 @next(i64 %s)
  %c = call $T @near_$T($T %a, i64 %s.next)
  %r = call $T @llvm.fma.$T($T %a, $T %b, $T %c)
  %sum.1 = call i64 @fold_$T(i64 %sum, $T %r)
  %q = call $T @llvm.sqrt.$T($T %a)
  %sum.2 = call i64 @fold_$T(i64 %sum.1, $T %q)
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, 300
  br i1 %more, label %loop, label %done
done:
  ret i64 %sum.2
}
; end

; each $A $B: double float | double half | float half | float bfloat | double bfloat | x86_fp80 double | x86_fp80 float | fp128 x86_fp80 | fp128 double | fp128 float
define i64 @many_conversions_$A_$B(i64 %seed) {
entry:
  %start = add i64 %seed, 88172645463325252
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %s = phi i64 [ %start, %entry ], [ %s.next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %sum.3, %loop ]
  %one = sitofp i32 1 to $A
  %a = call $A @near_$A($A %one, i64 %s)
  %x = fptrunc $A %a to $B
  %sum.1 = call i64 @fold_$B(i64 %sum, $B %x)
  %y = fpext $B %x to $A
  %difference = fsub $A %a, %y
  %sum.2 = call i64 @fold_$A(i64 %sum.1, $A %difference)
  %z = sitofp i64 %s to $B
  %sum.3 = call i64 @fold_$B(i64 %sum.2, $B %z)
  %s.next = call i64 @next(i64 %s)
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, 300
  br i1 %more, label %loop, label %done
done:
  ret i64 %sum.3
}
; end
