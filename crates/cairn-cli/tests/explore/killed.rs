//! A run that is killed at any moment leaves whole tests.

use crate::command;
use std::path::Path;
use std::time::{Duration, Instant};

/// When a run is killed.
enum Moment {
    /// After this time, which may be before it has written anything.
    After(Duration),
    /// When it has written a test.
    WithTest,
}

fn has_test(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names = entries.map(|e| e.path());
    names.any(|name| name.extension().is_some_and(|e| e == "ktest"))
}

/// Kills a run; how many tests it left, all of them whole.
fn killed(program: &Path, folder: &Path, moment: &Moment) -> usize {
    let _ = std::fs::remove_dir_all(folder);
    let mut child = command::cairn_run(program, folder, &["--search", "dfs"])
        .spawn()
        .expect("the binary was built");
    match moment {
        Moment::After(time) => std::thread::sleep(*time),
        Moment::WithTest => {
            let start = Instant::now();
            while !has_test(folder) && start.elapsed() < command::PATIENCE {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
    child.kill().expect("the child is ours");
    child.wait().expect("the child is ours");
    if !folder.exists() {
        return 0;
    }
    let tests = command::tests(folder).expect("every test is whole");
    for (name, test) in &tests {
        let sizes: Vec<_> = test
            .objects
            .iter()
            .map(|o| (o.name.as_slice(), o.bytes.len()))
            .collect();
        let wanted: [(&[u8], usize); 2] = [(b"n", 4), (b"b", 15)];
        assert_eq!(sizes, wanted, "{name}");
    }
    tests.len()
}

fn kill_often(times: u32) {
    let folder = crate::fresh_folder(&format!("killed-{times}"));
    let source = crate::data("speed").join("heaploop.c");
    let program = command::prepared_file(&source, &folder, &["-DMAX=15"]);
    // Spread over the first second without a clock or a seed of chance: by the golden section.
    let left: Vec<usize> = (1..=times)
        .map(|i| {
            let part = (f64::from(i) * 0.618_033_988_749_895).fract();
            let moment = Moment::After(Duration::from_secs_f64(0.05 + part));
            killed(&program, &folder.join("out"), &moment)
        })
        // On a busy machine all of them may be killed before they have written a test.
        .chain([killed(&program, &folder.join("out"), &Moment::WithTest)])
        .collect();
    println!("tests left by runs that were killed: {left:?}");
    assert!(left.iter().any(|n| *n > 0), "no run wrote a test: {left:?}");
}

#[test]
fn a_run_that_is_killed_leaves_whole_tests() {
    let _alone = command::alone();
    kill_often(5);
}

#[test]
#[ignore = "the long tier"]
fn fifty_runs_that_are_killed_leave_whole_tests() {
    let _alone = command::alone();
    kill_often(50);
}
