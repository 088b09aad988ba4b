//! Proves that evaluation is what `cairn-bv` says: operators by exhaustion at small widths, at
//! random up to 64 bits and beyond, across the boundary between words and wide values, over
//! arrays, and over random terms.

mod common;

use cairn_expr::{
    ArrayValue, Base, BaseKind, BitVec, Evaluator, Model, Op, Sort, Table, Term, TermStore, Value,
    apply_operator,
};
use cairn_random::Random;
use common::{BINARY, Generator, Values, same_value};

const COMPARISONS: [Op; 3] = [Op::Eq, Op::BvUlt, Op::BvSlt];

fn model_of(pairs: &[(&Term, &BitVec)]) -> Model {
    let mut model = Model::new();
    for (symbol, value) in pairs {
        model.set((*symbol).clone(), Value::Bv((*value).clone()));
    }
    model
}

/// Symbols under every operator of one or two of them, so that no rule hides the operator.
struct Bench {
    x: Term,
    y: Term,
    unary: Vec<(Op, Term)>,
    binary: Vec<(Op, Term)>,
}

impl Bench {
    fn new(s: &TermStore, w: u32) -> Self {
        let (x, y) = (
            s.symbol("x", Sort::BitVec(w)),
            s.symbol("y", Sort::BitVec(w)),
        );
        let mut unary = vec![Op::BvNot, Op::BvNeg];
        for n in [1, 3, 64 - w.min(63), 70] {
            unary.extend([Op::ZeroExtend(n), Op::SignExtend(n)]);
        }
        let cuts = [0, w / 3, w / 2, w - 1];
        for (i, lo) in cuts.iter().enumerate() {
            unary.extend(cuts[i..].iter().map(|hi| Op::Extract { hi: *hi, lo: *lo }));
        }
        let binary = BINARY.into_iter().chain(COMPARISONS).chain([Op::Concat]);
        let over = |op: Op, args: &[Term]| {
            let term = s.apply(&op, args).expect("the sorts fit");
            (op, term)
        };
        Bench {
            unary: unary
                .into_iter()
                .map(|op| over(op, std::slice::from_ref(&x)))
                .collect(),
            binary: binary.map(|op| over(op, &[x.clone(), y.clone()])).collect(),
            x,
            y,
        }
    }

    fn check(&self, e: &mut Evaluator, a: &BitVec, b: &BitVec) {
        let model = model_of(&[(&self.x, a), (&self.y, b)]);
        e.start();
        for (op, term) in &self.unary {
            assert_eq!(
                e.eval_bv(term, &model),
                apply_operator(op, &[a]),
                "{op:?} {a}"
            );
        }
        for (op, term) in &self.binary {
            let found = match e.eval(term, &model) {
                Value::Bool(b) => BitVec::from_bool(b),
                Value::Bv(v) => v,
                Value::Array(_) => panic!("no arrays here"),
            };
            assert_eq!(found, apply_operator(op, &[a, b]), "{op:?} {a} {b}");
        }
    }
}

#[test]
fn small_widths_by_exhaustion() {
    let s = TermStore::new();
    let mut e = Evaluator::new();
    for w in 1..=4 {
        let bench = Bench::new(&s, w);
        for a in 0..1 << w {
            for b in 0..1 << w {
                bench.check(&mut e, &BitVec::new(w, a), &BitVec::new(w, b));
            }
        }
    }
}

#[test]
fn larger_widths_at_random() {
    let s = TermStore::new();
    let mut e = Evaluator::new();
    let mut rng = Random::new(11);
    for w in 5..=200 {
        let bench = Bench::new(&s, w);
        for _ in 0..40 {
            let (a, b) = (rng.bits(w), rng.bits(w));
            bench.check(&mut e, &a, &b);
            bench.check(&mut e, &a, &a);
        }
    }
}

#[test]
fn across_the_word_boundary() {
    let s = TermStore::new();
    let mut e = Evaluator::new();
    let mut rng = Random::new(12);
    let names = ["p", "q", "r"];
    let symbols = names.map(|n| s.symbol(n, Sort::BitVec(40)));
    let [p, q, r] = &symbols;
    let pair = s.concat(p, q);
    let triple = s.concat(&pair, r);
    // An addition keeps the extraction below from being taken apart.
    let sum = s.bv_add(&triple, &triple);
    let middle = s.extract(&sum, 70, 30);
    let signed = s.sign_extend(p, 40);
    let unsigned = s.zero_extend(q, 40);
    let product = s.bv_mul(&signed, &pair);
    for _ in 0..500 {
        let values = names.map(|_| rng.bits(40));
        let [a, b, c] = &values;
        let model = model_of(&[(p, a), (q, b), (r, c)]);
        e.start();
        let ab = a.concat(b);
        let abc = ab.concat(c);
        assert_eq!(e.eval_bv(&pair, &model), ab);
        assert_eq!(e.eval_bv(&triple, &model), abc);
        assert_eq!(e.eval_bv(&middle, &model), abc.add(&abc).extract(70, 30));
        assert_eq!(e.eval_bv(&signed, &model), a.sext(40));
        assert_eq!(e.eval_bv(&product, &model), a.sext(40).mul(&ab));
        for (x, v) in [(&signed, a.sext(40)), (&unsigned, b.zext(40))] {
            let less = e.eval_bool(&s.bv_ult(x, &pair), &model);
            assert_eq!(less, v.ult(&ab));
            assert_eq!(e.eval_bool(&s.bv_slt(&pair, x), &model), ab.slt(&v));
            assert_eq!(e.eval_bool(&s.eq(x, &pair), &model), v == ab);
        }
        let choice = s.ite(&s.eq(p, q), &pair, &unsigned);
        let expected = if a == b { ab.clone() } else { b.zext(40) };
        assert_eq!(e.eval_bv(&choice, &model), expected);
    }
}

/// A tail that was evaluated before, alone, serves the longer concatenation, and the other way.
#[test]
fn long_concatenations_share_tails() {
    let s = TermStore::new();
    let mut rng = Random::new(13);
    let parts: Vec<Term> = (0..40)
        .map(|i| s.symbol(&format!("c{i}"), Sort::BitVec(1 + i % 23)))
        .collect();
    let mut chains = vec![parts[0].clone()];
    for part in &parts[1..] {
        chains.push(s.concat(part, chains.last().expect("not empty")));
    }
    for round in 0..3 {
        let mut model = Model::new();
        let mut expected: Vec<BitVec> = Vec::new();
        for part in &parts {
            let value = rng.uniform(part.width());
            model.set(part.clone(), Value::Bv(value.clone()));
            expected.push(match expected.last() {
                Some(low) => value.concat(low),
                None => value,
            });
        }
        let mut order: Vec<usize> = (0..parts.len()).collect();
        match round {
            0 => {}
            1 => order.reverse(),
            _ => (1..order.len()).for_each(|i| order.swap(i, rng.below(i + 1))),
        }
        let mut e = Evaluator::new();
        for i in order {
            assert_eq!(e.eval_bv(&chains[i], &model), expected[i]);
        }
    }
}

#[test]
fn symbols_without_value_are_zero() {
    let s = TermStore::new();
    let mut e = Evaluator::new();
    let model = Model::new();
    let sorts = [
        Sort::Bool,
        Sort::BitVec(7),
        Sort::BitVec(64),
        Sort::BitVec(65),
        Sort::Array {
            index: 8,
            value: 70,
        },
    ];
    for sort in sorts {
        assert_eq!(e.eval(&s.symbol("x", sort), &model), Value::zero(sort));
    }
    let array = s.symbol("x", sorts[4]);
    let read = s.select(&array, &s.symbol("i", Sort::BitVec(8)));
    assert_eq!(e.eval_bv(&read, &model), BitVec::zero(70));
}

#[test]
fn bases_have_their_address_as_value_and_cancel_out() {
    let s = TermStore::new();
    let x = s.symbol("x", Sort::BitVec(64));
    let base = |birth, address| {
        s.base(Base {
            birth,
            address,
            capacity: 16,
            alignment: 8,
            kind: BaseKind::Heap,
        })
    };
    let (a, b) = (base(1, 0x1000), base(2, 0x2000));
    let place = s.bv_add(&s.bv_add(&a, &x), &s.bv(64, 8));
    assert_eq!(s.bv_sub(&place, &a), s.bv_add(&x, &s.bv(64, 8)));
    let apart = s.bv_sub(&b, &a);
    assert_eq!(apart.as_const(), None);
    let mut e = Evaluator::new();
    let model = model_of(&[(&x, &BitVec::new(64, 3))]);
    assert_eq!(e.eval_bv(&apart, &model), BitVec::new(64, 0x1000));
    assert_eq!(e.eval_bv(&place, &model), BitVec::new(64, 0x100b));
    assert!(place.attributes().has_base && !x.attributes().has_base);
    assert_ne!(a, b);
    assert_eq!(a, base(1, 0x1000));
    // Another object at the same address, later.
    assert_ne!(a, base(3, 0x1000));
}

#[test]
fn a_changed_model_changes_the_value() {
    let s = TermStore::new();
    let x = s.symbol("x", Sort::BitVec(8));
    let wide = s.sign_extend(&x, 100);
    let mut e = Evaluator::new();
    for v in [3, 200, 0, 255] {
        let value = BitVec::new(8, v);
        let model = model_of(&[(&x, &value)]);
        e.start();
        assert_eq!(e.eval_bv(&wide, &model), value.sext(100));
        assert_eq!(e.eval_bv(&s.bv_not(&x), &model), value.not());
    }
}

#[test]
fn random_terms() {
    for (seed, widths) in [
        (1, &[3, 8, 16][..]),
        (2, &[4, 31, 32, 33]),
        (3, &[2, 8, 40, 80]),
        (4, &[1, 2, 3]),
        (5, &[8, 64, 65, 128]),
        (6, &[70, 70, 8]),
    ] {
        for round in 0..30 {
            let s = TermStore::new();
            let mut g = Generator::new(&s, seed * 1000 + round, widths, 4);
            for _ in 0..300 {
                g.grow();
            }
            let mut e = Evaluator::new();
            for (m, model) in g.models.iter().enumerate() {
                e.start();
                for entry in &g.pool {
                    let found = e.eval(&entry.term, model);
                    let expected = &entry.values[m];
                    assert!(
                        same_value(&found, expected),
                        "{:?} is {found:?}, not {expected:?} (seed {seed}, round {round})",
                        entry.term
                    );
                }
            }
        }
    }
}

fn table(index: u32, values: &[u64], default: u64) -> Table {
    let values = values.iter().map(|v| BitVec::new(8, *v)).collect();
    Table::new(index, values, BitVec::new(8, default))
}

#[test]
fn reads_of_stores_choices_and_tables() {
    let s = TermStore::new();
    let sort = Sort::Array { index: 3, value: 8 };
    let (a, p) = (s.symbol("a", sort), s.symbol("p", Sort::Bool));
    let index = ["i", "j", "k"].map(|n| s.symbol(n, Sort::BitVec(3)));
    let [i, j, k] = &index;
    let v = s.symbol("v", Sort::BitVec(8));
    let content = s.table(table(3, &[5, 6, 7], 9));
    let stored = s.store(&s.store(&a, i, &v), j, &s.bv(8, 77));
    let chosen = s.ite(&p, &stored, &s.store(&content, i, &v));
    let constant = s.ite(&p, &s.const_array(3, &v), &chosen);
    let reads = [&stored, &chosen, &constant].map(|t| s.select(t, k));
    let mut base = ArrayValue::constant(3, BitVec::new(8, 1));
    base.set(BitVec::new(3, 4), BitVec::new(8, 44));
    let mut e = Evaluator::new();
    for n in 0..1u64 << 10 {
        let [x, y, z] = [n & 7, n >> 3 & 7, n >> 6 & 7].map(|v| BitVec::new(3, v));
        let (holds, value) = (n >> 9 == 1, BitVec::new(8, 100 + n % 3));
        let mut model = model_of(&[(i, &x), (j, &y), (k, &z), (&v, &value)]);
        model.set(a.clone(), Value::Array(base.clone()));
        model.set(p.clone(), Value::Bool(holds));
        e.start();
        let from_stored = match () {
            () if z == y => BitVec::new(8, 77),
            () if z == x => value.clone(),
            () => base.get(&z).clone(),
        };
        let listed = [5, 6, 7].get(z.low_u64() as usize).unwrap_or(&9);
        let from_table = if z == x {
            value.clone()
        } else {
            BitVec::new(8, *listed)
        };
        let from_choice = if holds {
            from_stored.clone()
        } else {
            from_table.clone()
        };
        let from_constant = if holds { value.clone() } else { from_table };
        for (read, expected) in reads.iter().zip([from_stored, from_choice, from_constant]) {
            assert_eq!(e.eval_bv(read, &model), expected);
        }
    }
}

#[test]
fn equality_of_arrays_whose_exceptions_cover_all_indices() {
    let s = TermStore::new();
    let sort = Sort::Array { index: 1, value: 2 };
    let (a, b) = (s.symbol("a", sort), s.symbol("b", sort));
    let same = s.eq(&a, &b);
    let cell = |v: u64| BitVec::new(2, v);
    let array = |default: u64, zero: u64, one: u64| {
        let mut v = ArrayValue::constant(1, cell(default));
        v.set(BitVec::new(1, 0), cell(zero));
        v.set(BitVec::new(1, 1), cell(one));
        v
    };
    let mut e = Evaluator::new();
    for n in 0..1u64 << 12 {
        let f = |at: u32| n >> at & 3;
        let (u, v) = (array(f(0), f(2), f(4)), array(f(6), f(8), f(10)));
        let expected = f(2) == f(8) && f(4) == f(10);
        let mut model = Model::new();
        model.set(a.clone(), Value::Array(u.clone()));
        model.set(b.clone(), Value::Array(v.clone()));
        e.start();
        assert_eq!(e.eval_bool(&same, &model), expected);
        match u.difference(&v) {
            None => assert!(expected),
            Some(i) => assert_ne!(u.get(&i), v.get(&i)),
        }
    }
}

#[test]
fn equality_of_arrays_over_stores() {
    let s = TermStore::new();
    let sort = Sort::Array {
        index: 70,
        value: 8,
    };
    let a = s.symbol("a", sort);
    let (i, j) = (
        s.symbol("i", Sort::BitVec(70)),
        s.symbol("j", Sort::BitVec(70)),
    );
    let (one, two) = (s.bv(8, 1), s.bv(8, 2));
    let left = s.store(&s.store(&a, &i, &one), &j, &two);
    let right = s.store(&s.store(&a, &j, &two), &i, &one);
    let swapped = s.eq(&left, &right);
    let mut e = Evaluator::new();
    let far = BitVec::ones(70);
    for (x, y) in [(far.clone(), BitVec::zero(70)), (far.clone(), far)] {
        let model = model_of(&[(&i, &x), (&j, &y)]);
        e.start();
        assert_eq!(e.eval_bool(&swapped, &model), x != y);
    }
}

/// Tables that list every index are the same term if they are the same function.
#[test]
fn full_tables_do_not_depend_on_the_default() {
    let s = TermStore::new();
    let full = s.table(table(1, &[4, 5], 6));
    assert_eq!(full, s.table(table(1, &[4, 5, 99], 7)));
    assert_eq!(full, s.table(table(1, &[4], 5)));
    assert_ne!(full, s.table(table(1, &[4], 6)));
    let zero = s.table(table(2, &[0, 0, 0, 0], 3));
    assert_eq!(zero, s.const_array(2, &s.bv(8, 0)));
}

/// A store into a large table is not folded into a copy of it.
#[test]
fn large_tables_are_not_copied() {
    let s = TermStore::new();
    let values: Vec<BitVec> = (0..5000u64).map(|i| BitVec::new(16, i + 1)).collect();
    let large = s.table(Table::new(16, values, BitVec::zero(16)));
    let stored = s.store(&large, &s.bv(16, 3), &s.bv(16, 9));
    assert!(matches!(stored.op(), Op::Store));
    let i = s.symbol("i", Sort::BitVec(16));
    let read = s.select(&stored, &i);
    let mut e = Evaluator::new();
    for (index, expected) in [(3, 9), (4, 5), (4999, 5000), (5000, 0), (65535, 0)] {
        e.start();
        let model = model_of(&[(&i, &BitVec::new(16, index))]);
        assert_eq!(e.eval_bv(&read, &model), BitVec::new(16, expected));
        let folded = s.select(&stored, &s.bv(16, index));
        assert_eq!(folded.as_const(), Some(&BitVec::new(16, expected)));
    }
}
