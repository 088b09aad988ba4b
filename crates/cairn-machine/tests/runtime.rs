//! The functions that exist as code against the natives of the same name, and against
//! plain models where there is no native. Both run on the concrete machine in one program, so that
//! their results must be equal bit by bit, addresses included.

mod driver;

use cairn_random::Random;
use driver::{Argument, Driver, End, Outcome};

const LETTERS: &[u8] = b"aabbAB01 ,\xE9";

/// A short string of few letters, so that strings are often alike.
fn text(random: &mut Random) -> Vec<u8> {
    let length = random.below(9);
    (0..length).map(|_| *random.pick(LETTERS)).collect()
}

fn argument(random: &mut Random, kind: u8) -> Argument {
    match kind {
        b's' => Argument::Bytes(text(random)),
        b'c' => Argument::Number(match random.below(4) {
            0 => 0,
            1 => 0x100 + u64::from(b'a'),
            _ => u64::from(*random.pick(LETTERS)),
        }),
        b'z' => {
            let small = random.below_u64(12);
            Argument::Number(*random.pick(&[small, small, small, small, u64::MAX]))
        }
        other => panic!("no kind {other}"),
    }
}

/// Functions, the kinds of their arguments (`s` bytes, `c` a character, `z` a size), and what they
/// give.
const NATIVE: [(&str, &str, Outcome); 29] = [
    ("memcmp", "ssz", Outcome::Int),
    ("bcmp", "ssz", Outcome::Int),
    ("memchr", "scz", Outcome::Word),
    ("strlen", "s", Outcome::Word),
    ("strnlen", "sz", Outcome::Word),
    ("stpcpy", "ss", Outcome::Word),
    ("strcpy", "ss", Outcome::Word),
    ("strncpy", "ssz", Outcome::Word),
    ("strcat", "ss", Outcome::Word),
    ("strncat", "ssz", Outcome::Word),
    ("__strcpy_chk", "ssz", Outcome::Word),
    ("__strncpy_chk", "sszz", Outcome::Word),
    ("__strcat_chk", "ssz", Outcome::Word),
    ("strdup", "s", Outcome::Text),
    ("strndup", "sz", Outcome::Text),
    ("strcmp", "ss", Outcome::Int),
    ("strncmp", "ssz", Outcome::Int),
    ("strchr", "sc", Outcome::Word),
    ("strrchr", "sc", Outcome::Word),
    ("strstr", "ss", Outcome::Word),
    ("strspn", "ss", Outcome::Word),
    ("strcspn", "ss", Outcome::Word),
    ("strpbrk", "ss", Outcome::Word),
    ("atoi", "s", Outcome::Int),
    ("atol", "s", Outcome::Word),
    ("atoll", "s", Outcome::Word),
    ("abs", "c", Outcome::Int),
    ("labs", "z", Outcome::Word),
    ("llabs", "z", Outcome::Word),
];

const CLASSES: [&str; 14] = [
    "isupper", "islower", "isalpha", "isdigit", "isxdigit", "isspace", "isprint", "isgraph",
    "isblank", "iscntrl", "ispunct", "isalnum", "toupper", "tolower",
];

const NUMBERS: [&str; 8] = [
    "strtol",
    "strtoll",
    "strtoul",
    "strtoull",
    "__isoc23_strtol",
    "__isoc23_strtoll",
    "__isoc23_strtoul",
    "__isoc23_strtoull",
];

/// Functions that exist as code only.
const UNNATIVE: [(&str, &str, Outcome); 6] = [
    ("memrchr", "scz", Outcome::Word),
    ("strcasecmp", "ss", Outcome::Int),
    ("strncasecmp", "ssz", Outcome::Int),
    ("strchrnul", "sc", Outcome::Word),
    ("strtok_r", "sss", Outcome::Word),
    ("strtok", "ss", Outcome::Word),
];

/// Calls both and expects the same end and output.
fn same(driver: &Driver, name: &str, arguments: &[Argument]) {
    let native = driver.call(&format!("native.{name}"), arguments);
    let code = driver.call(&format!("code.{name}"), arguments);
    match (&native, &code) {
        // What was wrong is said in other words.
        (End::Error(_), End::Error(_)) => {}
        _ => assert_eq!(native, code, "{name} of {arguments:?}"),
    }
}

#[test]
fn code_gives_what_the_natives_give() {
    let driver = Driver::new(&NATIVE, &[]);
    let mut random = Random::new(1);
    for (name, kinds, _) in NATIVE {
        for _ in 0..300 {
            let arguments: Vec<_> = kinds.bytes().map(|k| argument(&mut random, k)).collect();
            same(&driver, name, &arguments);
        }
    }
}

#[test]
fn both_see_what_does_not_fit() {
    let driver = Driver::new(&NATIVE, &[]);
    let long = || Argument::Bytes(vec![b'a'; driver::ROOM]);
    for (name, rest) in [
        ("strcat", None),
        ("strncat", Some(3)),
        ("strncpy", Some(driver::ROOM as u64 + 2)),
        ("memcmp", Some(driver::ROOM as u64 + 2)),
    ] {
        let mut arguments = vec![long(), long()];
        arguments.extend(rest.map(Argument::Number));
        for entry in ["native", "code"] {
            let end = driver.call(&format!("{entry}.{name}"), &arguments);
            assert!(matches!(end, End::Error(_)), "{entry} {name}: {end:?}");
        }
    }
}

#[test]
fn characters_have_the_same_classes() {
    let table = CLASSES.map(|name| (name, "c", Outcome::Int));
    let driver = Driver::new(&table, &[]);
    for name in CLASSES {
        for c in (-130..400).chain([i32::MIN, i32::MAX]) {
            same(&driver, name, &[Argument::Number(u64::from(c as u32))]);
        }
    }
}

#[test]
fn absolute_values_wrap() {
    let driver = Driver::new(&NATIVE, &[]);
    for (name, least) in [
        ("abs", u64::from(i32::MIN as u32)),
        ("labs", i64::MIN as u64),
        ("llabs", i64::MIN as u64),
    ] {
        for n in [least, least + 1, least.wrapping_sub(1), 0, u64::MAX] {
            same(&driver, name, &[Argument::Number(n)]);
        }
    }
}

#[test]
fn numbers_are_read_alike() {
    let with_end = NUMBERS.map(|name| (name, "ssc", Outcome::Word));
    let driver = Driver::new(&with_end, &[]);
    let texts: [&str; 34] = [
        "",
        "0",
        "-0",
        "+7",
        "+-7",
        " \t\n\x0b\x0c\r12x",
        "x",
        "-",
        "0x",
        "0xg",
        "0x1F",
        "0XfF",
        "-0x10",
        "08",
        "017",
        "0b",
        "0b2",
        "0b101",
        "-0B11",
        "zZ9",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
        "-18446744073709551615",
        "-18446744073709551616",
        "99999999999999999999999999999999",
        "-99999999999999999999999999999999",
        "0xffffffffffffffff",
        "0x10000000000000000",
        "1777777777777777777777",
        "2000000000000000000000",
    ];
    let mut random = Random::new(2);
    for name in NUMBERS {
        for base in [0, 2, 7, 8, 10, 16, 36, 1, 37, u64::from(u32::MAX)] {
            let drawn = (0..12).map(|_| {
                let length = random.below(24);
                (0..length)
                    .map(|_| *random.pick(b"0011789xbfz -+"))
                    .collect()
            });
            let drawn: Vec<Vec<u8>> = drawn.collect();
            let fixed = texts.iter().map(|t| t.as_bytes().to_vec());
            for text in fixed.chain(drawn) {
                let end = Argument::Bytes(vec![0x55; 8]);
                let arguments = [Argument::Bytes(text), end, Argument::Number(base)];
                same(&driver, name, &arguments);
                let without = [arguments[0].clone(), Argument::Null, Argument::Number(base)];
                same(&driver, name, &without);
            }
        }
    }
    let driver = Driver::new(&NATIVE, &[]);
    for text in texts {
        for name in ["atoi", "atol", "atoll"] {
            same(&driver, name, &[Argument::Bytes(text.into())]);
        }
    }
}

#[test]
fn what_has_no_native_is_as_its_model() {
    let driver = Driver::new(&[], &UNNATIVE);
    let mut random = Random::new(3);
    for _ in 0..400 {
        let (a, b) = (text(&mut random), text(&mut random));
        let most = random.below_u64(10);
        let c = *random.pick(b"abA0,\0");
        let both = [Argument::Bytes(a.clone()), Argument::Bytes(b.clone())];
        let fold = |text: &[u8], most: u64| -> Vec<u8> {
            let most = most.min(text.len() as u64) as usize;
            text[..most].to_ascii_lowercase()
        };
        let order = |most: u64| fold(&a, most).cmp(&fold(&b, most)) as i32;

        let got = driver.int("strcasecmp", &both);
        assert_eq!(got.signum(), order(u64::MAX), "{a:?} {b:?}");
        let arguments = [both[0].clone(), both[1].clone(), Argument::Number(most)];
        let got = driver.int("strncasecmp", &arguments);
        assert_eq!(got.signum(), order(most), "{a:?} {b:?} {most}");

        let arguments = [both[0].clone(), Argument::Number(u64::from(c))];
        let found = a.iter().position(|x| *x == c).unwrap_or(a.len());
        assert_eq!(driver.offset("strchrnul", &arguments), Some(found as u64));

        let arguments = [
            both[0].clone(),
            Argument::Number(u64::from(c)),
            Argument::Number(a.len() as u64),
        ];
        let found = a.iter().rposition(|x| *x == c);
        assert_eq!(
            driver.offset("memrchr", &arguments),
            found.map(|i| i as u64)
        );
    }
}

#[test]
fn tokens_are_cut_one_by_one() {
    let driver = Driver::new(&[], &UNNATIVE);
    let mut random = Random::new(4);
    for _ in 0..200 {
        let (text, set) = (text(&mut random), text(&mut random));
        let expected: Vec<&[u8]> = text
            .split(|b| set.contains(b))
            .filter(|t| !t.is_empty())
            .collect();
        let arguments = [Argument::Bytes(text.clone()), Argument::Bytes(set.clone())];
        for entry in ["tokens.strtok", "tokens.strtok_r"] {
            let End::Exit(0, output) = driver.call(entry, &arguments) else {
                panic!("{entry} of {text:?} and {set:?}");
            };
            let got: Vec<&[u8]> = output.split(|b| *b == b'\n').collect();
            let (last, got) = got.split_last().expect("at least one piece");
            assert!(last.is_empty());
            assert_eq!(got, expected, "{entry} of {text:?} and {set:?}");
        }
    }
}

#[test]
fn sorting_is_stable_and_searching_finds() {
    let driver = Driver::new(&[], &[]);
    let mut random = Random::new(5);
    for round in 0..200 {
        // Elements of 16 bytes: a key of four, the rest tells them apart. Every third run finds no
        // memory for a second array.
        let count = random.below(20);
        let mut elements: Vec<(i32, u32)> = (0..count)
            .map(|i| (random.below(12) as i32 - 6, i as u32))
            .collect();
        let mut bytes = Vec::new();
        for (key, tag) in &elements {
            bytes.extend(key.to_le_bytes());
            bytes.extend([0; 8]);
            bytes.extend(tag.to_le_bytes());
        }
        let wanted = random.below(14) as i32 - 7;
        let arguments = [
            Argument::Bytes(bytes),
            Argument::Number(count as u64),
            Argument::Bytes(wanted.to_le_bytes().to_vec()),
        ];
        let end = driver.call_within("sort", &arguments, (round % 3 == 0).then_some(0));
        let End::Exit(0, output) = end else {
            panic!("{elements:?}: {end:?}");
        };
        let (sorted, found) = output.split_at(16 * count);
        elements.sort_by_key(|(key, _)| *key);
        let got: Vec<(i32, u32)> = sorted
            .chunks(16)
            .map(|e| {
                let part = |at: usize| <[u8; 4]>::try_from(&e[at..at + 4]).expect("four bytes");
                (i32::from_le_bytes(part(0)), u32::from_le_bytes(part(12)))
            })
            .collect();
        assert_eq!(got, elements);
        let found = i64::from_le_bytes(found.try_into().expect("eight bytes"));
        match usize::try_from(found / 16) {
            Ok(index) if found >= 0 => assert_eq!(elements[index].0, wanted),
            _ => assert!(elements.iter().all(|(key, _)| *key != wanted)),
        }
    }
}

#[test]
fn the_code_is_valid_and_every_function_is_tested() {
    let mut program = cairn_ir::Program::new();
    cairn_machine::link_runtime(&mut program).expect("nothing is in the way");
    cairn_ir::verify::verify(&program).expect("it is valid");
    let tested: Vec<&str> = NATIVE
        .iter()
        .chain(&UNNATIVE)
        .map(|(name, ..)| *name)
        .chain(CLASSES)
        .chain(NUMBERS)
        .chain(["qsort", "bsearch"])
        .collect();
    for function in program.functions.iter().filter(|f| f.body.is_some()) {
        let name = function.name.strip_prefix(cairn_machine::RUNTIME_PREFIX);
        let name = name.expect("it has the prefix");
        assert!(
            tested.contains(&name) || name.starts_with("cairn_"),
            "{name} is not tested"
        );
    }
    for name in tested {
        let full = format!("{}{name}", cairn_machine::RUNTIME_PREFIX);
        assert!(program.find_function(&full).is_some(), "{name}");
    }
    let declared = program.functions.iter().filter(|f| f.body.is_none());
    for function in declared {
        assert!(
            cairn_machine::natives::find(&function.name).is_some(),
            "{}",
            function.name
        );
    }
}
