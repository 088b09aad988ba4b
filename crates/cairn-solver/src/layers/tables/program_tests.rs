use super::*;
use cairn_expr::{BitVec, Evaluator, Model, Table, TermStore, Value};

/// Every kind of step, on every pair of words of three bits, gives what evaluation gives.
#[test]
fn steps_mean_what_terms_mean() {
    let s = TermStore::new();
    let (x, y) = (
        s.symbol("x", Sort::BitVec(3)),
        s.symbol("y", Sort::BitVec(3)),
    );
    let listed = [5u64, 0, 7, 2, 2].map(|v| BitVec::new(3, v));
    let table = s.table(Table::new(3, listed.to_vec(), BitVec::new(3, 6)));
    let wide = s.concat(&x, &y);
    let terms = [
        s.bv_add(&x, &y),
        s.bv_mul(&x, &y),
        s.bv_and(&x, &y),
        s.bv_or(&x, &y),
        s.bv_xor(&x, &y),
        s.bv_not(&x),
        s.bv_neg(&x),
        s.bv_udiv(&x, &y),
        s.bv_urem(&x, &y),
        s.bv_shl(&x, &y),
        s.bv_lshr(&x, &y),
        s.bv_ashr(&x, &y),
        s.bv_ult(&x, &y),
        s.bv_slt(&x, &y),
        s.eq(&x, &y),
        s.not(&s.eq(&x, &y)),
        s.and(&s.bv_ult(&x, &y), &s.bv_slt(&x, &y)),
        s.ite(&s.bv_ult(&x, &y), &x, &s.bv_not(&y)),
        wide.clone(),
        s.extract(&s.bv_mul(&wide, &wide), 4, 2),
        s.zero_extend(&x, 61),
        s.sign_extend(&x, 61),
        s.select(&table, &s.bv_add(&x, &y)),
        s.bv_sub(
            &s.select(&table, &x),
            &s.select(&table, &s.select(&table, &y)),
        ),
    ];
    let columns = [x.clone(), y.clone()];
    let mut evaluator = Evaluator::new();
    let mut space = Vec::new();
    for term in &terms {
        let program = TableProgram::new(term, &columns).expect("every step is known");
        for (a, b) in (0..64u64).map(|i| (i / 8, i % 8)) {
            let mut model = Model::new();
            model.set(x.clone(), Value::Bv(BitVec::new(3, a)));
            model.set(y.clone(), Value::Bv(BitVec::new(3, b)));
            evaluator.start();
            let expected = match evaluator.eval(term, &model) {
                Value::Bool(b) => u64::from(b),
                Value::Bv(v) => v.low_u64(),
                Value::Array(_) => unreachable!("scalars only"),
            };
            assert_eq!(
                program.run(&[a, b], &mut space),
                expected,
                "{term:?} at {a}, {b}"
            );
        }
    }
}

/// What is no plain word is not flattened.
#[test]
fn other_terms_are_left_out() {
    let s = TermStore::new();
    let (x, y) = (
        s.symbol("x", Sort::BitVec(8)),
        s.symbol("y", Sort::BitVec(8)),
    );
    let a = s.symbol("a", Sort::Array { index: 8, value: 8 });
    assert!(TableProgram::new(&s.select(&a, &x), std::slice::from_ref(&x)).is_none());
    assert!(TableProgram::new(&s.bv_add(&x, &y), std::slice::from_ref(&x)).is_none());
    assert!(TableProgram::new(&s.bv_sdiv(&x, &y), &[x.clone(), y]).is_none());
    assert!(TableProgram::new(&s.zero_extend(&x, 60), &[x]).is_none());
}
