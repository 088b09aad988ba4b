use super::{Journal, JournalError, JournalNode, JournalWriter};
use cairn_expr::{Base, BaseKind, BitVec, Op, PostOrder, Sort, Symbol, Table, Term, TermStore};
use std::sync::Arc;
use std::time::Duration;

/// Conditions in which every operator occurs, wide numbers, odd names and the payload of a base among them.
fn conditions(s: &TermStore) -> Vec<Term> {
    let [x, y] = ["x", "a b%\n=ü"].map(|n| s.symbol(n, Sort::BitVec(64)));
    let [p, q] = ["p", ""].map(|n| s.symbol(n, Sort::Bool));
    let array = s.symbol(
        "A",
        Sort::Array {
            index: 64,
            value: 8,
        },
    );
    let table = Table::new(
        64,
        (1..9).map(|v| BitVec::new(8, v)).collect(),
        BitVec::zero(8),
    );
    let table = s.table(table);
    let base = s.base(Base {
        birth: 7,
        address: 1 << 42,
        capacity: 24,
        alignment: 16,
        kind: BaseKind::Heap,
    });
    let wide = s.concat(&s.bv(64, 5), &x);
    let words = [
        s.bv_add(&x, &y),
        s.bv_mul(&x, &y),
        s.bv_udiv(&x, &y),
        s.bv_urem(&x, &y),
        s.bv_sdiv(&x, &y),
        s.bv_srem(&x, &y),
        s.bv_smod(&x, &y),
        s.bv_shl(&x, &y),
        s.bv_lshr(&x, &y),
        s.bv_ashr(&x, &y),
        s.bv_and(&x, &y),
        s.bv_or(&x, &y),
        s.bv_xor(&x, &y),
        s.bv_not(&y),
        s.bv_neg(&y),
        s.ite(&p, &x, &base),
        s.extract(&s.bv_mul(&wide, &wide), 90, 27),
        s.sign_extend(&s.extract(&x, 30, 0), 33),
        s.zero_extend(&s.select(&s.store(&array, &x, &s.bv(8, 3)), &y), 56),
        s.zero_extend(&s.select(&table, &x), 56),
        s.zero_extend(
            &s.select(&s.ite(&q, &array, &s.const_array(64, &s.bv(8, 9))), &y),
            56,
        ),
    ];
    let mut all: Vec<Term> = words
        .iter()
        .map(|w| s.eq(w, &s.bv_add(&y, &s.bv(64, 3))))
        .collect();
    all.push(s.bv_slt(&x, &y));
    all.push(s.bv_ult(&x, &y));
    all.push(s.and(&p, &s.not(&q)));
    all.push(s.false_());
    all
}

/// What a journal must have for a term's node.
fn expected(term: &Term, numbers: &dyn Fn(&Term) -> u32) -> JournalNode {
    let op = match term.op() {
        Op::Symbol(_) => {
            let name = term.symbol_name().expect("a symbol");
            Op::Symbol(Arc::new(Symbol::Named(name.as_ref().into())))
        }
        op => op.clone(),
    };
    JournalNode {
        op,
        sort: term.sort(),
        args: term.args().iter().map(numbers).collect(),
    }
}

#[test]
fn what_was_written_is_read() {
    let s = TermStore::new();
    let all = conditions(&s);
    let mut text = Vec::new();
    let mut writer = JournalWriter::new(&mut text).expect("memory");
    writer
        .query(0, &all[..3], &[], "sat", Duration::from_nanos(12))
        .expect("memory");
    writer
        .query(0, &all, &all[1..3], "unsat", Duration::from_secs(3))
        .expect("memory");
    writer
        .query(1, &all[..1], &[], "unknown", Duration::ZERO)
        .expect("memory");
    writer.end().expect("memory");
    let journal = Journal::read(text.as_slice()).expect("a journal");
    assert!(journal.ended && journal.left_out == 0);
    let verdicts: Vec<&str> = journal.queries.iter().map(|q| q.verdict.as_str()).collect();
    assert_eq!(verdicts, ["sat", "unsat", "unknown"]);
    assert_eq!(journal.queries[1].time, Duration::from_secs(3));
    // Each node of the first store comes once, in the order of a walk over all conjuncts.
    let nodes: Vec<Term> = PostOrder::of(&all).collect();
    let other: Vec<Term> = PostOrder::of(&all[..1]).collect();
    assert_eq!(journal.nodes.len(), nodes.len() + other.len());
    let number = |t: &Term| nodes.iter().position(|n| n == t).expect("visited") as u32;
    for (node, term) in journal.nodes.iter().zip(&nodes) {
        assert_eq!(*node, expected(term, &number));
    }
    let conjuncts: Vec<u32> = all.iter().map(number).collect();
    assert_eq!(journal.queries[1].conjuncts, conjuncts);
    assert_eq!(journal.queries[0].conjuncts, conjuncts[..3]);
    assert_eq!(journal.queries[1].core, conjuncts[1..3]);
    assert_eq!(journal.queries[0].core, []);
    let names: Vec<&str> = nodes.iter().map(|t| t.op().info().name).collect();
    for op in super::lines::PLAIN {
        assert!(names.contains(&op.info().name), "{}", op.info().name);
    }
}

#[test]
fn a_journal_that_was_cut_off_or_damaged_is_told() {
    let s = TermStore::new();
    let all = conditions(&s);
    let mut text = Vec::new();
    let mut writer = JournalWriter::new(&mut text).expect("memory");
    writer
        .query(0, &all, &[], "sat", Duration::ZERO)
        .expect("memory");
    let whole = Journal::read(text.as_slice()).expect("all lines are whole");
    assert!(!whole.ended && whole.queries.len() == 1);
    let text = String::from_utf8(text).expect("text");
    for damaged in [
        "",
        "another file\n",
        "cairn-query-journal 1\nq sat 1 1 0\n",
        "cairn-query-journal 1\nn bool b 1\nq sat 1 2 0\n",
        "cairn-query-journal 1\nn and b 0 1\n",
        "cairn-query-journal 1\nn bool b 1\nn not b\n",
        "cairn-query-journal 1\nend 0 0\nend 0 0\n",
    ] {
        let read = Journal::read(damaged.as_bytes());
        let is_empty = damaged.is_empty();
        assert!(
            matches!(read, Err(JournalError::Line(_))) != is_empty,
            "{damaged}"
        );
    }
    // Whatever byte changes: an error or a journal, never a panic.
    for at in 0..text.len() {
        let mut bytes = text.clone().into_bytes();
        bytes[at] = b'9';
        let _ = Journal::read(bytes.as_slice());
    }
}
