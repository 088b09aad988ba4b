//! `cairn solve`: decides files of queries.

mod kquery;
mod session;

use crate::answers::CacheOptions;
use crate::exit::{self, Failure};
use crate::output;
use crate::run::limits;
use crate::say;
use cairn_expr::TermStore;
use cairn_solver::{
    Budget, Chain, ChainError, CoreName, LayerList, LayerName, ProcessorTime, with_arrays,
    with_value_sets,
};
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The options of `cairn solve`.
#[derive(clap::Args)]
pub struct SolveOptions {
    /// Files to decide; `-` is an SMT-LIB script on standard input
    #[arg(required_unless_present = "list_layers")]
    files: Vec<PathBuf>,

    /// The solver chain: names in order, separated by commas, or `none` for the core solver alone
    #[arg(long, value_name = "LIST", default_value_t = LayerList::for_scripts().to_string())]
    layers: String,

    /// How sets of values of the inputs are kept: `value-sets`, `intervals`, `strided:first`,
    /// `strided:middle`, or `off`
    #[arg(long, value_name = "PRESET")]
    value_sets: Option<String>,

    /// How arrays are solved: `default`, `typed`, `linear`, `lazy`, `axioms`, or `eager`
    #[arg(long, value_name = "SETTING")]
    arrays: Option<String>,

    /// What decides in the end: `native`, `z3`, `z3:anew` (a new solver for each query), or `smtlib:COMMAND` for an SMT-LIB program
    #[arg(long, value_name = "CORE", default_value = "native")]
    core: String,

    /// Prints the layers with one line each
    #[arg(long)]
    list_layers: bool,

    /// Processor time for each check, for example 500ms, 10s, 2m; with --core z3 or smtlib the time
    /// of the clock
    #[arg(long, value_name = "TIME", value_parser = limits::time)]
    solver_timeout: Option<Duration>,

    /// Time limit for everything; what is not decided by then is unknown
    #[arg(long, value_name = "TIME", value_parser = limits::time)]
    max_time: Option<Duration>,

    /// Memory limit of the process, for example 500M, 4G
    #[arg(long, value_name = "SIZE", value_parser = limits::bytes)]
    max_memory: Option<u64>,

    #[command(flatten)]
    cache: CacheOptions,

    /// Asks Z3 about every unsatisfiable answer again
    #[arg(long)]
    self_check: bool,

    /// Prints what each layer did to standard error
    #[arg(long)]
    stats: bool,

    /// Prints a summary of all files as JSON, and nothing else, to standard output
    #[arg(long)]
    json: bool,

    /// Prints verdicts only: no models, values, cores or echoes
    #[arg(long)]
    quiet: bool,
}

/// What one file came to.
#[derive(Default)]
pub struct FileReport {
    /// The verdicts in order.
    pub answers: Vec<&'static str>,
    /// Reasons of unknown verdicts.
    pub reasons: Vec<String>,
    /// The verdict contradicts the file's `:status`.
    pub contradicts_status: bool,
    /// Time for deciding, reading aside.
    pub solving: Duration,
}

/// An answer could not be printed. Any other error of a session is about its file.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Unprinted(#[from] std::io::Error);

/// What files are decided with.
pub struct SolverOptions {
    /// The chain.
    pub chain: Chain,
    options_timeout: Option<Duration>,
    deadline: Option<Instant>,
    memory: Option<u64>,
    /// Verdicts only.
    pub quiet: bool,
}

impl SolverOptions {
    /// The limits of the next query.
    pub fn budget(&self) -> Budget {
        Budget {
            deadline: self.deadline,
            processor: self.options_timeout.map(ProcessorTime::new),
            memory: self.memory,
            ..Budget::unlimited()
        }
    }
}

/// The chain that the options ask for.
fn chain(options: &SolveOptions) -> Result<Chain, ChainError> {
    let mut layers: LayerList = options.layers.parse()?;
    let mut core: CoreName = options.core.parse()?;
    if let Some(preset) = &options.value_sets {
        layers = with_value_sets(&layers, preset)?;
    }
    if let Some(setting) = &options.arrays {
        (layers, core) = with_arrays(&layers, &core, setting)?;
    }
    Chain::build(&options.cache.layers(layers), &core)
}

/// Runs the command; the result is the exit code.
pub fn run(options: &SolveOptions) -> Result<u8, Failure> {
    if options.list_layers {
        let lines = LayerName::ALL.map(|layer| format!("{layer:<14} {}\n", layer.about()));
        output::print(lines.concat())?;
        return Ok(exit::DONE);
    }
    let mut chain = chain(options).map_err(|e| Failure::new(exit::USAGE, e))?;
    if options.self_check {
        let reference = CoreName::Z3.build().map_err(|e| {
            let e = anyhow::Error::from(e).context("--self-check needs Z3");
            Failure::new(exit::USAGE, e)
        })?;
        chain.cross_check_with(reference);
    }
    let say = |text: &str| say!("{text}");
    let answers = options.cache.open(options.self_check, say)?;
    if let Some(file) = &answers {
        chain.keep_answers_in(file);
    }
    let mut solver = SolverOptions {
        chain,
        options_timeout: options.solver_timeout,
        deadline: options.max_time.map(|t| Instant::now() + t),
        memory: options.max_memory,
        quiet: options.quiet,
    };
    let store = TermStore::new();
    let mut code = exit::DONE;
    let mut reports = Vec::new();
    for file in &options.files {
        let (report, result) = solve_file(&store, file, &mut solver, options.json);
        if let Err(failure) = result {
            if matches!(failure.code, exit::CLOSED | exit::UNWRITABLE) {
                return Err(failure);
            }
            failure.say();
            code = code.max(failure.code);
        }
        for reason in &report.reasons {
            say!("cairn: {}: unknown: {reason}", file.display());
            let bug = reason.starts_with("internal error");
            code = code.max(if bug { exit::BUG } else { exit::INCOMPLETE });
        }
        if report.contradicts_status {
            say!(
                "cairn: {}: the answer contradicts the :status in the file",
                file.display()
            );
        }
        reports.push(report);
    }
    if solver.chain.unconfirmed() > 0 {
        say!(
            "cairn: --self-check: Z3 did not decide {} of the unsatisfiable answers",
            solver.chain.unconfirmed()
        );
    }
    options.cache.finish(answers.as_ref(), options.stats, say);
    if options.json {
        print_json(options, &solver, &reports)?;
    }
    if options.stats {
        print_stats(&solver);
    }
    Ok(code)
}

fn solve_file(
    store: &TermStore,
    file: &Path,
    solver: &mut SolverOptions,
    silent: bool,
) -> (FileReport, Result<(), Failure>) {
    let mut report = FileReport::default();
    let stdout = std::io::stdout();
    let mut out: Box<dyn Write> = if silent {
        Box::new(std::io::sink())
    } else {
        Box::new(BufWriter::new(stdout.lock()))
    };
    let result = open(file).and_then(|mut source| {
        let is_kquery = file
            .extension()
            .is_some_and(|e| e == "kquery" || e == "kq" || e == "pc");
        if is_kquery {
            let mut text = Vec::new();
            cairn_home::bounded(&mut source)
                .read_to_end(&mut text)
                .map_err(|e| bad_file(file, &e))?;
            kquery::solve(store, &text, solver, &mut out, &mut report)
        } else {
            session::solve(store, source, solver, &mut out, &mut report)
        }
        .map_err(|e| match e.downcast_ref::<Unprinted>() {
            Some(Unprinted(error)) => output::unprintable(error),
            None => Failure::new(exit::BAD_INPUT, e.context(file.display().to_string())),
        })
    });
    let flushed = out.flush().map_err(|e| output::unprintable(&e));
    (report, result.and(flushed))
}

fn open(file: &Path) -> Result<Box<dyn Read>, Failure> {
    if file.as_os_str() == "-" {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    let opened = File::open(file).map_err(|e| bad_file(file, &e))?;
    let is_folder = opened.metadata().is_ok_and(|m| m.is_dir());
    if is_folder {
        let e = anyhow::anyhow!(
            "{}: is a folder, expected a file; give the files in it by name",
            file.display()
        );
        return Err(Failure::new(exit::BAD_INPUT, e));
    }
    Ok(Box::new(opened))
}

fn bad_file(file: &Path, e: &std::io::Error) -> Failure {
    let e = anyhow::anyhow!("{}: cannot be read: {e}", file.display());
    Failure::new(exit::BAD_INPUT, e)
}

fn print_stats(solver: &SolverOptions) {
    say!("layer             asked        sat      unsat    unknown       time");
    for (name, s) in solver.chain.stats() {
        say!(
            "{name:<12} {:>10} {:>10} {:>10} {:>10} {:>9.3}s",
            s.asked,
            s.sat,
            s.unsat,
            s.unknown,
            s.time.as_secs_f64()
        );
    }
    for (name, counters) in solver.chain.counters() {
        let listed: Vec<String> = counters.iter().map(|(k, v)| format!("{k} {v}")).collect();
        if !listed.is_empty() {
            say!("{name}: {}", listed.join(", "));
        }
    }
}

fn print_json(
    options: &SolveOptions,
    solver: &SolverOptions,
    reports: &[FileReport],
) -> Result<(), Failure> {
    let files: Vec<serde_json::Value> = options
        .files
        .iter()
        .zip(reports)
        .map(|(file, r)| {
            serde_json::json!({
                "file": file.display().to_string(),
                "answers": r.answers,
                "incomplete": r.reasons,
                "seconds": r.solving.as_secs_f64(),
            })
        })
        .collect();
    let mut layers = serde_json::Map::new();
    for (name, s) in solver.chain.stats() {
        layers.insert(
            name.to_string(),
            serde_json::json!({
                "sat": s.sat, "unsat": s.unsat, "seconds": s.time.as_secs_f64(),
            }),
        );
    }
    let asked: usize = reports.iter().map(|r| r.answers.len()).sum();
    let summary = serde_json::json!({
        "cairn": env!("CARGO_PKG_VERSION"),
        "files": files,
        "queries": {"asked": asked, "by_layer": layers},
    });
    output::print_line(&format!("{summary:#}"))
}
