//! Sums of indices against every assignment.

use super::IndexSum;
use cairn_expr::{BitVec, Evaluator, Model, Sort, Table, Term, TermStore, Value};

/// Index terms of six bits over two inputs of three: every operator that sums are made of, with and
/// without wrapping around.
fn indices(s: &TermStore, x: &Term, y: &Term) -> Vec<Term> {
    let wide = |t: &Term| s.zero_extend(t, 3);
    let signed = |t: &Term| s.sign_extend(t, 3);
    let c = |v| s.bv(6, v);
    let (a, b) = (wide(x), wide(y));
    let table = s.table(Table::new(
        3,
        [4, 8, 0, 20].map(|v| BitVec::new(6, v)).to_vec(),
        BitVec::new(6, 12),
    ));
    let mut list = vec![a.clone(), b.clone(), signed(x), s.select(&table, y)];
    for k in [2, 3, 4, 8, 63] {
        list.push(s.bv_mul(&a, &c(k)));
        list.push(s.bv_mul(&signed(x), &c(k)));
        list.push(wide(&s.bv_mul(y, &s.bv(3, k))));
        list.push(s.bv_add(&s.bv_mul(&a, &c(k)), &s.bv_mul(&b, &c(4))));
    }
    list.push(s.bv_neg(&a));
    list.push(s.bv_not(&b));
    list.push(wide(&s.bv_not(y)));
    list.push(wide(&s.bv_neg(y)));
    list.push(s.bv_shl(&a, &c(2)));
    list.push(s.bv_shl(&b, &a));
    list.push(s.concat(x, y));
    list.push(s.concat(y, &s.bv(3, 5)));
    list.push(wide(&s.bv_add(x, y)));
    list.push(s.bv_add(&s.select(&table, y), &a));
    list.push(s.ite(&s.bv_ult(x, y), &c(8), &s.bv_mul(&b, &c(4))));
    let eight = s.bv_mul(&s.zero_extend(x, 5), &s.bv(8, 12));
    let eight = s.bv_add(&eight, &s.bv(8, 7));
    list.push(s.extract(&eight, 7, 2));
    list.push(s.extract(&eight, 5, 0));
    list.push(s.zero_extend(&s.extract(&eight, 4, 2), 3));
    list.push(s.zero_extend(&s.extract(&eight, 2, 0), 3));
    let moved: Vec<Term> = list
        .iter()
        .flat_map(|t| [1, 3, 4, 60].map(|k| s.bv_add(t, &c(k))))
        .collect();
    list.extend(moved);
    list
}

#[test]
fn values_and_distances_hold_for_every_input() {
    let s = TermStore::new();
    let (x, y) = (
        s.symbol("x", Sort::BitVec(3)),
        s.symbol("y", Sort::BitVec(3)),
    );
    let list = indices(&s, &x, &y);
    let words: Vec<Vec<u64>> = list
        .iter()
        .map(|t| {
            (0..64u64)
                .map(|i| {
                    let mut model = Model::new();
                    model.set(x.clone(), Value::Bv(BitVec::new(3, i / 8)));
                    model.set(y.clone(), Value::Bv(BitVec::new(3, i % 8)));
                    let mut evaluator = Evaluator::new();
                    evaluator.start();
                    evaluator.eval_bv(t, &model).low_u64()
                })
                .collect()
        })
        .collect();
    let sums: Vec<IndexSum> = list
        .iter()
        .map(|t| IndexSum::of(t).expect("narrow"))
        .collect();
    let (mut apart, mut never) = (0, 0);
    for (i, sum) in sums.iter().enumerate() {
        let values = sum.values();
        for word in &words[i] {
            assert!(
                values.between(*word, *word) == 1,
                "{:?}: {word} of {values:?}",
                list[i]
            );
        }
        let all = (0..64).filter(|w| values.between(*w, *w) == 1).count() as u64;
        assert_eq!(values.between(0, 63), all, "{values:?}");
        for (j, other) in sums.iter().enumerate() {
            let meet = words[i].iter().zip(&words[j]).any(|(a, b)| a == b);
            let said = sum.is_never_equal(other);
            assert!(!(meet && said), "{:?} and {:?}", list[i], list[j]);
            never += u32::from(!meet);
            apart += u32::from(said);
        }
    }
    assert!(2 * apart > never, "only {apart} of {never} are seen");
}

#[test]
fn the_size_of_an_access_says_nothing() {
    let s = TermStore::new();
    let x = s.symbol("x", Sort::BitVec(64));
    let (four, one) = (s.bv(64, 4), s.bv(64, 1));
    let of = |t: &Term| IndexSum::of(t).expect("narrow");
    let y = s.symbol("y", Sort::BitVec(64));
    let aligned = of(&s.bv_mul(&x, &four));
    let next = of(&s.bv_add(&s.bv_mul(&y, &four), &one));
    assert!(aligned.is_never_equal(&next));
    // Four bytes from anywhere on may be any bytes.
    assert!(!of(&x).is_never_equal(&next));
    assert!(!aligned.is_never_equal(&of(&s.bv_add(&y, &one))));
    // The same bytes moved by less than a turn are others.
    assert!(of(&x).is_never_equal(&of(&s.bv_add(&x, &one))));
}
