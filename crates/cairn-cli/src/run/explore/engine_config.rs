//! The engine's configuration from the options of a run.

use super::super::choices::{BaseTerms, OutsideAccess, Uninit};
use super::super::{CheckName, RunArguments};
use crate::exit::{self, Failure};
use cairn_engine::search::SearchError;
use cairn_engine::{
    Bases, Config, Limits, MemoryConfig, MemoryPolicy, Reach, Resolution, StoppedTests, Unwritten,
};
use cairn_solver::{ChainError, CoreName};
use std::time::Instant;

pub(super) fn config(options: &RunArguments, started: Instant) -> Result<Config, Failure> {
    let explore_options = &options.explore;
    let defaults = Config::default();
    let usage = |e: ChainError| Failure::new(exit::USAGE, e);
    let layers = match &explore_options.layers {
        Some(list) => list.parse().map_err(usage)?,
        None => defaults.layers,
    };
    let layers = match &explore_options.value_sets {
        Some(preset) => cairn_solver::with_value_sets(&layers, preset).map_err(usage)?,
        None => layers,
    };
    let core: CoreName = explore_options.core.parse().map_err(usage)?;
    let (layers, core) = match &explore_options.arrays {
        Some(setting) => cairn_solver::with_arrays(&layers, &core, setting).map_err(usage)?,
        None => (layers, core),
    };
    let layers = explore_options.cache.layers(layers);
    let search = explore_options
        .search
        .parse()
        .map_err(|e: SearchError| Failure::new(exit::USAGE, e))?;
    if explore_options.resolve != Resolution::Flow
        && explore_options.memory != MemoryPolicy::Segments
    {
        let why = "--resolve scan and --resolve context:K are for --memory segments";
        return Err(Failure::new(exit::USAGE, anyhow::anyhow!(why)));
    }
    Ok(Config {
        search,
        seed: explore_options.seed,
        jobs: explore_options.jobs,
        limits: Limits {
            start: Some(started),
            time: explore_options.max_time,
            cpu_time: explore_options.max_cpu_time,
            memory: explore_options.max_memory,
            instructions: options.max_instructions,
            depth: explore_options.max_depth,
            forks: explore_options.max_forks,
            tests: explore_options.max_tests,
            findings: explore_options.max_findings,
            solver: explore_options.solver_timeout,
        },
        layers,
        core,
        unwritten: match explore_options.uninit {
            Uninit::Symbolic => Unwritten::Anything,
            Uninit::Zero => Unwritten::Zero,
        },
        policy: explore_options.memory,
        resolution: explore_options.resolve,
        merge: explore_options.merge,
        bases: match explore_options.bases {
            BaseTerms::Values => Bases::Values,
            BaseTerms::Terms => Bases::Terms,
        },
        memory: MemoryConfig {
            reach: match explore_options.outside {
                OutsideAccess::Error => Reach::OwnObject,
                OutsideAccess::Object => Reach::AnyObject,
            },
            ..defaults.memory
        },
        all_errors: explore_options.all_errors,
        check_leaks: options.check.contains(&CheckName::Leak),
        check_uninit: options.check.contains(&CheckName::Uninit),
        max_symbolic_size: explore_options.max_symbolic_size,
        fuzz_bytes: explore_options.fuzz_size,
        only_covering_new: explore_options.only_covering_new,
        tests_of_stopped: StoppedTests::CoveringNew,
        check_reasons: explore_options.self_check,
        core_of_every_reason: explore_options.every_reason,
        self_check: explore_options.self_check,
        cover_libc: explore_options.cover_libc,
        args: options.program_arguments(),
        variables: options.variables.all(),
        ..defaults
    })
}
