//! A limit ends a run within a second, whatever the program does, and what was found is kept.
//!
//! Each program first ends one path, whose test must be there afterwards, and then does something
//! that has no end: loops, allocates, asks one query that no solver answers soon, forks at every
//! step, fills gigabytes with one call. Other programs on the machine can delay a run: what is bounded
//! closely is the processor time that it uses, and each has three tries.

use crate::command;
use serde_json::Value;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(2);
/// How much processor time a run may take beyond its limit. A worker uses no more of it than time goes by,
/// so that this is a bound on the time of a run that computes.
const GRACE: Duration = Duration::from_secs(1);
/// How much longer a run may take where it waits for other programs on the machine.
const DELAY: Duration = Duration::from_secs(60);

/// Every program begins so: one path ends at once.
const HEAD: &str = r#"
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
static unsigned char first;
static void one_path_ends(void) {
  klee_make_symbolic(&first, sizeof first, "first");
  if (first == 77) exit(0);
}
"#;

struct Case {
    name: &'static str,
    body: &'static str,
    flags: &'static [&'static str],
    /// What may end it.
    ended_by: &'static [&'static str],
    /// The most memory it may take, in bytes.
    memory: Option<u64>,
}

const NEVER_ENDS: Case = Case {
    name: "never_ends",
    body: "int main(void) {
  one_path_ends();
  volatile unsigned n = 0;
  for (;;) n++;
}",
    flags: &["--max-time", "2s"],
    ended_by: &["max-time"],
    memory: None,
};

const NEVER_ENDS_CPU: Case = Case {
    name: "never_ends_cpu",
    flags: &["--max-cpu-time", "2s"],
    ended_by: &["max-cpu-time"],
    ..NEVER_ENDS
};

const LOOPS_ON_INPUT: Case = Case {
    name: "loops_on_input",
    body: "int main(void) {
  one_path_ends();
  unsigned x;
  klee_make_symbolic(&x, sizeof x, \"x\");
  volatile unsigned n = x;
  for (;;) n = n * 3 + x;
}",
    flags: &["--max-time", "2s"],
    ended_by: &["max-time"],
    memory: None,
};

const ALLOCATES: Case = Case {
    name: "allocates",
    body: "int main(void) {
  one_path_ends();
  for (;;) {
    char *block = malloc(65536);
    if (!block) return 1;
    memset(block, 1, 65536);
  }
}",
    flags: &["--max-time", "2s", "--max-memory", "300M"],
    ended_by: &["max-time", "max-memory"],
    memory: Some(400 << 20),
};

const ALLOCATES_SMALL: Case = Case {
    name: "allocates_small",
    body: "int main(void) {
  one_path_ends();
  for (;;) {
    int *block = malloc(sizeof *block);
    if (!block) return 1;
    *block = 1;
  }
}",
    flags: &["--max-time", "2s", "--max-memory", "300M"],
    ended_by: &["max-time", "max-memory"],
    memory: Some(400 << 20),
};

/// A product of two primes of 32 bits that are not near to a power of two.
const HARD_QUERY: Case = Case {
    name: "hard_query",
    body: "int main(void) {
  one_path_ends();
  unsigned a, b;
  klee_make_symbolic(&a, sizeof a, \"a\");
  klee_make_symbolic(&b, sizeof b, \"b\");
  if (a > 1 && b > 1 && (unsigned long)a * b == 9345208821757322069ul) abort();
  return 0;
}",
    flags: &["--max-time", "2s"],
    ended_by: &["max-time"],
    memory: None,
};

const HARD_QUERY_CPU: Case = Case {
    name: "hard_query_cpu",
    flags: &["--max-cpu-time", "2s"],
    ended_by: &["max-cpu-time"],
    ..HARD_QUERY
};

const FORKS: Case = Case {
    name: "forks",
    body: "int main(void) {
  one_path_ends();
  unsigned n = 0;
  for (;;) {
    unsigned char c;
    klee_make_symbolic(&c, sizeof c, \"c\");
    if (c & 1) n++;
    if (c & 2) n++;
    if (c & 4) n++;
  }
}",
    flags: &["--max-time", "2s", "--max-memory", "300M"],
    ended_by: &["max-time", "max-memory"],
    memory: Some(400 << 20),
};

const FORKS_BREADTH_FIRST: Case = Case {
    name: "forks_breadth_first",
    flags: &[
        "--max-time",
        "2s",
        "--max-memory",
        "300M",
        "--search",
        "bfs",
    ],
    ..FORKS
};

const FORKS_TWO_WORKERS: Case = Case {
    name: "forks_two_workers",
    flags: &["--max-time", "2s", "--max-memory", "300M", "--jobs", "2"],
    ..FORKS
};

/// Two workers use the time up together.
const FORKS_TWO_WORKERS_CPU: Case = Case {
    name: "forks_two_workers_cpu",
    flags: &["--max-cpu-time", "2s", "--max-memory", "1G", "--jobs", "2"],
    ended_by: &["max-cpu-time", "max-memory"],
    memory: Some(1300 << 20),
    ..FORKS
};

const FILLS: Case = Case {
    name: "fills",
    body: "int main(void) {
  one_path_ends();
  unsigned long size = 6ul << 30;
  char *block = malloc(size), byte;
  if (!block) return 1;
  for (;;) {
    klee_make_symbolic(&byte, 1, \"byte\");
    memset(block, byte, size);
  }
}",
    flags: &["--max-time", "2s", "--max-memory", "300M"],
    ended_by: &["max-time", "max-memory"],
    memory: Some(400 << 20),
};

const FILLS_CPU: Case = Case {
    name: "fills_cpu",
    flags: &["--max-cpu-time", "2s", "--max-memory", "300M"],
    ended_by: &["max-cpu-time", "max-memory"],
    ..FILLS
};

const FILLS_KNOWN: Case = Case {
    name: "fills_known",
    body: "int main(void) {
  one_path_ends();
  unsigned long size = 6ul << 30;
  char *block = malloc(size);
  if (!block) return 1;
  for (int i = 1;; i++) memset(block, i, size);
}",
    flags: &["--max-time", "2s", "--max-memory", "300M"],
    ended_by: &["max-time", "max-memory"],
    memory: Some(400 << 20),
};

const COPIES: Case = Case {
    name: "copies",
    body: "int main(void) {
  one_path_ends();
  unsigned long size = 3ul << 30;
  char *from = malloc(size), *to = malloc(size);
  if (!from || !to) return 1;
  for (unsigned long i = 0; i < size; i += 1 << 20) from[i] = (char)i;
  for (;;) { memcpy(to, from, size); from[1]++; }
}",
    flags: &["--max-time", "2s", "--max-memory", "1G"],
    ended_by: &["max-time", "max-memory"],
    memory: Some(1300 << 20),
};

/// Each call makes a term of each byte of its array.
const MANY_TERMS: Case = Case {
    name: "many_terms",
    body: "int deeper(unsigned n) {
  char a[1000];
  a[n % 1000] = 1;
  if (n == 0) return a[0];
  return deeper(n - 1) + a[n % 1000];
}
int main(void) {
  one_path_ends();
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, \"x\");
  return deeper(x * 100u) & 1;
}",
    flags: &["--max-cpu-time", "2s", "--max-memory", "150M"],
    ended_by: &["max-memory"],
    memory: Some(600 << 20),
};

/// What is wrong with one run.
fn fault(case: &Case, program: &std::path::Path) -> Option<String> {
    let folder = crate::scratch(&format!("limit-{}", case.name));
    let _ = std::fs::remove_dir_all(&folder);
    let ended = command::run_for(
        &mut command::cairn_run(program, &folder, case.flags),
        LIMIT + 5 * DELAY,
    );
    let wall = ended.wall.as_secs_f64();
    let Some(code) = ended.code else {
        return Some(format!(
            "still ran after {wall:.1} s, or died: {}",
            ended.messages
        ));
    };
    let summary = match command::summary(&folder) {
        Ok(summary) => summary,
        Err(error) => return Some(format!("exit code {code}, {error}, {}", ended.messages)),
    };
    let peak = summary["peak_rss_bytes"].as_u64();
    println!(
        "{}: {wall:.2} s, exit code {code}, {} MB, stopped by {}",
        case.name,
        peak.unwrap_or(0) >> 20,
        summary["stopped_by"]
    );
    let mut wrong = Vec::new();
    let workers = if case.flags.contains(&"--jobs") { 2 } else { 1 };
    let used = summary["cpu_seconds"].as_f64();
    let most = (workers * LIMIT + GRACE).as_secs_f64();
    if used.is_none_or(|used| used > most) {
        wrong.push(format!("used {used:?} s of processors, more than {most}"));
    }
    // How long a run waits that counts processor time is the matter of the machine.
    if case.flags.contains(&"--max-time") && ended.wall > LIMIT + DELAY {
        wrong.push(format!("took {wall:.2} s"));
    }
    if code != 2 {
        wrong.push(format!("exit code {code}"));
    }
    if summary["status"] != "partial" {
        wrong.push(format!("status {}", summary["status"]));
    }
    let incomplete = &summary["incomplete"];
    let by = |word: &&&str| {
        let listed = incomplete.as_array().into_iter().flatten();
        summary["stopped_by"] == ***word
            || listed
                .filter_map(Value::as_str)
                .any(|line| line.contains(**word))
    };
    if !case.ended_by.iter().any(|word| by(&word)) {
        wrong.push(format!(
            "stopped by {}, incomplete {incomplete}",
            summary["stopped_by"]
        ));
    }
    if let (Some(most), Some(peak)) = (case.memory, peak)
        && peak > most
    {
        wrong.push(format!("took {} MB", peak >> 20));
    }
    match command::tests(&folder) {
        Err(error) => wrong.push(error),
        Ok(tests) => {
            let kept = tests.iter().any(|(_, t)| {
                let mut objects = t.objects.iter();
                objects.any(|o| o.name == b"first" && o.bytes == [77])
            });
            if !kept {
                wrong.push(format!(
                    "the test of the path that ended is not among {}",
                    tests.len()
                ));
            }
            if summary["tests"] != tests.len() {
                wrong.push(format!(
                    "{} tests, the summary says {}",
                    tests.len(),
                    summary["tests"]
                ));
            }
        }
    }
    (!wrong.is_empty()).then(|| wrong.join("; "))
}

/// A fault that shows three times is one.
fn check(case: &Case) {
    let program = command::prepared(case.name, &format!("{HEAD}{}", case.body));
    let _alone = command::alone();
    let mut faults = Vec::new();
    for _ in 0..3 {
        match fault(case, &program) {
            None => return,
            Some(fault) => faults.push(fault),
        }
    }
    panic!("{}: {}", case.name, faults.join("\n"));
}

macro_rules! cases {
    ($($name:ident: $case:ident;)*) => {$(
        #[test]
        fn $name() {
            check(&$case);
        }
    )*};
}

cases! {
    a_program_that_never_ends: NEVER_ENDS;
    a_program_that_never_ends_by_processor_time: NEVER_ENDS_CPU;
    a_program_that_computes_with_input_for_ever: LOOPS_ON_INPUT;
    a_program_that_allocates_without_end: ALLOCATES;
    a_program_that_allocates_small_objects_without_end: ALLOCATES_SMALL;
    a_query_that_takes_minutes: HARD_QUERY;
    a_query_that_takes_minutes_by_processor_time: HARD_QUERY_CPU;
    a_program_that_forks_at_every_step: FORKS;
    a_program_that_forks_at_every_step_breadth_first: FORKS_BREADTH_FIRST;
    a_program_that_forks_at_every_step_with_two_workers: FORKS_TWO_WORKERS;
    a_program_that_forks_with_two_workers_by_processor_time: FORKS_TWO_WORKERS_CPU;
    one_call_that_fills_gigabytes_with_input: FILLS;
    one_call_that_fills_gigabytes_by_processor_time: FILLS_CPU;
    one_call_that_fills_gigabytes: FILLS_KNOWN;
    one_call_that_copies_gigabytes: COPIES;
    calls_that_make_many_terms: MANY_TERMS;
}
