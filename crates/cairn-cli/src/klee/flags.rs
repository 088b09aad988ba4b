//! KLEE's flags as a table: the name, what value it takes, and what it does here.
//!
//! The table is the one place that knows a flag: the command line is read by it (`command_line.rs`),
//! `--help` prints it, and `docs/klee.md` is checked against it by a test. A flag that does nothing
//! here says why, so that a user who relies on it is not misled. The rows stand in `flag_table.rs`.

pub use super::flag_table::FLAGS;

/// What stands after a flag's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagValue {
    /// Nothing, or `=true` or `=false`.
    Switch,
    /// A word, a number or a path.
    Word,
}

/// What a flag changes. Each has one place where it is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagSetting {
    Help,
    Version,
    OutputDir,
    RunInDir,
    EntryPoint,
    ExitOnError,
    ExitOnErrorType,
    Search,
    UseBatching,
    BatchInstructions,
    BatchTime,
    Deepening,
    UseMerge,
    WriteNoTests,
    WriteTestInfo,
    WriteXmlTests,
    EmitAllErrors,
    OnlyCoveringNew,
    DumpStatesOnHalt,
    MaxTime,
    MaxMemory,
    MaxDepth,
    MaxForks,
    MaxInstructions,
    MaxTests,
    MaxSolverTime,
    CheckDivZero,
    CheckOvershift,
    ExternalCalls,
    FunctionAlias,
    Libc,
    LinkLibrary,
    SeedFile,
    SeedDir,
    AllowSeedExtension,
    ZeroSeedExtension,
    AllowSeedTruncation,
    NamedSeedMatching,
    OnlyReplaySeeds,
    ReplayFile,
    ReplayDir,
    UseCexCache,
    UseBranchCache,
    UseIndependentSolver,
    SolverBackend,
    RngInitialSeed,
    SilentAssume,
    WarningsOnlyToFile,
    OutputStats,
    WriteCov,
    WriteKQueries,
    WriteSmt2s,
    WritePaths,
    WriteSymPaths,
    OutputIstats,
    StatsWriteInterval,
    Optimize,
    SeedTime,
    OnlySeed,
    ReplayPath,
    UseQueryLog,
    MinQueryTimeToLog,
    LogTimedOut,
    DebugPrint,
}

/// What becomes of a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagMeaning {
    /// It does what it does in KLEE: what.
    Does(FlagSetting, &'static str),
    /// It may be given and changes nothing: why that is right.
    NoEffect(&'static str),
    /// It may be given, and a warning says that it does nothing: why.
    Unsupported(&'static str),
}

/// A flag.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// Its name, without dashes.
    pub name: &'static str,
    /// What stands after it.
    pub takes: FlagValue,
    /// What becomes of it.
    pub meaning: FlagMeaning,
}

/// The flag of a name.
pub fn find(name: &str) -> Option<&'static Flag> {
    FLAGS.iter().find(|flag| flag.name == name)
}

/// The table as Markdown, as it stands in `docs/klee.md`.
pub fn markdown() -> String {
    let mut text = String::from("| flag | here |\n|---|---|\n");
    for flag in FLAGS {
        let value = match flag.takes {
            FlagValue::Switch => "",
            FlagValue::Word => "=…",
        };
        let what = match flag.meaning {
            FlagMeaning::Does(_, what) => what.to_string(),
            FlagMeaning::NoEffect(why) => format!("accepted, changes nothing: {why}"),
            FlagMeaning::Unsupported(why) => format!("a warning: {why}"),
        };
        text += &format!("| `--{}{value}` | {what} |\n", flag.name);
    }
    text
}
