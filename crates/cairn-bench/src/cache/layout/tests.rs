use super::{LayoutUse, share_addresses, uses};
use cairn_expr::{Base, BaseKind, Sort, Term, TermStore};
use cairn_text::journal::{Journal, JournalWriter};
use std::time::Duration;

fn object(birth: u64, address: u64) -> Base {
    Base {
        birth,
        address,
        capacity: 16,
        alignment: 16,
        kind: BaseKind::Heap,
    }
}

/// Whether a condition counts as looking at the layout.
fn is_sensitive(condition: &Term) -> bool {
    let mut text = Vec::new();
    let mut writer = JournalWriter::new(&mut text).expect("memory");
    let written = writer.query(
        0,
        std::slice::from_ref(condition),
        &[],
        "sat",
        Duration::ZERO,
    );
    written.expect("memory");
    let journal = Journal::read(text.as_slice()).expect("a journal");
    let root = journal.queries[0].conjuncts[0];
    uses(&journal)[root as usize] == LayoutUse::Sensitive
}

#[test]
fn what_looks_at_addresses_is_told_from_what_does_not() {
    let s = TermStore::new();
    let [a, b] = [(1, 1 << 42), (2, (1 << 42) + 64)].map(|(n, at)| s.base(object(n, at)));
    let p = s.symbol("p", Sort::Bool);
    let x = s.symbol("x", Sort::BitVec(64));
    let n = |n: u64| s.bv(64, n);
    let chosen = s.ite(&p, &a, &s.bv_add(&b, &n(4)));
    let array = s.symbol(
        "A",
        Sort::Array {
            index: 8,
            value: 64,
        },
    );
    let pointers = s.store(&s.const_array(8, &n(0)), &s.extract(&x, 7, 0), &chosen);
    let read = s.select(&pointers, &s.bv(8, 3));
    let free = [
        s.eq(&chosen, &a),
        s.eq(&chosen, &n(0)),
        s.eq(&s.ite(&p, &chosen, &n(0)), &b),
        s.eq(&read, &s.bv_add(&a, &n(15))),
        s.bv_ult(&s.bv_sub(&s.bv_add(&a, &x), &a), &n(16)),
        s.bv_ult(&x, &n(16)),
    ];
    for condition in free {
        assert!(!is_sensitive(&condition), "{condition:?}");
    }
    let sensitive = [
        s.bv_ult(&chosen, &a),
        s.eq(&s.bv_sub(&chosen, &a), &n(64)),
        s.eq(&s.bv_and(&chosen, &n(15)), &n(0)),
        s.eq(&s.extract(&chosen, 31, 0), &s.bv(32, 0)),
        // One behind the end of an object may be where the next begins.
        s.eq(&chosen, &s.bv_add(&a, &n(16))),
        s.eq(&chosen, &s.bv_sub(&a, &n(1))),
        s.eq(&s.bv_add(&a, &x), &b),
        s.eq(&chosen, &n(1 << 42)),
        s.eq(&s.ite(&p, &a, &x), &b),
        s.eq(&s.select(&array, &s.extract(&chosen, 7, 0)), &n(0)),
        s.eq(
            &s.select(&s.store(&array, &s.bv(8, 0), &a), &s.bv(8, 1)),
            &a,
        ),
    ];
    for condition in sensitive {
        assert!(is_sensitive(&condition), "{condition:?}");
    }
}

#[test]
fn objects_that_share_an_address_are_seen() {
    let (a, same, next, far) = (
        object(1, 4096),
        object(2, 4096),
        object(3, 4112),
        object(4, 4160),
    );
    assert!(share_addresses(&[&a, &same]));
    assert!(share_addresses(&[&next, &a]));
    assert!(!share_addresses(&[&far, &a]));
    assert!(!share_addresses(&[&a]));
}
