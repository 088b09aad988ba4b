//! Minimal unsat cores.

use crate::MODES;
use cairn_expr::{Sort, TermStore};
use cairn_solver::{Answer, Facts, Query, UnsatCore, Want};

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
