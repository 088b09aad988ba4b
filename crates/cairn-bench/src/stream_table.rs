//! The table of streams: native core, Z3 at its best setting, whole chain, in one run.

use crate::streams::{self, QueryStream, StreamFigures};
use cairn_solver::cores::z3::{Z3Core, Z3Setting};
use cairn_solver::{Chain, ChainConfig, CoreName, LayerList};
use std::time::Duration;

const SEED: u64 = 1;
/// Z3's settings are compared on this many queries before the best one runs all.
const PROBE: u64 = 400;
const LIMIT: Duration = Duration::from_secs(120);

fn z3(setting: Z3Setting) -> Result<Chain, String> {
    let core = Z3Core::load_with(setting)?;
    // The model check is Cairn's own service; Z3 is measured without it.
    let config = ChainConfig {
        check_models: false,
    };
    Ok(Chain::new(vec![Box::new(core)], config))
}

fn settings() -> Vec<(&'static str, Z3Setting)> {
    vec![
        ("default", Z3Setting::Default),
        ("simple", Z3Setting::Simple),
        ("QF_BV", Z3Setting::ForLogic("QF_BV".to_string())),
        ("QF_ABV", Z3Setting::ForLogic("QF_ABV".to_string())),
    ]
}

/// The setting that answers the first queries fastest.
fn best_setting(kind: QueryStream) -> Result<(&'static str, Z3Setting), String> {
    let mut best: Option<(f64, &'static str, Z3Setting)> = None;
    for (name, setting) in settings() {
        if kind == QueryStream::Array && name == "QF_BV" {
            continue;
        }
        let mut chain = z3(setting.clone())?;
        let outcome = streams::run(kind, SEED, PROBE, &mut chain, Duration::from_secs(20));
        if outcome.unknown == 0 && best.as_ref().is_none_or(|(r, ..)| outcome.rate() > *r) {
            best = Some((outcome.rate(), name, setting));
        }
    }
    let (_, name, setting) = best.ok_or("no setting of Z3 answers this stream")?;
    Ok((name, setting))
}

fn same_answers(a: &StreamFigures, b: &StreamFigures) -> bool {
    // A run that was cut by its limit has a shorter list.
    a.sat + a.unsat != b.sat + b.unsat || a.verdicts == b.verdicts
}

fn print_counters(chain: &Chain) {
    for (layer, counters) in chain.counters() {
        let listed: Vec<String> = counters.iter().map(|(k, v)| format!("{k} {v}")).collect();
        println!("           {layer}: {}", listed.join(", "));
    }
}

/// Runs all streams, or the one that is named, and prints the table. With `alone` only the native
/// core runs: for profiles, and to compare two versions of it.
pub fn run(queries: u64, stream: Option<&str>, alone: bool) -> Result<(), String> {
    let kinds: Vec<QueryStream> = QueryStream::ALL
        .into_iter()
        .filter(|k| stream.is_none_or(|name| name == "all" || name == k.name()))
        .collect();
    if kinds.is_empty() {
        return Err("no stream has this name".to_string());
    }
    println!("queries per CPU second, {queries} queries a stream, seed {SEED}, models options");
    println!(
        "{:<10} {:>7} {:>7} {:>12} {:>12} {:>9} {:>8} {:>12} {:>10}",
        "stream",
        "sat",
        "unsat",
        "native core",
        "Z3",
        "setting",
        "ratio",
        "whole chain",
        "core asked"
    );
    for kind in kinds {
        let mut native = Chain::from_names("none", "native").map_err(|e| e.to_string())?;
        let ours = streams::run(kind, SEED, queries, &mut native, LIMIT);
        if alone {
            println!(
                "{:<10} {:>7} {:>7} {:>12.0}",
                kind.name(),
                ours.sat,
                ours.unsat,
                ours.rate()
            );
            print_counters(&native);
            continue;
        }
        let (name, setting) = best_setting(kind)?;
        let mut reference = z3(setting)?;
        let theirs = streams::run(kind, SEED, queries, &mut reference, LIMIT);
        let mut chain =
            Chain::build(&LayerList::default(), &CoreName::default()).map_err(|e| e.to_string())?;
        let whole = streams::run(kind, SEED, queries, &mut chain, LIMIT);
        if !same_answers(&ours, &theirs) || !same_answers(&ours, &whole) {
            return Err(format!("the solvers disagree on stream {}", kind.name()));
        }
        let asked = chain.stats().last().map_or(0, |(_, s)| s.asked);
        println!(
            "{:<10} {:>7} {:>7} {:>12.0} {:>12.0} {:>9} {:>8.1} {:>12.0} {:>10}",
            kind.name(),
            ours.sat,
            ours.unsat,
            ours.rate(),
            theirs.rate(),
            name,
            ours.rate() / theirs.rate(),
            whole.rate(),
            asked,
        );
        print_counters(&native);
    }
    Ok(())
}
