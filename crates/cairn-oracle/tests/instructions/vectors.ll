; Vectors: lane-wise integer operators, rearranging, reductions and masked accesses.

; each $T: <4 x i32> | <16 x i8> | <3 x i16> | <2 x i64> | <2 x i128> | <5 x i7>
; each $OP: add | sub | mul | and | or | xor
define $T @$OP_#($T %a, $T %b) {
  %r = $OP $T %a, %b
  ret $T %r
}
; end
; end
; each $T $S $MOST: 4 i32 31 | 16 i8 7 | 2 i64 63
; each $OP: shl | lshr | ashr
define <$T x $S> @$OP_$T_lanes(<$T x $S> %a, <$T x $S> %b) {
  %amount = and <$T x $S> %b, splat ($S $MOST)
  %r = $OP <$T x $S> %a, %amount
  ret <$T x $S> %r
}
; end
; each $OP: udiv | urem
define <$T x $S> @$OP_$T_lanes(<$T x $S> %a, <$T x $S> %b) {
  %divisor = or <$T x $S> %b, splat ($S 1)
  %r = $OP <$T x $S> %a, %divisor
  ret <$T x $S> %r
}
; end
; each $OP: sdiv | srem
define <$T x $S> @$OP_$T_lanes(<$T x $S> %a, <$T x $S> %b) {
  %odd = or <$T x $S> %b, splat ($S 3)
  %divisor = and <$T x $S> %odd, splat ($S 7)
  %r = $OP <$T x $S> %a, %divisor
  ret <$T x $S> %r
}
; end
; end
; each $OP: eq | ne | ugt | uge | ult | ule | sgt | sge | slt | sle
define <4 x i1> @icmp_$OP(<4 x i32> %a, <4 x i32> %b) {
  %r = icmp $OP <4 x i32> %a, %b
  ret <4 x i1> %r
}
; end
define <4 x i64> @widened(<4 x i16> %a, <4 x i16> %b) {
  %1 = zext <4 x i16> %a to <4 x i64>
  %2 = sext <4 x i16> %b to <4 x i64>
  %r = mul <4 x i64> %1, %2
  ret <4 x i64> %r
}
define <4 x i5> @narrowed(<4 x i32> %a) {
  %r = trunc <4 x i32> %a to <4 x i5>
  ret <4 x i5> %r
}
define <2 x i64> @pointer_lanes(<2 x i64> %a) {
  %p = inttoptr <2 x i64> %a to <2 x ptr>
  %c = icmp ugt <2 x ptr> %p, zeroinitializer
  %s = select <2 x i1> %c, <2 x ptr> %p, <2 x ptr> <ptr null, ptr inttoptr (i64 9 to ptr)>
  %r = ptrtoint <2 x ptr> %s to <2 x i64>
  ret <2 x i64> %r
}

; Rearranging.

define <4 x i32> @select_lanes(<4 x i1> %c, <4 x i32> %a, <4 x i32> %b) {
  %r = select <4 x i1> %c, <4 x i32> %a, <4 x i32> %b
  ret <4 x i32> %r
}
define <4 x i32> @select_whole(i1 %c, <4 x i32> %a, <4 x i32> %b) {
  %r = select i1 %c, <4 x i32> %a, <4 x i32> %b
  ret <4 x i32> %r
}
; each $I: i2 | i8 | i32 | i64 | i128
define i32 @extract_$I(<4 x i32> %a, $I %n) {
  %lane = and $I %n, 3
  %r = extractelement <4 x i32> %a, $I %lane
  ret i32 %r
}
define <4 x i32> @insert_$I(<4 x i32> %a, i32 %b, $I %n) {
  %lane = and $I %n, 3
  %r = insertelement <4 x i32> %a, i32 %b, $I %lane
  ret <4 x i32> %r
}
; end
define i1 @extract_bit(<8 x i1> %a, i8 %n) {
  %lane = and i8 %n, 7
  %r = extractelement <8 x i1> %a, i8 %lane
  ret i1 %r
}
define <3 x i16> @insert_known(<3 x i16> %a, i16 %b) {
  %1 = extractelement <3 x i16> %a, i64 2
  %2 = insertelement <3 x i16> %a, i16 %b, i32 2
  %3 = insertelement <3 x i16> %2, i16 %1, i32 0
  ret <3 x i16> %3
}
define <4 x i32> @shuffle_two(<4 x i32> %a, <4 x i32> %b) {
  %r = shufflevector <4 x i32> %a, <4 x i32> %b, <4 x i32> <i32 0, i32 5, i32 7, i32 2>
  ret <4 x i32> %r
}
define <8 x i16> @shuffle_longer(<3 x i16> %a, <3 x i16> %b) {
  %r = shufflevector <3 x i16> %a, <3 x i16> %b, <8 x i32> <i32 5, i32 4, i32 3, i32 2, i32 1, i32 0, i32 0, i32 5>
  ret <8 x i16> %r
}
define <2 x i32> @shuffle_shorter(<4 x i32> %a) {
  %1 = shufflevector <4 x i32> %a, <4 x i32> poison, <3 x i32> <i32 3, i32 poison, i32 1>
  %r = shufflevector <3 x i32> %1, <3 x i32> poison, <2 x i32> <i32 2, i32 0>
  ret <2 x i32> %r
}
define <4 x i32> @shuffle_splat(i32 %a) {
  %1 = insertelement <4 x i32> poison, i32 %a, i64 0
  %r = shufflevector <4 x i32> %1, <4 x i32> poison, <4 x i32> zeroinitializer
  ret <4 x i32> %r
}

; each $A: i128 | <2 x i64> | <4 x i32> | <8 x i16> | <4 x float> | <2 x double> | fp128 | <16 x i8>
define i128 @bitcast_#($A %a) {
  %1 = bitcast $A %a to <2 x i64>
  %2 = bitcast <2 x i64> %1 to <16 x i8>
  %3 = bitcast <16 x i8> %2 to <32 x i4>
  %4 = bitcast <32 x i4> %3 to <4 x float>
  %5 = bitcast <4 x float> %4 to i128
  ret i128 %5
}
; end
define i8 @bitcast_bits(<8 x i1> %a) {
  %r = bitcast <8 x i1> %a to i8
  ret i8 %r
}
define <3 x i8> @bitcast_odd(i24 %a) {
  %1 = bitcast i24 %a to <24 x i1>
  %r = bitcast <24 x i1> %1 to <3 x i8>
  ret <3 x i8> %r
}

; Reductions.

; each $T $S $M: 4 i32 v4i32 | 3 i16 v3i16 | 8 i8 v8i8 | 8 i1 v8i1 | 2 i64 v2i64 | 5 i7 v5i7 | 3 i128 v3i128
; each $OP: add | mul | and | or | xor | smin | smax | umin | umax
declare $S @llvm.vector.reduce.$OP.$M(<$T x $S>)
define $S @reduce_$OP_$M(<$T x $S> %a) {
  %r = call $S @llvm.vector.reduce.$OP.$M(<$T x $S> %a)
  ret $S %r
}
; end
; end
; each $T $S $M: 4 float v4f32 | 2 double v2f64
; each $OP: fadd | fmul
declare $S @llvm.vector.reduce.$OP.$M($S, <$T x $S>)
define $S @reduce_$OP_$M($S %a, <$T x $S> %b) {
  %r = call $S @llvm.vector.reduce.$OP.$M($S %a, <$T x $S> %b)
  ret $S %r
}
; end
; each $OP: fmin | fmax | fminimum | fmaximum
declare $S @llvm.vector.reduce.$OP.$M(<$T x $S>)
define $S @reduce_$OP_$M(<$T x $S> %a) {
  %x = call $S @llvm.vector.reduce.$OP.$M(<$T x $S> %a)
  %r = fadd $S %x, 0.0
  ret $S %r
}
; end
; end

; Masked accesses. What is not chosen is not touched, even where there is no memory.

@ints = internal global [6 x i32] [i32 10, i32 20, i32 30, i32 40, i32 50, i32 60]
declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, i32, <4 x i1>, <4 x i32>)
declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, i32, <4 x i1>)
declare <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr>, i32, <4 x i1>, <4 x i32>)
declare void @llvm.masked.scatter.v4i32.v4p0(<4 x i32>, <4 x ptr>, i32, <4 x i1>)
declare <2 x double> @llvm.masked.load.v2f64.p0(ptr, i32, <2 x i1>, <2 x double>)

define <4 x i32> @masked_load(<4 x i32> %a, i4 %m) {
  %mask = bitcast i4 %m to <4 x i1>
  %r = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr @ints, i32 4, <4 x i1> %mask, <4 x i32> %a)
  ret <4 x i32> %r
}
define <4 x i32> @masked_load_nowhere(<4 x i32> %a) {
  %r = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr null, i32 4, <4 x i1> zeroinitializer, <4 x i32> %a)
  ret <4 x i32> %r
}
define <4 x i32> @masked_load_beyond(<4 x i32> %a, i2 %m) {
  %lanes = zext i2 %m to i4
  %mask = bitcast i4 %lanes to <4 x i1>
  %last = getelementptr i32, ptr @ints, i64 4
  %r = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %last, i32 4, <4 x i1> %mask, <4 x i32> %a)
  ret <4 x i32> %r
}
define <4 x i32> @masked_load_known(<4 x i32> %a) {
  %r = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr @ints, i32 4, <4 x i1> <i1 true, i1 false, i1 false, i1 true>, <4 x i32> %a)
  ret <4 x i32> %r
}
define <2 x double> @masked_load_double(<2 x double> %a, <2 x i1> %mask) {
  %r = call <2 x double> @llvm.masked.load.v2f64.p0(ptr @ints, i32 4, <2 x i1> %mask, <2 x double> %a)
  ret <2 x double> %r
}
define <4 x i32> @masked_store(<4 x i32> %a, i4 %m) {
  %mask = bitcast i4 %m to <4 x i1>
  %p = alloca <4 x i32>
  store <4 x i32> <i32 1, i32 2, i32 3, i32 4>, ptr %p
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %a, ptr %p, i32 16, <4 x i1> %mask)
  call void @llvm.masked.store.v4i32.p0(<4 x i32> splat (i32 99), ptr %p, i32 16, <4 x i1> <i1 false, i1 true, i1 false, i1 false>)
  %r = load <4 x i32>, ptr %p
  ret <4 x i32> %r
}
define <4 x i32> @masked_gather(<4 x i32> %a, <4 x i32> %n, i4 %m) {
  %mask = bitcast i4 %m to <4 x i1>
  %few = urem <4 x i32> %n, splat (i32 6)
  %places = getelementptr i32, ptr @ints, <4 x i32> %few
  %chosen = select <4 x i1> %mask, <4 x ptr> %places, <4 x ptr> zeroinitializer
  %r = call <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr> %chosen, i32 4, <4 x i1> %mask, <4 x i32> %a)
  ret <4 x i32> %r
}
define <4 x i32> @masked_scatter(<4 x i32> %a, <4 x i32> %n, i4 %m) {
  %mask = bitcast i4 %m to <4 x i1>
  %p = alloca <4 x i32>
  store <4 x i32> <i32 1, i32 2, i32 3, i32 4>, ptr %p
  %few = and <4 x i32> %n, splat (i32 3)
  %places = getelementptr i32, ptr %p, <4 x i32> %few
  %chosen = select <4 x i1> %mask, <4 x ptr> %places, <4 x ptr> zeroinitializer
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %a, <4 x ptr> %chosen, i32 4, <4 x i1> %mask)
  %r = load <4 x i32>, ptr %p
  ret <4 x i32> %r
}
define i64 @freeze_lanes(<2 x i64> %a) {
  %some = insertelement <2 x i64> %a, i64 undef, i64 1
  %frozen = freeze <2 x i64> %some
  %r = extractelement <2 x i64> %frozen, i64 0
  ret i64 %r
}
define <4 x i32> @phi_lanes(<4 x i32> %a, i1 %c) {
entry:
  br i1 %c, label %more, label %done
more:
  %doubled = add <4 x i32> %a, %a
  br label %done
done:
  %r = phi <4 x i32> [ %a, %entry ], [ %doubled, %more ]
  ret <4 x i32> %r
}
