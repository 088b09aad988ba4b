//! Programs about the layout of objects and about integers of odd and large widths.

use super::draft::{Draft, INTEGERS, c};
use super::shapes;
use crate::random::Draw;

/// The program of a seed.
pub(super) fn program(seed: u64) -> String {
    let mut draft = Draft::new(seed);
    for _ in 0..draft.random.within(5, 12) {
        match draft.random.below(9) {
            0..=2 => bit_fields(&mut draft),
            3 => union(&mut draft),
            4 | 5 => odd_integers(&mut draft),
            6 => wide_integers(&mut draft),
            7 => structures(&mut draft),
            _ => flexible(&mut draft),
        }
    }
    draft.finish("")
}

/// A field: its name, its width, and whether it has a sign.
type Field = (String, u32, bool);

/// Declares a structure of bit-fields.
fn fields(draft: &mut Draft) -> (String, Vec<Field>) {
    let name = draft.fresh("B");
    let (mut members, mut all) = (String::new(), Vec::new());
    for i in 0..draft.random.within(1, 10) {
        let (t, width, signed) = *draft.random.pick(&INTEGERS);
        let m = format!("f{i}");
        match draft.random.below(10) {
            0 => {
                members.push_str(&format!("{t} {m}; "));
                all.push((m, width, signed));
            }
            1 => members.push_str(&format!("{t} : 0; ")),
            2 => members.push_str(&format!("{t} : {}; ", draft.random.within(1, width))),
            3 => {
                let bits = draft.random.within(2, 64);
                let used = draft.random.within(1, bits);
                members.push_str(&format!("unsigned _BitInt({bits}) {m} : {used}; "));
                all.push((m, used, false));
            }
            4 => {
                members.push_str(&format!("_Bool {m} : 1; "));
                all.push((m, 1, false));
            }
            _ => {
                let used = draft.random.within(1, width);
                members.push_str(&format!("{t} {m} : {used}; "));
                all.push((m, used, signed));
            }
        }
    }
    if all.is_empty() {
        members.push_str("u32 f99 : 7; ");
        all.push(("f99".to_string(), 7, false));
    }
    let packed = *draft.random.pick(&["", "", "__attribute__((packed)) "]);
    draft.top(&c!(
        "typedef struct $packed{ $members} $name;",
        packed = packed,
        members = members,
        name = name,
    ));
    let shown: String = all
        .iter()
        .map(|(m, ..)| format!("show(\"{name}.{m}\", (u64)v->{m}); "))
        .collect();
    draft.top(&c!(
        "static void show_$name(const $name *v) { $shown}",
        name = name,
        shown = shown,
    ));
    (name, all)
}

/// A value that a field holds: all bits for unsigned ones, its range for signed ones.
fn fitting(draft: &mut Draft, field: &Field) -> String {
    let (_, width, signed) = field;
    let value = draft.value();
    match (width, signed) {
        (1, false) => format!("(({value}) & 1)"),
        (64, false) => value,
        (_, false) => format!("(({value}) & {:#x}ull)", (1_u64 << width) - 1),
        // What a signed field makes of a number that does not fit is the compiler's choice, and
        // it chooses the lower bits.
        (_, true) => format!("(i64)({value})"),
    }
}

fn bit_fields(draft: &mut Draft) {
    let (name, all) = fields(draft);
    let v = draft.fresh("b");
    let count = draft.random.within(1, 5);
    let fill = *draft.random.pick(&[0, 255, 0x5A]);
    draft.say(&c!(
        "$name $v[$n]; memset($v, $fill, sizeof $v); show(\"size\", sizeof *$v);",
        name = name,
        v = v,
        n = count,
        fill = fill,
    ));
    for _ in 0..draft.random.within(2, 12) {
        let field = draft.random.pick(&all).clone();
        let at = draft.below(u64::from(count));
        let value = fitting(draft, &field);
        let other = draft.random.pick(&all).0.clone();
        let text = match draft.random.below(6) {
            0 | 1 => "$v[$at].$f = $value;",
            2 if !field.2 => "$v[$at].$f += $value;",
            3 => "$v[$at].$f ^= $v[0].$o;",
            4 => "$v[0].$f = $v[$at].$o;",
            2 | 5 => "$v[$at].$f |= $value;",
            _ => "$v[$at].$f = !$v[$at].$o;",
        };
        draft.say(&c!(
            text,
            v = v,
            at = at,
            f = field.0,
            o = other,
            value = value,
        ));
    }
    draft.say(&c!(
        "for (int i = 0; i < $n; i++) show_$name(&$v[i]);\n\
         { $name copy = $v[$n - 1]; show_$name(&copy); }",
        n = count,
        name = name,
        v = v,
    ));
    // All bytes were set once, so that the padding is known as long as only fields are written.
    draft.say(&c!("bytes(\"$v\", $v, sizeof $v);", v = v));
}

/// A union whose members are as long as it, read as other members than were written.
fn union(draft: &mut Draft) {
    let name = draft.fresh("U");
    let views = [
        ("u64 a", "a"),
        ("u32 b[2]", "b[$i % 2]"),
        ("u16 c[4]", "c[$i % 4]"),
        ("u8 d[8]", "d[$i % 8]"),
        (
            "struct { u8 x; u16 y; u32 z; } __attribute__((packed)) e",
            "e.y",
        ),
        (
            "struct { u64 low : 13; u64 middle : 38; u64 high : 13; } f",
            "f.middle",
        ),
        ("i8 g[8]", "g[$i % 8]"),
        ("u8 h[2][4]", "h[$i % 2][$i % 4]"),
    ];
    let members: String = views.iter().map(|(m, _)| format!("{m}; ")).collect();
    draft.top(&format!("typedef union {{ {members}}} {name};"));
    // Not just "u": u8 and its like are types.
    let u = draft.fresh("joined");
    let first = draft.value();
    draft.say(&format!("{name} {u}; {u}.a = {first};"));
    for _ in 0..draft.random.within(2, 8) {
        let (i, j) = (draft.below(8), draft.below(8));
        let into = c!(draft.random.pick(&views).1, i = i);
        let from = c!(draft.random.pick(&views).1, i = j);
        let value = draft.value();
        match draft.random.below(3) {
            0 => draft.say(&format!("{u}.{into} = {value};")),
            1 => draft.say(&format!("{u}.{into} += {u}.{from};")),
            _ => draft.say(&format!("show(\"{u}\", (u64){u}.{from});")),
        }
    }
    draft.say(&c!(
        "bytes(\"$u\", &$u, 8); { double d; u64 b = $u.a & 0x3fffffffffffffffull; \
         memcpy(&d, &b, 8); printf(\"%a\\n\", d); \
         float f; memcpy(&f, (u8 *)&b + 4, 4); printf(\"%a\\n\", f); }",
        u = u,
    ));
}

/// Integers of widths that no machine has.
fn odd_integers(draft: &mut Draft) {
    let bits = match draft.random.below(4) {
        0 => draft.random.within(2, 64),
        1 => draft.random.within(65, 128),
        _ => draft.random.within(2, 200),
    };
    let t = draft.fresh("I");
    draft.top(&c!(
        "typedef unsigned _BitInt($bits) $t; typedef _BitInt($bits) S$t;\n\
         static void show_$t(const char *name, $t v) { printf(\"%s\", name); \
         for (int i = 0; i < $bits; i += 16) { u64 part = (u64)(v >> i) & 0xffff; \
         mix(part); printf(\" %lx\", (unsigned long)part); } printf(\"\\n\"); }",
        bits = bits,
        t = t,
    ));
    let mut all: Vec<String> = Vec::new();
    for _ in 0..3 {
        let (name, a, b) = (draft.fresh("n"), draft.value(), draft.value());
        let shift = draft.random.below(bits as usize);
        draft.say(&c!(
            "$t $n = ($t)($a) << $shift ^ ($t)($b); show_$t(\"$n\", $n);",
            t = t,
            n = name,
            a = a,
            b = b,
            shift = shift,
        ));
        all.push(name);
    }
    for _ in 0..draft.random.within(3, 10) {
        let (a, b) = (
            draft.random.pick(&all).clone(),
            draft.random.pick(&all).clone(),
        );
        let shift = draft.below(u64::from(bits));
        let text = match draft.random.below(14) {
            0 => "$a + $b",
            1 => "$a - $b",
            2 => "$a * $b",
            // Wider divisions are made by the compiler as long loops.
            3 if bits <= 128 => "$a / ($b | 1)",
            4 if bits <= 128 => "$a % ($b | 1)",
            5 if bits <= 128 && bits > 2 => "($t)((S$t)$a / (S$t)(($b >> 2) | 1))",
            6 => "$a << $shift",
            7 => "$a >> $shift",
            8 => "($t)((S$t)$a >> $shift)",
            9 => "~$a ^ $b",
            10 => "($t)((S$t)$a < (S$t)$b)",
            11 => "($a > $b ? $a - $b : $b)",
            12 => "($t)(i16)$a",
            _ => "($a & $b) | ($a << 1)",
        };
        let value = c!(text, a = a, b = b, t = t, shift = shift);
        let name = draft.fresh("n");
        let inline = draft.random.chance(25);
        if inline {
            let function = draft.fresh("pass");
            draft.top(&c!(
                "__attribute__((noinline)) static $t $f(u8 k, $t a) { return a ^ k; }",
                t = t,
                f = function,
            ));
            draft.say(&c!(
                "$t $n = $f(3, $value); show_$t(\"$n\", $n);",
                t = t,
                n = name,
                f = function,
                value = value,
            ));
        } else {
            draft.say(&c!(
                "$t $n = $value; show_$t(\"$n\", $n);",
                t = t,
                n = name,
                value = value,
            ));
        }
        all.push(name);
    }
    if bits > 8 && draft.random.chance(40) {
        let a = draft.random.pick(&all).clone();
        draft.say(&c!(
            "{ $t list[3] = {$a, 1, ($t)~$a}; volatile int k = 2; show_$t(\"list\", list[k]); \
             double d = (double)(S$t)($a >> 3); printf(\"%a\\n\", d); }",
            t = t,
            a = a,
        ));
    }
}

/// Integers of 128 bits.
fn wide_integers(draft: &mut Draft) {
    let mut all: Vec<String> = Vec::new();
    for _ in 0..3 {
        let (name, a, b) = (draft.fresh("w"), draft.value(), draft.value());
        draft.say(&format!("u128 {name} = (u128)({a}) << 64 | ({b});"));
        all.push(name);
    }
    for _ in 0..draft.random.within(4, 12) {
        let (a, b) = (
            draft.random.pick(&all).clone(),
            draft.random.pick(&all).clone(),
        );
        let shift = draft.below(128);
        let text = match draft.random.below(13) {
            0 => "$a + $b",
            1 => "$a - $b",
            2 => "$a * $b",
            3 => "$a / ($b | 1)",
            4 => "$a % ($b | 1)",
            5 => "(u128)((i128)$a / (i128)(($b >> 1) | 1))",
            6 => "(u128)((i128)$a % (i128)(($b >> 65) | 1))",
            7 => "$a << $shift",
            8 => "$a >> $shift",
            9 => "(u128)((i128)$a >> $shift)",
            10 => "(u128)((i128)$a < (i128)$b) << 70",
            11 => "(u128)(i64)$a",
            _ => "(u128)(u64)$a * (u64)$b",
        };
        let (value, name) = (c!(text, a = a, b = b, shift = shift), draft.fresh("w"));
        draft.say(&c!(
            "u128 $n = $value; show(\"$n high\", (u64)($n >> 64)); show(\"$n low\", (u64)$n);",
            n = name,
            value = value,
        ));
        all.push(name);
    }
    let a = draft.random.pick(&all).clone();
    draft.say(&c!(
        "{ char digits[48]; int at = 47; digits[47] = 0; u128 left = $a; \
         do { digits[--at] = (char)('0' + (int)(left % 10)); left /= 10; } while (left); puts(digits + at); }",
        a = a,
    ));
}

/// Arrays of structures, changed by value.
fn structures(draft: &mut Draft) {
    let shape = shapes::declare(draft, &[]);
    let (array, n, value) = (draft.fresh("a"), draft.random.within(2, 6), draft.value());
    draft.say(&c!(
        "$t $a[$n]; for (int i = 0; i < $n; i++) $a[i] = $make;\n\
         { $t first = $a[0]; for (int i = 0; i + 1 < $n; i++) $a[i] = $a[i + 1]; $a[$n - 1] = first; }\n\
         for (int i = 0; i < $n; i++) $show",
        t = shape.name,
        a = array,
        n = n,
        make = shape.make(&format!("{value} + (u64)i")),
        show = shape.show(&format!("{array}[i]")),
    ));
    let function = draft.fresh("change");
    draft.top(&c!(
        "__attribute__((noinline)) static $t $f($t *all, int n, $t with) { \
         $t old = all[n]; all[n] = with; return old; }",
        t = shape.name,
        f = function,
    ));
    let at = draft.below(u64::from(n));
    draft.say(&c!(
        "{ $t old = $f($a, (int)$at, $make); $show $t now = $a[0]; $shown }",
        t = shape.name,
        f = function,
        a = array,
        at = at,
        make = shape.make(&value),
        show = shape.show("old"),
        shown = shape.show("now"),
    ));
}

/// A structure that ends in an array of any length.
fn flexible(draft: &mut Draft) {
    let name = draft.fresh("F");
    let (t, _, _) = *draft.random.pick(&INTEGERS);
    let (h, _, _) = *draft.random.pick(&INTEGERS);
    draft.top(&c!(
        "typedef struct { u16 count; $h head; $t items[]; } $name;\n\
         static $name fixed_$name = {3, 1, {5, 6, 7}};\n\
         static u64 total_$name(const $name *f) { u64 r = (u64)f->head; \
         for (int i = 0; i < f->count; i++) r = r * 31 + (u64)f->items[i]; return r; }",
        name = name,
        h = h,
        t = t,
    ));
    let (n, value) = (draft.random.within(1, 20), draft.value());
    draft.say(&c!(
        "{ $name *f = ($name *)malloc(sizeof($name) + $n * sizeof($t)); f->count = $n; \
         f->head = ($h)($v); for (int i = 0; i < $n; i++) f->items[i] = ($t)($v >> (i & 31)); \
         show(\"$name\", total_$name(f)); f = ($name *)realloc(f, sizeof($name) + 2 * $n * sizeof($t)); \
         for (int i = $n; i < 2 * $n; i++) f->items[i] = ($t)i; f->count *= 2; \
         show(\"$name\", total_$name(f)); free(f); show(\"$name\", total_$name(&fixed_$name)); \
         show(\"offset\", offsetof($name, items)); }",
        name = name,
        n = n,
        t = t,
        h = h,
        v = value,
    ));
}
