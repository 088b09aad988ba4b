//! tests/programs as executables: are the findings those of the run through LLVM?
//!
//! A finding of one side alone is a difference. Some differences are due to machine code: each has a kind
//! and a reason. Findings that the executable lacks:
//!
//! - *arithmetic*: signed overflow, or a shift by the width or more. The processor defines their results.
//! - *vectors*: an access to an element that the vector does not have: at -O0 a vector is memory on the stack.
//! - *promise*: a function was called with another type, or code was reached that the compiler was told is
//!   unreachable. The machine code has no trace of either.
//! - *variables*: a branch on an uninitialised variable. Only heap objects begin uninitialised.
//! - *overrun*: an access outside of a global, constant or stack object. Segments and the stack are one
//!   object each, so only an access that leaves those is seen.
//! - *frame*: an access to a dead stack object. The stack itself is live.
//!
//! Findings that only the executable has:
//!
//! - *behind*: an access, a jump or a failed assertion at a line after that of an overrun, a frame or a
//!   promise that was not seen in the same program: LLVM's path had ended there.
//! - *segment*: a failed assertion about the size of something that is no object of its own, with
//!   `klee_get_obj_size`.
//!
//! Any other difference is counted as other; there must be none.

use super::machine::LINUX;
use super::{RiscvBenchOptions, SETTING};
use crate::sets::runs::{Program, Run};
use crate::sets::{matches, promise};
use std::path::{Path, PathBuf};

/// A difference and the rule that explains it.
struct Difference {
    side: &'static str,
    finding: String,
    rule: Option<&'static str>,
}

/// The kind of a finding, its line and its message.
fn parts(finding: &str) -> (&str, u64, &str) {
    let (place, message) = finding.split_once(": ").unwrap_or((finding, ""));
    let (kind, line) = place.split_once(' ').unwrap_or((place, ""));
    (kind, line.parse().unwrap_or(0), message)
}

/// The rule that explains why the executable lacks a finding.
fn missing(finding: &str) -> Option<&'static str> {
    let (kind, _, message) = parts(finding);
    let divided = ["global", "constant", "stack"];
    let outside_of = |kind: &&str| message.contains(&format!("outside of the {kind} object"));
    match kind {
        "overflow" | "overshift" => Some("arithmetic"),
        "bad_vector_access" => Some("vectors"),
        "exec" => {
            let promises = ["function type", "never reached"];
            let broken = promises.iter().any(|p| message.contains(p));
            broken.then_some("promise")
        }
        "uninit" => (!message.contains("heap object")).then_some("variables"),
        "ptr" if divided.iter().any(outside_of) => Some("overrun"),
        "ptr" => {
            let ended = message.contains("in the stack object") && message.contains("has ended");
            ended.then_some("frame")
        }
        _ => None,
    }
}

/// The rule that explains why the executable has a finding that LLVM lacks, beside those that it lacks
/// itself.
fn more(finding: &str, lacks: &[Difference], source: &str) -> Option<&'static str> {
    let (kind, line, _) = parts(finding);
    let goes_on = |d: &&Difference| matches!(d.rule, Some("overrun" | "frame" | "promise"));
    let first = lacks.iter().filter(goes_on).map(|d| parts(&d.finding).1);
    let behind = first.min().is_some_and(|first| line >= first);
    match kind {
        "ptr" | "exec" | "assert" if behind => Some("behind"),
        "assert" if source.contains("klee_get_obj_size") => Some("segment"),
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
    let lacks = only(llvm, ours).into_iter().map(|finding| Difference {
        side: "LLVM",
        rule: missing(&finding),
        finding,
    });
    let mut all: Vec<Difference> = lacks.collect();
    let has = only(ours, llvm).into_iter().map(|finding| Difference {
        side: "RISC-V",
        rule: more(&finding, &all, source),
        finding,
    });
    let has: Vec<Difference> = has.collect();
    all.extend(has);
    all
}

/// The flags of a program that are the same for an executable.
fn flags(text: &str) -> (Vec<String>, Vec<String>) {
    let (mut all, mut shared) = (Vec::new(), Vec::new());
    let lines = text.lines().filter_map(|l| l.strip_prefix("//@ run: "));
    for line in lines {
        let words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
        // They tell the compiler something, or look for what machine code does not have.
        let of_source = ["--check overflow", "--cc-flag"];
        if !of_source.iter().any(|f| line.starts_with(f)) {
            shared.extend(words.clone());
        }
        all.extend(words);
    }
    (all, shared)
}

/// What became of a program.
enum FindingsCheck {
    /// Why it is no program for this machine.
    NotBuilt(String),
    Runs(Box<(Run, Run)>),
}

fn compare(
    options: &RiscvBenchOptions,
    source: &Path,
    name: &str,
    text: &str,
) -> Result<FindingsCheck, String> {
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
    let ours = match options.runner.run(&ours, &SETTING) {
        Ok(run) => run,
        Err(why) => return Ok(FindingsCheck::NotBuilt(why)),
    };
    // Some flags are about how a source is lowered, which comes first.
    let llvm = Program {
        defines: all.clone(),
        ..program("LLVM", all)
    };
    let llvm = options.runner.run(&llvm, &SETTING)?;
    Ok(FindingsCheck::Runs(Box::new((llvm, ours))))
}

/// Runs all and prints what differs.
pub fn run(options: &RiscvBenchOptions) -> Result<(), String> {
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
        if !of_the_set || !matches(&options.glob, &name) {
            continue;
        }
        let (llvm, ours) = match compare(options, &file, &name, &text)? {
            FindingsCheck::Runs(runs) => *runs,
            FindingsCheck::NotBuilt(why) => {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_go_by_kind_and_reason() {
        let outside =
            |of: &str| format!("ptr 7: access of 4 bytes outside of the {of} object of 8 bytes");
        assert_eq!(missing(&outside("global")), Some("overrun"));
        assert_eq!(missing(&outside("heap")), None);
        assert_eq!(missing("leak 3: the heap object was never freed"), None);
        assert_eq!(
            missing("uninit 3: a branch depends on bytes of the heap object"),
            None
        );
        let lacks = [Difference {
            side: "LLVM",
            rule: Some("overrun"),
            finding: outside("global"),
        }];
        assert_eq!(more("exec 8: no code", &lacks, ""), Some("behind"));
        assert_eq!(more("exec 6: no code", &lacks, ""), None);
        assert_eq!(more("free 8: freed before", &lacks, ""), None);
        assert_eq!(more("exec 8: no code", &[], "klee_get_obj_size"), None);
    }
}
