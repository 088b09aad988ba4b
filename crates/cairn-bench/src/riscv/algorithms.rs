//! tests/algo: paths, findings and queries on two machines at two levels, beside LLVM's.

use super::machine::{BARE, Machine};
use super::{RiscvBenchOptions, SETTING};
use crate::sets::runs::{Program, Run};
use crate::sets::{matches, promise};
use std::path::{Path, PathBuf};

/// A column: LLVM or a machine, at a level.
struct Column {
    name: &'static str,
    level: &'static str,
    machine: Option<Machine>,
}

/// Where a column's findings are compared, and where paths are: LLVM's at the same level.
fn columns() -> Vec<Column> {
    let mut all = Vec::new();
    for level in ["-O0", "-O2"] {
        all.push(Column {
            name: if level == "-O0" {
                "LLVM -O0"
            } else {
                "LLVM -O2"
            },
            level,
            machine: None,
        });
        for machine in BARE.iter().filter(|m| m.level == level) {
            all.push(Column {
                name: machine.name,
                level,
                machine: Some(machine.clone()),
            });
        }
    }
    all
}

/// The names of the programs of tests/algo.
fn names(glob: &str) -> Result<Vec<String>, String> {
    let folder = std::fs::read_dir("tests/algo").map_err(|e| format!("tests/algo: {e}"))?;
    let files = folder.filter_map(Result::ok).map(|f| f.path());
    let expected = files.filter(|f| f.extension().is_some_and(|e| e == "expect"));
    let mut all: Vec<String> = expected
        .filter_map(|f| Some(f.file_stem()?.to_str()?.to_string()))
        .filter(|name| matches(glob, name))
        .collect();
    all.sort();
    match all.is_empty() {
        true => Err(format!("no program of tests/algo matches {glob}")),
        false => Ok(all),
    }
}

/// Paths to the end and into an error, as an enumeration counted them.
fn counted(source: &Path) -> Result<(u64, u64), String> {
    let file = source.with_extension("expect");
    let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    let number = |key: &str| {
        let mut lines = text.lines();
        lines.find_map(|l| l.strip_prefix(key)?.trim().parse().ok())
    };
    let both = number("paths: ").zip(number("errors: "));
    both.ok_or(format!(
        "{}: no numbers of paths and errors",
        file.display()
    ))
}

fn program(name: &str, column: &Column) -> Result<Program, String> {
    let source = PathBuf::from("tests/algo").join(format!("{name}.c"));
    // Optimisers merge branches, so that only -O0 has the paths that were counted.
    let expected = match column.level {
        "-O0" => Some(counted(&source)?),
        _ => None,
    };
    // A machine has its level by itself.
    let level = match column.machine {
        None => vec![column.level.to_string()],
        Some(_) => Vec::new(),
    };
    Ok(Program {
        name: format!("{name} {}", column.name),
        source,
        defines: level,
        flags: Vec::new(),
        expected,
        machine: column.machine.clone(),
    })
}

/// Whether a run found what LLVM's did; of a run that was ended nothing can be said.
fn same(run: &Run, llvm: &Run) -> &'static str {
    match (run.places() == llvm.places(), run.complete && llvm.complete) {
        (true, _) => "same",
        (false, true) => "OTHER",
        (false, false) => "limit",
    }
}

/// Runs all and prints the table.
pub fn run(options: &RiscvBenchOptions) -> Result<(), String> {
    println!(
        "tests/algo as RISC-V executables; at most {} s of CPU time for each run",
        options.runner.limit
    );
    println!("each cell: paths, findings beside those through LLVM, core queries, CPU seconds");
    let columns = columns();
    let mut heading = format!("{:<20}", "program");
    for column in &columns {
        heading += &format!(" | {:<28}", column.name);
    }
    println!("{heading}");
    let mut broken: Vec<(&str, String)> = Vec::new();
    let mut totals = vec![0.0; columns.len()];
    for name in names(&options.glob)? {
        let mut text = format!("{name:<20}");
        let mut llvm: Option<Run> = None;
        for (at, column) in columns.iter().enumerate() {
            let program = program(&name, column)?;
            let run = options.runner.run(&program, &SETTING)?;
            if column.machine.is_none() {
                llvm = Some(run.clone());
            }
            let beside = llvm.as_ref().map_or("", |llvm| same(&run, llvm));
            let verdict = run.verdict(program.expected);
            let more = if run.complete { "" } else { "+" };
            let paths = format!("{} {verdict}", run.completed + run.errors);
            let rest = format!("{beside} {} {:.2}{more}", run.core, run.seconds);
            text += &format!(" | {paths:<14} {rest:<13}");
            totals[at] += run.seconds;
            let mut note = |what| broken.push((what, program.name.clone()));
            if verdict == "WRONG" {
                note("paths");
            }
            if verdict == "limit" {
                note("limit");
            }
            if beside == "OTHER" {
                note("findings");
            }
            let asks_more = llvm.as_ref().is_some_and(|l| l.complete && l.core == 0);
            if column.level == "-O0" && asks_more && run.core > 0 {
                note("core");
            }
        }
        println!("{text}");
    }
    let mut text = format!("{:<20}", "CPU seconds");
    for total in &totals {
        text += &format!(" | {total:<28.1}");
    }
    println!("{text}\n\nwhat must hold");
    for (what, promised) in [
        ("paths", "-O0: the paths that were counted"),
        ("limit", "all paths within the limit"),
        ("findings", "the findings of LLVM at the same level"),
        (
            "core",
            "-O0: no query to the core solver where LLVM has none",
        ),
    ] {
        let against = broken.iter().filter(|b| b.0 == what);
        let against: Vec<&str> = against.map(|b| b.1.as_str()).collect();
        promise(promised, &against.join(", "));
    }
    Ok(())
}
