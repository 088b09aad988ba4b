//! A short run of the comparison, and proof that it sees what is wrong.

use cairn_expr::{Model, Sort, Term, TermStore};
use cairn_oracle::configurations::{Configuration, always, others};
use cairn_oracle::differential::{Settings, run, script};
use cairn_oracle::judge::{Reference, fault, verdict};
use cairn_oracle::shrink::shrink;
use cairn_solver::{Answer, Facts, Query, UnknownReason, UnsatCore};
use std::rc::Rc;
use std::time::Duration;

#[test]
fn all_chains_agree_with_the_reference() {
    let settings = Settings {
        queries: 2_500,
        seed: 40_000,
        limit: Some(Duration::from_secs(10)),
        ..Settings::default()
    };
    let report = run(&settings, &mut |f| {
        println!(
            "seed {} query {} {}: {}\n{}",
            f.seed, f.number, f.configuration, f.problem, f.script
        );
    });
    println!("{}", report.table());
    assert!(report.failures.is_empty());
    assert!(report.expected.sat > 0 && report.expected.unsat > 0);
}

#[test]
fn all_orders_of_layers_are_there() {
    let count = always().len() + others().len();
    // 5861 ordered selections of at most four of ten layers, and the default; once the core solver with gates
    // only, twice with CaDiCaL only; three ways to write arrays, and gates with axioms for all tables;
    // three presets of value sets, each alone and after slices.
    assert_eq!(count, 5861 + 1 + 3 + 4 + 6);
    for configuration in always().iter().chain(&others()) {
        let _ = configuration.chain();
    }
}

/// A query that is satisfiable, one that is not, and a fact of neither.
fn queries(s: &TermStore) -> (Query, Query, Term) {
    let x = s.symbol("x", Sort::BitVec(8));
    let small = s.bv_ult(&x, &s.bv(8, 10));
    let odd = s.eq(&s.extract(&x, 0, 0), &s.bv(1, 1));
    let large = s.bv_ult(&s.bv(8, 20), &x);
    let facts = Facts::new().with(odd).with(small);
    let stranger = s.bv_ult(&x, &s.bv(8, 3));
    (
        Query::new(facts.clone(), s.bv_ult(&s.bv(8, 3), &x)),
        Query::new(facts, large),
        stranger,
    )
}

#[test]
fn wrong_answers_are_seen() {
    let s = TermStore::new();
    let mut reference = Reference::best(Duration::from_secs(5));
    let (sat, unsat, stranger) = queries(&s);
    let mut wrong = |query: &Query, answer: &Answer| {
        let expected = reference.decide(&s, query).expect("it decides");
        fault(&s, query, answer, verdict(&expected), &mut reference).is_some()
    };
    let core = |facts: Vec<Term>, goal: bool| Answer::Unsat(UnsatCore { facts, goal });
    let facts = unsat.facts.to_vec();
    // Verdicts.
    assert!(wrong(&sat, &core(sat.facts.to_vec(), true)));
    assert!(wrong(&unsat, &Answer::Sat(Rc::new(Model::new()))));
    // A model that does not hold.
    assert!(wrong(&sat, &Answer::Sat(Rc::new(Model::new()))));
    // Cores: right, too small in three ways, and with a stranger.
    assert!(!wrong(&unsat, &core(facts.clone(), true)));
    assert!(!wrong(&unsat, &core(vec![facts[1].clone()], true)));
    assert!(wrong(&unsat, &core(vec![facts[0].clone()], true)));
    assert!(wrong(&unsat, &core(facts.clone(), false)));
    assert!(wrong(&unsat, &core(Vec::new(), true)));
    assert!(wrong(&unsat, &core(vec![facts[1].clone(), stranger], true)));
    // Giving up: only a limit is a reason.
    assert!(!wrong(&sat, &Answer::Unknown(UnknownReason::Timeout)));
    assert!(wrong(
        &sat,
        &Answer::Unknown(UnknownReason::Internal("x".to_string()))
    ));
    assert!(wrong(
        &sat,
        &Answer::Unknown(UnknownReason::Unsupported("x".to_string()))
    ));
}

#[test]
fn what_does_not_fail_is_not_shrunk() {
    let s = TermStore::new();
    let (sat, unsat, _) = queries(&s);
    let mut reference = Reference::best(Duration::from_secs(5));
    let trace = [sat, unsat];
    let limit = Duration::from_secs(5);
    let found = shrink(
        &s,
        &trace,
        &Configuration::native("none"),
        &mut reference,
        limit,
        limit,
    );
    assert!(found.is_none());
    assert_eq!(script(&trace).matches("(check-sat)").count(), 2);
}

#[test]
fn value_sets_prove_their_answers() {
    let settings = cairn_oracle::sets::Settings {
        queries: 3000,
        seed: 11,
        ..Default::default()
    };
    let report = cairn_oracle::sets::run(&settings, &mut |failure| println!("{failure}"));
    assert!(report.failures.is_empty(), "{}", report.table());
    let asked: u64 = report.rows.iter().map(|(_, r)| r.asked).sum();
    assert_eq!(asked, 3000);
    // Every list of layers answers both ways by itself.
    for (name, row) in &report.rows {
        assert!(row.sat > 0 && row.unsat > 0 && row.alone > 0, "{name}");
    }
}
