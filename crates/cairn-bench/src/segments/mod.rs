//! Pointers that inputs choose: the tables of \[Trabish24, chapter 3\] with ours beside them.
//!
//! # Problem
//!
//! What a policy of memory is worth depends on the program, and shows only beside the ways that others have.
//!
//! # Idea
//!
//! Drivers of the shape of real programs' tables run under every policy, each run in a process of its own; each result is kept as soon as it is
//! known (`sets/runs.rs`), so an interrupted command continues where it was. The drivers are those of `tests/segments` and the hash table of
//! `tests/speed`. The thesis's figures are of its programs, its machine and hours, ours of seconds: what compares is which way is better, and how much.
//!
//! # Soundness
//!
//! Paths are compared with what is known of them. A run that reaches its limit counts as the limit, which flatters the policies that do.
//!
//! # Cost
//!
//! At most the limit for each driver and way, in CPU time, the start of the process included: an empty program is the last line.

mod drivers;
mod tables;
mod thesis;

use crate::sets::runs::{Run, Runner, Setting};
pub use drivers::{Driver, TABLES};
use std::path::PathBuf;

/// The policies in depth-first order: a path for each object first, ours last.
const POLICIES: [Setting; 5] = [
    way("fork", &["--memory", "fork", "--search", "dfs"]),
    way("ite", &["--memory", "ite", "--search", "dfs"]),
    way("points-to", &["--memory", "points-to", "--search", "dfs"]),
    way("segments", &["--memory", "segments", "--search", "dfs"]),
    way("adaptive", &["--memory", "adaptive", "--search", "dfs"]),
];

const FORK: usize = 0;
const POINTS_TO: usize = 2;
const ADAPTIVE: usize = 4;

/// Seconds of processor time for a run, unless others are asked for.
const LIMIT: u64 = 20;

/// Runs that take less are mostly the start of the process.
const SHORT: f64 = 0.2;

/// Where forking takes as long, means are taken.
const LONG: f64 = 10.0;

const USAGE: &str = "usage: cairn-bench segments [OPTION…] [NAME…]

  --time 20s         CPU time for each run of a driver under a policy
  --tables LIST      only these of policies, 3.2, 3.3, 3.4, 3.5, 3.6 and 3.7
  --results FOLDER   where runs are kept (default .deps/segments); what is known is not run again
  --again            runs what is known again";

/// A way to run a driver.
const fn way(name: &'static str, flags: &'static [&'static str]) -> Setting {
    Setting { name, flags }
}

struct SegmentBenchOptions {
    runner: Runner,
    tables: Vec<String>,
    names: Vec<String>,
}

impl SegmentBenchOptions {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut wanted = SegmentBenchOptions {
            runner: Runner {
                limit: LIMIT,
                folder: PathBuf::from(".deps/segments"),
                again: false,
            },
            tables: Vec::new(),
            names: Vec::new(),
        };
        while let Some(word) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--again" => wanted.runner.again = true,
                "--results" => wanted.runner.folder = value()?.into(),
                "--tables" => {
                    wanted.tables = value()?.split(',').map(str::to_string).collect();
                    let all = ["policies", "3.2", "3.3", "3.4", "3.5", "3.6", "3.7"];
                    if let Some(other) = wanted.tables.iter().find(|t| !all.contains(&t.as_str())) {
                        return Err(format!("there is no table {other}\n{USAGE}"));
                    }
                }
                "--time" => {
                    let text = value()?;
                    let seconds = text.strip_suffix('s').unwrap_or(&text).parse();
                    wanted.runner.limit = seconds
                        .map_err(|_| format!("--time needs seconds, as in 60s, found {text:?}"))?;
                }
                "--help" => return Err(USAGE.to_string()),
                other if other.starts_with('-') => {
                    return Err(format!("there is no option {other}\n{USAGE}"));
                }
                _ => wanted.names.push(word),
            }
        }
        Ok(wanted)
    }

    fn wants(&self, table: &str) -> bool {
        self.tables.is_empty() || self.tables.iter().any(|t| t == table)
    }

    /// The drivers of a list that were asked for.
    fn chosen<'a>(&'a self, all: &'a [Driver]) -> impl Iterator<Item = &'a Driver> {
        all.iter().filter(|driver| {
            let name = driver.name();
            self.names.is_empty() || self.names.iter().any(|n| name.starts_with(n.as_str()))
        })
    }

    fn run(&self, driver: &Driver, way: &Setting) -> Result<Run, String> {
        self.runner.run(&driver.program(), way)
    }
}

/// Runs what was asked for and prints the tables.
pub fn run(arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let wanted = SegmentBenchOptions::parse(arguments)?;
    let mut all_right = true;
    if wanted.wants("policies") {
        all_right = policies(&wanted)?;
    }
    tables::print(&wanted)?;
    match all_right {
        true => Ok(()),
        false => Err("some paths are wrong".to_string()),
    }
}

/// What is wrong with the paths of a run that ended.
fn wrong(driver: &Driver, policy: &str, run: &Run) -> Option<String> {
    let [forked, one] = driver.paths;
    let paths = run.completed;
    let (least, most) = match policy {
        "fork" => (forked, forked),
        "adaptive" | "points-to" => (one, forked),
        _ => (one, one),
    };
    let in_bounds =
        least.is_none_or(|least| least <= paths) && most.is_none_or(|most| paths <= most);
    (run.ended && !in_bounds)
        .then(|| format!("WRONG: {policy} has {paths} paths, expected {least:?} to {most:?}"))
}

/// Seconds, and whether they are the limit.
fn seconds(run: &Run) -> String {
    format!("{:.2}{}", run.used, if run.ended { "" } else { "+" })
}

/// How many times longer; ratios of runs that hardly do anything say nothing.
fn ratio(a: f64, b: f64) -> Option<f64> {
    (a.max(b) >= SHORT).then(|| a / b.max(0.01))
}

fn mean(of: &[f64]) -> f64 {
    (of.iter().map(|r| r.ln()).sum::<f64>() / of.len() as f64).exp()
}

/// All drivers under all policies; whether all paths are right.
fn policies(wanted: &SegmentBenchOptions) -> Result<bool, String> {
    let limit = wanted.runner.limit;
    println!("paths, queries of the core, CPU seconds; at most {limit} s each (+: reached); dfs");
    print!("{:<40}", "driver");
    POLICIES.iter().for_each(|way| print!(" {:>24}", way.name));
    println!(
        " {:>10} {:>14} {:>10}",
        "over fork", "over points-to", "over best"
    );
    let (mut gains, mut over_static, mut over_best) = (Vec::new(), Vec::new(), Vec::new());
    let (mut least, mut all_right) = (None::<(f64, String)>, true);
    for driver in wanted.chosen(TABLES) {
        let name = driver.name();
        print!("{name:<40}");
        let (mut times, mut notes) = (Vec::new(), Vec::new());
        for way in &POLICIES {
            let run = wanted.run(driver, way)?;
            let paths = run.completed + run.errors;
            let figures = format!("{paths} {} {}", run.core, seconds(&run));
            print!(" {figures:>24}");
            notes.extend(wrong(driver, way.name, &run));
            times.push(run.used);
        }
        let best = times.iter().copied().fold(f64::INFINITY, f64::min);
        let ours = times[ADAPTIVE];
        let all = [
            ratio(times[FORK], ours),
            ratio(times[POINTS_TO], ours),
            ratio(ours, best),
        ];
        let text = all.map(|r| r.map_or("-".to_string(), |r| format!("{r:.2}")));
        println!(
            " {:>10} {:>14} {:>10} {}",
            text[0],
            text[1],
            text[2],
            notes.join("; ")
        );
        all_right &= notes.is_empty();
        if times[FORK] >= LONG.min(limit as f64) {
            gains.extend(all[0]);
        }
        if let Some(gain) = all[0]
            && least.as_ref().is_none_or(|(least, _)| gain < *least)
        {
            least = Some((gain, name.clone()));
        }
        over_static.extend(all[1]);
        over_best.extend(all[2].map(|r| (r, name)));
    }
    if !gains.is_empty() {
        println!(
            "adaptive over fork where fork takes {LONG} s or the limit: {:.1} in geometric mean of {}",
            mean(&gains),
            gains.len()
        );
    }
    if let Some((least, name)) = least {
        println!("adaptive over fork, least: {least:.2} ({name})");
    }
    if !over_static.is_empty() {
        println!(
            "adaptive over points-to: {:.1} in geometric mean of {}",
            mean(&over_static),
            over_static.len()
        );
    }
    let most = over_best.iter().max_by(|a, b| a.0.total_cmp(&b.0));
    if let Some((most, name)) = most {
        println!("adaptive over the best policy, most: {most:.2} ({name})");
    }
    Ok(all_right)
}
