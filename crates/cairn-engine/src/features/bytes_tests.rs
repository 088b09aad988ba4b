//! What is left of words, against all their values.

use super::*;
use crate::rng::Rng;
use cairn_expr::TermStore;
use cairn_solver::{Chain, Query};

/// A condition on a word, and what it says of a value.
fn condition(s: &TermStore, x: &Term, random: &mut Rng) -> Term {
    let width = x.width();
    let low = |t: &Term| s.extract(t, 7, 0);
    let constant = |random: &mut Rng| s.bv(width, 1000 + random.below(300));
    let plain = match random.below(5) {
        0 => s.bv_ult(x, &constant(random)),
        1 => s.bv_slt(&constant(random), x),
        2 => s.eq(x, &constant(random)),
        3 => s.bv_ult(&low(x), &s.bv(8, random.below(256))),
        _ => s.eq(
            &s.bv_urem(x, &s.bv(width, 7)),
            &s.bv(width, random.below(7)),
        ),
    };
    if random.below(2) == 0 {
        plain
    } else {
        s.not(&plain)
    }
}

/// Paths with facts about one word of 32 or 64 bits, against all values between 1,000 and 1,300: what is left of
/// the word is what the facts about it alone leave.
#[test]
fn the_values_that_are_left_of_a_word_are_those_that_its_facts_allow() {
    let mut random = Rng::new(5);
    let (mut found, mut refuted, mut inexact) = (0, 0, 0);
    for round in 0..400 {
        let s = TermStore::new();
        let width = [32, 64][round % 2];
        let x = s.symbol("x", Sort::BitVec(width));
        let y = s.symbol("y", Sort::BitVec(width));
        let (mut chain, mut tables) = (Chain::default(), ByteTables::default());
        let mut known = KnownBytes::default();
        tables.saved = u32::MAX;
        let first = 1000 + random.below(100);
        let last = first + random.below(if round % 5 == 0 { 400 } else { 200 });
        let mut own = vec![
            s.bv_ule(&s.bv(width, first), &x),
            s.bv_ule(&x, &s.bv(width, last)),
        ];
        let mut facts: Facts = own.iter().cloned().collect();
        let mut alone = true;
        let mut evaluator = Evaluator::new();
        for _ in 0..12 {
            let guard = condition(&s, &x, &mut random);
            let left = known.left_of_word(&facts, &guard, &mut tables, |own, symbol| {
                let query = Query::new(own.clone(), s.true_()).assuming_facts_sat();
                chain.enclosing_bounds(&query, symbol)
            });
            let mut allowed = (first..=last).filter(|value| {
                let mut model = Model::new();
                model.set(x.clone(), Value::Bv(BitVec::new(width, *value)));
                evaluator.start();
                let mut all = own.iter().chain([&guard]);
                all.all(|fact| evaluator.eval_bool(fact, &model))
            });
            let smallest = allowed.next();
            if let Some(left) = left {
                assert_eq!(left.value, smallest, "{guard:?} under {own:?}");
                assert_eq!(left.exact, alone);
                found += u32::from(left.value.is_some());
                refuted += u32::from(left.value.is_none());
                inexact += u32::from(!alone);
            } else {
                assert!(last - first >= WINDOW || guard.as_bool().is_some());
            }
            match (random.below(8), smallest) {
                (0, _) => {
                    let fact = s.bv_ult(&x, &y);
                    alone = false;
                    facts = facts.with(fact);
                }
                (1..4, Some(_)) => {
                    facts = facts.with(guard.clone());
                    own.push(guard);
                }
                (_, _) => {}
            }
        }
    }
    assert!(
        found > 500 && refuted > 200 && inexact > 200,
        "{found} {refuted} {inexact}"
    );
}

/// Paths with facts about one symbol of 8, 32 or 64 bits and about it and another one: it has one value if the facts about
/// it alone leave it one.
#[test]
fn a_symbol_has_one_value_if_its_own_facts_leave_it_one() {
    let mut random = Rng::new(9);
    let (mut one, mut more) = (0, 0);
    for round in 0..600 {
        let s = TermStore::new();
        let width = [8, 32, 64][round % 3];
        let x = s.symbol("x", Sort::BitVec(width));
        let y = s.symbol("y", Sort::BitVec(width));
        let (mut chain, mut tables) = (Chain::default(), ByteTables::default());
        let mut known = KnownBytes::default();
        tables.saved = u32::MAX;
        let first = 100;
        let last = first + 1 + random.below(12);
        let c = |value| s.bv(width, value);
        let mut own = vec![s.bv_ule(&c(first), &x), s.bv_ule(&x, &c(last))];
        let mut facts: Facts = own.iter().cloned().collect();
        let mut evaluator = Evaluator::new();
        for _ in 0..10 {
            let found = known.has_one_value(&facts, x.id(), &mut tables, |own, symbol| {
                let query = Query::new(own.clone(), s.true_()).assuming_facts_sat();
                chain.enclosing_bounds(&query, symbol)
            });
            let mut allowed = |own: &[Term]| {
                let mut holds = |value: &u64| {
                    let mut model = Model::new();
                    model.set(x.clone(), Value::Bv(BitVec::new(width, *value)));
                    evaluator.start();
                    own.iter().all(|fact| evaluator.eval_bool(fact, &model))
                };
                (first..=last).filter(|value| holds(value)).count()
            };
            let left = allowed(&own);
            assert_eq!(found, Some(left == 1), "{own:?}");
            one += u32::from(left == 1);
            more += u32::from(left > 1);
            let value = c(first + random.below(14));
            let fact = match random.below(4) {
                0 => s.bv_ult(&x, &value),
                1 => s.bv_ult(&value, &x),
                _ => s.not(&s.eq(&x, &value)),
            };
            if fact.as_bool().is_some() {
                continue;
            }
            own.push(fact.clone());
            if allowed(&own) == 0 {
                own.pop();
                continue;
            }
            facts = facts.with(fact).with(s.bv_ult(&x, &y));
        }
    }
    assert!(one > 500 && more > 500, "{one} {more}");
}
