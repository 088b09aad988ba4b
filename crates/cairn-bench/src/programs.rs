//! Real programs: each is explored for a while, then its tests are replayed natively.
//!
//! # Problem
//!
//! A suite of a hundred programs takes hours, and tests of programs like `rm` must not be replayed on
//! the user's files. The results of interest are errors: bugs of Cairn, and tests that behave differently
//! natively.
//!
//! # Idea
//!
//! `cairn run` and `cairn replay` are processes; a row is kept as JSON as soon as it is known, with its
//! settings, so an interrupted command continues where it was. Replays run under `scripts/isolated.sh`;
//! where isolation does not work, no test is replayed.
//!
//! # Soundness
//!
//! A kept row is used again only for the same settings. Every failure of `cairn`, every finding, everything
//! that a run left out for another cause than a limit, and a rate of reached tests below 99 % is printed.
//!
//! # Cost
//!
//! The time asked for each program, and a few milliseconds for each test.

use crate::child::binary;
use crate::suite::{self, Program};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Below this share of tests that were reached, the first that was not is shown.
const GOOD_RATE: f64 = 0.99;
/// What `scripts/isolated.sh` ends with if it cannot isolate.
const NOT_ISOLATED: i32 = 125;
/// The folder that an explored program runs in; `scripts/isolated.sh` makes an empty one.
const EXPLORED_FOLDER: &str = "/home/user";
/// What `cairn` ends with if it found a bug of its own.
const BUG: i32 = 70;

/// What the user asked for.
struct ProgramBenchOptions {
    time: String,
    search: Option<String>,
    again: bool,
    /// The most tests of a program that are replayed.
    most: usize,
    /// Where results are kept.
    folder: PathBuf,
    names: Vec<String>,
}

impl ProgramBenchOptions {
    fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = ProgramBenchOptions {
            time: "60s".to_string(),
            search: None,
            again: false,
            most: usize::MAX,
            folder: PathBuf::from(".deps/programs/results"),
            names: Vec::new(),
        };
        let mut arguments = arguments;
        while let Some(word) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--time" => options.time = value()?,
                "--search" => options.search = Some(value()?),
                "--again" => options.again = true,
                "--replay" => {
                    let number = value()?.parse();
                    options.most = number.map_err(|_| "--replay needs a number".to_string())?;
                }
                "--results" => options.folder = value()?.into(),
                option if option.starts_with("--") => {
                    return Err(format!(
                        "there is no option {option}; there are --time, --search, --replay, --results and --again"
                    ));
                }
                name => options.names.push(name.to_string()),
            }
        }
        Ok(options)
    }

    /// What a row is for: with other settings it is made again.
    fn settings(&self, program: &Program) -> String {
        let search = self.search.as_deref().unwrap_or("the usual search");
        let most = match self.most {
            usize::MAX => "all".to_string(),
            most => most.to_string(),
        };
        format!("{} {search} {most} {}", self.time, program.words)
    }
}

/// Explores and replays, and prints the table.
pub fn run(arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let options = ProgramBenchOptions::parse(arguments)?;
    let programs = suite::chosen(&options.names)?;
    println!(
        "{} each; paths are to the end, in an error, left out",
        options.time
    );
    println!(
        "{:<12} {:>8} {:>6} {:>7} {:>9} {:>6} {:>7} {:>8} {:>9} {:>6}",
        "program",
        "paths",
        "error",
        "left",
        "M instr.",
        "lines",
        "CPU s",
        "solver s",
        "replayed",
        "rate"
    );
    let mut rows = Vec::new();
    for program in programs {
        let executable = Path::new(".deps/programs")
            .join(program.package)
            .join(program.name);
        if !executable.exists() {
            println!(
                "{:<12} not built; scripts/programs.sh {}",
                program.name, program.package
            );
            continue;
        }
        let row = row(&options, &program, &executable)?;
        println!("{}", line(&row));
        rows.push(row);
    }
    println!("{}", line(&total(&rows)));
    for row in &rows {
        for problem in problems(row) {
            println!("{}: {problem}", text(row, "program"));
        }
    }
    Ok(())
}

/// The row of a program: the one that is kept, or a new one.
fn row(
    options: &ProgramBenchOptions,
    program: &Program,
    executable: &Path,
) -> Result<Value, String> {
    let folder = options.folder.join(program.package).join(program.name);
    let kept = folder.join("row.json");
    let settings = options.settings(program);
    if !options.again
        && let Ok(text) = std::fs::read_to_string(&kept)
        && let Ok(row) = serde_json::from_str::<Value>(&text)
        && row["settings"] == settings.as_str()
    {
        return Ok(row);
    }
    // Whether there was one or not.
    let _ = std::fs::remove_dir_all(&folder);
    let made = std::fs::create_dir_all(&folder);
    made.map_err(|e| format!("{}: {e}", folder.display()))?;
    let tests = folder.join("out");
    let (code, errors) = explore(options, program, executable, &tests)?;
    let mut row = json!({
        "program": program.name,
        "settings": settings,
        "exit": code,
        "errors": errors,
        "summary": read_json(&tests.join("summary.json")),
    });
    row["replay"] = replay(options.most, executable, &tests)?;
    let stored = std::fs::write(&kept, format!("{row:#}"));
    stored.map_err(|e| format!("{}: {e}", kept.display()))?;
    Ok(row)
}

fn read_json(file: &Path) -> Value {
    let text = std::fs::read_to_string(file).ok();
    text.and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or(Value::Null)
}

/// Runs `cairn run`: its exit code, and the lines that it wrote to standard error.
fn explore(
    options: &ProgramBenchOptions,
    program: &Program,
    executable: &Path,
    tests: &Path,
) -> Result<(Option<i32>, Vec<String>), String> {
    let mut command = Command::new(binary()?);
    command.arg("run").arg("--output-dir").arg(tests);
    command.args(["--json", "--max-time", &options.time]);
    if let Some(search) = &options.search {
        command.args(["--search", search]);
    }
    command
        .arg(executable)
        .arg("--")
        .args(program.words.split(' '));
    let done = finish(&mut command)?;
    let errors = String::from_utf8_lossy(&done.stderr);
    Ok((
        done.status.code(),
        errors.lines().map(str::to_string).collect(),
    ))
}

/// Runs `cairn replay`: its summary without the tests that were reached; null if there is none.
fn replay(most: usize, executable: &Path, tests: &Path) -> Result<Value, String> {
    let mut files: Vec<PathBuf> = match std::fs::read_dir(tests) {
        Ok(entries) => entries.filter_map(|e| Some(e.ok()?.path())).collect(),
        Err(_) => Vec::new(),
    };
    files.retain(|file| file.extension().is_some_and(|e| e == "ktest"));
    if files.is_empty() {
        return Ok(Value::Null);
    }
    files.sort();
    let chosen: Vec<&Path> = match files.len() <= most {
        // Too many names for a command are one as a folder.
        true => vec![tests],
        false => spread(&files, most),
    };
    let whole = |path: &Path| std::path::absolute(path).map_err(|e| e.to_string());
    let mut command = Command::new("scripts/isolated.sh");
    command.arg(binary()?).arg("replay").arg("--json");
    // It is isolated already.
    command.args(["--sandbox", "off"]);
    command.args(["--timeout", "5s", "--folder", EXPLORED_FOLDER]);
    command.arg(whole(executable)?);
    for path in chosen {
        command.arg(whole(path)?);
    }
    let done = finish(&mut command)?;
    if done.status.code() == Some(NOT_ISOLATED) {
        return Ok(Value::Null);
    }
    let summary = serde_json::from_slice(&done.stdout);
    let mut summary: Value = summary.map_err(|_| {
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        format!("{}: no replay: {said}", executable.display())
    })?;
    if let Some(tests) = summary["tests"].as_array_mut() {
        tests.retain(|test| test["verdict"] != "reached");
    }
    Ok(summary)
}

/// At most so many of a list, from all parts of it alike.
fn spread(all: &[PathBuf], most: usize) -> Vec<&Path> {
    let count = all.len().min(most);
    (0..count)
        .map(|n| all[n * all.len() / count].as_path())
        .collect()
}

fn finish(command: &mut Command) -> Result<Output, String> {
    let done = command.stdin(Stdio::null()).output();
    done.map_err(|e| format!("{}: {e}", command.get_program().display()))
}

fn text<'r>(row: &'r Value, key: &str) -> &'r str {
    row[key].as_str().unwrap_or_default()
}

/// A line of the table.
fn line(row: &Value) -> String {
    let summary = &row["summary"];
    let number = |value: &Value| value.as_u64().map_or("-".to_string(), |n| n.to_string());
    let layers = summary["queries"]["by_layer"].as_object();
    let solver: f64 = layers.map_or(0.0, |layers| {
        layers
            .values()
            .filter_map(|layer| layer["seconds"].as_f64())
            .sum()
    });
    let lines = &summary["coverage"]["lines"];
    let covered = match (lines[0].as_u64(), lines[1].as_u64()) {
        (Some(covered), Some(all @ 1..)) => format!("{}%", 100 * covered / all),
        (Some(_) | None, Some(_) | None) => "-".to_string(),
    };
    let replay = &row["replay"];
    let rate = match (replay["reached"].as_u64(), replay["total"].as_u64()) {
        // Rounded down, so that it is 100 only if all are.
        (Some(reached), Some(all @ 1..)) => {
            let tenths = 1000 * reached / all;
            format!("{}.{}%", tenths / 10, tenths % 10)
        }
        (Some(_) | None, Some(_) | None) => "-".to_string(),
    };
    let cpu = summary["cpu_seconds"].as_f64().unwrap_or(0.0);
    let millions = summary["instructions"].as_u64();
    let millions = millions.map_or("-".to_string(), |n| format!("{:.1}", n as f64 / 1e6));
    format!(
        "{:<12} {:>8} {:>6} {:>7} {millions:>9} {covered:>6} {cpu:>7.1} {solver:>8.1} {:>9} {rate:>6} {}",
        text(row, "program"),
        number(&summary["paths"]["completed"]),
        number(&summary["paths"]["errors"]),
        number(&summary["paths"]["stopped"]),
        number(&replay["total"]),
        verdict(row),
    )
    .trim_end()
    .to_string()
}

/// What is wrong with a run, in a word.
fn verdict(row: &Value) -> &'static str {
    match (row["exit"].as_i64(), &row["summary"], &row["program"]) {
        (Some(code), ..) if code == i64::from(BUG) => "BUG",
        (_, _, Value::String(name)) if name == TOTAL => "",
        (None, ..) => "CRASHED",
        (Some(_), Value::Null, _) => "NOT RUN",
        (Some(_), ..) => "",
    }
}

/// What the line of totals is called.
const TOTAL: &str = "all";

/// All rows together, as a row.
fn total(rows: &[Value]) -> Value {
    let sum = |path: &[&str]| -> u64 {
        let at = |row: &Value| {
            path.iter()
                .fold(row.clone(), |value, key| value[*key].clone())
        };
        rows.iter().filter_map(|row| at(row).as_u64()).sum()
    };
    let lines = |side: usize| -> u64 {
        let at = |row: &Value| row["summary"]["coverage"]["lines"][side].as_u64();
        rows.iter().filter_map(at).sum()
    };
    let seconds: f64 = rows
        .iter()
        .filter_map(|row| row["summary"]["queries"]["by_layer"].as_object())
        .flat_map(|layers| layers.values())
        .filter_map(|layer| layer["seconds"].as_f64())
        .sum();
    let cpu = |row: &Value| row["summary"]["cpu_seconds"].as_f64();
    let cpu: f64 = rows.iter().filter_map(cpu).sum();
    json!({
        "program": TOTAL,
        "summary": {
            "paths": {
                "completed": sum(&["summary", "paths", "completed"]),
                "errors": sum(&["summary", "paths", "errors"]),
                "stopped": sum(&["summary", "paths", "stopped"]),
            },
            "instructions": sum(&["summary", "instructions"]),
            "cpu_seconds": cpu,
            "coverage": { "lines": [lines(0), lines(1)] },
            "queries": { "by_layer": { "all": { "seconds": seconds } } },
        },
        "replay": { "total": sum(&["replay", "total"]), "reached": sum(&["replay", "reached"]) },
    })
}

/// What to look into, one sentence each.
fn problems(row: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    if !verdict(row).is_empty() {
        let errors = row["errors"].as_array().into_iter().flatten();
        let errors: Vec<&str> = errors.filter_map(Value::as_str).collect();
        problems.push(format!("{}: {}", verdict(row), errors.join(" / ")));
    }
    let findings = row["summary"]["findings"].as_array().into_iter().flatten();
    for finding in findings {
        problems.push(format!(
            "{}:{}: {} ({})",
            text(finding, "file"),
            finding["line"],
            text(finding, "message"),
            text(finding, "kind")
        ));
    }
    let limits = ["max-time", "stop", "memory"];
    for left in row["summary"]["incomplete"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let sentence = left.as_str().unwrap_or_default();
        if !limits.iter().any(|limit| sentence.contains(limit)) {
            problems.push(sentence.to_string());
        }
    }
    let replay = &row["replay"];
    let unreadable = replay["unreadable"].as_u64().unwrap_or(0);
    let rate = replay["rate"].as_f64().unwrap_or(1.0);
    if unreadable > 0 {
        problems.push(format!(
            "{unreadable} tests could not be read where they are replayed; --results must not be in /tmp, /home or /run"
        ));
    } else if rate < GOOD_RATE {
        let first = &replay["tests"][0];
        problems.push(format!(
            "{:.1}% reached; {}: recorded {}, found {}, {}",
            100.0 * rate,
            text(first, "test"),
            first["recorded"],
            first["end"],
            first["differences"]
        ));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::spread;
    use std::path::{Path, PathBuf};

    #[test]
    fn a_part_is_from_everywhere() {
        let all: Vec<PathBuf> = (0..10).map(|n| format!("{n}").into()).collect();
        assert_eq!(spread(&all, 3), ["0", "3", "6"].map(Path::new));
        assert_eq!(spread(&all, 20).len(), 10);
        assert!(spread(&all, 0).is_empty());
    }
}
