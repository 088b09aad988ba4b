//! Programs about floating-point numbers.
//!
//! Signs and contents of NaNs are not shown: neither the language nor the compiler fixes them.
//! Numbers are converted to integers only after a check of their range, in a way that the
//! optimiser may turn into an unconditional conversion whose result is not used.

use super::draft::{Draft, INTEGERS, c};
use crate::random::Draw;

/// A floating-point type.
struct Format {
    name: &'static str,
    /// Ending of literals.
    suffix: &'static str,
    /// Digits of exponents that literals may have.
    exponents: i64,
    /// It has printf conversions of its own or as `double`.
    show: &'static str,
}

const FORMATS: [Format; 5] = [
    Format {
        name: "float",
        suffix: "f",
        exponents: 140,
        show: "showf",
    },
    Format {
        name: "double",
        suffix: "",
        exponents: 1060,
        show: "showd",
    },
    Format {
        name: "xf",
        suffix: "L",
        exponents: 16400,
        show: "showl",
    },
    Format {
        name: "_Float16",
        suffix: "f16",
        exponents: 20,
        show: "showf",
    },
    Format {
        name: "__float128",
        suffix: "q",
        exponents: 16400,
        show: "showq",
    },
];

const PRELUDE: &str = r#"
typedef long double xf;
static void showd(const char *name, double x) {
    if (x != x) { printf("%s nan\n", name); return; }
    u64 b; memcpy(&b, &x, 8); mix(b);
    printf("%s %a %.17g %g\n", name, x, x, x);
}
static void showf(const char *name, float x) {
    if (x != x) { printf("%s nan\n", name); return; }
    u32 b; memcpy(&b, &x, 4); mix(b);
    printf("%s %a %.9g\n", name, x, x);
}
static void showl(const char *name, long double x) {
    if (x != x) { printf("%s nan\n", name); return; }
    u64 b; memcpy(&b, &x, 8); mix(b);
    printf("%s %La %.21Lg %Lg\n", name, x, x, x);
}
static void showq(const char *name, __float128 x) {
    if (x != x) { printf("%s nan\n", name); return; }
    bytes(name, &x, 16);
}
"#;

/// Functions of one `double` that are defined everywhere.
const ONE: &[&str] = &[
    "fabs",
    "floor",
    "ceil",
    "trunc",
    "round",
    "rint",
    "nearbyint",
    "atan",
    "tanh",
    "sin",
    "cos",
    "exp",
    "exp2",
    "sqrt",
    "log",
    "log2",
    "log10",
    "log1p",
    "expm1",
    "asin",
    "acos",
    "tan",
    "sinh",
    "cosh",
];

/// Functions of two.
const TWO: &[&str] = &["fmod", "pow", "hypot", "atan2", "copysign"];

/// The program of a seed.
pub(super) fn program(seed: u64) -> String {
    let mut draft = Draft::new(seed);
    let mut variables: [Vec<String>; FORMATS.len()] = Default::default();
    for format in 0..FORMATS.len() {
        for _ in 0..3 {
            let literal = literal(&mut draft, format);
            declare(&mut draft, &mut variables, format, &literal);
        }
    }
    // Few programs use the rarer functions, so that one that is missing does not hide the rest.
    let rare = draft.random.chance(8);
    for _ in 0..draft.random.within(15, 40) {
        match draft.random.below(12) {
            0..=4 => arithmetic(&mut draft, &mut variables),
            5 => compare(&mut draft, &variables),
            6 => to_integer(&mut draft, &variables),
            7 => from_integer(&mut draft, &mut variables),
            8 => library(&mut draft, &mut variables),
            11 if rare => rare_library(&mut draft, &mut variables),
            9 => classify(&mut draft, &variables),
            10 => series(&mut draft, &mut variables),
            _ => print(&mut draft, &variables),
        }
    }
    draft.finish(PRELUDE)
}

/// Picks a format; the usual ones more often.
fn format(draft: &mut Draft) -> usize {
    *draft.random.pick(&[0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 4])
}

/// A literal of a format: a small number, one of any size, or a border.
fn literal(draft: &mut Draft, format: usize) -> String {
    let Format {
        suffix, exponents, ..
    } = FORMATS[format];
    let sign = if draft.random.chance(30) { "-" } else { "" };
    let bits = draft.random.next();
    match draft.random.below(7) {
        0 => format!("{sign}{}.0{suffix}", bits % 20),
        1 => format!("{sign}{}.{}{suffix}", bits % 100, bits >> 40 & 0xFFFF),
        2 => format!("{sign}0x1.{:x}p{}{suffix}", bits & 0xFF, bits as i64 % 8),
        3 => format!("{sign}0x1.{:x}p{}{suffix}", bits, bits as i64 % exponents),
        4 => format!("{sign}0x1p{}{suffix}", -(bits as i64 % exponents).abs()),
        5 => format!("{sign}0.{:04}{suffix}", bits % 10000),
        _ => format!("{sign}{}e{}{suffix}", bits % 1000, bits as i64 % 4),
    }
}

/// Makes a variable of a format and shows it.
fn declare(
    draft: &mut Draft,
    variables: &mut [Vec<String>; FORMATS.len()],
    format: usize,
    value: &str,
) {
    let name = draft.fresh("x");
    let volatile = if draft.random.chance(40) {
        "volatile "
    } else {
        ""
    };
    let Format { name: t, show, .. } = FORMATS[format];
    draft.say(&c!(
        "$v$t $n = ($t)($value); $show(\"$n\", $n);",
        v = volatile,
        t = t,
        n = name,
        value = value,
        show = show,
    ));
    variables[format].push(name);
}

fn any(draft: &mut Draft, variables: &[Vec<String>], format: usize) -> String {
    draft.random.pick(&variables[format]).clone()
}

/// An expression of a format.
fn expression(
    draft: &mut Draft,
    variables: &[Vec<String>; FORMATS.len()],
    format: usize,
    depth: u32,
) -> String {
    if depth == 0 || draft.random.chance(15) {
        return match draft.random.below(5) {
            0 => literal(draft, format),
            1 => {
                let other = self::format(draft);
                let from = any(draft, variables, other);
                format!("({})({from})", FORMATS[format].name)
            }
            _ => any(draft, variables, format),
        };
    }
    let a = expression(draft, variables, format, depth - 1);
    let b = expression(draft, variables, format, depth - 1);
    let text = match draft.random.below(9) {
        0 | 1 => "($a + $b)",
        2 => "($a - $b)",
        3 | 4 => "($a * $b)",
        5 => "($a / $b)",
        6 => "(-($a))",
        7 => "($a < $b ? $a : $b)",
        _ => "($a * $b + $a)",
    };
    c!(text, a = a, b = b)
}

fn arithmetic(draft: &mut Draft, variables: &mut [Vec<String>; FORMATS.len()]) {
    let format = format(draft);
    let depth = draft.random.within(1, 3);
    let value = expression(draft, variables, format, depth);
    if draft.random.chance(30) {
        let function = draft.fresh("calculate");
        let t = FORMATS[format].name;
        let inside = [
            "(a + b) * a",
            "a / b - a",
            "a * b + a",
            "a > b ? a - b : b * a",
            "-a + b",
        ];
        let inside = *draft.random.pick(&inside);
        draft.top(&c!(
            "__attribute__((noinline)) static $t $f($t a, $t b) { return $e; }",
            t = t,
            f = function,
            e = inside,
        ));
        let (a, b) = (any(draft, variables, format), value);
        declare(draft, variables, format, &format!("{function}({a}, {b})"));
    } else {
        declare(draft, variables, format, &value);
    }
}

fn compare(draft: &mut Draft, variables: &[Vec<String>; FORMATS.len()]) {
    let format = format(draft);
    let (a, b) = (any(draft, variables, format), any(draft, variables, format));
    draft.say(&c!(
        "show(\"$a ? $b\", ($a < $b) | ($a <= $b) << 1 | ($a > $b) << 2 | ($a >= $b) << 3 | \
         ($a == $b) << 4 | ($a != $b) << 5 | !($a < $b) << 6 | \
         __builtin_isunordered($a, $b) << 7 | __builtin_islessgreater($a, $b) << 8 | !!$a << 9);",
        a = a,
        b = b,
    ));
}

/// The largest power of two that an integer type holds the numbers below of, in each direction.
fn to_integer(draft: &mut Draft, variables: &[Vec<String>; FORMATS.len()]) {
    let format = format(draft);
    let x = any(draft, variables, format);
    let (t, width, signed) = *draft.random.pick(&INTEGERS);
    let wide = draft.random.chance(15) && format != 3;
    let (t, width) = match (wide, signed) {
        (false, _) => (t, width),
        (true, true) => ("i128", 128),
        (true, false) => ("u128", 128),
    };
    let name = draft.fresh("n");
    let high = if signed { width - 1 } else { width };
    // Half precision ends below 2^16, so that wider types need no check of it but finiteness.
    let high = if format == 3 { high.min(15) } else { high };
    let low = if signed {
        format!("-0x1p{high}")
    } else {
        "-1.0".to_string()
    };
    draft.say(&c!(
        "$t $n = $x > $low && $x < 0x1p$high ? ($t)$x : ($t)77; show(\"$n\", (u64)$n);",
        t = t,
        n = name,
        x = x,
        low = low,
        high = high,
    ));
    if wide {
        draft.say(&c!("show(\"$n\", (u64)($n >> 64));", n = name));
    }
}

fn from_integer(draft: &mut Draft, variables: &mut [Vec<String>; FORMATS.len()]) {
    let format = format(draft);
    let value = draft.word(&[], 1);
    let (t, _, _) = *draft.random.pick(&INTEGERS);
    let text = match draft.random.below(6) {
        0 => c!("(i128)($v) * (i128)(i32)($v)", v = value),
        1 => c!("(u128)($v) << 40 | ($v)", v = value),
        2 => c!("(_Bool)($v)", v = value),
        _ => c!("($t)($v)", t = t, v = value),
    };
    declare(draft, variables, format, &text);
}

fn library(draft: &mut Draft, variables: &mut [Vec<String>; FORMATS.len()]) {
    let format = *draft.random.pick(&[0, 1, 1, 1]);
    let suffix = FORMATS[format].suffix;
    let (a, b, z) = (
        any(draft, variables, format),
        any(draft, variables, format),
        any(draft, variables, format),
    );
    let text = match draft.random.below(14) {
        0..=5 => {
            let f = *draft.random.pick(ONE);
            format!("{f}{suffix}({a})")
        }
        6 | 7 => {
            let f = *draft.random.pick(TWO);
            format!("{f}{suffix}({a}, {b})")
        }
        8 => format!("fma{suffix}({a}, {b}, {z})"),
        9 => format!("ldexp({a}, (int)({} & 127) - 64)", draft.value()),
        10 => format!("({a} < {b} ? fmin{suffix}({a}, {b}) : fmax{suffix}({a}, {b}))"),
        11 => format!("__builtin_fabs({a}) + __builtin_copysign({a}, {b})"),
        12 => {
            let (n, part) = (draft.fresh("e"), draft.fresh("p"));
            draft.say(&c!(
                "int $n = 0; double $p = $a == $a && $a - $a == 0 ? frexp($a, &$n) : 0; \
                 show(\"$n\", $n); showd(\"$p\", $p);",
                n = n,
                p = part,
                a = a,
            ));
            part
        }
        _ => {
            let (n, part) = (draft.fresh("w"), draft.fresh("p"));
            draft.say(&c!(
                "double $n; double $p = modf($a, &$n); showd(\"$n\", $n); showd(\"$p\", $p);",
                n = n,
                p = part,
                a = a,
            ));
            part
        }
    };
    declare(draft, variables, format, &text);
}

/// Functions that give integers, and functions of `long double`.
fn rare_library(draft: &mut Draft, variables: &mut [Vec<String>; FORMATS.len()]) {
    if draft.random.chance(50) {
        let x = any(draft, variables, 2);
        let f = *draft
            .random
            .pick(&["sqrtl", "fabsl", "floorl", "ceill", "truncl"]);
        declare(draft, variables, 2, &format!("{f}({x})"));
    } else {
        let x = any(draft, variables, 1);
        let name = draft.fresh("n");
        let f = *draft.random.pick(&["lrint", "lround", "llrint", "llround"]);
        draft.say(&c!(
            "i64 $n = $x > -0x1p62 && $x < 0x1p62 ? $f($x) : 5; show(\"$n\", $n);",
            n = name,
            x = x,
            f = f,
        ));
    }
}

fn classify(draft: &mut Draft, variables: &[Vec<String>; FORMATS.len()]) {
    let format = *draft.random.pick(&[0, 1, 1, 2]);
    let x = any(draft, variables, format);
    draft.say(&c!(
        "show(\"class $x\", !!__builtin_isnan($x) | !!__builtin_isinf($x) << 1 | \
         !!__builtin_isfinite($x) << 2 | !!__builtin_isnormal($x) << 3 | \
         ($x == $x ? !!__builtin_signbit($x) : 0) << 4 | \
         __builtin_fpclassify(1, 2, 3, 4, 5, $x) << 5);",
        x = x,
    ));
}

/// A loop over an array, of a kind that the optimiser likes.
fn series(draft: &mut Draft, variables: &mut [Vec<String>; FORMATS.len()]) {
    let format = format(draft);
    let t = FORMATS[format].name;
    let (array, total) = (draft.fresh("a"), draft.fresh("t"));
    let x = any(draft, variables, format);
    let n = draft.random.within(2, 40);
    let step = *draft.random.pick(&[
        "$a[i] * ($t)0.5",
        "$a[i] / ($t)(i + 1)",
        "$a[i] > 3 ? $a[i] : -$a[i]",
        "$a[i] * $a[$n - 1 - i]",
        "$a[i] - (int)(i & 3)",
    ]);
    let step = c!(step, a = array, t = t, n = n);
    draft.say(&c!(
        "$t $a[$n]; for (int i = 0; i < $n; i++) $a[i] = ($t)(i * 3 % 7) + ($x < 100 ? $x : 1);\n\
         $t $total = 0; for (int i = 0; i < $n; i++) $total += $step;",
        t = t,
        a = array,
        n = n,
        x = x,
        total = total,
        step = step,
    ));
    declare(draft, variables, format, &total);
}

/// A conversion of printf with flags, width and precision.
fn print(draft: &mut Draft, variables: &[Vec<String>; FORMATS.len()]) {
    let format = *draft.random.pick(&[0, 1, 1, 2]);
    let x = any(draft, variables, format);
    let flags = *draft
        .random
        .pick(&["", "+", "-", "0", " ", "#", "-+", "0+", "#0"]);
    let width = match draft.random.below(3) {
        0 => String::new(),
        _ => draft.random.within(1, 30).to_string(),
    };
    let precision = match draft.random.below(3) {
        0 => String::new(),
        _ => format!(".{}", draft.random.within(0, 25)),
    };
    let conversion = *draft.random.pick(&["a", "A", "e", "E", "f", "g", "G"]);
    let long = if format == 2 { "L" } else { "" };
    draft.say(&c!(
        "if ($x == $x) printf(\"[%$flags$width$precision$long$conversion]\\n\", $x);",
        x = x,
        flags = flags,
        width = width,
        precision = precision,
        long = long,
        conversion = conversion,
    ));
}
