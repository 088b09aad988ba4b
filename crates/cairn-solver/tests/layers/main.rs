//! The layers against a reference that knows every assignment.
//!
//! Streams of queries grow trees of facts over a handful of small symbols, as paths do. Every
//! query goes through several chains over a reference core solver that enumerates: the default chain, each layer alone, each two in
//! either order, and any number in any order. Verdicts, models and cores are checked against the enumeration, and so is
//! every claim a layer makes to the core solver after it.

mod each;
mod iso;
mod reference;
mod scale;
mod terms;

use cairn_expr::{Evaluator, Term, TermStore};
use cairn_random::Random;
use cairn_solver::{
    Answer, Chain, ChainConfig, Facts, Layer, LayerList, LayerName, Query, UnknownReason, Want,
};
use reference::{Reference, Universe, is_empty, meet};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;
use terms::{Maker, symbols};

/// Layers that look only at constant tables, or at large goals, of which there are none here: `tests/arrays.rs` and
/// `tests/array_paths.rs` are about them.
const ONLY_HAND_ON: [LayerName; 2] = [LayerName::Tables, LayerName::FewValues];

/// The layer of a name.
fn layer(name: &str) -> Box<dyn Layer> {
    name.parse::<LayerName>().expect(name).build()
}

/// Chains of one layer and of two in either order: a layer that is added to `LayerName::ALL` runs before and after each other one.
fn arrangements() -> Vec<Vec<LayerName>> {
    let mut all = vec![Vec::new()];
    for first in LayerName::ALL {
        all.push(vec![first]);
        let others = LayerName::ALL.into_iter().filter(|second| *second != first);
        all.extend(others.map(|second| vec![first, second]));
    }
    all
}

/// Some of all layers, mostly most of them, in any order.
fn some_order(random: &mut Random) -> Vec<LayerName> {
    let mut left = LayerName::ALL.to_vec();
    let mut order = Vec::new();
    for _ in 0..left.len() {
        let next = left.remove(random.below(left.len()));
        if !random.one_in(4) {
            order.push(next);
        }
    }
    order
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
        let names = match k {
            0 => LayerList::default().as_slice().to_vec(),
            // In turn, so that all have their streams.
            1..4 => all[(seed as usize * 3 + k - 1) % all.len()].clone(),
            _ => some_order(&mut random),
        };
        let mut layers: Vec<Box<dyn Layer>> = names.iter().map(|name| name.build()).collect();
        layers.push(Box::new(Reference {
            universe: Rc::clone(&universe),
            random: Random::new(seed ^ k as u64),
            gives_up,
        }));
        let chain = Chain::new(layers, ChainConfig::default());
        let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
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
    for layer in LayerName::ALL {
        let [asked, sat, unsat] = totals[layer.as_str()];
        assert!(asked > 0, "{layer} was not asked");
        let decided = sat + unsat > 0;
        assert!(
            decided != ONLY_HAND_ON.contains(&layer),
            "{layer} decided {sat}, {unsat}"
        );
    }
    // Simplify cannot find models; the caches must decide both ways.
    assert!(totals["simplify"][2] > 0);
    assert!(totals["exact-cache"][1] > 0 && totals["exact-cache"][2] > 0);
    assert!(totals["model-cache"][1] > 0 && totals["model-cache"][2] > 0);
    assert!(totals["iso-cache"][1] > 0 && totals["iso-cache"][2] > 0);
}
