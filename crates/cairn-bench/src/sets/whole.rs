//! Whole programs with and without a technique: the suite of `scripts/programs.sh`.
//!
//! PARTI's figures 8 to 10 show how many queries of coreutils are decided without a solver, and how
//! much faster that makes them. Here both runs of a program follow the same number of its
//! instructions, depth first, with caches as a user has them. By itself the table has CPU seconds, which
//! a busy machine blurs; counting the processor's instructions does not. That takes thirty times as long, so
//! fewer of the program's instructions are followed, and what the start of a run takes is counted by
//! itself and left out: it would hide a loss.

use super::runs::{Program, Run, Runner, Setting};
use super::{matches, promise};
use crate::suite;
use std::path::Path;

/// Instructions of a program that each run follows.
const WORK: &str = "6000000";
/// Instructions of a program that are followed while the processor's are counted.
const COUNTED: &str = "1000000";
/// Instructions of a program that is only started.
const START: &str = "1";
/// How much slower a technique may make a program.
const SLOWEST: f64 = 0.97;

const ON: Setting = Setting {
    name: "on",
    flags: &[],
};
/// Without value sets.
pub const NO_VALUE_SETS: Setting = Setting {
    name: "off",
    flags: &["--value-sets", "off"],
};
/// With arrays as the core solver landed first.
pub const LAZY_ARRAYS: Setting = Setting {
    name: "lazy-arrays",
    flags: &["--arrays", "lazy"],
};

fn program(of: &suite::Program, work: &str) -> Program {
    let flags = of.words.split(' ');
    let flags = flags.chain(["--search", "dfs", "--max-instructions", work]);
    Program {
        name: match work {
            WORK => of.name.to_string(),
            _ => format!("{}-{work}", of.name),
        },
        source: Path::new(".deps/programs").join(of.package).join(of.name),
        defines: Vec::new(),
        flags: flags.map(str::to_string).collect(),
        expected: None,
        machine: None,
    }
}

/// Queries that did not reach the core solver, of a hundred.
fn share(run: &Run) -> f64 {
    match run.asked {
        0 => 100.0,
        asked => 100.0 * (asked - run.core.min(asked)) as f64 / asked as f64,
    }
}

/// Runs the programs that match as a user does and with another setting, and prints the table.
pub fn run(runner: &Runner, glob: &str, count: bool, other: &Setting) -> Result<(), String> {
    let without = other.flags.join(" ");
    println!(
        "whole programs, {WORK} instructions of each ({COUNTED} by count), depth first; as they are, and off: \
         {without}\n\
         {:<12} {:>8} {:>8} {:>7} {:>9} {:>9} {:>8} {:>8} {:>9}",
        "program", "queries", "core", "without", "core, off", "s", "s, off", "speed-up", "by count"
    );
    let mut slower = Vec::new();
    let (mut asked, mut core) = (0, 0);
    for of in suite::all() {
        if !matches(glob, of.name) {
            continue;
        }
        let [program, counted, start] = [WORK, COUNTED, START].map(|work| program(&of, work));
        if !program.source.exists() {
            let file = program.source.display();
            return Err(format!("{file} is not there; run scripts/programs.sh"));
        }
        let on = runner.run(&program, &ON)?;
        let off = runner.run(&program, other)?;
        let counted = match count {
            true => {
                // The start differs by where things are in memory.
                let after_start = |setting: &Setting| -> Result<Option<f64>, String> {
                    let whole = runner.instructions(&counted, setting)?;
                    let start = runner.instructions(&start, setting)?;
                    Ok(whole.zip(start).map(|(whole, start)| whole - start))
                };
                let both = after_start(other)?.zip(after_start(&ON)?);
                both.map(|(off, on)| off / on)
            }
            false => None,
        };
        asked += on.asked;
        core += on.core;
        println!(
            "{:<12} {:>8} {:>8} {:>6.1}% {:>9} {:>9.2} {:>8.2} {:>8.2} {:>9}",
            of.name,
            on.asked,
            on.core,
            share(&on),
            off.core,
            on.used,
            off.used,
            off.used / on.used.max(0.01),
            counted.map_or("-".to_string(), |ratio| format!("{ratio:.3}")),
        );
        if counted.is_some_and(|ratio| ratio < SLOWEST) {
            slower.push(of.name);
        }
    }
    println!("in all: {asked} queries, {core} of them reached the core solver");
    if count {
        let what = format!("no program at less than {SLOWEST} of its speed, by instructions");
        promise(&what, &slower.join(", "));
    }
    Ok(())
}
