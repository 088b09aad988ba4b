//! `cairn run` in a process of its own, with what it used.

use cairn_home::ScratchFolder;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// An empty folder that is removed with its owner.
pub fn scratch_folder() -> Result<ScratchFolder, String> {
    ScratchFolder::new().map_err(|e| e.to_string())
}

/// The binary `cairn`, which is built beside this one.
pub fn binary() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    let cairn = own.with_file_name("cairn");
    match cairn.exists() {
        true => Ok(cairn),
        false => Err(format!(
            "{}: not there; build it with cargo build --release -p cairn-cli",
            cairn.display()
        )),
    }
}

/// Compiles a source once, so that no measured time has the compiler in it.
pub fn prepare(source: &Path, flags: &[String], folder: &Path) -> Result<PathBuf, String> {
    let output = folder.join("program.cir");
    let done = Command::new(binary()?)
        .arg("run")
        .arg(source)
        .args(flags)
        .arg("--emit-cir")
        .arg(&output)
        .output()
        .map_err(|e| e.to_string())?;
    match done.status.success() {
        true => Ok(output),
        false => Err(String::from_utf8_lossy(&done.stderr).into_owned()),
    }
}

/// What a run gave and used.
#[derive(Default)]
pub struct Usage {
    /// Paths to the end.
    pub completed: u64,
    /// Paths into an error.
    pub errors: u64,
    /// Whether everything was explored.
    pub complete: bool,
    /// Whether it ended by itself, whatever it lists as not explored.
    pub ended: bool,
    /// Seconds in the solver, all layers.
    pub solving: f64,
    /// Queries that were asked.
    pub asked: u64,
    /// Queries that reached the solver's core.
    pub core: u64,
    /// The most bytes of the objects of one access by a choice between addresses.
    pub largest_choice: u64,
    /// The bytes of the largest object that was accessed in parts.
    pub largest_split: u64,
    /// Queries by which objects of addresses were found.
    pub resolutions: u64,
    /// Lines that were covered, and how many there are.
    pub lines: (u64, u64),
    /// CPU time in the program.
    pub user: Duration,
    /// CPU time in the system for it.
    pub system: Duration,
    /// Time on the wall.
    pub wall: Duration,
    /// The most memory resident, in bytes.
    pub peak: u64,
    /// What was found: kind, line, and after a colon the message; sorted.
    pub findings: Vec<String>,
    /// What was left out, in words.
    pub incomplete: Vec<String>,
}

impl Usage {
    /// All paths.
    pub fn paths(&self) -> u64 {
        self.completed + self.errors
    }
}

/// Explores a program that was prepared.
pub fn explore(program: &Path, flags: &[&str], folder: &Path) -> Result<Usage, String> {
    explore_within(program, flags, folder, None)
}

/// Explores a program that was prepared, and interrupts it when it has used this much CPU time.
pub fn explore_within(
    program: &Path,
    flags: &[&str],
    folder: &Path,
    limit: Option<Duration>,
) -> Result<Usage, String> {
    let out = folder.join("out");
    let _ = std::fs::remove_dir_all(&out);
    let start = Instant::now();
    let child = Command::new(binary()?)
        .arg("run")
        .arg(program)
        .arg("--output-dir")
        .arg(&out)
        .arg("--json")
        .args(flags)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| e.to_string())?;
    let usage = match limit {
        Some(limit) => wait_within(child.id(), limit)?,
        None => wait(child.id(), 0)?,
    };
    let wall = start.elapsed();
    let Some(usage) = usage else {
        // It did not even write a summary in time: nothing is known but that it did not end.
        return Ok(Usage {
            wall,
            ..Usage::default()
        });
    };
    let text = std::fs::read_to_string(out.join("summary.json"))
        .map_err(|e| format!("{}: no summary: {e}", program.display()))?;
    let summary: serde_json::Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    let paths = |kind: &str| summary["paths"][kind].as_u64().unwrap_or(0);
    let accesses = |key: &str| summary["symbolic_accesses"][key].as_u64().unwrap_or(0);
    let time = |t: libc::timeval| Duration::new(t.tv_sec as u64, 1_000 * t.tv_usec as u32);
    Ok(Usage {
        completed: paths("completed"),
        errors: paths("errors"),
        complete: summary["status"] == "complete",
        ended: summary["stopped_by"].is_null(),
        asked: summary["queries"]["asked"].as_u64().unwrap_or(0),
        core: summary["queries"]["core"].as_u64().unwrap_or(0),
        solving: solving(&summary),
        largest_choice: accesses("largest_choice_bytes"),
        largest_split: accesses("largest_split_bytes"),
        resolutions: accesses("resolution_queries"),
        lines: (
            summary["coverage"]["lines"][0].as_u64().unwrap_or(0),
            summary["coverage"]["lines"][1].as_u64().unwrap_or(0),
        ),
        user: time(usage.ru_utime),
        system: time(usage.ru_stime),
        wall,
        peak: usage.ru_maxrss as u64 * 1024,
        findings: findings(&summary),
        incomplete: texts(&summary["incomplete"]),
    })
}

/// The seconds of all layers of a summary.
fn solving(summary: &serde_json::Value) -> f64 {
    let layers = summary["queries"]["by_layer"].as_object();
    let layers = layers.into_iter().flatten();
    layers.filter_map(|(_, l)| l["seconds"].as_f64()).sum()
}

/// The findings of a summary: kind, line, and after a colon the message; sorted.
fn findings(summary: &serde_json::Value) -> Vec<String> {
    let none = Vec::new();
    let all = summary["findings"].as_array().unwrap_or(&none);
    let mut all: Vec<String> = all
        .iter()
        .map(|f| {
            let text = |key: &str| f[key].as_str().unwrap_or("?");
            format!("{} {}: {}", text("kind"), f["line"], text("message"))
        })
        .collect();
    all.sort();
    all
}

/// A list of texts.
pub fn texts(list: &serde_json::Value) -> Vec<String> {
    let none = Vec::new();
    let all = list.as_array().unwrap_or(&none).iter();
    all.filter_map(|t| Some(t.as_str()?.to_string())).collect()
}

/// The instructions of an exploration, as valgrind counts them; nothing if it gives no count or was interrupted. Cachegrind
/// without a cache counts what callgrind does in half of the time: it keeps no calls.
pub fn count_instructions(
    program: &Path,
    flags: &[&str],
    folder: &Path,
) -> Result<Option<u64>, String> {
    let out = folder.join("out");
    let _ = std::fs::remove_dir_all(&out);
    let done = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no"])
        .arg("--cachegrind-out-file=/dev/null")
        .arg(binary()?)
        .arg("run")
        .arg(program)
        .arg("--output-dir")
        .arg(&out)
        .arg("--json")
        .args(flags)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("valgrind: {e}"))?;
    // A run that was interrupted did less work than the one that it is compared with.
    let summary: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap_or_default();
    let ended_by = summary["stopped_by"].as_str();
    if ended_by.is_some_and(|why| why != "max-instructions") {
        return Ok(None);
    }
    // The line reads `==PID== I   refs:      1,234,567`.
    let said = String::from_utf8_lossy(&done.stderr);
    let counted = said.lines().find_map(|line| {
        let (label, number) = line.split_once("refs:")?;
        let number = number.trim().replace(',', "");
        label
            .trim_end()
            .ends_with(" I")
            .then_some(number.parse().ok()?)
    });
    Ok(counted)
}

/// How often it is looked whether a child has used its time.
const LOOK: Duration = Duration::from_millis(20);
/// How long after an interruption a child may take to write its summary.
const LAST_WORDS: Duration = Duration::from_secs(60);

/// Waits for one child, and interrupts it when it has used so much CPU time. Nothing if it had to
/// be killed.
fn wait_within(id: u32, limit: Duration) -> Result<Option<libc::rusage>, String> {
    let mut interrupted: Option<Instant> = None;
    loop {
        if let Some(usage) = wait(id, libc::WNOHANG)? {
            return Ok(Some(usage));
        }
        let signal = match interrupted {
            None => (used(id) >= limit).then_some(libc::SIGINT),
            Some(since) => (since.elapsed() > LAST_WORDS).then_some(libc::SIGKILL),
        };
        if let Some(signal) = signal {
            interrupted.get_or_insert_with(Instant::now);
            // SAFETY: the child is ours and was not waited for, so the number is still its own.
            unsafe { libc::kill(id as libc::pid_t, signal) };
            if signal == libc::SIGKILL {
                // That it died of a signal is what was asked for.
                let _ = wait(id, 0);
                return Ok(None);
            }
        }
        std::thread::sleep(LOOK);
    }
}

/// The CPU time that a process has used so far; none if it cannot be read.
fn used(id: u32) -> Duration {
    let text = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    // Fields are counted from the end of the name, which may have spaces.
    let after_name = text.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2);
    let ticks: u64 = ticks.filter_map(|t| t.parse::<u64>().ok()).sum();
    // SAFETY: asking for a constant of the system.
    let second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) }.max(1) as u64;
    Duration::from_millis(1000 * ticks / second)
}

/// Waits for one child; what it used, user and system time apart. Nothing if it still runs and the
/// options say not to wait for it.
fn wait(id: u32, options: i32) -> Result<Option<libc::rusage>, String> {
    let mut status = 0;
    // SAFETY: an all-zero value is valid for this plain structure, and it is written below.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the child is ours and no other thread waits for it; both places can be written to.
    let ended = unsafe { libc::wait4(id as libc::pid_t, &mut status, options, &mut usage) };
    if ended < 0 {
        return Err(std::io::Error::last_os_error().to_string());
    }
    if ended == 0 {
        return Ok(None);
    }
    if !libc::WIFEXITED(status) {
        return Err("the run died of a signal".to_string());
    }
    Ok(Some(usage))
}
