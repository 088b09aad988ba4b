; Floating-point operations with stated rounding and exceptions.

; each $T: float | double
; each $OP: fadd | fsub | fmul | fdiv | frem | pow
declare $T @llvm.experimental.constrained.$OP.$T($T, $T, metadata, metadata)
define $T @$OP_$T($T %a, $T %b) strictfp {
  %r = call $T @llvm.experimental.constrained.$OP.$T($T %a, $T %b, metadata !"round.tonearest", metadata !"fpexcept.ignore") strictfp
  ret $T %r
}
; end
; each $OP: minnum | maxnum
declare $T @llvm.experimental.constrained.$OP.$T($T, $T, metadata)
define $T @$OP_$T($T %a, $T %b) strictfp {
  %x = call $T @llvm.experimental.constrained.$OP.$T($T %a, $T %b, metadata !"fpexcept.strict") strictfp
  %r = call $T @llvm.experimental.constrained.fadd.$T($T %x, $T 0.0, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  ret $T %r
}
; end
; each $OP: sqrt | rint | nearbyint | sin | cos | tan | exp | exp2 | log | log2 | log10
declare $T @llvm.experimental.constrained.$OP.$T($T, metadata, metadata)
define $T @$OP_$T($T %a) strictfp {
  %r = call $T @llvm.experimental.constrained.$OP.$T($T %a, metadata !"round.dynamic", metadata !"fpexcept.maytrap") strictfp
  ret $T %r
}
; end
; each $OP: floor | ceil | trunc | round | roundeven
declare $T @llvm.experimental.constrained.$OP.$T($T, metadata)
define $T @$OP_$T($T %a) strictfp {
  %r = call $T @llvm.experimental.constrained.$OP.$T($T %a, metadata !"fpexcept.strict") strictfp
  ret $T %r
}
; end
; each $OP: fma | fmuladd
declare $T @llvm.experimental.constrained.$OP.$T($T, $T, $T, metadata, metadata)
define $T @$OP_$T($T %a, $T %b, $T %c) strictfp {
  %r = call $T @llvm.experimental.constrained.$OP.$T($T %a, $T %b, $T %c, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  ret $T %r
}
; end
declare $T @llvm.experimental.constrained.powi.$T($T, i32, metadata, metadata)
define $T @powi_$T($T %a, i8 %n) strictfp {
  %m = sext i8 %n to i32
  %r = call $T @llvm.experimental.constrained.powi.$T($T %a, i32 %m, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  ret $T %r
}
declare i1 @llvm.experimental.constrained.fcmp.$T($T, $T, metadata, metadata)
declare i1 @llvm.experimental.constrained.fcmps.$T($T, $T, metadata, metadata)
; each $OP: oeq | ogt | oge | olt | ole | one | ord | ueq | ugt | uge | ult | ule | une | uno
define i1 @fcmp_$OP_$T($T %a, $T %b) strictfp {
  %r = call i1 @llvm.experimental.constrained.fcmp.$T($T %a, $T %b, metadata !"$OP", metadata !"fpexcept.strict") strictfp
  ret i1 %r
}
define i1 @fcmps_$OP_$T($T %a, $T %b) strictfp {
  %r = call i1 @llvm.experimental.constrained.fcmps.$T($T %a, $T %b, metadata !"$OP", metadata !"fpexcept.strict") strictfp
  ret i1 %r
}
; end
; each $I: i32 | i64
declare $T @llvm.experimental.constrained.sitofp.$T.$I($I, metadata, metadata)
declare $T @llvm.experimental.constrained.uitofp.$T.$I($I, metadata, metadata)
define $T @sitofp_$I_$T($I %a) strictfp {
  %r = call $T @llvm.experimental.constrained.sitofp.$T.$I($I %a, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  ret $T %r
}
define $T @uitofp_$I_$T($I %a) strictfp {
  %r = call $T @llvm.experimental.constrained.uitofp.$T.$I($I %a, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  ret $T %r
}
declare $I @llvm.experimental.constrained.fptosi.$I.$T($T, metadata)
declare $I @llvm.experimental.constrained.fptoui.$I.$T($T, metadata)
define $I @fptosi_$T_$I(i16 %a) strictfp {
  %x = call $T @llvm.experimental.constrained.sitofp.$T.i16(i16 %a, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  %y = call $T @llvm.experimental.constrained.fmul.$T($T %x, $T 0.75, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  %r = call $I @llvm.experimental.constrained.fptosi.$I.$T($T %y, metadata !"fpexcept.strict") strictfp
  ret $I %r
}
define $I @fptoui_$T_$I(i16 %a) strictfp {
  %x = call $T @llvm.experimental.constrained.uitofp.$T.i16(i16 %a, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  %y = call $T @llvm.experimental.constrained.fmul.$T($T %x, $T 0.75, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  %r = call $I @llvm.experimental.constrained.fptoui.$I.$T($T %y, metadata !"fpexcept.strict") strictfp
  ret $I %r
}
; end
declare $T @llvm.experimental.constrained.sitofp.$T.i16(i16, metadata, metadata)
declare $T @llvm.experimental.constrained.uitofp.$T.i16(i16, metadata, metadata)
; each $OP: lrint | llrint
declare i64 @llvm.experimental.constrained.$OP.i64.$T($T, metadata, metadata)
define i64 @$OP_$T(i16 %a) strictfp {
  %x = call $T @llvm.experimental.constrained.sitofp.$T.i16(i16 %a, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  %y = call $T @llvm.experimental.constrained.fmul.$T($T %x, $T 0.5, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  %r = call i64 @llvm.experimental.constrained.$OP.i64.$T($T %y, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  ret i64 %r
}
; end
; each $OP: lround | llround
declare i64 @llvm.experimental.constrained.$OP.i64.$T($T, metadata)
define i64 @$OP_$T(i16 %a) strictfp {
  %x = call $T @llvm.experimental.constrained.sitofp.$T.i16(i16 %a, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  %y = call $T @llvm.experimental.constrained.fmul.$T($T %x, $T 0.5, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  %r = call i64 @llvm.experimental.constrained.$OP.i64.$T($T %y, metadata !"fpexcept.strict") strictfp
  ret i64 %r
}
; end
; end

declare float @llvm.experimental.constrained.fptrunc.f32.f64(double, metadata, metadata)
declare double @llvm.experimental.constrained.fpext.f64.f32(float, metadata)
define float @fptrunc(double %a) strictfp {
  %r = call float @llvm.experimental.constrained.fptrunc.f32.f64(double %a, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  ret float %r
}
define double @fpext(float %a) strictfp {
  %r = call double @llvm.experimental.constrained.fpext.f64.f32(float %a, metadata !"fpexcept.strict") strictfp
  ret double %r
}
declare <2 x double> @llvm.experimental.constrained.fmul.v2f64(<2 x double>, <2 x double>, metadata, metadata)
define <2 x double> @fmul_lanes(<2 x double> %a, <2 x double> %b) strictfp {
  %r = call <2 x double> @llvm.experimental.constrained.fmul.v2f64(<2 x double> %a, <2 x double> %b, metadata !"round.tonearest", metadata !"fpexcept.ignore") strictfp
  ret <2 x double> %r
}
