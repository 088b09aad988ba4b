//! Z3's own program on SMT-LIB text: a witness that shares nothing with Cairn.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Z3's program.
#[derive(Clone, Debug)]
pub struct Program(PathBuf);

/// What a program printed, and how long it took.
#[derive(Clone, Debug)]
pub struct Ran {
    /// Standard output.
    pub output: String,
    /// Standard error.
    pub errors: String,
    /// Whether it ended by itself in time.
    pub in_time: bool,
    /// From start to end.
    pub wall: Duration,
}

impl Program {
    /// The program at a path.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Program(path.into())
    }

    /// The one that the project's set-up installs, or the one in the search path.
    pub fn find() -> Option<Self> {
        let here = std::env::current_dir().ok();
        let source = Some(PathBuf::from(env!("CARGO_MANIFEST_DIR")));
        for start in [here, source].into_iter().flatten() {
            for above in start.ancestors() {
                let candidate = above.join(".deps/z3/bin/z3");
                if candidate.is_file() {
                    return Some(Program(candidate));
                }
            }
        }
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path)
            .map(|dir| dir.join("z3"))
            .find(|p| p.is_file())
            .map(Program)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Runs it on a file.
    pub fn run(&self, file: &Path, limit: Duration, options: &[&str]) -> std::io::Result<Ran> {
        let seconds = format!("-T:{}", limit.as_secs().max(1));
        let mut all = vec![seconds.as_str()];
        all.extend(options);
        run(&self.0, &all, file, limit + Duration::from_secs(2))
    }
}

/// Runs a program on a file and stops it after some time.
pub fn run(program: &Path, options: &[&str], file: &Path, limit: Duration) -> std::io::Result<Ran> {
    let start = Instant::now();
    let mut child = Command::new(program)
        .args(options)
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut out = child.stdout.take().expect("piped");
    let mut err = child.stderr.take().expect("piped");
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        // What is not UTF-8 is not an answer.
        let _ = out.read_to_string(&mut text);
        text
    });
    let error_reader = std::thread::spawn(move || {
        let mut text = String::new();
        let _ = err.read_to_string(&mut text);
        text
    });
    let mut pause = Duration::from_micros(300);
    let in_time = loop {
        if child.try_wait()?.is_some() {
            break true;
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            break false;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    let wall = start.elapsed();
    let output = reader.join().unwrap_or_default();
    let errors = error_reader.join().unwrap_or_default();
    Ok(Ran {
        output,
        errors,
        in_time,
        wall,
    })
}

/// The verdicts in what a solver printed, in order.
pub fn verdicts(output: &str) -> Vec<&str> {
    output
        .lines()
        .map(str::trim)
        .filter(|l| matches!(*l, "sat" | "unsat" | "unknown" | "timeout"))
        .collect()
}

/// The processor time that Z3 reports with `-st`.
pub fn reported_time(output: &str) -> Option<Duration> {
    let at = output.find(":total-time")?;
    let text = output[at + ":total-time".len()..].trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    Duration::try_from_secs_f64(text[..end].parse().ok()?).ok()
}
