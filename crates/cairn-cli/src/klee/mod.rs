//! `cairn klee`: KLEE's command line, messages, files and exit codes over Cairn's engine.
//!
//! Scripts and teaching material written for KLEE run unchanged as far as the engine can follow
//! them; `flags.rs` says which flag does what, and what cannot be done is warned about by name. What
//! differs from KLEE is listed in `docs/klee.md`.

mod command_line;
mod error_messages;
mod external;
mod external_server;
mod external_table;
mod finish;
mod flag_table;
mod flags;
mod instructions;
mod layout;
mod messages;
mod prepare;
mod query_log;
mod seeds;

pub use external::SERVER;

use crate::environment::{Environment, HostFiles};
use crate::exit::{self, Failure};
use crate::output;
use crate::prepare::{DescribedSystem, EntryFunction, LibcChoice, LoadedProgram};
use crate::recorder::write_failures::WriteFailures;
use crate::recorder::{Recorder, TestFiles};
use crate::run::explore::no_folder;
use crate::run::terminal::Terminal;
use crate::run::watch::RunWatch;
use crate::say;
use crate::signals;
use cairn_engine::search::SearchError;
use cairn_engine::{
    Config, Explorer, FindingKind, Limits, MemoryConfig, MergeMode, Reach, Seeding, StopCause,
    StoppedTests, Unwritten,
};
use cairn_report::{
    InfoFile, MessageLog, OutputFolder, Product, ReportError, RunStart, StatsWriter,
};
use cairn_solver::CoreName;
use command_line::KleeOptions;
use external::Host;
use finish::FinishedRun;
use instructions::InstructionLog;
use layout::KleeLayout;
use messages::Messages;
use query_log::QueryFiles;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// What KLEE's process returns if it cannot run.
const KLEE_FAILED: u8 = 1;

/// What KLEE fills memory with that the program has not written.
const KLEE_FILLS: u8 = 0xAB;

/// Longer than any run.
const NEVER: Duration = Duration::from_secs(1 << 30);

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
        Ok(code) => Ok(code),
        // A bug is ours to report as such, and so is a place that cannot be written to; everything
        // else is said as KLEE says it.
        Err(failure) if [exit::BUG, exit::CLOSED, exit::UNWRITABLE].contains(&failure.code) => {
            Err(failure)
        }
        Err(failure) => {
            say!("KLEE: ERROR: {}", failure.text());
            Ok(KLEE_FAILED)
        }
    }
}

fn failed(error: impl Into<anyhow::Error>) -> Failure {
    Failure::new(exit::USAGE, error)
}

fn execute(words: &[OsString]) -> Result<u8, Failure> {
    let (start, started) = (Instant::now(), SystemTime::now());
    let options = command_line::read(words).map_err(|e| failed(anyhow::anyhow!("{}", e.0)))?;
    if options.help {
        output::print(help())?;
        return Ok(exit::DONE);
    }
    if options.version {
        output::print_line(&format!("cairn {} as KLEE", env!("CARGO_PKG_VERSION")))?;
        return Ok(exit::DONE);
    }
    let Some(program_file) = options.program.clone() else {
        let why = "expected a program (.bc, .ll, .c) after the options; --help lists them";
        return Err(failed(anyhow::anyhow!(why)));
    };
    let libc = prepare::libc(&options);
    let linked = libc.as_ref().copied().unwrap_or(LibcChoice::None);
    let mut loaded = prepare::load_program(&options, &program_file, linked, start)?;
    let folder = match &options.output_dir {
        Some(path) => OutputFolder::at(path),
        None => OutputFolder::beside(&program_file, Product::Klee),
    };
    let folder = folder.map_err(no_folder)?;
    let failures = Arc::new(WriteFailures::new(|text| say!("KLEE: WARNING: {text}")));
    let messages = begin_messages(&options, &folder, &failures);
    let warnings = options.warnings.iter().chain(libc.as_ref().err());
    for warning in warnings.chain(&loaded.warning) {
        messages.warn(warning);
    }
    if let Some(failure) = folder.link_failure() {
        messages.warn(&failure.to_string());
    }
    link_aliases(&options, &mut loaded, &messages);
    let assembly = loaded.assembly.take();
    let host = HostFiles::default();
    let described = DescribedSystem {
        environment: Environment::of(&options.args)?,
        host: &host,
    };
    let prepared = loaded.for_exploring(
        &program_file,
        EntryFunction::Any(&options.entry),
        &described,
    )?;
    if let Some(assembly) = &assembly {
        failures.write(&folder.file("assembly.ll"), &assembly.text);
    }
    let mut args = vec![program_file.clone().into_os_string().into_vec()];
    args.extend(options.args.iter().map(|a| a.clone().into_vec()));
    let seeding = seeds::read(&options).map_err(failed)?;
    if let Some(seeding) = &seeding {
        say_seeds(&options, seeding, &messages);
    }
    let replayed = seeds::read_path(&options).map_err(failed)?;
    change_directory(&options)?;
    if options.write_xml {
        seeds::write_metadata(&folder, &program_file, &options.entry, &failures);
    }
    let info = failures.check(begin_info(&options, &folder, words, started));
    let printing = options
        .printing
        .map(|printing| InstructionLog::create(printing, folder.path()).map(Arc::new));
    let instructions = printing.and_then(|made| failures.check(made));
    let layout = layout_for(&options, &messages, instructions.clone(), &failures);
    let recorder = Recorder::new(
        folder.path(),
        test_files(&options),
        args.clone(),
        assembly,
        Arc::clone(&failures),
        layout,
    );
    let mut config = config(&options, args, &messages, start).map_err(failed)?;
    let program = prepared.configure(&mut config);
    config.seeding = seeding.map(Arc::new);
    config.replayed = replayed;
    config.query_log = query_log(&options, &folder, &failures);
    let explorer = Explorer::new(program, config, Box::new(recorder));
    let running = Arc::clone(explorer.shared());
    signals::stop_when_asked(move || running.stop_by(StopCause::Interrupt));
    let watcher = watch(&options, &folder, &explorer, Arc::clone(&failures), start);
    let result = explorer.run().map_err(failed)?;
    watcher.finish();
    if let Some(log) = instructions {
        let whole = log.finish();
        failures.check(whole.map_err(|e| format!("instructions.txt is not whole: {e}")));
    }
    let ended = FinishedRun {
        options: &options,
        program: &program_file,
        shared: explorer.shared(),
        result: &result,
        elapsed: start.elapsed(),
        failures: &failures,
    };
    Ok(ended.report(&messages, &folder, info))
}

/// Lets names of functions stand for others, and says which functions are defined nowhere.
fn link_aliases(options: &KleeOptions, loaded: &mut LoadedProgram, messages: &Messages) {
    for (from, to) in &options.aliases {
        prepare::alias(&mut loaded.program, from, to, messages);
    }
    prepare::name_undefined(&loaded.program, messages);
}

/// Goes to the folder in which the program is to run.
fn change_directory(options: &KleeOptions) -> Result<(), Failure> {
    let Some(place) = &options.run_in_dir else {
        return Ok(());
    };
    std::env::set_current_dir(place).map_err(|e| {
        let what = format!("Unable to change directory to: {}", place.display());
        failed(anyhow::Error::from(e).context(what))
    })
}

/// Opens the files of messages, and says what every run begins with.
fn begin_messages(
    options: &KleeOptions,
    folder: &OutputFolder,
    failures: &Arc<WriteFailures>,
) -> Arc<Messages> {
    let log = failures.check(MessageLog::create(folder));
    let messages = Messages::new(log, Arc::clone(failures), options.warnings_to_file);
    messages.say(&format!(
        "output directory is \"{}\"",
        folder.path().display()
    ));
    messages.say(if options.z3 {
        "Using Z3 solver backend"
    } else {
        "Using Cairn solver backend"
    });
    Arc::new(messages)
}

/// How tests and messages are written.
fn layout_for(
    options: &KleeOptions,
    messages: &Arc<Messages>,
    instructions: Option<Arc<InstructionLog>>,
    failures: &Arc<WriteFailures>,
) -> KleeLayout {
    KleeLayout {
        info: options.write_test_info,
        xml: options.write_xml,
        once_per_place: !options.all_errors,
        messages: Arc::clone(messages),
        instructions,
        start: Instant::now(),
        failures: Arc::clone(failures),
    }
}

/// Which files each test has.
fn test_files(options: &KleeOptions) -> TestFiles {
    TestFiles {
        tests: options.write_tests,
        kqueries: options.write_kqueries,
        smt2s: options.write_smt2s,
        paths: options.write_paths,
        sym_paths: options.write_sym_paths,
        lines: options.write_cov,
    }
}

/// Begins the file about the run.
fn begin_info(
    options: &KleeOptions,
    folder: &OutputFolder,
    words: &[OsString],
    started: SystemTime,
) -> Result<InfoFile, ReportError> {
    let mut command_line = vec!["klee".to_string()];
    command_line.extend(words.iter().map(|w| w.to_string_lossy().into_owned()));
    InfoFile::create(
        folder,
        Product::Klee,
        &RunStart {
            command_line,
            pid: std::process::id(),
            started,
            searcher: options.search_list(),
            libc: None,
        },
    )
}

/// Says which tests are followed.
fn say_seeds(options: &KleeOptions, seeding: &Seeding, messages: &Messages) {
    let all = seeding.seeds.len();
    if options.replay_files.is_empty() && options.replay_folders.is_empty() {
        messages.say(&format!("using {all} seeds"));
        return;
    }
    for (seed, number) in seeding.seeds.iter().zip(1..) {
        let bytes: usize = seed.objects.iter().map(|(_, bytes)| bytes.len()).sum();
        let file = &seed.origin;
        messages.say(&format!(
            "replaying: {file} ({bytes} bytes) ({number}/{all})"
        ));
    }
}

/// Starts to write figures, if they are wanted.
fn watch(
    options: &KleeOptions,
    folder: &OutputFolder,
    explorer: &Explorer,
    failures: Arc<WriteFailures>,
    start: Instant,
) -> RunWatch {
    let stats = match options.write_stats {
        true => failures.check(StatsWriter::create(&folder.file("run.stats"))),
        false => None,
    };
    let shared = Arc::clone(explorer.shared());
    let terminal = Arc::new(Terminal::new(false));
    let interval = options.stats_interval.unwrap_or(NEVER);
    RunWatch::start(shared, terminal, stats, failures, interval, start)
}

/// The files of queries, if any are wanted.
fn query_log(
    options: &KleeOptions,
    folder: &OutputFolder,
    failures: &Arc<WriteFailures>,
) -> Option<Arc<dyn cairn_engine::QueryLog>> {
    if options.query_logs.is_empty() {
        return None;
    }
    let files = QueryFiles::create(
        folder,
        &options.query_logs,
        options.least_logged_time,
        options.log_timed_out,
        Arc::clone(failures),
    );
    let files = failures.check(files)?;
    Some(Arc::new(files))
}

fn config(
    options: &KleeOptions,
    args: Vec<Vec<u8>>,
    messages: &Arc<Messages>,
    start: Instant,
) -> Result<Config, SearchError> {
    let mut unchecked = Vec::new();
    if !options.check_div_zero {
        unchecked.push(FindingKind::Division);
    }
    Ok(Config {
        search: options.search_list().parse()?,
        seed: options.random_seed,
        limits: Limits {
            start: Some(start),
            time: options.max_time,
            cpu_time: None,
            memory: options.max_memory,
            instructions: options.max_instructions,
            depth: options.max_depth,
            forks: options.max_forks,
            tests: options.max_tests,
            findings: options.exit_on_error.then_some(1),
            solver: options.max_solver_time,
        },
        layers: options.layers(),
        core: match options.z3 {
            true => CoreName::Z3,
            false => CoreName::default(),
        },
        unwritten: Unwritten::Filled(KLEE_FILLS),
        merge: match options.use_merge {
            true => MergeMode::Marked,
            false => MergeMode::None,
        },
        memory: MemoryConfig {
            reach: Reach::AnyObject,
            ..MemoryConfig::default()
        },
        all_errors: options.all_errors,
        unsupported_are_errors: true,
        only_covering_new: options.only_covering_new,
        tests_of_stopped: match options.tests_of_stopped {
            true => StoppedTests::All,
            false => StoppedTests::None,
        },
        silent_assume: options.silent_assume,
        stop_on: options.exit_on.clone(),
        unchecked,
        externals: Some(Arc::new(Host::new(
            options.external_calls,
            Arc::clone(messages),
        ))),
        args,
        // KLEE counts the C library like the program.
        cover_libc: true,
        ..Config::default()
    })
}

fn help() -> String {
    format!(
        "usage: klee [OPTIONS] PROGRAM [ARG…]\n\nKLEE's options and what they do here; `--NAME=false` \
         turns a switch off.\n\n{}",
        flags::markdown()
    )
}
