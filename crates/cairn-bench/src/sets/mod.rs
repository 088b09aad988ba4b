//! Value sets: the tables of both papers, ours beside them.
//!
//! # Problem
//!
//! Whether value sets pay depends on programs, settings and limits. Each table takes hours of runs, and
//! a claim about it must be repeatable.
//!
//! # Idea
//!
//! The tables of \[SoriaDustmannWehrleCadar18\] and \[AbyanehKirsch21\]. Every program runs under every
//! setting, each run in a process of its own, and each result is kept as soon as it is known (`runs.rs`).
//! The papers' figures stand beside ours (`paper.rs`). Promises are checked at the end, one line each.
//!
//! # Soundness
//!
//! Paths and errors of each run are compared with the expected ones of the program; a run that did not
//! reach all of them is marked.
//!
//! # Cost
//!
//! At most the limit for each program and setting; a run that reaches it counts as the
//! limit. Limits and times are CPU time of the process and of the system for it, so the machine
//! may do other things.

mod paper;
mod parti;
pub mod runs;
pub mod whole;

use crate::riscv::{BARE, Machine, SELFIE_ASE};
use runs::{Program, Run, Runner, Setting, settings};
use std::path::{Path, PathBuf};

/// Programs from this many seconds on count for the comparison by instructions.
const LONG: f64 = 1.0;
/// From this many times the default's time on, instructions need not be counted.
const CLEAR: f64 = 2.0;
/// How much more instructions than the best setting the default may take.
const SLACK: f64 = 1.05;

/// What the user asked for.
const USAGE: &str = "usage: cairn-bench sets [OPTION…]

  --parti            the figures of PARTI in the place of ASE'21's Table III
  --suite            whole programs, value sets on and off
  --paper            Table III for programs with the paper's counts of paths (tests/algo_paper), where there is one
  --riscv            the programs of Table III as executables for rv64im
  --selfie           the same in the layout and with the system calls of the paper's tool chain
  --time 60s         CPU time for each run of a program under a setting
  --programs GLOB    only programs whose names match
  --settings LIST    only these of z3, core, intervals, strided:first, strided:middle, default and cached
  --instructions     counts the processor's instructions too, by valgrind
  --results FOLDER   where runs are kept (default .deps/sets); what is known is not run again
  --again            runs what is known again";

struct SetBenchOptions {
    parti: bool,
    whole: bool,
    paper: bool,
    machine: Option<Machine>,
    count: bool,
    glob: String,
    chosen: Vec<&'static Setting>,
    runner: Runner,
}

impl SetBenchOptions {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = SetBenchOptions {
            parti: false,
            whole: false,
            paper: false,
            machine: None,
            count: false,
            glob: "*".to_string(),
            chosen: runs::in_tables(),
            runner: Runner {
                limit: 60,
                folder: PathBuf::from(".deps/sets"),
                again: false,
            },
        };
        while let Some(word) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--parti" => options.parti = true,
                "--suite" => options.whole = true,
                "--paper" => options.paper = true,
                "--riscv" => options.machine = Some(BARE[0].clone()),
                "--selfie" => options.machine = Some(SELFIE_ASE),
                "--instructions" => options.count = true,
                "--again" => options.runner.again = true,
                "--programs" => options.glob = value()?,
                "--settings" => options.chosen = settings(&value()?)?,
                "--results" => options.runner.folder = value()?.into(),
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

/// Runs what was asked for and prints the tables.
pub fn run(arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let options = SetBenchOptions::parse(arguments)?;
    if options.parti {
        return parti::run(&options);
    }
    if options.whole {
        let (runner, glob) = (&options.runner, &options.glob);
        return whole::run(runner, glob, options.count, &whole::NO_VALUE_SETS);
    }
    table_three(&options)
}

/// Whether a name matches a pattern in which `*` stands for anything.
pub fn matches(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(mut left) = name.strip_prefix(first) else {
        return false;
    };
    let parts: Vec<&str> = rest.split('*').collect();
    let (last, between) = parts.split_last().expect("a split has a part");
    for part in between {
        match left.find(part) {
            Some(at) => left = &left[at + part.len()..],
            None => return false,
        }
    }
    left.ends_with(last)
}

/// Where a program with the paper's count of paths is, if there is one.
fn with_papers_count(name: &str) -> Option<PathBuf> {
    let source = Path::new("tests/algo_paper").join(format!("{name}.c"));
    source.exists().then_some(source)
}

fn programs(options: &SetBenchOptions) -> Result<Vec<(Program, &'static paper::Row)>, String> {
    let glob = &options.glob;
    let mut all = Vec::new();
    for row in paper::TABLE.iter().filter(|r| matches(glob, r.name)) {
        let papers = with_papers_count(row.name).filter(|_| options.paper);
        let (name, source) = match papers {
            Some(source) => (format!("{} (paper)", row.name), source),
            None => {
                let source = format!("{}.c", row.name);
                (row.name.to_string(), Path::new("tests/algo").join(source))
            }
        };
        let machine = options.machine.clone();
        let name = match &machine {
            Some(machine) => format!("{name} {}", machine.text()),
            None => name,
        };
        let expect = source.with_extension("expect");
        let text = std::fs::read_to_string(&expect);
        let text = text.map_err(|e| format!("{}: {e}", expect.display()))?;
        let number = |key: &str| {
            let mut lines = text.lines();
            lines.find_map(|l| l.strip_prefix(key)?.trim().parse().ok())
        };
        let program = Program {
            name,
            source,
            defines: Vec::new(),
            flags: Vec::new(),
            expected: number("paths: ").zip(number("errors: ")),
            machine,
        };
        all.push((program, row));
    }
    match all.is_empty() {
        true => Err(format!("no program of tests/algo matches {glob}")),
        false => Ok(all),
    }
}

/// A program's runs, one for each chosen setting.
struct Line {
    program: Program,
    paper: &'static paper::Row,
    runs: Vec<Run>,
}

impl Line {
    fn under(&self, options: &SetBenchOptions, setting: &str) -> Option<&Run> {
        let at = options.chosen.iter().position(|s| s.name == setting)?;
        self.runs.get(at)
    }
}

fn table_three(options: &SetBenchOptions) -> Result<(), String> {
    let mut lines = Vec::new();
    for (program, paper) in programs(options)? {
        let runs = options
            .chosen
            .iter()
            .map(|setting| options.runner.run(&program, setting));
        let runs = runs.collect::<Result<Vec<Run>, String>>()?;
        eprintln!("{} done", program.name);
        lines.push(Line {
            program,
            paper,
            runs,
        });
    }
    println!(
        "Table III of ASE'21; at most {} s of CPU time for each run, which counts as the limit if it is reached",
        options.runner.limit
    );
    print_paths(options, &lines);
    print_queries(options, &lines);
    print_seconds(options, &lines);
    let counted = match options.count {
        true => Some(print_instructions(options, &lines)?),
        false => None,
    };
    print_promises(options, &lines, counted);
    Ok(())
}

fn heading(options: &SetBenchOptions, title: &str, papers: &[&str]) {
    println!("\n{title}");
    let mut text = format!("{:<20}", "program");
    for column in papers {
        text += &format!(" {column:>10}");
    }
    text += " |";
    for setting in &options.chosen {
        text += &format!(" {:>14}", setting.name);
    }
    println!("{text}");
}

fn print_paths(options: &SetBenchOptions, lines: &[Line]) {
    heading(
        options,
        "paths (all must be those expected; \"limit\": not all were reached)",
        &["paper's", "expected"],
    );
    for line in lines {
        let expected = line.program.expected.map_or(0, |e| e.0 + e.1);
        let mut text = format!(
            "{:<20} {:>10} {expected:>10} |",
            line.program.name, line.paper.paths
        );
        for run in &line.runs {
            let word = run.verdict(line.program.expected);
            let cell = match word {
                "right" => word.to_string(),
                _ => format!("{word} {}", run.completed + run.errors),
            };
            text += &format!(" {cell:>14}");
        }
        println!("{text}");
    }
}

fn print_queries(options: &SetBenchOptions, lines: &[Line]) {
    let papers = ["baseline", "PARTI", "O1", "O2"];
    heading(
        options,
        "queries that reach the core solver (\"+\": when the limit was reached)",
        &papers,
    );
    for line in lines {
        let p = line.paper;
        let mut text = format!("{:<20}", line.program.name);
        for figure in [p.baseline, p.intervals, p.first, p.middle] {
            text += &format!(" {:>10}", figure.1);
        }
        text += " |";
        for run in &line.runs {
            let more = if run.complete { "" } else { "+" };
            text += &format!(" {:>14}", format!("{}{more}", run.core));
        }
        println!("{text}");
    }
}

fn print_seconds(options: &SetBenchOptions, lines: &[Line]) {
    let papers = ["baseline", "PARTI", "O1", "O2"];
    heading(options, "CPU seconds", &papers);
    let mut paper_totals = [0.0; 4];
    let mut totals = vec![0.0; options.chosen.len()];
    for line in lines {
        let p = line.paper;
        let mut text = format!("{:<20}", line.program.name);
        let figures = [p.baseline, p.intervals, p.first, p.middle];
        for (total, figure) in paper_totals.iter_mut().zip(figures) {
            *total += figure.0;
            text += &format!(" {:>10.2}", figure.0);
        }
        text += " |";
        for (total, run) in totals.iter_mut().zip(&line.runs) {
            *total += run.seconds;
            let more = if run.complete { "" } else { "+" };
            text += &format!(" {:>14}", format!("{:.2}{more}", run.seconds));
        }
        println!("{text}");
    }
    let mut text = format!("{:<20}", "total");
    for total in paper_totals {
        text += &format!(" {total:>10.2}");
    }
    text += " |";
    for total in &totals {
        text += &format!(" {total:>14.2}");
    }
    println!("{text}");
    let mut text = format!("{:<20}", "of the first");
    for total in paper_totals {
        text += &format!(" {:>10.3}", total / paper_totals[0]);
    }
    text += " |";
    for total in &totals {
        text += &format!(" {:>14.3}", total / totals[0].max(1e-9));
    }
    println!("{text}");
}

/// Counts the default's instructions against the best other setting's, for long programs. Gives the
/// programs on which the default takes too many.
fn print_instructions(options: &SetBenchOptions, lines: &[Line]) -> Result<Vec<String>, String> {
    println!("\nmillions of instructions, programs of at least {LONG} s");
    println!(
        "{:<20} {:>14} {:>10} {:>10} {:>7}",
        "program", "best other", "its", "default's", "ratio"
    );
    let default = settings("default")?[0];
    let mut slower = Vec::new();
    for line in lines {
        let others = options.chosen.iter().zip(&line.runs);
        let others = others.filter(|(s, r)| !["default", "cached"].contains(&s.name) && r.complete);
        let best = others.min_by(|(_, a), (_, b)| a.seconds.total_cmp(&b.seconds));
        let Some((setting, run)) = best else { continue };
        let own = line.under(options, "default").filter(|r| r.complete);
        let Some(own) = own.filter(|_| run.seconds >= LONG) else {
            continue;
        };
        if run.seconds > CLEAR * own.seconds {
            let (name, other) = (&line.program.name, setting.name);
            let times = run.seconds / own.seconds.max(0.01);
            println!("{name:<20} {other:>14} takes {times:.1} times as long: not counted");
            continue;
        }
        let theirs = options.runner.instructions(&line.program, setting)?;
        let ours = options.runner.instructions(&line.program, default)?;
        let (Some(theirs), Some(ours)) = (theirs, ours) else {
            println!("{:<20} {:>14} no count", line.program.name, setting.name);
            continue;
        };
        let ratio = ours / theirs;
        println!(
            "{:<20} {:>14} {theirs:>10.0} {ours:>10.0} {ratio:>7.3}",
            line.program.name, setting.name
        );
        if ratio > SLACK {
            slower.push(format!("{} {ratio:.2}", line.program.name));
        }
    }
    Ok(slower)
}

/// What was promised, and whether it holds.
fn print_promises(options: &SetBenchOptions, lines: &[Line], slower: Option<Vec<String>>) {
    println!("\nwhat must hold");
    let wrong = lines.iter().filter(|l| {
        let mut runs = l.runs.iter();
        runs.any(|r| r.verdict(l.program.expected) == "WRONG")
    });
    promise("no wrong number of paths", &names(wrong));
    let asked = |l: &&Line| {
        let paper_asks = l.paper.middle.1 > 0;
        let run = l.under(options, "default");
        !paper_asks && run.is_some_and(|r| r.core > 0)
    };
    promise(
        "default: no query to the core solver where the paper has none",
        &names(lines.iter().filter(asked)),
    );
    let none = lines.iter().filter(|l| {
        let run = l.under(options, "default");
        run.is_some_and(|r| r.complete && r.core == 0)
    });
    println!(
        "  programs without any query to the core solver: {}",
        none.count()
    );
    let share = |l: &&Line| {
        let theirs = l.paper.middle.1 as f64 / l.paper.baseline.1 as f64;
        match (l.under(options, "default"), l.under(options, "core")) {
            // Where the core solver alone does not end, the paths it had time for ask less than all.
            (Some(ours), Some(core)) if core.complete => {
                !ours.complete || ours.core as f64 > theirs * core.core as f64
            }
            (Some(_) | None, Some(_) | None) => false,
        }
    };
    promise(
        "default: at most the paper's share of the queries of the core solver alone, where that ends",
        &names(lines.iter().filter(share)),
    );
    let total = |setting: &str| -> Option<f64> {
        let all = lines.iter().map(|l| l.under(options, setting));
        all.map(|run| Some(run?.seconds)).sum()
    };
    for (other, bar) in [("z3", 0.1), ("core", 0.5)] {
        if let (Some(ours), Some(theirs)) = (total("default"), total(other)) {
            let ratio = ours / theirs;
            let problem = match ratio <= bar {
                true => String::new(),
                false => format!("{ratio:.3}"),
            };
            promise(
                &format!("default: at most {bar} of the time of {other} ({ratio:.3})"),
                &problem,
            );
        }
    }
    if let Some(slower) = slower {
        promise(
            &format!("default: at most {SLACK} of the best setting's instructions"),
            &slower.join(", "),
        );
    }
}

fn names<'l>(lines: impl Iterator<Item = &'l Line>) -> String {
    let all: Vec<&str> = lines.map(|l| l.program.name.as_str()).collect();
    all.join(", ")
}

pub fn promise(what: &str, against: &str) {
    match against.is_empty() {
        true => println!("  holds: {what}"),
        false => println!("  FAILS: {what}: {against}"),
    }
}
