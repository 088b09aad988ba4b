//! `cairn klee`: KLEE's command line, messages, files and exit codes over Cairn's engine.
//!
//! Scripts and teaching material written for KLEE run unchanged as far as the engine can follow
//! them; `flags.rs` says which flag does what, and what cannot be done is warned about by name. What
//! differs from KLEE is listed in `docs/klee.md`.

mod command_line;
mod external;
mod external_server;
mod flag_table;
mod flags;
mod recorder;
mod seeds;
mod voice;
mod words;

pub use external::SERVER;

use crate::exit::{self, Failure};
use crate::run::{interrupt, load, resources};
use cairn_engine::{Config, Exploration, Explorer, HOST_CALLED, Kind, Limits, Unwritten};
use cairn_ir::Program;
use cairn_llvm::{LowerOptions, Overshift};
use cairn_report::{
    InfoFile, MessageLog, OutputFolder, Product, QueryTotals, RunEnd, RunStart, RunTotals,
    StatsRow, StatsWriter,
};
use command_line::Wishes;
use external::Host;
use recorder::{Recorder, Wanted};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use voice::Voice;

/// What KLEE's process returns if it cannot run.
const KLEE_FAILED: u8 = 1;

/// What KLEE fills memory with that the program has not written.
const KLEE_FILLS: u8 = 0xAB;

/// Calls functions of the host for another process.
pub fn serve() -> ExitCode {
    match external_server::serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Runs KLEE's command line; the result is the exit code.
pub fn run(words: &[OsString]) -> Result<u8, Failure> {
    match execute(words) {
        Ok(()) => Ok(exit::DONE),
        // A bug is ours to report as such; everything else is said as KLEE says it.
        Err(failure) if failure.code == exit::BUG => Err(failure),
        Err(failure) => {
            eprintln!("KLEE: ERROR: {:#}", failure.error);
            Ok(KLEE_FAILED)
        }
    }
}

fn failed(error: impl Into<anyhow::Error>) -> Failure {
    Failure::new(exit::USAGE, error)
}

fn execute(words: &[OsString]) -> Result<(), Failure> {
    let (start, started) = (Instant::now(), SystemTime::now());
    let wishes = command_line::read(words).map_err(|e| failed(anyhow::anyhow!("{}", e.0)))?;
    if wishes.help {
        print!("{}", help());
        return Ok(());
    }
    if wishes.version {
        println!("cairn {} as KLEE", env!("CARGO_PKG_VERSION"));
        return Ok(());
    }
    let Some(program_file) = wishes.program.clone() else {
        let why = "expected a program (.bc, .ll, .c) behind the options; --help lists them";
        return Err(failed(anyhow::anyhow!(why)));
    };
    let mut program = load_program(&wishes, &program_file)?;
    let folder = match &wishes.output_dir {
        Some(path) => OutputFolder::at(path),
        None => OutputFolder::beside(&program_file, Product::Klee),
    };
    let folder = folder.map_err(failed)?;
    let log = MessageLog::create(&folder).map_err(failed)?;
    let voice = Arc::new(Voice::new(log, wishes.warnings_to_file));
    voice.say(&format!(
        "output directory is \"{}\"",
        folder.path().display()
    ));
    voice.say(if wishes.z3 {
        "Using Z3 solver backend"
    } else {
        "Using Cairn solver backend"
    });
    for warning in &wishes.warnings {
        voice.warn(warning);
    }
    if let Some(failure) = folder.link_failure() {
        voice.warn(&failure.to_string());
    }
    for (from, to) in &wishes.aliases {
        alias(&mut program, from, to, &voice);
    }
    name_undefined(&program, &voice);
    cairn_machine::link_runtime(&mut program)
        .map_err(|e| Failure::new(exit::BUG, anyhow::Error::from(e)))?;
    if matches!(
        program_file.extension().and_then(|e| e.to_str()),
        Some("bc" | "ll")
    ) && let Ok(text) = cairn_llvm::to_text(&program_file)
        && let Err(error) = std::fs::write(folder.file("assembly.ll"), text)
    {
        voice.warn(&format!("assembly.ll cannot be written: {error}"));
    }
    let mut args = vec![program_file.clone().into_os_string().into_vec()];
    args.extend(wishes.args.iter().map(|a| a.clone().into_vec()));
    let seeding = seeds::read(&wishes).map_err(failed)?;
    if let Some(seeding) = &seeding {
        voice.say(&format!("using {} seeds", seeding.seeds.len()));
    }
    if let Some(place) = &wishes.run_in_dir {
        std::env::set_current_dir(place).map_err(|e| {
            let what = format!("Unable to change directory to: {}", place.display());
            failed(anyhow::Error::from(e).context(what))
        })?;
    }
    if wishes.write_xml {
        seeds::write_metadata(&folder, &program_file, &wishes.entry).map_err(failed)?;
    }
    let mut command_line = vec!["klee".to_string()];
    command_line.extend(words.iter().map(|w| w.to_string_lossy().into_owned()));
    let info = InfoFile::create(
        &folder,
        Product::Klee,
        &RunStart {
            command_line,
            pid: std::process::id(),
            started,
            searcher: wishes.search_list(),
        },
    )
    .map_err(failed)?;
    let wanted = Wanted {
        tests: wishes.write_tests,
        info: wishes.write_test_info,
        xml: wishes.write_xml,
        once_per_place: !wishes.all_errors,
    };
    let recorder = Recorder::new(
        folder.path().to_path_buf(),
        wanted,
        Arc::clone(&voice),
        args.clone(),
    );
    let mut config = config(&wishes, args, &voice);
    config.seeding = seeding.map(Arc::new);
    let explorer = Explorer::new(Arc::new(program), config, Box::new(recorder));
    interrupt::on_interrupt(Arc::clone(explorer.shared()));
    let result = explorer.run().map_err(failed)?;
    finish(&wishes, &result, &voice, &folder, info, start.elapsed())
}

fn load_program(wishes: &Wishes, file: &Path) -> Result<Program, Failure> {
    let checks = LowerOptions {
        check_overshift: if wishes.check_overshift {
            Overshift::Unoptimized
        } else {
            Overshift::Never
        },
        ..LowerOptions::default()
    };
    let loaded = load::load_file(file, Vec::new(), checks)?;
    if let Some(warning) = &loaded.warning {
        // There is no folder for messages yet.
        eprintln!("KLEE: WARNING: {warning}");
    }
    let program = loaded.program;
    let entry = program.find_function(&wishes.entry);
    match entry.map(|f| program.function(f)) {
        Some(function) if function.body.is_some() => Ok(program),
        Some(_) | None => Err(failed(anyhow::anyhow!(
            "Entry function '{}' not found in module.",
            wishes.entry
        ))),
    }
}

/// Lets a function run in another's place.
fn alias(program: &mut Program, from: &str, to: &str, voice: &Voice) {
    let (Some(from_id), Some(to_id)) = (program.find_function(from), program.find_function(to))
    else {
        voice.warn(&format!(
            "function-alias: {from} or {to} is not in the program; nothing is replaced (patterns \
             are not understood)"
        ));
        return;
    };
    let (old, new) = (program.function(from_id), program.function(to_id));
    let fits = old.params == new.params
        && old.results == new.results
        && old.variadic == new.variadic
        && new.body.is_some();
    if !fits {
        voice.warn(&format!(
            "function-alias: {to} has no body or takes and gives other values than {from}; \
             nothing is replaced"
        ));
        return;
    }
    let body = new.body.clone();
    program.functions[from_id.index()].body = body;
    voice.say(&format!("function-alias: replaced @{from} with @{to}"));
}

/// Names functions that nobody defines or provides.
fn name_undefined(program: &Program, voice: &Voice) {
    let provided: std::collections::BTreeSet<&str> = cairn_machine::provided()
        .chain(cairn_engine::intrinsic_names())
        .collect();
    for function in &program.functions {
        let name = &function.name;
        if function.body.is_none()
            && !provided.contains(name.as_str())
            && !name.starts_with("__VERIFIER_nondet_")
        {
            voice.warn(&format!("undefined reference to function: {name}"));
        }
    }
}

fn config(wishes: &Wishes, args: Vec<Vec<u8>>, voice: &Arc<Voice>) -> Config {
    let mut unchecked = Vec::new();
    if !wishes.check_div_zero {
        unchecked.push(Kind::Division);
    }
    Config {
        search: wishes.search_list(),
        seed: wishes.random_seed,
        limits: Limits {
            start: None,
            time: wishes.max_time,
            memory: wishes.max_memory,
            instructions: wishes.max_instructions,
            depth: wishes.max_depth,
            forks: wishes.max_forks,
            tests: wishes.max_tests,
            findings: wishes.exit_on_error.then_some(1),
            solver: wishes.max_solver_time,
        },
        layers: wishes.layers(),
        core: if wishes.z3 { "z3" } else { "native" }.to_string(),
        unwritten: Unwritten::Filled(KLEE_FILLS),
        all_errors: wishes.all_errors,
        only_covering_new: wishes.only_covering_new,
        tests_of_stopped: wishes.tests_of_stopped,
        silent_assume: wishes.silent_assume,
        stop_on: wishes.exit_on.clone(),
        unchecked,
        externals: Some(Arc::new(Host::new(
            wishes.external_calls,
            Arc::clone(voice),
        ))),
        args,
        entry: wishes.entry.clone(),
        ..Config::default()
    }
}

/// The last lines and files of a run.
fn finish(
    wishes: &Wishes,
    result: &Exploration,
    voice: &Voice,
    folder: &OutputFolder,
    info: InfoFile,
    elapsed: Duration,
) -> Result<(), Failure> {
    match result.stopped_by {
        Some("max-time") => {
            voice.say("HaltTimer invoked");
            voice.say("halting execution, dumping remaining states");
        }
        Some("interrupt") => voice.say("ctrl-c detected, requesting interpreter to halt."),
        Some(_) => voice.say("halting execution, dumping remaining states"),
        None => {}
    }
    // Calls of the host were said when they were made.
    let unsaid = |what: &&String| !what.contains(HOST_CALLED);
    for what in result.incomplete.iter().filter(unsaid) {
        voice.warn(&format!("not everything was explored: {what}"));
    }
    let totals = RunTotals {
        instructions: result.instructions,
        completed_paths: result.completed,
        partial_paths: result.errors + result.stopped,
        tests: if wishes.write_tests { result.tests } else { 0 },
    };
    if wishes.write_stats {
        write_stats(result, folder, elapsed).map_err(failed)?;
    }
    let end = RunEnd {
        finished: SystemTime::now(),
        explored_paths: Some(totals.completed_paths + totals.partial_paths),
        queries: QueryTotals {
            queries: Some(result.queries),
            ..QueryTotals::default()
        },
        totals,
    };
    info.finish(&end).map_err(failed)?;
    eprint!("{}", totals.lines(Product::Klee));
    Ok(())
}

/// One row: the figures at the end.
fn write_stats(
    result: &Exploration,
    folder: &OutputFolder,
    elapsed: Duration,
) -> Result<(), cairn_report::ReportError> {
    let mut writer = StatsWriter::create(&folder.file("run.stats"))?;
    let covered = result.coverage.instructions;
    let core = result.layers.last();
    writer.add(&StatsRow {
        instructions: Some(result.instructions),
        user_time: resources::cpu_seconds().map(Duration::from_secs_f64),
        wall_time: Some(elapsed),
        queries: Some(result.queries),
        core_queries: core.map(|c| c.sat + c.unsat),
        core_time: core.map(|c| c.time),
        solver_time: Some(result.layers.iter().map(|l| l.time).sum()),
        covered_instructions: Some(covered.covered),
        uncovered_instructions: Some(covered.total - covered.covered),
        active_states: Some(0),
        ..StatsRow::default()
    })?;
    writer.finish()
}

fn help() -> String {
    format!(
        "usage: klee [OPTIONS] PROGRAM [ARG…]\n\nKLEE's options and what they do here; `--NAME=false` \
         turns a switch off.\n\n{}",
        flags::markdown()
    )
}
