//! Proves that depth costs heap, not stack, and time in proportion: chains of a million operators
//! are built, printed, evaluated, substituted, moved, swept and dropped on a thread with a stack
//! of 256 KB, and rules that follow chains are given the worst ones.

mod common;

use cairn_expr::{
    BitVec, Evaluator, Model, Op, Portable, Sort, Substitution, Support, Term, TermStore, Value,
    dag_size, symbols_of,
};
use cairn_random::Random;
use common::Values;
use std::sync::Mutex;
use std::time::{Duration, Instant};

const DEPTH: usize = 1_000_000;

/// Deep enough for the chains that need no million: sixteen bytes of stack per level overflow.
const MEDIUM: usize = 250_000;
const STACK: usize = 256 << 10;

/// Far above what each test takes and far below what quadratic work on a million nodes would.
const PATIENCE: Duration = Duration::from_secs(120);

/// One at a time: a million terms take some hundred megabytes.
static TURN: Mutex<()> = Mutex::new(());

fn on_small_stack(work: impl FnOnce() + Send + 'static) {
    let _turn = TURN.lock();
    let start = Instant::now();
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work);
    thread.expect("a thread").join().expect("it ran to its end");
    assert!(start.elapsed() < PATIENCE, "took {:?}", start.elapsed());
}

fn symbols(s: &TermStore, prefix: &str, count: usize, sort: Sort) -> Vec<Term> {
    (0..count)
        .map(|i| s.symbol(&format!("{prefix}{i}"), sort))
        .collect()
}

fn random_model(seed: u64, symbols: &[Term]) -> Model {
    let mut rng = Random::new(seed);
    let mut model = Model::new();
    for symbol in symbols {
        let value = match symbol.sort() {
            Sort::BitVec(w) => Value::Bv(rng.uniform(w)),
            sort => rng.value(sort),
        };
        model.set(symbol.clone(), value);
    }
    model
}

/// Does to a deep term all that is done to terms.
fn exercise(depth: usize, build: fn(&TermStore, usize) -> Term) {
    on_small_stack(move || {
        let store = TermStore::new();
        let term = build(&store, depth);
        let nodes = dag_size(&term);
        assert!(nodes >= depth, "only {nodes} nodes");
        assert!(format!("{term:?}").len() < 20_000);

        let inputs = symbols_of([&term]);
        let mut model = random_model(1, &inputs);
        let mut evaluator = Evaluator::new();
        let value = evaluator.eval(&term, &model);

        // The first input becomes a fresh symbol with its value: all above is rebuilt.
        let fresh = store.symbol("fresh", inputs[0].sort());
        let old = model.get(&inputs[0]).expect("listed").clone();
        model.set(fresh.clone(), old);
        let mut substitution = Substitution::new();
        substitution.insert(inputs[0].clone(), fresh);
        let replaced = substitution.apply(&store, &term);
        assert_ne!(replaced, term);
        assert_eq!(evaluator.eval(&replaced, &model), value);
        drop((substitution, replaced));

        let packed = Portable::export([&term]);
        let abroad = TermStore::new();
        let moved = packed.import(&abroad).remove(0);
        assert_eq!(moved.shape_hash(), term.shape_hash());
        assert_eq!(packed.import(&store), std::slice::from_ref(&term));
        // A term that outlives its store.
        drop((packed, abroad));
        drop(moved);

        // Only the inputs stay, which the model holds.
        drop(term);
        store.sweep();
        assert!(store.stats().terms < 100 + inputs.len());
    });
}

#[test]
fn additions() {
    exercise(DEPTH, |s, depth| {
        let xs = symbols(s, "x", 16, Sort::BitVec(32));
        (0..depth).fold(xs[15].clone(), |t, i| s.bv_add(&t, &xs[i % 16]))
    });
}

/// Each node holds its operand twice.
#[test]
fn doublings() {
    exercise(MEDIUM, |s, depth| {
        let x = s.symbol("x", Sort::BitVec(64));
        (0..depth).fold(x, |t, _| s.bv_add(&t, &t))
    });
}

#[test]
fn complements_and_negations() {
    exercise(MEDIUM, |s, depth| {
        let x = s.symbol("x", Sort::BitVec(32));
        (0..depth / 2).fold(x, |t, _| s.bv_neg(&s.bv_not(&t)))
    });
}

#[test]
fn exclusive_ors_and_additions_of_constants() {
    exercise(MEDIUM, |s, depth| {
        let x = s.symbol("x", Sort::BitVec(32));
        let (c, d) = (s.bv(32, 0x5a5a_1234), s.bv(32, 77));
        (0..depth / 2).fold(x, |t, _| s.bv_add(&s.bv_xor(&t, &c), &d))
    });
}

#[test]
fn ands_and_ors_with_constants() {
    exercise(MEDIUM, and_or_chain);
}

fn and_or_chain(s: &TermStore, depth: usize) -> Term {
    let x = s.symbol("x", Sort::BitVec(32));
    let (c, d) = (s.bv(32, 0xf5a5_1235), s.bv(32, 0x0101_0101));
    (0..depth / 2).fold(x, |t, _| s.bv_or(&s.bv_and(&t, &c), &d))
}

#[test]
fn choices() {
    exercise(MEDIUM, |s, depth| {
        let ps = symbols(s, "p", 8, Sort::Bool);
        let xs = symbols(s, "x", 5, Sort::BitVec(32));
        (0..depth).fold(xs[0].clone(), |t, i| s.ite(&ps[i % 8], &xs[i % 5], &t))
    });
}

#[test]
fn boolean_conjunctions_and_negations() {
    exercise(MEDIUM, |s, depth| {
        let ps = symbols(s, "p", 9, Sort::Bool);
        (0..depth / 2).fold(ps[8].clone(), |t, i| s.not(&s.and(&t, &ps[i % 9])))
    });
}

#[test]
fn concatenations_up_to_the_limit() {
    exercise(BitVec::MAX_WIDTH as usize, |s, depth| {
        let xs = symbols(s, "x", 64, Sort::BitVec(1));
        (1..depth).fold(xs[0].clone(), |t, i| s.concat(&xs[i % 64], &t))
    });
}

#[test]
fn stores() {
    exercise(MEDIUM, |s, depth| {
        let sort = Sort::Array {
            index: 32,
            value: 8,
        };
        let index = symbols(s, "i", 16, Sort::BitVec(32));
        let values = symbols(s, "v", 7, Sort::BitVec(8));
        let array = (0..depth).fold(s.symbol("a", sort), |t, i| {
            s.store(&t, &index[i % 16], &values[i % 7])
        });
        s.select(&array, &s.symbol("j", Sort::BitVec(32)))
    });
}

/// Reads and writes of constant places: each read passes all writes to others.
#[test]
fn a_read_past_many_stores() {
    on_small_stack(|| {
        let s = TermStore::new();
        let sort = Sort::Array {
            index: 32,
            value: 8,
        };
        let a = s.symbol("a", sort);
        let x = s.symbol("x", Sort::BitVec(8));
        let array = (0..DEPTH as u64).fold(a.clone(), |t, i| s.store(&t, &s.bv(32, i), &x));
        assert_eq!(s.select(&array, &s.bv(32, 5)), x);
        let outside = s.bv(32, DEPTH as u64);
        assert_eq!(s.select(&array, &outside), s.select(&a, &outside));
    });
}

#[test]
fn equality_peels_a_long_chain() {
    on_small_stack(|| {
        let s = TermStore::new();
        let w = 32;
        let x = s.symbol("x", Sort::BitVec(w));
        let (c, d, k) = (0x5a5a_1234, 77, 0x1001);
        let mut value = BitVec::new(w, 123_456_789);
        let mut t = x.clone();
        for i in 0..DEPTH {
            (t, value) = match i % 5 {
                0 => (s.bv_not(&t), value.not()),
                1 => (s.bv_neg(&t), value.neg()),
                2 => (s.bv_xor(&t, &s.bv(w, c)), value.xor(&BitVec::new(w, c))),
                3 => (s.bv_add(&t, &s.bv(w, d)), value.add(&BitVec::new(w, d))),
                _ => (s.bv_mul(&t, &s.bv(w, k)), value.mul(&BitVec::new(w, k))),
            };
        }
        assert!(dag_size(&t) > DEPTH / 2);
        let found = s.eq(&t, &s.constant(value));
        assert_eq!(found, s.eq(&x, &s.bv(w, 123_456_789)));
    });
}

#[test]
fn extraction_leaves_a_long_chain_alone() {
    on_small_stack(|| {
        let s = TermStore::new();
        let t = and_or_chain(&s, DEPTH);
        let before = s.stats().births;
        for lo in 0..20 {
            s.extract(&t, 25, lo);
        }
        assert!(s.stats().births - before < 200);
    });
}

#[test]
fn a_sum_of_many_symbols() {
    on_small_stack(|| {
        let s = TermStore::new();
        let xs = symbols(&s, "x", 20_000, Sort::BitVec(32));
        let sum = xs[1..].iter().fold(xs[0].clone(), |t, x| s.bv_add(&t, x));
        assert!(matches!(sum.attributes().support, Support::Many));
        assert_eq!(symbols_of([&sum]).len(), xs.len());
        let part = xs[1..256]
            .iter()
            .fold(xs[0].clone(), |t, x| s.bv_add(&t, x));
        assert!(matches!(&part.attributes().support, Support::Keys(k) if k.len() == 256));
        let expected = (0..20_000u64).fold(BitVec::zero(32), |t, i| t.add(&BitVec::new(32, i)));
        let mut model = Model::new();
        for (i, x) in xs.iter().enumerate() {
            model.set(x.clone(), Value::Bv(BitVec::new(32, i as u64)));
        }
        assert_eq!(Evaluator::new().eval_bv(&sum, &model), expected);
        let sides = s.bv_sub(&sum, &sum);
        assert_eq!(sides.as_const(), Some(&BitVec::zero(32)));
    });
}

/// Constants meet a concatenation of many parts: bit by bit, by mask, by equality, by order.
fn constants_over_parts(count: usize, part: u32, with_mask: bool) {
    on_small_stack(move || {
        let s = TermStore::new();
        let xs = symbols(&s, "x", count.min(500), Sort::BitVec(part));
        let n = xs.len();
        let t = (1..count).fold(xs[0].clone(), |t, i| s.concat(&xs[i % n], &t));
        let w = t.width();
        let model = random_model(5, &xs);
        let mut e = Evaluator::new();
        let value = e.eval_bv(&t, &model);
        let c = Random::new(6).uniform(w);
        let mask = BitVec::ones(w - w / 3).zext(w / 3);
        for k in [&c, &mask].into_iter().take(1 + usize::from(with_mask)) {
            let term = s.constant(k.clone());
            assert_eq!(e.eval_bv(&s.bv_and(&t, &term), &model), value.and(k));
            assert_eq!(e.eval_bv(&s.bv_or(&t, &term), &model), value.or(k));
            assert_eq!(e.eval_bv(&s.bv_xor(&t, &term), &model), value.xor(k));
            assert!(!e.eval_bool(&s.eq(&t, &term), &model));
            assert_eq!(e.eval_bool(&s.bv_ult(&t, &term), &model), value.ult(k));
        }
        assert!(e.eval_bool(&s.eq(&t, &s.constant(value.clone())), &model));
        let cut = s.extract(&t, w - 2, 1);
        assert_eq!(e.eval_bv(&cut, &model), value.extract(w - 2, 1));
    });
}

#[test]
fn constants_over_many_bytes() {
    constants_over_parts(20_000, 8, true);
}

#[test]
fn constants_over_a_million_bits() {
    constants_over_parts(BitVec::MAX_WIDTH as usize, 1, false);
}

/// Chains in which one rule that follows a chain leads into another: extractions, masks, shifts
/// and equalities would go down all of it.
fn nested(layers: usize, layer: fn(&TermStore, &Term, &Term) -> Term) {
    on_small_stack(move || {
        let s = TermStore::new();
        let x = s.symbol("x", Sort::BitVec(3));
        let t = (0..layers).fold(x.clone(), |t, _| layer(&s, &t, &x));
        let w = t.width();
        let mut results: Vec<(Term, Op)> = Vec::new();
        for (hi, lo) in [
            (w - 1, w - 1),
            (w - 1, 1),
            (w - 2, 0),
            (w - 3, 2),
            (w - 5, 0),
            (w / 2, w / 2),
        ] {
            results.push((s.extract(&t, hi, lo), Op::Extract { hi, lo }));
        }
        let model = random_model(7, std::slice::from_ref(&x));
        let mut e = Evaluator::new();
        let value = e.eval_bv(&t, &model);
        for (result, op) in results {
            let expected = cairn_expr::apply_operator(&op, &[&value]);
            assert_eq!(e.eval_bv(&result, &model), expected, "{op:?}");
        }
        let same = s.eq(&t, &s.constant(value.clone()));
        assert!(e.eval_bool(&same, &model));
        let other = s.eq(&t, &s.constant(value.not()));
        assert!(!e.eval_bool(&other, &model));
        // All ones but at the two highest bits and the lowest.
        let mask = BitVec::ones(w - 3).zext(2).concat(&BitVec::zero(1));
        let masked = s.bv_and(&t, &s.constant(mask.clone()));
        assert_eq!(e.eval_bv(&masked, &model), value.and(&mask));
    });
}

const LAYERS: usize = 6_000;

#[test]
fn sign_extensions_of_concatenations() {
    nested(LAYERS, |s, t, x| s.sign_extend(&s.concat(x, t), 1));
    nested(LAYERS, |s, t, x| s.concat(&s.sign_extend(t, 1), x));
}

#[test]
fn complements_of_concatenations() {
    nested(LAYERS, |s, t, x| s.concat(&s.bv_not(t), x));
    nested(LAYERS, |s, t, x| {
        s.sign_extend(&s.bv_not(&s.concat(x, t)), 1)
    });
}

/// `11 0 1…1` with a second hole: contiguous as soon as the top is cut off.
fn holed(s: &TermStore, w: u32) -> Term {
    let low = BitVec::ones(w - 3);
    s.constant(BitVec::new(3, 0b110).concat(&low))
}

#[test]
fn masks_below_sign_extensions() {
    nested(LAYERS, |s, t, x| {
        let wide = s.sign_extend(&s.concat(t, x), 3);
        s.sign_extend(&s.bv_and(&wide, &holed(s, wide.width())), 1)
    });
    nested(LAYERS, |s, t, x| {
        let wide = s.sign_extend(&s.concat(x, t), 3);
        s.sign_extend(&s.bv_or(&wide, &holed(s, wide.width())), 1)
    });
}

#[test]
fn products_below_extensions() {
    nested(1_500, |s, t, x| {
        let wide = s.zero_extend(&s.concat(&s.sign_extend(t, 1), x), 3);
        // Even and not a power of two, until the top is cut off.
        let w = wide.width();
        let factor = BitVec::min_signed(w).add(&BitVec::new(w, 2));
        s.bv_mul(&wide, &s.constant(factor))
    });
}

#[test]
fn a_balanced_conjunction_of_many() {
    on_small_stack(|| {
        let s = TermStore::new();
        let ps = symbols(&s, "p", 200_000, Sort::Bool);
        let all = s.and_all(&ps);
        let any = s.or_all(&ps);
        let mut model = Model::new();
        assert!(!Evaluator::new().eval_bool(&any, &model));
        for p in &ps {
            model.set(p.clone(), Value::Bool(true));
        }
        assert!(Evaluator::new().eval_bool(&all, &model));
    });
}
