//! `run.istats`: what was covered of each line.
//!
//! What each line cost is not counted: that would slow every instruction down. So the file lists the
//! two events that are known, instructions of a line that were covered and those that were not.

use cairn_engine::Shared;
use cairn_ir::Program;
use cairn_report::{Costs, Event, FunctionCosts, LineCosts, Product, Profile};

/// The profile of a run. It names no process and no folder, so that equal runs leave equal files.
pub fn profile(shared: &Shared, program_file: &str) -> Profile {
    let program: &Program = &shared.program;
    let file_name = |file: u32| {
        let name = &program.files[file as usize];
        (!name.is_empty()).then(|| name.clone())
    };
    let mut functions: Vec<FunctionCosts> = Vec::new();
    let lines = shared.line_coverage();
    for of_function in lines.chunk_by(|a, b| a.function == b.function) {
        let function = program.function(of_function[0].function);
        // The function's own file is the one with most of its lines.
        let home = of_function.chunk_by(|a, b| a.file == b.file);
        let home = home.max_by_key(|chunk| chunk.len()).map(|c| c[0].file);
        let costs = of_function.iter().map(|line| LineCosts {
            file: (Some(line.file) != home)
                .then(|| file_name(line.file))
                .flatten(),
            line: line.line,
            costs: Costs {
                covered: line.instructions.covered,
                uncovered: line.instructions.total - line.instructions.covered,
                ..Costs::default()
            },
        });
        functions.push(FunctionCosts {
            name: function.name.clone(),
            file: home.and_then(file_name),
            lines: costs.collect(),
        });
    }
    Profile {
        product: Product::Cairn,
        pid: None,
        command: format!("cairn run {program_file}"),
        object: program_file.to_string(),
        events: vec![Event::Covered, Event::Uncovered],
        functions,
    }
}
