//! Scripts: all commands and operators, readable by our own reader, and different from each other.

use cairn_expr::TermStore;
use cairn_oracle::compare::expressions;
use cairn_oracle::scripts::{sample, script};
use cairn_text::smtlib::{Command, Script};
use std::collections::BTreeSet;

const COMMANDS: &[&str] = &[
    "assert",
    "check-sat",
    "check-sat-assuming",
    "declare-const",
    "declare-fun",
    "define-const",
    "define-fun",
    "define-sort",
    "echo",
    "exit",
    "get-assertions",
    "get-assignment",
    "get-info",
    "get-model",
    "get-option",
    "get-unsat-assumptions",
    "get-unsat-core",
    "get-value",
    "pop",
    "push",
    "reset",
    "reset-assertions",
    "set-info",
    "set-logic",
    "set-option",
];

const WORDS: &[&str] = &[
    "(let ",
    ":named",
    "(as const ",
    "#b",
    "#x",
    "(_ bv",
    "|",
    "; ",
    "not",
    "and",
    "or",
    "xor",
    "=>",
    "=",
    "distinct",
    "ite",
    "concat",
    "bvnot",
    "bvneg",
    "bvredor",
    "bvredand",
    "bvnego",
    "bvand",
    "bvor",
    "bvxor",
    "bvadd",
    "bvmul",
    "bvnand",
    "bvnor",
    "bvxnor",
    "bvsub",
    "bvudiv",
    "bvurem",
    "bvsdiv",
    "bvsrem",
    "bvsmod",
    "bvshl",
    "bvlshr",
    "bvashr",
    "bvult",
    "bvule",
    "bvugt",
    "bvuge",
    "bvslt",
    "bvsle",
    "bvsgt",
    "bvsge",
    "bvcomp",
    "bvuaddo",
    "bvsaddo",
    "bvusubo",
    "bvssubo",
    "bvsdivo",
    "bvumulo",
    "bvsmulo",
    "ext_rotate_left",
    "ext_rotate_right",
    "select",
    "store",
    "extract",
    "repeat",
    "zero_extend",
    "sign_extend",
    "rotate_left",
    "rotate_right",
    "true",
    "false",
];

fn read(text: &str) -> usize {
    let store = TermStore::new();
    let mut commands = Script::new(text.as_bytes());
    let mut count = 0;
    loop {
        match commands.next_command(&store) {
            Ok(Some(Command::Exit)) | Ok(None) => return count,
            Ok(Some(_)) => count += 1,
            Err(e) => panic!("{e}\n{text}"),
        }
    }
}

#[test]
fn five_hundred_scripts_can_be_read_and_use_everything() {
    let mut all = String::new();
    let mut different = BTreeSet::new();
    for seed in 0..500 {
        let text = script(seed);
        assert_eq!(text, script(seed), "seed {seed} is not determined");
        assert!(read(&text) > 5, "seed {seed}");
        all.push_str(&text);
        different.insert(text);
    }
    assert_eq!(different.len(), 500);
    for command in COMMANDS {
        let found = [' ', ')', '\n']
            .iter()
            .any(|c| all.contains(&format!("({command}{c}")));
        assert!(found, "no {command}");
    }
    for word in WORDS {
        assert!(all.contains(word), "no {word}");
    }
}

#[test]
fn samples_can_be_read() {
    for seed in 0..200 {
        let sample = sample(seed);
        assert_eq!(sample.commands.len(), sample.names.len());
        read(&sample.commands.join("\n"));
    }
}

#[test]
fn answers_are_split_into_expressions() {
    let text = "sat\n((define-fun |a ) b| () Bool true)\n)\n(error \"no ( model\")\n(x) y";
    let parts = expressions(text);
    assert_eq!(parts.len(), 5);
    assert_eq!(parts[0], "sat");
    assert_eq!(parts[2], "(error \"no ( model\")");
    assert_eq!(parts[4], "y");
}
