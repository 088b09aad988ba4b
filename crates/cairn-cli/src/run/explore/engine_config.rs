//! The engine's configuration from the options of a run.

use super::super::choices::{BaseTerms, OutsideAccess, Uninit};
use super::super::{CheckName, RunArguments};
use crate::exit::{self, Failure};
use cairn_engine::search::SearchError;
use cairn_engine::{Bases, Config, Limits, MemoryConfig, Reach, StoppedTests, Unwritten};
use cairn_solver::{ChainError, CoreName};
use std::time::Instant;

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
        policy: wanted.memory,
        merge: wanted.merge,
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
