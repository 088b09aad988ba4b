//! The native core through a chain without layers, with its own search and with CaDiCaL alone.
//!
//! - Every operator at small widths, by exhaustion.
//! - Depth, deadlines, cancellation, limits on conflicts and memory.
//! - Minimal cores, arrays with known answers, long walks on which both modes must agree.
//! - Starting the circuit again, and terms of a foreign store.
//!
//! The chain evaluates every model on the whole query, so a SAT here is a right one.

use cairn_expr::{BitVec, Sort, Table, Term, TermStore};
use cairn_solver::cores::bitblast::BitblastCore;
use cairn_solver::{
    AddressFact, Answer, Budget, Cancel, Chain, ChainConfig, Facts, Query, Reason, UnsatCore, Want,
};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A small generator with a fixed sequence.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

fn guided() -> Chain {
    Chain::from_names("none", "native").expect("the native core exists")
}

fn gates() -> Chain {
    Chain::new(
        vec![Box::new(BitblastCore::default().gates_only())],
        ChainConfig::default(),
    )
}

fn thorough() -> Chain {
    Chain::new(
        vec![Box::new(BitblastCore::default().thorough_only())],
        ChainConfig::default(),
    )
}

type Mode = (&'static str, fn() -> Chain);

const MODES: [Mode; 3] = [("guided", guided), ("gates", gates), ("thorough", thorough)];

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

type Build = fn(&TermStore, &Term, &Term) -> Term;
type Meaning = fn(&BitVec, &BitVec) -> BitVec;

fn bit(b: bool) -> BitVec {
    BitVec::from_bool(b)
}

/// Operators of two words; Booleans are made one bit.
const OPERATORS: &[(&str, Build, Meaning)] = &[
    ("add", TermStore::bv_add, BitVec::add),
    ("sub", TermStore::bv_sub, BitVec::sub),
    ("mul", TermStore::bv_mul, BitVec::mul),
    ("udiv", TermStore::bv_udiv, BitVec::udiv),
    ("urem", TermStore::bv_urem, BitVec::urem),
    ("sdiv", TermStore::bv_sdiv, BitVec::sdiv),
    ("srem", TermStore::bv_srem, BitVec::srem),
    ("smod", TermStore::bv_smod, BitVec::smod),
    ("and", TermStore::bv_and, BitVec::and),
    ("or", TermStore::bv_or, BitVec::or),
    ("xor", TermStore::bv_xor, BitVec::xor),
    ("nand", TermStore::bv_nand, BitVec::nand),
    ("nor", TermStore::bv_nor, BitVec::nor),
    ("xnor", TermStore::bv_xnor, BitVec::xnor),
    ("shl", TermStore::bv_shl, BitVec::shl),
    ("lshr", TermStore::bv_lshr, BitVec::lshr),
    ("ashr", TermStore::bv_ashr, BitVec::ashr),
    ("concat", TermStore::concat, BitVec::concat),
    ("comp", TermStore::bv_comp, BitVec::comp),
    ("not", |s, a, _| s.bv_not(a), |a, _| a.not()),
    ("neg", |s, a, _| s.bv_neg(a), |a, _| a.neg()),
    ("zext", |s, a, _| s.zero_extend(a, 2), |a, _| a.zext(2)),
    ("sext", |s, a, _| s.sign_extend(a, 2), |a, _| a.sext(2)),
    (
        "low bit",
        |s, a, _| s.extract(a, 0, 0),
        |a, _| a.extract(0, 0),
    ),
    (
        "high bits",
        |s, a, _| s.extract(a, a.width() - 1, a.width() / 2),
        |a, _| a.extract(a.width() - 1, a.width() / 2),
    ),
    (
        "rol 1",
        |s, a, _| s.rotate_left(a, 1),
        |a, _| a.rotate_left(1),
    ),
    (
        "ror 1",
        |s, a, _| s.rotate_right(a, 1),
        |a, _| a.rotate_right(1),
    ),
    ("rol", TermStore::bv_rotate_left, |a, b| {
        a.rotate_left(b.low_u64() as u32)
    }),
    ("ror", TermStore::bv_rotate_right, |a, b| {
        a.rotate_right(b.low_u64() as u32)
    }),
    ("repeat", |s, a, _| s.repeat(a, 3), |a, _| a.repeat(3)),
    (
        "ult",
        |s, a, b| s.bool_to_bit(&s.bv_ult(a, b)),
        |a, b| bit(a.ult(b)),
    ),
    (
        "ule",
        |s, a, b| s.bool_to_bit(&s.bv_ule(a, b)),
        |a, b| bit(a.ule(b)),
    ),
    (
        "ugt",
        |s, a, b| s.bool_to_bit(&s.bv_ugt(a, b)),
        |a, b| bit(a.ugt(b)),
    ),
    (
        "uge",
        |s, a, b| s.bool_to_bit(&s.bv_uge(a, b)),
        |a, b| bit(a.uge(b)),
    ),
    (
        "slt",
        |s, a, b| s.bool_to_bit(&s.bv_slt(a, b)),
        |a, b| bit(a.slt(b)),
    ),
    (
        "sle",
        |s, a, b| s.bool_to_bit(&s.bv_sle(a, b)),
        |a, b| bit(a.sle(b)),
    ),
    (
        "sgt",
        |s, a, b| s.bool_to_bit(&s.bv_sgt(a, b)),
        |a, b| bit(a.sgt(b)),
    ),
    (
        "sge",
        |s, a, b| s.bool_to_bit(&s.bv_sge(a, b)),
        |a, b| bit(a.sge(b)),
    ),
    (
        "eq",
        |s, a, b| s.bool_to_bit(&s.eq(a, b)),
        |a, b| bit(a == b),
    ),
    (
        "ite",
        |s, a, b| s.ite(&s.bv_slt(a, b), a, b),
        |a, b| if a.slt(b) { a.clone() } else { b.clone() },
    ),
    (
        "nego",
        |s, a, _| s.bool_to_bit(&s.bv_nego(a)),
        |a, _| bit(a.nego()),
    ),
    (
        "uaddo",
        |s, a, b| s.bool_to_bit(&s.bv_uaddo(a, b)),
        |a, b| bit(a.uaddo(b)),
    ),
    (
        "saddo",
        |s, a, b| s.bool_to_bit(&s.bv_saddo(a, b)),
        |a, b| bit(a.saddo(b)),
    ),
    (
        "usubo",
        |s, a, b| s.bool_to_bit(&s.bv_usubo(a, b)),
        |a, b| bit(a.usubo(b)),
    ),
    (
        "ssubo",
        |s, a, b| s.bool_to_bit(&s.bv_ssubo(a, b)),
        |a, b| bit(a.ssubo(b)),
    ),
    (
        "umulo",
        |s, a, b| s.bool_to_bit(&s.bv_umulo(a, b)),
        |a, b| bit(a.umulo(b)),
    ),
    (
        "smulo",
        |s, a, b| s.bool_to_bit(&s.bv_smulo(a, b)),
        |a, b| bit(a.smulo(b)),
    ),
    (
        "sdivo",
        |s, a, b| s.bool_to_bit(&s.bv_sdivo(a, b)),
        |a, b| bit(a.sdivo(b)),
    ),
];

#[test]
fn every_operator_by_exhaustion() {
    for (mode, make) in MODES {
        for width in 1..=3u32 {
            let s = TermStore::new();
            let mut chain = make();
            let (x, y) = (
                s.symbol("x", Sort::BitVec(width)),
                s.symbol("y", Sort::BitVec(width)),
            );
            for a in 0..1u64 << width {
                for b in 0..1u64 << width {
                    let facts = Facts::new()
                        .with(s.eq(&x, &s.bv(width, a)))
                        .with(s.eq(&y, &s.bv(width, b)));
                    let (va, vb) = (BitVec::new(width, a), BitVec::new(width, b));
                    for (name, build, meaning) in OPERATORS {
                        let value = s.constant(meaning(&va, &vb));
                        let is = s.eq(&build(&s, &x, &y), &value);
                        let what = format!("{mode}: {name} of {a} and {b} at width {width}");
                        let yes = chain.solve(&s, &Query::new(facts.clone(), is.clone()));
                        assert_eq!(yes.verdict(), "sat", "{what}: {yes:?}");
                        let no = chain.solve(&s, &Query::new(facts.clone(), s.not(&is)));
                        assert_eq!(no.verdict(), "unsat", "{what}: {no:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn booleans_by_exhaustion() {
    type BuildBool = fn(&TermStore, &Term, &Term) -> Term;
    type MeaningBool = fn(bool, bool) -> bool;
    let operators: [(BuildBool, MeaningBool); 6] = [
        (TermStore::and, |a, b| a & b),
        (TermStore::or, |a, b| a | b),
        (TermStore::xor, |a, b| a ^ b),
        (TermStore::implies, |a, b| !a | b),
        (TermStore::eq, |a, b| a == b),
        (|s, a, b| s.ite(a, &s.not(b), b), |a, b| a ^ b),
    ];
    for (mode, make) in MODES {
        let s = TermStore::new();
        let mut chain = make();
        let (p, q) = (s.symbol("p", Sort::Bool), s.symbol("q", Sort::Bool));
        for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
            let facts = Facts::new()
                .with(s.eq(&p, &s.bool(a)))
                .with(s.eq(&q, &s.bool(b)));
            for (build, meaning) in operators {
                let is = s.eq(&build(&s, &p, &q), &s.bool(meaning(a, b)));
                assert_eq!(verdict(&mut chain, &s, &facts, &is), "sat", "{mode}");
                let is_not = s.not(&is);
                assert_eq!(verdict(&mut chain, &s, &facts, &is_not), "unsat", "{mode}");
            }
        }
    }
}

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
            assert_eq!(*reason, Reason::Timeout);
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
fn a_million_additions_thorough() {
    deep(thorough);
}

/// `x * y = z` with `x`, `y` not trivial and a product that is hard to split.
fn hard_product(s: &TermStore, width: u32) -> Term {
    let half = width / 2;
    let x = s.zero_extend(&s.symbol("hx", Sort::BitVec(half)), half);
    let y = s.zero_extend(&s.symbol("hy", Sort::BitVec(half)), half);
    let mut random = Random(u64::from(width));
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

const LIMIT: Duration = Duration::from_millis(50);
const GRACE: Duration = Duration::from_millis(100);

fn deadline_holds(build: fn(&TermStore, u32) -> Term, width: u32) {
    for (mode, make) in MODES {
        let took = best_of_three(|| {
            let s = TermStore::new();
            let goal = build(&s, width);
            let mut chain = make();
            let start = Instant::now();
            let query = Query::new(Facts::new(), goal).within(Budget::timeout(LIMIT));
            let answer = chain.solve(&s, &query);
            let took = start.elapsed();
            assert!(
                matches!(answer, Answer::Unknown(Reason::Timeout)),
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
            let start = Instant::now();
            let query = Query::new(facts, goal).within(Budget::timeout(LIMIT));
            // Whether it is decided in time is the machine's business.
            let _ = chain.solve(&s, &query);
            start.elapsed()
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
                matches!(answer, Answer::Unknown(Reason::Cancelled)),
                "{mode}: {answer:?}"
            );
            end.saturating_duration_since(set)
        });
        assert!(took < GRACE, "{mode}: {took:?}");
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
            assert_eq!(*reason, Reason::Conflicts, "{mode}");
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
            matches!(answer, Answer::Unknown(Reason::Memory)),
            "{mode}: {answer:?}"
        );
    }
}

fn core_of(answer: Answer) -> UnsatCore {
    match answer {
        Answer::Unsat(core) => core,
        other => panic!("{other:?}"),
    }
}

#[test]
fn minimal_cores() {
    for (mode, make) in MODES {
        let s = TermStore::new();
        let byte = |name: &str| s.symbol(name, Sort::BitVec(8));
        let (x, y) = (byte("x"), byte("y"));
        let sum = s.eq(&s.bv_add(&x, &y), &s.bv(8, 7));
        let product = s.eq(&s.bv_mul(&x, &y), &s.bv(8, 3));
        // A product that is odd has odd factors, whose sum is even.
        let mut facts = Facts::new();
        for i in 0..5 {
            facts = facts.with(s.bv_ult(&byte(&format!("f{i}")), &x));
        }
        facts = facts.with(sum.clone());
        for i in 5..10 {
            facts = facts.with(s.bv_ult(&y, &byte(&format!("f{i}"))));
        }
        let in_goal = Query::new(facts.clone(), product.clone()).wanting(Want::Core);
        let mut chain = make();
        let core = core_of(chain.solve(&s, &in_goal));
        assert_eq!(core.facts, std::slice::from_ref(&sum), "{mode}");
        assert!(core.goal, "{mode}");

        let other_goal = s.bv_ult(&byte("z"), &s.bv(8, 9));
        let in_facts = Query::new(facts.with(product.clone()), other_goal).wanting(Want::Core);
        for chain in [&mut chain, &mut make()] {
            let core = core_of(chain.solve(&s, &in_facts));
            assert!(!core.goal, "{mode}");
            assert_eq!(core.facts.len(), 2, "{mode}");
            assert!(core.facts.contains(&sum) && core.facts.contains(&product));
        }
    }
}

/// Addresses hold like facts and are no part of a core.
#[test]
fn addresses_hold_and_stay_out_of_cores() {
    for (mode, make) in MODES {
        let s = TermStore::new();
        let (base, x) = (
            s.symbol("base", Sort::BitVec(32)),
            s.symbol("x", Sort::BitVec(32)),
        );
        let fact = s.eq(&x, &s.bv_add(&base, &s.bv(32, 4)));
        let mut query = Query::new(Facts::new().with(fact.clone()), s.eq(&x, &s.bv(32, 0x1004)));
        query.addresses = Rc::new([AddressFact {
            symbol: base,
            value: BitVec::new(32, 0x1000),
        }]);
        let mut chain = make();
        assert!(chain.solve(&s, &query).is_sat(), "{mode}");
        let other = query
            .with_goal(s.eq(&x, &s.bv(32, 0x1005)))
            .wanting(Want::Core);
        let core = core_of(chain.solve(&s, &other));
        assert_eq!(core.facts, [fact], "{mode}");
        assert!(core.goal, "{mode}");
    }
}

const BYTES: Sort = Sort::Array {
    index: 16,
    value: 8,
};

/// Three hundred stores at symbolic indices below a read.
#[test]
fn long_chains_of_stores() {
    let s = TermStore::new();
    let a = s.symbol("a", BYTES);
    let indices: Vec<Term> = (0..300)
        .map(|i| s.symbol(&format!("i{i}"), Sort::BitVec(16)))
        .collect();
    let stored = (0..300u64).fold(a.clone(), |m, i| {
        s.store(&m, &indices[i as usize], &s.bv(8, i % 200))
    });
    let j = s.symbol("j", Sort::BitVec(16));
    let read = s.select(&stored, &j);
    let here = Facts::new().with(s.eq(&j, &indices[299]));
    both(&s, &here, &s.eq(&read, &s.bv(8, 99)), "sat");
    both(&s, &here, &s.eq(&read, &s.bv(8, 98)), "unsat");
    // 199 is stored by number 199 alone; the rest of the chain must be passed by.
    both(&s, &Facts::new(), &s.eq(&read, &s.bv(8, 199)), "sat");
    // Beyond all indices the read is the array's own element.
    let outside = indices
        .iter()
        .fold(Facts::new(), |f, i| f.with(s.bv_ult(i, &j)));
    let own = s.select(&a, &j);
    both(&s, &outside, &s.eq(&read, &s.bv(8, 222)), "sat");
    both(&s, &outside, &s.not(&s.eq(&read, &own)), "unsat");
    // 250 is stored nowhere: then it is the array's own.
    let never = Facts::new().with(s.eq(&read, &s.bv(8, 250)));
    both(&s, &never, &s.not(&s.eq(&own, &s.bv(8, 250))), "unsat");
}

fn table_of(s: &TermStore, index: u32, length: u64, element: impl Fn(u64) -> u64) -> Term {
    let values = (0..length).map(|i| BitVec::new(16, element(i))).collect();
    s.table(Table::new(index, values, BitVec::new(16, 0xFFFF)))
}

/// Tables below and above the size up to which they are circuits.
#[test]
fn reads_of_tables() {
    for length in [100, 4096, 4097, 10_000] {
        let s = TermStore::new();
        // Never the default.
        let element = |i: u64| ((i * 40_503 + 3) & 0x7FFF) | ((i & 1) << 13);
        let table = table_of(&s, 16, length, element);
        let i = s.symbol("i", Sort::BitVec(16));
        let read = s.select(&table, &i);
        for at in [0, 1, length / 2, length - 1] {
            let fixed = Facts::new().with(s.eq(&i, &s.bv(16, at)));
            both(&s, &fixed, &s.eq(&read, &s.bv(16, element(at))), "sat");
            let other = s.not(&s.eq(&read, &s.bv(16, element(at))));
            both(&s, &fixed, &other, "unsat");
        }
        // A table that is no circuit costs a round per index that the facts allow.
        let ask = |facts: &Facts, goal: &Term, expected: &str| both(&s, facts, goal, expected);
        let beyond = Facts::new()
            .with(s.bv_ule(&s.bv(16, length), &i))
            .with(s.bv_ult(&i, &s.bv(16, length + 20)));
        ask(&beyond, &s.eq(&read, &s.bv(16, 0xFFFF)), "sat");
        let other = s.not(&s.eq(&read, &s.bv(16, 0xFFFF)));
        ask(&beyond, &other, "unsat");
        // A value that no index below 12 holds, and one that is held.
        let near = Facts::new().with(s.bv_ult(&i, &s.bv(16, 12)));
        let taken: Vec<u64> = (0..12).map(element).collect();
        let free = (0..).find(|v| !taken.contains(v)).expect("some");
        ask(&near, &s.eq(&read, &s.bv(16, free)), "unsat");
        ask(&near, &s.eq(&read, &s.bv(16, element(11))), "sat");
    }
}

/// Stretches of equal elements in a table that is no circuit, at their ends and over many of them.
#[test]
fn reads_of_stretches() {
    let s = TermStore::new();
    let element = |i: u64| i / 1000 * 7;
    let table = table_of(&s, 16, 9_000, element);
    let (i, j) = (
        s.symbol("i", Sort::BitVec(16)),
        s.symbol("j", Sort::BitVec(16)),
    );
    let (read, other) = (s.select(&table, &i), s.select(&table, &j));
    let is = |term: &Term, value: u64| s.eq(term, &s.bv(16, value));
    // The last index of a stretch and the first of the next are apart by one, the elements by 7.
    let next = s.eq(&j, &s.bv_add(&i, &s.bv(16, 1)));
    let inside = s.bv_ult(&i, &s.bv(16, 8_999));
    let near = Facts::new().with(next).with(inside);
    let step = s.eq(&other, &s.bv_add(&read, &s.bv(16, 7)));
    both(&s, &near, &s.and(&step, &is(&i, 3_999)), "sat");
    both(&s, &near, &s.and(&step, &is(&i, 4_000)), "unsat");
    both(&s, &near, &s.and(&step, &is(&i, 3_998)), "unsat");
    let two = s.eq(&other, &s.bv_add(&read, &s.bv(16, 14)));
    both(&s, &near, &two, "unsat");
    // One index of a range is in another stretch than the rest.
    let between = |first: u64, last: u64| {
        let offset = s.bv_sub(&i, &s.bv(16, first));
        Facts::new().with(s.bv_ule(&offset, &s.bv(16, last - first)))
    };
    both(&s, &between(3_500, 4_000), &is(&read, 28), "sat");
    both(&s, &between(3_999, 4_500), &is(&read, 21), "sat");
    // No index has an element that is no multiple, and beyond the table there is the default only.
    both(&s, &Facts::new(), &is(&read, 22), "unsat");
    let beyond = Facts::new().with(s.bv_ule(&s.bv(16, 9_000), &i));
    both(&s, &beyond, &s.not(&is(&read, 0xFFFF)), "unsat");
    both(&s, &beyond, &is(&i, 9_000), "sat");
}

/// A condition on one byte is tabulated, whatever it reads: large tables, stores into tables,
/// equalities between them.
#[test]
fn conditions_on_one_byte() {
    let s = TermStore::new();
    let b = s.symbol("b", Sort::BitVec(8));
    let table = table_of(&s, 16, 10_000, |i| i * 3);
    let read = s.select(&table, &s.zero_extend(&b, 8));
    let here = Facts::new().with(s.eq(&read, &s.bv(16, 600)));
    both(&s, &here, &s.eq(&b, &s.bv(8, 200)), "sat");
    both(&s, &here, &s.bv_ult(&b, &s.bv(8, 200)), "unsat");
    let stored = s.store(&table, &s.zero_extend(&b, 8), &s.bv(16, 21));
    let same = Facts::new().with(s.eq(&stored, &table));
    both(&s, &same, &s.eq(&b, &s.bv(8, 7)), "sat");
    both(&s, &same, &s.not(&s.eq(&b, &s.bv(8, 7))), "unsat");
}

/// A table behind stores and a branch.
#[test]
fn tables_below_stores() {
    for length in [64, 10_000] {
        let s = TermStore::new();
        let table = table_of(&s, 16, length, |i| i & 0x7FFF);
        let word = |name: &str| s.symbol(name, Sort::BitVec(16));
        let (i, j, v) = (word("i"), word("j"), word("v"));
        let p = s.symbol("p", Sort::Bool);
        let stored = s.store(&table, &j, &v);
        let read = s.select(&s.ite(&p, &stored, &table), &i);
        let facts = Facts::new()
            .with(s.bv_ult(&i, &s.bv(16, 50)))
            .with(s.not(&s.eq(&read, &i)));
        both(&s, &facts, &p, "sat");
        both(&s, &facts, &s.not(&p), "unsat");
        both(&s, &facts, &s.not(&s.eq(&i, &j)), "unsat");
        both(&s, &facts, &s.eq(&v, &s.bv(16, 12)), "sat");
    }
}

/// Reads whose index is a read.
#[test]
fn nested_reads() {
    let s = TermStore::new();
    let memory = s.symbol("memory", Sort::Array { index: 8, value: 8 });
    let x = s.symbol("x", Sort::BitVec(8));
    let step = |t: &Term| s.select(&memory, t);
    // A cycle of three: x -> y -> z -> x.
    let (y, z) = (step(&x), step(&step(&x)));
    let round = step(&z);
    let cycle = Facts::new()
        .with(s.eq(&round, &x))
        .with(s.not(&s.eq(&x, &y)));
    both(&s, &cycle, &s.not(&s.eq(&y, &z)), "sat");
    // y = z would make x = y.
    both(&s, &cycle, &s.eq(&y, &z), "unsat");
    let nine = (0..9).fold(x.clone(), |t, _| step(&t));
    both(&s, &cycle, &s.not(&s.eq(&nine, &x)), "unsat");
    let ten = step(&nine);
    both(&s, &cycle, &s.eq(&ten, &x), "unsat");
    // A small permutation as a table, followed round.
    let values = (0..256u64).map(|i| BitVec::new(8, i * 5 + 1)).collect();
    let table = s.table(Table::new(8, values, BitVec::new(8, 0)));
    let twice = s.select(&table, &s.select(&table, &x));
    let expected = s.bv_add(&s.bv_mul(&x, &s.bv(8, 25)), &s.bv(8, 6));
    let differ = s.not(&s.eq(&twice, &expected));
    both(&s, &Facts::new(), &differ, "unsat");
    let fixed_point = s.eq(&s.select(&table, &x), &x);
    // 4 x + 1 is odd.
    both(&s, &Facts::new(), &fixed_point, "unsat");
}

#[test]
fn equalities_between_arrays() {
    let s = TermStore::new();
    let sort = Sort::Array { index: 4, value: 8 };
    let (a, b, c) = (
        s.symbol("a", sort),
        s.symbol("b", sort),
        s.symbol("c", sort),
    );
    let (i, j) = (
        s.symbol("i", Sort::BitVec(4)),
        s.symbol("j", Sort::BitVec(4)),
    );
    let v = s.symbol("v", Sort::BitVec(8));
    let differ = |x: &Term, y: &Term| s.not(&s.eq(x, y));
    let none = Facts::new();
    both(&s, &none, &s.eq(&a, &b), "sat");
    both(&s, &none, &differ(&a, &b), "sat");
    let chain = Facts::new().with(s.eq(&a, &b)).with(s.eq(&b, &c));
    both(&s, &chain, &differ(&a, &c), "unsat");
    let reads_differ = differ(&s.select(&a, &i), &s.select(&c, &i));
    both(&s, &chain, &reads_differ, "unsat");
    // Stores.
    let stored = s.store(&a, &i, &v);
    let same = Facts::new().with(s.eq(&stored, &a));
    both(&s, &same, &differ(&s.select(&a, &i), &v), "unsat");
    both(&s, &same, &s.eq(&s.select(&a, &i), &s.bv(8, 3)), "sat");
    let (ij, ji) = (
        s.store(&s.store(&a, &i, &v), &j, &s.bv(8, 1)),
        s.store(&s.store(&a, &j, &s.bv(8, 1)), &i, &v),
    );
    let distinct = Facts::new().with(differ(&i, &j));
    both(&s, &distinct, &differ(&ij, &ji), "unsat");
    both(&s, &none, &differ(&ij, &ji), "sat");
    // Constant arrays.
    let all = |value: &Term| s.const_array(4, value);
    let seven = Facts::new().with(s.eq(&a, &all(&s.bv(8, 7))));
    both(&s, &seven, &s.eq(&s.select(&a, &i), &s.bv(8, 7)), "sat");
    let other = differ(&s.select(&a, &i), &s.bv(8, 7));
    both(&s, &seven, &other, "unsat");
    let also = seven.with(s.eq(&b, &all(&v)));
    both(&s, &also, &s.eq(&a, &b), "sat");
    both(
        &s,
        &also.with(differ(&v, &s.bv(8, 7))),
        &s.eq(&a, &b),
        "unsat",
    );
    let patched = s.store(&all(&s.bv(8, 7)), &i, &s.bv(8, 9));
    both(&s, &seven, &s.eq(&patched, &a), "unsat");
    let holds_nine = s.eq(&s.select(&c, &j), &s.bv(8, 9));
    let as_patched = Facts::new().with(s.eq(&patched, &c)).with(holds_nine);
    both(&s, &as_patched, &differ(&i, &j), "unsat");
    both(&s, &as_patched, &s.eq(&j, &s.bv(4, 11)), "sat");
    // All elements are equal but the arrays are not.
    let agree = (0..16).fold(Facts::new(), |f, k| {
        let at = s.bv(4, k);
        f.with(s.eq(&s.select(&a, &at), &s.select(&b, &at)))
    });
    both(&s, &agree, &differ(&a, &b), "unsat");
    both(&s, &agree, &s.eq(&a, &b), "sat");
    // Branches.
    let p = s.symbol("p", Sort::Bool);
    let either = Facts::new().with(s.eq(&s.ite(&p, &a, &b), &c));
    let neither = s.and(&differ(&a, &c), &differ(&b, &c));
    both(&s, &either, &neither, "unsat");
    both(&s, &either, &differ(&a, &c), "sat");
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
    if random.below(2) == 0 { s.not(&c) } else { c }
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
    let mut random = Random(7);
    let bytes: Vec<Term> = (0..6)
        .map(|i| s.symbol(&format!("b{i}"), Sort::BitVec(8)))
        .collect();
    let memory = s.symbol("m", Sort::Array { index: 8, value: 8 });
    let mut two = thorough();
    let mut paths = vec![Facts::new()];
    let (mut sat, mut unsat) = (0, 0);
    for number in 0..2_000 {
        let at = random.below(paths.len());
        let facts = paths[at].clone();
        let goal = condition(&s, &mut random, &bytes, &memory);
        let mut query = Query::new(facts.clone(), goal.clone());
        if random.below(2) == 0 {
            query = query.assuming_facts_sat();
        }
        let (x, y) = (one.solve(&s, &query), two.solve(&s, &query));
        assert_eq!(x.verdict(), y.verdict(), "query {number}: {x:?}, {y:?}");
        match x {
            Answer::Sat(_) => {
                sat += 1;
                let grown = facts.with(goal);
                if random.below(3) == 0 && paths.len() < 20 {
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
    for (mode, make) in [("gates", gates as fn() -> Chain), ("thorough", thorough)] {
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
            matches!(answer, Answer::Unknown(Reason::Internal(_))),
            "{mode}: {answer:?}"
        );
        assert!(ask(&mut chain, &s).is_sat(), "{mode}");
    }
}
