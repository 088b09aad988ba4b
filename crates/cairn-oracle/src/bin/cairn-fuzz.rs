//! `cairn-fuzz`: compares Cairn with Z3 on random queries and scripts, and with native programs on
//! random programs; selects hard queries.
//!
//! Exit codes: 0 agreement, 1 disagreement, 2 wrong use or a failure of the machine.

use cairn_oracle::cache;
use cairn_oracle::compare::{self, Programs};
use cairn_oracle::differential::{self, Settings};
use cairn_oracle::environment::{self, Tier};
use cairn_oracle::pointers;
use cairn_oracle::programs::{self, SourceKind};
use cairn_oracle::select::{self, Rule};
use cairn_oracle::selfie;
use cairn_oracle::sets;
use cairn_oracle::z3::Program;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

const USAGE: &str = "\
cairn-fuzz [--queries N] [--seed S] [--seconds T] [--extra N] [--session N]
    asks random queries of many chains and of Z3
cairn-fuzz sets [--queries N] [--seed S] [--sample N]
    asks small random queries of the layers of value sets; every model is evaluated, our own core solver
    confirms every unsat core, and Z3 decides one query of N, too
cairn-fuzz cache [--queries N] [--seed S] [--sample N] [--layers LIST]
cairn-fuzz cache --programs N [--seed S] [--layers LIST] [--cairn PATH] [--keep DIR] [--jobs N]
    small queries that are renamings of each other, or nearly, asked of one chain with a cache; every answer is decided by trying
    all values, one of N by Z3, too. Or programs that look at addresses, explored with the cache and without it. LIST: the
    layers with the cache, the usual ones if it is not given
cairn-fuzz show-cache --seed S
    prints the program of a seed
cairn-fuzz select-hard --out FILE [--z3 PATH] [--seconds T] [--from SEED]
    selects hard queries by Z3's time; FILE is continued if it exists
cairn-fuzz scripts [--count N] [--seed S] [--cairn PATH] [--z3 PATH] [--core NAME]
    runs random SMT-LIB scripts through `cairn solve` and Z3
cairn-fuzz programs [--count N] [--seconds T] [--seed S] [--keep DIR] [--level 0|1|2|3]
                    [--only csmith|floats|varargs|vectors|layout|memory|cxx]
    runs random C and C++ programs natively and on the concrete machine; the sources of
    disagreements are written to DIR, \"cairn-disagreements\" if it is not given
cairn-fuzz modules [--count N] [--seed S] [--cairn PATH] [--keep DIR]
    damages bitcode and assembly and has `cairn run` read them; what is neither read nor refused
    with a message is written to DIR, \"cairn-disagreements\" if it is not given
cairn-fuzz environment [--count N] [--seed S] [--single] [--runs N] [--tier alike|usual|harsh]
                       [--cairn PATH] [--keep DIR] [--jobs N]
    explores random programs that ask the kernel and the C library and runs them natively under many
    conditions (30 runs of each, or as --runs says): if exploring was complete, every native run ends as
    some path does. Conditions are alike what the model promises, usual (any user, variables, input) or
    harsh (small limits, closed descriptors); --tier names the last of them, usual if it is not given.
    --single: one program for each question of the table, and random ones only if --count asks for
    them. The sources of disagreements are written to DIR, \"cairn-disagreements\" if it is not given
cairn-fuzz pointers [--count N] [--seed S] [--seconds T] [--cairn PATH] [--keep DIR] [--jobs N]
    explores random programs with pointers that inputs choose, with a path for each object and with one path for
    all: the same errors and the same ends. The sources of disagreements are written to DIR,
    \"cairn-disagreements\" if it is not given
cairn-fuzz show-pointers --seed S
    prints the program of a seed
cairn-fuzz show-environment --seed S
    prints the program of a seed
cairn-fuzz selfie [--count N] [--seed S] [--runs N] [--cairn PATH] [--keep DIR]
    random programs in C* as executables of the fork of Selfie: all their runs, on the tree and natively,
    against `cairn run`: paths, ends, findings, and N concrete runs of each; the files of disagreements
    are written to DIR, \"cairn-disagreements\" if it is not given
cairn-fuzz show-selfie --seed S
    prints the program of a seed
cairn-fuzz program --file FILE [--flags OPTIONS] [--level 0|1|2|3]
    runs one C or C++ program natively and on the concrete machine
cairn-fuzz show-program --only KIND --seed S
    prints the program of a seed
cairn-fuzz show-hard --seed S, cairn-fuzz show-script --seed S
    print the hard query or the script of a seed as SMT-LIB";

fn main() -> ExitCode {
    match command() {
        Ok(agrees) => ExitCode::from(u8::from(!agrees)),
        Err(why) => {
            eprintln!("cairn-fuzz: {why}");
            ExitCode::from(2)
        }
    }
}

/// The options of a command: pairs of `--name` and value.
struct Options(Vec<(String, String)>);

impl Options {
    fn read(args: &[String], known: &[&str]) -> Result<Self, String> {
        let mut all = Vec::new();
        for pair in args.chunks(2) {
            match pair {
                [name, value] if known.contains(&name.as_str()) => {
                    all.push((name.clone(), value.clone()));
                }
                _ => return Err(format!("cannot use \"{}\"\n{USAGE}", pair.join(" "))),
            }
        }
        Ok(Options(all))
    }

    fn text(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().rev().find(|(n, _)| n == name);
        found.map(|(_, v)| v.as_str())
    }

    fn number(&self, name: &str, default: u64) -> Result<u64, String> {
        match self.text(name) {
            None => Ok(default),
            Some(text) => text
                .parse()
                .map_err(|_| format!("{name} expects a number, found \"{text}\"")),
        }
    }

    fn seconds(&self, name: &str) -> Result<Option<Duration>, String> {
        match self.text(name) {
            None => Ok(None),
            Some(_) => Ok(Some(Duration::from_secs(self.number(name, 0)?))),
        }
    }

    fn kind(&self) -> Result<Option<SourceKind>, String> {
        match self.text("--only") {
            None => Ok(None),
            Some(name) => match SourceKind::of_name(name) {
                Some(kind) => Ok(Some(kind)),
                None => Err(format!("no kind of programs is called \"{name}\"\n{USAGE}")),
            },
        }
    }

    fn level(&self) -> Result<Option<u8>, String> {
        if self.text("--level").is_none() {
            return Ok(None);
        }
        match self.number("--level", 0)? {
            level @ 0..=3 => Ok(Some(level as u8)),
            level => Err(format!("there is no level {level}")),
        }
    }

    fn z3(&self) -> Result<Program, String> {
        match self.text("--z3") {
            Some(path) => Ok(Program::at(path)),
            None => Program::find().ok_or_else(|| "no z3 in the search path; use --z3".to_string()),
        }
    }
}

/// Damaged modules through `cairn run`.
fn damage_modules(args: &[String]) -> Result<bool, String> {
    let options = Options::read(args, &["--count", "--seed", "--cairn", "--keep"])?;
    let cairn = PathBuf::from(options.text("--cairn").unwrap_or("target/release/cairn"));
    let keep = PathBuf::from(options.text("--keep").unwrap_or("cairn-disagreements"));
    let (count, seed) = (
        options.number("--count", 1000)?,
        options.number("--seed", 1)?,
    );
    let mut kept = 0;
    let tally = cairn_oracle::damage::run(&cairn, seed, count, &mut |bytes, kind, what| {
        let file = keep.join(format!("damaged-{seed}-{kept}.{kind}"));
        kept += 1;
        let written = std::fs::create_dir_all(&keep).and_then(|()| std::fs::write(&file, bytes));
        println!("{}: {what}", file.display());
        if let Err(e) = written {
            println!("  (not kept: {e})");
        }
    })?;
    println!(
        "{count} damaged modules: {} read all the same, {} refused with a message, {} neither",
        tally.read, tally.refused, tally.wrong
    );
    Ok(tally.wrong == 0)
}

fn command() -> Result<bool, String> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some("select-hard") => select_hard(&args[1..]),
        Some("sets") => value_sets(&args[1..]),
        Some("scripts") => scripts(&args[1..]),
        Some("programs") => compare_programs(&args[1..]),
        Some("modules") => damage_modules(&args[1..]),
        Some("environment") => environment_answers(&args[1..]),
        Some("selfie") => selfie_programs(&args[1..]),
        Some("show-selfie") => {
            let options = Options::read(&args[1..], &["--seed"])?;
            print!("{}", selfie::generate(options.number("--seed", 0)?));
            Ok(true)
        }
        Some("pointers") => chosen_pointers(&args[1..]),
        Some("cache") => caches(&args[1..]),
        Some("show-cache") => {
            let options = Options::read(&args[1..], &["--seed"])?;
            print!("{}", cache::text_of(options.number("--seed", 0)?));
            Ok(true)
        }
        Some("show-pointers") => {
            let options = Options::read(&args[1..], &["--seed"])?;
            print!("{}", pointers::random(options.number("--seed", 0)?).text);
            Ok(true)
        }
        Some("show-environment") => {
            let options = Options::read(&args[1..], &["--seed"])?;
            print!("{}", environment::random(options.number("--seed", 0)?).text);
            Ok(true)
        }
        Some("program") => compare_program(&args[1..]),
        Some("show-program") => {
            let options = Options::read(&args[1..], &["--seed", "--only"])?;
            let kind = options.kind()?.ok_or("show-program needs --only KIND")?;
            let source = programs::generate(kind, options.number("--seed", 0)?);
            let source = source.map_err(|e| e.to_string())?;
            print!("// {}\n{}", source.flags.join(" "), source.text);
            Ok(true)
        }
        Some("show-script") => {
            let options = Options::read(&args[1..], &["--seed"])?;
            print!(
                "{}",
                cairn_oracle::scripts::script(options.number("--seed", 0)?)
            );
            Ok(true)
        }
        Some("show-hard") => {
            let options = Options::read(&args[1..], &["--seed"])?;
            print!("{}", select::script(options.number("--seed", 0)?));
            Ok(true)
        }
        Some("help" | "--help" | "-h") => {
            println!("{USAGE}");
            Ok(true)
        }
        Some(_) | None => queries(&args),
    }
}

fn queries(args: &[String]) -> Result<bool, String> {
    let known = ["--queries", "--seed", "--seconds", "--extra", "--session"];
    let options = Options::read(args, &known)?;
    let usual = Settings::default();
    let settings = Settings {
        queries: options.number("--queries", usual.queries)?,
        seed: options.number("--seed", usual.seed)?,
        limit: options.seconds("--seconds")?,
        extra: options.number("--extra", usual.extra as u64)? as usize,
        session: options.number("--session", usual.session)?,
        ..usual
    };
    let report = differential::run(&settings, &mut |f| {
        println!(
            "seed {} query {} {}: {}\n{}",
            f.seed, f.number, f.configuration, f.problem, f.script
        );
    });
    print!("{}", report.table());
    Ok(report.failures.is_empty())
}

fn value_sets(args: &[String]) -> Result<bool, String> {
    let options = Options::read(args, &["--queries", "--seed", "--sample"])?;
    let usual = sets::Settings::default();
    let settings = sets::Settings {
        queries: options.number("--queries", usual.queries)?,
        seed: options.number("--seed", usual.seed)?,
        sample: options.number("--sample", usual.sample)?,
        ..usual
    };
    let report = sets::run(&settings, &mut |failure| println!("{failure}"));
    print!("{}", report.table());
    Ok(report.failures.is_empty())
}

/// The command `cairn` next to this one, where cargo builds it.
fn find_cairn() -> Result<PathBuf, String> {
    let here = std::env::current_exe().map_err(|e| e.to_string())?;
    let beside = here.with_file_name("cairn");
    if beside.is_file() {
        return Ok(beside);
    }
    Err("no cairn beside this program; build it or use --cairn".to_string())
}

fn scripts(args: &[String]) -> Result<bool, String> {
    let known = ["--count", "--seed", "--cairn", "--z3", "--core", "--layers"];
    let options = Options::read(args, &known)?;
    let mut more = Vec::new();
    for name in ["--core", "--layers"] {
        if let Some(value) = options.text(name) {
            more.extend([name.to_string(), value.to_string()]);
        }
    }
    let programs = Programs {
        cairn: match options.text("--cairn") {
            Some(path) => PathBuf::from(path),
            None => find_cairn()?,
        },
        options: more,
        z3: options.z3()?,
        limit: Duration::from_secs(20),
        directory: std::env::temp_dir(),
    };
    let (first, count) = (
        options.number("--seed", 0)?,
        options.number("--count", 500)?,
    );
    let all = compare::compare(&programs, first, count, &mut |seed, problem| {
        println!("seed {seed}: {problem}");
    })
    .map_err(|e| e.to_string())?;
    println!(
        "{} scripts: {} checks agree ({} sat), {} not decided by both; \
         {} models and {} cores confirmed; disagreements: {}",
        all.scripts,
        all.checks,
        all.sat,
        all.undecided,
        all.models,
        all.cores,
        all.disagreements.len()
    );
    Ok(all.disagreements.is_empty())
}

fn compare_programs(args: &[String]) -> Result<bool, String> {
    let known = [
        "--count",
        "--seconds",
        "--seed",
        "--only",
        "--keep",
        "--level",
    ];
    let options = Options::read(args, &known)?;
    if let Some(problem) = programs::compiler_problem() {
        return Err(problem);
    }
    let usual = programs::Settings::default();
    let mut settings = programs::Settings {
        seed: options.number("--seed", usual.seed)?,
        limit: options.seconds("--seconds")?,
        keep: Some(PathBuf::from(
            options.text("--keep").unwrap_or("cairn-disagreements"),
        )),
        ..usual
    };
    // With a time limit and no count, the time decides.
    let count = match settings.limit {
        Some(_) => u64::MAX,
        None => settings.count,
    };
    settings.count = options.number("--count", count)?;
    if let Some(level) = options.level()? {
        settings.levels = vec![level];
    }
    if let Some(kind) = options.kind()? {
        settings.kinds = vec![kind];
    } else if !programs::csmith_available() {
        println!("no csmith: its programs are left out");
        settings.kinds.retain(|k| *k != SourceKind::Csmith);
    }
    let report = programs::run(&settings, &mut |d| {
        let file = d.file.as_ref().map(|f| f.display().to_string());
        println!(
            "{} seed {} -O{} {}: {}\n    {}",
            d.kind.name(),
            d.seed,
            d.level,
            d.flags.join(" "),
            d.what,
            file.unwrap_or_default()
        );
    })
    .map_err(|e| e.to_string())?;
    print!("{}", report.table());
    Ok(report.disagreements.is_empty())
}

/// Programs that depend on answers of the environment, explored and run natively.
fn environment_answers(args: &[String]) -> Result<bool, String> {
    let single = args.iter().any(|a| a == "--single");
    let pairs: Vec<String> = args.iter().filter(|a| *a != "--single").cloned().collect();
    let known = [
        "--count", "--seed", "--runs", "--tier", "--cairn", "--keep", "--jobs",
    ];
    let options = Options::read(&pairs, &known)?;
    let usual = environment::Settings::default();
    let settings = environment::Settings {
        count: options.number("--count", if single { 0 } else { usual.count })?,
        seed: options.number("--seed", usual.seed)?,
        single,
        tier: match options.text("--tier") {
            None => usual.tier,
            Some(name) => Tier::of_name(name)
                .ok_or_else(|| format!("no tier of conditions is called \"{name}\"\n{USAGE}"))?,
        },
        runs: options.number("--runs", usual.runs as u64)? as usize,
        cairn: match options.text("--cairn") {
            Some(path) => PathBuf::from(path),
            None => find_cairn()?,
        },
        keep: Some(PathBuf::from(
            options.text("--keep").unwrap_or("cairn-disagreements"),
        )),
        jobs: options.number("--jobs", usual.jobs as u64)? as usize,
    };
    let report = environment::run(&settings)?;
    for one in &report.disagreements {
        println!("{}", one.text());
    }
    print!("{}", report.table());
    Ok(report.disagreements.is_empty())
}

/// Programs in C*, as executables of the fork of Selfie.
fn selfie_programs(args: &[String]) -> Result<bool, String> {
    let known = ["--count", "--seed", "--runs", "--cairn", "--keep"];
    let options = Options::read(args, &known)?;
    let settings = selfie::Settings {
        count: options.number("--count", 60)?,
        seed: options.number("--seed", 0)?,
        runs: options.number("--runs", 2)? as usize,
        cairn: match options.text("--cairn") {
            Some(path) => PathBuf::from(path),
            None => find_cairn()?,
        },
        keep: Some(PathBuf::from(
            options.text("--keep").unwrap_or("cairn-disagreements"),
        )),
    };
    let report = selfie::check(&settings)?;
    for (seed, what) in &report.disagreements {
        println!("seed {seed}: {what}");
    }
    println!(
        "{} programs ({} left out), {} runs on the tree and natively, {} paths, {} errors, {} concrete runs: {} disagree",
        report.programs,
        report.skipped,
        report.runs,
        report.paths,
        report.findings,
        report.concrete,
        report.disagreements.len()
    );
    Ok(report.disagreements.is_empty())
}

/// Programs with pointers that inputs choose, under every policy of memory.
fn chosen_pointers(args: &[String]) -> Result<bool, String> {
    let known = [
        "--count",
        "--seed",
        "--seconds",
        "--cairn",
        "--keep",
        "--jobs",
    ];
    let options = Options::read(args, &known)?;
    let settings = pointers::Settings {
        count: options.number("--count", 200)?,
        seed: options.number("--seed", 0)?,
        limit: options.seconds("--seconds")?,
        cairn: match options.text("--cairn") {
            Some(path) => PathBuf::from(path),
            None => find_cairn()?,
        },
        keep: Some(PathBuf::from(
            options.text("--keep").unwrap_or("cairn-disagreements"),
        )),
        jobs: options.number("--jobs", 2)? as usize,
    };
    let report = pointers::run(&settings, &mut |seed, what| println!("seed {seed}: {what}"))?;
    println!("{}", report.text());
    Ok(report.disagreements.is_empty())
}

/// Caches up to names: renamed queries, or programs with a cache and without.
fn caches(args: &[String]) -> Result<bool, String> {
    let known = [
        "--queries",
        "--programs",
        "--seed",
        "--sample",
        "--layers",
        "--cairn",
        "--keep",
        "--jobs",
    ];
    let options = Options::read(args, &known)?;
    let lists: Vec<String> = options
        .text("--layers")
        .map(str::to_string)
        .into_iter()
        .collect();
    let seed = options.number("--seed", 0)?;
    if options.text("--programs").is_none() {
        let usual = cache::QuerySettings::default();
        let settings = cache::QuerySettings {
            queries: options.number("--queries", usual.queries)?,
            seed,
            lists,
            sample: options.number("--sample", usual.sample)?,
            ..usual
        };
        let report = cache::queries(&settings, &mut |failure| println!("{failure}"))?;
        print!("{}", report.table());
        return Ok(report.failures.is_empty());
    }
    let settings = cache::ProgramSettings {
        count: options.number("--programs", 0)?,
        seed,
        lists,
        cairn: match options.text("--cairn") {
            Some(path) => PathBuf::from(path),
            None => find_cairn()?,
        },
        keep: Some(PathBuf::from(
            options.text("--keep").unwrap_or("cairn-disagreements"),
        )),
        jobs: options.number("--jobs", 2)? as usize,
    };
    let report = cache::programs(&settings, &mut |seed, what| println!("seed {seed}: {what}"))?;
    println!("{}", report.text());
    Ok(report.disagreements.is_empty())
}

fn compare_program(args: &[String]) -> Result<bool, String> {
    let options = Options::read(args, &["--file", "--flags", "--level"])?;
    let file = PathBuf::from(options.text("--file").ok_or("program needs --file FILE")?);
    let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    let is_c = file.extension().is_some_and(|e| e == "c");
    let flags = options.text("--flags").unwrap_or("-w").split_whitespace();
    let source = programs::SourceText {
        kind: if is_c {
            SourceKind::Csmith
        } else {
            SourceKind::Cxx
        },
        text,
        flags: flags.map(str::to_string).collect(),
    };
    let mut settings = programs::Settings::default();
    if let Some(level) = options.level()? {
        settings.levels = vec![level];
    }
    let all = programs::compare_text(&settings, &source).map_err(|e| e.to_string())?;
    for (level, what) in &all {
        println!("-O{level}: {}", what.as_deref().unwrap_or("the same"));
    }
    Ok(all.iter().all(|(_, what)| what.is_none()))
}

fn select_hard(args: &[String]) -> Result<bool, String> {
    let options = Options::read(args, &["--out", "--z3", "--seconds", "--from"])?;
    let path = PathBuf::from(
        options
            .text("--out")
            .ok_or("select-hard needs --out FILE")?,
    );
    let rule = Rule {
        total: options.seconds("--seconds")?,
        ..Rule::default()
    };
    let z3 = options.z3()?;
    let failed = |e: std::io::Error| format!("{}: {e}", path.display());
    let before = match std::fs::read_to_string(&path) {
        Ok(text) => select::read(&text),
        Err(_) => Vec::new(),
    };
    let last = before.last().map_or(0, |k| k.seed + 1);
    let first = options.number("--from", last)?;
    let mut out = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path)
        .map_err(failed)?;
    if before.is_empty() {
        writeln!(
            out,
            "# seed family verdict seconds, by cairn-fuzz select-hard"
        )
        .map_err(failed)?;
    }
    let kept = select::select(&z3, &rule, &mut out, before, first).map_err(failed)?;
    let count = |v: &str| kept.iter().filter(|k| k.verdict == v).count();
    println!(
        "{} kept: {} sat, {} unsat, {} not decided",
        kept.len(),
        count("sat"),
        count("unsat"),
        count("unknown")
    );
    Ok(true)
}
