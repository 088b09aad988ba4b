//! Loads, lowers and verifies a file, and says how large the result is and how long it took; with
//! `--text`, prints the program.

use std::path::Path;
use std::time::Instant;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let text = args.iter().any(|arg| arg == "--text");
    let Some(path) = args.iter().find(|arg| !arg.starts_with("--")) else {
        eprintln!("usage: lower [--text] FILE");
        std::process::exit(2);
    };
    let path = Path::new(path);
    let start = Instant::now();
    let lowered = cairn_llvm::guarded(path, || {
        cairn_llvm::load(path, &cairn_llvm::LowerOptions::default())
    });
    let lowered = lowered.unwrap_or_else(|error| {
        eprintln!("{error}");
        std::process::exit(cairn_llvm::EXIT_BAD_INPUT);
    });
    let loaded = start.elapsed();
    let program = &lowered.program;
    if text {
        print!("{}", cairn_ir::text::print(program));
        return;
    }
    let verified = cairn_ir::verify::verify(program);
    let insts: usize = program
        .functions
        .iter()
        .filter_map(|function| function.body.as_ref())
        .flat_map(|body| &body.blocks)
        .map(|block| block.insts.len() + 1)
        .sum();
    println!(
        "{} functions, {} globals, {insts} instructions, {} places; loaded in {loaded:?}, verified in {:?}",
        program.functions.len(),
        program.globals.len(),
        program.places.len(),
        start.elapsed() - loaded
    );
    for item in &lowered.unsupported {
        println!(
            "{}: unsupported: {} in {}",
            item.place, item.what, item.function
        );
    }
    if let Err(errors) = verified {
        for error in errors.iter().take(20) {
            println!("{error}");
        }
        std::process::exit(1);
    }
}
