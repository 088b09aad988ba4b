//! Whole programs with known answers (`tests/whole`): what `cairn run` says about each is what its head
//! says. Most of them are about when a run may say that everything was explored.

mod support;

use serde_json::Value;
use std::path::{Path, PathBuf};
use support::{cairn_in, root};

/// The values of a key in a program's head.
fn values<'a>(source: &'a str, key: &str) -> Vec<&'a str> {
    let lines = source.lines().filter_map(|line| line.strip_prefix("//@ "));
    let pairs = lines.filter_map(|line| line.split_once(": "));
    pairs
        .filter(|(name, _)| *name == key)
        .map(|(_, value)| value)
        .collect()
}

/// What is wrong with the answer about a program.
fn complaints(here: &Path, file: &Path, more: &[&str]) -> Vec<String> {
    let source = std::fs::read_to_string(file).expect("readable");
    let name = file.file_name().expect("a file").to_string_lossy();
    let folder = here.join(&*name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("writable");
    std::fs::copy(file, folder.join(&*name)).expect("writable");
    let mut words = vec!["run", &name, "--json", "--self-check"];
    words.extend(["--max-instructions", "10000000"]);
    words.extend(more);
    let told = values(&source, "run").concat();
    if !told.contains("--libc") {
        words.extend(["--libc", "musl"]);
    }
    words.extend(
        values(&source, "run")
            .iter()
            .flat_map(|v| v.split_whitespace()),
    );
    let ran = cairn_in(&folder, &words);
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    let Ok(summary) = serde_json::from_str::<Value>(&text) else {
        return vec![format!(
            "no summary: {}",
            String::from_utf8_lossy(&ran.stderr)
        )];
    };
    let mut wrong = Vec::new();
    let mut expect = |what: &str, expected: String, found: String| {
        if expected != found {
            wrong.push(format!("{what}: expected {expected}, found {found}"));
        }
    };
    let exit = ran.status.code().unwrap_or(-1).to_string();
    expect("exit code", values(&source, "exit").concat(), exit);
    let count = |key: &str| summary["paths"][key].as_u64().unwrap_or(u64::MAX);
    let paths = format!(
        "{} completed, {} errors, {} stopped",
        count("completed"),
        count("errors"),
        count("stopped")
    );
    // With one path for all objects of a pointer there are fewer.
    let told_paths = if more.is_empty() {
        values(&source, "paths")
    } else {
        Vec::new()
    };
    for told in told_paths {
        expect("paths", told.to_string(), paths.clone());
    }
    let findings = summary["findings"].as_array().into_iter().flatten();
    let findings: Vec<String> = findings
        .map(|f| format!("{} {}", f["kind"].as_str().unwrap_or(""), f["line"]))
        .collect();
    expect(
        "findings",
        values(&source, "finding").join("; "),
        findings.join("; "),
    );
    let lines = summary["incomplete"].as_array().into_iter().flatten();
    let lines: Vec<&str> = lines.filter_map(Value::as_str).collect();
    let told = values(&source, "incomplete");
    for words in &told {
        if !lines.iter().any(|line| line.contains(words)) {
            wrong.push(format!("not in incomplete: {words}: {lines:?}"));
        }
    }
    if told.is_empty() && !lines.is_empty() {
        wrong.push(format!("not complete: {lines:?}"));
    }
    if !values(&source, "replay").is_empty() {
        let again = cairn_in(&folder, &["replay", &name, "cairn-last"]);
        if again.status.code() != Some(0) {
            wrong.push(format!(
                "replay: {}",
                String::from_utf8_lossy(&again.stdout)
            ));
        }
    }
    wrong.iter().map(|w| format!("{name}: {w}")).collect()
}

#[test]
fn whole_programs_have_their_answers() {
    all_have_their_answers("whole", &[]);
}

#[test]
fn whole_programs_have_their_answers_with_one_path_for_all_objects() {
    all_have_their_answers("whole-segments", &["--memory", "segments"]);
}

fn all_have_their_answers(folder: &str, more: &[&str]) {
    assert!(
        root().join(".deps/musl/libc.bca").exists(),
        "this test needs musl: run ./setup"
    );
    let here = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(folder);
    let entries = std::fs::read_dir(root().join("tests/whole")).expect("it is there");
    let mut files: Vec<PathBuf> = entries.map(|e| e.expect("readable").path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "c" || e == "cc"));
    files.sort();
    assert!(files.len() > 15, "programs are missing");
    let wrong: Vec<String> = files
        .iter()
        .flat_map(|f| complaints(&here, f, more))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
