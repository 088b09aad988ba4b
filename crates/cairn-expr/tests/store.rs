//! Proves what the store promises: equal structure is one term, dead terms are given back, ids
//! come again but births and values do not, and terms mean the same in every store.

mod common;

use cairn_expr::{
    BitVec, Evaluator, Model, Op, Portable, PostOrder, Sort, Support, Term, TermStore, Value,
    dag_size, symbols_of,
};
use cairn_random::Random;
use common::{Generator, Values, same_value};
use std::collections::{HashMap, HashSet};

const W: Sort = Sort::BitVec(16);

fn grown(store: &TermStore, seed: u64, steps: usize) -> Generator<'_> {
    let mut g = Generator::new(store, seed, &[3, 8, 20, 70], 2);
    for _ in 0..steps {
        g.grow();
    }
    g
}

/// A term that no other call with another number builds.
fn unique(s: &TermStore, x: &Term, n: u64) -> Term {
    s.bv_udiv(&s.bv_mul(x, &s.bv(16, 2 * n + 3)), x)
}

#[test]
fn equal_structure_is_one_term() {
    let s = TermStore::new();
    let first: Vec<Term> = grown(&s, 7, 400).pool.into_iter().map(|e| e.term).collect();
    let terms = s.stats().terms;
    let second: Vec<Term> = grown(&s, 7, 400).pool.into_iter().map(|e| e.term).collect();
    assert_eq!(first, second);
    assert_eq!(s.stats().terms, terms, "nothing was built anew");
    // And different structure is not: ids are unique among the living.
    let mut shape: HashMap<u32, Term> = HashMap::new();
    for t in PostOrder::of(&first) {
        assert!(shape.insert(t.id(), t.clone()).is_none());
        let twin = |u: &Term| {
            u.op() == t.op() && u.args() == t.args() && u.sort() == t.sort() && u.id() != t.id()
        };
        assert!(!shape.values().any(twin));
    }
}

/// What a constructor returns is a fixed point: no rule waits for a second chance.
#[test]
fn building_a_term_again_gives_the_same() {
    for seed in 0..300 {
        let s = TermStore::new();
        for entry in grown(&s, seed, 300).pool {
            let again = s.rebuild(&entry.term, entry.term.args());
            assert_eq!(again, entry.term, "seed {seed}");
        }
    }
}

#[test]
fn operands_of_commutative_operators_have_one_order() {
    let s = TermStore::new();
    let terms: Vec<Term> = (grown(&s, 8, 150).pool.into_iter())
        .map(|e| e.term)
        .filter(|t| !matches!(t.sort(), Sort::Array { .. }))
        .collect();
    for a in &terms {
        for b in terms.iter().filter(|b| b.sort() == a.sort()) {
            let ops = match a.sort() {
                Sort::Bool => vec![Op::And, Op::Eq],
                _ => vec![Op::Eq, Op::BvAnd, Op::BvOr, Op::BvXor, Op::BvAdd, Op::BvMul],
            };
            for op in ops {
                assert!(op.info().commutative);
                let one = s.apply(&op, &[a.clone(), b.clone()]).expect("same sort");
                let other = s.apply(&op, &[b.clone(), a.clone()]).expect("same sort");
                assert_eq!(one, other, "{op:?} {a:?} {b:?}");
            }
        }
    }
}

#[test]
fn sweeping_gives_memory_back() {
    let s = TermStore::new();
    let x = s.symbol("x", W);
    s.sweep();
    let before = s.stats();
    let kept = unique(&s, &x, 1);
    let dropped: Vec<Term> = (2..1000).map(|n| unique(&s, &x, n)).collect();
    let dead_ids: HashSet<u32> = dropped.iter().map(Term::id).collect();
    let last_birth = dropped.iter().map(Term::birth).max().expect("not empty");
    s.sweep();
    assert!(
        s.stats().terms > 2000,
        "held terms stay, with their operands"
    );
    let bound = s.id_bound();
    drop(dropped);
    s.sweep();
    // The kept term, its product and its constant.
    assert_eq!(s.stats().terms, before.terms + 3);
    assert_eq!(s.stats().sweeps, before.sweeps + 2);
    assert_eq!(kept, unique(&s, &x, 1));
    let again: Vec<Term> = (2000..2500).map(|n| unique(&s, &x, n)).collect();
    assert_eq!(s.id_bound(), bound, "ids are used again");
    assert!(again.iter().any(|t| dead_ids.contains(&t.id())));
    for t in again.iter().flat_map(PostOrder::new) {
        let old = [&kept, &x]
            .iter()
            .any(|k| PostOrder::new(k).any(|u| u == t));
        assert!(old || t.birth() > last_birth, "births are not used again");
    }
}

#[test]
fn the_store_sweeps_by_itself() {
    let s = TermStore::new();
    let x = s.symbol("x", Sort::BitVec(64));
    for n in 0..1_000_000 {
        s.bv_udiv(&x, &s.bv(64, 2 * n + 3));
    }
    let stats = s.stats();
    assert!(stats.sweeps > 5);
    assert!(stats.terms < 200_000, "{} terms", stats.terms);
    assert!(s.id_bound() < 200_000);
    assert!(stats.births > 2_000_000);
}

#[test]
fn a_dead_term_that_was_not_swept_comes_back() {
    let s = TermStore::new();
    let x = s.symbol("x", W);
    let birth = unique(&s, &x, 5).birth();
    assert_eq!(unique(&s, &x, 5).birth(), birth);
    s.sweep();
    assert_ne!(unique(&s, &x, 5).birth(), birth);
}

#[test]
fn shared_operands_survive_their_dead_users() {
    let s = TermStore::new();
    let x = s.symbol("x", W);
    let shared = unique(&s, &x, 1);
    let kept = s.bv_not(&shared);
    let dead = s.bv_mul(&shared, &shared);
    drop((dead, shared));
    s.sweep();
    assert_eq!(kept, s.bv_not(&unique(&s, &x, 1)));
    assert_eq!(dag_size(&kept), 5);
    drop((kept, x));
    s.sweep();
    assert_eq!(s.stats().terms, 2, "true and false stay");
}

#[test]
fn no_stale_value_after_ids_are_used_again() {
    let s = TermStore::new();
    let mut rng = Random::new(3);
    let x = s.symbol("x", Sort::BitVec(80));
    let y = s.symbol("y", W);
    let (a, b) = (rng.uniform(80), rng.uniform(16));
    let mut model = Model::new();
    model.set(x.clone(), Value::Bv(a.clone()));
    model.set(y.clone(), Value::Bv(b.clone()));
    // One model all along, so the evaluator is never told to forget.
    let mut e = Evaluator::new();
    let mut seen = HashSet::new();
    let mut reused = 0;
    for n in 0..2000 {
        let c = rng.uniform(80);
        let wide = s.bv_mul(&x, &s.constant(c.clone()));
        assert_eq!(e.eval_bv(&wide, &model), a.mul(&c));
        let k = rng.uniform(16);
        let narrow = s.bv_mul(&y, &s.constant(k.clone()));
        assert_eq!(e.eval_bv(&narrow, &model), b.mul(&k));
        let less = s.bv_ult(&narrow, &s.constant(k.clone()));
        assert_eq!(e.eval_bool(&less, &model), b.mul(&k).ult(&k));
        for t in [&wide, &narrow, &less] {
            reused += usize::from(!seen.insert(t.id()));
        }
        drop((wide, narrow, less));
        if n % 3 == 0 {
            s.sweep();
        }
    }
    assert!(reused > 1000, "the test means something");
}

/// A walk over several roots goes on although the first root has died meanwhile.
#[test]
fn walks_survive_the_death_of_a_root() {
    let s = TermStore::new();
    let (x, y) = (s.symbol("x", W), s.symbol("y", W));
    let first = unique(&s, &x, 1);
    let later = s.bv_not(&y);
    let mut walk = PostOrder::of([&first, &later]);
    let mut count = walk.by_ref().take(dag_size(&first)).count();
    drop(first);
    s.sweep();
    // Takes the ids of the dead.
    let fresh: Vec<Term> = (50..60).map(|n| unique(&s, &y, n)).collect();
    count += walk.count();
    assert_eq!(count, 4 + 2);
    assert_eq!(symbols_of(&fresh), [y]);
}

#[test]
fn terms_outlive_their_store() {
    let s = TermStore::new();
    let x = s.symbol("x", W);
    let term = unique(&s, &x, 9);
    let support = term.attributes().support.clone();
    drop(s);
    assert_eq!(dag_size(&term), 4);
    assert_eq!(term.arg(1), &x);
    assert!(matches!(support, Support::Keys(keys) if keys.len() == 1));
}

/// Symbols are born in another order, and other terms lie between: the canonical form is the same.
#[test]
fn canonical_order_does_not_depend_on_the_store() {
    for seed in 0..20 {
        let one = TermStore::new();
        let other = TermStore::new();
        let symbols = symbols_of(grown(&one, seed, 0).pool.iter().map(|e| &e.term));
        for symbol in symbols.iter().rev() {
            let name = symbol.symbol_name().expect("a symbol");
            let twin = other.symbol(&name, symbol.sort());
            if let Sort::BitVec(w) = twin.sort() {
                let _ = other.bv_mul(&twin, &other.constant(BitVec::ones(w)));
            }
        }
        let (g, h) = (grown(&one, seed, 300), grown(&other, seed, 300));
        let moved = Portable::export(h.pool.iter().map(|e| &e.term)).import(&one);
        for ((e, f), back) in g.pool.iter().zip(&h.pool).zip(&moved) {
            assert_eq!(e.term.shape_hash(), f.term.shape_hash(), "{:?}", e.term);
            assert_eq!(e.term, *back);
        }
    }
}

#[test]
fn terms_travel_between_threads() {
    let home = TermStore::new();
    let g = grown(&home, 77, 400);
    let terms: Vec<&Term> = g.pool.iter().map(|e| &e.term).collect();
    let hashes: Vec<u64> = terms.iter().map(|t| t.shape_hash()).collect();
    let values: Vec<Value> = g.pool.iter().map(|e| e.values[0].clone()).collect();
    let assigned: Vec<(String, Sort, Value)> = (g.models[0].iter())
        .map(|(t, v)| {
            (
                t.symbol_name().expect("a symbol").into(),
                t.sort(),
                v.clone(),
            )
        })
        .collect();
    let packed = Portable::export(terms.iter().copied());
    assert_eq!(packed.len(), PostOrder::of(terms.iter().copied()).count());
    assert!(!packed.is_empty());
    let returned: Vec<Portable> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|n| {
                let (packed, hashes, values, assigned) = (&packed, &hashes, &values, &assigned);
                scope.spawn(move || {
                    let store = TermStore::new();
                    let _noise = grown(&store, n, 100);
                    let arrived = packed.import(&store);
                    let mut model = Model::new();
                    for (name, sort, value) in assigned {
                        model.set(store.symbol(name, *sort), value.clone());
                    }
                    let mut e = Evaluator::new();
                    for ((t, hash), value) in arrived.iter().zip(hashes).zip(values) {
                        assert_eq!(t.shape_hash(), *hash);
                        assert!(same_value(&e.eval(t, &model), value));
                        // What arrives is canonical here: building it again changes nothing.
                        assert_eq!(store.rebuild(t, t.args()), *t);
                    }
                    Portable::export(&arrived)
                })
            })
            .collect();
        workers
            .into_iter()
            .map(|w| w.join().expect("the worker is well"))
            .collect()
    });
    for bundle in returned {
        let back = bundle.import(&home);
        assert!(back.iter().eq(terms.iter().copied()), "the same terms");
    }
}

#[test]
fn sorts_are_checked() {
    let s = TermStore::new();
    let widest = Sort::BitVec(BitVec::MAX_WIDTH);
    let big = s.symbol("big", widest);
    let x = s.symbol("x", W);
    let p = s.symbol("p", Sort::Bool);
    let wrong: [(Op, &[&Term]); 14] = [
        (Op::Concat, &[&big, &x]),
        (Op::ZeroExtend(1), &[&big]),
        (Op::SignExtend(u32::MAX), &[&x]),
        (Op::ZeroExtend(u32::MAX), &[&big]),
        (Op::Extract { hi: 16, lo: 0 }, &[&x]),
        (Op::Extract { hi: 3, lo: 4 }, &[&x]),
        (
            Op::Extract {
                hi: u32::MAX,
                lo: 0,
            },
            &[&x],
        ),
        (Op::BvAdd, &[&x, &big]),
        (Op::Eq, &[&x, &p]),
        (Op::Ite, &[&x, &x, &x]),
        (Op::Select, &[&x, &x]),
        (Op::ConstArray { index: 0 }, &[&x]),
        (Op::ConstArray { index: u32::MAX }, &[&x]),
        (Op::And, &[&p]),
    ];
    for (op, args) in wrong {
        let args: Vec<Term> = args.iter().map(|t| (*t).clone()).collect();
        assert!(s.apply(&op, &args).is_err(), "{op:?}");
    }
    // The limit itself is legal.
    let half = s.symbol("half", Sort::BitVec(BitVec::MAX_WIDTH / 2));
    assert_eq!(s.concat(&half, &half).sort(), widest);
    assert_eq!(s.sign_extend(&half, BitVec::MAX_WIDTH / 2).sort(), widest);
    assert_eq!(s.bv_umulo(&big, &big).sort(), Sort::Bool);
    assert_eq!(s.bv_smulo(&big, &big).sort(), Sort::Bool);
}

/// Words of more than 64 bits are not rewritten like others; comparisons of their quotients still say what they say.
#[test]
fn quotients_of_wide_words_are_compared() {
    let store = TermStore::new();
    for width in [64, 65, 128] {
        let x = store.symbol("x", Sort::BitVec(width));
        let [ten, seven] = [10, 7].map(|value| store.bv(width, value));
        let (s, u) = (store.bv_sdiv(&x, &ten), store.bv_udiv(&x, &ten));
        // Each with what it is for -80, 69, 70 and 80.
        let cases = [
            (store.bv_slt(&s, &seven), [true, true, false, false]),
            (store.bv_slt(&seven, &s), [false, false, false, true]),
            (store.bv_ult(&u, &seven), [false, true, false, false]),
            (store.eq(&s, &seven), [false, false, true, false]),
            (store.eq(&u, &seven), [false, false, true, false]),
        ];
        let numbers = [80, 69, 70, 80].map(|value| BitVec::new(width, value));
        for (number, value) in numbers.into_iter().enumerate() {
            let value = match number {
                0 => BitVec::zero(width).sub(&value),
                _ => value,
            };
            let mut model = Model::new();
            model.set(x.clone(), Value::Bv(value));
            let mut e = Evaluator::new();
            e.start();
            for (term, expected) in &cases {
                assert_eq!(
                    e.eval_bool(term, &model),
                    expected[number],
                    "{width} {number}"
                );
            }
        }
    }
}
