//! Reading KQuery: every form, and the same verdicts as the same queries in SMT-LIB.

mod common;

use cairn_expr::{BitVec, Evaluator, Model, Op, Sort, Table, Term, TermStore};
use cairn_random::Random;
use cairn_text::{TextError, kquery};
use common::assertions;

const ARRAYS: &str = "array a[8] : w32 -> w8 = symbolic\n\
                      array c[4] : w32 -> w8 = [1 0x02 0b11 -1]\n";

fn goal(store: &TermStore, text: &str) -> Result<Term, TextError> {
    let text = format!("{ARRAYS}(query [] {text})");
    kquery::read(text.as_bytes(), store).map(|q| q[0].goal.clone())
}

struct Names<'s> {
    s: &'s TermStore,
    a: Term,
}

impl Names<'_> {
    fn byte(&self, i: u64) -> Term {
        self.s.select(&self.a, &self.s.bv(32, i))
    }

    fn word(&self, i: u64) -> Term {
        let s = self.s;
        let high = s.concat(&self.byte(i + 3), &self.byte(i + 2));
        s.concat(&high, &s.concat(&self.byte(i + 1), &self.byte(i)))
    }
}

/// Checks what a goal is read as; `X` and `Y` stand for the first two bytes of `a`.
fn check(s: &TermStore, text: &str, expected: Term) {
    let text = text
        .replace(" X", " (Read w8 0 a)")
        .replace(" Y", " (Read w8 1 a)")
        .replace(":Y", ":(Read w8 1 a)")
        .replace("=X", "=(Read w8 0 a)");
    let found = goal(s, &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(found, expected, "{text}");
}

fn names(s: &TermStore) -> Names<'_> {
    let sort = Sort::Array {
        index: 32,
        value: 8,
    };
    Names {
        s,
        a: s.symbol("a", sort),
    }
}

#[test]
fn binary_operators() {
    let s = TermStore::new();
    let n = names(&s);
    let (x, y) = (n.byte(0), n.byte(1));
    let check = |text: &str, expected: Term| check(&s, text, expected);
    type Binary = fn(&TermStore, &Term, &Term) -> Term;
    let compared: [(&str, Binary); 9] = [
        ("Eq", TermStore::eq),
        ("Ult", TermStore::bv_ult),
        ("Ule", TermStore::bv_ule),
        ("Ugt", TermStore::bv_ugt),
        ("Uge", TermStore::bv_uge),
        ("Slt", TermStore::bv_slt),
        ("Sle", TermStore::bv_sle),
        ("Sgt", TermStore::bv_sgt),
        ("Sge", TermStore::bv_sge),
    ];
    for (name, build) in compared {
        check(&format!("({name} X Y)"), build(&s, &x, &y));
        check(&format!("({name} 5 Y)"), build(&s, &s.bv(8, 5), &y));
        check(&format!("({name} X (w8 7))"), build(&s, &x, &s.bv(8, 7)));
    }
    check("(Ne X Y)", s.not(&s.eq(&x, &y)));
    let computed: [(&str, Binary); 13] = [
        ("Add", TermStore::bv_add),
        ("Sub", TermStore::bv_sub),
        ("Mul", TermStore::bv_mul),
        ("UDiv", TermStore::bv_udiv),
        ("SDiv", TermStore::bv_sdiv),
        ("URem", TermStore::bv_urem),
        ("SRem", TermStore::bv_srem),
        ("And", TermStore::bv_and),
        ("Or", TermStore::bv_or),
        ("Xor", TermStore::bv_xor),
        ("Shl", TermStore::bv_shl),
        ("LShr", TermStore::bv_lshr),
        ("AShr", TermStore::bv_ashr),
    ];
    for (name, build) in computed {
        check(
            &format!("(Ult ({name} w8 X Y) 9)"),
            s.bv_ult(&build(&s, &x, &y), &s.bv(8, 9)),
        );
        check(
            &format!("(Ult ({name} X 3) Y)"),
            s.bv_ult(&build(&s, &x, &s.bv(8, 3)), &y),
        );
    }
}

#[test]
fn other_operators() {
    let s = TermStore::new();
    let n = names(&s);
    let (x, y) = (n.byte(0), n.byte(1));
    let bit = |t: &Term| s.extract(t, 0, 0);
    let is_one = |t: &Term| s.eq(t, &s.bv(1, 1));
    let check = |text: &str, expected: Term| check(&s, text, expected);
    check("(Eq 1 (Not w8 X))", s.eq(&s.bv_not(&x), &s.bv(8, 1)));
    check("(Eq 1 (Neg w8 X))", s.eq(&s.bv_neg(&x), &s.bv(8, 1)));
    check("(Not (Ult X Y))", s.not(&s.bv_ult(&x, &y)));
    check("(Eq false (Ult X Y))", s.not(&s.bv_ult(&x, &y)));
    check("(Eq X -1)", s.eq(&x, &s.bv(8, 255)));
    check("(Eq X 0b1_01)", s.eq(&x, &s.bv(8, 5)));
    check("(Eq X 0o17)", s.eq(&x, &s.bv(8, 15)));
    check(
        "(Eq 258 (Concat w16 X Y))",
        s.and(&s.eq(&x, &s.bv(8, 1)), &s.eq(&y, &s.bv(8, 2))),
    );
    check("(Extract w1 3 X)", is_one(&s.extract(&x, 3, 3)));
    check("(Extract 0 X)", is_one(&bit(&x)));
    check(
        "(And (Extract 0 X) (Ult X Y))",
        s.and(&is_one(&bit(&x)), &s.bv_ult(&x, &y)),
    );
    check(
        "(Xor w1 (Extract 0 X) (Extract 0 Y))",
        is_one(&s.bv_xor(&bit(&x), &bit(&y))),
    );
    check(
        "(Ult (ZExt w16 X) (SExt w16 Y))",
        s.bv_ult(&s.zero_extend(&x, 8), &s.sign_extend(&y, 8)),
    );
    check(
        "(Eq 1 (ZExt w8 (Ult X Y)))",
        s.eq(
            &s.zero_extend(&s.bool_to_bit(&s.bv_ult(&x, &y)), 7),
            &s.bv(8, 1),
        ),
    );
    check(
        "(Ult (Select w8 (Ult X Y) X 3) Y)",
        s.bv_ult(&s.ite(&s.bv_ult(&x, &y), &x, &s.bv(8, 3)), &y),
    );
    check(
        "(Ult (ReadLSB w32 4 a) 9)",
        s.bv_ult(&n.word(4), &s.bv(32, 9)),
    );
    check(
        "(Ult (ReadMSB w16 4 a) 9)",
        s.bv_ult(&s.concat(&n.byte(4), &n.byte(5)), &s.bv(16, 9)),
    );
    check("(And N0:(Ult X Y) (Or N0 (Eq N1:Y N1)))", s.bv_ult(&x, &y));
    let table = s.table(Table::new(
        32,
        [1, 2, 3, 255].map(|v| BitVec::new(8, v)).to_vec(),
        BitVec::zero(8),
    ));
    check(
        "(Eq X (Read w8 (ReadLSB w32 4 a) c))",
        s.eq(&x, &s.select(&table, &n.word(4))),
    );
    // The newest update stands first.
    let updated = s.store(&n.a, &n.word(4), &s.bv(8, 7));
    let updated = s.store(&updated, &s.bv(32, 1), &x);
    check(
        "(Ult (Read w8 (ReadLSB w32 0 a) U0:[1=X, (ReadLSB w32 4 a)=7] @ a) (Read w8 9 U0))",
        s.bv_ult(
            &s.select(&updated, &n.word(0)),
            &s.select(&updated, &s.bv(32, 9)),
        ),
    );
    check("true", s.true_());
    check("(Eq 0 (Read w8 9 [] @ a))", s.eq(&n.byte(9), &s.bv(8, 0)));
}

#[test]
fn whole_files() {
    let s = TermStore::new();
    let text = "# a comment\narray a[2] : w32 -> w8 = symbolic\n\
        (query [(Ult N0:(Read w8 0 a) 5) (Ult 1 N0)] (Eq N0 3) [N0 (Add w8 N0 1)] [a])\n\
        array b[] : w32 -> w16 = symbolic\narray a[2] : w32 -> w8 = symbolic\n\
        (query [] false [] [b a])";
    let queries = kquery::read(text.as_bytes(), &s).unwrap();
    assert_eq!(queries.len(), 2);
    assert_eq!(queries[0].constraints.len(), 2);
    assert_eq!(queries[0].values.len(), 2);
    assert_eq!(queries[0].arrays[0].symbol_name().as_deref(), Some("a"));
    assert_eq!(queries[0].declarations.len(), 1);
    assert_eq!(queries[0].declarations[0].size, 2);
    assert_eq!(queries[1].arrays.len(), 2);
    assert_eq!(queries[1].declarations.len(), 2);
    assert!(queries[1].goal.is_false());
}

#[test]
fn errors_say_what_and_where() {
    let s = TermStore::new();
    let cases = [
        (
            "(Ult 1 2)",
            11,
            "the comparison needs a width, as both operands are numbers",
        ),
        (
            "(Ult (Read w8 0 a) 300)",
            11,
            "the number `300` does not fit in 8 bits",
        ),
        (
            "(Ult (Read w16 0 a) 3)",
            16,
            "Read of w16 from an array whose elements are w8",
        ),
        (
            "(Read w8 0 a)",
            9,
            "expected a value of w1, found one of w8",
        ),
        ("(Read w8 0 b)", 22, "the array `b` is not declared"),
        ("N0", 11, "the label `N0` is not defined before"),
        ("(Frob 1)", 12, "unknown operator `Frob`"),
        (
            "(Eq 1 (Extract w8 1 (Read w8 0 a)))",
            17,
            "Extract of 8 bits from bit 1 of a value of w8",
        ),
        (
            "(Eq (w8 1) (w16 1))",
            11,
            "expected a value of w8, found one of w16",
        ),
        (
            "(Eq 1 (ReadLSB w9999999 0 a))",
            26,
            "a width of 9999999 bits is above the limit of 1048576",
        ),
        (
            "(Add w8 (w8 1))",
            11,
            "the operator is given 1 operand(s), which is not its number",
        ),
        ("(Eq 1z (w8 1))", 11, "the number `1z` is malformed"),
        ("$", 11, "unexpected character `$`"),
        ("", 11, "expected an expression, found `)`"),
    ];
    for (text, column, message) in cases {
        let error = goal(&s, text).unwrap_err();
        assert_eq!(error.message, message, "{text}");
        assert_eq!((error.line, error.column), (3, column), "{text}");
    }
    for text in [
        "array",
        "array a[4] : w32 -> w8",
        "array a[1] : w32 -> w8 = [1 2]",
        "array a[1] : w0 -> w8 = symbolic",
        "(query",
        "(query [] true",
        "(query [] true [] [zz])",
        "query",
        "(query [] (Eq N0:true N0:false))",
        "(query [] (Read",
    ] {
        assert!(kquery::read(text.as_bytes(), &s).is_err(), "{text}");
    }
}

#[test]
fn multiplying_texts_are_refused() {
    let s = TermStore::new();
    let wide = "(Eq 0 (ReadLSB w1048576 (ReadLSB w32 0 a) a)) ".repeat(2000);
    let text = format!("{ARRAYS}(query [{wide}] true)");
    assert!(kquery::read(text.as_bytes(), &s).is_err());
}

/// The conjuncts of some terms.
fn conjuncts(terms: &[Term]) -> Vec<Term> {
    let mut stack = terms.to_vec();
    let mut all = Vec::new();
    while let Some(term) = stack.pop() {
        if matches!(term.op(), Op::And) {
            stack.extend(term.args().iter().cloned());
        } else {
            all.push(term);
        }
    }
    all
}

/// The recorded queries say the same in both languages: under every model the constraints and
/// the negated goal hold together exactly if all assertions do. Constant arrays are symbols with
/// asserted content in SMT-LIB; models give them that content.
#[test]
fn both_languages_agree() {
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut compared = 0;
    let mut held = 0;
    for entry in std::fs::read_dir(data).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "kquery") {
            continue;
        }
        let s = TermStore::new();
        let queries = kquery::read(&std::fs::read(&path).unwrap(), &s).unwrap();
        let script = std::fs::read_to_string(path.with_extension("smt2")).unwrap();
        let asserted = assertions(&s, &script);
        let query = &queries[0];
        let mut parts = query.constraints.clone();
        parts.push(s.not(&query.goal));
        let constants: Vec<u64> = conjuncts(&parts)
            .iter()
            .flat_map(|t| cairn_expr::PostOrder::new(t).collect::<Vec<_>>())
            .filter_map(|t| t.as_const().map(BitVec::low_u64))
            .collect();
        let mut random = Random::new(77);
        let mut evaluator = Evaluator::new();
        for _ in 0..400 {
            let mut model = Model::new();
            for declared in query.declarations.iter() {
                let symbol = s.symbol(&declared.name, declared.array.sort());
                let array = model.array_mut(&symbol);
                for i in 0..declared.size {
                    let index = BitVec::new(32, i);
                    let value = match declared.array.op() {
                        Op::Table(table) => table.get(&index).clone(),
                        // Bytes that the query talks about are more telling than random ones.
                        _ if random.one_in(2) => BitVec::new(8, *random.pick(&constants)),
                        _ => BitVec::new(8, random.next() >> (random.below(8) * 8)),
                    };
                    array.set(index, value);
                }
            }
            evaluator.start();
            let mut all = |terms: &[Term]| terms.iter().all(|t| evaluator.eval_bool(t, &model));
            let (kquery, smtlib) = (all(&parts), all(&asserted));
            assert_eq!(kquery, smtlib, "{}", path.display());
            held += usize::from(kquery);
        }
        compared += 1;
    }
    assert_eq!(compared, 6);
    assert!(held > 0, "some model should satisfy some query");
}
