; Promises to the compiler that hold if the program has one argument and are broken if it has two.
; The results make no difference, so it is only seen if one looks. A signed overflow is an error where the result is used: there a branch
; depends on it, with one way.

; each $T $LESS: i8 126 | i32 2147483646 | i64 9223372036854775806 | i128 170141183460469231731687303715884105726
; broken: signed overflow
define i32 @add_nsw_$T(i32 %n) {
  %m = zext i32 %n to i256
  %x = trunc i256 %m to $T
  %r = add nsw $T $LESS, %x
  %is = icmp eq $T %r, 0
  br i1 %is, label %end, label %end
end:
  ret i32 0
}
; broken: signed overflow
define i32 @sub_nsw_$T(i32 %n) {
  %m = zext i32 %n to i256
  %x = trunc i256 %m to $T
  %least = xor $T $LESS, -1
  %r = sub nsw $T %least, %x
  %is = icmp eq $T %r, 0
  br i1 %is, label %end, label %end
end:
  ret i32 0
}
; broken: signed overflow
define i32 @mul_nsw_$T(i32 %n) {
  %m = zext i32 %n to i256
  %x = trunc i256 %m to $T
  %r = mul nsw $T $LESS, %x
  %is = icmp eq $T %r, 0
  br i1 %is, label %end, label %end
end:
  ret i32 0
}
; broken: signed overflow
define i32 @shl_nsw_$T(i32 %n) {
  %m = zext i32 %n to i256
  %x = trunc i256 %m to $T
  %amount = sub $T %x, 1
  %r = shl nsw $T $LESS, %amount
  %is = icmp eq $T %r, 0
  br i1 %is, label %end, label %end
end:
  ret i32 0
}
; broken: unsigned overflow
define i32 @add_nuw_$T(i32 %n) {
  %m = zext i32 %n to i256
  %x = trunc i256 %m to $T
  %r = add nuw $T -2, %x
  ret i32 0
}
; broken: unsigned overflow
define i32 @sub_nuw_$T(i32 %n) {
  %m = zext i32 %n to i256
  %x = trunc i256 %m to $T
  %r = sub nuw $T 1, %x
  ret i32 0
}
; broken: unsigned overflow
define i32 @mul_nuw_$T(i32 %n) {
  %m = zext i32 %n to i256
  %x = trunc i256 %m to $T
  %r = mul nuw $T -2, %x
  ret i32 0
}
; broken: unsigned overflow
define i32 @shl_nuw_$T(i32 %n) {
  %m = zext i32 %n to i256
  %x = trunc i256 %m to $T
  %amount = sub $T %x, 1
  %r = shl nuw $T -1, %amount
  ret i32 0
}
; each $OP: udiv | sdiv
; broken: bits are lost
define i32 @$OP_exact_$T(i32 %n) {
  %m = zext i32 %n to i256
  %x = trunc i256 %m to $T
  %r = $OP exact $T -7, %x
  ret i32 0
}
; end
; each $OP: lshr | ashr
; broken: bits are lost
define i32 @$OP_exact_$T(i32 %n) {
  %m = zext i32 %n to i256
  %x = trunc i256 %m to $T
  %amount = sub $T %x, 1
  %r = $OP exact $T -7, %amount
  ret i32 0
}
; end
; end

; each $T $BITS: i8 8 | i32 32 | i33 33 | i64 64 | i128 128
; each $OP: shl | lshr | ashr
; broken: shift by the width or more
define i32 @far_$OP_$T(i32 %n) {
  %m = zext i32 %n to i256
  %x = trunc i256 %m to $T
  %near = sub $T $BITS, 2
  %amount = add $T %near, %x
  %r = $OP $T 5, %amount
  ret i32 0
}
; end
; end

; broken: signed overflow
define i32 @second_lane(i32 %n) {
  %v = insertelement <2 x i32> <i32 0, i32 0>, i32 %n, i64 1
  %r = add nsw <2 x i32> %v, <i32 5, i32 2147483646>
  %one = extractelement <2 x i32> %r, i32 1
  %is = icmp eq i32 %one, 0
  br i1 %is, label %end, label %end
end:
  ret i32 0
}

; broken: pointer arithmetic overflows
define i32 @around_the_end(i32 %n) {
  %p = getelementptr inbounds i8, ptr inttoptr (i64 -2 to ptr), i32 %n
  ret i32 0
}
; broken: pointer arithmetic overflows
define i32 @before_the_start(i32 %n) {
  %back = sub i32 0, %n
  %p = getelementptr inbounds i32, ptr inttoptr (i64 4 to ptr), i32 %back
  ret i32 0
}

declare void @llvm.assume(i1)
; broken: an assumption is false
define i32 @assumed(i32 %n) {
  %few = icmp ult i32 %n, 2
  call void @llvm.assume(i1 %few)
  ret i32 0
}
