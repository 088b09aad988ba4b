; Integer arithmetic, comparisons and casts. Divisors are made odd and shift amounts small where
; the inputs would be undefined.

; each $T: i1 | i7 | i8 | i16 | i24 | i32 | i33 | i64 | i128 | i200
; each $OP: add | sub | mul | and | or | xor
define $T @$OP_$T($T %a, $T %b) {
  %r = $OP $T %a, %b
  ret $T %r
}
; end
; each $OP: udiv | urem
define $T @$OP_$T($T %a, $T %b) {
  %divisor = or $T %b, 1
  %r = $OP $T %a, %divisor
  ret $T %r
}
; end
; end

; each $T $MOST: i7 3 | i8 7 | i16 15 | i24 15 | i32 31 | i33 31 | i64 63 | i128 127 | i200 127
; each $OP: sdiv | srem
define $T @$OP_$T($T %a, $T %b) {
  %divisor = or $T %b, 3
  %overflows = icmp eq $T %divisor, -1
  %safe = select i1 %overflows, $T -5, $T %divisor
  %r = $OP $T %a, %safe
  ret $T %r
}
; end
; each $OP: shl | lshr | ashr
define $T @$OP_$T($T %a, $T %b) {
  %amount = and $T %b, $MOST
  %r = $OP $T %a, %amount
  ret $T %r
}
; end
; end

; each $T: i32 | i64 | i128 | i200
define { $T, $T } @divide_by_minus_one_$T($T %a) {
  %half = ashr $T %a, 1
  %quotient = sdiv $T %half, -1
  %rest = srem $T %half, -1
  %1 = insertvalue { $T, $T } poison, $T %quotient, 0
  %2 = insertvalue { $T, $T } %1, $T %rest, 1
  ret { $T, $T } %2
}
; end

; Amounts that the table of inputs does not have.
; each $T $BITS: i32 32 | i64 64 | i128 128 | i200 200
; each $OP: shl | lshr | ashr
define $T @$OP_$T_far($T %a, i8 %b) {
  %some = urem i8 %b, $BITS
  %amount = zext i8 %some to $T
  %r = $OP $T %a, %amount
  ret $T %r
}
; end
; end

define i64 @constants_i64(i64 %a) {
  %1 = add i64 %a, 81985529216486895
  %2 = mul i64 %1, -7046029254386353131
  %3 = udiv i64 %2, 1000000007
  %4 = sub i64 1, %3
  %5 = sdiv i64 %4, -3
  %6 = lshr i64 -1, 5
  %7 = xor i64 %5, %6
  ret i64 %7
}
define i128 @constants_i128(i128 %a) {
  %1 = add i128 %a, 170141183460469231731687303715884105727
  %2 = mul i128 %1, -98765432109876543210987654321
  %3 = udiv i128 %2, 18446744073709551629
  %4 = sub i128 -170141183460469231731687303715884105728, %3
  %5 = xor i128 %4, -1
  ret i128 %5
}

; Promises that are kept: the operands come from narrower types or are made to fit.

define i64 @no_signed_wrap(i32 %a, i32 %b) {
  %x = sext i32 %a to i64
  %y = sext i32 %b to i64
  %1 = add nsw i64 %x, %y
  %2 = sub nsw i64 %1, %x
  %3 = mul nsw i64 %x, %y
  %4 = shl nsw i64 %y, 31
  %5 = xor i64 %2, %3
  %6 = xor i64 %5, %4
  ret i64 %6
}
define i64 @no_unsigned_wrap(i32 %a, i32 %b) {
  %x = zext i32 %a to i64
  %y = zext i32 %b to i64
  %1 = add nuw i64 %x, %y
  %2 = sub nuw i64 %1, %x
  %3 = mul nuw i64 %x, %y
  %4 = shl nuw nsw i64 %y, 31
  %5 = xor i64 %2, %3
  %6 = xor i64 %5, %4
  ret i64 %6
}
define i64 @exact(i64 %a) {
  %x = and i64 %a, -16
  %1 = udiv exact i64 %x, 16
  %2 = sdiv exact i64 %x, -8
  %3 = lshr exact i64 %x, 4
  %4 = ashr exact i64 %x, 3
  %5 = add i64 %1, %2
  %6 = add i64 %3, %4
  %7 = mul i64 %5, %6
  ret i64 %7
}
define i32 @disjoint(i32 %a, i32 %b) {
  %x = and i32 %a, 65535
  %y = and i32 %b, -65536
  %r = or disjoint i32 %x, %y
  ret i32 %r
}

; each $T: i1 | i8 | i32 | i33 | i64 | i128 | i200
; each $OP: eq | ne | ugt | uge | ult | ule | sgt | sge | slt | sle
define i1 @icmp_$OP_$T($T %a, $T %b) {
  %r = icmp $OP $T %a, %b
  ret i1 %r
}
; end
; end

; each $OP: zext | sext
; each $A $B: i1 i8 | i1 i64 | i7 i33 | i8 i32 | i32 i64 | i33 i128 | i64 i128 | i64 i200 | i128 i200
define $B @$OP_$A_$B($A %a) {
  %r = $OP $A %a to $B
  ret $B %r
}
; end
; end
; each $A $B: i8 i1 | i64 i1 | i64 i7 | i64 i32 | i64 i33 | i128 i64 | i128 i33 | i200 i128 | i200 i64 | i200 i1
define $B @trunc_$A_$B($A %a) {
  %r = trunc $A %a to $B
  ret $B %r
}
; end
define i64 @zext_nneg(i32 %a) {
  %x = and i32 %a, 2147483647
  %r = zext nneg i32 %x to i64
  ret i64 %r
}
define i16 @trunc_kept(i32 %a) {
  %x = and i32 %a, 32767
  %r = trunc nuw nsw i32 %x to i16
  ret i16 %r
}

; Numbers as pointers.

; each $T: i32 | i64 | i128
define $T @pointer_and_back_$T($T %a) {
  %p = inttoptr $T %a to ptr
  %r = ptrtoint ptr %p to $T
  ret $T %r
}
; end
define i64 @narrow_pointer(i32 %a) {
  %p = inttoptr i32 %a to ptr
  %q = getelementptr i8, ptr %p, i64 4294967297
  %r = ptrtoint ptr %q to i64
  ret i64 %r
}
; each $OP: eq | ne | ugt | uge | ult | ule | sgt | sge | slt | sle
define i1 @icmp_$OP_ptr(i64 %a, i64 %b) {
  %p = inttoptr i64 %a to ptr
  %q = inttoptr i64 %b to ptr
  %r = icmp $OP ptr %p, %q
  ret i1 %r
}
; end
define i64 @address_spaces(i64 %a) {
  %p = inttoptr i64 %a to ptr
  %q = addrspacecast ptr %p to ptr addrspace(1)
  %s = addrspacecast ptr addrspace(1) %q to ptr
  %r = ptrtoint ptr %s to i64
  ret i64 %r
}

; each $T: i1 | i32 | i128 | i200 | double | x86_fp80 | { i8, i64 } | [2 x i16]
define $T @select_#($T %a, $T %b, i1 %c) {
  %r = select i1 %c, $T %a, $T %b
  ret $T %r
}
; end
; each $T: i1 | i32 | i200 | float | { i8, i64 }
define $T @freeze_#($T %a) {
  %r = freeze $T %a
  ret $T %r
}
; end
define i1 @freeze_is_one_value() {
  %x = freeze i32 undef
  %y = xor i32 %x, %x
  %r = icmp eq i32 %y, 0
  ret i1 %r
}

; Shifts are checked by default in functions that the compiler was told not to optimise.
; each $OP: shl | lshr | ashr
define i32 @$OP_unoptimized(i32 %a, i32 %b) noinline optnone {
  %amount = and i32 %b, 31
  %r = $OP i32 %a, %amount
  ret i32 %r
}
; end
