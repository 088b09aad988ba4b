//! What shapes say about values, against evaluation under every assignment.

use cairn_expr::{
    BitVec, Evaluator, Model, Sort, Table, Term, TermStore, Value, low_zeros, possible_values,
};
use cairn_random::Random;

/// A random term of 6 bits over two symbols of 2 bits.
fn term(store: &TermStore, random: &mut Random, depth: u32) -> Term {
    let name = *random.pick(&["x", "y"]);
    let x = store.symbol(name, Sort::BitVec(2));
    if depth == 0 {
        return match random.below(3) {
            0 => store.zero_extend(&x, 4),
            1 => store.bv(6, random.below_u64(64)),
            _ => store.bv(6, 8 * random.below_u64(8)),
        };
    }
    let below = |random: &mut Random| term(store, random, depth - 1);
    let a = below(random);
    match random.below(14) {
        0 => store.bv_add(&a, &below(random)),
        1 => store.bv_mul(&a, &below(random)),
        2 => store.bv_and(&a, &below(random)),
        3 => store.bv_or(&a, &below(random)),
        4 => store.bv_shl(&a, &below(random)),
        5 => store.bv_neg(&a),
        6 => store.ite(&store.eq(&x, &store.bv(2, 1)), &a, &below(random)),
        7 => store.concat(&store.extract(&a, 2, 0), &store.bv(3, random.below_u64(8))),
        8 => store.sign_extend(&store.extract(&a, 4, 1), 2),
        9 => store.bv_xor(&a, &store.bv(6, random.below_u64(64))),
        10 => store.bv_add(&a, &store.bv(6, random.below_u64(64))),
        kind => {
            let step = 1 << random.below(4);
            let count = 1 + random.below_u64(4);
            let values = (0..count).map(|_| BitVec::new(6, step * random.below_u64(64 / step)));
            let mut array = store.table(Table::new(2, values.collect(), BitVec::zero(6)));
            if kind == 12 {
                let at = store.bv(2, random.below_u64(4));
                array = store.store(&array, &at, &a);
            }
            if kind == 13 {
                let y = store.symbol("y", Sort::BitVec(2));
                array = store.store(&array, &y, &a);
            }
            store.select(&array, &x)
        }
    }
}

#[test]
fn shapes_never_promise_too_much() {
    let store = TermStore::new();
    let mut random = Random::new(7);
    let mut evaluator = Evaluator::new();
    let (mut aligned, mut listed) = (0, 0);
    for round in 0..30_000 {
        let term = term(&store, &mut random, 1 + round % 4);
        let zeros = low_zeros(&term);
        let values = possible_values(&term, 16);
        for assignment in 0..16 {
            let mut model = Model::default();
            for (name, bits) in [("x", assignment % 4), ("y", assignment / 4)] {
                let symbol = store.symbol(name, Sort::BitVec(2));
                model.set(symbol, Value::Bv(BitVec::new(2, bits)));
            }
            evaluator.start();
            let value = evaluator.eval_bv(&term, &model);
            assert!(value.trailing_zeros() >= zeros, "{term:?} is {value:?}");
            let largest = term.attributes().largest;
            assert!(value.to_u64().unwrap() <= largest, "{term:?} is {value:?}");
            if let Some(values) = &values {
                assert!(values.contains(&value), "{term:?} is {value:?}");
            }
        }
        aligned += u32::from(zeros > 0 && term.as_const().is_none());
        listed += u32::from(values.is_some() && term.as_const().is_none());
    }
    assert!(aligned > 1_000 && listed > 1_000, "{aligned} {listed}");
}

/// A random term of 64 bits over two symbols of 64 and one of 8.
fn wide_term(store: &TermStore, random: &mut Random, depth: u32) -> Term {
    let name = *random.pick(&["x", "y"]);
    let x = store.symbol(name, Sort::BitVec(64));
    let small = store.symbol("z", Sort::BitVec(8));
    let constant = |random: &mut Random| {
        let bits = random.below(65) as u32;
        let ones = u64::MAX.checked_shr(64 - bits).unwrap_or(0);
        store.bv(64, ones.wrapping_sub(random.below_u64(3)))
    };
    if depth == 0 {
        return match random.below(4) {
            0 => x,
            1 => constant(random),
            _ => store.zero_extend(&small, 56),
        };
    }
    let a = wide_term(store, random, depth - 1);
    let b = wide_term(store, random, depth - 1);
    let low = 1 + random.below(63) as u32;
    match random.below(14) {
        0 => store.bv_add(&a, &b),
        1 => store.bv_mul(&a, &b),
        2 => store.bv_and(&a, &b),
        3 => store.bv_or(&a, &b),
        4 => store.bv_xor(&a, &b),
        5 => store.bv_shl(&a, &store.bv(64, random.below_u64(66))),
        6 => store.bv_lshr(&a, &store.bv(64, random.below_u64(66))),
        7 => store.bv_udiv(&a, &constant(random)),
        8 => store.bv_urem(&a, &constant(random)),
        9 => store.ite(&store.bv_ult(&a, &b), &a, &b),
        10 => store.concat(&store.extract(&a, 63, low), &store.extract(&b, low - 1, 0)),
        11 => store.sign_extend(&store.extract(&a, low - 1, 0), 64 - low),
        12 => store.zero_extend(&store.extract(&a, 63, low), low),
        _ => {
            let values = (0..4).map(|_| constant(random).as_const().unwrap().clone());
            let table = store.table(Table::new(8, values.collect(), BitVec::new(64, 9)));
            store.select(&store.store(&table, &small, &a), &store.extract(&b, 7, 0))
        }
    }
}

/// Bounds, and what is built with them, at the width where they end.
#[test]
fn bounds_hold_at_64_bits() {
    let store = TermStore::new();
    let mut random = Random::new(11);
    let mut evaluator = Evaluator::new();
    let mut bounded = 0;
    for round in 0..20_000 {
        let term = wide_term(&store, &mut random, 1 + round % 4);
        let largest = term.attributes().largest;
        let ten = store.bv(64, 10);
        let (quotient, rest) = (store.bv_udiv(&term, &ten), store.bv_urem(&term, &ten));
        let above = store.bv_ult(&store.bv(64, 1000), &term);
        for _ in 0..8 {
            let mut model = Model::default();
            for (name, width) in [("x", 64), ("y", 64), ("z", 8)] {
                let bits = random.next();
                let bits = *random.pick(&[bits, u64::MAX, 0, 1 << 63, bits >> 40]);
                let symbol = store.symbol(name, Sort::BitVec(width));
                model.set(symbol, Value::Bv(BitVec::new(width, bits)));
            }
            evaluator.start();
            let value = evaluator.eval_bv(&term, &model).to_u64().unwrap();
            assert!(value <= largest, "{term:?} is {value}");
            assert_eq!(
                evaluator.eval_bv(&quotient, &model),
                BitVec::new(64, value / 10)
            );
            assert_eq!(
                evaluator.eval_bv(&rest, &model),
                BitVec::new(64, value % 10)
            );
            assert_eq!(evaluator.eval_bool(&above, &model), value > 1000);
        }
        bounded += u32::from(largest < u64::MAX && term.as_const().is_none());
    }
    assert!(bounded > 2_000, "{bounded}");
}

#[test]
fn a_letter_is_a_range() {
    let store = TermStore::new();
    let c = store.symbol("c", Sort::BitVec(8));
    // Bit 10 for letters, as tables of the C library have it.
    let class = |i: u8| u64::from(i.is_ascii_alphabetic()) << 10 | u64::from(i.is_ascii_digit());
    let values = (0..=255).map(|i| BitVec::new(16, class(i))).collect();
    let table = store.table(Table::new(8, values, BitVec::zero(16)));
    let read = store.zero_extend(&store.select(&table, &c), 16);
    let letter = store.eq(
        &store.bv_and(&read, &store.bv(32, 1 << 10)),
        &store.bv(32, 0),
    );
    let range = |first: u8, last: u8| {
        let offset = store.bv_sub(&c, &store.bv(8, u64::from(first)));
        store.bv_ule(&offset, &store.bv(8, u64::from(last - first)))
    };
    let expected = store.or(&range(b'A', b'Z'), &range(b'a', b'z'));
    assert_eq!(letter, store.not(&expected));
}
