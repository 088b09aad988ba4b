//! What the tests share: random operands that reach the corners, and programs to compare with.

#![allow(dead_code, reason = "each test uses a part")]

use cairn_ir::FloatFormat;
use cairn_random::Random;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// Operands, drawn.
pub trait Operands {
    /// Any 128 bits.
    fn wide(&mut self) -> u128;
    /// Bits with long runs of equal ones now and then.
    fn pattern(&mut self) -> u128;
    /// A number of a format, special ones and close exponents among them.
    fn number(&mut self, format: FloatFormat) -> u128;
}

impl Operands for Random {
    fn wide(&mut self) -> u128 {
        (u128::from(self.next()) << 64) | u128::from(self.next())
    }

    fn pattern(&mut self) -> u128 {
        match self.below(6) {
            0 => 0,
            1 => u128::MAX,
            2 => 1 << self.below(128),
            3 => (1u128 << self.below(128)).wrapping_sub(1),
            4 => !0 << self.below(128),
            _ => self.wide(),
        }
    }

    fn number(&mut self, format: FloatFormat) -> u128 {
        let (fraction, exponent) = match format {
            FloatFormat::Half => (10, 5),
            FloatFormat::Bfloat => (7, 8),
            FloatFormat::Single => (23, 8),
            FloatFormat::Double => (52, 11),
            FloatFormat::X87 => (63, 15),
            FloatFormat::Quad => (112, 15),
        };
        let top = (1u64 << exponent) - 1;
        let middle = top / 2;
        let field = match self.below(8) {
            0 => 0,
            1 => 1,
            2 => top,
            3 => top - 1,
            4 => self.below_u64(top),
            5 => middle + self.below_u64(4),
            _ => (middle + self.below_u64(160)).saturating_sub(80).min(top),
        };
        let mut bits = self.pattern() & ((1 << fraction) - 1);
        let mut at = fraction;
        if format == FloatFormat::X87 {
            // The leading one; with the lowest exponent it may be there or not.
            bits |= u128::from(field != 0 || self.one_in(3)) << 63;
            at = 64;
        }
        bits |= u128::from(field) << at;
        bits | (u128::from(self.below_u64(2)) << (format.width() - 1))
    }
}

/// A compiled program; its files go with it.
pub struct Program {
    directory: PathBuf,
    file: PathBuf,
}

impl Drop for Program {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.directory) {
            eprintln!("{}: {error}", self.directory.display());
        }
    }
}

/// A C program of the tests, compiled; `None` without a C compiler that can.
pub fn compile(name: &str, source: &str, flags: &[&str]) -> Option<Program> {
    // Tests run at the same time: each has a directory of its own.
    static DIRECTORIES: AtomicU32 = AtomicU32::new(0);
    let number = DIRECTORIES.fetch_add(1, Ordering::Relaxed);
    let directory = format!("cairn-float-{}-{number}", std::process::id());
    let directory = std::env::temp_dir().join(directory);
    std::fs::create_dir_all(&directory).ok()?;
    let file = directory.join(format!("{name}.c"));
    let program = Program {
        file: directory.join(name),
        directory,
    };
    std::fs::write(&file, source).ok()?;
    let done = Command::new("cc")
        .args(["-O1", "-w", "-o"])
        .arg(&program.file)
        .arg(&file)
        .args(flags)
        .stderr(Stdio::null())
        .status();
    match done {
        Ok(status) if status.success() => Some(program),
        Ok(_) | Err(_) => {
            eprintln!("skipped: no C compiler that builds {name}.c");
            None
        }
    }
}

/// Output of a program for an input.
pub fn run(program: &Program, input: Vec<u8>) -> Vec<u8> {
    let mut child = Command::new(&program.file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut pipe = child.stdin.take().expect("there is an input");
    let feeder = std::thread::spawn(move || {
        pipe.write_all(&input).expect("the program reads its input");
    });
    let output = child.wait_with_output().expect("the program ends");
    feeder.join().expect("the input was written");
    assert!(output.status.success());
    output.stdout
}
