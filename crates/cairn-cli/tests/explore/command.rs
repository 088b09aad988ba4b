//! Running the binary.

use crate::expectation::{Seen, SeenFinding, SeenTest};
use cairn_replay::KTest;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Tests that look at a clock run one at a time.
pub fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `cairn run`, not started.
pub fn cairn_run(program: &Path, folder: &Path, flags: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    command
        .arg("run")
        .arg(program)
        .arg("--output-dir")
        .arg(folder)
        .arg("--json")
        .args(flags)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

/// A program in Cairn's own form, so that the time of a run has no compiler in it.
pub fn prepared(name: &str, source: &str) -> PathBuf {
    let folder = crate::fresh_folder(&format!("prepared-{name}"));
    let file = folder.join(format!("{name}.c"));
    std::fs::write(&file, source).expect("the folder is writable");
    prepared_file(&file, &folder, &[])
}

/// A source file in Cairn's own form, in this folder.
pub fn prepared_file(source: &Path, folder: &Path, flags: &[&str]) -> PathBuf {
    let name = source.file_stem().expect("sources have names");
    let output = folder.join(name).with_extension("cir");
    let done = Command::new(env!("CARGO_BIN_EXE_cairn"))
        .arg("run")
        .arg(source)
        .args(flags)
        .arg("--emit-cir")
        .arg(&output)
        .output()
        .expect("the binary was built");
    let messages = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{}: {messages}", source.display());
    output
}

/// A run that is over.
pub struct Ended {
    /// Its exit code; `None` if it had to be killed or died of a signal.
    pub code: Option<i32>,
    /// How long it took.
    pub wall: Duration,
    /// What it printed to standard error.
    pub messages: String,
}

/// Runs a command, but not longer than this.
pub fn run_for(command: &mut Command, most: Duration) -> Ended {
    let start = Instant::now();
    let mut child = command.spawn().expect("the binary was built");
    let status = loop {
        if let Some(status) = child.try_wait().expect("the child is ours") {
            break Some(status);
        }
        if start.elapsed() > most {
            child.kill().expect("the child is ours");
            child.wait().expect("the child is ours");
            break None;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    Ended {
        code: status.and_then(|s| s.code()),
        wall: start.elapsed(),
        messages: messages(child),
    }
}

fn messages(child: Child) -> String {
    let mut text = String::new();
    if let Some(mut stderr) = child.stderr {
        // What is not text is of no use in a message.
        let _ = std::io::Read::read_to_string(&mut stderr, &mut text);
    }
    text
}

/// The summary of a run.
pub fn summary(folder: &Path) -> Result<Value, String> {
    let file = folder.join("summary.json");
    let text = std::fs::read_to_string(&file).map_err(|e| format!("summary.json: {e}"))?;
    serde_json::from_str(&text).map_err(|e| format!("summary.json: {e}"))
}

/// A number in a summary.
pub fn number(summary: &Value, pointer: &str) -> u64 {
    let value = summary.pointer(pointer);
    value
        .and_then(Value::as_u64)
        .unwrap_or_else(|| panic!("no number {pointer} in {summary}"))
}

/// All tests of a folder, by name. What is not whole is an error.
pub fn tests(folder: &Path) -> Result<Vec<(String, KTest)>, String> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))? {
        let path = entry.map_err(|e| e.to_string())?.path();
        let name = path.file_name().expect("entries have names");
        let name = name.to_string_lossy().into_owned();
        if path.extension().is_some_and(|e| e == "ktest") {
            let bytes = std::fs::read(&path).map_err(|e| format!("{name}: {e}"))?;
            let test = KTest::read(&bytes).map_err(|e| format!("{name}: {e}"))?;
            all.push((name, test));
        }
    }
    all.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(all)
}

/// After this a run is taken for one that never ends, however busy the machine is.
pub const PATIENCE: Duration = Duration::from_secs(900);

/// Explores a program with the binary and reads everything back from its files.
pub fn explore(program: &Path, folder: &Path, flags: &[&str]) -> Result<Seen, String> {
    let ended = run_for(&mut cairn_run(program, folder, flags), PATIENCE);
    let exit = ended.code.ok_or("it did not end, or died")?;
    let summary =
        summary(folder).map_err(|e| format!("exit code {exit}, {e}, {}", ended.messages))?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let list = |name: &str| summary[name].as_array().cloned().unwrap_or_default();
    let mut incomplete: Vec<String> = list("incomplete").iter().map(text).collect();
    incomplete.extend(summary["stopped_by"].as_str().map(str::to_string));
    let errors: Vec<String> = std::fs::read_dir(folder)
        .map_err(|e| e.to_string())?
        .filter_map(|e| e.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".err"))
        .collect();
    let tests = tests(folder)?.into_iter().map(|(name, test)| {
        let number = name.split('.').next().unwrap_or_default();
        let objects = test.objects.into_iter();
        SeenTest {
            of_error: errors.iter().any(|e| e.split('.').next() == Some(number)),
            objects: objects
                .map(|o| (String::from_utf8_lossy(&o.name).into_owned(), o.bytes))
                .collect(),
        }
    });
    Ok(Seen {
        paths: (
            number(&summary, "/paths/completed"),
            number(&summary, "/paths/errors"),
        ),
        findings: list("findings")
            .iter()
            .map(|f| SeenFinding {
                kind: text(&f["kind"]),
                line: f["line"].as_u64().unwrap_or(0),
                message: text(&f["message"]),
            })
            .collect(),
        tests: tests.collect(),
        incomplete,
        exit,
    })
}
