//! A program explored by `cairn run`, and how its paths end.

use super::ProgramEnd;
use cairn_replay::{ExpectedEnd, ExpectedEnds, ExpectedOutput};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

/// Work after which a run ends: far more than any of the programs needs.
const INSTRUCTIONS: &str = "2000000";
const FORKS: &str = "300";
const MEMORY: &str = "2G";

/// The signal of `abort`.
const SIGABRT: i32 = 6;

/// What `cairn run` says about a program.
#[derive(Clone, Debug)]
pub(super) struct Explored {
    /// Whether it says that everything was explored.
    pub complete: bool,
    /// How paths end.
    pub outcomes: BTreeSet<ProgramEnd>,
    /// Errors that were found, but for calls of `abort`.
    pub findings: Vec<String>,
    /// What it says was not explored.
    pub incomplete: Vec<String>,
}

/// The command line, as a user would type it.
pub(super) fn command_line(cairn: &Path, source: &Path) -> String {
    let (cairn, source) = (cairn.display(), source.display());
    format!(
        "{cairn} run {source} --libc musl --json --quiet --max-instructions {INSTRUCTIONS} --max-forks {FORKS}"
    )
}

/// Explores a program; results go to `folder`, which does not exist yet.
pub(super) fn explore(cairn: &Path, source: &Path, folder: &Path) -> Result<Explored, String> {
    let ran = Command::new(cairn)
        .arg("run")
        .arg(source)
        .args(["--libc", "musl", "--json", "--quiet", "--cc-flag=-w"])
        .args(["--max-instructions", INSTRUCTIONS, "--max-forks", FORKS])
        .args(["--max-memory", MEMORY])
        .arg("--output-dir")
        .arg(folder)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("{}: {e}", cairn.display()))?;
    let code = ran.status.code();
    if !matches!(code, Some(0..=2)) {
        let said = String::from_utf8_lossy(&ran.stderr);
        return Err(format!("cairn run ends with {}: {said}", ran.status));
    }
    let summary: Value =
        serde_json::from_slice(&ran.stdout).map_err(|e| format!("the summary: {e}"))?;
    let complete = summary["status"] == "complete";
    // 1 says that there are findings, whatever else happened.
    if code != Some(1) && complete != (code == Some(0)) {
        return Err(format!(
            "the status is {} with exit code {code:?}",
            summary["status"]
        ));
    }
    let findings = list(&summary["findings"]).filter(|f| f["kind"] != "abort");
    let findings =
        findings.map(|f| format!("{} ({}), line {}", f["message"], f["kind"], f["line"]));
    Ok(Explored {
        complete,
        outcomes: outcomes(folder)?,
        findings: findings.collect(),
        incomplete: list(&summary["incomplete"]).map(Value::to_string).collect(),
    })
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// How the paths end whose tests are in a folder.
fn outcomes(folder: &Path) -> Result<BTreeSet<ProgramEnd>, String> {
    let failed = |e: &dyn std::fmt::Display| format!("{}: {e}", folder.display());
    let records = ExpectedEnds::of_folder(folder).map_err(|e| failed(&e))?;
    let mut all = BTreeSet::new();
    for entry in std::fs::read_dir(folder).map_err(|e| failed(&e))? {
        let test = entry.map_err(|e| failed(&e))?.path();
        if test.extension().is_none_or(|e| e != "ktest") {
            continue;
        }
        match records.of_test(&test) {
            ExpectedEnd::Error(kind) if kind == "abort" => {
                all.insert(ProgramEnd::Signal(SIGABRT));
            }
            // The other errors are reported by themselves; how a path ends that a limit ended is not known.
            ExpectedEnd::Error(_) | ExpectedEnd::Early => {}
            ExpectedEnd::Normal => {
                let recorded = ExpectedOutput::beside(&test).map_err(|e| failed(&e))?;
                let recorded = recorded.unwrap_or_default();
                all.extend(recorded.exit.map(ProgramEnd::Exit));
                all.extend(recorded.signal.map(ProgramEnd::Signal));
            }
        }
    }
    Ok(all)
}
