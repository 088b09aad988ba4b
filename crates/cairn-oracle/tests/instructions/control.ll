; How blocks end, and phis.

define i32 @branches(i32 %a, i32 %b) {
entry:
  %less = icmp slt i32 %a, %b
  br i1 %less, label %then, label %otherwise
then:
  %1 = sub i32 %b, %a
  br label %done
otherwise:
  %2 = sub i32 %a, %b
  br label %done
done:
  %r = phi i32 [ %1, %then ], [ %2, %otherwise ]
  ret i32 %r
}
define i32 @same_target_twice(i32 %a, i1 %c) {
entry:
  br i1 %c, label %done, label %done
done:
  %r = phi i32 [ %a, %entry ], [ %a, %entry ]
  ret i32 %r
}
define i32 @constant_branch(i32 %a) {
entry:
  br i1 true, label %taken, label %other
other:
  br label %taken
taken:
  %r = phi i32 [ %a, %entry ], [ 0, %other ]
  ret i32 %r
}
define { i32, i32 } @swapping_phis(i32 %a, i32 %b, i8 %n) {
entry:
  %count = and i8 %n, 7
  br label %loop
loop:
  %x = phi i32 [ %a, %entry ], [ %y, %loop ]
  %y = phi i32 [ %b, %entry ], [ %x, %loop ]
  %i = phi i8 [ 0, %entry ], [ %next, %loop ]
  %next = add i8 %i, 1
  %more = icmp ule i8 %next, %count
  br i1 %more, label %loop, label %done
done:
  %1 = insertvalue { i32, i32 } poison, i32 %x, 0
  %2 = insertvalue { i32, i32 } %1, i32 %y, 1
  ret { i32, i32 } %2
}
define { i64, i200 } @phi_of_struct(i64 %a, i200 %b, i1 %c) {
entry:
  %1 = insertvalue { i64, i200 } poison, i64 %a, 0
  %2 = insertvalue { i64, i200 } %1, i200 %b, 1
  br i1 %c, label %done, label %other
other:
  br label %done
done:
  %r = phi { i64, i200 } [ %2, %entry ], [ { i64 1, i200 2 }, %other ]
  ret { i64, i200 } %r
}
define i32 @blocks_out_of_order(i32 %a) {
entry:
  br label %last
middle:
  %r = mul i32 %x, 3
  ret i32 %r
last:
  %x = add i32 %a, 1
  br label %middle
}
define i32 @unreached_blocks(i32 %a) {
entry:
  br label %done
orphan:
  %x = add i32 %a, 1
  br label %done
done:
  %r = phi i32 [ %a, %entry ], [ %x, %orphan ]
  ret i32 %r
}
define i64 @nested_loops(i8 %n, i8 %m) {
entry:
  %rows = and i8 %n, 15
  %columns = and i8 %m, 15
  br label %outer
outer:
  %i = phi i8 [ 0, %entry ], [ %i.next, %outer.end ]
  %sum = phi i64 [ 0, %entry ], [ %sum.inner, %outer.end ]
  %i.more = icmp ult i8 %i, %rows
  br i1 %i.more, label %inner, label %done
inner:
  %j = phi i8 [ 0, %outer ], [ %j.next, %inner.body ]
  %sum.inner = phi i64 [ %sum, %outer ], [ %sum.next, %inner.body ]
  %j.more = icmp ult i8 %j, %columns
  br i1 %j.more, label %inner.body, label %outer.end
inner.body:
  %product = mul i8 %i, %j
  %wide = sext i8 %product to i64
  %sum.next = add i64 %sum.inner, %wide
  %j.next = add i8 %j, 1
  br label %inner
outer.end:
  %i.next = add i8 %i, 1
  br label %outer
done:
  ret i64 %sum
}

; Switches.

; each $T $A $B $C: i8 0 127 -128 | i32 0 2147483647 -1 | i33 1 7 -1 | i64 7 9223372036854775807 -9223372036854775808 | i128 7 18446744073709551616 -3 | i200 65 1606938044258990275541962092341162602522202993782792835301375 -3
define i32 @switch_$T($T %a) {
entry:
  switch $T %a, label %other [
    $T $A, label %first
    $T $B, label %second
    $T $C, label %third
    $T 2, label %first.or.second
  ]
first:
  br label %done
second:
  br label %done
third:
  ret i32 33
first.or.second:
  br label %done
other:
  br label %done
done:
  %r = phi i32 [ 11, %first ], [ 22, %second ], [ 44, %first.or.second ], [ 55, %other ]
  ret i32 %r
}
; end
define i32 @switch_i1(i1 %a) {
  switch i1 %a, label %other [ i1 true, label %one ]
one:
  ret i32 1
other:
  ret i32 0
}
define i32 @switch_many_to_one(i8 %a) {
entry:
  switch i8 %a, label %other [
    i8 0, label %some
    i8 1, label %some
    i8 2, label %some
    i8 7, label %other
  ]
some:
  %x = phi i32 [ 10, %entry ], [ 10, %entry ], [ 10, %entry ]
  ret i32 %x
other:
  %y = phi i32 [ 20, %entry ], [ 20, %entry ]
  ret i32 %y
}
define i32 @switch_without_cases(i32 %a) {
  switch i32 %a, label %only []
only:
  ret i32 %a
}
define i32 @switch_dense(i32 %a) {
  %few = and i32 %a, 7
  switch i32 %few, label %never [
    i32 0, label %b0
    i32 1, label %b1
    i32 2, label %b2
    i32 3, label %b3
    i32 4, label %b0
    i32 5, label %b1
    i32 6, label %b2
    i32 7, label %b3
  ]
b0:
  ret i32 100
b1:
  ret i32 101
b2:
  ret i32 102
b3:
  ret i32 103
never:
  unreachable
}

; Addresses of blocks.

@labels = internal constant [3 x ptr] [
  ptr blockaddress(@indirect, %one),
  ptr blockaddress(@indirect, %two),
  ptr blockaddress(@indirect, %three)
]
define i32 @indirect(i32 %a) {
entry:
  %few = urem i32 %a, 3
  %place = getelementptr ptr, ptr @labels, i32 %few
  %target = load ptr, ptr %place
  indirectbr ptr %target, [label %one, label %two, label %three]
one:
  %x = phi i32 [ 1, %entry ], [ %y.next, %two ]
  ret i32 %x
two:
  %y = phi i32 [ %a, %entry ]
  %y.next = mul i32 %y, 5
  indirectbr ptr blockaddress(@indirect, %one), [label %one, label %three]
three:
  %z = phi i32 [ 3, %entry ], [ 4, %two ]
  ret i32 %z
}

; Calls that may throw, and do not.

declare i32 @__gcc_personality_v0(...)
define internal i32 @doubled(i32 %a) {
  %r = shl i32 %a, 1
  ret i32 %r
}
define i32 @invoked(i32 %a) personality ptr @__gcc_personality_v0 {
entry:
  %x = invoke i32 @doubled(i32 %a) to label %normal unwind label %unwinding
normal:
  %r = phi i32 [ %x, %entry ]
  ret i32 %r
unwinding:
  %pad = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %pad
}
define i32 @invoked_through_pointer(i32 %a) personality ptr @__gcc_personality_v0 {
entry:
  %p = alloca ptr
  store ptr @doubled, ptr %p
  %f = load ptr, ptr %p
  %x = invoke i32 %f(i32 %a) to label %normal unwind label %unwinding
normal:
  ret i32 %x
unwinding:
  %pad = landingpad { ptr, i32 } cleanup
  ret i32 0
}
define i32 @call_or_branch(i32 %a) {
entry:
  callbr void asm sideeffect "", "!i"() to label %through [label %aside]
through:
  %x = add i32 %a, 1
  ret i32 %x
aside:
  ret i32 0
}
define i32 @phi_partly_undefined(i32 %a, i1 %c) {
entry:
  br i1 %c, label %done, label %other
other:
  br label %done
done:
  %x = phi i32 [ %a, %entry ], [ undef, %other ]
  %r = select i1 %c, i32 %x, i32 5
  ret i32 %r
}
