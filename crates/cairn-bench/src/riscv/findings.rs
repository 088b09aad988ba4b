//! tests/programs as executables: are the findings those of the run through LLVM?
//!
//! A finding of one side alone is a difference. Machine code explains some of them, by these rules:
//!
//! - *defined*: the processor gives arithmetic a meaning that C does not have: signed overflow, shifts by
//!   the width or more, promises to the compiler (types of functions, code that is never reached). What is
//!   not there to be seen: memory that was never written, leaks (not looked for in executables),
//!   assembly, vectors.
//! - *overrun*: LLVM's finding is an access outside of a global, constant or stack object, or to one that has
//!   ended. Segments and the stack are one object each in machine code, so only an access that
//!   leaves those is seen.
//! - *behind*: a finding of the executable alone, in a program in which an error was not seen by
//!   the rules above: the program went on.
//! - *unwritten*: a finding of the executable alone, in a program that is run with `--uninit`: memory
//!   that the program did not write holds what was there before.
//! - *objects*: a finding of the executable alone, in a program that asks how large objects are.
//!
//! Anything else is counted as other, and must not be.

use super::machine::LINUX;
use super::{SETTING, Wanted};
use crate::sets::runs::{Program, Run};
use crate::sets::{matches, promise};
use std::path::{Path, PathBuf};

/// A difference and the rule that explains it.
struct Difference {
    side: &'static str,
    finding: String,
    rule: Option<&'static str>,
}

/// The rule that explains why the executable lacks a finding.
fn missing(finding: &str) -> Option<&'static str> {
    let kind = finding.split(' ').next().unwrap_or_default();
    match kind {
        "overflow" | "overshift" | "uninit" | "leak" | "external" | "bad_vector_access" => {
            Some("defined")
        }
        "exec" => {
            let promises = ["function type", "never reached"];
            let broken = promises.iter().any(|p| finding.contains(p));
            broken.then_some("defined")
        }
        "ptr" | "readonly" | "free" => {
            let objects = ["global", "constant", "stack"].map(|k| format!("the {k} object"));
            let overrun = objects.iter().any(|o| finding.contains(o.as_str()));
            overrun.then_some("overrun")
        }
        _ => None,
    }
}

/// The findings that only one side has.
fn differences(llvm: &Run, ours: &Run, source: &str) -> Vec<Difference> {
    let only = |run: &Run, other: &Run| -> Vec<String> {
        let theirs = other.places();
        let places = run.places();
        let mine = places.iter().zip(&run.findings);
        let mine = mine.filter(|(place, _)| !theirs.contains(place));
        mine.map(|(_, finding)| finding.clone()).collect()
    };
    let mut all: Vec<Difference> = only(llvm, ours)
        .into_iter()
        .map(|finding| Difference {
            side: "LLVM",
            rule: missing(&finding),
            finding,
        })
        .collect();
    let went_on = all.iter().any(|d| d.rule.is_some());
    let rule = if went_on {
        Some("behind")
    } else if source.contains("//@ run: --uninit") {
        Some("unwritten")
    } else {
        source.contains("klee_get_obj_size").then_some("objects")
    };
    all.extend(only(ours, llvm).into_iter().map(|finding| Difference {
        side: "RISC-V",
        rule,
        finding,
    }));
    all
}

/// The flags of a program that are the same for an executable.
fn flags(text: &str) -> (Vec<String>, Vec<String>) {
    let (mut all, mut shared) = (Vec::new(), Vec::new());
    let lines = text.lines().filter_map(|l| l.strip_prefix("//@ run: "));
    for line in lines {
        let words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
        // They tell the compiler something, or look for what machine code does not have.
        let of_source = [
            "--check overflow",
            "--check leak",
            "--check uninit",
            "--uninit",
            "--cc-flag",
        ];
        if !of_source.iter().any(|f| line.starts_with(f)) {
            shared.extend(words.clone());
        }
        all.extend(words);
    }
    (all, shared)
}

/// What became of a program.
enum Compared {
    /// Why it is no program for this machine.
    NotBuilt(String),
    Runs(Box<(Run, Run)>),
}

fn compare(wanted: &Wanted, source: &Path, name: &str, text: &str) -> Result<Compared, String> {
    let (all, shared) = flags(text);
    let program = |side: &str, flags: Vec<String>| Program {
        name: format!("corpus {name} {side}"),
        source: source.to_path_buf(),
        defines: Vec::new(),
        flags,
        expected: None,
        machine: None,
    };
    let ours = Program {
        machine: Some(LINUX[0].clone()),
        ..program(LINUX[0].name, shared)
    };
    let ours = match wanted.runner.run(&ours, &SETTING) {
        Ok(run) => run,
        Err(why) => return Ok(Compared::NotBuilt(why)),
    };
    // Some flags are about how a source is lowered, which comes first.
    let llvm = Program {
        defines: all.clone(),
        ..program("LLVM", all)
    };
    let llvm = wanted.runner.run(&llvm, &SETTING)?;
    Ok(Compared::Runs(Box::new((llvm, ours))))
}

/// Runs all and prints what differs.
pub fn run(wanted: &Wanted) -> Result<(), String> {
    println!("tests/programs linked with glibc at -O0: findings beside those through LLVM");
    let folder = std::fs::read_dir("tests/programs").map_err(|e| format!("tests/programs: {e}"))?;
    let mut files: Vec<PathBuf> = folder.filter_map(Result::ok).map(|f| f.path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "c"));
    files.sort();
    let (mut same, mut explained, mut unbuilt) = (0, 0, 0);
    let (mut found, mut seconds) = (0, 0.0);
    let mut other: Vec<String> = Vec::new();
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let of_the_set = text.lines().any(|l| l.starts_with("//@ "));
        if !of_the_set || !matches(&wanted.glob, &name) {
            continue;
        }
        let (llvm, ours) = match compare(wanted, &file, &name, &text)? {
            Compared::Runs(runs) => *runs,
            Compared::NotBuilt(why) => {
                let why = why.lines().next().unwrap_or_default();
                println!("  {name}: not for this machine: {why}");
                unbuilt += 1;
                continue;
            }
        };
        seconds += ours.seconds;
        found += llvm.findings.len();
        let differ = differences(&llvm, &ours, &text);
        for d in &differ {
            let rule = d.rule.unwrap_or("OTHER");
            println!("  {name}: {rule}: {} alone has {}", d.side, d.finding);
        }
        if ours.complete != llvm.complete {
            let left = ours.incomplete.iter().chain(&llvm.incomplete);
            let left: Vec<&str> = left.map(String::as_str).collect();
            println!("  {name}: one side is partial: {}", left.join("; "));
        }
        if differ.iter().any(|d| d.rule.is_none()) {
            other.push(name.into_owned());
        } else if differ.is_empty() {
            same += 1;
        } else {
            explained += 1;
        }
    }
    println!(
        "{same} programs the same ({found} findings in all), {explained} differ by a rule, {} by none, \
         {unbuilt} not for this machine; {seconds:.1} CPU seconds",
        other.len()
    );
    promise("no other difference", &other.join(", "));
    Ok(())
}
