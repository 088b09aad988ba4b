; Intrinsics on integers.

; each $T: i1 | i7 | i8 | i16 | i32 | i33 | i64 | i128 | i200
; each $OP: ctpop | bitreverse
declare $T @llvm.$OP.$T($T)
define $T @$OP_$T($T %a) {
  %r = call $T @llvm.$OP.$T($T %a)
  ret $T %r
}
; end
; each $OP: ctlz | cttz
declare $T @llvm.$OP.$T($T, i1)
define $T @$OP_$T($T %a) {
  %r = call $T @llvm.$OP.$T($T %a, i1 false)
  ret $T %r
}
define $T @$OP_$T_of_nonzero($T %a) {
  %zero = icmp eq $T %a, 0
  %some = select i1 %zero, $T 1, $T %a
  %r = call $T @llvm.$OP.$T($T %some, i1 true)
  ret $T %r
}
; end
; each $OP: smin | smax | umin | umax
declare $T @llvm.$OP.$T($T, $T)
define $T @$OP_$T($T %a, $T %b) {
  %r = call $T @llvm.$OP.$T($T %a, $T %b)
  ret $T %r
}
; end
; each $OP: sadd | uadd | ssub | usub
declare $T @llvm.$OP.sat.$T($T, $T)
declare { $T, i1 } @llvm.$OP.with.overflow.$T($T, $T)
define $T @$OP_sat_$T($T %a, $T %b) {
  %r = call $T @llvm.$OP.sat.$T($T %a, $T %b)
  ret $T %r
}
define { $T, i1 } @$OP_with_overflow_$T($T %a, $T %b) {
  %r = call { $T, i1 } @llvm.$OP.with.overflow.$T($T %a, $T %b)
  ret { $T, i1 } %r
}
; end
; each $OP: scmp | ucmp
declare i8 @llvm.$OP.i8.$T($T, $T)
declare i200 @llvm.$OP.i200.$T($T, $T)
define i8 @$OP_$T($T %a, $T %b) {
  %r = call i8 @llvm.$OP.i8.$T($T %a, $T %b)
  ret i8 %r
}
define i200 @$OP_wide_$T($T %a, $T %b) {
  %r = call i200 @llvm.$OP.i200.$T($T %a, $T %b)
  ret i200 %r
}
; end
declare $T @llvm.abs.$T($T, i1)
define $T @abs_$T($T %a) {
  %r = call $T @llvm.abs.$T($T %a, i1 false)
  ret $T %r
}
; end

; The code generator does not have these in 200 bits.
; each $T: i1 | i7 | i8 | i16 | i32 | i33 | i64 | i128
; each $OP: fshl | fshr
declare $T @llvm.$OP.$T($T, $T, $T)
define $T @$OP_$T($T %a, $T %b, $T %c) {
  %r = call $T @llvm.$OP.$T($T %a, $T %b, $T %c)
  ret $T %r
}
; end
; each $OP: smul | umul
declare { $T, i1 } @llvm.$OP.with.overflow.$T($T, $T)
define { $T, i1 } @$OP_with_overflow_$T($T %a, $T %b) {
  %r = call { $T, i1 } @llvm.$OP.with.overflow.$T($T %a, $T %b)
  ret { $T, i1 } %r
}
; end
; end

; each $T: i7 | i8 | i32 | i64 | i128 | i200
define $T @abs_$T_that_fits($T %a) {
  %third = sdiv $T %a, 3
  %r = call $T @llvm.abs.$T($T %third, i1 true)
  ret $T %r
}
; end

; each $T $MOST: i7 3 | i8 7 | i16 15 | i32 31 | i33 31 | i64 63 | i128 127 | i200 127
; each $OP: sshl | ushl
declare $T @llvm.$OP.sat.$T($T, $T)
define $T @$OP_sat_$T($T %a, $T %b) {
  %amount = and $T %b, $MOST
  %r = call $T @llvm.$OP.sat.$T($T %a, $T %amount)
  ret $T %r
}
; end
; end

; each $T: i16 | i32 | i48 | i64 | i128 | i208
declare $T @llvm.bswap.$T($T)
define $T @bswap_$T($T %a) {
  %r = call $T @llvm.bswap.$T($T %a)
  ret $T %r
}
; end

; Lane by lane.

; each $OP: ctpop | bitreverse | bswap
declare <4 x i32> @llvm.$OP.v4i32(<4 x i32>)
define <4 x i32> @$OP_lanes(<4 x i32> %a) {
  %r = call <4 x i32> @llvm.$OP.v4i32(<4 x i32> %a)
  ret <4 x i32> %r
}
; end
; each $OP: ctlz | cttz | abs
declare <4 x i32> @llvm.$OP.v4i32(<4 x i32>, i1)
define <4 x i32> @$OP_lanes(<4 x i32> %a) {
  %r = call <4 x i32> @llvm.$OP.v4i32(<4 x i32> %a, i1 false)
  ret <4 x i32> %r
}
; end
; each $OP: smin | smax | umin | umax | sadd.sat | uadd.sat | ssub.sat | usub.sat
declare <4 x i32> @llvm.$OP.v4i32(<4 x i32>, <4 x i32>)
declare <3 x i16> @llvm.$OP.v3i16(<3 x i16>, <3 x i16>)
define <4 x i32> @$OP_lanes(<4 x i32> %a, <4 x i32> %b) {
  %r = call <4 x i32> @llvm.$OP.v4i32(<4 x i32> %a, <4 x i32> %b)
  ret <4 x i32> %r
}
define <3 x i16> @$OP_three_lanes(<3 x i16> %a, <3 x i16> %b) {
  %r = call <3 x i16> @llvm.$OP.v3i16(<3 x i16> %a, <3 x i16> %b)
  ret <3 x i16> %r
}
; end
; each $OP: sshl | ushl
declare <4 x i32> @llvm.$OP.sat.v4i32(<4 x i32>, <4 x i32>)
define <4 x i32> @$OP_sat_lanes(<4 x i32> %a, <4 x i32> %b) {
  %amounts = and <4 x i32> %b, splat (i32 31)
  %r = call <4 x i32> @llvm.$OP.sat.v4i32(<4 x i32> %a, <4 x i32> %amounts)
  ret <4 x i32> %r
}
; end
; each $OP: fshl | fshr
declare <4 x i32> @llvm.$OP.v4i32(<4 x i32>, <4 x i32>, <4 x i32>)
define <4 x i32> @$OP_lanes(<4 x i32> %a, <4 x i32> %b, <4 x i32> %c) {
  %r = call <4 x i32> @llvm.$OP.v4i32(<4 x i32> %a, <4 x i32> %b, <4 x i32> %c)
  ret <4 x i32> %r
}
; end
; each $OP: sadd | uadd | ssub | usub | smul | umul
declare { <4 x i32>, <4 x i1> } @llvm.$OP.with.overflow.v4i32(<4 x i32>, <4 x i32>)
define { <4 x i32>, <4 x i1> } @$OP_with_overflow_lanes(<4 x i32> %a, <4 x i32> %b) {
  %r = call { <4 x i32>, <4 x i1> } @llvm.$OP.with.overflow.v4i32(<4 x i32> %a, <4 x i32> %b)
  ret { <4 x i32>, <4 x i1> } %r
}
; end
; each $OP: scmp | ucmp
declare <4 x i8> @llvm.$OP.v4i8.v4i32(<4 x i32>, <4 x i32>)
define <4 x i8> @$OP_lanes(<4 x i32> %a, <4 x i32> %b) {
  %r = call <4 x i8> @llvm.$OP.v4i8.v4i32(<4 x i32> %a, <4 x i32> %b)
  ret <4 x i8> %r
}
; end
