//! The table of flags: what is promised is there, and the page says the same.

use crate::{Place, Run, SIGN};
use std::path::Path;
use std::process::Command;
#[test]
fn flags_that_are_not_known_or_do_nothing_are_named() {
    let place = Place::new("unknown", SIGN);
    let run = place.klee(&[
        "--frobnicate=3",
        "-write-cvcs",
        "--solver-backend=stp",
        "-optimize=false",
    ]);
    assert_eq!(run.code(), 0);
    let warnings = run.lines("KLEE: WARNING: ");
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    assert!(warnings[0].contains("--frobnicate"), "{warnings:?}");
    assert!(warnings[1].contains("--write-cvcs"), "{warnings:?}");
    assert!(warnings[2].contains("--solver-backend=stp"), "{warnings:?}");
    assert_eq!(run.done("completed paths"), 3);
    let quiet = place.klee(&["--frobnicate", "--warnings-only-to-file"]);
    assert!(!quiet.err().contains("frobnicate"));
    assert!(place.text("klee-last/warnings.txt").contains("frobnicate"));
}

/// Flags that users of KLEE rely on.
const PROMISED: &[&str] = &[
    "output-dir",
    "exit-on-error",
    "exit-on-error-type",
    "libc",
    "posix-runtime",
    "search",
    "use-batching-search",
    "batch-instructions",
    "batch-time",
    "use-iterative-deepening-time-search",
    "write-kqueries",
    "write-smt2s",
    "write-cvcs",
    "write-no-tests",
    "write-paths",
    "write-sym-paths",
    "write-test-info",
    "write-xml-tests",
    "write-cov",
    "emit-all-errors",
    "optimize",
    "entry-point",
    "external-calls",
    "function-alias",
    "check-div-zero",
    "check-overshift",
    "ubsan-runtime",
    "max-time",
    "max-memory",
    "max-depth",
    "max-forks",
    "max-instructions",
    "max-tests",
    "max-solver-time",
    "max-stack-frames",
    "max-static-fork-pct",
    "max-static-solve-pct",
    "max-static-cpfork-pct",
    "max-static-cpsolve-pct",
    "max-memory-inhibit",
    "seed-file",
    "seed-dir",
    "allow-seed-extension",
    "allow-seed-truncation",
    "zero-seed-extension",
    "named-seed-matching",
    "only-replay-seeds",
    "only-seed",
    "seed-time",
    "replay-ktest-file",
    "replay-ktest-dir",
    "replay-path",
    "use-query-log",
    "use-cex-cache",
    "use-independent-solver",
    "solver-backend",
    "switch-type",
    "debug-print-instructions",
    "only-output-states-covering-new",
    "dump-states-on-halt",
    "silent-klee-assume",
    "use-merge",
    "run-in-dir",
    "warnings-only-to-file",
    "rng-initial-seed",
    "link-llvm-lib",
    "istats-write-interval",
    "stats-write-interval",
    "output-stats",
    "output-istats",
];

#[test]
fn the_documentation_has_the_table_and_the_table_all_flags() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/klee.md")).expect("there is a page");
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    let help = Run::of(command.args(["klee", "--help"]));
    let help = String::from_utf8_lossy(&help.output.stdout).into_owned();
    let table = &help[help.find("| flag |").expect("a table")..];
    assert!(
        page.contains(table),
        "docs/klee.md differs from `cairn klee --help`; copy the table"
    );
    for flag in PROMISED {
        let alone = format!("| `--{flag}` |");
        let valued = format!("| `--{flag}=…` |");
        assert!(
            table.contains(&alone) || table.contains(&valued),
            "--{flag}"
        );
    }
}
