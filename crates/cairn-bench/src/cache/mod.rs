//! Which questions of real runs are equal up to the names of objects and inputs: what a cache that knows this could save.
//!
//! # Problem
//!
//! A cache of queries up to a renaming of bases \[Trabish24, chapter 4\], or of inputs, is worth what the repetitions cost that it finds
//! and other layers do not. That depends on what reaches the core solver, so it must be measured behind all layers.
//!
//! # Idea
//!
//! Each program is explored with bases as terms, and what reaches its core solver is written down with the time it took
//! (`cairn run --query-journal`). Canonical forms, found without any code of the cache, say which queries are equal to one that was
//! decided before.
//!
//! # Soundness
//!
//! Rows are kept and used again for the same settings only. What did not fit into a journal, has no canonical form or gives
//! a contradiction is printed.
//!
//! # Cost
//!
//! The processor time asked for each program and policy, and about as much again for the forms.

mod canonical;
mod graph;
mod layout;
mod tally;
#[cfg(test)]
mod tests;

use crate::child;
use crate::segments;
use crate::suite;
use cairn_text::journal::Journal;
use serde_json::{Value, json};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tally::{Amount, Tally, tally};

/// Programs of coreutils that are measured if no program is named.
const COREUTILS: [&str; 12] = [
    "seq", "factor", "date", "stat", "sort", "printf", "expr", "cut", "od", "numfmt", "tr", "join",
];

/// What was asked for.
struct CacheStudyOptions {
    /// Processor time of a run.
    time: String,
    policies: Vec<String>,
    bases: String,
    again: bool,
    /// Where rows are kept.
    folder: PathBuf,
    names: Vec<String>,
}

impl CacheStudyOptions {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut wanted = CacheStudyOptions {
            time: "10s".to_string(),
            policies: ["fork", "segments"].map(str::to_string).to_vec(),
            bases: "terms".to_string(),
            again: false,
            folder: PathBuf::from(".deps/programs/cache-study"),
            names: Vec::new(),
        };
        while let Some(word) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--time" => wanted.time = value()?,
                "--memory" => wanted.policies = value()?.split(',').map(str::to_string).collect(),
                "--bases" => wanted.bases = value()?,
                "--results" => wanted.folder = value()?.into(),
                "--again" => wanted.again = true,
                option if option.starts_with("--") => {
                    return Err(format!(
                        "there is no option {option}; there are --time, --memory, --bases, --results and --again"
                    ));
                }
                name => wanted.names.push(name.to_string()),
            }
        }
        Ok(wanted)
    }
}

/// A program to explore.
struct StudiedProgram {
    name: String,
    /// An executable, or a source that is compiled first.
    file: PathBuf,
    defines: Vec<String>,
    words: Vec<String>,
}

/// The programs that are meant: drivers by the names of their files, others by program or package.
fn programs(wanted: &CacheStudyOptions) -> Result<Vec<StudiedProgram>, String> {
    let driver_name = |driver: &segments::Driver| {
        let stem = Path::new(driver.file).file_stem().unwrap_or_default();
        let same = segments::TABLES.iter().filter(|d| d.file == driver.file);
        match same.count() {
            1 => format!("tables/{}", stem.display()),
            _ => format!("tables/{}-{}", stem.display(), driver.defines.join("-")),
        }
    };
    let drivers = segments::TABLES.iter().map(|driver| StudiedProgram {
        name: driver_name(driver),
        file: driver.file.into(),
        defines: driver.defines.iter().map(|d| format!("-D{d}")).collect(),
        words: Vec::new(),
    });
    let is_default = |p: &suite::Program| p.package != "coreutils" || COREUTILS.contains(&p.name);
    let others = suite::all().into_iter();
    let others = others.filter(|p| !wanted.names.is_empty() || is_default(p));
    let others = others.map(|p| StudiedProgram {
        name: format!("{}/{}", p.package, p.name),
        file: Path::new(".deps/programs").join(p.package).join(p.name),
        defines: Vec::new(),
        words: p.words.split(' ').map(str::to_string).collect(),
    });
    let mut all: Vec<StudiedProgram> = drivers.chain(others).collect();
    let is_meant = |program: &StudiedProgram, name: &String| {
        let (package, last) = program.name.split_once('/').unwrap_or_default();
        [program.name.as_str(), package, last].contains(&name.as_str())
    };
    for name in &wanted.names {
        if !all.iter().any(|program| is_meant(program, name)) {
            return Err(format!("there is no program or package {name}"));
        }
    }
    all.retain(|program| {
        wanted.names.is_empty() || wanted.names.iter().any(|name| is_meant(program, name))
    });
    Ok(all)
}

/// Explores, and prints the table.
pub fn run(arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let wanted = CacheStudyOptions::parse(arguments)?;
    println!(
        "at most {} of processor time each, --bases {}; of the queries that reach the core solver: how many, and their share of its time",
        wanted.time, wanted.bases
    );
    println!("{HEAD}");
    let mut notes = Vec::new();
    let mut rows = Vec::new();
    for policy in &wanted.policies {
        for program in programs(&wanted)? {
            if !program.file.exists() {
                notes.push(format!("{}: not built (scripts/programs.sh)", program.name));
                continue;
            }
            let row = row(&wanted, &program, policy)?;
            println!("{}", line(&row));
            notes.extend(problems(&row));
            rows.push(row);
        }
        println!("{}", line(&total(&rows, policy)));
    }
    notes.dedup();
    notes.iter().for_each(|note| println!("{note}"));
    Ok(())
}

/// The row of a program under a policy: the one that is kept, or a new one.
fn row(
    wanted: &CacheStudyOptions,
    program: &StudiedProgram,
    policy: &str,
) -> Result<Value, String> {
    let settings = format!(
        "{} --bases {} {} {}",
        wanted.time,
        wanted.bases,
        program.defines.join(" "),
        program.words.join(" ")
    );
    let name = format!("{}-{policy}.json", program.name.replace('/', "-"));
    let kept = wanted.folder.join(name);
    if !wanted.again
        && let Ok(text) = std::fs::read_to_string(&kept)
        && let Ok(row) = serde_json::from_str::<Value>(&text)
        && row["settings"] == settings.as_str()
    {
        return Ok(row);
    }
    let scratch = child::scratch_folder()?;
    let journal = scratch.path().join("journal");
    let summary = explore(wanted, program, policy, &journal)?;
    let file = File::open(&journal).map_err(|e| format!("{}: {e}", program.name))?;
    let read = Journal::read(BufReader::new(file)).map_err(|e| format!("{}: {e}", program.name))?;
    let row = json!({
        "program": program.name,
        "policy": policy,
        "settings": settings,
        "asked": summary["queries"]["asked"],
        "cpu": summary["cpu_seconds"],
        "complete": summary["status"] == "complete",
        "ended": read.ended,
        "tally": to_json(&tally(&read)),
    });
    let made = std::fs::create_dir_all(&wanted.folder);
    let stored = made.and_then(|()| std::fs::write(&kept, format!("{row:#}")));
    stored.map_err(|e| format!("{}: {e}", kept.display()))?;
    Ok(row)
}

/// Explores a program; the summary.
fn explore(
    wanted: &CacheStudyOptions,
    program: &StudiedProgram,
    policy: &str,
    journal: &Path,
) -> Result<Value, String> {
    let scratch = child::scratch_folder()?;
    let file = match program.file.extension() {
        Some(ending) if ending == "c" => {
            child::prepare(&program.file, &program.defines, scratch.path())?
        }
        _ => program.file.clone(),
    };
    let mut command = Command::new(child::binary()?);
    command
        .arg("run")
        .arg("--output-dir")
        .arg(scratch.path().join("out"));
    command.args([
        "--json",
        "--no-tests",
        "--memory",
        policy,
        "--bases",
        &wanted.bases,
    ]);
    command.args(["--max-cpu-time", &wanted.time, "--max-memory", "2G"]);
    command.arg("--query-journal").arg(journal).arg(file);
    if !program.words.is_empty() {
        command.arg("--").args(&program.words);
    }
    let done = command.stdin(Stdio::null()).output();
    let done = done.map_err(|e| e.to_string())?;
    serde_json::from_slice(&done.stdout).map_err(|_| {
        let said = String::from_utf8_lossy(&done.stderr);
        format!("{}: no summary: {said}", program.name)
    })
}

const HEAD: &str = "\
| program | `--memory` | asked | core | core s | of run | a base | a number | sensitive | again | bases | inputs | both | numbers too | unsat | core again |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|";

fn amount(amount: &Amount) -> Value {
    json!({ "queries": amount.queries, "seconds": amount.seconds })
}

fn to_json(tally: &Tally) -> Value {
    json!({
        "core": amount(&tally.core),
        "undecided": amount(&tally.undecided),
        "with_base": amount(&tally.with_base),
        "with_number": amount(&tally.with_number),
        "sensitive": amount(&tally.sensitive),
        "repeated": tally.repeated.each_ref().map(amount),
        "unsat": amount(&tally.unsat),
        "repeated_core": amount(&tally.repeated_core),
        "repeated_unsat": tally.repeated_unsat,
        "contradictions": tally.contradictions,
        "careless_contradictions": tally.careless_contradictions,
        "without_form": tally.without_form,
        "left_out": amount(&tally.left_out),
    })
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

fn seconds(value: &Value) -> f64 {
    value.as_f64().unwrap_or(0.0)
}

/// A line of the table.
fn line(row: &Value) -> String {
    let tally = &row["tally"];
    let whole = seconds(&tally["core"]["seconds"]);
    let share = |part: f64, whole: f64| match whole > 0.0 {
        true => format!("{:.0}%", 100.0 * part / whole),
        false => "-".to_string(),
    };
    let cell = |amount: &Value| match number(&amount["queries"]) {
        0 => "0".to_string(),
        queries => format!("{queries} ({})", share(seconds(&amount["seconds"]), whole)),
    };
    let mut cells = vec![
        row["program"].as_str().unwrap_or_default().to_string(),
        row["policy"].as_str().unwrap_or_default().to_string(),
        number(&row["asked"]).to_string(),
        number(&tally["core"]["queries"]).to_string(),
        format!("{whole:.2}"),
        share(whole, seconds(&row["cpu"])),
    ];
    cells.extend(["with_base", "with_number", "sensitive"].map(|key| cell(&tally[key])));
    let repeated = tally["repeated"].as_array().into_iter().flatten();
    cells.extend(repeated.map(cell));
    cells.extend(["unsat", "repeated_core"].map(|key| cell(&tally[key])));
    format!("| {} |", cells.join(" | "))
}

/// All rows of a policy together.
fn total(rows: &[Value], policy: &str) -> Value {
    let rows: Vec<&Value> = rows.iter().filter(|row| row["policy"] == policy).collect();
    let sum = |at: &dyn Fn(&Value) -> Value| {
        let parts: Vec<Value> = rows.iter().map(|row| at(row)).collect();
        json!({
            "queries": parts.iter().map(|p| number(&p["queries"])).sum::<u64>(),
            "seconds": parts.iter().map(|p| seconds(&p["seconds"])).sum::<f64>(),
        })
    };
    let named = |key: &str| sum(&|row| row["tally"][key].clone());
    let repeated: Vec<Value> = (0..tally::RENAMINGS.len())
        .map(|i| sum(&|row| row["tally"]["repeated"][i].clone()))
        .collect();
    json!({
        "program": "all",
        "policy": policy,
        "asked": rows.iter().map(|row| number(&row["asked"])).sum::<u64>(),
        "cpu": rows.iter().map(|row| seconds(&row["cpu"])).sum::<f64>(),
        "tally": {
            "core": named("core"),
            "with_base": named("with_base"),
            "with_number": named("with_number"),
            "sensitive": named("sensitive"),
            "repeated": repeated,
            "unsat": named("unsat"),
            "repeated_core": named("repeated_core"),
        },
    })
}

/// What a reader of a row must know.
fn problems(row: &Value) -> Vec<String> {
    let tally = &row["tally"];
    let counts = [
        (
            "contradictions",
            "classes with two verdicts: the judgement about layouts is wrong",
        ),
        (
            "careless_contradictions",
            "classes would have two verdicts if bases of layout-sensitive queries were renamed",
        ),
        ("without_form", "queries without a canonical form"),
    ];
    let name = format!(
        "{} {}",
        row["program"].as_str().unwrap_or_default(),
        row["policy"].as_str().unwrap_or_default()
    );
    let mut all: Vec<String> = counts
        .iter()
        .filter(|(key, _)| number(&tally[*key]) > 0)
        .map(|(key, what)| format!("{name}: {} {what}", number(&tally[*key])))
        .collect();
    let left_out = number(&tally["left_out"]["queries"]);
    if left_out > 0 || row["ended"] != true {
        all.push(format!(
            "{name}: {left_out} queries did not fit into the journal"
        ));
    }
    all
}
