//! Whole explorations: paths, user and system time, peak memory, with and without tests.
//!
//! Each run is a process of its own. KLEE's figures stand beside ours where we have them.

use crate::child::{self, Usage, scratch_folder};
use std::path::{Path, PathBuf};

/// How long one run may take, in the form of the flag.
const LONGEST: &str = "120s";

/// One program of the table.
struct Program {
    name: String,
    source: PathBuf,
    flags: Vec<String>,
    /// Paths to the end and into an error, where they are known.
    expected: Option<(u64, u64)>,
    /// KLEE 3.2 at its best setting with tests, on the same kind of machine: user and system
    /// seconds in words.
    klee: &'static str,
}

fn speed(file: &str, flags: &[&str], expected: Option<(u64, u64)>, klee: &'static str) -> Program {
    let defines = flags.join(" ");
    Program {
        name: format!("{file} {defines}").trim_end().to_string(),
        source: Path::new("tests/speed").join(format!("{file}.c")),
        flags: flags.iter().map(|f| (*f).to_string()).collect(),
        expected,
        klee,
    }
}

fn programs() -> Result<Vec<Program>, String> {
    let mut all = vec![
        speed("heaploop", &["-DMAX=15"], Some((32_768, 0)), "5.0 + 3.1"),
        // The paths are those of plain -O0; KLEE folds one condition first and has 7,438.
        speed("regexp", &[], Some((6_802, 890)), "3.5 + 1.1"),
        speed("symidx", &["-DT=int"], None, "8 to 24"),
        speed("symidx", &["-DT=char"], None, "8 to 24"),
        speed("symidx", &["-DT=int", "-DSTORE"], None, "8 to 24"),
        speed("symidx", &["-DT=char", "-DSTORE"], None, "8 to 24"),
        speed("hashtab", &[], Some((1_800, 0)), "none in 200 s"),
    ];
    let folder = Path::new("tests/algo");
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "expect"));
    files.sort();
    for file in files {
        let text = std::fs::read_to_string(&file).map_err(|e| e.to_string())?;
        let number = |key| {
            text.lines()
                .find_map(|l| l.strip_prefix(key)?.trim().parse().ok())
        };
        all.push(Program {
            name: file
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            source: file.with_extension("c"),
            flags: Vec::new(),
            expected: number("paths: ").zip(number("errors: ")),
            klee: "",
        });
    }
    Ok(all)
}

/// Prints the table of all programs, or of those whose names begin so.
pub fn run(only: Option<&str>) -> Result<(), String> {
    println!("at most {LONGEST} each; seconds are user + system; KLEE 3.2, same kind of machine");
    println!(
        "{:<28} {:>14} {:>16} {:>7} {:>16} {:>7}  {:<14}",
        "program", "paths", "with tests", "MB", "without", "MB", "KLEE"
    );
    for program in programs()? {
        if only.is_some_and(|name| !program.name.starts_with(name)) {
            continue;
        }
        let scratch = scratch_folder()?;
        let prepared = child::prepare(&program.source, &program.flags, scratch.path())?;
        let limit = ["--max-time", LONGEST];
        let with = child::explore(&prepared, &limit, scratch.path())?;
        let without = child::explore(
            &prepared,
            &["--max-time", LONGEST, "--no-tests"],
            scratch.path(),
        )?;
        let paths = format!("{} + {}", without.completed, without.errors);
        println!(
            "{:<28} {paths:>14} {:>16} {:>7} {:>16} {:>7}  {:<14} {}",
            program.name,
            seconds(&with),
            with.peak / 1_000_000,
            seconds(&without),
            without.peak / 1_000_000,
            program.klee,
            verdict(&program, &[&with, &without]),
        );
    }
    Ok(())
}

fn seconds(usage: &Usage) -> String {
    let (user, system) = (usage.user.as_secs_f64(), usage.system.as_secs_f64());
    format!("{user:.2} + {system:.2}")
}

/// What is not as it must be.
fn verdict(program: &Program, runs: &[&Usage]) -> String {
    let mut words = Vec::new();
    for run in runs {
        let paths = (run.completed, run.errors);
        let word = match (program.expected, run.complete) {
            (Some(expected), true) if expected != paths => {
                format!("WRONG: expected {} + {}", expected.0, expected.1)
            }
            (Some(expected), false) if paths.0 > expected.0 || paths.1 > expected.1 => {
                format!("WRONG: at most {} + {}", expected.0, expected.1)
            }
            (Some(_) | None, true) => continue,
            (Some(expected), false) => {
                format!(
                    "not finished: {} of {}",
                    run.paths(),
                    expected.0 + expected.1
                )
            }
            (None, false) => format!("not finished: {}", run.paths()),
        };
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.join("; ")
}

/// Two workers against one: nine interleaved pairs on each program. Beside them what the machine
/// itself gives: two runs of one worker each at the same time against one such run.
pub fn scaling() -> Result<(), String> {
    println!("paths per second with one and two workers, nine interleaved pairs");
    println!(
        "{:<20} {:>10} {:>10} {:>13} {:>16} {:>13}",
        "program", "one", "two", "median ratio", "least and most", "two processes"
    );
    let programs = [
        speed("heaploop", &["-DMAX=15"], None, ""),
        speed("heaploop", &["-DMAX=18"], None, ""),
        speed("regexp", &[], None, ""),
        speed("regexp", &["-DSIZE=9"], None, ""),
    ];
    for program in programs {
        let scratch = scratch_folder()?;
        let other = scratch_folder()?;
        let prepared = child::prepare(&program.source, &program.flags, scratch.path())?;
        let (mut one, mut two) = (Vec::new(), Vec::new());
        let (mut ratios, mut machine) = (Vec::new(), Vec::new());
        for _ in 0..9 {
            let rate = |jobs, folder: &Path| -> Result<f64, String> {
                let flags = ["--no-tests", "--jobs", jobs];
                let usage = child::explore(&prepared, &flags, folder)?;
                Ok(usage.paths() as f64 / usage.wall.as_secs_f64())
            };
            let alone = rate("1", scratch.path())?;
            let together = rate("2", scratch.path())?;
            let apart = std::thread::scope(|scope| -> Result<f64, String> {
                let beside = scope.spawn(|| rate("1", other.path()));
                let here = rate("1", scratch.path())?;
                Ok(here + beside.join().map_err(|_| "a run ended early")??)
            })?;
            one.push(alone);
            two.push(together);
            ratios.push(together / alone);
            machine.push(apart / alone);
        }
        let ratio = median(&mut ratios);
        println!(
            "{:<20} {:>10.0} {:>10.0} {ratio:>13.2} {:>16} {:>13.2}",
            program.name,
            median(&mut one),
            median(&mut two),
            format!("{:.2} {:.2}", ratios[0], ratios[ratios.len() - 1]),
            median(&mut machine),
        );
    }
    Ok(())
}

/// Sorts and gives the middle.
fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A program that makes memory and then forks.
const FORKS: &str = include_str!("../data/forks.c");

/// What a fork costs with little memory, much memory and many objects.
pub fn forks() -> Result<(), String> {
    const BRANCHES: u32 = 15;
    println!("CPU microseconds of a fork, least of five runs");
    println!("{:<24} {:>10} {:>10}", "live memory", "a fork", "ratio");
    let scratch = scratch_folder()?;
    let source = scratch.path().join("forks.c");
    std::fs::write(&source, FORKS).map_err(|e| e.to_string())?;
    let mut little = None;
    for (name, memory) in [
        ("1 MB", "-DBYTES=1048576L"),
        ("256 MB", "-DBYTES=268435456L"),
        ("1 million objects", "-DSMALL_OBJECTS=1000000L"),
    ] {
        let least = |branches: u32| -> Result<f64, String> {
            let flags = [memory.to_string(), format!("-DBRANCHES={branches}")];
            let program = child::prepare(&source, &flags, scratch.path())?;
            let mut least = f64::INFINITY;
            for _ in 0..5 {
                let usage = child::explore(&program, &["--no-tests"], scratch.path())?;
                if usage.paths() != 1 << branches {
                    return Err(format!("{name}: {} paths", usage.paths()));
                }
                least = least.min((usage.user + usage.system).as_secs_f64());
            }
            Ok(least)
        };
        let fork = (least(BRANCHES)? - least(0)?) / f64::from((1 << BRANCHES) - 1) * 1e6;
        let ratio = fork / *little.get_or_insert(fork);
        println!("{name:<24} {fork:>10.1} {ratio:>10.2}");
    }
    Ok(())
}
