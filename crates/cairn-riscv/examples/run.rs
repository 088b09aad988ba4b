//! Runs a RISC-V executable on concrete words: `run [--verify] PROGRAM [ARG...]`.

use cairn_riscv::{Guest, GuestEnd, GuestMachine, GuestOptions, NoOutput, SmallSystem, Start};
use std::io::Read;
use std::time::Instant;

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let verify = args.first().is_some_and(|a| a == "--verify");
    if verify {
        args.remove(0);
    }
    let Some(path) = args.first() else {
        eprintln!("usage: run [--verify] PROGRAM [ARG...]");
        std::process::exit(64);
    };
    let bytes = std::fs::read(path).expect("the program can be read");
    let begin = Instant::now();
    let guest = match Guest::new(path, &bytes, &GuestOptions::default()) {
        Ok(guest) => guest,
        Err(error) => {
            eprintln!("{path}: {error}");
            std::process::exit(65);
        }
    };
    let lowered = begin.elapsed();
    if verify && let Err(errors) = cairn_ir::verify::verify(guest.program()) {
        for error in errors.iter().take(10) {
            eprintln!("{error}");
        }
        std::process::exit(70);
    }
    let mut input = Vec::new();
    if std::env::var_os("STDIN").is_some() {
        std::io::stdin()
            .read_to_end(&mut input)
            .expect("standard input");
    }
    let (mut output, mut errors) = (std::io::stdout(), std::io::stderr());
    let mut system = SmallSystem::new(input, &mut output, &mut errors);
    let start = Start {
        args: args.iter().map(|a| a.clone().into_bytes()).collect(),
        environment: Vec::new(),
    };
    let mut sink = NoOutput;
    let config = cairn_memory::MemoryConfig::default();
    let begin = Instant::now();
    let mut machine = match GuestMachine::new(guest, &start, &config, &mut system, &mut sink) {
        Ok(machine) => machine,
        Err(error) => {
            eprintln!("{path}: {error}");
            std::process::exit(65);
        }
    };
    let end = machine.run();
    eprintln!(
        "lowered in {lowered:?}, ran {} operations in {:?}",
        machine.executed(),
        begin.elapsed()
    );
    match end {
        GuestEnd::Exit(code) => std::process::exit(code & 255),
        other => {
            eprintln!("{other:#x?}");
            std::process::exit(70);
        }
    }
}
