//! The function that a program starts with.

use super::{Purpose, bad};
use crate::exit::{self, Failure};
use cairn_engine::{HARNESS, HARNESS_ENTRY};
use cairn_ir::{FuncId, Program};
use std::path::Path;

/// The function to start with. A fuzzing harness gets one that calls it.
pub fn with_harness(file: &Path, wanted: &str, program: &mut Program) -> Result<FuncId, Failure> {
    let defined = |name: &str| {
        let function = program.find_function(name);
        function.is_some_and(|f| program.function(f).body.is_some())
    };
    let is_harness = wanted == HARNESS || (wanted == "main" && !defined("main"));
    if !is_harness || !defined(HARNESS) {
        return find(file, wanted, program);
    }
    cairn_engine::link_harness(program).map_err(|e| {
        let file = file.display().to_string();
        Failure::new(exit::BAD_INPUT, anyhow::Error::from(e).context(file))
    })?;
    find(file, HARNESS_ENTRY, program)
}

/// The harness that a test gives its bytes, if the program has no other function to start with.
pub fn harness(program: &Program, wanted: &str, purpose: Purpose) -> Option<FuncId> {
    let on_test = purpose == Purpose::RunOnTest;
    let harness = program.find_function(HARNESS);
    harness.filter(|harness| {
        let takes_bytes = program.function(*harness).params == [64, 64];
        on_test && takes_bytes && program.find_function(wanted).is_none()
    })
}

/// A function with a body.
pub fn defined(file: &Path, name: &str, program: &Program) -> Result<FuncId, Failure> {
    let entry = program
        .find_function(name)
        .ok_or_else(|| bad(file, format!("no function {name}; --entry names another")))?;
    match program.function(entry).body {
        Some(_) => Ok(entry),
        None => Err(bad(file, format!("{name} is declared but not defined"))),
    }
}

/// A function that takes what `main` does.
pub fn find(file: &Path, name: &str, program: &Program) -> Result<FuncId, Failure> {
    let entry = defined(file, name, program)?;
    let function = program.function(entry);
    if function.params.len() > 3 || function.params.iter().any(|w| *w > 64) {
        let why = format!("{name} takes other parameters than argc, argv and envp");
        return Err(bad(file, why));
    }
    Ok(entry)
}
