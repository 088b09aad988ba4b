//! Absurd numbers are wrong usage; limits hold from the first moment and say when nothing else could be
//! done within them.

use crate::command::{err, folder, folder_with_program, json_in, out, shell};
use std::time::{Duration, Instant};

#[test]
fn numbers_that_make_no_sense_are_refused_in_a_sentence() {
    let here = folder_with_program("numbers");
    for line in [
        "cairn run p.c --jobs 0",
        "cairn run p.c --jobs 100000",
        "cairn run p.c --jobs -1",
        "cairn run p.c --jobs many",
        "cairn run p.c --max-time 99999999999999999h",
        "cairn run p.c --max-time soon",
        "cairn run p.c --solver-timeout 1e400",
        "cairn run p.c --max-memory 99999999999999T",
        "cairn run p.c --max-depth 99999999999",
        "cairn run p.c --max-tests -1",
        "cairn run p.c --fuzz-size 99999999999",
        "cairn run p.c --sym-args 0 1000000 1000000",
        "cairn run p.c --sym-args 0 1024 1048576",
        "cairn run p.c --sym-sockets 1000 1000000",
        "cairn run p.c --sym-stdin 99999999",
        "cairn solve --max-time 99999999999999999h q.smt2",
        "cairn solve --solver-timeout 99999999999999999h q.smt2",
        "cairn replay p.c t.ktest --timeout 0s",
        "cairn replay p.c t.ktest --timeout 99999999999999999h",
        "cairn replay p.c t.ktest --jobs 0",
        "cairn replay p.c t.ktest --jobs 100000",
    ] {
        let done = shell(
            &here,
            &format!("timeout 20 {}", line.replace("cairn", "\"$CAIRN\"")),
        );
        assert_eq!(done.status.code(), Some(64), "{line}: {}", err(&done));
    }
    assert!(err(&shell(&here, "cairn run p.c --jobs 0")).contains("from 1 to 256"));
    let most = shell(&here, "timeout 60 \"$CAIRN\" run p.c --jobs 256");
    assert_eq!(most.status.code(), Some(1), "{}", err(&most));
}

#[test]
fn threads_that_cannot_be_started_are_said() {
    let here = folder_with_program("threads");
    // Room for a few stacks of workers only.
    let done = shell(&here, "ulimit -v 4000000; cairn run p.c --jobs 250");
    assert_eq!(done.status.code(), Some(64), "{}", err(&done));
    assert!(err(&done).contains("cannot be started"), "{}", err(&done));
}

#[test]
fn a_memory_limit_that_loading_exceeds_is_said() {
    let here = folder_with_program("memory-loading");
    let done = shell(
        &here,
        "timeout 20 \"$CAIRN\" run --json p.c --max-memory 5M",
    );
    assert_eq!(done.status.code(), Some(2), "{}", err(&done));
    let summary = json_in(&out(&done));
    assert_eq!(summary["stopped_by"], "max-memory");
    assert_eq!(summary["status"], "partial");
    let left = summary["incomplete"].to_string();
    assert!(left.contains("loading the program takes"), "{left}");
}

/// Makes 64 MB symbolic and looks at one byte.
const LARGE: &str = "#include <klee/klee.h>
#include <stdlib.h>
int main(void) {
  unsigned size = 64 << 20;
  char *p = malloc(size);
  klee_make_symbolic(p, size, \"p\");
  if (p[5] == 3) return 1;
  return 0;
}
";

#[test]
fn a_large_input_counts_before_it_is_made() {
    let here = folder("large-input");
    std::fs::write(here.join("p.c"), LARGE).expect("writable");
    for megabytes in [150u64, 300, 1000] {
        let done = shell(
            &here,
            &format!("cairn run --json p.c --max-memory {megabytes}M --output-dir out-{megabytes}"),
        );
        let summary = json_in(&out(&done));
        let peak = summary["peak_rss_bytes"].as_u64().expect("it is known");
        let most = (megabytes * 11 / 10) << 20;
        assert!(peak <= most, "{megabytes} MB: {} MB", peak >> 20);
        if megabytes < 400 {
            assert_eq!(done.status.code(), Some(2), "{}", err(&done));
            let left = summary["incomplete"].to_string();
            assert!(left.contains("max-memory"), "{left}");
        } else {
            assert_eq!(summary["status"], "complete");
        }
    }
}

#[test]
fn compiling_counts_for_the_time_limit() {
    let here = folder("compile-time");
    // A source that takes clang several seconds.
    let mut source = String::from("int main(void) { int x = 0;\n");
    for i in 0..60_000 {
        source += &format!("if (x == {i}) {{ x += {i} * x; }} else {{ x ^= {i}; }}\n");
    }
    source += "return x; }\n";
    std::fs::write(here.join("slow.c"), source).expect("writable");
    std::fs::write(here.join("p.c"), crate::command::PROGRAM).expect("writable");
    let begin = Instant::now();
    let done = shell(&here, "cairn run slow.c -O2 --max-time 1s");
    assert_eq!(done.status.code(), Some(2), "{}", err(&done));
    assert!(err(&done).contains("was still compiling"), "{}", err(&done));
    assert!(
        begin.elapsed() < Duration::from_secs(5),
        "{:?}",
        begin.elapsed()
    );
    let done = shell(
        &here,
        "cairn run p.c --emit-cir p.cir; cairn run --json p.cir --max-time 1us",
    );
    assert_eq!(done.status.code(), Some(2), "{}", err(&done));
    let summary = json_in(&out(&done));
    assert_eq!(summary["stopped_by"], "max-time");
    let left = summary["incomplete"].to_string();
    assert!(left.contains("nothing was explored"), "{left}");
}

#[test]
fn a_limit_that_left_nothing_out_is_none() {
    let here = folder_with_program("exactly");
    // Three paths, three tests: the limit is reached when everything is done.
    let done = shell(&here, "cairn run --json p.c --max-tests 3");
    assert_eq!(done.status.code(), Some(1), "{}", err(&done));
    let summary = json_in(&out(&done));
    assert_eq!(summary["status"], "complete", "{summary}");
    assert_eq!(summary["stopped_by"], serde_json::Value::Null);
    let summary = json_in(&out(&shell(&here, "cairn run --json p.c --max-tests 2")));
    assert_eq!(summary["status"], "partial", "{summary}");
    assert_eq!(summary["stopped_by"], "max-tests");
    assert_ne!(summary["incomplete"], serde_json::json!([]));
}

/// Tens of thousands of states, each with much memory of its own.
const FORKS: &str = "#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  char text[64], *copies[64];
  klee_make_symbolic(text, sizeof text, \"text\");
  for (int i = 0; i < 64; i++) {
    copies[i] = malloc(4096);
    memset(copies[i], i, 4096);
    if (text[i] > 'a') copies[i][5] = text[i];
    if (text[i] * text[(i + 7) % 64] == 77) copies[i][6] = text[i];
  }
  return 0;
}
";

#[test]
fn little_is_done_after_the_deadline() {
    let here = folder("deadline");
    std::fs::write(here.join("p.c"), FORKS).expect("writable");
    let made = "cairn headers h; clang-19 -g -O0 -emit-llvm -c -Ih p.c -o p.bc";
    assert!(shell(&here, made).status.success());
    // Tests of tens of thousands of stopped states would take ten seconds; a second is allowed for them.
    for (line, grace) in [
        (
            "cairn run p.bc --max-time 2s --max-memory 2G --search random-path,covnew",
            2.0,
        ),
        ("cairn klee --max-time=2s --max-memory=2000 p.bc", 3.5),
    ] {
        let begin = Instant::now();
        let done = shell(&here, line);
        let took = begin.elapsed();
        assert!(
            took < Duration::from_secs_f64(2.0 + grace),
            "{line}: {took:?}"
        );
        assert!(
            [Some(0), Some(2)].contains(&done.status.code()),
            "{}",
            err(&done)
        );
    }
    let summary =
        std::fs::read_to_string(here.join("klee-last/summary.json")).expect("it is there");
    assert!(
        summary.contains("have no test: the time was over"),
        "{summary}"
    );
}
