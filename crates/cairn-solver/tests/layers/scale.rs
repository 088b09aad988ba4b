//! Long paths: time in proportion to their length, and no stack.

use crate::each::core_of;
use crate::layer;
use cairn_expr::{BitVec, Model, Sort, Term, TermStore, Value};
use cairn_solver::{Answer, Chain, ChainConfig, Facts, Layer, Query, Rest, UnsatCore};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::time::Duration;

/// Decides queries whose conjuncts are all `input = constant` or its negation. Quick on lists it
/// has seen the beginning of, and gives each new question another value where it can.
#[derive(Default)]
struct Disequalities {
    turn: u64,
    seen: Facts,
    excluded: HashMap<Term, HashSet<u64>>,
}

impl Disequalities {
    /// Brings `excluded` to the facts of a query.
    fn read(&mut self, facts: &Facts) {
        let shared = facts.prefixes().take(9).find(|f| f.same(&self.seen));
        if shared.is_none() {
            self.excluded.clear();
        }
        let kept = shared.map_or(0, Facts::len);
        for t in facts.iter().take(facts.len() - kept) {
            assert!(matches!(t.op(), cairn_expr::Op::Not));
            let (input, value) = Self::sides(t.arg(0));
            self.excluded.entry(input).or_default().insert(value);
        }
        self.seen = facts.clone();
    }

    fn sides(equality: &Term) -> (Term, u64) {
        let value = equality.arg(1).as_const().and_then(BitVec::to_u64);
        (equality.arg(0).clone(), value.expect("a constant"))
    }
}

impl Layer for Disequalities {
    fn name(&self) -> &'static str {
        "disequalities"
    }

    fn solve(&mut self, query: &Query, _rest: &mut Rest<'_>) -> Answer {
        self.turn += 1;
        self.read(&query.facts);
        let mut wanted: HashMap<Term, u64> = HashMap::new();
        let mut unwanted: HashMap<Term, u64> = HashMap::new();
        match query.goal.op() {
            cairn_expr::Op::Bool(true) => {}
            cairn_expr::Op::Not => unwanted.extend([Self::sides(query.goal.arg(0))]),
            _ => wanted.extend([Self::sides(&query.goal)]),
        }
        let none = HashSet::new();
        let mut model = Model::new();
        let inputs: HashSet<&Term> = self
            .excluded
            .keys()
            .chain(wanted.keys())
            .chain(unwanted.keys())
            .collect();
        for input in inputs {
            let excluded = self.excluded.get(input).unwrap_or(&none);
            let size = 1u64 << input.width();
            let free = |v: &u64| !excluded.contains(v) && unwanted.get(input) != Some(v);
            let found = match wanted.get(input) {
                Some(v) => Some(*v).filter(free),
                None => (0..size)
                    .map(|i| (size - 1 - i + self.turn * 7) % size)
                    .find(free),
            };
            let Some(v) = found else {
                return Answer::Unsat(UnsatCore {
                    facts: query.facts.to_vec(),
                    goal: true,
                });
            };
            let v = BitVec::new(input.width(), v);
            match input.args() {
                [] => model.set(input.clone(), Value::Bv(v)),
                [array, index] => {
                    let index = index.as_const().expect("a cell").clone();
                    model.array_mut(array).set(index, v);
                }
                _ => unreachable!(),
            }
        }
        Answer::Sat(Rc::new(model))
    }
}

/// Walks down one path of `n` facts, asking both sides of each branch; the time in the layers.
fn walk(names: &[&str], n: usize, inputs: usize, width: u32) -> (Duration, Vec<String>) {
    let s = TermStore::new();
    let array = s.symbol(
        "input",
        Sort::Array {
            index: 32,
            value: width,
        },
    );
    let mut layers: Vec<Box<dyn Layer>> = names.iter().map(|n| layer(n)).collect();
    layers.push(Box::<Disequalities>::default());
    // The chain's own check looks at the whole path for each new model. That is not what is
    // measured here, and it drives everything else out of the processor's caches.
    let config = ChainConfig {
        check_models: false,
    };
    let mut chain = Chain::new(layers, config);
    let mut path = Facts::new();
    for k in 0..n {
        // Each input meets new values all the time, so that every branch has two sides.
        let cell = s.select(&array, &s.bv(32, (k % inputs) as u64));
        let goal = s.eq(&cell, &s.bv(width, (k / inputs) as u64));
        for side in [goal.clone(), s.not(&goal)] {
            let query = Query::new(path.clone(), side).assuming_facts_sat();
            assert!(chain.solve(&s, &query).is_sat(), "{names:?} {k}");
        }
        path = path.with(s.not(&goal));
    }
    let stats = chain.stats();
    let time = stats[..names.len()].iter().map(|(_, s)| s.time).sum();
    let text = stats
        .iter()
        .map(|(name, s)| format!("{name} {} {}+{} {:?}", s.asked, s.sat, s.unsat, s.time));
    (time, text.collect())
}

#[test]
fn a_deep_path_costs_in_proportion_to_its_length() {
    let long = if cfg!(debug_assertions) { 1600 } else { 5000 };
    let all = ["simplify", "slice", "exact-cache", "model-cache"];
    let mut chains: Vec<Vec<&str>> = all.iter().map(|n| vec![*n]).collect();
    chains.push(all.to_vec());
    for names in &chains {
        // Many parts, and one part that is as long as the path.
        for (inputs, width) in [(64, 8), (1, 16)] {
            // Four times as long: four times the time, sixteen times if it were quadratic. Very
            // short times say nothing, and a busy machine only makes them longer: one good
            // measurement out of some is enough.
            let proportional = (0..5).any(|_| {
                let (short, _) = walk(names, long / 4, inputs, width);
                let (full, text) = walk(names, long, inputs, width);
                let text = text.join("; ");
                println!("{inputs} inputs: {short:?} then {full:?}: {text}");
                full < (short * 9).max(Duration::from_millis(60))
            });
            assert!(proportional, "{names:?} over {inputs} inputs");
        }
    }
}

#[test]
fn long_lists_and_chains_of_equalities_need_no_stack() {
    let s = TermStore::new();
    let n = 30_000;
    let symbol = |i: usize| s.symbol(&format!("v{i}"), Sort::BitVec(16));
    let mut facts = Facts::new().with(s.eq(&symbol(0), &s.bv(16, 1)));
    for i in 1..n {
        let next = s.bv_add(&symbol(i - 1), &s.bv(16, 1));
        facts = facts.with(s.eq(&symbol(i), &next));
    }
    let layers: Vec<Box<dyn Layer>> = vec![layer("simplify")];
    let mut chain = Chain::new(layers, ChainConfig::default());
    let goal = s.eq(&symbol(n - 1), &s.bv(16, 5));
    let (core, goal) = core_of(chain.solve(&s, &Query::new(facts.clone(), goal)));
    assert!(goal && core.len() == n);
    drop((chain, facts, core));
    // The partition of a long list, asked for at once.
    let facts: Facts = (0..n)
        .map(|i| s.not(&s.eq(&symbol(i), &s.bv(16, 7))))
        .collect();
    let layers: Vec<Box<dyn Layer>> = vec![
        layer("slice"),
        layer("exact-cache"),
        layer("model-cache"),
        Box::<Disequalities>::default(),
    ];
    let mut chain = Chain::new(layers, ChainConfig::default());
    let query = Query::new(facts, s.eq(&symbol(3), &s.bv(16, 9)));
    assert!(chain.solve(&s, &query).is_sat());
}
