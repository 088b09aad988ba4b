//! The command line of `cairn solve`: answers, messages and exit codes, as a user meets them.

mod support;

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use support::{cairn, code, err, out, root};

fn with_input(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_cairn"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built");
    // The child may stop reading early; that is its right.
    let _ = child.stdin.take().expect("piped").write_all(input);
    child.wait_with_output().expect("it ends")
}

fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    folder.join(name)
}

#[test]
fn the_readme_example_prints_what_the_readme_says() {
    let file = root().join("examples/overflow.smt2");
    let output = cairn(&["solve", file.to_str().expect("utf-8")]);
    assert_eq!(code(&output), 0, "{}", err(&output));
    let readme = std::fs::read_to_string(root().join("README.md")).expect("there is a README");
    let printed = out(&output);
    assert!(printed.starts_with("sat\n"), "{printed}");
    assert!(
        readme.contains(printed.trim_end()),
        "README must show:\n{printed}"
    );
}

#[test]
fn kquery_prints_valid_and_invalid() {
    let file = root().join("examples/table.kquery");
    let output = cairn(&["solve", file.to_str().expect("utf-8")]);
    assert_eq!(
        (code(&output), out(&output).as_str()),
        (0, "VALID\nINVALID\n")
    );
}

/// Every recorded query has the recorded verdict, with its model evaluated by the chain; all in
/// one process, so that queries of different programs meet in one core solver.
#[test]
fn recorded_queries_have_their_recorded_verdicts() {
    let mut files: Vec<PathBuf> = std::fs::read_dir(root().join("tests/queries"))
        .expect("the recorded queries are in the repository")
        .map(|e| e.expect("readable").path())
        .filter(|p| p.extension().is_some_and(|e| e == "smt2"))
        .collect();
    files.sort();
    assert_eq!(files.len(), 520);
    let expected: Vec<&str> = files
        .iter()
        .map(|f| {
            let text = std::fs::read_to_string(f).expect("readable");
            if text.contains(":status unsat") {
                "unsat"
            } else {
                "sat"
            }
        })
        .collect();
    for layers in ["none", "simplify,slice,exact-cache,model-cache"] {
        let mut arguments = vec!["solve", "--quiet", "--layers", layers];
        arguments.extend(files.iter().map(|f| f.to_str().expect("utf-8")));
        let output = cairn(&arguments);
        assert_eq!(code(&output), 0, "{}", err(&output));
        let printed = out(&output);
        for ((answer, expected), file) in printed.lines().zip(&expected).zip(&files) {
            assert_eq!(answer, *expected, "{} with layers {layers}", file.display());
        }
        assert_eq!(printed.lines().count(), 520);
    }
}

#[test]
fn recorded_kqueries_agree_with_their_scripts() {
    let folder = root().join("tests/queries");
    let mut compared = 0;
    for entry in std::fs::read_dir(&folder).expect("there") {
        let file = entry.expect("readable").path();
        if file.extension().is_none_or(|e| e != "kquery") || compared == 40 {
            continue;
        }
        let script = file.with_extension("smt2");
        let by_kquery = out(&cairn(&["solve", file.to_str().expect("utf-8")]));
        let by_script = out(&cairn(&[
            "solve",
            "--quiet",
            script.to_str().expect("utf-8"),
        ]));
        let expected = if by_script.trim() == "sat" {
            "INVALID"
        } else {
            "VALID"
        };
        assert_eq!(by_kquery.trim(), expected, "{}", file.display());
        compared += 1;
    }
    assert_eq!(compared, 40);
}

/// A sum that needs sums of inputs, and more facts that no set holds than are kept.
#[test]
fn a_model_fits_all_facts_however_many_there_are() {
    let mut script = String::from("(set-logic QF_BV)\n");
    for i in 0..8 {
        script += &format!("(declare-fun w{i} () (_ BitVec 32))\n");
        script += &format!("(assert (and (bvsle (_ bv1 32) w{i}) (bvsle w{i} (_ bv50 32))))\n");
    }
    for i in 0..49 {
        let (equal, below) = (2000 + i, 2400 + i);
        script += &format!(
            "(assert (or (= (bvmul w0 w1) (_ bv{equal} 32)) (bvult (bvmul w0 w2) (_ bv{below} 32))))\n"
        );
    }
    script += "(assert (bvslt (bvadd (_ bv10 32) w4) (bvadd (bvadd (_ bv3 32) w5) w6)))\n";
    script += "(assert (bvslt (bvadd (bvadd w5 w6) w7) (bvadd w0 w2)))\n(check-sat)\n";
    let file = scratch("many-facts.smt2");
    std::fs::write(&file, script).expect("the folder is writable");
    let file = file.to_str().expect("utf-8");
    for layers in ["slice,value-sets", "path-sets,slice,value-sets"] {
        let output = cairn(&["solve", "--layers", layers, file]);
        assert_eq!(out(&output), "sat\n", "{layers}");
    }
}

#[test]
fn a_session_answers_what_smtlib_asks() {
    let script = br#"
        (set-option :print-success false)
        (set-option :produce-unsat-cores true)
        (declare-fun f ((_ BitVec 8)) (_ BitVec 8))
        (declare-const x (_ BitVec 8))
        (assert (! (bvult x #x0a) :named small))
        (assert (! (= (f x) #x07) :named seven))
        (check-sat)
        (push 1)
        (assert (! (bvugt x #x20) :named large))
        (check-sat)
        (get-unsat-core)
        (get-value (x))
        (pop 1)
        (check-sat-assuming ((= x #x03)))
        (get-value (x (f x)))
        (get-model)
        (echo "done ""here""")
        (exit)
        (this is never read"#;
    let output = with_input(&["solve", "-"], script);
    let printed = out(&output);
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], "sat");
    assert_eq!(lines[1], "unsat");
    assert_eq!(lines[2], "(small large)");
    assert!(lines[3].starts_with("(error \"no model"), "{}", lines[3]);
    assert_eq!(lines[4], "sat");
    assert_eq!((lines[5], lines[6]), ("((x #x03)", " ((f x) #x07))"));
    assert_eq!(lines[7], "(");
    assert!(
        printed.contains("(define-fun x () (_ BitVec 8) #x03)"),
        "{printed}"
    );
    assert!(printed.ends_with("\"done \"\"here\"\"\"\n"), "{printed}");
    assert_eq!(code(&output), 0, "{}", err(&output));
}

#[test]
fn bad_input_gets_one_sentence_with_its_place() {
    let output = with_input(
        &["solve", "-"],
        b"(declare-const x (_ BitVec 8))\n(assert (bvult x #x001))",
    );
    assert_eq!(code(&output), 65);
    let message = err(&output);
    assert!(message.contains("line 2, column"), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
    for (input, expected) in [
        (&b"(assert"[..], 65),
        (b")", 65),
        (b"\xff\xfe\x00", 65),
        (b"(frobnicate)", 65),
        (b"", 0),
        (b"; nothing\n", 0),
    ] {
        let output = with_input(&["solve", "-"], input);
        assert_eq!(code(&output), expected, "{:?}: {}", input, err(&output));
        assert!(!err(&output).contains("panicked"));
    }
}

#[test]
fn what_was_answered_before_an_error_is_kept() {
    let output = with_input(&["solve", "-"], b"(check-sat)\n(assert (and))");
    assert!(out(&output).starts_with("sat\n"), "{}", out(&output));
    assert_eq!(code(&output), 65);
}

#[test]
fn missing_files_and_folders() {
    let output = cairn(&["solve", "no/such/file.smt2"]);
    assert_eq!(code(&output), 65);
    assert!(
        err(&output).contains("no/such/file.smt2"),
        "{}",
        err(&output)
    );
    let folder = root().join("tests");
    let output = cairn(&["solve", folder.to_str().expect("utf-8")]);
    assert_eq!(code(&output), 65);
    assert!(err(&output).contains("is a folder"), "{}", err(&output));
}

#[test]
fn wrong_usage_is_64() {
    let example = root().join("examples/overflow.smt2");
    let example = example.to_str().expect("utf-8");
    for arguments in [
        &["solve"][..],
        &["nonsense"],
        &["solve", "--layers", "nonsense", example],
        &["solve", "--layers", "slice,slice", example],
        &["solve", "--core", "nonsense", example],
        &["solve", "--core", "smtlib:/no/such/solver", example],
        &["solve", "--solver-timeout", "soon", example],
    ] {
        let output = cairn(arguments);
        assert_eq!(code(&output), 64, "{arguments:?}: {}", err(&output));
    }
    let missing = cairn(&["solve", "--core", "smtlib:/no/such/solver", example]);
    assert!(
        err(&missing).contains("/no/such/solver"),
        "{}",
        err(&missing)
    );
}

#[test]
fn a_solver_that_dies_half_way_is_unknown() {
    let solver = scratch("dies.sh");
    std::fs::write(&solver, "#!/bin/sh\nread line\nprintf 'sa'\nexit 3\n").expect("writable");
    let command = format!("smtlib:sh {}", solver.display());
    let example = root().join("examples/overflow.smt2");
    let output = cairn(&[
        "solve",
        "--layers",
        "none",
        "--core",
        &command,
        example.to_str().expect("utf-8"),
    ]);
    assert_eq!(code(&output), 2, "{}", err(&output));
    assert!(out(&output).starts_with("unknown\n"), "{}", out(&output));
    assert!(
        err(&output).contains("the solver failed"),
        "{}",
        err(&output)
    );
}

const HARD: &[u8] = b"
    (declare-const x (_ BitVec 64)) (declare-const y (_ BitVec 64))
    (assert (bvugt x #x0000000000000001)) (assert (bvugt y #x0000000000000001))
    (assert (bvult x #x0000000100000000)) (assert (bvult y #x0000000100000000))
    (assert (= (bvmul x y) #x7fffffffffffffe7))
    (check-sat)";

#[test]
fn a_time_limit_of_one_millisecond() {
    let start = Instant::now();
    let output = with_input(&["solve", "--solver-timeout", "1ms", "-"], HARD);
    assert_eq!(code(&output), 2, "{}", err(&output));
    assert_eq!(out(&output), "unknown\n");
    assert!(err(&output).contains("time limit"), "{}", err(&output));
    // Generous: the machine may be busy; without the limit this takes minutes.
    assert!(start.elapsed() < Duration::from_secs(60));
}

/// A script far longer than any buffer is read as a stream; so is one that never closes.
#[test]
fn long_inputs_are_streamed() {
    let file = scratch("long.smt2");
    let mut script = std::io::BufWriter::new(std::fs::File::create(&file).expect("writable"));
    writeln!(script, "(declare-const x (_ BitVec 32))").expect("writable");
    for i in 0..400_000 {
        writeln!(script, "(push 1) (assert (= x #x{i:08x})) (pop 1)").expect("writable");
    }
    writeln!(script, "(assert (= x #x00000001)) (check-sat)").expect("writable");
    script.flush().expect("writable");
    let output = cairn(&["solve", file.to_str().expect("utf-8")]);
    assert_eq!(
        (code(&output), out(&output).as_str()),
        (0, "sat\n"),
        "{}",
        err(&output)
    );
    let open = vec![b'('; 5_000_000];
    let output = with_input(&["solve", "-"], &open);
    assert_eq!(code(&output), 65, "{}", err(&output));
}

#[test]
fn the_json_summary_stands_alone() {
    let example = root().join("examples/overflow.smt2");
    let output = cairn(&["solve", "--json", example.to_str().expect("utf-8")]);
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON only");
    assert_eq!(summary["files"][0]["answers"][0], "sat");
    assert_eq!(summary["queries"]["asked"], 1);
}

#[test]
fn layers_are_listed() {
    let output = cairn(&["solve", "--list-layers"]);
    assert_eq!(code(&output), 0);
    for name in ["simplify", "slice", "exact-cache", "model-cache"] {
        assert!(out(&output).contains(name));
    }
}

#[test]
fn z3_is_a_core_and_a_second_opinion() {
    let example = root().join("examples/overflow.smt2");
    let example = example.to_str().expect("utf-8");
    let by_z3 = cairn(&["solve", "--core", "z3", "--quiet", example]);
    assert_eq!(
        (code(&by_z3), out(&by_z3).as_str()),
        (0, "sat\n"),
        "{}",
        err(&by_z3)
    );
    let checked = with_input(
        &["solve", "--self-check", "-"],
        b"(declare-const x (_ BitVec 8)) (assert (bvult x x)) (check-sat)",
    );
    assert_eq!(
        (code(&checked), out(&checked).as_str()),
        (0, "unsat\n"),
        "{}",
        err(&checked)
    );
}
