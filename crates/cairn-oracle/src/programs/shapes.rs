//! Structures of random shapes, with functions that make and show them.

use super::draft::{Draft, c};
use crate::random::Draw;

/// Types of members, and how one is made of a `u64` named `s` and turned into one.
const MEMBERS: &[(&str, &str, &str)] = &[
    ("char", "(char)(s)", "(u64)($m)"),
    ("u8", "(u8)(s)", "$m"),
    ("i16", "(i16)(s)", "(u64)($m)"),
    ("int", "(int)(s)", "(u64)($m)"),
    ("u32", "(u32)(s)", "$m"),
    ("i64", "(i64)(s)", "(u64)($m)"),
    ("float", "(float)(i16)(s)", "(u64)(i64)($m)"),
    ("double", "(double)(i32)(s)", "(u64)(i64)($m)"),
    ("float", "(float)(i16)(s)", "(u64)(i64)($m)"),
    ("double", "(double)(i32)(s)", "(u64)(i64)($m)"),
    ("long double", "(long double)(i64)(s)", "(u64)(i64)($m)"),
    ("i128", "(i128)(i64)(s) * 3", "(u64)($m)"),
    ("void *", "(void *)(uintptr_t)(s)", "(u64)(uintptr_t)($m)"),
    ("_Bool", "(_Bool)(s & 1)", "(u64)($m)"),
    (
        "_Complex float",
        "(float)(i16)(s) + 1.0f * 1i",
        "(u64)(i64)__real__($m)",
    ),
];

/// A structure type.
#[derive(Clone)]
pub(super) struct Shape {
    /// Its name, which is also a type's.
    pub name: String,
}

impl Shape {
    /// An expression that makes one of a `u64`.
    pub fn make(&self, from: &str) -> String {
        format!("make_{}({from})", self.name)
    }

    /// A statement that shows one.
    pub fn show(&self, what: &str) -> String {
        format!("show_{}({what});", self.name)
    }
}

/// Declares a structure with its functions. With `others`, it may contain some of them.
pub(super) fn declare(draft: &mut Draft, others: &[Shape]) -> Shape {
    let name = draft.fresh("S");
    let (mut members, mut make, mut show) = (String::new(), String::new(), String::new());
    let count = match draft.random.below(4) {
        0 => 1,
        1 => 2,
        2 => draft.random.within(2, 4),
        _ => draft.random.within(3, 8),
    };
    // Long doubles and such make structures that go through memory; not all should.
    let plain = draft.random.chance(70);
    let choice = if plain { 10 } else { MEMBERS.len() };
    for i in 0..count {
        let (t, made, shown) = MEMBERS[draft.random.below(choice)];
        let m = format!("m{i}");
        if !others.is_empty() && draft.random.chance(8) {
            let other = draft.random.pick(others).clone();
            members.push_str(&format!("{} {m}; ", other.name));
            make.push_str(&format!("r.{m} = {}; s = s * 5 + 1; ", other.make("s")));
            show.push_str(&other.show(&format!("v.{m}")));
        } else if draft.random.chance(12) {
            let n = draft.random.within(1, 9);
            let n = if t == "long double" || t == "i128" {
                2
            } else {
                n
            };
            members.push_str(&format!("{t} {m}[{n}]; "));
            make.push_str(&c!(
                "for (int i = 0; i < $n; i++) { r.$m[i] = $made; s = s * 5 + 1; } ",
                n = n,
                m = m,
                made = made,
            ));
            let shown = c!(shown, m = format!("v.{m}[i]"));
            show.push_str(&c!(
                "for (int i = 0; i < $n; i++) printf(\" %lx\", (unsigned long)($shown)); ",
                n = n,
                shown = shown,
            ));
        } else {
            members.push_str(&format!("{t} {m}; "));
            make.push_str(&format!("r.{m} = {made}; s = s * 5 + 1; "));
            let shown = c!(shown, m = format!("v.{m}"));
            show.push_str(&c!(
                "printf(\" %lx\", (unsigned long)($shown)); mix($shown); ",
                shown = shown,
            ));
        }
    }
    let packed = if draft.random.chance(12) {
        "__attribute__((packed)) "
    } else {
        ""
    };
    let inline = if draft.random.chance(50) {
        "__attribute__((noinline)) "
    } else {
        ""
    };
    draft.top(&c!(
        "typedef struct $packed{ $members} $name;\n\
         $inline static $name make_$name(u64 s) { $name r; $make return r; }\n\
         $inline static void show_$name($name v) { printf(\"$name\"); $show printf(\"\\n\"); }",
        packed = packed,
        members = members,
        name = name,
        inline = inline,
        make = make,
        show = show,
    ));
    Shape { name }
}
