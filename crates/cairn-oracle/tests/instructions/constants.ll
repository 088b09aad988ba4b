; Constants and global objects.

@crumbs = internal constant [3 x <5 x i7>] [<5 x i7> <i7 1, i7 -2, i7 3, i7 -64, i7 63>, <5 x i7> zeroinitializer, <5 x i7> splat (i7 85)]
@nibbles = internal constant [2 x <8 x i4>] [<8 x i4> <i4 1, i4 2, i4 3, i4 4, i4 5, i4 6, i4 7, i4 8>, <8 x i4> splat (i4 -1)]
@places = internal constant <2 x ptr> <ptr @first, ptr getelementptr (i8, ptr @second, i64 4)>
@unaligned = internal constant [2 x <{ i8, ptr, i16 }>] [<{ i8, ptr, i16 }> <{ i8 1, ptr @first, i16 2 }>, <{ i8, ptr, i16 }> <{ i8 3, ptr getelementptr (i32, ptr @second, i64 2), i16 4 }>]
@strange = internal constant { i1, x86_fp80, <3 x i32>, i200, i1 } { i1 true, x86_fp80 0xK4000C90FDAA22168C235, <3 x i32> <i32 1, i32 2, i32 3>, i200 -5, i1 true }
@as_numbers = internal constant [3 x i64] [i64 ptrtoint (ptr @first to i64), i64 ptrtoint (ptr getelementptr (i8, ptr @first, i64 -3) to i64), i64 77]
@as_pointers = internal constant [2 x ptr] [ptr inttoptr (i64 77 to ptr), ptr getelementptr (i8, ptr null, i64 5)]
@sparse = internal global { [100000 x i32], i32 } { [100000 x i32] zeroinitializer, i32 5 }
@floats_in_lanes = internal constant <4 x half> <half 0xH3E00, half 0xHFC00, half 0xH0001, half 0xH8000>

%Mixed = type { i8, i32, i16, i64 }
%Packed = type <{ i8, i32, i16, i64 }>

@bytes = internal constant [6 x i8] c"abc\00\FFz"
@numbers = internal constant [4 x i24] [i24 1, i24 -1, i24 4660, i24 8388607]
@wide = internal constant [3 x i128] [i128 -1, i128 170141183460469231731687303715884105727, i128 36893488147419103233]
@odd = internal constant [3 x i65] [i65 -1, i65 18446744073709551617, i65 5]
@halves = internal constant [3 x half] [half 0xH3E00, half 0xHFC00, half 0xH0001]
@brains = internal constant [2 x bfloat] [bfloat 0xR4049, bfloat 0xRC0A0]
@singles = internal constant [3 x float] [float 1.5, float 0x400921FB60000000, float -0.0]
@doubles = internal constant [3 x double] [double 1.5, double 0x400921FB54442D18, double -0.0]
@extended = internal constant [2 x x86_fp80] [x86_fp80 0xK4000C90FDAA22168C235, x86_fp80 0xKBFFF8000000000000000]
@quads = internal constant [2 x fp128] [fp128 0xL8469898CC51701B84000921FB54442D1, fp128 0xL0000000000000000BFFF000000000000]
@mixed = internal constant [2 x %Mixed] [%Mixed { i8 1, i32 -2, i16 3, i64 -4 }, %Mixed zeroinitializer]
@packed = internal constant [2 x %Packed] [%Packed <{ i8 1, i32 -2, i16 3, i64 -4 }>, %Packed <{ i8 5, i32 6, i16 7, i64 8 }>]
@lanes = internal constant [2 x <3 x i16>] [<3 x i16> <i16 1, i16 -2, i16 3>, <3 x i16> splat (i16 9)]
@flags = internal constant <12 x i1> <i1 1, i1 0, i1 1, i1 1, i1 0, i1 0, i1 0, i1 1, i1 1, i1 0, i1 1, i1 0>
@partial = internal global { i32, [4 x i16], ptr } { i32 7, [4 x i16] [i16 1, i16 2, i16 undef, i16 4], ptr @mixed }
@aligned = internal global i8 3, align 64
@own = internal thread_local global i32 42
@absent = extern_weak global i32
declare extern_weak void @absent_function()
@nothing = internal constant {} zeroinitializer

@first = internal global i32 111
@second = internal global [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@pointers = internal global [6 x ptr] [
  ptr @first,
  ptr getelementptr ([4 x i32], ptr @second, i64 0, i64 3),
  ptr getelementptr inbounds (i8, ptr @second, i64 4),
  ptr inttoptr (i64 add (i64 ptrtoint (ptr @second to i64), i64 8) to ptr),
  ptr @alias,
  ptr inttoptr (i64 sub (i64 ptrtoint (ptr getelementptr (i32, ptr @second, i64 4) to i64), i64 4) to ptr)
]
@distance = internal constant i64 sub (i64 ptrtoint (ptr getelementptr ([4 x i32], ptr @second, i64 0, i64 3) to i64), i64 ptrtoint (ptr @second to i64))
@distances = internal constant [2 x i32] [
  i32 trunc (i64 sub (i64 ptrtoint (ptr getelementptr (i32, ptr @second, i64 2) to i64), i64 ptrtoint (ptr @second to i64)) to i32),
  i32 trunc (i64 add (i64 sub (i64 ptrtoint (ptr @second to i64), i64 ptrtoint (ptr getelementptr (i32, ptr @second, i64 1) to i64)), i64 1) to i32)
]
@alias = internal alias i32, ptr getelementptr ([4 x i32], ptr @second, i64 0, i64 2)
@other_name = internal alias i32 (i32), ptr @tripled
@resolved = internal ifunc i32 (i32), ptr @resolver
@functions = internal constant [3 x ptr] [ptr @tripled, ptr @other_name, ptr no_cfi @tripled]

define internal i32 @tripled(i32 %a) {
  %r = mul i32 %a, 3
  ret i32 %r
}
define internal ptr @resolver() {
  ret ptr @tripled
}

; each $NAME $T $N: bytes i8 6 | numbers i24 4 | wide i128 3 | odd i65 3 | halves half 3 | brains bfloat 2 | singles float 3 | doubles double 3 | extended x86_fp80 2 | quads fp128 2
define $T @element_of_$NAME(i8 %n) {
  %few = urem i8 %n, $N
  %p = getelementptr $T, ptr @$NAME, i8 %few
  %r = load $T, ptr %p
  ret $T %r
}
; end
; each $NAME $N: bytes 6 | packed 30 | halves 6 | extended 10 | quads 32 | doubles 24 | odd 9
define i8 @byte_of_$NAME(i8 %n) {
  %few = urem i8 %n, $N
  %p = getelementptr i8, ptr @$NAME, i8 %few
  %r = load i8, ptr %p
  ret i8 %r
}
; end
define { i8, i32, i16, i64 } @element_of_mixed(i8 %n) {
  %few = and i8 %n, 1
  %p = getelementptr %Mixed, ptr @mixed, i8 %few
  %r = load { i8, i32, i16, i64 }, ptr %p
  ret { i8, i32, i16, i64 } %r
}
define <3 x i16> @element_of_lanes(i8 %n) {
  %few = and i8 %n, 1
  %p = getelementptr <3 x i16>, ptr @lanes, i8 %few
  %r = load <3 x i16>, ptr %p
  ret <3 x i16> %r
}
define <12 x i1> @all_flags() {
  %r = load <12 x i1>, ptr @flags
  ret <12 x i1> %r
}
define i32 @known_part(i8 %n) {
  %last = getelementptr { i32, [4 x i16], ptr }, ptr @partial, i32 0, i32 1, i32 3
  %x = load i16, ptr %last
  %field = getelementptr { i32, [4 x i16], ptr }, ptr @partial, i32 0, i32 2
  %p = load ptr, ptr %field
  %q = getelementptr %Mixed, ptr %p, i32 0, i32 1
  %y = load i32, ptr %q
  %z = load i32, ptr @partial
  %wide = zext i16 %x to i32
  %1 = mul i32 %wide, %y
  %r = add i32 %1, %z
  ret i32 %r
}
define i64 @alignment() {
  %address = ptrtoint ptr @aligned to i64
  %r = and i64 %address, 63
  ret i64 %r
}
define i32 @thread_local(i32 %a) {
  %p = call ptr @llvm.threadlocal.address.p0(ptr @own)
  %old = load i32, ptr %p
  store i32 %a, ptr @own
  %new = load i32, ptr %p
  store i32 42, ptr %p
  %r = xor i32 %old, %new
  ret i32 %r
}
declare ptr @llvm.threadlocal.address.p0(ptr)
define { i1, i1 } @weak_and_absent() {
  %a = icmp eq ptr @absent, null
  %b = icmp eq ptr @absent_function, null
  %1 = insertvalue { i1, i1 } poison, i1 %a, 0
  %2 = insertvalue { i1, i1 } %1, i1 %b, 1
  ret { i1, i1 } %2
}
define i32 @through_pointers(i8 %n) {
  %few = urem i8 %n, 6
  %place = getelementptr ptr, ptr @pointers, i8 %few
  %p = load ptr, ptr %place
  %r = load i32, ptr %p
  ret i32 %r
}
define { i64, i32, i32 } @known_distances() {
  %x = load i64, ptr @distance
  %y = load i32, ptr @distances
  %z = load i32, ptr getelementptr (i32, ptr @distances, i64 1)
  %1 = insertvalue { i64, i32, i32 } poison, i64 %x, 0
  %2 = insertvalue { i64, i32, i32 } %1, i32 %y, 1
  %3 = insertvalue { i64, i32, i32 } %2, i32 %z, 2
  ret { i64, i32, i32 } %3
}
define i32 @through_functions(i32 %a, i8 %n) {
  %few = urem i8 %n, 3
  %place = getelementptr ptr, ptr @functions, i8 %few
  %f = load ptr, ptr %place
  %x = call i32 %f(i32 %a)
  %y = call i32 @other_name(i32 %x)
  %z = call i32 @resolved(i32 %y)
  %r = call i32 dso_local_equivalent @tripled(i32 %z)
  ret i32 %r
}

define <5 x i7> @element_of_crumbs(i8 %n) {
  %few = urem i8 %n, 3
  %p = getelementptr <5 x i7>, ptr @crumbs, i8 %few
  %r = load <5 x i7>, ptr %p
  ret <5 x i7> %r
}
define <8 x i4> @element_of_nibbles(i8 %n) {
  %few = and i8 %n, 1
  %p = getelementptr <8 x i4>, ptr @nibbles, i8 %few
  %r = load <8 x i4>, ptr %p
  ret <8 x i4> %r
}
define <4 x half> @all_floats_in_lanes() {
  %r = load <4 x half>, ptr @floats_in_lanes
  ret <4 x half> %r
}
define i32 @through_lanes_of_pointers(i1 %c) {
  %both = load <2 x ptr>, ptr @places
  %lane = zext i1 %c to i32
  %p = extractelement <2 x ptr> %both, i32 %lane
  %r = load i32, ptr %p
  ret i32 %r
}
define i32 @through_unaligned_pointers(i1 %c) {
  %lane = zext i1 %c to i32
  %p = getelementptr <{ i8, ptr, i16 }>, ptr @unaligned, i32 %lane, i32 1
  %q = load ptr, ptr %p, align 1
  %r = load i32, ptr %q
  ret i32 %r
}
define { i1, x86_fp80, <3 x i32>, i200, i1 } @strange_struct() {
  %r = load { i1, x86_fp80, <3 x i32>, i200, i1 }, ptr @strange
  ret { i1, x86_fp80, <3 x i32>, i200, i1 } %r
}
define { i32, i64, i64, i64 } @addresses_as_numbers() {
  %n = load i64, ptr @as_numbers
  %p = inttoptr i64 %n to ptr
  %x = load i32, ptr %p
  %m = load i64, ptr getelementptr (i64, ptr @as_numbers, i64 1)
  %difference = sub i64 %n, %m
  %q = load ptr, ptr @as_pointers
  %s = load ptr, ptr getelementptr (ptr, ptr @as_pointers, i64 1)
  %y = ptrtoint ptr %q to i64
  %z = ptrtoint ptr %s to i64
  %1 = insertvalue { i32, i64, i64, i64 } poison, i32 %x, 0
  %2 = insertvalue { i32, i64, i64, i64 } %1, i64 %difference, 1
  %3 = insertvalue { i32, i64, i64, i64 } %2, i64 %y, 2
  %4 = insertvalue { i32, i64, i64, i64 } %3, i64 %z, 3
  ret { i32, i64, i64, i64 } %4
}
define i32 @far_element(i32 %a) {
  %p = getelementptr { [100000 x i32], i32 }, ptr @sparse, i32 0, i32 0, i32 99999
  store i32 %a, ptr %p
  %q = getelementptr i32, ptr %p, i32 1
  %x = load i32, ptr %q
  %y = load i32, ptr %p
  store i32 0, ptr %p
  %r = sub i32 %x, %y
  ret i32 %r
}

; Constant expressions.

define i64 @expressions(i64 %a) {
  %1 = add i64 %a, mul (i64 sub (i64 ptrtoint (ptr getelementptr (i32, ptr @second, i64 3) to i64), i64 ptrtoint (ptr @second to i64)), i64 7)
  %2 = xor i64 %1, xor (i64 sub (i64 ptrtoint (ptr @second to i64), i64 ptrtoint (ptr @second to i64)), i64 85)
  %3 = sub i64 %2, ptrtoint (ptr getelementptr (%Mixed, ptr null, i64 5, i32 3) to i64)
  %4 = add i64 %3, ptrtoint (ptr addrspacecast (ptr addrspace(1) inttoptr (i64 77 to ptr addrspace(1)) to ptr) to i64)
  ret i64 %4
}
define i1 @truncated_address() {
  %wide = ptrtoint ptr @second to i64
  %narrow = trunc i64 %wide to i16
  %r = icmp eq i16 %narrow, trunc (i64 ptrtoint (ptr @second to i64) to i16)
  ret i1 %r
}
define i32 @expression_as_address(i32 %a) {
  store i32 %a, ptr getelementptr ([4 x i32], ptr @second, i64 0, i64 1)
  %x = load i32, ptr inttoptr (i64 add (i64 ptrtoint (ptr @second to i64), i64 4) to ptr)
  store i32 2, ptr getelementptr ([4 x i32], ptr @second, i64 0, i64 1)
  ret i32 %x
}
define <2 x i1> @lanes_of_addresses() {
  %r = icmp eq <2 x ptr> <ptr @first, ptr @second>, <ptr @first, ptr @first>
  ret <2 x i1> %r
}
define <4 x i32> @splat_and_mixed(<4 x i32> %a) {
  %1 = add <4 x i32> %a, splat (i32 1000)
  %2 = mul <4 x i32> %1, <i32 1, i32 -2, i32 3, i32 2147483647>
  %3 = xor <4 x i32> %2, zeroinitializer
  ret <4 x i32> %3
}
define <2 x double> @splat_of_floats(<2 x double> %a) {
  %1 = fadd <2 x double> %a, splat (double 2.5)
  %2 = fmul <2 x double> %1, <double -1.0, double 0x3FB999999999999A>
  ret <2 x double> %2
}
; each $T $V: half 0xH3E00 | bfloat 0xR4049 | float 0x400921FB60000000 | double 3.25 | x86_fp80 0xK4000C90FDAA22168C235 | fp128 0xL8469898CC51701B84000921FB54442D1
define $T @literal_$T($T %a, i1 %c) {
  %r = select i1 %c, $T %a, $T $V
  ret $T %r
}
; end
; each $T $V: i1 true | i7 -64 | i64 -9223372036854775808 | i65 -18446744073709551616 | i128 -170141183460469231731687303715884105728 | i200 -803469022129495137770981046170581301261101496891396417650688 | i256 115792089237316195423570985008687907853269984665640564039457584007913129639935
define $T @literal_$T($T %a, i1 %c) {
  %r = select i1 %c, $T %a, $T $V
  ret $T %r
}
; end
define { i8, [2 x i16], <2 x i32>, { i64 } } @literal_aggregate(i1 %c) {
  %r = select i1 %c, { i8, [2 x i16], <2 x i32>, { i64 } } zeroinitializer, { i8, [2 x i16], <2 x i32>, { i64 } } { i8 1, [2 x i16] [i16 2, i16 3], <2 x i32> <i32 4, i32 5>, { i64 } { i64 6 } }
  ret { i8, [2 x i16], <2 x i32>, { i64 } } %r
}

; Constructors run before, lowest priority first.

@trace = internal global i32 1
@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [
  { i32, ptr, ptr } { i32 65535, ptr @later, ptr null },
  { i32, ptr, ptr } { i32 200, ptr @earlier, ptr null }
]
@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @at_end, ptr null }]
define internal void @earlier() {
  %x = load i32, ptr @trace
  %y = mul i32 %x, 10
  store i32 %y, ptr @trace
  ret void
}
define internal void @later() {
  %x = load i32, ptr @trace
  %y = add i32 %x, 3
  store i32 %y, ptr @trace
  ret void
}
define internal void @at_end() {
  store i32 0, ptr @trace
  ret void
}
define i32 @constructed() {
  %r = load i32, ptr @trace
  ret i32 %r
}

; Names that need quotes, and none at all.

@"a name, quoted" = internal constant i32 8
@0 = internal constant i32 9
define internal i32 @1(i32 %a) {
  %x = load i32, ptr @0
  %y = load i32, ptr @"a name, quoted"
  %z = mul i32 %x, %y
  %r = add i32 %z, %a
  ret i32 %r
}
define i32 @names(i32 %a) {
  %r = call i32 @1(i32 %a)
  ret i32 %r
}
