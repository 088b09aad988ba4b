//! `run.istats`: what each line cost, and what was covered of it.
//!
//! Instructions are counted by block: a block's instructions count whenever control enters it, so those
//! after the end of a path count too. Equal runs of `cairn run` leave equal files, so that times are
//! not in them; `cairn klee` has them, as KLEE does.

use cairn_engine::Shared;
use cairn_ir::Program;
use cairn_report::{Event, FunctionCosts, InstructionCosts, LineCosts, Product, Profile};

/// What is counted.
const EVENTS: &[Event] = &[
    Event::Covered,
    Event::Forks,
    Event::Instructions,
    Event::Uncovered,
    Event::Queries,
];

/// The profile of a run that has ended. It names no process and no folder, so that equal runs leave
/// equal files.
pub fn profile(shared: &Shared, product: Product, command: &str, program_file: &str) -> Profile {
    let program: &Program = &shared.program_now();
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
            costs: InstructionCosts {
                instructions: line.executed,
                forks: line.costs.forks,
                queries: line.costs.queries,
                query_micros: u64::try_from(line.costs.query_time.as_micros()).unwrap_or(u64::MAX),
                covered: line.instructions.covered,
                uncovered: line.instructions.total - line.instructions.covered,
                ..InstructionCosts::default()
            },
        });
        functions.push(FunctionCosts {
            name: function.name.clone(),
            file: home.and_then(file_name),
            lines: costs.collect(),
        });
    }
    Profile {
        product,
        pid: None,
        command: command.to_string(),
        object: program_file.to_string(),
        events: match product {
            Product::Cairn => EVENTS.to_vec(),
            Product::Klee => [EVENTS, &[Event::QueryTime]].concat(),
        },
        functions,
    }
}
