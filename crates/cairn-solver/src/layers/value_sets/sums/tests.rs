//! Comparisons of sums, by exhaustion.

use super::super::{Preset, Settings, learn};
use super::*;
use cairn_expr::{BitVec, Sort, TermStore, Value};

/// All points of two inputs of three bits at which terms hold, as bits.
fn points(inputs: &[Term; 2], terms: &[Term]) -> u64 {
    let mut evaluator = Evaluator::new();
    let holds = |point: &u64| {
        let mut model = Model::new();
        for (input, word) in inputs.iter().zip([point & 7, point >> 3]) {
            model.set(input.clone(), Value::Bv(BitVec::new(3, word)));
        }
        evaluator.start();
        terms.iter().all(|t| evaluator.eval_bool(t, &model))
    };
    (0..64).filter(holds).fold(0, |all, point| all | 1 << point)
}

/// Every pair of words of a family, compared in every way, of two inputs of three bits with every range of their values:
/// a model is a solution, and facts that are said to contradict have none.
#[test]
fn comparisons_of_two_sums_by_exhaustion() {
    let s = TermStore::new();
    let inputs = ["x", "y"].map(|name| s.symbol(name, Sort::BitVec(3)));
    let [x, y] = &inputs;
    let c = |value| s.bv(3, value);
    let wide = |t: &Term| s.zero_extend(t, 2);
    let signed = |t: &Term| s.sign_extend(t, 2);
    let (sum, both) = (s.bv_add(x, y), s.bv_add(&wide(x), &wide(y)));
    let three = [
        s.bv_add(&sum, &c(3)),
        s.bv_sub(x, y),
        s.bv_mul(y, &c(2)),
        s.bv_not(x),
        s.extract(&both, 2, 0),
    ];
    let five = [
        both.clone(),
        wide(&sum),
        s.bv_add(&signed(x), &s.bv_mul(&signed(y), &s.bv(5, 3))),
        s.concat(x, &s.bv(2, 1)),
        s.bv_sub(&signed(&s.bv_add(x, &c(1))), &wide(y)),
    ];
    let settings = Settings::of(Preset::ValueSets);
    let mut evaluator = Evaluator::new();
    let ranges: Vec<(u64, u64)> = (0..8)
        .flat_map(|low| (low..8).map(move |high| (low, high)))
        .collect();
    let within = |input: &Term, (low, high): (u64, u64)| {
        [s.bv_ule(&c(low), input), s.bv_ule(input, &c(high))]
    };
    let mut facts = Vec::new();
    for family in [&three, &five] {
        let pairs = family
            .iter()
            .flat_map(|a| family.iter().map(move |b| (a, b)));
        for (a, b) in pairs.filter(|(a, b)| a != b) {
            let (less, signed) = (s.bv_ult(a, b), s.bv_slt(a, b));
            let equal = s.eq(a, b);
            facts.extend([
                s.not(&less),
                s.not(&signed),
                s.not(&equal),
                less,
                signed,
                equal,
            ]);
        }
    }
    let solutions: Vec<u64> = facts
        .iter()
        .map(|f| points(&inputs, std::slice::from_ref(f)))
        .collect();
    let (mut decided, mut open) = (0, 0);
    for range in &ranges {
        for other in &ranges {
            let bounds = [within(x, *range), within(y, *other)].concat();
            let inside = points(&inputs, &bounds);
            let learned = bounds.iter().fold(LearnedBoxes::default(), |all, bound| {
                learn(&all, bound, &settings, false)
            });
            for (fact, solutions) in facts.iter().zip(&solutions) {
                let learned = learn(&learned, fact, &settings, false);
                if learned.contradiction.is_some() {
                    continue;
                }
                match solve(&learned, &mut evaluator) {
                    Choice::Model(model) => {
                        let point = inputs.iter().rev().fold(0, |point, input| {
                            let word = match model.get(input) {
                                Some(Value::Bv(word)) => word.low_u64(),
                                _ => 0,
                            };
                            point << 3 | word
                        });
                        assert_eq!(
                            (inside & solutions) >> point & 1,
                            1,
                            "{fact:?} in {bounds:?}"
                        );
                        decided += 1;
                    }
                    Choice::Contradiction(why) => {
                        let core = why.facts().expect("a few facts");
                        assert_eq!(points(&inputs, &core), 0, "{core:?}");
                        decided += 1;
                    }
                    Choice::Unknown => open += 1,
                }
            }
        }
    }
    // Most sums wrap around.
    assert!(3 * decided > open, "{decided} decided, {open} open");
}
