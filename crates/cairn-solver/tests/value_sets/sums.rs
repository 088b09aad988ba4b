//! Sums of several inputs as inequalities, against brute force.

use super::images::{WIDTH, by_brute_force};
use super::{chain, core_asked, number};
use cairn_expr::{Sort, Term, TermStore};
use cairn_random::Random;
use cairn_solver::{Facts, Query};

/// How many bits wider than its inputs a sum is that does not wrap around.
const ROOM: u32 = 3;

/// A sum of some inputs: as wide as they are, or wider.
fn sum(s: &TermStore, inputs: &[Term], n: &mut Random, room: u32, signed: bool) -> Term {
    let width = WIDTH + room;
    let wide = |x: &Term| match (room, signed) {
        (0, _) => x.clone(),
        (_, true) => s.sign_extend(x, room),
        (_, false) => s.zero_extend(x, room),
    };
    let most = 1 << n.below(WIDTH as usize);
    let mut all = s.bv(width, n.below_u64(most));
    for x in inputs {
        let x = wide(x);
        let part = match n.below(7) {
            0 | 1 => continue,
            2 => s.bv_mul(&x, &s.bv(width, n.below_u64(4))),
            3 => s.bv_neg(&x),
            _ => x,
        };
        all = s.bv_add(&all, &part);
    }
    all
}

fn comparison(s: &TermStore, inputs: &[Term], n: &mut Random) -> Term {
    if n.one_in(3) {
        // Without it most sums wrap around.
        let bound = s.bv(WIDTH, 1 + n.below_u64(6));
        return s.bv_ule(n.pick(inputs), &bound);
    }
    let (room, signed) = (if n.one_in(2) { ROOM } else { 0 }, n.one_in(2));
    let a = sum(s, inputs, n, room, signed);
    let b = sum(s, inputs, n, room, signed);
    match n.below(6) {
        0 => s.eq(&a, &b),
        1 => s.not(&s.eq(&a, &b)),
        _ if signed => s.bv_slt(&a, &b),
        2 => s.bv_ule(&a, &b),
        _ => s.bv_ult(&a, &b),
    }
}

#[test]
fn sums_by_brute_force() {
    let (asked, reached) = by_brute_force(160, comparison);
    println!("{reached} of {asked} reached the core solver");
    assert!(reached * 4 < asked, "{reached} of {asked}");
}

/// Shortest ways: words that are sums of up to four weights of 1 to 50, compared with each other.
#[test]
fn sums_of_weights_need_no_core() {
    let s = TermStore::new();
    let weights: Vec<Term> = (0..8)
        .map(|i| s.symbol(&format!("w{i}"), Sort::BitVec(32)))
        .collect();
    let c = |value| s.bv(32, value);
    let mut facts = Facts::new();
    for w in &weights {
        facts = facts.with(s.bv_sle(&c(1), w)).with(s.bv_sle(w, &c(50)));
    }
    let way = |places: &[usize], more: u64| {
        let sums = places.iter().map(|at| &weights[*at]);
        sums.fold(c(more), |sum, w| s.bv_add(&sum, w))
    };
    let mut chain = chain("slice,value-sets");
    let mut ask = |facts: &Facts, goal: &Term| {
        let answer = chain.solve(&s, &Query::new(facts.clone(), goal.clone()));
        answer.is_sat()
    };
    let shorter = [
        (way(&[0, 1], 0), way(&[2], 8)),
        (way(&[2, 3], 1), way(&[0, 1, 4], 0)),
        (way(&[4], 10), way(&[5, 6], 3)),
        (way(&[5, 6, 7], 0), way(&[0, 2], 0)),
    ];
    for (less, more) in &shorter {
        let fact = s.bv_slt(less, more);
        assert!(ask(&facts, &fact));
        facts = facts.with(fact);
    }
    // w0 + w1 < w2 + 8 and w2 + w3 + 1 < w0 + w1 + w4 leave w3 < w4 + 6.
    assert!(!ask(&facts, &s.bv_sle(&way(&[4], 7), &way(&[3], 1))));
    assert!(ask(&facts, &s.bv_sle(&way(&[4], 7), &way(&[3], 2))));
    assert!(ask(&facts, &s.eq(&way(&[0, 3], 0), &way(&[4, 5], 0))));
    assert_eq!(core_asked(&chain), 0);
    assert!(number(&chain, "value-sets", "summed") > 0);
}
