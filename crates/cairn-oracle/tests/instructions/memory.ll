; Objects, loads and stores of all types, address computation, and the intrinsics that move bytes.

@counter = internal global i32 5
@zeros = internal global [40 x i8] zeroinitializer
@longs = internal global [4 x i64] [i64 11, i64 22, i64 33, i64 44]
@relative = internal constant [3 x i32] [
  i32 trunc (i64 sub (i64 ptrtoint (ptr @longs to i64), i64 ptrtoint (ptr @relative to i64)) to i32),
  i32 trunc (i64 sub (i64 ptrtoint (ptr getelementptr (i64, ptr @longs, i64 2) to i64), i64 ptrtoint (ptr @relative to i64)) to i32),
  i32 trunc (i64 sub (i64 ptrtoint (ptr @counter to i64), i64 ptrtoint (ptr @relative to i64)) to i32)
]

%Mixed = type { i8, i32, i16, i64 }
%Packed = type <{ i8, i32, i16, i64 }>
%Nested = type { [3 x %Mixed], <4 x i16>, %Packed }

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)
declare void @llvm.memcpy.inline.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memset.inline.p0.i64(ptr, i8, i64, i1)
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
declare ptr @llvm.load.relative.i64(ptr, i64)
declare ptr @llvm.load.relative.i32(ptr, i32)

; each $T: i1 | i7 | i8 | i16 | i24 | i32 | i33 | i64 | i65 | i128 | i200 | half | bfloat | float | double | x86_fp80 | fp128 | <4 x i32> | <3 x i16> | <8 x i1> | <5 x i7> | <2 x i33> | <2 x double> | [3 x i16] | { i8, i64 } | { i1, x86_fp80, i24 }
define { $T, $T } @store_and_load_#($T %a, $T %b) {
  %array = alloca [3 x $T]
  %second = getelementptr [3 x $T], ptr %array, i64 0, i64 1
  %third = getelementptr $T, ptr %array, i32 2
  store $T %b, ptr %third
  store $T %a, ptr %second
  store volatile $T %b, ptr %array, align 1
  %x = load $T, ptr %second
  %y = load volatile $T, ptr %third, align 1
  %1 = insertvalue { $T, $T } poison, $T %x, 0
  %2 = insertvalue { $T, $T } %1, $T %y, 1
  ret { $T, $T } %2
}
; end

; The bytes of what has no padding in its bytes.
; each $T $BYTES: i1 1 | i24 3 | i33 5 | i64 8 | i128 16 | i200 25 | float 4 | x86_fp80 10 | half 2
define i64 @bytes_#($T %a, i8 %n) {
  %p = alloca i256
  store i256 0, ptr %p
  store $T %a, ptr %p
  %small = urem i8 %n, $BYTES
  %at = zext i8 %small to i64
  %q = getelementptr i8, ptr %p, i64 %at
  %byte = load i8, ptr %q
  %first = load i8, ptr %p
  %x = zext i8 %byte to i64
  %y = zext i8 %first to i64
  %z = shl i64 %y, 8
  %r = or i64 %x, %z
  ret i64 %r
}
; end
; each $T: <4 x i8> | <2 x i16> | <32 x i1> | <8 x i4>
define i32 @packed_lanes_#($T %a) {
  %p = alloca i32
  store $T %a, ptr %p
  %r = load i32, ptr %p
  ret i32 %r
}
define $T @unpacked_lanes_#(i32 %a) {
  %p = alloca i32
  store i32 %a, ptr %p
  %r = load $T, ptr %p
  ret $T %r
}
; end

define i32 @global(i32 %a) {
  %old = load i32, ptr @counter
  store i32 %a, ptr @counter
  %new = load i32, ptr @counter
  store i32 5, ptr @counter
  %r = sub i32 %new, %old
  ret i32 %r
}

; Addresses.

; each $I: i8 | i16 | i32 | i64 | i128
define i64 @scaled_$I($I %n) {
  %p = getelementptr %Nested, ptr null, $I %n, i32 0, $I %n, i32 3
  %r = ptrtoint ptr %p to i64
  ret i64 %r
}
; end
define i64 @structs(i64 %n) {
  %few = and i64 %n, 1023
  %p = getelementptr %Nested, ptr inttoptr (i64 4096 to ptr), i64 %few, i32 2, i32 3
  %q = getelementptr inbounds %Nested, ptr inttoptr (i64 4096 to ptr), i64 %few, i32 1, i64 3
  %x = ptrtoint ptr %p to i64
  %y = ptrtoint ptr %q to i64
  %r = mul i64 %x, %y
  ret i64 %r
}
define i64 @nested_fields(i64 %n, i16 %v) {
  %object = alloca %Nested, align 16
  call void @llvm.memset.p0.i64(ptr %object, i8 -1, i64 96, i1 false)
  %few = urem i64 %n, 3
  %p = getelementptr inbounds %Nested, ptr %object, i64 0, i32 0, i64 %few, i32 2
  store i16 %v, ptr %p
  %q = getelementptr inbounds %Mixed, ptr %object, i64 1, i32 2
  %x = load i16, ptr %q
  %packed = getelementptr %Nested, ptr %object, i64 0, i32 2, i32 1
  %wide = sext i16 %x to i32
  store i32 %wide, ptr %packed
  %odd = load i64, ptr %packed
  %r = add i64 %odd, %few
  ret i64 %r
}
define <4 x i64> @lanes_of_addresses(<4 x i64> %n) {
  %base = insertelement <4 x ptr> zeroinitializer, ptr inttoptr (i64 64 to ptr), i32 2
  %1 = getelementptr %Mixed, <4 x ptr> %base, <4 x i64> %n, i32 1
  %2 = getelementptr i16, <4 x ptr> %1, i64 3
  %r = ptrtoint <4 x ptr> %2 to <4 x i64>
  ret <4 x i64> %r
}
define <2 x i64> @one_base_for_lanes(<2 x i32> %n) {
  %1 = getelementptr %Packed, ptr inttoptr (i64 64 to ptr), <2 x i32> %n, i32 3
  %r = ptrtoint <2 x ptr> %1 to <2 x i64>
  ret <2 x i64> %r
}
define i64 @inbounds_both_ways(i8 %n) {
  %few = srem i8 %n, 2
  %middle = getelementptr inbounds [4 x i64], ptr @longs, i64 0, i64 2
  %p = getelementptr inbounds i64, ptr %middle, i8 %few
  %r = load i64, ptr %p
  ret i64 %r
}

; Objects whose size is not known before.

define i64 @sized_by_argument(i8 %n) {
  %count = and i8 %n, 31
  %size = add i8 %count, 2
  %array = alloca i64, i8 %size, align 32
  %aligned = ptrtoint ptr %array to i64
  %low = and i64 %aligned, 31
  %last.index = sub i8 %size, 1
  %last = getelementptr i64, ptr %array, i8 %last.index
  store i64 77, ptr %last
  store i64 1000, ptr %array
  %x = load i64, ptr %last
  %y = load i64, ptr %array
  %1 = add i64 %x, %y
  %r = add i64 %1, %low
  ret i64 %r
}
define i64 @stack_marks(i8 %n) {
entry:
  %count = and i8 %n, 15
  %outer = alloca i64, i8 3
  store i64 9, ptr %outer
  br label %loop
loop:
  %i = phi i8 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %added, %loop ]
  %mark = call ptr @llvm.stacksave.p0()
  %size = add i8 %i, 1
  %inner = alloca i64, i8 %size
  %last = getelementptr i64, ptr %inner, i8 %i
  %wide = zext i8 %i to i64
  store i64 %wide, ptr %last
  %x = load i64, ptr %last
  %y = load i64, ptr %outer
  call void @llvm.stackrestore.p0(ptr %mark)
  %both = mul i64 %x, %y
  %added = add i64 %sum, %both
  %next = add i8 %i, 1
  %more = icmp ult i8 %next, %count
  br i1 %more, label %loop, label %done
done:
  ret i64 %added
}

; Bytes.

; each $MOVE: memcpy.p0.p0 | memmove.p0.p0
define i64 @$MOVE_some(i64 %a, i8 %n) {
  %from = alloca i64
  %to = alloca i64
  store i64 %a, ptr %from
  store i64 -1, ptr %to
  %few = urem i8 %n, 9
  %length = zext i8 %few to i64
  call void @llvm.$MOVE.i64(ptr %to, ptr %from, i64 %length, i1 false)
  %r = load i64, ptr %to
  ret i64 %r
}
; end
define i64 @memcpy_narrow_length(i64 %a, i32 %n) {
  %from = alloca i64
  %to = alloca i64
  store i64 %a, ptr %from
  store i64 -1, ptr %to
  %length = urem i32 %n, 9
  call void @llvm.memcpy.p0.p0.i32(ptr align 8 %to, ptr align 8 %from, i32 %length, i1 true)
  %r = load i64, ptr %to
  ret i64 %r
}
define i64 @memcpy_inline(i64 %a) {
  %from = alloca i64
  %to = alloca i64
  store i64 %a, ptr %from
  store i64 -1, ptr %to
  call void @llvm.memcpy.inline.p0.p0.i64(ptr %to, ptr %from, i64 5, i1 false)
  %r = load i64, ptr %to
  ret i64 %r
}
define i64 @memmove_overlapping(i64 %a, i1 %up) {
  %p = alloca i64
  store i64 %a, ptr %p
  %q = getelementptr i8, ptr %p, i64 3
  %to = select i1 %up, ptr %q, ptr %p
  %from = select i1 %up, ptr %p, ptr %q
  call void @llvm.memmove.p0.p0.i64(ptr %to, ptr %from, i64 5, i1 false)
  %r = load i64, ptr %p
  ret i64 %r
}
define i64 @memset_some(i64 %a, i8 %byte, i8 %n) {
  %p = alloca i64
  store i64 %a, ptr %p
  %few = urem i8 %n, 9
  %length = zext i8 %few to i64
  call void @llvm.memset.p0.i64(ptr %p, i8 %byte, i64 %length, i1 false)
  %r = load i64, ptr %p
  ret i64 %r
}
define i64 @memset_inline(i64 %a, i8 %byte) {
  %p = alloca i64
  store i64 %a, ptr %p
  call void @llvm.memset.inline.p0.i64(ptr %p, i8 %byte, i64 3, i1 false)
  %r = load i64, ptr %p
  ret i64 %r
}
define i8 @large_zero_aggregate(i8 %n) {
  %p = alloca [40 x i8]
  call void @llvm.memset.p0.i64(ptr %p, i8 7, i64 40, i1 false)
  store [40 x i8] zeroinitializer, ptr %p
  %small = urem i8 %n, 40
  %q = getelementptr i8, ptr %p, i8 %small
  %x = load i8, ptr %q
  %whole = load [40 x i8], ptr @zeros
  %y = extractvalue [40 x i8] %whole, 39
  %r = add i8 %x, %y
  ret i8 %r
}
define { i8, i32, i16, i64 } @structs_whole(i64 %a) {
  %p = alloca %Mixed
  %1 = trunc i64 %a to i8
  %2 = trunc i64 %a to i32
  %v1 = insertvalue %Mixed { i8 1, i32 2, i16 3, i64 4 }, i8 %1, 0
  %v2 = insertvalue %Mixed %v1, i32 %2, 1
  store %Mixed %v2, ptr %p
  %q = getelementptr %Mixed, ptr %p, i32 0, i32 3
  store i64 %a, ptr %q
  %x = load %Mixed, ptr %p
  %x0 = extractvalue %Mixed %x, 0
  %x1 = extractvalue %Mixed %x, 1
  %x2 = extractvalue %Mixed %x, 2
  %x3 = extractvalue %Mixed %x, 3
  %r0 = insertvalue { i8, i32, i16, i64 } poison, i8 %x0, 0
  %r1 = insertvalue { i8, i32, i16, i64 } %r0, i32 %x1, 1
  %r2 = insertvalue { i8, i32, i16, i64 } %r1, i16 %x2, 2
  %r3 = insertvalue { i8, i32, i16, i64 } %r2, i64 %x3, 3
  ret { i8, i32, i16, i64 } %r3
}
define i16 @nested_aggregates(i16 %a, i8 %b) {
  %1 = insertvalue { [2 x { i8, i16 }], i32 } zeroinitializer, i16 %a, 0, 1, 1
  %2 = insertvalue { [2 x { i8, i16 }], i32 } %1, { i8, i16 } { i8 3, i16 4 }, 0, 0
  %3 = insertvalue { [2 x { i8, i16 }], i32 } %2, i8 %b, 0, 1, 0
  %4 = extractvalue { [2 x { i8, i16 }], i32 } %3, 0
  %5 = extractvalue [2 x { i8, i16 }] %4, 1
  %6 = extractvalue { i8, i16 } %5, 1
  %7 = extractvalue { [2 x { i8, i16 }], i32 } %3, 0, 0, 1
  %8 = extractvalue { i8, i16 } %5, 0
  %9 = zext i8 %8 to i16
  %10 = add i16 %6, %7
  %r = mul i16 %10, %9
  ret i16 %r
}

; Parts of addresses.

define i64 @mask(i64 %a, i8 %n) {
  %few = and i8 %n, 15
  %amount = zext i8 %few to i64
  %mask = shl i64 -1, %amount
  %p = inttoptr i64 %a to ptr
  %q = call ptr @llvm.ptrmask.p0.i64(ptr %p, i64 %mask)
  %r = ptrtoint ptr %q to i64
  ret i64 %r
}
define i64 @masked_object(i8 %n) {
  %p = alloca [4 x i64], align 32
  store [4 x i64] [i64 5, i64 6, i64 7, i64 8], ptr %p
  %few = and i8 %n, 3
  %q = getelementptr i64, ptr %p, i8 %few
  %back = call ptr @llvm.ptrmask.p0.i64(ptr %q, i64 -32)
  %x = load i64, ptr %back
  %y = load i64, ptr %q
  %r = mul i64 %x, %y
  ret i64 %r
}
define i64 @load_relative(i64 %n) {
  %few = and i64 %n, 1
  %offset = mul i64 %few, 4
  %p = call ptr @llvm.load.relative.i64(ptr @relative, i64 %offset)
  %q = call ptr @llvm.load.relative.i32(ptr @relative, i32 8)
  %x = load i64, ptr %p
  %y = load i32, ptr %q
  %z = zext i32 %y to i64
  %r = add i64 %x, %z
  ret i64 %r
}

; Pointers that take a way through numbers and bytes, and still lead to their object.

define i32 @pointer_in_number(i32 %a, i64 %b) {
  %p = alloca i32
  store i32 %a, ptr %p
  %n = ptrtoint ptr %p to i64
  %1 = xor i64 %n, %b
  %2 = xor i64 %1, %b
  %3 = add i64 %2, %b
  %4 = sub i64 %3, %b
  %q = inttoptr i64 %4 to ptr
  %r = load i32, ptr %q
  ret i32 %r
}
define i32 @pointer_in_halves(i32 %a) {
  %p = alloca i32
  store i32 %a, ptr %p
  %n = ptrtoint ptr %p to i64
  %low = trunc i64 %n to i32
  %up = lshr i64 %n, 32
  %place = alloca { i32, i32 }
  %second = getelementptr { i32, i32 }, ptr %place, i32 0, i32 1
  %high = trunc i64 %up to i32
  store i32 %low, ptr %place
  store i32 %high, ptr %second
  %q = load ptr, ptr %place
  %r = load i32, ptr %q
  ret i32 %r
}
define i32 @pointer_in_bytes(i32 %a) {
entry:
  %p = alloca i32
  store i32 %a, ptr %p
  %from = alloca ptr
  %to = alloca ptr
  store ptr %p, ptr %from
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %x = getelementptr i8, ptr %from, i64 %i
  %y = getelementptr i8, ptr %to, i64 %i
  %byte = load i8, ptr %x
  store i8 %byte, ptr %y
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 8
  br i1 %more, label %loop, label %done
done:
  %q = load ptr, ptr %to
  %r = load i32, ptr %q
  ret i32 %r
}
define i32 @pointer_copied(i32 %a) {
  %p = alloca i32
  store i32 %a, ptr %p
  %from = alloca [2 x ptr]
  %to = alloca [2 x ptr]
  store [2 x ptr] zeroinitializer, ptr %from
  %second = getelementptr ptr, ptr %from, i64 1
  store ptr %p, ptr %second
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 16, i1 false)
  %both = load <2 x ptr>, ptr %to
  %q = extractelement <2 x ptr> %both, i64 1
  %r = load i32, ptr %q
  ret i32 %r
}
define i32 @pointer_in_wide_number(i32 %a, i64 %b) {
  %p = alloca i32
  store i32 %a, ptr %p
  %n = ptrtoint ptr %p to i128
  %up = shl i128 %n, 64
  %other = zext i64 %b to i128
  %both = or i128 %up, %other
  %place = alloca i128
  store i128 %both, ptr %place
  %second = getelementptr i64, ptr %place, i64 1
  %q = load ptr, ptr %second
  %again = load i128, ptr %place
  %down = lshr i128 %again, 64
  %q2 = inttoptr i128 %down to ptr
  %x = load i32, ptr %q
  %y = load i32, ptr %q2
  %r = mul i32 %x, %y
  ret i32 %r
}
define i32 @tagged_pointer(i32 %a, i1 %tag) {
  %p = alloca i32, align 8
  store i32 %a, ptr %p
  %n = ptrtoint ptr %p to i64
  %bit = zext i1 %tag to i64
  %tagged = or i64 %n, %bit
  %q = inttoptr i64 %tagged to ptr
  %back = ptrtoint ptr %q to i64
  %cleared = and i64 %back, -8
  %s = inttoptr i64 %cleared to ptr
  %x = load i32, ptr %s
  %is = and i64 %back, 1
  %told = trunc i64 %is to i32
  %r = add i32 %x, %told
  ret i32 %r
}
define { i32, i32 } @exchanged_by_xor(i32 %a, i32 %b) {
  %p = alloca i32
  %q = alloca i32
  store i32 %a, ptr %p
  store i32 %b, ptr %q
  %x = ptrtoint ptr %p to i64
  %y = ptrtoint ptr %q to i64
  %x1 = xor i64 %x, %y
  %y1 = xor i64 %y, %x1
  %x2 = xor i64 %x1, %y1
  %p1 = inttoptr i64 %x2 to ptr
  %q1 = inttoptr i64 %y1 to ptr
  %i = load i32, ptr %p1
  %j = load i32, ptr %q1
  %1 = insertvalue { i32, i32 } poison, i32 %i, 0
  %2 = insertvalue { i32, i32 } %1, i32 %j, 1
  ret { i32, i32 } %2
}
define i32 @selected_as_number(i32 %a, i32 %b, i1 %c) {
  %p = alloca i32
  %q = alloca i32
  store i32 %a, ptr %p
  store i32 %b, ptr %q
  %x = ptrtoint ptr %p to i64
  %y = ptrtoint ptr %q to i64
  %mask = sext i1 %c to i64
  %rest = xor i64 %mask, -1
  %1 = and i64 %x, %mask
  %2 = and i64 %y, %rest
  %3 = or i64 %1, %2
  %s = inttoptr i64 %3 to ptr
  %r = load i32, ptr %s
  ret i32 %r
}
define i32 @scaled_and_back(i32 %a) {
  %p = alloca i32, align 8
  store i32 %a, ptr %p
  %n = ptrtoint ptr %p to i64
  %small = udiv exact i64 %n, 8
  %large = mul i64 %small, 8
  %q = inttoptr i64 %large to ptr
  %r = load i32, ptr %q
  ret i32 %r
}
define i64 @distance_in_object(i8 %n) {
  %few = and i8 %n, 3
  %p = getelementptr [4 x i64], ptr @longs, i64 0, i8 %few
  %end = getelementptr [4 x i64], ptr @longs, i64 1
  %x = ptrtoint ptr %end to i64
  %y = ptrtoint ptr %p to i64
  %distance = sub i64 %x, %y
  %count = sdiv exact i64 %distance, 8
  %back = sub i64 0, %count
  %q = getelementptr i64, ptr %end, i64 %back
  %r = load i64, ptr %q
  ret i64 %r
}

; Types without bytes, and unsigned promises.

%Hollow = type { i32, {}, [0 x i64], [2 x {}], i32 }
define internal { {}, i32 } @hollow({} %x, i32 %a, [0 x i64] %y) {
  %r = insertvalue { {}, i32 } poison, i32 %a, 1
  ret { {}, i32 } %r
}
define i32 @without_bytes(i32 %a) {
  %p = alloca %Hollow
  %q = alloca [0 x i32]
  store %Hollow { i32 1, {} zeroinitializer, [0 x i64] zeroinitializer, [2 x {}] zeroinitializer, i32 7 }, ptr %p
  store {} zeroinitializer, ptr %p
  %both = call { {}, i32 } @hollow({} zeroinitializer, i32 %a, [0 x i64] zeroinitializer)
  %x = extractvalue { {}, i32 } %both, 1
  %whole = load %Hollow, ptr %p
  %changed = insertvalue %Hollow %whole, i32 %x, 0
  %first = extractvalue %Hollow %changed, 0
  %last = extractvalue %Hollow %changed, 4
  %r = mul i32 %first, %last
  ret i32 %r
}
define i64 @unsigned_promises(i8 %n) {
  %few = and i8 %n, 3
  %p = getelementptr nuw i64, ptr @longs, i8 %few
  %q = getelementptr inbounds nuw i8, ptr %p, i64 0
  %s = getelementptr nusw i8, ptr %q, i64 0
  %r = load i64, ptr %s
  ret i64 %r
}
define i64 @zero_sized_object(i64 %a) {
  %none = alloca i64, i32 0
  %p = alloca i64
  store i64 %a, ptr %p
  %same = icmp eq ptr %none, null
  %r = load i64, ptr %p
  %s = select i1 %same, i64 0, i64 %r
  ret i64 %s
}
