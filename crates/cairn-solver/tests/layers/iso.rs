//! The layer `iso-cache`: what it takes for the same question, and what it does not.

use crate::layer;
use cairn_expr::{Base, BaseKind, Evaluator, Sort, Term, TermStore};
use cairn_solver::cores::native::NativeCore;
use cairn_solver::{Answer, Chain, ChainConfig, Facts, Layer, Query, Rest, Want};
use std::cell::Cell;
use std::rc::Rc;

/// The native core, counting what it is asked.
struct Counted {
    inner: NativeCore,
    asked: Rc<Cell<u64>>,
}

impl Layer for Counted {
    fn name(&self) -> &'static str {
        "counted"
    }

    fn solve(&mut self, query: &Query, rest: &mut Rest<'_>) -> Answer {
        self.asked.set(self.asked.get() + 1);
        self.inner.solve(query, rest)
    }
}

struct Asked {
    s: TermStore,
    chain: Chain,
    core: Rc<Cell<u64>>,
}

impl Asked {
    fn new() -> Self {
        let core = Rc::new(Cell::new(0));
        let counted = Counted {
            inner: NativeCore::default(),
            asked: Rc::clone(&core),
        };
        let layers = vec![layer("iso-cache"), Box::new(counted) as Box<dyn Layer>];
        Asked {
            s: TermStore::new(),
            chain: Chain::new(layers, ChainConfig::default()),
            core,
        }
    }

    /// The answer, and whether the core solver gave it. The evidence is checked.
    fn ask(&mut self, facts: &[Term], goal: &Term, want: Want) -> (bool, bool) {
        let list: Facts = facts.iter().cloned().collect();
        let before = self.core.get();
        let query = Query::new(list, goal.clone()).wanting(want);
        let answer = self.chain.solve(&self.s, &query);
        let by_core = self.core.get() > before;
        match answer {
            Answer::Sat(model) => {
                let mut e = Evaluator::new();
                e.start();
                assert!(facts.iter().chain([goal]).all(|t| e.eval_bool(t, &model)));
                (true, by_core)
            }
            Answer::Unsat(core) => {
                assert!(core.facts.iter().all(|f| facts.contains(f)));
                let goal = core.goal.then(|| goal.clone());
                let again: Facts = core.facts.into_iter().chain(goal).collect();
                let mut alone = Chain::from_names("none", "native").expect("it is there");
                let answer = alone.solve(&self.s, &Query::new(again, self.s.true_()));
                assert!(answer.is_unsat(), "it is a core");
                (false, by_core)
            }
            Answer::Unknown(reason) => panic!("{reason}"),
        }
    }
}

/// `a * b = n` with both above one: whether n has a factor of eight bits.
fn factors(s: &TermStore, a: &Term, b: &Term, n: u64) -> (Vec<Term>, Term) {
    let wide = |t: &Term| s.zero_extend(t, 8);
    let product = s.bv_mul(&wide(a), &wide(b));
    let above = |t: &Term| s.bv_ult(&s.bv(8, 1), t);
    (vec![above(a), above(b)], s.eq(&product, &s.bv(16, n)))
}

#[test]
fn a_question_with_other_inputs_is_the_same_question() {
    let mut asked = Asked::new();
    let byte = |s: &TermStore, n: &str| s.symbol(n, Sort::BitVec(8));
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|n| byte(&asked.s, n));
    for (n, satisfiable) in [(221, true), (251, false)] {
        let (facts, goal) = factors(&asked.s, &a, &b, n);
        assert_eq!(asked.ask(&facts, &goal, Want::Model), (satisfiable, true));
        let (facts, goal) = factors(&asked.s, &c, &d, n);
        assert_eq!(asked.ask(&facts, &goal, Want::Model), (satisfiable, false));
        // In another order, with the goal among the facts, and with symbols of the first question.
        let (facts, goal) = factors(&asked.s, &d, &a, n);
        let other = [goal, facts[1].clone()];
        assert_eq!(
            asked.ask(&other, &facts[0], Want::Model),
            (satisfiable, false)
        );
    }
    // Another number, one fact less, one input for two: other questions.
    let (facts, goal) = factors(&asked.s, &c, &d, 247);
    assert_eq!(asked.ask(&facts, &goal, Want::Model), (true, true));
    let (facts, goal) = factors(&asked.s, &a, &b, 251);
    assert_eq!(asked.ask(&facts[1..], &goal, Want::Model), (true, true));
    let (facts, goal) = factors(&asked.s, &c, &c, 221);
    assert_eq!(asked.ask(&facts, &goal, Want::Model), (false, true));
}

#[test]
fn a_question_that_contains_the_core_of_another_is_answered() {
    let mut asked = Asked::new();
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|n| asked.s.symbol(n, Sort::BitVec(8)));
    let (facts, goal) = factors(&asked.s, &a, &b, 251);
    assert_eq!(asked.ask(&facts, &goal, Want::Model), (false, true));
    // More facts, in another order, about other inputs.
    let (mut facts, goal) = factors(&asked.s, &d, &c, 251);
    let s = &asked.s;
    facts.insert(0, s.bv_ult(&c, &s.bv(8, 77)));
    facts.push(s.not(&s.eq(&a, &d)));
    facts.reverse();
    assert_eq!(asked.ask(&facts, &goal, Want::Model), (false, false));
    // One input for two.
    let (facts, goal) = factors(&asked.s, &c, &c, 251);
    assert_eq!(asked.ask(&facts, &goal, Want::Model), (false, false));
    // A part of the core is not enough.
    let (facts, goal) = factors(&asked.s, &c, &d, 251);
    assert_eq!(asked.ask(&facts[..1], &goal, Want::Model), (true, true));
    let (mut facts, goal) = factors(&asked.s, &c, &d, 251);
    let s = &asked.s;
    facts[1] = s.bv_ult(&s.bv(8, 1), &a);
    assert_eq!(asked.ask(&facts, &goal, Want::Model), (true, true));
}

#[test]
fn a_core_that_is_not_minimised_does_not_answer_who_wants_a_small_one() {
    let mut asked = Asked::new();
    let [a, b] = ["a", "b"].map(|n| asked.s.symbol(n, Sort::BitVec(8)));
    let (facts, goal) = factors(&asked.s, &a, &b, 251);
    assert_eq!(asked.ask(&facts, &goal, Want::Model), (false, true));
    assert_eq!(asked.ask(&facts, &goal, Want::Core), (false, true));
    let (facts, goal) = factors(&asked.s, &b, &a, 251);
    assert_eq!(asked.ask(&facts, &goal, Want::Core), (false, false));
}

fn base(s: &TermStore, birth: u64, address: u64, capacity: u64) -> Term {
    s.base(Base {
        birth,
        address,
        capacity,
        alignment: 8,
        kind: BaseKind::Heap,
    })
}

/// Whether one of two pointers is a third, by an input's value.
fn chosen(s: &TermStore, p: &Term, q: &Term, n: u64) -> (Vec<Term>, Term) {
    let x = s.symbol("x", Sort::BitVec(8));
    let offset = s.zero_extend(&s.extract(&x, 2, 0), 61);
    let is = s.eq(&s.bv_mul(&x, &x), &s.bv(8, n));
    let pointer = s.ite(&is, p, &s.bv_add(q, &offset));
    (vec![s.bv_ult(&x, &s.bv(8, 16))], s.eq(&pointer, p))
}

#[test]
fn a_question_about_other_objects_of_the_same_sizes_is_the_same_question() {
    let mut asked = Asked::new();
    let at = |s: &TermStore, n: u64| base(s, n, 0x1000 * n, 16);
    for (n, satisfiable) in [(49, true), (48, false)] {
        let [p, q] = [1, 2].map(|n| at(&asked.s, n));
        let (facts, goal) = chosen(&asked.s, &p, &q, n);
        assert_eq!(asked.ask(&facts, &goal, Want::Model), (satisfiable, true));
        let [p, q] = [7, 3].map(|n| at(&asked.s, n));
        let (facts, goal) = chosen(&asked.s, &p, &q, n);
        assert_eq!(asked.ask(&facts, &goal, Want::Model), (satisfiable, false));
        // Of another size, it is another question.
        let q = base(&asked.s, 3, 0x3000, 24);
        let (facts, goal) = chosen(&asked.s, &p, &q, n);
        assert_eq!(asked.ask(&facts, &goal, Want::Model), (satisfiable, true));
    }
}

/// Questions whose answers depend on where objects are: with the same terms, one layout says yes and the other no.
#[test]
fn what_depends_on_the_layout_is_never_reused() {
    let x = |s: &TermStore| s.zero_extend(&s.symbol("x", Sort::BitVec(4)), 60);
    type Made = fn(&TermStore, &Term, &Term, &Term) -> Term;
    // One past the end is the next object, order, a mask, a distance, a constant, a part of an address.
    let conditions: [Made; 6] = [
        |s, p, q, x| s.eq(&s.bv_add(p, &s.bv_add(x, &s.bv(64, 1))), q),
        |s, p, q, x| s.bv_ult(&s.bv_add(p, x), q),
        |s, p, _, x| s.eq(&s.bv_and(&s.bv_add(p, x), &s.bv(64, 0x1000)), &s.bv(64, 0)),
        |s, p, q, x| s.eq(&s.bv_sub(q, p), &s.bv_add(x, &s.bv(64, 1))),
        |s, p, _, x| s.eq(&s.bv_add(p, x), &s.bv(64, 0x1004)),
        |s, p, _, x| s.eq(&s.extract(&s.bv_add(p, x), 15, 8), &s.bv(8, 0x10)),
    ];
    for (number, condition) in conditions.iter().enumerate() {
        let mut verdicts = Vec::new();
        let mut asked = Asked::new();
        for (first, second) in [(0x1000, 0x1010), (0x4000, 0x2000), (0x1000, 0x1010)] {
            let s = &asked.s;
            let (p, q) = (base(s, 1, first, 16), base(s, 2, second, 16));
            let goal = condition(s, &p, &q, &x(s));
            let mut alone = Chain::from_names("none", "native").expect("it is there");
            let right = alone
                .solve(s, &Query::new(Facts::new(), goal.clone()))
                .is_sat();
            let (said, _) = asked.ask(&[], &goal, Want::Model);
            assert_eq!(said, right, "condition {number} at {first:x}");
            verdicts.push(said);
        }
        assert_ne!(verdicts[0], verdicts[1], "condition {number} shows nothing");
    }
}
