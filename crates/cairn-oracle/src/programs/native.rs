//! The compiler, and programs run natively.

use super::{SourceKind, SourceText};
use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The compilers of C and of C++.
fn compiler(kind: SourceKind) -> &'static str {
    match kind.extension() {
        "cpp" => "clang++-19",
        _ => "clang-19",
    }
}

/// Why the compilers cannot be used, if they cannot.
pub fn compiler_problem() -> Option<String> {
    [SourceKind::Memory, SourceKind::Cxx]
        .into_iter()
        .find_map(|kind| {
            let name = compiler(kind);
            let ran = Command::new(name)
                .arg("--version")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            match ran {
                Ok(status) if status.success() => None,
                Ok(status) => Some(format!("{name} --version: {status}")),
                Err(why) => Some(format!("{name} cannot be run: {why}")),
            }
        })
}

/// How long the vectors of this processor are, as far as the compiler must be told.
pub(super) fn vector_bytes() -> u32 {
    #[cfg(target_arch = "x86_64")]
    {
        let widest = std::arch::is_x86_feature_detected!("avx512bw")
            && std::arch::is_x86_feature_detected!("avx512vl");
        match (widest, std::arch::is_x86_feature_detected!("avx2")) {
            (true, _) => 64,
            (false, true) => 32,
            (false, false) => 16,
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        16
    }
}

/// Runs a command of the compiler; its first words about errors if it fails.
fn compile(command: &mut Command) -> Result<(), String> {
    let ran = command.stdin(Stdio::null()).output();
    let ran = ran.map_err(|why| format!("the compiler cannot be run: {why}"))?;
    if ran.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&ran.stderr);
    let mut lines = said
        .lines()
        .filter(|l| l.contains("error") || l.contains("undefined"));
    let first = lines.next().or_else(|| said.lines().next());
    Err(format!("the compiler fails: {}", first.unwrap_or_default()))
}

/// Makes bitcode of a source file at a level, as `cairn run` does.
pub(super) fn to_bitcode(
    source: &SourceText,
    level: u8,
    file: &Path,
    bitcode: &Path,
) -> Result<(), String> {
    let mut flags = vec![format!("-O{level}")];
    flags.extend_from_slice(&source.flags);
    cairn_llvm::compile(file, &flags, bitcode)
        .map(|_| ())
        .map_err(|why| why.to_string())
}

/// Makes a native program of bitcode.
pub(super) fn to_program(
    source: &SourceText,
    level: u8,
    bitcode: &Path,
    program: &Path,
) -> Result<(), String> {
    let mut command = Command::new(compiler(source.kind));
    command
        .arg(format!("-O{level}"))
        .arg("-w")
        .arg(bitcode)
        .arg("-o")
        .arg(program)
        .arg("-lm");
    if source.flags.iter().any(|f| f == "-fno-pic") {
        command.arg("-no-pie");
    }
    compile(&mut command)
}

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NativeEnd {
    /// With this code.
    Exit(i32),
    /// It called `abort`.
    Abort,
    /// In a way that no program here should; this says how.
    Wrong(String),
}

/// What a program did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Behaviour {
    /// What it printed.
    pub output: Vec<u8>,
    /// How it ended.
    pub end: NativeEnd,
}

/// The signal of `abort`.
const SIGABRT: i32 = 6;

/// Runs a native program; `None` if it takes longer than the limit.
pub(super) fn run(
    program: &Path,
    output: &Path,
    limit: Duration,
) -> std::io::Result<Option<Behaviour>> {
    let start = Instant::now();
    let mut child = Command::new(program)
        .stdin(Stdio::null())
        .stdout(File::create(output)?)
        .stderr(Stdio::null())
        .spawn()?;
    let mut pause = Duration::from_micros(200);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    let end = match (status.code(), status.signal()) {
        (Some(code), _) => NativeEnd::Exit(code),
        (None, Some(SIGABRT)) => NativeEnd::Abort,
        (None, _) => NativeEnd::Wrong(format!("{status}")),
    };
    Ok(Some(Behaviour {
        output: std::fs::read(output)?,
        end,
    }))
}
