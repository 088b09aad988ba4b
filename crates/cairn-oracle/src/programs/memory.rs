//! Programs about memory and control: library functions on bytes and strings, the heap, pointers,
//! switches, computed jumps, recursion.

use super::draft::{Draft, INTEGERS, c};
use super::{memory_builtins, memory_pointers};
use crate::random::Draw;

/// Parts of programs, by turns.
const PARTS: &[fn(&mut Draft)] = &[
    blocks,
    blocks,
    strings,
    heap,
    stack,
    list,
    switch,
    switch,
    sparse_switch,
    computed_jump,
    recursion,
    pointers,
    statics,
    arithmetic,
    arithmetic,
    memory_builtins::bits,
    memory_builtins::overflow,
    memory_builtins::atomics,
    memory_builtins::hints,
    memory_pointers::xor_list,
    memory_pointers::tagged,
    memory_pointers::split,
    memory_pointers::split,
    memory_pointers::arrays,
    memory_pointers::members,
    memory_pointers::globals,
    memory_pointers::attributes,
    sort,
    print,
];

/// The program of a seed.
pub(super) fn program(seed: u64) -> String {
    let mut draft = Draft::new(seed);
    for _ in 0..draft.random.within(6, 14) {
        let part = *draft.random.pick(PARTS);
        part(&mut draft);
    }
    if draft.random.chance(6) {
        let end = *draft
            .random
            .pick(&["abort();", "exit(3);", "assert(in[0] == in[0] + 1);"]);
        draft.say("printf(\"ends early\\n\"); fflush(stdout);");
        draft.say(end);
    }
    draft.finish("")
}

/// Moves, fills and compares parts of a buffer.
fn blocks(draft: &mut Draft) {
    let (b, n) = (draft.fresh("b"), u64::from(draft.random.within(8, 150)));
    let storage = *draft.random.pick(&["", "static "]);
    let factor = draft.special();
    draft.say(&c!(
        "$storage u8 $b[$n]; for (int i = 0; i < $n; i++) $b[i] = (u8)(i * $k + 1);",
        storage = storage,
        b = b,
        n = n,
        k = format!("{factor:#x}ull"),
    ));
    for _ in 0..draft.random.within(2, 8) {
        let half = n / 2;
        let length = match draft.random.below(3) {
            0 => draft.random.below_u64(half).to_string(),
            _ => draft.below(half),
        };
        let (from, to) = (draft.below(half), draft.below(half));
        let text = match draft.random.below(6) {
            0 => "memmove($b + $to, $b + $from, $length);",
            1 => "memcpy($b + $half, $b + $from % ($half - $length), $length);",
            2 => "memset($b + $to, (int)$from, $length);",
            3 => {
                "{ int r = memcmp($b + $to, $b + $from, $length); \
                 show(\"compare $b\", (u64)((r > 0) - (r < 0) + 1)); }"
            }
            4 => {
                "{ u8 *p = (u8 *)memchr($b, (int)$from + 1, $n); \
                 show(\"find $b\", p ? (u64)(p - $b) : 999); }"
            }
            _ => {
                "{ u64 w; memcpy(&w, $b + $to % ($n - 8 + 1), 8); w ^= w << 7; \
                 memcpy($b + $from % ($n - 8 + 1), &w, 8); }"
            }
        };
        draft.say(&c!(
            text,
            b = b,
            n = n,
            half = half,
            from = from,
            to = to,
            length = length,
        ));
    }
    draft.say(&c!("bytes(\"$b\", $b, $n);", b = b, n = n));
}

fn strings(draft: &mut Draft) {
    let s = draft.fresh("s");
    let words = [
        "",
        "a",
        "alpha",
        "beta gamma",
        "the quick brown fox",
        "aaaaab",
        "  12",
        "-7x",
    ];
    let (x, y, z) = (
        *draft.random.pick(&words),
        *draft.random.pick(&words),
        *draft.random.pick(&words),
    );
    let (cut, letter) = (
        draft.random.below(12),
        *draft.random.pick(&['a', 'b', 'o', ' ']),
    );
    draft.say(&c!(
        "{ char $s[100]; const char *volatile vx = \"$x\", *volatile vy = \"$y\";\n\
         const char *x = vx, *y = vy, *p;\n\
         strcpy($s, x); strcat($s, y); show(\"length\", strlen($s)); puts($s);\n\
         strncpy($s, \"$z\", $cut); $s[$cut] = 0; puts($s); strncat($s, y, 3); puts($s);\n\
         { int r = strcmp(x, y); show(\"strcmp\", (u64)((r > 0) - (r < 0) + 1)); }\n\
         { int r = strncmp(x, \"$z\", $cut); show(\"strncmp\", (u64)((r > 0) - (r < 0) + 1)); }\n\
         p = strchr(x, '$l'); show(\"strchr\", p ? (u64)(p - x) : 99);\n\
         p = strrchr(y, '$l'); show(\"strrchr\", p ? (u64)(p - y) : 99);\n\
         p = strstr(x, \"$z\"); show(\"strstr\", p ? (u64)(p - x) : 99);\n\
         show(\"strspn\", strspn(x, \"abc\")); show(\"strcspn\", strcspn(y, \" \"));\n\
         show(\"atoi\", (u64)atoi(\"$z\")); char *d = strdup(x); puts(d); free(d);\n\
         for (char *q = $s; *q; q++) *q = (char)(*q >= 'a' && *q <= 'z' ? *q - 32 : *q); puts($s); }",
        s = s,
        x = x,
        y = y,
        z = z,
        cut = cut,
        l = letter,
    ));
}

/// Blocks of the heap that grow, shrink and go, checked by a stamp in each.
fn heap(draft: &mut Draft) {
    let (count, rounds) = (draft.random.within(2, 12), draft.random.within(5, 60));
    let (k, zero) = (draft.value(), draft.random.chance(50));
    let fresh = if zero {
        "(u8 *)calloc(size, 1)"
    } else {
        "(u8 *)malloc(size)"
    };
    draft.say(&c!(
        "{ u8 *all[$count] = {0}; size_t sizes[$count] = {0}; u64 state = $k;\n\
         for (int round = 0; round < $rounds; round++) {\n\
         state = state * 6364136223846793005ull + 1442695040888963407ull;\n\
         int at = (int)(state >> 33) % $count; size_t size = (state >> 20 & 127) + 1;\n\
         if (!all[at]) { all[at] = $fresh; memset(all[at], at + 1, size); sizes[at] = size; }\n\
         else if (state >> 60 & 1) { all[at] = (u8 *)realloc(all[at], size);\n\
         if (size > sizes[at]) memset(all[at] + sizes[at], at + 1, size - sizes[at]); sizes[at] = size; }\n\
         else { for (size_t i = 0; i < sizes[at]; i++) mix(all[at][i]); free(all[at]); all[at] = 0; }\n\
         }\n\
         for (int i = 0; i < $count; i++) { show(\"block\", all[i] ? sizes[i] : 0); free(all[i]); } }",
        count = count,
        rounds = rounds,
        k = k,
        fresh = fresh,
    ));
}

/// Arrays of computed lengths on the stack.
fn stack(draft: &mut Draft) {
    let f = draft.fresh("vla");
    let (t, _, _) = *draft.random.pick(&INTEGERS);
    draft.top(&c!(
        "__attribute__((noinline)) static u64 $f(int n, u64 k) { $t a[n]; \
         $t *p = ($t *)__builtin_alloca((size_t)n * sizeof($t) + 8); u64 r = 0;\n\
         for (int i = 0; i < n; i++) { a[i] = ($t)(k + (u64)i * 3); p[n - 1 - i] = a[i]; }\n\
         for (int j = 1; j < n; j++) { u8 inner[j * 2]; memset(inner, j, sizeof inner); \
         r += inner[j] + sizeof inner; }\n\
         u16 (*m)[n] = (u16 (*)[n])malloc(sizeof(u16[3][n]));\n\
         for (int i = 0; i < 3 * n; i++) m[i / n][i % n] = (u16)(i * 7);\n\
         for (int i = 0; i < n; i++) r = r * 17 + (u64)p[i] + m[2][i] + m[0][n - 1 - i];\n\
         free(m); return r; }",
        f = f,
        t = t,
    ));
    let (n, k) = (draft.below(20), draft.value());
    draft.say(&format!("show(\"{f}\", {f}((int){n} + 1, {k}));"));
}

/// A linked list with insertions, reversal and removal.
fn list(draft: &mut Draft) {
    let node = draft.fresh("Node");
    let (n, k, bit) = (
        draft.random.within(3, 25),
        draft.value(),
        draft.random.below(3),
    );
    draft.top(&c!(
        "typedef struct $n { struct $n *next; u64 key; struct $n **back; } $n;",
        n = node,
    ));
    draft.say(&c!(
        "{ $node *head = 0; u64 state = $k;\n\
         for (int i = 0; i < $n; i++) { state = state * 25214903917ull + 11; \
         $node *one = ($node *)malloc(sizeof *one); one->key = state >> 16 & 0xfff; \
         $node **at = &head; while (*at && (*at)->key < one->key) at = &(*at)->next; \
         one->next = *at; if (*at) (*at)->back = &one->next; one->back = at; *at = one; }\n\
         for ($node *p = head; p; p = p->next) { show(\"key\", p->key); assert(*p->back == p); }\n\
         for ($node **at = &head; *at;) { $node *p = *at; if (p->key >> $bit & 1) { *at = p->next; free(p); } \
         else at = &p->next; }\n\
         $node *turned = 0; while (head) { $node *p = head; head = p->next; p->next = turned; turned = p; }\n\
         while (turned) { $node *p = turned; turned = p->next; mix(p->key); free(p); } show(\"list\", sum); }",
        node = node,
        n = n,
        k = k,
        bit = bit,
    ));
}

fn switch(draft: &mut Draft) {
    let f = draft.fresh("choose");
    let (t, _, _) = *draft.random.pick(&INTEGERS);
    let mut cases = String::new();
    let first = draft.random.below_u64(60);
    for i in 0..u64::from(draft.random.within(2, 24)) {
        if draft.random.chance(15) {
            continue;
        }
        let value = draft.word(&["x".to_string(), "r".to_string()], 1);
        let end = *draft
            .random
            .pick(&["break;", "break;", "return r;", "/* on */"]);
        let label = first + i;
        cases.push_str(&format!("case {label}: r += {value}; {end}\n"));
    }
    let default = *draft
        .random
        .pick(&["", "default: r = ~r;", "default: return 1;"]);
    draft.top(&c!(
        "static u64 $f(u64 x) { u64 r = 5; switch (($t)x) {\n$cases$default\n} return r * 3; }",
        f = f,
        t = t,
        cases = cases,
        default = default,
    ));
    let k = draft.value();
    draft.say(&c!(
        "for (u64 i = 0; i < 90; i += 3) mix($f(i)); show(\"$f\", $f($k)); show(\"$f\", sum);",
        f = f,
        k = k,
    ));
}

fn sparse_switch(draft: &mut Draft) {
    let f = draft.fresh("seek");
    let mut labels: Vec<u64> = (0..draft.random.within(3, 30))
        .map(|_| draft.special())
        .collect();
    labels.sort_unstable();
    labels.dedup();
    let wide = draft.random.chance(70);
    let (t, mask) = if wide {
        ("u64", u64::MAX)
    } else {
        ("u8", 0xFF)
    };
    let mut used: Vec<u64> = labels.iter().map(|l| l & mask).collect();
    used.sort_unstable();
    used.dedup();
    let mut cases: String = used
        .iter()
        .map(|l| format!("case {l:#x}ull: return {:#x}ull;\n", draft.special()))
        .collect();
    if draft.random.chance(30) && wide {
        // A range of labels that is not among the others.
        let low = 0x5555_5555_0000_0000_u64;
        if !used.iter().any(|l| (low..=low + 9_999).contains(l)) {
            cases.push_str(&format!(
                "case {low}ull ... {}ull: return 42;\n",
                low + 9_999
            ));
        }
    }
    draft.top(&c!(
        "static u64 $f($t x) { switch (x) {\n$cases default: return 9; } }",
        f = f,
        t = t,
        cases = cases,
    ));
    let list: Vec<String> = labels.iter().map(|l| format!("{l:#x}ull")).collect();
    draft.say(&c!(
        "{ static const u64 all[] = {$list, 0x5555555500000123ull, 3, 7}; \
         for (unsigned i = 0; i < sizeof all / sizeof *all; i++) { show(\"$f\", $f(($t)all[i])); \
         mix($f(($t)(all[i] + in[1]))); } }",
        list = list.join(", "),
        f = f,
        t = t,
    ));
}

/// A small interpreter that jumps by a table of labels.
fn computed_jump(draft: &mut Draft) {
    let f = draft.fresh("jump");
    let count = draft.random.within(2, 7);
    let mut labels = Vec::new();
    let mut pieces = String::new();
    for i in 0..count {
        let value = draft.word(&["x".to_string(), "n".to_string()], 2);
        labels.push(format!("&&l{i}"));
        pieces.push_str(&format!(
            "l{i}: x ^= {value}; if (++n > 40) return x; goto *table[(x >> 3) % {count}];\n"
        ));
    }
    draft.top(&c!(
        "__attribute__((noinline)) static u64 $f(u64 x) { u64 n = 0;\n\
         static void *const table[] = {$labels};\ngoto *table[x % $count];\n$pieces}",
        f = f,
        labels = labels.join(", "),
        count = count,
        pieces = pieces,
    ));
    let k = draft.value();
    draft.say(&format!("show(\"{f}\", {f}({k}));"));
}

fn recursion(draft: &mut Draft) {
    let (f, g) = (draft.fresh("even"), draft.fresh("odd"));
    let a = draft.word(&["n".to_string(), "x".to_string()], 2);
    let b = draft.word(&["n".to_string(), "x".to_string()], 2);
    draft.top(&c!(
        "static u64 $g(u64 n, u64 x);\n\
         static u64 $f(u64 n, u64 x) { if (!n) return x; u64 r = $g(n - 1, $a); return r + x; }\n\
         static u64 $g(u64 n, u64 x) { if (!n) return ~x; return $f(n - 1, $b); }\n\
         static u64 fib_$f(unsigned n) { return n < 2 ? n : fib_$f(n - 1) + fib_$f(n - 2); }\n\
         static unsigned ack_$f(unsigned m, unsigned n) { return !m ? n + 1 : \
         !n ? ack_$f(m - 1, 1) : ack_$f(m - 1, ack_$f(m, n - 1)); }",
        f = f,
        g = g,
        a = a,
        b = b,
    ));
    let (n, k) = (draft.below(60), draft.value());
    draft.say(&c!(
        "show(\"$f\", $f($n, $k)); show(\"fib\", fib_$f((unsigned)($k % 15))); \
         show(\"ack\", ack_$f(2, (unsigned)($k % 6)));",
        f = f,
        n = n,
        k = k,
    ));
}

fn pointers(draft: &mut Draft) {
    let (a, n) = (draft.fresh("a"), u64::from(draft.random.within(4, 20)));
    let (t, _, _) = *draft.random.pick(&INTEGERS);
    let (i, j, k) = (draft.below(n), draft.below(n), draft.value());
    draft.say(&c!(
        "{ $t $a[$n], *p = $a + $i, *q = &$a[$j], **pp = &p; \
         for (int i = 0; i < $n; i++) $a[i] = ($t)($k + (u64)i * 11);\n\
         show(\"difference\", (u64)(p - q)); show(\"order\", (p < q) | (p == q) << 1 | (p >= q) << 2);\n\
         *p = *q; pp = p == q ? &q : &p; **pp = ($t)(**pp ^ 5); mix((u64)*p);\n\
         uintptr_t bits = (uintptr_t)q; $t *r = ($t *)(bits & ~(uintptr_t)0); show(\"same\", r == q); \
         show(\"aligned\", bits % sizeof($t));\n\
         for ($t *s = $a; s != $a + $n; ++s) show(\"item\", (u64)*s);\n\
         $t (*row)[2] = ($t (*)[2])$a; show(\"row\", (u64)row[1][1]); \
         $t *table[3] = {$a, p, q}; $t *volatile chosen = table[$k % 3]; \
         show(\"chosen\", (u64)(chosen - $a)); }",
        t = t,
        a = a,
        n = n,
        i = i,
        j = j,
        k = k,
    ));
}

fn statics(draft: &mut Draft) {
    let f = draft.fresh("count");
    let (t, _, _) = *draft.random.pick(&INTEGERS);
    let (x, y) = (draft.special(), draft.random.below(50));
    let thread = *draft.random.pick(&["", "_Thread_local "]);
    draft.top(&c!(
        "static $thread $t state_$f = ($t)$x; static $t *const at_$f[2] = {$address};\n\
         struct pair_$f { const char *name; u64 (*call)(u64); struct pair_$f *other; };\n\
         static u64 $f(u64 n) { static $thread u64 calls = $y; calls += n; \
         state_$f = ($t)((u64)state_$f + calls); return calls ^ (u64)state_$f; }\n\
         extern struct pair_$f first_$f;\n\
         static struct pair_$f second_$f = {\"second\" + 1, $f, &first_$f};\n\
         struct pair_$f first_$f = {\"first\", $f, &second_$f};",
        f = f,
        t = t,
        x = format!("{x:#x}ull"),
        y = y,
        thread = thread,
        address = if thread.is_empty() {
            c!("&state_$f, 0", f = f)
        } else {
            "0".to_string()
        },
    ));
    draft.say(&c!(
        "for (u64 i = 0; i < 5; i++) show(\"$f\", $f(i)); \
         { struct pair_$f *p = &first_$f; for (int i = 0; i < 5; i++) { puts(p->name); \
         show(\"by pair\", p->call(3)); p = p->other; } \
         $t *at = at_$f[0]; if (at) { ++*(u8 *)at; show(\"state\", (u64)state_$f); } }",
        f = f,
        t = t,
    ));
}

/// Plain integer expressions, in a function and in a loop.
fn arithmetic(draft: &mut Draft) {
    let f = draft.fresh("compute");
    let (t, _, _) = *draft.random.pick(&INTEGERS);
    let (s, _, _) = *draft.random.pick(&INTEGERS);
    let names = ["x", "y", "r"].map(str::to_string);
    let depth = draft.random.within(2, 4);
    let (a, b) = (draft.word(&names, depth), draft.word(&names, depth));
    let condition = draft.word(&names, 2);
    draft.top(&c!(
        "static u64 $f($t x, $s y) { u64 r = 1; for (int i = 0; i < 6; i++) { \
         if (($condition) & 1) r ^= $a; else { r += $b; y = ($s)r; } x = ($t)((u64)x + 1); } return r; }",
        f = f,
        t = t,
        s = s,
        a = a,
        b = b,
        condition = condition,
    ));
    let (x, y) = (draft.value(), draft.value());
    draft.say(&format!("show(\"{f}\", {f}(({t}){x}, ({s}){y}));"));
}

/// Sorting through a comparison function, and a search.
fn sort(draft: &mut Draft) {
    let f = draft.fresh("sort");
    let (n, k) = (draft.random.within(2, 40), draft.value());
    let (t, _, _) = *draft.random.pick(&INTEGERS);
    draft.top(&c!(
        "static int less_$f(const void *a, const void *b) { $t x = *(const $t *)a, y = *(const $t *)b; \
         return (x > y) - (x < y); }\n\
         static void $f(void *base, size_t n, size_t size, int (*compare)(const void *, const void *)) { \
         u8 *p = (u8 *)base; for (size_t i = 1; i < n; i++) for (size_t j = i; j > 0 && \
         compare(p + (j - 1) * size, p + j * size) > 0; j--) for (size_t k = 0; k < size; k++) { \
         u8 one = p[(j - 1) * size + k]; p[(j - 1) * size + k] = p[j * size + k]; p[j * size + k] = one; } }",
        f = f,
        t = t,
    ));
    draft.say(&c!(
        "{ $t a[$n]; u64 state = $k; for (int i = 0; i < $n; i++) { \
         state = state * 6364136223846793005ull + 99; a[i] = ($t)(state >> 30); } \
         $f(a, $n, sizeof *a, less_$f); bytes(\"$f\", a, sizeof a); \
         int low = 0, high = $n; while (low < high) { int middle = low + (high - low) / 2; \
         if (a[middle] < ($t)$k) low = middle + 1; else high = middle; } show(\"found\", (u64)low); }",
        f = f,
        t = t,
        n = n,
        k = k,
    ));
}

/// Integers, characters and strings through printf with flags, width and precision.
fn print(draft: &mut Draft) {
    for _ in 0..draft.random.within(2, 8) {
        let flags = *draft
            .random
            .pick(&["", "", "-", "0", "+", " ", "#", "-#", "+0"]);
        let width = match draft.random.below(3) {
            0 => String::new(),
            _ => draft.random.within(1, 25).to_string(),
        };
        let precision = match draft.random.below(3) {
            0 => format!(".{}", draft.random.within(0, 22)),
            _ => String::new(),
        };
        let value = draft.value();
        let (conversion, argument) = match draft.random.below(12) {
            0 => ("d", format!("(int)({value})")),
            1 => ("ld", format!("(long)({value})")),
            2 => ("hhd", format!("(int)({value})")),
            3 => ("hu", format!("(int)({value})")),
            4 => ("llu", format!("(unsigned long long)({value})")),
            5 => ("x", format!("(unsigned)({value})")),
            6 => ("lX", format!("(unsigned long)({value})")),
            7 => ("o", format!("(unsigned)({value})")),
            8 => ("zu", format!("(size_t)({value})")),
            9 => ("c", format!("'a' + (int)(({value}) % 26)")),
            10 => ("s", format!("&\"some text\"[({value}) % 9]")),
            _ => ("*d", format!("(int)(({value}) % 30) - 10, (int)({value})")),
        };
        // A width in the text and one among the arguments exclude each other.
        let width = if conversion == "*d" { "" } else { &width };
        let precision = if conversion == "*d" { "" } else { &precision };
        draft.say(&format!(
            "printf(\"[%{flags}{width}{precision}{conversion}]\\n\", {argument});"
        ));
    }
}
