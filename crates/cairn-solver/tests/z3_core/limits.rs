//! Limits, cores, deep terms, names, stores and scripts.

use super::*;

/// `a * b = n` for a product of two large primes, `a` and `b` not 1: far too hard for 50 ms.
fn factoring(s: &TermStore) -> Query {
    let a = s.symbol("a", Sort::BitVec(64));
    let b = s.symbol("b", Sort::BitVec(64));
    let small = s.bv(64, 1 << 32);
    let product = s.bv_mul(&a, &b);
    let facts = Facts::new()
        .with(s.bv_ult(&a, &small))
        .with(s.bv_ult(&b, &small))
        .with(s.bv_ult(&s.bv(64, 1), &a))
        .with(s.bv_ult(&a, &b));
    let n = s.bv(64, 2_860_486_313 * 3_267_000_013);
    Query::new(facts, s.eq(&product, &n))
}

/// What a busy machine may add to a time; the queries here take minutes.
const DELAY: Duration = Duration::from_secs(20);

#[test]
fn the_deadline_is_honoured_and_the_next_query_works() {
    for want in [Want::Model, Want::Core] {
        let Some(mut chain) = z3() else { return };
        let s = TermStore::new();
        let hard = factoring(&s).wanting(want);
        for _ in 0..2 {
            let start = Instant::now();
            let limited = hard
                .clone()
                .within(Budget::timeout(Duration::from_millis(50)));
            let answer = chain.solve(&s, &limited);
            let took = start.elapsed();
            assert!(
                matches!(answer, Answer::Unknown(UnknownReason::Timeout)),
                "{answer:?}"
            );
            assert!(took < DELAY, "{took:?}");
        }
        let easy = Query::new(hard.facts.clone(), s.true_());
        assert!(chain.solve(&s, &easy).is_sat());
    }
}

#[test]
fn cancelling_stops_and_the_next_query_works() {
    let Some(mut chain) = z3() else { return };
    let s = TermStore::new();
    let flag = Arc::new(AtomicBool::new(false));
    let budget = Budget {
        cancel: Some(Cancel::new(Arc::clone(&flag))),
        ..Budget::default()
    };
    let setter = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(60));
        flag.store(true, Ordering::Relaxed);
    });
    let start = Instant::now();
    let answer = chain.solve(&s, &factoring(&s).within(budget));
    assert!(
        matches!(answer, Answer::Unknown(UnknownReason::Cancelled)),
        "{answer:?}"
    );
    assert!(start.elapsed() < DELAY, "{:?}", start.elapsed());
    setter.join().expect("the other thread");
    let easy = Query::new(factoring(&s).facts, s.true_());
    assert!(chain.solve(&s, &easy).is_sat());
}

#[test]
fn a_wanted_core_is_a_small_unsatisfiable_subset() {
    let Some(mut chain) = z3() else { return };
    let s = TermStore::new();
    let mut random = Random::new(0x5eed_0006);
    let symbols: Vec<Term> = ["x", "y", "z"]
        .iter()
        .map(|n| s.symbol(n, Sort::BitVec(4)))
        .collect();
    let (mut cores, mut minimal) = (0, 0);
    for _ in 0..120 {
        let facts: Facts = (0..2 + random.below(6))
            .map(|_| random_bool(&s, &mut random, &symbols, 1))
            .collect();
        let goal = random_bool(&s, &mut random, &symbols, 2);
        let query = Query::new(facts, goal.clone()).wanting(Want::Core);
        let expected = enumerate(&symbols, &query.conjuncts());
        match chain.solve(&s, &query) {
            Answer::Sat(_) => assert!(expected),
            Answer::Unsat(UnsatCore {
                facts,
                goal: needed,
            }) => {
                assert!(!expected);
                cores += 1;
                let listed = query.facts.to_vec();
                assert!(facts.iter().all(|f| listed.contains(f)));
                let mut core = facts;
                if needed {
                    core.push(goal);
                }
                assert!(
                    !enumerate(&symbols, &core),
                    "the unsat core alone: {core:?}"
                );
                let is_needed = |i: usize| {
                    let mut less = core.clone();
                    less.remove(i);
                    enumerate(&symbols, &less)
                };
                minimal += usize::from((0..core.len()).all(is_needed));
            }
            Answer::Unknown(reason) => panic!("{reason}"),
        }
    }
    assert!(cores > 20, "{cores} cores");
    // Making smaller has a time limit, so a slow machine may leave one as it is.
    assert!(minimal * 10 >= cores * 9, "{minimal} of {cores}");
}

#[test]
fn deep_terms_are_decided_or_refused_but_never_crash() {
    let Some(mut chain) = z3() else { return };
    let s = TermStore::new();
    let x = s.symbol("x", Sort::BitVec(8));
    let y = s.symbol("y", Sort::BitVec(8));
    // Alternating operators that no rule folds.
    let tower = |levels: u32| {
        let mut t = x.clone();
        for i in 0..levels {
            t = if i % 2 == 0 {
                s.bv_xor(&t, &y)
            } else {
                s.bv_add(&t, &x)
            };
        }
        t
    };
    let target = s.bv(8, 77);
    let answer = chain.solve(
        &s,
        &Query::new(Facts::new(), s.eq(&tower(1_000_000), &target)),
    );
    assert!(
        matches!(answer, Answer::Unknown(UnknownReason::Unsupported(_))),
        "{answer:?}"
    );
    let budget = Budget::timeout(Duration::from_secs(1));
    let query = Query::new(Facts::new(), s.eq(&tower(19_000), &target)).within(budget);
    let answer = chain.solve(&s, &query);
    assert!(
        matches!(
            answer,
            Answer::Sat(_) | Answer::Unknown(UnknownReason::Timeout)
        ),
        "{answer:?}"
    );
}

#[test]
fn names_do_not_matter() {
    let Some(mut chain) = z3() else { return };
    let s = TermStore::new();
    let odd = s.symbol("a|b\\ \"\0 0", Sort::BitVec(8));
    let same_name = s.symbol("a|b\\ \"\0 0", Sort::BitVec(16));
    let goal = s.and(
        &s.eq(&odd, &s.bv(8, 1)),
        &s.eq(&same_name, &s.bv(16, 0x1234)),
    );
    assert!(chain.solve(&s, &Query::new(Facts::new(), goal)).is_sat());
}

#[test]
fn terms_of_two_stores_do_not_mix() {
    let Ok(mut core) = Z3Core::load() else { return };
    let one = TermStore::new();
    let two = TermStore::new();
    let a = one.symbol("x", Sort::BitVec(8));
    let b = two.symbol("y", Sort::BitVec(8));
    let first = Query::new(Facts::new(), one.eq(&a, &one.bv(8, 3)));
    let second = Query::new(Facts::new(), two.eq(&b, &two.bv(8, 200)));
    for _ in 0..2 {
        for (query, symbol, value) in [(&first, &a, 3), (&second, &b, 200)] {
            let Answer::Sat(model) = core.decide(query) else {
                panic!("an equation");
            };
            let found = Evaluator::new().eval_bv(symbol, &model);
            assert_eq!(found, BitVec::new(8, value));
        }
    }
}

#[test]
fn scripts_are_read_by_z3_itself() {
    if z3().is_none() {
        return;
    }
    let sat = "(set-logic QF_BV)(declare-const x (_ BitVec 8))(assert (bvult x #x05))(check-sat)";
    let unsat = format!("{sat}(assert (bvugt x #x05))");
    let settings = [
        Z3Setting::Default,
        Z3Setting::Simple,
        Z3Setting::Anew,
        Z3Setting::ForLogic("QF_BV".to_string()),
    ];
    for setting in settings {
        let script = Z3Script::parse(sat).expect("a script");
        assert_eq!(script.len(), 1);
        assert_eq!(
            script.check(&setting, &Budget::unlimited()),
            ScriptVerdict::Sat
        );
        let script = Z3Script::parse(&unsat).expect("a script");
        assert_eq!(
            script.check(&setting, &Budget::unlimited()),
            ScriptVerdict::Unsat
        );
    }
    let Err(why) = Z3Script::parse("(assert (bvult x #x05))") else {
        panic!("x is not declared");
    };
    assert!(why.contains("unknown constant x"), "{why}");
    let hard = "(declare-const a (_ BitVec 64))(declare-const b (_ BitVec 64))
        (assert (= (bvmul a b) #xfffffff000000005))(assert (bvult a #x0000000100000000))
        (assert (bvult b #x0000000100000000))(assert (bvugt a #x0000000000000001))";
    let script = Z3Script::parse(hard).expect("a script");
    let start = Instant::now();
    let verdict = script.check(
        &Z3Setting::Default,
        &Budget::timeout(Duration::from_millis(1)),
    );
    assert_eq!(verdict, ScriptVerdict::Unknown(UnknownReason::Timeout));
    assert!(start.elapsed() < DELAY);
}
