//! Parts of programs about the compiler's built-in functions.

use super::draft::{Draft, INTEGERS, c};
use crate::random::Draw;

/// Counting, turning and moving bits.
pub(super) fn bits(draft: &mut Draft) {
    for _ in 0..draft.random.within(3, 10) {
        let (v, w) = (draft.value(), draft.value());
        let text = match draft.random.below(20) {
            0 => "__builtin_popcount((unsigned)($v))",
            1 => "__builtin_popcountll($v)",
            2 => "__builtin_clz((unsigned)($v) | 1)",
            3 => "__builtin_clzll(($v) | 1)",
            4 => "__builtin_ctz((unsigned)($v) | 0x80000000u)",
            5 => "__builtin_ctzll(($v) | 0x8000000000000000ull)",
            6 => "__builtin_ffs((int)($v))",
            7 => "__builtin_ffsll((i64)($v))",
            8 => "__builtin_parity((unsigned)($v))",
            9 => "__builtin_parityll($v)",
            10 => "__builtin_bswap16((u16)($v))",
            11 => "__builtin_bswap32((u32)($v))",
            12 => "__builtin_bswap64($v)",
            13 => "__builtin_bitreverse32((u32)($v))",
            14 => "__builtin_bitreverse8((u8)($v))",
            15 => "__builtin_rotateleft64($v, $w)",
            16 => "__builtin_rotateright16((u16)($v), (u16)($w))",
            17 => "__builtin_rotateleft8((u8)($v), (u8)($w))",
            18 => "__builtin_clrsbll((i64)($v))",
            _ => "(($v) << (($w) & 63) | ($v) >> (-($w) & 63))",
        };
        let text = c!(text, v = v, w = w);
        draft.say(&format!("show(\"bits\", (u64){text});"));
    }
}

/// Arithmetic that says whether it overflowed.
pub(super) fn overflow(draft: &mut Draft) {
    for _ in 0..draft.random.within(3, 10) {
        let (v, w) = (draft.value(), draft.value());
        let name = *draft.random.pick(&["add", "sub", "mul"]);
        let (a, _, _) = *draft.random.pick(&INTEGERS);
        let (b, _, _) = *draft.random.pick(&INTEGERS);
        let (r, _, _) = *draft.random.pick(&INTEGERS);
        let same = draft.random.chance(50);
        let (b, r) = if same { (a, a) } else { (b, r) };
        draft.say(&c!(
            "{ $r r; int over = __builtin_$name_overflow(($a)($v), ($b)($w), &r); \
             show(\"$name overflows\", (u64)over); show(\"result\", (u64)r); }",
            name = name,
            a = a,
            b = b,
            r = r,
            v = v,
            w = w,
        ));
    }
    let (v, w) = (draft.value(), draft.value());
    draft.say(&c!(
        "{ unsigned long carry = 0, low = __builtin_addcl($v, $w, 1, &carry); \
         unsigned long high = __builtin_subcl($w, $v, carry, &carry); \
         show(\"low\", low); show(\"high\", high); show(\"carry\", carry); }",
        v = v,
        w = w,
    ));
}

/// Atomic operations, of one thread.
pub(super) fn atomics(draft: &mut Draft) {
    let (t, _, _) = *draft.random.pick(&INTEGERS);
    let x = draft.fresh("atomic");
    let order = *draft
        .random
        .pick(&["__ATOMIC_SEQ_CST", "__ATOMIC_RELAXED", "__ATOMIC_ACQ_REL"]);
    let first = draft.value();
    draft.top(&format!("static {t} {x};"));
    draft.say(&format!(
        "__atomic_store_n(&{x}, ({t})({first}), __ATOMIC_RELEASE);"
    ));
    for _ in 0..draft.random.within(2, 9) {
        let v = draft.value();
        let text = match draft.random.below(11) {
            0 => "(u64)__atomic_fetch_add(&$x, ($t)($v), $o)",
            1 => "(u64)__atomic_sub_fetch(&$x, ($t)($v), $o)",
            2 => "(u64)__atomic_fetch_and(&$x, ($t)($v), $o)",
            3 => "(u64)__atomic_or_fetch(&$x, ($t)($v), $o)",
            4 => "(u64)__atomic_fetch_xor(&$x, ($t)($v), $o)",
            5 => "(u64)__atomic_fetch_nand(&$x, ($t)($v), $o)",
            6 => "(u64)__atomic_exchange_n(&$x, ($t)($v), $o)",
            7 => "(u64)__sync_val_compare_and_swap(&$x, $x, ($t)($v))",
            8 => "(u64)__atomic_load_n(&$x, __ATOMIC_ACQUIRE)",
            9 => "(u64)__atomic_fetch_max(&$x, ($t)($v), $o)",
            _ => "(u64)__atomic_fetch_min(&$x, ($t)($v), $o)",
        };
        let text = c!(text, x = x, t = t, v = v, o = order);
        draft.say(&format!("show(\"{x}\", {text});"));
        if draft.random.chance(30) {
            draft.say(&c!(
                "{ $t want = ($t)($v); int done = __atomic_compare_exchange_n(&$x, &want, 3, 0, \
                 __ATOMIC_SEQ_CST, __ATOMIC_RELAXED); show(\"done\", (u64)done); \
                 show(\"want\", (u64)want); __atomic_thread_fence(__ATOMIC_SEQ_CST); }",
                t = t,
                v = v,
                x = x,
            ));
        }
    }
    draft.say(&c!(
        "{ static _Atomic u32 more = 7; more += 5; more++; show(\"more\", more); show(\"$x\", (u64)$x); }",
        x = x,
    ));
}

/// What the compiler is told or asked.
pub(super) fn hints(draft: &mut Draft) {
    let f = draft.fresh("hint");
    let k = draft.value();
    let n = draft.random.within(4, 30);
    draft.top(&c!(
        "static u64 $f(u64 x) { x &= 3; __builtin_assume(x < 4); \
         switch (x) { case 0: return 10; case 1: return 21; case 2: return 33; case 3: return 4; \
         default: __builtin_unreachable(); } }\n\
         static u64 known_$f(u64 x) { if (__builtin_expect(x > 100, 0)) return x / 3; \
         if (__builtin_expect_with_probability(x & 1, 1, 0.9)) return x * 5; return x; }",
        f = f,
    ));
    draft.say(&c!(
        "{ u8 buffer[$n]; u64 *p = (u64 *)__builtin_assume_aligned(malloc(32), 8); \
         show(\"$f\", $f($k)); show(\"$f\", known_$f($k)); show(\"size\", __builtin_object_size(buffer + 3, 0)); \
         show(\"known\", (u64)__builtin_constant_p(17)); for (int i = 0; i < 4; i++) p[i] = (u64)i; \
         __builtin_prefetch(p + 1); mix(p[3]); free(p); memset(buffer, 1, sizeof buffer); mix(buffer[$n - 1]); \
         show(\"choose\", (u64)__builtin_choose_expr(1, 5, 6)); if ($k == 0 && $k != 0) __builtin_trap(); }",
        n = n,
        f = f,
        k = k,
    ));
}
