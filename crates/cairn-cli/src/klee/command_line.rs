//! KLEE's command line, read as LLVM's option parser reads it.
//!
//! One or two dashes; `--flag=value` or `--flag value`; a switch alone or with `=true` or `=false`.
//! The first word that is no flag is the program, and all words after it belong to the program. An unknown
//! flag is named in a warning and skipped; if it has no `=`, the next word is not taken for its value,
//! because an unknown flag need not have one.

use super::flags::{self, FlagMeaning, FlagSetting, FlagValue};
use super::instructions::Printing;
use super::query_log::WantedLog;
use crate::run::limits;
use cairn_engine::{ExternalPolicy, FindingKind};
use cairn_solver::{LayerList, LayerName};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// A command line that cannot be run: one sentence.
#[derive(Debug, PartialEq, Eq)]
pub struct WrongUsage(pub String);

/// What a command line says. Defaults are KLEE's.
#[derive(Clone, Debug)]
pub struct KleeOptions {
    pub help: bool,
    pub version: bool,
    pub program: Option<PathBuf>,
    pub args: Vec<OsString>,
    /// What the user must be told before the run.
    pub warnings: Vec<String>,
    pub output_dir: Option<PathBuf>,
    pub run_in_dir: Option<PathBuf>,
    pub entry: String,
    pub exit_on_error: bool,
    pub exit_on: Vec<FindingKind>,
    pub search: Vec<String>,
    pub batching: bool,
    pub batch_instructions: u64,
    pub batch_time: Option<Duration>,
    pub deepening: bool,
    pub use_merge: bool,
    pub write_tests: bool,
    pub write_test_info: bool,
    pub write_xml: bool,
    pub write_stats: bool,
    pub all_errors: bool,
    pub only_covering_new: bool,
    pub tests_of_stopped: bool,
    pub max_time: Option<Duration>,
    pub max_memory: Option<u64>,
    pub max_depth: Option<u32>,
    pub max_forks: Option<u64>,
    pub max_instructions: Option<u64>,
    pub max_tests: Option<u64>,
    pub max_solver_time: Option<Duration>,
    pub check_div_zero: bool,
    pub check_overshift: bool,
    pub external_calls: ExternalPolicy,
    /// Name of a function, and of the one that runs in its place.
    pub aliases: Vec<(String, String)>,
    pub seed_files: Vec<PathBuf>,
    pub seed_folders: Vec<PathBuf>,
    pub replay_files: Vec<PathBuf>,
    pub replay_folders: Vec<PathBuf>,
    pub seed_extension: bool,
    pub seed_truncation: bool,
    pub seeds_by_name: bool,
    pub only_seeds: bool,
    pub model_cache: bool,
    pub query_cache: bool,
    pub slicing: bool,
    pub z3: bool,
    pub random_seed: u64,
    pub silent_assume: bool,
    pub warnings_to_file: bool,
    pub write_cov: bool,
    pub write_kqueries: bool,
    pub write_smt2s: bool,
    pub write_paths: bool,
    pub write_sym_paths: bool,
    pub write_istats: bool,
    /// Between two rows of figures; without it there are a first and a last one.
    pub stats_interval: Option<Duration>,
    pub optimize: bool,
    /// A C library is linked, if there is one.
    pub libc: bool,
    pub libraries: Vec<PathBuf>,
    pub seed_time: Option<Duration>,
    /// The run ends when the seeds' paths have ended.
    pub end_after_seeds: bool,
    pub replay_path: Option<PathBuf>,
    pub query_logs: Vec<WantedLog>,
    pub least_logged_time: Duration,
    pub log_timed_out: bool,
    pub printing: Option<Printing>,
}

impl Default for KleeOptions {
    fn default() -> Self {
        KleeOptions {
            help: false,
            version: false,
            program: None,
            args: Vec::new(),
            warnings: Vec::new(),
            output_dir: None,
            run_in_dir: None,
            entry: "main".to_string(),
            exit_on_error: false,
            exit_on: Vec::new(),
            search: Vec::new(),
            batching: false,
            batch_instructions: 10_000,
            batch_time: Some(Duration::from_secs(5)),
            deepening: false,
            use_merge: false,
            write_tests: true,
            write_test_info: false,
            write_xml: false,
            write_stats: true,
            all_errors: false,
            only_covering_new: false,
            tests_of_stopped: true,
            max_time: None,
            max_memory: Some(2000 << 20),
            max_depth: None,
            max_forks: None,
            max_instructions: None,
            max_tests: None,
            max_solver_time: None,
            check_div_zero: true,
            check_overshift: true,
            external_calls: ExternalPolicy::Concrete,
            aliases: Vec::new(),
            seed_files: Vec::new(),
            seed_folders: Vec::new(),
            replay_files: Vec::new(),
            replay_folders: Vec::new(),
            seed_extension: false,
            seed_truncation: false,
            seeds_by_name: false,
            only_seeds: false,
            model_cache: true,
            query_cache: true,
            slicing: true,
            z3: false,
            random_seed: 0,
            silent_assume: false,
            warnings_to_file: false,
            write_cov: false,
            write_kqueries: false,
            write_smt2s: false,
            write_paths: false,
            write_sym_paths: false,
            write_istats: true,
            stats_interval: Some(Duration::from_secs(1)),
            optimize: false,
            libc: false,
            libraries: Vec::new(),
            seed_time: None,
            end_after_seeds: false,
            replay_path: None,
            query_logs: Vec::new(),
            least_logged_time: Duration::ZERO,
            log_timed_out: true,
            printing: None,
        }
    }
}

/// KLEE's names of errors for `--exit-on-error-type`, and the kinds they stand for.
const ERROR_TYPES: &[(&str, &[FindingKind])] = &[
    ("Abort", &[FindingKind::Abort]),
    ("Assert", &[FindingKind::Assertion]),
    ("BadVectorAccess", &[]),
    ("Exec", &[FindingKind::Execution]),
    ("External", &[FindingKind::External]),
    ("Free", &[FindingKind::Free]),
    ("ImplicitConversion", &[]),
    ("ImplicitTruncation", &[]),
    ("InvalidBuiltin", &[]),
    ("InvalidLoad", &[]),
    ("Model", &[FindingKind::Model]),
    ("NullableAttribute", &[]),
    ("Overflow", &[FindingKind::Overflow, FindingKind::Overshift]),
    ("Ptr", &[FindingKind::Pointer]),
    ("ReadOnly", &[FindingKind::ReadOnly]),
    (
        "ReportError",
        &[
            FindingKind::User,
            FindingKind::Division,
            FindingKind::Overshift,
        ],
    ),
    ("UncaughtException", &[]),
    ("UndefinedBehavior", &[FindingKind::Execution]),
    ("UnexpectedException", &[]),
    ("Unhandled", &[FindingKind::Execution]),
    ("User", &[FindingKind::User]),
];

/// Reads the words after the command's name.
///
/// # Errors
/// A value that is missing or not understood.
pub fn read(words: &[OsString]) -> Result<KleeOptions, WrongUsage> {
    let mut options = KleeOptions::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        let Some(flag) = text.strip_prefix('-').filter(|rest| !rest.is_empty()) else {
            options.program = Some(PathBuf::from(word));
            options.args = words.cloned().collect();
            break;
        };
        let flag = flag.strip_prefix('-').unwrap_or(flag);
        let (name, value) = match flag.split_once('=') {
            Some((name, value)) => (name, Some(value.to_string())),
            None => (flag, None),
        };
        let Some(known) = flags::find(name) else {
            let warning = format!("unknown option --{name}, which is skipped");
            options.warnings.push(warning);
            continue;
        };
        let value = match (known.takes, value) {
            (FlagValue::Switch, value) => value.unwrap_or_else(|| "true".to_string()),
            (FlagValue::Word, Some(value)) => value,
            (FlagValue::Word, None) => match words.next() {
                Some(next) => next.to_string_lossy().into_owned(),
                None => return Err(WrongUsage(format!("--{name} expects a value"))),
            },
        };
        match known.meaning {
            FlagMeaning::Does(setting, _) => options.apply(name, setting, &value)?,
            FlagMeaning::NoEffect(_) => {}
            FlagMeaning::Unsupported(_) if value == "false" => {}
            FlagMeaning::Unsupported(why) => {
                options
                    .warnings
                    .push(format!("--{name} does nothing: {why}"));
            }
        }
    }
    Ok(options)
}

impl KleeOptions {
    fn apply(&mut self, name: &str, setting: FlagSetting, value: &str) -> Result<(), WrongUsage> {
        let wrong = |expected: &str| {
            Err(WrongUsage(format!(
                "--{name}={value} is not understood; expected {expected}"
            )))
        };
        let on = || match value {
            "true" | "TRUE" | "True" | "1" => Ok(true),
            "false" | "FALSE" | "False" | "0" => Ok(false),
            _ => wrong("true or false").map(|()| false),
        };
        // In KLEE zero is no limit.
        let number = || match value.parse::<u64>() {
            Ok(0) => Ok(None),
            Ok(n) => Ok(Some(n)),
            Err(_) => wrong("a number").map(|()| None),
        };
        let time = || match span(value) {
            Some(Duration::ZERO) => Ok(None),
            Some(time) => Ok(Some(time)),
            None => wrong("a time such as 30s, 5min or 1h10min").map(|()| None),
        };
        match setting {
            FlagSetting::Help => self.help = on()?,
            FlagSetting::Version => self.version = on()?,
            FlagSetting::OutputDir => self.output_dir = Some(PathBuf::from(value)),
            FlagSetting::RunInDir => self.run_in_dir = Some(PathBuf::from(value)),
            FlagSetting::EntryPoint => self.entry = value.to_string(),
            FlagSetting::ExitOnError => self.exit_on_error = on()?,
            FlagSetting::ExitOnErrorType => {
                for part in value.split(',') {
                    let mut known = ERROR_TYPES.iter();
                    let Some((_, kinds)) = known.find(|(n, _)| n.eq_ignore_ascii_case(part)) else {
                        let all: Vec<&str> = ERROR_TYPES.iter().map(|(n, _)| *n).collect();
                        return wrong(&format!("one of {}", all.join(", ")));
                    };
                    self.exit_on.extend_from_slice(kinds);
                }
            }
            FlagSetting::Search => self.search.push(value.to_string()),
            FlagSetting::UseBatching => self.batching = on()?,
            FlagSetting::BatchInstructions => {
                self.batch_instructions = number()?.unwrap_or(u64::MAX)
            }
            FlagSetting::BatchTime => self.batch_time = time()?,
            FlagSetting::Deepening => self.deepening = value != "false",
            FlagSetting::UseMerge => self.use_merge = value != "false",
            FlagSetting::WriteNoTests => self.write_tests = !on()?,
            FlagSetting::WriteTestInfo => self.write_test_info = on()?,
            FlagSetting::WriteXmlTests => self.write_xml = on()?,
            FlagSetting::OutputStats => self.write_stats = on()?,
            FlagSetting::EmitAllErrors => self.all_errors = on()?,
            FlagSetting::OnlyCoveringNew => self.only_covering_new = on()?,
            FlagSetting::DumpStatesOnHalt => self.tests_of_stopped = on()?,
            FlagSetting::MaxTime => self.max_time = time()?,
            FlagSetting::MaxMemory => {
                self.max_memory = number()?.map(|n| n.saturating_mul(1 << 20))
            }
            FlagSetting::MaxDepth => {
                self.max_depth = number()?.map(|n| u32::try_from(n).unwrap_or(u32::MAX));
            }
            // Without forks is a limit too.
            FlagSetting::MaxForks => match value.parse::<u64>() {
                Ok(n) => self.max_forks = Some(n).filter(|n| *n < u64::from(u32::MAX)),
                Err(_) => return wrong("a number"),
            },
            FlagSetting::MaxInstructions => self.max_instructions = number()?,
            FlagSetting::MaxTests => self.max_tests = number()?,
            FlagSetting::MaxSolverTime => self.max_solver_time = time()?,
            FlagSetting::CheckDivZero => self.check_div_zero = on()?,
            FlagSetting::CheckOvershift => self.check_overshift = on()?,
            FlagSetting::ExternalCalls => {
                self.external_calls = match value {
                    "none" => ExternalPolicy::Never,
                    "concrete" => ExternalPolicy::Concrete,
                    "all" => ExternalPolicy::All,
                    _ => return wrong("none, concrete or all"),
                }
            }
            FlagSetting::FunctionAlias => match value.split_once(':') {
                Some((from, to)) if !from.is_empty() && !to.is_empty() => {
                    self.aliases.push((from.to_string(), to.to_string()));
                }
                Some(_) | None => return wrong("NAME:OTHER"),
            },
            FlagSetting::Libc => match value {
                "none" | "klee" => self.libc = false,
                "uclibc" => self.libc = true,
                _ => return wrong("none, klee or uclibc"),
            },
            FlagSetting::LinkLibrary => self.libraries.push(PathBuf::from(value)),
            FlagSetting::SeedFile => self.seed_files.push(PathBuf::from(value)),
            FlagSetting::SeedDir => self.seed_folders.push(PathBuf::from(value)),
            FlagSetting::AllowSeedExtension | FlagSetting::ZeroSeedExtension => {
                self.seed_extension |= on()?;
            }
            FlagSetting::AllowSeedTruncation => self.seed_truncation = on()?,
            FlagSetting::NamedSeedMatching => self.seeds_by_name = on()?,
            FlagSetting::OnlyReplaySeeds => self.only_seeds |= on()?,
            FlagSetting::ReplayFile => self.replay_files.push(PathBuf::from(value)),
            FlagSetting::ReplayDir => self.replay_folders.push(PathBuf::from(value)),
            FlagSetting::UseCexCache => self.model_cache = on()?,
            FlagSetting::UseBranchCache => self.query_cache = on()?,
            FlagSetting::UseIndependentSolver => self.slicing = on()?,
            FlagSetting::SolverBackend => {
                self.z3 = value == "z3";
                if !self.z3 {
                    self.warnings.push(format!(
                        "--solver-backend={value} is not there: Cairn's own solver is used"
                    ));
                }
            }
            FlagSetting::RngInitialSeed => match value.parse() {
                Ok(seed) => self.random_seed = seed,
                Err(_) => return wrong("a number"),
            },
            FlagSetting::SilentAssume => self.silent_assume = on()?,
            FlagSetting::WarningsOnlyToFile => self.warnings_to_file = on()?,
            FlagSetting::WriteCov => self.write_cov = on()?,
            FlagSetting::WriteKQueries => self.write_kqueries = on()?,
            FlagSetting::WriteSmt2s => self.write_smt2s = on()?,
            FlagSetting::WritePaths => self.write_paths = on()?,
            FlagSetting::WriteSymPaths => self.write_sym_paths = on()?,
            FlagSetting::OutputIstats => self.write_istats = on()?,
            FlagSetting::StatsWriteInterval => self.stats_interval = time()?,
            FlagSetting::Optimize => self.optimize = on()?,
            FlagSetting::SeedTime => self.seed_time = time()?,
            FlagSetting::OnlySeed => self.end_after_seeds = on()?,
            FlagSetting::ReplayPath => self.replay_path = Some(PathBuf::from(value)),
            FlagSetting::UseQueryLog => {
                for word in value.split(',') {
                    match WantedLog::read(word) {
                        Some(log) if self.query_logs.contains(&log) => {}
                        Some(log) => self.query_logs.push(log),
                        None => return wrong("all:kquery, all:smt2, solver:kquery or solver:smt2"),
                    }
                }
            }
            FlagSetting::MinQueryTimeToLog => {
                self.least_logged_time = time()?.unwrap_or(Duration::ZERO);
            }
            FlagSetting::LogTimedOut => self.log_timed_out = on()?,
            FlagSetting::DebugPrint => match Printing::read(value) {
                Some(printing) => self.printing = Some(printing),
                None => return wrong("all, src or compact, and :stderr or :file after it"),
            },
        }
        Ok(())
    }

    /// The searchers, as the engine names them.
    pub fn search_list(&self) -> String {
        let mut list = if self.search.is_empty() {
            vec!["random-path".to_string(), "nurs:covnew".to_string()]
        } else {
            self.search.clone()
        };
        if self.batching {
            list.push(format!("batching={}", self.batch_instructions));
            if let Some(time) = self.batch_time {
                list.push(format!("batching={}ms", time.as_millis()));
            }
        }
        if self.deepening {
            list.push("deepening".to_string());
        }
        list.join(",")
    }

    /// The layers of the solver.
    pub fn layers(&self) -> LayerList {
        LayerList::default().filtered(|layer| match layer {
            LayerName::ModelCache => self.model_cache,
            LayerName::ExactCache | LayerName::IsoCache => self.query_cache,
            LayerName::Slice => self.slicing,
            LayerName::Tables
            | LayerName::PathSets
            | LayerName::Simplify
            | LayerName::ValueSets
            | LayerName::FewValues
            | LayerName::Linear
            | LayerName::Intervals
            | LayerName::StridedFirst
            | LayerName::StridedMiddle => true,
        })
    }
}

/// A time as KLEE reads it: parts such as `1h10min5s`, or a number of seconds.
fn span(text: &str) -> Option<Duration> {
    let mut sum = Duration::ZERO;
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
        let unit = &rest[digits.unwrap_or(rest.len())..];
        let end = unit.find(|c: char| c.is_ascii_digit());
        let length = rest.len() - unit.len() + end.unwrap_or(unit.len());
        sum = sum.checked_add(limits::time(&rest[..length]).ok()?)?;
        rest = &rest[length..];
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(words: &[&str]) -> KleeOptions {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        read(&words).expect("the line is right")
    }

    fn complaint(words: &[&str]) -> String {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        read(&words).expect_err("the line is wrong").0
    }

    #[test]
    fn dashes_values_and_switches_are_read_as_by_llvm() {
        let w = options(&[
            "-max-time=1h10min",
            "--max-depth",
            "7",
            "-emit-all-errors",
            "--check-div-zero=false",
            "--search=dfs",
            "-search",
            "nurs:covnew",
            "prog.bc",
            "--max-depth",
            "-x",
        ]);
        assert_eq!(w.max_time, Some(Duration::from_secs(4200)));
        assert_eq!(w.max_depth, Some(7));
        assert!(w.all_errors);
        assert!(!w.check_div_zero);
        assert_eq!(w.search_list(), "dfs,nurs:covnew");
        assert_eq!(w.program, Some(PathBuf::from("prog.bc")));
        assert_eq!(w.args, ["--max-depth", "-x"]);
        assert!(w.warnings.is_empty());
    }

    #[test]
    fn unknown_flags_are_named_and_skipped() {
        let w = options(&["--no-such-flag=3", "-other", "prog.bc"]);
        assert_eq!(w.program, Some(PathBuf::from("prog.bc")));
        assert_eq!(
            w.warnings,
            [
                "unknown option --no-such-flag, which is skipped",
                "unknown option --other, which is skipped"
            ]
        );
    }

    #[test]
    fn wrong_values_say_what_was_expected() {
        assert!(complaint(&["--max-time=soon"]).contains("30s"));
        assert!(complaint(&["--max-tests=x"]).contains("a number"));
        assert!(complaint(&["--emit-all-errors=maybe"]).contains("true or false"));
        assert!(complaint(&["--external-calls=some"]).contains("none, concrete or all"));
        assert!(complaint(&["--exit-on-error-type=Bogus"]).contains("Assert"));
        assert!(complaint(&["--search"]).contains("expects a value"));
    }

    #[test]
    fn limits_of_zero_are_none() {
        let w = options(&[
            "--max-time=0",
            "--max-memory=0",
            "--max-tests=0",
            "--max-forks=0",
        ]);
        assert_eq!((w.max_time, w.max_memory, w.max_tests), (None, None, None));
        assert_eq!(w.max_forks, Some(0));
    }

    #[test]
    fn caches_and_batches_become_layers_and_wrappers() {
        let w = options(&[
            "--use-cex-cache=false",
            "--use-batching-search",
            "--batch-time=0",
        ]);
        assert!(!w.layers().as_slice().contains(&LayerName::ModelCache));
        assert!(w.layers().as_slice().contains(&LayerName::Slice));
        assert_eq!(w.search_list(), "random-path,nurs:covnew,batching=10000");
        assert!(
            options(&["--use-independent-solver=0"])
                .layers()
                .as_slice()
                .contains(&LayerName::ModelCache)
        );
    }
}
