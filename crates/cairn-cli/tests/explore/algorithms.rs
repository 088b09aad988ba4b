//! The algorithms of `tests/algo` have exactly the paths that were counted natively.
//!
//! Those with few paths are explored under four searchers with one and two workers; all of them in
//! the long tier, under two. A run that a time limit ends may have fewer paths, never more.

use crate::library::Explorable;
use cairn_engine::search::DEFAULT;
use std::path::PathBuf;
use std::time::Duration;

/// Programs that take a second or so.
const QUICK: [&str; 7] = [
    "binary_search_all",
    "dijkstra",
    "fibonacci",
    "heap_sort_1",
    "insertion_sort_1",
    "linear_find_all",
    "merge_sort_1",
];

struct Algorithm {
    name: String,
    source: PathBuf,
    paths: u64,
    errors: u64,
}

fn algorithms() -> Vec<Algorithm> {
    let folder = crate::data("algo");
    let entries = std::fs::read_dir(&folder).expect("the algorithms are there");
    let mut files: Vec<PathBuf> = entries.map(|e| e.expect("readable").path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "expect"));
    files.sort();
    assert_eq!(files.len(), 31);
    let read = |file: &PathBuf| {
        let text = std::fs::read_to_string(file).expect("expectations are text");
        let number = |key: &str| {
            let line = text.lines().find_map(|l| l.strip_prefix(key));
            let number = line.and_then(|l| l.trim().parse().ok());
            number.unwrap_or_else(|| panic!("{}: no {key}", file.display()))
        };
        Algorithm {
            name: file
                .file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned(),
            source: file.with_extension("c"),
            paths: number("paths:"),
            errors: number("errors:"),
        }
    };
    files.iter().map(read).collect()
}

/// One exploration.
struct Run<'a> {
    search: &'a str,
    jobs: usize,
    /// Processor time.
    most: Duration,
}

/// What is wrong with the number of paths. A run that did not finish is wrong only if it has too
/// many, or if it had to finish.
fn count(
    algorithm: &Algorithm,
    explorable: &Explorable,
    run: &Run,
    must_finish: bool,
) -> Option<String> {
    let mut config = explorable.config.clone();
    config.search = run.search.parse().expect("a list of searchers");
    config.jobs = run.jobs;
    config.limits.cpu_time = Some(run.most);
    let start = std::time::Instant::now();
    let result = match explorable.count(config) {
        Ok(result) => result,
        Err(message) => return Some(format!("{}: {message}", algorithm.name)),
    };
    let (completed, errors) = (result.completed, result.errors);
    let finished = result.stopped_by.is_none() && result.incomplete.is_empty();
    let line = format!(
        "{}, {}, jobs {}: expected {} and {} errors, got {completed} and {errors} in {:.1} s{}",
        algorithm.name,
        run.search,
        run.jobs,
        algorithm.paths,
        algorithm.errors,
        start.elapsed().as_secs_f64(),
        if finished { "" } else { ", not finished" },
    );
    println!("{line}");
    let exact = (completed, errors) == (algorithm.paths, algorithm.errors);
    let too_many = completed > algorithm.paths || errors > algorithm.errors;
    let right = if finished {
        exact
    } else {
        !must_finish && !too_many
    };
    (!right).then(|| format!("{line} {:?}", result.incomplete))
}

fn explorable(algorithm: &Algorithm) -> Explorable {
    Explorable::new(&algorithm.source, &[])
        .unwrap_or_else(|message| panic!("{}: {message}", algorithm.name))
}

#[test]
fn quick_algorithms_have_their_paths_under_every_search() {
    let mut quick = algorithms();
    quick.retain(|a| QUICK.contains(&a.name.as_str()));
    assert_eq!(quick.len(), QUICK.len());
    let wrong = crate::on_two_threads(&quick, |algorithm| {
        let program = explorable(algorithm);
        let mut wrong = Vec::new();
        for search in ["dfs", "bfs", "random-path", DEFAULT] {
            for jobs in [1, 2] {
                let most = Duration::from_secs(120);
                let run = Run { search, jobs, most };
                wrong.extend(count(algorithm, &program, &run, true));
            }
        }
        wrong
    });
    let wrong = wrong.concat();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Takes half an hour or so; `./test long` runs it.
#[test]
#[ignore = "the long tier"]
fn all_algorithms_have_their_paths() {
    let wrong = crate::on_two_threads(&algorithms(), |algorithm| {
        let program = explorable(algorithm);
        let runs: &[(&str, usize)] = if algorithm.paths < 6_000 {
            &[
                ("dfs", 1),
                ("dfs", 2),
                ("bfs", 1),
                ("bfs", 2),
                ("random-path", 1),
                ("random-path", 2),
                (DEFAULT, 1),
                (DEFAULT, 2),
            ]
        } else {
            &[("dfs", 1), (DEFAULT, 1)]
        };
        let mut wrong = Vec::new();
        for (search, jobs) in runs {
            let run = Run {
                search,
                jobs: *jobs,
                most: Duration::from_secs(300),
            };
            wrong.extend(count(algorithm, &program, &run, false));
        }
        wrong
    });
    let wrong = wrong.concat();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
