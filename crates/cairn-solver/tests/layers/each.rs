//! What each layer does by itself: what it asks of the one after it, and which facts it names.

use crate::layer;
use crate::reference::{Reference, Universe};
use cairn_expr::{BitVec, Model, Sort, Term, TermStore, Value};
use cairn_random::Random;
use cairn_solver::{Answer, Chain, ChainConfig, Facts, Layer, Query, Rest, Want};
use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

/// The reference, telling what it was asked.
struct Probe {
    inner: Reference,
    seen: Rc<RefCell<Vec<Query>>>,
}

impl Layer for Probe {
    fn name(&self) -> &'static str {
        "probe"
    }

    fn solve(&mut self, query: &Query, rest: &mut Rest<'_>) -> Answer {
        self.seen.borrow_mut().push(query.clone());
        self.inner.solve(query, rest)
    }
}

/// Some layers over a probe, and what reaches it.
fn probed(names: &[&str], symbols: &[Term]) -> (Chain, Rc<RefCell<Vec<Query>>>) {
    let seen = Rc::new(RefCell::new(Vec::new()));
    let mut layers: Vec<Box<dyn Layer>> = names.iter().map(|n| layer(n)).collect();
    layers.push(Box::new(Probe {
        inner: Reference {
            universe: Rc::new(RefCell::new(Universe::new(symbols))),
            random: Random::new(1),
            gives_up: false,
        },
        seen: Rc::clone(&seen),
    }));
    (Chain::new(layers, ChainConfig::default()), seen)
}

pub fn core_of(answer: Answer) -> (HashSet<Term>, bool) {
    match answer {
        Answer::Unsat(core) => (core.facts.into_iter().collect(), core.goal),
        Answer::Sat(_) | Answer::Unknown(_) => panic!("expected unsat, got {answer:?}"),
    }
}

fn set(terms: &[&Term]) -> HashSet<Term> {
    terms.iter().map(|t| (*t).clone()).collect()
}

fn counter(chain: &Chain, layer: &str, name: &str) -> u64 {
    let all = chain.counters();
    let (_, list) = all.iter().find(|(l, _)| *l == layer).expect("the layer");
    list.iter()
        .find(|(n, _)| *n == name)
        .expect("the counter")
        .1
}

#[test]
fn simplify_follows_equalities_and_names_exactly_the_facts_it_used() {
    let s = TermStore::new();
    let [x, y, z] = ["x", "y", "z"].map(|n| s.symbol(n, Sort::BitVec(2)));
    let (mut chain, seen) = probed(&["simplify"], &[x.clone(), y.clone(), z.clone()]);
    let x_is = s.eq(&x, &s.bv_add(&y, &s.bv(2, 1)));
    let y_is = s.eq(&y, &s.bv(2, 2));
    let other = s.bv_ult(&z, &s.bv(2, 2));
    let facts = Facts::new()
        .with(x_is.clone())
        .with(other)
        .with(y_is.clone());
    let no = chain.solve(&s, &Query::new(facts.clone(), s.eq(&x, &s.bv(2, 0))));
    assert_eq!(core_of(no), (set(&[&x_is, &y_is]), true));
    assert!(seen.borrow().is_empty());
    assert!(
        chain
            .solve(&s, &Query::new(facts.clone(), s.eq(&x, &s.bv(2, 3))))
            .is_sat()
    );
    // What is handed on is the goal's rest under the very list of facts that came.
    let asked = seen.borrow();
    assert!(asked[0].goal.is_true() && asked[0].facts.same(&facts));
}

#[test]
fn simplify_knows_cells_bits_and_whole_facts() {
    let s = TermStore::new();
    let a = s.symbol("A", Sort::Array { index: 1, value: 2 });
    let b = s.symbol("b", Sort::BitVec(1));
    let [p, q] = ["p", "q"].map(|n| s.symbol(n, Sort::Bool));
    let all = [a.clone(), b.clone(), p.clone(), q.clone()];
    let (mut chain, seen) = probed(&["simplify"], &all);
    let cell = s.select(&a, &s.bv(1, 1));
    let cell_is = s.eq(&cell, &s.bv(2, 3));
    let bit_is = s.eq(&b, &s.bv(1, 0));
    let p_or_q = s.or(&p, &q);
    let not_p = s.not(&p);
    let facts: Facts = [&cell_is, &bit_is, &not_p, &p_or_q]
        .map(Term::clone)
        .into_iter()
        .collect();
    let mut refuse = |goal: Term, used: &[&Term]| {
        let answer = chain.solve(&s, &Query::new(facts.clone(), goal));
        assert_eq!(core_of(answer), (set(used), true));
    };
    refuse(s.bv_ult(&cell, &s.bv(2, 3)), &[&cell_is]);
    refuse(s.eq(&b, &s.bv(1, 1)), &[&bit_is]);
    // The disjunction shrank to q when it came, p being known to be false.
    refuse(s.not(&q), &[&p_or_q, &not_p]);
    refuse(s.and(&q, &p), &[&not_p]);
    assert!(seen.borrow().is_empty());
    let facts = facts.with(s.not(&q));
    let answer = chain.solve(&s, &Query::new(facts, s.true_()));
    assert_eq!(
        core_of(answer),
        (set(&[&p_or_q, &not_p, &s.not(&q)]), false)
    );
    assert!(seen.borrow().is_empty());
}

#[test]
fn simplify_completes_cores_from_behind() {
    let s = TermStore::new();
    let [x, y, z] = ["x", "y", "z"].map(|n| s.symbol(n, Sort::BitVec(2)));
    let (mut chain, seen) = probed(&["simplify"], &[x.clone(), y.clone(), z.clone()]);
    let x_is = s.eq(&x, &y);
    let small = s.bv_ult(&x, &z);
    let facts = Facts::new().with(x_is.clone()).with(small.clone());
    let query = Query::new(facts, s.bv_ult(&z, &y)).wanting(Want::Core);
    // After, the equality is not needed any more; for the goal as it was put, it is.
    let answer = chain.solve(&s, &query);
    assert_eq!(core_of(answer), (set(&[&x_is, &small]), true));
    assert_eq!(seen.borrow()[0].goal, s.bv_ult(&z, &x));
}

#[test]
fn slice_asks_only_about_what_is_connected() {
    let s = TermStore::new();
    let [x, y, z] = ["x", "y", "z"].map(|n| s.symbol(n, Sort::BitVec(2)));
    let (mut chain, seen) = probed(&["slice"], &[x.clone(), y.clone(), z.clone()]);
    let above = |t: &Term, n: u64| s.bv_ult(&s.bv(2, n), t);
    let first = s.and(&above(&x, 0), &above(&y, 1));
    let facts = Facts::new().with(first.clone()).with(above(&z, 0));
    let query = Query::new(facts.clone(), s.eq(&x, &s.bv(2, 2))).assuming_facts_sat();
    assert!(chain.solve(&s, &query).is_sat());
    {
        let asked = seen.borrow();
        assert_eq!(asked[0].facts.to_vec(), vec![above(&x, 0)]);
        assert!(asked[0].facts_sat);
        // The models of the other parts were missing: asked once.
        assert_eq!(asked.len(), 3);
    }
    assert!(chain.solve(&s, &query).is_sat());
    assert_eq!(seen.borrow().len(), 4);
    // A conjunct's core is its fact's; a fact more leaves the part's list as it was before it.
    let more = facts.with(s.bv_ult(&x, &s.bv(2, 3)));
    let answer = chain.solve(
        &s,
        &Query::new(more, s.eq(&x, &s.bv(2, 0))).wanting(Want::Core),
    );
    assert_eq!(core_of(answer), (set(&[&first]), true));
    let asked = seen.borrow();
    let (before, after) = (&asked[3].facts, &asked[4].facts);
    assert_eq!(after.len(), 2);
    assert!(after.parent().expect("two facts").same(before));
}

#[test]
fn slice_asks_the_same_merged_list_again_and_its_child_extends_it() {
    let s = TermStore::new();
    let [x, y] = ["x", "y"].map(|n| s.symbol(n, Sort::BitVec(3)));
    let (mut chain, seen) = probed(&["slice"], &[x.clone(), y.clone()]);
    let facts = Facts::new()
        .with(s.bv_ult(&x, &s.bv(3, 6)))
        .with(s.bv_ult(&y, &s.bv(3, 5)));
    let goal = s.bv_ult(&x, &y);
    for g in [goal.clone(), s.not(&goal)] {
        let query = Query::new(facts.clone(), g).assuming_facts_sat();
        assert!(chain.solve(&s, &query).is_sat());
    }
    let query = Query::new(facts.with(goal.clone()), s.eq(&x, &s.bv(3, 2))).assuming_facts_sat();
    assert!(chain.solve(&s, &query).is_sat());
    let asked = seen.borrow();
    assert_eq!(asked.len(), 3);
    assert!(asked[0].facts.same(&asked[1].facts));
    assert!(
        asked[2]
            .facts
            .parent()
            .expect("facts")
            .same(&asked[0].facts)
    );
    assert_eq!(asked[2].facts.last(), Some(&goal));
}

#[test]
fn slice_keeps_cells_apart_until_the_whole_array_is_mentioned() {
    let s = TermStore::new();
    let a = s.symbol("A", Sort::Array { index: 2, value: 1 });
    let i = s.symbol("i", Sort::BitVec(2));
    let (mut chain, seen) = probed(&["slice"], &[a.clone(), i.clone()]);
    let cell = |n: u64| s.eq(&s.select(&a, &s.bv(2, n)), &s.bv(1, 1));
    let facts: Facts = (0..3).map(cell).collect();
    let query = Query::new(facts.clone(), s.not(&cell(3))).assuming_facts_sat();
    let Answer::Sat(model) = chain.solve(&s, &query) else {
        panic!("satisfiable")
    };
    let Some(Value::Array(value)) = model.get(&a) else {
        panic!("A is listed")
    };
    let cells: Vec<bool> = (0..4)
        .map(|n| value.get(&BitVec::new(2, n)).is_one())
        .collect();
    assert_eq!(cells, [true, true, true, false]);
    assert!(seen.borrow()[0].facts.is_empty());
    let somewhere = s.eq(&s.select(&a, &i), &s.bv(1, 0));
    let query = Query::new(facts, somewhere).assuming_facts_sat();
    assert!(chain.solve(&s, &query).is_sat());
    let asked = seen.borrow();
    assert_eq!(asked.last().expect("asked").facts.len(), 3);
}

/// Answers with zeros, and tells what it was asked.
struct Zeros(Rc<RefCell<Vec<Query>>>);

impl Layer for Zeros {
    fn name(&self) -> &'static str {
        "zeros"
    }

    fn solve(&mut self, query: &Query, _rest: &mut Rest<'_>) -> Answer {
        self.0.borrow_mut().push(query.clone());
        Answer::Sat(Rc::new(Model::new()))
    }
}

#[test]
fn slice_follows_facts_with_more_inputs_than_a_term_lists() {
    let s = TermStore::new();
    let a = s.symbol(
        "A",
        Sort::Array {
            index: 32,
            value: 8,
        },
    );
    let cell = |n: u64| s.select(&a, &s.bv(32, n));
    let any = (0..300).fold(s.bv(8, 0), |t, n| s.bv_or(&t, &cell(n)));
    let wide = s.bv_ult(&any, &s.bv(8, 5));
    assert!(matches!(
        wide.attributes().support,
        cairn_expr::Support::Many
    ));
    let facts = Facts::new().with(wide.clone());
    let seen = Rc::new(RefCell::new(Vec::new()));
    let layers: Vec<Box<dyn Layer>> = vec![layer("slice"), Box::new(Zeros(Rc::clone(&seen)))];
    let mut chain = Chain::new(layers, ChainConfig::default());
    for (n, connected) in [(299, true), (300, false), (0, true)] {
        let goal = s.bv_ult(&cell(n), &s.bv(8, 3));
        let query = Query::new(facts.clone(), goal).assuming_facts_sat();
        assert!(chain.solve(&s, &query).is_sat());
        let expected = if connected {
            vec![wide.clone()]
        } else {
            vec![]
        };
        let last = seen.borrow().last().expect("asked").facts.to_vec();
        assert_eq!(last, expected);
    }
}

#[test]
fn exact_cache_knows_a_query_by_its_set() {
    let s = TermStore::new();
    let [p, q, r] = ["p", "q", "r"].map(|n| s.symbol(n, Sort::Bool));
    let all = [p.clone(), q.clone(), r.clone()];
    let (mut chain, seen) = probed(&["exact-cache"], &all);
    let either = s.or(&p, &q);
    let list = |terms: &[&Term]| -> Facts { terms.iter().map(|t| (*t).clone()).collect() };
    let (no_p, no_q) = (s.not(&p), s.not(&q));
    let first = Query::new(list(&[&either, &no_p, &r]), no_q.clone());
    assert!(chain.solve(&s, &first).is_unsat());
    // Another order, another goal, a fact twice.
    let again = Query::new(list(&[&r, &no_q, &no_p, &r]), either.clone());
    let (facts, _) = core_of(chain.solve(&s, &again));
    assert!(facts.is_subset(&set(&[&r, &no_q, &no_p])));
    // The goal among the facts.
    let inside = Query::new(list(&[&r, &no_q, &no_p, &either]), no_q.clone());
    let (_, goal) = core_of(chain.solve(&s, &inside));
    assert!(!goal);
    assert_eq!(seen.borrow().len(), 1);
    // An unsat core that was not minimised does not answer a query that wants a small one.
    let small = first.clone().wanting(Want::Core);
    let answer = chain.solve(&s, &small);
    assert_eq!(core_of(answer), (set(&[&either, &no_p]), true));
    assert_eq!(seen.borrow().len(), 2);
    assert!(chain.solve(&s, &small).is_unsat());
    assert_eq!(seen.borrow().len(), 2);
    assert_eq!(counter(&chain, "exact-cache", "hits"), 3);
}

#[test]
fn model_cache_reuses_models_and_cores_of_other_queries() {
    let s = TermStore::new();
    let [x, y] = ["x", "y"].map(|n| s.symbol(n, Sort::BitVec(3)));
    let (mut chain, seen) = probed(&["model-cache"], &[x.clone(), y.clone()]);
    let is = |t: &Term, n: u64| s.eq(t, &s.bv(3, n));
    let facts = Facts::new().with(is(&x, 5));
    // Zeros do not satisfy this; the answer's model does the rest of the path.
    assert!(
        chain
            .solve(&s, &Query::new(facts.clone(), is(&y, 2)))
            .is_sat()
    );
    assert_eq!(seen.borrow().len(), 1);
    let mut path = facts.with(is(&y, 2));
    for n in 3..8 {
        let goal = s.not(&is(&y, n));
        let query = Query::new(path.clone(), goal.clone()).assuming_facts_sat();
        assert!(chain.solve(&s, &query).is_sat());
        path = path.with(goal);
    }
    assert_eq!(seen.borrow().len(), 1);
    // An unsat core is found in another query that contains it, whichever member is the goal.
    let odd = s.eq(&s.extract(&x, 0, 0), &s.bv(1, 0));
    let query = Query::new(facts.clone(), odd.clone()).wanting(Want::Core);
    assert!(chain.solve(&s, &query).is_unsat());
    assert_eq!(seen.borrow().len(), 2);
    let elsewhere = Facts::new().with(is(&y, 1)).with(odd.clone());
    let query = Query::new(elsewhere, is(&x, 5)).assuming_facts_sat();
    assert_eq!(core_of(chain.solve(&s, &query)), (set(&[&odd]), true));
    // Not only with the goal, if the facts are not known to be satisfiable.
    let query = Query::new(facts.with(odd.clone()), is(&y, 7));
    assert_eq!(
        core_of(chain.solve(&s, &query)),
        (set(&[&odd, &is(&x, 5)]), false)
    );
    assert_eq!(seen.borrow().len(), 2);
    assert_eq!(counter(&chain, "model-cache", "cores"), 2);
}
