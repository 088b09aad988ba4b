//! Programs, each explored with the cache and without it.

use super::program::text_of;
use super::queries::{default_with, default_without};
use crate::pointers::{RunOutput, compare, explore, replay};
use crate::programs::scratch::Scratch;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// The layer under test.
const CACHE: &str = "iso-cache";

/// What to run.
#[derive(Clone, Debug)]
pub struct ProgramSettings {
    /// How many programs.
    pub count: u64,
    /// The seed of the first; the others follow.
    pub seed: u64,
    /// Lists of layers with the cache; if there are none, the default chain with it.
    pub lists: Vec<String>,
    /// The command `cairn`.
    pub cairn: PathBuf,
    /// Where the sources of disagreements are kept.
    pub keep: Option<PathBuf>,
    /// Programs at a time.
    pub jobs: usize,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct ProgramReport {
    /// Whether the cache was there.
    pub has_cache: bool,
    /// Programs.
    pub programs: u64,
    /// Explored completely.
    pub complete: u64,
    /// Not compared, as a limit ended a run.
    pub limited: u64,
    /// With errors.
    pub wrong: u64,
    /// Replayed natively.
    pub replayed: u64,
    /// Paths without the cache.
    pub paths: u64,
    /// Queries that reached the core solver, without the cache and with it.
    pub core: [u64; 2],
    /// What differs, with the seed.
    pub disagreements: Vec<(u64, String)>,
}

impl ProgramReport {
    /// The figures in a line.
    pub fn text(&self) -> String {
        let cache = match self.has_cache {
            true => String::new(),
            false => format!("; there is no layer {CACHE}: both runs were without it"),
        };
        format!(
            "{} programs ({} complete, {} ended by a limit and not compared, {} with errors, {} replayed natively), {} paths; queries of the core without the cache {}, \
             with it {}; disagreements: {}{cache}",
            self.programs,
            self.complete,
            self.limited,
            self.wrong,
            self.replayed,
            self.paths,
            self.core[0],
            self.core[1],
            self.disagreements.len()
        )
    }
}

/// What came of one program.
struct ComparedRuns {
    without: RunOutput,
    with: RunOutput,
    replayed: bool,
    difference: Option<String>,
}

/// Runs a campaign; tells of each disagreement.
///
/// # Errors
/// If `cairn` cannot be run.
pub fn programs(
    settings: &ProgramSettings,
    tell: &mut (dyn FnMut(u64, &str) + Send),
) -> Result<ProgramReport, String> {
    let listed = Command::new(&settings.cairn)
        .args(["solve", "--list-layers"])
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("{}: {e}", settings.cairn.display()))?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let has_cache = listed
        .lines()
        .any(|line| line.split_whitespace().next() == Some(CACHE));
    let lists = match (settings.lists.is_empty(), has_cache) {
        (false, _) => settings.lists.clone(),
        (true, true) => vec![default_with(CACHE)],
        (true, false) => vec![default_without(CACHE)],
    };
    let next = AtomicU64::new(0);
    let report = ProgramReport {
        has_cache,
        ..ProgramReport::default()
    };
    let result = Mutex::new((report, tell, None::<String>));
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= settings.count {
                return;
            }
            let seed = settings.seed.wrapping_add(number);
            let with = &lists[(seed % lists.len() as u64) as usize];
            let examined = examine(settings, seed, with);
            let mut result = result.lock().unwrap_or_else(|e| e.into_inner());
            let (report, tell, failed) = &mut *result;
            match examined {
                Ok(runs) => add(report, settings, seed, runs, *tell),
                Err(why) => *failed = Some(format!("seed {seed}: {why}")),
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

fn examine(settings: &ProgramSettings, seed: u64, with: &str) -> Result<ComparedRuns, String> {
    let scratch = Scratch::new().map_err(|e| e.to_string())?;
    let source = scratch.file("program.c");
    std::fs::write(&source, text_of(seed)).map_err(|e| e.to_string())?;
    let policy = if seed.is_multiple_of(2) {
        "fork"
    } else {
        "segments"
    };
    // The cache works on bases; one in five programs is without them.
    let bases = if seed % 5 == 4 { "values" } else { "terms" };
    let explore = |name: &str, layers: &str| {
        let more = ["--bases", bases, "--layers", layers];
        explore(&settings.cairn, &source, &scratch.file(name), policy, &more)
    };
    let without = explore("without", &default_without(CACHE))?;
    let with = explore("with", with)?;
    // Where a limit ends a run depends on the models that answers come with.
    let limited = without.limited || with.limited;
    let mut difference =
        compare(&without, &with).filter(|_| !limited || without.has_bug() || with.has_bug());
    if difference.is_none() && !limited && without.complete != with.complete {
        let name = |complete: bool| if complete { "complete" } else { "partial" };
        let (without, with) = (name(without.complete), name(with.complete));
        difference = Some(format!("{without}, and {with} with the cache"));
    }
    if difference.is_none() && !limited && without.paths != with.paths {
        difference = Some(format!(
            "{} paths and {} with the cache",
            without.paths, with.paths
        ));
    }
    // What depends on where objects are is listed, and such a run is not complete.
    let replayed = difference.is_none() && with.complete && with.findings.is_empty();
    if replayed {
        difference = replay(&settings.cairn, &source, &scratch.file("with"))?;
    }
    Ok(ComparedRuns {
        without,
        with,
        replayed,
        difference: difference.map(|what| format!("{policy}, --bases {bases}: {what}")),
    })
}

fn add(
    report: &mut ProgramReport,
    settings: &ProgramSettings,
    seed: u64,
    runs: ComparedRuns,
    tell: &mut (dyn FnMut(u64, &str) + Send),
) {
    report.programs += 1;
    report.complete += u64::from(runs.without.complete);
    report.limited += u64::from(runs.without.limited || runs.with.limited);
    report.wrong += u64::from(!runs.without.findings.is_empty());
    report.replayed += u64::from(runs.replayed);
    report.paths += runs.without.paths;
    report.core[0] += runs.without.core;
    report.core[1] += runs.with.core;
    let Some(what) = runs.difference else {
        return;
    };
    if let Some(folder) = &settings.keep {
        let file = folder.join(format!("cache-{seed}.c"));
        let written =
            std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&file, text_of(seed)));
        if let Err(e) = written {
            tell(seed, &format!("{}: {e}", file.display()));
        }
    }
    tell(seed, &what);
    report.disagreements.push((seed, what));
}
