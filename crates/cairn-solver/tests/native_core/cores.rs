//! Minimal cores.

use crate::MODES;
use cairn_expr::{BitVec, Sort, TermStore};
use cairn_solver::{AddressFact, Answer, Facts, Query, UnsatCore, Want};
use std::rc::Rc;

fn core_of(answer: Answer) -> UnsatCore {
    match answer {
        Answer::Unsat(core) => core,
        other => panic!("{other:?}"),
    }
}

#[test]
fn minimal_cores() {
    for (mode, make) in MODES {
        let s = TermStore::new();
        let byte = |name: &str| s.symbol(name, Sort::BitVec(8));
        let (x, y) = (byte("x"), byte("y"));
        let sum = s.eq(&s.bv_add(&x, &y), &s.bv(8, 7));
        let product = s.eq(&s.bv_mul(&x, &y), &s.bv(8, 3));
        // A product that is odd has odd factors, whose sum is even.
        let mut facts = Facts::new();
        for i in 0..5 {
            facts = facts.with(s.bv_ult(&byte(&format!("f{i}")), &x));
        }
        facts = facts.with(sum.clone());
        for i in 5..10 {
            facts = facts.with(s.bv_ult(&y, &byte(&format!("f{i}"))));
        }
        let in_goal = Query::new(facts.clone(), product.clone()).wanting(Want::Core);
        let mut chain = make();
        let core = core_of(chain.solve(&s, &in_goal));
        assert_eq!(core.facts, std::slice::from_ref(&sum), "{mode}");
        assert!(core.goal, "{mode}");

        let other_goal = s.bv_ult(&byte("z"), &s.bv(8, 9));
        let in_facts = Query::new(facts.with(product.clone()), other_goal).wanting(Want::Core);
        for chain in [&mut chain, &mut make()] {
            let core = core_of(chain.solve(&s, &in_facts));
            assert!(!core.goal, "{mode}");
            assert_eq!(core.facts.len(), 2, "{mode}");
            assert!(core.facts.contains(&sum) && core.facts.contains(&product));
        }
    }
}

/// Addresses hold like facts and are no part of a core.
#[test]
fn addresses_hold_and_stay_out_of_cores() {
    for (mode, make) in MODES {
        let s = TermStore::new();
        let (base, x) = (
            s.symbol("base", Sort::BitVec(32)),
            s.symbol("x", Sort::BitVec(32)),
        );
        let fact = s.eq(&x, &s.bv_add(&base, &s.bv(32, 4)));
        let mut query = Query::new(Facts::new().with(fact.clone()), s.eq(&x, &s.bv(32, 0x1004)));
        query.addresses = Rc::new([AddressFact {
            symbol: base,
            value: BitVec::new(32, 0x1000),
        }]);
        let mut chain = make();
        assert!(chain.solve(&s, &query).is_sat(), "{mode}");
        let other = query
            .with_goal(s.eq(&x, &s.bv(32, 0x1005)))
            .wanting(Want::Core);
        let core = core_of(chain.solve(&s, &other));
        assert_eq!(core.facts, [fact], "{mode}");
        assert!(core.goal, "{mode}");
    }
}
