//! `summary.json` and `run.istats`.

mod common;

use cairn_report::{
    AccessCounts, Coverage, Event, FindingSummary, Frontend, FunctionCosts, InstructionCosts,
    LayerCounts, LineCosts, MergeSummary, PathCounts, Product, Profile, QueryCounts, Status,
    Summary,
};
use common::scratch;
use std::process::Command;

fn filled() -> Summary {
    let layer = |sat, unsat, seconds| LayerCounts {
        sat: Some(sat),
        unsat: Some(unsat),
        seconds: Some(seconds),
    };
    Summary {
        cairn: "0.1.0".to_string(),
        program: Some("p.c".to_string()),
        frontend: Some(Frontend::Llvm),
        libc: Some("musl".to_string()),
        abi: None,
        status: Status::Complete,
        stopped_by: None,
        paths: PathCounts {
            completed: Some(3),
            errors: Some(1),
            stopped: Some(0),
            pruned: None,
            merged: Some(6),
        },
        merging: MergeSummary {
            groups: Some(4),
            merges: Some(3),
            differing_memories: Some(2),
            refused: [("objects".to_string(), 1)].into(),
            left: [("ended".to_string(), 5)].into(),
        },
        instructions: Some(1431),
        forks: Some(3),
        tests: Some(4),
        max_depth: Some(2),
        coverage: Coverage {
            instructions: Some((90, 100)),
            branches: Some((5, 6)),
            lines: Some((7, 8)),
            functions: Some((2, 3)),
        },
        symbolic_accesses: AccessCounts {
            of_1: Some(5),
            of_2: Some(0),
            of_4: Some(6),
            of_8: Some(0),
            by_choice: Some(7),
            largest_choice_bytes: Some(96),
            largest_split_bytes: Some(512),
            resolution_queries: Some(8),
        },
        queries: QueryCounts {
            asked: Some(10),
            by_layer: vec![
                ("simplify".to_string(), layer(1, 2, 0.25)),
                ("exact-cache".to_string(), layer(3, 4, 0.5)),
            ],
            core: Some(2),
            timeouts: Some(0),
        },
        seconds: Some(1.5),
        cpu_seconds: Some(1.25),
        peak_rss_bytes: Some(1 << 20),
        findings: vec![FindingSummary {
            kind: "ptr".to_string(),
            message: "memory error: out of bound pointer".to_string(),
            file: Some("p.c".to_string()),
            line: Some(7),
            function: Some("main".to_string()),
            test: Some("test000001.ktest".to_string()),
            certainty: Some("exact".to_string()),
        }],
        incomplete: Vec::new(),
    }
}

const FILLED: &str = r#"{
  "cairn": "0.1.0",
  "program": "p.c",
  "frontend": "llvm",
  "libc": "musl",
  "abi": null,
  "status": "complete",
  "stopped_by": null,
  "paths": {
    "completed": 3,
    "errors": 1,
    "stopped": 0,
    "pruned": null,
    "merged": 6
  },
  "merging": {
    "groups": 4,
    "merges": 3,
    "differing_memories": 2,
    "refused": {
      "objects": 1
    },
    "left": {
      "ended": 5
    }
  },
  "instructions": 1431,
  "forks": 3,
  "tests": 4,
  "max_depth": 2,
  "coverage": {
    "instructions": [
      90,
      100
    ],
    "branches": [
      5,
      6
    ],
    "lines": [
      7,
      8
    ],
    "functions": [
      2,
      3
    ]
  },
  "symbolic_accesses": {
    "of_1": 5,
    "of_2": 0,
    "of_4": 6,
    "of_8": 0,
    "by_choice": 7,
    "largest_choice_bytes": 96,
    "largest_split_bytes": 512,
    "resolution_queries": 8
  },
  "queries": {
    "asked": 10,
    "by_layer": {
      "simplify": {
        "sat": 1,
        "unsat": 2,
        "seconds": 0.25
      },
      "exact-cache": {
        "sat": 3,
        "unsat": 4,
        "seconds": 0.5
      }
    },
    "core": 2,
    "timeouts": 0
  },
  "seconds": 1.5,
  "cpu_seconds": 1.25,
  "peak_rss_bytes": 1048576,
  "findings": [
    {
      "kind": "ptr",
      "message": "memory error: out of bound pointer",
      "file": "p.c",
      "line": 7,
      "function": "main",
      "test": "test000001.ktest",
      "certainty": "exact"
    }
  ],
  "incomplete": []
}
"#;

const EMPTY: &str = r#"{
  "cairn": "VERSION",
  "program": null,
  "frontend": null,
  "libc": null,
  "abi": null,
  "status": "partial",
  "stopped_by": null,
  "paths": {
    "completed": null,
    "errors": null,
    "stopped": null,
    "pruned": null,
    "merged": null
  },
  "merging": {
    "groups": null,
    "merges": null,
    "differing_memories": null,
    "refused": {},
    "left": {}
  },
  "instructions": null,
  "forks": null,
  "tests": null,
  "max_depth": null,
  "coverage": {
    "instructions": null,
    "branches": null,
    "lines": null,
    "functions": null
  },
  "symbolic_accesses": {
    "of_1": null,
    "of_2": null,
    "of_4": null,
    "of_8": null,
    "by_choice": null,
    "largest_choice_bytes": null,
    "largest_split_bytes": null,
    "resolution_queries": null
  },
  "queries": {
    "asked": null,
    "by_layer": {},
    "core": null,
    "timeouts": null
  },
  "seconds": null,
  "cpu_seconds": null,
  "peak_rss_bytes": null,
  "findings": [],
  "incomplete": []
}
"#;

#[test]
fn the_json_of_a_filled_and_of_an_empty_summary() {
    assert_eq!(filled().to_json(), FILLED);
    let empty = EMPTY.replace("VERSION", env!("CARGO_PKG_VERSION"));
    assert_eq!(Summary::default().to_json(), empty);
}

#[test]
fn a_run_that_left_something_out_is_never_complete() {
    let mut summary = filled();
    summary.incomplete = vec!["p.c:3: symbolic floats are concretised".to_string()];
    assert!(summary.to_json().contains("\"status\": \"partial\""));
    let mut summary = filled();
    summary.stopped_by = Some("max-time".to_string());
    assert!(summary.to_json().contains("\"status\": \"partial\""));
}

#[test]
fn a_time_that_is_no_number_is_not_known() {
    let mut summary = filled();
    summary.seconds = Some(f64::NAN);
    assert!(summary.to_json().contains("\"seconds\": null,\n  \"cpu"));
}

#[test]
fn a_summary_replaces_the_one_before_it() {
    let folder = scratch("summary");
    let path = folder.join("summary.json");
    Summary::default()
        .write_atomically(&path)
        .expect("writable");
    filled().write_atomically(&path).expect("writable");
    assert_eq!(std::fs::read_to_string(&path).expect("there"), FILLED);
    assert_eq!(std::fs::read_dir(&folder).expect("there").count(), 1);
    let error = filled()
        .write_atomically(&folder.join("none/summary.json"))
        .expect_err("no folder");
    assert!(error.to_string().starts_with("cannot write "), "{error}");
}

fn profile(file: &str) -> Profile {
    let line = |line, instructions, covered, forks| LineCosts {
        file: None,
        line,
        costs: InstructionCosts {
            instructions,
            covered,
            forks,
            ..InstructionCosts::default()
        },
    };
    let mut inlined = line(2, 40, 4, 0);
    inlined.file = Some("other.h".to_string());
    Profile {
        product: Product::Cairn,
        pid: Some(164),
        command: "cairn run p.c".to_string(),
        object: "p.bc".to_string(),
        events: vec![Event::Instructions, Event::Covered, Event::Forks],
        functions: vec![
            FunctionCosts {
                name: "main".to_string(),
                file: Some(file.to_string()),
                lines: vec![line(4, 10, 5, 1), inlined, line(5, 3, 3, 0)],
            },
            FunctionCosts {
                name: "lost".to_string(),
                file: None,
                lines: vec![line(0, 7, 1, 0)],
            },
        ],
    }
}

#[test]
fn the_text_of_a_profile() {
    assert_eq!(
        profile("p.c").to_text(),
        "# callgrind format\nversion: 1\ncreator: cairn\npid: 164\ncmd: cairn run p.c\n\n\
         positions: line\nevent: I : Instructions\nevent: Icov : CoveredInstructions\n\
         event: Forks : Forks\nevents: I Icov Forks\nsummary: 60 13 1\n\n\
         ob=p.bc\nfl=p.c\nfn=main\n4 10 5 1\nfi=other.h\n2 40 4 0\nfe=p.c\n5 3 3 0\n\
         fl=???\nfn=lost\n0 7 1 0\n\ntotals: 60 13 1\n"
    );
}

#[test]
fn callgrind_annotate_reads_a_profile() {
    let folder = scratch("istats");
    let source = folder.join("p.c");
    std::fs::write(&source, "\n\n\nint main() {\n  return 7;\n}\n").expect("writable");
    let path = folder.join("run.istats");
    profile(source.to_str().expect("utf-8"))
        .write_atomically(&path)
        .expect("writable");
    let annotate = Command::new("callgrind_annotate")
        .args(["--auto=yes", "--threshold=100"])
        .arg(&path)
        .output();
    let Ok(output) = annotate else {
        eprintln!("callgrind_annotate is not installed (package valgrind): skipped");
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert_eq!(errors, "");
    let shown = |parts: &[&str]| text.lines().any(|l| parts.iter().all(|p| l.contains(p)));
    assert!(shown(&["60 ", "13 ", "1 ", "PROGRAM TOTALS"]), "{text}");
    assert!(shown(&["10 ", "5 ", "1 ", "int main() {"]), "{text}");
    assert!(shown(&["3 ", "return 7;"]), "{text}");
    assert!(shown(&["40 ", "other.h:main"]), "{text}");
    assert!(shown(&["7 ", "???:lost"]), "{text}");
}
