//! Hard single queries: the native core against Z3, each query alone, time-outs counted twice.
//!
//! Two lists: queries that a generator makes, selected by a seeded procedure that looks at Z3 alone (`cairn-fuzz
//! select-hard`); and queries that took long in runs of whole programs (`cairn run --write-hard-queries`), named by
//! their program, with the answer that Z3 gave.

use crate::clock;
use crate::recorded;
use cairn_expr::TermStore;
use cairn_oracle::{hard, select};
use cairn_solver::cores::z3::{Z3Core, Z3Setting};
use cairn_solver::{Answer, Budget, Chain, ChainConfig, CoreName, Facts, Layer, Query};
use std::collections::BTreeMap;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(20);

/// What one core solver said, and the CPU time with a time-out counted twice.
struct Solved {
    verdict: &'static str,
    time: Duration,
}

fn solve(core: Box<dyn Layer>, store: &TermStore, query: &Query) -> Solved {
    let mut chain = Chain::new(vec![core], ChainConfig::default());
    let query = query.clone().within(Budget::timeout(LIMIT));
    let start = clock::thread();
    let answer = chain.solve(store, &query);
    let time = match &answer {
        Answer::Sat(_) | Answer::Unsat(_) => clock::thread() - start,
        Answer::Unknown(_) => 2 * LIMIT,
    };
    Solved {
        verdict: answer.verdict(),
        time,
    }
}

/// The sums of a family of queries.
#[derive(Default)]
struct Row {
    queries: usize,
    ours: Duration,
    theirs: Duration,
    our_outs: usize,
    their_outs: usize,
}

/// The families of a list, and all of it.
#[derive(Default)]
struct Comparison {
    rows: BTreeMap<String, Row>,
}

impl Comparison {
    /// Asks both about a query; `expected` is the answer that is known.
    fn add(
        &mut self,
        name: &str,
        family: &str,
        logic: &str,
        store: &TermStore,
        query: &Query,
        expected: Option<&str>,
    ) -> Result<(), String> {
        let native = CoreName::default().build().map_err(|e| e.to_string())?;
        let z3 = Box::new(Z3Core::load_with(Z3Setting::ForLogic(logic.to_string()))?);
        let ours = solve(native, store, query);
        let theirs = solve(z3, store, query);
        let known = [expected.unwrap_or("unknown"), theirs.verdict];
        let disagrees = |verdict: &&str| *verdict != "unknown" && *verdict != ours.verdict;
        if ours.verdict != "unknown" && known.iter().any(disagrees) {
            let expected = expected.unwrap_or("nothing");
            return Err(format!(
                "{name}: native {}, Z3 {}, recorded {expected}",
                ours.verdict, theirs.verdict
            ));
        }
        if std::env::var_os("CAIRN_BENCH_EACH").is_some() {
            println!(
                "{name:>20} {family:<12} {:<8} {:>8.4} {:<8} {:>8.4}",
                ours.verdict,
                ours.time.as_secs_f64(),
                theirs.verdict,
                theirs.time.as_secs_f64()
            );
        }
        for family in [family, "total"] {
            let row = self.rows.entry(family.to_string()).or_default();
            row.queries += 1;
            row.ours += ours.time;
            row.theirs += theirs.time;
            row.our_outs += usize::from(ours.verdict == "unknown");
            row.their_outs += usize::from(theirs.verdict == "unknown");
        }
        Ok(())
    }

    fn print(&self) {
        println!(
            "{:<14} {:>7} {:>10} {:>10} {:>8} {:>14}",
            "family", "queries", "native", "Z3", "ratio", "time-outs"
        );
        for (name, row) in &self.rows {
            println!(
                "{name:<14} {:>7} {:>10.2} {:>10.2} {:>8.2} {:>6} / {:<5}",
                row.queries,
                row.ours.as_secs_f64(),
                row.theirs.as_secs_f64(),
                row.ours.as_secs_f64() / row.theirs.as_secs_f64(),
                row.our_outs,
                row.their_outs
            );
        }
    }
}

/// Runs the comparison on a list of seeds, or on a folder of recorded queries, and prints the table.
pub fn run(list: &str) -> Result<(), String> {
    let limit = LIMIT.as_secs();
    let mut comparison = Comparison::default();
    if std::path::Path::new(list).is_dir() {
        println!("hard queries of {list}, CPU seconds, limit {limit} s, time-outs counted twice");
        let store = TermStore::new();
        for recorded in recorded::read_folder(&store, list)? {
            let name = recorded.name();
            let family = name.rsplit_once('-').map_or(name.as_str(), |(f, _)| f);
            let mut facts = recorded.assertions;
            let goal = facts.pop().unwrap_or_else(|| store.true_());
            let query = Query::new(facts.into_iter().collect(), goal);
            let expected = Some(recorded.status.as_str());
            comparison.add(&name, family, "QF_ABV", &store, &query, expected)?;
        }
    } else {
        let text = std::fs::read_to_string(list).map_err(|e| format!("{list}: {e}"))?;
        let kept = select::read(&text);
        println!(
            "{} hard queries, CPU seconds, limit {limit} s, time-outs counted twice",
            kept.len()
        );
        for kept in &kept {
            let store = TermStore::new();
            let query = Query::new(Facts::new(), hard::query(&store, kept.seed));
            let family = format!("{:?}", hard::family(kept.seed));
            let name = kept.seed.to_string();
            comparison.add(&name, &family, "QF_BV", &store, &query, None)?;
        }
    }
    comparison.print();
    Ok(())
}
