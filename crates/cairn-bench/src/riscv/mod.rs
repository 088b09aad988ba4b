//! RISC-V executables beside the same programs through LLVM.
//!
//! # Problem
//!
//! Exploring machine code must give the findings of exploring the source, and as many paths where the
//! compiler keeps the branches, without more work for the solver. That is a claim about dozens of programs
//! on several machines, so it must be repeatable by one command.
//!
//! # Idea
//!
//! Three parts, each a table: `algorithms` (tests/algo on two machines at two levels), `findings`
//! (tests/programs, linked with glibc), `speed` (a concrete program). Explorations run as those of `sets`
//! do: each in a process of its own, with a limit of CPU time, its result kept as soon as it is known.
//!
//! # Soundness
//!
//! Both sides run with one worker and in the same order. A finding of one side alone must be explained by
//! a rule of `findings.rs`; any other difference fails the comparison.
//!
//! # Cost
//!
//! At most the limit for each program, machine and level.

mod algorithms;
mod findings;
mod machine;
mod speed;

pub use machine::{BARE, Machine, SELFIE_ASE};

use crate::sets::runs::{Runner, Setting};
use std::path::PathBuf;

/// How explorations are run on both sides: one worker, one order.
const SETTING: Setting = Setting {
    name: "riscv",
    flags: &["--search", "dfs", "--jobs", "1"],
};

/// What the user asked for.
struct RiscvBenchOptions {
    /// Names of parts; all if there are none.
    parts: Vec<String>,
    glob: String,
    runner: Runner,
}

/// The parts, in their order.
const PARTS: [&str; 3] = ["algorithms", "findings", "speed"];

impl RiscvBenchOptions {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = RiscvBenchOptions {
            parts: Vec::new(),
            glob: "*".to_string(),
            runner: Runner {
                limit: 60,
                folder: PathBuf::from(".deps/riscv"),
                again: false,
            },
        };
        while let Some(word) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--again" => options.runner.again = true,
                "--programs" => options.glob = value()?,
                "--results" => options.runner.folder = value()?.into(),
                "--time" => {
                    let text = value()?;
                    let seconds = text.strip_suffix('s').unwrap_or(&text).parse();
                    options.runner.limit = seconds
                        .map_err(|_| format!("--time needs seconds, as in 60s, found {text}"))?;
                }
                part if PARTS.contains(&part) => options.parts.push(word),
                other => {
                    return Err(format!(
                        "there is no option {other}; there are {}, --time, --programs, --results and \
                         --again",
                        PARTS.join(", ")
                    ));
                }
            }
        }
        Ok(options)
    }

    fn wants(&self, part: &str) -> bool {
        self.parts.is_empty() || self.parts.iter().any(|p| p == part)
    }
}

/// Runs what was asked for and prints the tables.
pub fn run(arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let options = RiscvBenchOptions::parse(arguments)?;
    if options.wants("algorithms") {
        algorithms::run(&options)?;
    }
    if options.wants("findings") {
        findings::run(&options)?;
    }
    if options.wants("speed") {
        speed::run()?;
    }
    Ok(())
}
