//! A program without inputs, as RISC-V executable and as bitcode at the same level, in turns.

use super::machine::LINUX;
use crate::child::{binary, scratch_folder};
use crate::clock;
use crate::sets::promise;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The program; it scales with three macros.
const SOURCE: &str = "crates/cairn-bench/data/concrete.c";
/// Sizes at which a run takes a second or so.
const SIZES: [&str; 3] = ["-DSV=1000000", "-DMM=80", "-DMIX=1000000"];
/// Turns; the fastest of each counts, as whatever else the machine does only makes them slower.
const TURNS: usize = 3;
/// How much longer an executable may take.
const BAR: f64 = 2.0;

/// Something to run and its best time so far.
struct Side {
    program: std::path::PathBuf,
    best: Duration,
    output: Vec<u8>,
}

impl Side {
    fn new(program: std::path::PathBuf) -> Self {
        Side {
            program,
            best: Duration::MAX,
            output: Vec::new(),
        }
    }

    fn turn(&mut self) -> Result<(), String> {
        let before = clock::children();
        let done = Command::new(binary()?)
            .args(["run", "--concrete"])
            .arg(&self.program)
            .output()
            .map_err(|e| e.to_string())?;
        let took = clock::children() - before;
        if !done.status.success() {
            let said = String::from_utf8_lossy(&done.stderr);
            return Err(format!("{}: {said}", self.program.display()));
        }
        self.best = self.best.min(took);
        self.output = done.stdout;
        Ok(())
    }
}

/// Runs the comparison and prints the table.
pub fn run() -> Result<(), String> {
    println!(
        "{SOURCE} {}, best CPU seconds of {TURNS} turns",
        SIZES.join(" ")
    );
    println!(
        "{:<12} {:>8} {:>8} {:>7}",
        "machine", "LLVM", "RISC-V", "ratio"
    );
    let mut slow = Vec::new();
    for machine in &LINUX {
        let scratch = scratch_folder()?;
        let mut flags: Vec<String> = SIZES.iter().map(|s| (*s).to_string()).collect();
        let elf = machine.build(Path::new(SOURCE), &flags, scratch.path())?;
        flags.push(machine.level.to_string());
        let bitcode = scratch.path().join("program.bc");
        cairn_llvm::compile(Path::new(SOURCE), &flags, &bitcode).map_err(|e| e.to_string())?;
        let (mut llvm, mut ours) = (Side::new(bitcode), Side::new(elf));
        for _ in 0..TURNS {
            llvm.turn()?;
            ours.turn()?;
        }
        if llvm.output != ours.output {
            return Err(format!("different output on {}", machine.name));
        }
        let (theirs, our) = (llvm.best.as_secs_f64(), ours.best.as_secs_f64());
        let ratio = our / theirs;
        println!("{:<12} {theirs:>8.2} {our:>8.2} {ratio:>7.2}", machine.name);
        if ratio > BAR {
            slow.push(machine.name);
        }
    }
    promise(
        &format!("at most {BAR} times the time of LLVM at the same level"),
        &slow.join(", "),
    );
    Ok(())
}
