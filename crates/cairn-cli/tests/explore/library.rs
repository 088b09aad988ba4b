//! Exploring inside this process: a program is compiled once and explored many times.

use crate::expectation::{Seen, SeenFinding, SeenTest};
use cairn_engine::{
    Config, Exploration, Explorer, Finding, HARNESS, HARNESS_ENTRY, Observer, Outcome, TestCase,
    Unwritten,
};
use cairn_home::{ScratchFolder, install_headers};
use cairn_ir::Program;
use cairn_llvm::LowerOptions;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// A program that can be explored, and how.
pub struct Explorable {
    program: Arc<Program>,
    /// What its flags ask for.
    pub config: Config,
    /// Errors that cannot be found in it.
    missing_checks: Vec<String>,
}

/// Flags of `cairn run` that programs of the corpus use.
#[derive(Default)]
struct Flags {
    compiler: Vec<String>,
    check_overflow: bool,
    config: Config,
}

fn parse(flags: &[String]) -> Result<Flags, String> {
    let mut parsed = Flags::default();
    let mut words = flags.iter();
    while let Some(flag) = words.next() {
        let value = words.next().ok_or(format!("{flag} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|e| format!("{flag}: {e}"));
        let config = &mut parsed.config;
        match flag.as_str() {
            "--cc-flag" => parsed.compiler.push(value.clone()),
            "--check" => match value.as_str() {
                "overflow" => parsed.check_overflow = true,
                "leak" => config.check_leaks = true,
                "uninit" => config.check_uninit = true,
                other => return Err(format!("--check {other} is not known")),
            },
            "--entry" => config.entry = value.clone(),
            "--max-depth" => config.limits.depth = Some(number()? as u32),
            "--max-symbolic-size" => config.max_symbolic_size = number()?,
            "--max-findings" => config.limits.findings = Some(number()?),
            "--max-forks" => config.limits.forks = Some(number()?),
            "--max-instructions" => config.limits.instructions = Some(number()?),
            "--uninit" if value == "zero" => config.unwritten = Unwritten::Zero,
            other => return Err(format!("{other} {value} is not known")),
        }
    }
    Ok(parsed)
}

impl Explorable {
    /// Compiles and lowers a program.
    pub fn new(source: &Path, flags: &[String]) -> Result<Explorable, String> {
        let mut flags = parse(flags)?;
        let folder = ScratchFolder::new().map_err(|e| e.to_string())?;
        install_headers(folder.path()).map_err(|e| e.to_string())?;
        let mut compiler = std::mem::take(&mut flags.compiler);
        compiler.push("-w".to_string());
        compiler.push(format!("-I{}", folder.path().display()));
        let bitcode = folder.path().join("program.bc");
        let options = LowerOptions {
            check_signed_overflow: flags.check_overflow,
            check_folded: true,
            check_scopes: true,
            compiled_for_checks: true,
            defined_elsewhere: cairn_machine::native_names()
                .chain(cairn_engine::intrinsic_names())
                .map(str::to_string)
                .collect(),
            ..LowerOptions::default()
        };
        let lowered = |after_folding: bool| {
            let mut all = cairn_llvm::check_flags(&compiler, &options, after_folding);
            all.extend(compiler.iter().cloned());
            let notes = cairn_llvm::compile(source, &all, &bitcode).map_err(|e| e.to_string())?;
            let lowered = cairn_llvm::load(&bitcode, &options).map_err(|e| e.to_string())?;
            Ok::<_, String>((lowered, notes))
        };
        let (first, notes) = lowered(false)?;
        let lowered = match first.folded || notes.shifts_too_far {
            true => lowered(true)?.0,
            false => first,
        };
        let mut program = lowered.program;
        cairn_ir::verify::verify(&program).map_err(|e| format!("not valid: {}", e[0]))?;
        cairn_machine::link_runtime(&mut program).map_err(|e| e.to_string())?;
        if program.find_function("main").is_none() && program.find_function(HARNESS).is_some() {
            cairn_engine::link_harness(&mut program).map_err(|e| e.to_string())?;
            flags.config.entry = HARNESS_ENTRY.to_string();
        }
        if program.find_function(&flags.config.entry).is_none() {
            return Err(format!("no function {}", flags.config.entry));
        }
        Ok(Explorable {
            program: Arc::new(program),
            config: flags.config,
            missing_checks: lowered.missing_checks,
        })
    }

    /// Explores and gives what was found, with all tests.
    pub fn explore(&self, config: Config) -> Result<Seen, String> {
        let tests = Arc::default();
        let collector = Collector(Some(Arc::clone(&tests)));
        let result = self.run(config, collector)?;
        let tests = std::mem::take(&mut *tests.lock().expect("the workers have ended"));
        let mut seen = seen(&result, tests);
        seen.incomplete.extend(self.missing_checks.iter().cloned());
        if seen.exit == 0 && !self.missing_checks.is_empty() {
            seen.exit = 2;
        }
        Ok(seen)
    }

    /// Explores and counts.
    pub fn count(&self, config: Config) -> Result<Exploration, String> {
        self.run(config, Collector(None))
    }

    fn run(&self, config: Config, collector: Collector) -> Result<Exploration, String> {
        Explorer::new(Arc::clone(&self.program), config, Box::new(collector))
            .run()
            .map_err(|e| e.to_string())
    }
}

/// Keeps tests, if somebody wants them.
struct Collector(Option<Arc<Mutex<Vec<SeenTest>>>>);

impl Observer for Collector {
    fn wants_test(&self, _outcome: &Outcome) -> bool {
        self.0.is_some()
    }

    fn found(&self, _finding: &Finding, _test: Option<u64>, _program: &Program) {}

    fn test(&self, _number: u64, test: &TestCase, outcome: &Outcome, _program: &Program) {
        let Some(tests) = &self.0 else { return };
        tests.lock().expect("no worker panics here").push(SeenTest {
            of_error: matches!(outcome, Outcome::Error(_)),
            objects: test
                .objects
                .iter()
                .map(|(name, bytes)| (name.to_string(), bytes.clone()))
                .collect(),
        });
    }

    fn message(&self, _text: &str) {}

    fn warning(&self, _text: &str) {}

    fn warning_once(&self, _text: &str) {}
}

fn seen(result: &Exploration, tests: Vec<SeenTest>) -> Seen {
    let mut incomplete: Vec<String> = result.incomplete.iter().map(ToString::to_string).collect();
    incomplete.extend(result.stopped_by.map(|limit| limit.name().to_string()));
    Seen {
        paths: (result.completed, result.errors),
        findings: result
            .findings
            .iter()
            .map(|(place, reported)| SeenFinding {
                kind: reported.finding.kind.word().to_string(),
                line: u64::from(place.line),
                message: reported.finding.message.clone(),
            })
            .collect(),
        tests,
        exit: match (result.errors, incomplete.is_empty()) {
            (1.., _) => 1,
            (0, false) => 2,
            (0, true) => 0,
        },
        incomplete,
    }
}
