//! A program in the making: a source of chances, declarations, and the statements of `main`.
//!
//! Generated programs must not have undefined behaviour and must show much of what they compute.
//! Values come from literals, which the compiler folds, and from a volatile table, which it cannot
//! fold; so the same construct is met as a constant and at run time.

use crate::random::Random;

/// Replaces `$name` in a text by the value of that name.
///
/// A name that has no value is a mistake in a generator.
pub(super) fn fill(text: &str, values: &[(&str, String)]) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let length = after
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(after.len());
        let name = &after[..length];
        let value = values.iter().find(|(n, _)| *n == name);
        let (_, value) = value.unwrap_or_else(|| panic!("no value for ${name}"));
        out.push_str(value);
        rest = &after[length..];
    }
    out.push_str(rest);
    out
}

/// C text with `$name` replaced by the values given: `c!("$a + 1", a = 3)`.
macro_rules! c {
    ($text:expr $(, $name:ident = $value:expr)* $(,)?) => {
        $crate::programs::draft::fill($text, &[$((stringify!($name), $value.to_string())),*])
    };
}
pub(super) use c;

/// Integer types of the prelude with their widths, and whether they have a sign.
pub(super) const INTEGERS: [(&str, u32, bool); 8] = [
    ("i8", 8, true),
    ("u8", 8, false),
    ("i16", 16, true),
    ("u16", 16, false),
    ("i32", 32, true),
    ("u32", 32, false),
    ("i64", 64, true),
    ("u64", 64, false),
];

/// What every program starts with.
const PRELUDE: &str = "\
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef int8_t i8; typedef uint8_t u8; typedef int16_t i16; typedef uint16_t u16;
typedef int32_t i32; typedef uint32_t u32; typedef int64_t i64; typedef uint64_t u64;
typedef __int128 i128; typedef unsigned __int128 u128;
static u64 sum = 14695981039346656037ull;
static void mix(u64 v) {
    for (int i = 0; i < 8; i++) { sum ^= v >> (8 * i) & 255; sum *= 1099511628211ull; }
}
static void show(const char *name, u64 v) { mix(v); printf(\"%s %lx\\n\", name, (unsigned long)v); }
static void bytes(const char *name, const void *at, size_t n) {
    const unsigned char *p = (const unsigned char *)at;
    printf(\"%s\", name);
    for (size_t i = 0; i < n; i++) { printf(\" %02x\", p[i]); mix(p[i]); }
    printf(\"\\n\");
}
";

/// How many values the volatile table has.
const INPUTS: usize = 16;

/// A program in the making.
pub(super) struct Draft {
    /// The source of chances.
    pub random: Random,
    top: String,
    body: String,
    names: u32,
}

impl Draft {
    /// An empty program of a seed.
    pub fn new(seed: u64) -> Self {
        Draft {
            random: Random::new(seed),
            top: String::new(),
            body: String::new(),
            names: 0,
        }
    }

    /// A name that nothing else has.
    pub fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// Adds declarations.
    pub fn top(&mut self, text: &str) {
        self.top.push_str(text);
        self.top.push('\n');
    }

    /// Adds statements to `main`.
    pub fn say(&mut self, text: &str) {
        self.body.push_str(text);
        self.body.push('\n');
    }

    /// A number that tends to be near the borders of some width.
    pub fn special(&mut self) -> u64 {
        let bits = self.random.next();
        match self.random.below(8) {
            0 => bits % 4,
            1 => bits % 256,
            2 => bits & 0xFFFF,
            3 => 1 << (bits % 64),
            4 => (1_u64 << (bits % 64)).wrapping_sub(1),
            5 => (bits % 128).wrapping_neg(),
            6 => bits >> (bits % 60),
            _ => bits,
        }
    }

    /// An expression of type `u64` without operators: a literal or something the compiler cannot
    /// know.
    pub fn value(&mut self) -> String {
        if self.random.chance(40) {
            format!("{:#x}ull", self.special())
        } else {
            format!("in[{}]", self.random.below(INPUTS))
        }
    }

    /// A run-time value below `n`, as an expression.
    pub fn below(&mut self, n: u64) -> String {
        format!("(in[{}] % {n})", self.random.below(INPUTS))
    }

    /// An expression of type `u64` over the volatile table and some variables of integer types.
    ///
    /// Every step is defined: divisors are odd and positive, shifts are masked, and signed
    /// arithmetic works on numbers that are short enough.
    pub fn word(&mut self, variables: &[String], depth: u32) -> String {
        if depth == 0 || self.random.chance(15) {
            return if variables.is_empty() || self.random.chance(30) {
                self.value()
            } else {
                format!("(u64){}", self.random.pick(variables))
            };
        }
        let a = self.word(variables, depth - 1);
        let b = self.word(variables, depth - 1);
        let (t, width, _) = *self.random.pick(&INTEGERS);
        let (s, _, _) = *self.random.pick(&INTEGERS);
        let last = width - 1;
        let text = match self.random.below(19) {
            0 => "($a + $b)",
            1 => "($a - $b)",
            2 => "($a * $b)",
            3 => "($a & $b)",
            4 => "($a | $b)",
            5 => "($a ^ $b)",
            6 => "($a / ($b | 1))",
            7 => "($a % ($b | 1))",
            8 => "(u64)((i64)($a) / ((i64)($b & 0xffffff) | 1))",
            9 => "(u64)((i64)($a) % ((i64)($b & 0xffff) | 1))",
            10 => "($a << ($b & 63))",
            11 => "($a >> ($b & 63))",
            12 => "(u64)(($t)($a) >> ($b & $last))",
            13 => "(u64)($t)($a)",
            14 => "(u64)(($t)($a) < ($t)($b))",
            15 => "(u64)(($t)($a) == ($s)($b))",
            16 => "(u64)((i32)(i16)($a) * (i32)(i16)($b))",
            17 => "(($t)($a) > ($s)($b) ? $a : ~$b)",
            _ => "(u64)((i64)(i32)($a) - (i64)(i32)($b))",
        };
        c!(text, a = a, b = b, t = t, s = s, last = last)
    }

    /// The whole program.
    pub fn finish(mut self, more_prelude: &str) -> String {
        let inputs: Vec<String> = (0..INPUTS)
            .map(|_| format!("{:#x}ull", self.special()))
            .collect();
        let code = self.random.below(200);
        let inputs = inputs.join(", ");
        let Draft { top, body, .. } = self;
        format!(
            "{PRELUDE}static volatile u64 in[{INPUTS}] = {{{inputs}}};\n{more_prelude}{top}\n\
             int main(void) {{\n{body}printf(\"sum %lx\\n\", (unsigned long)sum);\n\
             return {code};\n}}\n"
        )
    }
}
