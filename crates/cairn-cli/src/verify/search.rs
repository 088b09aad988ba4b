//! The explorations that decide a task.
//!
//! # Soundness
//!
//! `TRUE` only if the run was complete: every path was followed to an end, nothing stands for something else, and no path met an
//! error that leaves open what the program does after it. `FALSE` only if the test of the violation was run again on the concrete
//! machine, which has no terms and no solver, and it met the same error at the same place. Everything else is `UNKNOWN`, with the
//! first reason.

use super::VerifyOptions;
use super::attempts::Attempts;
use super::meaning::{self, EndMeaning};
use super::question::TaskQuestion;
use super::surroundings::SurroundingsUses;
use super::verdict::TaskVerdict;
use crate::environment::{Environment, HostFiles};
use crate::exit::{self, Failure};
use crate::prepare::{self, DescribedSystem, EntryFunction, LoadedProgram, Request};
use crate::signals;
use cairn_engine::search::SearchError;
use cairn_engine::{
    Config, Exploration, Explorer, Finding, Limits, MemoryConfig, Observer, Outcome, PlainEnd,
    RerunVerdict, Shared, SourceLine, StopCause, TestCase, TestRerun,
};
use cairn_ir::{PlaceId, Program};
use cairn_llvm::{LowerOptions, Overshift};
use cairn_verify::{Property, Violation};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Bytes of the stack: more than any machine gives a program by default, because its size is not the property's.
const STACK: u64 = 1 << 30;

/// Instructions that a test may take when it is run again.
const RERUN_LIMIT: u64 = 1 << 32;

/// What the compiler is told: programs of tasks are old, and what it only warns of is no error.
const FLAGS: [&str; 7] = [
    "-O0",
    "-w",
    "-Wno-implicit-function-declaration",
    "-Wno-implicit-int",
    "-Wno-int-conversion",
    "-Wno-incompatible-function-pointer-types",
    "-Wno-return-mismatch",
];

/// The inputs of a path, in the order in which they were made.
#[derive(Clone)]
pub(super) struct PathInputs {
    /// Name, bytes, and the call that made it.
    pub objects: Vec<(String, Vec<u8>, PlaceId)>,
    /// The path may depend on what no test holds.
    hidden: bool,
}

impl PathInputs {
    fn of(test: &TestCase) -> Self {
        let unknown = std::iter::repeat(&PlaceId::UNKNOWN);
        let places = test.made_at.iter().chain(unknown);
        let objects = test.objects.iter().zip(places);
        PathInputs {
            objects: objects
                .map(|((name, bytes), at)| (name.to_string(), bytes.clone(), *at))
                .collect(),
            hidden: test.hidden,
        }
    }

    fn test(&self) -> TestCase {
        let objects = self.objects.iter();
        TestCase {
            objects: objects
                .map(|(name, bytes, _)| (name.as_str().into(), bytes.clone()))
                .collect(),
            ..TestCase::default()
        }
    }
}

/// What it is told besides of a preprocessed program. Headers of newer versions of gcc give `malloc` an attribute with arguments, which clang
/// does not know; a macro takes them away. Names that are macros of the compiler are names in such a file.
const PREPROCESSED: [&str; 6] = [
    "-xc",
    "-D__malloc__(...)=__malloc__",
    "-Ulinux",
    "-Uunix",
    "-Ui386",
    "-fno-caret-diagnostics",
];

/// A violation that was found.
pub(super) struct FoundViolation {
    pub violation: Violation,
    pub message: String,
    pub place: SourceLine,
    /// The place in the program, with its column.
    pub at: PlaceId,
    pub inputs: PathInputs,
    outcome: Outcome,
}

/// A test of a path that ended.
pub(super) struct PathTest {
    pub inputs: PathInputs,
    pub covers_error: bool,
}

/// The answer and what it stands on.
pub(super) struct TaskAnswer {
    pub verdict: TaskVerdict,
    pub violation: Option<FoundViolation>,
    pub tests: Vec<PathTest>,
    pub program: Option<Arc<Program>>,
    pub bugs: Vec<String>,
    pub paths: u64,
    pub instructions: u64,
    /// How often the program was explored from its start.
    pub attempts: u32,
}

impl TaskAnswer {
    /// Nothing was explored.
    pub fn unknown(why: String) -> Self {
        TaskAnswer {
            verdict: TaskVerdict::Unknown(why),
            violation: None,
            tests: Vec::new(),
            program: None,
            bugs: Vec::new(),
            paths: 0,
            instructions: 0,
            attempts: 0,
        }
    }
}

/// What the observer of the exploration has collected.
#[derive(Default)]
struct Collected {
    violation: Option<FoundViolation>,
    /// The first error that leaves the property open.
    open: Option<String>,
    tests: Vec<PathTest>,
}

struct PropertyObserver {
    property: Property,
    keeps_tests: bool,
    collected: Arc<Mutex<Collected>>,
    /// The exploration that it observes, which holds it.
    shared: Arc<OnceLock<Weak<Shared>>>,
}

impl PropertyObserver {
    fn with<T>(&self, look: impl FnOnce(&mut Collected) -> T) -> T {
        look(
            &mut self
                .collected
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }
}

impl Observer for PropertyObserver {
    fn wants_test(&self, outcome: &Outcome) -> bool {
        match outcome {
            Outcome::Error(finding) => {
                let violates = matches!(
                    meaning::of(&self.property, finding),
                    EndMeaning::Violates(_)
                );
                violates || self.keeps_tests
            }
            Outcome::Exit(_) | Outcome::Signal(_) | Outcome::Silent => self.keeps_tests,
            Outcome::Unsupported(_)
            | Outcome::Stopped(_)
            | Outcome::Subsumed(_)
            | Outcome::Merged
            | Outcome::Contradiction => false,
        }
    }

    fn found(&self, finding: &Finding, _test: Option<u64>, program: &Program) {
        if meaning::of(&self.property, finding) != EndMeaning::Open {
            return;
        }
        let place = finding.place(program);
        let message = format!("another error at line {}: {}", place.line, finding.message);
        self.with(|collected| {
            collected.open.get_or_insert(message);
        });
    }

    fn test(&self, _number: u64, test: &TestCase, outcome: &Outcome, program: &Program) {
        let violation = match outcome {
            Outcome::Error(finding) => match meaning::of(&self.property, finding) {
                EndMeaning::Violates(violation) => Some((violation, finding)),
                EndMeaning::Ends | EndMeaning::Open => None,
            },
            _ => None,
        };
        self.with(|collected| {
            if self.keeps_tests {
                collected.tests.push(PathTest {
                    inputs: PathInputs::of(test),
                    covers_error: violation.is_some(),
                });
            }
            if let Some((violation, finding)) = violation
                && collected.violation.is_none()
            {
                let place = finding.place(program);
                let calls = finding.calls(program);
                let at = calls.iter().find(|(line, _)| *line == place);
                collected.violation = Some(FoundViolation {
                    violation,
                    message: finding.message.clone(),
                    at: at.map_or(PlaceId::UNKNOWN, |(_, at)| *at),
                    place,
                    inputs: PathInputs::of(test),
                    outcome: outcome.clone(),
                });
            }
        });
        let decided = violation.is_some() && self.property != Property::CoverBranches;
        if decided && let Some(shared) = self.shared.get().and_then(Weak::upgrade) {
            shared.stop_by(StopCause::Findings);
        }
    }

    fn message(&self, _text: &str) {}
    fn warning(&self, _text: &str) {}
    fn warning_once(&self, _text: &str) {}
}

/// Explores the program until the property is decided or a limit is reached.
///
/// # Errors
/// If the program cannot be compiled or started.
pub(super) fn decide(
    options: &VerifyOptions,
    question: &TaskQuestion,
    started: Instant,
) -> Result<TaskAnswer, Failure> {
    let property = &question.property.property;
    let mut loaded = load(options, question, started)?;
    if let Some(function) = property.function() {
        watch_calls(&mut loaded.program, function);
    }
    let uses = SurroundingsUses::of(&loaded.program, &question.property.entry);
    let missing_checks = std::mem::take(&mut loaded.missing_checks);
    let host = HostFiles::default();
    let described = DescribedSystem {
        environment: Environment::of(&[])?,
        host: &host,
    };
    let entry = EntryFunction::Main(&question.property.entry);
    let prepared = loaded.for_exploring(&question.program, entry, &described)?;
    let mut config = config(options, question, started);
    let program = prepared.configure(&mut config);
    let keeps_tests = question.property.property.wants_tests() || options.test_suite.is_some();
    let task = Task {
        question,
        program,
        uses,
        missing_checks,
        keeps_tests,
        running: RunningAttempt::default(),
    };
    task.running.stop_when_asked();
    let mut attempts = Attempts::new(keeps_tests);
    let used_before = cairn_home::cpu_seconds();
    let (mut paths, mut instructions) = (0, 0);
    loop {
        let left = || processor_time_left(options, used_before);
        let config = attempts
            .config(&config, options.search.as_deref(), left())
            .map_err(|e: SearchError| Failure::new(exit::USAGE, e))?;
        let (mut answer, result) = task.attempt(config)?;
        paths += answer.paths;
        instructions += answer.instructions;
        let decided = !matches!(answer.verdict, TaskVerdict::Unknown(_)) || !answer.bugs.is_empty();
        let unconfirmed = answer.violation.is_some();
        if decided
            || unconfirmed
            || task.running.is_asked_to_stop()
            || !attempts.go_on(&result, left())
        {
            (answer.paths, answer.instructions) = (paths, instructions);
            answer.attempts = attempts.made();
            return Ok(answer);
        }
    }
}

/// What is left of the limit on processor time. Where the system does not tell what was used, each attempt may use it all.
fn processor_time_left(options: &VerifyOptions, used_before: Option<f64>) -> Option<Duration> {
    let all = options.max_cpu_time?;
    let used = cairn_home::cpu_seconds()
        .zip(used_before)
        .map(|(now, before)| now - before);
    let used = Duration::try_from_secs_f64(used.unwrap_or_default().max(0.0));
    Some(all.saturating_sub(used.unwrap_or(all)))
}

/// The exploration that runs now, which signals end.
#[derive(Clone, Default)]
struct RunningAttempt(Arc<Mutex<(bool, Option<Arc<Shared>>)>>);

impl RunningAttempt {
    fn lock(&self) -> MutexGuard<'_, (bool, Option<Arc<Shared>>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_asked_to_stop(&self) -> bool {
        self.lock().0
    }

    fn begin(&self, shared: &Arc<Shared>) {
        let mut now = self.lock();
        now.1 = Some(Arc::clone(shared));
        if now.0 {
            shared.stop_by(StopCause::Interrupt);
        }
    }

    fn stop_when_asked(&self) {
        let running = self.clone();
        signals::stop_when_asked(move || {
            let mut now = running.lock();
            now.0 = true;
            if let Some(shared) = &now.1 {
                shared.stop_by(StopCause::Interrupt);
            }
        });
    }
}

/// A task that is ready to be explored.
struct Task<'q> {
    question: &'q TaskQuestion,
    program: Arc<Program>,
    uses: SurroundingsUses,
    missing_checks: Vec<String>,
    keeps_tests: bool,
    running: RunningAttempt,
}

impl Task<'_> {
    /// Explores the program once.
    fn attempt(&self, config: Config) -> Result<(TaskAnswer, Exploration), Failure> {
        let collected = Arc::new(Mutex::new(Collected::default()));
        let shared = Arc::new(OnceLock::new());
        let observer = PropertyObserver {
            property: self.question.property.property.clone(),
            keeps_tests: self.keeps_tests,
            collected: Arc::clone(&collected),
            shared: Arc::clone(&shared),
        };
        let program = Arc::clone(&self.program);
        let explorer = Explorer::new(program, config.clone(), Box::new(observer));
        let _ = shared.set(Arc::downgrade(explorer.shared()));
        for what in &self.missing_checks {
            let what = cairn_engine::Omission::Said(what.clone());
            explorer.shared().leave_out(what);
        }
        self.running.begin(explorer.shared());
        let result = explorer
            .run()
            .map_err(|e| Failure::new(exit::USAGE, anyhow::Error::from(e)))?;
        let collected =
            std::mem::take(&mut *collected.lock().unwrap_or_else(PoisonError::into_inner));
        let mut bugs: Vec<String> = result.bugs.clone();
        bugs.extend(result.mismatches.iter().map(ToString::to_string));
        let said = verdict(
            self.question,
            &config,
            &self.program,
            &collected,
            &result,
            &mut bugs,
        );
        let verdict = match said {
            // Such a path may take another way than it took before, and nothing shows it.
            TaskVerdict::True if result.merges.again > 0 => {
                let why =
                    "merged paths were run again, which does not prove that all were followed";
                TaskVerdict::Unknown(why.to_string())
            }
            TaskVerdict::True => {
                let asked = self.uses.asked(explorer.shared());
                asked.map_or(TaskVerdict::True, TaskVerdict::Unknown)
            }
            other => other,
        };
        let answer = TaskAnswer {
            verdict,
            violation: collected.violation,
            tests: collected.tests,
            program: Some(Arc::clone(&self.program)),
            bugs,
            paths: result.completed + result.errors,
            instructions: result.instructions,
            attempts: 1,
        };
        Ok((answer, result))
    }
}

fn verdict(
    question: &TaskQuestion,
    config: &Config,
    program: &Arc<Program>,
    collected: &Collected,
    result: &Exploration,
    bugs: &mut Vec<String>,
) -> TaskVerdict {
    if question.property.property.wants_tests() {
        return TaskVerdict::Done;
    }
    if let Some(found) = &collected.violation {
        return match confirmed(config, program, found) {
            Ok(()) => TaskVerdict::False(found.violation),
            Err(Unconfirmed::Hidden) => TaskVerdict::Unknown(format!(
                "{} may be violated at line {}, but that depends on memory that was never written, which no test holds",
                found.violation.name(),
                found.place.line
            )),
            Err(Unconfirmed::Differs(what)) => {
                bugs.push(what);
                TaskVerdict::Unknown(
                    "a violation was found that its test does not show".to_string(),
                )
            }
        };
    }
    if let Some(bug) = bugs.first() {
        return TaskVerdict::Unknown(format!("a bug in Cairn: {bug}"));
    }
    if let Some(open) = &collected.open {
        return TaskVerdict::Unknown(open.clone());
    }
    match result.incomplete.first() {
        Some(omitted) => TaskVerdict::Unknown(omitted.to_string()),
        None => TaskVerdict::True,
    }
}

/// Why a test does not confirm a violation.
enum Unconfirmed {
    /// It depends on what no test holds.
    Hidden,
    /// It ends in another way.
    Differs(String),
}

/// Runs the test of a violation on the concrete machine. There memory that was never written is zero, which it may be: if the run shows the
/// violation, it is one, whether the path depends on such memory or not.
fn confirmed(
    config: &Config,
    program: &Arc<Program>,
    found: &FoundViolation,
) -> Result<(), Unconfirmed> {
    if found.inputs.hidden && found.violation == Violation::Tracking {
        // The machine sees that memory was not freed, and not whether something points to it.
        return Err(Unconfirmed::Hidden);
    }
    let rerun = TestRerun::new(Arc::clone(program), config);
    let rerun = rerun.map_err(|error| Unconfirmed::Differs(error.to_string()))?;
    match rerun.check(&found.inputs.test(), &found.outcome, RERUN_LIMIT, &|| false) {
        RerunVerdict::Agree => Ok(()),
        RerunVerdict::Differ { .. } if found.inputs.hidden => Err(Unconfirmed::Hidden),
        RerunVerdict::Skipped(_) => Err(Unconfirmed::Hidden),
        RerunVerdict::Differ { expected, happened } => Err(Unconfirmed::Differs(format!(
            "a test was recorded as {expected}, but the concrete machine {happened}"
        ))),
    }
}

/// Compiles and loads the program, with the checks that the property needs.
fn load(
    options: &VerifyOptions,
    question: &TaskQuestion,
    started: Instant,
) -> Result<LoadedProgram, Failure> {
    let is_overflow = question.property.property == Property::NoOverflow;
    let mut flags: Vec<String> = FLAGS.iter().map(ToString::to_string).collect();
    if is_overflow {
        flags.push("-fsanitize=shift-base".to_string());
    }
    if question.program.extension().is_some_and(|e| e == "i") {
        flags.extend(PREPROCESSED.map(str::to_string));
    }
    prepare::load(Request {
        file: &question.program,
        flags,
        checks: LowerOptions {
            check_signed_overflow: is_overflow,
            check_overshift: Overshift::default(),
            check_folded: true,
            check_scopes: true,
            ..LowerOptions::default()
        },
        libc: None,
        deadline: started.checked_add(options.max_time),
    })
}

/// A call of this function is what is looked for, whatever the program says that it does.
fn watch_calls(program: &mut Program, function: &str) {
    let Some(id) = program.find_function(function) else {
        return;
    };
    let function = &mut program.functions[id.index()];
    function.body = None;
    function.name = "reach_error".to_string();
}

/// Calls by which a program ends itself that say nothing about the property.
fn plain_ends(property: &Property) -> Vec<PlainEnd> {
    let mut ends = vec![PlainEnd::Abort, PlainEnd::Assertion];
    if property.function().is_none() {
        ends.push(PlainEnd::ErrorCall);
    }
    ends
}

/// What all attempts are told.
fn config(options: &VerifyOptions, question: &TaskQuestion, started: Instant) -> Config {
    let property = &question.property.property;
    let defaults = Config::default();
    let looks_for_leaks = match property {
        Property::MemorySafety(rules) => rules.contains(&Violation::Tracking),
        Property::MemoryCleanup => true,
        Property::UnreachCall(_)
        | Property::NoOverflow
        | Property::Termination
        | Property::CoverCall(_)
        | Property::CoverBranches => false,
    };
    Config {
        seed: options.seed,
        jobs: options.jobs,
        limits: Limits {
            start: Some(started),
            time: Some(options.max_time),
            memory: options.max_memory,
            ..Limits::default()
        },
        memory: MemoryConfig {
            stack_bytes: STACK,
            ..defaults.memory
        },
        check_leaks: looks_for_leaks,
        check_unfreed: *property == Property::MemoryCleanup,
        plain_ends: plain_ends(property),
        // Errors of one kind on one line are not one error here.
        all_errors: true,
        only_covering_new: *property == Property::CoverBranches || options.test_suite.is_some(),
        args: vec![question.program.to_string_lossy().into_owned().into_bytes()],
        ..defaults
    }
}
