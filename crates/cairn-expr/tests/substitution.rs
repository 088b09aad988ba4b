//! Proves that substitution agrees with evaluation: the value of a term after replacement is its
//! value before under the model in which the replaced symbols have the replacements' values.

mod common;

use cairn_expr::{Evaluator, Model, Sort, Substitution, Term, TermStore, Value};
use cairn_random::Random;
use common::{Generator, same_value};

fn symbols(g: &Generator<'_>) -> Vec<Term> {
    (g.pool.iter())
        .filter(|e| e.term.symbol_name().is_some())
        .map(|e| e.term.clone())
        .collect()
}

#[test]
fn agrees_with_evaluation_on_random_terms() {
    for seed in 0..60 {
        let store = TermStore::new();
        let widths: &[u32] = [&[2, 4, 8][..], &[3, 40, 70], &[1, 2, 3]][seed as usize % 3];
        let mut g = Generator::new(&store, 500 + seed, widths, 3);
        for _ in 0..250 {
            g.grow();
        }
        let mut rng = Random::new(seed);
        let mut substitution = Substitution::new();
        let mut replaced: Vec<(Term, Term)> = Vec::new();
        for symbol in symbols(&g) {
            let fitting: Vec<&Term> = (g.pool.iter())
                .map(|e| &e.term)
                .filter(|t| t.sort() == symbol.sort())
                .collect();
            if rng.below(3) > 0 {
                let to = (*rng.pick(&fitting)).clone();
                substitution.insert(symbol.clone(), to.clone());
                replaced.push((symbol, to));
            }
        }
        let (mut before, mut after) = (Evaluator::new(), Evaluator::new());
        for model in &g.models {
            after.start();
            before.start();
            let mut changed: Model = model.clone();
            for (symbol, to) in &replaced {
                changed.set(symbol.clone(), after.eval(to, model));
            }
            for entry in &g.pool {
                let result = substitution.apply(&store, &entry.term);
                assert_eq!(result.sort(), entry.term.sort());
                let (found, expected) = (
                    after.eval(&result, model),
                    before.eval(&entry.term, &changed),
                );
                assert!(
                    same_value(&found, &expected),
                    "{:?} became {result:?}: {found:?}, not {expected:?} (seed {seed})",
                    entry.term
                );
            }
        }
    }
}

/// All symbols by constants leaves a constant: rebuilding simplifies as building does.
#[test]
fn constants_for_all_symbols_fold() {
    for seed in 0..30 {
        let store = TermStore::new();
        let mut g = Generator::new(&store, 900 + seed, &[3, 8, 33], 1);
        for _ in 0..250 {
            g.grow();
        }
        let mut substitution = Substitution::new();
        for entry in g.pool.iter().filter(|e| e.term.symbol_name().is_some()) {
            let to = match &entry.values[0] {
                Value::Bool(b) => store.bool(*b),
                Value::Bv(v) => store.constant(v.clone()),
                Value::Array(_) => continue,
            };
            substitution.insert(entry.term.clone(), to);
        }
        for entry in &g.pool {
            if entry.term.attributes().has_array {
                continue;
            }
            let result = substitution.apply(&store, &entry.term);
            match &entry.values[0] {
                Value::Bool(b) => assert_eq!(result.as_bool(), Some(*b), "{:?}", entry.term),
                Value::Bv(v) => assert_eq!(result.as_const(), Some(v), "{:?}", entry.term),
                Value::Array(_) => unreachable!("terms with arrays were left out"),
            }
        }
    }
}

#[test]
fn replaces_simultaneously() {
    let s = TermStore::new();
    let (x, y) = (
        s.symbol("x", Sort::BitVec(8)),
        s.symbol("y", Sort::BitVec(8)),
    );
    let mut swap = Substitution::new();
    swap.insert(x.clone(), y.clone());
    swap.insert(y.clone(), x.clone());
    let term = s.bv_udiv(&x, &s.bv_add(&y, &s.bv(8, 3)));
    let swapped = s.bv_udiv(&y, &s.bv_add(&x, &s.bv(8, 3)));
    assert_eq!(swap.apply(&s, &term), swapped);
    assert_eq!(swap.apply(&s, &swapped), term);
}

#[test]
fn replaces_compound_terms_and_notices_later_insertions() {
    let s = TermStore::new();
    let [x, y, z] = ["x", "y", "z"].map(|n| s.symbol(n, Sort::BitVec(8)));
    let sum = s.bv_add(&x, &y);
    let term = s.bv_mul(&sum, &z);
    let mut substitution = Substitution::new();
    assert!(substitution.is_empty());
    substitution.insert(sum.clone(), z.clone());
    assert_eq!(substitution.apply(&s, &term), s.bv_mul(&z, &z));
    // What was remembered before does not hide the new entry; replacements are not replaced.
    substitution.insert(z.clone(), x.clone());
    assert_eq!(substitution.apply(&s, &term), s.bv_mul(&z, &x));
    assert_eq!(substitution.get(&sum), Some(&z));
    assert_eq!(substitution.apply(&s, &y), y);
}

#[test]
#[should_panic(expected = "keeps the sort")]
fn refuses_another_sort() {
    let s = TermStore::new();
    let x = s.symbol("x", Sort::BitVec(8));
    Substitution::new().insert(x, s.true_());
}
