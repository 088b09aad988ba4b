//! Merging changes neither what is found nor what is covered: on programs that are made up, with each merge proved by a
//! second solver and each test run again; and what it saves where paths are independent.

mod merging {
    pub mod programs;
}

use cairn_engine::{
    Config, Exploration, Explorer, Finding, FindingKind, Limits, MergeMode, Observer, Outcome,
    TestCase,
};
use cairn_ir::Program;
use cairn_random::Random;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

struct Silent;

impl Observer for Silent {
    fn wants_test(&self, _outcome: &Outcome) -> bool {
        true
    }
    fn found(&self, _finding: &Finding, _test: Option<u64>, _program: &Program) {}
    fn test(&self, _number: u64, _test: &TestCase, _outcome: &Outcome, _program: &Program) {}
    fn message(&self, _text: &str) {}
    fn warning(&self, _text: &str) {}
    fn warning_once(&self, _text: &str) {}
}

fn explore(program: &str, config: Config) -> Exploration {
    let program = match cairn_ir::text::parse(program) {
        Ok(program) => program,
        Err(error) => panic!("{error}\n{program}"),
    };
    if let Err(error) = cairn_ir::verify::verify(&program) {
        panic!("{error:?}\n{}", cairn_ir::text::print(&program));
    }
    let explorer = Explorer::new(Arc::new(program), config, Box::new(Silent));
    explorer.run().expect("it starts")
}

fn config(merge: MergeMode, jobs: usize, proves: bool) -> Config {
    Config {
        merge,
        jobs,
        self_check: true,
        check_reasons: proves,
        limits: Limits {
            instructions: Some(400_000),
            ..Limits::default()
        },
        ..Config::default()
    }
}

/// What must not depend on merging: findings by kind and line, and how many instructions and branch directions were covered, each of all.
type Found = (BTreeSet<(FindingKind, u32)>, [(u64, u64); 2]);

fn found(result: &Exploration) -> Found {
    let findings = result.findings.iter();
    let findings = findings.map(|(at, reported)| (reported.finding.kind, at.line));
    let share = |share: cairn_engine::Share| (share.covered, share.total);
    let coverage = &result.coverage;
    (
        findings.collect(),
        [share(coverage.instructions), share(coverage.directions)],
    )
}

/// What fuzzing saw.
#[derive(Default, Debug)]
struct Seen {
    compared: u64,
    left_out: u64,
    merges: u64,
    merged: u64,
    differing_memories: u64,
    proved: u64,
    undecided: u64,
    refused: std::collections::BTreeMap<&'static str, u64>,
}

fn fuzz(seeds: std::ops::Range<u64>, proves: bool) -> Seen {
    let mut seen = Seen::default();
    for seed in seeds {
        let mut random = Random::new(seed);
        let statements = 4 + random.below(20);
        let text = merging::programs::program(&mut random, statements);
        let forked = explore(&text, config(MergeMode::None, 1, false));
        if forked.stopped_by.is_some() || !forked.incomplete.is_empty() {
            seen.left_out += 1;
            continue;
        }
        seen.compared += 1;
        let expected = found(&forked);
        let modes = [MergeMode::Joins, MergeMode::Loops, MergeMode::Marked];
        let runs = modes.map(|mode| (mode, 1)).into_iter();
        for (mode, jobs) in runs.chain([(MergeMode::Joins, 2)]) {
            let result = explore(&text, config(mode, jobs, proves));
            let run = format!("seed {seed}, {mode:?}, {jobs} workers");
            assert_eq!(result.bugs, Vec::<String>::new(), "{run}\n{text}");
            assert!(
                result.mismatches.is_empty(),
                "{run}: {:?}\n{text}",
                result.mismatches
            );
            assert!(
                result.incomplete.is_empty(),
                "{run}: {:?}\n{text}",
                result.incomplete
            );
            assert_eq!(found(&result), expected, "{run}\n{text}");
            let merges = &result.merges;
            seen.merges += merges.merges;
            seen.merged += merges.merged;
            seen.differing_memories += merges.differing_memories;
            seen.proved += merges.proved;
            seen.undecided += merges.undecided;
            for (why, count) in &merges.refused {
                *seen.refused.entry(why.name()).or_default() += count;
            }
        }
    }
    seen
}

#[test]
fn what_is_found_does_not_depend_on_merging() {
    let seen = fuzz(0..60, true);
    println!("{seen:?}");
    assert!(seen.merges > 15 && seen.differing_memories > 5, "{seen:?}");
}

/// The same on many programs: `MERGE_SEEDS=1000-6000 cargo test --release -p cairn-engine --test merging many -- --ignored`.
#[test]
#[ignore = "tier long"]
fn many_programs() {
    let seeds = std::env::var("MERGE_SEEDS").unwrap_or_else(|_| "1000-3000".to_string());
    let (first, end) = seeds.split_once('-').expect("FIRST-END");
    let (first, end) = (
        first.parse().expect("a number"),
        end.parse().expect("a number"),
    );
    let proves = std::env::var_os("MERGE_PROVES").is_some();
    println!("{:?}", fuzz(first..end, proves));
}

/// Branches on inputs of their own, one behind the other.
fn diamonds(count: usize) -> String {
    let mut text =
        String::from("global @x { bytes \"x\\00\" }\nextern func @klee_int(i64) -> i32\n");
    text += "func @main() -> i32 {\nentry:\n  %sum: i64 = alloca 4 align 4\n";
    text += "  store i32 0 to %sum\n  jump d0\n";
    for i in 0..count {
        let next = i + 1;
        write!(
            text,
            "d{i}:\n  %x{i}: i32 = call @klee_int(i64 @x)\n  %c{i}: i1 = ult i32 %x{i}, 7\n  \
             branch %c{i}, a{i}, d{next}\na{i}:\n  %s{i}: i32 = load %sum\n  \
             %t{i}: i32 = add %s{i}, 3\n  store i32 %t{i} to %sum\n  jump d{next}\n"
        )
        .expect("a string");
    }
    text + &format!("d{count}:\n  return 0\n}}\n")
}

#[test]
fn independent_branches_are_linear() {
    let few = explore(&diamonds(8), config(MergeMode::None, 1, false));
    assert_eq!(few.completed, 256);
    for count in [8, 64] {
        let result = explore(&diamonds(count), config(MergeMode::Joins, 1, count == 8));
        assert_eq!((result.completed, result.errors), (1, 0));
        assert_eq!(result.merges.merged, count as u64, "{:?}", result.merges);
        assert_eq!(result.forks, count as u64);
        assert_eq!(result.coverage.directions.covered, 2 * count as u64);
        assert!(result.instructions < 12 * count as u64 + 20);
    }
}
