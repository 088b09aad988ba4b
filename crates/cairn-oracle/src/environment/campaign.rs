//! Many programs, each explored and run natively.

use super::explore::{self, Explored};
use super::native::{Conditions, Library, Tier};
use super::report::{Count, Disagreement, ProgramVerdict, Report};
use super::{Program, program};
use crate::programs::scratch::Scratch;
use crate::random::Random;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What to run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How many random programs.
    pub count: u64,
    /// The seed of the first; the others follow.
    pub seed: u64,
    /// Also one program for every question.
    pub single: bool,
    /// At most this many native runs of a program.
    pub runs: usize,
    /// The conditions of native runs: those of this tier and the tiers before it.
    pub tier: Tier,
    /// The command `cairn`.
    pub cairn: PathBuf,
    /// Where the sources of disagreements are kept.
    pub keep: Option<PathBuf>,
    /// Programs at a time.
    pub jobs: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            count: 100,
            seed: 0,
            single: false,
            runs: 30,
            tier: Tier::Usual,
            cairn: PathBuf::from("target/release/cairn"),
            keep: None,
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

/// What came of one program.
struct ExaminedProgram {
    complete: bool,
    verdict: Option<ProgramVerdict>,
    incomplete: Vec<String>,
    runs: u64,
    endless: u64,
}

/// Runs a campaign.
///
/// # Errors
/// If the C library is not set up, or a program cannot be built or run natively.
pub fn run(settings: &Settings) -> Result<Report, String> {
    let library = Library::find(&settings.cairn)?;
    let mut programs = if settings.single {
        program::singles()
    } else {
        Vec::new()
    };
    let seeds = settings.seed..settings.seed.saturating_add(settings.count);
    programs.extend(seeds.map(program::random));
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(program) = programs.get(number) else {
                return;
            };
            let result = examine(settings, &library, program, number as u64);
            let mut all = results.lock().unwrap_or_else(|e| e.into_inner());
            all.push((number, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..settings.jobs.max(1) {
            scope.spawn(work);
        }
    });
    let mut results = results.into_inner().unwrap_or_else(|e| e.into_inner());
    results.sort_by_key(|(number, _)| *number);
    let mut report = Report::default();
    for (number, result) in results {
        let program = &programs[number];
        add(
            &mut report,
            settings,
            program,
            result.map_err(|e| format!("{}: {e}", program.name))?,
        )?;
    }
    Ok(report)
}

/// Explores one program and runs it natively.
fn examine(
    settings: &Settings,
    library: &Library,
    program: &Program,
    number: u64,
) -> Result<ExaminedProgram, String> {
    let scratch = Scratch::new().map_err(|e| e.to_string())?;
    let (source, binary) = (scratch.file("program.c"), scratch.file("program"));
    std::fs::write(&source, &program.text).map_err(|e| e.to_string())?;
    let explored = match explore::explore(&settings.cairn, &source, &scratch.file("results")) {
        Ok(explored) => explored,
        Err(why) => {
            return Ok(ExaminedProgram {
                complete: false,
                verdict: Some(ProgramVerdict::Failed(why)),
                incomplete: Vec::new(),
                runs: 0,
                endless: 0,
            });
        }
    };
    let mut examined = ExaminedProgram {
        complete: explored.complete,
        verdict: None,
        incomplete: explored.incomplete.clone(),
        runs: 0,
        endless: 0,
    };
    if !explored.findings.is_empty() {
        examined.verdict = Some(ProgramVerdict::FalseError(explored.findings.join("; ")));
    } else if explored.complete {
        library.build(&source, &binary)?;
        let random = Random::new(settings.seed ^ number << 20);
        run_natively(
            settings,
            &explored,
            &binary,
            &scratch,
            random,
            &mut examined,
        )
        .map_err(|e| format!("a native run: {e}"))?;
    }
    Ok(examined)
}

/// Runs a program under one tier of conditions after the other, until it ends as no path does.
fn run_natively(
    settings: &Settings,
    explored: &Explored,
    binary: &Path,
    scratch: &Scratch,
    mut random: Random,
    examined: &mut ExaminedProgram,
) -> std::io::Result<()> {
    let tiers = Tier::ALL.into_iter().filter(|t| *t <= settings.tier);
    let tiers: Vec<Tier> = tiers.collect();
    for run in 0..settings.runs {
        let tier = tiers[run * tiers.len() / settings.runs];
        let conditions = Conditions::draw(&mut random, tier);
        examined.runs += 1;
        let Some(outcome) = conditions.run(binary, scratch)? else {
            examined.endless += 1;
            continue;
        };
        if !explored.outcomes.contains(&outcome) {
            examined.verdict = Some(ProgramVerdict::Missed {
                tier,
                what: format!("natively {outcome}, paths {}", names(&explored.outcomes)),
                conditions: conditions.text(),
            });
            break;
        }
    }
    Ok(())
}

fn names(outcomes: &BTreeSet<super::ProgramEnd>) -> String {
    let all: Vec<String> = outcomes.iter().take(8).map(ToString::to_string).collect();
    let more = if outcomes.len() > 8 { ", …" } else { "" };
    format!("{}{more}", all.join(", "))
}

/// Adds what came of one program, and keeps its source if something is wrong.
fn add(
    report: &mut Report,
    settings: &Settings,
    program: &Program,
    examined: ExaminedProgram,
) -> Result<(), String> {
    let count = |count: &mut Count| {
        count.programs += 1;
        count.complete += u64::from(examined.complete);
        match &examined.verdict {
            None => {}
            Some(ProgramVerdict::Missed { tier, .. }) => count.missed[*tier as usize] += 1,
            Some(ProgramVerdict::FalseError(_)) => count.false_errors += 1,
            Some(ProgramVerdict::Failed(_)) => count.failed += 1,
        }
    };
    count(&mut report.all);
    for topic in &program.topics {
        count(report.topics.entry(*topic).or_default());
    }
    report.runs += examined.runs;
    report.endless += examined.endless;
    if !examined.incomplete.is_empty() {
        report
            .incomplete
            .insert(program.name.clone(), examined.incomplete);
    }
    let Some(verdict) = examined.verdict else {
        return Ok(());
    };
    let file = match &settings.keep {
        None => None,
        Some(folder) => Some(keep(folder, program)?),
    };
    let source = file.clone().unwrap_or_else(|| PathBuf::from("PROGRAM.c"));
    report.disagreements.push(Disagreement {
        program: program.name.clone(),
        asks: program.asks.clone(),
        verdict,
        command: explore::command_line(&settings.cairn, &source),
        file,
    });
    Ok(())
}

/// Writes a source to a folder.
fn keep(folder: &Path, program: &Program) -> Result<PathBuf, String> {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = program.name.chars().map(plain).collect();
    let file = folder.join(format!("environment-{name}.c"));
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&file, &program.text))
        .map_err(|e| format!("{}: {e}", file.display()))?;
    Ok(file)
}
