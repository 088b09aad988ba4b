//! What is written reads back as the same term.

mod common;

use cairn_expr::{BitVec, Sort, Symbol, Table, Term, TermStore};
use cairn_random::Random;
use cairn_text::kquery;
use cairn_text::smtlib::{self, Command, Script};
use common::{Terms, assertions};

fn declared(terms: &[Term]) -> String {
    smtlib::Names::of(terms)
        .iter()
        .map(|(symbol, text)| format!("(declare-fun {text} () {})\n", symbol.sort()))
        .collect()
}

fn read_back(store: &TermStore, term: &Term) -> (String, Term) {
    let text = format!(
        "{}(get-value ({}))",
        declared(std::slice::from_ref(term)),
        smtlib::term_to_string(term)
    );
    let mut script = Script::new(text.as_bytes());
    loop {
        match script.next_command(store) {
            Ok(Some(Command::GetValue(terms))) => return (text, terms[0].1.clone()),
            Ok(Some(_)) => {}
            Ok(None) => panic!("no term in {text}"),
            Err(e) => panic!("{e}\n{text}"),
        }
    }
}

#[test]
fn random_terms_of_all_operators() {
    for seed in 0..400 {
        let store = TermStore::new();
        let mut random = Random::new(seed);
        let mut terms = Terms::new(&store, &mut random, false);
        for _ in 0..60 {
            let term = terms.grow(&mut random);
            let (text, again) = read_back(&store, &term);
            assert_eq!(again, term, "seed {seed}: {text}");
        }
    }
}

#[test]
fn random_queries_share_across_assertions() {
    for seed in 0..150 {
        let store = TermStore::new();
        let mut random = Random::new(1000 + seed);
        let mut terms = Terms::new(&store, &mut random, false);
        for _ in 0..80 {
            terms.grow(&mut random);
        }
        let roots: Vec<Term> = (0..8)
            .map(|_| terms.of_sort(&mut random, Sort::Bool))
            .collect();
        let mut text = String::new();
        smtlib::write_query(&mut text, "QF_ABV", &roots).unwrap();
        assert_eq!(assertions(&store, &text), roots, "seed {seed}: {text}");
    }
}

#[test]
fn random_queries_in_kquery() {
    for seed in 0..300 {
        let store = TermStore::new();
        let mut random = Random::new(5000 + seed);
        let mut terms = Terms::new(&store, &mut random, true);
        for _ in 0..80 {
            terms.grow(&mut random);
        }
        let constraints: Vec<Term> = (0..5)
            .map(|_| terms.of_sort(&mut random, Sort::Bool))
            .collect();
        let goal = terms.of_sort(&mut random, Sort::Bool);
        let values: Vec<Term> = [1, 8, 32]
            .map(|w| terms.of_sort(&mut random, Sort::BitVec(w)))
            .to_vec();
        let arrays = vec![store.symbol(
            "a0",
            Sort::Array {
                index: 32,
                value: 8,
            },
        )];
        let mut text = String::new();
        kquery::write(&mut text, &constraints, &goal, &values, &arrays)
            .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let queries =
            kquery::read(text.as_bytes(), &store).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(queries.len(), 1);
        assert_eq!(queries[0].constraints, constraints, "seed {seed}: {text}");
        assert_eq!(queries[0].goal, goal, "seed {seed}: {text}");
        assert_eq!(queries[0].values, values, "seed {seed}: {text}");
        assert_eq!(queries[0].arrays, arrays);
    }
}

#[test]
fn long_tables_and_stores_stay_apart() {
    let store = TermStore::new();
    let values: Vec<BitVec> = (0..3000).map(|i| BitVec::new(8, i * 7)).collect();
    let long = store.table(Table::new(32, values, BitVec::new(8, 9)));
    let short = store.table(Table::new(32, vec![BitVec::new(8, 1)], BitVec::zero(8)));
    let stored = store.store(&short, &store.bv(32, 5000), &store.bv(8, 3));
    for term in [long, short, stored] {
        let index = store.symbol("i", Sort::BitVec(32));
        let read = store.select(&term, &index);
        for t in [term, read] {
            let (text, again) = read_back(&store, &t);
            assert_eq!(again, t, "{}", &text[..200.min(text.len())]);
        }
    }
}

#[test]
fn negations_are_written_as_their_names() {
    let store = TermStore::new();
    let p = store.symbol("p", Sort::Bool);
    let q = store.symbol("q", Sort::Bool);
    let x = store.symbol("x", Sort::BitVec(8));
    let y = store.symbol("y", Sort::BitVec(8));
    let shown = smtlib::term_to_string;
    assert!(["(or p q)", "(or q p)"].contains(&shown(&store.or(&p, &q)).as_str()));
    assert_eq!(shown(&store.implies(&p, &q)), "(=> p q)");
    assert_eq!(shown(&store.bv_ule(&x, &y)), "(bvule x y)");
    assert_eq!(shown(&store.bv_sle(&x, &y)), "(bvsle x y)");
}

#[test]
fn shared_nodes_are_written_once() {
    let store = TermStore::new();
    let mut t = store.symbol("x", Sort::BitVec(32));
    let y = store.symbol("?0", Sort::BitVec(32));
    for _ in 0..64 {
        t = store.bv_mul(&t, &store.bv_add(&t, &y));
    }
    let (text, again) = read_back(&store, &t);
    assert!(text.len() < 8000, "{} bytes", text.len());
    assert_eq!(again, t);
}

#[test]
fn names_that_cannot_be_written_are_replaced() {
    let store = TermStore::new();
    let sort = Sort::BitVec(8);
    let symbols = [
        store.symbol("a|b", sort),
        store.symbol("a%7cb", sort),
        store.symbol("select", sort),
        store.symbol("select!", sort),
        store.symbol("same", sort),
        store.symbol("same", Sort::BitVec(16)),
        store.free(
            Symbol::Input {
                input: "same".into(),
                place: None,
            },
            sort,
        ),
    ];
    let roots: Vec<Term> = symbols
        .iter()
        .map(|t| store.bv_ult(t, &store.bv(t.width(), 5)))
        .collect();
    let names = smtlib::Names::of(&roots);
    let mut spellings: Vec<&str> = symbols.iter().map(|t| names.get(t).unwrap()).collect();
    spellings.sort_unstable();
    spellings.dedup();
    assert_eq!(spellings.len(), symbols.len());
    let mut text = String::new();
    smtlib::write_query(&mut text, "QF_BV", &roots).unwrap();
    let other = TermStore::new();
    assert_eq!(assertions(&other, &text).len(), roots.len());
}

#[test]
fn what_kquery_cannot_say_is_named() {
    let store = TermStore::new();
    let fails = |goal: &Term| {
        let mut text = String::new();
        kquery::write(&mut text, &[], goal, &[], &[])
            .unwrap_err()
            .to_string()
    };
    let p = store.symbol("p", Sort::Bool);
    assert!(fails(&p).contains("`p`"));
    let x = store.symbol("x", Sort::BitVec(9));
    assert!(fails(&store.bv_ult(&x, &store.bv(9, 5))).contains("`x`"));
    let sort = Sort::Array { index: 8, value: 8 };
    let (a, b) = (store.symbol("a", sort), store.symbol("b", sort));
    assert!(fails(&store.eq(&a, &b)).contains("arrays"));
    let y = store.symbol("y", Sort::BitVec(8));
    let z = store.symbol("z", Sort::BitVec(8));
    assert!(fails(&store.bv_ult(&store.bv_smod(&y, &z), &y)).contains("bvsmod"));
}

#[test]
fn names_that_kquery_cannot_say_are_replaced() {
    let store = TermStore::new();
    let names = ["a[0:1]", "a_0_1_", "array", "w8", "", "9"];
    let symbols = names.iter().map(|n| store.symbol(n, Sort::BitVec(8)));
    let mut symbols: Vec<Term> = symbols.collect();
    symbols.push(store.symbol("array", Sort::BitVec(16)));
    let facts: Vec<Term> = symbols
        .iter()
        .map(|s| store.bv_ult(s, &store.bv(s.width(), 5)))
        .collect();
    let mut text = String::new();
    kquery::write_satisfiability(&mut text, &facts).unwrap();
    let queries = kquery::read(text.as_bytes(), &TermStore::new()).unwrap();
    assert_eq!(queries.len(), 1);
    assert!(queries[0].goal.is_false());
    let mut spelled: Vec<&str> = text
        .lines()
        .filter_map(|l| l.strip_prefix("array ")?.split('[').next())
        .collect();
    assert_eq!(spelled.len(), symbols.len(), "{text}");
    spelled.sort_unstable();
    spelled.dedup();
    assert_eq!(spelled.len(), symbols.len(), "{text}");
}

#[test]
fn scalars_become_bytes_in_kquery() {
    let store = TermStore::new();
    let x = store.symbol("x", Sort::BitVec(16));
    let goal = store.bv_ult(&x, &store.bv(16, 300));
    let mut text = String::new();
    kquery::write(&mut text, &[], &goal, &[], &[]).unwrap();
    assert_eq!(
        text,
        "array x[2] : w32 -> w8 = symbolic\n(query []\n       (Ult (ReadLSB w16 0 x) 300))\n"
    );
}
