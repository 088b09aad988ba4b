//! The text form: samples, round trips over random programs, damaged texts.

mod common;

use std::collections::BTreeSet;

use cairn_ir::text::{parse, print};
use cairn_ir::verify::verify;
use cairn_ir::{Inst, Operand, Program};
use cairn_random::Random;
use common::program;

const EVERYTHING: &str = include_str!("samples/everything.cir");

fn round_trip(program: &Program) {
    let text = print(program);
    let again = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(&again, program, "{text}");
    assert_eq!(print(&again), text);
}

fn error(text: &str) -> String {
    parse(text).expect_err(text).to_string()
}

/// A function with the given body text.
fn function(body: &str) -> String {
    format!("func @f(%a: i32, %p: i64) -> i32 {{\nentry:\n{body}\n}}")
}

#[test]
fn everything_round_trips_and_verifies() {
    let program = parse(EVERYTHING).unwrap();
    verify(&program).unwrap_or_else(|errors| panic!("{errors:#?}"));
    round_trip(&program);
}

#[test]
fn the_sample_has_every_kind_of_instruction() {
    let program = parse(EVERYTHING).unwrap();
    let mut kinds = BTreeSet::new();
    for body in program.functions.iter().filter_map(|f| f.body.as_ref()) {
        for (inst, _) in body.blocks.iter().flat_map(|b| &b.insts) {
            let debug = format!("{inst:?}");
            kinds.insert(debug.split([' ', '(']).next().unwrap_or("").to_string());
        }
    }
    assert_eq!(kinds.len(), 25, "{kinds:?}");
}

#[test]
fn numbers_of_locals_are_kept_and_names_fill_the_gaps() {
    let text = function("%2: i32 = add %a, 1\n%x: i32 = add %2, 1\n%0: i32 = add %x, 1\nreturn %0");
    let program = parse(&text).unwrap();
    let body = program.functions[0].body.as_ref().unwrap();
    let results: Vec<u32> = body.blocks[0]
        .insts
        .iter()
        .map(|(inst, _)| inst.results()[0].0)
        .collect();
    assert_eq!(results, [2, 4, 0]);
    assert_eq!(body.blocks[0].params[0].0, 1);
    round_trip(&program);
}

#[test]
fn constants_take_the_width_of_their_place() {
    let constant = |text: &str| {
        let program = parse(&function(&format!("{text}\nstop"))).unwrap();
        let body = program.functions[0].body.as_ref().unwrap();
        let mut last = None;
        body.blocks[0].insts[0]
            .0
            .for_each_operand(|operand| last = Some(operand.clone()));
        last.unwrap()
    };
    assert_eq!(constant("%r: i8 = add 0, -1"), Operand::Int(255));
    assert_eq!(constant("%r: i8 = add 0, -128"), Operand::Int(128));
    assert_eq!(constant("%r: i64 = add 0, -1"), Operand::Int(u64::MAX));
    assert_eq!(constant("%r: i1 = add 0, -1"), Operand::Int(1));
    let Operand::Wide(wide) = constant("%r: i65 = add 0, -1") else {
        panic!("more than a word");
    };
    assert!(wide.is_ones() && wide.width() == 65);
    let Operand::Wide(wide) = constant("%r: i70 = add 0, 0x0000003fffffffffffffffff") else {
        panic!("more than a word");
    };
    assert!(wide.is_ones() && wide.width() == 70);
}

#[test]
fn errors_outside_of_bodies_say_where_and_what() {
    let cases = [
        (
            "funk @f",
            "line 1, column 1: expected `pointer`, `file`, `name`, `place`",
        ),
        (
            "func @f( {",
            "line 1, column 10: expected a local such as `%0`, found `{`",
        ),
        ("global @x", ""),
        (
            "extern global @x",
            "expected `size`, found the end of the text",
        ),
        (
            "global @x global @x",
            "line 1, column 18: `x` is defined twice",
        ),
        (
            "global @x { at 0 address @y }",
            "there is no function or global `y`",
        ),
        (
            "constructor @x global @x",
            "expected a function, not a global",
        ),
        ("file 2 \"x\"", "expected the next number, 1"),
        ("name 1 \"\\ff\"", "a name in UTF-8"),
        ("name 1 \"abc", "line 1, column 8: the string has no end"),
        ("name 1 \"\\q\"", "expected one of the escapes"),
        (
            "slot s0 \"x\" i0",
            "expected a width such as `i32`, found `i0`",
        ),
        ("slot s0 \"x\" i1048577", "expected a width"),
        ("\n  ?", "line 2, column 3: a character that starts nothing"),
        ("; größe\n ö", "line 2, column 2"),
        ("global @\"ö\" global @\"ö\" x", "line 1, column 20"),
    ];
    for (text, expected) in cases {
        match parse(text) {
            Ok(_) => assert!(expected.is_empty(), "{text}"),
            Err(error) => {
                let error = error.to_string();
                assert!(
                    !expected.is_empty() && error.contains(expected),
                    "{text}: {error}"
                );
            }
        }
    }
}

#[test]
fn errors_in_bodies_say_where_and_what() {
    let bodies = [
        (
            "%r: i8 = add 0, 256\nstop",
            "line 3, column 17: the constant does not fit in 8 bits",
        ),
        ("%r: i8 = add 0, -129\nstop", "does not fit in 8 bits"),
        (
            "%r: i8 = add 0, 5i7\nstop",
            "expected a constant of 8 bits, this has 7",
        ),
        (
            "%r: i65 = add 0, 0x40000000000000000\nstop",
            "does not fit in 65 bits",
        ),
        (
            "%r: i8 = add 0, %s\nstop",
            "local %s is not defined in this function",
        ),
        ("%9: i8 = add 0, 1\nstop", "the function has 3 locals"),
        ("%a: i8 = add 0, 1\nstop", "local %a is defined twice"),
        ("jump nowhere", "there is no label `nowhere`"),
        ("jump entry entry: stop", "label `entry` is defined twice"),
        (
            "return 5 b(%x: i8) stop",
            "expected `:` after a label, found `stop`",
        ),
        (
            "%r: i8, %s: i8 = add 0, 1\nstop",
            "only a call has several results",
        ),
        (
            "%r: i8 = frobnicate 0\nstop",
            "expected an instruction with a result",
        ),
        (
            "add 0, 1\nstop",
            "expected an instruction without result or a terminator",
        ),
        (
            "check nonsense 1\nstop",
            "expected a kind of check (division_by_zero",
        ),
        ("store i32 5, %p\nstop", "expected `to`, found `,`"),
        ("%r: i64 = fadd i32 1, 2\nstop", "expected `half`"),
        (
            "switch i65 0 [0: entry] else entry",
            "expected a switch of at most 64 bits",
        ),
    ];
    for (body, expected) in bodies {
        let error = error(&function(body));
        assert!(error.contains(expected), "{body}: {error}");
    }
}

#[test]
fn parameters_of_entry_blocks_and_trailing_commas_are_refused() {
    let headers = [
        "func @f() { b0(%x: i8): stop }",
        "func @f(%x: i8, ) { b0: stop }",
    ];
    for text in headers {
        error(text);
    }
}

#[test]
fn random_programs_verify_and_round_trip() {
    for seed in 0..3000 {
        let program = program(&mut Random::new(seed), false);
        verify(&program).unwrap_or_else(|e| panic!("seed {seed}: {e:#?}\n{}", print(&program)));
        round_trip(&program);
    }
}

#[test]
fn wild_programs_are_printed_and_rejected_without_panic() {
    let (mut accepted, mut rejected) = (0, 0);
    for seed in 0..3000 {
        let program = program(&mut Random::new(seed), true);
        let text = print(&program);
        match verify(&program) {
            Ok(()) => {
                accepted += 1;
                round_trip(&program);
            }
            Err(_) => {
                rejected += 1;
                let _ = parse(&text);
            }
        }
    }
    assert!(accepted > 50 && rejected > 500, "{accepted} {rejected}");
}

#[test]
fn damaged_texts_give_an_answer() {
    let mut rng = Random::new(7);
    let mut texts = vec![EVERYTHING.to_string()];
    texts.extend((0..20).map(|seed| print(&program(&mut Random::new(seed), false))));
    let alphabet: Vec<char> = "%@\"\\!(){}[],:=+-.;019xia \n\u{e4}".chars().collect();
    let (mut read, mut verified) = (0, 0);
    for round in 0..6000 {
        let mut text: Vec<char> = texts[round % texts.len()].chars().collect();
        if text.is_empty() {
            continue;
        }
        for _ in 0..1 + rng.below(3) {
            let at = rng.below(text.len());
            match rng.below(6) {
                0 => text.truncate(at + 1),
                1 => text[at] = *rng.pick(&alphabet),
                2 => text.insert(at, *rng.pick(&alphabet)),
                3 => {
                    text.remove(at);
                    text.push(' ');
                }
                4 => {
                    let length = rng.below(40).min(text.len() - at);
                    let piece: Vec<char> = text[at..at + length].to_vec();
                    let to = rng.below(text.len());
                    text.splice(to..to, piece);
                }
                _ => {
                    let (a, b) = (at, rng.below(text.len()));
                    text.swap(a, b);
                }
            }
        }
        let text: String = text.into_iter().collect();
        if let Ok(program) = parse(&text) {
            read += 1;
            if verify(&program).is_ok() {
                verified += 1;
                round_trip(&program);
            }
        }
    }
    assert!(read > 200 && verified > 100, "{read} {verified}");
}

#[test]
fn deep_and_long_texts_are_no_problem() {
    for piece in [
        "(", "[", "{", "func @f(", "-", "+", "@f +", "!", "b0(%0,", "\"", "...", "b(",
    ] {
        let _ = parse(&piece.repeat(100_000));
        let _ = parse(&format!("func @f() {{ b0: {}", piece.repeat(100_000)));
    }
    let chain: String = (0..50_000)
        .map(|i| format!("b{i}: jump b{}\n", i + 1))
        .collect();
    let program = parse(&format!("func @f() {{ {chain} b50000: return }}")).unwrap();
    verify(&program).unwrap();
    round_trip(&program);
}

#[test]
fn checks_keep_their_messages() {
    let text = function("check undefined 0 \"a \\\"b\\\" \\00 \u{fc}\"\nstop");
    let program = parse(&text).unwrap();
    let body = program.functions[0].body.as_ref().unwrap();
    let Inst::Check(check) = &body.blocks[0].insts[0].0 else {
        panic!("a check");
    };
    assert_eq!(&*check.message, "a \"b\" \0 \u{fc}");
    round_trip(&program);
}

#[test]
fn constants_close_below_zero_are_printed_as_negative() {
    let cases = [
        ("%r: i32 = add %a, 4294967295", "add %0, -1"),
        ("%r: i32 = add %a, -4096", "add %0, -4096"),
        ("%r: i32 = add %a, -4097", "add %0, 4294963199"),
        ("%r: i1 = ult i8 200, -16", "ult i8 200, -16"),
        ("%r: i1 = eq i1 1, -1", "eq i1 1, 1"),
        ("%r: i96 = concat -1, i32 -1", "concat -1, i32 -1"),
        (
            "%r: i64 = add -1, 0x8000000000000000",
            "add -1, 9223372036854775808",
        ),
        ("store i16 -1 to -8", "store i16 -1 to -8"),
        ("call %p(i32 -1)", "call %1(i32 -1)"),
    ];
    for (text, expected) in cases {
        let program = parse(&function(&format!("{text}\nreturn -1"))).unwrap();
        let printed = print(&program);
        assert!(printed.contains(expected), "{printed}");
        assert!(printed.contains("return -1"), "{printed}");
        round_trip(&program);
    }
}

#[test]
fn a_short_text_cannot_ask_for_all_memory() {
    let insts: String = (0..20_000)
        .map(|i| format!("%r{i}: i1048576 = bit_reverse 1\n"))
        .collect();
    assert!(error(&function(&insts)).contains("too many wide constants"));
}
