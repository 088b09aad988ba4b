; Atomic accesses. One thread runs, so each is its plain counterpart.

; each $T: i8 | i16 | i32 | i64
; each $OP: xchg | add | sub | and | nand | or | xor | max | min | umax | umin | uinc_wrap | udec_wrap
define { $T, $T } @$OP_$T($T %a, $T %b) {
  %p = alloca $T
  store $T %a, ptr %p
  %old = atomicrmw $OP ptr %p, $T %b seq_cst
  %new = load $T, ptr %p
  %1 = insertvalue { $T, $T } poison, $T %old, 0
  %2 = insertvalue { $T, $T } %1, $T %new, 1
  ret { $T, $T } %2
}
; end
define { $T, i1, $T } @cmpxchg_$T($T %a, $T %b, i1 %same) {
  %p = alloca $T
  store $T %a, ptr %p
  %expected = select i1 %same, $T %a, $T %b
  %new = xor $T %b, 85
  %both = cmpxchg ptr %p, $T %expected, $T %new acq_rel monotonic
  %old = extractvalue { $T, i1 } %both, 0
  %done = extractvalue { $T, i1 } %both, 1
  %now = load $T, ptr %p
  %1 = insertvalue { $T, i1, $T } poison, $T %old, 0
  %2 = insertvalue { $T, i1, $T } %1, i1 %done, 1
  %3 = insertvalue { $T, i1, $T } %2, $T %now, 2
  ret { $T, i1, $T } %3
}
define $T @load_and_store_$T($T %a) {
  %p = alloca $T, align 8
  store atomic $T %a, ptr %p release, align 8
  fence seq_cst
  %r = load atomic $T, ptr %p acquire, align 8
  fence syncscope("singlethread") acquire
  ret $T %r
}
; end

; each $T: float | double
; each $OP: xchg | fadd | fsub | fmax | fmin
define { $T, $T } @$OP_$T($T %a, $T %b) {
  %p = alloca $T
  store $T %a, ptr %p
  %old = atomicrmw $OP ptr %p, $T %b monotonic
  %left = load $T, ptr %p
  %new = fadd $T %left, 0.0
  %1 = insertvalue { $T, $T } poison, $T %old, 0
  %2 = insertvalue { $T, $T } %1, $T %new, 1
  ret { $T, $T } %2
}
; end
define $T @load_and_store_$T($T %a) {
  %p = alloca $T, align 8
  store atomic volatile $T %a, ptr %p unordered, align 8
  %r = load atomic volatile $T, ptr %p unordered, align 8
  ret $T %r
}
; end

define { i1, i1 } @pointers(i1 %c) {
  %x = alloca i32
  %y = alloca i32
  %p = alloca ptr
  store atomic ptr %x, ptr %p monotonic, align 8
  %old = atomicrmw xchg ptr %p, ptr %y seq_cst
  %was.x = icmp eq ptr %old, %x
  %expected = select i1 %c, ptr %y, ptr %x
  %both = cmpxchg weak ptr %p, ptr %expected, ptr null seq_cst seq_cst
  %now = load atomic ptr, ptr %p monotonic, align 8
  %gone = icmp eq ptr %now, null
  %1 = insertvalue { i1, i1 } poison, i1 %was.x, 0
  %2 = insertvalue { i1, i1 } %1, i1 %gone, 1
  ret { i1, i1 } %2
}
