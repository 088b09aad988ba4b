//! Many programs, each explored under every policy.

use super::program::{Program, random};
use crate::programs::scratch::Scratch;
use cairn_replay::{ExpectedEnd, ExpectedEnds, ExpectedOutput};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Work after which a run ends: far more than most of the programs need.
const INSTRUCTIONS: &str = "300000";

/// A path for each object of a pointer.
const FORK: &str = "fork";
/// One path for all.
const SEGMENTS: &str = "segments";

/// Exit code of a run that found a bug in Cairn.
const BUG: i32 = 70;

/// What to run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How many programs.
    pub count: u64,
    /// The seed of the first; the others follow.
    pub seed: u64,
    /// No program is begun after this time.
    pub limit: Option<Duration>,
    /// The command `cairn`.
    pub cairn: PathBuf,
    /// Where the sources of disagreements are kept.
    pub keep: Option<PathBuf>,
    /// Programs at a time.
    pub jobs: usize,
}

/// What came of a campaign.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Programs.
    pub programs: u64,
    /// Those that were explored completely.
    pub complete: u64,
    /// Those in which errors were found.
    pub wrong: u64,
    /// Those whose tests were replayed natively.
    pub replayed: u64,
    /// Accesses by a choice between addresses that were one path, under `segments`.
    pub accesses: u64,
    /// Paths, with a path for each object and with one for all (`segments`, `ite`, `adaptive` after at most four accesses, `points-to`), and
    /// with objects that are asked about or split.
    pub paths: [u64; 6],
    /// What differs, with the seed.
    pub disagreements: Vec<(u64, String)>,
}

/// What a run of `cairn run` said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RunOutput {
    pub(crate) complete: bool,
    pub(crate) findings: BTreeSet<(String, u64)>,
    exits: BTreeSet<i32>,
    pub(crate) paths: u64,
    /// Whether a limit ended it.
    pub(crate) limited: bool,
    /// Queries that reached the core solver.
    pub(crate) core: u64,
    accesses: u64,
    bug: Option<String>,
}

impl RunOutput {
    /// Whether it found a bug in Cairn.
    pub(crate) fn has_bug(&self) -> bool {
        self.bug.is_some()
    }
}

/// Runs a campaign; tells of each disagreement.
///
/// # Errors
/// If `cairn` cannot be run.
pub fn run(
    settings: &Settings,
    tell: &mut (dyn FnMut(u64, &str) + Send),
) -> Result<Report, String> {
    let end = settings.limit.map(|limit| Instant::now() + limit);
    let next = AtomicU64::new(0);
    let result = Mutex::new((Report::default(), tell, None::<String>));
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= settings.count || end.is_some_and(|end| Instant::now() >= end) {
                return;
            }
            let program = random(settings.seed.wrapping_add(number));
            let examined = examine(settings, &program);
            let mut result = result.lock().unwrap_or_else(|e| e.into_inner());
            let (report, tell, failed) = &mut *result;
            match examined {
                Ok(examined) => add(report, settings, &program, examined, *tell),
                Err(why) => *failed = Some(why),
            }
            if failed.is_some() {
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..settings.jobs.max(1) {
            scope.spawn(work);
        }
    });
    let (mut report, _, failed) = result.into_inner().unwrap_or_else(|e| e.into_inner());
    report.disagreements.sort();
    match failed {
        Some(why) => Err(why),
        None => Ok(report),
    }
}

/// What came of one program.
struct ExaminedProgram {
    paths: [u64; 6],
    as_one: RunOutput,
    replayed: bool,
    difference: Option<String>,
}

fn examine(settings: &Settings, program: &Program) -> Result<ExaminedProgram, String> {
    let scratch = Scratch::new().map_err(|e| e.to_string())?;
    let source = scratch.file("program.c");
    std::fs::write(&source, &program.text).map_err(|e| e.to_string())?;
    let explore = |policy: &str, more: &[&str]| {
        let folder = scratch.file(format!("{policy}{}", more.join("")));
        explore(&settings.cairn, &source, &folder, policy, more)
    };
    // The ways of others to find objects, and parts that accesses straddle.
    let asked: (&str, &[&str]) = match program.seed % 4 {
        0 => (SEGMENTS, &["--resolve", "scan"]),
        1 => (SEGMENTS, &["--resolve", "context:1"]),
        2 => ("split:5", &[]),
        _ => ("split:8", &[]),
    };
    let forked = explore(FORK, &[])?;
    // Programs access by the same pointer a few times.
    let adaptive = format!("adaptive:{}", program.seed % 5);
    let as_one = explore(SEGMENTS, &[])?;
    let others = [
        explore("ite", &[])?,
        explore(&adaptive, &[])?,
        explore("points-to", &[])?,
        explore(asked.0, asked.1)?,
    ];
    let asked = format!("{} {}", asked.0, asked.1.join(" "));
    let mut difference = compare(&forked, &as_one);
    let names = ["ite", adaptive.as_str(), "points-to", asked.as_str()];
    for (policy, other) in names.iter().zip(&others) {
        // Queries do not see that a pointer left its object: such a run is not complete, and its errors may be fewer.
        let is_part = policy.contains("--resolve") && !other.complete;
        let found = || match is_part {
            true => other.bug.clone(),
            false => compare(&forked, other),
        };
        difference = difference.or_else(|| found().map(|what| format!("{policy}: {what}")));
    }
    // Other ways of getting there have the same answer.
    let more: &[&str] = match program.seed % 8 {
        1 => &["--jobs", "2"],
        2 => &["--bases", "terms"],
        3 => &["--search", "bfs"],
        4 => &["--self-check"],
        _ => &[],
    };
    if difference.is_none() && !more.is_empty() {
        let again = explore(SEGMENTS, more)?;
        difference = compare(&as_one, &again).map(|what| format!("{}: {what}", more.join(" ")));
    }
    let replays = difference.is_none() && as_one.complete && as_one.findings.is_empty();
    if replays {
        difference = replay(&settings.cairn, &source, &scratch.file("segments"))?;
    }
    let [ite, adaptive, classes, asked] = &others;
    let paths = [&forked, &as_one, ite, adaptive, classes, asked].map(|said| said.paths);
    Ok(ExaminedProgram {
        paths,
        as_one,
        replayed: replays,
        difference,
    })
}

/// What differs between two runs of a program: errors, ends, completeness but for a limit; or the bug that one found in Cairn.
pub(crate) fn compare(a: &RunOutput, b: &RunOutput) -> Option<String> {
    let bug = a.bug.as_ref().or(b.bug.as_ref());
    let differs = || {
        let same = (a.complete, &a.findings, &a.exits) == (b.complete, &b.findings, &b.exits);
        // How a limit cuts off depends on the number of paths.
        let cut = a.complete != b.complete && a.findings == b.findings && a.exits == b.exits;
        (!same && !cut).then(|| format!("{a:?} and {b:?}"))
    };
    bug.cloned().or_else(differs)
}

/// Runs `cairn run` on a source under a policy of memory.
pub(crate) fn explore(
    cairn: &Path,
    source: &Path,
    folder: &Path,
    policy: &str,
    more: &[&str],
) -> Result<RunOutput, String> {
    let ran = Command::new(cairn)
        .arg("run")
        .arg(source)
        .args(["--json", "--quiet", "--libc", "none", "--memory", policy])
        .args(["--max-instructions", INSTRUCTIONS, "--max-memory", "1G"])
        .args(more)
        .arg("--output-dir")
        .arg(folder)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("{}: {e}", cairn.display()))?;
    let told = String::from_utf8_lossy(&ran.stderr).into_owned();
    let code = ran.status.code();
    let Ok(summary) = serde_json::from_slice::<Value>(&ran.stdout) else {
        return Err(format!("cairn run ends with {}: {told}", ran.status));
    };
    let list = |key: &str| summary[key].as_array().into_iter().flatten();
    let finding = |f: &Value| {
        let kind = f["kind"].as_str().unwrap_or("").to_string();
        (kind, f["line"].as_u64().unwrap_or(0))
    };
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    Ok(RunOutput {
        complete: summary["status"] == "complete",
        findings: list("findings").map(finding).collect(),
        exits: exits(folder)?,
        paths: number(&summary["paths"]["completed"]) + number(&summary["paths"]["errors"]),
        limited: !summary["stopped_by"].is_null(),
        core: number(&summary["queries"]["core"]),
        accesses: number(&summary["symbolic_accesses"]["by_choice"]),
        bug: (code == Some(BUG) || code.is_none()).then(|| format!("{policy}: {told}")),
    })
}

/// The exit codes of the tests in a folder.
fn exits(folder: &Path) -> Result<BTreeSet<i32>, String> {
    let failed = |e: &dyn std::fmt::Display| format!("{}: {e}", folder.display());
    let records = ExpectedEnds::of_folder(folder).map_err(|e| failed(&e))?;
    let mut all = BTreeSet::new();
    for entry in std::fs::read_dir(folder).map_err(|e| failed(&e))? {
        let test = entry.map_err(|e| failed(&e))?.path();
        let is_test = test.extension().is_some_and(|e| e == "ktest");
        if is_test && matches!(records.of_test(&test), ExpectedEnd::Normal) {
            let recorded = ExpectedOutput::beside(&test).map_err(|e| failed(&e))?;
            all.extend(recorded.and_then(|recorded| recorded.exit));
        }
    }
    Ok(all)
}

/// What a native replay of all tests of a folder says, if not all do what was recorded.
pub(crate) fn replay(cairn: &Path, source: &Path, folder: &Path) -> Result<Option<String>, String> {
    let ran = Command::new(cairn)
        .arg("replay")
        .args([source, folder])
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("{}: {e}", cairn.display()))?;
    let told = || String::from_utf8_lossy(&ran.stdout).into_owned();
    Ok((!ran.status.success()).then(|| format!("native replay: {}", told())))
}

fn add(
    report: &mut Report,
    settings: &Settings,
    program: &Program,
    examined: ExaminedProgram,
    tell: &mut (dyn FnMut(u64, &str) + Send),
) {
    let ExaminedProgram { paths, as_one, .. } = &examined;
    report.programs += 1;
    report.complete += u64::from(as_one.complete);
    report.wrong += u64::from(!as_one.findings.is_empty());
    report.replayed += u64::from(examined.replayed);
    report.accesses += as_one.accesses;
    for (all, more) in report.paths.iter_mut().zip(paths) {
        *all += more;
    }
    let Some(what) = examined.difference else {
        return;
    };
    if let Some(folder) = &settings.keep {
        let file = folder.join(format!("pointers-{}.c", program.seed));
        let written =
            std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&file, &program.text));
        if let Err(e) = written {
            tell(program.seed, &format!("{}: {e}", file.display()));
        }
    }
    tell(program.seed, &what);
    report.disagreements.push((program.seed, what));
}

impl Report {
    /// The figures in a line.
    pub fn text(&self) -> String {
        format!(
            "{} programs ({} complete, {} with errors, {} replayed natively): {} accesses of several objects as one path, \
             {:?} paths in place of {} (segments, ite, adaptive, points-to, asked or split); disagreements: {}",
            self.programs,
            self.complete,
            self.wrong,
            self.replayed,
            self.accesses,
            &self.paths[1..],
            self.paths[0],
            self.disagreements.len()
        )
    }
}
