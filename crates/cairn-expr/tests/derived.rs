//! Proves the constructors of derived operators by exhaustion at widths 1 to 4: over symbols and
//! over constants the value is what `cairn-bv` says.

use cairn_expr::{BitVec, Evaluator, Model, Sort, Term, TermStore, Value};

const WIDTHS: std::ops::RangeInclusive<u32> = 1..=4;

type Unary = fn(&TermStore, &Term) -> Term;
type Binary = fn(&TermStore, &Term, &Term) -> Term;

fn values(width: u32) -> impl Iterator<Item = BitVec> + Clone {
    (0..1 << width).map(move |v| BitVec::new(width, v))
}

fn bit(b: bool) -> Value {
    Value::Bool(b)
}

/// Compares a constructor with its meaning: over a symbol, and over every constant.
fn check_unary(name: &str, build: Unary, meaning: impl Fn(&BitVec) -> Value) {
    let s = TermStore::new();
    let mut e = Evaluator::new();
    for w in WIDTHS {
        let x = s.symbol("x", Sort::BitVec(w));
        let term = build(&s, &x);
        for a in values(w) {
            let mut model = Model::new();
            model.set(x.clone(), Value::Bv(a.clone()));
            e.start();
            assert_eq!(e.eval(&term, &model), meaning(&a), "{name} {a}");
            let folded = build(&s, &s.constant(a.clone()));
            assert_eq!(e.eval(&folded, &model), meaning(&a), "{name} folded {a}");
        }
    }
}

/// The same for two operands: both symbols, one a constant, both constants, both the same.
fn check_binary(name: &str, build: Binary, meaning: impl Fn(&BitVec, &BitVec) -> Value) {
    let s = TermStore::new();
    let mut e = Evaluator::new();
    for w in WIDTHS {
        let x = s.symbol("x", Sort::BitVec(w));
        let y = s.symbol("y", Sort::BitVec(w));
        for a in values(w) {
            for b in values(w) {
                let mut model = Model::new();
                model.set(x.clone(), Value::Bv(a.clone()));
                model.set(y.clone(), Value::Bv(b.clone()));
                e.start();
                let (c, d) = (s.constant(a.clone()), s.constant(b.clone()));
                for (p, q) in [(&x, &y), (&x, &d), (&c, &y), (&c, &d)] {
                    let found = e.eval(&build(&s, p, q), &model);
                    assert_eq!(found, meaning(&a, &b), "{name} {p:?} {q:?} {a} {b}");
                }
            }
            let mut model = Model::new();
            model.set(x.clone(), Value::Bv(a.clone()));
            e.start();
            let found = e.eval(&build(&s, &x, &x), &model);
            assert_eq!(found, meaning(&a, &a), "{name} of the same operand {a}");
        }
    }
}

#[test]
fn bitwise_and_arithmetic() {
    let bv = Value::Bv;
    check_binary("bvsub", TermStore::bv_sub, |a, b| bv(a.sub(b)));
    check_binary("bvnand", TermStore::bv_nand, |a, b| bv(a.nand(b)));
    check_binary("bvnor", TermStore::bv_nor, |a, b| bv(a.nor(b)));
    check_binary("bvxnor", TermStore::bv_xnor, |a, b| bv(a.xnor(b)));
    check_binary("bvcomp", TermStore::bv_comp, |a, b| bv(a.comp(b)));
}

#[test]
fn orders() {
    check_binary("bvule", TermStore::bv_ule, |a, b| bit(a.ule(b)));
    check_binary("bvugt", TermStore::bv_ugt, |a, b| bit(a.ugt(b)));
    check_binary("bvuge", TermStore::bv_uge, |a, b| bit(a.uge(b)));
    check_binary("bvsle", TermStore::bv_sle, |a, b| bit(a.sle(b)));
    check_binary("bvsgt", TermStore::bv_sgt, |a, b| bit(a.sgt(b)));
    check_binary("bvsge", TermStore::bv_sge, |a, b| bit(a.sge(b)));
    check_unary("sign", TermStore::sign, |a| bit(a.msb()));
}

#[test]
fn overflow_predicates() {
    check_unary("bvnego", TermStore::bv_nego, |a| bit(a.nego()));
    check_binary("bvuaddo", TermStore::bv_uaddo, |a, b| bit(a.uaddo(b)));
    check_binary("bvsaddo", TermStore::bv_saddo, |a, b| bit(a.saddo(b)));
    check_binary("bvusubo", TermStore::bv_usubo, |a, b| bit(a.usubo(b)));
    check_binary("bvssubo", TermStore::bv_ssubo, |a, b| bit(a.ssubo(b)));
    check_binary("bvumulo", TermStore::bv_umulo, |a, b| bit(a.umulo(b)));
    check_binary("bvsmulo", TermStore::bv_smulo, |a, b| bit(a.smulo(b)));
    check_binary("bvsdivo", TermStore::bv_sdivo, |a, b| bit(a.sdivo(b)));
}

/// Twice this width is no legal width; the predicates are expressed without it.
#[test]
fn overflow_of_the_widest_products() {
    let w = BitVec::MAX_WIDTH / 2 + 1;
    let s = TermStore::new();
    let (x, y) = (
        s.symbol("x", Sort::BitVec(w)),
        s.symbol("y", Sort::BitVec(w)),
    );
    let (unsigned, signed) = (s.bv_umulo(&x, &y), s.bv_smulo(&x, &y));
    let top = BitVec::one(w).shl(&BitVec::new(w, u64::from(w) - 2));
    let (one, two) = (BitVec::one(w), BitVec::new(w, 2));
    let (min, minus_one) = (BitVec::min_signed(w), BitVec::ones(w));
    let mut e = Evaluator::new();
    for (a, b, u, i) in [
        (BitVec::zero(w), min.clone(), false, false),
        (min.clone(), BitVec::zero(w), false, false),
        (one.clone(), minus_one.clone(), false, false),
        (minus_one.clone(), minus_one.clone(), true, false),
        (minus_one.clone(), min.clone(), true, true),
        (min.clone(), minus_one.clone(), true, true),
        (min.clone(), one.clone(), false, false),
        (top.clone(), two.clone(), false, true),
        (two.clone(), top.clone(), false, true),
        (min.clone(), two.clone(), true, true),
    ] {
        let mut model = Model::new();
        model.set(x.clone(), Value::Bv(a));
        model.set(y.clone(), Value::Bv(b));
        e.start();
        assert_eq!(e.eval_bool(&unsigned, &model), u);
        assert_eq!(e.eval_bool(&signed, &model), i);
    }
}

#[test]
fn rotations() {
    // The amount counts modulo the width, and can be larger than it.
    let amount = |b: &BitVec| b.low_u64() as u32;
    check_binary(
        "rotate_left by a term",
        TermStore::bv_rotate_left,
        |a, b| Value::Bv(a.rotate_left(amount(b))),
    );
    check_binary(
        "rotate_right by a term",
        TermStore::bv_rotate_right,
        |a, b| Value::Bv(a.rotate_right(amount(b))),
    );
    let s = TermStore::new();
    let mut e = Evaluator::new();
    for w in WIDTHS {
        let x = s.symbol("x", Sort::BitVec(w));
        for a in values(w) {
            let mut model = Model::new();
            model.set(x.clone(), Value::Bv(a.clone()));
            e.start();
            for n in 0..=9 {
                let left = e.eval_bv(&s.rotate_left(&x, n), &model);
                assert_eq!(left, a.rotate_left(n), "rotate_left {n} {a}");
                let right = e.eval_bv(&s.rotate_right(&x, n), &model);
                assert_eq!(right, a.rotate_right(n), "rotate_right {n} {a}");
            }
        }
    }
}

#[test]
fn repetition() {
    let s = TermStore::new();
    let mut e = Evaluator::new();
    for w in WIDTHS {
        let x = s.symbol("x", Sort::BitVec(w));
        for a in values(w) {
            let mut model = Model::new();
            model.set(x.clone(), Value::Bv(a.clone()));
            e.start();
            for n in [1, 2, 3, 5, 40] {
                assert_eq!(e.eval_bv(&s.repeat(&x, n), &model), a.repeat(n));
                let c = s.constant(a.clone());
                assert_eq!(e.eval_bv(&s.repeat(&c, n), &model), a.repeat(n));
            }
        }
    }
}

#[test]
fn distinct_terms() {
    let s = TermStore::new();
    let mut e = Evaluator::new();
    for w in 1..=3 {
        let symbols = ["x", "y", "z"].map(|n| s.symbol(n, Sort::BitVec(w)));
        let three = s.distinct(&symbols);
        let with_constant = s.distinct(&[symbols[0].clone(), s.bv(w, 1), symbols[1].clone()]);
        for a in values(w) {
            for b in values(w) {
                for c in values(w) {
                    let mut model = Model::new();
                    for (symbol, value) in symbols.iter().zip([&a, &b, &c]) {
                        model.set(symbol.clone(), Value::Bv(value.clone()));
                    }
                    e.start();
                    let expected = a != b && b != c && a != c;
                    assert_eq!(e.eval_bool(&three, &model), expected);
                    let one = BitVec::one(w);
                    let expected = a != one && b != one && a != b;
                    assert_eq!(e.eval_bool(&with_constant, &model), expected);
                }
            }
        }
    }
    assert!(s.distinct(&[]).is_true());
    let x = s.symbol("x", Sort::BitVec(2));
    assert!(s.distinct(std::slice::from_ref(&x)).is_true());
    assert!(s.distinct(&[x.clone(), x]).is_false());
}

#[test]
fn boolean_connectives() {
    let s = TermStore::new();
    let mut e = Evaluator::new();
    let symbols = ["p", "q", "r"].map(|n| s.symbol(n, Sort::Bool));
    let [p, q, r] = &symbols;
    for n in 0..8u32 {
        let [a, b, c] = [0, 1, 2].map(|i| n >> i & 1 == 1);
        let mut model = Model::new();
        for (symbol, value) in symbols.iter().zip([a, b, c]) {
            model.set(symbol.clone(), Value::Bool(value));
        }
        e.start();
        let mut check = |term: Term, expected: bool| {
            assert_eq!(e.eval_bool(&term, &model), expected, "{term:?} {n}");
        };
        check(s.or(p, q), a | b);
        check(s.xor(p, q), a ^ b);
        check(s.implies(p, q), !a | b);
        check(s.and_all(&symbols), a & b & c);
        check(s.or_all(&symbols), a | b | c);
        check(s.eq(&s.bool_to_bit(r), &s.bv(1, 1)), c);
        let with_constant = [p.clone(), s.bool(b), r.clone(), s.not(q)];
        check(s.and_all(&with_constant), false);
        check(s.or_all(&with_constant), true);
    }
    assert!(s.and_all(&[]).is_true());
    assert!(s.or_all(&[]).is_false());
}
