//! `cairn klee`: KLEE's command line, messages, files and exit codes over Cairn's engine.
//!
//! Scripts and teaching material written for KLEE run unchanged as far as the engine can follow
//! them; `flags.rs` says which flag does what, and what cannot be done is warned about by name. What
//! differs from KLEE is listed in `docs/klee.md`.

mod command_line;
mod external;
mod external_server;
mod external_table;
mod finish;
mod flag_table;
mod flags;
mod instructions;
mod prepare;
mod query_log;
mod recorder;
mod seeds;
mod voice;
mod words;

pub use external::SERVER;

use crate::environment::{Environment, HostFiles};
use crate::exit::{self, Failure};
use crate::output;
use crate::prepare::{Described, Entry, LibcChoice};
use crate::run::explore::no_folder;
use crate::run::losses::Losses;
use crate::run::terminal::Terminal;
use crate::run::watch::Watcher;
use crate::say;
use crate::signals;
use cairn_engine::search::SearchError;
use cairn_engine::{
    Config, Explorer, Kind, Limits, MemoryConfig, Reach, Seeding, StoppedTests, Unwritten,
};
use cairn_report::{InfoFile, MessageLog, OutputFolder, Product, RunStart, StatsWriter};
use cairn_solver::CoreName;
use command_line::Wishes;
use external::Host;
use finish::Ended;
use instructions::InstructionLog;
use query_log::QueryFiles;
use recorder::{Recorder, Wanted};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use voice::Voice;

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
    let wishes = command_line::read(words).map_err(|e| failed(anyhow::anyhow!("{}", e.0)))?;
    if wishes.help {
        output::print(help())?;
        return Ok(exit::DONE);
    }
    if wishes.version {
        output::print_line(&format!("cairn {} as KLEE", env!("CARGO_PKG_VERSION")))?;
        return Ok(exit::DONE);
    }
    let Some(program_file) = wishes.program.clone() else {
        let why = "expected a program (.bc, .ll, .c) behind the options; --help lists them";
        return Err(failed(anyhow::anyhow!(why)));
    };
    let libc = prepare::libc(&wishes);
    let linked = libc.as_ref().copied().unwrap_or(LibcChoice::None);
    let mut loaded = prepare::load_program(&wishes, &program_file, linked, start)?;
    let folder = match &wishes.output_dir {
        Some(path) => OutputFolder::at(path),
        None => OutputFolder::beside(&program_file, Product::Klee),
    };
    let folder = folder.map_err(no_folder)?;
    let losses = Arc::new(Losses::new(|text| say!("KLEE: WARNING: {text}")));
    let log = losses.check(MessageLog::create(&folder));
    let voice = Voice::new(log, Arc::clone(&losses), wishes.warnings_to_file);
    let voice = Arc::new(voice);
    voice.say(&format!(
        "output directory is \"{}\"",
        folder.path().display()
    ));
    voice.say(if wishes.z3 {
        "Using Z3 solver backend"
    } else {
        "Using Cairn solver backend"
    });
    let warnings = wishes.warnings.iter().chain(libc.as_ref().err());
    for warning in warnings.chain(&loaded.warning) {
        voice.warn(warning);
    }
    if let Some(failure) = folder.link_failure() {
        voice.warn(&failure.to_string());
    }
    for (from, to) in &wishes.aliases {
        prepare::alias(&mut loaded.program, from, to, &voice);
    }
    prepare::name_undefined(&loaded.program, &voice);
    let assembly = loaded.assembly.take();
    let host = HostFiles::default();
    let described = Described {
        environment: Environment::of(&wishes.args)?,
        host: &host,
    };
    let prepared = loaded.for_exploring(&program_file, Entry::Any(&wishes.entry), &described)?;
    if let Some(assembly) = &assembly {
        losses.write(&folder.file("assembly.ll"), &assembly.text);
    }
    let mut args = vec![program_file.clone().into_os_string().into_vec()];
    args.extend(wishes.args.iter().map(|a| a.clone().into_vec()));
    let seeding = seeds::read(&wishes).map_err(failed)?;
    if let Some(seeding) = &seeding {
        say_seeds(&wishes, seeding, &voice);
    }
    let replayed = seeds::read_path(&wishes).map_err(failed)?;
    if let Some(place) = &wishes.run_in_dir {
        std::env::set_current_dir(place).map_err(|e| {
            let what = format!("Unable to change directory to: {}", place.display());
            failed(anyhow::Error::from(e).context(what))
        })?;
    }
    if wishes.write_xml {
        seeds::write_metadata(&folder, &program_file, &wishes.entry, &losses);
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
            libc: None,
        },
    );
    let info = losses.check(info);
    let wanted = Wanted {
        tests: wishes.write_tests,
        info: wishes.write_test_info,
        xml: wishes.write_xml,
        kqueries: wishes.write_kqueries,
        smt2s: wishes.write_smt2s,
        paths: wishes.write_paths,
        sym_paths: wishes.write_sym_paths,
        lines: wishes.write_cov,
        once_per_place: !wishes.all_errors,
    };
    let printing = wishes
        .printing
        .map(|printing| InstructionLog::create(printing, folder.path()).map(Arc::new));
    let instructions = printing.and_then(|made| losses.check(made));
    let recorder = Recorder::new(
        folder.path().to_path_buf(),
        wanted,
        Arc::clone(&voice),
        args.clone(),
        assembly,
        instructions.clone(),
        Arc::clone(&losses),
    );
    let mut config = config(&wishes, args, &voice, start).map_err(failed)?;
    let program = prepared.configure(&mut config);
    config.seeding = seeding.map(Arc::new);
    config.replayed = replayed;
    config.query_log = query_log(&wishes, &folder, &losses);
    let explorer = Explorer::new(program, config, Box::new(recorder));
    signals::stop_when_asked(Arc::clone(explorer.shared()));
    let watcher = watch(&wishes, &folder, &explorer, Arc::clone(&losses), start);
    let result = explorer.run().map_err(failed)?;
    watcher.finish();
    if let Some(log) = instructions {
        let whole = log.finish();
        losses.check(whole.map_err(|e| format!("instructions.txt is not whole: {e}")));
    }
    let ended = Ended {
        wishes: &wishes,
        program: &program_file,
        shared: explorer.shared(),
        result: &result,
        elapsed: start.elapsed(),
        losses: &losses,
    };
    Ok(ended.report(&voice, &folder, info))
}

/// Says which tests are followed.
fn say_seeds(wishes: &Wishes, seeding: &Seeding, voice: &Voice) {
    let all = seeding.seeds.len();
    if wishes.replay_files.is_empty() && wishes.replay_folders.is_empty() {
        voice.say(&format!("using {all} seeds"));
        return;
    }
    for (seed, number) in seeding.seeds.iter().zip(1..) {
        let bytes: usize = seed.objects.iter().map(|(_, bytes)| bytes.len()).sum();
        let file = &seed.origin;
        voice.say(&format!(
            "replaying: {file} ({bytes} bytes) ({number}/{all})"
        ));
    }
}

/// Starts to write figures, if they are wanted.
fn watch(
    wishes: &Wishes,
    folder: &OutputFolder,
    explorer: &Explorer,
    losses: Arc<Losses>,
    start: Instant,
) -> Watcher {
    let stats = match wishes.write_stats {
        true => losses.check(StatsWriter::create(&folder.file("run.stats"))),
        false => None,
    };
    let shared = Arc::clone(explorer.shared());
    let terminal = Arc::new(Terminal::new(false));
    let interval = wishes.stats_interval.unwrap_or(NEVER);
    Watcher::start(shared, terminal, stats, losses, interval, start)
}

/// The files of queries, if any are wanted.
fn query_log(
    wishes: &Wishes,
    folder: &OutputFolder,
    losses: &Arc<Losses>,
) -> Option<Arc<dyn cairn_engine::QueryLog>> {
    if wishes.query_logs.is_empty() {
        return None;
    }
    let files = QueryFiles::create(
        folder,
        &wishes.query_logs,
        wishes.least_logged_time,
        wishes.log_timed_out,
        Arc::clone(losses),
    );
    let files = losses.check(files)?;
    Some(Arc::new(files))
}

fn config(
    wishes: &Wishes,
    args: Vec<Vec<u8>>,
    voice: &Arc<Voice>,
    start: Instant,
) -> Result<Config, SearchError> {
    let mut unchecked = Vec::new();
    if !wishes.check_div_zero {
        unchecked.push(Kind::Division);
    }
    Ok(Config {
        search: wishes.search_list().parse()?,
        seed: wishes.random_seed,
        limits: Limits {
            start: Some(start),
            time: wishes.max_time,
            cpu_time: None,
            memory: wishes.max_memory,
            instructions: wishes.max_instructions,
            depth: wishes.max_depth,
            forks: wishes.max_forks,
            tests: wishes.max_tests,
            findings: wishes.exit_on_error.then_some(1),
            solver: wishes.max_solver_time,
        },
        layers: wishes.layers(),
        core: match wishes.z3 {
            true => CoreName::Z3,
            false => CoreName::default(),
        },
        unwritten: Unwritten::Filled(KLEE_FILLS),
        memory: MemoryConfig {
            reach: Reach::AnyObject,
            ..MemoryConfig::default()
        },
        all_errors: wishes.all_errors,
        unsupported_are_errors: true,
        only_covering_new: wishes.only_covering_new,
        tests_of_stopped: match wishes.tests_of_stopped {
            true => StoppedTests::All,
            false => StoppedTests::None,
        },
        silent_assume: wishes.silent_assume,
        stop_on: wishes.exit_on.clone(),
        unchecked,
        externals: Some(Arc::new(Host::new(
            wishes.external_calls,
            Arc::clone(voice),
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
