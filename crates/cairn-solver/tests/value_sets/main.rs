//! The layer of value sets: its pitfalls one by one (here), and random paths against brute force (`random.rs`, `images.rs`,
//! `sums.rs`).

mod images;
mod random;
mod sums;

use cairn_expr::{BitVec, Sort, Table, Term, TermStore};
use cairn_solver::{Answer, Chain, Facts, Query, Want};

const PRESETS: [&str; 4] = ["intervals", "strided:first", "strided:middle", "value-sets"];

fn chain(layers: &str) -> Chain {
    Chain::from_names(layers, "native").expect("the layers exist")
}

/// How often the core solver was asked.
fn core_asked(chain: &Chain) -> u64 {
    chain.stats().last().map_or(0, |(_, s)| s.asked)
}

fn number(chain: &Chain, layer: &str, counter: &str) -> u64 {
    let counters = chain.counters();
    let (_, list) = counters
        .iter()
        .find(|(name, _)| *name == layer)
        .expect("the layer");
    list.iter()
        .find(|(name, _)| *name == counter)
        .expect("the counter")
        .1
}

struct Setting {
    store: TermStore,
    x: Term,
    y: Term,
}

impl Setting {
    fn new() -> Self {
        let store = TermStore::new();
        let x = store.symbol("x", Sort::BitVec(8));
        let y = store.symbol("y", Sort::BitVec(8));
        Setting { store, x, y }
    }

    fn below(&self, t: &Term, c: u64) -> Term {
        self.store.bv_ult(t, &self.store.bv(8, c))
    }

    /// Asks without a core solver after: only what the layer itself decides.
    fn alone(&self, preset: &str, facts: &[Term], goal: &Term) -> &'static str {
        let mut chain = chain(&format!("slice,{preset}"));
        let facts: Facts = facts.iter().cloned().collect();
        let query = Query::new(facts, goal.clone());
        let verdict = chain.solve(&self.store, &query).verdict();
        if core_asked(&chain) > 0 {
            "passed"
        } else {
            verdict
        }
    }
}

#[test]
fn comparisons_of_one_input_need_no_core() {
    let s = Setting::new();
    let facts = [s.below(&s.x, 100), s.store.not(&s.below(&s.x, 20))];
    for preset in PRESETS {
        assert_eq!(s.alone(preset, &facts, &s.below(&s.x, 50)), "sat");
        assert_eq!(s.alone(preset, &facts, &s.below(&s.x, 20)), "unsat");
        assert_eq!(
            s.alone(preset, &facts, &s.store.bv_slt(&s.x, &s.store.bv(8, 0))),
            "unsat"
        );
    }
}

/// An `int` that is read out of a wide input to which a negative number was added: the sum goes around zero, so its values
/// are in the first and in the last block of 2^32 words.
#[test]
fn truncated_sums_around_zero_need_no_core() {
    let s = TermStore::new();
    let wide = s.symbol("wide", Sort::BitVec(64));
    let sum = s.bv_add(&wide, &s.bv(64, 200u64.wrapping_neg()));
    let int = s.extract(&sum, 31, 0);
    let doubled = s.bv_mul(&int, &s.bv(32, 2));
    let mut facts = vec![s.bv_ule(&wide, &s.bv(64, 400))];
    let mut chain = chain("path-sets,value-sets");
    let mut solve = |facts: &[Term], goal: Term| {
        let query = Query::new(facts.iter().cloned().collect(), goal);
        let answer = chain.solve(&s, &query);
        assert_eq!(core_asked(&chain), 0);
        answer.is_sat()
    };
    assert!(solve(&facts, s.bv_slt(&int, &s.bv(32, 0))));
    for counter in 0..=200 {
        let goes_on = s.bv_slt(&s.bv(32, 2 * counter), &doubled);
        let ends = s.not(&goes_on);
        assert_eq!(solve(&facts, goes_on.clone()), counter < 200);
        let other = s.not(&s.eq(&int, &s.bv(32, counter)));
        let with = [&facts[..], &[ends]].concat();
        // At first it may also be negative.
        assert_eq!(solve(&with, other), counter == 0);
        facts.push(goes_on);
    }
}

#[test]
fn contingent_only_if_the_sides_share_no_input() {
    let s = Setting::new();
    // Both sides have sets that overlap, but they move together.
    let next = s.store.bv_add(&s.x, &s.store.bv(8, 1));
    let above = s.store.bv_ult(&next, &s.x);
    let facts = [s.below(&s.x, 100)];
    for preset in PRESETS {
        assert_ne!(s.alone(preset, &facts, &above), "sat");
        let mut chain = chain(&format!("slice,{preset}"));
        let facts: Facts = facts.iter().cloned().collect();
        assert!(
            chain
                .solve(&s.store, &Query::new(facts, above.clone()))
                .is_unsat()
        );
    }
}

#[test]
fn sets_right_by_themselves_are_no_product() {
    let s = Setting::new();
    // x = y, both up to 10: x < y is impossible though the sets overlap.
    let equal = s.store.eq(&s.x, &s.y);
    let facts: Facts = [s.below(&s.x, 11), s.below(&s.y, 11), equal]
        .into_iter()
        .collect();
    for preset in PRESETS {
        let mut chain = chain(&format!("slice,{preset}"));
        let query = Query::new(facts.clone(), s.store.bv_ult(&s.x, &s.y));
        assert!(chain.solve(&s.store, &query).is_unsat(), "{preset}");
    }
}

#[test]
fn an_unsupported_fact_poisons_its_own_part_only() {
    let s = Setting::new();
    let strange = s.store.eq(&s.store.bv_mul(&s.y, &s.y), &s.store.bv(8, 17));
    let facts = [strange, s.below(&s.x, 50)];
    for preset in PRESETS {
        let facts: Facts = facts.iter().cloned().collect();
        let mut chain = chain(&format!("slice,{preset}"));
        // The strange part is solved once; questions about x are answered beside it.
        let first = Query::new(facts.clone(), s.below(&s.x, 20));
        assert!(chain.solve(&s.store, &first).is_sat());
        let asked = core_asked(&chain);
        for c in 1..50 {
            let query = Query::new(facts.clone(), s.below(&s.x, c)).assuming_facts_sat();
            assert!(chain.solve(&s.store, &query).is_sat());
        }
        assert_eq!(core_asked(&chain), asked, "{preset}");
    }
}

#[test]
fn steps_and_remainders() {
    let s = Setting::new();
    let even = s.store.eq(&s.store.extract(&s.x, 0, 0), &s.store.bv(1, 0));
    let odd = s.store.eq(
        &s.store.bv_urem(&s.x, &s.store.bv(8, 10)),
        &s.store.bv(8, 3),
    );
    assert_eq!(
        s.alone("value-sets", std::slice::from_ref(&even), &odd),
        "unsat"
    );
    let seven = s
        .store
        .eq(&s.store.bv_urem(&s.x, &s.store.bv(8, 7)), &s.store.bv(8, 3));
    assert_eq!(s.alone("value-sets", &[even], &seven), "sat");
    // The published domains do not take these backward.
    assert_eq!(s.alone("intervals", &[], &odd), "passed");
    assert_eq!(s.alone("strided:middle", &[], &odd), "passed");
}

#[test]
fn boxes_answer_for_overlapping_inputs() {
    let s = Setting::new();
    let facts = [
        s.below(&s.x, 81),
        s.below(&s.y, 81),
        s.store.bv_ult(&s.x, &s.y),
    ];
    let goal = s.store.bv_ult(&s.x, &s.store.bv(8, 30));
    for preset in ["strided:first", "strided:middle", "value-sets"] {
        assert_eq!(s.alone(preset, &facts, &goal), "sat", "{preset}");
    }
    // Multi-intervals give up as soon as such a fact is learned.
    assert_eq!(s.alone("intervals", &facts, &goal), "passed");
    // But they decide it as a question, where the sets are exact.
    assert_eq!(s.alone("intervals", &facts[..2], &facts[2]), "sat");
}

#[test]
fn over_sets_of_terms_that_say_nothing_about_inputs() {
    let s = Setting::new();
    // h = x * y; if h < 16 then h < 32.
    let h = s.store.bv_mul(&s.x, &s.y);
    let facts = [s.below(&h, 16)];
    let beyond = s.store.not(&s.below(&h, 32));
    assert_eq!(s.alone("value-sets", &facts, &beyond), "unsat");
}

#[test]
fn cores_name_the_facts_that_matter() {
    let s = Setting::new();
    let list = [
        s.below(&s.y, 7),
        s.below(&s.x, 100),
        s.store.not(&s.below(&s.x, 20)),
        s.below(&s.x, 90),
    ];
    for preset in PRESETS {
        let mut chain = chain(preset);
        let facts: Facts = list.iter().cloned().collect();
        let goal = s.below(&s.x, 10);
        match chain.solve(&s.store, &Query::new(facts, goal)) {
            Answer::Unsat(core) => {
                assert!(core.goal && core.facts.contains(&list[2]), "{preset}");
                assert!(!core.facts.contains(&list[0]), "{preset}");
            }
            other => panic!("{preset}: {other:?}"),
        }
    }
}

#[test]
fn cores_of_loops_stay_small() {
    let s = Setting::new();
    // 0 < x, 1 < x, …, and x is not 3, 5, 7, …: what contradicts is two facts at most.
    let mut facts = Facts::new().with(s.below(&s.x, 200));
    for c in 0..100 {
        facts = facts.with(s.store.bv_ult(&s.store.bv(8, c), &s.x));
        let hole = s.store.eq(&s.x, &s.store.bv(8, 255 - c));
        facts = facts.with(s.store.not(&hole));
    }
    let goals = [s.below(&s.x, 100), s.store.eq(&s.x, &s.store.bv(8, 190))];
    for goal in goals {
        let mut chain = chain("value-sets");
        match chain.solve(&s.store, &Query::new(facts.clone(), goal)) {
            Answer::Unsat(core) => assert!(core.goal && core.facts.len() == 1, "{core:?}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn conditions_computed_as_words_are_taken_apart() {
    let s = Setting::new();
    let word = |t: &Term| s.store.ite(t, &s.store.bv(32, 1), &s.store.bv(32, 0));
    let ends = [s.below(&s.x, 100), s.store.not(&s.below(&s.y, 20))];
    let both = s.store.bv_and(&word(&ends[0]), &word(&ends[1]));
    let assumed = s.store.not(&s.store.eq(&both, &s.store.bv(32, 0)));
    for preset in PRESETS {
        assert_eq!(
            s.alone(preset, std::slice::from_ref(&assumed), &s.below(&s.y, 20)),
            "unsat"
        );
        assert_eq!(
            s.alone(preset, std::slice::from_ref(&assumed), &s.below(&s.y, 21)),
            "sat"
        );
    }
}

#[test]
fn a_model_of_the_core_is_kept_as_a_box() {
    let s = Setting::new();
    let product = s.store.bv_mul(&s.x, &s.y);
    let strange = s.store.eq(&product, &s.store.bv(8, 91));
    let mut chain = chain("strided:middle");
    let facts = Facts::new().with(strange.clone());
    assert!(
        chain
            .solve(&s.store, &Query::new(facts.clone(), s.store.true_()))
            .is_sat()
    );
    assert_eq!(core_asked(&chain), 1);
    // The same facts again: the point is still there.
    assert!(
        chain
            .solve(&s.store, &Query::new(facts, s.store.true_()))
            .is_sat()
    );
    assert_eq!(core_asked(&chain), 1);
    assert_eq!(number(&chain, "strided:middle", "kept"), 1);
}

#[test]
fn a_question_that_becomes_a_fact_is_not_learned_twice() {
    let s = Setting::new();
    let mut chain = chain("value-sets");
    let mut facts = Facts::new();
    for c in (1..60).rev() {
        let goal = s.below(&s.x, c);
        let query = Query::new(facts.clone(), goal.clone()).assuming_facts_sat();
        assert!(chain.solve(&s.store, &query).is_sat());
        facts = facts.with(goal);
    }
    assert!(number(&chain, "value-sets", "reused") >= 57);
}

#[test]
fn bounds_are_enclosed_without_asking() {
    let s = Setting::new();
    let mut chain = chain("value-sets");
    let facts: Facts = [s.below(&s.x, 100), s.store.not(&s.below(&s.x, 20))]
        .into_iter()
        .collect();
    let term = s.store.bv_add(&s.x, &s.store.bv(8, 5));
    let query = Query::new(facts, s.store.true_()).wanting(Want::Bounds(term.clone()));
    let enclosing = chain
        .enclosing_bounds(&query, &term)
        .expect("the layer knows");
    assert_eq!(
        (enclosing.min.low_u64(), enclosing.max.low_u64()),
        (25, 104)
    );
    let exact = chain.bounds(&s.store, &query, &term).expect("satisfiable");
    assert_eq!(exact, enclosing);
    assert_eq!(core_asked(&chain), 0);
}

/// Words of 32 bits with sets from 0 to 80, as sorting programs have them.
struct Ordered {
    store: TermStore,
    words: Vec<Term>,
    facts: Facts,
}

impl Ordered {
    fn new(count: usize) -> Self {
        let store = TermStore::new();
        let words: Vec<Term> = (0..count)
            .map(|i| store.symbol(&format!("x{i}"), Sort::BitVec(32)))
            .collect();
        let mut facts = Facts::new();
        for x in &words {
            facts = facts.with(store.bv_sle(&store.bv(32, 0), x));
            facts = facts.with(store.bv_sle(x, &store.bv(32, 80)));
        }
        Ordered {
            store,
            words,
            facts,
        }
    }

    fn less(&self, a: usize, b: usize) -> Term {
        self.store.bv_slt(&self.words[a], &self.words[b])
    }

    fn ask(&self, facts: &Facts, goal: &Term) -> (Answer, u64) {
        let mut chain = chain("slice,value-sets");
        let query = Query::new(facts.clone(), goal.clone());
        let answer = chain.solve(&self.store, &query);
        (answer, core_asked(&chain))
    }
}

#[test]
fn order_is_transitive_and_cores_are_its_edges() {
    let o = Ordered::new(6);
    let mut facts = o.facts.clone();
    let edges: Vec<Term> = (0..5).map(|i| o.less(i, i + 1)).collect();
    for edge in &edges {
        facts = facts.with(edge.clone());
    }
    match o.ask(&facts, &o.less(3, 1)) {
        (Answer::Unsat(core), 0) => {
            assert!(core.goal && core.facts.len() == 2, "{core:?}");
            assert!(core.facts.contains(&edges[1]) && core.facts.contains(&edges[2]));
        }
        other => panic!("{other:?}"),
    }
    // x0 < x5 follows; that x5 is at most x0 + something is open.
    assert!(o.ask(&facts, &o.less(0, 5)).0.is_sat());
    let back = o.store.not(&o.less(0, 5));
    assert!(matches!(o.ask(&facts, &back), (Answer::Unsat(_), 0)));
}

#[test]
fn values_are_chosen_along_the_order_through_holes() {
    let o = Ordered::new(4);
    let mut facts = o.facts.clone();
    // x3 < x2 < x1 < x0, each of them even, x1 at most 6: one solution is left at the bottom.
    for (a, b) in [(3, 2), (2, 1), (1, 0)] {
        facts = facts.with(o.less(a, b));
    }
    for x in &o.words {
        let last = o.store.extract(x, 0, 0);
        facts = facts.with(o.store.eq(&last, &o.store.bv(1, 0)));
    }
    let at_most = |x: &Term, c| o.store.bv_sle(x, &o.store.bv(32, c));
    let goal = at_most(&o.words[1], 5);
    assert!(matches!(o.ask(&facts, &goal), (Answer::Sat(_), 0)));
    // Smaller, and the sets of those before it leave nothing.
    let goal = at_most(&o.words[1], 3);
    match o.ask(&facts, &goal) {
        (Answer::Unsat(core), 0) => assert!(core.goal),
        other => panic!("{other:?}"),
    }
}

#[test]
fn words_that_differ_get_different_values() {
    let o = Ordered::new(3);
    let mut facts = o.facts.clone();
    let equal = |a: usize, b: usize| o.store.eq(&o.words[a], &o.words[b]);
    for (a, b) in [(0, 1), (1, 2), (0, 2)] {
        facts = facts.with(o.store.not(&equal(a, b)));
    }
    let few = o.store.bv_sle(&o.words[0], &o.store.bv(32, 1));
    facts = facts.with(few);
    let goal = o.store.bv_sle(&o.words[1], &o.store.bv(32, 1));
    assert!(matches!(o.ask(&facts, &goal), (Answer::Sat(_), 0)));
    // Three words, two values: no order says so, but it must not be called possible.
    let last = o.store.bv_sle(&o.words[2], &o.store.bv(32, 1));
    assert!(o.ask(&facts.with(goal), &last).0.is_unsat());
    // At most and at least make equal.
    let both = o.facts.with(o.store.not(&o.less(0, 1)));
    let both = both.with(o.store.not(&o.less(1, 0)));
    let differ = o.store.not(&equal(0, 1));
    assert!(matches!(o.ask(&both, &differ), (Answer::Unsat(_), 0)));
}

#[test]
fn words_after_equal_ones_come_after_them() {
    // Found by fuzzing: the word was chosen before the class it follows.
    let o = Ordered::new(4);
    let s = &o.store;
    let mut facts = Facts::new().with(s.eq(&o.words[1], &o.words[3]));
    facts = facts.with(o.less(1, 2));
    facts = facts.with(s.bv_sle(&s.bv(32, 0xffff_fff5), &o.words[3]));
    let goal = s.bv_sle(&o.words[2], &o.words[0]);
    let mut whole = chain("value-sets");
    let query = Query::new(facts.clone(), goal);
    assert!(whole.solve(s, &query).is_sat());
    assert_eq!(core_asked(&whole), 0);
    // With a word made of a part of another.
    let part = s.concat(&s.extract(&o.words[1], 7, 0), &s.bv(24, 0));
    let query = Query::new(facts, s.bv_sle(&o.words[2], &part));
    assert!(whole.solve(s, &query).is_sat());
}

#[test]
fn sums_are_the_same_in_any_order() {
    let o = Ordered::new(4);
    let sum = |order: [usize; 4]| {
        let words = order.map(|i| o.words[i].clone());
        let mut all = words[0].clone();
        for w in &words[1..] {
            all = o.store.bv_add(&all, w);
        }
        all
    };
    let (a, b) = (sum([0, 1, 2, 3]), sum([3, 1, 0, 2]));
    let differ = o.store.not(&o.store.eq(&a, &b));
    assert!(matches!(o.ask(&o.facts, &differ), (Answer::Unsat(_), 0)));
    let more = o.store.bv_add(&b, &o.store.bv(32, 1));
    let same = o.store.eq(&a, &more);
    assert!(matches!(o.ask(&o.facts, &same), (Answer::Unsat(_), 0)));
}

#[test]
fn a_few_values_are_tried() {
    let s = Setting::new();
    let mut facts = Facts::new().with(s.below(&s.x, 26)).with(s.below(&s.y, 26));
    // x * y = 91 within 0 to 25 is 7 * 13.
    let product = s.store.bv_mul(&s.x, &s.y);
    let ninety_one = s.store.eq(&product, &s.store.bv(8, 91));
    let asked = |facts: &Facts, goal: &Term| {
        let mut chain = chain("value-sets");
        let query = Query::new(facts.clone(), goal.clone());
        let answer = chain.solve(&s.store, &query);
        (answer, core_asked(&chain))
    };
    assert!(matches!(asked(&facts, &ninety_one), (Answer::Sat(_), 0)));
    facts = facts.with(ninety_one);
    let sum = s.store.bv_add(&s.x, &s.y);
    let thirty = s.store.eq(&sum, &s.store.bv(8, 30));
    match asked(&facts, &thirty) {
        (Answer::Unsat(core), 0) => assert!(core.goal && core.facts.len() <= 3, "{core:?}"),
        other => panic!("{other:?}"),
    }
}

/// Before a chain cuts queries into parts, questions that sets answer are answered; where they
/// mostly cannot be, most are not even looked at.
#[test]
fn whole_paths_are_looked_at_as_long_as_it_pays() {
    let store = TermStore::new();
    let x = store.symbol("x", Sort::BitVec(8));
    let mut easy = chain("path-sets,slice,value-sets");
    for i in 0..100 {
        let goal = store.bv_ult(&store.bv(8, i), &x);
        let answer = easy.solve(&store, &Query::new(Facts::new(), goal));
        assert!(matches!(answer, Answer::Sat(_)));
    }
    assert_eq!(number(&easy, "path-sets", "exact"), 100);
    assert_eq!(number(&easy, "path-sets", "skipped"), 0);
    // A read at an unknown place has no set: nothing can be proved possible of the whole path.
    let sort = Sort::Array { index: 8, value: 8 };
    let array = store.symbol("a", sort);
    let opaque = store.eq(&store.select(&array, &x), &store.bv(8, 7));
    let y = store.symbol("y", Sort::BitVec(8));
    let mut hard = chain("path-sets,slice,value-sets");
    let facts = Facts::new().with(opaque);
    for i in 0..200 {
        let goal = store.bv_ult(&store.bv(8, i), &y);
        let query = Query::new(facts.clone(), goal).assuming_facts_sat();
        assert!(matches!(hard.solve(&store, &query), Answer::Sat(_)));
    }
    let skipped = number(&hard, "path-sets", "skipped");
    assert!((150..200).contains(&skipped), "{skipped} skipped");
    assert!(number(&hard, "value-sets", "exact") >= 199);
}

#[test]
fn presets_take_the_place_of_the_layer() {
    let choose = |layers: &str, preset: &str| {
        let layers = layers.parse().expect("known layers");
        cairn_solver::with_value_sets(&layers, preset).map(|list| list.to_string())
    };
    let list = "simplify,slice,value-sets,model-cache";
    assert_eq!(
        choose(list, "intervals").as_deref(),
        Ok("simplify,slice,intervals,model-cache")
    );
    assert_eq!(choose(list, "value-sets").as_deref(), Ok(list));
    assert_eq!(
        choose(list, "off").as_deref(),
        Ok("simplify,slice,model-cache")
    );
    assert_eq!(
        choose("simplify,model-cache", "value-sets").as_deref(),
        Ok("simplify,value-sets,model-cache")
    );
    assert_eq!(
        choose("none", "strided:first").as_deref(),
        Ok("strided:first")
    );
    assert_eq!(choose("value-sets", "off").as_deref(), Ok("none"));
    let twice = "path-sets,slice,value-sets";
    assert_eq!(choose(twice, "value-sets").as_deref(), Ok(twice));
    assert_eq!(choose(twice, "intervals").as_deref(), Ok("slice,intervals"));
    assert_eq!(choose(twice, "off").as_deref(), Ok("slice"));
    assert!(choose(list, "octagons").is_err());
}

/// Elements of a large table lie between its least and largest, apart by what divides their distances, if the index
/// stays among those that are listed.
#[test]
fn elements_of_a_large_table_are_bounded_as_a_whole() {
    let s = Setting::new();
    let values = (0..3000).map(|i| BitVec::new(32, 0x5000 + 32 * (i * 7 % 3000)));
    let table = s
        .store
        .table(Table::new(12, values.collect(), BitVec::zero(32)));
    let place = s.store.concat(&s.x, &s.y);
    let read = |buckets: u64| {
        let bucket = s.store.bv_urem(&place, &s.store.bv(16, buckets));
        s.store.select(&table, &s.store.extract(&bucket, 11, 0))
    };
    let is = |read: &Term, value: u64| s.store.eq(read, &s.store.bv(32, value));
    let listed = read(3000);
    for impossible in [0, 0x4fff, 0x5000 + 33, 0x5000 + 32 * 3000] {
        let goal = is(&listed, impossible);
        assert_eq!(
            s.alone("value-sets", &[], &goal),
            "unsat",
            "{impossible:#x}"
        );
    }
    for possible in [0x5000, 0x5000 + 32, 0x5000 + 32 * 2999] {
        let goal = is(&listed, possible);
        assert_ne!(s.alone("value-sets", &[], &goal), "unsat", "{possible:#x}");
    }
    // One bucket more is not listed: its element is zero.
    let beyond = read(3001);
    assert_ne!(s.alone("value-sets", &[], &is(&beyond, 0)), "unsat");
    assert_eq!(s.alone("value-sets", &[], &is(&beyond, 0x4fff)), "unsat");
}
