//! The concrete machine against the same program compiled natively, in one run.

use crate::clock;
use cairn_llvm::LowerOptions;
use cairn_machine::{End, Machine, MachineConfig};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

/// Sizes at which the native program runs for about a second.
const SIZES: [&str; 3] = ["-DSV=20000000", "-DMM=400", "-DMIX=80000000"];

/// Instructions of LLVM that the program executes cannot be counted without a second tool; the
/// machine's own instructions are close: one for each, but address computations are split.
struct Run {
    time: Duration,
    output: Vec<u8>,
    instructions: u64,
}

fn compiled(source: &str, level: &str, folder: &Path) -> Result<PathBuf, String> {
    let bitcode = folder.join(format!("concrete{level}.bc"));
    let mut flags: Vec<String> = SIZES.iter().map(|s| (*s).to_string()).collect();
    flags.push(level.to_string());
    cairn_llvm::compile(Path::new(source), &flags, &bitcode).map_err(|e| e.to_string())?;
    Ok(bitcode)
}

fn native(bitcode: &Path, level: &str) -> Result<Run, String> {
    let program = bitcode.with_extension("");
    let status = Command::new("clang-19")
        .arg(level)
        .arg(bitcode)
        .arg("-o")
        .arg(&program)
        .status()
        .map_err(|e| format!("clang-19: {e}"))?;
    if !status.success() {
        return Err("clang-19 cannot compile the benchmark".to_string());
    }
    let before = clock::children();
    let output = Command::new(&program)
        .output()
        .map_err(|e| format!("{}: {e}", program.display()))?;
    Ok(Run {
        time: clock::children() - before,
        output: output.stdout,
        instructions: 0,
    })
}

fn machine(bitcode: &Path) -> Result<Run, String> {
    let lowered = cairn_llvm::load(bitcode, &LowerOptions::default()).map_err(|e| e.to_string())?;
    cairn_ir::verify::verify(&lowered.program).map_err(|e| e[0].to_string())?;
    let entry = lowered.program.find_function("main").ok_or("no main")?;
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let start = clock::thread();
    let mut machine = Machine::new(
        Arc::new(lowered.program),
        MachineConfig::default(),
        &mut output,
        &mut errors,
    )
    .map_err(|e| e.to_string())?;
    let end = machine.run(entry, &[b"concrete".to_vec()]);
    let time = clock::thread() - start;
    let instructions = machine.executed();
    drop(machine);
    if end != End::Exit(0) {
        return Err(format!("the machine ended with {end:?}"));
    }
    Ok(Run {
        time,
        output,
        instructions,
    })
}

/// Runs the comparison and prints the table.
pub fn run(source: &str) -> Result<(), String> {
    let folder = std::env::temp_dir().join(format!("cairn-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    println!("{source} {}, CPU seconds", SIZES.join(" "));
    println!(
        "{:<6} {:>8} {:>9} {:>7} {:>14} {:>22}",
        "level", "native", "machine", "ratio", "instructions", "million per CPU second"
    );
    let result = ["-O0", "-O2"].iter().try_for_each(|level| {
        let bitcode = compiled(source, level, &folder)?;
        let theirs = native(&bitcode, level)?;
        let ours = machine(&bitcode)?;
        if ours.output != theirs.output {
            return Err(format!("different output at {level}"));
        }
        println!(
            "{level:<6} {:>8.2} {:>9.2} {:>7.1} {:>14} {:>22.1}",
            theirs.time.as_secs_f64(),
            ours.time.as_secs_f64(),
            ours.time.as_secs_f64() / theirs.time.as_secs_f64(),
            ours.instructions,
            ours.instructions as f64 / ours.time.as_secs_f64() / 1e6,
        );
        Ok(())
    });
    // Scratch files; if they stay, the system's own cleaning takes them.
    let _ = std::fs::remove_dir_all(&folder);
    result
}
