//! Order between words that are made of inputs: truncations and sums with constants, against brute force.

use super::{chain, core_asked};
use cairn_expr::{BitVec, Evaluator, Model, Sort, Term, TermStore, Value};
use cairn_random::Random;
use cairn_solver::{Answer, Facts, Query};

pub(super) const WIDTH: u32 = 4;
const INPUTS: usize = 3;

/// Words of two widths: what is compared has the same.
fn word(s: &TermStore, x: &Term, n: &mut Random, narrow: bool) -> Term {
    let base = match n.below(3) {
        0 => x.clone(),
        _ => s.bv_add(x, &s.bv(WIDTH, n.below_u64(16))),
    };
    match (narrow, n.below(3)) {
        (true, _) => s.extract(&base, 2, 0),
        (false, 0) => s.zero_extend(&s.extract(&base, 1, 0), 2),
        (false, 1) => s.sign_extend(&s.extract(&base, 2, 0), 1),
        (false, _) => base,
    }
}

fn comparison(s: &TermStore, inputs: &[Term], n: &mut Random) -> Term {
    let narrow = n.one_in(2);
    let first = n.below(inputs.len());
    let second = (first + 1 + n.below(inputs.len() - 1)) % inputs.len();
    let a = word(s, &inputs[first], n, narrow);
    let b = match n.below(6) {
        0 => s.bv(a.width(), n.below_u64(1 << a.width())),
        _ => word(s, &inputs[second], n, narrow),
    };
    match n.below(8) {
        0 => s.eq(&a, &b),
        1 | 2 => s.bv_slt(&a, &b),
        3 => s.bv_sle(&a, &b),
        4 => s.bv_ule(&a, &b),
        _ => s.bv_ult(&a, &b),
    }
}

/// All assignments, as models.
fn assignments(inputs: &[Term]) -> Vec<Model> {
    let words = 1u64 << (WIDTH as usize * INPUTS);
    let all = (0..words).map(|assignment| {
        let mut model = Model::new();
        for (place, input) in inputs.iter().enumerate() {
            let word = assignment >> (WIDTH as usize * place) & 15;
            model.set(input.clone(), Value::Bv(BitVec::new(WIDTH, word)));
        }
        model
    });
    all.collect()
}

/// What a path may ask: a comparison of some inputs.
type Comparison = fn(&TermStore, &[Term], &mut Random) -> Term;

/// Asks about random paths; every answer and every core is checked by brute force. How many questions were asked, and how
/// many reached the core solver.
pub(super) fn by_brute_force(paths: u64, comparison: Comparison) -> (u64, u64) {
    let (mut asked, mut reached) = (0, 0);
    for path in 0..paths {
        let mut n = Random::new(path);
        let store = TermStore::new();
        let inputs: Vec<Term> = (0..INPUTS)
            .map(|i| store.symbol(&format!("x{i}"), Sort::BitVec(WIDTH)))
            .collect();
        let models = assignments(&inputs);
        let mut evaluator = Evaluator::new();
        let mut holds = |term: &Term, model: &Model| {
            evaluator.start();
            evaluator.eval_bool(term, model)
        };
        let mut chains = ["path-sets", "value-sets", "slice,value-sets"].map(|l| (l, chain(l)));
        let mut facts = Facts::new();
        let mut left: Vec<&Model> = models.iter().collect();
        for _ in 0..7 {
            let goal = comparison(&store, &inputs, &mut n);
            let mut possible = Vec::new();
            for side in [goal.clone(), store.not(&goal)] {
                let with: Vec<&Model> = left.iter().copied().filter(|m| holds(&side, m)).collect();
                for (name, chain) in &mut chains {
                    let query = Query::new(facts.clone(), side.clone());
                    match (chain.solve(&store, &query), with.is_empty()) {
                        (Answer::Sat(model), false) => {
                            let mut all = facts.iter().chain([&side]);
                            assert!(all.all(|fact| holds(fact, &model)), "{name} on path {path}");
                        }
                        (Answer::Unsat(core), true) => {
                            let members = core.facts.iter().chain(core.goal.then_some(&side));
                            let members: Vec<&Term> = members.collect();
                            let mut all = models.iter();
                            let wrong = all.find(|m| members.iter().all(|fact| holds(fact, m)));
                            assert!(wrong.is_none(), "{name} on path {path}: unsat core");
                        }
                        (answer, _) => {
                            panic!("{name} on path {path}: {answer:?}, {facts:?}, {side:?}")
                        }
                    }
                    asked += 1;
                }
                if !with.is_empty() {
                    possible.push((side, with));
                }
            }
            let (fact, with) = possible.swap_remove(n.below(possible.len()));
            facts = facts.with(fact);
            left = with;
        }
        reached += chains
            .iter()
            .map(|(_, chain)| core_asked(chain))
            .sum::<u64>();
    }
    (asked, reached)
}

/// Every answer and every core by brute force; most questions do not reach the core solver.
#[test]
fn images_of_inputs_are_ordered_by_brute_force() {
    let (asked, reached) = by_brute_force(120, comparison);
    assert!(
        reached * 4 < asked,
        "{reached} of {asked} reached the core solver"
    );
}

/// What a program reads as `int` out of 64-bit inputs, and sums with constants: nothing of it needs the core solver.
#[test]
fn truncated_words_and_sums_are_sorted_without_the_core_solver() {
    let s = TermStore::new();
    let wide: Vec<Term> = (0..6)
        .map(|i| s.symbol(&format!("w{i}"), Sort::BitVec(64)))
        .collect();
    let mut facts = Facts::new();
    for x in &wide {
        facts = facts.with(s.bv_ule(x, &s.bv(64, 16)));
    }
    let int = |x: &Term| s.extract(&s.bv_add(x, &s.bv(64, 1)), 31, 0);
    let sum = |x: &Term| s.bv_add(x, &s.bv(64, 1));
    for make in [&int as &dyn Fn(&Term) -> Term, &sum] {
        let words: Vec<Term> = wide.iter().map(make).collect();
        let mut chain = chain("path-sets");
        let mut facts = facts.clone();
        let ask = |chain: &mut cairn_solver::Chain, facts: &Facts, goal: &Term| {
            chain.solve(&s, &Query::new(facts.clone(), goal.clone()))
        };
        // 3 < 1 < 5 < 0 < 2, and 4 is equal to 5.
        for (a, b) in [(3, 1), (1, 5), (5, 0), (0, 2)] {
            let less = s.bv_slt(&words[a], &words[b]);
            assert!(ask(&mut chain, &facts, &less).is_sat());
            facts = facts.with(less);
        }
        let equal = s.eq(&words[4], &words[5]);
        assert!(ask(&mut chain, &facts, &equal).is_sat());
        facts = facts.with(equal);
        assert!(ask(&mut chain, &facts, &s.bv_slt(&words[4], &words[3])).is_unsat());
        // Four are below 2, so it is at least 4 more than the least.
        let low = s.bv_slt(&words[2], &s.bv(words[2].width(), 5));
        assert!(ask(&mut chain, &facts, &low).is_unsat());
        let high = s.bv_slt(&words[2], &s.bv(words[2].width(), 6));
        assert!(ask(&mut chain, &facts, &high).is_sat());
        assert_eq!(core_asked(&chain), 0);
    }
}
