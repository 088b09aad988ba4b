//! Every program of `tests/programs` gives its answer, whatever the order of the search.
//!
//! Inside this process each is explored by seven searchers with one and two workers; the binary
//! explores each once, and everything is read back from the files it wrote.

use crate::expectation::{Expectation, Seen, SeenFinding};
use crate::library::Explorable;
use crate::{command, deviations};
use cairn_engine::{MemoryPolicy, Resolution};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The searchers that every program must give the same answer under.
const SEARCHERS: [&str; 7] = [
    "dfs",
    "bfs",
    "random-path",
    "random-state",
    "covnew",
    "md2u",
    cairn_engine::search::DEFAULT,
];

/// Processor time, which other programs on the machine do not use up. No program of the corpus needs a
/// fraction of it.
const LONGEST: Duration = Duration::from_secs(20);

fn corpus() -> Vec<(PathBuf, Expectation)> {
    let folder = crate::data("programs");
    let entries = std::fs::read_dir(&folder).expect("the corpus is there");
    let mut files: Vec<PathBuf> = entries.map(|e| e.expect("readable").path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "c" || e == "cc"));
    files.sort();
    let programs: Vec<_> = files
        .into_iter()
        .filter_map(|f| Some((f.clone(), Expectation::read(&f)?)))
        .collect();
    assert!(programs.len() >= 60, "only {} programs", programs.len());
    programs
}

fn name(file: &Path) -> String {
    let name = file.file_name().expect("programs have names");
    name.to_string_lossy().into_owned()
}

/// Compares what deviates with what is known to.
fn judge(results: Vec<(String, Vec<String>)>) {
    let mut wrong = Vec::new();
    for (name, differences) in results {
        match (deviations::reason(&name), differences.is_empty()) {
            (None, false) => wrong.push(format!("{name}:\n  {}", differences.join("\n  "))),
            (Some(why), true) => wrong.push(format!(
                "{name}: gives its answer now; take it off the list of deviations ({why})"
            )),
            (None, true) | (Some(_), false) => {}
        }
    }
    assert!(
        wrong.is_empty(),
        "{} programs:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// What a program gives wrong, each with the searchers and numbers of workers that give it. A run
/// that did not end in time, or a program that is known to deviate, is not tried again.
fn under_every_search(file: &Path, expected: &Expectation) -> Vec<String> {
    let explorable = match Explorable::new(file, &expected.flags) {
        Ok(explorable) => explorable,
        Err(message) => return vec![message],
    };
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for search in SEARCHERS {
        for jobs in [1, 2] {
            let mut config = explorable.config.clone();
            config.search = search.parse().expect("a list of searchers");
            config.jobs = jobs;
            config.limits.cpu_time = Some(LONGEST);
            let differences = match explorable.explore(config) {
                Ok(seen) => expected.differences(&seen),
                Err(message) => vec![message],
            };
            if differences.is_empty() {
                continue;
            }
            let is_late = differences.iter().any(|d| d.contains("max-cpu-time"));
            let run = format!("{search} with {jobs}");
            all.entry(differences.join("; ")).or_default().push(run);
            if is_late || deviations::reason(&name(file)).is_some() {
                return described(all);
            }
        }
    }
    described(all)
}

fn described(differences: BTreeMap<String, Vec<String>>) -> Vec<String> {
    let describe = |(what, runs): (String, Vec<String>)| match runs.len() == 2 * SEARCHERS.len() {
        true => format!("{what} (always)"),
        false => format!("{what} ({})", runs.join(", ")),
    };
    differences.into_iter().map(describe).collect()
}

/// Bases of objects as terms change what is written, not what is found.
#[test]
fn programs_give_their_answers_wherever_their_objects_are_said_to_begin() {
    judge(crate::on_two_threads(&corpus(), |(file, expected)| {
        let explored = Explorable::new(file, &expected.flags).and_then(|explorable| {
            let mut config = explorable.config.clone();
            config.bases = cairn_engine::Bases::Terms;
            config.limits.cpu_time = Some(LONGEST);
            explorable.explore(config)
        });
        let differences = match explored {
            Ok(seen) => expected.differences(&seen),
            Err(message) => vec![message],
        };
        (name(file), differences)
    }));
}

/// One path for all objects of a pointer finds what a path for each of them finds.
#[test]
fn programs_give_the_same_errors_whichever_way_memory_goes() {
    judge(crate::on_two_threads(&corpus(), |(file, expected)| {
        let differences = match Explorable::new(file, &expected.flags) {
            Ok(explorable) => under_every_policy(&explorable, expected, &baselines(file)),
            Err(message) => vec![message],
        };
        (name(file), differences)
    }));
}

/// A policy, and how it finds objects.
type Way = (MemoryPolicy, Resolution);

/// The ways of others that are there to compare with: one for each program, all of them if `EVERY_WAY` is set.
fn baselines(file: &Path) -> Vec<Way> {
    let all = [
        (MemoryPolicy::PointsTo, Resolution::Flow),
        (MemoryPolicy::Segments, Resolution::Scan),
        (MemoryPolicy::Segments, Resolution::Context { frames: 2 }),
        (MemoryPolicy::Split { bytes: 40 }, Resolution::Flow),
    ];
    if std::env::var_os("EVERY_WAY").is_some() {
        return all.to_vec();
    }
    let hash = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let number = name(file).bytes().fold(0x811c_9dc5, hash) >> 7;
    vec![all[number as usize % all.len()]]
}

fn under_every_policy(
    explorable: &Explorable,
    expected: &Expectation,
    baselines: &[Way],
) -> Vec<String> {
    let explored = |(policy, resolution): Way| {
        let mut config = explorable.config.clone();
        (config.policy, config.resolution) = (policy, resolution);
        config.limits.cpu_time = Some(LONGEST);
        explorable.explore(config)
    };
    let ours = [
        MemoryPolicy::Segments,
        MemoryPolicy::Ite,
        MemoryPolicy::ADAPTIVE,
        // Where one path ends and many begin.
        MemoryPolicy::Adaptive { most: 1 },
    ];
    let forked = match explored((MemoryPolicy::Fork, Resolution::Flow)) {
        Ok(forked) => forked,
        Err(message) => return vec![message],
    };
    let ours = ours.map(|policy| (policy, Resolution::Flow));
    let mut all = Vec::new();
    for way in ours {
        match explored(way) {
            Ok(as_one) => all.extend(policy_differences(expected, way, &forked, &as_one)),
            Err(message) => all.push(message),
        }
    }
    for way in baselines {
        match explored(*way) {
            Ok(other) => all.extend(place_differences(*way, &forked, &other)),
            Err(message) => all.push(format!("{way:?}: {message}")),
        }
    }
    all
}

fn policy_differences(
    expected: &Expectation,
    way: Way,
    forked: &Seen,
    as_one: &Seen,
) -> Vec<String> {
    let mut all = expected.differences_but_paths(as_one);
    all.extend(place_differences(way, forked, as_one));
    if forked.exit != as_one.exit {
        all.push(format!(
            "{:?} becomes {:?} with {way:?}",
            forked.exit, as_one.exit
        ));
    }
    if as_one.paths.0 + as_one.paths.1 > forked.paths.0 + forked.paths.1 {
        all.push(format!(
            "{:?} paths grow to {:?} with {way:?}",
            forked.paths, as_one.paths
        ));
    }
    all
}

/// Other errors, or other places. A way that knows less about bytes may list more that is not explored.
fn place_differences(way: Way, forked: &Seen, other: &Seen) -> Option<String> {
    let places = |seen: &Seen| -> Vec<(String, u64)> {
        let mut all: Vec<_> = seen.findings.iter().map(SeenFinding::place).collect();
        all.sort();
        all
    };
    (places(forked) != places(other)).then(|| {
        format!(
            "{:?} with a path for each object, {:?} with {way:?}",
            places(forked),
            places(other)
        )
    })
}

#[test]
fn programs_give_their_answers_under_every_searcher() {
    judge(crate::on_two_threads(&corpus(), |(file, expected)| {
        (name(file), under_every_search(file, expected))
    }));
}

#[test]
fn the_command_writes_the_answers_to_files() {
    let folder = crate::fresh_folder("programs");
    judge(crate::on_two_threads(&corpus(), |(file, expected)| {
        let name = name(file);
        let mut flags: Vec<&str> = expected.flags.iter().map(String::as_str).collect();
        // The numbers of paths are those of a path for each object.
        flags.extend(["--max-cpu-time", "20s", "--memory", "fork"]);
        let differences = match command::explore(file, &folder.join(&name), &flags) {
            Ok(seen) => expected.differences(&seen),
            Err(message) => vec![message],
        };
        (name, differences)
    }));
}

#[test]
fn deviations_name_programs_that_exist() {
    let corpus = corpus();
    for (program, why) in deviations::PROGRAMS {
        assert!(!why.is_empty(), "{program} needs a reason");
        assert!(
            corpus.iter().any(|(file, _)| name(file) == *program),
            "there is no {program}"
        );
    }
}
