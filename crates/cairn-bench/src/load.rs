//! Loading a large program: sqlite's amalgamation read, lowered and verified.

use crate::clock;
use cairn_llvm::LowerOptions;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crate that carries sqlite's source.
const MANIFEST: &str = "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
                        [lib]\npath = \"lib.rs\"\n[dependencies]\nlibsqlite3-sys = \"0.35\"\n";

/// Has cargo fetch the crate; the path of `sqlite3.c` in it.
fn fetch(folder: &Path) -> Result<PathBuf, String> {
    let fail = |what: String| format!("sqlite's source cannot be fetched: {what}");
    std::fs::write(folder.join("Cargo.toml"), MANIFEST).map_err(|e| fail(e.to_string()))?;
    std::fs::write(folder.join("lib.rs"), "").map_err(|e| fail(e.to_string()))?;
    let output = Command::new("cargo")
        .args(["metadata", "--format-version", "1"])
        .current_dir(folder)
        .output()
        .map_err(|e| fail(e.to_string()))?;
    if !output.status.success() {
        return Err(fail(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let key = "\"manifest_path\":\"";
    text.match_indices(key)
        .filter_map(|(at, _)| text[at + key.len()..].split('"').next())
        .find(|path| path.contains("/libsqlite3-sys-"))
        .and_then(|path| Some(Path::new(path).parent()?.join("sqlite3/sqlite3.c")))
        .ok_or_else(|| fail("cargo does not list it".to_string()))
}

/// The most memory that this process ever had, in bytes.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM:"));
    let kilobytes = line.and_then(|l| l.split_whitespace().nth(1)?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

/// Loads the program at -O0 and -O2 and prints the table.
pub fn run(source: Option<&str>) -> Result<(), String> {
    let folder = std::env::temp_dir().join(format!("cairn-load-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let result = measure(source, &folder);
    let _ = std::fs::remove_dir_all(&folder);
    result
}

fn measure(source: Option<&str>, folder: &Path) -> Result<(), String> {
    let source = match source {
        Some(file) => PathBuf::from(file),
        None => fetch(folder)?,
    };
    println!("{}: CPU seconds", source.display());
    println!(
        "{:<6} {:>10} {:>13} {:>14} {:>8} {:>8} {:>12}",
        "level", "functions", "instructions", "read and lower", "verify", "total", "peak memory"
    );
    for level in ["-O0", "-O2"] {
        let bitcode = folder.join(format!("program{level}.bc"));
        let flags = [level.to_string(), "-w".to_string()];
        cairn_llvm::compile(&source, &flags, &bitcode).map_err(|e| e.to_string())?;
        let start = clock::thread();
        let lowered =
            cairn_llvm::load(&bitcode, &LowerOptions::default()).map_err(|e| e.to_string())?;
        let lower = clock::thread() - start;
        let start = clock::thread();
        cairn_ir::verify::verify(&lowered.program).map_err(|e| e[0].to_string())?;
        let verify = clock::thread() - start;
        let bodies = lowered
            .program
            .functions
            .iter()
            .filter_map(|f| f.body.as_ref());
        let instructions: usize = bodies
            .clone()
            .flat_map(|b| &b.blocks)
            .map(|b| b.insts.len() + 1)
            .sum();
        println!(
            "{level:<6} {:>10} {instructions:>13} {:>14.2} {:>8.2} {:>8.2} {:>9} MB",
            bodies.count(),
            lower.as_secs_f64(),
            verify.as_secs_f64(),
            (lower + verify).as_secs_f64(),
            peak_memory() / 1_000_000,
        );
        if !lowered.unsupported.is_empty() {
            println!(
                "       {} constructs are not supported",
                lowered.unsupported.len()
            );
        }
    }
    Ok(())
}
