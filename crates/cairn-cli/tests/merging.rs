//! `--merge` and `cairn klee --use-merge` on C programs: numbers of paths in the shapes that KLEE's own examples of merging have, and
//! what the summary says.

mod support;

use std::path::PathBuf;
use support::{cairn, code, err};

/// The content of a summary of a run on a program.
fn explore(name: &str, program: &str, command: &[&str]) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("merging-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder is writable");
    let path = folder.join("p.c");
    std::fs::write(&path, program).expect("the folder is writable");
    let out = folder.join("out");
    let (path, out) = (path.to_str().expect("utf-8"), out.to_str().expect("utf-8"));
    let mut words = command.to_vec();
    words.extend(["--output-dir", out, path]);
    let output = cairn(&words);
    assert!(code(&output) < 2, "{}", err(&output));
    let file = match command[0] {
        "klee" => "info",
        _ => "summary.json",
    };
    std::fs::read_to_string(folder.join("out").join(file)).expect("there is one")
}

/// How many paths KLEE's command line completes with merging.
fn paths(name: &str, body: &str) -> u64 {
    let program =
        format!("#include <klee/klee.h>\n#include <stdlib.h>\nint main(void) {{\n{body}\n}}\n");
    let info = explore(name, &program, &["klee", "--use-merge"]);
    let line = info
        .lines()
        .find(|line| line.contains("completed paths = "));
    let number = line.and_then(|line| line.rsplit(' ').next());
    number
        .and_then(|n| n.parse().ok())
        .unwrap_or_else(|| panic!("{info}"))
}

const INPUTS: &str =
    "int x, y; klee_make_symbolic(&x, sizeof x, \"x\"); klee_make_symbolic(&y, sizeof y, \"y\");";

#[test]
fn a_group_is_one_path_behind_its_close() {
    let body = format!(
        "{INPUTS} int r = 0; if (y == 0) {{ klee_open_merge();
         if (x == 1) r = 5; else if (x == 2) r = 6; else r = 7;
         klee_close_merge(); }} return r;"
    );
    assert_eq!(paths("one", &body), 2);
}

#[test]
fn each_place_of_closing_is_a_path() {
    let body = format!(
        "{INPUTS} int r = 0; klee_open_merge();
         if (x == 1) r = 5; else if (x == 2) {{ klee_close_merge(); return 6; }} else r = 7;
         klee_close_merge(); return r;"
    );
    assert_eq!(paths("split", &body), 2);
    let body = format!(
        "{INPUTS} x = x % 20; klee_open_merge();
         for (int i = 0; i < x; i++) if (x % 3 == 0) {{ klee_close_merge(); return 1; }}
         klee_close_merge(); return 0;"
    );
    assert_eq!(paths("loop", &body), 2);
}

#[test]
fn groups_nest() {
    let body = format!(
        "{INPUTS} int r = 0; klee_open_merge();
         if (y == 0) {{ klee_open_merge(); if (x == 1) r = 5; else if (x == 2) r = 6; else r = 7; klee_close_merge(); }}
         klee_close_merge(); return r;"
    );
    assert_eq!(paths("nested", &body), 1);
}

#[test]
fn a_merged_value_of_the_heap_is_branched_on() {
    let body = "int *p = calloc(1, sizeof *p); int x = klee_int(\"x\");
         klee_open_merge(); if (x != 0) *p = 1; klee_close_merge();
         return *p != 0 ? 3 : 4;";
    assert!(paths("heap", body) <= 2);
}

#[test]
fn an_error_is_not_waited_for() {
    let body = "char s[5]; klee_make_symbolic(s, sizeof s, \"s\"); char *p = s;
         klee_open_merge(); while (*p != 's') p++; klee_close_merge(); return 0;";
    assert!(paths("error", body) >= 1);
}

#[test]
fn the_summary_counts_what_was_merged_and_what_was_not() {
    let program = format!(
        "#include <klee/klee.h>\n#include <stdlib.h>\nint main(void) {{ {INPUTS}
         int r = 0; if (x > 3) r = 1; if (y > 4) r += 2;
         void *kept = 0; if (x > 9) kept = malloc(8);
         return r + (kept != 0); }}"
    );
    let run = ["run", "--quiet", "--self-check", "--merge", "joins"];
    let summary = explore("summary", &program, &run);
    assert!(summary.contains("\"merged\": "), "{summary}");
    assert!(summary.contains("\"made\": "), "{summary}");
    assert!(!summary.contains("\"merged\": 0,"), "{summary}");
    assert!(summary.contains("\"completed\": 2"), "{summary}");
    let plain = explore("plain", &program, &["run", "--quiet"]);
    assert!(plain.contains("\"merged\": 0"), "{plain}");
}
