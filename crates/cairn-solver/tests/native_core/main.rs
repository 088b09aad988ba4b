//! The native core through a chain without layers, with its own search and with CaDiCaL alone.
//!
//! - Every operator at small widths, by exhaustion.
//! - Depth, deadlines, cancellation, limits on conflicts and memory.
//! - Minimal unsat cores, arrays with known answers, long walks on which both modes must agree.
//! - Starting the circuit again, and terms of a foreign store.
//!
//! The chain evaluates every model on the whole query, so a SAT here is a right one.

mod arrays;
mod cores;
mod limits;
mod operators;

use cairn_expr::{Sort, Term, TermStore};
use cairn_random::Random;
use cairn_solver::cores::native::NativeCore;
use cairn_solver::{Answer, Chain, ChainConfig, Facts, Query, UnknownReason};

fn guided() -> Chain {
    Chain::from_names("none", "native").expect("the native core exists")
}

fn gates() -> Chain {
    Chain::new(
        vec![Box::new(NativeCore::default().gates_only())],
        ChainConfig::default(),
    )
}

fn cdcl() -> Chain {
    Chain::new(
        vec![Box::new(NativeCore::default().cdcl_only())],
        ChainConfig::default(),
    )
}

type Mode = (&'static str, fn() -> Chain);

const MODES: [Mode; 3] = [("guided", guided), ("gates", gates), ("cdcl", cdcl)];

fn counter(chain: &Chain, name: &str) -> u64 {
    let all = chain.counters();
    let (_, list) = all.last().expect("a core");
    let found = list.iter().find(|(n, _)| *n == name);
    found.expect("a counter of that name").1
}

#[track_caller]
fn verdict(chain: &mut Chain, s: &TermStore, facts: &Facts, goal: &Term) -> &'static str {
    let answer = chain.solve(s, &Query::new(facts.clone(), goal.clone()));
    if let Answer::Unknown(reason) = &answer {
        panic!("{reason}");
    }
    answer.verdict()
}

/// Asks both modes, each in a fresh chain.
#[track_caller]
fn both(s: &TermStore, facts: &Facts, goal: &Term, expected: &str) {
    for (mode, make) in MODES {
        assert_eq!(verdict(&mut make(), s, facts, goal), expected, "{mode}");
    }
}

/// A random condition over bytes and a small memory.
fn condition(s: &TermStore, random: &mut Random, bytes: &[Term], memory: &Term) -> Term {
    let byte = |random: &mut Random| {
        let x = random.pick(bytes).clone();
        let y = random.pick(bytes).clone();
        let k = s.bv(8, random.next() & 0xFF);
        match random.below(9) {
            0 => s.bv_add(&x, &y),
            1 => s.bv_xor(&x, &k),
            2 => s.bv_sub(&x, &s.bv_and(&y, &k)),
            3 => s.bv_mul(&x, &s.bv(8, 3)),
            4 => s.select(memory, &s.bv_and(&x, &s.bv(8, 7))),
            5 => s.bv_lshr(&x, &s.bv_and(&y, &s.bv(8, 3))),
            6 => k,
            _ => x,
        }
    };
    let (a, b) = (byte(random), byte(random));
    let c = match random.below(4) {
        0 => s.eq(&a, &b),
        1 => s.bv_ult(&a, &b),
        2 => s.bv_slt(&a, &b),
        _ => s.eq(&s.bv_and(&a, &s.bv(8, 0x0F)), &s.bv_and(&b, &s.bv(8, 0x0F))),
    };
    if random.one_in(2) { s.not(&c) } else { c }
}

/// Paths that grow by a condition, fork and are given up, as an execution asks: all modes agree.
#[test]
fn walks_on_which_all_modes_agree() {
    for (_, make) in &MODES[..2] {
        walks(make());
    }
}

fn walks(mut one: Chain) {
    let s = TermStore::new();
    let mut random = Random::new(7);
    let bytes: Vec<Term> = (0..6)
        .map(|i| s.symbol(&format!("b{i}"), Sort::BitVec(8)))
        .collect();
    let memory = s.symbol("m", Sort::Array { index: 8, value: 8 });
    let mut two = cdcl();
    let mut paths = vec![Facts::new()];
    let (mut sat, mut unsat) = (0, 0);
    for number in 0..2_000 {
        let at = random.below(paths.len());
        let facts = paths[at].clone();
        let goal = condition(&s, &mut random, &bytes, &memory);
        let mut query = Query::new(facts.clone(), goal.clone());
        if random.one_in(2) {
            query = query.assuming_facts_sat();
        }
        let (x, y) = (one.solve(&s, &query), two.solve(&s, &query));
        assert_eq!(x.verdict(), y.verdict(), "query {number}: {x:?}, {y:?}");
        match x {
            Answer::Sat(_) => {
                sat += 1;
                let grown = facts.with(goal);
                if random.one_in(3) && paths.len() < 20 {
                    paths.push(grown);
                } else {
                    paths[at] = grown;
                }
            }
            Answer::Unsat(core) => {
                unsat += 1;
                let again = Query::new(
                    core.facts.iter().cloned().collect(),
                    if core.goal { goal } else { s.true_() },
                );
                assert!(two.solve(&s, &again).is_unsat(), "core of query {number}");
            }
            Answer::Unknown(reason) => panic!("query {number}: {reason}"),
        }
        if paths[at].len() > 25 {
            paths[at] = Facts::new();
        }
    }
    assert!(sat > 300 && unsat > 100, "{sat} sat, {unsat} unsat");
}

/// Many queries that share nothing: the circuit is started again, answers stay right.
#[test]
fn starting_the_circuit_again() {
    for (mode, make) in [("gates", gates as fn() -> Chain), ("cdcl", cdcl)] {
        let s = TermStore::new();
        let mut chain = make();
        let x = s.symbol("x", Sort::BitVec(16));
        let always = Facts::new().with(s.bv_ult(&x, &s.bv(16, 100)));
        let mut highest = 0;
        for i in 0..400u64 {
            let y = s.symbol(&format!("y{i}"), Sort::BitVec(16));
            // With y = i + 1 and x below 100, x * y = 3 y below 2^16 is x = 3.
            let facts = always.with(s.eq(&y, &s.bv(16, i + 1)));
            let product = s.eq(&s.bv_mul(&x, &y), &s.bv(16, 3 * (i + 1)));
            let three = s.and(&product, &s.eq(&x, &s.bv(16, 3)));
            assert_eq!(verdict(&mut chain, &s, &facts, &three), "sat", "{mode} {i}");
            let four = s.and(&product, &s.eq(&x, &s.bv(16, 4)));
            assert_eq!(
                verdict(&mut chain, &s, &facts, &four),
                "unsat",
                "{mode} {i}"
            );
            highest = highest.max(counter(&chain, "gates"));
        }
        assert!(counter(&chain, "rebuilds") > 0, "{mode}: {highest} gates");
        assert!(highest < 400_000, "{mode}: {highest} gates");
    }
}

#[test]
fn terms_of_a_second_store_are_refused() {
    for (mode, make) in MODES {
        let (s, other) = (TermStore::new(), TermStore::new());
        let mut chain = make();
        let ask = |chain: &mut Chain, s: &TermStore| {
            let x = s.symbol("x", Sort::BitVec(8));
            let query = Query::new(Facts::new(), s.eq(&x, &s.bv(8, 5)));
            chain.solve(s, &query)
        };
        assert!(ask(&mut chain, &s).is_sat(), "{mode}");
        let answer = ask(&mut chain, &other);
        assert!(
            matches!(answer, Answer::Unknown(UnknownReason::Internal(_))),
            "{mode}: {answer:?}"
        );
        assert!(ask(&mut chain, &s).is_sat(), "{mode}");
    }
}
