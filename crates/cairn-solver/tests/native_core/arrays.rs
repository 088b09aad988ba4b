//! Arrays and tables with known answers.

use crate::both;
use cairn_expr::{BitVec, Sort, Table, Term, TermStore};
use cairn_solver::Facts;

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

/// A table after stores and a branch.
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
