//! Every operator at small widths, by exhaustion.

use crate::{MODES, verdict};
use cairn_expr::{BitVec, Sort, Term, TermStore};
use cairn_solver::{Facts, Query};

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
