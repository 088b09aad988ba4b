//! `coverage.info`: what was covered of the program's source, from the engine's result.
//!
//! A line was passed as often as the piece of its code that was passed most. What paths have in common
//! runs once, so these are no sums over tests; whether a number is zero is what tools look at.

use cairn_engine::Shared;
use cairn_ir::Program;
use cairn_report::{TracedBranch, TracedFile, TracedFunction, Tracefile};

/// The coverage of a run that has ended. What has no place in the source is left out.
pub fn tracefile(shared: &Shared) -> Tracefile {
    let program = &shared.program_now();
    let source = shared.source_coverage();
    let mut trace = Tracefile::default();
    for function in &source.functions {
        let described = program.function(function.function);
        let place = program.place(described.place);
        if let Some(file) = file_of(&mut trace, program, place.file).filter(|_| place.line != 0) {
            file.functions.push(TracedFunction {
                line: place.line,
                name: described.name.clone(),
                entered: function.entered,
            });
        }
    }
    for ((number, line), passed) in &source.lines {
        if let Some(file) = file_of(&mut trace, program, *number) {
            file.lines.insert(*line, passed.passed);
        }
    }
    for branch in &source.branches {
        let place = program.place(branch.place);
        if let Some(file) = file_of(&mut trace, program, place.file).filter(|_| place.line != 0) {
            let taken = branch.directions.iter().map(|(_, times)| *times);
            file.branches.push(TracedBranch {
                line: place.line,
                directions: branch.directions.len(),
                taken: branch.covered.then(|| taken.collect()),
            });
        }
    }
    for file in trace.files.values_mut() {
        file.functions.sort_by_key(|f| f.line);
        file.branches.sort_by_key(|b| b.line);
    }
    trace
}

/// A file of the program, if it is known.
fn file_of<'t>(
    trace: &'t mut Tracefile,
    program: &Program,
    number: u32,
) -> Option<&'t mut TracedFile> {
    let name = &program.files[number as usize];
    (!name.is_empty()).then(|| trace.files.entry(name.clone()).or_default())
}
