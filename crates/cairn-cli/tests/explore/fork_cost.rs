//! The cost of a fork does not grow with memory.
//!
//! Three programs fork equally often: one with little memory, one with 256 MB in one object, one
//! with a hundred thousand small objects. What each takes up to its first fork is measured by a run that
//! does not fork, and subtracted. `cairn-bench forks` measures exactly; here the factor is loose,
//! because other programs run on the machine.

use crate::command;
use std::path::Path;

/// The memory is made first, then eleven branches make 2,048 paths.
const SOURCE: &str = include_str!("../../../cairn-bench/data/forks.c");

/// CPU seconds of one run.
fn seconds(folder: &Path, memory: &str, branches: u32) -> f64 {
    let source = folder.join("forks.c");
    std::fs::write(&source, SOURCE).expect("the folder is writable");
    let define = format!("-DBRANCHES={branches}");
    let program = command::prepared_file(&source, folder, &[memory, &define]);
    let out = folder.join("out");
    let _ = std::fs::remove_dir_all(&out);
    let ended = command::run_for(
        &mut command::cairn_run(&program, &out, &["--no-tests"]),
        command::PATIENCE,
    );
    assert_eq!(ended.code, Some(0), "{memory}: {}", ended.messages);
    let summary = command::summary(&out).expect("the run wrote it");
    assert_eq!(command::number(&summary, "/paths/completed"), 1 << branches);
    summary["cpu_seconds"].as_f64().expect("the time is known")
}

/// CPU seconds of the forks alone: the least of three, because what disturbs only adds.
fn fork_seconds(folder: &Path, memory: &str) -> f64 {
    let least = |branches| {
        let runs = (0..3).map(|_| seconds(folder, memory, branches));
        runs.fold(f64::INFINITY, f64::min)
    };
    (least(11) - least(0)).max(0.0)
}

#[test]
fn a_fork_costs_the_same_whatever_the_memory() {
    let _alone = command::alone();
    let folder = crate::fresh_folder("fork-cost");
    let little = fork_seconds(&folder, "-DBYTES=1048576L");
    let much = fork_seconds(&folder, "-DBYTES=268435456L");
    let many = fork_seconds(&folder, "-DSMALL_OBJECTS=100000L");
    println!(
        "2,047 forks: {little:.2} s with 1 MB, {much:.2} s with 256 MB, {many:.2} s with 100,000 objects"
    );
    // The clock counts hundredths, and both runs are subject to chance.
    let most = 3.0 * little + 0.15;
    assert!(much <= most, "256 MB: {much:.2} s, 1 MB: {little:.2} s");
    assert!(
        many <= most,
        "100,000 objects: {many:.2} s, 1 MB: {little:.2} s"
    );
}
