; Intrinsics on floating-point numbers.

; each $T: half | float | double | x86_fp80
; each $OP: sqrt | floor | ceil | trunc | rint | nearbyint | roundeven | round
declare $T @llvm.$OP.$T($T)
define $T @$OP_$T($T %a) {
  %r = call $T @llvm.$OP.$T($T %a)
  ret $T %r
}
; end
declare $T @llvm.fma.$T($T, $T, $T)
define $T @fma_$T($T %a, $T %b, $T %c) {
  %r = call $T @llvm.fma.$T($T %a, $T %b, $T %c)
  ret $T %r
}
; end

; each $T: half | bfloat | float | double | x86_fp80 | fp128
; each $OP: minnum | maxnum
declare $T @llvm.$OP.$T($T, $T)
define $T @$OP_$T($T %a, $T %b) {
  %r = call $T @llvm.$OP.$T($T %a, $T %b)
  %plus = fadd $T %r, zeroinitializer
  ret $T %plus
}
; end
declare $T @llvm.fabs.$T($T)
define $T @fabs_$T($T %a) {
  %r = call $T @llvm.fabs.$T($T %a)
  ret $T %r
}
declare $T @llvm.copysign.$T($T, $T)
define $T @copysign_$T($T %a, $T %b) {
  %r = call $T @llvm.copysign.$T($T %a, $T %b)
  ret $T %r
}
declare $T @llvm.fmuladd.$T($T, $T, $T)
define $T @fmuladd_$T($T %a, $T %b, $T %c) {
  %r = call $T @llvm.fmuladd.$T($T %a, $T %b, $T %c)
  ret $T %r
}
declare $T @llvm.arithmetic.fence.$T($T)
define $T @arithmetic_fence_$T($T %a, $T %b) {
  %x = fadd fast $T %a, %b
  %y = call $T @llvm.arithmetic.fence.$T($T %x)
  %nan = fcmp uno $T %a, %b
  %r = select i1 %nan, $T %a, $T %y
  ret $T %r
}
; end

; each $T: float | double
; each $OP: minimum | maximum
declare $T @llvm.$OP.$T($T, $T)
define $T @$OP_$T($T %a, $T %b) {
  %r = call $T @llvm.$OP.$T($T %a, $T %b)
  ret $T %r
}
; end
; each $OP: sin | cos | tan | asin | acos | atan | sinh | cosh | tanh | exp | exp2 | log | log2 | log10
declare $T @llvm.$OP.$T($T)
define $T @$OP_$T($T %a) {
  %r = call $T @llvm.$OP.$T($T %a)
  ret $T %r
}
; end
declare $T @llvm.pow.$T($T, $T)
define $T @pow_$T($T %a, $T %b) {
  %r = call $T @llvm.pow.$T($T %a, $T %b)
  ret $T %r
}
; each $I: i32
declare $T @llvm.powi.$T.$I($T, $I)
define $T @powi_$T_$I($T %a, i8 %n) {
  %m = sext i8 %n to $I
  %r = call $T @llvm.powi.$T.$I($T %a, $I %m)
  ret $T %r
}
declare $T @llvm.ldexp.$T.$I($T, $I)
define $T @ldexp_$T_$I($T %a, $I %n) {
  %r = call $T @llvm.ldexp.$T.$I($T %a, $I %n)
  ret $T %r
}
declare { $T, $I } @llvm.frexp.$T.$I($T)
define { $T, $I } @frexp_$T_$I($T %a) {
  %x = call $T @llvm.fabs.$T($T %a)
  %finite = fcmp olt $T %x, 0x7FF0000000000000
  %safe = select i1 %finite, $T %a, $T 1.0
  %r = call { $T, $I } @llvm.frexp.$T.$I($T %safe)
  ret { $T, $I } %r
}
; end
; each $OP: lrint | llrint | lround | llround
declare i64 @llvm.$OP.i64.$T($T)
define i64 @$OP_$T($T %a) {
  %x = call $T @llvm.fabs.$T($T %a)
  %fits = fcmp olt $T %x, 0x41F0000000000000
  %safe = select i1 %fits, $T %a, $T 2.5
  %r = call i64 @llvm.$OP.i64.$T($T %safe)
  ret i64 %r
}
; end
; end

; The library has no functions of half numbers: the next format serves.
; each $OP: sin | cos | exp | exp2 | log | log2 | log10
declare half @llvm.$OP.half(half)
define half @$OP_half(half %a) {
  %r = call half @llvm.$OP.half(half %a)
  ret half %r
}
; end
declare half @llvm.pow.half(half, half)
define half @pow_half(half %a, half %b) {
  %r = call half @llvm.pow.half(half %a, half %b)
  ret half %r
}
declare half @llvm.powi.f16.i32(half, i32)
define half @powi_half(half %a, i8 %n) {
  %few = srem i8 %n, 5
  %m = sext i8 %few to i32
  %r = call half @llvm.powi.f16.i32(half %a, i32 %m)
  ret half %r
}
; each $OP: minimum | maximum
declare half @llvm.$OP.half(half, half)
define half @$OP_half(half %a, half %b) {
  %r = call half @llvm.$OP.half(half %a, half %b)
  ret half %r
}
; end
; each $T: x86_fp80 | fp128
; each $I: i8 | i32 | i64 | i128
; each $OP: fptosi | fptoui
declare $I @llvm.$OP.sat.$I.$T($T)
define $I @$OP_sat_$T_$I($T %a) {
  %r = call $I @llvm.$OP.sat.$I.$T($T %a)
  ret $I %r
}
; end
; end
; end
; each $OP: floor | ceil | trunc | rint | nearbyint | round | sqrt
declare bfloat @llvm.$OP.bfloat(bfloat)
define bfloat @$OP_bfloat(bfloat %a) {
  %r = call bfloat @llvm.$OP.bfloat(bfloat %a)
  ret bfloat %r
}
; end

declare i32 @llvm.lrint.i32.double(double)
define i32 @lrint_i32(i32 %a) {
  %x = sitofp i32 %a to double
  %y = fmul double %x, 0.25
  %r = call i32 @llvm.lrint.i32.double(double %y)
  ret i32 %r
}

; All classes of numbers, and sets of them.
; each $T: half | bfloat | float | double | x86_fp80 | fp128
declare i1 @llvm.is.fpclass.$T($T, i32)
; each $CLASS: 1 | 2 | 3 | 4 | 8 | 16 | 32 | 64 | 96 | 128 | 144 | 256 | 264 | 504 | 512 | 516 | 1023
define i1 @is_fpclass_$CLASS_$T($T %a) {
  %r = call i1 @llvm.is.fpclass.$T($T %a, i32 $CLASS)
  ret i1 %r
}
; end
; end
define i1 @is_fpclass_of_bits(i64 %a) {
  %x = bitcast i64 %a to double
  %r = call i1 @llvm.is.fpclass.double(double %x, i32 1)
  ret i1 %r
}

; each $T: half | float | double
; each $I: i1 | i8 | i16 | i32 | i64 | i128
; each $OP: fptosi | fptoui
declare $I @llvm.$OP.sat.$I.$T($T)
define $I @$OP_sat_$T_$I($T %a) {
  %r = call $I @llvm.$OP.sat.$I.$T($T %a)
  ret $I %r
}
; end
; end
; end

; Lanes.

; each $OP: sqrt | floor | ceil | trunc | rint | nearbyint | roundeven | round | fabs | sin | exp
declare <4 x float> @llvm.$OP.v4f32(<4 x float>)
define <4 x float> @$OP_lanes(<4 x float> %a) {
  %r = call <4 x float> @llvm.$OP.v4f32(<4 x float> %a)
  ret <4 x float> %r
}
; end
; each $OP: minimum | maximum | copysign | pow
declare <2 x double> @llvm.$OP.v2f64(<2 x double>, <2 x double>)
define <2 x double> @$OP_lanes(<2 x double> %a, <2 x double> %b) {
  %r = call <2 x double> @llvm.$OP.v2f64(<2 x double> %a, <2 x double> %b)
  ret <2 x double> %r
}
; end
; each $OP: fma | fmuladd
declare <2 x double> @llvm.$OP.v2f64(<2 x double>, <2 x double>, <2 x double>)
define <2 x double> @$OP_lanes(<2 x double> %a, <2 x double> %b, <2 x double> %c) {
  %r = call <2 x double> @llvm.$OP.v2f64(<2 x double> %a, <2 x double> %b, <2 x double> %c)
  ret <2 x double> %r
}
; end
declare <4 x i1> @llvm.is.fpclass.v4f32(<4 x float>, i32)
define <4 x i1> @is_fpclass_lanes(<4 x float> %a) {
  %r = call <4 x i1> @llvm.is.fpclass.v4f32(<4 x float> %a, i32 783)
  ret <4 x i1> %r
}
declare <4 x i32> @llvm.fptosi.sat.v4i32.v4f32(<4 x float>)
define <4 x i32> @fptosi_sat_lanes(<4 x float> %a) {
  %r = call <4 x i32> @llvm.fptosi.sat.v4i32.v4f32(<4 x float> %a)
  ret <4 x i32> %r
}
declare <2 x double> @llvm.powi.v2f64.i32(<2 x double>, i32)
define <2 x double> @powi_lanes(<2 x double> %a, i8 %n) {
  %m = sext i8 %n to i32
  %r = call <2 x double> @llvm.powi.v2f64.i32(<2 x double> %a, i32 %m)
  ret <2 x double> %r
}
declare { <4 x float>, <4 x i32> } @llvm.frexp.v4f32.v4i32(<4 x float>)
define { <4 x float>, <4 x i32> } @frexp_lanes(<4 x i32> %a) {
  %x = sitofp <4 x i32> %a to <4 x float>
  %r = call { <4 x float>, <4 x i32> } @llvm.frexp.v4f32.v4i32(<4 x float> %x)
  ret { <4 x float>, <4 x i32> } %r
}
declare <4 x float> @llvm.ldexp.v4f32.v4i32(<4 x float>, <4 x i32>)
define <4 x float> @ldexp_lanes(<4 x float> %a, <4 x i32> %n) {
  %r = call <4 x float> @llvm.ldexp.v4f32.v4i32(<4 x float> %a, <4 x i32> %n)
  ret <4 x float> %r
}
declare <2 x i64> @llvm.lrint.v2i64.v2f64(<2 x double>)
define <2 x i64> @lrint_lanes(<2 x i32> %a) {
  %x = sitofp <2 x i32> %a to <2 x double>
  %y = fmul <2 x double> %x, splat (double 0.25)
  %r = call <2 x i64> @llvm.lrint.v2i64.v2f64(<2 x double> %y)
  ret <2 x i64> %r
}
