//! Hard single queries: the native core against Z3, each query alone, time-outs counted twice.
//!
//! The list was selected by a seeded procedure that looks at Z3 alone (`cairn-fuzz select-hard`).

use crate::clock;
use cairn_expr::TermStore;
use cairn_oracle::{hard, select};
use cairn_solver::cores::z3::{Z3Core, Z3Setting};
use cairn_solver::{Answer, Budget, Chain, ChainConfig, Facts, Layer, Query};
use std::collections::BTreeMap;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(20);

/// The verdict, and the CPU time with a time-out counted twice.
fn solve(core: Box<dyn Layer>, seed: u64) -> (&'static str, Duration) {
    let store = TermStore::new();
    let goal = hard::query(&store, seed);
    let mut chain = Chain::new(vec![core], ChainConfig::default());
    let query = Query::new(Facts::new(), goal).within(Budget::timeout(LIMIT));
    let start = clock::thread();
    let answer = chain.solve(&store, &query);
    let time = clock::thread() - start;
    match answer {
        Answer::Sat(_) => ("sat", time),
        Answer::Unsat(_) => ("unsat", time),
        Answer::Unknown(_) => ("unknown", 2 * LIMIT),
    }
}

/// Runs the comparison and prints the table.
pub fn run(file: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?;
    let list = select::read(&text);
    println!(
        "{} hard queries, CPU seconds, limit {} s, time-outs counted twice",
        list.len(),
        LIMIT.as_secs()
    );
    let mut rows: BTreeMap<String, (usize, Duration, Duration, usize, usize)> = BTreeMap::new();
    for kept in &list {
        let native = cairn_solver::CoreName::default()
            .build()
            .map_err(|e| e.to_string())?;
        let z3 = Box::new(Z3Core::load_with(Z3Setting::ForLogic("QF_BV".to_string()))?);
        let (ours, our_time) = solve(native, kept.seed);
        let (theirs, their_time) = solve(z3, kept.seed);
        if ours != theirs && ours != "unknown" && theirs != "unknown" {
            return Err(format!("seed {}: native {ours}, Z3 {theirs}", kept.seed));
        }
        if std::env::var_os("CAIRN_BENCH_EACH").is_some() {
            println!(
                "{:>5} {:<12} {ours:<8} {:>8.3} {theirs:<8} {:>8.3}",
                kept.seed,
                format!("{:?}", hard::family(kept.seed)),
                our_time.as_secs_f64(),
                their_time.as_secs_f64()
            );
        }
        for name in [
            format!("{:?}", hard::family(kept.seed)),
            "total".to_string(),
        ] {
            let row = rows.entry(name).or_default();
            row.0 += 1;
            row.1 += our_time;
            row.2 += their_time;
            row.3 += usize::from(ours == "unknown");
            row.4 += usize::from(theirs == "unknown");
        }
    }
    println!(
        "{:<14} {:>7} {:>10} {:>10} {:>8} {:>14}",
        "family", "queries", "native", "Z3", "ratio", "time-outs"
    );
    for (name, (count, ours, theirs, our_outs, their_outs)) in &rows {
        println!(
            "{name:<14} {count:>7} {:>10.2} {:>10.2} {:>8.2} {:>6} / {:<5}",
            ours.as_secs_f64(),
            theirs.as_secs_f64(),
            ours.as_secs_f64() / theirs.as_secs_f64(),
            our_outs,
            their_outs
        );
    }
    Ok(())
}
