//! The layers against a reference that knows every assignment.
//!
//! Streams of queries grow trees of facts over a handful of small symbols, as paths do. Every
//! query goes through several chains: ordered subsets of the four layers over a reference core solver
//! that enumerates. Verdicts, models and cores are checked against the enumeration, and so is
//! every claim a layer makes to the core solver behind it.

mod each;
mod reference;
mod scale;
mod terms;

use cairn_expr::{Evaluator, Term, TermStore};
use cairn_random::Random;
use cairn_solver::layers::{ExactCache, ModelCache, Simplify, Slice};
use cairn_solver::{Answer, Chain, ChainConfig, Facts, Layer, Query, UnknownReason, Want};
use reference::{Reference, Universe, is_empty, meet};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;
use terms::{Maker, symbols};

fn layer(name: &str) -> Box<dyn Layer> {
    match name {
        "simplify" => Box::<Simplify>::default(),
        "slice" => Box::<Slice>::default(),
        "exact-cache" => Box::<ExactCache>::default(),
        "model-cache" => Box::<ModelCache>::default(),
        other => panic!("no layer {other}"),
    }
}

/// Every subset of the layers in every order.
fn arrangements() -> Vec<Vec<&'static str>> {
    let names = ["simplify", "slice", "exact-cache", "model-cache"];
    let mut all: Vec<Vec<&'static str>> = vec![Vec::new()];
    let mut from = 0;
    while from < all.len() {
        for name in names {
            if !all[from].contains(&name) {
                let mut longer = all[from].clone();
                longer.push(name);
                all.push(longer);
            }
        }
        from += 1;
    }
    assert_eq!(all.len(), 65);
    all
}

/// A query as it was put, with what it should say.
struct Asked {
    query: Query,
    satisfiable: bool,
}

fn check(u: &mut Universe, asked: &Asked, answer: &Answer, may_give_up: bool, who: &str) {
    let query = &asked.query;
    match answer {
        Answer::Sat(model) => {
            assert!(asked.satisfiable, "{who} says sat: {query:?}");
            let mut e = Evaluator::new();
            for t in query.conjuncts() {
                assert!(e.eval_bool(&t, model), "{who}: the model violates {t:?}");
            }
        }
        Answer::Unsat(core) => {
            assert!(!asked.satisfiable, "{who} says unsat: {query:?}");
            let facts: HashSet<Term> = query.facts.iter().cloned().collect();
            for f in &core.facts {
                assert!(facts.contains(f), "{who}: {f:?} is no fact of {query:?}");
            }
            let goal = core.goal.then_some(&query.goal);
            let left = u.all(core.facts.iter().chain(goal));
            assert!(is_empty(&left), "{who}: {core:?} is no core of {query:?}");
        }
        Answer::Unknown(reason) => {
            let gave_up = may_give_up && *reason == UnknownReason::Conflicts;
            assert!(gave_up, "{who} says {reason}: {query:?}");
        }
    }
}

/// Grows one tree of facts and asks along it. Returns the number of answers checked.
fn stream(seed: u64, totals: &mut BTreeMap<&'static str, [u64; 3]>) -> u64 {
    let s = TermStore::new();
    let mut random = Random::new(seed);
    let list = symbols(&s, seed as usize);
    let universe = Rc::new(RefCell::new(Universe::new(&list)));
    let mut maker = Maker::new(&s, &list, Random::new(seed ^ 0x5EED));
    let gives_up = seed % 7 == 3;
    let all = arrangements();
    let mut chains: Vec<(String, Chain)> = Vec::new();
    for k in 0..6 {
        // The default order every time, the others in turn.
        let names = if k == 0 {
            vec!["simplify", "slice", "exact-cache", "model-cache"]
        } else {
            all[(seed as usize * 5 + k) % all.len()].clone()
        };
        let mut layers: Vec<Box<dyn Layer>> = names.iter().map(|n| layer(n)).collect();
        layers.push(Box::new(Reference {
            universe: Rc::clone(&universe),
            random: Random::new(seed ^ k as u64),
            gives_up,
        }));
        let chain = Chain::new(layers, ChainConfig::default());
        chains.push((format!("seed {seed}: {}", names.join(",")), chain));
    }
    let mut nodes: Vec<Facts> = vec![Facts::new()];
    let mut said: Vec<Term> = vec![s.true_()];
    let mut checked = 0;
    // Small goals leave many parts, large ones few.
    let depth = 1 + (seed / 6) as u32 % 3;
    for _ in 0..60 {
        let at = if random.one_in(4) {
            random.below(nodes.len())
        } else {
            nodes.len() - 1
        };
        let facts = nodes[at].clone();
        let goal = match random.below(5) {
            0 => random.pick(&said).clone(),
            1 => s.not(random.pick(&said)),
            2 => s.and(&random.pick(&said).clone(), &maker.boolean(depth - 1)),
            _ => maker.boolean(depth),
        };
        said.push(goal.clone());
        let mut u = universe.borrow_mut();
        let alone = u.all(facts.iter());
        let mut both = alone.clone();
        meet(&mut both, &u.truth(&goal));
        drop(u);
        let asked = Asked {
            query: Query {
                facts_sat: !is_empty(&alone) && !random.one_in(3),
                want: random
                    .pick(&[Want::Verdict, Want::Model, Want::Core])
                    .clone(),
                ..Query::new(facts.clone(), goal.clone())
            },
            satisfiable: !is_empty(&both),
        };
        for (who, chain) in &mut chains {
            let answer = chain.solve(&s, &asked.query);
            check(&mut universe.borrow_mut(), &asked, &answer, gives_up, who);
            checked += 1;
        }
        // A path goes on with a side that can be taken; now and then with one that cannot.
        if random.one_in(3) {
            s.sweep();
        }
        if facts.len() < 12 && (asked.satisfiable || random.one_in(8)) {
            nodes.push(facts.with(goal));
        } else if facts.len() < 12 {
            nodes.push(facts.with(s.not(&goal)));
        }
    }
    for (_, chain) in &chains {
        for (name, stats) in chain.stats() {
            let total = totals.entry(name).or_default();
            total[0] += stats.asked;
            total[1] += stats.sat;
            total[2] += stats.unsat;
        }
    }
    checked
}

#[test]
fn every_arrangement_answers_right() {
    let streams = if cfg!(debug_assertions) { 20 } else { 240 };
    let mut totals = BTreeMap::new();
    let checked: u64 = (0..streams).map(|seed| stream(seed, &mut totals)).sum();
    println!("{checked} answers checked; asked, sat, unsat by layer: {totals:?}");
    for name in ["simplify", "slice", "exact-cache", "model-cache"] {
        let [asked, sat, unsat] = totals[name];
        assert!(asked > 0, "{name} was not asked");
        assert!(sat + unsat > 0, "{name} decided nothing by itself");
    }
    // Simplify cannot find models; the caches must decide both ways.
    assert!(totals["simplify"][2] > 0);
    assert!(totals["exact-cache"][1] > 0 && totals["exact-cache"][2] > 0);
    assert!(totals["model-cache"][1] > 0 && totals["model-cache"][2] > 0);
}
