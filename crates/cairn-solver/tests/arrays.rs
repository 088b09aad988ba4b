//! Arrays: every way to solve them agrees with enumeration; the example of ISSTA'21, §2.

use cairn_expr::{BitVec, Evaluator, Model, Sort, Table, Term, TermStore, Value};
use cairn_random::Random;
use cairn_solver::cores::native::{ArrayEncoding, NativeCore};
use cairn_solver::layers::{Linear, Tables};
use cairn_solver::{
    Answer, Chain, ChainConfig, CoreName, Facts, Layer, LayerList, Query, list_array_settings,
    with_arrays,
};

/// `a[i] + a[j] > 10` with `i + j > 4`, both from 0 to 3, `a` of four integers as bytes.
fn example(s: &TermStore, last: u64) -> Query {
    let word = |v| s.bv(32, v);
    let bytes =
        [0, 0, 0, last].map(|v: u64| (0..4).map(move |k| BitVec::new(8, v >> (8 * k) & 255)));
    let bytes: Vec<BitVec> = bytes.into_iter().flatten().collect();
    let table = s.table(Table::new(64, bytes, BitVec::zero(8)));
    let read = |i: &Term| {
        let at = s.bv_mul(&s.sign_extend(i, 32), &s.bv(64, 4));
        let byte = |k| s.select(&table, &s.bv_add(&at, &s.bv(64, k)));
        let low = s.concat(&byte(1), &byte(0));
        s.concat(&s.concat(&byte(3), &byte(2)), &low)
    };
    let (i, j) = (
        s.symbol("i", Sort::BitVec(32)),
        s.symbol("j", Sort::BitVec(32)),
    );
    let mut facts = Facts::new();
    for x in [&i, &j] {
        facts = facts.with(s.not(&s.bv_slt(x, &word(0))));
        facts = facts.with(s.not(&s.bv_slt(&word(3), x)));
    }
    facts = facts.with(s.bv_slt(&word(4), &s.bv_add(&i, &j)));
    let sum = s.bv_add(&read(&i), &read(&j));
    Query::new(facts, s.bv_slt(&word(10), &sum))
}

/// The layers alone, without a core solver after.
fn alone(layer: Box<dyn Layer>, s: &TermStore, query: &Query) -> Answer {
    Chain::new(vec![layer], ChainConfig::default()).solve(s, query)
}

#[test]
fn the_example_is_refuted_by_arithmetic_alone() {
    let s = TermStore::new();
    let query = example(&s, 5);
    let answer = alone(Box::<Linear>::default(), &s, &query);
    let Answer::Unsat(core) = answer else {
        panic!("{answer:?}")
    };
    assert!(core.goal);
    // The variant is satisfiable, and arithmetic does not say otherwise.
    let query = example(&s, 9);
    assert!(!alone(Box::<Linear>::default(), &s, &query).is_unsat());
    assert!(Chain::default().solve(&s, &query).is_sat());
}

/// The core solver alone with tables by axioms; what it says of a query and how many axioms it could need.
fn candidates(arrays: ArrayEncoding, s: &TermStore, query: &Query) -> (Answer, u64) {
    let core = NativeCore::with_arrays(arrays).with_circuits_up_to(0);
    let mut chain = Chain::new(vec![Box::new(core.gates_only())], ChainConfig::default());
    let answer = chain.solve(s, query);
    let counters = chain.counters();
    let all = counters.iter().flat_map(|(_, list)| list);
    let mut found = all.filter(|(name, _)| *name == "candidates");
    (answer, found.next().expect("the core counts them").1)
}

#[test]
fn the_example_needs_20_axioms_of_156() {
    let s = TermStore::new();
    // The table's last listed element is the highest that is not zero: pad with an element that is
    // never read, so that all 16 bytes are listed as in the paper.
    let query = padded_example(&s);
    for (arrays, axioms) in [
        (ArrayEncoding::Axioms, 156),
        (ArrayEncoding::Lazy, 156),
        (ArrayEncoding::IndexForms, 20),
    ] {
        let (answer, count) = candidates(arrays, &s, &query);
        assert!(answer.is_sat(), "{arrays:?}: {answer:?}");
        assert_eq!(count, axioms, "{arrays:?}");
    }
}

/// The example with the last byte of the array not zero, so that a table lists all 16.
fn padded_example(s: &TermStore) -> Query {
    example(s, 0x0100_0009)
}

/// Every query of a family, under every setting, against enumeration.
#[test]
fn every_setting_agrees_with_enumeration() {
    let s = TermStore::new();
    let listed = |seed: u64, n: u64, w: u32| -> Vec<BitVec> {
        (0..n)
            .map(|i| BitVec::new(w, (seed.wrapping_mul(2 * i + 7) ^ (i * 5)) >> 3))
            .collect()
    };
    let (x, y) = (
        s.symbol("x", Sort::BitVec(4)),
        s.symbol("y", Sort::BitVec(4)),
    );
    let mut chains: Vec<(String, Chain)> = Vec::new();
    for setting in list_array_settings() {
        for layers in ["none", "simplify,slice,value-sets,exact-cache,model-cache"] {
            let layers: LayerList = layers.parse().expect("known");
            let native = CoreName::default();
            let (layers, core) = with_arrays(&layers, &native, setting.name).expect("listed");
            let chain = Chain::build(&layers, &core).expect("listed");
            chains.push((format!("{} {layers}", setting.name), chain));
        }
    }
    for layer in ["tables", "linear", "linear,tables", "tables,linear"] {
        chains.push((
            layer.to_string(),
            Chain::from_names(layer, "native").expect("listed"),
        ));
    }
    let mut count = [0u32; 2];
    for seed in 1..60u64 {
        let a = s.table(Table::new(4, listed(seed, 11, 4), BitVec::new(4, seed)));
        let b = s.table(Table::new(5, listed(seed * 31, 23, 4), BitVec::new(4, 3)));
        // A read of a read at a sum that may wrap around, a written array, unaligned halves.
        let state = s.select(&a, &x);
        let next = s.select(&b, &s.zero_extend(&s.bv_add(&state, &y), 1));
        let written = s.store(&a, &y, &s.bv_add(&x, &s.bv(4, seed)));
        let written = s.store(&written, &state, &y);
        let reread = s.select(&written, &next);
        let both = s.concat(&next, &s.select(&a, &s.bv_add(&x, &s.bv(4, 1))));
        let c = |v: u64| s.bv(4, v);
        let pool = [
            s.bv_ult(&state, &c(seed % 13 + 2)),
            s.not(&s.eq(&next, &state)),
            s.eq(&next, &s.bv_mul(&y, &c(3))),
            s.bv_slt(&reread, &s.bv_urem(&y, &c(seed % 5))),
            s.bv_ult(&s.bv(8, seed * 37 % 256), &both),
            s.bv_slt(&s.sign_extend(&next, 4), &s.extract(&both, 7, 0)),
            s.eq(&reread, &s.bv_and(&next, &c(6))),
            s.bv_ult(&s.bv_or(&x, &y), &s.bv_udiv(&next, &c(seed % 3))),
        ];
        for mask in 1..64u32 {
            let mask = mask * 4 + (seed as u32 & 3);
            let chosen: Vec<&Term> = (0..8)
                .filter(|i| mask >> i & 1 == 1)
                .map(|i| &pool[i])
                .collect();
            let (goal, facts) = chosen.split_last().expect("never empty");
            let facts: Facts = facts.iter().copied().cloned().collect();
            let query = Query::new(facts, Term::clone(goal));
            let holds = (0..256u64).any(|i| {
                let mut model = Model::new();
                model.set(x.clone(), Value::Bv(BitVec::new(4, i / 16)));
                model.set(y.clone(), Value::Bv(BitVec::new(4, i % 16)));
                let mut e = Evaluator::new();
                chosen.iter().all(|t| e.eval_bool(t, &model))
            });
            count[usize::from(holds)] += 1;
            for (name, chain) in &mut chains {
                let answer = chain.solve(&s, &query);
                assert_eq!(
                    answer.verdict(),
                    ["unsat", "sat"][usize::from(holds)],
                    "{name}: {chosen:?}"
                );
                let Answer::Unsat(core) = answer else {
                    continue;
                };
                let again = Query::new(
                    core.facts.iter().cloned().collect(),
                    if core.goal {
                        query.goal.clone()
                    } else {
                        s.true_()
                    },
                );
                let mut reference = Chain::new(
                    vec![CoreName::default().build().expect("built in")],
                    ChainConfig::default(),
                );
                assert!(
                    reference.solve(&s, &again).is_unsat(),
                    "{name}: a core too small"
                );
            }
        }
    }
    assert!(count[0] > 100 && count[1] > 100, "{count:?} say too little");
}

/// A scanner's tables: the layer decides every query of a path by itself.
#[test]
fn states_of_a_scanner_are_decided_without_a_core() {
    let s = TermStore::new();
    let word = |v: u64| BitVec::new(16, v);
    // Two classes of bytes; state 1 reads a's, state 2 then reads b's, all else is state 0.
    let classes: Vec<BitVec> = (0..256u64)
        .map(|c| {
            BitVec::new(
                8,
                match c {
                    97 => 1,
                    98 => 2,
                    _ => 0,
                },
            )
        })
        .collect();
    let class = s.table(Table::new(8, classes, BitVec::zero(8)));
    let next: Vec<BitVec> = [0, 0, 0, 0, 1, 2, 0, 0, 2].map(word).to_vec();
    let next = s.table(Table::new(16, next, word(0)));
    let step = |state: &Term, byte: &Term| {
        let class = s.zero_extend(&s.select(&class, byte), 8);
        s.select(&next, &s.bv_add(&s.bv_mul(state, &s.bv(16, 3)), &class))
    };
    let mut state = s.bv(16, 1);
    let mut facts = Facts::new();
    let mut tables = Chain::new(vec![Box::<Tables>::default()], ChainConfig::default());
    for i in 0..12 {
        let byte = s.symbol(&format!("c{i}"), Sort::BitVec(8));
        state = step(&state, &byte);
        let dead = s.eq(&state, &s.bv(16, 0));
        let impossible = s.bv_ult(&s.bv(16, 2), &state);
        if i > 0 {
            let query = Query::new(facts.clone(), impossible);
            assert!(tables.solve(&s, &query).is_unsat(), "byte {i}");
            let query = Query::new(facts.clone(), s.eq(&state, &s.bv(16, 2)));
            assert!(tables.solve(&s, &query).is_sat(), "byte {i}");
        }
        facts = facts.with(s.not(&dead));
    }
}

/// Relations that go round in circles: each fact is about two of five inputs, so that lists of words
/// and rows of pairs leave more than is possible.
#[test]
fn circles_of_relations_are_decided_without_a_core() {
    let mut random = Random::new(1);
    let (mut refuted, mut found, mut searched) = (0, 0, 0);
    for _ in 0..1000 {
        let s = TermStore::new();
        let inputs = ["v", "w", "x", "y", "z"].map(|name| s.symbol(name, Sort::BitVec(2)));
        let mut tables = Chain::new(vec![Box::<Tables>::default()], ChainConfig::default());
        // Every assignment, and those that satisfy the facts so far.
        let every: Vec<Model> = (0..1024u64)
            .map(|i| {
                let mut model = Model::new();
                for (k, input) in inputs.iter().enumerate() {
                    model.set(input.clone(), Value::Bv(BitVec::new(2, i >> (2 * k))));
                }
                model
            })
            .collect();
        let mut left: Vec<&Model> = every.iter().collect();
        let mut facts = Facts::new();
        for _ in 0..30 {
            let first = random.below(5);
            let second = (first + 1 + random.below(4)) % 5;
            // Two reads are compared: one with a constant would become ranges of the index.
            let index = s.concat(&inputs[first], &inputs[second]);
            let mut read = || {
                let elements = (0..16).map(|_| BitVec::new(2, random.next()));
                let table = Table::new(4, elements.collect(), BitVec::zero(2));
                s.select(&s.table(table), &index)
            };
            let (a, b) = (read(), read());
            let fact = match first % 2 {
                0 => s.bv_ule(&a, &b),
                _ => s.not(&s.eq(&a, &b)),
            };
            let mut e = Evaluator::new();
            let mut holds = |term: &Term, model: &Model| {
                e.start();
                e.eval_bool(term, model)
            };
            left.retain(|m| holds(&fact, m));
            let answer = tables.solve(&s, &Query::new(facts.clone(), fact.clone()));
            if !left.is_empty() {
                assert!(answer.is_sat(), "{answer:?}: {facts:?} {fact:?}");
                found += 1;
                facts = facts.with(fact);
                continue;
            }
            let Answer::Unsat(core) = answer else {
                panic!("{answer:?}: {facts:?} {fact:?}")
            };
            let mut members = core.facts;
            members.extend(core.goal.then_some(fact));
            let mut solution = |m: &&Model| members.iter().all(|f| holds(f, m));
            assert!(
                !every.iter().any(|m| solution(&m)),
                "a core too small: {members:?}"
            );
            refuted += 1;
            break;
        }
        let counters = tables.counters();
        let of = counters[0].1.iter().find(|c| c.0 == "searched");
        searched += u64::from(of.expect("it is counted").1 > 0);
    }
    assert!(
        refuted > 100 && found > 100,
        "{refuted} and {found} say too little"
    );
    assert!(searched > 40, "{searched} searches say too little");
}
