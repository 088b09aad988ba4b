//! Arrays: the tables of ISSTA'21 with ours beside them.
//!
//! # Problem
//!
//! The cost of tables and symbolic indices depends on the program and on how arrays are solved. A
//! claim about it needs many programs under all settings, at equal time, and must be repeatable.
//!
//! # Idea
//!
//! The tables of \[ShuaiEtAl21\]. Programs that follow tables (scanners that `flex` makes of the grammars
//! in `tests/arrays`, and others) run under every setting, each run in a process of its own; each result
//! is kept as soon as it is known (`sets/runs.rs`), so an interrupted command continues where it was. The
//! paper's example and reads of arrays of growing size are solved in this process (`queries.rs`).
//!
//! # Soundness
//!
//! All settings but `z3` have the same core solver and the same other layers, so they differ in arrays alone. A
//! run without a summary, because it had to be killed, is left out of the means, which is printed.
//!
//! # Cost
//!
//! At most the limit for each program and setting, in CPU time.

mod programs;
mod queries;

use crate::sets::matches;
use crate::sets::runs::{Run, Runner, Setting};
use crate::sets::whole;
use std::path::PathBuf;

/// How arrays are solved. All but the last have the same core solver and the same other layers.
const SETTINGS: &[Setting] = &[
    Setting {
        name: "eager",
        flags: &["--arrays", "eager"],
    },
    Setting {
        name: "axioms",
        flags: &["--arrays", "axioms"],
    },
    Setting {
        name: "lazy",
        flags: &["--arrays", "lazy"],
    },
    Setting {
        name: "linear",
        flags: &["--arrays", "linear"],
    },
    Setting {
        name: "typed",
        flags: &["--arrays", "typed"],
    },
    Setting {
        name: "default",
        flags: &["--arrays", "default"],
    },
    Setting {
        name: "z3",
        flags: &["--arrays", "lazy", "--core", "z3"],
    },
];

const USAGE: &str = "usage: cairn-bench arrays [OPTION…]

  --time 60s         CPU time for each run of a program under a setting
  --programs GLOB    only programs whose names match
  --settings LIST    only these of eager, axioms, lazy, linear, typed, default and z3
  --results FOLDER   where runs are kept (default .deps/arrays); what is known is not run again
  --again            runs what is known again
  --queries          only the example and the reads of growing arrays, no programs
  --suite            whole programs, as they are and with --arrays lazy
  --instructions     counts the processor's instructions of these too, by valgrind";

struct ArrayBenchOptions {
    glob: String,
    chosen: Vec<&'static Setting>,
    runner: Runner,
    queries: bool,
    suite: bool,
    count: bool,
}

impl ArrayBenchOptions {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = ArrayBenchOptions {
            glob: "*".to_string(),
            chosen: SETTINGS.iter().collect(),
            runner: Runner {
                limit: 60,
                folder: PathBuf::from(".deps/arrays"),
                again: false,
            },
            queries: false,
            suite: false,
            count: false,
        };
        while let Some(word) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--again" => options.runner.again = true,
                "--queries" => options.queries = true,
                "--suite" => options.suite = true,
                "--instructions" => options.count = true,
                "--programs" => options.glob = value()?,
                "--results" => options.runner.folder = value()?.into(),
                "--settings" => {
                    let names = value()?;
                    let find = |name: &str| {
                        let found = SETTINGS.iter().find(|s| s.name == name);
                        found.ok_or(format!("no setting is called {name}\n{USAGE}"))
                    };
                    options.chosen = names.split(',').map(find).collect::<Result<_, _>>()?;
                }
                "--time" => {
                    let text = value()?;
                    let seconds = text.strip_suffix('s').unwrap_or(&text).parse();
                    options.runner.limit = seconds
                        .map_err(|_| format!("--time needs seconds, as in 60s, found {text}"))?;
                }
                "--help" => return Err(USAGE.to_string()),
                other => return Err(format!("there is no option {other}\n{USAGE}")),
            }
        }
        Ok(options)
    }
}

/// A program's runs, one for each chosen setting.
struct Line {
    name: String,
    runs: Vec<Run>,
}

/// Runs what was asked for and prints the tables.
pub fn run(arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let options = ArrayBenchOptions::parse(arguments)?;
    if options.suite {
        let (runner, glob) = (&options.runner, &options.glob);
        return whole::run(runner, glob, options.count, &whole::LAZY_ARRAYS);
    }
    queries::print_example()?;
    queries::print_growth()?;
    if options.queries {
        return Ok(());
    }
    let programs = programs::all(&options.runner.folder)?;
    let programs = programs
        .into_iter()
        .filter(|p| matches(&options.glob, &p.name));
    let mut lines = Vec::new();
    for program in programs {
        let runs = options.chosen.iter();
        let runs = runs.map(|setting| options.runner.run(&program, setting));
        let runs = runs.collect::<Result<Vec<Run>, String>>()?;
        eprintln!("{} done", program.name);
        lines.push(Line {
            name: program.name,
            runs,
        });
    }
    if lines.is_empty() {
        return Err(format!("no program matches {}", options.glob));
    }
    println!(
        "\nprograms that follow tables; {} s of CPU time for each run",
        options.runner.limit
    );
    println!(
        "the paper (30 minutes, 13 programs, against KLEE): queries +1047 %, paths +1579 %; against\n\
         assertion encoding +92 % and +99 % (23 programs)"
    );
    let number = |n: u64, complete: bool| format!("{n}{}", if complete { "." } else { "" });
    print_table(&options, &lines, "paths (\".\": all there are)", |r| {
        number(r.completed + r.errors, r.complete)
    });
    print_table(&options, &lines, "queries solved", |r| {
        number(r.asked, r.complete)
    });
    print_table(
        &options,
        &lines,
        "queries that reach the core solver",
        |r| r.core.to_string(),
    );
    print_table(&options, &lines, "lines covered (figure 8)", |r| {
        format!("{}/{}", r.lines.0, r.lines.1)
    });
    print_promises(&options, &lines);
    Ok(())
}

fn print_table(
    options: &ArrayBenchOptions,
    lines: &[Line],
    title: &str,
    cell: impl Fn(&Run) -> String,
) {
    println!("\n{title}");
    let mut text = format!("{:<12}", "program");
    for setting in &options.chosen {
        text += &format!(" {:>12}", setting.name);
    }
    println!("{text}");
    for line in lines {
        let mut text = format!("{:<12}", line.name);
        for run in &line.runs {
            text += &format!(" {:>12}", cell(run));
        }
        println!("{text}");
    }
}

/// How many times the paths of another setting the default has: of paths in the same time, or, where
/// both explored everything, of the times.
fn ratio(ours: &Run, theirs: &Run) -> f64 {
    let paths = |r: &Run| (r.completed + r.errors).max(1) as f64;
    match ours.complete && theirs.complete {
        true => theirs.seconds.max(0.01) / ours.seconds.max(0.01),
        // Where one ended early, paths for each second.
        false => paths(ours) / ours.seconds.max(0.01) / (paths(theirs) / theirs.seconds.max(0.01)),
    }
}

fn print_promises(options: &ArrayBenchOptions, lines: &[Line]) {
    println!("\nthe default's paths in the same time, as a multiple (geometric mean, least)");
    let place = |name: &str| options.chosen.iter().position(|s| s.name == name);
    let Some(ours) = place("default") else { return };
    for (name, bar) in [("eager", 5.0), ("axioms", 2.0), ("lazy", 2.0), ("z3", 10.0)] {
        let Some(theirs) = place(name) else { continue };
        // A run that had to be killed says nothing about how far it was.
        let known: Vec<&Line> = lines
            .iter()
            .filter(|l| l.runs[theirs].asked > 0 && l.runs[ours].asked > 0)
            .collect();
        if known.len() < lines.len() {
            println!(
                "  {name}: {} of {} programs left out, their runs gave no summary",
                lines.len() - known.len(),
                lines.len()
            );
        }
        if known.is_empty() {
            continue;
        }
        let ratios = known.iter().map(|l| ratio(&l.runs[ours], &l.runs[theirs]));
        let ratios: Vec<f64> = ratios.collect();
        let mean = (ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len() as f64).exp();
        let (at, least) = ratios
            .iter()
            .enumerate()
            .fold(
                (0, f64::MAX),
                |least, (i, r)| {
                    if *r < least.1 { (i, *r) } else { least }
                },
            );
        let verdict = if mean >= bar { "holds" } else { "FAILS" };
        println!(
            "  {verdict}: {mean:.2} times {name} (bar {bar}); least {least:.2} on {}",
            known[at].name
        );
    }
}
