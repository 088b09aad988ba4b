//! Many programs, each evaluated on its tree for all inputs, run natively, explored, and run on some inputs.

use super::compile::{self, Compiled};
use super::interpret::{self, EvaluationEnd, EvaluationError, EvaluationResult, Run};
use super::syntax::{Program, Site};
use super::{generate, native, parse};
use crate::programs::scratch::Scratch;
use crate::random::Random;
use cairn_replay::{ExpectedEnd, ExpectedEnds, ExpectedOutput, KTest, KTestObject};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What to run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How many programs.
    pub count: u64,
    /// The seed of the first; the others follow.
    pub seed: u64,
    /// How many concrete runs of each.
    pub runs: usize,
    /// The command `cairn`.
    pub cairn: PathBuf,
    /// Where the files of disagreements are kept.
    pub keep: Option<PathBuf>,
}

/// What came of a campaign.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Programs that were compared.
    pub programs: u64,
    /// Seeds whose program has more runs than are tried, or does not end.
    pub skipped: u64,
    /// Runs that there are, each on its tree and natively.
    pub runs: u64,
    /// Paths that were found.
    pub paths: u64,
    /// Errors that were found.
    pub findings: u64,
    /// Concrete runs.
    pub concrete: u64,
    /// What does not agree: the seed, and what.
    pub disagreements: Vec<(u64, String)>,
}

/// The most runs of a program, and the fewest that are wanted.
const MOST_RUNS: usize = 700;

/// A path: what its branches did, where it ended, how.
type PathEnd<'r> = (&'r [bool], u64, Option<(EvaluationError, Site)>);

/// Runs a campaign.
///
/// # Errors
/// If a program cannot be built or run.
pub fn run(settings: &Settings) -> Result<Report, String> {
    let mut report = Report::default();
    let mut seed = settings.seed;
    while report.programs < settings.count {
        let told = one(settings, seed, &mut report).map_err(|e| format!("seed {seed}: {e}"))?;
        if let Some(what) = told {
            report.disagreements.push((seed, what));
        }
        seed += 1;
    }
    Ok(report)
}

/// One program; what does not agree.
fn one(settings: &Settings, seed: u64, report: &mut Report) -> Result<Option<String>, String> {
    let text = generate(seed);
    let program = parse(&text)?;
    let runs = interpret::all_runs(&program, MOST_RUNS)?;
    let compiled = runs.map(|runs| compile::compile(&program).map(|c| (runs, c)));
    let Some(Ok((runs, compiled))) = compiled else {
        report.skipped += 1;
        return Ok(None);
    };
    report.programs += 1;
    report.runs += runs.len() as u64;
    let scratch = Scratch::new().map_err(|e| e.to_string())?;
    let file = scratch.file("program.m");
    std::fs::write(&file, &compiled.file).map_err(|e| e.to_string())?;
    let case = ProgramUnderTest {
        settings,
        program: &program,
        compiled: &compiled,
        runs: &runs,
        file: &file,
        scratch: &scratch,
    };
    let mut what = native::disagreement(&text, &runs, &scratch)?;
    if what.is_none() {
        what = case.explored(report)?;
    }
    if what.is_none() {
        what = case.run_concretely(seed, report)?;
    }
    if let (Some(_), Some(folder)) = (&what, &settings.keep) {
        let keep = |name: String, bytes: &[u8]| std::fs::write(folder.join(name), bytes);
        std::fs::create_dir_all(folder)
            .and_then(|()| keep(format!("selfie-{seed}.c"), text.as_bytes()))
            .and_then(|()| keep(format!("selfie-{seed}.m"), &compiled.file))
            .map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    Ok(what)
}

struct ProgramUnderTest<'c> {
    settings: &'c Settings,
    program: &'c Program,
    compiled: &'c Compiled,
    runs: &'c [Run],
    file: &'c Path,
    scratch: &'c Scratch,
}

/// The word that findings have for what is wrong.
fn word(wrong: EvaluationError) -> &'static str {
    match wrong {
        EvaluationError::Division => "div",
        EvaluationError::Assertion => "assert",
        EvaluationError::Input => "user",
    }
}

impl ProgramUnderTest<'_> {
    /// The paths that there are.
    fn paths(&self) -> BTreeSet<PathEnd<'_>> {
        let runs = self.runs.iter();
        let wrong = |end: &EvaluationEnd| match *end {
            EvaluationEnd::Exit(_) => None,
            EvaluationEnd::Error(wrong, site) => Some((wrong, site)),
        };
        runs.map(|run| (&run.branches[..], run.steps, wrong(&run.end)))
            .collect()
    }

    /// Explores; what differs.
    fn explored(&self, report: &mut Report) -> Result<Option<String>, String> {
        let folder = self.scratch.file("results");
        let ran = Command::new(&self.settings.cairn)
            .args([
                "run",
                "--json",
                "--quiet",
                "--max-time",
                "60s",
                "--output-dir",
            ])
            .args([&folder, self.file])
            .stdin(Stdio::null())
            .output()
            .map_err(|e| format!("{}: {e}", self.settings.cairn.display()))?;
        let said = String::from_utf8_lossy(&ran.stderr);
        let summary: Value = serde_json::from_slice(&ran.stdout)
            .map_err(|e| format!("the summary: {e}: {}: {said}", ran.status))?;
        let paths = self.paths();
        let errors = paths.iter().filter(|path| path.2.is_some()).count();
        report.paths += paths.len() as u64;
        let expected = [
            ("abi", Value::from("selfie-ase")),
            ("status", Value::from("complete")),
            ("incomplete", Value::Array(Vec::new())),
        ];
        for (key, value) in expected {
            if summary[key] != value {
                return Ok(Some(format!("{key} is {}", summary[key])));
            }
        }
        let counts = [
            ("completed", paths.len() - errors),
            ("errors", errors),
            ("stopped", 0),
        ];
        for (key, count) in counts {
            let found = &summary["paths"][key];
            if found.as_u64() != Some(count as u64) {
                return Ok(Some(format!("{found} paths are {key}, there are {count}")));
            }
        }
        if let Some(what) = self.findings(&summary, report) {
            return Ok(Some(what));
        }
        self.tests(&folder, &paths)
    }

    /// Compares what was found with what goes wrong.
    fn findings(&self, summary: &Value, report: &mut Report) -> Option<String> {
        let found = summary["findings"].as_array().into_iter().flatten();
        let found = found.map(|f| {
            let message = f["message"].as_str().unwrap_or_default();
            let at = message.rsplit_once("(at 0x").map_or("", |(_, at)| at);
            let at = u64::from_str_radix(at.trim_end_matches(')'), 16).unwrap_or(0);
            (f["kind"].as_str().unwrap_or_default().to_string(), at)
        });
        let found: BTreeSet<(String, u64)> = found.collect();
        let wrong = self.runs.iter().filter_map(|run| match run.end {
            EvaluationEnd::Exit(_) => None,
            EvaluationEnd::Error(wrong, site) => {
                Some((word(wrong).to_string(), self.compiled.sites[&site]))
            }
        });
        let wrong: BTreeSet<(String, u64)> = wrong.collect();
        report.findings += wrong.len() as u64;
        (found != wrong).then(|| format!("found {found:x?}, wrong is {wrong:x?}"))
    }

    /// Compares each test with what its inputs do, and all tests with the paths.
    fn tests(
        &self,
        folder: &Path,
        paths: &BTreeSet<PathEnd<'_>>,
    ) -> Result<Option<String>, String> {
        let failed = |e: &dyn std::fmt::Display| format!("{}: {e}", folder.display());
        let records = ExpectedEnds::of_folder(folder).map_err(|e| failed(&e))?;
        let mut reached = BTreeSet::new();
        for entry in std::fs::read_dir(folder).map_err(|e| failed(&e))? {
            let test = entry.map_err(|e| failed(&e))?.path();
            if test.extension().is_none_or(|e| e != "ktest") {
                continue;
            }
            let bytes = std::fs::read(&test).map_err(|e| failed(&e))?;
            let inputs = inputs(&KTest::read(&bytes).map_err(|e| failed(&e))?);
            let run = match interpret::run(self.program, &inputs)? {
                EvaluationResult::Ended(run) => run,
                other => return Ok(Some(format!("on a test's {inputs:?}: {other:?}"))),
            };
            let told = match (records.of_test(&test), &run.end) {
                (ExpectedEnd::Normal, EvaluationEnd::Exit(code)) => {
                    let recorded = ExpectedOutput::beside(&test).map_err(|e| failed(&e))?;
                    let recorded = recorded.unwrap_or_default().exit;
                    recorded == Some(i32::from(*code))
                }
                (ExpectedEnd::Error(kind), EvaluationEnd::Error(wrong, _)) => kind == word(*wrong),
                (ExpectedEnd::Normal | ExpectedEnd::Error(_) | ExpectedEnd::Early, _) => false,
            };
            if !told {
                return Ok(Some(format!(
                    "a test with {inputs:?} does not end with {:?}",
                    run.end
                )));
            }
            if matches!(run.end, EvaluationEnd::Exit(_)) {
                reached.insert(run.branches);
            }
        }
        let normal = paths.iter().filter(|path| path.2.is_none());
        let count = normal.count();
        let reached = reached.len();
        Ok((reached != count).then(|| format!("tests reach {reached} paths of {count}")))
    }

    /// Runs the executable on the inputs of some runs; what differs.
    fn run_concretely(&self, seed: u64, report: &mut Report) -> Result<Option<String>, String> {
        let mut random = Random::new(seed);
        for _ in 0..self.settings.runs {
            let run = random.pick(self.runs);
            report.concrete += 1;
            let test = self.scratch.file("run.ktest");
            test_of(self.file, &run.inputs)
                .write_atomically(&test)
                .map_err(|e| e.to_string())?;
            let ran = Command::new(&self.settings.cairn)
                .args(["run", "--concrete", "--ktest"])
                .args([&test, self.file])
                .stdin(Stdio::null())
                .output()
                .map_err(|e| e.to_string())?;
            let said = String::from_utf8_lossy(&ran.stderr);
            let fails = said.contains("cairn: error: ");
            let agrees = match &run.end {
                EvaluationEnd::Exit(code) => !fails && ran.status.code() == Some(i32::from(*code)),
                // A failed assertion ends a run as `abort` does.
                EvaluationEnd::Error(EvaluationError::Assertion, _) => {
                    said.contains("assert: Assertion") && ran.status.code() == Some(134)
                }
                EvaluationEnd::Error(EvaluationError::Division | EvaluationError::Input, site) => {
                    let place = format!("({:#x})", self.compiled.sites[site]);
                    let first = said.lines().find(|line| line.starts_with("  in "));
                    fails
                        && ran.status.code() == Some(1)
                        && first.is_some_and(|l| l.contains(&place))
                }
            };
            if !agrees {
                let (inputs, end) = (&run.inputs, &run.end);
                let status = ran.status;
                return Ok(Some(format!(
                    "concretely {status} on {inputs:?}, on the tree {end:?}: {said}"
                )));
            }
        }
        Ok(None)
    }
}

/// The name that inputs of `interval` have in tests; the second and further ones have a number after it.
const INPUT: &str = "interval";

fn inputs(test: &KTest) -> Vec<u64> {
    let named = |object: &&KTestObject| object.name.starts_with(INPUT.as_bytes());
    let objects = test.objects.iter().filter(named);
    let word = |object: &KTestObject| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&object.bytes);
        u64::from_le_bytes(bytes)
    };
    objects.map(word).collect()
}

fn test_of(program: &Path, inputs: &[u64]) -> KTest {
    let object = |(i, value): (usize, &u64)| KTestObject {
        name: match i {
            0 => INPUT.to_string(),
            i => format!("{INPUT}_{i}"),
        }
        .into_bytes(),
        bytes: value.to_le_bytes().to_vec(),
    };
    KTest {
        args: vec![program.display().to_string().into_bytes()],
        objects: inputs.iter().enumerate().map(object).collect(),
        ..KTest::default()
    }
}
