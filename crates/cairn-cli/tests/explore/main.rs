//! What exploring programs gives: answers, limits, crashes, repeatability, and what a fork costs.
//!
//! `expectation.rs` knows what a program must give, `library.rs` explores inside this process,
//! `command.rs` runs the binary. Everything that is measured by a clock goes through the binary and
//! holds `command::alone()`, so that the tests of this file do not disturb each other.

mod algorithms;
mod choices;
mod command;
mod deviations;
mod expectation;
mod fork_cost;
mod killed;
mod library;
mod limits;
mod programs;
mod queries;
mod repeatable;

use std::path::{Path, PathBuf};

/// A folder of `tests` in the repository.
fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests")
        .join(name)
}

/// A name that no other test uses, in the folder that cargo gives for such files.
fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("explore")
        .join(name)
}

/// An empty folder of this name.
fn fresh_folder(name: &str) -> PathBuf {
    let folder = scratch(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("cargo's folder for tests is writable");
    folder
}

/// Does the work for every item, on two threads. The results are in the order of the items.
fn on_two_threads<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let results = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some(item) = items.get(i) else { break };
                    let result = work(item);
                    results
                        .lock()
                        .expect("no test panics while it adds its result")
                        .push((i, result));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("all threads ended");
    results.sort_by_key(|(i, _)| *i);
    results.into_iter().map(|(_, result)| result).collect()
}
