//! What is done to a module before it is lowered, and the lines of its assembly text.

mod support;

use cairn_ir::PlaceId;
use cairn_llvm::{LoadError, LowerOptions, UserLibrary, load_bytes};
use support::{body, lower_with, verify};

const MAIN: &str = "
declare i32 @twice(i32)
define i32 @main() {
  %1 = call i32 @twice(i32 21)
  ret i32 %1
}";

const TWICE: &str = "
define i32 @twice(i32 %a) {
  %1 = add i32 %a, %a
  ret i32 %1
}";

fn with_library(name: &str, bytes: &[u8]) -> LowerOptions {
    LowerOptions {
        libraries: vec![UserLibrary {
            name: name.to_string(),
            bytes: bytes.to_vec(),
        }],
        ..LowerOptions::default()
    }
}

/// An archive as `ar` makes it.
fn archive(members: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = b"!<arch>\n".to_vec();
    for (name, content) in members {
        let name = format!("{name}/");
        let header = format!("{name:<16}{:<32}{:<10}`\n", "0", content.len());
        bytes.extend_from_slice(header.as_bytes());
        bytes.extend_from_slice(content.as_bytes());
        if content.len() % 2 == 1 {
            bytes.push(b'\n');
        }
    }
    bytes
}

fn error(options: &LowerOptions) -> LoadError {
    load_bytes("main.ll", MAIN.as_bytes(), options).expect_err("it cannot be linked")
}

#[test]
fn a_module_is_linked_as_a_whole() {
    let lowered = lower_with(MAIN, &with_library("lib.ll", TWICE.as_bytes()));
    verify(&lowered, "linked");
    let twice = lowered.program.find_function("twice").expect("it is there");
    assert!(lowered.program.function(twice).body.is_some());
}

#[test]
fn of_an_archive_only_what_is_missing_is_linked() {
    let needs = "
declare i32 @same(i32)
define i32 @twice(i32 %a) {
  %1 = call i32 @same(i32 %a)
  %2 = add i32 %1, %1
  ret i32 %2
}";
    let same = "
define i32 @same(i32 %a) {
  ret i32 %a
}";
    // It would clash, but none of its symbols is referred to.
    let unwanted = "
define i32 @unwanted() {
  ret i32 0
}
define i32 @main() {
  ret i32 1
}";
    let bytes = archive(&[
        ("same.ll", same),
        ("unwanted.ll", unwanted),
        ("needs.ll", needs),
    ]);
    let lowered = lower_with(MAIN, &with_library("lib.a", &bytes));
    verify(&lowered, "linked");
    let program = &lowered.program;
    for name in ["twice", "same"] {
        let function = program.find_function(name).expect(name);
        assert!(program.function(function).body.is_some(), "{name}");
    }
    assert_eq!(program.find_function("unwanted"), None);
}

#[test]
fn what_cannot_be_linked_is_named() {
    let twice = "define i32 @main() {\n  ret i32 0\n}";
    let clash = error(&with_library("lib.ll", twice.as_bytes()));
    assert!(
        matches!(&clash, LoadError::Linking { file, message }
        if file == "lib.ll" && message.contains("main")),
        "{clash}"
    );
    let cut = &archive(&[("a.ll", TWICE)])[..70];
    let broken = error(&with_library("lib.a", cut));
    assert!(
        matches!(&broken, LoadError::Linking { file, .. } if file == "lib.a"),
        "{broken}"
    );
    let wrong = error(&with_library("lib.a", &archive(&[("a.o", "\x7fELF")])));
    assert!(
        matches!(&wrong, LoadError::Invalid { file, .. } if file == "lib.a(a.o)"),
        "{wrong}"
    );
    let other = "target triple = \"riscv64-unknown-linux-gnu\"\n";
    let target = error(&with_library("lib.ll", other.as_bytes()));
    assert!(matches!(target, LoadError::Target { .. }), "{target}");
}

#[test]
fn optimising_folds_what_is_known() {
    let options = LowerOptions {
        optimize: true,
        ..with_library("lib.ll", TWICE.as_bytes())
    };
    let lowered = lower_with(MAIN, &options);
    verify(&lowered, "optimised");
    assert_eq!(
        body(&lowered, "main").last().map(String::as_str),
        Some("return 42")
    );
}

#[test]
fn each_instruction_knows_its_line_of_the_text() {
    let text = "
declare i32 @g(i32)
define i32 @f(i32 %a) {
  switch i32 %a, label %other [
    i32 1, label %one
    i32 2, label %one
  ]

one:
  %1 = call i32 @g(i32 %a)
  ret i32 %1

other:
  ret i32 7
}";
    let options = LowerOptions {
        keep_assembly: true,
        ..LowerOptions::default()
    };
    let lowered = lower_with(text, &options);
    verify(&lowered, "with its text");
    let assembly = lowered.assembly.as_ref().expect("it was asked for");
    let function = lowered.program.find_function("f").expect("it is there");
    let body = lowered
        .program
        .function(function)
        .body
        .as_ref()
        .expect("a body");
    let line = |place: PlaceId| {
        let line = assembly.line(place).expect("a line") as usize;
        assembly
            .text
            .lines()
            .nth(line - 1)
            .expect("it is in the text")
    };
    let mut shown = Vec::new();
    for block in &body.blocks {
        let places = block.insts.iter().map(|(_, place)| *place);
        shown.extend(places.chain([block.terminator.1]).map(line));
    }
    let mut first: Vec<&str> = Vec::new();
    for line in &shown {
        first.extend(line.split_whitespace().find(|w| !w.starts_with(['%', '='])));
    }
    first.sort_unstable();
    assert_eq!(first, ["call", "ret", "ret", "switch"], "{shown:?}");
    assert_eq!(assembly.line(PlaceId::UNKNOWN), None);
}
