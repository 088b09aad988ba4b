//! Depth, deadlines, cancellation, limits on conflicts and memory.

use crate::{MODES, cdcl, guided, verdict};
use cairn_expr::{BitVec, Sort, Term, TermStore};
use cairn_random::{Random, thread_time};
use cairn_solver::{Answer, Budget, Cancel, Chain, Facts, Query, UnknownReason};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const DEPTH: usize = 1_000_000;

/// A chain of a million additions on a small stack. The verdict may be any, a crash may not; six
/// seconds, because a minute is not enough to decide it either.
fn deep(make: fn() -> Chain) {
    let work = move || {
        let s = TermStore::new();
        let (x, y) = (
            s.symbol("x", Sort::BitVec(4)),
            s.symbol("y", Sort::BitVec(4)),
        );
        // Steps of different kinds, so that no two of them cancel.
        let steps = [
            x.clone(),
            y.clone(),
            s.bv_xor(&x, &s.bv(4, 5)),
            s.bv_mul(&x, &y),
        ];
        let chain_term = (0..DEPTH).fold(x.clone(), |t, i| s.bv_add(&t, &steps[i % 4]));
        assert!(cairn_expr::dag_size(&chain_term) >= DEPTH);
        let goal = s.eq(&chain_term, &s.bv(4, 9));
        drop(chain_term);
        let mut chain = make();
        let budget = Budget::timeout(Duration::from_secs(6));
        let query = Query::new(Facts::new(), goal).within(budget);
        let answer = chain.solve(&s, &query);
        if let Answer::Unknown(reason) = &answer {
            assert_eq!(*reason, UnknownReason::Timeout);
        }
        drop((query, answer, chain));
        s.sweep();
    };
    let thread = std::thread::Builder::new()
        .stack_size(512 << 10)
        .spawn(work);
    thread.expect("a thread").join().expect("it ran to its end");
}

#[test]
fn a_million_additions_guided() {
    deep(guided);
}

#[test]
fn a_million_additions_cdcl() {
    deep(cdcl);
}

/// `x * y = z` with `x`, `y` not trivial and a product that is hard to split.
fn hard_product(s: &TermStore, width: u32) -> Term {
    let half = width / 2;
    let x = s.zero_extend(&s.symbol("hx", Sort::BitVec(half)), half);
    let y = s.zero_extend(&s.symbol("hy", Sort::BitVec(half)), half);
    let mut random = Random::new(u64::from(width));
    let limbs: Vec<u64> = (0..width / 64).map(|_| random.next() | 1).collect();
    let product = s.constant(BitVec::from_limbs(width, &limbs));
    let more = s.bv_ult(&s.bv(width, 1), &x);
    let smaller = s.bv_ult(&x, &y);
    let is = s.eq(&s.bv_mul(&x, &y), &product);
    s.and_all(&[is, more, smaller])
}

/// A quotient and a remainder that fit no simple pattern.
fn hard_quotient(s: &TermStore, width: u32) -> Term {
    let x = s.symbol("dx", Sort::BitVec(width));
    let y = s.symbol("dy", Sort::BitVec(width));
    let (q, r) = (s.bv_udiv(&x, &y), s.bv_urem(&x, &y));
    let same = s.eq(&s.bv_mul(&q, &r), &s.bv_add(&x, &s.bv(width, 0x1234_5677)));
    s.and(&same, &s.bv_ult(&s.bv(width, 1000), &r))
}

/// The shortest of three tries: the machine may be loaded.
fn best_of_three(mut attempt: impl FnMut() -> Duration) -> Duration {
    (0..3).map(|_| attempt()).min().expect("three tries")
}

/// A limit on time, and what a query may compute beyond it: a thread computes no longer than time goes by.
const LIMIT: Duration = Duration::from_millis(50);
const GRACE: Duration = Duration::from_millis(100);

fn deadline_holds(build: fn(&TermStore, u32) -> Term, width: u32) {
    for (mode, make) in MODES {
        let took = best_of_three(|| {
            let s = TermStore::new();
            let goal = build(&s, width);
            let mut chain = make();
            let before = thread_time();
            let query = Query::new(Facts::new(), goal).within(Budget::timeout(LIMIT));
            let answer = chain.solve(&s, &query);
            let took = thread_time() - before;
            assert!(
                matches!(answer, Answer::Unknown(UnknownReason::Timeout)),
                "{mode}: {answer:?}"
            );
            took
        });
        assert!(took < LIMIT + GRACE, "{mode}: {took:?} at width {width}");
    }
}

#[test]
fn deadline_in_a_multiplication() {
    deadline_holds(hard_product, 512);
}

#[test]
fn deadline_in_a_division() {
    deadline_holds(hard_quotient, 512);
}

/// Here the circuit alone takes longer.
#[test]
fn deadline_while_the_circuit_is_built() {
    deadline_holds(hard_quotient, 4096);
}

/// Each fact is small; two thousand of them are not.
#[test]
fn deadline_among_many_small_facts() {
    for (mode, make) in MODES {
        let took = best_of_three(|| {
            let s = TermStore::new();
            let x = |i: u64| s.symbol(&format!("x{i}"), Sort::BitVec(32));
            let facts: Facts = (0..2_000).map(|i| s.bv_ult(&x(i), &x(i + 1))).collect();
            let goal = s.bv_ult(&x(0), &s.bv(32, 5));
            let mut chain = make();
            let before = thread_time();
            let query = Query::new(facts, goal).within(Budget::timeout(LIMIT));
            // Whether it is decided in time is the machine's business.
            let _ = chain.solve(&s, &query);
            thread_time() - before
        });
        assert!(took < LIMIT + GRACE, "{mode}: {took:?}");
    }
}

#[test]
fn a_core_goes_on_after_a_deadline() {
    for (mode, make) in MODES {
        let s = TermStore::new();
        let mut chain = make();
        for width in [512, 4096] {
            let late = Query::new(Facts::new(), hard_quotient(&s, width));
            let answer = chain.solve(&s, &late.within(Budget::timeout(LIMIT)));
            assert_eq!(answer.verdict(), "unknown", "{mode}");
            let x = s.symbol("dx", Sort::BitVec(width));
            let facts = Facts::new().with(s.bv_ult(&x, &s.bv(width, 10)));
            let nine = s.eq(&x, &s.bv(width, 9));
            let ten = s.eq(&x, &s.bv(width, 10));
            assert_eq!(verdict(&mut chain, &s, &facts, &nine), "sat", "{mode}");
            assert_eq!(verdict(&mut chain, &s, &facts, &ten), "unsat", "{mode}");
        }
    }
}

#[test]
fn cancelling_from_another_thread() {
    for (mode, make) in MODES {
        let took = best_of_three(|| {
            let s = TermStore::new();
            let goal = hard_product(&s, 512);
            let flag = Arc::new(AtomicBool::new(false));
            let budget = Budget {
                cancel: Some(Cancel::new(Arc::clone(&flag))),
                ..Budget::unlimited()
            };
            let other = std::thread::spawn(move || {
                std::thread::sleep(LIMIT);
                flag.store(true, Ordering::Relaxed);
                Instant::now()
            });
            let answer = make().solve(&s, &Query::new(Facts::new(), goal).within(budget));
            let end = Instant::now();
            let set = other.join().expect("it ran to its end");
            assert!(
                matches!(answer, Answer::Unknown(UnknownReason::Cancelled)),
                "{mode}: {answer:?}"
            );
            end.saturating_duration_since(set)
        });
        // The other thread may have to wait for a processor; the query itself takes far longer.
        assert!(took < 100 * GRACE, "{mode}: {took:?}");
    }
}

/// The second search may start from what the first learnt, so an answer is right too.
#[test]
fn a_limit_on_conflicts() {
    for (mode, make) in MODES {
        let s = TermStore::new();
        let budget = Budget {
            conflicts: Some(20),
            // A stop should the limit be ignored.
            ..Budget::timeout(Duration::from_secs(10))
        };
        let query = Query::new(Facts::new(), hard_product(&s, 64)).within(budget);
        let answer = make().solve(&s, &query);
        if let Answer::Unknown(reason) = &answer {
            assert_eq!(*reason, UnknownReason::Conflicts, "{mode}");
        }
    }
}

#[test]
fn a_limit_on_memory() {
    for (mode, make) in MODES {
        let s = TermStore::new();
        let budget = Budget {
            memory: Some(1),
            ..Budget::timeout(Duration::from_secs(20))
        };
        let query = Query::new(Facts::new(), hard_product(&s, 512)).within(budget);
        let answer = make().solve(&s, &query);
        assert!(
            matches!(answer, Answer::Unknown(UnknownReason::Memory)),
            "{mode}: {answer:?}"
        );
    }
}
