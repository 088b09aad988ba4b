//! Parts of programs about what pointers go through on their way: integers, bytes, vectors, tables.
//!
//! A machine that knows which object a pointer belongs to must keep knowing it after the program
//! has taken the pointer apart and put it together again.

use super::draft::{Draft, INTEGERS, c};
use crate::random::Draw;

/// A list whose links are the exclusive or of two addresses.
pub(super) fn xor_list(draft: &mut Draft) {
    let node = draft.fresh("Link");
    let (n, k) = (draft.random.within(2, 12), draft.value());
    draft.top(&c!(
        "typedef struct $n { u64 key; uintptr_t both; } $n;",
        n = node
    ));
    draft.say(&c!(
        "{ $node *first = 0, *last = 0; for (int i = 0; i < $n; i++) { \
         $node *one = ($node *)malloc(sizeof *one); one->key = $k + (u64)i; one->both = (uintptr_t)last; \
         if (last) last->both ^= (uintptr_t)one; else first = one; last = one; }\n\
         uintptr_t before = 0; for ($node *p = first; p;) { show(\"link\", p->key); \
         $node *next = ($node *)(before ^ p->both); before = (uintptr_t)p; p = next; }\n\
         before = 0; for ($node *p = last; p;) { mix(p->key); $node *next = ($node *)(before ^ p->both); \
         before = (uintptr_t)p; p = next; if (before) free(($node *)before); } show(\"links\", sum); }",
        node = node,
        n = n,
        k = k,
    ));
}

/// Pointers with marks in their lower bits, and pointers rounded to a border.
pub(super) fn tagged(draft: &mut Draft) {
    let (k, n) = (draft.value(), draft.random.within(2, 8));
    let bits = *draft.random.pick(&[4_u32, 8, 16, 32, 64]);
    draft.say(&c!(
        "{ u64 *all[$n]; uintptr_t marked[$n]; for (int i = 0; i < $n; i++) { \
         all[i] = (u64 *)malloc(16); all[i][0] = $k + (u64)i; all[i][1] = (u64)i; \
         marked[i] = (uintptr_t)all[i] | ((u64)i & 7); }\n\
         for (int i = 0; i < $n; i++) { u64 *p = (u64 *)(marked[i] & ~(uintptr_t)7); \
         show(\"marked\", p[0] + (marked[i] & 7)); p = (u64 *)(marked[i] - (marked[i] & 7) + 8); show(\"second\", *p); }\n\
         u8 room[256]; memset(room, 7, sizeof room); \
         u8 *up = (u8 *)(((uintptr_t)room + $b - 1) & -(uintptr_t)$b); *up = 9; show(\"up\", (uintptr_t)up % $b); \
         u64 seen = 0; for (int i = 0; i < 256; i++) seen += room[i]; show(\"seen\", seen); \
         for (int i = 0; i < $n; i++) free(all[i]); }",
        n = n,
        k = k,
        b = bits,
    ));
}

/// Pointers taken apart and put together again.
pub(super) fn split(draft: &mut Draft) {
    let k = draft.value();
    let way = match draft.random.below(9) {
        0 => {
            "u32 low = (u32)(uintptr_t)p, high = (u32)((uintptr_t)p >> 32); q = (u64 *)((uintptr_t)high << 32 | low);"
        }
        1 => {
            "u8 part[8]; for (int i = 0; i < 8; i++) part[i] = ((u8 *)&p)[i]; for (int i = 7; i >= 0; i--) ((u8 *)&q)[i] = part[i];"
        }
        2 => {
            "u16 part[4]; memcpy(part, &p, 8); uintptr_t bits = 0; for (int i = 3; i >= 0; i--) bits = bits << 16 | part[i]; q = (u64 *)bits;"
        }
        3 => {
            "union { u64 *p; u32 half[2]; u64 word; } u, v; u.p = p; v.half[0] = u.half[0]; v.half[1] = u.half[1]; q = (u64 *)v.word;"
        }
        4 => {
            "u128 both = (u128)(uintptr_t)p << 64 | (uintptr_t)&k; q = (u64 *)(uintptr_t)(both >> 64); show(\"other\", *(u64 *)(uintptr_t)both);"
        }
        5 => {
            "uintptr_t key = 0x5a5a5a5a5a5a5a5aull ^ $k; volatile uintptr_t hidden = (uintptr_t)p ^ key; q = (u64 *)(hidden ^ key);"
        }
        6 => "volatile uintptr_t turned = ~(uintptr_t)p; q = (u64 *)~turned;",
        7 => {
            "struct { u8 pad; u64 *at; } __attribute__((packed)) odd = {1, p}, copy; memcpy(&copy, &odd, sizeof odd); q = copy.at;"
        }
        _ => {
            "uintptr_t steps = 0; for (uintptr_t b = (uintptr_t)p; b; b &= b - 1) steps |= b & -b; q = (u64 *)steps;"
        }
    };
    let way = c!(way, k = k);
    draft.say(&c!(
        "{ u64 k = $k, room[3] = {1, $k, 3}; u64 *p = &room[1], *q = 0; { $way } \
         show(\"found\", *q); *q += 5; show(\"changed\", room[1]); show(\"near\", q[-1] + q[1]); \
         show(\"equal\", p == q); mix(k); }",
        k = k,
        way = way,
    ));
}

/// Arrays of pointers that are moved as a whole, turned round and sorted.
pub(super) fn arrays(draft: &mut Draft) {
    let (f, n, k) = (
        draft.fresh("turn"),
        draft.random.within(3, 20),
        draft.value(),
    );
    let (t, _, _) = *draft.random.pick(&INTEGERS);
    draft.top(&c!(
        "__attribute__((noinline)) static void $f($t **a, $t **b, int n) { \
         for (int i = 0; i < n; i++) b[n - 1 - i] = a[i]; for (int i = 0; i + 1 < n; i += 2) { \
         $t *one = a[i]; a[i] = a[i + 1]; a[i + 1] = one; } }\n\
         __attribute__((noinline)) static void copy_$f(void *to, const void *from, int n) { \
         for (int i = 0; i < n; i++) ((u8 *)to)[i] = ((const u8 *)from)[i]; }",
        f = f,
        t = t,
    ));
    draft.say(&c!(
        "{ $t room[$n], *a[$n], *b[$n], *d[$n]; for (int i = 0; i < $n; i++) { room[i] = ($t)($k + (u64)i * 5); a[i] = &room[i]; } \
         $f(a, b, $n); copy_$f(d, b, sizeof b); memmove(d + 1, d, ($n - 1) * sizeof *d); \
         for (int i = 0; i < $n; i++) { show(\"a\", (u64)*a[i]); show(\"d\", (u64)*d[i]); show(\"at\", (u64)(b[i] - room)); } \
         uintptr_t low = (uintptr_t)a[0]; for (int i = 1; i < $n; i++) if ((uintptr_t)a[i] < low) low = (uintptr_t)a[i]; \
         show(\"low\", (u64)*($t *)low); show(\"span\", ((uintptr_t)&room[$n - 1] - low) / sizeof($t)); \
         $t *end = room + $n; memcpy(end, end, 0); show(\"empty\", (u64)memcmp(end, room, 0)); }",
        f = f,
        t = t,
        n = n,
        k = k,
    ));
}

/// From a member to its structure, and through types that hide what is pointed to.
pub(super) fn members(draft: &mut Draft) {
    let t = draft.fresh("Whole");
    let k = draft.value();
    draft.top(&c!(
        "typedef struct { u8 c; u64 n; struct { u16 x[3]; u32 deep; } in; } $t;\n\
         __attribute__((noinline)) static u64 from_$t(u32 *deep) { \
         $t *whole = ($t *)((char *)deep - offsetof($t, in.deep)); return whole->n + whole->c; }\n\
         typedef void (*Any$t)(void); static u64 add_$t(void *p, u64 n) { return *(u64 *)p + n; }",
        t = t,
    ));
    draft.say(&c!(
        "{ $t one = {3, $k, {{1, 2, 3}, 4}}; show(\"whole\", from_$t(&one.in.deep)); \
         Any$t hidden = (Any$t)add_$t; u64 (*seen)(void *, u64) = (u64 (*)(void *, u64))hidden; show(\"seen\", seen(&one.n, 2)); \
         void *volatile plain = &one; show(\"plain\", (($t *)plain)->in.x[2]); \
         uintptr_t code = (uintptr_t)&add_$t; show(\"code\", ((u64 (*)(void *, u64))code)(&one.n, 1)); \
         static void *slot; void *none = 0; show(\"swapped\", (u64)__atomic_compare_exchange_n(&slot, &none, &one.n, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); \
         show(\"slot\", *(u64 *)__atomic_exchange_n(&slot, (void *)0, __ATOMIC_ACQ_REL)); }",
        t = t,
        k = k,
    ));
}

/// Global objects whose first contents are addresses in many forms.
pub(super) fn globals(draft: &mut Draft) {
    let g = draft.fresh("g");
    let (t, _, _) = *draft.random.pick(&INTEGERS);
    let (a, b) = (draft.random.within(0, 5), draft.special());
    draft.top(&c!(
        "static $t all_$g[6] = {1, 2, ($t)$b, [4] = 5}; static u64 call_$g(u64 x) { return x * 3; }\n\
         typedef struct { $t *at; const char *text; u64 (*call)(u64); union { u64 n; double d; void *p; } u; u8 tail[3]; } T$g;\n\
         static T$g first_$g = {&all_$g[$a], \"hello\" + 1, call_$g, {.d = 1.5}, {1, 2}};\n\
         static const T$g many_$g[3] = {[1] = {.at = all_$g + 6, .u.p = &first_$g.tail[1]}, {0, 0, call_$g, {.n = $b}, {9}}};\n\
         static uintptr_t number_$g = (uintptr_t)&all_$g[1]; static $t **deep_$g = &first_$g.at; static void *self_$g = &self_$g;\n\
         static ptrdiff_t gap_$g = (char *)&all_$g[5] - (char *)&all_$g[1];\n\
         static const struct { long double x; _Float16 h; __float128 q; i128 w; u32 f : 5, : 3, e : 17; } odd_$g = {2.5L, (_Float16)1.5, 3, -5, 17, 1000};\n\
         static const u32 block_$g[2][2][3] = {{{1}, {2, 3}}, {{0}, {4, 5, 6}}}; extern int weak_$g __attribute__((weak));",
        g = g,
        t = t,
        a = a,
        b = format!("{b:#x}ull"),
    ));
    draft.say(&c!(
        "show(\"$g\", (u64)*first_$g.at); puts(first_$g.text); show(\"call\", first_$g.call(in[0])); printf(\"%g\\n\", first_$g.u.d); \
         show(\"past\", (u64)many_$g[1].at[-1]); show(\"tail\", *(u8 *)many_$g[1].u.p); show(\"n\", many_$g[2].u.n + many_$g[2].tail[0]); \
         show(\"none\", many_$g[0].at == 0); show(\"number\", (u64)*($t *)number_$g); **deep_$g = 3; show(\"deep\", (u64)all_$g[$a]); \
         show(\"self\", *(void **)self_$g == self_$g); show(\"gap\", (u64)gap_$g); show(\"odd\", (u64)(odd_$g.x * 2) + (u64)(float)odd_$g.h + (u64)odd_$g.q); \
         show(\"wide\", (u64)odd_$g.w + odd_$g.f + odd_$g.e); bytes(\"block\", block_$g, sizeof block_$g); show(\"weak\", &weak_$g == 0);",
        g = g,
        t = t,
        a = a,
    ));
}

/// What attributes make of functions and variables.
pub(super) fn attributes(draft: &mut Draft) {
    let f = draft.fresh("attributed");
    let (k, early, late) = (
        draft.value(),
        draft.random.within(101, 200),
        draft.random.within(201, 300),
    );
    draft.top(&c!(
        "u64 $f(u64 x) { return x * 7 + 1; } u64 other_$f(u64) __attribute__((alias(\"$f\")));\n\
         __attribute__((weak)) u64 weak_$f(u64 x) { return x + 4; } static u64 ready_$f;\n\
         __attribute__((constructor($late))) static void second_$f(void) { ready_$f = ready_$f * 10 + 2; puts(\"second $f\"); }\n\
         __attribute__((constructor($early))) static void first_$f(void) { ready_$f = ready_$f * 10 + 1; puts(\"first $f\"); }\n\
         __attribute__((destructor)) static void end_$f(void) { printf(\"end %lx\\n\", (unsigned long)ready_$f); }\n\
         static void leave_$f(u64 *x) { show(\"leaves\", *x); } static void atend_$f(void) { puts(\"at end $f\"); }\n\
         static u64 tail_$f(u64 n, u64 x); static u64 turn_$f(u64 n, u64 x) { if (!n) return x; __attribute__((musttail)) return tail_$f(n - 1, x * 3); }\n\
         static u64 tail_$f(u64 n, u64 x) { if (!n) return x + 1; __attribute__((musttail)) return turn_$f(n - 1, x ^ n); }",
        f = f,
        early = early,
        late = late,
    ));
    draft.say(&c!(
        "{ __attribute__((cleanup(leave_$f))) u64 held = $k; show(\"$f\", other_$f(held) + weak_$f(1)); held++; \
         for (int i = 0; i < 2; i++) { __attribute__((cleanup(leave_$f))) u64 inner = (u64)i; if (held & 1) continue; inner += 7; } \
         show(\"ready\", ready_$f); atexit(atend_$f); show(\"tail\", turn_$f($k % 500, 1)); \
         static _Alignas(64) u8 aligned[3]; show(\"aligned\", (uintptr_t)aligned % 64); }",
        f = f,
        k = k,
    ));
}
