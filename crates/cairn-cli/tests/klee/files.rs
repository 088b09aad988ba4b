//! What is written beside tests: constraints, paths, lines, costs, figures, queries.

use crate::{DIVIDES, Place, SIGN};
use std::collections::BTreeSet;

const CALLS: &str = r#"
#include <klee/klee.h>
int pick(int i) {
  klee_assert(i != 9);
  return i;
}
int main(void) {
  int i, sum = 0;
  klee_make_symbolic(&i, sizeof i, "i");
  for (int k = 0; k < 10; k++)
    sum += k;
  if (i > 5)
    return pick(i);
  return sum == 45;
}
"#;

#[test]
fn constraints_of_each_path_are_written() {
    let place = Place::new("constraints", SIGN);
    let run = place.klee(&["--write-kqueries", "--write-smt2s"]);
    assert_eq!(run.lines("KLEE: WARNING: "), [""; 0]);
    assert_eq!(place.files(".kquery").len(), 3);
    assert_eq!(place.files(".smt2").len(), 3);
    for file in place.files(".smt2") {
        assert_eq!(place.cairn(&["solve", &file]).out(), "sat\n", "{file}");
    }
    for file in place.files(".kquery") {
        assert_eq!(place.cairn(&["solve", &file]).out(), "INVALID\n", "{file}");
    }
    let plain = Place::new("plain-files", SIGN);
    plain.klee(&[]);
    for end in [".kquery", ".smt2", ".path", ".cov"] {
        assert!(plain.files(end).is_empty(), "{end}");
    }
}

#[test]
fn paths_tell_which_conditions_held() {
    let place = Place::new("paths", SIGN);
    place.klee(&["--write-paths", "--write-sym-paths"]);
    let texts = |end: &str| -> BTreeSet<String> {
        let files = place.files(end).into_iter();
        let files = files.filter(|f| end == ".sym.path" || !f.ends_with(".sym.path"));
        files.map(|f| place.text(&f)).collect()
    };
    // Zero, not zero and negative, neither.
    let expected = ["1\n", "0\n1\n", "0\n0\n"].map(str::to_string);
    assert_eq!(texts(".path"), expected.clone().into());
    assert_eq!(texts(".sym.path"), expected.into());
    let implied = Place::new(
        "implied",
        r#"
#include <klee/klee.h>
int main(void) {
  unsigned a;
  klee_make_symbolic(&a, sizeof a, "a");
  klee_assume(a < 10);
  if (a > 20) return 1;
  return a == 3;
}
"#,
    );
    implied.klee(&["--write-paths", "--write-sym-paths"]);
    assert_eq!(implied.text("klee-last/test000001.path"), "0\n");
    assert_eq!(implied.text("klee-last/test000001.sym.path"), "");
}

#[test]
fn lines_are_those_of_the_path() {
    let place = Place::new("cov", CALLS);
    place.klee(&["--write-cov"]);
    let file = place.folder.join("p.c").display().to_string();
    let inner = format!("{file}:5");
    for test in place.files(".ktest") {
        let lines = place.text(&test.replace(".ktest", ".cov"));
        let lines: Vec<&str> = lines.lines().collect();
        assert!(lines.contains(&format!("{file}:9").as_str()), "{lines:?}");
        let number = test[test.len() - 12..test.len() - 6]
            .parse()
            .expect("a number");
        let bytes = &place.test(number).objects[0].bytes;
        let value = i32::from_le_bytes(bytes[..4].try_into().expect("four bytes"));
        let returns = value > 5 && value != 9;
        assert_eq!(
            lines.contains(&inner.as_str()),
            returns,
            "{value}: {lines:?}"
        );
    }
}

#[test]
fn costs_are_counted_by_line() {
    let place = Place::new("istats", CALLS);
    place.klee(&[]);
    let text = place.text("klee-last/run.istats");
    assert!(
        text.contains("\nevents: Icov Forks I Iuncov Q Qtime\n"),
        "{text}"
    );
    let costs = |line: &str| -> Vec<u64> {
        let row = text.lines().find(|l| l.starts_with(&format!("{line} ")));
        let row = row.unwrap_or_else(|| panic!("line {line}: {text}"));
        row.split(' ')
            .map(|n| n.parse().expect("a number"))
            .collect()
    };
    // Line, covered, forks, instructions: the loop's body runs ten times.
    let (body, branch) = (costs("11"), costs("12"));
    assert_eq!(body[3], 10 * body[1], "{body:?}");
    assert_eq!(branch[2], 1, "{branch:?}");
    assert!(branch[5] >= 1, "{branch:?}");
    place.klee(&["--output-istats=false"]);
    assert!(!place.has("klee-last/run.istats"));
}

#[test]
fn the_summary_is_written_too() {
    let place = Place::new("summary", DIVIDES);
    place.klee(&[]);
    let text = place.text("klee-last/summary.json");
    let summary: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(summary["status"], "complete");
    assert_eq!(summary["paths"]["errors"], 1);
    assert_eq!(summary["tests"], 3);
    assert_eq!(summary["findings"][0]["kind"], "div");
    assert_eq!(summary["findings"][0]["line"], 7);
}

#[test]
fn errors_lead_to_the_assembly_text() {
    let place = Place::new("assembly", CALLS);
    place.klee(&[]);
    let error = place.text(&place.files(".assert.err")[0]);
    let line = |start: &str| {
        let line = error.lines().find_map(|l| l.strip_prefix(start));
        line.unwrap_or_else(|| panic!("{start}: {error}"))
            .to_string()
    };
    assert!(line("State: ").parse::<u64>().is_ok(), "{error}");
    let number: usize = line("assembly.ll line: ").parse().expect("a number");
    let assembly = place.text("klee-last/assembly.ll");
    let shown = assembly.lines().nth(number - 1).expect("a line");
    assert!(
        shown.contains("call") && shown.contains("__assert_fail"),
        "{shown}"
    );
    assert!(
        line("\t#0").starts_with(&format!("{number:08} in pick() at ")),
        "{error}"
    );
    let caller: usize = line("\t#1")[..8].parse().expect("a number");
    let shown = assembly.lines().nth(caller - 1).expect("a line");
    assert!(shown.contains("@pick("), "{shown}");
}

#[test]
fn figures_are_written_while_the_run_goes_on() {
    let place = Place::new(
        "stats",
        r#"
int main(void) {
  for (volatile long i = 0;; i++) {}
}
"#,
    );
    place.klee(&["--max-time=2s", "--stats-write-interval=200ms"]);
    let rows = |place: &Place| -> i64 {
        let file = place.folder.join("klee-last/run.stats");
        let data = rusqlite::Connection::open(file).expect("a database");
        let count = data.query_row("SELECT COUNT(*) FROM stats", [], |row| row.get(0));
        count.expect("a number")
    };
    assert!(rows(&place) >= 4, "{}", rows(&place));
    place.klee(&["--max-time=1s", "--stats-write-interval=0"]);
    assert_eq!(rows(&place), 2);
}

#[test]
fn queries_are_written_and_can_be_asked_again() {
    // Sets of values do not decide a product: it reaches the solver.
    let place = Place::new(
        "queries",
        r#"
#include <klee/klee.h>
int main(void) {
  unsigned a, b;
  klee_make_symbolic(&a, sizeof a, "a");
  klee_make_symbolic(&b, sizeof b, "b");
  klee_assume((a < 1000) & (b < 1000));
  if (a * b == 127759) return 1;
  return 0;
}
"#,
    );
    let run = place.klee(&["--use-query-log=all:kquery,all:smt2,solver:kquery,solver:smt2"]);
    assert_eq!(run.lines("KLEE: WARNING: "), [""; 0]);
    for name in ["all-queries", "solver-queries"] {
        for (end, comment, yes, no) in [
            ("kquery", '#', "INVALID", "VALID"),
            ("smt2", ';', "sat", "unsat"),
        ] {
            let file = format!("klee-last/{name}.{end}");
            let text = place.text(&file);
            let answers = text.lines().filter_map(|l| {
                let said = l.strip_prefix(&format!("{comment}   Solvable: "))?;
                Some(if said == "true" { yes } else { no })
            });
            let answers: Vec<&str> = answers.collect();
            assert!(!answers.is_empty(), "{file}: {text}");
            let again = place.cairn(&["solve", &file]).out();
            assert_eq!(again.lines().collect::<Vec<_>>(), answers, "{file}");
        }
    }
    place.klee(&["--use-query-log=all:smt2", "--min-query-time-to-log=1h"]);
    assert_eq!(place.text("klee-last/all-queries.smt2"), "");
    let wrong = place.klee(&["--use-query-log=all"]);
    assert_eq!(wrong.code(), 1);
    assert!(wrong.err().contains("solver:smt2"), "{}", wrong.err());
}

#[test]
fn tests_are_also_written_for_test_comp() {
    let place = Place::new("xml", SIGN);
    place.klee(&["--write-xml-tests", "--write-test-info", "--search=dfs"]);
    let text = place.text("klee-last/test000001.xml");
    assert!(text.contains("<input variable=\"a\" size=\"4\">"), "{text}");
    assert!(
        place
            .text("klee-last/metadata.xml")
            .contains("<programfile>p.c</programfile>")
    );
    assert!(place.has("klee-last/test000003.info"));
}
