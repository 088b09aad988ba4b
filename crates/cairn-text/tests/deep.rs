//! A million levels of nesting, read and written without recursion.

mod common;

use cairn_expr::{Sort, TermStore};
use cairn_text::smtlib::{self, Script};
use cairn_text::{TextError, kquery};
use common::{assertions, commands};

const DEPTH: usize = 1_000_000;

fn nested(open: &str, middle: &str, close: &str) -> String {
    nested_by(DEPTH, open, middle, close)
}

fn nested_by(depth: usize, open: &str, middle: &str, close: &str) -> String {
    format!("{}{middle}{}", open.repeat(depth), close.repeat(depth))
}

#[test]
fn deep_operators() {
    let store = TermStore::new();
    let declarations = "(declare-const p Bool)(declare-const x (_ BitVec 32))\
                        (declare-const y (_ BitVec 32))";
    let negations = nested("(not ", "p", ")");
    let text = format!("{declarations}(assert {negations})");
    assert_eq!(assertions(&store, &text), [store.symbol("p", Sort::Bool)]);
    let products = nested("(bvmul (bvnot ", "x", ") y)");
    let text = format!("{declarations}(assert (bvult x {products}))");
    let terms = assertions(&store, &text);
    assert_eq!(terms[0].attributes().tree_size, 3 + 3 * DEPTH as u64);
    // The same million levels, written and read again.
    let mut text = String::new();
    smtlib::write_query(&mut text, "QF_BV", &terms).unwrap();
    assert_eq!(assertions(&store, &text), terms);
}

#[test]
fn deep_sums() {
    let store = TermStore::new();
    let sums = nested("(bvadd y ", "x", ")");
    let text = format!(
        "(declare-const x (_ BitVec 32))(declare-const y (_ BitVec 32))(assert (bvult {sums} x))"
    );
    assert_eq!(assertions(&store, &text).len(), 1);
}

#[test]
fn deep_lets() {
    let store = TermStore::new();
    let lets = nested("(let ((x (bvmul x (bvnot x)))) ", "(bvult x y)", ")");
    let text = format!(
        "(declare-const x (_ BitVec 32))(declare-const y (_ BitVec 32))(assert {lets})\
         (assert (bvult x y))"
    );
    let terms = assertions(&store, &text);
    // The outer meaning is back after the last let.
    let (x, y) = (
        store.symbol("x", Sort::BitVec(32)),
        store.symbol("y", Sort::BitVec(32)),
    );
    assert_eq!(terms[1], store.bv_ult(&x, &y));
    // Every level is shared, so a million lets are written.
    let mut text = String::new();
    smtlib::write_query(&mut text, "QF_BV", &terms[..1]).unwrap();
    assert_eq!(assertions(&store, &text), terms[..1]);
}

#[test]
fn deep_annotations_and_selects() {
    let store = TermStore::new();
    let text = format!(
        "(declare-const p Bool)(assert {})",
        nested("(! ", "p", " :pattern ((f x)) :x)")
    );
    assert_eq!(assertions(&store, &text), [store.symbol("p", Sort::Bool)]);
    let text = format!(
        "(declare-const a (Array (_ BitVec 8) (_ BitVec 8)))(declare-const i (_ BitVec 8))\
         (assert (= i {}))",
        nested("(select a ", "i", ")")
    );
    assert_eq!(assertions(&store, &text).len(), 1);
}

#[test]
fn deep_parentheses_are_an_error() {
    let store = TermStore::new();
    let error = |text: &str| -> TextError { commands(&store, text).unwrap_err() };
    let balanced = nested("(", "x", ")");
    assert!(!error(&balanced).fatal);
    assert!(!error(&format!("(assert {balanced})")).fatal);
    assert!(!error(&format!("(declare-const x {balanced})")).fatal);
    let mut script = Script::new(balanced.as_bytes());
    assert!(script.next_command(&store).is_err());
    script.skip_command().unwrap();
    assert!(script.next_command(&store).unwrap().is_none());
    let open = "(".repeat(DEPTH);
    let mut script = Script::new(open.as_bytes());
    assert!(!script.next_command(&store).unwrap_err().fatal);
    let end = script.next_command(&store).unwrap_err();
    assert!(end.fatal);
    assert_eq!((end.line, end.column), (1, 1));
    assert_eq!(script.next_command(&store).unwrap_err(), end);
}

#[test]
fn deep_kquery() {
    let store = TermStore::new();
    let arrays = "array a[4] : w32 -> w8 = symbolic\n";
    for (depth, open, close) in [
        (DEPTH / 10, "(Add w32 1 (Not w32 ", "))"),
        (DEPTH / 10, "(Mul w32 (ReadLSB w32 0 a) ", ")"),
        (
            DEPTH / 10,
            "(Select w32 (Eq 0 (Read w8 0 a)) (ReadLSB w32 4 a) (Not w32 ",
            "))",
        ),
        (DEPTH / 10, "(ZExt w32 (Read w8 ", " a))"),
    ] {
        let text = format!(
            "{arrays}(query [] (Ult {} 5))",
            nested_by(depth, open, "(ReadLSB w32 8 a)", close)
        );
        let queries = kquery::read(text.as_bytes(), &store).unwrap_or_else(|e| panic!("{e}"));
        let mut text = String::new();
        kquery::write(&mut text, &[], &queries[0].goal, &[], &[]).unwrap();
        let again = kquery::read(text.as_bytes(), &store).unwrap();
        assert_eq!(again[0].goal, queries[0].goal, "{open}");
    }
    let sums = nested("(Add w32 1 (Not w32 ", "(ReadLSB w32 8 a)", "))");
    let text = format!("{arrays}(query [] (Ult {sums} 5))");
    assert_eq!(kquery::read(text.as_bytes(), &store).unwrap().len(), 1);
    // Versions nest to the right, and updates of updates inside.
    let updates = nested("[0=1] @ ", "a", "");
    let text = format!("{arrays}(query [] (Eq 0 (Read w8 (ReadLSB w32 0 a) {updates})))");
    assert_eq!(kquery::read(text.as_bytes(), &store).unwrap().len(), 1);
    let updates = nested_by(DEPTH / 10, "[0=(Read w8 5 ", "a", ")] @ a");
    let text = format!("{arrays}(query [] (Eq 0 (Read w8 (ReadLSB w32 0 a) {updates})))");
    let queries = kquery::read(text.as_bytes(), &store).unwrap();
    assert_eq!(queries.len(), 1);
    for text in [
        nested("(", "x", ")"),
        nested("[", "", "]"),
        "(".repeat(DEPTH),
    ] {
        let text = format!("(query [] {text}");
        assert!(kquery::read(text.as_bytes(), &store).is_err());
    }
    // A long chain of updates with unknown indices.
    let mut chain = String::new();
    for i in 0..20_000 {
        chain.push_str(&format!("[(ReadLSB w32 {} a)={}] @ ", i * 4 + 100, i % 251));
    }
    let text = format!("{arrays}(query [] (Eq 0 (Read w8 (ReadLSB w32 0 a) {chain}a)))");
    let queries = kquery::read(text.as_bytes(), &store).unwrap();
    let mut text = String::new();
    kquery::write(&mut text, &[], &queries[0].goal, &[], &[]).unwrap();
    let again = kquery::read(text.as_bytes(), &store).unwrap();
    assert_eq!(again[0].goal, queries[0].goal);
}
