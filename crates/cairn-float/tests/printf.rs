//! Formatted output against the C library, if there is a C compiler.

#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod common;

use cairn_float::printf::{PrintArguments, PrintFailure, PrintedText, format};
use cairn_ir::FloatFormat;
use cairn_random::Random;
use common::Operands;
use std::collections::VecDeque;
use std::convert::Infallible;

/// How many bytes the program keeps.
const KEPT: u64 = (1 << 16) - 1;

#[derive(Clone, Debug)]
enum Value {
    Int(u64),
    Double(u64),
    LongDouble(u128),
    Text,
    Wide,
    Count,
    Null,
}

/// A request: a kind, how many integers come before the value, two such integers, a value of
/// each type, a format and a text. The last kind passes all values.
#[derive(Clone, Debug)]
struct Case {
    kind: u8,
    stars: u8,
    amounts: [i32; 2],
    integer: u64,
    number: u64,
    extended: u128,
    format: Vec<u8>,
    text: Vec<u8>,
}

impl Case {
    fn encode(&self, into: &mut Vec<u8>) {
        into.extend([self.kind, self.stars]);
        for amount in self.amounts {
            into.extend(amount.to_le_bytes());
        }
        into.extend(self.integer.to_le_bytes());
        into.extend(self.number.to_le_bytes());
        into.extend(self.extended.to_le_bytes());
        for bytes in [&self.format, &self.text] {
            into.extend((bytes.len() as u32).to_le_bytes());
            into.extend(bytes);
        }
    }

    fn values(&self) -> VecDeque<Value> {
        let amounts = self.amounts.map(|amount| Value::Int(amount as u32 as u64));
        if self.kind == ALL {
            let [first, second] = amounts;
            return VecDeque::from([
                Value::Int(self.integer),
                Value::Double(self.number),
                Value::LongDouble(self.extended),
                Value::Text,
                first,
                second,
                Value::Count,
            ]);
        }
        let mut values: VecDeque<_> = amounts.into_iter().take(self.stars.into()).collect();
        values.push_back(match self.kind {
            0 => Value::Int(self.integer),
            1 => Value::Double(self.number),
            2 => Value::LongDouble(self.extended),
            3 => Value::Text,
            4 => Value::Wide,
            5 => Value::Count,
            _ => Value::Null,
        });
        values
    }
}

const ALL: u8 = 7;

/// The arguments of a case; reading the wrong type is a bug of the test.
struct Given<'a> {
    case: &'a Case,
    values: VecDeque<Value>,
    count: i64,
}

impl Given<'_> {
    fn next(&mut self) -> Value {
        let format = String::from_utf8_lossy(&self.case.format);
        self.values
            .pop_front()
            .unwrap_or_else(|| panic!("too few for {format}"))
    }
}

impl PrintArguments for Given<'_> {
    type Error = Infallible;
    type Pointer = Value;

    fn int(&mut self) -> Result<u64, Infallible> {
        match self.next() {
            Value::Int(value) => Ok(value),
            other => panic!("{other:?} for an integer of {:?}", self.case),
        }
    }

    fn double(&mut self) -> Result<u64, Infallible> {
        match self.next() {
            Value::Double(bits) => Ok(bits),
            other => panic!("{other:?} for a double of {:?}", self.case),
        }
    }

    fn long_double(&mut self) -> Result<u128, Infallible> {
        match self.next() {
            Value::LongDouble(bits) => Ok(bits),
            other => panic!("{other:?} for a long double of {:?}", self.case),
        }
    }

    fn pointer(&mut self) -> Result<Value, Infallible> {
        Ok(self.next())
    }

    fn address(&self, pointer: &Value) -> u64 {
        match pointer {
            Value::Int(value) => *value,
            Value::Null => 0,
            _ => 0x1000,
        }
    }

    fn read_string(&mut self, _: &Value, limit: Option<u64>) -> Result<Vec<u8>, Infallible> {
        let limit = limit.unwrap_or(u64::MAX) as usize;
        Ok(self.case.text.iter().copied().take(limit).collect())
    }

    fn read_wide_string(&mut self, _: &Value, limit: Option<u64>) -> Result<Vec<u32>, Infallible> {
        let limit = limit.unwrap_or(u64::MAX) as usize;
        Ok(self
            .case
            .text
            .iter()
            .map(|&byte| byte.into())
            .take(limit)
            .collect())
    }

    fn write_count(&mut self, _: &Value, size: u32, count: u64) -> Result<(), Infallible> {
        let mut bytes = self.count.to_le_bytes();
        bytes[..size as usize].copy_from_slice(&count.to_le_bytes()[..size as usize]);
        self.count = i64::from_le_bytes(bytes);
        Ok(())
    }
}

fn ours(case: &Case) -> (PrintedText, i64) {
    let mut given = Given {
        case,
        values: case.values(),
        count: -1,
    };
    let output = match format(&case.format, &mut given, KEPT) {
        Ok(output) => output,
        Err(never) => match never {},
    };
    (output, given.count)
}

/// Some versions of the library lose the zeros of `%#g` when a number is rounded up to the power of
/// ten from which on it has an exponent: `1.e+06` in place of `1.00000e+06`. A field is filled up
/// instead, or what is written is shorter.
fn same_without_zeros(case: &Case, ours: &PrintedText, theirs: &[u8], length: u64) -> bool {
    let significant = |bytes: &[u8]| -> Vec<u8> {
        let kept = bytes.iter().filter(|byte| !b"0 ".contains(byte));
        kept.copied().collect()
    };
    let lost = |part: &[u8]| part == b"1.e+" || part == b"1.E+";
    case.format.contains(&b'#')
        && case.format.iter().any(|byte| b"gG".contains(byte))
        && theirs.windows(4).any(lost)
        && length <= ours.length
        && significant(&ours.bytes) == significant(theirs)
}

fn check(cases: &[Case]) {
    let Some(program) = common::compile("printf", include_str!("printf.c"), &[]) else {
        return;
    };
    let mut input = Vec::new();
    cases.iter().for_each(|case| case.encode(&mut input));
    let output = common::run(&program, input);
    let mut rest = output.as_slice();
    let mut take = |length: usize| {
        let (taken, after) = rest.split_at(length);
        rest = after;
        taken
    };
    let mut wrong = 0;
    for case in cases {
        let result = i32::from_le_bytes(take(4).try_into().expect("four bytes"));
        let count = i64::from_le_bytes(take(8).try_into().expect("eight bytes"));
        let length = u32::from_le_bytes(take(4).try_into().expect("four bytes"));
        let theirs = take(length as usize);
        let (output, our_count) = ours(case);
        let same = match u64::try_from(result) {
            Err(_) => output.failure.is_some(),
            Ok(length) => {
                output.failure.is_none()
                    && (output.length == length && output.bytes == theirs
                        || same_without_zeros(case, &output, theirs, length))
                    && our_count == count
            }
        };
        if !same {
            wrong += 1;
            eprintln!(
                "{case:x?} {:?}\n theirs {result} {count} {:?}\n ours   {} {our_count} {:?} {:?}",
                String::from_utf8_lossy(&case.format),
                String::from_utf8_lossy(&theirs[..theirs.len().min(200)]),
                output.length,
                String::from_utf8_lossy(&output.bytes[..output.bytes.len().min(200)]),
                output.failure,
            );
            assert!(wrong < 12, "many are wrong");
        }
    }
    assert_eq!(wrong, 0);
}

/// A number that people write, or one of any bits.
fn double(random: &mut Random) -> u64 {
    let small = random.below(2000) as f64 - 1000.0;
    let value = match random.below(6) {
        0 => return random.number(FloatFormat::Double) as u64,
        1 => small,
        // Ties at some digit.
        2 => small / 2f64.powi(random.below(12) as i32),
        3 => small / 10f64.powi(random.below(12) as i32),
        4 => 10f64.powi(random.below(40) as i32 - 20) * if small < 0.0 { -1.0 } else { 0.9999999 },
        _ => (random.next() as f64) / 2f64.powi(random.below(90) as i32),
    };
    value.to_bits()
}

fn long_double(random: &mut Random) -> u128 {
    let near = |random: &mut Random, spread: u64| {
        let sign = u128::from(random.below_u64(2)) << 79;
        let exponent = u128::from(0x3fff - spread / 2 + random.below_u64(spread)) << 64;
        let one = 1u128 << 63;
        sign | exponent | one | (random.pattern() & (one - 1))
    };
    match random.below(16) {
        // Far exponents have thousands of digits. The library prints a pseudo-denormal as one
        // number in decimal and as another in hexadecimal; we print what it is.
        0 => match random.number(FloatFormat::X87) {
            bits if (bits >> 63) & 0xffff == 1 => bits ^ (1 << 63),
            bits => bits,
        },
        1..=4 => near(random, 400),
        _ => near(random, 80),
    }
}

/// A case with one value; `conversions` and their lengths fit its kind.
fn case(random: &mut Random, kind: u8, lengths: &[&str], conversions: &[&str]) -> Case {
    let mut text = String::from(*random.pick(&["", "a", "x=", "100%%:"]));
    text.push('%');
    for _ in 0..random.below(4) {
        text += *random.pick(&["-", "+", " ", "#", "0", "0", "'", "I"]);
    }
    let mut stars = 0;
    let mut amounts = [0; 2];
    match random.below(8) {
        0..=3 => {}
        4..=5 => text += &random.below(40).to_string(),
        6 => {
            text += "*";
            amounts[stars] = random.below(60) as i32 - 30;
            stars += 1;
        }
        _ => text += &random.below(300).to_string(),
    }
    match random.below(10) {
        0..=3 => {}
        4..=5 => text += &format!(".{}", random.below(8)),
        6 => text += &format!(".{}", random.below(70)),
        7 => text += ".",
        8 => {
            text += ".*";
            amounts[stars] = random.below(60) as i32 - 20;
            stars += 1;
        }
        _ => text += &format!(".{}", random.below(1200)),
    }
    text += *random.pick(lengths);
    text += *random.pick(conversions);
    text += *random.pick(&["", "|", " end"]);
    let length = random.below(30);
    Case {
        kind,
        stars: stars as u8,
        amounts,
        integer: (random.pattern() as i128 >> random.below(128)) as u64,
        number: double(random),
        extended: long_double(random),
        format: text.into_bytes(),
        text: (0..length).map(|_| random.below(90) as u8 + 33).collect(),
    }
}

const LENGTHS: [&str; 10] = ["", "hh", "h", "l", "ll", "j", "z", "t", "q", "L"];
const FLOATS: [&str; 8] = ["e", "E", "f", "F", "g", "G", "a", "A"];

#[test]
fn integers_and_strings() {
    let mut random = Random::new(51);
    let mut cases = Vec::new();
    for _ in 0..20_000 {
        let integers = ["d", "i", "u", "o", "x", "X"];
        cases.push(case(&mut random, 0, &LENGTHS, &integers));
        cases.push(case(&mut random, 0, &["", "l"], &["p"]));
        cases.push(case(&mut random, 0, &["", "hh", "h"], &["c"]));
        cases.push(case(&mut random, 3, &["", "hh", "h"], &["s"]));
        cases.push(case(&mut random, 4, &["l", "ll", "z", "q"], &["s"]));
        cases.push(case(&mut random, 4, &["", "l"], &["S"]));
        cases.push(case(&mut random, 5, &LENGTHS, &["n"]));
        cases.push(case(&mut random, 6, &["", "l"], &["s", "p"]));
        cases.push(case(&mut random, 0, &[""], &["%", "m"]));
        let mut wide = case(&mut random, 0, &["l", "ll", "j", ""], &["c", "C"]);
        if random.one_in(2) {
            wide.integer &= 0x7f;
        }
        cases.push(wide);
    }
    check(&cases);
}

#[test]
fn doubles() {
    let mut random = Random::new(52);
    let cases: Vec<_> = (0..60_000)
        .map(|_| case(&mut random, 1, &["", "", "l"], &FLOATS))
        .collect();
    check(&cases);
}

#[test]
fn long_doubles() {
    let mut random = Random::new(53);
    let cases: Vec<_> = (0..40_000)
        .map(|_| case(&mut random, 2, &["L", "L", "q", "ll"], &FLOATS))
        .collect();
    check(&cases);
}

#[test]
fn numbered() {
    let mut random = Random::new(54);
    let mut cases = Vec::new();
    for _ in 0..5_000 {
        let mut case = case(&mut random, ALL, &[""], &["d"]);
        let mut text = String::new();
        for _ in 0..random.below(6) + 1 {
            let flags = *random.pick(&["", "-", "0", "+", "#"]);
            let width = *random.pick(&["", "3", "20", "*5$"]);
            let precision = *random.pick(&["", ".2", ".*6$"]);
            let (number, end) = match random.below(5) {
                0 => (1, *random.pick(&["ld", "lx", "d", "hho", "c"])),
                1 => (2, *random.pick(&FLOATS)),
                2 => (3, *random.pick(&["Lf", "Lg", "La"])),
                3 => (4, "s"),
                _ => (7, "ln"),
            };
            text += &format!("<%{number}${flags}{width}{precision}{end}>");
        }
        case.amounts = [random.below(60) as i32 - 30, random.below(30) as i32 - 10];
        if text.contains("0*") {
            // Some versions of the library fill with zeros on the right then.
            case.amounts[0] = case.amounts[0].abs();
        }
        case.format = text.into_bytes();
        // An argument that no conversion names counts as an integer, so all are named.
        case.format.extend(b"%1$ld%2$g%3$Lg%4$s%5$d%6$d%7$ln");
        cases.push(case);
    }
    check(&cases);
}

#[test]
fn corners() {
    let mut random = Random::new(55);
    let mut cases = Vec::new();
    for text in [
        "",
        "%",
        "abc%",
        "%5",
        "%-",
        "%.",
        "%l",
        "%y",
        "%5y",
        "%-+#05.3y",
        "%lk",
        "%5%|",
        "%-5%|",
        "%.3%",
        "%99999999999d",
        "%.99999999999d",
        "%5-d",
        "%.-3y",
        "%zy",
        "% +d",
        "%+ d",
        "%00d",
        "%0-5d|",
        "%1$y",
        "%I'd",
        "%##x",
        "%hhhd",
        "%lld",
        "%llld",
    ] {
        let mut case = case(&mut random, 0, &[""], &["d"]);
        case.stars = 0;
        case.format = text.into();
        cases.push(case);
    }
    for text in [
        "%.100000f",
        "%100000.3e",
        "%.100000e",
        "%.100000a",
        "%#.0f",
        "%#.0e",
        "%#.0a",
        "%#g",
        "%.0g",
    ] {
        let mut case = case(&mut random, 1, &[""], &["f"]);
        case.stars = 0;
        case.format = text.into();
        cases.push(case);
    }
    // Hexadecimal digits that carry into the leading one.
    for leading in 8..16u128 {
        for digit in 0..4 {
            let mut case = case(&mut random, 2, &["L"], &["a"]);
            case.stars = 0;
            case.extended = (0x3fff << 64) | (leading << 60) | ((1 << 60) - 1 - digit);
            for precision in 0..4 {
                case.format = format!("%.{precision}La %Lg").into();
                case.format.truncate(5);
                cases.push(case.clone());
            }
        }
    }
    check(&cases);
}

#[test]
fn large_fields() {
    let print = |text: &str| {
        ours(&Case {
            kind: 0,
            stars: u8::from(text.contains('*')),
            amounts: [i32::MIN, 0],
            integer: 7,
            number: 0,
            extended: 0,
            format: text.into(),
            text: Vec::new(),
        })
        .0
    };
    let most = print("%2147483647d");
    assert_eq!((most.length, most.failure), (2_147_483_647, None));
    assert_eq!(most.bytes, vec![b' '; KEPT as usize]);
    for text in [
        "%2147483648d",
        "x%2147483647d",
        "%.2147483648d",
        "%2147483647dx",
        "%-*d",
    ] {
        assert_eq!(print(text).failure, Some(PrintFailure::Overflow), "{text}");
    }
    assert_eq!(print("x%2147483648d").bytes, b"x");
    assert_eq!(print("abc%").failure, Some(PrintFailure::Invalid));
}
