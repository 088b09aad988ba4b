//! Text of the code that calls snippets: a table of interesting inputs for each type, and for each
//! snippet a function that calls it on them and prints what it returns.
//!
//! A snippet is a function of an assembly file that is visible outside (`define` without
//! `internal`). Inputs are read from volatile memory, so that no compiler knows them.

use std::collections::BTreeMap;
use std::fmt::Write;

/// Calls of one snippet; more combinations of inputs than this are sampled.
const MOST_CALLS: usize = 256;

/// Repeats what stands between `; each $A $B: x y | z w` and `; end` for each of the alternatives,
/// with the variables replaced by their words, and `#` by the alternative's number. One variable
/// gets an alternative whole. These may be nested.
pub fn expand(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    expand_lines(&lines)
}

fn expand_lines(lines: &[&str]) -> String {
    let mut result = String::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        at += 1;
        let Some((variables, alternatives)) = line
            .strip_prefix("; each ")
            .and_then(|rest| rest.split_once(": "))
        else {
            result.push_str(line);
            result.push('\n');
            continue;
        };
        let start = at;
        let mut open = 1;
        while open > 0 {
            let line = lines.get(at).expect("each has an end");
            open += usize::from(line.starts_with("; each "));
            open -= usize::from(*line == "; end");
            at += 1;
        }
        let body = lines[start..at - 1].join("\n");
        let variables: Vec<&str> = variables.split(' ').collect();
        for (number, alternative) in alternatives.split(" | ").enumerate() {
            let mut copy = body.replace('#', &number.to_string());
            let words: Vec<&str> = match variables.len() {
                1 => vec![alternative.trim()],
                _ => alternative.split_whitespace().collect(),
            };
            assert_eq!(variables.len(), words.len(), "in {line}");
            for (variable, word) in variables.iter().zip(words) {
                copy = copy.replace(variable, word);
            }
            let copy: Vec<&str> = copy.lines().collect();
            result.push_str(&expand_lines(&copy));
        }
    }
    result
}

/// A type of a parameter or result.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Type {
    /// An integer or floating-point number.
    Scalar(String),
    /// A vector.
    Vector(usize, Box<Type>),
    /// A struct.
    Struct(Vec<Type>),
    /// An array.
    Array(usize, Box<Type>),
}

impl Type {
    /// Reads a type from the start of a text; the rest is returned too.
    fn read(text: &str) -> (Type, &str) {
        let text = text.trim_start();
        let opening = text.chars().next().unwrap_or(' ');
        let rest = &text[opening.len_utf8()..];
        match opening {
            '<' | '[' => {
                let (count, rest) = rest.split_once(" x ").expect("a count");
                let (element, rest) = Type::read(rest);
                let count = count.trim().parse().expect("a number");
                let rest = rest.trim_start().strip_prefix(['>', ']']);
                let make = if opening == '<' {
                    Type::Vector
                } else {
                    Type::Array
                };
                (make(count, Box::new(element)), rest.expect("an end"))
            }
            '{' => {
                let (mut elements, mut rest) = (Vec::new(), rest);
                loop {
                    let (element, after) = Type::read(rest);
                    elements.push(element);
                    let after = after.trim_start();
                    match after.strip_prefix(',') {
                        Some(more) => rest = more,
                        None => {
                            let rest = after.strip_prefix('}').expect("an end");
                            return (Type::Struct(elements), rest);
                        }
                    }
                }
            }
            _ => {
                let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
                let (name, rest) = text.split_at(end.unwrap_or(text.len()));
                (Type::Scalar(name.to_string()), rest)
            }
        }
    }

    fn text(&self) -> String {
        match self {
            Type::Scalar(name) => name.clone(),
            Type::Vector(count, element) => format!("<{count} x {}>", element.text()),
            Type::Array(count, element) => format!("[{count} x {}]", element.text()),
            Type::Struct(elements) => {
                let elements: Vec<String> = elements.iter().map(Type::text).collect();
                format!("{{ {} }}", elements.join(", "))
            }
        }
    }

    /// Constants of this type.
    fn inputs(&self) -> Vec<String> {
        match self {
            Type::Scalar(name) => scalars(name),
            Type::Vector(count, element) | Type::Array(count, element) => {
                let lanes = element.inputs();
                let (open, close) = match self {
                    Type::Vector(..) => ('<', '>'),
                    _ => ('[', ']'),
                };
                let element = element.text();
                (0..lanes.len())
                    .map(|first| {
                        let of = |lane: usize| &lanes[(first + 5 * lane) % lanes.len()];
                        let lanes: Vec<String> = (0..*count)
                            .map(|l| format!("{element} {}", of(l)))
                            .collect();
                        format!("{open}{}{close}", lanes.join(", "))
                    })
                    .collect()
            }
            Type::Struct(elements) => {
                let columns: Vec<Vec<String>> = elements.iter().map(Type::inputs).collect();
                let most = columns.iter().map(Vec::len).max().unwrap_or(0);
                (0..most)
                    .map(|at| {
                        let members: Vec<String> = elements
                            .iter()
                            .zip(&columns)
                            .map(|(e, c)| format!("{} {}", e.text(), c[at % c.len()]))
                            .collect();
                        format!("{{ {} }}", members.join(", "))
                    })
                    .collect()
            }
        }
    }
}

/// Interesting values of a scalar type: around zero, around the ends of the range, patterns.
fn scalars(name: &str) -> Vec<String> {
    if let Some(width) = name.strip_prefix('i') {
        let width: u32 = width.parse().expect("a width");
        return match width {
            1 => vec!["false".into(), "true".into()],
            2..=127 => {
                let ones = u128::MAX >> (128 - width);
                let sign = 1 << (width - 1);
                let pattern = 0x1234_5678_9ABC_DEF0_0FED_CBA9_8765_4321;
                let some = [
                    0,
                    1,
                    2,
                    7,
                    ones,
                    sign,
                    sign - 1,
                    ones - 2,
                    sign + 1,
                    pattern & ones,
                    0xAAAA_AAAA_AAAA_AAAA_AAAA_AAAA_AAAA_AAAA & ones,
                    u128::from(width - 1) & ones,
                    !pattern & ones,
                ];
                some.iter().map(u128::to_string).collect()
            }
            _ => {
                let digits = (width / 4) as usize;
                let pattern: String = "123456789abcdef0fedcba9876543210"
                    .chars()
                    .cycle()
                    .take(digits)
                    .collect();
                let end = |first: char, other: &str| format!("{first}{}", other.repeat(digits - 1));
                let hexadecimal = [
                    end('F', "F"),
                    end('8', "0"),
                    end('7', "F"),
                    pattern,
                    end('0', "A"),
                    format!("1{}", "0".repeat(16)),
                    "FFFFFFFFFFFFFFFF".to_string(),
                ];
                let small = ["0", "1", "2", "7", "-3", "65"].map(String::from);
                let large = hexadecimal.iter().map(|digits| format!("u0x{digits}"));
                small.into_iter().chain(large).collect()
            }
        };
    }
    // Zeros, ones, a half, three halves, the largest, the smallest, infinities, not-a-number, and
    // a few without pattern.
    let (prefix, digits): (&str, &[&str]) = match name {
        "half" => (
            "0xH",
            &[
                "0000", "8000", "3C00", "BC00", "3800", "3E00", "7BFF", "0001", "7C00", "FC00",
                "7E00", "4248", "C500", "6401", "E3FF", "BE00",
            ],
        ),
        "bfloat" => (
            "0xR",
            &[
                "0000", "8000", "3F80", "BF80", "3F00", "3FC0", "7F7F", "0001", "7F80", "FF80",
                "7FC0", "4049", "C0A0", "4300", "C2FF", "BFC0",
            ],
        ),
        // A float is written as the double of the same value.
        "float" => (
            "0x",
            &[
                "0000000000000000",
                "8000000000000000",
                "3FF0000000000000",
                "BFF0000000000000",
                "3FE0000000000000",
                "3FF8000000000000",
                "47EFFFFFE0000000",
                "36A0000000000000",
                "7FF0000000000000",
                "FFF0000000000000",
                "7FF8000000000000",
                "400921FB60000000",
                "C014000000000000",
                "41700000A0000000",
                "C1DFFFFFE0000000",
                "BFF8000000000000",
            ],
        ),
        "double" => (
            "0x",
            &[
                "0000000000000000",
                "8000000000000000",
                "3FF0000000000000",
                "BFF0000000000000",
                "3FE0000000000000",
                "3FF8000000000000",
                "7FEFFFFFFFFFFFFF",
                "0000000000000001",
                "7FF0000000000000",
                "FFF0000000000000",
                "7FF8000000000000",
                "400921FB54442D18",
                "C014000000000000",
                "4340000000000001",
                "C1DFFFFFFFC00000",
                "BFF8000000000000",
            ],
        ),
        "x86_fp80" => (
            "0xK",
            &[
                "00000000000000000000",
                "80000000000000000000",
                "3FFF8000000000000000",
                "BFFF8000000000000000",
                "3FFE8000000000000000",
                "3FFFC000000000000000",
                "7FFEFFFFFFFFFFFFFFFF",
                "00000000000000000001",
                "7FFF8000000000000000",
                "FFFF8000000000000000",
                "7FFFC000000000000000",
                "4000C90FDAA22168C235",
                "C001A000000000000000",
                "403E8000000000000001",
                "C01DFFFFFFFE00000000",
                "BFFFC000000000000000",
            ],
        ),
        // The lower half is written first.
        "fp128" => (
            "0xL",
            &[
                "00000000000000000000000000000000",
                "00000000000000008000000000000000",
                "00000000000000003FFF000000000000",
                "0000000000000000BFFF000000000000",
                "00000000000000003FFE000000000000",
                "00000000000000003FFF800000000000",
                "FFFFFFFFFFFFFFFF7FFEFFFFFFFFFFFF",
                "00000000000000010000000000000000",
                "00000000000000007FFF000000000000",
                "0000000000000000FFFF000000000000",
                "00000000000000007FFF800000000000",
                "8469898CC51701B84000921FB54442D1",
                "0000000000000000C001400000000000",
                "0000000000000001406F000000000000",
                "0000000000000000C01DFFFFFFFC0000",
                "0000000000000000BFFF800000000000",
            ],
        ),
        _ => panic!("there are no inputs of type {name}"),
    };
    digits.iter().map(|d| format!("{prefix}{d}")).collect()
}

/// A function of an assembly file.
pub struct Snippet {
    /// Its name.
    pub name: String,
    result: Type,
    parameters: Vec<Type>,
}

/// The snippets of an assembly text.
pub fn snippets(assembly: &str) -> Vec<Snippet> {
    let lines = assembly.lines().filter_map(|l| l.strip_prefix("define "));
    let mut found = Vec::new();
    for line in lines.filter(|l| !l.starts_with("internal ")) {
        let (result, rest) = Type::read(line);
        let (name, rest) = rest.trim_start()[1..].split_once('(').expect("parameters");
        let mut rest = rest.trim_start();
        let mut parameters = Vec::new();
        while !rest.starts_with(')') {
            let (parameter, after) = Type::read(rest);
            parameters.push(parameter);
            let end = after.find([',', ')']).expect("an end of the parameter");
            rest = after[end..].trim_start_matches([',', ' ']);
        }
        found.push(Snippet {
            name: name.to_string(),
            result,
            parameters,
        });
    }
    found
}

impl Snippet {
    /// The function that calls the snippet on all its inputs.
    pub fn driver(&self) -> String {
        format!("drive.{}", self.name)
    }

    fn combinations(&self) -> usize {
        self.parameters.iter().map(|p| p.inputs().len()).product()
    }

    /// How far apart the combinations are that are called one after the other: a golden section
    /// of all spreads them evenly in the last parameters, and one that has no common divisor with
    /// their number does so in the first.
    fn stride(&self) -> usize {
        let all = self.combinations();
        if all <= MOST_CALLS {
            return 1;
        }
        assert!(all < 1 << 56, "{} has too many parameters", self.name);
        let golden = all / 1000 * 618 + all % 1000 * 618 / 1000;
        (golden..)
            .find(|&stride| common_divisor(stride, all) == 1)
            .unwrap_or(1)
    }

    /// The call that made a line of output, as text.
    pub fn call_text(&self, line: usize) -> String {
        let mut rest = line * self.stride() % self.combinations();
        let mut args = Vec::new();
        for parameter in &self.parameters {
            let inputs = parameter.inputs();
            args.push(format!(
                "{} {}",
                parameter.text(),
                inputs[rest % inputs.len()]
            ));
            rest /= inputs.len();
        }
        format!("{}({})", self.name, args.join(", "))
    }

    fn drive(&self, tables: &mut BTreeMap<Type, usize>, to: &mut String) -> std::fmt::Result {
        let (name, driver) = (&self.name, self.driver());
        let length = name.len() + 1;
        writeln!(
            to,
            "@name.{name} = internal constant [{length} x i8] c\"{name}\\00\""
        )?;
        writeln!(to, "define void @{driver}() {{\nentry:")?;
        writeln!(to, "  %slot = alloca [64 x i8], align 16")?;
        writeln!(to, "  br label %loop\nloop:")?;
        writeln!(to, "  %t = phi i64 [ 0, %entry ], [ %next, %loop ]")?;
        writeln!(to, "  %far = mul i64 %t, {}", self.stride())?;
        writeln!(to, "  %r0 = urem i64 %far, {}", self.combinations())?;
        let mut args = Vec::new();
        for (at, parameter) in self.parameters.iter().enumerate() {
            let count = tables.len();
            let table = *tables.entry(parameter.clone()).or_insert(count);
            let (ty, inputs, next) = (parameter.text(), parameter.inputs().len(), at + 1);
            writeln!(to, "  %i{at} = urem i64 %r{at}, {inputs}")?;
            writeln!(to, "  %r{next} = udiv i64 %r{at}, {inputs}")?;
            writeln!(
                to,
                "  %p{at} = getelementptr {ty}, ptr @inputs.{table}, i64 %i{at}"
            )?;
            writeln!(to, "  %a{at} = load volatile {ty}, ptr %p{at}")?;
            args.push(format!("{ty} %a{at}"));
        }
        let (result, args) = (self.result.text(), args.join(", "));
        writeln!(to, "  %result = call {result} @{name}({args})")?;
        writeln!(
            to,
            "  call i32 (ptr, ...) @printf(ptr @format.name, ptr @name.{name}, i64 %t)"
        )?;
        show("result", &self.result, to)?;
        writeln!(to, "  call i32 (ptr, ...) @printf(ptr @format.end)")?;
        let calls = self.combinations().min(MOST_CALLS);
        writeln!(to, "  %next = add i64 %t, 1")?;
        writeln!(to, "  %more = icmp ult i64 %next, {calls}")?;
        writeln!(
            to,
            "  br i1 %more, label %loop, label %done\ndone:\n  ret void\n}}"
        )
    }
}

fn common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

/// Code that prints a value, part by part.
fn show(value: &str, ty: &Type, to: &mut String) -> std::fmt::Result {
    let text = ty.text();
    match ty {
        Type::Vector(count, element) => {
            for at in 0..*count {
                writeln!(
                    to,
                    "  %{value}.{at} = extractelement {text} %{value}, i64 {at}"
                )?;
                show(&format!("{value}.{at}"), element, to)?;
            }
        }
        Type::Struct(elements) => {
            for (at, element) in elements.iter().enumerate() {
                writeln!(to, "  %{value}.{at} = extractvalue {text} %{value}, {at}")?;
                show(&format!("{value}.{at}"), element, to)?;
            }
        }
        Type::Array(count, element) => {
            for at in 0..*count {
                writeln!(to, "  %{value}.{at} = extractvalue {text} %{value}, {at}")?;
                show(&format!("{value}.{at}"), element, to)?;
            }
        }
        Type::Scalar(name) => {
            let (bytes, stored) = match name.strip_prefix('i') {
                Some(width) => {
                    let width: u32 = width.parse().expect("a width");
                    let bits = width.next_multiple_of(8);
                    let stored = if bits == width {
                        format!("{name} %{value}")
                    } else {
                        writeln!(to, "  %{value}.wide = zext {name} %{value} to i{bits}")?;
                        format!("i{bits} %{value}.wide")
                    };
                    writeln!(to, "  %{value}.nan = icmp ne i1 false, false")?;
                    (bits / 8, stored)
                }
                None => {
                    let bytes = match name.as_str() {
                        "half" | "bfloat" => 2,
                        "float" => 4,
                        "double" => 8,
                        "x86_fp80" => 10,
                        _ => 16,
                    };
                    writeln!(to, "  %{value}.nan = fcmp uno {name} %{value}, %{value}")?;
                    (bytes, format!("{name} %{value}"))
                }
            };
            writeln!(to, "  store volatile {stored}, ptr %slot")?;
            writeln!(
                to,
                "  call void @show.bytes(i1 %{value}.nan, ptr %slot, i64 {bytes})"
            )?;
        }
    }
    Ok(())
}

/// Prints the bytes of a number from the highest, or that it is not a number: which of those it
/// is, is nowhere promised.
const SHOW_BYTES: &str = r#"
@format.name = internal constant [7 x i8] c"%s %ld\00"
@format.byte = internal constant [5 x i8] c"%02x\00"
@format.nan = internal constant [5 x i8] c" nan\00"
@format.space = internal constant [2 x i8] c" \00"
@format.end = internal constant [2 x i8] c"\0A\00"
declare i32 @printf(ptr, ...)
define internal void @show.bytes(i1 %nan, ptr %bytes, i64 %count) {
entry:
  br i1 %nan, label %no.number, label %number
no.number:
  call i32 (ptr, ...) @printf(ptr @format.nan)
  ret void
number:
  call i32 (ptr, ...) @printf(ptr @format.space)
  br label %loop
loop:
  %left = phi i64 [ %count, %number ], [ %at, %loop ]
  %at = sub i64 %left, 1
  %place = getelementptr i8, ptr %bytes, i64 %at
  %byte = load i8, ptr %place
  %wide = zext i8 %byte to i32
  call i32 (ptr, ...) @printf(ptr @format.byte, i32 %wide)
  %more = icmp ne i64 %at, 0
  br i1 %more, label %loop, label %done
done:
  ret void
}
"#;

/// An assembly text with drivers for its snippets, and an entry that runs them all.
pub fn complete(assembly: &str, snippets: &[Snippet]) -> String {
    let mut text = format!("target triple = \"x86_64-unknown-linux-gnu\"\n{assembly}{SHOW_BYTES}");
    let mut tables = BTreeMap::new();
    let mut main = "define i32 @main() {\n".to_string();
    for snippet in snippets {
        snippet
            .drive(&mut tables, &mut text)
            .expect("strings can be written to");
        let _ = writeln!(main, "  call void @{}()", snippet.driver());
    }
    for (ty, number) in &tables {
        let (inputs, element) = (ty.inputs(), ty.text());
        let listed: Vec<String> = inputs.iter().map(|i| format!("{element} {i}")).collect();
        let _ = writeln!(
            text,
            "@inputs.{number} = internal global [{} x {element}] [{}]",
            inputs.len(),
            listed.join(", ")
        );
    }
    text + &main + "  ret i32 0\n}\n"
}
