//! Programs of the generator `csmith`.

use super::scratch::Scratch;
use crate::random::{Draw, Random};
use std::io::{Error, Result};
use std::process::{Command, Stdio};

/// Where its headers are.
pub(super) const HEADERS: &str = "/usr/include/csmith";

/// Whether the generator is installed.
pub fn available() -> bool {
    // It writes a file about the platform where it runs, whatever it is asked.
    let Ok(scratch) = Scratch::new() else {
        return false;
    };
    let ran = Command::new("csmith")
        .current_dir(scratch.path())
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    ran.is_ok_and(|status| status.success()) && std::path::Path::new(HEADERS).is_dir()
}

/// Options that a seed leaves out or turns on, each in a share of the programs.
///
/// Its built-in functions are not among them: it counts zeros of zero, which is undefined.
const TOGGLES: &[(usize, &str)] = &[
    (30, "--no-argc"),
    (20, "--no-bitfields"),
    (30, "--no-packed-struct"),
    (30, "--float --strict-float"),
    (20, "--no-volatiles"),
    (20, "--no-jumps"),
    (10, "--no-pointers"),
    (10, "--no-structs"),
    (10, "--no-unions"),
    (10, "--no-arrays"),
    (15, "--no-consts"),
    (10, "--no-global-variables"),
    (40, "--inline-function"),
    (20, "--const-as-condition"),
    (20, "--random-random"),
];

/// Seconds for one program. On some seeds it takes minutes.
const PATIENCE: &str = "10";

/// How often another program is asked for.
const ATTEMPTS: u32 = 5;

/// The exit code of `timeout` when time is up.
const OUT_OF_TIME: i32 = 124;

/// The program of a seed; the next one that it would make if it takes too long.
pub(super) fn program(seed: u64) -> Result<String> {
    let scratch = Scratch::new()?;
    let mut random = Random::new(seed);
    for _ in 0..ATTEMPTS {
        let ran = command(&mut random, &scratch)
            .stdin(Stdio::null())
            .output()?;
        if ran.status.code() == Some(OUT_OF_TIME) {
            continue;
        }
        if !ran.status.success() {
            let said = String::from_utf8_lossy(&ran.stdout);
            let said = format!("csmith failed: {}", said.lines().last().unwrap_or_default());
            return Err(Error::other(said));
        }
        return Ok(String::from_utf8_lossy(&ran.stdout).into_owned());
    }
    Err(Error::other("csmith took too long again and again"))
}

fn command(random: &mut Random, scratch: &Scratch) -> Command {
    let mut command = Command::new("timeout");
    command
        .current_dir(scratch.path())
        .args([PATIENCE, "csmith"])
        .args(["--seed", &random.below(1 << 32).to_string()])
        .args(["--max-funcs", &random.within(1, 6).to_string()])
        .args(["--max-block-depth", &random.within(1, 4).to_string()])
        .args(["--max-block-size", &random.within(2, 4).to_string()])
        .args(["--max-expr-complexity", &random.within(2, 10).to_string()])
        .args(["--max-array-len-per-dim", &random.within(2, 8).to_string()])
        .args(["--max-pointer-depth", &random.within(1, 3).to_string()]);
    for (percent, option) in TOGGLES {
        if random.chance(*percent) {
            command.args(option.split(' '));
        }
    }
    command
}
