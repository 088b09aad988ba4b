//! Programs about vectors: the compiler's vector types, and loops that it makes vectors of.
//!
//! Arithmetic that may wrap is done on unsigned elements only; signed ones are kept small.

use super::draft::{Draft, INTEGERS, c};
use crate::random::Draw;

/// A vector type.
#[derive(Clone)]
struct Vector {
    name: String,
    element: &'static str,
    lanes: u32,
    bits: u32,
    class: Class,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Signed,
    Unsigned,
    Float,
}

/// The program of a seed.
pub(super) fn program(seed: u64) -> String {
    let mut draft = Draft::new(seed);
    for _ in 0..draft.random.within(4, 9) {
        if draft.random.chance(55) {
            vector_code(&mut draft);
        } else {
            loop_code(&mut draft);
        }
    }
    draft.finish("")
}

/// Declares a vector type and a function that shows its values.
fn declare(draft: &mut Draft, lanes: Option<u32>) -> Vector {
    let (element, bits, class) = if draft.random.chance(25) {
        *draft
            .random
            .pick(&[("float", 32, Class::Float), ("double", 64, Class::Float)])
    } else {
        let (element, bits, signed) = *draft.random.pick(&INTEGERS);
        let class = if signed {
            Class::Signed
        } else {
            Class::Unsigned
        };
        (element, bits, class)
    };
    let lanes = lanes.unwrap_or_else(|| {
        // From 4 to 64 bytes.
        let bytes = 4_u32 << draft.random.below(5);
        (bytes * 8 / bits).max(1)
    });
    let name = draft.fresh("V");
    draft.top(&c!(
        "typedef $e $name __attribute__((vector_size($bytes)));\n\
         static void show_$name(const char *text, $name v) { printf(\"%s\", text); \
         for (int i = 0; i < $lanes; i++) { u64 bits = 0; $e one = v[i]; \
         if (one != one) { printf(\" nan\"); continue; } \
         memcpy(&bits, &one, sizeof one); mix(bits); printf(\" %lx\", (unsigned long)bits); } \
         printf(\"\\n\"); }",
        e = element,
        name = name,
        bytes = lanes * bits / 8,
        lanes = lanes,
    ));
    Vector {
        name,
        element,
        lanes,
        bits,
        class,
    }
}

/// An element's value as an expression.
fn element(draft: &mut Draft, vector: &Vector) -> String {
    let value = draft.value();
    match vector.class {
        Class::Unsigned => format!("({})({value})", vector.element),
        // Eight bits of these are small enough for sums and products in no more than 8 bits'
        // range only after another cut, which the operations make.
        Class::Signed => format!("({})((i8)({value}) / 16)", vector.element),
        Class::Float => format!("({})((i16)({value}) * 0.25)", vector.element),
    }
}

fn fresh_vector(draft: &mut Draft, vector: &Vector) -> String {
    let name = draft.fresh("v");
    let lanes: Vec<String> = (0..vector.lanes).map(|_| element(draft, vector)).collect();
    let lanes = lanes.join(", ");
    draft.say(&format!("{} {name} = {{{lanes}}};", vector.name));
    name
}

fn assign(draft: &mut Draft, vector: &Vector, value: &str) -> String {
    let name = draft.fresh("v");
    draft.say(&c!(
        "$t $n = $value; show_$t(\"$n\", $n);",
        t = vector.name,
        n = name,
        value = value,
    ));
    name
}

fn shuffle(draft: &mut Draft, vector: &Vector, a: &str, b: &str) -> String {
    let lanes = vector.lanes as usize;
    let picks: Vec<String> = (0..lanes)
        .map(|_| draft.random.below(2 * lanes).to_string())
        .collect();
    format!("__builtin_shufflevector({a}, {b}, {})", picks.join(", "))
}

/// A few operations on vectors of one type, and conversions to another.
fn vector_code(draft: &mut Draft) {
    let vector = declare(draft, None);
    let mut all: Vec<String> = (0..3).map(|_| fresh_vector(draft, &vector)).collect();
    let last = vector.bits - 1;
    for _ in 0..draft.random.within(4, 12) {
        let (a, b) = (
            draft.random.pick(&all).clone(),
            draft.random.pick(&all).clone(),
        );
        // Signed values stay within four bits.
        let small = |text: &str| match vector.class {
            Class::Signed => format!("(({text}) % 8)"),
            Class::Unsigned | Class::Float => text.to_string(),
        };
        let value = match draft.random.below(12) {
            0 => small(&format!("{a} + {b}")),
            1 => small(&format!("{a} - {b}")),
            2 => small(&format!("{a} * {b}")),
            3 => match vector.class {
                Class::Float => format!("{a} / {b}"),
                Class::Signed => small(&format!("{a} / ({b} * {b} + 1)")),
                Class::Unsigned => format!("{a} / ({b} | 1) + {a} % ({b} | 1)"),
            },
            4 | 5 => shuffle(draft, &vector, &a, &b),
            6 => compare(draft, &vector, &a, &b),
            7 => match vector.class {
                Class::Float => format!("-{a}"),
                Class::Signed => small(&format!("({a} >> ({b} & {last})) ^ {b}")),
                Class::Unsigned => format!("({a} << ({b} & {last})) | ({a} >> ({b} & {last}))"),
            },
            8 => match vector.class {
                Class::Float => format!("{a} * {b} + {a}"),
                Class::Signed => small(&format!("({a} & {b}) | (~{a} & 3)")),
                Class::Unsigned => format!("(({a} & {b}) ^ ~{a}) | {b}"),
            },
            9 => through_function(draft, &vector, &a, &b),
            10 => elementwise(draft, &vector, &a, &b),
            _ => {
                access(draft, &vector, &a);
                continue;
            }
        };
        let name = assign(draft, &vector, &value);
        all.push(name);
    }
    let from = draft.random.pick(&all).clone();
    reduce(draft, &vector, &from);
    convert(draft, &vector, &from);
}

/// A selection by the mask that a comparison gives.
fn compare(draft: &mut Draft, vector: &Vector, a: &str, b: &str) -> String {
    let operator = *draft.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
    match vector.class {
        Class::Float => {
            let int = if vector.bits == 32 { "i32" } else { "i64" };
            let mask = draft.fresh("M");
            draft.top(&c!(
                "typedef $int $mask __attribute__((vector_size($bytes)));",
                int = int,
                mask = mask,
                bytes = vector.lanes * vector.bits / 8,
            ));
            c!(
                "($v)((($m)$a & ($a $op $b)) | (($m)$b & ~($a $op $b)))",
                v = vector.name,
                m = mask,
                a = a,
                b = b,
                op = operator,
            )
        }
        Class::Signed | Class::Unsigned => c!(
            "($a & ($v)($a $op $b)) | ($b & ~($v)($a $op $b))",
            v = vector.name,
            a = a,
            b = b,
            op = operator,
        ),
    }
}

fn through_function(draft: &mut Draft, vector: &Vector, a: &str, b: &str) -> String {
    let function = draft.fresh("mingle");
    let lane = draft.random.below(vector.lanes as usize);
    draft.top(&c!(
        "__attribute__((noinline)) static $v $f($v a, int n, $v b) { \
         $v r = a; r[n] = b[$lane]; return r; }",
        v = vector.name,
        f = function,
        lane = lane,
    ));
    let at = draft.below(u64::from(vector.lanes));
    format!("{function}({a}, (int){at}, {b})")
}

fn elementwise(draft: &mut Draft, vector: &Vector, a: &str, b: &str) -> String {
    let names: &[&str] = match vector.class {
        Class::Float => &["max", "min", "copysign"],
        Class::Signed => &["max", "min", "abs"],
        Class::Unsigned => &["max", "min", "add_sat", "sub_sat", "bitreverse"],
    };
    let name = *draft.random.pick(names);
    match name {
        "abs" | "bitreverse" => format!("__builtin_elementwise_{name}({a})"),
        // Which zero is larger is not fixed, nor what a comparison with NaN gives.
        "max" | "min" if vector.class == Class::Float => {
            format!("({a} * {b} - {a})")
        }
        _ => format!("__builtin_elementwise_{name}({a}, {b})"),
    }
}

/// Reads and writes an element at an index known at run time only.
fn access(draft: &mut Draft, vector: &Vector, a: &str) {
    let lanes = u64::from(vector.lanes);
    let (i, j) = (draft.below(lanes), draft.below(lanes));
    draft.say(&c!(
        "{ $t w = $a; w[$i] = w[$j]; w[($i + 1) % $lanes] = 1; show_$t(\"set $a\", w); }",
        t = vector.name,
        a = a,
        i = i,
        j = j,
        lanes = lanes,
    ));
}

fn reduce(draft: &mut Draft, vector: &Vector, a: &str) {
    let names: &[&str] = match vector.class {
        Class::Float => return,
        Class::Signed => &["max", "min", "xor", "or", "and"],
        Class::Unsigned => &["max", "min", "xor", "or", "and", "add", "mul"],
    };
    let name = *draft.random.pick(names);
    draft.say(&format!(
        "show(\"reduce {a}\", (u64)__builtin_reduce_{name}({a}));"
    ));
}

fn convert(draft: &mut Draft, vector: &Vector, a: &str) {
    let other = declare(draft, Some(vector.lanes));
    // Numbers that every type can hold.
    let cut = match vector.class {
        Class::Signed => format!("(({a} & 7))"),
        Class::Unsigned => format!("({a} % 100)"),
        Class::Float if other.class == Class::Float => a.to_string(),
        Class::Float => {
            let name = draft.fresh("v");
            draft.say(&c!(
                "$t $n = $a; for (int i = 0; i < $l; i++) \
                 if (!($n[i] > 0 && $n[i] < 100)) $n[i] = 2.75;",
                t = vector.name,
                n = name,
                a = a,
                l = vector.lanes,
            ));
            name
        }
    };
    let value = format!("__builtin_convertvector({cut}, {})", other.name);
    assign(draft, &other, &value);
}

/// Bodies of loops over `a` and `b` of type `$t` and `c` of type `$s`, with `n` elements each.
const LOOPS: &[&str] = &[
    "for (int i = 0; i < n; i++) total += a[i] * b[i];",
    "for (int i = 0; i < n; i++) a[i] = b[i] + c[i];",
    "for (int i = 0; i < n; i++) c[i] = ($s)(a[i] ^ b[i]);",
    "for (int i = 0; i < n; i++) if (a[i] > b[i]) a[i] = b[i];",
    "for (int i = 0; i < n; i++) c[i] = a[i] > b[i] ? ($s)a[i] : ($s)b[i];",
    "for (int i = 0; i < n; i++) total += a[i] < b[i];",
    "for (int i = 0; i < n; i++) a[i] = b[n - 1 - i];",
    "for (int i = 0; i + 1 < n; i += 2) { total += a[i]; total ^= a[i + 1]; }",
    "for (int i = 0; i + 1 < n; i++) a[i] = a[i + 1] + b[i];",
    "for (int i = 1; i < n; i++) a[i] = a[i - 1] + b[i];",
    "for (int i = 0; i < n; i++) a[i] = b[c[i] & 7];",
    "for (int i = 0; i < n; i++) a[i] = ($t)(a[i] << (b[i] & 7)) | ($t)(a[i] >> 3);",
    "for (int i = 0; i < n; i++) total += (u64)a[i] * c[i] >> 1;",
    "$t top = 0; for (int i = 0; i < n; i++) if (a[i] > top) top = a[i]; total += top;",
    "$t low = ($t)-1; for (int i = 0; i < n; i++) low = a[i] < low ? a[i] : low; total += low;",
    "for (int i = 0; i < n; i++) a[i] = ($t)(a[i] > 50 ? a[i] - 50 : 0);",
    "for (int i = 0; i < n; i++) c[i] = ($s)__builtin_popcountll(a[i]);",
    "for (int i = 0; i < n; i++) { if (b[i] == 3) break; total += a[i]; }",
    "for (int i = 0; i < n; i++) { a[i] = 7; b[i] = ($t)(i * 3); }",
    "for (int i = 0; i < n; i++) total |= (u64)(a[i] == b[i]) << (i & 63);",
    "for (int i = 0; i + 3 < n; i += 4) { a[i] = b[i + 3]; a[i + 1] = b[i + 2]; \
     a[i + 2] = b[i + 1]; a[i + 3] = b[i]; }",
    "for (int i = 0; i < n; i++) total += a[i] / (b[i] | 1);",
    "for (int i = 0; i < n; i++) x[i] = (float)(a[i] & 0xffff) * 0.5f;",
    "for (int i = 0; i < n; i++) { x[i] = (float)(i - 3); y[i] = x[i] * x[i] + (float)i; }",
    "for (int i = 0; i < n; i++) y[i] = x[i] > 0 ? (double)x[i] : -(double)x[i] + 1;",
    "for (int i = 0; i < n; i++) c[i] = x[i] > -100 && x[i] < 100 ? ($s)(int)x[i] : 9;",
    "for (int i = 0; i < n; i++) y[i] = sqrt(y[i] * y[i]) + floor(y[i]);",
    "u8 *p = (u8 *)a; for (unsigned i = 0; i < n * sizeof *a; i++) total += p[i];",
    "for (int i = 0; i < n; i++) for (int j = 0; j < 4; j++) m[j][i & 7] += a[i] * (u32)j;",
    "for (int j = 0; j < 8; j++) for (int i = 0; i < 4; i++) total += m[i][j] * (j + 1u);",
];

/// A function with some loops over arrays.
fn loop_code(draft: &mut Draft) {
    let function = draft.fresh("loops");
    let unsigned = ["u8", "u16", "u32", "u64"];
    let t = *draft.random.pick(&unsigned);
    let s = *draft
        .random
        .pick(&["u8", "i8", "u16", "i16", "u32", "i32", "i64"]);
    let mut body = String::new();
    for _ in 0..draft.random.within(2, 6) {
        let text = *draft.random.pick(LOOPS);
        body.push_str(&format!("{{ {} }}\n", c!(text, t = t, s = s)));
    }
    let restrict = *draft.random.pick(&["", "restrict"]);
    draft.top(&c!(
        "__attribute__((noinline)) static u64 $f($t *$r a, $t *$r b, $s *$r c, float *$r x, \
         double *$r y, u32 m[4][8], int n) {\nu64 total = 0;\n$body return total; }",
        f = function,
        t = t,
        s = s,
        r = restrict,
        body = body,
    ));
    let n = draft.random.within(8, 80);
    let (k, l, used) = (draft.value(), draft.value(), draft.below(u64::from(n) - 7));
    let used = if draft.random.chance(50) {
        format!("{n}")
    } else {
        format!("8 + (int){used}")
    };
    draft.say(&c!(
        "{ $t a[$n], b[$n]; $s c[$n]; float x[$n]; double y[$n]; u32 m[4][8] = {{1, 2}, {3}};\n\
         for (int i = 0; i < $n; i++) { a[i] = ($t)($k * (u64)i + 1); b[i] = ($t)($l >> (i & 63)); \
         c[i] = ($s)(i * 5); x[i] = (float)i - 2.5f; y[i] = i * 1.25 - 7; }\n\
         show(\"$f\", $f(a, b, c, x, y, m, $used));\n\
         bytes(\"a\", a, sizeof a); bytes(\"b\", b, sizeof b); bytes(\"c\", c, sizeof c);\n\
         bytes(\"x\", x, sizeof x); bytes(\"y\", y, sizeof y); bytes(\"m\", m, sizeof m); }",
        f = function,
        t = t,
        s = s,
        n = n,
        k = k,
        l = l,
        used = used,
    ));
}
