//! `summary.json`: what a run found, from the engine's result.

use crate::hints::with_hint;
use cairn_engine::{Exploration, Omission};
use cairn_report::{
    AccessCounts, Coverage, FindingSummary, Frontend, LayerCounts, MergeSummary, PathCounts,
    QueryCounts, Status, Summary,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// The file of a test.
pub fn test_name(number: u64) -> String {
    format!("test{number:06}.ktest")
}

/// The summary of a run whose time was over before its program was loaded.
pub fn of_nothing(program: &Path, why: Omission, elapsed: Duration) -> Summary {
    let none = Some(0);
    Summary {
        program: Some(program.display().to_string()),
        frontend: Some(Frontend::Llvm),
        status: Status::Partial,
        stopped_by: Some("max-time".to_string()),
        paths: PathCounts {
            completed: none,
            errors: none,
            stopped: none,
            pruned: none,
            merged: None,
        },
        instructions: none,
        forks: none,
        tests: none,
        max_depth: none,
        seconds: Some(elapsed.as_secs_f64()),
        cpu_seconds: cairn_home::cpu_seconds(),
        peak_rss_bytes: cairn_home::peak_bytes(),
        incomplete: vec![why.to_string()],
        ..Summary::default()
    }
}

fn named<'n>(counts: impl Iterator<Item = (&'static str, &'n u64)>) -> BTreeMap<String, u64> {
    counts.map(|(name, n)| (name.to_string(), *n)).collect()
}

/// The summary of a run that has ended.
pub fn of(program: &Path, writes_tests: bool, result: &Exploration, elapsed: Duration) -> Summary {
    let share = |s: cairn_engine::Share| Some((s.covered, s.total));
    let [of_1, of_2, of_4, of_8] = result.accesses.of_bytes;
    let core = result.layers.last();
    let test_of = |number: Option<u64>| {
        let number = number.filter(|_| writes_tests);
        number.map(test_name)
    };
    let mut summary = Summary {
        program: Some(program.display().to_string()),
        frontend: Some(Frontend::Llvm),
        libc: None,
        status: Status::Complete,
        stopped_by: result.stopped_by.map(|limit| limit.name().to_string()),
        paths: PathCounts {
            completed: Some(result.completed),
            errors: Some(result.errors),
            stopped: Some(result.stopped),
            pruned: Some(result.subsumed),
            merged: Some(result.merges.merged),
        },
        merging: MergeSummary {
            groups: Some(result.merges.groups),
            merges: Some(result.merges.merges),
            differing_memories: Some(result.merges.differing_memories),
            refused: named(result.merges.refused.iter().map(|(why, n)| (why.name(), n))),
            left: named(result.merges.left.iter().map(|(how, n)| (how.name(), n))),
        },
        instructions: Some(result.instructions),
        forks: Some(result.forks),
        tests: Some(if writes_tests { result.tests } else { 0 }),
        max_depth: Some(result.max_depth),
        coverage: Coverage {
            instructions: share(result.coverage.instructions),
            branches: share(result.coverage.directions),
            lines: share(result.coverage.lines),
            functions: share(result.coverage.functions),
        },
        symbolic_accesses: AccessCounts {
            of_1: Some(of_1),
            of_2: Some(of_2),
            of_4: Some(of_4),
            of_8: Some(of_8),
            by_choice: Some(result.accesses.by_choice),
            largest_choice_bytes: Some(result.accesses.largest_choice),
            largest_split_bytes: Some(result.accesses.largest_split),
            resolution_queries: Some(result.accesses.resolutions),
        },
        queries: QueryCounts {
            asked: Some(result.queries),
            by_layer: result
                .layers
                .iter()
                .map(|l| {
                    let counts = LayerCounts {
                        sat: Some(l.sat),
                        unsat: Some(l.unsat),
                        seconds: Some(l.time.as_secs_f64()),
                    };
                    (l.name.clone(), counts)
                })
                .collect(),
            core: core.map(|c| c.sat + c.unsat),
            timeouts: Some(result.timeouts),
        },
        seconds: Some(elapsed.as_secs_f64()),
        cpu_seconds: cairn_home::cpu_seconds(),
        peak_rss_bytes: cairn_home::peak_bytes(),
        findings: result
            .findings
            .iter()
            .map(|(place, reported)| FindingSummary {
                kind: reported.finding.kind.word().to_string(),
                message: reported.finding.message.clone(),
                file: Some(place.file.clone()).filter(|f| !f.is_empty()),
                line: Some(u64::from(place.line)).filter(|l| *l > 0),
                function: Some(place.function.clone()),
                test: test_of(reported.test),
                certainty: Some("exact".to_string()),
            })
            .collect(),
        incomplete: (result.incomplete.iter())
            .map(|omitted| with_hint(&omitted.to_string()))
            .collect(),
        ..Summary::default()
    };
    if summary.is_partial() {
        summary.status = Status::Partial;
    }
    summary
}
