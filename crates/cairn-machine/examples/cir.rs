//! Runs a program in text form and prints its speed: `cargo run --example cir FILE`.

use cairn_machine::{Machine, MachineConfig};
use std::rc::Rc;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("usage: cir FILE")?;
    let program = cairn_ir::text::parse(&std::fs::read_to_string(&file)?)?;
    let entry = program.find_function("main").ok_or("no function main")?;
    let (mut output, mut errors) = (std::io::stdout(), std::io::stderr());
    let mut machine = Machine::new(
        Rc::new(program),
        MachineConfig::default(),
        &mut output,
        &mut errors,
    )?;
    let start = Instant::now();
    let end = machine.run(entry, &[b"program".to_vec()]);
    let seconds = start.elapsed().as_secs_f64();
    let executed = machine.executed();
    println!(
        "{end:?}: {executed} instructions, {seconds:.3} s, {:.1} million per second",
        executed as f64 / seconds / 1e6
    );
    Ok(())
}
