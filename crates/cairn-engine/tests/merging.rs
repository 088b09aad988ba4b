//! Merging changes neither what is found nor what is covered: on programs that are made up, with each merge proved by a
//! second solver and each test run again; and what it saves where paths are independent.

mod merging {
    pub mod programs;
}

use cairn_engine::{
    Config, Exploration, Explorer, Finding, FindingKind, Limits, MergeFault, MergeMode, Observer,
    Outcome, TestCase,
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

fn explore(program: &str, config: Config) -> Ran {
    let program = match cairn_ir::text::parse(program) {
        Ok(program) => program,
        Err(error) => panic!("{error}\n{program}"),
    };
    if let Err(error) = cairn_ir::verify::verify(&program) {
        panic!("{error:?}\n{}", cairn_ir::text::print(&program));
    }
    let explorer = Explorer::new(Arc::new(program), config, Box::new(Silent));
    let result = explorer.run().expect("it starts");
    let directions = directions(&explorer);
    Ran { result, directions }
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

/// What must not depend on merging: findings by kind and line, how many instructions were covered of all, and which directions of
/// which branches, each by its line.
type Found = (BTreeSet<(FindingKind, u32)>, (u64, u64), Directions);

/// Directions of branches, each by its line and its number there.
type Directions = BTreeSet<(u32, usize)>;

/// What a run found and covered.
struct Ran {
    result: Exploration,
    directions: Directions,
}

impl std::ops::Deref for Ran {
    type Target = Exploration;

    fn deref(&self) -> &Exploration {
        &self.result
    }
}

fn directions(explorer: &Explorer) -> Directions {
    let shared = explorer.shared();
    let program = shared.program_now();
    let mut taken = Directions::new();
    for branch in shared.source_coverage().branches {
        let line = program.place(branch.place).line;
        let all = branch.directions.iter().enumerate();
        taken.extend(all.filter_map(|(i, (covered, _))| covered.then_some((line, i))));
    }
    taken
}

fn found(ran: &Ran) -> Found {
    let result = &ran.result;
    let findings = result.findings.iter();
    let findings = findings.map(|(at, reported)| (reported.finding.kind, at.line));
    let instructions = result.coverage.instructions;
    (
        findings.collect(),
        (instructions.covered, instructions.total),
        ran.directions.clone(),
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
    differing_heaps: u64,
    again: u64,
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
        let runs = runs.chain([(MergeMode::Joins, 2)]).map(|run| (run, None));
        for ((mode, jobs), set_aside_after) in runs.chain([((MergeMode::Joins, 1), Some(3))]) {
            let mut config = Config {
                set_aside_after,
                ..config(mode, jobs, proves)
            };
            if set_aside_after.is_some() {
                // Paths are run again and again.
                config.limits.instructions = Some(100_000_000);
            }
            let result = explore(&text, config);
            let run = format!("seed {seed}, {mode:?}, {jobs} workers, aside {set_aside_after:?}");
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
            seen.differing_heaps += merges.differing_heaps;
            seen.again += merges.again;
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
    let seen = fuzz(0..40, true);
    println!("{seen:?}");
    assert!(seen.merges > 500 && seen.differing_heaps > 50, "{seen:?}");
    assert!(seen.again > 50, "{seen:?}");
    assert_eq!(seen.undecided, 0, "{seen:?}");
}

/// Whether something of a run shows that a merge was wrong: a proof, a test, or what it found.
fn is_seen(text: &str, expected: &Found, fault: MergeFault) -> Option<&'static str> {
    let config = Config {
        merge_fault: Some(fault),
        ..config(MergeMode::Joins, 1, true)
    };
    let result = explore(text, config);
    if !result.bugs.is_empty() {
        Some("check")
    } else if !result.mismatches.is_empty() {
        Some("test")
    } else {
        (found(&result) != *expected).then_some("comparison")
    }
}

/// A pointer to the stack becomes a choice on one of two ways, and then these meet.
fn chosen_on_one_side(sides: [&str; 2]) -> String {
    let [then, otherwise] = sides;
    format!(
        "global @n {{ bytes \"x\\00\" }}\nglobal @g align 8 size 16\n\
         extern func @klee_int(i64) -> i32\nfunc @main() -> i32 {{\nentry:\n  %s: i64 = alloca 16 align 8\n  \
         %p: i64 = alloca 8 align 8\n  fill %s, 0, 16\n  store i64 @g to %p\n  %x: i32 = call @klee_int(i64 @n)\n  \
         %y: i32 = call @klee_int(i64 @n)\n  %c: i1 = ult i32 %x, 5\n  %d: i1 = ult i32 %y, 5\n  \
         branch %c, {then}, {otherwise}\none:\n  branch %d, in, met\nin:\n  store i64 %s to %p\n  jump met\nmet:\n  \
         jump end\nother:\n  jump end\nend:\n  %q: i64 = load %p\n  %v: i32 = load %q\n  return %v\n}}\n"
    )
}

/// Each obligation of a merge is broken, and that is seen.
#[test]
fn a_merge_that_is_wrong_is_seen() {
    let mut unseen: Vec<MergeFault> = MergeFault::ALL.to_vec();
    let random = |seed| {
        let mut random = Random::new(seed);
        let statements = 4 + random.below(20);
        merging::programs::program(&mut random, statements)
    };
    let sides = [["one", "other"], ["other", "one"]];
    let texts = sides.map(chosen_on_one_side).into_iter();
    for (seed, text) in texts.chain((0..400).map(random)).enumerate() {
        let forked = explore(&text, config(MergeMode::None, 1, false));
        if forked.stopped_by.is_some() || !forked.incomplete.is_empty() {
            continue;
        }
        let expected = found(&forked);
        unseen.retain(|fault| match is_seen(&text, &expected, *fault) {
            Some(by) => {
                println!("{fault:?}: seed {seed}, {by}");
                false
            }
            None => true,
        });
        if unseen.is_empty() {
            return;
        }
    }
    panic!("not seen: {unseen:?}");
}

/// Its paths part before they call the same function, and are merged in there: the calls are known by how much was executed before.
#[test]
fn calls_of_paths_that_are_run_again_have_the_same_numbers() {
    let seen = fuzz(20_516..20_517, false);
    assert!(seen.again > 20, "{seen:?}");
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

/// Programs with marks, in the shapes of the examples that KLEE has for them, and how many paths KLEE has at their ends.
fn marked() -> Vec<(&'static str, &'static str, u64)> {
    // Of the byte at %x: 1, 2, or another one.
    const THREE: &str = "  switch i8 %x [1: one, 2: two] else other\none:\n  jump met(5)\ntwo:\n  jump met(6)\n\
        other:\n  jump met(7)\nmet(%v: i32):\n  call @klee_close_merge()\n";
    const CLOSED: &str = "two:\n  call @klee_close_merge()\n  return 6\n";
    const NESTED: &str = "  call @klee_open_merge()\n  branch %zero, in, out(0)\nin:\n  call @klee_open_merge()\nTHREE\
        jump out(%v)\nout(%r: i32):\n  call @klee_close_merge()\n  return %r\n";
    const LOOP: &str = "  %y: i8 = urem %x, 20\n  %third: i8 = urem %y, 3\n  %divides: i1 = eq i8 %third, 0\n  \
        call @klee_open_merge()\n  jump head(0)\nhead(%i: i8):\n  %more: i1 = ult i8 %i, %y\n  branch %more, body, done\n\
        body:\n  branch %divides, early, again\nearly:\n  call @klee_close_merge()\nEARLY\
        again:\n  %n: i8 = add %i, 1\n  jump head(%n)\ndone:\n  call @klee_close_merge()\nDONE";
    const BY_TEN: &str = "  %large: i1 = ult i8 10, %y\n  branch %large, one, two\none:\n  return 1\ntwo:\n  return 2\n";
    const MEETS: &str = "  call @klee_open_merge()\n  %above: i1 = ult i8 10, %y\n  branch %above, a, b\na:\n  jump c(1)\n\
        b:\n  jump c(2)\nc(%p: i32):\n  call @klee_close_merge()\n  return %p\n";
    let with = |text: &str, parts: &[(&str, &str)]| -> &'static str {
        let put = |text: String, (name, part): &(&str, &str)| text.replace(name, part);
        parts.iter().fold(text.to_string(), put).leak()
    };
    let inner = with(
        "  branch %zero, in, out(0)\nin:\n  call @klee_open_merge()\nTHREE  jump out(%v)\nout(%r: i32):\n  return %r\n",
        &[("THREE", THREE)],
    );
    vec![
        ("three ways on one side", inner, 2),
        (
            "one more close",
            with(
                inner,
                &[("  return %r", "  call @klee_close_merge()\n  return %r")],
            ),
            2,
        ),
        ("nested", with(NESTED, &[("THREE", THREE)]), 1),
        (
            "closed twice",
            with(
                "  call @klee_open_merge()\nTHREE  return %v\n",
                &[("THREE", THREE), ("two:\n  jump met(6)\n", CLOSED)],
            ),
            2,
        ),
        (
            "memory",
            "  %p: i64 = call @malloc(i64 4)\n  store i32 0 to %p\n  call @klee_open_merge()\n  branch %zero, w, met\nw:\n  \
             store i32 1 to %p\n  jump met\nmet:\n  call @klee_close_merge()\n  %v: i32 = load %p\n  \
             %set: i1 = ne i32 %v, 0\n  branch %set, a, b\na:\n  return 1\nb:\n  return 0\n",
            2,
        ),
        (
            "other objects",
            "  call @klee_open_merge()\n  branch %zero, a, b\na:\n  %p: i64 = call @malloc(i64 28)\n  jump met(%p)\nb:\n  \
             %q: i64 = call @malloc(i64 32)\n  jump met(%q)\nmet(%r: i64):\n  call @klee_close_merge()\n  \
             store i32 1 to %r\n  call @free(i64 %r)\n  return 0\n",
            2,
        ),
        (
            "a loop with two exits",
            with(LOOP, &[("EARLY", "  return 1\n"), ("DONE", "  return 0\n")]),
            2,
        ),
        (
            "a loop, and what follows",
            with(LOOP, &[("EARLY", BY_TEN), ("DONE", MEETS)]),
            3,
        ),
    ]
}

#[test]
fn marked_paths_are_as_many_as_klee_has() {
    for (name, body, paths) in marked() {
        let text = format!(
            "global @n {{ bytes \"x\\00\" }}\nextern func @malloc(i64) -> i64\nextern func @free(i64)\n\
             extern func @klee_make_symbolic(i64, i64, i64)\nextern func @klee_open_merge()\n\
             extern func @klee_close_merge()\nfunc @main() -> i32 {{\nentry:\n  %in: i64 = alloca 2 align 1\n  \
             call @klee_make_symbolic(i64 %in, i64 2, i64 @n)\n  %x: i8 = load %in\n  %second: i64 = add %in, 1\n  %a: i8 = load %second\n  \
             %zero: i1 = eq i8 %a, 0\n{body}}}\n"
        );
        for jobs in [1, 2] {
            let result = explore(&text, config(MergeMode::Marked, jobs, true));
            assert_eq!(result.bugs, Vec::<String>::new(), "{name}");
            assert!(
                result.mismatches.is_empty(),
                "{name}: {:?}",
                result.mismatches
            );
            if jobs == 1 {
                assert_eq!((result.completed, result.errors), (paths, 0), "{name}");
            }
        }
    }
}
