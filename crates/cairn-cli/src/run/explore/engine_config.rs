//! The engine's configuration from the options of a run.

use super::super::layout::RunLayout;
use super::super::limits;
use super::super::summary;
use super::super::terminal::Terminal;
use super::super::watch::RunWatch;
use super::super::{CheckName, RunArguments};
use super::{
    BaseTerms, ExploreOptions, OutsideAccess, Policy, ROWS, Uninit, begin_info, choices_text,
    exit_code, explore, no_folder, nothing_explored, output_folder, result_text, say_bugs,
    write_results,
};
use crate::exit::{self, Failure};
use crate::output;
use crate::prepare::{AbiUse, EntryFunction, LibcUse, LoadedProgram};
use crate::recorder::write_failures::WriteFailures;
use crate::recorder::{Recorder, TestFiles};
use crate::say;
use crate::signals;
use cairn_engine::search::SearchError;
use cairn_engine::{
    Bases, Config, Exploration, Explorer, Limits, MemoryConfig, MemoryPolicy, Omission, Reach,
    Shared, StoppedTests, Unwritten,
};
use cairn_report::{
    Frontend, InfoFile, OutputFolder, Product, QueryTotals, ReportError, RunEnd, RunStart,
    RunTotals, StatsWriter, Summary,
};
use cairn_solver::{ChainError, CoreName};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

pub(super) fn config(options: &RunArguments, started: Instant) -> Result<Config, Failure> {
    let wanted = &options.explore;
    let defaults = Config::default();
    let usage = |e: ChainError| Failure::new(exit::USAGE, e);
    let layers = match &wanted.layers {
        Some(list) => list.parse().map_err(usage)?,
        None => defaults.layers,
    };
    let layers = match &wanted.value_sets {
        Some(preset) => cairn_solver::with_value_sets(&layers, preset).map_err(usage)?,
        None => layers,
    };
    let core: CoreName = wanted.core.parse().map_err(usage)?;
    let (layers, core) = match &wanted.arrays {
        Some(setting) => cairn_solver::with_arrays(&layers, &core, setting).map_err(usage)?,
        None => (layers, core),
    };
    let search = wanted
        .search
        .parse()
        .map_err(|e: SearchError| Failure::new(exit::USAGE, e))?;
    Ok(Config {
        search,
        seed: wanted.seed,
        jobs: wanted.jobs,
        limits: Limits {
            start: Some(started),
            time: wanted.max_time,
            cpu_time: wanted.max_cpu_time,
            memory: wanted.max_memory,
            instructions: options.max_instructions,
            depth: wanted.max_depth,
            forks: wanted.max_forks,
            tests: wanted.max_tests,
            findings: wanted.max_findings,
            solver: wanted.solver_timeout,
        },
        layers,
        core,
        unwritten: match wanted.uninit {
            Uninit::Symbolic => Unwritten::Anything,
            Uninit::Zero => Unwritten::Zero,
        },
        policy: match wanted.memory {
            Policy::Fork => MemoryPolicy::Fork,
            Policy::Segments => MemoryPolicy::Segments,
        },
        bases: match wanted.bases {
            BaseTerms::Values => Bases::Values,
            BaseTerms::Terms => Bases::Terms,
        },
        memory: MemoryConfig {
            reach: match wanted.outside {
                OutsideAccess::Error => Reach::OwnObject,
                OutsideAccess::Object => Reach::AnyObject,
            },
            ..defaults.memory
        },
        all_errors: wanted.all_errors,
        check_leaks: options.check.contains(&CheckName::Leak),
        check_uninit: options.check.contains(&CheckName::Uninit),
        max_symbolic_size: wanted.max_symbolic_size,
        fuzz_bytes: wanted.fuzz_size,
        only_covering_new: wanted.only_covering_new,
        tests_of_stopped: StoppedTests::CoveringNew,
        check_reasons: wanted.self_check,
        core_of_every_reason: wanted.every_reason,
        self_check: wanted.self_check,
        cover_libc: wanted.cover_libc,
        args: options.program_arguments(),
        variables: options.variables.all(),
        ..defaults
    })
}
