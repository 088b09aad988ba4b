//! Exploring a program: options to configuration, results to files and the terminal.

mod engine_config;

use super::choices::{BaseTerms, OutsideAccess, Uninit};
use super::hard_queries::HardQueries;
use super::layout::RunLayout;
use super::limits;
use super::query_journal::QueryJournal;
use super::summary;
use super::terminal::Terminal;
use super::watch::RunWatch;
use super::{CheckName, RunArguments};
use crate::answers::CacheOptions;
use crate::exit::{self, Failure};
use crate::hints::with_hint;
use crate::output;
use crate::prepare::{AbiUse, EntryFunction, LibcUse, LoadedProgram};
use crate::recorder::write_failures::WriteFailures;
use crate::recorder::{Recorder, TestFiles};
use crate::say;
use crate::signals;
use cairn_engine::{
    Config, Exploration, Explorer, MemoryPolicy, MergeCounts, MergeMode, Omission, QueryLog,
    Resolution, Shared, StopCause,
};
use cairn_report::{
    Frontend, InfoFile, OutputFolder, Product, QueryTotals, ReportError, RunEnd, RunStart,
    RunTotals, StatsWriter, Summary,
};
use engine_config::config;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// Between two rows of `run.stats`.
const ROWS: Duration = Duration::from_secs(1);

/// Options of an exploration.
#[derive(clap::Args)]
pub struct ExploreOptions {
    /// Which paths first: dfs, bfs, random-path, random-state, covnew, md2u, ...; a list
    /// interleaves them
    #[arg(long, value_name = "LIST", default_value = cairn_engine::search::DEFAULT)]
    search: String,

    /// Where random choices start
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Worker threads, from 1 to 256
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = limits::jobs)]
    jobs: usize,

    /// Ends the run after this time, compiling and loading included, for example 60s
    #[arg(long, value_name = "TIME", value_parser = limits::time)]
    max_time: Option<Duration>,

    /// Ends the run after this much processor time of all workers together, for example 60s: the same
    /// work however busy the machine is; loading the program and other processes do not count
    #[arg(long, value_name = "TIME", value_parser = limits::time)]
    max_cpu_time: Option<Duration>,

    /// The memory that Cairn may take, loading included, for example 4G
    #[arg(long, value_name = "SIZE", value_parser = limits::bytes)]
    max_memory: Option<u64>,

    /// The most forks of one path
    #[arg(long, value_name = "N")]
    max_depth: Option<u32>,

    /// The most forks of all paths together
    #[arg(long, value_name = "N")]
    max_forks: Option<u64>,

    /// Ends the run after this many tests
    #[arg(long, value_name = "N")]
    max_tests: Option<u64>,

    /// Ends the run after this many findings; 0 ends it at once
    #[arg(long, value_name = "N")]
    max_findings: Option<u64>,

    /// The processor time for one query of the solver; with --core z3 or smtlib the time of the clock
    #[arg(long, value_name = "TIME", value_parser = limits::time)]
    solver_timeout: Option<Duration>,

    /// Where results go; by default cairn-out-N beside the program
    #[arg(long, value_name = "FOLDER")]
    output_dir: Option<PathBuf>,

    /// Writes no tests
    #[arg(long)]
    no_tests: bool,

    /// Writes only tests that cover something new, and those of errors
    #[arg(long)]
    only_covering_new: bool,

    /// Reports every path that ends in an error, not only the first at a place
    #[arg(long)]
    all_errors: bool,

    /// Runs every test again on the concrete machine, proves every refutation again with Z3, and runs concrete
    /// stretches of paths again with everything scrambled that they do not depend on
    #[arg(long)]
    self_check: bool,

    /// Asks for the unsat core of every reason, to measure what that costs
    #[arg(long, hide = true)]
    every_reason: bool,

    /// What memory holds that was never written: symbolic or zero
    #[arg(long, value_name = "WHAT", default_value = "symbolic")]
    uninit: Uninit,

    /// What a pointer reaches outside of the object it was made from: an error, or whatever object
    /// is at its address (then a symbolic index is one path for each of them)
    #[arg(long, value_name = "WHAT", default_value = "error")]
    outside: OutsideAccess,

    /// An access by a pointer that is one of several in its term: fork, a path for each object; segments, one path for all; ite, one
    /// path for all with a condition for each address; adaptive, as segments until a path has used a pointer
    /// often (adaptive:N, N times); points-to, one path for all objects of a class that an analysis makes; split:N, as
    /// fork, and a path for each N bytes of a large object that is accessed at an unknown offset
    #[arg(long, value_name = "POLICY", default_value = "fork")]
    memory: MemoryPolicy,

    /// How the objects of such a pointer are found, with --memory segments: flow, by the form of its term; scan, by asking
    /// about each object; context:K, by asking first about those that were made by calls like those of the objects found
    /// before, K calls around
    #[arg(long, value_name = "WAY", default_value = "flow")]
    resolve: Resolution,
    /// Paths that meet again become one: none; marked, between klee_open_merge and klee_close_merge; loops, where they
    /// leave the loop in which they parted; joins, wherever all ways meet again in a function
    #[arg(long, value_name = "WHERE", default_value = "none")]
    merge: MergeMode,

    /// What stands for the beginning of an object in terms: its address, or a term that has it as its
    /// value
    #[arg(long, value_name = "WHAT", default_value = "values")]
    bases: BaseTerms,

    /// The largest object, in bytes, that is one path for all sizes that inputs give it; 0 makes each
    /// size a path, as --check uninit does
    #[arg(long, value_name = "N", default_value_t = 4096)]
    max_symbolic_size: u64,

    /// The most bytes of the input of a harness, LLVMFuzzerTestOneInput; at most 1048576
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u64).range(..=1 << 20))]
    fuzz_size: u64,

    /// The layers of the solver, by name and in order
    #[arg(long, value_name = "LIST")]
    layers: Option<String>,

    /// How sets of values of the inputs are kept: value-sets, intervals, strided:first,
    /// strided:middle, or off
    #[arg(long, value_name = "PRESET")]
    value_sets: Option<String>,

    /// How arrays are solved: default, typed, linear, lazy, axioms, or eager
    #[arg(long, value_name = "SETTING")]
    arrays: Option<String>,

    /// The core solver: native, z3, z3:anew (a new solver for each query), or smtlib:COMMAND
    #[arg(long, value_name = "CORE", default_value = "native")]
    core: String,

    #[command(flatten)]
    pub cache: CacheOptions,

    /// Writes the constraints of each test's path as KQuery
    #[arg(long)]
    write_kqueries: bool,

    /// Writes the constraints of each test's path as SMT-LIB
    #[arg(long)]
    write_smt2s: bool,

    /// Writes the decisions on each test's path, one per line
    #[arg(long)]
    write_paths: bool,

    /// Writes queries that take the core solver at least this long as SMT-LIB, to hard-queries in the results
    #[arg(long, value_name = "TIME", value_parser = limits::time)]
    write_hard_queries: Option<Duration>,

    /// Writes what reaches the core solver to a file, for cairn-bench cache
    #[arg(
        long,
        value_name = "FILE",
        hide = true,
        conflicts_with = "write_hard_queries"
    )]
    query_journal: Option<PathBuf>,

    /// Writes the program as LLVM's assembly text (assembly.ll)
    // Printing a large module takes as long as loading it, so it is not done unasked.
    #[arg(long)]
    pub write_ll: bool,

    /// Counts what is covered of the C library too
    #[arg(long)]
    cover_libc: bool,

    /// Prints the summary as JSON, and nothing else, to standard output
    #[arg(long)]
    json: bool,

    /// Prints findings only
    #[arg(long)]
    quiet: bool,
}

impl ExploreOptions {
    /// When a run that started at some moment must be over.
    pub fn deadline(&self, started: Instant) -> Option<Instant> {
        started.checked_add(self.max_time?)
    }
}

/// Explores a program; the result is the exit code. Compiling and loading it counts for the time limit,
/// which starts when the command did.
pub fn explore(
    options: &RunArguments,
    mut loaded: LoadedProgram,
    started: Instant,
) -> Result<u8, Failure> {
    let start = Instant::now();
    if options.check.contains(&CheckName::Uninit) && options.explore.uninit == Uninit::Zero {
        let why = "--check uninit finds nothing with --uninit zero; leave one of them out";
        return Err(Failure::new(exit::USAGE, anyhow::anyhow!(why)));
    }
    let assembly = loaded.assembly.take();
    let missing_checks = std::mem::take(&mut loaded.missing_checks);
    let (libc, abi) = (loaded.libc.clone(), loaded.abi);
    let entry = EntryFunction::Main(&options.entry);
    let prepared = loaded.for_exploring(&options.program, entry, &options.described()?)?;
    let explore_options = &options.explore;
    let folder = output_folder(options)?;
    let talks = !explore_options.quiet && !explore_options.json;
    let terminal = Arc::new(Terminal::new(talks));
    if let Some(failure) = folder.link_failure() {
        terminal.say(&format!("cairn: {failure}"));
    }
    let speaker = Arc::clone(&terminal);
    let say = move |text: &str| speaker.say(&format!("cairn: {text}"));
    let failures = Arc::new(WriteFailures::new(say));
    if let Some(assembly) = &assembly {
        failures.write(&folder.file("assembly.ll"), &assembly.text);
    }
    let info = failures.check(begin_info(&folder, options, &libc));
    let layout = RunLayout::new(&folder, talks, Arc::clone(&terminal), Arc::clone(&failures));
    let recorder = Recorder::new(
        folder.path(),
        TestFiles {
            tests: !explore_options.no_tests,
            kqueries: explore_options.write_kqueries,
            smt2s: explore_options.write_smt2s,
            paths: explore_options.write_paths,
            ..TestFiles::default()
        },
        options.program_arguments(),
        assembly,
        Arc::clone(&failures),
        layout,
    );
    let mut config = config(options, started)?;
    let answers =
        (explore_options.cache).open(explore_options.self_check, |text| terminal.say(text))?;
    config.answers.clone_from(&answers);
    let journal = log_queries(explore_options, &folder, &failures, &mut config);
    let program = prepared.configure(&mut config);
    let explorer = Explorer::new(program, config, Box::new(recorder));
    for what in missing_checks {
        explorer.shared().leave_out(Omission::Said(what));
    }
    let running = Arc::clone(explorer.shared());
    signals::stop_when_asked(move || running.stop_by(StopCause::Interrupt));
    let stats = failures.check(StatsWriter::create(&folder.file("run.stats")));
    let watcher = RunWatch::start(
        Arc::clone(explorer.shared()),
        Arc::clone(&terminal),
        stats,
        Arc::clone(&failures),
        ROWS,
        start,
    );
    let result = explorer
        .run()
        .map_err(|e| Failure::new(exit::USAGE, anyhow::Error::from(e)))?;
    watcher.finish();
    if let Some(journal) = &journal {
        journal.end();
    }
    (explore_options.cache).finish(answers.as_ref(), talks, |text| terminal.say(text));
    let writes_tests = !explore_options.no_tests;
    let mut summary = summary::of(&options.program, writes_tests, &result, start.elapsed());
    summary.libc = libc.name.map(str::to_string);
    summary.abi = abi.map(|abi| abi.convention.name().to_string());
    if explorer.shared().config.code.is_some() {
        summary.frontend = Some(Frontend::Riscv);
    }
    failures.correct(&mut summary);
    let shared = explorer.shared();
    write_results(options, &folder, info, shared, &result, &summary, &failures);
    let printed = match (explore_options.json, talks) {
        (true, _) => output::print(summary.to_json()),
        (false, true) => {
            let text = result_text(&result, &summary, &folder, start.elapsed());
            output::print(choices_text(&libc, abi) + &text)
        }
        (false, false) => Ok(()),
    };
    // A reader that closed its pipe has seen enough; the results are in the folder.
    if let Err(failure) = printed
        && failure.code != exit::CLOSED
    {
        failures.note(&failure.error);
    }
    say_bugs(&result);
    Ok(failures.exit_code(exit_code(&result, &summary), &summary))
}

/// Has the queries written down that are explore_options; the journal must be ended.
fn log_queries(
    explore_options: &ExploreOptions,
    folder: &OutputFolder,
    failures: &Arc<WriteFailures>,
    config: &mut Config,
) -> Option<Arc<QueryJournal>> {
    if let Some(at_least) = explore_options.write_hard_queries {
        config.query_log = HardQueries::create(folder, at_least, Arc::clone(failures));
    }
    let journal = QueryJournal::create(
        explore_options.query_journal.as_ref()?,
        Arc::clone(failures),
    )?;
    config.query_log = Some(Arc::clone(&journal) as Arc<dyn QueryLog>);
    Some(journal)
}

/// Where the results go.
fn output_folder(options: &RunArguments) -> Result<OutputFolder, Failure> {
    let folder = match &options.explore.output_dir {
        Some(path) => OutputFolder::at(path),
        None => OutputFolder::beside(&options.program, Product::Cairn),
    };
    folder.map_err(no_folder)
}

/// What is wrong with Cairn itself.
fn say_bugs(result: &Exploration) {
    for mismatch in &result.mismatches {
        say!("cairn: a bug in Cairn: {mismatch}; please report it with the program.");
    }
    for bug in &result.bugs {
        say!("cairn: a bug in Cairn: {bug}; please report it with the program.");
    }
}

/// What was chosen for the program that the user did not say.
fn choices_text(libc: &LibcUse, abi: Option<AbiUse>) -> String {
    let library = match (libc.text(), libc.because.is_some()) {
        (Some(text), true) => format!("C library: {text}\n"),
        (Some(_) | None, _) => String::new(),
    };
    library + &abi.and_then(AbiUse::text).unwrap_or_default()
}

/// The exit code for what a run found; results that could not be written may change it.
fn exit_code(result: &Exploration, summary: &Summary) -> u8 {
    if !(result.mismatches.is_empty() && result.bugs.is_empty()) {
        exit::BUG
    } else if result.errors > 0 {
        exit::FOUND
    } else if summary.is_partial() {
        exit::INCOMPLETE
    } else {
        exit::DONE
    }
}

/// The end of a run whose limit was reached before there was a program to explore: its results say so.
pub fn nothing_explored(
    options: &RunArguments,
    failure: &Failure,
    started: Instant,
) -> Result<u8, Failure> {
    failure.say();
    let only_loads = options.list_unsupported || options.emit_cir.is_some();
    if only_loads {
        return Ok(failure.code);
    }
    let explore_options = &options.explore;
    let folder = output_folder(options)?;
    let failures = WriteFailures::new(|text| say!("cairn: {text}"));
    let why = Omission::Said(failure.text());
    let summary = summary::of_nothing(&options.program, why, started.elapsed());
    failures.check(summary.write_atomically(&folder.file("summary.json")));
    if explore_options.json
        && let Err(failure) = output::print(summary.to_json())
        && failure.code != exit::CLOSED
    {
        failures.note(&failure.error);
    }
    Ok(failures.exit_code(failure.code, &summary))
}

/// A folder that cannot be made.
pub(crate) fn no_folder(error: ReportError) -> Failure {
    let code = match &error {
        ReportError::NoFolder { source, .. } | ReportError::NoNamedFolder { source, .. } => {
            exit::write_code(source)
        }
        ReportError::NotEmpty { .. }
        | ReportError::NotAFolder { .. }
        | ReportError::NoLink { .. }
        | ReportError::Write { .. }
        | ReportError::WriteStats { .. }
        | ReportError::ReadStats { .. }
        | ReportError::NotStats { .. } => exit::USAGE,
    };
    Failure::new(code, anyhow::anyhow!("{error}"))
}

fn begin_info(
    folder: &OutputFolder,
    options: &RunArguments,
    libc: &LibcUse,
) -> Result<InfoFile, ReportError> {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let start = RunStart {
        command_line: words.collect(),
        pid: std::process::id(),
        started: SystemTime::now(),
        searcher: options.explore.search.clone(),
        libc: libc.text(),
    };
    InfoFile::create(folder, Product::Cairn, &start)
}

/// Writes what is known when the run has ended, as far as it can be written.
fn write_results(
    options: &RunArguments,
    folder: &OutputFolder,
    info: Option<InfoFile>,
    shared: &Shared,
    result: &Exploration,
    summary: &Summary,
    failures: &WriteFailures,
) {
    let program = options.program.display().to_string();
    let command = format!("cairn run {program}");
    let profile = super::profile::profile(shared, Product::Cairn, &command, &program);
    failures.check(profile.write_atomically(&folder.file("run.istats")));
    let trace = super::tracefile::tracefile(shared);
    failures.check(trace.write_atomically(&folder.file("coverage.info")));
    let end = RunEnd {
        finished: SystemTime::now(),
        explored_paths: Some(result.completed + result.errors + result.stopped),
        queries: QueryTotals {
            queries: Some(result.queries),
            ..QueryTotals::default()
        },
        totals: RunTotals {
            instructions: result.instructions,
            completed_paths: result.completed,
            partial_paths: result.errors + result.stopped,
            tests: summary.tests.unwrap_or(0),
        },
    };
    if let Some(info) = info {
        failures.check(info.finish(&end));
    }
    // Last: a reader that finds it finds everything else.
    failures.check(summary.write_atomically(&folder.file("summary.json")));
}

/// What is printed at the end of a run.
fn result_text(
    result: &Exploration,
    summary: &Summary,
    folder: &OutputFolder,
    elapsed: Duration,
) -> String {
    let mut text = format!(
        "{} to the end, {} in an error, {} cut short\n",
        plural(result.completed, "path", "paths"),
        result.errors,
        result.stopped
    );
    let percent = |s: cairn_engine::Share| 100.0 * s.covered as f64 / s.total.max(1) as f64;
    text += &format!(
        "{} and {} in {:.2} s; {:.0}% of lines, {:.0}% of branch directions; {}\n",
        plural(result.instructions, "instruction", "instructions"),
        plural(result.queries, "query", "queries"),
        elapsed.as_secs_f64(),
        percent(result.coverage.lines),
        percent(result.coverage.directions),
        plural(summary.tests.unwrap_or(0), "test", "tests"),
    );
    if result.reruns + result.not_compared > 0 {
        let reruns = plural(result.reruns, "test was", "tests were");
        let left = match result.not_compared {
            0 => String::new(),
            n => format!("; {n} depend on values that no test holds"),
        };
        text += &format!("{reruns} run again on the concrete machine{left}\n");
    }
    let reasons = &result.reasons;
    let proved: u64 = reasons.proved.values().sum();
    if proved + reasons.undecided > 0 {
        let kinds = reasons.proved.iter();
        let mut kinds: Vec<String> = kinds.map(|(k, n)| format!("{n} {}", k.name())).collect();
        if reasons.undecided > 0 {
            kinds.push(format!(
                "{} not decided by the second solver",
                reasons.undecided
            ));
        }
        let proved = plural(proved, "reason was", "reasons were");
        text += &format!("{proved} proved again: {}\n", kinds.join(", "));
    }
    text += &describe_merges(&result.merges);
    if !reasons.untraced.is_empty() {
        let causes = reasons.untraced.iter();
        let causes: Vec<String> = causes.map(|(c, n)| format!("{n} {}", c.name())).collect();
        text += &format!("concrete steps without a reason: {}\n", causes.join(", "));
    }
    // Files and folders below the current one are named from there, as the user named the program.
    let here = std::env::current_dir().unwrap_or_default();
    let prefix = format!("{}/", here.display());
    for omitted in &result.incomplete {
        let what = with_hint(&omitted.to_string());
        let what = what.strip_prefix(&prefix).unwrap_or(&what);
        let kind = match omitted.what.is_assumption() {
            true => "assumed",
            false => "not explored",
        };
        text += &format!("{kind}: {what}\n");
    }
    let path = folder.path();
    let path = path.strip_prefix(&here).unwrap_or(path);
    text + &format!("results: {}\n", path.display())
}

/// A number and what is counted.
fn plural(n: u64, one: &str, many: &str) -> String {
    match n {
        1 => format!("1 {one}"),
        n => format!("{n} {many}"),
    }
}

/// What was merged, in words; nothing if nothing was to be.
fn describe_merges(merges: &MergeCounts) -> String {
    if merges.groups == 0 {
        return String::new();
    }
    let refused = merges.refused.iter();
    let refused: Vec<String> = refused
        .map(|(why, n)| format!("{n} {}", why.name()))
        .collect();
    let mut text = format!(
        "{} merged, in {} of {}",
        plural(merges.merged, "path was", "paths were"),
        plural(merges.merges, "merge", "merges"),
        plural(merges.groups, "group", "groups"),
    );
    if !refused.is_empty() {
        text += &format!("; not merged: {}", refused.join(", "));
    }
    if merges.proved + merges.undecided > 0 {
        text += &format!(
            "; {} about merges proved, {} not decided",
            plural(merges.proved, "claim", "claims"),
            merges.undecided
        );
    }
    text + "\n"
}
