; Floating-point instructions in all formats. Conversions to integers are of numbers in range.

; each $T: half | bfloat | float | double | x86_fp80 | fp128
; each $OP: fadd | fsub | fmul | fdiv
define $T @$OP_$T($T %a, $T %b) {
  %r = $OP $T %a, %b
  ret $T %r
}
; end
define $T @fneg_$T($T %a) {
  %r = fneg $T %a
  ret $T %r
}
; each $OP: false | oeq | ogt | oge | olt | ole | one | ord | ueq | ugt | uge | ult | ule | une | uno | true
define i1 @fcmp_$OP_$T($T %a, $T %b) {
  %r = fcmp $OP $T %a, %b
  ret i1 %r
}
; end
define i1 @fcmp_zero_$T($T %a) {
  %less = fcmp olt $T %a, zeroinitializer
  %equal = fcmp oeq $T %a, zeroinitializer
  %r = xor i1 %less, %equal
  ret i1 %r
}
define $T @fast_$T($T %a, $T %b) {
  %x = fadd nnan ninf nsz arcp contract afn reassoc $T %a, %b
  %less = fcmp fast olt $T %a, %b
  %r = select fast i1 %less, $T %a, $T %b
  %nan = fcmp uno $T %a, %b
  %inf = fcmp ueq $T %x, %a
  %avoided = or i1 %nan, %inf
  %kept = select i1 %avoided, $T zeroinitializer, $T %r
  ret $T %kept
}
; each $I: i8 | i16 | i32 | i64 | i128
define $T @sitofp_$I_$T($I %a) {
  %r = sitofp $I %a to $T
  ret $T %r
}
define $T @uitofp_$I_$T($I %a) {
  %r = uitofp $I %a to $T
  ret $T %r
}
; end
define $T @booleans_$T(i1 %a, i1 %b) {
  %x = sitofp i1 %a to $T
  %y = uitofp i1 %b to $T
  %r = fsub $T %x, %y
  ret $T %r
}
; end

; The remainder of the wide formats and the narrow ones is computed by library functions.
; each $T: half | bfloat | float | double | x86_fp80
define $T @frem_$T($T %a, $T %b) {
  %r = frem $T %a, %b
  ret $T %r
}
; end

; A number of magnitude less than 100, which any of the integers holds.
; each $T $MOST: half 0xH5640 | bfloat 0xR42C8 | float 0x4059000000000000 | double 0x4059000000000000 | x86_fp80 0xK4005C800000000000000 | fp128 0xL00000000000000004005900000000000
; each $I: i8 | i16 | i32 | i33 | i64 | i128
define $I @fptosi_$T_$I($T %a) {
  %negated = fneg $T %a
  %above = fcmp olt $T %a, $MOST
  %below = fcmp olt $T %negated, $MOST
  %fits = and i1 %above, %below
  %safe = select i1 %fits, $T %a, $T $MOST
  %r = fptosi $T %safe to $I
  ret $I %r
}
define $I @fptoui_$T_$I($T %a) {
  %positive = fcmp oge $T %a, zeroinitializer
  %below = fcmp olt $T %a, $MOST
  %fits = and i1 %positive, %below
  %safe = select i1 %fits, $T %a, $T $MOST
  %r = fptoui $T %safe to $I
  ret $I %r
}
; end
; end

; Near the ends of the ranges.

; each $T: float | double | x86_fp80 | fp128
define { i32, i64, i64 } @there_and_back_$T(i32 %a, i64 %b) {
  %1 = lshr i64 %b, 12
  %x = sitofp i32 %a to $T
  %y = uitofp i64 %1 to $T
  %z = sitofp i64 %1 to $T
  %wide = fptosi $T %x to i64
  %i = trunc i64 %wide to i32
  %j = fptoui $T %y to i64
  %k = fptosi $T %z to i64
  %r1 = insertvalue { i32, i64, i64 } poison, i32 %i, 0
  %r2 = insertvalue { i32, i64, i64 } %r1, i64 %j, 1
  %r3 = insertvalue { i32, i64, i64 } %r2, i64 %k, 2
  ret { i32, i64, i64 } %r3
}
; end
define { i64, i32 } @large_unsigned(i64 %a, i32 %b) {
  %high = or i64 %a, -9223372036854775808
  %even = and i64 %high, -2048
  %x = uitofp i64 %even to double
  %y = uitofp i32 %b to double
  %i = fptoui double %x to i64
  %j = fptoui double %y to i32
  %1 = insertvalue { i64, i32 } poison, i64 %i, 0
  %2 = insertvalue { i64, i32 } %1, i32 %j, 1
  ret { i64, i32 } %2
}

; Integers that are wider than any processor's; the code generator goes wrong where a float
; overflows.
; each $T $LESS: float 80 | double 0
define $T @sitofp_i200_$T(i200 %a) {
  %x = ashr i200 %a, $LESS
  %r = sitofp i200 %x to $T
  ret $T %r
}
define $T @uitofp_i200_$T(i200 %a) {
  %x = lshr i200 %a, $LESS
  %r = uitofp i200 %x to $T
  ret $T %r
}
define i200 @wide_there_and_back_$T(i64 %a) {
  %x = sitofp i64 %a to $T
  %y = fmul $T %x, 0x4200000000000000
  %r = fptosi $T %y to i200
  ret i200 %r
}
define i200 @wide_unsigned_there_and_back_$T(i64 %a) {
  %x = uitofp i64 %a to $T
  %y = fmul $T %x, 0x4200000000000000
  %r = fptoui $T %y to i200
  ret i200 %r
}
; end
; each $T: float | double | x86_fp80 | fp128
define { i128, i128 } @large_$T(i128 %a) {
  %half = lshr i128 %a, 2
  %x = sitofp i128 %half to $T
  %y = uitofp i128 %half to $T
  %i = fptosi $T %x to i128
  %j = fptoui $T %y to i128
  %1 = insertvalue { i128, i128 } poison, i128 %i, 0
  %2 = insertvalue { i128, i128 } %1, i128 %j, 1
  ret { i128, i128 } %2
}
; end
; each $I: i7 | i24 | i33 | i65
; each $T: half | float | double | x86_fp80 | fp128
define $T @odd_sitofp_$I_$T($I %a) {
  %r = sitofp $I %a to $T
  ret $T %r
}
define $T @odd_uitofp_$I_$T($I %a) {
  %r = uitofp $I %a to $T
  ret $T %r
}
; end
; end
define double @uitofp_nneg(i32 %a) {
  %x = lshr i32 %a, 1
  %r = uitofp nneg i32 %x to double
  ret double %r
}

; each $A $B: double float | double half | double bfloat | float half | float bfloat | x86_fp80 double | x86_fp80 float | x86_fp80 half | fp128 x86_fp80 | fp128 double | fp128 float | fp128 half
define $B @fptrunc_$A_$B($A %a) {
  %r = fptrunc $A %a to $B
  ret $B %r
}
define $A @fpext_$B_$A($B %a) {
  %r = fpext $B %a to $A
  ret $A %r
}
define $B @rounding_$A_$B($A %a, $A %b) {
  %x = fdiv $A %a, %b
  %r = fptrunc $A %x to $B
  ret $B %r
}
; end

; each $T $I: half i16 | bfloat i16 | float i32 | double i64 | x86_fp80 i80 | fp128 i128
define $I @bits_of_$T($T %a) {
  %r = bitcast $T %a to $I
  ret $I %r
}
define $T @bits_to_$T($I %a) {
  %r = bitcast $I %a to $T
  ret $T %r
}
; end

; Lanes.

; each $T: <4 x float> | <2 x double> | <3 x float> | <4 x half> | <2 x x86_fp80> | <2 x fp128> | <4 x bfloat>
; each $OP: fadd | fsub | fmul | fdiv
define $T @$OP_lanes_#($T %a, $T %b) {
  %r = $OP $T %a, %b
  ret $T %r
}
; end
; end
define <4 x i1> @fcmp_lanes(<4 x float> %a, <4 x float> %b) {
  %r = fcmp ule <4 x float> %a, %b
  ret <4 x i1> %r
}
define <4 x i1> @fcmp_never_lanes(<4 x float> %a, <4 x float> %b) {
  %r = fcmp false <4 x float> %a, %b
  ret <4 x i1> %r
}
define <4 x float> @fneg_lanes(<4 x float> %a) {
  %r = fneg <4 x float> %a
  ret <4 x float> %r
}
define <2 x double> @frem_lanes(<2 x double> %a, <2 x double> %b) {
  %r = frem <2 x double> %a, %b
  ret <2 x double> %r
}
define <4 x i32> @int_float_lanes(<4 x i32> %a) {
  %1 = sitofp <4 x i32> %a to <4 x double>
  %2 = fptosi <4 x double> %1 to <4 x i32>
  %3 = lshr <4 x i32> %a, splat (i32 9)
  %4 = uitofp <4 x i32> %3 to <4 x float>
  %5 = fptoui <4 x float> %4 to <4 x i32>
  %6 = xor <4 x i32> %2, %5
  ret <4 x i32> %6
}
define <2 x float> @fptrunc_lanes(<2 x double> %a) {
  %r = fptrunc <2 x double> %a to <2 x float>
  ret <2 x float> %r
}
define <2 x double> @fpext_lanes(<2 x float> %a) {
  %r = fpext <2 x float> %a to <2 x double>
  ret <2 x double> %r
}
