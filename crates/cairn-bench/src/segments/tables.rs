//! Tables 3.2 to 3.7 of \[Trabish24\], ours beside theirs.

use super::drivers::{Driver, LARGE, TABLES};
use super::thesis::{self, row};
use super::{SegmentBenchOptions, mean, ratio, seconds, way};
use crate::sets::runs::{Run, Setting};

/// The searchers of Table 3.3, each with the policies.
const SEARCHED: [(&str, [Setting; 4]); 3] = [
    (
        "dfs",
        [
            way("fork", &["--memory", "fork", "--search", "dfs"]),
            way("points-to", &["--memory", "points-to", "--search", "dfs"]),
            way("segments", &["--memory", "segments", "--search", "dfs"]),
            way("adaptive", &["--memory", "adaptive", "--search", "dfs"]),
        ],
    ),
    (
        "bfs",
        [
            way("fork-bfs", &["--memory", "fork", "--search", "bfs"]),
            way(
                "points-to-bfs",
                &["--memory", "points-to", "--search", "bfs"],
            ),
            way("segments-bfs", &["--memory", "segments", "--search", "bfs"]),
            way("adaptive-bfs", &["--memory", "adaptive", "--search", "bfs"]),
        ],
    ),
    (
        "default",
        [
            way("fork-default", &["--memory", "fork"]),
            way("points-to-default", &["--memory", "points-to"]),
            way("segments-default", &["--memory", "segments"]),
            way("adaptive-default", &["--memory", "adaptive"]),
        ],
    ),
];

macro_rules! asked {
    ($name:literal, $way:literal) => {
        way(
            $name,
            &["--memory", "segments", "--resolve", $way, "--search", "dfs"],
        )
    };
}

/// The ways to find objects: by asking, with contexts, by the form of terms.
const RESOLVED: [Setting; 7] = [
    asked!("scan", "scan"),
    asked!("context-0", "context:0"),
    asked!("context-1", "context:1"),
    asked!("context-2", "context:2"),
    asked!("context-3", "context:3"),
    asked!("context-4", "context:4"),
    way("segments", &["--memory", "segments", "--search", "dfs"]),
];

/// Whole objects, which are one part; smaller parts; windows, which are what both of ours have.
const SPLIT: [Setting; 8] = [
    way("whole", &["--memory", "split:1048576", "--search", "dfs"]),
    way("split-512", &["--memory", "split:512", "--search", "dfs"]),
    way("split-256", &["--memory", "split:256", "--search", "dfs"]),
    way("split-128", &["--memory", "split:128", "--search", "dfs"]),
    way("split-64", &["--memory", "split:64", "--search", "dfs"]),
    way("split-32", &["--memory", "split:32", "--search", "dfs"]),
    way("fork", &["--memory", "fork", "--search", "dfs"]),
    way("adaptive", &["--memory", "adaptive", "--search", "dfs"]),
];

/// Prints the tables that are wanted.
pub fn print(wanted: &SegmentBenchOptions) -> Result<(), String> {
    if wanted.wants("3.2") {
        largest(wanted)?;
    }
    if wanted.wants("3.3") {
        times(wanted)?;
    }
    if wanted.wants("3.4") {
        resolutions(wanted)?;
    }
    if wanted.wants("3.5") {
        optimised(wanted)?;
    }
    if wanted.wants("3.6") {
        split(wanted)?;
    }
    if wanted.wants("3.7") {
        largest_split(wanted)?;
    }
    Ok(())
}

/// The drivers that stand for a program of the thesis.
fn of_thesis<'a>(
    wanted: &'a SegmentBenchOptions,
    all: &'a [Driver],
) -> impl Iterator<Item = &'a Driver> {
    wanted.chosen(all).filter(|d| d.stands_for.is_some())
}

fn title(number: &str, text: &str) {
    println!("\nTable {number}: {text}");
}

fn largest(wanted: &SegmentBenchOptions) -> Result<(), String> {
    title(
        "3.2",
        "bytes of the largest segment (thesis: static, dynamic; here: points-to, segments --resolve scan, segments)",
    );
    println!(
        "{:<40} {:>16} {:>10} {:>10} {:>10}",
        "driver", "thesis", "points-to", "scan", "flow"
    );
    let policies = [&SEARCHED[0].1[1], &RESOLVED[0], &RESOLVED[6]];
    for driver in of_thesis(wanted, TABLES) {
        let theirs = thesis::LARGEST.iter();
        let mut theirs = theirs.filter(|(name, ..)| Some(*name) == driver.stands_for);
        let theirs = theirs.next().map(|(_, a, b)| format!("{a} {b}"));
        print!("{:<40} {:>16}", driver.name(), theirs.unwrap_or_default());
        for policy in policies {
            let run = wanted.run(driver, policy)?;
            print!(" {:>10}", run.largest_choice);
        }
        println!();
    }
    Ok(())
}

fn times(wanted: &SegmentBenchOptions) -> Result<(), String> {
    title(
        "3.3",
        "CPU seconds and megabytes (+: limit reached; thesis, hours and minutes: forking, static, dynamic)",
    );
    let names = ["fork", "points-to", "segments", "adaptive"];
    print!("{:<40} {:<8} {:>20}", "driver", "search", "thesis");
    names.iter().for_each(|name| print!(" {name:>16}"));
    println!();
    for driver in of_thesis(wanted, TABLES) {
        let theirs = row(&thesis::TIMES, driver.stands_for);
        for (i, (search, policies)) in SEARCHED.iter().enumerate() {
            let theirs = theirs.map(|t| t[i].join(" ")).unwrap_or_default();
            print!("{:<40} {search:<8} {theirs:>20}", driver.name());
            for policy in policies {
                let run = wanted.run(driver, policy)?;
                let figures = format!("{} {}", seconds(&run), run.peak >> 20);
                print!(" {figures:>16}");
            }
            println!();
        }
    }
    Ok(())
}

fn resolutions(wanted: &SegmentBenchOptions) -> Result<(), String> {
    title(
        "3.4",
        "queries by which objects are found (+: the run reached its limit); below each the thesis's",
    );
    let names = RESOLVED.iter().map(|way| way.name);
    header(names);
    for driver in of_thesis(wanted, TABLES) {
        print!("{:<40}", driver.name());
        for resolved in &RESOLVED {
            let run = wanted.run(driver, resolved)?;
            let more = if run.ended { "" } else { "+" };
            print!(" {:>12}", format!("{}{more}", run.resolutions));
        }
        println!();
        if let Some(theirs) = row(&thesis::RESOLUTIONS, driver.stands_for) {
            print!(
                "{:<40}",
                format!("  thesis: {}", driver.stands_for.unwrap_or_default())
            );
            theirs.iter().for_each(|n| print!(" {n:>12}"));
            println!();
        }
    }
    Ok(())
}

fn optimised(wanted: &SegmentBenchOptions) -> Result<(), String> {
    title(
        "3.5",
        "CPU seconds (+: limit reached; thesis, hours and minutes: none, contexts, reuse, both; here terms are reused always)",
    );
    println!(
        "{:<40} {:>24} {:>10} {:>10} {:>10}",
        "driver", "thesis", "scan", "context:4", "flow"
    );
    for driver in of_thesis(wanted, TABLES) {
        let theirs = row(&thesis::OPTIMISED, driver.stands_for);
        let theirs = theirs.map(|t| t.join(" ")).unwrap_or_default();
        print!("{:<40} {theirs:>24}", driver.name());
        for resolved in [&RESOLVED[0], &RESOLVED[5], &RESOLVED[6]] {
            print!(" {:>10}", seconds(&wanted.run(driver, resolved)?));
        }
        println!();
    }
    Ok(())
}

fn header<'a>(names: impl Iterator<Item = &'a str>) {
    print!("{:<40}", "driver");
    names.for_each(|name| print!(" {name:>12}"));
    println!();
}

fn split(wanted: &SegmentBenchOptions) -> Result<(), String> {
    title(
        "3.6",
        "CPU seconds and paths with whole objects and with parts (+: limit reached); below each the thesis's, hours, minutes, seconds",
    );
    print!("{:<36}", "driver");
    SPLIT.iter().for_each(|way| print!(" {:>15}", way.name));
    println!(" {:>10}", "best split");
    let (mut gains, mut windows, mut ours) = (Vec::new(), Vec::new(), Vec::new());
    for driver in of_thesis(wanted, LARGE) {
        print!("{:<36}", driver.name());
        let mut runs: Vec<Run> = Vec::new();
        for way in &SPLIT {
            let run = wanted.run(driver, way)?;
            let figures = format!("{} {}", seconds(&run), run.completed + run.errors);
            print!(" {figures:>15}");
            runs.push(run);
        }
        let parts = runs[1..6].iter().map(|run| run.used);
        let best = parts.fold(f64::INFINITY, f64::min);
        let gain = ratio(runs[0].used, best);
        println!(
            " {:>10}",
            gain.map_or("-".to_string(), |gain| format!("{gain:.2}"))
        );
        gains.extend(gain);
        windows.extend(ratio(runs[0].used, runs[6].used));
        ours.extend(ratio(runs[0].used, runs[7].used));
        if let Some(theirs) = row(&thesis::SPLIT, driver.stands_for) {
            print!(
                "{:<36}",
                format!("  thesis: {}", driver.stands_for.unwrap_or_default())
            );
            for (time, paths) in theirs {
                print!(" {:>15}", format!("{time} {paths}"));
            }
            println!();
        }
    }
    let means = [
        ("the best parts", &gains),
        ("fork, with windows", &windows),
        ("adaptive, with windows", &ours),
    ];
    for (what, all) in means {
        if !all.is_empty() {
            println!(
                "{what} over whole objects, where one takes {} s: {:.2} in geometric mean of {} (thesis: 15.5 of 6)",
                super::SHORT,
                mean(all),
                all.len()
            );
        }
    }
    Ok(())
}

fn largest_split(wanted: &SegmentBenchOptions) -> Result<(), String> {
    title(
        "3.7",
        "bytes of the largest object that is accessed in parts (thesis, here)",
    );
    for driver in of_thesis(wanted, LARGE) {
        let theirs = row(&thesis::LARGEST_SPLIT, driver.stands_for);
        let theirs = theirs.map(u64::to_string).unwrap_or_default();
        let run = wanted.run(driver, &SPLIT[3])?;
        println!(
            "{:<40} {theirs:>10} {:>10}",
            driver.name(),
            run.largest_split
        );
    }
    Ok(())
}
