//! The rows of the table of flags (`flags.rs`), in the order of KLEE's groups.

use super::flags::FlagSetting as S;
use super::flags::FlagValue::{self, Switch, Word};
use super::flags::{Flag, FlagMeaning};

const fn does(name: &'static str, takes: FlagValue, setting: S, what: &'static str) -> Flag {
    Flag {
        name,
        takes,
        meaning: FlagMeaning::Does(setting, what),
    }
}

const fn without_effect(name: &'static str, takes: FlagValue, why: &'static str) -> Flag {
    Flag {
        name,
        takes,
        meaning: FlagMeaning::NoEffect(why),
    }
}

const fn unsupported(name: &'static str, takes: FlagValue, why: &'static str) -> Flag {
    Flag {
        name,
        takes,
        meaning: FlagMeaning::Unsupported(why),
    }
}

const OWN_MEMORY: &str = "memory is laid out in Cairn's own way, the same in every run";
const OWN_LAYERS: &str = "the solver's layers are Cairn's own";
const ALWAYS_SMALL: &str = "static forks are not limited";

/// All flags that are known, in the order of KLEE's groups.
pub const FLAGS: &[Flag] = &[
    does("help", Switch, S::Help, "prints this table"),
    does("version", Switch, S::Version, "prints the version"),
    // Start and output.
    does(
        "output-dir",
        Word,
        S::OutputDir,
        "where results go; klee-out-N beside the program otherwise",
    ),
    does(
        "run-in-dir",
        Word,
        S::RunInDir,
        "changes to this folder before the program runs",
    ),
    does(
        "entry-point",
        Word,
        S::EntryPoint,
        "the function to start with",
    ),
    does(
        "write-no-tests",
        Switch,
        S::WriteNoTests,
        "writes neither tests nor .err files",
    ),
    does(
        "write-test-info",
        Switch,
        S::WriteTestInfo,
        "writes testN.info with the time of each test",
    ),
    does(
        "write-xml-tests",
        Switch,
        S::WriteXmlTests,
        "writes tests in the Test-Comp format too",
    ),
    does(
        "warnings-only-to-file",
        Switch,
        S::WarningsOnlyToFile,
        "warnings go to warnings.txt alone",
    ),
    does(
        "output-stats",
        Switch,
        S::OutputStats,
        "writes run.stats (on by default)",
    ),
    does(
        "write-cov",
        Switch,
        S::WriteCov,
        "writes testN.cov: the lines that the path of each test passes",
    ),
    does(
        "write-kqueries",
        Switch,
        S::WriteKQueries,
        "writes testN.kquery: the constraints of each path as KQuery",
    ),
    does(
        "write-smt2s",
        Switch,
        S::WriteSmt2s,
        "writes testN.smt2: the constraints of each path as SMT-LIB",
    ),
    unsupported("write-cvcs", Switch, "the CVC format is not written"),
    does(
        "write-paths",
        Switch,
        S::WritePaths,
        "writes testN.path: what was decided by inputs, 1 where a condition held",
    ),
    does(
        "write-sym-paths",
        Switch,
        S::WriteSymPaths,
        "writes testN.sym.path: the same where both ways were possible",
    ),
    does(
        "output-istats",
        Switch,
        S::OutputIstats,
        "writes run.istats: costs of each line (on by default)",
    ),
    without_effect("output-source", Switch, "assembly.ll is always written"),
    does(
        "stats-write-interval",
        Word,
        S::StatsWriteInterval,
        "time between two rows of run.stats (1s; 0 is none)",
    ),
    without_effect(
        "stats-write-after-instructions",
        Word,
        "rows of run.stats follow the clock",
    ),
    without_effect(
        "stats-commit-after",
        Word,
        "each row of run.stats is there at once",
    ),
    without_effect(
        "istats-write-interval",
        Word,
        "run.istats is written when the run ends",
    ),
    without_effect(
        "istats-write-after-instructions",
        Word,
        "run.istats is written when the run ends",
    ),
    without_effect(
        "uncovered-update-interval",
        Word,
        "distances are always up to date",
    ),
    without_effect(
        "track-instruction-time",
        Switch,
        "times of instructions are not measured",
    ),
    // When a run and a path end.
    does(
        "exit-on-error",
        Switch,
        S::ExitOnError,
        "ends the run at the first error",
    ),
    does(
        "exit-on-error-type",
        Word,
        S::ExitOnErrorType,
        "ends the run at the first error of a type; repeatable",
    ),
    does(
        "emit-all-errors",
        Switch,
        S::EmitAllErrors,
        "reports every path that ends in an error",
    ),
    does(
        "only-output-states-covering-new",
        Switch,
        S::OnlyCoveringNew,
        "writes tests only for paths that cover new code, and for errors",
    ),
    does(
        "dump-states-on-halt",
        Switch,
        S::DumpStatesOnHalt,
        "writes tests of the paths that a limit ended (on by default)",
    ),
    does(
        "max-time",
        Word,
        S::MaxTime,
        "ends the run after this time: 30s, 5min, 1h10min, or seconds",
    ),
    does(
        "max-memory",
        Word,
        S::MaxMemory,
        "megabytes that Cairn may take (2000 by default, 0 is no limit)",
    ),
    does("max-depth", Word, S::MaxDepth, "the most forks of one path"),
    does(
        "max-forks",
        Word,
        S::MaxForks,
        "the most forks of all paths together",
    ),
    does(
        "max-instructions",
        Word,
        S::MaxInstructions,
        "ends the run after this many instructions",
    ),
    does(
        "max-tests",
        Word,
        S::MaxTests,
        "ends the run after this many tests",
    ),
    does(
        "max-solver-time",
        Word,
        S::MaxSolverTime,
        "the time of one query",
    ),
    without_effect(
        "max-memory-inhibit",
        Switch,
        "paths are never killed for memory",
    ),
    without_effect(
        "max-stack-frames",
        Word,
        "the bytes of the stack are limited instead",
    ),
    without_effect("max-static-fork-pct", Word, ALWAYS_SMALL),
    without_effect("max-static-solve-pct", Word, ALWAYS_SMALL),
    without_effect("max-static-cpfork-pct", Word, ALWAYS_SMALL),
    without_effect("max-static-cpsolve-pct", Word, ALWAYS_SMALL),
    without_effect("max-static-pct-check-delay", Word, ALWAYS_SMALL),
    without_effect("max-sym-array-size", Word, "symbolic arrays have no limit"),
    without_effect("timer-interval", Word, "limits are kept to within a second"),
    without_effect("watchdog", Switch, "limits are kept to within a second"),
    // Which path first.
    does(
        "search",
        Word,
        S::Search,
        "which paths first: KLEE's names; repeatable, then interleaved",
    ),
    does(
        "use-batching-search",
        Switch,
        S::UseBatching,
        "lets a path go on for a while once it was picked",
    ),
    does(
        "batch-instructions",
        Word,
        S::BatchInstructions,
        "instructions of a batch (10000)",
    ),
    does(
        "batch-time",
        Word,
        S::BatchTime,
        "time of a batch (5s; 0 is no limit)",
    ),
    does(
        "use-iterative-deepening-time-search",
        Switch,
        S::Deepening,
        "gives every path a time, then twice that, and so on",
    ),
    does(
        "use-iterative-deepening-search",
        Word,
        S::Deepening,
        "the same, also by its newer name",
    ),
    does("use-merge", Switch, S::UseMerge, "merges paths at marks"),
    unsupported("use-incomplete-merge", Switch, "groups wait for all"),
    unsupported("debug-log-merge", Switch, "merges are counted"),
    unsupported("debug-log-incomplete-merge", Switch, "merges are counted"),
    // Checks, libraries, the outside.
    does(
        "check-div-zero",
        Switch,
        S::CheckDivZero,
        "checks for division by zero (on by default)",
    ),
    does(
        "check-overshift",
        Switch,
        S::CheckOvershift,
        "checks for shifts by the width or more in all functions of the program; with `--optimize` and in \
         libraries, in those that were not optimised (on by default)",
    ),
    does(
        "external-calls",
        Word,
        S::ExternalCalls,
        "none, concrete (default) or all",
    ),
    does(
        "function-alias",
        Word,
        S::FunctionAlias,
        "NAME:OTHER runs OTHER where NAME is called; repeatable",
    ),
    does(
        "libc",
        Word,
        S::Libc,
        "none or klee: functions of the C library are built in; uclibc: musl is linked if it was set up",
    ),
    does(
        "link-llvm-lib",
        Word,
        S::LinkLibrary,
        "links bitcode, assembly, or what an archive has of what is missing; repeatable",
    ),
    without_effect(
        "posix-runtime",
        Switch,
        "--sym-args and the like after the program's name work without it",
    ),
    without_effect(
        "ubsan-runtime",
        Switch,
        "UBSan's reports are errors in any case",
    ),
    unsupported("libcxx", Switch, "the C++ library is not linked"),
    unsupported("runtime-build", Word, "there is one runtime"),
    does(
        "optimize",
        Switch,
        S::Optimize,
        "runs LLVM's optimiser on the program (what was compiled with optnone stays)",
    ),
    unsupported("environ", Word, "the environment of the program is empty"),
    unsupported("load", Word, "plug-ins are not loaded"),
    without_effect("disable-verify", Switch, "the program is always verified"),
    without_effect("strip-all", Switch, "names cost nothing"),
    without_effect("strip-debug", Switch, "places cost nothing"),
    without_effect(
        "switch-type",
        Word,
        "a switch is one step with a path for each target, whatever the type",
    ),
    without_effect(
        "klee-call-optimisation",
        Switch,
        "calls of intrinsics cost little",
    ),
    without_effect("disable-inlining", Switch, "nothing is inlined"),
    without_effect(
        "warn-all-external-symbols",
        Switch,
        "every undefined reference gets a warning",
    ),
    without_effect(
        "all-external-warnings",
        Switch,
        "a called external function is named once",
    ),
    without_effect(
        "external-call-warnings",
        Word,
        "a called external function is named once",
    ),
    without_effect(
        "suppress-external-warnings",
        Switch,
        "a called external function is named once",
    ),
    without_effect(
        "allow-external-sym-calls",
        Switch,
        "an old name; give --external-calls=all",
    ),
    without_effect(
        "readable-posix-inputs",
        Switch,
        "bytes of arguments and files are any bytes",
    ),
    // Seeds and replay.
    does(
        "seed-file",
        Word,
        S::SeedFile,
        "a test whose path is followed; repeatable",
    ),
    does(
        "seed-dir",
        Word,
        S::SeedDir,
        "all tests of a folder as seeds; repeatable",
    ),
    does("seed-out", Word, S::SeedFile, "the old name of seed-file"),
    does("seed-out-dir", Word, S::SeedDir, "the old name of seed-dir"),
    does(
        "allow-seed-extension",
        Switch,
        S::AllowSeedExtension,
        "an input may be longer than the seed's object, or have none",
    ),
    does(
        "zero-seed-extension",
        Switch,
        S::ZeroSeedExtension,
        "the same; what the seed lacks is zero",
    ),
    does(
        "allow-seed-truncation",
        Switch,
        S::AllowSeedTruncation,
        "an input may be shorter than the seed's object",
    ),
    does(
        "named-seed-matching",
        Switch,
        S::NamedSeedMatching,
        "objects of seeds are found by name, not by order",
    ),
    does(
        "only-replay-seeds",
        Switch,
        S::OnlyReplaySeeds,
        "only the paths of seeds are followed",
    ),
    does(
        "only-seed",
        Switch,
        S::OnlySeed,
        "the run ends when the seeds' paths have ended",
    ),
    does(
        "seed-time",
        Word,
        S::SeedTime,
        "how long seeds go first (no limit)",
    ),
    does(
        "replay-ktest-file",
        Word,
        S::ReplayFile,
        "follows the path of a test alone; repeatable",
    ),
    does(
        "replay-ktest-dir",
        Word,
        S::ReplayDir,
        "the same for all tests of a folder; repeatable",
    ),
    does(
        "replay-path",
        Word,
        S::ReplayPath,
        "follows the one path of a .path file",
    ),
    // The solver.
    does(
        "use-cex-cache",
        Switch,
        S::UseCexCache,
        "remembers models (on by default)",
    ),
    does(
        "use-branch-cache",
        Switch,
        S::UseBranchCache,
        "remembers queries (on by default)",
    ),
    does(
        "use-independent-solver",
        Switch,
        S::UseIndependentSolver,
        "asks only about what a question depends on (on by default)",
    ),
    does(
        "solver-backend",
        Word,
        S::SolverBackend,
        "z3; any other name gets a warning and Cairn's own",
    ),
    does(
        "use-query-log",
        Word,
        S::UseQueryLog,
        "all:kquery, all:smt2, solver:kquery, solver:smt2: writes queries; a list",
    ),
    does(
        "min-query-time-to-log",
        Word,
        S::MinQueryTimeToLog,
        "queries that took less time are not written",
    ),
    does(
        "log-timed-out-queries",
        Switch,
        S::LogTimedOut,
        "queries that were not decided are written (on by default)",
    ),
    without_effect(
        "compress-query-log",
        Switch,
        "files of queries are plain text",
    ),
    without_effect("cex-cache-try-all", Switch, OWN_LAYERS),
    without_effect("cex-cache-superset", Switch, OWN_LAYERS),
    without_effect("cex-cache-exp", Switch, OWN_LAYERS),
    without_effect("use-construct-hash-z3", Switch, OWN_LAYERS),
    without_effect("use-construct-hash-stp", Switch, OWN_LAYERS),
    without_effect("use-construct-hash-metasmt", Switch, OWN_LAYERS),
    without_effect("use-forked-solver", Switch, OWN_LAYERS),
    without_effect(
        "use-assignment-validating-solver",
        Switch,
        "every model is evaluated anyway",
    ),
    without_effect("use-fast-cex-solver", Switch, OWN_LAYERS),
    without_effect("use-visitor-hash", Switch, OWN_LAYERS),
    without_effect(
        "simplify-sym-indices",
        Switch,
        "terms are always simplified",
    ),
    without_effect(
        "equality-substitution",
        Switch,
        "terms are always simplified",
    ),
    without_effect("rewrite-equalities", Word, "terms are always simplified"),
    without_effect("optimize-array", Word, OWN_LAYERS),
    without_effect("solver-optimize-divides", Switch, OWN_LAYERS),
    without_effect("suppress-intermediate-queries", Switch, OWN_LAYERS),
    without_effect("stp-sat-solver", Word, OWN_LAYERS),
    without_effect("metasmt-backend", Word, OWN_LAYERS),
    without_effect(
        "debug-validate-solver",
        Switch,
        "cairn run --self-check does that",
    ),
    without_effect(
        "debug-crosscheck-core-solver",
        Word,
        "cairn run --self-check does that",
    ),
    // Execution.
    does(
        "rng-initial-seed",
        Word,
        S::RngInitialSeed,
        "where random choices start",
    ),
    does(
        "silent-klee-assume",
        Switch,
        S::SilentAssume,
        "an assumption that cannot hold ends its path silently",
    ),
    does(
        "debug-print-instructions",
        Word,
        S::DebugPrint,
        "all:stderr, src:stderr, compact:stderr or the same with :file: shows instructions before they run",
    ),
    unsupported(
        "debug-print-escaping-functions",
        Switch,
        "nothing of the kind is printed",
    ),
    without_effect(
        "debug-compress-instructions",
        Switch,
        "instructions.txt is plain text",
    ),
    without_effect(
        "randomize-fork",
        Switch,
        "a searcher picks among the children of a fork",
    ),
    without_effect(
        "single-object-resolution",
        Switch,
        "a path for each object that a pointer can reach",
    ),
    without_effect(
        "make-concrete-symbolic",
        Word,
        "concrete values stay concrete",
    ),
    without_effect("allocate-determ", Switch, OWN_MEMORY),
    without_effect("allocate-determ-size", Word, OWN_MEMORY),
    without_effect("allocate-determ-start-address", Word, OWN_MEMORY),
    without_effect("null-on-zero-malloc", Switch, OWN_MEMORY),
    without_effect("redzone-size", Word, OWN_MEMORY),
    without_effect("kdalloc", Switch, OWN_MEMORY),
    without_effect("kdalloc-mark-as-unneeded", Switch, OWN_MEMORY),
    without_effect("kdalloc-quarantine", Word, OWN_MEMORY),
    without_effect("kdalloc-globals-size", Word, OWN_MEMORY),
    without_effect("kdalloc-constants-size", Word, OWN_MEMORY),
    without_effect("kdalloc-heap-size", Word, OWN_MEMORY),
    without_effect("kdalloc-stack-size", Word, OWN_MEMORY),
    without_effect("const-array-opt", Switch, OWN_LAYERS),
    without_effect(
        "compress-exec-tree",
        Switch,
        "the tree holds only what is alive",
    ),
    without_effect(
        "compress-process-tree",
        Switch,
        "the tree holds only what is alive",
    ),
    without_effect(
        "write-exec-tree",
        Switch,
        "the execution tree is not written",
    ),
    without_effect("write-ptree", Switch, "the execution tree is not written"),
    without_effect(
        "exec-tree-batch-size",
        Word,
        "the execution tree is not written",
    ),
    without_effect(
        "ptree-batch-size",
        Word,
        "the execution tree is not written",
    ),
    without_effect("color", Switch, "messages have no colours"),
];
