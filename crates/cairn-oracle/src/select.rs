//! The selection of hard queries: those that take Z3 some time, in the order of their seeds.
//!
//! - **Rule.** Seeds 0, 1, 2, … are written as SMT-LIB and given to a fresh Z3. Kept are those
//!   that take at least 0.1 seconds of processor time, until 200 are: at most 100 satisfiable,
//!   100 unsatisfiable, and 20 that Z3 does not decide in 20 seconds.
//! - **Fairness.** The rule looks at Z3 only.

use crate::hard;
use crate::z3::{Program, reported_time, verdicts};
use cairn_expr::TermStore;
use cairn_text::smtlib;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// The bounds of a selection.
#[derive(Clone, Debug)]
pub struct Rule {
    /// How many are kept.
    pub count: usize,
    /// At most so many of each verdict.
    pub of_each: usize,
    /// At most so many that are not decided.
    pub undecided: usize,
    /// The least time of Z3.
    pub least: Duration,
    /// The limit of one run of Z3.
    pub limit: Duration,
    /// When to stop with what there is.
    pub total: Option<Duration>,
}

impl Default for Rule {
    fn default() -> Self {
        Rule {
            count: 200,
            of_each: 100,
            undecided: 20,
            least: Duration::from_millis(100),
            limit: Duration::from_secs(20),
            total: None,
        }
    }
}

/// A query that was kept.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptQuery {
    /// Its seed, for [`hard::query`].
    pub seed: u64,
    /// Its family.
    pub family: String,
    /// `sat`, `unsat` or `unknown`: what Z3 says.
    pub verdict: String,
    /// Z3's time.
    pub seconds: f64,
}

/// The query of a seed as a script.
pub fn script(seed: u64) -> String {
    let store = TermStore::new();
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = smtlib::write_query(&mut text, "QF_BV", &[hard::query(&store, seed)]);
    text
}

/// Runs the selection and writes each kept query as it is found. Seeds before `first` were looked
/// at already, and `kept` is what was kept of them.
pub fn select(
    z3: &Program,
    rule: &Rule,
    out: &mut dyn Write,
    mut kept: Vec<KeptQuery>,
    first: u64,
) -> std::io::Result<Vec<KeptQuery>> {
    let start = Instant::now();
    let file = std::env::temp_dir().join(format!("cairn-hard-{}.smt2", std::process::id()));
    for seed in first.. {
        if kept.len() >= rule.count || rule.total.is_some_and(|t| start.elapsed() > t) {
            break;
        }
        let Some(one) = measure(z3, rule, &file, seed)? else {
            continue;
        };
        let most = match one.verdict.as_str() {
            "sat" | "unsat" => rule.of_each,
            _ => rule.undecided,
        };
        let same = kept.iter().filter(|k| k.verdict == one.verdict).count();
        if one.seconds < rule.least.as_secs_f64() || same >= most {
            continue;
        }
        writeln!(
            out,
            "{} {} {} {:.2}",
            one.seed, one.family, one.verdict, one.seconds
        )?;
        out.flush()?;
        kept.push(one);
    }
    // The file may never have been made.
    let _ = std::fs::remove_file(&file);
    Ok(kept)
}

/// Z3's verdict and time on a seed's query, unless it was simplified away.
pub fn measure(
    z3: &Program,
    rule: &Rule,
    file: &Path,
    seed: u64,
) -> std::io::Result<Option<KeptQuery>> {
    std::fs::write(file, script(seed))?;
    let ran = z3.run(file, rule.limit, &["-st"])?;
    let verdict = match verdicts(&ran.output).first() {
        Some(&"sat") => "sat",
        Some(&"unsat") => "unsat",
        Some(_) | None => "unknown",
    };
    let seconds = match (verdict, reported_time(&ran.output)) {
        ("sat" | "unsat", Some(time)) => time.as_secs_f64(),
        ("sat" | "unsat", None) => ran.wall.as_secs_f64(),
        _ if ran.wall < rule.limit / 2 => {
            let why = format!("Z3 fails on seed {seed}: {}{}", ran.output, ran.errors);
            return Err(std::io::Error::other(why));
        }
        _ => rule.limit.as_secs_f64(),
    };
    Ok(Some(KeptQuery {
        seed,
        family: format!("{:?}", hard::family(seed)),
        verdict: verdict.to_string(),
        seconds,
    }))
}

/// Reads a selection back.
pub fn read(text: &str) -> Vec<KeptQuery> {
    text.lines()
        .filter(|l| !l.starts_with('#'))
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            Some(KeptQuery {
                seed: words.next()?.parse().ok()?,
                family: words.next()?.to_string(),
                verdict: words.next()?.to_string(),
                seconds: words.next()?.parse().ok()?,
            })
        })
        .collect()
}
