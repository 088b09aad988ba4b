//! What `cairn run` leaves behind and shows, as users and their scripts meet it.

mod pages;
mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use support::{cairn_in, folder};

/// Three ends and one error, which only `i == 9` reaches.
const PROGRAM: &str = "#include <klee/klee.h>
#include <string.h>

int pick(int i) {
  klee_assert(i != 9);
  return i;
}

int main(void) {
  int i;
  char text[4];
  klee_make_symbolic(&i, sizeof i, \"i\");
  klee_make_symbolic(text, sizeof text, \"text\");
  klee_assume(i >= 0);
  klee_warning_once(\"twice\");
  klee_warning_once(\"twice\");
  klee_warning(\"often\");
  klee_print_expr(\"is\", 3);
  if (text[1] == 'x')
    return 1;
  if (i > 5)
    return pick(i);
  return 0;
}
";

/// Never ends.
const ENDLESS: &str = "#include <klee/klee.h>
int main(void) {
  unsigned x = klee_int(\"x\"), n = 0;
  for (;;)
    if (x >> (n++ % 32) & 1)
      n ^= x;
}
";

/// A folder with the program, which was run there.
fn explored(name: &str, arguments: &[&str]) -> (PathBuf, Output) {
    let here = folder(name);
    std::fs::write(here.join("p.c"), PROGRAM).expect("writable");
    let arguments: Vec<&str> = ["run", "p.c"].iter().chain(arguments).copied().collect();
    let output = cairn_in(&here, &arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    (here, output)
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn summary(folder: &Path) -> serde_json::Value {
    serde_json::from_str(&text(&folder.join("summary.json"))).expect("it is JSON")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("it is there");
    let mut names: Vec<String> = entries
        .map(|e| {
            e.expect("readable")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

#[test]
fn the_folder_is_complete() {
    let (here, output) = explored("output-complete", &["--search", "dfs", "--write-ll"]);
    assert_eq!(names(&here), ["cairn-last", "cairn-out-0", "p.c"]);
    let last = here.join("cairn-last");
    let names = names(&last);
    let (tests, others): (Vec<&String>, Vec<&String>) =
        names.iter().partition(|n| n.starts_with("test"));
    let expected = [
        "assembly.ll",
        "coverage.info",
        "info",
        "messages.txt",
        "run.istats",
        "run.stats",
        "summary.json",
        "warnings.txt",
    ];
    assert_eq!(others, expected);
    assert_eq!(
        tests.len(),
        5,
        "four tests, one of them an error: {tests:?}"
    );

    let messages = text(&last.join("messages.txt"));
    assert_eq!(messages.matches("is:3").count(), 1, "{messages}");
    let found = "p.c:5: ";
    assert_eq!(messages.matches(found).count(), 1, "{messages}");
    let shown = String::from_utf8_lossy(&output.stderr);
    assert_eq!(shown.matches(found).count(), 1, "{shown}");
    assert!(
        !shown.contains(['\r', '\x1b']),
        "no progress on a pipe: {shown:?}"
    );
    assert_eq!(text(&last.join("warnings.txt")), "twice\noften\n");
    assert!(text(&last.join("assembly.ll")).contains("define dso_local i32 @main()"));
    let info = text(&last.join("info"));
    for line in [
        "run p.c --search dfs --write-ll\n",
        "Started: ",
        "Finished: ",
        "completed paths = 3\n",
    ] {
        assert!(info.contains(line), "{line}: {info}");
    }
    let costs = text(&last.join("run.istats"));
    assert!(
        costs.contains("\nevents: Icov Forks I Iuncov Q\n"),
        "{costs}"
    );
    assert!(costs.contains("\nfn=pick\n"), "{costs}");
    assert!(!costs.contains("cairn.runtime"), "{costs}");
}

#[test]
fn an_error_file_tells_message_place_stack_and_values() {
    let (here, _) = explored("output-error", &["--search", "dfs"]);
    let last = here.join("cairn-last");
    let name = names(&last)
        .into_iter()
        .find(|n| n.ends_with(".assert.err"));
    let error = text(&last.join(name.expect("there is one")));
    let file = here.join("p.c");
    let file = file.to_str().expect("utf-8");
    let mut lines = error.lines();
    assert!(
        lines
            .next()
            .is_some_and(|l| l.starts_with("Error: ASSERTION FAIL: ")),
        "{error}"
    );
    assert!(
        lines
            .next()
            .is_some_and(|l| file.ends_with(&l["File: ".len()..])),
        "{error}"
    );
    assert_eq!(lines.next(), Some("Line: 5"));
    assert_eq!(lines.next(), Some("Stack: "));
    for (start, end) in [
        ("\t#000000000 in pick () at ", "p.c:5"),
        ("\t#100000000 in main () at ", "p.c:22"),
    ] {
        let line = lines.next().unwrap_or_default();
        assert!(line.starts_with(start) && line.ends_with(end), "{error}");
    }
    assert_eq!(lines.next(), Some("Info: "));
    assert_eq!(
        lines.next(),
        Some("\ti = 0x09000000 (4 bytes, as a number 9)")
    );
    assert!(
        lines.next().is_some_and(|l| l.starts_with("\ttext = 0x")),
        "{error}"
    );
    assert_eq!(lines.next(), None);
}

#[test]
fn constraints_are_satisfiable_and_the_error_is_among_them() {
    let all = ["--write-kqueries", "--write-smt2s", "--write-paths"];
    let (here, _) = explored("output-constraints", &all);
    let last = here.join("cairn-last");
    assert_eq!(text(&last.join("warnings.txt")), "twice\noften\n");
    let names = names(&last);
    let ending = |e: &str| -> Vec<&String> { names.iter().filter(|n| n.ends_with(e)).collect() };
    for (files, answer) in [(ending(".smt2"), "sat\n"), (ending(".kquery"), "INVALID\n")] {
        assert_eq!(files.len(), 4, "{names:?}");
        for file in files {
            let output = cairn_in(&last, &["solve", file]);
            let printed = String::from_utf8_lossy(&output.stdout);
            assert_eq!(printed, answer, "{file}: {}", text(&last.join(file)));
        }
    }
    let error = ending(".assert.err")[0].replace(".assert.err", "");
    // The only value of i is 9: another one contradicts.
    let script = text(&last.join(format!("{error}.smt2")));
    let other = script.replace(
        "(check-sat)",
        "(assert (not (= i #x00000009)))\n(check-sat)",
    );
    std::fs::write(here.join("other.smt2"), other).expect("writable");
    let output = cairn_in(&here, &["solve", "other.smt2"]);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "unsat\n",
        "{script}"
    );
    let mut paths: Vec<String> = ending(".path")
        .iter()
        .map(|f| text(&last.join(f)))
        .collect();
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len(), 4, "each path is another one: {paths:?}");
}

/// All files of a run but those that tell times, and the summary without its times.
fn without_times(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for name in names(folder) {
        if name == "info" || name == "run.stats" {
            continue;
        }
        let mut bytes = std::fs::read(folder.join(&name)).expect("readable");
        if name == "summary.json" {
            let mut summary = summary(folder);
            for time in ["seconds", "cpu_seconds", "peak_rss_bytes"] {
                summary[time] = serde_json::Value::Null;
            }
            let layers = summary["queries"]["by_layer"].as_object_mut();
            for (_, layer) in layers.expect("an object") {
                layer["seconds"] = serde_json::Value::Null;
            }
            bytes = summary.to_string().into_bytes();
        }
        files.insert(name, bytes);
    }
    files
}

#[test]
fn the_same_run_leaves_the_same_bytes() {
    let all = [
        "--seed",
        "7",
        "--write-ll",
        "--write-kqueries",
        "--write-smt2s",
        "--write-paths",
    ];
    let (here, _) = explored("output-same", &all);
    let again: Vec<&str> = ["run", "p.c"].iter().chain(&all).copied().collect();
    cairn_in(&here, &again);
    let first = without_times(&here.join("cairn-out-0"));
    let second = without_times(&here.join("cairn-out-1"));
    assert!(first.len() > 15, "{:?}", first.keys());
    assert!(first == second, "{:?} {:?}", first.keys(), second.keys());
}

#[test]
fn quiet_prints_findings_only_and_json_the_summary_only() {
    let (_, output) = explored("output-quiet", &["--quiet"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.stdout, b"");
    assert_eq!(errors.lines().count(), 1, "{errors}");
    assert!(errors.contains("p.c:5: ASSERTION FAIL"), "{errors}");

    let (here, output) = explored("output-json", &["--json"]);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        text(&here.join("cairn-last/summary.json"))
    );

    let (here, _) = explored("output-none", &["--no-tests"]);
    let names = names(&here.join("cairn-last"));
    assert!(!names.iter().any(|n| n.ends_with(".ktest")), "{names:?}");
    assert_eq!(
        names.iter().filter(|n| n.ends_with(".err")).count(),
        1,
        "{names:?}"
    );
    let summary = summary(&here.join("cairn-last"));
    assert_eq!(summary["tests"], 0);
    assert_eq!(summary["findings"][0]["test"], serde_json::Value::Null);
    assert_eq!(summary["paths"]["completed"], 3);
}

#[test]
fn only_the_program_itself_counts_as_covered() {
    let here = folder("output-coverage");
    let program = "#include <string.h>\nint main(int argc, char **argv) {\n  if (argc > 1)\n    \
                   return 1;\n  return (int)strlen(argv[0]) * 0;\n}\n";
    std::fs::write(here.join("p.c"), program).expect("writable");
    let output = cairn_in(&here, &["run", "p.c"]);
    assert_eq!(output.status.code(), Some(0));
    let coverage = &summary(&here.join("cairn-last"))["coverage"];
    assert_eq!(coverage["branches"], serde_json::json!([1, 2]));
    let total = coverage["instructions"][1].as_u64().expect("a number");
    assert!(total < 40, "{coverage}");
    let total = coverage["lines"][1].as_u64().expect("a number");
    assert!(total < 7, "{coverage}");
}

/// Starts an endless run, waits until it works, and gives what a signal makes of it.
fn interrupted(name: &str, signal: &str, program: &str, flags: &[&str]) {
    let here = folder(name);
    std::fs::write(here.join("p.c"), program).expect("writable");
    // The tests may have been started with signals ignored, as shells do in the background.
    let mut run = Command::new("env")
        .arg("--default-signal")
        .arg(env!("CARGO_BIN_EXE_cairn"))
        .args(["run", "p.c", "--quiet"])
        .args(flags)
        .current_dir(&here)
        .stdin(Stdio::null())
        .spawn()
        .expect("there is env");
    let stats = here.join("cairn-last/run.stats");
    let patience = Instant::now() + Duration::from_secs(60);
    while !stats.exists() {
        assert!(Instant::now() < patience, "it does not start");
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(200));
    let asked = Instant::now();
    let killed = Command::new("kill")
        .args([signal, &run.id().to_string()])
        .status()
        .expect("there is kill");
    assert!(killed.success());
    // A second is promised; a machine that is busy with other tests gets more.
    let status = loop {
        if let Some(status) = run.try_wait().expect("it is ours") {
            break status;
        }
        if asked.elapsed() > Duration::from_secs(60) {
            run.kill().expect("it is ours");
            panic!("it does not end");
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    assert_eq!(status.code(), Some(2));
    let last = here.join("cairn-last");
    let summary = summary(&last);
    assert_eq!(summary["stopped_by"], "interrupt");
    assert_eq!(summary["status"], "partial");
    assert!(text(&last.join("info")).contains("Finished: "));
    assert!(
        !last.join("run.stats-wal").exists(),
        "the last row is in the file"
    );
}

#[test]
fn an_interrupt_ends_a_run_with_everything_written() {
    interrupted("output-interrupt", "-INT", ENDLESS, &[]);
    interrupted("output-terminate", "-TERM", ENDLESS, &[]);
}

/// Z3 would take Ctrl-C for itself while it solves.
#[test]
fn an_interrupt_ends_a_run_that_is_in_z3() {
    let program = "#include <klee/klee.h>\n\
        int main(void) {\n\
        \x20 unsigned a[40], n = 0;\n\
        \x20 klee_make_symbolic(a, sizeof a, \"a\");\n\
        \x20 for (int i = 0; i < 39; i++)\n\
        \x20   if (a[i] * a[i + 1] < a[i] + 7 * i) n++;\n\
        \x20 return n;\n\
        }\n";
    let flags = ["--layers", "none", "--core", "z3", "--no-tests"];
    interrupted("output-interrupt-z3", "-INT", program, &flags);
}

#[test]
fn a_terminal_shows_progress_and_is_left_clean() {
    let here = folder("output-terminal");
    std::fs::write(here.join("p.c"), ENDLESS).expect("writable");
    let command = format!("{} run p.c --max-time 2s", env!("CARGO_BIN_EXE_cairn"));
    let output = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .current_dir(&here)
        .stdin(Stdio::null())
        .output()
        .expect("script(1) gives a command a terminal");
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(shown.contains(" queries/s, "), "{shown:?}");
    let after = shown.rsplit("\r\x1b[K").next().unwrap_or_default();
    assert!(after.starts_with(|c: char| c.is_ascii_digit()), "{shown:?}");
    assert!(!after.contains("queries/s"), "{shown:?}");
}

#[test]
fn a_run_that_ends_while_it_compiles_has_a_summary() {
    let here = folder("output-no-time");
    std::fs::write(here.join("p.c"), ENDLESS).expect("writable");
    let output = cairn_in(&here, &["run", "p.c", "--json", "--max-time", "1ms"]);
    assert_eq!(output.status.code(), Some(2));
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let summary: serde_json::Value = serde_json::from_str(&printed).expect("a summary");
    assert_eq!(summary["status"], "partial");
    assert_eq!(summary["stopped_by"], "max-time");
    assert_eq!(summary["paths"]["completed"], 0);
    assert_eq!(summary["coverage"]["lines"], serde_json::Value::Null);
    assert_eq!(summary["incomplete"].as_array().map(Vec::len), Some(1));
    let file = here.join("cairn-last/summary.json");
    assert_eq!(std::fs::read_to_string(file).expect("written"), printed);
}

#[test]
fn rows_are_written_while_a_run_goes_on() {
    let here = folder("output-rows");
    std::fs::write(here.join("p.c"), ENDLESS).expect("writable");
    let output = cairn_in(&here, &["run", "p.c", "--quiet", "--max-time", "2500ms"]);
    assert_eq!(output.status.code(), Some(2));
    let table = cairn_in(&here, &["stats", "cairn-last", "--to-csv"]);
    let table = String::from_utf8_lossy(&table.stdout).into_owned();
    let rows: Vec<Vec<&str>> = table.lines().map(|l| l.split(',').collect()).collect();
    assert!(rows.len() > 3, "names, start, seconds, end: {table}");
    let column = |name: &str| {
        let at = rows[0]
            .iter()
            .position(|c| *c == name)
            .expect("it is there");
        rows[1..]
            .iter()
            .map(move |r| r[at].parse::<f64>().expect("a number"))
    };
    for name in [
        "Instructions",
        "Queries",
        "SolverTime",
        "WallTime",
        "UserTime",
    ] {
        let values: Vec<f64> = column(name).collect();
        assert!(values.is_sorted(), "{name}: {values:?}");
        assert!(values.last() > values.first(), "{name}: {values:?}");
    }
    let total = column("CoveredInstructions").zip(column("UncoveredInstructions"));
    let totals: Vec<f64> = total.map(|(a, b)| a + b).collect();
    assert!(totals.windows(2).all(|w| w[0] == w[1]), "{totals:?}");
}

#[test]
fn the_page_about_output_shows_what_happens() {
    let commands = pages::follow("output.md", &folder("output-page"));
    assert!(commands >= 5, "the page has commands");
}
