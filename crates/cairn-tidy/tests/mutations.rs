//! Each rule notices what it is for: a small tidy tree is broken in one place, and that rule alone speaks.

use cairn_tidy::{Exceptions, Problem, Repository, Rule, crate_graph, problems, with_crate_graph};

/// A tree with two crates that breaks no rule.
fn tidy() -> Repository {
    let mut tree = Repository::default();
    tree.insert(
        "crates/cairn-bv/Cargo.toml",
        "[package]\nname = \"cairn-bv\"\n",
    );
    tree.insert(
        "crates/cairn-expr/Cargo.toml",
        "[dependencies]\ncairn-bv = { workspace = true }\n",
    );
    tree.insert(
        "crates/cairn-bv/src/lib.rs",
        "//! Words [Author01].\n\n/// Adds.\npub fn add() {}\n",
    );
    tree.insert(
        "crates/cairn-bv/src/sum.rs",
        "pub struct Sum;\n\npub struct Carry;\n",
    );
    tree.insert(
        "crates/cairn-expr/src/lib.rs",
        "//! Terms, as in `lib.rs`.\n",
    );
    tree.insert(
        "docs/references.md",
        "| Author01 | A. Author: A title. A venue, 2001 |\n",
    );
    tree.insert(
        "GLOSSARY.md",
        "| word | means | where |\n|---|---|---|\n| **sum** | what is added | `cairn-bv/src/sum.rs` (`Sum`) |\n",
    );
    tree.insert(
        "ARCHITECTURE.md",
        "<!-- crate graph: made by cairn-tidy --><!-- end of crate graph -->\n",
    );
    bless(&mut tree);
    tree
}

fn bless(tree: &mut Repository) {
    let document = tree.text("ARCHITECTURE.md").expect("it is there");
    let document = with_crate_graph(document, &crate_graph(tree)).expect("it has marks");
    tree.insert("ARCHITECTURE.md", &document);
}

/// The problems after one file was replaced.
fn after(path: &str, text: &str) -> Vec<Problem> {
    let mut tree = tidy();
    tree.insert(path, text);
    problems(&tree)
}

/// Only `rule` is broken, by `amount`.
fn only(found: &[Problem], rule: Rule, amount: usize) {
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (found[0].rule, found[0].amount),
        (rule, amount),
        "{found:?}"
    );
}

#[test]
fn a_tidy_tree_has_no_problems() {
    assert_eq!(problems(&tidy()), []);
}

#[test]
fn long_files_functions_and_types_with_many_methods_are_noticed() {
    let at = "crates/cairn-bv/src/lib.rs";
    assert_eq!(after(at, &"// A line.\n".repeat(600)), []);
    only(
        &after(at, &"// A line.\n".repeat(601)),
        Rule::FileLines,
        601,
    );
    let function =
        |lines: usize| format!("fn long() {{\n{}}}\n", "    call();\n".repeat(lines - 2));
    assert_eq!(after(at, &function(100)), []);
    only(&after(at, &function(101)), Rule::FunctionLines, 101);
    let methods = |count: usize| {
        let all: String = (0..count)
            .map(|n| format!("    fn m{n}() {{}}\n"))
            .collect();
        format!(
            "struct A;\nimpl A {{\n{all}}}\nimpl Clone for A {{\n    fn clone(&self) -> A {{ A }}\n}}\n"
        )
    };
    assert_eq!(after(at, &methods(40)), []);
    only(&after(at, &methods(41)), Rule::TypeMethods, 41);
}

#[test]
fn a_long_match_without_a_catch_all_is_a_table_of_its_arms() {
    let at = "crates/cairn-bv/src/lib.rs";
    // 5 lines besides `arms` arms of `lines` lines each.
    let table = |arms: usize, lines: usize, last: &str| {
        let body = "            call();\n".repeat(lines - 2);
        let arms: String = (1..arms)
            .map(|n| format!("        A::V{n} => {{\n{body}        }}\n"))
            .collect();
        format!(
            "fn f() {{\n    match a {{\n{arms}        {last} => {{\n{body}        }}\n    }}\n    b();\n}}\n"
        )
    };
    // Each short arm counts as a line.
    assert_eq!(after(at, &table(29, 20, "A::V29")), []);
    only(
        &after(at, &table(99, 3, "A::V99")),
        Rule::FunctionLines,
        104,
    );
    // An arm that is too long for a table counts as it is, and so do few arms, and those beside a `_`.
    only(
        &after(at, &table(12, 21, "A::V12")),
        Rule::FunctionLines,
        12 * 21 + 5,
    );
    only(
        &after(at, &table(11, 20, "A::V11")),
        Rule::FunctionLines,
        11 * 20 + 5,
    );
    only(
        &after(at, &table(12, 20, "_")),
        Rule::FunctionLines,
        12 * 20 + 5,
    );
}

#[test]
fn methods_are_counted_over_the_files_of_a_crate() {
    let half = |from: usize| {
        let all: String = (from..from + 21)
            .map(|n| format!("    fn m{n}() {{}}\n"))
            .collect();
        format!("impl A {{\n{all}}}\n")
    };
    let mut tree = tidy();
    tree.insert("crates/cairn-bv/src/one.rs", &half(0));
    tree.insert("crates/cairn-bv/src/two.rs", &half(21));
    only(&problems(&tree), Rule::TypeMethods, 42);
}

#[test]
fn only_the_methods_of_a_listed_family_do_not_count() {
    let methods = |name: &str, count: usize| {
        let all: String = (0..count)
            .map(|n| format!("    fn m{n}() {{}}\n"))
            .collect();
        format!("impl {name} {{\n{all}}}\n")
    };
    let bit_vectors = "crates/cairn-bv/src/arith.rs";
    assert_eq!(after(bit_vectors, &methods("BitVec", 60)), []);
    only(
        &after(bit_vectors, &methods("Digits", 60)),
        Rule::TypeMethods,
        60,
    );
    only(
        &after("crates/cairn-bv/src/repr.rs", &methods("BitVec", 41)),
        Rule::TypeMethods,
        41,
    );
    assert_eq!(
        after(
            "crates/cairn-expr/src/build/shift.rs",
            &methods("TermStore", 60)
        ),
        []
    );
    only(
        &after("crates/cairn-expr/src/store.rs", &methods("TermStore", 60)),
        Rule::TypeMethods,
        60,
    );
}

#[test]
fn banned_words_are_noticed_in_comments_and_documents_not_in_code() {
    let at = "crates/cairn-bv/src/lib.rs";
    only(
        &after(at, "// Bytes that nobody wrote.\n"),
        Rule::BannedWords,
        1,
    );
    only(
        &after("README.md", "Whoever reads this.\n"),
        Rule::BannedWords,
        1,
    );
    assert_eq!(
        after(at, "fn nobody() {}\nconst A: &str = \"// nobody\";\n"),
        []
    );
}

#[test]
fn words_of_other_layers_are_noticed_in_code_not_in_comments() {
    let at = "crates/cairn-expr/src/lib.rs";
    only(
        &after(at, "const A: &str = \"riscv.translate\";\n"),
        Rule::ForeignWords,
        1,
    );
    only(
        &after(at, "const A: &str = \"ask for fewer with --jobs\";\n"),
        Rule::ForeignWords,
        1,
    );
    assert_eq!(
        after(
            at,
            "// As riscv does with --jobs.\nfn less() { n -= 1; a--b; }\n"
        ),
        []
    );
}

#[test]
fn essays_have_one_form() {
    let at = "crates/cairn-expr/src/lib.rs";
    let good = "//! A technique.\n//!\n//! # Problem\n//! # Idea\n//! # Soundness\n//! # Cost\n";
    assert_eq!(after(at, good), []);
    only(
        &after(at, &good.replace("Soundness", "Why it is right")),
        Rule::EssayHeadings,
        2,
    );
    only(
        &after(at, "//! - **Soundness.** It is right.\n"),
        Rule::EssayHeadings,
        1,
    );
    only(
        &after(at, "//! # Idea\n//! # Problem\n//! # Soundness\n"),
        Rule::EssayHeadings,
        1,
    );
}

#[test]
fn citations_and_names_of_files_are_followed() {
    let at = "crates/cairn-bv/src/lib.rs";
    only(&after(at, "//! From [Unknown99].\n"), Rule::CitationKeys, 1);
    assert_eq!(
        after(at, "//! A link [Unknown99](https://example.org).\n"),
        []
    );
    only(
        &after("README.md", "See `crates/cairn-bv/src/gone.rs`.\n"),
        Rule::NamedFiles,
        1,
    );
    only(
        &after("README.md", "See `src/{lib,gone}.rs`.\n"),
        Rule::NamedFiles,
        1,
    );
    only(&after(at, "//! See `gone.rs`.\n"), Rule::NamedFiles, 1);
    assert_eq!(
        after(
            "README.md",
            "See `crates/cairn-bv/src/lib.rs` and `src/{lib}.rs`.\n"
        ),
        []
    );
}

#[test]
fn edges_between_crates_are_judged_and_drawn() {
    let mut tree = tidy();
    tree.insert(
        "crates/cairn-bv/Cargo.toml",
        "[dependencies]\ncairn-expr = { workspace = true }\n",
    );
    bless(&mut tree);
    only(&problems(&tree), Rule::CrateEdges, 1);
    let mut tree = tidy();
    tree.insert(
        "crates/cairn-expr/Cargo.toml",
        "[dependencies]\ncairn-random = { workspace = true }\n",
    );
    bless(&mut tree);
    only(&problems(&tree), Rule::CrateEdges, 1);
    tree.insert(
        "crates/cairn-expr/Cargo.toml",
        "[dev-dependencies]\ncairn-random = { workspace = true }\n",
    );
    bless(&mut tree);
    assert_eq!(problems(&tree), []);
    only(
        &after("crates/cairn-expr/Cargo.toml", "[package]\n"),
        Rule::CrateGraph,
        1,
    );
}

#[test]
fn tests_that_return_where_a_tool_is_missing_are_noticed() {
    let skips = "#[test]\nfn a() {\n    if !there() {\n        eprintln!(\"skipped: no musl\");\n        return;\n    }\n}\n";
    only(
        &after("crates/cairn-bv/tests/a.rs", skips),
        Rule::SkippedTests,
        1,
    );
    assert_eq!(
        after(
            "crates/cairn-bv/tests/a.rs",
            &skips.replace("return", "panic!()")
        ),
        []
    );
}

#[test]
fn vague_names_of_types_are_noticed_private_ones_too_but_not_in_tests() {
    let at = "crates/cairn-expr/src/lib.rs";
    only(&after(at, "enum Kind {}\n"), Rule::VagueTypes, 1);
    only(
        &after(at, "mod a {\n    type Wanted = u8;\n}\n"),
        Rule::VagueTypes,
        1,
    );
    assert_eq!(
        after(at, "#[cfg(test)]\nmod tests {\n    enum Kind {}\n}\n"),
        []
    );
    assert_eq!(after("crates/cairn-expr/tests/a.rs", "enum Kind {}\n"), []);
    assert_eq!(
        after(at, "impl Iterator for A {\n    type Item = u8;\n}\n"),
        []
    );
}

#[test]
fn a_word_of_the_glossary_is_one_type_and_is_there() {
    let at = "crates/cairn-expr/src/lib.rs";
    only(&after(at, "trait Sum {}\n"), Rule::GlossaryTypes, 1);
    let gone = "pub struct Total;\npub struct Carry;\n";
    only(
        &after("crates/cairn-bv/src/sum.rs", gone),
        Rule::GlossaryTypes,
        1,
    );
    // It is in the right crate, but not where the glossary says.
    let mut tree = tidy();
    tree.insert("crates/cairn-bv/src/sum.rs", "pub struct Carry;\n");
    tree.insert("crates/cairn-bv/src/lib.rs", "struct Sum;\n");
    assert_eq!(problems(&tree).len(), 2);
    // Variants and functions of a type are no other words.
    let row = "| **sum** | what is added | `cairn-bv/src/sum.rs` (`Sum::Of`) |\n";
    assert_eq!(after("GLOSSARY.md", row), []);
}

#[test]
fn a_name_that_others_see_is_defined_once() {
    let at = "crates/cairn-expr/src/lib.rs";
    only(&after(at, "pub struct Carry;\n"), Rule::SharedTypes, 2);
    only(
        &after(at, "pub(crate) enum Carry {}\n"),
        Rule::SharedTypes,
        2,
    );
    assert_eq!(after(at, "struct Carry;\n"), []);
    // Commands that no user runs may name what they test.
    assert_eq!(
        after("crates/cairn-oracle/src/a.rs", "pub struct Carry;\n"),
        []
    );
}

#[test]
fn exceptions_do_not_grow_and_go_when_they_are_not_needed() {
    let found = after("crates/cairn-bv/src/lib.rs", &"// A line.\n".repeat(610));
    let exceptions = Exceptions::of(&found, "a list");
    assert!(exceptions.judge(&found).is_empty());
    assert_eq!(
        Exceptions::parse(&exceptions.print()),
        Ok(exceptions.clone())
    );
    let larger = after("crates/cairn-bv/src/lib.rs", &"// A line.\n".repeat(611));
    assert_eq!(exceptions.judge(&larger).len(), 1);
    assert_eq!(exceptions.lowered(&larger), exceptions);
    let smaller = after("crates/cairn-bv/src/lib.rs", &"// A line.\n".repeat(605));
    assert_eq!(exceptions.judge(&smaller).len(), 1);
    assert!(exceptions.lowered(&smaller).judge(&smaller).is_empty());
    assert_eq!(exceptions.judge(&[]).len(), 1);
    assert_eq!(exceptions.lowered(&[]), Exceptions::default());
    assert!(Exceptions::parse("file-lines many a.rs # a list").is_err());
    assert!(Exceptions::parse("file-lines 610 a.rs").is_err());
    // A reason stays with its entry.
    let lines = "file-lines 610 crates/cairn-bv/src/lib.rs # a table\n";
    let with_reason = Exceptions::parse(lines).expect("it can be read");
    assert!(with_reason.judge(&found).is_empty());
    let lowered = with_reason.lowered(&smaller).print();
    assert!(lowered.ends_with(&lines.replace("610", "605")), "{lowered}");
}

/// A file whose content breaks a rule in the small tree. A rule that is added needs one.
fn breaks(rule: Rule) -> (&'static str, String) {
    let source = "crates/cairn-expr/src/lib.rs";
    match rule {
        Rule::FileLines => (source, "// A line.\n".repeat(601)),
        Rule::FunctionLines => (source, format!("fn f() {{\n{}}}\n", "    g();\n".repeat(99))),
        Rule::TypeMethods => {
            let methods: String = (0..41).map(|n| format!("    fn m{n}() {{}}\n")).collect();
            (source, format!("struct A;\nimpl A {{\n{methods}}}\n"))
        }
        Rule::BannedWords => (source, "// A byte that nobody wrote.\n".to_string()),
        Rule::ForeignWords => (source, "fn riscv() {}\n".to_string()),
        Rule::EssayHeadings => (source, "//! # Cost\n//! # Idea\n".to_string()),
        Rule::CitationKeys => (source, "//! From [Unknown99].\n".to_string()),
        Rule::NamedFiles => ("README.md", "See `src/gone.rs`.\n".to_string()),
        Rule::CrateEdges => (
            "crates/cairn-bv/Cargo.toml",
            "[dependencies]\ncairn-expr = { workspace = true }\n".to_string(),
        ),
        Rule::CrateGraph => ("crates/cairn-expr/Cargo.toml", "[package]\n".to_string()),
        Rule::SkippedTests => (
            "crates/cairn-expr/tests/a.rs",
            "#[test]\nfn a() {\n    if !there() {\n        eprintln!(\"skipped: no musl\");\n        return;\n    }\n}\n"
                .to_string(),
        ),
        Rule::VagueTypes => (source, "enum Kind {}\n".to_string()),
        Rule::GlossaryTypes => (source, "struct Sum;\n".to_string()),
        Rule::SharedTypes => (source, "pub struct Carry;\n".to_string()),
    }
}

#[test]
fn each_rule_notices_its_mutation_and_no_exception_of_another_hides_it() {
    for rule in Rule::ALL {
        let (path, text) = breaks(rule);
        let found = after(path, &text);
        let of_rule = found.iter().filter(|problem| problem.rule == rule);
        assert!(of_rule.count() > 0, "{}: {found:?}", rule.name());
        // Exceptions of all other rules do not except it.
        for other in Rule::ALL.into_iter().filter(|other| *other != rule) {
            let (path, text) = breaks(other);
            let mut theirs = after(path, &text);
            theirs.retain(|problem| problem.rule == other);
            let left = Exceptions::of(&theirs, "a list").judge(&found);
            let name = rule.name();
            assert!(
                left.iter().any(|line| line.starts_with(name)),
                "{name}: {left:?}"
            );
        }
    }
}
