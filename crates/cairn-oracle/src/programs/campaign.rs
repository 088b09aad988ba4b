//! Many programs, each at every level, and what came of them.

use super::native::{self, Behaviour, NativeEnd};
use super::scratch::Scratch;
use super::{SourceKind, SourceText, generate, ours};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What to run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How many programs.
    pub count: u64,
    /// The first seed; the others follow.
    pub seed: u64,
    /// Time after which no further program is begun.
    pub limit: Option<Duration>,
    /// The kinds, by turns.
    pub kinds: Vec<SourceKind>,
    /// Levels of optimisation of each program.
    pub levels: Vec<u8>,
    /// Where the sources of disagreements are kept.
    pub keep: Option<PathBuf>,
    /// Time limit of a native run.
    pub native_limit: Duration,
    /// Limit of operations of a run on the machine.
    pub machine_limit: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            count: 100,
            seed: 0,
            limit: None,
            kinds: SourceKind::ALL.to_vec(),
            levels: vec![0, 1, 2, 3],
            keep: None,
            native_limit: Duration::from_secs(5),
            machine_limit: 200_000_000,
        }
    }
}

/// A program that does not do the same on both.
#[derive(Clone, Debug)]
pub struct Disagreement {
    /// Its kind.
    pub kind: SourceKind,
    /// Its seed.
    pub seed: u64,
    /// The level of optimisation.
    pub level: u8,
    /// Options of the compiler besides it.
    pub flags: Vec<String>,
    /// What is different.
    pub what: String,
    /// Where the source was kept.
    pub file: Option<PathBuf>,
}

/// What a campaign came to.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Programs of each kind.
    pub programs: BTreeMap<SourceKind, u64>,
    /// Executions that were compared.
    pub compared: u64,
    /// Executions that were left out, by reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// Disagreements.
    pub disagreements: Vec<Disagreement>,
}

impl Report {
    /// The figures, in a few lines.
    pub fn table(&self) -> String {
        let mut text = String::new();
        let programs: u64 = self.programs.values().sum();
        let list = |all: Vec<String>| match all.is_empty() {
            true => String::new(),
            false => format!(" ({})", all.join(", ")),
        };
        let kinds = self
            .programs
            .iter()
            .map(|(k, n)| format!("{} {n}", k.name()));
        let reasons = self.skipped.iter().map(|(why, n)| format!("{why} {n}"));
        let skipped: u64 = self.skipped.values().sum();
        // Writing to a string does not fail.
        let _ = writeln!(text, "programs: {programs}{}", list(kinds.collect()));
        let _ = writeln!(text, "executions compared: {}", self.compared);
        let _ = writeln!(
            text,
            "executions skipped: {skipped}{}",
            list(reasons.collect())
        );
        let _ = writeln!(text, "disagreements: {}", self.disagreements.len());
        text
    }
}

/// Runs a campaign. `note` hears of each disagreement at once.
pub fn run(settings: &Settings, note: &mut dyn FnMut(&Disagreement)) -> std::io::Result<Report> {
    let scratch = Scratch::new()?;
    let start = Instant::now();
    let mut report = Report::default();
    for number in 0..settings.count {
        if settings.limit.is_some_and(|limit| start.elapsed() >= limit) {
            break;
        }
        let Some(&kind) = settings
            .kinds
            .get(number as usize % settings.kinds.len().max(1))
        else {
            break;
        };
        let seed = settings.seed + number;
        let source = generate(kind, seed)?;
        *report.programs.entry(kind).or_default() += 1;
        let file = scratch.file(format!("program.{}", kind.extension()));
        std::fs::write(&file, &source.text)?;
        for (done, &level) in settings.levels.iter().enumerate() {
            let outcome = execute(settings, &scratch, &source, &file, level)?;
            match outcome {
                ExecutionCheck::Same => report.compared += 1,
                ExecutionCheck::Skipped(why) => {
                    // What takes too long at one level mostly does at the others.
                    let rest = (settings.levels.len() - done) as u64;
                    *report.skipped.entry(why).or_default() += rest;
                    break;
                }
                ExecutionCheck::Different(what) => {
                    report.compared += 1;
                    let disagreement = Disagreement {
                        kind,
                        seed,
                        level,
                        flags: source.flags.clone(),
                        what,
                        file: kept(settings, &source, seed)?,
                    };
                    note(&disagreement);
                    report.disagreements.push(disagreement);
                }
            }
        }
    }
    Ok(report)
}

/// Compares a program that was not generated, at each level: what is different, or why it was
/// left out. The kind says which language it is in.
pub fn compare_text(
    settings: &Settings,
    source: &SourceText,
) -> std::io::Result<Vec<(u8, Option<String>)>> {
    let scratch = Scratch::new()?;
    let file = scratch.file(format!("program.{}", source.kind.extension()));
    std::fs::write(&file, &source.text)?;
    let mut all = Vec::new();
    for &level in &settings.levels {
        let what = match execute(settings, &scratch, source, &file, level)? {
            ExecutionCheck::Same => None,
            ExecutionCheck::Skipped(why) => Some(format!("left out: {why}")),
            ExecutionCheck::Different(what) => Some(what),
        };
        all.push((level, what));
    }
    Ok(all)
}

/// Writes the source of a disagreement where the settings want it.
fn kept(settings: &Settings, source: &SourceText, seed: u64) -> std::io::Result<Option<PathBuf>> {
    let Some(directory) = &settings.keep else {
        return Ok(None);
    };
    std::fs::create_dir_all(directory)?;
    let (name, extension) = (source.kind.name(), source.kind.extension());
    let file = directory.join(format!("{name}-{seed}.{extension}"));
    std::fs::write(&file, &source.text)?;
    Ok(Some(file))
}

/// What came of one execution.
enum ExecutionCheck {
    Same,
    Skipped(&'static str),
    Different(String),
}

fn execute(
    settings: &Settings,
    scratch: &Scratch,
    source: &SourceText,
    file: &Path,
    level: u8,
) -> std::io::Result<ExecutionCheck> {
    let (bitcode, program) = (scratch.file("program.bc"), scratch.file("program"));
    let compiled = native::to_bitcode(source, level, file, &bitcode)
        .and_then(|()| native::to_program(source, level, &bitcode, &program));
    if let Err(why) = compiled {
        return Ok(ExecutionCheck::Different(why));
    }
    let output = scratch.file("output");
    let Some(native) = native::run(&program, &output, settings.native_limit)? else {
        return Ok(ExecutionCheck::Skipped("native time"));
    };
    let Some(ours) = ours::run(&bitcode, settings.machine_limit) else {
        return Ok(ExecutionCheck::Skipped("machine limit"));
    };
    let Some(what) = difference(&native, &ours) else {
        return Ok(ExecutionCheck::Same);
    };
    // A program whose own runs differ reads what it never wrote, or computes with addresses:
    // nothing can agree with it.
    for _ in 0..REPETITIONS {
        match native::run(&program, &output, settings.native_limit)? {
            Some(again) if difference(&native, &again).is_none() => {}
            Some(_) => return Ok(ExecutionCheck::Skipped("its native runs differ")),
            None => return Ok(ExecutionCheck::Skipped("native time")),
        }
    }
    Ok(ExecutionCheck::Different(what))
}

/// How often a native program is run again before a difference is believed.
const REPETITIONS: u32 = 3;

/// What is different between a native run and ours.
fn difference(native: &Behaviour, ours: &Behaviour) -> Option<String> {
    if let NativeEnd::Wrong(why) = &native.end {
        return Some(format!("the native program is wrong: {why}"));
    }
    let end = (native.end != ours.end)
        .then(|| format!("native {:?}, machine {:?}", native.end, ours.end));
    let line = (native.output != ours.output).then(|| {
        let (native, ours) = (text(&native.output), text(&ours.output));
        let (mut theirs, mut mine) = (native.lines(), ours.lines());
        let mut number = 0;
        loop {
            number += 1;
            match (theirs.next(), mine.next()) {
                (Some(a), Some(b)) if a == b => {}
                (None, None) => break "the last line's end differs".to_string(),
                (a, b) => {
                    let said = |line: Option<&str>| match line {
                        Some(line) => format!("\"{line}\""),
                        None => "nothing".to_string(),
                    };
                    break format!("line {number}: native {}, machine {}", said(a), said(b));
                }
            }
        }
    });
    match (end, line) {
        (None, None) => None,
        (Some(end), Some(line)) => Some(format!("{end}; {line}")),
        (Some(one), None) | (None, Some(one)) => Some(one),
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
