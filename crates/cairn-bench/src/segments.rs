//! Pointers that inputs choose: drivers of the shape of real programs' tables under every policy of memory.
//!
//! The drivers are those of `tests/segments` and the hash table of `tests/speed`. Times are user and system time of a process of its
//! own, its start included: an empty program is the last line. A run that reaches its limit counts as the limit, which
//! flatters the policies that do.

use crate::child::{self, Usage, scratch_folder};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The policies: a path for each object first.
const POLICIES: [&str; 4] = ["fork", "ite", "segments", "adaptive"];

/// Seconds of processor time for a run, unless others are asked for.
const LIMIT: u64 = 20;

/// Runs that take less are mostly the start of the process.
const SHORT: f64 = 0.2;

struct Driver {
    file: &'static str,
    defines: &'static [&'static str],
    /// Paths where each object is one, and where all are one, if they are known.
    paths: [Option<u64>; 2],
}

const DRIVERS: [Driver; 9] = [
    Driver {
        file: "tests/segments/m4.c",
        defines: &["WORDS=4", "NAMES=104"],
        // Each letter of each word; whether each word's number is odd or even.
        paths: [Some(26 * 26 * 26 * 26), Some(16)],
    },
    Driver {
        file: "tests/segments/make.c",
        defines: &["WORDS=4", "SLOTS=256", "NAMES=120"],
        paths: [Some(26 * 26 * 26 * 26), Some(1)],
    },
    Driver {
        file: "tests/segments/sqlite.c",
        defines: &["NEW=3"],
        paths: [Some(26 * 26 * 26), Some(1517)],
    },
    Driver {
        file: "tests/segments/apr.c",
        defines: &["KEYS=60", "BUCKETS=64", "LOOKUPS=3"],
        paths: [None, Some(1331)],
    },
    Driver {
        file: "tests/segments/json.c",
        defines: &["PAIRS=6"],
        paths: [Some(30_240), Some(1728)],
    },
    Driver {
        file: "tests/segments/xmldict.c",
        defines: &["NEW=3"],
        paths: [Some(2787), Some(27)],
    },
    Driver {
        file: "tests/speed/hashtab.c",
        defines: &["NB=3000", "KEYS=10"],
        paths: [Some(33_000), Some(11)],
    },
    Driver {
        file: "tests/segments/texts.c",
        defines: &["LENGTH=4000"],
        paths: [Some(26), Some(26)],
    },
    Driver {
        file: "tests/segments/empty.c",
        defines: &[],
        paths: [Some(1), Some(1)],
    },
];

/// The drivers: each source and what is defined for it.
pub fn drivers() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    DRIVERS.iter().map(|driver| (driver.file, driver.defines))
}

impl Driver {
    fn name(&self) -> String {
        let stem = Path::new(self.file).file_stem().unwrap_or_default();
        format!("{} {}", stem.to_string_lossy(), self.defines.join(" "))
    }

    /// What is wrong with the paths of a run that ended.
    fn wrong(&self, policy: &str, usage: &Usage) -> Option<String> {
        let [forked, one] = self.paths;
        let paths = usage.completed;
        let (least, most) = match policy {
            "fork" => (forked, forked),
            "adaptive" => (one, forked),
            _ => (one, one),
        };
        let in_bounds =
            least.is_none_or(|least| least <= paths) && most.is_none_or(|most| paths <= most);
        (usage.complete && !in_bounds)
            .then(|| format!("WRONG: {policy} has {paths} paths, expected {least:?} to {most:?}"))
    }
}

struct WantedCells {
    limit: u64,
    names: Vec<String>,
}

fn read(mut arguments: impl Iterator<Item = String>) -> Result<WantedCells, String> {
    let mut wanted = WantedCells {
        limit: LIMIT,
        names: Vec::new(),
    };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--time" => {
                let text = arguments.next().unwrap_or_default();
                let seconds = text.strip_suffix('s').unwrap_or(&text).parse();
                wanted.limit = seconds
                    .map_err(|_| format!("--time needs seconds, as in 60s, found {text:?}"))?;
            }
            option if option.starts_with('-') => {
                return Err(format!("there is no option {option}; there is --time"));
            }
            _ => wanted.names.push(argument),
        }
    }
    Ok(wanted)
}

/// Prints the table of all drivers, or of those whose names begin so.
pub fn run(arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let wanted = read(arguments)?;
    println!(
        "paths, queries of the core, CPU seconds; at most {} s each (+: reached); dfs, no tests",
        wanted.limit
    );
    print!("{:<40}", "driver");
    POLICIES.iter().for_each(|policy| print!(" {policy:>26}"));
    println!(" {:>9} {:>9}", "over fork", "over best");
    let mut gains = Vec::new();
    let mut all_right = true;
    for driver in DRIVERS {
        let name = driver.name();
        if !wanted.names.is_empty() && !wanted.names.iter().any(|n| name.starts_with(n.as_str())) {
            continue;
        }
        let seconds = row(&driver, &name, wanted.limit, &mut all_right)?;
        let fork = seconds[0];
        if fork >= 10.0_f64.min(wanted.limit as f64) {
            gains.push(fork / seconds[POLICIES.len() - 1]);
        }
    }
    if !gains.is_empty() {
        let mean = gains.iter().map(|g| g.ln()).sum::<f64>() / gains.len() as f64;
        println!(
            "adaptive over fork where fork takes 10 s or the limit: {:.1} in geometric mean of {}",
            mean.exp(),
            gains.len()
        );
    }
    match all_right {
        true => Ok(()),
        false => Err("some paths are wrong".to_string()),
    }
}

/// One row; the seconds of each policy.
fn row(
    driver: &Driver,
    name: &str,
    limit: u64,
    all_right: &mut bool,
) -> Result<[f64; POLICIES.len()], String> {
    let scratch = scratch_folder()?;
    let flags: Vec<String> = driver.defines.iter().map(|d| format!("-D{d}")).collect();
    let prepared = child::prepare(&PathBuf::from(driver.file), &flags, scratch.path())?;
    print!("{name:<40}");
    let mut seconds = [0.0; POLICIES.len()];
    let mut notes = Vec::new();
    for (policy, seconds) in POLICIES.iter().zip(&mut seconds) {
        let flags = ["--memory", policy, "--search", "dfs", "--no-tests"];
        let within = Some(Duration::from_secs(limit));
        let usage = child::explore_within(&prepared, &flags, scratch.path(), within)?;
        *seconds = (usage.user + usage.system).as_secs_f64();
        let more = if usage.complete { "" } else { "+" };
        let figures = format!("{} {} {:.2}{more}", usage.paths(), usage.core, *seconds);
        print!(" {figures:>26}");
        notes.extend(driver.wrong(policy, &usage));
    }
    let best = seconds.iter().copied().fold(f64::INFINITY, f64::min);
    let adaptive = seconds[POLICIES.len() - 1];
    // Ratios of runs that hardly do anything say nothing.
    let ratio = |a: f64, b: f64| match a.max(b) < SHORT {
        true => "-".to_string(),
        false => format!("{:.2}", a / b),
    };
    println!(
        " {:>9} {:>9} {}",
        ratio(seconds[0], adaptive),
        ratio(adaptive, best),
        notes.join("; ")
    );
    *all_right &= notes.is_empty();
    Ok(seconds)
}
