//! Output that cannot be written: a full disk is exit code 74 and one sentence, and the summary of a run
//! goes to standard error; a closed pipe ends a command without a word.

use crate::command::{err, folder, folder_with_program, json_in, out, shell};
use std::path::Path;
use std::process::Command;

/// What a shell reports for SIGPIPE.
const CLOSED: &str = "141";

/// Things to print: a test, a run, a query.
fn prepared(name: &str) -> std::path::PathBuf {
    let here = folder_with_program(name);
    let done = shell(
        &here,
        "cairn run p.c --quiet; cp cairn-last/test000001.ktest t.ktest; \
         printf '(declare-const x (_ BitVec 8))(check-sat)(get-model)' > q.smt2; \
         printf '(query [] false)\\n' > q.kquery",
    );
    assert!(
        here.join("cairn-last/summary.json").exists(),
        "{}",
        err(&done)
    );
    here
}

/// Commands that print, one of each kind.
const PRINTING: [&str; 14] = [
    "cairn --help",
    "cairn run --help",
    "cairn --version",
    "cairn ktest t.ktest",
    "cairn stats cairn-last",
    "cairn stats --to-csv cairn-last",
    "cairn solve q.smt2",
    "cairn solve q.kquery",
    "cairn solve --json q.smt2",
    "cairn solve --list-layers",
    "cairn klee --help",
    "cairn klee --version",
    "cairn replay p.c cairn-last",
    "cairn replay --json p.c cairn-last",
];

#[test]
fn a_full_disk_behind_standard_output_is_one_sentence_and_74() {
    let here = prepared("stdout-full");
    for line in PRINTING {
        let done = shell(&here, &format!("{line} > /dev/full"));
        let errors = err(&done);
        assert_eq!(done.status.code(), Some(74), "{line}: {errors}");
        let said = errors.lines().filter(|l| l.starts_with("cairn: ")).count();
        assert_eq!(said, 1, "{line}: {errors}");
        assert!(
            errors.contains("No space left on device"),
            "{line}: {errors}"
        );
        assert!(!errors.contains("bug in Cairn"), "{line}: {errors}");
    }
}

#[test]
fn a_closed_pipe_ends_a_command_without_a_word() {
    let here = prepared("stdout-closed");
    for line in PRINTING {
        // The reader is gone before anything is printed.
        let line = format!("( sleep 0.3; {line} ) | true; echo ${{PIPESTATUS[0]}}");
        let done = shell(&here, &line);
        assert_eq!(out(&done).trim(), CLOSED, "{line}: {}", err(&done));
        assert_eq!(err(&done), "", "{line}");
    }
}

#[test]
fn a_run_whose_reader_is_gone_keeps_its_results_and_its_exit_code() {
    let here = folder_with_program("run-closed");
    for flags in ["", "--json"] {
        let line = format!("( sleep 0.3; cairn run p.c {flags} ) | true; echo ${{PIPESTATUS[0]}}");
        let done = shell(&here, &line);
        assert_eq!(out(&done).trim(), "1", "{}", err(&done));
        assert!(!err(&done).contains("written"), "{}", err(&done));
        assert!(here.join("cairn-last/summary.json").exists());
    }
}

#[test]
fn a_summary_that_cannot_be_printed_goes_to_standard_error() {
    let here = folder_with_program("json-full");
    // An error in the program is the more important news.
    let done = shell(&here, "cairn run --json p.c > /dev/full");
    assert_eq!(done.status.code(), Some(1), "{}", err(&done));
    assert_eq!(json_in(&err(&done))["paths"]["errors"], 1);
    let done = shell(&here, "cairn run p.c > /dev/full");
    assert_eq!(done.status.code(), Some(1), "{}", err(&done));
    assert_eq!(json_in(&err(&done))["findings"][0]["kind"], "assert");
}

#[test]
fn standard_error_that_is_full_or_closed_changes_nothing() {
    let here = folder_with_program("stderr-full");
    for (line, code) in [
        ("cairn run p.c 2> /dev/full", 1),
        ("cairn run p.c --output-dir p.c 2> /dev/full", 64),
        ("cairn ktest no-such-file 2> /dev/full", 65),
        ("cairn klee p.c 2> /dev/full", 0),
        ("cairn run --concrete no-such.c 2> /dev/full", 65),
        ("cairn run p.c 2>&-", 1),
    ] {
        let done = shell(&here, line);
        assert_eq!(done.status.code(), Some(code), "{line}: {}", err(&done));
    }
}

/// Prints half a megabyte.
const PRINTS: &str = "#include <stdio.h>
int main(void) {
  for (int i = 0; i < 50000; i++) printf(\"line %d\\n\", i);
  return 3;
}
";

#[test]
fn a_concrete_run_ends_as_the_program_would() {
    let here = folder("concrete-output");
    std::fs::write(here.join("p.c"), PRINTS).expect("writable");
    let done = shell(
        &here,
        "cairn run --concrete p.c | head -1; echo ${PIPESTATUS[0]}",
    );
    assert_eq!(out(&done), format!("line 0\n{CLOSED}\n"), "{}", err(&done));
    assert_eq!(err(&done), "");
    let done = shell(&here, "cairn run --concrete p.c > /dev/full");
    assert_eq!(done.status.code(), Some(74), "{}", err(&done));
    assert!(err(&done).contains("No space left"), "{}", err(&done));
}

/// A file system of this many kilobytes, unmounted at the end.
struct SmallDisk<'a>(&'a Path);

impl<'a> SmallDisk<'a> {
    fn new(at: &'a Path, kilobytes: u32) -> Self {
        std::fs::create_dir_all(at).expect("writable");
        let size = format!("size={kilobytes}k");
        let done = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &size, "tmpfs"])
            .arg(at)
            .output()
            .expect("there is a mount");
        assert!(
            done.status.success(),
            "this test needs the right to mount a small file system (run it as root): {}",
            err(&done)
        );
        SmallDisk(at)
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let done = Command::new("umount").arg("-l").arg(self.0).status();
        assert!(done.is_ok_and(|s| s.success()));
    }
}

/// 256 ends and an error that is found last.
const MANY: &str = "#include <klee/klee.h>
#include <assert.h>
int main(void) {
  unsigned char x, bits = 0;
  klee_make_symbolic(&x, 1, \"x\");
  for (int i = 0; i < 8; i++) bits |= (x >> i & 1) << i;
  for (int i = 0; i < 8; i++) if (x >> i & 1) bits++;
  assert(x != 255);
  return 0;
}
int fine(void) {
  unsigned char y, bits = 0;
  klee_make_symbolic(&y, 1, \"y\");
  for (int i = 0; i < 8; i++) if (y >> i & 1) bits++;
  return bits;
}
";

/// All that a folder holds is whole.
fn whole_tests(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).expect("it is there");
    let names = entries.map(|e| e.expect("readable").path());
    let tests: Vec<_> = names
        .filter(|p| p.extension().is_some_and(|e| e == "ktest"))
        .collect();
    for test in &tests {
        let bytes = std::fs::read(test).expect("readable");
        assert!(
            cairn_replay::KTest::read(&bytes).is_ok(),
            "{}",
            test.display()
        );
    }
    tests.len()
}

#[test]
fn a_disk_that_fills_up_during_a_run_loses_nothing_that_was_found() {
    let here = folder("disk-full");
    std::fs::write(here.join("p.c"), MANY).expect("writable");
    // Room for nothing, for the first files, and for some of the tests.
    for kilobytes in [4, 16, 40, 240] {
        let at = here.join("disk");
        let disk = SmallDisk::new(&at, kilobytes);
        let done = shell(&here, "cairn run p.c --output-dir disk/out");
        let errors = err(&done);
        assert_eq!(done.status.code(), Some(1), "{kilobytes}: {errors}");
        let summary = json_in(&errors);
        assert_eq!(summary["findings"][0]["kind"], "assert", "{errors}");
        assert_eq!(summary["paths"]["completed"], 255, "{errors}");
        let said = errors.matches("results are lost from now on").count();
        assert_eq!(said, 1, "{errors}");
        if at.join("out").exists() {
            assert_eq!(summary["tests"], whole_tests(&at.join("out")), "{errors}");
        }
        let done = shell(
            &here,
            "rm -rf disk/*; cairn run --entry fine p.c --output-dir disk/out",
        );
        assert_eq!(done.status.code(), Some(74), "{kilobytes}: {}", err(&done));
        let done = shell(&here, "rm -rf disk/*; cairn klee --output-dir=disk/out p.c");
        assert_eq!(done.status.code(), Some(74), "klee: {}", err(&done));
        assert_eq!(json_in(&err(&done))["paths"]["completed"], 255);
        drop(disk);
    }
}

#[test]
fn a_limit_on_the_size_of_files_is_like_a_full_disk() {
    let here = folder("file-size");
    std::fs::write(here.join("p.c"), MANY).expect("writable");
    shell(&here, "cairn run p.c --emit-cir p.cir");
    let done = shell(&here, "ulimit -f 1; cairn run p.cir --output-dir out");
    assert_eq!(done.status.code(), Some(1), "{}", err(&done));
    assert_eq!(json_in(&err(&done))["findings"][0]["kind"], "assert");
    let done = shell(&here, "ulimit -f 1; cairn run p.c --emit-cir q.cir");
    assert!(
        [Some(65), Some(74)].contains(&done.status.code()),
        "{}",
        err(&done)
    );
    let done = shell(&here, "ulimit -f 1; cairn run p.cir --emit-cir q.cir");
    assert_eq!(done.status.code(), Some(74), "{}", err(&done));
    assert!(err(&done).contains("File too large"), "{}", err(&done));
    assert!(!here.join("q.cir").exists(), "half of a program is left");
}

/// Never ends.
const ENDLESS: &str = "#include <klee/klee.h>
int main(void) {
  unsigned x = klee_int(\"x\"), n = 0;
  for (;;) if (x >> (n++ % 32) & 1) n ^= x;
}
";

#[test]
fn a_signal_that_was_ignored_stays_ignored() {
    let here = folder("nohup");
    std::fs::write(here.join("p.c"), ENDLESS).expect("writable");
    shell(&here, "cairn run p.c --emit-cir p.cir");
    for signal in ["HUP", "INT", "TERM"] {
        let run = |before: &str| {
            let line = format!(
                "{before} \"$CAIRN\" run p.cir --max-time 2s --json --output-dir {signal}-$RANDOM > out.json & \
                 pid=$!; sleep 1; kill -{signal} $pid; wait $pid"
            );
            let done = shell(&here, &line);
            let text = std::fs::read_to_string(here.join("out.json")).expect("it was written");
            let json = json_in(&text);
            (
                done.status.code(),
                json["stopped_by"].as_str().map(str::to_string),
            )
        };
        let ignored = run(&format!("trap '' {signal};"));
        assert_eq!(ignored, (Some(2), Some("max-time".to_string())), "{signal}");
        // A shell without job control ignores SIGINT for what it starts in the background, and the tests
        // may have been started with other signals ignored.
        let heeded = run("env --default-signal");
        assert_eq!(heeded, (Some(2), Some("interrupt".to_string())), "{signal}");
    }
}
