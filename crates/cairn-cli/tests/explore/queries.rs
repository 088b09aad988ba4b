//! What is written down of the queries that reach the core solver.

use crate::command::{PATIENCE, cairn_run, number, prepared, run_for, summary};
use cairn_text::journal::Journal;
use std::collections::BTreeMap;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A product of two primes has factors; no square is three more than a multiple of eight.
const ARITHMETIC: &str = "#include <klee/klee.h>
int main(void) {
  unsigned short a, b;
  unsigned c;
  klee_make_symbolic(&a, sizeof a, \"a\");
  klee_make_symbolic(&b, sizeof b, \"b\");
  klee_make_symbolic(&c, sizeof c, \"c\");
  int found = 0;
  if (a > 1 && b > 1 && (unsigned)a * b == 62615533u) found = 1;
  if (c * c == a * 8u + 3) found = 2;
  return found;
}";

/// Explores with some flags; the folder of the results, and the queries of the core solver.
fn explored(name: &str, flags: &[&str]) -> (PathBuf, u64) {
    let program = prepared(name, ARITHMETIC);
    let folder = crate::scratch(&format!("queries-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    let ended = run_for(&mut cairn_run(&program, &folder, flags), PATIENCE);
    assert_eq!(ended.code, Some(0), "{}", ended.messages);
    let summary = summary(&folder).expect("the run ended by itself");
    let core = number(&summary, "/queries/core");
    assert!(core >= 2, "both questions reach the core solver");
    (folder, core)
}

/// The files of a folder, by name.
fn files(folder: &Path) -> BTreeMap<String, PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("it can be read").path());
    let named = paths.map(|path| {
        let name = path.file_name().expect("entries have names");
        (name.to_string_lossy().into_owned(), path)
    });
    named.collect()
}

#[test]
fn each_hard_query_is_a_script_with_its_answer() {
    let flags = ["--no-tests", "--write-hard-queries", "0s"];
    let (folder, core) = explored("hard-queries", &flags);
    let scripts = files(&folder.join("hard-queries"));
    assert_eq!(scripts.len() as u64, core);
    let mut verdicts: BTreeMap<String, u32> = BTreeMap::new();
    for (name, path) in &scripts {
        let text = std::fs::read_to_string(path).expect("a script is text");
        // The first line says what was answered and how long that took.
        let head = text.lines().next().expect("a script has a head");
        let words: Vec<&str> = head.split(' ').collect();
        let [";", verdict, "after", time, "s"] = words[..] else {
            panic!("{name}: {head}");
        };
        assert!(
            time.parse::<f64>().is_ok_and(|t| t >= 0.0),
            "{name}: {head}"
        );
        assert!(
            text.contains(&format!("(set-info :status {verdict})")),
            "{name}"
        );
        let mut solve = Command::new(env!("CARGO_BIN_EXE_cairn"));
        let solved = solve.arg("solve").arg(path).output();
        let solved = solved.expect("the binary was built");
        let said = String::from_utf8_lossy(&solved.stdout);
        assert_eq!(said.trim(), verdict, "{name}");
        *verdicts.entry(verdict.to_string()).or_default() += 1;
    }
    assert!(verdicts.len() == 2, "one kind of answer only: {verdicts:?}");
    // They are numbered in the order in which they were answered.
    let numbered: Vec<String> = (1..=core).map(|n| format!("query{n:06}.smt2")).collect();
    assert!(scripts.keys().eq(&numbered), "{:?}", scripts.keys());
}

#[test]
fn easy_queries_are_not_hard_ones() {
    let flags = ["--no-tests", "--write-hard-queries", "3600s"];
    let (folder, _) = explored("easy-queries", &flags);
    assert_eq!(files(&folder.join("hard-queries")).len(), 0);
}

#[test]
fn the_journal_has_each_query_of_the_core_solver() {
    let file = crate::fresh_folder("journal").join("queries");
    let journal = file.to_string_lossy();
    let flags = [
        "--no-tests",
        "--bases",
        "terms",
        "--query-journal",
        &journal,
    ];
    let (_, core) = explored("query-journal", &flags);
    let input = BufReader::new(std::fs::File::open(&file).expect("it was written"));
    let journal = Journal::read(input).expect("a journal");
    assert!(journal.ended && journal.left_out == 0);
    assert_eq!(journal.queries.len() as u64, core);
    for query in &journal.queries {
        let is_conjunct = |node: &u32| query.conjuncts.contains(node);
        assert!(query.core.iter().all(is_conjunct));
        match query.verdict.as_str() {
            "unsat" => assert!(!query.core.is_empty()),
            verdict => assert!(verdict == "sat" && query.core.is_empty()),
        }
    }
    let count = |verdict: &str| {
        journal
            .queries
            .iter()
            .filter(|q| q.verdict == verdict)
            .count()
    };
    assert!(count("sat") > 0 && count("unsat") > 0);
}
