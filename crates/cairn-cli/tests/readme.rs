//! The README's examples do what it shows, in a copy of the repository's examples.

#[path = "pages/mod.rs"]
mod pages;

use std::path::{Path, PathBuf};

/// Text without what differs from run to run: times, counts of instructions and of tests that were run
/// again.
fn repeatable(text: &str) -> String {
    let line = |line: &str| {
        // How many there is time for.
        let line = line.replace("test was run again", "tests were run again");
        let words: Vec<&str> = line.split(' ').collect();
        let reruns = line.ends_with("run again on the concrete machine");
        let varies = |at: usize| {
            let next = words.get(at + 1).copied().unwrap_or_default();
            next == "instructions" || next == "s;" || (reruns && at == 0)
        };
        let words = words.iter().enumerate();
        let words = words.map(|(at, word)| if varies(at) { "N" } else { *word });
        words.collect::<Vec<_>>().join(" ")
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_readme_shows_what_happens() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let here = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("readme");
    let _ = std::fs::remove_dir_all(&here);
    std::fs::create_dir_all(here.join("examples")).expect("writable");
    std::fs::create_dir_all(here.join("target/release")).expect("writable");
    for file in std::fs::read_dir(root.join("examples")).expect("there are examples") {
        let file = file.expect("readable");
        if file.path().is_file() {
            std::fs::copy(file.path(), here.join("examples").join(file.file_name())).expect("room");
        }
    }
    let binary = here.join("target/release/cairn");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_cairn"), binary).expect("writable");
    assert_eq!(pages::follow_file("README.md", &here, repeatable), 6);
}

#[test]
fn only_what_varies_is_left_out() {
    let text = "29 paths\n729 instructions and 0 queries in 0.01 s; 100% of lines; 29 tests\n\
                17 tests were run again on the concrete machine";
    let expected = "29 paths\nN instructions and 0 queries in N s; 100% of lines; 29 tests\n\
                    N tests were run again on the concrete machine";
    assert_eq!(repeatable(text), expected);
}
