; What the code generator does not take by itself, or not in these widths. Each function gets the
; number of arguments of the program, 1, and the line before says what it returns.

declare i32 @llvm.expect.with.probability.i32(i32, i32, double)
; returns: 1
define i32 @expected(i32 %one) {
  %r = call i32 @llvm.expect.with.probability.i32(i32 %one, i32 5, double 0.75)
  ret i32 %r
}

declare i32 @llvm.ssa.copy.i32(i32)
; returns: 1
define i32 @copied(i32 %one) {
  %r = call i32 @llvm.ssa.copy.i32(i32 %one)
  ret i32 %r
}

declare ptr @llvm.sponentry.p0()
; returns: 1
define i32 @stack_at_entry(i32 %one) {
  %ignored = call ptr @llvm.sponentry.p0()
  ret i32 %one
}

declare i1 @llvm.experimental.widenable.condition()
; returns: 1
define i32 @widenable(i32 %one) {
  %x = call i1 @llvm.experimental.widenable.condition()
  %r = zext i1 %x to i32
  ret i32 %r
}

declare i1 @llvm.type.test(ptr, metadata)
declare i1 @llvm.public.type.test(ptr, metadata)
declare { ptr, i1 } @llvm.type.checked.load(ptr, i32, metadata)
@of_some_type = constant [2 x ptr] [ptr null, ptr @of_some_type], !type !{i64 0, !"some type"}
; What is of the type, and the word behind it, which is its own address.
; returns: 1
define i32 @tests_of_types(i32 %one) {
  %x = call i1 @llvm.type.test(ptr @of_some_type, metadata !"some type")
  %y = call i1 @llvm.public.type.test(ptr @of_some_type, metadata !"some type")
  %other = call i1 @llvm.type.test(ptr @of_some_type, metadata !"another type")
  %not = xor i1 %other, true
  %pair = call { ptr, i1 } @llvm.type.checked.load(ptr @of_some_type, i32 8, metadata !"some type")
  %word = extractvalue { ptr, i1 } %pair, 0
  %same = icmp eq ptr %word, @of_some_type
  %fits = extractvalue { ptr, i1 } %pair, 1
  %a = and i1 %x, %y
  %b = and i1 %not, %same
  %c = and i1 %a, %b
  %all = and i1 %c, %fits
  %r = zext i1 %all to i32
  ret i32 %r
}

; The strict forms of these are not selected.
; each $OP $T $A $B: minimum float 1.0 7.0 | maximum float 1.0 -7.0 | minimum double 1.0 7.0 | maximum double 1.0 -7.0
declare $T @llvm.experimental.constrained.$OP.$T($T, $T, metadata)
; returns: 1
define i32 @strict_$OP_$T(i32 %one) strictfp {
  %x = call $T @llvm.experimental.constrained.$OP.$T($T $A, $T $B, metadata !"fpexcept.strict") strictfp
  %y = call $T @llvm.experimental.constrained.$OP.$T($T $B, $T %x, metadata !"fpexcept.strict") strictfp
  %r = fptosi $T %y to i32
  ret i32 %r
}
; end

; Canonical numbers stay what they are.
; each $T $I $V: half i16 0xH3E00 | bfloat i16 0xRC0A0 | float i32 0x400921FB60000000 | double i64 0x400921FB54442D18 | x86_fp80 i80 0xK4000C90FDAA22168C235 | fp128 i128 0xL8469898CC51701B84000921FB54442D1
declare $T @llvm.canonicalize.$T($T)
; returns: 1
define i32 @canonicalize_$T(i32 %one) {
  %x = call $T @llvm.canonicalize.$T($T $V)
  %y = call $T @llvm.canonicalize.$T($T zeroinitializer)
  %xi = bitcast $T %x to $I
  %vi = bitcast $T $V to $I
  %same = icmp eq $I %xi, %vi
  %yi = bitcast $T %y to $I
  %zero = icmp eq $I %yi, 0
  %both = and i1 %same, %zero
  %r = zext i1 %both to i32
  ret i32 %r
}
; end

; The remainder of the widest format.
; returns: 1
define i32 @remainder_of_quads(i32 %one) {
  %x = sitofp i32 %one to fp128
  %y = fadd fp128 %x, 0xL00000000000000004001900000000000
  %rest = frem fp128 %y, 0xL00000000000000004000000000000000
  %r = fptosi fp128 %rest to i32
  ret i32 %r
}

; Wide integers, compared with what twice the width or plain shifts give.

declare { i200, i1 } @llvm.smul.with.overflow.i200(i200, i200)
declare { i200, i1 } @llvm.umul.with.overflow.i200(i200, i200)
declare i200 @llvm.fshl.i200(i200, i200, i200)
declare i200 @llvm.fshr.i200(i200, i200, i200)
@wide = internal global [6 x i200] [i200 0, i200 -1, i200 3, i200 -803469022129495137770981046170581301261101496891396417650688, i200 1267650600228229401496703205376, i200 633825300114114700748351602688]

; each $OP $EXTEND: smul sext | umul zext
define internal i1 @$OP_agrees(i200 %a, i200 %b) {
  %both = call { i200, i1 } @llvm.$OP.with.overflow.i200(i200 %a, i200 %b)
  %low = extractvalue { i200, i1 } %both, 0
  %flag = extractvalue { i200, i1 } %both, 1
  %x = $EXTEND i200 %a to i400
  %y = $EXTEND i200 %b to i400
  %product = mul i400 %x, %y
  %cut = trunc i400 %product to i200
  %again = $EXTEND i200 %cut to i400
  %lost = icmp ne i400 %again, %product
  %same = icmp eq i200 %cut, %low
  %told = icmp eq i1 %lost, %flag
  %r = and i1 %same, %told
  ret i1 %r
}
; end
define internal i1 @funnels_agree(i200 %a, i200 %b) {
  %amount = and i200 %b, 127
  %positive = or i200 %amount, 1
  %shift = add i200 %positive, 200
  %rest = sub i200 200, %positive
  %left = call i200 @llvm.fshl.i200(i200 %a, i200 %b, i200 %shift)
  %right = call i200 @llvm.fshr.i200(i200 %b, i200 %a, i200 %shift)
  %l1 = shl i200 %a, %positive
  %l2 = lshr i200 %b, %rest
  %l = or i200 %l1, %l2
  %r1 = lshr i200 %a, %positive
  %r2 = shl i200 %b, %rest
  %r = or i200 %r1, %r2
  %x = icmp eq i200 %l, %left
  %y = icmp eq i200 %r, %right
  %both = and i1 %x, %y
  ret i1 %both
}
; returns: 36
define i32 @wide_integers(i32 %one) {
entry:
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %loop ]
  %good = phi i32 [ 0, %entry ], [ %more.good, %loop ]
  %i = udiv i32 %n, 6
  %j = urem i32 %n, 6
  %p = getelementptr i200, ptr @wide, i32 %i
  %q = getelementptr i200, ptr @wide, i32 %j
  %a = load i200, ptr %p
  %b = load i200, ptr %q
  %x = call i1 @smul_agrees(i200 %a, i200 %b)
  %y = call i1 @umul_agrees(i200 %a, i200 %b)
  %z = call i1 @funnels_agree(i200 %a, i200 %b)
  %xy = and i1 %x, %y
  %xyz = and i1 %xy, %z
  %add = zext i1 %xyz to i32
  %more.good = add i32 %good, %add
  %next = add i32 %n, %one
  %more = icmp ult i32 %next, 36
  br i1 %more, label %loop, label %done
done:
  ret i32 %more.good
}

; The widest format, whose functions the code generator takes from the library of another format.
; each $OP $IN $OUT: floor 2.75 2 | floor -2.25 -3 | ceil 2.25 3 | ceil -2.75 -2 | trunc 2.75 2 | trunc -2.75 -2 | rint 2.5 2 | rint 3.5 4 | nearbyint -2.5 -2 | roundeven 4.5 4 | round 2.5 3 | round -2.5 -3 | sqrt 6.25 2
; returns: 1
define i32 @quad_$OP_#(i32 %one) {
  %x = fpext double $IN to fp128
  %y = call fp128 @llvm.$OP.f128(fp128 %x)
  %n = fptosi fp128 %y to i32
  %same = icmp eq i32 %n, $OUT
  %r = zext i1 %same to i32
  ret i32 %r
}
; end
; each $OP: floor | ceil | trunc | rint | nearbyint | roundeven | round | sqrt
declare fp128 @llvm.$OP.f128(fp128)
; end
; each $T: fp128 | bfloat
declare $T @llvm.fma.$T($T, $T, $T)
declare $T @llvm.minimum.$T($T, $T)
; returns: 1
define i32 @fma_$T(i32 %one) {
  %x = sitofp i32 %one to $T
  %seven = sitofp i32 7 to $T
  %y = call $T @llvm.fma.$T($T %x, $T %seven, $T %seven)
  %least = call $T @llvm.minimum.$T($T %y, $T %seven)
  %sum = fsub $T %y, %least
  %n = fptosi $T %sum to i32
  %r = sub i32 %n, 6
  ret i32 %r
}
; end
