//! Whole programs with and without value sets: the suite of `scripts/programs.sh`.
//!
//! PARTI's figures 8 to 10 show how many queries of coreutils are decided without a solver, and how
//! much faster that makes them. Here both runs of a program follow the same number of its
//! instructions, depth first, with caches as a user has them. By itself the table has CPU seconds, which
//! a busy machine blurs; `--instructions` counts the processor's instead.

use super::runs::{Program, Run, Setting};
use super::{Wanted, matches, promise};
use crate::suite;
use std::path::Path;

/// Instructions of a program that each run follows.
const WORK: &str = "6000000";
/// How much slower value sets may make a program.
const SLOWEST: f64 = 0.97;

const ON: Setting = Setting {
    name: "on",
    flags: &[],
};
const OFF: Setting = Setting {
    name: "off",
    flags: &["--value-sets", "off"],
};

fn program(of: &suite::Program) -> Program {
    let flags = of.words.split(' ');
    let flags = flags.chain(["--search", "dfs", "--max-instructions", WORK]);
    Program {
        name: of.name.to_string(),
        source: Path::new(".deps/programs").join(of.package).join(of.name),
        defines: Vec::new(),
        flags: flags.map(str::to_string).collect(),
        expected: None,
        machine: None,
    }
}

/// Queries that did not reach the core, of a hundred.
fn share(run: &Run) -> f64 {
    match run.asked {
        0 => 100.0,
        asked => 100.0 * (asked - run.core.min(asked)) as f64 / asked as f64,
    }
}

/// Runs what was asked for and prints the table.
pub fn run(wanted: &Wanted) -> Result<(), String> {
    println!(
        "whole programs, {WORK} instructions of each, depth first; value sets on and off\n\
         {:<12} {:>8} {:>8} {:>7} {:>9} {:>9} {:>8} {:>8} {:>9}",
        "program", "queries", "core", "without", "core, off", "s", "s, off", "speed-up", "by count"
    );
    let mut slower = Vec::new();
    let (mut asked, mut core) = (0, 0);
    for of in suite::all() {
        if !matches(&wanted.glob, of.name) {
            continue;
        }
        let program = program(&of);
        if !program.source.exists() {
            let file = program.source.display();
            return Err(format!("{file} is not there; run scripts/programs.sh"));
        }
        let on = wanted.runner.run(&program, &ON)?;
        let off = wanted.runner.run(&program, &OFF)?;
        let counted = match wanted.count {
            true => {
                let on = wanted.runner.instructions(&program, &ON)?;
                let off = wanted.runner.instructions(&program, &OFF)?;
                off.zip(on).map(|(off, on)| off / on)
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
    println!("in all: {asked} queries, {core} of them reached the core");
    if wanted.count {
        let what = format!("no program at less than {SLOWEST} of its speed, by instructions");
        promise(&what, &slower.join(", "));
    }
    Ok(())
}
